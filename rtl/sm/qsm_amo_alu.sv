// SPDX-License-Identifier: Apache-2.0
// Result of an atomic memory operation: what is written back. docs/isa.md (I-ISA-1). Purely combinational.
module qsm_amo_alu
  import qsm_pkg::*;
(
  input  amo_e        amo_i,
  input  logic [31:0] old_i,
  input  logic [31:0] operand_i,
  output logic [31:0] result_o
);
  logic less;  // old < operand; the operand's sign decides where the signs differ
  always_comb begin
    less = old_i < operand_i;
    if ((amo_i == AmoMin || amo_i == AmoMax) && old_i[31] != operand_i[31]) less = old_i[31];
  end

  always_comb begin
    unique case (amo_i)
      AmoAdd:           result_o = old_i + operand_i;
      AmoXor:           result_o = old_i ^ operand_i;
      AmoAnd:           result_o = old_i & operand_i;
      AmoOr:            result_o = old_i | operand_i;
      AmoMin, AmoMinu:  result_o = less ? old_i : operand_i;
      AmoMax, AmoMaxu:  result_o = less ? operand_i : old_i;
      default:          result_o = operand_i;
    endcase
  end
endmodule
