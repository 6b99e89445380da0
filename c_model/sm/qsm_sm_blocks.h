// SPDX-License-Identifier: Apache-2.0
// State of the model's SM and what its blocks offer each other. Not for the GPU level (that is
// qsm_sm.h).
//
// Phases. One call of step() in qsm_sm.c is one cycle c. Each block first decides on registers as
// they are at the start of c, then changes them; the blocks run in an order in which nobody reads
// what another block has changed in the same cycle, and where no order does it, the reader sees a
// stamp (`*_at`) or a decision latched before. Every such place has a comment.
//
// Sleep. A sub-core in which nothing can happen sleeps: it is not stepped, and only its count of
// warps that wait for a unit has to be made up when it wakes. Whoever changes a sub-core from
// outside in cycle c calls qsm_subcore_wake(sc, c + 1) first.
#ifndef QSM_SM_BLOCKS_H
#define QSM_SM_BLOCKS_H

#include "qsm_code.h"
#include "qsm_decode.h"
#include "qsm_l1.h"
#include "qsm_lsu.h"
#include "qsm_sm.h"
#include "qsm_warp_sched.h"

enum {
  QSM_MAX_TBS = 32,
  QSM_MAX_SB = 8,
  QSM_IBUF_DEPTH = 4,    // instruction buffer of a warp
  QSM_PIPE_SLOTS = 8,    // ring of issued instructions, by cycle; they live 4 cycles, or 7 (FMA)
  QSM_FP_LAT = 3,        // FpLat of docs/fpu.md
  QSM_DIV_LATENCY = 38,  // R-EX-3
  QSM_FP_DIV_LATENCY = 34,
  QSM_WB_PATIENCE = 8,   // R-WB-3
  QSM_SEL_PATIENCE = 8,  // R-WS-11
  QSM_MAX_MSGS = 512,    // more than can be sent within two windows
  QSM_MAX_RSPS = 64,     // one per cycle within two windows
};

#define QSM_NEVER UINT64_MAX
#define QSM_NO_LINE 1u  // tag of an invalid cache line: no line address is odd

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
};

// Scoreboard of a warp (R-SB-1 .. R-SB-3).
struct qsm_scoreboard {
  uint32_t
      pending;  // registers with a pending write; each has one at most, since a second writer waits
  uint32_t pending_load;         // those of them whose writer is of class MEM
  uint8_t valid, mem, all_sent;  // bit per entry
  uint8_t rd[QSM_MAX_SB];
  uint8_t parts[QSM_MAX_SB];
};

struct qsm_fetch_latch {  // between F1 and F2
  bool hit;
  uint8_t warp;  // QSM_NONE: empty
  uint32_t pc;
  struct qsm_insn insn[2];  // the words pc & ~7 and the next, as in F1's cycle
};

enum qsm_miss_state { QSM_MISS_IDLE, QSM_MISS_PEND, QSM_MISS_WAIT };

struct qsm_miss {
  uint8_t state;  // enum qsm_miss_state
  uint8_t kernel;
  bool dropped;
  uint32_t line;
};

struct qsm_result {  // from the LSU
  uint8_t warp, rd, entry;
  uint32_t mask;
  uint32_t data[QSM_MAX_LANES];
};

struct qsm_fault_event {
  bool valid;
  uint8_t kernel;
  struct qsm_fault record;
};

// An instruction that the sequencer puts in place of an issue (R-PE-16).
struct qsm_injection {
  struct qsm_insn insn;
  uint32_t pc, mask;
  uint8_t warp;
  uint8_t step, reg;  // as INJECT reports them
};

// A warp: a line of the host's cache, and another with its instructions.
struct qsm_warp {
  uint32_t live, bar;
  uint32_t path_pc, path_mask, merge_pc, fpc;
  uint8_t kernel, tb, widx;
  uint8_t head_unit;  // enum qsm_unit; of a ready warp: what its instruction needs
  uint8_t stall;      // enum qsm_stall: BARRIER .. QUOTA, or LOST for a candidate
  uint8_t path_depth, selcnt, rot;
  uint8_t ibuf_head, ibuf_count;
  struct qsm_scoreboard sb;
  _Alignas(64) struct qsm_insn ibuf[QSM_IBUF_DEPTH];
};

// What a step looks at in every cycle comes first and together.
struct qsm_subcore {
  struct qsm_sm *sm;
  const struct qsm_injection *inject;  // instead of an issue in this cycle, or NULL
  uint8_t index;
  uint8_t n_warps;

