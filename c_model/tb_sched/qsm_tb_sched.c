// SPDX-License-Identifier: Apache-2.0
#include "qsm_tb_sched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_qos_mgr.h"
#include "qsm_sm_owner.h"
#include "qsm_tb_adjust.h"
#include "qsm_tb_claim.h"
#include "qsm_tb_resources.h"

// The functions that run in every window are compiled a second time without preemption, for the
// time in which no block is preempted.
#define INLINE static inline __attribute__((always_inline))

enum { END_DELAY = 16 };

struct shape {
  uint32_t warps, granules;
};

struct slot {
  struct qsm_walk walk;
  struct shape shape;
  uint32_t out;  // TBs dispatched and not retired
  uint32_t launches;
  uint64_t end_at;                // while ending: the cycle in which its counter is 0
  uint64_t had_from;              // had_tb is 1 from this cycle on
  qsm_sm_set room;                // bit i: cnt < target on SM i
  uint64_t sm_cycles, summed_to;  // of the cycles before summed_to
  uint32_t n_sms;                 // on which it has blocks
  struct qsm_fault record;
};

struct retirement {
  uint8_t tb;
  bool saved;
};

// Of an SM, those that wait, the oldest first (R-TB-18).
struct retire_queue {
  uint32_t n;
  struct retirement waits[QSM_MAX_TBS];
};

// The allocator goes in rounds: a set-up cycle computes the targets, for which SMs they are, and
// how long that takes; they are written at the end of the round's last cycle.
struct alloc {
  bool requested, running;
  bool to_request;  // requested, for all SMs, at the end of this cycle
  qsm_sm_set ask;   // of the next run, if it is requested
  qsm_sm_set left;  // of the run, those of this round too
  qsm_sm_set round;
  uint64_t setup_at, write_at;
  uint32_t target[QSM_MAX_KERNELS];
};

// A block on its way through dispatch: for an SM without a place there yet, or with one.
struct candidate {
  bool valid;
  uint32_t kernel, sm;
  struct qsm_tb_place place;
};

struct qsm_tb_sched {
  const struct qsm_config *config;
  const struct qsm_regs *regs;
  const struct qsm_bus *bus;
  // Bit k each.
  uint32_t busy, killed, all, ending, starting, has_out;
  uint32_t yield, yielded;  // R-TB-16
  uint32_t active, used;    // R-TB-14
  uint32_t launching;       // LAUNCH is written in the cycle that is about to run
  uint32_t falling;         // active until the end of the cycle that is about to run, which is an E
  uint32_t next_kernel, next_sm[QSM_MAX_KERNELS];
  struct candidate looking, placed;
  uint64_t n_dispatched;
  struct alloc alloc;
  struct qsm_sm_owner *owner;
  const struct qsm_sm_may *may;
  struct qsm_preempt *preempt;
  struct qsm_tb_adjust *adjust;
  // See qsm_preempt_active(), qsm_tb_adjust_active(), qsm_sm_owner_active().
  const bool *preempting, *adjusting, *owning;
  struct qsm_calendar retires, restores, faults;
  struct retirement retirement[QSM_CALENDAR_CYCLES][QSM_MAX_SMS];
  struct retire_queue retiring[QSM_MAX_SMS];
  qsm_sm_set has_retiring;
  uint32_t next_retire;
  struct retirement seen;  // of the SM of which one is seen in this cycle
  uint8_t fault_kernels[QSM_CALENDAR_CYCLES][QSM_MAX_SMS];
  struct qsm_fault fault_record[QSM_MAX_SMS][QSM_MAX_KERNELS];
  struct slot slot[QSM_MAX_KERNELS];
  struct qsm_tb_table table[QSM_MAX_SMS];
};

struct qsm_tb_sched *qsm_tb_sched_create(const struct qsm_regs *regs, const struct qsm_bus *bus) {
  struct qsm_tb_sched *ts = calloc(1, sizeof *ts);
  if (!ts) return NULL;
  ts->config = regs->shared.config;
  ts->regs = regs;
  ts->bus = bus;
  ts->preempt = qsm_preempt_create(regs, bus);
  ts->owner = qsm_sm_owner_create(regs, bus, ts->table, &ts->active);
  if (ts->owner) ts->may = qsm_sm_owner_may(ts->owner);
  if (ts->owner && ts->preempt)
    ts->adjust = qsm_tb_adjust_create(regs, bus, ts->table, ts->preempt, ts->may);
  if (!ts->adjust) {
    qsm_tb_sched_destroy(ts);
    return NULL;
  }
  ts->preempting = qsm_preempt_active(ts->preempt);
  ts->adjusting = qsm_tb_adjust_active(ts->adjust);
  ts->owning = qsm_sm_owner_active(ts->owner);
  for (uint32_t k = 0; k < ts->config->num_kernels; k++) {
    ts->slot[k].shape.warps = 1;
    ts->slot[k].had_from = QSM_NEVER;
  }
  for (uint32_t i = 0; i < ts->config->num_sms; i++)
    qsm_tb_free_reset(ts->config, &ts->table[i].free);
  return ts;
}

void qsm_tb_sched_destroy(struct qsm_tb_sched *ts) {
  if (!ts) return;
  qsm_sm_owner_destroy(ts->owner);
  qsm_preempt_destroy(ts->preempt);
  qsm_tb_adjust_destroy(ts->adjust);
  free(ts);
}

void qsm_tb_sched_retire(struct qsm_tb_sched *ts, uint64_t cycle, uint32_t sm, uint32_t tb,
                         bool saved) {
  qsm_calendar_add(&ts->retires, cycle, sm);
  ts->retirement[cycle % QSM_CALENDAR_CYCLES][sm] = (struct retirement){(uint8_t)tb, saved};
}

void qsm_tb_sched_restored(struct qsm_tb_sched *ts, uint64_t cycle, uint32_t sm) {
  qsm_calendar_add(&ts->restores, cycle, sm);
}

