// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "qsm_suite_util.h"

static const struct {
  uint32_t nx, ny, nz, n_steps;
  uint32_t block_x, block_y, block_z;
} sizes[] = {{7, 6, 5, 2, 4, 2, 2},
             {29, 17, 13, 3, 4, 2, 2},
             {101, 71, 41, 3, 16, 4, 2},
             {200, 160, 150, 4, 16, 4, 2}};

// Weights in 16.16 fixed point: 0.25 and 0.125.
enum { WEIGHT_SELF = 1 << 14, WEIGHT_NEIGHBOUR = 1 << 13 };

struct job {
  struct qsm_job base;
  struct qsm_array start, scratch, result;
  uint32_t nx, ny, nz, n_steps;
  uint32_t block_x, block_y, block_z;
};

static int32_t floor_shift16(int64_t value) {
  return (int32_t)(value >= 0 ? value / 65536 : -((65535 - value) / 65536));
}

// One step from `from` to `to`; `to` already holds a copy, so the surface is right.
static void step_inner_cells(const struct job *job, const int32_t *from, int32_t *to) {
  uint32_t nx = job->nx, plane = job->nx * job->ny;
  for (uint32_t z = 1; z + 1 < job->nz; z++) {
    for (uint32_t y = 1; y + 1 < job->ny; y++) {
      for (uint32_t x = 1; x + 1 < nx; x++) {
        const int32_t *cell = from + z * plane + y * nx + x;
        int64_t sum = (int64_t)WEIGHT_SELF * cell[0];
        const int32_t *neighbours[] = {cell - 1,  cell + 1,     cell - nx,
                                       cell + nx, cell - plane, cell + plane};
        for (int i = 0; i < 6; i++) sum += (int64_t)WEIGHT_NEIGHBOUR * *neighbours[i];
        to[cell - from] = floor_shift16(sum);
      }
    }
  }
}

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  int32_t *start = job->start.host, *scratch = job->scratch.host, *result = job->result.host;
  size_t n_cells = job->start.n_elements;
  for (size_t i = 0; i < n_cells; i++)
    result[i] = start[i] = qsm_rng_range(&rng, -1000000, 1000000);
  for (uint32_t step = 0; step < job->n_steps; step++) {
    memcpy(scratch, result, n_cells * sizeof *scratch);
    step_inner_cells(job, scratch, result);
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->nx = sizes[size].nx;
  job->ny = sizes[size].ny;
  job->nz = sizes[size].nz;
  job->n_steps = sizes[size].n_steps;
  job->block_x = sizes[size].block_x;
  job->block_y = sizes[size].block_y;
  job->block_z = sizes[size].block_z;
  size_t n_cells = (size_t)job->nx * job->ny * job->nz;
  if (qsm_array_create(base, &job->start, QSM_INPUT, n_cells, 4) != 0 ||
      qsm_array_create(base, &job->scratch, QSM_SCRATCH, n_cells, 4) != 0 ||
      qsm_array_create(base, &job->result, QSM_OUTPUT, n_cells, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == job->n_steps) return 0;
  struct qsm_from_to turn =
      qsm_alternate(&job->start, &job->scratch, &job->result, base->n_launched, job->n_steps);
  *launch = (struct qsm_suite_launch){
      .symbol = "stencil",
      .grid = {qsm_div_up(job->nx, job->block_x), qsm_div_up(job->ny, job->block_y),
               qsm_div_up(job->nz, job->block_z)},
      .block = {job->block_x, job->block_y, job->block_z},
      .args = {turn.from, turn.to, job->nx, job->ny, job->nz, WEIGHT_SELF, WEIGHT_NEIGHBOUR},
  };
  return 1;
}

const struct qsm_suite_program qsm_stencil = {
    .name = "stencil",
    .about = "3D 7-point stencil, fixed point, several time steps",
    .bound = "memory",
    .paper = "Parboil",
    .source = "Jacobi iteration of the heat equation",
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
