// SPDX-License-Identifier: Apache-2.0
// Convolutional layers. A block makes a tile of an image for some output channels; tiles of the
// input with their borders, and the filters, pass through shared memory. Outside of the image is 0.
#include <qsm.h>

#include "network.h"

enum { FILTERS = 4 };  // output channels of a thread

struct tile {
  unsigned pitch, n_rows, n_words;
  int left, top;
};

static struct tile tile_of(unsigned window) {
  unsigned side = network_part(window, 0), stride = network_part(window, 1);
  int pad = (int)network_part(window, 2);
  struct tile tile = {.pitch = (blockDim.x - 1) * stride + side,
                      .n_rows = (blockDim.y - 1) * stride + side,
                      .left = (int)(blockIdx.x * blockDim.x * stride) - pad,
                      .top = (int)(blockIdx.y * blockDim.y * stride) - pad};
  tile.n_words = tile.pitch * tile.n_rows;
  return tile;
}

// One plane, by the threads of one z.
static void load_plane(float *to, const struct tile *tile, const float *plane, unsigned image) {
  int width = (int)network_low(image), height = (int)network_high(image);
  for (unsigned row = threadIdx.y; row < tile->n_rows; row += blockDim.y) {
    int y = tile->top + (int)row;
    for (unsigned column = threadIdx.x; column < tile->pitch; column += blockDim.x) {
      int x = tile->left + (int)column;
      to[row * tile->pitch + column] =
          x >= 0 && y >= 0 && x < width && y < height ? plane[y * width + x] : 0.0f;
    }
  }
}

// groups: of channels, which see only each other's; a block's output channels are in one group
// (LeCun et al., Proc. IEEE 86(11), 1998; groups: Krizhevsky et al., NIPS 2012). Low half: groups,
// high half: input planes that are in shared memory at a time. weights: of each output channel
// a window for each input channel of its group. Grid: x, y, blockDim.z * FILTERS output channels.
// Shared memory: planes * tile + blockDim.z * FILTERS * planes * window words.
__global__ void conv(const float *in, float *out, const float *weights, const float *bias,
                     unsigned image, unsigned channels, unsigned window, unsigned groups) {
  unsigned n_out = network_high(channels), n_groups = network_low(groups),
           n_deep = network_low(channels) / n_groups, n_planes = network_high(groups);
  unsigned side = network_part(window, 0), stride = network_part(window, 1), n_window = side * side,
           n_pixels = network_low(image) * network_high(image);
  struct tile tile = tile_of(window);
  float *planes = qsm_dynamic_shared(), *filters = planes + n_planes * tile.n_words;
  unsigned n_channels = blockDim.z * FILTERS, first = blockIdx.z * n_channels;
  unsigned n_xy = blockDim.x * blockDim.y, xy = threadIdx.y * blockDim.x + threadIdx.x;
  in += first / (n_out / n_groups) * n_deep * n_pixels;

  float sum[FILTERS] = {0.0f};
  for (unsigned k = 0; k < n_deep; k += n_planes) {
    unsigned n_now = n_deep - k < n_planes ? n_deep - k : n_planes, n_weights = n_now * n_window;
    for (unsigned plane = threadIdx.z; plane < n_now; plane += blockDim.z)
      load_plane(planes + plane * tile.n_words, &tile, in + (k + plane) * n_pixels, image);
    // Words of a thread's channels lie side by side.
    for (unsigned i = threadIdx.z; i < n_channels; i += blockDim.z) {
      const float *from = weights + ((first + i) * n_deep + k) * n_window;
      float *to = filters + i / FILTERS * FILTERS * n_weights + i % FILTERS;
      for (unsigned j = xy; j < n_weights; j += n_xy)
        to[j * FILTERS] = first + i < n_out ? from[j] : 0.0f;
    }
    __syncthreads();
    const float *filter = filters + threadIdx.z * FILTERS * n_weights;
    for (unsigned plane = 0; plane < n_now; plane++) {
      const float *row =
          planes + plane * tile.n_words + threadIdx.y * stride * tile.pitch + threadIdx.x * stride;
      for (unsigned dy = 0; dy < side; dy++, row += tile.pitch) {
        for (unsigned dx = 0; dx < side; dx++, filter += FILTERS) {
          float value = row[dx];
#pragma unroll
          for (unsigned i = 0; i < FILTERS; i++) sum[i] = fmaf(filter[i], value, sum[i]);
        }
      }
    }
    __syncthreads();
  }

  unsigned width = network_places(network_low(image), window),
           height = network_places(network_high(image), window);
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  for (unsigned i = 0, channel = first + threadIdx.z * FILTERS; i < FILTERS && channel < n_out;
       i++, channel++)
    out[(channel * height + y) * width + x] =
        network_activate(sum[i] + bias[channel], network_part(window, 3));
}

// A window of its own for each channel (Howard et al., "MobileNets", 2017). Grid: x, y, blockDim.z
// channels. Shared memory: blockDim.z tiles.
__global__ void depthwise(const float *in, float *out, const float *weights, const float *bias,
                          unsigned image, unsigned n_channels, unsigned window) {
  unsigned side = network_part(window, 0), stride = network_part(window, 1);
  unsigned channel = blockIdx.z * blockDim.z + threadIdx.z;
  struct tile tile = tile_of(window);
  float *plane = (float *)qsm_dynamic_shared() + threadIdx.z * tile.n_words;
  if (channel < n_channels)
    load_plane(plane, &tile, in + channel * network_low(image) * network_high(image), image);
  __syncthreads();
  unsigned width = network_places(network_low(image), window),
           height = network_places(network_high(image), window);
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (channel >= n_channels || x >= width || y >= height) return;
  const float *row = plane + threadIdx.y * stride * tile.pitch + threadIdx.x * stride,
              *filter = weights + channel * side * side;
  float sum = 0.0f;
  for (unsigned dy = 0; dy < side; dy++, row += tile.pitch)
    for (unsigned dx = 0; dx < side; dx++, filter++) sum = fmaf(*filter, row[dx], sum);
  out[(channel * height + y) * width + x] =
      network_activate(sum + bias[channel], network_part(window, 3));
}
