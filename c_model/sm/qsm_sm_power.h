// SPDX-License-Identifier: Apache-2.0
// Power controller of an SM: it stops the SM's clock, after which the SM's state is lost, and
// starts it again (docs/sm_owner.md, R-PG).
#ifndef QSM_SM_POWER_H
#define QSM_SM_POWER_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_inbox.h"
#include "qsm_sm.h"

struct qsm_sm;

struct qsm_power_control {
  uint8_t state;   // enum qsm_sm_power
  bool called;     // off, and a wake is among the messages to come
  bool woken;      // since the last tick: quota words are lost (R-PG-5)
  uint64_t on_at;  // while waking: the cycle in which on is sent
};

// R-PG-1, at the start of a cycle.
bool qsm_sm_power_is_quiet(const struct qsm_sm *sm);
// The end of a cycle: of one in which the message gate is seen; of the quiet one that sends off.
void qsm_sm_power_stop(struct qsm_power_control *power);
void qsm_sm_power_cut(struct qsm_sm *sm, uint64_t c);
// A cycle without a clock.
void qsm_sm_power_step(struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c);
// The next cycle that is not like the one before it, if no message comes; QSM_NEVER: none.
uint64_t qsm_sm_power_next(const struct qsm_power_control *power);

// A message that is put in now is lost (R-PG-3): no cycle between now and the message's has a
// clock.
static inline bool qsm_sm_power_loses(const struct qsm_power_control *power, uint8_t kind) {
  bool kept = kind == QSM_MSG_WAKE || kind == QSM_MSG_START || kind == QSM_MSG_KILL;
  return power->state == QSM_POWER_OFF && !power->called && !kept;
}
static inline void qsm_sm_power_note_call(struct qsm_power_control *power) { power->called = true; }
static inline void qsm_sm_power_note_tick(struct qsm_power_control *power) { power->woken = false; }

// ---- State ----
bool qsm_sm_power_word(const struct qsm_power_control *power, uint64_t cycle, uint32_t word,
                       uint32_t *value);

#endif
