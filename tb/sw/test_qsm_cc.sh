#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# qsm-cc: what it accepts, and that each mistake gets its message and exit code and leaves no output behind.
set -u

qsm_cc=$(CDPATH= cd -- "$(dirname -- "$0")/../../sw/bin" && pwd)/qsm-cc
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
n_failed=0
n_run=0

report() { # OK|FAILED name
  n_run=$((n_run + 1))
  if [ "$1" = FAILED ]; then
    n_failed=$((n_failed + 1))
    sed 's/^/    /' messages
  fi
  printf '%8s qsm-cc %s\n' "$1" "$2"
}

accepts() { # name, arguments; the program must be in out.elf afterwards
  name=$1
  shift
  rm -f out.elf
  if "$qsm_cc" "$@" >messages 2>&1 && [ -s out.elf ]; then report OK "$name"; else report FAILED "$name"; fi
}

refuses() { # name, exit code, text of the message, arguments
  name=$1 code=$2 text=$3
  shift 3
  rm -f out.elf
  "$qsm_cc" "$@" >messages 2>&1
  if [ $? -eq "$code" ] && grep -q -- "$text" messages && [ ! -e out.elf ]; then
    report OK "$name"
  else
    report FAILED "$name"
  fi
}

kernel() { # file, body
  printf '#include <qsm.h>\n__global__ void kernel(int *p) { %s }\n' "$2" >"$1"
}

kernel good.c '*p = 1;'
kernel define.c '*p = VALUE;'
kernel helper_user.c 'extern int helper(int); *p = helper(*p);'
echo 'int helper(int x) { return x + 1; }' >helper.c
echo 'int helper(int x) { return x; }' >no_kernel.c
kernel syntax.c '*p = ;'
kernel undefined.c 'extern int nowhere(void); *p = nowhere();'
kernel float.c 'float f = *p; *p = (int)(f * 0.5f);'
kernel double.c 'float f = *p; *p = (int)(f * 0.1);'
kernel long_to_float.c 'long long l = (long long)*p * *p; *p = (int)(0.5f * l);'
kernel root.c '*p = (int)sqrtf((float)*p) + (int)floorf(0.5f * *p);'
kernel sine.c 'extern float sinf(float); *p = (int)sinf((float)*p);'
kernel compare_and_swap.c 'int e = 0; __atomic_compare_exchange_n(p, &e, 1, 0, 0, 0);'
kernel shared_init.c '__shared__ int s = 5; *p = s;'
kernel pointer_data.c 'extern int *pointer; *p = *pointer;'
echo 'int x; int *pointer = &x;' >>pointer_data.c
kernel 'with blank.c' '*p = 2;'

accepts 'compiles a kernel' good.c -o out.elf
accepts 'passes options on' define.c -DVALUE=3 -O3 -Wall -o out.elf
accepts 'passes options with a separate value on' define.c -D VALUE=3 -o out.elf
accepts 'links several sources' helper_user.c helper.c -o out.elf
accepts 'takes a base address' good.c --base 0x90001000 -o out.elf
accepts 'compiles floating point' float.c -o out.elf
accepts 'compiles the functions of the header' root.c -o out.elf
accepts 'compiles without FPU' good.c --no-fpu -o out.elf
accepts 'takes names with blanks' 'with blank.c' -o out.elf

"$qsm_cc" good.c >messages 2>&1
if [ -s good.elf ]; then report OK 'names the output after the source'; else report FAILED 'names the output after the source'; fi

refuses 'without a source' 2 'no source file' -O2 -o out.elf
refuses 'a missing source' 2 'missing.c: no such file' missing.c -o out.elf
refuses 'a source of another kind' 2 'messages: not a .c or .S file' messages -o out.elf
refuses 'an option without value' 2 '-o needs a value' good.c -o
refuses 'an error in the source' 1 'syntax.c:2:.*error' syntax.c -o out.elf
refuses 'a program without kernel' 1 'no kernel' no_kernel.c -o out.elf
refuses 'an undefined symbol' 1 'undefined symbol: nowhere' undefined.c -o out.elf
refuses 'floating point without FPU' 1 '--no-fpu: there is no floating point in software' float.c --no-fpu -o out.elf
refuses 'a root without FPU' 1 '--no-fpu: there is no floating point in software' root.c --no-fpu -o out.elf
refuses 'double' 1 'no double (write 0.5f)' double.c -o out.elf
refuses 'a 64-bit integer as float' 1 'no 64-bit integers' long_to_float.c -o out.elf
refuses 'a function that is not there' 1 'those of qsm.h' sine.c -o out.elf
refuses 'compare-and-swap' 1 'C atomics are not available' compare_and_swap.c -o out.elf
refuses 'a shared variable with initialiser' 1 '__shared__ variable cannot have an initialiser' shared_init.c -o out.elf
refuses 'an address in initialised data' 1 'holds the address of another' pointer_data.c -o out.elf
refuses 'a crooked base address' 1 'multiple of 4096' good.c --base 0x80000100 -o out.elf
refuses 'an output folder that is not there' 2 'nowhere/out.elf' good.c -o nowhere/out.elf

CLANG=clang-missing
export CLANG
refuses 'a missing compiler' 2 'clang-missing not found' good.c -o out.elf
unset CLANG
LLD=lld-missing
export LLD
refuses 'a missing linker' 2 'lld-missing not found' good.c -o out.elf

echo "$n_run tests of qsm-cc, $n_failed failed"
[ "$n_failed" -eq 0 ]
