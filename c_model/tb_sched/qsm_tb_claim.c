// SPDX-License-Identifier: Apache-2.0
#include "qsm_tb_claim.h"

#include <stdlib.h>
#include <string.h>

// What the next cycle of a claim does.
enum stage { STAGE_PICK, STAGE_SET_UP, STAGE_FREE, STAGE_LOWER };

struct qsm_tb_claim {
  const struct qsm_config *config;
  const struct qsm_regs *regs;
  const struct qsm_bus *bus;
  struct qsm_tb_table *table;
  struct qsm_preempt *preempt;
  const struct qsm_sm_may *may;
  uint32_t *starved;
  uint32_t wait, late;
  bool turns;               // the next cycle is E + QosLat
  qsm_sm_set young, fresh;  // SMs that restored a block lately; young: as soon as its dispatch
  bool claimed, running;
  uint32_t next_slot, next_sm;
  // The claim.
  enum stage stage;
  bool looked;  // the cycle before has looked whether the block fits
  uint32_t slot, sm, n_picks;
  uint32_t left[QSM_MAX_KERNELS], gone[QSM_MAX_KERNELS];  // blocks that stay, and that go
  struct qsm_tb_free trial;                               // V
  uint32_t freed;                                         // TB slots
  uint32_t lowered;                                       // slots that are done with
};

struct qsm_tb_claim *qsm_tb_claim_create(const struct qsm_regs *regs, const struct qsm_bus *bus,
                                         struct qsm_tb_table *tables, struct qsm_preempt *preempt,
                                         const struct qsm_sm_may *may, uint32_t *starved) {
  struct qsm_tb_claim *tc = calloc(1, sizeof *tc);
  if (!tc) return NULL;
  tc->config = regs->shared.config;
  tc->regs = regs;
  tc->bus = bus;
  tc->table = tables;
  tc->preempt = preempt;
  tc->may = may;
  tc->starved = starved;
  return tc;
}

void qsm_tb_claim_destroy(struct qsm_tb_claim *tc) { free(tc); }

bool qsm_tb_claim_active(const struct qsm_tb_claim *tc) {
  return tc->running || tc->turns || tc->wait || tc->late;
}

bool qsm_tb_claim_running(const struct qsm_tb_claim *tc) { return tc->running; }

uint32_t qsm_tb_claim_waiting(const struct qsm_tb_claim *tc) { return tc->wait; }

uint32_t qsm_tb_claim_late(const struct qsm_tb_claim *tc) { return tc->late; }

// ---- Late kernels (R-TA-10) ----

void qsm_tb_claim_restores(struct qsm_tb_claim *tc, uint32_t sm) { tc->young |= qsm_sm_bit(sm); }

// If no kernel waits or is late, only `claimed` falls, which is not read then. The state of the SMs
// is not read in this cycle, because a running claim ends in it, so it may change at the start of
// the cycle.
void qsm_tb_claim_turn(struct qsm_tb_claim *tc, uint32_t waits, qsm_sm_set restoring) {
  tc->turns = waits || tc->wait || tc->late;
  if (!tc->turns) tc->claimed = false;
  tc->fresh = tc->young;
  tc->young = restoring;
}

static void update_late(struct qsm_tb_claim *tc, uint32_t waits) {
  if (!tc->turns) {
    tc->wait &= waits;
    tc->late &= waits;
    return;
  }
  tc->late = tc->wait & waits;
  tc->wait = waits;
  tc->turns = tc->claimed = false;
}

// ---- The claim (R-TA-11) ----

static bool can_begin(const struct qsm_tb_claim *tc, bool may_begin) {
  return may_begin && tc->late && !tc->claimed && !tc->running && tc->regs->latecomers;
}

static void begin(struct qsm_tb_claim *tc) {
  tc->slot = qsm_first_from(tc->late, tc->next_slot);
  tc->next_slot = (tc->slot + 1) % tc->config->num_kernels;
  tc->claimed = tc->running = true;
  tc->stage = STAGE_PICK;
  tc->n_picks = 0;
}

static void pick(struct qsm_tb_claim *tc) {
  tc->sm = tc->next_sm;
  tc->next_sm = (tc->sm + 1) % tc->config->num_sms;
  qsm_sm_set may = qsm_sm_may_go(tc->may, tc->regs, tc->slot);
  if (qsm_has_sm(may & ~(tc->young | tc->fresh), tc->sm))
    tc->stage = STAGE_SET_UP;
  else
    tc->running = ++tc->n_picks < tc->config->num_sms;
}

