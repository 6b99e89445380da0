// SPDX-License-Identifier: Apache-2.0
// Whether several goals can be held together (docs/goals.md R-GO-8).
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "qsm_internal.h"

// Shares of what tenants reach alone, in parts of 2^32.
#define ALL_OF_IT (UINT64_C(1) << 32)

const char *qsmAdmissionName(qsmAdmission admission) {
  switch (admission) {
    case qsmAdmissionOff: return "off";
    case qsmAdmissionSure: return "sure";
    case qsmAdmissionCautious: return "cautious";
  }
  return NULL;
}

static qsmSmMask mask_of(const struct qsm_config *config, const qsmAskedGoal *goal) {
  qsmSmMask all = qsm_all_sms(config);
  return goal->sm_mask ? goal->sm_mask & all : all;
}

// ---- The text: "A 20.000 + B 15.500 = 35.500" ----

struct text {
  char *to;
  size_t left;
  uint32_t n;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text->to, text->left, format, args);
  va_end(args);
  size_t done = n < 0 ? 0 : (size_t)n < text->left ? (size_t)n : text->left ? text->left - 1 : 0;
  text->to += done;
  text->left -= done;
}

static void add_name(struct text *text, const qsmAskedGoal *goal, uint32_t index) {
  if (text->n++) add(text, " + ");
  if (goal->name)
    add(text, "%s", goal->name);
  else
    add(text, "goal %" PRIu32, index);
}

// ---- Rules ----

// Goals of those whose SMs are all among these.
static uint64_t asked_of(const struct qsm_config *config, const qsmAskedGoal *goals, uint32_t n,
                         qsmSmMask sms) {
  uint64_t sum_q16 = 0;
  for (uint32_t i = 0; i < n; i++)
    if (goals[i].goal_ipc_q16 && !(mask_of(config, &goals[i]) & ~sms))
      sum_q16 += goals[i].goal_ipc_q16;
  return sum_q16;
}

static double in_percent(uint64_t share) { return 100.0 * (double)share / (double)ALL_OF_IT; }

static qsmError_t refuse_sms(const struct qsm_config *config, const qsmAskedGoal *goals, uint32_t n,
                             qsmSmMask sms, uint64_t there, struct text text) {
  add(&text, "goals cannot be held together: ");
  for (uint32_t i = 0; i < n; i++) {
    if (!goals[i].goal_ipc_q16 || (mask_of(config, &goals[i]) & ~sms)) continue;
    add_name(&text, &goals[i], i);
    add(&text, " %.5f", goals[i].goal_ipc_q16 / 65536.0);
  }
  add(&text,
      " = %.5f thread instructions per cycle, the %" PRIu32 " SM%s that they may use issue %" PRIu64
      " at most",
      (double)asked_of(config, goals, n, sms) / 65536.0, qsm_count_sms(sms),
      qsm_count_sms(sms) == 1 ? "" : "s", there);
  return qsmErrorGoal;
}

static qsmError_t check_sms(const struct qsm_config *config, const qsmAskedGoal *goals, uint32_t n,
                            qsmSmMask sms, struct text text) {
  uint64_t there = (uint64_t)qsm_count_sms(sms) * config->num_sched * config->warp_size;
  return asked_of(config, goals, n, sms) > there << 16
             ? refuse_sms(config, goals, n, sms, there, text)
             : qsmSuccess;
}

static uint64_t share_of(const qsmAskedGoal *goal) {
  return ((uint64_t)goal->goal_ipc_q16 << 32) / goal->isolated_ipc_q16;
}

// Who of the tenants with goals is the first of which is not known what it reaches alone; n: none.
static uint32_t first_unknown(const qsmAskedGoal *goals, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (goals[i].goal_ipc_q16 && !goals[i].isolated_ipc_q16) return i;
  return n;
}

