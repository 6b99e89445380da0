// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

static const struct size {
  uint32_t n_samples, n_voxels, block_threads;
} sizes[] = {{19, 41, 16}, {53, 401, 16}, {48, 32768, 128}, {2048, 32768, 256}};

struct job {
  struct qsm_job base;
  struct qsm_array samples, x, y, z, real, imaginary;
  const struct size *size;
};

// Samples on a spiral that widens, voxels anywhere.
static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  float *samples = job->samples.host, *x = job->x.host, *y = job->y.host, *z = job->z.host;
  uint32_t n = job->size->n_samples;
  for (uint32_t i = 0; i < n; i++) {
    float radius = 0.5f * (float)i / (float)n, angle = 0.3f * (float)i;
    samples[i] = radius * qsm_cos(angle);
    samples[n + i] = radius * qsm_sin(angle);
    samples[2 * n + i] = qsm_rng_float(&rng, -0.5f, 0.5f);
    samples[3 * n + i] = qsm_rng_float(&rng, 0.0f, 1.0f);
  }
  for (uint32_t i = 0; i < job->size->n_voxels; i++) {
    x[i] = qsm_rng_float(&rng, -32.0f, 32.0f);
    y[i] = qsm_rng_float(&rng, -32.0f, 32.0f);
    z[i] = qsm_rng_float(&rng, -32.0f, 32.0f);
  }
}

static void reference(struct qsm_job *base) {
  struct job *job = (struct job *)base;
  const float *k = job->samples.host, *x = job->x.host, *y = job->y.host, *z = job->z.host;
  float *real = job->real.host, *imaginary = job->imaginary.host;
  uint32_t n = job->size->n_samples;
  for (uint32_t voxel = 0; voxel < job->size->n_voxels; voxel++) {
    for (uint32_t i = 0; i < n; i++) {
      float angle =
          6.28318531f * fmaf(k[i], x[voxel], fmaf(k[n + i], y[voxel], k[2 * n + i] * z[voxel]));
      real[voxel] = fmaf(k[3 * n + i], qsm_cos(angle), real[voxel]);
      imaginary[voxel] = fmaf(k[3 * n + i], qsm_sin(angle), imaginary[voxel]);
    }
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  uint32_t n = job->size->n_voxels;
  if (qsm_array_create(base, &job->samples, QSM_INPUT, job->size->n_samples, 16) != 0 ||
      qsm_array_create(base, &job->x, QSM_INPUT, n, 4) != 0 ||
      qsm_array_create(base, &job->y, QSM_INPUT, n, 4) != 0 ||
      qsm_array_create(base, &job->z, QSM_INPUT, n, 4) != 0 ||
      qsm_array_create(base, &job->real, QSM_OUTPUT, n, 4) != 0 ||
      qsm_array_create(base, &job->imaginary, QSM_OUTPUT, n, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "mri_q",
      .grid = {qsm_div_up(size->n_voxels, size->block_threads), 1, 1},
      .block = {size->block_threads, 1, 1},
      .shared_bytes = 16 * size->block_threads,
      .args = {job->samples.addr, size->n_samples, job->x.addr, job->y.addr, job->z.addr,
               job->real.addr, job->imaginary.addr, size->n_voxels},
  };
  return 1;
}

const struct qsm_suite_program qsm_mri_q = {
    .name = "mri_q",
    .about = "Q of MRI reconstruction: sums of sines and cosines over all samples",
    .bound = "compute",
    .paper = "Parboil",
    .source =
        "Stone et al., \"Accelerating advanced MRI reconstructions on GPUs\", JPDC 68(10), 2008",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .reference = reference,
    .next = next,
};
