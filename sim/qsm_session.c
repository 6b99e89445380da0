// SPDX-License-Identifier: Apache-2.0
#include "qsm_session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "qsm_config.h"
#include "qsm_passes.h"
#include "qsm_percentile.h"
#include "qsm_progress.h"
#include "qsm_regs.h"

enum { RESET_EPOCH = 10000, SLICE_CYCLES = 2500 };  // EPOCH_LEN after reset (control_port.md)

// A tenant of the running measurement.
struct tenant {
  struct session *session;
  const struct qsm_scenario_kernel *kernel;
  struct qsm_kernel_outcome *outcome;
  qsmContext_t context;
  struct qsm_passes passes;
  bool counted;  // the last launch's memory counters are in the sum
  bool running;
  uint64_t submitted;  // cycle of the last launch's submission
  uint64_t *times;     // of the launches that have ended
  size_t n_times, room;
};

struct session {
  const struct qsm_scenario *scenario;
  const struct qsm_session_plan *plan;
  struct qsm_outcome *outcome;
  qsmDevice_t device;
  struct tenant tenants[QSM_SCENARIO_MAX_KERNELS];
  uint64_t origin;  // cycle of the epoch boundary where the measurement starts
  uint64_t epoch;
  uint32_t n_read;                    // epochs whose figures are read
  struct qsm_energy_meter *meter;     // NULL: energy cannot be told
  struct qsm_energy_epoch *energies;  // of the planned epochs
  uint32_t n_metered;                 // epochs whose energy is known, and one for what was before
  uint32_t n_planned;
  qsmError_t error;  // of a submission inside a callback, or of figures read while the library lets
                     // time pass
  char place[300];   // place in the scenario of the kernel that is being set up, else empty
};

// ---- Launches ----

static void note_error(struct session *session, qsmError_t error) {
  if (error && !session->error) session->error = error;
}

// 0: passes repeat until the end.
static uint64_t passes_asked(const struct tenant *tenant) {
  return tenant->session->plan->one_pass ? 1 : tenant->kernel->passes;
}

static void launch_ended(void *user, const qsmLaunchResult *result);

// The launch as the library takes it.
static qsmLaunch launch_of(const struct tenant *tenant, const struct qsm_suite_launch *launch) {
  return (qsmLaunch){
      .kernel = launch->symbol,
      .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
      .block = {launch->block[0], launch->block[1], launch->block[2]},
      .args = launch->args,
      .n_args = tenant->kernel->program ? qsm_passes_words(tenant->context, launch->symbol)
                                        : tenant->kernel->n_args,
      .shared_bytes = launch->shared_bytes,
      .deadline_cycles = tenant->session->plan->limits ? tenant->kernel->deadline : 0,
      .work = tenant->kernel->work};
}

static qsmError_t submit_launch(struct tenant *tenant, const struct qsm_suite_launch *launch) {
  const qsmLaunch what = launch_of(tenant, launch);
  tenant->counted = false;
  tenant->running = true;
  tenant->submitted = qsmDeviceCycle(tenant->session->device);
  return qsmLaunchKernelEx(tenant->context, &what, launch_ended, tenant);
}

static qsmError_t submit(struct tenant *tenant) {
  struct qsm_suite_launch launch = {0};
  if (!qsm_passes_next(&tenant->passes, &launch)) {
    tenant->outcome->passes++;
    if (passes_asked(tenant) && tenant->outcome->passes >= passes_asked(tenant)) return qsmSuccess;
    qsm_passes_begin(&tenant->passes);
    if (tenant->passes.error || !qsm_passes_next(&tenant->passes, &launch))
      return tenant->passes.error;
  }
  return submit_launch(tenant, &launch);
}

static bool counts_memory(const struct session *session) {
  const struct qsm_outcome *outcome = session->outcome;
  return outcome->has_l1 || outcome->has_sa || outcome->has_l2 || outcome->has_dram;
}

