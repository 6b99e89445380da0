// SPDX-License-Identifier: Apache-2.0
// Fetch, instruction cache and instruction buffers of a sub-core: docs/subcore.md, R-FE-1 ..
// R-FE-7.
#ifndef QSM_FETCH_H
#define QSM_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_bits.h"
#include "qsm_code.h"
#include "qsm_decode.h"
#include "qsm_sm_state.h"
#include "qsm_warp_sched.h"

enum { QSM_IBUF_DEPTH = 4 };  // instruction buffer of a warp

struct qsm_subcore;

struct qsm_fetch_latch {  // between F1 and F2
  bool hit;
  uint8_t warp;  // QSM_NONE: empty
  uint32_t pc;
  struct qsm_insn insn[2];  // the words pc & ~7 and the next, as in F1's cycle
};

enum qsm_miss_state { QSM_MISS_IDLE, QSM_MISS_PEND, QSM_MISS_WAIT };

struct qsm_miss {
  uint8_t state;  // enum qsm_miss_state
  uint8_t kernel;
  bool dropped;
  uint32_t line;
};

// Of one warp; its buffer has a line of the host's cache for itself.
struct qsm_warp_fetch {
  uint32_t fpc;
  uint8_t ibuf_head, ibuf_count;
};
struct qsm_ibuf {
  _Alignas(64) struct qsm_insn word[QSM_IBUF_DEPTH];
};

// Of all warps of the sub-core; masks have one bit per warp.
struct qsm_fetch {
  uint32_t fstop, fwait, finfl;
  uint32_t room;  // at most 2 entries in the instruction buffer
  bool filling;   // a line arrives in this cycle
  uint8_t last;   // warp of the last F1
  struct qsm_fetch_latch f2;
  struct qsm_miss miss;
  uint32_t *tags;                 // [line]
  const struct qsm_insn **lines;  // [line] its decoded words; NULL until it is filled
};

// False: no memory.
bool qsm_fetch_create(struct qsm_fetch *fetch, uint32_t n_warps, uint32_t n_lines);
void qsm_fetch_reset(struct qsm_fetch *fetch, uint32_t n_warps, uint32_t n_lines);
void qsm_fetch_destroy(struct qsm_fetch *fetch);

// R-FE-1: warps that want to fetch.
static inline uint32_t qsm_fetch_wants(const struct qsm_fetch *fetch, uint32_t split_valid) {
  return split_valid & fetch->room & ~(fetch->fstop | fetch->fwait | fetch->finfl);
}
// F1, R-FE-2: the warp to fetch for, or QSM_NONE.
static inline uint8_t qsm_fetch_choose(const struct qsm_fetch *fetch, uint32_t split_valid,
                                       uint32_t n_warps) {
  uint32_t want = fetch->filling ? 0 : qsm_fetch_wants(fetch, split_valid);
  if (!want) return QSM_NONE;
  return (uint8_t)qsm_circular_first(want, fetch->last + 1u == n_warps ? 0 : fetch->last + 1u);
}
void qsm_fetch_f2(struct qsm_subcore *sc, uint64_t c);    // F2 of the latch
void qsm_fetch_f1(struct qsm_subcore *sc, uint8_t warp);  // F1's effect: fills the latch

// The warp's split begins anew (R-FE-7).
static inline void qsm_fetch_redirect(struct qsm_fetch *fetch, struct qsm_warp_fetch *of_warp,
                                      uint32_t warp, uint32_t pc) {
  uint32_t others = ~(1u << warp);
  of_warp->fpc = pc;
  fetch->fstop &= others;
  fetch->fwait &= others;
}
static inline void qsm_fetch_flush(struct qsm_fetch *fetch, struct qsm_warp_fetch *of_warp,
                                   uint32_t warp) {
  of_warp->ibuf_count = 0;
  fetch->room |= 1u << warp;
}

// True if the word at the head of the buffer is a ctl instruction. Fetch stops after a ctl word,
// and fstop is set exactly then: the ctl word is the last word in the buffer.
static inline bool qsm_fetch_head_is_ctl(const struct qsm_fetch *fetch,
                                         const struct qsm_warp_fetch *of_warp, uint32_t warp) {
  return of_warp->ibuf_count == 1 && (fetch->fstop >> warp & 1);
}
// The word at the head is issued.
static inline void qsm_fetch_pop(struct qsm_fetch *fetch, struct qsm_warp_fetch *of_warp,
                                 uint32_t warp) {
  of_warp->ibuf_head = (uint8_t)((of_warp->ibuf_head + 1) % QSM_IBUF_DEPTH);
  if (--of_warp->ibuf_count <= 2) fetch->room |= 1u << warp;
}

// ---- Misses ----

void qsm_fetch_granted(struct qsm_fetch *fetch);  // PEND -> WAIT
// A sub-core that gets a line in this cycle does not fetch in it: told at the cycle's start.
static inline void qsm_fetch_announce_fill(struct qsm_fetch *fetch) { fetch->filling = true; }
void qsm_fetch_fill(struct qsm_subcore *sc, const uint32_t *data, uint64_t c);
void qsm_fetch_invalidate(struct qsm_subcore *sc, bool pending_at_start);

// ---- Flips ----
bool qsm_fetch_flip(struct qsm_flip *flip, struct qsm_subcore *sc);

#endif
