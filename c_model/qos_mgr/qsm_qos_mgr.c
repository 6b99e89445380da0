// SPDX-License-Identifier: Apache-2.0
#include "qsm_qos_mgr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_regs.h"
#include "qsm_sm_owner.h"

enum { WORDS_PER_SLOT = 8, SAMPLES_PER_EPOCH = 100 };

// R-PA-12, R-PA-13: a multiple of F, a part.
enum { RESERVE_AT_MOST = 2, SHORT_BY = 8, KEPT_EPOCHS = 16 };

#define HISTORY_MASK ((UINT64_C(1) << 48) - 1)

typedef unsigned __int128 u128;

// An epoch end under way: from its tick to its load the manager goes through these cycles.
enum phase { PHASE_TICK, PHASE_SNAPSHOT, PHASE_COMPUTE, PHASE_LOAD, PHASE_DONE };

// Cycles that history counts (R-QM-2).
struct busy_count {
  bool busy;
  bool begun;     // busy in some cycle since the slot's arrival or HIST_CLEAR
  uint64_t from;  // counted up to here
  uint64_t n_cycles;
};

// What a slot's launch has of its deadline (R-DL-2).
struct due_launch {
  uint32_t work;
  uint64_t until;
  bool mixed;
  bool fresh;  // no E has seen it
};

// What is kept at E (R-QM-2).
struct snapshot {
  uint64_t cycle;  // E
  uint32_t scheme;
  uint32_t had_tb;
  uint64_t busy_cycles[QSM_MAX_KERNELS];
  uint32_t running;  // slots with a launch, and those
  struct due_launch launch[QSM_MAX_KERNELS];
  uint32_t ample;
  uint32_t keep;        // of the load message (R-QM-13, R-PA-17)
  qsm_sm_set rationed;  // SMs that quotas are for
  uint8_t tbs[QSM_MAX_KERNELS][QSM_MAX_SMS];
};

struct qsm_qos_mgr {
  const struct qsm_config *config;
  const struct qsm_regs *regs;
  struct qsm_tb_sched *tb_sched;
  const struct qsm_bus *bus;
  enum phase phase;
  uint64_t next_at;  // cycle of the phase
  uint64_t next_tick;
  uint64_t next_sample;
  uint64_t next_event;          // the earlier one of phase and sample
  uint32_t sample_acc;          // acc of R-SP-1, at the end of that cycle
  uint32_t ep_len;              // T of the running epoch
  uint64_t busy_from, busy_to;  // MGR_BUSY in between, both included; E is the cycle before
  uint32_t epoch_count;
  uint32_t epoch_e;
  struct snapshot snap;
  struct busy_count busy[QSM_MAX_KERNELS];
  struct qsm_qos_slot slot[QSM_MAX_KERNELS];
  struct qsm_qos_shown shown[QSM_MAX_SMS][QSM_MAX_KERNELS];
  // Of the epoch's instructions those on SMs without quotas, the most on one of these, and those on
  // SMs with quotas (R-QM-12).
  uint32_t off[QSM_MAX_KERNELS], top[QSM_MAX_KERNELS], on[QSM_MAX_KERNELS];
  uint32_t known;                     // R-QM-13: at a computation since they came
  uint32_t had_goal;                  // at the last one
  uint32_t reserve[QSM_MAX_KERNELS];  // R-PA-12
  uint32_t is_short, far;             // bit per slot, of this computation (R-PA-13, R-PA-17)
  uint32_t carry[QSM_MAX_KERNELS];    // the same: what is left on the SMs with quotas
  struct due_launch launch[QSM_MAX_KERNELS];
  uint64_t idle_from[QSM_MAX_KERNELS];  // the cycle after the last one with a launch
  uint32_t work_left[QSM_MAX_KERNELS];  // W of R-DL-3
};

// ---- Arithmetic ----

static u128 divide_up(u128 a, u128 b) { return (a + b - 1) / b; }

static uint32_t clip(u128 value, uint32_t top) { return value < top ? (uint32_t)value : top; }

uint32_t qsm_qos_aim(uint32_t goal_q16, uint32_t margin) {
  return clip((u128)goal_q16 + (margin ? goal_q16 >> (11 - margin) : 0), UINT32_MAX);
}

uint32_t qsm_qos_ratio(uint32_t goal_q16, uint64_t hist_cycles, uint64_t hist_insn) {
  if (hist_cycles == 0) return 0;
  return hist_insn == 0 ? QSM_ALPHA_MAX
                        : clip(divide_up((u128)goal_q16 * hist_cycles, hist_insn), QSM_ALPHA_MAX);
}

