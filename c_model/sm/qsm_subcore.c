// SPDX-License-Identifier: Apache-2.0
// Sub-core: issue, execute, write-back, scoreboard releases, stall counters (docs/subcore.md);
// warps that finish (R-WS-10).
#include "qsm_subcore.h"

#include <stdlib.h>
#include <string.h>

#include "qsm_exec.h"
#include "qsm_sm_blocks.h"

// ---- create, destroy ----

struct qsm_subcore *qsm_subcore_create(struct qsm_sm *sm, uint32_t index) {
  struct qsm_subcore *sc = qsm_sm_zeroed(1, sizeof *sc);
  if (!sc) return NULL;
  sc->sm = sm;
  sc->index = (uint8_t)index;
  sc->n_warps = (uint8_t)sm->n_warps;
  sc->regs = qsm_sm_zeroed((size_t)sm->n_warps * 32 * sm->n_lanes, sizeof *sc->regs);
  bool ok = qsm_warp_states_create(&sc->states, sm->n_warps, sm->n_lanes);
  ok &= qsm_fetch_create(&sc->fetch, sm->n_warps, sm->n_lines);
  if (!ok || !sc->regs) {
    qsm_subcore_destroy(sc);
    return NULL;
  }
  qsm_subcore_reset(sc);
  return sc;
}

// What `pipe`, `div`, `res` and `late` hold means nothing then. A register that is not written
// reads as 0.
void qsm_subcore_reset(struct qsm_subcore *sc) {
  struct qsm_sm *sm = sc->sm;
  sc->inject = NULL;
  sc->under_way = sc->wb_wait = sc->claims = sc->n_late = 0;
  sc->mem_credit = QSM_MQ_DEPTH;
  sc->div_busy = sc->late_ready = false;
  sc->res_head = sc->res_count = 0;
  sc->ready = sc->gate_closed = sc->finishable = sc->dirty = 0;
  memset(sc->needs, 0, sizeof sc->needs);
  sc->div_ready_at = sc->asleep_from = 0;
  memset(sc->warp, 0, sizeof sc->warp);
  for (uint32_t w = 0; w < QSM_MAX_WARPS; w++) sc->warp[w].stall = QSM_STALL_NONE;
  qsm_warp_states_reset(&sc->states, sm->n_warps);
  qsm_fetch_reset(&sc->fetch, sm->n_warps, sm->n_lines);
  qsm_warp_sched_reset(&sc->sched, sm->n_warps);
  memset(sc->regs, 0, (size_t)sm->n_warps * 32 * sm->n_lanes * sizeof *sc->regs);
  sc->asleep = true;
  sc->wake_at = QSM_NEVER;
  qsm_sm_note_asleep(sm, sc->index, QSM_NEVER);
}

void qsm_subcore_destroy(struct qsm_subcore *sc) {
  if (!sc) return;
  qsm_warp_states_destroy(&sc->states);
  qsm_fetch_destroy(&sc->fetch);
  free(sc->regs);
  free(sc);
}

// ---- summary bits and stall reasons ----

static const struct qsm_insn *head_of(const struct qsm_subcore *sc, uint32_t warp) {
  return &sc->warp[warp].ibuf.word[sc->warp[warp].fetch.ibuf_head];
}

// The first of the reasons 1..4 that holds for a resident warp, else LOST: a candidate for issue.
static inline enum qsm_stall classify(const struct qsm_subcore *sc, uint32_t warp) {
  const struct qsm_scoreboard *sb = &sc->warp[warp].sb;
  if (qsm_warp_is_at_barrier(&sc->warp[warp].state)) return QSM_STALL_BARRIER;
  if (sc->warp[warp].fetch.ibuf_count == 0 || ((sc->states.frozen | sc->states.killed) >> warp & 1))
    return QSM_STALL_NO_INSTRUCTION;
  const struct qsm_insn *head = head_of(sc, warp);
  uint32_t need = head->need;
  if ((need & sb->pending_load) || (head->op == QSM_OP_FENCE && sb->mem))
    return QSM_STALL_LONG_SCOREBOARD;
  if ((need & sb->pending) || ((need & QSM_NEED_ENTRY) && sb->valid == sc->sm->sb_full))
    return QSM_STALL_SHORT_SCOREBOARD;
  return QSM_STALL_NOT_SELECTED;
}

static void set_reason(struct qsm_subcore *sc, uint32_t warp, enum qsm_stall reason,
                       uint64_t from) {
  uint32_t *stalls = sc->stalls[sc->warp[warp].state.kernel];
  stalls[sc->warp[warp].stall] += (uint32_t)from;
  stalls[reason] -= (uint32_t)from;
  sc->warp[warp].stall = (uint8_t)reason;
}

