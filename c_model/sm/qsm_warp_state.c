// SPDX-License-Identifier: Apache-2.0
// Per-thread PCs, divergence, reconvergence, barriers: docs/warp_state.md. The lane store is
// written only when a warp diverges.
#include <string.h>

#include "qsm_exec.h"

// Where the lanes of a ctl instruction go. While all go to one place, `pc` is that place and no
// array is filled.
struct next {
  bool uniform;
  uint32_t pc;
  uint32_t lane_pc[QSM_MAX_LANES];  // if not uniform
  uint32_t depth;
  uint32_t misaligned;  // lanes
};

// R-WB-4. The RTL keeps a bit per register instead, reads 0 until it is set, and the first write
// sets the other lanes to 0. That is the same: whatever the slot's last warp had under way has been
// written before it finished (R-WS-10), so nothing but writes of this warp follows.
static void clear_registers(struct qsm_subcore *sc, uint32_t warp) {
  uint32_t n = sc->sm->n_lanes;
  memset(qsm_reg(sc, n, warp, 0), 0, (size_t)32 * n * sizeof *sc->regs);
}

void qsm_warp_start(struct qsm_subcore *sc, uint32_t warp, uint32_t kernel, uint32_t tb,
                    uint32_t widx, uint32_t live, bool path, uint64_t c) {
  uint32_t bit = 1u << warp;
  qsm_subcore_wake(sc, c + 1);
  clear_registers(sc, warp);
  sc->resident |= bit;
  sc->of_kernel[sc->warp[warp].kernel] &= ~bit;
  sc->of_kernel[kernel] |= bit;
  sc->warp[warp].kernel = (uint8_t)kernel;
  sc->warp[warp].tb = (uint8_t)tb;
  sc->warp[warp].widx = (uint8_t)widx;
  sc->warp[warp].live = live;
  sc->warp[warp].bar = 0;
  sc->path_valid = live && path ? sc->path_valid | bit : sc->path_valid & ~bit;
  sc->warp[warp].path_pc = qsm_desc_of(sc->sm, kernel)->entry;
  sc->warp[warp].path_depth = 0;
  sc->warp[warp].path_mask = live;
  sc->merge_valid &= ~bit;
  sc->warp[warp].selcnt = 0;
  sc->warp[warp].rot = 0;
  sc->selpend &= ~bit;
  sc->killed &= ~bit;
  sc->frozen = qsm_tb_save_holds(sc->sm, tb) ? sc->frozen | bit : sc->frozen & ~bit;
  sc->warp[warp].ibuf_count = 0;
  sc->room |= bit;
  sc->finishable &= ~bit;
  sc->warp[warp].sb = (struct qsm_scoreboard){0};
  sc->shut = sc->sm->quota.open >> kernel & 1 ? sc->shut & ~bit : sc->shut | bit;
  qsm_fetch_redirect(sc, warp);
  qsm_warp_sched_started(&sc->sched, warp);
  qsm_subcore_refresh(sc, warp, c + 1);
  QSM_EMIT(sc->sm, c, QSM_EV_START, sc->index, warp, kernel, tb, widx, live);
}

static uint32_t next_depth(const struct qsm_pipe_slot *slot) {
  const struct qsm_insn *insn = &slot->insn;
  if (insn->op != QSM_OP_JAL && insn->op != QSM_OP_JALR) return slot->depth;
  if (insn->rd == 1 || insn->rd == 5) return slot->depth == 31 ? 31 : slot->depth + 1u;
  bool returns = insn->op == QSM_OP_JALR && insn->rd == 0 && (insn->rs1 == 1 || insn->rs1 == 5);
  return returns && slot->depth != 0 ? slot->depth - 1u : slot->depth;
}

static void next_of_branch(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot,
                           struct next *next) {
  uint32_t taken = qsm_exec_taken(sc, slot) & slot->mask;
  uint32_t target = slot->pc + slot->insn.imm, fall = slot->pc + 4;
  next->misaligned = target & 3 ? taken : 0;
  next->uniform = taken == 0 || taken == slot->mask || target == fall;
  next->pc = taken ? target : fall;
  if (next->uniform) return;
  for (uint32_t l = 0; l < sc->sm->n_lanes; l++) next->lane_pc[l] = taken >> l & 1 ? target : fall;
}

static void next_of_jalr(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot,
                         struct next *next) {
  qsm_exec_jalr(sc, slot, next->lane_pc);
  next->pc = next->lane_pc[qsm_ctz(slot->mask)];
  next->misaligned = 0;
  uint32_t differs = 0;
  for (uint32_t l = 0; l < sc->sm->n_lanes; l++) {
    next->misaligned |= (uint32_t)((next->lane_pc[l] & 3) != 0) << l;
    differs |= (uint32_t)(next->lane_pc[l] != next->pc) << l;
  }
  next->misaligned &= slot->mask;
  next->uniform = (differs & slot->mask) == 0;
}

