#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The hostile set, its sweeps and page, and the search for hostile programs: what they write can be run, the ruler tells goals held from goals missed, the search
# finds what is known and its finds are the same when they are run again; mistakes are refused.
. "$(dirname "$0")/sweep.sh"
search=$PWD/build/hostile_search program=$PWD/build/hostile_kernels.elf guarantee=experiments/guarantee.py
mkdir "$work/sweeps" "$work/found" "$work/again"
cp build/attack_kernels.elf build/hostile_kernels.elf "$work"

# ---- The set and its sweeps ----

call python3 $guarantee "$work/sweeps"
names=$(grep -c '^\[\[neighbour' experiments/hostile.toml)
verdict 'the whole set' "$code $(cut -d ' ' -f 1,2 "$work/stdout") $((names >= 40)) $(($(wc -l <"$work/sweeps/guarantee/neighbours.md") - 2))" "0 $names neighbours 1 $names"
# In full, of each kind of tenant one: the whole of it takes seconds to list.
for size in '' '--full --neighbours divide,spin_sm,die_at_once_sm,divide_comes_late,read_first,divide_and_read,bank_reads,divide_late'; do
  call python3 $guarantee $size "$work/sweeps"
  for sweep in guarantee guarantee_offline; do
    call "$qsm" sweep --dry-run "$work/sweeps/$sweep.yaml"
    verdict "$sweep ${size%% *} can be run" "$code $(($(tail -n 1 "$work/stdout" | cut -d ' ' -f 1) > 100))" '0 1'
  done
done

# runs_of SIZE EXPECTED: runs of the papers' cases.
runs_of() {
  call python3 $guarantee $1 --neighbours divide "$work/sweeps"
  local paper runs=
  for paper in fgq trios smqos qaws goals; do runs+="$paper $("$qsm" sweep --dry-run "$work/sweeps/guarantee_$paper.yaml" | tail -n 1 | cut -d ' ' -f 1) "; done
  verdict "the papers' cases ${1#--}" "$code $runs" "0 $2 "
}
runs_of '' 'fgq 72 trios 16 smqos 48 qaws 198 goals 585'
runs_of --full 'fgq 630 trios 132 smqos 144 qaws 198 goals 720'

call python3 $guarantee "$work/sweeps"
verdict 'cases of the offline best are cases of the schemes' "$code $(sed -n '/^cases:/,$p' "$work/sweeps/guarantee_offline.yaml" | grep -vxFf "$work/sweeps/guarantee.yaml")" '0 '

# divide under rollover misses, die_at_once does not; rollover_time holds both. Their kernels on demo alone; half as long.
call python3 $guarantee --victims matmul --neighbours divide,die_at_once "$work/sweeps"
sed -i '/label: "rollover, /d; /label: "pace, /d; /label: none/d' "$work/sweeps/guarantee.yaml"
sed -i '/thread_limit/d' "$work/sweeps/guarantee_offline.yaml"
for sweep in guarantee guarantee_offline; do
  sed -i 's/^cycles: .*/cycles: 120000/; s/config: \[demo, [^]]*\]/config: demo/' "$work/sweeps/$sweep.yaml"
  "$qsm" sweep --quiet --db "$work/sweeps/$sweep.db" "$work/sweeps/$sweep.yaml" || echo "# $sweep: $?"
done
# The papers' cases: one of each in small, under some of the schemes.
for paper in fgq trios smqos qaws goals; do
  awk '/^  - kernels:/ && n++ { next } /label:/ && !/label: (rollover|pace|GTO|QAWS|"pace over QAWS, budget 8"|"silent, adjust"|"50 and 50"),/ { next } 1' "$work/sweeps/guarantee_$paper.yaml" |
    sed 's/^cycles: .*/cycles: 40000/; s/^size: .*/size: S/; s/60%, 70%, 80%, 90%, 100%/60%/; s/2, 4, 8/8/' >"$work/small.yaml"
  "$qsm" sweep --quiet --db "$work/sweeps/guarantee_$paper.db" "$work/small.yaml" || echo "# $paper: $?"
