// SPDX-License-Identifier: Apache-2.0
// The sequencer that saves, flushes and restores a thread block: docs/preemption.md, R-PE-12 ..
// R-PE-21. It decides at the start of a cycle, before the sub-cores step, and gives one of them an
// instruction to issue; what the cycle's end brings waits for the end.
#include "qsm_tb_save.h"

#include "qsm_save_steps.h"
#include "qsm_sm_blocks.h"

enum at_end { AT_END_NOTHING, AT_END_EVICT, AT_END_STOP };

static uint32_t image_bytes(const struct qsm_sm *sm) {
  return qsm_config_image_bytes(sm->shared->config, qsm_save_desc(sm)->warps,
                                qsm_save_desc(sm)->shared_bytes);
}

// ---- Freeze and thaw ----

void qsm_tb_save_begin(struct qsm_sm *sm, const struct qsm_sm_msg *msg) {
  struct qsm_tb_save *save = &sm->save;
  if (!(sm->launch.valid >> msg->tb & 1)) return;  // it has retired, in this cycle at the latest
  *save = (struct qsm_tb_save){
      .op = msg->op,
      .phase = msg->image ? QSM_PHASE_ADDRESS : QSM_PHASE_QUIET,
      .tb = msg->tb,
      .image = msg->image,
      .fresh = msg->fresh,
      .base = sm->shared->save_base[msg->kernel],
      .n_to_add = msg->image,
  };
  for (uint32_t i = 0; i < sm->n_subs; i++) qsm_warp_freeze(sm->sub[i], msg->tb, msg->cycle + 1);
  qsm_tb_launch_update_presence(sm, msg->cycle + 1);
  qsm_quota_runnable_changed(sm, msg->cycle + 1);
}

void qsm_tb_save_stop(struct qsm_sm *sm, uint64_t from) {
  sm->save.op = QSM_TB_NEW;
  sm->save.phase = QSM_PHASE_IDLE;
  sm->save.step.valid = false;
  for (uint32_t i = 0; i < sm->n_subs; i++) qsm_warp_thaw(sm->sub[i], from);
  qsm_tb_launch_update_presence(sm, from);
  qsm_quota_runnable_changed(sm, from);
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
}

// R-PE-15.
static bool warp_is_quiet(const struct qsm_subcore *sc, uint32_t w) {
  bool may_run = sc->warp[w].state.live & ~sc->warp[w].state.bar;
  bool fetched = (sc->states.split_valid >> w & 1) && sc->warp[w].fetch.ibuf_count;
  return sc->warp[w].sb.valid == 0 && sc->warp[w].state.live && (fetched || !may_run);
}

static bool is_quiet(const struct qsm_sm *sm) {
  uint32_t tb = sm->save.tb;
  if (qsm_tb_launch_is_queued(&sm->launch, tb)) return false;
  if (sm->save.op == QSM_TB_RESTORE) return true;
  if (sm->barrier.left[tb] == 0 || qsm_barrier_is_complete(&sm->barrier, tb)) return false;
  for (uint32_t i = 0; i < sm->n_subs; i++) {
    const struct qsm_subcore *sc = sm->sub[i];
    for (uint32_t warps = sc->states.frozen & sc->states.resident; warps; warps &= warps - 1) {
      if (!warp_is_quiet(sc, qsm_ctz(warps))) return false;
    }
  }
  return true;
}

static bool scoreboards_are_empty(const struct qsm_sm *sm) {
  for (uint32_t i = 0; i < sm->n_subs; i++) {
    const struct qsm_subcore *sc = sm->sub[i];
    for (uint32_t warps = sc->states.frozen & sc->states.resident; warps; warps &= warps - 1) {
      if (sc->warp[qsm_ctz(warps)].sb.valid) return false;
    }
  }
  return true;
}

// ---- A cycle ----

static void send_restored(struct qsm_sm *sm, uint64_t c) {
  qsm_sm_send_restored(sm, c);
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

static void wait_for_memory(struct qsm_sm *sm, uint64_t c) {
  if (sm->launch.tb[sm->save.tb].saved || !scoreboards_are_empty(sm)) return;
  if (sm->save.op == QSM_TB_RESTORE)
    stop_at_end(sm, c);
  else
    sm->save.at_end = AT_END_EVICT;
}

void qsm_tb_save_decide(struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c) {
  struct qsm_tb_save *save = &sm->save;
  if (sm->faults.killed >> sm->launch.tb[save->tb].kernel & 1) {  // R-PE-20
    stop_at_end(sm, c);
    return;
  }
  switch (save->phase) {
    case QSM_PHASE_ADDRESS: add_image_size(sm); break;
    case QSM_PHASE_QUIET:
      if (is_quiet(sm)) qsm_tb_save_next_phase(sm);
      break;
    case QSM_PHASE_WAIT:
      if (save->step.valid)
        qsm_save_step(sm, in->arrive, c);
      else
        wait_for_memory(sm, c);
      break;
    default: qsm_save_step(sm, in->arrive, c); break;
  }
}

static void evict(struct qsm_sm *sm, uint64_t c) {
  uint32_t s = sm->save.tb;
  for (uint32_t i = 0; i < sm->n_subs; i++) qsm_warp_evict(sm->sub[i], s, c);
  qsm_barrier_clear(&sm->barrier, s);
  qsm_tb_launch_note_saved(&sm->launch, s);
}

// Called after all other updates at the end of the cycle: the block has retired or arrived by then.
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

// ---- State and flips ----

bool qsm_tb_save_word(const struct qsm_tb_save *save, uint32_t word, uint32_t *value) {
  const uint32_t words[] = {
      save->op | (uint32_t)save->phase << 4,
      save->op ? save->tb | (uint32_t)save->image << 8 | (uint32_t)save->fresh << 16 : 0,
      save->op ? save->base : 0};
  return qsm_give_word(word, words, 3, value);
}

// The image's address, while the sequencer still has a line to move.
bool qsm_tb_save_flip(struct qsm_flip *flip, struct qsm_sm *sm) {
  if (!qsm_save_uses_base(&sm->save)) return false;
  qsm_flip_bit(flip, &sm->save.base, 12 + qsm_flip_draw(flip, 12), "base of image", sm->save.image);
  return true;
}
