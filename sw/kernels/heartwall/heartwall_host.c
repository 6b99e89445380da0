// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "qsm_math.h"
#include "qsm_suite_util.h"

enum { COARSE = 3 };  // pixels between two points of the tissue's brightness

// Frames are those that points are followed through, behind the first.
static const struct size {
  uint32_t width, height, n_frames, n_points;
  uint32_t side, reach, block_threads;
} sizes[] = {{36, 32, 2, 5, 5, 1, 16},
             {64, 60, 3, 24, 7, 2, 16},
             {304, 296, 2, 128, 15, 7, 256},
             {609, 590, 10, 256, 15, 7, 256}};

static const float KEEP = 0.87f;

struct geometry {  // as in heartwall.c
  int32_t width, height, side, reach;
  float keep;
};

struct job {
  struct qsm_job base;
  struct qsm_array frames, geometry, first_places, first_templates;  // frames: without the first
  struct qsm_array places, fits;                                     // of every frame
  struct qsm_array scratch, templates;
  const struct size *size;
};

// ---- Frames ----

// The heart's size, as a share of that in the first frame: it beats once in 8 frames.
static float heart_size(uint32_t frame) {
  return 0.95f + 0.05f * qsm_cos(0.78539816f * (float)frame);
}

// Where in the tissue, counted in its points, a pixel at `at` of n looks.
static float tissue_at(uint32_t at, uint32_t n, float size) {
  float middle = 0.5f * (float)n;
  return fminf(fmaxf(middle + ((float)at - middle) / size, 0.0f), (float)(n + COARSE)) /
         (float)COARSE;
}

// Brightness of the tissue, which moves towards the middle and away from it, and noise that does
// not.
static void draw(const struct job *job, const uint8_t *tissue, uint32_t frame, struct qsm_rng *rng,
                 uint8_t *pixels) {
  uint32_t width = job->size->width, height = job->size->height, stride = width / COARSE + 4;
  float size = heart_size(frame);
  for (uint32_t i = 0; i < width * height; i++) {
    float x = tissue_at(i % width, width, size), y = tissue_at(i / width, height, size),
          right = x - floorf(x), low = y - floorf(y);
    const uint8_t *at = tissue + (uint32_t)y * stride + (uint32_t)x;
    float upper = (float)at[0] + right * ((float)at[1] - (float)at[0]),
          lower = (float)at[stride] + right * ((float)at[stride + 1] - (float)at[stride]);
    pixels[i] = (uint8_t)(upper + low * (lower - upper) + (float)qsm_rng_range(rng, 0, 15));
  }
}

// Half of the points on the inner wall, half on the outer.
static void place_points(const struct job *job, struct qsm_rng *rng, int32_t (*places)[2]) {
  const struct size *size = job->size;
  for (uint32_t i = 0; i < size->n_points; i++) {
    float radius = i % 2 ? 0.25f : 0.15f, angle = qsm_rng_float(rng, 0.0f, 6.2831853f);
    places[i][0] = (int32_t)((float)size->width * (0.5f + radius * qsm_cos(angle)));
    places[i][1] = (int32_t)((float)size->height * (0.5f + radius * qsm_sin(angle)));
  }
}

// ---- Following ----

static uint32_t n_pixels(const struct size *size) { return size->side * size->side; }

// The template around a place, its mean taken off.
static void cut_out(const struct size *size, const uint8_t *frame, int32_t left, int32_t top,
                    float *template) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < n_pixels(size); i++)
    sum += frame[((uint32_t)top + i / size->side) * size->width + (uint32_t)left + i % size->side];
  float mean = (float)sum / (float)n_pixels(size);
  for (uint32_t i = 0; i < n_pixels(size); i++) {
    template[i] = (float)frame[((uint32_t)top + i / size->side) * size->width + (uint32_t)left +
                               i % size->side] -
                  mean;
  }
}

static float fit(const struct size *size, const uint8_t *frame, int32_t left, int32_t top,
                 const float *template) {
  uint32_t pixels = 0, squares = 0;
  float sum = 0.0f;
  for (uint32_t i = 0; i < n_pixels(size); i++) {
    uint32_t pixel =
        frame[((uint32_t)top + i / size->side) * size->width + (uint32_t)left + i % size->side];
    sum = fmaf(template[i], (float)pixel, sum);
    pixels += pixel;
    squares += pixel * pixel;
  }
  uint32_t variance = n_pixels(size) * squares - pixels * pixels;
  return variance > 0 ? sum / sqrtf((float)variance) : 0.0f;
}

static int32_t clamp(int32_t value, int32_t high) {
  return value < 0 ? 0 : value > high ? high : value;
}

// Returns how well the template fits at `to`.
static float follow(const struct size *size, const uint8_t *frame, const int32_t from[2],
                    int32_t to[2], float *template, float *found) {
  int32_t side = (int32_t)size->side, n = side + 2 * (int32_t)size->reach;
  int32_t left = clamp(from[0] - n / 2, (int32_t)size->width - n),
          top = clamp(from[1] - n / 2, (int32_t)size->height - n);
  float best = -INFINITY;
  for (int32_t y = top; y <= top + n - side; y++) {
    for (int32_t x = left; x <= left + n - side; x++) {
      float here = fit(size, frame, x, y, template);
      if (here <= best) continue;
      best = here;
      to[0] = x + side / 2;
      to[1] = y + side / 2;
    }
  }
  cut_out(size, frame, to[0] - side / 2, to[1] - side / 2, found);
  for (uint32_t i = 0; i < n_pixels(size); i++)
    template[i] = fmaf(KEEP, template[i] - found[i], found[i]);
  return best;
}

