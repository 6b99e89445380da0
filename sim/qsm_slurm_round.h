// SPDX-License-Identifier: Apache-2.0
// A round of a sweep on a cluster: how what is missing is divided, and the scripts
// (docs/cluster.md).
#ifndef QSM_SLURM_ROUND_H
#define QSM_SLURM_ROUND_H

#include "qsm_slurm_folder.h"

enum { QSM_SLURM_MAX_TASKS = 1000 };  // of an array

struct qsm_slurm_round {
  unsigned number;
  // Of references and runs.
  struct {
    size_t n_jobs;
    size_t *jobs;  // in the order of the sweep
    unsigned n_tasks;
    double seconds, longest_job;  // of CPU time, expected
  } part[QSM_SLURM_LAST];
};

// What waits, divided. Paces are those of the database (NULL: there is none). 0, or -1 with a
// message.
int qsm_slurm_round_divide(struct qsm_slurm *slurm, struct qsm_slurm_round *round);
void qsm_slurm_round_clear(struct qsm_slurm_round *round);
// A line for each task.
int qsm_slurm_round_print_tasks(const struct qsm_slurm *slurm, const struct qsm_slurm_round *round,
                                FILE *file);
// What the user is told of the round, a line for each part.
void qsm_slurm_round_print_summary(const struct qsm_slurm *slurm,
                                   const struct qsm_slurm_round *round, FILE *file);
void qsm_slurm_round_print_script(const struct qsm_slurm *slurm,
                                  const struct qsm_slurm_round *round, enum qsm_slurm_part part,
                                  FILE *file);
bool qsm_slurm_round_has(const struct qsm_slurm_round *round, enum qsm_slurm_part part);

#endif
