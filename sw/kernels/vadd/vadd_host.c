// SPDX-License-Identifier: Apache-2.0
#include "qsm_suite_util.h"

static const struct {
  uint32_t n_elements, block_threads;
} sizes[] = {{2003, 16}, {60013, 16}, {4194304, 256}, {5242880, 256}};

enum { ELEMENTS_PER_THREAD = 8 };

struct job {
  struct qsm_job base;
  struct qsm_array a, b, sum;
  uint32_t n_elements, block_threads;
};

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint32_t *a = job->a.host, *b = job->b.host, *sum = job->sum.host;
  for (uint32_t i = 0; i < job->n_elements; i++) {
    a[i] = qsm_rng_next(&rng);
    b[i] = qsm_rng_next(&rng);
    sum[i] = a[i] + b[i];
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->n_elements = sizes[size].n_elements;
  job->block_threads = sizes[size].block_threads;
  if (qsm_array_create(base, &job->a, QSM_INPUT, job->n_elements, 4) != 0 ||
      qsm_array_create(base, &job->b, QSM_INPUT, job->n_elements, 4) != 0 ||
      qsm_array_create(base, &job->sum, QSM_OUTPUT, job->n_elements, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "vadd",
      .grid = {qsm_div_up(job->n_elements, ELEMENTS_PER_THREAD * job->block_threads), 1, 1},
      .block = {job->block_threads, 1, 1},
      .args = {job->a.addr, job->b.addr, job->sum.addr, job->n_elements},
  };
  return 1;
}

const struct qsm_suite_program qsm_vadd = {
    .name = "vadd",
    .about = "vector addition",
    .bound = "memory",
    .paper = "QAWS",
    .source = "Sum of two vectors; eight elements per thread",
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
