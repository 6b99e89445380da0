// SPDX-License-Identifier: Apache-2.0
#include "qsm_app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qsm_app_internal.h"
#include "qsm_config.h"

// Of a thread; no kernel of an application has more (tb/host/test_apps.c asks for it).
enum { STACK_BYTES = 256 };
enum { PAGE = 4096, PROGRAM_AREAS = (32 + 256) * 1024, STREAM_BYTES = 16 * 1024 };

// Each in its file.
#define APP(name) extern const struct qsm_app qsm_app_##name;
#include "qsm_app.inc"
#undef APP

const struct qsm_app *const qsm_apps[] = {
#define APP(name) &qsm_app_##name,
#include "qsm_app.inc"
#undef APP
    NULL};

const char *const qsm_app_size_names[QSM_APP_SIZE_COUNT] = {"T", "S", "M"};

bool qsm_app_size_by_name(const char *name, enum qsm_app_size *size) {
  for (int i = 0; i < QSM_APP_SIZE_COUNT; i++) {
    if (strcmp(qsm_app_size_names[i], name) != 0) continue;
    *size = (enum qsm_app_size)i;
    return true;
  }
  return false;
}

const struct qsm_app *qsm_app_by_name(const char *name) {
  for (const struct qsm_app *const *app = qsm_apps; *app != NULL; app++)
    if (strcmp((*app)->name, name) == 0) return *app;
  return NULL;
}

// ---- What a run is ----

struct qsm_app_run {
  const struct qsm_app *app;
  struct qsm_app_options options;
  qsmDevice_t device;
  qsmContext_t context;
  qsmStream_t stream;  // NULL on a context with a slot
  struct qsm_app_plan plan;
  bool referred;  // the reference is that of the last input
  char path[1024];
};

const struct qsm_app *qsm_app_of(const struct qsm_app_run *run) { return run->app; }
const char *qsm_app_program_path(const struct qsm_app_run *run) { return run->path; }
uint32_t qsm_app_step_count(const struct qsm_app_run *run) { return run->plan.n_steps; }
uint32_t qsm_app_distinct_count(const struct qsm_app_run *run) { return run->plan.n_distinct; }
uint32_t qsm_app_buffer_count(const struct qsm_app_run *run) { return run->plan.n_buffers; }

const struct qsm_app_step *qsm_app_step(const struct qsm_app_run *run, uint32_t step) {
  return &run->plan.steps[step].shown;
}

const struct qsm_app_buffer *qsm_app_buffer(const struct qsm_app_run *run, uint32_t buffer) {
  return &run->plan.buffers[buffer].shown;
}

qsmLaunch qsm_app_launch(const struct qsm_app_run *run, uint32_t number) {
  const struct qsm_app_step *step = qsm_app_step(run, number);
  return (qsmLaunch){.kernel = step->kernel,
                     .grid = step->grid,
                     .block = step->block,
                     .args = step->args,
                     .n_args = step->n_args,
                     .shared_bytes = step->shared_bytes,
                     .stream = run->stream};
}

// ---- Sizes ----

uint64_t qsm_app_bytes(const struct qsm_app *app, enum qsm_app_size size) {
  struct qsm_app_plan plan;
  if (qsm_app_plan_make(&plan, app, size)) return 0;
  uint64_t bytes = qsm_app_plan_bytes(&plan);
  qsm_app_plan_free(&plan);
  return bytes;
}

// Stacks for all threads that can be live, those of saved blocks too; the most that a step asks
// for.
static uint64_t stacks_of(const struct qsm_app_plan *plan, const struct qsm_config *config) {
  uint64_t most = 0;
  for (uint32_t i = 0; i < plan->n_steps; i++) {
    qsmDim3 block = plan->steps[i].shown.block;
    uint32_t warps = qsm_app_div_up(block.x * block.y * block.z, config->warp_size);
    uint64_t bytes =
        (uint64_t)qsm_config_live_blocks(config, warps) * warps * config->warp_size * STACK_BYTES;
    if (bytes > most) most = bytes;
  }
  // The area begins at a multiple of what a warp has.
  return most + (uint64_t)config->warp_size * STACK_BYTES + 2 * PAGE;
}

