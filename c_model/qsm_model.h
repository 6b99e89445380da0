// SPDX-License-Identifier: Apache-2.0
// The golden model: a C library equal to the RTL in every cycle. One struct qsm_model is one GPU
// with its simulated memory; any number may live side by side (no globals). Not thread-safe per
// instance; different instances may run in different threads.
#ifndef QSM_MODEL_H
#define QSM_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_config.h"
#include "qsm_events.h"

struct qsm_model;

// Builds a GPU in reset (cycle 0, memory zero). Returns 0 and sets *out, or -1 with a message (bad
// configuration, no memory).
int qsm_model_create(const struct qsm_config *config, struct qsm_model **out, char *msg,
                     size_t msg_len);
void qsm_model_destroy(struct qsm_model *model);  // NULL is fine

// Number of the next cycle to run.
uint64_t qsm_model_cycle(const struct qsm_model *model);

// Runs up to n_cycles; with stop_on_irq it ends before the first cycle in which the IRQ register is
// not 0 at its start (at once if it is now). Returns the cycles run.
uint64_t qsm_model_run(struct qsm_model *model, uint64_t n_cycles, bool stop_on_irq);

// Control port accesses; each runs exactly one cycle. Return 0, or 1 when the port answered err
// (*value is then 0).
int qsm_model_write(struct qsm_model *model, uint16_t addr, uint32_t value);
int qsm_model_read(struct qsm_model *model, uint16_t addr, uint32_t *value);

// Device memory, config.mem_bytes bytes; the host may read and write it between calls.
uint8_t *qsm_model_memory(struct qsm_model *model);

// Every event goes to sink from now on; NULL turns reporting off. Within one run call events of
// different SMs may come out of cycle order (look-ahead); within one SM and within the GPU level
// they are ordered by cycle, and after the call all events of its cycles have been delivered.
void qsm_model_set_sink(struct qsm_model *model, qsm_event_sink sink, void *ctx);
// Likewise for memory accesses, among the events.
void qsm_model_set_access_sink(struct qsm_model *model, qsm_access_sink sink, void *ctx);

// 64-bit hash over what has happened so far, each with its cycle: issues, injected instructions,
// write-backs, quotas, samples, and all of the GPU level; equal machines give equal hashes. Off
// until enabled. Used to prove that a faster model is the same model.
void qsm_model_enable_hash(struct qsm_model *model);
uint64_t qsm_model_hash(const struct qsm_model *model);

