// SPDX-License-Identifier: Apache-2.0
#include "qsm_passes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_config.h"
#include "qsm_config_yaml.h"
#include "qsm_observer.h"

enum { SUITE_WORDS = 8 };  // of a launch of the suite

// ---- Memory of a program ----

static void note_error(struct qsm_passes *passes, qsmError_t error) {
  if (error && !passes->error) passes->error = error;
}

static uint32_t job_alloc(void *ctx, size_t bytes) {
  uint32_t address = 0;
  return qsmMalloc(((struct qsm_passes *)ctx)->context, bytes, &address) == qsmSuccess ? address
                                                                                       : 0;
}

static void job_write(void *ctx, uint32_t addr, const void *src, size_t bytes) {
  struct qsm_passes *passes = ctx;
  note_error(passes, qsmMemcpyHtoD(passes->context, addr, src, bytes));
}

static void job_read(void *ctx, uint32_t addr, void *dst, size_t bytes) {
  struct qsm_passes *passes = ctx;
  note_error(passes, qsmMemcpyDtoH(passes->context, dst, addr, bytes));
}

static void job_spoiled(void *ctx, uint32_t addr, size_t bytes) {
  qsm_context_spoiled(((struct qsm_passes *)ctx)->context, addr, bytes);
}

// ---- Passes ----

static void put_back(struct qsm_passes *passes) {
  for (uint32_t set = 0; set < passes->n_sets; set++) {
    qsm_suite_use_set(passes->job, set);
    qsm_suite_begin(passes->job);
  }
}

void qsm_passes_check(struct qsm_passes *passes) {
  for (uint32_t set = 0; set < passes->n_unchecked; set++) {
    qsm_suite_use_set(passes->job, set);
    if (qsm_suite_check(passes->job) == 0)
      passes->n_right++;
    else
      passes->n_wrong++;
  }
  passes->n_unchecked = 0;
}

void qsm_passes_begin(struct qsm_passes *passes) {
  passes->launched_own = false;
  if (!passes->job) return;
  if (passes->n_unchecked == passes->n_sets) {
    qsm_passes_check(passes);
    put_back(passes);
  }
  qsm_suite_use_set(passes->job, passes->n_unchecked);
}

static bool next_own(struct qsm_passes *passes, struct qsm_suite_launch *launch) {
  const struct qsm_scenario_kernel *kernel = passes->kernel;
  if (passes->launched_own) return false;
  passes->launched_own = true;
  *launch =
      (struct qsm_suite_launch){.symbol = kernel->symbol, .shared_bytes = kernel->shared_bytes};
  memcpy(launch->grid, kernel->grid, sizeof launch->grid);
  memcpy(launch->block, kernel->block, sizeof launch->block);
  memcpy(launch->args, passes->args, sizeof launch->args);
  return true;
}

uint32_t qsm_passes_words(qsmContext_t context, const char *kernel) {
  qsmKernelAttributes attributes;
  bool known =
      qsmGetKernelAttributes(context, kernel, &attributes) == qsmSuccess && attributes.signature;
  return known && attributes.n_arguments < SUITE_WORDS ? attributes.n_arguments : SUITE_WORDS;
}

bool qsm_passes_next(struct qsm_passes *passes, struct qsm_suite_launch *launch) {
  if (!passes->job) return next_own(passes, launch);
  if (qsm_suite_next(passes->job, launch)) return true;
  passes->n_unchecked++;
  return false;
}

// ---- Set-up ----

static qsmError_t create_buffer(const struct qsm_passes *passes, uint32_t bytes,
                                uint32_t *address) {
  void *zeros = calloc(1, bytes);
  if (!zeros) return qsmErrorMemoryAllocation;
  qsmError_t error = qsmMalloc(passes->context, bytes, address);
  if (!error) error = qsmMemcpyHtoD(passes->context, *address, zeros, bytes);
  free(zeros);
  return error;
}

static qsmError_t create_buffers(struct qsm_passes *passes) {
  for (uint32_t i = 0; i < passes->kernel->n_args; i++) {
    passes->args[i] = passes->kernel->arg[i];
    uint32_t bytes = passes->kernel->buffer_bytes[i];
    qsmError_t error = bytes ? create_buffer(passes, bytes, &passes->args[i]) : qsmSuccess;
    if (error) return error;
  }
  return qsmSuccess;
}

static uint64_t room_in(qsmContext_t context) {
  uint64_t bytes = 0;
  qsmMemGetInfo(context, &bytes, NULL);
  return bytes;
}

// Behind an L2 a look at memory costs a flush, so passes are checked many at a time. Half of the
// memory is left for what launches need (save areas).
static void add_sets(struct qsm_passes *passes) {
  bool has_l2 = qsmDeviceConfig(passes->device)->l2_kib != 0;
  passes->n_sets = qsm_suite_add_sets(passes->job, has_l2 ? room_in(passes->context) / 2 : 0);
  put_back(passes);
}

static qsmError_t create_job(struct qsm_passes *passes, const struct qsm_scenario *scenario,
                             const char *place, char *msg, size_t msg_len) {
  const struct qsm_suite_program *program = passes->kernel->program;
  const struct qsm_suite_mem mem = {passes, job_alloc, job_write, job_read, job_spoiled};
  uint64_t room = room_in(passes->context);
  passes->job = qsm_suite_create(program, &mem, scenario->seed, scenario->size);
  if (!passes->job) {
    snprintf(msg, msg_len,
             "%sprogram %s at size %s needs %" PRIu64
             " bytes of device memory, this tenant has %" PRIu64,
             place, program->name, qsm_suite_size_names[scenario->size],
             qsm_suite_bytes(program, scenario->seed, scenario->size), room);
    return qsmErrorMemoryAllocation;
  }
  add_sets(passes);
  return passes->error;
}

void qsm_passes_path(const struct qsm_scenario_kernel *kernel, bool in_workers, char *path,
                     size_t path_len) {
  if (kernel->program)
    snprintf(path, path_len, "%s/build/sw/%s%s.elf", qsm_source_root(), kernel->program->name,
             in_workers ? ".workers" : "");
  else
    snprintf(path, path_len, "%s", kernel->elf);
}

qsmError_t qsm_passes_load(struct qsm_passes *passes, qsmDevice_t device, qsmContext_t context,
                           const struct qsm_scenario *scenario,
                           const struct qsm_scenario_kernel *kernel, bool in_workers,
                           const char *place, char *msg, size_t msg_len) {
  const struct qsm_suite_program *program = kernel->program;
  const struct qsm_config *config = qsmDeviceConfig(device);
  char path[1024];
  *passes = (struct qsm_passes){.kernel = kernel, .device = device, .context = context};
  if (program && program->needs_fpu && !config->fpu) {
    snprintf(msg, msg_len, "%sprogram %s needs a GPU with FPU; configuration %s has none (fpu: 0)",
             place, program->name, config->name);
    return qsmErrorInvalidValue;
  }
  qsm_passes_path(kernel, in_workers, path, sizeof path);
  qsmError_t error = qsmModuleLoad(context, path);
  if (error) return error;
  return program ? create_job(passes, scenario, place, msg, msg_len) : create_buffers(passes);
}

void qsm_passes_free(struct qsm_passes *passes) {
  qsm_suite_destroy(passes->job);
  passes->job = NULL;
}
