// SPDX-License-Identifier: Apache-2.0
// Pooling: of each window the greatest or the mean.
#include <qsm.h>

#include "network.h"

// Grid: x, y, blockDim.z channels. What lies outside of the image does not count.
__global__ void pool_max(const float *in, float *out, unsigned image, unsigned n_channels,
                         unsigned window) {
  int side = (int)network_part(window, 0), width = (int)network_low(image),
      height = (int)network_high(image);
  unsigned n_x = network_places(network_low(image), window),
           n_y = network_places(network_high(image), window);
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
           channel = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= n_x || y >= n_y || channel >= n_channels) return;
  int left = (int)(x * network_part(window, 1)) - (int)network_part(window, 2),
      top = (int)(y * network_part(window, 1)) - (int)network_part(window, 2);
  const float *plane = in + (int)channel * width * height;
  float greatest = -INFINITY;
  for (int dy = 0; dy < side; dy++) {
    for (int dx = 0; dx < side; dx++) {
      int column = left + dx, row = top + dy;
      if (column >= 0 && row >= 0 && column < width && row < height)
        greatest = fmaxf(greatest, plane[row * width + column]);
    }
  }
  out[(channel * n_y + y) * n_x + x] = greatest;
}

// The same; windows lie within the image.
__global__ void pool_average(const float *in, float *out, unsigned image, unsigned n_channels,
                             unsigned window) {
  unsigned side = network_part(window, 0), stride = network_part(window, 1),
           width = network_low(image);
  unsigned n_x = network_places(width, window), n_y = network_places(network_high(image), window);
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
           channel = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= n_x || y >= n_y || channel >= n_channels) return;
  const float *row = in + (channel * network_high(image) + y * stride) * width + x * stride;
  float sum = 0.0f;
  for (unsigned dy = 0; dy < side; dy++, row += width)
    for (unsigned dx = 0; dx < side; dx++) sum += row[dx];
  out[(channel * n_y + y) * n_x + x] = sum / (float)(side * side);
}

// The mean of each channel: a block per channel, of a power of 2 threads. Shared memory: a word per
// thread.
__global__ void pool_all(const float *in, float *out, unsigned n_pixels) {
  float *sums = qsm_dynamic_shared(), sum = 0.0f;
  for (unsigned i = threadIdx.x; i < n_pixels; i += blockDim.x)
    sum += in[blockIdx.x * n_pixels + i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0] / (float)n_pixels;
}
