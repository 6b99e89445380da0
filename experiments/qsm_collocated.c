// SPDX-License-Identifier: Apache-2.0
#include "qsm_collocated.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "qsm_collocated_internal.h"
#include "qsm_percentile.h"

enum { MOST_CYCLES = 1000000000, STREAMS = 2 };

static int fail(struct collocated_gpu *gpu, uint32_t i, const char *what, const char *why) {
  snprintf(gpu->msg, gpu->msg_len, "application %" PRIu32 ", %s: %s: %s", i,
           gpu->setting->app[i].app->name, what, why);
  return -1;
}

static int fail_call(struct collocated_gpu *gpu, uint32_t i, const char *what) {
  return fail(gpu, i, what, qsmGetLastErrorText(gpu->device));
}

// ---- Setting up ----

static int add_queue(struct collocated_gpu *gpu, uint32_t i) {
  static const uint64_t ones[QSM_COLLOCATION_MOST_SMS] = {[0 ... QSM_COLLOCATION_MOST_SMS - 1] = 1};
  const struct qsm_profile *profile = gpu->setting->app[i].profile;
  struct collocated_tenant *tenant = &gpu->tenant[i];
  uint32_t n = qsm_app_distinct_count(tenant->run);
  char msg[256];
  if (profile && profile->n_kernels != n) return fail(gpu, i, "profile", "has other kernels");
  if (!profile && gpu->setting->options.scheme > QSM_COLLOCATION_CONCURRENT)
    return fail(gpu, i, "profile", "there is none, and this scheme needs it");
  if (n > QSM_COLLOCATED_MOST_KERNELS) return fail(gpu, i, "kernels", "too many distinct ones");
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
  tenant->last.mask = qsm_collocation_profile_mask(gpu->config->num_sms);
  return queue < 0 ? fail(gpu, i, "decisions", msg) : 0;
}

static qsmError_t open_context(struct collocated_gpu *gpu, uint32_t i) {
  const struct qsm_collocated_app *app = &gpu->setting->app[i];
  struct collocated_tenant *tenant = &gpu->tenant[i];
  if (gpu->setting->own_slots) {
    qsmError_t error = app->instance
                           ? qsmContextCreateInInstance(
                                 gpu->device, (qsmInstance)(app->instance - 1), &tenant->context)
                           : qsmContextCreate(gpu->device, &tenant->context);
    if (!error && app->thread_limit) error = qsmSetThreadLimit(tenant->context, app->thread_limit);
    if (!error && app->n_sms) error = qsmSetSmCount(tenant->context, app->n_sms);
    return error;
  }
  size_t bytes = qsm_app_context_bytes(app->app, gpu->setting->size, gpu->config, STREAMS);
  qsmError_t error = qsmContextCreateOnChannels(gpu->device, bytes, &tenant->context);
  if (!error) error = qsmContextAllowLaunchMasks(tenant->context, true);
  return error ? error : qsmStreamCreate(tenant->context, &tenant->stream);
}

// R-CR-9: the gaps between requests are exponential. Millionths of their mean are enough for any
// percentile, and the same everywhere.
static uint64_t next_arrival(struct collocated_tenant *tenant, uint64_t from, uint64_t mean_gap) {
  double u = ((double)qsm_random_next(&tenant->random) + 0.5) / 4294967296.0;
  return from + (uint64_t)(round(-log(u) * 1e6) / 1e6 * (double)mean_gap);
}