static void next_of(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot,
                    struct next *next) {
  next->depth = next_depth(slot);
  if (slot->insn.op >= QSM_OP_BEQ && slot->insn.op <= QSM_OP_BGEU) {
    next_of_branch(sc, slot, next);
  } else if (slot->insn.op == QSM_OP_JALR) {
    next_of_jalr(sc, slot, next);
  } else {
    next->uniform = true;
    next->pc = slot->pc + (slot->insn.op == QSM_OP_JAL ? slot->insn.imm : 4);
    next->misaligned = next->pc & 3 ? slot->mask : 0;
  }
}

static uint32_t lane_target(const struct next *next, uint32_t lane) {
  return next->uniform ? next->pc : next->lane_pc[lane];
}

static void raise_record(const struct qsm_subcore *sc, struct qsm_pipe_slot *slot, uint32_t lane,
                         struct qsm_fault *record) {
  struct qsm_sm *sm = sc->sm;
  record->tid = sc->warp[slot->warp].widx * sm->n_lanes + lane;
  record->block = sm->tb[sc->warp[slot->warp].tb].linear;
  slot->faulted = true;
  qsm_sm_raise(sm, 1u + sc->index, slot->kernel, record);
}

// Raises the instruction's fault, if it has one (R-EX-5); true if so.
static bool raise(const struct qsm_subcore *sc, struct qsm_pipe_slot *slot,
                  const struct next *next) {
  struct qsm_fault record = {.pc = slot->pc, .value = slot->pc};
  uint32_t lanes = slot->mask;
  switch (slot->insn.op) {
    case QSM_OP_IFAULT: record.cause = QSM_CAUSE_FETCH_ACCESS; break;
    case QSM_OP_ILLEGAL:
      record.cause = QSM_CAUSE_ILLEGAL;
      record.value = slot->insn.instr;
      break;
    case QSM_OP_EBREAK: record.cause = QSM_CAUSE_BREAKPOINT; break;
    case QSM_OP_ECALL: record.cause = QSM_CAUSE_ECALL; break;
    default:
      if (!next->misaligned) return false;
      lanes = next->misaligned;
      record.value = lane_target(next, qsm_ctz(lanes));
  }
  raise_record(sc, slot, qsm_ctz(lanes), &record);
  return true;
}

// R-WS-3: the warp goes on as one path.
static void go_on(struct qsm_subcore *sc, const struct qsm_pipe_slot *slot,
                  const struct next *next) {
  uint32_t warp = slot->warp;
  sc->path_valid |= 1u << warp;
  sc->warp[warp].path_pc = next->pc;
  sc->warp[warp].path_depth = (uint8_t)next->depth;
  sc->warp[warp].path_mask = slot->mask;
  sc->merge_valid &= ~(1u << warp);
  qsm_fetch_redirect(sc, warp);
}

// After a change of live, bar and the lane store.
static void select_or_arrive(struct qsm_subcore *sc, uint32_t warp) {
  if (sc->warp[warp].live & ~sc->warp[warp].bar) {
    sc->sel1 = (uint8_t)warp;
  } else if (sc->warp[warp].live) {
    qsm_sm_arrived(sc->sm, sc->warp[warp].tb);
  }
  sc->dirty |= 1u << warp;
}

// R-WS-4.
static void split(struct qsm_subcore *sc, const struct qsm_pipe_slot *slot,
                  const struct next *next) {
  uint32_t warp = slot->warp, n = sc->sm->n_lanes;
  for (uint32_t lanes = slot->mask; lanes; lanes &= lanes - 1) {
    uint32_t l = qsm_ctz(lanes);
    sc->lane_pc[warp * n + l] = lane_target(next, l);
    sc->lane_depth[warp * n + l] = (uint8_t)next->depth;
  }
  if (slot->insn.op == QSM_OP_EXIT) sc->warp[warp].live &= ~slot->mask;
  if (slot->insn.op == QSM_OP_BAR) sc->warp[warp].bar |= slot->mask;
  select_or_arrive(sc, warp);
}

