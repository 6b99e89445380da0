// SPDX-License-Identifier: Apache-2.0
// Access, lengths of phases, virtual time and who is suspended (R-AC-3, R-AC-6 to R-AC-9).
#include <string.h>

#include "qsm_accounting_internal.h"
#include "qsm_regs.h"

typedef unsigned __int128 wide;  // holds every product here

enum { LEAST_FACTOR = 1 << 15, FACTORS = (1 << 16) + 1 };  // in 2^-16: 0.5 .. 1.5

// ---- Access ----

static int write_access(struct qsm_accounting *accounting, uint32_t channel, uint32_t access) {
  const uint32_t all =
      QSM_CH_CTRL_SUSPEND_MASK | (accounting->settings.hold ? QSM_CH_CTRL_HOLD_MASK : 0);
  uint32_t address = qsm_accounting_driver(channel, QSM_CH_CTRL), value = 0;
  if (qsm_accounting_read(accounting, address, &value)) return -1;
  value &= ~all;
  if (access == QSM_ACCESS_CLOSED) value |= all;
  if (access == QSM_ACCESS_TRAPPED || access == QSM_ACCESS_BARRIER)
    value |= QSM_CH_CTRL_SUSPEND_MASK;
  return qsm_accounting_write(accounting, address, value);
}

// Closed, by whatever it is called.
static void note_access(struct qsm_accounting *accounting, struct qsm_application *application,
                        uint32_t access) {
  bool was = application->access >= QSM_ACCESS_CLOSED, is = access >= QSM_ACCESS_CLOSED;
  uint64_t now = accounting->last_now;
  if (was && !is) application->usage.suspended_cycles += now - application->closed_since;
  if (!was && is) application->closed_since = now;
  application->access = access;
}

int qsm_accounting_set_access(struct qsm_accounting *accounting, uint32_t a, uint32_t access) {
  struct qsm_application *application = &accounting->application[a];
  if (application->access == access) return 0;
  note_access(accounting, application, access);
  for (uint32_t i = 0; i < application->n_channels; i++)
    if (write_access(accounting, application->channel[i], access)) return -1;
  return 0;
}

int qsm_accounting_set_all(struct qsm_accounting *accounting, uint32_t access) {
  for (uint32_t a = 0; a < QSM_ACCOUNTING_CHANNELS; a++)
    if (accounting->application[a].used && qsm_accounting_set_access(accounting, a, access))
      return -1;
  return 0;
}

// ---- Phases ----

// xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016).
static uint32_t draw_below(uint64_t *state, uint32_t n) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (uint32_t)((uint64_t)(uint32_t)((*state * 0x2545F4914F6CDD1Du) >> 32) * n >> 32);
}

void qsm_accounting_draw(struct qsm_accounting *accounting, uint64_t *poll, uint64_t *nonpoll) {
  const struct qsm_accounting_settings *settings = &accounting->settings;
  uint32_t n = accounting->n_channels ? accounting->n_channels : 1, factor = 1 << 16;
  if (settings->random_lengths) factor = LEAST_FACTOR + draw_below(&accounting->random, FACTORS);
  *poll = (uint64_t)((wide)settings->poll_phase * n * factor >> 16);
  *nonpoll =
      settings->poll_always ? 0 : (uint64_t)((wide)settings->nonpoll_phase * n * factor >> 16);
  if (*poll == 0) *poll = 1;
  if (*nonpoll == 0 && !settings->poll_always) *nonpoll = 1;
}

void qsm_accounting_clear(struct qsm_accounting *accounting) {
  accounting->gone = accounting->span.phase = 0;
  accounting->interval_of = QSM_NOBODY;
  memset(accounting->seen, 0, sizeof accounting->seen);
  for (uint32_t a = 0; a < QSM_ACCOUNTING_CHANNELS; a++) {
    struct qsm_application *application = &accounting->application[a];
    application->charged = 0;
    application->n_intervals = 0;
    application->active = false;
  }
}

// ---- Virtual time ----

uint64_t qsm_accounting_measure(const struct qsm_accounting *accounting,
                                const struct qsm_application *application) {
  if (!accounting->policy->by_length) return application->charged;
  return application->n_intervals ? 256 * application->charged / application->n_intervals : 0;
}

static uint64_t total_measure(const struct qsm_accounting *accounting, bool open_only) {
  uint64_t total = accounting->gone;
  for (uint32_t a = 0; a < QSM_ACCOUNTING_CHANNELS; a++) {
    const struct qsm_application *application = &accounting->application[a];
    if (application->used && !(open_only && application->was_closed))
      total += qsm_accounting_measure(accounting, application);
  }
  return total;
}

static uint64_t share(uint64_t measure, uint64_t cycles, uint64_t total) {
  return total ? (uint64_t)((wide)measure * cycles / total) : 0;
}

// What virtual time moves by: R-AC-7, R-AC-18, R-AC-13.
static uint64_t progress(const struct qsm_accounting *accounting,
                         const struct qsm_application *application, bool shares) {
  const struct qsm_span *span = &accounting->span;
  uint64_t measure = qsm_accounting_measure(accounting, application),
           total = total_measure(accounting, false);
  if (!shares) return measure;
  if (!accounting->settings.spare_closed) return share(measure, span->phase + span->after, total);
  uint64_t had = share(measure, span->phase, total);
  return application->was_closed
             ? had
             : had + share(measure, span->before, total_measure(accounting, true));
}