static uint8_t unit_of(const struct qsm_insn *insn) {
  static const uint8_t of_class[] = {
      [QSM_CLASS_ALU] = QSM_UNIT_WRITE, [QSM_CLASS_MUL] = QSM_UNIT_WRITE,
      [QSM_CLASS_DIV] = QSM_UNIT_DIV,   [QSM_CLASS_MEM] = QSM_UNIT_MEM,
      [QSM_CLASS_CTL] = QSM_UNIT_WRITE, [QSM_CLASS_FMA] = QSM_UNIT_LATE_WRITE};
  uint8_t class = qsm_op_class[insn->op];
  return insn->rd || class == QSM_CLASS_MEM || class == QSM_CLASS_DIV ? of_class[class]
                                                                      : QSM_UNIT_NONE;
}

static void set_unit(struct qsm_subcore *sc, uint32_t warp, uint8_t unit) {
  uint8_t before = sc->warp[warp].head_unit;
  if (unit == before) return;
  sc->needs[before] &= ~(1u << warp);
  sc->needs[unit] |= 1u << warp;
  sc->warp[warp].head_unit = unit;
}

__attribute__((always_inline)) static inline void refresh(struct qsm_subcore *sc, uint32_t warp,
                                                          uint64_t from) {
  uint32_t bit = 1u << warp;
  bool resident = sc->states.resident & bit;
  enum qsm_stall reason = resident ? classify(sc, warp) : QSM_STALL_NONE;
  if (reason == QSM_STALL_NOT_SELECTED) {
    sc->ready |= bit;
    set_unit(sc, warp, unit_of(head_of(sc, warp)));
    if (sc->gate_closed & bit) reason = QSM_STALL_QUOTA;
  } else {
    sc->ready &= ~bit;
    if (sc->warp[warp].state.live == 0) {
      // R-WS-10.
      bool held = (sc->states.frozen & bit) && sc->sm->save.op == QSM_TB_RESTORE,
           finishes = resident && !held && sc->warp[warp].sb.valid == 0;
      sc->finishable = finishes ? sc->finishable | bit : sc->finishable & ~bit;
    }
  }
  if (reason != sc->warp[warp].stall) set_reason(sc, warp, reason, from);
}

void qsm_subcore_refresh(struct qsm_subcore *sc, uint32_t warp, uint64_t from) {
  refresh(sc, warp, from);
}

static void claim(struct qsm_subcore *sc) { sc->claims |= (uint8_t)(1u << sc->sm->fp_lat); }

// A release changes the warp's readiness only if the warp waits for a register or an entry, or is
// about to finish: a warp with another reason keeps it (BARRIER and EMPTY come first, a candidate
// stays one), and one that lives cannot finish. Only those are recomputed.
static void release(struct qsm_subcore *sc, uint32_t w, uint32_t entry) {
  struct qsm_warp *warp = &sc->warp[w];
  qsm_sb_release(&warp->sb, entry);
  bool waited =
      warp->stall == QSM_STALL_LONG_SCOREBOARD || warp->stall == QSM_STALL_SHORT_SCOREBOARD;
  if (waited || warp->state.live == 0) qsm_subcore_touch(sc, w);
}

static uint32_t warps_of(const struct qsm_subcore *sc, uint32_t kernels) {
  uint32_t warps = 0;
  for (; kernels; kernels &= kernels - 1) warps |= sc->states.of_kernel[qsm_ctz(kernels)];
  return warps;
}

// R-PA-15: what late_ready becomes.
static bool is_late_ready(const struct qsm_subcore *sc) {
  return sc->sm->quota.gaps && (qsm_subcore_candidates(sc) & ~warps_of(sc, sc->sm->quota.gaps));
}

// Candidates that wait for a unit, or for a gap, by the registers as they are (R-IS-1, R-IS-6,
// R-FP-4, R-PA-15, R-PA-19).
static uint32_t waiting_for_unit(const struct qsm_subcore *sc) {
  uint32_t waiting = 0;
  if (sc->mem_credit == 0) waiting |= sc->needs[QSM_UNIT_MEM];
  if (sc->div_busy) waiting |= sc->needs[QSM_UNIT_DIV];
  if (sc->claims & 1) waiting |= sc->needs[QSM_UNIT_WRITE];
  if (sc->claims >> QSM_FP_LAT & 1) waiting |= sc->needs[QSM_UNIT_LATE_WRITE];
  const struct qsm_quota *quota = &sc->sm->quota;
  if (quota->no_mem) waiting |= warps_of(sc, quota->no_mem) & sc->needs[QSM_UNIT_MEM];
  if (quota->gaps && sc->late_ready) waiting |= warps_of(sc, quota->gaps);
  return waiting & qsm_subcore_candidates(sc);
}

// Counts warps that wait for a unit for n cycles; as candidates they are counted as LOST.
static void count_unit_waits(struct qsm_subcore *sc, uint32_t waiting, uint32_t n) {
  while (waiting) {
    uint32_t k = sc->warp[qsm_ctz(waiting)].state.kernel,
             warps = qsm_popcount(waiting & sc->states.of_kernel[k]) * n;
    sc->stalls[k][QSM_STALL_PIPE_THROTTLE] += warps;
    sc->stalls[k][QSM_STALL_NOT_SELECTED] -= warps;
    waiting &= ~sc->states.of_kernel[k];
  }
}

