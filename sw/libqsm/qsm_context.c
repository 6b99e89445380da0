// SPDX-License-Identifier: Apache-2.0
// Contexts: the layout of their memory, coming and going, copies.
#include <stdio.h>
#include <stdlib.h>

#include "qsm_elf.h"
#include "qsm_handle.h"
#include "qsm_heap.h"
#include "qsm_internal.h"
#include "qsm_regs.h"
#include "qsm_streams.h"

// Equal parts for all slots.
static qsmError_t find_arena(struct qsm_device *device, uint32_t slot, struct qsm_arena *arena) {
  const struct qsm_config *config = &device->config;
  uint32_t bytes = config->mem_bytes / config->num_kernels / QSM_PAGE_BYTES * QSM_PAGE_BYTES;
  if (bytes < QSM_ARGUMENT_AREA_BYTES + QSM_PROGRAM_AREA_BYTES + 2 * QSM_PAGE_BYTES)
    return qsm_fail(device, qsmErrorMemoryAllocation,
                    "configuration %s: %u bytes per tenant have no room for a program",
                    config->name, bytes);
  uint32_t base = QSM_MEMORY_BASE + bytes * slot;
  *arena = (struct qsm_arena){.base = base, .limit = base + bytes};
  return qsmSuccess;
}

static qsmError_t free_slot(struct qsm_context *context) {
  struct qsm_device *device = context->device;
  if (qsm_on_channels(context)) return qsm_streams_stop(context);
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
    device->dead |= QSM_TENANT(context->slot);
  else
    qsm_memory_clear(device, context->slot);
  device->context[context->slot] = NULL;
  qsm_share_anew(device);
  qsm_context_free(context);
}

void qsmContextDestroy(qsmContext_t handle) {
  struct qsm_context *context = qsm_context_of(handle);
  if (context && !qsm_check_outside(context->device)) destroy(context);
}

static qsmError_t use_arena(struct qsm_context *context, const struct qsm_arena *arena) {
  context->base = arena->base;
  context->limit = arena->limit - arena->host_bytes;
  context->heap = qsm_heap_create(context->base + QSM_ARGUMENT_AREA_BYTES + QSM_PROGRAM_AREA_BYTES,
                                  context->limit);
  if (!context->heap) return qsm_fail(context->device, qsmErrorMemoryAllocation, "out of memory");
  struct qsm_arena *last = &context->device->arena[context->slot];
  uint32_t split = last->split;  // as the slot still has it
  *last = *arena;
  if (context->slot >= QSM_MOST_SLOTS) return qsm_streams_create(context);
  return arena->split == split ? qsmSuccess
                               : qsm_slot_write(context, QSM_SLOT_MEM_SPLIT, arena->split);
}

// The split of the SMs that follows an arrival takes SM_COUNT as it is three cycles later at the
// soonest (docs/sm_mgr.md, R-SG-2, R-SG-3), so the next access, which takes two, is in time. Where
// the SM manager has closed the registers in between it may have seen none: then the context
// arrives once more.
static qsmError_t arrive(struct qsm_context *context, uint32_t n_sms) {
  qsmError_t error = qsm_slot_write(context, QSM_SLOT_CTX, QSM_SLOT_CTX_VALID_MASK);
  while (!error && n_sms) {
    uint64_t now = qsm_device_cycle(context->device);
    error = qsm_slot_write(context, QSM_SLOT_SM_COUNT, n_sms);
    if (error || qsm_device_cycle(context->device) == now + 2) break;
    error = qsm_slot_write(context, QSM_SLOT_CTX, 0);
    if (!error) error = qsm_slot_write(context, QSM_SLOT_CTX, QSM_SLOT_CTX_VALID_MASK);
    context->shadow_valid[QSM_SLOT_SM_COUNT / 4] = false;  // an arrival resets it
  }
  return error;
}

