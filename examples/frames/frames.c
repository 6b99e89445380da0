// SPDX-License-Identifier: Apache-2.0
// A contrast curve over a frame, pixel by pixel, and work for the rest of the machine.
#include <qsm.h>

enum { STEPS = 12 };

__global__ void filter(const int *in, int *out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i];
  for (int step = 0; step < STEPS; step++) v += (v * (255 - v)) >> 10;
  out[i] = v;
}

// The same with as many steps as the frame needs.
__global__ void render(const int *in, int *out, unsigned detail) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i];
  for (unsigned step = 0; step < detail; step++) v += (v * (255 - v)) >> 10;
  out[i] = v;
}

__global__ void batch(unsigned *out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i + 1;
  for (unsigned k = 0; k < n; k++) x ^= x << 13, x ^= x >> 17, x ^= x << 5;
  out[i] = x;
}
