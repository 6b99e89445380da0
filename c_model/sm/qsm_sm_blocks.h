// SPDX-License-Identifier: Apache-2.0
// An SM: its blocks, put together. Not for the GPU level (that is qsm_sm.h).
//
// Who may change what. A block's state stands in the block's header and is written by the block's
// own functions alone: those of the header, or of the file of its name. Others call them. What a
// block shows in its RTL at ports, others may read here as it stands;
// tb/config/test_model_blocks.sh looks for writes.
//
// Phases. One call of step() in qsm_sm.c is one cycle c. Each block first decides on registers as
// they are at the start of c, then changes them; the blocks run in an order in which no block reads
// what another block has changed in the same cycle. Where no order achieves that, the reader checks
// a time stamp (`*_at`) or uses a decision latched before. Every such place has a comment.
#ifndef QSM_SM_BLOCKS_H
#define QSM_SM_BLOCKS_H

#include "qsm_barrier.h"
#include "qsm_bits.h"
#include "qsm_code.h"
#include "qsm_energy.h"
#include "qsm_fault.h"
#include "qsm_fetch.h"
#include "qsm_idle_sampler.h"
#include "qsm_inbox.h"
#include "qsm_l1.h"
#include "qsm_lsu.h"
#include "qsm_mem_port.h"
#include "qsm_quota.h"
#include "qsm_scoreboard.h"
#include "qsm_share.h"
#include "qsm_sm.h"
#include "qsm_sm_power.h"
#include "qsm_sm_trace.h"
#include "qsm_subcore.h"
#include "qsm_tb_launch.h"
#include "qsm_tb_save.h"
#include "qsm_warp_sched.h"
#include "qsm_warp_state.h"
#include "qsm_wipe.h"

enum { QSM_MAX_MSGS = 512 };  // more than can be sent within two windows

// Fields that are read in every cycle come first, to share cache lines.
struct qsm_sm {
  const struct qsm_sm_shared *shared;
  uint64_t next_cycle;
  uint64_t timer_at;  // a sleeping sub-core may wake by itself in this cycle, and none does before
  uint32_t awake;     // bit per sub-core
  uint32_t msg_head, msg_count;
  uint32_t index;
  uint32_t n_subs, n_warps, n_lanes, n_kernels, n_tbs, n_txns;
  uint32_t n_div_lanes;                               // that divide at a time
  uint32_t line_bytes, line_shift, n_lines, sb_full;  // line_bytes = 1 << line_shift
  uint32_t fp_lat;                                    // FpLat; 0 without FPU
  int32_t debt_max;                                   // R-QC-2
  struct qsm_l1 *l1;                                  // NULL: none
  struct qsm_subcore *sub[QSM_MAX_SUBS];
  struct qsm_sm_trace trace;
  struct qsm_power_control power;
  struct qsm_wipe wipe;
  struct qsm_faults faults;
  struct qsm_barrier barrier;
  struct qsm_tb_save save;
  struct qsm_quota quota;
  struct qsm_share share;
  struct qsm_energy energy;
  struct qsm_tb_launch launch;
  struct qsm_lsu lsu;
  struct qsm_mem_port port;
  struct qsm_sm_out out;
  struct qsm_code *code;  // of all SMs
  struct qsm_idle_sampler idle_sampler;
  struct qsm_sm_msg msg[QSM_MAX_MSGS];
};

static inline const struct qsm_desc *qsm_desc_of(const struct qsm_sm *sm, uint32_t kernel) {
  return &sm->shared->desc[kernel];
}

// A flip in the messages that are there (qsm_sm.c).
bool qsm_sm_flip_dispatch(struct qsm_flip *flip, struct qsm_sm *sm);

// Memory on lines of the host's cache, all zeros; NULL: there is none.
void *qsm_sm_zeroed(size_t n, size_t size);

// ---- Of the sub-cores: when they are stepped ----

static inline void qsm_sm_note_awake(struct qsm_sm *sm, uint32_t sub) { sm->awake |= 1u << sub; }
// Until somebody wakes it, or until cycle wake_at.
static inline void qsm_sm_note_asleep(struct qsm_sm *sm, uint32_t sub, uint64_t wake_at) {
  sm->awake &= ~(1u << sub);
  if (wake_at < sm->timer_at) sm->timer_at = wake_at;
}

// ---- Messages out; requests are the memory port's ----

static inline void qsm_sm_send_retire(struct qsm_sm *sm, uint32_t tb, bool saved, uint64_t c) {
  sm->out.retire[sm->out.n_retire++] =
      (struct qsm_retire){.cycle = c, .tb = (uint8_t)tb, .saved = saved};
}
static inline void qsm_sm_send_fault(struct qsm_sm *sm, uint32_t kernels, uint64_t c) {
  sm->out.fault[sm->out.n_fault++] = (struct qsm_slot_pulse){.cycle = c, .kernels = kernels};
}
static inline void qsm_sm_send_restored(struct qsm_sm *sm, uint64_t c) {
  sm->out.restored = true;
  sm->out.restored_at = c;
}
static inline void qsm_sm_send_power(struct qsm_sm *sm, bool on, uint64_t c) {
  sm->out.told_power = true;
  sm->out.power_on = on;
  sm->out.power_at = c;
}
static inline struct qsm_mem_req *qsm_sm_next_request(struct qsm_sm *sm) {
  return &sm->out.req[sm->out.n_req++];
}

#endif
