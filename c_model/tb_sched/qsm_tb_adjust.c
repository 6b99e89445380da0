// SPDX-License-Identifier: Apache-2.0
#include "qsm_tb_adjust.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_regs.h"
#include "qsm_tb_claim.h"

enum { SAMPLES_PER_EPOCH = 100, MOST_IDLE = 1, NO_VICTIM = 0xff };

// What the next cycle of a pass does.
enum stage {
  STAGE_SET_UP,
  STAGE_DIVIDE,
  STAGE_ASK,
  STAGE_FIT,
  STAGE_TRIAL_BEGIN,
  STAGE_TRIAL,
  STAGE_APPLY
};

enum victim_class { CLASS_NO_QOS, CLASS_IDLE, CLASS_MARGIN, CLASS_LOWER };

struct victim {
  bool valid;
  uint32_t slot, n, class, idle, ratio;
};

struct qsm_tb_adjust {
  const struct qsm_config *config;
  const struct qsm_regs *regs;
  const struct qsm_bus *bus;
  struct qsm_tb_table *table;
  struct qsm_preempt *preempt;  // holds the flags
  const struct qsm_sm_may *may;
  struct qsm_tb_claim *claim;
  uint8_t shown[QSM_MAX_SMS];  // flags as last reported
  qsm_sm_set shown_sms;        // SMs with some of these
  bool active;
  uint32_t starved;
  bool starts, running;  // starts: running is 1 from the next cycle on
  uint64_t epoch_at;     // the last E that was named
  // The pass.
  uint32_t want;
  bool pending;
  // As at the start of the pass: the manager and the SMs change them at the next E at the earliest,
  // where the pass ends.
  uint32_t ratio[QSM_MAX_KERNELS];
  uint16_t snap_idle[QSM_MAX_SMS][QSM_MAX_KERNELS];
  // The SM whose turn it is.
  enum stage stage;
  bool looked;  // the cycle before has looked whether the TB fits
  bool fits;    // what a trial saw then
  bool fitted;  // the slot that asks has got a TB by a fit (R-PA-14)
  uint32_t sm;
  uint32_t here;  // slots with a TB at the set-up
  uint32_t left;  // of `here`: still to divide, or to try
  uint32_t ask;   // slots that still ask, the lowest first
  uint32_t lack;  // slots that had fewer blocks than their targets in *ask*, for latecomers
  uint32_t rest;  // of a division
  uint32_t idle[QSM_MAX_KERNELS];
  struct qsm_tb_free free;  // W
  // The trial.
  struct qsm_tb_free trial;  // V
  uint32_t freed;            // TB slots
  struct victim best;
};

struct qsm_tb_adjust *qsm_tb_adjust_create(const struct qsm_regs *regs, const struct qsm_bus *bus,
                                           struct qsm_tb_table *tables, struct qsm_preempt *preempt,
                                           const struct qsm_sm_may *may) {
  struct qsm_tb_adjust *ta = calloc(1, sizeof *ta);
  if (!ta) return NULL;
  ta->config = regs->shared.config;
  ta->regs = regs;
  ta->bus = bus;
  ta->table = tables;
  ta->preempt = preempt;
  ta->may = may;
  ta->epoch_at = QSM_NEVER;
  ta->claim = qsm_tb_claim_create(regs, bus, tables, preempt, may, &ta->starved);
  if (ta->claim) return ta;
  qsm_tb_adjust_destroy(ta);
  return NULL;
}

void qsm_tb_adjust_destroy(struct qsm_tb_adjust *ta) {
  if (!ta) return;
  qsm_tb_claim_destroy(ta->claim);
  free(ta);
}

const bool *qsm_tb_adjust_active(const struct qsm_tb_adjust *ta) { return &ta->active; }

bool qsm_tb_adjust_running(const struct qsm_tb_adjust *ta) {
  return ta->running || qsm_tb_claim_running(ta->claim);
}

const struct qsm_tb_claim *qsm_tb_adjust_claim(const struct qsm_tb_adjust *ta) { return ta->claim; }

static void update_active(struct qsm_tb_adjust *ta) {
  ta->active = ta->starts || ta->running || ta->shown_sms || qsm_tb_claim_active(ta->claim);
}

