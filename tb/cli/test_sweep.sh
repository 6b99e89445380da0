#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# qsm sweep: what a file stands for, what the database then holds, interruptions, runs that fail, mistakes in the file, trouble with the database.
. "$(dirname "$0")/sweep.sh"
file=$work/s.yaml db=$work/s.db
sw/bin/qsm-cc -DROOM=64 tb/cli/kernels.c -o "$work/k.elf" || exit 2

# ---- What a file stands for ----

# lists WHAT EXPECTED LINE...: the runs of a sweep on tiny with these lines; EXPECTED has them separated by " | ".
lists() {
  local what=$1 expected=$2
  shift 2
  scenario "$file" 'config: tiny' 'cycles: 10000' 'size: S' "$@"
  call "$qsm" sweep --dry-run "$file"
  verdict "$what" "$code $(grep -v '^qsm' "$work/stderr")$(sed 's/, seed 1$//; $d' "$work/stdout" | paste -sd '|' | sed 's/|/ | /g')" "0 $expected"
}

lists 'no list: one run' 'none, vadd' 'kernels: [{program: vadd}]'
lists 'the last list changes fastest' \
  'none, vadd, goal 50% | none, vadd, goal 60% | none, pc, goal 50% | none, pc, goal 60% | naive, vadd, goal 50% | naive, vadd, goal 60% | naive, pc, goal 50% | naive, pc, goal 60%' \
  'scheme: [none, naive]' 'kernels: [{program: [vadd, pc], goal: [50%, 60%]}]'
lists 'names of variants' 'lrr epoch=1000, vadd | lrr epoch=2000, vadd | gto epoch=1000, vadd | gto epoch=2000, vadd' \
  'policy: [lrr, gto]' 'epoch: [1000, 2000]' 'kernels: [{program: vadd}]'
lists 'pairs of two programs' 'none, vadd + pc | none, pc + vadd' 'programs: distinct' 'kernels: [{program: &all [vadd, pc]}, {program: *all}]'
lists 'a program beside itself' 'none, vadd + vadd | none, pc + pc' 'programs: same' 'kernels: [{program: &all [vadd, pc]}, {program: *all}]'
lists 'any pair' 'none, vadd + vadd | none, vadd + pc | none, pc + vadd | none, pc + pc' 'kernels: [{program: &all [vadd, pc]}, {program: *all}]'
lists 'variants: several keys together' 'gto, vadd | qaws budget=2, vadd | qaws budget=4, vadd | paper, vadd' 'kernels: [{program: vadd}]' \
  'variants:' '  - policy: gto' '  - {policy: qaws, kernels: [{budget: [2, 4]}]}' '  - {label: paper, scheme: rollover, alpha_cap: off, rollover_cap: off}'
verdict 'labels' "$("$qsm" sweep --quiet --db "$work/label.db" "$file" && query "$work/label.db" 'SELECT label FROM runs WHERE position NOTNULL ORDER BY position' | paste -sd '|')" \
  'gto|qaws budget=2|qaws budget=4|paper'
lists 'cases: kernels that go together' 'lrr, vadd + pc, goal 50%, 20% | gto, vadd + pc, goal 50%, 20% | lrr, spmv, goal 70% | gto, spmv, goal 70%' 'policy: [lrr, gto]' \
  'cases:' '  - kernels: [{program: vadd, goal: 50%}, {program: pc, goal: 20%}]' '  - kernels: [{program: spmv, goal: 70%}]'
lists 'a variant replaces a key of the file' 'lrr, vadd' 'policy: gto' 'kernels: [{program: vadd}]' 'variants: [{policy: lrr}]'
lists 'a list of lists for a key that is a list' 'grid=1, fill | grid=2, fill' 'kernels:' "  - {elf: k.elf, symbol: fill, args: [buffer 64], grid: [[1], [2]], block: [8]}"
lists 'rules of quotas, and margins' 'quota_rules=none, vadd | quota_rules=unfed, vadd | quota_rules=unfed,pooled, vadd' \
  'scheme: rollover' 'kernels: [{program: vadd}]' 'quota_rules: [[], [unfed], [unfed, pooled]]'
lists 'goals of several kinds' 'none, vadd, goal deadline_us 900 copies 2 | none, vadd, goal per_second 5 | none, vadd, goal 50%' \
  'kernels: [{program: vadd, goal: [{deadline_us: 900, copies: 2}, {per_second: 5}, 50%]}]'
