// SPDX-License-Identifier: Apache-2.0
// Kernels for the test of `qsm memcheck`: each does what it does wrong only when it is told to.
#include <qsm.h>

__shared__ int tile[64];

static unsigned thread_of_grid(void) { return blockIdx.x * blockDim.x + threadIdx.x; }

// Thread 3 of each block leaves out its element.
__global__ void reads_shared(int *out, unsigned wrong) {
  if (!wrong || threadIdx.x != 3) tile[threadIdx.x] = (int)threadIdx.x;
  __syncthreads();
  out[thread_of_grid()] = tile[threadIdx.x ^ 1];
}

// The last word is not set.
__global__ void reads_stack(int *out, unsigned wrong) {
  volatile int own[8];
  int sum = 0;
  for (unsigned i = 0; i < 8 - wrong; i++) own[i] = (int)i;
  for (unsigned i = 0; i < 8; i++) sum += own[i];
  out[thread_of_grid()] = sum;
}

static inline void set(int *p) { *p = 1; }

// The buffer has 100 words.
__global__ void writes_behind(int *out, unsigned wrong) {
  unsigned i = thread_of_grid();
  if (i < 100 + wrong) set(out + i);
}

__global__ void reads_too_early(int *out, unsigned wrong) {
  tile[threadIdx.x] = (int)threadIdx.x;
  if (!wrong) __syncthreads();
  out[thread_of_grid()] = tile[threadIdx.x ^ 1];
}

// All threads have the same sum to add to.
__global__ void adds_at_once(int *out, unsigned wrong) {
  if (threadIdx.x == 0) tile[0] = 0;
  __syncthreads();
  if (wrong)
    *(volatile int *)tile = (int)threadIdx.x;
  else
    atomicAdd(&tile[0], (int)threadIdx.x);
  __syncthreads();
  out[thread_of_grid()] = tile[0];
}

__global__ void waits_elsewhere(int *out, unsigned wrong) {
  if (wrong && threadIdx.x >= 20) {
    tile[threadIdx.x] = 1;
    __syncthreads();
    out[thread_of_grid()] = 1;
    return;
  }
  tile[threadIdx.x] = 2;
  __syncthreads();
  out[thread_of_grid()] = tile[0];
}

// Legal, and a finding with --exited.
__global__ void ends_early(int *out, unsigned wrong) {
  if (wrong && threadIdx.x >= 24) return;
  tile[threadIdx.x] = 1;
  __syncthreads();
  out[thread_of_grid()] = tile[0];
}

__global__ void leaves_window(int *out, unsigned wrong) {
  if (wrong) *(volatile int *)8 = 1;
  out[thread_of_grid()] = 1;
}

__global__ void never_ends(volatile int *out, unsigned wrong) {
  while (wrong) out[thread_of_grid()] = 1;
}
