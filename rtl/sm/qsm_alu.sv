// SPDX-License-Identifier: Apache-2.0
// ALU of one lane: RV32I arithmetic, logic, shifts and compares. Combinational (EX1). Doc: docs/subcore.md (R-EX-1).
// One adder serves sums, differences and compares; one right shifter serves all shifts (left ones with reversed bits). The result is an OR
// of parts of which all but one are 0: three LUT4 per bit.
module qsm_alu
  import qsm_pkg::*;
(
  input  alu_e        op_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] result_o,
  output logic        eq_o,     // a = b, unless op_i is AluAdd
  output logic        lt_o      // a < b: unsigned if op_i is AluSltu, signed if it is AluSlt
);
  function automatic logic [31:0] reversed(input logic [31:0] x);
    for (int unsigned i = 0; i < 32; i++) reversed[i] = x[31-i];
  endfunction

  logic subtract, carry;
  logic [31:0] sum;
  assign subtract = op_i != AluAdd;
  assign {carry, sum} = {1'b0, a_i} + {1'b0, b_i ^ {32{subtract}}} + 33'(subtract);

  assign eq_o = sum == '0;
  assign lt_o = (op_i == AluSltu) ? !carry : (a_i[31] != b_i[31]) ? a_i[31] : sum[31];

  logic left;
  logic [31:0] shift_in, shifted;
  assign left = op_i == AluSll;
  assign shift_in = left ? reversed(a_i) : a_i;
  assign shifted = 32'($signed({op_i == AluSra && a_i[31], shift_in}) >>> b_i[4:0]);

  // Bitwise operations, 0 for all others.
  logic [31:0] bits;
  logic is_xor, is_or, is_and, is_sum, is_less, is_right;
  assign is_xor = op_i == AluXor;
  assign is_or = op_i == AluOr;
  assign is_and = op_i == AluAnd;
  assign bits = ((a_i ^ b_i) & {32{is_xor || is_or}}) | (a_i & b_i & {32{is_or || is_and}});

  assign is_sum = op_i inside {AluAdd, AluSub};
  assign is_less = op_i inside {AluSlt, AluSltu};
  assign is_right = op_i inside {AluSrl, AluSra};
  assign result_o = bits | (sum & {32{is_sum}}) | (shifted & {32{is_right}}) | (reversed(shifted) & {32{left}}) | 32'(is_less && lt_o);
endmodule
