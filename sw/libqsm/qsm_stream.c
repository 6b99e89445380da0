// SPDX-License-Identifier: Apache-2.0
// Streams as programs see them: coming and going, waiting, what became of them (docs/streams.md).
#include <stdio.h>
#include <stdlib.h>
#include <utlist.h>

#include "qsm_handle.h"
#include "qsm_heap.h"
#include "qsm_regs.h"
#include "qsm_streams.h"

enum {
  RING_BYTES = QSM_RING_COMMANDS * QSM_COMMAND_BYTES,
  SEMAPHORES_BYTES = QSM_RING_COMMANDS * QSM_SEMAPHORE_BYTES,
  DRAIN_CYCLES = 1000000,
};

static struct qsm_stream *stream_of(qsmStream_t handle) {
  return qsm_handle_find(QSM_HANDLE_STREAM, (uintptr_t)handle);
}

// ---- Coming ----

// Of the tenant's own memory: what it does there is its own harm. Kernels may have had it before.
static qsmError_t take_memory(struct qsm_stream *stream) {
  struct qsm_context *context = stream->context;
  static const uint8_t zeros[SEMAPHORES_BYTES];
  stream->memory =
      qsm_heap_alloc_own(context->heap, RING_BYTES + SEMAPHORES_BYTES + QSM_PAGE_BYTES);
  if (!stream->memory)
    return qsm_fail(context->device, qsmErrorMemoryAllocation,
                    "%s: no room for the ring of a stream, %d bytes", context->name,
                    RING_BYTES + SEMAPHORES_BYTES + QSM_PAGE_BYTES);
  stream->ring = (stream->memory + QSM_PAGE_BYTES - 1) / QSM_PAGE_BYTES * QSM_PAGE_BYTES;
  stream->semaphores = stream->ring + RING_BYTES;
  qsmError_t error = qsm_memory_settle(context);  // the ring, too
  return error ? error : qsm_memory_write(context, stream->semaphores, zeros, sizeof zeros);
}

void qsm_stream_free(struct qsm_stream *stream) {
  struct qsm_context *context = stream->context;
  DL_DELETE(context->streams->list, stream);
  if (stream->ended_with) {  // the context's next wait tells
    context->ended_with = stream->ended_with;
    snprintf(context->ended_text, sizeof context->ended_text, "%s", stream->ended_text);
  }
  if (context->streams->standard == stream) context->streams->standard = NULL;
  if (stream->handle) qsm_handle_destroy((uintptr_t)stream->handle);
  qsm_stacks_release(context, stream->stacks);
  if (stream->save_area.allocation) qsm_heap_free(context->heap, stream->save_area.allocation);
  if (stream->memory) qsm_heap_free(context->heap, stream->memory);
  free(stream);
}

static qsmError_t set_up(struct qsm_stream *stream) {
  struct qsm_context *context = stream->context;
  qsmError_t error = take_memory(stream);
  if (!error) error = qsm_channel_take(stream);
  if (!error) error = qsm_channel_open(stream);
  if (!error) return qsmSuccess;
  if (stream->has_channel)
    context->device->channels->channel[stream->channel] = (struct qsm_channel){0};
  return error;
}

static qsmError_t create(struct qsm_context *context, bool blocking, uint32_t priority,
                         struct qsm_stream **stream) {
  struct qsm_device *device = context->device;
  struct qsm_stream *created = calloc(1, sizeof *created);
  if (created) created->handle = (qsmStream_t)qsm_handle_create(QSM_HANDLE_STREAM, created);
  if (!created || !created->handle) {
    free(created);
    return qsm_fail(device, qsmErrorMemoryAllocation, "out of memory");
  }
  created->context = context;
  created->blocking = blocking;
  created->priority = priority;
  DL_APPEND(context->streams->list, created);
  qsmError_t error = set_up(created);
  if (error)
    qsm_stream_free(created);
  else
    *stream = created;
  return error;
}

static qsmError_t check_create(const struct qsm_context *context, const qsmStream_t *stream,
                               uint32_t flags) {
  struct qsm_device *device = context->device;
  qsmError_t error = qsm_check_pointer(device, stream, "the stream");
  if (error) return error;
  error = qsm_check_on_channels(context);
  if (error) return error;
  if (context->closing)
    return qsm_fail(device, qsmErrorBusy, "%s: the context is being destroyed", context->name);
  if (device->watching) return qsm_fail(device, qsmErrorBusy, "not in a callback");
  if (flags != qsmStreamDefault && flags != qsmStreamNonBlocking)
    return qsm_fail(device, qsmErrorInvalidValue,
                    "%s: flags of a stream 0x%X: must be 0 or qsmStreamNonBlocking", context->name,
                    flags);
  return qsmSuccess;
}

