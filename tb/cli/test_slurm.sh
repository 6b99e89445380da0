#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# qsm sweep --slurm without Slurm (docs/cluster.md): how runs are divided, scripts, tasks, merges, what is refused. tb/slurm/ does it with Slurm.
. "$(dirname "$0")/sweep.sh"
. "$(dirname "$0")/fake_slurm.sh"
export work
make_scheduler "$work/bin"
PATH=$work/bin:$PATH
export QSM_ROOT=$PWD
unset SLURM_JOB_ID SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_RESTART_COUNT
file=$work/s.yaml db=$work/s.db folder=$work/s.slurm
slurm() { call "$qsm" sweep --slurm --db "$db" "$@" "$file"; }
fresh() { rm -rf "$folder" "$db" "$work"/{calls,queue,refuse,no_queue,last_job}; }
plain() { sed "s|$work|WORK|g; s|$PWD|ROOT|g" "$@"; }
small_sweep "$file"
"$qsm" sweep --quiet --jobs 2 --db "$work/local.db" "$file"

# ---- Division and scripts ----

slurm --dry-run --partition short --time 1:00:00 --task-time 30 --cpus 2 --nodes 3 --sbatch=--account=gpu --sbatch=--mem=4G
verdict 'R-CL-1, R-CL-3: scripts' "$code $(diff <(plain "$work/stdout") tb/cli/golden/slurm_dry_run.txt)" '0 '
verdict 'R-CL-1: --dry-run makes nothing' "$(ls "$folder" "$db" "$work/calls" 2>&1 | grep -c 'No such file')" 3
# tasks OPTION...: how many a dry run has of runs.
tasks() {
  slurm --dry-run "$@"
  sed -n 's/.*-runs: .* in \([0-9]*\) tasks\{0,1\} of \([0-9:]*\) .*/\1 of \2/p' "$work/stdout"
}
# One SM, 8 runs of 1,000 M cycles, 2 million SM-cycles per second: 500 s each.
sed -i 's/cycles: .*/cycles: 1000000000/' "$file"
verdict 'R-CL-1, R-CL-2: tasks by expected time' "$(tasks; tasks --task-time 20; tasks --task-time 1:00:00; tasks --task-time 20 --cpus 2; tasks --task-time 1)" \
  '7 of 0:09:32
4 of 0:16:40
2 of 0:33:20
2 of 0:16:40
8 of 0:08:20'
verdict 'R-CL-1: no more than half of the limit' "$(tasks --task-time 1:00:00 --time 40)" '4 of 0:16:40'
cp "$work/local.db" "$work/pace.db"
python3 -c '
import sqlite3, sys
db = sqlite3.connect(sys.argv[1]); db.execute("UPDATE runs SET cpu_s = cycles * 2e-6"); db.commit()' "$work/pace.db"
db=$work/pace.db
verdict 'R-CL-2: at the pace of the runs that are there' "$(tasks --task-time 1:00:00)" '5 of 0:53:20'
db=$work/s.db
scenario "$file" 'config: tiny' 'cycles: 1000000000' "seed: [$(seq -s, 1500)]" 'kernels: [{program: vadd}]'
verdict 'R-CL-1: no more than 1,000 tasks' "$(tasks)" '1000 of 0:12:30'
small_sweep "$file"

# ---- A round ----

