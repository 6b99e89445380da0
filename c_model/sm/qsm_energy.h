// SPDX-License-Identifier: Apache-2.0
// Counters of the events that take energy, of an SM (docs/energy.md, R-EN-1, R-EN-2). They are kept
// while the SM is gated.
#ifndef QSM_ENERGY_H
#define QSM_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_decode.h"
#include "qsm_enums.h"
#include "qsm_sm.h"
#include "qsm_sm_state.h"

// What an instruction takes: its class, how many registers it reads, and whether it writes one.
enum { QSM_ENERGY_COSTS = QSM_CLASS_COUNT * 8 };

struct qsm_sm;

struct qsm_energy {
  bool counts;                                        // the configuration has the counters
  uint32_t lanes[QSM_MAX_KERNELS][QSM_ENERGY_COSTS];  // that issued, by what they take
  uint32_t shared[QSM_MAX_KERNELS], lines[QSM_MAX_KERNELS];
  uint32_t flipped[QSM_MAX_KERNELS][QSM_ENERGY_EVENT_COUNT];  // what flips have added
};

void qsm_energy_create(struct qsm_energy *energy, const struct qsm_config *config);

// An issue adds one figure; its events are sorted out when somebody reads them.
static inline void qsm_energy_note_issue(struct qsm_energy *energy, uint32_t kernel,
                                         const struct qsm_insn *insn, uint32_t class,
                                         uint32_t lanes) {
  if (energy->counts)
    energy->lanes[kernel][8 * class + 2u * insn->n_reads + (insn->rd != 0)] += lanes;
}

// Passes of the load/store unit (R-LS-4).
static inline void qsm_energy_note_shared(struct qsm_energy *energy, uint32_t kernel,
                                          uint32_t lanes) {
  if (energy->counts) energy->shared[kernel] += lanes;
}
static inline void qsm_energy_note_line(struct qsm_energy *energy, uint32_t kernel) {
  energy->lines[kernel] += energy->counts;
}

// 0 where the configuration has no counters.
uint32_t qsm_energy_counter(const struct qsm_sm *sm, uint32_t kernel, enum qsm_energy_event event);

// ---- State and flips ----
bool qsm_energy_word(const struct qsm_sm *sm, uint32_t kernel, uint32_t word, uint32_t *value);
bool qsm_energy_flip(struct qsm_flip *flip, struct qsm_sm *sm);

#endif
