#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# qsm run: results, kernels that go wrong beside healthy ones, folders and tools that are missing, files of earlier runs.
. "$(dirname "$0")/common.sh"
file=$work/s.yaml out=$work/out
sw/bin/qsm-cc -DROOM=64 tb/cli/kernels.c -o "$work/k.elf" || exit 2

# run_pair SYMBOL LAUNCHES ARGS: a kernel of kernels.c beside a healthy program of the suite.
run_pair() {
  scenario "$file" 'config: demo' 'cycles: 60000' 'size: S' 'kernels:' \
    '  - elf: k.elf' "    symbol: $1" '    grid: [5]' '    block: [8]' "    args: [$3]" "    launches: $2" \
    '  - program: matmul' '    goal: 10%'
  call "$qsm" run --out "$out" "$file"
}

# The healthy program's checks in the table: some passed, none failed.
neighbour() { grep -qE ' matmul .* [1-9][0-9]* ok, 0 wrong$' "$work/stdout" && echo unharmed; }
complaint() { grep '^qsm: ' "$work/stderr"; }
# The value of a key of the first kernel, or of the fault, in result.json.
every() { sed -n "s/^.*\"$1\":[[:space:]]*\([^,]*\),\{0,1\}$/\1/p" "$out/result.json" | paste -sd ,; }
result() { sed -n "s/^.*\"$1\":[[:space:]]*\([^,]*\),\{0,1\}$/\1/p" "$out/result.json" | head -n 1; }

run_pair fill 2 'buffer 4096'
verdict 'healthy pair' "$code $(complaint) $(neighbour) $(result launches) $(result fault)" '0  unharmed 2 null'
verdict 'files of a run' "$(ls "$out" | paste -sd ' ')" 'plot.svg result.json'
run_pair illegal 1 'buffer 4096'
verdict 'illegal instruction' "$code $(complaint | sed 's/PC 0x[0-9A-F]*/PC/') $(neighbour)" \
  '1 qsm: kernel illegal was killed: cause 2 at PC, thread 1 of block 2, value 0x00000000 unharmed'
verdict 'its fault in result.json' "$(result cause) $(result thread) $(result block) $(result value)" '2 1 2 0'
run_pair outside 1 'buffer 4096, 1073741824'
verdict 'store outside the windows' "$code $(complaint | sed 's/PC 0x[0-9A-F]*/PC/') $(neighbour)" \
  '1 qsm: kernel outside was killed: cause 7 at PC, thread 2 of block 3, value 0x40000000 unharmed'
run_pair outside 1 'buffer 4096, 2164260864'
verdict "store into another tenant's memory" "$code $(complaint | sed 's/PC 0x[0-9A-F]*/PC/') $(neighbour)" \
  '1 qsm: kernel outside was killed: cause 7 at PC, thread 2 of block 3, value 0x81000000 unharmed'
run_pair outside 1 'buffer 4096, 2147483648'
verdict 'store into its own code' "$code $(complaint | sed 's/PC 0x[0-9A-F]*/PC/') $(neighbour)" \
  '1 qsm: kernel outside was killed: cause 7 at PC, thread 2 of block 3, value 0x80000000 unharmed'
# On a GPU without FPU.
sed 's/^fpu: 1/fpu: 0/' configs/demo.yaml >"$work/integers.yaml"
scenario "$file" "config: $work/integers.yaml" 'cycles: 60000' 'kernels:' \
  '  - {elf: k.elf, symbol: scale, grid: [2], block: [8], args: [buffer 4096, 3], launches: 1}'
call "$qsm" run --out "$out" "$file"
verdict 'floating point without an FPU' "$code $(complaint | sed 's/PC 0x[0-9A-F]*/PC/; s/value 0x[0-9A-F]*/value FP/')" \
  '1 qsm: kernel scale was killed: cause 2 at PC, thread 0 of block 0, value FP: floating point, and this GPU has no FPU'
