// SPDX-License-Identifier: Apache-2.0
// What a launch does alone: instructions and IPC, measured on a copy of its context (docs/goals.md
// R-GO-5).
#include "qsm_elf.h"
#include "qsm_internal.h"
#include "qsm_regs.h"

enum { POLL_CYCLES = 64 };  // less than the manager's figures stand (R-QM-3)

struct run {
  uint64_t begin, end;  // cycles after LAUNCH, and of the end
};

static void note_end(void *user, const qsmLaunchResult *result) {
  ((struct run *)user)->end = result->end_cycle;
}

static qsmError_t launch_alone(struct qsm_device *device, struct qsm_context *clone,
                               const qsmLaunch *launch, uint64_t max_cycles, struct run *run) {
  qsmError_t error = qsm_launch(clone, launch, note_end, run);
  run->begin = qsm_device_cycle(device);
  return error ? error : qsm_context_synchronize(clone, max_cycles);
}

// INSN counts what the snapshot of an epoch has seen: waits until a snapshot in `cycle` or later is
// in it.
static qsmError_t read_instructions(struct qsm_device *device, struct qsm_context *clone,
                                    uint64_t cycle, uint64_t *n) {
  uint16_t slot = (uint16_t)(QSM_SLOT_BASE + QSM_SLOT_STRIDE * clone->slot);
  uint32_t snapshot = 0, low = 0, high = 0;
  qsmError_t error = qsmSuccess;
  do {
    error = qsm_device_run_until(device, qsm_device_cycle(device) + POLL_CYCLES);
    if (!error) error = qsm_register_read(device, QSM_REG_EPOCH_E_LO, &snapshot);
  } while (!error && (int32_t)(snapshot - (uint32_t)cycle) < 0);
  if (!error) error = qsm_register_read(device, (uint16_t)(slot + QSM_SLOT_INSN_LO), &low);
  if (!error) error = qsm_register_read(device, (uint16_t)(slot + QSM_SLOT_INSN_HI), &high);
  *n = (uint64_t)high << 32 | low;
  return error;
}

// The first launch fills the instruction caches; the second finds the memory that the first found.
static qsmError_t measure(struct qsm_context *context, struct qsm_device *device,
                          struct qsm_context *clone, const qsmLaunch *launch, uint64_t max_cycles,
                          qsmGoal *into) {
  struct run run = {0};
  uint64_t before = 0, after = 0;
  qsmError_t error = qsm_context_copy_memory(context, clone);
  if (!error) error = launch_alone(device, clone, launch, max_cycles, &run);
  if (!error) error = read_instructions(device, clone, run.end, &before);
  if (!error) error = qsm_context_copy_memory(context, clone);
  if (!error) error = launch_alone(device, clone, launch, max_cycles, &run);
  if (!error) error = read_instructions(device, clone, run.end, &after);
  if (error) return error;
  into->instructions = after - before;
  into->isolated_ipc_q16 =
      (uint32_t)(((unsigned __int128)into->instructions << 16) / (run.end - run.begin));
  return qsmSuccess;
}

static void learn(struct qsm_context *context, const qsmLaunch *launch, const qsmGoal *measured) {
  const struct qsm_kernel *kernel = qsm_program_kernel(context->program, launch->kernel);
  if (kernel)
    qsm_deadline_learn(context, context->program_at + kernel->offset, launch->grid,
                       measured->instructions);
}

qsmError_t qsmMeasureIsolated(qsmContext_t handle, const qsmLaunch *launch, uint64_t max_cycles,
                              qsmGoal *into) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  if (qsm_check_has_slot(context, "a measurement alone")) return qsmErrorStream;
  if (!launch || !into)
    return qsm_check_pointer(context->device, NULL, launch ? "the goal" : "the launch");
  struct qsm_device *device = NULL;
  struct qsm_context *clone = NULL;
  qsmLaunch alone = *launch;
  alone.deadline_cycles = alone.work = 0;
  qsmError_t error = qsm_context_clone(context, &device, &clone);
  if (error) return error;
  error = measure(context, device, clone, &alone, max_cycles, into);
  if (!error) learn(context, launch, into);
  if (error) qsm_device_take_error(context->device, error, device);
  qsm_device_close(device);
  return error;
}
