// SPDX-License-Identifier: Apache-2.0
#include "qsm_sm_owner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MASK ((UINT64_C(1) << 48) - 1)

struct request {
  bool valid;
  uint8_t sm, usage, owner;
  uint64_t cycle;
};

struct qsm_sm_owner {
  const struct qsm_config *config;
  const struct qsm_regs *regs;
  const struct qsm_bus *bus;
  const struct qsm_tb_table *table;
  bool active;
  struct qsm_sm_may may;
  struct request request;
  // Derived from `use`, so that nothing is to be done while every SM is shared, rests and is on.
  qsm_sm_set special;  // the SMs of which that is not true
  qsm_sm_set moving, off;
  uint32_t owners;                 // slots that own an SM that does not move
  qsm_sm_set altered;              // by qsm_sm_owner_inject(), not shown yet
  struct qsm_calendar offs, ons;   // messages
  uint64_t epoch_end_at, gate_at;  // the last E, and the last E + QosLat, that were named
  qsm_sm_set shared, owned[QSM_MAX_KERNELS];  // by use, whether they move or not
  qsm_sm_set held;                            // that have a block
  uint32_t moves, wakes;
  // The sums of all cycles before counted_to.
  uint64_t counted_to, move_cycles, gated_cycles, shared_cycles, owned_cycles[QSM_MAX_KERNELS];
  uint8_t refused[QSM_MAX_SMS];
  bool rested[QSM_MAX_SMS];
  struct qsm_sm_usage use[QSM_MAX_SMS];
};

static const uint32_t nobody_apart = 0;

struct qsm_sm_owner *qsm_sm_owner_create(const struct qsm_regs *regs, const struct qsm_bus *bus,
                                         const struct qsm_tb_table *tables,
                                         const uint32_t *active) {
  struct qsm_sm_owner *so = calloc(1, sizeof *so);
  if (!so) return NULL;
  so->config = regs->shared.config;
  so->regs = regs;
  so->bus = bus;
  so->table = tables;
  so->may.shared = so->shared = ~(qsm_sm_set)0;
  so->may.by_mask = true;
  so->may.apart = &nobody_apart;
  so->may.active = active;
  so->epoch_end_at = so->gate_at = QSM_NEVER;
  return so;
}

void qsm_sm_owner_destroy(struct qsm_sm_owner *so) { free(so); }

const bool *qsm_sm_owner_active(const struct qsm_sm_owner *so) { return &so->active; }

// ---- Before a cycle ----

void qsm_sm_owner_request(struct qsm_sm_owner *so, uint64_t cycle, uint32_t sm, uint32_t usage,
                          uint32_t owner) {
  so->request = (struct request){.valid = true,
                                 .sm = (uint8_t)sm,
                                 .usage = (uint8_t)usage,
                                 .owner = (uint8_t)(usage == QSM_USE_OWNED ? owner : 0),
                                 .cycle = cycle};
  so->active = true;
}

void qsm_sm_owner_see_power(struct qsm_sm_owner *so, uint64_t cycle, uint32_t sm, bool on) {
  qsm_calendar_add(on ? &so->ons : &so->offs, cycle, sm);
}

void qsm_sm_owner_end_epoch(struct qsm_sm_owner *so, uint64_t cycle) { so->epoch_end_at = cycle; }

void qsm_sm_owner_gate(struct qsm_sm_owner *so, uint64_t cycle) { so->gate_at = cycle; }

// ---- What holds at the start of a cycle ----

static bool is_valid(const struct qsm_sm_owner *so, uint32_t k) {
  return so->regs->valid_mask >> k & 1;
}

// R-SO-3, whether they have blocks there or not.
static uint32_t leaving(const struct qsm_sm_usage *use) {
  if (!use->moving || use->next_usage == QSM_USE_SHARED) return 0;
  return use->next_usage == QSM_USE_OWNED ? ~(1u << use->next_owner) : UINT32_MAX;
}

// Slots whose blocks are there and must leave.
static uint32_t in_the_way(const struct qsm_sm_owner *so, uint32_t sm) {
  uint32_t kernels = 0, leave = leaving(&so->use[sm]);
  for (uint32_t k = 0; leave && k < so->config->num_kernels; k++)
    kernels |= (uint32_t)(so->table[sm].cnt[k] > 0) << k;
  return kernels & leave;
}

static bool goes_to_stranger(const struct qsm_sm_owner *so, const struct qsm_sm_usage *use) {
  return use->moving && use->next_usage == QSM_USE_OWNED && !is_valid(so, use->next_owner);
}

