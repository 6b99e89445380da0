// SPDX-License-Identifier: Apache-2.0
// Histogram of bytes, privatised: each block counts in shared memory and adds its counts to the
// result at the end (Podlozhnyuk, "Histogram calculation in CUDA", 2007). Shared memory: one word
// per bin.
#include <qsm.h>

__global__ void histogram(const uint8_t *data, unsigned n, unsigned *counts, unsigned n_bins) {
  unsigned *bins = qsm_dynamic_shared();
  for (unsigned i = threadIdx.x; i < n_bins; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&bins[data[i] * n_bins >> 8], 1);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < n_bins; i += blockDim.x) {
    if (bins[i] != 0) atomicAdd(&counts[i], bins[i]);
  }
}
