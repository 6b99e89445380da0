// SPDX-License-Identifier: Apache-2.0
// `qsm memcheck`: runs each kernel of a scenario once, alone on the model, and says where it uses
// memory wrongly (docs/memcheck.md).
#ifndef QSM_MEMCHECK_H
#define QSM_MEMCHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_run.h"

struct qsm_memcheck_options {
  const char *scenario;
  const char *config;  // NULL: the scenario's
  uint64_t cycles;     // that a pass may take
  uint64_t seed;
  bool has_seed;
  bool exited;  // threads that end without a barrier of others are a finding
  bool quiet;
};

enum qsm_exit qsm_memcheck(const struct qsm_memcheck_options *options);

#endif
