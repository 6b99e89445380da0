#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Where results go, that nobody else's are lost, that files are whole or not there, and what Ctrl-C leaves.
. "$(dirname "$0")/common.sh"

# two_scenarios: a/s.yaml and b/s.yaml in $work.
mkdir -p "$work/a" "$work/b" "$work/here"
scenario "$work/a/s.yaml" 'config: tiny' 'cycles: 200000' 'size: S' 'kernels: [{program: vadd, goal: 50%}]'
scenario "$work/b/s.yaml" 'config: tiny' 'cycles: 20000' 'size: S' 'kernels: [{program: pc}]'
# here COMMAND...: called in $work/here.
here() { call env -C "$work/here" "$@"; }
# without_time FOLDER: its result.json without what no two runs share.
without_time() { grep -v cpu_s "$1/result.json"; }

# ---- Where ----

# A tree of its own, with what the command reads; nothing may change in it.
mkdir -p "$work/tree/build/rtl" && cp -r configs "$work/tree/" && cp -r build/sw "$work/tree/build/" && cp build/rtl/tiny.so "$work/tree/build/rtl/"
chmod -R a-w "$work/tree"
state_of_tree() { find "$work/tree" -printf '%p %y %m %s %T@ %C@\n' | sort; }
state_of_tree >"$work/tree.before"
in_tree() { here env QSM_ROOT="$work/tree" "$qsm" "$@"; }
in_tree run "$work/a/s.yaml"
verdict 'results are below the current folder' "$code $(cat "$work/stderr" | grep -v ': 200000 cycles$') $(sed -n 's/^  results  //p' "$work/stdout") $(ls "$work/here/qsm-results/s" | paste -sd ' ')" \
  '0  qsm-results/s/result.json plot.svg result.json'
in_tree sweep --quiet "$work/a/s.yaml"
verdict 'so is the database of a sweep' "$code $(cat "$work/stderr") $(ls "$work/here/qsm-results" | paste -sd ' ')" '0  s s.db'
in_tree report --plot goals qsm-results/s.db
verdict "and a plot of it, named after both" "$code $(cat "$work/stdout" "$work/stderr")" '0 qsm-results/s-goals.svg'
in_tree fuzz --quiet --cycles 2000000 --seed 12 --inject issue
verdict 'and what a random run reports' "$(sed -n 's/^qsm: details: //p' "$work/stderr") $(ls "$work/here/qsm-fuzz")" 'qsm-fuzz/difference.txt difference.txt'
verdict 'the tree of the command is as it was' "$(state_of_tree | diff "$work/tree.before" -)" ''
chmod -R u+w "$work/tree"

# ---- Two scenarios of one name ----

first=$work/here/qsm-results/s
without_time "$first" >"$work/first"
refusal="output folder qsm-results/s has results of $work/a/s.yaml, not of $work/b/s.yaml: --out DIR names another folder, --overwrite replaces them"
refuses "another scenario's results" 3 "$refusal" env -C "$work/here" "$qsm" run --quiet "$work/b/s.yaml"
verdict 'they stay' "$(without_time "$first" | diff "$work/first" -)" ''
here "$qsm" run --quiet ../a/s.yaml
verdict 'the same scenario again, by another path' "$code $(cat "$work/stderr") $(without_time "$first" | diff "$work/first" - | grep '^[<>]' | paste -sd ' ')" \
  "0  < 	\"scenario\":	\"$work/a/s.yaml\", > 	\"scenario\":	\"../a/s.yaml\","
here "$qsm" run --quiet --out qsm-results/other ../b/s.yaml
verdict 'another folder' "$code $(cat "$work/stderr") $(grep -c '"pc"' "$work/here/qsm-results/other/result.json")" '0  1'
here "$qsm" run --quiet --overwrite ../b/s.yaml
verdict 'with --overwrite' "$code $(cat "$work/stderr") $(grep -c '"pc"' "$first/result.json")" '0  1'
echo '{"made": "by hand"}' >"$first/result.json"
refuses 'a result of something else' 3 \
  "output folder qsm-results/s has results of an unknown scenario, not of $work/b/s.yaml: --out DIR names another folder, --overwrite replaces them" \
  env -C "$work/here" "$qsm" run --quiet ../b/s.yaml
