// SPDX-License-Identifier: Apache-2.0
// Every block fills its part of a buffer, but one of them writes far outside the memory of its
// tenant.
#include <qsm.h>

__global__ void stray(unsigned *buffer, unsigned bad_block) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x == bad_block && threadIdx.x == 3) *(volatile unsigned *)0x40000000 = i;
  buffer[i] = i;
}
