// SPDX-License-Identifier: Apache-2.0
// What kernels without a goal have under way in an SM's load/store unit: R-PA-19 of
// docs/guarantee.md.
#ifndef QSM_SHARE_H
#define QSM_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_config.h"

struct qsm_sm;

struct qsm_share {
  uint32_t limit, weight;  // OthersTxns, W
  uint32_t away;           // as of the next cycle
  bool moved;              // in this cycle
  bool full;               // as the sub-cores see it
};

void qsm_share_reset(struct qsm_share *share, const struct qsm_config *config);

static inline void qsm_share_move(struct qsm_share *share, uint32_t by) {  // modulo 2^32
  share->away += by;
  share->moved = true;
}
// An instruction of theirs is in RR; C finishes one.
static inline void qsm_share_begin(struct qsm_share *share) {
  qsm_share_move(share, share->weight);
}
static inline void qsm_share_finish(struct qsm_share *share) {
  qsm_share_move(share, 0u - share->weight);
}
// A transaction is taken for one; a response is served for one.
static inline void qsm_share_take(struct qsm_share *share) { qsm_share_move(share, 1); }
static inline void qsm_share_serve(struct qsm_share *share) { qsm_share_move(share, 0u - 1); }

// The end of a cycle in which something moved, when all has: seen from cycle `from` on.
void qsm_share_settle(struct qsm_sm *sm, uint64_t from);

#endif
