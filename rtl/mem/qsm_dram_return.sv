// SPDX-License-Identifier: Apache-2.0
// Return side of a memory controller: a response is shown no earlier than a DRAM would deliver it
// (docs/dram.md R-DR-7).
// Contract: begin_i only while room_o; the port's responses come in order of the accesses, at the
// earliest one cycle after them.
// Each access holds a place from begin_i until its response is taken. Reads wait in a queue with
// the cycle from which on they are due (modulo 2^StampW) and leave it then. One read per cycle is
// enough, because one response is taken per cycle.
module qsm_dram_return #(
  parameter int unsigned Queue = 8,  // places, 1..
  // cycles from the column access of a read to its response, 2..
  parameter int unsigned ReadLat = 7,
  parameter int unsigned RspW = 8
) (
  input  logic clk_i,
  input  logic rst_ni,

  output logic            room_o,   // a place was free at the start of the cycle
  input  logic            begin_i,  // column access
  input  logic            write_i,

  input  logic            port_valid_i,  // always taken
  input  logic [RspW-1:0] port_rsp_i,
  output logic            rsp_valid_o,
  input  logic            rsp_ready_i,
  output logic [RspW-1:0] rsp_o
);
  localparam int unsigned CountW = $clog2(Queue + 1);
  localparam int unsigned Depth = (Queue > 1) ? Queue : 2;
  // a stamp is at most that far from now, on both sides
  localparam int unsigned Span = (ReadLat > Queue) ? ReadLat : Queue;
  localparam int unsigned StampW = $clog2(Span + 1) + 1;

  // accesses with a place; of these at the head, those that are due
  logic [CountW-1:0] placed_q, due_q;
  logic [StampW-1:0] now_q, since, stamp;
  logic waits, waits_write, becomes_due, stored, taken, times_full, stored_full;

  qsm_fifo #(.Width(StampW + 1), .Depth(Depth)) u_times (
    .clk_i, .rst_ni, .push_i(begin_i), .data_i({write_i, now_q + StampW'(ReadLat - 1)}),
    .pop_i(becomes_due),
    .valid_o(waits), .full_o(times_full), .data_o({waits_write, stamp})
  );
  qsm_fifo #(.Width(RspW), .Depth(Depth)) u_responses (
    .clk_i, .rst_ni, .push_i(port_valid_i), .data_i(port_rsp_i), .pop_i(taken),
    .valid_o(stored), .full_o(stored_full), .data_o(rsp_o)
  );
  assign since = now_q - stamp;
  assign becomes_due = waits && (waits_write || !since[StampW-1]);
  assign rsp_valid_o = stored && due_q != '0;
  assign taken = rsp_valid_o && rsp_ready_i;
  assign room_o = placed_q != CountW'(Queue);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      placed_q <= '0;
      due_q <= '0;
      now_q <= '0;
    end else begin
      placed_q <= placed_q + CountW'(begin_i) - CountW'(taken);
      due_q <= due_q + CountW'(becomes_due) - CountW'(taken);
      now_q <= now_q + StampW'(1);
    end
  end

  logic unused_full;
  assign unused_full = times_full ^ stored_full;

`ifndef SYNTHESIS
  logic [CountW-1:0] behind_q;  // accesses that the port has not answered
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) behind_q <= '0;
    else behind_q <= behind_q + CountW'(begin_i) - CountW'(port_valid_i);
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) port_valid_i |-> behind_q != '0)
    else $error("R-DR-7: a response to nothing, or in the cycle of its access");
  assert property (@(posedge clk_i) disable iff (!rst_ni) begin_i |-> room_o)
    else $error("R-DR-7: an access without a place");
`endif
endmodule