// R-QM-6 in terms of the ratio, which is 0 without a history and at its largest without an
// instruction.
uint32_t qsm_qos_alpha(uint32_t ratio, uint32_t alpha_cap) {
  uint32_t alpha = clip(ratio, alpha_cap ? alpha_cap : QSM_ALPHA_MAX);
  return alpha > QSM_ALPHA_ONE ? alpha : QSM_ALPHA_ONE;
}

uint32_t qsm_qos_quota(uint32_t alpha_q16, uint32_t goal_q16, uint32_t epoch_len) {
  return clip(divide_up((u128)alpha_q16 * goal_q16 * epoch_len, (u128)1 << 32), QSM_QUOTA_MAX);
}

uint32_t qsm_qos_fair(uint32_t iso_ipc_q16, uint32_t epoch_len, uint32_t n, bool up) {
  u128 product = (u128)iso_ipc_q16 * epoch_len, divisor = (u128)n << 16;
  return clip(up ? divide_up(product, divisor) : product / divisor, QSM_QUOTA_MAX);
}

uint32_t qsm_qos_scaled(uint32_t quota, uint32_t insn, uint32_t to_spend) {
  return clip((u128)quota * insn / to_spend, QSM_QUOTA_MAX);
}

uint32_t qsm_qos_need(uint32_t work, uint32_t epoch_len, uint64_t n_cycles) {
  return clip(divide_up((u128)work * epoch_len, n_cycles), QSM_QUOTA_MAX);
}

uint32_t qsm_qos_part(uint32_t quota, uint32_t before, uint32_t here, uint32_t sum) {
  uint64_t upper = (uint64_t)quota * (before + here) / sum;
  uint64_t lower = (uint64_t)quota * before / sum;
  return (uint32_t)(upper - lower);
}

// ---- Epoch end ----

static bool is_valid(const struct qsm_qos_mgr *mgr, uint32_t k) {
  return mgr->regs->valid_mask >> k & 1;
}

static bool is_qos(const struct qsm_qos_mgr *mgr, uint32_t k) {
  return mgr->regs->shared.qos_mask >> k & 1;
}

// A switch of R-QM-13.
static bool is_on(const struct qsm_qos_mgr *mgr, uint32_t field_mask) {
  return mgr->regs->quota_rules & field_mask;
}

static bool carries_over(const struct qsm_qos_mgr *mgr) {
  return qsm_scheme_carries_over(mgr->snap.scheme);
}

static bool is_paced(const struct qsm_qos_mgr *mgr) { return mgr->snap.scheme == QSM_SCHEME_PACE; }

// R-QM-5, R-QM-12 to R-QM-14
static void accumulate(struct qsm_qos_mgr *mgr, uint32_t k) {
  struct qsm_qos_slot *slot = &mgr->slot[k];
  uint64_t insn = 0, off = 0, carry = 0;
  uint32_t top = 0;
  for (uint32_t i = 0; i < mgr->config->num_sms; i++) {
    uint32_t here = mgr->bus->snap_insn(mgr->bus->ctx, i, k);
    int32_t left = mgr->bus->snap_c(mgr->bus->ctx, i, k);
    mgr->shown[i][k] = (struct qsm_qos_shown){.insn = here, .c = (uint32_t)left};
    insn += here;
    if (qsm_has_sm(mgr->snap.rationed, i)) {
      carry += left > 0 ? (uint32_t)left : 0;
      continue;
    }
    off += here;
    if (here > top) top = here;
  }
  slot->hist_insn = (slot->hist_insn + insn) & HISTORY_MASK;
  slot->hist_cycles = (slot->hist_cycles + mgr->snap.busy_cycles[k]) & HISTORY_MASK;
  slot->epoch_insn = clip(insn, QSM_QUOTA_MAX);
  mgr->off[k] = clip(off, QSM_QUOTA_MAX);
  mgr->top[k] = top;
  mgr->on[k] = clip(insn - off, QSM_QUOTA_MAX);
  mgr->carry[k] = carries_over(mgr) ? clip(carry, QSM_QUOTA_MAX) : 0;
}

static bool uses_history(const struct qsm_qos_mgr *mgr) {
  return is_on(mgr, QSM_REG_QUOTA_RULES_ALPHA_EN_MASK) &&
         qsm_scheme_uses_history(mgr->snap.scheme);  // R-SC-8
}

// Cycles that a launch has left at E.
static int64_t cycles_left(const struct qsm_qos_mgr *mgr, uint32_t k) {
  return (int64_t)(mgr->snap.launch[k].until - mgr->snap.cycle);
}

static bool is_running(const struct qsm_qos_mgr *mgr, uint32_t k) {
  return mgr->snap.running >> k & 1;
}