run_pair endless 1 'buffer 4096'
verdict 'infinite loop' "$code $(complaint | sed 's/issued [1-9][0-9]*/issued N/') $(neighbour)" '1 qsm: kernel endless did not finish within 60000 cycles (0 of 1 passes); running: its warps issued N instructions in 1000 cycles unharmed'

# Blocks of 16 threads fill the only SM of tiny: the second kernel finds no room, unless the first makes some.
scenario "$file" 'config: tiny' 'cycles: 20000' 'size: S' 'kernels: [{program: vadd}, {program: pc}]'
call "$qsm" run --quiet --out "$out" "$file"
verdict 'latecomer' "$code $(complaint)" '0 '
scenario "$file" 'config: tiny' 'cycles: 20000' 'size: S' 'latecomers: off' 'kernels: [{program: vadd}, {program: pc}]'
call "$qsm" run --quiet --out "$out" "$file"
verdict 'kernel without room' "$code $(complaint)" "1 qsm: kernel pc never ran; TB allocation: no SM has room for one of its blocks beside the others'"

# SMs of its own for each kernel.
scenario "$file" 'config: demo' 'cycles: 60000' 'epoch: 2000' 'size: S' 'scheme: sm_static' 'sm_gating: on' 'wake_latency: 100' \
  'kernels: [{program: vadd, sm_count: 1}, {program: pc, sm_count: 2}]'
call "$qsm" run --quiet --out "$out" "$file"
verdict 'whole SMs' "$code $(complaint) $(result moves) $([ "$(result gated_sm_cycles)" -gt 20000 ] && echo gated)" '0  4 gated'
scenario "$file" 'config: demo' 'cycles: 60000' 'epoch: 2000' 'size: S' 'scheme: sm_static' 'kernels: [{program: vadd, sm_count: 5}]'
call "$qsm" run --quiet --out "$out" "$file"
verdict 'more SMs than the GPU has' "$code $(complaint)" "2 qsm: $file: kernels[0]: slot 0: 5 SMs, must be 0..4"
# Limits of threads and instances (R-TB-15, R-XB-6): in the shared measurement only.
scenario "$file" 'config: smqos' 'cycles: 60000' 'size: M' 'scheme: sm_static' 'compare_without_qos: yes' \
  'kernels: [{program: matmul, instance: 4/7}, {program: spmv, instance: 3/7, goal: 10%}]'
call "$qsm" run --quiet --out "$out" "$file"
verdict 'instances' "$code $(complaint) $(every instance) $(every checks_failed)" \
  '0  "4/7","3/7",null,null 0,0,0,0'
alone=$(every isolated_ipc)
scenario "$file" 'config: smqos' 'cycles: 60000' 'size: M' 'kernels: [{program: matmul, thread_limit: 75%}, {program: spmv, thread_limit: 25%, goal: 10%}]'
call "$qsm" run --quiet --out "$out" "$file"
verdict 'limits of threads' "$code $(complaint) $(every thread_limit) $(every checks_failed)" '0  75,25 0,0'
verdict 'alone they make no difference' "$(every isolated_ipc),$(every isolated_ipc)" "$alone"
# Two goals of which the first needs the other's blocks (R-TA-5).
for priority in 0 1; do
  scenario "$file" 'config: demo' 'cycles: 200000' 'size: M' 'scheme: pace' 'adjust: switch' \
    "kernels: [{program: spmv, goal: 60%, priority: $priority}, {program: pc, goal: 10%}]"
  call "$qsm" run --quiet --out "$out" "$file"
  verdict "priority $priority" "$code $(complaint) $(every reached)" "0  $([ $priority = 1 ] && echo true || echo false),true"
