// SPDX-License-Identifier: Apache-2.0
// Results of `qsm run`: JSON file, table, plot.
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
};

// Thread instructions per cycle over the measurement.
double qsm_result_ipc(const struct qsm_outcome *outcome, uint32_t kernel);
// G1: instructions * 2^16 >= goal_q16 * cycles.
bool qsm_result_reached(const struct qsm_outcome *outcome, uint32_t kernel, uint64_t goal_q16);

// Statistics of all lockstep runs of the result together.
struct qsm_lockstep_stats qsm_result_lockstep(const struct qsm_result *result);

void qsm_result_print_table(const struct qsm_result *result);
// Writes DIR/result.json (through a temporary file). 0, or -1 with a message.
int qsm_result_write_json(const struct qsm_result *result, const char *dir, char *msg, size_t msg_len);
// Writes DIR/plot.svg with gnuplot: IPC per epoch of all kernels, with the goal lines. 0, or -1 with a message.
int qsm_result_write_plot(const struct qsm_result *result, const char *dir, char *msg, size_t msg_len);

#endif
