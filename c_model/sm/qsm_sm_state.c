// SPDX-License-Identifier: Apache-2.0
// The SM's state as others see it: registers read by the GPU level, state for comparison (R-LK-3),
// injected faults.
#include "qsm_sm_state.h"

#include <stdio.h>
#include <string.h>

#include "qsm_regs.h"
#include "qsm_sm_blocks.h"

uint32_t qsm_sm_snap_insn(const struct qsm_sm *sm, uint32_t kernel) {
  return sm->quota.snap_insn[kernel];
}
int32_t qsm_sm_snap_c(const struct qsm_sm *sm, uint32_t kernel) { return sm->quota.snap_c[kernel]; }
uint32_t qsm_sm_snap_idle(const struct qsm_sm *sm, uint32_t kernel) {
  return sm->idle_sampler.snap[kernel];
}
uint64_t qsm_sm_insns(const struct qsm_sm *sm, uint32_t kernel) {
  return sm->quota.total[kernel] & ((UINT64_C(1) << 40) - 1);
}
const struct qsm_fault *qsm_sm_fault(const struct qsm_sm *sm, uint32_t kernel) {
  return &sm->faults.record[kernel];
}

uint32_t qsm_sm_l1_counter(const struct qsm_sm *sm, uint32_t kernel, uint32_t counter) {
  return sm->l1 ? sm->l1->count[kernel][counter - QSM_L1_FIRST_COUNTER] : 0;
}

uint32_t qsm_sm_stall(const struct qsm_sm *sm, uint64_t cycle, uint32_t sub, uint32_t kernel,
                      uint32_t reason) {
  if (!sm->shared->config->stall_counters) return 0;
  return qsm_subcore_stalls(sm->sub[sub], cycle, kernel, reason);
}

// The counter that STALL_SELECT asks for.
static uint32_t selected_stall(const struct qsm_sm *sm, uint64_t cycle) {
  uint32_t select = sm->shared->stall_select;
  return qsm_sm_stall(sm, cycle, select >> QSM_REG_STALL_SELECT_SUBCORE_SHIFT,
                      (select & QSM_REG_STALL_SELECT_SLOT_MASK) >> QSM_REG_STALL_SELECT_SLOT_SHIFT,
                      select & QSM_REG_STALL_SELECT_REASON_MASK);
}

// The one that ENERGY_SELECT asks for.
static uint32_t selected_energy(const struct qsm_sm *sm) {
  uint32_t select = sm->shared->energy_select;
  return qsm_energy_counter(
      sm, (select & QSM_REG_ENERGY_SELECT_SLOT_MASK) >> QSM_REG_ENERGY_SELECT_SLOT_SHIFT,
      (enum qsm_energy_event)(select & QSM_REG_ENERGY_SELECT_WHAT_MASK));
}

void qsm_sm_figures(const struct qsm_sm *sm, uint64_t cycle, struct qsm_sm_figures *figures) {
  *figures = (struct qsm_sm_figures){0};
  figures->stall_value = selected_stall(sm, cycle);
  figures->energy_value = selected_energy(sm);
  figures->save_phase = sm->save.phase;
  for (uint32_t k = 0; k < sm->n_kernels; k++) {
    figures->quota[k] = sm->quota.quota[k];
    figures->snap_idle[k] = sm->idle_sampler.snap[k];
  }
  for (uint32_t s = 0; s < sm->n_subs; s++) {
    const struct qsm_qaws *qaws = &sm->sub[s]->sched.qaws;
    figures->qaws_front[s].budget = qaws->budget;
    figures->qaws_front[s].valid = qaws->valid;
    figures->qaws_front[s].ncs = qaws->ncs;
  }
}

// ---- state ----

bool qsm_give(bool exists, const uint32_t *at, uint32_t *value) {
  if (exists) *value = *at;
  return exists;
}

bool qsm_give_word(uint32_t word, const uint32_t *words, uint32_t n, uint32_t *value) {
  return qsm_give(word < n, words + (word < n ? word : 0), value);
}

static bool idle_word(const struct qsm_sm *sm, uint32_t k, uint32_t word, uint32_t *value) {
  const uint32_t words[] = {sm->idle_sampler.sum[k], sm->idle_sampler.snap[k]};
  return qsm_give_word(word, words, 2, value);
}

