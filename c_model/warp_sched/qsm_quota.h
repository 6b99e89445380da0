// SPDX-License-Identifier: Apache-2.0
// Quota gate and counters of an SM (docs/quota_gate.md, docs/schemes.md).
#ifndef QSM_QUOTA_H
#define QSM_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_inbox.h"
#include "qsm_sm.h"
#include "qsm_sm_state.h"

struct qsm_sm;

struct qsm_quota {
  uint32_t issued;               // kernels with an instruction that is counted in this cycle
  uint32_t positive;             // C > 0
  uint32_t to_load, to_refill;   // bit per kernel
  uint32_t keep;                 // bit per kernel, of the last load message (R-QC-4)
  uint32_t fresh;                // bit per kernel: elastic takes its shadow (R-SC-4)
  uint32_t shadow_has, granted;  // bit per kernel
  uint32_t open;                 // gate (R-SC-2)
  uint32_t qos_mask;             // the direct signal that `open` was computed from
  uint32_t throttled;            // gated and C <= 0 (R-SC-2)
  uint64_t timed_start_at;       // the cycle in which dcnt will be 0; QSM_NEVER in other schemes
  uint8_t scheme;  // none in place of those of whole SMs, under which all is as with none (R-SG-1)
  uint8_t loaded;  // the scheme of the last load message
  bool load_second;  // a load is in its second cycle
  bool early;        // the last start of an elastic epoch was an early one
  int32_t c[QSM_MAX_KERNELS];
  uint32_t lanes[QSM_MAX_KERNELS];  // counted in this cycle
  uint32_t insn[QSM_MAX_KERNELS], quota[QSM_MAX_KERNELS];
  int32_t snap_c[QSM_MAX_KERNELS];
  uint32_t snap_insn[QSM_MAX_KERNELS];
  uint32_t shadow_quota[QSM_MAX_KERNELS], shadow_credit[QSM_MAX_KERNELS];
  uint64_t total[QSM_MAX_KERNELS];  // thread instructions (R-IS-7), kept while the SM is gated
  // Scheme pace (docs/guarantee.md), bit per kernel.
  uint32_t behind, well_behind, spared, tight, kept, to_pace, to_judge;
  uint32_t gaps;                  // issue where those that are late do not (R-PA-8)
  uint32_t keeps_off;             // and leave memory alone: one that is late is well behind
  uint32_t no_mem;                // issue no memory instruction: keeps_off, R-PA-19
  uint32_t due[QSM_MAX_KERNELS];  // of the quota, not due yet
};

// All but the totals.
void qsm_quota_reset(struct qsm_quota *q, uint32_t n_kernels);
void qsm_quota_step(struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c);
void qsm_quota_take_word(struct qsm_quota *q, const struct qsm_sm_msg *msg);

// An instruction of the kernel issued in the cycle before, with so many lanes (R-IS-5).
static inline void qsm_quota_note_issue(struct qsm_quota *q, uint32_t kernel, uint32_t n_lanes) {
  q->lanes[kernel] += n_lanes;
  q->issued |= 1u << kernel;
}
static inline bool qsm_quota_is_open(const struct qsm_quota *q, uint32_t kernel) {
  return q->open >> kernel & 1;
}
// Recomputes the gates, seen from cycle `from` on.
void qsm_quota_gate(struct qsm_sm *sm, uint64_t from);
// The SM became full, or is so no longer (R-PA-19).
void qsm_quota_share_changed(struct qsm_sm *sm, uint64_t from);
// Which blocks can go on has changed, or whether one is being saved.
void qsm_quota_runnable_changed(struct qsm_sm *sm, uint64_t from);

// R-SC-2: kernels are under quota control.
static inline bool qsm_quota_held(const struct qsm_quota *q, uint32_t qos_mask) {
  return q->scheme != QSM_SCHEME_NONE && (qos_mask || qsm_scheme_holds_all(q->scheme));
}
// Without a message nothing is granted in this cycle, and no epoch starts: a step counts what was
// issued, and does nothing else.
static inline bool qsm_quota_only_counts(const struct qsm_quota *q, uint32_t runnable,
                                         uint32_t qos_mask) {
  if (q->to_load | q->fresh | q->to_refill) return false;
  if (q->scheme == QSM_SCHEME_PACE) return !(q->to_pace | q->to_judge);  // without refills
  return q->scheme != QSM_SCHEME_ELASTIC &&
         ((runnable & q->positive) || !qsm_quota_held(q, qos_mask));
}
// So it changes nothing where nothing was issued, and may be left out.
static inline bool qsm_quota_may_skip(const struct qsm_quota *q, uint32_t runnable,
                                      uint32_t qos_mask) {
  return !q->issued && qsm_quota_only_counts(q, runnable, qos_mask);
}
bool qsm_quota_busy(const struct qsm_sm *sm);  // something may be granted or start in the next
                                               // cycle, or a round of refills ends
uint32_t qsm_quota_dcnt(const struct qsm_sm *sm,
                        uint64_t cycle);  // R-SC-4, at the start of the cycle

// ---- State and flips ----
bool qsm_quota_word(const struct qsm_sm *sm, uint64_t cycle, uint32_t kernel, uint32_t word,
                    uint32_t *value);
bool qsm_quota_flip(struct qsm_flip *flip, struct qsm_sm *sm);

#endif