// Of the launch that has just ended, or still runs.
static qsmError_t add_memory_counters(struct tenant *tenant) {
  qsmMemoryCounters launch = {0}, *sum = &tenant->outcome->memory;
  qsmError_t error =
      counts_memory(tenant->session) ? qsmReadMemoryCounters(tenant->context, &launch) : qsmSuccess;
  sum->l1_loads += launch.l1_loads;
  sum->l1_hits += launch.l1_hits;
  sum->l1_merged += launch.l1_merged;
  sum->l1_misses += launch.l1_misses;
  sum->l1_stores += launch.l1_stores;
  sum->l1_atomics += launch.l1_atomics;
  sum->sa_loads += launch.sa_loads;
  sum->sa_hits += launch.sa_hits;
  sum->sa_merged += launch.sa_merged;
  sum->sa_misses += launch.sa_misses;
  sum->sa_stores += launch.sa_stores;
  sum->sa_atomics += launch.sa_atomics;
  sum->requests += launch.requests;
  sum->hits += launch.hits;
  sum->merged += launch.merged;
  sum->misses += launch.misses;
  sum->bypassed += launch.bypassed;
  sum->atomics += launch.atomics;
  sum->victims += launch.victims;
  sum->dram_reads += launch.dram_reads;
  sum->dram_writes += launch.dram_writes;
  sum->row_hits += launch.row_hits;
  sum->rows_opened += launch.rows_opened;
  return error;
}

// Without memory for it, it is left out.
static void note_time(struct tenant *tenant, uint64_t n_cycles) {
  if (tenant->n_times == tenant->room) {
    size_t room = tenant->room ? 2 * tenant->room : 64;
    uint64_t *times = realloc(tenant->times, room * sizeof *times);
    if (!times) return;
    tenant->times = times;
    tenant->room = room;
  }
  tenant->times[tenant->n_times++] = n_cycles;
}

static void sum_up_times(struct tenant *tenant) {
  uint64_t age = qsmDeviceCycle(tenant->session->device) - tenant->submitted;
  qsm_sort_values(tenant->times, tenant->n_times);
  if (tenant->running && age > qsm_percentile(tenant->times, tenant->n_times, 100))
    note_time(tenant, age);
  tenant->outcome->launch_p50 = qsm_percentile(tenant->times, tenant->n_times, 50);
  tenant->outcome->launch_p99 = qsm_percentile(tenant->times, tenant->n_times, 99);
  tenant->outcome->launch_longest = qsm_percentile(tenant->times, tenant->n_times, 100);
}

static void launch_ended(void *user, const qsmLaunchResult *result) {
  struct tenant *tenant = user;
  if (result->deadline_cycle)
    note_error(tenant->session, qsmReadDeadlines(tenant->context, &tenant->outcome->deadlines));
  qsmError_t counted = add_memory_counters(tenant);
  note_error(tenant->session, counted);
  tenant->counted = true;
  tenant->running = false;
  if (result->killed && !(tenant->kernel->relaunch && result->cause != qsmCauseNotStarted)) {
    tenant->outcome->fault = *result;
    return;
  }
  note_time(tenant, result->end_cycle - tenant->submitted);
  if (result->killed)
    tenant->outcome->kills++;
  else
    tenant->outcome->launches++;
  qsmError_t error = submit(tenant);
  if (tenant->kernel->passes && tenant->outcome->passes == tenant->kernel->passes)
    tenant->outcome->finished = result->end_cycle - tenant->session->origin;
  note_error(tenant->session, error);
}

// ---- Set-up ----

// Blocks of the kernel may be saved: by moves of SMs, by adjustment, or for latecomers where the
// scenario says how many.
static bool may_be_saved(const struct tenant *tenant) {
  const struct session *session = tenant->session;
  if (qsm_scheme_whole_sms(session->plan->scheme) &&
      qsm_technique_saves(session->scenario->move_technique))
    return true;
  qsmAdjustment adjust = session->plan->adjust;
  if (adjust == qsmAdjustOff)
    return session->scenario->latecomers && tenant->kernel->save_images != QSM_SCENARIO_ALL_IMAGES;
  return adjust != qsmAdjustDrain;
}

// What preemption needs: of all kernels, as the GPU chooses its victims.
static qsmError_t set_up_preemption(const struct tenant *tenant) {
  const struct session *session = tenant->session;
  uint32_t images = tenant->kernel->save_images,
           most = qsmDeviceConfig(session->device)->num_images;
  if (!may_be_saved(tenant)) return qsmSuccess;
  qsmError_t error =
      qsmSetSaveArea(tenant->context, images == QSM_SCENARIO_ALL_IMAGES ? most : images);
  return error ? error : qsmSetIdempotent(tenant->context, tenant->kernel->idempotent);
}

