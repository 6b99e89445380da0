// SPDX-License-Identifier: Apache-2.0
// Fetch and instruction cache of a sub-core: docs/subcore.md, R-FE-1 .. R-FE-7. Lines are kept
// decoded (qsm_code.h).
#include "qsm_fetch.h"

#include <stdlib.h>
#include <string.h>

#include "qsm_sm_blocks.h"

#define NO_LINE 1u  // tag of an invalid cache line: no line address is odd

static void invalidate_all(struct qsm_fetch *fetch, uint32_t n_lines) {
  for (uint32_t i = 0; i < n_lines; i++) fetch->tags[i] = NO_LINE;
}

bool qsm_fetch_create(struct qsm_fetch *fetch, uint32_t n_warps, uint32_t n_lines) {
  fetch->tags = qsm_sm_zeroed(n_lines, sizeof *fetch->tags);
  fetch->lines = qsm_sm_zeroed(n_lines, sizeof *fetch->lines);
  if (!fetch->tags || !fetch->lines) return false;
  qsm_fetch_reset(fetch, n_warps, n_lines);
  return true;
}

void qsm_fetch_reset(struct qsm_fetch *fetch, uint32_t n_warps, uint32_t n_lines) {
  *fetch = (struct qsm_fetch){
      .room = (1u << n_warps) - 1,
      .last = (uint8_t)(n_warps - 1),
      .f2.warp = QSM_NONE,
      .tags = fetch->tags,
      .lines = fetch->lines,
  };
  invalidate_all(fetch, n_lines);
}

void qsm_fetch_destroy(struct qsm_fetch *fetch) {
  free(fetch->tags);
  free(fetch->lines);
}

static uint32_t line_of(const struct qsm_subcore *sc, uint32_t pc) {
  return pc & ~(sc->sm->line_bytes - 1);
}

static uint32_t line_index(const struct qsm_subcore *sc, uint32_t line) {
  return line >> sc->sm->line_shift & (sc->sm->n_lines - 1);
}

void qsm_fetch_f1(struct qsm_subcore *sc, uint8_t warp) {
  sc->fetch.f2.warp = warp;
  if (warp == QSM_NONE) return;
  uint32_t pc = sc->warp[warp].fetch.fpc, line = line_of(sc, pc), index = line_index(sc, line);
  sc->fetch.last = warp;
  sc->fetch.finfl |= 1u << warp;
  sc->fetch.f2.pc = pc;
  sc->fetch.f2.hit = sc->fetch.tags[index] == line;
  if (sc->fetch.f2.hit) {
    const struct qsm_insn *words = sc->fetch.lines[index] + (pc - line) / 8 * 2;
    memcpy(sc->fetch.f2.insn, words, sizeof sc->fetch.f2.insn);
  }
}

static bool executable(const struct qsm_desc *desc, uint32_t pc) {
  for (int i = 0; i < 2; i++) {
    const struct qsm_window *win = &desc->win[i];
    if (win->x && pc >= win->base && pc < win->limit) return true;
  }
  return false;
}

static void push(struct qsm_subcore *sc, uint32_t warp, const struct qsm_insn *insn) {
  struct qsm_warp_fetch *of_warp = &sc->warp[warp].fetch;
  uint32_t count = of_warp->ibuf_count;
  sc->warp[warp].ibuf.word[(of_warp->ibuf_head + count) % QSM_IBUF_DEPTH] = *insn;
  if (count == 0) qsm_subcore_touch(sc, warp);  // a new head
  if (count >= 2) sc->fetch.room &= ~(1u << warp);
  of_warp->ibuf_count = (uint8_t)(count + 1);
}

