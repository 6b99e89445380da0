// SPDX-License-Identifier: Apache-2.0
// Scoreboard of a sub-core's warps: R-SB-1 .. R-SB-3 of docs/subcore.md.
#ifndef QSM_SCOREBOARD_H
#define QSM_SCOREBOARD_H

#include "qsm_sm_blocks.h"

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

static inline void qsm_sb_release(struct qsm_subcore *sc, uint32_t warp, uint32_t entry) {
  struct qsm_scoreboard *sb = &sc->warp[warp].sb;
  uint8_t others = (uint8_t)~(1u << entry);
  uint32_t reg = ~(1u << sb->rd[entry]);
  sb->valid &= others;
  sb->mem &= others;
  sb->all_sent &= others;
  sb->pending &= reg;
  sb->pending_load &= reg;
  bool waited = sc->warp[warp].stall == QSM_STALL_LONG_SCOREBOARD ||
                sc->warp[warp].stall == QSM_STALL_SHORT_SCOREBOARD;
  if (waited || sc->warp[warp].live == 0) sc->dirty |= 1u << warp;
}

// The caller refreshes the warp afterwards; true if the entry was released. Updates of one cycle
// may come in any order: an entry that still gets a part in this cycle has all_sent = 0 or a part
// until then.
static inline bool qsm_sb_check(struct qsm_subcore *sc, uint32_t warp, uint32_t entry) {
  const struct qsm_scoreboard *sb = &sc->warp[warp].sb;
  if (!(sb->all_sent >> entry & 1) || sb->parts[entry] != 0) return false;
  qsm_sb_release(sc, warp, entry);
  return true;
}

#endif