static bool may_end(const struct qsm_sm_owner *so, uint32_t sm) {
  const struct qsm_sm_usage *use = &so->use[sm];
  return use->moving && (use->power == QSM_POWER_ON || use->next_usage == QSM_USE_FREE) &&
         !in_the_way(so, sm);
}

static bool wakes(const struct qsm_sm_usage *use) {  // R-SO-7
  return use->power == QSM_POWER_OFF && use->moving && use->next_usage != QSM_USE_FREE;
}

static bool acts(const struct qsm_sm_owner *so, uint32_t sm) {
  const struct qsm_sm_usage *use = &so->use[sm];
  return goes_to_stranger(so, use) || may_end(so, sm) || wakes(use);
}

uint64_t qsm_sm_owner_next(const struct qsm_sm_owner *so, uint64_t from) {
  if (so->altered) return from;
  uint64_t next = so->request.valid ? so->request.cycle : QSM_NEVER;
  if (!so->special) return next;
  if ((so->owners & ~so->regs->valid_mask) || so->epoch_end_at == from || so->gate_at == from)
    return from;
  for (qsm_sm_set sms = so->moving; sms; sms &= sms - 1) {
    if (acts(so, qsm_lowest_sm(sms))) return from;
  }
  return qsm_earlier(
      next, qsm_earlier(qsm_calendar_next(&so->offs, from), qsm_calendar_next(&so->ons, from)));
}

// ---- A cycle ----

void qsm_sm_owner_refuse(struct qsm_sm_owner *so, uint32_t sm, uint32_t kernel) {
  so->refused[sm] |= (uint8_t)(1u << kernel);
}

static void send(const struct qsm_sm_owner *so, uint64_t cycle, uint32_t sm,
                 enum qsm_sm_msg_kind kind) {
  struct qsm_sm_msg msg = {.cycle = cycle + so->config->noc_lat, .kind = (uint8_t)kind};
  so->bus->send(so->bus->ctx, sm, &msg);
}

// Use and next use of an SM at the end of a cycle. `asked`: there is a request for it.
static struct qsm_sm_usage next_use(struct qsm_sm_owner *so, uint32_t sm, bool asked) {
  const struct qsm_sm_usage *use = &so->use[sm];
  struct qsm_sm_usage next = *use;
  if (asked) {  // R-SO-1
    next.moving = 1;
    next.next_usage = so->request.usage;
    next.next_owner = so->request.owner;
  } else if (goes_to_stranger(so, use)) {  // R-SO-10
    next.next_usage = QSM_USE_SHARED;
    next.next_owner = 0;
  } else if (may_end(so, sm)) {  // R-SO-4
    next = (struct qsm_sm_usage){
        .usage = use->next_usage, .owner = use->next_owner, .power = use->power};
    so->moves++;
  } else if (!use->moving && use->usage == QSM_USE_OWNED && !is_valid(so, use->owner)) {  // R-SO-10
    next = (struct qsm_sm_usage){.usage = QSM_USE_SHARED, .power = use->power};
  }
  return next;
}

// R-SO-6, R-SO-7.
static uint8_t next_power(struct qsm_sm_owner *so, uint64_t cycle, uint32_t sm, bool asked) {
  const struct qsm_sm_usage *use = &so->use[sm];
  if (wakes(use)) {
    send(so, cycle, sm, QSM_MSG_WAKE);
    so->wakes++;
    return QSM_POWER_WAKING;
  }
  bool gates = cycle == so->gate_at && so->regs->sm_gating && so->rested[sm] && !use->moving &&
               !asked && use->power == QSM_POWER_ON;
  if (!gates) return use->power;
  send(so, cycle, sm, QSM_MSG_GATE);
  return QSM_POWER_STOPPING;
}

static void report(const struct qsm_sm_owner *so, uint64_t cycle, uint32_t sm,
                   const struct qsm_sm_usage *before) {
  const struct qsm_sm_usage *use = &so->use[sm];
  const uint32_t words[] = {use->usage, use->owner, use->moving, use->next_usage, use->next_owner};
  bool same = use->usage == before->usage && use->owner == before->owner &&
              use->moving == before->moving && use->next_usage == before->next_usage &&
              use->next_owner == before->next_owner;
  if (!same || qsm_has_sm(so->altered, sm))
    qsm_bus_report(so->bus, cycle, QSM_EV_MOVE, sm, sizeof words / sizeof *words, words);
  const uint32_t power = use->power;
  if (power != before->power) qsm_bus_report(so->bus, cycle, QSM_EV_POWER, sm, 1, &power);
}

