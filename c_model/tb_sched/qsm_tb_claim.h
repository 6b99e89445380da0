// SPDX-License-Identifier: Apache-2.0
// Room for latecomers (docs/tb_adjust.md, R-TA-10 to R-TA-12): finds kernels that have waited for
// their first block for more than an epoch, and makes a claim that lowers the targets of other
// kernels on one SM. Part of the adjuster.
#ifndef QSM_TB_CLAIM_H
#define QSM_TB_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_bus.h"
#include "qsm_ctrl.h"
#include "qsm_preempt.h"
#include "qsm_sm_owner.h"
#include "qsm_tb_resources.h"

struct qsm_tb_claim;

// The arguments outlive it; `tables`: one per SM; `starved`: bit k, the adjuster's (R-TA-9). NULL:
// no memory.
struct qsm_tb_claim *qsm_tb_claim_create(const struct qsm_regs *regs, const struct qsm_bus *bus,
                                         struct qsm_tb_table *tables, struct qsm_preempt *preempt,
                                         const struct qsm_sm_may *may, uint32_t *starved);
void qsm_tb_claim_destroy(struct qsm_tb_claim *tc);  // NULL is fine

// Some slot is known to wait, or a claim runs: the functions below are to be called.
bool qsm_tb_claim_active(const struct qsm_tb_claim *tc);
bool qsm_tb_claim_running(const struct qsm_tb_claim *tc);
uint32_t qsm_tb_claim_waiting(const struct qsm_tb_claim *tc);  // wait[k]
uint32_t qsm_tb_claim_late(const struct qsm_tb_claim *tc);     // late[k]

// In cycle E + QosLat, before its step; `waits`: bit k, slots that wait in it; `restoring`: SMs
// whose job is a restore.
void qsm_tb_claim_turn(struct qsm_tb_claim *tc, uint32_t waits, qsm_sm_set restoring);
void qsm_tb_claim_restores(struct qsm_tb_claim *tc,
                           uint32_t sm);  // a saved block is dispatched to the SM
// True if something happens here in the next cycle; `may_begin`: there is no pass, no evict flag
// and no allocation.
bool qsm_tb_claim_acts(const struct qsm_tb_claim *tc, uint32_t waits, bool may_begin);

// What a cycle starts with.
struct qsm_tb_claim_cycle {
  uint64_t number;
  bool is_epoch_end;  // E
  bool alloc_busy;
  bool may_begin;
  uint32_t waits;
};
// Returns the SM whose targets change, or -1.
int qsm_tb_claim_step(struct qsm_tb_claim *tc, const struct qsm_tb_claim_cycle *cycle);

#endif
