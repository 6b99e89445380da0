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

shows() { # name, pattern of a line that -v must print, arguments
  name=$1 pattern=$2
  shift 2
  rm -f out.elf
  if "$qsm_cc" -v "$@" -o out.elf >messages 2>&1 && [ -s out.elf ] && grep -Eq -- "$pattern" messages; then report OK "$name"; else report FAILED "$name"; fi
}

same() { # name, text, expected
  printf '%s, expected %s\n' "$2" "$3" >messages
  if [ "$2" = "$3" ]; then report OK "$1"; else report FAILED "$1"; fi
}

sections() { llvm-readelf-19 -SW "$1" | grep -o ' \.[a-z_.]* ' | tr -d ' '; }
# Address and bytes of what is loaded.
image() { llvm-readelf-19 -lW "$1" | grep LOAD; llvm-objcopy-19 -O binary "$1" image.bin && cksum <image.bin; }

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

# Stacks
kernel array.c 'volatile int a[200]; for (int i = 0; i < 200; i++) a[i] = i; *p = a[*p];'
kernel chain.c '*p = middle(p);'
sed -i '2i __attribute__((noinline)) static int last(volatile int *p) { volatile int a[100]; for (int i = 0; i < 100; i++) a[i] = p[i]; return a[*p]; }\
__attribute__((noinline)) static int middle(volatile int *p) { int x = p[0]; return x + last(p) + last(p + 1); }' chain.c
cat >recursive.c <<'C'
#include <qsm.h>
__attribute__((noinline)) static int odd(volatile int *p, int n);
__attribute__((noinline)) static int even(volatile int *p, int n) { return n ? odd(p, n - 1) + p[n] : 0; }
__attribute__((noinline)) static int odd(volatile int *p, int n) {
  return n ? even(p, n - 1) * p[n] : 1;
}
__global__ void known(int *p) { *p = 1; }
__global__ void walk(int *p) { *p = even(p, *p); }
C
cat >pointer.c <<'C'
#include <qsm.h>
typedef int function(int);
__attribute__((noinline)) static int apply(function *f, int x) {
  return f(x) + 1;
}
__global__ void map(int *p, function *f) { *p = apply(f, *p); }
C
cat >tail.c <<'C'
#include <qsm.h>
__global__ void jump(int *p, void (**f)(int *)) {
  f[*p](p);
}
C
cat >switch.c <<'C'
#include <qsm.h>
__attribute__((noinline)) static int next(volatile int *p, int x) { return p[x] + 3; }
__global__ void choose(volatile int *p) {
  for (int i = 0; i < 100; i++) {
    switch (p[i]) {
      case 0: p[1] = 3; break;
      case 1: p[2] = next(p, 2); break;
      case 2: p[1] = 4; break;
      case 3: p[1]++; break;
      case 4: p[2] = next(p, i); break;
      case 5: p[3] *= 3; break;
      default: p[6] = 2;
    }
  }
}
C
cat >many.c <<'C'
#include <qsm.h>
#define BODY                                \
  float s[20];                              \
  for (int i = 0; i < 20; i++) s[i] = a[i]; \
  for (int j = 0; j < n; j++)               \
    _Pragma("unroll") for (int i = 0; i < 20; i++) s[i] = fmaf(s[i], a[j], s[(i + 1) % 20]); \
  for (int i = 0; i < 20; i++) a[i] = s[i];
__global__ void many(float *a, int n) { BODY }
__global__ __attribute__((noinline)) void called(float *a, int n) { BODY }
__global__ void calls(float *a, int n) {
  called(a, n);
  a[0] = a[n];
}
C
kernel vla.c 'volatile int a[*p]; a[p[1]] = 1; *p = a[p[2]];'
kernel alloca.c 'volatile int *a = __builtin_alloca(*p); a[p[1]] = 1; *p = a[p[2]];'
kernel moves_sp.c '*p = 1; __asm__ volatile("addi sp, sp, -64; sw zero, 0(sp); addi sp, sp, 64" ::: "memory");'
kernel far.c 'volatile int a[3000]; a[*p] = 1; *p = a[p[1]];'
kernel aligned.c 'volatile int a[4] __attribute__((aligned(64))); a[*p] = 1; *p = a[p[1]];'
kernel calls_assembler.c 'extern int frame(int); *p = frame(*p);'
cat >frame.S <<'S'
  .text
  .globl frame
  .type frame, @function
frame:
  addi sp, sp, -48
  addi sp, sp, 48
  ret
  .size frame, . - frame
S
{ cat frame.S && printf '  .section .stack_sizes, "o", @progbits, .text\n  .word frame\n  .uleb128 48\n'; } >frame_said.S
cat >assembler.S <<'S'
  .section .text.qsm_kernel, "ax", @progbits
  .globl plain
  .type plain, @function
