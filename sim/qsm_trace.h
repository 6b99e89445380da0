// SPDX-License-Identifier: Apache-2.0
// Traces of a run, made from the event stream of a backend while it runs: a pipeline trace for
// Konata, a timeline for Perfetto (docs/traces.md). Memory use does not grow with the run.
#ifndef QSM_TRACE_H
#define QSM_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "qsm_backend.h"
#include "qsm_energy_sum.h"
#include "qsm_config.h"
#include "qsm_events.h"

struct qsm_trace_options {
  const char *konata_path, *timeline_path;  // NULL: none; stay there until the trace is closed
  uint64_t from, to;                        // cycles shown, both included
  const char *const *names;                 // of the kernels in slots 0 ..
  uint32_t n_names;
};

struct qsm_trace;

// Creates the files, under temporary names. 0, or -1 with a message.
int qsm_trace_open(const struct qsm_trace_options *options, const struct qsm_config *config,
                   struct qsm_trace **out, char *msg, size_t msg_len);
// A qsm_event_sink; ctx is the trace. From reset on: what is shown depends on what was before.
void qsm_trace_event(void *trace, const struct qsm_event *event);
// Looks at the counters of why warps did not issue, where the backend shows them, between two of
// its calls.
void qsm_trace_sample(struct qsm_trace *trace, struct qsm_backend *backend);
// What the n_cycles before cycle `end` took (docs/energy.md).
void qsm_trace_energy(struct qsm_trace *trace, const struct qsm_energy_epoch *epoch, uint64_t end,
                      uint64_t n_cycles);
// Ends the traces; their files get their names. 0, or -1 with a message: a file could not be
// written in full. NULL is fine.
int qsm_trace_close(struct qsm_trace *trace, char *msg, size_t msg_len);
// Gives the traces up; earlier files stay as they were. NULL is fine.
void qsm_trace_drop(struct qsm_trace *trace);

#endif
