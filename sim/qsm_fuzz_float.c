// SPDX-License-Identifier: Apache-2.0
#include "qsm_fuzz_float.h"

enum {
  FADD = 0x00,
  FSUB = 0x04,
  FMUL = 0x08,
  FDIV = 0x0C,
  FSQRT = 0x2C,
  FSGNJ = 0x10,
  FMINMAX = 0x14
};
enum { COMPARE = 0x50, TO_INT = 0x60, FROM_INT = 0x68, FCLASS = 0x70 };
enum { OP_FP = 0x53, FIRST_FUSED = 0x43, DYNAMIC = 7 };

static uint32_t below(struct qsm_random *random, uint32_t n) { return qsm_random_below(random, n); }
static uint32_t sign(struct qsm_random *random) { return below(random, 2) << 31; }

static uint32_t mode(struct qsm_random *random) {
  uint32_t rm = below(random, 6);
  return rm == 5 ? DYNAMIC : rm;
}

static uint32_t op_fp(uint32_t funct7, uint32_t funct3, uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | OP_FP;
}

uint32_t qsm_fuzz_float(struct qsm_random *random, uint32_t rd, uint32_t rs1, uint32_t rs2,
                        uint32_t rs3) {
  switch (below(random, 20)) {
    case 0:
    case 1: return op_fp(FADD, mode(random), rd, rs1, rs2);
    case 2:
    case 3: return op_fp(FSUB, mode(random), rd, rs1, rs2);
    case 4:
    case 5: return op_fp(FMUL, mode(random), rd, rs1, rs2);
    case 6: return op_fp(FDIV, mode(random), rd, rs1, rs2);
    case 7: return op_fp(FSQRT, mode(random), rd, rs1, 0);
    case 8: return op_fp(FSGNJ, below(random, 3), rd, rs1, rs2);
    case 9: return op_fp(FMINMAX, below(random, 2), rd, rs1, rs2);
    case 10:
    case 11: return op_fp(TO_INT, mode(random), rd, rs1, below(random, 2));
    case 12:
    case 13: return op_fp(FROM_INT, mode(random), rd, rs1, below(random, 2));
    case 14: return op_fp(COMPARE, below(random, 3), rd, rs1, rs2);
    case 15: return op_fp(FCLASS, 1, rd, rs1, 0);
    default:
      return rs3 << 27 | rs2 << 20 | rs1 << 15 | mode(random) << 12 | rd << 7 |
             (FIRST_FUSED + 4 * below(random, 4));
  }
}

uint32_t qsm_fuzz_float_word(struct qsm_random *random, uint32_t rd, uint32_t rs) {
  static const uint8_t funct7[] = {FADD,    FSUB,   FMUL,     FDIV,    FSQRT,  FSGNJ,
                                   FMINMAX, TO_INT, FROM_INT, COMPARE, FCLASS, 0x78 /* fmv.w.x */};
  uint32_t opcode = below(random, 2) ? OP_FP : FIRST_FUSED + 4 * below(random, 4),
           funct3 = below(random, 8);
  uint32_t upper = below(random, 4) ? funct7[below(random, sizeof funct7)] : below(random, 128);
  return upper << 25 | (below(random, 2) ? rs : below(random, 3)) << 20 | rs << 15 | funct3 << 12 |
         rd << 7 | opcode;
}

uint32_t qsm_fuzz_float_value(struct qsm_random *random) {
  uint32_t fraction = qsm_random_next(random) & 0x7FFFFF;
  if (below(random, 2))
    fraction &= 0x7FFFFFu << below(random, 24);  // few bits, so that sums and products are ties
  switch (below(random, 12)) {
    case 0: return sign(random);
    case 1: return sign(random) | fraction >> below(random, 23);
    case 2: return sign(random) | 0x7F800000u;
    case 3: return sign(random) | 0x7F800000u | fraction;
    case 4: return sign(random) | (0x3F800000u + below(random, 5) - 2);
    case 5: return sign(random) | (0x00800000u + below(random, 5) - 2);
    case 6: return sign(random) | (0x7F7FFFFFu - below(random, 3));
    case 7:
      return sign(random) | (126 + below(random, 34)) << 23 | fraction;  // integers and halves
    case 8: return qsm_random_next(random);
    default: return sign(random) | (117 + below(random, 21)) << 23 | fraction;
  }
}
