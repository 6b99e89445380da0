// SPDX-License-Identifier: Apache-2.0
// What a device's scheduling and a context's launches are told: goals, shares, budgets, SMs,
// caches.
#include <stdio.h>

#include "qsm_internal.h"
#include "qsm_regs.h"
#include "qsm_streams.h"

enum { EPOCH_MAX = (1 << 20) - 1 };

// How many divide the GPU under scheme fair: the contexts, the one that is being created among
// them.
static uint32_t count_sharing(const struct qsm_context *context) {
  const struct qsm_device *device = context->device;
  uint32_t n = device->context[context->slot] == NULL;
  for (uint32_t slot = 0; slot < QSM_MOST_TENANTS; slot++) n += device->context[slot] != NULL;
  return n;
}

// Thread instructions per cycle, Q16.16, that a context counts as having for its goal until the GPU
// has computed a quota.
static uint64_t first_goal(const struct qsm_context *context) {
  if (context->device->scheme == QSM_SCHEME_FAIR) return context->isolated_q16;
  return context->goal_q16 ? context->goal_q16
                           : 1u << 16;  // B10: a non-QoS tenant counts as goal 1
}

qsmError_t qsm_write_first_quota(struct qsm_context *context) {
  const struct qsm_device *device = context->device;
  uint64_t n_sms = qsm_count_sms(context->sm_mask),
           n_sharing = device->scheme == QSM_SCHEME_FAIR ? count_sharing(context) : 1;
  uint64_t denominator = n_sms * n_sharing << 16;
  uint64_t quota = (first_goal(context) * device->epoch_cycles + denominator - 1) / denominator;
  if (quota < 1) quota = 1;
  if (quota > INT32_MAX) quota = INT32_MAX;
  return qsm_slot_write(context, QSM_SLOT_FIRST_QUOTA, (uint32_t)quota);
}

// Under sm_rollover a goal of a share s of the isolated IPC begins with floor(s * NumSms) SMs of
// its own. The goal was rounded down, which must not cost an SM.
static uint32_t sms_for_goal(const struct qsm_context *context) {
  uint32_t n_sms = context->device->config.num_sms;
  uint32_t isolated = context->part_of_q16 ? context->part_of_q16 : context->isolated_q16;
  if (!context->goal_q16 || !isolated || n_sms < 2) return 0;
  uint64_t sms = ((uint64_t)context->goal_q16 + 1) * n_sms / isolated;
  if (sms > n_sms - 1) return n_sms - 1;
  return sms ? (uint32_t)sms : 1;  // 0 would be an equal part
}

// Nothing is written where it would change nothing: an arrival sets SM_COUNT to 0.
static qsmError_t write_sm_count(struct qsm_context *context, qsmScheme scheme) {
  if (context->device->arena[context->slot].n_sms) return qsmSuccess;  // an instance keeps its own
  uint32_t value = context->sm_count;
  if (!value && scheme == qsmSchemeSmRollover) value = sms_for_goal(context);
  bool written = context->shadow_valid[QSM_SLOT_SM_COUNT / 4];
  return value || written ? qsm_slot_write(context, QSM_SLOT_SM_COUNT, value) : qsmSuccess;
}

static qsmError_t write_sm_counts(struct qsm_device *device, qsmScheme scheme) {
  qsmError_t error = qsmSuccess;
  for (uint32_t slot = 0; !error && slot < device->config.num_kernels; slot++)
    if (device->context[slot]) error = write_sm_count(device->context[slot], scheme);
  return error;
}

qsmError_t qsmSetSmCount(qsmContext_t handle, uint32_t sms) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  uint32_t most = context->device->config.num_sms, before = context->sm_count;
  if (qsm_check_has_slot(context, "a number of SMs")) return qsmErrorStream;
  if (sms > most)
    return qsm_fail(context->device, qsmErrorInvalidValue, "%s: %u SMs, must be 0..%u",
                    context->name, sms, most);
  uint32_t own = context->device->arena[context->slot].n_sms;
  if (own)
    return qsm_fail(context->device, qsmErrorInstance, "%s: an instance with %u SMs of its own",
                    context->name, own);
  context->sm_count = sms;
  qsmError_t error = write_sm_count(context, context->device->scheme);
  if (error) context->sm_count = before;
  return error;
}

