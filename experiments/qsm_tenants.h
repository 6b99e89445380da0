// SPDX-License-Identifier: Apache-2.0
// Tenants of command channels as actors in GPU time: throttles (a kernel of a set length, then a
// sleep), programs of the suite, each launch after the end of the one before, and hostile ones,
// whose channels the driver opens anew when they were stopped. They share the GPU under a policy of
// the accounting library, or none. A channel each; registers and memory are used directly
// (docs/front.md).
#ifndef QSM_TENANTS_H
#define QSM_TENANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_accounting.h"
#include "qsm_config.h"
#include "qsm_hostile.h"
#include "qsm_suite.h"

enum { QSM_MOST_TENANTS = 96 };

struct qsm_tenant_setting {
  const char *program;                // of the suite; NULL: a throttle, or
  const struct qsm_hostile *hostile;  // what is no tenant's to do
  enum qsm_suite_size size;
  uint32_t passes;      // of a program, then it ends; 0: for ever
  uint64_t pass_sleep;  // of a program, between two passes
  // Of a throttle.
  uint64_t kernel_cycles;  // that its kernel runs, as CH_BUSY counts
  uint64_t sleep_cycles;
  uint64_t period_cycles;  // from one submission to the next, if that is later; 0: none
  uint32_t blocks;         // of a warp; 0: one
  bool floods;             // keeps its ring full instead of waiting for the end
};

struct qsm_tenants_setting {
  const struct qsm_config *config;
  const char *programs;  // folder of the suite's programs
  const struct qsm_tenant_setting *tenant;
  uint32_t n_tenants;
  struct qsm_accounting_settings accounting;
  bool concurrent;
  uint64_t host_cycles;  // that a host takes from a launch's end to the next submission
  uint64_t n_cycles;     // ends the run, unless the first tenant ends before
  uint64_t seed;         // of inputs, and of the cycles in which tenants begin
};

struct qsm_tenant_outcome {
  uint64_t n_launches;  // that have ended; of a hostile one: commands
  uint64_t n_passes;
  uint64_t turnaround;  // cycles from its first submission to its end
  uint64_t busy;        // CH_BUSY
  uint64_t sm_cycles;   // CH_SM
  uint64_t blocked;     // cycles that it waited for access
  uint64_t longest;     // cycles from a launch's submission to its end, as its host saw them
  struct qsm_accounting_usage usage;
  // Of a hostile one.
  uint32_t stops;  // bit per code of CH_ERROR that its channel was stopped with
  uint64_t n_stops;
  uint64_t longest_recovery;  // cycles from the interrupt until its channel takes commands again
  uint64_t longest_killed;    // CH_BUSY of a channel whose launch was over its limit
  uint64_t n_refused;         // writes of its page
};

struct qsm_tenants_outcome {
  uint64_t n_cycles;  // of the run
  struct qsm_accounting_cost cost;
  struct qsm_tenant_outcome tenant[QSM_MOST_TENANTS];
};

// Runs them on a model of their own. 0, or -1 with a text: bad input, a wrong output, a fault.
int qsm_tenants_run(const struct qsm_tenants_setting *setting, struct qsm_tenants_outcome *outcome,
                    char *msg, size_t msg_len);

// The number of cycles that a throttle's kernel runs at least, with one block.
int qsm_tenants_least(const struct qsm_config *config, uint64_t *n_cycles, char *msg,
                      size_t msg_len);

#endif
