#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What clang and gcc make of the sources, with and without optimisation, is the same machine: equal hashes of all that happens. Without
# optimisation clang alone; with QSM_TEST_FULL gcc too, and what clang makes by a profile (build/fast/qsm).
. "$(dirname "$0")/../tap.sh"
export QSM_ROOT=$PWD

# hash_of QSM SCENARIO OPTIONS...
hash_of() {
  local qsm=$1 scenario=$2
  shift 2
  rm -rf "$work/out"
  "$qsm" run --quiet --hash --out "$work/out" "$@" "$scenario" >"$work/log" 2>&1 || { echo "exit code $? of $qsm $scenario"; return; }
  sed -n 's/.*"trace_hash":[^"]*"\(0x[0-9A-F]*\)".*/\1/p' "$work/out/result.json"
}

cat >"$work/preempted.yaml" <<'Y'
config: demo
scheme: rollover
adjust: switch
cycles: 100000
kernels:
  - {program: conv2d, goal: 80%}
  - program: spmv
Y
cat >"$work/wide.yaml" <<'Y'
config: wang2017
policy: qaws
scheme: elastic
cycles: 20000
size: M
kernels:
  - {program: sgemm, goal: 50%, budget: 2}
  - {program: cutcp, cache: s1}
Y
for scenario in "examples/demo.yaml --cycles 60000" "examples/floats.yaml --cycles 60000" "$work/preempted.yaml" "$work/wide.yaml"; do
  set -- $scenario
  expected=$(hash_of build/qsm "$@")
  verdict "$(basename "$1"): a hash" "$([[ $expected =~ ^0x[0-9A-F]{16}$ ]] && echo yes || echo "$expected")" yes
  for build in portable/clang-O0 portable/gcc-O3 ${QSM_TEST_FULL:+portable/gcc-O0 fast}; do
    verdict "$(basename "$1"): $build" "$(hash_of build/$build/qsm "$@")" "$expected"
  done
done
# The hash can tell machines apart.
verdict 'another seed, another hash' "$([ "$(hash_of build/qsm examples/demo.yaml --cycles 30000 --seed 2)" != "$(hash_of build/qsm examples/demo.yaml --cycles 30000)" ] && echo differs)" differs
verdict 'one cycle of latency, another hash' "$(sed 's/^mem_latency:.*/mem_latency: 25/' configs/demo.yaml >"$work/demo.yaml"
  [ "$(hash_of build/qsm examples/demo.yaml --cycles 30000 --config "$work/demo.yaml")" != "$(hash_of build/qsm examples/demo.yaml --cycles 30000)" ] && echo differs)" differs
# They open the Verilated GPUs, which are of clang, too.
lockstep_of() { # BUILD OPTIONS...: exit code
  build/$1/qsm run examples/tiny.yaml --backend lockstep --cycles 20000 --quiet --overwrite --out "$work/out" "${@:2}" >"$work/log" 2>&1
  echo $?
}
for build in portable/gcc-O3 ${QSM_TEST_FULL:+fast}; do
  verdict "$build in lockstep: equal" "$(lockstep_of $build)" 0
  verdict "$build in lockstep: a flipped bit is found" "$(lockstep_of $build --inject quota) $(grep -c 'RTL and model differ' "$work/log")" '1 1'
done
finish
