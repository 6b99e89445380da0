// SPDX-License-Identifier: Apache-2.0
#include "qsm_session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "qsm_config.h"
#include "qsm_config_yaml.h"
#include "qsm_progress.h"
#include "qsm_regs.h"

enum { RESET_EPOCH = 10000, SLICE_CYCLES = 2500 };  // EPOCH_LEN after reset (control_port.md)

// A tenant of the running measurement.
struct tenant {
  struct session *session;
  const struct qsm_scenario_kernel *kernel;
  struct qsm_kernel_outcome *outcome;
  qsmContext_t context;
  struct qsm_job *job;  // of a suite program
  bool counted;       // the last launch's memory counters are in the sum
  bool launched_own;  // user's ELF: its launch of this pass is under way
  uint32_t n_sets;       // of a suite program: passes that may follow each other unchecked
  uint32_t n_unchecked;  // passes that have, and the set of the next
  uint32_t args[8];
};

struct session {
  const struct qsm_scenario *scenario;
  const struct qsm_session_plan *plan;
  struct qsm_outcome *outcome;
  qsmDevice_t device;
  struct tenant tenants[QSM_SCENARIO_MAX_KERNELS];
  uint64_t origin;  // cycle of the epoch boundary where the measurement starts
  uint64_t epoch;
  uint32_t n_read;   // epochs whose figures are read
  qsmError_t error;  // of a submission inside a callback, of figures read while the library lets time pass, of a program's memory
  char place[300];  // place in the scenario of the kernel that is being set up, else empty
};

// ---- Programs ----

static uint32_t job_alloc(void *ctx, size_t bytes) {
  uint32_t address = 0;
  return qsmMalloc(((struct tenant *)ctx)->context, bytes, &address) == qsmSuccess ? address : 0;
}

static void note_error(struct session *session, qsmError_t error) {
  if (error && !session->error) session->error = error;
}

static void job_write(void *ctx, uint32_t addr, const void *src, size_t bytes) {
  struct tenant *tenant = ctx;
  note_error(tenant->session, qsmMemcpyHtoD(tenant->context, addr, src, bytes));
}

static void job_read(void *ctx, uint32_t addr, void *dst, size_t bytes) {
  struct tenant *tenant = ctx;
  note_error(tenant->session, qsmMemcpyDtoH(tenant->context, dst, addr, bytes));
}

static bool next_launch(struct tenant *tenant, struct qsm_suite_launch *launch) {
  const struct qsm_scenario_kernel *kernel = tenant->kernel;
  if (kernel->program) return qsm_suite_next(tenant->job, launch) != 0;
  if (tenant->launched_own) return false;
  tenant->launched_own = true;
  *launch = (struct qsm_suite_launch){.symbol = kernel->symbol, .shared_bytes = kernel->shared_bytes};
  memcpy(launch->grid, kernel->grid, sizeof launch->grid);
  memcpy(launch->block, kernel->block, sizeof launch->block);
  memcpy(launch->args, tenant->args, sizeof launch->args);
  return true;
}

// 0: passes repeat until the end.
static uint64_t passes_asked(const struct tenant *tenant) { return tenant->session->plan->one_pass ? 1 : tenant->kernel->passes; }

static void begin_passes(struct tenant *tenant) {
  for (uint32_t set = 0; set < tenant->n_sets; set++) {
    qsm_suite_use_set(tenant->job, set);
    qsm_suite_begin(tenant->job);
  }
}

static void check_passes(struct tenant *tenant) {
  for (uint32_t set = 0; set < tenant->n_unchecked; set++) {
    qsm_suite_use_set(tenant->job, set);
    if (qsm_suite_check(tenant->job) == 0) tenant->outcome->checks_passed++;
    else tenant->outcome->checks_failed++;
  }
  tenant->n_unchecked = 0;
}

