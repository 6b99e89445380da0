// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication c = a b, row major, with tiles in shared memory (the CUDA C++ Programming
// Guide's scheme). A block of x by y threads makes y rows and x columns of c; it walks along the
// inner dimension in steps of x, with an x-wide, y-high tile of a and an x-wide, x-high tile of b.
// Shared memory: (y + x) * x words.
#include <qsm.h>

__global__ void matmul(const int *a, const int *b, int *c, unsigned n_rows, unsigned n_inner,
                       unsigned n_columns) {
  unsigned tile = blockDim.x;
  unsigned x = threadIdx.x, y = threadIdx.y;
  unsigned row = blockIdx.y * blockDim.y + y, column = blockIdx.x * tile + x;
  int *tile_a = qsm_dynamic_shared();
  int *tile_b = tile_a + blockDim.y * tile;

  int sum = 0;
  for (unsigned first = 0; first < n_inner; first += tile) {
    tile_a[y * tile + x] = row < n_rows && first + x < n_inner ? a[row * n_inner + first + x] : 0;
    for (unsigned k = y; k < tile; k += blockDim.y) {
      tile_b[k * tile + x] =
          first + k < n_inner && column < n_columns ? b[(first + k) * n_columns + column] : 0;
    }
    __syncthreads();
    for (unsigned k = 0; k < tile; k++) sum += tile_a[y * tile + k] * tile_b[k * tile + x];
    __syncthreads();
  }
  if (row < n_rows && column < n_columns) c[row * n_columns + column] = sum;
}
