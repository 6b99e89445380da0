// SPDX-License-Identifier: Apache-2.0
// What stands around car.c in a pyramid of images (Burt and Adelson, "The Laplacian pyramid as a
// compact image code", IEEE Trans. Communications 31(4), 1983), each made from the one before by
// content adaptive resampling.
#include <qsm.h>
#include <qsm_math.h>

// Weights of a pixel add up to one: e^w over their sum. raw, weights: for each sample a value per
// pixel. A thread per pixel.
__global__ void car_weights(const float *raw, float *weights, unsigned n_pixels,
                            unsigned n_samples) {
  unsigned pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel >= n_pixels) return;
  float greatest = raw[pixel], sum = 0.0f;
  for (unsigned i = 1; i < n_samples; i++) greatest = fmaxf(greatest, raw[i * n_pixels + pixel]);
  for (unsigned i = 0; i < n_samples; i++) {
    float weight = qsm_exp(raw[i * n_pixels + pixel] - greatest);
    weights[i * n_pixels + pixel] = weight;
    sum += weight;
  }
  float factor = 1.0f / sum;
  for (unsigned i = 0; i < n_samples; i++) weights[i * n_pixels + pixel] *= factor;
}

// To whole numbers of 0 .. 255.
__global__ void car_round(const float *in, float *out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (float)qsm_round(fminf(fmaxf(in[i], 0.0f), 255.0f));
}

// What an image has beyond the small one made large again, whose pixels lie `scale` apart. Between
// them is interpolated; the border goes on as it ends. Grid: x, y of the image, colours. Shared
// memory: the block's part of the small image, (x / scale + 2) * (y / scale + 2) words; blocks are
// multiples of `scale` wide and high.
__global__ void car_detail(const float *image, const float *small, float *detail, unsigned width,
                           unsigned height, unsigned scale) {
  float *tile = qsm_dynamic_shared();
  int pitch = (int)(blockDim.x / scale) + 2, n_rows = (int)(blockDim.y / scale) + 2,
      left = (int)(blockIdx.x * (blockDim.x / scale)) - 1,
      top = (int)(blockIdx.y * (blockDim.y / scale)) - 1;
  int last_x = (int)(width / scale) - 1, last_y = (int)(height / scale) - 1;
  const float *plane = small + (int)blockIdx.z * (last_x + 1) * (last_y + 1);
  for (int row = (int)threadIdx.y; row < n_rows; row += (int)blockDim.y) {
    int y = top + row < 0 ? 0 : top + row > last_y ? last_y : top + row;
    for (int column = (int)threadIdx.x; column < pitch; column += (int)blockDim.x) {
      int x = left + column < 0 ? 0 : left + column > last_x ? last_x : left + column;
      tile[row * pitch + column] = plane[y * (last_x + 1) + x];
    }
  }
  __syncthreads();
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float at_x = ((float)threadIdx.x + 0.5f) / (float)scale + 0.5f,
        at_y = ((float)threadIdx.y + 0.5f) / (float)scale + 0.5f;
  int column = (int)at_x, row = (int)at_y;
  float share_x = at_x - (float)column, share_y = at_y - (float)row;
  const float *corner = tile + row * pitch + column;
  float upper = fmaf(share_x, corner[1] - corner[0], corner[0]),
        lower = fmaf(share_x, corner[pitch + 1] - corner[pitch], corner[pitch]);
  unsigned i = (blockIdx.z * height + y) * width + x;
  detail[i] = image[i] - fmaf(share_y, lower - upper, upper);
}
