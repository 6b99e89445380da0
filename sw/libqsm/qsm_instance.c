// SPDX-License-Identifier: Apache-2.0
// Instances in the manner of MIG: contexts with SMs, channels and memory of their own
// (docs/decisions.md, S17).
#include "qsm_internal.h"
#include "qsm_regs.h"

enum { SEVENTHS = 7, EIGHTHS = 8 };

struct profile {
  uint32_t sevenths, eighths;  // of the SMs; of the memory, a power of two
};

static const struct profile profiles[QSM_INSTANCE_COUNT] = {
    [qsmInstanceOneSeventh] = {1, 1},    [qsmInstanceTwoSevenths] = {2, 2},
    [qsmInstanceThreeSevenths] = {3, 4}, [qsmInstanceFourSevenths] = {4, 4},
    [qsmInstanceSevenSevenths] = {7, 8},
};

qsmError_t qsm_check_instances(struct qsm_device *device, bool instances, const char *why) {
  for (uint32_t slot = 0; slot < device->config.num_kernels; slot++)
    if (qsm_slot_taken(device, slot) && (device->arena[slot].n_sms != 0) == instances)
      return qsm_fail(device, qsmErrorInstance, "slot %u is %s instance: %s", slot,
                      instances ? "an" : "no", why);
  return qsmSuccess;
}

// ---- Does it fit? ----

// Channels and memory come in parts of both (R-XB-6).
static qsmError_t check_profile(struct qsm_device *device, qsmInstance which) {
  const struct qsm_config *config = &device->config;
  qsmError_t error =
      qsm_check_value(device, "instance", which, qsm_instance_name, QSM_INSTANCE_COUNT);
  if (error) return error;
  uint32_t eighths = profiles[which].eighths;
  if (!config->partition_bits)
    return qsm_fail(device, qsmErrorInstance,
                    "instance %s: configuration %s cannot divide its memory (partition_bits: 0)",
                    qsm_instance_name(which), config->name);
  if (config->num_channels * eighths % EIGHTHS)
    return qsm_fail(device, qsmErrorInstance,
                    "instance %s: %u/8 of the %u channels of configuration %s are no whole number",
                    qsm_instance_name(which), eighths, config->num_channels, config->name);
  if (device->channels)
    return qsm_fail(device, qsmErrorInstance,
                    "instance %s: the device uses command channels, whose pool is in one piece",
                    qsm_instance_name(which));
  if (device->scheme != qsmSchemeSmStatic)
    return qsm_fail(device, qsmErrorInstance,
                    "instance %s: has its SMs by scheme sm_static, the device has %s",
                    qsm_instance_name(which), qsm_scheme_name(device->scheme));
  return qsm_check_instances(device, false, "an instance would lie on its memory");
}

static bool overlaps(const struct qsm_device *device, const struct qsm_arena *arena) {
  for (uint32_t slot = 0; slot < device->config.num_kernels; slot++) {
    const struct qsm_arena *other = &device->arena[slot];
    if (qsm_slot_taken(device, slot) && arena->base < other->limit && other->base < arena->limit)
      return true;
  }
  return false;
}

// The lowest part of this size that nobody has. Parts lie on multiples of their size, so their
// channels do.
static qsmError_t find_part(struct qsm_device *device, qsmInstance which, struct qsm_arena *arena) {
  uint32_t n_parts = EIGHTHS / profiles[which].eighths, bytes = device->config.mem_bytes / n_parts;
  arena->split = (uint32_t)__builtin_ctz(n_parts);
  for (uint32_t part = 0; part < n_parts; part++) {
    arena->base = QSM_MEMORY_BASE + part * bytes;
    arena->limit = arena->base + bytes;
    if (!overlaps(device, arena)) return qsmSuccess;
  }
  return qsm_fail(device, qsmErrorInstance,
                  "instance %s: no %u/8 of the memory are free beside the other instances",
                  qsm_instance_name(which), profiles[which].eighths);
}

static qsmError_t find_sms(struct qsm_device *device, qsmInstance which, struct qsm_arena *arena) {
  uint32_t n_sms = profiles[which].sevenths * device->config.num_sms / SEVENTHS,
           left = device->config.num_sms;
  for (uint32_t slot = 0; slot < device->config.num_kernels; slot++)
    if (qsm_slot_taken(device, slot)) left -= device->arena[slot].n_sms;
  arena->n_sms = n_sms ? n_sms : 1;
  if (arena->n_sms <= left) return qsmSuccess;
  return qsm_fail(device, qsmErrorInstance, "instance %s: has %u SMs, the others leave %u of %u",
                  qsm_instance_name(which), arena->n_sms, left, device->config.num_sms);
}

// ---- Creation ----

static qsmError_t create(struct qsm_device *device, qsmInstance which,
                         struct qsm_context **context) {
  struct qsm_arena arena = {0};
  uint32_t slot = 0;
  qsmError_t error = check_profile(device, which);
  if (!error) error = qsm_context_find_slot(device, &slot);
  if (!error) error = find_part(device, which, &arena);
  if (!error) error = find_sms(device, which, &arena);
  return error ? error : qsm_context_create_in(device, slot, &arena, context);
}

qsmError_t qsmContextCreateInInstance(qsmDevice_t handle, qsmInstance profile,
                                      qsmContext_t *context) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  struct qsm_context *created = NULL;
  qsmError_t error = qsm_check_pointer(device, context, "the context");
  if (!error) error = qsm_check_outside(device);
  if (!error) error = create(device, profile, &created);
  if (!error) *context = created->handle;
  return error;
}
