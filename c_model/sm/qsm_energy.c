// SPDX-License-Identifier: Apache-2.0
// Energy counters (R-EN-1): what they show is put together here from what issues and passes add up.
#include "qsm_energy.h"

#include "qsm_sm_blocks.h"

void qsm_energy_create(struct qsm_energy *energy, const struct qsm_config *config) {
  energy->counts = config->energy_counters;
}

// An issue is a cycle in which its warp was selected, which the sub-cores count already (R-IS-6),
// whether or not the configuration has stall counters, and keep over gating as well. What issued in
// the last cycle is counted in the next one.
static uint32_t issues(const struct qsm_sm *sm, uint32_t kernel) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < sm->n_subs; i++) {
    const struct qsm_pipe_slot *last = qsm_subcore_issued(sm->sub[i], sm->next_cycle - 1);
    sum += sm->sub[i]->stalls[kernel][QSM_STALL_SELECTED];
    sum -= last && !last->injected && last->kernel == kernel;
  }
  return sum;
}

static enum qsm_energy_event event_of(uint32_t class) {
  switch ((enum qsm_class) class) {
    case QSM_CLASS_MUL: return QSM_ENERGY_MUL;
    case QSM_CLASS_DIV: return QSM_ENERGY_DIV;
    case QSM_CLASS_FMA: return QSM_ENERGY_FMA;
    case QSM_CLASS_MEM: return QSM_ENERGY_MEM;
    case QSM_CLASS_ALU:
    case QSM_CLASS_CTL: break;
  }
  return QSM_ENERGY_ALU;
}

// Lanes of the instructions that issued, each as often as it makes the event happen.
static uint32_t lane_events(const struct qsm_energy *energy, uint32_t kernel,
                            enum qsm_energy_event event) {
  uint32_t sum = 0;
  for (uint32_t cost = 0; cost < QSM_ENERGY_COSTS; cost++) {
    uint32_t times = event == QSM_ENERGY_REG_READS    ? cost / 2 % 4
                     : event == QSM_ENERGY_REG_WRITES ? cost % 2
                                                      : event_of(cost / 8) == event;
    sum += times * energy->lanes[kernel][cost];
  }
  return sum;
}

uint32_t qsm_energy_counter(const struct qsm_sm *sm, uint32_t kernel, enum qsm_energy_event event) {
  const struct qsm_energy *energy = &sm->energy;
  if (!energy->counts) return 0;
  uint32_t value = event == QSM_ENERGY_ISSUES   ? issues(sm, kernel)
                   : event == QSM_ENERGY_SHARED ? energy->shared[kernel]
                   : event == QSM_ENERGY_LINES  ? energy->lines[kernel]
                                                : lane_events(energy, kernel, event);
  return value + energy->flipped[kernel][event];
}

bool qsm_energy_word(const struct qsm_sm *sm, uint32_t kernel, uint32_t word, uint32_t *value) {
  if (!sm->energy.counts || kernel >= sm->n_kernels || word >= QSM_ENERGY_EVENT_COUNT) return false;
  *value = qsm_energy_counter(sm, kernel, (enum qsm_energy_event)word);
  return true;
}

bool qsm_energy_flip(struct qsm_flip *flip, struct qsm_sm *sm) {
  if (!sm->energy.counts) return false;
  uint32_t kernel = qsm_flip_draw(flip, sm->n_kernels),
           event = qsm_flip_draw(flip, QSM_ENERGY_EVENT_COUNT),
           before = qsm_energy_counter(sm, kernel, (enum qsm_energy_event)event), after = before;
  qsm_flip_bit(flip, &after, qsm_flip_draw(flip, 32), qsm_energy_event_name(event), kernel);
  sm->energy.flipped[kernel][event] += after - before;
  return true;
}
