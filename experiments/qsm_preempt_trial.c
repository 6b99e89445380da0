// SPDX-License-Identifier: Apache-2.0
#include "qsm_preempt_trial.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "qsm_regs.h"

enum {
  WAVES = 4,                 // blocks of a launch: so many times what fits in the GPU's warps
  LAUNCH_LIMIT = 100000000,  // cycles; no launch takes as many
  TRIES = 8,                 // moments drawn for one that counts
  STRIDE = 1031,             // as in preempt_kernels.c, like these two:
};
static const uint32_t factor = 1664525u, increment = 1013904223u;

const char *const qsm_trial_kernel_names[QSM_TRIAL_KERNELS] = {"compute", "memory"};
const char *const qsm_trial_technique_names[3] = {"switch", "drain", "flush"};

// A launch on a GPU of its own.
struct session {
  qsmDevice_t device;
  qsmContext_t context;
  uint32_t output, n_threads;
  uint64_t begin, end;  // cycles
};

static int fail(struct qsm_trials *trials, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(trials->msg, sizeof trials->msg, format, arguments);
  va_end(arguments);
  return -1;
}

static int fail_as(struct qsm_trials *trials, const struct session *session, qsmError_t error) {
  return fail(trials, "%s: %s", qsmGetErrorString(error), qsmGetLastErrorText(session->device));
}

// ---- The kernels once more ----

static uint32_t step(uint32_t x) { return x * factor + increment; }

static uint32_t expected(const struct qsm_trials *trials, const struct qsm_trial_shape *shape,
                         uint32_t thread) {
  uint32_t n = shape->warps * trials->config.warp_size, words = shape->shared_bytes / 4, sum = 0;
  for (uint32_t i = thread % n; i < words; i += n) sum += step(thread / n + words - 1 - i);
  uint32_t x =
      shape->kernel == QSM_TRIAL_COMPUTE ? trials->input[thread % QSM_TRIAL_INPUT_WORDS] : 0;
  for (uint32_t i = 0; i < trials->rounds; i++)
    x = shape->kernel == QSM_TRIAL_COMPUTE
            ? step(x) ^ x >> 15
            : x + trials->input[(thread + i * STRIDE) % QSM_TRIAL_INPUT_WORDS];
  return x + sum;
}

// ---- A launch ----

static void note_end(void *end, const qsmLaunchResult *result) {
  *(uint64_t *)end = result->end_cycle;
}

static int start(struct qsm_trials *trials, const struct qsm_trial_shape *shape,
                 struct session *session) {
  const struct qsm_config *config = &trials->config;
  char msg[256];
  *session = (struct session){0};
  if (qsmDeviceOpen("model", trials->config_name, NULL, &session->device, msg, sizeof msg))
    return fail(trials, "%s", msg);
  uint32_t n_blocks = WAVES * config->num_sms * config->warps_per_sm / shape->warps,
           n_threads = shape->warps * config->warp_size, input = 0;
  session->n_threads = n_blocks * n_threads;
  qsmError_t error = qsmContextCreate(session->device, &session->context);
  if (!error) error = qsmSetSaveArea(session->context, 1);
  if (!error) error = qsmSetIdempotent(session->context, true);
  if (!error) error = qsmModuleLoad(session->context, trials->program);
  if (!error) error = qsmMalloc(session->context, sizeof trials->input, &input);
  if (!error) error = qsmMalloc(session->context, 4 * session->n_threads, &session->output);
  if (!error) error = qsmMemcpyHtoD(session->context, input, trials->input, sizeof trials->input);
  session->begin = qsmDeviceCycle(session->device);
  const uint32_t args[] = {session->output, input, trials->rounds, shape->shared_bytes / 4};
  if (!error)
    error = qsmLaunchKernel(session->context, qsm_trial_kernel_names[shape->kernel],
                            (qsmDim3){n_blocks, 1, 1}, (qsmDim3){n_threads, 1, 1}, args, 4,
                            shape->shared_bytes, NULL, note_end, &session->end);
  return error ? fail_as(trials, session, error) : 0;
}

// Waits for the end and checks every output.
static int finish(struct qsm_trials *trials, const struct qsm_trial_shape *shape,
                  struct session *session) {
  qsmError_t error = qsmContextSynchronize(session->context, LAUNCH_LIMIT);
  uint32_t *seen = calloc(session->n_threads, sizeof *seen), n_wrong = 0;
  if (!seen) return fail(trials, "out of memory");
  if (!error)
    error = qsmMemcpyDtoH(session->context, seen, session->output, 4 * session->n_threads);
  for (uint32_t i = 0; i < session->n_threads; i++)
    n_wrong += seen[i] != expected(trials, shape, i);
  free(seen);
  if (error) return fail_as(trials, session, error);
  if (!n_wrong) return 0;
  return fail(trials, "%s, blocks of %u warps: %u of %u outputs are wrong",
              qsm_trial_kernel_names[shape->kernel], shape->warps, n_wrong, session->n_threads);
}

int qsm_trial_undisturbed(struct qsm_trials *trials, const struct qsm_trial_shape *shape,
                          uint64_t *n_cycles) {
  struct session session;
  int failed = start(trials, shape, &session) || finish(trials, shape, &session) ? -1 : 0;
  if (!failed) *n_cycles = session.end - session.begin;
  qsmDeviceClose(session.device);
  return failed;
}

