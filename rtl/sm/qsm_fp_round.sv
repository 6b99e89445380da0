// SPDX-License-Identifier: Apache-2.0
// Rounds and packs one result: adds at most 1 to exponent and fraction, or to an integer, and puts in NaN, infinity or the end of the range
// instead. Combinational. Doc: docs/fpu.md (I-FP-2 to -4).
// An integer comes in two's complement, rounded down; of a float the magnitude.
module qsm_fp_round
  import qsm_pkg::*;
(
  input  rm_e         rm_i,
  input  logic        integer_i,    // the result is an integer
  input  logic        unsigned_i,
  input  logic        sign_i,
  input  logic [31:0] value_i,      // the integer, or exponent (9 bits) and fraction; a fraction that overflows makes the next exponent
  input  logic        guard_i,      // bit below value_i
  input  logic        sticky_i,     // anything below the guard
  input  logic        carry_i,      // 1 more, whatever is below
  input  logic        nan_i,
  input  logic        beyond_i,      // infinite, or beyond every integer
  output logic [31:0] result_o
);
  logic below_zero, away, up;
  assign below_zero = integer_i && sign_i;  // rounded down is away from zero
  always_comb begin
    unique case (rm_i)
      RmNearEven: up = guard_i && (sticky_i || value_i[0]);
      RmNearAway: up = guard_i && (sticky_i || !below_zero);
      default:    up = away && (guard_i || sticky_i);
    endcase
  end
  always_comb begin
    unique case (rm_i)
      RmDown:  away = !integer_i && sign_i;
      RmUp:    away = integer_i || !sign_i;
      default: away = below_zero;  // RmZero
    endcase
  end

  logic [31:0] rounded;
  assign rounded = value_i + 32'(up || carry_i);

  // Ends of the range: all are some bits in a row.
  logic overflow, out_of_range, to_finite;
  logic [31:0] greatest, lowest, infinite;
  assign overflow = rounded[31] || rounded[30:23] == '1;
  assign out_of_range = unsigned_i ? sign_i : value_i[31] != sign_i;
  assign to_finite = rm_i == RmZero || (rm_i == RmDown && !sign_i) || (rm_i == RmUp && sign_i);
  assign greatest = {unsigned_i, {31{1'b1}}};
  assign lowest = {!unsigned_i, 31'd0};
  assign infinite = {sign_i, (to_finite && !beyond_i) ? 31'h7F7F_FFFF : 31'h7F80_0000};

  always_comb begin
    if (integer_i) begin
      result_o = rounded;
      if (nan_i) result_o = greatest;
      else if (beyond_i || out_of_range) result_o = sign_i ? lowest : greatest;
    end else begin
      result_o = {sign_i, rounded[30:0]};
      if (nan_i) result_o = FpNan;
      else if (beyond_i || overflow) result_o = infinite;
    end
  end
endmodule
