// SPDX-License-Identifier: Apache-2.0
#include "qsm_sweep_worker.h"

#include <stdlib.h>
#include <string.h>

#include "qsm_result.h"
#include "qsm_run.h"
#include "qsm_yaml.h"

// Alone, as its reference, but to the end of its first pass only.
static int count_pass(const struct qsm_scenario *scenario, uint32_t kernel, uint64_t *instructions,
                      char *msg, size_t msg_len) {
  const struct qsm_session_plan plan = {
      .title = "", .backend = "model", .kernel_mask = 1u << kernel, .one_pass = true};
  struct qsm_outcome outcome;
  int status = qsm_session_run(scenario, &plan, &outcome, msg, msg_len)
                   ? -1
                   : qsm_result_pass(scenario, &outcome, kernel, instructions, msg, msg_len);
  qsm_outcome_clear(&outcome);
  return status;
}

static int set_goals(const struct qsm_sweep_task *task, const struct qsm_scenario *scenario,
                     struct qsm_session_plan *plan, struct qsm_sweep_measured *measured) {
  for (uint32_t i = 0; i < scenario->n_kernels; i++) {
    double isolated = (double)task->alone_instructions[i] / (double)task->alone_cycles;
    uint64_t instructions = 0;
    bool timed = scenario->kernels[i].goal_kind == QSM_GOAL_TIMED;
    if (timed && count_pass(scenario, i, &instructions, measured->error, sizeof measured->error))
      return -1;
    if (qsm_result_goal(scenario, i, isolated, instructions, &measured->goal_q16[i],
                        measured->error, sizeof measured->error))
      return -1;
    plan->goal_q16[i] = (uint32_t)measured->goal_q16[i];
    plan->isolated_q16[i] = qsm_result_ipc_q16(task->alone_instructions[i], task->alone_cycles);
  }
  return qsm_result_admission(scenario, measured->goal_q16, plan->isolated_q16, measured->error,
                              sizeof measured->error);
}

static enum qsm_exit judge(const struct qsm_scenario *scenario,
                           struct qsm_sweep_measured *measured) {
  for (uint32_t i = 0; i < scenario->n_kernels; i++)
    if (qsm_result_complaint(scenario, &measured->outcome, i, measured->error,
                             sizeof measured->error))
      return QSM_EXIT_WRONG;
  return QSM_EXIT_OK;
}

static enum qsm_exit measure(const struct qsm_sweep_task *task,
                             struct qsm_sweep_measured *measured) {
  struct qsm_scenario scenario;
  const struct qsm_yaml_source source = {.path = task->path, .text = task->scenario};
  if (qsm_scenario_load(&source, &scenario, measured->error, sizeof measured->error))
    return QSM_EXIT_BAD_INPUT;
  struct qsm_session_plan plan = {.title = "",
                                  .backend = "model",
                                  .kernel_mask = (1u << scenario.n_kernels) - 1,
                                  .scheme = task->alone ? qsmSchemeNone : scenario.scheme};
  if (!task->alone) plan.adjust = scenario.adjust;
  plan.limits = !task->alone;
  if (!task->alone && set_goals(task, &scenario, &plan, measured)) return QSM_EXIT_BAD_INPUT;
  switch (qsm_session_run(&scenario, &plan, &measured->outcome, measured->error,
                          sizeof measured->error)) {
    case QSM_SESSION_OK: measured->complete = true; return judge(&scenario, measured);
    case QSM_SESSION_BAD_INPUT: return QSM_EXIT_BAD_INPUT;
    case QSM_SESSION_ENVIRONMENT: return QSM_EXIT_ENVIRONMENT;
    case QSM_SESSION_FAILED: break;
  }
  return QSM_EXIT_WRONG;
}

int qsm_sweep_measure(const void *task, FILE *result) {
  struct qsm_sweep_measured measured = {.complete = false};
  enum qsm_exit code = measure(task, &measured);
  fwrite(&measured, sizeof measured, 1, result);
  if (measured.complete)
    fwrite(measured.outcome.epochs, sizeof *measured.outcome.epochs, measured.outcome.n_epochs,
           result);
  qsm_outcome_clear(&measured.outcome);
  return (int)code;
}

int qsm_sweep_read(const void *bytes, size_t n_bytes, struct qsm_sweep_measured *measured) {
  struct qsm_sweep_measured seen;
  if (n_bytes < sizeof seen) return -1;
  memcpy(&seen, bytes, sizeof seen);
  size_t epoch_bytes = seen.complete ? seen.outcome.n_epochs * sizeof *seen.outcome.epochs : 0;
  if (n_bytes != sizeof seen + epoch_bytes) return -1;
  seen.outcome.epochs = epoch_bytes ? malloc(epoch_bytes) : NULL;
  if (epoch_bytes && !seen.outcome.epochs) return -1;
  if (epoch_bytes) memcpy(seen.outcome.epochs, (const char *)bytes + sizeof seen, epoch_bytes);
  *measured = seen;
  return 0;
}
