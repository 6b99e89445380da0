// SPDX-License-Identifier: Apache-2.0
// Kernels of test_workers.c, compiled for the ordinary form and for workers.
#include <qsm.h>

static unsigned block_number(void) {
  return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
static unsigned thread_number(void) {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
static unsigned block_threads(void) { return blockDim.x * blockDim.y * blockDim.z; }

// A word per thread: where it is, as the kernel sees it. Added, so that a block that runs twice
// shows.
__global__ void places(unsigned *out) {
  unsigned value = blockIdx.x + (blockIdx.y << 5) + (blockIdx.z << 10) + (gridDim.x << 15) +
                   (gridDim.y << 20) + (gridDim.z << 25) + (thread_number() << 27);
  out[block_number() * block_threads() + thread_number()] += value;
}

// Threads leave at different rounds, some before any barrier; the others sum up what is there.
__global__ void ragged(unsigned *out, unsigned n_rounds) {
  unsigned *shared = qsm_dynamic_shared(), tid = thread_number(), n = block_threads(), sum = 0,
           mine = (n_rounds + block_number() + tid) % (n_rounds + 1);
  for (unsigned round = 0; round < mine; round++) {
    shared[tid] = block_number() + round * tid;
    __syncthreads();
    for (unsigned i = 0; i < n; i++)
      if ((n_rounds + block_number() + i) % (n_rounds + 1) > round) sum += shared[i];
    __syncthreads();
  }
  out[block_number() * n + tid] += sum + 1;
}

struct numbers {
  unsigned word[6];
  unsigned *out;
};

// Changes its own arguments: one by reference, one on the stack.
__global__ void arguments(struct numbers numbers, unsigned a, unsigned b, unsigned c, unsigned d,
                          unsigned e, unsigned f, unsigned g, unsigned h) {
  volatile unsigned *words = numbers.word, *last = &h;
  for (unsigned i = 0; i < 6; i++) words[i] += i;
  *last += 1;
  numbers.out[block_number() * block_threads() + thread_number()] +=
      words[0] + words[5] + a + b + c + d + e + f + g + *last;
}

// A word per block: the SM, and how often it ran; takes its time.
__global__ void stamp(unsigned *out, unsigned n_turns) {
  volatile unsigned turn = 0;
  while (turn < n_turns) turn++;
  if (thread_number() == 0) out[block_number()] += 0x100 + qsm_smid();
}