static const struct qsm_desc *desc_of(const struct qsm_tb_adjust *ta, uint32_t k) {
  return &ta->regs->shared.desc[k];
}

// ---- Flags (R-TA-7) ----

enum than_target { FEWER, MORE };

// Slots with fewer, or more, blocks on the SM than their targets.
static uint32_t slots_with(const struct qsm_tb_adjust *ta, uint32_t sm, enum than_target how) {
  const struct qsm_tb_table *table = &ta->table[sm];
  uint32_t slots = 0;
  for (uint32_t k = 0; k < ta->config->num_kernels; k++) {
    uint32_t cnt = table->cnt[k], target = table->target[k];
    slots |= (uint32_t)(how == MORE ? cnt > target : cnt < target) << k;
  }
  return slots;
}

// Of the SM's flags those whose kernel has no TB too many.
static uint32_t falling(const struct qsm_tb_adjust *ta, uint32_t sm) {
  return qsm_preempt_evict(ta->preempt, sm) & ~slots_with(ta, sm, MORE);
}

static void let_fall(struct qsm_tb_adjust *ta) {
  for (qsm_sm_set sms = qsm_preempt_evicting(ta->preempt); sms; sms &= sms - 1) {
    uint32_t i = qsm_lowest_sm(sms);
    qsm_preempt_set_evict(ta->preempt, i, qsm_preempt_evict(ta->preempt, i) & ~falling(ta, i));
  }
}

void qsm_tb_adjust_forget(struct qsm_tb_adjust *ta, uint32_t sm) {
  qsm_preempt_set_evict(ta->preempt, sm, 0);
}

void qsm_tb_adjust_report(struct qsm_tb_adjust *ta, uint64_t cycle) {
  for (qsm_sm_set sms = qsm_preempt_evicting(ta->preempt) | ta->shown_sms; sms; sms &= sms - 1) {
    uint32_t i = qsm_lowest_sm(sms), flags = qsm_preempt_evict(ta->preempt, i);
    if (flags == ta->shown[i]) continue;
    ta->shown[i] = (uint8_t)flags;
    qsm_bus_report(ta->bus, cycle, QSM_EV_EVICT, i, 1, &flags);
  }
  ta->shown_sms = qsm_preempt_evicting(ta->preempt);
  update_active(ta);
}

// ---- Start and turns ----

// R-TA-1
void qsm_tb_adjust_start(struct qsm_tb_adjust *ta, uint32_t want, bool pending,
                         const uint32_t *ratio) {
  ta->starts = true;
  ta->active = true;
  ta->want = want;
  ta->pending = pending;
  ta->sm = 0;
  ta->stage = STAGE_SET_UP;
  ta->looked = false;
  memcpy(ta->ratio, ratio, sizeof ta->ratio);
  for (uint32_t i = 0; i < ta->config->num_sms; i++) {
    for (uint32_t k = 0; k < ta->config->num_kernels; k++)
      ta->snap_idle[i][k] = (uint16_t)ta->bus->snap_idle(ta->bus->ctx, i, k);
  }
}

void qsm_tb_adjust_restores(struct qsm_tb_adjust *ta, uint32_t sm) {
  qsm_tb_claim_restores(ta->claim, sm);
}

void qsm_tb_adjust_turn(struct qsm_tb_adjust *ta, uint32_t waits) {
  qsm_tb_claim_turn(ta->claim, waits, qsm_preempt_restoring(ta->preempt));
  update_active(ta);
}

uint32_t qsm_tb_adjust_starved(const struct qsm_tb_adjust *ta) { return ta->starved; }

void qsm_tb_adjust_start_over(struct qsm_tb_adjust *ta) { ta->starved = 0; }

void qsm_tb_adjust_end_epoch(struct qsm_tb_adjust *ta, uint64_t cycle) { ta->epoch_at = cycle; }

static void next_sm(struct qsm_tb_adjust *ta) {
  ta->running = ++ta->sm < ta->config->num_sms;
  ta->stage = STAGE_SET_UP;
  ta->looked = false;
}

static void next_slot(struct qsm_tb_adjust *ta) {
  ta->ask &= ta->ask - 1;
  ta->stage = STAGE_FIT;
  if (!ta->ask) next_sm(ta);
}

// ---- Idle TBs (R-TA-2) ----

