// SPDX-License-Identifier: Apache-2.0
// Tenants on command channels: their memory, and the contexts by which the front end knows them
// (docs/front.md). A register of a slot that a setting would write is a word of these.
#include <stdio.h>
#include <stdlib.h>

#include "qsm_heap.h"
#include "qsm_regs.h"
#include "qsm_streams.h"

enum { HOST_PART = 4, NO_WORD = QSM_CONTEXT_WORDS, HOST_RIGHTS = 3 };
enum {
  WORD_RIGHTS = 12,
  WORD_HOST_BASE = 23,
  WORD_HOST_LIMIT,
  WORD_HOST_RIGHTS,
  MAY_SET_MASKS = 4,  // by launches (R-ST-23)
  MAY_SET_CACHE_POLICY = 8,
};

static const uint32_t registers[] = {
    QSM_SLOT_CTX,         QSM_SLOT_GOAL,       QSM_SLOT_FIRST_QUOTA,  QSM_SLOT_SM_MASK_LO,
    QSM_SLOT_SM_MASK_HI,  QSM_SLOT_SM_MASK_2,  QSM_SLOT_WIN0_BASE,    QSM_SLOT_WIN0_LIMIT,
    QSM_SLOT_WIN0_RIGHTS, QSM_SLOT_WIN1_BASE,  QSM_SLOT_WIN1_LIMIT,   QSM_SLOT_WIN1_RIGHTS,
    UINT32_MAX,           QSM_SLOT_BUDGET,     QSM_SLOT_ISO_IPC,      QSM_SLOT_SAVE_BASE,
    QSM_SLOT_SAVE_LIMIT,  QSM_SLOT_IDEMPOTENT, QSM_SLOT_CACHE_POLICY, QSM_SLOT_STACK,
    QSM_SLOT_SM_COUNT,    QSM_SLOT_WARP_CAP,   QSM_SLOT_MEM_SPLIT};

enum { N_REGISTERS = sizeof registers / sizeof registers[0] };

static uint32_t word_of(uint32_t offset) {
  for (uint32_t word = 0; word < N_REGISTERS; word++)
    if (registers[word] == offset) return word;
  return NO_WORD;
}

// ---- A stream's context ----

static uint32_t context_of(const struct qsm_stream *stream) {
  return stream->context->device->channels->contexts + QSM_CONTEXT_BYTES * stream->channel;
}

// It is in no tenant's memory, so in no L2, and undivided.
static void write_words(struct qsm_stream *stream, uint32_t first, const uint32_t *words,
                        uint32_t n) {
  struct qsm_backend *backend = stream->context->device->backend;
  backend->mem_write(backend, context_of(stream) + 4 * first, words, 4 * (size_t)n);
}

static uint32_t value_of(const struct qsm_stream *stream, uint32_t word) {
  if (registers[word] == QSM_SLOT_STACK) return stream->stack;
  if (registers[word] == QSM_SLOT_SAVE_BASE) return stream->save_area.base;
  if (registers[word] == QSM_SLOT_SAVE_LIMIT) return stream->save_area.limit;
  return registers[word] == UINT32_MAX ? 0 : stream->context->shadow[registers[word] / 4];
}

void qsm_stream_write_context(struct qsm_stream *stream) {
  const struct qsm_context_streams *streams = stream->context->streams;
  uint32_t words[QSM_CONTEXT_WORDS] = {
      [WORD_RIGHTS] = MAY_SET_CACHE_POLICY | (streams->launch_masks ? MAY_SET_MASKS : 0),
      [WORD_HOST_BASE] = streams->host_base,
      [WORD_HOST_LIMIT] = streams->host_limit,
      [WORD_HOST_RIGHTS] = HOST_RIGHTS};
  for (uint32_t word = 0; word < N_REGISTERS; word++)
    if (word != WORD_RIGHTS) words[word] = value_of(stream, word);
  stream->stale = 0;
  write_words(stream, 0, words, QSM_CONTEXT_WORDS);
}

static bool is_open(const struct qsm_stream *stream) {
  return stream->has_channel &&
         stream->context->device->channels->channel[stream->channel].phase == QSM_CHANNEL_OPEN;
}

