// SPDX-License-Identifier: Apache-2.0
// Per-thread PCs, divergence, reconvergence, barriers: docs/warp_state.md. The lane store is
// written only when a warp diverges.
#include "qsm_warp_state.h"

#include <stdlib.h>
#include <string.h>

#include "qsm_exec.h"
#include "qsm_sm_blocks.h"

// Where the lanes of a ctl instruction go. While all go to one place, `pc` is that place and no
// array is filled.
struct next {
  bool uniform;
  uint32_t pc;
  uint32_t lane_pc[QSM_MAX_LANES];  // if not uniform
  uint32_t depth;
  uint32_t misaligned;  // lanes
};

bool qsm_warp_states_create(struct qsm_warp_states *states, uint32_t n_warps, uint32_t n_lanes) {
  states->lane_pc = qsm_sm_zeroed((size_t)n_warps * n_lanes, sizeof *states->lane_pc);
  states->lane_depth = qsm_sm_zeroed((size_t)n_warps * n_lanes, sizeof *states->lane_depth);
  qsm_warp_states_reset(states, n_warps);
  return states->lane_pc && states->lane_depth;
}

void qsm_warp_states_reset(struct qsm_warp_states *states, uint32_t n_warps) {
  *states = (struct qsm_warp_states){
      .sel2 = QSM_NONE,
      .sel_last = (uint8_t)(n_warps - 1),
      .lane_pc = states->lane_pc,
      .lane_depth = states->lane_depth,
  };
}

void qsm_warp_states_destroy(struct qsm_warp_states *states) {
  free(states->lane_pc);
  free(states->lane_depth);
}

