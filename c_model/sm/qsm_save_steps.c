// SPDX-License-Identifier: Apache-2.0
// The steps of a phase of the sequencer: which is next, when it may be done, and the instruction
// that it injects (docs/preemption.md, R-PE-16 .. R-PE-18).
#include "qsm_save_steps.h"

#include "qsm_sm_blocks.h"

enum { WARP_LINES = 33, LAST_LINE = 32, N_REGS = 32 };
#define SHARED_BASE 0x10000000u

static uint32_t all_lanes(const struct qsm_sm *sm) { return UINT32_MAX >> (32 - sm->n_lanes); }
static uint32_t warp_line(uint32_t i, uint32_t line) {
  return QSM_IMAGE_HEADER_LINES + WARP_LINES * i + line;
}
static uint32_t shared_line(const struct qsm_sm *sm, uint32_t row) {
  return QSM_IMAGE_HEADER_LINES + WARP_LINES * qsm_save_desc(sm)->warps + row;
}

struct qsm_save_place qsm_save_find(const struct qsm_sm *sm, uint32_t i) {
  struct qsm_subcore *sc = sm->sub[(sm->launch.tb[sm->save.tb].first + i) % sm->n_subs];
  for (uint32_t warps = sc->states.resident; warps; warps &= warps - 1) {
    uint32_t w = qsm_ctz(warps);
    if (sc->warp[w].state.tb == sm->save.tb && sc->warp[w].state.widx == i)
      return (struct qsm_save_place){sc, w};
  }
  return (struct qsm_save_place){0};
}

static const struct qsm_warp_state *state_of(const struct qsm_save_place *at) {
  return &at->sc->warp[at->warp].state;
}

// ---- The choice: what the phase wants next, of which warp, without operands ----

static void want(struct qsm_save_step *step, uint32_t kind, uint32_t warp, uint32_t reg) {
  step->valid = true;  // if the warp is there
  step->kind = (uint8_t)kind;
  step->reg = (uint8_t)reg;
  step->warp = warp;
}

static void want_saved_state(struct qsm_tb_save *save) {
  bool set = save->on_split || save->rest || save->dead;
  want(&save->step, set ? QSM_STEP_SET : QSM_STEP_ST, save->i,
       save->second ? QSM_SAVE_STATE_REG : QSM_SAVE_PC_REG);
  if (!save->known) save->step.valid = false;
  save->step.of_lane = !save->on_split && save->rest;
}

static void want_restored_state(struct qsm_tb_save *save) {
  static const struct {
    uint8_t kind, reg;
  } parts[] = {{QSM_STEP_LD, QSM_SAVE_PC_REG},
               {QSM_STEP_LD, QSM_SAVE_STATE_REG},
               {QSM_STEP_JMP, QSM_SAVE_PC_REG},
               {QSM_STEP_LD, QSM_SAVE_STATE_REG},
               {QSM_STEP_LD, QSM_SAVE_PC_REG}};
  want(&save->step, parts[save->part].kind, save->i, parts[save->part].reg);
}

static void want_shared(struct qsm_tb_save *save) {
  bool saving = save->op == QSM_TB_SAVE, to_image = saving == (save->part == 1);
  uint32_t kind =
      to_image ? (saving ? QSM_STEP_ST : QSM_STEP_LD) : (saving ? QSM_STEP_LDS : QSM_STEP_STS);
  want(&save->step, kind, save->i, QSM_SAVE_PC_REG);
}

static void want_header(struct qsm_tb_save *save) {
  if (save->op != QSM_TB_RESTORE)
    want(&save->step, save->part % 2 ? QSM_STEP_ST : QSM_STEP_SET, save->first, QSM_SAVE_PC_REG);
  else if (save->part < QSM_IMAGE_HEADER_LINES)
    want(&save->step, QSM_STEP_LD, 0, QSM_SAVE_PC_REG - save->part);
}

static void want_step(struct qsm_tb_save *save) {
  bool saving = save->op != QSM_TB_RESTORE;
  save->step = (struct qsm_save_step){.warp = save->i};
  switch (save->phase) {
    case QSM_PHASE_FIND: break;
    case QSM_PHASE_REGISTERS:
      want(&save->step, saving ? QSM_STEP_ST : QSM_STEP_LD, save->i, save->reg);
      break;
    case QSM_PHASE_STATE:
      if (saving)
        want_saved_state(save);
      else
        want_restored_state(save);
      break;
    case QSM_PHASE_FINISHED:
      want(&save->step, save->part ? QSM_STEP_ST : QSM_STEP_SET, save->first, QSM_SAVE_STATE_REG);
      break;
    case QSM_PHASE_SHARED: want_shared(save); break;
    default: want_header(save); break;
  }
}

