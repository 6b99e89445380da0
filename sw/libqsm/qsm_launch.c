// SPDX-License-Identifier: Apache-2.0
// Launches: arguments, start, end, the passing of time.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "qsm_elf.h"
#include "qsm_internal.h"
#include "qsm_regs.h"
#include "qsm_streams.h"

enum { DRAIN_CYCLES = 1000000 };

// A launch finds its arguments where an equal one did, or in lines that the GPU has not read yet:
// behind an L2 others would cost a flush. Returns the block's place in the area, or where the next
// one goes.
static uint32_t find_arguments(const struct qsm_argument_blocks *blocks, const void *content,
                               uint32_t bytes) {
  for (uint32_t i = 0; i < blocks->n; i++)
    if (blocks->block[i].bytes == bytes &&
        memcmp(blocks->content + blocks->block[i].at, content, bytes) == 0)
      return blocks->block[i].at;
  return blocks->used_bytes;
}

static void add_arguments(struct qsm_argument_blocks *blocks, const void *content, uint32_t bytes) {
  blocks->block[blocks->n].at = blocks->used_bytes;
  blocks->block[blocks->n++].bytes = bytes;
  memcpy(blocks->content + blocks->used_bytes, content, bytes);
  blocks->used_bytes +=
      (bytes + QSM_ARGUMENT_STRIDE - 1) / QSM_ARGUMENT_STRIDE * QSM_ARGUMENT_STRIDE;
}

qsmError_t qsm_launch_place(struct qsm_context *context, const void *content, uint32_t bytes,
                            uint32_t *address) {
  struct qsm_argument_blocks *blocks = &context->argument_blocks;
  uint32_t at = find_arguments(blocks, content, bytes);
  if (at == blocks->used_bytes && at + bytes > blocks->to) {
    qsmError_t error = qsm_memory_settle(context);
    if (error) return error;
    at = blocks->n = blocks->used_bytes = 0;
  }
  *address = context->base + at;
  if (at < blocks->used_bytes) return qsmSuccess;
  add_arguments(blocks, content, bytes);
  qsm_memory_put(context, *address, content, bytes);
  return qsmSuccess;
}

// I-ENT-1; R-WK-2 puts the job of a program with workers in front of it.
qsmError_t qsm_launch_place_arguments(struct qsm_context *context, const struct qsm_pending *launch,
                                      const uint32_t job[QSM_WORKER_JOB_WORDS], uint32_t *address) {
  const struct qsm_entry_arguments *arguments = &launch->arguments;
  struct {
    uint32_t job[QSM_WORKER_JOB_WORDS];
    uint32_t function, n_stack_bytes, registers[QSM_ARGUMENT_REGISTERS];
    uint8_t stack[QSM_MOST_STACK_BYTES];
  } block = {.function = launch->function, .n_stack_bytes = arguments->n_stack_bytes};
  uint32_t at = 0, skipped = qsm_workers_in(context->program) ? 0 : sizeof block.job;
  memcpy(block.job, job, sizeof block.job);
  memcpy(block.registers, arguments->registers, sizeof block.registers);
  memcpy(block.stack, arguments->stack, arguments->n_stack_bytes);
  uint32_t bytes = (uint32_t)offsetof(__typeof__(block), stack) + arguments->n_stack_bytes;
  qsmError_t error =
      qsm_launch_place(context, (const uint8_t *)&block + skipped, bytes - skipped, &at);
  if (!error) *address = at + (uint32_t)sizeof block.job - skipped;
  return error;
}

static qsmError_t write_arguments(struct qsm_context *context, const struct qsm_pending *launch,
                                  const uint32_t job[QSM_WORKER_JOB_WORDS]) {
  uint32_t address = 0;
  qsmError_t error = qsm_launch_place_arguments(context, launch, job, &address);
  return error ? error : qsm_slot_write(context, QSM_SLOT_ARG, address);
}

