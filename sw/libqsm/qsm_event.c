// SPDX-License-Identifier: Apache-2.0
// Events: marks in streams, with the cycles in which they were reached (docs/streams.md). An event
// stands for a command of its own in the stream, whose release has the stamp.
#include <stdlib.h>
#include <utlist.h>

#include "qsm_handle.h"
#include "qsm_regs.h"
#include "qsm_streams.h"

static struct qsm_stream_event *event_of(qsmEvent_t handle) {
  return qsm_handle_find(QSM_HANDLE_EVENT, (uintptr_t)handle);
}

// ---- Coming and going ----

qsmError_t qsmEventCreate(qsmContext_t handle, qsmEvent_t *event) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  struct qsm_device *device = context->device;
  qsmError_t error = qsm_check_pointer(device, event, "the event");
  if (!error) error = qsm_check_on_channels(context);
  if (error) return error;
  struct qsm_stream_event *created = calloc(1, sizeof *created);
  if (created) created->handle = (qsmEvent_t)qsm_handle_create(QSM_HANDLE_EVENT, created);
  if (!created || !created->handle) {
    free(created);
    return qsm_fail(device, qsmErrorMemoryAllocation, "out of memory");
  }
  created->context = context;
  DL_APPEND(context->streams->events, created);
  *event = created->handle;
  return qsmSuccess;
}

static void free_event(struct qsm_stream_event *event) {
  DL_DELETE(event->context->streams->events, event);
  if (event->handle) qsm_handle_destroy((uintptr_t)event->handle);
  free(event);
}

void qsm_events_free(struct qsm_context *context) {
  struct qsm_stream_event *event, *next;
  DL_FOREACH_SAFE(context->streams->events, event, next) free_event(event);
}

qsmError_t qsmEventDestroy(qsmEvent_t handle) {
  struct qsm_stream_event *event = event_of(handle);
  if (!event) return qsmErrorInvalidHandle;
  qsm_handle_destroy((uintptr_t)event->handle);
  event->handle = NULL;
  if (event->n_records == 0) free_event(event);  // else the last record does
  return qsmSuccess;
}

// ---- Records ----

void qsm_event_ended(struct qsm_stream_event *event, uint32_t number, bool failed, uint64_t cycle) {
  if (event->stream && event->number == number) {  // it is the last record
    event->stream = NULL;
    event->failed = failed;
    event->cycle = cycle;
  }
  if (--event->n_records == 0 && !event->handle) free_event(event);
}

void qsm_event_recorded(struct qsm_stream_event *event, struct qsm_stream *stream,
                        uint32_t number) {
  event->stream = stream;
  event->number = number;
  event->recorded = true;
}

void qsm_event_withdrawn(struct qsm_stream_event *event) {
  event->stream = NULL;
  event->failed = true;
}

// Nothing but a release, which every command has. A callback may destroy the event meanwhile.
static qsmError_t record(struct qsm_stream_event *event, struct qsm_stream *stream) {
  struct qsm_command *command = calloc(1, sizeof *command);
  if (!command) return qsm_fail(stream->context->device, qsmErrorMemoryAllocation, "out of memory");
  command->event = event;
  event->n_records++;
  stream->n_users++;
  qsmError_t error = qsm_submit(stream, NULL, 0, command);
  stream->n_users--;
  if (!error) return qsmSuccess;
  free(command);
  if (--event->n_records == 0 && !event->handle) free_event(event);
  return error;
}

qsmError_t qsmEventRecord(qsmEvent_t handle, qsmStream_t stream_handle) {
  struct qsm_stream_event *event = event_of(handle);
  if (!event) return qsmErrorInvalidHandle;
  struct qsm_stream *stream = NULL;
  qsmError_t error = qsm_stream_of(event->context, stream_handle, &stream);
  return error ? error : record(event, stream);
}

// ---- Waiting on the GPU ----