static void begin_pass(struct tenant *tenant) {
  tenant->launched_own = false;
  if (!tenant->kernel->program) return;
  if (tenant->n_unchecked == tenant->n_sets) {
    check_passes(tenant);
    begin_passes(tenant);
  }
  qsm_suite_use_set(tenant->job, tenant->n_unchecked);
}

static void end_pass(struct tenant *tenant) {
  tenant->outcome->passes++;
  if (tenant->kernel->program) tenant->n_unchecked++;
}

static void launch_ended(void *user, const qsmLaunchResult *result);

static qsmError_t submit(struct tenant *tenant) {
  struct qsm_suite_launch launch = {0};
  if (!next_launch(tenant, &launch)) {
    end_pass(tenant);
    if (passes_asked(tenant) && tenant->outcome->passes >= passes_asked(tenant)) return qsmSuccess;
    begin_pass(tenant);
    if (!next_launch(tenant, &launch)) return qsmSuccess;
  }
  tenant->counted = false;
  return qsmLaunchKernel(tenant->context, launch.symbol, (qsmDim3){launch.grid[0], launch.grid[1], launch.grid[2]},
                         (qsmDim3){launch.block[0], launch.block[1], launch.block[2]}, launch.args, 8, launch.shared_bytes, launch_ended, tenant);
}

static bool counts_memory(const struct session *session) { return session->outcome->has_l1 || session->outcome->has_l2 || session->outcome->has_dram; }

// Of the launch that has just ended, or still runs.
static qsmError_t add_memory_counters(struct tenant *tenant) {
  qsmMemoryCounters launch = {0}, *sum = &tenant->outcome->memory;
  qsmError_t error = counts_memory(tenant->session) ? qsmReadMemoryCounters(tenant->context, &launch) : qsmSuccess;
  sum->l1_loads += launch.l1_loads;
  sum->l1_hits += launch.l1_hits;
  sum->l1_joined += launch.l1_joined;
  sum->l1_misses += launch.l1_misses;
  sum->l1_stores += launch.l1_stores;
  sum->l1_atomics += launch.l1_atomics;
  sum->requests += launch.requests;
  sum->hits += launch.hits;
  sum->merged += launch.merged;
  sum->misses += launch.misses;
  sum->passed += launch.passed;
  sum->atomics += launch.atomics;
  sum->victims += launch.victims;
  sum->dram_reads += launch.dram_reads;
  sum->dram_writes += launch.dram_writes;
  sum->row_hits += launch.row_hits;
  sum->rows_opened += launch.rows_opened;
  return error;
}

static void launch_ended(void *user, const qsmLaunchResult *result) {
  struct tenant *tenant = user;
  qsmError_t counted = add_memory_counters(tenant);
  note_error(tenant->session, counted);
  tenant->counted = true;
  if (result->killed) {
    tenant->outcome->fault = *result;
    return;
  }
  tenant->outcome->launches++;
  qsmError_t error = submit(tenant);
  if (tenant->kernel->passes && tenant->outcome->passes == tenant->kernel->passes)
    tenant->outcome->finished = result->end_cycle - tenant->session->origin;
  note_error(tenant->session, error);
}

// ---- Set-up ----

static qsmError_t create_buffers(struct tenant *tenant) {
  for (uint32_t i = 0; i < tenant->kernel->n_args; i++) {
    tenant->args[i] = tenant->kernel->arg[i];
    uint32_t bytes = tenant->kernel->buffer_bytes[i];
    qsmError_t error = bytes ? qsmMalloc(tenant->context, bytes, &tenant->args[i]) : qsmSuccess;
    if (error) return error;
  }
  return qsmSuccess;
}

// Behind an L2 a look at memory costs a flush, so passes are checked many at a time. Half of the memory is left for what launches need (save areas).
static void add_sets(struct tenant *tenant) {
  uint64_t room = 0;
  qsmMemGetInfo(tenant->context, &room, NULL);
  tenant->n_sets = qsm_suite_add_sets(tenant->job, tenant->session->outcome->has_l2 ? room / 2 : 0);
  begin_passes(tenant);
}

