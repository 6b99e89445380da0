// SPDX-License-Identifier: Apache-2.0
// Devices: errors, registers, opening and closing.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <utlist.h>

#include "qsm_config_yaml.h"
#include "qsm_elf.h"
#include "qsm_handle.h"
#include "qsm_heap.h"
#include "qsm_internal.h"
#include "qsm_regs.h"
#include "qsm_streams.h"

enum { MANAGER_TRIES = 4096, STEP_CYCLES = 64 };

qsmError_t qsm_fail(struct qsm_device *device, qsmError_t error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(device->error, sizeof device->error, format, args);
  va_end(args);
  return error;
}

qsmError_t qsm_device_take_error(struct qsm_device *device, qsmError_t error,
                                 struct qsm_device *other) {
  return qsm_fail(device, error, "%s", other->error);
}

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
    case qsmErrorInstance: return "no such instance";
    case qsmErrorInvalidHandle: return "no such device, context, stream or event";
    case qsmErrorStream: return "not with this stream or context";
    case qsmErrorNoChannel: return "no command channel left";
    case qsmErrorNotReady: return "not ended yet";
  }
  return "unknown error";
}

static const struct qsm_observer no_observer;

void qsm_device_observe(qsmDevice_t handle, const struct qsm_observer *observer) {
  struct qsm_device *device = qsm_device_of(handle);
  if (device) device->observer = observer;
}

void qsm_context_spoiled(qsmContext_t handle, uint32_t address, size_t bytes) {
  struct qsm_context *context = qsm_context_of(handle);
  if (context) QSM_OBSERVE(context->device, spoiled, address, bytes);
}

struct qsm_device *qsm_device_of(qsmDevice_t handle) {
  return qsm_handle_find(QSM_HANDLE_DEVICE, (uintptr_t)handle);
}
struct qsm_context *qsm_context_of(qsmContext_t handle) {
  return qsm_handle_find(QSM_HANDLE_CONTEXT, (uintptr_t)handle);
}

const char *qsmGetLastErrorText(qsmDevice_t handle) {
  struct qsm_device *device = qsm_device_of(handle);
  return device ? device->error : "no device, or one that has been closed";
}

qsmError_t qsm_check_pointer(struct qsm_device *device, const void *pointer, const char *what) {
  return pointer ? qsmSuccess : qsm_fail(device, qsmErrorInvalidValue, "NULL for %s", what);
}

// ---- Registers ----

qsmError_t qsm_backend_failed(struct qsm_device *device) {
  return qsm_fail(device, qsmErrorBackend, "%s", device->backend->error(device->backend));
}

qsmError_t qsm_register_read(struct qsm_device *device, uint32_t address, uint32_t *value) {
  switch (device->backend->read(device->backend, address, value)) {
    case QSM_BACKEND_OK: return qsmSuccess;
    case QSM_BACKEND_REFUSED:
      return qsm_fail(device, qsmErrorInvalidValue, "the GPU refused a read of register 0x%04X",
                      address);
    default: return qsm_backend_failed(device);
  }
}

// The QoS manager closes some registers for a moment after each epoch (R-QM-3): then wait and try
// again, also if it has just opened them.
qsmError_t qsm_register_write(struct qsm_device *device, uint32_t address, uint32_t value) {
  bool was_open = false;
  for (uint32_t tries = 0; tries < MANAGER_TRIES; tries++) {
    switch (device->backend->write(device->backend, address, value)) {
      case QSM_BACKEND_OK: return qsmSuccess;
      case QSM_BACKEND_REFUSED: break;
      default: return qsm_backend_failed(device);
    }
    uint32_t busy = 0;
    qsmError_t error = qsm_register_read(device, QSM_REG_MGR_BUSY, &busy);
    if (error) return error;
    if (!busy && was_open) break;
    was_open = !busy;
  }
  return qsm_fail(device, qsmErrorInvalidValue,
                  "the GPU refused to write 0x%08X to register 0x%04X", value, address);
}

