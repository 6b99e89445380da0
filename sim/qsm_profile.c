// SPDX-License-Identifier: Apache-2.0
#include "qsm_profile.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_config_yaml.h"
#include "qsm_elf.h"
#include "qsm_hash.h"
#include "qsm_profile_store.h"

enum { MOST_CYCLES = 1000000000, SEED = 1 };

const char *const qsm_profile_policy_names[QSM_PROFILE_POLICIES] = {"s0", "s1", "s2", "s12"};

static int fail(char *msg, size_t msg_len, const char *what, const char *why) {
  snprintf(msg, msg_len, "%s: %s", what, why);
  return -1;
}

// ---- A GPU with one application ----

struct alone {
  const struct qsm_profile_key *key;
  qsmDevice_t device;
  qsmContext_t context;
  struct qsm_app_run *run;
  uint64_t end_cycle;
  char *msg;
  size_t msg_len;
};

static int fail_alone(struct alone *alone, const char *what, qsmError_t error) {
  snprintf(alone->msg, alone->msg_len, "%s, size %s, on %s: %s: %s: %s", alone->key->app->name,
           qsm_app_size_names[alone->key->size], alone->key->config, what, qsmGetErrorString(error),
           qsmGetLastErrorText(alone->device));
  return -1;
}

static int open_alone(struct alone *alone, enum qsm_app_size size, bool hash) {
  char folder[PATH_MAX];
  const struct qsm_backend_options backend = {.hash = hash};
  snprintf(folder, sizeof folder, "%s/build/sw", qsm_source_root());
  const struct qsm_app_options options = {
      .size = size, .weight_seed = SEED, .input_seed = SEED, .kernel_folder = folder};
  if (qsmDeviceOpen("model", alone->key->config, &backend, &alone->device, alone->msg,
                    alone->msg_len))
    return -1;
  qsmError_t error = qsmContextCreate(alone->device, &alone->context);
  if (error) return fail_alone(alone, "context", error);
  return qsm_app_create(alone->key->app, &options, alone->device, alone->context, &alone->run,
                        alone->msg, alone->msg_len)
             ? -1
             : 0;
}

static void close_alone(struct alone *alone) {
  qsm_app_destroy(alone->run);
  qsmDeviceClose(alone->device);
}

static void note_end(void *user, const qsmLaunchResult *result) {
  ((struct alone *)user)->end_cycle = result->end_cycle;
}

// Adds the cycles of each step to its distinct kernel.
static int run_pass(struct alone *alone, uint64_t *cycles) {
  for (uint32_t i = 0; i < qsm_app_step_count(alone->run); i++) {
    const struct qsm_app_step *step = qsm_app_step(alone->run, i);
    qsmLaunch launch = qsm_app_launch(alone->run, i);
    uint64_t begin = qsmDeviceCycle(alone->device);
    qsmError_t error = qsmLaunchKernelEx(alone->context, &launch, note_end, alone);
    if (!error) error = qsmContextSynchronize(alone->context, MOST_CYCLES);
    if (error) return fail_alone(alone, step->name, error);
    if (cycles) cycles[step->distinct] += alone->end_cycle - begin;
  }
  return 0;
}

static int check_outputs(struct alone *alone) {
  struct qsm_app_difference difference;
  qsmError_t error = qsm_app_check(alone->run, MOST_CYCLES, &difference);
  if (error) return fail_alone(alone, "check", error);
  if (!difference.n_wrong) return 0;
  snprintf(alone->msg, alone->msg_len,
           "%s, size %s, on %s: %" PRIu64 " wrong elements in its outputs; first wrong step: %s",
           alone->key->app->name, qsm_app_size_names[alone->key->size], alone->key->config,
           difference.n_wrong, difference.step);
  return -1;
}

// ---- Key ----

