// SPDX-License-Identifier: Apache-2.0
// Divider of one lane: registers and one radix-2 restoring step, driven by the controller in
// qsm_div. Doc: docs/subcore.md (R-EX-3).
// load, then prepare (magnitudes), 32 steps, fix (sign): result_o holds quotient or remainder. A
// divisor of 0 gives all ones and the dividend.
module qsm_div_lane (
  input  logic        clk_i,
  input  logic        load_i,
  input  logic        prepare_i,
  input  logic        step_i,
  input  logic        fix_i,
  input  logic        signed_i,   // of the running division, from load on
  input  logic        rem_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] result_o
);
  logic [31:0] quot_q, rest_q, div_q;  // dividend shifts out of quot while the quotient shifts in
  logic negate_q;

  logic a_neg, b_neg;
  assign a_neg = signed_i && quot_q[31];  // in prepare
  assign b_neg = signed_i && div_q[31];   // the divisor stays as it is: a negative one is added

  logic [32:0] shifted, diff;
  always_comb begin
    {shifted, diff} = 'x;
    if (step_i) begin
      shifted = {rest_q, quot_q[31]};
      diff = shifted + ({b_neg, div_q} ^ {33{!b_neg}}) + 33'(!b_neg);
    end
  end

  // One negation serves prepare (the dividend) and fix (the result).
  logic negates;
  logic [31:0] value, signed_value;
  assign value = (fix_i && rem_i) ? rest_q : quot_q;
  assign negates = fix_i ? negate_q : a_neg;
  assign signed_value = (value ^ {32{negates}}) + 32'(negates);

  always_ff @(posedge clk_i) begin
    if (load_i) div_q <= b_i;
    if (prepare_i) rest_q <= '0;
    else if (step_i) rest_q <= diff[32] ? shifted[31:0] : diff[31:0];
    if (prepare_i) negate_q <= rem_i ? a_neg : (a_neg != b_neg && div_q != '0);

    if (load_i) quot_q <= a_i;
    else if (step_i) quot_q <= {quot_q[30:0], !diff[32]};
    else if (prepare_i || fix_i) quot_q <= signed_value;
  end
  assign result_o = quot_q;
endmodule
