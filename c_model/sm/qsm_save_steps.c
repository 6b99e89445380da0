// SPDX-License-Identifier: Apache-2.0
// The steps of a phase of the sequencer: which is next, when it may be done, and the instruction
// that it injects (docs/preemption.md, R-PE-16 .. R-PE-18).
#include "qsm_save_steps.h"

#include "qsm_sm_blocks.h"

enum { WARP_LINES = 33, LAST_LINE = 32, N_REGS = 32 };
#define SHARED_BASE 0x10000000u

// What a step does; the numbers are INJECT's.
enum { STEP_PAUSE = QSM_STEP_COUNT };  // in place of a step: nothing in this cycle

struct step {
  uint32_t kind;  // enum qsm_step or STEP_PAUSE
  uint32_t warp;  // of the block
  uint32_t reg;
  uint32_t value;  // ST, LD: line of the image; STS, LDS: row of shared memory; SET: the value
  uint32_t mask;   // SET
  bool of_lane;    // SET: the value comes from the lane store
};

// Parts of the state phase of a save, for each warp.
enum state_part {
  PART_SPLIT_PC,
  PART_SPLIT_STATE,
  PART_LANE_PC,
  PART_LANE_STATE,
  PART_DEAD_PC,
  PART_DEAD_STATE,
  PART_STORE_PC,
  PART_STORE_STATE,
  PART_ABSENT
};

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
    if (sc->warp[w].state.tb == sm->save.tb && sc->warp[w].state.widx == i &&
        sc->warp[w].state.live)
      return (struct qsm_save_place){sc, w};
  }
  return (struct qsm_save_place){0};
}

// ---- The state of a warp that is saved ----

static uint32_t first_state_part(const struct qsm_sm *sm) {
  const struct qsm_save_place at = qsm_save_find(sm, sm->save.i);
  if (!at.sc) return PART_ABSENT;
  return at.sc->states.split_valid >> at.warp & 1 ? PART_SPLIT_PC : PART_LANE_PC;
}

// Live lanes, from save->lane on, that are not on the warp's split.
static uint32_t lanes_left(const struct qsm_tb_save *save, const struct qsm_save_place *at) {
  uint32_t on_split =
      at->sc->states.split_valid >> at->warp & 1 ? at->sc->warp[at->warp].state.split_mask : 0;
  return at->sc->warp[at->warp].state.live & ~on_split & (uint32_t)(~UINT64_C(0) << save->lane);
}

// Skips parts of the warp's state that need no step.
static void settle_state(struct qsm_sm *sm) {
  struct qsm_tb_save *save = &sm->save;
  const struct qsm_save_place at = qsm_save_find(sm, save->i);
  if (!at.sc) return;
  if (save->part == PART_LANE_PC) {
    uint32_t left = lanes_left(save, &at);
    if (left)
      save->lane = qsm_ctz(left);
    else
      save->part = PART_DEAD_PC;
  }
  if (save->part == PART_DEAD_PC && at.sc->warp[at.warp].state.live == all_lanes(sm))
    save->part = PART_STORE_PC;
}

void qsm_save_begin_state(struct qsm_sm *sm) {
  if (sm->save.op == QSM_TB_RESTORE) return;
  sm->save.lane = 0;
  sm->save.part = first_state_part(sm);
  settle_state(sm);
}

// ---- Steps: what the phase wants next ----

static struct step store_to(uint32_t warp, uint32_t reg, uint32_t line) {
  return (struct step){.kind = QSM_STEP_ST, .warp = warp, .reg = reg, .value = line};
}

static struct step load_from(uint32_t warp, uint32_t reg, uint32_t line) {
  return (struct step){.kind = QSM_STEP_LD, .warp = warp, .reg = reg, .value = line};
}

static struct step set(uint32_t warp, uint32_t reg, uint32_t value, uint32_t mask, bool of_lane) {
  return (struct step){.kind = QSM_STEP_SET,
                       .warp = warp,
                       .reg = reg,
                       .value = value,
                       .mask = mask,
                       .of_lane = of_lane};
}

