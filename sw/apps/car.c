// SPDX-License-Identifier: Apache-2.0
// A pyramid of images: each level is a quarter of the one before, and what it loses is kept.
#include <stdio.h>

#include "qsm_math.h"
#include "qsm_app_plan.h"

enum { N_COLOURS = 3, SCALE = 2, SAMPLES_SIDE = 6, N_SAMPLES = SAMPLES_SIDE * SAMPLES_SIDE };

// Of the image at the bottom.
static const struct {
  uint32_t width, height, n_levels, block_x, block_y, n_threads;
} sizes[] = {{16, 12, 2, 4, 4, 16}, {288, 224, 4, 16, 8, 128}, {384, 320, 5, 16, 16, 256}};

// ---- References ----

static void weights(const struct qsm_app_call *call) {
  const float *raw = call->at[0];
  float *to = call->at[1];
  uint32_t n = call->number[2], n_samples = call->number[3];
  for (uint32_t pixel = 0; pixel < n; pixel++) {
    float greatest = raw[pixel], sum = 0.0f;
    for (uint32_t i = 1; i < n_samples; i++)
      if (raw[i * n + pixel] > greatest) greatest = raw[i * n + pixel];
    for (uint32_t i = 0; i < n_samples; i++)
      sum += to[i * n + pixel] = qsm_exp(raw[i * n + pixel] - greatest);
    float factor = 1.0f / sum;
    for (uint32_t i = 0; i < n_samples; i++) to[i * n + pixel] *= factor;
  }
}

static float clamp(float value, float high) {
  return value < 0.0f ? 0.0f : value > high ? high : value;
}

static float between(float share, float a, float b) { return fmaf(share, b - a, a); }

// The value at a place between pixels; the border goes on as it ends.
static float value_at(const float *plane, uint32_t width, uint32_t height, float x, float y) {
  x = clamp(x, (float)(width - 1));
  y = clamp(y, (float)(height - 1));
  uint32_t left = (uint32_t)floorf(x), top = (uint32_t)floorf(y),
           right = left + 1 < width ? left + 1 : left, below = top + 1 < height ? top + 1 : top;
  float share_x = x - (float)left, share_y = y - (float)top;
  return between(share_y, between(share_x, plane[top * width + left], plane[top * width + right]),
                 between(share_x, plane[below * width + left], plane[below * width + right]));
}

static void resample(const struct qsm_app_call *call) {
  const float *image = call->at[0], *weight = call->at[1], *offsets = call->at[2];
  float *to = call->at[3];
  uint32_t width = call->number[4], height = call->number[5], scale = call->number[6],
           side = call->number[7], n = width * height;
  for (uint32_t i = 0; i < N_COLOURS * n; i++) {
    uint32_t pixel = i % n;
    float half = 0.5f * (float)side, sum = 0.0f;
    float x = fmaf((float)(pixel % width) + 0.5f, (float)scale, -0.5f) - half,
          y = fmaf((float)(pixel / width) + 0.5f, (float)scale, -0.5f) - half;
    for (uint32_t j = 0; j < side * side; j++) {
      float value = value_at(image + i / n * n * scale * scale, width * scale, height * scale,
                             x + (float)(j % side) + offsets[j * n + pixel],
                             y + (float)(j / side) + offsets[(side * side + j) * n + pixel]);
      sum = fmaf(weight[j * n + pixel], value, sum);
    }
    to[i] = sum;
  }
}

static void round_values(const struct qsm_app_call *call) {
  const float *in = call->at[0];
  float *out = call->at[1];
  for (uint32_t i = 0; i < call->number[2]; i++) out[i] = (float)qsm_round(clamp(in[i], 255.0f));
}

// Pixels of the small image lie in the middle of scale x scale of the large one.
static void detail(const struct qsm_app_call *call) {
  const float *image = call->at[0], *small = call->at[1];
  float *to = call->at[2];
  uint32_t width = call->number[3], height = call->number[4], scale = call->number[5],
           n = width * height, n_small = n / (scale * scale);
  for (uint32_t i = 0; i < N_COLOURS * n; i++) {
    float x = ((float)(i % width) + 0.5f) / (float)scale - 0.5f,
          y = ((float)(i % n / width) + 0.5f) / (float)scale - 0.5f;
    to[i] = image[i] - value_at(small + i / n * n_small, width / scale, height / scale, x, y);
  }
}

static const struct qsm_app_kernel weights_kernel = {"car_weights", "rwnn", weights},
                                   car_kernel = {"car", "rrrwnnnn", resample},
                                   round_kernel = {"car_round", "rwn", round_values},
                                   detail_kernel = {"car_detail", "rrwnnn", detail};

