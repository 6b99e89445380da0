// SPDX-License-Identifier: Apache-2.0
// Divider of one lane: registers and one radix-2 restoring step, or two in a cycle, driven by the
// controller in qsm_div. Doc: docs/subcore.md (R-EX-3).
// load, then prepare (magnitudes), steps for 32 bits, fix (sign): result_o holds quotient or
// remainder. A divisor of 0 gives all ones and the dividend. Of a short dividend, one below 2**16,
// the first 16 bits of the quotient are 0, unless the divisor is: prepare can leave them out.
// One adder subtracts in a step and negates before and after them: what is negated is quot_q then,
// where the last step leaves the remainder if that is asked for.
module qsm_div_lane #(
  parameter int unsigned Bits = 1  // of the quotient in a cycle: 1 or 2
) (
  input  logic        clk_i,
  input  logic        load_i,
  input  logic        prepare_i,
  output logic        short_o,    // in prepare: the dividend is short, the divisor not 0
  input  logic        skip_i,     // in prepare: of a short one, there are steps for 16 bits only
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

  // What the steps of a cycle leave: the remainder, and the quotient with their bits.
  logic [31:0] left, quotient;
  if (Bits == 1) begin : g_one
    assign left = rest;
    assign quotient = {quot_q[30:0], !diff[32]};
  end else begin : g_two
    logic [32:0] second, second_diff;
    assign second = {rest, quot_q[30]};
    assign second_diff = second + {1'b1, div_q ^ {32{!b_neg}}} + 33'(!b_neg);
    assign left = second_diff[32] ? second[31:0] : second_diff[31:0];
    assign quotient = {quot_q[29:0], !diff[32], !second_diff[32]};
  end
  assign short_o = quot_q[31:16] == '0 && div_q != '0;

  always_ff @(posedge clk_i) begin
    if (load_i) div_q <= b_i;
    if (load_i || last_i) rest_q <= '0;
    else if (step_i) rest_q <= left;
    if (prepare_i) negate_q <= rem_i ? a_neg : (a_neg != b_neg && div_q != '0);

    if (load_i) quot_q <= a_i;
    else if (step_i) quot_q <= (last_i && rem_i) ? left : quotient;
    else if (prepare_i && skip_i) quot_q <= {quot_q[15:0], 16'd0};
    else if ((prepare_i && a_neg) || (fix_i && negate_q)) quot_q <= diff[31:0];
  end
  assign result_o = quot_q;

  if (Bits != 1 && Bits != 2) begin : g_illegal
    $fatal(1, "qsm_div_lane: Bits = %0d, must be 1 or 2", Bits);
  end
endmodule