done
for scheme in spart smqos sm_rollover; do
  scenario "$file" 'config: demo' 'cycles: 60000' 'epoch: 2000' 'size: S' "scheme: $scheme" 'move_technique: switch' \
    'sm_threshold: 2%' 'sm_step: 1' 'kernels: [{program: vadd, goal: 60%}, {program: pc}]'
  call "$qsm" run --quiet --out "$out" "$file"
  verdict "scheme $scheme" "$code $(complaint) $([ "$(result moves)" -ge 4 ] && echo moved)" '0  moved'
done

# Output
scenario "$file" 'config: tiny' 'cycles: 10000' 'size: S' 'kernels: [{program: vadd, goal: 50%}]'
call "$qsm" run --quiet --out "$out" "$file"
verdict 'quiet run' "$code $(cat "$work/stdout" "$work/stderr")" '0 '
verdict 'head of result.json' "$(result config) $(result backend) $(result policy) $(result scheme) $(result cycles) $(result seed) $(result lockstep)" \
  '"tiny" "model" "gto" "none" 10000 1 null'
verdict 'goal in result.json' "$(result name) $(result qos) $(result reached)" '"vadd" true true'
call "$qsm" run --quiet --out "$out" --seed 7 --cycles 20001 --config fpga "$file"
verdict 'command line goes before the scenario' "$code $(result config) $(result cycles) $(result seed)" '0 "fpga" 30000 7'
call "$qsm" run --quiet --out "$work/same" --seed 7 --cycles 20001 --config fpga "$file"
verdict 'same seed, same result' "$(diff <(grep -v cpu_s "$out/result.json") <(grep -v cpu_s "$work/same/result.json"))" ''

# A deadline: goal = instructions of a pass / cycles of the deadline. matmul alone within 100000 cycles, without quotas; its pass, counted otherwise.
timed() { # GOAL
  scenario "$work/timed.yaml" 'config: demo' 'cycles: 100000' 'size: S' "kernels: [{program: matmul, launches: 1, goal: $1}]"
  call "$qsm" run --quiet --out "$work/timed" "$work/timed.yaml"
  python3 -c '
import json, sys
kernel = json.load(open(sys.argv[1]))["kernels"][0]
print(round(kernel["goal_ipc"] * float(sys.argv[2]) / kernel["thread_instructions"], 3))' "$work/timed/result.json" "$2"
}
verdict 'a deadline of 2 ms: 150000 cycles' "$(timed '{deadline_us: 2000}' 150000)" 1.0
verdict 'transfers take of it: 25.4 us' "$(timed '{deadline_us: 2025.4, bytes: 64800, copies: 4}' 150000)" 1.0
verdict 'unless they overlap' "$(timed '{deadline_us: 2000, bytes: 64800, copies: 4, overlapped: yes}' 150000)" 1.0
verdict 'a rate of 400.5 per second' "$(timed '{per_second: 400.5}' 187266)" 1.0
scenario "$work/timed.yaml" 'config: demo' 'scheme: [none, rollover]' 'cycles: 100000' 'size: S' 'kernels: [{program: matmul, goal: {deadline_us: 1000}}, {program: pc}]'
call "$qsm" sweep --quiet --db "$work/timed.db" "$work/timed.yaml"
verdict 'a sweep knows deadlines' "$code $("$qsm" report "$work/timed.db" --table summary --csv | cut -d , -f 1-3 | paste -sd ' ')" \
  '0 variant,cases,met none,1,1 rollover,1,1'

# Behind an L2. passes CYCLES: whether more lines were written than were evicted (somebody has flushed), and the checks of both kernels.
passes() {
  scenario "$work/l2.yaml" 'config: demo+l2_kib-32+dram_banks-4' "cycles: $1" 'size: S' 'kernels: [{program: vadd}, {program: conv2d}]'
  call "$qsm" run --quiet --out "$work/l2" "$work/l2.yaml"
  python3 -c '
import json, sys
kernels = json.load(open(sys.argv[1]))["kernels"]
print("flushed" if sum(kernel["dram"]["writes"] - kernel["l2"]["victims"] for kernel in kernels) > 0 else "not flushed", end="")
for kernel in kernels:
    right, wrong = kernel["checks_passed"], kernel["checks_failed"]
    print(",", "more than 32" if right > 32 else "some" if right > 1 else right, f"right, {wrong} wrong", end="")' "$work/l2/result.json"
}
verdict 'passes follow each other without a flush of the L2, and all are checked' "$(passes 60000)" 'not flushed, some right, 0 wrong, some right, 0 wrong'
verdict 'when a kernel has written all its sets of outputs, they are checked at once' "$(passes 200000)" \
  'flushed, more than 32 right, 0 wrong, more than 32 right, 0 wrong'