scenario "$file" 'config: tiny' 'cycles: 10000' 'size: S' 'policy: [lrr, gto]' 'scheme: [none, naive, rollover]' 'seed: [1, 2]' 'kernels: [{program: [vadd, pc], goal: [10%, 20%]}]'
call "$qsm" sweep --dry-run "$file"
verdict 'references are shared by schemes and goals' "$code $(tail -n 1 "$work/stdout")" '0 48 runs, and 8 of a kernel alone'

scenario "$file" 'config: tiny' 'cycles: 10000' 'size: S' 'scheme: [rollover, rollover_time]' 'quota_rules: [[], [unfed]]' 'goal_margin: [0%, 1/64]' 'kernels: [{program: vadd, goal: 10%}]'
call "$qsm" sweep --dry-run "$file"
verdict 'references are shared by rules of quotas and margins' "$code $(tail -n 1 "$work/stdout")" '0 8 runs, and 1 of a kernel alone'
scenario "$file" 'config: tiny' 'cycles: 10000' 'size: S' 'scheme: [rollover, rollover_paper]' 'alpha_cap: off' 'rollover_cap: off' 'kernels: [{program: vadd, goal: 10%}]'
call "$qsm" sweep --dry-run "$file"
verdict 'rollover_paper is a scheme' "$code $(sed 's/, seed 1$//' "$work/stdout" | paste -sd '|')" '0 rollover, vadd, goal 10%|rollover_paper, vadd, goal 10%|2 runs, and 1 of a kernel alone'

scenario "$file" 'config: odd' 'cycles: 10000' 'size: S' 'scheme: sm_static' 'kernels: [{program: vadd, instance: [3/7, 4/7]}, {program: pc, instance: 3/7, thread_limit: [60%, 70%]}]'
call "$qsm" sweep --dry-run "$file"
verdict 'references are shared by limits and instances' "$code $(tail -n 1 "$work/stdout") $(grep -c 'instance=4/7' "$work/stdout")" '0 4 runs, and 2 of a kernel alone 2'

# ---- What the database holds ----

small_sweep "$file"
call "$qsm" sweep --db "$db" --jobs 2 "$file"
verdict 'a sweep' "$code $(cat "$work/stdout")" "0 $file: 10 runs, 0 of them done before; database $db
10 runs, 0 failed; tables: qsm report $db"
verdict 'progress by tenths' "$(sed 's/, [0-9:]* left//' "$work/stderr" | tail -n 2 | paste -sd '|')" '   90 %  9 of 10 runs, 0 failed|  100 %  10 of 10 runs, 0 failed'
verdict 'its runs' "$(query "$db" "SELECT reference, status, count(*), count(position), sum(exit_code) FROM runs GROUP BY 1")" $'0 ok 8 8 0\n1 ok 2 0 0'
scenario "$work/one.yaml" 'config: tiny' 'size: S' 'cycles: 20000' 'scheme: rollover' 'kernels: [{program: pc, goal: 90%}]'
call "$qsm" run --quiet --out "$work/one" "$work/one.yaml"
value() { sed -n "s/^.*\"$1\":[[:space:]]*\([^,]*\),\{0,1\}$/\1/p" "$work/one/result.json" | head -n 1; }
here="WHERE variant = 'rollover' AND programs = 'pc' AND goal = '90%'"
verdict 'a run measures what qsm run does' "$(query "$db" "SELECT instructions, launches, reached FROM kernels JOIN runs ON id = run $here")" \
  "$(value thread_instructions) $(value launches) $([ "$(value reached)" = true ] && echo 1 || echo 0)"
verdict 'and alone' "$(query "$db" "SELECT printf('%.9f', alone_ipc), printf('%.9f', goal_ipc) FROM results WHERE variant = 'rollover' AND name = 'pc' AND goals = '90%'")" \
  "$(printf '%.9f %.9f' "$(value isolated_ipc)" "$(value goal_ipc)")"
verdict 'epochs add up' "$(query "$db" "SELECT count(*), max(e.cycle), sum(e.instructions) = max(k.instructions) FROM epochs e JOIN kernels k USING (run, slot) JOIN runs ON id = run $here")" '20 20000 1'

# ---- Launches ----

