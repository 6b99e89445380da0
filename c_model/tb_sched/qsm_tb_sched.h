// SPDX-License-Identifier: Apache-2.0
// The thread-block scheduler: kernel table, targets, resource tables, dispatch, ends of launches
// (docs/tb_sched.md, R-TB).
#ifndef QSM_TB_SCHED_H
#define QSM_TB_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_bus.h"
#include "qsm_ctrl.h"
#include "qsm_preempt.h"
#include "qsm_sm.h"

struct qsm_tb_sched;
struct qsm_sm_owner;

// The next new block of a launch (R-TB-2).
struct qsm_walk {
  uint32_t at[3];  // [0] = x
  uint32_t linear;
};

// The arguments outlive the scheduler. NULL: no memory.
struct qsm_tb_sched *qsm_tb_sched_create(const struct qsm_regs *regs, const struct qsm_bus *bus);
void qsm_tb_sched_destroy(struct qsm_tb_sched *ts);  // NULL is fine

// ---- Messages from SM `sm`, seen in `cycle`, which is not stepped yet and less than 64 ahead ----
void qsm_tb_sched_retire(struct qsm_tb_sched *ts, uint64_t cycle, uint32_t sm, uint32_t tb,
                         bool saved);
void qsm_tb_sched_restored(struct qsm_tb_sched *ts, uint64_t cycle, uint32_t sm);
// fault[k]; the record is copied.
void qsm_tb_sched_fault(struct qsm_tb_sched *ts, uint64_t cycle, uint32_t sm, uint32_t kernel,
                        const struct qsm_fault *record);
void qsm_tb_sched_power(struct qsm_tb_sched *ts, uint64_t cycle, uint32_t sm,
                        bool on);  // off or on (docs/sm_owner.md)

// ---- Register writes, after their cycle was stepped; the registers already have their new values
// ----
void qsm_tb_sched_launch(struct qsm_tb_sched *ts, uint32_t kernel);
void qsm_tb_sched_arrive(struct qsm_tb_sched *ts, uint32_t kernel);  // CTX.valid 0 -> 1
void qsm_tb_sched_yield(struct qsm_tb_sched *ts, uint32_t kernel);   // YIELD (R-TB-16)
void qsm_tb_sched_set_walk(struct qsm_tb_sched *ts, uint32_t kernel,
                           const struct qsm_walk *walk);  // WALK_*
// Called before the cycle of the LAUNCH is stepped: a LAUNCH in E keeps its slot active (R-TB-14).
void qsm_tb_sched_will_launch(struct qsm_tb_sched *ts, uint32_t kernels);
void qsm_tb_sched_request_targets(struct qsm_tb_sched *ts);  // R-TB-5: CTX or SM_MASK changed
void qsm_tb_sched_preempt(struct qsm_tb_sched *ts,
                          const struct qsm_preempt_request *request);  // PREEMPT
void qsm_tb_sched_note_move_technique(struct qsm_tb_sched *ts);        // MOVE_TECHNIQUE

// First cycle from `from` on in which anything can happen, if no more messages and writes come.
uint64_t qsm_tb_sched_next(const struct qsm_tb_sched *ts, uint64_t from);
// Slots whose start is sent in the next step.
uint32_t qsm_tb_sched_starting(const struct qsm_tb_sched *ts);
// Does one cycle; cycles ascending, none that qsm_tb_sched_next() names left out. `kill`: slots
// whose KILL is written in it. Returns the slots whose launch ends with the cycle: busy falls and
// the interrupt is set.
uint32_t qsm_tb_sched_step(struct qsm_tb_sched *ts, uint64_t cycle, uint32_t kill);
// First cycle at whose end a launch that is ending now ends (R-TB-3); later ones come at least 16
// cycles after they began to end.
uint64_t qsm_tb_sched_end_at(const struct qsm_tb_sched *ts);

// In E, which is not stepped yet: an epoch ends (R-TB-14, R-TA-1). Returns "had a TB" of every slot
// (R-TB-12), which starts anew.
uint32_t qsm_tb_sched_take_had_tb(struct qsm_tb_sched *ts, uint64_t cycle);
// In E + QosLat, which is not stepped yet: a pass of the adjuster begins, if some slot wants it;
// `ratio`: r_k of all slots. SMs that are free may be gated (R-SO-6).
void qsm_tb_sched_adjust(struct qsm_tb_sched *ts, uint64_t cycle, const uint32_t *ratio);

// ---- Registers ----
uint32_t qsm_tb_sched_busy(const struct qsm_tb_sched *ts);     // bit k
uint32_t qsm_tb_sched_killed(const struct qsm_tb_sched *ts);   // bit k
uint32_t qsm_tb_sched_yielded(const struct qsm_tb_sched *ts);  // bit k
const struct qsm_walk *qsm_tb_sched_walk(const struct qsm_tb_sched *ts, uint32_t kernel);
bool qsm_tb_sched_alloc_busy(const struct qsm_tb_sched *ts);
bool qsm_tb_sched_adjust_busy(const struct qsm_tb_sched *ts);
uint32_t qsm_tb_sched_resident(const struct qsm_tb_sched *ts, uint32_t sm, uint32_t kernel);
// Sum over the cycles before `cycle` of the number of SMs on which the kernel has a resident block
// at the cycle's start (R-FR-21); `cycle` - 1 may be the next one to step.
uint64_t qsm_tb_sched_sm_cycles(const struct qsm_tb_sched *ts, uint64_t cycle, uint32_t kernel);
uint32_t qsm_tb_sched_sharing(const struct qsm_tb_sched *ts, uint32_t sm,
                              uint32_t kernel);  // T_i: without the one that is being saved
uint32_t qsm_tb_sched_part(const struct qsm_tb_sched *ts);  // bit k: valid and active (R-TB-14)
struct qsm_sm_owner *qsm_tb_sched_sm_owner(const struct qsm_tb_sched *ts);
const struct qsm_preempt *qsm_tb_sched_preemption(const struct qsm_tb_sched *ts);
void qsm_tb_sched_set_evict(struct qsm_tb_sched *ts, uint32_t sm, uint32_t kernels);  // R-TA-7
uint32_t qsm_tb_sched_target(const struct qsm_tb_sched *ts, uint32_t sm, uint32_t kernel);
uint32_t qsm_tb_sched_launches(const struct qsm_tb_sched *ts, uint32_t kernel);
const struct qsm_fault *qsm_tb_sched_record(const struct qsm_tb_sched *ts, uint32_t kernel);
// QSM_STATE_SLOT and QSM_STATE_TARGET of qsm_model_state().
bool qsm_tb_sched_state(const struct qsm_tb_sched *ts, uint32_t kernel, uint32_t word,
                        uint32_t *value);
bool qsm_tb_sched_target_state(const struct qsm_tb_sched *ts, uint32_t sm, uint32_t kernel,
                               uint32_t word, uint32_t *value);

// Blocks "tb_sched" (a slot's walk), "tb_alloc" (a target), "preempt" (a request) and "tb_adjust";
// see qsm_model_inject().
int qsm_tb_sched_inject_slot(struct qsm_tb_sched *ts, uint64_t seed, char *what, size_t what_len);
int qsm_tb_sched_inject_target(struct qsm_tb_sched *ts, uint64_t seed, char *what, size_t what_len);
int qsm_tb_sched_inject_adjust(struct qsm_tb_sched *ts, uint64_t seed, char *what, size_t what_len);
int qsm_tb_sched_inject_request(struct qsm_tb_sched *ts, uint64_t seed, char *what,
                                size_t what_len);

#endif
