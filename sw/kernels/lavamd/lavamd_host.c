// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

static const struct size {
  uint32_t n_boxes, n_per_box;  // boxes in each direction; particles, threads of a block
} sizes[] = {{2, 6}, {3, 12}, {4, 48}, {8, 96}};

static const float ALPHA2 = 0.25f;

struct job {
  struct qsm_job base;
  struct qsm_array particles, forces;
  const struct size *size;
};

static void add_pair(const float own[4], const float other[4], float force[4]) {
  float d[3];
  for (int axis = 0; axis < 3; axis++) d[axis] = own[axis] - other[axis];
  float r2 = fmaf(d[0], d[0], fmaf(d[1], d[1], d[2] * d[2])),
        pair = other[3] * qsm_exp(-2.0f * ALPHA2 * r2);
  force[0] += pair;
  for (int axis = 0; axis < 3; axis++)
    force[axis + 1] = fmaf(2.0f * ALPHA2 * pair, d[axis], force[axis + 1]);
}

static int are_neighbours(uint32_t a, uint32_t b, uint32_t n) {
  for (uint32_t stride = 1; stride <= n * n; stride *= n) {
    uint32_t at = a / stride % n, other = b / stride % n;
    if (at > other + 1 || other > at + 1) return 0;
  }
  return 1;
}

// Box by box: those around a box in ascending order, as the kernel takes them.
static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  struct qsm_rng rng = {seed};
  job->size = &sizes[size];
  uint32_t n = job->size->n_boxes, n_boxes = n * n * n, n_per_box = job->size->n_per_box;
  if (qsm_array_create(base, &job->particles, QSM_INPUT, n_boxes * n_per_box, 16) != 0 ||
      qsm_array_create(base, &job->forces, QSM_OUTPUT, n_boxes * n_per_box, 16) != 0) {
    return -1;
  }
  float(*particles)[4] = job->particles.host, (*forces)[4] = job->forces.host;
  for (uint32_t i = 0; i < n_boxes * n_per_box; i++) {
    uint32_t box = i / n_per_box;
    for (uint32_t axis = 0, rest = box; axis < 3; axis++, rest /= n)
      particles[i][axis] = (float)(rest % n) + qsm_rng_float(&rng, 0.0f, 1.0f);
    particles[i][3] = qsm_rng_float(&rng, 0.1f, 1.0f);
  }
  for (uint32_t box = 0; box < n_boxes; box++) {
    for (uint32_t other = 0; other < n_boxes; other++) {
      if (!are_neighbours(box, other, n)) continue;
      for (uint32_t i = box * n_per_box; i < (box + 1) * n_per_box; i++) {
        for (uint32_t j = other * n_per_box; j < (other + 1) * n_per_box; j++)
          add_pair(particles[i], particles[j], forces[i]);
      }
    }
  }
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  uint32_t n = job->size->n_boxes;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "lavamd",
      .grid = {n, n, n},
      .block = {job->size->n_per_box, 1, 1},
      .shared_bytes = 16 * job->size->n_per_box,
      .args = {job->particles.addr, job->forces.addr, n, qsm_to_bits(ALPHA2)},
  };
  return 1;
}

const struct qsm_suite_program qsm_lavamd = {
    .name = "lavamd",
    .about = "forces between particles in neighbouring boxes",
    .bound = "compute",
    .paper = "LoGA (Rodinia)",
    .source =
        "Szafaryn et al., \"Experiences with achieving portability across heterogeneous architectures\", WOLFHPC 2011",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
