// SPDX-License-Identifier: Apache-2.0
// y = A^T (A x) in two launches: a thread per row, then a thread per column (PolyBench: Pouchet,
// 2010; on GPUs: Grauer-Gray et al., InPar 2012).
#include <qsm.h>
#include <qsm_math.h>

__global__ void atax_rows(const float *a, const float *x, float *product, unsigned n_rows,
                          unsigned n_columns) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n_rows) return;
  float sum = 0.0f;
  for (unsigned column = 0; column < n_columns; column++)
    sum = fmaf(a[row * n_columns + column], x[column], sum);
  product[row] = sum;
}

__global__ void atax_columns(const float *a, const float *product, float *y, unsigned n_rows,
                             unsigned n_columns) {
  unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= n_columns) return;
  float sum = 0.0f;
  for (unsigned row = 0; row < n_rows; row++)
    sum = fmaf(a[row * n_columns + column], product[row], sum);
  y[column] = sum;
}