// R-FE-4.
static void push_packet(struct qsm_subcore *sc, uint32_t warp) {
  uint32_t bit = 1u << warp, pc = sc->fetch.f2.pc;
  for (uint32_t i = pc / 4 & 1; i < 2; i++) {
    push(sc, warp, &sc->fetch.f2.insn[i]);
    pc += 4;
    bool before_reconvergence =
        (sc->states.reconv_valid & bit) && pc == sc->warp[warp].state.reconv_pc;
    if (before_reconvergence || qsm_op_class[sc->fetch.f2.insn[i].op] == QSM_CLASS_CTL) {
      sc->fetch.fstop |= bit;
      break;
    }
  }
  sc->warp[warp].fetch.fpc = pc;
}

static void push_ifault(struct qsm_subcore *sc, uint32_t warp) {
  const struct qsm_insn ifault = {.op = QSM_OP_IFAULT};
  push(sc, warp, &ifault);
  sc->fetch.fstop |= 1u << warp;
}

static void miss(struct qsm_subcore *sc, uint32_t warp) {
  sc->fetch.fwait |= 1u << warp;
  if (sc->fetch.miss.state != QSM_MISS_IDLE) return;
  sc->fetch.miss = (struct qsm_miss){.state = QSM_MISS_PEND,
                                     .kernel = sc->warp[warp].state.kernel,
                                     .line = line_of(sc, sc->fetch.f2.pc)};
  qsm_mem_port_ask(&sc->sm->port, sc->index);
}

void qsm_fetch_f2(struct qsm_subcore *sc, uint64_t c) {
  uint32_t warp = sc->fetch.f2.warp, bit = 1u << warp;
  enum qsm_fetch_outcome outcome;
  sc->fetch.finfl &= ~bit;
  if (!(sc->states.split_valid & bit)) {
    outcome = QSM_FETCH_DROPPED;
  } else if (!executable(qsm_desc_of(sc->sm, sc->warp[warp].state.kernel), sc->fetch.f2.pc)) {
    outcome = QSM_FETCH_FAULT;
    push_ifault(sc, warp);
  } else if (sc->fetch.f2.hit) {
    outcome = QSM_FETCH_HIT;
    push_packet(sc, warp);
  } else {
    outcome = QSM_FETCH_MISS;
    miss(sc, warp);
  }
  QSM_EMIT(sc->sm, c, QSM_EV_FETCH, sc->index, warp, sc->fetch.f2.pc, outcome);
}

void qsm_fetch_granted(struct qsm_fetch *fetch) { fetch->miss.state = QSM_MISS_WAIT; }

void qsm_fetch_fill(struct qsm_subcore *sc, const uint32_t *data, uint64_t c) {
  qsm_subcore_wake(sc, c + 1);
  if (!sc->fetch.miss.dropped) {
    uint32_t index = line_index(sc, sc->fetch.miss.line);
    sc->fetch.tags[index] = sc->fetch.miss.line;
    if (sc->fetch.lines[index]) qsm_code_drop(sc->sm->code, sc->fetch.lines[index]);
    sc->fetch.lines[index] = qsm_code_take(sc->sm->code, data);
  }
  sc->fetch.miss.state = QSM_MISS_IDLE;
  sc->fetch.filling = false;
  sc->fetch.fwait = 0;
}

// R-FE-6: also what F1 has read in this cycle. A miss that became PEND in it is not dropped: the
// caller tells by `pending_at_start`.
void qsm_fetch_invalidate(struct qsm_subcore *sc, bool pending_at_start) {
  invalidate_all(&sc->fetch, sc->sm->n_lines);
  sc->fetch.f2.hit = false;
  if (pending_at_start) sc->fetch.miss.dropped = true;
}

bool qsm_fetch_flip(struct qsm_flip *flip, struct qsm_subcore *sc) {
  uint32_t fetching = sc->states.split_valid & ~(sc->fetch.fstop | sc->fetch.finfl);
  if (!fetching) return false;
  uint32_t w = qsm_flip_draw_bit(flip, fetching);
  qsm_flip_bit(flip, &sc->warp[w].fetch.fpc, 2 + qsm_flip_draw(flip, 10), "fpc", w);
  return true;
}