size_t qsm_app_context_bytes(const struct qsm_app *app, enum qsm_app_size size,
                             const struct qsm_config *config, uint32_t n_streams) {
  struct qsm_app_plan plan;
  if (qsm_app_plan_make(&plan, app, size)) return 0;
  uint64_t heap =
      qsm_app_plan_bytes(&plan) + stacks_of(&plan, config) + n_streams * (uint64_t)STREAM_BYTES;
  qsm_app_plan_free(&plan);
  // Of what is behind arguments and program a quarter is the host window.
  uint64_t pages = (heap + heap / 3 + PAGE) / PAGE + 8;
  return (size_t)(PROGRAM_AREAS + pages * PAGE);
}

// ---- Making a run ----

static bool on_channels(const struct qsm_app_run *run) { return run->stream != NULL; }

static qsmError_t copy_in(const struct qsm_app_run *run, const struct qsm_app_place *place) {
  const struct qsm_app_buffer *buffer = &place->shown;
  if (!on_channels(run))
    return qsmMemcpyHtoD(run->context, buffer->address, place->host, buffer->bytes);
  return qsmMemcpyAsync(run->context, qsmDevicePointer(buffer->address), place->host, buffer->bytes,
                        qsmMemcpyHostToDevice, run->stream);
}

// All bytes 0xFF: a NaN, or -1.
static qsmError_t spoil(const struct qsm_app_run *run, const struct qsm_app_buffer *buffer) {
  if (on_channels(run))
    return qsmMemsetAsync(run->context, buffer->address, 0xFF, buffer->bytes, run->stream);
  uint8_t piece[PAGE];
  memset(piece, 0xFF, sizeof piece);
  qsmError_t error = qsmSuccess;
  for (size_t at = 0; !error && at < buffer->bytes; at += sizeof piece) {
    size_t n = buffer->bytes - at < sizeof piece ? buffer->bytes - at : sizeof piece;
    error = qsmMemcpyHtoD(run->context, buffer->address + (uint32_t)at, piece, n);
  }
  return error;
}

static bool is_written(const struct qsm_app_buffer *buffer) {
  return buffer->role == QSM_APP_BETWEEN || buffer->role == QSM_APP_OUTPUT;
}

// A buffer's content depends on the seed and its number alone.
static void fill(struct qsm_app_place *place, uint64_t seed, uint32_t number) {
  struct qsm_app_random random = qsm_app_random_of(seed ^ (uint64_t)number << 40);
  if (place->content.fill)
    place->content.fill(&random, place->host, place->shown.bytes, &place->content);
}

int qsm_app_plan_fill(struct qsm_app_plan *plan, uint64_t weight_seed, uint64_t input_seed) {
  for (uint32_t i = 0; i < plan->n_buffers; i++) {
    struct qsm_app_place *place = &plan->buffers[i];
    place->host = calloc(1, place->shown.bytes);
    if (!place->host) return -1;
    if (place->shown.role == QSM_APP_WEIGHTS) fill(place, weight_seed, i);
    if (place->shown.role == QSM_APP_INPUT) fill(place, input_seed, i);
  }
  return 0;
}

// The plan, with addresses for numbers of buffers.
static void place_arguments(struct qsm_app_plan *plan) {
  for (uint32_t i = 0; i < plan->n_steps; i++) {
    struct qsm_app_launch_plan *step = &plan->steps[i];
    for (uint32_t j = 0; j < step->shown.n_args; j++) {
      bool is_number = step->kernel->pattern[j] == 'n';
      uint32_t low = (uint32_t)step->args[j], offset = (uint32_t)(step->args[j] >> 32);
      step->shown.args[j] = is_number ? low : plan->buffers[low].shown.address + offset;
    }
  }
}

static qsmError_t fail(char *msg, size_t msg_len, qsmError_t error, const char *text) {
  snprintf(msg, msg_len, "%s", text);
  return error;
}

// Of the library's calls; the last one that failed.
static qsmError_t fail_in(const struct qsm_app_run *run, const char *what, char *msg,
                          size_t msg_len, qsmError_t error) {
  const char *text = qsmGetLastErrorText(run->device);
  snprintf(msg, msg_len, "application %s: %s: %s", run->app->name, what,
           text && *text ? text : qsmGetErrorString(error));
  return error;
}

