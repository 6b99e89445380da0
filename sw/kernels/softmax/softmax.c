// SPDX-License-Identifier: Apache-2.0
// Softmax of the rows of a matrix, a network's last layer (Bridle, 1990): e^(x - greatest x) over
// their sum, one block per row, greatest value and sum by trees in shared memory. Shared memory:
// one word per thread, whose number is a power of 2.
#include <qsm.h>
#include <qsm_math.h>

static float add(float a, float b) { return a + b; }
static float greater(float a, float b) { return fmaxf(a, b); }

// Joins the values of all threads; every thread gets the result.
static inline float join(float value, float (*operation)(float, float)) {
  float *values = qsm_dynamic_shared();
  values[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      values[threadIdx.x] = operation(values[threadIdx.x], values[threadIdx.x + half]);
    __syncthreads();
  }
  float result = values[0];
  __syncthreads();
  return result;
}

__global__ void softmax(const float *in, float *out, unsigned n_columns) {
  in += blockIdx.x * n_columns;
  out += blockIdx.x * n_columns;
  float greatest = -INFINITY, sum = 0.0f;
  for (unsigned i = threadIdx.x; i < n_columns; i += blockDim.x) greatest = fmaxf(greatest, in[i]);
  greatest = join(greatest, greater);
  for (unsigned i = threadIdx.x; i < n_columns; i += blockDim.x) sum += qsm_exp(in[i] - greatest);
  sum = join(sum, add);
  for (unsigned i = threadIdx.x; i < n_columns; i += blockDim.x)
    out[i] = qsm_exp(in[i] - greatest) / sum;
}
