// SPDX-License-Identifier: Apache-2.0
// Copies and fills in streams (docs/streams.md). What comes from or goes to the host passes the
// context's host window: memory that only the DMA engine and the host reach, so it is in no cache.
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "qsm_heap.h"
#include "qsm_regs.h"
#include "qsm_streams.h"

enum { STAGING_PARTS = 4, LEAST_PIECE = 256, BYTE_MAX = 255, BYTES_OF_PATTERN = 0x01010101 };

// Memory of the program that has a place in the host window.
struct qsm_pinned {
  uint8_t *memory;
  size_t bytes;
  uint32_t window;
  uint32_t n_copies;  // under way
  struct qsm_pinned *prev, *next;
};

// The part of the host window that a copy uses.
struct qsm_staging {
  uint32_t window;
  uint32_t bytes;
  uint8_t *to;                // of a copy to the host
  struct qsm_pinned *pinned;  // whose part it is; NULL: the copy's own
};

// ---- Host memory ----

static void free_pinned(struct qsm_context *context, struct qsm_pinned *pinned) {
  DL_DELETE(context->streams->pinned, pinned);
  free(pinned->memory);
  free(pinned);
}

void qsm_pinned_free(struct qsm_context *context) {
  struct qsm_pinned *pinned, *next;
  DL_FOREACH_SAFE(context->streams->pinned, pinned, next) free_pinned(context, pinned);
}

static struct qsm_pinned *find_pinned(const struct qsm_context *context, const void *pointer) {
  struct qsm_pinned *pinned;
  uintptr_t at = (uintptr_t)pointer;
  DL_FOREACH(context->streams->pinned, pinned)
  if (at >= (uintptr_t)pinned->memory && at - (uintptr_t)pinned->memory < pinned->bytes) break;
  return pinned;
}

static qsmError_t add_pinned(struct qsm_context *context, size_t bytes, void **pointer) {
  struct qsm_pinned *made = calloc(1, sizeof *made);
  uint8_t *memory = calloc(1, bytes ? bytes : 1);
  uint32_t window = qsm_heap_alloc(context->streams->host, bytes);
  if (!made || !memory || !window) {
    if (window) qsm_heap_free(context->streams->host, window);
    free(memory);
    free(made);
    return qsm_fail(context->device, qsmErrorMemoryAllocation,
                    "%s: no room for %zu bytes in the host window of %llu, of which %llu are free",
                    context->name, bytes, (unsigned long long)qsm_heap_size(context->streams->host),
                    (unsigned long long)qsm_heap_room(context->streams->host));
  }
  *made = (struct qsm_pinned){.memory = memory, .bytes = bytes, .window = window};
  DL_APPEND(context->streams->pinned, made);
  *pointer = memory;
  return qsmSuccess;
}

qsmError_t qsmMallocHost(qsmContext_t handle, size_t bytes, void **pointer) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  qsmError_t error = qsm_check_pointer(context->device, pointer, "the pointer");
  if (!error) error = qsm_check_on_channels(context);
  return error ? error : add_pinned(context, bytes, pointer);
}

qsmError_t qsmFreeHost(qsmContext_t handle, void *pointer) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  qsmError_t error = qsm_check_on_channels(context);
  if (error || !pointer) return error;
  struct qsm_pinned *pinned = find_pinned(context, pointer);
  if (!pinned || pinned->memory != pointer)
    return qsm_fail(context->device, qsmErrorInvalidValue,
                    "%s: the pointer is none of qsmMallocHost", context->name);
  if (pinned->n_copies)
    return qsm_fail(context->device, qsmErrorBusy, "%s: %u copies use the memory", context->name,
                    pinned->n_copies);
  qsm_heap_free(context->streams->host, pinned->window);
  free_pinned(context, pinned);
  return qsmSuccess;
}

// ---- What a copy uses of the host window ----

void qsm_staging_free(struct qsm_staging *staging) { free(staging); }

// Gives its part back.
static void release(struct qsm_context *context, struct qsm_staging *staging) {
  if (staging->pinned)
    staging->pinned->n_copies--;
  else
    qsm_heap_free(context->streams->host, staging->window);
  free(staging);
}

void qsm_staging_ended(struct qsm_context *context, struct qsm_staging *staging, bool dropped) {
  if (staging->to && !dropped)
    qsm_memory_get(context, staging->to, staging->window, staging->bytes);
  release(context, staging);
}

struct wanted {
  struct qsm_stream *stream;
  uint32_t bytes, window;
};

// Rather less than nothing.
static bool has_window(void *what) {
  struct wanted *wanted = what;
  struct qsm_heap *host = wanted->stream->context->streams->host;
  for (uint32_t bytes = wanted->bytes; !wanted->window && bytes; bytes /= 2) {
    wanted->window = qsm_heap_alloc(host, bytes);
    if (wanted->window) wanted->bytes = bytes;
    if (bytes <= LEAST_PIECE) break;
  }
  return wanted->window;
}

