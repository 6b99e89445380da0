// SPDX-License-Identifier: Apache-2.0
// Histogram with many bins that saturate at 255. Blocks share the work in two ways: blockIdx.y
// takes a part of the data, blockIdx.x a range of bins, whose counts fit into shared memory; so
// blocks that read the same part run at the same time, and all but one find it in the L2. A
// count that has reached 255 is left alone: the bins of the peak, for which all would wait, cost a
// load only. A second launch saturates the sums of the parts. The values are read two at a time,
// and counted two to a word. Shared memory: a word per two bins of a range.
#include <qsm.h>

enum { MOST = 255 };

static unsigned saturate(unsigned count) { return count < MOST ? count : MOST; }

// A block's threads may race past the limit, by less than would reach the other count of the word.
static void count(unsigned *bins, unsigned bin) {
  unsigned *word = &bins[bin / 2], shift = bin % 2 * 16;
  if ((*(volatile unsigned *)word >> shift & 0xFFFF) < MOST) atomicAdd(word, 1u << shift);
}

// data: two values per word. n_range is even.
__global__ void histo_count(const unsigned *data, unsigned n_words, unsigned *counts,
                            unsigned n_bins, unsigned n_range) {
  unsigned *bins = qsm_dynamic_shared();
  unsigned first = blockIdx.x * n_range, step = gridDim.y * blockDim.x;
  for (unsigned k = threadIdx.x; k < n_range / 2; k += blockDim.x) bins[k] = 0;
  __syncthreads();
  unsigned i = blockIdx.y * blockDim.x + threadIdx.x, next = i < n_words ? data[i] : 0;
  while (i < n_words) {
    unsigned low = (next & 0xFFFF) - first, high = (next >> 16) - first;
    i += step;
    if (i < n_words) next = data[i];  // on its way while this one is counted
    if (low < n_range) count(bins, low);
    if (high < n_range) count(bins, high);
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < n_range && first + k < n_bins; k += blockDim.x) {
    unsigned sum = bins[k / 2] >> k % 2 * 16 & 0xFFFF;
    if (sum != 0) atomicAdd(&counts[first + k], saturate(sum));
  }
}

__global__ void histo_saturate(const unsigned *counts, uint8_t *result, unsigned n_bins) {
  unsigned bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin < n_bins) result[bin] = (uint8_t)saturate(counts[bin]);
}
