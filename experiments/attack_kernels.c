// SPDX-License-Identifier: Apache-2.0
// Kernels of a hostile tenant (attacks.c, tb/host/test_attacks.c): what each does stands in
// qsm_attacks.c. `own` are `words` words of the attacker's, a power of two; `other` is an address
// in another tenant's memory.
#include <qsm.h>

#define ATTACK(name) __global__ void name(volatile unsigned *own, unsigned words, unsigned other)
#define UNUSED (void)own, (void)words, (void)other
// Once more and once more.
#define FOREVER(statement) \
  for (;;) {               \
    statement;             \
  }

static unsigned thread_number(void) { return blockIdx.x * blockDim.x + threadIdx.x; }
static unsigned scatter(unsigned x) { return x * 2654435761u; }

// ---- Faults: each kills the launch ----

ATTACK(read_null) {
  UNUSED;
  __asm__ volatile("lw t0, 0(zero)" : : : "t0");
}
ATTACK(write_null) {
  UNUSED;
  __asm__ volatile("sw zero, 0(zero)");
}
ATTACK(read_other) {
  UNUSED;
  own[0] = *(volatile unsigned *)other;
}
ATTACK(write_other) {
  UNUSED;
  *(volatile unsigned *)other = 1;
}
ATTACK(add_other) {
  UNUSED;
  atomicAdd((unsigned *)other, 1);
}
ATTACK(write_code) {
  UNUSED;
  __asm__ volatile("auipc t0, 0\n\tsw zero, 0(t0)" : : : "t0");
}
ATTACK(write_arguments) {
  unsigned *arguments;
  UNUSED;
  __asm__ volatile("csrr %0, 0xCCC" : "=r"(arguments));
  *(volatile unsigned *)arguments = 0;
}
ATTACK(read_registers) {
  UNUSED;
  own[0] = *(volatile unsigned *)0x1000;
}
ATTACK(read_top) {
  UNUSED;
  own[0] = *(volatile unsigned *)0xBFFFFFFCu;
}
ATTACK(jump_null) {
  UNUSED;
  __asm__ volatile("jr zero");
}
ATTACK(jump_other) {
  UNUSED;
  __asm__ volatile("jr %0" : : "r"(other));
}
ATTACK(jump_data) {
  UNUSED;
  __asm__ volatile("jr %0" : : "r"(own));
}
ATTACK(jump_misaligned) {
  UNUSED;
  __asm__ volatile("auipc t0, 0\n\tjr 14(t0)" : : : "t0");
}
ATTACK(load_misaligned) {
  UNUSED;
  own[0] = *(volatile unsigned *)((unsigned)own + 2);
}
ATTACK(store_misaligned) {
  UNUSED;
  *(volatile unsigned short *)((unsigned)own + 1) = 1;
}
ATTACK(add_misaligned) {
  UNUSED;
  atomicAdd((unsigned *)((unsigned)own + 1), 1);
}
ATTACK(illegal) {
  UNUSED;
  __asm__ volatile(".word 0");
}
ATTACK(machine_return) {
  UNUSED;
  __asm__ volatile("mret");
}
ATTACK(write_csr) {
  UNUSED;
  __asm__ volatile("csrw 0xCCE, zero");
}
ATTACK(unknown_csr) {
  UNUSED;
  __asm__ volatile("csrr t0, mstatus" : : : "t0");
}
ATTACK(load_reserved) {
  UNUSED;
  __asm__ volatile(".insn r 0x2f, 2, 8, t0, %0, x0" : : "r"(own) : "t0");
}
ATTACK(breakpoint) {
  UNUSED;
  __asm__ volatile("ebreak");
}
ATTACK(call_system) {
  UNUSED;
  __asm__ volatile("ecall");
}
ATTACK(shared_beyond) {
  UNUSED;
  own[0] = *(volatile unsigned *)0x1FFFFFFCu;
}
ATTACK(stack_overflow) {
  UNUSED;
  __asm__ volatile("1: addi sp, sp, -16\n\tsw zero, 0(sp)\n\tj 1b");
}
ATTACK(stack_of_another) {
  UNUSED;
  __asm__ volatile("li t0, 0x80000\n\tsub t0, sp, t0\n\tlw t0, -4(t0)" : : : "t0");
}

// ---- Time: these never end, or end at once and come again ----

