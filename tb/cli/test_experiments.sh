#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# experiments/: the sweeps are what they say, and their pages can be filled in, tried on three programs and short runs.
. "$(dirname "$0")/sweep.sh"
export QSM=$qsm  # the scripts take build/fast/qsm, for long runs

# stands_for SWEEP EXPECTED: what the file stands for.
stands_for() {
  call "$qsm" sweep --dry-run "experiments/$1.yaml"
  verdict "$1" "$code $(tail -n 1 "$work/stdout")" "0 $2"
}
n_schemes=$(grep -c '{label: .*scheme:' experiments/qos_pairs.yaml)
stands_for qos_pairs "$((900 * n_schemes)) runs, and 10 of a kernel alone"
stands_for qos_fixed '1800 runs, and 10 of a kernel alone'
stands_for qos_few_warps '1800 runs, and 10 of a kernel alone'
stands_for qaws_same '120 runs, and 60 of a kernel alone'
stands_for qaws_distinct '1080 runs, and 60 of a kernel alone'

stands_for qaws_few_warps '50 runs, and 20 of a kernel alone'
stands_for fgq_pairs '8100 runs, and 10 of a kernel alone'
stands_for fgq_short '225 runs, and 10 of a kernel alone'
stands_for fgq_schemes '45 runs, and 10 of a kernel alone'
stands_for fgq_long '60 runs, and 10 of a kernel alone'
stands_for fgq_trios '3600 runs, and 10 of a kernel alone'
stands_for fgq_trios_short '240 runs, and 20 of a kernel alone'
stands_for fgq_56 '2700 runs, and 10 of a kernel alone'
stands_for fgq_seeds '180 runs, and 30 of a kernel alone'
stands_for fgq_56_short '240 runs, and 20 of a kernel alone'
stands_for fgq_causes '240 runs, and 30 of a kernel alone'
stands_for fgq_causes_spart '160 runs, and 40 of a kernel alone'
stands_for fgq_900 '900 runs, and 10 of a kernel alone'
stands_for fgq_switches '460 runs, and 10 of a kernel alone'
stands_for fgq_switches_pairs '360 runs, and 10 of a kernel alone'
stands_for smqos_pairs '660 runs, and 12 of a kernel alone'
stands_for smqos_goals '1584 runs, and 12 of a kernel alone'
stands_for smqos_goals_part '144 runs, and 12 of a kernel alone'
stands_for smqos_alone '288 runs, and 288 of a kernel alone'
stands_for smqos_named '4 runs, and 4 of a kernel alone'
stands_for smqos_threshold '55 runs, and 12 of a kernel alone'
stands_for smqos_trios '120 runs, and 6 of a kernel alone'
stands_for smqos_both '132 runs, and 12 of a kernel alone'
stands_for smqos_why '120 runs, and 36 of a kernel alone'
for sweep in smqos_80:256 smqos_80_mig:96 smqos_80_alone:24; do
  call "$qsm" sweep --dry-run "experiments/${sweep%:*}.yaml"
  verdict "${sweep%:*}" "$code $(tail -n 1 "$work/stdout" | cut -d ' ' -f 1)" "0 ${sweep#*:}"
done
stands_for qaws_threads_same '90 runs, and 54 of a kernel alone'
stands_for qaws_threads_later '90 runs, and 54 of a kernel alone'
stands_for qaws_threads_distinct '50 runs, and 42 of a kernel alone'
stands_for qaws_threads_part_same '90 runs, and 54 of a kernel alone'
stands_for qaws_threads_part_distinct '50 runs, and 42 of a kernel alone'
stands_for qaws_threads_part_later '90 runs, and 54 of a kernel alone'
stands_for qaws_fifth_same '54 runs, and 27 of a kernel alone'
stands_for qaws_fifth_distinct '30 runs, and 21 of a kernel alone'
stands_for smqos_80_why '44 runs, and 24 of a kernel alone'
stands_for smqos_workers '60 runs, and 12 of a kernel alone'

for sweep in qos_pairs qos_fixed qos_few_warps qaws_same qaws_distinct qaws_few_warps; do
  sed 's/\[vadd, .*stencil\]/[vadd, spmv, reduce]/; s/\[50%, .*95%\]/[50%, 90%]/; s/^cycles: 300000 /cycles: 20000 /; s/^size: M/size: S/' \
    "experiments/$sweep.yaml" >"$work/$sweep.yaml"
  call "$qsm" sweep --quiet --db "$work/$sweep.db" "$work/$sweep.yaml"
  verdict "$sweep in small" "$code $(cat "$work/stderr")" '0 '
done