// ---- A preemption ----

// Reads a register in each cycle until its field has the value, or until it has another one; *field
// gets it.
static int poll(struct qsm_trials *trials, struct session *session, uint32_t address, uint32_t mask,
                uint32_t until, bool equal, uint32_t *field) {
  uint64_t limit = qsmDeviceCycle(session->device) + LAUNCH_LIMIT;
  uint32_t value = 0;
  do {
    qsmError_t error = qsmRegisterRead(session->device, (uint16_t)address, &value);
    if (error) return fail_as(trials, session, error);
    if (qsmDeviceCycle(session->device) > limit)
      return fail(trials, "a preemption does not end: register 0x%04X is 0x%08X", address, value);
  } while (((value & mask) == until) != equal);
  *field = value & mask;
  return 0;
}

// *met: the block was there and was taken before it ended by itself.
static int preempt(struct qsm_trials *trials, struct session *session, qsmTechnique technique,
                   struct qsm_trial_cost *cost, bool *met) {
  uint32_t slot = qsmContextSlot(session->context),
           saved = QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot + QSM_SLOT_SAVED, field;
  *met = false;
  qsmError_t error = qsmDeviceRunUntil(session->device, session->begin + cost->at);
  if (!error) error = qsmRegisterWrite(session->device, QSM_REG_SM_SELECT, cost->sm);
  uint64_t request = qsmDeviceCycle(session->device);
  if (!error)
    error = qsmRegisterWrite(session->device, QSM_REG_PREEMPT,
                             cost->sm | slot << QSM_REG_PREEMPT_SLOT_SHIFT |
                                 (uint32_t)technique << QSM_REG_PREEMPT_TECHNIQUE_SHIFT);
  if (error) return fail_as(trials, session, error);
  if (poll(trials, session, QSM_REG_PREEMPT_STATUS, QSM_REG_PREEMPT_STATUS_CODE_MASK,
           1 /* being examined */, false, &field))
    return -1;
  if (field != 2 /* accepted */) return 0;
  if (poll(trials, session, QSM_REG_SMSEL_JOB, QSM_REG_SMSEL_JOB_RESULT_MASK,
           1 << QSM_REG_SMSEL_JOB_RESULT_SHIFT, false, &field))
    return -1;
  cost->done = qsmDeviceCycle(session->device) - request;
  *met = field >> QSM_REG_SMSEL_JOB_RESULT_SHIFT == qsmPreemptDone;
  if (!*met || technique == qsmTechniqueDrain) return 0;
  if (poll(trials, session, saved, QSM_SLOT_SAVED_QUEUED_MASK, 0, true, &field)) return -1;
  uint64_t dispatch = qsmDeviceCycle(session->device);
  if (poll(trials, session, saved, QSM_SLOT_SAVED_IMAGES_MASK, 0, true, &field)) return -1;
  cost->restore = qsmDeviceCycle(session->device) - dispatch;
  cost->away = qsmDeviceCycle(session->device) - request;
  return 0;
}

// At a moment drawn from the middle half of the launch, when all SMs are full.
static int try_once(struct qsm_trials *trials, const struct qsm_trial_shape *shape,
                    qsmTechnique technique, uint64_t undisturbed, struct qsm_trial_cost *cost,
                    bool *met) {
  struct session session;
  *cost = (struct qsm_trial_cost){
      .sm = qsm_random_below(&trials->random, trials->config.num_sms),
      .at = undisturbed / 4 + qsm_random_below(&trials->random, (uint32_t)(undisturbed / 2))};
  int failed = start(trials, shape, &session) || preempt(trials, &session, technique, cost, met) ||
                       finish(trials, shape, &session)
                   ? -1
                   : 0;
  cost->added = (int64_t)(session.end - session.begin) - (int64_t)undisturbed;
  qsmDeviceClose(session.device);
  return failed;
}

int qsm_trial_preempted(struct qsm_trials *trials, const struct qsm_trial_shape *shape,
                        qsmTechnique technique, uint64_t undisturbed, struct qsm_trial_cost *cost) {
  for (uint32_t i = 0; i < TRIES; i++) {
    bool met = false;
    if (try_once(trials, shape, technique, undisturbed, cost, &met)) return -1;
    if (met) return 0;
  }
  return fail(trials, "%s, blocks of %u warps: no block to %s at %u moments",
              qsm_trial_kernel_names[shape->kernel], shape->warps,
              qsm_trial_technique_names[technique], TRIES);
}

int qsm_trials_open(struct qsm_trials *trials) {
  qsmDevice_t device;
  char msg[256];
  if (qsmDeviceOpen("model", trials->config_name, NULL, &device, msg, sizeof msg))
    return fail(trials, "%s", msg);
  trials->config = *qsmDeviceConfig(device);
  qsmDeviceClose(device);
  trials->random = qsm_random_seed(trials->seed);
  for (uint32_t i = 0; i < QSM_TRIAL_INPUT_WORDS; i++)
    trials->input[i] = qsm_random_next(&trials->random);
  return 0;
}
