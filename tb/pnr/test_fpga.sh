#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/fpga.py on a netlist of three LUTs and a carry cell: levels of logic, and figures beside those that were kept.
. "$(dirname "$0")/../tap.sh"

# A flip-flop a, then LUTs in a row, then flip-flop z: netlist NAME LUTS
netlist() {
  python3 - "$work/$1" "$2" <<'PY'
import json, pathlib, sys
stem, luts = pathlib.Path(sys.argv[1]), int(sys.argv[2])
def cell(kind, pins, outputs):
    return {"type": kind, "parameters": {}, "port_directions": {pin: "output" if pin in outputs else "input" for pin in pins},
            "connections": {pin: [net] for pin, net in pins.items()}}
cells = {"a": cell("TRELLIS_FF", {"CLK": 2, "DI": 3, "Q": 10}, "Q"), "z": cell("TRELLIS_FF", {"CLK": 2, "DI": 10 + luts, "Q": 4}, "Q")}
for n in range(luts):
    cells[f"l{n}"] = cell("LUT4", {"A": 10 + n, "B": "0", "C": "0", "D": "0", "Z": 11 + n}, "Z")
names = {"u_a.a_q": {"hide_name": 0, "bits": [10]}, "u_z.z_q": {"hide_name": 0, "bits": [4]}}
top = {"attributes": {"top": "1"}, "ports": {"clk": {"direction": "input", "bits": [2]}}, "cells": cells, "netnames": names}
stem.with_suffix(".json").write_text(json.dumps({"modules": {"top": top}}))
stem.with_suffix(".stat.json").write_text(json.dumps({"LUT4": luts, "TRELLIS_FF": 2}))
stem.with_suffix(".commit").write_text("c0ffee")
PY
}
fpga() { # ARGUMENT...: exit code, what it says of bad figures
  python3 scripts/fpga.py "$@" >"$work/out" 2>"$work/err"
  echo "$?$(sed 's/^/ /' "$work/err")"
}
watch() { fpga watch "$work/kept.json" "$work/page.md" "$@"; }

netlist small 3
netlist large 4
printf '<!-- watch: made by `make fpga-watch KEEP=1` -->\n<!-- /watch -->\n' >"$work/page.md"

verdict 'a row of three LUTs is three levels' "$(fpga levels "$work/small.json" --families)$(grep -c '3 u_a.a_q -> u_z.z_q.DI' "$work/out")" '01'
verdict 'figures are kept, and written to the page' "$(watch --keep gpu="$work/small.json")$(grep -c '| gpu | LUT4 |  | 3 |  |' "$work/page.md")" '01'
verdict 'the same netlist passes' "$(watch gpu="$work/small.json")$(grep -c '| gpu | LUT4 | 3 | 3 | +0.0% |' "$work/out")" '01'
verdict 'a larger one fails, and is told what grew' "$(watch gpu="$work/large.json")" \
  '1 gpu, LUT4: 4, kept 3 (+33.3%)
 gpu, longest path, levels: 4, kept 3 (+33.3%)
 worse by more than 2 %; KEEP=1 keeps what is now'
verdict 'within the limit that was given it passes' "$(watch --limit 40 gpu="$work/large.json")" 0

echo '{"commit": "c0ffee", "seeds": [{"placed_mhz": 20.5}], "fmax_mhz": 25.0}' >"$work/result.json"
verdict 'the clock is kept' "$(watch --keep gpu="$work/small.json")" 0
sed -i 's/25.0/24.0/' "$work/result.json"
verdict 'a clock that falls fails' "$(watch gpu="$work/small.json")" \
  '1 gpu, MHz after routing: 24.0, kept 25.0 (-4.0%)
 worse by more than 2 %; KEEP=1 keeps what is now'
sed -i 's/c0ffee/0ther/' "$work/result.json"
verdict 'the routing of another netlist does not count' "$(watch gpu="$work/small.json") $(grep -c MHz "$work/out")" '0 0'

echo '[{"board": "b", "num_sms": 1, "lut4": 1, "ff": 1, "dp16kd": 1, "mult18": 1, "fmax_mhz": 20, "commit": "c0ffee", "config": "tiny+mem_bytes-1310720", "critical_path": [],
  "seeds": [{"fmax_mhz": 20, "placed_mhz": 20, "cpu_s": 1}]}]' >"$work/results.json"
printf '<!-- fpga: made by `make fpga` -->\n<!-- /fpga -->\n' >"$work/results.md"
verdict 'the work of a build is measured on the model' "$(fpga work --size S "$work/results.json" throttle)$(fpga page "$work/results.json" "$work/results.md")" 00
verdict 'and is the cycles at its clock' "$(awk -F ' *[|] *' '$4 == "throttle, S" { print ($5 > 1000), $7 == int(20e6 / $5 + 0.5), $8 - $6 * 20 < 0.2 }' "$work/results.md")" '1 1 1'
verdict 'a program that there is not' "$(fpga work "$work/results.json" nothing | head -c 40)" '1 nothing on tiny+mem_bytes-1310720: qsm'

finish
