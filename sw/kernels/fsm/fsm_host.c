// SPDX-License-Identifier: Apache-2.0
#include "qsm_suite_util.h"

enum { N_STATES = 8, N_CLASSES = 16, ACCEPTING = 0xA2 };

static const struct size {
  uint32_t n_letters, n_chunk, block_threads;
} sizes[] = {{901, 23, 16}, {12007, 37, 16}, {500009, 125, 64}, {30000001, 480, 128}};

struct job {
  struct qsm_job base;
  struct qsm_array text, table, maps, starts, counts;
  const struct size *size;
  uint32_t n_chunks;
};

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint8_t *text = job->text.host, *table = job->table.host;
  for (uint32_t i = 0; i < job->size->n_letters; i++)
    text[i] = (uint8_t)qsm_rng_range(&rng, 0, N_CLASSES - 1);
  for (uint32_t i = 0; i < N_STATES * N_CLASSES; i++)
    table[i] = (uint8_t)qsm_rng_range(&rng, 0, N_STATES - 1);
}

// The machine, from one letter to the next.
static void run(struct job *job) {
  const uint8_t *text = job->text.host, *table = job->table.host;
  uint8_t *starts = job->starts.host;
  uint32_t *counts = job->counts.host, state = 0;
  for (uint32_t i = 0; i < job->size->n_letters; i++) {
    uint32_t chunk = i / job->size->n_chunk;
    if (i % job->size->n_chunk == 0) starts[chunk] = (uint8_t)state;
    state = table[N_STATES * text[i] + state];
    counts[chunk] += ACCEPTING >> state & 1;
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  job->n_chunks = qsm_div_up(job->size->n_letters, job->size->n_chunk);
  if (qsm_array_create(base, &job->text, QSM_INPUT, job->size->n_letters, 1) != 0 ||
      qsm_array_create(base, &job->table, QSM_INPUT, N_STATES * N_CLASSES, 1) != 0 ||
      qsm_array_create(base, &job->maps, QSM_SCRATCH, job->n_chunks, 4) != 0 ||
      qsm_array_create(base, &job->starts, QSM_OUTPUT, job->n_chunks, 1) != 0 ||
      qsm_array_create(base, &job->counts, QSM_OUTPUT, job->n_chunks, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  run(job);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  uint32_t n_blocks = qsm_div_up(job->n_chunks, size->block_threads);
  const struct qsm_suite_launch launches[] = {
      {.symbol = "fsm_maps",
       .grid = {n_blocks, 1, 1},
       .shared_bytes = N_STATES * N_CLASSES,
       .args = {job->text.addr, size->n_letters, size->n_chunk, job->table.addr, N_CLASSES,
                job->maps.addr}},
      {.symbol = "fsm_starts",
       .grid = {1, 1, 1},
       .shared_bytes = 4 * size->block_threads,
       .args = {job->maps.addr, job->starts.addr, job->n_chunks}},
      {.symbol = "fsm_count",
       .grid = {n_blocks, 1, 1},
       .shared_bytes = N_STATES * N_CLASSES,
       .args = {job->text.addr, size->n_letters, size->n_chunk, job->table.addr, N_CLASSES,
                job->starts.addr, job->counts.addr, ACCEPTING}},
  };
  if (base->n_launched == sizeof launches / sizeof *launches) return 0;
  *launch = launches[base->n_launched];
  launch->block[0] = size->block_threads, launch->block[1] = 1, launch->block[2] = 1;
  return 1;
}

const struct qsm_suite_program qsm_fsm = {
    .name = "fsm",
    .about = "finite state machine over one text, all states at once, then the right one",
    .bound = "compute",
    .paper = "FedCM",
    .source = "Mytkowicz, Musuvathi, Schulte, \"Data-parallel finite-state machines\", ASPLOS 2014",
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
