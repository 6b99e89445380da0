// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

enum { N_POINTS = 4 };  // of a thread, along z

// Points of the lattice along a bin; bins in each direction; atoms of a bin.
static const struct size {
  uint32_t side, n_bins, n_per_bin;
  uint32_t block_x, block_y;
} sizes[] = {{4, 2, 1, 8, 1}, {4, 3, 2, 12, 1}, {8, 5, 2, 8, 8}, {8, 12, 24, 8, 16}};

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
    for (uint32_t i = (uint32_t)qsm_rng_range(&rng, 0, 2 * (int32_t)size->n_per_bin); i > 0;
         i--, n_atoms++) {
      for (int axis = 0; axis < 3; axis++)
        atoms[n_atoms][axis] = width * (float)at[axis] + qsm_rng_float(&rng, 0.01f, width - 0.01f);
      atoms[n_atoms][3] = qsm_rng_float(&rng, -2.0f, 2.0f);
    }
    bin_start[bin + 1] = n_atoms;
  }
}

// As the kernel has it.
static float newton_rsqrt(float x) {
  float y = qsm_from_bits(0x5F375A86u - (qsm_to_bits(x) >> 1)), half = 0.5f * x;
  y *= fmaf(-half * y, y, 1.5f);
  y *= fmaf(-half * y, y, 1.5f);
  return y * fmaf(-half * y, y, 1.5f);
}

// The share of one atom, within the cutoff, added to every point that it reaches: up to `side`
// points in each direction.
static void spread(const struct job *job, const float atom[4], float *potential) {
  int32_t side = (int32_t)job->size->side, n = side * (int32_t)job->size->n_bins, first[3], last[3];
  float cutoff = SPACING * (float)side, cutoff2 = cutoff * cutoff, inverse = 1.0f / cutoff2;
  for (int axis = 0; axis < 3; axis++) {
    int32_t middle = (int32_t)(atom[axis] / SPACING);
    first[axis] = middle - side < 0 ? 0 : middle - side;
    last[axis] = middle + side + 1 > n - 1 ? n - 1 : middle + side + 1;
  }
  for (int32_t z = first[2]; z <= last[2]; z++) {
    for (int32_t y = first[1]; y <= last[1]; y++) {
      for (int32_t x = first[0]; x <= last[0]; x++) {
        float dx = atom[0] - SPACING * (float)x, dy = atom[1] - SPACING * (float)y,
              dz = atom[2] - SPACING * (float)z;
        float r2 = fmaf(dz, dz, fmaf(dx, dx, dy * dy)), fade = fmaf(-r2, inverse, 1.0f),
              *at = potential + (z * n + y) * n + x;
        if (r2 < cutoff2) *at = fmaf(atom[3] * newton_rsqrt(r2), fade * fade, *at);
      }
    }
  }
}

// Bin by bin, as the kernel sees the atoms.
static void reference(struct qsm_job *base) {
  struct job *job = (struct job *)base;
  uint32_t n_bins = job->size->n_bins * job->size->n_bins * job->size->n_bins;
  for (uint32_t i = 0; i < ((const uint32_t *)job->bin_start.host)[n_bins]; i++)
    spread(job, ((const float(*)[4])job->atoms.host)[i], job->potential.host);
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  uint32_t n_bins = job->size->n_bins * job->size->n_bins * job->size->n_bins,
           n = job->size->side * job->size->n_bins;
  if (qsm_array_create(base, &job->atoms, QSM_INPUT, 2 * n_bins * job->size->n_per_bin, 16) != 0 ||
      qsm_array_create(base, &job->bin_start, QSM_INPUT, n_bins + 1, 4) != 0 ||
      qsm_array_create(base, &job->potential, QSM_OUTPUT, n * n * n, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 1) return 0;
  uint32_t n = size->side * size->n_bins;
  *launch = (struct qsm_suite_launch){
      .symbol = "cutcp",
      .grid = {qsm_div_up(n, size->block_x), qsm_div_up(n, size->block_y), n / N_POINTS},
      .block = {size->block_x, size->block_y, 1},
      .args = {job->atoms.addr, job->bin_start.addr, size->n_bins, size->side, qsm_to_bits(SPACING),
               job->potential.addr},
  };
  return 1;
}

const struct qsm_suite_program qsm_cutcp = {
    .name = "cutcp",
    .about = "Coulombic potential with a cutoff on a 3D lattice, atoms in bins",
    .bound = "compute",
    .paper = "Parboil",
    .source =
        "Rodrigues, Hardy, Stone, Schulten, Hwu, \"GPU acceleration of cutoff pair potentials\", CF 2008",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .reference = reference,
    .next = next,
};
