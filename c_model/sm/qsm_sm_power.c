// SPDX-License-Identifier: Apache-2.0
// Power controller of an SM.
#include "qsm_sm_power.h"

#include "qsm_sm_blocks.h"

static bool misses(const struct qsm_sm *sm) {
  for (uint32_t i = 0; i < sm->n_subs; i++) {
    if (sm->sub[i]->fetch.miss.state != QSM_MISS_IDLE) return true;
  }
  return false;
}

bool qsm_sm_power_is_quiet(const struct qsm_sm *sm) {
  return !sm->launch.valid && !qsm_wipe_runs(&sm->wipe) && sm->save.op == QSM_TB_NEW && !misses(sm);
}

void qsm_sm_power_stop(struct qsm_power_control *power) { power->state = QSM_POWER_STOPPING; }

void qsm_sm_power_cut(struct qsm_sm *sm, uint64_t c) {
  sm->power.state = QSM_POWER_OFF;
  qsm_sm_send_power(sm, false, c);
}

// R-PG-3, R-PG-4. The flags see kill and start as R-SM-7 says; no warp is there to be wiped.
void qsm_sm_power_step(struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c) {
  struct qsm_power_control *power = &sm->power;
  qsm_fault_kill(&sm->faults, in->kill);
  qsm_fault_take_to_wipe(&sm->faults);
  qsm_fault_start(&sm->faults, in->start & ~in->kill);
  if (sm->l1 && in->start) qsm_l1_clear_counters(sm->l1, in->start);
  if (power->state == QSM_POWER_WAKING && c == power->on_at) {
    power->state = QSM_POWER_ON;
    qsm_sm_send_power(sm, true, c);
  } else if (in->wake) {
    *power = (struct qsm_power_control){
        .state = QSM_POWER_WAKING, .woken = true, .on_at = c + sm->shared->wake_lat};
  }
}

uint64_t qsm_sm_power_next(const struct qsm_power_control *power) {
  return power->state == QSM_POWER_WAKING ? power->on_at : QSM_NEVER;
}

bool qsm_sm_power_word(const struct qsm_power_control *power, uint64_t cycle, uint32_t word,
                       uint32_t *value) {
  uint64_t wait = power->state == QSM_POWER_WAKING ? power->on_at - cycle + 1 : 0;
  const uint32_t words[] = {power->state, (uint32_t)wait};
  return qsm_give_word(word, words, 2, value);
}