void qsm_subcore_wake(struct qsm_subcore *sc, uint64_t from) {
  if (!sc->asleep) return;
  uint32_t waiting = waiting_for_unit(sc);
  if (waiting) count_unit_waits(sc, waiting, (uint32_t)(from - sc->asleep_from));
  sc->asleep = false;
  qsm_sm_note_awake(sc->sm, sc->index);
}

uint32_t qsm_subcore_stalls(const struct qsm_subcore *sc, uint64_t cycle, uint32_t kernel,
                            uint32_t reason) {
  uint32_t value = sc->stalls[kernel][reason];
  for (uint32_t warps = sc->states.resident & sc->states.of_kernel[kernel]; warps;
       warps &= warps - 1) {
    if (sc->warp[qsm_ctz(warps)].stall == reason) value += (uint32_t)cycle;
  }
  if (!sc->asleep) return value;
  uint32_t waits = qsm_popcount(waiting_for_unit(sc) & sc->states.of_kernel[kernel]) *
                   (uint32_t)(cycle - sc->asleep_from);
  if (reason == QSM_STALL_PIPE_THROTTLE) value += waits;
  if (reason == QSM_STALL_NOT_SELECTED) value -= waits;
  return value;
}

// ---- issue ----

static void prefetch_row(const uint32_t *row, uint32_t n) {
  __builtin_prefetch(row);
  __builtin_prefetch(row + n - 1);  // a row of 32 lanes has two cache lines
}

// The operands are needed three or four cycles later, when the other sub-cores have had their
// turns.
static void find_operands(const struct qsm_subcore *sc, struct qsm_pipe_slot *slot, uint32_t warp) {
  uint32_t n = sc->sm->n_lanes;
  slot->rs1 = qsm_reg(sc, n, warp, slot->insn.rs1);
  slot->rs2 = qsm_reg(sc, n, warp, slot->insn.rs2);
  slot->rd = qsm_reg(sc, n, warp, slot->insn.rd);
  prefetch_row(slot->rs1, n);
  prefetch_row(slot->rs2, n);
  prefetch_row(slot->rd, n);
}

// An instruction goes to RR, with its scoreboard entry and credit.
static inline void enter_pipe(struct qsm_subcore *sc, struct qsm_pipe_slot *slot, uint32_t warp,
                              uint32_t kernel) {
  find_operands(sc, slot, warp);
  uint8_t class = qsm_op_class[slot->insn.op];
  slot->class = class;
  slot->warp = (uint8_t)warp;
  slot->kernel = (uint8_t)kernel;
  slot->faulted = slot->away = false;
  slot->entry = QSM_NONE;
  if (slot->insn.need & QSM_NEED_ENTRY)
    slot->entry = qsm_sb_take(&sc->warp[warp].sb, slot->insn.rd, class == QSM_CLASS_MEM);
  sc->under_way |= (uint8_t)(1u << (slot - sc->pipe));
  if (class == QSM_CLASS_MEM) sc->mem_credit--;
  qsm_subcore_touch(sc, warp);
}

// R-SA-14.
static void tell_fence(struct qsm_sm *sm, uint32_t kernel, uint64_t c) {
  struct qsm_sm_out *out = &sm->out;
  if (out->n_fence == 0 || out->fence[out->n_fence - 1].cycle != c)
    out->fence[out->n_fence++] = (struct qsm_slot_pulse){.cycle = c};
  out->fence[out->n_fence - 1].kernels |= 1u << kernel;
}

// R-IS-3, R-IS-4.
static void issue(struct qsm_subcore *sc, uint32_t warp, uint64_t c) {
  struct qsm_sm *sm = sc->sm;
  struct qsm_pipe_slot *slot = &sc->pipe[c % QSM_PIPE_SLOTS];
  struct qsm_warp *w = &sc->warp[warp];
  uint32_t kernel = w->state.kernel, mask = w->state.split_mask;
  slot->insn = *head_of(sc, warp);
  slot->pc = w->state.split_pc;
  slot->mask = mask;
  slot->depth = w->state.split_depth;
  slot->ctl = qsm_fetch_head_is_ctl(&sc->fetch, &w->fetch, warp);
  slot->injected = false;
  enter_pipe(sc, slot, warp, kernel);
  qsm_fetch_pop(&sc->fetch, &w->fetch, warp);
  qsm_warp_step_path(&sc->states, &w->state, warp, slot->ctl);
  uint8_t class = slot->class;
  slot->away = class == QSM_CLASS_MEM && !(sm->shared->qos_mask >> kernel & 1);
  if (class == QSM_CLASS_DIV) {
    sc->div_busy = true;
    sc->div_ready_at = QSM_NEVER;  // until EX2: its operands may be written in this cycle
  } else if (class == QSM_CLASS_FMA && slot->insn.rd) {
    sc->n_late++;
    claim(sc);
  }
  sc->stalls[kernel][QSM_STALL_SELECTED]++;
  sc->stalls[kernel][QSM_STALL_NOT_SELECTED]--;
  if (sm->trace.watched) {
    const uint32_t words[] = {warp, kernel, slot->pc, mask, slot->insn.instr, slot->entry};
    qsm_sm_record(sm, c, QSM_EV_ISSUE, sc->index, words, 6);
  }
}

