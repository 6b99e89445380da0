// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

static const struct size {
  uint32_t n_a, n_b, block_threads;
} sizes[] = {{41, 53, 16}, {230, 201, 16}, {1500, 1700, 128}, {16384, 12001, 256}};

struct job {
  struct qsm_job base;
  struct qsm_array a, b, greatest;
  const struct size *size;
};

static float from_to(const float (*from)[2], uint32_t n_from, const float (*to)[2], uint32_t n_to) {
  float greatest = 0.0f;
  for (uint32_t i = 0; i < n_from; i++) {
    float least = INFINITY;
    for (uint32_t j = 0; j < n_to; j++) {
      float dx = from[i][0] - to[j][0], dy = from[i][1] - to[j][1],
            distance2 = fmaf(dx, dx, dy * dy);
      if (distance2 < least) least = distance2;
    }
    if (least > greatest) greatest = least;
  }
  return greatest;
}

// Both in a square; few of a lie a bit outside of it.
static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  struct qsm_rng rng = {seed};
  job->size = &sizes[size];
  uint32_t n_a = job->size->n_a, n_b = job->size->n_b;
  if (qsm_array_create(base, &job->a, QSM_INPUT, n_a, 8) != 0 ||
      qsm_array_create(base, &job->b, QSM_INPUT, n_b, 8) != 0 ||
      qsm_array_create(base, &job->greatest, QSM_STATE, 1, 4) != 0) {  // starts as 0
    return -1;
  }
  float(*a)[2] = job->a.host, (*b)[2] = job->b.host, *greatest = job->greatest.host;
  for (uint32_t i = 0; i < n_a; i++) {
    a[i][0] = qsm_rng_float(&rng, 0.0f, i % 16 == 0 ? 12.0f : 10.0f);
    a[i][1] = qsm_rng_float(&rng, 0.0f, 10.0f);
  }
  for (uint32_t i = 0; i < n_b; i++) {
    b[i][0] = qsm_rng_float(&rng, 0.0f, 10.0f);
    b[i][1] = qsm_rng_float(&rng, 0.0f, 10.0f);
  }
  float forth = from_to((const float(*)[2])a, n_a, (const float(*)[2])b, n_b),
        back = from_to((const float(*)[2])b, n_b, (const float(*)[2])a, n_a);
  *greatest = forth > back ? forth : back;
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "hausdorff",
      .grid = {qsm_div_up(size->n_a > size->n_b ? size->n_a : size->n_b, size->block_threads), 2,
               1},
      .block = {size->block_threads, 1, 1},
      .shared_bytes = 8 * size->block_threads,
      .args = {job->a.addr, size->n_a, job->b.addr, size->n_b, job->greatest.addr},
  };
  return 1;
}

const struct qsm_suite_program qsm_hausdorff = {
    .name = "hausdorff",
    .about = "Hausdorff distance of two sets of points",
    .bound = "compute",
    .paper = "FedCM",
    .source =
        "Hausdorff, Grundzuege der Mengenlehre, 1914: greatest distance to the nearest point of the other set",
    .needs_fpu = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
