// SPDX-License-Identifier: Apache-2.0
// For `qsm memcheck`: which bytes of a tenant's device memory are allocated, and which of them hold
// a value (docs/memcheck.md).
#ifndef QSM_MEMCHECK_MEMORY_H
#define QSM_MEMCHECK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qsm_mc_memory;

enum qsm_mc_state {
  QSM_MC_NOWHERE,  // in no allocation, nor in what the library has put there
  QSM_MC_UNINITIALISED,
  QSM_MC_INITIALISED,
  QSM_MC_FOREIGN,  // not the tenant's: the hardware faults
};

struct qsm_mc_memory *qsm_mc_memory_create(uint32_t base, uint32_t limit);  // NULL: no memory
void qsm_mc_memory_destroy(struct qsm_mc_memory *memory);                   // NULL is fine

int qsm_mc_memory_allocate(struct qsm_mc_memory *memory, uint32_t address,
                           size_t bytes);  // -1: no memory
void qsm_mc_memory_free(struct qsm_mc_memory *memory, uint32_t address);
// By the host: of an allocation, or of what the library needs itself.
void qsm_mc_memory_write(struct qsm_mc_memory *memory, uint32_t address, size_t bytes);
void qsm_mc_memory_spoil(struct qsm_mc_memory *memory, uint32_t address,
                         size_t bytes);  // what was written there means nothing

// The worst state of the bytes that a thread accesses.
enum qsm_mc_state qsm_mc_memory_look(const struct qsm_mc_memory *memory, uint32_t address,
                                     uint32_t bytes);
// A thread's store: what is allocated is initialised from now on.
void qsm_mc_memory_store(struct qsm_mc_memory *memory, uint32_t address, uint32_t bytes);

// The allocation that an address is in, was in, or is nearest to: "offset 40 of allocation 2
// (0x80042000, 400 bytes)".
void qsm_mc_memory_describe(const struct qsm_mc_memory *memory, uint32_t address, char *text,
                            size_t text_len);

#endif
