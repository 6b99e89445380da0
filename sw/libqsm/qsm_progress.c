// SPDX-License-Identifier: Apache-2.0
// How far streams are: what has ended by its semaphore, channels that have stopped, the passing of
// time until something has ended (docs/streams.md).
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <utlist.h>

#include "qsm_heap.h"
#include "qsm_regs.h"
#include "qsm_streams.h"

enum { FIRST_CYCLES = 16, LOOK_CYCLES = 4096, CLOSING_CYCLES = 128 };

struct semaphore {
  uint32_t value, zero, cycle[2];
};

uint32_t qsm_stream_semaphore(const struct qsm_stream *stream, const struct qsm_command *command) {
  uint32_t index = (command->first + command->n_commands - 1) % QSM_RING_COMMANDS;
  return stream->semaphores + QSM_SEMAPHORE_BYTES * index;
}

// A tenant may have written anything there: what counts is a number that the stream has given.
static bool has_ended(const struct qsm_stream *stream, const struct qsm_command *command,
                      uint64_t *cycle) {
  struct semaphore seen;
  qsm_memory_get(stream->context, &seen, qsm_stream_semaphore(stream, command), sizeof seen);
  if (seen.value != command->number) return false;
  uint64_t now = qsm_device_cycle(stream->context->device);
  *cycle = (uint64_t)seen.cycle[1] << 32 | seen.cycle[0];
  if (*cycle > now) *cycle = now;
  return true;
}

// ---- Ends ----

// Of a command that is in no stream any more: tells whoever wants to know.
static void finish(struct qsm_stream *stream, struct qsm_command *command,
                   const qsmLaunchResult *result, bool dropped) {
  struct qsm_context *context = stream->context;
  if (command->launch) context->streams->n_in_part[command->part]--;
  if (command->staging) qsm_staging_ended(context, command->staging, dropped);
  if (command->event) qsm_event_ended(command->event, command->number, dropped, result->end_cycle);
  if (command->callback) {
    context->device->n_callbacks++;
    command->callback(command->user, result);
    context->device->n_callbacks--;
  }
  free(command);
}

static void end_first(struct qsm_stream *stream, uint64_t cycle) {
  struct qsm_command *command = stream->commands;
  DL_DELETE(stream->commands, command);
  stream->n_in_ring -= command->n_commands;
  finish(stream, command, &(qsmLaunchResult){.end_cycle = cycle}, false);
}

static void look_at_stream(struct qsm_stream *stream) {
  uint64_t cycle = 0;
  while (stream->commands && has_ended(stream, stream->commands, &cycle)) end_first(stream, cycle);
}

void qsm_stream_release(struct qsm_stream *stream, const struct qsm_command *command) {
  uint64_t now = qsm_device_cycle(stream->context->device);
  const struct semaphore value = {command->number, 0, {(uint32_t)now, (uint32_t)(now >> 32)}};
  qsm_memory_put(stream->context, qsm_stream_semaphore(stream, command), &value, sizeof value);
}

static void finish_dropped(struct qsm_stream *stream) {
  struct qsm_command *command;
  while ((command = stream->dropped)) {
    qsmLaunchResult result = {.killed = true, .cause = stream->drop_cause};
    if (command == stream->stopped) {
      result = stream->stop_result;
      stream->stopped = NULL;
    }
    result.end_cycle = qsm_device_cycle(stream->context->device);
    DL_DELETE(stream->dropped, command);
    finish(stream, command, &result, true);
  }
}

// ---- Emptying a stream ----

// A channel that is empty is opened again, or given back where its stream was destroyed.
static qsmError_t step_channel(struct qsm_stream *stream) {
  struct qsm_device *device = stream->context->device;
  struct qsm_channel *channel = &device->channels->channel[stream->channel];
  qsmError_t error = qsm_channel_step(device, stream->channel);
  if (error || channel->phase != QSM_CHANNEL_CLOSED) return error;
  if (stream->handle) {
    error = qsm_channel_open(stream);
  } else {
    channel->stream = NULL;
    channel->phase = QSM_CHANNEL_FREE;
    stream->has_channel = false;
    stream->buried = stream->context->streams->serial;
  }
  if (!error) finish_dropped(stream);
  return error;
}

