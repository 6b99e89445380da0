#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the commands of a list, one per line, as many at once as there are processors. Each reports its cases in TAP; a command
# that breaks off, is stopped or reports nothing is a failed case too. Limits are in processor time, as other work on the machine
# makes no test slower by that; the limit in real time is for what waits for ever without using any. Logs stay in a folder, those of failures are shown.
# The last line is "N passed, N failed"; the exit code is 1 if any failed.
#   run_tests.sh LIST LOG_FOLDER
set -uo pipefail
list=$1 logs=$2
limit_s=${QSM_TEST_LIMIT:-300}  # processor time of one process: ten times what any takes
stuck_s=3600                      # real time of one command
[ -n "${QSM_TEST_FULL:-}" ] && limit_s=${QSM_TEST_LIMIT:-86400} stuck_s=172800
export CMOCKA_MESSAGE_OUTPUT=TAP QSM_ROOT=${QSM_ROOT:-$PWD}

# "build/tests/model/test_sm" -> "model/test_sm"
name_of() {
  local command=${1#set -o pipefail; }
  command=${command%% *}
  command=${command#build/} command=${command#tests/} command=${command#tb/} command=${command%/run}
  echo "$command"
}

# Prints "PASSED FAILED" of a log, given the command's exit code.
count() {
  awk -v status="$2" '
    /^ *(not )?ok .*# SKIP/ { skipped++; next }  # cmocka says "not ok" of those too
    /^ *ok( |$)/ { passed++ }
    /^ *not ok( |$)/ { failed++ }
    /^ *1\.\.[0-9]+/ { sub(/.*\.\./, ""); planned += $1 }
    END {
      seen = passed + failed + skipped
      lost = planned > seen ? planned - seen : 0
      if (lost == 0 && failed == 0 && (status != 0 || seen == 0)) lost = 1
      print passed + 0, failed + lost
    }' "$1"
}

run_one() {
  local name log status passed failed used
  name=$(name_of "$1") log=$logs/$(name_of "$1" | tr / -).log
  (ulimit -S -t "$limit_s" && exec timeout --kill-after=10 "$stuck_s" bash -c "$1") >"$log" 2>&1 </dev/null
  status=$?
  times >"$log.times"  # not in a pipe, whose shell would have used nothing
  used=$(awk 'NR == 2 { split($1 $2, t, "[ms]"); print t[1] * 60 + t[2] + t[3] * 60 + t[4] }' "$log.times")
  case $status in
    124) echo "# stopped after $stuck_s s" >>"$log" ;;
    152 | 137) echo "# stopped after $limit_s s of processor time, or killed" >>"$log" ;;
  esac
  read -r passed failed < <(count "$log" $status)
  echo "$passed $failed" >"$log.count"
  printf '%-6s %5d passed %3d failed %7.1f CPU s  %s\n' "$([ "$failed" -eq 0 ] && echo ok || echo FAILED)" "$passed" "$failed" \
    "$used" "$name"
  rm "$log.times"
  [ "$failed" -eq 0 ] && return
  echo "---- $1   (exit code $status; the log's end, all of it: $log)"
  tail -n 40 "$log" | sed 's/^/     /'
}

rm -rf "$logs"
mkdir -p "$logs"
while IFS= read -r command; do
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
  run_one "$command" &
done <"$list"
wait
cat "$logs"/*.count | awk '{ passed += $1; failed += $2 } END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 }'