slurm --task-time 0:01
verdict 'a round' "$code $(plain "$work/stdout")" "0 WORK/s.yaml: 10 runs, 0 done, 0 failed, 10 left; database WORK/s.db
1-references: 2 runs in 1 task of 0:00:01 on 1 core, by estimate
1-runs: 8 runs in 1 task of 0:00:01 on 1 core, by estimate
1-references: job 101
1-runs: job 102
1-merge: job 103"
verdict 'R-CL-3: each part waits for the one before' "$(cat "$work/calls")" 'sbatch --parsable 1-references.sh
sbatch --parsable --dependency=afterany:101 1-runs.sh
sbatch --parsable --dependency=afterany:102 1-merge.sh'
printf '%s\n' '99 RUNNING' '102 RUNNING' '102 PENDING' '103 PENDING' >"$work/queue"
refuses 'R-CL-11: no second round meanwhile' 3 "$folder: job 102 (1-runs) is in the queue; --status shows how far it is, scancel 102 ends it" "$qsm" sweep --slurm --db "$db" "$file"
slurm --status
verdict 'status' "$code $(plain "$work/stdout")" '0 WORK/s.yaml: 10 runs, 0 done, 0 failed, 10 left; database WORK/s.db
1-references, job 101: 2 runs, 0 done, 0 failed; 1 task, 0 running, 0 waiting, 1 ended
1-runs, job 102: 8 runs, 0 done, 0 failed; 1 task, 1 running, 1 waiting, 0 ended
1-merge, job 103: waits'
touch "$work/no_queue"
refuses 'R-CL-11, R-CL-14: no round when the queue cannot be seen' 3 'squeue: Unable to contact slurm controller (connect failure)' "$qsm" sweep --slurm --db "$db" "$file"
slurm --status
verdict 'status without the queue' "$code $(tail -n 2 "$work/stdout")" '3 1-runs, job 102: 8 runs, 0 done, 0 failed; 1 task
1-merge, job 103:'
rm "$work/no_queue" "$work/queue"
run "$folder/1-runs.sh" 102 1
verdict 'R-CL-4, R-CL-10: no run without its reference' "$code $(cat "$work/stderr") $(ls "$folder/shards")" '1 qsm: 8 runs lack a reference, for the next round '
run "$folder/1-references.sh" 101 1
verdict 'R-CL-10: references' "$code $(head -n 1 "$work/stdout")" '0 1-references, task 1: 2 runs, 0 done before, 2 now, 0 failed, 0 left'
run "$folder/1-runs.sh" 102 1
verdict 'R-CL-10: runs' "$code $(head -n 1 "$work/stdout")" '0 1-runs, task 1: 8 runs, 0 done before, 8 now, 0 failed, 0 left'
slurm --status
verdict 'status sees what is not merged' "$code $(head -n 1 "$work/stdout" | plain)" '0 WORK/s.yaml: 10 runs, 10 done, 0 failed, 0 left; database WORK/s.db'
verdict 'R-CL-5: shards' "$(ls "$folder/shards")" '1-references-1.101.0.db
1-runs-1.102.0.db'
run "$folder/1-merge.sh" 103
verdict 'merge' "$code $(plain "$work/stdout")" '0 WORK/s.yaml: 10 runs, 10 done, 0 failed, 0 left; database WORK/s.db
tables: qsm report WORK/s.db; WORK/s.slurm can be removed'
verdict 'R-CL-4, R-CL-7: all is as on one machine' "$(same "$db" "$work/local.db") $(everything "$db" | wc -l)" "same $(everything "$work/local.db" | wc -l)"
verdict 'R-CL-7: merging again changes nothing' "$(run "$folder/1-merge.sh" 103; same "$db" "$work/local.db")" same
run "$folder/1-runs.sh" 102 1 1
verdict 'R-CL-5: nothing is done again' "$code $(head -n 1 "$work/stdout")" '0 1-runs, task 1: 8 runs, 8 done before, 0 now, 0 failed, 0 left'
slurm
verdict 'nothing left to submit' "$code $(plain "$work/stdout")" '0 WORK/s.yaml: 10 runs, 10 done, 0 failed, 0 left; database WORK/s.db'

# ---- A node that was thought lost ----