static struct step step_of_saved_state(const struct qsm_sm *sm) {
  const struct qsm_tb_save *save = &sm->save;
  const struct qsm_save_place at = qsm_save_find(sm, save->i);
  if (!at.sc) return (struct step){.kind = STEP_PAUSE};
  uint32_t w = at.warp, l = save->lane, dead = all_lanes(sm) & ~at.sc->warp[w].state.live,
           at_lane = w * sm->n_lanes + l;
  uint32_t bar = at.sc->warp[w].state.bar >> l & 1 ? QSM_SAVED_AT_BARRIER : 0;
  switch ((enum state_part)save->part) {
    case PART_SPLIT_PC:
      return set(save->i, QSM_SAVE_PC_REG, at.sc->warp[w].state.split_pc,
                 at.sc->warp[w].state.split_mask, false);
    case PART_SPLIT_STATE:
      return set(save->i, QSM_SAVE_STATE_REG, QSM_SAVED_LIVE + at.sc->warp[w].state.split_depth,
                 at.sc->warp[w].state.split_mask, false);
    case PART_LANE_PC:
      return set(save->i, QSM_SAVE_PC_REG, at.sc->states.lane_pc[at_lane], 1u << l, true);
    case PART_LANE_STATE:
      return set(save->i, QSM_SAVE_STATE_REG,
                 bar + QSM_SAVED_LIVE + at.sc->states.lane_depth[at_lane], 1u << l, true);
    case PART_DEAD_PC: return set(save->i, QSM_SAVE_PC_REG, 0, dead, false);
    case PART_DEAD_STATE: return set(save->i, QSM_SAVE_STATE_REG, 0, dead, false);
    case PART_STORE_PC: return store_to(save->i, QSM_SAVE_PC_REG, warp_line(save->i, 0));
    default: return store_to(save->i, QSM_SAVE_STATE_REG, warp_line(save->i, LAST_LINE));
  }
}

static struct step step_of_restored_state(const struct qsm_tb_save *save) {
  switch (save->part) {
    case 0: return load_from(save->i, QSM_SAVE_PC_REG, warp_line(save->i, 0));
    case 1: return load_from(save->i, QSM_SAVE_STATE_REG, warp_line(save->i, LAST_LINE));
    case 2: return (struct step){.kind = QSM_STEP_JMP, .warp = save->i, .reg = QSM_SAVE_PC_REG};
    case 3: return load_from(save->i, QSM_SAVE_STATE_REG, warp_line(save->i, QSM_SAVE_STATE_REG));
    default: return load_from(save->i, QSM_SAVE_PC_REG, warp_line(save->i, QSM_SAVE_PC_REG));
  }
}

static struct step step_of_finished(const struct qsm_sm *sm) {
  const struct qsm_tb_save *save = &sm->save;
  if (save->part == 0) return set(save->first, QSM_SAVE_STATE_REG, 0, all_lanes(sm), false);
  if (qsm_save_find(sm, save->i).sc) return (struct step){.kind = STEP_PAUSE};
  return store_to(save->first, QSM_SAVE_STATE_REG, warp_line(save->i, LAST_LINE));
}

static struct step step_of_shared(const struct qsm_sm *sm) {
  const struct qsm_tb_save *save = &sm->save;
  bool saving = save->op == QSM_TB_SAVE, to_image = saving == (save->part == 1);
  uint32_t kind =
      to_image ? (saving ? QSM_STEP_ST : QSM_STEP_LD) : (saving ? QSM_STEP_LDS : QSM_STEP_STS);
  return (struct step){.kind = kind,
                       .warp = save->i,
                       .reg = QSM_SAVE_PC_REG,
                       .value = to_image ? shared_line(sm, save->row) : save->row};
}

static struct step step_of_header(const struct qsm_sm *sm) {
  const struct qsm_tb_save *save = &sm->save;
  const struct qsm_tb_slot *tb = &sm->launch.tb[save->tb];
  if (save->op == QSM_TB_RESTORE) return load_from(0, QSM_SAVE_PC_REG - save->part, save->part);
  const uint32_t values[] = {tb->block[0] | tb->block[1] << 16, tb->block[2], tb->linear};
  uint32_t line = save->part / 2;
  return save->part % 2 ? store_to(save->first, QSM_SAVE_PC_REG, line)
                        : set(save->first, QSM_SAVE_PC_REG, values[line], all_lanes(sm), false);
}

static struct step next_step(const struct qsm_sm *sm) {
  const struct qsm_tb_save *save = &sm->save;
  bool saving = save->op != QSM_TB_RESTORE;
  uint32_t line = warp_line(save->i, save->reg);
  switch (save->phase) {
    case QSM_PHASE_REGISTERS:
      return saving ? store_to(save->i, save->reg, line) : load_from(save->i, save->reg, line);
    case QSM_PHASE_STATE: return saving ? step_of_saved_state(sm) : step_of_restored_state(save);
    case QSM_PHASE_FINISHED: return step_of_finished(sm);
    case QSM_PHASE_SHARED: return step_of_shared(sm);
    default: return step_of_header(sm);
  }
}