// R-DL-3
static void take_off_work(struct qsm_qos_mgr *mgr, uint32_t k) {
  const struct due_launch *launch = &mgr->snap.launch[k];
  uint32_t from = launch->fresh ? launch->work : mgr->work_left[k];
  uint32_t done = launch->fresh && launch->mixed ? 0 : mgr->slot[k].epoch_insn;
  mgr->work_left[k] = from > done && cycles_left(mgr, k) > 0 ? from - done : 0;
}

// R-DL-4
static bool is_timed(const struct qsm_qos_mgr *mgr, uint32_t k) {
  return is_paced(mgr) && is_running(mgr, k) && mgr->work_left[k] > 0;
}

// R-PA-1, R-PA-12: three 32nds, of cycles or of instructions.
static uint32_t reserve_at_first(uint32_t of) { return of / 16 + of / 32; }

// Debt of R-PA-1: what is left of the epoch that ended; `fresh` is F, `before` the quota then.
static uint32_t debt(const struct qsm_qos_mgr *mgr, uint32_t k, uint32_t aim, uint32_t fresh,
                     uint32_t before) {
  uint32_t busy = (uint32_t)mgr->snap.busy_cycles[k], spent = mgr->slot[k].epoch_insn;
  if (!(mgr->known >> k & 1))
    before = qsm_qos_quota(QSM_ALPHA_ONE, aim, busy + reserve_at_first(mgr->ep_len));
  else if (busy == 0)
    spent = fresh;  // R-PA-3
  return before > spent ? before - spent : 0;
}

// R-PA-12: sets the reserve; returns what it grows by.
static uint32_t raise_reserve(struct qsm_qos_mgr *mgr, uint32_t k, uint32_t fresh, uint32_t debt) {
  uint32_t *reserve = &mgr->reserve[k], had = *reserve;
  if (!(mgr->known >> k & 1)) {
    *reserve = reserve_at_first(fresh);
    return 0;
  }
  uint32_t wanted = clip((u128)fresh * RESERVE_AT_MOST, debt);
  if (wanted <= had || mgr->snap.busy_cycles[k] == 0) return 0;
  *reserve = wanted;
  return wanted - had;
}

// R-PA-1: F becomes the quota. Returns the debt.
static uint32_t add_owed(struct qsm_qos_mgr *mgr, uint32_t k, uint32_t aim, uint32_t before) {
  uint32_t fresh = mgr->slot[k].quota, cap = mgr->regs->rollover_cap;
  uint32_t left = debt(mgr, k, aim, fresh, before);
  left = clip((u128)left + raise_reserve(mgr, k, fresh, left), QSM_QUOTA_MAX);
  uint32_t owed = cap ? clip((u128)cap * fresh, left) : left;
  mgr->slot[k].quota = clip((u128)fresh + owed, QSM_QUOTA_MAX);
  return left;
}

// The quota is F so far, `before` that of the last epoch. R-PA-1, R-PA-13, R-PA-17; R-DL-4, R-DL-5
// of a timed slot.
static void compute_paced(struct qsm_qos_mgr *mgr, uint32_t k, uint32_t aim, uint32_t before) {
  struct qsm_qos_slot *slot = &mgr->slot[k];
  uint32_t fresh = slot->quota, left = add_owed(mgr, k, aim, before);
  bool is_short = left > fresh / SHORT_BY;
  if (is_short) mgr->is_short |= 1u << k;
  if (is_timed(mgr, k)) {
    uint64_t n_cycles = (uint64_t)cycles_left(mgr, k);
    slot->quota = clip(qsm_qos_need(mgr->work_left[k], mgr->ep_len, n_cycles), slot->quota);
    slot->ratio = left > 0 && !mgr->snap.launch[k].fresh ? QSM_ALPHA_MAX : QSM_ALPHA_ONE;
    return;
  }
  if (left > fresh && mgr->epoch_count % KEPT_EPOCHS) mgr->far |= 1u << k;
  if (is_short) {
    if (slot->ratio <= QSM_ALPHA_ONE) slot->ratio = QSM_ALPHA_ONE + 1;
  } else if (slot->ratio > QSM_ALPHA_ONE) {
    slot->ratio = QSM_ALPHA_ONE;
  }
}