static bool any_staged(const struct qsm_context *context) {
  const struct qsm_stream *stream;
  const struct qsm_command *command;
  DL_FOREACH(context->streams->list, stream) {
    DL_FOREACH(stream->commands, command)
    if (command->staging && !command->staging->pinned) return true;
    DL_FOREACH(stream->dropped, command)
    if (command->staging && !command->staging->pinned) return true;
  }
  return false;
}

// For a piece of a copy, smaller than asked for where the window has no more room.
static qsmError_t take_window(struct qsm_stream *stream, size_t bytes, struct wanted *wanted) {
  struct qsm_context *context = stream->context;
  uint32_t most = (uint32_t)qsm_heap_size(context->streams->host) / STAGING_PARTS;
  *wanted = (struct wanted){.stream = stream, .bytes = bytes < most ? (uint32_t)bytes : most};
  if (has_window(wanted)) return qsmSuccess;
  if (!any_staged(context))
    return qsm_fail(context->device, qsmErrorMemoryAllocation,
                    "%s: memory of qsmMallocHost leaves the host window no room for copies",
                    context->name);
  return qsm_submit_wait(stream, has_window, wanted, "copies under way fill the host window");
}

// ---- Commands ----

static qsmError_t submit(struct qsm_stream *stream, const uint32_t words[QSM_COMMAND_WORDS],
                         struct qsm_staging *staging) {
  uint32_t commands[1][QSM_COMMAND_WORDS];
  struct qsm_command *command = calloc(1, sizeof *command);
  if (!command) return qsm_fail(stream->context->device, qsmErrorMemoryAllocation, "out of memory");
  memcpy(commands[0], words, sizeof commands[0]);
  command->staging = staging;
  qsmError_t error = qsm_submit(stream, (const uint32_t(*)[QSM_COMMAND_WORDS])commands, 1, command);
  if (error) free(command);
  return error;
}

static qsmError_t copy_on_device(struct qsm_stream *stream, uint32_t dst, uint32_t src,
                                 uint32_t bytes) {
  const uint32_t words[QSM_COMMAND_WORDS] = {QSM_CMD_COPY, src, dst, bytes};
  return submit(stream, words, NULL);
}

// A piece of a copy between the host and `device`; *bytes: how much of it that is.
struct transfer {
  struct qsm_stream *stream;
  uint32_t device;
  uint8_t *host;
  bool to_host;
};

static qsmError_t stage(const struct transfer *transfer, size_t *bytes,
                        struct qsm_staging **staging) {
  struct qsm_context *context = transfer->stream->context;
  struct qsm_pinned *pinned = find_pinned(context, transfer->host);
  struct qsm_staging *made = calloc(1, sizeof *made);
  struct wanted wanted = {0};
  qsmError_t error = qsmSuccess;
  if (!made) return qsm_fail(context->device, qsmErrorMemoryAllocation, "out of memory");
  if (pinned) {
    wanted.window = pinned->window + (uint32_t)(transfer->host - pinned->memory);
    pinned->n_copies++;
  } else {
    error = take_window(transfer->stream, *bytes, &wanted);
    if (wanted.bytes < *bytes) *bytes = wanted.bytes;
  }
  if (error) {
    free(made);
    return error;
  }
  *made = (struct qsm_staging){.window = wanted.window,
                               .bytes = (uint32_t)*bytes,
                               .to = transfer->to_host ? transfer->host : NULL,
                               .pinned = pinned};
  *staging = made;
  return qsmSuccess;
}

static qsmError_t copy_piece(const struct transfer *transfer, size_t *bytes) {
  struct qsm_context *context = transfer->stream->context;
  struct qsm_staging *staging = NULL;
  qsmError_t error = stage(transfer, bytes, &staging);
  if (error) return error;
  if (!transfer->to_host) qsm_memory_put(context, staging->window, transfer->host, *bytes);
  const uint32_t from = transfer->to_host ? transfer->device : staging->window,
                 to = transfer->to_host ? staging->window : transfer->device;
  const uint32_t words[QSM_COMMAND_WORDS] = {QSM_CMD_COPY, from, to, (uint32_t)*bytes};
  error = submit(transfer->stream, words, staging);
  if (error) release(context, staging);
  return error;
}

static qsmError_t copy_over_link(struct transfer transfer, size_t bytes) {
  qsmError_t error = qsmSuccess;
  for (size_t piece; !error && bytes; bytes -= piece) {
    piece = bytes;
    error = copy_piece(&transfer, &piece);
    transfer.device += (uint32_t)piece;
    transfer.host += piece;
  }
  return error;
}

// ---- Calls ----

static qsmError_t check_device_side(struct qsm_context *context, const void *pointer,
                                    size_t bytes) {
  uintptr_t address = (uintptr_t)pointer;
  if (address <= UINT32_MAX) return qsm_check_range(context, (uint32_t)address, bytes);
  return qsm_fail(context->device, qsmErrorInvalidValue,
                  "%s: %p is no address of the device: the kind does not fit the pointers",
                  context->name, pointer);
}

