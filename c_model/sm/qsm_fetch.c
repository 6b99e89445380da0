// SPDX-License-Identifier: Apache-2.0
// Fetch and instruction cache of a sub-core: docs/subcore.md, R-FE-1 .. R-FE-7. Lines are kept
// decoded (qsm_code.h).
#include <string.h>

#include "qsm_sm_blocks.h"

static uint32_t line_of(const struct qsm_subcore *sc, uint32_t pc) {
  return pc & ~(sc->sm->line_bytes - 1);
}

static uint32_t line_index(const struct qsm_subcore *sc, uint32_t line) {
  return line >> sc->sm->line_shift & (sc->sm->n_lines - 1);
}

void qsm_fetch_f1(struct qsm_subcore *sc, uint8_t warp) {
  sc->f2.warp = warp;
  if (warp == QSM_NONE) return;
  uint32_t pc = sc->warp[warp].fpc, line = line_of(sc, pc), index = line_index(sc, line);
  sc->fetch_last = warp;
  sc->finfl |= 1u << warp;
  sc->f2.pc = pc;
  sc->f2.hit = sc->tags[index] == line;
  if (sc->f2.hit) {
    const struct qsm_insn *words = sc->lines[index] + (pc - line) / 8 * 2;
    memcpy(sc->f2.insn, words, sizeof sc->f2.insn);
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
  uint32_t count = sc->warp[warp].ibuf_count;
  sc->warp[warp].ibuf[(sc->warp[warp].ibuf_head + count) % QSM_IBUF_DEPTH] = *insn;
  if (count == 0) sc->dirty |= 1u << warp;  // a new head
  if (count >= 2) sc->room &= ~(1u << warp);
  sc->warp[warp].ibuf_count = (uint8_t)(count + 1);
}

// R-FE-4.
static void push_packet(struct qsm_subcore *sc, uint32_t warp) {
  uint32_t bit = 1u << warp, pc = sc->f2.pc;
  for (uint32_t i = pc / 4 & 1; i < 2; i++) {
    push(sc, warp, &sc->f2.insn[i]);
    pc += 4;
    bool before_merge = (sc->merge_valid & bit) && pc == sc->warp[warp].merge_pc;
    if (before_merge || qsm_op_class[sc->f2.insn[i].op] == QSM_CLASS_CTL) {
      sc->fstop |= bit;
      break;
    }
  }
  sc->warp[warp].fpc = pc;
}

static void push_ifault(struct qsm_subcore *sc, uint32_t warp) {
  const struct qsm_insn ifault = {.op = QSM_OP_IFAULT};
  push(sc, warp, &ifault);
  sc->fstop |= 1u << warp;
}

static void miss(struct qsm_subcore *sc, uint32_t warp) {
  sc->fwait |= 1u << warp;
  if (sc->miss.state != QSM_MISS_IDLE) return;
  sc->miss = (struct qsm_miss){
      .state = QSM_MISS_PEND, .kernel = sc->warp[warp].kernel, .line = line_of(sc, sc->f2.pc)};
  sc->sm->fetch_pend |= 1u << sc->index;
}

void qsm_fetch_f2(struct qsm_subcore *sc, uint64_t c) {
  uint32_t warp = sc->f2.warp, bit = 1u << warp;
  enum qsm_fetch_outcome outcome;
  sc->finfl &= ~bit;
  if (!(sc->path_valid & bit)) {
    outcome = QSM_FETCH_DROPPED;
  } else if (!executable(qsm_desc_of(sc->sm, sc->warp[warp].kernel), sc->f2.pc)) {
    outcome = QSM_FETCH_FAULT;
    push_ifault(sc, warp);
  } else if (sc->f2.hit) {
    outcome = QSM_FETCH_HIT;
    push_packet(sc, warp);
  } else {
    outcome = QSM_FETCH_MISS;
    miss(sc, warp);
  }
  QSM_EMIT(sc->sm, c, QSM_EV_FETCH, sc->index, warp, sc->f2.pc, outcome);
}

void qsm_fetch_redirect(struct qsm_subcore *sc, uint32_t warp) {
  uint32_t others = ~(1u << warp);
  sc->warp[warp].fpc = sc->warp[warp].path_pc;
  sc->fstop &= others;
  sc->fwait &= others;
}

void qsm_fetch_granted(struct qsm_subcore *sc) { sc->miss.state = QSM_MISS_WAIT; }

void qsm_fetch_fill(struct qsm_subcore *sc, const uint32_t *data, uint64_t c) {
  qsm_subcore_wake(sc, c + 1);
  if (!sc->miss.dropped) {
    uint32_t index = line_index(sc, sc->miss.line);
    sc->tags[index] = sc->miss.line;
    if (sc->lines[index]) qsm_code_drop(sc->sm->code, sc->lines[index]);
    sc->lines[index] = qsm_code_take(sc->sm->code, data);
  }
  sc->miss.state = QSM_MISS_IDLE;
  sc->filling = false;
  sc->fwait = 0;
}

// A miss that became PEND in this very cycle is not dropped (R-FE-6): the caller tells by
// `pending_at_start`.
void qsm_fetch_invalidate(struct qsm_subcore *sc, bool pending_at_start) {
  for (uint32_t i = 0; i < sc->sm->n_lines; i++) sc->tags[i] = QSM_NO_LINE;
  if (pending_at_start) sc->miss.dropped = true;
}