// R-IS-5, in RR: what issued in the cycle before.
static void count_stage(struct qsm_subcore *sc, uint64_t c) {
  const struct qsm_pipe_slot *slot = qsm_subcore_issued(sc, c - 1);
  if (!slot || slot->injected) return;
  struct qsm_sm *sm = sc->sm;
  uint32_t lanes = qsm_popcount(slot->mask);
  qsm_quota_note_issue(&sm->quota, slot->kernel, lanes);
  if (slot->away) qsm_share_begin(&sm->share);
  qsm_energy_note_issue(&sm->energy, slot->kernel, &slot->insn, slot->class, lanes);
  if (!qsm_is_device_fence(&slot->insn)) return;
  if (sm->l1) qsm_l1_note_fence(sm->l1, slot->kernel);
  if (sm->shared->config->num_sas) tell_fence(sm, slot->kernel, c);
}

// R-PO-7.
static uint32_t long_latency(const struct qsm_subcore *sc) {
  uint32_t warps = 0;
  for (uint32_t w = 0; w < sc->n_warps; w++)
    warps |= (uint32_t)qsm_stall_is_long_latency(sc->warp[w].stall) << w;
  return warps;
}

struct qsm_sched_in qsm_subcore_sched_in(const struct qsm_subcore *sc, uint32_t eligible,
                                         uint32_t finish, uint64_t c) {
  const struct qsm_sm_shared *shared = sc->sm->shared;
  return (struct qsm_sched_in){
      .policy = shared->policy,
      .resident = sc->states.resident,
      .eligible = eligible,
      .long_latency = shared->policy == QSM_POLICY_TWO_LEVEL ? long_latency(sc) : 0,
      .active_warps = shared->active_warps,
      .n_kernels = sc->sm->n_kernels,
      .of_kernel = sc->states.of_kernel,
      .budget = shared->budget,
      .restart = c == shared->resched_at ? shared->restart : 0,
      .throttled = sc->sm->quota.throttled,
      .finish = finish,
  };
}

uint32_t qsm_subcore_eligible(const struct qsm_subcore *sc) {
  return qsm_subcore_candidates(sc) & ~waiting_for_unit(sc);
}

// The pick of a cycle under a policy with groups, or of the first cycle after one. A separate
// function, so that the other policies stay fast.
__attribute__((noinline)) static uint32_t pick_by_group(struct qsm_subcore *sc, uint32_t eligible,
                                                        uint32_t finished, uint64_t c) {
  struct qsm_warp_sched *ws = &sc->sched;
  const struct qsm_sched_in in = qsm_subcore_sched_in(sc, eligible, finished, c);
  uint32_t active = ws->active, front = qsm_qaws_front(&ws->qaws);
  uint32_t warp = qsm_warp_sched_step(ws, &in);
  if (ws->active != active) QSM_EMIT(sc->sm, c, QSM_EV_TWO_LEVEL, sc->index, ws->active);
  if (qsm_qaws_front(&ws->qaws) != front)
    QSM_EMIT(sc->sm, c, QSM_EV_QAWS, sc->index, ws->qaws.valid, ws->qaws.budget, ws->qaws.ncs);
  return warp;
}

// R-PE-16: the sequencer's instruction instead of an issue. Warps that could issue count as waiting
// for a unit, and the policy sees no eligible warp.
__attribute__((noinline)) static void inject(struct qsm_subcore *sc, uint32_t finished,
                                             uint64_t c) {
  const struct qsm_injection *in = sc->inject;
  struct qsm_pipe_slot *slot = &sc->pipe[c % QSM_PIPE_SLOTS];
  uint32_t waiting = qsm_subcore_candidates(sc);
  if (waiting) count_unit_waits(sc, waiting, 1);
  if (sc->sched.grouping)
    pick_by_group(sc, 0, finished, c);
  else
    qsm_warp_sched_note_issue(&sc->sched, QSM_NONE, finished);
  slot->insn = in->insn;
  slot->pc = in->pc;
  slot->mask = in->mask;
  slot->depth = 0;
  slot->ctl = in->insn.op == QSM_OP_JALR;
  slot->injected = true;
  enter_pipe(sc, slot, in->warp, sc->warp[in->warp].state.kernel);
  sc->inject = NULL;
  const uint32_t words[] = {in->warp, in->step, in->reg, in->pc, in->mask, slot->entry};
  if (sc->sm->trace.watched) qsm_sm_record(sc->sm, c, QSM_EV_INJECT, sc->index, words, 6);
}

