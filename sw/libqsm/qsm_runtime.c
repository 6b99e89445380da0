// SPDX-License-Identifier: Apache-2.0
#include "qsm_runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_config_yaml.h"
#include "qsm_context.h"
#include "qsm_elf.h"
#include "qsm_heap.h"
#include "qsm_regs.h"

// A context's memory: the program's area, the argument block, the heap, the stacks.
enum {
  FLUSH_POLL_CYCLES = 64,
  PAGE_BYTES = 4096,
  IMAGE_AREA_BYTES = 256 * 1024,
  MAX_CACHE_OFFSET = 8192,  // of a program in this area
  ARGUMENT_BYTES = 48,
  ARGUMENT_STRIDE = 128,  // a line of the widest machine: none has two blocks
  MAX_ARGUMENT_BLOCKS = 256,
  MAX_BLOCK_THREADS = 1024,
  MANAGER_TRIES = 4096,
  MAX_BUDGET = 255,
  CAUSE_KILLED = 24,  // by the host
};
#define DEVICE_MEMORY_BASE 0x80000000u
#define SLOT_REGISTER_COUNT (QSM_SLOT_STRIDE / 4)
#define CTX_VALID 1u
#define CTX_QOS 2u
#define SCHEME_FAIR 6u

struct launch {
  uint32_t function;  // address
  qsmDim3 grid, block;
  uint32_t shared_bytes;
  qsmCachePolicy cache_policy;
  uint32_t args[8];
  qsmLaunchCallback callback;
  void *user;
  struct launch *prev, *next;
};

struct qsm_context {
  struct qsm_device *device;
  uint32_t slot;
  uint32_t base, limit;  // of its memory
  struct qsm_heap *heap;
  uint32_t arguments, stacks;
  uint32_t n_written;  // argument blocks that hold something
  uint32_t written[MAX_ARGUMENT_BLOCKS][ARGUMENT_BYTES / 4];
  qsmCachePolicy cache_policy;     // of the next launches
  uint32_t n_images;               // that the save area shall hold
  uint32_t area;                   // its allocation, 0: none
  uint32_t save_base, save_limit;  // the pages in it
  struct qsm_program *program;
  uint32_t program_at;  // address of its image
  struct launch *queue;  // head runs when `running`
  bool running, faulted;
  uint32_t goal_q16;
  bool has_history;  // something was launched since the GPU's history was cleared
  uint32_t isolated_q16;  // 0: not known
  uint32_t budget;
  qsmSmMask sm_mask;
  uint32_t shadow[SLOT_REGISTER_COUNT];  // last values written, to skip writes that change nothing
  bool shadow_valid[SLOT_REGISTER_COUNT];
};

struct qsm_device {
  struct qsm_config config;
  struct qsm_backend *backend;
  struct qsm_context *context[8];
  uint32_t scheme;
  uint32_t epoch_cycles;
  uint32_t cached;  // bit per slot: the L2 may hold lines of its memory
  void (*watch)(void *user);
  void *watch_user;
  const struct qsm_observer *observer;  // never NULL
  char error[512];
};

__attribute__((format(printf, 3, 4))) static qsmError_t fail(qsmDevice_t device, qsmError_t error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(device->error, sizeof device->error, format, args);
  va_end(args);
  return error;
}

qsmError_t qsm_device_fail(qsmDevice_t device, qsmError_t error, const char *text) { return fail(device, error, "%s", text); }

const char *qsmGetErrorString(qsmError_t error) {
  switch (error) {
    case qsmSuccess: return "success";
    case qsmErrorInvalidValue: return "invalid value";
    case qsmErrorMemoryAllocation: return "out of memory";
    case qsmErrorInvalidImage: return "invalid program";
    case qsmErrorNoRoom: return "program does not fit";
    case qsmErrorNotFound: return "not found";
    case qsmErrorInvalidLaunch: return "invalid launch";
    case qsmErrorNoSlot: return "no kernel slot left";
    case qsmErrorGoal: return "impossible goal";
    case qsmErrorKernelFault: return "kernel fault";
    case qsmErrorTimeout: return "cycle limit reached";
    case qsmErrorBackend: return "backend failed";
    case qsmErrorBusy: return "launches are pending";
    case qsmErrorGroups: return "too many budgets";
    case qsmErrorSaveArea: return "save area too small";
    case qsmErrorPreempt: return "preemption refused";
  }
  return "unknown error";
}

const char *qsmGetLastErrorText(qsmDevice_t device) { return device->error; }

// ---- Observer ----

static const struct qsm_observer no_observer;

void qsm_device_observe(qsmDevice_t device, const struct qsm_observer *observer) { device->observer = observer; }

#define OBSERVE(device, what, ...)                                         \
  do {                                                                     \
    const struct qsm_observer *observer_ = (device)->observer;             \
    if (observer_->what) observer_->what(observer_->ctx, __VA_ARGS__);     \
  } while (0)

void qsm_context_spoiled(qsmContext_t context, uint32_t address, size_t bytes) { OBSERVE(context->device, spoiled, address, bytes); }

// ---- Registers ----

static qsmError_t backend_failed(qsmDevice_t device) {
  return fail(device, qsmErrorBackend, "%s", device->backend->error(device->backend));
}

qsmError_t qsmRegisterRead(qsmDevice_t device, uint16_t address, uint32_t *value) {
  switch (device->backend->read(device->backend, address, value)) {
    case QSM_BACKEND_OK: return qsmSuccess;
    case QSM_BACKEND_REFUSED: return fail(device, qsmErrorInvalidValue, "the GPU refused a read of register 0x%04X", address);
    default: return backend_failed(device);
  }
}

