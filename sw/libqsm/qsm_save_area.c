// SPDX-License-Identifier: Apache-2.0
// Save areas, and what else the preemption of a context depends on.
#include "qsm_heap.h"
#include "qsm_internal.h"
#include "qsm_regs.h"
#include "qsm_streams.h"

static struct qsm_save_area allocate_save_area(struct qsm_context *context, uint32_t bytes) {
  uint32_t allocation = qsm_heap_alloc_own(context->heap, (uint64_t)bytes + QSM_PAGE_BYTES);
  uint32_t base = (allocation + QSM_PAGE_BYTES - 1) / QSM_PAGE_BYTES * QSM_PAGE_BYTES;
  return allocation ? (struct qsm_save_area){allocation, base, base + bytes}
                    : (struct qsm_save_area){0};
}

static void free_save_area(struct qsm_context *context, uint32_t allocation) {
  if (allocation) qsm_heap_free(context->heap, allocation);
}

static qsmError_t use_save_area(struct qsm_context *context, struct qsm_save_area area) {
  qsmError_t error = qsm_slot_write(context, QSM_SLOT_SAVE_BASE, area.base);
  if (!error) error = qsm_slot_write(context, QSM_SLOT_SAVE_LIMIT, area.limit);
  if (error) return error;
  free_save_area(context, context->area);
  context->area = area.allocation;
  context->save_base = area.base;
  context->save_limit = area.limit;
  return qsmSuccess;
}

// In the old one's place, which takes it back if there is no room.
static qsmError_t replace_save_area(struct qsm_context *context, uint32_t bytes, bool *has_room) {
  uint32_t given = context->save_limit - context->save_base;
  qsmError_t error = use_save_area(context, (struct qsm_save_area){0});
  if (error) return error;
  struct qsm_save_area area = allocate_save_area(context, bytes);
  *has_room = area.allocation != 0;
  if (!area.allocation && given) area = allocate_save_area(context, given);
  error = use_save_area(context, area);
  if (error) free_save_area(context, area.allocation);
  return error;
}

uint64_t qsm_save_area_bytes(const struct qsm_context *context, qsmDim3 block,
                             uint32_t shared_bytes) {
  const struct qsm_config *config = &context->device->config;
  uint32_t warps = (block.x * block.y * block.z + config->warp_size - 1) / config->warp_size;
  return (uint64_t)context->n_images * qsm_config_image_bytes(config, warps, shared_bytes);
}

qsmError_t qsm_save_area_replace(struct qsm_context *context, const char *kernel, uint64_t bytes,
                                 struct qsm_save_area *area) {
  uint64_t pages = (bytes + QSM_PAGE_BYTES - 1) / QSM_PAGE_BYTES;
  free_save_area(context, area->allocation);
  *area = (struct qsm_save_area){0};
  if (bytes == 0) return qsmSuccess;
  if (bytes < context->limit - context->base)
    *area = allocate_save_area(context, (uint32_t)pages * QSM_PAGE_BYTES);
  if (area->allocation) return qsmSuccess;
  return qsm_fail(context->device, qsmErrorSaveArea,
                  "%s, kernel %s: %u saved blocks need %llu bytes, the context's memory has no such"
                  " piece",
                  context->name, kernel, context->n_images, (unsigned long long)bytes);
}

// Before a launch with blocks of this shape is queued.
qsmError_t qsm_grow_save_area(struct qsm_context *context, const char *kernel, qsmDim3 block,
                              uint32_t shared_bytes) {
  uint64_t needed = qsm_save_area_bytes(context, block, shared_bytes);
  uint32_t given = context->save_limit - context->save_base;
  if (needed <= given) return qsmSuccess;
  if (!context->queue && needed < context->limit - context->base) {
    uint32_t pages = (uint32_t)(needed + QSM_PAGE_BYTES - 1) / QSM_PAGE_BYTES;
    bool has_room = false;
    qsmError_t error = replace_save_area(context, pages * QSM_PAGE_BYTES, &has_room);
    if (error || has_room) return error;
  }
  return qsm_fail(context->device, qsmErrorSaveArea,
                  "%s, kernel %s: %u saved blocks need %llu bytes, the save area has %u%s",
                  context->name, kernel, context->n_images, (unsigned long long)needed, given,
                  context->queue ? " and cannot grow while launches are pending"
                                 : " and the context's memory no more");
}

qsmError_t qsmSetSaveArea(qsmContext_t handle, uint32_t images) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  uint32_t most = context->device->config.num_images;
  if (images > most)
    return qsm_fail(context->device, qsmErrorInvalidValue,
                    "%s: %u images, configuration %s has %u per slot", context->name, images,
                    context->device->config.name, most);
  if (qsm_context_has_work(context))
    return qsm_fail(context->device, qsmErrorBusy, "%s: launches are pending", context->name);
  qsmError_t error = qsm_on_channels(context) ? qsm_streams_drop_save_areas(context)
                                              : use_save_area(context, (struct qsm_save_area){0});
  if (!error) context->n_images = images;
  return error;
}

qsmError_t qsmSetIdempotent(qsmContext_t handle, bool idempotent) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  if (qsm_context_has_work(context))
    return qsm_fail(context->device, qsmErrorBusy, "%s: launches are pending", context->name);
  return qsm_slot_write(context, QSM_SLOT_IDEMPOTENT, idempotent);
}

qsmError_t qsmSetPreemptHold(qsmContext_t handle, bool hold) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  if (qsm_check_has_slot(context, "holding saved blocks")) return qsmErrorStream;
  return qsm_slot_write(context, QSM_SLOT_PREEMPT_HOLD, hold);
}
