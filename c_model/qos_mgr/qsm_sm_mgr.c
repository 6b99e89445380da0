// SPDX-License-Identifier: Apache-2.0
#include "qsm_sm_mgr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_regs.h"

enum { WORDS_PER_RECORD = 6, NOBODY = QSM_MAX_KERNELS };

#define INSN_MAX 0x7fffffffu

typedef unsigned __int128 u128;

// What R-SG-2 looks at.
struct situation {
  uint32_t scheme, part, qos;
};

struct slot {
  uint8_t n;
  // Record
  bool run, seen, ample;
  uint64_t lead;  // two's complement, Q47.16
  uint32_t insn;  // i
  // Batch; the last three are 0 while there is nothing to judge
  uint8_t opt;
  bool upper, lower;
  uint8_t eval;  // enum qsm_eval
  uint8_t sm_last;
  uint32_t i_last;
  bool out;
};

struct qsm_sm_mgr {
  const struct qsm_config *config;
  const struct qsm_regs *regs;
  struct qsm_sm_ports ports;
  const struct qsm_bus *bus;
  struct situation known;
  bool managed, planning;
  uint32_t apart;     // bit per slot, as of the start of the cycle
  bool stale;         // somebody has come since a change was looked for
  uint64_t split_at;  // S, from the cycle after the change on; else QSM_NEVER
  uint64_t count_at;  // the cycle in which the next SM_COUNT is read, until all are
  uint32_t sm_count[QSM_MAX_KERNELS];
  uint64_t decide_at;    // D, from E on; QSM_NEVER unless an epoch is being worked out
  uint32_t ep_len;       // T of the running epoch
  uint32_t ended_len;    // and of the one that ended at E
  uint32_t had_tb;       // as of E
  bool still, steady;    // likewise: no SM was moving, no plan under way or to come
  bool calm;             // and none was moving since the E before
  uint64_t move_cycles;  // up to the cycle after E
  uint32_t common;       // as of E, under sm_rollover: the SM that all share; QSM_MAX_SMS: none
  uint32_t on_common;    // bit k: T_i > 0 there
  struct slot slot[QSM_MAX_KERNELS];
};

// What R-SG-8 decides on.
struct deal {
  const uint32_t *insn;  // x
  uint32_t batch;        // bit k: taking part, without a goal
  uint32_t n_part, n_free;
  bool moved;
};

// ---- What it sees ----

static struct situation look(const struct qsm_sm_mgr *mgr) {
  uint32_t part = mgr->ports.part(mgr->ports.ctx);
  return (struct situation){mgr->regs->scheme, part, part & mgr->regs->shared.qos_mask};
}

static bool is_known(const struct qsm_sm_mgr *mgr, struct situation now) {
  const struct situation *known = &mgr->known;
  return !mgr->stale && now.scheme == known->scheme && now.part == known->part &&
         now.qos == known->qos;
}

static const struct qsm_sm_usage *usage_of(const struct qsm_sm_mgr *mgr, uint32_t sm) {
  return mgr->ports.usage(mgr->ports.ctx, sm);
}

static uint32_t destination(const struct qsm_sm_usage *sm) {
  return sm->moving ? sm->next_usage : sm->usage;
}

// The slot that owns the SM, or will; NOBODY: none.
static uint32_t holder(const struct qsm_sm_usage *sm) {
  if (destination(sm) != QSM_USE_OWNED) return NOBODY;
  return sm->moving ? sm->next_owner : sm->owner;
}

static bool any_moving(const struct qsm_sm_mgr *mgr) {
  for (uint32_t i = 0; i < mgr->config->num_sms; i++)
    if (usage_of(mgr, i)->moving) return true;
  return false;
}

static uint32_t popcount(uint32_t mask) { return (uint32_t)__builtin_popcount(mask); }

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// ---- Change: split (R-SG-2, R-SG-3) ----

static void end_judgement(struct slot *slot) {
  slot->eval = QSM_EVAL_NONE;
  slot->sm_last = 0;
  slot->i_last = 0;
  slot->out = false;
}

// `n_sms` equally to these slots, the remainder one each to the first of them.
static void share_equally(struct qsm_sm_mgr *mgr, uint32_t slots, uint32_t n_sms) {
  if (!slots) return;
  uint32_t each = n_sms / popcount(slots), more = n_sms % popcount(slots);
  for (uint32_t left = slots; left; left &= left - 1) {
    mgr->slot[qsm_lowest(left)].n = (uint8_t)(each + (more > 0));
    more -= more > 0;
  }
}

