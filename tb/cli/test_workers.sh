#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Scenarios with persistent workers (docs/workers.md R-WK-1, R-WK-3, R-WK-9, R-WK-12): the programs of SMQoS and QAWS in their forms, pairs of them.
. "$(dirname "$0")/sweep.sh"
file=$work/workers.yaml

# right WHAT RUNS LINE...: the run ends well, and every output of as many kernels is right.
right() {
  local what=$1 kernels=$2
  shift 2
  scenario "$file" "$@"
  call "$qsm" run --quiet --out "$work/out" --overwrite "$file"
  verdict "$what" "$code $(cat "$work/stderr")$(sed -n 's/^.*"checks_\(passed\|failed\)":[[:space:]]*\([0-9]*\),$/\1 \2/p' "$work/out/result.json" |
    sed 's/ [1-9][0-9]*$/ some/' | sort | uniq -c | paste -sd ' ' | tr -s ' ')" "0  $kernels failed 0 $kernels passed some"
}

sed 's/^l1_kib: 0/l1_kib: 2/; s/^l2_kib: 0/l2_kib: 8/; s/^dram_banks: 0/dram_banks: 4/' configs/demo.yaml >"$work/cached.yaml"
for form in rh slate; do
  for program in binomial mergesort cp tpacf hotspot pathfinder atax bicg gesummv lib lbm mri_gridding; do
    right "$program in workers: $form" 1 "config: $work/cached.yaml" 'cycles: 400000' 'size: S' 'kernels:' \
      "  - {program: $program, launches: 1, workers: $form, sms: 1..2}"
  done
  right "two programs on ranges of their own, $form" 2 "config: $work/cached.yaml" 'cycles: 300000' 'size: S' 'kernels:' \
    "  - {program: atax, workers: $form, sms: 0..2, goal: 40%}" "  - {program: pathfinder, workers: $form, sms: 3..3}"
  right "workers beside an ordinary kernel, $form" 2 'config: demo' 'cycles: 300000' 'size: S' 'kernels:' \
    "  - {program: cp, workers: $form, sms: 0..1, workers_per_sm: 2}" '  - {program: bfs}'
done
right 'three programs in both forms' 3 'config: smqos' 'cycles: 200000' 'size: S' 'kernels:' \
  '  - {program: hotspot, workers: rh, sms: 0..11}' '  - {program: lib, workers: slate, sms: 12..17}' '  - {program: lbm, workers: rh, sms: 18..23}'

# QAWS's programs as persistent threads, two of each, and kernels that start in the cycle that the scenario says.
for program in pc pathfinder conv2d dxtc binomial vadd matmul histogram atax; do
  right "two of $program as persistent threads" 2 "config: $work/cached.yaml" 'cycles: 300000' 'size: S' 'kernels:' \
    "  - {program: $program, launches: 1, workers: persistent, workers_per_sm: half, arrival: 8}" \
    "  - {program: $program, launches: 1, workers: persistent, workers_per_sm: half, arrival: 0}"
done
{
  printf '%s\n' 'config: demo' 'cycles: 60000' 'size: S' 'scheme: none' 'variants:'
  for first in 0 1000; do
    for step in 2 8 20000; do
      echo "  - {label: \"$first $step\", kernels: [{arrival: $first}, {arrival: $((first + step))}, {arrival: $((first + 30000))}]}"
    done
  done
  printf '%s\n' 'kernels:' '  - {program: vadd, launches: 1}' '  - {program: matmul, launches: 1}' '  - {program: pathfinder, launches: 1}'
} >"$work/arrivals.yaml"
call "$qsm" sweep --quiet --db "$work/arrivals.db" "$work/arrivals.yaml"
verdict 'a sweep over arrivals' "$code $(cat "$work/stderr")" '0 '
verdict 'arrivals are exact' "$(query "$work/arrivals.db" "SELECT (b.started - a.started) || ' ' || (c.started - a.started) FROM kernels a
  JOIN kernels b USING (run) JOIN kernels c USING (run) WHERE a.slot = 0 AND b.slot = 1 AND c.slot = 2 ORDER BY run" | paste -sd ,)" \
  '2 30000,8 30000,20000 30000,2 30000,8 30000,20000 30000'

for form in rh slate persistent; do
  scenario "$file" 'config: tiny' 'cycles: 40000' 'size: S' 'kernels:' "  - {program: pathfinder, workers: $form}"
  call "$qsm" run --quiet --backend lockstep --out "$work/out" --overwrite "$file"
  verdict "RTL and model are equal, $form" "$code $(cat "$work/stderr")" '0 '
done

# Alone is the ordinary form, on all SMs, whatever the workers.
for workers in '' ', workers: slate, sms: 1..1'; do
  scenario "$file" 'config: demo' 'cycles: 100000' 'size: S' 'kernels:' "  - {program: vadd$workers}"
  "$qsm" run --quiet --out "$work/out" --overwrite "$file" && sed -n 's/^.*"isolated_ipc":[[:space:]]*//p' "$work/out/result.json"
done >"$work/alone"
verdict 'alone without its workers' "$(sort -u "$work/alone" | wc -l) $(wc -l <"$work/alone")" '1 2'

# A sweep has them as any key, and measures the reference once.
cat >"$work/sweep.yaml" <<'YAML'
config: demo
size: S
scheme: none
cycles: 100000
kernels:
  - {program: cp, launches: 1, workers: ["off", rh, slate], sms: [0..1, 2..3]}
YAML
call "$qsm" sweep --dry-run "$work/sweep.yaml"
verdict 'a sweep over the forms' "$code $(tail -n 1 "$work/stdout")" '0 6 runs, and 3 of a kernel alone'
call "$qsm" sweep --quiet --db "$work/sweep.db" "$work/sweep.yaml"
verdict 'which runs' "$code $(cat "$work/stderr")" '0 '
finish