static void observe(const struct qsm_context *context, const struct qsm_pending *launch) {
  uint32_t log2 = launch->stack & QSM_SLOT_STACK_LOG2_MASK;
  const struct qsm_observed_launch observed = {.function = launch->function - context->program_at,
                                               .grid = launch->grid,
                                               .block = launch->block,
                                               .shared_bytes = launch->shared_bytes,
                                               .stack_bytes = log2 ? 1u << log2 : 0};
  QSM_OBSERVE(context->device, launched, &observed);
}

// A launch that yielded, or the host, may have left the walk anywhere.
static qsmError_t clear_walk(struct qsm_context *context) {
  static const uint32_t registers[] = {QSM_SLOT_WALK_XY, QSM_SLOT_WALK_Z, QSM_SLOT_WALK_LINEAR};
  struct qsm_device *device = context->device;
  qsmError_t error = qsmSuccess;
  if (!(device->walked >> context->slot & 1)) return qsmSuccess;
  for (size_t i = 0; !error && i < sizeof registers / sizeof registers[0]; i++)
    error = qsm_register_write(device, qsm_slot_register(context, registers[i]), 0);
  if (!error) device->walked &= ~QSM_TENANT(context->slot);
  return error;
}

// What the GPU must know of it before the register LAUNCH.
static qsmError_t describe_step(struct qsm_context *context, const struct qsm_pending *launch,
                                const uint32_t job[QSM_WORKER_JOB_WORDS]) {
  const struct qsm_config *config = &context->device->config;
  uint32_t threads = launch->block.x * launch->block.y * launch->block.z;
  const struct qsm_register_value values[] = {
      {QSM_SLOT_GRID_X, launch->grid.x},
      {QSM_SLOT_GRID_Y, launch->grid.y},
      {QSM_SLOT_GRID_Z, launch->grid.z},
      {QSM_SLOT_BLOCK_X, launch->block.x},
      {QSM_SLOT_BLOCK_Y, launch->block.y},
      {QSM_SLOT_BLOCK_Z, launch->block.z},
      {QSM_SLOT_BLOCK_THREADS, threads},
      {QSM_SLOT_SHARED, launch->shared_bytes},
      {QSM_SLOT_BLOCK_WARPS, (threads + config->warp_size - 1) / config->warp_size},
      {QSM_SLOT_SHARED_GRAN, (launch->shared_bytes + qsm_config_granule_bytes(config) - 1) /
                                 qsm_config_granule_bytes(config)},
  };
  qsmError_t error = qsm_deadline_write(context, launch);  // before time passes
  if (!error) error = QSM_SLOT_WRITE_ALL(context, values);
  if (!error) error = qsm_slot_write(context, QSM_SLOT_CACHE_POLICY, launch->cache_policy);
  if (!error) error = qsm_slot_write(context, QSM_SLOT_STACK, launch->stack);
  if (!error) error = write_arguments(context, launch, job);
  return error ? error : clear_walk(context);
}

// What the GPU is to run next for the launch at the head of the queue.
static qsmError_t start_step(struct qsm_context *context, const struct qsm_pending *launch,
                             const uint32_t job[QSM_WORKER_JOB_WORDS]) {
  qsmError_t error = describe_step(context, launch, job);
  if (!error) observe(context, launch);
  if (!error)
    error = qsm_register_write(context->device, qsm_slot_register(context, QSM_SLOT_LAUNCH), 1);
  if (error) return error;
  context->running = context->has_history = true;
  qsm_memory_launched(context);
  return qsmSuccess;
}

static qsmError_t start_launch(struct qsm_context *context) {
  struct qsm_pending *launch = context->queue;
  bool anew = launch->worker_phase <= QSM_WORKERS_WAITS;
  uint32_t job[QSM_WORKER_JOB_WORDS];
  qsmError_t error = qsm_workers_begin(context, launch);
  if (error) return error;
  struct qsm_pending step = *launch;
  qsm_workers_job(context, launch, job);
  qsm_workers_step(context, &step);
  error = start_step(context, &step, job);
  if (!error) qsm_counters_begin(context, anew, launch->worker_phase != QSM_WORKERS_CLOSE);
  return error;
}