// Those with a goal first: what the division leaves over goes to them before the others.
static void split_evenly(struct qsm_sm_mgr *mgr, struct situation now) {
  uint32_t others = now.part & ~now.qos;
  uint32_t each = mgr->config->num_sms / popcount(now.part);
  uint32_t more = mgr->config->num_sms % popcount(now.part);
  uint32_t to_goals = least(more, popcount(now.qos));
  share_equally(mgr, now.qos, each * popcount(now.qos) + to_goals);
  share_equally(mgr, others, each * popcount(others) + more - to_goals);
}

static void split_by_register(struct qsm_sm_mgr *mgr, struct situation now) {
  uint32_t left = mgr->config->num_sms, unserved = popcount(now.part), uncounted = 0;
  for (uint32_t slots = now.part; slots; slots &= slots - 1) {
    uint32_t k = qsm_lowest(slots), count = mgr->sm_count[k];
    if (count == 0) {
      uncounted |= 1u << k;
      continue;
    }
    unserved--;
    mgr->slot[k].n = (uint8_t)least(count, left - unserved);
    left -= mgr->slot[k].n;
  }
  share_equally(mgr, uncounted, left);
}

// R-SG-14. One SM stays shared, so nobody needs one of its own.
static void split_beside_shared(struct qsm_sm_mgr *mgr, struct situation now) {
  uint32_t left = mgr->config->num_sms - 1, uncounted = 0;
  for (uint32_t slots = now.part; slots; slots &= slots - 1) {
    uint32_t k = qsm_lowest(slots);
    mgr->slot[k].n = (uint8_t)least(mgr->sm_count[k], left);
    left -= mgr->slot[k].n;
    if (mgr->sm_count[k] == 0) uncounted |= 1u << k;
  }
  const uint32_t goals = uncounted & now.qos;
  share_equally(mgr, goals ? goals : uncounted, left);
}

static void split(struct qsm_sm_mgr *mgr) {
  for (uint32_t k = 0; k < mgr->config->num_kernels; k++) mgr->slot[k].n = 0;
  if (!mgr->managed) return;
  if (mgr->known.scheme == QSM_SCHEME_SM_ROLLOVER)
    split_beside_shared(mgr, mgr->known);
  else if (mgr->known.scheme == QSM_SCHEME_SM_STATIC)
    split_by_register(mgr, mgr->known);
  else
    split_evenly(mgr, mgr->known);
}

static bool has_changed(const struct qsm_sm_mgr *mgr) {
  if (!mgr->managed && !qsm_scheme_whole_sms(mgr->regs->scheme)) return false;
  return !is_known(mgr, look(mgr));
}

static void report_plan(const struct qsm_sm_mgr *mgr, uint64_t cycle) {
  uint32_t n[QSM_MAX_KERNELS];
  for (uint32_t k = 0; k < mgr->config->num_kernels; k++) n[k] = mgr->slot[k].n;
  qsm_bus_report(mgr->bus, cycle, QSM_EV_PLAN, 0, mgr->config->num_kernels, n);
}

// R-SG-1, R-SG-13.
static bool can_manage(const struct qsm_sm_mgr *mgr, struct situation now) {
  if (!qsm_scheme_whole_sms(now.scheme) || !now.part) return false;
  return now.scheme == QSM_SCHEME_SM_ROLLOVER ? mgr->config->num_sms >= 2
                                              : popcount(now.part) <= mgr->config->num_sms;
}

static void follow_change(struct qsm_sm_mgr *mgr, uint64_t cycle) {
  struct situation now = look(mgr);
  mgr->known = now;
  mgr->stale = false;
  mgr->managed = can_manage(mgr, now);
  for (uint32_t k = 0; k < mgr->config->num_kernels; k++) {
    struct slot *slot = &mgr->slot[k];
    end_judgement(slot);
    slot->upper = slot->lower = false;
  }
  mgr->planning = false;
  mgr->count_at = cycle + 2;
  mgr->split_at = cycle + 3 * (uint64_t)mgr->config->num_kernels + 10;
}

