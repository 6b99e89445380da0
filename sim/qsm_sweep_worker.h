// SPDX-License-Identifier: Apache-2.0
// One run of a sweep, measured in a worker process.
#ifndef QSM_SWEEP_WORKER_H
#define QSM_SWEEP_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "qsm_pool.h"
#include "qsm_session.h"

// What a worker needs: it is read in the worker's copy of the memory.
struct qsm_sweep_task {
  const char *path;      // of the sweep file, for complaints
  const char *scenario;  // text
  bool alone;            // a reference: no scheme, no goal
  uint64_t alone_instructions[QSM_SCENARIO_MAX_KERNELS],
      alone_cycles;  // of the references, when not alone
};

// What a worker hands back. outcome.epochs is set and owned by the reader (qsm_outcome_clear).
struct qsm_sweep_measured {
  char error[512];
  bool complete;  // outcome holds a measurement
  uint64_t goal_q16[QSM_SCENARIO_MAX_KERNELS];
  struct qsm_outcome outcome;
};

// A qsm_pool_work over a struct qsm_sweep_task; exit codes of `qsm run`.
int qsm_sweep_measure(const void *task, FILE *result);
// Reads what it wrote. 0, or -1: the worker did not get so far.
int qsm_sweep_read(const void *bytes, size_t n_bytes, struct qsm_sweep_measured *measured);

#endif
