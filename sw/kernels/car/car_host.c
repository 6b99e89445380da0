// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

enum { N_COLOURS = 3 };

// Of the small image; `side` samples in each direction, three per pixel of the large image as in
// the paper.
static const struct size {
  uint32_t width, height, scale, side;
  uint32_t block_x, block_y;
} sizes[] = {
    {6, 5, 2, 6, 4, 4}, {29, 23, 2, 6, 8, 2}, {160, 128, 2, 6, 16, 8}, {384, 300, 2, 6, 32, 8}};

struct job {
  struct qsm_job base;
  struct qsm_array image, weights, offsets, result;
  const struct size *size;
};

// The pixel (x, y) of a colour, of the border where there is none.
static float pixel_at(const struct job *job, uint32_t colour, int32_t x, int32_t y) {
  int32_t width = (int32_t)(job->size->width * job->size->scale),
          height = (int32_t)(job->size->height * job->size->scale);
  x = x < width ? x : width - 1;
  y = y < height ? y : height - 1;
  return ((const float *)job->image.host)[((int32_t)colour * height + y) * width + x];
}

static float between(float share, float a, float b) { return fmaf(share, b - a, a); }

static float sample(const struct job *job, uint32_t colour, float x, float y) {
  float last_x = (float)(job->size->width * job->size->scale - 1),
        last_y = (float)(job->size->height * job->size->scale - 1);
  x = x < 0.0f ? 0.0f : x > last_x ? last_x : x;
  y = y < 0.0f ? 0.0f : y > last_y ? last_y : y;
  int32_t left = (int32_t)floorf(x), top = (int32_t)floorf(y);
  float share_x = x - (float)left, share_y = y - (float)top;
  return between(
      share_y,
      between(share_x, pixel_at(job, colour, left, top), pixel_at(job, colour, left + 1, top)),
      between(share_x, pixel_at(job, colour, left, top + 1),
              pixel_at(job, colour, left + 1, top + 1)));
}

static float resample(const struct job *job, uint32_t colour, uint32_t pixel) {
  const struct size *size = job->size;
  uint32_t n_pixels = size->width * size->height, n_samples = size->side * size->side;
  const float *weights = job->weights.host, *offsets_x = job->offsets.host,
              *offsets_y = offsets_x + n_samples * n_pixels;
  float scale = (float)size->scale, half = 0.5f * (float)size->side, sum = 0.0f;
  float x = fmaf((float)(pixel % size->width) + 0.5f, scale, -0.5f) - half,
        y = fmaf((float)(pixel / size->width) + 0.5f, scale, -0.5f) - half;
  for (uint32_t i = 0; i < n_samples; i++) {
    uint32_t at = i * n_pixels + pixel;
    float value = sample(job, colour, x + (float)(i % size->side) + offsets_x[at],
                         y + (float)(i / size->side) + offsets_y[at]);
    sum = fmaf(weights[at], value, sum);
  }
  return sum;
}

// Weights of a pixel add up to one, as the network's do.
static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  float *image = job->image.host, *weights = job->weights.host, *offsets = job->offsets.host,
        *result = job->result.host;
  uint32_t n_pixels = job->size->width * job->size->height,
           n_samples = job->size->side * job->size->side;
  for (size_t i = 0; i < job->image.n_elements; i++) image[i] = (float)qsm_rng_range(&rng, 0, 255);
  for (uint32_t pixel = 0; pixel < n_pixels; pixel++) {
    float sum = 0.0f;
    for (uint32_t i = 0; i < n_samples; i++)
      sum += weights[i * n_pixels + pixel] = qsm_rng_float(&rng, 0.0f, 1.0f);
    for (uint32_t i = 0; i < n_samples; i++) weights[i * n_pixels + pixel] /= sum;
  }
  for (size_t i = 0; i < job->offsets.n_elements; i++)
    offsets[i] = qsm_rng_float(&rng, -2.0f, 2.0f);
  for (uint32_t i = 0; i < N_COLOURS * n_pixels; i++)
    result[i] = resample(job, i / n_pixels, i % n_pixels);
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  uint32_t n_pixels = job->size->width * job->size->height,
           n_samples = job->size->side * job->size->side, scale = job->size->scale;
  if (qsm_array_create(base, &job->image, QSM_INPUT, N_COLOURS * n_pixels * scale * scale, 4) !=
          0 ||
      qsm_array_create(base, &job->weights, QSM_INPUT, n_samples * n_pixels, 4) != 0 ||
      qsm_array_create(base, &job->offsets, QSM_INPUT, 2 * n_samples * n_pixels, 4) != 0 ||
      qsm_array_create(base, &job->result, QSM_OUTPUT, N_COLOURS * n_pixels, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "car",
      .grid = {qsm_div_up(size->width, size->block_x), qsm_div_up(size->height, size->block_y), 1},
      .block = {size->block_x, size->block_y, 1},
      .args = {job->image.addr, job->weights.addr, job->offsets.addr, job->result.addr, size->width,
               size->height, size->scale, size->side},
  };
  return 1;
}

const struct qsm_suite_program qsm_car = {
    .name = "car",
    .about =
        "content adaptive resampling: an image made smaller, each pixel with weights and offsets of its own",
    .bound = "memory",
    .paper = "FedCM",
    .source =
        "Sun and Chen, \"Learned image downscaling for upscaling using content adaptive resampler\", IEEE Trans. Image Processing 29, 2020",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
