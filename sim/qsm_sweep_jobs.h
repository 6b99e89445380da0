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
  uint64_t cycles;                            // that it simulates, of a GPU of so many SMs
  uint32_t num_sms;
  char *config;
  bool skipped;  // not for this process to run
};

struct qsm_sweep_jobs {
  size_t n, n_references;
  struct qsm_sweep_job *list;  // references first
  char build[17], sweep[17];   // hashes: of this program; of all scenarios and their inputs
};

// Sets up the jobs of a plan, which must outlive them. 0, or -1 with a message: a configuration or
// program cannot be read.
int qsm_sweep_jobs_create(const char *path, const struct qsm_sweep_plan *plan,
                          struct qsm_sweep_jobs *jobs, char *msg, size_t msg_len);
void qsm_sweep_jobs_clear(struct qsm_sweep_jobs *jobs);

// Some of the jobs, references first, with the references that they need; *numbers has the number
// of each among all. Both lists are the caller's to free(), nothing else. 0, or -1: out of memory.
int qsm_sweep_jobs_pick(const struct qsm_sweep_jobs *all, const size_t *wanted, size_t n_wanted,
                        struct qsm_sweep_jobs *picked, size_t **numbers);

// Enters them into the database, and learns which are done. 0, or -1 (qsm_store_error).
int qsm_sweep_jobs_enter(struct qsm_sweep_jobs *jobs, struct qsm_store *store, bool retry);
// Learns it from one that is only read; those that it lacks wait.
int qsm_sweep_jobs_look(struct qsm_sweep_jobs *jobs, struct qsm_store *store);

// qsm_sweep_run_title, or "vadd alone".
void qsm_sweep_job_title(const struct qsm_sweep_job *job, const struct qsm_scenario *scenario,
                         char *text, size_t len);

#endif
