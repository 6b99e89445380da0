// SPDX-License-Identifier: Apache-2.0
// Runs the jobs of a sweep that wait, on the cores of this machine: what `qsm sweep` does with all
// of them, and a task of a cluster with its part (docs/sweeps.md, docs/cluster.md).
#ifndef QSM_SWEEP_RUNNER_H
#define QSM_SWEEP_RUNNER_H

#include <stdbool.h>

#include "qsm_run.h"
#include "qsm_sweep_jobs.h"

struct qsm_sweep_runner {
  const char *file;  // of the sweep
  struct qsm_sweep_jobs *jobs;
  struct qsm_store *store;
  uint32_t n_workers;  // 0: as many as cores
  bool quiet;          // no progress
  bool in_task;        // a worker ended by SIGKILL or SIGTERM says nothing of its run (R-CL-9)
  // Of all jobs that are not skipped: ended, of these failed; ended before this began.
  size_t n, n_done, n_failed, n_before;
  bool closed;        // SIGUSR1 has come
  size_t n_unjudged;  // jobs whose worker said nothing
};

// Sets the counts.
void qsm_sweep_runner_count(struct qsm_sweep_runner *runner);
// 0 when nothing waits any more (`n_unjudged` aside), else why it ended. Complaints go to stderr.
enum qsm_exit qsm_sweep_runner_run(struct qsm_sweep_runner *runner);
// Runs whose reference failed are marked as failed; nothing is run.
enum qsm_exit qsm_sweep_runner_give_up(struct qsm_sweep_runner *runner);

#endif