  // Units and write-back.
  uint8_t under_way;  // bit per slot of `pipe` that holds an instruction
  uint8_t mem_credit;
  uint8_t wait_count;  // wbw
  uint8_t claims;  // bit n: the issue cycle n from now is claimed (R-FP-3); bit FpLat at the start
                   // of a cycle: wbw claims it
  uint8_t n_late;  // FMA instructions under way that will write
  bool div_busy;
  uint8_t res_head, res_count;

  // Selection: the warp whose SEL1 (after a resolve), SEL2 is due in the next cycle.
  uint8_t sel1, sel2;
  uint8_t sel_last;   // sellast
  uint8_t sel_waits;  // selw
  bool step_asks;     // in this cycle, while a SEL1 is due or pending: a SET of a lane's value asks
                      // (R-WS-11)

  bool filling;  // a line arrives in this cycle
  uint8_t fetch_last;
  bool asleep;

  // One bit per warp.
  uint32_t resident;
  uint32_t path_valid, merge_valid;
  uint32_t fstop, fwait, finfl;
  uint32_t room;   // at most 2 entries in the instruction buffer
  uint32_t ready;  // has an instruction whose registers and entry are free (R-IS-1 without gate and
                   // unit)
  uint32_t shut;   // of a kernel whose gate is shut
  uint32_t selpend;
  uint32_t frozen;                 // of a block that is saved or restored: issues nothing (R-PE-12)
  uint32_t killed;                 // of a kernel that was killed since they started
  uint32_t finishable;             // R-WS-10; only warps with live = 0 have the bit
  uint32_t dirty;                  // summary bits above must be recomputed at the end of the cycle
  uint32_t needs[QSM_UNIT_COUNT];  // by head_unit; only ready warps count
  struct qsm_fetch_latch f2;
  struct qsm_warp_sched sched;
  uint64_t div_ready_at;
  uint64_t asleep_from;
  uint64_t wake_at;  // when asleep
  uint32_t of_kernel[QSM_MAX_KERNELS];

  // Results from the LSU, and its queue of this sub-core.
  uint8_t
      res_credit;  // the LSU's; a credit given back in cycle res_taken_at counts from the next on
  uint8_t mq_head, mq_count;
  uint8_t mq[QSM_MQ_DEPTH];  // indices of qsm_lsu.op; one that entered in cycle mq_pushed_at is
                             // there from the next on
  uint64_t res_taken_at;
  uint64_t mq_pushed_at;
  struct qsm_miss miss;

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

  uint32_t *regs;                 // [warp][register][lane]
  uint32_t *lane_pc;              // [warp][lane]
  uint8_t *lane_depth;            // [warp][lane]
  uint32_t *tags;                 // [line]
  const struct qsm_insn **lines;  // [line] its decoded words; NULL until it is filled
};

struct qsm_quota {
  uint32_t issued;               // kernels with lanes != 0
  uint32_t positive;             // C > 0
  uint32_t to_load, to_refill;   // bit per kernel
  uint32_t fresh;                // bit per kernel: elastic takes its shadow (R-SC-4)
  uint32_t shadow_has, granted;  // bit per kernel
  uint32_t open;                 // gate (R-SC-2)
  uint32_t qos_mask;             // the direct signal that `open` was computed from
  uint32_t spent;                // gated and C <= 0: shut[k] of QAWS
  uint64_t timed_start_at;       // the cycle in which dcnt will be 0; QSM_NEVER in other schemes
  uint8_t scheme;
  bool load_second;  // a load is in its second cycle
  bool early;        // the last start of an elastic epoch was an early one
  int32_t c[QSM_MAX_KERNELS];
  uint32_t lanes[QSM_MAX_KERNELS];  // issued in this cycle
  uint32_t insn[QSM_MAX_KERNELS], quota[QSM_MAX_KERNELS];
  int32_t snap_c[QSM_MAX_KERNELS];
  uint32_t snap_insn[QSM_MAX_KERNELS];
  uint32_t shadow_quota[QSM_MAX_KERNELS], shadow_credit[QSM_MAX_KERNELS];
};

// Idle warps of a kernel, summed over the samples of the running epoch, and the last epoch's sum.
struct qsm_idle_sampler {
  uint32_t sum[QSM_MAX_KERNELS], snap[QSM_MAX_KERNELS];
};

// What the SM sees in one cycle.
struct qsm_inbox {
  uint32_t start, kill, arrive, restore;  // bit per kernel; arrive: restored blocks too
  bool tick, sample, load, icache_inv;
  uint8_t scheme;
};

