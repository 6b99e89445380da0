// SPDX-License-Identifier: Apache-2.0
// Puts the events of a backend, whose SMs may be ahead of each other by noc_lat cycles, into order:
// by cycle, kind, SM, sub-core (R-LK-2).
#ifndef QSM_TRACE_STREAM_H
#define QSM_TRACE_STREAM_H

#include <stdint.h>

#include "qsm_events.h"

// Gets all events of a cycle at once; only cycles that have some.
typedef void (*qsm_cycle_sink)(void *ctx, uint64_t cycle, const struct qsm_event *events,
                               uint32_t n);

struct qsm_trace_stream;

struct qsm_trace_stream *qsm_trace_stream_create(uint32_t noc_lat, qsm_cycle_sink sink,
                                                 void *ctx);  // NULL: out of memory
void qsm_trace_stream_add(struct qsm_trace_stream *stream, const struct qsm_event *event);
// Hands over what it still holds. -1 if memory was short at some time, so that events are missing.
int qsm_trace_stream_end(struct qsm_trace_stream *stream);
void qsm_trace_stream_destroy(struct qsm_trace_stream *stream);  // NULL is fine

#endif
