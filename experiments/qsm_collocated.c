// SPDX-License-Identifier: Apache-2.0
#include "qsm_collocated.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_config.h"

enum { MOST_CYCLES = 1000000000, STREAMS = 2 };

struct tenant {
  qsmContext_t context;
  qsmStream_t stream;
  struct qsm_app_run *run;
  uint32_t queue, step, pass;
  bool running, ended, done;  // a launch of it; it has ended, unseen; all passes
  bool killed;
  uint64_t end_cycle;
};

struct gpu {
  const struct qsm_collocated_setting *setting;
  struct qsm_collocated_outcome *outcome;
  qsmDevice_t device;
  struct qsm_collocation *collocation;
  struct tenant tenant[QSM_COLLOCATED_MOST];
  uint64_t begun;
  char *msg;
  size_t msg_len;
};

static int fail(struct gpu *gpu, uint32_t i, const char *what, const char *why) {
  snprintf(gpu->msg, gpu->msg_len, "application %" PRIu32 ", %s: %s: %s", i,
           gpu->setting->app[i].app->name, what, why);
  return -1;
}

static int fail_call(struct gpu *gpu, uint32_t i, const char *what) {
  return fail(gpu, i, what, qsmGetLastErrorText(gpu->device));
}

// ---- Setting up ----

static int add_queue(struct gpu *gpu, uint32_t i) {
  static const uint64_t ones[QSM_COLLOCATION_MOST_SMS] = {[0 ... QSM_COLLOCATION_MOST_SMS - 1] = 1};
  const struct qsm_profile *profile = gpu->setting->app[i].profile;
  struct tenant *tenant = &gpu->tenant[i];
  uint32_t n = qsm_app_distinct_count(tenant->run);
  char msg[256];
  if (profile && profile->n_kernels != n) return fail(gpu, i, "profile", "has other kernels");
  if (!profile && gpu->setting->options.scheme > QSM_COLLOCATION_CONCURRENT)
    return fail(gpu, i, "profile", "there is none, and this scheme needs it");
  struct qsm_collocation_kernel *kernels = calloc(n, sizeof *kernels);
  if (!kernels) return fail(gpu, i, "kernels", "out of memory");
  for (uint32_t k = 0; k < n; k++) {
    for (uint32_t s = 0; s < QSM_COLLOCATION_POLICIES; s++)
      kernels[k].time[s] = profile ? qsm_profile_times(profile, s, k) : ones;
    if (!profile) continue;
    kernels[k].threads = profile->kernel[k].threads;
    kernels[k].shared_bytes = profile->kernel[k].shared_bytes;
  }
  int queue = qsm_collocation_add(gpu->collocation, kernels, n, msg, sizeof msg);
  free(kernels);
  tenant->queue = (uint32_t)queue;
  return queue < 0 ? fail(gpu, i, "decisions", msg) : 0;
}

static int open_tenant(struct gpu *gpu, uint32_t i) {
  const struct qsm_collocated_setting *setting = gpu->setting;
  struct tenant *tenant = &gpu->tenant[i];
  size_t bytes = qsm_app_context_bytes(setting->app[i].app, setting->size,
                                       qsmDeviceConfig(gpu->device), STREAMS);
  if (qsmContextCreateOnChannels(gpu->device, bytes, &tenant->context) ||
      qsmContextAllowLaunchMasks(tenant->context, true) ||
      qsmStreamCreate(tenant->context, &tenant->stream))
    return fail_call(gpu, i, "context");
  const struct qsm_app_options options = {.size = setting->size,
                                          .weight_seed = setting->seed,
                                          .input_seed = setting->seed,
                                          .kernel_folder = setting->kernel_folder,
                                          .stream = tenant->stream};
  if (qsm_app_create(setting->app[i].app, &options, gpu->device, tenant->context, &tenant->run,
                     gpu->msg, gpu->msg_len))
    return -1;
  return qsmStreamSynchronize(tenant->stream, MOST_CYCLES) ? fail_call(gpu, i, "set up")
                                                           : add_queue(gpu, i);
}

static int open_gpu(struct gpu *gpu) {
  const struct qsm_collocated_setting *setting = gpu->setting;
  if (setting->n_apps == 0 || setting->n_apps > QSM_COLLOCATED_MOST || setting->n_passes == 0 ||
      setting->poll_cycles == 0) {
    snprintf(gpu->msg, gpu->msg_len, "1 to %d applications, a pass, and a cycle between looks",
             QSM_COLLOCATED_MOST);
    return -1;
  }
  if (qsmDeviceOpen("model", setting->config, NULL, &gpu->device, gpu->msg, gpu->msg_len))
    return -1;
  const struct qsm_config *config = qsmDeviceConfig(gpu->device);
  const struct qsm_collocation_machine machine = {.n_sms = config->num_sms,
                                                  .n_arrays = config->num_sas};
  gpu->collocation = qsm_collocation_create(&machine, &setting->options, gpu->msg, gpu->msg_len);
  if (!gpu->collocation) return -1;
  if (qsmDeviceUseChannels(gpu->device, config->num_kernels, qsmChannelsConcurrent))
    return fail_call(gpu, 0, "channels");
  int failed = 0;
  for (uint32_t i = 0; !failed && i < setting->n_apps; i++) failed = open_tenant(gpu, i);
  return failed;
}