qsmError_t qsm_stream_empty(struct qsm_stream *stream, uint32_t cause) {
  struct qsm_device *device = stream->context->device;
  struct qsm_channel *channel = &device->channels->channel[stream->channel];
  struct qsm_command *command;
  qsmError_t error = stream->commands ? qsm_memory_settle(stream->context) : qsmSuccess;
  DL_FOREACH(stream->commands, command) qsm_stream_release(stream, command);
  DL_CONCAT(stream->dropped, stream->commands);
  stream->commands = NULL;
  stream->n_in_ring = 0;
  stream->drop_cause = cause;
  if (channel->phase == QSM_CHANNEL_OPEN) qsm_channel_close(device, stream->channel);
  for (uint32_t i = 0; !error && i < QSM_CHANNEL_STEPS && stream->has_channel; i++) {
    error = step_channel(stream);
    if (error || channel->phase == QSM_CHANNEL_OPEN || device->n_callbacks) break;
    error = qsm_device_step(device);
  }
  return error;
}

// ---- Channels that have stopped ----

static struct qsm_command *command_at(const struct qsm_stream *stream, uint32_t index) {
  struct qsm_command *command;
  DL_FOREACH(stream->commands, command)
  if ((index - command->first) % QSM_RING_COMMANDS < command->n_commands) break;
  return command;
}

void qsm_stream_note_end(struct qsm_stream *stream, qsmError_t error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(stream->ended_text, sizeof stream->ended_text, format, args);
  va_end(args);
  stream->ended_with = error;
}

static void note_stop(struct qsm_stream *stream, uint32_t where, const qsmLaunchResult *result) {
  const char *name = stream->context->name;
  uint32_t channel = stream->channel, code = where & QSM_CH_ERROR_CODE_MASK,
           word = qsm_field(where, QSM_CH_ERROR_WORD_MASK, QSM_CH_ERROR_WORD_SHIFT),
           index = qsm_field(where, QSM_CH_ERROR_INDEX_MASK, QSM_CH_ERROR_INDEX_SHIFT);
  if (code == QSM_STOP_FAULT)
    qsm_stream_note_end(
        stream, qsmErrorKernelFault,
        "%s, channel %u: cause %u at PC 0x%08X, thread %u of block %u, value 0x%08X%s", name,
        channel, result->cause, result->pc, result->tid, result->block, result->value,
        qsmFaultNote(result));
  else if (code == QSM_STOP_TIMEOUT)
    qsm_stream_note_end(
        stream, qsmErrorKernelFault,
        "%s, channel %u: a launch took more than the limit of %u cycles and was killed", name,
        channel, stream->context->streams->launch_limit);
  else
    qsm_stream_note_end(stream, qsmErrorInvalidLaunch,
                        "%s, channel %u: command %u of the ring: %s (%s %u)", name, channel, index,
                        qsm_front_stop_text(code), code == QSM_STOP_REFUSED ? "register" : "word",
                        word);
}

// What is before the command that stopped it has ended; what is behind is dropped.
static qsmError_t serve_stop(struct qsm_stream *stream) {
  struct qsm_device *device = stream->context->device;
  uint32_t where = 0;
  qsmLaunchResult result;
  qsmError_t error = qsm_channel_error(device, stream->channel, &where, &result);
  if (error) return error;
  look_at_stream(stream);
  if ((where & QSM_CH_ERROR_CODE_MASK) < QSM_STOP_FAULT) result.cause = QSM_CAUSE_NOT_STARTED;
  result.needs_fpu = qsm_lacks_fpu(device, &result);
  note_stop(stream, where, &result);
  stream->stop_result = result;
  stream->stopped =
      command_at(stream, qsm_field(where, QSM_CH_ERROR_INDEX_MASK, QSM_CH_ERROR_INDEX_SHIFT));
  return qsm_stream_empty(stream, QSM_CAUSE_NOT_STARTED);
}

// The channel has done all that it was given, and some semaphore does not say so: a kernel has
// brought it into the L2, or has overwritten it or the ring.
static qsmError_t serve_silence(struct qsm_stream *stream) {
  qsmError_t error = qsm_memory_settle(stream->context);
  if (error) return error;
  look_at_stream(stream);
  for (uint32_t last = stream->number; stream->commands && stream->commands->number <= last;)
    end_first(stream, qsm_device_cycle(stream->context->device));
  return qsmSuccess;
}