static void step_split(struct qsm_sm_mgr *mgr, uint64_t cycle) {
  uint32_t n = mgr->config->num_kernels;
  if (cycle == mgr->count_at) {
    uint32_t k = (uint32_t)(cycle + 3 * (uint64_t)n + 8 - mgr->split_at);
    mgr->sm_count[k] = mgr->regs->sm_count[k];
    mgr->count_at = k + 1 < n ? cycle + 1 : QSM_NEVER;
  }
  if (cycle != mgr->split_at) return;
  split(mgr);
  for (uint32_t k = 0; k < n; k++) mgr->slot[k].opt = mgr->slot[k].n;
  mgr->split_at = QSM_NEVER;
  mgr->planning = true;
  report_plan(mgr, cycle);
}

// ---- Records (R-SG-4 to R-SG-6) ----

// The snapshots stay from E + NocLat + 1 to the next E, and what gates an SM comes after D: they
// are added at once in D.
static void collect(const struct qsm_sm_mgr *mgr, uint32_t *insn) {
  for (uint32_t k = 0; k < mgr->config->num_kernels; k++) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < mgr->config->num_sms; i++)
      sum += mgr->bus->snap_insn(mgr->bus->ctx, i, k);
    insn[k] = sum < INSN_MAX ? (uint32_t)sum : INSN_MAX;
  }
}

// Instructions that the goal asks for in the epoch, Q48.16.
static uint64_t goal_of_epoch(const struct qsm_sm_mgr *mgr, uint32_t k) {
  return (uint64_t)mgr->regs->goal[k] * mgr->ended_len;
}

// How far it came ahead of the goal in the epoch, Q47.16.
static int64_t gain_of_epoch(const struct qsm_sm_mgr *mgr, uint32_t k, uint32_t insn) {
  return (int64_t)((uint64_t)insn << 16) - (int64_t)goal_of_epoch(mgr, k);
}

static bool is_epoch_ahead(const struct qsm_sm_mgr *mgr, uint32_t k) {
  return (int64_t)mgr->slot[k].lead > (int64_t)goal_of_epoch(mgr, k);
}

static void update_record(struct qsm_sm_mgr *mgr, uint32_t k, uint32_t insn) {
  struct slot *slot = &mgr->slot[k];
  if (slot->seen) {
    slot->run = true;
    slot->lead += (uint64_t)gain_of_epoch(mgr, k, insn);
    slot->insn = insn;
    slot->ample = is_epoch_ahead(mgr, k);
  } else if (mgr->had_tb >> k & 1) {
    slot->seen = true;
  }
}

// Algorithm 2: what the SM that came or went did to the kernel's instructions.
static void judge(const struct qsm_sm_mgr *mgr, struct slot *slot, uint32_t insn) {
  uint64_t threshold = mgr->regs->sm_threshold;
  uint64_t is = (uint64_t)insn << 16, was = slot->i_last;
  bool learns = slot->sm_last == slot->opt && !(slot->upper && slot->lower);
  bool more_is_better = slot->out ? is < was * (0x10000 - threshold)   // it missed the SM
                                  : is > was * (0x10000 + threshold);  // it made use of it
  bool keeps = slot->out != more_is_better;  // its new number is as good as the old one, or better
  end_judgement(slot);
  if (!learns) return;
  if (more_is_better)
    slot->lower = true;
  else
    slot->upper = true;
  if (keeps) slot->opt = slot->n;
}

static void evaluate(struct qsm_sm_mgr *mgr, struct situation now, const uint32_t *insn) {
  for (uint32_t batch = now.part & ~now.qos; batch; batch &= batch - 1) {
    uint32_t k = qsm_lowest(batch);
    struct slot *slot = &mgr->slot[k];
    if (slot->eval == QSM_EVAL_SETTLING)
      judge(mgr, slot, insn[k]);
    else if (slot->eval == QSM_EVAL_MOVING && mgr->still)
      slot->eval = QSM_EVAL_SETTLING;
  }
}

// ---- SMQoS (R-SG-8) ----

static int32_t above_opt(const struct slot *slot) { return slot->n - slot->opt; }

// Of these slots the one with the largest n - opt, of equals the lowest; mask is not 0.
static uint32_t furthest_above_opt(const struct qsm_sm_mgr *mgr, uint32_t mask) {
  uint32_t best = qsm_lowest(mask);
  for (; mask; mask &= mask - 1) {
    uint32_t k = qsm_lowest(mask);
    if (above_opt(&mgr->slot[k]) > above_opt(&mgr->slot[best])) best = k;
  }
  return best;
}

