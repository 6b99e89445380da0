// SPDX-License-Identifier: Apache-2.0
#include "qsm_front.h"

#include <stdio.h>
#include <stdlib.h>

#include "qsm_front_parts.h"
#include "qsm_partition.h"

// R-FR-8: what the DMA engine sends.
static void send_copy(void *ctx, struct qsm_mem_req *req) {
  const struct qsm_front *front = ctx;
  if (front->job.split)
    req->addr = qsm_partition_address(front->config, front->job.split, req->addr);
  qsm_xbar_push(front->xbar, front->config->num_sms, req);
}

struct qsm_front *qsm_front_create(const struct qsm_regs *regs, const struct qsm_tb_sched *tb_sched,
                                   struct qsm_xbar *xbar, const struct qsm_bus *bus) {
  struct qsm_front *front = calloc(1, sizeof *front);
  if (!front) return NULL;
  front->config = regs->shared.config;
  front->regs = regs;
  front->tb_sched = tb_sched;
  front->xbar = xbar;
  front->bus = bus;
  front->line_bytes = qsm_config_line_bytes(front->config);
  front->buffer_of = QSM_MAX_CMD;
  front->acted = QSM_NEVER;
  const struct qsm_dma_port port = {.ctx = front, .send = send_copy};
  front->dma = qsm_dma_create(front->line_bytes, front->config->dma_entries, &port);
  if (!front->dma) {
    qsm_front_destroy(front);
    return NULL;
  }
  qsm_front_note_link(front, 0);
  return front;
}

void qsm_front_destroy(struct qsm_front *front) {
  if (!front) return;
  qsm_dma_destroy(front->dma);
  free(front);
}

// ---- Ends of launches and copies ----

// R-FR-14, first half.
static void see_ends(struct qsm_front *front, uint64_t cycle, uint32_t runs) {
  uint32_t ends = runs & ~qsm_tb_sched_busy(front->tb_sched);
  if (ends) front->last = front->slot[qsm_lowest(ends)].owner;
  for (uint32_t left = ends; left; left &= left - 1) {
    uint32_t k = qsm_lowest(left);
    struct qsm_front_slot *slot = &front->slot[k];
    slot->time = cycle - slot->since;
    slot->sm_time = qsm_tb_sched_sm_cycles(front->tb_sched, cycle, k) - slot->sm_base;
    front->runs &= ~(left & -left);
    front->ended |= left & -left;
  }
}

// R-FR-24, likewise.
static void see_copy(struct qsm_front *front, uint64_t cycle) {
  if (!qsm_dma_is_done(front->dma, cycle)) return;
  front->job.time = cycle - front->job.since;
  front->job.copying = false;
  front->job.copied = true;
}

const bool *qsm_front_active(const struct qsm_front *front) { return &front->active; }

static void note_change(struct qsm_front *front) {
  front->active = front->seq.state != QSM_FRONT_IDLE || front->runs || front->job.copying ||
                  front->waits || front->irq || qsm_front_seq_has_work(front);
}

// ---- A cycle ----

uint64_t qsm_front_next(const struct qsm_front *front, uint64_t from) {
  if (front->runs & ~qsm_tb_sched_busy(front->tb_sched)) return from;
  uint64_t next = qsm_front_seq_acts_at(front, from);
  next = qsm_earlier(next, qsm_front_waits_fall_at(front, from));
  next = qsm_earlier(next, qsm_front_watches_at(front, from));
  return qsm_earlier(next, qsm_dma_next(front->dma, from));
}

static uint64_t after(uint64_t cycle, uint32_t n_cycles) {
  return cycle == QSM_NEVER ? cycle : cycle + n_cycles;
}

// What happens within a window besides the sequencer's next action: a launch ends, which
// qsm_tb_sched_end_at() knows before, a copy ends, and waits fall; what follows from it begins two
// cycles later at the soonest. A KILL comes in the cycle after the one in which the slot is
// overdue.
uint64_t qsm_front_bound(const struct qsm_front *front, uint64_t from) {
  if (front->seq.asks || qsm_front_to_kill(front) || qsm_front_seq_counts_live(front)) return from;
  uint64_t at = qsm_front_seq_acts_at(front, from);
  if (at != QSM_NEVER) at += qsm_front_seq_quiet(front);
  at = qsm_earlier(at, after(qsm_front_waits_fall_at(front, from), 2));
  at = qsm_earlier(at, after(qsm_front_watches_at(front, from), 1));
  if (front->job.copying) at = qsm_earlier(at, after(qsm_dma_done_at(front->dma), 2));
  if (front->runs & ~qsm_tb_sched_busy(front->tb_sched)) return qsm_earlier(at, from + 2);
  uint64_t end_at = front->runs ? qsm_tb_sched_end_at(front->tb_sched) : QSM_NEVER;
  return qsm_earlier(at, after(end_at, 2));
}