refuses "another sweep's database" 3 \
  "qsm-results/s.db has results of $work/a/s.yaml, not of $work/b/s.yaml: --db FILE names another database, or this one" \
  env -C "$work/here" "$qsm" sweep --quiet ../b/s.yaml
here "$qsm" sweep --quiet --db qsm-results/s.db ../b/s.yaml
verdict 'the same database by name' "$code $(cat "$work/stderr")" '0 '
here "$qsm" sweep --quiet ../a/s.yaml
verdict 'the first sweep goes on in it' "$code $(cat "$work/stderr")" '0 '

# ---- A full disk ----

# limited KIB OPTION...: a run whose files end at KIB.
limited() {
  local kib=$1
  shift
  call bash -c 'trap "" XFSZ; ulimit -f "$1"; shift; exec "$@"' - "$kib" "$qsm" run --quiet --out "$work/full" "$@" "$work/a/s.yaml"
}
call "$qsm" run --quiet --out "$work/full" --timeline "$work/full/t.json" --konata "$work/full/k.log" "$work/a/s.yaml"
cp -r "$work/full" "$work/full.before"
# as_before EXCEPT: what differs from the files of the run before.
as_before() { diff -rq -x "${1:-nothing}" "$work/full.before" "$work/full"; }
limited 1
verdict 'no room for the result' "$code $(cat "$work/stderr") $(as_before)" "3 qsm: cannot write $work/full/result.json: File too large "
limited 24
verdict 'no room for the plot' "$code $(cat "$work/stderr") $(as_before result.json)" "3 qsm: gnuplot could not write $work/full/plot.svg "
limited 100 --timeline "$work/full/t.json"
verdict 'no room for the timeline' "$code $(cat "$work/stderr") $(as_before result.json)" "3 qsm: cannot write $work/full/t.json: File too large "
limited 100 --konata "$work/full/k.log"
verdict 'no room for the pipeline' "$code $(cat "$work/stderr") $(as_before result.json)" "3 qsm: cannot write $work/full/k.log: File too large "
call bash -c '(trap "" XFSZ; ulimit -f 0; exec "$@") 2>&1 | cat >&2; exit "${PIPESTATUS[0]}"' - \
  env QSM_ROOT="$work/tree" "$qsm" run --quiet --backend lockstep --cycles 20000 --inject quota --out "$work/none" examples/tiny.yaml
verdict 'no room for what differs' "$code $(sed -n '1s/.*; no report: //p' "$work/stderr") $(ls "$work/none")" "1 cannot write $work/none/difference.txt: File too large "

# ---- Killed, and two at a time ----

scenario "$work/long.yaml" 'config: tiny' 'cycles: 12000000' 'size: S' 'scheme: rollover' 'kernels: [{program: vadd, goal: 0.2}, {program: vadd, launches: 2}]'
# start TEXT OPTION...: a run in the background as process $run, until it says TEXT or has ended.
start() {
  local text=$1
  shift
  : >"$work/long.err"
  env --default-signal=INT "$qsm" run "$@" >"$work/long.out" 2>"$work/long.err" &
  run=$!
  while kill -0 $run 2>/dev/null && ! grep -q "$text" "$work/long.err"; do sleep 0.02; done
}
# start_long OPTION...: the long run, until its shared measurement goes on.
start_long() {
  start 'rollover: ' --out "$work/long" "$@" "$work/long.yaml"
  sleep 0.1
}
traces=(--timeline "$work/t.json" --konata "$work/k.log" --to 30000)
start_long "${traces[@]}"
refuses 'a file that another command writes' 3 "cannot write $work/k.log: another command is writing it" \
  "$qsm" run --quiet --out "$work/other" --konata "$work/k.log" "$work/b/s.yaml"
kill -9 $run
wait $run 2>/dev/null
verdict 'a killed run leaves no file that is not whole' "$(ls "$work/long" "$work/t.json" "$work/k.log" 2>/dev/null)" "$work/long:"
call "$qsm" run --quiet --out "$work/other" --konata "$work/k.log" "$work/b/s.yaml"
verdict 'what it left is in nobody'\''s way' "$code $(head -n 1 "$work/k.log") $(ls "$work"/k.log*)" "0 Kanata	0004 $work/k.log"

# ---- Ctrl-C ----

