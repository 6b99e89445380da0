// SPDX-License-Identifier: Apache-2.0
// Brings one set of points to another, from coarse to fine: four times as many distances at each
// level, and between them a choice by one thread.
#include <stdio.h>
#include <string.h>

#include "qsm_math.h"
#include "qsm_app_plan.h"

enum { SHIFTS = 9, SIDE = 3, MOST_LEVELS = 4 };

static const struct {
  uint32_t n_a, n_b, n_levels, step[MOST_LEVELS], block_threads;
} sizes[] = {{45, 50, 2, {4, 2}, 16},
             {3000, 3300, 4, {16, 8, 4, 2}, 64},
             {6000, 7000, 4, {16, 8, 4, 2}, 128}};

typedef float point[2];

// ---- References ----

static void clear(const struct qsm_app_call *call) {
  memset(call->at[0], 0, 4 * (size_t)call->number[1]);
}

static float nearest(const float *own, const point *others, uint32_t n, uint32_t step) {
  float least = INFINITY;
  for (uint32_t i = 0; i < n; i += step) {
    float dx = own[0] - others[i][0], dy = own[1] - others[i][1], distance = fmaf(dx, dx, dy * dy);
    if (distance < least) least = distance;
  }
  return least;
}

static void shift_by(point at, const float *best, uint32_t shift, float spacing) {
  at[0] = fmaf((float)(shift % SIDE) - 1.0f, spacing, best[0]);
  at[1] = fmaf((float)(shift / SIDE) - 1.0f, spacing, best[1]);
}

static void distances(const struct qsm_app_call *call) {
  const point *a = call->at[0], *b = call->at[2];
  uint32_t *greatest = call->at[7], step = call->number[4];
  for (uint32_t shift = 0; shift < SHIFTS; shift++) {
    point by;
    shift_by(by, call->at[5], shift, qsm_from_bits(call->number[6]));
    float most = qsm_from_bits(greatest[shift]);
    for (uint32_t i = 0; i < call->number[1]; i += step) {
      const point own = {a[i][0] + by[0], a[i][1] + by[1]};
      float least = nearest(own, b, call->number[3], step);
      if (least > most) most = least;
    }
    greatest[shift] = qsm_to_bits(most);
  }
}

static void choose(const struct qsm_app_call *call) {
  const uint32_t *greatest = call->at[0];
  uint32_t least = 0;
  for (uint32_t i = 1; i < SHIFTS; i++)
    if (qsm_from_bits(greatest[i]) < qsm_from_bits(greatest[least])) least = i;
  shift_by(call->at[2], call->at[1], least, qsm_from_bits(call->number[3]));
}

static void move(const struct qsm_app_call *call) {
  const point *a = call->at[0];
  const float *best = call->at[2];
  point *moved = call->at[1];
  for (uint32_t i = 0; i < call->number[3]; i++) {
    moved[i][0] = a[i][0] + best[0];
    moved[i][1] = a[i][1] + best[1];
  }
}

static void hausdorff(const struct qsm_app_call *call) {
  uint32_t n_a = call->number[1], n_b = call->number[3], *greatest = call->at[4];
  const point *a = call->at[0], *b = call->at[2];
  float most = qsm_from_bits(*greatest);
  for (uint32_t i = 0; i < n_a + n_b; i++) {
    float least = i < n_a ? nearest(a[i], b, n_b, 1) : nearest(b[i - n_a], a, n_a, 1);
    if (least > most) most = least;
  }
  *greatest = qsm_to_bits(most);
}

static const struct qsm_app_kernel clear_kernel = {"clear_words", "wn", clear},
                                   distances_kernel = {"shift_distances", "rnrnnrnu", distances},
                                   choose_kernel = {"choose_shift", "rrwn", choose},
                                   move_kernel = {"move_points", "rwrn", move},
                                   hausdorff_kernel = {"hausdorff", "rnrnu", hausdorff};

// ---- Steps ----

static void fill_points(struct qsm_app_random *random, void *host, size_t bytes,
                        const struct qsm_app_content *content) {
  point *points = host;
  for (size_t i = 0; i < bytes / sizeof *points; i++)
    for (int j = 0; j < 2; j++)
      points[i][j] = qsm_app_random_float(random, content->low, content->high);
}

