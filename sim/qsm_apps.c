// SPDX-License-Identifier: Apache-2.0
#include "qsm_apps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_config_yaml.h"
#include "qsm_run.h"

enum { MOST_CYCLES = 1000000000 };  // of a launch

int qsm_apps_list(void) {
  for (const struct qsm_app *const *app = qsm_apps; *app; app++)
    printf("%-12s %s\n", (*app)->name, (*app)->about);
  return QSM_EXIT_OK;
}

// ---- One application, alone on a GPU ----

struct alone {
  const struct qsm_apps_options *options;
  const struct qsm_app *app;
  qsmDevice_t device;
  qsmContext_t context;
  struct qsm_app_run *run;
  uint64_t *cycles;  // by step, from the call to what the host sees of the end
  uint64_t end_cycle;
};

static int complain(const char *text) {
  fprintf(stderr, "qsm: %s\n", text);
  return QSM_EXIT_BAD_INPUT;
}

static int open_alone(struct alone *alone) {
  char msg[512] = "", folder[1024];
  if (qsmDeviceOpen("model", alone->options->config, NULL, &alone->device, msg, sizeof msg))
    return complain(msg);
  if (qsmContextCreate(alone->device, &alone->context))
    return complain(qsmGetLastErrorText(alone->device));
  snprintf(folder, sizeof folder, "%s/build/sw", qsm_source_root());
  const struct qsm_app_options options = {.size = alone->options->size,
                                          .weight_seed = alone->options->seed,
                                          .input_seed = alone->options->seed,
                                          .kernel_folder = folder};
  if (qsm_app_create(alone->app, &options, alone->device, alone->context, &alone->run, msg,
                     sizeof msg))
    return complain(msg);
  alone->cycles = calloc(qsm_app_step_count(alone->run), sizeof *alone->cycles);
  return alone->cycles ? QSM_EXIT_OK : complain("out of memory");
}

static void close_alone(struct alone *alone) {
  free(alone->cycles);
  qsm_app_destroy(alone->run);
  qsmDeviceClose(alone->device);
}

static void note_end(void *user, const qsmLaunchResult *result) {
  ((struct alone *)user)->end_cycle = result->end_cycle;
}

static int fail(const struct alone *alone, const char *step, qsmError_t error) {
  fprintf(stderr, "qsm: application %s, %s: %s: %s\n", alone->app->name, step,
          qsmGetErrorString(error), qsmGetLastErrorText(alone->device));
  return QSM_EXIT_WRONG;
}

static int run_steps(struct alone *alone) {
  for (uint32_t i = 0; i < qsm_app_step_count(alone->run); i++) {
    qsmLaunch launch = qsm_app_launch(alone->run, i);
    uint64_t begin = qsmDeviceCycle(alone->device);
    qsmError_t error = qsmLaunchKernelEx(alone->context, &launch, note_end, alone);
    if (!error) error = qsmContextSynchronize(alone->context, MOST_CYCLES);
    if (error) return fail(alone, qsm_app_step(alone->run, i)->name, error);
    alone->cycles[i] = alone->end_cycle - begin;
  }
  return QSM_EXIT_OK;
}

static int check(const struct alone *alone) {
  struct qsm_app_difference difference;
  qsmError_t error = qsm_app_check(alone->run, MOST_CYCLES, &difference);
  if (error) return fail(alone, "check", error);
  if (!difference.n_wrong) return QSM_EXIT_OK;
  fprintf(stderr,
          "qsm: application %s: %" PRIu64
          " wrong elements in its outputs; first wrong step: %s, "
          "element %" PRIu64 " of %s is %08" PRIx32 " instead of %08" PRIx32 "\n",
          alone->app->name, difference.n_wrong, difference.step, difference.element,
          difference.buffer, difference.got, difference.expected);
  return QSM_EXIT_WRONG;
}

