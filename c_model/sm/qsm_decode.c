// SPDX-License-Identifier: Apache-2.0
// Instruction decoder: docs/isa.md, I-ISA-1 .. I-ISA-4 and the CSR table; docs/fpu.md, I-FP-1 and
// I-FP-2.
#include "qsm_decode.h"

const uint8_t qsm_op_class[] = {
#define QSM_OP_CLASS(op, class) QSM_CLASS_##class,
    QSM_OPS(QSM_OP_CLASS)
#undef QSM_OP_CLASS
};

static uint32_t bits(uint32_t word, unsigned high, unsigned low) {
  return (word >> low) & ((1u << (high - low + 1)) - 1);
}

static uint32_t sign_extend(uint32_t value, unsigned n_bits) {
  uint32_t sign = 1u << (n_bits - 1);
  return (value ^ sign) - sign;
}

static uint32_t imm_i(uint32_t w) { return sign_extend(w >> 20, 12); }
static uint32_t imm_s(uint32_t w) { return sign_extend(bits(w, 31, 25) << 5 | bits(w, 11, 7), 12); }

static uint32_t imm_b(uint32_t w) {
  return sign_extend(
      w >> 31 << 12 | bits(w, 7, 7) << 11 | bits(w, 30, 25) << 5 | bits(w, 11, 8) << 1, 13);
}

static uint32_t imm_j(uint32_t w) {
  return sign_extend(
      w >> 31 << 20 | bits(w, 19, 12) << 12 | bits(w, 20, 20) << 11 | bits(w, 30, 21) << 1, 21);
}

// The decoders of the formats return the operation and set the immediate; the caller takes the
// registers from the format.

static enum qsm_op decode_op_imm(uint32_t w, uint32_t *imm) {
  static const uint8_t by_funct3[8] = {QSM_OP_ADDI, QSM_OP_SLLI, QSM_OP_SLTI, QSM_OP_SLTUI,
                                       QSM_OP_XORI, QSM_OP_SRLI, QSM_OP_ORI,  QSM_OP_ANDI};
  enum qsm_op op = by_funct3[bits(w, 14, 12)];
  *imm = imm_i(w);
  if (op != QSM_OP_SLLI && op != QSM_OP_SRLI) return op;
  *imm = bits(w, 24, 20);
  uint32_t funct7 = w >> 25;
  if (funct7 == 0) return op;
  return funct7 == 0x20 && op == QSM_OP_SRLI ? QSM_OP_SRAI : QSM_OP_ILLEGAL;
}

static enum qsm_op decode_op(uint32_t w) {
  static const uint8_t base[8] = {QSM_OP_ADD, QSM_OP_SLL, QSM_OP_SLT, QSM_OP_SLTU,
                                  QSM_OP_XOR, QSM_OP_SRL, QSM_OP_OR,  QSM_OP_AND};
  static const uint8_t muldiv[8] = {QSM_OP_MUL, QSM_OP_MULH, QSM_OP_MULHSU, QSM_OP_MULHU,
                                    QSM_OP_DIV, QSM_OP_DIVU, QSM_OP_REM,    QSM_OP_REMU};
  uint32_t funct3 = bits(w, 14, 12), funct7 = w >> 25;
  if (funct7 == 0) return base[funct3];
  if (funct7 == 1) return muldiv[funct3];
  if (funct7 == 0x20 && funct3 == 0) return QSM_OP_SUB;
  if (funct7 == 0x20 && funct3 == 5) return QSM_OP_SRA;
  return QSM_OP_ILLEGAL;
}

static enum qsm_op decode_load(uint32_t w) {
  static const uint8_t by_funct3[8] = {QSM_OP_LB,  QSM_OP_LH,  QSM_OP_LW,      QSM_OP_ILLEGAL,
                                       QSM_OP_LBU, QSM_OP_LHU, QSM_OP_ILLEGAL, QSM_OP_ILLEGAL};
  return by_funct3[bits(w, 14, 12)];
}

static enum qsm_op decode_store(uint32_t w) {
  uint32_t funct3 = bits(w, 14, 12);
  return funct3 > 2 ? QSM_OP_ILLEGAL : (enum qsm_op)(QSM_OP_SB + funct3);
}