# A launch of pc takes longer than the run: its age. One of vadd as long as those before it, and they end one after the other.
scenario "$work/times.yaml" 'config: tiny' 'size: S' 'cycles: 20000' 'kernels: [{program: [pc, vadd]}]'
call "$qsm" sweep --quiet --db "$work/times.db" "$work/times.yaml"
verdict 'launch times are by rank' "$code $(query "$work/times.db" "SELECT name, kills, launches > 0, p50 <= p99 AND p99 <= longest, longest <= 20000,
  abs(launches * p50 - 20000) < 2 * longest FROM launch_times JOIN kernels USING (run, slot) JOIN runs ON id = run WHERE position NOTNULL ORDER BY position" | paste -sd '|')" \
  '0 pc 0 1 1 1 1|vadd 0 1 1 1 1'
# illegal faults at once, is launched again, and another tenant goes on beside it; without relaunch the run is wrong.
faulty() { scenario "$work/faulty.yaml" 'config: tiny' 'size: S' 'cycles: 20000' 'kernels:' '  - {program: vadd}' "  - {elf: k.elf, symbol: illegal, grid: [4], block: [4], args: [buffer 64]$1}"; }
faulty ', relaunch: yes'
call "$qsm" sweep --quiet --db "$work/faulty.db" "$work/faulty.yaml"
verdict 'a launch that is killed is followed by the next' "$code $(query "$work/faulty.db" "SELECT kills > 2, launches, longest < 10000, checks_failed FROM launch_times JOIN kernels USING (run, slot)
  JOIN runs ON id = run WHERE position NOTNULL AND slot = 1") $(query "$work/faulty.db" "SELECT kills, launches > 0, checks_failed FROM launch_times JOIN kernels USING (run, slot)
  JOIN runs ON id = run WHERE position NOTNULL AND slot = 0")" '0 1 0 1 0 0 1 0'
faulty ''
call "$qsm" sweep --quiet --db "$work/faulty.db" "$work/faulty.yaml"
verdict 'without relaunch it ends the kernel' "$code $(grep -c 'kernel illegal was killed: cause 2' "$work/stderr")" '1 1'

verdict 'a scenario is JSON' "$(query "$db" "SELECT json_extract(scenario, '\$.scheme'), json_extract(scenario, '\$.kernels[0].goal') FROM runs $here")" 'rollover 90%'
verdict 'the database is one file' "$(ls "$db"*)" "$db"
call "$qsm" sweep --db "$db" "$file"
verdict 'nothing to do again' "$code $(head -n 1 "$work/stdout")" "0 $file: 10 runs, 10 of them done before; database $db"
call "$qsm" sweep --quiet --db "$work/serial.db" --jobs 1 "$file"
verdict 'one worker finds the same' "$code $(diff <(results "$db") <(results "$work/serial.db"))" '0 '
sed 's/50%, 90%/50%/' "$file" >"$work/less.yaml"
call "$qsm" sweep --db "$db" "$work/less.yaml"
verdict 'an edited sweep shows its own runs' "$code $(query "$db" 'SELECT count(position), count(*) FROM runs')" '0 4 10'
call env -C "$work" QSM_ROOT="$work/root" "$qsm" sweep --quiet "$file"
verdict 'another root without configurations' "$code $(cat "$work/stderr")" "2 qsm: $work/root/configs/tiny.yaml: cannot open: No such file or directory"
mkdir -p "$work/root/build" && ln -s "$PWD/build/sw" "$work/root/build/sw" && cp -r configs "$work/root/"
call env -C "$work" QSM_ROOT="$work/root" "$qsm" sweep --quiet "$file"
verdict 'the database by default' "$code $(ls "$work/qsm-results")" '0 s.db'
sed -i 's/^mem_latency: .*/mem_latency: 60/' "$work/root/configs/tiny.yaml"
call env -C "$work" QSM_ROOT="$work/root" "$qsm" sweep "$file"
verdict 'another configuration is another run' "$code $(head -n 1 "$work/stdout")" "0 $file: 10 runs, 0 of them done before; database qsm-results/s.db"

# ---- Interruptions ----