mkdir "$work/aside" && mv "$folder/shards/1-runs-1.102.0.db" "$work/aside/"
run "$folder/1-runs.sh" 107 1
mv "$work/aside"/*.db "$folder/shards/"
slurm --merge
verdict 'R-CL-6, R-CL-7: what two have done counts once' "$code $(ls "$folder/shards" | wc -l) $(same "$db" "$work/local.db")" '0 3 same'
# edit DATABASE SQL
edit() { python3 -c 'import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.executescript(sys.argv[2])' "$1" "$2"; }
shard=$folder/shards/1-runs-1.107.0.db
cp "$shard" "$work/good.db"
# differs WHAT SQL: a shard changed so is refused, and the run named.
differs() {
  edit "$shard" "$2"
  slurm --merge
  verdict "R-CL-7: $1" "$code $(sed "s/run [0-9]* (/run N (/" "$work/stderr" | plain) $(same "$db" "$work/local.db")" \
    '1 qsm: WORK/s.slurm/shards/1-runs-1.107.0.db: run N (rollover, pc, goal 90%, seed 1) has another result than in WORK/s.db same'
  cp "$work/good.db" "$shard"
}
last="(SELECT max(id) FROM runs)"
differs 'another number of instructions' "UPDATE kernels SET instructions = instructions + 1 WHERE run = $last"
differs 'another epoch' "UPDATE epochs SET quota = quota + 1 WHERE run = $last AND cycle = 5000"
differs 'an epoch less' "DELETE FROM epochs WHERE run = $last AND cycle = 5000"
differs 'another energy' "UPDATE runs SET energy_j = coalesce(energy_j, 0) + 1 WHERE id = $last"
differs 'failed in one' "UPDATE runs SET status = 'failed', error = 'x', exit_code = 1 WHERE id = $last"
edit "$shard" "UPDATE runs SET cpu_s = 2 * cpu_s, ended_at = 'later'"
slurm --merge
verdict 'R-CL-7: times may differ' "$code $(cat "$work/stderr")" '0 '

# ---- Whose shards, and which cannot be read ----

# A shard that a writer has left in the middle: its journal has what was before.
python3 - "$shard" <<'END'
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA cache_size = 1"); db.execute("BEGIN")
db.execute("UPDATE epochs SET quota = 77"); db.execute("UPDATE runs SET error = hex(randomblob(4000))")
os._exit(0)
END
before=$(cat "$shard" "$shard-journal" | md5sum)
slurm --merge
verdict 'R-CL-5: what a dead writer had not ended is not there, and its shard is not touched' \
  "$code $(cat "$work/stderr") $([ "$before" = "$(cat "$shard" "$shard-journal" | md5sum)" ] && echo same) $([ -s "$shard-journal" ] && echo hot)" '0  same hot'
rm "$shard-journal"; cp "$work/good.db" "$shard"
edit "$shard" "UPDATE shard SET build = '0123456789abcdef'"
build=$(sed -n 's/build //p' "$folder/sweep") sweep=$(sed -n 's/sweep //p' "$folder/sweep")
refuses 'R-CL-12: shard of another build' 2 "$shard: of another build of qsm (0123456789abcdef, this one is $build)" "$qsm" sweep --slurm --merge --db "$db" "$file"
cp "$work/good.db" "$shard" && edit "$shard" "UPDATE shard SET sweep = '0123456789abcdef'"
refuses 'R-CL-12: shard of another sweep' 2 "$shard: of another sweep (0123456789abcdef, this one is $sweep)" "$qsm" sweep --slurm --db "$db" "$file"
run "$folder/1-runs.sh" 102 1 2
verdict 'R-CL-12: a task refuses it, too' "$code $(plain "$work/stderr")" "2 qsm: WORK/s.slurm/shards/1-runs-1.107.0.db: of another sweep (0123456789abcdef, this one is $sweep)"
cp "$work/good.db" "$shard" && edit "$shard" "UPDATE runs SET scenario = 'x' WHERE id = $last"
refuses 'R-CL-13: a run that the sweep does not have' 3 "$shard: has runs that the sweep does not have" "$qsm" sweep --slurm --merge --db "$db" "$file"
head -c 9000 "$work/good.db" >"$shard"
refuses 'R-CL-13: a shard cut short' 3 "$shard: database disk image is malformed" "$qsm" sweep --slurm --merge --db "$db" "$file"
refuses 'R-CL-13: no round with it' 3 "$shard: database disk image is malformed" "$qsm" sweep --slurm --db "$db" "$file"
mv "$folder/shards/1-runs-1.102.0.db" "$work/aside/"
run "$folder/1-runs.sh" 102 1 3
verdict 'R-CL-13: a task does its runs itself' "$code $(plain "$work/stderr" | grep qsm) $(head -n 1 "$work/stdout")" \
  '0 qsm: WORK/s.slurm/shards/1-runs-1.107.0.db: database disk image is malformed 1-runs, task 1: 8 runs, 0 done before, 8 now, 0 failed, 0 left'
slurm --merge
verdict 'R-CL-13: the others are merged' "$code $(n_done "$db") $(same "$db" "$work/local.db")" '3 10 same'
echo 'a text file, long enough to be none of a database, whatever SQLite thinks of shorter ones' >"$shard"
refuses 'R-CL-13: no database' 3 "$shard: file is not a database" "$qsm" sweep --slurm --merge --db "$db" "$file"
: >"$shard"
slurm --merge
verdict 'R-CL-13: an empty shard is none' "$code $(cat "$work/stderr")" '0 '
call env TMPDIR="$work/none" "$qsm" sweep --slurm --merge --db "$db" "$file"
verdict 'no scratch folder' "$code $(head -n 1 "$work/stderr" | plain)" '3 qsm: scratch folder for a copy of WORK/s.slurm/shards/1-references-1.101.0.db: No such file or directory'
cp "$file" "$work/kept.yaml" && sed -i 's/50%, 90%/50%/' "$file"
edited=$("$qsm" sweep --slurm --status --db "$db" "$file" 2>&1 | sed 's/.*this one is \([0-9a-f]*\).*/\1/')
for action in '' --status --merge; do
  refuses "R-CL-12: another sweep ${action:-submits}" 2 \
    "$folder is of another sweep ($sweep, this one is $edited): the file, a configuration or a program has changed; when its runs are merged, remove the folder" \
    "$qsm" sweep --slurm $action --db "$db" "$file"
