// SPDX-License-Identifier: Apache-2.0
// What normalises the rows of a matrix: a block per row, of a power of 2 threads, sums by trees in
// shared memory, a word per thread.
#include <qsm.h>

#include "network.h"

static inline float join_sum(float value) {
  float *values = qsm_dynamic_shared();
  values[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
    __syncthreads();
  }
  float result = values[0];
  __syncthreads();
  return result;
}

static inline float join_greatest(float value) {
  float *values = qsm_dynamic_shared();
  values[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      values[threadIdx.x] = fmaxf(values[threadIdx.x], values[threadIdx.x + half]);
    __syncthreads();
  }
  float result = values[0];
  __syncthreads();
  return result;
}

// Bridle, 1990.
__global__ void softmax_rows(const float *in, float *out, unsigned n_columns) {
  in += blockIdx.x * n_columns;
  out += blockIdx.x * n_columns;
  float greatest = -INFINITY, sum = 0.0f;
  for (unsigned i = threadIdx.x; i < n_columns; i += blockDim.x) greatest = fmaxf(greatest, in[i]);
  greatest = join_greatest(greatest);
  for (unsigned i = threadIdx.x; i < n_columns; i += blockDim.x) sum += qsm_exp(in[i] - greatest);
  sum = join_sum(sum);
  for (unsigned i = threadIdx.x; i < n_columns; i += blockDim.x)
    out[i] = qsm_exp(in[i] - greatest) / sum;
}

// Of the sum of two matrices (Ba, Kiros, Hinton, "Layer normalization", 2016). scales: n_columns
// factors, then what is added.
__global__ void layer_norm(const float *a, const float *b, float *out, const float *scales,
                           unsigned n_columns) {
  a += blockIdx.x * n_columns;
  b += blockIdx.x * n_columns;
  out += blockIdx.x * n_columns;
  float sum = 0.0f, squares = 0.0f;
  for (unsigned i = threadIdx.x; i < n_columns; i += blockDim.x) sum += a[i] + b[i];
  float mean = join_sum(sum) / (float)n_columns;
  for (unsigned i = threadIdx.x; i < n_columns; i += blockDim.x) {
    float off = a[i] + b[i] - mean;
    squares = fmaf(off, off, squares);
  }
  float variance = join_sum(squares) / (float)n_columns;
  for (unsigned i = threadIdx.x; i < n_columns; i += blockDim.x)
    out[i] = network_normalise(a[i] + b[i], mean, variance, scales[i], scales[n_columns + i]);
}
