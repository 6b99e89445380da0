// SPDX-License-Identifier: Apache-2.0
// Warps of a sub-core: who they are, which lanes live and wait, the split that runs, the selection
// of the next (docs/warp_state.md).
#ifndef QSM_WARP_STATE_H
#define QSM_WARP_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_sm.h"
#include "qsm_sm_state.h"
#include "qsm_warp_sched.h"

struct qsm_subcore;
struct qsm_pipe_slot;

// Of one warp.
struct qsm_warp_state {
  uint32_t live, bar;
  uint32_t split_pc, split_mask, reconv_pc;
  uint8_t kernel, tb, widx;
  uint8_t split_depth;
};

// Of all warps of the sub-core; masks have one bit per warp.
struct qsm_warp_states {
  uint32_t resident;
  uint32_t split_valid, reconv_valid;
  uint32_t frozen;   // of a block that is saved or restored: issues nothing (R-PE-12)
  uint32_t killed;   // of a kernel that was killed since they started
  uint32_t selpend;  // they wait for a selection
  bool asks;         // a step of the save sequencer wants to read the lane store in this cycle
  bool step_read;    // and did so in the one before
  uint8_t sel2;      // the warp whose SEL2 is due in the next cycle
  uint8_t sel_last;  // sel_last
  uint32_t of_kernel[QSM_MAX_KERNELS];
  uint8_t selcnt[QSM_MAX_WARPS], rot[QSM_MAX_WARPS];
  uint32_t *lane_pc;    // [warp][lane]
  uint8_t *lane_depth;  // [warp][lane]
};

// False: no memory.
bool qsm_warp_states_create(struct qsm_warp_states *states, uint32_t n_warps, uint32_t n_lanes);
void qsm_warp_states_reset(struct qsm_warp_states *states, uint32_t n_warps);
void qsm_warp_states_destroy(struct qsm_warp_states *states);

// A warp to start (R-SM-2).
struct qsm_warp_start {
  uint32_t warp, kernel, tb, widx, live;
  bool from_entry;  // it runs from the entry; false: it gets its split by JMP (R-PE-13)
};
void qsm_warp_start(struct qsm_subcore *sc, const struct qsm_warp_start *start, uint64_t c);
// EX2 of a ctl instruction; true if it faults.
bool qsm_warp_resolve(struct qsm_subcore *sc, const struct qsm_pipe_slot *slot, uint64_t c);
void qsm_warp_release(struct qsm_subcore *sc, uint32_t tb, uint64_t c);
void qsm_warp_wipe(struct qsm_subcore *sc, uint32_t kernel, uint64_t c);  // R-WS-9
void qsm_warp_evict(struct qsm_subcore *sc, uint32_t tb, uint64_t c);     // R-PE-17

// The warps of a block are frozen, or no warp is; seen from cycle `from` on.
void qsm_warp_freeze(struct qsm_subcore *sc, uint32_t tb, uint64_t from);
void qsm_warp_thaw(struct qsm_subcore *sc, uint64_t from);
// The kernels' warps issue nothing any more.
void qsm_warp_kill(struct qsm_subcore *sc, uint32_t kernels, uint64_t from);

// R-IS-3: the warp goes on behind the instruction that it issues; behind a ctl instruction it has
// no split until that resolves.
static inline void qsm_warp_step_path(struct qsm_warp_states *states, struct qsm_warp_state *state,
                                      uint32_t warp, bool ctl) {
  state->split_pc += 4;
  if (ctl) states->split_valid &= ~(1u << warp);
}

// R-WS-10.
static inline void qsm_warp_leave(struct qsm_warp_states *states, uint32_t warp) {
  states->resident &= ~(1u << warp);
}

// All lanes that live wait.
static inline bool qsm_warp_is_at_barrier(const struct qsm_warp_state *state) {
  return state->bar && !(state->live & ~state->bar);
}

// ---- Selection: SEL1, SEL2, SEL3 ----

void qsm_split_select(struct qsm_subcore *sc, uint64_t c);
// While nothing is due, a step of the selection changes nothing. So it may be left out.
static inline bool qsm_warp_selects(const struct qsm_warp_states *states) {
  return states->sel2 != QSM_NONE || states->selpend || states->asks || states->step_read;
}
// Before the cycle's qsm_split_select: a SET of a lane's value asks for the lane store (R-WS-8). It
// has read in the cycle before step_read.
void qsm_warp_ask(struct qsm_subcore *sc, uint64_t c);

// ---- State and flips ----
bool qsm_warp_state_word(const struct qsm_subcore *sc, uint32_t warp, uint32_t word,
                         uint32_t *value);
bool qsm_warp_select_word(const struct qsm_warp_states *states, uint32_t word, uint32_t *value);
// The split of a warp.
void qsm_warp_flip_path(struct qsm_flip *flip, struct qsm_subcore *sc, uint32_t warp);
bool qsm_warp_state_flip(struct qsm_flip *flip, struct qsm_subcore *sc);

#endif
