// SPDX-License-Identifier: Apache-2.0
// Launches in persistent workers (docs/workers.md): a launch of the workers, one that closes it,
// and again while something is left.
#include "qsm_worker_job.h"

#include <stdlib.h>
#include <string.h>

#include "qsm_elf.h"
#include "qsm_heap.h"
#include "qsm_internal.h"

enum { MOST_TASKS = INT32_MAX };

static const char kClose[] = "qsm_workers_close";

const char *qsm_workers_name(uint32_t form) {
  static const char *const names[] = {"off", "rh", "slate", "persistent"};
  return form < QSM_WORKERS_COUNT ? names[form] : NULL;
}

bool qsm_workers_in(const struct qsm_program *program) {
  return program && qsm_program_kernel(program, kClose);
}

// ---- Setting ----

static qsmSmMask mask_of(uint32_t first, uint32_t count) {
  return (((qsmSmMask)1 << count) - 1) << first;
}

qsmError_t qsm_workers_check_mask(const struct qsm_context *context, qsmSmMask mask) {
  const struct qsm_workers *workers = &context->workers;
  if (!workers->form || (mask_of(workers->first, workers->count) & ~mask) == 0) return qsmSuccess;
  return qsm_fail(context->device, qsmErrorInvalidValue,
                  "%s: the SM mask leaves out SMs of its workers, %u..%u", context->name,
                  workers->first, workers->first + workers->count - 1);
}

// R-WK-7.
static qsmError_t check(struct qsm_context *context, const struct qsm_workers *wanted) {
  struct qsm_device *device = context->device;
  const struct qsm_config *config = &device->config;
  qsmError_t error =
      qsm_check_value(device, "workers", wanted->form, qsm_workers_name, QSM_WORKERS_COUNT);
  if (error || !wanted->form) return error;
  if (wanted->count < 1 || wanted->first >= config->num_sms ||
      wanted->count > config->num_sms - wanted->first)
    return qsm_fail(device, qsmErrorInvalidValue,
                    "workers on %u SMs from SM %u on: configuration %s has SMs 0..%u",
                    wanted->count, wanted->first, config->name, config->num_sms - 1);
  if (wanted->form == qsmWorkersPersistent && wanted->count < config->num_sms)
    return qsm_fail(device, qsmErrorInvalidValue,
                    "persistent workers on %u of %u SMs: they are on all of them", wanted->count,
                    config->num_sms);
  bool half = wanted->form == qsmWorkersPersistent && wanted->per_sm == QSM_WORKERS_HALF;
  if (!half && (wanted->per_sm < 1 || wanted->per_sm > config->max_tbs))
    return qsm_fail(device, qsmErrorInvalidValue,
                    "%u workers per SM: an SM of configuration %s has room for 1..%u",
                    wanted->per_sm, config->name, config->max_tbs);
  if (mask_of(wanted->first, wanted->count) & ~context->sm_mask)
    return qsm_fail(device, qsmErrorInvalidValue,
                    "workers on SMs %u..%u: the context's SM mask leaves some of them out",
                    wanted->first, wanted->first + wanted->count - 1);
  return qsmSuccess;
}

// Persistent workers share nothing.
static bool shares_state(qsmWorkers form) {
  return form == qsmWorkersRh || form == qsmWorkersSlate;
}

static uint32_t state_bytes(const struct qsm_context *context, uint32_t per_sm) {
  return QSM_WORKER_PLACES + context->device->config.num_sms * per_sm * QSM_WORKER_PLACE_BYTES;
}

static qsmError_t clear_state(struct qsm_context *context) {
  struct qsm_workers *workers = &context->workers;
  uint32_t bytes = state_bytes(context, workers->per_sm);
  void *zeros = calloc(1, bytes);
  if (!zeros) return qsm_fail(context->device, qsmErrorMemoryAllocation, "out of memory");
  qsmError_t error = qsm_memory_write(context, workers->state, zeros, bytes);
  free(zeros);
  if (!error) workers->used = false;
  return error;
}

