// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "qsm_suite_util.h"

enum { N_PLANES = 41, SIDE = 16, LINE = 64 };  // LINE: sums of a line of 128 bytes

static const struct size {
  int32_t blocks_x, blocks_y, radius;  // macroblocks of the frame
  uint32_t block_threads, parts;  // blocks among which the offsets of a 4 x 4 block are divided
} sizes[] = {{1, 1, 2, 16, 1}, {2, 1, 9, 16, 2}, {4, 3, 16, 64, 3}, {15, 9, 16, 64, 1}};

struct job {
  struct qsm_job base;
  struct qsm_array frame, reference, sads;
  const struct size *size;
  int32_t width, height, plane;
  int32_t below;  // rows of the reference's lower border
};

// Where the planes of a shape lie, and its blocks in the macroblock, in the order of the planes.
struct shape {
  int32_t first, n, width, height;
};
static const struct shape shapes[] = {{0, 16, 4, 4},  {16, 8, 8, 4},  {24, 8, 4, 8},  {32, 4, 8, 8},
                                      {36, 2, 16, 8}, {38, 2, 8, 16}, {40, 1, 16, 16}};

// Of the reference, whose border is as wide as the radius, below somewhat wider.
static uint8_t *reference_pixel(const struct job *job, int32_t x, int32_t y) {
  int32_t radius = job->size->radius, stride = job->width + 2 * radius;
  return (uint8_t *)job->reference.host + (y + radius) * stride + x + radius;
}

static int32_t within(int32_t value, int32_t n) {
  return value < 0 ? 0 : value >= n ? n - 1 : value;
}

// Top left corner of block i of a shape: shapes smaller than a quarter lie quarter by quarter.
static void corner(const struct shape *shape, int32_t i, int32_t *x, int32_t *y) {
  int32_t in_quarter =
      shape->width <= 8 && shape->height <= 8 ? 64 / (shape->width * shape->height) : 1;
  int32_t quarter = i / in_quarter, part = i % in_quarter;
  int32_t side = in_quarter > 1 || shape->n == 4 ? 8 : SIDE;
  int32_t across = side / shape->width;
  if (side == SIDE) part = i;
  *x = (side == 8 ? 8 * (quarter % 2) : 0) + part % across * shape->width;
  *y = (side == 8 ? 8 * (quarter / 2) : 0) + part / across * shape->height;
}

static uint16_t sad(const struct job *job, int32_t x, int32_t y, int32_t dx, int32_t dy,
                    const struct shape *shape) {
  int32_t sum = 0;
  for (int32_t j = 0; j < shape->height; j++) {
    for (int32_t i = 0; i < shape->width; i++)
      sum += abs(((const uint8_t *)job->frame.host)[(y + j) * job->width + x + i] -
                 *reference_pixel(job, x + i + dx, y + j + dy));
  }
  return (uint16_t)sum;
}

// Every shape by itself, from the pixels.
static void macroblock(const struct job *job, int32_t index) {
  int32_t radius = job->size->radius, window = 2 * radius + 1;
  int32_t left = index % job->size->blocks_x * SIDE, top = index / job->size->blocks_x * SIDE;
  uint16_t *sads = (uint16_t *)job->sads.host + (size_t)(index * N_PLANES * job->plane);
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    for (int32_t i = 0; i < shapes[s].n; i++) {
      int32_t x, y;
      corner(&shapes[s], i, &x, &y);
      uint16_t *plane = sads + (shapes[s].first + i) * job->plane;
      for (int32_t offset = 0; offset < job->plane; offset++)
        plane[offset] = sad(job, left + x, top + y, offset % window - radius,
                            offset / window - radius, &shapes[s]);
    }
  }
}

// The frame is the reference, moved and with some noise.
static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint8_t *frame = job->frame.host;
  int32_t radius = job->size->radius, width = job->width, height = job->height;
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++)
      *reference_pixel(job, x, y) = (uint8_t)qsm_rng_range(&rng, 0, 255);
  for (int32_t y = -radius; y < height + job->below; y++)
    for (int32_t x = -radius; x < width + radius; x++)
      *reference_pixel(job, x, y) = *reference_pixel(job, within(x, width), within(y, height));
  for (int32_t i = 0; i < width * height; i++) {
    int32_t noisy =
        *reference_pixel(job, i % width + 1, i / width - 1) + qsm_rng_range(&rng, -3, 3);
    frame[i] = (uint8_t)(noisy < 0 ? 0 : noisy > 255 ? 255 : noisy);
  }
}

// A sum is at most 256 times 255.
static void reference(struct qsm_job *base) {
  struct job *job = (struct job *)base;
  for (int32_t i = 0; i < job->size->blocks_x * job->size->blocks_y; i++) macroblock(job, i);
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  job->width = job->size->blocks_x * SIDE;
  job->height = job->size->blocks_y * SIDE;
  int32_t reach = 2 * job->size->radius;
  job->plane = ((reach + 1) * (reach + 1) + LINE - 1) / LINE * LINE;
  job->below = job->plane / (reach + 1) - job->size->radius + 1;
  size_t n_pixels = (size_t)(job->width * job->height);
  if (qsm_array_create(base, &job->frame, QSM_INPUT, n_pixels, 1) != 0 ||
      qsm_array_create(
          base, &job->reference, QSM_INPUT,
          (size_t)((job->width + reach) * (job->height + job->size->radius + job->below)),
          1) != 0 ||
      qsm_array_create(base, &job->sads, QSM_OUTPUT,
                       n_pixels / (SIDE * SIDE) * N_PLANES * (size_t)job->plane, 2) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

// Launch 0 makes the 4 x 4 blocks, 1 merges them to 8 x 8, 2 to 16 x 16.
static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 3) return 0;
  int first = base->n_launched == 0, last = base->n_launched == 2;
  uint32_t n_words = (uint32_t)job->plane / 2,
           n_macroblocks = (uint32_t)(size->blocks_x * size->blocks_y);
  *launch = (struct qsm_suite_launch){
      .symbol = first ? "sad_blocks" : "sad_merge",
      .grid = {first ? size->parts : qsm_div_up(n_words, size->block_threads),
               first  ? 16
               : last ? 1
                      : 4,
               n_macroblocks},
      .block = {size->block_threads, 1, 1},
      .args = {job->sads.addr, n_words, last ? 32 : 0, last ? 36 : 16, last ? 38 : 24,
               last ? 40 : 32},
  };
  const uint32_t first_args[8] = {job->frame.addr,
                                  job->reference.addr,
                                  (uint32_t)job->width,
                                  (uint32_t)(job->width + 2 * size->radius),
                                  (uint32_t)(2 * size->radius + 1),
                                  (uint32_t)job->plane,
                                  job->sads.addr};
  for (int i = 0; first && i < 8; i++) launch->args[i] = first_args[i];
  return 1;
}

const struct qsm_suite_program qsm_sad = {
    .name = "sad",
    .about = "sums of absolute differences for motion estimation, all block shapes of H.264",
    .bound = "compute",
    .paper = "Parboil",
    .source =
        "Wiegand et al., \"Overview of the H.264/AVC video coding standard\", IEEE TCSVT 13(7), 2003",
    .job_bytes = sizeof(struct job),
    .create = create,
    .reference = reference,
    .next = next,
};
