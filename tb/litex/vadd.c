// SPDX-License-Identifier: Apache-2.0
// Kernels that are not what they should be, in the place of the program's vadd: WRONG has one
// element wrong, STUCK never ends, OUTSIDE writes where the tenant may not.
#include <qsm.h>

__global__ void vadd(const int *a, const int *b, int *sum, unsigned n) {
  unsigned stride = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = first; i < n; i += stride) sum[i] = a[i] + b[i];
#if defined(WRONG)
  if (first == n / 9) sum[first] = a[first] - b[first];
#elif defined(STUCK)
  while (first == 0) __threadfence();
#elif defined(OUTSIDE)
  if (first == 0) *(volatile int *)0x80000000 = 1;
#else
#error WRONG, STUCK or OUTSIDE
#endif
}