done
run "$folder/1-runs.sh" 102 1 4
verdict 'R-CL-12: a task of another sweep' "$code $(grep -c 'is of another sweep' "$work/stderr")" '2 1'
cp "$work/kept.yaml" "$file"
cp build/qsm "$work/other" && printf 'x' >>"$work/other"
call "$work/other" sweep --slurm --status --db "$db" "$file"
verdict 'R-CL-12: another program' "$code $(sed 's/([0-9a-f]*, this one is [0-9a-f]*)/(A, B)/' "$work/stderr" | plain)" \
  '2 qsm: WORK/s.slurm is of another build of qsm (A, B): go on with that one, or remove the folder'

# ---- Interruptions ----

fresh
small_sweep "$file" 3000000
echo 'epoch: 100000' >>"$file"
slurm
run "$folder/1-references.sh" 101 1
# in_task JOB RESTART N: task 1 of the runs in the background; goes on when N runs are in its shard.
in_task() {
  local shard=$folder/shards/1-runs-1.$1.$2.db
  SLURM_JOB_ID=$1 SLURM_ARRAY_JOB_ID=$1 SLURM_ARRAY_TASK_ID=1 SLURM_RESTART_COUNT=$2 bash "$folder/1-runs.sh" >"$work/task.out" 2>"$work/task.err" &
  task=$!
  for _ in $(seq 1200); do
    [ "$(n_done "$shard" 2>/dev/null || echo 0)" -ge "$3" ] 2>/dev/null && return
    sleep 0.05
  done
}
after() { sed -n "s/.* \([0-9]*\) done before, \([0-9]*\) now.*/\1 \2/p" "$work/task.out"; }
in_task 102 0 1
kill -9 $task
wait $task 2>/dev/null
in_task 102 1 1
kill -TERM $task
wait $task
code=$?
read -r earlier now < <(after)
verdict 'R-CL-5: an attempt goes on from a killed one' "$((earlier >= 1)) $((now >= 1 && now < 7))" '1 1'
verdict 'R-CL-8, R-CL-10: SIGTERM' "$code $(grep -c . "$work/calls")" '130 3'
in_task 102 2 1
kill -USR1 $task
wait $task
read -r earlier now < <(after)
verdict 'R-CL-8: SIGUSR1 keeps what is in flight, and asks for more time' "$((earlier >= 2)) $((now >= 1)) $(tail -n 1 "$work/calls") $(grep -c 'not recorded' "$work/task.err")" '1 1 scontrol requeue 102_1 0'
in_task 102 3 0
kill -USR1 $task
wait $task
in_task 102 4 1
worker=$(pgrep -P $task | head -n 1)
kill -KILL "$worker"
wait $task
code=$?
verdict 'R-CL-9, R-CL-10: a worker killed by SIGKILL' "$code $(grep -o 'its worker was ended by signal 9 (Killed): not recorded' "$work/task.err")" '3 its worker was ended by signal 9 (Killed): not recorded'
slurm --merge
left=$((10 - $(n_done "$db")))
verdict 'R-CL-9: that run is left' "$code $left $(query "$db" "SELECT count(*) FROM runs WHERE status = 'failed'")" "1 $((left > 0 ? left : 1)) 0"
slurm
verdict 'the next round has what is missing' "$code $(grep -o 'runs: [0-9]* run' "$work/stdout") $(grep -c references "$work/stdout")" "0 runs: $left run 0"
round=$(cat "$work/last_job")
run "$folder/2-runs.sh" "$((round - 1))" 1
run "$folder/2-merge.sh" "$round"
"$qsm" sweep --quiet --jobs 2 --db "$work/long.db" "$file"
verdict 'in the end all is as on one machine' "$code $(same "$db" "$work/long.db") $(cat "$folder"/shards/../2.tasks | wc -w)" "0 same $((left + 3))"
small_sweep "$work/usr1.yaml" 2000000
echo 'epoch: 100000' >>"$work/usr1.yaml"
"$qsm" sweep --quiet --jobs 1 --db "$work/usr1.db" "$work/usr1.yaml" 2>"$work/stderr" &
sweep=$!
for _ in $(seq 600); do [ "$(n_done "$work/usr1.db" 2>/dev/null || echo 0)" -ge 1 ] 2>/dev/null && break; sleep 0.05; done
kill -USR1 $sweep
wait $sweep
verdict 'R-CL-8: SIGUSR1 to a sweep on one machine' "$? $(sed 's/: [0-9]* of 10/: N of 10/; s/, [0-9]* remain/, M remain/' "$work/stderr")" \
  '130 qsm: interrupted: N of 10 runs done, M remain; the same command goes on from there'

