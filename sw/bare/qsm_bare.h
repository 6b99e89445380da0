// SPDX-License-Identifier: Apache-2.0
// Tenants, goals and launches for a program without an operating system: of a CPU in the same SoC
// as the GPU (docs/soc.md). Freestanding C: no heap, no library. It knows no more than what such a
// program needs; a host with a C library has libqsm.
#ifndef QSM_BARE_H
#define QSM_BARE_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_config.h"

enum { QSM_BARE_MOST_ARGS = 8 };

// How the GPU is reached. Addresses are those of the control port and the GPU's of memory.
struct qsm_bare_bus {
  bool (*write)(void *context, uint32_t address, uint32_t value);  // false: the GPU has refused it
  bool (*read)(void *context, uint32_t address, uint32_t *value);
  void (*put)(void *context, uint32_t address, const void *bytes, uint32_t n_bytes);
  void (*get)(void *context, uint32_t address, void *bytes, uint32_t n_bytes);
  void *context;
};

struct qsm_bare_kernel {
  const char *name;
  uint32_t offset, stack_bytes, n_args;
};

// A program of qsm-cc as qsm-image writes it.
struct qsm_bare_program {
  const uint8_t *image;
  uint32_t image_bytes, code_bytes, entry, shared_bytes;
  const struct qsm_bare_kernel *kernels;
  uint32_t n_kernels;
};

struct qsm_bare {
  const struct qsm_bare_bus *bus;
  struct qsm_config config;  // what the GPU says of itself: CONFIG0..3
  uint32_t epoch_cycles;
};

struct qsm_bare_tenant {
  struct qsm_bare *gpu;
  uint32_t slot, base, limit;
  const struct qsm_bare_program *program;
  uint32_t program_at, free_at, args_at;
  uint32_t stacks_at, stacks_bytes;  // of the largest stacks so far
};

struct qsm_bare_dim3 {
  uint32_t x, y, z;
};

struct qsm_bare_launch {
  const char *kernel;
  struct qsm_bare_dim3 grid, block;
  uint32_t shared_bytes;  // besides the program's own
  uint32_t args[QSM_BARE_MOST_ARGS], n_args;
};

struct qsm_bare_fault {
  uint32_t cause, pc, thread, block, value;
};

// All return NULL, or what has gone wrong.

// Is there a GPU, and what is it?
const char *qsm_bare_open(struct qsm_bare *gpu, const struct qsm_bare_bus *bus);
// Before there are tenants: policy and scheme of qsm_enums.h, and the epoch's length.
const char *qsm_bare_schedule(struct qsm_bare *gpu, uint32_t policy, uint32_t scheme,
                              uint32_t epoch_cycles);
// Tenants that are behind their goals get more thread blocks on an SM, in place of others', which
// leave it by a technique of qsm_enums.h. Only drain needs nothing else.
const char *qsm_bare_adjust(struct qsm_bare *gpu, uint32_t technique);
// A tenant in a slot, with the GPU's memory from `base` to `limit`, multiples of 4096, and a
// program.
const char *qsm_bare_arrive(struct qsm_bare_tenant *tenant, struct qsm_bare *gpu, uint32_t slot,
                            uint32_t base, uint32_t limit, const struct qsm_bare_program *program);
// Gives the slot back, when its launch has ended; what its kernels wrote is then in memory.
const char *qsm_bare_leave(struct qsm_bare_tenant *tenant);
// Thread instructions per cycle, Q16.16; 0: none. Not while a launch runs.
const char *qsm_bare_set_goal(struct qsm_bare_tenant *tenant, uint32_t ipc_q16);
// Memory of the tenant, aligned to 256, until it leaves. 0: no room.
uint32_t qsm_bare_alloc(struct qsm_bare_tenant *tenant, uint32_t n_bytes);
const char *qsm_bare_start(struct qsm_bare_tenant *tenant, const struct qsm_bare_launch *launch);
// Slots whose launches have ended since the last call, a bit each; they may start the next one.
const char *qsm_bare_ended(struct qsm_bare *gpu, uint32_t *slots);
// Of the launch that has ended; *killed: the fault says why.
const char *qsm_bare_result(const struct qsm_bare_tenant *tenant, bool *killed,
                            struct qsm_bare_fault *fault);
// After a launch, before somebody else reads what it wrote, or changes what the next one reads.
const char *qsm_bare_flush(struct qsm_bare *gpu);
// Since the tenant arrived or the history was cleared, up to the last epoch that was counted.
const char *qsm_bare_history(const struct qsm_bare_tenant *tenant, uint32_t *n_instructions,
                             uint32_t *n_cycles);
const char *qsm_bare_clear_history(const struct qsm_bare_tenant *tenant);

#endif
