// SPDX-License-Identifier: Apache-2.0
// One task of a round, on a node: what the scripts call (docs/cluster.md).
#ifndef QSM_SLURM_TASK_H
#define QSM_SLURM_TASK_H

#include "qsm_slurm_folder.h"

enum qsm_exit qsm_slurm_task(struct qsm_slurm *slurm);

#endif
