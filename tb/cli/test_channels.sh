#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# experiments/channels: short runs, its figures make sense, its page can be filled in, wrong options are refused.
. "$(dirname "$0")/common.sh"
channels=$PWD/build/channels
folder=$work/channels
mkdir "$folder"

call "$channels" --config demo+cmd_channels-64 --cycles 400000 --only nops,endless,hammer,descriptor build/sw "$folder"
verdict 'all parts' "$code $(cat "$work/stderr") $(ls "$folder" | wc -l)" '0  4'
verdict 'configuration and seed' "$(cat "$folder/setting.md")" \
  'Configurations demo+cmd_channels-64; hostile tenants on the first, beside bfs, 400000 cycles; seed 1.'

# rows TABLE CONDITION EXPRESSION: of all lines but the first two, for awk; a cell is $ of its number and one.
rows() {
  awk -F ' *[|] *' "NR > 2 && ($2) { print ($3) }" "$folder/$1.md"
}
verdict 'ten commands, four of them numbers of channels' "$(rows rates '$4 == "exclusive"' '$3' | sort | uniq -c | awk '{ print $1 }' | sort -u)" '4'
verdict 'rates are those of the cycles' "$(rows rates '$7 * $8 < 980 || $7 * $8 > 1020' '$0')" ''
verdict 'nothing is done the fastest, a launch the slowest' \
  "$(rows rates '$5 == 1 && $4 == "exclusive"' '$7 " " $3' | sort -n | sed -n '1p;$p' | cut -d ' ' -f 2 | paste -sd ' ')" 'launch nop'
verdict 'a warm launch is faster than the first' \
  "$(rows latencies '$3 ~ "idle"' '$10' | paste -sd ' ' | awk '{ print NF, ($1 > $2 + 100) }')" '2 1'
verdict 'no more turns than there are others' "$(rows latencies '$13 > $5' '$0')" ''
verdict 'behind 63 channels nearly all have their turns' "$(rows latencies '$5 == 63 && $13 < 50' '$0')$(rows latencies '$5 == 63' 1 | wc -l)" '5'
verdict 'four attacks, two modes, three policies' "$(rows hostile 1 '$2' | sort | uniq -c | sed 's/^ *//' | paste -sd ' ')" '6 descriptor 6 endless 6 hammer 6 nops'
verdict 'how their channels are stopped' "$(rows hostile 1 '$2, $6' | sort -u | paste -sd ' ')" 'descriptor bad_address endless timeout hammer – nops –'
verdict 'killed at its limit' "$(rows hostile '$2 == "endless" && ($8 < 20000 || $8 > 21000)' '$0')" ''
verdict 'the policy gives an honest tenant its share back' \
  "$(rows hostile '$2 == "endless" && $4 == "exclusive"' '$15 > 2 ? "slow" : "fine"' | paste -sd ' ')" 'slow fine fine'

mkdir "$work/again"
call "$channels" --config demo+cmd_channels-64 --cycles 400000 --only endless --part hostile build/sw "$work/again"
verdict 'the same seed gives the same figures' "$code $(grep -v ' endless ' "$folder/hostile.md" | wc -l) $(grep ' endless ' "$folder/hostile.md" | cmp - <(grep ' endless ' "$work/again/hostile.md"))" '0 20 '
call python3 scripts/experiment.py experiments/channels.md "$work" "$work/page.md"
verdict 'its page' "$code $(grep -c '^## ' "$work/page.md") $(grep -c '<!--' "$work/page.md")" '0 4 0'

# rejects WHAT CODE MESSAGE ARGUMENT...
rejects() {
  local what=$1 expected=$2 message=$3
  shift 3
  call "$channels" "$@"
  verdict "$what" "$code $(head -n 1 "$work/stderr" | sed 's|^[^ ]*channels: ||')" "$expected $message"
}
rejects 'too few cycles' 2 '--cycles 9: must be a number from 10000 to 1099511627776' --cycles 9 build/sw "$work"
rejects 'no folder' 2 'which PROGRAMS and FOLDER?' build/sw
rejects 'too many arguments' 2 "too many arguments: 'more'" build/sw "$work" more
rejects 'no such part' 1 'speed: no such part' --part speed build/sw "$work"
rejects 'no such attack' 1 'bomb: no such attack' --part hostile --only nops,bomb build/sw "$work"
rejects 'no such program' 1 'alone: the suite has no program none' --part hostile --program none build/sw "$work"
rejects 'no channels' 1 'demo+cmd_channels-0: needs two command channels' --config demo+cmd_channels-0 build/sw "$work"
rejects 'a folder that is missing' 1 "$work/none/setting.md: No such file or directory" build/sw "$work/none"
call "$channels" --config none build/sw "$work"
verdict 'a configuration that is missing' "$code $(grep -c 'channels: .*none' "$work/stderr")" '1 1'
finish