// R-QM-6, R-QM-7
static void compute_qos(struct qsm_qos_mgr *mgr, uint32_t k) {
  struct qsm_qos_slot *slot = &mgr->slot[k];
  uint32_t margin = (mgr->regs->quota_rules & QSM_REG_QUOTA_RULES_MARGIN_MASK) >>
                    QSM_REG_QUOTA_RULES_MARGIN_SHIFT;
  uint32_t aim = qsm_qos_aim(mgr->regs->goal[k], margin), cap = mgr->regs->alpha_cap;
  slot->ratio = qsm_qos_ratio(aim, slot->hist_cycles, slot->hist_insn);
  slot->alpha = uses_history(mgr) ? qsm_qos_alpha(slot->ratio, cap) : QSM_ALPHA_ONE;
  uint32_t before = slot->quota;
  slot->quota = qsm_qos_quota(slot->alpha, aim, mgr->ep_len);
  if (is_paced(mgr))
    compute_paced(mgr, k, aim, before);
  else
    mgr->reserve[k] = 0;
  if (uses_history(mgr) && slot->ratio == QSM_ALPHA_MAX && cap == 0)
    slot->quota = QSM_QUOTA_MAX;  // B2
}

static bool someone_is_behind(const struct qsm_qos_mgr *mgr) {
  for (uint32_t j = 0; j < mgr->config->num_kernels; j++) {
    if (is_valid(mgr, j) && is_qos(mgr, j) && mgr->slot[j].alpha > QSM_ALPHA_ONE) return true;
  }
  return false;
}

// R-QM-8, R-QM-13: what an artificial goal begins as.
static uint32_t artificial_base(const struct qsm_qos_mgr *mgr, uint32_t k) {
  uint32_t issued = mgr->on[k], granted = mgr->slot[k].quota;  // of the epoch that ended
  if (!(mgr->known >> k & 1))
    return is_on(mgr, QSM_REG_QUOTA_RULES_NO_FLOOR_MASK) ? mgr->ep_len : issued;
  if (is_on(mgr, QSM_REG_QUOTA_RULES_UNFED_MASK) && someone_is_behind(mgr))
    return issued < granted ? issued : granted;
  return issued;
}

// R-QM-8 without NONQOS_QUOTA.
static uint32_t artificial_quota(const struct qsm_qos_mgr *mgr, uint32_t k) {
  uint32_t quota = artificial_base(mgr, k);
  for (uint32_t j = 0; j < mgr->config->num_kernels; j++) {
    const struct qsm_qos_slot *qos = &mgr->slot[j];
    if (!is_valid(mgr, j) || !is_qos(mgr, j) || !(mgr->snap.had_tb >> j & 1) || qos->quota == 0)
      continue;
    uint32_t carry = is_on(mgr, QSM_REG_QUOTA_RULES_CARRIED_MASK) ? mgr->carry[j] : 0;
    uint32_t to_spend = clip((u128)qos->quota + carry, QSM_QUOTA_MAX);
    quota = qsm_qos_scaled(quota, qos->epoch_insn, to_spend);
  }
  if (is_on(mgr, QSM_REG_QUOTA_RULES_NO_FLOOR_MASK)) return quota;
  return quota > mgr->ep_len ? quota : mgr->ep_len;
}

// R-QM-8, R-PA-2
static void compute_other(struct qsm_qos_mgr *mgr, uint32_t k) {
  uint32_t fixed = mgr->regs->nonqos_quota;
  mgr->slot[k].ratio = 0;
  mgr->slot[k].alpha = QSM_ALPHA_ONE;
  if (is_paced(mgr))
    mgr->slot[k].quota = 0;
  else
    mgr->slot[k].quota = fixed ? mgr->ep_len << (fixed - 1) : artificial_quota(mgr, k);
}

// R-SC-10: in place of all other quotas.
static void compute_fair(struct qsm_qos_mgr *mgr) {
  uint32_t had_tb = mgr->snap.had_tb & mgr->regs->valid_mask;
  uint32_t n = had_tb ? (uint32_t)__builtin_popcount(had_tb) : 1;
  for (uint32_t left = mgr->regs->valid_mask; left; left &= left - 1) {
    uint32_t k = qsm_lowest(left);
    mgr->slot[k].quota = qsm_qos_fair(mgr->regs->iso_ipc[k], mgr->ep_len, n, is_qos(mgr, k));
  }
}

static bool is_pooled(const struct qsm_qos_mgr *mgr) {
  return is_on(mgr, QSM_REG_QUOTA_RULES_POOLED_MASK);
}

// R-QM-9: what a load may carry over.
static uint32_t credit(const struct qsm_qos_mgr *mgr, uint32_t k, uint32_t quota) {
  uint32_t cap = mgr->regs->rollover_cap;
  if (!carries_over(mgr) || !is_qos(mgr, k) || is_pooled(mgr)) return 0;
  return cap ? clip((u128)cap * quota, QSM_QUOTA_MAX - quota) : QSM_QUOTA_MAX - quota;
}

