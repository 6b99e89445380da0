// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "qsm_suite_util.h"

static const struct {
  uint32_t n_elements, n_blocks, block_threads;
} sizes[] = {{2003, 12, 12}, {70001, 50, 16}, {5000011, 300, 256}};

struct job {
  struct qsm_array in, partial, total;
  uint32_t n_elements, n_blocks, block_threads;
  int n_launched;
};

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint32_t *in = job->in.host, *total = job->total.host;
  for (uint32_t i = 0; i < job->n_elements; i++) {
    in[i] = qsm_rng_next(&rng);
    *total += in[i];
  }
}

void *qsm_reduce_create(const struct qsm_suite_mem *mem, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = calloc(1, sizeof *job);
  if (job == NULL) return NULL;
  job->n_elements = sizes[size].n_elements;
  job->n_blocks = sizes[size].n_blocks;
  job->block_threads = sizes[size].block_threads;
  if (qsm_array_create(&job->in, mem, job->n_elements, 4) != 0 ||
      qsm_array_create(&job->partial, mem, job->n_blocks, 4) != 0 ||
      qsm_array_create(&job->total, mem, 1, 4) != 0) {
    qsm_reduce_destroy(job);
    return NULL;
  }
  generate(job, seed);
  qsm_array_upload(&job->in);
  return job;
}

void qsm_reduce_begin(void *opaque) {
  struct job *job = opaque;
  job->n_launched = 0;
  qsm_array_spoil(&job->partial);
  qsm_array_spoil(&job->total);
}

int qsm_reduce_next(void *opaque, struct qsm_suite_launch *launch) {
  struct job *job = opaque;
  if (job->n_launched == 2) return 0;
  int first = job->n_launched++ == 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "reduce",
      .grid = {first ? job->n_blocks : 1, 1, 1},
      .block = {job->block_threads, 1, 1},
      .shared_bytes = 4 * job->block_threads,
      .args = {first ? job->in.addr : job->partial.addr, first ? job->partial.addr : job->total.addr,
               first ? job->n_elements : job->n_blocks},
  };
  return 1;
}

uint64_t qsm_reduce_check(void *opaque) {
  const struct job *job = opaque;
  return qsm_array_mismatches(&job->total);
}

void qsm_reduce_destroy(void *opaque) {
  struct job *job = opaque;
  if (job == NULL) return;
  qsm_array_destroy(&job->in);
  qsm_array_destroy(&job->partial);
  qsm_array_destroy(&job->total);
  free(job);
}
