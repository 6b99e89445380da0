// SPDX-License-Identifier: Apache-2.0
// Result of an atomic memory operation: what is written back. docs/isa.md (I-ISA-1). Purely combinational.
// Cost: an adder, a comparator and three LUT4 per bit.
module qsm_amo_alu
  import qsm_pkg::*;
(
  input  amo_e        amo_i,
  input  logic [31:0] old_i,
  input  logic [31:0] operand_i,
  output logic [31:0] result_o
);
  // The operand's sign decides where the signs of a signed comparison differ.
  logic is_min, is_max, is_signed, less, keep;
  assign is_min    = amo_i == AmoMin || amo_i == AmoMinu;
  assign is_max    = amo_i == AmoMax || amo_i == AmoMaxu;
  assign is_signed = amo_i == AmoMin || amo_i == AmoMax;
  assign less      = {old_i[31] ^ is_signed, old_i[30:0]} < {operand_i[31] ^ is_signed, operand_i[30:0]};
  assign keep      = (is_min && less) || (is_max && !less);

  logic [31:0] sum, bits;
  assign sum = old_i + operand_i;
  always_comb begin
    unique case (amo_i)
      AmoXor:  bits = old_i ^ operand_i;
      AmoAnd:  bits = old_i & operand_i;
      AmoOr:   bits = old_i | operand_i;
      default: bits = operand_i;  // swap, and the operand's side of min and max
    endcase
    result_o = keep ? old_i : (amo_i == AmoAdd) ? sum : bits;
  end
endmodule
