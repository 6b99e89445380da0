// SPDX-License-Identifier: Apache-2.0
// Floating-point divider and square root of one lane: registers and one radix-2 restoring step,
// driven by the controller in qsm_fp_div. Doc: docs/fpu.md (R-FP-8).
// load, then 5 cycles that normalise by 8, 8, 4, 2, 1, then 26 steps. Of a quotient below 1 the
// first digit is 0; a lane stops when it has 24 digits and the guard, or, for a subnormal quotient,
// those that it has room for: what is left then is its sticky bit. result_o rounds what is there.
module qsm_fp_div_lane
  import qsm_pkg::*;
(
  input  logic              clk_i,
  input  logic              load_i,
  input  logic              normalise_i,
  input  logic              step_i,
  input  logic              last_i,     // step 26, which only quotients below 1 need
  input  logic              done_i,     // result_o counts
  // one bit of 8, 4, 2, 1: by how much is normalised; 2 in steps, of radicands
  input  logic [3:0]        amount_i,
  input  logic signed [9:0] lowest_i,    // in steps: the digit counts if the exponent is above
  // of the instruction that is loaded, then of the one that runs
  input  logic              sqrt_i,
  input  rm_e               rm_i,       // of the one that runs
  input  logic [31:0]       a_i,
  input  logic [31:0]       b_i,
  output logic [31:0]       result_o
);
  logic [25:0] rest_q;             // dividend first
  logic [24:0] divisor_q;          // or radicand, two bits of which go into the rest in each step
  logic [24:0] quotient_q;
  logic signed [9:0] exponent_q;   // of the first digit; of a square root doubled, its bias too
  logic sign_q, nan_q, inf_q;

  fp_kind_t ka, kb;
  always_comb begin
    {ka, kb} = 'x;
    if (load_i) {ka, kb} = {fp_kind(a_i[30:0]), fp_kind(b_i[30:0])};
  end

  // Do the upper bits have room for the shift?
  function automatic logic has_room(input logic [7:0] upper, input logic [3:0] amount);
    return (amount[3] && upper == '0) || (amount[2] && upper[7:4] == '0) ||
        (amount[1] && upper[7:6] == '0) || (amount[0] && !upper[7]);
  endfunction

  function automatic logic [23:0] shift(input logic [22:0] x, input logic [3:0] amount);
    return ({x[15:0], 8'd0} & {24{amount[3]}}) | ({x[19:0], 4'd0} & {24{amount[2]}}) |
        ({x[21:0], 2'd0} & {24{amount[1]}}) |
           ({x[22:0], 1'd0} & {24{amount[0]}});
  endfunction

  logic shift_rest, shift_divisor, counts;
  always_comb begin
    shift_rest = 1'b0;
    shift_divisor = step_i && sqrt_i;
    if (normalise_i) begin
      shift_rest = has_room(rest_q[23:16], amount_i);
      shift_divisor = has_room(divisor_q[23:16], amount_i);
    end
  end
  assign counts = step_i && !quotient_q[24] && exponent_q > lowest_i;

  // Step. Pairs of a radicand: its exponent says whether the first one is 01 or 1x.
  logic [1:0] pair;
  logic [26:0] shifted, subtrahend;
  logic [25:0] diff;
  logic digit, unused_top;
  always_comb begin
    {pair, shifted, subtrahend, digit, unused_top, diff} = 'x;
    if (counts) begin
      pair = exponent_q[0] ? divisor_q[23:22] : divisor_q[24:23];
      shifted = sqrt_i ? {rest_q[24:0], pair} : {rest_q, 1'b0};
      subtrahend = sqrt_i ? {1'b0, quotient_q[23:0], 2'b01} : {2'b00, divisor_q[23:0], 1'b0};
      {digit, unused_top, diff} = {1'b1, shifted} - {1'b0, subtrahend};
    end
  end

  // A normalised dividend or radicand lowers the exponent, a divisor raises it; so does a first
  // digit 0.
  logic raise, lower;
  logic signed [9:0] change;
  assign raise = normalise_i && !sqrt_i && shift_divisor && !shift_rest;
  assign lower = (normalise_i && (sqrt_i ? shift_divisor : shift_rest && !shift_divisor)) ||
      (counts && last_i);
  assign change = last_i ? 10'sd1 : 10'(amount_i);

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      sign_q <= sqrt_i ? a_i[31] : a_i[31] ^ b_i[31];
      nan_q <= ka.nan || (sqrt_i ? a_i[31] && !ka.zero : kb.nan || (ka.inf && kb.inf) ||
          (ka.zero && kb.zero));
      inf_q <= ka.inf || (!sqrt_i && kb.zero);
    end

    if (load_i)
      exponent_q <= 10'(fp_exponent(a_i[30:23])) - (sqrt_i ? 10'd0 : 10'(fp_exponent(b_i[30:23]))) +
          10'd127;
    else if (raise) exponent_q <= exponent_q + change;
    else if (lower) exponent_q <= exponent_q - change;

    if (load_i) rest_q <= (sqrt_i || kb.inf) ? '0 : {2'b00, fp_significand(a_i[30:0])};
    else if (shift_rest) rest_q <= {2'b00, shift(rest_q[22:0], amount_i)};
    else if (counts) rest_q <= digit ? diff : shifted[25:0];

    if (load_i) divisor_q <= {1'b0, sqrt_i ? fp_significand(a_i[30:0]) : fp_significand(b_i[30:0])};
    else if (shift_divisor)
      divisor_q <= {step_i && divisor_q[22], shift(divisor_q[22:0], amount_i)};

    if (load_i) quotient_q <= '0;
    else if (counts) quotient_q <= {quotient_q[23:0], digit};
  end

  logic unused;
  assign unused = ^{ka, kb};

  logic [8:0] exponent;
  assign exponent = (sqrt_i ? exponent_q[9:1] : exponent_q[8:0]) & {9{quotient_q[24]}};
  qsm_fp_round u_round (
    .valid_i(done_i), .rm_i, .integer_i(1'b0), .unsigned_i(1'b0), .sign_i(sign_q),
    .value_i({exponent, quotient_q[23:1]}), .guard_i(quotient_q[0]),
    .sticky_i(rest_q != '0), .carry_i(1'b0), .nan_i(nan_q), .beyond_i(inf_q), .result_o
  );
endmodule