// R-PE-19: the state that a restore has put into x31 and x30.
static void jump(struct qsm_subcore *sc, struct qsm_pipe_slot *slot, uint64_t c) {
  uint32_t warp = slot->warp, n = sc->sm->n_lanes, live = 0, bar = 0, misaligned = 0;
  const uint32_t *pc = qsm_reg(sc, n, warp, 31), *state = qsm_reg(sc, n, warp, 30);
  for (uint32_t l = 0; l < n; l++) {
    live |= (uint32_t)((state[l] & QSM_SAVED_LIVE) != 0) << l;
    bar |= (uint32_t)((state[l] & QSM_SAVED_AT_BARRIER) != 0) << l;
    misaligned |= (pc[l] >> 1 & 1) << l;
  }
  live &= sc->warp[warp].live;
  misaligned &= live;
  if (misaligned) {
    uint32_t lane = qsm_ctz(misaligned);
    struct qsm_fault record = {
        .cause = QSM_CAUSE_JUMP_TARGET, .pc = slot->pc, .value = pc[lane] & ~1u};
    raise_record(sc, slot, lane, &record);
    return;
  }
  for (uint32_t l = 0; l < n; l++) {
    sc->lane_pc[warp * n + l] = pc[l] & ~1u;
    sc->lane_depth[warp * n + l] = (uint8_t)(state[l] & QSM_SAVED_DEPTH);
  }
  sc->warp[warp].live = live;
  sc->warp[warp].bar = bar & live;
  select_or_arrive(sc, warp);
  QSM_EMIT(sc->sm, c, QSM_EV_RESOLVE, sc->index, warp, sc->warp[warp].live, sc->warp[warp].bar, 1);
}

void qsm_warp_resolve(struct qsm_subcore *sc, struct qsm_pipe_slot *slot, uint64_t c) {
  uint32_t warp = slot->warp;
  if (sc->warp[warp].live == 0 || (sc->sm->killed >> slot->kernel & 1)) return;
  if (slot->injected) {
    jump(sc, slot, c);
    return;
  }
  struct next next;
  next_of(sc, slot, &next);
  if (raise(sc, slot, &next)) return;
  bool stays = slot->insn.op != QSM_OP_EXIT && slot->insn.op != QSM_OP_BAR;
  bool whole = stays && next.uniform && (sc->warp[warp].live & ~sc->warp[warp].bar) == slot->mask;
  if (whole) {
    go_on(sc, slot, &next);
  } else {
    split(sc, slot, &next);
  }
  QSM_EMIT(sc->sm, c, QSM_EV_RESOLVE, sc->index, warp, sc->warp[warp].live, sc->warp[warp].bar,
           !whole);
}

// Lanes of cand with the greatest depth and, among them, the lowest pc.
static uint32_t deepest_lowest(const uint32_t *pc, const uint8_t *depth, uint32_t cand) {
  uint32_t group = 0, best = 0;
  for (uint32_t lanes = cand; lanes; lanes &= lanes - 1) {
    uint32_t l = qsm_ctz(lanes);
    bool same = group && depth[l] == depth[best] && pc[l] == pc[best];
    bool better = !group || depth[l] > depth[best] || (depth[l] == depth[best] && pc[l] < pc[best]);
    if (better) best = l;
    if (better || same) group = (better ? 0 : group) | 1u << l;
  }
  return group;
}

static uint32_t same_place(const uint32_t *pc, const uint8_t *depth, uint32_t cand, uint32_t lane) {
  uint32_t group = 0;
  for (uint32_t lanes = cand; lanes; lanes &= lanes - 1) {
    uint32_t l = qsm_ctz(lanes);
    if (depth[l] == depth[lane] && pc[l] == pc[lane]) group |= 1u << l;
  }
  return group;
}

// R-WS-6.
static uint32_t choose(struct qsm_subcore *sc, uint32_t warp, const uint32_t *pc,
                       const uint8_t *depth, uint32_t cand) {
  uint32_t group = deepest_lowest(pc, depth, cand);
  if (group == cand) return group;
  if (sc->warp[warp].selcnt != sc->sm->shared->config->progress_limit - 1) {
    sc->warp[warp].selcnt++;
    return group;
  }
  uint32_t first = qsm_circular_first(cand, sc->warp[warp].rot);
  sc->warp[warp].rot = (uint8_t)((first + 1) & (sc->sm->n_lanes - 1));
  sc->warp[warp].selcnt = 0;
  return same_place(pc, depth, cand, first);
}

// R-WS-7.
static void find_merge(struct qsm_subcore *sc, uint32_t warp, const uint32_t *pc,
                       const uint8_t *depth, uint32_t others) {
  uint32_t path_pc = sc->warp[warp].path_pc, bit = 1u << warp;
  sc->merge_valid &= ~bit;
  for (; others; others &= others - 1) {
    uint32_t l = qsm_ctz(others);
    if (depth[l] != sc->warp[warp].path_depth || pc[l] <= path_pc) continue;
    if ((sc->merge_valid & bit) && sc->warp[warp].merge_pc <= pc[l]) continue;
    sc->merge_valid |= bit;
    sc->warp[warp].merge_pc = pc[l];
  }
}

