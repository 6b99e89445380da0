#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# qsm report: tables of a database whose figures are made up, so that every number can be worked out by hand; plots; trouble.
. "$(dirname "$0")/sweep.sh"
db=$work/r.db
scenario "$work/s.yaml" 'config: tiny' 'size: S' 'cycles: 1000' 'kernels: [{program: vadd}]'
"$qsm" sweep --quiet --db "$db" "$work/s.yaml" || exit 2
cp "$db" "$work/one.db"

# Alone p has 10 and q 20 thread instructions per cycle. a misses the goal of 60 % by 4 %, b meets all.
python3 - "$db" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript("DELETE FROM epochs; DELETE FROM kernels; DELETE FROM runs")
def run(id, position, variant, goal, status="ok"):
    db.execute("INSERT INTO runs (id, scenario, inputs, reference, position, variant, label, programs, goal, status, error, seed, cycles)"
               " VALUES (?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?, 1, 1000)",
               (id, str(id), position is None, position, variant, {"a": "first", "b": "second"}.get(variant), "p + q", goal, status, 'too "slow", said one' if status == "failed" else None))
def kernel(run, slot, instructions, goal, reached, finished):
    db.execute("INSERT INTO kernels VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, 0, 0, ?, ?, NULL, NULL)",
               (run, slot, "pq"[slot], ("compute", "memory")[slot], slot + 1, instructions, goal and goal * 65536, reached, 100 * slot, finished))
run(1, None, None, None); kernel(1, 0, 10000, None, None, None)
run(2, None, None, None); db.execute("INSERT INTO kernels VALUES (2, 0, 'q', 'memory', NULL, 20000, NULL, NULL, 1, 0, 0, 0, NULL, NULL, NULL)")
cases = (("a", "50%", 5, 5500, 1, 10000, 500, 700), ("a", "60%", 6, 5760, 0, 8000, 500, 700),
         ("b", "50%", 5, 5100, 1, 8000, 850, 400), ("b", "60%", 6, 6120, 1, 4000, 850, 400))
for i, (variant, goal, goal_ipc, instructions, reached, others, first, last) in enumerate(cases):
    run(10 + i, i, variant, goal); kernel(10 + i, 0, instructions, goal_ipc, reached, first); kernel(10 + i, 1, others, None, None, last)
# 10 mJ and 2 W, twice that for b.
db.execute("UPDATE runs SET energy_j = 0.01 * f, power_w = 2 * f FROM (SELECT id AS i, CASE variant WHEN 'a' THEN 1 ELSE 2 END AS f FROM runs) WHERE id = i AND position IS NOT NULL")
db.execute("UPDATE kernels SET energy_j = 0.004, sms_mean = 1.5 WHERE run = 10 AND slot = 0")
run(20, None, "old", "50%"); kernel(20, 0, 1, 5, 0, None)
db.commit()
PY

# table NAME EXPECTED: rows separated by " | ", cells by blanks.
table() {
  call "$qsm" report --csv --table "$1" "$db"
  verdict "table $1" "$code $(tr ',' ' ' <"$work/stdout" | paste -sd '|' | sed 's/|/ | /g')" "0 $2"
}
table runs 'variant ok failed waiting | a 2 0 0 | b 2 0 0'
call "$qsm" report --table summary "$db"
verdict 'table summary, as Markdown' "$code $(cat "$work/stdout")" '0 | variant | cases | met | met, % | above goal, % | others, % | met by all | others there, % |
| ------- | ----: | --: | -----: | ------------: | --------: | ---------: | --------------: |
| a       |     2 |   1 |   50.0 |          10.0 |      50.0 |          1 |            50.0 |
| b       |     2 |   2 |  100.0 |           2.0 |      30.0 |          1 |            40.0 |'
table goals 'variant 50% 60% all | a 100.0 0.0 50.0 | b 100.0 100.0 100.0'
table overshoot 'variant 50% 60% all | a 10.0  10.0 | b 2.0 2.0 2.0'
table misses 'variant met up to 1 % 1 to 5 % 5 to 10 % 10 to 20 % above 20 % | a 50.0 0.0 50.0 0.0 0.0 0.0 | b 100.0 0.0 0.0 0.0 0.0 0.0'
table throughput 'variant 50% 60% all | a 50.0  50.0 | b 40.0 20.0 30.0'
table throughput_all 'variant 50% all | a 50.0 50.0 | b 40.0 40.0'
table classes 'variant C+M | a 50.0 | b 100.0'
table pairs 'programs a b | p + q 50 100'
table response 'programs a b | p + q 600 300'
table total 'programs a b | p + q 700 850'
table relative 'variant response of the last kernel all kernels | a +0.0 +0.0 | b -50.0 +21.4'
table best 'programs first second | p + q +0.0 -50.0 | mean +0.0 -50.0'
table energy 'variant mJ W M insn per J | a 10 2 1.463 | b 20 4 0.5805'
table energy_programs 'programs a b | p + q 1.463 0.5805'
table errors 'variant programs goal error'
call "$qsm" report --csv "$db"
verdict 'every kernel of every run' "$code $(sed -n '1p;4p' "$work/stdout")" '0 run,position,variant,label,programs,goals,seed,config,policy,scheme,slot,name,class,ipc,alone_ipc,normalised,goal_ipc,reached,response,finished,energy_j,sms_mean
11,1,a,first,p + q,60%,1,,,,0,p,compute,5.76,10.0,0.576,6.0,0,500,500,,'
call "$qsm" report "$db"
verdict 'the whole report' "$code $(grep -o '^[A-Z].*(.*)$' "$work/stdout" | sed 's/.*(//; s/)//' | paste -sd ' ')" \
  '0 runs summary goals overshoot misses throughput throughput_all classes pairs relative best energy energy_programs response total'

