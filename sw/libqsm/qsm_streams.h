// SPDX-License-Identifier: Apache-2.0
// Within libqsm: command channels, streams and what is in them, as their files share it
// (docs/streams.md, docs/front.md).
#ifndef QSM_STREAMS_H
#define QSM_STREAMS_H

#include "qsm_internal.h"

enum {
  QSM_RING_LOG2 = 8,
  QSM_RING_COMMANDS = 1 << QSM_RING_LOG2,
  QSM_COMMAND_WORDS = 8,
  QSM_COMMAND_BYTES = 4 * QSM_COMMAND_WORDS,
  QSM_SEMAPHORE_BYTES = 16,
  QSM_CONTEXT_WORDS = 32,
  QSM_CONTEXT_BYTES = 4 * QSM_CONTEXT_WORDS,
  QSM_DESCRIPTOR_WORDS = 16,
  QSM_STREAM_PRIORITIES = 4,
  QSM_PARTS = 2,           // of the area of arguments
  QSM_CHANNEL_STEPS = 16,  // of 64 cycles: more than emptying takes where nothing is in its way
};

// How a channel is emptied, whatever its tenant has written into its ring: disabled until no slot
// is bound to it (what runs is killed), enabled and held until the front end has cleared it, so
// that it is not at work on a command of it, and disabled again, since that command may have been
// a launch.
enum qsm_channel_phase {
  QSM_CHANNEL_FREE,
  QSM_CHANNEL_OPEN,
  QSM_CHANNEL_EMPTYING,
  QSM_CHANNEL_CLEARING,
  QSM_CHANNEL_ENDING,
  QSM_CHANNEL_CLOSED,  // it is still its stream's
};

struct qsm_stream;

struct qsm_channel {
  enum qsm_channel_phase phase;
  uint32_t tenant;            // whose it is until it is free
  struct qsm_stream *stream;  // NULL: of none any more
};

// What a device has that uses channels.
struct qsm_channels {
  uint32_t first_slot, n_slots;  // of the front end
  uint32_t mode;                 // FRONT_MODE
  uint32_t contexts;             // address of the channels' contexts, which are in no window
  struct qsm_heap *pool;         // memory of tenants
  uint64_t submit_limit;
  struct qsm_channel channel[QSM_MAX_CMD];
};

// What has been put into a stream and has not been seen to end. It is some commands in the ring,
// the last of them the release of its semaphore.
struct qsm_command {
  uint32_t number;             // of the stream
  uint64_t serial;             // of the context
  uint32_t first, n_commands;  // in the ring
  bool launch;
  uint32_t n_threads;  // of a block
  uint32_t part;       // of the area of arguments
  qsmLaunchCallback callback;
  void *user;
  struct qsm_stream_event *event;  // that it records
  struct qsm_stream *after;        // it waits for a number of this one, if that has not ended
  uint32_t after_number;
  struct qsm_staging *staging;  // of a copy
  struct qsm_command *prev, *next;
};

struct qsm_stream {
  qsmStream_t handle;  // NULL: destroyed
  struct qsm_context *context;
  uint32_t channel, priority;
  bool blocking;
  bool has_channel;
  uint32_t memory, ring, semaphores;  // the allocation, and the addresses in it
  uint32_t put, n_in_ring;
  uint32_t number;               // of the last command
  uint32_t n_users;              // calls that are at work on it
  uint64_t buried;               // serial of the context when the destroyed stream had ended
  uint32_t taken;                // the last that the GPU knows of
  struct qsm_command *commands;  // in order
  struct qsm_command *dropped;   // that wait for the channel to be empty
  struct qsm_command *stopped;   // among them: the one that stopped the channel
  qsmLaunchResult stop_result;   // of it
  uint32_t drop_cause;           // of the others
  struct qsm_stacks *stacks;
  uint32_t stack;  // STACK
  struct qsm_save_area save_area;
  uint32_t seen_default;  // what it waits for of the default stream, by number
  uint32_t stale;         // words of its context that its slot may not have
  qsmError_t ended_with;  // since the last wait for it
  char ended_text[256];
  struct qsm_stream *prev, *next;  // of the context
};

