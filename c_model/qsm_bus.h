// SPDX-License-Identifier: Apache-2.0
// What the GPU-level blocks share: the SMs and the event stream as they see them, round-robin
// choice, and the record of which SMs' messages arrive when.
#ifndef QSM_BUS_H
#define QSM_BUS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "qsm_events.h"
#include "qsm_sm.h"

#define QSM_NEVER UINT64_MAX

struct qsm_bus {
  void *ctx;  // first argument of the functions
  // Message to one SM; msg->cycle is the cycle in which it is seen.
  void (*send)(void *ctx, uint32_t sm, const struct qsm_sm_msg *msg);
  // Memory response to one SM, see qsm_sm_push_response().
  uint32_t *(*push_response)(void *ctx, uint32_t sm, uint64_t cycle, uint8_t tag);
  // Thread instructions of the SM's last snapshot.
  uint32_t (*snap_insn)(void *ctx, uint32_t sm, uint32_t kernel);
  int32_t (*snap_c)(void *ctx, uint32_t sm, uint32_t kernel);  // its C
  uint64_t (*insns)(void *ctx, uint32_t sm, uint32_t kernel);  // all, as of the last window's end
  uint32_t (*snap_idle)(void *ctx, uint32_t sm, uint32_t kernel);  // its sums of idle warps
  void (*emit)(void *ctx, const struct qsm_event *event);
  bool reporting;  // someone wants the events
  bool lines;      // and what requests at the memory ports carry
};

static inline void qsm_bus_broadcast(const struct qsm_bus *bus, uint32_t n_sms,
                                     const struct qsm_sm_msg *msg) {
  for (uint32_t i = 0; i < n_sms; i++) bus->send(bus->ctx, i, msg);
}

static inline void qsm_bus_report_sub(const struct qsm_bus *bus, uint64_t cycle,
                                      enum qsm_event_kind kind, uint32_t sm, uint32_t sub,
                                      uint32_t n_words, const uint32_t *word) {
  if (!bus->reporting) return;
  struct qsm_event event = {.cycle = cycle,
                            .kind = (uint8_t)kind,
                            .sm = (uint8_t)sm,
                            .sub = (uint8_t)sub,
                            .n_words = (uint8_t)n_words};
  memcpy(event.word, word, n_words * sizeof *word);
  bus->emit(bus->ctx, &event);
}

static inline void qsm_bus_report(const struct qsm_bus *bus, uint64_t cycle,
                                  enum qsm_event_kind kind, uint32_t sm, uint32_t n_words,
                                  const uint32_t *word) {
  qsm_bus_report_sub(bus, cycle, kind, sm, 0, n_words, word);
}

static inline uint32_t qsm_lowest(uint64_t mask) { return (uint32_t)__builtin_ctzll(mask); }

// First set bit, circular from `start` (R-GEN-5); mask is not 0.
static inline uint32_t qsm_first_from(uint64_t mask, uint32_t start) {
  uint64_t above = mask & (UINT64_MAX << start);
  return qsm_lowest(above ? above : mask);
}

// SMs, bit i for SM i.
typedef unsigned __int128 qsm_sm_set;

static inline qsm_sm_set qsm_sm_bit(uint32_t sm) { return (qsm_sm_set)1 << sm; }

static inline bool qsm_has_sm(qsm_sm_set sms, uint32_t sm) { return sms >> sm & 1; }

static inline qsm_sm_set qsm_first_sms(uint32_t n) { return qsm_sm_bit(n) - 1; }

static inline uint32_t qsm_lowest_sm(qsm_sm_set sms) {
  uint64_t low = (uint64_t)sms;
  return low ? qsm_lowest(low) : 64 + qsm_lowest((uint64_t)(sms >> 64));
}

static inline uint32_t qsm_first_sm_from(qsm_sm_set sms, uint32_t start) {
  qsm_sm_set above = sms & ~qsm_first_sms(start);
  return qsm_lowest_sm(above ? above : sms);
}

static inline uint64_t qsm_earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

// Messages under way: for each of the next 64 cycles the SMs whose message is seen then. Two
// windows and a crossing are at most 48 cycles, so a cycle's place is its number modulo 64.
enum { QSM_CALENDAR_CYCLES = 64 };

struct qsm_calendar {
  uint64_t filled;  // bit c % 64: some SM in that cycle
  qsm_sm_set sms[QSM_CALENDAR_CYCLES];
};

static inline void qsm_calendar_add(struct qsm_calendar *calendar, uint64_t cycle, uint32_t sm) {
  calendar->filled |= UINT64_C(1) << (cycle % QSM_CALENDAR_CYCLES);
  calendar->sms[cycle % QSM_CALENDAR_CYCLES] |= qsm_sm_bit(sm);
}

// The SMs of this cycle, which are then forgotten.
static inline qsm_sm_set qsm_calendar_take(struct qsm_calendar *calendar, uint64_t cycle) {
  qsm_sm_set sms = calendar->sms[cycle % QSM_CALENDAR_CYCLES];
  calendar->sms[cycle % QSM_CALENDAR_CYCLES] = 0;
  calendar->filled &= ~(UINT64_C(1) << (cycle % QSM_CALENDAR_CYCLES));
  return sms;
}

// First cycle from `from` on with a message; all earlier ones were taken.
static inline uint64_t qsm_calendar_next(const struct qsm_calendar *calendar, uint64_t from) {
  if (!calendar->filled) return QSM_NEVER;
  uint32_t shift = (uint32_t)(from % QSM_CALENDAR_CYCLES);
  uint64_t turned = shift ? calendar->filled >> shift | calendar->filled
                                                            << (QSM_CALENDAR_CYCLES - shift)
                          : calendar->filled;
  return from + qsm_lowest(turned);
}

#endif
