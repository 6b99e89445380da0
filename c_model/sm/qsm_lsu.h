// SPDX-License-Identifier: Apache-2.0
// Load/store unit of an SM, with the shared memory and the sub-cores' memory queues (docs/lsu.md).
#ifndef QSM_LSU_H
#define QSM_LSU_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_decode.h"
#include "qsm_sm.h"
#include "qsm_sm_state.h"

enum {
  QSM_MAX_TXNS = 128,
  QSM_MQ_DEPTH = 4,                               // memory queue of a sub-core (R-EX-4)
  QSM_RES_DEPTH = 4,                              // result queue of a sub-core (R-WB-2)
  QSM_MAX_OPS = QSM_MAX_SUBS * QSM_MQ_DEPTH + 2,  // memory instructions in queues, N and C
};

struct qsm_sm;
struct qsm_result;

// A memory instruction in a sub-core's queue, in N or in C.
struct qsm_mem_op {
  struct qsm_insn insn;
  uint32_t pc, mask;
  uint8_t sub, warp, kernel, tb, widx, entry;
  bool injected;  // by the sequencer (R-PE-16)
  bool away;      // of a kernel without a goal (R-PA-19)
  uint32_t addr[QSM_MAX_LANES];
  uint32_t data[QSM_MAX_LANES];
};

// What a device pass made of an instruction: the lanes that share a line.
struct qsm_part {
  struct qsm_insn insn;
  uint8_t sub, warp, entry;
  bool away;  // R-PA-19
  uint32_t mask;
  uint8_t at[QSM_MAX_LANES];  // offset in the line, of each lane
};

struct qsm_txn {
  uint8_t next;   // in the list of those that wait for one response, QSM_NONE: none (R-L1-8)
  uint8_t last;   // of the list that begins here
  uint16_t line;  // of the L1, that the response fills; QSM_L1_NONE: none
  struct qsm_part part;
  uint32_t data[QSM_MAX_LANES];  // the response, possibly before its cycle
};

// What the unit keeps for a sub-core: its memory queue (R-EX-4), and the free places in its result
// queue.
struct qsm_lsu_sub {
  uint8_t res_credit;  // a credit given back in cycle res_taken_at counts from the next on
  uint8_t head, count;
  uint8_t queue[QSM_MQ_DEPTH];  // indices of op; one that entered in cycle pushed_at is there from
                                // the next on
  uint64_t res_taken_at;
  uint64_t pushed_at;
};

enum qsm_return_op { QSM_RETURN_PASS, QSM_RETURN_RESPONSE, QSM_RETURN_HIT, QSM_RETURN_COUNT };

// Fields that are read in every cycle come first, to share cache lines.
struct qsm_lsu {
  bool awake;          // false: a step did nothing, and nothing has changed since
  uint8_t pop_last;    // sub-core popped last
  uint8_t n, c;        // indices of op, QSM_NONE: empty
  uint8_t ret_sub;     // sub-core whose newest result enters its queue at the end of this cycle
                       // (R-LS-12), or QSM_NONE
  uint8_t fault_lane;  // of C, QSM_NONE: none
  uint8_t fault_cause;
  uint8_t serving;  // transaction of the head's list that is served next, QSM_NONE: the head's own
  uint8_t rsp_head, rsp_count;
  uint32_t rem_shared, rem_device;
  uint32_t amo_lanes;  // of an AMO pass in the last cycle: they write their words at the end of
                       // this one (R-LS-8)
  uint32_t queued;     // sub-cores that have some in their queue
  uint32_t op_free;    // bit per element of op
  uint64_t
      poked_at;  // cycle of the last change by a sub-core, which is seen from the next cycle on
  uint64_t served_at[QSM_RETURN_COUNT];  // cycle of the last return op of each kind
  uint64_t txn_free[2];                  // bit per transaction, as at the start of the next cycle
  struct qsm_lsu_sub sub[QSM_MAX_SUBS];
  uint8_t rsp[QSM_MAX_TXNS];  // response queue: transactions
  uint32_t amo_word[QSM_MAX_LANES], amo_value[QSM_MAX_LANES];
  struct qsm_mem_op op[QSM_MAX_OPS];
  struct qsm_txn txn[QSM_MAX_TXNS];
  uint32_t *shared_mem;  // words
};

// False: no memory.
bool qsm_lsu_create(struct qsm_lsu *lsu, const struct qsm_config *config);
void qsm_lsu_reset(struct qsm_lsu *lsu, const struct qsm_config *config);
void qsm_lsu_destroy(struct qsm_lsu *lsu);

