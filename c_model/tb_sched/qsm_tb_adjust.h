// SPDX-License-Identifier: Apache-2.0
// Adjusts the targets of thread blocks at run time (docs/tb_adjust.md): a QoS kernel below its goal
// gets one more block on an SM, if necessary in place of blocks of other kernels, which the
// preemption engine removes. Part of the TB scheduler, which owns the tables.
#ifndef QSM_TB_ADJUST_H
#define QSM_TB_ADJUST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_bus.h"
#include "qsm_ctrl.h"
#include "qsm_preempt.h"
#include "qsm_sm_owner.h"
#include "qsm_tb_resources.h"

struct qsm_tb_adjust;
struct qsm_tb_claim;

// The scheduler's registers of the slots, at the start of a cycle.
struct qsm_tb_adjust_slots {
  uint32_t busy, killed;  // bit k
  uint32_t waits;         // bit k, R-TA-10
  bool evicting;          // some evict flag is set
  uint32_t out[QSM_MAX_KERNELS];
};

// The arguments outlive it; `tables`: one per SM. NULL: no memory.
struct qsm_tb_adjust *qsm_tb_adjust_create(const struct qsm_regs *regs, const struct qsm_bus *bus,
                                           struct qsm_tb_table *tables, struct qsm_preempt *preempt,
                                           const struct qsm_sm_may *may);
void qsm_tb_adjust_destroy(struct qsm_tb_adjust *ta);  // NULL is fine
// The address does not change. False while there is no pass, no flag and no waiting kernel, so that
// a scheduler need not call the functions below.
const bool *qsm_tb_adjust_active(const struct qsm_tb_adjust *ta);
bool qsm_tb_adjust_running(const struct qsm_tb_adjust *ta);  // ADJUST_BUSY
const struct qsm_tb_claim *qsm_tb_adjust_claim(const struct qsm_tb_adjust *ta);

// In cycle E + QosLat, before its step: a pass begins for the slots of `want`, which are some;
// `ratio`: r_k of R-SC-8.
void qsm_tb_adjust_start(struct qsm_tb_adjust *ta, uint32_t want, bool pending,
                         const uint32_t *ratio);
void qsm_tb_adjust_turn(
    struct qsm_tb_adjust *ta,
    uint32_t waits);  // in every E + QosLat, before its step: who waits in it (R-TA-10)
void qsm_tb_adjust_restores(struct qsm_tb_adjust *ta,
                            uint32_t sm);  // a saved block is dispatched to the SM
uint32_t qsm_tb_adjust_starved(
    const struct qsm_tb_adjust *ta);  // slots that yielded their last block on some SM
void qsm_tb_adjust_start_over(struct qsm_tb_adjust *ta);  // the allocator starts: none has
void qsm_tb_adjust_end_epoch(struct qsm_tb_adjust *ta,
                             uint64_t cycle);  // this cycle, which is not stepped yet, is an E

// First cycle from `from` on in which anything happens here by itself; `waits`: slots that wait.
uint64_t qsm_tb_adjust_next(const struct qsm_tb_adjust *ta, uint64_t from, bool alloc_busy,
                            uint32_t waits);
// ---- In a cycle, in this order ----
// A cycle of the pass or of a claim, and flags that fall by themselves. Returns the SM whose
// targets change, or -1.
int qsm_tb_adjust_step(struct qsm_tb_adjust *ta, uint64_t cycle, bool alloc_busy,
                       const struct qsm_tb_adjust_slots *slots);
void qsm_tb_adjust_forget(struct qsm_tb_adjust *ta,
                          uint32_t sm);  // the allocator writes the SM's targets
void qsm_tb_adjust_report(struct qsm_tb_adjust *ta, uint64_t cycle);

// See qsm_model_inject().
int qsm_tb_adjust_inject(struct qsm_tb_adjust *ta, uint64_t seed, char *what, size_t what_len);

#endif