static void send_word(const struct qsm_qos_mgr *mgr, uint64_t cycle, uint32_t sm, uint32_t k,
                      uint32_t quota) {
  struct qsm_sm_msg msg = {.cycle = cycle + mgr->config->noc_lat,
                           .kind = QSM_MSG_QUOTA_WORD,
                           .kernel = (uint8_t)k,
                           .quota = quota,
                           .credit = credit(mgr, k, quota)};
  mgr->bus->send(mgr->bus->ctx, sm, &msg);
}

// R-QM-12: what is left of a quota for the SMs that it is for.
static uint32_t quota_left(const struct qsm_qos_mgr *mgr, uint32_t k) {
  uint32_t quota = mgr->slot[k].quota, off = mgr->off[k], top = mgr->top[k];
  if (!is_qos(mgr, k)) return quota;
  uint32_t left = quota > off ? quota - off : 0;
  return left > top || (mgr->snap.ample >> k & 1) ? left : top;
}

// R-QM-13: what is left of all SMs' quotas and divided anew.
static uint32_t pool(const struct qsm_qos_mgr *mgr, uint32_t k) {
  uint32_t cap = mgr->regs->rollover_cap, carry = mgr->carry[k];
  if (!is_pooled(mgr) || !is_qos(mgr, k)) return 0;
  return cap ? clip((u128)cap * mgr->slot[k].quota, carry) : carry;
}

static uint32_t all_tbs(const struct qsm_qos_mgr *mgr, uint32_t k) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < mgr->config->num_sms; i++) sum += mgr->snap.tbs[k][i];
  return sum;
}

// An equal share of NumSms rounded up to a power of two (R-PA-4).
static uint32_t equal_share(const struct qsm_qos_mgr *mgr, uint32_t quota) {
  uint32_t shift = 0;
  while (1u << shift < mgr->config->num_sms) shift++;
  return quota >> shift;
}

// R-QM-9
static void split(const struct qsm_qos_mgr *mgr, uint64_t cycle, uint32_t k) {
  const uint8_t *tbs = mgr->snap.tbs[k];
  uint32_t sum = all_tbs(mgr, k), before = 0;
  uint32_t quota = clip((u128)quota_left(mgr, k) + pool(mgr, k), QSM_QUOTA_MAX);
  uint32_t share = is_paced(mgr) ? equal_share(mgr, quota) : 0;
  for (uint32_t i = 0; i < mgr->config->num_sms; i++) {
    if (tbs[i] == 0 && !is_paced(mgr)) continue;
    uint32_t part = tbs[i] ? qsm_qos_part(quota, before, tbs[i], sum) : 0;
    if ((tbs[i] == 0 || mgr->is_short >> k & 1) && part < share) part = share;
    send_word(mgr, cycle, i, k, part ? part : 1);
    before += tbs[i];
  }
}

// R-QM-13: slots whose credit outlives the load, as they have no block anywhere. Under pace those
// that are far behind (R-PA-17).
static uint32_t kept_credit(const struct qsm_qos_mgr *mgr) {
  uint32_t keep = 0;
  if (is_paced(mgr)) return mgr->far;
  if (!is_on(mgr, QSM_REG_QUOTA_RULES_ALL_CYCLES_MASK) || !carries_over(mgr)) return 0;
  for (uint32_t k = 0; k < mgr->config->num_kernels; k++) {
    if (is_valid(mgr, k) && is_qos(mgr, k) && all_tbs(mgr, k) == 0) keep |= 1u << k;
  }
  return keep & mgr->known;
}

// A slot that got or lost its goal is not known.
static void forget_others(struct qsm_qos_mgr *mgr) {
  uint32_t valid = mgr->regs->valid_mask, qos = mgr->regs->shared.qos_mask;
  mgr->known &= ~(valid & (mgr->had_goal ^ qos));
  mgr->had_goal = (mgr->had_goal & ~valid) | (qos & valid);
}

// Slot order matters: a non-QoS quota depends on all QoS quotas.
static void compute(struct qsm_qos_mgr *mgr, uint64_t cycle) {
  uint32_t n = mgr->config->num_kernels;
  forget_others(mgr);
  mgr->is_short = mgr->far = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (!is_valid(mgr, k)) continue;
    accumulate(mgr, k);
    if (is_running(mgr, k)) take_off_work(mgr, k);
    if (is_qos(mgr, k)) compute_qos(mgr, k);
  }
  for (uint32_t k = 0; k < n; k++) {
    if (is_valid(mgr, k) && !is_qos(mgr, k)) compute_other(mgr, k);
  }
  if (mgr->snap.scheme == QSM_SCHEME_FAIR) compute_fair(mgr);
  for (uint32_t k = 0; k < n; k++) {
    if (is_valid(mgr, k) && (is_qos(mgr, k) || !is_paced(mgr))) split(mgr, cycle, k);
  }
  mgr->snap.keep = kept_credit(mgr);
  mgr->known |= mgr->regs->valid_mask;
}

