// SPDX-License-Identifier: Apache-2.0
// Warp scheduling policies: docs/warp_sched.md.
#include "qsm_warp_sched.h"

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

void qsm_warp_sched_note_policy(struct qsm_warp_sched *ws, uint32_t policy) {
  ws->grouping |= qsm_policy_has_state(policy);
}

// ---- State and flips ----

bool qsm_warp_sched_word(const struct qsm_warp_sched *ws, uint32_t word, uint32_t *value) {
  const struct qsm_qaws *q = &ws->qaws;
  const uint32_t words[] = {ws->active, qsm_qaws_front(q), (uint32_t)q->prev << 1 | q->head_ok,
                            q->mark};
  return qsm_give_word(word, words, 4, value);
}

// A warp that would be demoted in the next cycle leaves the active set one cycle early.
static bool flip_two_level(struct qsm_flip *flip, struct qsm_warp_sched *ws,
                           const struct qsm_sched_in *seen) {
  uint32_t demoted = ws->active & seen->long_latency;
  if (!demoted) return false;
  uint32_t w = qsm_ctz(demoted);
  qsm_flip_bit(flip, &ws->active, w, "active", w);
  return true;
}

// The count that the next cycle adds to, such that it stays a count below the budget: the front
// moves later or earlier, but not now.
static bool flip_qaws(struct qsm_flip *flip, struct qsm_warp_sched *ws,
                      const struct qsm_sched_in *seen) {
  struct qsm_qaws *q = &ws->qaws;
  struct qsm_warp_sched next = *ws;
  qsm_warp_sched_step(&next, seen);
  if (qsm_qaws_front(&next.qaws) != qsm_qaws_front(q) + 1 || (q->ncs ^ 1) >= q->budget)
    return false;
  qsm_flip_small(flip, &q->ncs, 0, "ncs of the group of budget", q->budget);
  return true;
}

bool qsm_warp_sched_flip(struct qsm_flip *flip, struct qsm_warp_sched *ws,
                         const struct qsm_sched_in *seen) {
  if (seen->policy == QSM_POLICY_TWO_LEVEL) return flip_two_level(flip, ws, seen);
  return qsm_policy_has_groups(seen->policy) && flip_qaws(flip, ws, seen);
}