qsmError_t qsm_context_create_in(struct qsm_device *device, uint32_t slot,
                                 const struct qsm_arena *arena, struct qsm_context **context) {
  struct qsm_context *created = calloc(1, sizeof *created);
  if (created) created->handle = (qsmContext_t)qsm_handle_create(QSM_HANDLE_CONTEXT, created);
  if (!created || !created->handle) {
    free(created);
    return qsm_fail(device, qsmErrorMemoryAllocation, "out of memory");
  }
  created->device = device;
  created->slot = slot;
  created->argument_blocks.to = QSM_ARGUMENT_AREA_BYTES;
  if (slot < QSM_MOST_SLOTS)
    snprintf(created->name, sizeof created->name, "slot %u", slot);
  else
    snprintf(created->name, sizeof created->name, "context %u", slot - QSM_MOST_SLOTS);
  created->budget = 1;
  created->sm_mask = qsm_all_sms(&device->config);
  qsmError_t error = qsm_memory_clear_free(device);
  if (!error) error = use_arena(created, arena);
  if (!error) error = qsm_write_first_quota(created);
  if (!error) error = arrive(created, arena->n_sms);
  if (!error && !qsm_on_channels(created)) error = qsm_energy_begin(created);
  if (!error) QSM_OBSERVE(device, created, created->base, created->limit);
  created->shadow_valid[QSM_SLOT_CACHE_POLICY / 4] = true;  // an arrival resets these
  created->shadow_valid[QSM_SLOT_WARP_CAP / 4] = true;
  if (error) {
    qsm_context_free(created);
    return error;
  }
  device->context[slot] = created;
  device->used |= QSM_TENANT(slot);
  device->walked &= ~QSM_TENANT(slot);  // an arrival clears the walk
  error = qsm_share_anew(device);
  if (error) {
    destroy(created);
    return error;
  }
  *context = created;
  return qsmSuccess;
}

bool qsm_slot_taken(const struct qsm_device *device, uint32_t slot) {
  return device->context[slot] || (device->dead >> slot & 1) ||
         qsm_channels_have_slot(device, slot);
}

// A slot that could not be freed has something of its last context on it.
qsmError_t qsm_context_find_slot(struct qsm_device *device, uint32_t *slot) {
  uint32_t n_slots = device->config.num_kernels;
  for (uint32_t free_slot = 0; free_slot < n_slots; free_slot++) {
    if (qsm_slot_taken(device, free_slot)) continue;
    *slot = free_slot;
    return qsmSuccess;
  }
  uint32_t n_dead = (uint32_t)__builtin_popcount((uint32_t)device->dead & ((1u << n_slots) - 1));
  if (n_dead)
    return qsm_fail(
        device, qsmErrorNoSlot,
        "configuration %s has %u kernel slots, all taken; %u of them by launches that could not be killed",
        device->config.name, n_slots, n_dead);
  if (device->channels)
    return qsm_fail(device, qsmErrorNoSlot,
                    "configuration %s has %u kernel slots, all taken; %u of them by channels",
                    device->config.name, n_slots, device->channels->n_slots);
  return qsm_fail(device, qsmErrorNoSlot, "configuration %s has %u kernel slots, all taken",
                  device->config.name, n_slots);
}

qsmError_t qsmContextCreate(qsmDevice_t handle, qsmContext_t *context) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  struct qsm_context *created = NULL;
  struct qsm_arena arena;
  uint32_t slot = 0;
  qsmError_t error = qsm_check_pointer(device, context, "the context");
  if (!error) error = qsm_check_outside(device);
  if (!error) error = qsm_context_find_slot(device, &slot);
  if (!error)
    error = qsm_check_instances(device, true, "a context without one would lie on their memory");
  if (!error) error = find_arena(device, slot, &arena);
  if (!error) error = qsm_context_create_in(device, slot, &arena, &created);
  if (!error) *context = created->handle;
  return error;
}

uint32_t qsmContextSlot(qsmContext_t handle) {
  struct qsm_context *context = qsm_context_of(handle);
  return context && !qsm_on_channels(context) ? context->slot : UINT32_MAX;
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
  struct qsm_arena arena = {.base = context->base, .limit = context->limit};
  error = qsm_context_create_in(opened, context->slot, &arena, &copy);
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