# A failed run belongs to no table of results, and no case without it is met by all.
cp "$db" "$work/failed.db"
query "$work/failed.db" "UPDATE runs SET status = 'failed', error = 'too \"slow\", it said' WHERE id = 12; " >/dev/null
python3 -c 'import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute("UPDATE runs SET status = \"failed\", error = \"too \"\"slow\"\", it said\" WHERE id = 12"); d.commit()' "$work/failed.db"
call "$qsm" report --csv --table errors "$work/failed.db"
verdict 'table errors, quoted' "$code $(tail -n 1 "$work/stdout")" '0 b,p + q,50%,"too ""slow"", it said"'
call "$qsm" report --csv --table summary "$work/failed.db"
verdict 'without the failed run' "$code $(paste -sd '|' "$work/stdout")" '0 variant,cases,met,"met, %","above goal, %","others, %"|a,2,1,50.0,10.0,50.0|b,1,1,100.0,2.0,20.0'

# Without a scheme nothing is held: such a variant is shown among the cases that the schemes meet, but not asked.
cp "$db" "$work/free.db"
python3 - "$work/free.db" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript("UPDATE runs SET scheme = 'naive' WHERE position NOTNULL")
for i, goal in enumerate(("50%", "60%")):
    db.execute("INSERT INTO runs (id, scenario, inputs, reference, position, variant, label, programs, goal, status, scheme, seed, cycles)"
               " VALUES (?, ?, '', 0, ?, 'free', 'free', 'p + q', ?, 'ok', 'none', 1, 1000)", (30 + i, f"free {i}", 10 + i, goal))
    db.execute("INSERT INTO kernels SELECT ?, slot, name, class, alone, instructions / 2, goal_q16, CASE WHEN goal_q16 THEN 0 END, 1, 0, 0, 0, NULL, NULL, NULL"
               " FROM kernels WHERE run = ?", (30 + i, 10 + i))
db.commit()
PY
call "$qsm" report --csv --table throughput_all "$work/free.db"
verdict 'a variant without a scheme' "$code $(paste -sd '|' "$work/stdout")" '0 variant,50%,all|a,50.0,50.0|b,40.0,40.0|free,25.0,25.0'
call "$qsm" report "$work/one.db"
verdict 'a sweep without goals' "$code $(grep -c '(' "$work/stdout")" '0 3'

# ---- Plots ----

call "$qsm" report --plot goals "$db"
verdict 'lines, beside the database' "$code $(cat "$work/stdout") $(grep -c 'id="gnuplot_plot_' "${db%.db}-goals.svg")" "0 ${db%.db}-goals.svg 2"
call "$qsm" report --plot response --out "$work/bars.svg" "$db"
verdict 'bars' "$code $(cat "$work/stdout") $(grep -c 'id="gnuplot_plot_' "$work/bars.svg")" "0 $work/bars.svg 2"
refuses 'nothing to plot' 2 "$work/one.db: nothing in table goals to plot" "$qsm" report --plot goals "$work/one.db"
refuses 'no folder for the plot' 3 "cannot write $work/none/p.svg: No such file or directory" "$qsm" report --plot goals --out "$work/none/p.svg" "$db"
mkdir "$work/empty"
refuses 'gnuplot missing' 3 'gnuplot not found, no plot written: apt-get install gnuplot-nox' env PATH="$work/empty" "$qsm" report --plot goals "$db"

# ---- Trouble ----

refuses 'no such database' 3 "$work/none.db: No such file or directory" "$qsm" report "$work/none.db"
: >"$work/empty.db"
refuses 'empty file' 3 "$work/empty.db: an empty database" "$qsm" report "$work/empty.db"
refuses 'no database' 3 "$PWD/Makefile: file is not a database" "$qsm" report "$PWD/Makefile"
finish