static uint32_t furthest_below_opt(const struct qsm_sm_mgr *mgr, uint32_t mask) {
  uint32_t best = qsm_lowest(mask);
  for (; mask; mask &= mask - 1) {
    uint32_t k = qsm_lowest(mask);
    if (above_opt(&mgr->slot[k]) < above_opt(&mgr->slot[best])) best = k;
  }
  return best;
}

static uint32_t with_fewest(const struct qsm_sm_mgr *mgr, uint32_t mask) {
  uint32_t best = qsm_lowest(mask);
  for (; mask; mask &= mask - 1) {
    uint32_t k = qsm_lowest(mask);
    if (mgr->slot[k].n < mgr->slot[best].n) best = k;
  }
  return best;
}

// Of the batch slots those that can move, and what the choices of R-SG-8 ask for.
struct movable {
  uint32_t all;
  uint32_t short_of_opt, not_upper, not_lower;
  uint32_t many;  // n > 1
};

static struct movable find_movable(const struct qsm_sm_mgr *mgr, const struct deal *deal,
                                   bool unjudged_too) {
  struct movable can = {0};
  for (uint32_t left = deal->moved ? 0 : deal->batch; left; left &= left - 1) {
    uint32_t k = qsm_lowest(left), bit = 1u << k;
    const struct slot *slot = &mgr->slot[k];
    if (slot->eval != QSM_EVAL_NONE && !unjudged_too) continue;
    can.all |= bit;
    if (slot->n < slot->opt) can.short_of_opt |= bit;
    if (!slot->upper) can.not_upper |= bit;
    if (!slot->lower) can.not_lower |= bit;
    if (slot->n > 1) can.many |= bit;
  }
  return can;
}

static void move_batch(struct qsm_sm_mgr *mgr, struct deal *deal, uint32_t k, bool out) {
  struct slot *slot = &mgr->slot[k];
  slot->eval = QSM_EVAL_MOVING;
  slot->sm_last = slot->n;
  slot->i_last = deal->insn[k];
  slot->out = out;
  slot->n = (uint8_t)(out ? slot->n - 1 : slot->n + 1);
  deal->moved = true;
}

static void take_sm(struct qsm_sm_mgr *mgr, struct deal *deal, uint32_t k, bool behind) {
  struct slot *slot = &mgr->slot[k];
  if (slot->n >= mgr->config->num_sms - (deal->n_part - 1)) return;
  if (deal->n_free > 0) {
    deal->n_free--;
    slot->n++;
    return;
  }
  struct movable can = find_movable(mgr, deal, behind);
  if (!can.many) return;
  move_batch(mgr, deal, furthest_above_opt(mgr, can.many), true);
  slot->n++;
}

static void give_sm(struct qsm_sm_mgr *mgr, struct deal *deal, uint32_t k) {
  if (mgr->slot[k].n <= 1) return;
  mgr->slot[k].n--;
  struct movable can = find_movable(mgr, deal, false);
  if (can.short_of_opt) {
    move_batch(mgr, deal, furthest_below_opt(mgr, can.short_of_opt), false);
    return;
  }
  if (can.not_upper) {
    move_batch(mgr, deal, with_fewest(mgr, can.not_upper), false);
    return;
  }
  deal->n_free++;
  if (!(can.not_lower & can.many)) return;
  move_batch(mgr, deal, furthest_above_opt(mgr, can.not_lower & can.many), true);
  deal->n_free++;
}

static void serve(struct qsm_sm_mgr *mgr, struct deal *deal, uint32_t k) {
  const struct slot *slot = &mgr->slot[k];
  int64_t lead = (int64_t)slot->lead, gain = gain_of_epoch(mgr, k, slot->insn);
  if (lead < 0 || gain < 0)
    take_sm(mgr, deal, k, lead < 0);
  else if (lead > (int64_t)goal_of_epoch(mgr, k) && gain > 0)
    give_sm(mgr, deal, k);
}

static void decide_smqos(struct qsm_sm_mgr *mgr, struct situation now, const uint32_t *insn) {
  struct deal deal = {.insn = insn,
                      .batch = now.part & ~now.qos,
                      .n_part = popcount(now.part),
                      .n_free = mgr->config->num_sms};
  for (uint32_t k = 0; k < mgr->config->num_kernels; k++) deal.n_free -= mgr->slot[k].n;
  for (uint32_t left = now.qos; left; left &= left - 1) {
    uint32_t k = qsm_lowest(left);
    if (mgr->slot[k].run) serve(mgr, &deal, k);
  }
}