ATTACK(spin) {
  UNUSED;
  __asm__ volatile("1: j 1b");
}
ATTACK(spin_diverged) {
  UNUSED;
  if (qsm_lane() & 1) FOREVER(__asm__ volatile("nop"));
  FOREVER(__asm__ volatile("nop\n\tnop"));
}
ATTACK(half_at_barrier) {
  UNUSED;
  if (qsm_lane() & 1) FOREVER(__asm__ volatile("nop"));
  __syncthreads();
}
ATTACK(barriers) {
  UNUSED;
  FOREVER(__syncthreads());
}
ATTACK(add_only) {
  unsigned x = words;
  FOREVER(__asm__ volatile(
      "add %0, %0, %1\n\txor %0, %0, %2\n\tadd %0, %0, %1\n\txor %0, %0, %2" : "+r"(x) : "r"(other),
      "r"(own)));
}
ATTACK(multiply) {
  unsigned x = words;
  FOREVER(__asm__ volatile("mul %0, %0, %1\n\tmulh %0, %0, %2" : "+r"(x) : "r"(other), "r"(own)));
}
ATTACK(divide) {
  unsigned x = words;
  FOREVER(__asm__ volatile("divu %0, %1, %2\n\tremu %0, %1, %2" : "+r"(x) : "r"(other), "r"(own)));
}
ATTACK(float_divide) {
  unsigned x = words;
  FOREVER(__asm__ volatile("fdiv.s %0, %1, %2\n\tfsqrt.s %0, %1" : "+r"(x) : "r"(other), "r"(own)));
}
ATTACK(float_multiply) {
  unsigned x = words, y = words;
  FOREVER(__asm__ volatile("fmadd.s %0, %0, %2, %3\n\tfmadd.s %1, %1, %2, %3" : "+r"(x),
                           "+r"(y) : "r"(other), "r"(own)));
}
ATTACK(calls) {
  UNUSED;
  __asm__ volatile("1: auipc t0, 0\n\taddi t0, t0, 12\n\tjalr ra, 0(t0)\n\tj 1b");
}
// More code than an instruction cache holds, a jump from line to line.
ATTACK(code_lines) {
  UNUSED;
  __asm__ volatile(
      "1:\n\t"
      ".rept 4096\n\t"
      "j .+32\n\t"
      ".zero 28\n\t"
      ".endr\n\t"
      "lla t0, 1b\n\tjr t0"
      :
      :
      : "t0");
}
ATTACK(same_line) { FOREVER((void)own[qsm_lane() & (words - 1)]; (void)other); }
ATTACK(read_stream) {
  (void)other;
  for (unsigned i = thread_number();; i += blockDim.x * gridDim.x) (void)own[i & (words - 1)];
}
ATTACK(write_stream) {
  (void)other;
  for (unsigned i = thread_number();; i += blockDim.x * gridDim.x) own[i & (words - 1)] = i;
}
ATTACK(read_scattered) {
  (void)other;
  for (unsigned i = scatter(thread_number());; i = scatter(i + 1)) (void)own[i & (words - 1)];
}
ATTACK(write_scattered) {
  (void)other;
  for (unsigned i = scatter(thread_number());; i = scatter(i + 1)) own[i & (words - 1)] = i;
}
ATTACK(read_rows) {
  (void)other;
  for (unsigned i = thread_number() * 4096;; i += 4096 * 33) (void)own[i & (words - 1)];
}
ATTACK(write_bytes) {
  (void)other;
  for (unsigned i = scatter(thread_number());; i = scatter(i + 1))
    ((volatile unsigned char *)own)[i & (4 * words - 1)] = 1;
}
ATTACK(add_one_word) {
  (void)words, (void)other;
  FOREVER(atomicAdd((unsigned *)own, 1));
}
ATTACK(add_scattered) {
  (void)other;
  for (unsigned i = scatter(thread_number());; i = scatter(i + 1))
    atomicAdd((unsigned *)&own[i & (words - 1)], 1);
}
ATTACK(fences) {
  UNUSED;
  FOREVER(__threadfence());
}
ATTACK(store_and_fence) {
  (void)other;
  for (unsigned i = scatter(thread_number());; i = scatter(i + 1)) {
    own[i & (words - 1)] = i;
    __threadfence();
  }
}
ATTACK(stack_storm) {
  volatile unsigned local[16];
  (void)own, (void)words;
  for (unsigned i = 0;; i++) local[(i + qsm_lane()) & 15] = other;
}
ATTACK(bank_conflicts) {
  volatile unsigned *shared = qsm_dynamic_shared();
  (void)own, (void)words;
  FOREVER(shared[qsm_lane() * warpSize & 255] = other);
}
ATTACK(shared_atomics) {
  unsigned *shared = qsm_dynamic_shared();
  (void)own, (void)words, (void)other;
  FOREVER(atomicAdd(shared, 1));
}
ATTACK(ends_at_once) { UNUSED; }