// For so many workers per SM; whatever was there is cleared before the next launch.
static qsmError_t allocate_state(struct qsm_context *context, uint32_t per_sm) {
  struct qsm_workers *workers = &context->workers;
  uint32_t bytes = state_bytes(context, per_sm);
  if (workers->state && workers->per_sm == per_sm) return qsmSuccess;
  uint32_t state = qsm_heap_alloc_own(context->heap, bytes);
  if (!state)
    return qsm_fail(context->device, qsmErrorMemoryAllocation,
                    "%s: no room for %u bytes that workers share", context->name, bytes);
  if (workers->state) qsm_heap_free(context->heap, workers->state);
  workers->state = state;
  workers->used = true;
  return qsmSuccess;
}

static bool works(const struct qsm_context *context) {
  return context->running && context->queue->worker_phase == QSM_WORKERS_WORK;
}

// R-WK-10: the running workers leave. A launch of rh has taken its range already.
static qsmError_t retreat(struct qsm_context *context) {
  const uint32_t flag = 1;
  if (context->workers.form != qsmWorkersSlate || !works(context)) return qsmSuccess;
  return qsm_memory_write(context, context->workers.state + QSM_WORKER_RETREAT, &flag, sizeof flag);
}

static qsmError_t set_workers(struct qsm_context *context, const struct qsm_workers *wanted) {
  struct qsm_workers *workers = &context->workers;
  bool new_range = workers->first != wanted->first || workers->count != wanted->count;
  qsmError_t error = check(context, wanted);
  if (error) return error;
  if (context->queue && (workers->form != wanted->form || workers->per_sm != wanted->per_sm))
    return qsm_fail(context->device, qsmErrorBusy,
                    "%s: launches are pending, only the range of workers may change",
                    context->name);
  if (shares_state(wanted->form)) error = allocate_state(context, wanted->per_sm);
  if (error) return error;
  workers->form = wanted->form;
  workers->first = wanted->first;
  workers->count = wanted->count;
  workers->per_sm = wanted->per_sm;
  return new_range ? retreat(context) : qsmSuccess;
}

qsmError_t qsmSetWorkers(qsmContext_t handle, qsmWorkers form, uint32_t first, uint32_t count,
                         uint32_t per_sm) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  if (qsm_check_has_slot(context, "persistent workers")) return qsmErrorStream;
  const struct qsm_workers wanted = {
      .form = form, .first = first, .count = count, .per_sm = per_sm};
  return set_workers(context, &wanted);
}

// ---- A launch is submitted ----

// What a block of a launch takes of an SM.
struct need {
  uint32_t warps, granules, blocks;
};

static struct need need_of(const struct qsm_config *config, qsmDim3 block, uint32_t shared_bytes) {
  uint32_t threads = block.x * block.y * block.z, granule = qsm_config_granule_bytes(config);
  return (struct need){.warps = (threads + config->warp_size - 1) / config->warp_size,
                       .granules = (shared_bytes + granule - 1) / granule,
                       .blocks = 1};
}

// R-WK-12: workers of a launch on an SM, 0: half of one has no room for its block.
static uint32_t workers_per_sm(const struct qsm_context *context, qsmDim3 block,
                               uint32_t shared_bytes) {
  const struct qsm_config *config = &context->device->config;
  struct need need = need_of(config, block, shared_bytes);
  if (context->workers.per_sm != QSM_WORKERS_HALF) return context->workers.per_sm;
  uint32_t n = config->warps_per_sm / 2 / need.warps;
  if (n > config->max_tbs / 2) n = config->max_tbs / 2;
  if (need.granules && n > QSM_SHARED_GRANULES / 2 / need.granules)
    n = QSM_SHARED_GRANULES / 2 / need.granules;
  return n;
}