// What the GPU aims at.
static uint32_t goal_with_margin(const struct session *session, uint32_t goal_q16) {
  double goal = goal_q16 * (1 + session->scenario->goal_margin / 100);
  return goal < UINT32_MAX ? (uint32_t)goal : UINT32_MAX;
}

// The SMs that the kernel may use: by SM_MASK, or by its workers.
static qsmError_t set_up_range(const struct tenant *tenant) {
  const struct qsm_scenario_kernel *kernel = tenant->kernel;
  uint32_t count = kernel->worker_count;
  if (kernel->sm_mask) return qsmSetSmMask(tenant->context, kernel->sm_mask);
  if (!kernel->workers || !tenant->session->plan->limits) return qsmSuccess;
  if (!count) count = qsmDeviceConfig(tenant->session->device)->num_sms;
  return qsmSetWorkers(tenant->context, kernel->workers, kernel->worker_first, count,
                       kernel->workers_per_sm);
}

static qsmError_t create_context(struct tenant *tenant) {
  const struct session *session = tenant->session;
  if (!session->plan->limits) return qsmContextCreate(session->device, &tenant->context);
  qsmError_t error =
      tenant->kernel->in_instance
          ? qsmContextCreateInInstance(session->device, tenant->kernel->instance, &tenant->context)
          : qsmContextCreate(session->device, &tenant->context);
  return error ? error : qsmSetThreadLimit(tenant->context, tenant->kernel->thread_limit);
}

// Fair shares of it, and SMs of a kernel's own for its goal.
static bool goes_by_isolated(const struct qsm_session_plan *plan, uint32_t index) {
  return plan->scheme == qsmSchemeFair ||
         (plan->scheme == qsmSchemeSmRollover && plan->goal_q16[index]);
}

static qsmError_t set_up_tenant(struct session *session, uint32_t index, char *msg,
                                size_t msg_len) {
  struct tenant *tenant = &session->tenants[index];
  *tenant = (struct tenant){.session = session,
                            .kernel = &session->scenario->kernels[index],
                            .outcome = &session->outcome->kernels[index]};
  tenant->outcome->present = true;
  tenant->outcome->goal_q16 = session->plan->goal_q16[index];
  qsmError_t error = create_context(tenant);
  if (!error) error = set_up_range(tenant);
  if (!error && tenant->kernel->sm_count)
    error = qsmSetSmCount(tenant->context, tenant->kernel->sm_count);
  if (!error) error = qsmSetBudget(tenant->context, tenant->kernel->budget);
  if (!error && tenant->kernel->priority)
    error = qsmSetPriority(tenant->context, tenant->kernel->priority);
  if (!error && goes_by_isolated(session->plan, index))
    error = qsmSetIsolatedIpc(tenant->context, session->plan->isolated_q16[index]);
  if (!error && tenant->outcome->goal_q16 && !qsm_scenario_has_workers(session->scenario))
    error = qsmSetQoS(tenant->context, goal_with_margin(session, tenant->outcome->goal_q16));
  if (!error) error = qsmSetCachePolicy(tenant->context, tenant->kernel->cache_policy);
  if (!error) error = set_up_preemption(tenant);
  if (!error)
    error = qsm_passes_load(&tenant->passes, session->device, tenant->context, session->scenario,
                            tenant->kernel, tenant->kernel->workers && session->plan->limits,
                            session->place, msg, msg_len);
  return error;
}

// The next kernel of this measurement from index i on; false when there is none. Complaints from
// here on are about it.
static bool next_kernel(struct session *session, uint32_t *i) {
  session->place[0] = 0;
  while (*i < session->scenario->n_kernels && !((session->plan->kernel_mask >> *i) & 1)) ++*i;
  if (*i == session->scenario->n_kernels) return false;
  snprintf(session->place, sizeof session->place, "%s: kernels[%u]: ", session->scenario->path, *i);
  return true;
}

// ---- Measurement ----

