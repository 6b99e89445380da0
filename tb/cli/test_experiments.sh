#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# experiments/: the sweeps are what they say, and their pages can be filled in, tried on three programs and short runs.
. "$(dirname "$0")/sweep.sh"

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
stands_for fgq_pairs '5400 runs, and 10 of a kernel alone'
stands_for fgq_short '540 runs, and 10 of a kernel alone'
stands_for fgq_long '40 runs, and 10 of a kernel alone'
stands_for fgq_trios '1200 runs, and 10 of a kernel alone'
stands_for fgq_trios_short '180 runs, and 20 of a kernel alone'
stands_for fgq_56 '900 runs, and 10 of a kernel alone'
stands_for fgq_56_short '80 runs, and 10 of a kernel alone'
stands_for fgq_causes '240 runs, and 30 of a kernel alone'
stands_for qaws_titanv '70 runs, and 27 of a kernel alone'
stands_for qaws_titanv_same '36 runs, and 18 of a kernel alone'
stands_for qaws_fifth_same '54 runs, and 27 of a kernel alone'
stands_for qaws_fifth_distinct '30 runs, and 21 of a kernel alone'
stands_for smqos_workers '60 runs, and 12 of a kernel alone'

for sweep in qos_pairs qos_fixed qos_few_warps qaws_same qaws_distinct qaws_few_warps; do
  sed 's/\[vadd, .*stencil\]/[vadd, conv2d, reduce]/; s/\[50%, .*95%\]/[50%, 90%]/; s/^cycles: 300000 /cycles: 20000 /; s/^size: M/size: S/' \
    "experiments/$sweep.yaml" >"$work/$sweep.yaml"
  call "$qsm" sweep --quiet --db "$work/$sweep.db" "$work/$sweep.yaml"
  verdict "$sweep in small" "$code $(cat "$work/stderr")" '0 '
done

# On the papers' machines, with one goal, two programs or one case of them.
for sweep in fgq_short fgq_long fgq_trios_short fgq_56_short fgq_causes qaws_titanv_same qaws_fifth_same qaws_fifth_distinct; do
  awk '/^  - kernels:/ { if (n++) next } 1' "experiments/$sweep.yaml" |
    sed 's/\[cutcp, .*tpacf\]/[mri_q, lbm]/; s/\[pc, .*atax\]/[pc]/; s/60%, 90%/50%/; s/^cycles: [23]0* /cycles: 20000 /; s/, cycles: 2000000/, cycles: 30000/; s/^size: X*L/size: S/; s/size: XL/size: M/g' >"$work/$sweep.yaml"
  call "$qsm" sweep --quiet --db "$work/$sweep.db" "$work/$sweep.yaml"
  verdict "$sweep in small" "$code $(cat "$work/stderr")" '0 '
done
call python3 experiments/fgq_why.py "$work" --pairs lbm+mri_q --goal 50% --size S --cycles 20000
verdict 'why goals are missed, in small' "$code $(cat "$work/stderr")" '0 '
verdict 'reasons of warps add up' "$(awk -F'|' 'NR > 2 { sum = 0; for (i = 5; i <= 12; i++) sum += $i; if (sum < 99.5 || sum > 100.5) print; n++ } END { print n }' "$work/fgq/counters.md")" 3

# fills PAGE TABLES: the page has so many tables, and each of its plots is one.
fills() {
  call python3 scripts/experiment.py "experiments/$1.md" "$work" "$work/results/$1.md"
  verdict "page $1" "$code $(grep -c '^| *-*- |' "$work/results/$1.md") $(grep -c '<!--' "$work/results/$1.md")" "0 $2 0"
  sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$work/results/$1.md" >"$work/plots"
  while read -r plot; do verdict "plot $plot" "$(grep -c 'id="gnuplot_plot_1"' "$work/results/$plot")" 1; done <"$work/plots"
  verdict "page $1 has plots" "$(grep -c . "$work/plots")" "$3"
}
fills qos_pairs 15 1
fills qaws 6 1
fills fgq 23 0
fills qaws_titanv 8 1
verdict 'budget 1 for all is GTO, cycle by cycle' "$(query "$work/qaws_distinct.db" "SELECT max(abs(response - 1)), max(abs(total - 1)), count(*) FROM relative WHERE variant LIKE '% budget=1'")" '0.0 0.0 12'
echo '<!-- qaws_same tables best -->' >"$work/wrong.md"
call python3 scripts/experiment.py "$work/wrong.md" "$work" "$work/results/wrong.md"
verdict 'a mark that nobody understands' "$code $(cat "$work/stderr")" "1 $work/wrong.md: not understood: <!-- qaws_same tables best -->"
finish
