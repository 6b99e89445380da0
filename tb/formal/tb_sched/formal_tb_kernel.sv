// SPDX-License-Identifier: Apache-2.0
// qsm_tb_kernel: a launch dispatches each block of its grid once, in order, unless it is killed,
// saved ones between them; it ends when no block is out and nothing keeps it, once, after its fixed
// delay (R-TB-1 to -4, R-PE-8, R-PE-10).
module formal_tb_kernel #(
  parameter int unsigned NumSms = 2,
  parameter int unsigned OutW = 3,      // blocks that can be out
  parameter int unsigned EndDelay = 4,
  parameter int unsigned MaxGrid = 2,   // of each dimension
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned SmCountW = $clog2(NumSms + 1)
) (
  input logic                clk_i,
  input logic                launch_i,
  input logic                kill_write_i,
  input logic                arrival_i,
  input logic [2:0][15:0]    grid_i,
  input logic                dispatch_i,
  input logic                resume_i,
  input logic                unfinished_i,
  input logic [NumSms-1:0]   fault_i,
  input logic [SmCountW-1:0] retires_i
);
  localparam int unsigned BlocksW = $clog2(MaxGrid * MaxGrid * MaxGrid + 1);

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic             busy, killed, ending, ended, faulted, has_block, ready, start, kill;
  logic [31:0]      launches, linear;
  logic [SmW-1:0]   fault_sm;
  logic [2:0][15:0] block;
  logic [OutW-1:0]  out;
  qsm_tb_kernel #(.NumSms(NumSms), .OutW(OutW), .EndDelay(EndDelay)) u_dut (
    .clk_i, .rst_ni, .launch_i, .kill_write_i, .arrival_i, .grid_i, .busy_o(busy),
    .killed_o(killed), .ending_o(ending), .ended_o(ended),
    .launches_o(launches), .faulted_o(faulted), .fault_sm_o(fault_sm), .has_block_o(has_block),
    .ready_o(ready), .block_o(block), .linear_o(linear), .dispatch_i, .resume_i, .unfinished_i,
    .start_o(start), .kill_o(kill), .fault_i, .retires_i, .out_o(out)
  );

  // The launch as seen from outside.
  logic                 busy_q, killed_q, start_q, ending_q;
  logic [OutW-1:0]      out_q;
  logic [BlocksW-1:0]   sent_q, blocks;
  logic [2:0][15:0]     grid_q;
  logic [4:0]           since_q;  // cycles since the ending began
  logic                 kill_now, ends, waits;
  assign kill_now = busy_q && !killed_q && !ending_q && (kill_write_i || fault_i != '0);
  assign blocks = BlocksW'(grid_q[0]) * BlocksW'(grid_q[1]) * BlocksW'(grid_q[2]);
  assign ends = busy_q && !ending_q && (killed_q || sent_q == blocks) && out_q == '0 &&
      !unfinished_i;
  assign waits = busy_q && !killed_q && !ending_q && (sent_q != blocks || resume_i);
  always_ff @(posedge clk_i) begin
    grid_q <= grid_i;
    if (!rst_ni) begin
      {busy_q, killed_q, start_q, ending_q} <= '0;
      out_q <= '0;
    end else begin
      start_q <= launch_i;
      out_q <= out_q + OutW'(dispatch_i) - OutW'(retires_i);
      if (dispatch_i && !resume_i) sent_q <= sent_q + 1'b1;
      if (kill_now) killed_q <= 1'b1;
      since_q <= since_q + 1'b1;
      if (ends) begin
        ending_q <= 1'b1;
        since_q <= '0;
      end
      if (ending_q && 32'(since_q) == EndDelay - 1) {busy_q, ending_q} <= '0;
      if (launch_i) begin
        busy_q <= 1'b1;
        killed_q <= 1'b0;
        sent_q <= '0;
      end
    end
  end

  // Place of the next block in the walk, x fastest.
  logic [BlocksW-1:0] position;
  assign position = BlocksW'(block[0]) + BlocksW'(grid_q[0]) *
      (BlocksW'(block[1]) + BlocksW'(grid_q[1]) * BlocksW'(block[2]));

  logic [2:0] in_grid;
  always_comb for (int unsigned d = 0; d < 3; d++) in_grid[d] = grid_i[d] >= 1 &&
      32'(grid_i[d]) <= MaxGrid;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (&in_grid && (!busy_q || grid_i == grid_q));
      assume (!(launch_i && busy_q));
      assume (!dispatch_i || (ready && out_q != '1));
      assume (!resume_i || unfinished_i);
      assume (OutW'(retires_i) <= out_q && 32'(retires_i) <= NumSms);
      is_busy: assert (busy == busy_q);
      is_killed: assert (killed == killed_q);
      start_once: assert (start == start_q);
      kill_once: assert (kill == kill_now);
      block_waits: assert (has_block == waits);
      dispatchable: assert (ready == (waits && !start_q));
      is_out: assert (out == out_q);
      ending_begins: assert (ending == ends);
      end_in_time: assert (ended == (ending_q && 32'(since_q) == EndDelay - 1));
      if (ended) nothing_out: assert (out_q == '0 && (killed_q || sent_q == blocks));
      if (busy_q) number: assert (linear == 32'(sent_q));
      if (busy_q && sent_q != blocks) walk: assert (sent_q == position);
      if (busy_q)
        in_range: assert (block[0] < grid_q[0] && block[1] < grid_q[1] && block[2] < grid_q[2]);
      last_block: cover (ended && !killed_q && 32'(sent_q) == MaxGrid * MaxGrid * MaxGrid);
      killed_early: cover (ended && killed_q && faulted && sent_q == 2 && blocks == 4);
      saved_between: cover (dispatch_i && resume_i && sent_q == blocks && out_q == 1);
      again: cover (launch_i && launches == 1);
    end
  end
endmodule
