// SPDX-License-Identifier: Apache-2.0
// Vector addition: one thread per element.
#include <qsm.h>

__global__ void vadd(const int *a, const int *b, int *sum, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}
