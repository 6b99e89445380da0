// SPDX-License-Identifier: Apache-2.0
// Encoders of the instructions that the sub-core bench uses (RISC-V unprivileged specification;
// docs/isa.md for the custom ones).
#ifndef QSM_TB_ASM_H
#define QSM_TB_ASM_H

#include <cstdint>
#include <vector>

using Program = std::vector<uint32_t>;

inline uint32_t r_type(uint32_t op, uint32_t f3, uint32_t f7, uint32_t rd, uint32_t rs1,
                       uint32_t rs2) {
  return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}
inline uint32_t i_type(uint32_t op, uint32_t f3, uint32_t rd, uint32_t rs1, int32_t imm) {
  return static_cast<uint32_t>(imm) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}
inline uint32_t alu(uint32_t f3, uint32_t f7, uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return r_type(0x33, f3, f7, rd, rs1, rs2);
}
inline uint32_t alu_imm(uint32_t f3, uint32_t rd, uint32_t rs1, int32_t imm) {
  return i_type(0x13, f3, rd, rs1, imm);
}
inline uint32_t addi(uint32_t rd, uint32_t rs1, int32_t imm) { return alu_imm(0, rd, rs1, imm); }
inline uint32_t add(uint32_t rd, uint32_t rs1, uint32_t rs2) { return alu(0, 0, rd, rs1, rs2); }
inline uint32_t mul(uint32_t rd, uint32_t rs1, uint32_t rs2) { return alu(0, 1, rd, rs1, rs2); }
inline uint32_t div_(uint32_t rd, uint32_t rs1, uint32_t rs2) { return alu(4, 1, rd, rs1, rs2); }
inline uint32_t lui(uint32_t rd, uint32_t imm) { return (imm & 0xFFFFF000u) | rd << 7 | 0x37; }
inline uint32_t auipc(uint32_t rd, uint32_t imm) { return (imm & 0xFFFFF000u) | rd << 7 | 0x17; }
inline uint32_t load(uint32_t f3, uint32_t rd, uint32_t rs1, int32_t imm) {
  return i_type(0x03, f3, rd, rs1, imm);
}
inline uint32_t store(uint32_t f3, uint32_t rs2, uint32_t rs1, int32_t imm) {
  const uint32_t u = static_cast<uint32_t>(imm);
  return (u >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (u & 0x1F) << 7 | 0x23;
}
inline uint32_t amoadd(uint32_t rd, uint32_t rs2, uint32_t rs1) {
  return r_type(0x2F, 2, 0, rd, rs1, rs2);
}
inline uint32_t branch(uint32_t f3, uint32_t rs1, uint32_t rs2, int32_t imm) {
  const uint32_t u = static_cast<uint32_t>(imm);
  return (u >> 12 & 1) << 31 | (u >> 5 & 0x3F) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 |
         (u >> 1 & 0xF) << 8 | (u >> 11 & 1) << 7 | 0x63;
}
inline uint32_t jal(uint32_t rd, int32_t imm) {
  const uint32_t u = static_cast<uint32_t>(imm);
  return (u >> 20 & 1) << 31 | (u >> 1 & 0x3FF) << 21 | (u >> 11 & 1) << 20 |
         (u >> 12 & 0xFF) << 12 | rd << 7 | 0x6F;
}
inline uint32_t jalr(uint32_t rd, uint32_t rs1, int32_t imm) {
  return i_type(0x67, 0, rd, rs1, imm);
}
inline uint32_t csrr(uint32_t rd, uint32_t csr) {
  return i_type(0x73, 2, rd, 0, static_cast<int32_t>(csr));
}
inline uint32_t fence() { return 0x0FF0000F; }
inline uint32_t bar() { return 0x0000000B; }
inline uint32_t exit_() { return 0x0000100B; }

constexpr uint32_t CSR_CYCLE = 0xC00, CSR_TID = 0xCC0, CSR_CTAID_X = 0xCC1, CSR_CTAID_Y = 0xCC2,
                   CSR_CTAID_Z = 0xCC3, CSR_NTID_X = 0xCC4, CSR_NTID_Y = 0xCC5, CSR_NTID_Z = 0xCC6,
                   CSR_NCTAID_X = 0xCC7, CSR_NCTAID_Y = 0xCC8, CSR_NCTAID_Z = 0xCC9,
                   CSR_LANE = 0xCCA, CSR_SMID = 0xCCB, CSR_ARG = 0xCCC, CSR_HWTID = 0xCCD,
                   CSR_SLOT = 0xCCE, CSR_MASK = 0xCCF, CSR_WARPSIZE = 0xCD0, CSR_TICKET = 0xCD1;

#endif
