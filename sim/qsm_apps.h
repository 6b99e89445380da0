// SPDX-License-Identifier: Apache-2.0
// `qsm apps` and `qsm app NAME`: the applications, and one alone on the model.
#ifndef QSM_APPS_H
#define QSM_APPS_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_app.h"

struct qsm_apps_options {
  const char *name, *config;
  enum qsm_app_size size;
  uint64_t seed;  // of weights and input
  bool all;       // all applications, a line of a table for each
};

// Each returns an exit code of the command.
int qsm_apps_list(void);
int qsm_apps_run(const struct qsm_apps_options *options);

#endif
