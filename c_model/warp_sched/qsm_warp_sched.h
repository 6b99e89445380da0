// SPDX-License-Identifier: Apache-2.0
// The warp scheduler of a sub-core, alone: its registers, what it sees in a cycle, one step
// (docs/warp_sched.md, docs/qaws.md). Masks have one bit per warp slot unless said otherwise.
// Nothing here depends on the cycle number.
#ifndef QSM_WARP_SCHED_H
#define QSM_WARP_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_bits.h"
#include "qsm_sm.h"
#include "qsm_sm_state.h"

enum {
  QSM_MAX_WARPS = 16,  // of one sub-core
  QSM_NONE = 0xFF,     // no warp, no entry
};

// State of QAWS: the group at the front, identified by its budget, and its number of warp switches.
struct qsm_qaws {
  bool valid;  // there is a front
  uint8_t budget, ncs;
  bool head_ok;   // the front's head issued in the cycle before
  bool prev;      // some warp issued in the cycle before
  uint32_t mark;  // last issued warp of each group
};

struct qsm_warp_sched {
  uint8_t n_warps;
  uint8_t last;   // last issued slot
  bool gone;      // its warp has finished since, or none has issued yet
  bool grouping;  // the policy is two_level or QAWS, or was in the last step: active or qaws may
                  // hold something
  uint8_t order[QSM_MAX_WARPS];  // oldest first
  uint32_t active;               // two_level (R-PO-7)
  struct qsm_qaws qaws;
};

// Registers and direct signals at the start of a cycle.
struct qsm_sched_in {
  uint32_t policy;  // enum qsm_policy
  uint32_t resident, eligible;
  uint32_t long_latency;  // long_latency[w] of R-PO-7; two_level only
  uint32_t active_warps;  // two_level only
  uint32_t n_kernels;
  const uint32_t *of_kernel;    // [kernel] its warps; slots that are not resident do not count
  const uint32_t *budget;       // [kernel] 1..255
  uint32_t restart, throttled;  // bit per kernel
  uint32_t finish;              // slot that finishes in this cycle, or QSM_NONE
};

void qsm_warp_sched_reset(struct qsm_warp_sched *ws, uint32_t n_warps);

// One cycle under any policy: returns the pick, or QSM_NONE. A warp that starts in the same cycle
// is reported afterwards (qsm_warp_sched_started).
uint32_t qsm_warp_sched_step(struct qsm_warp_sched *ws, const struct qsm_sched_in *in);
// A warp became resident at the end of the cycle.
void qsm_warp_sched_started(struct qsm_warp_sched *ws, uint32_t warp);
// The policy's number was written; seen in the next step.
void qsm_warp_sched_note_policy(struct qsm_warp_sched *ws, uint32_t policy);
// True if cycles with these inputs, no eligible warp among them and none that finishes, change
// nothing.
bool qsm_warp_sched_settled(const struct qsm_warp_sched *ws, const struct qsm_sched_in *in);

// The pick under lrr, gto and lrr_rotate, as a fast path: the caller calls
// qsm_warp_sched_note_issue() itself. Equal to a step while `grouping` is false.
uint32_t qsm_warp_sched_pick(const struct qsm_warp_sched *ws, uint32_t policy,
                             uint32_t eligible);  // eligible != 0

// R-PO-1: the pick and the slot that finishes, each QSM_NONE if there is none.
static inline void qsm_warp_sched_note_issue(struct qsm_warp_sched *ws, uint32_t pick,
                                             uint32_t finish) {
  if (pick != QSM_NONE) {
    ws->last = (uint8_t)pick;
    ws->gone = false;
  }
  if (finish == ws->last) ws->gone = true;
}

// What QAWS reports: {front.valid, front.budget, ncs}.
static inline uint32_t qsm_qaws_front(const struct qsm_qaws *q) {
  return (uint32_t)q->valid << 16 | (uint32_t)q->budget << 8 | q->ncs;
}

// ---- State and flips ----
bool qsm_warp_sched_word(const struct qsm_warp_sched *ws, uint32_t word, uint32_t *value);
// A flip that shows in the next cycle, which sees `seen`, and not in what that cycle issues.
bool qsm_warp_sched_flip(struct qsm_flip *flip, struct qsm_warp_sched *ws,
                         const struct qsm_sched_in *seen);

// ---- between qsm_warp_sched.c, qsm_two_level.c and qsm_qaws.c ----
uint32_t qsm_warp_sched_oldest(const struct qsm_warp_sched *ws,
                               uint32_t warps);  // R-PO-5; warps != 0
uint32_t qsm_warp_sched_from_last(const struct qsm_warp_sched *ws,
                                  uint32_t warps);  // R-PO-2; warps != 0
uint32_t qsm_two_level_active(const struct qsm_warp_sched *ws,
                              const struct qsm_sched_in *in);  // after the cycle (R-PO-8)
uint32_t qsm_qaws_step(struct qsm_warp_sched *ws,
                       const struct qsm_sched_in *in);  // the pick; changes ws->qaws only
void qsm_qaws_leave(struct qsm_qaws *q);                // R-QW-5 a

#endif
