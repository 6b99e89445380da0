// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "qsm_math.h"
#include "qsm_suite_util.h"

enum { MAX_THREADS = 256 };

static const struct size {
  uint32_t n, n_frames, block_threads;
} sizes[] = {{61, 2, 16}, {1203, 3, 16}, {20011, 4, 128}, {200003, 4, 256}};

static const float SHARPNESS = 0.05f;

struct job {
  struct qsm_job base;
  struct qsm_array particles, moved, weights, ends, noise, seen, starts;
  const struct size *size;
};

static void move(struct job *job, uint32_t frame) {
  const float(*particles)[2] = job->particles.host,
        (*noise)[2] = (const float(*)[2])job->noise.host + frame * job->size->n;
  const float(*seen)[2] = job->seen.host;
  float(*moved)[2] = job->moved.host, *weights = job->weights.host;
  for (uint32_t i = 0; i < job->size->n; i++) {
    moved[i][0] = particles[i][0] + 1.0f + noise[i][0];
    moved[i][1] = particles[i][1] - 2.0f + noise[i][1];
    float dx = moved[i][0] - seen[frame][0], dy = moved[i][1] - seen[frame][1];
    weights[i] = qsm_exp(-SHARPNESS * fmaf(dx, dx, dy * dy)) + 1.0e-6f;
  }
}

// Sums are made in stretches, one per thread of a block: the order of a sum is part of it.
static void share(struct job *job) {
  const float *weights = job->weights.host;
  float *ends = job->ends.host, sums[MAX_THREADS] = {0.0f};
  uint32_t n = job->size->n, n_stretch = qsm_div_up(n, job->size->block_threads);
  for (uint32_t i = 0; i < n; i++) sums[i / n_stretch] += weights[i];
  for (uint32_t i = 0; i < n; i++) {
    float before = i > 0 ? ends[i - 1] : 0.0f;
    if (i % n_stretch == 0) {
      before = 0.0f;
      for (uint32_t stretch = 0; stretch < i / n_stretch; stretch++) before += sums[stretch];
    }
    ends[i] = before + weights[i];
  }
}

// By the kernel's search: where a stretch begins, rounding may let an end lie below the one before,
// so "the first that is far enough" would not say which.
static void choose(struct job *job, uint32_t frame) {
  const float(*moved)[2] = job->moved.host, *ends = job->ends.host;
  float(*particles)[2] = job->particles.host, start = ((const float *)job->starts.host)[frame];
  uint32_t n = job->size->n;
  for (uint32_t i = 0; i < n; i++) {
    float at = ends[n - 1] * (((float)i + start) / (float)n);
    uint32_t low = 0, high = n - 1;
    while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      if (ends[middle] < at)
        low = middle + 1;
      else
        high = middle;
    }
    memcpy(particles[i], moved[low], sizeof particles[i]);
  }
}

// The point moves by (1, -2) per frame; particles begin around its first place.
static void generate(struct job *job, uint64_t seed) {
  const struct size *size = job->size;
  struct qsm_rng rng = {seed};
  float(*particles)[2] = job->particles.host, (*noise)[2] = job->noise.host,
  (*seen)[2] = job->seen.host, *starts = job->starts.host;
  for (uint32_t i = 0; i < size->n; i++) {
    particles[i][0] = qsm_rng_float(&rng, 90.0f, 110.0f);
    particles[i][1] = qsm_rng_float(&rng, 90.0f, 110.0f);
  }
  memcpy(job->particles.start, particles, 8 * size->n);
  for (uint32_t i = 0; i < size->n_frames * size->n; i++) {
    noise[i][0] = qsm_rng_float(&rng, -2.0f, 2.0f);
    noise[i][1] = qsm_rng_float(&rng, -2.0f, 2.0f);
  }
  for (uint32_t frame = 0; frame < size->n_frames; frame++) {
    seen[frame][0] = 101.0f + (float)frame + qsm_rng_float(&rng, -1.0f, 1.0f);
    seen[frame][1] = 98.0f - 2.0f * (float)frame + qsm_rng_float(&rng, -1.0f, 1.0f);
    starts[frame] = qsm_rng_float(&rng, 0.0f, 1.0f);
    move(job, frame);
    share(job);
    choose(job, frame);
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  uint32_t n = job->size->n, n_frames = job->size->n_frames;
  if (qsm_array_create(base, &job->particles, QSM_STATE, n, 8) != 0 ||
      qsm_array_create(base, &job->moved, QSM_OUTPUT, n, 8) != 0 ||
      qsm_array_create(base, &job->weights, QSM_OUTPUT, n, 4) != 0 ||
      qsm_array_create(base, &job->ends, QSM_OUTPUT, n, 4) != 0 ||
      qsm_array_create(base, &job->noise, QSM_INPUT, n_frames * n, 8) != 0 ||
      qsm_array_create(base, &job->seen, QSM_INPUT, n_frames, 8) != 0 ||
      qsm_array_create(base, &job->starts, QSM_INPUT, n_frames, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  uint32_t frame = base->n_launched / 3, n = size->n, n_blocks = qsm_div_up(n, size->block_threads);
  if (frame == size->n_frames) return 0;
  const struct qsm_suite_launch launches[] = {
      {.symbol = "particle_move",
       .grid = {n_blocks, 1, 1},
       .args = {job->particles.addr, job->moved.addr, job->weights.addr,
                job->noise.addr + 8 * frame * n, n, job->seen.addr + 8 * frame,
                qsm_to_bits(SHARPNESS)}},
      {.symbol = "particle_shares",
       .grid = {1, 1, 1},
       .shared_bytes = 4 * size->block_threads,
       .args = {job->weights.addr, job->ends.addr, n}},
      {.symbol = "particle_choose",
       .grid = {n_blocks, 1, 1},
       .args = {job->moved.addr, job->ends.addr, job->particles.addr, n,
                qsm_to_bits(((const float *)job->starts.host)[frame])}},
  };
  *launch = launches[base->n_launched % 3];
  launch->block[0] = size->block_threads, launch->block[1] = 1, launch->block[2] = 1;
  return 1;
}

const struct qsm_suite_program qsm_particlefilter = {
    .name = "particlefilter",
    .about = "particle filter that follows a point: weights, sums, resampling",
    .bound = "memory",
    .paper = "LoGA (Rodinia)",
    .source =
        "Gordon, Salmond, Smith, IEE Proc. F 140(2), 1993; Arulampalam et al., IEEE Trans. Signal Processing 50(2), 2002",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
