#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command under the address and undefined-behaviour sanitizers (common.sh): programs of the suite on the model, lockstep, fuzz, a sweep, bad
# input. With QSM_TEST_FULL every program, longer runs, and one under valgrind, which also sees uninitialized values.
. "$(dirname "$0")/common.sh"

# stops FAULT WORDS: the negative control, stopped with these words.
stops() {
  build/san/faulty "$1" >"$work/said" 2>&1
  runs "mistake $1 is found" 0 grep -q "$2" "$work/said"
}

runs 'a program without a mistake passes' 0 build/san/faulty
stops address 'heap-buffer-overflow'
stops undefined 'signed integer overflow'
stops leak 'LeakSanitizer: detected memory leaks'

# Every seventh of them otherwise: host/test_programs has all of them under the sanitizers, too, from their inputs to their outputs.
configs=(demo wang2017)  # they have an FPU, and room for two tenants
turn=0 seen=0
for program in $("$qsm" kernels | awk '{ print $1 }'); do
  [ $((seen++ % every)) -eq 0 ] || continue
  config=${configs[turn++ % ${#configs[@]}]}
  beside_pc "$config" "$program" >"$work/pair.yaml"
  runs "$program beside pc on $config" 0 "$qsm" run "$work/pair.yaml" --quiet --out "$work/out"
done

printf '%s\n' 'config: tiny' "cycles: $cycles" 'size: S' 'scheme: [none, rollover]' 'kernels:' '  - {program: [vadd, pc], goal: [50%, 90%]}' \
  >"$work/sweep.yaml"
runs 'a sweep' 0 "$qsm" sweep "$work/sweep.yaml" --db "$work/sweep.db"
runs 'its report' 0 "$qsm" report "$work/sweep.db"

for config in tiny odd; do
  runs "examples/$config.yaml in lockstep" 0 "$qsm" run "examples/$config.yaml" --backend lockstep --cycles "$cycles" --quiet --overwrite --out "$work/out"
  runs "fuzz of $config" 0 "$qsm" fuzz --config "$config" --cycles "$fuzz_cycles" --seed 5 --quiet --out "$work/out"
done
runs 'a bit flipped in lockstep is reported' 1 "$qsm" run examples/tiny.yaml --backend lockstep --cycles 20000 --inject quota --quiet --overwrite --out "$work/out"
runs 'a scenario with an unknown key is refused' 2 "$qsm" run configs/tiny.yaml --quiet --out "$work/out"

if [ -n "${QSM_TEST_FULL:-}" ]; then
  valgrind=(valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite)
  runs 'valgrind sees a leak' 9 "${valgrind[@]}" build/san/faulty-plain leak
  beside_pc fpga bfs >"$work/pair.yaml"
  runs 'bfs beside pc under valgrind' 0 "${valgrind[@]}" build/san/qsm-plain run "$work/pair.yaml" --cycles 20000 --quiet --overwrite --out "$work/out"
fi
finish
