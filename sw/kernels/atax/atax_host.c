// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

static const struct size {
  uint32_t n_rows, n_columns, block_threads;
} sizes[] = {{37, 45, 16}, {211, 190, 16}, {1024, 1152, 128}, {3584, 3584, 256}};

struct job {
  struct qsm_job base;
  struct qsm_array a, x, product, y;
  const struct size *size;
};

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint32_t n_rows = job->size->n_rows, n_columns = job->size->n_columns;
  float *a = job->a.host, *x = job->x.host, *product = job->product.host, *y = job->y.host;
  for (uint32_t i = 0; i < n_rows * n_columns; i++) a[i] = qsm_rng_float(&rng, -1.0f, 1.0f);
  for (uint32_t i = 0; i < n_columns; i++) x[i] = qsm_rng_float(&rng, -1.0f, 1.0f);
  for (uint32_t row = 0; row < n_rows; row++) {
    for (uint32_t column = 0; column < n_columns; column++)
      product[row] = fmaf(a[row * n_columns + column], x[column], product[row]);
    for (uint32_t column = 0; column < n_columns; column++)
      y[column] = fmaf(a[row * n_columns + column], product[row], y[column]);
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  uint32_t n_rows = job->size->n_rows, n_columns = job->size->n_columns;
  if (qsm_array_create(base, &job->a, QSM_INPUT, n_rows * n_columns, 4) != 0 ||
      qsm_array_create(base, &job->x, QSM_INPUT, n_columns, 4) != 0 ||
      qsm_array_create(base, &job->product, QSM_OUTPUT, n_rows, 4) != 0 ||
      qsm_array_create(base, &job->y, QSM_OUTPUT, n_columns, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 2) return 0;
  int rows = base->n_launched == 0;
  *launch = (struct qsm_suite_launch){
      .symbol = rows ? "atax_rows" : "atax_columns",
      .grid = {qsm_div_up(rows ? size->n_rows : size->n_columns, size->block_threads), 1, 1},
      .block = {size->block_threads, 1, 1},
      .args = {job->a.addr, rows ? job->x.addr : job->product.addr,
               rows ? job->product.addr : job->y.addr, size->n_rows, size->n_columns},
  };
  return 1;
}

const struct qsm_suite_program qsm_atax = {
    .name = "atax",
    .about = "matrix, then its transpose, times vector",
    .bound = "memory",
    .paper = "QAWS",
    .source =
        "Grauer-Gray et al., \"Auto-tuning a high-level language targeted to GPU codes\" (PolyBench), InPar 2012",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
