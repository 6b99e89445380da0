// SPDX-License-Identifier: Apache-2.0
// Two-level scheduling: the active set of warps (docs/warp_sched.md, R-PO-7, R-PO-8).
#include "qsm_warp_sched.h"

uint32_t qsm_two_level_active(const struct qsm_warp_sched *ws, const struct qsm_sched_in *in) {
  uint32_t demoted = ws->active & in->long_latency;
  uint32_t pending = in->resident & ~ws->active & ~in->long_latency;
  uint32_t active = ws->active & ~(demoted & -demoted);
  if (pending && qsm_popcount(ws->active) < in->active_warps)
    active |= 1u << qsm_warp_sched_oldest(ws, pending);
  return active;
}
