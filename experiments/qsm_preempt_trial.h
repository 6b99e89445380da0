// SPDX-License-Identifier: Apache-2.0
// Launches of preempt_kernels.c on the model, each on a GPU of its own, undisturbed or with one
// preemption. Functions return 0, or -1 with the reason in msg.
#ifndef QSM_PREEMPT_TRIAL_H
#define QSM_PREEMPT_TRIAL_H

#include "qsm_config.h"
#include "qsm_random.h"
#include "qsm_runtime.h"

enum { QSM_TRIAL_INPUT_WORDS = 16384 };
enum qsm_trial_kernel { QSM_TRIAL_COMPUTE, QSM_TRIAL_MEMORY, QSM_TRIAL_KERNELS };

struct qsm_trials {
  const char *config_name, *program;
  uint64_t seed;
  uint32_t rounds;  // of a thread's loop
  // Filled by qsm_trials_open.
  struct qsm_config config;
  struct qsm_random random;
  uint32_t input[QSM_TRIAL_INPUT_WORDS];
  char msg[512];
};

struct qsm_trial_shape {
  uint32_t kernel, warps, shared_bytes;
};

// Cycles of one preemption. Of a drain restore and away mean nothing.
struct qsm_trial_cost {
  uint32_t sm;
  uint64_t at;       // from the launch to the request
  uint64_t done;     // from the request until the block's place on the SM is free
  uint64_t restore;  // from the block's dispatch until it runs again
  uint64_t away;     // from the request until it runs again
  int64_t added;     // to the launch
};

extern const char *const qsm_trial_kernel_names[QSM_TRIAL_KERNELS];
extern const char *const qsm_trial_technique_names[3];

int qsm_trials_open(struct qsm_trials *trials);
// Length of the launch, whose outputs are right.
int qsm_trial_undisturbed(struct qsm_trials *trials, const struct qsm_trial_shape *shape,
                          uint64_t *n_cycles);
// One preemption at a random moment of the middle half of a launch, on a random SM; the outputs are
// right.
int qsm_trial_preempted(struct qsm_trials *trials, const struct qsm_trial_shape *shape,
                        qsmTechnique technique, uint64_t undisturbed, struct qsm_trial_cost *cost);

#endif
