// SPDX-License-Identifier: Apache-2.0
// Instruction words by their formats (RISC-V Unprivileged ISA 2.2, 2.3), for programs that are made
// word by word. Offsets of branches and jumps are bytes from the word itself.
#ifndef QSM_ENCODE_H
#define QSM_ENCODE_H

#include <stdint.h>

static inline uint32_t qsm_encode_r(uint32_t opcode, uint32_t funct3, uint32_t funct7, uint32_t rd,
                                    uint32_t rs1, uint32_t rs2) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

static inline uint32_t qsm_encode_i(uint32_t opcode, uint32_t funct3, uint32_t rd, uint32_t rs1,
                                    int32_t imm) {
  return (uint32_t)imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

static inline uint32_t qsm_encode_store(uint32_t funct3, uint32_t rs1, uint32_t rs2, int32_t imm) {
  return ((uint32_t)imm >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 |
         ((uint32_t)imm & 0x1F) << 7 | 0x23;
}

static inline uint32_t qsm_encode_branch(uint32_t funct3, uint32_t rs1, uint32_t rs2,
                                         int32_t offset) {
  uint32_t o = (uint32_t)offset;
  return (o >> 12 & 1) << 31 | (o >> 5 & 0x3F) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 |
         (o >> 1 & 0xF) << 8 | (o >> 11 & 1) << 7 | 0x63;
}

static inline uint32_t qsm_encode_jal(uint32_t rd, int32_t offset) {
  uint32_t o = (uint32_t)offset;
  return (o >> 20 & 1) << 31 | (o >> 1 & 0x3FF) << 21 | (o >> 11 & 1) << 20 |
         (o >> 12 & 0xFF) << 12 | rd << 7 | 0x6F;
}

// Reads a CSR: csrrs of x0.
static inline uint32_t qsm_encode_read_csr(uint32_t rd, uint32_t csr) {
  return qsm_encode_i(0x73, 2, rd, 0, (int32_t)csr);
}

// lui and addi that make rd a value.
static inline void qsm_encode_constant(uint32_t rd, uint32_t value, uint32_t words[2]) {
  uint32_t high = (value + 0x800) & 0xFFFFF000u;
  words[0] = high | rd << 7 | 0x37;
  words[1] = qsm_encode_i(0x13, 0, rd, rd, (int32_t)(value - high));
}

#endif