static qsmError_t read_fault(struct qsm_context *context, qsmLaunchResult *result) {
  const struct {
    uint32_t offset;
    uint32_t *value;
  } fields[] = {{QSM_SLOT_FAULT_CAUSE, &result->cause},
                {QSM_SLOT_FAULT_PC, &result->pc},
                {QSM_SLOT_FAULT_TID, &result->tid},
                {QSM_SLOT_FAULT_BLOCK, &result->block},
                {QSM_SLOT_FAULT_VALUE, &result->value}};
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    qsmError_t error = qsm_slot_read(context, fields[i].offset, fields[i].value);
    if (error) return error;
  }
  return qsmSuccess;
}

// An illegal instruction with an opcode of docs/fpu.md.
bool qsm_lacks_fpu(const struct qsm_device *device, const qsmLaunchResult *result) {
  uint32_t opcode = result->value & 0x7F;
  bool is_float =
      opcode == 0x53 || opcode == 0x43 || opcode == 0x47 || opcode == 0x4B || opcode == 0x4F;
  return result->cause == QSM_CAUSE_ILLEGAL && is_float && !device->config.fpu;
}

const char *qsmFaultNote(const qsmLaunchResult *result) {
  if (!result) return "";
  if (result->needs_fpu) return ": floating point, and this GPU has no FPU";
  return result->cause == QSM_CAUSE_STACK_OVERFLOW ? ": stack overflow" : "";
}

static void note_end(struct qsm_context *context, qsmError_t error) {
  context->ended_with = error;
  snprintf(context->ended_text, sizeof context->ended_text, "%s", context->device->error);
}

static void free_launch(struct qsm_context *context, struct qsm_pending *launch) {
  qsm_stacks_release(context, launch->stacks);
  free(launch);
}

// Tells the owner of a launch, which is in no queue any more.
static void finish(struct qsm_context *context, struct qsm_pending *launch,
                   const qsmLaunchResult *result) {
  qsm_stacks_release(context, launch->stacks);  // the callback may want the room
  context->device->n_callbacks++;
  if (launch->callback) launch->callback(launch->user, result);
  context->device->n_callbacks--;
  free(launch);
}

// Those that wait. A callback may submit and kill as it likes: they are in no queue.
static void drop_pending(struct qsm_context *context, uint32_t cause) {
  struct qsm_pending *dropped = NULL,
                     *launch = context->running ? context->queue->next : context->queue, *next;
  for (; launch; launch = next) {
    next = launch->next;
    DL_DELETE(context->queue, launch);
    DL_APPEND(dropped, launch);
  }
  for (launch = dropped; launch; launch = next) {
    next = launch->next;
    qsmLaunchResult result = {
        .killed = true, .cause = cause, .end_cycle = qsm_device_cycle(context->device)};
    qsm_deadline_ended(context, launch, &result);
    finish(context, launch, &result);
  }
}

// What refuses one launch refuses those behind it.
static qsmError_t give_up(struct qsm_context *context, qsmError_t error) {
  note_end(context, error);
  drop_pending(context, QSM_CAUSE_NOT_STARTED);
  return qsm_fail(context->device, error, "%s", context->ended_text);
}

static qsmError_t start_next(struct qsm_context *context) {
  if (!context->queue || context->running) return qsmSuccess;
  qsmError_t error = start_launch(context);
  return error ? give_up(context, error) : qsmSuccess;
}

// The launch that ran has yielded (R-TB-16): its blocks are not through.
static qsmError_t go_on(struct qsm_context *context) {
  bool counts = context->counts;
  qsmError_t error = counts ? qsm_counters_keep(context) : qsmSuccess;
  if (!error) error = qsm_deadline_write(context, context->queue);
  if (!error)
    error = qsm_register_write(context->device, qsm_slot_register(context, QSM_SLOT_LAUNCH), 1);
  if (!error) {
    qsm_counters_begin(context, false, counts);
    return qsmSuccess;
  }
  context->running = false;
  return give_up(context, error);
}

