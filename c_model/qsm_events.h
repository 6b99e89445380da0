// SPDX-License-Identifier: Apache-2.0
// What both sides of the lockstep report. Kinds (QSM_EV_...), the block that each belongs to and
// the names of its words: qsm_enums.h. See docs/lockstep.md.
#ifndef QSM_EVENTS_H
#define QSM_EVENTS_H

#include <stdint.h>

#include "qsm_enums.h"

// Largest payload: REQ = 4 words + byte mask (4 words for 128-byte lines) + 32 data words; EPOCH =
// 8 words for 8 slots.
#define QSM_EVENT_MAX_WORDS 64

struct qsm_event {
  uint64_t cycle;
  uint8_t kind;     // enum qsm_event_kind
  uint8_t sm;       // SM, or memory channel of L2OP, DRAM, MEMREQ and MEMRSP; 0 for GPU-level kinds
  uint8_t sub;      // sub-core, 0 where there is none
  uint8_t n_words;  // payload words used
  uint32_t word[QSM_EVENT_MAX_WORDS];
};

// A load, store or AMO as its program does it, on its way to the load/store unit; not what saves
// and restores blocks.
enum qsm_access_kind { QSM_ACCESS_LOAD, QSM_ACCESS_STORE, QSM_ACCESS_AMO };
struct qsm_access {
  uint8_t kind;   // enum qsm_access_kind
  uint8_t bytes;  // of each lane
  uint8_t sm, tb, widx;
  uint32_t pc, mask;
  uint32_t address[32];  // per lane; local ones as the program names them (isa.md I-MEM-6)
  const uint32_t *data;  // what a store stores
};

// Receives every access of the C model, in the order of cycles within an SM and with its events;
// the pointer is valid during the call only.
typedef void (*qsm_access_sink)(void *ctx, const struct qsm_access *access);

// Receives every event of a backend; the pointer is valid during the call only.
typedef void (*qsm_event_sink)(void *ctx, const struct qsm_event *event);

#endif
