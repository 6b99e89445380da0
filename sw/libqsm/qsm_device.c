// SPDX-License-Identifier: Apache-2.0
// Devices: errors, registers, opening and closing.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <utlist.h>

#include "qsm_config_yaml.h"
#include "qsm_elf.h"
#include "qsm_heap.h"
#include "qsm_internal.h"
#include "qsm_regs.h"

enum { MANAGER_TRIES = 4096, STEP_CYCLES = 64 };

qsmError_t qsm_fail(qsmDevice_t device, qsmError_t error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(device->error, sizeof device->error, format, args);
  va_end(args);
  return error;
}

qsmError_t qsm_device_take_error(qsmDevice_t device, qsmError_t error, qsmDevice_t other) { return qsm_fail(device, error, "%s", other->error); }

const char *qsmGetErrorString(qsmError_t error) {
  switch (error) {
    case qsmSuccess: return "success";
    case qsmErrorInvalidValue: return "invalid value";
    case qsmErrorMemoryAllocation: return "out of memory";
    case qsmErrorInvalidImage: return "invalid program";
    case qsmErrorNoRoom: return "program does not fit";
    case qsmErrorNotFound: return "not found";
    case qsmErrorInvalidLaunch: return "invalid launch";
    case qsmErrorNoSlot: return "no kernel slot left";
    case qsmErrorGoal: return "impossible goal";
    case qsmErrorKernelFault: return "kernel fault";
    case qsmErrorTimeout: return "cycle limit reached";
    case qsmErrorBackend: return "backend failed";
    case qsmErrorBusy: return "launches are pending";
    case qsmErrorGroups: return "too many budgets";
    case qsmErrorSaveArea: return "save area too small";
    case qsmErrorPreempt: return "preemption refused";
  }
  return "unknown error";
}

const char *qsmGetLastErrorText(qsmDevice_t device) { return device->error; }

// ---- Registers ----

qsmError_t qsm_backend_failed(qsmDevice_t device) {
  return qsm_fail(device, qsmErrorBackend, "%s", device->backend->error(device->backend));
}

qsmError_t qsmRegisterRead(qsmDevice_t device, uint16_t address, uint32_t *value) {
  switch (device->backend->read(device->backend, address, value)) {
    case QSM_BACKEND_OK: return qsmSuccess;
    case QSM_BACKEND_REFUSED: return qsm_fail(device, qsmErrorInvalidValue, "the GPU refused a read of register 0x%04X", address);
    default: return qsm_backend_failed(device);
  }
}

// The QoS manager closes some registers for a moment after each epoch (R-QM-3): then wait and try again, also if it has just opened them.
qsmError_t qsmRegisterWrite(qsmDevice_t device, uint16_t address, uint32_t value) {
  bool was_open = false;
  for (uint32_t tries = 0; tries < MANAGER_TRIES; tries++) {
    switch (device->backend->write(device->backend, address, value)) {
      case QSM_BACKEND_OK: return qsmSuccess;
      case QSM_BACKEND_REFUSED: break;
      default: return qsm_backend_failed(device);
    }
    uint32_t busy = 0;
    qsmError_t error = qsmRegisterRead(device, QSM_REG_MGR_BUSY, &busy);
    if (error) return error;
    if (!busy && was_open) break;
    was_open = !busy;
  }
  return qsm_fail(device, qsmErrorInvalidValue, "the GPU refused to write 0x%08X to register 0x%04X", value, address);
}

qsmError_t qsm_register_try(qsmDevice_t device, uint16_t address, uint32_t value, bool *accepted) {
  enum qsm_backend_status status = device->backend->write(device->backend, address, value);
  if (status == QSM_BACKEND_FAILED) return qsm_backend_failed(device);
  *accepted = status == QSM_BACKEND_OK;
  return qsmSuccess;
}

