// SPDX-License-Identifier: Apache-2.0
// qsm_qos_arith: a step of its division, in any state. With the remainder below d,
//   remainder and the two bits looked at = (two quotient bits) * d + next remainder,   next
//   remainder < d,
// and the quotient bits go in at the bottom. From n steps follows bits looked at = quotient * d +
// remainder (Horner's rule).
module formal_qos_arith_step (
  input logic        clk_i,
  input logic        start_i,
  input logic        divide_i,
  input logic        short_i,
  input logic        round_up_i,
  input logic [47:0] a_i,
  input logic [31:0] b_i,
  input logic [47:0] d_i
);
  localparam logic [1:0] StDivide = 2'd2;

  logic done;
  qsm_qos_arith u_dut (
    .clk_i, .rst_ni(1'b1), .start_i, .divide_i, .short_i, .round_up_i, .a_i, .b_i, .d_i,
    .done_o(done), .hi_o(), .lo_o(), .rest_o(), .overflow_o()
  );

  logic        steps;
  logic [47:0] d, rest, rest_after;
  logic [31:0] bits, bits_after;
  logic [49:0] taken;  // quotient bits * d
  assign steps = u_dut.state_q == StDivide && rest < d;
  assign d = u_dut.d_q;
  assign {rest, bits} = {u_dut.hi_q, u_dut.lo_q};
  assign {rest_after, bits_after} = {u_dut.hi_d, u_dut.lo_d};
  always_comb begin
    case (bits_after[1:0])
      2'd0: taken = '0;
      2'd1: taken = 50'(d);
      2'd2: taken = {1'b0, d, 1'b0};
      default: taken = 50'(d) + {1'b0, d, 1'b0};
    endcase
  end

  always_ff @(posedge clk_i) begin
    assume (!start_i || done);
    if (steps) adds_up: assert ({rest, bits[31:30]} - 50'(rest_after) == taken);
    if (steps) below: assert (rest_after < d);
    if (steps) shifts: assert (bits_after[31:2] == bits[29:0]);
    three: cover (steps && bits_after[1:0] == 2'd3 && rest_after > 100);
  end
endmodule
