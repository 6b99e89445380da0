// SPDX-License-Identifier: Apache-2.0
// Into the ring of a stream: commands, what orders them among streams, room for them; launches
// (docs/streams.md).
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "qsm_elf.h"
#include "qsm_regs.h"
#include "qsm_streams.h"

enum {
  OWN_MASK = 1,  // bits of a descriptor's word OWN
  OWN_POLICY = 2,
};
enum { WITH_IRQ = 1 << 8, WITH_STAMP = 1 << 9, MOST_IN_RING = QSM_RING_COMMANDS - 1 };

typedef uint32_t command_words[QSM_COMMAND_WORDS];

// ---- Waiting inside of a call ----

qsmError_t qsm_submit_wait(struct qsm_stream *stream, bool (*ended)(void *what), void *what,
                           const char *reason) {
  struct qsm_device *device = stream->context->device;
  uint64_t cycles = device->channels->submit_limit;
  bool in_time = false;
  qsmError_t error = qsm_streams_look(device);
  if (error || ended(what)) return error;
  if (qsm_check_outside(device))
    return qsm_fail(device, qsmErrorBusy, "%s, channel %u: %s, and no time passes in a callback",
                    stream->context->name, stream->channel, reason);
  error = qsm_streams_wait(device, ended, what, qsm_device_limit(device, cycles), &in_time);
  if (error || in_time) return error;
  return qsm_fail(device, qsmErrorTimeout, "%s, channel %u: %s, still so after %llu cycles",
                  stream->context->name, stream->channel, reason, (unsigned long long)cycles);
}

static bool is_open(void *what) {
  const struct qsm_stream *stream = what;
  return stream->context->device->channels->channel[stream->channel].phase == QSM_CHANNEL_OPEN;
}

// ---- Order among streams ----

static const struct qsm_command *find_number(const struct qsm_stream *stream, uint32_t number) {
  const struct qsm_command *command;
  DL_FOREACH(stream->commands, command)
  if (command->number == number) break;
  return command;
}

// A semaphore's place gets ever higher numbers, so it is reached for good.
static void acquire(const struct qsm_stream *other, const struct qsm_command *last,
                    command_words words) {
  memset(words, 0, QSM_COMMAND_BYTES);
  words[0] = QSM_CMD_ACQUIRE;
  words[1] = qsm_stream_semaphore(other, last);
  words[2] = last->number;
}

static bool is_ahead(const struct qsm_stream *stream, const struct qsm_stream *other) {
  if (other == stream || !other->commands) return false;
  const struct qsm_stream *standard = stream->context->streams->standard;
  if (stream == standard) return other->blocking;
  return stream->blocking && other == standard &&
         stream->seen_default != other->commands->prev->number;
}

static uint32_t count_ahead(const struct qsm_stream *stream) {
  const struct qsm_stream *other;
  uint32_t n = 0;
  DL_FOREACH(stream->context->streams->list, other) n += is_ahead(stream, other);
  return n;
}

// ---- The ring ----

static void put_command(struct qsm_stream *stream, const command_words words) {
  qsm_memory_put(stream->context, stream->ring + QSM_COMMAND_BYTES * stream->put, words,
                 QSM_COMMAND_BYTES);
  stream->put = (stream->put + 1) % QSM_RING_COMMANDS;
}

static void put_acquires(struct qsm_stream *stream) {
  const struct qsm_stream *other;
  command_words words;
  DL_FOREACH(stream->context->streams->list, other) {
    if (!is_ahead(stream, other)) continue;
    acquire(other, other->commands->prev, words);
    put_command(stream, words);
    if (other == stream->context->streams->standard)
      stream->seen_default = other->commands->prev->number;
  }
}

// What it waited for may have ended while the call waited for room.
static void put_after(struct qsm_stream *stream, const struct qsm_command *command) {
  const struct qsm_command *last =
      command->after ? find_number(command->after, command->after_number) : NULL;
  command_words words;
  if (!last) return;
  acquire(command->after, last, words);
  put_command(stream, words);
}

static void put_release(struct qsm_stream *stream, uint32_t number) {
  const command_words words = {QSM_CMD_RELEASE | WITH_IRQ | WITH_STAMP,
                               stream->semaphores + QSM_SEMAPHORE_BYTES * stream->put, number};
  put_command(stream, words);
}

struct wanted {
  struct qsm_stream *stream;
  uint32_t n;  // commands, or the number that the GPU shall know of
};

static bool has_room(void *what) {
  const struct wanted *room = what;
  struct qsm_stream *stream = room->stream;
  return is_open(stream) && stream->n_in_ring + count_ahead(stream) + room->n + 1 <= MOST_IN_RING;
}