static qsmError_t check_half(struct qsm_context *context, const qsmLaunch *what,
                             uint32_t shared_bytes) {
  const struct qsm_config *config = &context->device->config;
  struct need need = need_of(config, what->block, shared_bytes);
  if (workers_per_sm(context, what->block, shared_bytes)) return qsmSuccess;
  return qsm_fail(
      context->device, qsmErrorInvalidLaunch,
      "kernel %s: a worker takes %u of %u warps and %u of %u pieces of shared memory of "
      "an SM: half of it has no room for one",
      what->kernel, need.warps, config->warps_per_sm, need.granules, QSM_SHARED_GRANULES);
}

// The most that a block of the context's pending launches of workers takes.
static struct need need_of_pending(const struct qsm_context *context) {
  struct need most = {0};
  for (const struct qsm_pending *launch = context->queue; launch; launch = launch->next) {
    struct need need = need_of(&context->device->config, launch->block, launch->shared_bytes);
    if (launch->worker_phase == QSM_WORKERS_NONE) continue;
    if (need.warps > most.warps) most.warps = need.warps;
    if (need.granules > most.granules) most.granules = need.granules;
    most.blocks = 1;
  }
  return most;
}

static qsmError_t check_room(struct qsm_context *context, const char *kernel, qsmDim3 block,
                             uint32_t shared_bytes) {
  struct qsm_device *device = context->device;
  const struct qsm_config *config = &device->config;
  struct need sum = need_of(config, block, shared_bytes);
  for (uint32_t slot = 0; slot < config->num_kernels; slot++) {
    if (!device->context[slot] || slot == context->slot) continue;
    struct need other = need_of_pending(device->context[slot]);
    sum.warps += other.warps;
    sum.granules += other.granules;
    sum.blocks += other.blocks;
  }
  if (sum.blocks == 1 || (sum.warps <= config->warps_per_sm && sum.blocks <= config->max_tbs &&
                          sum.granules <= QSM_SHARED_GRANULES))
    return qsmSuccess;
  return qsm_fail(device, qsmErrorInvalidLaunch,
                  "kernel %s: workers of %u kernels need %u of %u warps, %u of %u thread-block "
                  "slots and %u of %u pieces of shared memory of an SM: they do not fit beside "
                  "each other",
                  kernel, sum.blocks, sum.warps, config->warps_per_sm, sum.blocks, config->max_tbs,
                  sum.granules, QSM_SHARED_GRANULES);
}

qsmError_t qsm_workers_admit(struct qsm_context *context, const qsmLaunch *what,
                             uint32_t shared_bytes) {
  if (!context->workers.form) return qsmSuccess;
  if (!qsm_workers_in(context->program))
    return qsm_fail(context->device, qsmErrorInvalidLaunch,
                    "kernel %s: its program has no workers: compile it with qsm-cc --workers",
                    what->kernel);
  if (qsm_count_blocks(what->grid) > MOST_TASKS)
    return qsm_fail(context->device, qsmErrorInvalidLaunch,
                    "kernel %s: a grid of %u x %u x %u, workers take at most %d tasks",
                    what->kernel, what->grid.x, what->grid.y, what->grid.z, MOST_TASKS);
  if (!shares_state(context->workers.form)) return check_half(context, what, shared_bytes);
  return check_room(context, what->kernel, what->block, shared_bytes);
}

// ---- A launch runs ----

static uint32_t n_tasks(const struct qsm_pending *launch) {
  return (uint32_t)qsm_count_blocks(launch->grid);
}

static void take_range(const struct qsm_context *context, struct qsm_pending *launch) {
  launch->worker_first = context->workers.first;
  launch->worker_count = context->workers.count;
}

qsmError_t qsm_workers_begin(struct qsm_context *context, struct qsm_pending *launch) {
  if (launch->worker_phase != QSM_WORKERS_WAITS) return qsmSuccess;
  bool shares = shares_state(context->workers.form);
  qsmError_t error = shares && context->workers.used ? clear_state(context) : qsmSuccess;
  if (error) return error;
  take_range(context, launch);
  launch->worker_phase = QSM_WORKERS_WORK;
  if (shares) context->workers.used = true;
  return qsmSuccess;
}

