// SPDX-License-Identifier: Apache-2.0
// Stacks of launches (docs/isa.md I-MEM-6): memory of the context's for all threads that can be
// live at a time.
#ifndef QSM_STACKS_H
#define QSM_STACKS_H

#include "qsm_runtime.h"

struct qsm_context;

struct qsm_stacks;  // an area, which launches share

// An area for blocks of this shape whose threads have `bytes` each, rounded up to a power of two:
// the context's last one where it serves, else a new one. *stacks NULL: no stack. *value is what
// STACK takes. qsmErrorMemoryAllocation, qsmErrorInvalidLaunch: no room, or too large.
qsmError_t qsm_stacks_take(struct qsm_context *context, const char *kernel, qsmDim3 block,
                           uint32_t bytes, struct qsm_stacks **stacks, uint32_t *value);
// The area, with STACK of `value`, serves such a launch too; one without a stack needs none.
bool qsm_stacks_serve(const struct qsm_context *context, const struct qsm_stacks *stacks,
                      uint32_t value, qsmDim3 block, uint32_t bytes);
// As qsm_stacks_take(), in the place of *stacks, which nothing uses, and for one user alone.
qsmError_t qsm_stacks_replace(struct qsm_context *context, const char *kernel, qsmDim3 block,
                              uint32_t bytes, struct qsm_stacks **stacks, uint32_t *value);
// A launch has ended. NULL is fine.
void qsm_stacks_release(struct qsm_context *context, struct qsm_stacks *stacks);

#endif
