// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "qsm_math.h"
#include "qsm_suite_util.h"

static const struct size {
  uint32_t nx, ny, nz, n_steps;
  uint32_t block_x, block_y;
} sizes[] = {
    {9, 7, 4, 2, 4, 4}, {45, 37, 6, 2, 8, 2}, {200, 130, 8, 4, 32, 4}, {512, 512, 8, 8, 32, 4}};

static const float SHARES[] = {0.70f, 0.05f, 0.05f, 0.04f, 0.30f, 1.6f};  // as in hotspot3d.c

struct job {
  struct qsm_job base;
  struct qsm_array start, power, shares, scratch, result;
  const struct size *size;
};

// Index of the cell one step along an axis, of the cell itself at the border.
static uint32_t neighbour(uint32_t cell, uint32_t at, uint32_t n, uint32_t stride, int forward) {
  if (forward) return at + 1 < n ? cell + stride : cell;
  return at > 0 ? cell - stride : cell;
}

static void step(const struct job *job, const float *from, float *to) {
  uint32_t nx = job->size->nx, ny = job->size->ny, nz = job->size->nz;
  const float *power = job->power.host;
  for (uint32_t cell = 0; cell < nx * ny * nz; cell++) {
    uint32_t x = cell % nx, y = cell / nx % ny, z = cell / (nx * ny);
    float t = fmaf(SHARES[4], power[cell], fmaf(SHARES[0], from[cell], SHARES[5]));
    t = fmaf(SHARES[1], from[neighbour(cell, y, ny, nx, 0)] + from[neighbour(cell, y, ny, nx, 1)],
             t);
    t = fmaf(SHARES[2], from[neighbour(cell, x, nx, 1, 0)] + from[neighbour(cell, x, nx, 1, 1)], t);
    to[cell] = fmaf(
        SHARES[3],
        from[neighbour(cell, z, nz, nx * ny, 0)] + from[neighbour(cell, z, nz, nx * ny, 1)], t);
  }
}

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  float *start = job->start.host, *power = job->power.host, *scratch = job->scratch.host,
        *result = job->result.host;
  size_t n = job->start.n_elements;
  for (size_t i = 0; i < n; i++) {
    result[i] = start[i] = qsm_rng_float(&rng, 75.0f, 90.0f);
    power[i] = qsm_rng_float(&rng, 0.0f, 4.0f);
  }
  memcpy(job->shares.host, SHARES, sizeof SHARES);
  for (uint32_t i = 0; i < job->size->n_steps; i++) {
    memcpy(scratch, result, n * sizeof *result);
    step(job, scratch, result);
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  size_t n = (size_t)job->size->nx * job->size->ny * job->size->nz;
  if (qsm_array_create(base, &job->start, QSM_INPUT, n, 4) != 0 ||
      qsm_array_create(base, &job->power, QSM_INPUT, n, 4) != 0 ||
      qsm_array_create(base, &job->shares, QSM_INPUT, sizeof SHARES / 4, 4) != 0 ||
      qsm_array_create(base, &job->scratch, QSM_SCRATCH, n, 4) != 0 ||
      qsm_array_create(base, &job->result, QSM_OUTPUT, n, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == size->n_steps) return 0;
  struct qsm_from_to turn =
      qsm_alternate(&job->start, &job->scratch, &job->result, base->n_launched, size->n_steps);
  *launch = (struct qsm_suite_launch){
      .symbol = "hotspot3d",
      .grid = {qsm_div_up(size->nx, size->block_x), qsm_div_up(size->ny, size->block_y), 1},
      .block = {size->block_x, size->block_y, 1},
      .args = {turn.from, turn.to, job->power.addr, job->shares.addr, size->nx, size->ny, size->nz},
  };
  return 1;
}

const struct qsm_suite_program qsm_hotspot3d = {
    .name = "hotspot3d",
    .about = "temperature in a stack of chip layers, one launch per time step",
    .bound = "memory",
    .paper = "LoGA (Rodinia)",
    .source =
        "Huang et al., \"HotSpot\", IEEE TVLSI 14(5), 2006; Che et al., \"Rodinia\", IISWC 2009",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