// ---- Spart (R-SG-9) ----

// n towards what the IPC per SM says, by at most SM_STEP.
static uint32_t approach(const struct qsm_sm_mgr *mgr, uint32_t k, uint32_t n_part) {
  const struct slot *slot = &mgr->slot[k];
  uint32_t n = slot->n, step = mgr->regs->sm_step, most = mgr->config->num_sms - (n_part - 1);
  u128 need = n;
  if (slot->run && slot->insn) {
    u128 per_sm = (u128)slot->insn << 16;
    need = ((u128)n * goal_of_epoch(mgr, k) + per_sm - 1) / per_sm;
  }
  if (need < 1) need = 1;
  if (need > most) need = most;
  if (need > n + step) return n + step;
  return need + step < n ? n - step : (uint32_t)need;
}

static void decide_spart(struct qsm_sm_mgr *mgr, struct situation now) {
  uint32_t others = now.part & ~now.qos, n_others = popcount(others);
  uint32_t left = mgr->config->num_sms - n_others, later = popcount(now.qos);
  for (uint32_t slots = now.qos; slots; slots &= slots - 1) {
    uint32_t k = qsm_lowest(slots);
    later--;
    mgr->slot[k].n = (uint8_t)least(approach(mgr, k, popcount(now.part)), left - later);
    left -= mgr->slot[k].n;
  }
  share_equally(mgr, others, left + n_others);
}

// ---- Both schools together (R-SG-15, R-SG-16) ----

// Where R-SG-16 decides there is one such SM at E.
static void note_common(struct qsm_sm_mgr *mgr) {
  uint32_t i = 0;
  while (i < mgr->config->num_sms && !qsm_sm_is_common(usage_of(mgr, i))) i++;
  mgr->common = i < mgr->config->num_sms ? i : QSM_MAX_SMS;
  mgr->on_common = 0;
  for (uint32_t k = 0; k < mgr->config->num_kernels && mgr->common < QSM_MAX_SMS; k++)
    mgr->on_common |= (uint32_t)(mgr->ports.tbs(mgr->ports.ctx, i, k) > 0) << k;
}

// Instructions of the epoch on the slot's own SMs.
static uint32_t own_insn(const struct qsm_sm_mgr *mgr, uint32_t k, const uint32_t *insn) {
  if (mgr->common == QSM_MAX_SMS) return insn[k];
  return insn[k] - mgr->bus->snap_insn(mgr->bus->ctx, mgr->common, k);
}

// Its quota held it back, and not the lack of SMs.
static bool was_limited(const struct qsm_sm_mgr *mgr, uint32_t k) {
  return (mgr->on_common >> k & 1) && mgr->bus->snap_c(mgr->bus->ctx, mgr->common, k) <= 0;
}

// Without one of its SMs it would need at most half an SM's part of the shared one.
static bool owns_too_many(const struct qsm_sm_mgr *mgr, uint32_t k, const uint32_t *insn) {
  int64_t own = (int64_t)((uint64_t)own_insn(mgr, k, insn) << 16);
  int64_t over = own - (int64_t)goal_of_epoch(mgr, k);
  return mgr->slot[k].n > 0 && 2 * mgr->slot[k].n * over >= own;
}

static uint32_t wanted_beside_shared(const struct qsm_sm_mgr *mgr, uint32_t k,
                                     const uint32_t *insn) {
  const struct slot *slot = &mgr->slot[k];
  if (!slot->run) return slot->n;
  int64_t lead = (int64_t)slot->lead;
  if (lead < 0 && gain_of_epoch(mgr, k, slot->insn) < 0 && !was_limited(mgr, k))
    return slot->n + 1u;
  return slot->ample && owns_too_many(mgr, k, insn) ? slot->n - 1u : slot->n;
}

static void decide_beside_shared(struct qsm_sm_mgr *mgr, struct situation now,
                                 const uint32_t *insn) {
  uint32_t left = mgr->config->num_sms - 1;
  for (uint32_t slots = now.qos; slots; slots &= slots - 1) {
    uint32_t k = qsm_lowest(slots);
    mgr->slot[k].n = (uint8_t)least(wanted_beside_shared(mgr, k, insn), left);
    left -= mgr->slot[k].n;
  }
  share_equally(mgr, now.part & ~now.qos, left);
}

// ---- D (R-SG-5 to R-SG-7) ----

