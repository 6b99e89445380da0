#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The C programs under the address and undefined-behaviour sanitizers (build/san/, mk/sanitize.mk): all C tests, every program of
# the suite on the model, lockstep, fuzz. With QSM_TEST_FULL longer runs, and one under valgrind, which also sees uninitialized values.
set -u
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
qsm=build/san/qsm
export CMOCKA_MESSAGE_OUTPUT=TAP QSM_ROOT=$PWD
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99:print_stacktrace=1  # no exit code of the programs themselves
n=0

# runs WHAT CODE COMMAND...: the command ends with this code.
runs() {
  local what=$1 expected=$2
  shift 2
  "$@" >"$work/log" 2>&1 </dev/null
  local code=$?
  n=$((n + 1))
  [ "$code" -eq "$expected" ] && echo "ok $n - $what" && return
  echo "not ok $n - $what"
  echo "# $*: exit code $code instead of $expected"
  tail -n 30 "$work/log" | sed 's/^/# /'
}

# stops FAULT WORDS: the negative control, stopped with these words.
stops() {
  build/san/faulty "$1" >"$work/said" 2>&1
  runs "mistake $1 is found" 0 grep -q "$2" "$work/said"
}

# beside_pc CONFIG PROGRAM: the scenario of the program under a goal beside `pc`.
beside_pc() {
  printf '%s\n' "config: $1" 'scheme: rollover' 'epoch: 5000' "cycles: $cycles" 'size: S' 'kernels:' "  - program: $2" \
    '    goal: 30%' '  - name: other' '    program: pc'
}

cycles=30000 fuzz_cycles=200000
[ -n "${QSM_TEST_FULL:-}" ] && cycles=300000 fuzz_cycles=5000000

runs 'a program without a mistake passes' 0 build/san/faulty
stops address 'heap-buffer-overflow'
stops undefined 'signed integer overflow'
stops leak 'LeakSanitizer: detected memory leaks'

for source in tb/*/test_*.c; do
  name=${source#tb/} name=${name%.c}
  [ "${name%%/*}" = sw ] || runs "C test $name" 0 "build/san/tests/$name"
done

configs=(demo wang2017)  # they have an FPU, and room for two tenants
turn=0
for program in $("$qsm" kernels | awk '{ print $1 }'); do
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
runs 'a bit flipped in lockstep is reported' 1 "$qsm" run examples/tiny.yaml --backend lockstep --inject quota --quiet --overwrite --out "$work/out"
runs 'a scenario with an unknown key is refused' 2 "$qsm" run configs/tiny.yaml --quiet --out "$work/out"

if [ -n "${QSM_TEST_FULL:-}" ]; then
  valgrind=(valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite)
  runs 'valgrind sees a leak' 9 "${valgrind[@]}" build/san/faulty-plain leak
  beside_pc fpga bfs >"$work/pair.yaml"
  runs 'bfs beside pc under valgrind' 0 "${valgrind[@]}" build/san/qsm-plain run "$work/pair.yaml" --cycles 20000 --quiet --overwrite --out "$work/out"
fi
echo "1..$n"
