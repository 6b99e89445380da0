#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# qsm run --konata, --timeline: every backend draws the same; limits; files that cannot be written.
. "$(dirname "$0")/common.sh"

# trace NAME OPTION...: examples/tiny.yaml with both traces as NAME.log and NAME.json.
trace() {
  local name=$work/$1
  shift
  call "$qsm" run --quiet --out "$work/out" --cycles 20000 --konata "$name.log" --timeline "$name.json" "$@" examples/tiny.yaml
}

# What of a timeline can be read, without the samples that only the model has.
drawn() { python3 -c '
import json, sys
for event in json.load(open(sys.argv[1]))["traceEvents"]:
    if not event["name"].startswith(("warps: ", "power of ")):
        print(event)' "$1"; }
count() { grep -c "$1" "$2"; }

trace model
verdict 'a run with traces' "$code $(cat "$work/stdout" "$work/stderr")" '0 '
verdict 'a pipeline' "$(head -n 1 "$work/model.log") $(count ^I "$work/model.log")" "Kanata	0004 $(count ^R "$work/model.log")"
verdict 'kernel, blocks and epochs' "$(drawn "$work/model.json" | grep -oE "'(slot 0: conv2d|TB slot 0|conv2d block 0|epoch 1)'" | sort -u | paste -sd ,)" \
  "'TB slot 0','conv2d block 0','epoch 1','slot 0: conv2d'"
for backend in rtl lockstep; do
  trace $backend --backend $backend
  verdict "the same pipeline on $backend" "$code $(cmp "$work/model.log" "$work/$backend.log" 2>&1)" '0 '
  verdict "the same timeline on $backend" "$(diff <(drawn "$work/model.json") <(drawn "$work/$backend.json") | head -n 3)" ''
done
verdict 'the stall mix in lockstep' "$(cmp "$work/model.json" "$work/lockstep.json" 2>&1)" ''
trace part --from 10300 --to 10400
verdict 'a part' "$code $(sed -n '2s/[0-9][0-9]$/NN/p' "$work/part.log") $(count ^I "$work/part.log")" "0 C=	103NN $(count ^R "$work/part.log")"
[ "$(count ^I "$work/part.log")" -gt 20 ] && rows=some
verdict 'with rows' "${rows:-none}" some
verdict 'every row of it is one of the whole' "$(grep -oE '[0-9.]+ 8[0-9a-f]{7}: ' "$work/part.log" | sort | uniq -c |
  awk 'NR == FNR { whole[$2 $3] = $1; next } $1 > whole[$2 $3]' <(grep -oE '[0-9.]+ 8[0-9a-f]{7}: ' "$work/model.log" | sort | uniq -c) -)" ''
trace none --from 90000
verdict 'nothing to show' "$code $(sed -n 1p "$work/none.log") $(count ^I "$work/none.log") $(drawn "$work/none.json" | grep -vc "'ph': 'M'")" '0 Kanata	0004 0 0'

# Mistakes
refuses 'pipeline into no folder' 3 "cannot write $work/no/k.log: No such file or directory" "$qsm" run --quiet --out "$work/out" --konata "$work/no/k.log" examples/tiny.yaml
refuses 'timeline into a folder' 3 "cannot write $work: Is a directory" "$qsm" run --quiet --out "$work/out" --timeline "$work" examples/tiny.yaml
rm -f "$work/out/result.json"
refuses 'a pipeline that fills the disk' 3 'cannot write /dev/full: No space left on device' \
  "$qsm" run --quiet --out "$work/out" --cycles 20000 --konata /dev/full examples/tiny.yaml
verdict 'results all the same' "$(ls "$work/out" | paste -sd ' ')" 'plot.svg result.json'
refuses 'a timeline that fills the disk' 3 'cannot write /dev/full: No space left on device' \
  "$qsm" run --quiet --out "$work/out" --cycles 20000 --timeline /dev/full examples/tiny.yaml
call "$qsm" run --from 5 examples/tiny.yaml
verdict 'limits of nothing' "$code $(head -n 1 "$work/stderr")" '2 qsm run: --from and --to need --konata or --timeline'
call "$qsm" run --konata "$work/k.log" --from 5 --to 4 examples/tiny.yaml
verdict 'limits the wrong way round' "$code $(head -n 1 "$work/stderr")" '2 qsm run: --from is behind --to'
call "$qsm" run --konata "$work/k.log" --to end examples/tiny.yaml
verdict 'a limit that is no number' "$code $(head -n 1 "$work/stderr")" '2 qsm run: --to end: must be a number from 0 on'
finish