static uint32_t learned(const struct slot *slot) {
  return slot->opt | (uint32_t)slot->upper << 8 | (uint32_t)slot->lower << 9 |
         (uint32_t)slot->eval << 10;
}

static void report_records(const struct qsm_sm_mgr *mgr, uint64_t cycle) {
  uint32_t words[2 * QSM_MAX_KERNELS], n = mgr->config->num_kernels;
  for (uint32_t k = 0; k < n; k++) {
    words[2 * k] = mgr->slot[k].insn;
    words[2 * k + 1] = learned(&mgr->slot[k]);
  }
  qsm_bus_report(mgr->bus, cycle, QSM_EV_RECORD, 0, 2 * n, words);
}

static void finish_epoch(struct qsm_sm_mgr *mgr, uint64_t cycle) {
  uint32_t insn[QSM_MAX_KERNELS];
  collect(mgr, insn);
  for (uint32_t left = mgr->regs->valid_mask; left; left &= left - 1)
    update_record(mgr, qsm_lowest(left), insn[qsm_lowest(left)]);
  struct situation now = look(mgr);
  bool smqos = now.scheme == QSM_SCHEME_SMQOS, spart = now.scheme == QSM_SCHEME_SPART,
       both = now.scheme == QSM_SCHEME_SM_ROLLOVER;
  bool acts = mgr->managed && is_known(mgr, now);  // no change waits
  bool rests = mgr->steady && (both ? mgr->calm : mgr->still);
  bool decides = acts && (smqos || spart || both) && rests;
  if (acts && smqos) evaluate(mgr, now, insn);
  if (decides && smqos) decide_smqos(mgr, now, insn);
  if (decides && spart) decide_spart(mgr, now);
  if (decides && both) decide_beside_shared(mgr, now, insn);
  mgr->planning |= decides;
  mgr->decide_at = QSM_NEVER;
  report_records(mgr, cycle);
  if (decides) report_plan(mgr, cycle);
}

// ---- Plan (R-SG-10) ----

// SMs by destination, bit i each.
struct places {
  qsm_sm_set shared, free, on;
  qsm_sm_set of[QSM_MAX_KERNELS];
};

static struct places find_places(const struct qsm_sm_mgr *mgr) {
  struct places places = {0};
  for (uint32_t i = 0; i < mgr->config->num_sms; i++) {
    const struct qsm_sm_usage *sm = usage_of(mgr, i);
    uint32_t k = holder(sm);
    if (k != NOBODY) places.of[k] |= qsm_sm_bit(i);
    if (destination(sm) == QSM_USE_SHARED) places.shared |= qsm_sm_bit(i);
    if (destination(sm) == QSM_USE_FREE) places.free |= qsm_sm_bit(i);
    if (sm->power == QSM_POWER_ON) places.on |= qsm_sm_bit(i);
  }
  return places;
}

static uint32_t count_sms(qsm_sm_set sms) {
  return (uint32_t)(__builtin_popcountll((uint64_t)sms) +
                    __builtin_popcountll((uint64_t)(sms >> 64)));
}

static uint32_t highest_sm(qsm_sm_set sms) {
  uint64_t high = (uint64_t)(sms >> 64);
  return high ? 127 - (uint32_t)__builtin_clzll(high)
              : 63 - (uint32_t)__builtin_clzll((uint64_t)sms);
}

// The lowest slot that has fewer SMs than it shall have, or more; NOBODY: none.
static uint32_t first_short(const struct qsm_sm_mgr *mgr, const struct places *places) {
  for (uint32_t k = 0; k < mgr->config->num_kernels; k++)
    if (count_sms(places->of[k]) < mgr->slot[k].n) return k;
  return NOBODY;
}

static uint32_t first_with_more(const struct qsm_sm_mgr *mgr, const struct places *places) {
  for (uint32_t k = 0; k < mgr->config->num_kernels; k++)
    if (count_sms(places->of[k]) > mgr->slot[k].n) return k;
  return NOBODY;
}

// An SM for a slot that is short of one: a free one, a shared one, or of a slot that has too many.
static uint32_t choose_sm(const struct places *places, qsm_sm_set shared, uint32_t with_more) {
  if (places->free & places->on) return qsm_lowest_sm(places->free & places->on);
  if (places->free) return qsm_lowest_sm(places->free);
  if (shared) return qsm_lowest_sm(shared);
  return highest_sm(places->of[with_more]);
}