qsmError_t qsmRegisterRead(qsmDevice_t handle, uint32_t address, uint32_t *value) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  uint32_t got = 0;
  qsmError_t error = qsm_check_pointer(device, value, "the value");
  if (!error) error = qsm_register_read(device, address, &got);
  if (!error) *value = got;
  return error;
}

// YIELD and WALK_* are the host's: the library has launches begin at the first block.
static void note_walk(struct qsm_device *device, uint32_t address) {
  uint32_t slot = (address - QSM_SLOT_BASE) / QSM_SLOT_STRIDE,
           offset = (address - QSM_SLOT_BASE) % QSM_SLOT_STRIDE;
  if (address >= QSM_SLOT_BASE && slot < device->config.num_kernels && offset >= QSM_SLOT_YIELD &&
      offset <= QSM_SLOT_WALK_LINEAR)
    device->walked |= QSM_TENANT(slot);
}

qsmError_t qsmRegisterWrite(qsmDevice_t handle, uint32_t address, uint32_t value) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  note_walk(device, address);
  return qsm_register_write(device, address, value);
}

qsmError_t qsm_register_try(struct qsm_device *device, uint32_t address, uint32_t value,
                            bool *accepted) {
  enum qsm_backend_status status = device->backend->write(device->backend, address, value);
  if (status == QSM_BACKEND_FAILED) return qsm_backend_failed(device);
  *accepted = status == QSM_BACKEND_OK;
  return qsmSuccess;
}

uint32_t qsm_slot_register(const struct qsm_context *context, uint32_t offset) {
  return QSM_SLOT_BASE + QSM_SLOT_STRIDE * context->slot + offset;
}

qsmError_t qsm_slot_write(struct qsm_context *context, uint32_t offset, uint32_t value) {
  uint32_t index = offset / 4;
  if (context->shadow_valid[index] && context->shadow[index] == value) return qsmSuccess;
  qsmError_t error =
      qsm_on_channels(context)
          ? qsm_streams_set(context, offset, value)
          : qsm_register_write(context->device, qsm_slot_register(context, offset), value);
  if (error) return error;
  context->shadow[index] = value;
  context->shadow_valid[index] = true;
  return qsmSuccess;
}

qsmError_t qsm_slot_write_all(struct qsm_context *context, const struct qsm_register_value *list,
                              size_t n) {
  for (size_t i = 0; i < n; i++) {
    qsmError_t error = qsm_slot_write(context, list[i].offset, list[i].value);
    if (error) return error;
  }
  return qsmSuccess;
}

qsmError_t qsm_check_has_slot(const struct qsm_context *context, const char *what) {
  if (!qsm_on_channels(context)) return qsmSuccess;
  return qsm_fail(context->device, qsmErrorStream, "%s: %s is for contexts with a kernel slot",
                  context->name, what);
}

bool qsm_context_has_work(const struct qsm_context *context) {
  return qsm_on_channels(context) ? qsm_streams_busy(context) : context->queue != NULL;
}

qsmError_t qsm_slot_read(struct qsm_context *context, uint32_t offset, uint32_t *value) {
  return qsm_register_read(context->device, qsm_slot_register(context, offset), value);
}

// ---- Device ----

qsmError_t qsm_device_step(struct qsm_device *device) {
  uint64_t ran = 0;
  if (device->backend->run(device->backend, STEP_CYCLES, false, &ran) != QSM_BACKEND_OK)
    return qsm_backend_failed(device);
  if (!device->watch || device->watching) return qsmSuccess;
  device->watching = true;
  device->watch(device->watch_user);
  device->watching = false;
  return qsmSuccess;
}

qsmError_t qsm_check_outside(struct qsm_device *device) {
  return device->n_callbacks || device->watching
             ? qsm_fail(device, qsmErrorBusy, "not in a callback")
             : qsmSuccess;
}