static qsmError_t slot_read(struct session *session, uint32_t slot, uint32_t offset,
                            uint32_t *value) {
  return qsmRegisterRead(session->device,
                         (uint16_t)(QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot + offset), value);
}

static qsmError_t read_counters(struct session *session, struct qsm_epoch_record *record) {
  for (uint32_t sm = 0; sm < qsmDeviceConfig(session->device)->num_sms; sm++) {
    qsmError_t error = qsmRegisterWrite(session->device, QSM_REG_SM_SELECT, sm);
    for (uint32_t i = 0; !error && i < session->scenario->n_kernels; i++) {
      uint32_t counter = 0;
      if (!session->tenants[i].context) continue;
      error = qsmRegisterRead(
          session->device,
          (uint16_t)(QSM_SMSEL_BASE + QSM_SMSEL_C +
                     QSM_SMSEL_STRIDE * qsmContextSlot(session->tenants[i].context)),
          &counter);
      record->counter[i] += (int32_t)counter;
    }
    if (error) return error;
  }
  return qsmSuccess;
}

static qsmError_t read_epoch(struct session *session, struct qsm_epoch_record *record) {
  struct qsm_backend *backend = qsmDeviceBackend(session->device);
  for (uint32_t i = 0; i < session->scenario->n_kernels; i++) {
    if (!session->tenants[i].context) continue;
    uint32_t slot = qsmContextSlot(session->tenants[i].context);
    qsmError_t error = slot_read(session, slot, QSM_SLOT_EPOCH_INSN, &record->insn[i]);
    if (!error) error = slot_read(session, slot, QSM_SLOT_EPOCH_QUOTA, &record->quota[i]);
    if (error) return error;
    session->outcome->kernels[i].thread_instructions += record->insn[i];
    if (backend->peek)
      record->sm_record[i] = backend->peek(
          backend, (uint16_t)(QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot + QSM_SLOT_SM_RECORD));
  }
  return read_counters(session, record);
}

// The manager's figures of an epoch stand from the load of the next quotas on (R-QM-3), until those
// after it.
static uint64_t figures_stand_at(const struct session *session, uint32_t epoch) {
  return session->origin + (epoch + 1) * session->epoch +
         qsmDeviceConfig(session->device)->qos_lat + 1;
}

static qsmError_t read_due_epochs(struct session *session) {
  struct qsm_outcome *outcome = session->outcome;
  qsmError_t error = qsmSuccess;
  while (!error && session->n_read < outcome->n_epochs &&
         qsmDeviceCycle(session->device) >= figures_stand_at(session, session->n_read)) {
    struct qsm_epoch_record *record = &outcome->epochs[session->n_read++];
    record->cycle = session->n_read * session->epoch;
    error = read_epoch(session, record);
  }
  return error;
}

// ---- Energy, and who uses the SMs ----

static void meter_energy(struct session *session, struct qsm_energy_epoch *energy) {
  uint32_t slot[QSM_SCENARIO_MAX_KERNELS];
  if (!session->meter) return;
  for (uint32_t i = 0; i < session->scenario->n_kernels; i++)
    slot[i] =
        session->tenants[i].context ? qsmContextSlot(session->tenants[i].context) : UINT32_MAX;
  qsm_energy_meter_read(session->meter, qsmDeviceBackend(session->device), slot,
                        session->scenario->n_kernels, energy);
  if (session->n_metered && session->plan->trace)
    qsm_trace_energy(session->plan->trace, energy, qsmDeviceCycle(session->device), session->epoch);
}

// A word of QSM_STATE_OWNER; its low bits are those of the register SMSEL_OWNER.
static uint8_t use_of(const struct session *session, uint32_t word, uint32_t power) {
  uint32_t slot = (word & QSM_REG_SMSEL_OWNER_SLOT_MASK) >> QSM_REG_SMSEL_OWNER_SLOT_SHIFT;
  switch ((qsmSmUse)(word & QSM_REG_SMSEL_OWNER_USAGE_MASK)) {
    case qsmSmFree: return power == QSM_POWER_OFF ? QSM_SM_GATED : QSM_SM_FREE;
    case qsmSmShared: return QSM_SM_SHARED;
    case qsmSmOwned: break;
  }
  for (uint32_t i = 0; i < session->scenario->n_kernels; i++)
    if (session->tenants[i].context && qsmContextSlot(session->tenants[i].context) == slot)
      return (uint8_t)(QSM_SM_OF_KERNEL + i);
  return QSM_SM_SHARED;
}

