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

echo '[{"board": "b", "num_sms": 1, "lanes": 4, "lut4": 1, "ff": 1, "dp16kd": 1, "mult18": 1, "fmax_mhz": 20, "commit": "c0ffee", "config": "tiny+mem_bytes-1310720", "critical_path": [], "freq_mhz": 25, "nextpnr": "0.1",
  "seeds": [{"fmax_mhz": 20, "placed_mhz": 20, "cpu_s": 1}]}]' >"$work/results.json"
printf '<!-- fpga: made by `make fpga` -->\n<!-- /fpga -->\n' >"$work/results.md"
verdict 'the work of a build is measured on the model' "$(fpga work --size S "$work/results.json" throttle)$(fpga page "$work/results.json" "$work/results.md")" 00
verdict 'and is the cycles at its clock' "$(awk -F ' *[|] *' '$4 == "throttle, S" { print ($5 > 1000), $7 == int(20e6 / $5 + 0.5), $8 - $6 * 20 < 0.2 }' "$work/results.md")" '1 1 1'
verdict 'a program that there is not' "$(fpga work "$work/results.json" nothing | head -c 40)" '1 nothing on tiny+mem_bytes-1310720: qsm'

# A nextpnr of the user's: this one says which it is, and reports any clock it is told, and 40 ns from one clock to the other.
cat >"$work/nextpnr-ecp5" <<'SH'
#!/bin/bash
[ "$1" = --version ] && { echo '"nextpnr-ecp5" -- Next Generation Place and Route (Version 9.8-7)'; exit; }
while [ $# -gt 0 ]; do
  case $1 in --report) report=$2 ;; --textcfg) echo >"$2" ;; --freq) freq=$2 ;; esac
  shift
