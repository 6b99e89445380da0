// SPDX-License-Identifier: Apache-2.0
#include "qsm_suite_util.h"

static const struct size {
  uint32_t n_threads, n_steps, block_threads;
} sizes[] = {{61, 80, 16}, {1009, 250, 16}, {4003, 2500, 128}, {32768, 30000, 128}};

struct job {
  struct qsm_job base;
  struct qsm_array ends;
  const struct size *size;
  uint32_t seed;
};

// The sequence n steps on, in log n: a step is x -> a x + b, and two of them are one of the same
// kind (Brown, "Random number generation with arbitrary strides", 1994).
static uint32_t jump(uint32_t x, uint32_t n_steps) {
  uint32_t a = 1664525u, b = 1013904223u;
  for (; n_steps != 0; n_steps >>= 1) {
    if (n_steps & 1) x = a * x + b;
    b = a * b + b;
    a *= a;
  }
  return x;
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  struct qsm_rng rng = {seed};
  job->size = &sizes[size];
  job->seed = qsm_rng_next(&rng);
  if (qsm_array_create(base, &job->ends, QSM_OUTPUT, job->size->n_threads, 4) != 0) return -1;
  uint32_t *ends = job->ends.host;
  for (uint32_t i = 0; i < job->size->n_threads; i++)
    ends[i] = jump(job->seed + i, job->size->n_steps);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "throttle",
      .grid = {qsm_div_up(job->size->n_threads, job->size->block_threads), 1, 1},
      .block = {job->size->block_threads, 1, 1},
      .args = {job->ends.addr, job->size->n_threads, job->seed, job->size->n_steps},
  };
  return 1;
}

const struct qsm_suite_program qsm_throttle = {
    .name = "throttle",
    .about = "a kernel of a set length: one chain of dependent steps per thread",
    .bound = "compute",
    .paper = "LoGA",
    .source = "Knuth, The Art of Computer Programming 2, 3.2.1: linear congruential sequences",
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
