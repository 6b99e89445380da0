// SPDX-License-Identifier: Apache-2.0
// For tools that follow what the host does with device memory (qsm memcheck). Not for users: it may
// change.
#ifndef QSM_OBSERVER_H
#define QSM_OBSERVER_H

#include "qsm_runtime.h"

// A launch as the GPU gets it.
struct qsm_observed_launch {
  uint32_t function;  // offset in the program's image
  qsmDim3 grid, block;
  uint32_t shared_bytes;  // of a block, all
  uint32_t stack_bytes;   // of a thread
};

// Each may be NULL.
struct qsm_observer {
  void *ctx;
  void (*created)(void *ctx, uint32_t base, uint32_t limit);  // a context with this memory
  void (*loaded)(void *ctx, uint32_t address);                // the program's image begins there
  void (*allocated)(void *ctx, uint32_t address, size_t bytes);
  void (*freed)(void *ctx, uint32_t address);
  void (*written)(void *ctx, uint32_t address, size_t bytes);
  void (*spoiled)(void *ctx, uint32_t address,
                  size_t bytes);  // what was written there means nothing
  void (*launched)(void *ctx, const struct qsm_observed_launch *launch);
};

// From now on, for all contexts of the device. The observer outlives the device.
void qsm_device_observe(qsmDevice_t device, const struct qsm_observer *observer);

// Tells the observer that what was written there means nothing: it is as good as never written.
void qsm_context_spoiled(qsmContext_t context, uint32_t address, size_t bytes);

#endif
