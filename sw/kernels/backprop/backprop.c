// SPDX-License-Identifier: Apache-2.0
// One training step of a layer of a neural network by back-propagation (Rumelhart, Hinton,
// Williams, Nature 323, 1986; the two kernels of Rodinia: Che et al., IISWC 2009): the output
// units' values, a block per unit with a tree in shared memory; then every weight moves by its
// unit's error, with momentum, a thread per weight. weights: a row of n_in per unit. Shared memory
// of the first kernel: one word per thread, whose number is a power of 2.
#include <qsm.h>
#include <qsm_math.h>

__global__ void backprop_forward(const float *in, const float *weights, const float *targets,
                                 float *out, float *errors, unsigned n_in) {
  float *sums = qsm_dynamic_shared(), sum = 0.0f;
  unsigned x = threadIdx.x, unit = blockIdx.x;
  for (unsigned i = x; i < n_in; i += blockDim.x) sum = fmaf(in[i], weights[unit * n_in + i], sum);
  sums[x] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (x < half) sums[x] += sums[x + half];
    __syncthreads();
  }
  if (x != 0) return;
  float value = 1.0f / (1.0f + qsm_exp(-sums[0]));
  out[unit] = value;
  errors[unit] = value * (1.0f - value) * (targets[unit] - value);
}

__global__ void backprop_adjust(const float *in, const float *errors, float *weights,
                                float *last_changes, unsigned n_in, unsigned n_units, float rate,
                                float momentum) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, unit = blockIdx.y;
  if (i >= n_in || unit >= n_units) return;
  unsigned weight = unit * n_in + i;
  float change = fmaf(rate * errors[unit], in[i], momentum * last_changes[weight]);
  weights[weight] += change;
  last_changes[weight] = change;
}
