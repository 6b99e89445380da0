// SPDX-License-Identifier: Apache-2.0
// L1 data cache of an SM, between the load/store unit's device passes and the memory port
// (docs/l1.md, R-L1).
#ifndef QSM_L1_H
#define QSM_L1_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_lsu.h"

enum {
  QSM_L1_NONE = 0xffff,
  QSM_L1_FIRST_COUNTER = 16,
  QSM_L1_COUNTERS = 6
};  // MEM_SELECT's numbers (R-L1-13)

struct qsm_inbox;

struct qsm_l1_pass {  // stage A
  bool full;
  struct qsm_mem_req req;  // as it is sent, but for cycle and tag
  struct qsm_part part;
};

struct qsm_l1_line {
  bool valid, pending, poison;
  uint8_t slot, gen;
  uint8_t txn;  // that fetches it, while it is pending
  uint32_t tag;
};

struct qsm_l1 {
  uint32_t n_ways, n_sets, n_words, line_shift, set_bits, way_bits;
  struct qsm_l1_pass pass;
  uint16_t match;    // of the pass, as at the start of this cycle: number of a line, set * ways +
                     // way, or QSM_L1_NONE
  uint16_t filling;  // line that gets its response in this cycle, or QSM_L1_NONE
  bool has_policy;   // CACHE_POLICY bit 0 is its own: there are no shader arrays (R-SA-17)
  uint32_t fenced;   // bit per kernel: a device fence was issued in this cycle
  uint8_t gen[QSM_MAX_KERNELS];
  uint32_t count[QSM_MAX_KERNELS][QSM_L1_COUNTERS];
  struct qsm_l1_line *line;
  uint16_t *tree;  // of each set, bit n: node n
  uint32_t *data;  // of each line
};

// NULL: no memory.
struct qsm_l1 *qsm_l1_create(const struct qsm_config *config);
void qsm_l1_destroy(struct qsm_l1 *l1);  // NULL is fine

// One cycle, called by the load/store unit: what the pass in A finds, and whether it is a hit that
// wants the return slot; then, if it has all it needs, its act, which empties A. Returns whether it
// acted.
bool qsm_l1_look(struct qsm_sm *sm, uint64_t c);
bool qsm_l1_act(struct qsm_sm *sm, bool granted, bool port_free, uint64_t c);
// The pass that enters A, to be filled in.
static inline struct qsm_l1_pass *qsm_l1_enter(struct qsm_l1 *l1) {
  l1->pass.full = true;
  return &l1->pass;
}
static inline bool qsm_l1_is_free(const struct qsm_l1 *l1) { return !l1->pass.full; }
// A device fence of the kernel was issued in this cycle.
static inline void qsm_l1_note_fence(struct qsm_l1 *l1, uint32_t kernel) {
  l1->fenced |= 1u << kernel;
}
// The line, or QSM_L1_NONE, gets its response in this cycle, and so the L1 writes no other: told at
// the cycle's start.
static inline void qsm_l1_announce_fill(struct qsm_l1 *l1, uint16_t line) { l1->filling = line; }
// The end of the cycle: a fill, generations, counters.
void qsm_l1_end(struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c);

void qsm_l1_clear_counters(struct qsm_l1 *l1, uint32_t kernels);  // R-L1-13
// The state of reset, but for the counters (R-PG-3).
void qsm_l1_reset(struct qsm_l1 *l1);

// State for comparison, kinds L1 and L1SET.
bool qsm_l1_state(const struct qsm_sm *sm, enum qsm_state_kind kind, uint32_t index, uint32_t word,
                  uint32_t *value);
bool qsm_l1_flip(struct qsm_flip *flip, struct qsm_sm *sm);

#endif