// The launch that ran has ended like this.
static void leave_queue(struct qsm_context *context, qsmLaunchResult *result) {
  struct qsm_device *device = context->device;
  struct qsm_pending *launch = context->queue;
  qsm_deadline_ended(context, launch, result);
  if (result->killed) {
    qsm_fail(device, qsmErrorKernelFault,
             "%s: cause %u at PC 0x%08X, thread %u of block %u, value 0x%08X%s", context->name,
             result->cause, result->pc, result->tid, result->block, result->value,
             qsmFaultNote(result));
    note_end(context, qsmErrorKernelFault);
  }
  DL_DELETE(context->queue, launch);
  context->running = false;
  finish(context, launch, result);
}

// Of the running launch, which has ended or yielded. One that shall be killed ends where it yields.
static qsmError_t read_result(struct qsm_context *context, qsmLaunchResult *result, bool *yielded) {
  uint32_t status = 0;
  qsmError_t error = qsm_slot_read(context, QSM_SLOT_STATUS, &status);
  *yielded = (status & QSM_SLOT_STATUS_YIELDED_MASK) != 0;
  result->killed = (status & QSM_SLOT_STATUS_KILLED_MASK) != 0;
  if (!error && result->killed) error = read_fault(context, result);
  if (!*yielded) return error;
  context->device->walked |= QSM_TENANT(context->slot);
  if (context->queue->unwanted) {
    result->killed = true;
    result->cause = QSM_CAUSE_HOST;
  }
  return error;
}

// Other errors the tenant hears that waits for the launch.
static qsmError_t backend_error(qsmError_t error) {
  return error == qsmErrorBackend ? error : qsmSuccess;
}

// The running launch has ended: acknowledges, tells its owner, starts the next.
static qsmError_t end_launch(struct qsm_context *context) {
  struct qsm_device *device = context->device;
  qsmLaunchResult result = {.end_cycle = qsm_device_cycle(device)};
  bool yielded = false, again = false;
  qsmError_t error = read_result(context, &result, &yielded);
  if (!error) error = qsm_register_write(device, QSM_REG_IRQ, 1u << context->slot);
  if (error) return error;
  if (yielded && !result.killed) return backend_error(go_on(context));
  result.needs_fpu = result.killed && qsm_lacks_fpu(device, &result);
  if (!result.killed) error = qsm_workers_ended(context, &again);
  if (error) return error;
  if (again)
    context->running = false;
  else
    leave_queue(context, &result);
  return backend_error(start_next(context));
}

// An interrupt of which no launch is known, as when the host has written LAUNCH itself, is
// acknowledged and nothing else.
static qsmError_t serve_slot(struct qsm_device *device, uint32_t slot) {
  struct qsm_context *context = device->context[slot];
  return context && context->running ? end_launch(context)
                                     : qsm_register_write(device, QSM_REG_IRQ, 1u << slot);
}

static qsmError_t serve_interrupts(struct qsm_device *device) {
  uint32_t pending = 0;
  qsmError_t error = qsm_register_read(device, QSM_REG_IRQ, &pending);
  for (uint32_t slot = 0; !error && slot < device->config.num_kernels; slot++)
    if (((pending >> slot) & 1) && !qsm_channels_have_slot(device, slot))
      error = serve_slot(device, slot);
  return error ? error : qsm_streams_serve(device);
}

qsmError_t qsm_device_advance(struct qsm_device *device, uint64_t cycle) {
  uint64_t n = cycle - qsm_device_cycle(device), ran = 0;
  if (device->backend->run(device->backend, n, true, &ran) != QSM_BACKEND_OK)
    return qsm_backend_failed(device);
  return ran < n ? serve_interrupts(device) : qsmSuccess;
}

qsmError_t qsm_device_run_until(struct qsm_device *device, uint64_t cycle) {
  qsmError_t error = qsm_check_outside(device);
  while (!error && qsm_device_cycle(device) < cycle) {
    uint64_t due = qsm_energy_due(device);
    error = qsm_device_cycle(device) < due ? qsm_device_advance(device, due < cycle ? due : cycle)
                                           : qsm_energy_keep_up(device);
  }
  return error;
}

qsmError_t qsmDeviceRunUntil(qsmDevice_t handle, uint64_t cycle) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  return qsm_device_run_until(device, cycle);
}

