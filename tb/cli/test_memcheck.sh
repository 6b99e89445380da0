#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# qsm memcheck (docs/memcheck.md): kernels that do one thing wrong each, the same without it, programs of the suite.
. "$(dirname "$0")/common.sh"
golden=tb/cli/golden
kernels='reads_shared reads_stack writes_behind reads_too_early adds_at_once waits_elsewhere ends_early'

# kernel SYMBOL WRONG: its entry in a scenario.
kernel() {
  local bytes=512
  [ "$1" = writes_behind ] && bytes=400
  printf -- '  - {elf: k.elf, symbol: %s, grid: [4], block: [32], args: [buffer %d, %d]}\n' "$1" $bytes "$2"
}

# kernels WRONG: a scenario of all.
all_kernels() {
  printf 'config: demo\ncycles: 1\nkernels:\n'
  for name in $kernels; do kernel $name "$1"; done
}

# Output without what depends on where program and memory lie.
said() { sed 's/0x[89A-F][0-9A-F]*/ADDRESS/g' "$work/stdout"; }

# compile OPTION...: k.elf.
compile() { sw/bin/qsm-cc -Wall -Wextra -Werror "$@" tb/cli/memcheck_kernels.c -o "$work/k.elf" || exit 2; }

all_kernels 1 >"$work/wrong.yaml"
all_kernels 0 >"$work/right.yaml"
compile -g
call "$qsm" memcheck --quiet "$work/wrong.yaml"
verdict 'R-MC-3, R-MC-4, R-MC-5, R-MC-7, R-MC-8, R-MC-9, R-MC-11: what each kernel does wrong, with lines' "$code $(diff $golden/memcheck.txt <(said)) $(cat "$work/stderr")" '1  '
# A tenant's program begins behind its arguments.
pc=$(printf '%x' $((0x$(sed -n 's/.* 0x\([0-9A-F]*\) in reads_shared at .*/\1/p' "$work/stdout") - 0x8000)))
verdict 'R-MC-11: the PC is that of the load' "$("$qsm" disasm "$work/k.elf" | awk -v pc="$pc:" '$1 == pc { print $3 }')" lw
line=$(sed -n 's/.* in reads_shared at .*:\([0-9]*\)$/\1/p' "$work/stdout")
verdict 'R-MC-11: and the line too' "$(sed -n "${line}s/.*= \(tile.*\);/\1/p" tb/cli/memcheck_kernels.c)" 'tile[threadIdx.x ^ 1]'
call "$qsm" memcheck --quiet "$work/right.yaml"
verdict 'the same kernels without what is wrong' "$code $(grep -c ': no findings$' "$work/stdout") $(grep -vc ': no findings$' "$work/stdout")" "0 $(wc -w <<<"$kernels") 0"
call "$qsm" memcheck --quiet --exited "$work/right.yaml"
verdict 'R-MC-10: all threads reach their barriers' "$code $(grep -vc ': no findings$' "$work/stdout")" '0 0'
{ printf 'config: demo\ncycles: 1\nkernels:\n' && kernel ends_early 1; } >"$work/ends.yaml"
call "$qsm" memcheck --quiet --exited "$work/ends.yaml"
verdict 'R-MC-10: threads that end before the barrier of others' "$code $(diff $golden/memcheck_exited.txt <(said))" '1 '
call "$qsm" memcheck --quiet --config fpga "$work/wrong.yaml"
verdict 'on a GPU with caches as many findings' "$code $(grep -c ': 1 finding$' "$work/stdout")" '1 6'

compile
call "$qsm" memcheck --quiet "$work/wrong.yaml"
verdict 'R-MC-11: without lines, functions and offsets' "$code $(diff $golden/memcheck_plain.txt <(said))" '1 '