// The QoS manager closes some registers for a moment after each epoch (R-QM-3): then wait and try again, also if it has just opened them.
qsmError_t qsmRegisterWrite(qsmDevice_t device, uint16_t address, uint32_t value) {
  bool was_open = false;
  for (uint32_t tries = 0; tries < MANAGER_TRIES; tries++) {
    switch (device->backend->write(device->backend, address, value)) {
      case QSM_BACKEND_OK: return qsmSuccess;
      case QSM_BACKEND_REFUSED: break;
      default: return backend_failed(device);
    }
    uint32_t busy = 0;
    qsmError_t error = qsmRegisterRead(device, QSM_REG_MGR_BUSY, &busy);
    if (error) return error;
    if (!busy && was_open) break;
    was_open = !busy;
  }
  return fail(device, qsmErrorInvalidValue, "the GPU refused to write 0x%08X to register 0x%04X", value, address);
}

static uint16_t slot_register(const struct qsm_context *context, uint32_t offset) {
  return (uint16_t)(QSM_SLOT_BASE + QSM_SLOT_STRIDE * context->slot + offset);
}

static qsmError_t slot_write(struct qsm_context *context, uint32_t offset, uint32_t value) {
  uint32_t index = offset / 4;
  if (context->shadow_valid[index] && context->shadow[index] == value) return qsmSuccess;
  qsmError_t error = qsmRegisterWrite(context->device, slot_register(context, offset), value);
  if (error) return error;
  context->shadow[index] = value;
  context->shadow_valid[index] = true;
  return qsmSuccess;
}

struct register_value {
  uint32_t offset, value;
};

static qsmError_t slot_write_all(struct qsm_context *context, const struct register_value *list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    qsmError_t error = slot_write(context, list[i].offset, list[i].value);
    if (error) return error;
  }
  return qsmSuccess;
}
#define SLOT_WRITE_ALL(context, list) slot_write_all(context, list, sizeof(list) / sizeof((list)[0]))

qsmError_t qsm_context_read(qsmContext_t context, uint32_t offset, uint32_t *value) {
  return qsmRegisterRead(context->device, slot_register(context, offset), value);
}

// ---- Device ----

static qsmError_t open_device(const char *backend, const struct qsm_config *config, const struct qsm_backend_options *options,
                              qsmDevice_t *device, char *msg, size_t msg_len) {
  struct qsm_device *opened = calloc(1, sizeof *opened);
  if (!opened) {
    snprintf(msg, msg_len, "out of memory");
    return qsmErrorMemoryAllocation;
  }
  opened->config = *config;
  if (qsm_backend_open(backend, &opened->config, options, &opened->backend, msg, msg_len)) {
    free(opened);
    return qsmErrorBackend;
  }
  opened->epoch_cycles = opened->config.epoch;
  opened->observer = &no_observer;
  *device = opened;
  return qsmSuccess;
}

qsmError_t qsmDeviceOpen(const char *backend, const char *config, const struct qsm_backend_options *options,
                         qsmDevice_t *device, char *msg, size_t msg_len) {
  struct qsm_config loaded;
  if (qsm_config_load(config, &loaded, msg, msg_len)) return qsmErrorNotFound;
  return open_device(backend, &loaded, options, device, msg, msg_len);
}

static void free_context(struct qsm_context *context) {
  if (!context) return;
  struct launch *launch, *next;
  DL_FOREACH_SAFE(context->queue, launch, next) free(launch);
  qsm_program_free(context->program);
  qsm_heap_destroy(context->heap);
  free(context);
}

// The GPU goes away with everything on it: nothing is killed first.
void qsmDeviceClose(qsmDevice_t device) {
  if (!device) return;
  for (uint32_t slot = 0; slot < device->config.num_kernels; slot++) free_context(device->context[slot]);
  device->backend->close(device->backend);
  free(device);
}

const struct qsm_config *qsmDeviceConfig(qsmDevice_t device) { return &device->config; }
struct qsm_backend *qsmDeviceBackend(qsmDevice_t device) { return device->backend; }
uint64_t qsmDeviceCycle(qsmDevice_t device) { return device->backend->cycle(device->backend); }

void qsmSetWatch(qsmDevice_t device, void (*watch)(void *user), void *user) {
  device->watch = watch;
  device->watch_user = user;
}

// ---- Memory: the host reads and writes it behind the L2 ----

static uint32_t running_slots(const struct qsm_device *device) {
  uint32_t running = 0;
  for (uint32_t slot = 0; slot < device->config.num_kernels; slot++)
    if (device->context[slot] && device->context[slot]->running) running |= 1u << slot;
  return running;
}

// Launches that end meanwhile are seen to later: their callbacks might want memory too.
static qsmError_t flush(qsmDevice_t device) {
  uint32_t running = running_slots(device), flushing = 1;
  qsmError_t error = qsmRegisterWrite(device, QSM_REG_L2_FLUSH, 1);
  while (!error && flushing) {
    uint64_t ran = 0;
    if (device->backend->run(device->backend, FLUSH_POLL_CYCLES, false, &ran) != QSM_BACKEND_OK) return backend_failed(device);
    error = qsmRegisterRead(device, QSM_REG_L2_FLUSH, &flushing);
    if (device->watch) device->watch(device->watch_user);
  }
  if (!error) device->cached &= running;  // these may have brought lines in again
  return error;
}

static bool is_cached(const struct qsm_device *device, uint32_t slot) { return (device->cached >> slot) & 1; }

// What lies in the L2 goes to memory: the host sees it, and no later eviction takes back what the host writes.
static qsmError_t settle(const struct qsm_context *context) {
  return is_cached(context->device, context->slot) ? flush(context->device) : qsmSuccess;
}

// No time passes.
static void put(struct qsm_device *device, uint32_t dst, const void *src, size_t bytes) {
  device->backend->mem_write(device->backend, dst, src, bytes);
  OBSERVE(device, written, dst, bytes);
}

// A running kernel may have read the line again before the host wrote it: once more, and its next read comes from memory.
static qsmError_t device_write(const struct qsm_context *context, uint32_t dst, const void *src, size_t bytes) {
  qsmError_t error = settle(context);
  if (error) return error;
  put(context->device, dst, src, bytes);
  return settle(context);
}

static qsmError_t device_read(const struct qsm_context *context, void *dst, uint32_t src, size_t bytes) {
  struct qsm_backend *backend = context->device->backend;
  qsmError_t error = settle(context);
  if (!error) backend->mem_read(backend, src, dst, bytes);
  return error;
}