done
fifth=rdna2+num_sms-8+num_sas-2+num_channels-4
"$qsm" profile --quiet --size T --counts 1,8 --config $fifth --out "$work/profiles.db" fsm mobilenet hausdorff &&
  "$PWD/build/fedcm" --part aim --size T --requests 2 build/sw "$work/profiles.db" "$work/sweeps/guarantee_fedcm.db" 2>"$work/fedcm" || cat "$work/fedcm"
echo '| program |' >"$work/sweeps/guarantee/found.md"
call env QSM="$qsm" python3 scripts/experiment.py experiments/guarantee.md "$work/sweeps" "$work/page.md"
# cells SCHEME: cases, that can be held, met, held.
cells() { awk -F ' *[|] *' -v scheme="$1" -v of="${2:-hostile set}" '/^## Schemes/ { inside = 1 } inside && $2 == of && $3 == scheme { print $4, $5, $7; exit }' "$work/page.md"; }
verdict 'the ruler' "$code $(cells rollover), $(cells rollover_time), $(cells pace)" '0 2 2 1, 2 2 2, 2 2 2'
verdict 'of each paper a case' "$(for of in 'FGQ, pairs' 'FGQ, trios' 'SMQoS, mixes'; do cells pace "$of" | cut -d ' ' -f 1; cells rollover "$of" | cut -d ' ' -f 1; done | paste -sd ' ')" '1 1 1 1 1 1'
verdict 'all schemes beside each other' "$(grep -A 1 '^| scheme | hostile set' "$work/page.md" | head -n 1)" '| scheme | hostile set | FGQ, pairs | FGQ, trios | SMQoS, mixes |'
# in_section HEADING: rows of its first table.
in_section() { awk -v heading="## $1" '$0 == heading { inside = 1; next } /^## / { inside = 0 } inside && /^\|/ { print }' "$work/page.md"; }
verdict 'requests against those alone' "$(in_section "FedCM's requests" | awk -F ' *[|] *' 'NR > 2 { print $2, $5 }' | grep -c '^serial 1.00$') $(in_section "FedCM's requests" | tail -n +3 | wc -l)" '2 16'
verdict 'QAWS against GTO' "$(in_section "QAWS's pairs" | awk -F ' *[|] *' '$2 == "GTO" { print $3, $4, $5 } /^. QAWS, budget 8/ { print ($4 < 0) } /^. pace, goal 60%/ { print $3 }' | paste -sd ' ')" '1 +0.0 +0.0 1 1'
verdict 'neighbour by neighbour' "$(awk -F ' *[|] *' '/^## Neighbour by/ { inside = 1 } inside && $2 == "divide" { print ($3 < 90), ($4 >= 99), ($5 >= 99), ($6 > 100); exit }' "$work/page.md")" '1 1 1 1'
verdict 'offline best' "$(sed -n '/^## The offline best/,/^## Neigh/p' "$work/page.md" | grep -c '^| matmul + divide, 50%')" 1
verdict 'outputs are right' "$(grep -A 4 'all checked:' "$work/page.md" | tail -n 1 | awk -F ' *[|] *' '{ print ($2 > 5), $3 }')" '1 0'
# A victim that comes late is measured from its coming on, a late neighbour within what is measured.
call python3 $guarantee --victims vadd --neighbours read_first,divide_comes_late "$work/sweeps"
verdict 'who comes when' "$(grep -o 'arrival: [0-9]*' "$work/sweeps/guarantee.yaml" | paste -sd ' ')" 'arrival: 30000 arrival: 0 arrival: 0 arrival: 100000'

# ---- Mistakes in the set ----