# A fault of the hardware ends the pass.
{ printf 'config: demo\ncycles: 1\nkernels:\n' && kernel leaves_window 1 && kernel reads_stack 1; } >"$work/fault.yaml"
compile -g
call "$qsm" memcheck --quiet "$work/fault.yaml"
verdict 'R-MC-11: the line of a fault, and the next kernel' "$code $(sed -n 's/.* is in //p' "$work/stderr") $(head -n 1 "$work/stdout")" \
  "1 leaves_window at tb/cli/memcheck_kernels.c:$(grep -n ')8 = 1' tb/cli/memcheck_kernels.c | cut -d : -f 1) reads_stack: 1 finding"
{ printf 'config: demo\ncycles: 1\nkernels:\n' && kernel never_ends 1; } >"$work/endless.yaml"
call "$qsm" memcheck --quiet --cycles 20000 "$work/endless.yaml"
verdict 'R-MC-1: a pass that does not end' "$code $(cut -d ';' -f 1 "$work/stderr")" '1 qsm: kernel never_ends did not finish within 20000 cycles (0 of 1 passes)'

# Programs of the suite: all are clean, at size M in full tests.
size=${QSM_TEST_FULL:+M}
size=${size:-S}
"$qsm" kernels | awk '{ print $1 }' | split -l 8 - "$work/programs."
for part in "$work"/programs.*; do
  { printf 'config: demo\ncycles: 1\nsize: %s\nkernels:\n' $size && sed 's/.*/  - program: &/' "$part"; } >"$part.yaml"
  call "$qsm" memcheck --quiet "$part.yaml"
  verdict "no findings at size $size: $(paste -sd ' ' "$part")" "$code $(grep -c ': no findings$' "$work/stdout") $(cat "$work/stderr")" "0 $(wc -l <"$part") "
done
# Of programs of the suite with a mistake: one without its barriers, one that adds to its output.
mkdir -p "$work/root/build/sw"
ln -s "$PWD/configs" "$work/root/configs"
grep -v __syncthreads sw/kernels/reduce/reduce.c >"$work/reduce.c"
sw/bin/qsm-cc -g "$work/reduce.c" -o "$work/root/build/sw/reduce.elf" || exit 2
scenario "$work/reduce.yaml" 'config: demo' 'cycles: 1' 'size: S' 'kernels:' '  - program: reduce'
QSM_ROOT=$work/root call "$qsm" memcheck --quiet "$work/reduce.yaml"
verdict 'R-MC-7: a program of the suite without its barriers' "$code $(grep -q 'race in shared memory' "$work/stdout" && echo race)" '1 race'
sed 's/sum\[i\] = /sum[i] += /' sw/kernels/vadd/vadd.c >"$work/vadd.c"
sw/bin/qsm-cc -g "$work/vadd.c" -o "$work/root/build/sw/vadd.elf" || exit 2
scenario "$work/vadd.yaml" 'config: demo' 'cycles: 1' 'size: S' 'kernels:' '  - program: vadd'
QSM_ROOT=$work/root call "$qsm" memcheck --quiet "$work/vadd.yaml"
verdict 'R-MC-2: a program of the suite that reads its output first' "$code $(sed -n 's/^  \(read.*\),.*/\1/p' "$work/stdout")" \
  '1 read of uninitialised device memory'

call "$qsm" memcheck
verdict 'no scenario' "$code $(head -n 1 "$work/stderr")" '2 qsm memcheck: which SCENARIO.yaml?'
call "$qsm" memcheck a.yaml b.yaml
verdict 'two scenarios' "$code $(head -n 1 "$work/stderr")" "2 qsm memcheck: one scenario at a time, got also 'b.yaml'"
refuses 'a configuration that is not there' 2 "$PWD/configs/none.yaml: cannot open: No such file or directory" "$qsm" memcheck --config none "$work/right.yaml"
refuses 'a scenario that is not there' 2 "$work/none.yaml: cannot open: No such file or directory" "$qsm" memcheck "$work/none.yaml"
finish