# figures FOLDER FIELD: a field of result.json, or a Python expression of it (r).
figures() { python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1/result.json" "$2"; }
for signal in INT TERM; do
  rm -rf "$work/long"
  start_long "${traces[@]}"
  kill -$signal $run
  wait $run
  code=$?
  reached=$(figures "$work/long" "r['cycles']")
  verdict "SIG$signal: what is measured is kept" "$code $(grep '^qsm: ' "$work/long.err")" \
    "130 qsm: interrupted: rollover, $reached of 12000000 cycles measured; what there is until then is in $work/long/result.json"
  verdict "SIG$signal: the file says so" "$(figures "$work/long" "r['interrupted'] == {'during': 'rollover', 'cycles': r['cycles'], 'planned_cycles': 12000000}, r['cycles'] < 12000000")" \
    '(True, True)'
  verdict "SIG$signal: so does the table" "$(grep -c '^  vadd  *rollover' "$work/long.out")" 2
done
[ "$reached" -gt 0 ] && some=yes
verdict 'some epochs were measured' "${some:-no}" yes
call "$qsm" run --quiet --out "$work/short" --cycles "$reached" "$work/long.yaml"
same="[r['epochs'], [(k['thread_instructions'], k['ipc'], k['reached']) for k in r['kernels']]]"
verdict 'the figures are those of a run of so many cycles' "$(diff <(figures "$work/long" "$same") <(figures "$work/short" "$same"))" ''
verdict 'the plot is whole' "$(grep -c '</svg>' "$work/long/plot.svg")" 1
verdict 'the timeline is whole' "$(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["traceEvents"]) > 50)' "$work/t.json")" True
verdict 'the pipeline is whole' "$(grep -c ^I "$work/k.log") $(ls "$work"/k.log*)" "$(grep -c ^R "$work/k.log") $work/k.log"

# In the first measurement: no shared figures, no plot and no traces of them; earlier traces stay.
cp "$work/k.log" "$work/before.log"
start 'vadd alone: ' --out "$work/long" "${traces[@]}" "$work/long.yaml"
sleep 0.2
kill -INT $run
wait $run
verdict 'Ctrl-C when a kernel runs alone' "$? $(figures "$work/long" "r['interrupted']['during'], r['cycles'], [k['ipc'] for k in r['kernels']], [k['isolated_ipc'] is None for k in r['kernels']], r['epochs']")" \
  "130 ('vadd alone', 0, [None, None], [False, True], [])"
verdict 'no plot of an earlier run, its traces stay' "$(ls "$work/long") $(cmp "$work/k.log" "$work/before.log")" 'result.json '

# Before an epoch has ended there is nothing to keep.
scenario "$work/slow.yaml" 'config: demo' 'epoch: 1048575' 'cycles: 9000000' 'kernels: [{program: matmul}]'
mkdir "$work/slow" && cp "$work/long/result.json" "$work/slow/" && sed -i "s|$work/long.yaml|$work/slow.yaml|" "$work/slow/result.json"
cp "$work/slow/result.json" "$work/slow.before"
start 'alone: ' --out "$work/slow" "$work/slow.yaml"
kill -INT $run
wait $run
verdict 'Ctrl-C before the first epoch has ended' "$? $(grep '^qsm: ' "$work/long.err") $(cmp "$work/slow/result.json" "$work/slow.before")" \
  '130 qsm: interrupted: matmul alone, 0 of 9437175 cycles measured; no epoch is complete, nothing was written '

# A second one ends the run at once, here while a plot takes long.
mkdir "$work/bin"
printf '#!/bin/sh\necho $$ >"%s"\nexec sleep 60\n' "$work/plotter" >"$work/bin/gnuplot"
chmod +x "$work/bin/gnuplot"
rm -rf "$work/long"
PATH=$work/bin:$PATH start_long
kill -INT $run
for _ in $(seq 500); do [ -s "$work/plotter" ] && break; sleep 0.02; done
kill -INT $run
wait $run 2>/dev/null
verdict 'a second Ctrl-C ends the run at once' "$? $(figures "$work/long" "r['interrupted']['during']")" '130 rollover'
kill "$(cat "$work/plotter")"
verdict 'what was written before is whole, the plot is not there' "$(ls "$work/long" | grep -v '\.new$')" result.json
finish
