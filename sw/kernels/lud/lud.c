// SPDX-License-Identifier: Apache-2.0
// LU decomposition in place, without pivoting, tile by tile (right-looking: Golub and Van Loan,
// Matrix Computations, 3.2; in three launches per diagonal tile as Rodinia has it: Che et al.,
// IISWC 2009). L has ones on its diagonal. Tiles have as many columns as a block has threads.
// Shared memory: two tiles.
#include <qsm.h>
#include <qsm_math.h>

// All kernels: a matrix of n rows and columns, the diagonal tile that begins at `first`.

static void load_tile(float *tile, const float *from, unsigned n) {
  for (unsigned y = 0; y < blockDim.x; y++)
    tile[y * blockDim.x + threadIdx.x] = from[y * n + threadIdx.x];
}

static void store_tile(const float *tile, float *to, unsigned n) {
  for (unsigned y = 0; y < blockDim.x; y++)
    to[y * n + threadIdx.x] = tile[y * blockDim.x + threadIdx.x];
}

// The diagonal tile by itself: one block, a thread per column.
__global__ void lud_diagonal(float *matrix, unsigned n, unsigned first) {
  float *tile = qsm_dynamic_shared();
  unsigned side = blockDim.x, x = threadIdx.x;
  load_tile(tile, matrix + first * n + first, n);
  __syncthreads();
  for (unsigned pivot = 0; pivot + 1 < side; pivot++) {
    if (x > pivot) tile[x * side + pivot] /= tile[pivot * side + pivot];  // here thread x is row x
    __syncthreads();
    if (x > pivot) {
      for (unsigned y = pivot + 1; y < side; y++) {
        tile[y * side + x] =
            fmaf(-tile[y * side + pivot], tile[pivot * side + x], tile[y * side + x]);
      }
    }
    __syncthreads();
  }
  store_tile(tile, matrix + first * n + first, n);
}

// The tiles right of it (blockIdx.y = 0): U, columns solved with L; below it (1): L, rows solved
// with U. A thread per column or row.
__global__ void lud_border(float *matrix, unsigned n, unsigned first) {
  unsigned side = blockDim.x, x = threadIdx.x, offset = first + (blockIdx.x + 1) * side;
  float *diagonal = qsm_dynamic_shared(), *tile = diagonal + side * side;
  float *place = blockIdx.y == 0 ? matrix + first * n + offset : matrix + offset * n + first;
  load_tile(diagonal, matrix + first * n + first, n);
  load_tile(tile, place, n);
  __syncthreads();
  if (blockIdx.y == 0) {
    for (unsigned y = 1; y < side; y++) {
      for (unsigned k = 0; k < y; k++)
        tile[y * side + x] = fmaf(-diagonal[y * side + k], tile[k * side + x], tile[y * side + x]);
    }
  } else {
    for (unsigned column = 0; column < side; column++) {
      for (unsigned k = 0; k < column; k++)
        tile[x * side + column] =
            fmaf(-tile[x * side + k], diagonal[k * side + column], tile[x * side + column]);
      tile[x * side + column] /= diagonal[column * side + column];
    }
  }
  __syncthreads();
  store_tile(tile, place, n);
}

// The tiles right and below: each loses the product of its L and its U.
__global__ void lud_inner(float *matrix, unsigned n, unsigned first) {
  unsigned side = blockDim.x, x = threadIdx.x, column = first + (blockIdx.x + 1) * side,
           row = first + (blockIdx.y + 1) * side;
  float *left = qsm_dynamic_shared(), *above = left + side * side;
  load_tile(left, matrix + row * n + first, n);
  load_tile(above, matrix + first * n + column, n);
  __syncthreads();
  for (unsigned y = 0; y < side; y++) {
    float value = matrix[(row + y) * n + column + x];
    for (unsigned k = 0; k < side; k++)
      value = fmaf(-left[y * side + k], above[k * side + x], value);
    matrix[(row + y) * n + column + x] = value;
  }
}