void qsm_tb_sched_fault(struct qsm_tb_sched *ts, uint64_t cycle, uint32_t sm, uint32_t kernel,
                        const struct qsm_fault *record) {
  qsm_calendar_add(&ts->faults, cycle, sm);
  ts->fault_kernels[cycle % QSM_CALENDAR_CYCLES][sm] |= (uint8_t)(1u << kernel);
  ts->fault_record[sm][kernel] = *record;
}

void qsm_tb_sched_power(struct qsm_tb_sched *ts, uint64_t cycle, uint32_t sm, bool on) {
  qsm_sm_owner_see_power(ts->owner, cycle, sm, on);
}

// ---- Register writes ----

// R-SO-8.
static void ask_alloc(struct qsm_tb_sched *ts, qsm_sm_set sms) {
  ts->alloc.ask |= sms;
  ts->alloc.requested = ts->alloc.ask != 0;
}

void qsm_tb_sched_request_targets(struct qsm_tb_sched *ts) {
  ask_alloc(ts, qsm_first_sms(ts->config->num_sms));
}

// R-SO-5: the preemption engine takes the move flags for those of the cycle to come.
static void show_moves(struct qsm_tb_sched *ts) {
  qsm_sm_set sms = qsm_sm_owner_moving(ts->owner) | qsm_preempt_moving(ts->preempt);
  for (; sms; sms &= sms - 1) {
    uint32_t sm = qsm_lowest_sm(sms);
    qsm_preempt_set_move(ts->preempt, sm, qsm_sm_owner_move_flags(ts->owner, sm));
  }
}

void qsm_tb_sched_note_move_technique(struct qsm_tb_sched *ts) { show_moves(ts); }

void qsm_tb_sched_preempt(struct qsm_tb_sched *ts, const struct qsm_preempt_request *request) {
  qsm_preempt_request(ts->preempt, request);
}

void qsm_tb_sched_set_evict(struct qsm_tb_sched *ts, uint32_t sm, uint32_t kernels) {
  qsm_preempt_set_evict(ts->preempt, sm, kernels);
}

// R-TB-14: an arrival or a launch.
static void show_life(struct qsm_tb_sched *ts, uint32_t kernel) {
  uint32_t bit = 1u << kernel;
  if (!(ts->active & bit)) qsm_tb_sched_request_targets(ts);
  ts->active |= bit;
  ts->used |= bit;
}

void qsm_tb_sched_will_launch(struct qsm_tb_sched *ts, uint32_t kernels) {
  ts->launching = kernels;
}

void qsm_tb_sched_arrive(struct qsm_tb_sched *ts, uint32_t kernel) {
  show_life(ts, kernel);
  ts->slot[kernel].shape = (struct shape){.warps = 1};
  ts->slot[kernel].launches = 0;
  ts->slot[kernel].walk = (struct qsm_walk){0};
}

// A launch that has ended with the cycle has nothing to yield.
void qsm_tb_sched_yield(struct qsm_tb_sched *ts, uint32_t kernel) {
  ts->yield |= ts->busy & 1u << kernel;
}

void qsm_tb_sched_set_walk(struct qsm_tb_sched *ts, uint32_t kernel, const struct qsm_walk *walk) {
  ts->slot[kernel].walk = *walk;
}

void qsm_tb_sched_launch(struct qsm_tb_sched *ts, uint32_t kernel) {
  struct slot *slot = &ts->slot[kernel];
  const struct qsm_desc *desc = &ts->regs->shared.desc[kernel];
  uint32_t bit = 1u << kernel;
  show_life(ts, kernel);
  ts->launching &= ~bit;
  ts->busy |= bit;
  ts->starting |= bit;
  ts->killed &= ~bit;
  ts->yielded &= ~bit;
  ts->all &= ~bit;
  slot->record = (struct qsm_fault){0};
  qsm_preempt_launch(ts->preempt, kernel);
  if (slot->shape.warps != desc->warps || slot->shape.granules != desc->granules) {
    slot->shape = (struct shape){desc->warps, desc->granules};
    qsm_tb_sched_request_targets(ts);
  }
}

// ---- Targets ----

// Bit of the n-th set bit (from 0) of `mask`; 0: it has no more than n.
static uint32_t nth_bit(uint32_t mask, uint32_t n) {
  for (; n && mask; n--) mask &= mask - 1;
  return mask & (0u - mask);
}

// R-TB-7: slots that share SM `sm`, which is shared.
static uint32_t sharing_slots(const struct qsm_tb_sched *ts, uint32_t sm) {
  uint32_t qos = ts->regs->shared.qos_mask & ts->active;
  uint32_t others = ts->regs->valid_mask & ts->active & ~qos;
  uint32_t assigned = others;
  if (qos)
    assigned =
        qos | nth_bit(others, sm * (uint32_t)__builtin_popcount(others) / ts->config->num_sms);
  for (uint32_t k = 0; k < ts->config->num_kernels; k++) {
    if (!qsm_has_sm(ts->regs->sm_mask[k], sm)) assigned &= ~(1u << k);
  }
  return assigned;
}

// R-TB-7, R-SO-2.
static uint32_t assigned_slots(const struct qsm_tb_sched *ts, uint32_t sm) {
  const struct qsm_sm_usage *use = qsm_sm_owner_of(ts->owner, sm);
  if (use->moving || use->usage == QSM_USE_FREE) return 0;
  return use->usage == QSM_USE_OWNED ? qsm_tb_sched_part(ts) & 1u << use->owner
                                     : sharing_slots(ts, sm);
}

enum excess { EXCESS_NONE, EXCESS_GRANULES, EXCESS_ANY };  // GRANULES: of them only

// `sharing`: slots that are not capped; the others' targets are none of theirs (R-TB-15).
static enum excess targets_excess(const struct qsm_tb_sched *ts, const uint32_t *target,
                                  uint32_t sharing) {
  uint32_t tbs = 0, warps = 0, granules = 0;
  for (; sharing; sharing &= sharing - 1) {
    uint32_t k = qsm_lowest(sharing);
    tbs += target[k];
    warps += target[k] * ts->slot[k].shape.warps;
    granules += target[k] * ts->slot[k].shape.granules;
  }
  if (warps > ts->config->warps_per_sm || tbs > ts->config->max_tbs) return EXCESS_ANY;
  return granules > QSM_SHARED_GRANULES ? EXCESS_GRANULES : EXCESS_NONE;
}

