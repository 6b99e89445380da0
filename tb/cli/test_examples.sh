#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The examples do what they say: scenarios on the model, saxpy on every backend.
. "$(dirname "$0")/common.sh"

# scenario_gives NAME CODE CHECKS: exit code, and per kernel whether checks passed and whether any failed.
scenario_gives() {
  call "$qsm" run --out "$work/$1" "examples/$1.yaml"
  verdict "examples/$1.yaml" "$code $(grep -o '[0-9]* ok, [0-9]* wrong.*' "$work/stdout" | sed 's/^[1-9][0-9]*/N/' | paste -sd ';')" "$2 $3"
}

call make --no-print-directory -C examples
verdict 'examples are built with one command' "$code $(cat "$work/stderr")" '0 '
ok='N ok, 0 wrong'
scenario_gives demo 0 "$ok;$ok;$ok;$ok"
verdict 'the goal of the demonstration is reached with quality of service, and missed without' \
  "$(sed -n 's/^.*"reached":[[:space:]]*\([a-z]*\).*$/\1/p' "$work/demo/result.json" | paste -sd ' ')" 'true null false null'
scenario_gives tiny 0 "$ok"
scenario_gives odd 0 "$ok;$ok;$ok"
scenario_gives trio 0 "$ok;$ok;$ok;$ok;$ok;$ok"
scenario_gives floats 0 "$ok;$ok"
scenario_gives fault 1 "0 ok, 0 wrong, KILLED;$ok"
scenario_gives waves 0 "$ok;$ok"
scenario_gives frame 0 "$ok;$ok"
verdict 'the deadline as a goal (R-GO-7)' "$(grep -o '"reached":.*' "$work/frame/result.json" | head -n 1)" '"reached":	true,'
call "$qsm" run --out "$work/deadline" examples/deadline.yaml
verdict 'examples/deadline.yaml: launches meet their deadlines (R-DL-4)' \
  "$code $(sed -n 's/^.*filter  *\([0-9]*\) of 1[0-9] deadlines missed.*$/\1/p' "$work/stdout") $(grep -c '"missed":	0,' "$work/deadline/result.json")" '0 0 1'
for backend in model rtl lockstep; do
  call build/examples/saxpy build/examples/saxpy.elf $backend tiny
  verdict "saxpy, $backend" "$code $(cat "$work/stderr") $(sed 's/[0-9]* cycles/N cycles/' "$work/stdout")" "0  saxpy on $backend of tiny: 1000 elements, 0 wrong, N cycles"
done
# The time per frame is what the goal asks for, within 2 %; the deadline's transfers take 12.7 us of it.
call build/examples/frames build/examples/frames.elf model demo
verdict 'frames: the rate, then the deadline' "$code $(cat "$work/stderr")$(awk -F ' one in | us; ' '
  /^1000/ { print ($2 > 980 && $2 < 1020 ? "paced" : $2) } /^each/ { print ($2 > 428 && $2 < 446 ? "paced" : $2) } END { print }' "$work/stdout" | paste -sd ,)" \
  '0 paced,paced,0 of 4096 pixels wrong'
# Deadlines are met where a goal of the mean is not, and leave the batches more than a goal of the heaviest frame (docs/deadlines.md).
call build/examples/deadlines build/examples/frames.elf model demo 16
verdict 'frames with deadlines (R-DL-1, R-DL-4)' "$code $(cat "$work/stderr")$(awk '
  { $0 = substr($0, 31); missed[NR] = $1; batches[NR] = $(NF - 1) }
  END { print NR, (missed[3] > 8 ? "late" : missed[3]), missed[7], (batches[7] > batches[6] ? "more" : batches[6] " " batches[7]) }' "$work/stdout")" '0 7 late 0 more'
# Copies beside kernels: three streams are faster than one.
for backend in model lockstep; do
  call build/examples/streams build/examples/streams.elf $backend tiny
  verdict "streams, $backend (R-ST-5, R-ST-11, R-ST-15)" "$code $(cat "$work/stderr")$(awk '
    { ms[NR] = $6; wrong += $8 } END { print NR, wrong, (ms[2] < ms[1] ? "faster" : ms[1] " " ms[2]) }' "$work/stdout")" '0 2 0 faster'
done
# What a run measured, without what differs between backends; energy, which the backend rtl does not measure (docs/command.md), only where $2 is energy.
measured() {
  python3 -c '
import json, sys
apart = {"backend", "cpu_s", "cycles_per_cpu_s", "lockstep"} | ({"energy_j", "power_w", "energies", "energy_events"} if sys.argv[2] != "energy" else set())
def strip(part):
    if isinstance(part, dict): return {key: strip(value) for key, value in part.items() if key not in apart}
    return [strip(value) for value in part] if isinstance(part, list) else part
print(json.dumps(strip(json.load(open(sys.argv[1]))), indent=1))' "$1/result.json" "$2"
}
for backend in model rtl lockstep; do
  call "$qsm" run --quiet --backend $backend --cycles 20000 --out "$work/odd-$backend" examples/odd.yaml
  what=energy
  [ $backend = rtl ] && what=all-else
  verdict "examples/odd.yaml on $backend measures what the model does" \
    "$code $(diff <(measured "$work/odd-model" $what) <(measured "$work/odd-$backend" $what))$([ "$(measured "$work/odd-$backend" $what | wc -l)" -gt 50 ] || echo ', and hardly anything')" '0 '
done
verdict 'energy on rtl is said to be missing' "$(grep -c '"energy_j":	null' "$work/odd-rtl/result.json") $(grep -c '"energy_j":	[0-9]' "$work/odd-lockstep/result.json")" '4 4'
verdict 'lockstep found no difference' "$(grep -o '"first_difference":.*' "$work/odd-lockstep/result.json")" '"first_difference":	null'
call build/examples/saxpy "$work/none.elf"
verdict 'saxpy without its program' "$code $(cat "$work/stderr")" "1 saxpy: invalid program: $work/none.elf: cannot open"
finish
