// SPDX-License-Identifier: Apache-2.0
// Deadlines of launches: their work, the slot's registers, what became of them (docs/deadlines.md).
#include "qsm_internal.h"
#include "qsm_regs.h"

enum { DEADLINE_MAX = 0x7fffffff };

// ---- Work ----

static struct qsm_kernel_work *find_work(struct qsm_context *context, uint32_t function) {
  for (uint32_t i = 0; i < QSM_KNOWN_WORK; i++)
    if (context->work[i].blocks && context->work[i].function == function) return &context->work[i];
  return NULL;
}

void qsm_deadline_learn(struct qsm_context *context, uint32_t function, qsmDim3 grid,
                        uint64_t instructions) {
  struct qsm_kernel_work *work = find_work(context, function);
  if (!work) work = &context->work[context->next_work++ % QSM_KNOWN_WORK];
  *work = (struct qsm_kernel_work){
      .function = function, .blocks = qsm_count_blocks(grid), .instructions = instructions};
}

void qsm_deadline_forget(struct qsm_context *context) {
  for (uint32_t i = 0; i < QSM_KNOWN_WORK; i++) context->work[i].blocks = 0;
}

// Of so many blocks as measured, rounded up.
static uint64_t work_of(const struct qsm_kernel_work *work, qsmDim3 grid) {
  unsigned __int128 all = (unsigned __int128)work->instructions * qsm_count_blocks(grid);
  all = (all + work->blocks - 1) / work->blocks;
  return all < UINT64_MAX ? (uint64_t)all : UINT64_MAX;
}

static qsmError_t refuse_form(struct qsm_context *context, const char *kernel) {
  if (qsm_on_channels(context))
    return qsm_fail(context->device, qsmErrorStream,
                    "kernel %s: deadlines (qsmLaunch.deadline_cycles) are for contexts with a "
                    "kernel slot",
                    kernel);
  if (context->workers.form)
    return qsm_fail(context->device, qsmErrorInvalidValue,
                    "kernel %s: a launch in workers has no deadline (qsmLaunch.deadline_cycles)",
                    kernel);
  return qsmSuccess;
}

qsmError_t qsm_deadline_describe(struct qsm_context *context, const qsmLaunch *what,
                                 struct qsm_pending *launch) {
  struct qsm_device *device = context->device;
  uint64_t work = what->work;
  if (!what->deadline_cycles) return qsmSuccess;
  qsmError_t error = refuse_form(context, what->kernel);
  if (error) return error;
  if (what->deadline_cycles > DEADLINE_MAX)
    return qsm_fail(device, qsmErrorInvalidValue,
                    "kernel %s: a deadline of %llu cycles, must be 0..%u", what->kernel,
                    (unsigned long long)what->deadline_cycles, (uint32_t)DEADLINE_MAX);
  if (!work) {
    const struct qsm_kernel_work *known = find_work(context, launch->function);
    if (!known)
      return qsm_fail(device, qsmErrorGoal,
                      "kernel %s: the work of a launch with a deadline is not known: say it "
                      "(qsmLaunch.work), or measure the kernel before (qsmMeasureIsolated)",
                      what->kernel);
    work = work_of(known, what->grid);
  }
  if (work > UINT32_MAX)
    return qsm_fail(device, qsmErrorInvalidValue,
                    "kernel %s: a deadline for %llu thread instructions, must be at most %u",
                    what->kernel, (unsigned long long)work, UINT32_MAX);
  launch->deadline_cycles = (uint32_t)what->deadline_cycles;
  launch->deadline_cycle = qsm_device_cycle(device) + what->deadline_cycles;
  launch->work = (uint32_t)work;
  return qsmSuccess;
}

// ---- Registers ----

// What is left of it when it begins or goes on, less a reserve, since the last blocks of a launch
// do not fill the GPU; one that has passed begins with 1 left.
static uint32_t left_of(const struct qsm_context *context, const struct qsm_pending *launch) {
  uint64_t now = qsm_device_cycle(context->device);
  if (launch->deadline_cycle <= now) return 1;
  uint32_t left = (uint32_t)(launch->deadline_cycle - now);
  uint32_t reserve = context->device->epoch_cycles;
  return left - (reserve < left / 8 ? reserve : left / 8);
}

qsmError_t qsm_deadline_write(struct qsm_context *context, const struct qsm_pending *launch) {
  if (!launch->deadline_cycles && !context->timed) return qsmSuccess;
  context->timed = launch->deadline_cycles != 0;
  qsmError_t error =
      qsm_slot_write(context, QSM_SLOT_DEADLINE, context->timed ? left_of(context, launch) : 0);
  return error || !context->timed ? error : qsm_slot_write(context, QSM_SLOT_WORK, launch->work);
}

// ---- What became of them ----

void qsm_deadline_ended(struct qsm_context *context, const struct qsm_pending *launch,
                        qsmLaunchResult *result) {
  qsmDeadlines *counts = &context->deadlines;
  if (!launch->deadline_cycles) return;
  int64_t slack = (int64_t)(launch->deadline_cycle - result->end_cycle);
  bool met = !result->killed && slack >= 0;
  result->deadline_cycle = launch->deadline_cycle;
  result->missed = !met;
  if (result->killed) {
    counts->n_killed++;
    return;
  }
  if (met)
    counts->n_met++;
  else
    counts->n_missed++;
  if (counts->n_met + counts->n_missed == 1 || slack < counts->least_slack)
    counts->least_slack = slack;
  counts->slack_sum += slack;
}

qsmError_t qsmReadDeadlines(qsmContext_t handle, qsmDeadlines *deadlines) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  if (qsm_check_has_slot(context, "deadlines")) return qsmErrorStream;
  if (!deadlines) return qsm_check_pointer(context->device, deadlines, "the deadlines");
  *deadlines = context->deadlines;
  return qsmSuccess;
}

qsmError_t qsmClearDeadlines(qsmContext_t handle) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  if (qsm_check_has_slot(context, "deadlines")) return qsmErrorStream;
  context->deadlines = (qsmDeadlines){0};
  return qsmSuccess;
}
