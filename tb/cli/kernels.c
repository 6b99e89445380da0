// SPDX-License-Identifier: Apache-2.0
// Kernels for the tests of the command and of libqsm, some of which go wrong; ROOM words of data.
#include <qsm.h>

unsigned room[ROOM];

__global__ void fill(unsigned *p) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = room[threadIdx.x] + 1;
}

__global__ void illegal(unsigned *p) {
  if (blockIdx.x == 2 && threadIdx.x == 1) __asm__ volatile(".word 0");
  p[blockIdx.x] = 1;
}

__global__ void outside(unsigned *p, unsigned address) {
  if (blockIdx.x == 3 && threadIdx.x == 2) *(volatile unsigned *)address = 1;
  p[blockIdx.x] = 1;
}

__global__ void peek(unsigned *p, unsigned address) {
  if (blockIdx.x == 3 && threadIdx.x == 2) p[0] = *(volatile unsigned *)address;
  p[blockIdx.x] = 1;
}

__global__ void scale(float *p, float factor) {
  p[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}

// Not by qsm_load_device(): an atomic would write the line that the host writes.
__global__ void endless(volatile unsigned *p) {
  while (*p == 0) __threadfence();
}

// The blocks change the 16 words of data one after the other, `rounds` times: each when `turn` says
// that it is its turn, the first at `first`.
__global__ void relay(volatile unsigned *turn, volatile unsigned *data, unsigned rounds,
                      unsigned first) {
  for (unsigned round = 0; round < rounds; round++) {
    unsigned mine = first + round * gridDim.x + blockIdx.x;
    while (*turn != mine) __threadfence();
    __threadfence();
    for (unsigned i = 0; i < 16; i++) data[i] += i + 1;
    __threadfence();
    *turn = mine + 1;
  }
}

// The same with an argument that they do not look at, as `outside` has it.
__global__ void fill_pair(unsigned *p, unsigned unused) {
  (void)unused;
  p[blockIdx.x * blockDim.x + threadIdx.x] = room[threadIdx.x] + 1;
}

__global__ void endless_pair(volatile unsigned *p, unsigned unused) {
  (void)unused;
  while (*p == 0) __threadfence();
}

// Spins as long as the word is not 0, which it sets to 0 first.
__global__ void take(volatile unsigned *p) {
  unsigned left = *p;
  if (threadIdx.x == 0) *p = 0;
  for (volatile unsigned i = 0; i < 100 * left; i++) {}
}

__global__ void divide(volatile unsigned *p) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i] = 1000000 / (i + 1) % 7;
}

// Block i ran on SM p[i].
__global__ void where(unsigned *p) { p[blockIdx.x] = qsm_smid(); }

// Value of the launch's dynamic shared memory, through which the block passes it.
__global__ void pass(unsigned *p, unsigned value) {
  volatile unsigned *shared = qsm_dynamic_shared();
  if (threadIdx.x == 0) shared[blockDim.x - 1] = value;
  __syncthreads();
  p[blockIdx.x * blockDim.x + threadIdx.x] = shared[blockDim.x - 1] + threadIdx.x;
}

// Numbers the words at the bottom of each thread's stack of 256 bytes (isa.md, I-MEM-6), and says
// the block's ticket.
__global__ void stack_bottoms(unsigned *p) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  volatile unsigned *bottom = (unsigned *)(uintptr_t)0xFFFFFF00;
  for (unsigned word = 0; word < 32; word++) bottom[word] = 64 * thread + word;
  p[blockIdx.x] = qsm_ticket();
}

// 800 bytes of stack: each thread's word is the sum of its own.
__global__ void large_array(unsigned *p) {
  volatile int a[200];
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (unsigned i = 0; i < 200; i++) a[i] = (int)(thread + i);
  __syncthreads();
  for (unsigned i = 0; i < 200; i++) sum += (unsigned)a[i];
  p[thread] = sum;
}

// Keeps values on the stack while others run; a word of p counts those that another thread has
// overwritten.
__global__ void stacks(unsigned *p, unsigned words) {
  volatile unsigned own[32];
  unsigned thread = blockIdx.x * blockDim.x * blockDim.y + qsm_tid();
  for (unsigned i = 0; i < words; i++) own[i] = 32 * thread + i;
  __syncthreads();
  unsigned wrong = 0;
  for (unsigned i = 0; i < words; i++) wrong += own[i] != 32 * thread + i;
  p[thread] = thread + 1000 * wrong;
}

// Waits until the word is not 0. What a thread keeps meanwhile, in registers and in shared memory,
// goes to its element of p.
__global__ void patient(volatile unsigned *go, unsigned *p) {
  volatile unsigned *shared = qsm_dynamic_shared();
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, kept = 7 * thread + 1;
  shared[threadIdx.x] = thread;
  __syncthreads();
  while (*go == 0) __threadfence();
  p[thread] = kept + shared[blockDim.x - 1 - threadIdx.x];
}

// Writes over the first argument of its own launch, as a stray pointer may.
__global__ void scribble(unsigned *p) {
  unsigned *block;
  __asm__ volatile("csrr %0, 0xccc" : "=r"(block));
  *p = 1;
  ((volatile unsigned *)block)[4] = 0;
}

// A tenant that looks at all that it can read: 0 of zeros only.
__global__ void spy(unsigned *p, const volatile unsigned *from, unsigned n_words) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (unsigned i = thread; i < n_words; i += gridDim.x * blockDim.x) sum = 33 * sum + from[i];
  p[thread] = sum;
}

// And one that leaves its words everywhere.
__global__ void smear(volatile unsigned *p, unsigned n_words) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n_words; i += gridDim.x * blockDim.x)
    p[i] = 0xC0FFEE00 + i;
}

struct large {
  unsigned char bytes[3];
  unsigned words[4];
};

// Arguments in registers, on the stack and by address.
__global__ void mixed(unsigned *p, signed char c, struct large l, long long x, unsigned a,
                      unsigned b, unsigned d, unsigned e, long long y, unsigned short s) {
  const unsigned seen[] = {
      (unsigned)c, l.bytes[2], l.words[3], (unsigned)x, (unsigned)(x >> 32), a,
      b,           d,          e,          (unsigned)y, (unsigned)(y >> 32), s};
  for (unsigned i = 0; i < 12; i++) p[(blockIdx.x * blockDim.x + threadIdx.x) * 12 + i] = seen[i];
  l.words[3] = 0;  // its own copy
}
