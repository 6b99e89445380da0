// SPDX-License-Identifier: Apache-2.0
// Histogram with many bins that saturate at 255. Blocks share the work in two ways: blockIdx.y
// takes a part of the data, blockIdx.x a range of bins, whose counts fit into shared memory; so
// blocks that read the same part run at the same time, and all but one find it in the L2. A count
// that has reached 255 is left alone: the bins of the peak, for which all would wait, cost a load
// only. A second launch adds up the parts and saturates their sums. The values are read two at a
// time, and counted two to a word. Shared memory: a word per two bins of a range.
#include <qsm.h>

enum { MOST = 255 };
// Rounds after which a block's threads meet: lanes that a branch has parted may be rounds apart
// otherwise, and read different lines.
enum { MEET = 16 };

static unsigned saturate(unsigned count) { return count < MOST ? count : MOST; }

// A block's threads may race past the limit, by less than would reach the other count of the word.
static void count(unsigned *bins, unsigned bin) {
  unsigned *word = &bins[bin / 2], shift = bin % 2 * 16;
  if ((*(volatile unsigned *)word >> shift & 0xFFFF) < MOST) atomicAdd(word, 1u << shift);
}

// data: two values per word. counts: for each part a word per two bins of all ranges. n_range is
// even.
__global__ void histo_count(const unsigned *data, unsigned n_words, unsigned *counts,
                            unsigned n_range) {
  unsigned *bins = qsm_dynamic_shared();
  unsigned first = blockIdx.x * n_range, step = gridDim.y * blockDim.x;
  for (unsigned k = threadIdx.x; k < n_range / 2; k += blockDim.x) bins[k] = 0;
  __syncthreads();
  unsigned tid = threadIdx.x, at = blockIdx.y * blockDim.x, round = 0,
           next = at + tid < n_words ? data[at + tid] : 0;
  for (; at < n_words; at += step) {
    unsigned low = (next & 0xFFFF) - first, high = (next >> 16) - first, valid = at + tid < n_words;
    if (at + step + tid < n_words) next = data[at + step + tid];  // while this one is counted
    if (low < n_range && valid) count(bins, low);
    if (high < n_range && valid) count(bins, high);
    if (++round % MEET == 0) __syncthreads();
  }
  __syncthreads();
  unsigned *own = counts + (blockIdx.y * gridDim.x + blockIdx.x) * (n_range / 2);
  for (unsigned k = threadIdx.x; k < n_range / 2; k += blockDim.x) own[k] = bins[k];
}

// A thread per word of a part's counts.
__global__ void histo_saturate(const unsigned *counts, uint8_t *result, unsigned n_bins,
                               unsigned n_words, unsigned n_parts) {
  unsigned k = blockIdx.x * blockDim.x + threadIdx.x, low = 0, high = 0;
  if (2 * k >= n_bins) return;
  for (unsigned part = 0; part < n_parts; part++) {
    unsigned word = counts[part * n_words + k];
    low += saturate(word & 0xFFFF);
    high += saturate(word >> 16);
  }
  result[2 * k] = (uint8_t)saturate(low);
  if (2 * k + 1 < n_bins) result[2 * k + 1] = (uint8_t)saturate(high);
}