static void follow_all(struct job *job) {
  const struct size *size = job->size;
  int32_t(*places)[2] = job->places.host;
  float *templates = job->templates.host, *fits = job->fits.host, *found = job->scratch.host;
  memcpy(templates, job->first_templates.host, 4 * size->n_points * n_pixels(size));
  for (uint32_t i = 0; i < size->n_frames * size->n_points; i++) {
    uint32_t frame = i / size->n_points, point = i % size->n_points;
    const int32_t(*from)[2] = frame == 0
                                  ? (const int32_t(*)[2])job->first_places.host
                                  : (const int32_t(*)[2])places + (frame - 1) * size->n_points;
    fits[i] = follow(size, (const uint8_t *)job->frames.host + frame * size->width * size->height,
                     from[point], places[i], templates + point * n_pixels(size), found);
  }
}

// ---- The program ----

static int generate(struct job *job, uint64_t seed) {
  const struct size *size = job->size;
  struct qsm_rng rng = {seed};
  uint32_t n_frame = size->width * size->height,
           n_tissue = (size->width / COARSE + 4) * (size->height / COARSE + 4);
  uint8_t *first = malloc(n_frame), *tissue = malloc(n_tissue);
  if (first != NULL && tissue != NULL) {
    int32_t(*places)[2] = job->first_places.host, half = (int32_t)size->side / 2;
    for (uint32_t i = 0; i < n_tissue; i++) tissue[i] = (uint8_t)qsm_rng_range(&rng, 0, 240);
    draw(job, tissue, 0, &rng, first);
    for (uint32_t i = 0; i < size->n_frames; i++)
      draw(job, tissue, i + 1, &rng, (uint8_t *)job->frames.host + i * n_frame);
    place_points(job, &rng, places);
    for (uint32_t i = 0; i < size->n_points; i++) {
      cut_out(size, first, places[i][0] - half, places[i][1] - half,
              (float *)job->first_templates.host + i * n_pixels(size));
    }
    const struct geometry geometry = {(int32_t)size->width, (int32_t)size->height,
                                      (int32_t)size->side, (int32_t)size->reach, KEEP};
    memcpy(job->geometry.host, &geometry, sizeof geometry);
    follow_all(job);
  }
  int failed = first == NULL || tissue == NULL;
  free(first);
  free(tissue);
  return failed ? -1 : 0;
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size_index) {
  struct job *job = (struct job *)base;
  const struct size *size = job->size = &sizes[size_index];
  if (qsm_array_create(base, &job->frames, QSM_INPUT, size->n_frames * size->width * size->height,
                       1) != 0 ||
      qsm_array_create(base, &job->geometry, QSM_INPUT, 1, sizeof(struct geometry)) != 0 ||
      qsm_array_create(base, &job->first_places, QSM_INPUT, size->n_points, 8) != 0 ||
      qsm_array_create(base, &job->first_templates, QSM_INPUT, size->n_points * n_pixels(size),
                       4) != 0 ||
      qsm_array_create(base, &job->places, QSM_OUTPUT, size->n_frames * size->n_points, 8) != 0 ||
      qsm_array_create(base, &job->fits, QSM_OUTPUT, size->n_frames * size->n_points, 4) != 0 ||
      qsm_array_create(base, &job->scratch, QSM_SCRATCH, size->n_points * n_pixels(size), 4) != 0 ||
      qsm_array_create(base, &job->templates, QSM_OUTPUT, size->n_points * n_pixels(size), 4) !=
          0) {
    return -1;
  }
  return generate(job, seed);
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  uint32_t frame = base->n_launched, n = size->side + 2 * size->reach;
  if (frame == size->n_frames) return 0;
  struct qsm_from_to turn =
      qsm_alternate(&job->first_templates, &job->scratch, &job->templates, frame, size->n_frames);
  *launch = (struct qsm_suite_launch){
      .symbol = "heartwall",
      .grid = {size->n_points, 1, 1},
      .block = {size->block_threads, 1, 1},
      .shared_bytes =
          4 * (n * n + n_pixels(size) + 2 * size->block_threads + 2 * (n + 1) * (n + 1)),
      .args = {job->frames.addr + frame * size->width * size->height, job->geometry.addr,
               frame == 0 ? job->first_places.addr
                          : job->places.addr + 8 * (frame - 1) * size->n_points,
               job->places.addr + 8 * frame * size->n_points, turn.from, turn.to,
               job->fits.addr + 4 * frame * size->n_points},
  };
  return 1;
}

const struct qsm_suite_program qsm_heartwall = {
    .name = "heartwall",
    .about = "points of the heart's walls followed through frames by matching templates",
    .bound = "compute",
    .paper = "LoGA (Rodinia)",
    .source =
        "Szafaryn, Skadron, Saucerman, BiC 2009; Lewis, \"Fast template matching\", Vision Interface 1995",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
