// SPDX-License-Identifier: Apache-2.0
// Coulombic potential with a cutoff on a 3D lattice (Rodrigues, Hardy, Stone, Schulten, Hwu, "GPU
// acceleration of cutoff pair potentials for molecular modeling applications", CF 2008): atoms lie
// in cubic bins as wide as the cutoff, so a point looks into its own bin and those around it. The
// potential q / r (1 - r^2 / c^2)^2 goes to zero at the cutoff c. A thread has several points, one
// above the other, which share what they load and most of the distance.
#include <qsm.h>
#include <qsm_math.h>

enum { N_POINTS = 4 };  // of a thread

struct atom {
  float x, y, z, charge;
};

static int at_least(int value, int least) { return value < least ? least : value; }
static int at_most(int value, int most) { return value > most ? most : value; }

// 1 / sqrt(x) of a positive normal x, to 2^-22 of it: what a GPU's own instruction gives. Newton's
// steps take 11 instructions of the multipliers; a root and a quotient keep the one unit for both
// for 70 cycles (docs/fpu.md).
static float newton_rsqrt(float x) {
  float y = qsm_from_bits(0x5F375A86u - (qsm_to_bits(x) >> 1)), half = 0.5f * x;
  y *= fmaf(-half * y, y, 1.5f);
  y *= fmaf(-half * y, y, 1.5f);
  return y * fmaf(-half * y, y, 1.5f);
}

// Bins: n_bins in each direction, their atoms at bin_start[bin] .. bin_start[bin + 1] - 1. A bin
// has `side` points in each direction, `spacing` apart: the cutoff is side * spacing. Grid: points
// along x; y; groups of N_POINTS along z, of which there are whole ones. Blocks as wide as a bin
// keep the threads of a warp at the same atoms.
__global__ void cutcp(const struct atom *atoms, const unsigned *bin_start, int n_bins,
                      unsigned side, float spacing, float *potential) {
  unsigned n = side * (unsigned)n_bins, x = blockIdx.x * blockDim.x + threadIdx.x,
           y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * N_POINTS;
  if (x >= n || y >= n) return;
  float at_x = spacing * (float)x, at_y = spacing * (float)y;
  float cutoff = spacing * (float)side, cutoff2 = cutoff * cutoff, inverse = 1.0f / cutoff2;
  float at_z[N_POINTS], sum[N_POINTS];
  for (unsigned i = 0; i < N_POINTS; i++) {
    at_z[i] = spacing * (float)(z + i);
    sum[i] = 0.0f;
  }
  int bin_x = (int)(x / side), bin_y = (int)(y / side);
  int first_x = at_least(bin_x - 1, 0), last_x = at_most(bin_x + 1, n_bins - 1),
      first_y = at_least(bin_y - 1, 0), last_y = at_most(bin_y + 1, n_bins - 1),
      first_z = at_least((int)(z / side) - 1, 0),
      last_z = at_most((int)((z + N_POINTS - 1) / side) + 1, n_bins - 1);
  for (int bz = first_z; bz <= last_z; bz++) {
    for (int by = first_y; by <= last_y; by++) {
      int row = (bz * n_bins + by) * n_bins;
      const struct atom *atom = atoms + bin_start[row + first_x],
                        *end = atoms + bin_start[row + last_x + 1];
      for (; atom < end; atom++) {
        float dx = atom->x - at_x, dy = atom->y - at_y, away2 = fmaf(dx, dx, dy * dy);
        if (away2 >= cutoff2) continue;
        float atom_z = atom->z, charge = atom->charge;
        for (unsigned i = 0; i < N_POINTS; i++) {
          float dz = atom_z - at_z[i], r2 = fmaf(dz, dz, away2);
          if (r2 >= cutoff2) continue;
          float fade = fmaf(-r2, inverse, 1.0f);
          sum[i] = fmaf(charge * newton_rsqrt(r2), fade * fade, sum[i]);
        }
      }
    }
  }
  for (unsigned i = 0; i < N_POINTS; i++) potential[((z + i) * n + y) * n + x] = sum[i];
}
