// SPDX-License-Identifier: Apache-2.0
// Gridding of samples of k-space, for MRI: every cell of a grid sums the samples near it, weighted
// by a Kaiser-Bessel window of their distance (Beatty, Nishimura, Pauly, IEEE Trans. Medical
// Imaging 24(6), 2005, with the window from a table). The cells gather (Obeid et al.,
// "GPU-accelerated gridding for rapid reconstruction of non-Cartesian MRI", 2011): samples lie in
// bins of one cell each. The cells of a tile, which a warp has, go through all samples that one of
// them may need, together: so each load is of one address. Shared memory: the table.
#include <qsm.h>
#include <qsm_math.h>

enum { N_TABLE = 128 };

struct sample {
  float x, y, real, imaginary;
};

static int at_least(int value, int least) { return value < least ? least : value; }
static int at_most(int value, int most) { return value > most ? most : value; }

// Samples of bin (x, y) are bin_start[y * n + x] .. bin_start[y * n + x + 1] - 1. The window
// reaches `radius` cells; entry i of the table is its value at a squared distance of i * radius^2 /
// N_TABLE. A tile is as wide as the block, and `tile_rows` high.
__global__ void mri_gridding(const struct sample *samples, const unsigned *bin_start,
                             const float *table, unsigned tile_rows, int radius, int n, float *real,
                             float *imaginary) {
  float *window = qsm_dynamic_shared();
  for (unsigned i = qsm_tid(); i < N_TABLE; i += blockDim.x * blockDim.y) window[i] = table[i];
  __syncthreads();
  int left = (int)(blockIdx.x * blockDim.x), x = left + (int)threadIdx.x,
      y = (int)(blockIdx.y * blockDim.y + threadIdx.y), top = y - (int)(threadIdx.y % tile_rows);
  if (x >= n || y >= n) return;
  float at_x = (float)x, at_y = (float)y, reach2 = (float)(radius * radius),
        scale = (float)N_TABLE / reach2, sum_real = 0.0f, sum_imaginary = 0.0f;
  int first_x = at_least(left - radius, 0),
      last_x = at_most(left + (int)blockDim.x - 1 + radius, n - 1),
      first_y = at_least(top - radius, 0),
      last_y = at_most(top + (int)tile_rows - 1 + radius, n - 1);
  for (int bin_y = first_y; bin_y <= last_y; bin_y++) {
    const struct sample *sample = samples + bin_start[bin_y * n + first_x],
                        *end = samples + bin_start[bin_y * n + last_x + 1];
    for (; sample < end; sample++) {
      float dx = sample->x - at_x, dy = sample->y - at_y, distance2 = fmaf(dx, dx, dy * dy);
      if (distance2 >= reach2) continue;
      float weight = window[(int)(distance2 * scale)];
      sum_real = fmaf(weight, sample->real, sum_real);
      sum_imaginary = fmaf(weight, sample->imaginary, sum_imaginary);
    }
  }
  real[y * n + x] = sum_real;
  imaginary[y * n + x] = sum_imaginary;
}
