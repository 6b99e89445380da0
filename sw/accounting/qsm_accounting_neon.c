// SPDX-License-Identifier: Apache-2.0
// neon: free run, barrier, and each application alone (R-AC-11, R-AC-12, R-AC-15).
#include "qsm_accounting_internal.h"
#include "qsm_regs.h"

static uint64_t clock_of(const struct qsm_accounting *accounting) {
  return accounting->device.cycle(accounting->device.ctx);
}

// ---- Lengths of commands ----

// What is seen to have ended since the last look.
static int look_at(struct qsm_accounting *accounting, struct qsm_application *application,
                   uint32_t c) {
  struct qsm_channel *channel = &accounting->channel[c];
  uint64_t now = clock_of(accounting);
  uint32_t done = 0;
  if (qsm_accounting_read(accounting, qsm_accounting_driver(c, QSM_CH_DONE), &done)) return -1;
  uint32_t n = done - channel->done;
  channel->done = done;
  if (n > channel->outstanding) n = channel->outstanding;  // the driver has enabled it anew
  if (n == 0) return 0;
  application->charged += now - channel->since;
  application->n_intervals += n;
  channel->outstanding -= n;
  channel->since = now;
  return 0;
}

static int look(struct qsm_accounting *accounting) {
  struct qsm_application *application = &accounting->application[accounting->sampled];
  if (!application->used) return 0;
  for (uint32_t i = 0; i < application->n_channels; i++)
    if (look_at(accounting, application, application->channel[i])) return -1;
  return 0;
}

int qsm_accounting_trap(struct qsm_accounting *accounting, uint32_t c, uint32_t put) {
  struct qsm_channel *channel = &accounting->channel[c];
  uint32_t ctrl_at = qsm_accounting_driver(c, QSM_CH_CTRL), ctrl = 0, before = 0,
           put_at = qsm_accounting_page(c, QSM_PAGE_PUT);
  uint64_t now = clock_of(accounting);
  accounting->cost.n_traps++;
  if (qsm_accounting_read(accounting, put_at, &before) ||
      qsm_accounting_read(accounting, ctrl_at, &ctrl) ||
      qsm_accounting_write(accounting, ctrl_at, ctrl & ~(uint32_t)QSM_CH_CTRL_SUSPEND_MASK))
    return -1;
  int refused = qsm_accounting_write(accounting, put_at, put);
  if (qsm_accounting_write(accounting, ctrl_at, ctrl) || refused) return -1;
  if (channel->outstanding == 0) channel->since = now;
  channel->outstanding += (put - before) & channel->ring_mask;
  accounting->application[channel->application].active = true;
  return 0;
}

// ---- Samples ----

static int begin_sample(struct qsm_accounting *accounting, uint64_t now) {
  struct qsm_application *application = &accounting->application[accounting->sampled];
  for (uint32_t i = 0; i < application->n_channels; i++) {
    uint32_t c = application->channel[i];
    accounting->channel[c].outstanding = 0;
    if (qsm_accounting_read(accounting, qsm_accounting_driver(c, QSM_CH_DONE),
                            &accounting->channel[c].done))
      return -1;
  }
  if (qsm_accounting_set_access(accounting, accounting->sampled, QSM_ACCESS_TRAPPED)) return -1;
  accounting->state = QSM_ACCOUNTING_SAMPLE;
  accounting->end = now + accounting->sample_cycles * application->n_channels;
  return 0;
}

static void schedule_look(struct qsm_accounting *accounting, uint64_t now) {
  accounting->next = now + accounting->settings.neon_poll;
  if (accounting->next > accounting->end) accounting->next = accounting->end;
}

static void begin_free_run(struct qsm_accounting *accounting, uint64_t now) {
  uint64_t n_cycles, poll;
  uint32_t n = accounting->n_channels ? accounting->n_channels : 1;
  qsm_accounting_draw(accounting, &poll, &n_cycles);
  accounting->sample_cycles = poll / n ? poll / n : 1;
  accounting->state = QSM_ACCOUNTING_FREE_RUN;
  accounting->begun = now;
  accounting->next = now + n_cycles;
}

// The one after the application that was sampled last; QSM_NOBODY: all were.
static uint32_t next_sampled(const struct qsm_accounting *accounting) {
  for (uint32_t a = accounting->sampled + 1; a < QSM_ACCOUNTING_CHANNELS; a++)
    if (accounting->application[a].used) return a;
  return QSM_NOBODY;
}

static int end_samples(struct qsm_accounting *accounting, uint64_t now) {
  accounting->cost.polled_cycles += now - accounting->begun;
  accounting->span = (struct qsm_span){0, accounting->free_run, accounting->free_run};
  if (qsm_accounting_decide(accounting, true)) return -1;
  begin_free_run(accounting, now);
  return 0;
}

static int next_sample(struct qsm_accounting *accounting, uint64_t now) {
  if (accounting->sampled != QSM_NOBODY && look(accounting)) return -1;
  accounting->sampled = next_sampled(accounting);
  if (accounting->sampled == QSM_NOBODY) return end_samples(accounting, now);
  if (begin_sample(accounting, now)) return -1;
  schedule_look(accounting, now);
  return 0;
}

// ---- Steps ----

static int drain(struct qsm_accounting *accounting, uint64_t now) {
  struct qsm_poll poll;
  if (qsm_accounting_snapshot(accounting, false, &poll)) return -1;
  for (uint32_t a = 0; a < QSM_ACCOUNTING_CHANNELS; a++) {
    bool busy = false;
    if (accounting->application[a].used &&
        qsm_accounting_is_busy(accounting, &accounting->application[a], poll.busy, &busy))
      return -1;
    if (!busy) continue;
    accounting->next = now + accounting->settings.drain_poll;
    return 0;
  }
  return next_sample(accounting, now);
}

static int begin_barrier(struct qsm_accounting *accounting, uint64_t now) {
  accounting->free_run = now - accounting->begun;
  accounting->begun = now;
  accounting->sampled = QSM_NOBODY;
  accounting->state = QSM_ACCOUNTING_DRAIN;
  qsm_accounting_clear(accounting);
  qsm_accounting_note_closed(accounting);
  if (qsm_accounting_set_all(accounting, QSM_ACCESS_BARRIER)) return -1;
  return drain(accounting, now);
}

static int sample(struct qsm_accounting *accounting, uint64_t now) {
  if (look(accounting)) return -1;
  if (now < accounting->end) {
    schedule_look(accounting, now);
    return 0;
  }
  if (qsm_accounting_set_access(accounting, accounting->sampled, QSM_ACCESS_BARRIER)) return -1;
  accounting->state = QSM_ACCOUNTING_DRAIN;
  return drain(accounting, now);
}

int qsm_accounting_step_neon(struct qsm_accounting *accounting, uint64_t now) {
  switch (accounting->state) {
    case QSM_ACCOUNTING_FREE_RUN: return begin_barrier(accounting, now);
    case QSM_ACCOUNTING_DRAIN: return drain(accounting, now);
    case QSM_ACCOUNTING_SAMPLE: return sample(accounting, now);
    default: begin_free_run(accounting, now); return 0;
  }
}

void qsm_accounting_neon_gone(struct qsm_accounting *accounting, uint32_t a) {
  if (accounting->state != QSM_ACCOUNTING_SAMPLE || accounting->sampled != a) return;
  accounting->state = QSM_ACCOUNTING_DRAIN;
  accounting->next = accounting->last_now;
}
