// SPDX-License-Identifier: Apache-2.0
// The memory controllers, one per channel (docs/dram.md, R-DR). Upstream each is a memory port,
// with the functions of qsm_mem.h.
#ifndef QSM_DRAM_H
#define QSM_DRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_config.h"
#include "qsm_mem.h"

struct qsm_bus;
struct qsm_dram;

enum { QSM_DRAM_FIRST_COUNTER = 8, QSM_DRAM_COUNTERS = 4 };  // MEM_SELECT's numbers (R-DR-9)

// The arguments outlive the controllers. NULL: no memory.
struct qsm_dram *qsm_dram_create(const struct qsm_config *config, struct qsm_mem *mem,
                                 const struct qsm_bus *bus);
void qsm_dram_destroy(struct qsm_dram *dram);  // NULL is fine

// First cycle from `from` on in which the controller does anything, if nothing happens at its
// upstream port.
uint64_t qsm_dram_next(const struct qsm_dram *dram, uint32_t channel, uint64_t from);
// Commands and the memory port in one cycle, before what happens at the upstream port in it. Cycles
// ascending, none that qsm_dram_next() names left out.
void qsm_dram_step(struct qsm_dram *dram, uint32_t channel, uint64_t cycle);

// The upstream port; UINT64_MAX: not before a step.
uint64_t qsm_dram_ready_at(const struct qsm_dram *dram, uint32_t channel);
void qsm_dram_accept(struct qsm_dram *dram, uint32_t channel, uint64_t cycle,
                     const struct qsm_mem_access *access);
uint64_t qsm_dram_response_at(const struct qsm_dram *dram, uint32_t channel);
const struct qsm_mem_response *qsm_dram_response(const struct qsm_dram *dram, uint32_t channel);
void qsm_dram_take(struct qsm_dram *dram, uint32_t channel, uint64_t cycle);

// R-DR-9: counter number QSM_DRAM_FIRST_COUNTER and above; those of the slots in the mask become 0.
uint32_t qsm_dram_counter(const struct qsm_dram *dram, uint32_t channel, uint32_t slot,
                          uint32_t counter);
void qsm_dram_clear_counters(struct qsm_dram *dram, uint32_t slots);

// As qsm_model_state() and qsm_model_inject(); `cycle` is the next one to run.
bool qsm_dram_state(const struct qsm_dram *dram, uint64_t cycle, uint32_t channel, uint32_t index,
                    uint32_t word, uint32_t *value);
int qsm_dram_inject(struct qsm_dram *dram, uint64_t seed, char *what, size_t what_len);

#endif