static qsmError_t load_program(struct tenant *tenant, char *msg, size_t msg_len) {
  const struct qsm_suite_program *program = tenant->kernel->program;
  char path[1024];
  snprintf(path, sizeof path, "%s/build/sw/%s.elf", qsm_source_root(), program ? program->name : "");
  const struct qsm_config *config = qsmDeviceConfig(tenant->session->device);
  if (program && program->needs_fpu && !config->fpu) {
    snprintf(msg, msg_len, "%sprogram %s needs a GPU with FPU; configuration %s has none (fpu: 0)", tenant->session->place, program->name, config->name);
    return qsmErrorInvalidValue;
  }
  qsmError_t error = qsmModuleLoad(tenant->context, program ? path : tenant->kernel->elf);
  if (error) return error;
  if (!program) return create_buffers(tenant);
  const struct qsm_suite_mem mem = {tenant, job_alloc, job_write, job_read};
  const struct qsm_scenario *scenario = tenant->session->scenario;
  uint64_t room = 0;
  qsmMemGetInfo(tenant->context, &room, NULL);
  tenant->job = qsm_suite_create(program, &mem, scenario->seed, scenario->size);
  if (tenant->job) {
    add_sets(tenant);
    return qsmSuccess;
  }
  snprintf(msg, msg_len, "%sprogram %s at size %s needs %" PRIu64 " bytes of device memory, this tenant has %" PRIu64, tenant->session->place, program->name,
           qsm_suite_size_names[scenario->size], qsm_suite_bytes(program, scenario->seed, scenario->size), room);
  return qsmErrorMemoryAllocation;
}

// What preemption needs: of all kernels, as the GPU chooses its victims.
static qsmError_t set_up_preemption(const struct tenant *tenant) {
  const struct session *session = tenant->session;
  uint32_t images = tenant->kernel->save_images, most = qsmDeviceConfig(session->device)->num_images;
  if (session->plan->adjust == qsmAdjustOff || session->plan->adjust == qsmAdjustDrain) return qsmSuccess;
  qsmError_t error = qsmSetSaveArea(tenant->context, images == QSM_SCENARIO_ALL_IMAGES ? most : images);
  return error ? error : qsmSetIdempotent(tenant->context, tenant->kernel->idempotent);
}

// What the GPU aims at.
static uint32_t goal_with_margin(const struct session *session, uint32_t goal_q16) {
  double goal = goal_q16 * (1 + session->scenario->goal_margin / 100);
  return goal < UINT32_MAX ? (uint32_t)goal : UINT32_MAX;
}

static qsmError_t set_up_tenant(struct session *session, uint32_t index, char *msg, size_t msg_len) {
  struct tenant *tenant = &session->tenants[index];
  *tenant = (struct tenant){.session = session, .kernel = &session->scenario->kernels[index], .outcome = &session->outcome->kernels[index]};
  tenant->outcome->present = true;
  tenant->outcome->goal_q16 = session->plan->goal_q16[index];
  qsmError_t error = qsmContextCreate(session->device, &tenant->context);
  if (!error && tenant->kernel->sm_mask) error = qsmSetSmMask(tenant->context, tenant->kernel->sm_mask);
  if (!error) error = qsmSetBudget(tenant->context, tenant->kernel->budget);
  if (!error && session->plan->scheme == QSM_SCENARIO_FAIR) error = qsmSetIsolatedIpc(tenant->context, session->plan->isolated_q16[index]);
  if (!error && tenant->outcome->goal_q16) error = qsmSetQoS(tenant->context, goal_with_margin(session, tenant->outcome->goal_q16));
  if (!error) error = qsmSetCachePolicy(tenant->context, tenant->kernel->cache_policy);
  if (!error) error = set_up_preemption(tenant);
  if (!error) error = load_program(tenant, msg, msg_len);
  return error;
}

