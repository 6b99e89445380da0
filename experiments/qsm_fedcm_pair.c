// SPDX-License-Identifier: Apache-2.0
#include "qsm_fedcm_pair.h"

#include <stdio.h>
#include <string.h>

#include "qsm_config.h"

enum { MOST_CYCLES = 100000000, STREAMS = 2 };

struct side {
  struct qsm_fedcm_pair_side *of;
  qsmDevice_t device;
  qsmContext_t context;
  qsmStream_t stream;
  struct qsm_app_run *run;
  uint32_t step;
  uint64_t launched, until, sum;  // cycles
  uint32_t n;
  bool killed;
  qsmError_t error;
};

static int fail(const struct side *side, const char *what, const char *why, char *msg,
                size_t msg_len) {
  snprintf(msg, msg_len, "%s of %s: %s: %s", side->of->kernel, side->of->app->name, what, why);
  return -1;
}

static int find_step(struct side *side, char *msg, size_t msg_len) {
  for (side->step = 0; side->step < qsm_app_step_count(side->run); side->step++)
    if (strcmp(qsm_app_step(side->run, side->step)->kernel, side->of->kernel) == 0) return 0;
  return fail(side, "step", "there is none with this kernel", msg, msg_len);
}

static int open_side(struct side *side, const char *kernel_folder, enum qsm_app_size size,
                     char *msg, size_t msg_len) {
  size_t bytes = qsm_app_context_bytes(side->of->app, size, qsmDeviceConfig(side->device), STREAMS);
  if (qsmContextCreateOnChannels(side->device, bytes, &side->context) ||
      qsmContextAllowLaunchMasks(side->context, true) ||
      qsmStreamCreate(side->context, &side->stream))
    return fail(side, "context", qsmGetLastErrorText(side->device), msg, msg_len);
  const struct qsm_app_options options = {.size = size,
                                          .weight_seed = 1,
                                          .input_seed = 1,
                                          .kernel_folder = kernel_folder,
                                          .stream = side->stream};
  if (qsm_app_create(side->of->app, &options, side->device, side->context, &side->run, msg,
                     msg_len) ||
      find_step(side, msg, msg_len))
    return -1;
  if (qsm_app_run_alone(side->run, MOST_CYCLES) ||
      qsmSetCachePolicy(side->context, side->of->policy))
    return fail(side, "first pass", qsmGetLastErrorText(side->device), msg, msg_len);
  return 0;
}

static void launch(struct side *side);

static void note_end(void *user, const qsmLaunchResult *result) {
  struct side *side = user;
  side->killed |= result->killed;
  if (result->end_cycle > side->until || result->killed) return;
  side->sum += result->end_cycle - side->launched;
  side->n++;
  launch(side);
}

static void launch(struct side *side) {
  qsmLaunch what = qsm_app_launch(side->run, side->step);
  what.sm_mask = side->of->mask;
  side->launched = qsmDeviceCycle(side->device);
  side->error = qsmLaunchKernelEx(side->context, &what, note_end, side);
}

// The step computes what it has computed in the pass, so the outputs stay right.
static int check_side(const struct side *side, char *msg, size_t msg_len) {
  struct qsm_app_difference difference;
  if (side->error || side->killed)
    return fail(side, "launch", qsmGetLastErrorText(side->device), msg, msg_len);
  if (side->n == 0) return fail(side, "launches", "none has ended in time", msg, msg_len);
  if (qsm_app_check(side->run, MOST_CYCLES, &difference))
    return fail(side, "check", qsmGetLastErrorText(side->device), msg, msg_len);
  return difference.n_wrong ? fail(side, difference.step, "wrong outputs", msg, msg_len) : 0;
}

static int run_sides(struct side *side, uint64_t n_cycles, char *msg, size_t msg_len) {
  qsmDevice_t device = side[0].device;
  uint64_t until = qsmDeviceCycle(device) + n_cycles;
  for (int i = 0; i < 2; i++) {
    side[i].until = until;
    if (side[i].of->kernel) launch(&side[i]);
  }
  // The ends of launches in streams are noticed by calls that let time pass.
  while (qsmDeviceCycle(device) < until)
    if (qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 32))
      return fail(side, "run", qsmGetLastErrorText(device), msg, msg_len);
  if (qsmDeviceSynchronize(device, MOST_CYCLES))
    return fail(side, "end", qsmGetLastErrorText(device), msg, msg_len);
  for (int i = 0; i < 2; i++) {
    if (!side[i].of->kernel) continue;
    if (check_side(&side[i], msg, msg_len)) return -1;
    side[i].of->cycles = (double)side[i].sum / side[i].n;
    side[i].of->n_launches = side[i].n;
  }
  return 0;
}

int qsm_fedcm_pair(const char *config, const char *kernel_folder, enum qsm_app_size size,
                   uint64_t n_cycles, struct qsm_fedcm_pair_side side[2], char *msg,
                   size_t msg_len) {
  struct side both[2] = {{.of = &side[0]}, {.of = &side[1]}};
  qsmDevice_t device;
  if (qsmDeviceOpen("model", config, NULL, &device, msg, msg_len)) return -1;
  int failed = 0;
  if (qsmSetScheduling(device, qsmPolicyGto, qsmSchemeNone, qsmDeviceConfig(device)->epoch) ||
      qsmDeviceUseChannels(device, 2, qsmChannelsConcurrent)) {
    snprintf(msg, msg_len, "%s", qsmGetLastErrorText(device));
    failed = -1;
  }
  for (int i = 0; i < 2; i++) {
    both[i].device = device;
    if (!failed && side[i].kernel) failed = open_side(&both[i], kernel_folder, size, msg, msg_len);
  }
  if (!failed) failed = run_sides(both, n_cycles, msg, msg_len);
  for (int i = 0; i < 2; i++) qsm_app_destroy(both[i].run);
  qsmDeviceClose(device);
  return failed;
}
