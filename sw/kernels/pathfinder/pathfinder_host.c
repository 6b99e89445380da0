// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "qsm_suite_util.h"

// n_steps: rows that one launch adds, the width of the halo.
static const struct {
  uint32_t n_columns, n_rows, n_steps, block_threads;
} sizes[] = {{61, 8, 2, 16}, {701, 20, 4, 16}, {20736, 81, 20, 256}, {138240, 81, 20, 256}};

struct job {
  struct qsm_job base;
  struct qsm_array costs;  // the rows behind the first
  struct qsm_array first_row, scratch, result;
  uint32_t n_columns, n_rows, n_steps, block_threads;
  uint32_t n_launches;
};

static int32_t cheapest_above(const int32_t *row, uint32_t column, uint32_t n_columns) {
  uint32_t first = column > 0 ? column - 1 : 0;
  uint32_t last = column + 1 < n_columns ? column + 1 : column;
  int32_t best = row[first];
  for (uint32_t i = first + 1; i <= last; i++) {
    if (row[i] < best) best = row[i];
  }
  return best;
}

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint32_t n = job->n_columns;
  int32_t *costs = job->costs.host, *first_row = job->first_row.host;
  int32_t *above = job->scratch.host, *result = job->result.host;
  for (uint32_t i = 0; i < n; i++) result[i] = first_row[i] = qsm_rng_range(&rng, 0, 9);
  for (uint32_t row = 0; row + 1 < job->n_rows; row++) {
    memcpy(above, result, n * sizeof *above);
    for (uint32_t i = 0; i < n; i++) {
      costs[row * n + i] = qsm_rng_range(&rng, 0, 9);
      result[i] = costs[row * n + i] + cheapest_above(above, i, n);
    }
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->n_columns = sizes[size].n_columns;
  job->n_rows = sizes[size].n_rows;
  job->n_steps = sizes[size].n_steps;
  job->block_threads = sizes[size].block_threads;
  job->n_launches = qsm_div_up(job->n_rows - 1, job->n_steps);
  if (qsm_array_create(base, &job->costs, QSM_INPUT, (job->n_rows - 1) * job->n_columns, 4) != 0 ||
      qsm_array_create(base, &job->first_row, QSM_INPUT, job->n_columns, 4) != 0 ||
      qsm_array_create(base, &job->scratch, QSM_SCRATCH, job->n_columns, 4) != 0 ||
      qsm_array_create(base, &job->result, QSM_OUTPUT, job->n_columns, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == job->n_launches) return 0;
  uint32_t row = base->n_launched * job->n_steps;
  uint32_t left = job->n_rows - 1 - row;
  uint32_t n_steps = left < job->n_steps ? left : job->n_steps;
  struct qsm_from_to turn = qsm_alternate(&job->first_row, &job->scratch, &job->result,
                                          base->n_launched, job->n_launches);
  *launch = (struct qsm_suite_launch){
      .symbol = "pathfinder",
      .grid = {qsm_div_up(job->n_columns, job->block_threads - 2 * n_steps), 1, 1},
      .block = {job->block_threads, 1, 1},
      .shared_bytes = 8 * job->block_threads,
      .args = {job->costs.addr + 4 * row * job->n_columns, turn.from, turn.to, job->n_columns,
               n_steps},
  };
  return 1;
}

const struct qsm_suite_program qsm_pathfinder = {
    .name = "pathfinder",
    .about = "cheapest way through a grid, dynamic programming in shared memory with halo",
    .bound = "compute",
    .paper = "QAWS",
    .source = "Che et al., \"Rodinia\", IISWC 2009",
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
