// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

enum { N_VELOCITIES = 19 };

static const struct size {
  uint32_t nx, ny, nz, n_steps, block_threads;
} sizes[] = {{5, 4, 3, 1, 8}, {15, 9, 6, 2, 16}, {128, 24, 20, 2, 128}, {128, 48, 40, 8, 128}};

#define OMEGA 1.25f

struct job {
  struct qsm_job base;
  struct qsm_array even, odd,
      obstacle;  // even, odd: after such a number of steps, at the end after the last two
  const struct size *size;
};

// In the kernel's order: the sums of a cell depend on it.
static const int32_t velocities[N_VELOCITIES][3] = {
    {0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1},
    {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
    {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1}};

static uint32_t moved(uint32_t at, int32_t by, uint32_t n) {
  return (uint32_t)(((int32_t)at + by + (int32_t)n) % (int32_t)n);
}

// sum + v f for a v of -1, 0 or 1.
static float add(float sum, int32_t v, float f) { return v > 0 ? sum + f : v < 0 ? sum - f : sum; }

// Relaxes the values of a cell, or turns them round.
static void collide(float f[N_VELOCITIES], int is_obstacle) {
  if (is_obstacle) {
    for (uint32_t i = 1; i < N_VELOCITIES; i += 2) {
      float forth = f[i];
      f[i] = f[i + 1];
      f[i + 1] = forth;
    }
    return;
  }
  float density = f[0], u[3] = {-0.0f, -0.0f, -0.0f};
  for (uint32_t i = 1; i < N_VELOCITIES; i++) {
    density += f[i];
    for (int axis = 0; axis < 3; axis++) u[axis] = add(u[axis], velocities[i][axis], f[i]);
  }
  float volume = 3.0f / density;
  for (int axis = 0; axis < 3; axis++) u[axis] *= volume;
  float rest = fmaf(-1.0f / 6.0f, fmaf(u[0], u[0], fmaf(u[1], u[1], u[2] * u[2])), 1.0f);
  f[0] = fmaf(1.0f - OMEGA, f[0], OMEGA / 3.0f * density * rest);
  for (uint32_t i = 1; i < N_VELOCITIES; i += 2) {
    float weight = OMEGA / 18.0f * density * (i < 7 ? 1.0f : 0.5f), along = -0.0f;
    for (int axis = 0; axis < 3; axis++) along = add(along, velocities[i][axis], u[axis]);
    float even = fmaf(0.5f * along, along, rest);
    f[i] = fmaf(1.0f - OMEGA, f[i], weight * (even + along));
    f[i + 1] = fmaf(1.0f - OMEGA, f[i + 1], weight * (even - along));
  }
}

static void step(const struct job *job, const float *from, float *to) {
  const struct size *size = job->size;
  uint32_t n_cells = size->nx * size->ny * size->nz;
  for (uint32_t cell = 0; cell < n_cells; cell++) {
    uint32_t x = cell % size->nx, y = cell / size->nx % size->ny, z = cell / (size->nx * size->ny);
    float f[N_VELOCITIES];
    for (uint32_t i = 0; i < N_VELOCITIES; i++) {
      const int32_t *v = velocities[i];
      f[i] = from[i * n_cells +
                  (moved(z, -v[2], size->nz) * size->ny + moved(y, -v[1], size->ny)) * size->nx +
                  moved(x, -v[0], size->nx)];
    }
    collide(f, ((const uint8_t *)job->obstacle.host)[cell]);
    for (uint32_t i = 0; i < N_VELOCITIES; i++) to[i * n_cells + cell] = f[i];
  }
}

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  float *values[2] = {job->even.host, job->odd.host},
        *starts[2] = {job->even.start, job->odd.start};
  uint8_t *obstacle = job->obstacle.host;
  size_t n = job->even.n_elements;
  for (size_t i = 0; i < n; i++) starts[0][i] = values[0][i] = qsm_rng_float(&rng, 0.04f, 0.06f);
  for (size_t i = 0; i < n; i++) starts[1][i] = -1.0f;  // overwritten by the first step
  for (size_t i = 0; i < job->obstacle.n_elements; i++)
    obstacle[i] = qsm_rng_range(&rng, 0, 15) == 0;
  for (uint32_t i = 0; i < job->size->n_steps; i++) step(job, values[i % 2], values[(i + 1) % 2]);
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  size_t n_cells = (size_t)job->size->nx * job->size->ny * job->size->nz;
  if (qsm_array_create(base, &job->even, QSM_STATE, N_VELOCITIES * n_cells, 4) != 0 ||
      qsm_array_create(base, &job->odd, QSM_STATE, N_VELOCITIES * n_cells, 4) != 0 ||
      qsm_array_create(base, &job->obstacle, QSM_INPUT, n_cells, 1) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == size->n_steps) return 0;
  uint32_t to_odd = base->n_launched % 2 == 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "lbm",
      .grid = {qsm_div_up(size->nx, size->block_threads), size->ny, size->nz},
      .block = {size->block_threads, 1, 1},
      .args = {to_odd ? job->even.addr : job->odd.addr, to_odd ? job->odd.addr : job->even.addr,
               job->obstacle.addr, size->nx, size->ny, size->nz},
  };
  return 1;
}

const struct qsm_suite_program qsm_lbm = {
    .name = "lbm",
    .about = "lattice-Boltzmann fluid, 19 velocities in three dimensions",
    .bound = "memory",
    .paper = "Parboil",
    .source =
        "Qian, d'Humieres, Lallemand, \"Lattice BGK models for Navier-Stokes equation\", Europhysics Letters 17(6), 1992",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
