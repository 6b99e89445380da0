// SPDX-License-Identifier: Apache-2.0
// What the blocks of an SM share to show their state for comparison (R-LK-3) and to have a bit of
// it flipped: each block does both for its own state, and qsm_sm_state.c asks them.
#ifndef QSM_SM_STATE_H
#define QSM_SM_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A word of state; false: there is none.
bool qsm_give(bool exists, const uint32_t *at, uint32_t *value);
bool qsm_give_word(uint32_t word, const uint32_t *words, uint32_t n, uint32_t *value);

// A flip that the machine must notice: `what` says where. A block's function returns false when the
// block holds nothing live.
struct qsm_flip {
  uint64_t seed;
  char *what;
  size_t what_len;
};

uint32_t qsm_flip_draw(struct qsm_flip *flip, uint32_t n);         // 0 .. n - 1
uint32_t qsm_flip_draw_bit(struct qsm_flip *flip, uint32_t bits);  // one of those that are set
void qsm_flip_bit(struct qsm_flip *flip, uint32_t *word, uint32_t bit, const char *name,
                  uint32_t index);
void qsm_flip_small(struct qsm_flip *flip, uint8_t *word, uint32_t bit, const char *name,
                    uint32_t index);

#endif
