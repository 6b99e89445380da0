// SPDX-License-Identifier: Apache-2.0
// Pure compute: chains of multiplications, shifts and logic, PER_THREAD words of output per thread.
// Memory is touched only at the end. The chains of a thread do not depend on each other and advance
// together, so that few warps fill the pipeline.
#include <qsm.h>

enum { PER_THREAD = 2 };
#define EACH for (int j = 0; j < PER_THREAD; j++)

// A multiply-with-carry generator (the high half of the product feeds the next step), an xorshift
// generator (Marsaglia, Journal of Statistical Software 8(14), 2003) and a sum of both.
struct chains {
  unsigned a[PER_THREAD], carry[PER_THREAD], b[PER_THREAD], sum[PER_THREAD];
};

static void advance(struct chains *chains) {
  unsigned low[PER_THREAD], high[PER_THREAD];
  EACH low[j] = 4294957665u * chains->a[j];
  EACH high[j] = (unsigned)((4294957665ull * chains->a[j]) >> 32);
  EACH chains->b[j] ^= chains->b[j] << 13;
  EACH chains->a[j] = low[j] + chains->carry[j];
  EACH chains->b[j] ^= chains->b[j] >> 17;
  EACH chains->carry[j] = high[j] + (chains->a[j] < low[j]);
  EACH chains->b[j] ^= chains->b[j] << 5;
  EACH chains->sum[j] = chains->sum[j] * 31 + (chains->a[j] ^ chains->b[j]);
}

// Thread i computes elements i and n + i.
__global__ void pc(unsigned *checksums, unsigned n, unsigned seed, unsigned n_rounds) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  struct chains chains;
  EACH {
    unsigned element = (unsigned)j * n + i;
    chains.a[j] = seed ^ element;
    chains.carry[j] = element + 1;
    chains.b[j] = seed + element * 2654435761u + 1;
    chains.sum[j] = 0;
  }
  for (unsigned round = 0; round < n_rounds; round++) advance(&chains);
  EACH checksums[(unsigned)j * n + i] = chains.sum[j];
}