static void choose(struct qsm_sm *sm) {
  struct qsm_tb_save *save = &sm->save;
  want_step(save);
  save->step.at = qsm_save_find(sm, save->step.warp);
  save->found = save->step.at.sc;
  if (save->phase == QSM_PHASE_FINISHED &&
      save->part) {  // a step of f, for a warp that is not there
    save->found = qsm_save_find(sm, save->i).sc;
    save->step.valid = !save->found;
  } else if (!save->found) {
    save->step.valid = false;
  }
  save->chosen = true;
}

// ---- The cycle after the choice: operands ----

static uint32_t row_mask(const struct qsm_sm *sm, uint32_t row) {
  uint32_t left = qsm_save_desc(sm)->shared_bytes - row * sm->line_bytes, lanes = (left + 3) / 4;
  return lanes >= sm->n_lanes ? all_lanes(sm) : (1u << lanes) - 1;
}

static uint32_t line_of(const struct qsm_sm *sm) {
  const struct qsm_tb_save *save = &sm->save;
  switch (save->phase) {
    case QSM_PHASE_REGISTERS: return warp_line(save->i, save->reg);
    case QSM_PHASE_FINISHED: return warp_line(save->i, LAST_LINE);
    case QSM_PHASE_SHARED: return shared_line(sm, save->row);
    case QSM_PHASE_HEADER: return save->op == QSM_TB_RESTORE ? save->part : save->part / 2;
    default: break;
  }
  if (save->op != QSM_TB_RESTORE) return warp_line(save->i, save->second ? LAST_LINE : 0);
  const uint32_t lines[] = {0, LAST_LINE, 0, QSM_SAVE_STATE_REG, QSM_SAVE_PC_REG};
  return warp_line(save->i, lines[save->part]);
}

static void set_operands(struct qsm_sm *sm, struct qsm_save_step *step) {
  const struct qsm_tb_save *save = &sm->save;
  const struct qsm_tb_slot *tb = &sm->launch.tb[save->tb];
  const struct qsm_warp_state *state = state_of(&step->at);
  step->mask = all_lanes(sm);
  if (step->kind != QSM_STEP_SET || save->phase == QSM_PHASE_FINISHED) return;
  if (save->phase == QSM_PHASE_HEADER) {
    const uint32_t values[] = {tb->block[0] | tb->block[1] << 16, tb->block[2], tb->linear};
    step->value = values[save->part / 2];
  } else if (save->on_split) {  // which does not change until the step is done
    step->of_split = true;
    step->value = save->second ? (uint32_t)QSM_SAVED_LIVE + state->split_depth : state->split_pc;
    step->mask = state->split_mask;
  } else if (save->rest) {
    step->mask = save->rest & -save->rest;
  } else {
    step->mask &= ~state->live;
  }
}

static void complete(struct qsm_sm *sm, struct qsm_save_step *step) {
  bool shared = step->kind == QSM_STEP_STS || step->kind == QSM_STEP_LDS;
  set_operands(sm, step);
  if (shared) {
    step->value = SHARED_BASE + sm->line_bytes * sm->save.row;
    step->mask = row_mask(sm, sm->save.row);
  } else if (step->kind == QSM_STEP_ST || step->kind == QSM_STEP_LD) {
    step->value = sm->save.base + sm->line_bytes * line_of(sm);
  }
  step->whole = !step->of_lane;
}

// The value of its lane, in the cycle after its read of the lane store; seen from the next on.
static void read_lane(const struct qsm_sm *sm, struct qsm_save_step *step, uint64_t c) {
  struct qsm_subcore *sc = step->at.sc;
  if (!sc->states.step_read) {
    qsm_warp_ask(sc, c);
    return;
  }
  uint32_t at_lane = step->at.warp * sm->n_lanes + qsm_ctz(step->mask);
  bool waits = state_of(&step->at)->bar & step->mask;
  step->value = step->reg == QSM_SAVE_PC_REG ? sc->states.lane_pc[at_lane]
                                             : (waits ? QSM_SAVED_AT_BARRIER : 0u) +
                                                   QSM_SAVED_LIVE + sc->states.lane_depth[at_lane];
  step->whole = true;
}

