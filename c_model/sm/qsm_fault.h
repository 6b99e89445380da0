// SPDX-License-Identifier: Apache-2.0
// Killed flags and fault records of an SM: docs/sm.md, R-SM-6, R-SM-7.
#ifndef QSM_FAULT_H
#define QSM_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_sm.h"
#include "qsm_sm_state.h"

struct qsm_sm;

struct qsm_fault_event {
  bool valid;
  uint8_t kernel;
  struct qsm_fault record;
};

struct qsm_faults {
  uint32_t killed;   // bit per kernel, as at the start of the cycle
  uint32_t to_wipe;  // killed since the last cycle: R-WS-9 acts at the end of this one
  bool any;          // an event of this cycle is valid
  struct qsm_fault record[QSM_MAX_KERNELS];
  struct qsm_fault_event event[1 + QSM_MAX_SUBS];  // of this cycle: the LSU's, then the sub-cores'
};

// Source 0 is the LSU, 1 + i sub-core i (R-SM-6).
void qsm_fault_raise(struct qsm_faults *faults, uint32_t source, uint32_t kernel,
                     const struct qsm_fault *record);
// Kernels killed by this cycle's faults, whose records it takes and which it sends and reports.
uint32_t qsm_fault_take(struct qsm_sm *sm, uint64_t c);

// The kernels are killed from the next cycle on, or started anew.
static inline void qsm_fault_kill(struct qsm_faults *faults, uint32_t kernels) {
  faults->killed |= kernels;
  faults->to_wipe |= kernels;
}
static inline void qsm_fault_start(struct qsm_faults *faults, uint32_t kernels) {
  faults->killed &= ~kernels;
}
// Kernels whose warps the end of this cycle wipes; each is told once.
static inline uint32_t qsm_fault_take_to_wipe(struct qsm_faults *faults) {
  uint32_t kernels = faults->to_wipe;
  faults->to_wipe = 0;
  return kernels;
}

// ---- State and flips ----
bool qsm_fault_word(const struct qsm_faults *faults, uint32_t kernel, uint32_t word,
                    uint32_t *value);
bool qsm_fault_flip(struct qsm_flip *flip, struct qsm_sm *sm);

#endif