// The GPU does not take PUT of a channel that is suspended, or has just been enabled.
static bool is_taken(void *what) {
  const struct wanted *wanted = what;
  struct qsm_stream *stream = wanted->stream;
  bool taken = false;
  if ((int32_t)(stream->taken - wanted->n) >= 0 || !is_open(stream)) return true;
  if (qsm_channel_put(stream, &taken) || !taken) return false;
  stream->taken = stream->number;
  return true;
}

// The GPU has not seen it, and callbacks that submitted behind it were refused for the same reason.
// Another stream may wait for it.
static void withdraw(struct qsm_stream *stream, struct qsm_command *command) {
  qsm_stream_release(stream, command);
  if (command->event) qsm_event_withdrawn(command->event);
  DL_DELETE(stream->commands, command);
  stream->n_in_ring -= command->n_commands;
  stream->put = command->first;
  stream->taken = stream->number;
  stream->seen_default = 0;
}

static qsmError_t tell_gpu(struct qsm_stream *stream, struct qsm_command *command) {
  struct wanted wanted = {stream, command->number};
  qsmError_t error =
      qsm_submit_wait(stream, is_taken, &wanted, "the GPU takes no commands (suspended)");
  if (!error) return qsmSuccess;
  if ((int32_t)(stream->taken - wanted.n) >= 0) return qsmSuccess;
  withdraw(stream, command);
  return error;
}

qsmError_t qsm_submit(struct qsm_stream *stream, const command_words *words, uint32_t n,
                      struct qsm_command *command) {
  struct wanted room = {stream, n + (command->after != NULL)};
  qsmError_t error = qsm_submit_wait(stream, has_room, &room, "its ring is full");
  if (!error && stream->stale) error = qsm_stream_refresh(stream);
  if (error) return error;
  command->number = ++stream->number;
  command->serial = ++stream->context->streams->serial;
  command->first = stream->put;
  if (command->event) qsm_event_recorded(command->event, stream, command->number);
  put_acquires(stream);
  put_after(stream, command);
  for (uint32_t i = 0; i < n; i++) put_command(stream, words[i]);
  put_release(stream, command->number);
  command->n_commands = (stream->put - command->first) % QSM_RING_COMMANDS;
  stream->n_in_ring += command->n_commands;
  DL_APPEND(stream->commands, command);
  return tell_gpu(stream, command);
}

// ---- Room for arguments ----

struct part {
  struct qsm_context *context;
  uint32_t which;
};

static bool is_unused(void *what) {
  const struct part *part = what;
  return part->context->streams->n_in_part[part->which] == 0;
}

// Launches that may still read the half have ended, and its old content is in no cache.
static qsmError_t take_other_part(struct qsm_stream *stream) {
  struct qsm_context *context = stream->context;
  struct qsm_context_streams *streams = context->streams;
  struct qsm_argument_blocks *blocks = &context->argument_blocks;
  struct part other = {context, !streams->part};
  qsmError_t error = qsm_submit_wait(stream, is_unused, &other,
                                     "launches that have not ended have all room for arguments");
  if (!error) error = qsm_memory_settle(context);
  if (error) return error;
  streams->part = other.which;
  blocks->n = 0;
  blocks->used_bytes = QSM_ARGUMENT_AREA_BYTES / QSM_PARTS * other.which;
  blocks->to = blocks->used_bytes + QSM_ARGUMENT_AREA_BYTES / QSM_PARTS;
  return qsmSuccess;
}

// A callback may fill the part while the call waits for it.
static qsmError_t make_room(struct qsm_stream *stream, uint32_t bytes) {
  const struct qsm_argument_blocks *blocks = &stream->context->argument_blocks;
  qsmError_t error = qsmSuccess;
  while (!error && blocks->used_bytes + bytes > blocks->to) error = take_other_part(stream);
  return error;
}

// R-ST-23: what the launch has instead of what the channel's context has.
static void put_own_settings(const struct qsm_context *context, const struct qsm_pending *launch,
                             uint32_t words[QSM_DESCRIPTOR_WORDS]) {
  if (launch->sm_mask) {
    words[9] |= OWN_MASK;
    for (uint32_t i = 0; i < 3; i++) words[10 + i] = (uint32_t)(launch->sm_mask >> 32 * i);
  }
  if (launch->cache_policy != context->shadow[QSM_SLOT_CACHE_POLICY / 4]) {
    words[9] |= OWN_POLICY;
    words[13] = launch->cache_policy;
  }
}

