// SPDX-License-Identifier: Apache-2.0
// The others' share of an SM's memory transactions: R-PA-19 of docs/guarantee.md.
#include "qsm_share.h"

#include "qsm_sm_blocks.h"

enum { MAX_WEIGHT = 4 };

void qsm_share_reset(struct qsm_share *share, const struct qsm_config *config) {
  uint32_t half = config->warp_size / 2;
  *share = (struct qsm_share){.limit = config->others_txns,
                              .weight = half < MAX_WEIGHT ? half : MAX_WEIGHT};
}

void qsm_share_settle(struct qsm_sm *sm, uint64_t from) {
  struct qsm_share *share = &sm->share;
  share->moved = false;
  bool full = share->limit && share->away >= share->limit;
  if (full == share->full) return;
  share->full = full;
  qsm_quota_share_changed(sm, from);
}
