// SPDX-License-Identifier: Apache-2.0
// A context's memory as the host sees it: behind the L2. Allocations and copies.
#include "qsm_heap.h"
#include "qsm_internal.h"
#include "qsm_regs.h"

static uint32_t running_slots(const struct qsm_device *device) {
  uint32_t running = 0;
  for (uint32_t slot = 0; slot < device->config.num_kernels; slot++)
    if (device->context[slot] && device->context[slot]->running) running |= 1u << slot;
  return running;
}

static qsmError_t flush(qsmDevice_t device) {
  uint32_t running = running_slots(device), flushing = 1;
  qsmError_t error = qsmRegisterWrite(device, QSM_REG_L2_FLUSH, 1);
  while (!error && flushing) {
    error = qsm_device_step(device);
    if (!error) error = qsmRegisterRead(device, QSM_REG_L2_FLUSH, &flushing);
  }
  if (!error) device->cached &= running;  // these may have brought lines in again
  return error;
}

static bool is_cached(const struct qsm_device *device, uint32_t slot) { return (device->cached >> slot) & 1; }

qsmError_t qsm_memory_settle(const struct qsm_context *context) {
  return is_cached(context->device, context->slot) ? flush(context->device) : qsmSuccess;
}

// A running kernel may have read the line again before the host wrote it: once more, and its next read comes from memory.
qsmError_t qsm_memory_write(const struct qsm_context *context, uint32_t dst, const void *src, size_t bytes) {
  struct qsm_backend *backend = context->device->backend;
  qsmError_t error = qsm_memory_settle(context);
  if (error) return error;
  backend->mem_write(backend, dst, src, bytes);
  return qsm_memory_settle(context);
}

qsmError_t qsm_memory_read(const struct qsm_context *context, void *dst, uint32_t src, size_t bytes) {
  struct qsm_backend *backend = context->device->backend;
  qsmError_t error = qsm_memory_settle(context);
  if (!error) backend->mem_read(backend, src, dst, bytes);
  return error;
}

qsmError_t qsmMemGetInfo(qsmContext_t context, uint64_t *free_bytes, uint64_t *total_bytes) {
  if (free_bytes) *free_bytes = qsm_heap_room(context->heap);
  if (total_bytes) *total_bytes = qsm_heap_size(context->heap);
  return qsmSuccess;
}

qsmError_t qsmMalloc(qsmContext_t context, size_t bytes, uint32_t *address) {
  uint32_t allocated = qsm_heap_alloc(context->heap, bytes);
  if (!allocated) return qsm_fail(context->device, qsmErrorMemoryAllocation, "slot %u: no room for %zu bytes", context->slot, bytes);
  *address = allocated;
  return qsmSuccess;
}

qsmError_t qsmFree(qsmContext_t context, uint32_t address) {
  if (qsm_heap_free(context->heap, address))
    return qsm_fail(context->device, qsmErrorInvalidValue, "slot %u: 0x%08X was not allocated", context->slot, address);
  return qsmSuccess;
}

static qsmError_t check_range(qsmContext_t context, uint32_t address, size_t bytes) {
  if (address < context->base || (uint64_t)address + bytes > context->limit)
    return qsm_fail(context->device, qsmErrorInvalidValue, "slot %u: 0x%08X + %zu is outside the context's memory", context->slot, address, bytes);
  return qsmSuccess;
}

qsmError_t qsmMemcpyHtoD(qsmContext_t context, uint32_t dst, const void *src, size_t bytes) {
  qsmError_t error = check_range(context, dst, bytes);
  return error ? error : qsm_memory_write(context, dst, src, bytes);
}

qsmError_t qsmMemcpyDtoH(qsmContext_t context, void *dst, uint32_t src, size_t bytes) {
  qsmError_t error = check_range(context, src, bytes);
  return error ? error : qsm_memory_read(context, dst, src, bytes);
}
