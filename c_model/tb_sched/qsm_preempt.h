// SPDX-License-Identifier: Apache-2.0
// Preemption at the GPU level: requests, images, tickets, the order of resuming
// (docs/preemption.md, R-PE-1 .. R-PE-11). Part of the TB scheduler, which owns the tables of
// thread blocks and calls it in the order of a cycle.
#ifndef QSM_PREEMPT_H
#define QSM_PREEMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_bus.h"
#include "qsm_ctrl.h"

struct qsm_preempt;

struct qsm_preempt_request {
  uint8_t sm, kernel, tb;
  bool by_slot;       // tb counts; else the youngest block of the kernel on the SM
  uint8_t technique;  // enum qsm_technique
};

// The last decision of a host request.
struct qsm_preempt_status {
  uint32_t code, tb, image, sm;  // code: enum qsm_preempt_code
};

// The arguments outlive it. NULL: no memory.
struct qsm_preempt *qsm_preempt_create(const struct qsm_regs *regs, const struct qsm_bus *bus);
void qsm_preempt_destroy(struct qsm_preempt *pe);  // NULL is fine
// The address does not change. False while there is no request, no job and no image in use, so that
// a scheduler need not call the functions below.
const bool *qsm_preempt_active(const struct qsm_preempt *pe);

// ---- Between cycles ----
void qsm_preempt_request(struct qsm_preempt *pe,
                         const struct qsm_preempt_request *request);  // PREEMPT (R-PE-11)
void qsm_preempt_launch(struct qsm_preempt *pe, uint32_t kernel);
// Evict flags of an SM (docs/tb_adjust.md), bit per kernel, seen from the next cycle on; a refusal
// clears one.
void qsm_preempt_set_evict(struct qsm_preempt *pe, uint32_t sm, uint32_t kernels);
uint32_t qsm_preempt_evict(const struct qsm_preempt *pe, uint32_t sm);
qsm_sm_set qsm_preempt_evicting(const struct qsm_preempt *pe);  // SMs with a flag
// Likewise the flags of a move (docs/sm_owner.md, R-SO-5), which a refusal leaves alone.
void qsm_preempt_set_move(struct qsm_preempt *pe, uint32_t sm, uint32_t kernels);
qsm_sm_set qsm_preempt_moving(const struct qsm_preempt *pe);  // SMs with a flag
bool qsm_preempt_pending(
    const struct qsm_preempt *pe);  // a host's request waits, or some job is not none
qsm_sm_set qsm_preempt_restoring(const struct qsm_preempt *pe);  // SMs whose job is a restore
// First cycle from `from` on in which anything happens here by itself.
uint64_t qsm_preempt_next(const struct qsm_preempt *pe, uint64_t from);

// ---- In a cycle, in this order ----
// The request that is decided in this cycle, in which nothing is dispatched; NULL: none.
const struct qsm_preempt_request *qsm_preempt_examine(struct qsm_preempt *pe, uint64_t cycle);
// R-PE-3; `tb`: the block that it is about, `exists`: there is one that may be preempted. True if
// it refuses a request of a move.
bool qsm_preempt_decide(struct qsm_preempt *pe, uint64_t cycle, uint32_t tb, bool exists);

// SMs in whose job the kernel finds no obstacle to a dispatch (R-PE-8).
qsm_sm_set qsm_preempt_open_sms(const struct qsm_preempt *pe, uint32_t kernel);
uint32_t qsm_preempt_resumable(const struct qsm_preempt *pe);  // kernels with rs
struct qsm_dispatch_extra {
  uint8_t op, image;
  bool fresh;
  uint16_t ticket;
};
// What a dispatch of the kernel to TB slot `tb` carries; a restore if the kernel is resumable.
struct qsm_dispatch_extra qsm_preempt_dispatch(struct qsm_preempt *pe, uint32_t sm, uint32_t kernel,
                                               uint32_t tb);

// R-PE-7; `seen`: SMs of which a retirement is seen, `killed` as at the start of the cycle.
void qsm_preempt_clean_up(struct qsm_preempt *pe, qsm_sm_set seen, uint32_t killed);
void qsm_preempt_retired(struct qsm_preempt *pe, uint32_t sm, uint32_t kernel, uint32_t tb,
                         uint32_t ticket, bool saved, bool killed);
void qsm_preempt_restored(struct qsm_preempt *pe, uint32_t sm);
void qsm_preempt_kill(struct qsm_preempt *pe, uint32_t kernels);
void qsm_preempt_end(struct qsm_preempt *pe, uint32_t kernels);  // the start of an ending

// ---- What others see ----
uint32_t qsm_preempt_holding(const struct qsm_preempt *pe);  // kernels with a job somewhere: no end
uint32_t qsm_preempt_keeping(
    const struct qsm_preempt *pe);  // kernels with an image in use: no end unless killed
bool qsm_preempt_saves(const struct qsm_preempt *pe, uint32_t sm,
                       uint32_t kernel);  // job is a save of it
struct qsm_preempt_status qsm_preempt_status(const struct qsm_preempt *pe);
uint32_t qsm_preempt_job(const struct qsm_preempt *pe, uint32_t sm);  // SMSEL_JOB without the phase
uint32_t qsm_preempt_saved(const struct qsm_preempt *pe, uint32_t kernel);  // SAVED
// QSM_STATE_JOB, QSM_STATE_SAVED, QSM_STATE_TICKETS.
bool qsm_preempt_state(const struct qsm_preempt *pe, enum qsm_state_kind kind, uint32_t sm,
                       uint32_t index, uint32_t word, uint32_t *value);
int qsm_preempt_inject(struct qsm_preempt *pe, uint64_t seed, char *what, size_t what_len);

#endif
