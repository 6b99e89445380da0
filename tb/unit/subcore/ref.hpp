// SPDX-License-Identifier: Apache-2.0
// Reference of the sub-core bench: one thread at a time, one instruction at a time, no timing. It
// keeps the trace {pc, depth} of every thread, which the RTL's issues and selections must follow.
// Written from docs/isa.md.
#ifndef QSM_TB_REF_H
#define QSM_TB_REF_H

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "fp_ref.h"

constexpr uint32_t CODE_BASE = 0x80000000u, CODE_BYTES = 0x2000, DATA_BASE = 0x80010000u,
                   DATA_BYTES = 0x8000;

// Device memory of the bench: a data area.
struct Memory {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(DATA_BYTES, 0);

  uint32_t index(uint32_t addr, uint32_t size) const {
    if (addr < DATA_BASE || addr + size > DATA_BASE + DATA_BYTES || addr % size != 0)
      throw std::runtime_error("address outside the bench's data");
    return addr - DATA_BASE;
  }
  uint32_t read(uint32_t addr, uint32_t size) const {
    uint32_t value = 0;
    const uint32_t at = index(addr, size);
    for (uint32_t i = 0; i < size; i++) value |= static_cast<uint32_t>(bytes[at + i]) << (8 * i);
    return value;
  }
  void write(uint32_t addr, uint32_t size, uint32_t value) {
    const uint32_t at = index(addr, size);
    for (uint32_t i = 0; i < size; i++) bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
  }

  // One lane of a memory instruction; returns what it loads.
  uint32_t access(uint32_t instr, uint32_t addr, uint32_t data) {
    const uint32_t opcode = instr & 0x7F, f3 = instr >> 12 & 7, size = 1u << (f3 & 3);
    if (opcode == 0x23) {
      write(addr, size, data);
      return 0;
    }
    const uint32_t old = read(addr, size);
    if (opcode == 0x2F) write(addr, 4, old + data);  // the bench uses amoadd only
    if (f3 == 0) return static_cast<uint32_t>(static_cast<int8_t>(old));
    if (f3 == 1) return static_cast<uint32_t>(static_cast<int16_t>(old));
    return old;
  }
};

inline uint32_t alu_value(uint32_t f3, bool alt, uint32_t a, uint32_t b) {
  switch (f3) {
    case 0: return alt ? a - b : a + b;
    case 1: return a << (b & 31);
    case 2: return static_cast<int32_t>(a) < static_cast<int32_t>(b);
    case 3: return a < b;
    case 4: return a ^ b;
    case 5: return alt ? static_cast<uint32_t>(static_cast<int32_t>(a) >> (b & 31)) : a >> (b & 31);
    case 6: return a | b;
    default: return a & b;
  }
}

inline uint32_t muldiv_value(uint32_t f3, uint32_t a, uint32_t b) {
  const int64_t sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  const uint64_t ua = a, ub = b;
  switch (f3) {
    case 0: return a * b;
    case 1: return static_cast<uint32_t>(static_cast<uint64_t>(sa * sb) >> 32);
    case 2:
      return static_cast<uint32_t>(static_cast<uint64_t>(sa * static_cast<int64_t>(ub)) >> 32);
    case 3: return static_cast<uint32_t>(ua * ub >> 32);
    case 4: return b == 0 ? ~0u : static_cast<uint32_t>(sa / sb);
    case 5: return b == 0 ? ~0u : a / b;
    case 6: return b == 0 ? a : static_cast<uint32_t>(sa % sb);
    default: return b == 0 ? a : a % b;
  }
}

// The operation of a floating-point instruction (docs/fpu.md I-FP-1).
inline fp_op float_op(uint32_t instr) {
  for (int op = 0; op < FP_N_OPS; op++) {
    const struct fp_op_info &info = fp_op_info[op];
    const uint32_t mask = 0x7F | 3u << 25 | (info.rounds ? 0 : 7u << 12) |
                          (info.n_operands < 3 ? 0x1Fu << 27 : 0) |
                          (info.n_operands < 2 ? 0x1Fu << 20 : 0);
    if ((instr & mask) == (info.word & mask)) return static_cast<fp_op>(op);
  }
  throw std::runtime_error("reference does not know the floating-point operation");
}