// Takes one TB from the slot of `sharing` that has most, of equals the highest; where only granules
// are short, among those that use some.
static void reduce_targets(const struct qsm_tb_sched *ts, uint32_t *target, uint32_t sharing,
                           enum excess excess) {
  uint32_t victim = 0, most = 0;
  for (; sharing; sharing &= sharing - 1) {
    uint32_t k = qsm_lowest(sharing);
    if (excess == EXCESS_GRANULES && ts->slot[k].shape.granules == 0) continue;
    if (target[k] < most) continue;
    most = target[k];
    victim = k;
  }
  target[victim]--;
}

// TBs of slot k in so many warps.
static uint32_t blocks_in(const struct qsm_tb_sched *ts, uint32_t k, uint32_t warps) {
  uint32_t blocks = warps / ts->slot[k].shape.warps;
  return blocks < ts->config->max_tbs ? blocks : ts->config->max_tbs;
}

// R-TB-6: of the SMs, those with these assigned slots.
static qsm_sm_set alike(const struct qsm_tb_sched *ts, qsm_sm_set sms, uint32_t assigned) {
  qsm_sm_set found = 0;
  for (; sms; sms &= sms - 1) {
    uint32_t sm = qsm_lowest_sm(sms);
    if (assigned_slots(ts, sm) == assigned) found |= qsm_sm_bit(sm);
  }
  return found;
}

// R-TB-7, R-TB-8, R-TB-15: fills in targets and SMs of a round, and returns the cycles that takes.
static uint32_t set_up_round(struct qsm_tb_sched *ts) {
  uint32_t *target = ts->alloc.target;
  uint32_t assigned = assigned_slots(ts, qsm_lowest_sm(ts->alloc.left)), sharing = assigned;
  uint32_t n_assigned = (uint32_t)__builtin_popcount(assigned);
  uint32_t n_cycles = 2;  // set-up, last check
  ts->alloc.round = alike(ts, ts->alloc.left, assigned);
  memset(target, 0, sizeof ts->alloc.target);
  for (uint32_t left = assigned; left; left &= left - 1) {
    uint32_t k = qsm_lowest(left), cap = ts->regs->warp_cap[k];
    uint32_t blocks = blocks_in(ts, k, cap ? cap : ts->config->warps_per_sm / n_assigned);
    target[k] = blocks || cap ? blocks : 1;
    if (cap) sharing &= ~(1u << k);
    n_cycles += 1 + blocks;
  }
  for (enum excess excess; (excess = targets_excess(ts, target, sharing)) != EXCESS_NONE;
       n_cycles += 2)
    reduce_targets(ts, target, sharing, excess);
  return n_cycles;
}

uint64_t qsm_tb_sched_sm_cycles(const struct qsm_tb_sched *ts, uint64_t cycle, uint32_t kernel) {
  const struct slot *slot = &ts->slot[kernel];
  return slot->sm_cycles + (cycle - slot->summed_to) * slot->n_sms;
}

// At the end of the cycle its first block is on an SM, or its last no more.
static void note_sms(struct qsm_tb_sched *ts, uint64_t cycle, uint32_t kernel, uint32_t n_sms) {
  struct slot *slot = &ts->slot[kernel];
  slot->sm_cycles = qsm_tb_sched_sm_cycles(ts, cycle + 1, kernel);
  slot->summed_to = cycle + 1;
  slot->n_sms = n_sms;
}

static void update_room(struct qsm_tb_sched *ts, uint32_t sm, uint32_t kernel) {
  const struct qsm_tb_table *table = &ts->table[sm];
  qsm_sm_set bit = qsm_sm_bit(sm);
  if (table->cnt[kernel] < table->target[kernel]) {
    ts->slot[kernel].room |= bit;
  } else {
    ts->slot[kernel].room &= ~bit;
  }
}

static void write_targets(struct qsm_tb_sched *ts, uint64_t cycle, uint32_t sm) {
  uint32_t words[1 + QSM_MAX_KERNELS] = {sm};
  for (uint32_t k = 0; k < ts->config->num_kernels; k++) {
    words[1 + k] = ts->alloc.target[k];
    ts->table[sm].target[k] = ts->alloc.target[k];
    update_room(ts, sm, k);
  }
  if (*ts->adjusting) qsm_tb_adjust_forget(ts->adjust, sm);
  qsm_bus_report(ts->bus, cycle, QSM_EV_TARGETS, 0, 1 + ts->config->num_kernels, words);
}

// R-TB-6, R-SO-8. A run over some SMs leaves targets of 0 on the others, so starved slots stay
// starved.
static void begin_alloc(struct qsm_tb_sched *ts, uint64_t cycle) {
  struct alloc *alloc = &ts->alloc;
  alloc->left = alloc->ask;
  alloc->ask = 0;
  alloc->requested = false;
  alloc->running = true;
  if (alloc->left == qsm_first_sms(ts->config->num_sms)) qsm_tb_adjust_start_over(ts->adjust);
  alloc->setup_at = cycle + 1;
  alloc->write_at = QSM_NEVER;
}

static void step_alloc(struct qsm_tb_sched *ts, uint64_t cycle) {
  struct alloc *alloc = &ts->alloc;
  if (!alloc->running) {
    if (alloc->requested) begin_alloc(ts, cycle);
  } else if (cycle == alloc->setup_at) {
    alloc->write_at = cycle + set_up_round(ts) - 1;
  } else if (cycle == alloc->write_at) {
    for (qsm_sm_set sms = alloc->round; sms; sms &= sms - 1)
      write_targets(ts, cycle, qsm_lowest_sm(sms));
    alloc->left &= ~alloc->round;
    alloc->running = alloc->left != 0;
    alloc->setup_at = cycle + 1;
    alloc->write_at = QSM_NEVER;
  }
}

static uint64_t alloc_next(const struct alloc *alloc, uint64_t from) {
  if (!alloc->running) return alloc->requested ? from : QSM_NEVER;
  return alloc->write_at == QSM_NEVER ? alloc->setup_at : alloc->write_at;
}