uint64_t qsm_device_limit(struct qsm_device *device, uint64_t max_cycles) {
  uint64_t now = qsm_device_cycle(device);
  return max_cycles < UINT64_MAX - now ? now + max_cycles : UINT64_MAX;
}

static bool nothing_pending(void *what) {
  const struct qsm_device *device = what;
  for (uint32_t tenant = 0; tenant < QSM_MOST_TENANTS; tenant++)
    if (device->context[tenant] && qsm_context_has_work(device->context[tenant])) return false;
  return true;
}

qsmError_t qsmDeviceSynchronize(qsmDevice_t handle, uint64_t max_cycles) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  uint64_t limit = qsm_device_limit(device, max_cycles);
  bool in_time = false;
  qsmError_t error = qsm_check_outside(device);
  if (!error) error = qsm_streams_wait(device, nothing_pending, device, limit, &in_time);
  if (error || in_time) return error;
  return qsm_fail(device, qsmErrorTimeout, "launches still pending after %llu cycles",
                  (unsigned long long)max_cycles);
}

// A launch that has just ended cannot be killed: then there is nothing to do.
static qsmError_t kill_running(struct qsm_context *context) {
  uint32_t status = 0;
  bool accepted = false;
  qsmError_t error =
      qsm_register_try(context->device, qsm_slot_register(context, QSM_SLOT_KILL), 1, &accepted);
  if (error || accepted) return error;
  error = qsm_slot_read(context, QSM_SLOT_STATUS, &status);
  if (error || !(status & QSM_SLOT_STATUS_BUSY_MASK)) return error;
  return qsm_fail(context->device, qsmErrorInvalidValue, "%s: the GPU refused to kill the launch",
                  context->name);
}

static qsmError_t kill(struct qsm_context *context) {
  qsmError_t error = context->running ? kill_running(context) : qsmSuccess;
  if (context->running) context->queue->unwanted = true;
  drop_pending(context, QSM_CAUSE_HOST);
  return error;
}

qsmError_t qsmContextKill(qsmContext_t handle) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  return qsm_on_channels(context) ? qsm_streams_kill(context) : kill(context);
}

static qsmError_t wait_until_idle(struct qsm_context *context) {
  uint64_t limit = qsm_device_cycle(context->device) + DRAIN_CYCLES;
  uint32_t status = 0;
  qsmError_t error = qsm_slot_read(context, QSM_SLOT_STATUS, &status);
  while (!error && (status & QSM_SLOT_STATUS_BUSY_MASK)) {
    if (qsm_device_cycle(context->device) >= limit)
      return qsm_fail(context->device, qsmErrorTimeout,
                      "%s: the killed launch has not ended in %d cycles", context->name,
                      DRAIN_CYCLES);
    error = qsm_device_step(context->device);
    if (!error) error = qsm_slot_read(context, QSM_SLOT_STATUS, &status);
  }
  return error;
}

qsmError_t qsm_launch_stop(struct qsm_context *context) {
  qsmError_t error = kill(context);
  if (!error) error = wait_until_idle(context);
  if (!error && context->running) error = end_launch(context);
  if (!context->running) return error;
  char why[sizeof context->device->error];
  memcpy(why, context->device->error, sizeof why);
  leave_queue(context, &(qsmLaunchResult){.killed = true,
                                          .cause = QSM_CAUSE_HOST,
                                          .end_cycle = qsm_device_cycle(context->device)});
  return qsm_fail(context->device, error, "%s", why);
}

