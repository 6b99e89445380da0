// SPDX-License-Identifier: Apache-2.0
// qsm_tb_kernel with qsm_tb_walk: a launch dispatches each block of its grid from its walk on
// once, in order, unless it is killed or yields, saved ones between them; it ends when no block
// is out and nothing keeps it, once, after its fixed delay; one that yields dispatches no new
// block from then on, and its walk stays at the next one (R-TB-1 to -4, R-TB-16, R-PE-8,
// R-PE-10).
module formal_tb_kernel #(
  parameter int unsigned NumSms = 2,
  parameter int unsigned OutW = 3,      // blocks that can be out
  parameter int unsigned EndDelay = 4,
  parameter int unsigned MaxGrid = 2,   // of each dimension
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1
) (
  input logic                clk_i,
  input logic                launch_i,
  input logic                kill_write_i,
  input logic                yield_write_i,
  input logic                arrival_i,
  input logic [2:0]          walk_write_i,
  input logic [31:0]         walk_i,
  input logic [2:0][15:0]    grid_i,
  input logic                dispatch_i,
  input logic                resume_i,
  input logic                unfinished_i,
  input logic [NumSms-1:0]   fault_i,
  input logic                retires_i
);
  localparam int unsigned BlocksW = $clog2(MaxGrid * MaxGrid * MaxGrid + 1);

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic             busy, killed, yielded, ending, ended, faulted, has_block, ready, start, kill;
  logic [31:0]      launches, linear;
  logic [SmW-1:0]   fault_sm;
  logic [2:0][15:0] block;
  logic [OutW-1:0]  out;
  logic [2:0][15:0] next_block;
  logic [31:0]      next_linear;
  logic             last;
  qsm_tb_walk u_walk (
    .grid_i, .block_i(block), .linear_i(linear), .block_o(next_block), .linear_o(next_linear),
    .last_o(last)
  );
  qsm_tb_kernel #(.NumSms(NumSms), .OutW(OutW), .EndDelay(EndDelay)) u_dut (
    .clk_i, .rst_ni, .launch_i, .kill_write_i, .yield_write_i, .arrival_i, .walk_write_i, .walk_i,
    .next_block_i(next_block), .next_linear_i(next_linear), .last_i(last), .busy_o(busy),
    .killed_o(killed), .yielded_o(yielded), .ending_o(ending), .ended_o(ended),
    .launches_o(launches), .faulted_o(faulted), .fault_sm_o(fault_sm), .has_block_o(has_block),
    .ready_o(ready), .block_o(block), .linear_o(linear), .dispatch_i, .resume_i, .unfinished_i,
    .start_o(start), .kill_o(kill), .fault_i, .retires_i, .out_o(out)
  );

  // Place of the next block in the walk, x fastest.
  logic [BlocksW-1:0] position;
  assign position = BlocksW'(block[0]) + BlocksW'(grid_i[0]) *
      (BlocksW'(block[1]) + BlocksW'(grid_i[1]) * BlocksW'(block[2]));

  // The launch as seen from outside. Blocks are counted from the first of the grid, the walk's
  // number from where the launch began.
  logic                 busy_q, killed_q, yield_q, yielded_q, start_q, ending_q;
  logic [OutW-1:0]      out_q;
  logic [BlocksW-1:0]   sent_q, begun_q, blocks;
  logic [31:0]          first_q;  // number of block begun_q
  logic [2:0][15:0]     block_q;
  logic [31:0]          linear_q, walk_q;
  logic [2:0]           write_q;
  logic                 idle_q = 1'b0, zero_q = 1'b0, stays_q = 1'b0;
  logic [2:0][15:0]     grid_q;
  logic [4:0]           since_q;  // cycles since the ending began
  logic                 kill_now, ends, waits;
  assign kill_now = busy_q && !killed_q && !ending_q && (kill_write_i || fault_i != '0);
  assign blocks = BlocksW'(grid_q[0]) * BlocksW'(grid_q[1]) * BlocksW'(grid_q[2]);
  assign ends = busy_q && !ending_q && (killed_q || yield_q || sent_q == blocks) &&
      out_q == '0 && !unfinished_i;
  assign waits = busy_q && !killed_q && !ending_q &&
      ((sent_q != blocks && !yield_q) || resume_i);
  always_ff @(posedge clk_i) begin
    grid_q <= grid_i;
    block_q <= block;
    linear_q <= linear;
    idle_q <= rst_ni && !busy_q && !launch_i && !arrival_i;
    write_q <= walk_write_i;
    walk_q <= walk_i;
    zero_q <= rst_ni && (arrival_i || (busy_q && ended && (killed_q || sent_q == blocks)));
    stays_q <= rst_ni && busy_q && ended && !killed_q && sent_q != blocks;
    if (!rst_ni) begin
      {busy_q, killed_q, yield_q, yielded_q, start_q, ending_q} <= '0;
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
      if (yield_write_i) yield_q <= 1'b1;
      if (ending_q && 32'(since_q) == EndDelay - 1) begin
        {busy_q, ending_q, yield_q} <= '0;
        yielded_q <= !killed_q && sent_q != blocks;
      end
      if (launch_i) begin
        busy_q <= 1'b1;
        {killed_q, yielded_q} <= '0;
        {sent_q, begun_q} <= {2{position}};
        first_q <= linear;
      end
    end
  end

  logic [2:0] grid_ok;
  logic       in_grid;
  always_comb for (int unsigned d = 0; d < 3; d++) grid_ok[d] = grid_i[d] >= 1 &&
      32'(grid_i[d]) <= MaxGrid;
  assign in_grid = block[0] < grid_i[0] && block[1] < grid_i[1] && block[2] < grid_i[2];

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (&grid_ok && (!busy_q || grid_i == grid_q));
      assume (!launch_i || (!busy_q && in_grid));
      assume (!yield_write_i || busy_q);
      // One write per cycle, of an idle slot.
      assume (walk_write_i == '0 || (!busy_q && !launch_i && !arrival_i));
      assume (!arrival_i || (!busy_q && !launch_i));
      assume (!dispatch_i || (ready && out_q != '1));
      assume (!resume_i || unfinished_i);
      assume (OutW'(retires_i) <= out_q);
      is_busy: assert (busy == busy_q);
      is_killed: assert (killed == killed_q);
      has_yielded: assert (yielded == yielded_q);
      start_once: assert (start == start_q);
      kill_once: assert (kill == kill_now);
      block_waits: assert (has_block == waits);
      dispatchable: assert (ready == (waits && !start_q));
      is_out: assert (out == out_q);
      ending_begins: assert (ending == ends);
      end_in_time: assert (ended == (ending_q && 32'(since_q) == EndDelay - 1));
      if (ended) nothing_out: assert (out_q == '0 && (killed_q || yield_q || sent_q == blocks));
      if (busy_q) number: assert (linear - first_q == 32'(sent_q - begun_q));
      if (busy_q && sent_q != blocks) walk: assert (sent_q == position);
      if (busy_q) in_range: assert (in_grid);
      if (dispatch_i && !resume_i) none_under_yield: assert (!yield_q && sent_q != blocks);
      if (zero_q) walk_anew: assert (block == '0 && linear == '0);
      if (stays_q) walk_stays: assert (block == block_q && linear == linear_q);
      if (idle_q) begin
        written_xy: assert (block[1:0] == (write_q[0] ? walk_q : block_q[1:0]));
        written_z: assert (block[2] == (write_q[1] ? walk_q[15:0] : block_q[2]));
        written_linear: assert (linear == (write_q[2] ? walk_q : linear_q));
      end
      last_block: cover (ended && !killed_q && 32'(sent_q) == MaxGrid * MaxGrid * MaxGrid);
      goes_on: cover (ended && launches == 0 && !killed_q && !yield_q && begun_q == 2 &&
          first_q == 2 && sent_q == 4 && blocks == 4);
      yields: cover (ended && yield_q && !killed_q && sent_q == 1 && blocks == 4);
      killed_early: cover (ended && killed_q && faulted && sent_q == 2 && blocks == 4);
      saved_between: cover (dispatch_i && resume_i && sent_q == blocks && out_q == 1);
      again: cover (launch_i && launches == 1);
    end
  end
endmodule
