// SPDX-License-Identifier: Apache-2.0
// Two-point angular correlation (Landy and Szalay, Astrophysical Journal 412, 1993): histograms of
// the angles between the points of the sky, among the observed ones, among random ones, and between
// both. The points are unit vectors; bins are found by binary search in the cosines of their edges.
// blockIdx.y is the histogram; a thread takes one point of the first set and, of the part of the
// second set that blockIdx.z says, all points, of the same set those behind it. Shared memory: a
// word per bin.
#include <qsm.h>
#include <qsm_math.h>

struct point {
  float x, y, z;
};

enum { OBSERVED, RANDOM, BOTH };

// edges: cosines of the n_bins - 1 edges between the bins, falling. Returns how many are at least
// `cosine`.
static unsigned bin_of(const float *edges, unsigned n_bins, float cosine) {
  unsigned low = 0, high = n_bins - 1;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    if (cosine <= edges[middle])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

__global__ void tpacf(const struct point *observed, const struct point *random, unsigned n,
                      const float *edges, unsigned n_bins, unsigned *counts) {
  unsigned *bins = qsm_dynamic_shared();
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, kind = blockIdx.y;
  for (unsigned bin = threadIdx.x; bin < n_bins; bin += blockDim.x) bins[bin] = 0;
  __syncthreads();
  if (i < n) {
    struct point own = kind == RANDOM ? random[i] : observed[i];
    const struct point *others = kind == OBSERVED ? observed : random;
    unsigned n_part = (n + gridDim.z - 1) / gridDim.z, first = blockIdx.z * n_part,
             end = first + n_part < n ? first + n_part : n;
    for (unsigned j = kind == BOTH || first > i ? first : i + 1; j < end; j++) {
      float cosine = fmaf(own.x, others[j].x, fmaf(own.y, others[j].y, own.z * others[j].z));
      atomicAdd(&bins[bin_of(edges, n_bins, cosine)], 1);
    }
  }
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < n_bins; bin += blockDim.x) {
    if (bins[bin] != 0) atomicAdd(&counts[kind * n_bins + bin], bins[bin]);
  }
}
