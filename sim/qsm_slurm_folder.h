// SPDX-License-Identifier: Apache-2.0
// A sweep on a cluster, and the folder beside its database where all of it lies (docs/cluster.md).
#ifndef QSM_SLURM_FOLDER_H
#define QSM_SLURM_FOLDER_H

#include <limits.h>
#include <stdio.h>

#include "qsm_slurm.h"
#include "qsm_store.h"
#include "qsm_sweep_jobs.h"

enum qsm_slurm_part { QSM_SLURM_REFERENCES, QSM_SLURM_RUNS, QSM_SLURM_LAST, QSM_SLURM_N_PARTS };

struct qsm_slurm {
  const struct qsm_slurm_options *options;
  char program[PATH_MAX], file[PATH_MAX], db[PATH_MAX], folder[PATH_MAX];  // absolute
  struct qsm_sweep_plan *plan;
  struct qsm_sweep_jobs jobs;
  struct qsm_store *store;
  int lock_fd;
  char msg[2 * PATH_MAX + 1024];
};

const char *qsm_slurm_part_name(enum qsm_slurm_part part);
int qsm_slurm_find_part(const char *name, enum qsm_slurm_part *part);  // 0, or -1

// Sets the paths and finds out whether the folder, if it is there, is of this program and sweep.
enum qsm_exit qsm_slurm_find_folder(struct qsm_slurm *slurm);
// Makes what is missing of it and keeps other commands that submit or merge out.
enum qsm_exit qsm_slurm_claim_folder(struct qsm_slurm *slurm, bool make);
// PATH of a file in the folder.
__attribute__((format(printf, 3, 4))) void qsm_slurm_path(const struct qsm_slurm *slurm,
                                                          char path[PATH_MAX], const char *format,
                                                          ...);
// Number of the last round; 0: none.
unsigned qsm_slurm_last_round(const struct qsm_slurm *slurm);

// Names of the shards whose file name matches, sorted; the caller frees them (globfree). 0, or -1:
// none.
struct qsm_slurm_shards {
  size_t n;
  char **path;
  void *found;
};
int qsm_slurm_shards_find(const struct qsm_slurm *slurm, const char *pattern,
                          struct qsm_slurm_shards *shards);
void qsm_slurm_shards_free(struct qsm_slurm_shards *shards);

// A task of a round.
struct qsm_slurm_task {
  enum qsm_slurm_part part;
  unsigned number;  // from 1 on
  double seconds;   // expected
  size_t n;
  size_t *jobs;  // their numbers
};
void qsm_slurm_task_print(const struct qsm_slurm_task *task, FILE *file);
// Reads the next task; 1: there is one, to be freed by the next call; 0: no more; -1: not a line of
// a task.
int qsm_slurm_task_read(FILE *file, size_t n_jobs, struct qsm_slurm_task *task);

#endif