// Decisions look at the flags of the cycle's start, so those that the sequencer and the clock set
// or clear in common are gathered.
void qsm_front_step(struct qsm_front *front, uint64_t cycle, bool host_has_table) {
  uint32_t runs = front->runs;
  front->acted = cycle;
  front->sends = false;
  front->sets_waits = front->sets_irq = 0;
  front->waits_fall = qsm_front_waits_fall_at(front, cycle) == cycle;
  if (qsm_front_seq_acts_at(front, cycle) == cycle) {
    if (host_has_table && qsm_front_seq_needs_table(front)) {
      front->seq.at = cycle + 1;
    } else {
      qsm_front_seq_act(front, cycle);
    }
  }
  front->waits = (front->waits_fall ? 0 : front->waits) | front->sets_waits;
  front->irq |= front->sets_irq;
  see_ends(front, cycle, runs);
  qsm_front_watch(front, cycle, runs);
  qsm_dma_step(front->dma, cycle, !front->sends);
  see_copy(front, cycle);
  note_change(front);
}

// ---- Registers ----

uint32_t qsm_front_read_word(const struct qsm_front *front, uint32_t c, enum qsm_row_word word) {
  bool is_cleared = word >= QSM_ROW_GET && word <= QSM_ROW_COPY_HI;
  return is_cleared && qsm_has_channel(front->fresh, c) ? 0 : front->table[c][word];
}

uint32_t qsm_front_read_ctrl(const struct qsm_front *front, uint32_t c) {
  return (uint32_t)qsm_has_channel(front->enabled, c) |
         (uint32_t)qsm_has_channel(front->suspended, c) << QSM_CH_CTRL_SUSPEND_SHIFT |
         (uint32_t)qsm_has_channel(front->held, c) << QSM_CH_CTRL_HOLD_SHIFT |
         qsm_channel_priority(front, c) << QSM_CH_CTRL_PRIORITY_SHIFT;
}

uint32_t qsm_front_read_state(const struct qsm_front *front, uint32_t c) {
  return (uint32_t)qsm_has_channel(front->enabled, c) |
         (uint32_t)qsm_has_channel(front->stopped, c) << QSM_PAGE_STATE_STOPPED_SHIFT |
         (uint32_t)qsm_has_channel(front->suspended, c) << QSM_PAGE_STATE_SUSPENDED_SHIFT |
         (uint32_t)qsm_has_channel(front->held, c) << QSM_PAGE_STATE_HELD_SHIFT |
         (uint32_t)qsm_has_channel(front->pending | front->busy, c) << QSM_PAGE_STATE_BUSY_SHIFT |
         (uint32_t)qsm_has_channel(front->fresh, c) << QSM_PAGE_STATE_FRESH_SHIFT;
}

uint32_t qsm_front_read_slot(const struct qsm_front *front, uint32_t k) {
  return front->slot[k].owner | (front->bound >> k & 1) << QSM_SLOT_CHANNEL_BOUND_SHIFT |
         (front->runs >> k & 1) << QSM_SLOT_CHANNEL_RUNS_SHIFT;
}

uint32_t qsm_front_irq(const struct qsm_front *front, uint32_t j) {
  return (uint32_t)(front->irq >> 32 * j);
}

bool qsm_front_interrupts(const struct qsm_front *front) { return front->irq != 0; }

uint32_t qsm_front_snap_engine(const struct qsm_front *front) { return front->snap.engine; }

uint64_t qsm_front_snap_cycle(const struct qsm_front *front) { return front->snap.cycle; }

uint32_t qsm_front_snap_busy(const struct qsm_front *front, uint32_t j) {
  return (uint32_t)(front->snap.busy >> 32 * j);
}

bool qsm_front_may_set(const struct qsm_front *front, uint32_t c) {
  return !qsm_has_channel(front->enabled, c);
}

bool qsm_front_may_put(const struct qsm_front *front, uint32_t c) {
  return qsm_has_channel(front->enabled & ~front->suspended & ~front->fresh, c);
}

void qsm_front_write_word(struct qsm_front *front, uint32_t c, enum qsm_row_word word,
                          uint32_t value) {
  front->table[c][word] = value;
  if (word == QSM_ROW_PUT) {
    struct qsm_front_seq *seq = &front->seq;
    front->pending |= qsm_channel_bit(c);
    if (seq->state == QSM_FRONT_CHECK && seq->channel == c) seq->set_anew = true;
  }
  note_change(front);
}

void qsm_front_note_slots(struct qsm_front *front) { note_change(front); }

void qsm_front_note_link(struct qsm_front *front, uint64_t cycle) {
  qsm_dma_set_interval(front->dma, cycle, front->regs->link_interval);
}

static qsm_channel_set with(qsm_channel_set set, uint32_t c, bool in) {
  return in ? set | qsm_channel_bit(c) : set & ~qsm_channel_bit(c);
}