static qsmError_t place(struct qsm_stream *stream, const struct qsm_pending *launch,
                        uint32_t *descriptor) {
  struct qsm_context *context = stream->context;
  uint32_t job[QSM_WORKER_JOB_WORDS], address = 0;
  qsm_workers_job(context, launch, job);
  qsmError_t error = make_room(stream, 2 * QSM_ARGUMENT_BLOCK_BYTES);
  if (!error) error = qsm_launch_place_arguments(context, launch, job, &address);
  if (error) return error;
  uint32_t words[QSM_DESCRIPTOR_WORDS] = {context->shadow[QSM_SLOT_ENTRY / 4],
                                          address,
                                          launch->grid.x,
                                          launch->grid.y,
                                          launch->grid.z,
                                          launch->block.x,
                                          launch->block.y,
                                          launch->block.z,
                                          launch->shared_bytes};
  put_own_settings(context, launch, words);
  return qsm_launch_place(context, words, sizeof words, descriptor);
}

// ---- Stacks ----

static bool is_idle(void *what) {
  struct qsm_stream *stream = what;
  return !stream->commands && !stream->dropped && is_open(stream);
}

// A stream keeps the stacks that it has while they serve: other ones are for its slot, so they wait
// until nothing of it runs.
static qsmError_t take_stacks(struct qsm_stream *stream, const char *kernel, qsmDim3 block,
                              uint32_t bytes) {
  if (qsm_stacks_serve(stream->context, stream->stacks, stream->stack, block, bytes))
    return qsmSuccess;
  qsmError_t error = qsm_submit_wait(stream, is_idle, stream, "a kernel needs larger stacks");
  if (error) return error;
  qsmError_t had_room =
      qsm_stacks_replace(stream->context, kernel, block, bytes, &stream->stacks, &stream->stack);
  error = qsm_stream_set_word(stream, QSM_SLOT_STACK);  // where there is no room: none
  return had_room ? had_room : error;
}

// ---- Save areas ----

static qsmError_t set_save_area(struct qsm_stream *stream, const char *kernel, uint64_t bytes) {
  qsmError_t had_room = qsm_save_area_replace(stream->context, kernel, bytes, &stream->save_area);
  qsmError_t error = qsm_stream_set_word(stream, QSM_SLOT_SAVE_BASE);
  if (!error) error = qsm_stream_set_word(stream, QSM_SLOT_SAVE_LIMIT);
  return had_room ? had_room : error;
}

// A stream's own, as stacks are: two streams may have saved blocks at a time.
static qsmError_t take_save_area(struct qsm_stream *stream, const char *kernel,
                                 const struct qsm_pending *launch) {
  uint64_t bytes = qsm_save_area_bytes(stream->context, launch->block, launch->shared_bytes);
  if (bytes <= stream->save_area.limit - stream->save_area.base) return qsmSuccess;
  qsmError_t error = qsm_submit_wait(stream, is_idle, stream, "a kernel needs a larger save area");
  return error ? error : set_save_area(stream, kernel, bytes);
}

qsmError_t qsm_streams_drop_save_areas(struct qsm_context *context) {
  struct qsm_stream *stream;
  qsmError_t error = qsmSuccess;
  for (stream = context->streams->list; !error && stream; stream = stream->next)
    error = set_save_area(stream, "", 0);
  return error;
}

// ---- Launches ----

static qsmError_t submit_launch(struct qsm_stream *stream, const struct qsm_pending *launch,
                                struct qsm_command *command) {
  struct qsm_context *context = stream->context;
  uint32_t descriptor = 0;
  qsmError_t error = place(stream, launch, &descriptor);
  if (error) return error;
  uint32_t part = command->part = context->streams->part;
  const command_words words = {QSM_CMD_LAUNCH, descriptor};
  context->streams->n_in_part[part]++;
  qsm_memory_launched(context);
  error = qsm_submit(stream, &words, 1, command);
  if (!error) return qsmSuccess;
  context->streams->n_in_part[part]--;
  return error;
}

qsmError_t qsm_submit_launch(struct qsm_stream *stream, const char *kernel,
                             const struct qsm_pending *launch, uint32_t stack_bytes) {
  struct qsm_command *command = calloc(1, sizeof *command);
  if (!command) return qsm_fail(stream->context->device, qsmErrorMemoryAllocation, "out of memory");
  command->launch = true;
  command->n_threads = launch->block.x * launch->block.y * launch->block.z;
  command->callback = launch->callback;
  command->user = launch->user;
  stream->n_users++;
  qsmError_t error = take_stacks(stream, kernel, launch->block, stack_bytes);
  if (!error) error = take_save_area(stream, kernel, launch);
  if (!error) error = submit_launch(stream, launch, command);
  stream->n_users--;
  if (error) free(command);
  return error;
}
