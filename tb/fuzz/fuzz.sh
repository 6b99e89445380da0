#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One target of libFuzzer for so many seconds: fuzz.sh TARGET SECONDS [cpu]; cpu: of processor time. What it learns stays in
# build/fuzz/learned/TARGET; QSM_TEST_SEED makes it go the same way again; exit code 1 with the input that fails and what replays it.
set -u
cd "$(dirname "$0")/../.." || exit 2
target=$1 seconds=$2 clock=${3:-wall}
export QSM_ROOT=$PWD ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}
learned=build/fuzz/learned/$target log=build/fuzz/$target.log
mkdir -p "$learned" build/fuzz/failed
case $target in elf) most=16384 ;; store) most=32768 ;; *) most=4096 ;; esac
options=("-max_len=$most" -timeout=120 -rss_limit_mb=4096 -print_final_stats=1 "-artifact_prefix=build/fuzz/failed/$target-")
[ -n "${QSM_TEST_SEED:-}" ] && options+=("-seed=$QSM_TEST_SEED")
[ "$target" = store ] && options+=(-close_fd_mask=3)
if [ "$clock" = cpu ]; then
  { (ulimit -S -t "$seconds"; exec "build/fuzz/fuzz_$target" "${options[@]}" "$learned" "tb/fuzz/corpus/$target") >"$log" 2>&1; } 2>/dev/null
else
  "build/fuzz/fuzz_$target" "${options[@]}" "-max_total_time=$seconds" "$learned" "tb/fuzz/corpus/$target" >"$log" 2>&1
fi
code=$?
runs=$(grep -ao '^#[0-9]*' "$log" | tail -n 1)
[ "$code" -eq 152 ] && code=0  # SIGXCPU: the time is over
echo "$target: ${runs#\#} inputs at least, log $log"
[ "$code" -eq 0 ] && exit 0
input=$(sed -n 's/.*Test unit written to \(.*\)/\1/p' "$log" | tail -n 1)
grep -a -m 5 -e 'ERROR' -e 'SUMMARY' -e ' is 0x' -e 'the honest' "$log"
echo "exit code $code; input ${input:-unknown}; replay: QSM_ROOT=\$PWD build/fuzz/fuzz_$target $input"
exit 1
