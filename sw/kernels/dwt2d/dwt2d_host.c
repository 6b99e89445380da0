// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "qsm_suite_util.h"

static const struct size {
  uint32_t width, height, n_levels;
  uint32_t block_x, block_y;
} sizes[] = {{21, 14, 2, 8, 2}, {75, 62, 3, 8, 2}, {401, 300, 4, 32, 4}, {1920, 1080, 5, 32, 4}};

struct job {
  struct qsm_job base;
  struct qsm_array image, rows, out;
  const struct size *size;
};

static int32_t floor_div(int32_t dividend, int32_t divisor) {
  int32_t quotient = dividend / divisor;
  return quotient * divisor > dividend ? quotient - 1 : quotient;
}

// One line, in place: a step over the odd samples, one over the even ones, then the two halves.
static void lift(int32_t *line, uint32_t n, uint32_t stride, int32_t *half) {
  for (uint32_t i = 1; i < n; i += 2) {
    int32_t right = line[(i + 1 < n ? i + 1 : i - 1) * stride];
    line[i * stride] -= floor_div(line[(i - 1) * stride] + right, 2);
  }
  for (uint32_t i = 0; i < n; i += 2) {
    int32_t left = line[(i > 0 ? i - 1 : 1) * stride],
            right = line[(i + 1 < n ? i + 1 : i - 1) * stride];
    line[i * stride] += floor_div(left + right + 2, 4);
  }
  for (uint32_t i = 0; i < n; i++) half[i % 2 * ((n + 1) / 2) + i / 2] = line[i * stride];
  for (uint32_t i = 0; i < n; i++) line[i * stride] = half[i];
}

static int generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint32_t width = job->size->width, height = job->size->height;
  int32_t *image = job->image.host, *out = job->out.host;
  int32_t *half = malloc((width + height) * sizeof *half);
  if (half == NULL) return -1;
  for (uint32_t i = 0; i < width * height; i++) out[i] = image[i] = qsm_rng_range(&rng, -128, 127);
  for (uint32_t level = 0, w = width, h = height; level < job->size->n_levels;
       level++, w = (w + 1) / 2, h = (h + 1) / 2) {
    for (uint32_t y = 0; y < h; y++) lift(out + y * width, w, 1, half);
    for (uint32_t x = 0; x < w; x++) lift(out + x, h, width, half);
  }
  free(half);
  return 0;
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  size_t n_pixels = job->size->width * job->size->height;
  if (qsm_array_create(base, &job->image, QSM_INPUT, n_pixels, 4) != 0 ||
      qsm_array_create(base, &job->rows, QSM_SCRATCH, n_pixels, 4) != 0 ||
      qsm_array_create(base, &job->out, QSM_OUTPUT, n_pixels, 4) != 0) {
    return -1;
  }
  return generate(job, seed);
}

// Two launches per level: along the rows, along the columns. A level goes on with the smooth corner
// of the one before.
static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  uint32_t level = base->n_launched / 2, columns = base->n_launched % 2;
  if (level == size->n_levels) return 0;
  uint32_t width = size->width, height = size->height;
  for (uint32_t i = 0; i < level; i++) width = (width + 1) / 2, height = (height + 1) / 2;
  uint32_t n = columns ? height : width, n_lines = columns ? width : height;
  uint32_t from = level == 0 ? job->image.addr : job->out.addr;
  *launch = (struct qsm_suite_launch){
      .symbol = "dwt2d",
      .grid = {qsm_div_up((n + 1) / 2, size->block_x), qsm_div_up(n_lines, size->block_y), 1},
      .block = {size->block_x, size->block_y, 1},
      .args = {columns ? job->rows.addr : from, columns ? job->out.addr : job->rows.addr, n,
               n_lines, columns ? size->width : 1, columns ? 1 : size->width},
  };
  return 1;
}

const struct qsm_suite_program qsm_dwt2d = {
    .name = "dwt2d",
    .about = "2D wavelet transform, reversible 5/3 filter by lifting",
    .bound = "memory",
    .paper = "LoGA (Rodinia)",
    .source = "Le Gall and Tabatabai, ICASSP 1988; JPEG 2000, ITU-T T.800 annex F",
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