// ---- Dispatch ----

// Slots whose launch has no new block (R-TB-2, R-TB-16).
INLINE uint32_t exhausted(const struct qsm_tb_sched *ts) { return ts->all | ts->yield; }

// R-TB-2
static void advance_walk(struct qsm_tb_sched *ts, uint32_t kernel) {
  struct qsm_walk *walk = &ts->slot[kernel].walk;
  walk->linear++;
  for (uint32_t d = 0; d < 3; d++) {
    if (++walk->at[d] < ts->regs->shared.desc[kernel].grid[d]) return;
    walk->at[d] = 0;
  }
  ts->all |= 1u << kernel;
}

// A new block is that of the walk; a restored one has its index in the image.
static void send_dispatch(const struct qsm_tb_sched *ts, uint64_t cycle, uint32_t sm, uint32_t tb,
                          const struct qsm_dispatch_extra *extra) {
  static const struct qsm_walk nowhere;
  const struct qsm_tb_entry *entry = &ts->table[sm].tb[tb];
  const struct qsm_walk *walk = extra->op == QSM_TB_NEW ? &ts->slot[entry->kernel].walk : &nowhere;
  struct qsm_sm_msg msg = {.cycle = cycle + ts->config->noc_lat,
                           .kind = QSM_MSG_DISPATCH,
                           .kernel = entry->kernel,
                           .tb = (uint8_t)tb,
                           .first = entry->place.first,
                           .base = entry->place.base,
                           .block = {walk->at[0], walk->at[1], walk->at[2]},
                           .linear = walk->linear,
                           .op = extra->op,
                           .image = extra->image,
                           .fresh = extra->fresh,
                           .ticket = extra->ticket};
  ts->bus->send(ts->bus->ctx, sm, &msg);
  uint32_t words[] = {sm, tb, entry->kernel, walk->linear, extra->op, extra->image, extra->ticket};
  qsm_bus_report(ts->bus, cycle, QSM_EV_DISPATCH, 0, sizeof words / sizeof *words, words);
}

// R-TB-12: out is above 0 from the next cycle on, so had_tb is 1 from the one after it.
static void count_out(struct qsm_tb_sched *ts, uint64_t cycle, uint32_t kernel) {
  struct slot *slot = &ts->slot[kernel];
  if (slot->out++ == 0) slot->had_from = qsm_earlier(slot->had_from, cycle + 2);
  ts->has_out |= 1u << kernel;
}

// R-TB-17, R-PE-8; true if a block is restored.
static bool send_block(struct qsm_tb_sched *ts, uint64_t cycle, const struct candidate *candidate) {
  const uint32_t sm = candidate->sm, kernel = candidate->kernel;
  const struct qsm_tb_place place = candidate->place;
  struct qsm_tb_table *table = &ts->table[sm];
  const struct qsm_desc *desc = &ts->regs->shared.desc[kernel];
  const struct qsm_dispatch_extra extra = qsm_preempt_dispatch(ts->preempt, sm, kernel, place.tb);
  table->tb[place.tb] = (struct qsm_tb_entry){
      .kernel = (uint8_t)kernel, .place = place, .ticket = extra.ticket, .age = ts->n_dispatched++};
  send_dispatch(ts, cycle, sm, place.tb, &extra);
  qsm_tb_take(ts->config, &table->free, desc, place);
  if (table->cnt[kernel]++ == 0) note_sms(ts, cycle, kernel, ts->slot[kernel].n_sms + 1);
  qsm_sm_owner_note_blocks(ts->owner, cycle, sm);
  update_room(ts, sm, kernel);
  count_out(ts, cycle, kernel);
  if (extra.op == QSM_TB_NEW)
    advance_walk(ts, kernel);
  else
    qsm_tb_adjust_restores(ts->adjust, sm);
  return extra.op == QSM_TB_RESTORE;
}

INLINE bool preempts(const struct qsm_tb_sched *ts) { return *ts->preempting | *ts->adjusting; }

// SMs that are open to the kernel (R-TB-9).
INLINE qsm_sm_set open_sms(const struct qsm_tb_sched *ts, uint32_t kernel, bool preempting) {
  qsm_sm_set sms = qsm_sm_may_go(ts->may, ts->regs, kernel);
  return preempting ? sms & qsm_preempt_open_sms(ts->preempt, kernel) : sms;
}

INLINE qsm_sm_set under_way(const struct qsm_tb_sched *ts) {
  return (ts->looking.valid ? qsm_sm_bit(ts->looking.sm) : 0) |
         (ts->placed.valid ? qsm_sm_bit(ts->placed.sm) : 0);
}

INLINE qsm_sm_set rooms(const struct qsm_tb_sched *ts, uint32_t kernel, bool preempting) {
  return ts->slot[kernel].room & open_sms(ts, kernel, preempting);
}

INLINE uint32_t next_sm(const struct qsm_tb_sched *ts, uint32_t kernel, bool preempting) {
  return qsm_first_sm_from(rooms(ts, kernel, preempting), ts->next_sm[kernel]);
}

// No step of a dispatch is done in this cycle (R-TB-6).
INLINE bool is_closed(const struct qsm_tb_sched *ts, bool preempting) {
  return qsm_tb_sched_alloc_busy(ts) || (preempting && qsm_tb_adjust_running(ts->adjust));
}

// R-TB-9: slots with something to dispatch, a saved block too (R-PE-8).
INLINE uint32_t ready(const struct qsm_tb_sched *ts, bool preempting) {
  uint32_t has_blocks = ~exhausted(ts);
  if (preempting) has_blocks |= qsm_preempt_resumable(ts->preempt);
  return ts->busy & has_blocks & ~(ts->killed | ts->ending | ts->starting);
}

// Of these the slots with an SM that has room.
INLINE uint32_t candidates(const struct qsm_tb_sched *ts, bool preempting) {
  if (is_closed(ts, preempting)) return 0;
  uint32_t found = 0;
  for (uint32_t want = ready(ts, preempting); want; want &= want - 1) {
    if (rooms(ts, qsm_lowest(want), preempting)) found |= want & (0u - want);
  }
  return found;
}

