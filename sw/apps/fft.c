// SPDX-License-Identifier: Apache-2.0
// Filters an image by its spectrum, and makes smaller ones from the middle of it: transforms of all
// rows between passes that only move data.
#include <stdio.h>

#include "qsm_math.h"
#include "qsm_app_plan.h"

// Transforms in shared memory take 16 bytes per number.
static const struct {
  uint32_t side, n_levels, n_filters, block, n_threads;
} sizes[] = {{16, 2, 2, 4, 8}, {256, 3, 3, 16, 128}, {512, 3, 2, 16, 256}};

struct complex {
  float real, imaginary;
};

// ---- References ----

// The definition by halves (Danielson and Lanczos, 1942).
static void transform(const struct complex *in, struct complex *out, const struct complex *factors,
                      uint32_t n, uint32_t stride) {
  if (n == 1) {
    *out = *in;
    return;
  }
  transform(in, out, factors, n / 2, 2 * stride);
  transform(in + stride, out + n / 2, factors, n / 2, 2 * stride);
  for (uint32_t i = 0; i < n / 2; i++) {
    struct complex a = out[i], b = out[i + n / 2], w = factors[i * stride];
    struct complex turned = {fmaf(b.real, w.real, -(b.imaginary * w.imaginary)),
                             fmaf(b.real, w.imaginary, b.imaginary * w.real)};
    out[i] = (struct complex){a.real + turned.real, a.imaginary + turned.imaginary};
    out[i + n / 2] = (struct complex){a.real - turned.real, a.imaginary - turned.imaginary};
  }
}

static void fft(const struct qsm_app_call *call) {
  uint32_t n = call->number[3];
  for (uint32_t row = 0; row < call->grid.x; row++)
    transform((const struct complex *)call->at[0] + row * n,
              (struct complex *)call->at[1] + row * n, call->at[2], n, 1);
}

static void transpose(const struct qsm_app_call *call) {
  const struct complex *in = call->at[0];
  struct complex *out = call->at[1];
  uint32_t side = call->number[2];
  for (uint32_t i = 0; i < side * side; i++) out[i % side * side + i / side] = in[i];
}

static void multiply(const struct qsm_app_call *call) {
  const struct complex *a = call->at[0], *b = call->at[1];
  struct complex *out = call->at[2];
  for (uint32_t i = 0; i < call->number[3]; i++) {
    out[i].real = fmaf(a[i].real, b[i].real, -(a[i].imaginary * b[i].imaginary));
    out[i].imaginary = -fmaf(a[i].real, b[i].imaginary, a[i].imaginary * b[i].real);
  }
}

static void scale(const struct qsm_app_call *call) {
  const struct complex *in = call->at[0];
  struct complex *out = call->at[1];
  float factor = qsm_from_bits(call->number[3]);
  for (uint32_t i = 0; i < call->number[2]; i++)
    out[i] = (struct complex){in[i].real * factor, -in[i].imaginary * factor};
}

static void crop(const struct qsm_app_call *call) {
  const struct complex *in = call->at[0];
  struct complex *out = call->at[1];
  uint32_t side = call->number[2], small = call->number[3];
  for (uint32_t i = 0; i < small * small; i++) {
    uint32_t x = i % small, y = i / small;
    out[i] =
        in[(y < small / 2 ? y : y + side - small) * side + (x < small / 2 ? x : x + side - small)];
  }
}

static const struct qsm_app_kernel fft_kernel = {"fft", "rwrn", fft},
                                   transpose_kernel = {"transpose", "rwn", transpose},
                                   multiply_kernel = {"multiply", "rrwn", multiply},
                                   scale_kernel = {"scale", "rwnn", scale},
                                   crop_kernel = {"crop", "rwnn", crop};

// ---- Steps ----

static void fill_factors(struct qsm_app_random *random, void *host, size_t bytes,
                         const struct qsm_app_content *content) {
  struct complex *factors = host;
  (void)random, (void)content;
  for (size_t i = 0, n = bytes / sizeof *factors; i < n; i++) {
    float angle = -3.14159265f * (float)i / (float)n;
    factors[i] = (struct complex){qsm_cos(angle), qsm_sin(angle)};
  }
}

struct planner {
  struct qsm_app_plan *plan;
  enum qsm_app_size size;
  uint32_t level;
};

static const char *name_of(char name[56], const struct planner *to, const char *what) {
  snprintf(name, 56, "level%u.%s", to->level, what);
  return name;
}

static uint32_t add(const struct planner *to, const char *what, enum qsm_app_role role, uint32_t n,
                    struct qsm_app_content content) {
  char name[56];
  return qsm_app_plan_buffer(to->plan, name_of(name, to, what), role,
                             sizeof(struct complex) * (size_t)n, content);
}