// A step that does nothing changes nothing either, until something it depends on changes: it may be
// left out until somebody wakes the unit. Whoever changes one of these from outside does.
static inline void qsm_lsu_wake(struct qsm_lsu *lsu) { lsu->awake = true; }
// Of a change by a sub-core in cycle c.
static inline void qsm_lsu_poke(struct qsm_lsu *lsu, uint64_t c) {
  lsu->awake = true;
  lsu->poked_at = c;
}
void qsm_lsu_step(struct qsm_sm *sm, uint64_t c, bool port_free);
void qsm_lsu_respond(struct qsm_lsu *lsu, uint8_t tag);  // at the end of a cycle
// Takes an op of the pool for an instruction that enters the sub-core's memory queue at the end of
// cycle c; the sub-core fills it in.
struct qsm_mem_op *qsm_lsu_enqueue(struct qsm_lsu *lsu, uint32_t sub, uint64_t c);
// The sub-core has taken a result from its queue in cycle c.
static inline void qsm_lsu_give_credit(struct qsm_lsu *lsu, uint32_t sub, uint64_t c) {
  lsu->sub[sub].res_credit++;
  lsu->sub[sub].res_taken_at = c;
  qsm_lsu_poke(lsu, c);
}
// There is room for a result (R-LS-10).
static inline bool qsm_lsu_has_credit(const struct qsm_lsu *lsu, uint32_t sub, uint64_t c) {
  return lsu->sub[sub].res_credit > (lsu->sub[sub].res_taken_at == c);
}

// ---- qsm_lsu.c, for its other files and the L1 ----
void qsm_lsu_extend(const struct qsm_sm *sm, uint8_t op, const uint32_t *addr,
                    uint32_t *data);  // words to what their loads give (R-LS-12)
// A load or AMO part: its result enters the sub-core's queue at the end of the next cycle
// (R-LS-12); the caller fills its data.
struct qsm_result *qsm_lsu_return(struct qsm_sm *sm, const struct qsm_insn *insn, uint32_t sub,
                                  uint32_t warp, uint32_t entry, uint32_t mask);
void qsm_lsu_return_lanes(struct qsm_sm *sm, const struct qsm_part *part,
                          const uint32_t *line);  // of a line

static inline uint32_t qsm_access_bytes(uint8_t op) {
  switch (op) {
    case QSM_OP_LB:
    case QSM_OP_LBU:
    case QSM_OP_SB: return 1;
    case QSM_OP_LH:
    case QSM_OP_LHU:
    case QSM_OP_SH: return 2;
    default: return 4;
  }
}

// ---- qsm_lsu_device.c ----
void qsm_lsu_device_pass(struct qsm_sm *sm, const struct qsm_mem_op *op, uint64_t c);
static inline bool qsm_lsu_has_txn(const struct qsm_lsu *lsu) {
  return lsu->txn_free[0] | lsu->txn_free[1];
}
uint32_t qsm_lsu_take_txn(struct qsm_lsu *lsu);  // the lowest free one
// Of the L1: a transaction for a part of a pass; no line waits for it yet.
uint32_t qsm_lsu_open_txn(struct qsm_lsu *lsu, const struct qsm_part *part);
void qsm_lsu_join_txn(struct qsm_lsu *lsu, uint32_t head, uint32_t tag);  // R-L1-4
static inline void qsm_lsu_set_line(struct qsm_lsu *lsu, uint32_t tag, uint16_t line) {
  lsu->txn[tag].line = line;
}
// Where a transaction's response is, or comes.
static inline uint32_t *qsm_lsu_line(struct qsm_lsu *lsu, uint32_t tag) {
  return lsu->txn[tag].data;
}

// ---- qsm_lsu_shared.c ----
void qsm_lsu_shared_pass(struct qsm_sm *sm, const struct qsm_mem_op *op, uint64_t c);
void qsm_lsu_write_amo(struct qsm_lsu *lsu, uint32_t lanes);  // R-LS-8, the second cycle
void qsm_lsu_clear_shared(struct qsm_sm *sm, uint32_t row, uint32_t n_rows);

// ---- State and flips ----
bool qsm_lsu_shared_word(const struct qsm_sm *sm, uint64_t cycle, uint32_t row, uint32_t bank,
                         uint32_t *value);
// Kinds of return op, the one served longest ago first, 2 bits each.
uint32_t qsm_lsu_turns(const struct qsm_lsu *lsu);
bool qsm_lsu_flip(struct qsm_flip *flip, struct qsm_sm *sm);

#endif
