// SPDX-License-Identifier: Apache-2.0
// What a launch that does not end is waiting for, by the GPU's registers: the block of the hardware
// that keeps it.
#include <stdio.h>

#include "qsm_internal.h"
#include "qsm_regs.h"

enum { WINDOW_CYCLES = 1000 };

// Of one context, summed over the SMs.
struct standing {
  uint32_t resident, target;  // thread blocks
  uint32_t queued, hold;      // saved blocks that wait; PREEMPT_HOLD
  uint32_t moving_sm,
      moving;  // an SM that saves or restores one of its blocks, and its SMSEL_JOB; 0: none
  uint64_t warps[QSM_STALL_COUNT];  // warp-cycles by reason (R-IS-6) in the window
};

// Reasons of R-IS-6 from 1 on: who keeps the warps, and why.
static const char *const keeper[QSM_STALL_COUNT] = {
    [QSM_STALL_BARRIER] = "barrier: they wait for the other warps of their block",
    [QSM_STALL_NO_INSTRUCTION] = "fetch: they have no instruction",
    [QSM_STALL_LONG_SCOREBOARD] = "load/store unit: they wait for memory",
    [QSM_STALL_SHORT_SCOREBOARD] = "scoreboard: they wait for results",
    [QSM_STALL_QUOTA] = "quota gate: their quota is spent",
    [QSM_STALL_PIPE_THROTTLE] = "issue: the units are busy",
    [QSM_STALL_NOT_SELECTED] = "issue: warps of others go first"};

// Adds the counters' values, or takes them away.
static qsmError_t count_reasons(struct qsm_context *context, bool add, uint64_t *warps) {
  struct qsm_device *device = context->device;
  qsmError_t error = qsmSuccess;
  for (uint32_t sub = 0; sub < device->config.num_sched; sub++)
    for (uint32_t reason = 0; !error && reason < QSM_STALL_COUNT; reason++) {
      uint32_t value = 0;
      error = qsm_register_write(device, QSM_REG_STALL_SELECT,
                                 reason << QSM_REG_STALL_SELECT_REASON_SHIFT |
                                     context->slot << QSM_REG_STALL_SELECT_SLOT_SHIFT |
                                     sub << QSM_REG_STALL_SELECT_SUBCORE_SHIFT);
      if (!error) error = qsm_register_read(device, QSM_REG_STALL_VALUE, &value);
      warps[reason] += add ? value : 0 - (uint64_t)value;
    }
  return error;
}

// The counters wrap at 32 bits: so does their sum.
static qsmError_t watch(struct qsm_context *context, struct standing *standing) {
  struct qsm_device *device = context->device;
  qsmError_t error = qsmSuccess;
  for (uint32_t add = 0; !error && add < 2; add++) {
    for (uint32_t sm = 0; !error && sm < device->config.num_sms; sm++) {
      error = qsm_register_write(device, QSM_REG_SM_SELECT, sm);
      if (!error) error = count_reasons(context, add, standing->warps);
    }
    if (!error && !add)
      error = qsm_device_run_until(device, qsm_device_cycle(device) + WINDOW_CYCLES);
  }
  for (uint32_t reason = 0; reason < QSM_STALL_COUNT; reason++)
    standing->warps[reason] = (uint32_t)standing->warps[reason];
  return error;
}

static qsmError_t read_sm(struct qsm_context *context, uint32_t sm, struct standing *standing) {
  struct qsm_device *device = context->device;
  uint32_t slot = context->slot, tbs = 0, job = 0;
  qsmError_t error = qsm_register_write(device, QSM_REG_SM_SELECT, sm);
  if (!error)
    error = qsm_register_read(
        device, (uint16_t)(QSM_SMSEL_BASE + QSM_SMSEL_STRIDE * slot + QSM_SMSEL_TBS), &tbs);
  if (!error) error = qsm_register_read(device, QSM_REG_SMSEL_JOB, &job);
  standing->resident += qsm_field(tbs, QSM_SMSEL_TBS_RESIDENT_MASK, QSM_SMSEL_TBS_RESIDENT_SHIFT);
  standing->target += qsm_field(tbs, QSM_SMSEL_TBS_TARGET_MASK, QSM_SMSEL_TBS_TARGET_SHIFT);
  if ((job & QSM_REG_SMSEL_JOB_KIND_MASK) &&
      qsm_field(job, QSM_REG_SMSEL_JOB_SLOT_MASK, QSM_REG_SMSEL_JOB_SLOT_SHIFT) == slot) {
    standing->moving_sm = sm;
    standing->moving = job;
  }
  return error;
}

static qsmError_t look(struct qsm_context *context, struct standing *standing) {
  uint32_t saved = 0;
  qsmError_t error = watch(context, standing);
  if (!error) error = qsm_slot_read(context, QSM_SLOT_SAVED, &saved);
  if (!error) error = qsm_slot_read(context, QSM_SLOT_PREEMPT_HOLD, &standing->hold);
  standing->queued = qsm_field(saved, QSM_SLOT_SAVED_QUEUED_MASK, QSM_SLOT_SAVED_QUEUED_SHIFT);
  for (uint32_t sm = 0; !error && sm < context->device->config.num_sms; sm++)
    error = read_sm(context, sm, standing);
  return error;
}

static void without_blocks(const struct standing *standing, char *text, size_t text_len) {
  if (standing->moving)
    snprintf(text, text_len, "preemption: SM %u moves a block of it (SMSEL_JOB 0x%08X)",
             standing->moving_sm, standing->moving);
  else if (standing->queued && standing->hold)
    snprintf(text, text_len, "preemption: %u saved blocks are held back by PREEMPT_HOLD",
             standing->queued);
  else if (standing->target == 0)
    snprintf(text, text_len,
             "TB allocation: no SM has room for one of its blocks beside the others'");
  else
    snprintf(text, text_len, "TB dispatch: it may have %u blocks and none is on an SM",
             standing->target);
}

static void with_blocks(const struct standing *standing, bool counted, char *text,
                        size_t text_len) {
  uint32_t most = QSM_STALL_SELECTED + 1;
  for (uint32_t reason = most + 1; reason < QSM_STALL_COUNT; reason++)
    if (standing->warps[reason] > standing->warps[most]) most = reason;
  if (!counted)
    snprintf(text, text_len,
             "%u of its blocks are on the SMs; this GPU does not count why warps do not issue",
             standing->resident);
  else if (standing->warps[QSM_STALL_SELECTED])
    snprintf(text, text_len, "running: its warps issued %llu instructions in %d cycles",
             (unsigned long long)standing->warps[QSM_STALL_SELECTED], WINDOW_CYCLES);
  else
    snprintf(text, text_len, "%s (%u blocks on the SMs)", keeper[most], standing->resident);
}

qsmError_t qsmExplainWait(qsmContext_t handle, char *text, size_t text_len) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  if (qsm_check_has_slot(context, "an explanation")) return qsmErrorStream;
  qsmError_t error = qsm_check_pointer(context->device, text, "the text");
  if (!error) error = qsm_check_outside(context->device);
  if (error) return error;
  struct standing standing = {0};
  uint32_t status = 0;
  error = look(context, &standing);
  if (!error) error = qsm_slot_read(context, QSM_SLOT_STATUS, &status);
  if (error) return error;
  if (!(status & QSM_SLOT_STATUS_BUSY_MASK))
    snprintf(text, text_len, "idle: no launch of it is under way");
  else if (standing.resident)
    with_blocks(&standing, context->device->config.stall_counters, text, text_len);
  else
    without_blocks(&standing, text, text_len);
  return qsmSuccess;
}
