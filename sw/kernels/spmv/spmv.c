// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times vector, matrix in CSR form, one thread per row ("scalar kernel": Bell and
// Garland, "Efficient Sparse Matrix-Vector Multiplication on CUDA", 2008). Rows of different length
// make the warps diverge.
#include <qsm.h>

__global__ void spmv(const unsigned *row_start, const unsigned *column, const int *value,
                     const int *x, int *y, unsigned n_rows) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n_rows) return;
  int sum = 0;
  for (unsigned i = row_start[row], end = row_start[row + 1]; i < end; i++)
    sum += value[i] * x[column[i]];
  y[row] = sum;
}
