// SPDX-License-Identifier: Apache-2.0
#include "qsm_suite_util.h"

static const struct {
  uint32_t n_rows, n_inner, n_columns;
  uint32_t block_x, block_y;
} sizes[] = {
    {11, 13, 10, 4, 4}, {45, 37, 51, 4, 4}, {176, 160, 192, 16, 16}, {1024, 1024, 1024, 16, 16}};

struct job {
  struct qsm_job base;
  struct qsm_array a, b, c;
  uint32_t n_rows, n_inner, n_columns;
  uint32_t block_x, block_y;
};

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  int32_t *a = job->a.host, *b = job->b.host, *c = job->c.host;
  for (uint32_t i = 0; i < job->n_rows * job->n_inner; i++) a[i] = qsm_rng_range(&rng, -1000, 1000);
  for (uint32_t i = 0; i < job->n_inner * job->n_columns; i++)
    b[i] = qsm_rng_range(&rng, -1000, 1000);
  for (uint32_t row = 0; row < job->n_rows; row++) {
    for (uint32_t k = 0; k < job->n_inner; k++) {
      int32_t factor = a[row * job->n_inner + k];
      for (uint32_t column = 0; column < job->n_columns; column++) {
        c[row * job->n_columns + column] += factor * b[k * job->n_columns + column];
      }
    }
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->n_rows = sizes[size].n_rows;
  job->n_inner = sizes[size].n_inner;
  job->n_columns = sizes[size].n_columns;
  job->block_x = sizes[size].block_x;
  job->block_y = sizes[size].block_y;
  if (qsm_array_create(base, &job->a, QSM_INPUT, job->n_rows * job->n_inner, 4) != 0 ||
      qsm_array_create(base, &job->b, QSM_INPUT, job->n_inner * job->n_columns, 4) != 0 ||
      qsm_array_create(base, &job->c, QSM_OUTPUT, job->n_rows * job->n_columns, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "matmul",
      .grid = {qsm_div_up(job->n_columns, job->block_x), qsm_div_up(job->n_rows, job->block_y), 1},
      .block = {job->block_x, job->block_y, 1},
      .shared_bytes = 4 * (job->block_x + job->block_y) * job->block_x,
      .args = {job->a.addr, job->b.addr, job->c.addr, job->n_rows, job->n_inner, job->n_columns},
  };
  return 1;
}

const struct qsm_suite_program qsm_matmul = {
    .name = "matmul",
    .about = "matrix multiplication with tiles in shared memory",
    .bound = "compute",
    .paper = "QAWS",
    .source = "CUDA C++ Programming Guide, shared memory",
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