static void close_gpu(struct gpu *gpu) {
  for (uint32_t i = 0; i < QSM_COLLOCATED_MOST; i++) qsm_app_destroy(gpu->tenant[i].run);
  qsmDeviceClose(gpu->device);
  qsm_collocation_destroy(gpu->collocation);
}

// ---- Running ----

static void note_end(void *user, const qsmLaunchResult *result) {
  struct tenant *tenant = user;
  tenant->ended = true;
  tenant->killed = result->killed;
  tenant->end_cycle = result->end_cycle;
}

static int launch(struct gpu *gpu, uint32_t i, const struct qsm_collocation_decision *decision) {
  struct tenant *tenant = &gpu->tenant[i];
  qsmLaunch what = qsm_app_launch(tenant->run, tenant->step);
  if (decision->decided && gpu->setting->decision_cycles &&
      qsmDeviceRunUntil(gpu->device, qsmDeviceCycle(gpu->device) + gpu->setting->decision_cycles))
    return fail_call(gpu, i, "deciding");
  what.sm_mask = decision->mask;
  if (gpu->outcome->app[i].n_launches++ == 0)
    gpu->outcome->app[i].begin = qsmDeviceCycle(gpu->device) - gpu->begun;
  gpu->outcome->app[i].n_decided += decision->decided;
  if (qsmSetCachePolicy(tenant->context, (qsmCachePolicy)decision->policy) ||
      qsmLaunchKernelEx(tenant->context, &what, note_end, tenant))
    return fail_call(gpu, i, qsm_app_step(tenant->run, tenant->step)->name);
  qsm_collocation_begin(gpu->collocation, tenant->queue);
  tenant->running = true;
  return 0;
}

static int take_end(struct gpu *gpu, uint32_t i) {
  struct tenant *tenant = &gpu->tenant[i];
  if (tenant->killed)
    return fail(gpu, i, qsm_app_step(tenant->run, tenant->step)->name, "was killed");
  tenant->running = tenant->ended = false;
  qsm_collocation_end(gpu->collocation, tenant->queue);
  if (++tenant->step < qsm_app_step_count(tenant->run)) return 0;
  tenant->step = 0;
  if (++tenant->pass < gpu->setting->n_passes) return 0;
  tenant->done = true;
  gpu->outcome->app[i].end = tenant->end_cycle - gpu->begun;
  if (gpu->outcome->app[i].end > gpu->outcome->n_cycles)
    gpu->outcome->n_cycles = gpu->outcome->app[i].end;
  qsm_collocation_remove(gpu->collocation, tenant->queue);
  return 0;
}

static int look(struct gpu *gpu, uint32_t *n_left) {
  int failed = 0;
  for (uint32_t i = 0; !failed && i < gpu->setting->n_apps; i++)
    if (gpu->tenant[i].ended) failed = take_end(gpu, i);
  *n_left = 0;
  for (uint32_t i = 0; !failed && i < gpu->setting->n_apps; i++) {
    struct tenant *tenant = &gpu->tenant[i];
    *n_left += !tenant->done;
    if (tenant->done || tenant->running) continue;
    struct qsm_collocation_decision decision = qsm_collocation_decide(
        gpu->collocation, tenant->queue, qsm_app_step(tenant->run, tenant->step)->distinct);
    if (!decision.wait) failed = launch(gpu, i, &decision);
  }
  return failed;
}

static int run_all(struct gpu *gpu) {
  uint32_t n_left = 0;
  gpu->begun = qsmDeviceCycle(gpu->device);
  for (;;) {
    uint64_t now = qsmDeviceCycle(gpu->device);
    if (now - gpu->begun > MOST_CYCLES) return fail(gpu, 0, "run", "does not end");
    if (look(gpu, &n_left)) return -1;
    if (n_left == 0) return 0;
    if (qsmDeviceRunUntil(gpu->device, qsmDeviceCycle(gpu->device) + gpu->setting->poll_cycles))
      return fail_call(gpu, 0, "run");
  }
}

static int check_all(struct gpu *gpu) {
  for (uint32_t i = 0; i < gpu->setting->n_apps; i++) {
    struct qsm_app_difference difference;
    if (qsm_app_check(gpu->tenant[i].run, MOST_CYCLES, &difference))
      return fail_call(gpu, i, "check");
    if (difference.n_wrong) return fail(gpu, i, difference.step, "its outputs are wrong");
  }
  return 0;
}

int qsm_collocated_run(const struct qsm_collocated_setting *setting,
                       struct qsm_collocated_outcome *outcome, char *msg, size_t msg_len) {
  struct qsm_collocated_outcome made = {.n_cycles = 0};
  struct gpu gpu = {.setting = setting, .outcome = &made, .msg = msg, .msg_len = msg_len};
  int failed = open_gpu(&gpu) || run_all(&gpu) || check_all(&gpu) ? -1 : 0;
  close_gpu(&gpu);
  if (!failed) *outcome = made;
  return failed;
}