// A launch of the stream that is on its way into a slot may have read the word before.
static qsmError_t write_through(struct qsm_stream *stream, uint32_t word) {
  bool settled = false;
  qsmError_t error = qsm_channel_write_slot(stream->context->device, stream->channel,
                                            registers[word], value_of(stream, word), &settled);
  if (error) return error;
  stream->stale &= ~(1u << word);
  if (stream->commands && !settled) stream->stale |= 1u << word;
  return qsmSuccess;
}

qsmError_t qsm_stream_set_word(struct qsm_stream *stream, uint32_t offset) {
  uint32_t word = word_of(offset), value = value_of(stream, word);
  if (!is_open(stream)) return qsmSuccess;  // it is written when the channel is opened
  write_words(stream, word, &value, 1);
  qsmError_t error = qsm_channel_reread(stream);
  return error ? error : write_through(stream, word);
}

qsmError_t qsm_stream_refresh(struct qsm_stream *stream) {
  qsmError_t error = qsmSuccess;
  for (uint32_t word = 0; !error && word < N_REGISTERS; word++)
    if (stream->stale >> word & 1) error = write_through(stream, word);
  return error;
}

// ---- A tenant's settings ----

qsmError_t qsm_streams_set(struct qsm_context *context, uint32_t offset, uint32_t value) {
  uint32_t before = context->shadow[offset / 4];
  struct qsm_stream *stream;
  qsmError_t error = qsmSuccess;
  context->shadow[offset / 4] = value;
  if (word_of(offset) == NO_WORD) return qsmSuccess;
  for (stream = context->streams->list; !error && stream; stream = stream->next)
    error = qsm_stream_set_word(stream, offset);
  if (error) context->shadow[offset / 4] = before;
  return error;
}

// ---- Memory ----

qsmError_t qsm_streams_create(struct qsm_context *context) {
  const struct qsm_arena *arena = &context->device->arena[context->slot];
  struct qsm_context_streams *made = calloc(1, sizeof *made);
  if (!made) return qsm_fail(context->device, qsmErrorMemoryAllocation, "out of memory");
  made->host_limit = arena->limit;
  made->host_base = arena->limit - arena->host_bytes;
  made->host = qsm_heap_create(made->host_base, made->host_limit);
  if (!made->host) {
    free(made);
    return qsm_fail(context->device, qsmErrorMemoryAllocation, "out of memory");
  }
  context->streams = made;
  context->argument_blocks.to = QSM_ARGUMENT_AREA_BYTES / QSM_PARTS;
  const qsmSmMask all = qsm_all_sms(&context->device->config);
  context->shadow[QSM_SLOT_SM_MASK_LO / 4] = (uint32_t)all;
  context->shadow[QSM_SLOT_SM_MASK_HI / 4] = (uint32_t)(all >> 32);
  context->shadow[QSM_SLOT_SM_MASK_2 / 4] = (uint32_t)(all >> 64);
  context->shadow[QSM_SLOT_BUDGET / 4] = 1;
  return qsmSuccess;
}

static qsmError_t find_tenant(struct qsm_device *device, uint32_t *tenant) {
  const struct qsm_config *config = &device->config;
  for (*tenant = QSM_MOST_SLOTS; *tenant < QSM_MOST_SLOTS + config->cmd_channels; ++*tenant)
    if (!device->context[*tenant] && !((device->dead | device->used) >> *tenant & 1))
      return qsmSuccess;
  return qsm_fail(device, qsmErrorNoChannel,
                  "configuration %s has %u command channels, as many contexts are there already",
                  config->name, config->cmd_channels);
}

