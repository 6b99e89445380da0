// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "qsm_suite_util.h"

enum { GROUP = 32, LONGEST = 40, NODE = 6, BAND = 256 };

static const struct {
  uint32_t n_rows, n_columns, block_threads;
} sizes[] = {{301, 257, 16}, {3007, 2503, 16}, {60000, 60000, 128}, {250000, 250000, 128}};

struct job {
  struct qsm_job base;
  struct qsm_array starts, lengths, column, value, x, place, y;
  uint32_t n_rows, n_padded, n_columns, block_threads;
};

// A row of the matrix before it is sorted.
struct row {
  uint32_t number, length;
};

// Long rows first, those of a length in their order.
static int longer_first(const void *a, const void *b) {
  const struct row *x = a, *y = b;
  if (x->length != y->length) return x->length < y->length ? 1 : -1;
  return (x->number > y->number) - (x->number < y->number);
}

// Rows as in matrices of finite elements: most have about as many values, some few, and those of a
// node's NODE unknowns are alike.
static void generate_rows(const struct job *job, struct row *rows, struct qsm_rng *rng) {
  for (uint32_t i = 0; i < job->n_rows; i++) {
    if (i % NODE > 0) {
      rows[i] = (struct row){i, rows[i - 1].length};
      continue;
    }
    int is_short = qsm_rng_range(rng, 0, 3) == 0;
    rows[i] = (struct row){
        i, (uint32_t)(is_short ? qsm_rng_range(rng, 0, 8) : qsm_rng_range(rng, 9, LONGEST / 2))};
    if (qsm_rng_range(rng, 0, 63) == 0) rows[i].length = LONGEST;
  }
  qsort(rows, job->n_rows, sizeof *rows, longer_first);
}

// Groups become as long as their first row.
static size_t generate_shape(struct job *job, const struct row *rows) {
  uint32_t *starts = job->starts.host, *lengths = job->lengths.host, n_values = 0;
  for (uint32_t group = 0; group < job->n_padded / GROUP; group++)
    lengths[group] = rows[group * GROUP].length;
  for (uint32_t k = 0; k < LONGEST; k++) {
    starts[k] = n_values;
    for (uint32_t group = 0; group < job->n_padded / GROUP; group++)
      if (lengths[group] > k) n_values += GROUP;
  }
  for (uint32_t i = 0; i < job->n_padded; i++)
    ((uint32_t *)job->place.host)[i] = i < job->n_rows ? rows[i].number : 0;
  return n_values;
}

// Column k of a row: of all of a node the same, ascending in a band near the diagonal.
static uint32_t column_of(const struct job *job, const struct row *row, uint32_t k, uint64_t seed) {
  uint32_t node = row->number / NODE, part = BAND / row->length;
  struct qsm_rng rng = {seed + (uint64_t)node * LONGEST + k};
  uint32_t first = (uint32_t)((uint64_t)node * NODE * job->n_columns / job->n_rows);
  return (first + k * part + qsm_rng_next(&rng) % part) % job->n_columns;
}

// What is added to a row has the value 0 and column 0.
static void generate_values(struct job *job, const struct row *rows, uint64_t seed) {
  const uint32_t *starts = job->starts.host, *lengths = job->lengths.host;
  uint32_t *column = job->column.host;
  float *value = job->value.host, *x = job->x.host, *y = job->y.host;
  struct qsm_rng rng = {seed};
  for (uint32_t i = 0; i < job->n_columns; i++) x[i] = qsm_rng_float(&rng, -1.0f, 1.0f);
  for (uint32_t i = 0; i < job->n_rows; i++) {
    float sum = 0.0f;
    for (uint32_t k = 0; k < lengths[i / GROUP]; k++) {
      uint32_t at = starts[k] + i;
      if (k < rows[i].length) {
        column[at] = column_of(job, &rows[i], k, seed);
        value[at] = qsm_rng_float(&rng, -1.0f, 1.0f);
      }
      sum = fmaf(value[at], x[column[at]], sum);
    }
    y[rows[i].number] = sum;
  }
}

static int create_arrays(struct job *job, struct row *rows, uint64_t seed) {
  struct qsm_job *base = &job->base;
  if (qsm_array_create(base, &job->starts, QSM_INPUT, LONGEST, 4) != 0 ||
      qsm_array_create(base, &job->lengths, QSM_INPUT, job->n_padded / GROUP, 4) != 0 ||
      qsm_array_create(base, &job->place, QSM_INPUT, job->n_padded, 4) != 0) {
    return -1;
  }
  // The arrays of the values can be allocated only when the shape is known.
  struct qsm_rng rng = {seed};
  generate_rows(job, rows, &rng);
  size_t n_values = generate_shape(job, rows);
  if (qsm_array_create(base, &job->column, QSM_INPUT, n_values, 4) != 0 ||
      qsm_array_create(base, &job->value, QSM_INPUT, n_values, 4) != 0 ||
      qsm_array_create(base, &job->x, QSM_INPUT, job->n_columns, 4) != 0 ||
      qsm_array_create(base, &job->y, QSM_OUTPUT, job->n_rows, 4) != 0) {
    return -1;
  }
  generate_values(job, rows, seed + 1);
  return 0;
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->n_rows = sizes[size].n_rows;
  job->n_padded = qsm_div_up(job->n_rows, GROUP) * GROUP;
  job->n_columns = sizes[size].n_columns;
  job->block_threads = sizes[size].block_threads;
  struct row *rows = calloc(job->n_rows, sizeof *rows);
  int failed = rows == NULL || create_arrays(job, rows, seed) != 0;
  free(rows);
  return failed ? -1 : 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "spmv",
      .grid = {qsm_div_up(job->n_rows, job->block_threads), 1, 1},
      .block = {job->block_threads, 1, 1},
      .shared_bytes = 4 * LONGEST,
      .args = {job->starts.addr, job->lengths.addr, job->column.addr, job->value.addr, job->x.addr,
               job->place.addr, job->y.addr, job->n_rows},
  };
  return 1;
}

const struct qsm_suite_program qsm_spmv = {
    .name = "spmv",
    .about = "sparse matrix times vector, jagged diagonals, one thread per row",
    .bound = "memory",
    .paper = "Parboil",
    .source =
        "Saad, \"Krylov subspace methods on supercomputers\", SIAM J. Sci. Stat. Comput. 10(6), 1989",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