// Of the slots, those whose next SM has no block under way.
static uint32_t not_held_up(const struct qsm_tb_sched *ts, uint32_t slots, bool preempting) {
  qsm_sm_set busy_sms = under_way(ts);
  if (!busy_sms) return slots;
  for (uint32_t left = slots; left; left &= left - 1) {
    if (qsm_has_sm(busy_sms, next_sm(ts, qsm_lowest(left), preempting)))
      slots &= ~(left & (0u - left));
  }
  return slots;
}

// R-TB-9. Who is held up keeps its turn.
static struct candidate choose(struct qsm_tb_sched *ts, bool preempting) {
  uint32_t asking = candidates(ts, preempting);
  uint32_t found = asking ? not_held_up(ts, asking, preempting) : 0;
  if (!found) return (struct candidate){0};
  uint32_t kernel = qsm_first_from(found, ts->next_kernel);
  uint32_t sm = next_sm(ts, kernel, preempting);
  if (kernel == qsm_first_from(asking, ts->next_kernel))
    ts->next_kernel = (kernel + 1) % ts->config->num_kernels;
  ts->next_sm[kernel] = (sm + 1) % ts->config->num_sms;
  return (struct candidate){.valid = true, .kernel = kernel, .sm = sm};
}

// R-TB-10.
static struct candidate find_place(const struct qsm_tb_sched *ts, bool preempting) {
  struct candidate found = ts->looking;
  found.valid = found.valid && !is_closed(ts, preempting) &&
                qsm_tb_fits(ts->config, &ts->table[found.sm].free,
                            &ts->regs->shared.desc[found.kernel], &found.place);
  return found;
}

// R-TB-17, but for the decision.
static bool may_send(const struct qsm_tb_sched *ts, const struct candidate *candidate,
                     bool preempting) {
  return candidate->valid && !is_closed(ts, preempting) &&
         (ready(ts, preempting) >> candidate->kernel & 1) &&
         qsm_has_sm(open_sms(ts, candidate->kernel, preempting), candidate->sm);
}

// ---- Preemption ----

// A decision that is due; `retiring`: the SM of which a retirement is seen. True if there was one.
static bool step_request(struct qsm_tb_sched *ts, uint64_t cycle, qsm_sm_set retiring) {
  const struct qsm_preempt_request *request = qsm_preempt_examine(ts->preempt, cycle);
  if (!request) return false;
  const struct qsm_tb_table *table = &ts->table[request->sm];
  uint32_t used = qsm_tb_used(ts->config, &table->free);
  int tb = request->by_slot ? request->tb : qsm_tb_youngest(table, used, request->kernel);
  bool runs = (ts->busy & ~(ts->killed | ts->ending)) >> request->kernel & 1;
  bool exists = tb >= 0 && (used >> tb & 1) && table->tb[tb].kernel == request->kernel;
  bool retires = qsm_has_sm(retiring, request->sm) && ts->seen.tb == tb;
  uint32_t sm = request->sm, kernel = request->kernel;
  if (qsm_preempt_decide(ts->preempt, cycle, tb < 0 ? 0 : (uint32_t)tb, runs && exists && !retires))
    qsm_sm_owner_refuse(ts->owner, sm, kernel);
  return true;
}

// ---- Adjustment ----

// Slots that run and have a block to give (R-TA-1).
static uint32_t giving(const struct qsm_tb_sched *ts) {
  return ts->busy & ~(ts->killed | ts->ending) &
         (~exhausted(ts) | qsm_preempt_resumable(ts->preempt));
}

// R-TA-10.
static uint32_t waiting(const struct qsm_tb_sched *ts) {
  uint32_t waits = giving(ts) & ~ts->has_out;
  for (uint32_t left = waits; left; left &= left - 1) {
    if (!qsm_sm_may_go(ts->may, ts->regs, qsm_lowest(left))) waits &= ~(left & (0u - left));
  }
  return waits;
}

// R-TA-1, R-TA-9, R-TA-10
void qsm_tb_sched_adjust(struct qsm_tb_sched *ts, uint64_t cycle, const uint32_t *ratio) {
  uint32_t can_give = giving(ts);
  uint32_t want = ts->regs->adjust ? ts->regs->shared.qos_mask & can_give : 0;
  for (uint32_t left = want; left; left &= left - 1) {
    uint32_t k = qsm_lowest(left);
    if (ratio[k] <= QSM_ALPHA_ONE) want &= ~(1u << k);
  }
  qsm_tb_adjust_turn(ts->adjust, waiting(ts));
  qsm_sm_owner_gate(ts->owner, cycle);
  if (qsm_tb_sched_alloc_busy(ts)) return;
  ts->alloc.to_request = !want && (qsm_tb_adjust_starved(ts->adjust) & can_give & ~ts->has_out);
  if (want)
    qsm_tb_adjust_start(ts->adjust, want,
                        qsm_preempt_evicting(ts->preempt) || qsm_preempt_pending(ts->preempt),
                        ratio);
}

static struct qsm_tb_adjust_slots look_at_slots(const struct qsm_tb_sched *ts) {
  struct qsm_tb_adjust_slots slots = {.busy = ts->busy,
                                      .killed = ts->killed,
                                      .waits = waiting(ts),
                                      .evicting = qsm_preempt_evicting(ts->preempt) != 0};
  for (uint32_t k = 0; k < ts->config->num_kernels; k++) slots.out[k] = ts->slot[k].out;
  return slots;
}

static void step_adjust(struct qsm_tb_sched *ts, uint64_t cycle,
                        const struct qsm_tb_adjust_slots *slots) {
  int sm = qsm_tb_adjust_step(ts->adjust, cycle, qsm_tb_sched_alloc_busy(ts), slots);
  if (sm < 0) return;
  for (uint32_t k = 0; k < ts->config->num_kernels; k++) update_room(ts, (uint32_t)sm, k);
}

// ---- Starts, kills, ends ----