static int open_tenant(struct collocated_gpu *gpu, uint32_t i) {
  const struct qsm_collocated_setting *setting = gpu->setting;
  const struct qsm_collocated_app *app = &setting->app[i];
  struct collocated_tenant *tenant = &gpu->tenant[i];
  if (open_context(gpu, i)) return fail_call(gpu, i, "context");
  const struct qsm_app_options options = {.size = setting->size,
                                          .weight_seed = setting->seed,
                                          .input_seed = setting->seed,
                                          .kernel_folder = setting->kernel_folder,
                                          .stream = tenant->stream};
  if (qsm_app_create(app->app, &options, gpu->device, tenant->context, &tenant->run, gpu->msg,
                     gpu->msg_len))
    return -1;
  if (app->budget && qsmSetBudget(tenant->context, app->budget)) return fail_call(gpu, i, "budget");
  if (tenant->stream && qsmStreamSynchronize(tenant->stream, MOST_CYCLES))
    return fail_call(gpu, i, "set up");
  return add_queue(gpu, i);
}

static int refuse(struct collocated_gpu *gpu, const char *why) {
  snprintf(gpu->msg, gpu->msg_len, "%s", why);
  return -1;
}

// R-CR-8.
static int check_setting(struct collocated_gpu *gpu) {
  const struct qsm_collocated_setting *setting = gpu->setting;
  bool ends = false;
  if (setting->n_apps == 0 || setting->n_apps > QSM_COLLOCATED_MOST || setting->poll_cycles == 0)
    return refuse(gpu, "1 to 8 applications, and a cycle between looks");
  if (setting->own_slots && setting->options.scheme > QSM_COLLOCATION_CONCURRENT)
    return refuse(gpu,
                  "contexts with slots of their own: launches have no masks; serial or "
                  "concurrent decide");
  for (uint32_t i = 0; i < setting->n_apps; i++) {
    const struct qsm_collocated_app *app = &setting->app[i];
    ends |= app->n_passes > 0;
    if (app->n_passes > QSM_COLLOCATED_MOST_REQUESTS) return fail(gpu, i, "passes", "1024 at most");
    if (app->goal_permille && !app->alone)
      return fail(gpu, i, "goal", "of what it has alone, which is not said");
    if (!setting->own_slots && (app->thread_limit || app->n_sms || app->instance))
      return fail(gpu, i, "limit, SMs or instance", "needs a context with a slot of its own");
  }
  return ends ? 0 : refuse(gpu, "no application has a number of passes");
}

static int open_gpu(struct collocated_gpu *gpu) {
  const struct qsm_collocated_setting *setting = gpu->setting;
  if (check_setting(gpu)) return -1;
  if (qsmDeviceOpen("model", setting->config, NULL, &gpu->device, gpu->msg, gpu->msg_len))
    return -1;
  gpu->config = qsmDeviceConfig(gpu->device);
  gpu->backend = qsmDeviceBackend(gpu->device);
  const struct qsm_collocation_machine machine = {.n_sms = gpu->config->num_sms,
                                                  .n_arrays = gpu->config->num_sas};
  gpu->collocation = qsm_collocation_create(&machine, &setting->options, gpu->msg, gpu->msg_len);
  if (!gpu->collocation || collocated_counts_open(gpu)) return -1;
  uint32_t epoch = setting->epoch_cycles ? setting->epoch_cycles : gpu->config->epoch;
  if (qsmSetScheduling(gpu->device, setting->policy, setting->scheme, epoch))
    return fail_call(gpu, 0, "scheduling");
  if (!setting->own_slots &&
      qsmDeviceUseChannels(gpu->device, gpu->config->num_kernels, qsmChannelsConcurrent))
    return fail_call(gpu, 0, "channels");
  int failed = 0;
  for (uint32_t i = 0; !failed && i < setting->n_apps; i++) failed = open_tenant(gpu, i);
  return failed;
}

static void close_gpu(struct collocated_gpu *gpu) {
  for (uint32_t i = 0; i < QSM_COLLOCATED_MOST; i++) qsm_app_destroy(gpu->tenant[i].run);
  qsmDeviceClose(gpu->device);
  qsm_collocation_destroy(gpu->collocation);
  collocated_counts_close(gpu);
}

// ---- Running ----

static uint64_t now_of(const struct collocated_gpu *gpu) {
  return qsmDeviceCycle(gpu->device) - gpu->begun;
}