static qsmError_t check_shape(struct qsm_context *context, const char *kernel, qsmDim3 grid,
                              qsmDim3 block, uint64_t shared_bytes) {
  struct qsm_device *device = context->device;
  const struct qsm_config *config = &device->config;
  const uint32_t dims[2][3] = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}};
  const uint32_t most[2] = {65535, QSM_BLOCK_THREADS_MAX};
  for (int which = 0; which < 2; which++)
    for (int axis = 0; axis < 3; axis++)
      if (dims[which][axis] < 1 || dims[which][axis] > most[which])
        return qsm_fail(device, qsmErrorInvalidLaunch, "kernel %s: %s.%c = %u, must be 1..%u",
                        kernel, which ? "block" : "grid", "xyz"[axis], dims[which][axis],
                        most[which]);
  uint64_t threads = (uint64_t)block.x * block.y * block.z,
           sm_threads = (uint64_t)config->warps_per_sm * config->warp_size;
  uint64_t most_threads = sm_threads < QSM_BLOCK_THREADS_MAX ? sm_threads : QSM_BLOCK_THREADS_MAX;
  if (threads > most_threads)
    return qsm_fail(device, qsmErrorInvalidLaunch,
                    "kernel %s: %llu threads per block, configuration %s runs at most %llu", kernel,
                    (unsigned long long)threads, config->name, (unsigned long long)most_threads);
  if (context->warp_cap && threads > (uint64_t)context->warp_cap * config->warp_size)
    return qsm_fail(device, qsmErrorInvalidLaunch,
                    "kernel %s: %llu threads per block, the context's limit of %u percent is %u",
                    kernel, (unsigned long long)threads, context->thread_limit,
                    context->warp_cap * config->warp_size);
  if (shared_bytes > config->shared_bytes)
    return qsm_fail(
        device, qsmErrorInvalidLaunch,
        "kernel %s: %llu bytes of shared memory per block, an SM of configuration %s has %u",
        kernel, (unsigned long long)shared_bytes, config->name, config->shared_bytes);
  return qsmSuccess;
}

static qsmError_t check_state(const struct qsm_context *context) {
  struct qsm_device *device = context->device;
  if (context->closing)
    return qsm_fail(device, qsmErrorBusy, "%s: the context is being destroyed", context->name);
  return device->watching ? qsm_fail(device, qsmErrorBusy, "not in a callback") : qsmSuccess;
}

// R-ST-23. Workers run on contexts with a slot only, and the error names the nearer cause.
static qsmError_t check_own_mask(const struct qsm_context *context, const qsmLaunch *what) {
  if (!what->sm_mask) return qsmSuccess;
  if (context->workers.form)
    return qsm_fail(context->device, qsmErrorInvalidValue,
                    "kernel %s: a launch in workers has no SMs of its own (qsmLaunch.sm_mask)",
                    what->kernel);
  if (!qsm_on_channels(context))
    return qsm_fail(context->device, qsmErrorStream,
                    "kernel %s: SMs of its own (qsmLaunch.sm_mask) are for launches in streams",
                    what->kernel);
  if (!context->streams->launch_masks)
    return qsm_fail(context->device, qsmErrorStream,
                    "kernel %s: %s may not choose SMs of its own (qsmContextAllowLaunchMasks)",
                    what->kernel, context->name);
  return qsm_check_sm_mask(context, what->sm_mask);
}

// What else there must be room for beside it.
static qsmError_t check_others(struct qsm_context *context, const qsmLaunch *what,
                               uint32_t shared_bytes) {
  qsmError_t error = qsm_check_groups(context, context->budget);
  if (!error) error = qsm_check_share(context, context->device->scheme, context->isolated_q16);
  if (!error && context->n_images && !qsm_on_channels(context))
    error = qsm_grow_save_area(context, what->kernel, what->block, shared_bytes);
  return error;
}

// Takes the launch over.
static qsmError_t submit(struct qsm_context *context, struct qsm_pending *launch) {
  DL_APPEND(context->queue, launch);
  if (context->running || context->queue != launch) return qsmSuccess;
  qsmError_t error = start_launch(context);
  if (!error) return qsmSuccess;
  DL_DELETE(context->queue, launch);
  free_launch(context, launch);
  return error;
}

// On a slot.
static qsmError_t enqueue(struct qsm_context *context, const char *kernel,
                          const struct qsm_pending *described, uint32_t bytes) {
  struct qsm_pending *launch = malloc(sizeof *launch);
  if (!launch) return qsm_fail(context->device, qsmErrorMemoryAllocation, "out of memory");
  *launch = *described;
  qsmError_t error =
      qsm_stacks_take(context, kernel, launch->block, bytes, &launch->stacks, &launch->stack);
  if (!error) return submit(context, launch);
  free(launch);
  return error;
}