static void look_at_uses(const struct session *session, struct qsm_epoch_record *record) {
  struct qsm_backend *backend = qsmDeviceBackend(session->device);
  for (uint32_t sm = 0; sm < session->outcome->config.num_sms; sm++) {
    uint32_t word = 0, power = 0;
    if (backend->state(backend, QSM_STATE_OWNER, sm, 0, 0, &word) &&
        backend->state(backend, QSM_STATE_OWNER, sm, 0, 2, &power))
      record->use[sm] = use_of(session, word, power & 3);
  }
}

// At the start of the cycle after the one in which the SMs see an epoch's end, whose issues still
// count for that epoch (R-QC-8). The first time is what was before the measurement.
static void look(void *user) {
  struct session *session = user;
  struct qsm_energy_epoch before;
  uint32_t n = session->n_metered;
  if (n > session->n_planned) return;
  meter_energy(session, n ? &session->energies[n - 1] : &before);
  if (n) look_at_uses(session, &session->outcome->epochs[n - 1]);
  session->n_metered++;
}

static qsmError_t look_at_epochs(struct session *session) {
  struct qsm_outcome *outcome = session->outcome;
  struct qsm_backend *backend = qsmDeviceBackend(session->device);
  if (!backend->state) return qsmSuccess;
  if (outcome->config.energy_counters) {
    session->meter = qsm_energy_meter_create(&outcome->config);
    session->energies = calloc(session->n_planned, sizeof *session->energies);
    if (!session->meter || !session->energies) return qsmErrorMemoryAllocation;
  }
  backend->look_at(backend, session->origin + 1, session->epoch, look, session);
  outcome->has_energy = session->meter;
  outcome->has_uses = true;
  return qsmSuccess;
}

static void sum_energy(struct session *session) {
  struct qsm_outcome *outcome = session->outcome;
  struct qsm_backend *backend = qsmDeviceBackend(session->device);
  if (outcome->has_uses) backend->look_at(backend, 0, 0, NULL, NULL);
  for (uint32_t e = 0; session->meter && e < outcome->n_epochs; e++)
    qsm_energy_add(&outcome->energy, &session->energies[e]);
}

double qsm_outcome_kernel_energy(const struct qsm_outcome *outcome, uint32_t kernel) {
  return outcome->has_energy
             ? qsm_energy_of_kernel(&outcome->config, &outcome->energy.kernel[kernel],
                                    &outcome->kernels[kernel].memory)
             : 0;
}

double qsm_outcome_energy(const struct qsm_outcome *outcome) {
  if (!outcome->has_energy) return 0;
  double sum = qsm_energy_of_nobody(&outcome->config, &outcome->energy);
  for (uint32_t i = 0; i < QSM_SCENARIO_MAX_KERNELS; i++)
    sum += qsm_outcome_kernel_energy(outcome, i);
  return sum;
}

double qsm_outcome_seconds(const struct qsm_outcome *outcome) {
  return outcome->cycles ? (double)outcome->cycles / (outcome->config.clock_mhz * 1e6) : 0;
}

int qsm_outcome_check_energy(const struct qsm_scenario *scenario, const struct qsm_outcome *outcome,
                             char *msg, size_t msg_len) {
  if (!outcome->has_energy) return 0;
  for (uint32_t i = 0; i < scenario->n_kernels; i++) {
    uint64_t lanes = qsm_energy_lanes(outcome->energy.kernel[i].events),
             instructions = outcome->kernels[i].thread_instructions;
    if (lanes == instructions) continue;
    snprintf(msg, msg_len,
             "energy counters: kernel %s: %" PRIu64 " lanes in all classes, but %" PRIu64
             " thread instructions",
             scenario->kernels[i].name, lanes, instructions);
    return -1;
  }
  if (!outcome->energy.others) return 0;
  snprintf(msg, msg_len, "energy counters: %" PRIu64 " thread instructions of no kernel",
           outcome->energy.others);
  return -1;
}

