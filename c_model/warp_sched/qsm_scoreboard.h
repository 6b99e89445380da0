// SPDX-License-Identifier: Apache-2.0
// Scoreboard of a warp: R-SB-1 .. R-SB-3 of docs/subcore.md. All of it is here, inlined: it is
// asked and changed with every instruction. What a change means for the warp's readiness is the
// sub-core's business, which owns the scoreboards (qsm_subcore_release() and its neighbours).
#ifndef QSM_SCOREBOARD_H
#define QSM_SCOREBOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_bits.h"

enum { QSM_MAX_SB = 8 };

struct qsm_scoreboard {
  uint32_t
      pending;  // registers with a pending write; each has one at most, since a second writer waits
  uint32_t pending_load;         // those of them whose writer is of class MEM
  uint8_t valid, mem, all_sent;  // bit per entry
  uint8_t rd[QSM_MAX_SB];
  uint8_t parts[QSM_MAX_SB];
};

// Takes the lowest free entry (there is one: R-IS-1).
static inline uint8_t qsm_sb_take(struct qsm_scoreboard *sb, uint8_t rd, bool mem) {
  unsigned entry = qsm_ctz(~(uint32_t)sb->valid);
  uint8_t bit = (uint8_t)(1u << entry);
  sb->valid |= bit;
  sb->rd[entry] = rd;
  uint32_t reg = (1u << rd) & ~1u;
  sb->pending |= reg;
  if (mem) {
    sb->mem |= bit;
    sb->all_sent &= (uint8_t)~bit;
    sb->parts[entry] = 0;
    sb->pending_load |= reg;
  }
  return (uint8_t)entry;
}

static inline void qsm_sb_release(struct qsm_scoreboard *sb, uint32_t entry) {
  uint8_t others = (uint8_t)~(1u << entry);
  uint32_t reg = ~(1u << sb->rd[entry]);
  sb->valid &= others;
  sb->mem &= others;
  sb->all_sent &= others;
  sb->pending &= reg;
  sb->pending_load &= reg;
}

// R-SB-3: parts of a memory instruction on their way, and whether all have set out.
static inline void qsm_sb_add_part(struct qsm_scoreboard *sb, uint32_t entry) {
  sb->parts[entry]++;
}
static inline void qsm_sb_end_part(struct qsm_scoreboard *sb, uint32_t entry) {
  sb->parts[entry]--;
}
static inline void qsm_sb_note_all_sent(struct qsm_scoreboard *sb, uint32_t entry) {
  sb->all_sent |= (uint8_t)(1u << entry);
}
// Updates of one cycle may come in any order: an entry that still gets a part in this cycle has
// all_sent = 0 or a part until then.
static inline bool qsm_sb_is_done(const struct qsm_scoreboard *sb, uint32_t entry) {
  return (sb->all_sent >> entry & 1) && sb->parts[entry] == 0;
}

#endif
