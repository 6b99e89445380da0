#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# experiments/microbench on small configurations: figures are what the rules say they must be, its page can be filled in, wrong options are refused.
. "$(dirname "$0")/common.sh"
microbench=$PWD/build/microbench program=$PWD/build/micro_kernels.elf
folder=$work/microbench
mkdir "$folder"

call "$microbench" --config demo+l1_kib-4+l2_kib-16+rsp_lat-30 "$program" "$folder"
verdict 'all parts' "$code $(cat "$work/stderr") $(ls "$folder" | wc -l)" '0  9'

# value TABLE NAME: its figure.
value() {
  awk -F ' *[|] *' -v name="$2" '$2 == name { print $4 }' "$folder/$1.md"
}
# whole NAME: a chase's latency in whole cycles: the way to its first load is in it, a few cycles of thousands.
whole() {
  value memory "$1" | awk '{ printf "%.0f", $1 }'
}
# R-WB-1, R-FP-1, R-EX-3, R-FP-6: a dependent instruction issues when the result is written; a division's waits in the scoreboard one more.
verdict 'latencies of operations' "$(for name in 'integer addition' 'integer multiplication' 'integer division' 'float addition' \
  'float multiply-add' 'float division' 'float square root' jump; do value latency "$name"; done | paste -sd ' ')" \
  '4.00 4.00 39.0 7.00 7.00 35.0 35.0 6.00'
verdict 'one operation per lane and cycle' "$(value throughput 'integer addition' | awk '{ print ($1 > 7.6 && $1 < 8.4) }')" 1
verdict 'floats wait for the write port only' "$(value throughput 'float multiply-add' | awk '{ print ($1 > 4.5 && $1 < 8.4) }')" 1
verdict 'R-LS-7: lanes on one bank take a pass each' "$(awk -F ' *[|] *' 'NR > 2 { print $2 ":" $4 }' "$folder/conflicts.md" | paste -sd ' ')" \
  '1:0 2:1 4:3 8:7'
verdict 'R-LS-8: an atomic of a bank takes two cycles for each lane' \
  "$(($(value atomics 'shared memory, a warp, one bank' | cut -d . -f 1) - $(value atomics 'shared memory, a warp, one word each' | cut -d . -f 1)))" 14
verdict 'shared memory, L1' "$(value memory 'shared memory') $(whole L1)" '9.00 10'
verdict 'shared memory and L1 give eight warps most of a line per cycle' "$(for name in 'shared memory' L1; do value bandwidth "$name"; done |
  awk '{ print ($1 > 20 && $1 <= 32) }' | paste -sd ' ')" '1 1'
verdict 'a chase steps up where a level ends: L1 of 4 KiB, L2 of 32' "$(awk -F ' *[|] *' '$2 == 2 || $2 == 8 || $2 == 128 { print $3 }' "$folder/chases.md" |
  paste -sd ' ')" "10.1 $(value memory L2) $(awk -F ' *[|] *' '$2 == 64 { print $3 }' "$folder/chases.md")"
# R-XB-5: a response that takes longer by 20 cycles.
mkdir "$work/again"
call "$microbench" --config demo+l1_kib-4+l2_kib-16+rsp_lat-50 --part memory "$program" "$work/again"
verdict 'rsp_lat is in the L2, not in the L1' "$(whole L1) $(value memory L2) $(folder=$work/again && whole L1) $(folder=$work/again &&
  value memory L2)" "10 $(value memory L2) 10 $(value memory L2 | awk '{ printf "%.1f", $1 + 20 }')"

call "$microbench" --config odd --part latency "$program" "$work/again"
verdict 'without floating point' "$code $(grep -c float "$work/again/latency.md") $(grep -c integer "$work/again/latency.md")" '0 0 3'
call python3 scripts/experiment.py experiments/microbench.md "$work" "$work/page.md"
verdict 'its page' "$code $(grep -c '^## ' "$work/page.md") $(grep -c '<!--' "$work/page.md")" '0 6 0'

# rejects WHAT CODE MESSAGE ARGUMENT...
rejects() {
  local what=$1 expected=$2 message=$3
  shift 3
  call "$microbench" "$@"
  verdict "$what" "$code $(head -n 1 "$work/stderr" | sed 's|^[^ ]*microbench: ||')" "$expected $message"
}
rejects 'no folder' 2 'which PROGRAM and FOLDER?' "$program"
rejects 'too many arguments' 2 "too many arguments: 'more'" "$program" "$work" more
rejects 'no such part' 1 'speed: no such part' --part speed "$program" "$work"
rejects 'a folder that is missing' 1 "$work/none/setting.md: No such file or directory" "$program" "$work/none"
call "$microbench" --config none "$program" "$work"
verdict 'a configuration that is missing' "$code $(grep -c 'microbench: .*none' "$work/stderr")" '1 1'
call "$microbench" "$work/none.elf" "$work"
verdict 'a program that is missing' "$code $(grep -c 'microbench: .*none.elf' "$work/stderr")" '1 1'
finish
