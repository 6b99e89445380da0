// SPDX-License-Identifier: Apache-2.0
// Shards of a sweep on a cluster: databases of one process each, which others read by a copy, and
// which are merged at the end (docs/cluster.md). The id of a run is its job's number, from 1 on.
#ifndef QSM_SHARD_H
#define QSM_SHARD_H

#include "qsm_sweep_jobs.h"

enum qsm_shard_state {
  QSM_SHARD_OK,
  QSM_SHARD_FOREIGN,  // of another build or sweep
  QSM_SHARD_BAD,      // cannot be read
  QSM_SHARD_DIFFERS   // merged, but a run has two results (qsm_shard_merge)
};

// A new shard with these jobs, which get their ids; NULL with a message. `number` has each job's
// number in the sweep.
struct qsm_store *qsm_shard_create(const char *path, struct qsm_sweep_jobs *jobs,
                                   const size_t *number, char *msg, size_t msg_len);
// Learns which jobs of the sweep a shard has done, and what references measured.
enum qsm_shard_state qsm_shard_learn(const char *path, struct qsm_sweep_jobs *jobs, char *msg,
                                     size_t msg_len);
// Puts what a shard has into the database that the jobs have been entered into; one transaction.
// A run that is there already must be the same; DIFFERS: the message names the first that is not.
enum qsm_shard_state qsm_shard_merge(const char *path, const struct qsm_sweep_jobs *jobs,
                                     struct qsm_store *into, char *msg, size_t msg_len);
// A shard with what is known already of some jobs, references that are done: it is for learning
// from, and never merged. 0, or -1 with a message.
int qsm_shard_give(const char *path, const struct qsm_sweep_jobs *jobs,
                   struct qsm_sweep_jobs *known, const size_t *numbers, struct qsm_store *from,
                   char *msg, size_t msg_len);

#endif