inline uint32_t float_value(uint32_t instr, uint32_t a, uint32_t b, uint32_t c) {
  static fp_ref *const reference = fp_ref_create();
  const uint32_t rm = instr >> 12 & 7;
  return fp_ref_compute(reference, float_op(instr), rm == 7 ? FP_RNE : static_cast<fp_rm>(rm), a, b,
                        c);
}

struct Step {
  uint32_t pc, depth;
};

struct Thread {
  uint32_t pc = CODE_BASE, depth = 0;
  std::array<uint32_t, 32> x{};
  std::array<uint32_t, 0x20> csr{};  // 0xCC0 ..
  bool exited = false, waits = false;
  std::vector<Step> trace;

  // Runs to the next barrier or the end.
  void run(const std::vector<uint32_t> &code, Memory &memory) {
    waits = false;
    while (!exited && !waits) {
      if (trace.size() > 200000) throw std::runtime_error("reference thread does not end");
      trace.push_back({pc, depth});
      step(code.at((pc - CODE_BASE) / 4), memory);
    }
  }

  void step(uint32_t instr, Memory &memory) {
    const uint32_t opcode = instr & 0x7F, rd = instr >> 7 & 31, f3 = instr >> 12 & 7,
                   rs1 = instr >> 15 & 31, rs2 = instr >> 20 & 31;
    const int32_t s = static_cast<int32_t>(instr), imm_i = s >> 20;
    const uint32_t a = x[rs1], b = x[rs2];
    uint32_t next = pc + 4;
    uint32_t value = 0;
    bool writes = true;
    switch (opcode) {
      case 0x37: value = instr & 0xFFFFF000u; break;
      case 0x17: value = pc + (instr & 0xFFFFF000u); break;
      case 0x13:
        value = alu_value(f3, f3 == 5 && (instr >> 30 & 1), a, static_cast<uint32_t>(imm_i));
        break;
      case 0x33:
        value = (instr >> 25 & 1) ? muldiv_value(f3, a, b) : alu_value(f3, instr >> 30 & 1, a, b);
        break;
      case 0x73: value = csr.at((instr >> 20) - 0xCC0); break;
      case 0x03: value = memory.access(instr, a + static_cast<uint32_t>(imm_i), 0); break;
      case 0x2F: value = memory.access(instr, a, b); break;
      case 0x23: {
        const int32_t imm = (s >> 25) * 32 + static_cast<int32_t>(rd);
        memory.access(instr, a + static_cast<uint32_t>(imm), b);
        writes = false;
        break;
      }
      case 0x63: {
        const bool lt = (f3 & 2) ? a < b : static_cast<int32_t>(a) < static_cast<int32_t>(b);
        const bool taken = ((f3 & 4) ? lt : a == b) != ((f3 & 1) != 0);
        const int32_t imm = (s >> 31) * 4096 + static_cast<int32_t>((instr >> 7 & 1) << 11 |
                                                                    (instr >> 25 & 0x3F) << 5 |
                                                                    (instr >> 8 & 0xF) << 1);
        if (taken) next = pc + static_cast<uint32_t>(imm);
        writes = false;
        break;
      }
      case 0x6F: {
        const int32_t imm =
            (s >> 31) * (1 << 20) + static_cast<int32_t>((instr >> 12 & 0xFF) << 12 |
                                                         (instr >> 20 & 1) << 11 |
                                                         (instr >> 21 & 0x3FF) << 1);
        value = pc + 4;
        next = pc + static_cast<uint32_t>(imm);
        if (rd == 1 || rd == 5) depth = depth < 31 ? depth + 1 : 31;
        break;
      }
      case 0x67:
        value = pc + 4;
        next = (a + static_cast<uint32_t>(imm_i)) & ~1u;
        if (rd == 1 || rd == 5)
          depth = depth < 31 ? depth + 1 : 31;
        else if (rd == 0 && (rs1 == 1 || rs1 == 5))
          depth = depth > 0 ? depth - 1 : 0;
        break;
      case 0x43:
      case 0x47:
      case 0x4B:
      case 0x4F:
      case 0x53: value = float_value(instr, a, b, x[instr >> 27]); break;
      case 0x0F: writes = false; break;
      case 0x0B:
        writes = false;
        if (f3 == 0)
          waits = true;
        else
          exited = true;
        break;
      default: throw std::runtime_error("reference does not know the instruction");
    }
    if (writes && rd != 0) x[rd] = value;
    pc = next;
  }
};

#endif