// SEL2, and SEL3 with it: nothing reads the merge point before the path's first F2, two cycles
// later, and a kill in between clears it. Nor can the warp's lanes or bar change after SEL1, except
// by a kill.
static void select_path(struct qsm_subcore *sc, uint32_t warp, uint64_t c) {
  uint32_t n = sc->sm->n_lanes;
  const uint32_t *pc = sc->lane_pc + warp * n;
  const uint8_t *depth = sc->lane_depth + warp * n;
  if (sc->warp[warp].live == 0 || (sc->sm->killed >> sc->warp[warp].kernel & 1)) return;
  uint32_t cand = sc->warp[warp].live & ~sc->warp[warp].bar;
  uint32_t group = choose(sc, warp, pc, depth, cand), lane = qsm_ctz(group);
  sc->path_valid |= 1u << warp;
  sc->warp[warp].path_pc = pc[lane];
  sc->warp[warp].path_depth = depth[lane];
  sc->warp[warp].path_mask = group;
  find_merge(sc, warp, pc, depth, cand & ~group);
  qsm_fetch_redirect(sc, warp);
  QSM_EMIT(sc->sm, c, QSM_EV_PATH, sc->index, warp, sc->warp[warp].path_pc,
           sc->warp[warp].path_depth, group);
}

// R-WS-8: the warp with selpend whose turn it is.
static uint8_t take_pending(struct qsm_subcore *sc) {
  sc->sel_last = (uint8_t)qsm_circular_first(sc->selpend, sc->sel_last + 1u);
  sc->selpend &= ~(1u << sc->sel_last);
  return sc->sel_last;
}

bool qsm_warp_select_asked(struct qsm_subcore *sc) {
  if (sc->sel1 == QSM_NONE && !sc->selpend) return true;
  sc->step_asks = true;
  return sc->sel_waits == QSM_SEL_PATIENCE;
}

// Who has SEL1 in this cycle, R-WS-8 and R-WS-11.
static uint8_t choose_sel1(struct qsm_subcore *sc) {
  bool due = sc->sel1 != QSM_NONE, waits = sc->step_asks || (due && sc->selpend),
       claimed = qsm_subcore_claimed(sc);
  bool yields = waits && sc->sel_waits == QSM_SEL_PATIENCE && !claimed;
  uint8_t warp = sc->sel1;
  if (yields && sc->step_asks)
    warp = QSM_NONE;
  else if (sc->selpend && (!due || yields))
    warp = take_pending(sc);
  if (yields && due) sc->selpend |= 1u << sc->sel1;
  if (!claimed) sc->sel_waits = waits && !yields ? sc->sel_waits + 1 : 0;
  sc->sel1 = QSM_NONE;
  sc->step_asks = false;
  return warp;
}

// Called before this cycle's resolve, which sets sel1 for the next.
void qsm_warp_select(struct qsm_subcore *sc, uint64_t c) {
  uint32_t sel2 = sc->sel2;
  sc->sel2 = choose_sel1(sc);
  if (sel2 != QSM_NONE) select_path(sc, sel2, c);
}

void qsm_warp_release(struct qsm_subcore *sc, uint32_t tb, uint64_t c) {
  for (uint32_t warps = sc->resident; warps; warps &= warps - 1) {
    uint32_t warp = qsm_ctz(warps);
    if (sc->warp[warp].tb != tb || sc->warp[warp].live == 0) continue;
    qsm_subcore_wake(sc, c + 1);
    sc->warp[warp].bar = 0;
    sc->selpend |= 1u << warp;
    qsm_subcore_refresh(sc, warp, c + 1);
  }
}

// Nothing of the warp is left to run: it finishes.
static void wipe_warp(struct qsm_subcore *sc, uint32_t warp, uint64_t c) {
  uint32_t others = ~(1u << warp);
  sc->warp[warp].live = 0;
  sc->warp[warp].bar = 0;
  sc->path_valid &= others;
  sc->merge_valid &= others;
  sc->selpend &= others;
  sc->warp[warp].ibuf_count = 0;
  sc->room |= 1u << warp;
  qsm_subcore_refresh(sc, warp, c + 1);
}

void qsm_warp_wipe(struct qsm_subcore *sc, uint32_t kernel, uint64_t c) {
  qsm_subcore_wake(sc, c + 1);
  for (uint32_t warps = sc->resident & sc->of_kernel[kernel]; warps; warps &= warps - 1)
    wipe_warp(sc, qsm_ctz(warps), c);
}

void qsm_warp_evict(struct qsm_subcore *sc, uint32_t tb, uint64_t c) {
  qsm_subcore_wake(sc, c + 1);
  for (uint32_t warps = sc->resident; warps; warps &= warps - 1) {
    if (sc->warp[qsm_ctz(warps)].tb == tb) wipe_warp(sc, qsm_ctz(warps), c);
  }
}
