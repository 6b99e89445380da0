// SPDX-License-Identifier: Apache-2.0
// What there is to do in a sweep: its runs, and before them the references, each kernel alone, once
// for all runs that share it.
#ifndef QSM_SWEEP_JOBS_H
#define QSM_SWEEP_JOBS_H

#include "qsm_store.h"
#include "qsm_sweep_plan.h"

struct qsm_sweep_job {
  const char *scenario;             // text, of the plan
  const struct qsm_sweep_run *run;  // NULL: a reference
  char inputs[17];
  int64_t id;  // in the database
  enum qsm_store_status status;
  uint32_t n_alone;
  struct qsm_sweep_job *alone[QSM_SCENARIO_MAX_KERNELS];
  uint64_t alone_instructions, alone_cycles;  // of a reference that is done
  bool skipped;                               // not for this process to run
};

struct qsm_sweep_jobs {
  size_t n, n_references;
  struct qsm_sweep_job *list;  // references first
};

// Sets up the jobs of a plan, which must outlive them. 0, or -1 with a message: a configuration or
// program cannot be read.
int qsm_sweep_jobs_create(const char *path, const struct qsm_sweep_plan *plan,
                          struct qsm_sweep_jobs *jobs, char *msg, size_t msg_len);
void qsm_sweep_jobs_clear(struct qsm_sweep_jobs *jobs);

// Enters them into the database, and learns which are done. 0, or -1 (qsm_store_error).
int qsm_sweep_jobs_enter(struct qsm_sweep_jobs *jobs, struct qsm_store *store, bool retry);

// qsm_sweep_run_title, or "vadd alone".
void qsm_sweep_job_title(const struct qsm_sweep_job *job, const struct qsm_scenario *scenario,
                         char *text, size_t len);

#endif