# Caps: a kernel that stays behind its goal. figures KEY LINE: the first kernel's figure of each epoch with this line in the scenario.
figures() {
  scenario "$work/caps.yaml" 'config: demo' 'scheme: rollover' 'cycles: 120000' 'size: S' "$2" 'kernels: [{program: spmv, goal: 95%}, {program: conv2d}]'
  call "$qsm" run --quiet --out "$work/caps" "$work/caps.yaml"
  sed -n "s/^.*\"$1\":[[:space:]]*\[\(-\{0,1\}[0-9]*\),.*/\1/p" "$work/caps/result.json"
}
verdict 'alpha_cap 1: no factor on the goal' "$(figures quota 'alpha_cap: 1' | sort -u | wc -l)" 1
[ "$(figures quota 'alpha_cap: off' | sort -u | wc -l)" -gt 1 ] && grows=yes
verdict 'alpha_cap off: a factor' "${grows:-no}" yes
capped=$(figures counter 'rollover_cap: 1' | sort -n | tail -n 1)
[ "$(figures counter 'rollover_cap: off' | sort -n | tail -n 1)" -gt "$capped" ] && carries=yes
verdict 'rollover_cap off: more is carried over than with 1' "${carries:-no}" yes

# Rules of quotas (docs/qos_mgr.md R-QM-13), and the scheme that stands for some of them.
verdict 'no_alpha: no factor on the goal' "$(figures quota 'quota_rules: [no_alpha]' | sort -u | wc -l)" 1
verdict 'goal_margin 1/16: the controller aims higher' \
  "$(printf '%s %s\n' "$(figures quota $'quota_rules: [no_alpha]\ngoal_margin: 1/16' | head -n 1)" "$(figures quota 'quota_rules: [no_alpha]' | head -n 1)" | awk '{printf "%.4f", $1 / $2}')" 1.0625
plain=$(figures quota $'alpha_cap: off\nrollover_cap: off')
# paper LINE...: the same with these lines, and the scheme that the results name.
paper() {
  scenario "$work/caps.yaml" 'config: demo' 'cycles: 120000' 'size: S' "$@" 'kernels: [{program: spmv, goal: 95%}, {program: conv2d}]'
  call "$qsm" run --quiet --out "$work/caps" "$work/caps.yaml"
  sed -n 's/^.*"quota":[[:space:]]*\[\(-\{0,1\}[0-9]*\),.*/\1/p' "$work/caps/result.json"
  sed -n 's/^.*"scheme":[[:space:]]*"\([a-z_]*\)".*/\1/p' "$work/caps/result.json"
}
named=$(paper 'scheme: rollover_paper')
verdict 'rollover_paper: its name is in the results' "$(tail -n 1 <<< "$named")" rollover_paper
verdict 'rollover_paper: rollover without caps, with its rules' "$(head -n -1 <<< "$named")" \
  "$(paper 'scheme: rollover' 'alpha_cap: off' 'rollover_cap: off' 'quota_rules: [unfed, carried, pooled]' | head -n -1)"
verdict 'rollover_paper: not as rollover alone' "$([ "$(head -n -1 <<< "$named")" = "$plain" ] && echo the same || echo another)" another

