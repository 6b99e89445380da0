// SPDX-License-Identifier: Apache-2.0
// A context's memory as the host sees it: behind the L2. Allocations and copies.
#include "qsm_heap.h"
#include "qsm_internal.h"
#include "qsm_partition.h"
#include "qsm_regs.h"
#include "qsm_streams.h"

static bool is_running(const struct qsm_context *context) {
  return context && (context->running || (qsm_on_channels(context) && qsm_streams_busy(context)));
}

static qsm_tenants running_tenants(const struct qsm_device *device) {
  qsm_tenants running = 0;
  for (uint32_t tenant = 0; tenant < QSM_MOST_TENANTS; tenant++)
    if (is_running(device->context[tenant])) running |= QSM_TENANT(tenant);
  return running;
}

static qsmError_t write_flush(struct qsm_device *device, uint32_t value) {
  uint32_t flushing = 1;
  if (device->watching) return qsm_fail(device, qsmErrorBusy, "not in a callback");
  qsmError_t error = qsm_register_write(device, QSM_REG_L2_FLUSH, value);
  while (!error && flushing) {
    error = qsm_device_step(device);
    if (!error) error = qsm_register_read(device, QSM_REG_L2_FLUSH, &flushing);
  }
  return error;
}

static qsmError_t flush(struct qsm_device *device) {
  qsm_tenants running = running_tenants(device);
  qsmError_t error = write_flush(device, QSM_L2_FLUSH_ALL);
  if (!error) device->cached &= running;  // these may have brought lines in again
  return error;
}

static bool is_cached(const struct qsm_device *device, uint32_t slot) {
  return (device->cached >> slot) & 1;
}

void qsm_memory_launched(const struct qsm_context *context) {
  struct qsm_device *device = context->device;
  if (device->config.l2_kib) device->cached |= QSM_TENANT(context->slot);
  device->flushed_sets[context->slot] = 0;
}

qsmError_t qsm_memory_settle(const struct qsm_context *context) {
  return is_cached(context->device, context->slot) ? flush(context->device) : qsmSuccess;
}

// ---- Where the slot's addresses lie in memory; nothing else in the library knows ----

static size_t piece(const struct qsm_device *device, uint32_t slot, uint32_t at, size_t bytes,
                    uint32_t *place) {
  return qsm_partition_piece(&device->config, device->arena[slot].split, at, bytes, place);
}

void qsm_memory_put(const struct qsm_context *context, uint32_t dst, const void *src,
                    size_t bytes) {
  struct qsm_backend *backend = context->device->backend;
  const uint8_t *from = src;
  uint32_t place = 0;
  for (size_t done = 0, n; done < bytes; done += n) {
    n = piece(context->device, context->slot, dst + (uint32_t)done, bytes - done, &place);
    backend->mem_write(backend, place, from + done, n);
  }
  QSM_OBSERVE(context->device, written, dst, bytes);
}

void qsm_memory_get(const struct qsm_context *context, void *dst, uint32_t src, size_t bytes) {
  struct qsm_backend *backend = context->device->backend;
  uint8_t *to = dst;
  uint32_t place = 0;
  for (size_t done = 0, n; done < bytes; done += n) {
    n = piece(context->device, context->slot, src + (uint32_t)done, bytes - done, &place);
    backend->mem_read(backend, place, to + done, n);
  }
}

qsmError_t qsm_memory_clear(struct qsm_device *device, uint32_t slot) {
  const struct qsm_arena *arena = &device->arena[slot];
  qsmError_t error = is_cached(device, slot) ? flush(device) : qsmSuccess;
  uint32_t place = 0;
  if (error) return error;
  for (uint32_t at = arena->base, n; at < arena->limit; at += n) {
    n = (uint32_t)piece(device, slot, at, arena->limit - at, &place);
    device->backend->mem_clear(device->backend, place, n);
  }
  device->used &= ~QSM_TENANT(slot);
  qsm_channels_give_back(device, slot);
  return qsmSuccess;
}

qsmError_t qsm_memory_clear_free(struct qsm_device *device) {
  qsmError_t error = qsmSuccess;
  for (uint32_t tenant = 0; !error && tenant < QSM_MOST_TENANTS; tenant++)
    if ((device->used >> tenant & 1) && !device->context[tenant] && !(device->dead >> tenant & 1))
      error = qsm_memory_clear(device, tenant);
  return error;
}

// ---- Copies ----

// Of a board (docs/link.md R-HL-18): the copy itself cannot say that its line is gone.
static qsmError_t check_transfer(struct qsm_device *device) {
  return device->backend->error(device->backend)[0] ? qsm_backend_failed(device) : qsmSuccess;
}

// R-L2-10: number of the line within its slice. It grows with the slot's addresses (docs/xbar.md,
// R-XB-6).
static uint32_t line_number(const struct qsm_context *context, uint32_t at) {
  const struct qsm_config *config = &context->device->config;
  uint32_t place = 0;
  piece(context->device, context->slot, at, 1, &place);
  return place / qsm_config_line_bytes(config) / config->num_channels;
}

