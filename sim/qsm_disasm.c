// SPDX-License-Identifier: Apache-2.0
#include "qsm_disasm.h"

#include <inttypes.h>
#include <stdio.h>

enum format {
  R,
  I,
  SHIFT,
  LOAD,
  STORE,
  BRANCH,
  UPPER,
  JAL,
  JALR,
  AMO,
  CSR,
  CSR_IMM,
  PLAIN,
  FP_1,
  FP_1_RM,
  FP_2_RM,
  FP_3_RM
};

// A word is this instruction when (word & mask) == match.
struct instruction {
  uint32_t mask, match;
  enum format format;
  const char *name;
};

#define OPCODE 0x0000007Fu
#define OPCODE_FUNCT3 0x0000707Fu
#define OPCODE_FUNCT3_FUNCT7 0xFE00707Fu
#define OPCODE_FUNCT3_FUNCT5 0xF800707Fu  // aq and rl may have any value
#define OPCODE_FUNCT7 0xFE00007Fu
#define OPCODE_FUNCT7_RS2 0xFFF0007Fu
#define OPCODE_FMT 0x0600007Fu
#define WHOLE 0xFFFFFFFFu
#define CSR_READ (OPCODE_FUNCT3 | 0x000F8000u)  // only the form that does not write

static const struct instruction instructions[] = {
    {OPCODE, 0x00000037, UPPER, "lui"},
    {OPCODE, 0x00000017, UPPER, "auipc"},
    {OPCODE, 0x0000006F, JAL, "jal"},
    {OPCODE_FUNCT3, 0x00000067, JALR, "jalr"},
    {OPCODE_FUNCT3, 0x00000063, BRANCH, "beq"},
    {OPCODE_FUNCT3, 0x00001063, BRANCH, "bne"},
    {OPCODE_FUNCT3, 0x00004063, BRANCH, "blt"},
    {OPCODE_FUNCT3, 0x00005063, BRANCH, "bge"},
    {OPCODE_FUNCT3, 0x00006063, BRANCH, "bltu"},
    {OPCODE_FUNCT3, 0x00007063, BRANCH, "bgeu"},
    {OPCODE_FUNCT3, 0x00000003, LOAD, "lb"},
    {OPCODE_FUNCT3, 0x00001003, LOAD, "lh"},
    {OPCODE_FUNCT3, 0x00002003, LOAD, "lw"},
    {OPCODE_FUNCT3, 0x00004003, LOAD, "lbu"},
    {OPCODE_FUNCT3, 0x00005003, LOAD, "lhu"},
    {OPCODE_FUNCT3, 0x00000023, STORE, "sb"},
    {OPCODE_FUNCT3, 0x00001023, STORE, "sh"},
    {OPCODE_FUNCT3, 0x00002023, STORE, "sw"},
    {OPCODE_FUNCT3, 0x00000013, I, "addi"},
    {OPCODE_FUNCT3, 0x00002013, I, "slti"},
    {OPCODE_FUNCT3, 0x00003013, I, "sltiu"},
    {OPCODE_FUNCT3, 0x00004013, I, "xori"},
    {OPCODE_FUNCT3, 0x00006013, I, "ori"},
    {OPCODE_FUNCT3, 0x00007013, I, "andi"},
    {OPCODE_FUNCT3_FUNCT7, 0x00001013, SHIFT, "slli"},
    {OPCODE_FUNCT3_FUNCT7, 0x00005013, SHIFT, "srli"},
    {OPCODE_FUNCT3_FUNCT7, 0x40005013, SHIFT, "srai"},
    {OPCODE_FUNCT3_FUNCT7, 0x00000033, R, "add"},
    {OPCODE_FUNCT3_FUNCT7, 0x40000033, R, "sub"},
    {OPCODE_FUNCT3_FUNCT7, 0x00001033, R, "sll"},
    {OPCODE_FUNCT3_FUNCT7, 0x00002033, R, "slt"},
    {OPCODE_FUNCT3_FUNCT7, 0x00003033, R, "sltu"},
    {OPCODE_FUNCT3_FUNCT7, 0x00004033, R, "xor"},
    {OPCODE_FUNCT3_FUNCT7, 0x00005033, R, "srl"},
    {OPCODE_FUNCT3_FUNCT7, 0x40005033, R, "sra"},
    {OPCODE_FUNCT3_FUNCT7, 0x00006033, R, "or"},
    {OPCODE_FUNCT3_FUNCT7, 0x00007033, R, "and"},
    {OPCODE_FUNCT3_FUNCT7, 0x02000033, R, "mul"},
    {OPCODE_FUNCT3_FUNCT7, 0x02001033, R, "mulh"},
    {OPCODE_FUNCT3_FUNCT7, 0x02002033, R, "mulhsu"},
    {OPCODE_FUNCT3_FUNCT7, 0x02003033, R, "mulhu"},
    {OPCODE_FUNCT3_FUNCT7, 0x02004033, R, "div"},
    {OPCODE_FUNCT3_FUNCT7, 0x02005033, R, "divu"},
    {OPCODE_FUNCT3_FUNCT7, 0x02006033, R, "rem"},
    {OPCODE_FUNCT3_FUNCT7, 0x02007033, R, "remu"},
    {OPCODE_FUNCT3_FUNCT5, 0x0000202F, AMO, "amoadd.w"},
    {OPCODE_FUNCT3_FUNCT5, 0x0800202F, AMO, "amoswap.w"},
    {OPCODE_FUNCT3_FUNCT5, 0x2000202F, AMO, "amoxor.w"},
    {OPCODE_FUNCT3_FUNCT5, 0x4000202F, AMO, "amoor.w"},
    {OPCODE_FUNCT3_FUNCT5, 0x6000202F, AMO, "amoand.w"},
    {OPCODE_FUNCT3_FUNCT5, 0x8000202F, AMO, "amomin.w"},
    {OPCODE_FUNCT3_FUNCT5, 0xA000202F, AMO, "amomax.w"},
    {OPCODE_FUNCT3_FUNCT5, 0xC000202F, AMO, "amominu.w"},
    {OPCODE_FUNCT3_FUNCT5, 0xE000202F, AMO, "amomaxu.w"},
    {CSR_READ, 0x00002073, CSR, "csrrs"},
    {CSR_READ, 0x00003073, CSR, "csrrc"},
    {CSR_READ, 0x00006073, CSR_IMM, "csrrsi"},
    {CSR_READ, 0x00007073, CSR_IMM, "csrrci"},
    {OPCODE_FUNCT3, 0x0000000F, PLAIN, "fence"},
    {WHOLE, 0x00000073, PLAIN, "ecall"},
    {WHOLE, 0x00100073, PLAIN, "ebreak"},
    {WHOLE, 0x0000000B, PLAIN, "qsm.bar"},
    {WHOLE, 0x0000100B, PLAIN, "qsm.exit"},
    {OPCODE_FUNCT7, 0x00000053, FP_2_RM, "fadd.s"},
    {OPCODE_FUNCT7, 0x08000053, FP_2_RM, "fsub.s"},
    {OPCODE_FUNCT7, 0x10000053, FP_2_RM, "fmul.s"},
    {OPCODE_FUNCT7, 0x18000053, FP_2_RM, "fdiv.s"},
    {OPCODE_FUNCT7_RS2, 0x58000053, FP_1_RM, "fsqrt.s"},
    {OPCODE_FUNCT3_FUNCT7, 0x20000053, R, "fsgnj.s"},
    {OPCODE_FUNCT3_FUNCT7, 0x20001053, R, "fsgnjn.s"},
    {OPCODE_FUNCT3_FUNCT7, 0x20002053, R, "fsgnjx.s"},
    {OPCODE_FUNCT3_FUNCT7, 0x28000053, R, "fmin.s"},
    {OPCODE_FUNCT3_FUNCT7, 0x28001053, R, "fmax.s"},
    {OPCODE_FUNCT3_FUNCT7, 0xA0000053, R, "fle.s"},
    {OPCODE_FUNCT3_FUNCT7, 0xA0001053, R, "flt.s"},
    {OPCODE_FUNCT3_FUNCT7, 0xA0002053, R, "feq.s"},
    {OPCODE_FUNCT7_RS2 | OPCODE_FUNCT3, 0xE0001053, FP_1, "fclass.s"},
    {OPCODE_FUNCT7_RS2, 0xC0000053, FP_1_RM, "fcvt.w.s"},
    {OPCODE_FUNCT7_RS2, 0xC0100053, FP_1_RM, "fcvt.wu.s"},
    {OPCODE_FUNCT7_RS2, 0xD0000053, FP_1_RM, "fcvt.s.w"},
    {OPCODE_FUNCT7_RS2, 0xD0100053, FP_1_RM, "fcvt.s.wu"},
    {OPCODE_FMT, 0x00000043, FP_3_RM, "fmadd.s"},
    {OPCODE_FMT, 0x00000047, FP_3_RM, "fmsub.s"},
    {OPCODE_FMT, 0x0000004B, FP_3_RM, "fnmsub.s"},
    {OPCODE_FMT, 0x0000004F, FP_3_RM, "fnmadd.s"},
};

