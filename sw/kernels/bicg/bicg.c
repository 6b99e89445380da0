// SPDX-License-Identifier: Apache-2.0
// The two products of a step of the biconjugate gradient method, q = A p and s = A^T r, in one
// launch: blockIdx.y says which, a thread makes one element (PolyBench: Pouchet, 2010; on GPUs:
// Grauer-Gray et al., InPar 2012).
#include <qsm.h>
#include <qsm_math.h>

__global__ void bicg(const float *a, const float *p, const float *r, float *q, float *s,
                     unsigned n_rows, unsigned n_columns) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, transposed = blockIdx.y;
  if (i >= (transposed ? n_columns : n_rows)) return;
  const float *element = transposed ? a + i : a + i * n_columns, *factor = transposed ? r : p;
  unsigned stride = transposed ? n_columns : 1, n = transposed ? n_rows : n_columns;
  float sum = 0.0f;
  for (unsigned j = 0; j < n; j++, element += stride) sum = fmaf(*element, factor[j], sum);
  (transposed ? s : q)[i] = sum;
}
