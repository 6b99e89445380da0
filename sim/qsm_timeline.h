// SPDX-License-Identifier: Apache-2.0
// Timeline: launches, thread blocks, epochs, quota counters, in the JSON trace format that Perfetto
// reads (docs/traces.md).
#ifndef QSM_TIMELINE_H
#define QSM_TIMELINE_H

#include <stdint.h>
#include <stdio.h>

#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_energy_sum.h"
#include "qsm_events.h"

struct qsm_timeline;

// Shows cycles from .. to. Names are put into the file as they are. NULL: out of memory.
struct qsm_timeline *qsm_timeline_create(const struct qsm_config *config, uint64_t from,
                                         uint64_t to, const char *const *names, uint32_t n_names,
                                         FILE *out);
// All events of a cycle, as qsm_trace_stream.h hands them over.
void qsm_timeline_cycle(struct qsm_timeline *timeline, uint64_t cycle,
                        const struct qsm_event *events, uint32_t n);
// The counters of why warps did not issue, at the start of the backend's present cycle.
void qsm_timeline_sample(struct qsm_timeline *timeline, struct qsm_backend *backend);
// Mean power of the SMs in the n_cycles before cycle `end`.
void qsm_timeline_energy(struct qsm_timeline *timeline, const struct qsm_energy_epoch *epoch,
                         uint64_t end, uint64_t n_cycles);
// Ends what is open, and the file's text; the file itself stays open.
void qsm_timeline_end(struct qsm_timeline *timeline);
void qsm_timeline_destroy(struct qsm_timeline *timeline);  // NULL is fine

#endif
