#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Bad scenarios and programs: each mistake gets one message that names what and where, and its exit code.
. "$(dirname "$0")/common.sh"
file=$work/bad.yaml
sw/bin/qsm-cc -DROOM=64 tb/cli/kernels.c -o "$work/k.elf" && sw/bin/qsm-cc -DROOM=80000 tb/cli/kernels.c -o "$work/big.elf" || exit 2

# bad WHAT MESSAGE LINE...: a scenario on tiny with these lines from line 4 on is refused.
bad() {
  local what=$1 message=$2
  shift 2
  scenario "$file" 'config: tiny' 'cycles: 10000' 'size: S' "$@"
  refuses "$what" 2 "$message" "$qsm" run --quiet --out "$work/out" "$file"
}

# bad_kernel WHAT MESSAGE LINE...: the same with the lines of its only kernel, the first on line 5.
bad_kernel() {
  local what=$1 message=$2 first=$3
  shift 3
  bad "$what" "$message" 'kernels:' "  - $first" "${@/#/    }"
}

# The file
refuses 'no such scenario' 2 "$work/none.yaml: cannot open: No such file or directory" "$qsm" run "$work/none.yaml"
scenario "$file" ''
refuses 'empty scenario' 2 "$file:1: the file is empty" "$qsm" run "$file"
bad 'unknown key' "$file:5: Unexpected key: polizy" 'kernels: [{program: vadd}]' 'polizy: gto'
bad 'key given twice' "$file:1: Mapping field already seen: config" 'config: demo' 'kernels: [{program: vadd}]'
bad 'no kernels' "$file:4: Missing required mapping field: kernels" 'seed: 2'
bad 'broken YAML' "$file:4: libyaml: did not find expected ',' or ']'" 'kernels: [{program: vadd}'
bad 'unknown policy' "$file:4: policy: 'fifo': must be one of $(names policy)" 'policy: fifo' 'kernels: [{program: vadd}]'
bad 'unknown scheme' "$file:4: scheme: 'fairness': must be one of $(names scheme), rollover_paper" \
  'scheme: fairness' 'kernels: [{program: vadd}]'
bad 'latecomers neither on nor off' "$file:4: latecomers: 'yes': must be one of off, on" 'latecomers: yes' 'kernels: [{program: vadd}]'
bad 'unknown adjustment' "$file:4: adjust: 'on': must be one of off, switch, drain, flush" 'adjust: on' 'kernels: [{program: vadd}]'
bad 'unknown move technique' "$file:4: move_technique: 'jump': must be one of switch, drain, flush" 'move_technique: jump' 'kernels: [{program: vadd}]'
bad 'sm_gating neither on nor off' "$file:4: sm_gating: 'yes': must be one of off, on" 'sm_gating: yes' 'kernels: [{program: vadd}]'
for cycles in 0 65536 long; do
  bad "wake_latency of $cycles" "$file:4: wake_latency: '$cycles': must be a number, 1..65535" "wake_latency: $cycles" 'kernels: [{program: vadd}]'
done
for part in 1 -1% 100% nan% 1%x; do
  bad "sm_threshold of $part" "$file:4: sm_threshold: '$part': must be a percentage, 0% to below 100%" "sm_threshold: $part" 'kernels: [{program: vadd}]'
done
for step in 0 5 all; do
  bad "sm_step of $step" "$file:4: sm_step: '$step': must be a number, 1..4" "sm_step: $step" 'kernels: [{program: vadd}]'
done
bad 'more SMs of its own than any GPU has' "$file:6: sm_count: '97': must be a number, 0..96" 'kernels:' '  - program: vadd' '    sm_count: 97'
bad 'epoch shorter than the arithmetic' "$file: epoch of 100 cycles, configuration tiny needs at least 218" 'epoch: 100' 'kernels: [{program: vadd}]'
bad 'epoch too long' "$file:4: epoch: '2000000': must be a number, 1..1048575" 'epoch: 2000000' 'kernels: [{program: vadd}]'
for cap in 0.99 64 -1 nan 2x none; do
  bad "alpha_cap of $cap" "$file:4: alpha_cap: '$cap': must be off or a factor, 1 to below 64" "alpha_cap: $cap" 'kernels: [{program: vadd}]'
