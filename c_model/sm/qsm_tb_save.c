// SPDX-License-Identifier: Apache-2.0
// The sequencer that saves, flushes and restores a thread block: docs/preemption.md, R-PE-12 ..
// R-PE-21. It decides at the start of a cycle, before the sub-cores step, and gives one of them an
// instruction to issue; what the cycle's end brings waits for the end.
#include "qsm_tb_save.h"

enum at_end { AT_END_NOTHING, AT_END_EVICT, AT_END_STOP };

static uint32_t image_bytes(const struct qsm_sm *sm) {
  return qsm_config_image_bytes(sm->shared->config, qsm_save_desc(sm)->warps,
                                qsm_save_desc(sm)->shared_bytes);
}

// ---- Freeze and thaw ----

static bool launching(const struct qsm_sm *sm) {
  for (uint32_t n = 0; n < sm->launch_count; n++) {
    if (sm->launch_queue[(sm->launch_head + n) % QSM_MAX_TBS] == sm->save.tb) return true;
  }
  return false;
}

static void freeze(struct qsm_sm *sm, uint64_t from) {
  for (uint32_t i = 0; i < sm->n_subs; i++) {
    struct qsm_subcore *sc = sm->sub[i];
    sc->frozen = 0;
    for (uint32_t warps = sc->resident; warps; warps &= warps - 1) {
      uint32_t w = qsm_ctz(warps);
      if (sc->warp[w].tb != sm->save.tb) continue;
      qsm_subcore_wake(sc, from);
      sc->frozen |= 1u << w;
      qsm_subcore_refresh(sc, w, from);
    }
  }
}

void qsm_tb_save_begin(struct qsm_sm *sm, const struct qsm_sm_msg *msg) {
  struct qsm_tb_save *save = &sm->save;
  if (!sm->tb[msg->tb].valid) return;  // it has retired, in this cycle at the latest
  *save = (struct qsm_tb_save){
      .op = msg->op,
      .phase = msg->image ? QSM_PHASE_ADDRESS : QSM_PHASE_QUIET,
      .tb = msg->tb,
      .image = msg->image,
      .fresh = msg->fresh,
      .base = sm->shared->save_base[msg->kernel],
      .n_to_add = msg->image,
  };
  freeze(sm, msg->cycle + 1);
  qsm_sm_update_presence(sm, msg->cycle + 1);
}

void qsm_tb_save_stop(struct qsm_sm *sm, uint64_t from) {
  sm->save.op = QSM_TB_NEW;
  sm->save.phase = QSM_PHASE_IDLE;
  for (uint32_t i = 0; i < sm->n_subs; i++) {
    struct qsm_subcore *sc = sm->sub[i];
    uint32_t thawed = sc->frozen & sc->resident;
    sc->frozen = 0;
    if (thawed) qsm_subcore_wake(sc, from);
    for (; thawed; thawed &= thawed - 1) qsm_subcore_refresh(sc, qsm_ctz(thawed), from);
  }
  qsm_sm_update_tb(sm, sm->save.tb);
  qsm_sm_update_presence(sm, from);
}

// ---- Phases ----

static enum qsm_save_phase phase_after(const struct qsm_sm *sm) {
  const struct qsm_tb_save *save = &sm->save;
  bool saving = save->op != QSM_TB_RESTORE;
  switch (save->phase) {
    case QSM_PHASE_ADDRESS: return QSM_PHASE_QUIET;
    case QSM_PHASE_QUIET: return saving ? QSM_PHASE_FIND : QSM_PHASE_HEADER;
    case QSM_PHASE_FIND: return save->op == QSM_TB_SAVE ? QSM_PHASE_REGISTERS : QSM_PHASE_HEADER;
    case QSM_PHASE_REGISTERS: return QSM_PHASE_STATE;
    case QSM_PHASE_STATE: return saving ? QSM_PHASE_FINISHED : QSM_PHASE_WAIT;
    case QSM_PHASE_FINISHED: return QSM_PHASE_SHARED;
    case QSM_PHASE_SHARED: return saving ? QSM_PHASE_HEADER : QSM_PHASE_REGISTERS;
    default: return saving || save->fresh ? QSM_PHASE_WAIT : QSM_PHASE_SHARED;  // header
  }
}

void qsm_tb_save_next_phase(struct qsm_sm *sm) {
  struct qsm_tb_save *save = &sm->save;
  save->phase = (uint8_t)phase_after(sm);
  if (save->phase == QSM_PHASE_SHARED && qsm_save_n_rows(sm) == 0)
    save->phase = (uint8_t)phase_after(sm);
  save->i = 0;
  save->part = 0;
  save->reg = 1;
  save->row = 0;
  save->row_begin = 0;
  if (save->phase == QSM_PHASE_STATE) qsm_save_begin_state(sm);
}

// R-PE-15.
static bool warp_is_quiet(const struct qsm_subcore *sc, uint32_t w) {
  bool may_run = sc->warp[w].live & ~sc->warp[w].bar;
  bool fetched = (sc->path_valid >> w & 1) && sc->warp[w].ibuf_count;
  return sc->warp[w].sb.valid == 0 && sc->warp[w].live && (fetched || !may_run);
}