static void begin_division(struct qsm_tb_adjust *ta) {
  ta->stage = STAGE_ASK;
  if (!ta->left) return;
  ta->stage = STAGE_DIVIDE;
  ta->rest = ta->snap_idle[ta->sm][qsm_lowest(ta->left)];
}

static void set_up(struct qsm_tb_adjust *ta) {
  const struct qsm_tb_table *table = &ta->table[ta->sm];
  ta->free = table->free;
  ta->here = 0;
  for (uint32_t k = 0; k < ta->config->num_kernels; k++)
    ta->here |= (uint32_t)(table->cnt[k] > 0) << k;
  memset(ta->idle, 0, sizeof ta->idle);
  ta->left = ta->here;
  begin_division(ta);
}

static void divide(struct qsm_tb_adjust *ta) {
  uint32_t k = qsm_lowest(ta->left), of_tb = SAMPLES_PER_EPOCH * desc_of(ta, k)->warps;
  if (ta->rest >= of_tb) {
    ta->rest -= of_tb;
    ta->idle[k]++;
    return;
  }
  ta->left &= ta->left - 1;
  begin_division(ta);
}

// ---- Asking (R-TA-3, R-TA-13, R-TB-15) ----

static bool asks(const struct qsm_tb_adjust *ta, uint32_t k) {
  const struct qsm_tb_table *table = &ta->table[ta->sm];
  return (ta->want >> k & 1) && qsm_has_sm(qsm_sm_may_go(ta->may, ta->regs, k), ta->sm) &&
         (ta->lack >> k & 1 ||
          (table->target[k] <= table->cnt[k] && table->target[k] < ta->config->max_tbs)) &&
         ta->idle[k] <= MOST_IDLE && !ta->regs->warp_cap[k];
}

static void find_asking(struct qsm_tb_adjust *ta, uint64_t cycle) {
  enum { HEAD = 2 };
  ta->ask = 0;
  ta->lack = ta->regs->latecomers ? slots_with(ta, ta->sm, FEWER) : 0;
  ta->fitted = false;
  for (uint32_t k = 0; k < ta->config->num_kernels; k++) ta->ask |= (uint32_t)asks(ta, k) << k;
  uint32_t words[HEAD + QSM_MAX_KERNELS] = {ta->sm, ta->ask};
  memcpy(&words[HEAD], ta->idle, sizeof ta->idle);
  qsm_bus_report(ta->bus, cycle, QSM_EV_ASK, 0, HEAD + ta->config->num_kernels, words);
  ta->stage = STAGE_FIT;
  if (!ta->ask) next_sm(ta);
}

static void raise_target(struct qsm_tb_adjust *ta, uint64_t cycle, uint32_t k,
                         const struct victim *victim) {
  uint32_t target = ++ta->table[ta->sm].target[k];
  const uint32_t words[] = {ta->sm, k, victim->slot, victim->n, victim->class, target};
  qsm_bus_report(ta->bus, cycle, QSM_EV_ADJUST, 0, sizeof words / sizeof *words, words);
}

static void next_trial(struct qsm_tb_adjust *ta) {
  ta->stage = ta->left ? STAGE_TRIAL_BEGIN : STAGE_APPLY;
}

static void set_flags(struct qsm_tb_adjust *ta, uint32_t slots) {
  qsm_preempt_set_evict(ta->preempt, ta->sm, qsm_preempt_evict(ta->preempt, ta->sm) | slots);
}

// True if the target of the slot rises.
static bool try_fit(struct qsm_tb_adjust *ta, uint64_t cycle,
                    const struct qsm_tb_adjust_slots *slots) {
  static const struct victim nobody = {.slot = NO_VICTIM};
  uint32_t k = qsm_lowest(ta->ask);
  bool runs = (slots->busy & ~slots->killed) >> k & 1;
  struct qsm_tb_place place;
  bool fits = runs && qsm_tb_fits(ta->config, &ta->free, desc_of(ta, k), &place);
  ta->best.valid = false;
  if (ta->lack >> k & 1) {  // R-TA-13
    if (runs && !fits && !ta->pending) set_flags(ta, slots_with(ta, ta->sm, MORE));
    next_slot(ta);
    return false;
  }
  bool rises = fits && !(ta->regs->latecomers && qsm_tb_claim_late(ta->claim));
  if (rises) {
    qsm_tb_take(ta->config, &ta->free, desc_of(ta, k), place);
    raise_target(ta, cycle, k, &nobody);
  }
  bool had_one = ta->fitted;
  ta->fitted = rises && ta->regs->scheme == QSM_SCHEME_PACE &&
               ta->table[ta->sm].target[k] < ta->config->max_tbs;
  if (ta->fitted) return true;
  if (fits || had_one || !runs || ta->pending) {
    next_slot(ta);
  } else {
    ta->left = ta->here & ~(1u << k);
    next_trial(ta);
  }
  return rises;
}