// R-IS-1, R-IS-2, R-PO-1; `finished`: the slot that finishes in this cycle.
static void issue_stage(struct qsm_subcore *sc, uint32_t finished, uint64_t c) {
  if (sc->inject) {
    inject(sc, finished, c);
    return;
  }
  uint32_t candidates = qsm_subcore_candidates(sc), warp = QSM_NONE;
  // Nobody waits for a unit, and a policy without groups changes by what issues or finishes only.
  if (!candidates && !sc->sched.grouping) {
    qsm_warp_sched_note_issue(&sc->sched, QSM_NONE, finished);
    return;
  }
  uint32_t waiting = waiting_for_unit(sc);
  if (waiting) count_unit_waits(sc, waiting, 1);
  uint32_t eligible = candidates & ~waiting;
  if (sc->sched.grouping) {
    warp = pick_by_group(sc, eligible, finished, c);
  } else {
    if (eligible) warp = qsm_warp_sched_pick(&sc->sched, sc->sm->shared->policy, eligible);
    qsm_warp_sched_note_issue(&sc->sched, warp, finished);
  }
  if (warp != QSM_NONE) issue(sc, warp, c);
}

// ---- EX2 ----

// Reported here, where the operands are read, because the queue holds device addresses.
__attribute__((noinline)) static void report_access(const struct qsm_subcore *sc,
                                                    const struct qsm_pipe_slot *slot,
                                                    const struct qsm_mem_op *op) {
  const struct qsm_sm *sm = sc->sm;
  bool amo = op->insn.op == QSM_OP_AMO;
  struct qsm_access access = {
      .kind = amo                       ? QSM_ACCESS_AMO
              : qsm_is_store(&op->insn) ? QSM_ACCESS_STORE
                                        : QSM_ACCESS_LOAD,
      .bytes = (uint8_t)qsm_access_bytes(op->insn.op),
      .sm = (uint8_t)sm->index,
      .tb = op->tb,
      .widx = op->widx,
      .pc = op->pc,
      .mask = op->mask,
      .data = op->data,
  };
  for (uint32_t l = 0; l < sm->n_lanes; l++)
    access.address[l] = slot->rs1[l] + (amo ? 0 : op->insn.imm);
  sm->trace.access_sink(sm->trace.access_sink_ctx, &access);
}

static void enter_memory_queue(struct qsm_subcore *sc, const struct qsm_pipe_slot *slot,
                               uint64_t c) {
  struct qsm_mem_op *op = qsm_lsu_enqueue(&sc->sm->lsu, sc->index, c);
  op->insn = slot->insn;
  op->pc = slot->pc;
  op->mask = slot->mask;
  op->sub = sc->index;
  op->warp = slot->warp;
  op->kernel = slot->kernel;
  op->tb = sc->warp[slot->warp].state.tb;
  op->widx = sc->warp[slot->warp].state.widx;
  op->entry = slot->entry;
  op->injected = slot->injected;
  op->away = slot->away;
  qsm_exec_operands(sc, slot, op);
  if (sc->sm->trace.access_sink && !slot->injected) report_access(sc, slot, op);
}

// R-EX-3, R-FP-6: from the issue to where the result is ready.
static uint32_t division_cycles(const struct qsm_subcore *sc, const struct qsm_pipe_slot *slot) {
  if (qsm_is_float(&slot->insn)) return QSM_FP_DIV_LATENCY;
  const uint32_t n_lanes = sc->sm->n_lanes, group = sc->sm->n_div_lanes;
  if (group == n_lanes) return QSM_DIV_LATENCY;
  uint32_t n_cycles = QSM_DIV_REST;
  for (uint32_t first = 0; first < n_lanes; first += group) {
    bool all_short = true;
    for (uint32_t l = first; l < first + group; l++)
      if (slot->mask >> l & 1) all_short &= slot->rs1[l] < 0x10000 && slot->rs2[l] != 0;
    if (slot->mask >> first & ((UINT32_C(1) << group) - 1))
      n_cycles += all_short ? QSM_DIV_TURN - QSM_DIV_SHORT : QSM_DIV_TURN;
  }
  return n_cycles;
}

static void divide(struct qsm_subcore *sc, const struct qsm_pipe_slot *slot, uint64_t issued_at) {
  sc->div_ready_at = issued_at + division_cycles(sc, slot);
  sc->div.warp = slot->warp;
  sc->div.rd = slot->insn.rd;
  sc->div.entry = slot->entry;
  sc->div.mask = slot->mask;
  qsm_exec_div(sc, slot, sc->div.data);
}

// R-FP-1, R-FP-2: an instruction that writes FpLat cycles after the others.
static bool is_late(const struct qsm_pipe_slot *slot) {
  return slot->insn.rd && slot->class == QSM_CLASS_FMA;
}

static void leave_pipe(struct qsm_subcore *sc, uint64_t issued_at) {
  sc->under_way &= (uint8_t)~(1u << issued_at % QSM_PIPE_SLOTS);
}

