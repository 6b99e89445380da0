// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

enum { N_TABLE = 128 };

// Cells along a side of the grid; reach of the window; most samples of a cell; rows of a tile.
static const struct size {
  uint32_t n, radius;
  int32_t most;
  uint32_t block_x, block_y, tile_rows;
} sizes[] = {
    {13, 2, 2, 4, 4, 1}, {50, 2, 2, 8, 2, 1}, {192, 3, 4, 8, 16, 4}, {512, 4, 6, 8, 16, 4}};

struct job {
  struct qsm_job base;
  struct qsm_array samples, bin_start, table, real, imaginary;
  const struct size *size;
};

// Modified Bessel function of the first kind, order zero, by its series.
static double bessel_i0(double x) {
  double term = 1.0, sum = 1.0;
  for (int k = 1; k < 40; k++) {
    term *= x * x / (4.0 * k * k);
    sum += term;
  }
  return sum;
}

// Samples of a cell lie within half a cell of its middle. The grid is denser in the middle, as
// k-space is sampled.
static void generate(struct job *job, uint64_t seed) {
  const struct size *size = job->size;
  struct qsm_rng rng = {seed};
  float(*samples)[4] = job->samples.host, *table = job->table.host;
  uint32_t *bin_start = job->bin_start.host, n_samples = 0;
  for (uint32_t cell = 0; cell < size->n * size->n; cell++) {
    int32_t x = (int32_t)(cell % size->n), y = (int32_t)(cell / size->n),
            middle = (int32_t)size->n / 2;
    int is_middle = (x - middle) * (x - middle) + (y - middle) * (y - middle) < middle * middle / 4;
    for (int32_t i = qsm_rng_range(&rng, 0, is_middle ? size->most : 1); i > 0; i--, n_samples++) {
      samples[n_samples][0] = (float)x + qsm_rng_float(&rng, -0.5f, 0.5f);
      samples[n_samples][1] = (float)y + qsm_rng_float(&rng, -0.5f, 0.5f);
      samples[n_samples][2] = qsm_rng_float(&rng, -1.0f, 1.0f);
      samples[n_samples][3] = qsm_rng_float(&rng, -1.0f, 1.0f);
    }
    bin_start[cell + 1] = n_samples;
  }
  for (uint32_t i = 0; i < N_TABLE; i++) {
    double x2 = (double)i / (double)N_TABLE;
    table[i] = (float)(bessel_i0(6.0 * sqrt(1.0 - x2)) / bessel_i0(6.0));
  }
}

// The samples scatter, one after the other: every cell sees them in the order of the bins.
static void scatter(struct job *job) {
  int32_t n = (int32_t)job->size->n, radius = (int32_t)job->size->radius;
  const float(*samples)[4] = job->samples.host, *table = job->table.host;
  const uint32_t *bin_start = job->bin_start.host;
  float *real = job->real.host, *imaginary = job->imaginary.host;
  for (uint32_t i = 0, bin = 0; i < bin_start[n * n]; i++) {
    while (i >= bin_start[bin + 1]) bin++;
    int32_t bin_x = (int32_t)bin % n, bin_y = (int32_t)bin / n, side = 2 * radius + 1;
    for (int32_t place = 0; place < side * side; place++) {
      int32_t x = bin_x - radius + place % side, y = bin_y - radius + place / side,
              cell = y * n + x;
      if (x < 0 || y < 0 || x >= n || y >= n) continue;
      float dx = samples[i][0] - (float)x, dy = samples[i][1] - (float)y,
            distance2 = fmaf(dx, dx, dy * dy);
      if (distance2 >= (float)(radius * radius)) continue;
      float weight = table[(uint32_t)(distance2 * ((float)N_TABLE / (float)(radius * radius)))];
      real[cell] = fmaf(weight, samples[i][2], real[cell]);
      imaginary[cell] = fmaf(weight, samples[i][3], imaginary[cell]);
    }
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  uint32_t n_cells = job->size->n * job->size->n;
  if (qsm_array_create(base, &job->samples, QSM_INPUT, n_cells * (uint32_t)job->size->most, 16) !=
          0 ||
      qsm_array_create(base, &job->bin_start, QSM_INPUT, n_cells + 1, 4) != 0 ||
      qsm_array_create(base, &job->table, QSM_INPUT, N_TABLE, 4) != 0 ||
      qsm_array_create(base, &job->real, QSM_OUTPUT, n_cells, 4) != 0 ||
      qsm_array_create(base, &job->imaginary, QSM_OUTPUT, n_cells, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  scatter(job);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "mri_gridding",
      .grid = {qsm_div_up(size->n, size->block_x), qsm_div_up(size->n, size->block_y), 1},
      .block = {size->block_x, size->block_y, 1},
      .shared_bytes = 4 * N_TABLE,
      .args = {job->samples.addr, job->bin_start.addr, job->table.addr, size->tile_rows,
               size->radius, size->n, job->real.addr, job->imaginary.addr},
  };
  return 1;
}

const struct qsm_suite_program qsm_mri_gridding = {
    .name = "mri_gridding",
    .about = "samples of k-space onto a grid, Kaiser-Bessel window from a table",
    .bound = "memory",
    .paper = "Parboil",
    .source =
        "Beatty, Nishimura, Pauly, IEEE Trans. Medical Imaging 24(6), 2005; Obeid et al., \"GPU-accelerated gridding\", 2011",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
