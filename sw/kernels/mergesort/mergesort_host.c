// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "qsm_suite_util.h"

enum { PER_THREAD = 4 };  // as in mergesort.c

static const struct size {
  uint32_t n_elements, block_threads;
} sizes[] = {{501, 16}, {3001, 16}, {50021, 128}, {2000003, 256}};

struct job {
  struct qsm_job base;
  struct qsm_array in, scratch, sorted;
  const struct size *size;
  uint32_t n_launches;  // one that sorts tiles, and one per doubling of the runs
};

static uint32_t n_tile(const struct job *job) { return PER_THREAD * job->size->block_threads; }

// A quarter of the values occur more than once.
static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint32_t *in = job->in.host, *sorted = job->sorted.host;
  uint32_t n = job->size->n_elements;
  for (uint32_t i = 0; i < n; i++)
    in[i] = sorted[i] =
        i % 4 == 3 ? in[(uint32_t)qsm_rng_range(&rng, 0, (int32_t)i - 1)] : qsm_rng_next(&rng);
  qsort(sorted, n, sizeof *sorted, qsm_ascending_words);
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  uint32_t n = job->size->n_elements;
  for (uint64_t n_run = n_tile(job); n_run < n; n_run *= 2) job->n_launches++;
  job->n_launches++;
  if (qsm_array_create(base, &job->in, QSM_INPUT, n, 4) != 0 ||
      qsm_array_create(base, &job->scratch, QSM_SCRATCH, n, 4) != 0 ||
      qsm_array_create(base, &job->sorted, QSM_OUTPUT, n, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == job->n_launches) return 0;
  int first = base->n_launched == 0;
  struct qsm_from_to turn =
      qsm_alternate(&job->in, &job->scratch, &job->sorted, base->n_launched, job->n_launches);
  *launch = (struct qsm_suite_launch){
      .symbol = first ? "merge_sort_tile" : "merge_runs",
      .grid = {qsm_div_up(job->size->n_elements, n_tile(job)), 1, 1},
      .block = {job->size->block_threads, 1, 1},
      .shared_bytes = first ? 8 * n_tile(job) : 0,
      .args = {turn.from, turn.to, job->size->n_elements,
               first ? 0 : n_tile(job) << (base->n_launched - 1)},
  };
  return 1;
}

const struct qsm_suite_program qsm_mergesort = {
    .name = "mergesort",
    .about = "merge sort: tiles in shared memory, then runs along merge paths",
    .bound = "memory",
    .paper = "SMQoS",
    .source =
        "Odeh, Green, Mwassi, Shmueli, Birk, \"Merge Path - parallel merging made simple\", IPDPSW 2012",
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