static bool request(const struct qsm_sm_mgr *mgr, uint64_t cycle, uint32_t sm, uint32_t usage,
                    uint32_t owner) {
  mgr->ports.request(mgr->ports.ctx, cycle, sm, usage, owner);
  return true;
}

// The next move; false: there is none left.
static bool plan(const struct qsm_sm_mgr *mgr, uint64_t cycle) {
  const struct places places = find_places(mgr);
  if (!mgr->managed) {
    qsm_sm_set kept = qsm_first_sms(mgr->config->num_sms) & ~places.shared;
    return kept && request(mgr, cycle, qsm_lowest_sm(kept), QSM_USE_SHARED, 0);
  }
  uint32_t with_more = first_with_more(mgr, &places), k = first_short(mgr, &places);
  bool keeps_one = mgr->known.scheme == QSM_SCHEME_SM_ROLLOVER;  // R-SG-17
  qsm_sm_set shared = keeps_one && count_sms(places.shared) <= 1 ? 0 : places.shared;
  if (k != NOBODY)
    return request(mgr, cycle, choose_sm(&places, shared, with_more), QSM_USE_OWNED, k);
  if (with_more != NOBODY)
    return request(mgr, cycle, highest_sm(places.of[with_more]), QSM_USE_FREE, 0);
  if (shared) return request(mgr, cycle, qsm_lowest_sm(shared), QSM_USE_FREE, 0);
  return keeps_one && !places.shared &&
         request(mgr, cycle, qsm_lowest_sm(places.free), QSM_USE_SHARED, 0);
}

// ---- Time ----

// A change is looked for. Not in E either, in which the end of the epoch is told before the step.
static bool is_open(const struct qsm_sm_mgr *mgr) {
  return mgr->split_at == QSM_NEVER && mgr->decide_at == QSM_NEVER;
}

uint64_t qsm_sm_mgr_next(const struct qsm_sm_mgr *mgr, uint64_t from) {
  if (mgr->planning || (is_open(mgr) && has_changed(mgr))) return from;
  return qsm_earlier(mgr->decide_at, qsm_earlier(mgr->split_at, mgr->count_at));
}

bool qsm_sm_mgr_step(struct qsm_sm_mgr *mgr, uint64_t cycle) {
  bool requests = mgr->planning && plan(mgr, cycle);
  mgr->planning = requests;  // what may begin a plan in this cycle comes after it
  if (is_open(mgr) && has_changed(mgr))
    follow_change(mgr, cycle);
  else
    step_split(mgr, cycle);
  if (cycle == mgr->decide_at) finish_epoch(mgr, cycle);
  return requests;
}

void qsm_sm_mgr_end_epoch(struct qsm_sm_mgr *mgr, uint64_t cycle, uint32_t ep_len,
                          uint32_t had_tb) {
  mgr->decide_at = cycle + qsm_config_sm_lat(mgr->config);
  mgr->ended_len = mgr->ep_len;
  mgr->ep_len = ep_len;
  mgr->had_tb = had_tb;
  uint64_t moved = mgr->ports.move_cycles(mgr->ports.ctx, cycle + 1);
  mgr->still = !any_moving(mgr);
  mgr->calm = moved == mgr->move_cycles;
  mgr->move_cycles = moved;
  if (mgr->regs->scheme == QSM_SCHEME_SM_ROLLOVER) note_common(mgr);
  mgr->steady = !mgr->planning && mgr->split_at == QSM_NEVER;
}

// ---- Interface ----

struct qsm_sm_mgr *qsm_sm_mgr_create(const struct qsm_regs *regs, const struct qsm_sm_ports *ports,
                                     const struct qsm_bus *bus) {
  struct qsm_sm_mgr *mgr = calloc(1, sizeof *mgr);
  if (!mgr) return NULL;
  mgr->config = regs->shared.config;
  mgr->regs = regs;
  mgr->ports = *ports;
  mgr->bus = bus;
  mgr->ep_len = regs->shared.epoch_len;
  mgr->decide_at = mgr->split_at = mgr->count_at = QSM_NEVER;
  return mgr;
}

void qsm_sm_mgr_destroy(struct qsm_sm_mgr *mgr) { free(mgr); }

// R-SG-18
static uint32_t keep_apart(const struct qsm_sm_mgr *mgr) {
  uint32_t apart = 0;
  if (!mgr->managed || mgr->known.scheme != QSM_SCHEME_SM_ROLLOVER) return 0;
  for (uint32_t slots = mgr->known.part & mgr->known.qos; slots; slots &= slots - 1) {
    uint32_t k = qsm_lowest(slots);
    if (2u * mgr->slot[k].n > mgr->config->num_sms && !mgr->slot[k].ample) apart |= 1u << k;
  }
  return apart;
}