// The library lets time pass by itself.
static void watch(void *user) {
  struct session *session = user;
  note_error(session, read_due_epochs(session));
}

static bool stopped(const struct session *session) {
  struct qsm_outcome *outcome = session->outcome;
  if (session->plan->stop && session->plan->stop()) outcome->interrupted = true;
  return outcome->interrupted;
}

static qsmError_t run_slice(struct session *session, uint64_t cycle) {
  uint64_t end = qsmDeviceCycle(session->device) + SLICE_CYCLES;
  return qsmDeviceRunUntil(session->device, end < cycle ? end : cycle);
}

// Before the first launch.
static qsmError_t prepare_to(struct session *session, uint64_t cycle) {
  qsmError_t error = qsmSuccess;
  while (!error && !stopped(session) && qsmDeviceCycle(session->device) < cycle)
    error = run_slice(session, cycle);
  return error;
}

// ---- Start ----

static qsmError_t first_launch(struct tenant *tenant, struct qsm_suite_launch *launch) {
  qsm_passes_begin(&tenant->passes);
  return tenant->passes.error || !qsm_passes_next(&tenant->passes, launch) ? tenant->passes.error
                                                                           : qsmSuccess;
}

static qsmError_t start(struct tenant *tenant, const struct qsm_suite_launch *launch) {
  tenant->outcome->started = qsmDeviceCycle(tenant->session->device) - tenant->session->origin;
  return submit_launch(tenant, launch);
}

// The kernel of this measurement that arrives next, at `cycle` or later.
static bool next_arrival(const struct session *session, uint64_t cycle, uint32_t *next) {
  bool found = false;
  for (uint32_t i = 0; i < session->scenario->n_kernels; i++) {
    const struct qsm_scenario_kernel *kernels = session->scenario->kernels;
    if (!((session->plan->kernel_mask >> i) & 1) || kernels[i].arrival < cycle) continue;
    if (!found || kernels[i].arrival < kernels[*next].arrival) *next = i;
    found = true;
  }
  return found;
}

// Figures that stand until after `cycle` are read after it: reading takes time.
static qsmError_t run_to_arrival(struct session *session, uint64_t cycle) {
  qsmError_t error = qsmSuccess;
  while (!error && qsmDeviceCycle(session->device) < cycle && !stopped(session)) {
    error = run_slice(session, cycle);
    if (!error) error = session->error;
    if (!error && figures_stand_at(session, session->n_read + 1) <= cycle)
      error = read_due_epochs(session);
  }
  return error;
}

// Each in its cycle: all registers but LAUNCH are written before the first one starts.
static qsmError_t start_by_arrival(struct session *session) {
  struct qsm_suite_launch first[QSM_SCENARIO_MAX_KERNELS] = {0};
  qsmError_t error = qsmSuccess;
  for (uint32_t i = 0; !error && next_kernel(session, &i); i++) {
    error = first_launch(&session->tenants[i], &first[i]);
    const qsmLaunch what = launch_of(&session->tenants[i], &first[i]);
    if (!error) error = qsmPrepareLaunch(session->tenants[i].context, &what);
  }
  qsmSetWatch(session->device, watch, session);
  uint64_t at = 0, zero = 0;
  for (uint32_t i = 0, n = 0; !error && next_arrival(session, at, &i); n++) {
    at = session->scenario->kernels[i].arrival;
    if (!n) zero = qsmDeviceCycle(session->device) - at;
    error = run_to_arrival(session, zero + at);
    if (!error && !stopped(session)) error = start(&session->tenants[i], &first[i]);
    at++;
  }
  return error;
}

static qsmError_t start_at_once(struct session *session) {
  qsmError_t error = qsmSuccess;
  for (uint32_t i = 0; !error && next_kernel(session, &i); i++) {
    struct qsm_suite_launch first = {0};
    error = first_launch(&session->tenants[i], &first);
    if (!error) error = start(&session->tenants[i], &first);
  }
  return error;
}

// All tenants are set up before the first launch, so that they start together.
static qsmError_t set_up(struct session *session, char *msg, size_t msg_len) {
  qsmError_t error = qsmSuccess;
  for (uint32_t i = 0; !error && next_kernel(session, &i); i++)
    error = set_up_tenant(session, i, msg, msg_len);
  if (error) return error;
  return session->scenario->kernels[0].arrives ? start_by_arrival(session) : start_at_once(session);
}