// ---- Trials (R-TA-4, R-TA-5) ----

static void begin_trial(struct qsm_tb_adjust *ta) {
  ta->trial = ta->free;
  ta->freed = 0;
  ta->stage = STAGE_TRIAL;
}

// Priority of a slot.
static uint32_t level(const struct qsm_tb_adjust *ta, uint32_t k) {
  return ta->regs->ctx[k] & QSM_SLOT_CTX_LEVEL_MASK;
}

// The class of m as a victim of the slot that asks; false: it is none.
static bool find_class(const struct qsm_tb_adjust *ta, uint32_t m, uint32_t n, uint32_t out,
                       uint32_t *class) {
  if (!(ta->regs->shared.qos_mask >> m & 1))
    *class = CLASS_NO_QOS;
  else if (ta->idle[m] >= n + 1)
    *class = CLASS_IDLE;
  else if (out > n && (uint64_t)(out - n) << 16 > (uint64_t)ta->ratio[m] * out)
    *class = CLASS_MARGIN;
  else if (level(ta, m) < level(ta, qsm_lowest(ta->ask)))
    *class = CLASS_LOWER;
  else
    return false;
  return true;
}

static bool is_better(const struct victim *victim, const struct victim *best) {
  if (!best->valid) return true;
  if (victim->class != best->class) return victim->class < best->class;
  return victim->class == CLASS_MARGIN ? victim->ratio < best->ratio : victim->idle > best->idle;
}

static void judge(struct qsm_tb_adjust *ta, uint32_t m, uint32_t out) {
  struct victim victim = {.valid = true,
                          .slot = m,
                          .n = (uint32_t)__builtin_popcount(ta->freed),
                          .idle = ta->idle[m],
                          .ratio = ta->ratio[m]};
  if (find_class(ta, m, victim.n, out, &victim.class) && is_better(&victim, &ta->best))
    ta->best = victim;
}

// The first cycle of a trial's step: whether a block of the asker fits the trial.
static void look_at_trial(struct qsm_tb_adjust *ta) {
  struct qsm_tb_place place;
  ta->fits = qsm_tb_fits(ta->config, &ta->trial, desc_of(ta, qsm_lowest(ta->ask)), &place);
}

static void step_trial(struct qsm_tb_adjust *ta, const struct qsm_tb_adjust_slots *slots) {
  const struct qsm_tb_table *table = &ta->table[ta->sm];
  uint32_t m = qsm_lowest(ta->left);
  if (ta->fits) {
    judge(ta, m, slots->out[m]);
  } else {
    int tb = qsm_tb_youngest(table, qsm_tb_used(ta->config, &table->free) & ~ta->freed, m);
    if (tb >= 0) {
      qsm_tb_give_back(ta->config, &ta->trial, desc_of(ta, m), table->tb[tb].place);
      ta->freed |= 1u << tb;
      return;
    }
  }
  ta->left &= ta->left - 1;
  next_trial(ta);
}

// True if targets change.
static bool apply(struct qsm_tb_adjust *ta, uint64_t cycle) {
  const struct victim *best = &ta->best;
  struct qsm_tb_table *table = &ta->table[ta->sm];
  if (!best->valid) {
    next_slot(ta);
    return false;
  }
  uint32_t m = best->slot, kept = table->cnt[m] > best->n ? table->cnt[m] - best->n : 0;
  raise_target(ta, cycle, qsm_lowest(ta->ask), best);
  if (kept < table->target[m]) table->target[m] = kept;
  if (table->target[m] == 0) ta->starved |= 1u << m;
  set_flags(ta, 1u << m);
  next_sm(ta);
  return true;
}

// ---- A cycle ----

