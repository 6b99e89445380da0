// SPDX-License-Identifier: Apache-2.0
// Who uses which SM: settings of the SM manager, moves by the host, figures (docs/sm_mgr.md,
// docs/sm_owner.md).
#include "qsm_internal.h"
#include "qsm_regs.h"

enum { PERCENT = 100, STEP_MAX = 4, WORD_MAX = 65535, GIVE_BACK_CYCLES = 512 };

static qsmError_t write_ranged(qsmDevice_t handle, const char *what, uint16_t address,
                               uint32_t value, uint32_t least, uint32_t most) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  if (value < least || value > most)
    return qsm_fail(device, qsmErrorInvalidValue, "%s %u: must be %u..%u", what, value, least,
                    most);
  return qsm_register_write(device, address, value);
}

qsmError_t qsmSetMoveTechnique(qsmDevice_t handle, qsmTechnique technique) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  qsmError_t error =
      qsm_check_value(device, "move technique", technique, qsm_technique_name, QSM_TECHNIQUE_COUNT);
  return error ? error : qsm_register_write(device, QSM_REG_MOVE_TECHNIQUE, technique);
}

qsmError_t qsmSetSmGating(qsmDevice_t handle, bool on) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  if (on && !device->config.power_gating)
    return qsm_fail(device, qsmErrorInvalidValue,
                    "gating of SMs: configuration %s has none (power_gating: 0)",
                    device->config.name);
  return qsm_register_write(device, QSM_REG_SM_GATING, on);
}

qsmError_t qsmSetWakeLatency(qsmDevice_t device, uint32_t cycles) {
  return write_ranged(device, "wake latency of", QSM_REG_WAKE_LAT, cycles, 1, WORD_MAX);
}

qsmError_t qsmSetSmThreshold(qsmDevice_t device, uint32_t threshold_q16) {
  return write_ranged(device, "threshold of", QSM_REG_SM_THRESHOLD, threshold_q16, 0, WORD_MAX);
}

qsmError_t qsmSetSmStep(qsmDevice_t device, uint32_t sms) {
  return write_ranged(device, "step of SMs", QSM_REG_SM_STEP, sms, 1, STEP_MAX);
}

qsmError_t qsmSetQoSPercent(qsmContext_t handle, uint32_t percent) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  if (percent > PERCENT)
    return qsm_fail(context->device, qsmErrorInvalidValue,
                    "%s: %u percent of the isolated IPC, must be 0..%d", context->name, percent,
                    PERCENT);
  if (percent && !context->isolated_q16)
    return qsm_fail(context->device, qsmErrorGoal,
                    "%s: %u percent of an isolated IPC that is not known (qsmSetIsolatedIpc)",
                    context->name, percent);
  return qsmSetGoal(handle, &(qsmGoal){.kind = percent ? qsmGoalShare : qsmGoalNone,
                                       .value = (uint64_t)percent * 10000,
                                       .isolated_ipc_q16 = context->isolated_q16});
}

// ---- Who has what ----

static qsmError_t check_sm(struct qsm_device *device, uint32_t sm) {
  if (sm < device->config.num_sms) return qsmSuccess;
  return qsm_fail(device, qsmErrorInvalidValue, "SM %u: must be 0..%u", sm,
                  device->config.num_sms - 1);
}

static qsmError_t read_use(struct qsm_device *device, uint32_t sm, qsmSmState *state) {
  uint32_t word = 0;
  qsmError_t error = qsm_register_write(device, QSM_REG_SM_SELECT, sm);
  if (!error) error = qsm_register_read(device, QSM_REG_SMSEL_OWNER, &word);
  if (error) return error;
  *state = (qsmSmState){
      .use = (qsmSmUse)(word & QSM_REG_SMSEL_OWNER_USAGE_MASK),
      .slot = qsm_field(word, QSM_REG_SMSEL_OWNER_SLOT_MASK, QSM_REG_SMSEL_OWNER_SLOT_SHIFT),
      .moving = word & QSM_REG_SMSEL_OWNER_MOVING_MASK,
      .next_use = (qsmSmUse)qsm_field(word, QSM_REG_SMSEL_OWNER_NEXT_USAGE_MASK,
                                      QSM_REG_SMSEL_OWNER_NEXT_USAGE_SHIFT),
      .next_slot =
          qsm_field(word, QSM_REG_SMSEL_OWNER_NEXT_SLOT_MASK, QSM_REG_SMSEL_OWNER_NEXT_SLOT_SHIFT),
      .gated = qsm_field(word, QSM_REG_SMSEL_OWNER_POWER_MASK, QSM_REG_SMSEL_OWNER_POWER_SHIFT) ==
               QSM_POWER_OFF,
  };
  return qsmSuccess;
}

qsmError_t qsmGetSmState(qsmDevice_t handle, uint32_t sm, qsmSmState *state) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  qsmError_t error = qsm_check_pointer(device, state, "the state");
  if (!error) error = check_sm(device, sm);
  return error ? error : read_use(device, sm, state);
}

// Low and high word of a counter that goes on while it is read.
static qsmError_t read_wide(struct qsm_device *device, uint16_t low_at, uint64_t *value) {
  uint32_t high = 0, low = 0, again = 0;
  qsmError_t error = qsm_register_read(device, (uint16_t)(low_at + 4), &high);
  if (!error) error = qsm_register_read(device, low_at, &low);
  if (!error) error = qsm_register_read(device, (uint16_t)(low_at + 4), &again);
  if (!error && again != high) error = qsm_register_read(device, low_at, &low);
  if (!error) *value = (uint64_t)again << 32 | low;
  return error;
}