// R-WK-9: the closing block has the shape of the others, so the allocator keeps its targets.
static void make_closing(struct qsm_context *context, struct qsm_pending *step) {
  const struct qsm_workers *workers = &context->workers;
  const uint32_t nothing = 0;
  const uint32_t words[] = {workers->state, workers->form, step->worker_first * workers->per_sm,
                            step->worker_count * workers->per_sm, n_tasks(step)};
  step->function = context->program_at + qsm_program_kernel(context->program, kClose)->offset;
  step->cache_policy = qsmCacheSkipL2;
  step->arguments = (struct qsm_entry_arguments){0};
  memcpy(step->arguments.registers, words, sizeof words);
  step->grid = (qsmDim3){1, 1, 1};
  qsm_memory_put(context, workers->state + QSM_WORKER_REPORT, &nothing, sizeof nothing);
}

void qsm_workers_step(struct qsm_context *context, struct qsm_pending *step) {
  if (step->worker_phase == QSM_WORKERS_WORK)
    step->grid = (qsmDim3){
        context->device->config.num_sms * workers_per_sm(context, step->block, step->shared_bytes),
        1, 1};
  if (step->worker_phase == QSM_WORKERS_CLOSE) make_closing(context, step);
}

void qsm_workers_job(const struct qsm_context *context, const struct qsm_pending *launch,
                     uint32_t job[QSM_WORKER_JOB_WORDS]) {
  const struct qsm_workers *workers = &context->workers;
  bool in_workers = launch->worker_phase == QSM_WORKERS_WORK;
  const struct {
    int offset;
    uint32_t value;
  } fields[] = {{QSM_JOB_FORM, in_workers ? (uint32_t)workers->form : QSM_FORM_PLAIN},
                {QSM_JOB_FIRST, in_workers ? launch->worker_first : 0},
                {QSM_JOB_COUNT, in_workers ? launch->worker_count : 0},
                {QSM_JOB_PER_SM, in_workers ? workers->per_sm : 0},
                {QSM_JOB_GRID_X, launch->grid.x},
                {QSM_JOB_GRID_Y, launch->grid.y},
                {QSM_JOB_GRID_Z, launch->grid.z},
                {QSM_JOB_TASKS, n_tasks(launch)},
                {QSM_JOB_STATE, in_workers ? workers->state : 0},
                {QSM_JOB_WARPS_PER_SM, context->device->config.warps_per_sm}};
  memset(job, 0, QSM_JOB_BYTES);
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
    job[(fields[i].offset + QSM_JOB_BYTES) / 4] = fields[i].value;
}

// The word is in memory and nowhere else: see docs/workers.md.
static bool something_left(const struct qsm_context *context) {
  uint32_t left = 0;
  qsm_memory_get(context, &left, context->workers.state + QSM_WORKER_REPORT, sizeof left);
  return left != 0;
}

qsmError_t qsm_workers_ended(struct qsm_context *context, bool *again) {
  struct qsm_pending *launch = context->queue;
  *again = false;
  if (launch->worker_phase == QSM_WORKERS_WORK && !shares_state(context->workers.form))
    return qsmSuccess;
  *again = true;
  if (launch->worker_phase == QSM_WORKERS_WORK) {
    launch->worker_phase = QSM_WORKERS_CLOSE;
    return qsm_counters_keep(context);
  }
  *again = launch->worker_phase == QSM_WORKERS_CLOSE && something_left(context);
  if (launch->worker_phase == QSM_WORKERS_CLOSE) context->workers.used = *again;
  if (!*again) return qsmSuccess;
  launch->worker_phase = QSM_WORKERS_WORK;
  if (context->workers.form == qsmWorkersSlate) take_range(context, launch);
  return qsmSuccess;
}