static qsmError_t write_first_quotas(struct qsm_device *device) {
  qsmError_t error = qsmSuccess;
  for (uint32_t slot = 0; !error && slot < QSM_MOST_TENANTS; slot++)
    if (device->context[slot]) error = qsm_write_first_quota(device->context[slot]);
  return error;
}

qsmError_t qsm_share_anew(struct qsm_device *device) {
  return device->scheme == QSM_SCHEME_FAIR ? write_first_quotas(device) : qsmSuccess;
}

qsmError_t qsm_check_share(const struct qsm_context *context, uint32_t scheme,
                           uint32_t isolated_q16) {
  if (scheme != QSM_SCHEME_FAIR || isolated_q16) return qsmSuccess;
  return qsm_fail(context->device, qsmErrorGoal,
                  "%s: scheme fair needs the isolated IPC of every context, this one has none",
                  context->name);
}

qsmError_t qsm_check_value(struct qsm_device *device, const char *what, uint32_t value,
                           const char *(*name_of)(uint32_t), uint32_t count) {
  char names[160];
  if (value < count) return qsmSuccess;
  qsm_enum_list(name_of, count, names, sizeof names);
  return qsm_fail(device, qsmErrorInvalidValue, "%s %u: must be 0..%u (%s)", what, value, count - 1,
                  names);
}

// All of it is looked at before the first write: a call that is refused changes nothing.
static qsmError_t check_scheduling(struct qsm_device *device, qsmPolicy policy, qsmScheme scheme,
                                   uint32_t epoch_cycles) {
  uint32_t least = qsm_config_epoch_min(&device->config);
  qsmError_t error = qsm_check_value(device, "policy", policy, qsm_policy_name, QSM_POLICY_COUNT);
  if (!error) error = qsm_check_value(device, "scheme", scheme, qsm_scheme_name, QSM_SCHEME_COUNT);
  if (error) return error;
  if (scheme != qsmSchemeSmStatic)
    error = qsm_check_instances(device, true, "the SMs of instances are by scheme sm_static");
  if (error) return error;
  if (epoch_cycles < least || epoch_cycles > EPOCH_MAX)
    return qsm_fail(device, qsmErrorInvalidValue, "epoch of %u cycles: must be %u..%d",
                    epoch_cycles, least, EPOCH_MAX);
  for (uint32_t slot = 0; !error && slot < QSM_MOST_TENANTS; slot++)
    if (device->context[slot])
      error = qsm_check_share(device->context[slot], scheme, device->context[slot]->isolated_q16);
  return error;
}

qsmError_t qsmSetScheduling(qsmDevice_t handle, qsmPolicy policy, qsmScheme scheme,
                            uint32_t epoch_cycles) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  qsmError_t error = check_scheduling(device, policy, scheme, epoch_cycles);
  if (!error) error = qsm_register_write(device, QSM_REG_POLICY, policy);
  if (!error) error = write_sm_counts(device, scheme);  // before the split that reads them
  if (!error) error = qsm_register_write(device, QSM_REG_SCHEME, scheme);
  if (!error) error = qsm_register_write(device, QSM_REG_EPOCH_LEN, epoch_cycles);
  if (error) return error;
  device->scheme = scheme;
  device->epoch_cycles = epoch_cycles;
  return write_first_quotas(device);
}

const qsmController qsmControllerReset = {
    .alpha_cap_q16 = 4 << 16, .rollover_cap = 8, .rules = QSM_REG_QUOTA_RULES_ALPHA_EN_MASK};

const qsmController qsmControllerRolloverPaper = {
    .alpha_cap_q16 = 0,
    .rollover_cap = 0,
    .rules = QSM_REG_QUOTA_RULES_ALPHA_EN_MASK | QSM_REG_QUOTA_RULES_UNFED_MASK |
             QSM_REG_QUOTA_RULES_CARRIED_MASK | QSM_REG_QUOTA_RULES_POOLED_MASK};

