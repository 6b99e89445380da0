// SPDX-License-Identifier: Apache-2.0
// What an SM reports: events, memory accesses, and the hash over some of the events. No hardware
// stands behind it (tb/cosim has the RTL's monitors). The sinks and the hash belong to
// qsm_sm_trace.c.
#ifndef QSM_SM_TRACE_H
#define QSM_SM_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_events.h"

struct qsm_sm;

struct qsm_sm_trace {
  bool hashing;
  bool watched;  // a sink is set or hashing is on
  qsm_event_sink sink;
  void *sink_ctx;
  qsm_access_sink access_sink;
  void *access_sink_ctx;
  uint64_t hash;
};

void qsm_sm_event(struct qsm_sm *sm, uint64_t cycle, enum qsm_event_kind kind, uint32_t sub,
                  const uint32_t *words, uint32_t n);
#define QSM_EMIT(sm, cycle, kind, sub, ...)                   \
  do {                                                        \
    if ((sm)->trace.sink) {                                   \
      const uint32_t emit_words[] = {__VA_ARGS__};            \
      qsm_sm_event((sm), (cycle), (kind), (sub), emit_words,  \
                   sizeof emit_words / sizeof emit_words[0]); \
    }                                                         \
  } while (0)
// An event that the hash takes in too; only while `watched`.
void qsm_sm_record(struct qsm_sm *sm, uint64_t cycle, enum qsm_event_kind kind, uint32_t sub,
                   const uint32_t *words, uint32_t n);

#endif
