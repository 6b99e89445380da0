// SPDX-License-Identifier: Apache-2.0
// Coulombic potential with a cutoff on a 3D lattice (Rodrigues, Hardy, Stone, Schulten, Hwu, "GPU
// acceleration of cutoff pair potentials for molecular modeling applications", CF 2008): atoms lie
// in cubic bins as wide as the cutoff, so a point looks into its own bin and the 26 around it. The
// potential q / r (1 - r^2 / c^2)^2 goes to zero at the cutoff c.
#include <qsm.h>
#include <qsm_math.h>

struct atom {
  float x, y, z, charge;
};

// Bins: n_bins in each direction, their atoms at bin_start[bin] .. bin_start[bin + 1] - 1. A bin
// has `side` points in each direction, `spacing` apart: the cutoff is side * spacing. Grid: points
// along x; y; z. Blocks as wide as a bin keep the threads of a warp at the same atoms.
__global__ void cutcp(const struct atom *atoms, const unsigned *bin_start, int n_bins,
                      unsigned side, float spacing, float *potential) {
  unsigned n = side * (unsigned)n_bins, x = blockIdx.x * blockDim.x + threadIdx.x,
           y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x >= n || y >= n) return;
  float at_x = spacing * (float)x, at_y = spacing * (float)y, at_z = spacing * (float)z;
  float cutoff = spacing * (float)side, cutoff2 = cutoff * cutoff, inverse = 1.0f / cutoff2,
        sum = 0.0f;
  int bin_x = (int)(x / side), bin_y = (int)(y / side), bin_z = (int)(z / side);
  for (int neighbour = 0; neighbour < 27; neighbour++) {
    int bx = bin_x + neighbour % 3 - 1, by = bin_y + neighbour / 3 % 3 - 1,
        bz = bin_z + neighbour / 9 - 1;
    if (bx < 0 || by < 0 || bz < 0 || bx >= n_bins || by >= n_bins || bz >= n_bins) continue;
    int bin = (bz * n_bins + by) * n_bins + bx;
    for (unsigned i = bin_start[bin], end = bin_start[bin + 1]; i < end; i++) {
      float dx = atoms[i].x - at_x, dy = atoms[i].y - at_y, dz = atoms[i].z - at_z;
      float r2 = fmaf(dx, dx, fmaf(dy, dy, dz * dz));
      if (r2 >= cutoff2) continue;
      float fade = fmaf(-r2, inverse, 1.0f);
      sum = fmaf(atoms[i].charge * qsm_rsqrt(r2), fade * fade, sum);
    }
  }
  potential[(z * n + y) * n + x] = sum;
}