static qsmError_t lay_out_arguments(struct qsm_device *device, const struct qsm_kernel *kernel,
                                    const qsmLaunch *what, struct qsm_entry_arguments *entry) {
  char msg[sizeof device->error];
  if (what->n_args && what->n_arguments)
    return qsm_fail(device, qsmErrorInvalidLaunch, "kernel %s: arguments as words and as values",
                    what->kernel);
  int status = what->n_arguments ? qsm_arguments_lay_out(kernel, what->arguments, what->n_arguments,
                                                         entry, msg, sizeof msg)
                                 : qsm_arguments_of_words(kernel, what->args, what->n_args, entry,
                                                          msg, sizeof msg);
  return status ? qsm_fail(device, qsmErrorInvalidLaunch, "%s", msg) : qsmSuccess;
}

// The program's figure holds what its arguments take of the stack, where it knows them.
static uint32_t stack_bytes(const struct qsm_kernel *kernel, const qsmLaunch *what,
                            const struct qsm_entry_arguments *arguments) {
  if (!what->stack_bytes)
    return kernel->stack_bytes + (kernel->signature ? 0 : arguments->n_stack_bytes);
  return what->stack_bytes < UINT32_MAX - arguments->n_stack_bytes
             ? what->stack_bytes + arguments->n_stack_bytes
             : UINT32_MAX;
}

// Nothing of it is kept but what the library knows to have written.
static qsmError_t prepare(struct qsm_context *context, const char *kernel,
                          struct qsm_pending *launch, uint32_t bytes) {
  uint32_t job[QSM_WORKER_JOB_WORDS];
  qsmError_t error =
      qsm_stacks_take(context, kernel, launch->block, bytes, &launch->stacks, &launch->stack);
  if (error) return error;
  error = qsm_workers_begin(context, launch);
  if (!error) {
    qsm_workers_job(context, launch, job);
    qsm_workers_step(context, launch);
    error = describe_step(context, launch, job);
  }
  qsm_stacks_release(context, launch->stacks);
  return error;
}

// A launch that can be submitted; its kernel's stack is of so many bytes.
static qsmError_t describe(struct qsm_context *context, const qsmLaunch *what,
                           struct qsm_pending *described, uint32_t *n_stack_bytes,
                           struct qsm_stream **stream) {
  struct qsm_device *device = context->device;
  qsmError_t error = check_state(context);
  if (!error) error = qsm_check_pointer(device, what->kernel, "the kernel's name");
  if (!error && what->n_args) error = qsm_check_pointer(device, what->args, "the arguments");
  if (!error && what->n_arguments)
    error = qsm_check_pointer(device, what->arguments, "the arguments");
  if (error) return error;
  if (!context->program)
    return qsm_fail(device, qsmErrorNotFound, "kernel %s: no module loaded", what->kernel);
  const struct qsm_kernel *kernel = qsm_program_kernel(context->program, what->kernel);
  if (!kernel)
    return qsm_fail(device, qsmErrorNotFound, "no kernel '%s' in the module", what->kernel);
  struct qsm_entry_arguments arguments;
  uint64_t shared = (uint64_t)what->shared_bytes + qsm_program_shared_bytes(context->program);
  error = check_shape(context, what->kernel, what->grid, what->block, shared);
  if (!error) error = check_own_mask(context, what);
  if (!error) error = lay_out_arguments(device, kernel, what, &arguments);
  if (!error) error = check_others(context, what, (uint32_t)shared);
  if (!error) error = qsm_workers_admit(context, what, (uint32_t)shared);
  if (!error) error = qsm_stream_of(context, what->stream, stream);
  if (error) return error;
  *described = (struct qsm_pending){
      .function = context->program_at + kernel->offset,
      .grid = what->grid,
      .block = what->block,
      .shared_bytes = (uint32_t)shared,
      .cache_policy = context->cache_policy,
      .sm_mask = what->sm_mask,
      .arguments = arguments,
      .worker_phase = context->workers.form ? QSM_WORKERS_WAITS : QSM_WORKERS_NONE};
  error = qsm_deadline_describe(context, what, described);
  if (error) return error;
  *n_stack_bytes = stack_bytes(kernel, what, &arguments);
  return qsmSuccess;
}

