// SPDX-License-Identifier: Apache-2.0
// Thread-block slots of an SM: arrival, launch of the warps, retirement (docs/sm.md, R-SM-1,
// R-SM-2, R-SM-4; docs/preemption.md, R-PE-13, R-PE-22).
#ifndef QSM_TB_LAUNCH_H
#define QSM_TB_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_sm.h"
#include "qsm_sm_state.h"

struct qsm_sm;

struct qsm_tb_slot {
  bool saved;  // evicted: its state lies in an image
  uint8_t kernel, first, base;
  uint16_t ticket;
  uint32_t block[3], linear;
};

struct qsm_tb_launch {
  uint32_t valid;              // bit per slot
  uint32_t head, count;        // of the queue
  uint32_t warp;               // of the queue's head, that starts next
  uint32_t present;            // kernels with a valid slot that is not being saved (R-PE-22)
  uint32_t runnable;           // kernels with one that is not frozen
  uint8_t queue[QSM_MAX_TBS];  // slots whose warps have not all started, by arrival
  struct qsm_tb_slot tb[QSM_MAX_TBS];
};

// R-SM-1.
void qsm_tb_launch_arrive(struct qsm_sm *sm, const struct qsm_sm_msg *msg, uint64_t c);

struct qsm_launch {  // R-SM-2, decided at the start of a cycle
  bool valid;
  uint32_t sub, warp;  // where
};
struct qsm_launch qsm_tb_launch_decide(const struct qsm_sm *sm);
void qsm_tb_launch_warp(struct qsm_sm *sm, const struct qsm_launch *launch, uint64_t c);

// R-SM-4.
void qsm_tb_launch_retire(struct qsm_sm *sm, uint32_t tb, uint64_t c);

// Not all warps of the block have started.
bool qsm_tb_launch_is_queued(const struct qsm_tb_launch *launch, uint32_t tb);
// After a slot came, went, froze or thawed; seen from cycle `from` on.
void qsm_tb_launch_update_presence(struct qsm_sm *sm, uint64_t from);

// Of the sequencer: the block's state lies in an image; a restored block has the image's index.
static inline void qsm_tb_launch_note_saved(struct qsm_tb_launch *launch, uint32_t tb) {
  launch->tb[tb].saved = true;
}
void qsm_tb_launch_set_index(struct qsm_tb_launch *launch, uint32_t tb, const uint32_t *block,
                             uint32_t linear);

// ---- State and flips ----
bool qsm_tb_launch_word(const struct qsm_sm *sm, uint32_t tb, uint32_t word, uint32_t *value);
bool qsm_tb_launch_flip(struct qsm_flip *flip, struct qsm_sm *sm);

#endif
