// SPDX-License-Identifier: Apache-2.0
// Goals as users say them, in thread instructions per cycle (docs/goals.md R-GO-1 to R-GO-4).
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "qsm_config.h"
#include "qsm_runtime.h"

enum { MILLION = 1000000 };
#define NS_PER_1000_S 1000000000000u

typedef unsigned __int128 wide;  // holds every product here

__attribute__((format(printf, 3, 4))) static qsmError_t refuse(char *msg, size_t msg_len,
                                                               const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(msg, msg ? msg_len : 0, format, args);
  va_end(args);
  return qsmErrorGoal;
}

static wide divide_up(wide dividend, wide divisor) { return (dividend + divisor - 1) / divisor; }

static uint64_t for_print(wide value) { return value < UINT64_MAX ? (uint64_t)value : UINT64_MAX; }

// R-GO-2, in ns.
static wide transfer_time(const struct qsm_config *config, const qsmGoal *goal) {
  return goal->overlapped ? 0
                          : divide_up((wide)goal->bytes * 1000, config->link_mbytes_s) +
                                (wide)goal->copies * config->link_latency_ns;
}

// What a launch within `deadline` ns needs.
static qsmError_t of_deadline(const struct qsm_config *config, const qsmGoal *goal,
                              uint64_t deadline, wide *ipc_q16, char *msg, size_t msg_len) {
  if (goal->instructions == 0) return refuse(msg, msg_len, "a launch of 0 thread instructions");
  wide transfer = transfer_time(config, goal);
  if (transfer >= deadline)
    return refuse(msg, msg_len, "transfer takes %" PRIu64 " ns of a deadline of %" PRIu64 " ns",
                  for_print(transfer), deadline);
  wide cycles = (deadline - transfer) * config->clock_mhz / 1000;
  if (cycles == 0)
    return refuse(msg, msg_len,
                  "the deadline leaves %" PRIu64 " ns, less than a cycle at %" PRIu32 " MHz",
                  for_print(deadline - transfer), config->clock_mhz);
  *ipc_q16 = divide_up((wide)goal->instructions << 16, cycles);
  return qsmSuccess;
}

static qsmError_t of_share(const qsmGoal *goal, wide *ipc_q16, char *msg, size_t msg_len) {
  if (goal->isolated_ipc_q16 == 0) return refuse(msg, msg_len, "a share of an isolated IPC of 0");
  if (goal->value > MILLION)
    return refuse(msg, msg_len, "a share of %" PRIu64 " millionths, at most %d", goal->value,
                  MILLION);
  *ipc_q16 = (wide)goal->isolated_ipc_q16 * goal->value / MILLION;
  return qsmSuccess;
}

static qsmError_t by_kind(const struct qsm_config *config, const qsmGoal *goal, wide *ipc_q16,
                          char *msg, size_t msg_len) {
  if (goal->value == 0) return refuse(msg, msg_len, "a goal of 0");
  switch (goal->kind) {
    case qsmGoalIpc: *ipc_q16 = goal->value; return qsmSuccess;
    case qsmGoalShare: return of_share(goal, ipc_q16, msg, msg_len);
    case qsmGoalDeadline: return of_deadline(config, goal, goal->value, ipc_q16, msg, msg_len);
    case qsmGoalRate:
      return of_deadline(config, goal, NS_PER_1000_S / goal->value, ipc_q16, msg, msg_len);
    case qsmGoalNone: break;
  }
  refuse(msg, msg_len, "no such kind of goal: %d", (int)goal->kind);
  return qsmErrorInvalidValue;
}

// R-GO-4: what no launch, or not this one, can reach.
static qsmError_t check_reachable(const struct qsm_config *config, const qsmGoal *goal,
                                  wide ipc_q16, char *msg, size_t msg_len) {
  uint32_t peak = config->num_sms * config->num_sched * config->warp_size;
  if (ipc_q16 == 0)
    return refuse(msg, msg_len, "a goal below 1/65536 thread instructions per cycle");
  if (ipc_q16 > (wide)peak << 16)
    return refuse(msg, msg_len,
                  "goal %.5f above the peak %" PRIu32 " thread instructions per cycle",
                  (double)ipc_q16 / 65536, peak);
  if (goal->isolated_ipc_q16 && ipc_q16 > goal->isolated_ipc_q16)
    return refuse(msg, msg_len, "goal %.5f above the isolated %.5f thread instructions per cycle",
                  (double)ipc_q16 / 65536, goal->isolated_ipc_q16 / 65536.0);
  return qsmSuccess;
}

qsmError_t qsmTranslateGoal(const struct qsm_config *config, const qsmGoal *goal,
                            uint32_t *goal_ipc_q16, char *msg, size_t msg_len) {
  wide ipc_q16 = 0;
  if (!config || !goal || !goal_ipc_q16 || !config->clock_mhz || !config->link_mbytes_s) {
    refuse(msg, msg_len, "NULL for configuration, goal or result, or a configuration of nothing");
    return qsmErrorInvalidValue;
  }
  if (goal->kind != qsmGoalNone) {
    qsmError_t error = by_kind(config, goal, &ipc_q16, msg, msg_len);
    if (!error) error = check_reachable(config, goal, ipc_q16, msg, msg_len);
    if (error) return error;
  }
  *goal_ipc_q16 = (uint32_t)ipc_q16;
  return qsmSuccess;
}
