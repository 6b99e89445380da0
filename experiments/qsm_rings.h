// SPDX-License-Identifier: Apache-2.0
// Command channels by registers and memory (docs/front.md), for the experiments on them: a GPU, a
// driver that opens channels, and the rings.
#ifndef QSM_RINGS_H
#define QSM_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_backend.h"
#include "qsm_config.h"

// Memory: contexts, rings, then the tenants'.
enum {
  QSM_RINGS_MEMORY = (int)0x80000000,
  QSM_RINGS_CONTEXT_BYTES = 128,
  QSM_RINGS_AT = 0x10000,
  QSM_RING_BYTES = 4096,
  QSM_RING_MOST_LOG2 = 7,  // commands that it has room for
  QSM_RINGS_TENANTS_AT = 0x100000,
};

struct qsm_rings {
  const struct qsm_config *config;
  struct qsm_backend *backend;
  char *msg;  // of the last failure
  size_t msg_len;
};

// What a channel may touch: code and descriptors below data, which it reads, the rest it writes.
struct qsm_ring_setting {
  uint32_t base, data, limit;
  uint32_t stack;         // STACK
  uint32_t rights;        // of set
  uint32_t log2;          // commands of the ring
  uint32_t limit_cycles;  // CH_LIMIT
};

// All functions return 0, or -1 with a text.
__attribute__((format(printf, 2, 3))) int qsm_rings_fail(struct qsm_rings *rings,
                                                         const char *format, ...);
// The model, all of its slots for channels. The backend is closed by its own function.
int qsm_rings_open(struct qsm_rings *rings, const struct qsm_backend_options *options,
                   bool concurrent);
int qsm_rings_put(struct qsm_rings *rings, uint32_t address, uint32_t value);
int qsm_rings_run(struct qsm_rings *rings, uint64_t n_cycles);
// Enables a channel; it takes commands when it has been cleared.
int qsm_rings_enable(struct qsm_rings *rings, uint32_t c, const struct qsm_ring_setting *setting);
int qsm_rings_wait_cleared(struct qsm_rings *rings, uint32_t c);

uint32_t qsm_rings_driver(uint32_t c, uint32_t offset);
uint32_t qsm_rings_page(uint32_t c, uint32_t offset);
uint32_t qsm_rings_context_at(uint32_t c);
uint32_t qsm_rings_ring_at(uint32_t c);
uint64_t qsm_rings_cycle(struct qsm_rings *rings);
// A counter of two words, and a register, in no time.
uint64_t qsm_rings_counter(struct qsm_rings *rings, uint32_t c, uint32_t low);
uint32_t qsm_rings_peek(struct qsm_rings *rings, uint32_t address);
bool qsm_rings_is_fresh(struct qsm_rings *rings, uint32_t c);

void qsm_rings_store(struct qsm_rings *rings, uint32_t address, const void *data, size_t bytes);
uint32_t qsm_rings_load(struct qsm_rings *rings, uint32_t address);
// Writes a command of eight words into the ring.
void qsm_rings_command(struct qsm_rings *rings, uint32_t c, uint32_t index,
                       const uint32_t command[8]);

#endif
