// SPDX-License-Identifier: Apache-2.0
// What a hostile tenant does with its own command channel (docs/security.md). It has what a tenant
// has: its memory, its ring, the page of its channel. qsm_tenants.c runs it beside honest ones.
#ifndef QSM_HOSTILE_H
#define QSM_HOSTILE_H

#include <stddef.h>
#include <stdint.h>

#include "qsm_random.h"
#include "qsm_rings.h"

enum {
  // In its memory. Code and descriptors are read only for its kernels, not for itself.
  QSM_HOSTILE_DESCRIPTOR_AT = 512,
  QSM_HOSTILE_CODE_AT = 1024,
  QSM_HOSTILE_DATA_AT = 0x2000,
};

struct qsm_hostile_view {
  struct qsm_rings *rings;
  struct qsm_random *random;
  uint32_t channel, base, limit;
  uint32_t victim;     // address of a word of the first tenant
  uint32_t put;        // as it wrote it last
  uint64_t n_refused;  // writes of its page
};

struct qsm_hostile {
  const char *name, *does;
  uint32_t every;         // cycles from an act to the next
  uint32_t limit_cycles;  // CH_LIMIT
  uint32_t stops;         // the only stop that may come of it (QSM_STOP_...); 0: none
  // What it has before it begins, and what it does then; NULL: nothing.
  void (*prepare)(struct qsm_hostile_view *view);
  void (*act)(struct qsm_hostile_view *view);
};

extern const struct qsm_hostile qsm_hostile_attacks[];
extern const size_t qsm_n_hostile_attacks;

#endif