done
for cap in 0 256 1.5 none; do
  bad "rollover_cap of $cap" "$file:4: rollover_cap: '$cap': must be off or a number of epochs, 1..255" "rollover_cap: $cap" 'kernels: [{program: vadd}]'
done
for ipc in 0 3 256 1.5 artificial; do
  bad "nonqos_ipc of $ipc" "$file:4: nonqos_ipc: '$ipc': must be goal or a power of two, 1 to 128" "nonqos_ipc: $ipc" 'kernels: [{program: vadd}]'
done
for margin in 5 -1% 11% nan% 1%x 1/2048 1/8 1/100 2/512 1/16x; do
  bad "goal_margin of $margin" "$file:4: goal_margin: '$margin': must be a percentage, 0% to 10%, or one of 1/1024, 1/512 .. 1/16" "goal_margin: $margin" 'kernels: [{program: vadd}]'
done
bad 'unknown rule of quotas' "$file:4: quota_rules: 'fed': must be one of unfed, carried, all_cycles, pooled, no_floor, no_alpha" 'quota_rules: [fed]' 'kernels: [{program: vadd}]'
bad 'a rule of quotas twice' "$file:4: quota_rules: 'pooled': is there twice" 'quota_rules: [pooled, unfed, pooled]' 'kernels: [{program: vadd}]'
for key in 'alpha_cap: 4' 'rollover_cap: 8' 'quota_rules: [unfed]' 'goal_margin: 1/16'; do
  bad "rollover_paper with $key" "$file:5: ${key%%:*}: scheme rollover_paper has another one (docs/scenarios.md); leave the key out" 'scheme: rollover_paper' "$key" 'kernels: [{program: vadd}]'
done
for places in 0 17 all; do
  bad "active_warps of $places" "$file:4: active_warps: '$places': must be a number, 1..16" "active_warps: $places" 'kernels: [{program: vadd}]'
done
bad 'number with a unit' "$file:4: seed: '1k': must be a number, 0..1152921504606846975" 'seed: 1k' 'kernels: [{program: vadd}]'
scenario "$file" 'config: huge' 'cycles: 10000' 'kernels: [{program: vadd}]'
refuses 'unknown configuration' 2 "$PWD/configs/huge.yaml: cannot open: No such file or directory" "$qsm" run --quiet --out "$work/out" "$file"
refuses 'unknown configuration on the command line' 2 "$PWD/configs/vast.yaml: cannot open: No such file or directory" \
  "$qsm" run --quiet --out "$work/out" --config vast "$file"

# Programs
bad_kernel 'unknown program' "$file:5: program: unknown program 'raytrace'; \`qsm kernels\` lists them" 'program: raytrace'
bad_kernel 'neither program nor elf' "$file:4: kernels: each kernel has either program (of the suite) or elf (your own)" 'goal: 50%'
bad_kernel 'program and elf' "$file:4: kernels: each kernel has either program (of the suite) or elf (your own)" 'program: vadd' 'elf: k.elf'
bad_kernel 'grid of a suite program' "$file:5: program: 'vadd' sets its own launches: symbol, grid, block, shared and args are for elf" 'program: vadd' 'grid: [4]'
bad_kernel 'more images than any GPU has' "$file:6: save_images: '17': must be a number, 0..16" 'program: vadd' 'save_images: 17'
bad_kernel 'neither idempotent nor not' "$file:6: idempotent: 'maybe': must be one of no, yes, false, true" 'program: vadd' 'idempotent: maybe'
bad_kernel 'neither launched again nor not' "$file:7: relaunch: 'maybe': must be one of no, yes, false, true" 'elf: k.elf' 'symbol: fill' 'relaunch: maybe'
bad_kernel 'a program of the suite that is killed' "$file:6: relaunch: a program of the suite has outputs to check" 'program: vadd' 'relaunch: yes'
bad_kernel 'a number of launches that are killed' "$file:8: relaunch: needs launches: repeat, not a number" 'elf: k.elf' 'symbol: fill' 'launches: 2' 'relaunch: yes'
bad 'more images than this GPU has' "$file: kernels[0]: slot 0: 3 images, configuration tiny has 2 per slot" 'adjust: switch' 'kernels: [{program: vadd, save_images: 3}]'
bad_kernel 'unknown key of a kernel' "$file:6: Unexpected key: colour" 'program: vadd' 'colour: red'
bad_kernel 'no symbol' "$file:5: elf: 'k.elf' needs symbol: the kernel function" 'elf: k.elf'
bad_kernel 'unknown symbol' "$file: kernels[0]: no kernel 'empty' in the module" 'elf: k.elf' 'symbol: empty'
bad_kernel 'no such ELF' "$file: kernels[0]: $work/none.elf: cannot open" 'elf: none.elf' 'symbol: fill'
bad_kernel 'not an ELF' "$file: kernels[0]: $file: not an ELF file" 'elf: bad.yaml' 'symbol: fill'
bad_kernel 'ELF of the host' "$file: kernels[0]: $qsm: made for another machine (ELF machine 62, class 2; need 32-bit RISC-V)" "elf: $qsm" 'symbol: main'
{ head -c 18 "$work/k.elf" && printf '\050' && tail -c +20 "$work/k.elf"; } >"$work/arm.elf"
bad_kernel 'ELF of another 32-bit machine' "$file: kernels[0]: $work/arm.elf: made for another machine (ELF machine 40, class 1; need 32-bit RISC-V)" \
  'elf: arm.elf' 'symbol: fill'