static enum qsm_op decode_branch(uint32_t w) {
  static const uint8_t by_funct3[8] = {QSM_OP_BEQ, QSM_OP_BNE, QSM_OP_ILLEGAL, QSM_OP_ILLEGAL,
                                       QSM_OP_BLT, QSM_OP_BGE, QSM_OP_BLTU,    QSM_OP_BGEU};
  return by_funct3[bits(w, 14, 12)];
}

static enum qsm_op decode_amo(uint32_t w, uint32_t *imm) {
  static const uint8_t funct5_of[] = {0x01, 0x00, 0x04, 0x0C, 0x08,
                                      0x10, 0x14, 0x18, 0x1C};  // swap add xor and or min ..
  if (bits(w, 14, 12) != 2) return QSM_OP_ILLEGAL;
  for (uint32_t amo = 0; amo < sizeof funct5_of; amo++) {
    if (w >> 27 == funct5_of[amo]) {
      *imm = amo;
      return QSM_OP_AMO;
    }
  }
  return QSM_OP_ILLEGAL;
}

static bool is_csr(uint32_t number) {
  return number == 0xC00 || number == 0xC80 || (number >= 0xCC0 && number <= 0xCD1);
}

static enum qsm_op decode_system(uint32_t w, uint32_t *imm) {
  uint32_t funct3 = bits(w, 14, 12);
  if (w == 0x00000073) return QSM_OP_ECALL;
  if (w == 0x00100073) return QSM_OP_EBREAK;
  bool writes =
      (funct3 & 3) < 2 || bits(w, 19, 15) != 0;  // funct3 0 and 4 are no CSR access at all
  *imm = w >> 20;
  return writes || !is_csr(*imm) ? QSM_OP_ILLEGAL : QSM_OP_CSR;
}

static enum qsm_op decode_custom(uint32_t w) {
  if (w == 0x0000000B) return QSM_OP_BAR;
  if (w == 0x0000100B) return QSM_OP_EXIT;
  return QSM_OP_ILLEGAL;
}

enum fields { RD = 1, RS1 = 2, RS2 = 4, RS3 = 8 };

// An operation that rounds, by the mode in rm.
static enum qsm_op rounding(enum qsm_op op, uint32_t w, uint32_t *imm) {
  enum { RM_RNE = 0, RM_RMM = 4, RM_DYNAMIC = 7 };
  uint32_t rm = bits(w, 14, 12);
  *imm = rm == RM_DYNAMIC ? RM_RNE : rm;
  return *imm > RM_RMM ? QSM_OP_ILLEGAL : op;
}

// One of up to n, chosen by a field.
static enum qsm_op one_of(const uint8_t *ops, uint32_t n, uint32_t field) {
  return field < n ? (enum qsm_op)ops[field] : QSM_OP_ILLEGAL;
}

static enum qsm_op decode_op_fp(uint32_t w, uint32_t *imm, uint32_t *fields) {
  static const uint8_t signs[] = {QSM_OP_FSGNJ, QSM_OP_FSGNJN, QSM_OP_FSGNJX},
                       extremes[] = {QSM_OP_FMIN, QSM_OP_FMAX};
  static const uint8_t compares[] = {QSM_OP_FLE, QSM_OP_FLT, QSM_OP_FEQ};
  static const uint8_t to_integer[] = {QSM_OP_FCVT_W_S, QSM_OP_FCVT_WU_S},
                       from_integer[] = {QSM_OP_FCVT_S_W, QSM_OP_FCVT_S_WU};
  uint32_t funct3 = bits(w, 14, 12), rs2 = bits(w, 24, 20);
  *fields = RD | RS1 | RS2;
  switch (w >> 25) {  // fmt 0 is part of it
    case 0x00: return rounding(QSM_OP_FADD, w, imm);
    case 0x04: return rounding(QSM_OP_FSUB, w, imm);
    case 0x08: return rounding(QSM_OP_FMUL, w, imm);
    case 0x0C: return rounding(QSM_OP_FDIV, w, imm);
    case 0x10: return one_of(signs, sizeof signs, funct3);
    case 0x14: return one_of(extremes, sizeof extremes, funct3);
    case 0x50: return one_of(compares, sizeof compares, funct3);
    default: break;
  }
  *fields = RD | RS1;
  switch (w >> 25) {
    case 0x2C: return rs2 == 0 ? rounding(QSM_OP_FSQRT, w, imm) : QSM_OP_ILLEGAL;
    case 0x60: return rounding(one_of(to_integer, sizeof to_integer, rs2), w, imm);
    case 0x68: return rounding(one_of(from_integer, sizeof from_integer, rs2), w, imm);
    case 0x70: return rs2 == 0 && funct3 == 1 ? QSM_OP_FCLASS : QSM_OP_ILLEGAL;
    default: return QSM_OP_ILLEGAL;
  }
}

