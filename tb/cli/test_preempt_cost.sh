#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# experiments/preempt_cost: its figures make sense, its page can be filled in, wrong outputs and wrong options are refused. On tiny, few points.
. "$(dirname "$0")/common.sh"
cost=$PWD/build/preempt_cost
kernels=$PWD/build/preempt_kernels.elf

# measured FOLDER OPTION...: runs it into the folder.
measured() {
  local folder=$work/$1
  shift
  mkdir -p "$folder"
  call "$cost" --config tiny --points 2 --rounds 20 "$@" "$kernels" "$folder"
}

measured preemption
verdict 'all kinds of preemption' "$code $(cat "$work/stderr") $(wc -l <"$work/preemption/points.csv")" "0  $((1 + 2 * 3 * 3 * 3 * 2))"
verdict 'all its outputs were right' "$(cat "$work/preemption/setting.md")" \
  'Configuration tiny, seed 1: 108 preemptions, 2 of each kind, each in a launch of its own whose outputs were all right.'
# Columns: 4 technique, 5 launch, 7 at, 8 free, 9 restored, 10 away.
verdict 'a request falls into the middle half of its launch' "$(awk -F , 'NR > 1 && ($7 < int($5 / 4) || $7 > $5 * 3 / 4)' "$work/preemption/points.csv")" ''
verdict 'a block is away for its save and its restore' \
  "$(awk -F , 'NR > 1 && ($4 == "drain" ? $9 + $10 != 0 : $9 == 0 || $10 < $8 + $9)' "$work/preemption/points.csv")" ''
# A block's shared memory is wiped before its SM is free: rows of 16 bytes.
verdict 'a switch moves at most one line in two cycles, a flush hardly any' \
  "$(awk -F , '$4 == "switch" && $8 < 2 * 33 * $2 || $4 == "flush" && $8 > 200 + $3 / 16' "$work/preemption/points.csv")" ''
# 2 warps with 1 KiB, lines of 16 bytes: 3 + 33 * 2 + 2 * 64 = 197; latency 20 + 2 * 1, 8 accesses in flight: 197 * 22 / 8 + 22 = 563.75.
verdict 'the formula' "$(sed -n 's/^| compute | 2 | 1 | \([0-9]*\) | \([0-9]*\) |.*/\1 \2/p' "$work/preemption/formula.md")" '197 564'
verdict 'bytes of an image, and of a flushed one' \
  "$(sed -n 's/^| compute | 2 | 1 | \([0-9]*\) |.*/\1/p' "$work"/preemption/{switch,flush}.md | paste -sd ' ')" "$((16 * (3 + 33 * 2 + 64))) 48"
verdict 'a mean, and the worst' "$(sed -n 's/^| memory | 4 | 0 | [0-9]* | \([0-9]* | [0-9]*\) |.*/\1/p' "$work/preemption/switch.md")" \
  "$(awk -F , '/^memory,4,0,switch/ { sum += $8; if ($8 > worst) worst = $8 } END { printf "%.0f | %d", sum / 2, worst }' "$work/preemption/points.csv")"

measured again
verdict 'the same seed gives the same figures' "$code $(diff -r "$work/preemption" "$work/again")" '0 '
measured other --seed 2
verdict 'another seed gives others' "$code $(cmp -s "$work/preemption/points.csv" "$work/other/points.csv" || echo differs)" '0 differs'

call python3 scripts/experiment.py experiments/preemption.md "$work" "$work/page.md"
verdict 'its page' "$code $(grep -c -- '^| --- |' "$work/page.md") $(grep -c '^| memory | 4 |' "$work/page.md") $(grep -c '<!--' "$work/page.md")" '0 5 12 0'

sw/bin/qsm-cc -DFACTOR=3 experiments/preempt_kernels.c -o "$work/wrong.elf" || exit 2
kernels=$work/wrong.elf measured wrong
verdict 'wrong outputs are seen' "$code $(cat "$work/stderr")" '1 preempt_cost: compute, blocks of 1 warps: 64 of 64 outputs are wrong'

# rejects WHAT CODE MESSAGE ARGUMENT...
rejects() {
  local what=$1 expected=$2 message=$3
  shift 3
  call "$cost" "$@"
  verdict "$what" "$code $(head -n 1 "$work/stderr" | sed 's|^[^ ]*preempt_cost: ||')" "$expected $message"
}
rejects 'no points' 2 '--points 0: must be a number from 1 to 1000' --points 0 "$kernels" "$work"
rejects 'no number' 2 '--rounds 1x: must be a number from 1 to 100000' --rounds 1x "$kernels" "$work"
rejects 'no folder' 2 'which PROGRAM.elf and FOLDER?' "$kernels"
rejects 'too many arguments' 2 "too many arguments: 'more'" "$kernels" "$work" more
rejects 'an unknown option' 2 "unrecognized option '--technique'" --technique 1 "$kernels" "$work"
rejects 'a folder that is missing' 1 "$work/none/points.csv: No such file or directory" "$kernels" "$work/none"
rejects 'a program that is missing' 1 "invalid program: $work/none.elf: cannot open" "$work/none.elf" "$work"
call "$cost" --config none "$kernels" "$work"
verdict 'a configuration that is missing' "$code $(grep -c 'preempt_cost: .*none' "$work/stderr")" '1 1'
finish
