// SPDX-License-Identifier: Apache-2.0
// Speckle reducing anisotropic diffusion of an ultrasound image (Yu and Acton, IEEE Trans. Image
// Processing 11(11), 2002; the two kernels of Rodinia): each pixel's diffusion coefficient from its
// gradient and curvature; then the pixels move by the coefficients of their own, their southern and
// their eastern neighbour. Outside is as bright as the border.
#include <qsm.h>
#include <qsm_math.h>

// Differences from the pixel to its neighbours.
struct around {
  float north, south, west, east;
};

static struct around differences(const float *image, unsigned x, unsigned y, unsigned width,
                                 unsigned height) {
  const float *pixel = image + y * width + x;
  float own = *pixel;
  return (struct around){(y > 0 ? *(pixel - width) : own) - own,
                         (y < height - 1 ? pixel[width] : own) - own,
                         (x > 0 ? pixel[-1] : own) - own, (x < width - 1 ? pixel[1] : own) - own};
}

// q0: squared variation of the speckle.
__global__ void srad_coefficients(const float *image, float *coefficients, unsigned width,
                                  unsigned height, float q0) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  struct around d = differences(image, x, y, width, height);
  float own = image[y * width + x];
  float gradient2 =
      fmaf(d.north, d.north, fmaf(d.south, d.south, fmaf(d.west, d.west, d.east * d.east))) /
      (own * own);
  float laplacian = (d.north + d.south + d.west + d.east) / own;
  float numerator = fmaf(0.5f, gradient2, -0.0625f * laplacian * laplacian),
        root = fmaf(0.25f, laplacian, 1.0f);
  float q = numerator / (root * root);
  float coefficient = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
  coefficients[y * width + x] = fminf(fmaxf(coefficient, 0.0f), 1.0f);
}

__global__ void srad_diffuse(const float *image, const float *coefficients, float *result,
                             unsigned width, unsigned height, float step) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  struct around d = differences(image, x, y, width, height);
  unsigned pixel = y * width + x;
  float own = coefficients[pixel], south = y < height - 1 ? coefficients[pixel + width] : own,
        east = x < width - 1 ? coefficients[pixel + 1] : own;
  float divergence = fmaf(own, d.north, fmaf(south, d.south, fmaf(own, d.west, east * d.east)));
  result[pixel] = fmaf(0.25f * step, divergence, image[pixel]);
}