static void send_pulses(const struct qsm_tb_sched *ts, uint64_t cycle, enum qsm_sm_msg_kind kind,
                        uint32_t kernels) {
  for (; kernels; kernels &= kernels - 1) {
    struct qsm_sm_msg msg = {.cycle = cycle + ts->config->noc_lat,
                             .kind = (uint8_t)kind,
                             .kernel = (uint8_t)qsm_lowest(kernels)};
    qsm_bus_broadcast(ts->bus, ts->config->num_sms, &msg);
  }
}

// Takes the fault messages of this cycle: returns the slots of `may_kill` that have one and keeps
// the record of each one's lowest SM.
static uint32_t take_faults(struct qsm_tb_sched *ts, uint64_t cycle, uint32_t may_kill) {
  uint32_t found = 0;
  for (qsm_sm_set sms = qsm_calendar_take(&ts->faults, cycle); sms; sms &= sms - 1) {
    uint32_t sm = qsm_lowest_sm(sms);
    uint32_t kernels = ts->fault_kernels[cycle % QSM_CALENDAR_CYCLES][sm];
    ts->fault_kernels[cycle % QSM_CALENDAR_CYCLES][sm] = 0;
    for (uint32_t news = kernels & may_kill & ~found; news; news &= news - 1) {
      uint32_t k = qsm_lowest(news);
      ts->slot[k].record = ts->fault_record[sm][k];
    }
    found |= kernels & may_kill;
  }
  return found;
}

// R-TB-4: returns the slots killed in this cycle.
static uint32_t step_kills(struct qsm_tb_sched *ts, uint64_t cycle, uint32_t written) {
  uint32_t may_kill = ts->busy & ~(ts->ending | ts->killed);
  uint32_t faulted = take_faults(ts, cycle, may_kill);
  uint32_t by_host = written & may_kill & ~faulted;
  for (uint32_t left = by_host; left; left &= left - 1) {
    ts->slot[qsm_lowest(left)].record = (struct qsm_fault){.cause = QSM_CAUSE_HOST};
  }
  send_pulses(ts, cycle, QSM_MSG_KILL, faulted | by_host);
  return faulted | by_host;
}

// R-TB-18: the SM of which a retirement is seen, or none.
static qsm_sm_set see_retirement(struct qsm_tb_sched *ts, uint64_t cycle) {
  for (qsm_sm_set came = qsm_calendar_take(&ts->retires, cycle); came; came &= came - 1) {
    uint32_t sm = qsm_lowest_sm(came);
    struct retire_queue *queue = &ts->retiring[sm];
    queue->waits[queue->n++] = ts->retirement[cycle % QSM_CALENDAR_CYCLES][sm];
    ts->has_retiring |= qsm_sm_bit(sm);
  }
  qsm_sm_set may = ts->has_retiring;
  if (!may) return 0;
  uint32_t turn = qsm_first_sm_from(may, ts->next_retire);
  if (ts->placed.valid) may &= ~qsm_sm_bit(ts->placed.sm);
  ts->next_retire = turn;  // and stays it while it is held
  if (!may) return 0;
  uint32_t sm = qsm_first_sm_from(may, turn);
  if (sm == turn) ts->next_retire = (turn + 1) % ts->config->num_sms;
  struct retire_queue *queue = &ts->retiring[sm];
  ts->seen = queue->waits[0];
  memmove(&queue->waits[0], &queue->waits[1], --queue->n * sizeof queue->waits[0]);
  if (queue->n == 0) ts->has_retiring &= ~qsm_sm_bit(sm);
  return qsm_sm_bit(sm);
}

// R-TB-11, R-PE-5, R-PE-6
static void step_retires(struct qsm_tb_sched *ts, uint64_t cycle, qsm_sm_set retiring) {
  if (retiring) {
    uint32_t sm = qsm_lowest_sm(retiring);
    const struct retirement *retirement = &ts->seen;
    struct qsm_tb_table *table = &ts->table[sm];
    const struct qsm_tb_entry *entry = &table->tb[retirement->tb];
    uint32_t kernel = entry->kernel;
    qsm_tb_give_back(ts->config, &table->free, &ts->regs->shared.desc[kernel], entry->place);
    if (--table->cnt[kernel] == 0) note_sms(ts, cycle, kernel, ts->slot[kernel].n_sms - 1);
    qsm_sm_owner_note_blocks(ts->owner, cycle, sm);
    update_room(ts, sm, kernel);
    qsm_preempt_retired(ts->preempt, sm, kernel, retirement->tb, entry->ticket, retirement->saved,
                        ts->killed >> kernel & 1);
    if (--ts->slot[kernel].out == 0) ts->has_out &= ~(1u << kernel);
  }
  if (!preempts(ts)) return;
  for (qsm_sm_set sms = qsm_calendar_take(&ts->restores, cycle); sms; sms &= sms - 1)
    qsm_preempt_restored(ts->preempt, qsm_lowest_sm(sms));
}

// Slots whose work is done (R-TB-3, R-PE-10).
INLINE uint32_t finished(const struct qsm_tb_sched *ts, bool preempting) {
  uint32_t done = ts->busy & ~ts->ending & (exhausted(ts) | ts->killed) & ~ts->has_out;
  return preempting ? done & ~qsm_preempt_holding(ts->preempt) &
                          (ts->killed | ~qsm_preempt_keeping(ts->preempt))
                    : done;
}

static void begin_ends(struct qsm_tb_sched *ts, uint64_t cycle, uint32_t kernels) {
  if (!kernels) return;
  uint32_t words[] = {kernels, kernels & ts->killed};
  qsm_bus_report(ts->bus, cycle, QSM_EV_END, 0, 2, words);
  ts->ending |= kernels;
  qsm_preempt_end(ts->preempt, kernels);
  for (; kernels; kernels &= kernels - 1) ts->slot[qsm_lowest(kernels)].end_at = cycle + END_DELAY;
}

