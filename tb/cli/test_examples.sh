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
for backend in model rtl lockstep; do
  call build/examples/saxpy build/examples/saxpy.elf $backend tiny
  verdict "saxpy, $backend" "$code $(cat "$work/stderr") $(sed 's/[0-9]* cycles/N cycles/' "$work/stdout")" "0  saxpy on $backend of tiny: 1000 elements, 0 wrong, N cycles"
done
# The time per frame is what the goal asks for, within 2 %; the deadline's transfers take 12.7 us of it.
call build/examples/frames build/examples/frames.elf model demo
verdict 'frames: the rate, then the deadline' "$code $(cat "$work/stderr")$(awk -F ' one in | us; ' '
  /^1000/ { print ($2 > 980 && $2 < 1020 ? "paced" : $2) } /^each/ { print ($2 > 428 && $2 < 446 ? "paced" : $2) } END { print }' "$work/stdout" | paste -sd ,)" \
  '0 paced,paced,0 of 4096 pixels wrong'
# What a run measured, without what differs between backends.
measured() { grep -vE '"(backend|cpu_s|cycles_per_cpu_s|lockstep|cycles_compared|fields_per_cycle|first_difference)"' "$1/result.json" | grep -v '^	}[,]*$'; }
for backend in model rtl lockstep; do
  call "$qsm" run --quiet --backend $backend --cycles 40000 --out "$work/odd-$backend" examples/odd.yaml
  verdict "examples/odd.yaml on $backend measures what the model does" "$code $(diff <(measured "$work/odd-model") <(measured "$work/odd-$backend"))" '0 '
done
verdict 'lockstep found no difference' "$(grep -o '"first_difference":.*' "$work/odd-lockstep/result.json")" '"first_difference":	null'
call build/examples/saxpy "$work/none.elf"
verdict 'saxpy without its program' "$code $(cat "$work/stderr")" "1 saxpy: invalid program: $work/none.elf: cannot open"
finish
