// SPDX-License-Identifier: Apache-2.0
// Vector addition with a grid-stride loop: neighbouring threads take neighbouring elements, each
// thread several.
#include <qsm.h>

__global__ void vadd(const int *a, const int *b, int *sum, unsigned n) {
  unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) sum[i] = a[i] + b[i];
}