# A margin is told to the GPU; a goal that is reached counts without it. The first quota, of which there is no history yet:
verdict 'goal_margin 10%: a tenth more quota' \
  "$(printf '%s %s\n' "$(figures quota $'alpha_cap: 1\ngoal_margin: 10%' | head -n 1)" "$(figures quota 'alpha_cap: 1' | head -n 1)" | awk '{printf "%.3f", $1 / $2}')" 1.100
verdict 'goal_margin 10%: the goal stays' "$(goal() { sed -n 's/^.*"goal_ipc":[[:space:]]*//p' "$work/caps/result.json" | head -n 1; }
  figures quota 'goal_margin: 10%' > "$work/quota"; with=$(goal); figures quota 'goal_margin: 0%' > "$work/quota"; [ "$with" = "$(goal)" ] && echo same)" same

# Schemes: figures of the epochs of a kernel with a goal and one without under each, on a line.
ipc() {
  scenario "$work/scheme.yaml" 'config: demo' 'cycles: 60000' 'size: S' "scheme: $1" 'kernels: [{program: pc, goal: 50%}, {program: conv2d}]'
  call "$qsm" run --quiet --out "$work/scheme" "$work/scheme.yaml"
  grep '"ipc"' "$work/scheme/result.json" | paste -sd ' '
}
schemes='none elastic rollover rollover_time fair'
verdict "each scheme measures something else" "$(for scheme in $schemes; do ipc $scheme; done | sort -u | wc -l)" "$(wc -w <<<"$schemes")"
# Adjustment: with every technique a kernel behind its goal gets nearer to it, at the other's cost; the outputs stay right.
adjusted() {
  scenario "$work/adjust.yaml" 'config: demo' 'cycles: 150000' 'epoch: 5000' 'scheme: rollover' "adjust: $1" \
    'kernels: [{program: stencil, goal: 90%, idempotent: yes}, {program: pc, idempotent: yes}]'
  call "$qsm" run --quiet --out "$work/adjust" "$work/adjust.yaml"
  tr -d ' \n\t' <"$work/adjust/result.json" | grep -o '"thread_instructions":[0-9]*' | grep -o '[0-9]*' | paste -sd ' '
}
read -r off_goal off_other <<<"$(adjusted off)"
for technique in switch drain flush; do
  read -r goal other <<<"$(adjusted $technique)"
  [ "$goal" -gt $((off_goal + off_goal / 10)) ] && echo yes >"$work/gains" || echo no >"$work/gains"
  verdict "adjust: $technique gives a kernel behind its goal more" "$(cat "$work/gains") $(grep -c '"checks_failed":[[:space:]]*0' "$work/adjust/result.json")" 'yes 2'
done
# A thread that runs once in four million cycles.
scenario "$work/rare.yaml" 'config: tiny' 'cycles: 4000000' 'scheme: fair' 'kernels: [{elf: k.elf, symbol: fill, args: [buffer 4096], launches: 1}]'
refuses 'share of a kernel whose isolated IPC is below 1 in 65536' 2 \
  "$work/rare.yaml: kernels[0]: slot 0: scheme fair needs the isolated IPC of every context, this one has none" "$qsm" run --quiet --out "$work/rare" "$work/rare.yaml"

# Policies: issued KEY VALUE BUDGET: thread instructions of each epoch with this line in the scenario and this budget of the second kernel.
issued() {
  scenario "$work/policy.yaml" 'config: demo' 'cycles: 40000' 'size: S' "$1: $2" "kernels: [{program: matmul}, {program: conv2d, budget: $3}]"
  call "$qsm" run --quiet --out "$work/policy" "$work/policy.yaml"
  grep '"ipc"' "$work/policy/result.json"
}
gto=$(issued policy gto 1)
for policy in qaws qaws_prose; do
  verdict "$policy with equal budgets measures what gto does" "$(issued policy $policy 1)" "$gto"
  [ "$(issued policy $policy 8)" = "$gto" ] || differs=$policy
  verdict "$policy with other budgets does not" "${differs:-}" $policy
