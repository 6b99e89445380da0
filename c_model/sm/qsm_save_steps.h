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

static inline const struct qsm_desc *qsm_save_desc(const struct qsm_sm *sm) {
  return qsm_desc_of(sm, sm->launch.tb[sm->save.tb].kernel);
}
static inline uint32_t qsm_save_n_rows(const struct qsm_sm *sm) {
  return qsm_config_shared_lines(sm->shared->config, qsm_save_desc(sm)->shared_bytes);
}

// ---- qsm_tb_save.c ----
void qsm_tb_save_next_phase(struct qsm_sm *sm);

// ---- qsm_save_steps.c ----
// A cycle of the phases from find to header, or with a step that still waits; `arrives`: another
// block does in this cycle.
void qsm_save_step(struct qsm_sm *sm, bool arrives, uint64_t c);
bool qsm_save_uses_base(
    const struct qsm_tb_save *save);  // a line of the image is still to be moved

#endif