static int hash_config(struct qsm_profile_key *key, char *msg, size_t msg_len) {
  char path[PATH_MAX];
  struct qsm_config config;
  if (qsm_config_load(key->config, &config, msg, msg_len)) return -1;
  key->n_sms = config.num_sms;
  key->config_hash = QSM_HASH_START;
  if (qsm_config_path(key->config, path, sizeof path) || qsm_hash_file(path, &key->config_hash))
    return fail(msg, msg_len, key->config, "the configuration's file cannot be read");
  return 0;
}

// Of what is loaded: debugging information has the folder in which it was compiled.
static int hash_program(struct qsm_profile_key *key, char *msg, size_t msg_len) {
  char path[PATH_MAX];
  struct qsm_program *program;
  snprintf(path, sizeof path, "%s/build/sw/%s.elf", qsm_source_root(), key->app->program);
  if (qsm_program_load(path, &program, msg, msg_len)) return -1;
  key->program_hash =
      qsm_hash_bytes(QSM_HASH_START, qsm_program_image(program), qsm_program_image_bytes(program));
  qsm_program_free(program);
  return 0;
}

// A pass of the smallest size shows whether the simulator still times what it executes as it did,
// whichever way it was compiled.
static int hash_timing(struct qsm_profile_key *key, char *msg, size_t msg_len) {
  struct alone alone = {.key = key, .msg = msg, .msg_len = msg_len};
  int failed = open_alone(&alone, QSM_APP_T, true) || run_pass(&alone, NULL) ? -1 : 0;
  if (!failed) {
    struct qsm_backend *backend = qsmDeviceBackend(alone.device);
    key->timing_hash = backend->trace_hash(backend);
  }
  close_alone(&alone);
  return failed;
}

int qsm_profile_key(const char *config, const struct qsm_app *app, enum qsm_app_size size,
                    struct qsm_profile_key *key, char *msg, size_t msg_len) {
  struct qsm_profile_key made = {.app = app, .size = size};
  if (snprintf(made.config, sizeof made.config, "%s", config) >= (int)sizeof made.config)
    return fail(msg, msg_len, config, "the configuration's name is too long");
  if (hash_config(&made, msg, msg_len) || hash_program(&made, msg, msg_len) ||
      hash_timing(&made, msg, msg_len))
    return -1;
  *key = made;
  return 0;
}

// ---- A point ----

static uint32_t volume(qsmDim3 dim) { return dim.x * dim.y * dim.z; }

static void describe(const struct alone *alone, const uint64_t *cycles,
                     struct qsm_profile_kernel *kernels) {
  for (uint32_t i = 0; i < qsm_app_step_count(alone->run); i++) {
    const struct qsm_app_step *step = qsm_app_step(alone->run, i);
    struct qsm_profile_kernel *kernel = &kernels[step->distinct];
    if (kernel->launches++) continue;
    snprintf(kernel->name, sizeof kernel->name, "%s", step->kernel);
    snprintf(kernel->step, sizeof kernel->step, "%s", step->name);
    kernel->blocks = volume(step->grid);
    kernel->threads = volume(step->block);
    kernel->shared_bytes = step->shared_bytes;
  }
  for (uint32_t i = 0; i < qsm_app_distinct_count(alone->run); i++)
    kernels[i].cycles = (cycles[i] + kernels[i].launches / 2) / kernels[i].launches;
}

static int measure(struct alone *alone, struct qsm_profile_kernel **kernels, uint32_t *n) {
  uint32_t n_kernels = qsm_app_distinct_count(alone->run);
  uint64_t *cycles = calloc(n_kernels, sizeof *cycles);
  struct qsm_profile_kernel *made = calloc(n_kernels, sizeof *made);
  int failed = cycles && made
                   ? run_pass(alone, NULL) || run_pass(alone, cycles) || check_outputs(alone)
                   : fail(alone->msg, alone->msg_len, "profile", "out of memory");
  if (!failed) {
    describe(alone, cycles, made);
    *kernels = made;
    *n = n_kernels;
  } else {
    free(made);
  }
  free(cycles);
  return failed ? -1 : 0;
}