// ---- Steps ----

static void fill_image(struct qsm_app_random *random, void *host, size_t bytes,
                       const struct qsm_app_content *content) {
  float *values = host;
  (void)content;
  for (size_t i = 0; i < bytes / 4; i++) values[i] = (float)qsm_app_random_range(random, 0, 255);
}

static uint32_t add(struct qsm_app_plan *plan, uint32_t level, const char *what,
                    enum qsm_app_role role, uint32_t n, struct qsm_app_content content) {
  char name[32];
  snprintf(name, sizeof name, "level%u.%s", level, what);
  return qsm_app_plan_buffer(plan, name, role, 4 * (size_t)n, content);
}

static void add_step(struct qsm_app_plan *plan, uint32_t level, const char *what,
                     const struct qsm_app_kernel *kernel, qsmDim3 grid, qsmDim3 block,
                     uint32_t shared_bytes, const qsm_app_argument *args) {
  char name[32];
  snprintf(name, sizeof name, "level%u.%s", level, what);
  qsm_app_plan_step(plan, name, kernel, grid, block, shared_bytes, args);
}

static int plan(struct qsm_app_plan *plan, enum qsm_app_size size) {
  const struct qsm_app_content image_content = {.fill = fill_image}, nothing = {.fill = NULL},
                               raw_content = {qsm_app_fill_floats, -2.0f, 2.0f, {0}},
                               offset_content = {qsm_app_fill_floats, -2.0f, 2.0f, {0}};
  uint32_t width = sizes[size].width, height = sizes[size].height, x = sizes[size].block_x,
           y = sizes[size].block_y, n_threads = sizes[size].n_threads;
  uint32_t image = qsm_app_plan_buffer(plan, "image", QSM_APP_INPUT,
                                       4 * (size_t)N_COLOURS * width * height, image_content);
  const qsmDim3 line = {n_threads, 1, 1}, tile = {x, y, 1};
  for (uint32_t level = 1; level <= sizes[size].n_levels; level++, width /= 2, height /= 2) {
    uint32_t n = width * height / (SCALE * SCALE), small_x = width / 2, small_y = height / 2;
    uint32_t raw = add(plan, level, "raw", QSM_APP_WEIGHTS, N_SAMPLES * n, raw_content),
             offsets =
                 add(plan, level, "offsets", QSM_APP_WEIGHTS, 2 * N_SAMPLES * n, offset_content),
             weight = add(plan, level, "weights", QSM_APP_BETWEEN, N_SAMPLES * n, nothing),
             exact = add(plan, level, "exact", QSM_APP_BETWEEN, N_COLOURS * n, nothing),
             small = add(plan, level, "small", QSM_APP_OUTPUT, N_COLOURS * n, nothing),
             lost = add(plan, level, "detail", QSM_APP_OUTPUT, N_COLOURS * width * height, nothing);
    const qsm_app_argument first[] = {raw, weight, n, N_SAMPLES},
                           second[] = {image,   weight,  offsets, exact,
                                       small_x, small_y, SCALE,   SAMPLES_SIDE},
                           third[] = {exact, small, N_COLOURS * n},
                           fourth[] = {image, small, lost, width, height, SCALE};
    add_step(plan, level, "weights", &weights_kernel, (qsmDim3){qsm_app_div_up(n, n_threads), 1, 1},
             line, 0, first);
    add_step(plan, level, "resample", &car_kernel,
             (qsmDim3){qsm_app_div_up(small_x, x), qsm_app_div_up(small_y, y), 1}, tile, 0, second);
    add_step(plan, level, "round", &round_kernel,
             (qsmDim3){qsm_app_div_up(N_COLOURS * n, n_threads), 1, 1}, line, 0, third);
    add_step(plan, level, "detail", &detail_kernel,
             (qsmDim3){qsm_app_div_up(width, x), qsm_app_div_up(height, y), N_COLOURS}, tile,
             4 * (x / SCALE + 2) * (y / SCALE + 2), fourth);
    image = small;
  }
  return qsm_app_plan_failed(plan) ? -1 : 0;
}

const struct qsm_app qsm_app_car = {
    .name = "car",
    .about = "a pyramid of images by content adaptive resampling, each a quarter of the last",
    .program = "app_car",
    .source =
        "Sun, Chen, \"Learned image downscaling for upscaling using content adaptive resampler\", IEEE Trans. Image Processing 29, 2020",
    .needs_fpu = true,
    .plan = plan,
};
