// SPDX-License-Identifier: Apache-2.0
// loga and loga_cl: poll phases and non-poll phases (R-AC-4 to R-AC-6, R-AC-10).
#include "qsm_accounting_internal.h"

static uint64_t clock_of(const struct qsm_accounting *accounting) {
  return accounting->device.cycle(accounting->device.ctx);
}

// R-AC-5: from the poll before to this one.
static void charge(struct qsm_accounting *accounting, const struct qsm_poll *poll) {
  uint32_t c = accounting->last.channel, n_cycles = poll->cycle - accounting->last.cycle;
  uint32_t a = c == QSM_NOBODY ? QSM_NOBODY : accounting->channel[c].application;
  accounting->span.phase += n_cycles;
  if (a != QSM_NOBODY && n_cycles) {
    accounting->application[a].charged += n_cycles;
    accounting->application[a].n_intervals += accounting->interval_of != c;
  }
  accounting->interval_of = c;
}

static void keep(struct qsm_accounting *accounting, const struct qsm_poll *poll, uint64_t at) {
  for (uint32_t i = 0; i < QSM_BUSY_WORDS; i++) accounting->seen[i] |= poll->busy[i];
  accounting->last = *poll;
  accounting->next = at + accounting->settings.poll_cycles;
  if (accounting->next > accounting->end) accounting->next = accounting->end;
}

// With its first poll, which was made in cycle `at`.
static void begin_phase(struct qsm_accounting *accounting, const struct qsm_poll *poll,
                        uint64_t at) {
  uint64_t n_cycles;
  qsm_accounting_clear(accounting);
  qsm_accounting_draw(accounting, &n_cycles, &accounting->span.after);
  accounting->state = QSM_ACCOUNTING_POLL;
  accounting->begun = at;
  accounting->end = at + n_cycles;
  keep(accounting, poll, at);
}

static int open_phase(struct qsm_accounting *accounting) {
  struct qsm_poll poll;
  qsm_accounting_note_closed(accounting);
  if (qsm_accounting_set_all(accounting, QSM_ACCESS_OPEN)) return -1;
  uint64_t at = clock_of(accounting);
  if (qsm_accounting_snapshot(accounting, true, &poll)) return -1;
  accounting->span.before =
      accounting->state == QSM_ACCOUNTING_NONPOLL ? at - accounting->decided : 0;
  begin_phase(accounting, &poll, at);
  return 0;
}

static int poll_once(struct qsm_accounting *accounting, uint64_t at) {
  struct qsm_poll poll;
  if (qsm_accounting_snapshot(accounting, true, &poll)) return -1;
  charge(accounting, &poll);
  keep(accounting, &poll, at);
  if (at < accounting->end) return 0;
  accounting->cost.polled_cycles += accounting->span.phase;
  if (qsm_accounting_decide(accounting, true)) return -1;
  accounting->decided = at;
  if (accounting->settings.poll_always) {
    accounting->span.before = 0;
    qsm_accounting_note_closed(accounting);
    begin_phase(accounting, &poll, at);
  } else {
    accounting->state = QSM_ACCOUNTING_NONPOLL;
    accounting->next = at + accounting->span.after;
  }
  return 0;
}

int qsm_accounting_step_polled(struct qsm_accounting *accounting, uint64_t now) {
  return accounting->state == QSM_ACCOUNTING_POLL ? poll_once(accounting, now)
                                                  : open_phase(accounting);
}
