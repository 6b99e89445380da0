// SPDX-License-Identifier: Apache-2.0
// Q of non-Cartesian MRI reconstruction: for every voxel the sum over all samples in k-space of
// |phi|^2 e^(2 pi i k x) (Stone et al., "Accelerating advanced MRI reconstructions on GPUs", JPDC
// 68(10), 2008). A thread per voxel; samples pass through shared memory, as many at a time as the
// block has threads, and there the words of one lie together. Shared memory: four words per thread.
#include <qsm.h>
#include <qsm_math.h>

struct sample {
  float x, y, z, magnitude;  // k in units of 2 pi per voxel
};

// samples: all x, all y, all z, all magnitudes.
__global__ void mri_q(const float *samples, unsigned n_samples, const float *x, const float *y,
                      const float *z, float *real, float *imaginary, unsigned n_voxels) {
  struct sample *tile = qsm_dynamic_shared();
  unsigned voxel = blockIdx.x * blockDim.x + threadIdx.x, inside = voxel < n_voxels;
  float own_x = inside ? x[voxel] : 0.0f, own_y = inside ? y[voxel] : 0.0f,
        own_z = inside ? z[voxel] : 0.0f;
  float sum_real = 0.0f, sum_imaginary = 0.0f;
  for (unsigned first = 0; first < n_samples; first += blockDim.x) {
    unsigned n_tile = n_samples - first < blockDim.x ? n_samples - first : blockDim.x;
    if (threadIdx.x < n_tile) {
      const float *from = samples + first + threadIdx.x;
      tile[threadIdx.x] =
          (struct sample){from[0], from[n_samples], from[2 * n_samples], from[3 * n_samples]};
    }
    __syncthreads();
    for (unsigned i = 0; i < n_tile; i++) {
      float angle = 6.28318531f * fmaf(tile[i].x, own_x, fmaf(tile[i].y, own_y, tile[i].z * own_z));
      sum_real = fmaf(tile[i].magnitude, qsm_cos(angle), sum_real);
      sum_imaginary = fmaf(tile[i].magnitude, qsm_sin(angle), sum_imaginary);
    }
    __syncthreads();
  }
  if (!inside) return;
  real[voxel] = sum_real;
  imaginary[voxel] = sum_imaginary;
}