qsmError_t qsm_read_owned_cycles(struct qsm_device *device, uint32_t slot, uint64_t *cycles) {
  return read_wide(device,
                   (uint16_t)(QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot + QSM_SLOT_OWNED_CYCLES_LO),
                   cycles);
}

qsmError_t qsmReadSmCounters(qsmDevice_t handle, qsmSmCounters *counters) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  qsmSmCounters got = {0};
  qsmError_t error = qsm_check_pointer(device, counters, "the counters");
  if (!error) error = qsm_register_read(device, QSM_REG_MOVES, &got.moves);
  if (!error) error = read_wide(device, QSM_REG_MOVE_CYCLES_LO, &got.move_cycles);
  if (!error) error = read_wide(device, QSM_REG_GATED_CYCLES_LO, &got.gated_sm_cycles);
  if (!error) error = read_wide(device, QSM_REG_SHARED_CYCLES_LO, &got.shared_sm_cycles);
  if (!error) error = qsm_register_read(device, QSM_REG_WAKES, &got.wakes);
  if (!error) *counters = got;
  return error;
}

qsmError_t qsmReadSmRecord(qsmContext_t handle, qsmSmRecord *record) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  if (qsm_check_has_slot(context, "the record of the SM manager")) return qsmErrorStream;
  uint32_t word = 0;
  qsmError_t error = qsm_check_pointer(context->device, record, "the record");
  if (!error) error = qsm_slot_read(context, QSM_SLOT_SM_RECORD, &word);
  if (error) return error;
  *record = (qsmSmRecord){
      .sms = word & QSM_SLOT_SM_RECORD_COUNT_MASK,
      .best_sms = qsm_field(word, QSM_SLOT_SM_RECORD_OPT_MASK, QSM_SLOT_SM_RECORD_OPT_SHIFT),
      .more_is_no_gain = word & QSM_SLOT_SM_RECORD_UPPER_MASK,
      .less_is_a_loss = word & QSM_SLOT_SM_RECORD_LOWER_MASK,
      .judging = word & QSM_SLOT_SM_RECORD_EVAL_MASK,
  };
  return qsmSuccess;
}

// ---- Moves by the host ----

static bool serves(const struct qsm_context *context, uint32_t sm, qsmSmUse use, uint32_t slot) {
  if (use == qsmSmOwned) return slot == context->slot;
  return use == qsmSmShared && (context->sm_mask >> sm & 1);
}

// A launch without any SM would never start.
static qsmError_t check_everybody_has_one(struct qsm_device *device, uint32_t sm, qsmSmUse use,
                                          uint32_t slot) {
  uint32_t served = 0;
  for (uint32_t i = 0; i < device->config.num_sms; i++) {
    qsmSmState now;
    qsmError_t error = read_use(device, i, &now);
    if (error) return error;
    if (i == sm) now = (qsmSmState){.use = use, .slot = slot};
    for (uint32_t k = 0; k < device->config.num_kernels; k++) {
      const struct qsm_context *context = device->context[k];
      if (context && serves(context, i, now.moving ? now.next_use : now.use,
                            now.moving ? now.next_slot : now.slot))
        served |= 1u << k;
    }
  }
  for (uint32_t k = 0; k < device->config.num_kernels; k++)
    if (device->context[k] && !(served >> k & 1))
      return qsm_fail(device, qsmErrorInvalidValue, "SM %u: slot %u would be left without an SM",
                      sm, k);
  return qsmSuccess;
}

// The SM manager gives back what it has, a cycle per SM, after its scheme was left.
static qsmError_t request_move(struct qsm_device *device, uint32_t sm, qsmSmUse use,
                               uint32_t slot) {
  bool accepted = false;
  qsmError_t error = qsmSuccess;
  uint64_t until = qsm_device_cycle(device) + 2 * device->config.qos_lat + GIVE_BACK_CYCLES;
  while (!error && !accepted && qsm_device_cycle(device) < until)
    error = qsm_register_try(
        device, QSM_REG_SM_MOVE,
        sm | slot << QSM_REG_SM_MOVE_SLOT_SHIFT | (uint32_t)use << QSM_REG_SM_MOVE_USAGE_SHIFT,
        &accepted);
  if (error || accepted) return error;
  return qsm_fail(device, qsmErrorBusy, "SM %u: the SM manager still gives SMs back", sm);
}

qsmError_t qsmMoveSm(qsmDevice_t handle, uint32_t sm, qsmSmUse use, qsmContext_t owner) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  const struct qsm_context *context = use == qsmSmOwned ? qsm_context_of(owner) : NULL;
  qsmError_t error = check_sm(device, sm);
  if (!error)
    error = qsm_check_value(device, "use of an SM", use, qsm_sm_use_name, QSM_SM_USE_COUNT);
  if (error) return error;
  if (use == qsmSmOwned && !context) return qsmErrorInvalidHandle;
  if (context && context->device != device)
    return qsm_fail(device, qsmErrorInvalidValue, "SM %u: the owner is on another device", sm);
  if (context && qsm_check_has_slot(context, "an SM of its own")) return qsmErrorStream;
  if (qsm_scheme_whole_sms(device->scheme))
    return qsm_fail(device, qsmErrorBusy, "SM %u: under scheme %s the SM manager moves the SMs", sm,
                    qsm_scheme_name(device->scheme));
  uint32_t slot = context ? context->slot : 0;
  error = check_everybody_has_one(device, sm, use, slot);
  return error ? error : request_move(device, sm, use, slot);
}
