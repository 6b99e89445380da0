// SPDX-License-Identifier: Apache-2.0
// qsm_qos_arith: one operation with any operands, from any state in which the unit rests: its
// cycles are all there is to prove. The multiplier itself is trusted: what it is given and what
// becomes of its products is not.
module formal_qos_arith (
  input logic        clk_i,
  input logic        start_i,
  input logic        divide_i,
  input logic        short_i,
  input logic        round_up_i,
  input logic [47:0] a_i,
  input logic [31:0] b_i,
  input logic [47:0] d_i
);
  localparam logic [1:0] StIdle = 2'd0;

  logic        done, rest, overflow;
  logic [47:0] hi;
  logic [31:0] lo;
  qsm_qos_arith u_dut (
    .clk_i, .rst_ni(1'b1), .start_i, .divide_i, .short_i, .round_up_i, .a_i, .b_i, .d_i,
    .done_o(done), .hi_o(hi), .lo_o(lo), .rest_o(rest), .overflow_o(overflow)
  );

  logic [4:0] cycle_q = '0, last;  // since the start
  always_ff @(posedge clk_i) if (cycle_q != '1) cycle_q <= cycle_q + 1'b1;

  logic        divide_q, short_q;
  logic [47:0] a_q, d_q;
  logic [31:0] b_q, round_q;
  assign last = !divide_q ? 5'd3 : short_q ? 5'd14 : 5'd19;
  always_ff @(posedge clk_i) begin
    if (cycle_q == 0) begin
      divide_q <= divide_i;
      short_q <= short_i;
      round_q <= round_up_i ? '1 : '0;
      a_q <= a_i;
      b_q <= b_i;
      d_q <= d_i;
    end
  end

  // Products of the digits, from the multiplier's operands.
  logic [63:0] low_q, high_q;
  logic [79:0] product;
  logic        overflow_q;
  always_ff @(posedge clk_i) begin
    if (cycle_q == 1) low_q <= 64'(u_dut.a_q) * 64'(u_dut.digit);
    if (cycle_q == 2) high_q <= 64'(u_dut.a_q) * 64'(u_dut.digit);
    if (cycle_q == 4) overflow_q <= (short_q && product[79:70] != '0) || hi >= d_q;
  end
  assign product = (80'(low_q) + 80'(round_q)) + {high_q, 16'd0};

  always_ff @(posedge clk_i) begin
    assume (start_i == (cycle_q == 0) && (divide_i || !short_i));
    if (cycle_q == 0) assume (done && u_dut.state_q == StIdle);
    if (cycle_q > 0) in_time: assert (done == (cycle_q > last));
    if (cycle_q > 0) is_rest: assert (rest == (hi != '0));
    if (cycle_q == 1) low_digit: assert (u_dut.a_q == a_q && u_dut.digit == b_q[15:0]);
    if (cycle_q == 2) high_digit: assert (u_dut.a_q == a_q && u_dut.digit == b_q[31:16]);
    if (cycle_q >= 4 && !divide_q) is_product: assert ({hi, lo} == product);
    if (cycle_q == 4 && divide_q && !short_q) dividend: assert ({hi, lo} == product);
    if (cycle_q == 4 && divide_q && short_q)
      short_dividend: assert ({hi, lo} == {product[69:0], 10'd0});
    if (cycle_q >= 4) divisor: assert (u_dut.d_q == d_q);
    if (cycle_q > 4 && divide_q) no_room: assert (overflow == overflow_q);
    multiplied: cover (done && cycle_q == 4 && hi != '0 && lo == 32'd7);
    too_long: cover (cycle_q > last && divide_q && short_q && overflow);
  end
endmodule
