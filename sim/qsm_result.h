// SPDX-License-Identifier: Apache-2.0
// What measurements mean: goals, what went wrong; and the results of `qsm run`: JSON file, table,
// plot.
#ifndef QSM_RESULT_H
#define QSM_RESULT_H

#include "qsm_session.h"

struct qsm_result {
  const struct qsm_scenario *scenario;
  const char *backend;
  struct qsm_outcome isolated[QSM_SCENARIO_MAX_KERNELS];
  struct qsm_outcome shared;   // under the scheme
  struct qsm_outcome without;  // without one; n_epochs = 0 if not asked for
  uint64_t goal_q16[QSM_SCENARIO_MAX_KERNELS];
  const struct qsm_outcome *
      interrupted;  // the measurement that a signal cut short, NULL: none; those after it are empty
  const char *interrupted_title;
};

// Thread instructions per cycle over the measurement.
double qsm_result_ipc(const struct qsm_outcome *outcome, uint32_t kernel);
// The same as a register has it, rounded down: never above the peak. cycles is not 0.
uint32_t qsm_result_ipc_q16(uint64_t instructions, uint64_t cycles);
// Thread instructions of the only pass of a kernel, for a goal as deadline or rate; 0, or -1 with a
// message: it did not end.
int qsm_result_pass(const struct qsm_scenario *scenario, const struct qsm_outcome *outcome,
                    uint32_t kernel, uint64_t *instructions, char *msg, size_t msg_len);
// Goal of a kernel in Q16.16, from what it reaches alone (G1: floor of the share) or from the
// instructions of a pass (docs/goals.md R-GO-7); 0 without one. 0, or -1 with a message: not
// possible, above what it reaches alone.
int qsm_result_goal(const struct qsm_scenario *scenario, uint32_t kernel, double isolated,
                    uint64_t pass_instructions, uint64_t *goal_q16, char *msg, size_t msg_len);
// R-GO-8 of all goals, by the scenario's admission: 0, or -1 with a message.
int qsm_result_admission(const struct qsm_scenario *scenario, const uint64_t *goal_q16,
                         const uint32_t *isolated_q16, char *msg, size_t msg_len);
// Whether something is wrong with a kernel of a measurement: killed, unfinished, wrong outputs,
// never ran; the message says what.
bool qsm_result_complaint(const struct qsm_scenario *scenario, const struct qsm_outcome *outcome,
                          uint32_t kernel, char *msg, size_t msg_len);
// G1: instructions * 2^16 >= goal_q16 * cycles.
bool qsm_result_reached(const struct qsm_outcome *outcome, uint32_t kernel, uint64_t goal_q16);

// Statistics of all lockstep runs of the result together.
struct qsm_lockstep_stats qsm_result_lockstep(const struct qsm_result *result);

// Whether there is anything to keep: an epoch of a measurement.
bool qsm_result_has_figures(const struct qsm_result *result);

void qsm_result_print_table(const struct qsm_result *result);
// Writes DIR/result.json. 0, or -1 with a message.
int qsm_result_write_json(const struct qsm_result *result, const char *dir, char *msg,
                          size_t msg_len);
// The scenario that DIR/result.json is of, as an absolute path, or words if it does not say. False:
// there is no such file.
bool qsm_result_scenario_in(const char *dir, char *scenario, size_t len);
// Writes DIR/plot.svg with gnuplot: IPC per epoch of all kernels, with the goal lines. 0, or -1
// with a message. Without an epoch of the shared measurement there is nothing to plot: an earlier
// plot goes.
int qsm_result_write_plot(const struct qsm_result *result, const char *dir, char *msg,
                          size_t msg_len);

#endif