// The first of two cycles that a stage takes (R-TA-3, R-TA-4).
static bool looks(struct qsm_tb_adjust *ta) {
  ta->looked = !ta->looked;
  return ta->looked;
}

static bool step_pass(struct qsm_tb_adjust *ta, uint64_t cycle,
                      const struct qsm_tb_adjust_slots *slots) {
  switch (ta->stage) {
    case STAGE_SET_UP: set_up(ta); break;
    case STAGE_DIVIDE: divide(ta); break;
    case STAGE_ASK: find_asking(ta, cycle); break;
    case STAGE_FIT: return looks(ta) ? false : try_fit(ta, cycle, slots);
    case STAGE_TRIAL_BEGIN: begin_trial(ta); break;
    case STAGE_TRIAL:
      if (looks(ta))
        look_at_trial(ta);
      else
        step_trial(ta, slots);
      break;
    case STAGE_APPLY: return apply(ta, cycle);
  }
  return false;
}

// A cycle of the pass, or its start.
static int step_running(struct qsm_tb_adjust *ta, uint64_t cycle, bool alloc_busy,
                        const struct qsm_tb_adjust_slots *slots) {
  if (!ta->running) {
    ta->running = ta->starts;
    ta->starts = false;
    return -1;
  }
  if (alloc_busy || cycle == ta->epoch_at) {
    ta->running = false;
    return -1;
  }
  int sm = (int)ta->sm;
  return step_pass(ta, cycle, slots) ? sm : -1;
}

// The pass sees who is late at the start of the cycle; of a pass and a claim one acts at most.
int qsm_tb_adjust_step(struct qsm_tb_adjust *ta, uint64_t cycle, bool alloc_busy,
                       const struct qsm_tb_adjust_slots *slots) {
  const struct qsm_tb_claim_cycle claim_cycle = {
      .number = cycle,
      .is_epoch_end = cycle == ta->epoch_at,
      .alloc_busy = alloc_busy,
      .may_begin = !alloc_busy && !ta->running && !slots->evicting,
      .waits = slots->waits};
  let_fall(ta);
  int of_pass = step_running(ta, cycle, alloc_busy, slots);
  int of_claim = qsm_tb_claim_active(ta->claim) ? qsm_tb_claim_step(ta->claim, &claim_cycle) : -1;
  return of_pass >= 0 ? of_pass : of_claim;
}

uint64_t qsm_tb_adjust_next(const struct qsm_tb_adjust *ta, uint64_t from, bool alloc_busy,
                            uint32_t waits) {
  if (ta->starts || ta->running) return from;
  qsm_sm_set evicting = qsm_preempt_evicting(ta->preempt);
  if (qsm_tb_claim_acts(ta->claim, waits, !alloc_busy && !evicting)) return from;
  for (qsm_sm_set sms = evicting; sms; sms &= sms - 1) {
    if (falling(ta, qsm_lowest_sm(sms))) return from;
  }
  return QSM_NEVER;
}

// ---- Negative control ----

// Idle TBs that the SM's ask shows; while no pass runs, a flag that falls at once.
int qsm_tb_adjust_inject(struct qsm_tb_adjust *ta, uint64_t seed, char *what, size_t what_len) {
  uint32_t k = (uint32_t)(seed % ta->config->num_kernels),
           i = (uint32_t)(seed / QSM_MAX_KERNELS % ta->config->num_sms);
  if (ta->running) {
    if (ta->stage != STAGE_DIVIDE && ta->stage != STAGE_ASK) return -1;
    uint32_t bit = (uint32_t)(seed / QSM_MAX_KERNELS % 7);
    ta->idle[k] ^= 1u << bit;
    snprintf(what, what_len, "tb_adjust: bit %u of the idle blocks of slot %u", bit, k);
    return 0;
  }
  uint32_t flags = qsm_preempt_evict(ta->preempt, i);
  if ((flags >> k & 1) || ta->table[i].cnt[k] > ta->table[i].target[k]) return -1;
  qsm_preempt_set_evict(ta->preempt, i, flags | 1u << k);
  ta->shown[i] = (uint8_t)(flags | 1u << k);
  ta->shown_sms |= qsm_sm_bit(i);
  ta->active = true;
  snprintf(what, what_len, "tb_adjust: the evict flag of slot %u on SM %u", k, i);
  return 0;
}
