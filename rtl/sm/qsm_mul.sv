// SPDX-License-Identifier: Apache-2.0
// Multiplier of one lane: mul, mulh, mulhsu, mulhu in two stages. Doc: docs/subcore.md (R-EX-2).
// Operands in cycle t (EX1): four 17 x 17 bit signed products, registered; result in t+1 (EX2): their sum. Maps to four 18 x 18 DSPs.
module qsm_mul (
  input  logic        clk_i,
  input  logic        valid_i,   // EX1: a multiplication
  input  logic [1:0]  funct_i,   // funct3[1:0]: 0 mul, 1 mulh, 2 mulhsu, 3 mulhu
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] result_o   // EX2
);
  logic signed [16:0] a_hi, a_lo, b_hi, b_lo;
  logic signed [33:0] hh_q, hl_q, lh_q, ll_q;
  logic high_q;

  assign a_hi = {funct_i != 2'd3 && a_i[31], a_i[31:16]};
  assign a_lo = {1'b0, a_i[15:0]};
  assign b_hi = {!funct_i[1] && b_i[31], b_i[31:16]};
  assign b_lo = {1'b0, b_i[15:0]};

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      hh_q <= a_hi * b_hi;
      hl_q <= a_hi * b_lo;
      lh_q <= a_lo * b_hi;
      ll_q <= a_lo * b_lo;
      high_q <= funct_i != 2'd0;
    end
  end

  logic signed [63:0] product;
  assign product = (64'(hh_q) <<< 32) + (64'(hl_q) <<< 16) + (64'(lh_q) <<< 16) + 64'(ll_q);
  assign result_o = high_q ? product[63:32] : product[31:0];
endmodule
