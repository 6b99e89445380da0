// SPDX-License-Identifier: Apache-2.0
// Between the two halves of the sequencer that saves and restores thread blocks, qsm_tb_save.c and
// qsm_save_steps.c; for these two files only.
#ifndef QSM_SAVE_STEPS_H
#define QSM_SAVE_STEPS_H

#include "qsm_sm_blocks.h"

enum {
  QSM_IMAGE_HEADER_LINES = 3,
  QSM_SAVE_PC_REG = 31,
  QSM_SAVE_STATE_REG = 30,
  QSM_SAVE_LINEAR_REG = 29
};

// A warp of the block that has a live lane.
struct qsm_save_place {
  struct qsm_subcore *sc;  // NULL: there is none
  uint32_t warp;
};

static inline const struct qsm_desc *qsm_save_desc(const struct qsm_sm *sm) {
  return qsm_desc_of(sm, sm->launch.tb[sm->save.tb].kernel);
}
static inline uint32_t qsm_save_n_rows(const struct qsm_sm *sm) {
  return qsm_config_shared_lines(sm->shared->config, qsm_save_desc(sm)->shared_bytes);
}

// ---- qsm_tb_save.c ----
void qsm_tb_save_next_phase(struct qsm_sm *sm);

// ---- qsm_save_steps.c ----
struct qsm_save_place qsm_save_find(const struct qsm_sm *sm, uint32_t i);
void qsm_save_begin_state(struct qsm_sm *sm);  // of warp save.i, in the state phase of a save
void qsm_save_step(struct qsm_sm *sm,
                   uint64_t c);  // does the phase's next step, if its conditions hold
bool qsm_save_uses_base(
    const struct qsm_tb_save *save);  // a line of the image is still to be moved

#endif
