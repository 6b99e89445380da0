// SPDX-License-Identifier: Apache-2.0
// Warp scheduling policies: docs/warp_sched.md.
#include "qsm_warp_sched.h"

#include "qsm_sm_blocks.h"

void qsm_warp_sched_reset(struct qsm_warp_sched *ws, uint32_t n_warps) {
  *ws = (struct qsm_warp_sched){
      .n_warps = (uint8_t)n_warps, .last = (uint8_t)(n_warps - 1), .gone = true};
  for (uint32_t w = 0; w < n_warps; w++) ws->order[w] = (uint8_t)w;
}

uint32_t qsm_warp_sched_oldest(const struct qsm_warp_sched *ws, uint32_t warps) {
  const uint8_t *slot = ws->order;
  while (!(warps >> *slot & 1)) slot++;
  return *slot;
}

static uint32_t after_last(const struct qsm_warp_sched *ws) {
  return ws->last + 1u == ws->n_warps ? 0 : ws->last + 1u;
}

uint32_t qsm_warp_sched_from_last(const struct qsm_warp_sched *ws, uint32_t warps) {
  return qsm_circular_first(warps, ws->gone ? after_last(ws) : ws->last);
}

uint32_t qsm_warp_sched_pick(const struct qsm_warp_sched *ws, uint32_t policy, uint32_t eligible) {
  switch (policy) {
    case QSM_POLICY_LRR_ROTATE: return qsm_circular_first(eligible, after_last(ws));
    case QSM_POLICY_GTO:
      return !ws->gone && (eligible >> ws->last & 1) ? ws->last
                                                     : qsm_warp_sched_oldest(ws, eligible);
    default: return qsm_warp_sched_from_last(ws, eligible);  // lrr
  }
}

static uint32_t pick_of_policy(struct qsm_warp_sched *ws, const struct qsm_sched_in *in) {
  uint32_t active = in->eligible & ws->active;
  switch (in->policy) {
    case QSM_POLICY_TWO_LEVEL:
      return active ? qsm_warp_sched_from_last(ws, active) : QSM_NONE;  // R-PO-6
    case QSM_POLICY_QAWS:
    case QSM_POLICY_QAWS_PROSE: return qsm_qaws_step(ws, in);
    default: return in->eligible ? qsm_warp_sched_pick(ws, in->policy, in->eligible) : QSM_NONE;
  }
}

uint32_t qsm_warp_sched_step(struct qsm_warp_sched *ws, const struct qsm_sched_in *in) {
  uint32_t pick = pick_of_policy(ws, in);
  uint32_t stays = in->finish == QSM_NONE ? ~0u : ~(1u << in->finish);
  ws->active = in->policy == QSM_POLICY_TWO_LEVEL ? qsm_two_level_active(ws, in) & stays : 0;
  if (!qsm_policy_has_groups(in->policy)) qsm_qaws_leave(&ws->qaws);
  ws->qaws.mark &= stays;
  ws->grouping = qsm_policy_has_state(in->policy);
  qsm_warp_sched_note_issue(ws, pick, in->finish);
  return pick;
}

bool qsm_warp_sched_settled(const struct qsm_warp_sched *ws, const struct qsm_sched_in *in) {
  const struct qsm_qaws *q = &ws->qaws;
  struct qsm_warp_sched next = *ws;
  qsm_warp_sched_step(&next, in);
  return next.active == ws->active && qsm_qaws_front(&next.qaws) == qsm_qaws_front(q) &&
         next.qaws.mark == q->mark && !q->prev && !q->head_ok;
}

void qsm_warp_sched_started(struct qsm_warp_sched *ws, uint32_t warp) {
  uint32_t i = 0;
  while (ws->order[i] != warp) i++;
  for (; i + 1 < ws->n_warps; i++) ws->order[i] = ws->order[i + 1];
  ws->order[i] = (uint8_t)warp;
  ws->active &= ~(1u << warp);
  ws->qaws.mark &= ~(1u << warp);
}