static void set_up(struct qsm_tb_claim *tc) {
  const struct qsm_tb_table *table = &tc->table[tc->sm];
  tc->trial = table->free;
  tc->freed = 0;
  memcpy(tc->left, table->cnt, sizeof tc->left);
  memset(tc->gone, 0, sizeof tc->gone);
  tc->looked = false;
  tc->stage = STAGE_FREE;
}

// The next victim: kernels without a goal before those with one, then the kernel with the most
// blocks left, of equal ones the highest; -1: no kernel has a block.
static int find_giver(const struct qsm_tb_claim *tc) {
  int giver = -1;
  for (uint32_t m = 0; m < tc->config->num_kernels; m++) {
    if (m == tc->slot || tc->left[m] == 0) continue;
    bool qos = tc->regs->shared.qos_mask >> m & 1,
         best_qos = giver >= 0 && (tc->regs->shared.qos_mask >> giver & 1);
    if (giver < 0 || (qos == best_qos ? tc->left[m] >= tc->left[giver] : best_qos)) giver = (int)m;
  }
  return giver;
}

static void report(const struct qsm_tb_claim *tc, uint64_t cycle, bool fits) {
  enum { HEAD = 3 };
  uint32_t words[HEAD + QSM_MAX_KERNELS] = {tc->sm, tc->slot, fits};
  memcpy(&words[HEAD], tc->left, sizeof tc->left);
  qsm_bus_report(tc->bus, cycle, QSM_EV_CLAIM, 0, HEAD + tc->config->num_kernels, words);
}

static void free_one(struct qsm_tb_claim *tc, uint64_t cycle) {
  const struct qsm_tb_table *table = &tc->table[tc->sm];
  struct qsm_tb_place place;
  bool fits = qsm_tb_fits(tc->config, &tc->trial, &tc->regs->shared.desc[tc->slot], &place);
  int m = fits ? -1 : find_giver(tc);
  if (m < 0) {
    report(tc, cycle, fits);
    tc->running = fits;
    tc->stage = STAGE_LOWER;
    tc->lowered = 0;
    return;
  }
  int tb = qsm_tb_youngest(table, qsm_tb_used(tc->config, &table->free) & ~tc->freed, (uint32_t)m);
  if (tb >= 0) {
    qsm_tb_give_back(tc->config, &tc->trial, &tc->regs->shared.desc[m], table->tb[tb].place);
    tc->freed |= 1u << tb;
  }
  tc->left[m]--;
  tc->gone[m]++;
}

static void lower_other(struct qsm_tb_claim *tc, uint32_t m) {
  struct qsm_tb_table *table = &tc->table[tc->sm];
  uint32_t n = tc->gone[m], kept = table->cnt[m] > n ? table->cnt[m] - n : 0;
  if (kept < table->target[m]) table->target[m] = kept;
  if (n == 0) return;
  if (table->target[m] == 0) *tc->starved |= 1u << m;
  qsm_preempt_set_evict(tc->preempt, tc->sm, qsm_preempt_evict(tc->preempt, tc->sm) | 1u << m);
}

static void lower(struct qsm_tb_claim *tc) {
  uint32_t m = tc->lowered++, *own = &tc->table[tc->sm].target[tc->slot];
  if (m != tc->slot) {
    lower_other(tc, m);
  } else if (*own == 0) {
    *own = 1;
  }
  tc->running = tc->lowered < tc->config->num_kernels;
}

static int step_claim(struct qsm_tb_claim *tc, const struct qsm_tb_claim_cycle *cycle) {
  if (cycle->alloc_busy || cycle->is_epoch_end || tc->turns || !(tc->late >> tc->slot & 1)) {
    tc->running = false;
    return -1;
  }
  switch (tc->stage) {
    case STAGE_PICK: pick(tc); break;
    case STAGE_SET_UP: set_up(tc); break;
    case STAGE_FREE:
      tc->looked = !tc->looked;
      if (!tc->looked) free_one(tc, cycle->number);
      break;
    case STAGE_LOWER: lower(tc); return (int)tc->sm;
  }
  return -1;
}

bool qsm_tb_claim_acts(const struct qsm_tb_claim *tc, uint32_t waits, bool may_begin) {
  return tc->running || tc->turns || ((tc->wait | tc->late) & ~waits) || can_begin(tc, may_begin);
}

int qsm_tb_claim_step(struct qsm_tb_claim *tc, const struct qsm_tb_claim_cycle *cycle) {
  int sm = -1;
  if (tc->running) {
    sm = step_claim(tc, cycle);
  } else if (!cycle->is_epoch_end && !tc->turns && can_begin(tc, cycle->may_begin)) {
    begin(tc);
  }
  update_late(tc, cycle->waits);
  return sm;
}