// R-TB-3, R-TB-16
static uint32_t complete_ends(struct qsm_tb_sched *ts, uint64_t cycle) {
  uint32_t ended = 0, goes_on = ~(ts->all | ts->killed);
  for (uint32_t left = ts->ending; left; left &= left - 1) {
    uint32_t k = qsm_lowest(left);
    if (ts->slot[k].end_at != cycle) continue;
    ended |= 1u << k;
    ts->slot[k].launches += (ts->all & ~ts->killed) >> k & 1;
    if (!(goes_on >> k & 1)) ts->slot[k].walk = (struct qsm_walk){0};
  }
  ts->yielded |= ended & goes_on;
  ts->busy &= ~ended;
  ts->ending &= ~ended;
  ts->yield &= ~ended;
  return ended;
}

// R-TB-14, at the end of E.
static void end_activity(struct qsm_tb_sched *ts) {
  if (ts->falling & ts->regs->valid_mask) qsm_tb_sched_request_targets(ts);
  ts->active &= ~ts->falling;
  ts->falling = 0;
}

// Decisions that depend on registers at the start of the cycle are made before the registers
// change: `done` and the steps of dispatch come before kills and retirements, those of later blocks
// before what the message changes.
uint32_t qsm_tb_sched_starting(const struct qsm_tb_sched *ts) { return ts->starting; }

uint32_t qsm_tb_sched_step(struct qsm_tb_sched *ts, uint64_t cycle, uint32_t kill) {
  qsm_sm_set retiring = see_retirement(ts, cycle);
  bool preempting = preempts(ts), adjusting = *ts->adjusting, owning = *ts->owning;
  struct qsm_tb_adjust_slots slots = {0};
  if (adjusting) slots = look_at_slots(ts);
  uint32_t done = finished(ts, preempting);
  const struct candidate chosen = choose(ts, preempting), placed = find_place(ts, preempting);
  bool sends = may_send(ts, &ts->placed, preempting);
  bool decides = preempting && step_request(ts, cycle, retiring);
  bool restores = sends && !decides && send_block(ts, cycle, &ts->placed);
  ts->looking = chosen;
  ts->placed = placed;
  if (preempting && !restores) qsm_preempt_clean_up(ts->preempt, retiring, ts->killed);
  if (adjusting) step_adjust(ts, cycle, &slots);
  uint32_t ended = complete_ends(ts, cycle);
  step_alloc(ts, cycle);
  send_pulses(ts, cycle, QSM_MSG_START, ts->starting);
  ts->starting = 0;
  uint32_t killed = step_kills(ts, cycle, kill);
  if (owning) ask_alloc(ts, qsm_sm_owner_step(ts->owner, cycle));
  step_retires(ts, cycle, retiring);
  if (killed) qsm_preempt_kill(ts->preempt, killed);
  begin_ends(ts, cycle, done);
  ts->killed |= killed;
  end_activity(ts);
  if (ts->alloc.to_request) qsm_tb_sched_request_targets(ts);
  ts->alloc.to_request = false;
  if (owning) show_moves(ts);
  if (adjusting) qsm_tb_adjust_report(ts->adjust, cycle);
  return ended;
}

uint64_t qsm_tb_sched_end_at(const struct qsm_tb_sched *ts) {
  uint64_t at = QSM_NEVER;
  for (uint32_t left = ts->ending; left; left &= left - 1)
    at = qsm_earlier(at, ts->slot[qsm_lowest(left)].end_at);
  return at;
}

INLINE uint64_t next_event(const struct qsm_tb_sched *ts, uint64_t from, bool preempting) {
  if (ts->starting || ts->falling || ts->alloc.to_request || ts->looking.valid ||
      ts->placed.valid || ts->has_retiring || finished(ts, preempting) ||
      candidates(ts, preempting))
    return from;
  uint64_t next =
      qsm_earlier(qsm_calendar_next(&ts->retires, from), qsm_calendar_next(&ts->faults, from));
  if (preempting)
    next = qsm_earlier(next, qsm_earlier(qsm_calendar_next(&ts->restores, from),
                                         qsm_preempt_next(ts->preempt, from)));
  if (*ts->adjusting)
    next = qsm_earlier(
        next, qsm_tb_adjust_next(ts->adjust, from, qsm_tb_sched_alloc_busy(ts), waiting(ts)));
  next = qsm_earlier(next, alloc_next(&ts->alloc, from));
  if (*ts->owning) next = qsm_earlier(next, qsm_sm_owner_next(ts->owner, from));
  return qsm_earlier(next, qsm_tb_sched_end_at(ts));
}

__attribute__((noinline)) static uint64_t next_event_preempting(const struct qsm_tb_sched *ts,
                                                                uint64_t from) {
  return next_event(ts, from, true);
}

uint64_t qsm_tb_sched_next(const struct qsm_tb_sched *ts, uint64_t from) {
  return preempts(ts) ? next_event_preempting(ts, from) : next_event(ts, from, false);
}

// ---- Reading ----

uint32_t qsm_tb_sched_take_had_tb(struct qsm_tb_sched *ts, uint64_t cycle) {
  uint32_t had = 0;
  for (uint32_t k = 0; k < ts->config->num_kernels; k++) {
    struct slot *slot = &ts->slot[k];
    if (slot->had_from <= cycle) had |= 1u << k;
    slot->had_from = slot->out ? cycle + 1 : QSM_NEVER;
  }
  qsm_tb_adjust_end_epoch(ts->adjust, cycle);
  qsm_sm_owner_end_epoch(ts->owner, cycle);
  ts->falling = ts->active & ~(ts->used | ts->busy | ts->launching);
  ts->used = ts->busy;
  return had;
}

uint32_t qsm_tb_sched_busy(const struct qsm_tb_sched *ts) { return ts->busy; }

uint32_t qsm_tb_sched_killed(const struct qsm_tb_sched *ts) { return ts->killed; }

uint32_t qsm_tb_sched_yielded(const struct qsm_tb_sched *ts) { return ts->yielded; }

const struct qsm_walk *qsm_tb_sched_walk(const struct qsm_tb_sched *ts, uint32_t kernel) {
  return &ts->slot[kernel].walk;
}

uint32_t qsm_tb_sched_part(const struct qsm_tb_sched *ts) {
  return ts->regs->valid_mask & ts->active;
}