// A lane's word in the last line of its warp's image.
enum { QSM_SAVED_DEPTH = 31, QSM_SAVED_LIVE = 32, QSM_SAVED_AT_BARRIER = 64 };

// The sequencer that saves and restores blocks (docs/preemption.md). At most one block at a time.
struct qsm_tb_save {
  uint8_t op;  // enum qsm_tb_op; QSM_TB_NEW: idle
  uint8_t phase;
  uint8_t tb, image;
  bool fresh;
  uint8_t at_end;        // what the cycle's end brings: see qsm_tb_save.c
  uint32_t base;         // of the image
  uint32_t n_to_add;     // image sizes that base still lacks
  uint32_t i, reg, row;  // where the phase stands
  uint32_t part, lane;
  uint32_t row_begin, i_end;  // of a round of rows of shared memory
  uint32_t first;             // f of R-PE-17
  uint8_t reported_op, reported_phase;
  struct qsm_injection injection;
};

struct qsm_tb_slot {
  bool valid;
  bool saved;  // evicted: its state lies in an image
  bool clean;  // its shared memory is zero, or it has none (R-SM-10)
  uint8_t kernel, first, base, left, arrived;
  uint16_t ticket;
  uint32_t block[3], linear;
};

// The wipe of a block's shared memory (R-SM-10). All its rows are cleared at its end, as nobody but
// qsm_sm_state() can see them before.
struct qsm_wipe {
  uint64_t begins_at,
      ends_at;  // the cycles of its first and of its last row; QSM_NEVER: there is none
  uint32_t row, n_rows;
  uint8_t tb;
};

// What is looked at in every cycle comes first and together.
struct qsm_sm {
  const struct qsm_sm_shared *shared;
  uint64_t next_cycle;
  uint64_t timer_at;  // a sleeping sub-core may wake by itself in this cycle, and none does before
  uint32_t awake;     // bit per sub-core
  uint32_t tb_releasable, tb_retirable;  // R-SM-3, R-SM-4, as at the start of the next cycle
  uint32_t tb_unclean;                   // over, but not clean, likewise
  uint32_t to_wipe;  // killed since the last cycle: R-WS-9 acts at the end of this one
  struct qsm_wipe wipe;
  uint32_t fetch_pend;  // sub-cores whose miss register is PEND
  uint32_t launch_head, launch_count, launch_warp;
  uint32_t msg_head, msg_count;
  uint32_t rsp_head, rsp_count;
  uint32_t killed;    // bit per kernel, as at the start of the cycle
  uint32_t present;   // kernels with a valid slot that is not being saved (R-PE-22)
  uint32_t runnable;  // kernels with one that is not frozen
  bool any_fault;
  bool hashing;
  bool watched;  // a sink is set or hashing is on
  uint32_t index;
  uint32_t n_subs, n_warps, n_lanes, n_kernels, n_tbs, n_txns;
  uint32_t line_bytes, line_shift, n_lines, sb_full;  // line_bytes = 1 << line_shift
  uint32_t fp_lat;                                    // FpLat; 0 without FPU
  int32_t debt_max;                                   // R-QC-2
  struct qsm_l1 *l1;                                  // NULL: none
  struct qsm_subcore *sub[QSM_MAX_SUBS];
  struct qsm_tb_save save;
  struct qsm_quota quota;
  struct qsm_lsu lsu;
  struct qsm_sm_out out;
  struct qsm_mem_rsp rsp[QSM_MAX_RSPS];
  struct qsm_code *code;  // of all SMs
  struct qsm_idle_sampler idle_sampler;
  uint32_t *shared_mem;  // words

  struct qsm_tb_slot tb[QSM_MAX_TBS];
  uint8_t launch_queue[QSM_MAX_TBS];
  struct qsm_fault fault[QSM_MAX_KERNELS];
  struct qsm_fault_event
      fault_event[1 + QSM_MAX_SUBS];  // of this cycle: the LSU's, then the sub-cores'
  struct qsm_sm_msg msg[QSM_MAX_MSGS];
  uint32_t fetched[QSM_MAX_SUBS][QSM_MAX_LANES];  // lines of the sub-cores' misses

  qsm_event_sink sink;
  void *sink_ctx;
  qsm_access_sink access_sink;
  void *access_sink_ctx;
  uint64_t hash;
};

static inline unsigned qsm_ctz(uint32_t bits) { return (unsigned)__builtin_ctz(bits); }
static inline unsigned qsm_popcount(uint32_t bits) { return (unsigned)__builtin_popcount(bits); }