static qsmError_t take_memory(struct qsm_device *device, size_t bytes, struct qsm_arena *arena) {
  struct qsm_heap *pool = device->channels->pool;
  const size_t least = QSM_ARGUMENT_AREA_BYTES + QSM_PROGRAM_AREA_BYTES + 8 * QSM_PAGE_BYTES;
  if (bytes % QSM_PAGE_BYTES || bytes < least)
    return qsm_fail(device, qsmErrorInvalidValue,
                    "%zu bytes for a context: must be whole pages of %d, and at least %zu", bytes,
                    QSM_PAGE_BYTES, least);
  arena->base = bytes < UINT32_MAX ? qsm_heap_alloc(pool, bytes) : 0;
  if (!arena->base)
    return qsm_fail(device, qsmErrorMemoryAllocation,
                    "no room for %zu bytes: the pool of the command channels has %llu, in pieces",
                    bytes, (unsigned long long)qsm_heap_room(pool));
  uint32_t free_bytes = (uint32_t)bytes - (QSM_ARGUMENT_AREA_BYTES + QSM_PROGRAM_AREA_BYTES);
  arena->limit = arena->base + (uint32_t)bytes;
  arena->host_bytes = free_bytes / HOST_PART / QSM_PAGE_BYTES * QSM_PAGE_BYTES;
  return qsmSuccess;
}

qsmError_t qsmContextCreateOnChannels(qsmDevice_t handle, size_t bytes, qsmContext_t *context) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  struct qsm_context *created = NULL;
  struct qsm_arena arena = {0};
  uint32_t tenant = 0;
  qsmError_t error = qsm_check_pointer(device, context, "the context");
  if (!error) error = qsm_check_outside(device);
  if (!error) error = qsm_channels_check(device);
  if (!error) error = qsm_memory_clear_free(device);
  if (!error) error = find_tenant(device, &tenant);
  if (!error) error = take_memory(device, bytes, &arena);
  if (error) return error;
  error = qsm_context_create_in(device, tenant, &arena, &created);
  if (error)
    qsm_heap_free(device->channels->pool, arena.base);
  else
    *context = created->handle;
  return error;
}

// ---- Settings of the owner of the device ----

qsmError_t qsm_check_on_channels(const struct qsm_context *context) {
  if (qsm_on_channels(context)) return qsmSuccess;
  return qsm_fail(context->device, qsmErrorStream,
                  "%s: for contexts on command channels (qsmContextCreateOnChannels)",
                  context->name);
}

static qsmError_t context_on_channels(qsmContext_t handle, struct qsm_context **context) {
  *context = qsm_context_of(handle);
  return *context ? qsm_check_on_channels(*context) : qsmErrorInvalidHandle;
}

qsmError_t qsmContextSetMaxPriority(qsmContext_t handle, uint32_t priority) {
  struct qsm_context *context = NULL;
  qsmError_t error = context_on_channels(handle, &context);
  if (error) return error;
  if (priority >= QSM_STREAM_PRIORITIES)
    return qsm_fail(context->device, qsmErrorInvalidValue, "%s: priority %u, must be 0..%d",
                    context->name, priority, QSM_STREAM_PRIORITIES - 1);
  context->streams->max_priority = priority;
  return qsmSuccess;
}

// R-ST-23. What the contexts of channels say; so before there are any.
qsmError_t qsmContextAllowLaunchMasks(qsmContext_t handle, bool allow) {
  struct qsm_context *context = NULL;
  qsmError_t error = context_on_channels(handle, &context);
  if (error) return error;
  if (context->streams->list)
    return qsm_fail(context->device, qsmErrorBusy,
                    "%s: masks of launches are allowed before its first stream is created",
                    context->name);
  context->streams->launch_masks = allow;
  return qsmSuccess;
}

qsmError_t qsmContextGetStreamPriorityRange(qsmContext_t handle, uint32_t *least,
                                            uint32_t *greatest) {
  struct qsm_context *context = NULL;
  qsmError_t error = context_on_channels(handle, &context);
  if (error) return error;
  if (least) *least = 0;
  if (greatest) *greatest = context->streams->max_priority;
  return qsmSuccess;
}

qsmError_t qsmContextSetLaunchLimit(qsmContext_t handle, uint32_t cycles) {
  struct qsm_context *context = NULL;
  struct qsm_stream *stream;
  qsmError_t error = context_on_channels(handle, &context);
  if (error) return error;
  for (stream = context->streams->list; !error && stream; stream = stream->next)
    if (stream->has_channel)
      error = qsm_channel_set_limit(context->device, stream->channel, cycles);
  if (!error) context->streams->launch_limit = cycles;
  return error;
}