static qsmError_t check_gpu(const struct qsm_app_run *run, char *msg, size_t msg_len) {
  const struct qsm_config *config = qsmDeviceConfig(run->device);
  if (!config) return fail(msg, msg_len, qsmErrorInvalidHandle, "the device has been closed");
  const char *name = run->app->name;
  if (run->app->needs_fpu && !config->fpu) {
    snprintf(msg, msg_len, "application %s computes floats, configuration %s has no FPU", name,
             config->name);
    return qsmErrorInvalidLaunch;
  }
  uint32_t most_threads = config->warps_per_sm * config->warp_size;
  for (uint32_t i = 0; i < run->plan.n_steps; i++) {
    const struct qsm_app_step *step = qsm_app_step(run, i);
    uint32_t threads = step->block.x * step->block.y * step->block.z;
    if (threads <= most_threads && step->shared_bytes <= config->shared_bytes) continue;
    snprintf(msg, msg_len,
             "application %s, size %s, step %u (%s): blocks of %u threads and %u bytes of shared "
             "memory; an SM of configuration %s has %u and %u",
             name, qsm_app_size_names[run->options.size], i, step->name, threads,
             step->shared_bytes, config->name, most_threads, config->shared_bytes);
    return qsmErrorInvalidLaunch;
  }
  return qsmSuccess;
}

static qsmError_t load_program(struct qsm_app_run *run, char *msg, size_t msg_len) {
  int length = snprintf(run->path, sizeof run->path, "%s/%s.elf", run->options.kernel_folder,
                        run->app->program);
  if (length < 0 || (size_t)length >= sizeof run->path || access(run->path, R_OK)) {
    snprintf(msg, msg_len, "application %s: no program %s/%s.elf", run->app->name,
             run->options.kernel_folder, run->app->program);
    return qsmErrorNotFound;
  }
  if (run->options.loaded) return qsmSuccess;
  qsmError_t error = qsmModuleLoad(run->context, run->path);
  return error ? fail_in(run, "its program", msg, msg_len, error) : qsmSuccess;
}

static qsmError_t allocate(struct qsm_app_run *run, char *msg, size_t msg_len) {
  uint64_t needed = qsm_app_plan_bytes(&run->plan), free_bytes = 0;
  qsmError_t error = qsmMemGetInfo(run->context, &free_bytes, NULL);
  if (error) return fail_in(run, "its memory", msg, msg_len, error);
  for (uint32_t i = 0; !error && i < run->plan.n_buffers; i++) {
    struct qsm_app_buffer *buffer = &run->plan.buffers[i].shown;
    error = needed > free_bytes ? qsmErrorMemoryAllocation
                                : qsmMalloc(run->context, buffer->bytes, &buffer->address);
  }
  if (error == qsmErrorMemoryAllocation)
    snprintf(msg, msg_len,
             "application %s, size %s: its buffers need %llu bytes, the context has %llu free",
             run->app->name, qsm_app_size_names[run->options.size], (unsigned long long)needed,
             (unsigned long long)free_bytes);
  else if (error)
    fail_in(run, "its memory", msg, msg_len, error);
  return error;
}

static qsmError_t fill_all(struct qsm_app_run *run) {
  qsmError_t error = qsmSuccess;
  for (uint32_t i = 0; !error && i < run->plan.n_buffers; i++) {
    const struct qsm_app_place *place = &run->plan.buffers[i];
    error = is_written(&place->shown) ? spoil(run, &place->shown) : copy_in(run, place);
  }
  return error;
}

static qsmError_t set_up(struct qsm_app_run *run, char *msg, size_t msg_len) {
  qsmError_t error = qsmSuccess;
  if (qsm_app_plan_make(&run->plan, run->app, run->options.size) ||
      qsm_app_plan_fill(&run->plan, run->options.weight_seed, run->options.input_seed))
    return fail(msg, msg_len, qsmErrorMemoryAllocation, "out of memory");
  run->stream = run->options.stream;
  if (!run->stream && qsmContextSlot(run->context) == UINT32_MAX)
    error = qsmContextDefaultStream(run->context, &run->stream);
  if (error) return fail_in(run, "its stream", msg, msg_len, error);
  error = check_gpu(run, msg, msg_len);
  if (!error) error = load_program(run, msg, msg_len);
  if (!error) error = allocate(run, msg, msg_len);
  if (error) return error;
  place_arguments(&run->plan);
  error = fill_all(run);
  return error ? fail_in(run, "its weights and input", msg, msg_len, error) : qsmSuccess;
}

