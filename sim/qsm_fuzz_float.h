// SPDX-License-Identifier: Apache-2.0
// Floating point for random programs: instructions of docs/fpu.md, and values that are hard.
#ifndef QSM_FUZZ_FLOAT_H
#define QSM_FUZZ_FLOAT_H

#include "qsm_random.h"

// A legal instruction of any operation and mode; fields of registers that it does not have are left
// out.
uint32_t qsm_fuzz_float(struct qsm_random *random, uint32_t rd, uint32_t rs1, uint32_t rs2,
                        uint32_t rs3);
// A word of these opcodes, legal or not.
uint32_t qsm_fuzz_float_word(struct qsm_random *random, uint32_t rd, uint32_t rs);
// Zeros, subnormals, infinities, NaNs, numbers next to 1 and to both ends of the range, of few
// bits, anything.
uint32_t qsm_fuzz_float_value(struct qsm_random *random);

#endif
