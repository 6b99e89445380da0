// SPDX-License-Identifier: Apache-2.0
#include "qsm_suite_util.h"

static const struct {
  uint32_t n_elements, n_blocks, block_threads;
} sizes[] = {{2003, 12, 12}, {70001, 50, 16}, {5000011, 300, 256}, {15000017, 512, 256}};

struct job {
  struct qsm_job base;
  struct qsm_array in, partial, total;
  uint32_t n_elements, n_blocks, block_threads;
};

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint32_t *in = job->in.host, *total = job->total.host;
  for (uint32_t i = 0; i < job->n_elements; i++) {
    in[i] = qsm_rng_next(&rng);
    *total += in[i];
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->n_elements = sizes[size].n_elements;
  job->n_blocks = sizes[size].n_blocks;
  job->block_threads = sizes[size].block_threads;
  if (qsm_array_create(base, &job->in, QSM_INPUT, job->n_elements, 4) != 0 ||
      qsm_array_create(base, &job->partial, QSM_SCRATCH, job->n_blocks, 4) != 0 ||
      qsm_array_create(base, &job->total, QSM_OUTPUT, 1, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == 2) return 0;
  int first = base->n_launched == 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "reduce",
      .grid = {first ? job->n_blocks : 1, 1, 1},
      .block = {job->block_threads, 1, 1},
      .shared_bytes = 4 * job->block_threads,
      .args = {first ? job->in.addr : job->partial.addr,
               first ? job->partial.addr : job->total.addr,
               first ? job->n_elements : job->n_blocks},
  };
  return 1;
}

const struct qsm_suite_program qsm_reduce = {
    .name = "reduce",
    .about = "sum of an array, block trees and a second launch",
    .bound = "memory",
    .paper = "",
    .source = "Harris, \"Optimizing parallel reduction in CUDA\", 2007",
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