static qsmError_t ask_channel(struct qsm_stream *stream) {
  uint32_t state = 0;
  qsmError_t error = qsm_channel_state(stream->context->device, stream->channel, &state);
  if (error) return error;
  if (state & QSM_PAGE_STATE_STOPPED_MASK) return serve_stop(stream);
  bool done = !(state & (QSM_PAGE_STATE_BUSY_MASK | QSM_PAGE_STATE_FRESH_MASK));
  return done && stream->taken == stream->number ? serve_silence(stream) : qsmSuccess;
}

// ---- All streams ----

// What a destroyed stream had can go when nothing waits for its semaphores any more.
static bool is_forgotten(const struct qsm_stream *stream) {
  const struct qsm_stream *other;
  if (stream->handle || stream->n_users || stream->has_channel || stream->dropped) return false;
  DL_FOREACH(stream->context->streams->list, other)
  if (other->commands && other->commands->serial <= stream->buried) return false;
  return true;
}

static void bury(struct qsm_context *context) {
  struct qsm_stream *stream, *next;
  DL_FOREACH_SAFE(context->streams->list, stream, next)
  if (is_forgotten(stream)) qsm_stream_free(stream);
}

static qsmError_t tend(struct qsm_stream *stream) {
  struct qsm_channel *channel = &stream->context->device->channels->channel[stream->channel];
  if (channel->phase == QSM_CHANNEL_OPEN) look_at_stream(stream);
  if (channel->phase == QSM_CHANNEL_OPEN && !stream->handle && !stream->commands &&
      !stream->n_users)
    qsm_channel_close(stream->context->device, stream->channel);
  return channel->phase > QSM_CHANNEL_OPEN ? step_channel(stream) : qsmSuccess;
}

qsmError_t qsm_streams_look(struct qsm_device *device) {
  qsmError_t error = qsmSuccess;
  if (!device->channels) return qsmSuccess;
  for (uint32_t channel = 0; !error && channel < device->config.cmd_channels; channel++) {
    struct qsm_stream *stream = device->channels->channel[channel].stream;
    error = stream ? tend(stream) : qsm_channel_step(device, channel);
  }
  for (uint32_t tenant = QSM_MOST_SLOTS; !device->n_callbacks && tenant < QSM_MOST_TENANTS;
       tenant++)
    if (device->context[tenant]) bury(device->context[tenant]);
  return error;
}

// Those that have more to do than the host has seen to end: are they stopped?
static qsmError_t ask_channels(struct qsm_device *device, qsm_tenants which) {
  qsmError_t error = qsmSuccess;
  for (uint32_t channel = 0; !error && channel < device->config.cmd_channels; channel++) {
    const struct qsm_channel *state = &device->channels->channel[channel];
    if ((which >> channel & 1) && state->phase == QSM_CHANNEL_OPEN && state->stream->commands)
      error = ask_channel(state->stream);
  }
  return error;
}

qsmError_t qsm_streams_serve(struct qsm_device *device) {
  qsm_tenants which = 0;
  if (!device->channels) return qsmSuccess;
  qsmError_t error = qsm_channels_take_interrupts(device, &which);
  if (!error) error = qsm_streams_look(device);
  return error ? error : ask_channels(device, which);
}

// Nothing tells the host that a channel is empty.
static uint64_t longest_slice(const struct qsm_device *device) {
  for (uint32_t channel = 0; channel < device->config.cmd_channels; channel++)
    if (device->channels->channel[channel].phase > QSM_CHANNEL_OPEN &&
        device->channels->channel[channel].phase < QSM_CHANNEL_CLOSED)
      return CLOSING_CYCLES;
  return LOOK_CYCLES;
}

// Looks often at first. A channel whose ring its tenant has spoilt may end without an interrupt, so
// that after long slices the channels are asked.
qsmError_t qsm_streams_wait(struct qsm_device *device, bool (*ended)(void *what), void *what,
                            uint64_t limit, bool *in_time) {
  qsmError_t error = qsm_streams_look(device);
  uint64_t slice = device->channels ? FIRST_CYCLES : UINT64_MAX;
  while (!error && !ended(what) && qsm_device_cycle(device) < limit) {
    uint64_t end = qsm_device_limit(device, slice);
    error = qsm_device_advance(device, end < limit ? end : limit);
    if (!error) error = qsm_streams_look(device);
    if (error || qsm_device_cycle(device) < end || !device->channels) continue;
    if (slice == LOOK_CYCLES) error = ask_channels(device, ~(qsm_tenants)0);
    slice = slice * 2 < longest_slice(device) ? slice * 2 : longest_slice(device);
  }
  *in_time = !error && ended(what);
  return error;
}
