// SPDX-License-Identifier: Apache-2.0
// Kernels of microbench.c. Each times loops by the cycle counter, the second of twice as many
// copies of the instruction where there are two: their difference is free of what the loops cost
// themselves. Warp w of the launch writes begin and end of loop n to output[4 * w + 2 * n].
#include <qsm.h>

#define COPIES_4(x) x x x x
#define COPIES_8(x) COPIES_4(x) COPIES_4(x)
#define COPIES_16(x) COPIES_8(x) COPIES_8(x)
#define COPIES_32(x) COPIES_16(x) COPIES_16(x)

static unsigned warp_of_launch(void) { return (blockIdx.x * blockDim.x + threadIdx.x) / warpSize; }

static void put(unsigned *output, unsigned loop, unsigned begin, unsigned end) {
  unsigned *place = output + 4 * warp_of_launch() + 2 * loop;
  if (qsm_lane() != 0) return;
  place[0] = begin;
  place[1] = end;
}

// The counter when x is there.
static unsigned clock_after(unsigned x) {
  unsigned now;
  __asm__ volatile("and %0, %1, zero\n\tcsrr %0, 0xC00" : "=&r"(now) : "r"(x) : "memory");
  return now;
}

// So that the compiler makes one loop of it, whose code is in the instruction cache from the first
// pass on.
static unsigned two_passes(void) {
  unsigned n = 2;
  __asm__ volatile("" : "+r"(n));
  return n;
}

#define TIME_LOOP(output, loop, n_rounds, x, y, copies)             \
  {                                                                 \
    unsigned begin, end;                                            \
    __syncthreads();                                                \
    begin = clock_after(x);                                         \
    for (unsigned i = 0; i < n_rounds; i++)                         \
      __asm__ volatile(copies : "+r"(x) : "r"(y) : "t0", "memory"); \
    end = clock_after(x);                                           \
    put(output, loop, begin, end);                                  \
  }

// x goes through the instructions again and again, in all threads; y stays. The second pass counts.
#define TIME(output, rounds, x, y, code)                       \
  for (unsigned left = two_passes(); left; left--) {           \
    TIME_LOOP(output, 0, rounds, x, y, COPIES_16(code "\n\t")) \
    TIME_LOOP(output, 1, rounds, x, y, COPIES_32(code "\n\t")) \
  }

// Four values that do not wait for each other go through 64 and 128 instructions, without a loop
// whose own instructions take part.
#define TIME_FOUR_ONCE(output, loop, x, y, copies)                                      \
  {                                                                                     \
    unsigned begin, end;                                                                \
    __syncthreads();                                                                    \
    begin = clock_after(x[0]);                                                          \
    __asm__ volatile(copies : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3]) : "r"(y)); \
    end = clock_after(x[0] ^ x[1] ^ x[2] ^ x[3]);                                       \
    put(output, loop, begin, end);                                                      \
  }

#define TIME_FOUR(output, x, y, four)                \
  for (unsigned left = two_passes(); left; left--) { \
    TIME_FOUR_ONCE(output, 0, x, y, COPIES_16(four)) \
    TIME_FOUR_ONCE(output, 1, x, y, COPIES_32(four)) \
  }

#define OPERATION(name, code, first, second)                \
  __global__ void name(unsigned *output, unsigned rounds) { \
    unsigned x = (first) + 0 * threadIdx.x, y = (second);   \
    TIME(output, rounds, x, y, code)                        \
  }

