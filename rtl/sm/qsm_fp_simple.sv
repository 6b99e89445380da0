// SPDX-License-Identifier: Apache-2.0
// Floating-point operations of one lane that take an ALU instruction's time: fsgnj*, fmin, fmax,
// feq, flt, fle, fclass. Combinational (EX1).
// Doc: docs/fpu.md (I-FP-3). The ALU compares (AluNone): as signed integers two numbers stand in
// their order, in reverse if both are negative.
module qsm_fp_simple
  import qsm_pkg::*;
(
  input  fp_e         op_i,
  input  logic [1:0]  funct_i,    // funct3: which of them
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic        equal_i,    // a = b, all bits
  input  logic        less_i,     // a < b, signed
  output logic [31:0] result_o    // 0 if op_i is none of these
);
  fp_kind_t ka, kb;
  logic unordered, less, equal, unused;
  assign ka = fp_kind(a_i[30:0]);
  assign kb = fp_kind(b_i[30:0]);
  assign unused = ^kb;
  assign unordered = ka.nan || kb.nan;
  // -0 < +0; of equal negative ones anything
  assign less = (a_i[31] && b_i[31]) ? !less_i : less_i;
  assign equal = equal_i || (ka.zero && kb.zero);

  // One of the operands: of a number and a NaN the number.
  logic take_b, sign, truth;
  always_comb begin
    take_b = op_i == FpMinMax && (ka.nan || (!kb.nan && less == funct_i[0]));
    unique case (funct_i)
      2'd0:    sign = b_i[31];
      2'd1:    sign = !b_i[31];
      default: sign = a_i[31] ^ b_i[31];
    endcase
    unique case (funct_i)
      2'd0:    truth = less || equal;
      2'd1:    truth = less && !equal;
      default: truth = equal;
    endcase
  end

  logic [9:0] class_bits;
  assign class_bits = {
    ka.nan && a_i[22], ka.nan && !a_i[22],
    (ka.inf ? 4'b1000 : ka.zero ? 4'b0001 : ka.tiny ? 4'b0010 : 4'b0100) & {4{!a_i[31] && !ka.nan}},
    (ka.inf ? 4'b0001 : ka.zero ? 4'b1000 : ka.tiny ? 4'b0100 : 4'b0010) & {4{a_i[31] && !ka.nan}}
  };

  always_comb begin
    unique case (op_i)
      FpSgnj:    result_o = {sign, a_i[30:0]};
      FpMinMax:  result_o = (ka.nan && kb.nan) ? FpNan : take_b ? b_i : a_i;
      FpCompare: result_o = 32'(truth && !unordered);
      FpClass:   result_o = 32'(class_bits);
      default:   result_o = '0;
    endcase
  end
endmodule