// How many divide the GPU under scheme fair: the contexts, the one that is being created among them.
static uint32_t count_sharing(const struct qsm_context *context) {
  const struct qsm_device *device = context->device;
  uint32_t n = device->context[context->slot] == NULL;
  for (uint32_t slot = 0; slot < device->config.num_kernels; slot++) n += device->context[slot] != NULL;
  return n;
}

// Thread instructions per cycle, Q16.16, that a context counts as having for its goal until the GPU has computed a quota.
static uint64_t first_goal(const struct qsm_context *context) {
  if (context->device->scheme == SCHEME_FAIR) return context->isolated_q16;
  return context->goal_q16 ? context->goal_q16 : 1u << 16;  // B10: a non-QoS tenant counts as goal 1
}

static uint32_t count_sms(qsmSmMask mask) { return (uint32_t)(__builtin_popcountll((uint64_t)mask) + __builtin_popcountll((uint64_t)(mask >> 64))); }

static qsmError_t write_first_quota(struct qsm_context *context) {
  const struct qsm_device *device = context->device;
  uint64_t n_sms = count_sms(context->sm_mask), n_sharing = device->scheme == SCHEME_FAIR ? count_sharing(context) : 1;
  uint64_t denominator = n_sms * n_sharing << 16;
  uint64_t quota = (first_goal(context) * device->epoch_cycles + denominator - 1) / denominator;
  if (quota < 1) quota = 1;
  if (quota > INT32_MAX) quota = INT32_MAX;
  return slot_write(context, QSM_SLOT_FIRST_QUOTA, (uint32_t)quota);
}

static qsmError_t write_first_quotas(qsmDevice_t device) {
  qsmError_t error = qsmSuccess;
  for (uint32_t slot = 0; !error && slot < device->config.num_kernels; slot++)
    if (device->context[slot]) error = write_first_quota(device->context[slot]);
  return error;
}

// A context came, went or changed its share.
static qsmError_t share_anew(qsmDevice_t device) { return device->scheme == SCHEME_FAIR ? write_first_quotas(device) : qsmSuccess; }

static qsmError_t check_share(const struct qsm_context *context, uint32_t scheme, uint32_t isolated_q16) {
  if (scheme != SCHEME_FAIR || isolated_q16) return qsmSuccess;
  return fail(context->device, qsmErrorGoal, "slot %u: scheme fair needs the isolated IPC of every context, this one has none", context->slot);
}

qsmError_t qsmSetScheduling(qsmDevice_t device, uint32_t policy, uint32_t scheme, uint32_t epoch_cycles) {
  qsmError_t error = qsmSuccess;
  for (uint32_t slot = 0; !error && slot < device->config.num_kernels; slot++)
    if (device->context[slot]) error = check_share(device->context[slot], scheme, device->context[slot]->isolated_q16);
  if (!error) error = qsmRegisterWrite(device, QSM_REG_POLICY, policy);
  if (!error) error = qsmRegisterWrite(device, QSM_REG_SCHEME, scheme);
  if (!error) error = qsmRegisterWrite(device, QSM_REG_EPOCH_LEN, epoch_cycles);
  if (error) return error;
  device->scheme = scheme;
  device->epoch_cycles = epoch_cycles;
  return write_first_quotas(device);
}

// ---- Launches ----

// Behind an L2 a launch finds its arguments where an equal one did, or in a block that the GPU has not read yet, so that launches do not
// cost a flush each.
static uint32_t n_argument_blocks(const struct qsm_config *config) { return config->l2_kib ? MAX_ARGUMENT_BLOCKS : 1; }

static uint32_t find_arguments(const struct qsm_context *context, const uint32_t *block) {
  uint32_t place = 0;
  while (place < context->n_written && memcmp(context->written[place], block, ARGUMENT_BYTES) != 0) place++;
  return place;
}

static uint32_t whole_warps(const struct qsm_context *context, const struct launch *launch) {
  uint32_t lanes = context->device->config.warp_size, threads = launch->block.x * launch->block.y * launch->block.z;
  return (threads + lanes - 1) / lanes * lanes;
}

static uint32_t local_stacks(const struct qsm_context *context) { return context->stacks - DEVICE_MEMORY_BASE + QSM_LOCAL_VIEW; }

static void observe_launch(const struct qsm_context *context, const struct launch *launch) {
  const struct qsm_observed_launch observed = {.function = launch->function - context->program_at,
                                               .grid = launch->grid,
                                               .block = launch->block,
                                               .shared_bytes = launch->shared_bytes,
                                               .stacks = local_stacks(context),
                                               .stack_bytes = QSM_LOCAL_BYTES,
                                               .threads_per_block = whole_warps(context, launch)};
  OBSERVE(context->device, launched, &observed);
}

static qsmError_t write_arguments(struct qsm_context *context, const struct launch *launch) {
  uint32_t block[ARGUMENT_BYTES / 4] = {launch->function, local_stacks(context), QSM_LOCAL_BYTES, whole_warps(context, launch)};
  memcpy(block + 4, launch->args, sizeof launch->args);
  if (n_argument_blocks(&context->device->config) == 1) context->n_written = 0;
  uint32_t place = find_arguments(context, block);
  if (place == n_argument_blocks(&context->device->config)) {
    qsmError_t error = settle(context);
    if (error) return error;
    place = context->n_written = 0;
  }
  uint32_t at = context->arguments + place * ARGUMENT_STRIDE;
  if (place == context->n_written) {
    memcpy(context->written[context->n_written++], block, sizeof block);
    put(context->device, at, block, sizeof block);
  }
  return slot_write(context, QSM_SLOT_ARG, at);
}

