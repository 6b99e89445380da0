// SPDX-License-Identifier: Apache-2.0
#include "host_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qsm_config.h"
#include "qsm_config_yaml.h"
#include "qsm_passes.h"

char program_folder[64];

static int run_command(const char *format, const char *argument) {
  char command[512];
  snprintf(command, sizeof command, format, program_folder, argument);
  return system(command);
}

int copy_programs(void **state) {
  (void)state;
  snprintf(program_folder, sizeof program_folder, "/tmp/qsm-host-XXXXXX");
  if (!mkdtemp(program_folder)) return -1;
  return run_command("cp build/host_programs/*.elf %s%s", "");
}

int remove_programs(void **state) {
  (void)state;
  return run_command("rm -r %s%s", "");
}

bool brief_run(void) { return getenv("QSM_TEST_BRIEF") != NULL; }

bool full_run(void) { return getenv("QSM_TEST_FULL") != NULL; }

void attack_kernels(char path[PROGRAM_PATH_BYTES]) {
  const char *root = getenv("QSM_ROOT");
  snprintf(path, PROGRAM_PATH_BYTES, "%s/build/attack_kernels.elf", root ? root : ".");
}

const char *program_path(const char *name) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", program_folder, name);
  return path;
}

qsmDevice_t open_device(const char *config) {
  char msg[256] = "";
  qsmDevice_t device = NULL;
  if (qsmDeviceOpen("model", config, NULL, &device, msg, sizeof msg)) fail_msg("%s", msg);
  return device;
}

qsmContext_t open_context(qsmDevice_t device) {
  qsmContext_t context = NULL;
  assert_int_equal(qsmContextCreate(device, &context), qsmSuccess);
  assert_int_equal(qsmModuleLoad(context, program_path("k.elf")), qsmSuccess);
  return context;
}

uint32_t allocate(qsmContext_t context, size_t bytes) {
  uint32_t address = 0;
  assert_int_equal(qsmMalloc(context, bytes, &address), qsmSuccess);
  return address;
}

uint32_t read_word(qsmContext_t context, uint32_t address) {
  uint32_t value = 0;
  assert_int_equal(qsmMemcpyDtoH(context, &value, address, sizeof value), qsmSuccess);
  return value;
}

qsmError_t launch(qsmContext_t context, const char *kernel, uint32_t n_blocks, uint32_t buffer,
                  uint32_t second, qsmLaunchCallback callback, void *user) {
  const uint32_t args[] = {buffer, second};
  uint32_t n_args = qsm_passes_words(context, kernel);
  return qsmLaunchKernel(context, kernel, (qsmDim3){n_blocks, 1, 1}, (qsmDim3){8, 1, 1}, args,
                         n_args < 2 ? n_args : 2, 0, NULL, callback, user);
}

// ---- Programs of the suite ----

static uint32_t job_alloc(void *context, size_t bytes) {
  uint32_t address = 0;
  return qsmMalloc(context, bytes, &address) ? 0 : address;
}

static void job_write(void *context, uint32_t address, const void *src, size_t bytes) {
  assert_int_equal(qsmMemcpyHtoD(context, address, src, bytes), qsmSuccess);
}

static void job_read(void *context, uint32_t address, void *dst, size_t bytes) {
  assert_int_equal(qsmMemcpyDtoH(context, dst, address, bytes), qsmSuccess);
}

static void synchronize(qsmContext_t context, void *user) {
  (void)user;
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
}

void change_config(const char *config, const char *edits, char path[CONFIG_PATH_BYTES]) {
  static uint32_t n_changed;
  char from[256], command[512];
  assert_int_equal(qsm_config_path(config, from, sizeof from), 0);
  snprintf(path, CONFIG_PATH_BYTES, "%s/config%u.yaml", program_folder, n_changed++);
  snprintf(command, sizeof command, "sed '%s' %s > %s", edits, from, path);
  assert_int_equal(system(command), 0);
}

qsmDevice_t open_device_for(const char *config, const struct qsm_suite_program *program) {
  char path[CONFIG_PATH_BYTES];
  qsmDevice_t device = open_device(config);
  if (!program->needs_fpu || qsmDeviceConfig(device)->fpu) return device;
  qsmDeviceClose(device);
  change_config(config, "s/^fpu:.*/fpu: 1/", path);
  return open_device(path);
}

uint64_t run_program(qsmContext_t context, const struct qsm_suite_program *program,
                     enum qsm_suite_size size, uint64_t seed) {
  return run_program_with(context, program, size, seed, synchronize, NULL);
}

uint64_t run_program_with(qsmContext_t context, const struct qsm_suite_program *program,
                          enum qsm_suite_size size, uint64_t seed,
                          void (*wait)(qsmContext_t context, void *user), void *user) {
  const struct qsm_suite_mem mem = {context, job_alloc, job_write, job_read, NULL};
  struct qsm_suite_launch step;
  char path[128];
  snprintf(path, sizeof path, "build/sw/%s.elf", program->name);
  assert_int_equal(qsmModuleLoad(context, path), qsmSuccess);
  struct qsm_job *job = qsm_suite_create(program, &mem, seed, size);
  assert_non_null(job);
  qsm_suite_begin(job);
  while (qsm_suite_next(job, &step)) {
    assert_int_equal(
        qsmLaunchKernel(context, step.symbol, (qsmDim3){step.grid[0], step.grid[1], step.grid[2]},
                        (qsmDim3){step.block[0], step.block[1], step.block[2]}, step.args,
                        qsm_passes_words(context, step.symbol), step.shared_bytes, NULL, NULL,
                        NULL),
        qsmSuccess);
    wait(context, user);
  }
  uint64_t n_wrong = qsm_suite_check(job);
  qsm_suite_destroy(job);
  return n_wrong;
}
