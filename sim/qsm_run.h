// SPDX-License-Identifier: Apache-2.0
// `qsm run`: each kernel alone, then all together under the scenario's scheme (and without one, for
// comparison); results as table, JSON and plot.
#ifndef QSM_RUN_H
#define QSM_RUN_H

#include <stdbool.h>
#include <stdint.h>

// Exit codes of every qsm command (docs/command.md).
enum qsm_exit {
  QSM_EXIT_OK = 0,
  QSM_EXIT_WRONG =
      1,  // a difference, an assertion, a failed output check, a killed or unfinished kernel
  QSM_EXIT_BAD_INPUT = 2,    // command line, scenario, configuration or program
  QSM_EXIT_ENVIRONMENT = 3,  // output folder, missing tool, RTL not built
  QSM_EXIT_UNSEEN = 4,       // a bit flipped on purpose showed nowhere
  QSM_EXIT_INTERRUPTED = 130,
};

struct qsm_run_options {
  const char *scenario;
  const char *backend;  // default "model"
  const char *config;   // NULL: the scenario's
  uint64_t cycles;      // 0: the scenario's
  uint64_t seed;
  bool has_seed;
  const char *out_dir;  // NULL: qsm-results/NAME
  bool overwrite;       // results of another scenario too
  bool waves, quiet;
  bool netlist;                   // in place of the RTL
  bool hash;                      // a hash of all that happens in the shared run
  const char *konata, *timeline;  // files for traces of the shared run, or NULL
  uint64_t from, to;              // cycles in the traces
  const char *inject_block;
  uint64_t inject_cycle;
  uint64_t state_interval;
};

enum qsm_exit qsm_run(const struct qsm_run_options *options);

#endif
