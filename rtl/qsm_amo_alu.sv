// SPDX-License-Identifier: Apache-2.0
// ALU for atomic memory operations: the word to write back, and whether it is written. docs/isa.md
// (I-ISA-1). Purely combinational.
// Cost: an adder, a comparator and two LUT4 per bit.
module qsm_amo_alu
  import qsm_pkg::*;
(
  input  amo_control_t control_i,
  input  logic [31:0]  old_i,
  input  logic [31:0]  operand_i,
  output logic         keep_o,    // the old word stays: nothing to write
  output logic [31:0]  result_o   // unless keep_o
);
  // The operand's sign decides where the signs of a signed comparison differ.
  logic less;
  assign less   = {old_i[31] ^ control_i.is_signed, old_i[30:0]} < {
      operand_i[31] ^ control_i.is_signed, operand_i[30:0]};
  assign keep_o = (control_i.min && less) || (control_i.max && !less);

  // One adder gives all results: what is not a sum is added to 0.
  logic [31:0] bits;
  always_comb begin
    unique case (control_i.bits)
      2'd1:    bits = old_i ^ operand_i;
      2'd2:    bits = old_i & operand_i;
      2'd3:    bits = old_i | operand_i;
      default: bits = operand_i;  // swap, add, and the operand's side of min and max
    endcase
  end
  assign result_o = bits + (old_i & {32{control_i.add}});
endmodule
