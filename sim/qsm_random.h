// SPDX-License-Identifier: Apache-2.0
// Seeded random numbers of the fuzzer (xorshift64*: Vigna, "An experimental exploration of
// Marsaglia's xorshift generators", 2016).
#ifndef QSM_RANDOM_H
#define QSM_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct qsm_random {
  uint64_t state;  // never 0
};

static inline struct qsm_random qsm_random_seed(uint64_t seed) {
  uint64_t mixed = (seed + 1) * 0x9E3779B97F4A7C15u;
  return (struct qsm_random){mixed ? mixed : 1};
}

static inline uint32_t qsm_random_next(struct qsm_random *random) {
  random->state ^= random->state >> 12;
  random->state ^= random->state << 25;
  random->state ^= random->state >> 27;
  return (uint32_t)((random->state * 0x2545F4914F6CDD1Du) >> 32);
}

// Uniform in 0 .. n-1.
static inline uint32_t qsm_random_below(struct qsm_random *random, uint32_t n) {
  return (uint32_t)(((uint64_t)qsm_random_next(random) * n) >> 32);
}

static inline bool qsm_random_chance(struct qsm_random *random, uint32_t percent) {
  return qsm_random_below(random, 100) < percent;
}

#endif