// ---- Operations, each on the result of the one before ----
OPERATION(op_add, "add %0, %0, %1", 1, 3)
OPERATION(op_mul, "mul %0, %0, %1", 1, 3)
OPERATION(op_div, "divu %0, %1, %0", 3, 1000000007)
OPERATION(op_fadd, "fadd.s %0, %0, %1", 0x3f800000, 0x3f800000)
OPERATION(op_fmul, "fmul.s %0, %0, %1", 0x3f800000, 0x3f800001)
OPERATION(op_fma, "fmadd.s %0, %0, %1, %1", 0x3f800000, 0x3f000000)
OPERATION(op_fdiv, "fdiv.s %0, %1, %0", 0x3fc00000, 0x40400000)
OPERATION(op_fsqrt, "fsqrt.s %0, %0", 0x7f000000, 0)
OPERATION(op_convert, "fcvt.s.w %0, %0", 7, 0)

#define ADD(n) "add %" #n ", %" #n ", %4"
#define MUL(n) "mul %" #n ", %" #n ", %4"
#define DIV(n) "divu %" #n ", %4, %" #n
#define FADD(n) "fadd.s %" #n ", %" #n ", %4"
#define FMA(n) "fmadd.s %" #n ", %" #n ", %4, %4"
#define FDIV(n) "fdiv.s %" #n ", %4, %" #n
#define FSQRT(n) "fsqrt.s %" #n ", %" #n
#define MANY(name, four, first, second)                                \
  __global__ void name(unsigned *output) {                             \
    unsigned x[4], y = (second);                                       \
    for (unsigned i = 0; i < 4; i++) x[i] = (first) + 0 * threadIdx.x; \
    TIME_FOUR(output, x, y, four)                                      \
  }
#define FOUR(COPY) COPY(0) "\n\t" COPY(1) "\n\t" COPY(2) "\n\t" COPY(3) "\n\t"
MANY(many_add, FOUR(ADD), 1, 3)
MANY(many_mul, FOUR(MUL), 1, 3)
MANY(many_div, FOUR(DIV), 3, 1000000007)
MANY(many_fadd, FOUR(FADD), 0x3f800000, 0x3f800000)
MANY(many_fma, FOUR(FMA), 0x3f800000, 0x3f000000)
MANY(many_mixed, FADD(0) "\n\t" ADD(1) "\n\t" FADD(2) "\n\t" ADD(3) "\n\t", 0x3f800000, 1)
MANY(many_fdiv, FOUR(FDIV), 0x3fc00000, 0x40400000)
MANY(many_fsqrt, FOUR(FSQRT), 0x7f000000, 0)

OPERATION(op_barrier, "fence rw, w\n\t.insn i 0x0b, 0, x0, x0, 0", 0, 0)
OPERATION(op_jump, "j 1f\n1:", 0, 0)

// Two ways of four additions each, that meet again: every thread goes the same way, or every other
// lane its own. %1 has the lane's bit.
#define TWO_WAYS                                                                   \
  "beqz %1, 1f\n\taddi %0, %0, 1\n\taddi %0, %0, 1\n\taddi %0, %0, 1\n\taddi %0, " \
  "%0, 1\n\tj 2f\n1:\n\taddi %0, %0, 1\n\taddi %0, %0, 1\n\taddi %0, %0, 1\n\t"    \
  "addi %0, %0, 1\n2:"
__global__ void op_ways(unsigned *output, unsigned rounds, unsigned mask) {
  unsigned x = 0, y = qsm_lane() & mask;
  TIME(output, rounds, x, y, TWO_WAYS)
}

// ---- Memory: what a thread loads is the address of its next load ----
__global__ void chase(unsigned *output, unsigned rounds, unsigned first, unsigned warm) {
  unsigned x = first, y = 0, n_rounds = 1;
  for (unsigned i = 0; i < warm; i++) __asm__ volatile("lw %0, 0(%0)" : "+r"(x) : : "memory");
  for (unsigned left = two_passes(); left; left--, n_rounds = rounds) {
    TIME_LOOP(output, 0, n_rounds, x, y, COPIES_16("lw %0, 0(%0)\n\t"))
    TIME_LOOP(output, 1, n_rounds, x, y, COPIES_32("lw %0, 0(%0)\n\t"))
  }
}

