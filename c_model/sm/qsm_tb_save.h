// SPDX-License-Identifier: Apache-2.0
// The sequencer that saves and restores blocks (docs/preemption.md). At most one block at a time.
// Its state belongs to qsm_tb_save.c, which goes through the phases, and qsm_save_steps.c, which
// does the steps of one.
#ifndef QSM_TB_SAVE_H
#define QSM_TB_SAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_inbox.h"
#include "qsm_sm.h"
#include "qsm_sm_state.h"
#include "qsm_subcore.h"

// A lane's word in the last line of its warp's image.
enum { QSM_SAVED_DEPTH = 31, QSM_SAVED_LIVE = 32, QSM_SAVED_AT_BARRIER = 64 };

// A slot of a warp of the block.
struct qsm_save_place {
  struct qsm_subcore *sc;  // NULL: there is none
  uint32_t warp;
};

// The step that was chosen last (R-PE-16).
struct qsm_save_step {
  bool valid;              // it waits
  bool whole;              // its operands are there
  bool ready;              // its registers and an entry were free at the start of the cycle before
  bool of_lane, of_split;  // SET: whose value and mask it has
  uint8_t kind, reg;       // enum qsm_step
  uint32_t warp;           // of the block
  uint32_t value, mask;    // pc field and mask of its instruction
  struct qsm_save_place at;
};

struct qsm_tb_save {
  uint8_t op;  // enum qsm_tb_op; QSM_TB_NEW: idle
  uint8_t phase;
  uint8_t tb, image;
  bool fresh;
  uint8_t at_end;        // what the cycle's end brings: see qsm_tb_save.c
  uint32_t base;         // of the image
  uint32_t n_to_add;     // image sizes that base still lacks
  uint32_t i, reg, row;  // where the phase stands
  uint32_t part;
  bool chosen;  // in the cycle before: the place is left at the end of this one
  bool found;   // the place's warp is resident
  // State phase of a save: what of warp i is left to be put into its registers, once it is known.
  bool known, on_split, dead, second;
  uint32_t rest;              // lanes
  uint32_t row_begin, i_end;  // of a round of rows of shared memory
  uint32_t first;             // f of R-PE-17
  uint8_t reported_op, reported_phase;
  struct qsm_save_step step;
  struct qsm_injection injection;
};

// Restored or saved blocks are frozen from the next cycle on.
void qsm_tb_save_begin(struct qsm_sm *sm, const struct qsm_sm_msg *msg);
void qsm_tb_save_stop(struct qsm_sm *sm,
                      uint64_t from);  // op idle; the block runs, or has gone, from cycle `from` on
// While op is not idle: decides at the start of a cycle, which may inject, and acts at its end.
void qsm_tb_save_decide(struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c);
void qsm_tb_save_end(struct qsm_sm *sm, uint64_t c);

static inline bool qsm_tb_save_holds(const struct qsm_tb_save *save, uint32_t tb) {
  return save->op && save->tb == tb;
}
static inline bool qsm_tb_save_restores(const struct qsm_tb_save *save, uint32_t tb) {
  return save->op == QSM_TB_RESTORE && save->tb == tb;
}

// ---- State and flips ----
bool qsm_tb_save_word(const struct qsm_tb_save *save, uint32_t word, uint32_t *value);
bool qsm_tb_save_flip(struct qsm_flip *flip, struct qsm_sm *sm);

#endif
