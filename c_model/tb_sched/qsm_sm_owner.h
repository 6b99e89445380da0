// SPDX-License-Identifier: Apache-2.0
// Who uses each SM: shared by all kernels, owned by one, or free; the moves between these, and the
// power of SMs that are free (docs/sm_owner.md, R-SO). Part of the TB scheduler, which owns the
// tables.
#ifndef QSM_SM_OWNER_H
#define QSM_SM_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_bus.h"
#include "qsm_ctrl.h"
#include "qsm_tb_resources.h"

struct qsm_sm_owner;

struct qsm_sm_usage {
  uint8_t usage, owner;  // usage: enum qsmSmUse; owner: a slot, 0 unless owned
  uint8_t moving;        // 1: to the next two, which are 0 otherwise
  uint8_t next_usage, next_owner;
  uint8_t power;  // enum qsm_sm_power
};

// R-QM-12: of all kernels, and staying so.
static inline bool qsm_sm_is_common(const struct qsm_sm_usage *sm) {
  return sm->usage == QSM_USE_SHARED && !sm->moving;
}

// R-SO-2 but for SM_MASK: SMs that do not move, and are shared, or owned by slot k. (`shared` has
// bits beyond the last SM, which no mask has.)
struct qsm_sm_may {
  bool by_mask;            // all are shared
  const uint32_t *apart;   // bit per slot: R-SG-18
  const uint32_t *active;  // bit per slot: R-TB-14
  qsm_sm_set shared, owned[QSM_MAX_KERNELS];
};

// R-SG-19: nothing goes to a shared SM.
static inline bool qsm_sm_is_closed(const struct qsm_sm_may *may, const struct qsm_regs *regs) {
  if (!qsm_scheme_whole_sms(regs->scheme) || regs->scheme == QSM_SCHEME_SM_ROLLOVER) return false;
  uint32_t n_parts = (uint32_t)__builtin_popcount(regs->valid_mask & *may->active);
  return n_parts > 0 && n_parts <= regs->shared.config->num_sms;
}

// R-SO-2: the SMs that slot k's blocks may go to.
static inline qsm_sm_set qsm_sm_may_go(const struct qsm_sm_may *may, const struct qsm_regs *regs,
                                       uint32_t k) {
  if (qsm_sm_is_closed(may, regs)) return may->owned[k];
  if (may->by_mask) return regs->sm_mask[k];
  bool keeps_apart = (*may->apart >> k & 1) && may->owned[k];
  return keeps_apart ? may->owned[k] : (may->shared & regs->sm_mask[k]) | may->owned[k];
}

// The arguments outlive it; `tables`: one per SM; active: R-TB-14, bit per slot. NULL: no memory.
struct qsm_sm_owner *qsm_sm_owner_create(const struct qsm_regs *regs, const struct qsm_bus *bus,
                                         const struct qsm_tb_table *tables, const uint32_t *active);
void qsm_sm_owner_destroy(struct qsm_sm_owner *so);  // NULL is fine
// The address does not change. False while every SM is shared, does not move and is on, and there
// is no request, so that a scheduler need not call the functions below.
const bool *qsm_sm_owner_active(const struct qsm_sm_owner *so);

// Whose blocks keep to SMs of their own, while it lives; without it nobody's.
void qsm_sm_owner_set_apart(struct qsm_sm_owner *so, const uint32_t *apart);

// ---- Before the step of `cycle` ----
// R-SO-1, at most one in a cycle.
void qsm_sm_owner_request(struct qsm_sm_owner *so, uint64_t cycle, uint32_t sm, uint32_t usage,
                          uint32_t owner);
// A message off or on from the SM is seen in `cycle`, which is less than 64 ahead.
void qsm_sm_owner_see_power(struct qsm_sm_owner *so, uint64_t cycle, uint32_t sm, bool on);
void qsm_sm_owner_end_epoch(struct qsm_sm_owner *so, uint64_t cycle);  // this cycle is an E
void qsm_sm_owner_gate(struct qsm_sm_owner *so, uint64_t cycle);       // this one is E + QosLat
// First cycle from `from` on in which anything happens here by itself.
uint64_t qsm_sm_owner_next(const struct qsm_sm_owner *so, uint64_t from);

// ---- In a cycle, in this order ----
// R-SO-5: the preemption engine has refused a request of a move for the slot's blocks.
void qsm_sm_owner_refuse(struct qsm_sm_owner *so, uint32_t sm, uint32_t kernel);
// Does the cycle, before the tables change by what is seen in it. Returns the SMs that the
// allocator is asked for (R-SO-8).
qsm_sm_set qsm_sm_owner_step(struct qsm_sm_owner *so, uint64_t cycle);
// A block of the SM came or went, as its table says now; seen from cycle + 1 on (R-SO-11).
void qsm_sm_owner_note_blocks(struct qsm_sm_owner *so, uint64_t cycle, uint32_t sm);

// ---- What others see ----
const struct qsm_sm_usage *qsm_sm_owner_of(const struct qsm_sm_owner *so, uint32_t sm);
const struct qsm_sm_may *qsm_sm_owner_may(const struct qsm_sm_owner *so);  // it does not move
qsm_sm_set qsm_sm_owner_moving(const struct qsm_sm_owner *so);
// Move flags of an SM, bit per slot (R-SO-5), by the tables and registers as they are.
uint32_t qsm_sm_owner_move_flags(const struct qsm_sm_owner *so, uint32_t sm);
// Registers, at the start of `cycle`.
uint32_t qsm_sm_owner_moves(const struct qsm_sm_owner *so);
uint64_t qsm_sm_owner_move_cycles(const struct qsm_sm_owner *so, uint64_t cycle);
uint64_t qsm_sm_owner_gated_cycles(const struct qsm_sm_owner *so, uint64_t cycle);
uint64_t qsm_sm_owner_shared_cycles(const struct qsm_sm_owner *so, uint64_t cycle);
uint64_t qsm_sm_owner_owned_cycles(const struct qsm_sm_owner *so, uint64_t cycle, uint32_t k);
uint32_t qsm_sm_owner_wakes(const struct qsm_sm_owner *so);
// QSM_STATE_OWNER of qsm_model_state().
bool qsm_sm_owner_state(const struct qsm_sm_owner *so, uint32_t sm, uint32_t word, uint32_t *value);
// The use of an SM, or the next one; see qsm_model_inject().
int qsm_sm_owner_inject(struct qsm_sm_owner *so, uint64_t seed, char *what, size_t what_len);

#endif
