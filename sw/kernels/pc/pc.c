// SPDX-License-Identifier: Apache-2.0
// Pure compute: two chains of multiplications, shifts and logic per thread, one word of output. Memory is touched only
// at the end.
#include <qsm.h>

// One step of a multiply-with-carry generator: the high half of the product feeds the next step.
static unsigned multiply_with_carry(unsigned value, unsigned *carry) {
  unsigned long long product = 4294957665ull * value + *carry;
  *carry = (unsigned)(product >> 32);
  return (unsigned)product;
}

// Marsaglia's xorshift (Journal of Statistical Software 8(14), 2003).
static unsigned xorshift(unsigned value) {
  value ^= value << 13;
  value ^= value >> 17;
  return value ^ value << 5;
}

__global__ void pc(unsigned *checksums, unsigned n, unsigned seed, unsigned n_rounds) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = seed ^ i, carry = i + 1, b = seed + i * 2654435761u + 1;
  unsigned sum = 0;
  for (unsigned round = 0; round < n_rounds; round++) {
    a = multiply_with_carry(a, &carry);
    b = xorshift(b);
    sum = sum * 31 + (a ^ b);
  }
  checksums[i] = sum;
}
