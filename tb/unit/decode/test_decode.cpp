// SPDX-License-Identifier: Apache-2.0
// Unit test of qsm_decode: every combination of opcode, funct3, funct7 and the rs2 field (with
// random other fields) against a table of the instructions of docs/isa.md, with FPU those of
// docs/fpu.md too; whatever the table does not have must be illegal. Output: TAP.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "Vbench_decode.h"
#include "qsm_parameters.h"

namespace {

enum Class { ALU, MUL, DIV, MEM, CTL, FMA };
enum Ctl { FAULT, BRANCH, JAL, JALR, BAR, EXIT, NEXT };
enum Common { OWN, IMM, TARGET, LINK, CSR };
enum Imm { NONE, I, S, B, U, J, F_ZERO, F_ONE };
enum AluOp {
  ADD = 0,
  SLL = 1,
  SLT = 2,
  SLTU = 3,
  XOR = 4,
  SRL = 5,
  OR = 6,
  AND = 7,
  SUB = 8,
  JUMP = 9,
  NOTHING = 10,
  SRA = 13,
  ANY = 99
};
enum Regs { R_D = 1, R_1 = 2, R_2 = 4, R_3 = 8 };
enum Fp {
  F_NONE,
  F_SGNJ,
  F_MINMAX,
  F_COMPARE,
  F_CLASS,
  F_ADD,
  F_MUL,
  F_FUSED,
  F_TO_INT,
  F_FROM_INT,
  F_DIV,
  F_SQRT
};

struct Row {
  const char *name;
  uint32_t mask, match;
  Class cls;
  Ctl ctl;
  int regs;
  Imm imm;
  int alu;
  Common common;
  Fp fp = F_NONE;
  bool negate_p = false, negate_c = false;
};

const uint32_t OPC = 0x7F, F3 = 0x707F, F7 = 0xFE00707F, AMO = 0xF800707F, ALL = 0xFFFFFFFF;

const Row rows[] = {
    {"lui", OPC, 0x37, ALU, NEXT, R_D, U, NOTHING, IMM},
    {"auipc", OPC, 0x17, ALU, NEXT, R_D, U, NOTHING, TARGET},
    {"jal", OPC, 0x6F, CTL, JAL, R_D, J, NOTHING, LINK},
    {"jalr", F3, 0x67, CTL, JALR, R_D | R_1, I, JUMP, LINK},
    {"beq", F3, 0x0063, CTL, BRANCH, R_1 | R_2, B, ANY, OWN},
    {"bne", F3, 0x1063, CTL, BRANCH, R_1 | R_2, B, ANY, OWN},
    {"blt", F3, 0x4063, CTL, BRANCH, R_1 | R_2, B, SLT, OWN},
    {"bge", F3, 0x5063, CTL, BRANCH, R_1 | R_2, B, SLT, OWN},
    {"bltu", F3, 0x6063, CTL, BRANCH, R_1 | R_2, B, SLTU, OWN},
    {"bgeu", F3, 0x7063, CTL, BRANCH, R_1 | R_2, B, SLTU, OWN},
    {"lb", F3, 0x0003, MEM, NEXT, R_D | R_1, I, ADD, OWN},
    {"lh", F3, 0x1003, MEM, NEXT, R_D | R_1, I, ADD, OWN},
    {"lw", F3, 0x2003, MEM, NEXT, R_D | R_1, I, ADD, OWN},
    {"lbu", F3, 0x4003, MEM, NEXT, R_D | R_1, I, ADD, OWN},
    {"lhu", F3, 0x5003, MEM, NEXT, R_D | R_1, I, ADD, OWN},
    {"sb", F3, 0x0023, MEM, NEXT, R_1 | R_2, S, ADD, OWN},
    {"sh", F3, 0x1023, MEM, NEXT, R_1 | R_2, S, ADD, OWN},
    {"sw", F3, 0x2023, MEM, NEXT, R_1 | R_2, S, ADD, OWN},
    {"addi", F3, 0x0013, ALU, NEXT, R_D | R_1, I, ADD, OWN},
    {"slti", F3, 0x2013, ALU, NEXT, R_D | R_1, I, SLT, OWN},
    {"sltiu", F3, 0x3013, ALU, NEXT, R_D | R_1, I, SLTU, OWN},
    {"xori", F3, 0x4013, ALU, NEXT, R_D | R_1, I, XOR, OWN},
    {"ori", F3, 0x6013, ALU, NEXT, R_D | R_1, I, OR, OWN},
    {"andi", F3, 0x7013, ALU, NEXT, R_D | R_1, I, AND, OWN},
    {"slli", F7, 0x00001013, ALU, NEXT, R_D | R_1, I, SLL, OWN},
    {"srli", F7, 0x00005013, ALU, NEXT, R_D | R_1, I, SRL, OWN},
    {"srai", F7, 0x40005013, ALU, NEXT, R_D | R_1, I, SRA, OWN},
    {"add", F7, 0x00000033, ALU, NEXT, R_D | R_1 | R_2, NONE, ADD, OWN},
    {"sub", F7, 0x40000033, ALU, NEXT, R_D | R_1 | R_2, NONE, SUB, OWN},
    {"sll", F7, 0x00001033, ALU, NEXT, R_D | R_1 | R_2, NONE, SLL, OWN},
    {"slt", F7, 0x00002033, ALU, NEXT, R_D | R_1 | R_2, NONE, SLT, OWN},
    {"sltu", F7, 0x00003033, ALU, NEXT, R_D | R_1 | R_2, NONE, SLTU, OWN},
    {"xor", F7, 0x00004033, ALU, NEXT, R_D | R_1 | R_2, NONE, XOR, OWN},
    {"srl", F7, 0x00005033, ALU, NEXT, R_D | R_1 | R_2, NONE, SRL, OWN},
    {"sra", F7, 0x40005033, ALU, NEXT, R_D | R_1 | R_2, NONE, SRA, OWN},
    {"or", F7, 0x00006033, ALU, NEXT, R_D | R_1 | R_2, NONE, OR, OWN},
    {"and", F7, 0x00007033, ALU, NEXT, R_D | R_1 | R_2, NONE, AND, OWN},
    {"mul", F7, 0x02000033, MUL, NEXT, R_D | R_1 | R_2, NONE, ANY, OWN},
    {"mulh", F7, 0x02001033, MUL, NEXT, R_D | R_1 | R_2, NONE, ANY, OWN},
    {"mulhsu", F7, 0x02002033, MUL, NEXT, R_D | R_1 | R_2, NONE, ANY, OWN},
    {"mulhu", F7, 0x02003033, MUL, NEXT, R_D | R_1 | R_2, NONE, ANY, OWN},
    {"div", F7, 0x02004033, DIV, NEXT, R_D | R_1 | R_2, NONE, ANY, OWN},
    {"divu", F7, 0x02005033, DIV, NEXT, R_D | R_1 | R_2, NONE, ANY, OWN},
    {"rem", F7, 0x02006033, DIV, NEXT, R_D | R_1 | R_2, NONE, ANY, OWN},
    {"remu", F7, 0x02007033, DIV, NEXT, R_D | R_1 | R_2, NONE, ANY, OWN},
    {"amoadd", AMO, 0x0000202F, MEM, NEXT, R_D | R_1 | R_2, NONE, ADD, OWN},
    {"amoswap", AMO, 0x0800202F, MEM, NEXT, R_D | R_1 | R_2, NONE, ADD, OWN},
    {"amoxor", AMO, 0x2000202F, MEM, NEXT, R_D | R_1 | R_2, NONE, ADD, OWN},
    {"amoor", AMO, 0x4000202F, MEM, NEXT, R_D | R_1 | R_2, NONE, ADD, OWN},
    {"amoand", AMO, 0x6000202F, MEM, NEXT, R_D | R_1 | R_2, NONE, ADD, OWN},
    {"amomin", AMO, 0x8000202F, MEM, NEXT, R_D | R_1 | R_2, NONE, ADD, OWN},
    {"amomax", AMO, 0xA000202F, MEM, NEXT, R_D | R_1 | R_2, NONE, ADD, OWN},
    {"amominu", AMO, 0xC000202F, MEM, NEXT, R_D | R_1 | R_2, NONE, ADD, OWN},
    {"amomaxu", AMO, 0xE000202F, MEM, NEXT, R_D | R_1 | R_2, NONE, ADD, OWN},
    {"fence", F3, 0x0000000F, ALU, NEXT, 0, NONE, ANY, OWN},
    {"ecall", ALL, 0x00000073, CTL, FAULT, 0, NONE, ANY, OWN},
    {"ebreak", ALL, 0x00100073, CTL, FAULT, 0, NONE, ANY, OWN},
    {"qsm.bar", ALL, 0x0000000B, CTL, BAR, 0, NONE, ANY, OWN},
    {"qsm.exit", ALL, 0x0000100B, CTL, EXIT, 0, NONE, ANY, OWN},
    {"illegal", 0, 0, CTL, FAULT, 0, NONE, ANY, OWN},
};
const uint32_t FMT = 0xFE00007F, FMT2 = 0xFFF0007F, FMT3 = 0xFFF0707F, R4 = 0x0600007F;
const Row fp_rows[] = {
    {"fadd", FMT, 0x00000053, FMA, NEXT, R_D | R_1 | R_2, F_ONE, ANY, OWN, F_ADD},
    {"fsub", FMT, 0x08000053, FMA, NEXT, R_D | R_1 | R_2, F_ONE, ANY, OWN, F_ADD, false, true},
    {"fmul", FMT, 0x10000053, FMA, NEXT, R_D | R_1 | R_2, NONE, ANY, OWN, F_MUL},
    {"fdiv", FMT, 0x18000053, DIV, NEXT, R_D | R_1 | R_2, NONE, ANY, OWN, F_DIV},
    {"fsqrt", FMT2, 0x58000053, DIV, NEXT, R_D | R_1, NONE, ANY, OWN, F_SQRT},
    {"fsgnj", F7, 0x20000053, ALU, NEXT, R_D | R_1 | R_2, NONE, NOTHING, OWN, F_SGNJ},
    {"fsgnjn", F7, 0x20001053, ALU, NEXT, R_D | R_1 | R_2, NONE, NOTHING, OWN, F_SGNJ},
    {"fsgnjx", F7, 0x20002053, ALU, NEXT, R_D | R_1 | R_2, NONE, NOTHING, OWN, F_SGNJ},
    {"fmin", F7, 0x28000053, ALU, NEXT, R_D | R_1 | R_2, NONE, NOTHING, OWN, F_MINMAX},
    {"fmax", F7, 0x28001053, ALU, NEXT, R_D | R_1 | R_2, NONE, NOTHING, OWN, F_MINMAX},
    {"fle", F7, 0xA0000053, ALU, NEXT, R_D | R_1 | R_2, NONE, NOTHING, OWN, F_COMPARE},
    {"flt", F7, 0xA0001053, ALU, NEXT, R_D | R_1 | R_2, NONE, NOTHING, OWN, F_COMPARE},
    {"feq", F7, 0xA0002053, ALU, NEXT, R_D | R_1 | R_2, NONE, NOTHING, OWN, F_COMPARE},
    {"fcvt.w.s", FMT2, 0xC0000053, FMA, NEXT, R_D | R_1, F_ZERO, ANY, OWN, F_TO_INT},
    {"fcvt.wu.s", FMT2, 0xC0100053, FMA, NEXT, R_D | R_1, F_ZERO, ANY, OWN, F_TO_INT},
    {"fcvt.s.w", FMT2, 0xD0000053, FMA, NEXT, R_D | R_1, F_ZERO, ANY, OWN, F_FROM_INT},
    {"fcvt.s.wu", FMT2, 0xD0100053, FMA, NEXT, R_D | R_1, F_ZERO, ANY, OWN, F_FROM_INT},
    {"fclass", FMT3, 0xE0001053, ALU, NEXT, R_D | R_1, NONE, NOTHING, OWN, F_CLASS},
    {"fmadd", R4, 0x43, FMA, NEXT, R_D | R_1 | R_2 | R_3, NONE, ANY, OWN, F_FUSED},
    {"fmsub", R4, 0x47, FMA, NEXT, R_D | R_1 | R_2 | R_3, NONE, ANY, OWN, F_FUSED, false, true},
    {"fnmsub", R4, 0x4B, FMA, NEXT, R_D | R_1 | R_2 | R_3, NONE, ANY, OWN, F_FUSED, true},
    {"fnmadd", R4, 0x4F, FMA, NEXT, R_D | R_1 | R_2 | R_3, NONE, ANY, OWN, F_FUSED, true, true},
};
const Row csr_read = {"csr read", 0, 0, ALU, NEXT, R_D, I, NOTHING, CSR};

bool is_csr_read(uint32_t w) {
  const uint32_t number = w >> 20, f3 = w >> 12 & 7;
  const bool known = number == 0xC00 || number == 0xC80 || (number >= 0xCC0 && number <= 0xCD1);
  return (w & 0x7F) == 0x73 && known && (f3 == 2 || f3 == 3 || f3 == 6 || f3 == 7) &&
         (w >> 15 & 31) == 0;
}

const Row &row_of(uint32_t w) {
  if (is_csr_read(w)) return csr_read;
  if (FPU) {
    const uint32_t rm = w >> 12 & 7;
    for (const Row &row : fp_rows) {
      const bool rounds = row.cls != ALU;
      if ((w & row.mask) == row.match && !(rounds && (rm == 5 || rm == 6))) return row;
    }
  }
  const Row *row = rows;
  while ((w & row->mask) != row->match) row++;
  return *row;
}

uint32_t field(uint32_t w, unsigned hi, unsigned lo) { return w >> lo & ((2u << (hi - lo)) - 1); }

uint32_t immediate(uint32_t w, Imm imm) {
  const uint32_t sign = w >> 31 ? ~0u : 0u;
  switch (imm) {
    case I: return sign << 12 | field(w, 31, 20);
    case S: return sign << 12 | field(w, 31, 25) << 5 | field(w, 11, 7);
    case B: return sign << 12 | field(w, 7, 7) << 11 | field(w, 30, 25) << 5 | field(w, 11, 8) << 1;
    case U: return w & 0xFFFFF000u;
    case J:
      return sign << 20 | field(w, 19, 12) << 12 | field(w, 20, 20) << 11 | field(w, 30, 21) << 1;
    case F_ONE: return 0x3F800000u;
    default: return 0;
  }
}

std::string check(Vbench_decode &dut, uint32_t w) {
  dut.instr_i = w;
  dut.eval();
  const Row &row = row_of(w);
  std::string wrong;
  auto expect = [&](const char *what, uint32_t got, uint32_t want) {
    if (got != want)
      wrong += std::string(" ") + what + " " + std::to_string(got) + " not " + std::to_string(want);
  };
  expect("class", dut.cls_o, row.cls);
  expect("ctl", dut.ctl_o, row.ctl);
  if (row.ctl == FAULT) expect("cause", dut.cause_o, w == 0x73 ? 8 : w == 0x00100073 ? 3 : 2);
  expect("fence", dut.fence_o, (w & F3) == 0x0F);
  expect("registers that it reads", dut.reads_o, static_cast<uint32_t>(row.regs) >> 1);
  expect("rd", dut.rd_o, row.regs & R_D ? field(w, 11, 7) : 0);
  expect("rs1", dut.rs1_o, row.regs & R_1 ? field(w, 19, 15) : 0);
  expect("rs2", dut.rs2_o, row.regs & R_2 ? field(w, 24, 20) : 0);
  expect("rs3", dut.rs3_o, row.regs & R_3 ? field(w, 31, 27) : 0);
  expect("floating-point operation", dut.fp_op_o, row.fp);
  if (row.cls == FMA) {
    expect("negates the product", dut.negate_p_o, row.negate_p);
    expect("negates the addend", dut.negate_c_o, row.negate_c);
    expect("second operand is immediate", dut.opb_imm_o, row.imm != NONE);
  }
  if (row.fp == F_TO_INT || row.fp == F_FROM_INT)
    expect("unsigned", dut.is_unsigned_o, field(w, 20, 20));
  if (row.cls == FMA || row.fp == F_DIV || row.fp == F_SQRT)
    expect("rounding", dut.fp_rm_o, field(w, 14, 12) % 7);
  if (row.alu != ANY) {
    expect("alu", dut.alu_o, static_cast<uint32_t>(row.alu));
    expect("common part of the result", dut.common_o, row.common);
  }
  if (row.imm != NONE) expect("immediate", dut.imm_o, immediate(w, row.imm));
  if (row.cls == MEM && row.imm == NONE) expect("immediate", dut.imm_o, 0);
  const bool two_registers = (row.regs & R_2) != 0 && row.cls != MEM;
  if (row.cls == ALU && (row.regs & R_D) && row.fp == F_NONE)
    expect("second operand is immediate", dut.opb_imm_o, !two_registers);
  if (row.ctl == BRANCH) expect("second operand is immediate", dut.opb_imm_o, 0);
  if (row.cls == MEM || row.ctl == JALR) expect("second operand is immediate", dut.opb_imm_o, 1);
  if (wrong.empty()) return wrong;
  char text[64];
  snprintf(text, sizeof text, "%08x (%s):", w, row.name);
  return text + wrong;
}

}  // namespace

