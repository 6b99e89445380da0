// SPDX-License-Identifier: Apache-2.0
// The wipe of shared memory.
#include "qsm_wipe.h"

#include "qsm_sm_blocks.h"

void qsm_wipe_reset(struct qsm_wipe *wipe) { *wipe = (struct qsm_wipe){.ends_at = QSM_NEVER}; }

void qsm_wipe_begin(struct qsm_sm *sm, uint32_t tb, uint64_t c) {
  const struct qsm_config *config = sm->shared->config;
  const struct qsm_tb_slot *slot = &sm->launch.tb[tb];
  uint32_t n_rows = qsm_config_shared_lines(config, qsm_desc_of(sm, slot->kernel)->shared_bytes);
  struct qsm_wipe *wipe = &sm->wipe;
  wipe->begins_at = c + 1;
  wipe->ends_at = c + n_rows;
  wipe->row = slot->base * qsm_config_granule_bytes(config) / sm->line_bytes;
  wipe->n_rows = n_rows;
  wipe->tb = (uint8_t)tb;
}

void qsm_wipe_end(struct qsm_sm *sm) {
  struct qsm_wipe *wipe = &sm->wipe;
  qsm_lsu_clear_shared(sm, wipe->row, wipe->n_rows);
  wipe->clean |= 1u << wipe->tb;
  wipe->ends_at = QSM_NEVER;
}

static uint32_t rows_done(const struct qsm_wipe *wipe, uint64_t cycle) {
  return qsm_wipe_runs(wipe) ? (uint32_t)(cycle - wipe->begins_at) : 0;
}

bool qsm_wipe_has_cleared(const struct qsm_wipe *wipe, uint32_t row, uint64_t cycle) {
  return row - wipe->row < rows_done(wipe, cycle);
}

// ---- State and flips ----

bool qsm_wipe_word(const struct qsm_wipe *wipe, uint64_t cycle, uint32_t word, uint32_t *value) {
  uint32_t done = rows_done(wipe, cycle);
  const uint32_t running[] = {1u | (uint32_t)wipe->tb << 8, wipe->row + done, wipe->n_rows - done},
                 none[] = {0, 0, 0};
  return qsm_give_word(word, qsm_wipe_runs(wipe) ? running : none, 3, value);
}

// The wrong block becomes clean.
bool qsm_wipe_flip(struct qsm_flip *flip, struct qsm_sm *sm) {
  if (!qsm_wipe_runs(&sm->wipe)) return false;
  qsm_flip_small(flip, &sm->wipe.tb, 0, "slot of the wipe of sm", sm->index);
  return true;
}
