#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# experiments/loga: one program and short runs, its figures make sense, its page can be filled in, wrong options are refused.
. "$(dirname "$0")/common.sh"
loga=$PWD/build/loga
folder=$work/loga
mkdir "$folder"

call "$loga" --microsecond 10 --periods 1 --pairs 2 --only dwt2d build/sw "$folder"
verdict 'all parts' "$code $(cat "$work/stderr") $(ls "$folder" | wc -l)" '0  9'
verdict 'scale and seed' "$(cat "$folder/setting.md")" \
  'Configuration demo+cmd_channels-32, 10 cycles for a microsecond of the paper, seed 1, programs alone for at least 1 pairs of phases, runs of fairness 2.'

# column TABLE NUMBER: of all lines but the first two.
column() {
  awk -F ' *[|] *' -v number="$(($2 + 1))" 'NR > 2 { print $number }' "$folder/$1.md"
}
# within LEAST MOST: what of standard input is not.
within() {
  awk -v least="$1" -v most="$2" '$1 + 0 != $1 || $1 < least || $1 > most'
}
verdict 'ten lengths' "$(column lengths 1 | paste -sd ' ')" '100 200 300 400 500 600 700 800 900 1000'
verdict 'throttles run for as long as they are set to' "$(awk -F ' *[|] *' 'NR > 2 && ($3 < $2 - 1 || $3 > $2 + 1)' "$folder/lengths.md")" ''
# A launch takes 350 cycles here, a third of the shortest kernel.
verdict 'LoGA sees long kernels as they are' "$(column lengths 4 | tail -n 5 | within -6 6)" ''
verdict 'counters are exact' "$(column lengths 6 | within 0 0)" ''
verdict 'loads are near what was intended' "$(column loads 5 | within -6 6)" ''
verdict 'LoGA costs little, NEON much' "$(column overhead_10 5 | within -2 4)$(column overhead_10 6 | within 5 40)" ''
verdict 'the optimum is no less than alone' "$(column scheduling 2 | within 1 50)" ''
verdict 'eleven variants, four mixes, two modes' "$(column fairness 1 | sort | uniq -c | sed 's/^ *//' | paste -sd ' ')" '44 concurrent 44 exclusive'
verdict 'indices of fairness are from a quarter to one' "$(for i in 4 5 6; do column fairness $i | within 0.25 1; done)" ''
verdict 'no policy, no accesses; LoGA spins a sixth of the time' "$(column costs 3 | head -n 1) $(column costs 4 | sed -n 2p | within 16 17.5)" '0 '

mkdir "$work/again"
call "$loga" --microsecond 10 --periods 1 --only dwt2d --part overhead_10 build/sw "$work/again"
verdict 'the same seed gives the same figures' "$code $(cmp "$folder/overhead_10.md" "$work/again/overhead_10.md")" '0 '
call python3 scripts/experiment.py experiments/loga.md "$work" "$work/page.md"
verdict 'its page' "$code $(grep -c '^| --*:* |' "$work/page.md") $(grep -c '<!--' "$work/page.md")" '0 11 0'

# rejects WHAT CODE MESSAGE ARGUMENT...
rejects() {
  local what=$1 expected=$2 message=$3
  shift 3
  call "$loga" "$@"
  verdict "$what" "$code $(head -n 1 "$work/stderr" | sed 's|^[^ ]*loga: ||')" "$expected $message"
}
rejects 'no scale' 2 '--microsecond 9: must be a number from 10 to 1000' --microsecond 9 build/sw "$work"
rejects 'no pairs' 2 '--pairs 0: must be a number from 1 to 1000' --pairs 0 build/sw "$work"
rejects 'no folder' 2 'which PROGRAMS and FOLDER?' build/sw
rejects 'too many arguments' 2 "too many arguments: 'more'" build/sw "$work" more
rejects 'no such part' 1 'figure_7: no such part' --part figure_7 build/sw "$work"
rejects 'a folder that is missing' 1 "$work/none/setting.md: No such file or directory" --part lengths build/sw "$work/none"
rejects 'too few channels' 1 'none: 11 tenants, configuration tiny has 4 command channels' --config tiny --part overhead_10 build/sw "$work"
call "$loga" --config none build/sw "$work"
verdict 'a configuration that is missing' "$code $(grep -c 'loga: .*none' "$work/stderr")" '1 1'
finish
