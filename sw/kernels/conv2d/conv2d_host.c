// SPDX-License-Identifier: Apache-2.0
#include "qsm_suite_util.h"

static const struct {
  int32_t width, height, radius;
  uint32_t block_x, block_y;
} sizes[] = {{15, 13, 1, 8, 2}, {61, 43, 2, 8, 2}, {336, 256, 2, 16, 16}, {2048, 1536, 2, 16, 16}};

struct job {
  struct qsm_job base;
  struct qsm_array image, filter, out;
  int32_t width, height, radius;
  uint32_t block_x, block_y;
};

static int32_t pixel(const struct job *job, int32_t x, int32_t y) {
  const uint8_t *image = job->image.host;
  if (x < 0) x = 0;
  if (y < 0) y = 0;
  if (x >= job->width) x = job->width - 1;
  if (y >= job->height) y = job->height - 1;
  return image[y * job->width + x];
}

// Floating point on purpose: another way to the same number than the kernel's shifts. All values
// are exact in double.
static uint8_t convolve(const struct job *job, int32_t x, int32_t y) {
  const int16_t *filter = job->filter.host;
  int32_t side = 2 * job->radius + 1;
  double sum = 0.0;
  for (int32_t i = 0; i < side; i++) {
    for (int32_t j = 0; j < side; j++) {
      sum += filter[i * side + j] / 256.0 * pixel(job, x + j - job->radius, y + i - job->radius);
    }
  }
  if (sum < 0.0) return 0;
  return sum >= 255.0 ? 255 : (uint8_t)(sum + 0.5);
}

static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint8_t *image = job->image.host, *out = job->out.host;
  int16_t *filter = job->filter.host;
  for (size_t i = 0; i < job->image.n_elements; i++)
    image[i] = (uint8_t)qsm_rng_range(&rng, 0, 255);
  for (size_t i = 0; i < job->filter.n_elements; i++)
    filter[i] = (int16_t)qsm_rng_range(&rng, -64, 96);
  for (int32_t y = 0; y < job->height; y++) {
    for (int32_t x = 0; x < job->width; x++) out[y * job->width + x] = convolve(job, x, y);
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->width = sizes[size].width;
  job->height = sizes[size].height;
  job->radius = sizes[size].radius;
  job->block_x = sizes[size].block_x;
  job->block_y = sizes[size].block_y;
  size_t n_pixels = (size_t)(job->width * job->height);
  size_t side = (size_t)(2 * job->radius + 1);
  if (qsm_array_create(base, &job->image, QSM_INPUT, n_pixels, 1) != 0 ||
      qsm_array_create(base, &job->filter, QSM_INPUT, side * side, 2) != 0 ||
      qsm_array_create(base, &job->out, QSM_OUTPUT, n_pixels, 1) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == 1) return 0;
  uint32_t width = (uint32_t)job->width, height = (uint32_t)job->height;
  *launch = (struct qsm_suite_launch){
      .symbol = "conv2d",
      .grid = {qsm_div_up(width, job->block_x), qsm_div_up(height, job->block_y), 1},
      .block = {job->block_x, job->block_y, 1},
      .shared_bytes = 2 * (uint32_t)job->filter.n_elements,
      .args = {job->image.addr, job->out.addr, width, height, job->filter.addr,
               (uint32_t)job->radius},
  };
  return 1;
}

const struct qsm_suite_program qsm_conv2d = {
    .name = "conv2d",
    .about = "2D convolution of an image, 3x3 or 5x5, fixed point",
    .bound = "compute",
    .paper = "QAWS",
    .source = "Podlozhnyuk, \"Image convolution with CUDA\", 2007",
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