int qsm_profile_measure(const struct qsm_profile_key *key, uint32_t policy, uint32_t n_sms,
                        struct qsm_profile_kernel **kernels, uint32_t *n, char *msg,
                        size_t msg_len) {
  struct alone alone = {.key = key, .msg = msg, .msg_len = msg_len};
  if (n_sms == 0 || n_sms > key->n_sms || policy >= QSM_PROFILE_POLICIES)
    return fail(msg, msg_len, key->config, "no such number of SMs, or policy");
  int failed = open_alone(&alone, key->size, false);
  qsmError_t error = qsmSuccess;
  if (!failed) error = qsmSetSmMask(alone.context, ((qsmSmMask)1 << n_sms) - 1);
  if (!failed && !error) error = qsmSetCachePolicy(alone.context, (qsmCachePolicy)policy);
  if (error) failed = fail_alone(&alone, "setting SMs and policy", error);
  if (!failed) failed = measure(&alone, kernels, n);
  close_alone(&alone);
  return failed;
}

// ---- A profile ----

void qsm_profile_free(struct qsm_profile *profile) {
  if (!profile) return;
  for (uint32_t i = 0; i < QSM_PROFILE_POLICIES; i++) free(profile->times[i]);
  free(profile->kernel);
  free(profile);
}

static struct qsm_profile *read_profile(struct qsm_profile_store *store,
                                        const struct qsm_profile_key *key, int64_t number,
                                        char *msg, size_t msg_len) {
  struct qsm_profile *profile = calloc(1, sizeof *profile);
  if (!profile) {
    fail(msg, msg_len, "profile", "out of memory");
    return NULL;
  }
  profile->key = *key;
  if (qsm_profile_store_read(store, number, profile) == 0) return profile;
  snprintf(msg, msg_len, "%s", qsm_profile_store_error(store));
  qsm_profile_free(profile);
  return NULL;
}

struct qsm_profile *qsm_profile_load(const char *path, const struct qsm_profile_key *key, char *msg,
                                     size_t msg_len) {
  struct qsm_profile_store *store = qsm_profile_store_open(path, false, msg, msg_len);
  if (!store) return NULL;
  struct qsm_profile *profile = NULL;
  int64_t number = qsm_profile_store_find(store, key, false);
  if (number < 0)
    snprintf(msg, msg_len, "%s", qsm_profile_store_error(store));
  else if (number == 0)
    qsm_profile_store_explain(store, key, msg, msg_len);
  else
    profile = read_profile(store, key, number, msg, msg_len);
  qsm_profile_store_close(store);
  return profile;
}

const uint64_t *qsm_profile_times(const struct qsm_profile *profile, uint32_t policy,
                                  uint32_t kernel) {
  const uint64_t *times = profile->times[policy];
  return times ? times + (size_t)kernel * profile->key.n_sms : NULL;
}

uint32_t qsm_profile_demand(const struct qsm_profile *profile, uint32_t kernel) {
  const uint64_t *times = qsm_profile_times(profile, 0, kernel);
  uint32_t n_sms = profile->key.n_sms, c = 1;
  while (c < n_sms && times[c - 1] * 10 > times[n_sms - 1] * 11) c++;
  return c;
}

static void fill(uint64_t *times, uint32_t first, uint32_t last) {
  double from = (double)times[first - 1], to = (double)times[last - 1];
  for (uint32_t c = first + 1; c < last; c++) {
    double part = (1.0 / c - 1.0 / last) / (1.0 / first - 1.0 / last);
    times[c - 1] = (uint64_t)(to + (from - to) * part + 0.5);
  }
}

void qsm_profile_interpolate(uint64_t *times, const bool *measured, uint32_t n_sms) {
  uint32_t before = 1;
  for (uint32_t c = 2; c <= n_sms; c++) {
    if (!measured[c - 1]) continue;
    fill(times, before, c);
    before = c;
  }
}