// What is derived from the use of an SM.
static void note_use(struct qsm_sm_owner *so, uint32_t sm) {
  const struct qsm_sm_usage *use = &so->use[sm];
  qsm_sm_set bit = qsm_sm_bit(sm);
  bool shared = !use->moving && use->usage == QSM_USE_SHARED;
  so->moving = use->moving ? so->moving | bit : so->moving & ~bit;
  so->off = use->power == QSM_POWER_OFF ? so->off | bit : so->off & ~bit;
  so->special = shared && use->power == QSM_POWER_ON ? so->special & ~bit : so->special | bit;
  so->may.shared = shared ? so->may.shared | bit : so->may.shared & ~bit;
  so->shared = use->usage == QSM_USE_SHARED ? so->shared | bit : so->shared & ~bit;
  for (uint32_t k = 0; k < so->config->num_kernels; k++) {
    bool owned = use->usage == QSM_USE_OWNED && use->owner == k;
    so->owned[k] = owned ? so->owned[k] | bit : so->owned[k] & ~bit;
    owned &= !use->moving;
    so->may.owned[k] = owned ? so->may.owned[k] | bit : so->may.owned[k] & ~bit;
    so->owners = so->may.owned[k] ? so->owners | 1u << k : so->owners & ~(1u << k);
  }
}

// True if the allocator is asked for the SM.
static bool step_sm(struct qsm_sm_owner *so, uint64_t cycle, uint32_t sm, bool asked) {
  const struct qsm_sm_usage before = so->use[sm];
  bool rests = cycle == so->epoch_end_at && before.usage == QSM_USE_FREE && !before.moving;
  uint8_t power = next_power(so, cycle, sm, asked);
  struct qsm_sm_usage *use = &so->use[sm];
  *use = next_use(so, sm, asked);
  use->power = power;
  so->rested[sm] = !asked && (so->rested[sm] || rests);
  if (asked) so->refused[sm] = 0;
  report(so, cycle, sm, &before);
  if (memcmp(use, &before, sizeof before) != 0 || so->altered) note_use(so, sm);
  return !use->moving && (before.moving || before.usage != use->usage);
}

static uint32_t count_sms(qsm_sm_set sms) {
  return (uint32_t)(__builtin_popcountll((uint64_t)sms) +
                    __builtin_popcountll((uint64_t)(sms >> 64)));
}

// R-SO-11: what is counted changes in steps, and when a block comes or goes.
static uint64_t sum(const struct qsm_sm_owner *so, uint64_t counted, qsm_sm_set sms,
                    uint64_t cycle) {
  return (counted + (cycle - so->counted_to) * count_sms(sms)) & COUNT_MASK;
}

uint64_t qsm_sm_owner_move_cycles(const struct qsm_sm_owner *so, uint64_t cycle) {
  return sum(so, so->move_cycles, so->moving, cycle);
}

uint64_t qsm_sm_owner_gated_cycles(const struct qsm_sm_owner *so, uint64_t cycle) {
  return sum(so, so->gated_cycles, so->off, cycle);
}

uint64_t qsm_sm_owner_shared_cycles(const struct qsm_sm_owner *so, uint64_t cycle) {
  return sum(so, so->shared_cycles, so->shared & so->held, cycle);
}

uint64_t qsm_sm_owner_owned_cycles(const struct qsm_sm_owner *so, uint64_t cycle, uint32_t k) {
  return sum(so, so->owned_cycles[k], so->owned[k], cycle);
}

static void count_cycles(struct qsm_sm_owner *so, uint64_t to) {
  so->move_cycles = qsm_sm_owner_move_cycles(so, to);
  so->gated_cycles = qsm_sm_owner_gated_cycles(so, to);
  so->shared_cycles = qsm_sm_owner_shared_cycles(so, to);
  for (uint32_t k = 0; k < so->config->num_kernels; k++)
    so->owned_cycles[k] = qsm_sm_owner_owned_cycles(so, to, k);
  so->counted_to = to;
}

void qsm_sm_owner_note_blocks(struct qsm_sm_owner *so, uint64_t cycle, uint32_t sm) {
  bool held = false;
  for (uint32_t k = 0; k < so->config->num_kernels; k++) held |= so->table[sm].cnt[k] > 0;
  if (held == qsm_has_sm(so->held, sm)) return;
  count_cycles(so, cycle + 1);
  so->held ^= qsm_sm_bit(sm);
}

