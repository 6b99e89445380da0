// SPDX-License-Identifier: Apache-2.0
// Calls the scheduler's commands.
#ifndef QSM_SLURM_CALL_H
#define QSM_SLURM_CALL_H

#include <stddef.h>
#include <stdint.h>

// Runs a command of the path to its end; *output has what it wrote to stdout, the caller frees it.
// 0, or -1 with a message: it is not there, or the last line of its complaint.
int qsm_slurm_call(const char *const *arguments, char **output, char *msg, size_t msg_len);

// States of jobs in the queue, a task of an array each: "ARRAY STATE" lines of this user's.
int qsm_slurm_queue(char **lines, char *msg, size_t msg_len);

#endif