# ---- Runs that fail ----

fresh
scenario "$file" 'config: tiny' 'size: S' 'cycles: 20000' 'kernels: [{program: [vadd, pc], goal: [50%, 2000]}]'
"$qsm" sweep --quiet --db "$work/f.db" "$file" 2>/dev/null
slurm --quiet
run "$folder/1-references.sh" 101 1
run "$folder/1-runs.sh" 102 1
verdict 'R-CL-10: failed runs are results' "$code $(head -n 1 "$work/stdout")" '0 1-runs, task 1: 4 runs, 0 done before, 4 now, 2 failed, 0 left'
run "$folder/1-merge.sh" 103
verdict 'and those of a merge' "$code $(head -n 1 "$work/stdout" | plain) $(same "$db" "$work/f.db")" '1 WORK/s.yaml: 6 runs, 6 done, 2 failed, 0 left; database WORK/s.db same'
slurm
verdict 'failed runs are not run again' "$code $(plain "$work/stdout")" '1 WORK/s.yaml: 6 runs, 6 done, 2 failed, 0 left; database WORK/s.db'
slurm --retry
verdict 'R-CL-15: but with --retry, without the old shards' "$code $(sed -n 's/ in .*//; 2p' "$work/stdout") $(ls "$folder/shards" | wc -l)" '0 2-runs: 2 runs 0'
run "$folder/2-runs.sh" 104 1
run "$folder/2-merge.sh" 105
verdict 'R-CL-15: and they are merged' "$code $(same "$db" "$work/f.db")" '1 same'
fresh
sw/bin/qsm-cc -DROOM=64 tb/cli/kernels.c -o "$work/k.elf" || exit 2
scenario "$file" 'config: demo' 'size: S' 'cycles: 40000' 'kernels:' '  - {program: matmul, goal: 10%}' '  - {elf: k.elf, symbol: [fill_pair, outside], grid: [5], block: [8], args: [buffer 4096, 1073741824], launches: 1}'
"$qsm" sweep --quiet --db "$work/g.db" "$file" 2>/dev/null
slurm --quiet
run "$folder/1-references.sh" 101 1
run "$folder/1-runs.sh" 102 1
verdict 'R-CL-4: a run whose reference failed is left' "$code $(head -n 1 "$work/stdout")" '1 1-runs, task 1: 2 runs, 0 done before, 1 now, 0 failed, 1 left'
run "$folder/1-merge.sh" 103
verdict 'R-CL-4: and marked by the merge' "$code $(same "$db" "$work/g.db")" '1 same'

# ---- References that are known ----

fresh
small_sweep "$file"
"$qsm" sweep --quiet --db "$db" "$file"
edit "$db" "PRAGMA foreign_keys = ON; DELETE FROM runs WHERE position IS NOT NULL"
slurm --quiet
run "$folder/1-runs.sh" 101 1
run "$folder/1-merge.sh" 102
verdict 'R-CL-3: a part without runs has no array' "$code $(cat "$work/calls" | paste -sd '|') $(same "$db" "$work/local.db")" '0 sbatch --parsable 1-runs.sh|sbatch --parsable --dependency=afterany:101 1-merge.sh same'

# ---- The scheduler's complaints, and other trouble ----

