// SPDX-License-Identifier: Apache-2.0
#include "qsm_suite_util.h"

enum { PER_THREAD = 2 };  // as in pc.c

static const struct {
  uint32_t n_threads, n_rounds, block_threads;
} sizes[] = {{77, 13, 16}, {9001, 10, 16}, {20480, 75, 128}, {163840, 600, 128}};

struct job {
  struct qsm_job base;
  struct qsm_array checksums;
  uint32_t n_threads, n_rounds, block_threads, seed;
};

static uint32_t checksum(uint32_t seed, uint32_t element, uint32_t n_rounds) {
  uint64_t a = (uint64_t)(element + 1) << 32 |
               (seed ^ element);  // carry and value of the generator in one word
  uint32_t b = seed + element * 2654435761u + 1, sum = 0;
  for (uint32_t round = 0; round < n_rounds; round++) {
    a = 4294957665u * (a & UINT32_MAX) + (a >> 32);
    b ^= b << 13;
    b ^= b >> 17;
    b ^= b << 5;
    sum = sum * 31 + ((uint32_t)a ^ b);
  }
  return sum;
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  struct qsm_rng rng = {seed};
  job->n_threads = sizes[size].n_threads;
  job->n_rounds = sizes[size].n_rounds;
  job->block_threads = sizes[size].block_threads;
  job->seed = qsm_rng_next(&rng);
  if (qsm_array_create(base, &job->checksums, QSM_OUTPUT, PER_THREAD * job->n_threads, 4) != 0) {
    return -1;
  }
  uint32_t *checksums = job->checksums.host;
  for (uint32_t i = 0; i < PER_THREAD * job->n_threads; i++)
    checksums[i] = checksum(job->seed, i, job->n_rounds);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "pc",
      .grid = {qsm_div_up(job->n_threads, job->block_threads), 1, 1},
      .block = {job->block_threads, 1, 1},
      .args = {job->checksums.addr, job->n_threads, job->seed, job->n_rounds},
  };
  return 1;
}

const struct qsm_suite_program qsm_pc = {
    .name = "pc",
    .about = "pure compute: long chains of ALU operations and multiplications",
    .bound = "compute",
    .paper = "QAWS",
    .source = "Marsaglia, \"Xorshift RNGs\", Journal of Statistical Software 8(14), 2003",
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