static enum qsm_op decode_fused(uint32_t w, uint32_t *imm, uint32_t *fields) {
  static const uint8_t by_opcode[4] = {QSM_OP_FMADD, QSM_OP_FMSUB, QSM_OP_FNMSUB, QSM_OP_FNMADD};
  *fields = RD | RS1 | RS2 | RS3;
  return bits(w, 26, 25) == 0 ? rounding(by_opcode[bits(w, 3, 2)], w, imm) : QSM_OP_ILLEGAL;
}

// Operation, immediate and the register fields that the format has.
static enum qsm_op decode_fields(uint32_t w, bool fpu, uint32_t *imm, uint32_t *fields) {
  *imm = 0;
  *fields = 0;
  switch (w & 0x7F) {
    case 0x37:
      *fields = RD;
      *imm = w & 0xFFFFF000;
      return QSM_OP_LUI;
    case 0x17:
      *fields = RD;
      *imm = w & 0xFFFFF000;
      return QSM_OP_AUIPC;
    case 0x13: *fields = RD | RS1; return decode_op_imm(w, imm);
    case 0x33: *fields = RD | RS1 | RS2; return decode_op(w);
    case 0x03:
      *fields = RD | RS1;
      *imm = imm_i(w);
      return decode_load(w);
    case 0x23:
      *fields = RS1 | RS2;
      *imm = imm_s(w);
      return decode_store(w);
    case 0x63:
      *fields = RS1 | RS2;
      *imm = imm_b(w);
      return decode_branch(w);
    case 0x6F:
      *fields = RD;
      *imm = imm_j(w);
      return QSM_OP_JAL;
    case 0x67:
      *fields = RD | RS1;
      *imm = imm_i(w);
      return bits(w, 14, 12) == 0 ? QSM_OP_JALR : QSM_OP_ILLEGAL;
    case 0x2F: *fields = RD | RS1 | RS2; return decode_amo(w, imm);
    case 0x73: *fields = RD; return decode_system(w, imm);
    case 0x0F: return bits(w, 14, 12) == 0 ? QSM_OP_FENCE : QSM_OP_ILLEGAL;
    case 0x0B: return decode_custom(w);
    case 0x53: return fpu ? decode_op_fp(w, imm, fields) : QSM_OP_ILLEGAL;
    case 0x43:
    case 0x47:
    case 0x4B:
    case 0x4F: return fpu ? decode_fused(w, imm, fields) : QSM_OP_ILLEGAL;
    default: return QSM_OP_ILLEGAL;
  }
}

void qsm_decode(uint32_t instr, bool fpu, struct qsm_insn *out) {
  uint32_t imm, fields;
  enum qsm_op op = decode_fields(instr, fpu, &imm, &fields);
  if (op == QSM_OP_ILLEGAL || op == QSM_OP_ECALL || op == QSM_OP_EBREAK) fields = 0;
  uint32_t rd = fields & RD ? bits(instr, 11, 7) : 0;
  uint32_t rs1 = fields & RS1 ? bits(instr, 19, 15) : 0;
  uint32_t rs2 = fields & RS2 ? bits(instr, 24, 20) : 0;
  uint32_t rs3 = fields & RS3 ? instr >> 27 : 0;
  uint8_t class = qsm_op_class[op];
  bool takes_entry = rd != 0 || class == QSM_CLASS_MEM || class == QSM_CLASS_DIV;
  *out = (struct qsm_insn){
      .instr = instr,
      .imm = imm | rs3 << 8,
      .need = ((1u << rd | 1u << rs1 | 1u << rs2 | 1u << rs3) & ~1u) |
              (takes_entry ? QSM_NEED_ENTRY : 0),
      .op = (uint8_t)op,
      .rd = (uint8_t)rd,
      .rs1 = (uint8_t)rs1,
      .rs2 = rs2 & 31,
      .n_reads = ((uint32_t)(rs1 != 0) + (rs2 != 0) + (rs3 != 0)) & 7,
  };
}
