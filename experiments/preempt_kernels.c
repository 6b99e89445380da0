// SPDX-License-Identifier: Apache-2.0
// Kernels of preempt_cost.c; qsm_preempt_trial.c computes their outputs again. A block has as many
// warps and as much shared memory as the launch says; it reads nothing that it has written to
// device memory, so it may be flushed.
#include <qsm.h>

#ifndef FACTOR
#define FACTOR 1664525u
#endif
enum { INPUT_WORDS = 16384, STRIDE = 1031 };

static unsigned step(unsigned x) { return x * FACTOR + 1013904223u; }

static void fill_shared(unsigned words) {
  volatile unsigned *shared = qsm_dynamic_shared();
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) shared[i] = step(blockIdx.x + i);
  __syncthreads();
}

// Of words that other threads have filled.
static unsigned sum_shared(unsigned words) {
  volatile unsigned *shared = qsm_dynamic_shared();
  unsigned sum = 0;
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) sum += shared[words - 1 - i];
  return sum;
}

__global__ void compute(unsigned *output, const unsigned *input, unsigned rounds,
                        unsigned shared_words) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  fill_shared(shared_words);
  unsigned x = input[thread % INPUT_WORDS];
  for (unsigned i = 0; i < rounds; i++) x = step(x) ^ x >> 15;
  output[thread] = x + sum_shared(shared_words);
}

__global__ void memory(unsigned *output, const unsigned *input, unsigned rounds,
                       unsigned shared_words) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  fill_shared(shared_words);
  unsigned x = 0;
  for (unsigned i = 0; i < rounds; i++) x += input[(thread + i * STRIDE) % INPUT_WORDS];
  output[thread] = x + sum_shared(shared_words);
}
