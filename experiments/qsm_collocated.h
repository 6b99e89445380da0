// SPDX-License-Identifier: Apache-2.0
// Applications side by side on one GPU of the model, each in a stream of its own context; who
// decides their SMs and caches is qsm_collocation.h (docs/collocated.md).
#ifndef QSM_COLLOCATED_H
#define QSM_COLLOCATED_H

#include "qsm_app.h"
#include "qsm_collocation.h"
#include "qsm_profile.h"

enum { QSM_COLLOCATED_MOST = 8 };

struct qsm_collocated_app {
  const struct qsm_app *app;
  const struct qsm_profile *profile;  // NULL: only under serial and concurrent
};

struct qsm_collocated_setting {
  const char *config, *kernel_folder;
  enum qsm_app_size size;
  struct qsm_collocated_app app[QSM_COLLOCATED_MOST];
  uint32_t n_apps, n_passes;  // of each
  struct qsm_collocation_options options;
  uint64_t seed;             // of weights and inputs
  uint32_t decision_cycles;  // that the host takes for a launch that is decided anew
  uint32_t poll_cycles;      // between two looks of the host, at least 1
};

struct qsm_collocated_outcome {
  struct {
    uint64_t begin, end;  // cycles from the start of all: call of its first launch, end of its last
    uint32_t n_launches, n_decided;
  } app[QSM_COLLOCATED_MOST];
  uint64_t n_cycles;  // until the last one has ended
};

// Each application runs its passes; one that has ended is not launched again. Outputs are checked
// after all have ended. 0, or -1 with a message.
int qsm_collocated_run(const struct qsm_collocated_setting *setting,
                       struct qsm_collocated_outcome *outcome, char *msg, size_t msg_len);

#endif