// First set bit of `bits` (not 0) circular from `from` (R-GEN-5).
static inline unsigned qsm_circular_first(uint32_t bits, unsigned from) {
  uint32_t at_or_after = bits & (~0u << from);
  return qsm_ctz(at_or_after ? at_or_after : bits);
}

static inline const struct qsm_desc *qsm_desc_of(const struct qsm_sm *sm, uint32_t kernel) {
  return &sm->shared->desc[kernel];
}

// The slot of instructions issued in that cycle holds one.
static inline bool qsm_pipe_holds(const struct qsm_subcore *sc, uint64_t issued_at) {
  return sc->under_way >> issued_at % QSM_PIPE_SLOTS & 1;
}

static inline uint32_t *qsm_reg(const struct qsm_subcore *sc, uint32_t n_lanes, uint32_t warp,
                                uint32_t reg) {
  return sc->regs + (warp * 32 + reg) * n_lanes;
}

// ---- qsm_sm.c ----
void qsm_sm_event(struct qsm_sm *sm, uint64_t cycle, enum qsm_event_kind kind, uint32_t sub,
                  const uint32_t *words, uint32_t n);
#define QSM_EMIT(sm, cycle, kind, sub, ...)                   \
  do {                                                        \
    if ((sm)->sink) {                                         \
      const uint32_t emit_words[] = {__VA_ARGS__};            \
      qsm_sm_event((sm), (cycle), (kind), (sub), emit_words,  \
                   sizeof emit_words / sizeof emit_words[0]); \
    }                                                         \
  } while (0)
// An event that the hash takes in too; only while sm->watched.
void qsm_sm_record(struct qsm_sm *sm, uint64_t cycle, enum qsm_event_kind kind, uint32_t sub,
                   const uint32_t *words, uint32_t n);
// Source 0 is the LSU, 1 + i sub-core i (R-SM-6).
void qsm_sm_raise(struct qsm_sm *sm, uint32_t source, uint32_t kernel,
                  const struct qsm_fault *record);
void qsm_sm_update_tb(struct qsm_sm *sm, uint32_t tb);  // after a change of left or arrived
void qsm_sm_arrived(struct qsm_sm *sm, uint32_t tb);    // a warp arrives at its barrier
void qsm_sm_finished(struct qsm_sm *sm, uint32_t tb);   // a warp has finished
struct qsm_mem_req *qsm_sm_request(struct qsm_sm *sm,
                                   uint64_t c);  // the next request's place in the outputs
void qsm_sm_report_request(struct qsm_sm *sm, const struct qsm_mem_req *req);

// R-SM-10, at the start of `cycle`: rows that the wipe under way has cleared.
static inline bool qsm_wipe_runs(const struct qsm_wipe *wipe) { return wipe->ends_at != QSM_NEVER; }
static inline uint32_t qsm_wipe_rows_done(const struct qsm_wipe *wipe, uint64_t cycle) {
  return qsm_wipe_runs(wipe) ? (uint32_t)(cycle - wipe->begins_at) : 0;
}

void qsm_sm_update_presence(
    struct qsm_sm *sm,
    uint64_t from);  // after a slot came, went, froze or thawed; from cycle `from` on

// ---- qsm_tb_save.c ----
// Restored or saved blocks are frozen from the next cycle on.
void qsm_tb_save_begin(struct qsm_sm *sm, const struct qsm_sm_msg *msg);
void qsm_tb_save_stop(struct qsm_sm *sm,
                      uint64_t from);  // op idle; the block runs, or has gone, from cycle `from` on
// While op is not idle: decides at the start of a cycle, which may inject, and acts at its end.
void qsm_tb_save_decide(struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c);
void qsm_tb_save_end(struct qsm_sm *sm, uint64_t c);
static inline bool qsm_tb_save_holds(const struct qsm_sm *sm, uint32_t tb) {
  return sm->save.op && sm->save.tb == tb;
}

// ---- qsm_subcore.c ----
void qsm_subcore_step(struct qsm_subcore *sc, uint64_t c);
// Before a change from outside that is seen from cycle `from` on.
void qsm_subcore_wake(struct qsm_subcore *sc, uint64_t from);
// Recomputes the summary bits of a warp, seen from cycle `from` on.
void qsm_subcore_refresh(struct qsm_subcore *sc, uint32_t warp, uint64_t from);
// What the warp scheduler sees in cycle c, if `eligible` may issue and `finish` (or QSM_NONE)
// finishes.
struct qsm_sched_in qsm_subcore_sched_in(const struct qsm_subcore *sc, uint32_t eligible,
                                         uint32_t finish, uint64_t c);
