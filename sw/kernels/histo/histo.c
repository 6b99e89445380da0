// SPDX-License-Identifier: Apache-2.0
// Histogram with many bins that saturate at 255. Blocks share the work in two ways: blockIdx.x
// takes a part of the data, blockIdx.y a range of bins, whose counts fit into shared memory. A
// count that has reached 255 is left alone: the bins of the peak, for which all would wait, cost a
// load only. A second launch saturates the sums of the parts. Shared memory: one word per bin of a
// range.
#include <qsm.h>

enum { MOST = 255 };

static unsigned saturate(unsigned count) { return count < MOST ? count : MOST; }

__global__ void histo_count(const uint16_t *data, unsigned n, unsigned *counts, unsigned n_bins,
                            unsigned n_range) {
  unsigned *bins = qsm_dynamic_shared();
  unsigned first = blockIdx.y * n_range;
  for (unsigned i = threadIdx.x; i < n_range; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned bin = data[i] - first;
    if (bin < n_range && bins[bin] < MOST) atomicAdd(&bins[bin], 1);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < n_range && first + i < n_bins; i += blockDim.x) {
    if (bins[i] != 0)
      atomicAdd(&counts[first + i], saturate(bins[i]));  // threads may have raced past the limit
  }
}

__global__ void histo_saturate(const unsigned *counts, uint8_t *result, unsigned n_bins) {
  unsigned bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin < n_bins) result[bin] = (uint8_t)saturate(counts[bin]);
}
