// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

static const struct {
  uint32_t n_rows, n_inner, n_columns, block;
} sizes[] = {{11, 13, 10, 4}, {45, 37, 51, 4}, {512, 256, 512, 16}, {1024, 992, 1024, 16}};

struct job {
  struct qsm_job base;
  struct qsm_array a, b, c;
  uint32_t n_rows, n_inner, n_columns, block;
  float alpha, beta;
};

// Significands of 24 bits, so that sums are rounded; magnitudes from 2^-4 to 2^4.
static float random_float(struct qsm_rng *rng) {
  int32_t significand = qsm_rng_range(rng, -(1 << 24), 1 << 24);
  return ldexpf((float)significand, -24 - 4 + (int)(qsm_rng_next(rng) % 9));
}

static void fill(struct qsm_rng *rng, float *values, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) values[i] = random_float(rng);
}

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  float *a = job->a.host, *b = job->b.host, *start = job->c.start;
  job->alpha = random_float(&rng);
  job->beta = random_float(&rng);
  fill(&rng, a, job->n_rows * job->n_inner);
  fill(&rng, b, job->n_inner * job->n_columns);
  fill(&rng, start, job->n_rows * job->n_columns);
}

// The kernel's operations in the kernel's order; a is stored by columns.
static void reference(struct qsm_job *base) {
  struct job *job = (struct job *)base;
  const float *a = job->a.host, *b = job->b.host, *start = job->c.start;
  float *c = job->c.host;
  for (uint32_t row = 0; row < job->n_rows; row++) {
    float *line = &c[row * job->n_columns];
    for (uint32_t k = 0; k < job->n_inner; k++) {
      for (uint32_t column = 0; column < job->n_columns; column++) {
        line[column] = fmaf(a[k * job->n_rows + row], b[k * job->n_columns + column], line[column]);
      }
    }
    for (uint32_t column = 0; column < job->n_columns; column++) {
      line[column] =
          fmaf(job->beta, start[row * job->n_columns + column], job->alpha * line[column]);
    }
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->n_rows = sizes[size].n_rows;
  job->n_inner = sizes[size].n_inner;
  job->n_columns = sizes[size].n_columns;
  job->block = sizes[size].block;
  if (qsm_array_create(base, &job->a, QSM_INPUT, job->n_rows * job->n_inner, 4) != 0 ||
      qsm_array_create(base, &job->b, QSM_INPUT, job->n_inner * job->n_columns, 4) != 0 ||
      qsm_array_create(base, &job->c, QSM_STATE, job->n_rows * job->n_columns, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = job->block == 16 ? "sgemm" : "sgemm_small",
      .grid = {qsm_div_up(job->n_columns, 4 * job->block), qsm_div_up(job->n_rows, 4 * job->block),
               1},
      .block = {job->block, job->block, 1},
      .shared_bytes = job->block == 16 ? 8192 : 1024,  // two tiles of 16 by 64, 8 by 16 words
      .args = {job->a.addr, job->b.addr, job->c.addr, job->n_rows, job->n_inner, job->n_columns,
               qsm_to_bits(job->alpha), qsm_to_bits(job->beta)},
  };
  return 1;
}

const struct qsm_suite_program qsm_sgemm = {
    .name = "sgemm",
    .about = "matrix multiplication of floats, sixteen elements per thread",
    .bound = "compute",
    .paper = "Parboil",
    .source = "Volkov and Demmel, \"Benchmarking GPUs to tune dense linear algebra\", SC 2008",
    .needs_fpu = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .reference = reference,
    .next = next,
};