// Messages that are seen in this cycle: an SM that sends one waits for nothing else.
static void take_messages(struct qsm_sm_owner *so, uint64_t cycle) {
  qsm_sm_set offs = qsm_calendar_take(&so->offs, cycle), ons = qsm_calendar_take(&so->ons, cycle);
  for (qsm_sm_set sms = offs | ons; sms; sms &= sms - 1) {
    uint32_t sm = qsm_lowest_sm(sms);
    const struct qsm_sm_usage before = so->use[sm];
    so->use[sm].power = qsm_has_sm(ons, sm) ? QSM_POWER_ON : QSM_POWER_OFF;
    report(so, cycle, sm, &before);
    note_use(so, sm);
  }
}

qsm_sm_set qsm_sm_owner_step(struct qsm_sm_owner *so, uint64_t cycle) {
  bool requested = so->request.valid && so->request.cycle == cycle;
  // Those that may act: of the others only an end of an epoch or of a context changes something.
  bool all =
      cycle == so->epoch_end_at || cycle == so->gate_at || (so->owners & ~so->regs->valid_mask);
  qsm_sm_set sms = (all ? so->special : so->moving) | so->altered, ask = 0;
  if (requested) sms |= qsm_sm_bit(so->request.sm);
  count_cycles(so, cycle + 1);
  for (; sms; sms &= sms - 1) {
    uint32_t sm = qsm_lowest_sm(sms);
    if (step_sm(so, cycle, sm, requested && so->request.sm == sm)) ask |= sms & -sms;
  }
  so->altered = 0;
  if (requested) so->request.valid = false;
  take_messages(so, cycle);
  so->may.by_mask = !~so->may.shared;
  so->active = so->special != 0;
  return ask;
}

// ---- Reading ----

const struct qsm_sm_usage *qsm_sm_owner_of(const struct qsm_sm_owner *so, uint32_t sm) {
  return &so->use[sm];
}

void qsm_sm_owner_set_apart(struct qsm_sm_owner *so, const uint32_t *apart) {
  so->may.apart = apart;
}

const struct qsm_sm_may *qsm_sm_owner_may(const struct qsm_sm_owner *so) { return &so->may; }

qsm_sm_set qsm_sm_owner_moving(const struct qsm_sm_owner *so) { return so->moving; }

uint32_t qsm_sm_owner_move_flags(const struct qsm_sm_owner *so, uint32_t sm) {
  if (so->regs->move_technique == QSM_TECHNIQUE_DRAIN) return 0;
  return in_the_way(so, sm) & ~(uint32_t)so->refused[sm];
}

uint32_t qsm_sm_owner_moves(const struct qsm_sm_owner *so) { return so->moves; }

uint32_t qsm_sm_owner_wakes(const struct qsm_sm_owner *so) { return so->wakes; }

bool qsm_sm_owner_state(const struct qsm_sm_owner *so, uint32_t sm, uint32_t word,
                        uint32_t *value) {
  if (sm >= so->config->num_sms || word > 2) return false;
  const struct qsm_sm_usage *use = &so->use[sm];
  const uint32_t words[] = {use->usage | (uint32_t)use->owner << 2 | (uint32_t)use->moving << 6 |
                                (uint32_t)use->next_usage << 7 | (uint32_t)use->next_owner << 9,
                            so->refused[sm], use->power | (uint32_t)so->rested[sm] << 2};
  *value = words[word];
  return true;
}

// The next step shows it, and acts on it: until then `may` and `special` stand as they were, so
// that no other block shows it first.
int qsm_sm_owner_inject(struct qsm_sm_owner *so, uint64_t seed, char *what, size_t what_len) {
  uint32_t sm = (uint32_t)(seed % so->config->num_sms);
  struct qsm_sm_usage *use = &so->use[sm];
  uint8_t *flipped = use->moving ? &use->next_usage : &use->usage;
  uint32_t bit =
      *flipped == QSM_USE_FREE || (*flipped == QSM_USE_SHARED && (seed / QSM_MAX_SMS & 1));
  *flipped ^= (uint8_t)(1u << bit);
  so->altered |= qsm_sm_bit(sm);
  so->active = true;
  snprintf(what, what_len, "sm_owner: bit %u of the %suse of SM %u", bit,
           use->moving ? "next " : "", sm);
  return 0;
}
