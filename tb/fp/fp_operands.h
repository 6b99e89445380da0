// SPDX-License-Identifier: Apache-2.0
// Operands for floating-point operations, seeded, and biased towards what is hard: see
// fp_operands.c.
#ifndef FP_OPERANDS_H
#define FP_OPERANDS_H

#include "fp_ref.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fp_random {
  uint64_t state;
};

struct fp_random fp_random_seed(uint64_t seed);
// Those that the operation has; the others are anything.
void fp_operands(struct fp_random *random, enum fp_op op, uint32_t operand[3]);

#ifdef __cplusplus
}
#endif

#endif
