// SPDX-License-Identifier: Apache-2.0
// Decoded instructions (docs/isa.md, classes in docs/subcore.md).
#ifndef QSM_DECODE_H
#define QSM_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_enums.h"

// X(op, class)
// clang-format off: a table
#define QSM_OPS(X)                                                                               \
  X(LUI, ALU) X(AUIPC, ALU) X(FENCE, ALU) X(CSR, ALU)                                            \
  X(ADD, ALU) X(SUB, ALU) X(SLL, ALU) X(SLT, ALU) X(SLTU, ALU) X(XOR, ALU) X(SRL, ALU)           \
  X(SRA, ALU) X(OR, ALU)                                                                         \
  X(AND, ALU)                                                                                    \
  X(ADDI, ALU) X(SLLI, ALU) X(SLTI, ALU) X(SLTUI, ALU) X(XORI, ALU) X(SRLI, ALU) X(SRAI, ALU)    \
  X(ORI, ALU) X(ANDI, ALU)                                                                       \
  X(MUL, MUL) X(MULH, MUL) X(MULHSU, MUL) X(MULHU, MUL)                                          \
  X(DIV, DIV) X(DIVU, DIV) X(REM, DIV) X(REMU, DIV)                                              \
  X(LB, MEM) X(LH, MEM) X(LW, MEM) X(LBU, MEM) X(LHU, MEM)                                       \
  X(SB, MEM) X(SH, MEM) X(SW, MEM) X(AMO, MEM)                                                   \
  X(BEQ, CTL) X(BNE, CTL) X(BLT, CTL) X(BGE, CTL) X(BLTU, CTL) X(BGEU, CTL)                      \
  X(JAL, CTL) X(JALR, CTL) X(BAR, CTL) X(EXIT, CTL) X(ECALL, CTL) X(EBREAK, CTL) X(ILLEGAL, CTL) \
  X(IFAULT, CTL)                                                                                 \
  X(FSGNJ, ALU) X(FSGNJN, ALU) X(FSGNJX, ALU) X(FMIN, ALU) X(FMAX, ALU) X(FEQ, ALU) X(FLT, ALU)  \
  X(FLE, ALU)                                                                                    \
  X(FCLASS, ALU)                                                                                 \
  X(FADD, FMA) X(FSUB, FMA) X(FMUL, FMA) X(FMADD, FMA) X(FMSUB, FMA) X(FNMSUB, FMA)              \
  X(FNMADD, FMA)                                                                                 \
  X(FCVT_W_S, FMA) X(FCVT_WU_S, FMA) X(FCVT_S_W, FMA) X(FCVT_S_WU, FMA)                          \
  X(FDIV, DIV) X(FSQRT, DIV)
// clang-format on

enum qsm_op {
#define QSM_OP_ENUM(op, class) QSM_OP_##op,
  QSM_OPS(QSM_OP_ENUM)
#undef QSM_OP_ENUM
};

// Bit 0 of `need` (x0 is never a hazard): the instruction takes a scoreboard entry (R-SB-1).
#define QSM_NEED_ENTRY 1u

struct qsm_insn {
  uint32_t instr;
  uint32_t imm;   // sign-extended immediate; CSR: number; AMO: operation as in docs/xbar.md;
                  // floating point: rm | rs3 << 8
  uint32_t need;  // registers that must have no pending write (R-SB-2), and QSM_NEED_ENTRY
  uint8_t op;     // enum qsm_op
  uint8_t rd;     // 0 where the instruction writes no register
  uint8_t rs1;    // 0 where unused
  uint8_t rs2 : 5;
  uint8_t n_reads : 3;  // registers that it reads, but for x0; one that stands in two fields counts
                        // twice
};

extern const uint8_t qsm_op_class[];

// fpu: with floating point (parameter Fpu).
void qsm_decode(uint32_t instr, bool fpu, struct qsm_insn *out);

static inline bool qsm_is_float(const struct qsm_insn *i) { return i->op >= QSM_OP_FSGNJ; }

// Of floating-point instructions: the rounding mode (dynamic is to nearest), the third source (0
// where there is none).
static inline uint32_t qsm_fp_rm(const struct qsm_insn *i) { return i->imm & 7; }
static inline uint32_t qsm_fp_rs3(const struct qsm_insn *i) { return i->imm >> 8; }

// I-MEM-5: later loads see what other SMs have stored.
static inline bool qsm_is_device_fence(const struct qsm_insn *i) {
  return i->op == QSM_OP_FENCE && (i->instr >> 21 & 1);
}

static inline bool qsm_is_store(const struct qsm_insn *i) {
  return i->op >= QSM_OP_SB && i->op <= QSM_OP_SW;
}

#endif
