// SPDX-License-Identifier: Apache-2.0
// Masks of one word, and cycle numbers.
#ifndef QSM_BITS_H
#define QSM_BITS_H

#include <stdint.h>

#define QSM_NEVER UINT64_MAX  // a cycle that does not come

static inline unsigned qsm_ctz(uint32_t bits) { return (unsigned)__builtin_ctz(bits); }
static inline unsigned qsm_popcount(uint32_t bits) { return (unsigned)__builtin_popcount(bits); }

// First set bit of `bits` (not 0) circular from `from` (R-GEN-5).
static inline unsigned qsm_circular_first(uint32_t bits, unsigned from) {
  uint32_t at_or_after = bits & (~0u << from);
  return qsm_ctz(at_or_after ? at_or_after : bits);
}

#endif