// The cycle before an FMA instruction writes.
static void release_late(struct qsm_subcore *sc, uint64_t c) {
  const struct qsm_pipe_slot *slot = qsm_subcore_issued(sc, c - 3 - QSM_FP_LAT);
  if (slot && is_late(slot)) release(sc, slot->warp, slot->entry);
}

static void ex2_stage(struct qsm_subcore *sc, uint64_t c) {
  if (!qsm_subcore_issued(sc, c - 3)) return;
  struct qsm_pipe_slot *slot = &sc->pipe[(c - 3) % QSM_PIPE_SLOTS];
  uint8_t class = slot->class;
  if (class == QSM_CLASS_MEM) {
    enter_memory_queue(sc, slot, c);
  } else if (class == QSM_CLASS_DIV) {
    divide(sc, slot, c - 3);
  } else if (class == QSM_CLASS_FMA) {
    if (slot->insn.rd) qsm_exec_float(sc, slot, sc->late[slot - sc->pipe]);
  } else if (slot->entry != QSM_NONE) {
    release(sc, slot->warp, slot->entry);
  }
  if (slot->ctl) slot->faulted = qsm_warp_resolve(sc, slot, c);
}

// ---- write-back ----

static void report_write(struct qsm_subcore *sc, uint32_t warp, uint32_t rd, uint32_t mask,
                         uint64_t c) {
  struct qsm_sm *sm = sc->sm;
  uint32_t words[3 + QSM_MAX_LANES] = {warp, rd, mask};
  const uint32_t *reg = qsm_reg(sc, sm->n_lanes, warp, rd);
  for (uint32_t l = 0; l < sm->n_lanes; l++) words[3 + l] = mask >> l & 1 ? reg[l] : 0;
  qsm_sm_record(sm, c, QSM_EV_WB, sc->index, words, 3 + sm->n_lanes);
}

static void write_variable(struct qsm_subcore *sc, const struct qsm_result *result, uint64_t c) {
  if (result->rd == 0) return;
  qsm_exec_write(sc, result->warp, result->rd, result->mask, result->data);
  if (sc->sm->trace.watched) report_write(sc, result->warp, result->rd, result->mask, c);
}

// R-FP-1, R-WB-1; false if the port stays free.
static bool write_late(struct qsm_subcore *sc, uint64_t c) {
  uint64_t issued_at = c - 4 - QSM_FP_LAT;
  const struct qsm_pipe_slot *slot = qsm_subcore_issued(sc, issued_at);
  if (!slot || !is_late(slot)) return false;
  leave_pipe(sc, issued_at);
  sc->n_late--;
  qsm_exec_write(sc, slot->warp, slot->insn.rd, slot->mask, sc->late[slot - sc->pipe]);
  if (sc->sm->trace.watched) report_write(sc, slot->warp, slot->insn.rd, slot->mask, c);
  return true;
}

// The same for all other classes.
static bool write_fixed(struct qsm_subcore *sc, uint64_t c) {
  const struct qsm_pipe_slot *slot = qsm_subcore_issued(sc, c - 4);
  if (!slot) return false;
  uint8_t class = slot->class;
  if (class == QSM_CLASS_FMA && slot->insn.rd) return false;  // later
  leave_pipe(sc, c - 4);
  if (class == QSM_CLASS_MEM || class == QSM_CLASS_DIV || slot->insn.rd == 0 || slot->faulted)
    return false;
  qsm_exec_fixed(sc, slot, c - 2);
  if (sc->sm->trace.watched) report_write(sc, slot->warp, slot->insn.rd, slot->mask, c);
  return true;
}

static void end_part(struct qsm_subcore *sc, uint32_t warp, uint32_t entry) {
  struct qsm_scoreboard *sb = &sc->warp[warp].sb;
  qsm_sb_end_part(sb, entry);
  if (qsm_sb_is_done(sb, entry)) release(sc, warp, entry);
}

static void take_result(struct qsm_subcore *sc, uint64_t c) {
  const struct qsm_result *result = &sc->res[sc->res_head];
  write_variable(sc, result, c);
  end_part(sc, result->warp, result->entry);
  sc->res_head = (uint8_t)((sc->res_head + 1) % QSM_RES_DEPTH);
  sc->res_count--;
  qsm_lsu_give_credit(&sc->sm->lsu, sc->index, c);
}

// R-WB-2, R-WB-3.
static void write_back_stage(struct qsm_subcore *sc, uint64_t c) {
  bool port_taken = write_fixed(sc, c);
  // Without either there is nothing to shift, to release or to write.
  if (sc->n_late | sc->claims) {
    sc->claims >>= 1;
    release_late(sc, c);
    port_taken |= write_late(sc, c);
  }
  bool div_ready = sc->div_busy && c >= sc->div_ready_at;
  if (!div_ready && sc->res_count == 0) {
    sc->wb_wait = 0;
  } else if (port_taken) {
    sc->wb_wait = sc->wb_wait == QSM_WB_STARVE_LIMIT ? 0 : sc->wb_wait + 1;
    if (sc->wb_wait == QSM_WB_STARVE_LIMIT) claim(sc);
  } else {
    sc->wb_wait = 0;
    if (div_ready) {
      write_variable(sc, &sc->div, c);
      release(sc, sc->div.warp, sc->div.entry);
      sc->div_busy = false;
    } else {
      take_result(sc, c);
    }
  }
}

