// SPDX-License-Identifier: Apache-2.0
// `qsm fuzz`: random programs under random scheduling on RTL and model in lockstep.
#ifndef QSM_FUZZ_H
#define QSM_FUZZ_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_run.h"

struct qsm_fuzz_options {
  uint64_t cycles;      // to compare, all rounds together
  uint64_t seed;        // of the first round; round r uses seed + r
  const char *config;   // a name, a path, "random", or "random-SEED"
  const char *out_dir;  // NULL: qsm-fuzz
  bool quiet;
  bool netlist;              // in place of the RTL
  const char *board;         // the serial line of a board that is used in place of the RTL, or NULL
  const char *inject_block;  // negative control
};

// Exit code 0: all cycles equal (with inject_block: never; the flip must be found, which gives 1).
enum qsm_exit qsm_fuzz(const struct qsm_fuzz_options *options);

#endif