struct qsm_context_streams {
  struct qsm_heap *host;  // the host window
  uint32_t host_base, host_limit;
  struct qsm_stream *list, *standard;
  uint32_t max_priority, launch_limit;
  bool launch_masks;  // its launches may have masks of their own
  uint64_t serial;
  uint32_t part, n_in_part[QSM_PARTS];  // launches
  struct qsm_pinned *pinned;
  struct qsm_stream_event *events;
};

// An event stands for the command that it was recorded with last.
struct qsm_stream_event {
  qsmEvent_t handle;  // NULL: destroyed, a command has it still
  struct qsm_context *context;
  struct qsm_stream *stream;  // of the record; NULL: it has ended, or there was none
  uint32_t number;
  uint32_t n_records;  // under way
  bool recorded, failed;
  uint64_t cycle;  // of the end
  struct qsm_stream_event *prev, *next;
};

// ---- Channels (qsm_channel.c) ----

bool qsm_channels_have_slot(const struct qsm_device *device, uint32_t slot);
qsmError_t qsm_channels_check(struct qsm_device *device);  // they are in use
qsmError_t qsm_check_on_channels(const struct qsm_context *context);
void qsm_channels_free(struct qsm_device *device);
// The memory of a tenant that is clear again; nothing where it had a slot.
void qsm_channels_give_back(struct qsm_device *device, uint32_t tenant);

qsmError_t qsm_channel_set_limit(struct qsm_device *device, uint32_t channel, uint32_t cycles);
qsmError_t qsm_channel_take(struct qsm_stream *stream);
// Its ring is empty then. PUT is taken some cycles later.
qsmError_t qsm_channel_open(struct qsm_stream *stream);
// The front end reads the channel's context anew for its next command.
qsmError_t qsm_channel_reread(struct qsm_stream *stream);
// Writes a register of the slot that is bound to the channel, if there is one. *settled: it runs a
// launch, so its registers are not those of an older context.
qsmError_t qsm_channel_write_slot(struct qsm_device *device, uint32_t channel, uint32_t offset,
                                  uint32_t value, bool *settled);
// FRONT_IRQ, which is cleared: bit per channel.
qsmError_t qsm_channels_take_interrupts(struct qsm_device *device, qsm_tenants *channels);
// What is on the GPU of it is found and killed by the steps.
void qsm_channel_close(struct qsm_device *device, uint32_t channel);
// A step of closing, without time passing but for registers.
qsmError_t qsm_channel_step(struct qsm_device *device, uint32_t channel);
qsmError_t qsm_channel_state(struct qsm_device *device, uint32_t channel, uint32_t *state);
// Why it has stopped: CH_ERROR, and the fault of its launch.
qsmError_t qsm_channel_error(struct qsm_device *device, uint32_t channel, uint32_t *where,
                             qsmLaunchResult *result);
// PUT; *taken says whether the GPU took it.
qsmError_t qsm_channel_put(struct qsm_stream *stream, bool *taken);

// ---- Contexts of channels (qsm_channel_context.c) ----

qsmError_t qsm_streams_create(struct qsm_context *context);
void qsm_streams_free(struct qsm_context *context);  // on the host; NULL streams are fine
// A register of its slot is a word of the contexts of its channels.
qsmError_t qsm_streams_set(struct qsm_context *context, uint32_t offset, uint32_t value);
// The context of a stream's channel as the settings are now.
void qsm_stream_write_context(struct qsm_stream *stream);
// A register of this stream's own, as value_of() has it (STACK, CACHE_POLICY), or of all.
// All streams' save areas are given back; nothing of them runs.
qsmError_t qsm_streams_drop_save_areas(struct qsm_context *context);
qsmError_t qsm_stream_set_word(struct qsm_stream *stream, uint32_t offset);
// Slots that may have missed a word get it.
qsmError_t qsm_stream_refresh(struct qsm_stream *stream);

