// SPDX-License-Identifier: Apache-2.0
// Multiplier and shifter of one lane in two stages: mul, mulh, mulhsu, mulhu, sll, srl, sra. Doc:
// docs/subcore.md (R-EX-2).
// Operands in cycle t (EX1): four 17 x 17 bit signed products, registered; result in t+1 (EX2):
// their sum, 0 if there was nothing to do in t. Maps to four 18 x 18 DSPs. A shift is a
// multiplication by a power of two, which is far smaller than a shifter: to the left by s the low
// half of a product with 2**s; to the right the high half of one with 2**(32-s).
module qsm_mul (
  input  logic        clk_i,
  input  logic        valid_i,   // EX1: something to do
  input  logic        shift_i,   // it is a shift
  // multiplication: 0 mul, 1 mulh, 2 mulhsu, 3 mulhu; shift: 0 sll, 2 sra, 3 srl
  input  logic [1:0]  funct_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic [4:0]  places_i,  // of a shift
  output logic [31:0] result_o,  // EX2
  output logic [47:0] product_o  // EX2: the lower bits of the product, for floating point
);
  // Of 2**(-s), modulo 32: a right shift by 0 is by 2**0, low half.
  logic [4:0] place;
  logic [31:0] b;
  assign place = funct_i[1] ? -places_i : places_i;
  assign b = shift_i ? 32'd1 << place : b_i;

  logic signed [16:0] a_hi, a_lo, b_hi, b_lo;
  assign a_hi = {funct_i != 2'd3 && a_i[31], a_i[31:16]};
  assign a_lo = {1'b0, a_i[15:0]};
  assign b_hi = {!funct_i[1] && b[31], b[31:16]};
  assign b_lo = {1'b0, b[15:0]};

  // Bits 63:32 and 31:0 of the product but for the cross terms, which belong at bit 16.
  logic [31:0] hh_q, ll_q;
  logic signed [32:0] hl_q, lh_q;
  logic high_q;
  always_ff @(posedge clk_i) begin
    if (!valid_i) begin
      hh_q <= '0;
      hl_q <= '0;
      lh_q <= '0;
      ll_q <= '0;
    end else begin
      hh_q <= 32'(a_hi * b_hi);
      hl_q <= 33'(a_hi * b_lo);
      lh_q <= 33'(a_lo * b_hi);
      ll_q <= 32'(a_lo * b_lo);
    end
    high_q <= shift_i ? funct_i[1] && places_i != '0 : funct_i != 2'd0;
  end

  logic signed [33:0] middle;
  logic [47:0] upper;  // bits 63:16 of the product
  assign middle = 34'(hl_q) + 34'(lh_q);
  assign upper = {hh_q, ll_q[31:16]} + 48'(middle);
  assign product_o = {upper[31:0], ll_q[15:0]};
  assign result_o = high_q ? upper[47:16] : {upper[15:0], ll_q[15:0]};
endmodule
