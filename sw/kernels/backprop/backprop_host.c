// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "qsm_math.h"
#include "qsm_suite_util.h"

enum { MAX_THREADS = 256 };

static const struct size {
  uint32_t n_in, n_units, block_threads;
} sizes[] = {{101, 5, 16}, {1200, 16, 16}, {30000, 16, 128}, {240000, 16, 256}};

static const float RATE = 0.3f, MOMENTUM = 0.3f;

struct job {
  struct qsm_job base;
  struct qsm_array in, targets, weights, last_changes, out, errors;
  const struct size *size;
};

// In the block's order: every thread's own share, then by halves.
static float weighted_sum(const float *in, const float *weights, const struct size *size) {
  float sums[MAX_THREADS] = {0.0f};
  for (uint32_t i = 0; i < size->n_in; i++)
    sums[i % size->block_threads] = fmaf(in[i], weights[i], sums[i % size->block_threads]);
  for (uint32_t half = size->block_threads / 2; half > 0; half /= 2) {
    for (uint32_t i = 0; i < half; i++) sums[i] += sums[i + half];
  }
  return sums[0];
}

static void train(struct job *job) {
  const struct size *size = job->size;
  const float *in = job->in.host, *targets = job->targets.host;
  float *out = job->out.host, *errors = job->errors.host;
  for (uint32_t unit = 0; unit < size->n_units; unit++) {
    float *weights = (float *)job->weights.host + unit * size->n_in,
          *changes = (float *)job->last_changes.host + unit * size->n_in;
    out[unit] = 1.0f / (1.0f + qsm_exp(-weighted_sum(in, weights, size)));
    errors[unit] = out[unit] * (1.0f - out[unit]) * (targets[unit] - out[unit]);
    for (uint32_t i = 0; i < size->n_in; i++) {
      changes[i] = fmaf(RATE * errors[unit], in[i], MOMENTUM * changes[i]);
      weights[i] += changes[i];
    }
  }
}

static void generate(struct job *job, uint64_t seed) {
  const struct size *size = job->size;
  struct qsm_rng rng = {seed};
  float *in = job->in.host, *targets = job->targets.host, *weights = job->weights.host,
        *changes = job->last_changes.host;
  float range = 8.0f / (float)size->n_in;
  for (uint32_t i = 0; i < size->n_in; i++) in[i] = qsm_rng_float(&rng, 0.0f, 1.0f);
  for (uint32_t i = 0; i < size->n_units; i++) targets[i] = qsm_rng_float(&rng, 0.1f, 0.9f);
  for (uint32_t i = 0; i < size->n_in * size->n_units; i++) {
    weights[i] = qsm_rng_float(&rng, -range, range);
    changes[i] = qsm_rng_float(&rng, -range, range);
  }
  memcpy(job->weights.start, weights, 4 * size->n_in * size->n_units);
  memcpy(job->last_changes.start, changes, 4 * size->n_in * size->n_units);
  train(job);
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  uint32_t n_in = job->size->n_in, n_units = job->size->n_units;
  if (qsm_array_create(base, &job->in, QSM_INPUT, n_in, 4) != 0 ||
      qsm_array_create(base, &job->targets, QSM_INPUT, n_units, 4) != 0 ||
      qsm_array_create(base, &job->weights, QSM_STATE, n_in * n_units, 4) != 0 ||
      qsm_array_create(base, &job->last_changes, QSM_STATE, n_in * n_units, 4) != 0 ||
      qsm_array_create(base, &job->out, QSM_OUTPUT, n_units, 4) != 0 ||
      qsm_array_create(base, &job->errors, QSM_OUTPUT, n_units, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 2) return 0;
  if (base->n_launched == 0) {
    *launch = (struct qsm_suite_launch){
        .symbol = "backprop_forward",
        .grid = {size->n_units, 1, 1},
        .block = {size->block_threads, 1, 1},
        .shared_bytes = 4 * size->block_threads,
        .args = {job->in.addr, job->weights.addr, job->targets.addr, job->out.addr,
                 job->errors.addr, size->n_in},
    };
  } else {
    *launch = (struct qsm_suite_launch){
        .symbol = "backprop_adjust",
        .grid = {qsm_div_up(size->n_in, size->block_threads), size->n_units, 1},
        .block = {size->block_threads, 1, 1},
        .args = {job->in.addr, job->errors.addr, job->weights.addr, job->last_changes.addr,
                 size->n_in, size->n_units, qsm_to_bits(RATE), qsm_to_bits(MOMENTUM)},
    };
  }
  return 1;
}

const struct qsm_suite_program qsm_backprop = {
    .name = "backprop",
    .about = "one training step of a layer of a neural network",
    .bound = "memory",
    .paper = "LoGA (Rodinia)",
    .source = "Rumelhart, Hinton, Williams, Nature 323, 1986; Che et al., \"Rodinia\", IISWC 2009",
    .needs_fpu = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