n_ok() { query "$1" "SELECT count(*) FROM runs WHERE status = 'ok'" 2>/dev/null; }
# started_with DATABASE N: a sweep of long runs in the background, which has done N runs; its process is $sweep.
started_with() {
  small_sweep "$work/long.yaml" 2000000
  "$qsm" sweep --db "$1" --jobs 2 "$work/long.yaml" >"$work/long.out" 2>"$work/long.err" &
  sweep=$!
  for _ in $(seq 600); do
    [ "$(n_ok "$1")" -ge "$2" ] 2>/dev/null && return
    sleep 0.05
  done
}
started_with "$work/kill.db" 3
kill -9 $sweep
wait $sweep 2>/dev/null
sleep 0.2
before=$(n_ok "$work/kill.db")
[ "$before" -ge 3 ] && [ "$before" -lt 10 ] && partly=yes
verdict 'a killed sweep keeps what was done' "${partly:-no, $before}" yes
verdict 'its workers are gone' "$(pgrep -f "sweep --db $work/kill.db")" ''
query "$work/kill.db" "SELECT id, ended_at, cpu_s FROM runs WHERE status = 'ok'" >"$work/kept"
call "$qsm" sweep --db "$work/kill.db" "$work/long.yaml"
verdict 'the same command goes on' "$code $(head -n 1 "$work/stdout")" "0 $work/long.yaml: 10 runs, $before of them done before; database $work/kill.db"
verdict 'what was done is not done again' "$(query "$work/kill.db" "SELECT id, ended_at, cpu_s FROM runs" | sort | comm -13 - <(sort "$work/kept"))" ''
call "$qsm" sweep --quiet --db "$work/whole.db" "$work/long.yaml"
verdict 'in the end all is as without the kill' "$code $(diff <(results "$work/kill.db") <(results "$work/whole.db"))" '0 '
started_with "$work/int.db" 2
refuses 'a second sweep on the database' 3 "$work/int.db: in use by another qsm sweep" "$qsm" sweep --quiet --db "$work/int.db" "$file"
call "$qsm" report --table runs "$work/int.db"
verdict 'a report meanwhile' "$code $(wc -l <"$work/stdout")" '0 4'
kill -INT $sweep
wait $sweep
code=$?
done=$(n_ok "$work/int.db")
verdict 'Ctrl-C' "$code $(grep '^qsm' "$work/long.err")" "130 qsm: interrupted: $done of 10 runs done, $((10 - done)) remain; the same command goes on from there"

# ---- Runs that fail ----

scenario "$file" 'config: demo' 'size: S' 'cycles: [40000, 60000]' 'kernels:' '  - {program: matmul, goal: 10%}' \
  '  - {elf: k.elf, symbol: [fill_pair, outside, endless_pair], grid: [5], block: [8], args: [buffer 4096, 1073741824], launches: 1}'
call "$qsm" sweep --db "$work/f.db" "$file"
verdict 'a sweep goes on after failures' "$code $(tail -n 1 "$work/stdout")" "1 14 runs, 8 failed; tables: qsm report $work/f.db"
verdict 'failures are told' "$(grep -c '^qsm: ' "$work/stderr")" 8
verdict 'errors of references' "$(query "$work/f.db" "SELECT exit_code, signal, error FROM runs WHERE status = 'failed' AND reference ORDER BY error" | sed 's/PC 0x[0-9A-F]*/PC/; s/issued [1-9][0-9]*/issued N/')" \
  '1 None kernel endless_pair did not finish within 40000 cycles (0 of 1 passes); running: its warps issued N instructions in 1000 cycles
1 None kernel endless_pair did not finish within 60000 cycles (0 of 1 passes); running: its warps issued N instructions in 1000 cycles
1 None kernel outside was killed: cause 7 at PC, thread 2 of block 3, value 0x40000000
1 None kernel outside was killed: cause 7 at PC, thread 2 of block 3, value 0x40000000'
verdict 'runs without a reference' "$(query "$work/f.db" "SELECT DISTINCT programs, exit_code, replace(error, alone, 'N') FROM runs JOIN (SELECT id AS alone FROM runs WHERE reference)
  ON error LIKE '% ' || alone || ',%' WHERE position IS NOT NULL AND status = 'failed' ORDER BY 1")" \
  'matmul + endless_pair 1 no reference: run N, its kernel alone, failed