qsmError_t qsm_app_create(const struct qsm_app *app, const struct qsm_app_options *options,
                          qsmDevice_t device, qsmContext_t context, struct qsm_app_run **run,
                          char *msg, size_t msg_len) {
  if (!app || !options || !run || !options->kernel_folder ||
      (unsigned)options->size >= QSM_APP_SIZE_COUNT)
    return fail(msg, msg_len, qsmErrorInvalidValue,
                "qsm_app_create: no application, options, kernel folder, run, or no such size");
  struct qsm_app_run *made = calloc(1, sizeof *made);
  if (!made) return fail(msg, msg_len, qsmErrorMemoryAllocation, "out of memory");
  made->app = app;
  made->options = *options;
  made->device = device;
  made->context = context;
  qsmError_t error = set_up(made, msg, msg_len);
  if (error)
    qsm_app_destroy(made);
  else
    *run = made;
  return error;
}

void qsm_app_destroy(struct qsm_app_run *run) {
  if (!run) return;
  for (uint32_t i = 0; i < run->plan.n_buffers; i++)
    if (run->plan.buffers[i].shown.address)
      qsmFree(run->context, run->plan.buffers[i].shown.address);
  qsm_app_plan_free(&run->plan);
  free(run);
}

// ---- Passes ----

qsmError_t qsm_app_reset(struct qsm_app_run *run, uint64_t input_seed, bool spoils) {
  qsmError_t error = qsmSuccess;
  run->referred = false;
  for (uint32_t i = 0; !error && i < run->plan.n_buffers; i++) {
    struct qsm_app_place *place = &run->plan.buffers[i];
    if (place->shown.role == QSM_APP_INPUT) {
      fill(place, input_seed, i);
      error = copy_in(run, place);
    } else if (spoils && is_written(&place->shown)) {
      error = spoil(run, &place->shown);
    }
  }
  return error;
}

static qsmError_t wait_for(const struct qsm_app_run *run, uint64_t max_cycles) {
  return on_channels(run) ? qsmStreamSynchronize(run->stream, max_cycles)
                          : qsmContextSynchronize(run->context, max_cycles);
}

qsmError_t qsm_app_run_alone(struct qsm_app_run *run, uint64_t max_cycles) {
  qsmError_t error = qsmSuccess;
  for (uint32_t i = 0; !error && i < run->plan.n_steps; i++) {
    qsmLaunch launch = qsm_app_launch(run, i);
    error = qsmLaunchKernelEx(run->context, &launch, NULL, NULL);
    if (!error && !on_channels(run)) error = wait_for(run, max_cycles);
  }
  return error ? error : wait_for(run, max_cycles);
}

// ---- Checks ----

void qsm_app_plan_refer(struct qsm_app_plan *plan) {
  for (uint32_t i = 0; i < plan->n_steps; i++) {
    const struct qsm_app_launch_plan *step = &plan->steps[i];
    void *at[QSM_APP_MOST_ARGS] = {NULL};
    uint32_t number[QSM_APP_MOST_ARGS] = {0};
    for (uint32_t j = 0; j < step->shown.n_args; j++) {
      uint32_t low = (uint32_t)step->args[j];
      if (step->kernel->pattern[j] == 'n')
        number[j] = low;
      else
        at[j] = plan->buffers[low].host + (step->args[j] >> 32);
    }
    const struct qsm_app_call call = {step->shown.grid, step->shown.block, at, number};
    step->kernel->reference(&call);
  }
}

static qsmError_t copy_out(const struct qsm_app_run *run, const struct qsm_app_buffer *buffer,
                           uint8_t *to, uint64_t max_cycles) {
  if (!on_channels(run)) return qsmMemcpyDtoH(run->context, to, buffer->address, buffer->bytes);
  qsmError_t error = qsmMemcpyAsync(run->context, to, qsmDevicePointer(buffer->address),
                                    buffer->bytes, qsmMemcpyDeviceToHost, run->stream);
  return error ? error : wait_for(run, max_cycles);
}

struct part {  // of a buffer
  uint32_t buffer;
  size_t from, to;
};

