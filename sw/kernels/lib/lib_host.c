// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "qsm_math.h"
#include "qsm_suite_util.h"

enum { MAX_RATES = 40 };  // as in lib.c

static const struct size {
  uint32_t n_paths, n_rates, n_periods, n_swaptions, block_threads;
} sizes[] = {
    {17, 9, 3, 3, 16}, {150, 14, 6, 5, 16}, {1500, 30, 14, 9, 64}, {12000, 40, 20, 15, 128}};

struct job {
  struct qsm_job base;
  struct qsm_array model, volatility, strikes, maturities, normals, values;
  const struct size *size;
};

static const float DELTA = 0.25f, INITIAL = 0.05f;

// Standard normal numbers by the polar method's older relative (Box and Muller, 1958).
static float normal(struct qsm_rng *rng) {
  float u = qsm_rng_float(rng, 1.0e-6f, 1.0f), angle = qsm_rng_float(rng, 0.0f, 6.2831853f);
  return sqrtf(-2.0f * qsm_log(u)) * qsm_cos(angle);
}

static void generate(struct job *job, uint64_t seed) {
  const struct size *size = job->size;
  struct qsm_rng rng = {seed};
  uint32_t *model = job->model.host, *maturities = job->maturities.host;
  float *volatility = job->volatility.host, *strikes = job->strikes.host,
        *normals = job->normals.host;
  const uint32_t words[] = {qsm_to_bits(DELTA), qsm_to_bits(INITIAL), size->n_rates,
                            size->n_periods, size->n_swaptions};
  memcpy(model, words, sizeof words);
  for (uint32_t i = 0; i < size->n_rates; i++) volatility[i] = qsm_rng_float(&rng, 0.1f, 0.3f);
  for (uint32_t i = 0; i < size->n_swaptions; i++) {
    maturities[i] = 1 + i * (size->n_rates - size->n_periods) / size->n_swaptions;  // ascending
    strikes[i] = qsm_rng_float(&rng, 0.045f, 0.05f);
  }
  for (uint32_t i = 0; i < size->n_periods * size->n_paths; i++) normals[i] = normal(&rng);
}

// One path, as the paper tells it.
static float simulate(const struct job *job, uint32_t path) {
  const struct size *size = job->size;
  const float *volatility = job->volatility.host, *strikes = job->strikes.host,
              *normals = job->normals.host;
  const uint32_t *maturities = job->maturities.host;
  float rate[MAX_RATES], bond[MAX_RATES], annuity[MAX_RATES], value = 0.0f;
  for (uint32_t i = 0; i < size->n_rates; i++) rate[i] = INITIAL;
  for (uint32_t period = 0; period < size->n_periods; period++) {
    float root = sqrtf(DELTA) * normals[period * size->n_paths + path], drift = 0.0f;
    for (uint32_t i = period + 1; i < size->n_rates; i++) {
      float own = volatility[i - period - 1];
      drift = fmaf(DELTA * own * rate[i], 1.0f / fmaf(DELTA, rate[i], 1.0f), drift);
      rate[i] *= qsm_exp(fmaf(DELTA * own, drift, own * fmaf(-0.5f, DELTA * own, root)));
    }
  }
  for (uint32_t i = size->n_periods; i < size->n_rates; i++) {
    bond[i] = (i > size->n_periods ? bond[i - 1] : 1.0f) / fmaf(DELTA, rate[i], 1.0f);
    annuity[i] = fmaf(DELTA, bond[i], i > size->n_periods ? annuity[i - 1] : 0.0f);
  }
  for (uint32_t i = 0; i < size->n_swaptions; i++) {
    uint32_t last = size->n_periods + maturities[i] - 1;
    float gain = 1.0f - bond[last] - strikes[i] * annuity[last];
    value += 100.0f * (gain > 0.0f ? gain : 0.0f);
  }
  for (uint32_t i = 0; i < size->n_periods; i++) value /= fmaf(DELTA, rate[i], 1.0f);
  return value;
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  uint32_t n_paths = job->size->n_paths;
  if (qsm_array_create(base, &job->model, QSM_INPUT, 5, 4) != 0 ||
      qsm_array_create(base, &job->volatility, QSM_INPUT, job->size->n_rates, 4) != 0 ||
      qsm_array_create(base, &job->strikes, QSM_INPUT, job->size->n_swaptions, 4) != 0 ||
      qsm_array_create(base, &job->maturities, QSM_INPUT, job->size->n_swaptions, 4) != 0 ||
      qsm_array_create(base, &job->normals, QSM_INPUT, n_paths * job->size->n_periods, 4) != 0 ||
      qsm_array_create(base, &job->values, QSM_OUTPUT, n_paths, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  for (uint32_t path = 0; path < n_paths; path++)
    ((float *)job->values.host)[path] = simulate(job, path);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "lib",
      .grid = {qsm_div_up(size->n_paths, size->block_threads), 1, 1},
      .block = {size->block_threads, 1, 1},
      .args = {job->model.addr, job->volatility.addr, job->strikes.addr, job->maturities.addr,
               job->normals.addr, job->values.addr, size->n_paths},
  };
  return 1;
}

const struct qsm_suite_program qsm_lib = {
    .name = "lib",
    .about = "LIBOR: swaptions by Monte Carlo simulation of forward rates",
    .bound = "compute",
    .paper = "SMQoS",
    .source = "Giles and Su, \"Notes on using the NVIDIA 8800 GTX graphics card\", 2007",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
