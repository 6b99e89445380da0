// SPDX-License-Identifier: Apache-2.0
// The wipe of a block's shared memory before the block retires: docs/sm.md, R-SM-10. The RTL clears
// a row in each cycle; here all rows are cleared in the cycle of the last one. That is the same: no
// warp of the block is left to read them, no other block has them before this one has retired, and
// the state that is compared shows those as 0 whose cycle is over (qsm_wipe_has_cleared()).
#ifndef QSM_WIPE_H
#define QSM_WIPE_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_bits.h"
#include "qsm_sm_state.h"

struct qsm_sm;

struct qsm_wipe {
  uint64_t begins_at,
      ends_at;  // the cycles of its first and of its last row; QSM_NEVER: there is none
  uint32_t row, n_rows;
  uint8_t tb;
  uint32_t clean;  // bit per slot: its shared memory is zero, or it has none
};

void qsm_wipe_reset(struct qsm_wipe *wipe);
// A block arrives; `clean`: it has no shared memory.
static inline void qsm_wipe_note_block(struct qsm_wipe *wipe, uint32_t tb, bool clean) {
  uint32_t bit = 1u << tb;
  wipe->clean = clean ? wipe->clean | bit : wipe->clean & ~bit;
}
static inline bool qsm_wipe_runs(const struct qsm_wipe *wipe) { return wipe->ends_at != QSM_NEVER; }
// Of the slots in `over`, those of which the lowest is wiped next.
static inline uint32_t qsm_wipe_wants(const struct qsm_wipe *wipe, uint32_t over) {
  return qsm_wipe_runs(wipe) ? 0 : over & ~wipe->clean;
}
void qsm_wipe_begin(struct qsm_sm *sm, uint32_t tb, uint64_t c);
void qsm_wipe_end(struct qsm_sm *sm);
// At the start of `cycle`: the wipe under way has cleared the row.
bool qsm_wipe_has_cleared(const struct qsm_wipe *wipe, uint32_t row, uint64_t cycle);

// ---- State and flips ----
bool qsm_wipe_word(const struct qsm_wipe *wipe, uint64_t cycle, uint32_t word, uint32_t *value);
bool qsm_wipe_flip(struct qsm_flip *flip, struct qsm_sm *sm);

#endif
