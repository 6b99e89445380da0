// SPDX-License-Identifier: Apache-2.0
// Warps left and warps at the barrier, of each TB slot: docs/sm.md, R-SM-3, R-SM-6. The RTL
// compares the counters in each cycle; here the masks are kept up to date by whatever changes a
// counter, which is the same, as nothing else they depend on changes.
#ifndef QSM_BARRIER_H
#define QSM_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_sm.h"
#include "qsm_sm_state.h"

struct qsm_sm;

struct qsm_barrier {
  uint32_t complete;  // bit per slot: all warps that are left wait, and there are some
  uint32_t empty;     // bit per slot: no warp is left
  uint8_t left[QSM_MAX_TBS], arrived[QSM_MAX_TBS];
};

void qsm_barrier_begin(struct qsm_barrier *barrier, uint32_t tb, uint32_t n_warps);
void qsm_barrier_arrive(struct qsm_barrier *barrier, uint32_t tb);  // a warp does
void qsm_barrier_finish(struct qsm_barrier *barrier, uint32_t tb);  // a warp has
// Nobody waits any more: a release, a kill, an evict.
void qsm_barrier_clear(struct qsm_barrier *barrier, uint32_t tb);
static inline bool qsm_barrier_is_complete(const struct qsm_barrier *barrier, uint32_t tb) {
  return barrier->complete >> tb & 1;
}

// The warps of a block that are left, or those of them that wait.
bool qsm_barrier_flip(struct qsm_flip *flip, struct qsm_sm *sm);

#endif