# wrong WHAT MESSAGE LINE...: a set with these lines of its only neighbour is refused.
wrong() {
  local what=$1 message=$2
  shift 2
  printf '%s\n' '[[neighbour]]' "$@" >"$work/set.toml"
  call python3 $guarantee --set "$work/set.toml" "$work/sweeps"
  verdict "$what" "$code $(cat "$work/stderr")" "1 guarantee: $work/set.toml: $message"
}
full=('name = "n"' 'holds = "h"' 'unit = "u"')
wrong 'no kernel' 'neighbour 1 (n): no kernel' "${full[@]}"
wrong 'a kernel that is not there' 'neighbour 1 (n): no kernel none in attack_kernels.c' "${full[@]}" 'kernel = "none"'
wrong 'a file that is not there' 'neighbour 1 (n): no kernel spin in other_kernels.c' "${full[@]}" 'kernel = "spin"' 'file = "other"'
wrong 'an unknown key' 'neighbour 1 (n): unknown key colour' "${full[@]}" 'kernel = "spin"' 'colour = "red"'
wrong 'a value of the wrong kind' "neighbour 1 (n): blocks: 'many' is of the wrong kind" "${full[@]}" 'kernel = "spin"' 'blocks = "many"'
wrong 'a block of another shape' 'neighbour 1 (n): block: half: must be warp or sm' "${full[@]}" 'kernel = "spin"' 'block = "half"'
wrong 'shared memory of no size' 'neighbour 1 (n): shared: much: must be all or a number of bytes' "${full[@]}" 'kernel = "spin"' 'shared = "much"'
wrong 'an argument that is not known' 'neighbour 1 (n): how: slow: must be epoch or a number' "${full[@]}" 'kernel = "spin"' 'how = "slow"'
wrong 'a companion that is not there' 'neighbour 1 (n): also: no neighbour m' "${full[@]}" 'kernel = "spin"' 'also = "m"'
wrong 'early and late' 'neighbour 1 (n): arrival and late: one of them' "${full[@]}" 'kernel = "spin"' 'arrival = 1' 'late = 2'
wrong 'a name twice' 'neighbour 1 (n): the name is there twice' "${full[@]}" 'kernel = "spin"' '[[neighbour]]' "${full[@]}" 'kernel = "spin"'
echo >"$work/set.toml"
call python3 $guarantee --set "$work/set.toml" "$work/sweeps"
verdict 'an empty set' "$code $(cat "$work/stderr")" "1 guarantee: $work/set.toml: no neighbours"
call python3 $guarantee --neighbours divide,none "$work/sweeps"
verdict 'no such neighbour' "$code $(sed 's/;.*//' "$work/stderr")" '1 guarantee: --neighbours divide,none: no none'
call python3 $guarantee --victims raytrace "$work/sweeps"
verdict 'no such victim' "$code $(cat "$work/stderr")" '1 guarantee: --victims raytrace: no raytrace; there are matmul, lud, pathfinder, bfs, vadd, gaussian'
call python3 $guarantee "$work/set.toml"
verdict 'no such folder' "$code $(cat "$work/stderr")" "1 guarantee: $work/set.toml/guarantee: Not a directory"

# ---- The search ----

call "$search" -n 150 -v lud -k 2 "$program" "$work/found"
tail -n 1 "$work/stdout" | sed 's/^/# /'
verdict 'a search against rollover finds what holds the divider' "$code $(grep -lE '^piece (divide|root|float_divide) ' "$work/found/"lud_00.txt | wc -l)" '0 1'
"$search" -n 150 -v lud -k 2 "$program" "$work/again" >"$work/second"
verdict 'the same seed finds the same' "$(diff "$work/found" "$work/again" && diff <(grep climb "$work/stdout") <(grep climb "$work/second") && echo same)" same
"$search" -n 150 -v lud -k 2 -r 2 "$program" "$work/again" >"$work/second"
verdict 'another seed finds others' "$(diff -q "$work/found/lud_00.txt" "$work/again/lud_00.txt" >/dev/null || echo others)" others

