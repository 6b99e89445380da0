// SPDX-License-Identifier: Apache-2.0
// 2D convolution of an 8-bit image with a square filter of signed 8.8 fixed-point weights, rounded
// and saturated; the image continues beyond its edges with the edge's pixels. Shared memory: the
// filter, two bytes per weight.
#include <qsm.h>

static int clamp(int value, int low, int high) {
  return value < low ? low : value > high ? high : value;
}

__global__ void conv2d(const uint8_t *image, uint8_t *out, int width, int height,
                       const int16_t *filter, int radius) {
  int n_weights = (2 * radius + 1) * (2 * radius + 1);
  int16_t *weights = qsm_dynamic_shared();
  for (int i = (int)qsm_tid(); i < n_weights; i += (int)(blockDim.x * blockDim.y))
    weights[i] = filter[i];
  __syncthreads();

  int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  int sum = 128;
  for (int dy = -radius; dy <= radius; dy++) {
    const uint8_t *row = image + clamp(y + dy, 0, height - 1) * width;
    for (int dx = -radius; dx <= radius; dx++) sum += *weights++ * row[clamp(x + dx, 0, width - 1)];
  }
  out[y * width + x] = (uint8_t)clamp(sum >> 8, 0, 255);
}