// The save area lies behind the buffer: whatever is saved there comes back as this makes it.
ATTACK(forge_images) {
  for (unsigned i = scatter(thread_number());; i = scatter(i + 1))
    own[words + (i >> 8 & 16383)] = (i & 3) ? i : other;
}

// ---- Secrets and spies: `words` of dynamic shared memory, KEY everywhere; what a spy finds, all
// bits together, goes to own[thread] ----

#define KEY 0x5EC4E7A1u
enum { STACK_WORDS = 24 };

// Leaves the key in registers that no start-up code touches, in shared memory and on the stack.
#define LEAVE_KEY()                                                                                                            \
  volatile unsigned *shared = qsm_dynamic_shared();                                                                            \
  volatile unsigned stack[STACK_WORDS];                                                                                        \
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) shared[i] = KEY;                                                  \
  for (unsigned i = 0; i < STACK_WORDS; i++) stack[i] = KEY;                                                                   \
  for (unsigned i = thread_number(); i < 4096; i += blockDim.x * gridDim.x) own[i] = KEY;                                      \
  __asm__ volatile(                                                                                                            \
      "mv s2, %0\n\tmv s3, %0\n\tmv s4, %0\n\tmv s5, %0\n\tmv s6, %0\n\tmv s7, %0\n\tmv s8, %0\n\tmv s9, %0\n\tmv s10, %0\n\t" \
      "mv s11, %0\n\tmv t2, %0\n\tmv t6, %0"                                                                                   \
      :                                                                                                                        \
      : "r"(KEY)                                                                                                               \
      : "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t2", "t6")

__global__ void keep_secret(volatile unsigned *own, unsigned words, unsigned rounds) {
  LEAVE_KEY();
  for (unsigned i = 0; i < rounds; i++) __asm__ volatile("nop");
  qsm_exit();  // before the s registers are put back
}

__global__ void fault_with_secret(volatile unsigned *own, unsigned words, unsigned rounds) {
  LEAVE_KEY();
  for (unsigned i = 0; i < rounds; i++) __asm__ volatile("nop");
  if (blockIdx.x % 4 == 3) __asm__ volatile("ebreak");
  qsm_exit();
}

__global__ void keep_secret_for_ever(volatile unsigned *own, unsigned words, unsigned rounds) {
  (void)rounds;
  LEAVE_KEY();
  FOREVER(__asm__ volatile("nop"));
}

// The registers first, before the compiler uses them. `planted`: what the block leaves for itself,
// for a spy that must find something.
__global__ void spy(volatile unsigned *own, unsigned words, unsigned planted) {
  unsigned found;
  __asm__ volatile(
      "or %0, s2, s3\n\tor %0, %0, s4\n\tor %0, %0, s5\n\tor %0, %0, s6\n\tor %0, %0, s7\n\tor %0, %0, s8\n\tor %0, %0, s9\n\t"
      "or %0, %0, s10\n\tor %0, %0, s11"
      : "=&r"(found));
  volatile unsigned *shared = qsm_dynamic_shared();
  if (planted && threadIdx.x == 0 && words) shared[0] = planted;
  __syncthreads();
  for (unsigned i = 0; i < words; i++) found |= shared[i];
  own[thread_number()] = found;
}

// The same of registers in lanes that were masked when their register was written: odd lanes write,
// even lanes look.
__global__ void spy_beside(volatile unsigned *own, unsigned words, unsigned planted) {
  unsigned found = 0;
  (void)words, (void)planted;
  if (qsm_lane() & 1)
    __asm__ volatile("li s2, 0\n\tli s3, 0\n\tli s4, 0" : : : "s2", "s3", "s4");
  else
    __asm__ volatile("or %0, s2, s3\n\tor %0, %0, s4" : "=r"(found));
  own[thread_number()] = found;
}

// All words of a tenant's memory that the launch is told.
__global__ void spy_memory(volatile unsigned *own, unsigned from, unsigned until) {
  unsigned found = 0;
  for (unsigned at = from + 4 * thread_number(); at < until; at += 4 * blockDim.x * gridDim.x)
    found |= *(volatile unsigned *)at;
  atomicOr((unsigned *)own, found);
}
