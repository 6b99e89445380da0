// SPDX-License-Identifier: Apache-2.0
// The simulated device memory behind the memory ports (docs/xbar.md, R-MM): the environment of the
// GPU, the same object for the model and for the RTL. The caller says in which cycle it calls;
// cycles of one channel never go back.
#ifndef QSM_MEM_H
#define QSM_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "qsm_enums.h"
#include "qsm_config.h"

#define QSM_MEM_BASE 0x80000000u

enum {
  QSM_MEM_MAX_WORDS = 32,      // words of the longest line
  QSM_MEM_MAX_MASK_WORDS = 4,  // its byte mask, in words
};

struct qsm_mem_access {
  uint8_t kind;  // enum qsm_mem_type
  uint8_t amo;   // enum qsm_amo
  uint8_t sm;    // sm and tag come back with the response
  uint8_t tag;
  uint8_t slot;           // kernel slot
  uint8_t place;          // the crossbar's, comes back too
  bool nc;                // not to be allocated in the L2
  uint32_t addr;          // multiple of the line length
  const uint32_t *bytes;  // byte mask, bit i of word i / 32; not looked at for reads
  const uint32_t *data;   // one line; not looked at for reads
};

// The host may fetch what is used soon.
static inline void qsm_fetch_ahead(const void *bytes, uint32_t n_bytes) {
  for (uint32_t i = 0; i < n_bytes; i += 64) __builtin_prefetch((const char *)bytes + i);
}

// Most configurations have lines of 128 bytes, which take a few vector moves.
static inline void qsm_copy_line(uint32_t *to, const uint32_t *from, uint32_t line_bytes) {
  if (line_bytes == 128) {
    memcpy(to, from, 128);
  } else {
    memcpy(to, from, line_bytes);
  }
}

struct qsm_mem_response {
  uint8_t kind;  // of the access
  uint8_t sm;
  uint8_t tag;
  uint8_t place;
  uint64_t ready;                    // first cycle in which it may be valid, by the latency alone
  uint32_t data[QSM_MEM_MAX_WORDS];  // the line (AMO: as it was before); 0 for a write
};

// Performs a write, or the AMO, on a line of n_words words.
void qsm_mem_apply(const struct qsm_mem_access *access, uint8_t *line, uint32_t n_words);

struct qsm_mem;

// Builds the memory, all zero. Returns 0 and sets *out, or -1: no memory. The configuration is
// copied.
int qsm_mem_create(const struct qsm_config *config, struct qsm_mem **out);
void qsm_mem_destroy(struct qsm_mem *mem);  // NULL is fine

// The mem_bytes bytes from QSM_MEM_BASE on.
uint8_t *qsm_mem_bytes(struct qsm_mem *mem);

uint32_t qsm_mem_line_words(const struct qsm_mem *mem);

// First cycle in which the channel is ready for a request (R-MM-1).
uint64_t qsm_mem_ready_at(const struct qsm_mem *mem, uint32_t channel);
// Accepts a request in a cycle from qsm_mem_ready_at() on and performs it at once. Channels of one
// cycle ascending.
void qsm_mem_accept(struct qsm_mem *mem, uint32_t channel, uint64_t cycle,
                    const struct qsm_mem_access *access);

// An access to this line will come, perhaps: the host may fetch it meanwhile.
void qsm_mem_announce(const struct qsm_mem *mem, uint32_t addr);

// First cycle in which the channel's oldest response is valid; UINT64_MAX: no request is under way.
uint64_t qsm_mem_response_at(const struct qsm_mem *mem, uint32_t channel);
// The oldest response; there must be one. It stays as it is until two more were taken, and behind a
// memory controller until two more have left that.
const struct qsm_mem_response *qsm_mem_response(const struct qsm_mem *mem, uint32_t channel);
// Takes it in a cycle from qsm_mem_response_at() on.
void qsm_mem_take(struct qsm_mem *mem, uint32_t channel, uint64_t cycle);

#endif
