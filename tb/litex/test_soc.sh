#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The SoC in LiteX' simulator: its CPU runs two kernels under a goal (docs/soc.md R-LX-1 .. R-LX-4, R-LX-6 .. R-LX-8); what goes wrong is seen. In make test-full alone, as it takes the
# compiler some minutes.
. tb/system/fuzz.sh
only_in_full 'an SoC with the GPU in LiteX'"'"' simulator'
. "$(dirname "$0")/../tap.sh"
folder=build/litex/tiny+l2_kib-1

soc() { # PROGRAM OPTIONS...: exit code of its simulation
  build/venv/bin/python fpga/litex/sim.py run "$folder" "$folder/$1.elf" "${@:2}" >"$work/out" 2>&1
  code=$?
  sed 's/^/# /' "$work/out"
}
soc demo
verdict 'R-LX-1 .. R-LX-4, R-LX-6 .. R-LX-8: two kernels alone and together on the SoC, by interrupts; the goal is reached' "$code $(grep -c 'wrong 0' "$work/out") $(grep -c '^PASS' "$work/out")" '0 6 1'
verdict 'R-LX-4: a refused register is said' "$(grep -c 'is not refused' "$work/out")" 0
soc wrong
verdict 'R-LX-8: a wrong word in a result fails' "$code $(grep -c 'FAILED: wrong words' "$work/out") $(grep -c '^FAIL' "$work/out")" "1 3 1"
soc outside --limit 400000
verdict 'R-LX-8: a kernel that is killed fails, and its fault is said' "$code $(grep -o 'killed: cause [0-9]*' "$work/out" | head -n 1)" '1 killed: cause 7'
soc stuck --limit 400000
verdict 'R-LX-8: a program that does not end is ended after the cycles given' "$code $(grep -c 'soc: not ended after 400000 cycles' "$work/out")" '1 1'
finish