// ---- State for comparison with the RTL (docs/lockstep.md, R-LK-3) ----
enum qsm_state_kind {
  // sm, sub, index = (warp*32 + reg), word = lane
  QSM_STATE_REG,
  // sm, index = row, word = bank
  QSM_STATE_SHARED,
  // sm, sub, index = warp, word = lane; meaningful for live lanes outside the path
  QSM_STATE_LANE_PC,
  // as QSM_STATE_LANE_PC
  QSM_STATE_LANE_DEPTH,
  // sm, sub, index = warp: word 0 resident, 1 live, 2 bar, 3 path.valid, 4 path.pc, 5 path.mask, 6
  // selcnt, 7 rot, 8 depth, 9 selpend
  QSM_STATE_WARP,
  // sm, sub, index 0: word 0 selw, 1 sellast
  QSM_STATE_SELECT,
  // sm, sub, index = warp, word = entry: valid | mem<<1 | all_sent<<2 | rd<<8 | parts<<16; 0 if not
  // valid
  QSM_STATE_SCOREBOARD,
  // sm, index = kernel: word 0 C, 1 quota, 2 granted, 3 insn, 4 fresh; index NumKernels: word 0
  // dcnt, 1 early
  QSM_STATE_QUOTA,
  // sm, index = tb slot: word 0 valid, 1 kernel, 2 left, 3 arrived; 0 unless valid: 4 ticket, 5
  // saved, 6 block x | y<<16, 7 z, 8 linear, 9 clean
  QSM_STATE_TBS,
  // sm, sub, index = kernel, word = reason
  QSM_STATE_STALL,
  // index = kernel slot: word 0 busy, 1 killed, 2 linear of the walk, 3 out, 4 launches, 5 wait |
  // late<<1 | active<<2 | used<<3
  QSM_STATE_SLOT,
  // sm, index = kernel: word 0 killed, 1 cause, 2 pc, 3 tid, 4 block, 5 value
  QSM_STATE_FAULT,
  // sm, index = kernel: word 0 target, 1 evict flag
  QSM_STATE_TARGET,
  // sm, sub, index 0: word 0 active, 1 front.valid<<16 | front.budget<<8 | ncs, 2 prev<<1 |
  // head_ok, 3 mark
  QSM_STATE_POLICY,
  // sm, index = kernel: word 0 idle_sum, 1 snap_idle
  QSM_STATE_IDLE,
  // sm, index 0: word 0 kind | result<<4, 1 kernel | tb<<8 | image<<16 | fresh<<24 | host<<25 (kind
  // none: 0), 2 ticket (kind saved)
  QSM_STATE_JOB,
  // index = kernel slot: word 0 images used, 1 queue length, 2+n queue image | fresh<<8,
  // 2+NumImages+v spare ticket
  QSM_STATE_SAVED,
  // sm, index = kernel: word 0 fresh_cnt, 1 stack height, 2+n ticket n from the bottom
  QSM_STATE_TICKETS,
  // sm, index 0: word 0 op | phase<<4; 0 while idle: 1 tb | image<<8 | fresh<<16, 2 base
  QSM_STATE_SAVER,
  // sm, sub, index 0: word 0 wbw + 16 * claim; bit n-1 of claim: claim[n] of R-FP-3
  QSM_STATE_WRITE_BACK,
  // sm, index 0: word 0 A full; 0 unless full: 1 line address, 2 lanes, 3 sub | warp<<8 | entry<<16
  // | kind<<24; 4 kinds of return op in order of service, longest ago first, 2 bits each (0 pass, 1
  // response, 2 hit), 5 gens, 4 bits each
  QSM_STATE_L1,
  // sm, index = set: word w, way w: valid | pending<<1 | poison<<2 | gen<<4 | slot<<8 | txn<<16 (0
  // unless pending); L1Ways + w: tag; both 0 unless valid or pending; word 2*L1Ways: tree, bit n:
  // node n
  QSM_STATE_L1SET,
  // sm = channel, index 0: word 0 credits of rsp, 1 of out, 2 of mshr, 3 of waiter, 4 entries of
  // rsp, 5 of out, 6 unacked of colour 0 | of 1 <<16, 7 flushing | walking<<1 | colour<<2, 0 unless
  // walking: 8 set, 9 way; index 1 + j, MSHR j: word 0 valid | filled<<1, 0 unless valid: 1 address
  // of its line, 2 slot, 3 waiters in its list
  QSM_STATE_L2,
  // sm = channel, index = set: word w, way w: valid | dirty<<1 | tag<<2, 0 unless valid; word
  // L2Ways: tree, bit n: node n
  QSM_STATE_L2SET,
  // sm = channel, index = bank: word 0 open, 1 row (0 when closed), 2 busy, 3 keep; index
  // DramBanks: word 0 bus, 1 passed, 2 entries, 3 accesses on the way (R-DR-7)
  QSM_STATE_DRAM,
  // sm, index 0: word 0 valid | slot<<8; 0 unless valid: 1 row, 2 left
  QSM_STATE_WIPE,
  QSM_STATE_COUNT
};
// One word of state; false where no such element exists.
bool qsm_model_state(const struct qsm_model *model, enum qsm_state_kind kind, uint32_t sm,
                     uint32_t sub, uint32_t index, uint32_t word, uint32_t *value);

// Negative control of the harness: flips one bit of a live state element of the block (names as in
// qsm_events.h, and "ctrl"), such that the lockstep sees it first in this block; chosen by `seed`,
// between two cycles. Returns 0 and describes the flip in `what`, or -1: nothing of that block is
// live now (try again later), -2: unknown block.
int qsm_model_inject(struct qsm_model *model, const char *block, uint64_t seed, char *what,
                     size_t what_len);

#endif