// ---- The cycle after the choice: the place behind it ----

// The next warp; true if that was the last one.
static bool was_last_warp(struct qsm_sm *sm) {
  sm->save.known = false;
  if (++sm->save.i < qsm_save_desc(sm)->warps) return false;
  sm->save.i = 0;
  return true;
}

static void after_registers(struct qsm_sm *sm) {
  uint32_t end = sm->save.op == QSM_TB_RESTORE ? QSM_SAVE_STATE_REG
                                               : N_REGS;  // the state phase restores the last two
  if (was_last_warp(sm) && ++sm->save.reg == end) qsm_tb_save_next_phase(sm);
}

static void after_saved_state(struct qsm_sm *sm) {
  struct qsm_tb_save *save = &sm->save;
  bool stores = !(save->on_split || save->rest || save->dead);
  if (!save->found || (save->known && stores && save->second)) {
    if (was_last_warp(sm)) qsm_tb_save_next_phase(sm);
    save->second = false;
    return;
  }
  if (!save->known) {
    const struct qsm_warp_state *state = state_of(&save->step.at);
    save->known = true;
    save->on_split = save->step.at.sc->states.split_valid >> save->step.at.warp & 1;
    save->rest = state->live;
    save->dead = state->live != all_lanes(sm);
    return;
  }
  save->second = !save->second;
  if (save->second) return;
  if (save->on_split)
    save->on_split = false;  // its lanes leave `rest` when the steps are done
  else if (save->rest)
    save->rest &= save->rest - 1;
  else
    save->dead = false;
}

// A round of rows goes through warps i = 0 .. i_end - 1 twice.
static void after_shared(struct qsm_sm *sm) {
  struct qsm_tb_save *save = &sm->save;
  uint32_t end = qsm_save_n_rows(sm);
  if (save->found) save->row++;
  save->i++;
  if (save->part == 0 && (save->i == qsm_save_desc(sm)->warps || save->row == end)) {
    save->part = 1;
    save->i_end = save->i;
    save->i = 0;
    save->row = save->row_begin;
  } else if (save->part == 1 && save->i == save->i_end) {
    save->part = 0;
    save->i = 0;
    save->row_begin = save->row;
    if (save->row == end) qsm_tb_save_next_phase(sm);
  }
}

// The end of a restore's header: lane 0 of warp 0 has the block's index.
static bool take_header(struct qsm_sm *sm, bool arrives) {
  const struct qsm_save_place at = sm->save.step.at;
  if (at.sc->warp[at.warp].sb.valid || arrives) return false;
  uint32_t xy = *qsm_reg(at.sc, sm->n_lanes, at.warp, QSM_SAVE_PC_REG),
           z = *qsm_reg(at.sc, sm->n_lanes, at.warp, QSM_SAVE_STATE_REG),
           linear = *qsm_reg(at.sc, sm->n_lanes, at.warp, QSM_SAVE_LINEAR_REG);
  const uint32_t block[3] = {xy & 0xFFFF, xy >> 16, z & 0xFFFF};
  qsm_tb_launch_set_index(&sm->launch, sm->save.tb, block, linear);
  return true;
}

// False: it stays there.
static bool after_header(struct qsm_sm *sm, bool arrives) {
  struct qsm_tb_save *save = &sm->save;
  bool saving = save->op != QSM_TB_RESTORE;
  if (!saving && save->part == QSM_IMAGE_HEADER_LINES && !take_header(sm, arrives)) return false;
  if (++save->part == (saving ? 6 : QSM_IMAGE_HEADER_LINES + 1)) qsm_tb_save_next_phase(sm);
  return true;
}

static void after_find(struct qsm_sm *sm) {
  struct qsm_tb_save *save = &sm->save;
  if (!save->found) {
    save->i++;
    return;
  }
  save->first = save->i;
  qsm_tb_save_next_phase(sm);
}