// What flushes the sets of a copy, and how many these are. All units: there the last one may be the
// first one again, and a part of it would not be all.
static uint32_t part_of_copy(const struct qsm_context *context, uint32_t at, size_t bytes,
                             uint32_t *n_sets) {
  const struct qsm_config *config = &context->device->config;
  uint32_t n_units = qsm_config_l2_units(config), unit_sets = qsm_config_l2_sets(config) / n_units,
           first = line_number(context, at) / unit_sets,
           last = line_number(context, at + (uint32_t)(bytes - 1)) / unit_sets;
  bool all = last - first >= n_units - 1;
  *n_sets = all ? qsm_config_l2_sets(config) : (last - first + 1) * unit_sets;
  return all ? QSM_L2_FLUSH_ALL : qsm_config_l2_part(first, last);
}

// Before a copy. One whole flush for all that come costs no more than the parts have, unless the
// context runs: then it could not save any.
static qsmError_t settle_copy(const struct qsm_context *context, uint32_t at, size_t bytes) {
  struct qsm_device *device = context->device;
  if (!is_cached(device, context->slot)) return qsmSuccess;
  uint32_t n_sets = 0, value = part_of_copy(context, at, bytes, &n_sets),
           *flushed = &device->flushed_sets[context->slot];
  if (!is_running(context)) *flushed += n_sets;
  return value == QSM_L2_FLUSH_ALL || *flushed >= qsm_config_l2_sets(&device->config)
             ? flush(device)
             : write_flush(device, value);
}

// A running kernel may have read the line again before the host wrote it: once more, and its next
// read comes from memory. It may have ended meanwhile.
qsmError_t qsm_memory_write(const struct qsm_context *context, uint32_t dst, const void *src,
                            size_t bytes) {
  bool runs = is_running(context);
  qsmError_t error = settle_copy(context, dst, bytes);
  if (error) return error;
  qsm_memory_put(context, dst, src, bytes);
  if (runs) error = settle_copy(context, dst, bytes);
  return error ? error : check_transfer(context->device);
}

qsmError_t qsm_memory_read(const struct qsm_context *context, void *dst, uint32_t src,
                           size_t bytes) {
  qsmError_t error = settle_copy(context, src, bytes);
  if (error) return error;
  qsm_memory_get(context, dst, src, bytes);
  return check_transfer(context->device);
}

qsmError_t qsmMemGetInfo(qsmContext_t handle, uint64_t *free_bytes, uint64_t *total_bytes) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  if (free_bytes) *free_bytes = qsm_heap_room(context->heap);
  if (total_bytes) *total_bytes = qsm_heap_size(context->heap);
  return qsmSuccess;
}

qsmError_t qsmMalloc(qsmContext_t handle, size_t bytes, uint32_t *address) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  if (!address) return qsm_check_pointer(context->device, address, "the address");
  uint32_t allocated = qsm_heap_alloc(context->heap, bytes);
  if (!allocated)
    return qsm_fail(context->device, qsmErrorMemoryAllocation, "%s: no room for %zu bytes",
                    context->name, bytes);
  *address = allocated;
  QSM_OBSERVE(context->device, allocated, allocated, bytes);
  return qsmSuccess;
}

qsmError_t qsmFree(qsmContext_t handle, uint32_t address) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  uint32_t base = 0;
  uint64_t bytes = 0;
  if (qsm_heap_find(context->heap, address, &base, &bytes) || qsm_heap_free(context->heap, address))
    return qsm_fail(context->device, qsmErrorInvalidValue, "%s: 0x%08X was not allocated",
                    context->name, address);
  QSM_OBSERVE(context->device, freed, address);
  return qsmSuccess;
}

qsmError_t qsm_check_range(struct qsm_context *context, uint32_t address, size_t bytes) {
  struct qsm_device *device = context->device;
  uint32_t base = 0;
  uint64_t allocated = 0;
  if (qsm_heap_find(context->heap, address, &base, &allocated))
    return qsm_fail(device, qsmErrorInvalidValue, "%s: 0x%08X is in no allocation of the context",
                    context->name, address);
  if (address - base > allocated || bytes > allocated - (address - base))
    return qsm_fail(device, qsmErrorInvalidValue,
                    "%s: 0x%08X + %zu is outside the allocation of %llu bytes at 0x%08X",
                    context->name, address, bytes, (unsigned long long)allocated, base);
  return qsmSuccess;
}

static qsmError_t check_copy(struct qsm_context *context, uint32_t address, size_t bytes,
                             const void *on_host) {
  qsmError_t error = qsm_check_range(context, address, bytes);
  return error ? error : qsm_check_pointer(context->device, on_host, "the host's memory");
}

qsmError_t qsmMemcpyHtoD(qsmContext_t handle, uint32_t dst, const void *src, size_t bytes) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  if (bytes == 0) return qsmSuccess;
  if (qsm_on_channels(context))
    return qsmMemcpy(handle, qsmDevicePointer(dst), src, bytes, qsmMemcpyHostToDevice);
  qsmError_t error = check_copy(context, dst, bytes, src);
  return error ? error : qsm_memory_write(context, dst, src, bytes);
}

qsmError_t qsmMemcpyDtoH(qsmContext_t handle, void *dst, uint32_t src, size_t bytes) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  if (bytes == 0) return qsmSuccess;
  if (qsm_on_channels(context))
    return qsmMemcpy(handle, dst, qsmDevicePointer(src), bytes, qsmMemcpyDeviceToHost);
  qsmError_t error = check_copy(context, src, bytes, dst);
  return error ? error : qsm_memory_read(context, dst, src, bytes);
}
