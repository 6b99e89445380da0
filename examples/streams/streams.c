// SPDX-License-Identifier: Apache-2.0
// A filter that takes some time for each element.
#include <qsm.h>

enum { TURNS = 24 };

__global__ void filter(const unsigned *in, unsigned *out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i];
  for (unsigned turn = 0; turn < TURNS; turn++) v = v * 1664525u + 1013904223u;
  out[i] = v;
}
