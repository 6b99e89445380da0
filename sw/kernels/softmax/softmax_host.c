// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

enum { MAX_THREADS = 256 };

static const struct size {
  uint32_t n_rows, n_columns, block_threads;
} sizes[] = {{5, 61, 16}, {40, 331, 16}, {300, 1000, 128}, {4000, 1500, 256}};

struct job {
  struct qsm_job base;
  struct qsm_array in, out;
  const struct size *size;
};

// The sum of a row in the block's order: every thread's own, then by halves.
static float sum_of(const float *row, const struct size *size, float greatest) {
  float sums[MAX_THREADS] = {0.0f};
  for (uint32_t i = 0; i < size->n_columns; i++)
    sums[i % size->block_threads] += qsm_exp(row[i] - greatest);
  for (uint32_t half = size->block_threads / 2; half > 0; half /= 2) {
    for (uint32_t i = 0; i < half; i++) sums[i] += sums[i + half];
  }
  return sums[0];
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  struct qsm_rng rng = {seed};
  job->size = &sizes[size];
  uint32_t n_columns = job->size->n_columns, n = job->size->n_rows * n_columns;
  if (qsm_array_create(base, &job->in, QSM_INPUT, n, 4) != 0 ||
      qsm_array_create(base, &job->out, QSM_OUTPUT, n, 4) != 0)
    return -1;
  float *in = job->in.host, *out = job->out.host;
  for (uint32_t i = 0; i < n; i++) in[i] = qsm_rng_float(&rng, -20.0f, 10.0f);
  for (uint32_t row = 0; row < job->size->n_rows; row++, in += n_columns, out += n_columns) {
    float greatest = in[0];
    for (uint32_t i = 1; i < n_columns; i++) greatest = in[i] > greatest ? in[i] : greatest;
    float sum = sum_of(in, job->size, greatest);
    for (uint32_t i = 0; i < n_columns; i++) out[i] = qsm_exp(in[i] - greatest) / sum;
  }
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "softmax",
      .grid = {job->size->n_rows, 1, 1},
      .block = {job->size->block_threads, 1, 1},
      .shared_bytes = 4 * job->size->block_threads,
      .args = {job->in.addr, job->out.addr, job->size->n_columns},
  };
  return 1;
}

const struct qsm_suite_program qsm_softmax = {
    .name = "softmax",
    .about = "softmax of the rows of a matrix, a block per row",
    .bound = "compute",
    .paper = "FedCM",
    .source =
        "Bridle, \"Probabilistic interpretation of feedforward classification network outputs\", 1990",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