// ---- one cycle ----

static void finish(struct qsm_subcore *sc, uint32_t warp, uint64_t c) {
  qsm_warp_leave(&sc->states, warp);
  qsm_subcore_touch(sc, warp);
  qsm_barrier_finish(&sc->sm->barrier, sc->warp[warp].state.tb);
  QSM_EMIT(sc->sm, c, QSM_EV_FINISH, sc->index, warp, sc->warp[warp].state.tb);
}

// The state of a policy with groups can also change in cycles without an eligible warp, until it is
// stable.
__attribute__((noinline)) static bool groups_rest(const struct qsm_subcore *sc) {
  struct qsm_sched_in in = qsm_subcore_sched_in(sc, 0, QSM_NONE, QSM_NEVER);
  return qsm_warp_sched_settled(&sc->sched, &in);
}

// At the end of cycle c: true if the next cycles can change nothing, up to sc->wake_at: the pipe
// and the latch are empty, nobody selects, finishes, fetches or issues, nothing waits for the write
// port but a division that is not done, and a policy with groups has come to rest. Stall counters
// go on as integrals; waits for a unit are made up by qsm_subcore_wake(), as their number stays.
static bool may_sleep(struct qsm_subcore *sc, uint64_t c) {
  if (sc->under_way || sc->fetch.f2.warp != QSM_NONE) return false;
  if (qsm_warp_selects(&sc->states) || qsm_fetch_wants(&sc->fetch, sc->states.split_valid))
    return false;
  if (sc->finishable | sc->res_count | sc->wb_wait | sc->claims) return false;
  if (qsm_subcore_eligible(sc) || sc->late_ready != is_late_ready(sc)) return false;
  if (sc->sched.grouping && !groups_rest(sc)) return false;
  sc->wake_at = sc->div_busy ? sc->div_ready_at : QSM_NEVER;
  return sc->wake_at > c + 1;
}

// The order matters where blocks share registers. F1, issue and finish decide first. F2 then pushes
// behind the issued word. Issue takes a scoreboard entry before EX2 and write-back free theirs.
// Split selection runs before the resolve that requests the next selection.
void qsm_subcore_step(struct qsm_subcore *sc, uint64_t c) {
  uint8_t fetch = qsm_fetch_choose(&sc->fetch, sc->states.split_valid, sc->n_warps);
  uint32_t finished = sc->finishable ? qsm_ctz(sc->finishable) : QSM_NONE;
  bool late_ready = is_late_ready(sc);
  issue_stage(sc, finished, c);
  sc->late_ready = late_ready;
  count_stage(sc, c);
  if (sc->fetch.f2.warp != QSM_NONE) qsm_fetch_f2(sc, c);
  qsm_fetch_f1(sc, fetch);
  if (qsm_warp_selects(&sc->states)) qsm_split_select(sc, c);
  ex2_stage(sc, c);
  write_back_stage(sc, c);
  if (finished != QSM_NONE) finish(sc, finished, c);
  for (uint32_t dirty = sc->dirty; dirty; dirty &= dirty - 1) refresh(sc, qsm_ctz(dirty), c + 1);
  sc->dirty = 0;
  if (may_sleep(sc, c)) {
    sc->asleep = true;
    sc->asleep_from = c + 1;
    qsm_sm_note_asleep(sc->sm, sc->index, sc->wake_at);
  }
}

// ---- Changes from outside ----

// R-WB-4. The RTL keeps a bit per register instead, reads 0 until it is set, and the first write
// sets the other lanes to 0. Both are equal: all writes of the slot's previous warp were done
// before it finished (R-WS-10), so only writes of this warp follow.
static void clear_registers(struct qsm_subcore *sc, uint32_t warp) {
  uint32_t n = sc->sm->n_lanes;
  memset(qsm_reg(sc, n, warp, 0), 0, (size_t)32 * n * sizeof *sc->regs);
}

void qsm_subcore_begin_warp(struct qsm_subcore *sc, uint32_t w, uint64_t from) {
  struct qsm_warp *warp = &sc->warp[w];
  uint32_t bit = 1u << w;
  clear_registers(sc, w);
  sc->finishable &= ~bit;
  warp->sb = (struct qsm_scoreboard){0};
  bool open = qsm_quota_is_open(&sc->sm->quota, warp->state.kernel);
  sc->gate_closed = open ? sc->gate_closed & ~bit : sc->gate_closed | bit;
  qsm_fetch_flush(&sc->fetch, &warp->fetch, w);
  qsm_fetch_redirect(&sc->fetch, &warp->fetch, w, warp->state.split_pc);
  qsm_warp_sched_started(&sc->sched, w);
  refresh(sc, w, from);
}

