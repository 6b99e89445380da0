// SPDX-License-Identifier: Apache-2.0
// Accounting of GPU time and fair queueing of applications on command channels
// (docs/accounting.md): policies none, loga, neon, loga_cl, exact. Works through registers only,
// has no thread, prints nothing; all numbers are integers, so runs repeat.
#ifndef QSM_ACCOUNTING_H
#define QSM_ACCOUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qsm_accounting;

enum { QSM_ACCOUNTING_CHANNELS = 96 };  // of a GPU, and applications, at most

// How the control port is reached. read and write return 0, or another value where the GPU refuses
// (or the way to it fails). cycle never goes back.
struct qsm_accounting_device {
  void *ctx;
  uint32_t n_channels;  // of the configuration
  int (*read)(void *ctx, uint32_t address, uint32_t *value);
  int (*write)(void *ctx, uint32_t address, uint32_t value);
  uint64_t (*cycle)(void *ctx);
};

// Lengths in cycles; those of phases for each channel (R-AC-6).
struct qsm_accounting_settings {
  const char *policy;
  uint64_t poll_phase, nonpoll_phase;
  uint32_t poll_cycles;    // between two polls
  uint64_t neon_poll;      // between two looks at commands that have ended
  uint32_t drain_poll;     // of neon, between two looks whether the GPU is empty
  bool poll_always;        // no non-poll phase
  bool random_lengths;     // of phases
  uint64_t seed;           // of their lengths
  bool schedule;           // false: virtual times move, all stay open
  bool hold;               // who is closed has its ring held, too
  bool spare_closed;       // who was closed in a non-poll phase is not charged for it (R-AC-18)
  bool work_conserving;    // of exact: time that nobody uses is no one's (R-AC-21)
  uint32_t counter;        // of exact: a register of a channel, its offset
  uint32_t counter_scale;  // what it counts at most in a cycle
  uint32_t poll_cost;      // cycles of CPU time of a poll of four accesses
};

// The paper's lengths (1 ms, 5 ms, a poll each microsecond; neon looks each millisecond, whether
// the GPU is empty each 100 us) at this clock, fair queueing on the cycles that channels ran.
struct qsm_accounting_settings qsm_accounting_defaults(const char *policy,
                                                       uint32_t cycles_per_microsecond);

// NULL-terminated, in the order of the page.
extern const char *const qsm_accounting_policies[];

// Returns 0 and sets *out, or -1 with a text: a setting is wrong.
int qsm_accounting_create(const struct qsm_accounting_device *device,
                          const struct qsm_accounting_settings *settings,
                          struct qsm_accounting **out, char *msg, size_t msg_len);
// Registers stay as they are. NULL is fine.
void qsm_accounting_destroy(struct qsm_accounting *accounting);
// Text of the last failure of what follows, "" if none.
const char *qsm_accounting_error(const struct qsm_accounting *accounting);

// What follows returns 0, or -1 with a text.
int qsm_accounting_add(struct qsm_accounting *accounting, const uint32_t *channels,
                       uint32_t n_channels, uint32_t *application);
int qsm_accounting_remove(struct qsm_accounting *accounting, uint32_t application);
// Before a driver enables a channel anew: its counters begin at 0 again (R-AC-20).
int qsm_accounting_reopen(struct qsm_accounting *accounting, uint32_t channel);
// Does what is due; *next is the cycle to call it in, UINT64_MAX: never.
int qsm_accounting_step(struct qsm_accounting *accounting, uint64_t *next);

enum qsm_accounting_access { QSM_ACCESS_OPEN, QSM_ACCESS_TRAPPED, QSM_ACCESS_CLOSED };
// Closed for a number that is no application's.
enum qsm_accounting_access qsm_accounting_access(const struct qsm_accounting *accounting,
                                                 uint32_t application);
// Writes PUT for an application (R-AC-15); *accepted false: it has to wait for its access.
int qsm_accounting_submit(struct qsm_accounting *accounting, uint32_t channel, uint32_t put,
                          bool *accepted);

// Of an application since it came. Charged: as seen in poll phases, or by counters. Estimated: what
// it is taken to have had in all phases. Intervals: of loga and loga_cl (R-AC-10), commands whose
// lengths are in the mean of neon. Cycles of phases that ended.
struct qsm_accounting_usage {
  uint64_t virtual_time, charged, estimated;
  uint64_t n_intervals, n_suspensions, suspended_cycles;
};
int qsm_accounting_usage(struct qsm_accounting *accounting, uint32_t application,
                         struct qsm_accounting_usage *usage);

struct qsm_accounting_cost {
  uint64_t n_reads, n_writes, n_polls, n_traps, n_decisions, n_suspensions;
  uint64_t polled_cycles;  // of poll phases, or samples with their drains
  uint64_t cpu_cycles;     // R-AC-16
  uint64_t system_time;
};
void qsm_accounting_cost(const struct qsm_accounting *accounting, struct qsm_accounting_cost *cost);

#ifdef __cplusplus
}
#endif

#endif
