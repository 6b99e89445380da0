// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

enum { PER_THREAD = 4 };  // as in cp.c

static const struct size {
  uint32_t n_atoms, width, height;
  uint32_t block_x, block_y;
} sizes[] = {
    {17, 14, 9, 4, 4}, {60, 45, 38, 4, 4}, {400, 200, 101, 16, 8}, {2000, 512, 512, 16, 8}};

static const float SPACING = 0.5f;

struct job {
  struct qsm_job base;
  struct qsm_array atoms, potential;
  const struct size *size;
};

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  float(*atoms)[4] = job->atoms.host;
  for (uint32_t i = 0; i < job->size->n_atoms; i++) {
    float height = qsm_rng_float(&rng, 0.1f, 8.0f);
    atoms[i][0] = qsm_rng_float(&rng, 0.0f, SPACING * (float)job->size->width);
    atoms[i][1] = qsm_rng_float(&rng, 0.0f, SPACING * (float)job->size->height);
    atoms[i][2] = height * height;
    atoms[i][3] = qsm_rng_float(&rng, -2.0f, 2.0f);
  }
}

// The point's distance from an atom begins, as in the kernel, with that of the first of its
// PER_THREAD points.
static float potential_at(const struct job *job, uint32_t x, uint32_t y) {
  const float(*atoms)[4] = job->atoms.host;
  float sum = 0.0f, first = SPACING * (float)(x / PER_THREAD * PER_THREAD);
  for (uint32_t i = 0; i < job->size->n_atoms; i++) {
    float dy = SPACING * (float)y - atoms[i][1],
          dx = fmaf((float)(x % PER_THREAD), SPACING, first - atoms[i][0]);
    sum = fmaf(atoms[i][3], qsm_rsqrt(fmaf(dx, dx, fmaf(dy, dy, atoms[i][2]))), sum);
  }
  return sum;
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  uint32_t width = job->size->width, height = job->size->height;
  if (qsm_array_create(base, &job->atoms, QSM_INPUT, job->size->n_atoms, 16) != 0 ||
      qsm_array_create(base, &job->potential, QSM_OUTPUT, width * height, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  for (uint32_t i = 0; i < width * height; i++)
    ((float *)job->potential.host)[i] = potential_at(job, i % width, i / width);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "cp",
      .grid = {qsm_div_up(size->width, PER_THREAD * size->block_x),
               qsm_div_up(size->height, size->block_y), 1},
      .block = {size->block_x, size->block_y, 1},
      .args = {job->atoms.addr, size->n_atoms, job->potential.addr, size->width, size->height,
               qsm_to_bits(SPACING)},
  };
  return 1;
}

const struct qsm_suite_program qsm_cp = {
    .name = "cp",
    .about = "Coulombic potential of all atoms on a plane of a grid",
    .bound = "compute",
    .paper = "SMQoS",
    .source = "Stone et al., J. Computational Chemistry 28(16), 2007",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
