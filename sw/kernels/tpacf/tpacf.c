// SPDX-License-Identifier: Apache-2.0
// Two-point angular correlation (Landy and Szalay, Astrophysical Journal 412, 1993): histograms of
// the angles between the points of the sky, among the observed ones, among random ones, and between
// both. The points are unit vectors; bins are found by binary search in the cosines of their edges.
// blockIdx.y is the histogram; a thread takes one point of the first set and, of the part of the
// second set that blockIdx.z says, all points, of the same set those behind it. Those pass through
// shared memory, as many at a time as the block has threads. A block has several histograms, the
// words of a bin side by side, so that the lanes of a warp do not wait for each other. Shared
// memory, in words: bins x histograms, MOST_BINS, three per thread.
#include <qsm.h>
#include <qsm_math.h>

enum { OBSERVED, RANDOM, BOTH };
enum { MOST_BINS = 32 };

// edges: MOST_BINS - 1; behind the real ones what no cosine is below. Returns how many are at least
// `cosine`. Without a branch, so lanes stay together.
static unsigned bin_of(const float *edges, float cosine) {
  const float *from = edges;
#pragma unroll
  for (unsigned step = MOST_BINS / 2; step > 0; step /= 2)
    from += cosine <= from[step - 1] ? step : 0;
  return (unsigned)(from - edges);
}

// A set: all x, all y, all z. n_copies, of the histogram: a power of two. edges: cosines of the
// n_bins - 1 edges between the bins, falling.
__global__ void tpacf(const float *observed, const float *random, unsigned n, const float *edges,
                      unsigned n_bins, unsigned n_copies, unsigned *counts) {
  unsigned *bins = qsm_dynamic_shared();
  float *own_edges = (float *)(bins + n_bins * n_copies), *tile = own_edges + MOST_BINS;
  unsigned tid = threadIdx.x, n_threads = blockDim.x, i = blockIdx.x * n_threads + tid,
           kind = blockIdx.y, *own_bins = bins + tid % n_copies;
  for (unsigned k = tid; k < n_bins * n_copies; k += n_threads) bins[k] = 0;
  for (unsigned k = tid; k < MOST_BINS - 1; k += n_threads)
    own_edges[k] = k < n_bins - 1 ? edges[k] : -2.0f;
  const float *own = kind == RANDOM ? random : observed,
              *others = kind == OBSERVED ? observed : random;
  unsigned last = i < n ? i : n - 1;
  float x = own[last], y = own[n + last], z = own[2 * n + last];
  unsigned n_part = (n + gridDim.z - 1) / gridDim.z, first = blockIdx.z * n_part,
           end = first + n_part < n ? first + n_part : n,
           behind = i >= n         ? n
                    : kind == BOTH ? 0
                                   : i + 1;  // its partners begin there
  if (kind != BOTH && first < blockIdx.x * n_threads) first = blockIdx.x * n_threads;
  for (; first < end; first += n_threads) {
    unsigned n_tile = end - first < n_threads ? end - first : n_threads;
    __syncthreads();
    if (tid < n_tile)
      for (unsigned axis = 0; axis < 3; axis++)
        tile[3 * tid + axis] = others[axis * n + first + tid];
    __syncthreads();
    for (unsigned j = behind > first ? behind - first : 0; j < n_tile; j++) {
      float cosine = fmaf(x, tile[3 * j], fmaf(y, tile[3 * j + 1], z * tile[3 * j + 2]));
      atomicAdd(&own_bins[bin_of(own_edges, cosine) * n_copies], 1);
    }
  }
  __syncthreads();
  for (unsigned bin = tid; bin < n_bins; bin += n_threads) {
    unsigned sum = 0;
    for (unsigned k = 0; k < n_copies; k++)
      sum += bins[bin * n_copies + ((k + bin) & (n_copies - 1))];
    if (sum != 0) atomicAdd(&counts[kind * n_bins + bin], sum);
  }
}
