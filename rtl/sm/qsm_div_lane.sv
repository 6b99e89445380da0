// SPDX-License-Identifier: Apache-2.0
// Divider of one lane: registers and one radix-2 restoring step, driven by the controller in
// qsm_div. Doc: docs/subcore.md (R-EX-3).
// load, then prepare (magnitudes), 32 steps, fix (sign): result_o holds quotient or remainder. A
// divisor of 0 gives all ones and the dividend.
// One adder subtracts in a step and negates before and after them: what is negated is quot_q then,
// where the last step leaves the remainder if that is asked for.
module qsm_div_lane (
  input  logic        clk_i,
  input  logic        load_i,
  input  logic        prepare_i,
  input  logic        step_i,
  input  logic        last_i,     // the last step
  input  logic        fix_i,
  input  logic        signed_i,   // of the running division, from load on
  input  logic        rem_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] result_o
);
  logic [31:0] quot_q, rest_q, div_q;  // dividend shifts out of quot while the quotient shifts in
  logic negate_q;                      // rest_q is 0 before and after the steps

  logic a_neg, b_neg;
  assign a_neg = signed_i && quot_q[31];  // in prepare
  assign b_neg = signed_i && div_q[31];   // the divisor stays as it is: a negative one is added

  // A step: less the divisor; else 0 less quot_q.
  logic [32:0] shifted, diff;
  logic [31:0] operand, rest;
  always_comb begin
    {shifted, operand, diff, rest} = 'x;
    if (prepare_i || step_i || fix_i) begin
      shifted = {rest_q, step_i && quot_q[31]};
      operand = step_i ? div_q ^ {32{!b_neg}} : ~quot_q;
      diff = shifted + {1'b1, operand} + 33'(!(step_i && b_neg));
      rest = diff[32] ? shifted[31:0] : diff[31:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) div_q <= b_i;
    if (load_i || last_i) rest_q <= '0;
    else if (step_i) rest_q <= rest;
    if (prepare_i) negate_q <= rem_i ? a_neg : (a_neg != b_neg && div_q != '0);

    if (load_i) quot_q <= a_i;
    else if (step_i) quot_q <= (last_i && rem_i) ? rest : {quot_q[30:0], !diff[32]};
    else if ((prepare_i && a_neg) || (fix_i && negate_q)) quot_q <= diff[31:0];
  end
  assign result_o = quot_q;
endmodule