// The cycles before `to`, by what has held since the last call.
static void count_up_to(const struct qsm_qos_mgr *mgr, struct busy_count *count, uint64_t to) {
  bool counts = count->busy || (count->begun && is_on(mgr, QSM_REG_QUOTA_RULES_ALL_CYCLES_MASK));
  if (counts) count->n_cycles += to - count->from;
  if (count->busy && to > count->from) count->begun = true;
  count->from = to;
}

static uint64_t take_busy_cycles(const struct qsm_qos_mgr *mgr, struct busy_count *count,
                                 uint64_t to) {
  count_up_to(mgr, count, to);
  uint64_t n_cycles = count->n_cycles;
  count->n_cycles = 0;
  return n_cycles;
}

// R-QM-12: under sm_rollover those that are shared and do not move.
static qsm_sm_set rationed_sms(const struct qsm_qos_mgr *mgr) {
  if (mgr->regs->scheme != QSM_SCHEME_SM_ROLLOVER) return qsm_first_sms(mgr->config->num_sms);
  const struct qsm_sm_owner *so = qsm_tb_sched_sm_owner(mgr->tb_sched);
  qsm_sm_set sms = 0;
  for (uint32_t i = 0; i < mgr->config->num_sms; i++) {
    const struct qsm_sm_usage *sm = qsm_sm_owner_of(so, i);
    if (qsm_sm_is_common(sm)) sms |= qsm_sm_bit(i);
  }
  return sms;
}

// R-QM-2, in E
static void take_snapshot(struct qsm_qos_mgr *mgr, uint64_t cycle) {
  struct snapshot *snap = &mgr->snap;
  snap->cycle = cycle;
  snap->scheme = mgr->regs->scheme;
  snap->rationed = rationed_sms(mgr);
  snap->had_tb = qsm_tb_sched_take_had_tb(mgr->tb_sched, cycle);
  for (uint32_t k = 0; k < mgr->config->num_kernels; k++) {
    snap->busy_cycles[k] = take_busy_cycles(mgr, &mgr->busy[k], cycle + 1);
    snap->running = (snap->running & ~(1u << k)) | (uint32_t)mgr->busy[k].busy << k;
    snap->launch[k] = mgr->launch[k];
    mgr->launch[k].fresh = false;
    for (uint32_t i = 0; i < mgr->config->num_sms; i++)
      snap->tbs[k][i] =
          qsm_has_sm(snap->rationed, i) ? (uint8_t)qsm_tb_sched_sharing(mgr->tb_sched, i, k) : 0;
  }
}

static void report_epoch(const struct qsm_qos_mgr *mgr, uint64_t cycle) {
  uint32_t words[WORDS_PER_SLOT * QSM_MAX_KERNELS];
  uint32_t n = mgr->config->num_kernels;
  for (uint32_t k = 0; k < n; k++) {
    const struct qsm_qos_slot *slot = &mgr->slot[k];
    const uint32_t of_slot[WORDS_PER_SLOT] = {slot->quota,
                                              slot->alpha,
                                              slot->epoch_insn,
                                              (uint32_t)slot->hist_insn,
                                              (uint32_t)(slot->hist_insn >> 32),
                                              (uint32_t)slot->hist_cycles,
                                              (uint32_t)(slot->hist_cycles >> 32),
                                              slot->ratio};
    memcpy(&words[WORDS_PER_SLOT * k], of_slot, sizeof of_slot);
  }
  qsm_bus_report(mgr->bus, cycle, QSM_EV_EPOCH, 0, WORDS_PER_SLOT * n, words);
}

static void send_to_all(const struct qsm_qos_mgr *mgr, uint64_t cycle, enum qsm_sm_msg_kind kind) {
  struct qsm_sm_msg msg = {.cycle = cycle + mgr->config->noc_lat, .kind = (uint8_t)kind};
  qsm_bus_broadcast(mgr->bus, mgr->config->num_sms, &msg);
}