plain:
  sw zero, 0(a0)
  ret
  .globl outside
  .type outside, @function
outside:
  call label
  ret
  .size outside, . - outside
  .section .text.label, "ax", @progbits
label:
  ret
S

shows 'a leaf has no stack' '^kernel +0  ' good.c
shows 'a kernel saves no registers' '^many +0  ' many.c
shows 'one that another calls does' '^called +(32|48|64)  ' many.c
shows 'all do in a program with workers' '^many +(32|48|64)  ' many.c --workers
shows 'a stack holds its array' '^kernel +800  ' array.c
shows 'a stack holds the deepest chain of calls' '^kernel +4[1-6][0-9]  ' chain.c
shows 'a large frame' '^kernel +120[0-9][0-9]  ' far.c
shows 'a frame aligned beyond 16' '^kernel +112  ' aligned.c
shows 'a switch is no call through a pointer' '^choose +0 ' switch.c
shows 'a switch without optimisation' '^choose +[1-9][0-9]* ' switch.c -O0
shows 'stacks of a program optimised as a whole' '^kernel +4[1-6][0-9]  ' chain.c -flto
refuses 'recursion, named with its line' 1 \
  "recursive.c:5: error: kernel 'walk' has no stack size: 'even' calls itself (walk -> even -> odd -> even); give one: --stack walk=BYTES" recursive.c -o out.elf
refuses 'a call through a pointer, named with its line' 1 "pointer.c:4: error: kernel 'map' .* 'apply' calls through a pointer (map -> apply); .*map=BYTES" pointer.c -o out.elf
refuses 'a call through a pointer without optimisation' 1 "'apply' calls through a pointer" pointer.c -O0 -o out.elf
refuses 'a call through a pointer that does not come back' 1 "tail.c:3: error: kernel 'jump' .* 'jump' calls through a pointer (jump)" tail.c -o out.elf
refuses 'an array of variable length' 1 "vla.c:2: error: kernel 'kernel' .* 'kernel' has an array of variable length or alloca" vla.c -o out.elf
refuses 'alloca' 1 "'kernel' has an array of variable length or alloca" alloca.c -o out.elf
refuses 'assembler in C that moves sp' 1 "moves_sp.c:2: error: .* 'kernel' moves sp in assembler" moves_sp.c -o out.elf
refuses 'an assembler function that moves sp' 1 "frame.S:5: error: kernel 'kernel' .* 'frame' moves sp in assembler (kernel -> frame)" calls_assembler.c frame.S -o out.elf
refuses 'a call of a label that is no function' 1 "'outside' jumps to code that is no function" assembler.S -o out.elf
shows 'an assembler function that says its frame' '^kernel +48  ' calls_assembler.c frame_said.S
shows 'a kernel in assembler' '^plain +0  .* unknown' assembler.S --stack outside=32
shows '--stack gives a kernel its size' '^walk +512\* .* walk\(int \*p\)$' recursive.c --stack walk=500
shows '--stack for all leaves what is known' '^known +0  ' recursive.c --stack 512
shows '--stack of a kernel goes before that for all' '^walk +512\*' recursive.c --stack walk=512 --stack 1024
shows '--stack may give a known kernel more' '^known +64\*' recursive.c --stack 512 --stack known=64
refuses '--stack with less than is known' 1 "kernel 'walk' needs at least [1-9]" recursive.c --stack 0 -o out.elf
refuses '--stack of no kernel' 1 'walks=512: no kernel of this name' recursive.c --stack walks=512 -o out.elf
refuses '--stack without a number' 2 'walk=many: neither BYTES nor KERNEL=BYTES' recursive.c --stack walk=many -o out.elf
refuses '--stack without a value' 2 '--stack needs a value' recursive.c --stack

