// SPDX-License-Identifier: Apache-2.0
// qsm_div_lane: a step, in any state. With the remainder below |b|,
//   remainder and the bit looked at = quotient bit * |b| + next remainder,   next remainder < |b|,
// and the quotient bit goes in at the bottom. From 32 steps follows |a| = quotient * |b| +
// remainder (Horner's rule).
module formal_div_step (
  input logic        clk_i,
  input logic        load_i,
  input logic        prepare_i,
  input logic        step_i,
  input logic        fix_i,
  input logic        signed_i,
  input logic        rem_i,
  input logic [31:0] a_i,
  input logic [31:0] b_i
);
  qsm_div_lane u_dut (.clk_i, .load_i, .prepare_i, .step_i, .fix_i, .signed_i, .rem_i, .a_i, .b_i,
      .result_o());

  logic [31:0] b_size;
  assign b_size = (signed_i && u_dut.div_q[31]) ? -u_dut.div_q : u_dut.div_q;

  logic        stepped_q = 1'b0;  // the last cycle was a step, from these
  logic [31:0] rest_q, quot_q, b_size_q;
  always_ff @(posedge clk_i) begin
    stepped_q <= step_i && u_dut.rest_q < b_size;
    rest_q <= u_dut.rest_q;
    quot_q <= u_dut.quot_q;
    b_size_q <= b_size;
  end

  always_ff @(posedge clk_i) begin
    assume ($onehot0({load_i, prepare_i, step_i, fix_i}));
    if (stepped_q)
      adds_up: assert ({rest_q, quot_q[31]} - 33'(u_dut.rest_q) ==
          (u_dut.quot_q[0] ? 33'(b_size_q) : '0));
    if (stepped_q) below: assert (u_dut.rest_q < b_size_q);
    if (stepped_q) shifts: assert (u_dut.quot_q[31:1] == quot_q[30:0]);
    negative: cover (stepped_q && signed_i && u_dut.div_q[31] && u_dut.quot_q[0] &&
        u_dut.rest_q == 5);
  end
endmodule
