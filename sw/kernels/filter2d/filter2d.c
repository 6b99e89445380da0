// SPDX-License-Identifier: Apache-2.0
// What stands between the transforms of fft.c when a square image of complex numbers is filtered by
// its spectrum, and made smaller by the middle of it.
#include <qsm.h>

struct complex {
  float real, imaginary;
};

// Block: n by n. Shared memory: 2 n (n + 1) words, one column more so that columns lie in other
// banks.
__global__ void transpose(const struct complex *in, struct complex *out, unsigned side) {
  struct complex *tile = qsm_dynamic_shared();
  unsigned n = blockDim.x, x = threadIdx.x, y = threadIdx.y;
  unsigned column = blockIdx.x * n + x, row = blockIdx.y * n + y;
  if (column < side && row < side) tile[y * (n + 1) + x] = in[row * side + column];
  __syncthreads();
  column = blockIdx.y * n + x;
  row = blockIdx.x * n + y;
  if (column < side && row < side) out[row * side + column] = tile[x * (n + 1) + y];
}

// The product, and its conjugate, as the transform of that is the conjugate of the inverse one.
__global__ void multiply(const struct complex *a, const struct complex *b, struct complex *out,
                         unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = (struct complex){fmaf(a[i].real, b[i].real, -(a[i].imaginary * b[i].imaginary)),
                            -fmaf(a[i].real, b[i].imaginary, a[i].imaginary * b[i].real)};
}

// The conjugate times a factor.
__global__ void scale(const struct complex *in, struct complex *out, unsigned n, float factor) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (struct complex){in[i].real * factor, -in[i].imaginary * factor};
}

// Of a spectrum the `small` lowest frequencies in each direction: the corners.
__global__ void crop(const struct complex *in, struct complex *out, unsigned side, unsigned small) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= small) return;
  unsigned from_x = x < small / 2 ? x : x + side - small,
           from_y = y < small / 2 ? y : y + side - small;
  out[y * small + x] = in[from_y * side + from_x];
}