qsmError_t qsm_launch(struct qsm_context *context, const qsmLaunch *what,
                      qsmLaunchCallback callback, void *user) {
  struct qsm_pending described;
  struct qsm_stream *stream = NULL;
  uint32_t bytes = 0;
  qsmError_t error = describe(context, what, &described, &bytes, &stream);
  if (error) return error;
  described.callback = callback;
  described.user = user;
  return stream ? qsm_submit_launch(stream, what->kernel, &described, bytes)
                : enqueue(context, what->kernel, &described, bytes);
}

qsmError_t qsmLaunchKernel(qsmContext_t handle, const char *kernel, qsmDim3 grid, qsmDim3 block,
                           const uint32_t *args, uint32_t n_args, uint32_t shared_bytes,
                           qsmStream_t stream, qsmLaunchCallback callback, void *user) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  const qsmLaunch what = {.kernel = kernel,
                          .grid = grid,
                          .block = block,
                          .args = args,
                          .n_args = n_args,
                          .shared_bytes = shared_bytes,
                          .stream = stream};
  return qsm_launch(context, &what, callback, user);
}

qsmError_t qsmLaunchKernelEx(qsmContext_t handle, const qsmLaunch *launch,
                             qsmLaunchCallback callback, void *user) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  return launch ? qsm_launch(context, launch, callback, user)
                : qsm_check_pointer(context->device, launch, "the launch");
}

qsmError_t qsmPrepareLaunch(qsmContext_t handle, const qsmLaunch *launch) {
  struct qsm_context *context = qsm_context_of(handle);
  struct qsm_pending described;
  struct qsm_stream *stream = NULL;
  uint32_t bytes = 0;
  if (!context) return qsmErrorInvalidHandle;
  if (qsm_check_has_slot(context, "a prepared launch")) return qsmErrorStream;
  if (!launch) return qsm_check_pointer(context->device, launch, "the launch");
  if (context->queue)
    return qsm_fail(context->device, qsmErrorBusy, "%s: launches are pending, none can be prepared",
                    context->name);
  qsmError_t error = describe(context, launch, &described, &bytes, &stream);
  return error ? error : prepare(context, launch->kernel, &described, bytes);
}

qsmError_t qsmGetKernelAttributes(qsmContext_t handle, const char *kernel,
                                  qsmKernelAttributes *attributes) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  struct qsm_device *device = context->device;
  if (!kernel || !attributes)
    return qsm_check_pointer(device, NULL, kernel ? "the attributes" : "the kernel's name");
  if (!context->program)
    return qsm_fail(device, qsmErrorNotFound, "kernel %s: no module loaded", kernel);
  const struct qsm_kernel *found = qsm_program_kernel(context->program, kernel);
  if (!found) return qsm_fail(device, qsmErrorNotFound, "no kernel '%s' in the module", kernel);
  *attributes = (qsmKernelAttributes){.signature = found->signature,
                                      .n_arguments = found->n_arguments,
                                      .stack_bytes = found->stack_bytes,
                                      .stack_known = found->stack_known};
  return qsmSuccess;
}

qsmError_t qsm_context_synchronize(struct qsm_context *context, uint64_t max_cycles) {
  struct qsm_device *device = context->device;
  if (qsm_on_channels(context)) return qsm_streams_synchronize(context, max_cycles);
  uint64_t limit = qsm_device_limit(device, max_cycles);
  qsmError_t error = qsm_check_outside(device);
  while (!error && context->queue) {
    if (qsm_device_cycle(device) >= limit)
      return qsm_fail(device, qsmErrorTimeout, "%s: launch still running after %llu cycles",
                      context->name, (unsigned long long)max_cycles);
    error = qsm_device_advance(device, limit);
  }
  if (error || !context->ended_with) return error;
  error = context->ended_with;
  context->ended_with = qsmSuccess;
  return qsm_fail(device, error, "%s", context->ended_text);
}

qsmError_t qsmContextSynchronize(qsmContext_t handle, uint64_t max_cycles) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  return qsm_context_synchronize(context, max_cycles);
}
