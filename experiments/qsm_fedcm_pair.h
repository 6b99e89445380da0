// SPDX-License-Identifier: Apache-2.0
// Two kernels launched again and again beside each other, on SMs of their own or on shared ones,
// with caches or without (FedCM's figure 3b).
#ifndef QSM_FEDCM_PAIR_H
#define QSM_FEDCM_PAIR_H

#include <stddef.h>
#include <stdint.h>

#include "qsm_app.h"
#include "qsm_runtime.h"

struct qsm_fedcm_pair_side {
  const struct qsm_app *app;
  const char *kernel;  // function: the first step of the application that launches it is taken
  qsmSmMask mask;
  qsmCachePolicy policy;
  double cycles;        // out: mean of a launch, from call to end
  uint32_t n_launches;  // out
};

// For n_cycles, after a pass of each application, alone. A side without a kernel (NULL) is idle.
// Outputs are checked afterwards. 0, or -1 with a message.
int qsm_fedcm_pair(const char *config, const char *kernel_folder, enum qsm_app_size size,
                   uint64_t n_cycles, struct qsm_fedcm_pair_side side[2], char *msg,
                   size_t msg_len);

#endif