static uint64_t sum_of(const struct alone *alone, uint32_t distinct, uint32_t *n_launches,
                       const struct qsm_app_step **first) {
  uint64_t sum = 0;
  *n_launches = 0;
  for (uint32_t i = 0; i < qsm_app_step_count(alone->run); i++) {
    const struct qsm_app_step *step = qsm_app_step(alone->run, i);
    if (step->distinct != distinct) continue;
    if ((*n_launches)++ == 0) *first = step;
    sum += alone->cycles[i];
  }
  return sum;
}

static uint64_t total(const struct alone *alone) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < qsm_app_step_count(alone->run); i++) sum += alone->cycles[i];
  return sum;
}

static uint32_t volume(qsmDim3 dim) { return dim.x * dim.y * dim.z; }

static void print_kernels(const struct alone *alone) {
  uint64_t all = total(alone);
  printf("%s, size %s, on %s: %u launches, %u distinct kernels, %" PRIu64
         " cycles; outputs right\n",
         alone->app->name, qsm_app_size_names[alone->options->size],
         qsmDeviceConfig(alone->device)->name, qsm_app_step_count(alone->run),
         qsm_app_distinct_count(alone->run), all);
  printf("%4s %-16s %-24s %8s %10s %6s %7s %7s %7s\n", "", "kernel", "first step", "launches",
         "cycles", "share", "blocks", "threads", "shared");
  for (uint32_t i = 0; i < qsm_app_distinct_count(alone->run); i++) {
    uint32_t n_launches = 0;
    const struct qsm_app_step *step = NULL;
    uint64_t cycles = sum_of(alone, i, &n_launches, &step);
    printf("%4u %-16s %-24s %8u %10" PRIu64 " %5.1f%% %7u %7u %7u\n", i, step->kernel, step->name,
           n_launches, cycles, 100.0 * (double)cycles / (double)all, volume(step->grid),
           volume(step->block), step->shared_bytes);
  }
}

// How the demand changes: fewest and most blocks of a launch, part of the time in launches that do
// not give every SM a block.
static void print_line(const struct alone *alone) {
  uint32_t fewest = UINT32_MAX, most = 0, num_sms = qsmDeviceConfig(alone->device)->num_sms;
  uint64_t all = total(alone), in_small = 0;
  for (uint32_t i = 0; i < qsm_app_step_count(alone->run); i++) {
    uint32_t blocks = volume(qsm_app_step(alone->run, i)->grid);
    if (blocks < fewest) fewest = blocks;
    if (blocks > most) most = blocks;
    if (blocks < num_sms) in_small += alone->cycles[i];
  }
  printf("| %s | %u | %u | %" PRIu64 " | %u .. %u | %.0f %% | %" PRIu64 " |\n", alone->app->name,
         qsm_app_step_count(alone->run), qsm_app_distinct_count(alone->run), all / 1000, fewest,
         most, 100.0 * (double)in_small / (double)all,
         qsm_app_bytes(alone->app, alone->options->size) / 1024);
}

static int run_one(const struct qsm_apps_options *options, const struct qsm_app *app) {
  struct alone alone = {.options = options, .app = app};
  int code = open_alone(&alone);
  if (!code) code = run_steps(&alone);
  if (!code) code = check(&alone);
  if (!code && options->all)
    print_line(&alone);
  else if (!code)
    print_kernels(&alone);
  fflush(stdout);
  close_alone(&alone);
  return code;
}

int qsm_apps_run(const struct qsm_apps_options *options) {
  if (!options->all) {
    const struct qsm_app *app = qsm_app_by_name(options->name);
    if (app) return run_one(options, app);
    fprintf(stderr, "qsm: no application '%s'; qsm apps lists them\n", options->name);
    return QSM_EXIT_BAD_INPUT;
  }
  printf(
      "| application | launches | distinct | thousand cycles | blocks of a launch | time in launches with fewer blocks than SMs | memory, KiB |\n"
      "| --- | ---: | ---: | ---: | --- | ---: | ---: |\n");
  int code = QSM_EXIT_OK;
  for (const struct qsm_app *const *app = qsm_apps; *app; app++) {
    int one = run_one(options, *app);
    if (one) code = one;
  }
  return code;
}