qsmError_t qsmStreamWaitEvent(qsmStream_t stream_handle, qsmEvent_t handle) {
  struct qsm_stream_event *event = event_of(handle);
  if (!event) return qsmErrorInvalidHandle;
  struct qsm_stream *stream = NULL;
  qsmError_t error = qsm_stream_of(event->context, stream_handle, &stream);
  if (!error) error = qsm_streams_look(event->context->device);
  if (error || !event->stream || event->stream == stream) return error;
  struct qsm_command *command = calloc(1, sizeof *command);
  if (!command) return qsm_fail(event->context->device, qsmErrorMemoryAllocation, "out of memory");
  struct qsm_stream *after = command->after = event->stream;
  command->after_number = event->number;
  stream->n_users++;
  after->n_users++;
  error = qsm_submit(stream, NULL, 0, command);
  stream->n_users--;
  after->n_users--;
  if (error) free(command);
  return error;
}

// ---- Waiting on the host ----

static bool has_ended(void *what) {
  const struct qsm_stream_event *event = what;
  return !event->stream;
}

qsmError_t qsmEventQuery(qsmEvent_t handle) {
  struct qsm_stream_event *event = event_of(handle);
  if (!event) return qsmErrorInvalidHandle;
  struct qsm_device *device = event->context->device;
  qsmError_t error = qsm_streams_serve(device);
  if (error) return error;
  if (event_of(handle) != event) return qsmErrorInvalidHandle;
  return has_ended(event) ? qsmSuccess
                          : qsm_fail(device, qsmErrorNotReady, "%s: the event has not happened yet",
                                     event->context->name);
}

qsmError_t qsmEventSynchronize(qsmEvent_t handle, uint64_t max_cycles) {
  struct qsm_stream_event *event = event_of(handle);
  if (!event) return qsmErrorInvalidHandle;
  struct qsm_device *device = event->context->device;
  bool in_time = false;
  qsmError_t error = qsm_check_outside(device);
  event->n_records++;  // it stays while a callback destroys its handle
  if (!error)
    error =
        qsm_streams_wait(device, has_ended, event, qsm_device_limit(device, max_cycles), &in_time);
  if (--event->n_records == 0 && !event->handle) {
    free_event(event);
    return error ? error : qsmErrorInvalidHandle;
  }
  if (error || in_time) return error;
  return qsm_fail(device, qsmErrorTimeout, "%s: the event has not happened in %llu cycles",
                  event->context->name, (unsigned long long)max_cycles);
}

// ---- Times ----

static qsmError_t check_time(const struct qsm_stream_event *event, const char *which) {
  struct qsm_device *device = event->context->device;
  if (!event->recorded)
    return qsm_fail(device, qsmErrorInvalidValue, "%s: the %s event was not recorded",
                    event->context->name, which);
  if (event->stream)
    return qsm_fail(device, qsmErrorNotReady, "%s: the %s event has not happened yet",
                    event->context->name, which);
  if (event->failed)
    return qsm_fail(device, qsmErrorInvalidValue,
                    "%s: the %s event was dropped with what its stream had behind a fault",
                    event->context->name, which);
  return qsmSuccess;
}

qsmError_t qsmEventCycles(qsmEvent_t start_handle, qsmEvent_t end_handle, int64_t *cycles) {
  const struct qsm_stream_event *start = event_of(start_handle), *end = event_of(end_handle);
  if (!start || !end) return qsmErrorInvalidHandle;
  struct qsm_device *device = start->context->device;
  qsmError_t error = qsm_check_pointer(device, cycles, "the time");
  if (!error && end->context->device != device)
    error = qsm_fail(device, qsmErrorStream, "the events are of different devices");
  if (!error) error = qsm_streams_serve(device);
  if (!error) error = check_time(start, "first");
  if (!error) error = check_time(end, "second");
  if (!error) *cycles = (int64_t)(end->cycle - start->cycle);
  return error;
}

qsmError_t qsmEventElapsedTime(float *milliseconds, qsmEvent_t start_handle,
                               qsmEvent_t end_handle) {
  const struct qsm_stream_event *start = event_of(start_handle);
  if (!start) return qsmErrorInvalidHandle;
  const struct qsm_config *config = &start->context->device->config;
  int64_t cycles = 0;
  qsmError_t error = qsm_check_pointer(start->context->device, milliseconds, "the time");
  if (!error) error = qsmEventCycles(start_handle, end_handle, &cycles);
  if (!error) *milliseconds = (float)((double)cycles / (1000.0 * config->clock_mhz));
  return error;
}
