// SPDX-License-Identifier: Apache-2.0
#include "qsm_suite_util.h"

static const struct {
  uint32_t n_bytes, n_bins, n_blocks, block_threads;
} sizes[] = {
    {1501, 37, 8, 16}, {60013, 61, 64, 16}, {3000064, 256, 256, 256}, {30000000, 256, 640, 256}};

struct job {
  struct qsm_job base;
  struct qsm_array data, counts;
  uint32_t n_bytes, n_bins, n_blocks, block_threads;
};

// The smaller of two uniform bytes: low bins get most of the traffic, as in a dark image.
static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint8_t *data = job->data.host;
  uint32_t *counts = job->counts.host;
  for (uint32_t i = 0; i < job->n_bytes; i++) {
    int32_t a = qsm_rng_range(&rng, 0, 255), b = qsm_rng_range(&rng, 0, 255);
    data[i] = (uint8_t)(a < b ? a : b);
    counts[data[i] * job->n_bins / 256]++;
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->n_bytes = sizes[size].n_bytes;
  job->n_bins = sizes[size].n_bins;
  job->n_blocks = sizes[size].n_blocks;
  job->block_threads = sizes[size].block_threads;
  if (qsm_array_create(base, &job->data, QSM_INPUT, job->n_bytes, 1) != 0 ||
      // Starts from zero: the kernel adds to what is there.
      qsm_array_create(base, &job->counts, QSM_STATE, job->n_bins, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "histogram",
      .grid = {job->n_blocks, 1, 1},
      .block = {job->block_threads, 1, 1},
      .shared_bytes = 4 * job->n_bins,
      .args = {job->data.addr, job->n_bytes, job->counts.addr, job->n_bins},
  };
  return 1;
}

const struct qsm_suite_program qsm_histogram = {
    .name = "histogram",
    .about = "histogram with atomics in shared, then device memory",
    .bound = "memory",
    .paper = "QAWS",
    .source = "Podlozhnyuk, \"Histogram calculation in CUDA\", 2007",
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