struct qsm_sm_owner *qsm_tb_sched_sm_owner(const struct qsm_tb_sched *ts) { return ts->owner; }

bool qsm_tb_sched_alloc_busy(const struct qsm_tb_sched *ts) {
  return ts->alloc.requested || ts->alloc.running;
}

bool qsm_tb_sched_adjust_busy(const struct qsm_tb_sched *ts) {
  return qsm_tb_adjust_running(ts->adjust);
}

uint32_t qsm_tb_sched_resident(const struct qsm_tb_sched *ts, uint32_t sm, uint32_t kernel) {
  return ts->table[sm].cnt[kernel];
}

uint32_t qsm_tb_sched_sharing(const struct qsm_tb_sched *ts, uint32_t sm, uint32_t kernel) {
  return ts->table[sm].cnt[kernel] - qsm_preempt_saves(ts->preempt, sm, kernel);
}

const struct qsm_preempt *qsm_tb_sched_preemption(const struct qsm_tb_sched *ts) {
  return ts->preempt;
}

uint32_t qsm_tb_sched_target(const struct qsm_tb_sched *ts, uint32_t sm, uint32_t kernel) {
  return ts->table[sm].target[kernel];
}

uint32_t qsm_tb_sched_launches(const struct qsm_tb_sched *ts, uint32_t kernel) {
  return ts->slot[kernel].launches;
}

const struct qsm_fault *qsm_tb_sched_record(const struct qsm_tb_sched *ts, uint32_t kernel) {
  return &ts->slot[kernel].record;
}

bool qsm_tb_sched_state(const struct qsm_tb_sched *ts, uint32_t kernel, uint32_t word,
                        uint32_t *value) {
  if (kernel >= ts->config->num_kernels) return false;
  const struct slot *slot = &ts->slot[kernel];
  const struct qsm_tb_claim *claim = qsm_tb_adjust_claim(ts->adjust);
  uint32_t wait = qsm_tb_claim_waiting(claim) >> kernel & 1,
           late = qsm_tb_claim_late(claim) >> kernel & 1;
  uint32_t shares =
      wait | late << 1 | (ts->active >> kernel & 1) << 2 | (ts->used >> kernel & 1) << 3;
  uint32_t yields = (ts->yield >> kernel & 1) | (ts->yielded >> kernel & 1) << 1;
  const uint32_t words[] = {ts->busy >> kernel & 1,
                            ts->killed >> kernel & 1,
                            slot->walk.linear,
                            slot->out,
                            slot->launches,
                            shares,
                            yields,
                            slot->walk.at[0] | slot->walk.at[1] << 16,
                            slot->walk.at[2]};
  if (word >= sizeof words / sizeof *words) return false;
  *value = words[word];
  return true;
}

bool qsm_tb_sched_target_state(const struct qsm_tb_sched *ts, uint32_t sm, uint32_t kernel,
                               uint32_t word, uint32_t *value) {
  if (sm >= ts->config->num_sms || kernel >= ts->config->num_kernels || word > 1) return false;
  *value =
      word == 0 ? ts->table[sm].target[kernel] : qsm_preempt_evict(ts->preempt, sm) >> kernel & 1;
  return true;
}

// ---- Negative control ----

// Slots that still have blocks to dispatch.
static uint32_t walking(const struct qsm_tb_sched *ts) {
  return ts->busy & ~(ts->killed | exhausted(ts) | ts->ending);
}

// A walk that goes on: the next dispatch shows it.
int qsm_tb_sched_inject_slot(struct qsm_tb_sched *ts, uint64_t seed, char *what, size_t what_len) {
  uint32_t slots = walking(ts);
  if (!slots) return -1;
  uint32_t kernel = qsm_first_from(slots, (uint32_t)(seed % ts->config->num_kernels));
  uint32_t bit = (uint32_t)(seed / QSM_MAX_KERNELS % 32);
  ts->slot[kernel].walk.linear ^= 1u << bit;
  snprintf(what, what_len, "tb_sched: bit %u of the linear block index of slot %u", bit, kernel);
  return 0;
}

// A target that no dispatch asks for now: the comparison of states shows it, at the end of the
// launch at the latest.
static int inject_resting_target(struct qsm_tb_sched *ts, uint64_t seed, char *what,
                                 size_t what_len) {
  uint32_t resting = ts->regs->valid_mask & ~walking(ts);
  if (!resting) return -1;
  uint32_t kernel = qsm_first_from(resting, (uint32_t)(seed % ts->config->num_kernels));
  uint32_t sm = (uint32_t)(seed / QSM_MAX_KERNELS % ts->config->num_sms),
           bit = (uint32_t)(seed / (QSM_MAX_KERNELS * QSM_MAX_SMS) % 6);
  ts->table[sm].target[kernel] ^= 1u << bit;
  update_room(ts, sm, kernel);
  snprintf(what, what_len, "tb_alloc: bit %u of the target of slot %u on SM %u", bit, kernel, sm);
  return 0;
}

// A target that is being computed shows as soon as it is written.
int qsm_tb_sched_inject_target(struct qsm_tb_sched *ts, uint64_t seed, char *what,
                               size_t what_len) {
  struct alloc *alloc = &ts->alloc;
  if (!alloc->requested && !alloc->running) return inject_resting_target(ts, seed, what, what_len);
  if (alloc->write_at == QSM_NEVER) return -1;
  uint32_t kernel = (uint32_t)(seed % ts->config->num_kernels);
  alloc->target[kernel] ^= 1;
  snprintf(what, what_len, "tb_alloc: bit 0 of the target of slot %u that is computed for SM %u",
           kernel, qsm_lowest_sm(alloc->round));
  return 0;
}

int qsm_tb_sched_inject_request(struct qsm_tb_sched *ts, uint64_t seed, char *what,
                                size_t what_len) {
  return qsm_preempt_inject(ts->preempt, seed, what, what_len);
}

int qsm_tb_sched_inject_adjust(struct qsm_tb_sched *ts, uint64_t seed, char *what,
                               size_t what_len) {
  return qsm_tb_adjust_inject(ts->adjust, seed, what, what_len);
}
