// SPDX-License-Identifier: Apache-2.0
// One measurement: some kernels of a scenario on a fresh GPU for a whole number of epochs.
#ifndef QSM_SESSION_H
#define QSM_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_backend.h"
#include "qsm_energy_sum.h"
#include "qsm_observer.h"
#include "qsm_runtime.h"
#include "qsm_scenario.h"
#include "qsm_trace.h"

struct qsm_kernel_outcome {
  bool present;                  // took part in this measurement
  uint32_t goal_q16;             // 0: no goal
  uint64_t thread_instructions;  // in the measured epochs
  uint64_t launches;             // kernels completed
  uint64_t kills;  // launches that a fault has killed, of a kernel that comes again (relaunch)
  // Cycles from the submission of a launch until the host saw its end, by rank; one that still runs
  // counts with its age, if it has taken longer than all others. 0: there is none.
  uint64_t launch_p50, launch_p99, launch_longest;
  uint64_t passes;  // programs completed
  uint64_t checks_passed, checks_failed;
  uint64_t started;   // cycle of the measurement in which the first launch was submitted
  uint64_t finished;  // ... in which the host saw the last of the asked passes end; 0: it did not,
                      // or passes repeat
  char waits_for[128];       // what kept it in the end, if it was unfinished or never issued
  bool unfinished;           // asked for a number of passes and did not complete them
  qsmLaunchResult fault;     // fault.killed: the kernel was killed
  qsmMemoryCounters memory;  // of all its launches
  qsmDeadlines deadlines;    // of those that have ended
};

// Use of an SM at the end of an epoch; from QSM_SM_OF_KERNEL on: of that kernel of the scenario.
enum { QSM_SM_SHARED, QSM_SM_FREE, QSM_SM_GATED, QSM_SM_OF_KERNEL };

struct qsm_epoch_record {
  uint64_t cycle;  // of the snapshot, from the start of the measurement
  uint32_t insn[QSM_SCENARIO_MAX_KERNELS];
  uint32_t quota[QSM_SCENARIO_MAX_KERNELS];
  int64_t counter[QSM_SCENARIO_MAX_KERNELS];  // sum of C over the SMs at the snapshot
  uint8_t use[QSM_MAX_SMS];                   // where the backend can tell
  // Register SM_RECORD after the decision of that epoch's end, where the backend can tell.
  uint32_t sm_record[QSM_SCENARIO_MAX_KERNELS];
};

struct qsm_outcome {
  uint64_t cycles;  // measured
  uint64_t planned_cycles;
  bool interrupted;                // before that: only whole epochs count
  double cpu_s;                    // of the measurement, without its preparation
  uint64_t cpu_cycles;             // simulated in it
  qsmSmCounters sms;               // from the reset to the end of the measurement
  bool has_uses;                   // the backend can tell who uses the SMs
  bool has_energy;                 // the GPU has the counters, and the backend can tell in time
  struct qsm_energy_epoch energy;  // of the measured epochs
  struct qsm_config config;        // with the energies
  qsmScheme scheme;
  bool limits;            // of the scenario: thread limits and instances
  uint64_t total_cycles;  // simulated, preparation included
  struct qsm_kernel_outcome kernels[QSM_SCENARIO_MAX_KERNELS];
  uint32_t n_epochs;
  struct qsm_epoch_record *epochs;
  bool has_l1, has_sa, has_l2,
      has_dram;         // the GPU has them: kernels' memory counters mean something
  bool has_hash;        // asked for
  uint64_t trace_hash;  // of the whole measurement, set-up included
  bool has_lockstep;
  struct qsm_lockstep_stats lockstep;
};

struct qsm_session_plan {
  const char *title;  // for the progress line
  const char *backend;
  struct qsm_backend_options options;
  uint32_t kernel_mask;  // which kernels of the scenario
  qsmScheme scheme;
  qsmAdjustment adjust;
  bool limits;  // thread limits, instances and workers of the scenario
  uint32_t goal_q16[QSM_SCENARIO_MAX_KERNELS];
  struct qsm_trace *trace;              // gets what happens, or NULL
  const struct qsm_observer *observer;  // of what the host does with device memory, or NULL
  uint32_t isolated_q16[QSM_SCENARIO_MAX_KERNELS];  // IPC alone, for scheme fair; 0: not known
  bool one_pass;  // of each kernel; the measurement ends with the epoch that has counted it
  bool show_progress;
  bool (*stop)(
      void);  // looked at now and then: true ends the measurement with what it has; NULL: never
};

// Joules of a kernel, and of the machine: the kernels' and nobody's. 0 without has_energy.
double qsm_outcome_kernel_energy(const struct qsm_outcome *outcome, uint32_t kernel);
double qsm_outcome_energy(const struct qsm_outcome *outcome);
double qsm_outcome_seconds(const struct qsm_outcome *outcome);  // by clock_mhz
// R-EN-3: lanes over the classes are the thread instructions. 0, or -1 with a message that has the
// figures.
int qsm_outcome_check_energy(const struct qsm_scenario *scenario, const struct qsm_outcome *outcome,
                             char *msg, size_t msg_len);

enum qsm_session_status {
  QSM_SESSION_OK = 0,
  QSM_SESSION_BAD_INPUT = -1,    // scenario or program cannot run on this GPU
  QSM_SESSION_FAILED = -2,       // the backend failed: difference, assertion
  QSM_SESSION_ENVIRONMENT = -3,  // RTL not built, out of memory
};

// Runs it. On QSM_SESSION_FAILED *outcome still holds the lockstep statistics; free it with
// qsm_outcome_clear in any case.
enum qsm_session_status qsm_session_run(const struct qsm_scenario *scenario,
                                        const struct qsm_session_plan *plan,
                                        struct qsm_outcome *outcome, char *msg, size_t msg_len);
void qsm_outcome_clear(struct qsm_outcome *outcome);

#endif
