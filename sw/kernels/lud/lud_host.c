// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "qsm_math.h"
#include "qsm_suite_util.h"

// Rows, a multiple of the tile's.
static const struct size {
  uint32_t n, side;
} sizes[] = {{24, 8}, {64, 16}, {192, 32}, {768, 32}};

struct job {
  struct qsm_job base;
  struct qsm_array matrix;
  const struct size *size;
};

// Column by column over the whole matrix: every element sees the same products in the same order as
// in the tiles.
static void decompose(float *matrix, uint32_t n) {
  for (uint32_t pivot = 0; pivot < n; pivot++) {
    for (uint32_t row = pivot + 1; row < n; row++) {
      matrix[row * n + pivot] /= matrix[pivot * n + pivot];
      for (uint32_t column = pivot + 1; column < n; column++) {
        matrix[row * n + column] =
            fmaf(-matrix[row * n + pivot], matrix[pivot * n + column], matrix[row * n + column]);
      }
    }
  }
}

// The diagonal is greater than the rest of its row together: no pivoting is needed.
static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  struct qsm_rng rng = {seed};
  job->size = &sizes[size];
  uint32_t n = job->size->n;
  if (qsm_array_create(base, &job->matrix, QSM_STATE, n * n, 4) != 0) return -1;
  float *matrix = job->matrix.host;
  for (uint32_t i = 0; i < n * n; i++)
    matrix[i] = qsm_rng_float(&rng, -1.0f, 1.0f) + (i / n == i % n ? (float)n : 0.0f);
  memcpy(job->matrix.start, matrix, 4 * n * n);
  decompose(matrix, n);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  static const char *const symbols[] = {"lud_diagonal", "lud_border", "lud_inner"};
  uint32_t side = job->size->side, n_tiles = job->size->n / side, tile = base->n_launched / 3,
           stage = base->n_launched % 3;
  if (base->n_launched == 3 * (n_tiles - 1) + 1) return 0;  // of the last tile only the diagonal
  uint32_t n_left = n_tiles - 1 - tile;
  *launch = (struct qsm_suite_launch){
      .symbol = symbols[stage],
      .grid = {stage == 0 ? 1 : n_left,
               stage == 0   ? 1
               : stage == 1 ? 2
                            : n_left,
               1},
      .block = {side, 1, 1},
      .shared_bytes = 8 * side * side,
      .args = {job->matrix.addr, job->size->n, tile * side},
  };
  return 1;
}

const struct qsm_suite_program qsm_lud = {
    .name = "lud",
    .about = "LU decomposition, tile by tile",
    .bound = "compute",
    .paper = "LoGA (Rodinia)",
    .source = "Golub and Van Loan, Matrix Computations, 3.2; Che et al., \"Rodinia\", IISWC 2009",
    .needs_fpu = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