void qsm_warp_start(struct qsm_subcore *sc, const struct qsm_warp_start *start, uint64_t c) {
  struct qsm_warp_states *states = &sc->states;
  uint32_t warp = start->warp, kernel = start->kernel, bit = 1u << warp;
  struct qsm_warp_state *state = &sc->warp[warp].state;
  qsm_subcore_wake(sc, c + 1);
  states->resident |= bit;
  states->of_kernel[state->kernel] &= ~bit;
  states->of_kernel[kernel] |= bit;
  states->split_valid =
      start->live && start->from_entry ? states->split_valid | bit : states->split_valid & ~bit;
  states->reconv_valid &= ~bit;
  states->selcnt[warp] = 0;
  states->rot[warp] = 0;
  states->selpend &= ~bit;
  states->killed &= ~bit;
  bool frozen = qsm_tb_save_holds(&sc->sm->save, start->tb);
  states->frozen = frozen ? states->frozen | bit : states->frozen & ~bit;
  *state = (struct qsm_warp_state){
      .live = start->live,
      .split_pc = qsm_desc_of(sc->sm, kernel)->entry,
      .split_mask = start->live,
      .kernel = (uint8_t)kernel,
      .tb = (uint8_t)start->tb,
      .widx = (uint8_t)start->widx,
  };
  qsm_subcore_begin_warp(sc, warp, c + 1);
  QSM_EMIT(sc->sm, c, QSM_EV_START, sc->index, warp, kernel, start->tb, start->widx, start->live);
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

static void raise_record(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot,
                         uint32_t lane, struct qsm_fault *record) {
  struct qsm_sm *sm = sc->sm;
  record->tid = sc->warp[slot->warp].state.widx * sm->n_lanes + lane;
  record->block = sm->launch.tb[sc->warp[slot->warp].state.tb].linear;
  qsm_fault_raise(&sm->faults, 1u + sc->index, slot->kernel, record);
}

// Raises the instruction's fault, if it has one (R-EX-5); true if so.
static bool raise(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot,
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

// R-WS-3: the warp continues as one split.
static void go_on(struct qsm_subcore *sc, const struct qsm_pipe_slot *slot,
                  const struct next *next) {
  uint32_t warp = slot->warp;
  sc->states.split_valid |= 1u << warp;
  sc->warp[warp].state.split_pc = next->pc;
  sc->warp[warp].state.split_depth = (uint8_t)next->depth;
  sc->warp[warp].state.split_mask = slot->mask;
  sc->states.reconv_valid &= ~(1u << warp);
  qsm_fetch_redirect(&sc->fetch, &sc->warp[warp].fetch, warp, next->pc);
}

// After a change of live, bar and the lane store.
static void select_split_or_arrive(struct qsm_subcore *sc, uint32_t warp) {
  if (sc->warp[warp].state.live & ~sc->warp[warp].state.bar) {
    sc->states.selpend |= 1u << warp;
  } else if (sc->warp[warp].state.live) {
    qsm_barrier_arrive(&sc->sm->barrier, sc->warp[warp].state.tb);
  }
  qsm_subcore_touch(sc, warp);
}

// R-WS-4.
static void diverge(struct qsm_subcore *sc, const struct qsm_pipe_slot *slot,
                    const struct next *next) {
  uint32_t warp = slot->warp, n = sc->sm->n_lanes;
  for (uint32_t lanes = slot->mask; lanes; lanes &= lanes - 1) {
    uint32_t l = qsm_ctz(lanes);
    sc->states.lane_pc[warp * n + l] = lane_target(next, l);
    sc->states.lane_depth[warp * n + l] = (uint8_t)next->depth;
  }
  if (slot->insn.op == QSM_OP_EXIT) sc->warp[warp].state.live &= ~slot->mask;
  if (slot->insn.op == QSM_OP_BAR) sc->warp[warp].state.bar |= slot->mask;
  select_split_or_arrive(sc, warp);
}

// R-PE-19: the state that a restore has put into x31 and x30. True if it faults.
static bool jump(struct qsm_subcore *sc, const struct qsm_pipe_slot *slot, uint64_t c) {
  uint32_t warp = slot->warp, n = sc->sm->n_lanes, live = 0, bar = 0, misaligned = 0;
  const uint32_t *pc = qsm_reg(sc, n, warp, 31), *state = qsm_reg(sc, n, warp, 30);
  for (uint32_t l = 0; l < n; l++) {
    live |= (uint32_t)((state[l] & QSM_SAVED_LIVE) != 0) << l;
    bar |= (uint32_t)((state[l] & QSM_SAVED_AT_BARRIER) != 0) << l;
    misaligned |= (pc[l] >> 1 & 1) << l;
  }
  live &= sc->warp[warp].state.live;
  misaligned &= live;
  if (misaligned) {
    uint32_t lane = qsm_ctz(misaligned);
    struct qsm_fault record = {
        .cause = QSM_CAUSE_JUMP_TARGET, .pc = slot->pc, .value = pc[lane] & ~1u};
    raise_record(sc, slot, lane, &record);
    return true;
  }
  for (uint32_t l = 0; l < n; l++) {
    sc->states.lane_pc[warp * n + l] = pc[l] & ~1u;
    sc->states.lane_depth[warp * n + l] = (uint8_t)(state[l] & QSM_SAVED_DEPTH);
  }
  sc->warp[warp].state.live = live;
  sc->warp[warp].state.bar = bar & live;
  select_split_or_arrive(sc, warp);
  QSM_EMIT(sc->sm, c, QSM_EV_RESOLVE, sc->index, warp, sc->warp[warp].state.live,
           sc->warp[warp].state.bar, 1);
  return false;
}

bool qsm_warp_resolve(struct qsm_subcore *sc, const struct qsm_pipe_slot *slot, uint64_t c) {
  uint32_t warp = slot->warp;
  if (sc->warp[warp].state.live == 0 || (sc->sm->faults.killed >> slot->kernel & 1)) return false;
  if (slot->injected) return jump(sc, slot, c);
  struct next next;
  next_of(sc, slot, &next);
  if (raise(sc, slot, &next)) return true;
  bool stays = slot->insn.op != QSM_OP_EXIT && slot->insn.op != QSM_OP_BAR;
  bool whole = stays && next.uniform &&
               (sc->warp[warp].state.live & ~sc->warp[warp].state.bar) == slot->mask;
  if (whole) {
    go_on(sc, slot, &next);
  } else {
    diverge(sc, slot, &next);
  }
  QSM_EMIT(sc->sm, c, QSM_EV_RESOLVE, sc->index, warp, sc->warp[warp].state.live,
           sc->warp[warp].state.bar, !whole);
  return false;
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

// R-WS-6. *others: the lanes among which the reconvergence point is sought (R-WS-7).
static uint32_t choose(struct qsm_subcore *sc, uint32_t warp, const uint32_t *pc,
                       const uint8_t *depth, uint32_t cand, uint32_t *others) {
  uint32_t group = deepest_lowest(pc, depth, cand);
  *others = cand & ~group;
  if (group == cand) return group;
  if (sc->states.selcnt[warp] != sc->sm->shared->config->progress_limit - 1) {
    sc->states.selcnt[warp]++;
    return group;
  }
  uint32_t first = qsm_circular_first(cand, sc->states.rot[warp]);
  sc->states.rot[warp] = (uint8_t)((first + 1) & (sc->sm->n_lanes - 1));
  sc->states.selcnt[warp] = 0;
  *others = 0;
  return same_place(pc, depth, cand, first);
}

// R-WS-7.
static void find_reconvergence(struct qsm_subcore *sc, uint32_t warp, const uint32_t *pc,
                               const uint8_t *depth, uint32_t others) {
  uint32_t bit = 1u << warp;
  sc->states.reconv_valid &= ~bit;
  for (; others; others &= others - 1) {
    uint32_t l = qsm_ctz(others);
    if (depth[l] != sc->warp[warp].state.split_depth) continue;  // else its pc is greater
    if ((sc->states.reconv_valid & bit) && sc->warp[warp].state.reconv_pc <= pc[l]) continue;
    sc->states.reconv_valid |= bit;
    sc->warp[warp].state.reconv_pc = pc[l];
  }
}

// SEL2 together with SEL3: the reconvergence point is first read in the F2 of the split's first
// fetch, two cycles later, and a kill in between clears it. After SEL1 only a kill can change the
// warp's lanes or bar.
static void select_split(struct qsm_subcore *sc, uint32_t warp, uint64_t c) {
  uint32_t n = sc->sm->n_lanes;
  const uint32_t *pc = sc->states.lane_pc + warp * n;
  const uint8_t *depth = sc->states.lane_depth + warp * n;
  if (sc->warp[warp].state.live == 0 || (sc->sm->faults.killed >> sc->warp[warp].state.kernel & 1))
    return;
  uint32_t cand = sc->warp[warp].state.live & ~sc->warp[warp].state.bar;
  uint32_t others, group = choose(sc, warp, pc, depth, cand, &others), lane = qsm_ctz(group);
  sc->states.split_valid |= 1u << warp;
  sc->warp[warp].state.split_pc = pc[lane];
  sc->warp[warp].state.split_depth = depth[lane];
  sc->warp[warp].state.split_mask = group;
  find_reconvergence(sc, warp, pc, depth, others);
  qsm_fetch_redirect(&sc->fetch, &sc->warp[warp].fetch, warp, pc[lane]);
  QSM_EMIT(sc->sm, c, QSM_EV_SPLIT, sc->index, warp, sc->warp[warp].state.split_pc,
           sc->warp[warp].state.split_depth, group);
}

// R-WS-8: the next warp with selpend in round-robin order.
static uint8_t take_pending(struct qsm_subcore *sc) {
  sc->states.sel_last = (uint8_t)qsm_circular_first(sc->states.selpend, sc->states.sel_last + 1u);
  sc->states.selpend &= ~(1u << sc->states.sel_last);
  return sc->states.sel_last;
}

void qsm_warp_ask(struct qsm_subcore *sc, uint64_t c) {
  qsm_subcore_wake(sc, c);
  sc->states.asks = true;
}

// Called before this cycle's resolve, which sets selpend for the next.
void qsm_split_select(struct qsm_subcore *sc, uint64_t c) {
  struct qsm_warp_states *states = &sc->states;
  uint32_t sel2 = states->sel2;
  bool may_read = sel2 == QSM_NONE && !states->step_read;
  states->step_read = may_read && states->asks;
  states->sel2 =
      may_read && !states->asks && states->selpend ? take_pending(sc) : (uint8_t)QSM_NONE;
  states->asks = false;
  if (sel2 != QSM_NONE) select_split(sc, sel2, c);
}

void qsm_warp_release(struct qsm_subcore *sc, uint32_t tb, uint64_t c) {
  for (uint32_t warps = sc->states.resident; warps; warps &= warps - 1) {
    uint32_t warp = qsm_ctz(warps);
    if (sc->warp[warp].state.tb != tb || sc->warp[warp].state.live == 0) continue;
    qsm_subcore_wake(sc, c + 1);
    sc->warp[warp].state.bar = 0;
    sc->states.selpend |= 1u << warp;
    qsm_subcore_refresh(sc, warp, c + 1);
  }
}

// The warp has no live lane left: it finishes.
static void wipe_warp(struct qsm_subcore *sc, uint32_t warp, uint64_t c) {
  uint32_t others = ~(1u << warp);
  sc->warp[warp].state.live = 0;
  sc->warp[warp].state.bar = 0;
  sc->states.split_valid &= others;
  sc->states.reconv_valid &= others;
  sc->states.selpend &= others;
  qsm_fetch_flush(&sc->fetch, &sc->warp[warp].fetch, warp);
  qsm_subcore_refresh(sc, warp, c + 1);
}

static uint32_t warps_of_block(const struct qsm_subcore *sc, uint32_t tb) {
  uint32_t warps = 0;
  for (uint32_t left = sc->states.resident; left; left &= left - 1) {
    uint32_t w = qsm_ctz(left);
    if (sc->warp[w].state.tb == tb) warps |= 1u << w;
  }
  return warps;
}

void qsm_warp_wipe(struct qsm_subcore *sc, uint32_t kernel, uint64_t c) {
  qsm_subcore_wake(sc, c + 1);
  for (uint32_t warps = sc->states.resident & sc->states.of_kernel[kernel]; warps;
       warps &= warps - 1)
    wipe_warp(sc, qsm_ctz(warps), c);
}

void qsm_warp_evict(struct qsm_subcore *sc, uint32_t tb, uint64_t c) {
  qsm_subcore_wake(sc, c + 1);
  for (uint32_t warps = warps_of_block(sc, tb); warps; warps &= warps - 1)
    wipe_warp(sc, qsm_ctz(warps), c);
}

// ---- Freeze, thaw, kill ----

static void refresh_all(struct qsm_subcore *sc, uint32_t warps, uint64_t from) {
  for (; warps; warps &= warps - 1) qsm_subcore_refresh(sc, qsm_ctz(warps), from);
}

void qsm_warp_freeze(struct qsm_subcore *sc, uint32_t tb, uint64_t from) {
  uint32_t warps = warps_of_block(sc, tb);
  if (warps) qsm_subcore_wake(sc, from);
  sc->states.frozen = warps;
  refresh_all(sc, warps, from);
}

void qsm_warp_thaw(struct qsm_subcore *sc, uint64_t from) {
  uint32_t thawed = sc->states.frozen & sc->states.resident;
  if (thawed) qsm_subcore_wake(sc, from);
  sc->states.frozen = 0;
  refresh_all(sc, thawed, from);
}

void qsm_warp_kill(struct qsm_subcore *sc, uint32_t kernels, uint64_t from) {
  qsm_subcore_wake(sc, from);
  for (; kernels; kernels &= kernels - 1)
    sc->states.killed |= sc->states.of_kernel[qsm_ctz(kernels)];
  refresh_all(sc, sc->states.killed & sc->states.resident, from);
}

// ---- State and flips ----

bool qsm_warp_state_word(const struct qsm_subcore *sc, uint32_t w, uint32_t word, uint32_t *value) {
  const struct qsm_warp_states *states = &sc->states;
  const struct qsm_warp_state *state = &sc->warp[w].state;
  const uint32_t words[] = {
      states->resident >> w & 1,
      state->live,
      state->bar,
      states->split_valid >> w & 1,
      sc->warp[w].fetch.fpc,
      state->split_mask,
      states->selcnt[w],
      states->rot[w],
      state->split_depth,
      states->selpend >> w & 1,
  };
  return qsm_give_word(word, words, sizeof words / sizeof words[0], value);
}

bool qsm_warp_select_word(const struct qsm_warp_states *states, uint32_t word, uint32_t *value) {
  const uint32_t words[] = {states->sel_last};
  return qsm_give_word(word, words, 1, value);
}

void qsm_warp_flip_path(struct qsm_flip *flip, struct qsm_subcore *sc, uint32_t w) {
  qsm_flip_bit(flip, &sc->warp[w].state.split_pc, 2 + qsm_flip_draw(flip, 10), "split_pc", w);
}

// Flips a live lane outside the split, unless the split has all lanes: a split that loses its only
// lane would first show as a missing issue.
bool qsm_warp_state_flip(struct qsm_flip *flip, struct qsm_subcore *sc) {
  uint32_t living = 0;
  for (uint32_t w = 0; w < sc->n_warps; w++) living |= (uint32_t)(sc->warp[w].state.live != 0) << w;
  living &= sc->states.resident;
  if (!living) return false;
  uint32_t w = qsm_flip_draw_bit(flip, living);
  struct qsm_warp_state *state = &sc->warp[w].state;
  uint32_t lanes = UINT32_MAX >> (32 - sc->sm->n_lanes), outside = lanes & ~state->split_mask,
           lane = qsm_flip_draw_bit(flip, outside ? outside : lanes);
  if (state->live == 1u << lane) return false;
  qsm_flip_bit(flip, &state->live, lane, "live", w);
  return true;
}