static qsmError_t start_launch(struct qsm_context *context) {
  const struct launch *launch = context->queue;
  const struct qsm_config *config = &context->device->config;
  uint32_t threads = launch->block.x * launch->block.y * launch->block.z;
  const struct register_value values[] = {
      {QSM_SLOT_GRID_X, launch->grid.x},   {QSM_SLOT_GRID_Y, launch->grid.y},   {QSM_SLOT_GRID_Z, launch->grid.z},
      {QSM_SLOT_BLOCK_X, launch->block.x}, {QSM_SLOT_BLOCK_Y, launch->block.y}, {QSM_SLOT_BLOCK_Z, launch->block.z},
      {QSM_SLOT_BLOCK_THREADS, threads},   {QSM_SLOT_SHARED, launch->shared_bytes},
      {QSM_SLOT_BLOCK_WARPS, (threads + config->warp_size - 1) / config->warp_size},
      {QSM_SLOT_SHARED_GRAN, (launch->shared_bytes + qsm_config_granule_bytes(config) - 1) / qsm_config_granule_bytes(config)},
  };
  qsmError_t error = SLOT_WRITE_ALL(context, values);
  if (!error) error = slot_write(context, QSM_SLOT_CACHE_POLICY, launch->cache_policy);
  if (!error) error = write_arguments(context, launch);
  if (!error) observe_launch(context, launch);
  if (!error) error = qsmRegisterWrite(context->device, slot_register(context, QSM_SLOT_LAUNCH), 1);
  if (error) return error;
  context->running = context->has_history = true;
  if (config->l2_kib) context->device->cached |= 1u << context->slot;
  return qsmSuccess;
}

static qsmError_t read_fault(struct qsm_context *context, qsmLaunchResult *result) {
  const struct {
    uint32_t offset;
    uint32_t *value;
  } fields[] = {{QSM_SLOT_FAULT_CAUSE, &result->cause}, {QSM_SLOT_FAULT_PC, &result->pc}, {QSM_SLOT_FAULT_TID, &result->tid},
                {QSM_SLOT_FAULT_BLOCK, &result->block}, {QSM_SLOT_FAULT_VALUE, &result->value}};
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    qsmError_t error = qsm_context_read(context, fields[i].offset, fields[i].value);
    if (error) return error;
  }
  return qsmSuccess;
}

// An illegal instruction with an opcode of docs/fpu.md.
static bool lacks_fpu(const struct qsm_device *device, const qsmLaunchResult *result) {
  uint32_t opcode = result->value & 0x7F;
  bool is_float = opcode == 0x53 || opcode == 0x43 || opcode == 0x47 || opcode == 0x4B || opcode == 0x4F;
  return result->cause == 2 && is_float && !device->config.fpu;
}

// The running launch has ended: acknowledge, tell its owner, start the next.
static qsmError_t end_launch(struct qsm_context *context) {
  struct qsm_device *device = context->device;
  struct launch *launch = context->queue;
  qsmLaunchResult result = {.end_cycle = qsmDeviceCycle(device)};
  uint32_t status = 0;
  qsmError_t error = qsm_context_read(context, QSM_SLOT_STATUS, &status);
  result.killed = (status & 2) != 0;
  if (!error && result.killed) error = read_fault(context, &result);
  if (!error) error = qsmRegisterWrite(device, QSM_REG_IRQ, 1u << context->slot);
  if (error) return error;
  if (result.killed) {
    context->faulted = true;
    result.needs_fpu = lacks_fpu(device, &result);
    fail(device, qsmErrorKernelFault, "slot %u: cause %u at PC 0x%08X, thread %u of block %u, value 0x%08X%s", context->slot,
         result.cause, result.pc, result.tid, result.block, result.value, result.needs_fpu ? QSM_NO_FPU_TEXT : "");
  }
  DL_DELETE(context->queue, launch);
  context->running = false;
  if (launch->callback) launch->callback(launch->user, &result);
  free(launch);
  return context->queue && !context->running ? start_launch(context) : qsmSuccess;
}

static qsmError_t serve_interrupts(qsmDevice_t device) {
  uint32_t pending = 0;
  qsmError_t error = qsmRegisterRead(device, QSM_REG_IRQ, &pending);
  for (uint32_t slot = 0; !error && slot < device->config.num_kernels; slot++)
    if ((pending >> slot) & 1) error = end_launch(device->context[slot]);
  return error;
}

// Advances to `cycle`, or to the first interrupt before it, which is served.
static qsmError_t advance(qsmDevice_t device, uint64_t cycle) {
  uint64_t n = cycle - qsmDeviceCycle(device), ran = 0;
  if (device->backend->run(device->backend, n, true, &ran) != QSM_BACKEND_OK) return backend_failed(device);
  return ran < n ? serve_interrupts(device) : qsmSuccess;
}

qsmError_t qsmDeviceRunUntil(qsmDevice_t device, uint64_t cycle) {
  qsmError_t error = qsmSuccess;
  while (!error && qsmDeviceCycle(device) < cycle) error = advance(device, cycle);
  return error;
}

static bool any_pending(qsmDevice_t device) {
  for (uint32_t slot = 0; slot < device->config.num_kernels; slot++)
    if (device->context[slot] && device->context[slot]->queue) return true;
  return false;
}

qsmError_t qsmDeviceSynchronize(qsmDevice_t device, uint64_t max_cycles) {
  uint64_t limit = qsmDeviceCycle(device) + max_cycles;
  while (any_pending(device)) {
    if (qsmDeviceCycle(device) >= limit)
      return fail(device, qsmErrorTimeout, "launches still pending after %llu cycles", (unsigned long long)max_cycles);
    qsmError_t error = advance(device, limit);
    if (error) return error;
  }
  return qsmSuccess;
}

// ---- Context ----

// For the blocks that can be live at a time, in their images too (isa.md, CSR ticket), of whatever size: the shape that needs most.
static uint32_t stack_area_bytes(const struct qsm_config *config) {
  uint32_t most = 0;
  for (uint32_t warps = 1; warps <= config->warps_per_sm; warps++) {
    uint32_t per_sm = config->warps_per_sm / warps, threads = warps * config->warp_size;
    if (per_sm > config->max_tbs) per_sm = config->max_tbs;
    if (threads > MAX_BLOCK_THREADS) threads = MAX_BLOCK_THREADS;
    uint32_t needed = (config->num_images + config->num_sms * per_sm) * threads;
    if (needed > most) most = needed;
  }
  return most * QSM_LOCAL_BYTES;
}

