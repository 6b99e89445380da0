// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "qsm_suite_util.h"

// Keys of 32 bits; their upper `bucket_bits` say the bucket.
static const struct size {
  uint32_t n_keys, bucket_bits, n_count_blocks, block_threads;
} sizes[] = {{401, 3, 4, 16}, {2503, 5, 12, 16}, {100003, 8, 48, 128}, {2400007, 12, 64, 256}};

struct job {
  struct qsm_job base;
  struct qsm_array keys, counts, starts, places, sorted;
  const struct size *size;
  uint32_t n_buckets, largest;  // bucket, rounded up to a power of 2
};

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint32_t *keys = job->keys.host, *sorted = job->sorted.host, *counts = job->counts.host;
  uint32_t *starts = job->starts.host, *places = job->places.host, n = job->size->n_keys;
  for (uint32_t i = 0; i < n; i++) keys[i] = sorted[i] = qsm_rng_next(&rng);
  qsort(sorted, n, sizeof *sorted, qsm_ascending_words);
  for (uint32_t i = 0; i < n; i++) counts[sorted[i] >> (32 - job->size->bucket_bits)]++;
  job->largest = 1;
  for (uint32_t bucket = 0, start = 0; bucket < job->n_buckets; bucket++) {
    while (job->largest < counts[bucket]) job->largest *= 2;
    starts[bucket] = start;
    places[bucket] = start += counts[bucket];
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  job->n_buckets = 1u << job->size->bucket_bits;
  if (qsm_array_create(base, &job->keys, QSM_INPUT, job->size->n_keys, 4) != 0 ||
      qsm_array_create(base, &job->counts, QSM_STATE, job->n_buckets, 4) != 0 ||  // starts as zeros
      qsm_array_create(base, &job->starts, QSM_OUTPUT, job->n_buckets, 4) != 0 ||
      qsm_array_create(base, &job->places, QSM_OUTPUT, job->n_buckets, 4) != 0 ||
      qsm_array_create(base, &job->sorted, QSM_OUTPUT, job->size->n_keys, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  uint32_t shift = 32 - size->bucket_bits;
  const struct qsm_suite_launch launches[] = {
      {.symbol = "hybrid_count",
       .grid = {size->n_count_blocks, 1, 1},
       .shared_bytes = 4 * job->n_buckets,
       .args = {job->keys.addr, size->n_keys, shift, job->counts.addr, job->n_buckets}},
      {.symbol = "hybrid_starts",
       .grid = {1, 1, 1},
       .shared_bytes = 4 * size->block_threads,
       .args = {job->counts.addr, job->starts.addr, job->places.addr, job->n_buckets}},
      {.symbol = "hybrid_scatter",
       .grid = {qsm_div_up(size->n_keys, size->block_threads), 1, 1},
       .args = {job->keys.addr, size->n_keys, shift, job->places.addr, job->sorted.addr}},
      {.symbol = "hybrid_sort",
       .grid = {job->n_buckets, 1, 1},
       .shared_bytes = 4 * job->largest,
       .args = {job->sorted.addr, job->starts.addr, job->counts.addr}},
  };
  if (base->n_launched == sizeof launches / sizeof *launches) return 0;
  *launch = launches[base->n_launched];
  launch->block[0] = size->block_threads, launch->block[1] = 1, launch->block[2] = 1;
  return 1;
}

const struct qsm_suite_program qsm_hybridsort = {
    .name = "hybridsort",
    .about = "bucket sort, then a bitonic network per bucket",
    .bound = "memory",
    .paper = "LoGA (Rodinia)",
    .source =
        "Sintorn and Assarsson, JPDC 68(10), 2008; Batcher, \"Sorting networks and their applications\", AFIPS 1968",
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
