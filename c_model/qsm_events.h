// SPDX-License-Identifier: Apache-2.0
// What both sides of the lockstep report, once: kinds, the block each belongs to, field names. See
// docs/lockstep.md.
#ifndef QSM_EVENTS_H
#define QSM_EVENTS_H

#include <stdint.h>

// X(kind, block, "field names"): field names ending in [] take the remaining words in turn. Of
// differences in one cycle the first kind here is reported: causes stand before effects.
#define QSM_EVENT_KINDS(X)                                              \
  X(FETCH, "fetch", "warp pc outcome")                                  \
  X(TBOP, "tb_save", "op tb phase")                                     \
  X(INJECT, "tb_save", "warp step reg pc mask entry")                   \
  X(ISSUE, "issue", "warp kernel pc mask instr entry")                  \
  X(TWOLEVEL, "warp_sched", "active")                                   \
  X(QAWS, "warp_sched", "front budget ncs")                             \
  X(RESOLVE, "warp_state", "warp live bar selects")                     \
  X(PATH, "warp_state", "warp pc depth mask")                           \
  X(WB, "exec", "warp rd mask data[]")                                  \
  X(START, "tb_launch", "warp kernel tb widx live")                     \
  X(FINISH, "warp_state", "warp tb")                                    \
  X(L1OP, "l1", "kind line outcome way txn")                            \
  X(LSUPASS, "lsu", "sub warp kind mask")                               \
  X(REQ, "lsu", "op addr tag slot bytes_data[]")                        \
  X(RSP, "xbar", "tag")                                                 \
  X(L1FILL, "l1", "set way txn valid")                                  \
  X(L1GEN, "l1", "gens")                                                \
  X(RETURN, "lsu", "tag")                                               \
  X(RELEASE, "barrier", "tbs")                                          \
  X(ARRIVE, "tb_launch", "tb kernel linear first base op image ticket") \
  X(RETIRE, "barrier", "tb saved")                                      \
  X(RESUMED, "tb_save", "tb")                                           \
  X(FAULT, "fault", "kernel cause pc tid block value")                  \
  X(EPOCH, "qos_mgr",                                                   \
    "quota[] alpha[] insn[] hist_insn_lo[] hist_insn_hi[] "             \
    "hist_cycles_lo[] hist_cycles_hi[] ratio[]")                        \
  X(QUOTA, "quota", "c[]")                                              \
  X(QLOAD, "quota", "scheme granted dcnt early quota[]")                \
  X(SAMPLE, "idle_sampler", "idle_sum[]")                               \
  X(PREEMPT, "preempt", "sm kernel tb technique image code host")       \
  X(ASK, "tb_adjust", "sm ask idle[]")                                  \
  X(ADJUST, "tb_adjust", "sm kernel victim n class target")             \
  X(EVICT, "tb_adjust", "kernels")                                      \
  X(CLAIM, "tb_adjust", "sm kernel fits left[]")                        \
  X(DISPATCH, "tb_sched", "sm tb kernel linear op image ticket")        \
  X(TARGETS, "tb_alloc", "sm target[]")                                 \
  X(END, "tb_sched", "ended killed")                                    \
  X(L2OP, "l2", "op line outcome way mshr victim")                      \
  X(DRAM, "dram", "kind bank row column passed")                        \
  X(MEMREQ, "xbar", "op addr sm txn")                                   \
  X(MEMRSP, "xbar", "sm txn")

enum qsm_event_kind {
#define QSM_EVENT_ENUM(kind, block, fields) QSM_EV_##kind,
  QSM_EVENT_KINDS(QSM_EVENT_ENUM)
#undef QSM_EVENT_ENUM
      QSM_EV_COUNT
};

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
