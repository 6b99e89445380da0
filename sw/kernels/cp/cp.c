// SPDX-License-Identifier: Apache-2.0
// Coulombic potential on a plane of a grid: every point sums charge over distance of all atoms
// (Stone et al., "Accelerating molecular modeling applications with graphics processors", J.
// Computational Chemistry 28(16), 2007). A thread makes PER_THREAD points of a row: the squares of
// what they share of the distance are computed once.
#include <qsm.h>
#include <qsm_math.h>

enum { PER_THREAD = 4 };

struct atom {
  float x, y, height2, charge;  // height2: square of its distance from the plane
};

__global__ void cp(const struct atom *atoms, unsigned n_atoms, float *potential, unsigned width,
                   unsigned height, float spacing) {
  unsigned x = PER_THREAD * (blockIdx.x * blockDim.x + threadIdx.x),
           y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sums[PER_THREAD] = {0.0f}, at_x = spacing * (float)x, at_y = spacing * (float)y;
  for (unsigned i = 0; i < n_atoms; i++) {
    float dy = at_y - atoms[i].y, dx = at_x - atoms[i].x, apart = fmaf(dy, dy, atoms[i].height2);
    for (unsigned j = 0; j < PER_THREAD; j++) {
      float own = fmaf((float)j, spacing, dx);
      sums[j] = fmaf(atoms[i].charge, qsm_rsqrt(fmaf(own, own, apart)), sums[j]);
    }
  }
  for (unsigned j = 0; j < PER_THREAD && x + j < width; j++) potential[y * width + x + j] = sums[j];
}