// ---- Streams (qsm_stream.c) ----

// What a call names: NULL is the default stream, which is made here if need be.
qsmError_t qsm_stream_of(struct qsm_context *context, qsmStream_t handle,
                         struct qsm_stream **stream);
void qsm_stream_free(struct qsm_stream *stream);  // on the host
bool qsm_streams_busy(const struct qsm_context *context);
uint32_t qsm_streams_widest(const struct qsm_context *context);  // block of a launch, in threads
// Destroys all: what runs is killed. On success nothing of them is on the GPU.
qsmError_t qsm_streams_stop(struct qsm_context *context);
qsmError_t qsm_streams_kill(struct qsm_context *context);
qsmError_t qsm_streams_synchronize(struct qsm_context *context, uint64_t max_cycles);

// ---- What has ended (qsm_progress.c) ----

// By memory, and by the registers of channels that are being emptied.
qsmError_t qsm_streams_look(struct qsm_device *device);
// After an interrupt; also by registers, for the channels that asked for it.
qsmError_t qsm_streams_serve(struct qsm_device *device);
// Lets time pass until `ended`, at most to cycle `limit`; *in_time says which.
qsmError_t qsm_streams_wait(struct qsm_device *device, bool (*ended)(void *what), void *what,
                            uint64_t limit, bool *in_time);
// What the next wait for it returns.
__attribute__((format(printf, 3, 4))) void qsm_stream_note_end(struct qsm_stream *stream,
                                                               qsmError_t error, const char *format,
                                                               ...);
// Address of the semaphore that its release writes.
uint32_t qsm_stream_semaphore(const struct qsm_stream *stream, const struct qsm_command *command);
// Its semaphore as if the command had ended, for streams that wait for it.
void qsm_stream_release(struct qsm_stream *stream, const struct qsm_command *command);
// What is in the stream is dropped, its launches killed for this cause, and its channel emptied; if
// that takes longer than usual, their callbacks come later.
qsmError_t qsm_stream_empty(struct qsm_stream *stream, uint32_t cause);

// ---- Into the ring (qsm_submit.c) ----

// What is put into a stream: up to two commands, beside those that order it among others and the
// release. Takes *command over on success only.
qsmError_t qsm_submit(struct qsm_stream *stream, const uint32_t (*words)[QSM_COMMAND_WORDS],
                      uint32_t n, struct qsm_command *command);
qsmError_t qsm_submit_launch(struct qsm_stream *stream, const char *kernel,
                             const struct qsm_pending *launch, uint32_t stack_bytes);
// Waits for something inside of a call that has no limit of its own.
qsmError_t qsm_submit_wait(struct qsm_stream *stream, bool (*ended)(void *what), void *what,
                           const char *reason);

// ---- Events (qsm_event.c) ----

void qsm_events_free(struct qsm_context *context);
// Its last record is this command, which is not at its end.
void qsm_event_recorded(struct qsm_stream_event *event, struct qsm_stream *stream, uint32_t number);
// The GPU did not take it.
void qsm_event_withdrawn(struct qsm_stream_event *event);
// A record of it has ended.
void qsm_event_ended(struct qsm_stream_event *event, uint32_t number, bool failed, uint64_t cycle);

// ---- Copies (qsm_copy.c) ----

// The copy has ended, or is dropped: what came over the link goes where the program wants it.
void qsm_staging_ended(struct qsm_context *context, struct qsm_staging *staging, bool dropped);
void qsm_staging_free(struct qsm_staging *staging);  // on the host; NULL is fine
void qsm_pinned_free(struct qsm_context *context);   // on the host

#endif