head -c 4100 "$work/k.elf" >"$work/short.elf"
bad_kernel 'ELF cut short' "$file: kernels[0]: $work/short.elf: file is cut short" 'elf: short.elf' 'symbol: fill'
bad_kernel 'ELF without room' "$file: kernels[0]: $work/big.elf: image of 328192 bytes, room for 253952" 'elf: big.elf' 'symbol: fill'

# Launches
bad_kernel 'grid of 0' "$file:7: grid: '0': must be a number, 1..65535" 'elf: k.elf' 'symbol: fill' 'grid: [0]'
bad_kernel 'grid too large' "$file:7: grid: '65536': must be a number, 1..65535" 'elf: k.elf' 'symbol: fill' 'grid: [1, 65536]'
bad_kernel 'negative grid' "$file:7: grid: '-1': must be a number, 1..65535" 'elf: k.elf' 'symbol: fill' 'grid: [-1]'
bad_kernel 'grid of four dimensions' "$file:7: Excessive entries (3 max) in sequence." 'elf: k.elf' 'symbol: fill' 'grid: [1, 1, 1, 1]'
bad_kernel 'block of 0' "$file:7: block: '0': must be a number, 1..1024" 'elf: k.elf' 'symbol: fill' 'block: [4, 0]'
bad_kernel 'block too large' "$file:7: block: '1025': must be a number, 1..1024" 'elf: k.elf' 'symbol: fill' 'block: [1025]'
bad_kernel 'block too large for the SM' "$file: kernels[0]: kernel fill: 32 threads per block, configuration tiny runs at most 16" \
  'elf: k.elf' 'symbol: fill' 'block: [8, 4]'
bad_kernel 'more shared memory than an SM has' "$file: kernels[0]: kernel fill: 4097 bytes of shared memory per block, an SM of configuration tiny has 4096" \
  'elf: k.elf' 'symbol: fill' 'shared: 4097'
bad_kernel 'nine arguments' "$file:7: Excessive entries (8 max) in sequence." 'elf: k.elf' 'symbol: fill' 'args: [1, 2, 3, 4, 5, 6, 7, 8, 9]'
bad_kernel 'argument that is no number' "$file:7: args: 'x': must be a number, 0..4294967295" 'elf: k.elf' 'symbol: fill' 'args: [x]'
bad_kernel 'buffer of 0 bytes' "$file:7: args: '0': must be a number, 1..4294967295" 'elf: k.elf' 'symbol: fill' 'args: [buffer 0]'
bad_kernel 'buffer without room' "$file: kernels[0]: slot 0: no room for 99000000 bytes" 'elf: k.elf' 'symbol: fill' 'args: [buffer 99000000]'
scenario "$file" 'config: tiny' 'cycles: 10000' 'size: XL' 'kernels: [{program: vadd}]'
call "$qsm" run --quiet --out "$work/out" "$file"
verdict 'inputs too large for the memory' "$code $(sed 's/[0-9]*$/N/' "$work/stderr")" \
  "2 qsm: $file: kernels[0]: program vadd at size XL needs 62914560 bytes of device memory, this tenant has N"