done
echo "Info: Max frequency for clock 'clk': $freq.00 MHz (PASS at $freq.00 MHz)"
step() { echo "{\"type\": \"$1\", \"delay\": $2, \"to\": {\"cell\": \"u_a.x\"}}"; }
echo "{\"fmax\": {\"clk\": {\"achieved\": $freq, \"constraint\": 25}, \"gated\": {\"achieved\": 50, \"constraint\": 25}}, \"utilization\": {}, \"critical_paths\": [{\"from\": \"posedge clk\", \"to\": \"posedge clk\",
  \"path\": [$(step routing 2)]}, {\"from\": \"posedge clk\", \"to\": \"posedge gated\", \"path\": [$(step clk-to-q 0.5), $(step routing 39), $(step logic 0.5)]},
  {\"from\": \"<async>\", \"to\": \"posedge clk\", \"path\": [$(step routing 90)]}]}" >"$report"
SH
chmod +x "$work/nextpnr-ecp5"
route() { fpga route "$work/small.json" "$work/routed" --seeds 1 --freq 33 --program "$@"; }
of_result() { python3 -c "import json, sys; result = json.load(open(sys.argv[1])); print(*(result[name] for name in sys.argv[2:]))" "$work/routed/result.json" "$@"; }
verdict 'a nextpnr of the user' "$(route "$work/nextpnr-ecp5")" 0
verdict 'is named in the result' "$(of_result nextpnr freq_mhz)" 'native 9.8-7 33.0'
verdict 'the clock is that of the longest path, which may be one between two clocks' "$(of_result fmax_mhz clocks)" "25.0 {'clk': 33, 'gated': 50, 'clk -> gated': 25.0}"
verdict 'and the longest path by cells and wires' "$(of_result critical_ns)" "{'cells': 1.0, 'wires': 39}"
verdict 'it is found as a shell finds it' "$(PATH="$work:$PATH" route nextpnr-ecp5)" 0
verdict 'one that there is not' "$(route "$work/none" | sed "s|$work|W|")" \
  '1 W/none: no such program; NEXTPNR= takes a nextpnr-ecp5, without it the one from PyPI is used'
sed '2a kill -9 $$' "$work/nextpnr-ecp5" >"$work/killed" && chmod +x "$work/killed"
verdict 'one that somebody ends' "$(route "$work/killed" | head -c 1) $(grep -o 'nextpnr stopped (.*)' "$work/out")" '1 nextpnr stopped (signal 9)'
verdict 'another program' "$(route true | head -c 50)" '1 true: no nextpnr-ecp5, its --version says: true '

# Block RAMs of two and three SMs get places, each SM in its strip of the chip.
array() { # NAME SMS RAMS
  python3 - "$work/$1.json" "$2" "$3" <<'PY'
import json, sys
cells = {f"u_gpu.g_sm[{sm}].u_sm.u_x.mem.0.{ram}": {"type": "DP16KD", "attributes": {"NEXTPNR_BEL": f"X{13 + 9 * ram}/Y{(22, 46, 70)[ram % 3]}/EBR0"}}
         for sm in range(int(sys.argv[2])) for ram in range(int(sys.argv[3]))}
json.dump({"modules": {"cell": {"attributes": {}, "cells": {}}, "top": {"attributes": {"top": "1"}, "cells": cells | {"u_l2.mem.0.0": {"type": "DP16KD", "attributes": {}}}}}}, open(sys.argv[1], "w"))
PY
}
plan() { # ARGUMENT...: exit code, what it says
  python3 scripts/ecp5_floorplan.py "$@" >"$work/out" 2>&1
  echo "$? $(sed "s|$work|W|" "$work/out")"
}
places() { python3 -c 'import json, sys
for name, cell in sorted(json.load(open(sys.argv[1]))["modules"]["top"]["cells"].items()): print(name.split(".")[1], name[-1], cell["attributes"].get("BEL", "free"))' "$work/$1.json"; }
array one 1 5 && array two 2 5 && array three 3 5 && array four 4 5 && array full 2 69
verdict 'a floorplan is kept from a placement of one SM' "$(plan keep "$work/one.json" "$work/plan.txt")$(sed -n 2p "$work/plan.txt")" '0 u_x.mem.0.1 22 46'
verdict 'not from one of two' "$(plan keep "$work/two.json" "$work/plan.txt")" '1 W/two.json: block RAMs of 2 SMs, of one SM alone are wanted'
sed -i '$d' "$work/plan.txt"
verdict 'the block RAMs of two SMs get places' "$(plan set "$work/two.json" "$work/plan.txt" "$work/planned.json")" '0 10 block RAMs have places, 2 of them are not kept'
verdict 'all different, that of the L2 none' "$(places planned | grep -v free | cut -d' ' -f3 | sort -u | wc -l) $(places planned | grep free)" '10 mem 0 free'
verdict 'SM 0 at the left, SM 1 at the right' "$(places planned | awk '/g_sm/ { split($3, place, /[XY\/]/); side[$1 (place[2] < 63 ? " left" : " right")] = 1 } END { for (one in side) print one }' | sort | paste -sd,)" \
  'g_sm[0] left,g_sm[1] right'
verdict 'in the order of the placement' "$(places planned | awk '/g_sm\[1\] [0-3]/ { split($3, place, /[XY\/]/); print (place[2] > last); last = place[2] }' | paste -sd ' ')" '1 1 1 1'
verdict 'three SMs from left to right' "$(plan set "$work/three.json" "$work/plan.txt" "$work/planned.json" >/dev/null; places planned | grep g_sm | sort -t X -k2n | cut -d' ' -f1 | uniq | paste -sd,)" \
  'g_sm[0],g_sm[1],g_sm[2]'
verdict 'those of four stay free' "$(plan set "$work/four.json" "$work/plan.txt" "$work/planned.json") $(places planned | grep -vc free)" \
  '0 0 block RAMs have places, 0 of them are not kept 0'
verdict 'more block RAMs than a strip has' "$(plan set "$work/full.json" "$work/plan.txt" "$work/planned.json")" '1 W/full.json: an SM of 69 block RAMs; its strip has 68'
echo 'u_x.mem.0.1 left 46' >>"$work/plan.txt"
verdict 'a line that is none' "$(plan set "$work/two.json" "$work/plan.txt" "$work/planned.json")" "1 W/plan.txt:5: a block RAM's name, column and row are wanted: u_x.mem.0.1 left 46"

finish