void qsm_sm_mgr_clear_history(struct qsm_sm_mgr *mgr, uint32_t kernel) {
  struct slot *slot = &mgr->slot[kernel];
  slot->run = slot->seen = slot->ample = false;
  slot->lead = 0;
  slot->insn = 0;
  mgr->apart = keep_apart(mgr);
}

void qsm_sm_mgr_arrive(struct qsm_sm_mgr *mgr, uint32_t kernel) {
  qsm_sm_mgr_clear_history(mgr, kernel);
  mgr->stale = true;
}

bool qsm_sm_mgr_busy(const struct qsm_sm_mgr *mgr) {
  return mgr->managed || mgr->split_at != QSM_NEVER || mgr->planning;
}

bool qsm_sm_mgr_end_cycle(struct qsm_sm_mgr *mgr) {
  uint32_t before = mgr->apart;
  mgr->apart = keep_apart(mgr);
  return mgr->apart != before;
}

const uint32_t *qsm_sm_mgr_apart(const struct qsm_sm_mgr *mgr) { return &mgr->apart; }

uint32_t qsm_sm_mgr_ample(const struct qsm_sm_mgr *mgr) {
  uint32_t ample = 0;
  for (uint32_t k = 0; k < mgr->config->num_kernels; k++)
    ample |= (uint32_t)mgr->slot[k].ample << k;
  return ample;
}

uint32_t qsm_sm_mgr_record(const struct qsm_sm_mgr *mgr, uint32_t kernel) {
  const struct slot *slot = &mgr->slot[kernel];
  return slot->n | (uint32_t)slot->opt << QSM_SLOT_SM_RECORD_OPT_SHIFT |
         (uint32_t)slot->upper << QSM_SLOT_SM_RECORD_UPPER_SHIFT |
         (uint32_t)slot->lower << QSM_SLOT_SM_RECORD_LOWER_SHIFT |
         (uint32_t)slot->eval << QSM_SLOT_SM_RECORD_EVAL_SHIFT;
}

bool qsm_sm_mgr_state(const struct qsm_sm_mgr *mgr, uint64_t cycle, uint32_t index, uint32_t word,
                      uint32_t *value) {
  if (index == mgr->config->num_kernels && word == 0) {
    bool moved = mgr->ports.move_cycles(mgr->ports.ctx, cycle) != mgr->move_cycles;
    *value = (uint32_t)mgr->managed | (uint32_t)mgr->planning << 1 |
             (uint32_t)(mgr->split_at != QSM_NEVER) << 2 | (uint32_t)mgr->stale << 3 |
             (uint32_t)moved << 4;
    return true;
  }
  if (index >= mgr->config->num_kernels || word >= WORDS_PER_RECORD) return false;
  const struct slot *slot = &mgr->slot[index];
  const uint32_t words[WORDS_PER_RECORD] = {
      qsm_sm_mgr_record(mgr, index) | (uint32_t)slot->run << 20 | (uint32_t)slot->seen << 21 |
          (uint32_t)slot->out << 22 | (uint32_t)slot->ample << 23,
      (uint32_t)slot->lead,
      (uint32_t)(slot->lead >> 32),
      slot->insn,
      slot->i_last,
      slot->sm_last};
  *value = words[word];
  return true;
}

// The next RECORD shows opt; a decision or the comparison of full state lead.
int qsm_sm_mgr_inject(struct qsm_sm_mgr *mgr, uint64_t seed, char *what, size_t what_len) {
  if (!mgr->regs->valid_mask) return -1;
  uint32_t k = qsm_first_from(mgr->regs->valid_mask, (uint32_t)(seed % mgr->config->num_kernels));
  uint32_t bit = (uint32_t)(seed / QSM_MAX_KERNELS % 7);
  bool opt = seed / (7 * QSM_MAX_KERNELS) & 1;
  if (opt)
    mgr->slot[k].opt ^= (uint8_t)(1u << bit);
  else
    mgr->slot[k].lead ^= UINT64_C(1) << bit;
  snprintf(what, what_len, "sm_mgr: bit %u of %s of slot %u", bit, opt ? "opt" : "lead", k);
  return 0;
}