qsmError_t qsmStreamCreateWithPriority(qsmContext_t handle, qsmStream_t *stream, uint32_t flags,
                                       uint32_t priority) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  struct qsm_stream *created = NULL;
  qsmError_t error = check_create(context, stream, flags);
  if (error) return error;
  uint32_t most = context->streams->max_priority;
  error =
      create(context, flags != qsmStreamNonBlocking, priority < most ? priority : most, &created);
  if (!error) *stream = created->handle;
  return error;
}

qsmError_t qsmStreamCreateWithFlags(qsmContext_t context, qsmStream_t *stream, uint32_t flags) {
  return qsmStreamCreateWithPriority(context, stream, flags, 0);
}

qsmError_t qsmStreamCreate(qsmContext_t context, qsmStream_t *stream) {
  return qsmStreamCreateWithPriority(context, stream, qsmStreamDefault, 0);
}

static qsmError_t standard_stream(struct qsm_context *context, struct qsm_stream **stream) {
  struct qsm_context_streams *streams = context->streams;
  qsmError_t error = streams->standard ? qsmSuccess : create(context, false, 0, &streams->standard);
  if (!error) *stream = streams->standard;
  return error;
}

qsmError_t qsmContextDefaultStream(qsmContext_t handle, qsmStream_t *stream) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  struct qsm_stream *standard = NULL;
  qsmError_t error = check_create(context, stream, qsmStreamDefault);
  if (!error) error = standard_stream(context, &standard);
  if (!error) *stream = standard->handle;
  return error;
}

qsmError_t qsm_stream_of(struct qsm_context *context, qsmStream_t handle,
                         struct qsm_stream **stream) {
  struct qsm_stream *named = handle ? stream_of(handle) : NULL;
  *stream = NULL;
  if (!handle) return qsm_on_channels(context) ? standard_stream(context, stream) : qsmSuccess;
  if (!named) return qsm_fail(context->device, qsmErrorInvalidHandle, "no such stream");
  if (named->context != context)
    return qsm_fail(context->device, qsmErrorStream, "%s: the stream is of %s", context->name,
                    named->context->name);
  *stream = named;
  return qsmSuccess;
}

// ---- Going ----

qsmError_t qsmStreamDestroy(qsmStream_t handle) {
  struct qsm_stream *stream = stream_of(handle);
  if (!stream) return qsmErrorInvalidHandle;
  struct qsm_device *device = stream->context->device;
  if (stream == stream->context->streams->standard)
    return qsm_fail(device, qsmErrorStream, "%s: the default stream lasts as long as its context",
                    stream->context->name);
  qsm_handle_destroy((uintptr_t)stream->handle);
  stream->handle = NULL;
  return qsm_streams_look(device);
}

qsmError_t qsm_streams_kill(struct qsm_context *context) {
  struct qsm_stream *stream;
  qsmError_t error = qsm_streams_look(context->device), failed = qsmSuccess;
  DL_FOREACH(context->streams->list, stream) {
    if (!stream->commands) continue;
    qsm_stream_note_end(stream, qsmErrorKernelFault, "%s, channel %u: killed by the host",
                        context->name, stream->channel);
    failed = qsm_stream_empty(stream, QSM_CAUSE_HOST);
    if (!error) error = failed;
  }
  return error;
}

static bool is_empty(void *what) {
  const struct qsm_context *context = what;
  return context->streams->list == NULL;
}

qsmError_t qsm_streams_stop(struct qsm_context *context) {
  struct qsm_device *device = context->device;
  struct qsm_stream *stream;
  bool in_time = false;
  qsmError_t error = qsm_streams_kill(context);
  context->streams->standard = NULL;
  DL_FOREACH(context->streams->list, stream) {
    if (stream->handle) qsm_handle_destroy((uintptr_t)stream->handle);
    stream->handle = NULL;
  }
  if (!error)
    error = qsm_streams_wait(device, is_empty, context, qsm_device_limit(device, DRAIN_CYCLES),
                             &in_time);
  if (error || in_time) return error;
  return qsm_fail(device, qsmErrorTimeout, "%s: its channels are not empty after %d cycles",
                  context->name, DRAIN_CYCLES);
}