static const char *const register_names[32] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                               "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                               "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                               "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

static const char *csr_name(uint32_t number) {
  static const char *const from_cc0[] = {"tid",    "ctaid.x",  "ctaid.y",  "ctaid.z",  "ntid.x",
                                         "ntid.y", "ntid.z",   "nctaid.x", "nctaid.y", "nctaid.z",
                                         "lane",   "smid",     "arg",      "hwtid",    "slot",
                                         "mask",   "warpsize", "ticket"};
  if (number == 0xC00) return "cycle";
  if (number == 0xC80) return "cycleh";
  return number >= 0xCC0 && number <= 0xCD1 ? from_cc0[number - 0xCC0] : NULL;
}

static uint32_t bits(uint32_t word, unsigned high, unsigned low) {
  return word << (31 - high) >> (31 - high + low);
}

static int32_t sign_extend(uint32_t value, unsigned n_bits) {
  uint32_t sign = 1u << (n_bits - 1);
  return (int32_t)((value ^ sign) - sign);
}

static int32_t imm_i(uint32_t word) { return sign_extend(bits(word, 31, 20), 12); }

static int32_t imm_s(uint32_t word) {
  return sign_extend(bits(word, 31, 25) << 5 | bits(word, 11, 7), 12);
}

static uint32_t branch_target(uint32_t pc, uint32_t word) {
  uint32_t offset = bits(word, 31, 31) << 12 | bits(word, 7, 7) << 11 | bits(word, 30, 25) << 5 |
                    bits(word, 11, 8) << 1;
  return pc + (uint32_t)sign_extend(offset, 13);
}

