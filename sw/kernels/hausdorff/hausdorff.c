// SPDX-License-Identifier: Apache-2.0
// Hausdorff distance of two sets of points (Hausdorff, Grundzuege der Mengenlehre, 1914): the
// greatest of all distances from a point of one set to the nearest of the other. A thread per
// point; blockIdx.y says from which set. Squared distances are never negative, so their bits
// compare as integers do, and the block's greatest goes to the result by an integer atomic. Shared
// memory: two words per thread, points of the other set.
#include <qsm.h>
#include <qsm_math.h>

struct point {
  float x, y;
};

__global__ void hausdorff(const struct point *a, unsigned n_a, const struct point *b, unsigned n_b,
                          unsigned *greatest) {
  struct point *tile = qsm_dynamic_shared();
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, from_b = blockIdx.y;
  const struct point *own = from_b ? b : a, *others = from_b ? a : b;
  unsigned n_own = from_b ? n_b : n_a, n_others = from_b ? n_a : n_b;
  struct point point = own[i < n_own ? i : 0];
  float least = INFINITY;
  for (unsigned first = 0; first < n_others; first += blockDim.x) {
    unsigned n_tile = n_others - first < blockDim.x ? n_others - first : blockDim.x;
    if (threadIdx.x < n_tile) tile[threadIdx.x] = others[first + threadIdx.x];
    __syncthreads();
    for (unsigned j = 0; j < n_tile; j++) {
      float dx = point.x - tile[j].x, dy = point.y - tile[j].y;
      least = fminf(least, fmaf(dx, dx, dy * dy));
    }
    __syncthreads();
  }
  if (i < n_own) atomicMax(greatest, qsm_to_bits(least));
}