static const struct qsm_app_step *step_of(const struct collocated_tenant *tenant) {
  return qsm_app_step(tenant->run, tenant->step);
}

static void note_end(void *user, const qsmLaunchResult *result) {
  struct collocated_tenant *tenant = user;
  tenant->ended = true;
  tenant->killed = result->killed;
  tenant->end_cycle = result->end_cycle;
}

static bool changes(const struct collocated_tenant *tenant,
                    const struct qsm_collocation_decision *decision) {
  return decision->mask != tenant->last.mask || decision->policy != tenant->last.policy;
}

// R-CR-7: the host does nothing else meanwhile.
static int take_time(struct collocated_gpu *gpu, uint32_t i, bool decided, bool changed) {
  const struct qsm_collocated_setting *setting = gpu->setting;
  uint64_t cycles =
      (decided ? setting->decision_cycles : 0) + (changed ? (uint64_t)setting->mask_cycles : 0);
  if (cycles && qsmDeviceRunUntil(gpu->device, qsmDeviceCycle(gpu->device) + cycles))
    return fail_call(gpu, i, "deciding");
  collocated_shares_add(gpu, now_of(gpu));
  return 0;
}

static double ipc_of(const struct qsm_collocated_kernel *kernel) {
  return kernel->cycles ? (double)kernel->instructions / (double)kernel->cycles : 0;
}

static double ipc_of_fastest(const struct qsm_collocated_kernel *kernels) {
  double fastest = 0;
  for (uint32_t i = 0; i < QSM_COLLOCATED_MOST_KERNELS; i++)
    if (ipc_of(&kernels[i]) > fastest) fastest = ipc_of(&kernels[i]);
  return fastest;
}

// R-CR-12: the goal of the kernel that is next.
static int set_goal(struct collocated_gpu *gpu, uint32_t i) {
  const struct qsm_collocated_app *app = &gpu->setting->app[i];
  struct collocated_tenant *tenant = &gpu->tenant[i];
  if (!app->goal_permille) return 0;
  double ipc =
      app->one_goal ? ipc_of_fastest(app->alone) : ipc_of(&app->alone[step_of(tenant)->distinct]);
  uint32_t goal = (uint32_t)(ipc * app->goal_permille / 1000 * 65536);
  if (goal == 0) goal = 1;
  if (goal == tenant->goal) return 0;
  tenant->goal = goal;
  return qsmSetQoS(tenant->context, goal) ? fail_call(gpu, i, "goal") : 0;
}

static int launch(struct collocated_gpu *gpu, uint32_t i,
                  const struct qsm_collocation_decision *decision) {
  struct collocated_tenant *tenant = &gpu->tenant[i];
  qsmLaunch what = qsm_app_launch(tenant->run, tenant->step);
  bool changed = changes(tenant, decision);
  if (take_time(gpu, i, decision->decided, changed) || set_goal(gpu, i)) return -1;
  if (tenant->stream) what.sm_mask = decision->mask;
  if (gpu->outcome->app[i].n_launches++ == 0) gpu->outcome->app[i].begin = now_of(gpu);
  gpu->outcome->app[i].n_decided += decision->decided;
  gpu->outcome->app[i].n_changed += changed;
  gpu->instructions = collocated_instructions(gpu);
  tenant->launched = now_of(gpu);
  if (qsmSetCachePolicy(tenant->context, (qsmCachePolicy)decision->policy) ||
      qsmLaunchKernelEx(tenant->context, &what, note_end, tenant))
    return fail_call(gpu, i, step_of(tenant)->name);
  qsm_collocation_begin(gpu->collocation, tenant->queue);
  tenant->running = true;
  tenant->last = *decision;
  return 0;
}

