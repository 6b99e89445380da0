// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "qsm_math.h"
#include "qsm_suite_util.h"

static const struct size {
  uint32_t width, height, n_steps;
  uint32_t block_x, block_y;
} sizes[] = {{13, 9, 2, 4, 4}, {61, 47, 2, 8, 2}, {256, 200, 3, 16, 8}, {1024, 1024, 4, 32, 8}};

static const float Q0 = 0.05f, STEP = 0.5f;

struct job {
  struct qsm_job base;
  struct qsm_array start, coefficients, scratch,
      result;  // an even and an odd number of steps alternate between the last two
  const struct size *size;
};

// Difference of the pixel (dx, dy) away, of the border where there is none.
static float difference(const struct size *size, const float *image, uint32_t pixel, int32_t dx,
                        int32_t dy) {
  int32_t x = (int32_t)(pixel % size->width) + dx, y = (int32_t)(pixel / size->width) + dy;
  if (x < 0 || y < 0 || x >= (int32_t)size->width || y >= (int32_t)size->height)
    return image[pixel] - image[pixel];
  return image[y * (int32_t)size->width + x] - image[pixel];
}

static float coefficient(const struct size *size, const float *image, uint32_t pixel) {
  float north = difference(size, image, pixel, 0, -1), south = difference(size, image, pixel, 0, 1);
  float west = difference(size, image, pixel, -1, 0), east = difference(size, image, pixel, 1, 0),
        own = image[pixel];
  float gradient2 =
      fmaf(north, north, fmaf(south, south, fmaf(west, west, east * east))) / (own * own);
  float laplacian = (north + south + west + east) / own, root = fmaf(0.25f, laplacian, 1.0f);
  float q = fmaf(0.5f, gradient2, -0.0625f * laplacian * laplacian) / (root * root);
  float value = 1.0f / (1.0f + (q - Q0) / (Q0 * (1.0f + Q0)));
  return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
}

static void step(const struct job *job, const float *image, float *result) {
  const struct size *size = job->size;
  float *c = job->coefficients.host;
  for (uint32_t pixel = 0; pixel < size->width * size->height; pixel++)
    c[pixel] = coefficient(size, image, pixel);
  for (uint32_t pixel = 0; pixel < size->width * size->height; pixel++) {
    float south = pixel / size->width + 1 < size->height ? c[pixel + size->width] : c[pixel];
    float east = pixel % size->width + 1 < size->width ? c[pixel + 1] : c[pixel];
    float divergence = fmaf(c[pixel], difference(size, image, pixel, -1, 0),
                            east * difference(size, image, pixel, 1, 0));
    divergence = fmaf(c[pixel], difference(size, image, pixel, 0, -1),
                      fmaf(south, difference(size, image, pixel, 0, 1), divergence));
    result[pixel] = fmaf(0.25f * STEP, divergence, image[pixel]);
  }
}

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  float *start = job->start.host, *scratch = job->scratch.host, *result = job->result.host;
  size_t n = job->start.n_elements;
  for (size_t i = 0; i < n; i++) result[i] = start[i] = qsm_exp(qsm_rng_float(&rng, 0.0f, 1.0f));
  for (uint32_t i = 0; i < job->size->n_steps; i++) {
    memcpy(scratch, result, n * sizeof *result);
    step(job, scratch, result);
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  size_t n = (size_t)job->size->width * job->size->height;
  if (qsm_array_create(base, &job->start, QSM_INPUT, n, 4) != 0 ||
      qsm_array_create(base, &job->coefficients, QSM_OUTPUT, n, 4) != 0 ||
      qsm_array_create(base, &job->scratch, QSM_SCRATCH, n, 4) != 0 ||
      qsm_array_create(base, &job->result, QSM_OUTPUT, n, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

// Two launches per step.
static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  uint32_t done = base->n_launched / 2, diffuse = base->n_launched % 2;
  if (done == size->n_steps) return 0;
  struct qsm_from_to turn =
      qsm_alternate(&job->start, &job->scratch, &job->result, done, size->n_steps);
  *launch = (struct qsm_suite_launch){
      .symbol = diffuse ? "srad_diffuse" : "srad_coefficients",
      .grid = {qsm_div_up(size->width, size->block_x), qsm_div_up(size->height, size->block_y), 1},
      .block = {size->block_x, size->block_y, 1},
      .args = {turn.from, job->coefficients.addr, size->width, size->height, qsm_to_bits(Q0)},
  };
  const uint32_t diffuse_args[8] = {turn.from,   job->coefficients.addr, turn.to,
                                    size->width, size->height,           qsm_to_bits(STEP)};
  if (diffuse) memcpy(launch->args, diffuse_args, sizeof launch->args);
  return 1;
}

const struct qsm_suite_program qsm_srad = {
    .name = "srad",
    .about = "speckle reducing anisotropic diffusion of an image",
    .bound = "memory",
    .paper = "LoGA (Rodinia)",
    .source =
        "Yu and Acton, \"Speckle reducing anisotropic diffusion\", IEEE Trans. Image Processing 11(11), 2002",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