int main(int argc, char **argv) {
  const uint32_t seed = argc > 1 ? static_cast<uint32_t>(strtoul(argv[1], nullptr, 0)) : 1;
  std::mt19937 rng(seed);
  Vbench_decode dut;
  std::string wrong;
  for (uint32_t n = 0; n < 1u << 22 && wrong.empty();
       n++) {  // 7 + 5 + 3 + 7 bits: funct7, rs2, funct3, opcode
    const uint32_t random = rng();
    const uint32_t rs1 = random & 1 ? random >> 8 & 31 : 0, rd = random & 2 ? random >> 16 & 31 : 0;
    wrong = check(dut, (n >> 10) << 20 | rs1 << 15 | (n >> 7 & 7) << 12 | rd << 7 | (n & 0x7F));
  }
  printf(
      "%sok 1 - every opcode, funct3, funct7 and rs2 decodes as in the table (I-ISA-1, I-FP-1), seed %u\n",
      wrong.empty() ? "" : "not ", seed);
  if (!wrong.empty()) printf("# %s\n", wrong.c_str());

  const uint32_t exact[] = {0x00000073, 0x00100073, 0x0000000B, 0x0000100B};
  std::string other;
  for (uint32_t word : exact) {
    for (unsigned bit = 0; bit < 32 && other.empty(); bit++) other = check(dut, word ^ (1u << bit));
    if (other.empty()) other = check(dut, word);
  }
  printf("%sok 2 - ecall, ebreak, qsm.bar, qsm.exit are these words only (I-ISA-2)\n",
         other.empty() ? "" : "not ");
  if (!other.empty()) printf("# %s\n", other.c_str());
  printf("1..2\n");
  return !wrong.empty() || !other.empty();
}
