// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "qsm_suite_util.h"

enum { MATCH = 5, MISMATCH = -3, GAP = -4 };  // as in nw.c

static const struct size {
  uint32_t n, tile;  // letters of a sequence, a multiple of the tile
} sizes[] = {{36, 12}, {144, 16}, {1024, 32}, {3328, 32}};

struct job {
  struct qsm_job base;
  struct qsm_array across, down, scores;
  uint32_t n, tile;
};

// The second sequence is the first with letters exchanged, dropped and doubled.
static void generate_sequences(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint8_t *across = job->across.host, *down = job->down.host;
  for (uint32_t i = 0; i < job->n; i++) across[i] = (uint8_t)qsm_rng_range(&rng, 0, 3);
  for (uint32_t i = 0, from = 0; i < job->n; i++) {
    int32_t event = qsm_rng_range(&rng, 0, 9);
    down[i] = event == 0 ? (uint8_t)qsm_rng_range(&rng, 0, 3) : across[from % job->n];
    from += event == 1 ? 2 : event == 2 ? 0 : 1;
  }
}

static int32_t max(int32_t a, int32_t b) { return a > b ? a : b; }

// Row by row.
static void align(struct job *job) {
  const uint8_t *across = job->across.host, *down = job->down.host;
  int32_t *scores = job->scores.host, *start = job->scores.start;
  uint32_t pitch = job->n + 1;
  for (uint32_t i = 0; i <= job->n; i++) {
    scores[i] = start[i] = scores[i * pitch] = start[i * pitch] = (int32_t)i * GAP;
  }
  for (uint32_t y = 1; y <= job->n; y++) {
    for (uint32_t x = 1; x <= job->n; x++) {
      int32_t aligned =
          scores[(y - 1) * pitch + x - 1] + (across[x - 1] == down[y - 1] ? MATCH : MISMATCH);
      int32_t dropped = scores[(y - 1) * pitch + x] + GAP, added = scores[y * pitch + x - 1] + GAP;
      scores[y * pitch + x] = max(aligned, max(dropped, added));
    }
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->n = sizes[size].n;
  job->tile = sizes[size].tile;
  if (qsm_array_create(base, &job->across, QSM_INPUT, job->n, 1) != 0 ||
      qsm_array_create(base, &job->down, QSM_INPUT, job->n, 1) != 0 ||
      qsm_array_create(base, &job->scores, QSM_STATE, (size_t)(job->n + 1) * (job->n + 1), 4) !=
          0) {
    return -1;
  }
  generate_sequences(job, seed);
  align(job);
  return 0;
}

// Launch d computes the tiles whose column and row add up to d.
static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  uint32_t n_tiles = job->n / job->tile, diagonal = base->n_launched;
  if (diagonal == 2 * n_tiles - 1) return 0;
  uint32_t first_column = diagonal < n_tiles ? 0 : diagonal - n_tiles + 1;
  uint32_t last_column = diagonal < n_tiles ? diagonal : n_tiles - 1;
  *launch = (struct qsm_suite_launch){
      .symbol = "nw_diagonal",
      .grid = {last_column - first_column + 1, 1, 1},
      .block = {job->tile, 1, 1},
      .shared_bytes = 4 * (job->tile + 1) * (job->tile + 1),
      .args = {job->across.addr, job->down.addr, job->scores.addr, job->n, diagonal, first_column},
  };
  return 1;
}

const struct qsm_suite_program qsm_nw = {
    .name = "nw",
    .about = "Needleman-Wunsch alignment of two sequences, tile by tile along diagonals",
    .bound = "compute",
    .paper = "LoGA (Rodinia)",
    .source =
        "Needleman and Wunsch, Journal of Molecular Biology 48(3), 1970; Che et al., \"Rodinia\", IISWC 2009",
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