static qsmError_t lay_out_memory(struct qsm_context *context) {
  const struct qsm_config *config = &context->device->config;
  uint32_t arena = config->mem_bytes / config->num_kernels / PAGE_BYTES * PAGE_BYTES;
  uint32_t n_blocks = n_argument_blocks(config), arguments_bytes = n_blocks > 1 ? n_blocks * ARGUMENT_STRIDE : 256;
  if (arena < IMAGE_AREA_BYTES + arguments_bytes + stack_area_bytes(config) + 2 * PAGE_BYTES)
    return fail(context->device, qsmErrorMemoryAllocation, "configuration %s: %u bytes per tenant have no room for program and stacks",
                config->name, arena);
  context->base = DEVICE_MEMORY_BASE + arena * context->slot;
  context->limit = context->base + arena;
  context->arguments = context->base + IMAGE_AREA_BYTES;
  context->stacks = (context->limit - stack_area_bytes(config)) / (QSM_LOCAL_BYTES * config->warp_size) * (QSM_LOCAL_BYTES * config->warp_size);
  context->heap = qsm_heap_create(context->arguments + arguments_bytes, context->stacks);
  return context->heap ? qsmSuccess : fail(context->device, qsmErrorMemoryAllocation, "out of memory");
}

static qsmError_t create_in_slot(qsmDevice_t device, uint32_t slot, qsmContext_t *context) {
  struct qsm_context *created = calloc(1, sizeof *created);
  if (!created) return fail(device, qsmErrorMemoryAllocation, "out of memory");
  created->device = device;
  created->slot = slot;
  created->budget = 1;
  created->sm_mask = ((qsmSmMask)1 << device->config.num_sms) - 1;
  qsmError_t error = lay_out_memory(created);
  if (!error) error = settle(created);  // what the slot's last context left
  if (!error) error = write_first_quota(created);
  if (!error) error = slot_write(created, QSM_SLOT_CTX, CTX_VALID);
  if (!error) OBSERVE(device, created, created->base, created->limit);
  created->shadow_valid[QSM_SLOT_CACHE_POLICY / 4] = true;  // an arrival resets it
  if (error) {
    qsm_heap_destroy(created->heap);
    free(created);
    return error;
  }
  device->context[slot] = created;
  error = share_anew(device);
  if (error) {
    qsmContextDestroy(created);
    return error;
  }
  *context = created;
  return qsmSuccess;
}

qsmError_t qsmContextCreate(qsmDevice_t device, qsmContext_t *context) {
  uint32_t slot = 0;
  while (slot < device->config.num_kernels && device->context[slot]) slot++;
  if (slot == device->config.num_kernels)
    return fail(device, qsmErrorNoSlot, "configuration %s has %u kernel slots, all taken", device->config.name, slot);
  return create_in_slot(device, slot, context);
}

static void drop_pending(struct qsm_context *context) {
  struct launch *launch, *next, *first = context->running ? context->queue->next : context->queue;
  DL_FOREACH_SAFE(first, launch, next) {
    DL_DELETE(context->queue, launch);
    if (launch->callback) launch->callback(launch->user, &(qsmLaunchResult){.killed = true, .cause = CAUSE_KILLED});
    free(launch);
  }
}

qsmError_t qsmContextKill(qsmContext_t context) {
  drop_pending(context);
  if (!context->running) return qsmSuccess;
  return qsmRegisterWrite(context->device, slot_register(context, QSM_SLOT_KILL), 1);
}

enum { DRAIN_CYCLES = 1000000 };

void qsmContextDestroy(qsmContext_t context) {
  if (!context) return;
  if (context->running && qsmContextKill(context) == qsmSuccess) qsmContextSynchronize(context, DRAIN_CYCLES);
  if (!context->running) slot_write(context, QSM_SLOT_CTX, 0);
  context->device->context[context->slot] = NULL;
  share_anew(context->device);
  free_context(context);
}

uint32_t qsmContextSlot(qsmContext_t context) { return context->slot; }

qsmError_t qsmSetIsolatedIpc(qsmContext_t context, uint32_t ipc_q16) {
  const struct qsm_config *config = &context->device->config;
  uint32_t peak = config->num_sms * config->num_sched * config->warp_size;
  if (ipc_q16 > (uint64_t)peak << 16)
    return fail(context->device, qsmErrorGoal, "slot %u: isolated IPC %.5f above the peak %u thread instructions per cycle", context->slot,
                (double)ipc_q16 / 65536, peak);
  qsmError_t error = check_share(context, context->device->scheme, ipc_q16);
  if (!error) error = slot_write(context, QSM_SLOT_ISO_IPC, ipc_q16);
  if (error) return error;
  context->isolated_q16 = ipc_q16;
  return share_anew(context->device);
}

// R-GO-6: each write waits until the manager takes it.
static qsmError_t write_goal(struct qsm_context *context, uint32_t goal_q16) {
  uint32_t control = CTX_VALID | (goal_q16 ? CTX_QOS : 0);
  bool changed = goal_q16 != context->goal_q16;
  if (context->running && context->shadow[QSM_SLOT_CTX / 4] != control)
    return fail(context->device, qsmErrorBusy, "slot %u: cannot change between QoS and non-QoS while a launch runs", context->slot);
  context->goal_q16 = goal_q16;
  qsmError_t error = slot_write(context, QSM_SLOT_GOAL, goal_q16);
  if (!error) error = write_first_quota(context);
  if (!error && changed && context->has_history) {
    error = qsmRegisterWrite(context->device, slot_register(context, QSM_SLOT_HIST_CLEAR), 1);
    context->has_history = context->running;
  }
  return error ? error : slot_write(context, QSM_SLOT_CTX, control);
}

