#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Simulation of a netlist (docs/netlist.md): models of the cells; a small design through synthesis and scripts/netlist.py, compared with its RTL
# (R-NL-1); the same with a cell broken (R-NL-6); netlists with what is not modelled (R-NL-5). The GPU's own netlist: test_netlist_gpu.sh.
. tb/tap.sh
python=build/venv/bin/python
out=build/netlist/test
mkdir -p "$out"

tb/netlist/cells/build.sh "$out/cells" >"$out/cells.log" 2>&1 || { tail -n 20 "$out/cells.log" | sed 's/^/# /'; }
seen=$("$out/cells/run" 1)
echo "${seen//not ok/# not ok}" | sed 's/^ok/# ok/'
verdict 'models of cells: global reset (R-NL-4), and what each does (R-NL-5)' "$(grep -c '^ok' <<<"$seen") $(grep -c '^not ok' <<<"$seen")" '4 0'

# The seed is fixed: what is packed of a random netlist is part of what is expected.
packed() { $python tb/netlist/pack/compare.py "$@" | tee "$work/packed" | grep -o '^[0-9]* different, [0-9]* longer, [0-9]* miscounted'; }
verdict 'packing changes no value of random netlists, and none gets longer (R-NL-7)' "$(packed 1 100)" '0 different, 0 longer, 0 miscounted'
verdict 'it folds, takes multiplexers to operands, and uses those of slices' "$(grep -cE ' [1-9][0-9]* advanced, [1-9][0-9]* folded, [1-9][0-9]* cleared, [1-9][0-9]* by PFUMX' "$work/packed")" 1
verdict 'a bit that is wrong after packing: found (R-NL-7)' "$(packed 1 100 --break | grep -c '^[1-9]')" 1

# The quota counters: logic before and after adders, of which abc by itself sees parts of paths only.
printf 'rtl/%s.sv\n' qsm_enums_pkg warp_sched/qsm_elastic warp_sched/qsm_quota >"$out/quota.f"
abc=$($python -c 'import pathlib, pyosys; print(pathlib.Path(pyosys.__file__).parent / "yosys-abc")')
equal() { "$abc" -q "cec $1 $2" | grep -o 'Networks are .*[A-Z]\{2\}\|Networks are equivalent'; }
levels() { $python scripts/fpga.py levels "$out/$1.json" | grep -o '[0-9]* levels' | grep -o '[0-9]*'; }
for target in 0 1; do
  $python scripts/fpga.py synth --target $target "$out/quota.f" qsm_quota "$out/quota$target.json" >"$out/quota$target.log" 2>&1
done
verdict 'with times of what lies between the logic, paths are shorter (R-NL-8)' "$(($(levels quota1) < $(levels quota0)))" 1
verdict 'the LUTs do what the logic did (R-NL-8)' "$(equal "$out/quota1.logic.blif" "$out/quota1.luts.blif")" 'Networks are equivalent'
# one row of a LUT's table
$python - "$out/quota1.luts.blif" "$work/wrong.blif" <<'END'
import re, sys
text = open(sys.argv[1]).read()
open(sys.argv[2], "w").write(re.sub(r"\n1(.*) 1\n", r"\n0\1 1\n", text, count=1))
END
verdict 'a row of a LUT that is wrong: found (R-NL-8)' "$(equal "$out/quota1.logic.blif" "$work/wrong.blif")" 'Networks are NOT EQUIVALENT'

files=$out/files.f
printf 'tb/netlist/sample/qsm_sample_%s.sv\n' pkg blocks >"$files"
$python scripts/fpga.py synth "$files" qsm_sample_pins "$out/sample.json" tb/pnr/lattice_cells.sv tb/netlist/sample/qsm_sample_pins.sv >"$out/synth.log" 2>&1
# sample NAME OPTIONS...: builds it, and says what its run finds.
sample() {
  local name=$1
  shift
  tb/netlist/sample/build.sh "$out/sample.json" "$out/$name" "$@" >"$out/$name.log" 2>&1 || { echo 'not built'; return; }
  "$out/$name/run" 1 20000
}
verdict 'a small design: netlist and RTL are equal in every cycle (R-NL-1)' "$(sample sample)" 'equal in 2 * 20000 cycles'
verdict 'other values before the reset and in memories: the same (R-NL-4)' "$("$out/sample/run" 2 20000)" 'equal in 2 * 20000 cycles'
# The first cells are those between pins and design, which are cut; these are of its logic, and of its counter.
verdict 'an INIT bit of a LUT4 is wrong: found (R-NL-6)' "$(sample lut --break lut:120 | grep -o 'they differ')" 'they differ'
verdict 'the reset value of a flip-flop is wrong: found (R-NL-6)' "$(sample ff --break ff:470 | grep -o 'they differ')" 'they differ'

# refused WHAT PYTHON EXPECTED: the netlist changed by Python code on its cells, and what netlist.py says.
refused() {
  $python - "$out/sample.json" "$work/bad.json" <<END
import json, sys
netlist = json.load(open(sys.argv[1]))
cells = netlist["modules"]["qsm_sample_pins"]["cells"]
def of(kind): return next(cell for cell in cells.values() if cell["type"] == kind)
$2
json.dump(netlist, open(sys.argv[2], "w"))
END
  seen=$($python scripts/netlist.py "$work/bad.json" "$work/bad.v" --inputs in_q --outputs out_q 2>&1)
  verdict "refused: $1 (R-NL-5)" "$? $(grep -o "$3" <<<"$seen")" "1 $3"
}
refused 'a cell without a model' 'of("LUT4")["type"] = "ALU54B"' 'no model of ALU54B'
refused 'the cascade of multipliers' 'of("MULT18X18D")["connections"]["SOURCEA"] = ["1"]' 'the use of SOURCEA is not modelled'
refused 'an asynchronous reset of a block RAM' 'ram = next(cell for cell in cells.values() if cell["type"] == "DP16KD" and cell["parameters"]["RESETMODE"] == "ASYNC"); ram["connections"]["RSTB"] = [5]' \
  'an asynchronous reset of a block RAM is not modelled'
refused 'two clocks of a block RAM' 'ram = of("DP16KD"); ram["connections"]["CLKB"] = ram["connections"]["DIA0"]' 'two clocks of a block RAM are not modelled'
refused 'a net that nothing drives' 'of("LUT4")["connections"]["A"] = [999999999]' 'is driven by nothing'
refused 'a value that a flip-flop preloads' 'of("TRELLIS_FF")["parameters"]["LSRMODE"] = "PRLD"' 'LSRMODE PRLD is not modelled'

# A parameter that a model does not know is an error of Verilator's.
$python - "$out/sample.json" "$work/bad.json" <<'END'
import json, sys
netlist = json.load(open(sys.argv[1]))
ram = next(cell for cell in netlist["modules"]["qsm_sample_pins"]["cells"].values() if cell["type"] == "DP16KD")
ram["parameters"]["REGMODE_A"] = "OUTREG"
json.dump(netlist, open(sys.argv[2], "w"))
END
tb/netlist/sample/build.sh "$work/bad.json" "$work/bad" >"$work/bad.log" 2>&1
verdict 'refused: output registers of a block RAM (R-NL-5)' "$? $(grep -o 'DP16KD: output registers' "$work/bad.log" | head -n 1)" '1 DP16KD: output registers'
finish
