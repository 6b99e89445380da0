// SPDX-License-Identifier: Apache-2.0
// QAWS: docs/qaws.md. A group is named by its budget; 0 stands for no group. `counting` has a bit
// per kernel.
#include "qsm_warp_sched.h"

// ---- Groups ----

static uint32_t warps_of(const struct qsm_sched_in *in, uint32_t kernel) {
  return in->of_kernel[kernel] & in->resident;
}

static uint32_t members(const struct qsm_sched_in *in, uint32_t group) {
  uint32_t warps = 0;
  for (uint32_t k = 0; k < in->n_kernels; k++) {
    if (in->budget[k] == group) warps |= warps_of(in, k);
  }
  return warps;
}

// Kernels that make their group count (R-QW-2).
static uint32_t find_counting(const struct qsm_sched_in *in) {
  uint32_t kernels = 0;
  for (uint32_t k = 0; k < in->n_kernels; k++) kernels |= (uint32_t)(warps_of(in, k) != 0) << k;
  return kernels & ~in->throttled;
}

static bool counts(const struct qsm_sched_in *in, uint32_t counting, uint32_t group) {
  for (; counting; counting &= counting - 1) {
    if (in->budget[qsm_ctz(counting)] == group) return true;
  }
  return false;
}

// R-QW-3; after group 0 comes the greatest.
static uint32_t next_group(const struct qsm_sched_in *in, uint32_t counting, uint32_t group) {
  uint32_t greatest = 0, below = 0;
  for (; counting; counting &= counting - 1) {
    uint32_t budget = in->budget[qsm_ctz(counting)];
    if (budget > greatest) greatest = budget;
    if (budget < group && budget > below) below = budget;
  }
  return below ? below : greatest;
}

// ---- The front (R-QW-5 .. R-QW-7) ----

static bool last_is_in(const struct qsm_warp_sched *ws, uint32_t warps) {
  return !ws->gone && (warps >> ws->last & 1);
}

static bool restarted(const struct qsm_sched_in *in) {
  for (uint32_t kernels = in->restart; kernels; kernels &= kernels - 1) {
    if (warps_of(in, qsm_ctz(kernels))) return true;
  }
  return false;
}

// Starts with no history.
static void begin(struct qsm_warp_sched *ws, const struct qsm_sched_in *in, uint32_t counting) {
  struct qsm_qaws *q = &ws->qaws;
  uint32_t group = next_group(in, counting, 0);
  q->valid = group != 0;
  if (group) q->budget = (uint8_t)group;
  q->ncs = 0;
  q->mark = last_is_in(ws, in->resident) ? 1u << ws->last : 0;
}

// The front switches from one of its warps to another.
static bool switches(const struct qsm_warp_sched *ws, const struct qsm_sched_in *in) {
  const struct qsm_qaws *q = &ws->qaws;
  uint32_t front = members(in, q->budget), marked = front & q->mark;
  if (in->policy == QSM_POLICY_QAWS) return !q->head_ok && q->prev && last_is_in(ws, front);
  return marked && !(marked & in->eligible) && (front & in->eligible);
}

static void move_front(struct qsm_warp_sched *ws, const struct qsm_sched_in *in,
                       uint32_t counting) {
  struct qsm_qaws *q = &ws->qaws;
  if (!counting) return;
  uint32_t next = next_group(in, counting, q->budget);
  if (!counts(in, counting, q->budget)) {
    if (!members(in, q->budget)) q->ncs = 0;  // else its quota is spent (Q8)
    q->budget = (uint8_t)next;
  } else if (next != q->budget && switches(ws, in)) {
    bool spent = q->ncs >= q->budget;
    q->ncs = spent ? 0 : (uint8_t)(q->ncs + 1);
    if (spent) q->budget = (uint8_t)next;
  }
}

// ---- Order and pick (R-QW-8, R-QW-9) ----

static uint32_t leader(const struct qsm_warp_sched *ws, const struct qsm_sched_in *in,
                       uint32_t warps) {
  if (in->policy == QSM_POLICY_QAWS_PROSE) return warps & ws->qaws.mark;
  return last_is_in(ws, warps) ? 1u << ws->last : 0;
}

// The leader if it is one of `among`, else the oldest of them.
static uint32_t first_of(const struct qsm_warp_sched *ws, uint32_t lead, uint32_t among) {
  return lead & among ? qsm_ctz(lead & among) : qsm_warp_sched_oldest(ws, among);
}

// Members of the first group, in round-robin order, that has an eligible warp; 0: none.
static uint32_t issuing_group(const struct qsm_warp_sched *ws, const struct qsm_sched_in *in,
                              uint32_t counting) {
  uint32_t group = ws->qaws.budget;
  if (!in->eligible) return 0;
  for (uint32_t n = 0; n < in->n_kernels; n++) {
    uint32_t warps = members(in, group);
    if (warps & in->eligible) return warps;
    group = next_group(in, counting, group);
  }
  return 0;
}

void qsm_qaws_leave(struct qsm_qaws *q) { *q = (struct qsm_qaws){.budget = q->budget}; }

uint32_t qsm_qaws_step(struct qsm_warp_sched *ws, const struct qsm_sched_in *in) {
  struct qsm_qaws *q = &ws->qaws;
  if (!in->resident) {
    qsm_qaws_leave(q);
    return QSM_NONE;
  }
  uint32_t counting = find_counting(in);
  if (!q->valid || restarted(in)) {
    begin(ws, in, counting);
  } else {
    move_front(ws, in, counting);
  }
  uint32_t group = issuing_group(ws, in, counting);
  q->prev = group != 0;
  q->head_ok = false;
  if (!group) return QSM_NONE;
  uint32_t front = members(in, q->budget);
  uint32_t pick = first_of(ws, leader(ws, in, group), group & in->eligible);
  q->head_ok = pick == first_of(ws, leader(ws, in, front), front);
  q->mark = (q->mark & ~group) | 1u << pick;
  return pick;
}
