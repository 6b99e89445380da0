// SPDX-License-Identifier: Apache-2.0
// y = alpha A x + beta B x, a thread per row (PolyBench: Pouchet, 2010; on GPUs: Grauer-Gray et
// al., InPar 2012).
#include <qsm.h>
#include <qsm_math.h>

__global__ void gesummv(const float *a, const float *b, const float *x, float *y, unsigned n,
                        float alpha, float beta) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum_a = 0.0f, sum_b = 0.0f;
  for (unsigned column = 0; column < n; column++) {
    sum_a = fmaf(a[row * n + column], x[column], sum_a);
    sum_b = fmaf(b[row * n + column], x[column], sum_b);
  }
  y[row] = fmaf(alpha, sum_a, beta * sum_b);
}