static inline bool qsm_subcore_claimed(const struct qsm_subcore *sc) {
  return sc->claims & 1;
}  // this cycle (R-FP-3)
uint32_t qsm_subcore_eligible(
    const struct qsm_subcore *sc);  // R-IS-1, by the registers as they are
uint32_t qsm_subcore_stalls(const struct qsm_subcore *sc, uint64_t cycle, uint32_t kernel,
                            uint32_t reason);

// ---- qsm_fetch.c ----
// R-FE-1: warps that want to fetch.
static inline uint32_t qsm_fetch_wants(const struct qsm_subcore *sc) {
  return sc->path_valid & sc->room & ~(sc->fstop | sc->fwait | sc->finfl);
}
// F1, R-FE-2: the warp to fetch for, or QSM_NONE.
static inline uint8_t qsm_fetch_choose(const struct qsm_subcore *sc) {
  uint32_t want = qsm_fetch_wants(sc);
  if (!want) return QSM_NONE;
  return (uint8_t)qsm_circular_first(want,
                                     sc->fetch_last + 1u == sc->n_warps ? 0 : sc->fetch_last + 1u);
}
void qsm_fetch_f2(struct qsm_subcore *sc, uint64_t c);           // F2 of the latch
void qsm_fetch_f1(struct qsm_subcore *sc, uint8_t warp);         // F1's effect: fills the latch
void qsm_fetch_redirect(struct qsm_subcore *sc, uint32_t warp);  // R-FE-7
void qsm_fetch_fill(struct qsm_subcore *sc, const uint32_t *data, uint64_t c);
void qsm_fetch_invalidate(struct qsm_subcore *sc, bool pending_at_start);
void qsm_fetch_granted(struct qsm_subcore *sc);  // PEND -> WAIT

// ---- qsm_warp_state.c ----
// `path`: the warp runs from the entry; false: it gets its path by JMP (R-PE-13).
void qsm_warp_start(struct qsm_subcore *sc, uint32_t warp, uint32_t kernel, uint32_t tb,
                    uint32_t widx, uint32_t live, bool path, uint64_t c);
void qsm_warp_resolve(struct qsm_subcore *sc, struct qsm_pipe_slot *slot,
                      uint64_t c);                         // EX2 of a ctl instruction
void qsm_warp_select(struct qsm_subcore *sc, uint64_t c);  // SEL1, SEL2, SEL3
bool qsm_warp_select_asked(
    struct qsm_subcore *sc);  // by a SET of a lane's value, before it: true if it may go (R-WS-11)
void qsm_warp_release(struct qsm_subcore *sc, uint32_t tb, uint64_t c);
void qsm_warp_wipe(struct qsm_subcore *sc, uint32_t kernel, uint64_t c);  // R-WS-9
void qsm_warp_evict(struct qsm_subcore *sc, uint32_t tb, uint64_t c);     // R-PE-17

// ---- qsm_quota.c ----
void qsm_quota_reset(struct qsm_quota *q, uint32_t n_kernels);
void qsm_quota_step(struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c);
void qsm_quota_gate(struct qsm_sm *sm,
                    uint64_t from);  // recomputes the gates, seen from cycle `from` on
// R-SC-2: kernels are under quota control.
static inline bool qsm_quota_held(const struct qsm_sm *sm) {
  uint32_t scheme = sm->quota.scheme;
  return scheme != QSM_SCHEME_NONE && (sm->shared->qos_mask || qsm_scheme_holds_all(scheme));
}
// Without a message nothing is granted in this cycle, and no epoch starts.
static inline bool qsm_quota_only_counts(const struct qsm_sm *sm) {
  const struct qsm_quota *q = &sm->quota;
  bool loads = q->to_load | q->fresh | q->to_refill;
  return !loads && q->scheme != QSM_SCHEME_ELASTIC &&
         ((sm->runnable & q->positive) || !qsm_quota_held(sm));
}
void qsm_quota_runnable_changed(struct qsm_sm *sm, uint64_t from);
bool qsm_quota_busy(const struct qsm_sm *sm);  // something may be granted or start in the next
                                               // cycle, or a round of refills ends
uint32_t qsm_quota_dcnt(const struct qsm_sm *sm,
                        uint64_t cycle);  // R-SC-4, at the start of the cycle
void qsm_quota_word(struct qsm_sm *sm, const struct qsm_sm_msg *msg);

// ---- qsm_idle_sampler.c ----
void qsm_idle_sampler_add_candidates(struct qsm_sm *sm);  // before the sub-cores' cycle
void qsm_idle_sampler_end(struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c);  // after it

#endif
