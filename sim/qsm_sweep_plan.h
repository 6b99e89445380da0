// SPDX-License-Identifier: Apache-2.0
// Sweep files: a scenario in which any value may be a list, expanded into the runs that it stands
// for (docs/sweeps.md).
#ifndef QSM_SWEEP_PLAN_H
#define QSM_SWEEP_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "qsm_scenario.h"

enum { QSM_SWEEP_MAX_RUNS = 100000 };

struct qsm_sweep_run {
  char *scenario;                         // canonical text, which qsm_scenario_load reads
  char *alone[QSM_SCENARIO_MAX_KERNELS];  // the same of each kernel by itself: its reference
  uint32_t n_kernels;
  uint64_t seed;
  char variant[128];  // what is compared: scheme, policy …
  char label[64];     // of several variants that are one thing in several settings; without one the
                      // variant
  char programs[256], goal[128];  // what it is compared on: "pc + vadd", "70%"
};

struct qsm_sweep_plan {
  uint32_t n_runs;
  struct qsm_sweep_run *runs;  // in the order of the file, the last list changing fastest
};

// Reads, expands and checks a file. Returns 0 and sets *plan (free it with qsm_sweep_plan_free), or
// -1 with "FILE:LINE: what is wrong".
int qsm_sweep_plan_load(const char *path, struct qsm_sweep_plan **plan, char *msg, size_t msg_len);
// "rollover, pc + vadd, goal 70%, seed 1": no two runs of a plan have the same.
void qsm_sweep_run_title(const struct qsm_sweep_run *run, char *text, size_t len);
void qsm_sweep_plan_free(struct qsm_sweep_plan *plan);  // NULL is fine

#endif