// R-SC-15: SMs without quotas hold nobody.
static void send_load(const struct qsm_qos_mgr *mgr, uint64_t cycle) {
  for (uint32_t i = 0; i < mgr->config->num_sms; i++) {
    bool rationed = qsm_has_sm(mgr->snap.rationed, i);
    struct qsm_sm_msg msg = {
        .cycle = cycle + mgr->config->noc_lat,
        .kind = QSM_MSG_QUOTA_LOAD,
        .keep = (uint8_t)mgr->snap.keep,
        .scheme = rationed ? (uint8_t)mgr->snap.scheme : (uint8_t)QSM_SCHEME_NONE};
    mgr->bus->send(mgr->bus->ctx, i, &msg);
  }
}

// R-SP-1: the first cycle from `from` on whose 100 take acc to T.
static void plan_sample(struct qsm_qos_mgr *mgr, uint64_t from) {
  uint32_t n_cycles = (mgr->ep_len - mgr->sample_acc + SAMPLES_PER_EPOCH - 1) / SAMPLES_PER_EPOCH;
  mgr->next_sample = from + n_cycles - 1;
  mgr->sample_acc += n_cycles * SAMPLES_PER_EPOCH - mgr->ep_len;
}

// R-QM-1: the next epoch begins, with the EPOCH_LEN of now.
static void tick(struct qsm_qos_mgr *mgr, uint64_t cycle) {
  send_to_all(mgr, cycle, QSM_MSG_TICK);
  mgr->ep_len = mgr->regs->shared.epoch_len;
  mgr->next_tick = cycle + mgr->ep_len;
  mgr->busy_from = cycle + mgr->config->noc_lat + 1;
  mgr->busy_to = cycle + mgr->config->noc_lat + mgr->config->qos_lat;
}

// r_k of all slots, for the pass that may begin now.
static void adjust(const struct qsm_qos_mgr *mgr, uint64_t cycle) {
  uint32_t ratio[QSM_MAX_KERNELS] = {0};
  for (uint32_t k = 0; k < mgr->config->num_kernels; k++) ratio[k] = mgr->slot[k].ratio;
  qsm_tb_sched_adjust(mgr->tb_sched, cycle, ratio);
}

static void finish(struct qsm_qos_mgr *mgr, uint64_t cycle) {
  report_epoch(mgr, cycle);
  adjust(mgr, cycle);
  mgr->epoch_count++;
  mgr->epoch_e = (uint32_t)mgr->snap.cycle;
}

static void step_phase(struct qsm_qos_mgr *mgr, uint64_t cycle) {
  uint32_t noc_lat = mgr->config->noc_lat;
  switch (mgr->phase) {
    case PHASE_TICK:
      tick(mgr, cycle);
      mgr->phase = PHASE_SNAPSHOT;
      mgr->next_at = cycle + noc_lat;
      break;
    case PHASE_SNAPSHOT:
      take_snapshot(mgr, cycle);
      mgr->phase = PHASE_COMPUTE;
      mgr->next_at = cycle + noc_lat + 1;  // by then every SM has done E
      break;
    case PHASE_COMPUTE:
      compute(mgr, cycle);
      mgr->phase = PHASE_LOAD;
      mgr->next_at = mgr->busy_to - noc_lat;
      break;
    case PHASE_LOAD:
      send_load(mgr, cycle);
      mgr->phase = PHASE_DONE;
      mgr->next_at = mgr->busy_to;
      break;
    case PHASE_DONE:
      finish(mgr, cycle);
      mgr->phase = PHASE_TICK;
      mgr->next_at = mgr->next_tick;
      break;
  }
}

bool qsm_qos_mgr_step(struct qsm_qos_mgr *mgr, uint64_t cycle) {
  bool samples = cycle == mgr->next_sample;
  bool tells = cycle == mgr->next_at && (mgr->phase == PHASE_SNAPSHOT || mgr->phase == PHASE_DONE);
  if (samples) send_to_all(mgr, cycle, QSM_MSG_SAMPLE);
  if (cycle == mgr->next_at) step_phase(mgr, cycle);
  if (samples)
    plan_sample(mgr, cycle + 1);  // with the next epoch's length, if this was the last cycle
  mgr->next_event = qsm_earlier(mgr->next_at, mgr->next_sample);
  return tells;
}

uint64_t qsm_qos_mgr_next(const struct qsm_qos_mgr *mgr, uint64_t from) {
  return mgr->next_event > from ? mgr->next_event : from;
}

bool qsm_qos_mgr_epoch_ended(const struct qsm_qos_mgr *mgr, uint64_t cycle, uint32_t *ep_len,
                             uint32_t *had_tb) {
  if (mgr->phase != PHASE_COMPUTE || mgr->snap.cycle != cycle) return false;
  *ep_len = mgr->ep_len;
  *had_tb = mgr->snap.had_tb;
  return true;
}

