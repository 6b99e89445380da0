// SPDX-License-Identifier: Apache-2.0
// The SM manager: records of the kernels, the schemes of whole SMs, the moves that follow
// (docs/sm_mgr.md, R-SG).
#ifndef QSM_SM_MGR_H
#define QSM_SM_MGR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_bus.h"
#include "qsm_ctrl.h"
#include "qsm_sm_owner.h"

struct qsm_sm_mgr;

// The TB scheduler as the manager sees it, at the start of the cycle that is about to run.
struct qsm_sm_ports {
  void *ctx;  // first argument of the functions
  const struct qsm_sm_usage *(*usage)(void *ctx, uint32_t sm);
  uint32_t (*part)(void *ctx);                               // bit k: slot k takes part
  uint32_t (*tbs)(void *ctx, uint32_t sm, uint32_t kernel);  // T_i of R-QM-2
  // Sum over all cycles before `cycle` of the SMs that were moving at its start (R-SO-11).
  uint64_t (*move_cycles)(void *ctx, uint64_t cycle);
  // R-SO-1, in this cycle; owner is 0 unless the SM is to be owned.
  void (*request)(void *ctx, uint64_t cycle, uint32_t sm, uint32_t usage, uint32_t owner);
};

// The ports are copied, what they and the other arguments point to outlives the manager. NULL: no
// memory.
struct qsm_sm_mgr *qsm_sm_mgr_create(const struct qsm_regs *regs, const struct qsm_sm_ports *ports,
                                     const struct qsm_bus *bus);
void qsm_sm_mgr_destroy(struct qsm_sm_mgr *mgr);  // NULL is fine

// First cycle from `from` on in which anything happens, if no register is written, no slot begins
// or ends to take part, and no epoch ends.
uint64_t qsm_sm_mgr_next(const struct qsm_sm_mgr *mgr, uint64_t from);
// Does one cycle, before the TB scheduler does it; cycles ascending, none that qsm_sm_mgr_next()
// names left out. True if there was a request.
bool qsm_sm_mgr_step(struct qsm_sm_mgr *mgr, uint64_t cycle);

// In E, which is not stepped yet: ep_len is the length of the epoch that begins, had_tb what
// qsm_tb_sched_take_had_tb() returned.
void qsm_sm_mgr_end_epoch(struct qsm_sm_mgr *mgr, uint64_t cycle, uint32_t ep_len, uint32_t had_tb);

// At the end of a cycle that was stepped, after all else of it. True if what the next one shows has
// changed.
bool qsm_sm_mgr_end_cycle(struct qsm_sm_mgr *mgr);

// Bit k: slot k keeps to SMs of its own (R-SG-18), as of the start of the cycle. The address does
// not change.
const uint32_t *qsm_sm_mgr_apart(const struct qsm_sm_mgr *mgr);

// Bit k: slot k is ahead of its goal by more than an epoch (R-SG-5).
uint32_t qsm_sm_mgr_ample(const struct qsm_sm_mgr *mgr);

// HIST_CLEAR; CTX arrival, which clears it, too. After their cycle was stepped.
void qsm_sm_mgr_clear_history(struct qsm_sm_mgr *mgr, uint32_t kernel);
void qsm_sm_mgr_arrive(struct qsm_sm_mgr *mgr, uint32_t kernel);

// ---- Registers ----
// It has SMs in its hands, or to give back (R-SO-9).
bool qsm_sm_mgr_busy(const struct qsm_sm_mgr *mgr);
uint32_t qsm_sm_mgr_record(const struct qsm_sm_mgr *mgr, uint32_t kernel);  // SM_RECORD

// QSM_STATE_SM_RECORD of qsm_model_state(), at the start of `cycle`.
bool qsm_sm_mgr_state(const struct qsm_sm_mgr *mgr, uint64_t cycle, uint32_t index, uint32_t word,
                      uint32_t *value);
// Flips a bit of opt or lead of a valid slot; see qsm_model_inject().
int qsm_sm_mgr_inject(struct qsm_sm_mgr *mgr, uint64_t seed, char *what, size_t what_len);

#endif