# On the papers' machines, with one goal, two programs or one case of them.
for sweep in fgq_pairs fgq_trios fgq_56 fgq_seeds fgq_short fgq_schemes fgq_long fgq_trios_short fgq_56_short fgq_causes fgq_causes_spart fgq_900 fgq_switches qaws_fifth_same qaws_fifth_distinct qaws_threads_part_same qaws_threads_part_distinct qaws_threads_part_later; do
  awk '/^  - kernels:/ { if (n++) next } 1' "experiments/$sweep.yaml" |
    sed 's/\[cutcp, .*tpacf\]/[mri_q, lbm]/; s/\[pc, .*atax\]/[pc]/; s/60%, 90%/50%/; s/\[50%, .*95%\]/[50%]/; /{goal: \(25\|[3-7]5\|[457]0\)%}/d; s/^cycles: [236]0* /cycles: 20000 /; s/^cycles: 10000000 /cycles: 1000000 /; s/, cycles: 2000000/, cycles: 30000/; s/^size: X*L/size: S/; s/size: XL/size: M/g' >"$work/$sweep.yaml"
  call "$qsm" sweep --quiet --db "$work/$sweep.db" "$work/$sweep.yaml"
  verdict "$sweep in small" "$code $(cat "$work/stderr")" '0 '
done

# SMQoS's, with two programs or one case of them. Its pairs have both of the threshold's, one of them with a goal.
for sweep in smqos_pairs smqos_goals_part smqos_alone smqos_named smqos_threshold smqos_trios smqos_both smqos_why; do
  awk '/^  - kernels:/ { if (n++) next } 1' "experiments/$sweep.yaml" |
    sed 's/: \[binomial, mergesort.*, mri_gridding\]$/: [cp]/; s/\[binomial, .*mri_gridding\]/[cp, lbm]/; s/^cycles: [0-9]* /cycles: 40000 /; s/^size: X*L/size: S/; s/size: XL/size: S/; s/, cycles: 8000000/, cycles: 80000/; s/\[0\.\.0, .*0\.\.23\]/[0..11, 0..23]/' >"$work/$sweep.yaml"
  call "$qsm" sweep --quiet --db "$work/$sweep.db" "$work/$sweep.yaml"
  verdict "$sweep in small" "$code $(cat "$work/stderr")" '0 '
done
for sweep in smqos_80 smqos_80_mig smqos_80_alone smqos_80_why smqos_workers; do
  awk '/^  - kernels:/ { if (n++) next } 1' "experiments/$sweep.yaml" | sed 's/\[hotspot, .*atax\]/[hotspot, pathfinder]/; s/\[hotspot, .*lbm\]/[hotspot]/; s/size: XL/size: M/; s/\[binomial, .*mri_gridding\]/[pathfinder]/; s/^cycles: 1[0-9]* /cycles: 50000 /; s/^size: X*L/size: S/' >"$work/$sweep.yaml"
  call "$qsm" sweep --quiet --db "$work/$sweep.db" "$work/$sweep.yaml"
  verdict "$sweep in small" "$code $(cat "$work/stderr")" '0 '
done
sed 's/^cycles: [0-9]* /cycles: 40000 /; s/^size: L/size: S/' experiments/smqos_offline.yaml >"$work/base.yaml"
call python3 scripts/offline.py "$work/base.yaml" "$work/smqos_pairs.db" "$work/smqos_offline.db"
verdict 'best static splits' "$code $(tail -n 1 "$work/stdout" | cut -d ' ' -f 1-3)" '0 offline: 2 cases,'
# All splits of one of them: the search has found the smallest that meets the goal.
sed -n '/program: lbm, goal/p' "$work/smqos_offline.yaml" | sed 's/sm_count: [0-9]*/sm_count: [1, 2, 3, 4, 6, 8, 12, 23]/' >"$work/lbm"
{ cat "$work/base.yaml"; echo cases:; cat "$work/lbm"; } >"$work/splits.yaml"
call "$qsm" sweep --quiet --db "$work/splits.db" "$work/splits.yaml"
least="SELECT min(json_extract(scenario, '\$.kernels[0].sm_count') * 1) FROM runs JOIN cases ON id = run WHERE met"
found=$(query "$work/smqos_offline.db" "$least AND cases.programs LIKE 'lbm %'")
verdict 'is the smallest that meets the goal' "$code $(query "$work/splits.db" "SELECT min(met OR json_extract(scenario, '\$.kernels[0].sm_count') * 1 < $found), max(met AND json_extract(scenario, '\$.kernels[0].sm_count') * 1 < $found) FROM cases JOIN runs ON id = run")" '0 1 0'
call python3 scripts/offline.py "$work/base.yaml" "$work/smqos_pairs.db" "$work/smqos_offline.db"
verdict 'a search that has ended runs nothing again' "$code $(query "$work/smqos_offline.db" 'SELECT count(*) FROM runs') $(query "$work/smqos_offline.db" "$least AND cases.programs LIKE 'lbm %'")" \
  "0 $(query "$work/smqos_offline.db" 'SELECT count(*) FROM runs') $found"