done
two=$(issued policy two_level 8)  # the least is not written to the register, so launches come a cycle earlier
verdict 'a budget matters to the policies with budgets only' "$(issued policy two_level 9)" "$two"

# Caches: of what is counted in the L1s, under this cache policy.
sed 's/^l1_kib: 0/l1_kib: 1/' configs/demo.yaml >"$work/l1.yaml"
l1() {
  scenario "$work/caches.yaml" "config: $work/l1.yaml" 'cycles: 40000' 'size: S' "kernels: [{program: matmul, cache: $1}]"
  call "$qsm" run --out "$work/caches" "$work/caches.yaml"
  python3 -c 'import json, sys
l1 = json.load(open(sys.argv[1]))["kernels"][0]["l1"]
print(*(f"{name} {min(1, count)}" for name, count in l1.items()))' "$work/caches/result.json"
}
verdict 'a kernel uses the L1' "$(l1 s0)" 'loads 1 hits 1 merged 1 misses 1 stores 1 atomics 0'
verdict 'the table says how much' "$(grep -cE '^  kernel +scheme +L1 loads +hits +merged$' "$work/stdout") $(grep -cE '^  matmul +none +[1-9][0-9]* +[1-9][0-9]*\.[0-9] %' "$work/stdout")" '1 1'
verdict 'a kernel that skips the L1' "$(l1 s1)" 'loads 1 hits 0 merged 0 misses 0 stores 1 atomics 0'

# Folders, tools, earlier files
cp "$out/result.json" "$work/before.json"
touch "$work/occupied"
refuses 'output folder that is a file' 3 "output folder $work/occupied: Not a directory" "$qsm" run --quiet --out "$work/occupied" "$file"
refuses 'output folder below a file' 3 "output folder $work/occupied/sub: Not a directory" "$qsm" run --quiet --out "$work/occupied/sub" "$file"
refuses 'output folder in /proc' 3 'output folder /proc/qsm: No such file or directory' "$qsm" run --quiet --out /proc/qsm "$file"
mkdir "$work/empty"
refuses 'gnuplot missing' 3 'gnuplot not found, no plot written: apt-get install gnuplot-nox' env PATH="$work/empty" "$qsm" run --quiet --out "$work/noplot" "$file"
verdict 'results all the same' "$(ls "$work/noplot")" 'result.json'
mkdir "$work/root" && ln -s "$PWD/configs" "$work/root/configs"
for backend in rtl lockstep; do
  refuses "RTL not built, $backend" 3 "the RTL of configuration tiny is not built: make rtl CONFIG=tiny ($work/root/build/rtl/tiny.so)" \
    env QSM_ROOT="$work/root" "$qsm" run --quiet --backend $backend --out "$out" "$file"
done
mkdir -p "$work/root/build/rtl"
echo 'const char *const qsm_rtl_api[9] = {"what another version says"};' | clang-19 -shared -x c - -o "$work/root/build/rtl/tiny.so"
refuses 'RTL of another version' 3 "$work/root/build/rtl/tiny.so was built from another version: make rtl CONFIG=tiny" \
  env QSM_ROOT="$work/root" "$qsm" run --quiet --backend rtl --out "$out" "$file"
refuses 'suite not built' 2 "$file: kernels[0]: $work/root/build/sw/vadd.elf: cannot open" env QSM_ROOT="$work/root" "$qsm" run --quiet --out "$out" "$file"
mkdir "$work/full" && ln -s /dev/full "$work/full/plot.svg"
refuses 'plot on a full disk' 3 "gnuplot could not write /dev/full" "$qsm" run --quiet --out "$work/full" "$file"
refuses 'table on a full disk' 3 'cannot write the output: No space left on device' bash -c "'$qsm' run --out '$work/table' '$file' > /dev/full"
verdict 'failures left the earlier result as it was' "$(cmp "$out/result.json" "$work/before.json" 2>&1)" ''
finish
