// SPDX-License-Identifier: Apache-2.0
// Products of matrices, by tiles that pass through shared memory (Volkov and Demmel, SC 2008).
#include <qsm.h>

#include "network.h"

static float element(const float *matrix, unsigned n_rows, unsigned n_columns, unsigned row,
                     unsigned column) {
  return row < n_rows && column < n_columns ? matrix[row * n_columns + column] : 0.0f;
}

// c = activation(a b + bias), for blockIdx.z matrices behind each other: a pointwise convolution
// (a: weights, b: planes, c: planes), with several matrices one in groups, or a layer for each row
// of a (b: weights). A block of n by n threads makes 2n by 2n elements. how: low half activation,
// high half 1: bias by column, 0: by row. Shared memory: 8 n^2 words.
__global__ void gemm(const float *a, const float *b, float *c, const float *bias, unsigned n_rows,
                     unsigned n_inner, unsigned n_columns, unsigned how) {
  unsigned n = blockDim.x, side = 2 * n, x = threadIdx.x, y = threadIdx.y;
  unsigned top = blockIdx.y * side, left = blockIdx.x * side;
  float *tile_a = qsm_dynamic_shared(), *tile_b = tile_a + side * side;
  a += blockIdx.z * n_rows * n_inner;
  b += blockIdx.z * n_inner * n_columns;
  c += blockIdx.z * n_rows * n_columns;
  bias += blockIdx.z * (network_high(how) ? n_columns : n_rows);

  float sum[2][2] = {{0}};
  for (unsigned first = 0; first < n_inner; first += side) {
    for (unsigned i = y; i < side; i += n) {
      for (unsigned j = x; j < side; j += n) {
        tile_a[i * side + j] = element(a, n_rows, n_inner, top + i, first + j);
        tile_b[i * side + j] = element(b, n_inner, n_columns, first + i, left + j);
      }
    }
    __syncthreads();
    unsigned n_now = n_inner - first < side ? n_inner - first : side;
    for (unsigned k = 0; k < n_now; k++) {
      float a0 = tile_a[y * side + k], a1 = tile_a[(y + n) * side + k];
      float b0 = tile_b[k * side + x], b1 = tile_b[k * side + x + n];
      sum[0][0] = fmaf(a0, b0, sum[0][0]);
      sum[0][1] = fmaf(a0, b1, sum[0][1]);
      sum[1][0] = fmaf(a1, b0, sum[1][0]);
      sum[1][1] = fmaf(a1, b1, sum[1][1]);
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 2; i++) {
#pragma unroll
    for (unsigned j = 0; j < 2; j++) {
      unsigned row = top + y + i * n, column = left + x + j * n;
      if (row < n_rows && column < n_columns)
        c[row * n_columns + column] =
            network_activate(sum[i][j] + bias[network_high(how) ? column : row], network_low(how));
    }
  }
}

// A layer whose input is one vector: a row of the block's threads for each output, their sums
// joined by a tree. Block: x a power of 2. Shared memory: a word per thread.
__global__ void dense(const float *in, float *out, const float *weights, const float *bias,
                      unsigned n_in, unsigned n_out, unsigned activation) {
  float *sums = (float *)qsm_dynamic_shared() + threadIdx.y * blockDim.x;
  unsigned row = blockIdx.x * blockDim.y + threadIdx.y;
  float sum = 0.0f;
  for (unsigned i = threadIdx.x; row < n_out && i < n_in; i += blockDim.x)
    sum = fmaf(weights[row * n_in + i], in[i], sum);
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0 && row < n_out) out[row] = network_activate(sums[0] + bias[row], activation);
}

// One element per thread of a product whose factors lie in larger matrices: `b_inner` and
// `b_column` words lie between elements of b in each direction. Block: n by n. Shared memory: 2 n^2
// words.
static float product(const float *a, unsigned a_pitch, unsigned n_rows, const float *b,
                     unsigned b_inner, unsigned b_column, unsigned n_columns, unsigned n_inner) {
  unsigned n = blockDim.x, x = threadIdx.x, y = threadIdx.y;
  unsigned row = blockIdx.y * n + y, column = blockIdx.x * n + x;
  float *tile_a = qsm_dynamic_shared(), *tile_b = tile_a + n * n, sum = 0.0f;
  for (unsigned first = 0; first < n_inner; first += n) {
    tile_a[y * n + x] = row < n_rows && first + x < n_inner ? a[row * a_pitch + first + x] : 0.0f;
    tile_b[y * n + x] = column < n_columns && first + y < n_inner
                            ? b[(first + y) * b_inner + column * b_column]
                            : 0.0f;
    __syncthreads();
    unsigned n_now = n_inner - first < n ? n_inner - first : n;
    for (unsigned k = 0; k < n_now; k++) sum = fmaf(tile_a[y * n + k], tile_b[k * n + x], sum);
    __syncthreads();
  }
  return sum;
}

// Attention (Vaswani et al., NIPS 2017), before the softmax: of each head, blockIdx.z, how well
// position x answers position y. qkv: rows of three times n_wide words, queries, keys, values of
// all heads.
__global__ void attention_scores(const float *qkv, float *scores, unsigned n_long, unsigned n_wide,
                                 unsigned n_heads) {
  unsigned n = n_wide / n_heads, row = blockIdx.y * blockDim.y + threadIdx.y,
           column = blockIdx.x * blockDim.x + threadIdx.x;
  const float *query = qkv + blockIdx.z * n, *key = query + n_wide;
  float sum = product(query, 3 * n_wide, n_long, key, 1, 3 * n_wide, n_long, n);
  if (row < n_long && column < n_long)
    scores[(blockIdx.z * n_long + row) * n_long + column] = sum * qsm_rsqrt((float)n);
}

// And after it: values, weighted. out: rows of n_wide words.
__global__ void attention_values(const float *shares, const float *qkv, float *out, unsigned n_long,
                                 unsigned n_wide, unsigned n_heads) {
  unsigned n = n_wide / n_heads, row = blockIdx.y * blockDim.y + threadIdx.y,
           column = blockIdx.x * blockDim.x + threadIdx.x;
  const float *value = qkv + 2 * n_wide + blockIdx.z * n;
  float sum = product(shares + blockIdx.z * n_long * n_long, n_long, n_long, value, 3 * n_wide, 1,
                      n, n_long);
  if (row < n_long && column < n) out[row * n_wide + blockIdx.z * n + column] = sum;
}