// The next kernel of this measurement from index i on; false when there is none. Complaints from here on are about it.
static bool next_kernel(struct session *session, uint32_t *i) {
  session->place[0] = 0;
  while (*i < session->scenario->n_kernels && !((session->plan->kernel_mask >> *i) & 1)) ++*i;
  if (*i == session->scenario->n_kernels) return false;
  snprintf(session->place, sizeof session->place, "%s: kernels[%u]: ", session->scenario->path, *i);
  return true;
}

// All tenants are set up before the first launch, so that they start together.
static qsmError_t set_up(struct session *session, char *msg, size_t msg_len) {
  qsmError_t error = qsmSuccess;
  for (uint32_t i = 0; !error && next_kernel(session, &i); i++) error = set_up_tenant(session, i, msg, msg_len);
  for (uint32_t i = 0; !error && next_kernel(session, &i); i++) {
    begin_pass(&session->tenants[i]);
    session->outcome->kernels[i].started = qsmDeviceCycle(session->device) - session->origin;
    error = submit(&session->tenants[i]);
  }
  return error;
}

// ---- Measurement ----

static qsmError_t slot_read(struct session *session, uint32_t slot, uint32_t offset, uint32_t *value) {
  return qsmRegisterRead(session->device, (uint16_t)(QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot + offset), value);
}

static qsmError_t read_counters(struct session *session, struct qsm_epoch_record *record) {
  for (uint32_t sm = 0; sm < qsmDeviceConfig(session->device)->num_sms; sm++) {
    qsmError_t error = qsmRegisterWrite(session->device, QSM_REG_SM_SELECT, sm);
    for (uint32_t i = 0; !error && i < session->scenario->n_kernels; i++) {
      uint32_t counter = 0;
      if (!session->tenants[i].context) continue;
      error = qsmRegisterRead(session->device, (uint16_t)(QSM_SMSEL_BASE + QSM_SMSEL_C + QSM_SMSEL_STRIDE * qsmContextSlot(session->tenants[i].context)), &counter);
      record->counter[i] += (int32_t)counter;
    }
    if (error) return error;
  }
  return qsmSuccess;
}

static qsmError_t read_epoch(struct session *session, struct qsm_epoch_record *record) {
  for (uint32_t i = 0; i < session->scenario->n_kernels; i++) {
    if (!session->tenants[i].context) continue;
    uint32_t slot = qsmContextSlot(session->tenants[i].context);
    qsmError_t error = slot_read(session, slot, QSM_SLOT_EPOCH_INSN, &record->insn[i]);
    if (!error) error = slot_read(session, slot, QSM_SLOT_EPOCH_QUOTA, &record->quota[i]);
    if (error) return error;
    session->outcome->kernels[i].thread_instructions += record->insn[i];
  }
  return read_counters(session, record);
}

// The manager's figures of an epoch stand from the load of the next quotas on (R-QM-3), until those after it.
static uint64_t figures_stand_at(const struct session *session, uint32_t epoch) {
  return session->origin + (epoch + 1) * session->epoch + qsmDeviceConfig(session->device)->qos_lat + 1;
}

static qsmError_t read_due_epochs(struct session *session) {
  struct qsm_outcome *outcome = session->outcome;
  qsmError_t error = qsmSuccess;
  while (!error && session->n_read < outcome->n_epochs && qsmDeviceCycle(session->device) >= figures_stand_at(session, session->n_read)) {
    struct qsm_epoch_record *record = &outcome->epochs[session->n_read++];
    record->cycle = session->n_read * session->epoch;
    error = read_epoch(session, record);
  }
  return error;
}

// The library lets time pass by itself.
static void watch(void *user) {
  struct session *session = user;
  note_error(session, read_due_epochs(session));
}

