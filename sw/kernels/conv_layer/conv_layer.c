// SPDX-License-Identifier: Apache-2.0
// A convolutional layer of a neural network with bias and ReLU (LeCun, Bottou, Bengio, Haffner,
// Proc. IEEE 86(11), 1998): each output channel sums 3 x 3 filters over all input channels; outside
// the image is 0. A block makes a tile of one output channel; each input channel's tile, with a
// border, passes through shared memory. Shared memory: (x + 2) * (y + 2) words.
#include <qsm.h>
#include <qsm_math.h>

enum { SIDE = 3 };

// in: n_in channels of height x width; weights: per output and input channel 9 words; grid: x, y,
// output channel.
__global__ void conv_layer(const float *in, float *out, const float *weights, const float *bias,
                           int width, int height, int n_in) {
  float *tile = qsm_dynamic_shared();
  int side_x = (int)blockDim.x, side_y = (int)blockDim.y, pitch = side_x + SIDE - 1,
      n_tile = pitch * (side_y + SIDE - 1);
  int left = (int)blockIdx.x * side_x - 1, top = (int)blockIdx.y * side_y - 1,
      channel = (int)blockIdx.z;
  int x = (int)threadIdx.x, y = (int)threadIdx.y;
  float sum = bias[channel];
  for (int k = 0; k < n_in; k++) {
    for (int i = (int)qsm_tid(); i < n_tile; i += side_x * side_y) {
      int column = left + i % pitch, row = top + i / pitch;
      tile[i] = column >= 0 && row >= 0 && column < width && row < height
                    ? in[(k * height + row) * width + column]
                    : 0.0f;
    }
    __syncthreads();
    const float *filter = weights + (channel * n_in + k) * SIDE * SIDE;
    for (int i = 0; i < SIDE * SIDE; i++)
      sum = fmaf(filter[i], tile[(y + i / SIDE) * pitch + x + i % SIDE], sum);
    __syncthreads();
  }
  int column = left + 1 + x, row = top + 1 + y;
  if (column < width && row < height)
    out[(channel * height + row) * width + column] = fmaxf(sum, 0.0f);
}
