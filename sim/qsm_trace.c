// SPDX-License-Identifier: Apache-2.0
#include "qsm_trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "qsm_konata.h"
#include "qsm_output.h"
#include "qsm_timeline.h"
#include "qsm_trace_stream.h"

enum { MAX_KERNELS = 8, NAME_BYTES = 64 };

struct qsm_trace {
  struct qsm_config config;
  char names[MAX_KERNELS][NAME_BYTES];
  const char *name_list[MAX_KERNELS];
  struct qsm_output konata_file, timeline_file;
  struct qsm_konata *konata;      // NULL: not asked for
  struct qsm_timeline *timeline;  // NULL: not asked for
  struct qsm_trace_stream *stream;
};

static void on_cycle(void *ctx, uint64_t cycle, const struct qsm_event *events, uint32_t n) {
  struct qsm_trace *trace = ctx;
  errno = 0;
  if (trace->konata && !trace->konata_file.error) qsm_konata_cycle(trace->konata, cycle, events, n);
  qsm_output_note(&trace->konata_file);
  if (trace->timeline && !trace->timeline_file.error)
    qsm_timeline_cycle(trace->timeline, cycle, events, n);
  qsm_output_note(&trace->timeline_file);
}

// Neither format has a way to write what ends a line, a column or a string.
static void copy_name(char *to, const char *from) {
  snprintf(to, NAME_BYTES, "%s", from);
  for (; *to; to++)
    if ((unsigned char)*to < ' ' || *to == '"' || *to == '\\') *to = ' ';
}

static int open_output(struct qsm_output *output, const char *path, char *msg, size_t msg_len) {
  return path ? qsm_output_open(output, path, msg, msg_len) : 0;
}

static int start_writers(struct qsm_trace *trace, const struct qsm_trace_options *options,
                         char *msg, size_t msg_len) {
  if (open_output(&trace->konata_file, options->konata_path, msg, msg_len) ||
      open_output(&trace->timeline_file, options->timeline_path, msg, msg_len))
    return -1;
  snprintf(msg, msg_len, "out of memory");
  const char *const *names = trace->name_list;
  uint32_t n = options->n_names;
  if (trace->konata_file.file &&
      !(trace->konata = qsm_konata_create(&trace->config, options->from, options->to, names, n,
                                          trace->konata_file.file)))
    return -1;
  if (trace->timeline_file.file &&
      !(trace->timeline = qsm_timeline_create(&trace->config, options->from, options->to, names, n,
                                              trace->timeline_file.file)))
    return -1;
  trace->stream = qsm_trace_stream_create(trace->config.noc_lat, on_cycle, trace);
  return trace->stream ? 0 : -1;
}

int qsm_trace_open(const struct qsm_trace_options *options, const struct qsm_config *config,
                   struct qsm_trace **out, char *msg, size_t msg_len) {
  struct qsm_trace *trace = calloc(1, sizeof *trace);
  if (!trace) {
    snprintf(msg, msg_len, "out of memory");
    return -1;
  }
  trace->config = *config;
  for (uint32_t i = 0; i < options->n_names; i++) {
    copy_name(trace->names[i], options->names[i]);
    trace->name_list[i] = trace->names[i];
  }
  if (start_writers(trace, options, msg, msg_len)) {
    qsm_trace_drop(trace);
    return -1;
  }
  *out = trace;
  return 0;
}

void qsm_trace_event(void *trace, const struct qsm_event *event) {
  qsm_trace_stream_add(((struct qsm_trace *)trace)->stream, event);
}

void qsm_trace_sample(struct qsm_trace *trace, struct qsm_backend *backend) {
  if (!trace->timeline || !trace->config.stall_counters || trace->timeline_file.error) return;
  errno = 0;
  qsm_timeline_sample(trace->timeline, backend);
  qsm_output_note(&trace->timeline_file);
}

void qsm_trace_energy(struct qsm_trace *trace, const struct qsm_energy_epoch *epoch, uint64_t end,
                      uint64_t n_cycles) {
  if (!trace->timeline || trace->timeline_file.error) return;
  errno = 0;
  qsm_timeline_energy(trace->timeline, epoch, end, n_cycles);
  qsm_output_note(&trace->timeline_file);
}

static void destroy(struct qsm_trace *trace) {
  qsm_konata_destroy(trace->konata);
  qsm_timeline_destroy(trace->timeline);
  qsm_trace_stream_destroy(trace->stream);
  free(trace);
}

void qsm_trace_drop(struct qsm_trace *trace) {
  if (!trace) return;
  qsm_output_drop(&trace->konata_file);
  qsm_output_drop(&trace->timeline_file);
  destroy(trace);
}

int qsm_trace_close(struct qsm_trace *trace, char *msg, size_t msg_len) {
  if (!trace) return 0;
  int status = qsm_trace_stream_end(trace->stream);
  if (status) snprintf(msg, msg_len, "out of memory: the traces lack events");
  errno = 0;
  if (trace->konata) qsm_konata_end(trace->konata);
  qsm_output_note(&trace->konata_file);
  if (trace->timeline) qsm_timeline_end(trace->timeline);
  qsm_output_note(&trace->timeline_file);
  if (qsm_output_close(&trace->konata_file, msg, msg_len)) status = -1;
  if (qsm_output_close(&trace->timeline_file, msg, msg_len)) status = -1;
  destroy(trace);
  return status;
}