qsmError_t qsm_device_open(const char *backend, const struct qsm_config *config,
                           const struct qsm_backend_options *options, struct qsm_device **device,
                           char *msg, size_t msg_len) {
  struct qsm_device *opened = calloc(1, sizeof *opened);
  if (opened) opened->handle = (qsmDevice_t)qsm_handle_create(QSM_HANDLE_DEVICE, opened);
  if (!opened || !opened->handle) {
    snprintf(msg, msg_len, "out of memory");
    free(opened);
    return qsmErrorMemoryAllocation;
  }
  opened->config = *config;
  if (qsm_energy_open(opened)) {
    snprintf(msg, msg_len, "out of memory");
    qsm_handle_destroy((uintptr_t)opened->handle);
    free(opened);
    return qsmErrorMemoryAllocation;
  }
  if (qsm_backend_open(backend, &opened->config, options, &opened->backend, msg, msg_len)) {
    qsm_handle_destroy((uintptr_t)opened->handle);
    free(opened->energy);
    free(opened);
    return qsmErrorBackend;
  }
  opened->epoch_cycles = opened->config.epoch;
  opened->admission = qsmAdmissionSure;
  opened->observer = &no_observer;
  *device = opened;
  return qsmSuccess;
}

qsmError_t qsmDeviceOpen(const char *backend, const char *config,
                         const struct qsm_backend_options *options, qsmDevice_t *device, char *msg,
                         size_t msg_len) {
  struct qsm_config loaded;
  struct qsm_device *opened = NULL;
  char unseen[1];
  if (!msg) {
    msg = unseen;
    msg_len = sizeof unseen;
  }
  if (!backend || !config || !device) {
    snprintf(msg, msg_len, "NULL for the %s",
             !backend  ? "backend"
             : !config ? "configuration"
                       : "device");
    return qsmErrorInvalidValue;
  }
  if (qsm_config_load(config, &loaded, msg, msg_len)) return qsmErrorNotFound;
  qsmError_t error = qsm_device_open(backend, &loaded, options, &opened, msg, msg_len);
  if (!error) *device = opened->handle;
  return error;
}

void qsm_context_free(struct qsm_context *context) {
  if (!context) return;
  struct qsm_pending *launch, *next;
  DL_FOREACH_SAFE(context->queue, launch, next) {
    qsm_stacks_release(context, launch->stacks);
    free(launch);
  }
  qsm_streams_free(context);
  qsm_stacks_release(context, context->stacks);
  qsm_program_free(context->program);
  qsm_heap_destroy(context->heap);
  if (context->handle) qsm_handle_destroy((uintptr_t)context->handle);
  free(context);
}

// The GPU goes away with everything on it: nothing is killed first.
void qsm_device_close(struct qsm_device *device) {
  for (uint32_t tenant = 0; tenant < QSM_MOST_TENANTS; tenant++)
    qsm_context_free(device->context[tenant]);
  qsm_channels_free(device);
  device->backend->close(device->backend);
  qsm_handle_destroy((uintptr_t)device->handle);
  free(device->energy);
  free(device);
}

void qsmDeviceClose(qsmDevice_t handle) {
  struct qsm_device *device = qsm_device_of(handle);
  if (device && !qsm_check_outside(device)) qsm_device_close(device);
}

const struct qsm_config *qsmDeviceConfig(qsmDevice_t handle) {
  struct qsm_device *device = qsm_device_of(handle);
  return device ? &device->config : NULL;
}

struct qsm_backend *qsmDeviceBackend(qsmDevice_t handle) {
  struct qsm_device *device = qsm_device_of(handle);
  return device ? device->backend : NULL;
}

uint64_t qsm_device_cycle(struct qsm_device *device) {
  return device->backend->cycle(device->backend);
}

uint64_t qsmDeviceCycle(qsmDevice_t handle) {
  struct qsm_device *device = qsm_device_of(handle);
  return device ? qsm_device_cycle(device) : 0;
}

void qsmSetWatch(qsmDevice_t handle, void (*watch)(void *user), void *user) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return;
  device->watch = watch;
  device->watch_user = user;
}