void qsm_subcore_set_gate(struct qsm_subcore *sc, uint32_t kernel, bool open, uint64_t from) {
  uint32_t warps = sc->states.of_kernel[kernel] & sc->states.resident;
  if (!warps) return;
  qsm_subcore_wake(sc, from);
  sc->gate_closed = open ? sc->gate_closed & ~warps : sc->gate_closed | warps;
  for (; warps; warps &= warps - 1) refresh(sc, qsm_ctz(warps), from);
}

void qsm_subcore_reschedule(struct qsm_subcore *sc, uint64_t from) {
  qsm_subcore_wake(sc, from);
  qsm_warp_sched_note_policy(&sc->sched, sc->sm->shared->policy);
}

void qsm_subcore_inject(struct qsm_subcore *sc, const struct qsm_injection *injection, uint64_t c) {
  qsm_subcore_wake(sc, c);
  sc->inject = injection;
}

void qsm_subcore_give_credit(struct qsm_subcore *sc, uint64_t from) {
  qsm_subcore_wake(sc, from);
  sc->mem_credit++;
}

void qsm_subcore_take_in_result(struct qsm_subcore *sc, uint64_t from) {
  qsm_subcore_wake(sc, from);
  sc->res_count++;
}

static void release_if_done(struct qsm_subcore *sc, uint32_t warp, uint32_t entry, uint64_t from) {
  struct qsm_scoreboard *sb = &sc->warp[warp].sb;
  if (!qsm_sb_is_done(sb, entry)) return;
  qsm_sb_release(sb, entry);
  refresh(sc, warp, from);
}

void qsm_subcore_end_part(struct qsm_subcore *sc, uint32_t warp, uint32_t entry, uint64_t from) {
  qsm_subcore_wake(sc, from);
  qsm_sb_end_part(&sc->warp[warp].sb, entry);
  release_if_done(sc, warp, entry, from);
}

void qsm_subcore_note_all_sent(struct qsm_subcore *sc, uint32_t warp, uint32_t entry,
                               uint64_t from) {
  qsm_subcore_wake(sc, from);
  qsm_sb_note_all_sent(&sc->warp[warp].sb, entry);
  release_if_done(sc, warp, entry, from);
}

// ---- State and flips ----

bool qsm_subcore_scoreboard_word(const struct qsm_subcore *sc, uint32_t warp, uint32_t entry,
                                 uint32_t *value) {
  const struct qsm_scoreboard *sb = &sc->warp[warp].sb;
  if (!(sc->sm->sb_full >> entry & 1)) return false;
  *value = 0;
  if (!(sb->valid >> entry & 1)) return true;
  *value = 1u | (sb->mem >> entry & 1u) << 1 | (sb->all_sent >> entry & 1u) << 2 |
           (uint32_t)sb->rd[entry] << 8;
  if (sb->mem >> entry & 1) *value |= (uint32_t)sb->parts[entry] << 16;
  return true;
}

uint32_t qsm_subcore_write_back_word(const struct qsm_subcore *sc) {
  uint32_t claim = sc->claims & ((1u << sc->sm->fp_lat) - 1);
  return sc->wb_wait + 16 * claim;
}

// Only of a warp that can issue at once: a flip in a waiting warp would first show in the warp
// state.
bool qsm_subcore_flip_issue(struct qsm_flip *flip, struct qsm_subcore *sc) {
  uint32_t issuing = qsm_subcore_candidates(sc);
  if (!issuing) return false;
  uint32_t w = qsm_flip_draw_bit(flip, issuing);
  qsm_warp_flip_path(flip, sc, w);
  return true;
}

// An instruction that will write its register.
bool qsm_subcore_flip_exec(struct qsm_flip *flip, struct qsm_subcore *sc) {
  for (uint32_t i = 0; i < QSM_PIPE_SLOTS; i++) {
    struct qsm_pipe_slot *slot = &sc->pipe[i];
    uint8_t class = qsm_op_class[slot->insn.op];
    // One that issued in the last cycle is still to be counted: the quotas would show it first.
    bool counted = i != (sc->sm->next_cycle - 1) % QSM_PIPE_SLOTS;
    if (!qsm_subcore_issued(sc, i) || !counted || slot->insn.rd == 0 ||
        (class != QSM_CLASS_ALU && class != QSM_CLASS_MUL && class != QSM_CLASS_FMA))
      continue;
    qsm_flip_bit(flip, &slot->mask, qsm_flip_draw_bit(flip, slot->mask), "mask of pipe slot", i);
    return true;
  }
  return false;
}

bool qsm_subcore_flip_warp_sched(struct qsm_flip *flip, struct qsm_subcore *sc) {
  const struct qsm_sched_in seen =
      qsm_subcore_sched_in(sc, qsm_subcore_eligible(sc), QSM_NONE, sc->sm->next_cycle);
  return qsm_warp_sched_flip(flip, &sc->sched, &seen);
}
