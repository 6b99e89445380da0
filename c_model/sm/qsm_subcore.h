// SPDX-License-Identifier: Apache-2.0
// Sub-core of an SM: issue, execution, write-back, scoreboard releases, stall counters
// (docs/subcore.md). Its fetch, its warps' state and its warp scheduler are blocks of their own,
// which it holds.
//
// Sleep. A sub-core in which nothing can happen sleeps: it is not stepped, and only its count of
// warps that wait for a unit has to be made up when it wakes. Whoever changes a sub-core, or a
// block that it holds, from outside in cycle c calls qsm_subcore_wake(sc, c + 1) first; the
// functions below whose last argument is `from` do.
#ifndef QSM_SUBCORE_H
#define QSM_SUBCORE_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_decode.h"
#include "qsm_fetch.h"
#include "qsm_lsu.h"
#include "qsm_scoreboard.h"
#include "qsm_sm.h"
#include "qsm_sm_state.h"
#include "qsm_warp_sched.h"
#include "qsm_warp_state.h"

enum {
  QSM_PIPE_SLOTS = 8,    // ring of issued instructions, by cycle; they live 4 cycles, or 7 (FMA)
  QSM_FP_LAT = 3,        // FpLat of docs/fpu.md
  QSM_DIV_LATENCY = 38,  // R-EX-3: all lanes at once; else a part of it and the turns
  QSM_DIV_REST = 5,
  QSM_DIV_TURN = 19,
  QSM_DIV_SHORT = 8,  // so much less with dividends below 2^16
  QSM_FP_DIV_LATENCY = 34,
  QSM_WB_STARVE_LIMIT = 8,  // R-WB-3
};

struct qsm_sm;

// In place of a stall reason: the warp is not resident.
enum { QSM_STALL_NONE = QSM_STALL_COUNT };

// What an instruction cannot issue without: a unit, the write port four cycles later, or FpLat
// cycles after that.
enum qsm_unit {
  QSM_UNIT_NONE,
  QSM_UNIT_WRITE,
  QSM_UNIT_MEM,
  QSM_UNIT_DIV,
  QSM_UNIT_LATE_WRITE,
  QSM_UNIT_COUNT
};

// An issued instruction on its way through RR, EX1, EX2, WB. Operands are read in EX2 or WB (FMA:
// EX2): until then nothing can write them (the scoreboard keeps earlier writers out, and later ones
// write later).
struct qsm_pipe_slot {
  _Alignas(64) struct qsm_insn insn;
  const uint32_t *rs1, *rs2;  // registers, a word per lane
  uint32_t *rd;
  uint32_t pc, mask;
  uint8_t warp, kernel, depth, entry;
  uint8_t class;  // enum qsm_class
  bool ctl, faulted;
  bool injected;  // by the sequencer (R-PE-16): an address comes from pc, a ctl instruction is JMP
  bool away;      // of class MEM, of a kernel without a goal (R-PA-19)
};

struct qsm_result {  // from the LSU
  uint8_t warp, rd, entry;
  uint32_t mask;
  uint32_t data[QSM_MAX_LANES];
};

// An instruction that the sequencer puts in place of an issue (R-PE-16).
struct qsm_injection {
  struct qsm_insn insn;
  uint32_t pc, mask;
  uint8_t warp;
  uint8_t step, reg;  // as INJECT reports them
};

// A warp: a line of the host's cache, and another with its instructions. The blocks' parts of it
// lie together, as most steps that look at one look at the others.
struct qsm_warp {
  struct qsm_warp_state state;  // of qsm_warp_state.c
  struct qsm_warp_fetch fetch;  // of qsm_fetch.c
  uint8_t head_unit;  // enum qsm_unit; of a ready warp: the unit that its instruction needs
  uint8_t stall;      // enum qsm_stall: BARRIER .. QUOTA, or LOST for a candidate
  struct qsm_scoreboard sb;
  struct qsm_ibuf ibuf;  // of qsm_fetch.c
};

// Fields that a step reads in every cycle come first, to share cache lines.
struct qsm_subcore {
  struct qsm_sm *sm;
  const struct qsm_injection *inject;  // takes the issue slot of this cycle; NULL: none
  uint8_t index;
  uint8_t n_warps;

  // Units and write-back.
  uint8_t under_way;  // bit per slot of `pipe` that holds an instruction
  uint8_t mem_credit;
  uint8_t wb_wait;  // wb_wait
  uint8_t claims;   // bit n: the issue cycle n from now is claimed (R-FP-3); bit FpLat at the start
                    // of a cycle: wb_wait claims it
  uint8_t n_late;   // FMA instructions under way that will write
  bool div_busy;
  uint8_t res_head, res_count;
  bool asleep;
  bool late_ready;  // R-PA-15

  // One bit per warp.
  uint32_t ready;  // has an instruction whose registers and entry are free (R-IS-1 without gate and
                   // unit)
  uint32_t gate_closed;            // of a kernel whose gate is closed
  uint32_t finishable;             // R-WS-10; only warps with live = 0 have the bit
  uint32_t dirty;                  // summary bits above must be recomputed at the end of the cycle
  uint32_t needs[QSM_UNIT_COUNT];  // by head_unit; only ready warps count
  struct qsm_warp_states states;
  struct qsm_fetch fetch;
  struct qsm_warp_sched sched;
  uint64_t div_ready_at;
  uint64_t asleep_from;
  uint64_t wake_at;  // when asleep

  // Stall counters [kernel][reason] as integrals: a warp that takes on a reason from cycle c on
  // subtracts c, one that leaves it adds c. The value at the start of cycle t adds t for each warp
  // that has the reason.
  uint32_t stalls[QSM_MAX_KERNELS][QSM_STALL_COUNT + 1];

