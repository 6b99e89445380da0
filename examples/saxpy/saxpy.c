// SPDX-License-Identifier: Apache-2.0
// y = a x + y in fixed point: a has FRACTION_BITS bits behind the point.
#include <qsm.h>

enum { FRACTION_BITS = 8 };

__global__ void saxpy(int a, const int *x, int *y, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += (a * x[i]) >> FRACTION_BITS;
}