fresh
refuses 'R-CL-14: no sbatch' 3 'squeue: not on the path; --slurm needs Slurm'"'"'s commands' env PATH=/usr/bin-without "$qsm" sweep --slurm --db "$db" "$file"
mv "$work/bin/sbatch" "$work/aside/"
ln -s "$(command -v true)" "$work/aside/true"
refuses 'R-CL-14: no sbatch beside squeue' 3 'sbatch: not on the path; --slurm needs Slurm'"'"'s commands' env PATH="$work/bin" "$qsm" sweep --quiet --slurm --db "$db" "$file"
mv "$work/aside/sbatch" "$work/bin/"
fresh
echo 1-references >"$work/refuse"
refuses 'R-CL-14: unknown partition' 3 'sbatch: Batch job submission failed: Invalid partition name specified' "$qsm" sweep --quiet --slurm --db "$db" --partition moon "$file"
echo 2-merge >"$work/refuse"
call "$qsm" sweep --quiet --slurm --db "$db" "$file"
verdict 'R-CL-14: what was submitted is cancelled' "$code $(tail -n 2 "$work/calls" | paste -sd '|')" '3 scancel 101|scancel 102'
rm "$work/refuse"
exec 9>"$folder/lock" && flock 9
refuses 'R-CL-11: two submissions at a time' 3 "$folder: another qsm sweep submits or merges" "$qsm" sweep --slurm --db "$db" "$file"
exec 9>&-
slurm --quiet
last=$(cat "$work/last_job")
round=$(ls "$folder" | sed -n 's/\.tasks//p' | sort -n | tail -n 1)
call env SLURM_JOB_ID=7 SLURM_ARRAY_TASK_ID=1 bash -c "trap '' XFSZ; ulimit -f 30; exec bash '$folder/$round-references.sh'"
verdict 'no room for a shard' "$code $(sed 's/shards.*: /shards: /' "$work/stderr" | plain | tail -n 1)" '3 qsm: WORK/s.slurm/shards: disk I/O error'
run "$folder/$round-references.sh" "$((last - 2))" 1
run "$folder/$round-runs.sh" "$((last - 1))" 1
run "$folder/$round-merge.sh" "$last"
verdict 'and with room it goes on' "$code $(same "$db" "$work/local.db")" '0 same'
refuses 'a task outside of a job' 2 '--task: only in a job of Slurm (SLURM_ARRAY_TASK_ID and SLURM_JOB_ID are not set)' bash "$folder/$round-runs.sh"
run "$folder/$round-runs.sh" 300 77
verdict 'no such task' "$code $(plain "$work/stderr")" "3 qsm: WORK/s.slurm/$round.tasks: has no task runs 77"
refuses 'nothing submitted' 3 "$work/n.slurm: nothing has been submitted" "$qsm" sweep --slurm --merge --db "$work/n.db" "$file"
refuses 'a path that scripts cannot hold' 2 "$work/50%.slurm: scripts for Slurm take no path with a quotation mark, a line's end or one of \\ % [ * ?" "$qsm" sweep --slurm --dry-run --db "$work/50%.db" "$file"

# usage WHAT MESSAGE OPTION...: a wrong command line.
usage() {
  local what=$1 message=$2
  shift 2
  call "$qsm" sweep "$@" "$file"
  verdict "$what" "$code $(head -n 1 "$work/stderr")" "2 qsm sweep: $message"
}
usage 'an option of the cluster alone' '--partition needs --slurm' --partition short
usage '--jobs on a cluster' '--jobs goes without --slurm; --cpus says how many runs a task does at a time' --slurm --jobs 3
usage 'a wrong time' '--time 1:2:3:4: must be MINUTES, MINUTES:SECONDS, H:MM:SS or D-HH[:MM[:SS]]' --slurm --time 1:2:3:4
usage 'no time at all' '--task-time 0:00: must be MINUTES, MINUTES:SECONDS, H:MM:SS or D-HH[:MM[:SS]]' --slurm --task-time 0:00
usage 'days without hours' '--time 1-: must be MINUTES, MINUTES:SECONDS, H:MM:SS or D-HH[:MM[:SS]]' --slurm --time 1-
usage 'no cores' '--cpus 0: must be a number from 1 on' --slurm --cpus 0
usage 'a wrong partition' "--partition 'a b': no name of a partition" --slurm --partition 'a b'
usage 'a wrong option of sbatch' "--sbatch 'account=x': must be an option of sbatch, like --account=NAME" --slurm --sbatch account=x
usage 'two actions' 'one of --status, --merge at a time' --slurm --status --merge
usage 'a dry status' '--dry-run goes without --status' --slurm --status --dry-run
finish
