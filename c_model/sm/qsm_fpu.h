// SPDX-License-Identifier: Apache-2.0
// Floating point of the lanes: docs/fpu.md, I-FP-1 .. I-FP-4. Knows no time and no SM.
//
// Two ways to the same bits. Integers alone give every operation in every mode, whatever compiler
// and host do with floats. The host's own operations, vectorised, give the common ones (to nearest)
// where they are those of IEEE 754.
#ifndef QSM_FPU_H
#define QSM_FPU_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_decode.h"

// Lanes are those of a warp: 2, 4, 8, 16 or 32. Operands that an operation does not have may hold
// anything.

// The operations of class ALU.
void qsm_fpu_simple(uint8_t op, const uint32_t *a, const uint32_t *b, uint32_t *out,
                    uint32_t n_lanes);
// Those of classes FMA and DIV; rm is not dynamic. host: its floats may be used.
void qsm_fpu_rounded(uint8_t op, uint32_t rm, bool host, const uint32_t *a, const uint32_t *b,
                     const uint32_t *c, uint32_t *out, uint32_t n_lanes);

// Do the host's float operations give what IEEE 754 says, as the thread has set them now: rounded
// to nearest, with subnormals?
bool qsm_fpu_host_is_exact(void);

#endif
