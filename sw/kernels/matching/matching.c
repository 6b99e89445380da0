// SPDX-License-Identifier: Apache-2.0
// Finds the shift of one set of points that brings it nearest to another, from coarse to fine
// (Huttenlocher, Klanderman, Rucklidge, "Comparing images using the Hausdorff distance", IEEE
// Trans. PAMI 15(9), 1993); hausdorff.c is the last step.
#include <qsm.h>
#include <qsm_math.h>

enum { SIDE = 3 };  // shifts in each direction

struct point {
  float x, y;
};

static struct point shifted(struct point at, unsigned shift, float spacing) {
  return (struct point){fmaf((float)(int)(shift % SIDE) - 1.0f, spacing, at.x),
                        fmaf((float)(int)(shift / SIDE) - 1.0f, spacing, at.y)};
}

__global__ void clear_words(unsigned *words, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) words[i] = 0;
}

// For the nine shifts around *best, blockIdx.y, the greatest squared distance of points of a, every
// `step`-th, to the nearest of every `step`-th point of b. A thread per point. Shared memory: two
// words per thread.
__global__ void shift_distances(const struct point *a, unsigned n_a, const struct point *b,
                                unsigned n_b, unsigned step, const struct point *best,
                                float spacing, unsigned *greatest) {
  struct point *tile = qsm_dynamic_shared(), shift = shifted(*best, blockIdx.y, spacing);
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n_own = (n_a + step - 1) / step,
           n_others = (n_b + step - 1) / step;
  struct point point = a[i < n_own ? i * step : 0];
  point = (struct point){point.x + shift.x, point.y + shift.y};
  float least = INFINITY;
  for (unsigned first = 0; first < n_others; first += blockDim.x) {
    unsigned n_tile = n_others - first < blockDim.x ? n_others - first : blockDim.x;
    if (threadIdx.x < n_tile) tile[threadIdx.x] = b[(first + threadIdx.x) * step];
    __syncthreads();
    for (unsigned j = 0; j < n_tile; j++) {
      float dx = point.x - tile[j].x, dy = point.y - tile[j].y;
      least = fminf(least, fmaf(dx, dx, dy * dy));
    }
    __syncthreads();
  }
  if (i < n_own) atomicMax(&greatest[blockIdx.y], qsm_to_bits(least));
}

// The shift with the smallest of these, the first of equals, becomes the best.
__global__ void choose_shift(const unsigned *greatest, const struct point *best, struct point *next,
                             float spacing) {
  if (threadIdx.x > 0) return;
  unsigned least = 0;
  for (unsigned i = 1; i < SIDE * SIDE; i++)
    if (greatest[i] < greatest[least]) least = i;
  *next = shifted(*best, least, spacing);
}

__global__ void move_points(const struct point *a, struct point *moved, const struct point *best,
                            unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) moved[i] = (struct point){a[i].x + best->x, a[i].y + best->y};
}
