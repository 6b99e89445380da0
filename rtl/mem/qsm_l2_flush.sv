// SPDX-License-Identifier: Apache-2.0
// Flush of an L2 slice: goes through all ways of the sets from the first to the last unit, then
// waits until the write-backs that were started before are complete. docs/l2.md R-L2-10.
// Contract: step_i takes the named way, which acts in the next cycle. Each write-back has the
// colour that is current when it acts. The colour changes at the end of the walk, so later
// write-backs are distinguished from those that the flush waits for. Latency: registers, but
// done_o.
module qsm_l2_flush #(
  parameter int unsigned Sets = 128,  // powers of two
  parameter int unsigned Ways = 2,
  parameter int unsigned UnitSets = 1,  // of a unit; a power of two
  parameter int unsigned OwnWrites = 8,  // at most that many are not acknowledged
  localparam int unsigned UnitW = (Sets > UnitSets) ? $clog2(Sets / UnitSets) : 1,
  localparam int unsigned SetW = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             start_i,  // pulse, not during a flush
  input  logic [UnitW-1:0] first_i,  // units, with start
  input  logic [UnitW-1:0] last_i,
  input  logic             step_i,
  input  logic             write_i,         // an own write is decided
  input  logic             acknowledged_i,  // an own write of that colour is
  input  logic             acknowledged_colour_i,
  output logic             walking_o,  // this way comes next
  output logic [SetW-1:0]  set_o,
  output logic [WayW-1:0]  way_o,
  output logic             colour_o,
  output logic             done_o      // pulse: the last cycle of the flush
);
  localparam int unsigned CountW = $clog2(OwnWrites + 1);
  localparam int unsigned UnitBits = $clog2(UnitSets);

  logic flushing_q, walking_q, last_way, last_set, ends_q, colour_q;
  logic [1:0][CountW-1:0] unacked_q;  // own writes decided and not acknowledged, by colour
  logic [SetW-1:0] first_set, set_q;
  logic [WayW-1:0] way_q;
  logic [UnitW-1:0] last_q;

  assign first_set = (Sets > 1) ? SetW'(first_i) << UnitBits : '0;
  assign last_way = way_q == WayW'(Ways - 1);
  assign last_set = set_q == ((SetW'(last_q) << UnitBits) | SetW'(UnitSets - 1)) || Sets == 1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      flushing_q <= 1'b0;
      walking_q <= 1'b0;
      way_q <= '0;
    end else begin
      if (start_i) flushing_q <= 1'b1;
      else if (done_o) flushing_q <= 1'b0;
      if (start_i) walking_q <= 1'b1;
      else if (step_i && last_way && last_set) walking_q <= 1'b0;
      if (step_i) way_q <= last_way ? '0 : way_q + WayW'(1);  // 0 again at the end of a walk
    end
  end
  // Of a walk. The sum goes round, and has the multiplexer in its carry cells.
  always_ff @(posedge clk_i) begin
    if (start_i || (step_i && last_way)) set_q <= (start_i ? first_set : set_q) + SetW'(!start_i);
    if (start_i) last_q <= last_i;
  end
  assign walking_o = walking_q;
  assign set_o = set_q;
  assign way_o = way_q;
  assign colour_o = colour_q;
  assign done_o = flushing_q && !walking_q && !ends_q && unacked_q[!colour_q] == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ends_q <= 1'b0;
      colour_q <= 1'b0;
      unacked_q <= '0;
    end else begin
      ends_q <= step_i && last_way && last_set;  // the last walk is in act
      if (ends_q) colour_q <= !colour_q;
      for (int unsigned c = 0; c < 2; c++) begin
        unacked_q[c] <= unacked_q[c] + CountW'(write_i && colour_q == 1'(c)) -
            CountW'(acknowledged_i && acknowledged_colour_i == 1'(c));
      end
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> !flushing_q)
    else $error("R-L2-10: a flush begins during a flush");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      acknowledged_i |-> unacked_q[acknowledged_colour_i] != '0)
    else $error("R-L2-12: an acknowledgement of nothing");
`endif
endmodule