qsmError_t qsmSetGoal(qsmContext_t context, const qsmGoal *goal) {
  char why[200];
  uint32_t goal_q16 = 0;
  qsmError_t error = qsmTranslateGoal(&context->device->config, goal, &goal_q16, why, sizeof why);
  return error ? fail(context->device, error, "slot %u: %s", context->slot, why) : write_goal(context, goal_q16);
}

qsmError_t qsmSetQoS(qsmContext_t context, uint32_t goal_ipc_q16) {
  return qsmSetGoal(context, &(qsmGoal){.kind = goal_ipc_q16 ? qsmGoalIpc : qsmGoalNone, .value = goal_ipc_q16});
}

// The contexts with launches pending, this one among them, have few enough budgets. The GPU asks only for what runs (R-QW-10); asking for
// what waits too keeps it from refusing a launch whose turn comes later.
static qsmError_t check_groups(const struct qsm_context *context, uint32_t budget) {
  struct qsm_device *device = context->device;
  bool seen[MAX_BUDGET + 1] = {false};
  uint32_t n_groups = 0;
  for (uint32_t slot = 0; slot < device->config.num_kernels; slot++) {
    const struct qsm_context *other = device->context[slot];
    if (other != context && (!other || !other->queue)) continue;
    uint32_t value = other == context ? budget : other->budget;
    n_groups += !seen[value];
    seen[value] = true;
  }
  if (n_groups <= device->config.num_groups) return qsmSuccess;
  return fail(device, qsmErrorGroups, "slot %u: budget %u makes %u groups of warps, configuration %s has %u", context->slot, budget, n_groups,
              device->config.name, device->config.num_groups);
}

qsmError_t qsmSetBudget(qsmContext_t context, uint32_t budget) {
  if (budget < 1 || budget > MAX_BUDGET)
    return fail(context->device, qsmErrorInvalidValue, "slot %u: budget %u, must be 1..%u", context->slot, budget, (unsigned)MAX_BUDGET);
  if (budget == context->budget) return qsmSuccess;
  qsmError_t error = context->queue ? check_groups(context, budget) : qsmSuccess;
  if (!error) error = slot_write(context, QSM_SLOT_BUDGET, budget);
  if (!error) context->budget = budget;
  return error;
}

static void print_mask(qsmSmMask mask, char *text, size_t text_len) {
  if (mask >> 64) snprintf(text, text_len, "%llX%016llX", (unsigned long long)(mask >> 64), (unsigned long long)mask);
  else snprintf(text, text_len, "%llX", (unsigned long long)mask);
}

qsmError_t qsmSetSmMask(qsmContext_t context, qsmSmMask mask) {
  static const uint32_t words[] = {QSM_SLOT_SM_MASK_LO, QSM_SLOT_SM_MASK_HI, QSM_SLOT_SM_MASK_2};
  uint32_t n_sms = context->device->config.num_sms;
  char text[33];
  print_mask(mask, text, sizeof text);
  if (mask == 0 || mask >> n_sms)
    return fail(context->device, qsmErrorInvalidValue, "SM mask 0x%s: needs at least one of the %u SMs and no other", text, n_sms);
  context->sm_mask = mask;
  qsmError_t error = qsmSuccess;
  for (uint32_t i = 0; !error && 32 * i < n_sms; i++) error = slot_write(context, words[i], (uint32_t)(mask >> 32 * i));
  return error ? error : write_first_quota(context);
}

// ---- Save areas ----

static void free_save_area(struct qsm_context *context) {
  if (context->area) qsm_heap_free(context->heap, context->area);
  context->area = context->save_base = context->save_limit = 0;
}

static qsmError_t write_save_area(struct qsm_context *context) {
  qsmError_t error = slot_write(context, QSM_SLOT_SAVE_BASE, context->save_base);
  return error ? error : slot_write(context, QSM_SLOT_SAVE_LIMIT, context->save_limit);
}

