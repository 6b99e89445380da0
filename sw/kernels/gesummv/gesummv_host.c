// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

static const struct size {
  uint32_t n, block_threads;
} sizes[] = {{43, 16}, {221, 16}, {1000, 128}, {2600, 256}};

static const float ALPHA = 1.5f, BETA = -0.7f;

struct job {
  struct qsm_job base;
  struct qsm_array a, b, x, y;
  const struct size *size;
};

static float dot(const float *a, const float *b, uint32_t n) {
  float sum = 0.0f;
  for (uint32_t i = 0; i < n; i++) sum = fmaf(a[i], b[i], sum);
  return sum;
}

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint32_t n = job->size->n;
  float *a = job->a.host, *b = job->b.host, *x = job->x.host, *y = job->y.host;
  for (uint32_t i = 0; i < n * n; i++) {
    a[i] = qsm_rng_float(&rng, -1.0f, 1.0f);
    b[i] = qsm_rng_float(&rng, -1.0f, 1.0f);
  }
  for (uint32_t i = 0; i < n; i++) x[i] = qsm_rng_float(&rng, -1.0f, 1.0f);
  for (uint32_t row = 0; row < n; row++)
    y[row] = fmaf(ALPHA, dot(a + row * n, x, n), BETA * dot(b + row * n, x, n));
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  uint32_t n = job->size->n;
  if (qsm_array_create(base, &job->a, QSM_INPUT, n * n, 4) != 0 ||
      qsm_array_create(base, &job->b, QSM_INPUT, n * n, 4) != 0 ||
      qsm_array_create(base, &job->x, QSM_INPUT, n, 4) != 0 ||
      qsm_array_create(base, &job->y, QSM_OUTPUT, n, 4) != 0) {
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
      .symbol = "gesummv",
      .grid = {qsm_div_up(size->n, size->block_threads), 1, 1},
      .block = {size->block_threads, 1, 1},
      .args = {job->a.addr, job->b.addr, job->x.addr, job->y.addr, size->n, qsm_to_bits(ALPHA),
               qsm_to_bits(BETA)},
  };
  return 1;
}

const struct qsm_suite_program qsm_gesummv = {
    .name = "gesummv",
    .about = "sum of two matrices times one vector",
    .bound = "memory",
    .paper = "SMQoS",
    .source =
        "Grauer-Gray et al., \"Auto-tuning a high-level language targeted to GPU codes\" (PolyBench), InPar 2012",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