static qsmError_t run_to(struct session *session, struct qsm_progress *progress, uint64_t cycle) {
  qsmError_t error = qsmSuccess;
  while (!error && qsmDeviceCycle(session->device) < cycle && !stopped(session)) {
    error = run_slice(session, cycle);
    if (!error) error = session->error;
    if (session->plan->trace)
      qsm_trace_sample(session->plan->trace, qsmDeviceBackend(session->device));
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
  qsm_progress_start(&progress, session->plan->title, outcome->cycles,
                     session->plan->show_progress);
  qsmSetWatch(session->device, watch, session);
  while (!error && session->n_read < outcome->n_epochs && !outcome->interrupted) {
    if (session->plan->one_pass && all_finished(session)) outcome->n_epochs = session->n_read + 1;
    error = run_to(session, &progress, figures_stand_at(session, session->n_read));
    if (!error) error = read_due_epochs(session);
  }
  qsmSetWatch(session->device, NULL, NULL);
  if (outcome->interrupted) outcome->n_epochs = session->n_read;
  if (!error) error = count_what_still_runs(session);
  for (uint32_t i = 0; !error && next_kernel(session, &i); i++) sum_up_times(&session->tenants[i]);
  outcome->cycles = outcome->n_epochs * session->epoch;
  qsm_progress_end(&progress, outcome->cycles);
  return error;
}

static qsmError_t check_passes(struct session *session) {
  for (uint32_t i = 0; i < session->scenario->n_kernels; i++) {
    struct qsm_passes *passes = &session->tenants[i].passes;
    qsm_passes_check(passes);
    session->outcome->kernels[i].checks_passed = passes->n_right;
    session->outcome->kernels[i].checks_failed = passes->n_wrong;
    note_error(session, passes->error);
  }
  return session->error;
}

static qsmError_t judge(struct session *session) {
  qsmError_t error = qsmSuccess;
  for (uint32_t i = 0; !error && !session->outcome->interrupted && i < session->scenario->n_kernels;
       i++) {
    struct qsm_kernel_outcome *kernel = &session->outcome->kernels[i];
    kernel->unfinished = kernel->present && kernel->passes < passes_asked(&session->tenants[i]);
    if (kernel->unfinished || (kernel->present && kernel->thread_instructions == 0))
      error =
          qsmExplainWait(session->tenants[i].context, kernel->waits_for, sizeof kernel->waits_for);
  }
  return error;
}

// What moves SMs, and how.
static qsmError_t set_up_sms(struct session *session) {
  const struct qsm_scenario *scenario = session->scenario;
  qsmError_t error = qsmSetMoveTechnique(session->device, scenario->move_technique);
  if (!error) error = qsmSetSmGating(session->device, scenario->sm_gating);
  if (!error && scenario->wake_latency)
    error = qsmSetWakeLatency(session->device, scenario->wake_latency);
  if (!error) error = qsmSetSmThreshold(session->device, scenario->sm_threshold);
  if (!error && scenario->sm_step) error = qsmSetSmStep(session->device, scenario->sm_step);
  return error;
}

static double cpu_time(void) { return (double)clock() / CLOCKS_PER_SEC; }

static qsmError_t run(struct session *session, char *msg, size_t msg_len) {
  const struct qsm_config *config = qsmDeviceConfig(session->device);
  qsmError_t error = qsmSetScheduling(session->device, session->scenario->policy,
                                      session->plan->scheme, (uint32_t)session->epoch);
  if (!error) error = qsmSetController(session->device, &session->scenario->controller);
  if (!error)
    error =
        qsmRegisterWrite(session->device, QSM_REG_NONQOS_QUOTA, session->scenario->nonqos_quota);
  if (!error)
    error =
        qsmRegisterWrite(session->device, QSM_REG_ACTIVE_WARPS, session->scenario->active_warps);
  if (!error) error = qsmSetAdjustment(session->device, session->plan->adjust);
  // What the scenario says of goals together was asked before.
  if (!error) error = qsmSetAdmission(session->device, qsmAdmissionOff);
  if (!error) error = qsmSetLatecomers(session->device, session->scenario->latecomers);
  if (!error) error = set_up_sms(session);
  // The epoch length takes effect when the first epoch after reset ends; the measurement starts
  // there.
  session->origin = RESET_EPOCH - 1 + config->noc_lat;
  if (!error && (error = look_at_epochs(session))) snprintf(msg, msg_len, "out of memory");
  if (!error) error = prepare_to(session, session->origin + config->qos_lat + 1);
  if (!error && !session->outcome->interrupted) error = set_up(session, msg, msg_len);
  double cpu_start = cpu_time();
  uint64_t first = qsmDeviceCycle(session->device);
  if (!error) error = measure(session);
  sum_energy(session);
  if (!error && qsm_outcome_check_energy(session->scenario, session->outcome, msg, msg_len))
    error = qsmErrorBackend;
  session->outcome->cpu_s = cpu_time() - cpu_start;
  session->outcome->cpu_cycles = qsmDeviceCycle(session->device) - first;
  if (!error) error = qsmReadSmCounters(session->device, &session->outcome->sms);
  if (!error) error = check_passes(session);
  if (!error) error = judge(session);
  return error;
}

static bool plan_epochs(struct session *session, const struct qsm_config *config, char *msg,
                        size_t msg_len) {
  struct qsm_outcome *outcome = session->outcome;
  session->epoch = session->scenario->epoch ? session->scenario->epoch : config->epoch;
  if (session->epoch < qsm_config_epoch_min(config)) {
    snprintf(msg, msg_len, "%s: epoch of %llu cycles, configuration %s needs at least %u",
             session->scenario->path, (unsigned long long)session->epoch, config->name,
             qsm_config_epoch_min(config));
    return false;
  }
  outcome->n_epochs = (uint32_t)((session->scenario->cycles + session->epoch - 1) / session->epoch);
  outcome->cycles = outcome->planned_cycles = outcome->n_epochs * session->epoch;
  session->n_planned = outcome->n_epochs;
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
    qsm_passes_free(&session->tenants[i].passes);
    free(session->tenants[i].times);
  }
}

