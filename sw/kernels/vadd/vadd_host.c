// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "qsm_suite_util.h"

static const struct {
  uint32_t n_elements, block_threads;
} sizes[] = {{2003, 16}, {60013, 16}, {4000003, 256}};

enum { ELEMENTS_PER_THREAD = 8 };

struct job {
  struct qsm_array a, b, sum;
  uint32_t n_elements, block_threads;
  int launched;
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

void *qsm_vadd_create(const struct qsm_suite_mem *mem, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = calloc(1, sizeof *job);
  if (job == NULL) return NULL;
  job->n_elements = sizes[size].n_elements;
  job->block_threads = sizes[size].block_threads;
  if (qsm_array_create(&job->a, mem, job->n_elements, 4) != 0 ||
      qsm_array_create(&job->b, mem, job->n_elements, 4) != 0 ||
      qsm_array_create(&job->sum, mem, job->n_elements, 4) != 0) {
    qsm_vadd_destroy(job);
    return NULL;
  }
  generate(job, seed);
  qsm_array_upload(&job->a);
  qsm_array_upload(&job->b);
  return job;
}

void qsm_vadd_begin(void *opaque) {
  struct job *job = opaque;
  job->launched = 0;
  qsm_array_spoil(&job->sum);
}

int qsm_vadd_next(void *opaque, struct qsm_suite_launch *launch) {
  struct job *job = opaque;
  if (job->launched) return 0;
  job->launched = 1;
  *launch = (struct qsm_suite_launch){
      .symbol = "vadd",
      .grid = {qsm_div_up(job->n_elements, ELEMENTS_PER_THREAD * job->block_threads), 1, 1},
      .block = {job->block_threads, 1, 1},
      .args = {job->a.addr, job->b.addr, job->sum.addr, job->n_elements},
  };
  return 1;
}

uint64_t qsm_vadd_check(void *opaque) {
  const struct job *job = opaque;
  return qsm_array_mismatches(&job->sum);
}

void qsm_vadd_destroy(void *opaque) {
  struct job *job = opaque;
  if (job == NULL) return;
  qsm_array_destroy(&job->a);
  qsm_array_destroy(&job->b);
  qsm_array_destroy(&job->sum);
  free(job);
}
