// SPDX-License-Identifier: Apache-2.0
// Idle-warp sampler: docs/sampler.md. In a cycle with a sample a warp is idle that could issue but
// for its unit or the arbitration, the reasons 6 and 7: a candidate that does not issue.
#include "qsm_idle_sampler.h"

#include <string.h>

#include "qsm_sm_blocks.h"

void qsm_idle_sampler_see_candidates(struct qsm_sm *sm) {
  uint32_t *seen = sm->idle_sampler.candidates;
  memset(seen, 0, sizeof sm->idle_sampler.candidates);
  for (uint32_t i = 0; i < sm->n_subs; i++) {
    const struct qsm_subcore *sc = sm->sub[i];
    uint32_t candidates = qsm_subcore_candidates(sc);
    if (!candidates) continue;
    for (uint32_t k = 0; k < sm->n_kernels; k++)
      seen[k] += qsm_popcount(candidates & sc->states.of_kernel[k]);
  }
}

static void take_off_issued(struct qsm_sm *sm, uint64_t c) {
  for (uint32_t i = 0; i < sm->n_subs; i++) {
    // In this cycle only what was issued in it: an older one has left the slot.
    const struct qsm_pipe_slot *slot = qsm_subcore_issued(sm->sub[i], c);
    if (slot && !slot->injected) sm->idle_sampler.candidates[slot->kernel]--;
  }
}

static void add(struct qsm_sm *sm, uint64_t c) {
  struct qsm_idle_sampler *sampler = &sm->idle_sampler;
  for (uint32_t k = 0; k < sm->n_kernels; k++) sampler->sum[k] += sampler->sampled[k];
  if (sampler->ends) {
    memcpy(sampler->snap, sampler->sum, sizeof sampler->snap);
    memset(sampler->sum, 0, sizeof sampler->sum);
  }
  if (sm->trace.watched) qsm_sm_record(sm, c, QSM_EV_SAMPLE, 0, sampler->sum, sm->n_kernels);
}

void qsm_idle_sampler_end(struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c) {
  struct qsm_idle_sampler *sampler = &sm->idle_sampler;
  if (sampler->adds) add(sm, c);
  sampler->adds = in->sample;
  sampler->ends = in->tick;
  if (!in->sample) return;
  take_off_issued(sm, c);
  memcpy(sampler->sampled, sampler->candidates, sizeof sampler->sampled);
}

// The sum of a slot, whether it has warps here or not: the next sample shows all.
bool qsm_idle_sampler_flip(struct qsm_flip *flip, struct qsm_sm *sm) {
  uint32_t k = qsm_flip_draw(flip, sm->n_kernels);
  qsm_flip_bit(flip, &sm->idle_sampler.sum[k], qsm_flip_draw(flip, 13), "idle_sum", k);
  return true;
}