static void end_pass(struct collocated_gpu *gpu, uint32_t i) {
  const struct qsm_collocated_app *app = &gpu->setting->app[i];
  struct collocated_tenant *tenant = &gpu->tenant[i];
  uint64_t end = tenant->end_cycle - gpu->begun;
  tenant->step = 0;
  tenant->pass++;
  if (!gpu->over) {
    uint32_t n = gpu->outcome->app[i].n_passes++;
    if (n < QSM_COLLOCATED_MOST_REQUESTS) gpu->outcome->app[i].latency[n] = end - tenant->arrival;
  }
  tenant->arrival = app->mean_gap ? next_arrival(tenant, tenant->arrival, app->mean_gap) : end;
  tenant->done = app->n_passes ? tenant->pass == app->n_passes : gpu->over;
  if (!tenant->done) return;
  gpu->outcome->app[i].end = end;
  if (app->n_passes && end > gpu->outcome->n_cycles) gpu->outcome->n_cycles = end;
  qsm_collocation_remove(gpu->collocation, tenant->queue);
}

static int take_end(struct collocated_gpu *gpu, uint32_t i) {
  const struct qsm_profile *profile = gpu->setting->app[i].profile;
  struct collocated_tenant *tenant = &gpu->tenant[i];
  const uint32_t distinct = step_of(tenant)->distinct;
  struct qsm_collocated_kernel *kernel = &gpu->outcome->app[i].kernel[distinct];
  if (tenant->killed) return fail(gpu, i, step_of(tenant)->name, "was killed");
  tenant->running = tenant->ended = false;
  qsm_collocation_end(gpu->collocation, tenant->queue);
  if (profile && !gpu->over)
    gpu->outcome->app[i].work += qsm_profile_times(profile, 0, distinct)[gpu->config->num_sms - 1];
  kernel->n_launches++;
  kernel->cycles += tenant->end_cycle - gpu->begun - tenant->launched;
  if (gpu->setting->n_apps == 1)
    kernel->instructions += collocated_instructions(gpu) - gpu->instructions;
  if (++tenant->step == qsm_app_step_count(tenant->run)) end_pass(gpu, i);
  return 0;
}

// All that ended; whether the applications with a number of passes are done is the same for all.
static int take_ends(struct collocated_gpu *gpu) {
  bool some = false, over = true;
  for (uint32_t i = 0; i < gpu->setting->n_apps; i++) some |= gpu->tenant[i].ended;
  if (!some) return 0;
  collocated_shares_add(gpu, now_of(gpu));
  collocated_counts_add(gpu);
  for (uint32_t i = 0; i < gpu->setting->n_apps; i++)
    if (gpu->tenant[i].ended && take_end(gpu, i)) return -1;
  for (uint32_t i = 0; i < gpu->setting->n_apps; i++)
    over &= gpu->tenant[i].done || gpu->setting->app[i].n_passes == 0;
  gpu->over = over;
  return 0;
}

