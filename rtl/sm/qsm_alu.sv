// SPDX-License-Identifier: Apache-2.0
// ALU of one lane: RV32I arithmetic, logic and compares. Combinational (EX1). Doc: docs/subcore.md
// (R-EX-1).
// The multiplier does shifts. For shifts and multiplications the result here is 0 and the result of
// the multiplier is used (R-EX-2); the same holds for floating point (AluNone).
// One adder serves sums, differences and compares. The second operand is inverted for all
// operations but sums: that is free in the multiplexer that selects it, but would cost LUTs of the
// width of the adder here. The result is an OR of parts of which all but one are 0; or_i is one of
// them, for what does not come from the operands (AluNone), and of a jump, whose sum is its target.
module qsm_alu
  import qsm_pkg::*;
(
  input  alu_e        op_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,      // inverted, unless op_i is AluAdd or AluTarget
  input  logic [31:0] or_i,
  output logic [31:0] sum_o,
  output logic [31:0] result_o,
  output logic        eq_o,     // a = b, if the second operand is inverted
  output logic        lt_o      // a < b: unsigned if op_i is AluSltu, signed if it is AluSlt
);
  // The carry input is one more bit below the sum, so the adder has only two operands.
  logic carry, below;
  logic [31:0] sum;
  assign {carry, sum, below} = {1'b0, a_i, 1'b1} + {1'b0, b_i, !(op_i inside {AluAdd, AluTarget})};
  assign sum_o = sum;

  assign eq_o = sum == '0;
  assign lt_o = (op_i == AluSltu) ? !carry : (a_i[31] == b_i[31]) ? a_i[31] : sum[31];

  // Bitwise operations, 0 for all others.
  logic [31:0] bits;
  logic is_xor, is_or, is_and, is_sum, is_less;
  assign is_xor = op_i == AluXor;
  assign is_or = op_i == AluOr;
  assign is_and = op_i == AluAnd;
  assign bits = (~(a_i ^ b_i) & {32{is_xor || is_or}}) | (a_i & ~b_i & {32{is_or || is_and}});

  assign is_sum = op_i inside {AluAdd, AluSub};
  assign is_less = op_i inside {AluSlt, AluSltu};
  assign result_o = bits | (sum & {32{is_sum}}) | or_i | 32'(is_less && lt_o);

  logic unused;
  assign unused = below;
endmodule
