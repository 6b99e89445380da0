// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share (docs/collocation.md).
#ifndef QSM_COLLOCATION_INTERNAL_H
#define QSM_COLLOCATION_INTERNAL_H

#include "qsm_collocation.h"

enum { COLLOCATION_RESOURCES = 3, COLLOCATION_MILLION = 1000000 };

struct collocation_kernel {
  const uint64_t *time[QSM_COLLOCATION_POLICIES];
  uint32_t use[COLLOCATION_RESOURCES];
  uint32_t demand;
  bool critical;
};

struct collocation_queue {
  struct collocation_kernel *kernels;  // NULL: the application has ended
  uint32_t n_kernels, kernel, policy;
  qsm_collocation_mask mask;
  bool running;
};

struct qsm_collocation {
  struct qsm_collocation_machine machine;
  struct qsm_collocation_options options;
  uint64_t sigma, gamma;  // in millionths
  uint32_t random;
  struct collocation_queue *queues;
  uint32_t n_queues;
  // Of the running kernels that have the SM in their masks.
  uint64_t used[QSM_COLLOCATION_MOST_SMS][COLLOCATION_RESOURCES];
  uint32_t load[QSM_COLLOCATION_MOST_SMS];
};

static inline qsm_collocation_mask collocation_bit(uint32_t sm) {
  return (qsm_collocation_mask)1 << sm;
}
static inline uint32_t collocation_count(qsm_collocation_mask mask) {
  return (uint32_t)(__builtin_popcountll((uint64_t)mask) +
                    __builtin_popcountll((uint64_t)(mask >> 64)));
}
// The lowest SM of a mask that is not empty.
static inline uint32_t collocation_lowest(qsm_collocation_mask mask) {
  return (uint64_t)mask ? (uint32_t)__builtin_ctzll((uint64_t)mask)
                        : 64 + (uint32_t)__builtin_ctzll((uint64_t)(mask >> 64));
}
// U in 2^-32, of a kernel beside others (R-CO-4).
uint64_t collocation_u(const uint32_t use[COLLOCATION_RESOURCES],
                       const uint64_t others[COLLOCATION_RESOURCES]);
void collocation_fedcm(struct qsm_collocation *collocation, uint32_t queue,
                       const struct collocation_kernel *kernel,
                       struct qsm_collocation_decision *decision);
qsm_collocation_mask collocation_krisp(const struct qsm_collocation *collocation, uint32_t demand);

#endif
