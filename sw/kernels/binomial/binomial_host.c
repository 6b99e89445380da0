// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

enum { MAX_STEPS = 1024 };

static const struct size {
  uint32_t n_options, n_steps, block_threads;
} sizes[] = {{3, 22, 16}, {11, 77, 16}, {40, 320, 128}, {320, 1024, 256}};

static const float RATE = 0.02f, VOLATILITY = 0.3f;

struct job {
  struct qsm_job base;
  struct qsm_array options, values;
  const struct size *size;
};

static float value_of(const float option[3], uint32_t n_steps) {
  float value[MAX_STEPS + 1];
  float step = option[2] / (float)n_steps, up = VOLATILITY * sqrtf(step),
        growth = qsm_exp(RATE * step);
  float chance = (growth - qsm_exp(-up)) / (qsm_exp(up) - qsm_exp(-up));
  float weight_up = chance / growth, weight_down = (1.0f - chance) / growth;
  for (uint32_t leaf = 0; leaf <= n_steps; leaf++) {
    float gain =
        option[0] * qsm_exp(up * (float)(2 * (int32_t)leaf - (int32_t)n_steps)) - option[1];
    value[leaf] = gain > 0.0f ? gain : 0.0f;
  }
  for (uint32_t n = n_steps; n > 0; n--) {
    for (uint32_t node = 0; node < n; node++)
      value[node] = fmaf(weight_up, value[node + 1], weight_down * value[node]);
  }
  return value[0];
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  struct qsm_rng rng = {seed};
  job->size = &sizes[size];
  if (qsm_array_create(base, &job->options, QSM_INPUT, job->size->n_options, 12) != 0 ||
      qsm_array_create(base, &job->values, QSM_OUTPUT, job->size->n_options, 4) != 0) {
    return -1;
  }
  float(*options)[3] = job->options.host;
  for (uint32_t i = 0; i < job->size->n_options; i++) {
    options[i][0] = qsm_rng_float(&rng, 5.0f, 30.0f);
    options[i][1] = qsm_rng_float(&rng, 1.0f, 50.0f);
    options[i][2] = qsm_rng_float(&rng, 0.25f, 10.0f);
    ((float *)job->values.host)[i] = value_of(options[i], job->size->n_steps);
  }
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "binomial",
      .grid = {size->n_options, 1, 1},
      .block = {size->block_threads, 1, 1},
      .shared_bytes = 4 * (size->n_steps + 1),
      .args = {job->options.addr, job->values.addr, size->n_steps, qsm_to_bits(RATE),
               qsm_to_bits(VOLATILITY)},
  };
  return 1;
}

const struct qsm_suite_program qsm_binomial = {
    .name = "binomial",
    .about = "European options by binomial trees, a block per option",
    .bound = "compute",
    .paper = "QAWS",
    .source =
        "Cox, Ross, Rubinstein, \"Option pricing: a simplified approach\", J. Financial Economics 7, 1979",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
