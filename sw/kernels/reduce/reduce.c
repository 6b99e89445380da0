// SPDX-License-Identifier: Apache-2.0
// Sum of an array: each thread sums its share, each block adds up its threads with a tree in shared
// memory and writes one partial sum (Harris, "Optimizing Parallel Reduction in CUDA", 2007). A
// second launch of one block sums the partial sums. Shared memory: one word per thread; any number
// of threads.
#include <qsm.h>

__global__ void reduce(const unsigned *in, unsigned *out, unsigned n) {
  unsigned *sums = qsm_dynamic_shared();
  unsigned x = threadIdx.x, sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sums[x] = sum;
  __syncthreads();
  for (unsigned width = blockDim.x; width > 1;) {
    unsigned half = (width + 1) / 2;
    if (x + half < width) sums[x] += sums[x + half];
    __syncthreads();
    width = half;
  }
  if (x == 0) out[blockIdx.x] = sums[0];
}
