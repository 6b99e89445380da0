// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "qsm_math.h"
#include "qsm_suite_util.h"

static const struct size {
  uint32_t nx, ny, nz, n_steps;
  uint32_t block_x, block_y;
} sizes[] = {{9, 8, 7, 2, 4, 4},
             {29, 21, 17, 3, 8, 2},
             {128, 130, 34, 3, 128, 2},
             {256, 194, 98, 6, 128, 2}};

static const float WEIGHT_SELF = 0.25f, WEIGHT_NEIGHBOUR = 0.125f;

struct job {
  struct qsm_job base;
  struct qsm_array even,
      odd;  // the cells after an even and an odd number of steps, at the end after the last two
  const struct size *size;
};

static void step(const struct size *size, const float *from, float *to) {
  uint32_t nx = size->nx, plane = nx * size->ny;
  for (uint32_t z = 1; z + 1 < size->nz; z++) {
    for (uint32_t y = 1; y + 1 < size->ny; y++) {
      for (uint32_t x = 1; x + 1 < nx; x++) {
        const float *cell = from + z * plane + y * nx + x;
        float sum = *(cell - plane) + cell[plane] + (cell[-1] + cell[1]) + *(cell - nx) + cell[nx];
        to[cell - from] = fmaf(WEIGHT_NEIGHBOUR, sum, WEIGHT_SELF * *cell);
      }
    }
  }
}

// The surface is the same in both.
static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  float *cells[2] = {job->even.host, job->odd.host};
  size_t n = job->even.n_elements;
  for (size_t i = 0; i < n; i++) cells[0][i] = qsm_rng_float(&rng, -100.0f, 100.0f);
  memcpy(cells[1], cells[0], 4 * n);
  memcpy(job->even.start, cells[0], 4 * n);
  memcpy(job->odd.start, cells[0], 4 * n);
  for (uint32_t i = 0; i < job->size->n_steps; i++)
    step(job->size, cells[i % 2], cells[(i + 1) % 2]);
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  size_t n_cells = (size_t)job->size->nx * job->size->ny * job->size->nz;
  if (qsm_array_create(base, &job->even, QSM_STATE, n_cells, 4) != 0 ||
      qsm_array_create(base, &job->odd, QSM_STATE, n_cells, 4) != 0)
    return -1;
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == size->n_steps) return 0;
  uint32_t to_odd = base->n_launched % 2 == 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "jacobi",
      .grid = {qsm_div_up(size->nx, size->block_x), qsm_div_up(size->ny - 2, size->block_y), 1},
      .block = {size->block_x, size->block_y, 1},
      .args = {to_odd ? job->even.addr : job->odd.addr, to_odd ? job->odd.addr : job->even.addr,
               size->nx, size->ny, size->nz, qsm_to_bits(WEIGHT_SELF),
               qsm_to_bits(WEIGHT_NEIGHBOUR)},
  };
  return 1;
}

const struct qsm_suite_program qsm_jacobi = {
    .name = "jacobi",
    .about = "3D 7-point stencil in floating point, Parboil's stencil",
    .bound = "memory",
    .paper = "Parboil",
    .source = "Datta et al., \"Stencil computation optimization and auto-tuning\", SC 2008",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