static qsmError_t check_controller(struct qsm_device *device, const qsmController *controller) {
  enum { ALPHA_ONE = 1 << 16, ALPHA_MAX = (64 << 16) - 1, ROLLOVER_MAX = 255 };
  const uint32_t rules = QSM_REG_QUOTA_RULES_ALPHA_EN_MASK | QSM_REG_QUOTA_RULES_UNFED_MASK |
                         QSM_REG_QUOTA_RULES_CARRIED_MASK | QSM_REG_QUOTA_RULES_ALL_CYCLES_MASK |
                         QSM_REG_QUOTA_RULES_POOLED_MASK | QSM_REG_QUOTA_RULES_NO_FLOOR_MASK |
                         QSM_REG_QUOTA_RULES_MARGIN_MASK;
  uint32_t cap = controller->alpha_cap_q16;
  if (cap && (cap < ALPHA_ONE || cap > ALPHA_MAX))
    return qsm_fail(device, qsmErrorInvalidValue, "largest alpha 0x%X: must be 0 or 0x%X..0x%X",
                    cap, ALPHA_ONE, ALPHA_MAX);
  if (controller->rollover_cap > ROLLOVER_MAX)
    return qsm_fail(device, qsmErrorInvalidValue, "%u epochs carried over: must be 0..%u",
                    controller->rollover_cap, ROLLOVER_MAX);
  if (controller->rules & ~rules)
    return qsm_fail(device, qsmErrorInvalidValue, "rules 0x%X: no bits but those of 0x%X",
                    controller->rules, rules);
  return qsmSuccess;
}

qsmError_t qsmSetController(qsmDevice_t handle, const qsmController *controller) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  qsmError_t error = controller ? check_controller(device, controller)
                                : qsm_check_pointer(device, controller, "the controller");
  if (!error) error = qsm_register_write(device, QSM_REG_ALPHA_CAP, controller->alpha_cap_q16);
  if (!error) error = qsm_register_write(device, QSM_REG_ROLLOVER_CAP, controller->rollover_cap);
  if (!error) error = qsm_register_write(device, QSM_REG_QUOTA_RULES, controller->rules);
  return error;
}

qsmError_t qsmSetIsolatedIpc(qsmContext_t handle, uint32_t ipc_q16) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  const struct qsm_config *config = &context->device->config;
  uint32_t peak = config->num_sms * config->num_sched * config->warp_size;
  if (ipc_q16 > (uint64_t)peak << 16)
    return qsm_fail(context->device, qsmErrorGoal,
                    "%s: isolated IPC %.5f above the peak %u thread instructions per cycle",
                    context->name, (double)ipc_q16 / 65536, peak);
  qsmError_t error = qsm_check_share(context, context->device->scheme, ipc_q16);
  if (!error) error = qsm_slot_write(context, QSM_SLOT_ISO_IPC, ipc_q16);
  if (error) return error;
  context->isolated_q16 = ipc_q16;
  return qsm_share_anew(context->device);
}

// Of a context with this goal.
static uint32_t control_word(const struct qsm_context *context, uint32_t goal_q16) {
  return QSM_SLOT_CTX_VALID_MASK | (goal_q16 ? QSM_SLOT_CTX_QOS_MASK : 0) |
         context->priority << QSM_SLOT_CTX_LEVEL_SHIFT;
}

// R-GO-6: each write waits until the manager takes it.
static qsmError_t write_goal(struct qsm_context *context, uint32_t goal_q16, uint32_t part_of_q16) {
  uint32_t control = control_word(context, goal_q16);
  uint32_t before = context->goal_q16, part_before = context->part_of_q16;
  bool changed = goal_q16 != before;
  if ((context->running || (qsm_on_channels(context) && qsm_streams_busy(context))) &&
      context->shadow[QSM_SLOT_CTX / 4] != control)
    return qsm_fail(context->device, qsmErrorBusy,
                    "%s: cannot change between QoS and non-QoS while a launch runs", context->name);
  context->goal_q16 = goal_q16;
  context->part_of_q16 = part_of_q16;
  qsmError_t error = qsm_slot_write(context, QSM_SLOT_GOAL, goal_q16);
  if (!error) error = qsm_write_first_quota(context);
  if (!error) error = write_sm_count(context, context->device->scheme);
  if (!error && changed && context->has_history) {
    error = qsm_register_write(context->device, qsm_slot_register(context, QSM_SLOT_HIST_CLEAR), 1);
    context->has_history = context->running;
  }
  if (!error) error = qsm_slot_write(context, QSM_SLOT_CTX, control);
  if (!error) return qsmSuccess;
  context->goal_q16 = before;
  context->part_of_q16 = part_before;
  return error;
}

