// SPDX-License-Identifier: Apache-2.0
#include "qsm_suite_util.h"

static const struct {
  uint32_t n_rows, n_columns, block_threads;
} sizes[] = {{301, 257, 16}, {6007, 5003, 16}, {200003, 100003, 128}, {700001, 300007, 128}};

struct job {
  struct qsm_job base;
  struct qsm_array row_start, column, value, x, y;
  uint32_t n_rows, n_columns, block_threads;
};

// Most rows are short, one in sixteen is long, some are empty.
static uint32_t row_length(struct qsm_rng *rng) {
  int is_long = qsm_rng_range(rng, 0, 15) == 0;
  return (uint32_t)(is_long ? qsm_rng_range(rng, 20, 45) : qsm_rng_range(rng, 0, 9));
}

static void generate_shape(struct job *job, struct qsm_rng *rng) {
  uint32_t *row_start = job->row_start.host;
  for (uint32_t row = 0; row < job->n_rows; row++)
    row_start[row + 1] = row_start[row] + row_length(rng);
}

static void generate_values(struct job *job, struct qsm_rng *rng) {
  const uint32_t *row_start = job->row_start.host;
  uint32_t *column = job->column.host;
  int32_t *value = job->value.host, *x = job->x.host, *y = job->y.host;
  for (uint32_t i = 0; i < job->n_columns; i++) x[i] = qsm_rng_range(rng, -1000, 1000);
  for (uint32_t row = 0; row < job->n_rows; row++) {
    for (uint32_t i = row_start[row]; i < row_start[row + 1]; i++) {
      column[i] = (uint32_t)qsm_rng_range(rng, 0, (int32_t)job->n_columns - 1);
      value[i] = qsm_rng_range(rng, -1000, 1000);
      y[row] += value[i] * x[column[i]];
    }
  }
}

// The arrays of the values can be allocated only when the shape is known.
static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->n_rows = sizes[size].n_rows;
  job->n_columns = sizes[size].n_columns;
  job->block_threads = sizes[size].block_threads;
  struct qsm_rng rng = {seed};
  if (qsm_array_create(base, &job->row_start, QSM_INPUT, job->n_rows + 1, 4) != 0) return -1;
  generate_shape(job, &rng);
  size_t n_values = ((const uint32_t *)job->row_start.host)[job->n_rows];
  if (qsm_array_create(base, &job->column, QSM_INPUT, n_values, 4) != 0 ||
      qsm_array_create(base, &job->value, QSM_INPUT, n_values, 4) != 0 ||
      qsm_array_create(base, &job->x, QSM_INPUT, job->n_columns, 4) != 0 ||
      qsm_array_create(base, &job->y, QSM_OUTPUT, job->n_rows, 4) != 0) {
    return -1;
  }
  generate_values(job, &rng);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "spmv",
      .grid = {qsm_div_up(job->n_rows, job->block_threads), 1, 1},
      .block = {job->block_threads, 1, 1},
      .args = {job->row_start.addr, job->column.addr, job->value.addr, job->x.addr, job->y.addr,
               job->n_rows},
  };
  return 1;
}

const struct qsm_suite_program qsm_spmv = {
    .name = "spmv",
    .about = "sparse matrix (CSR) times vector, one thread per row",
    .bound = "memory",
    .paper = "Parboil",
    .source = "Bell and Garland, \"Efficient sparse matrix-vector multiplication on CUDA\", 2008",
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
