// SPDX-License-Identifier: Apache-2.0
// ALU of one lane: RV32I arithmetic, logic, shifts and compares. Combinational (EX1). Doc: docs/subcore.md (R-EX-1).
// One adder serves sums, differences and compares; one right shifter serves all shifts (left ones with reversed bits).
module qsm_alu
  import qsm_pkg::*;
(
  input  alu_e        op_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] result_o,
  output logic        eq_o,     // a = b
  output logic        lt_o      // a < b: unsigned if op_i is AluSltu, signed if it is AluSlt
);
  function automatic logic [31:0] reversed(input logic [31:0] x);
    for (int unsigned i = 0; i < 32; i++) reversed[i] = x[31-i];
  endfunction

  logic subtract, carry;
  logic [31:0] sum;
  assign subtract = op_i != AluAdd;
  assign {carry, sum} = {1'b0, a_i} + {1'b0, b_i ^ {32{subtract}}} + 33'(subtract);

  assign eq_o = a_i == b_i;
  assign lt_o = (op_i == AluSltu) ? !carry : (a_i[31] != b_i[31]) ? a_i[31] : sum[31];

  logic left;
  logic [31:0] shift_in, shifted;
  assign left = op_i == AluSll;
  assign shift_in = left ? reversed(a_i) : a_i;
  assign shifted = 32'($signed({op_i == AluSra && a_i[31], shift_in}) >>> b_i[4:0]);

  always_comb begin
    case (op_i)
      AluAdd, AluSub: result_o = sum;
      AluSlt, AluSltu: result_o = 32'(lt_o);
      AluSll: result_o = reversed(shifted);
      AluSrl, AluSra: result_o = shifted;
      AluXor: result_o = a_i ^ b_i;
      AluOr: result_o = a_i | b_i;
      AluAnd: result_o = a_i & b_i;
      default: result_o = sum;
    endcase
  end
endmodule
