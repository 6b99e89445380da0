// SPDX-License-Identifier: Apache-2.0
// What an instruction counts as in the energy counters (docs/energy.md R-EN-1): its class, how many
// registers other than x0 it reads, and whether it writes one. From the instruction's format, not
// from the decoder's table.
#ifndef QSM_TB_ENERGY_H
#define QSM_TB_ENERGY_H

#include <cstdint>

enum class Cls : uint32_t { kAlu = 0, kMul = 1, kDiv = 2, kMem = 3, kCtl = 4, kFma = 5 };

struct Counted {
  Cls cls;
  uint32_t operands;
  bool writes;
  bool operator==(const Counted &o) const {
    return cls == o.cls && operands == o.operands && writes == o.writes;
  }
};

// Of an instruction of the programs of this bench, all of them legal.
inline Counted counted(uint32_t word) {
  const bool rd = (word >> 7 & 31) != 0, rs1 = (word >> 15 & 31) != 0, rs2 = (word >> 20 & 31) != 0,
             rs3 = word >> 27 != 0;
  const uint32_t funct3 = word >> 12 & 7, funct7 = word >> 25;
  const uint32_t two = rs1 + rs2;
  switch (word & 0x7F) {
    case 0x37:
    case 0x17: return {Cls::kAlu, 0, rd};  // lui, auipc
    case 0x13: return {Cls::kAlu, rs1, rd};
    case 0x33: return {funct7 != 1 ? Cls::kAlu : funct3 < 4 ? Cls::kMul : Cls::kDiv, two, rd};
    case 0x03: return {Cls::kMem, rs1, rd};
    case 0x23: return {Cls::kMem, two, false};
    case 0x2F: return {Cls::kMem, two, rd};
    case 0x63: return {Cls::kCtl, two, false};
    case 0x6F: return {Cls::kCtl, 0, rd};
    case 0x67: return {Cls::kCtl, rs1, rd};
    case 0x73: return {Cls::kAlu, 0, rd};     // CSR reads
    case 0x0F: return {Cls::kAlu, 0, false};  // fence, whatever its fields
    case 0x43:
    case 0x47:
    case 0x4B:
    case 0x4F: return {Cls::kFma, two + rs3, rd};
    case 0x53:
      switch (funct7 >> 2) {
        case 0:                                // fadd
        case 1:                                // fsub
        case 2: return {Cls::kFma, two, rd};   // fmul
        case 3: return {Cls::kDiv, two, rd};   // fdiv
        case 11: return {Cls::kDiv, rs1, rd};  // fsqrt
        case 24:                               // fcvt: rs2's field says which
        case 26: return {Cls::kFma, rs1, rd};
        case 28: return {Cls::kAlu, rs1, rd};  // fclass
        default: return {Cls::kAlu, two, rd};  // fsgnj, fmin, feq and their like
      }
    default: return {Cls::kCtl, 0, false};  // barrier, exit; what is no instruction
  }
}

#endif
