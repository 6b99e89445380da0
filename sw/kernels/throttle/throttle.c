// SPDX-License-Identifier: Apache-2.0
// A kernel of a set length: every thread walks n_steps of one linear congruential sequence, each
// step waiting for the one before, and writes where it ends. What LoGA and others before it use to
// hold a GPU for a given time.
#include <qsm.h>

__global__ void throttle(unsigned *ends, unsigned n_threads, unsigned seed, unsigned n_steps) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n_threads) return;
  unsigned value = seed + i;
  for (unsigned step = 0; step < n_steps; step++) value = value * 1664525u + 1013904223u;
  ends[i] = value;
}