// The words of shared memory that the warp's lanes take lie `apart` bytes from each other; each
// word is its own address.
static unsigned own_word(unsigned apart, unsigned words) {
  unsigned *shared = qsm_dynamic_shared();
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
    shared[i] = (unsigned)(uintptr_t)(shared + i);
  __syncthreads();
  return (unsigned)(uintptr_t)shared + qsm_lane() * apart;
}

__global__ void shared_load(unsigned *output, unsigned rounds, unsigned apart, unsigned words) {
  unsigned x = own_word(apart, words), y = 0;
  TIME(output, rounds, x, y, "lw %0, 0(%0)")
}

__global__ void shared_atomic(unsigned *output, unsigned rounds, unsigned apart, unsigned words) {
  unsigned x = own_word(apart, words), y = 0;
  TIME(output, rounds, x, y, "amoor.w %0, zero, (%0)")
}

// Words of device memory that hold their own addresses: `apart` bytes between two lanes',
// `warps_apart` between two warps'.
__global__ void device_atomic(unsigned *output, unsigned rounds, unsigned first, unsigned apart,
                              unsigned warps_apart) {
  unsigned x = first + qsm_lane() * apart + warp_of_launch() * warps_apart, y = 0;
  TIME(output, rounds, x, y, "amoor.w %0, zero, (%0)")
}

// The same in one loop: blocks that do not wait for each other tell nothing by a difference.
__global__ void device_atomic_stream(unsigned *output, unsigned rounds, unsigned first,
                                     unsigned apart, unsigned warps_apart) {
  unsigned x = first + qsm_lane() * apart + warp_of_launch() * warps_apart;
  unsigned begin = clock_after(x);
  for (unsigned i = 0; i < rounds; i++)
    __asm__ volatile(COPIES_8("amoor.w %0, zero, (%0)\n\t") : "+r"(x) : : "memory");
  put(output, 0, begin, clock_after(x));
}

// ---- Bandwidth: loads that wait for nothing, of whole lines ----
__global__ void shared_stream(unsigned *output, unsigned rounds, unsigned words) {
  unsigned x = own_word(4, words), y = 0;
  TIME(output, rounds, x, y, "lw zero, 0(%0)")
}

// Each warp loads one of eight lines of device memory.
__global__ void device_stream(unsigned *output, unsigned rounds, unsigned first) {
  unsigned x = first + 4 * (warp_of_launch() % 8 * warpSize + qsm_lane()), y = 0;
  TIME(output, rounds, x, y, "lw zero, 0(%0)")
}

#define LOAD_AND_STEP "lw zero, 0(%0)\n\tadd %0, %0, %1\n\t"
#define STORE_AND_STEP "sw zero, 0(%0)\n\tadd %0, %0, %1\n\t"

// All warps together take the lines of the `bytes` from `first` on, `turns` times: each warp those
// `step` bytes apart. The last of the passes counts.
#define STREAM(name, code)                                                                \
  __global__ void name(unsigned *output, unsigned passes, unsigned first, unsigned bytes, \
                       unsigned step, unsigned turns) {                                   \
    unsigned from = first + 4 * (warp_of_launch() * warpSize + qsm_lane());               \
    for (unsigned pass = 0; pass < passes; pass++) {                                      \
      __syncthreads();                                                                    \
      unsigned begin = clock_after(from), end;                                            \
      for (unsigned turn = 0; turn < turns; turn++) {                                     \
        unsigned x = from;                                                                \
        for (unsigned left = bytes / step; left; left -= 8)                               \
          __asm__ volatile(COPIES_8(code) : "+r"(x) : "r"(step) : "memory");              \
      }                                                                                   \
      __asm__ volatile("fence rw, w" : : : "memory");                                     \
      end = clock_after(from);                                                            \
      put(output, 0, begin, end);                                                         \
    }                                                                                     \
  }
STREAM(stream, LOAD_AND_STEP)
STREAM(stream_out, STORE_AND_STEP)
