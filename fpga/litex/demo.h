// SPDX-License-Identifier: Apache-2.0
// What the program on the SoC's CPU does with the GPU: two kernels alone, then side by side without
// and with a goal for one of them. It knows neither the SoC nor the CPU, so that it runs on the
// model as well.
#ifndef DEMO_H
#define DEMO_H

#include "qsm_bare.h"

struct demo_platform {
  const struct qsm_bare_bus *bus;
  uint32_t memory_bytes;  // of the GPU's, from 0x8000_0000 on
  void (*print)(const char *text);
  bool (*wait)(void *context);  // for the GPU's interrupt; false: it does not come
};

// Returns how many checks have failed.
uint32_t demo_run(const struct demo_platform *platform);

#endif
