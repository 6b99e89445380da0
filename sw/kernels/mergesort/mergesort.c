// SPDX-License-Identifier: Apache-2.0
// Merge sort. First each block sorts a tile in shared memory, then each launch merges pairs of runs
// twice as long. In both, every thread makes PER_THREAD elements of the merged run: a binary search
// along the run's cross diagonal says how many of the elements before them come from the left run
// (Odeh, Green, Mwassi, Shmueli, Birk, "Merge Path", 2012). Shared memory: two tiles.
#include <qsm.h>

enum { PER_THREAD = 4 };

static unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }

// Of the first `diagonal` elements of both runs merged, how many are of `left`. Of equals the left
// ones go first.
static unsigned split(const unsigned *left, unsigned n_left, const unsigned *right,
                      unsigned n_right, unsigned diagonal) {
  unsigned low = diagonal > n_right ? diagonal - n_right : 0, high = min(diagonal, n_left);
  while (low < high) {
    unsigned middle = (low + high) / 2;
    if (left[middle] <= right[diagonal - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Writes elements first .. first + PER_THREAD - 1 of `to`, where runs of n_run elements of `from`
// become runs of twice as many.
static void merge(const unsigned *from, unsigned *to, unsigned n, unsigned n_run, unsigned first) {
  if (first >= n) return;
  unsigned start = first / (2 * n_run) * (2 * n_run);
  unsigned n_left = min(n_run, n - start), n_right = min(n_run, n - start - n_left);
  const unsigned *left = from + start, *right = left + n_left;
  unsigned i = split(left, n_left, right, n_right, first - start), j = first - start - i;
  for (unsigned k = first, end = min(first + PER_THREAD, n); k < end; k++) {
    if (j == n_right || (i < n_left && left[i] <= right[j]))
      to[k] = left[i++];
    else
      to[k] = right[j++];
  }
}

// A thread's own elements, by insertion.
static void sort_own(unsigned *own, unsigned n) {
  for (unsigned i = 1; i < n; i++) {
    unsigned value = own[i], j = i;
    for (; j > 0 && own[j - 1] > value; j--) own[j] = own[j - 1];
    own[j] = value;
  }
}

// A tile has PER_THREAD elements per thread.
__global__ void merge_sort_tile(const unsigned *from, unsigned *to, unsigned n) {
  unsigned n_tile = PER_THREAD * blockDim.x, base = blockIdx.x * n_tile, x = threadIdx.x;
  unsigned *tile = qsm_dynamic_shared(), *other = tile + n_tile;
  n_tile = min(n_tile, n - base);
  for (unsigned i = x; i < n_tile; i += blockDim.x) tile[i] = from[base + i];
  __syncthreads();
  if (PER_THREAD * x < n_tile)
    sort_own(tile + PER_THREAD * x, min(PER_THREAD, n_tile - PER_THREAD * x));
  __syncthreads();
  for (unsigned n_run = PER_THREAD; n_run < n_tile; n_run *= 2) {
    merge(tile, other, n_tile, n_run, PER_THREAD * x);
    __syncthreads();
    unsigned *sorted = other;
    other = tile;
    tile = sorted;
  }
  for (unsigned i = x; i < n_tile; i += blockDim.x) to[base + i] = tile[i];
}

__global__ void merge_runs(const unsigned *from, unsigned *to, unsigned n, unsigned n_run) {
  merge(from, to, n, n_run, PER_THREAD * (blockIdx.x * blockDim.x + threadIdx.x));
}