static void add_clear(struct qsm_app_plan *plan, const char *name, uint32_t buffer, uint32_t n) {
  const qsm_app_argument args[] = {buffer, n};
  qsm_app_plan_step(plan, name, &clear_kernel, (qsmDim3){1, 1, 1}, (qsmDim3){16, 1, 1}, 0, args);
}

static int plan(struct qsm_app_plan *plan, enum qsm_app_size size) {
  const struct qsm_app_content nothing = {.fill = NULL};
  uint32_t n_a = sizes[size].n_a, n_b = sizes[size].n_b, n_threads = sizes[size].block_threads;
  // The second set is the reference; the first one, as it arrives, lies off by up to two.
  uint32_t a = qsm_app_plan_buffer(plan, "a", QSM_APP_INPUT, 8 * (size_t)n_a,
                                   (struct qsm_app_content){fill_points, 1.3f, 11.3f, {0}}),
           b = qsm_app_plan_buffer(plan, "b", QSM_APP_WEIGHTS, 8 * (size_t)n_b,
                                   (struct qsm_app_content){fill_points, 0.0f, 10.0f, {0}}),
           best = qsm_app_plan_buffer(plan, "zero", QSM_APP_WEIGHTS, 8, nothing);
  char name[32];
  for (uint32_t level = 0; level < sizes[size].n_levels; level++) {
    uint32_t step = sizes[size].step[level], spacing = qsm_to_bits(1.0f / (float)(1 << level));
    snprintf(name, sizeof name, "level%u.greatest", level);
    uint32_t greatest = qsm_app_plan_buffer(plan, name, QSM_APP_OUTPUT, 4 * SHIFTS, nothing);
    snprintf(name, sizeof name, "level%u.best", level);
    uint32_t next = qsm_app_plan_buffer(plan, name, QSM_APP_OUTPUT, 8, nothing);
    const qsm_app_argument first[] = {a, n_a, b, n_b, step, best, spacing, greatest},
                           second[] = {greatest, best, next, spacing};
    snprintf(name, sizeof name, "level%u.clear", level);
    add_clear(plan, name, greatest, SHIFTS);
    snprintf(name, sizeof name, "level%u.distances", level);
    qsm_app_plan_step(plan, name, &distances_kernel,
                      (qsmDim3){qsm_app_div_up(qsm_app_div_up(n_a, step), n_threads), SHIFTS, 1},
                      (qsmDim3){n_threads, 1, 1}, 8 * n_threads, first);
    snprintf(name, sizeof name, "level%u.choose", level);
    qsm_app_plan_step(plan, name, &choose_kernel, (qsmDim3){1, 1, 1}, (qsmDim3){16, 1, 1}, 0,
                      second);
    best = next;
  }
  uint32_t moved = qsm_app_plan_buffer(plan, "moved", QSM_APP_BETWEEN, 8 * (size_t)n_a, nothing),
           distance = qsm_app_plan_buffer(plan, "distance", QSM_APP_OUTPUT, 4, nothing);
  const qsm_app_argument third[] = {a, moved, best, n_a}, fourth[] = {moved, n_a, b, n_b, distance};
  qsm_app_plan_step(plan, "move", &move_kernel, (qsmDim3){qsm_app_div_up(n_a, n_threads), 1, 1},
                    (qsmDim3){n_threads, 1, 1}, 0, third);
  add_clear(plan, "clear", distance, 1);
  qsm_app_plan_step(plan, "distance", &hausdorff_kernel,
                    (qsmDim3){qsm_app_div_up(n_a > n_b ? n_a : n_b, n_threads), 2, 1},
                    (qsmDim3){n_threads, 1, 1}, 8 * n_threads, fourth);
  return qsm_app_plan_failed(plan) ? -1 : 0;
}

const struct qsm_app qsm_app_hausdorff = {
    .name = "hausdorff",
    .about = "two sets of points brought together, from coarse to fine",
    .program = "app_hausdorff",
    .source =
        "Huttenlocher, Klanderman, Rucklidge, \"Comparing images using the Hausdorff distance\", IEEE Trans. PAMI 15(9), 1993",
    .needs_fpu = true,
    .plan = plan,
};