// Whole pages within an allocation, whose alignment is less.
static bool allocate_save_area(struct qsm_context *context, uint32_t bytes) {
  free_save_area(context);
  context->area = qsm_heap_alloc(context->heap, bytes + PAGE_BYTES);
  if (!context->area) return false;
  context->save_base = (context->area + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  context->save_limit = context->save_base + bytes;
  return true;
}

// Before a launch with blocks of this shape is queued.
static qsmError_t grow_save_area(struct qsm_context *context, const char *kernel, qsmDim3 block, uint32_t shared_bytes) {
  const struct qsm_config *config = &context->device->config;
  uint32_t warps = (block.x * block.y * block.z + config->warp_size - 1) / config->warp_size;
  uint64_t needed = (uint64_t)context->n_images * qsm_config_image_bytes(config, warps, shared_bytes);
  uint32_t given = context->save_limit - context->save_base;
  if (needed <= given) return qsmSuccess;
  if (!context->queue && needed < context->limit - context->base) {
    uint32_t pages = (uint32_t)(needed + PAGE_BYTES - 1) / PAGE_BYTES;
    if (allocate_save_area(context, pages * PAGE_BYTES)) return write_save_area(context);
    if (given) allocate_save_area(context, given);  // what has just been freed
  }
  return fail(context->device, qsmErrorSaveArea, "slot %u, kernel %s: %u saved blocks need %llu bytes, the save area has %u%s", context->slot,
              kernel, context->n_images, (unsigned long long)needed, given,
              context->queue ? " and cannot grow while launches are pending" : " and the context's memory no more");
}

qsmError_t qsmSetSaveArea(qsmContext_t context, uint32_t images) {
  uint32_t most = context->device->config.num_images;
  if (images > most)
    return fail(context->device, qsmErrorInvalidValue, "slot %u: %u images, configuration %s has %u per slot", context->slot, images,
                context->device->config.name, most);
  if (context->queue) return fail(context->device, qsmErrorBusy, "slot %u: launches are pending", context->slot);
  context->n_images = images;
  free_save_area(context);
  return write_save_area(context);
}

qsmError_t qsmSetIdempotent(qsmContext_t context, bool idempotent) {
  if (context->queue) return fail(context->device, qsmErrorBusy, "slot %u: launches are pending", context->slot);
  return slot_write(context, QSM_SLOT_IDEMPOTENT, idempotent);
}

qsmError_t qsmSetCachePolicy(qsmContext_t context, qsmCachePolicy policy) {
  if (policy & ~(uint32_t)qsmCacheSkipL1AndL2)
    return fail(context->device, qsmErrorInvalidValue, "slot %u: cache policy %u, must be 0..%u", context->slot, (unsigned)policy,
                (unsigned)qsmCacheSkipL1AndL2);
  context->cache_policy = policy;
  return qsmSuccess;
}

qsmError_t qsmSetPreemptHold(qsmContext_t context, bool hold) { return slot_write(context, QSM_SLOT_PREEMPT_HOLD, hold); }

// Instruction caches are direct mapped and tenants' memories lie whole caches apart: programs that all began with their memory would
// evict each other's loops. In a cache of 4 KiB and for four tenants slots 0, 1, 2, 3 begin at 0, 2048, 1024, 3072.
static uint32_t cache_offset(const struct qsm_config *config, uint32_t slot) {
  uint32_t bytes = config->icache_lines * qsm_config_line_bytes(config), offset = 0;
  if (bytes > MAX_CACHE_OFFSET) bytes = MAX_CACHE_OFFSET;
  for (uint32_t bit = 1; bit < config->num_kernels; bit *= 2) {
    bytes /= 2;
    if (slot & bit) offset += bytes;
  }
  return offset;
}

// Takes the program over.
static qsmError_t install_program(struct qsm_context *context, struct qsm_program *program) {
  struct qsm_device *device = context->device;
  uint32_t offset = cache_offset(&device->config, context->slot);
  uint32_t code = context->base + offset / PAGE_BYTES * PAGE_BYTES, data = code + qsm_program_code_bytes(program);
  uint32_t at = code + qsm_program_shift(program, offset % PAGE_BYTES);
  const struct register_value values[] = {
      {QSM_SLOT_WIN0_BASE, code}, {QSM_SLOT_WIN0_LIMIT, data},           {QSM_SLOT_WIN0_RIGHTS, 5},
      {QSM_SLOT_WIN1_BASE, data}, {QSM_SLOT_WIN1_LIMIT, context->limit}, {QSM_SLOT_WIN1_RIGHTS, 3},
      {QSM_SLOT_ENTRY, at + qsm_program_entry(program)},
      {QSM_SLOT_ARG, context->arguments},
  };
  qsmError_t error = device_write(context, at, qsm_program_image(program), qsm_program_image_bytes(program));
  if (!error) error = SLOT_WRITE_ALL(context, values);
  if (!error) error = qsmRegisterWrite(device, QSM_REG_ICACHE_INV, 1);
  qsm_program_free(error ? program : context->program);
  if (!error) {
    context->program = program;
    context->program_at = at;
    OBSERVE(device, loaded, at);
  }
  return error;
}

qsmError_t qsmModuleLoad(qsmContext_t context, const char *path) {
  struct qsm_device *device = context->device;
  if (context->queue) return fail(device, qsmErrorBusy, "slot %u: launches are pending", context->slot);
  char msg[256];
  struct qsm_program *program = NULL;
  if (qsm_program_load(path, &program, msg, sizeof msg)) return fail(device, qsmErrorInvalidImage, "%s", msg);
  if (qsm_program_image_bytes(program) > IMAGE_AREA_BYTES - MAX_CACHE_OFFSET) {
    fail(device, qsmErrorNoRoom, "%s: image of %u bytes, room for %u", path, qsm_program_image_bytes(program),
         (unsigned)(IMAGE_AREA_BYTES - MAX_CACHE_OFFSET));
    qsm_program_free(program);
    return qsmErrorNoRoom;
  }
  return install_program(context, program);
}

qsmError_t qsmMemGetInfo(qsmContext_t context, uint64_t *free_bytes, uint64_t *total_bytes) {
  if (free_bytes) *free_bytes = qsm_heap_room(context->heap);
  if (total_bytes) *total_bytes = qsm_heap_size(context->heap);
  return qsmSuccess;
}

qsmError_t qsmMalloc(qsmContext_t context, size_t bytes, uint32_t *address) {
  uint32_t allocated = qsm_heap_alloc(context->heap, bytes);
  if (!allocated) return fail(context->device, qsmErrorMemoryAllocation, "slot %u: no room for %zu bytes", context->slot, bytes);
  *address = allocated;
  OBSERVE(context->device, allocated, allocated, bytes);
  return qsmSuccess;
}

qsmError_t qsmFree(qsmContext_t context, uint32_t address) {
  if (qsm_heap_free(context->heap, address))
    return fail(context->device, qsmErrorInvalidValue, "slot %u: 0x%08X was not allocated", context->slot, address);
  OBSERVE(context->device, freed, address);
  return qsmSuccess;
}

static qsmError_t check_range(qsmContext_t context, uint32_t address, size_t bytes) {
  if (address < context->base || (uint64_t)address + bytes > context->limit)
    return fail(context->device, qsmErrorInvalidValue, "slot %u: 0x%08X + %zu is outside the context's memory", context->slot, address, bytes);
  return qsmSuccess;
}

qsmError_t qsmMemcpyHtoD(qsmContext_t context, uint32_t dst, const void *src, size_t bytes) {
  qsmError_t error = check_range(context, dst, bytes);
  return error ? error : device_write(context, dst, src, bytes);
}

qsmError_t qsmMemcpyDtoH(qsmContext_t context, void *dst, uint32_t src, size_t bytes) {
  qsmError_t error = check_range(context, src, bytes);
  return error ? error : device_read(context, dst, src, bytes);
}

static qsmError_t check_launch(qsmContext_t context, const char *kernel, qsmDim3 grid, qsmDim3 block, uint64_t shared_bytes) {
  struct qsm_device *device = context->device;
  const struct qsm_config *config = &device->config;
  const uint32_t dims[2][3] = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}};
  const uint32_t most[2] = {65535, MAX_BLOCK_THREADS};
  for (int which = 0; which < 2; which++)
    for (int axis = 0; axis < 3; axis++)
      if (dims[which][axis] < 1 || dims[which][axis] > most[which])
        return fail(device, qsmErrorInvalidLaunch, "kernel %s: %s.%c = %u, must be 1..%u", kernel, which ? "block" : "grid", "xyz"[axis],
                    dims[which][axis], most[which]);
  uint64_t threads = (uint64_t)block.x * block.y * block.z, sm_threads = (uint64_t)config->warps_per_sm * config->warp_size;
  uint64_t most_threads = sm_threads < MAX_BLOCK_THREADS ? sm_threads : MAX_BLOCK_THREADS;
  if (threads > most_threads)
    return fail(device, qsmErrorInvalidLaunch, "kernel %s: %llu threads per block, configuration %s runs at most %llu", kernel,
                (unsigned long long)threads, config->name, (unsigned long long)most_threads);
  if (shared_bytes > config->shared_bytes)
    return fail(device, qsmErrorInvalidLaunch, "kernel %s: %llu bytes of shared memory per block, an SM of configuration %s has %u", kernel,
                (unsigned long long)shared_bytes, config->name, config->shared_bytes);
  return qsmSuccess;
}

