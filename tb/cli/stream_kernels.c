// SPDX-License-Identifier: Apache-2.0
// Kernels for the tests of streams.
#include <qsm.h>

static void spin(unsigned n) {
  for (unsigned i = 0; i < n; i++) __asm__ volatile("");
}

// Appends a number to a list, whose length is its first word, after so many turns of a loop.
__global__ void mark(unsigned *list, unsigned number, unsigned turns) {
  spin(turns);
  if (threadIdx.x == 0) list[1 + atomicAdd(list, 1)] = number;
}

// Order shows in what comes of it.
__global__ void step(unsigned *p, unsigned value) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i] = 3 * p[i] + value;
}

__global__ void endless(volatile unsigned *p) {
  while (*p == 0) __threadfence();
}

__global__ void illegal(unsigned *p) {
  if (threadIdx.x == 1) __asm__ volatile(".word 0");
  p[threadIdx.x] = 1;
}

// Writes garbage over memory of its own tenant.
__global__ void garbage(unsigned *p, unsigned n_words, unsigned seed) {
  for (unsigned i = threadIdx.x; i < n_words; i += blockDim.x) {
    seed = seed * 1664525u + 1013904223u;
    p[i] = seed ^ seed >> 13 ^ i;
  }
}

// And brings it into the caches.
__global__ void touch(volatile unsigned *p, unsigned n_words, unsigned *sum) {
  unsigned s = 0;
  for (unsigned i = threadIdx.x; i < n_words; i += blockDim.x) s += p[i];
  sum[threadIdx.x] = s;
}

// Each thread keeps its values on the stack.
__global__ void shallow(unsigned *p) {
  volatile unsigned own[4];
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (unsigned i = 0; i < 4; i++) own[i] = thread + i;
  for (unsigned i = 0; i < 4; i++) sum += own[i];
  p[thread] = sum;
}

__global__ void deep(unsigned *p) {
  volatile unsigned own[100];
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (unsigned i = 0; i < 100; i++) own[i] = thread + i;
  for (unsigned i = 0; i < 100; i++) sum += own[i];
  p[thread] = sum;
}

// One of two launches, `side` 0 and 1, that hand sixteen words to each other in turn: side 0 in the
// even turns, side 1 in the odd ones. While a launch waits it reads the other's words, so that they
// lie in its caches. fences: bit 0 before the turn is handed on, bit 1 behind its arrival. told[0]
// becomes the number of words that were not the other's, told[1] the SM.
__global__ void hand_over(unsigned *turn, volatile unsigned *words, unsigned *told, unsigned turns,
                          unsigned side, unsigned fences) {
  enum { WORDS = 16 };
  volatile unsigned *own = words + WORDS * side, *others = words + WORDS * (1 - side);
  if (threadIdx.x == 0) told[1] = qsm_smid();
  for (unsigned n = 0; n < turns; n++) {
    unsigned wanted = n % 2 == side ? n : n + 1;
    if (threadIdx.x == 0)
      while (atomicAdd(turn, 0) != wanted)
        for (unsigned i = 0; i < WORDS; i++) (void)others[i];
    __syncthreads();
    if (fences & 2) __threadfence();
    for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x)
      if (wanted == n)
        own[i] = (n + 1) * (i + 1);
      else if (others[i] != (n + 1) * (i + 1))
        atomicAdd(told, 1);
    if (wanted == n) {
      if (fences & 1) __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) atomicAdd(turn, 1);
    }
  }
}