static bool is_quiet(const struct qsm_sm *sm) {
  const struct qsm_tb_slot *tb = &sm->tb[sm->save.tb];
  if (launching(sm)) return false;
  if (sm->save.op == QSM_TB_RESTORE) return true;
  if (tb->left == 0 || (tb->arrived && tb->arrived == tb->left)) return false;
  for (uint32_t i = 0; i < sm->n_subs; i++) {
    const struct qsm_subcore *sc = sm->sub[i];
    for (uint32_t warps = sc->frozen & sc->resident; warps; warps &= warps - 1) {
      if (!warp_is_quiet(sc, qsm_ctz(warps))) return false;
    }
  }
  return true;
}

static bool scoreboards_are_empty(const struct qsm_sm *sm) {
  for (uint32_t i = 0; i < sm->n_subs; i++) {
    const struct qsm_subcore *sc = sm->sub[i];
    for (uint32_t warps = sc->frozen & sc->resident; warps; warps &= warps - 1) {
      if (sc->warp[qsm_ctz(warps)].sb.valid) return false;
    }
  }
  return true;
}

// ---- A cycle ----

static void send_restored(struct qsm_sm *sm, uint64_t c) {
  sm->out.restored = true;
  sm->out.restored_at = c;
  QSM_EMIT(sm, c, QSM_EV_RESUMED, 0, sm->save.tb);
}

static void stop_at_end(struct qsm_sm *sm, uint64_t c) {
  if (sm->save.op == QSM_TB_RESTORE) send_restored(sm, c);
  sm->save.at_end = AT_END_STOP;
}

static void add_image_size(struct qsm_sm *sm) {
  sm->save.base += image_bytes(sm);
  if (--sm->save.n_to_add == 0) qsm_tb_save_next_phase(sm);
}

static void step_find(struct qsm_sm *sm) {
  struct qsm_tb_save *save = &sm->save;
  if (!qsm_save_find(sm, save->i).sc) {
    save->i++;
    return;
  }
  save->first = save->i;
  qsm_tb_save_next_phase(sm);
}

// The end of a restore's header: lane 0 of warp 0 has the block's index.
static void take_header(struct qsm_sm *sm, const struct qsm_inbox *in) {
  const struct qsm_save_place at = qsm_save_find(sm, 0);
  if (at.sc->warp[at.warp].sb.valid || in->arrive) return;
  struct qsm_tb_slot *tb = &sm->tb[sm->save.tb];
  uint32_t xy = *qsm_reg(at.sc, sm->n_lanes, at.warp, QSM_SAVE_PC_REG);
  tb->block[0] = xy & 0xFFFF;
  tb->block[1] = xy >> 16;
  tb->block[2] = *qsm_reg(at.sc, sm->n_lanes, at.warp, QSM_SAVE_STATE_REG) & 0xFFFF;
  tb->linear = *qsm_reg(at.sc, sm->n_lanes, at.warp, QSM_SAVE_LINEAR_REG);
  qsm_tb_save_next_phase(sm);
}

static void wait_for_memory(struct qsm_sm *sm, uint64_t c) {
  if (sm->tb[sm->save.tb].saved || !scoreboards_are_empty(sm)) return;
  if (sm->save.op == QSM_TB_RESTORE)
    stop_at_end(sm, c);
  else
    sm->save.at_end = AT_END_EVICT;
}

void qsm_tb_save_decide(struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c) {
  struct qsm_tb_save *save = &sm->save;
  if (sm->killed >> sm->tb[save->tb].kernel & 1) {  // R-PE-20
    stop_at_end(sm, c);
    return;
  }
  switch (save->phase) {
    case QSM_PHASE_ADDRESS: add_image_size(sm); break;
    case QSM_PHASE_QUIET:
      if (is_quiet(sm)) qsm_tb_save_next_phase(sm);
      break;
    case QSM_PHASE_FIND: step_find(sm); break;
    case QSM_PHASE_WAIT: wait_for_memory(sm, c); break;
    case QSM_PHASE_HEADER:
      if (save->op == QSM_TB_RESTORE && save->part == QSM_IMAGE_HEADER_LINES)
        take_header(sm, in);
      else
        qsm_save_step(sm, c);
      break;
    default: qsm_save_step(sm, c); break;
  }
}

static void evict(struct qsm_sm *sm, uint64_t c) {
  uint32_t s = sm->save.tb;
  for (uint32_t i = 0; i < sm->n_subs; i++) qsm_warp_evict(sm->sub[i], s, c);
  sm->tb[s].arrived = 0;
  sm->tb[s].saved = true;
  qsm_sm_update_tb(sm, s);
}

// After everything else that the end of the cycle brings: the block has retired or arrived.
void qsm_tb_save_end(struct qsm_sm *sm, uint64_t c) {
  struct qsm_tb_save *save = &sm->save;
  if (save->at_end == AT_END_EVICT) evict(sm, c);
  if (save->at_end == AT_END_STOP) qsm_tb_save_stop(sm, c + 1);
  save->at_end = AT_END_NOTHING;
  if (save->op == save->reported_op && save->phase == save->reported_phase) return;
  save->reported_op = save->op;
  save->reported_phase = save->phase;
  QSM_EMIT(sm, c, QSM_EV_TBOP, 0, save->op, save->tb, save->phase);
}
