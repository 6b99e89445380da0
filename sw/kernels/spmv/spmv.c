// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times vector, matrix in the form of jagged diagonals, as in Parboil's program: rows
// are sorted by their length, and the k-th values of all rows that have so many lie together, in
// the order of the rows, so that neighbouring threads read neighbouring values. In each group of
// GROUP rows all are made as long as the longest by values of 0, so that warps do not diverge.
// Where diagonals begin, which Parboil keeps in constant memory, is copied to shared memory.
#include <qsm.h>

enum { GROUP = 32 };

// starts: of each diagonal, in values; lengths: of each group of rows; place: of each row in y.
__global__ void spmv(const unsigned *starts, const unsigned *lengths, const unsigned *column,
                     const float *value, const float *x, const unsigned *place, float *y,
                     unsigned n_rows) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned *start = qsm_dynamic_shared();
  unsigned longest = lengths[0];
  for (unsigned i = threadIdx.x; i < longest; i += blockDim.x) start[i] = starts[i];
  __syncthreads();
  if (row >= n_rows) return;
  float sum = 0.0f;
  for (unsigned k = 0, length = lengths[row / GROUP]; k < length; k++) {
    unsigned i = start[k] + row;
    sum = fmaf(value[i], x[column[i]], sum);
  }
  y[place[row]] = sum;
}