sed 's/^fpu: 1/fpu: 0/' configs/tiny.yaml >"$work/integers.yaml"
scenario "$file" "config: $work/integers.yaml" 'cycles: 10000' 'kernels: [{program: sgemm}]'
refuses 'program that needs an FPU' 2 "$file: kernels[0]: program sgemm needs a GPU with FPU; configuration integers has none (fpu: 0)" \
  "$qsm" run --quiet --out "$work/out" "$file"
scenario "$file" 'config: tiny' 'cycles: 10000' 'size: XXL' 'kernels: [{program: vadd}]'
refuses 'size that is not there' 2 "$file:3: size: 'XXL': must be one of S, M, L, XL" "$qsm" run --quiet --out "$work/out" "$file"
bad_kernel 'launches of 0' "$file:6: launches: '0': must be repeat or a number from 1 on" 'program: vadd' 'launches: 0'
bad_kernel 'no such priority' "$file:6: priority: '4': must be a number, 0..3" 'program: vadd' 'priority: 4'
for budget in 0 256 high; do
  bad_kernel "budget of $budget" "$file:6: budget: '$budget': must be a number, 1..255" 'program: vadd' "budget: $budget"
done
scenario "$file" 'config: odd' 'cycles: 10000' 'size: S' 'policy: qaws' 'kernels:' \
  '  - {program: vadd, budget: 1}' '  - {program: vadd, budget: 2}' '  - {program: vadd, budget: 3}'
refuses 'more budgets than groups' 2 "$file: kernels[2]: slot 2: budget 3 makes 3 groups of warps, configuration odd has 2" \
  "$qsm" run --quiet --out "$work/out" "$file"
bad_kernel 'SM that is not there' "$file: kernels[0]: SM mask 0x2: needs at least one of the 1 SMs and no other" 'program: vadd' 'sms: 2'
for sms in 8..3 0..96 ..3 3..; do
  bad_kernel "SMs $sms" "$file:6: sms: '$sms': must be a bit mask, or SMs FIRST..LAST below 96" 'program: vadd' "sms: $sms"
done
bad_kernel 'SM beyond the last' "$file: kernels[0]: SM mask 0x80000000000000000000: needs at least one of the 1 SMs and no other" 'program: vadd' 'sms: 79..79'

# Persistent workers (R-WK-7, R-WK-8)
bad_kernel 'unknown form of workers' "$file:6: workers: 'on': must be one of off, rh, slate, persistent" 'program: vadd' 'workers: on'
for places in 0 33 all; do
  bad_kernel "$places workers per SM" "$file:7: workers_per_sm: '$places': must be a number, 1..32" \
    'program: vadd' 'workers: rh' "workers_per_sm: $places"
done
bad_kernel 'more workers than an SM has room for' "$file: kernels[0]: 5 workers per SM: an SM of configuration tiny has room for 1..4" \
  'program: vadd' 'workers: rh' 'workers_per_sm: 5'
bad_kernel 'workers by a mask' "$file:7: sms: '1': must be SMs FIRST..LAST below 96" 'program: vadd' 'workers: slate' 'sms: 1'
bad_kernel 'workers on SMs in the wrong order' "$file:7: sms: '3..2': must be SMs FIRST..LAST below 96" \
  'program: vadd' 'workers: slate' 'sms: 3..2'
bad_kernel 'workers on an SM that is not there' \
  "$file: kernels[0]: workers on 2 SMs from SM 0 on: configuration tiny has SMs 0..0" 'program: vadd' 'workers: slate' 'sms: 0..1'
bad_kernel 'workers that are saved' "$file:7: save_images: workers hold their places: they are not saved" \
  'program: vadd' 'workers: rh' 'save_images: 1'