static bool go_on(struct qsm_sm *sm, bool arrives) {
  struct qsm_tb_save *save = &sm->save;
  bool saving = save->op != QSM_TB_RESTORE;
  switch (save->phase) {
    case QSM_PHASE_FIND: after_find(sm); break;
    case QSM_PHASE_REGISTERS: after_registers(sm); break;
    case QSM_PHASE_STATE:
      if (saving)
        after_saved_state(sm);
      else if (was_last_warp(sm) && ++save->part == 5)
        qsm_tb_save_next_phase(sm);
      break;
    case QSM_PHASE_FINISHED:
      if (save->part == 0)
        save->part = 1;
      else if (was_last_warp(sm))
        qsm_tb_save_next_phase(sm);
      break;
    case QSM_PHASE_SHARED: after_shared(sm); break;
    default: return after_header(sm, arrives);
  }
  return true;
}

// ---- The step that waits ----

// Registers and entry, at the start of the cycle before the step: as the block is frozen, they stay
// free.
static bool is_ready(const struct qsm_sm *sm, const struct qsm_save_step *step) {
  const struct qsm_scoreboard *sb = &step->at.sc->warp[step->at.warp].sb;
  if (step->kind == QSM_STEP_JMP)
    return !(sb->pending & (1u << QSM_SAVE_PC_REG | 1u << QSM_SAVE_STATE_REG));
  return !(sb->pending >> step->reg & 1) && sb->valid != sm->sb_full;
}

static bool may_inject(const struct qsm_save_step *step) {
  if (!step->whole || !step->ready) return false;
  if (step->kind == QSM_STEP_JMP) return true;
  return step->kind == QSM_STEP_SET ? !qsm_subcore_claimed(step->at.sc)
                                    : step->at.sc->mem_credit != 0;
}

static void inject(struct qsm_sm *sm, const struct qsm_save_step *step, uint64_t c) {
  struct qsm_injection *injection = &sm->save.injection;
  *injection = (struct qsm_injection){.warp = (uint8_t)step->at.warp,
                                      .step = step->kind,
                                      .reg = step->reg,
                                      .pc = step->value,
                                      .mask = step->mask};
  switch (step->kind) {
    case QSM_STEP_SET:
      injection->insn =
          (struct qsm_insn){.op = QSM_OP_AUIPC, .rd = step->reg, .need = QSM_NEED_ENTRY};
      break;
    case QSM_STEP_JMP:
      injection->insn =
          (struct qsm_insn){.op = QSM_OP_JALR, .rs1 = QSM_SAVE_PC_REG, .rs2 = QSM_SAVE_STATE_REG};
      break;
    case QSM_STEP_ST:
    case QSM_STEP_STS:
      injection->insn =
          (struct qsm_insn){.op = QSM_OP_SW, .rs2 = step->reg & 31u, .need = QSM_NEED_ENTRY};
      break;
    default:
      injection->insn = (struct qsm_insn){.op = QSM_OP_LW, .rd = step->reg, .need = QSM_NEED_ENTRY};
      break;
  }
  qsm_subcore_inject(step->at.sc, injection, c);
}

// Does the step that waits, if its conditions hold.
static void serve(struct qsm_sm *sm, uint64_t c) {
  struct qsm_tb_save *save = &sm->save;
  struct qsm_save_step *step = &save->step;
  if (!step->valid) return;
  if (may_inject(step)) {
    inject(sm, step, c);
    step->valid = false;
    if (step->of_split) save->rest &= ~step->mask;
    return;
  }
  step->ready = is_ready(sm, step);
  if (!save->chosen && !step->whole) read_lane(sm, step, c);
}

void qsm_save_step(struct qsm_sm *sm, bool arrives, uint64_t c) {
  struct qsm_tb_save *save = &sm->save;
  serve(sm, c);
  if (save->phase == QSM_PHASE_WAIT) return;
  if (save->chosen) {
    if (save->step.valid) complete(sm, &save->step);
    save->chosen = !go_on(sm, arrives);
  } else if (!save->step.valid) {
    choose(sm);
  }
}

bool qsm_save_uses_base(const struct qsm_tb_save *save) {
  bool saving = save->op != QSM_TB_RESTORE;
  uint32_t last_part = saving ? 6 : QSM_IMAGE_HEADER_LINES;
  switch (save->phase) {
    case QSM_PHASE_IDLE:
    case QSM_PHASE_WAIT: return false;
    case QSM_PHASE_HEADER: return save->part < last_part || !(saving || save->fresh);
    case QSM_PHASE_STATE: return saving || save->part != 4;
    default: return true;
  }
}