enum qsm_session_status qsm_session_run(const struct qsm_scenario *scenario,
                                        const struct qsm_session_plan *plan,
                                        struct qsm_outcome *outcome, char *msg, size_t msg_len) {
  struct session session = {.scenario = scenario, .plan = plan, .outcome = outcome};
  *outcome = (struct qsm_outcome){0};
  qsmError_t error =
      qsmDeviceOpen(plan->backend, scenario->config, &plan->options, &session.device, msg, msg_len);
  if (error) return error == qsmErrorNotFound ? QSM_SESSION_BAD_INPUT : QSM_SESSION_ENVIRONMENT;
  if (plan->observer) qsm_device_observe(session.device, plan->observer);
  enum qsm_session_status status = QSM_SESSION_BAD_INPUT;
  outcome->config = *qsmDeviceConfig(session.device);
  outcome->scheme = plan->scheme;
  outcome->limits = plan->limits;
  outcome->has_l1 = qsmDeviceConfig(session.device)->l1_kib != 0;
  outcome->has_sa = qsmDeviceConfig(session.device)->num_sas != 0;
  outcome->has_l2 = qsmDeviceConfig(session.device)->l2_kib != 0;
  outcome->has_dram = qsmDeviceConfig(session.device)->dram_banks != 0;
  if (plan_epochs(&session, qsmDeviceConfig(session.device), msg, msg_len)) {
    msg[0] = 0;
    error = run(&session, msg, msg_len);
    finish(&session);
    if (error && !msg[0])
      snprintf(msg, msg_len, "%s%s", session.place, qsmGetLastErrorText(session.device));
    status = error == qsmSuccess        ? QSM_SESSION_OK
             : error == qsmErrorBackend ? QSM_SESSION_FAILED
                                        : QSM_SESSION_BAD_INPUT;
  }
  qsmDeviceClose(session.device);
  qsm_energy_meter_destroy(session.meter);
  free(session.energies);
  return status;
}

void qsm_outcome_clear(struct qsm_outcome *outcome) {
  free(outcome->epochs);
  outcome->epochs = NULL;
}