call python3 experiments/fgq_why.py "$work" --pairs lbm+mri_q --goal 50% --size S --cycles 20000
verdict 'why goals are missed, in small' "$code $(cat "$work/stderr")" '0 '
verdict 'reasons of warps add up' "$(awk -F'|' 'NR > 2 { sum = 0; for (i = 5; i <= 12; i++) sum += $i; if (sum < 99.5 || sum > 100.5) print; n++ } END { print n }' "$work/fgq/counters.md")" 3

# fills PAGE TABLES: the page has so many tables, and each of its plots is one.
fills() {
  call python3 scripts/experiment.py "experiments/$1.md" "$work" "$work/results/$1.md"
  verdict "page $1" "$code $(grep -c '^| *-*- |' "$work/results/$1.md") $(grep -c '<!--' "$work/results/$1.md")" "0 $2 0"
  sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$work/results/$1.md" >"$work/plots"
  while read -r plot; do verdict "plot $plot" "$(grep -c 'id="gnuplot_plot_1a*"' "$work/results/$plot")" 1; done <"$work/plots"
  verdict "page $1 has plots" "$(grep -c . "$work/plots")" "$3"
}
fills qos_pairs 15 1
fills qaws 6 1
fills fgq 19 0
fills fgq_more 19 0
fills fgq_full 15 0
fills fgq_900 5 0
fills fgq_switches 4 0
fills qaws_titanv 12 1
fills smqos 14 3
fills smqos_80 10 0
verdict 'budget 1 for all is GTO, cycle by cycle' "$(query "$work/qaws_distinct.db" "SELECT max(abs(response - 1)), max(abs(total - 1)), count(*) FROM relative WHERE variant LIKE '%equal budgets'")" '0.0 0.0 12'

# wrong_sum WHAT SQL COMPLAINT: a database whose instructions do not agree any more makes no page.
wrong_sum() {
  cp "$work/smqos_named.db" "$work/broken.db"
  python3 -c 'import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute(sys.argv[2]); db.commit()' "$work/broken.db" "$2"
  echo '<!-- broken stamp -->' >"$work/broken.md"
  call python3 scripts/experiment.py "$work/broken.md" "$work" "$work/results/broken.md"
  verdict "$1" "$code $(cat "$work/stderr")" "$3"
}
run=$(query "$work/smqos_named.db" 'SELECT id FROM runs WHERE NOT reference')
wrong_sum 'sums that agree' 'UPDATE runs SET cpu_s = 1' '0 '
wrong_sum 'kernels and epochs that do not' "UPDATE epochs SET instructions = instructions + 1 WHERE run = $run AND slot = 1 AND cycle = 20000" \
  "1 $work/broken.db: run $run: kernels and epochs do not agree"
wrong_sum 'kernels and SMs that do not' "UPDATE sms SET instructions = instructions + 1 WHERE run = $run AND sm = 7" "1 $work/broken.db: run $run: kernels and SMs do not agree"
wrong_sum 'a run that has found it itself' "UPDATE runs SET status = 'failed', error = 'energy counters: kernel cp: 1 lanes' WHERE id = $run" \
  "1 $work/broken.db: run $run: energy counters: kernel cp: 1 lanes"

# An experiment takes its own headlines in and leaves the others.
mkdir -p "$work/tree/docs/results" "$work/tree/mk"
cp -r experiments README.md "$work/tree/" && cp docs/results/summary.* "$work/tree/docs/results/" && cp mk/experiments.mk "$work/tree/mk/"
call env -C "$work/tree" python3 "$PWD/scripts/summary.py" experiments/qaws.toml "$work"
others() { grep -v '"make experiment-qaws"' "$1/docs/results/summary.json"; }
verdict 'headlines of an experiment' "$code $(cat "$work/stderr") $(grep -c '"cases": 3, .*"make experiment-qaws"' "$work/tree/docs/results/summary.json") $(diff <(others .) <(others "$work/tree"))" '0  1 '
call env -C "$work/tree" python3 "$PWD/scripts/summary.py" experiments/qaws.toml "$work/nowhere"
verdict 'headlines without databases' "$code $(cat "$work/stderr")" "1 $work/nowhere/qaws_same.db: not there"
echo '<!-- qaws_same tables best -->' >"$work/wrong.md"
call python3 scripts/experiment.py "$work/wrong.md" "$work" "$work/results/wrong.md"
verdict 'a mark that nobody understands' "$code $(cat "$work/stderr")" "1 $work/wrong.md: not understood: <!-- qaws_same tables best -->"
finish