qsmError_t qsmLaunchKernel(qsmContext_t context, const char *kernel, qsmDim3 grid, qsmDim3 block, const uint32_t *args,
                           uint32_t n_args, uint32_t shared_bytes, qsmLaunchCallback callback, void *user) {
  struct qsm_device *device = context->device;
  if (!context->program) return fail(device, qsmErrorNotFound, "kernel %s: no module loaded", kernel);
  if (n_args > 8) return fail(device, qsmErrorInvalidLaunch, "kernel %s: %u arguments, at most 8", kernel, n_args);
  int64_t offset = qsm_program_symbol(context->program, kernel);
  if (offset < 0) return fail(device, qsmErrorNotFound, "no kernel '%s' in the module", kernel);
  uint64_t shared = (uint64_t)shared_bytes + qsm_program_shared_bytes(context->program);
  qsmError_t error = check_launch(context, kernel, grid, block, shared);
  if (!error) error = check_groups(context, context->budget);
  if (!error) error = check_share(context, device->scheme, context->isolated_q16);
  if (!error && context->n_images) error = grow_save_area(context, kernel, block, (uint32_t)shared);
  if (error) return error;
  struct launch *launch = calloc(1, sizeof *launch);
  if (!launch) return fail(device, qsmErrorMemoryAllocation, "out of memory");
  *launch = (struct launch){.function = context->program_at + (uint32_t)offset, .grid = grid, .block = block,
                            .shared_bytes = (uint32_t)shared, .cache_policy = context->cache_policy, .callback = callback, .user = user};
  if (n_args) memcpy(launch->args, args, n_args * sizeof *args);
  DL_APPEND(context->queue, launch);
  if (context->running || context->queue != launch) return qsmSuccess;
  error = start_launch(context);
  if (error) {
    DL_DELETE(context->queue, launch);
    free(launch);
  }
  return error;
}

qsmError_t qsmContextSynchronize(qsmContext_t context, uint64_t max_cycles) {
  uint64_t limit = qsmDeviceCycle(context->device) + max_cycles;
  while (context->queue) {
    if (qsmDeviceCycle(context->device) >= limit)
      return fail(context->device, qsmErrorTimeout, "slot %u: launch still running after %llu cycles", context->slot,
                  (unsigned long long)max_cycles);
    qsmError_t error = advance(context->device, limit);
    if (error) return error;
  }
  bool faulted = context->faulted;
  context->faulted = false;
  return faulted ? qsmErrorKernelFault : qsmSuccess;
}

// ---- Copies of a context ----

// What decides how a kernel alone runs, but for the memory's content.
static qsmError_t copy_settings(struct qsm_context *context, struct qsm_context *clone) {
  static const uint16_t of_device[] = {QSM_REG_POLICY, QSM_REG_ACTIVE_WARPS};
  qsmError_t error = qsmSuccess;
  for (size_t i = 0; !error && i < sizeof of_device / sizeof of_device[0]; i++) {
    uint32_t value = 0;
    error = qsmRegisterRead(context->device, of_device[i], &value);
    if (!error) error = qsmRegisterWrite(clone->device, of_device[i], value);
  }
  clone->cache_policy = context->cache_policy;
  if (!error) error = qsmSetSmMask(clone, context->sm_mask);
  if (!error && context->program) error = install_program(clone, qsm_program_share(context->program));
  return error;
}

qsmError_t qsm_context_clone(qsmContext_t context, qsmDevice_t *device, qsmContext_t *clone) {
  char msg[256];
  struct qsm_device *opened = NULL;
  struct qsm_context *copy = NULL;
  qsmError_t error = open_device("model", &context->device->config, NULL, &opened, msg, sizeof msg);
  if (error) return fail(context->device, error, "%s", msg);
  error = create_in_slot(opened, context->slot, &copy);
  if (!error) error = copy_settings(context, copy);
  if (error) {
    qsm_device_take_error(context->device, error, opened);
    qsmDeviceClose(opened);
    return error;
  }
  *device = opened;
  *clone = copy;
  return qsmSuccess;
}

qsmError_t qsm_context_copy_memory(qsmContext_t context, qsmContext_t clone) {
  qsmError_t error = qsmSuccess;
  uint8_t *page = malloc(PAGE_BYTES);
  if (!page) return fail(clone->device, qsmErrorMemoryAllocation, "out of memory");
  for (uint32_t at = context->base; !error && at < context->limit; at += PAGE_BYTES) {
    error = device_read(context, page, at, PAGE_BYTES);
    if (!error) error = device_write(clone, at, page, PAGE_BYTES);
  }
  free(page);
  return error;
}

qsmDevice_t qsm_context_device(qsmContext_t context) { return context->device; }

qsmError_t qsm_device_take_error(qsmDevice_t device, qsmError_t error, qsmDevice_t other) { return fail(device, error, "%s", other->error); }
