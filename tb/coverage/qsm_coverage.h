// SPDX-License-Identifier: Apache-2.0
// Put into Verilator's C++ by `make coverage`: models call it when they are destroyed, and leave a
// file of counts each in the folder $QSM_COVERAGE.
#ifndef QSM_COVERAGE_H
#define QSM_COVERAGE_H

#include <cstdlib>
#include <string>
#include <unistd.h>

#include "verilated_cov.h"

inline void qsm_coverage_write(VerilatedCovContext *counts) {
  static unsigned n_files = 0;
  if (const char *folder = std::getenv("QSM_COVERAGE"))
    counts->write(std::string(folder) + "/" + std::to_string(getpid()) + "-" +
                  std::to_string(n_files++) + ".dat");
  counts->clear();  // they lie in the model that goes
}

#endif
