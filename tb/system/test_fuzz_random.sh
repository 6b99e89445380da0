#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random programs on random configurations, each made up from its seed and built here: RTL and model equal in every cycle.
out=build/system/fuzz-random
seeds="13" cycles=100000  # one with L1, L2 and memory controllers
[ -n "${QSM_TEST_FULL:-}" ] && seeds="1 2 3 4 5 6 8 9 10 13" cycles=200000
mkdir -p "$out"
n=0
for seed in $seeds; do
  n=$((n + 1))
  echo "# build/qsm fuzz --config random --seed $seed --cycles $cycles"
  if build/qsm fuzz --config random --seed "$seed" --cycles "$cycles" --out "$out" --quiet >"$out/log" 2>&1; then
    echo "ok $n - $(tail -n 1 "$out/log")"
  else
    echo "not ok $n - fuzz random from seed $seed"
    sed 's/^/# /' "$out/log"
  fi
done

# The command that a report gives, run again, must find the same difference.
report() { grep '^qsm: RTL and model differ' "$out/log"; }
build/qsm fuzz --config random --seed 13 --cycles 50000 --inject issue --out "$out" --quiet >"$out/log" 2>&1
first=$(report)
replay=$(sed -n 's/^qsm: seed [0-9]*, replay: qsm //p' "$out/log")
build/qsm $replay --out "$out" --quiet >"$out/log" 2>&1
n=$((n + 1))
[ -n "$first" ] && [ "$(report)" = "$first" ] || printf 'not '
echo "ok $n - replayed: qsm $replay"
echo "1..$n"
