#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# qsm sweep --slurm with Slurm (docs/cluster.md): 500 runs on four nodes, of which two are killed, one comes back and one goes on while it is thought lost. Not in
# make test, which has neither the packages nor the minutes: make test-slurm, make test-full.
. "$(dirname "$0")/../system/fuzz.sh"
only_in_full 'sweeps on a cluster of four nodes'
. "$(dirname "$0")/../cli/sweep.sh"
. "$(dirname "$0")/cluster.sh"
scripts/apt_install.sh slurm-wlm munge || exit 2
trap 'stop_cluster; rm -rf "$work"' EXIT
export QSM_ROOT=$PWD
unset CMOCKA_MESSAGE_OUTPUT
file=$work/many.yaml
# 25 references, 500 runs; long enough that what a task costs besides is small.
scenario "$file" 'config: tiny' 'size: S' "cycles: ${QSM_SLURM_CYCLES:-1000000}" 'epoch: 20000' "seed: [$(seq -s ', ' 25)]" 'scheme: [naive, rollover]' \
  'kernels:' '  - program: pc' '    goal: [50%, 55%, 60%, 65%, 70%, 75%, 80%, 85%, 90%, 95%]'
start_cluster || { cat "$cluster"/log/*; exit 1; }
echo "# load before: $(cat /proc/loadavg)"

# ---- One machine ----

python3 - "$qsm" sweep --quiet --jobs 2 --db "$work/local.db" "$file" >"$work/local.times" <<'END'
import resource, subprocess, sys, time
start = time.time()
code = subprocess.call(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(code, used.ru_utime + used.ru_stime, time.time() - start)
END
read -r code local_cpu local_wall <"$work/local.times"
verdict 'one machine' "$code $(n_done "$work/local.db")" '0 525'

# ---- The cluster, undisturbed ----

nothing_left() { [ -z "$(squeue --noheader --array --format=%i)" ]; }
shards() { find "$work/$1.slurm/shards" -name '*.db'; }
# done_in NAME: results in all shards, those of references too.
done_in() {
  local sum=0 n
  while read -r shard; do
    n=$(n_done "$shard" 2>/dev/null) && sum=$((sum + n))
  done < <(shards "$1")
  echo $sum
}
# Tasks of fifty runs each.
# Estimates are two million cycles of an SM per second; so many as 50 runs have.
estimate=$(query "$work/local.db" 'SELECT max(1, CAST(50.0 * max(cycles) / 2e6 AS INTEGER)) FROM runs')
start=$(date +%s.%N)
call "$qsm" sweep --slurm --partition short --task-time "0:$estimate" --db "$work/calm.db" "$file"
verdict 'a round' "$code $(grep -c 'job' "$work/stdout")" '0 3'
sed 's/^/# /' "$work/stdout"
wait_for 3000 nothing_left
calm_wall=$(python3 -c "import time; print(time.time() - $start)")
verdict 'the last job has merged all' "$(n_done "$work/calm.db") $(tail -n 2 "$work/calm.slurm/logs/1-merge.log" | head -n 1 | grep -o '[0-9]* failed, [0-9]* left')" '525 0 failed, 0 left'
verdict 'R-CL-4: undisturbed, all is as on one machine' "$(same "$work/calm.db" "$work/local.db")" same
# Useful work is what runs take by themselves; the rest is starting, waiting for them, keeping and merging.
python3 - "$work" "$local_cpu" "$local_wall" "$calm_wall" >"$work/efficiency" <<'END'
import glob, re, sqlite3, sys
work, local_cpu, local_wall, calm_wall = sys.argv[1], *map(float, sys.argv[2:])
useful = lambda db: sqlite3.connect(f"{work}/{db}.db").execute("SELECT sum(cpu_s) FROM runs").fetchone()[0]
logs = "".join(open(log).read() for log in glob.glob(work + "/calm.slurm/logs/*-[0-9]*.log"))
spent = sum(float(cpu) for cpu in re.findall(r"^([0-9.]+) s of CPU time", logs, re.M))
on_one, on_nodes = useful("local") / local_cpu, useful("calm") / spent
print(f"{100 * on_nodes / on_one:.1f} {100 * on_one:.1f} {100 * on_nodes:.1f} {useful('local'):.1f} {useful('calm'):.1f} {local_wall:.0f} {calm_wall:.0f}")
END
read -r ratio on_one on_nodes useful_one useful_nodes wall_one wall_nodes <"$work/efficiency"
echo "# useful share of CPU time: $on_one % on one machine ($useful_one s, two at a time in $wall_one s), $on_nodes % in the tasks ($useful_nodes s, four nodes in $wall_nodes s); nodes against one machine: $ratio %"
echo "# load: $(cat /proc/loadavg)"
verdict 'at least 95 % of linear, in CPU time' "$(awk -v ratio="$ratio" 'BEGIN { print (ratio >= 95 ? "yes" : ratio) }')" yes

# ---- Nodes that are lost ----

# Four long tasks, one on each node.
call "$qsm" sweep --slurm --partition short --task-time "0:$((estimate * 5 / 2 + 1))" --db "$work/lost.db" "$file"
verdict 'another round' "$code $(grep -o 'in 4 tasks' "$work/stdout")" '0 in 4 tasks'
runs=$(sed -n 's/runs //p' "$work/lost.slurm/1.jobs")
has_done() { [ "$(done_in lost)" -ge "$1" ]; }
wait_for 3000 has_done 100
node_of() { squeue --noheader --array --format='%F_%K %N' | sed -n "s/^${runs}_$1 n//p"; }
stopped=$(node_of 1) killed=$(node_of 2) killed_too=$(node_of 3)
kill_node "$killed"
kill_node "$killed_too"
kill -STOP "$(daemon "n$stopped")"
echo "# n$killed and n$killed_too killed, the daemon of n$stopped stopped: $(done_in lost) results in $(shards lost | wc -l) shards"
down() { [ "$(sinfo --noheader --format=%T --Node | grep -c '^down')" -ge "$1" ]; }
wait_for 600 down 3
verdict 'three nodes are thought lost, one of them goes on' "$(sinfo --noheader --format=%T --Node | grep -c '^down')" 3
start_node "$killed"
requeued() { shards lost | grep -q 'runs-[0-9]*\.[0-9]*\.[1-9][0-9]*\.db'; }
wait_for 600 requeued
verdict 'R-CL-6: tasks of lost nodes begin again' "$(requeued && echo yes)" yes
refuses 'R-CL-11: no second round meanwhile' 3 "$work/lost.slurm: job $runs (1-runs) is in the queue; --status shows how far it is, scancel $runs ends it" \
  "$qsm" sweep --slurm --db "$work/lost.db" "$file"
call "$qsm" sweep --slurm --status --db "$work/lost.db" "$file"
sed 's/^/# /' "$work/stdout"
verdict 'status' "$code $(grep -c "1-runs, job $runs: 500 runs" "$work/stdout")" '0 1'
wait_for 600 has_done "$(($(done_in lost) + 20))"
# All jobs are ended but the one that nobody can reach: it goes on beside the next round.
while read -r _ job; do scancel "$job"; done <"$work/lost.slurm/1.jobs"
wait_for 600 nothing_left
before=$(done_in lost)
call "$qsm" sweep --slurm --partition short --task-time "0:$((estimate / 2 + 1))" --db "$work/lost.db" "$file"
sed 's/^/# /' "$work/stdout"
missing=$(sed -n 's/^2-runs: \([0-9]*\) run.*/\1/p' "$work/stdout")
verdict 'the next round has what is missing, and no more' "$code $(cut -d ' ' -f 4- "$work/lost.slurm/2.tasks" | wc -w)" "0 ${missing:-none}"
wait_for 600 has_done "$((before + 20))"
kill -CONT "$(daemon "n$stopped")"
wait_for 3000 nothing_left
verdict 'nothing lost' "$(n_done "$work/lost.db") $(grep -o '[0-9]* failed, [0-9]* left' "$work/lost.slurm/logs/2-merge.log")" '525 0 failed, 0 left'
verdict 'nothing counted twice' "$(query "$work/lost.db" 'SELECT count(*), count(DISTINCT scenario || reference) FROM runs') $(query "$work/lost.db" 'SELECT count(*) FROM kernels')" '525 525 525'
verdict 'R-CL-7: every row but the times is as on one machine' "$(same "$work/lost.db" "$work/local.db")" same
verdict 'the second round did what was missing' "$(query "$work/lost.db" "SELECT count(*) FROM runs WHERE status = 'ok'") $((missing > 0 && missing < 500))" '525 1'
echo "# $(done_in lost) results in $(shards lost | wc -l) shards: $(($(done_in lost) - 525)) runs were done by two; $before before the second round of $missing runs"
echo "# load: $(cat /proc/loadavg)"
finish
