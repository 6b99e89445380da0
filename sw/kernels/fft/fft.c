// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of n complex numbers each, n a power of 2, one block per transform: Stockham's
// radix-2 scheme (Cochran et al., "What is the fast Fourier transform?", Proc. IEEE 55(10), 1967;
// on GPUs: Govindaraju et al., SC 2008), which sorts as it goes. Factors come from a table of n
// / 2. Shared memory: four words per number.
#include <qsm.h>
#include <qsm_math.h>

struct complex {
  float real, imaginary;
};

__global__ void fft(const struct complex *in, struct complex *out, const struct complex *factors,
                    unsigned n) {
  struct complex *from = qsm_dynamic_shared(), *to = from + n;
  in += blockIdx.x * n;
  out += blockIdx.x * n;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) from[i] = in[i];
  __syncthreads();
  for (unsigned width = 1; width < n; width *= 2) {  // transforms of `width` numbers are done
    for (unsigned i = threadIdx.x; i < n / 2; i += blockDim.x) {
      unsigned place = i & (width - 1);
      struct complex a = from[i], b = from[i + n / 2], w = factors[place * (n / 2 / width)];
      struct complex turned = {fmaf(b.real, w.real, -(b.imaginary * w.imaginary)),
                               fmaf(b.real, w.imaginary, b.imaginary * w.real)};
      unsigned first = 2 * i - place;
      to[first] = (struct complex){a.real + turned.real, a.imaginary + turned.imaginary};
      to[first + width] = (struct complex){a.real - turned.real, a.imaginary - turned.imaginary};
    }
    __syncthreads();
    struct complex *swap = from;
    from = to;
    to = swap;
  }
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) out[i] = from[i];
}