# Arguments
cat >arguments.c <<'C'
#include <qsm.h>
struct point { short x; int y; };
typedef struct { int at[12]; } matrix;
enum mode { FAST, SLOW };
__global__ void nine(int a, int b, int c, int d, int e, int f, int g, int h, int *p) { *p = a + b + c + d + e + f + g + h; }
__global__ void wide(long long *p, long long a, unsigned long long b) { *p = a + (long long)b; }
__global__ void structures(int *p, struct point at, matrix m, enum mode mode) { *p = at.y + m.at[at.x] + (int)mode; }
__global__ void pointers(const float *const restrict in, int (*rows)[4], void (*f)(int, char *), const void *rest) { rows[0][0] = (int)*in; }
__global__ void none(void) {}
C
printf '#include <qsm.h>\n\n__global__ int kernel(int *p) { return *p; }\n' >returns.c
printf '#include <qsm.h>\n\n__global__ void kernel(int *p, ...) { *p = 1; }\n' >variadic.c
printf '#include <qsm.h>\nint x;\n__global__ void kernel() { x = 1; }\n' >unprototyped.c
printf '#include <qsm.h>\nstruct s { int a[SIZE]; };\n__global__ void kernel(struct s s, int *p) { *p = s.a[*p]; }\n' >large.c
printf '#include <qsm.h>\nstruct s { int a[8]; } __attribute__((aligned(32)));\n__global__ void kernel(struct s s, int *p) { *p = s.a[*p]; }\n' >over_aligned.c
printf '#include <qsm.h>\nstatic __global__ void kernel(int *p) { *p = 1; }\n' >twice.c
shows 'nine arguments' '^nine +16   +0 +36  nine\(int a, .*, int h, int \*p\)$' arguments.c
shows '64-bit arguments' '^wide +0 .* 20  wide\(long long \*p, long long a, unsigned long long b\)$' arguments.c
shows 'structures' '^structures +48 .* 64  structures\(int \*p, struct point at, matrix m, enum mode mode\)$' arguments.c
shows 'pointers of all kinds' 'pointers\(const float \*(const restrict|restrict const) in, int \(\*rows\)\[4\], void \(\*f\)\(int, char \*\), const void \*rest\)$' arguments.c
shows 'no arguments' '^none +0 .* 0  none\(void\)$' arguments.c
shows '256 bytes of arguments' '^kernel .* 256  ' large.c -DSIZE=63
refuses 'more than 256 bytes of arguments' 1 "large.c:3: error: kernel 'kernel' has more than 256 bytes" large.c -DSIZE=64 -o out.elf
refuses 'a kernel that returns something' 1 "returns.c:3: error: kernel 'kernel' returns int" returns.c -o out.elf
refuses 'a variable number of arguments' 1 "variadic.c:3: error: kernel 'kernel' takes a variable number" variadic.c -o out.elf
refuses 'a kernel without prototype' 1 "unprototyped.c:3: error: .* write kernel(void)" unprototyped.c -o out.elf
refuses 'an argument of large alignment' 1 "over_aligned.c:3: error: .* aligned to 32 bytes" over_aligned.c -o out.elf
refuses 'two kernels of a name' 1 "two kernels have the name 'kernel'" good.c twice.c -o out.elf

# Persistent workers (R-WK-1)
printf '#include <qsm.h>\n__global__ void kernel(int *p) {\n  if (*p) qsm_exit();\n  *p = 1; }\n' >exits.c
printf '#include <qsm.h>\n__global__ void kernel(int *p) { *p = (int)blockIdx.x; }\n' >task.c
shows 'a program with workers has a kernel that closes their launches' '^qsm_workers_close ' task.c --workers
shows 'and needs shared memory of its own' '^kernel +0 +16 ' task.c --workers
shows 'without workers it has neither' '^kernel +0 +0 ' task.c
refuses 'qsm_exit() in workers' 1 'exits.c:3:.* ends a thread by .return., not by qsm_exit' exits.c --workers -o out.elf
shows 'qsm_exit() without them' '^kernel ' exits.c

# Debugging information, and what else the note leaves in the program
"$qsm_cc" arguments.c -o plain.elf && "$qsm_cc" arguments.c -g -o debug.elf && "$qsm_cc" arguments.c -g -g0 -o again.elf
same 'the program has its note, no debugging information' "$(sections plain.elf | grep -E 'note|debug|stack_sizes')" .note.qsm
same 'with -g it has both' "$(sections debug.elf | grep -Ec '^.(note.qsm|debug_info|debug_line|stack_sizes)$')" 3
same 'labels of the compiler are not in it' "$(llvm-readelf-19 -sW plain.elf | grep -c ' \.L')" 0
same 'the last -g or -g0 decides' "$(sections again.elf)" "$(sections plain.elf)"
same 'what is loaded is the same with -g' "$(image debug.elf)" "$(image plain.elf)"

QSM_NOTE=note-missing
export QSM_NOTE
refuses 'a missing qsm-note' 2 'note-missing not found: run .make host.' good.c -o out.elf
unset QSM_NOTE
OBJCOPY=objcopy-missing
export OBJCOPY
refuses 'a missing objcopy' 2 'objcopy-missing not found' good.c -o out.elf
unset OBJCOPY
CLANG=clang-missing
export CLANG
refuses 'a missing compiler' 2 'clang-missing not found' good.c -o out.elf
unset CLANG
LLD=lld-missing
export LLD
refuses 'a missing linker' 2 'lld-missing not found' good.c -o out.elf

echo "$n_run tests of qsm-cc, $n_failed failed"
[ "$n_failed" -eq 0 ]
