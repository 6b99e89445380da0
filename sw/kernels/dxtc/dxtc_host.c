// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "qsm_suite_util.h"

enum { N_PIXELS = 16, SHARED_WORDS = 49 };  // as in dxtc.c

static const struct size {
  uint32_t tiles_x, tiles_y;
} sizes[] = {{1, 2}, {5, 4}, {40, 23}, {256, 160}};

struct job {
  struct qsm_job base;
  struct qsm_array image, out;
  const struct size *size;
};

// Four colours for the two words of a tile, three channels each.
static void palette_of(uint32_t high, uint32_t low, int32_t palette[4][3]) {
  const uint32_t words[2] = {high, low};
  for (int i = 0; i < 2; i++) {
    int32_t five[3] = {(int32_t)(words[i] / 2048), (int32_t)(words[i] / 32 % 64),
                       (int32_t)(words[i] % 32)};
    palette[i][0] = five[0] * 8 + five[0] / 4;
    palette[i][1] = five[1] * 4 + five[1] / 16;
    palette[i][2] = five[2] * 8 + five[2] / 4;
  }
  for (int channel = 0; channel < 3; channel++) {
    palette[2][channel] = (palette[0][channel] * 2 + palette[1][channel]) / 3;
    palette[3][channel] = (palette[0][channel] + palette[1][channel] * 2) / 3;
  }
}

// Sum of the squared errors of a tile, and its indices.
static int64_t fit(const uint8_t pixels[N_PIXELS][4], uint32_t high, uint32_t low,
                   uint32_t *indices) {
  int32_t palette[4][3];
  int64_t sum = 0;
  palette_of(high, low, palette);
  *indices = 0;
  for (int i = 0; i < N_PIXELS; i++) {
    int64_t least = INT64_MAX;
    uint32_t best = 0;
    for (uint32_t entry = 0; entry < 4; entry++) {
      int64_t error = 0;
      for (int channel = 0; channel < 3; channel++) {
        int64_t d = pixels[i][channel] - palette[entry][channel];
        error += d * d;
      }
      if (error < least) least = error, best = entry;
    }
    sum += least;
    *indices += best << 2 * i;
  }
  return sum;
}

// Every pair of the tile's colours; the first of the best.
static void compress(const uint8_t pixels[N_PIXELS][4], uint32_t out[2]) {
  int64_t least = INT64_MAX;
  for (int i = 0; i < N_PIXELS; i++) {
    for (int j = i; j < N_PIXELS; j++) {
      uint32_t a = (uint32_t)(pixels[i][0] / 8 * 2048 + pixels[i][1] / 4 * 32 + pixels[i][2] / 8);
      uint32_t b = (uint32_t)(pixels[j][0] / 8 * 2048 + pixels[j][1] / 4 * 32 + pixels[j][2] / 8);
      uint32_t high = a > b ? a : b, low = a > b ? b : a, indices;
      int64_t error = fit(pixels, high, low, &indices);
      if (error >= least) continue;
      least = error;
      out[0] = low * 65536 + high;
      out[1] = indices;
    }
  }
}

// Soft gradients with noise, as pictures have.
static void generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  uint32_t width = 4 * job->size->tiles_x, height = 4 * job->size->tiles_y;
  uint8_t(*image)[4] = job->image.host;
  uint32_t(*out)[2] = job->out.host;
  for (uint32_t i = 0; i < width * height; i++) {
    for (uint32_t channel = 0; channel < 3; channel++) {
      image[i][channel] = (uint8_t)((i % width * (5 + channel) + i / width * (9 - 2 * channel) +
                                     (uint32_t)qsm_rng_range(&rng, 0, 47)) %
                                    256);
    }
    image[i][3] = 255;
  }
  for (uint32_t tile = 0; tile < job->size->tiles_x * job->size->tiles_y; tile++) {
    uint8_t pixels[N_PIXELS][4];
    for (uint32_t i = 0; i < N_PIXELS; i++) {
      uint32_t x = tile % job->size->tiles_x * 4 + i % 4, y = tile / job->size->tiles_x * 4 + i / 4;
      for (int channel = 0; channel < 4; channel++)
        pixels[i][channel] = image[y * width + x][channel];
    }
    compress((const uint8_t(*)[4])pixels, out[tile]);
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  size_t n_tiles = job->size->tiles_x * job->size->tiles_y;
  if (qsm_array_create(base, &job->image, QSM_INPUT, n_tiles * N_PIXELS, 4) != 0 ||
      qsm_array_create(base, &job->out, QSM_OUTPUT, n_tiles * 2, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "dxtc",
      .grid = {job->size->tiles_x, job->size->tiles_y, 1},
      .block = {N_PIXELS, 1, 1},
      .shared_bytes = 4 * SHARED_WORDS,
      .args = {job->image.addr, job->out.addr, 4 * job->size->tiles_x},
  };
  return 1;
}

const struct qsm_suite_program qsm_dxtc = {
    .name = "dxtc",
    .about = "DXT1 texture compression, search over all pairs of a tile's colours",
    .bound = "compute",
    .paper = "QAWS",
    .source =
        "Iourcha, Nayak, Hong, \"Fixed-rate block-based image compression\", US patent 5,956,431, 1999",
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
