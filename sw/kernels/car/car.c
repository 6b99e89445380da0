// SPDX-License-Identifier: Apache-2.0
// Downscaling of an image by content adaptive resampling (CAR: Sun and Chen, "Learned image
// downscaling for upscaling using content adaptive resampler", IEEE Trans. Image Processing 29,
// 2020, section 3.2). A pixel of the small image is a weighted sum of samples around its place in
// the large one. Weights are the pixel's own, and each has an offset by which its sample lies off
// the regular grid, so samples are interpolated; the three colours share them. A network, not part
// of this, makes both. FedCM measures a CAR and says no more of it; the collection HeCBench, which
// has CAR, FSM and HAUSDORFF as FedCM has, means this by it.
#include <qsm.h>
#include <qsm_math.h>

enum { N_COLOURS = 3 };

static float clampf(float value, float high) { return fminf(fmaxf(value, 0.0f), high); }

// image: colour by colour, width * scale by height * scale pixels. weights, offsets_x, offsets_y:
// for each of side * side samples one value per pixel of the small image; offsets_y lie behind
// offsets_x. result: colour by colour.
__global__ void car(const float *image, const float *weights, const float *offsets, float *result,
                    unsigned width, unsigned height, unsigned scale, unsigned side) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  unsigned n_pixels = width * height, pixel = y * width + x, large_width = width * scale,
           n_large = n_pixels * scale * scale;
  float last_x = (float)(large_width - 1), last_y = (float)(height * scale - 1),
        half = 0.5f * (float)side;
  float middle_x = fmaf((float)x + 0.5f, (float)scale, -0.5f) - half,
        middle_y = fmaf((float)y + 0.5f, (float)scale, -0.5f) - half;
  float sum[N_COLOURS] = {0.0f};
  const float *weight = weights + pixel, *offset_x = offsets + pixel,
              *offset_y = offset_x + side * side * n_pixels;
  for (unsigned i = 0; i < side; i++) {
    for (unsigned j = 0; j < side;
         j++, weight += n_pixels, offset_x += n_pixels, offset_y += n_pixels) {
      // Beyond the border the image goes on as it ends.
      float at_x = clampf(middle_x + (float)j + *offset_x, last_x),
            at_y = clampf(middle_y + (float)i + *offset_y, last_y);
      unsigned left = (unsigned)at_x, top = (unsigned)at_y;
      float right_share = at_x - (float)left, bottom_share = at_y - (float)top;
      unsigned right = at_x < last_x ? 1 : 0, below = at_y < last_y ? large_width : 0;
      const float *corner = image + top * large_width + left;
#pragma unroll
      for (unsigned colour = 0; colour < N_COLOURS; colour++, corner += n_large) {
        float upper = fmaf(right_share, corner[right] - corner[0], corner[0]);
        float lower = fmaf(right_share, corner[below + right] - corner[below], corner[below]);
        sum[colour] = fmaf(*weight, fmaf(bottom_share, lower - upper, upper), sum[colour]);
      }
    }
  }
#pragma unroll
  for (unsigned colour = 0; colour < N_COLOURS; colour++)
    result[colour * n_pixels + pixel] = sum[colour];
}
