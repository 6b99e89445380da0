// SPDX-License-Identifier: Apache-2.0
// Within libqsm: what its other files need of devices and contexts besides qsm_runtime.h.
#ifndef QSM_CONTEXT_H
#define QSM_CONTEXT_H

#include "qsm_runtime.h"

// A launch as the GPU gets it.
struct qsm_observed_launch {
  uint32_t function;  // offset in the program's image
  qsmDim3 grid, block;
  uint32_t shared_bytes;                           // of a block, all
  uint32_t stacks, stack_bytes, threads_per_block; // as crt0.S finds its stack (docs/isa.md): local address, of a thread, whole warps
};

// Who follows what the host does with device memory; each may be NULL.
struct qsm_observer {
  void *ctx;
  void (*created)(void *ctx, uint32_t base, uint32_t limit);  // a context with this memory
  void (*loaded)(void *ctx, uint32_t address);                // the program's image begins there
  void (*allocated)(void *ctx, uint32_t address, size_t bytes);
  void (*freed)(void *ctx, uint32_t address);
  void (*written)(void *ctx, uint32_t address, size_t bytes);
  void (*spoiled)(void *ctx, uint32_t address, size_t bytes);  // what was written there means nothing
  void (*launched)(void *ctx, const struct qsm_observed_launch *launch);
};

// From now on, for all contexts of the device. The observer outlives the device.
void qsm_device_observe(qsmDevice_t device, const struct qsm_observer *observer);

// Tells the observer that what was written there means nothing: it is as good as never written.
void qsm_context_spoiled(qsmContext_t context, uint32_t address, size_t bytes);

// A device of its own on the model, with nothing on it but a copy of the context: same slot, SMs, module, policy and scheme none. Reads
// registers of the context's device. Close *device when done; on error the context's device has the text.
qsmError_t qsm_context_clone(qsmContext_t context, qsmDevice_t *device, qsmContext_t *clone);
// Copies the whole memory of a context into its clone's.
qsmError_t qsm_context_copy_memory(qsmContext_t context, qsmContext_t clone);

qsmDevice_t qsm_context_device(qsmContext_t context);
// A register of the context's slot (QSM_SLOT_...).
qsmError_t qsm_context_read(qsmContext_t context, uint32_t offset, uint32_t *value);
// A field of a register's value.
static inline uint32_t qsm_field(uint32_t value, uint32_t mask, uint32_t shift) { return (value & mask) >> shift; }
// Fails a call on this device with a text.
qsmError_t qsm_device_fail(qsmDevice_t device, qsmError_t error, const char *text);
// Fails a call on this device with what went wrong on another.
qsmError_t qsm_device_take_error(qsmDevice_t device, qsmError_t error, qsmDevice_t other);

#endif
