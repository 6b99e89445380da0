// SPDX-License-Identifier: Apache-2.0
// Warp scheduling policies: docs/warp_sched.md. The registers `last` and `gone` are updated by the sub-core (R-PO-1).
#include "qsm_sm_blocks.h"

static uint32_t oldest(const struct qsm_subcore *sc, uint32_t eligible) {
  const uint8_t *slot = sc->order;
  while (!(eligible >> *slot & 1)) slot++;
  return *slot;
}

uint32_t qsm_warp_sched_pick(const struct qsm_subcore *sc, uint32_t policy, uint32_t eligible) {
  uint32_t next = sc->last + 1u == sc->n_warps ? 0 : sc->last + 1u;
  switch (policy) {
    case QSM_POLICY_LRR: return qsm_circular_first(eligible, sc->gone ? next : sc->last);
    case QSM_POLICY_LRR_ROTATE: return qsm_circular_first(eligible, next);
    default: return !sc->gone && (eligible >> sc->last & 1) ? sc->last : oldest(sc, eligible);
  }
}

void qsm_warp_sched_started(struct qsm_subcore *sc, uint32_t warp) {
  uint32_t i = 0;
  while (sc->order[i] != warp) i++;
  for (; i + 1 < sc->n_warps; i++) sc->order[i] = sc->order[i + 1];
  sc->order[i] = (uint8_t)warp;
}
