// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "qsm_math.h"
#include "qsm_suite_util.h"

// n_steps: of a launch; n_launches of them.
static const struct size {
  uint32_t width, height, n_steps, n_launches;
  uint32_t block_x, block_y;
} sizes[] = {{13, 9, 1, 2, 4, 4},
             {45, 39, 1, 3, 8, 4},
             {200, 190, 2, 4, 16, 16},
             {1024, 1024, 2, 8, 16, 16}};

static const float CONSTANTS[] = {0.05f, 0.1f, 0.1f, 0.0125f,
                                  80.0f};  // rate, per_x, per_y, per_z, ambient as in hotspot.c

struct job {
  struct qsm_job base;
  struct qsm_array start, power, constants, scratch, result;
  const struct size *size;
};

static void step(const struct job *job, const float *from, float *to) {
  uint32_t width = job->size->width, height = job->size->height;
  const float *power = job->power.host;
  for (uint32_t y = 0; y < height; y++) {
    for (uint32_t x = 0; x < width; x++) {
      uint32_t cell = y * width + x;
      float t = from[cell];
      float north = from[y > 0 ? cell - width : cell],
            south = from[y + 1 < height ? cell + width : cell];
      float west = from[x > 0 ? cell - 1 : cell], east = from[x + 1 < width ? cell + 1 : cell];
      float heat = fmaf(fmaf(-2.0f, t, north + south), CONSTANTS[2], power[cell]);
      heat = fmaf(fmaf(-2.0f, t, east + west), CONSTANTS[1], heat);
      heat = fmaf(CONSTANTS[4] - t, CONSTANTS[3], heat);
      to[cell] = fmaf(CONSTANTS[0], heat, t);
    }
  }
}

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  float *start = job->start.host, *power = job->power.host, *scratch = job->scratch.host,
        *result = job->result.host;
  size_t n = job->start.n_elements;
  for (size_t i = 0; i < n; i++) {
    result[i] = start[i] = qsm_rng_float(&rng, 75.0f, 90.0f);
    power[i] = qsm_rng_float(&rng, 0.0f, 4.0f);
  }
  memcpy(job->constants.host, CONSTANTS, sizeof CONSTANTS);
  for (uint32_t i = 0; i < job->size->n_steps * job->size->n_launches; i++) {
    memcpy(scratch, result, n * sizeof *result);
    step(job, scratch, result);
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  size_t n = (size_t)job->size->width * job->size->height;
  if (qsm_array_create(base, &job->start, QSM_INPUT, n, 4) != 0 ||
      qsm_array_create(base, &job->power, QSM_INPUT, n, 4) != 0 ||
      qsm_array_create(base, &job->constants, QSM_INPUT, sizeof CONSTANTS / 4, 4) != 0 ||
      qsm_array_create(base, &job->scratch, QSM_SCRATCH, n, 4) != 0 ||
      qsm_array_create(base, &job->result, QSM_OUTPUT, n, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == size->n_launches) return 0;
  struct qsm_from_to turn =
      qsm_alternate(&job->start, &job->scratch, &job->result, base->n_launched, size->n_launches);
  *launch = (struct qsm_suite_launch){
      .symbol = "hotspot",
      .grid = {qsm_div_up(size->width, size->block_x - 2 * size->n_steps),
               qsm_div_up(size->height, size->block_y - 2 * size->n_steps), 1},
      .block = {size->block_x, size->block_y, 1},
      .shared_bytes = 8 * size->block_x * size->block_y,
      .args = {turn.from, turn.to, job->power.addr, size->width, size->height, size->n_steps,
               job->constants.addr},
  };
  return 1;
}

const struct qsm_suite_program qsm_hotspot = {
    .name = "hotspot",
    .about = "temperature of a chip, several time steps per launch by halos in shared memory",
    .bound = "compute",
    .paper = "SMQoS (Rodinia)",
    .source =
        "Huang et al., \"HotSpot\", IEEE TVLSI 14(5), 2006; Che et al., \"Rodinia\", IISWC 2009",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