matmul + outside 1 no reference: run N, its kernel alone, failed'
call "$qsm" sweep --db "$work/f.db" "$file"
verdict 'failed runs are not run again' "$code $(head -n 1 "$work/stdout")" "1 $file: 14 runs, 14 of them done before (failed ones again with --retry); database $work/f.db"
call "$qsm" sweep --retry --db "$work/f.db" "$file"
verdict 'but with --retry' "$code $(head -n 1 "$work/stdout") $(grep -c '^qsm: ' "$work/stderr")" "1 $file: 14 runs, 6 of them done before; database $work/f.db 8"
scenario "$file" 'config: tiny' 'size: S' 'cycles: 20000' 'kernels: [{program: vadd, goal: [50%, 2000]}]'
call "$qsm" sweep --quiet --db "$work/g.db" "$file"
verdict 'goal above what the kernel reaches alone' "$code $(sed 's/reaches .*/reaches/' "$work/stderr")" \
  "1 qsm: none, vadd, goal 2000, seed 1: $file: kernel vadd: goal of 2000.000 thread instructions per cycle, alone it reaches"
scenario "$file" 'config: tiny' 'size: S' 'cycles: [100000000, 10000]' 'kernels: [{program: vadd}]'
"$qsm" sweep --quiet --jobs 1 --db "$work/c.db" "$file" 2>"$work/crash.err" &
sweep=$!
for _ in $(seq 200); do
  worker=$(pgrep -P $sweep) && break
  sleep 0.05
done
kill -SEGV "$worker"
wait $sweep
verdict 'a crash is one failed run' "$? $(query "$work/c.db" "SELECT status, signal, error FROM runs ORDER BY status, reference DESC")" \
  '1 failed 11 ended by signal 11 (Segmentation fault)
failed None no reference: run 1, its kernel alone, failed
ok None None
ok None None'

# ---- Mistakes in the file ----

# bad WHAT MESSAGE LINE...: a sweep on tiny with these lines from line 4 on is refused.
bad() {
  local what=$1 message=$2
  shift 2
  scenario "$file" 'config: tiny' 'cycles: 10000' 'size: S' "$@"
  refuses "$what" 2 "$message" "$qsm" sweep --quiet --db "$work/bad.db" "$file"
}
refuses 'no such file' 2 "$work/none.yaml: cannot open: No such file or directory" "$qsm" sweep "$work/none.yaml"
scenario "$file" ''
refuses 'empty file' 2 "$file:1: the file is empty" "$qsm" sweep "$file"
scenario "$file" '- vadd'
refuses 'a list' 2 "$file:1: must be keys of a scenario with their values" "$qsm" sweep "$file"
bad 'broken YAML' "$file:5: did not find expected ',' or ']'" 'kernels: [{program: vadd}'
bad 'no kernels' "$file:1: Missing required mapping field: kernels" 'seed: 2'
bad 'unknown key' "$file:5: Unexpected key: polizy" 'kernels: [{program: vadd}]' 'polizy: [gto, lrr]'
bad 'key given twice' "$file:1: Mapping field already seen: config" 'config: demo' 'kernels: [{program: vadd}]'
bad 'wrong value in a list' "$file:5: policy: 'fifo': must be one of $(names policy)" 'kernels: [{program: vadd}]' 'policy: [gto, fifo]'
bad 'wrong number' "$file:5: seed: '1k': must be a number, 0..1152921504606846975" 'kernels: [{program: vadd}]' 'seed: [1, 1k]'
bad 'wrong value in a kernel' "$file:6: goal: '101%': more than the kernel reaches alone" 'kernels:' '  - program: vadd' '    goal: [50%, 101%]'
bad 'unknown program' "$file:4: program: unknown program 'raytrace'; \`qsm kernels\` lists them" 'kernels: [{program: [vadd, raytrace]}]'
bad 'empty list' "$file:4: scheme: the list is empty" 'scheme: []' 'kernels: [{program: vadd}]'
bad 'a list of lists' "$file:4: scheme: must be a value or a list of values" 'scheme: [[none]]' 'kernels: [{program: vadd}]'
bad 'a mapping as value' "$file:5: budget: must be a value or a list of values" 'kernels:' '  - {program: vadd, budget: {least: 5}}'
bad 'a mapping in a goal' "$file:5: goal: must be a value or a list of values" 'kernels:' '  - {program: vadd, goal: {per_second: {least: 5}}}'
bad 'a goal of an unknown kind' "$file:5: goal: no such key: least" 'kernels:' '  - {program: vadd, goal: {least: 50%}}'
bad 'kernels that are no list' "$file:4: kernels: must be a list of kernels" 'kernels: vadd'
bad 'a kernel that is a word' "$file:4: must be keys of a scenario with their values" 'kernels: [vadd]'
bad 'nine kernels' "$file:4: kernels: more than 8" 'kernels: [{}, {}, {}, {}, {}, {}, {}, {}, {}]'
bad 'variants that are no list' "$file:4: variants: must be a list of keys of a scenario with their values" 'variants: gto' 'kernels: [{program: vadd}]'
bad 'no cases' "$file:4: cases: must be a list of keys of a scenario with their values" 'cases: []' 'kernels: [{program: vadd}]'
bad 'wrong value in a variant' "$file:6: policy: 'fifo': must be one of $(names policy)" 'kernels: [{program: vadd}]' 'variants:' '  - policy: fifo'
bad 'label that is a list' "$file:5: label: must be a text" 'variants:' '  - {policy: gto, label: [a, b]}' 'kernels: [{program: vadd}]'
bad 'two names for one run' "$file:1: 'a, vadd, seed 1' and 'b, vadd, seed 1' run the same; one of them has to go" 'kernels: [{program: vadd}]' \
  'variants: [{label: a}, {label: b}]'
