// SPDX-License-Identifier: Apache-2.0
// Idle-warp sampler of an SM (docs/sampler.md).
#ifndef QSM_IDLE_SAMPLER_H
#define QSM_IDLE_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_inbox.h"
#include "qsm_sm.h"
#include "qsm_sm_state.h"

struct qsm_sm;

// Idle warps of a kernel, summed over the samples of the running epoch, and the last epoch's sum.
struct qsm_idle_sampler {
  uint32_t sum[QSM_MAX_KERNELS], snap[QSM_MAX_KERNELS];
  // The sample of the cycle before, which is added in this one.
  uint32_t sampled[QSM_MAX_KERNELS];
  bool adds, ends;  // there is one; it is the epoch's last
  uint32_t candidates[QSM_MAX_KERNELS];
};

// Of a cycle with a sample, before the sub-cores' step.
void qsm_idle_sampler_see_candidates(struct qsm_sm *sm);
// After it, of a cycle with a sample and of the one after that.
void qsm_idle_sampler_end(struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c);

bool qsm_idle_sampler_flip(struct qsm_flip *flip, struct qsm_sm *sm);

#endif
