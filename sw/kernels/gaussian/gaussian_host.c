// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "qsm_math.h"
#include "qsm_suite_util.h"

static const struct size {
  uint32_t n, block_x, block_y;
} sizes[] = {{11, 8, 2}, {36, 8, 2}, {140, 16, 8}, {600, 32, 8}};

struct job {
  struct qsm_job base;
  struct qsm_array matrix, multiples;
  const struct size *size;
};

// The diagonal is greater than the rest of its row together: no pivoting is needed.
static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint32_t n = job->size->n;
  float *matrix = job->matrix.host, *multiples = job->multiples.host;
  for (uint32_t i = 0; i < n * (n + 1); i++) {
    matrix[i] = qsm_rng_float(&rng, -1.0f, 1.0f);
    if (i / (n + 1) == i % (n + 1)) matrix[i] += (float)n;
  }
  memcpy(job->matrix.start, matrix, 4 * n * (n + 1));
  for (uint32_t pivot = 0; pivot + 1 < n; pivot++) {
    for (uint32_t row = pivot + 1; row < n; row++) {
      multiples[row] = matrix[row * (n + 1) + pivot] / matrix[pivot * (n + 1) + pivot];
      for (uint32_t column = pivot; column <= n; column++) {
        matrix[row * (n + 1) + column] =
            fmaf(-multiples[row], matrix[pivot * (n + 1) + column], matrix[row * (n + 1) + column]);
      }
    }
  }
}

// The multiples of row 0 stay as they were.
static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  uint32_t n = job->size->n;
  if (qsm_array_create(base, &job->matrix, QSM_STATE, n * (n + 1), 4) != 0 ||
      qsm_array_create(base, &job->multiples, QSM_STATE, n, 4) != 0)
    return -1;
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  uint32_t n = job->size->n, pivot = base->n_launched / 2,
           threads = job->size->block_x * job->size->block_y;
  if (pivot == n - 1) return 0;
  if (base->n_launched % 2 == 0) {
    *launch = (struct qsm_suite_launch){
        .symbol = "gaussian_multiples",
        .grid = {qsm_div_up(n - 1 - pivot, threads), 1, 1},
        .block = {threads, 1, 1},
        .args = {job->matrix.addr, job->multiples.addr, n, pivot},
    };
  } else {
    *launch = (struct qsm_suite_launch){
        .symbol = "gaussian_eliminate",
        .grid = {qsm_div_up(n + 1 - pivot, job->size->block_x),
                 qsm_div_up(n - 1 - pivot, job->size->block_y), 1},
        .block = {job->size->block_x, job->size->block_y, 1},
        .args = {job->matrix.addr, job->multiples.addr, n, pivot},
    };
  }
  return 1;
}

const struct qsm_suite_program qsm_gaussian = {
    .name = "gaussian",
    .about = "Gaussian elimination, two launches per column",
    .bound = "memory",
    .paper = "LoGA (Rodinia)",
    .source = "Che et al., \"Rodinia\", IISWC 2009",
    .needs_fpu = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
