// SPDX-License-Identifier: Apache-2.0
// Gaussian elimination without pivoting of a system of equations, two launches per column as
// Rodinia has it (Che et al., IISWC 2009): the multiples of the pivot's row that the rows below
// lose, then the loss. The right-hand side is the matrix's last column. The matrix must be one that
// needs no pivoting; the host substitutes back.
#include <qsm.h>
#include <qsm_math.h>

// matrix: n rows, n + 1 columns. multiples: of each row.
__global__ void gaussian_multiples(const float *matrix, float *multiples, unsigned n,
                                   unsigned pivot) {
  unsigned row = pivot + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) multiples[row] = matrix[row * (n + 1) + pivot] / matrix[pivot * (n + 1) + pivot];
}

__global__ void gaussian_eliminate(float *matrix, const float *multiples, unsigned n,
                                   unsigned pivot) {
  unsigned column = pivot + blockIdx.x * blockDim.x + threadIdx.x,
           row = pivot + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (column > n || row >= n) return;
  float *element = matrix + row * (n + 1) + column;
  *element = fmaf(-multiples[row], matrix[pivot * (n + 1) + column], *element);
}