static qsmError_t run_to(struct session *session, struct qsm_progress *progress, uint64_t cycle) {
  qsmError_t error = qsmSuccess;
  for (uint64_t now = qsmDeviceCycle(session->device); !error && now < cycle; now = qsmDeviceCycle(session->device)) {
    error = qsmDeviceRunUntil(session->device, now + SLICE_CYCLES < cycle ? now + SLICE_CYCLES : cycle);
    if (!error) error = session->error;
    if (session->plan->trace) qsm_trace_sample(session->plan->trace, qsmDeviceBackend(session->device));
    qsm_progress_show(progress, qsmDeviceCycle(session->device) - session->origin);
  }
  return error;
}

static bool all_finished(const struct session *session) {
  for (uint32_t i = 0; i < session->scenario->n_kernels; i++) {
    const struct tenant *tenant = &session->tenants[i];
    if (tenant->context && tenant->outcome->passes < passes_asked(tenant)) return false;
  }
  return true;
}

static qsmError_t count_what_still_runs(struct session *session) {
  qsmError_t error = qsmSuccess;
  for (uint32_t i = 0; !error && i < session->scenario->n_kernels; i++) {
    struct tenant *tenant = &session->tenants[i];
    if (tenant->context && !tenant->counted) error = add_memory_counters(tenant);
  }
  return error;
}

static qsmError_t measure(struct session *session) {
  struct qsm_outcome *outcome = session->outcome;
  struct qsm_progress progress;
  qsmError_t error = qsmSuccess;
  qsm_progress_start(&progress, session->plan->title, outcome->cycles, session->plan->show_progress);
  qsmSetWatch(session->device, watch, session);
  while (!error && session->n_read < outcome->n_epochs) {
    if (session->plan->one_pass && all_finished(session)) outcome->n_epochs = session->n_read + 1;
    error = run_to(session, &progress, figures_stand_at(session, session->n_read));
    if (!error) error = read_due_epochs(session);
  }
  qsmSetWatch(session->device, NULL, NULL);
  if (!error) error = count_what_still_runs(session);
  outcome->cycles = outcome->n_epochs * session->epoch;
  qsm_progress_end(&progress, outcome->cycles);
  return error;
}

static qsmError_t judge(struct session *session) {
  for (uint32_t i = 0; i < session->scenario->n_kernels; i++) check_passes(&session->tenants[i]);
  qsmError_t error = session->error;
  for (uint32_t i = 0; !error && i < session->scenario->n_kernels; i++) {
    struct qsm_kernel_outcome *kernel = &session->outcome->kernels[i];
    kernel->unfinished = kernel->present && kernel->passes < passes_asked(&session->tenants[i]);
    if (kernel->unfinished || (kernel->present && kernel->thread_instructions == 0))
      error = qsmExplainWait(session->tenants[i].context, kernel->waits_for, sizeof kernel->waits_for);
  }
  return error;
}

static double cpu_time(void) { return (double)clock() / CLOCKS_PER_SEC; }

static qsmError_t run(struct session *session, char *msg, size_t msg_len) {
  const struct qsm_config *config = qsmDeviceConfig(session->device);
  qsmError_t error = qsmSetScheduling(session->device, session->scenario->policy, session->plan->scheme, (uint32_t)session->epoch);
  if (!error) error = qsmRegisterWrite(session->device, QSM_REG_ALPHA_CAP, session->scenario->alpha_cap);
  if (!error) error = qsmRegisterWrite(session->device, QSM_REG_ROLLOVER_CAP, session->scenario->rollover_cap);
  if (!error) error = qsmRegisterWrite(session->device, QSM_REG_NONQOS_QUOTA, session->scenario->nonqos_quota);
  if (!error) error = qsmRegisterWrite(session->device, QSM_REG_ACTIVE_WARPS, session->scenario->active_warps);
  if (!error) error = qsmSetAdjustment(session->device, session->plan->adjust);
  // The epoch length takes effect when the first epoch after reset ends; the measurement starts there.
  session->origin = RESET_EPOCH - 1 + config->noc_lat;
  if (!error) error = qsmDeviceRunUntil(session->device, session->origin + config->qos_lat + 1);
  if (!error) error = set_up(session, msg, msg_len);
  double cpu_start = cpu_time();
  uint64_t first = qsmDeviceCycle(session->device);
  if (!error) error = measure(session);
  session->outcome->cpu_s = cpu_time() - cpu_start;
  session->outcome->cpu_cycles = qsmDeviceCycle(session->device) - first;
  if (!error) error = judge(session);
  return error;
}