uint16_t qsm_slot_register(const struct qsm_context *context, uint32_t offset) {
  return (uint16_t)(QSM_SLOT_BASE + QSM_SLOT_STRIDE * context->slot + offset);
}

qsmError_t qsm_slot_write(struct qsm_context *context, uint32_t offset, uint32_t value) {
  uint32_t index = offset / 4;
  if (context->shadow_valid[index] && context->shadow[index] == value) return qsmSuccess;
  qsmError_t error = qsmRegisterWrite(context->device, qsm_slot_register(context, offset), value);
  if (error) return error;
  context->shadow[index] = value;
  context->shadow_valid[index] = true;
  return qsmSuccess;
}

qsmError_t qsm_slot_write_all(struct qsm_context *context, const struct qsm_register_value *list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    qsmError_t error = qsm_slot_write(context, list[i].offset, list[i].value);
    if (error) return error;
  }
  return qsmSuccess;
}

qsmError_t qsm_slot_read(struct qsm_context *context, uint32_t offset, uint32_t *value) {
  return qsmRegisterRead(context->device, qsm_slot_register(context, offset), value);
}

// ---- Device ----

qsmError_t qsm_device_step(qsmDevice_t device) {
  uint64_t ran = 0;
  if (device->backend->run(device->backend, STEP_CYCLES, false, &ran) != QSM_BACKEND_OK) return qsm_backend_failed(device);
  if (!device->watch || device->watching) return qsmSuccess;
  device->watching = true;
  device->watch(device->watch_user);
  device->watching = false;
  return qsmSuccess;
}

qsmError_t qsm_check_outside(qsmDevice_t device) {
  return device->n_callbacks || device->watching ? qsm_fail(device, qsmErrorBusy, "not in a callback") : qsmSuccess;
}

qsmError_t qsm_device_open(const char *backend, const struct qsm_config *config, const struct qsm_backend_options *options,
                           qsmDevice_t *device, char *msg, size_t msg_len) {
  struct qsm_device *opened = calloc(1, sizeof *opened);
  if (!opened) {
    snprintf(msg, msg_len, "out of memory");
    return qsmErrorMemoryAllocation;
  }
  opened->config = *config;
  if (qsm_backend_open(backend, &opened->config, options, &opened->backend, msg, msg_len)) {
    free(opened);
    return qsmErrorBackend;
  }
  opened->epoch_cycles = opened->config.epoch;
  *device = opened;
  return qsmSuccess;
}

qsmError_t qsmDeviceOpen(const char *backend, const char *config, const struct qsm_backend_options *options,
                         qsmDevice_t *device, char *msg, size_t msg_len) {
  struct qsm_config loaded;
  if (qsm_config_load(config, &loaded, msg, msg_len)) return qsmErrorNotFound;
  return qsm_device_open(backend, &loaded, options, device, msg, msg_len);
}

void qsm_context_free(struct qsm_context *context) {
  if (!context) return;
  struct qsm_pending *launch, *next;
  DL_FOREACH_SAFE(context->queue, launch, next) free(launch);
  qsm_program_free(context->program);
  qsm_heap_destroy(context->heap);
  free(context);
}

// The GPU goes away with everything on it: nothing is killed first.
void qsmDeviceClose(qsmDevice_t device) {
  if (!device || qsm_check_outside(device)) return;
  for (uint32_t slot = 0; slot < device->config.num_kernels; slot++) qsm_context_free(device->context[slot]);
  device->backend->close(device->backend);
  free(device);
}

const struct qsm_config *qsmDeviceConfig(qsmDevice_t device) { return &device->config; }
struct qsm_backend *qsmDeviceBackend(qsmDevice_t device) { return device->backend; }
uint64_t qsmDeviceCycle(qsmDevice_t device) { return device->backend->cycle(device->backend); }

void qsmSetWatch(qsmDevice_t device, void (*watch)(void *user), void *user) {
  device->watch = watch;
  device->watch_user = user;
}