static qsmError_t set_goal(struct qsm_context *context, const qsmGoal *goal) {
  char why[200];
  uint32_t goal_q16 = 0;
  qsmError_t error = qsmTranslateGoal(&context->device->config, goal, &goal_q16, why, sizeof why);
  if (!error && goal_q16 &&
      (error = qsm_check_admission(context, goal_q16, goal->isolated_ipc_q16)))
    return error;
  return error ? qsm_fail(context->device, error, "%s: %s", context->name, why)
               : write_goal(context, goal_q16, goal->isolated_ipc_q16);
}

qsmError_t qsmSetGoal(qsmContext_t handle, const qsmGoal *goal) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  return goal ? set_goal(context, goal) : qsm_check_pointer(context->device, goal, "the goal");
}

qsmError_t qsmSetPriority(qsmContext_t handle, uint32_t priority) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  if (priority > QSM_PRIORITY_MAX)
    return qsm_fail(context->device, qsmErrorInvalidValue, "%s: priority %u, must be 0 to %u",
                    context->name, priority, QSM_PRIORITY_MAX);
  if (qsm_context_has_work(context))
    return qsm_fail(context->device, qsmErrorBusy, "%s: launches are pending", context->name);
  uint32_t before = context->priority;
  context->priority = priority;
  qsmError_t error =
      qsm_slot_write(context, QSM_SLOT_CTX, control_word(context, context->goal_q16));
  if (error) context->priority = before;
  return error;
}

qsmError_t qsmSetQoS(qsmContext_t handle, uint32_t goal_ipc_q16) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  return set_goal(
      context, &(qsmGoal){.kind = goal_ipc_q16 ? qsmGoalIpc : qsmGoalNone, .value = goal_ipc_q16});
}

// The contexts with launches pending, this one among them, have few enough budgets. The GPU asks
// only for what runs (R-QW-10); asking for what waits too keeps it from refusing a launch whose
// turn comes later.
qsmError_t qsm_check_groups(const struct qsm_context *context, uint32_t budget) {
  struct qsm_device *device = context->device;
  bool seen[QSM_BUDGET_MAX + 1] = {false};
  uint32_t n_groups = 0;
  for (uint32_t slot = 0; slot < QSM_MOST_TENANTS; slot++) {
    const struct qsm_context *other = device->context[slot];
    if (other != context && (!other || !qsm_context_has_work(other))) continue;
    uint32_t value = other == context ? budget : other->budget;
    n_groups += !seen[value];
    seen[value] = true;
  }
  if (n_groups <= device->config.num_groups) return qsmSuccess;
  return qsm_fail(device, qsmErrorGroups,
                  "%s: budget %u makes %u groups of warps, configuration %s has %u", context->name,
                  budget, n_groups, device->config.name, device->config.num_groups);
}

qsmError_t qsmSetBudget(qsmContext_t handle, uint32_t budget) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  if (budget < 1 || budget > QSM_BUDGET_MAX)
    return qsm_fail(context->device, qsmErrorInvalidValue, "%s: budget %u, must be 1..%u",
                    context->name, budget, (unsigned)QSM_BUDGET_MAX);
  if (budget == context->budget) return qsmSuccess;
  qsmError_t error = qsm_context_has_work(context) ? qsm_check_groups(context, budget) : qsmSuccess;
  if (!error) error = qsm_slot_write(context, QSM_SLOT_BUDGET, budget);
  if (!error) context->budget = budget;
  return error;
}

