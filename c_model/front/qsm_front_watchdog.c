// SPDX-License-Identifier: Apache-2.0
// Limits of launches (docs/front.md, R-FR-25). A slot is looked at once in eight cycles; here only
// in the one in which it becomes overdue.
#include "qsm_front_parts.h"

static bool is_watched(const struct qsm_front *front, uint32_t k) {
  return front->slot[k].limit && !(front->overdue >> k & 1);
}

// First cycle from `from` on in which slot k is looked at and over its limit.
static uint64_t overdue_at(const struct qsm_front *front, uint32_t k, uint64_t from) {
  uint64_t at = front->slot[k].since + front->slot[k].limit;
  if (at < from) at = from;
  return at + (k - at) % QSM_MAX_KERNELS;
}

void qsm_front_watch(struct qsm_front *front, uint64_t cycle, uint32_t runs) {
  uint32_t k = (uint32_t)(cycle % QSM_MAX_KERNELS);
  if ((runs >> k & 1) && is_watched(front, k) && overdue_at(front, k, cycle) == cycle)
    front->overdue |= 1u << k;
}

uint64_t qsm_front_watches_at(const struct qsm_front *front, uint64_t from) {
  uint64_t at = QSM_NEVER;
  for (uint32_t left = front->runs; left; left &= left - 1) {
    uint32_t k = qsm_lowest(left);
    if (is_watched(front, k)) at = qsm_earlier(at, overdue_at(front, k, from));
  }
  return at;
}

uint32_t qsm_front_to_kill(const struct qsm_front *front) {
  return front->overdue & front->runs & ~front->kill_sent;
}