static uint32_t jal_target(uint32_t pc, uint32_t word) {
  uint32_t offset = bits(word, 31, 31) << 20 | bits(word, 19, 12) << 12 | bits(word, 20, 20) << 11 |
                    bits(word, 30, 21) << 1;
  return pc + (uint32_t)sign_extend(offset, 21);
}

// NULL: no rounding mode.
static const char *mode_name(uint32_t word) {
  static const char *const names[] = {"rne", "rtz", "rdn", "rup", "rmm", NULL, NULL, "dyn"};
  return names[bits(word, 14, 12)];
}

static int rounds(enum format format) {
  return format == FP_1_RM || format == FP_2_RM || format == FP_3_RM;
}

static const struct instruction *find_instruction(uint32_t word) {
  for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
    if ((word & instructions[i].mask) != instructions[i].match) continue;
    if (rounds(instructions[i].format) && mode_name(word) == NULL) return NULL;
    int is_csr = instructions[i].format == CSR || instructions[i].format == CSR_IMM;
    return is_csr && csr_name(bits(word, 31, 20)) == NULL ? NULL : &instructions[i];
  }
  return NULL;
}

// ".aq", ".rl" or ".aqrl" behind the name of an AMO.
static const char *ordering(uint32_t word) {
  static const char *const suffixes[] = {"", ".rl", ".aq", ".aqrl"};
  return suffixes[bits(word, 26, 25)];
}

static int print(const struct instruction *found, uint32_t pc, uint32_t word, char *buf, size_t n) {
  const char *name = found->name, *rd = register_names[bits(word, 11, 7)];
  const char *rs1 = register_names[bits(word, 19, 15)], *rs2 = register_names[bits(word, 24, 20)];
  switch (found->format) {
    case R: return snprintf(buf, n, "%s %s, %s, %s", name, rd, rs1, rs2);
    case I: return snprintf(buf, n, "%s %s, %s, %" PRId32, name, rd, rs1, imm_i(word));
    case SHIFT: return snprintf(buf, n, "%s %s, %s, %" PRIu32, name, rd, rs1, bits(word, 24, 20));
    case LOAD:
    case JALR: return snprintf(buf, n, "%s %s, %" PRId32 "(%s)", name, rd, imm_i(word), rs1);
    case STORE: return snprintf(buf, n, "%s %s, %" PRId32 "(%s)", name, rs2, imm_s(word), rs1);
    case BRANCH:
      return snprintf(buf, n, "%s %s, %s, 0x%" PRIx32, name, rs1, rs2, branch_target(pc, word));
    case UPPER: return snprintf(buf, n, "%s %s, %" PRIu32, name, rd, bits(word, 31, 12));
    case JAL: return snprintf(buf, n, "%s %s, 0x%" PRIx32, name, rd, jal_target(pc, word));
    case AMO: return snprintf(buf, n, "%s%s %s, %s, (%s)", name, ordering(word), rd, rs2, rs1);
    case FP_1: return snprintf(buf, n, "%s %s, %s", name, rd, rs1);
    case FP_1_RM: return snprintf(buf, n, "%s %s, %s, %s", name, rd, rs1, mode_name(word));
    case FP_2_RM: return snprintf(buf, n, "%s %s, %s, %s, %s", name, rd, rs1, rs2, mode_name(word));
    case FP_3_RM:
      return snprintf(buf, n, "%s %s, %s, %s, %s, %s", name, rd, rs1, rs2,
                      register_names[bits(word, 31, 27)], mode_name(word));
    case CSR: return snprintf(buf, n, "%s %s, %s, %s", name, rd, csr_name(bits(word, 31, 20)), rs1);
    case CSR_IMM: return snprintf(buf, n, "%s %s, %s, 0", name, rd, csr_name(bits(word, 31, 20)));
    default: return snprintf(buf, n, "%s", name);
  }
}

size_t qsm_disasm(uint32_t pc, uint32_t instr, char *buf, size_t n) {
  const struct instruction *found = find_instruction(instr);
  int length = found != NULL ? print(found, pc, instr, buf, n)
                             : snprintf(buf, n, ".word 0x%08" PRIx32 " # illegal", instr);
  return length < 0 ? 0 : (size_t)length;
}