bad 'workers under a scheme' "$file:4: scheme: 'rollover': software gives workers their SMs: must be none" \
  'scheme: rollover' 'kernels: [{program: vadd, workers: rh}]'
bad 'workers under adjustment' "$file:4: adjust: 'drain': software gives workers their SMs: must be off" \
  'adjust: drain' 'kernels: [{program: vadd, workers: rh}]'
bad_kernel 'program without workers' "$file: kernels[0]: kernel fill: its program has no workers: compile it with qsm-cc --workers" \
  "elf: $work/k.elf" 'symbol: fill' 'args: [buffer 4096]' 'workers: rh'
bad_kernel 'half of an SM for workers of a range' "$file:7: workers_per_sm: 'half': is for workers: persistent" \
  'program: vadd' 'workers: rh' 'workers_per_sm: half'
bad_kernel 'persistent workers on some SMs' "$file:7: sms: '0..0': persistent workers are on all SMs" \
  'program: vadd' 'workers: persistent' 'sms: 0..0'
# Deadlines
bad_kernel 'a deadline of 0 (R-DL-1)' "$file:7: deadline: '0': must be a number, 1..2147483647" 'elf: none.elf' 'symbol: f' 'deadline: 0' 'work: 1'
bad_kernel 'a deadline of a program' "$file:6: deadline: launches of a program of the suite differ in their work" 'program: vadd' 'deadline: 1000' 'work: 1'
bad_kernel 'a deadline without work' "$file:7: deadline: needs work: the thread instructions of a launch" 'elf: none.elf' 'symbol: f' 'deadline: 1000'
bad_kernel 'work without a deadline' "$file:7: work: '5': is of a launch with a deadline" 'elf: none.elf' 'symbol: f' 'work: 5'
# Arrivals
bad_kernel 'an arrival too late' "$file:6: arrival: '1000001': must be a number, 0..1000000" 'program: vadd' 'arrival: 1000001'
bad 'an arrival of one kernel only' "$file:6: arrival: kernel 1 has none, kernel 0 has one: all kernels or none" \
  'kernels:' '  - program: vadd' '    arrival: 0' '  - program: vadd'
bad 'arrivals too close' "$file:6: arrival: kernels 0 and 1 at 8 and 7: must be 2 apart" \
  'kernels:' '  - program: vadd' '    arrival: 8' '  - program: vadd' '    arrival: 7'
scenario "$file" 'config: tiny' 'cycles: 10000' 'size: S' 'kernels:' '  - {program: lib, workers: rh}' '  - {program: lib, workers: rh}'
refuses 'workers that do not fit beside each other' 2 \
  "$file: kernels[1]: kernel lib: workers of 2 kernels need 8 of 4 warps, 2 of 4 thread-block slots and 2 of 32 pieces of shared memory of an SM: they do not fit beside each other" \
  "$qsm" run --quiet --out "$work/out" "$file"
# Limits of threads (R-TB-15) and instances (R-XB-6).
for limit in 50 0% 101% -1% 12.5% half %; do
  bad_kernel "thread_limit of $limit" "$file:6: thread_limit: '$limit': must be a whole percentage, 1% to 100%" 'program: vadd' "thread_limit: '$limit'"
done
bad_kernel 'limit below a warp' "$file: kernels[0]: slot 0: 24 percent of an SM's 16 threads is less than a warp of 4" 'program: vadd' 'thread_limit: 24%'
bad_kernel 'block above the limit' "$file: kernels[0]: kernel fill: 9 threads per block, the context's limit of 50 percent is 8" \
  'elf: k.elf' 'symbol: fill' 'block: [9]' 'args: [buffer 64]' 'thread_limit: 50%'
bad_kernel 'unknown instance' "$file:6: instance: '5/7': must be one of $(names instance)" 'program: vadd' 'instance: 5/7'
bad_kernel 'instance without sm_static' "$file:6: instance: needs scheme: sm_static, not none" 'program: vadd' 'instance: 4/7'
bad_kernel 'instance and number of SMs' "$file:6: instance: '4/7' says how many SMs, so sm_count cannot" 'program: vadd' 'instance: 4/7' 'sm_count: 3'
bad 'instance of one kernel of two' "$file:7: instance: 1 of 2 kernels have one: all or none" 'scheme: sm_static' \
  'kernels:' '  - program: vadd' '    instance: 4/7' '  - program: pc'
