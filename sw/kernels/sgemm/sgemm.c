// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication of floats, c = alpha a b + beta c, row major. A block of n by n threads
// makes a tile of 2n by 2n elements, each thread four of them, n apart, so that four values read
// from shared memory serve four products. Both factors pass through tiles of 2n by 2n. Shared
// memory: 8 n^2 words.
#include <qsm.h>

static float element(const float *matrix, unsigned n_rows, unsigned n_columns, unsigned row,
                     unsigned column) {
  return row < n_rows && column < n_columns ? matrix[row * n_columns + column] : 0.0f;
}

__global__ void sgemm(const float *a, const float *b, float *c, unsigned n_rows, unsigned n_inner,
                      unsigned n_columns, float alpha, float beta) {
  unsigned n = blockDim.x, side = 2 * n, x = threadIdx.x, y = threadIdx.y;
  unsigned top = blockIdx.y * side, left = blockIdx.x * side;
  float *tile_a = qsm_dynamic_shared();
  float *tile_b = tile_a + side * side;

  float sum[2][2] = {{0}};
  for (unsigned first = 0; first < n_inner; first += side) {
    for (unsigned i = y; i < side; i += n) {
      for (unsigned j = x; j < side; j += n) {
        tile_a[i * side + j] = element(a, n_rows, n_inner, top + i, first + j);
        tile_b[i * side + j] = element(b, n_inner, n_columns, first + i, left + j);
      }
    }
    __syncthreads();
    for (unsigned k = 0; k < side; k++) {
      float a0 = tile_a[y * side + k], a1 = tile_a[(y + n) * side + k];
      float b0 = tile_b[k * side + x], b1 = tile_b[k * side + x + n];
      sum[0][0] = fmaf(a0, b0, sum[0][0]);
      sum[0][1] = fmaf(a0, b1, sum[0][1]);
      sum[1][0] = fmaf(a1, b0, sum[1][0]);
      sum[1][1] = fmaf(a1, b1, sum[1][1]);
    }
    __syncthreads();
  }
  for (unsigned i = 0; i < 2; i++) {
    for (unsigned j = 0; j < 2; j++) {
      unsigned row = top + y + i * n, column = left + x + j * n;
      if (row >= n_rows || column >= n_columns) continue;
      float *at = &c[row * n_columns + column];
      *at = fmaf(beta, *at, alpha * sum[i][j]);
    }
  }
}
