// SPDX-License-Identifier: Apache-2.0
// `qsm sweep`: expands a sweep file and runs what its database does not hold yet, on all cores
// (docs/sweeps.md).
#ifndef QSM_SWEEP_H
#define QSM_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_run.h"

struct qsm_sweep_options {
  const char *file;
  const char *db;   // NULL: qsm-results/NAME.db
  uint32_t n_jobs;  // 0: as many as cores
  bool retry;       // failed runs again
  bool dry_run;     // only lists the runs
  bool quiet;       // no progress
};

enum qsm_exit qsm_sweep(const struct qsm_sweep_options *options);

#endif