static void print_mask(qsmSmMask mask, char *text, size_t text_len) {
  if (mask >> 64)
    snprintf(text, text_len, "%llX%016llX", (unsigned long long)(mask >> 64),
             (unsigned long long)mask);
  else
    snprintf(text, text_len, "%llX", (unsigned long long)mask);
}

qsmError_t qsm_check_sm_mask(const struct qsm_context *context, qsmSmMask mask) {
  uint32_t n_sms = context->device->config.num_sms;
  char text[33];
  if (mask != 0 && mask >> n_sms == 0) return qsmSuccess;
  print_mask(mask, text, sizeof text);
  return qsm_fail(context->device, qsmErrorInvalidValue,
                  "SM mask 0x%s: needs at least one of the %u SMs and no other", text, n_sms);
}

qsmError_t qsm_set_sm_mask(struct qsm_context *context, qsmSmMask mask) {
  static const uint32_t words[] = {QSM_SLOT_SM_MASK_LO, QSM_SLOT_SM_MASK_HI, QSM_SLOT_SM_MASK_2};
  uint32_t n_sms = context->device->config.num_sms;
  qsmSmMask before = context->sm_mask;
  qsmError_t error = qsm_check_sm_mask(context, mask);
  if (!error) error = qsm_workers_check_mask(context, mask);
  if (error) return error;
  context->sm_mask = mask;
  for (uint32_t i = 0; !error && 32 * i < n_sms; i++)
    error = qsm_slot_write(context, words[i], (uint32_t)(mask >> 32 * i));
  if (!error) error = qsm_write_first_quota(context);
  if (error) context->sm_mask = before;
  return error;
}

qsmError_t qsmSetSmMask(qsmContext_t handle, qsmSmMask mask) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  return qsm_set_sm_mask(context, mask);
}

// R-TB-15: the launch that runs keeps the room of a block; those that wait shall find it too.
static qsmError_t check_pending(struct qsm_context *context, uint32_t percent, uint32_t n_warps) {
  uint32_t limit = n_warps * context->device->config.warp_size;
  uint32_t widest = qsm_on_channels(context) ? qsm_streams_widest(context) : 0;
  if (n_warps && widest > limit)
    return qsm_fail(context->device, qsmErrorBusy,
                    "%s: a launch with %u threads per block is pending, %u percent are %u",
                    context->name, widest, percent, limit);
  for (const struct qsm_pending *launch = context->queue; n_warps && launch;
       launch = launch->next) {
    uint32_t threads = launch->block.x * launch->block.y * launch->block.z;
    if (threads > limit)
      return qsm_fail(context->device, qsmErrorBusy,
                      "%s: a launch with %u threads per block is pending, %u percent are %u",
                      context->name, threads, percent, limit);
  }
  return qsmSuccess;
}

qsmError_t qsmSetThreadLimit(qsmContext_t handle, uint32_t percent) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  const struct qsm_config *config = &context->device->config;
  uint32_t n_warps = config->warps_per_sm * percent / 100;
  if (percent > 100)
    return qsm_fail(context->device, qsmErrorInvalidValue,
                    "%s: %u percent of an SM's threads, must be 0..100", context->name, percent);
  if (percent && !n_warps)
    return qsm_fail(context->device, qsmErrorInvalidValue,
                    "%s: %u percent of an SM's %u threads is less than a warp of %u", context->name,
                    percent, config->warps_per_sm * config->warp_size, config->warp_size);
  qsmError_t error = check_pending(context, percent, n_warps);
  if (!error) error = qsm_slot_write(context, QSM_SLOT_WARP_CAP, n_warps);
  if (error) return error;
  context->thread_limit = percent;
  context->warp_cap = n_warps;
  return qsmSuccess;
}

qsmError_t qsmSetCachePolicy(qsmContext_t handle, qsmCachePolicy policy) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  char what[40];
  snprintf(what, sizeof what, "%s: cache policy", context->name);
  qsmError_t error =
      qsm_check_value(context->device, what, policy, qsm_cache_policy_name, QSM_CACHE_POLICY_COUNT);
  if (!error) context->cache_policy = policy;
  return error;
}