bad 'instance of a GPU without a partition' "$file: kernels[0]: instance 4/7: configuration tiny cannot divide its memory (partition_bits: 0)" \
  'scheme: sm_static' 'kernels: [{program: vadd, instance: 4/7}]'
scenario "$file" 'config: odd' 'cycles: 10000' 'size: S' 'scheme: sm_static' 'kernels: [{program: vadd, instance: 1/7}]'
refuses 'eighths that are no channels' 2 "$file: kernels[0]: instance 1/7: 1/8 of the 2 channels of configuration odd are no whole number" \
  "$qsm" run --quiet --out "$work/out" "$file"
scenario "$file" 'config: odd' 'cycles: 10000' 'size: S' 'scheme: sm_static' 'kernels:' \
  '  - {program: vadd, instance: 3/7}' '  - {program: vadd, instance: 4/7}' '  - {program: vadd, instance: 3/7}'
refuses 'more instances than memory' 2 "$file: kernels[2]: instance 3/7: no 4/8 of the memory are free beside the other instances" \
  "$qsm" run --quiet --out "$work/out" "$file"
scenario "$file" 'config: odd+num_sms-1+num_sas-0' 'cycles: 10000' 'size: S' 'scheme: sm_static' 'kernels: [{program: vadd, instance: 3/7}, {program: vadd, instance: 4/7}]'
refuses 'more instances than SMs' 2 "$file: kernels[1]: instance 4/7: has 1 SMs, the others leave 0 of 1" "$qsm" run --quiet --out "$work/out" "$file"
bad 'more kernels than slots' "$file: kernels[4]: configuration tiny has 4 kernel slots, all taken" 'kernels:' \
  '  - program: vadd' '  - program: vadd' '  - program: vadd' '  - program: vadd' '  - program: vadd'

# Goals
bad_kernel 'negative goal' "$file:6: goal: '-5': must be above 0" 'program: vadd' 'goal: -5'
bad_kernel 'goal of zero' "$file:6: goal: '0%': must be above 0" 'program: vadd' 'goal: 0%'
bad_kernel 'goal above 100 %' "$file:6: goal: '101%': more than the kernel reaches alone" 'program: vadd' 'goal: 101%'
bad_kernel 'goal above every GPU' "$file:6: goal: '1e9': more than any GPU reaches" 'program: vadd' 'goal: 1e9'
bad_kernel 'goal that is no number' "$file:6: goal: 'fast': must be thread instructions per cycle (12.5) or a share of isolated (70%)" \
  'program: vadd' 'goal: fast'
scenario "$file" 'config: tiny' 'cycles: 10000' 'size: S' 'kernels:' '  - program: vadd' '    goal: 15.9'
call "$qsm" run --quiet --out "$work/out" "$file"
verdict 'goal above what the kernel reaches alone' "$code $(sed 's/reaches [0-9.]*$/reaches X/' "$work/stderr")" \
  "2 qsm: $file: kernel vadd: goal of 15.900 thread instructions per cycle, alone it reaches X"
