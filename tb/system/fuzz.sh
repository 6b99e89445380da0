# SPDX-License-Identifier: Apache-2.0
# Sourced by the test_fuzz_*.sh: random programs in lockstep on one configuration, a case per part so that a log shows the progress.
#   fuzz CONFIG CYCLES_PER_PART PARTS FIRST_SEED
# With QSM_TEST_FULL seventy times as many parts.
fuzz() {
  local config=$1 cycles=$2 parts=$3 seed=$4 out
  [ -n "${QSM_TEST_FULL:-}" ] && parts=$((parts * 70))
  out=build/system/fuzz-$config
  mkdir -p "$out"
  echo "1..$parts"
  for ((part = 1; part <= parts; part++, seed += 10000)); do
    echo "# build/qsm fuzz --config $config --cycles $cycles --seed $seed"
    if build/qsm fuzz --config "$config" --cycles "$cycles" --seed "$seed" --out "$out" --quiet >"$out/log" 2>&1; then
      echo "ok $part - $(tail -n 1 "$out/log")"
    else
      echo "not ok $part - fuzz $config from seed $seed"
      sed 's/^/# /' "$out/log"
      [ -f "$out/difference.txt" ] && sed 's/^/# /' "$out/difference.txt"
    fi
  done
}

# only_in_full WHAT: ends the test but for make test-full, as this RTL takes minutes to compile.
only_in_full() {
  [ -n "${QSM_TEST_FULL:-}" ] && return
  printf '1..1\nok 1 - %s # SKIP only in make test-full\n' "$1"
  exit 0
}
