// SPDX-License-Identifier: Apache-2.0
// What a tenant of a measurement runs: a program of the suite pass after pass, its outputs checked,
// or a kernel of the user's own.
#ifndef QSM_PASSES_H
#define QSM_PASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_runtime.h"
#include "qsm_scenario.h"

struct qsm_passes {
  const struct qsm_scenario_kernel *kernel;
  qsmDevice_t device;
  qsmContext_t context;
  struct qsm_job *job;        // of a program of the suite
  uint32_t n_sets;            // of it: passes that may follow each other unchecked
  uint32_t n_unchecked;       // passes that have, and the set of the next
  uint64_t n_right, n_wrong;  // passes, by their outputs
  uint32_t args[8];           // of the user's kernel
  bool launched_own;          // its launch of this pass is under way
  qsmError_t error;           // of copies to and from the program's memory; stays
};

// Loads the program into the context, whose memory gets inputs and buffers. *passes is what
// qsm_passes_free takes, on error too. The message is set, beginning with `place`, where the
// library has none.
qsmError_t qsm_passes_load(struct qsm_passes *passes, qsmDevice_t device, qsmContext_t context,
                           const struct qsm_scenario *scenario,
                           const struct qsm_scenario_kernel *kernel, bool in_workers,
                           const char *place, char *msg, size_t msg_len);
// Path of a kernel's program; a program of the suite has one for persistent workers.
void qsm_passes_path(const struct qsm_scenario_kernel *kernel, bool in_workers, char *path,
                     size_t path_len);
// Begins a pass. Time may pass in here, on a GPU with an L2.
void qsm_passes_begin(struct qsm_passes *passes);
// The next launch of the pass; false: it has ended.
bool qsm_passes_next(struct qsm_passes *passes, struct qsm_suite_launch *launch);
// A launch of the suite has 8 words, whatever the kernel takes: so many of them.
uint32_t qsm_passes_words(qsmContext_t context, const char *kernel);
// After the last pass: all that have not been checked are. Time may pass here too.
void qsm_passes_check(struct qsm_passes *passes);
void qsm_passes_free(struct qsm_passes *passes);

#endif
