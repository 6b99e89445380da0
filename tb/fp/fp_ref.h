// SPDX-License-Identifier: Apache-2.0
// Floating point as docs/fpu.md has it (I-FP-1 .. I-FP-4), computed with GNU MPFR: what RTL and
// model are measured against. Knows neither.
#ifndef FP_REF_H
#define FP_REF_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// X(name, mnemonic, word without registers and rm, number of operands, its rm rounds)
// clang-format off: a table
#define FP_OPS(X)                                                                           \
  X(ADD, "fadd.s", 0x00000053, 2, true) X(SUB, "fsub.s", 0x08000053, 2, true)               \
  X(MUL, "fmul.s", 0x10000053, 2, true)                                                     \
  X(DIV, "fdiv.s", 0x18000053, 2, true) X(SQRT, "fsqrt.s", 0x58000053, 1, true)             \
  X(SGNJ, "fsgnj.s", 0x20000053, 2, false) X(SGNJN, "fsgnjn.s", 0x20001053, 2, false)       \
  X(SGNJX, "fsgnjx.s", 0x20002053, 2, false)                                                \
  X(MIN, "fmin.s", 0x28000053, 2, false) X(MAX, "fmax.s", 0x28001053, 2, false)             \
  X(CVT_W_S, "fcvt.w.s", 0xC0000053, 1, true) X(CVT_WU_S, "fcvt.wu.s", 0xC0100053, 1, true) \
  X(CVT_S_W, "fcvt.s.w", 0xD0000053, 1, true) X(CVT_S_WU, "fcvt.s.wu", 0xD0100053, 1, true) \
  X(EQ, "feq.s", 0xA0002053, 2, false) X(LT, "flt.s", 0xA0001053, 2, false)                 \
  X(LE, "fle.s", 0xA0000053, 2, false)                                                      \
  X(CLASS, "fclass.s", 0xE0001053, 1, false)                                                \
  X(MADD, "fmadd.s", 0x00000043, 3, true) X(MSUB, "fmsub.s", 0x00000047, 3, true)           \
  X(NMSUB, "fnmsub.s", 0x0000004B, 3, true) X(NMADD, "fnmadd.s", 0x0000004F, 3, true)
// clang-format on

enum fp_op {
#define FP_OP_ENUM(name, mnemonic, word, n_operands, rounds) FP_##name,
  FP_OPS(FP_OP_ENUM)
#undef FP_OP_ENUM
      FP_N_OPS
};

// As in the field rm; 5 and 6 are illegal, 7 means RNE.
enum fp_rm { FP_RNE, FP_RTZ, FP_RDN, FP_RUP, FP_RMM, FP_N_MODES };

struct fp_op_info {
  const char *mnemonic;
  uint32_t word;
  uint32_t n_operands;
  bool rounds;
};
extern const struct fp_op_info fp_op_info[FP_N_OPS];

// The instruction; rs2 and rs3 count where the operation has them, rm where it rounds (0 .. 4, or
// 7).
uint32_t fp_encode(enum fp_op op, uint32_t rm, uint32_t rd, uint32_t rs1, uint32_t rs2,
                   uint32_t rs3);

// The operation of a word by I-FP-1 and I-FP-2, FP_N_OPS if it is none.
enum fp_op fp_decode(uint32_t word);
static inline enum fp_rm fp_rm_of(uint32_t word) {
  return (word >> 12 & 7) == 7 ? FP_RNE : (enum fp_rm)(word >> 12 & 7);
}

struct fp_ref;

struct fp_ref *fp_ref_create(void);  // NULL: no memory
void fp_ref_destroy(struct fp_ref *ref);
// The result's bits; operands that the operation does not have count for nothing.
uint32_t fp_ref_compute(struct fp_ref *ref, enum fp_op op, enum fp_rm rm, uint32_t a, uint32_t b,
                        uint32_t c);

#ifdef __cplusplus
}
#endif

#endif