  struct qsm_warp warp[QSM_MAX_WARPS];
  struct qsm_pipe_slot pipe[QSM_PIPE_SLOTS];
  struct qsm_result div;
  struct qsm_result res[QSM_RES_DEPTH];
  uint32_t late[QSM_PIPE_SLOTS]
               [QSM_MAX_LANES];  // results of FMA instructions, from EX2 on; index as in pipe

  uint32_t *regs;  // [warp][register][lane]
};

// NULL: no memory.
struct qsm_subcore *qsm_subcore_create(struct qsm_sm *sm, uint32_t index);
// The state of reset, but for the stall counters (R-PG-3); the sub-core sleeps. It has no warps.
void qsm_subcore_reset(struct qsm_subcore *sc);
void qsm_subcore_destroy(struct qsm_subcore *sc);  // NULL is fine

void qsm_subcore_step(struct qsm_subcore *sc, uint64_t c);
// Before a change from outside that is seen from cycle `from` on.
void qsm_subcore_wake(struct qsm_subcore *sc, uint64_t from);
// A sleeping sub-core is due in cycle c.
static inline bool qsm_subcore_is_due(const struct qsm_subcore *sc, uint64_t c) {
  return sc->asleep && sc->wake_at == c;
}

// The summary bits of a warp, after a change: recomputed now, seen from cycle `from` on; or, within
// the sub-core's own step, at the step's end.
void qsm_subcore_refresh(struct qsm_subcore *sc, uint32_t warp, uint64_t from);
static inline void qsm_subcore_touch(struct qsm_subcore *sc, uint32_t warp) {
  sc->dirty |= 1u << warp;
}

// ---- For the blocks that it holds, and for those of the SM ----

// Of a warp that becomes resident, after its state, which has woken the sub-core: registers,
// buffer, scoreboard, gate, age.
void qsm_subcore_begin_warp(struct qsm_subcore *sc, uint32_t warp, uint64_t from);
// A kernel's gate opens or shuts.
void qsm_subcore_set_gate(struct qsm_subcore *sc, uint32_t kernel, bool open, uint64_t from);
// Registers of the policy have changed.
void qsm_subcore_reschedule(struct qsm_subcore *sc, uint64_t from);
// Instead of an issue in cycle c, which is to be stepped yet.
void qsm_subcore_inject(struct qsm_subcore *sc, const struct qsm_injection *injection, uint64_t c);

// Of the load/store unit: a place in the memory queue is free again; where the next result goes; it
// is there; a memory instruction has one part more on its way, one less, all of them.
void qsm_subcore_give_credit(struct qsm_subcore *sc, uint64_t from);
static inline struct qsm_result *qsm_subcore_next_result(struct qsm_subcore *sc) {
  return &sc->res[(sc->res_head + sc->res_count) % QSM_RES_DEPTH];
}
void qsm_subcore_take_in_result(struct qsm_subcore *sc, uint64_t from);
// Without a wake: a part more releases nothing.
static inline void qsm_subcore_add_part(struct qsm_subcore *sc, uint32_t warp, uint32_t entry) {
  qsm_sb_add_part(&sc->warp[warp].sb, entry);
}
void qsm_subcore_end_part(struct qsm_subcore *sc, uint32_t warp, uint32_t entry, uint64_t from);
void qsm_subcore_note_all_sent(struct qsm_subcore *sc, uint32_t warp, uint32_t entry,
                               uint64_t from);

// ---- What others ask ----

// What the warp scheduler sees in cycle c, if `eligible` may issue and `finish` (or QSM_NONE)
// finishes.
struct qsm_sched_in qsm_subcore_sched_in(const struct qsm_subcore *sc, uint32_t eligible,
                                         uint32_t finish, uint64_t c);
static inline bool qsm_subcore_claimed(const struct qsm_subcore *sc) {
  return sc->claims & 1;
}  // this cycle (R-FP-3)
// Warps that have an instruction and whose gate is open: the reasons 6 and 7, and who issues.
static inline uint32_t qsm_subcore_candidates(const struct qsm_subcore *sc) {
  return sc->ready & ~sc->gate_closed;
}
uint32_t qsm_subcore_eligible(
    const struct qsm_subcore *sc);  // R-IS-1, by the registers as they are
uint32_t qsm_subcore_stalls(const struct qsm_subcore *sc, uint64_t cycle, uint32_t kernel,
                            uint32_t reason);
// The instruction that was issued, or injected, in that cycle, while it is under way; NULL: none.
static inline const struct qsm_pipe_slot *qsm_subcore_issued(const struct qsm_subcore *sc,
                                                             uint64_t issued_at) {
  uint64_t slot = issued_at % QSM_PIPE_SLOTS;
  return sc->under_way >> slot & 1 ? &sc->pipe[slot] : NULL;
}
static inline uint32_t *qsm_reg(const struct qsm_subcore *sc, uint32_t n_lanes, uint32_t warp,
                                uint32_t reg) {
  return sc->regs + (warp * 32 + reg) * n_lanes;
}

// ---- State and flips ----
bool qsm_subcore_scoreboard_word(const struct qsm_subcore *sc, uint32_t warp, uint32_t entry,
                                 uint32_t *value);
uint32_t qsm_subcore_write_back_word(const struct qsm_subcore *sc);
bool qsm_subcore_flip_issue(struct qsm_flip *flip, struct qsm_subcore *sc);
bool qsm_subcore_flip_exec(struct qsm_flip *flip, struct qsm_subcore *sc);
bool qsm_subcore_flip_warp_sched(struct qsm_flip *flip, struct qsm_subcore *sc);

#endif
