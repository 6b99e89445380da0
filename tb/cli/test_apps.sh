#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# qsm app: an application alone, and all of them, with their tables (docs/applications.md).
. "$(dirname "$0")/common.sh"

call "$qsm" app fsm --config tiny --size T --seed 7
verdict 'R-AP-11: it runs and its outputs are right' "$code $(grep -c '^fsm, size T, on tiny: 6 launches, 6 distinct kernels, [0-9]* cycles; outputs right$' "$work/stdout")" '0 1'
verdict 'R-AP-11: a line for each distinct kernel' "$(grep -cE '^ *[0-9]+ fsm_' "$work/stdout")" 6
# Launches, cycles and shares of the lines are those of the whole.
verdict 'R-AP-11: cycles of the kernels add up' \
  "$(awk 'NR == 1 { all = $11 } NR > 2 { n += $4; sum += $5; share += $6 } END { print n, sum == all, (share > 99.5 && share < 100.5) }' "$work/stdout")" '6 1 1'
cp "$work/stdout" "$work/first"
call "$qsm" app fsm --config tiny --size T --seed 7
verdict 'R-AP-11: it repeats exactly' "$code $(diff "$work/first" "$work/stdout")" '0 '
call "$qsm" app --all --config tiny --size T
verdict 'R-AP-11: all of them, a line each' "$code $(sed -n 's/^| \([a-z]*\) | [0-9]* .*/\1/p' "$work/stdout" | tr '\n' ' ')" "0 $("$qsm" apps | cut -d ' ' -f 1 | tr '\n' ' ')"
call "$qsm" app --all --config odd --size T
verdict 'R-AP-11: one that fails ends the command with its code, the others run' "$code $(grep -c '^| [a-z]* | [0-9]' "$work/stdout") $(grep -c 'has no FPU$' "$work/stderr")" '2 2 15'

finish
