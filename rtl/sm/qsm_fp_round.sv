// SPDX-License-Identifier: Apache-2.0
// Rounds and packs one result: adds at most 1 to exponent and fraction, or to an integer, and puts
// in NaN, infinity or the end of the range instead. Combinational. Doc: docs/fpu.md (I-FP-2 to -4).
// An integer comes in two's complement, rounded down; of a float the magnitude.
module qsm_fp_round
  import qsm_pkg::*;
(
  input  logic        valid_i,      // else the result is undefined
  input  rm_e         rm_i,
  input  logic        integer_i,    // the result is an integer
  input  logic        unsigned_i,
  input  logic        sign_i,
  // the integer, or exponent (9 bits) and fraction; a fraction that overflows makes the next
  // exponent
  input  logic [31:0] value_i,
  input  logic        guard_i,      // bit below value_i
  input  logic        sticky_i,     // anything below the guard
  input  logic        carry_i,      // 1 more, whatever is below
  input  logic        nan_i,
  input  logic        beyond_i,      // infinite, or beyond every integer
  output logic [31:0] result_o
);
  function automatic logic [31:0] packed_result();
    logic below_zero, away, up, overflow, out_of_range, to_finite;
    // ends of the range: all are some bits in a row
    logic [31:0] rounded, greatest, lowest, infinite;
    below_zero = integer_i && sign_i;  // rounded down is away from zero
    unique case (rm_i)
      RmDown:  away = !integer_i && sign_i;
      RmUp:    away = integer_i || !sign_i;
      default: away = below_zero;  // RmZero
    endcase
    unique case (rm_i)
      RmNearEven: up = guard_i && (sticky_i || value_i[0]);
      RmNearAway: up = guard_i && (sticky_i || !below_zero);
      default:    up = away && (guard_i || sticky_i);
    endcase
    rounded = value_i + 32'(up || carry_i);

    overflow = rounded[31] || rounded[30:23] == '1;
    out_of_range = unsigned_i ? sign_i : value_i[31] != sign_i;
    to_finite = rm_i == RmZero || (rm_i == RmDown && !sign_i) || (rm_i == RmUp && sign_i);
    greatest = {unsigned_i, {31{1'b1}}};
    lowest = {!unsigned_i, 31'd0};
    infinite = {sign_i, (to_finite && !beyond_i) ? 31'h7F7F_FFFF : 31'h7F80_0000};

    if (integer_i) begin
      packed_result = rounded;
      if (nan_i) packed_result = greatest;
      else if (beyond_i || out_of_range) packed_result = sign_i ? lowest : greatest;
    end else begin
      packed_result = {sign_i, rounded[30:0]};
      if (nan_i) packed_result = FpNan;
      else if (beyond_i || overflow) packed_result = infinite;
    end
  endfunction

  always_comb begin
    result_o = 'x;
    if (valid_i) result_o = packed_result();
  end
endmodule