bad 'an admission that is none' "$file:4: admission: 'strict': must be one of off, sure, cautious" 'admission: strict' 'kernels: [{program: vadd}]'
# together ADMISSION SHARE CODE MESSAGE: two goals of so much of what pc reaches alone.
together() {
  scenario "$file" 'config: tiny' 'cycles: 10000' 'size: S' "admission: $1" 'kernels:' "  - {program: pc, goal: $2}" "  - {program: pc, name: again, goal: $2}"
  call "$qsm" run --quiet --out "$work/out_$1" --overwrite "$file"
  verdict "goals of $2 beside each other, admission $1 (R-GO-8)" "$code $(sed 's/[0-9]\.[0-9]\{5\}/X/g' "$work/stderr")" "$3 ${4:+qsm: $file: $4 (admission $1)}"
}
peak='goals cannot be held together: pc X + again X = X thread instructions per cycle, the 1 SM that they may use issue 4 at most'
part='goals may not be held together: pc 45.00 % + again 45.00 % = 90.00 % of what they reach alone, 2 tenants may have 50.00 %'
together sure 90% 2 "$peak"
together cautious 90% 2 "$peak"
together off 90% 0 ''
together sure 45% 0 ''
together cautious 45% 2 "$part"
scenario "$file" 'config: tiny' 'cycles: 10000' 'size: S' 'admission: [off, cautious]' 'kernels:' '  - {program: pc, goal: 45%}' '  - {program: pc, name: again, goal: 45%}'
call "$qsm" sweep --quiet --db "$work/together.db" "$file"
verdict 'a run of a sweep that is refused (R-GO-8)' "$code $(sed 's/.*: goals/goals/' "$work/stderr")" "1 $part (admission cautious)"
bad_kernel 'goal that is a list' "$file:6: goal: must be text, or a mapping of texts" 'program: vadd' 'goal: [70%]'
bad_kernel 'goal of an unknown kind' "$file:6: goal: no such key: deadline" 'program: vadd' 'goal: {deadline: 9}'
bad_kernel 'goal without a kind' "$file:6: goal: needs deadline_us or per_second" 'program: vadd' 'goal: {bytes: 9}'
bad_kernel 'goal of two kinds' "$file:6: goal: has either deadline_us or per_second" 'program: vadd' 'goal: {deadline_us: 9, per_second: 9}'
bad_kernel 'key of a goal given twice' "$file:7: goal: has a key twice" 'program: vadd' 'goal:' '  deadline_us: 9' '  deadline_us: 9'
for value in 0 -1 .5 5. 1.2345 1000000001 '""' ms; do
  bad_kernel "deadline of $value" "$file:6: goal: deadline_us: '${value//\"/}': must be a number, 0.001..1000000000, with at most three decimals" \
    'program: vadd' "goal: {deadline_us: $value}"
done
bad_kernel 'rate of 0' "$file:6: goal: per_second: '0.000': must be a number, 0.001..1000000000, with at most three decimals" \
  'program: vadd' 'goal: {per_second: 0.000}'
bad_kernel 'bytes that are no number' "$file:6: goal: '64K': must be a number, 0..1099511627776" 'program: vadd' 'goal: {per_second: 9, bytes: 64K}'
bad_kernel 'too many copies' "$file:6: goal: '1000001': must be a number, 0..1000000" 'program: vadd' 'goal: {per_second: 9, copies: 1000001}'
bad_kernel 'overlapped or not' "$file:6: goal: 'maybe': must be one of no, yes, false, true" 'program: vadd' 'goal: {per_second: 9, overlapped: maybe}'
bad_kernel 'deadline shorter than its transfers (R-GO-7)' "$file: kernel fill: transfer takes 10006 ns of a deadline of 10006 ns" \
  'elf: k.elf' 'symbol: fill' 'args: [buffer 64]' 'goal: {deadline_us: 10.006, bytes: 65, copies: 2}'
scenario "$file" 'config: tiny' 'cycles: 10000' 'kernels:' '  - {elf: k.elf, symbol: fill, args: [buffer 64], goal: {deadline_us: 0.2}}'
call "$qsm" run --quiet --out "$work/out" "$file"
verdict 'deadline above what the kernel reaches alone (R-GO-7)' "$code $(sed 's/[0-9]\.[0-9]\{5\}/X/g' "$work/stderr")" \
  "2 qsm: $file: kernel fill: goal X above the isolated X thread instructions per cycle"
bad_kernel 'deadline of a pass that does not end' "$file: kernel endless: a goal for its passes, but alone none ends within 10000 cycles" \
  'elf: k.elf' 'symbol: endless' 'args: [buffer 64]' 'goal: {per_second: 1}'
bad_kernel 'deadline of a pass that is killed' "$file: kernel illegal: a goal for its passes, but alone it is killed within 10000 cycles" \
  'elf: k.elf' 'symbol: illegal' 'grid: [3]' 'block: [2]' 'args: [buffer 64]' 'goal: {per_second: 1}'
verdict 'no mistake left a result' "$(ls "$work/out")" ''
finish