first=$(sed -n '1s/.* at \([0-9.]*\) %.*/\1/p' "$work/found/lud_00.txt")
call "$search" --replay -s rollover -s rollover_time "$program" "$work/found/lud_00.txt"
verdict 'a replay measures what the search did, and each scheme' "$code $(tail -n 1 "$work/stdout" | awk -F ' *[|] *' -v first="$first" '{ print ($5 == first), ($5 < 99), ($6 >= 99) }')" '0 1 1 1'
call "$search" --replay --at-least 99 -s rollover "$program" "$work/found/lud_00.txt"
verdict 'one that is below what is asked' "$code $(cat "$work/stderr")" '1 hostile_search: 1 of the results are below what is asked of them'
call "$search" --replay --at-least 99 -s rollover_time "$program" "$work/found/lud_00.txt"
verdict 'one that is not' "$code $(cat "$work/stderr")" '0 '
sed "/^goal/a least ${first%.*}" "$work/found/lud_00.txt" >"$work/known.txt"
call "$search" --replay --at-least 99 -s rollover "$program" "$work/known.txt"
verdict 'one that says what is known of it' "$code $(cat "$work/stderr")" '0 '
sed "/^goal/a least $((${first%.*} + 1))" "$work/found/lud_00.txt" >"$work/known.txt"
call "$search" --replay --at-least 99 -s rollover "$program" "$work/known.txt"
verdict 'and is worse' "$code $(cat "$work/stderr")" '1 hostile_search: 1 of the results are below what is asked of them'
call "$search" --replay --silent -e 4 -s none "$program" "$work/found/lud_00.txt"
verdict 'beside a neighbour that is silent' "$code $(tail -n 1 "$work/stdout" | awk -F ' *[|] *' '{ print ($5 < 99), ($6 >= 99) }')" '0 1 1'
call "$search" --replay -s 'rollover; quota_rules: [carried, pooled]; adjust: switch' "$program" experiments/hostile/*.txt
verdict 'all that are kept run' "$code $(grep -c '^| [a-z_]*[0-9]*.txt' "$work/stdout")" "0 $(ls experiments/hostile/*.txt | wc -l)"

# rejects WHAT CODE MESSAGE ARGUMENT...
rejects() {
  local what=$1 expected=$2 message=$3
  shift 3
  call "$search" "$@"
  verdict "$what" "$code $(head -n 1 "$work/stderr" | sed 's|^[^ ]*hostile_search: ||')" "$expected $message"
}
rejects 'no folder' 2 'which CANDIDATE.elf and FOLDER?' "$program"
rejects 'no files' 2 'which CANDIDATE.elf and FILEs?' --replay "$program"
rejects 'two folders' 2 "too many arguments: 'more'" "$program" "$work" more
rejects 'no number' 2 '--candidates many: must be a number from 1 to 10000000' -n many "$program" "$work"
rejects 'a goal of more than all' 2 '--goal 101: must be a number from 1 to 100' -g 101 "$program" "$work"
rejects 'an unknown victim' 2 '--victim raytrace: the suite has no such program' -v raytrace "$program" "$work"
rejects 'two schemes of a search' 2 'a search is against one scheme' -s none -s rollover "$program" "$work"
rejects 'a search that shall hold' 2 '--at-least is for --replay' --at-least 99 "$program" "$work"
rejects 'a search beside silence' 2 '--silent is for --replay' --silent "$program" "$work"
rejects 'an unknown scheme' 1 "--scheme 'fairness':4: scheme: 'fairness': must be one of $(names scheme), rollover_paper" -s fairness "$program" "$work"
rejects 'an unknown key' 1 "--scheme 'rollover; colour: red':5: Unexpected key: colour" -s 'rollover; colour: red' "$program" "$work"
rejects 'an unknown configuration' 1 "$PWD/configs/vast.yaml: cannot open: No such file or directory" -c vast "$program" "$work"
rejects 'a program that is not there' 1 "$work/none.elf: No such file or directory" "$work/none.elf" "$work"
rejects 'a program without a place' 1 "$PWD/build/attack_kernels.elf: no kernel with a place for programs in it" "$PWD/build/attack_kernels.elf" "$work"
rejects 'a folder that is not there' 1 "$work/none/vadd_00.txt: No such file or directory" -n 1 -v vadd "$program" "$work/none"
rejects 'a file that is not there' 1 "$work/none.txt: No such file or directory" --replay "$program" "$work/none.txt"
sed 's/^piece.*/piece jump 1 all stay 0/' "$work/found/lud_00.txt" >"$work/bad.txt"
rejects 'a piece that is none' 1 "$work/bad.txt:$(grep -n piece "$work/bad.txt" | head -n 1 | cut -d : -f 1): not understood: 'piece jump 1 all stay 0'" --replay "$program" "$work/bad.txt"
grep -v victim "$work/found/lud_00.txt" >"$work/bad.txt"
rejects 'no victim' 1 "$work/bad.txt:$(wc -l <"$work/bad.txt"): no line 'victim'" --replay "$program" "$work/bad.txt"
finish
