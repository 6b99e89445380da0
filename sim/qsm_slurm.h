// SPDX-License-Identifier: Apache-2.0
// `qsm sweep --slurm`: a sweep as job arrays of Slurm (docs/cluster.md).
#ifndef QSM_SLURM_H
#define QSM_SLURM_H

#include "qsm_sweep.h"

enum { QSM_SLURM_MAX_EXTRAS = 32 };

enum qsm_slurm_action {
  QSM_SLURM_SUBMIT,
  QSM_SLURM_STATUS,
  QSM_SLURM_MERGE,
  QSM_SLURM_TASK  // what the scripts call
};

struct qsm_slurm_options {
  struct qsm_sweep_options sweep;  // n_jobs is the task's
  enum qsm_slurm_action action;
  const char *task;       // "ROUND-PART"
  const char *partition;  // NULL: the scheduler's
  const char *time;       // limit of a task as sbatch takes it; NULL: the partition's
  uint64_t time_s, task_time_s;
  uint32_t n_cpus;   // of a task
  uint32_t n_nodes;  // tasks at a time; 0: any
  const char *extras[QSM_SLURM_MAX_EXTRAS];
  uint32_t n_extras;
};

// Seconds of a time as sbatch takes it. 0, or -1: it is none.
int qsm_slurm_seconds(const char *text, uint64_t *seconds);

enum qsm_exit qsm_slurm(const struct qsm_slurm_options *options);

#endif
