// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "qsm_suite_util.h"

static const struct {
  uint32_t n_bytes, n_bins, n_blocks, block_threads;
} sizes[] = {{1501, 37, 8, 16}, {60013, 61, 64, 16}, {3000017, 256, 256, 256}};

struct job {
  struct qsm_array data, counts;
  uint32_t n_bytes, n_bins, n_blocks, block_threads;
  int launched;
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

void *qsm_histogram_create(const struct qsm_suite_mem *mem, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = calloc(1, sizeof *job);
  if (job == NULL) return NULL;
  job->n_bytes = sizes[size].n_bytes;
  job->n_bins = sizes[size].n_bins;
  job->n_blocks = sizes[size].n_blocks;
  job->block_threads = sizes[size].block_threads;
  if (qsm_array_create(&job->data, mem, job->n_bytes, 1) != 0 ||
      qsm_array_create(&job->counts, mem, job->n_bins, 4) != 0) {
    qsm_histogram_destroy(job);
    return NULL;
  }
  generate(job, seed);
  qsm_array_upload(&job->data);
  return job;
}

// The kernel adds to what is there, so a pass starts from zero.
void qsm_histogram_begin(void *opaque) {
  struct job *job = opaque;
  uint32_t zeros[256];
  memset(zeros, 0, sizeof zeros);
  job->launched = 0;
  job->counts.mem.write(job->counts.mem.ctx, job->counts.addr, zeros, 4 * job->n_bins);
}

int qsm_histogram_next(void *opaque, struct qsm_suite_launch *launch) {
  struct job *job = opaque;
  if (job->launched) return 0;
  job->launched = 1;
  *launch = (struct qsm_suite_launch){
      .symbol = "histogram",
      .grid = {job->n_blocks, 1, 1},
      .block = {job->block_threads, 1, 1},
      .shared_bytes = 4 * job->n_bins,
      .args = {job->data.addr, job->n_bytes, job->counts.addr, job->n_bins},
  };
  return 1;
}

uint64_t qsm_histogram_check(void *opaque) {
  const struct job *job = opaque;
  return qsm_array_mismatches(&job->counts);
}

void qsm_histogram_destroy(void *opaque) {
  struct job *job = opaque;
  if (job == NULL) return;
  qsm_array_destroy(&job->data);
  qsm_array_destroy(&job->counts);
  free(job);
}
