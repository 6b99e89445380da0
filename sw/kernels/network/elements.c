// SPDX-License-Identifier: Apache-2.0
// Layers that treat each element by itself: a thread per element.
#include <qsm.h>

#include "network.h"

// Inference (Ioffe and Szegedy, ICML 2015): means and variances are known. scales: n_channels
// factors, then what is added, means, variances. Grid: pixels, channels.
__global__ void batch_norm(const float *in, float *out, const float *scales, unsigned n_pixels,
                           unsigned activation) {
  unsigned pixel = blockIdx.x * blockDim.x + threadIdx.x, channel = blockIdx.y, n = gridDim.y;
  if (pixel >= n_pixels) return;
  float x = in[channel * n_pixels + pixel];
  out[channel * n_pixels + pixel] =
      network_activate(network_normalise(x, scales[2 * n + channel], scales[3 * n + channel],
                                         scales[channel], scales[n + channel]),
                       activation);
}

__global__ void add(const float *a, const float *b, float *out, unsigned n, unsigned activation) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = network_activate(a[i] + b[i], activation);
}

__global__ void activation(const float *in, float *out, unsigned n, unsigned activation) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = network_activate(in[i], activation);
}

// Mixes the channels of groups (Zhang et al., "ShuffleNet", CVPR 2018): channel j of group i
// becomes channel i of group j. Grid: pixels, channels.
__global__ void shuffle(const float *in, float *out, unsigned n_pixels, unsigned n_groups) {
  unsigned pixel = blockIdx.x * blockDim.x + threadIdx.x, n_each = gridDim.y / n_groups;
  unsigned to = blockIdx.y, from = to % n_groups * n_each + to / n_groups;
  if (pixel < n_pixels) out[to * n_pixels + pixel] = in[from * n_pixels + pixel];
}

// Rows of a table, and of the positions. Grid: words of a row, tokens.
__global__ void embed(const unsigned *tokens, const float *table, const float *positions,
                      float *out, unsigned n_wide) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (i < n_wide)
    out[row * n_wide + i] = table[tokens[row] * n_wide + i] + positions[row * n_wide + i];
}

// A step of a long short-term memory (Hochreiter and Schmidhuber, 1997): gates as products of the
// input and of the last output, each of n for input, forgetting, candidates and output.
__global__ void lstm_cell(const float *from_input, const float *from_last, const float *cell,
                          float *next_cell, float *next, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float input = network_sigmoid(from_input[i] + from_last[i]),
        forget = network_sigmoid(from_input[n + i] + from_last[n + i]),
        candidate = network_tanh(from_input[2 * n + i] + from_last[2 * n + i]),
        output = network_sigmoid(from_input[3 * n + i] + from_last[3 * n + i]);
  float state = fmaf(forget, cell[i], input * candidate);
  next_cell[i] = state;
  next[i] = output * network_tanh(state);
}