// What the GPU still has of it keeps its channel, until that is empty.
static void abandon(struct qsm_stream *stream) {
  struct qsm_command *command, *next;
  struct qsm_channel *channel = &stream->context->device->channels->channel[stream->channel];
  if (stream->has_channel) channel->stream = NULL;
  if (stream->has_channel &&
      (channel->phase == QSM_CHANNEL_OPEN || channel->phase == QSM_CHANNEL_CLOSED))
    channel->phase = QSM_CHANNEL_EMPTYING;
  DL_CONCAT(stream->dropped, stream->commands);
  DL_FOREACH_SAFE(stream->dropped, command, next) {
    qsm_staging_free(command->staging);
    free(command);
  }
  qsm_stream_free(stream);
}

void qsm_streams_free(struct qsm_context *context) {
  struct qsm_stream *stream, *next;
  if (!context->streams) return;
  qsm_events_free(context);
  DL_FOREACH_SAFE(context->streams->list, stream, next) abandon(stream);
  qsm_pinned_free(context);
  qsm_heap_destroy(context->streams->host);
  free(context->streams);
}

// ---- What is in them ----

static bool has_work(const struct qsm_stream *stream) {
  return stream->commands || stream->dropped;
}

bool qsm_streams_busy(const struct qsm_context *context) {
  const struct qsm_stream *stream;
  DL_FOREACH(context->streams->list, stream)
  if (has_work(stream)) return true;
  return false;
}

uint32_t qsm_streams_widest(const struct qsm_context *context) {
  const struct qsm_stream *stream;
  const struct qsm_command *command;
  uint32_t widest = 0;
  DL_FOREACH(context->streams->list, stream)
  DL_FOREACH(stream->commands, command)
  if (command->n_threads > widest) widest = command->n_threads;
  return widest;
}

// ---- Waiting ----

// A callback may have destroyed it.
static bool stream_ended(void *what) {
  const struct qsm_stream *stream = stream_of(*(const qsmStream_t *)what);
  return !stream || !has_work(stream);
}

static bool streams_ended(void *what) { return !qsm_streams_busy(what); }

// Of launches since the last wait for them.
static qsmError_t take_end(struct qsm_stream *stream) {
  qsmError_t error = stream->ended_with;
  stream->ended_with = qsmSuccess;
  return error ? qsm_fail(stream->context->device, error, "%s", stream->ended_text) : qsmSuccess;
}

qsmError_t qsmStreamSynchronize(qsmStream_t handle, uint64_t max_cycles) {
  struct qsm_stream *stream = stream_of(handle);
  if (!stream) return qsmErrorInvalidHandle;
  struct qsm_device *device = stream->context->device;
  bool in_time = false;
  qsmError_t error = qsm_check_outside(device);
  if (!error)
    error = qsm_streams_wait(device, stream_ended, &handle, qsm_device_limit(device, max_cycles),
                             &in_time);
  if (error) return error;
  if (stream_of(handle) != stream) return qsmErrorInvalidHandle;
  if (in_time) return take_end(stream);
  return qsm_fail(device, qsmErrorTimeout, "%s, channel %u: not at its end after %llu cycles",
                  stream->context->name, stream->channel, (unsigned long long)max_cycles);
}

qsmError_t qsmStreamQuery(qsmStream_t handle) {
  struct qsm_stream *stream = stream_of(handle);
  if (!stream) return qsmErrorInvalidHandle;
  struct qsm_device *device = stream->context->device;
  qsmError_t error = qsm_streams_serve(device);
  if (error) return error;
  if (stream_of(handle) != stream) return qsmErrorInvalidHandle;
  if (!has_work(stream)) return take_end(stream);
  return qsm_fail(device, qsmErrorNotReady, "%s, channel %u: not at its end yet",
                  stream->context->name, stream->channel);
}

qsmError_t qsm_streams_synchronize(struct qsm_context *context, uint64_t max_cycles) {
  struct qsm_device *device = context->device;
  struct qsm_stream *stream;
  bool in_time = false;
  qsmError_t error = qsm_check_outside(device);
  if (!error)
    error = qsm_streams_wait(device, streams_ended, context, qsm_device_limit(device, max_cycles),
                             &in_time);
  if (error) return error;
  if (!in_time)
    return qsm_fail(device, qsmErrorTimeout, "%s: streams not at their ends after %llu cycles",
                    context->name, (unsigned long long)max_cycles);
  DL_FOREACH(context->streams->list, stream) {
    qsmError_t ended_with = take_end(stream);
    if (ended_with) error = ended_with;
  }
  if (error || !context->ended_with) return error;
  error = context->ended_with;
  context->ended_with = qsmSuccess;
  return qsm_fail(device, error, "%s", context->ended_text);
}
