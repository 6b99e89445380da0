// SPDX-License-Identifier: Apache-2.0
// The SM manager a second time (docs/sm_mgr.md), for its test: cycle by cycle, rule by rule, as
// simply as can be. It counts which cases of the rules it met.
#ifndef SM_MGR_REF_H
#define SM_MGR_REF_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_config.h"
#include "qsm_sm.h"
#include "qsm_sm_owner.h"

// Rows of the tables and first matches.
enum ref_case {
  REF_MOVING_ON,     // R-SG-6: still moving
  REF_SETTLES,       // moving -> settling
  REF_CAME_GREATER,  // settling, the four rows
  REF_CAME_NOT_GREATER,
  REF_WENT_LESS,
  REF_WENT_NOT_LESS,
  REF_ELSE_NOT_OPT,  // settling, else: sm_last is not opt
  REF_ELSE_BOTH,     // both bounds are known
  REF_BARRED_KNOWN,  // R-SG-7: now is not known
  REF_BARRED_PLAN,
  REF_BARRED_MOVING,
  REF_NOT_RUN,        // R-SG-8: LS slot without a record
  REF_NEUTRAL,        // neither needs nor gives
  REF_NEEDS_AT_MOST,  // needs, and has all it may have
  REF_NEEDS_FREE,
  REF_NEEDS_BATCH,
  REF_NEEDS_UNJUDGED,  // the same, and what was being learned is dropped
  REF_NEEDS_NOBODY,
  REF_GIVES_LAST,  // gives, but has one only
  REF_GIVES_SHORT,
  REF_GIVES_NOT_UPPER,
  REF_GIVES_FREE_TWO,
  REF_GIVES_FREE_ONE,
  REF_GIVES_MOVED,  // a batch slot moved before
  REF_GIVES_NO_BATCH,
  REF_SPART_STAYS,  // R-SG-9: no record, or no instruction
  REF_SPART_NEED,
  REF_SPART_STEP_UP,
  REF_SPART_STEP_DOWN,
  REF_SPART_YIELDS,
  REF_SPART_ALONE,  // nobody without a goal
  REF_PLAN_SHARED,  // R-SG-10
  REF_PLAN_FREE_ON,
  REF_PLAN_FREE_OFF,
  REF_PLAN_OF_SHARED,
  REF_PLAN_OF_OTHER,
  REF_PLAN_RELEASE,
  REF_PLAN_UNSHARE,
  REF_PLAN_CUT,  // R-SG-2
  REF_PLAN_DONE,
  REF_CHANGE_STATIC,  // R-SG-2
  REF_CHANGE_EVEN,
  REF_CHANGE_UNMANAGED,
  REF_CHANGE_STALE,  // nothing else has changed
  REF_E_IN_SPLIT,
  REF_E_IN_PLAN,      // R-SG-11
  REF_CHANGE_BESIDE,  // R-SG-14, as a whole
  REF_BESIDE_CUT,     // SM_COUNT is more than is left
  REF_BESIDE_NONE,    // a slot without an SM of its own
  REF_MANY_MANAGED,   // R-SG-13: more slots than SMs
  REF_BESIDE_STAYS,   // R-SG-16: no record, or neither row
  REF_BESIDE_GROWS,
  REF_BESIDE_LIMITED,  // it would grow, but its quota held it back
  REF_BESIDE_AHEAD,    // it would grow, but was not behind in this epoch
  REF_BESIDE_FALLS,
  REF_BESIDE_ENOUGH,  // lead, but its own SMs do not carry it
  REF_BESIDE_AT_MOST,
  REF_BARRED_MOVED,  // an SM moved in the epoch, none at its end
  REF_PLAN_KEEPS,    // R-SG-17: the last shared SM is neither taken nor freed
  REF_PLAN_SHARES,
  REF_N_CASES,
};

struct ref_slot {
  int n, opt, eval, sm_last;
  bool upper, lower, out, run, seen, ample;
  int64_t lead;
  uint32_t insn, insn_last;
};

// What the manager sees in a cycle, at its start.
struct ref_in {
  uint64_t cycle;
  uint32_t scheme, valid, part, qos, threshold, step;
  const uint32_t *goal, *sm_count;
  const struct qsm_sm_usage *usage;
  const uint32_t (*tbs)[QSM_MAX_KERNELS];      // T_i of each SM
  const uint32_t (*sm_insn)[QSM_MAX_KERNELS];  // of the last snapshot, by SM
  const int32_t (*sm_c)[QSM_MAX_KERNELS];      // likewise
  uint64_t insn[QSM_MAX_KERNELS];              // sums over the SMs, of the last snapshot
  bool e;                                      // this is E
  uint32_t ep_len, had_tb;                     // with it
};

// What it does.
struct ref_out {
  bool requests, plan, record;
  uint32_t sm, usage, owner;
};

struct sm_mgr_ref {
  uint32_t n_sms, n_kernels, sm_lat;
  uint32_t known_scheme, known_part, known_qos;
  bool managed, splitting, planning, computing, stale;
  uint64_t c, d;  // of the change; of the decision
  uint32_t sm_count[QSM_MAX_KERNELS];
  uint32_t t_e, t_ended, had_tb;
  bool still, steady, calm, moved;
  bool common[QSM_MAX_SMS];  // as of E, likewise the next
  uint32_t tbs[QSM_MAX_SMS][QSM_MAX_KERNELS];
  struct ref_slot slot[QSM_MAX_KERNELS];
  uint32_t n_batch_moves;  // of the last decision
  uint64_t *cases;         // REF_N_CASES of them
};

void sm_mgr_ref_cycle(struct sm_mgr_ref *ref, const struct ref_in *in, struct ref_out *out);
// HIST_CLEAR, an arrival, at the end of a cycle.
void sm_mgr_ref_clear(struct sm_mgr_ref *ref, uint32_t k);
void sm_mgr_ref_arrive(struct sm_mgr_ref *ref, uint32_t k);

#endif
