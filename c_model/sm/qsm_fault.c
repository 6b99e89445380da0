// SPDX-License-Identifier: Apache-2.0
// Killed flags and fault records.
#include "qsm_fault.h"

#include "qsm_sm_blocks.h"

void qsm_fault_raise(struct qsm_faults *faults, uint32_t source, uint32_t kernel,
                     const struct qsm_fault *record) {
  if (faults->killed >> kernel & 1) return;
  faults->event[source] =
      (struct qsm_fault_event){.valid = true, .kernel = (uint8_t)kernel, .record = *record};
  faults->any = true;
}

uint32_t qsm_fault_take(struct qsm_sm *sm, uint64_t c) {
  struct qsm_faults *faults = &sm->faults;
  if (!faults->any) return 0;
  uint32_t kernels = 0;
  for (uint32_t i = 0; i < 1 + sm->n_subs; i++) {
    struct qsm_fault_event *event = &faults->event[i];
    if (event->valid && !(kernels >> event->kernel & 1)) {
      kernels |= 1u << event->kernel;
      faults->record[event->kernel] = event->record;
    }
    event->valid = false;
  }
  faults->any = false;
  qsm_sm_send_fault(sm, kernels, c + 1);
  uint32_t k = qsm_ctz(kernels);
  const struct qsm_fault *f = &faults->record[k];
  QSM_EMIT(sm, c, QSM_EV_FAULT, 0, k, f->cause, f->pc, f->tid, f->block, f->value);
  return kernels;
}

// ---- State and flips ----

bool qsm_fault_word(const struct qsm_faults *faults, uint32_t k, uint32_t word, uint32_t *value) {
  const struct qsm_fault *f = &faults->record[k];
  const uint32_t words[] = {faults->killed >> k & 1, f->cause, f->pc, f->tid, f->block, f->value};
  return qsm_give_word(word, words, sizeof words / sizeof words[0], value);
}

// The record of a killed kernel, because no other fault replaces it; if no kernel is killed, any
// record.
bool qsm_fault_flip(struct qsm_flip *flip, struct qsm_sm *sm) {
  struct qsm_faults *faults = &sm->faults;
  uint32_t k =
      faults->killed ? qsm_flip_draw_bit(flip, faults->killed) : qsm_flip_draw(flip, sm->n_kernels);
  qsm_flip_bit(flip, &faults->record[k].pc, qsm_flip_draw(flip, 32), "pc of the fault record", k);
  return true;
}
