// SPDX-License-Identifier: Apache-2.0
// Preemption of a thread block: the request, and the wait for its end (docs/preemption.md); its use
// by the GPU itself, in adjustment.
#include <stdio.h>

#include "qsm_internal.h"
#include "qsm_regs.h"

enum { POLL_CYCLES = 16, TEXT_BYTES = 256 };

// Until the GPU has decided: it looks at one request at a time.
static qsmError_t request_preemption(struct qsm_device *device, uint32_t request,
                                     uint32_t *status) {
  qsmError_t error = qsm_register_write(device, QSM_REG_PREEMPT, request);
  do {
    if (!error) error = qsm_register_read(device, QSM_REG_PREEMPT_STATUS, status);
  } while (!error && (*status & QSM_REG_PREEMPT_STATUS_CODE_MASK) == QSM_PREEMPT_EXAMINED);
  return error;
}

static qsmError_t refuse(struct qsm_device *device, uint32_t sm, uint32_t slot, uint32_t code) {
  char text[TEXT_BYTES];
  snprintf(text, sizeof text, "SM %u, slot %u: %s (code %u)", sm, slot, qsm_preempt_code_text(code),
           code);
  return qsm_fail(device, qsmErrorPreempt, "%s", text);
}

static qsmError_t give_up(struct qsm_device *device, uint32_t sm, uint32_t slot, uint32_t tb,
                          uint32_t job, uint64_t n_cycles) {
  char text[TEXT_BYTES];
  uint32_t phase = qsm_field(job, QSM_REG_SMSEL_JOB_PHASE_MASK, QSM_REG_SMSEL_JOB_PHASE_SHIFT);
  snprintf(text, sizeof text,
           "SM %u, slot %u, TB %u: preemption not done after %llu cycles, phase %u (%s)", sm, slot,
           tb, (unsigned long long)n_cycles, phase, qsm_save_phase_text(phase));
  return qsm_fail(device, qsmErrorTimeout, "%s", text);
}

static qsmError_t read_job(struct qsm_device *device, uint32_t sm, uint32_t *job) {
  qsmError_t error = qsm_register_write(device, QSM_REG_SM_SELECT, sm);
  return error ? error : qsm_register_read(device, QSM_REG_SMSEL_JOB, job);
}

qsmError_t qsmPreempt(qsmDevice_t handle, uint32_t sm, qsmContext_t tenant, qsmTechnique technique,
                      uint64_t max_cycles, qsmPreemptResult *result) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  struct qsm_context *context = qsm_context_of(tenant);
  if (!context) return qsmErrorInvalidHandle;
  if (qsm_check_has_slot(context, "a preemption")) return qsmErrorStream;
  if (context->device != device)
    return qsm_fail(device, qsmErrorInvalidValue, "preemption: the context is another device's");
  qsmError_t error = qsm_check_pointer(device, result, "the result");
  if (!error) error = qsm_check_outside(device);
  if (error) return error;
  uint64_t begin = qsm_device_cycle(device);
  uint32_t slot = context->slot, status = 0, job = 0;
  if (sm >= device->config.num_sms)
    return qsm_fail(device, qsmErrorInvalidValue, "preemption: SM %u: must be 0..%u", sm,
                    device->config.num_sms - 1);
  error = qsm_check_value(device, "preemption: technique", technique, qsm_technique_name,
                          QSM_TECHNIQUE_COUNT);
  if (error) return error;
  error = request_preemption(device,
                             sm | slot << QSM_REG_PREEMPT_SLOT_SHIFT |
                                 (uint32_t)technique << QSM_REG_PREEMPT_TECHNIQUE_SHIFT,
                             &status);
  if (error) return error;
  uint32_t code = status & QSM_REG_PREEMPT_STATUS_CODE_MASK,
           tb = qsm_field(status, QSM_REG_PREEMPT_STATUS_TB_MASK, QSM_REG_PREEMPT_STATUS_TB_SHIFT);
  if (code != QSM_PREEMPT_ACCEPTED) return refuse(device, sm, slot, code);
  while (!(error = read_job(device, sm, &job))) {
    uint32_t how = qsm_field(job, QSM_REG_SMSEL_JOB_RESULT_MASK, QSM_REG_SMSEL_JOB_RESULT_SHIFT);
    uint64_t spent = qsm_device_cycle(device) - begin;
    if (how != QSM_RESULT_RUNNING) {
      *result = (qsmPreemptResult){.how = (qsmJobResult)how, .tb = tb, .n_cycles = spent};
      return qsmSuccess;
    }
    if (spent >= max_cycles) return give_up(device, sm, slot, tb, job, max_cycles);
    error = qsm_device_run_until(device, qsm_device_cycle(device) + POLL_CYCLES);
    if (error) return error;
  }
  return error;
}

qsmError_t qsmSetAdjustment(qsmDevice_t handle, qsmAdjustment adjustment) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  qsmError_t error =
      qsm_check_value(device, "adjustment", adjustment, qsm_adjustment_name, QSM_ADJUSTMENT_COUNT);
  if (error) return error;
  if (adjustment != qsmAdjustOff)
    error = qsm_register_write(device, QSM_REG_ADJUST_TECHNIQUE,
                               (uint32_t)adjustment - qsmAdjustSwitch);
  return error ? error : qsm_register_write(device, QSM_REG_ADJUST, adjustment != qsmAdjustOff);
}

qsmError_t qsmSetLatecomers(qsmDevice_t device, bool on) {
  return qsmRegisterWrite(device, QSM_REG_LATECOMERS, on);
}
