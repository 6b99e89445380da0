// SPDX-License-Identifier: Apache-2.0
// Gridding of samples of k-space, for MRI: every cell of a grid sums the samples near it, weighted
// by a Kaiser-Bessel window of their distance (Beatty, Nishimura, Pauly, IEEE Trans. Medical
// Imaging 24(6), 2005, with the window from a table). The cells gather (Obeid et al.,
// "GPU-accelerated gridding for rapid reconstruction of non-Cartesian MRI", 2011): samples lie in
// bins of one cell each, so that a cell looks at the bins that the window reaches, and writes once.
#include <qsm.h>
#include <qsm_math.h>

struct sample {
  float x, y, real, imaginary;
};

// Samples of bin (x, y) are bin_start[y * n + x] .. bin_start[y * n + x + 1] - 1. The window
// reaches `radius` cells; entry i of the table is its value at a squared distance of i * radius^2 /
// n_table.
__global__ void mri_gridding(const struct sample *samples, const unsigned *bin_start,
                             const float *table, int n_table, int radius, int n, float *real,
                             float *imaginary) {
  int x = (int)(blockIdx.x * blockDim.x + threadIdx.x),
      y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= n || y >= n) return;
  float reach2 = (float)(radius * radius), scale = (float)n_table / reach2, sum_real = 0.0f,
        sum_imaginary = 0.0f;
  int first_x = x - radius < 0 ? 0 : x - radius, last_x = x + radius > n - 1 ? n - 1 : x + radius;
  int first_y = y - radius < 0 ? 0 : y - radius, last_y = y + radius > n - 1 ? n - 1 : y + radius;
  for (int bin_y = first_y; bin_y <= last_y; bin_y++) {
    for (unsigned i = bin_start[bin_y * n + first_x], end = bin_start[bin_y * n + last_x + 1];
         i < end; i++) {
      float dx = samples[i].x - (float)x, dy = samples[i].y - (float)y,
            distance2 = fmaf(dx, dx, dy * dy);
      if (distance2 >= reach2) continue;
      float weight = table[(int)(distance2 * scale)];
      sum_real = fmaf(weight, samples[i].real, sum_real);
      sum_imaginary = fmaf(weight, samples[i].imaginary, sum_imaginary);
    }
  }
  real[y * n + x] = sum_real;
  imaginary[y * n + x] = sum_imaginary;
}