bool qsm_sm_state(const struct qsm_sm *sm, uint64_t cycle, enum qsm_state_kind kind, uint32_t sub,
                  uint32_t index, uint32_t word, uint32_t *value) {
  uint32_t n = sm->n_lanes;
  if (sub >= sm->n_subs) return false;
  const struct qsm_subcore *sc = sm->sub[sub];
  bool is_warp = index < sm->n_warps, is_lane = word < n;
  bool is_kernel = index < sm->n_kernels;
  switch (kind) {
    case QSM_STATE_REG:
      return qsm_give(index < sm->n_warps * 32 && is_lane, sc->regs + index * n + word, value);
    case QSM_STATE_SHARED: return qsm_lsu_shared_word(sm, cycle, index, word, value);
    case QSM_STATE_LANE_PC:
      return qsm_give(is_warp && is_lane, sc->states.lane_pc + index * n + word, value);
    case QSM_STATE_LANE_DEPTH:
      if (!is_warp || !is_lane) return false;
      *value = sc->states.lane_depth[index * n + word];
      return true;
    case QSM_STATE_WARP: return is_warp && qsm_warp_state_word(sc, index, word, value);
    case QSM_STATE_SPLIT_SELECT:
      return index == 0 && qsm_warp_select_word(&sc->states, word, value);
    case QSM_STATE_SCOREBOARD:
      return is_warp && word < QSM_MAX_SB && qsm_subcore_scoreboard_word(sc, index, word, value);
    case QSM_STATE_QUOTA: return qsm_quota_word(sm, cycle, index, word, value);
    case QSM_STATE_IDLE: return is_kernel && idle_word(sm, index, word, value);
    case QSM_STATE_TBS: return index < sm->n_tbs && qsm_tb_launch_word(sm, index, word, value);
    case QSM_STATE_TB_SAVE: return index == 0 && qsm_tb_save_word(&sm->save, word, value);
    case QSM_STATE_FAULT: return is_kernel && qsm_fault_word(&sm->faults, index, word, value);
    case QSM_STATE_STALL:
      if (!is_kernel || word >= QSM_STALL_COUNT) return false;
      *value = qsm_sm_stall(sm, cycle, sub, index, word);
      return true;
    case QSM_STATE_WRITE_BACK:
      if (index != 0 || word != 0) return false;
      *value = qsm_subcore_write_back_word(sc);
      return true;
    case QSM_STATE_L1:
    case QSM_STATE_L1_SET: return qsm_l1_state(sm, kind, index, word, value);
    case QSM_STATE_WIPE: return index == 0 && qsm_wipe_word(&sm->wipe, cycle, word, value);
    case QSM_STATE_POWER: return index == 0 && qsm_sm_power_word(&sm->power, cycle, word, value);
    case QSM_STATE_ENERGY: return qsm_energy_word(sm, index, word, value);
    case QSM_STATE_POLICY: return index == 0 && qsm_warp_sched_word(&sc->sched, word, value);
    default: return false;
  }
}

// ---- injected faults ----

uint32_t qsm_flip_draw(struct qsm_flip *flip, uint32_t n) {
  flip->seed = flip->seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(flip->seed >> 33) % n;
}

uint32_t qsm_flip_draw_bit(struct qsm_flip *flip, uint32_t bits) {
  for (uint32_t skip = qsm_flip_draw(flip, qsm_popcount(bits)); skip; skip--) bits &= bits - 1;
  return qsm_ctz(bits);
}

void qsm_flip_bit(struct qsm_flip *flip, uint32_t *word, uint32_t bit, const char *name,
                  uint32_t index) {
  *word ^= 1u << bit;
  snprintf(flip->what, flip->what_len, "%s[%u] bit %u", name, index, bit);
}

void qsm_flip_small(struct qsm_flip *flip, uint8_t *word, uint32_t bit, const char *name,
                    uint32_t index) {
  uint32_t wide = *word;
  qsm_flip_bit(flip, &wide, bit, name, index);
  *word = (uint8_t)wide;
}

// The warp that a waiting block starts next, or a block that is about to wait.
static bool flip_tb_launch(struct qsm_flip *flip, struct qsm_sm *sm) {
  return qsm_tb_launch_flip(flip, sm) || qsm_sm_flip_dispatch(flip, sm);
}

// Of blocks that end: the wipe of one, or the warps of one.
static bool flip_barrier(struct qsm_flip *flip, struct qsm_sm *sm) {
  return qsm_wipe_flip(flip, sm) || qsm_barrier_flip(flip, sm);
}

int qsm_sm_inject(struct qsm_sm *sm, const char *block, uint64_t seed, char *what,
                  size_t what_len) {
  static const struct {
    const char *block;
    bool (*in_sm)(struct qsm_flip *, struct qsm_sm *);
    bool (*in_subcore)(struct qsm_flip *, struct qsm_subcore *);
  } table[] = {
      {"fetch", NULL, qsm_fetch_flip},
      {"issue", NULL, qsm_subcore_flip_issue},
      {"warp_state", NULL, qsm_warp_state_flip},
      {"exec", NULL, qsm_subcore_flip_exec},
      {"tb_launch", flip_tb_launch, NULL},
      {"lsu", qsm_lsu_flip, NULL},
      {"barrier", flip_barrier, NULL},
      {"fault", qsm_fault_flip, NULL},
      {"quota", qsm_quota_flip, NULL},
      {"warp_sched", NULL, qsm_subcore_flip_warp_sched},
      {"tb_save", qsm_tb_save_flip, NULL},
      {"idle_sampler", qsm_idle_sampler_flip, NULL},
      {"l1", qsm_l1_flip, NULL},
      {"energy", qsm_energy_flip, NULL},
  };
  struct qsm_flip flip = {.seed = seed, .what = what, .what_len = what_len};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    if (strcmp(block, table[i].block) != 0) continue;
    if (table[i].in_sm) return table[i].in_sm(&flip, sm) ? 0 : -1;
    uint32_t first = qsm_flip_draw(&flip, sm->n_subs);
    for (uint32_t n = 0; n < sm->n_subs; n++) {
      if (table[i].in_subcore(&flip, sm->sub[(first + n) % sm->n_subs])) return 0;
    }
    return -1;
  }
  return -2;
}