void qsm_qos_mgr_note_ample(struct qsm_qos_mgr *mgr, uint32_t kernels) {
  mgr->snap.ample = kernels;
}

// ---- Interface ----

struct qsm_qos_mgr *qsm_qos_mgr_create(const struct qsm_regs *regs, struct qsm_tb_sched *tb_sched,
                                       const struct qsm_bus *bus) {
  struct qsm_qos_mgr *mgr = calloc(1, sizeof *mgr);
  if (!mgr) return NULL;
  mgr->config = regs->shared.config;
  mgr->regs = regs;
  mgr->tb_sched = tb_sched;
  mgr->bus = bus;
  mgr->ep_len = regs->shared.epoch_len;
  mgr->next_at = mgr->ep_len - 1;
  plan_sample(mgr, 0);
  mgr->next_event = qsm_earlier(mgr->next_at, mgr->next_sample);
  mgr->busy_from = QSM_NEVER;
  for (uint32_t k = 0; k < mgr->config->num_kernels; k++) mgr->slot[k].alpha = QSM_ALPHA_ONE;
  return mgr;
}

void qsm_qos_mgr_destroy(struct qsm_qos_mgr *mgr) { free(mgr); }

void qsm_qos_mgr_set_busy(struct qsm_qos_mgr *mgr, uint32_t kernel, bool busy, uint64_t from) {
  struct busy_count *count = &mgr->busy[kernel];
  count_up_to(mgr, count, from);
  count->busy = busy;
  if (!busy) mgr->idle_from[kernel] = from;
}

void qsm_qos_mgr_note_launch(struct qsm_qos_mgr *mgr, uint32_t kernel, uint64_t cycle) {
  uint32_t deadline = mgr->regs->deadline[kernel];
  mgr->launch[kernel] = (struct due_launch){.work = deadline ? mgr->regs->work[kernel] : 0,
                                            .until = cycle + deadline,
                                            .mixed = mgr->idle_from[kernel] > mgr->snap.cycle + 1,
                                            .fresh = true};
}

void qsm_qos_mgr_settle(struct qsm_qos_mgr *mgr, uint64_t from) {
  for (uint32_t k = 0; k < mgr->config->num_kernels; k++) count_up_to(mgr, &mgr->busy[k], from);
}

void qsm_qos_mgr_clear_history(struct qsm_qos_mgr *mgr, uint32_t kernel, uint64_t from) {
  mgr->slot[kernel].hist_insn = 0;
  mgr->slot[kernel].hist_cycles = 0;
  take_busy_cycles(mgr, &mgr->busy[kernel], from);
  mgr->busy[kernel].begun = false;
  mgr->known &= ~(1u << kernel);
}

bool qsm_qos_mgr_busy(const struct qsm_qos_mgr *mgr, uint64_t cycle) {
  return cycle >= mgr->busy_from && cycle <= mgr->busy_to;
}

bool qsm_qos_mgr_refuses_writes(const struct qsm_qos_mgr *mgr, uint64_t cycle) {
  return cycle + 1 >= mgr->busy_from && cycle <= mgr->busy_to;  // E too
}

uint32_t qsm_qos_mgr_epoch_count(const struct qsm_qos_mgr *mgr) { return mgr->epoch_count; }

uint32_t qsm_qos_mgr_epoch_e(const struct qsm_qos_mgr *mgr) { return mgr->epoch_e; }

const struct qsm_qos_slot *qsm_qos_mgr_slot(const struct qsm_qos_mgr *mgr, uint32_t kernel) {
  return &mgr->slot[kernel];
}

const struct qsm_qos_shown *qsm_qos_mgr_shown(const struct qsm_qos_mgr *mgr, uint32_t sm,
                                              uint32_t kernel) {
  return &mgr->shown[sm][kernel];
}

// The low 16 bits of a history: the next EPOCH event shows them.
int qsm_qos_mgr_inject(struct qsm_qos_mgr *mgr, uint64_t seed, char *what, size_t what_len) {
  if (!mgr->regs->valid_mask) return -1;
  uint32_t k = qsm_first_from(mgr->regs->valid_mask, (uint32_t)(seed % mgr->config->num_kernels));
  uint32_t bit = (uint32_t)(seed / QSM_MAX_KERNELS % 16);
  bool cycles = seed / (16 * QSM_MAX_KERNELS) & 1;
  uint64_t *history = cycles ? &mgr->slot[k].hist_cycles : &mgr->slot[k].hist_insn;
  *history ^= UINT64_C(1) << bit;
  snprintf(what, what_len, "qos_mgr: bit %u of the history %s of slot %u", bit,
           cycles ? "cycles" : "instructions", k);
  return 0;
}
