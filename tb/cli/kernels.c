// SPDX-License-Identifier: Apache-2.0
// Kernels that go wrong, for the tests of bad input; ROOM words of data.
#include <qsm.h>

unsigned room[ROOM];

__global__ void fill(unsigned *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = room[threadIdx.x] + 1; }

__global__ void illegal(unsigned *p) {
  if (blockIdx.x == 2 && threadIdx.x == 1) __asm__ volatile(".word 0");
  p[blockIdx.x] = 1;
}

__global__ void outside(unsigned *p, unsigned address) {
  if (blockIdx.x == 3 && threadIdx.x == 2) *(volatile unsigned *)address = 1;
  p[blockIdx.x] = 1;
}

__global__ void endless(volatile unsigned *p) {
  while (*p == 0) {
  }
}
