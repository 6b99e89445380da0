// SPDX-License-Identifier: Apache-2.0
// Frames beside a batch job: first so many per second, then, while both run, each within a
// deadline.
//   frames PROGRAM.elf [model|rtl|lockstep [CONFIGURATION]]
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "qsm_config.h"
#include "qsm_runtime.h"

enum {
  PIXELS = 4096,
  BLOCK_THREADS = 16,
  STEPS = 12,
  BATCH_ROUNDS = 40,
  EPOCH = 5000,
  SETTLE_CYCLES = 100000,
  MEASURED_CYCLES = 600000
};

// A tenant whose launch is submitted again whenever it ends.
struct tenant {
  qsmContext_t context;
  qsmLaunch launch;
  uint32_t args[2];
  uint64_t n_ended, first_end, last_end;  // since the count began
  qsmError_t error;
};

static int32_t frame[PIXELS], filtered[PIXELS];

static void again(void *user, const qsmLaunchResult *result);

static qsmError_t submit(struct tenant *tenant) {
  const qsmLaunch *launch = &tenant->launch;
  return qsmLaunchKernel(tenant->context, launch->kernel, launch->grid, launch->block, launch->args,
                         launch->n_args, launch->shared_bytes, NULL, again, tenant);
}

static void again(void *user, const qsmLaunchResult *result) {
  struct tenant *tenant = user;
  if (tenant->n_ended++ == 0) tenant->first_end = result->end_cycle;
  tenant->last_end = result->end_cycle;
  if (!result->killed) tenant->error = submit(tenant);
}

static qsmError_t set_up(qsmDevice_t device, const char *path, const char *kernel,
                         struct tenant *tenant) {
  qsmError_t error = qsmContextCreate(device, &tenant->context);
  if (!error) error = qsmModuleLoad(tenant->context, path);
  tenant->launch = (qsmLaunch){.kernel = kernel,
                               .grid = {PIXELS / BLOCK_THREADS, 1, 1},
                               .block = {BLOCK_THREADS, 1, 1},
                               .args = tenant->args,
                               .n_args = 2};
  return error;
}

static qsmError_t set_up_frames(qsmDevice_t device, const char *path, struct tenant *frames) {
  qsmError_t error = set_up(device, path, "filter", frames);
  for (int i = 0; i < PIXELS; i++) frame[i] = (i * 37) % 256;
  if (!error) error = qsmMalloc(frames->context, sizeof frame, &frames->args[0]);
  if (!error) error = qsmMalloc(frames->context, sizeof frame, &frames->args[1]);
  return error ? error : qsmMemcpyHtoD(frames->context, frames->args[0], frame, sizeof frame);
}

static qsmError_t set_up_batch(qsmDevice_t device, const char *path, struct tenant *batch) {
  qsmError_t error = set_up(device, path, "batch", batch);
  batch->args[1] = BATCH_ROUNDS;
  return error ? error : qsmMalloc(batch->context, PIXELS * sizeof(uint32_t), &batch->args[0]);
}

// Sets the goal and says how often a frame ends under it, once the quotas have settled.
static qsmError_t show(qsmDevice_t device, struct tenant *frames, struct tenant *batch,
                       const qsmGoal *goal, const char *what) {
  const struct qsm_config *config = qsmDeviceConfig(device);
  uint32_t goal_q16 = 0;
  char msg[200];
  qsmError_t error = qsmSetGoal(frames->context, goal);
  if (!error) error = qsmDeviceRunUntil(device, qsmDeviceCycle(device) + SETTLE_CYCLES);
  frames->n_ended = batch->n_ended = 0;
  if (!error) error = qsmDeviceRunUntil(device, qsmDeviceCycle(device) + MEASURED_CYCLES);
  if (!error) error = frames->error ? frames->error : batch->error;
  if (error || qsmTranslateGoal(config, goal, &goal_q16, msg, sizeof msg)) return error;
  double period_us = (double)(frames->last_end - frames->first_end) /
                     (double)(frames->n_ended - 1) / config->clock_mhz;
  printf("%s: goal %.3f thread instructions per cycle; %" PRIu64 " frames, one in %.0f us; %" PRIu64
         " batches beside them\n",
         what, goal_q16 / 65536.0, frames->n_ended, period_us, batch->n_ended);
  return qsmSuccess;
}

static int count_wrong(struct tenant *frames) {
  int n_wrong = 0;
  if (qsmMemcpyDtoH(frames->context, filtered, frames->args[1], sizeof filtered)) return PIXELS;
  for (int i = 0; i < PIXELS; i++) {
    int32_t v = frame[i];
    for (int step = 0; step < STEPS; step++) v += (v * (255 - v)) >> 10;
    n_wrong += filtered[i] != v;
  }
  return n_wrong;
}

static qsmError_t run(qsmDevice_t device, const char *path, int *n_wrong) {
  struct tenant frames = {0}, batch = {0};
  qsmGoal rate = {.kind = qsmGoalRate,
                  .value = 1000 * 1000 /* 1000 per second */,
                  .bytes = sizeof frame,
                  .copies = 2,
                  .overlapped = true};
  qsmError_t error = qsmSetScheduling(device, qsmPolicyGto, qsmSchemeRollover, EPOCH);
  if (!error) error = set_up_frames(device, path, &frames);
  if (!error) error = set_up_batch(device, path, &batch);
  if (!error)
    error = qsmMeasureIsolated(frames.context, &frames.launch, 10 * MEASURED_CYCLES, &rate);
  if (error) return error;
  printf("a frame: %" PRIu64 " thread instructions, alone %.3f per cycle\n", rate.instructions,
         rate.isolated_ipc_q16 / 65536.0);
  qsmGoal deadline = rate;
  deadline.kind = qsmGoalDeadline;
  deadline.value = 450 * 1000;
  deadline.overlapped = false;
  error = qsmSetGoal(frames.context, &rate);
  if (!error) error = submit(&frames);
  if (!error) error = submit(&batch);
  if (!error) error = show(device, &frames, &batch, &rate, "1000 frames per second");
  if (!error)
    error = show(device, &frames, &batch, &deadline, "each within 450 us, copies and all");
  *n_wrong = count_wrong(&frames);
  return error;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 4) {
    fprintf(stderr, "usage: %s PROGRAM.elf [model|rtl|lockstep [CONFIGURATION]]\n", argv[0]);
    return EXIT_FAILURE;
  }
  char msg[256];
  qsmDevice_t device = NULL;
  if (qsmDeviceOpen(argc > 2 ? argv[2] : "model", argc > 3 ? argv[3] : "demo", NULL, &device, msg,
                    sizeof msg)) {
    fprintf(stderr, "frames: %s\n", msg);
    return EXIT_FAILURE;
  }
  int n_wrong = PIXELS;
  qsmError_t error = run(device, argv[1], &n_wrong);
  if (error)
    fprintf(stderr, "frames: %s: %s\n", qsmGetErrorString(error), qsmGetLastErrorText(device));
  else
    printf("%d of %d pixels wrong\n", n_wrong, PIXELS);
  qsmDeviceClose(device);
  return error || n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
