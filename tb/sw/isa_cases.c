// SPDX-License-Identifier: Apache-2.0
#include "isa_cases.h"

#define PC ((uint32_t)QSM_ISA_PC)
#define DATA ((uint32_t)QSM_ISA_DATA)
#define SHARED ((uint32_t)QSM_ISA_SHARED)
#define LOCAL QSM_ISA_LOCAL
#define MEMORY QSM_ISA_MEMORY

// Encodings with rd = a0, rs1 = a1, rs2 = a2.
#define A0_A1 (10u << 7 | 11u << 15)
#define ENC_R(funct7, funct3, opcode) \
  ((uint32_t)(funct7) << 25 | 12u << 20 | (funct3) << 12 | A0_A1 | (opcode))
#define ENC_I(imm, funct3, opcode) \
  (((uint32_t)(imm) & 0xFFF) << 20 | (funct3) << 12 | A0_A1 | (opcode))
#define ENC_S(imm, funct3)                                                          \
  ((((uint32_t)(imm) >> 5) & 0x7F) << 25 | 12u << 20 | 11u << 15 | (funct3) << 12 | \
   ((uint32_t)(imm) & 0x1F) << 7 | 0x23u)
#define ENC_B(imm, funct3)                                                                   \
  ((((uint32_t)(imm) >> 12) & 1) << 31 | (((uint32_t)(imm) >> 5) & 0x3F) << 25 | 12u << 20 | \
   11u << 15 | (funct3) << 12 | (((uint32_t)(imm) >> 1) & 0xF) << 8 |                        \
   (((uint32_t)(imm) >> 11) & 1) << 7 | 0x63u)
#define ENC_J(imm, rd)                                                            \
  ((((uint32_t)(imm) >> 20) & 1) << 31 | (((uint32_t)(imm) >> 1) & 0x3FF) << 21 | \
   (((uint32_t)(imm) >> 11) & 1) << 20 | (((uint32_t)(imm) >> 12) & 0xFF) << 12 | \
   (uint32_t)(rd) << 7 | 0x6Fu)
#define ENC_U(imm, opcode) ((uint32_t)(imm) << 12 | 10u << 7 | (opcode))
#define ENC_AMO(funct5, aqrl) ENC_R((funct5) << 2 | (aqrl), 2, 0x2Fu)
#define ENC_CSR(number, funct3, rs1) \
  ((uint32_t)(number) << 20 | (uint32_t)(rs1) << 15 | (funct3) << 12 | 10u << 7 | 0x73u)

// A case that goes on with the next instruction and leaves memory alone.
#define RESULT(text, instr, a1, a2, a0) \
  {text, instr, a1, a2, a0, PC + 4, MEMORY, MEMORY, QSM_ISA_NO_FAULT, 0, MEMORY}
#define OP(name, funct7, funct3, a1, a2, a0) \
  RESULT(name " a0, a1, a2", ENC_R(funct7, funct3, 0x33u), a1, a2, a0)