// ---- After a step ----

// The next warp; true if that was the last one.
static bool was_last_warp(struct qsm_sm *sm) {
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
  if (save->part == PART_STORE_STATE || save->part == PART_ABSENT) {
    if (was_last_warp(sm))
      qsm_tb_save_next_phase(sm);
    else
      qsm_save_begin_state(sm);
    return;
  }
  if (save->part == PART_LANE_STATE) {
    save->lane++;
    save->part = PART_LANE_PC;
  } else {
    save->part++;
  }
  settle_state(sm);
}

// A round of rows goes through warps i = 0 .. i_end - 1 twice.
static void after_shared(struct qsm_sm *sm, bool skipped) {
  struct qsm_tb_save *save = &sm->save;
  uint32_t end = qsm_save_n_rows(sm);
  if (!skipped) save->row++;
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

static void after_step(struct qsm_sm *sm, bool skipped) {
  struct qsm_tb_save *save = &sm->save;
  bool saving = save->op != QSM_TB_RESTORE;
  switch (save->phase) {
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
    case QSM_PHASE_SHARED: after_shared(sm, skipped); break;
    default:
      if (++save->part == 6 && saving)
        qsm_tb_save_next_phase(sm);  // a restore waits for what the header's loads bring
      break;
  }
}

// ---- Injection ----

static bool may_inject(const struct qsm_sm *sm, const struct step *step,
                       const struct qsm_save_place *at) {
  struct qsm_subcore *sc = at->sc;
  const struct qsm_scoreboard *sb = &sc->warp[at->warp].sb;
  if (step->kind == QSM_STEP_JMP)
    return !(sb->pending & (1u << QSM_SAVE_PC_REG | 1u << QSM_SAVE_STATE_REG));
  if ((sb->pending >> step->reg & 1) || sb->valid == sm->sb_full) return false;
  if (step->kind != QSM_STEP_SET) return sc->mem_credit != 0;
  bool may_read = !step->of_lane || qsm_split_select_asked(&sc->states);
  return may_read && !qsm_subcore_claimed(sc);
}

static uint32_t row_mask(const struct qsm_sm *sm, uint32_t row) {
  uint32_t left = qsm_save_desc(sm)->shared_bytes - row * sm->line_bytes, lanes = (left + 3) / 4;
  return lanes >= sm->n_lanes ? all_lanes(sm) : (1u << lanes) - 1;
}

static void inject(struct qsm_sm *sm, const struct step *step, const struct qsm_save_place *at,
                   uint64_t c) {
  struct qsm_injection *injection = &sm->save.injection;
  bool shared = step->kind == QSM_STEP_STS || step->kind == QSM_STEP_LDS,
       stores = step->kind == QSM_STEP_ST || step->kind == QSM_STEP_STS;
  *injection = (struct qsm_injection){.warp = (uint8_t)at->warp,
                                      .step = (uint8_t)step->kind,
                                      .reg = (uint8_t)step->reg,
                                      .mask = all_lanes(sm)};
  if (step->kind == QSM_STEP_SET) {
    injection->insn =
        (struct qsm_insn){.op = QSM_OP_AUIPC, .rd = (uint8_t)step->reg, .need = QSM_NEED_ENTRY};
    injection->pc = step->value;
    injection->mask = step->mask;
  } else if (step->kind == QSM_STEP_JMP) {
    injection->insn =
        (struct qsm_insn){.op = QSM_OP_JALR, .rs1 = QSM_SAVE_PC_REG, .rs2 = QSM_SAVE_STATE_REG};
  } else {
    injection->insn =
        stores
            ? (struct qsm_insn){.op = QSM_OP_SW, .rs2 = step->reg & 31, .need = QSM_NEED_ENTRY}
            : (struct qsm_insn){.op = QSM_OP_LW, .rd = (uint8_t)step->reg, .need = QSM_NEED_ENTRY};
    injection->pc = (shared ? SHARED_BASE : sm->save.base) + sm->line_bytes * step->value;
    if (shared) injection->mask = row_mask(sm, step->value);
  }
  qsm_subcore_inject(at->sc, injection, c);
}

void qsm_save_step(struct qsm_sm *sm, uint64_t c) {
  const struct step step = next_step(sm);
  if (step.kind == STEP_PAUSE) {
    after_step(sm, true);
    return;
  }
  const struct qsm_save_place at = qsm_save_find(sm, step.warp);
  if (at.sc && !may_inject(sm, &step, &at)) return;
  if (at.sc) inject(sm, &step, &at, c);
  after_step(sm, !at.sc);
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
