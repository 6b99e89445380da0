// SPDX-License-Identifier: Apache-2.0
// qsm_div_lane: a step, or two in a cycle, in any state. With the remainder below |b|,
//   remainder and the bits looked at = quotient bits * |b| + next remainder,
//   next remainder < |b|,
// and the quotient bits go in at the bottom. The last step leaves the remainder, if that is asked
// for, or the quotient, and nothing beside it. From steps for 32 bits follows
// |a| = quotient * |b| + remainder (Horner's rule). Of a short dividend the first 16 bits can be
// left out.
module formal_div_step #(
  parameter int unsigned Bits = 1
) (
  input logic        clk_i,
  input logic        load_i,
  input logic        prepare_i,
  input logic        skip_i,
  input logic        step_i,
  input logic        last_i,
  input logic        fix_i,
  input logic        signed_i,
  input logic        rem_i,
  input logic [31:0] a_i,
  input logic [31:0] b_i
);
  logic is_short;
  qsm_div_lane #(.Bits(Bits)) u_dut (.clk_i, .load_i, .prepare_i, .short_o(is_short), .skip_i,
      .step_i, .last_i, .fix_i, .signed_i, .rem_i, .a_i, .b_i, .result_o());

  logic [31:0] b_size;
  assign b_size = (signed_i && u_dut.div_q[31]) ? -u_dut.div_q : u_dut.div_q;

  // the last cycle was a step, the last of them, or left the first half out, from these
  logic        stepped_q = 1'b0, last_q = 1'b0, skipped_q = 1'b0, rem_q;
  logic [31:0] rest_q, quot_q, b_size_q;
  always_ff @(posedge clk_i) begin
    stepped_q <= step_i && !last_i && u_dut.rest_q < b_size;
    last_q <= last_i && u_dut.rest_q < b_size;
    skipped_q <= prepare_i && skip_i && is_short;
    rem_q <= rem_i;
    rest_q <= u_dut.rest_q;
    quot_q <= u_dut.quot_q;
    b_size_q <= b_size;
  end

  // What the step divided, and what its quotient bits took off
  logic [31+Bits:0] dividend, taken;
  assign dividend = {rest_q, quot_q[31 -: Bits]};
  assign taken = (32 + Bits)'(u_dut.quot_q[Bits-1:0]) * (32 + Bits)'(b_size_q);
  logic remains_of;  // the remainder that is left is one of the dividend
  always_comb begin
    remains_of = 1'b0;
    for (int unsigned digit = 0; digit < 1 << Bits; digit++)
      remains_of |= dividend ==
          (32 + Bits)'(u_dut.quot_q) + (32 + Bits)'(digit) * (32 + Bits)'(b_size_q);
  end

  always_ff @(posedge clk_i) begin
    assume (!last_i || step_i);
    assume ($onehot0({load_i, prepare_i, step_i, fix_i}));
    if (stepped_q) adds_up: assert (dividend - (32 + Bits)'(u_dut.rest_q) == taken);
    if (stepped_q) below: assert (u_dut.rest_q < b_size_q);
    if (stepped_q) shifts: assert (u_dut.quot_q[31:Bits] == quot_q[31-Bits:0]);
    if (last_q) empties: assert (u_dut.rest_q == '0);
    if (last_q && rem_q) remains: assert (u_dut.quot_q < b_size_q && remains_of);
    if (last_q && !rem_q)
      ends: assert (u_dut.quot_q[31:Bits] == quot_q[31-Bits:0] && taken <= dividend &&
          dividend - taken < (32 + Bits)'(b_size_q));
    // 16 bits of the dividend are left, and no remainder changes
    if (skipped_q)
      skips: assert (u_dut.quot_q == quot_q << 16 && quot_q >> 16 == 0 && b_size_q != 0 &&
          u_dut.rest_q == rest_q);
    negative: cover (stepped_q && signed_i && u_dut.div_q[31] && u_dut.quot_q[0] &&
        u_dut.rest_q == 5);
  end
endmodule