bad 'two runs with one name' "$file:1: two runs are both called 'none, vadd, seed 1'; a label or a name tells them apart" 'kernels: [{program: [vadd, vadd]}]'
bad 'wrong programs' "$file:4: programs: must be one of any, distinct, same" 'programs: all' 'kernels: [{program: vadd}]'
bad 'no run left' "$file:1: no run is left: programs: distinct leaves out every combination" 'programs: distinct' 'kernels: [{program: vadd}, {program: vadd}]'
bad 'a comparison inside a run' "$file:4: compare_without_qos: a sweep compares by scheme: [none, ...]" 'compare_without_qos: yes' 'kernels: [{program: vadd}]'
bad 'no such ELF' "$file: kernels[0]: $work/none.elf: cannot read: No such file or directory" 'kernels: [{elf: none.elf, symbol: fill}]'
bad 'more runs than a sweep has' "$file:1: more than 100000 runs" "seed: [$(seq -s, 400)]" "epoch: [$(seq -s, 1000 1400)]" 'kernels: [{program: vadd}]'
scenario "$file" 'config: [tiny, huge]' 'cycles: 10000' 'kernels: [{program: vadd}]'
refuses 'unknown configuration' 2 "$PWD/configs/huge.yaml: cannot open: No such file or directory" "$qsm" sweep --quiet --db "$work/bad.db" "$file"
verdict 'a refused sweep makes no database' "$(ls "$work/bad.db" 2>&1 | grep -c 'No such file')" 1

# ---- Trouble with the database ----

small_sweep "$file"
echo 'a text file, long enough to be none of a database, whatever SQLite thinks of shorter ones' >"$work/text.db"
refuses 'no database' 3 "$work/text.db: file is not a database" "$qsm" sweep --quiet --db "$work/text.db" "$file"
query "$work/other.db" 'CREATE TABLE stamps (country)'
refuses "another program's database" 3 "$work/other.db: a database of another program" "$qsm" sweep --quiet --db "$work/other.db" "$file"
cp "$db" "$work/new.db" && query "$work/new.db" 'PRAGMA user_version = 7'
refuses 'database of another version' 3 "$work/new.db: made by another version of qsm (tables of version 7, this one knows 2)" "$qsm" sweep --quiet --db "$work/new.db" "$file"
refuses 'no such folder' 3 "$work/none/s.db: No such file or directory" "$qsm" sweep --quiet --db "$work/none/s.db" "$file"
refuses 'a folder' 3 "$work/root: Is a directory" "$qsm" sweep --quiet --db "$work/root" "$file"
head -c 6000 "$db" >"$work/cut.db"
refuses 'database cut short' 3 "$work/cut.db: database disk image is malformed" "$qsm" sweep --quiet --db "$work/cut.db" "$file"
sed 's/cycles: .*/cycles: 300000/' "$file" >"$work/full.yaml"
call bash -c "trap '' XFSZ; ulimit -f 100; exec '$qsm' sweep --quiet --jobs 1 --db '$work/full.db' '$work/full.yaml'"
verdict 'no room for the database' "$code $(sed 's/[0-9]* of 10/N of 10/; s/[0-9]* remain/M remain/' "$work/stderr")" "3 qsm: $work/full.db: disk I/O error
qsm: stopped: N of 10 runs done, M remain; the same command goes on from there"
call "$qsm" sweep --quiet --db "$work/full.db" "$work/full.yaml"
verdict 'and with room it goes on' "$code $(n_ok "$work/full.db")" '0 10'
finish
