// SPDX-License-Identifier: Apache-2.0
// The kernel suite: programs with a seeded input generator and a host reference.
//
// A program is a sequence of launches that turns generated inputs into outputs which check() compares with a host
// computation. One run through that sequence is a pass; a scenario repeats passes. The suite knows no GPU: it reaches
// device memory through struct qsm_suite_mem, so the same code serves every backend.
#ifndef QSM_SUITE_H
#define QSM_SUITE_H

#include <stddef.h>
#include <stdint.h>

struct qsm_suite_mem {
  void *ctx;
  // Allocates `bytes` of device memory (aligned to 256); returns 0 when there is no room.
  uint32_t (*alloc)(void *ctx, size_t bytes);
  void (*write)(void *ctx, uint32_t addr, const void *src, size_t bytes);
  void (*read)(void *ctx, uint32_t addr, void *dst, size_t bytes);
};

struct qsm_suite_launch {
  const char *symbol;    // kernel function in the program's ELF
  uint32_t grid[3];      // blocks
  uint32_t block[3];     // threads
  uint32_t shared_bytes; // shared memory of one block
  uint32_t args[8];      // a0..a7
};

enum qsm_suite_size { QSM_SIZE_S, QSM_SIZE_M, QSM_SIZE_L };

struct qsm_suite_program {
  const char *name;    // as in scenarios, e.g. "vadd"
  const char *about;   // one line for `qsm kernels`
  const char *elf;     // file name of the ELF in the kernel folder, e.g. "vadd.elf"
  const char *bound;   // "compute" or "memory", measured class
  // Allocates device memory, generates inputs from `seed` and writes them. NULL on no room. The caller destroys it.
  void *(*create)(const struct qsm_suite_mem *mem, uint64_t seed, enum qsm_suite_size size);
  // Puts outputs and launch state back to the start of a pass.
  void (*begin)(void *job);
  // Fills the next launch of the pass; returns 0 when the pass is complete.
  int (*next)(void *job, struct qsm_suite_launch *launch);
  // Number of wrong output elements after a complete pass; 0 = right.
  uint64_t (*check)(void *job);
  void (*destroy)(void *job);
};

// All programs, ended by an entry with name == NULL.
extern const struct qsm_suite_program qsm_suite[];

// The program called `name`, or NULL.
const struct qsm_suite_program *qsm_suite_find(const char *name);

#endif
