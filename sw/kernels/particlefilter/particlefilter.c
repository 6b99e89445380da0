// SPDX-License-Identifier: Apache-2.0
// Particle filter that follows a point seen with noise (the bootstrap filter: Gordon, Salmond,
// Smith, IEE Proc. F 140(2), 1993; systematic resampling: Arulampalam et al., IEEE Trans. Signal
// Processing 50(2), 2002). Per frame three launches: particles move and weigh how well they fit
// what is seen; one block adds the weights up to where each particle's share ends; every new
// particle finds by binary search in whose share it lies. The random numbers come with the inputs.
#include <qsm.h>
#include <qsm_math.h>

struct point {
  float x, y;
};

__global__ void particle_move(const struct point *particles, struct point *moved, float *weights,
                              const struct point *noise, unsigned n, const struct point *seen,
                              float sharpness) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  struct point place = {particles[i].x + 1.0f + noise[i].x, particles[i].y - 2.0f + noise[i].y};
  float dx = place.x - seen->x, dy = place.y - seen->y;
  moved[i] = place;
  weights[i] = qsm_exp(-sharpness * fmaf(dx, dx, dy * dy)) + 1.0e-6f;  // nobody's share is empty
}

// ends[i]: sum of the weights 0 .. i. Each thread adds up a stretch, then knows what lies before
// it. Shared memory: a word per thread.
__global__ void particle_shares(const float *weights, float *ends, unsigned n) {
  float *sums = qsm_dynamic_shared(), sum = 0.0f;
  unsigned n_stretch = (n + blockDim.x - 1) / blockDim.x, first = threadIdx.x * n_stretch;
  for (unsigned i = first; i < first + n_stretch && i < n; i++) sum += weights[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  float before = 0.0f;
  for (unsigned i = 0; i < threadIdx.x; i++) before += sums[i];
  for (unsigned i = first; i < first + n_stretch && i < n; i++) ends[i] = before += weights[i];
}

// New particle i lies at (i + start) / n of all shares.
__global__ void particle_choose(const struct point *moved, const float *ends,
                                struct point *particles, unsigned n, float start) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float at = ends[n - 1] * (((float)i + start) / (float)n);
  unsigned low = 0, high = n - 1;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    if (ends[middle] < at)
      low = middle + 1;
    else
      high = middle;
  }
  particles[i] = moved[low];
}