#define OP_IMM(name, funct3, imm, a1, a0) \
  RESULT(name " a0, a1, " #imm, ENC_I(imm, funct3, 0x13u), a1, 0, a0)
#define LOAD(name, funct3, imm, a1, a0) \
  RESULT(name " a0, " #imm "(a1)", ENC_I(imm, funct3, 0x03u), a1, 0, a0)
#define STORE(name, funct3, imm, a1, a2, device, shared) \
  {name " a2, " #imm "(a1)",                             \
   ENC_S(imm, funct3),                                   \
   a1,                                                   \
   a2,                                                   \
   QSM_ISA_A0,                                           \
   PC + 4,                                               \
   device,                                               \
   shared,                                               \
   QSM_ISA_NO_FAULT,                                     \
   0,                                                    \
   MEMORY}
#define STORE_LOCAL(name, funct3, imm, a1, a2, local) \
  {name " a2, " #imm "(a1)",                          \
   ENC_S(imm, funct3),                                \
   a1,                                                \
   a2,                                                \
   QSM_ISA_A0,                                        \
   PC + 4,                                            \
   MEMORY,                                            \
   MEMORY,                                            \
   QSM_ISA_NO_FAULT,                                  \
   0,                                                 \
   local}
#define AMO(name, funct5, aqrl, a1, a2, device, shared) \
  {name " a0, a2, (a1)",                                \
   ENC_AMO(funct5, aqrl),                               \
   a1,                                                  \
   a2,                                                  \
   MEMORY,                                              \
   PC + 4,                                              \
   device,                                              \
   shared,                                              \
   QSM_ISA_NO_FAULT,                                    \
   0,                                                   \
   MEMORY}
#define AMO_LOCAL(name, funct5, a2, after) \
  {name " a0, a2, (a1)",                   \
   ENC_AMO(funct5, 0),                     \
   LOCAL,                                  \
   a2,                                     \
   MEMORY,                                 \
   PC + 4,                                 \
   MEMORY,                                 \
   MEMORY,                                 \
   QSM_ISA_NO_FAULT,                       \
   0,                                      \
   after}
#define AMO_DEVICE(name, funct5, a2, after) AMO(name, funct5, 0, DATA, a2, after, MEMORY)
#define BRANCH(name, funct3, imm, target, a1, a2, taken) \
  {name " a1, a2, " target,                              \
   ENC_B(imm, funct3),                                   \
   a1,                                                   \
   a2,                                                   \
   QSM_ISA_A0,                                           \
   (taken) ? PC + (uint32_t)(imm) : PC + 4,              \
   MEMORY,                                               \
   MEMORY,                                               \
   QSM_ISA_NO_FAULT,                                     \
   0,                                                    \
   MEMORY}
#define JUMP(text, instr, a1, a0, next_pc) \
  {text, instr, a1, 0, a0, next_pc, MEMORY, MEMORY, QSM_ISA_NO_FAULT, 0, MEMORY}
#define CSR(name, number, a0) RESULT("csrrs a0, " name ", zero", ENC_CSR(number, 2u, 0), 0, 0, a0)
#define FAULT(text, instr, a1, a2, cause, value) \
  {text, instr, a1, a2, QSM_ISA_A0, PC, MEMORY, MEMORY, cause, value, MEMORY}
#define FP(name, funct7, funct3, a1, a2, a0) \
  RESULT(name " a0, a1, a2", ENC_R(funct7, funct3, 0x53u), a1, a2, a0)
#define FP_RM(name, funct7, rm, a1, a2, a0) \
  RESULT(name " a0, a1, a2, " #rm, ENC_R(funct7, RM_##rm, 0x53u), a1, a2, a0)
#define FP_1(name, funct7, rs2, rm, a1, a0)                                                      \
  RESULT(name " a0, a1, " #rm, (ENC_R(funct7, RM_##rm, 0x53u) & ~(31u << 20)) | (rs2) << 20, a1, \
         0, a0)
#define FUSED(name, opcode, a1, a2, a0) \
  RESULT(name " a0, a1, a2, a2, dyn", ENC_R(12u << 2, RM_dyn, opcode), a1, a2, a0)
#define ILLEGAL(instr) FAULT(NULL, instr, DATA, 0, 2, instr)

enum { RM_rne = 0, RM_rtz = 1, RM_rdn = 2, RM_rup = 3, RM_rmm = 4, RM_dyn = 7 };

const struct qsm_isa_case qsm_isa_cases[] = {
    // Upper immediates
    RESULT("lui a0, 0", ENC_U(0, 0x37u), 0, 0, 0),
    RESULT("lui a0, 1048575", ENC_U(0xFFFFF, 0x37u), 0, 0, 0xFFFFF000),
    RESULT("auipc a0, 1", ENC_U(1, 0x17u), 0, 0, 0x80001800),
    RESULT("auipc a0, 524288", ENC_U(0x80000, 0x17u), 0, 0, 0x00000800),

    // Immediate operations
    OP_IMM("addi", 0u, 2047, 1, 2048), OP_IMM("addi", 0u, -2048, 1, 0xFFFFF801),
    OP_IMM("addi", 0u, 1, 0xFFFFFFFF, 0), OP_IMM("slti", 2u, -1, 0x80000000, 1),
    OP_IMM("slti", 2u, -1, 0xFFFFFFFF, 0), OP_IMM("slti", 2u, 5, 4, 1),
    OP_IMM("sltiu", 3u, -1, 0xFFFFFFFE, 1), OP_IMM("sltiu", 3u, -1, 0xFFFFFFFF, 0),
    OP_IMM("sltiu", 3u, 1, 0, 1), OP_IMM("xori", 4u, -1, 0x0F0F1234, 0xF0F0EDCB),
    OP_IMM("ori", 6u, -2048, 0x00000123, 0xFFFFF923),
    OP_IMM("andi", 7u, 2047, 0xFFFFFFFF, 0x000007FF), OP_IMM("slli", 1u, 31, 3, 0x80000000),
    OP_IMM("slli", 1u, 0, 0x12345678, 0x12345678), OP_IMM("srli", 5u, 31, 0x80000000, 1),
    OP_IMM("srli", 5u, 4, 0x80000010, 0x08000001),
    RESULT("srai a0, a1, 31", ENC_I(0x400 + 31, 5u, 0x13u), 0x80000000, 0, 0xFFFFFFFF),
    RESULT("srai a0, a1, 4", ENC_I(0x400 + 4, 5u, 0x13u), 0x80000010, 0, 0xF8000001),
    RESULT("srai a0, a1, 4", ENC_I(0x400 + 4, 5u, 0x13u), 0x70000010, 0, 0x07000001),
    RESULT("addi zero, zero, 0", 0x00000013, 1, 2, QSM_ISA_A0),

    // Register operations
    OP("add", 0, 0u, 0x7FFFFFFF, 1, 0x80000000),
    OP("add", 0, 0u, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE), OP("sub", 0x20, 0u, 0, 1, 0xFFFFFFFF),
    OP("sub", 0x20, 0u, 0x80000000, 1, 0x7FFFFFFF), OP("sll", 0, 1u, 0x00000001, 31, 0x80000000),
    OP("sll", 0, 1u, 0x00000003, 0xFFFFFFE1, 0x00000006),  // only five bits count
    OP("slt", 0, 2u, 0x80000000, 0x7FFFFFFF, 1), OP("slt", 0, 2u, 0x7FFFFFFF, 0x80000000, 0),
    OP("slt", 0, 2u, 7, 7, 0), OP("sltu", 0, 3u, 0x80000000, 0x7FFFFFFF, 0),
    OP("sltu", 0, 3u, 0x7FFFFFFF, 0x80000000, 1),
    OP("xor", 0, 4u, 0xFF00FF00, 0x0FF00FF0, 0xF0F0F0F0), OP("srl", 0, 5u, 0x80000000, 31, 1),
    OP("srl", 0, 5u, 0x80000000, 33, 0x40000000), OP("sra", 0x20, 5u, 0x80000000, 31, 0xFFFFFFFF),
    OP("sra", 0x20, 5u, 0x80000000, 33, 0xC0000000),
    OP("sra", 0x20, 5u, 0x80000001, 32, 0x80000001),
    OP("or", 0, 6u, 0xFF00FF00, 0x0FF00FF0, 0xFFF0FFF0),
    OP("and", 0, 7u, 0xFF00FF00, 0x0FF00FF0, 0x0F000F00),

    // Multiplication and division, I-ISA-4
    OP("mul", 1, 0u, 0xFFFFFFFF, 0xFFFFFFFF, 1),
    OP("mul", 1, 0u, 0x00010001, 0x00010001, 0x00020001),
    OP("mulh", 1, 1u, 0xFFFFFFFF, 0xFFFFFFFF, 0),
    OP("mulh", 1, 1u, 0x80000000, 0x80000000, 0x40000000),
    OP("mulh", 1, 1u, 0x80000000, 0x7FFFFFFF, 0xC0000000),
    OP("mulhsu", 1, 2u, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF),
    OP("mulhsu", 1, 2u, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FFFFFFE),
    OP("mulhsu", 1, 2u, 0x80000000, 0x80000000, 0xC0000000),
    OP("mulhu", 1, 3u, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE), OP("mulhu", 1, 3u, 0x80000000, 2, 1),
    OP("div", 1, 4u, 7, 0xFFFFFFFE, 0xFFFFFFFD), OP("div", 1, 4u, 0xFFFFFFF9, 2, 0xFFFFFFFD),
    OP("div", 1, 4u, 0x80000000, 0xFFFFFFFF, 0x80000000),  // overflow
    OP("div", 1, 4u, 42, 0, 0xFFFFFFFF), OP("div", 1, 4u, 0x80000000, 0, 0xFFFFFFFF),
    OP("divu", 1, 5u, 0xFFFFFFFF, 2, 0x7FFFFFFF), OP("divu", 1, 5u, 0x80000000, 0xFFFFFFFF, 0),
    OP("divu", 1, 5u, 42, 0, 0xFFFFFFFF), OP("rem", 1, 6u, 7, 0xFFFFFFFE, 1),
    OP("rem", 1, 6u, 0xFFFFFFF9, 2, 0xFFFFFFFF),
    OP("rem", 1, 6u, 0x80000000, 0xFFFFFFFF, 0),  // overflow
    OP("rem", 1, 6u, 0xFFFFFFD6, 0, 0xFFFFFFD6), OP("remu", 1, 7u, 0xFFFFFFFF, 10, 5),
    OP("remu", 1, 7u, 0x80000000, 0xFFFFFFFF, 0x80000000), OP("remu", 1, 7u, 42, 0, 42),

    // Loads
    LOAD("lb", 0u, 0, DATA, 0xFFFFFFF3), LOAD("lb", 0u, 1, DATA, 0x0000007F),
    LOAD("lb", 0u, 3, DATA, 0xFFFFFF84), LOAD("lbu", 4u, 0, DATA, 0x000000F3),
    LOAD("lbu", 4u, 2, DATA, 0x00000042), LOAD("lh", 1u, 0, DATA, 0x00007FF3),
    LOAD("lh", 1u, 2, DATA, 0xFFFF8442), LOAD("lhu", 5u, 2, DATA, 0x00008442),
    LOAD("lw", 2u, 0, DATA, MEMORY), LOAD("lw", 2u, -4, DATA + 4, MEMORY),
    LOAD("lw", 2u, 2044, DATA - 2044, MEMORY), LOAD("lw", 2u, 0, SHARED, MEMORY),
    LOAD("lb", 0u, 3, SHARED, 0xFFFFFF84), LOAD("lhu", 5u, 0, SHARED, 0x00007FF3),
    LOAD("lw", 2u, -4, LOCAL + 4, MEMORY), LOAD("lhu", 5u, 2, LOCAL, 0x00008442),
    LOAD("lw", 2u, 0, LOCAL + 4, 0),
    LOAD("lbu", 4u, -1, 0, 0),  // the last byte of the address space

    // Stores
    STORE("sb", 0u, 0, DATA, 0x12345678, 0x84427F78, MEMORY),
    STORE("sb", 0u, 3, DATA, 0x12345678, 0x78427FF3, MEMORY),
    STORE("sh", 1u, 0, DATA, 0x12345678, 0x84425678, MEMORY),
    STORE("sh", 1u, 2, DATA, 0x12345678, 0x56787FF3, MEMORY),
    STORE("sw", 2u, 0, DATA, 0x12345678, 0x12345678, MEMORY),
    STORE("sw", 2u, -2048, DATA + 2048, 0x12345678, 0x12345678, MEMORY),
    STORE("sw", 2u, 0, SHARED, 0x12345678, MEMORY, 0x12345678),
    STORE_LOCAL("sw", 2u, 0, LOCAL, 0x12345678, 0x12345678),
    STORE_LOCAL("sb", 0u, 3, LOCAL, 0x12345678, 0x78427FF3),
    STORE_LOCAL("sw", 2u, -4, 0, 0x12345678, MEMORY),
    STORE("sb", 0u, 2, SHARED, 0x12345678, MEMORY, 0x84787FF3),

    // Atomics: a0 gets the old word. MEMORY is negative as a signed number.
    AMO_DEVICE("amoadd.w", 0x00, 0x80000000, 0x04427FF3),
    AMO_DEVICE("amoswap.w", 0x01, 0x12345678, 0x12345678),
    AMO_DEVICE("amoxor.w", 0x04, 0xFFFFFFFF, 0x7BBD800C),
    AMO_DEVICE("amoor.w", 0x08, 0x0000000C, 0x84427FFF),
    AMO_DEVICE("amoand.w", 0x0C, 0x0000FFFF, 0x00007FF3), AMO_DEVICE("amomin.w", 0x10, 1, MEMORY),
    AMO_DEVICE("amomin.w", 0x10, 0x80000000, 0x80000000), AMO_DEVICE("amomax.w", 0x14, 1, 1),
    AMO_DEVICE("amomax.w", 0x14, 0x80000000, MEMORY), AMO_DEVICE("amominu.w", 0x18, 1, 1),
    AMO_DEVICE("amominu.w", 0x18, 0xFFFFFFFF, MEMORY), AMO_DEVICE("amomaxu.w", 0x1C, 1, MEMORY),
    AMO_DEVICE("amomaxu.w", 0x1C, 0xFFFFFFFF, 0xFFFFFFFF),
    AMO("amoadd.w.aqrl", 0x00, 3, DATA, 1, 0x84427FF4, MEMORY),
    AMO("amoadd.w", 0x00, 0, SHARED, 1, MEMORY, 0x84427FF4),
    AMO_LOCAL("amoadd.w", 0x00, 1, 0x84427FF4),
    AMO("amomaxu.w.aq", 0x1C, 2, SHARED, 0xF0000000, MEMORY, 0xF0000000),
    AMO("amoswap.w.rl", 0x01, 1, SHARED, 7, MEMORY, 7),

    // Branches
    BRANCH("beq", 0u, 64, "0x80000840", 5, 5, 1), BRANCH("beq", 0u, 64, "0x80000840", 5, 6, 0),
    BRANCH("bne", 1u, -64, "0x800007c0", 5, 6, 1), BRANCH("bne", 1u, -64, "0x800007c0", 5, 5, 0),
    BRANCH("blt", 4u, 4092, "0x800017fc", 0x80000000, 0, 1),
    BRANCH("blt", 4u, 4092, "0x800017fc", 0, 0x80000000, 0),
    BRANCH("blt", 4u, 4092, "0x800017fc", 3, 3, 0),
    BRANCH("bge", 5u, -4096, "0x7ffff800", 0, 0x80000000, 1),
    BRANCH("bge", 5u, -4096, "0x7ffff800", 3, 3, 1),
    BRANCH("bge", 5u, -4096, "0x7ffff800", 0x80000000, 0, 0),
    BRANCH("bltu", 6u, 8, "0x80000808", 0, 0x80000000, 1),
    BRANCH("bltu", 6u, 8, "0x80000808", 0x80000000, 0, 0),
    BRANCH("bgeu", 7u, 2048, "0x80001000", 0x80000000, 0, 1),
    BRANCH("bgeu", 7u, 2048, "0x80001000", 3, 3, 1),
    BRANCH("bgeu", 7u, 2048, "0x80001000", 0, 0x80000000, 0),
    BRANCH("beq", 0u, 66, "0x80000842", 5, 6, 0),  // misaligned, but not taken

    // Jumps
    JUMP("jal a0, 0x80000804", ENC_J(4, 10), 0, PC + 4, PC + 4),
    JUMP("jal a0, 0x7ff00800", ENC_J(-0x100000, 10), 0, PC + 4, 0x7FF00800),
    JUMP("jal a0, 0x801007fc", ENC_J(0xFFFFC, 10), 0, PC + 4, 0x801007FC),
    JUMP("jal zero, 0x80001000", ENC_J(0x800, 0), 0, QSM_ISA_A0, 0x80001000),
    JUMP("jalr a0, 0(a1)", ENC_I(0, 0u, 0x67u), 0x80000100, PC + 4, 0x80000100),
    JUMP("jalr a0, -3(a1)", ENC_I(-3, 0u, 0x67u), 0x80000104, PC + 4,
         0x80000100),  // bit 0 is cleared
    JUMP("jalr a0, 2047(a1)", ENC_I(2047, 0u, 0x67u), 0x80000102, PC + 4, 0x80000900),

    // CSRs
    CSR("tid", 0xCC0, 0), CSR("ctaid.x", 0xCC1, 0), CSR("ctaid.y", 0xCC2, 0),
    CSR("ctaid.z", 0xCC3, 0), CSR("ntid.x", 0xCC4, 1), CSR("ntid.y", 0xCC5, 1),
    CSR("ntid.z", 0xCC6, 1), CSR("nctaid.x", 0xCC7, 1), CSR("nctaid.y", 0xCC8, 1),
    CSR("nctaid.z", 0xCC9, 1), CSR("lane", 0xCCA, 0), CSR("smid", 0xCCB, 0),
    CSR("arg", 0xCCC, 0x12345678), CSR("hwtid", 0xCCD, 0), CSR("slot", 0xCCE, 2),
    CSR("mask", 0xCCF, 1), CSR("warpsize", 0xCD0, 4), CSR("ticket", 0xCD1, 0),
    CSR("cycleh", 0xC80, 0), RESULT("csrrc a0, arg, zero", ENC_CSR(0xCCC, 3u, 0), 0, 0, 0x12345678),
    RESULT("csrrsi a0, arg, 0", ENC_CSR(0xCCC, 6u, 0), 0, 0, 0x12345678),
    RESULT("csrrci a0, arg, 0", ENC_CSR(0xCCC, 7u, 0), 0, 0, 0x12345678),

    // Fence, whatever its fields say
    RESULT("fence", 0x0FF0000F, 0, 0, QSM_ISA_A0), RESULT("fence", 0x8330050F, 0, 0, QSM_ISA_A0),

    // Faults
    FAULT("jal a0, 0x80000802", ENC_J(2, 10), 0, 0, 0, PC + 2),
    FAULT("jalr a0, 0(a1)", ENC_I(0, 0u, 0x67u), 0x80000103, 0, 0, 0x80000102),
    FAULT("beq a1, a2, 0x80000842", ENC_B(66, 0u), 5, 5, 0, PC + 66),
    FAULT("ebreak", 0x00100073, 0, 0, 3, PC), FAULT("ecall", 0x00000073, 0, 0, 8, PC),
    FAULT("lh a0, 1(a1)", ENC_I(1, 1u, 0x03u), DATA, 0, 4, DATA + 1),
    FAULT("lw a0, 2(a1)", ENC_I(2, 2u, 0x03u), DATA, 0, 4, DATA + 2),
    FAULT("lw a0, 2(a1)", ENC_I(2, 2u, 0x03u), 0x40000000, 0, 4,
          0x40000002),  // misaligned goes before access
    FAULT("lw a0, 0(a1)", ENC_I(0, 2u, 0x03u), 0x40000000, 0, 5, 0x40000000),
    FAULT("lw a0, 0(a1)", ENC_I(0, 2u, 0x03u), DATA + 4096, 0, 5, DATA + 4096),
    FAULT("lw a0, 0(a1)", ENC_I(0, 2u, 0x03u), SHARED + 64, 0, 5, SHARED + 64),
    FAULT("lw a0, 0(a1)", ENC_I(0, 2u, 0x03u), 0x00000000, 0, 5,
          0x00000000),  // neighbours of the shared range
    FAULT("lw a0, 0(a1)", ENC_I(0, 2u, 0x03u), 0x20000000, 0, 5, 0x20000000),
    FAULT("lb a0, -1(a1)", ENC_I(-1, 0u, 0x03u), 0xC0000000, 0, 5, 0xBFFFFFFF),
    FAULT("sh a2, 1(a1)", ENC_S(1, 1u), DATA, 0, 6, DATA + 1),
    FAULT("sw a2, 1(a1)", ENC_S(1, 2u), SHARED, 0, 6, SHARED + 1),
    FAULT("lw a0, 2(a1)", ENC_I(2, 2u, 0x03u), LOCAL, 0, 4, LOCAL + 2),
    FAULT("lw a0, -2(a1)", ENC_I(-2, 2u, 0x03u), LOCAL, 0, 4, LOCAL - 2),
    FAULT("lb a0, -1(a1)", ENC_I(-1, 0u, 0x03u), LOCAL, 0, 25, LOCAL - 1),
    FAULT("sw a2, -4(a1)", ENC_S(-4, 2u), LOCAL, 0, 25, LOCAL - 4),
    FAULT("sw a2, 0(a1)", ENC_S(0, 2u), 0xC0000000, 0, 25, 0xC0000000),
    FAULT("amoadd.w a0, a2, (a1)", ENC_AMO(0x00, 0), LOCAL - 64, 0, 25, LOCAL - 64),
    FAULT("amoadd.w a0, a2, (a1)", ENC_AMO(0x00, 0), LOCAL + 1, 0, 6, LOCAL + 1),
    FAULT("sw a2, 0(a1)", ENC_S(0, 2u), (uint32_t)QSM_ISA_CODE, 0, 7,
          (uint32_t)QSM_ISA_CODE),  // no right w
    FAULT("sb a2, 0(a1)", ENC_S(0, 0u), SHARED + 64, 0, 7, SHARED + 64),
    FAULT("sb a2, 0(a1)", ENC_S(0, 0u), 0x1FFFFFFF, 0, 7, 0x1FFFFFFF),
    FAULT("amoadd.w a0, a2, (a1)", ENC_AMO(0x00, 0), DATA + 2, 0, 6, DATA + 2),
    FAULT("amoadd.w a0, a2, (a1)", ENC_AMO(0x00, 0), (uint32_t)QSM_ISA_CODE, 0, 7,
          (uint32_t)QSM_ISA_CODE),
    FAULT("amoadd.w a0, a2, (a1)", ENC_AMO(0x00, 0), SHARED + 64, 0, 7, SHARED + 64),

    // Floating point: one case or more of each operation; the arithmetic itself is tested in tb/fp
    FP_RM("fadd.s", 0x00, dyn, 0x3F800000, 0x40000000, 0x40400000),
    FP_RM("fadd.s", 0x00, dyn, 0x3F800000, 0x33800000, 0x3F800000),  // dynamic is to nearest
    FP_RM("fadd.s", 0x00, rup, 0x3F800000, 0x33800000, 0x3F800001),
    FP_RM("fadd.s", 0x00, rmm, 0x3F800000, 0x33800000, 0x3F800001),
    FP_RM("fadd.s", 0x00, rdn, 0x3F800000, 0xBF800000, 0x80000000),
    FP_RM("fsub.s", 0x04, rne, 0x3F800000, 0x40000000, 0xBF800000),
    FP_RM("fsub.s", 0x04, dyn, 0x7F800000, 0x7F800000, 0x7FC00000),
    FP_RM("fmul.s", 0x08, dyn, 0x40400000, 0x3F000000, 0x3FC00000),
    FP_RM("fmul.s", 0x08, rtz, 0x7F7FFFFF, 0x40000000, 0x7F7FFFFF),
    FP_RM("fdiv.s", 0x0C, dyn, 0x3F800000, 0x40400000, 0x3EAAAAAB),
    FP_RM("fdiv.s", 0x0C, rtz, 0x3F800000, 0x40400000, 0x3EAAAAAA),
    FP_1("fsqrt.s", 0x2C, 0u, dyn, 0x40000000, 0x3FB504F3),
    FP("fsgnj.s", 0x10, 0u, 0x3F800000, 0x80000000, 0xBF800000),
    FP("fsgnjn.s", 0x10, 1u, 0x3F800000, 0x80000000, 0x3F800000),
    FP("fsgnjx.s", 0x10, 2u, 0xBF800000, 0x80000000, 0x3F800000),
    FP("fmin.s", 0x14, 0u, 0x00000000, 0x80000000, 0x80000000),
    FP("fmax.s", 0x14, 1u, 0x7F800001, 0xBF800000, 0xBF800000),
    FP("fle.s", 0x50, 0u, 0x3F800000, 0x3F800000, 1),
    FP("flt.s", 0x50, 1u, 0x3F800000, 0x3F800000, 0),
    FP("feq.s", 0x50, 2u, 0x7FC00000, 0x7FC00000, 0),
    FP_1("fcvt.w.s", 0x60, 0u, rtz, 0xBFC00000, 0xFFFFFFFF),
    FP_1("fcvt.w.s", 0x60, 0u, dyn, 0xBFC00000, 0xFFFFFFFE),
    FP_1("fcvt.wu.s", 0x60, 1u, rtz, 0xBFC00000, 0),
    FP_1("fcvt.s.w", 0x68, 0u, dyn, 0xFFFFFFFF, 0xBF800000),
    FP_1("fcvt.s.wu", 0x68, 1u, dyn, 0xFFFFFFFF, 0x4F800000),
    RESULT("fclass.s a0, a1", ENC_R(0x70, 1u, 0x53u) & ~(31u << 20), 0x80000000, 0, 1u << 3),
    FUSED("fmadd.s", 0x43u, 0x40400000, 0x40000000, 0x41000000),  // 3 * 2 + 2
    FUSED("fmsub.s", 0x47u, 0x40400000, 0x40000000, 0x40800000),
    FUSED("fnmsub.s", 0x4Bu, 0x40400000, 0x40000000, 0xC0800000),
    FUSED("fnmadd.s", 0x4Fu, 0x40400000, 0x40000000, 0xC1000000),

    // Illegal instructions
    ILLEGAL(0x00000000u), ILLEGAL(0xFFFFFFFFu),
    ILLEGAL(0x00000001u),                                            // not 32 bits long
    ILLEGAL(ENC_AMO(0x02, 0) & ~(31u << 20)),                        // lr.w
    ILLEGAL(ENC_AMO(0x03, 0)),                                       // sc.w
    ILLEGAL(ENC_AMO(0x05, 0)),                                       // amocas.w
    ILLEGAL(ENC_R(0x00, 3u, 0x2Fu)),                                 // amoadd.d
    ILLEGAL(0x0000100Fu),                                            // fence.i
    ILLEGAL(0x30200073u),                                            // mret
    ILLEGAL(0x10500073u),                                            // wfi
    ILLEGAL(0x00200073u),                                            // uret
    ILLEGAL(ENC_CSR(0xCC0, 1u, 0)),                                  // csrrw
    ILLEGAL(ENC_CSR(0xCC0, 5u, 0)),                                  // csrrwi
    ILLEGAL(ENC_CSR(0xCC0, 2u, 11)),                                 // csrrs that writes
    ILLEGAL(ENC_CSR(0xCC0, 3u, 11)),                                 // csrrc that writes
    ILLEGAL(ENC_CSR(0xCC0, 6u, 1)),                                  // csrrsi that writes
    ILLEGAL(ENC_CSR(0xCC0, 7u, 1)),                                  // csrrci that writes
    ILLEGAL(ENC_CSR(0xCD2, 2u, 0)),                                  // no such CSR
    ILLEGAL(ENC_CSR(0xC01, 2u, 0)),                                  // time
    ILLEGAL(ENC_CSR(0xC02, 2u, 0)),                                  // instret
    ILLEGAL(ENC_CSR(0x300, 2u, 0)),                                  // mstatus
    ILLEGAL(ENC_CSR(0xCC0, 4u, 0)),                                  // funct3 without meaning
    ILLEGAL(ENC_R(0x40, 0u, 0x33u)),                                 // funct7 without meaning
    ILLEGAL(ENC_R(0x20, 7u, 0x33u)),                                 // andn
    ILLEGAL(ENC_R(0x21, 0u, 0x33u)), ILLEGAL(ENC_I(32, 1u, 0x13u)),  // slli by 32
    ILLEGAL(ENC_I(0x420, 5u, 0x13u)),                                // srai by 32
    ILLEGAL(ENC_I(0x401, 1u, 0x13u)),                                // slli with srai's funct7
    ILLEGAL(ENC_I(0, 3u, 0x03u)),                                    // ld
    ILLEGAL(ENC_I(0, 6u, 0x03u)),                                    // lwu
    ILLEGAL(ENC_I(0, 7u, 0x03u)), ILLEGAL(ENC_S(0, 3u)),             // sd
    ILLEGAL(ENC_S(0, 4u)), ILLEGAL(ENC_B(8, 2u)), ILLEGAL(ENC_B(8, 3u)),
    ILLEGAL(ENC_I(0, 1u, 0x67u)),                    // jalr with funct3
    ILLEGAL(ENC_R(0x00, 5u, 0x53u)),                 // fadd.s with a mode that does not exist
    ILLEGAL(ENC_R(0x00, 6u, 0x43u)),                 // fmadd.s with one
    ILLEGAL(ENC_R(0x01, 0u, 0x53u)),                 // fadd.d
    ILLEGAL(ENC_R(0x01, 0u, 0x43u)),                 // fmadd.d
    ILLEGAL(ENC_R(0x10, 3u, 0x53u)),                 // fsgnj with funct3
    ILLEGAL(ENC_R(0x70, 0u, 0x53u) & ~(31u << 20)),  // fmv.x.w
    ILLEGAL(ENC_R(0x78, 0u, 0x53u) & ~(31u << 20)),  // fmv.w.x
    ILLEGAL(ENC_CSR(0x002, 2u, 0)),                  // frm
    ILLEGAL(ENC_S(0, 2u) ^ 0x04u),                   // fsw
    ILLEGAL(ENC_I(0, 2u, 0x07u)),                    // flw
    ILLEGAL(ENC_I(0, 0u, 0x1Bu)),                    // addiw
    ILLEGAL(0x0000008Bu),                            // qsm.bar with rd
    ILLEGAL(0x0000900Bu),                            // qsm.exit with rs1
    ILLEGAL(0x0010000Bu),                            // qsm.bar with an immediate
    ILLEGAL(0x0000200Bu),                            // custom-0, funct3 2
    ILLEGAL(0x0000002Bu),                            // custom-1
};

const size_t qsm_isa_n_cases = sizeof qsm_isa_cases / sizeof *qsm_isa_cases;
