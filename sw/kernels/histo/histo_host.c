// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "qsm_suite_util.h"

enum { MOST = 255 };

// n_range: bins of a block, an even number. Values fill whole lines.
static const struct size {
  uint32_t n_values, n_bins, n_range, n_parts, block_threads;
} sizes[] = {{1216, 301, 128, 2, 16},
             {14016, 1021, 256, 6, 16},
             {400000, 12288, 4096, 32, 256},
             {12000000, 16384, 8192, 40, 256}};

struct job {
  struct qsm_job base;
  struct qsm_array data, counts, result;
  const struct size *size;
};

// The mean of four uniform values: a peak, whose bins saturate, and tails.
static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint16_t *data = job->data.host;
  uint8_t *result = job->result.host;
  int32_t last = (int32_t)job->size->n_bins - 1;
  for (uint32_t i = 0; i < job->size->n_values; i++) {
    int32_t sum = 0;
    for (int j = 0; j < 4; j++) sum += qsm_rng_range(&rng, 0, last);
    data[i] = (uint16_t)(sum / 4);
    if (result[data[i]] < MOST) result[data[i]]++;
  }
}

static uint32_t n_ranges(const struct size *size) {
  return qsm_div_up(size->n_bins, size->n_range);
}

// Of a part's counts, two to a word.
static uint32_t n_words(const struct size *size) { return n_ranges(size) * size->n_range / 2; }

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  if (qsm_array_create(base, &job->data, QSM_INPUT, job->size->n_values, 2) != 0 ||
      qsm_array_create(base, &job->counts, QSM_SCRATCH, job->size->n_parts * n_words(job->size),
                       4) != 0 ||
      qsm_array_create(base, &job->result, QSM_OUTPUT, job->size->n_bins, 1) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 2) return 0;
  if (base->n_launched == 0) {
    *launch = (struct qsm_suite_launch){
        .symbol = "histo_count",
        .grid = {n_ranges(size), size->n_parts, 1},
        .block = {size->block_threads, 1, 1},
        .shared_bytes = 2 * size->n_range,
        .args = {job->data.addr, size->n_values / 2, job->counts.addr, size->n_range},
    };
  } else {
    *launch = (struct qsm_suite_launch){
        .symbol = "histo_saturate",
        .grid = {qsm_div_up(qsm_div_up(size->n_bins, 2), size->block_threads), 1, 1},
        .block = {size->block_threads, 1, 1},
        .args = {job->counts.addr, job->result.addr, size->n_bins, n_words(size), size->n_parts},
    };
  }
  return 1;
}

const struct qsm_suite_program qsm_histo = {
    .name = "histo",
    .about = "histogram of many bins that saturate at 255",
    .bound = "memory",
    .paper = "Parboil",
    .source = "Stratton et al., \"Parboil\", IMPACT-12-01, 2012",
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
