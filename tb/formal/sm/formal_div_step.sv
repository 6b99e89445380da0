// SPDX-License-Identifier: Apache-2.0
// qsm_div_lane: a step, in any state. With the remainder below |b|,
//   remainder and the bit looked at = quotient bit * |b| + next remainder,   next remainder < |b|,
// and the quotient bit goes in at the bottom. The last step leaves the remainder, if that is asked
// for, or the quotient, and nothing beside it. From 32 steps follows |a| = quotient * |b| +
// remainder (Horner's rule).
module formal_div_step (
  input logic        clk_i,
  input logic        load_i,
  input logic        prepare_i,
  input logic        step_i,
  input logic        last_i,
  input logic        fix_i,
  input logic        signed_i,
  input logic        rem_i,
  input logic [31:0] a_i,
  input logic [31:0] b_i
);
  qsm_div_lane u_dut (.clk_i, .load_i, .prepare_i, .step_i, .last_i, .fix_i, .signed_i, .rem_i,
      .a_i, .b_i, .result_o());

  logic [31:0] b_size;
  assign b_size = (signed_i && u_dut.div_q[31]) ? -u_dut.div_q : u_dut.div_q;

  // the last cycle was a step, or the last of them, from these
  logic        stepped_q = 1'b0, last_q = 1'b0, rem_q;
  logic [31:0] rest_q, quot_q, b_size_q;
  always_ff @(posedge clk_i) begin
    stepped_q <= step_i && !last_i && u_dut.rest_q < b_size;
    last_q <= last_i && u_dut.rest_q < b_size;
    rem_q <= rem_i;
    rest_q <= u_dut.rest_q;
    quot_q <= u_dut.quot_q;
    b_size_q <= b_size;
  end

  always_ff @(posedge clk_i) begin
    assume (!last_i || step_i);
    assume ($onehot0({load_i, prepare_i, step_i, fix_i}));
    if (stepped_q)
      adds_up: assert ({rest_q, quot_q[31]} - 33'(u_dut.rest_q) ==
          (u_dut.quot_q[0] ? 33'(b_size_q) : '0));
    if (stepped_q) below: assert (u_dut.rest_q < b_size_q);
    if (stepped_q) shifts: assert (u_dut.quot_q[31:1] == quot_q[30:0]);
    if (last_q) empties: assert (u_dut.rest_q == '0);
    if (last_q && rem_q)
      remains: assert (u_dut.quot_q < b_size_q && ({rest_q, quot_q[31]} == 33'(u_dut.quot_q) ||
          {rest_q, quot_q[31]} == 33'(u_dut.quot_q) + 33'(b_size_q)));
    if (last_q && !rem_q)
      ends: assert (u_dut.quot_q == {quot_q[30:0], {rest_q, quot_q[31]} >= 33'(b_size_q)});
    negative: cover (stepped_q && signed_i && u_dut.div_q[31] && u_dut.quot_q[0] &&
        u_dut.rest_q == 5);
  end
endmodule
