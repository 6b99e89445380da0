// SPDX-License-Identifier: Apache-2.0
// The QoS manager: epoch timer, history, quotas and their distribution over the SMs
// (docs/qos_mgr.md, R-QM).
#ifndef QSM_QOS_MGR_H
#define QSM_QOS_MGR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_bus.h"
#include "qsm_ctrl.h"
#include "qsm_tb_sched.h"

// Registers of a slot that the manager writes.
struct qsm_qos_slot {
  uint64_t hist_insn;    // 48 bit
  uint64_t hist_cycles;  // 48 bit
  uint32_t epoch_insn;
  uint32_t quota;
  uint32_t alpha;  // Q6.16
  uint32_t ratio;  // Q6.16: goal / IPC of the history (R-SC-8)
};

// What was read of a slot's snapshot on an SM (R-QM-14).
struct qsm_qos_shown {
  uint32_t insn;
  uint32_t c;
};

struct qsm_qos_mgr;

// The arguments outlive the manager. NULL: no memory.
struct qsm_qos_mgr *qsm_qos_mgr_create(const struct qsm_regs *regs, struct qsm_tb_sched *tb_sched,
                                       const struct qsm_bus *bus);
void qsm_qos_mgr_destroy(struct qsm_qos_mgr *mgr);  // NULL is fine

// First cycle from `from` on in which anything happens.
uint64_t qsm_qos_mgr_next(const struct qsm_qos_mgr *mgr, uint64_t from);
// Does one cycle, before the thread-block scheduler does it; cycles ascending, none that
// qsm_qos_mgr_next() names left out. True if it told the scheduler something: in E, that the epoch
// ends, and in E + QosLat, the cycle of the load, the ratios.
bool qsm_qos_mgr_step(struct qsm_qos_mgr *mgr, uint64_t cycle);

// This is an E, just stepped: the length of the epoch that begins, and had_tb of R-QM-2.
bool qsm_qos_mgr_epoch_ended(const struct qsm_qos_mgr *mgr, uint64_t cycle, uint32_t *ep_len,
                             uint32_t *had_tb);

// In E, just stepped: slots that are ahead of their goals by more than an epoch (R-QM-12).
void qsm_qos_mgr_note_ample(struct qsm_qos_mgr *mgr, uint32_t kernels);

// busy of the slot has this value from cycle `from` on.
void qsm_qos_mgr_set_busy(struct qsm_qos_mgr *mgr, uint32_t kernel, bool busy, uint64_t from);
// LAUNCH of the slot was accepted in this cycle, an E if there was one in it just stepped (R-DL-2).
void qsm_qos_mgr_note_launch(struct qsm_qos_mgr *mgr, uint32_t kernel, uint64_t cycle);
// QUOTA_RULES has had its value in all cycles before `from`, and may have another one then.
void qsm_qos_mgr_settle(struct qsm_qos_mgr *mgr, uint64_t from);
// CTX arrival or HIST_CLEAR in the cycle before `from`.
void qsm_qos_mgr_clear_history(struct qsm_qos_mgr *mgr, uint32_t kernel, uint64_t from);

// ---- Registers, at the start of `cycle` ----
bool qsm_qos_mgr_busy(const struct qsm_qos_mgr *mgr, uint64_t cycle);            // MGR_BUSY
bool qsm_qos_mgr_refuses_writes(const struct qsm_qos_mgr *mgr, uint64_t cycle);  // R-QM-3
uint32_t qsm_qos_mgr_epoch_count(const struct qsm_qos_mgr *mgr);
uint32_t qsm_qos_mgr_epoch_e(const struct qsm_qos_mgr *mgr);
const struct qsm_qos_slot *qsm_qos_mgr_slot(const struct qsm_qos_mgr *mgr, uint32_t kernel);
const struct qsm_qos_shown *qsm_qos_mgr_shown(const struct qsm_qos_mgr *mgr, uint32_t sm,
                                              uint32_t kernel);

// Flips a bit of a valid slot's history; see qsm_model_inject().
int qsm_qos_mgr_inject(struct qsm_qos_mgr *mgr, uint64_t seed, char *what, size_t what_len);

// ---- Arithmetic, alone (R-QM-6 to R-QM-9, R-QM-13, R-SC-8 to R-SC-10, R-DL) ----
#define QSM_QUOTA_MAX 0x7fffffffu
#define QSM_ALPHA_ONE 0x10000u
#define QSM_ALPHA_MAX 0x3fffffu

// G: the goal with a margin of 2^(margin - 11) of itself; 0: without.
uint32_t qsm_qos_aim(uint32_t goal_q16, uint32_t margin);
// goal / IPC of the history of a QoS slot, rounded up; 0 without a history. Q6.16.
uint32_t qsm_qos_ratio(uint32_t goal_q16, uint64_t hist_cycles, uint64_t hist_insn);
// alpha of a QoS slot with history correction; cap 0: off. Q6.16.
uint32_t qsm_qos_alpha(uint32_t ratio, uint32_t alpha_cap);
// Quota of a QoS slot.
uint32_t qsm_qos_quota(uint32_t alpha_q16, uint32_t goal_q16, uint32_t epoch_len);
// Quota of a slot under scheme fair, beside n - 1 others; rounded up for a QoS slot.
uint32_t qsm_qos_fair(uint32_t iso_ipc_q16, uint32_t epoch_len, uint32_t n, bool up);
// One step to the quota of a non-QoS slot: what it would have issued, had the QoS slot issued what
// it has to spend (not 0) instead of insn.
uint32_t qsm_qos_scaled(uint32_t quota, uint32_t insn, uint32_t to_spend);
// What an epoch takes of work that is to be done in so many cycles, more than 0 (R-DL-4).
uint32_t qsm_qos_need(uint32_t work, uint32_t epoch_len, uint64_t n_cycles);
// The SM's part of a quota: `before` of `sum` TBs are on lower SMs, `here` on this one. sum is not
// 0.
uint32_t qsm_qos_part(uint32_t quota, uint32_t before, uint32_t here, uint32_t sum);

#endif