// R-FR-2. The cycle has run: what it has set stays.
static void enable(struct qsm_front *front, uint32_t c) {
  const struct qsm_front_seq *seq = &front->seq;
  for (uint32_t k = 0; k < front->config->num_kernels; k++)
    if (front->slot[k].owner == c) front->old |= 1u << k;
  front->stopped &= ~qsm_channel_bit(c);
  front->pending &= ~qsm_channel_bit(c);
  front->resumes &= ~qsm_channel_bit(c);
  front->fresh |= qsm_channel_bit(c);
  if (seq->state == QSM_FRONT_CLEAR && seq->channel == c) front->seq.set_anew = true;
}

void qsm_front_write_ctrl(struct qsm_front *front, uint64_t cycle, uint32_t c, uint32_t value) {
  struct qsm_front_seq *seq = &front->seq;
  bool on = value & QSM_CH_CTRL_ENABLE_MASK;
  if (on && !qsm_has_channel(front->enabled, c)) enable(front, c);
  if (!on) front->fresh &= ~qsm_channel_bit(c);
  front->enabled = with(front->enabled, c, on);
  front->suspended = with(front->suspended, c, value & QSM_CH_CTRL_SUSPEND_MASK);
  front->held = with(front->held, c, value & QSM_CH_CTRL_HOLD_MASK);
  for (uint32_t bit = 0; bit < 2; bit++)
    front->priority[bit] =
        with(front->priority[bit], c, value >> QSM_CH_CTRL_PRIORITY_SHIFT >> bit & 1);
  if (front->buffer_of == c) front->buffer_of = QSM_MAX_CMD;
  if (seq->state == QSM_FRONT_CONTEXT && seq->channel == c && seq->context_from <= cycle)
    seq->empties = true;
  note_change(front);
}

void qsm_front_clear_irq(struct qsm_front *front, uint64_t cycle, uint32_t j, uint32_t value) {
  qsm_channel_set sets_irq = front->acted == cycle ? front->sets_irq : 0;
  front->irq &= ~((qsm_channel_set)value << 32 * j) | sets_irq;
  note_change(front);
}

void qsm_front_take_snapshot(struct qsm_front *front, uint64_t cycle) {
  uint32_t compute =
      front->runs ? front->slot[qsm_lowest(front->runs)].owner | QSM_REG_SNAP_ENGINE_BUSY_MASK
                  : front->last;
  uint32_t copies = front->job.owner << QSM_REG_SNAP_ENGINE_COPY_CHANNEL_SHIFT |
                    (uint32_t)front->job.copying << QSM_REG_SNAP_ENGINE_COPYING_SHIFT;
  front->snap = (struct qsm_front_snapshot){
      .cycle = cycle, .engine = compute | copies, .busy = front->pending | front->busy};
}

// ---- Comparison ----

static uint32_t flags_of(const struct qsm_front *front, uint32_t c) {
  const qsm_channel_set flags[] = {front->enabled,     front->stopped, front->suspended,
                                   front->held,        front->pending, front->waits,
                                   front->busy,        front->irq,     front->priority[0],
                                   front->priority[1], front->resumes};
  uint32_t value = 0;
  for (uint32_t i = 0; i < sizeof flags / sizeof *flags; i++)
    value |= (uint32_t)qsm_has_channel(flags[i], c) << i;
  return value;
}

static uint32_t slot_state(const struct qsm_front *front, uint32_t k) {
  return qsm_front_read_slot(front, k) | (front->ended >> k & 1) << 10 |
         (front->overdue >> k & 1) << 11 | (front->kill_sent >> k & 1) << 12 |
         (front->yield_sent >> k & 1) << 13 | (front->old >> k & 1) << 14 |
         front->slot[k].own << 15;
}

bool qsm_front_state(const struct qsm_front *front, uint32_t index, uint32_t word,
                     uint32_t *value) {
  enum { STATE, NEXT, FIRST_SLOT, JOB = FIRST_SLOT + QSM_MAX_KERNELS };
  uint32_t k = word - FIRST_SLOT;
  if (index < front->config->cmd_channels) {
    *value = flags_of(front, index);
    return word == 0;
  }
  if (index > front->config->cmd_channels) return false;
  switch (word) {
    case STATE: *value = front->seq.state; return true;
    case NEXT:
      *value = front->next[0] | (uint32_t)front->next[1] << 8 | (uint32_t)front->next[2] << 16 |
               (uint32_t)front->next[3] << 24;
      return true;
    case JOB:
      *value =
          front->job.owner | (uint32_t)front->job.copying << 8 | (uint32_t)front->job.copied << 9;
      return true;
    default:
      if (k >= front->config->num_kernels) return false;
      *value = slot_state(front, k);
      return true;
  }
}

bool qsm_front_dma_state(const struct qsm_front *front, uint64_t cycle, uint32_t word,
                         uint32_t *value) {
  return qsm_dma_state(front->dma, cycle, word, value);
}

int qsm_front_inject(struct qsm_front *front, uint64_t seed, char *what, size_t what_len) {
  if (!front->enabled) return -1;
  uint32_t c = qsm_first_sm_from(front->enabled, (uint32_t)(seed % front->config->cmd_channels));
  front->pending ^= qsm_channel_bit(c);
  note_change(front);
  snprintf(what, what_len, "front: pending of channel %u", c);
  return 0;
}
