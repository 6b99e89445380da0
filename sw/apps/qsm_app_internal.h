// SPDX-License-Identifier: Apache-2.0
// A plan and a run as the library sees them.
#ifndef QSM_APP_INTERNAL_H
#define QSM_APP_INTERNAL_H

#include "qsm_app_plan.h"

struct qsm_app_place {  // a buffer
  struct qsm_app_buffer shown;
  struct qsm_app_content content;
  uint8_t *host;  // weights and input; of the others what the reference has made
};

struct qsm_app_launch_plan {  // a step
  struct qsm_app_step shown;
  const struct qsm_app_kernel *kernel;
  qsm_app_argument args[QSM_APP_MOST_ARGS];
};

struct qsm_app_plan {
  struct qsm_app_place *buffers;
  struct qsm_app_launch_plan *steps;
  uint32_t n_buffers, n_steps, n_distinct;
  bool failed;  // no memory
};

// 0, or -1: no memory of the host.
int qsm_app_plan_make(struct qsm_app_plan *plan, const struct qsm_app *app, enum qsm_app_size size);
void qsm_app_plan_free(struct qsm_app_plan *plan);
uint64_t qsm_app_plan_bytes(const struct qsm_app_plan *plan);

// What the reference makes of weights and input, for tests of the references: 0, or -1: no memory.
int qsm_app_plan_fill(struct qsm_app_plan *plan, uint64_t weight_seed, uint64_t input_seed);
void qsm_app_plan_refer(struct qsm_app_plan *plan);

#endif
