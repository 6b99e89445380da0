// SPDX-License-Identifier: Apache-2.0
// Within the accounting library: applications, the policies' steps, what they share.
#ifndef QSM_ACCOUNTING_INTERNAL_H
#define QSM_ACCOUNTING_INTERNAL_H

#include "qsm_accounting.h"

#define QSM_NOBODY UINT32_MAX
enum { QSM_BUSY_WORDS = QSM_ACCOUNTING_CHANNELS / 32 };
// Closed for all but the library: of neon's samples, in which nobody's ring is held.
enum { QSM_ACCESS_BARRIER = QSM_ACCESS_CLOSED + 1 };

struct qsm_application {
  bool used;
  uint32_t access;  // enum qsm_accounting_access, or QSM_ACCESS_BARRIER
  uint32_t n_channels;
  uint32_t channel[QSM_ACCOUNTING_CHANNELS];
  uint64_t virtual_time;
  // Of the phase.
  uint64_t charged;  // cycles; of neon, of commands
  uint32_t n_intervals;
  bool active;      // for another reason than `charged`
  bool waits;       // exact: seen busy, and for nothing while the GPU was free (R-AC-19)
  bool was_closed;  // in the non-poll phase or free run before
  uint64_t closed_since;
  struct qsm_accounting_usage usage;
};

struct qsm_channel {
  uint32_t application;  // QSM_NOBODY: none's
  uint32_t counter;      // exact: as last read
  // neon, in a sample (R-AC-12).
  uint32_t ring_mask;
  uint32_t done;         // CH_DONE as last read
  uint32_t outstanding;  // commands submitted that have not been seen to end
  uint64_t since;        // when the oldest of them began
};

enum qsm_accounting_state {
  QSM_ACCOUNTING_START,
  QSM_ACCOUNTING_POLL,     // loga, loga_cl
  QSM_ACCOUNTING_NONPOLL,  // and exact's time between decisions
  QSM_ACCOUNTING_FREE_RUN,
  QSM_ACCOUNTING_DRAIN,
  QSM_ACCOUNTING_SAMPLE,
};

struct qsm_accounting_policy {
  const char *name;
  // Does what is due now, and sets `next`.
  int (*step)(struct qsm_accounting *accounting, uint64_t now);
  bool polls;      // poll_always is for these
  bool by_length;  // R-AC-10
};

// Cycles that a decision is about: the poll phase, the non-poll phases before and behind it.
struct qsm_span {
  uint64_t phase, before, after;
};

// A snapshot; `cycle` has its low 32 bits.
struct qsm_poll {
  uint32_t cycle, channel, busy[QSM_BUSY_WORDS];
  bool engine_is_busy;
};

struct qsm_accounting {
  struct qsm_accounting_device device;
  struct qsm_accounting_settings settings;
  const struct qsm_accounting_policy *policy;
  struct qsm_application application[QSM_ACCOUNTING_CHANNELS];
  struct qsm_channel channel[QSM_ACCOUNTING_CHANNELS];
  uint32_t n_channels;  // of applications
  uint32_t busy_words;  // bit per SNAP_BUSY that is read
  enum qsm_accounting_state state;
  uint64_t next, last_now;
  uint64_t random;
  uint64_t system_time;
  // The phase.
  uint64_t begun, end;  // its first cycle, when it is to end
  struct qsm_span span;
  uint64_t decided;  // the cycle of the last decision
  uint64_t gone;     // t_a of applications that have left in it
  struct qsm_poll last;
  bool engine_is_busy;            // exact: at the decision
  uint32_t engine;                // its channel then
  uint32_t seen[QSM_BUSY_WORDS];  // busy bits of its polls
  uint32_t interval_of;           // the channel charged last in it
  // neon.
  uint64_t free_run;       // cycles of the last one
  uint64_t sample_cycles;  // for a channel
  uint32_t sampled;  // the application in its sample or the drain behind it; QSM_NOBODY: none yet
  struct qsm_accounting_cost cost;
  char error[256];
};

// ---- Registers (qsm_accounting.c) ----
__attribute__((format(printf, 2, 3))) int qsm_accounting_fail(struct qsm_accounting *accounting,
                                                              const char *format, ...);
int qsm_accounting_read(struct qsm_accounting *accounting, uint32_t address, uint32_t *value);
int qsm_accounting_write(struct qsm_accounting *accounting, uint32_t address, uint32_t value);
uint32_t qsm_accounting_driver(uint32_t channel, uint32_t offset);
uint32_t qsm_accounting_page(uint32_t channel, uint32_t offset);
// FRONT_SNAP and busy bits; with_engine: R-AC-4.
int qsm_accounting_snapshot(struct qsm_accounting *accounting, bool with_engine,
                            struct qsm_poll *poll);
// Some channel of it that has its bit set in `busy` is not stopped.
int qsm_accounting_is_busy(struct qsm_accounting *accounting,
                           const struct qsm_application *application, const uint32_t *busy,
                           bool *result);

// ---- Access and virtual time (qsm_accounting_time.c) ----
int qsm_accounting_set_access(struct qsm_accounting *accounting, uint32_t application,
                              uint32_t access);
int qsm_accounting_set_all(struct qsm_accounting *accounting, uint32_t access);
// t_a of R-AC-7, R-AC-10, R-AC-11.
uint64_t qsm_accounting_measure(const struct qsm_accounting *accounting,
                                const struct qsm_application *application);
// Lengths of the next pair of phases (R-AC-6).
void qsm_accounting_draw(struct qsm_accounting *accounting, uint64_t *poll, uint64_t *nonpoll);
// The phase begins: nothing is charged yet.
void qsm_accounting_clear(struct qsm_accounting *accounting);
// Notes who was closed.
void qsm_accounting_note_closed(struct qsm_accounting *accounting);
// R-AC-7 (shares) or R-AC-13 (not), of accounting->span; R-AC-8, R-AC-9; opens and closes.
int qsm_accounting_decide(struct qsm_accounting *accounting, bool shares);

// ---- Policies ----
int qsm_accounting_step_none(struct qsm_accounting *accounting, uint64_t now);
int qsm_accounting_step_polled(struct qsm_accounting *accounting, uint64_t now);
int qsm_accounting_step_neon(struct qsm_accounting *accounting, uint64_t now);
int qsm_accounting_step_exact(struct qsm_accounting *accounting, uint64_t now);
int qsm_accounting_exact_reopen(struct qsm_accounting *accounting, uint32_t c);
// A command of an application in its sample is submitted.
int qsm_accounting_trap(struct qsm_accounting *accounting, uint32_t channel, uint32_t put);
// The application in its sample has gone.
void qsm_accounting_neon_gone(struct qsm_accounting *accounting, uint32_t application);

#endif
