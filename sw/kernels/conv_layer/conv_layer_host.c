// SPDX-License-Identifier: Apache-2.0
#include "qsm_math.h"
#include "qsm_suite_util.h"

static const struct size {
  uint32_t width, height, n_in, n_out;
  uint32_t block_x, block_y;
} sizes[] = {
    {7, 6, 2, 3, 4, 4}, {17, 15, 4, 5, 8, 2}, {56, 50, 8, 12, 16, 8}, {112, 112, 16, 32, 16, 8}};

struct job {
  struct qsm_job base;
  struct qsm_array in, out, weights, bias;
  const struct size *size;
};

static float output(const struct job *job, uint32_t channel, int32_t x, int32_t y) {
  const struct size *size = job->size;
  int32_t width = (int32_t)size->width, height = (int32_t)size->height;
  float sum = ((const float *)job->bias.host)[channel];
  for (uint32_t k = 0; k < size->n_in; k++) {
    const float *image = (const float *)job->in.host + k * size->width * size->height,
                *filter = (const float *)job->weights.host + (channel * size->n_in + k) * 9;
    for (int32_t dy = -1; dy <= 1; dy++) {
      for (int32_t dx = -1; dx <= 1; dx++, filter++) {
        int inside = x + dx >= 0 && y + dy >= 0 && x + dx < width && y + dy < height;
        sum = fmaf(*filter, inside ? image[(y + dy) * width + x + dx] : 0.0f, sum);
      }
    }
  }
  return sum > 0.0f ? sum : 0.0f;
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  struct qsm_rng rng = {seed};
  job->size = &sizes[size];
  uint32_t width = job->size->width, n_pixels = width * job->size->height, n_in = job->size->n_in,
           n_out = job->size->n_out;
  if (qsm_array_create(base, &job->in, QSM_INPUT, n_pixels * n_in, 4) != 0 ||
      qsm_array_create(base, &job->out, QSM_OUTPUT, n_pixels * n_out, 4) != 0 ||
      qsm_array_create(base, &job->weights, QSM_INPUT, n_in * n_out * 9, 4) != 0 ||
      qsm_array_create(base, &job->bias, QSM_INPUT, n_out, 4) != 0) {
    return -1;
  }
  float *in = job->in.host, *out = job->out.host, *weights = job->weights.host,
        *bias = job->bias.host;
  for (uint32_t i = 0; i < n_pixels * n_in; i++) in[i] = qsm_rng_float(&rng, -1.0f, 1.0f);
  for (uint32_t i = 0; i < n_in * n_out * 9; i++) weights[i] = qsm_rng_float(&rng, -1.0f, 1.0f);
  for (uint32_t i = 0; i < n_out; i++) bias[i] = qsm_rng_float(&rng, -1.0f, 1.0f);
  for (uint32_t i = 0; i < n_pixels * n_out; i++)
    out[i] = output(job, i / n_pixels, (int32_t)(i % width), (int32_t)(i % n_pixels / width));
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "conv_layer",
      .grid = {qsm_div_up(size->width, size->block_x), qsm_div_up(size->height, size->block_y),
               size->n_out},
      .block = {size->block_x, size->block_y, 1},
      .shared_bytes = 4 * (size->block_x + 2) * (size->block_y + 2),
      .args = {job->in.addr, job->out.addr, job->weights.addr, job->bias.addr, size->width,
               size->height, size->n_in},
  };
  return 1;
}

const struct qsm_suite_program qsm_conv_layer = {
    .name = "conv_layer",
    .about = "convolutional layer of a neural network, tiles in shared memory",
    .bound = "compute",
    .paper = "FedCM",
    .source =
        "LeCun, Bottou, Bengio, Haffner, \"Gradient-based learning applied to document recognition\", Proc. IEEE 86(11), 1998",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
