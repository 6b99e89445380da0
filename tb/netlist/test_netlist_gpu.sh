#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The GPU's netlist and the model in lockstep (docs/netlist.md R-NL-1, R-NL-2), and what must be found (R-NL-6). In make test-full alone: synthesis and compiler take minutes.
. tb/system/fuzz.sh
only_in_full 'the netlist of fpga+num_sms-1 in lockstep'
. tb/tap.sh
config=fpga+num_sms-1
out=build/netlist/test
mkdir -p "$out"
env -u MAKEFLAGS make netlist CONFIG=$config >"$out/gpu.log" 2>&1
fuzz_netlist() { build/qsm fuzz --netlist --config $config --out "$out" --quiet "$@" >"$out/log" 2>&1; echo $?; }
verdict 'random programs: netlist and model are equal in every cycle at the ports (R-NL-1, R-NL-2)' "$(fuzz_netlist --cycles 300000 --seed 1)" 0
verdict 'a scenario: the same, and the outputs' \
  "$(build/qsm run examples/tiny.yaml --config $config --backend lockstep --netlist --cycles 100000 --out "$out/tiny" --overwrite --quiet >"$out/log" 2>&1; echo $?)" 0
for block in exec tb_sched ctrl xbar; do
  verdict "a bit flipped in the model's $block is found at the ports (R-NL-6)" "$(fuzz_netlist --cycles 1000000 --seed 12 --inject $block)" 1
done
finish
