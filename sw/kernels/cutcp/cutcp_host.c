// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

// Points of the lattice along a bin; bins in each direction; atoms of a bin.
static const struct size {
  uint32_t side, n_bins, n_per_bin, block_threads;
} sizes[] = {{3, 2, 1, 6}, {4, 3, 2, 12}, {8, 6, 8, 48}, {8, 12, 24, 96}};

static const float SPACING = 0.5f;

struct job {
  struct qsm_job base;
  struct qsm_array atoms, bin_start, potential;
  const struct size *size;
};

// Off the lattice by a bit, so that no atom lies on a point.
static void generate(struct job *job, uint64_t seed) {
  const struct size *size = job->size;
  struct qsm_rng rng = {seed};
  float(*atoms)[4] = job->atoms.host, width = SPACING * (float)size->side;
  uint32_t *bin_start = job->bin_start.host, n = size->n_bins, n_atoms = 0;
  for (uint32_t bin = 0; bin < n * n * n; bin++) {
    const uint32_t at[3] = {bin % n, bin / n % n, bin / (n * n)};
    for (uint32_t i = (uint32_t)qsm_rng_range(&rng, 0, 2 * (int32_t)size->n_per_bin); i > 0; i--, n_atoms++) {
      for (int axis = 0; axis < 3; axis++) atoms[n_atoms][axis] = width * (float)at[axis] + qsm_rng_float(&rng, 0.01f, width - 0.01f);
      atoms[n_atoms][3] = qsm_rng_float(&rng, -2.0f, 2.0f);
    }
    bin_start[bin + 1] = n_atoms;
  }
}

// All atoms within the cutoff, in the order of the bins: an atom in a bin that is no neighbour is farther away.
static float potential_at(const struct job *job, const uint32_t point[3]) {
  const float(*atoms)[4] = job->atoms.host;
  const uint32_t *bin_start = job->bin_start.host;
  uint32_t n = job->size->n_bins, bin = 0;
  float cutoff = SPACING * (float)job->size->side, cutoff2 = cutoff * cutoff, inverse = 1.0f / cutoff2, sum = 0.0f;
  for (uint32_t i = 0; i < bin_start[n * n * n]; i++) {
    while (i >= bin_start[bin + 1]) bin++;
    float d[3];
    for (int axis = 0; axis < 3; axis++) d[axis] = atoms[i][axis] - SPACING * (float)point[axis];
    float r2 = fmaf(d[0], d[0], fmaf(d[1], d[1], d[2] * d[2]));
    if (r2 >= cutoff2) continue;
    float fade = fmaf(-r2, inverse, 1.0f);
    sum = fmaf(atoms[i][3] * qsm_rsqrt(r2), fade * fade, sum);
  }
  return sum;
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  uint32_t n_bins = job->size->n_bins * job->size->n_bins * job->size->n_bins, n = job->size->side * job->size->n_bins;
  if (qsm_array_create(base, &job->atoms, QSM_INPUT, 2 * n_bins * job->size->n_per_bin, 16) != 0 ||
      qsm_array_create(base, &job->bin_start, QSM_INPUT, n_bins + 1, 4) != 0 || qsm_array_create(base, &job->potential, QSM_OUTPUT, n * n * n, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  float *potential = job->potential.host;
  for (uint32_t i = 0; i < n * n * n; i++) potential[i] = potential_at(job, (const uint32_t[]){i % n, i / n % n, i / (n * n)});
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 1) return 0;
  uint32_t n = size->side * size->n_bins;
  *launch = (struct qsm_suite_launch){
      .symbol = "cutcp",
      .grid = {qsm_div_up(n, size->block_threads), n, n},
      .block = {size->block_threads, 1, 1},
      .args = {job->atoms.addr, job->bin_start.addr, size->n_bins, size->side, qsm_to_bits(SPACING), job->potential.addr},
  };
  return 1;
}

const struct qsm_suite_program qsm_cutcp = {
    .name = "cutcp",
    .about = "Coulombic potential with a cutoff on a 3D lattice, atoms in bins",
    .bound = "compute",
    .paper = "Parboil",
    .source = "Rodrigues, Hardy, Stone, Schulten, Hwu, \"GPU acceleration of cutoff pair potentials\", CF 2008",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