static qsmError_t check_host_side(struct qsm_context *context, const void *pointer, size_t bytes) {
  uintptr_t address = (uintptr_t)pointer;
  const struct qsm_pinned *pinned = find_pinned(context, pointer);
  if (pinned && bytes > pinned->bytes - (address - (uintptr_t)pinned->memory))
    return qsm_fail(context->device, qsmErrorInvalidValue,
                    "%s: %zu bytes go beyond the %zu of qsmMallocHost", context->name, bytes,
                    pinned->bytes);
  if (!pointer) return qsm_check_pointer(context->device, pointer, "the host's memory");
  if (address > UINT32_MAX || qsm_check_range(context, (uint32_t)address, 1)) return qsmSuccess;
  return qsm_fail(context->device, qsmErrorInvalidValue,
                  "%s: 0x%08X is memory of the device: the kind does not fit the pointers",
                  context->name, (unsigned)address);
}

static qsmError_t check_sides(struct qsm_context *context, const void *dst, const void *src,
                              size_t bytes, qsmMemcpyKind kind) {
  if (kind != qsmMemcpyHostToDevice && kind != qsmMemcpyDeviceToHost &&
      kind != qsmMemcpyDeviceToDevice)
    return qsm_fail(context->device, qsmErrorInvalidValue,
                    "%s: kind of a copy %d: must be 1..3 (host to device, device to host, device to"
                    " device)",
                    context->name, (int)kind);
  qsmError_t error = kind == qsmMemcpyDeviceToHost ? check_host_side(context, dst, bytes)
                                                   : check_device_side(context, dst, bytes);
  if (error) return error;
  return kind == qsmMemcpyHostToDevice ? check_host_side(context, src, bytes)
                                       : check_device_side(context, src, bytes);
}

static qsmError_t copy(struct qsm_stream *stream, void *dst, const void *src, size_t bytes,
                       qsmMemcpyKind kind) {
  struct transfer transfer = {.stream = stream};
  switch (kind) {
    case qsmMemcpyDeviceToDevice:
      return copy_on_device(stream, (uint32_t)(uintptr_t)dst, (uint32_t)(uintptr_t)src,
                            (uint32_t)bytes);
    case qsmMemcpyHostToDevice:
      transfer.device = (uint32_t)(uintptr_t)dst;
      transfer.host = (uint8_t *)(uintptr_t)src;  // it is only read
      return copy_over_link(transfer, bytes);
    case qsmMemcpyDeviceToHost: break;
  }
  transfer.device = (uint32_t)(uintptr_t)src;
  transfer.host = dst;
  transfer.to_host = true;
  return copy_over_link(transfer, bytes);
}

qsmError_t qsmMemcpyAsync(qsmContext_t handle, void *dst, const void *src, size_t bytes,
                          qsmMemcpyKind kind, qsmStream_t stream_handle) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  struct qsm_stream *stream = NULL;
  qsmError_t error = qsm_check_on_channels(context);
  if (!error) error = qsm_stream_of(context, stream_handle, &stream);
  if (error || bytes == 0) return error;
  error = check_sides(context, dst, src, bytes, kind);
  if (error) return error;
  stream->n_users++;
  error = copy(stream, dst, src, bytes, kind);
  stream->n_users--;
  return error;
}

qsmError_t qsmMemsetAsync(qsmContext_t handle, uint32_t dst, int value, size_t bytes,
                          qsmStream_t stream_handle) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  struct qsm_stream *stream = NULL;
  qsmError_t error = qsm_check_on_channels(context);
  if (!error) error = qsm_stream_of(context, stream_handle, &stream);
  if (error || bytes == 0) return error;
  error = qsm_check_range(context, dst, bytes);
  if (error) return error;
  const uint32_t words[QSM_COMMAND_WORDS] = {QSM_CMD_FILL, dst, (uint32_t)bytes,
                                             (uint32_t)(value & BYTE_MAX) * BYTES_OF_PATTERN};
  stream->n_users++;
  error = submit(stream, words, NULL);
  stream->n_users--;
  return error;
}

// The caller's memory may be gone when copies end that the call has not waited for.
static void forget_host(const struct qsm_stream *stream, const void *dst, size_t bytes) {
  struct qsm_command *command;
  DL_FOREACH(stream->commands, command) {
    struct qsm_staging *staging = command->staging;
    if (staging && (uintptr_t)staging->to - (uintptr_t)dst < bytes) staging->to = NULL;
  }
}

qsmError_t qsmMemcpy(qsmContext_t handle, void *dst, const void *src, size_t bytes,
                     qsmMemcpyKind kind) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  struct qsm_stream *standard = NULL;
  qsmError_t error = qsm_check_on_channels(context);
  if (!error) error = qsm_check_outside(context->device);
  if (!error) error = qsm_stream_of(context, NULL, &standard);
  if (error) return error;
  error = qsmMemcpyAsync(handle, dst, src, bytes, kind, NULL);
  if (!error)
    error = qsmStreamSynchronize(standard->handle, context->device->channels->submit_limit);
  if (error && kind == qsmMemcpyDeviceToHost) forget_host(standard, dst, bytes);
  return error;
}