// Words of a part that differ, a rest of less than a word counted as one; *first is the first.
static uint64_t count_wrong(const struct qsm_app_place *place, const struct part *part,
                            const uint8_t *got, uint64_t *first) {
  uint64_t n_wrong = 0;
  for (size_t at = part->from; at < part->to; at += 4) {
    size_t n = part->to - at < 4 ? part->to - at : 4;
    if (memcmp(place->host + at, got + at, n) && n_wrong++ == 0) *first = at / 4;
  }
  return n_wrong;
}

static uint32_t word_at(const uint8_t *bytes, size_t n_bytes, uint64_t word) {
  uint32_t value = 0;
  size_t left = n_bytes - 4 * (size_t)word;
  memcpy(&value, bytes + 4 * word, left < 4 ? left : 4);
  return value;
}

// *n_wrong of this part; where it is wrong, `difference` says what of it, but for the step.
static qsmError_t compare(const struct qsm_app_run *run, const struct part *part,
                          uint64_t max_cycles, uint64_t *n_wrong,
                          struct qsm_app_difference *difference) {
  const struct qsm_app_place *place = &run->plan.buffers[part->buffer];
  uint8_t *got = malloc(place->shown.bytes);
  if (!got) return qsmErrorMemoryAllocation;
  qsmError_t error = copy_out(run, &place->shown, got, max_cycles);
  uint64_t first = 0;
  if (!error && (*n_wrong = count_wrong(place, part, got, &first)) != 0) {
    difference->buffer = place->shown.name;
    difference->element = first;
    difference->expected = word_at(place->host, place->shown.bytes, first);
    difference->got = word_at(got, place->shown.bytes, first);
  }
  free(got);
  return error;
}

static bool writes(const struct qsm_app_launch_plan *step, uint32_t argument) {
  char letter = step->kernel->pattern[argument];
  return letter == 'w' || letter == 'u';
}

// What a step writes of a buffer: up to where another step begins in it.
static struct part part_of(const struct qsm_app_plan *plan, qsm_app_argument argument) {
  uint32_t buffer = (uint32_t)argument;
  struct part part = {buffer, argument >> 32, plan->buffers[buffer].shown.bytes};
  for (uint32_t i = 0; i < plan->n_steps; i++) {
    const struct qsm_app_launch_plan *step = &plan->steps[i];
    for (uint32_t j = 0; j < step->shown.n_args; j++) {
      size_t from = step->args[j] >> 32;
      if (writes(step, j) && (uint32_t)step->args[j] == buffer && from > part.from &&
          from < part.to)
        part.to = from;
    }
  }
  return part;
}

static qsmError_t find_step(const struct qsm_app_run *run, uint64_t max_cycles,
                            struct qsm_app_difference *difference) {
  for (uint32_t i = 0; i < run->plan.n_steps; i++) {
    const struct qsm_app_launch_plan *step = &run->plan.steps[i];
    for (uint32_t j = 0; j < step->shown.n_args; j++) {
      uint64_t n_wrong = 0;
      if (!writes(step, j)) continue;
      struct part part = part_of(&run->plan, step->args[j]);
      qsmError_t error = compare(run, &part, max_cycles, &n_wrong, difference);
      if (error) return error;
      if (!n_wrong) continue;
      difference->step = step->shown.name;
      return qsmSuccess;
    }
  }
  return qsmSuccess;
}

qsmError_t qsm_app_check(struct qsm_app_run *run, uint64_t max_cycles,
                         struct qsm_app_difference *difference) {
  struct qsm_app_difference found = {0};
  qsmError_t error = wait_for(run, max_cycles);
  if (error) return error;
  if (!run->referred) qsm_app_plan_refer(&run->plan);
  run->referred = true;
  for (uint32_t i = 0; !error && i < run->plan.n_buffers; i++) {
    uint64_t n_wrong = 0;
    const struct part all = {i, 0, run->plan.buffers[i].shown.bytes};
    if (run->plan.buffers[i].shown.role != QSM_APP_OUTPUT) continue;
    error = compare(run, &all, max_cycles, &n_wrong, &found);
    found.n_wrong += n_wrong;
  }
  if (!error && found.n_wrong) error = find_step(run, max_cycles, &found);
  if (!error) *difference = found;
  return error;
}