static struct qsm_collocation_decision decide(struct collocated_gpu *gpu,
                                              const struct collocated_tenant *tenant) {
  struct timespec begin, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  struct qsm_collocation_decision decision =
      qsm_collocation_decide(gpu->collocation, tenant->queue, step_of(tenant)->distinct);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  if (gpu->host && decision.decided) {
    gpu->host->n_decisions++;
    gpu->host->ns +=
        (uint64_t)((end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec);
  }
  return decision;
}

static bool is_ready(const struct collocated_gpu *gpu, const struct collocated_tenant *tenant,
                     uint32_t i) {
  if (tenant->done || tenant->running) return false;
  if (tenant->step > 0) return true;
  return !(gpu->over && gpu->setting->app[i].n_passes == 0) && tenant->arrival <= now_of(gpu);
}

static int look(struct collocated_gpu *gpu, bool *some_left) {
  if (take_ends(gpu)) return -1;
  *some_left = false;
  for (uint32_t i = 0; i < gpu->setting->n_apps; i++) {
    struct collocated_tenant *tenant = &gpu->tenant[i];
    bool idle = !tenant->running && tenant->step == 0;
    if (tenant->done || (gpu->over && gpu->setting->app[i].n_passes == 0 && idle)) continue;
    *some_left = true;
    if (!is_ready(gpu, tenant, i)) continue;
    struct qsm_collocation_decision decision = decide(gpu, tenant);
    if (!decision.wait && launch(gpu, i, &decision)) return -1;
  }
  return 0;
}

static int run_all(struct collocated_gpu *gpu) {
  gpu->begun = qsmDeviceCycle(gpu->device);
  for (uint32_t i = 0; i < gpu->setting->n_apps; i++) {
    struct collocated_tenant *tenant = &gpu->tenant[i];
    tenant->random = qsm_random_seed(gpu->setting->seed * QSM_COLLOCATED_MOST + i);
    if (gpu->setting->app[i].mean_gap)
      tenant->arrival = next_arrival(tenant, 0, gpu->setting->app[i].mean_gap);
  }
  for (;;) {
    bool some_left;
    if (now_of(gpu) > MOST_CYCLES) return fail(gpu, 0, "run", "does not end");
    if (look(gpu, &some_left)) return -1;
    if (!some_left) return 0;
    if (qsmDeviceRunUntil(gpu->device, qsmDeviceCycle(gpu->device) + gpu->setting->poll_cycles))
      return fail_call(gpu, 0, "run");
  }
}

// ---- At the end ----

static int check_all(struct collocated_gpu *gpu) {
  for (uint32_t i = 0; i < gpu->setting->n_apps; i++) {
    struct qsm_app_difference difference;
    if (gpu->tenant[i].pass == 0) continue;
    if (qsm_app_check(gpu->tenant[i].run, MOST_CYCLES, &difference))
      return fail_call(gpu, i, "check");
    if (difference.n_wrong) return fail(gpu, i, difference.step, "its outputs are wrong");
  }
  return 0;
}

static void sum_up(struct collocated_gpu *gpu) {
  struct qsm_collocated_outcome *outcome = gpu->outcome;
  const struct qsm_config *config = gpu->config;
  for (uint32_t i = 0; i < gpu->setting->n_apps; i++) {
    const struct collocated_tenant *tenant = &gpu->tenant[i];
    double cycles = tenant->run_cycles ? (double)tenant->run_cycles : 1;
    for (uint32_t sm = 0; sm < config->num_sms; sm++)
      outcome->app[i].share[sm] = tenant->share[sm] / cycles;
    outcome->app[i].u = tenant->u / cycles;
    outcome->app[i].n_sms = tenant->n_sms / cycles;
  }
  if (config->dram_banks && outcome->n_cycles)
    outcome->memory_busy = (double)outcome->memory_lines * config->dram_burst /
                           ((double)outcome->n_cycles * config->num_channels);
}

int qsm_collocated_run(const struct qsm_collocated_setting *setting,
                       struct qsm_collocated_outcome *outcome, struct qsm_collocated_host *host,
                       char *msg, size_t msg_len) {
  struct qsm_collocated_outcome *made = calloc(1, sizeof *made);
  struct collocated_gpu gpu = {
      .setting = setting, .outcome = made, .host = host, .msg = msg, .msg_len = msg_len};
  if (!made) return refuse(&gpu, "out of memory");
  int failed = open_gpu(&gpu) || run_all(&gpu) || check_all(&gpu) ? -1 : 0;
  if (!failed) {
    sum_up(&gpu);
    *outcome = *made;
  }
  close_gpu(&gpu);
  free(made);
  return failed;
}

uint64_t qsm_collocated_percentile(const uint64_t *latency, uint32_t n, uint32_t percent) {
  uint64_t sorted[QSM_COLLOCATED_MOST_REQUESTS];
  if (n > QSM_COLLOCATED_MOST_REQUESTS) n = QSM_COLLOCATED_MOST_REQUESTS;
  memcpy(sorted, latency, n * sizeof *latency);
  qsm_sort_values(sorted, n);
  return qsm_percentile(sorted, n, percent);
}
