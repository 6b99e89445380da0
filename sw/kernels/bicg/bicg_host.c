// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

static const struct size {
  uint32_t n_rows, n_columns, block_threads;
} sizes[] = {{37, 45, 16}, {211, 190, 16}, {1000, 1100, 128}, {3500, 3600, 256}};

struct job {
  struct qsm_job base;
  struct qsm_array a, p, r, q, s;
  const struct size *size;
};

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint32_t n_rows = job->size->n_rows, n_columns = job->size->n_columns;
  float *a = job->a.host, *p = job->p.host, *r = job->r.host, *q = job->q.host, *s = job->s.host;
  for (uint32_t i = 0; i < n_rows * n_columns; i++) a[i] = qsm_rng_float(&rng, -1.0f, 1.0f);
  for (uint32_t i = 0; i < n_columns; i++) p[i] = qsm_rng_float(&rng, -1.0f, 1.0f);
  for (uint32_t i = 0; i < n_rows; i++) r[i] = qsm_rng_float(&rng, -1.0f, 1.0f);
  for (uint32_t row = 0; row < n_rows; row++) {
    for (uint32_t column = 0; column < n_columns; column++) {
      q[row] = fmaf(a[row * n_columns + column], p[column], q[row]);
      s[column] = fmaf(a[row * n_columns + column], r[row], s[column]);
    }
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  uint32_t n_rows = job->size->n_rows, n_columns = job->size->n_columns;
  if (qsm_array_create(base, &job->a, QSM_INPUT, n_rows * n_columns, 4) != 0 ||
      qsm_array_create(base, &job->p, QSM_INPUT, n_columns, 4) != 0 ||
      qsm_array_create(base, &job->r, QSM_INPUT, n_rows, 4) != 0 ||
      qsm_array_create(base, &job->q, QSM_OUTPUT, n_rows, 4) != 0 ||
      qsm_array_create(base, &job->s, QSM_OUTPUT, n_columns, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 1) return 0;
  uint32_t longer = size->n_rows > size->n_columns ? size->n_rows : size->n_columns;
  *launch = (struct qsm_suite_launch){
      .symbol = "bicg",
      .grid = {qsm_div_up(longer, size->block_threads), 2, 1},
      .block = {size->block_threads, 1, 1},
      .args = {job->a.addr, job->p.addr, job->r.addr, job->q.addr, job->s.addr, size->n_rows,
               size->n_columns},
  };
  return 1;
}

const struct qsm_suite_program qsm_bicg = {
    .name = "bicg",
    .about = "the products of the biconjugate gradient method, by rows and by columns",
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
