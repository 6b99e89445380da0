// SPDX-License-Identifier: Apache-2.0
// Save areas, and what else the preemption of a context depends on.
#include "qsm_heap.h"
#include "qsm_internal.h"
#include "qsm_regs.h"

static void free_save_area(struct qsm_context *context) {
  if (context->area) qsm_heap_free(context->heap, context->area);
  context->area = context->save_base = context->save_limit = 0;
}

static qsmError_t write_save_area(struct qsm_context *context) {
  qsmError_t error = qsm_slot_write(context, QSM_SLOT_SAVE_BASE, context->save_base);
  return error ? error : qsm_slot_write(context, QSM_SLOT_SAVE_LIMIT, context->save_limit);
}

// Whole pages within an allocation, whose alignment is less.
static bool allocate_save_area(struct qsm_context *context, uint32_t bytes) {
  free_save_area(context);
  context->area = qsm_heap_alloc(context->heap, bytes + QSM_PAGE_BYTES);
  if (!context->area) return false;
  context->save_base = (context->area + QSM_PAGE_BYTES - 1) / QSM_PAGE_BYTES * QSM_PAGE_BYTES;
  context->save_limit = context->save_base + bytes;
  return true;
}

// Before a launch with blocks of this shape is queued.
qsmError_t qsm_grow_save_area(struct qsm_context *context, const char *kernel, qsmDim3 block, uint32_t shared_bytes) {
  const struct qsm_config *config = &context->device->config;
  uint32_t warps = (block.x * block.y * block.z + config->warp_size - 1) / config->warp_size;
  uint64_t needed = (uint64_t)context->n_images * qsm_config_image_bytes(config, warps, shared_bytes);
  uint32_t given = context->save_limit - context->save_base;
  if (needed <= given) return qsmSuccess;
  if (!context->queue && needed < context->limit - context->base) {
    uint32_t pages = (uint32_t)(needed + QSM_PAGE_BYTES - 1) / QSM_PAGE_BYTES;
    if (allocate_save_area(context, pages * QSM_PAGE_BYTES)) return write_save_area(context);
    if (given) allocate_save_area(context, given);  // what has just been freed
  }
  return qsm_fail(context->device, qsmErrorSaveArea, "slot %u, kernel %s: %u saved blocks need %llu bytes, the save area has %u%s", context->slot,
              kernel, context->n_images, (unsigned long long)needed, given,
              context->queue ? " and cannot grow while launches are pending" : " and the context's memory no more");
}

qsmError_t qsmSetSaveArea(qsmContext_t context, uint32_t images) {
  uint32_t most = context->device->config.num_images;
  if (images > most)
    return qsm_fail(context->device, qsmErrorInvalidValue, "slot %u: %u images, configuration %s has %u per slot", context->slot, images,
                context->device->config.name, most);
  if (context->queue) return qsm_fail(context->device, qsmErrorBusy, "slot %u: launches are pending", context->slot);
  context->n_images = images;
  free_save_area(context);
  return write_save_area(context);
}

qsmError_t qsmSetIdempotent(qsmContext_t context, bool idempotent) {
  if (context->queue) return qsm_fail(context->device, qsmErrorBusy, "slot %u: launches are pending", context->slot);
  return qsm_slot_write(context, QSM_SLOT_IDEMPOTENT, idempotent);
}

qsmError_t qsmSetPreemptHold(qsmContext_t context, bool hold) { return qsm_slot_write(context, QSM_SLOT_PREEMPT_HOLD, hold); }
