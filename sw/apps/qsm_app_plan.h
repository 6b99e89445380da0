// SPDX-License-Identifier: Apache-2.0
// How an application says its buffers and steps (inside sw/apps/ only).
#ifndef QSM_APP_PLAN_H
#define QSM_APP_PLAN_H

#include "qsm_app.h"

// xorshift64* from a seed (docs/applications.md R-AP-5).
struct qsm_app_random {
  uint64_t state;
};
struct qsm_app_random qsm_app_random_of(uint64_t seed);
uint32_t qsm_app_random_next(struct qsm_app_random *random);
// Uniform in low .. high, both included.
uint32_t qsm_app_random_range(struct qsm_app_random *random, uint32_t low, uint32_t high);
// One of 2^24 values evenly spread over low .. high.
float qsm_app_random_float(struct qsm_app_random *random, float low, float high);

// What a buffer of weights or input begins with.
struct qsm_app_content {
  // NULL: zeros.
  void (*fill)(struct qsm_app_random *random, void *host, size_t bytes,
               const struct qsm_app_content *content);
  float low, high;
  uint32_t number[4];  // for `fill` to know
};
// Floats of low .. high.
void qsm_app_fill_floats(struct qsm_app_random *random, void *host, size_t bytes,
                         const struct qsm_app_content *content);
// Words of number[0] .. number[1].
void qsm_app_fill_words(struct qsm_app_random *random, void *host, size_t bytes,
                        const struct qsm_app_content *content);

// A step as its reference sees it: by argument the host's copy of a buffer, or a number.
struct qsm_app_call {
  qsmDim3 grid, block;
  void *const *at;
  const uint32_t *number;
};

struct qsm_app_kernel {
  const char *name;
  // A letter for each argument: r and w a buffer that is read or written, u one that is both, n a
  // number.
  const char *pattern;
  // Does on the host what the launch does.
  void (*reference)(const struct qsm_app_call *call);
};

// An argument: a number, or a buffer by its number with an offset in bytes.
typedef uint64_t qsm_app_argument;
static inline qsm_app_argument qsm_app_at(uint32_t buffer, uint32_t offset) {
  return (uint64_t)offset << 32 | buffer;
}

// Numbers of buffers begin with 0. What finds no memory makes the whole plan fail.
uint32_t qsm_app_plan_buffer(struct qsm_app_plan *plan, const char *name, enum qsm_app_role role,
                             size_t bytes, struct qsm_app_content content);
void qsm_app_plan_set_role(struct qsm_app_plan *plan, uint32_t buffer, enum qsm_app_role role);
// The name is copied; args: one for each letter of the kernel's pattern.
void qsm_app_plan_step(struct qsm_app_plan *plan, const char *name,
                       const struct qsm_app_kernel *kernel, qsmDim3 grid, qsmDim3 block,
                       uint32_t shared_bytes, const qsm_app_argument *args);
bool qsm_app_plan_failed(const struct qsm_app_plan *plan);

static inline uint32_t qsm_app_div_up(uint32_t dividend, uint32_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

#endif