static qsmError_t refuse_shares(const qsmAskedGoal *goals, uint32_t n, uint64_t sum,
                                struct text text) {
  add(&text, "goals may not be held together: ");
  for (uint32_t i = 0; i < n; i++) {
    if (!goals[i].goal_ipc_q16) continue;
    add_name(&text, &goals[i], i);
    add(&text, " %.2f %%", in_percent(share_of(&goals[i])));
  }
  add(&text, " = %.2f %% of what they reach alone, %" PRIu32 " tenants may have %.2f %%",
      in_percent(sum), n, 100.0 / n);
  return qsmErrorGoal;
}

// All tenants count, also those without a goal: each has a part of the SMs' room.
static qsmError_t check_shares(const qsmAskedGoal *goals, uint32_t n, struct text text) {
  uint32_t n_asking = 0, unknown = first_unknown(goals, n);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < n; i++) n_asking += goals[i].goal_ipc_q16 != 0;
  if (n_asking < 2) return qsmSuccess;
  if (unknown < n) {
    add(&text, "goals may not be held together: what ");
    add_name(&text, &goals[unknown], unknown);
    add(&text, " reaches alone is not known");
    return qsmErrorGoal;
  }
  for (uint32_t i = 0; i < n; i++)
    if (goals[i].goal_ipc_q16) sum += share_of(&goals[i]);
  return sum <= ALL_OF_IT / n ? qsmSuccess : refuse_shares(goals, n, sum, text);
}

qsmError_t qsmCheckGoals(const struct qsm_config *config, qsmAdmission admission,
                         const qsmAskedGoal *goals, uint32_t n_goals, char *msg, size_t msg_len) {
  struct text text = {.to = msg, .left = msg ? msg_len : 0};
  if (!config || (n_goals && !goals) || !qsmAdmissionName(admission)) {
    add(&text, "NULL for configuration or goals, or no such admission: %d", (int)admission);
    return qsmErrorInvalidValue;
  }
  if (admission == qsmAdmissionOff) return qsmSuccess;
  qsmError_t error = check_sms(config, goals, n_goals, qsm_all_sms(config), text);
  for (uint32_t i = 0; !error && i < n_goals; i++)
    if (goals[i].goal_ipc_q16)
      error = check_sms(config, goals, n_goals, mask_of(config, &goals[i]), text);
  if (!error && admission == qsmAdmissionCautious) error = check_shares(goals, n_goals, text);
  return error;
}

// ---- Of a device ----

qsmError_t qsmSetAdmission(qsmDevice_t handle, qsmAdmission admission) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  if (!qsmAdmissionName(admission))
    return qsm_fail(device, qsmErrorInvalidValue, "no such admission: %d", (int)admission);
  device->admission = admission;
  return qsmSuccess;
}

// A context on channels may be let launch on any SMs, whatever its mask.
qsmError_t qsm_check_admission(struct qsm_context *context, uint32_t goal_q16,
                               uint32_t part_of_q16) {
  struct qsm_device *device = context->device;
  qsmAskedGoal goals[QSM_MOST_TENANTS];
  char why[400] = "";
  uint32_t n = 0;
  if (goal_q16 <= context->goal_q16) return qsmSuccess;  // it asks for no more than it had
  for (uint32_t i = 0; i < QSM_MOST_TENANTS; i++) {
    const struct qsm_context *other = device->context[i];
    if (!other) continue;
    bool same = other == context;
    uint32_t part_of = same ? part_of_q16 : other->part_of_q16;
    goals[n++] = (qsmAskedGoal){.name = other->name,
                                .goal_ipc_q16 = same ? goal_q16 : other->goal_q16,
                                .isolated_ipc_q16 = part_of ? part_of : other->isolated_q16,
                                .sm_mask = qsm_on_channels(other) ? 0 : other->sm_mask};
  }
  qsmError_t error = qsmCheckGoals(&device->config, device->admission, goals, n, why, sizeof why);
  return error ? qsm_fail(device, error, "%s: %s (admission %s)", context->name, why,
                          qsmAdmissionName(device->admission))
               : qsmSuccess;
}