// What was polled stands for the non-poll phase too, whatever the measure of the shares.
static uint64_t estimate(const struct qsm_accounting *accounting,
                         const struct qsm_application *application, uint64_t progressed) {
  const struct qsm_span *span = &accounting->span;
  if (!accounting->policy->polls) return progressed;
  if (!accounting->settings.spare_closed)
    return share(application->charged, span->phase + span->after, span->phase);
  return share(application->charged, span->phase + (application->was_closed ? 0 : span->before),
               span->phase);
}

static void advance(struct qsm_accounting *accounting, bool shares) {
  for (uint32_t a = 0; a < QSM_ACCOUNTING_CHANNELS; a++) {
    struct qsm_application *application = &accounting->application[a];
    if (!application->used) continue;
    uint64_t had = progress(accounting, application, shares);
    application->virtual_time += had;
    application->usage.estimated += estimate(accounting, application, had);
    application->usage.charged += application->charged;
    application->usage.n_intervals += application->n_intervals;
  }
}

void qsm_accounting_note_closed(struct qsm_accounting *accounting) {
  for (uint32_t a = 0; a < QSM_ACCOUNTING_CHANNELS; a++)
    accounting->application[a].was_closed = accounting->application[a].access == QSM_ACCESS_CLOSED;
}

// R-AC-19: it has commands. Not so if it had nothing of a GPU that was free.
static bool waits_for_the_gpu(const struct qsm_accounting *accounting,
                              struct qsm_application *application) {
  bool was_free =
      !accounting->engine_is_busy && 2 * total_measure(accounting, false) < accounting->span.phase;
  application->waits |= was_free;
  return !application->waits;
}

// A launch that is not charged yet: nobody knows how long it has run.
static bool runs_unknown(const struct qsm_accounting *accounting) {
  if (!accounting->engine_is_busy) return false;
  uint32_t a = accounting->engine < QSM_ACCOUNTING_CHANNELS
                   ? accounting->channel[accounting->engine].application
                   : QSM_NOBODY;
  return a == QSM_NOBODY || accounting->application[a].charged == 0;
}

// R-AC-21.
static bool was_left_unused(const struct qsm_accounting *accounting) {
  bool any = false;
  for (uint32_t a = 0; a < QSM_ACCOUNTING_CHANNELS; a++)
    any |=
        accounting->application[a].used && accounting->application[a].access == QSM_ACCESS_CLOSED;
  return any && 2 * total_measure(accounting, false) < accounting->span.phase &&
         !runs_unknown(accounting);
}

// R-AC-8; where nothing is shared out, R-AC-19.
static int find_active(struct qsm_accounting *accounting, bool shares) {
  bool any = false;
  for (uint32_t a = 0; a < QSM_ACCOUNTING_CHANNELS; a++) {
    struct qsm_application *application = &accounting->application[a];
    bool busy = false;
    if (!application->used) continue;
    application->active |= application->charged > 0;
    application->waits &= !application->active;
    if (!application->active &&
        qsm_accounting_is_busy(accounting, application, accounting->seen, &busy))
      return -1;
    if (busy) application->active = shares || waits_for_the_gpu(accounting, application);
    any |= application->active;
  }
  bool unused = !any || (accounting->settings.work_conserving && was_left_unused(accounting));
  for (uint32_t a = 0; !shares && unused && a < QSM_ACCOUNTING_CHANNELS; a++)
    accounting->application[a].active = accounting->application[a].access == QSM_ACCESS_CLOSED;
  return 0;
}

static void lift(struct qsm_accounting *accounting) {
  uint64_t least = UINT64_MAX;
  for (uint32_t a = 0; a < QSM_ACCOUNTING_CHANNELS; a++) {
    const struct qsm_application *application = &accounting->application[a];
    if (application->used && application->active && application->virtual_time < least)
      least = application->virtual_time;
  }
  if (least != UINT64_MAX) accounting->system_time = least;  // nobody is behind it
  for (uint32_t a = 0; a < QSM_ACCOUNTING_CHANNELS; a++)
    if (accounting->application[a].virtual_time < accounting->system_time)
      accounting->application[a].virtual_time = accounting->system_time;
}

// ---- Who is closed ----

static int suspend(struct qsm_accounting *accounting, uint32_t a, bool closed) {
  struct qsm_application *application = &accounting->application[a];
  if (closed) {
    application->usage.n_suspensions++;
    accounting->cost.n_suspensions++;
  }
  return qsm_accounting_set_access(accounting, a, closed ? QSM_ACCESS_CLOSED : QSM_ACCESS_OPEN);
}

int qsm_accounting_decide(struct qsm_accounting *accounting, bool shares) {
  uint64_t t = accounting->span.phase + accounting->span.after;
  if (find_active(accounting, shares)) return -1;
  advance(accounting, shares);
  lift(accounting);
  accounting->cost.n_decisions++;
  for (uint32_t a = 0; a < QSM_ACCOUNTING_CHANNELS; a++) {
    const struct qsm_application *application = &accounting->application[a];
    if (!application->used) continue;
    bool ahead = application->virtual_time - accounting->system_time > t;
    if (suspend(accounting, a, ahead && accounting->settings.schedule)) return -1;
  }
  return 0;
}