static uint32_t add_room(const struct planner *to, const char *what, uint32_t n) {
  return add(to, what, QSM_APP_BETWEEN, n, (struct qsm_app_content){.fill = NULL});
}

static void add_line(const struct planner *to, const char *what,
                     const struct qsm_app_kernel *kernel, uint32_t n, uint32_t n_y,
                     const qsm_app_argument *args) {
  char name[56];
  uint32_t n_threads = sizes[to->size].n_threads;
  qsm_app_plan_step(to->plan, name_of(name, to, what), kernel,
                    (qsmDim3){qsm_app_div_up(n, n_threads), n_y, 1}, (qsmDim3){n_threads, 1, 1}, 0,
                    args);
}

// All rows, then, transposed, all columns: the transform comes out transposed.
static uint32_t add_transform(const struct planner *to, const char *what, uint32_t in,
                              uint32_t factors, uint32_t side) {
  char name[56], part[32];
  uint32_t n = side * side, b = sizes[to->size].block, n_threads = sizes[to->size].n_threads;
  const char *parts[] = {"rows", "turn", "columns"};
  for (uint32_t i = 0; i < 3; i++) {
    snprintf(part, sizeof part, "%s.%s", what, parts[i]);
    uint32_t out = add_room(to, part, n);
    const qsm_app_argument rows[] = {in, out, factors, side}, turn[] = {in, out, side};
    name_of(name, to, part);
    if (i == 1)
      qsm_app_plan_step(to->plan, name, &transpose_kernel,
                        (qsmDim3){qsm_app_div_up(side, b), qsm_app_div_up(side, b), 1},
                        (qsmDim3){b, b, 1}, 8 * b * (b + 1), turn);
    else
      qsm_app_plan_step(to->plan, name, &fft_kernel, (qsmDim3){side, 1, 1},
                        (qsmDim3){n_threads < side / 2 ? n_threads : side / 2, 1, 1}, 16 * side,
                        rows);
    in = out;
  }
  return in;
}

// The spectrum times a filter, and back.
static void add_filter(const struct planner *to, uint32_t number, uint32_t spectrum,
                       uint32_t factors, uint32_t side) {
  const struct qsm_app_content floats = {qsm_app_fill_floats, -1.0f, 1.0f, {0}};
  char filter_name[20], what[32];
  uint32_t n = side * side;
  snprintf(filter_name, sizeof filter_name, "filter%u", number);
  uint32_t filter = add(to, filter_name, QSM_APP_WEIGHTS, n, floats);
  snprintf(what, sizeof what, "%s.multiply", filter_name);
  uint32_t product = add_room(to, what, n);
  const qsm_app_argument first[] = {spectrum, filter, product, n};
  add_line(to, what, &multiply_kernel, n, 1, first);
  uint32_t back = add_transform(to, filter_name, product, factors, side);
  snprintf(what, sizeof what, "%s.scale", filter_name);
  uint32_t out = add_room(to, what, n);
  qsm_app_plan_set_role(to->plan, out, QSM_APP_OUTPUT);
  const qsm_app_argument second[] = {back, out, n, qsm_to_bits(1.0f / (float)n)};
  add_line(to, what, &scale_kernel, n, 1, second);
}

static int plan(struct qsm_app_plan *plan, enum qsm_app_size size) {
  const struct qsm_app_content floats = {qsm_app_fill_floats, -1.0f, 1.0f, {0}},
                               roots = {.fill = fill_factors};
  struct planner to = {plan, size, 0};
  uint32_t side = sizes[size].side,
           image =
               qsm_app_plan_buffer(plan, "image", QSM_APP_INPUT, 8 * (size_t)side * side, floats),
           factors = add(&to, "factors", QSM_APP_WEIGHTS, side / 2, roots),
           spectrum = add_transform(&to, "forth", image, factors, side);
  for (; to.level < sizes[size].n_levels; to.level++, side /= 2) {
    if (to.level > 0) {
      uint32_t part = add_room(&to, "crop", side * side);
      const qsm_app_argument args[] = {spectrum, part, 2 * side, side};
      add_line(&to, "crop", &crop_kernel, side, side, args);
      factors = add(&to, "factors", QSM_APP_WEIGHTS, side / 2, roots);
      spectrum = part;
    }
    for (uint32_t i = 0; i < sizes[size].n_filters; i++)
      add_filter(&to, i, spectrum, factors, side);
  }
  return qsm_app_plan_failed(plan) ? -1 : 0;
}

const struct qsm_app qsm_app_fft = {
    .name = "fft",
    .about =
        "an image filtered by its spectrum at three sizes: transforms, and passes that move data",
    .program = "app_fft",
    .source = "Cochran et al., \"What is the fast Fourier transform?\", Proc. IEEE 55(10), 1967",
    .needs_fpu = true,
    .plan = plan,
};
