// SPDX-License-Identifier: Apache-2.0
// qsm_div: one division with any operands, from any state in which the unit is free (R-EX-3,
// RV32M): when the lanes prepare, step and fix; the sizes that the steps begin with, and what
// becomes of the sizes that they end with, division by 0 included. What a step does is in
// formal_div_step.
module formal_div
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input logic             clk_i,
  input logic             start_i,
  input logic [1:0]       funct_i,
  input lanes_t           a_i,
  input lanes_t           b_i,
  input logic [WarpW-1:0] warp_i,
  input logic [4:0]       rd_i,
  input mask_t            mask_i,
  input logic [SbW-1:0]   entry_i,
  input logic             next_i,
  input logic             pop_i,
  input logic [LaneW-1:0] lane_i  // any lane
);
  // Cycles since the start: prepare, the first and last step, fix, the result.
  localparam logic [5:0] Prepare = 6'd1, FirstStep = 6'd2, LastStep = 6'd33, Fix = 6'd34,
      Ready = 6'(DivLat - 2);

  logic           ready, next_q;  // next_q: what is ready now is popped
  wb_t            result;
  logic [SbW-1:0] entry;
  qsm_div u_dut (
    .clk_i, .rst_ni(1'b1), .start_i, .funct_i, .a_i, .b_i, .warp_i, .rd_i, .mask_i, .entry_i,
    .ready_o(ready), .next_i, .result_o(result), .entry_o(entry), .pop_i
  );

  always_ff @(posedge clk_i) next_q <= next_i;

  logic [5:0] cycle_q = '0;
  always_ff @(posedge clk_i) if (cycle_q != '1) cycle_q <= cycle_q + 1'b1;

  logic [31:0]      a_q, b_q;
  logic             signed_q, rem_q;
  logic [LaneW-1:0] lane_q;
  logic [WarpW-1:0] warp_q;
  logic [4:0]       rd_q;
  mask_t            mask_q;
  logic [SbW-1:0]   entry_q;
  always_ff @(posedge clk_i) begin
    if (cycle_q == 0) begin
      {signed_q, rem_q} <= {!funct_i[0], funct_i[1]};
      lane_q <= lane_i;
      a_q <= a_i[lane_i];
      b_q <= b_i[lane_i];
      warp_q <= warp_i;
      rd_q <= rd_i;
      mask_q <= mask_i;
      entry_q <= entry_i;
    end
  end

  // The lane's registers at the start of the cycle; those that the steps have left.
  logic [WarpSize-1:0][31:0] quots, rests, divs;
  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    assign quots[l] = u_dut.g_lane[l].u_lane.quot_q;
    assign rests[l] = u_dut.g_lane[l].u_lane.rest_q;
    assign divs[l] = u_dut.g_lane[l].u_lane.div_q;
  end
  logic [31:0] quot, rest, size_q;
  assign quot = quots[lane_q];
  assign rest = rests[lane_q];
  always_ff @(posedge clk_i) if (cycle_q == Fix) size_q <= quot;

  logic        a_neg, b_neg;
  logic [31:0] expected;
  assign a_neg = signed_q && a_q[31];
  assign b_neg = signed_q && b_q[31];
  always_comb begin
    expected = (rem_q ? a_neg : a_neg != b_neg) ? -size_q : size_q;
    if (b_q == '0) expected = rem_q ? a_q : '1;
  end

  always_ff @(posedge clk_i) begin
    assume (start_i == (cycle_q == 0));
    if (cycle_q > 0) assume (pop_i == (ready && next_q));
    if (cycle_q == 0) assume (!pop_i || ready);
    if (cycle_q == 0) assume (!u_dut.busy_q && !u_dut.ready_q);  // at rest
    if (cycle_q == 0) assume (32'(lane_i) < WarpSize && mask_i != '0);
    if (cycle_q > 0) prepares: assert (u_dut.prepare == (cycle_q == Prepare));
    if (cycle_q > 0) steps: assert (u_dut.step == (cycle_q >= FirstStep && cycle_q <= LastStep));
    if (cycle_q > 0) fixes: assert (u_dut.fix == (cycle_q == Fix));
    if (cycle_q > 0)
      modes: assert (u_dut.signed_q == signed_q && u_dut.rem_q == rem_q && divs[lane_q] == b_q);
    if (cycle_q == FirstStep) begins: assert (quot == (a_neg ? -a_q : a_q) && rest == '0);
    if (cycle_q > 0 && cycle_q < Ready) not_yet: assert (!ready);
    if (cycle_q == Ready) in_time: assert (ready && result.valid);
    if (cycle_q == Ready)
      value: assert (result.data[lane_q] == ((next_q && mask_q[lane_q]) ? expected : '0));
    if (cycle_q == Ready)
      whose: assert (result.warp == warp_q && result.rd == rd_q && result.mask == mask_q &&
          entry == entry_q);
    negative: cover (cycle_q == Ready && signed_q && !rem_q && a_neg && !b_neg &&
        result.data[lane_q][31:8] == '1);
    by_zero: cover (cycle_q == Ready && b_q == '0 && rem_q && a_q == 5);
    waits: cover (cycle_q == Ready + 6'd1 && ready);
  end
endmodule
