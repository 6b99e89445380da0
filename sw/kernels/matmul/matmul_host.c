// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "qsm_suite_util.h"

static const struct {
  uint32_t n_rows, n_inner, n_columns;
  uint32_t block_x, block_y;
} sizes[] = {{11, 13, 10, 4, 4}, {45, 37, 51, 4, 4}, {173, 157, 181, 16, 16}};

struct job {
  struct qsm_array a, b, c;
  uint32_t n_rows, n_inner, n_columns;
  uint32_t block_x, block_y;
  int launched;
};

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  int32_t *a = job->a.host, *b = job->b.host, *c = job->c.host;
  for (uint32_t i = 0; i < job->n_rows * job->n_inner; i++) a[i] = qsm_rng_range(&rng, -1000, 1000);
  for (uint32_t i = 0; i < job->n_inner * job->n_columns; i++) b[i] = qsm_rng_range(&rng, -1000, 1000);
  for (uint32_t row = 0; row < job->n_rows; row++) {
    for (uint32_t k = 0; k < job->n_inner; k++) {
      int32_t factor = a[row * job->n_inner + k];
      for (uint32_t column = 0; column < job->n_columns; column++) {
        c[row * job->n_columns + column] += factor * b[k * job->n_columns + column];
      }
    }
  }
}

void *qsm_matmul_create(const struct qsm_suite_mem *mem, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = calloc(1, sizeof *job);
  if (job == NULL) return NULL;
  job->n_rows = sizes[size].n_rows;
  job->n_inner = sizes[size].n_inner;
  job->n_columns = sizes[size].n_columns;
  job->block_x = sizes[size].block_x;
  job->block_y = sizes[size].block_y;
  if (qsm_array_create(&job->a, mem, job->n_rows * job->n_inner, 4) != 0 ||
      qsm_array_create(&job->b, mem, job->n_inner * job->n_columns, 4) != 0 ||
      qsm_array_create(&job->c, mem, job->n_rows * job->n_columns, 4) != 0) {
    qsm_matmul_destroy(job);
    return NULL;
  }
  generate(job, seed);
  qsm_array_upload(&job->a);
  qsm_array_upload(&job->b);
  return job;
}

void qsm_matmul_begin(void *opaque) {
  struct job *job = opaque;
  job->launched = 0;
  qsm_array_spoil(&job->c);
}

int qsm_matmul_next(void *opaque, struct qsm_suite_launch *launch) {
  struct job *job = opaque;
  if (job->launched) return 0;
  job->launched = 1;
  *launch = (struct qsm_suite_launch){
      .symbol = "matmul",
      .grid = {qsm_div_up(job->n_columns, job->block_x), qsm_div_up(job->n_rows, job->block_y), 1},
      .block = {job->block_x, job->block_y, 1},
      .shared_bytes = 4 * (job->block_x + job->block_y) * job->block_x,
      .args = {job->a.addr, job->b.addr, job->c.addr, job->n_rows, job->n_inner, job->n_columns},
  };
  return 1;
}

uint64_t qsm_matmul_check(void *opaque) {
  const struct job *job = opaque;
  return qsm_array_mismatches(&job->c);
}

void qsm_matmul_destroy(void *opaque) {
  struct job *job = opaque;
  if (job == NULL) return;
  qsm_array_destroy(&job->a);
  qsm_array_destroy(&job->b);
  qsm_array_destroy(&job->c);
  free(job);
}
