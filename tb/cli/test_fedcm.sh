#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# experiments/fedcm: small cases, kept once and taken up again, its figures make sense, wrong input is refused.
. "$(dirname "$0")/common.sh"
fedcm=$PWD/build/fedcm
db=$work/fedcm.db profiles=$work/profiles.db
sql() {
  python3 -c 'import sqlite3, sys; print(" ".join("|".join(str(c) for c in r) for r in sqlite3.connect(sys.argv[1]).execute(sys.argv[2])))' "$1" "$2"
}

call "$qsm" profile --size T --counts 1,40 -q -o "$profiles" squeezenet shufflenet mobilenet car fsm fft hausdorff
verdict 'profiles' "$code" 0
call "$fedcm" --size T --part costs build/sw "$profiles" "$db"
verdict 'a part of the cases' "$code $(sql "$db" 'SELECT count(*) FROM runs') $(sql "$db" 'SELECT count(*) FROM cases')" '0 32 32'
verdict 'masks that take time take it from KRISP' \
  "$(sql "$db" "SELECT sum(b.cycles <= a.cycles) FROM runs a JOIN runs b USING (workload, runtime) WHERE runtime = 'krisp' AND a.mask_cycles = 0 AND b.mask_cycles = 38400")" 0
verdict 'each launch is decided by KRISP, few by FedCM' \
  "$(sql "$db" "SELECT sum(decided) = sum(launches) FROM runs r JOIN apps a ON a.run = r.id GROUP BY runtime ORDER BY runtime")" '0 1'
verdict 'shares are there for each SM of a mask' "$(sql "$db" 'SELECT count(*) FROM shares WHERE share <= 0 OR share > 1')" 0
sum='SELECT count(*), sum(cycles) FROM runs'
before=$(sql "$db" "$sum")
call "$fedcm" --size T --part costs build/sw "$profiles" "$db"
verdict 'a second time nothing is run' "$code $(grep -c ' of ' "$work/stderr") $(sql "$db" "$sum")" "0 0 $before"
python3 -c 'import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute("DELETE FROM runs WHERE id = 3"); d.commit()' "$db"
call "$fedcm" --size T --part costs build/sw "$profiles" "$db"
verdict 'what is missing is run again, with the same figures' "$code $(grep -c ' of ' "$work/stderr") $(sql "$db" "$sum")" "0 1 $before"

call "$fedcm" --size T --requests 3 --part inference build/sw "$profiles" "$db"
verdict 'networks that are asked for' "$code $(sql "$db" "SELECT count(*) FROM cases WHERE part = 'inference'") $(sql "$db" 'SELECT count(*) FROM requests WHERE latency > 0')" '0 5 45'
verdict 'percentiles are of the requests' \
  "$(sql "$db" "SELECT count(*) FROM cases c JOIN apps a ON a.run = c.run WHERE c.part = 'inference' AND p99 = (SELECT max(latency) FROM requests l WHERE l.run = a.run AND l.slot = a.slot) AND p50 < p99")" 15

# rejects WHAT CODE MESSAGE ARGUMENT...
rejects() {
  local what=$1 expected=$2 message=$3
  shift 3
  call "$fedcm" "$@"
  verdict "$what" "$code $(tail -n 1 "$work/stderr" | sed 's|^[^ ]*fedcm: ||')" "$expected $message"
}
rejects 'no such part' 1 'figure_5: no such part' --size T --part figure_5 build/sw "$profiles" "$work/other.db"
rejects 'profiles that are missing' 1 'cases: some have no profile' --size T --part draws build/sw "$work/none.db" "$work/other.db"
finish
