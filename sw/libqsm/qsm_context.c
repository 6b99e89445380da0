// SPDX-License-Identifier: Apache-2.0
// Contexts: the layout of their memory, coming and going, copies.
#include <stdio.h>
#include <stdlib.h>

#include "qsm_elf.h"
#include "qsm_handle.h"
#include "qsm_heap.h"
#include "qsm_internal.h"
#include "qsm_regs.h"

static qsmError_t lay_out_memory(struct qsm_context *context) {
  const struct qsm_config *config = &context->device->config;
  uint32_t arena = config->mem_bytes / config->num_kernels / QSM_PAGE_BYTES * QSM_PAGE_BYTES;
  if (arena < QSM_ARGUMENT_AREA_BYTES + QSM_PROGRAM_AREA_BYTES + 2 * QSM_PAGE_BYTES)
    return qsm_fail(context->device, qsmErrorMemoryAllocation,
                    "configuration %s: %u bytes per tenant have no room for a program",
                    config->name, arena);
  context->base = QSM_MEMORY_BASE + arena * context->slot;
  context->limit = context->base + arena;
  context->heap = qsm_heap_create(context->base + QSM_ARGUMENT_AREA_BYTES + QSM_PROGRAM_AREA_BYTES,
                                  context->limit);
  return context->heap ? qsmSuccess
                       : qsm_fail(context->device, qsmErrorMemoryAllocation, "out of memory");
}

static qsmError_t free_slot(struct qsm_context *context) {
  struct qsm_device *device = context->device;
  qsmError_t error = qsm_launch_stop(context);
  if (!error)
    error = qsm_register_write(
        device, QSM_REG_IRQ,
        1u << context->slot);  // maybe of a launch that the host has started itself
  return error ? error : qsm_register_write(device, qsm_slot_register(context, QSM_SLOT_CTX), 0);
}

static void destroy(struct qsm_context *context) {
  struct qsm_device *device = context->device;
  context->closing = true;
  if (free_slot(context))
    device->dead |= 1u << context->slot;
  else
    qsm_memory_clear(context);
  device->context[context->slot] = NULL;
  qsm_share_anew(device);
  qsm_context_free(context);
}

void qsmContextDestroy(qsmContext_t handle) {
  struct qsm_context *context = qsm_context_of(handle);
  if (context && !qsm_check_outside(context->device)) destroy(context);
}

static qsmError_t create_in_slot(struct qsm_device *device, uint32_t slot,
                                 struct qsm_context **context) {
  struct qsm_context *created = calloc(1, sizeof *created);
  if (created) created->handle = (qsmContext_t)qsm_handle_create(QSM_HANDLE_CONTEXT, created);
  if (!created || !created->handle) {
    free(created);
    return qsm_fail(device, qsmErrorMemoryAllocation, "out of memory");
  }
  created->device = device;
  created->slot = slot;
  created->budget = 1;
  created->sm_mask = ((qsmSmMask)1 << device->config.num_sms) - 1;
  qsmError_t error = lay_out_memory(created);
  if (!error && (device->used >> slot) & 1)
    error = qsm_memory_clear(created);  // its last context could not
  if (!error) error = qsm_write_first_quota(created);
  if (!error) error = qsm_slot_write(created, QSM_SLOT_CTX, QSM_CTX_VALID);
  if (!error) error = qsm_energy_begin(created);
  if (!error) QSM_OBSERVE(device, created, created->base, created->limit);
  created->shadow_valid[QSM_SLOT_CACHE_POLICY / 4] = true;  // an arrival resets it
  if (error) {
    qsm_context_free(created);
    return error;
  }
  device->context[slot] = created;
  device->used |= 1u << slot;
  error = qsm_share_anew(device);
  if (error) {
    destroy(created);
    return error;
  }
  *context = created;
  return qsmSuccess;
}

// A slot that could not be freed has something of its last context on it.
static qsmError_t create_in_free_slot(struct qsm_device *device, struct qsm_context **context) {
  uint32_t slot = 0;
  while (slot < device->config.num_kernels && (device->context[slot] || (device->dead >> slot) & 1))
    slot++;
  if (slot < device->config.num_kernels) return create_in_slot(device, slot, context);
  if (!device->dead)
    return qsm_fail(device, qsmErrorNoSlot, "configuration %s has %u kernel slots, all taken",
                    device->config.name, slot);
  return qsm_fail(
      device, qsmErrorNoSlot,
      "configuration %s has %u kernel slots, all taken; %u of them by launches that could not be killed",
      device->config.name, slot, (unsigned)__builtin_popcount(device->dead));
}

qsmError_t qsmContextCreate(qsmDevice_t handle, qsmContext_t *context) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  struct qsm_context *created = NULL;
  qsmError_t error = qsm_check_pointer(device, context, "the context");
  if (!error) error = qsm_check_outside(device);
  if (!error) error = create_in_free_slot(device, &created);
  if (!error) *context = created->handle;
  return error;
}

uint32_t qsmContextSlot(qsmContext_t handle) {
  struct qsm_context *context = qsm_context_of(handle);
  return context ? context->slot : UINT32_MAX;
}

// What decides how a kernel alone runs, but for the memory's content.
static qsmError_t copy_settings(struct qsm_context *context, struct qsm_context *clone) {
  static const uint16_t of_device[] = {QSM_REG_POLICY, QSM_REG_ACTIVE_WARPS};
  qsmError_t error = qsmSuccess;
  for (size_t i = 0; !error && i < sizeof of_device / sizeof of_device[0]; i++) {
    uint32_t value = 0;
    error = qsm_register_read(context->device, of_device[i], &value);
    if (!error) error = qsm_register_write(clone->device, of_device[i], value);
  }
  clone->cache_policy = context->cache_policy;
  if (!error) error = qsm_set_sm_mask(clone, context->sm_mask);
  if (!error && context->program)
    error = qsm_module_install(clone, qsm_program_share(context->program));
  return error;
}

qsmError_t qsm_context_clone(struct qsm_context *context, struct qsm_device **device,
                             struct qsm_context **clone) {
  char msg[256];
  struct qsm_device *opened = NULL;
  struct qsm_context *copy = NULL;
  qsmError_t error =
      qsm_device_open("model", &context->device->config, NULL, &opened, msg, sizeof msg);
  if (error) return qsm_fail(context->device, error, "%s", msg);
  error = create_in_slot(opened, context->slot, &copy);
  if (!error) error = copy_settings(context, copy);
  if (error) {
    qsm_device_take_error(context->device, error, opened);
    qsm_device_close(opened);
    return error;
  }
  *device = opened;
  *clone = copy;
  return qsmSuccess;
}

qsmError_t qsm_context_copy_memory(struct qsm_context *context, struct qsm_context *clone) {
  qsmError_t error = qsmSuccess;
  uint8_t *page = malloc(QSM_PAGE_BYTES);
  if (!page) return qsm_fail(clone->device, qsmErrorMemoryAllocation, "out of memory");
  for (uint32_t at = context->base + QSM_ARGUMENT_AREA_BYTES; !error && at < context->limit;
       at += QSM_PAGE_BYTES) {
    error = qsm_memory_read(context, page, at, QSM_PAGE_BYTES);
    if (!error) error = qsm_memory_write(clone, at, page, QSM_PAGE_BYTES);
  }
  free(page);
  return error;
}