static bool plan_epochs(struct session *session, const struct qsm_config *config, char *msg, size_t msg_len) {
  struct qsm_outcome *outcome = session->outcome;
  session->epoch = session->scenario->epoch ? session->scenario->epoch : config->epoch;
  if (session->epoch < qsm_config_epoch_min(config)) {
    snprintf(msg, msg_len, "%s: epoch of %llu cycles, configuration %s needs at least %u", session->scenario->path,
             (unsigned long long)session->epoch, config->name, qsm_config_epoch_min(config));
    return false;
  }
  outcome->n_epochs = (uint32_t)((session->scenario->cycles + session->epoch - 1) / session->epoch);
  outcome->cycles = outcome->n_epochs * session->epoch;
  outcome->epochs = calloc(outcome->n_epochs, sizeof *outcome->epochs);
  if (!outcome->epochs) snprintf(msg, msg_len, "out of memory");
  return outcome->epochs != NULL;
}

static void finish(struct session *session) {
  struct qsm_backend *backend = qsmDeviceBackend(session->device);
  session->outcome->total_cycles = qsmDeviceCycle(session->device);
  session->outcome->has_hash = backend->trace_hash != NULL;
  if (backend->trace_hash) session->outcome->trace_hash = backend->trace_hash(backend);
  session->outcome->has_lockstep = backend->lockstep_stats != NULL;
  if (backend->lockstep_stats) backend->lockstep_stats(backend, &session->outcome->lockstep);
  for (uint32_t i = 0; i < session->scenario->n_kernels; i++) {
    const struct tenant *tenant = &session->tenants[i];
    qsm_suite_destroy(tenant->job);
  }
}

enum qsm_session_status qsm_session_run(const struct qsm_scenario *scenario, const struct qsm_session_plan *plan, struct qsm_outcome *outcome,
                                        char *msg, size_t msg_len) {
  struct session session = {.scenario = scenario, .plan = plan, .outcome = outcome};
  *outcome = (struct qsm_outcome){0};
  qsmError_t error = qsmDeviceOpen(plan->backend, scenario->config, &plan->options, &session.device, msg, msg_len);
  if (error) return error == qsmErrorNotFound ? QSM_SESSION_BAD_INPUT : QSM_SESSION_ENVIRONMENT;
  enum qsm_session_status status = QSM_SESSION_BAD_INPUT;
  outcome->has_l1 = qsmDeviceConfig(session.device)->l1_kib != 0;
  outcome->has_l2 = qsmDeviceConfig(session.device)->l2_kib != 0;
  outcome->has_dram = qsmDeviceConfig(session.device)->dram_banks != 0;
  if (plan_epochs(&session, qsmDeviceConfig(session.device), msg, msg_len)) {
    msg[0] = 0;
    error = run(&session, msg, msg_len);
    finish(&session);
    if (error && !msg[0]) snprintf(msg, msg_len, "%s%s", session.place, qsmGetLastErrorText(session.device));
    status = error == qsmSuccess ? QSM_SESSION_OK : error == qsmErrorBackend ? QSM_SESSION_FAILED : QSM_SESSION_BAD_INPUT;
  }
  qsmDeviceClose(session.device);
  return status;
}

void qsm_outcome_clear(struct qsm_outcome *outcome) {
  free(outcome->epochs);
  outcome->epochs = NULL;
}
