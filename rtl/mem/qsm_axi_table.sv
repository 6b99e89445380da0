// SPDX-License-Identifier: Apache-2.0
// Table of the accesses that an AXI4 manager has outstanding, an entry per ID: what is under way,
// the lines that come, the choice of the next response. Contract: docs/axi.md R-AX-3, R-AX-5,
// R-AX-8, R-AX-9; start_i only while room_o and not in_way_o.
// Latency: an access that ends in t is shown at the earliest in t + 2. Cost: a line address with
// its comparator and 6 bits per entry, data and tags in distributed RAM.
module qsm_axi_table #(
  parameter int unsigned Beats = 4,   // of a line, a power of two
  parameter int unsigned DataW = 32,
  parameter int unsigned LineW = 28,  // number of a line
  parameter int unsigned IdW = 2,
  parameter int unsigned TagW = 8,    // tag of an access at the requester
  parameter bit          InOrder = 1'b0
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Start of an access.
  input  logic             write_i,
  input  logic [LineW-1:0] line_i,
  input  logic [TagW-1:0]  tag_i,
  output logic             in_way_o,  // an access under way prevents this access from starting
  output logic             room_o,
  output logic [IdW-1:0]   entry_o,   // free, while room_o
  input  logic             start_i,

  // A beat of a read, the end of a write.
  input  logic             r_valid_i,
  input  logic [IdW-1:0]   r_id_i,
  input  logic [DataW-1:0] r_data_i,
  input  logic             r_error_i,
  input  logic             r_last_i,
  input  logic             b_valid_i,
  input  logic [IdW-1:0]   b_id_i,

  // Line of an entry.
  input  logic [IdW-1:0]   asked_id_i,
  output logic [LineW-1:0] asked_line_o,

  // Response.
  output logic                        rsp_valid_o,
  input  logic                        rsp_ready_i,
  output logic [TagW-1:0]             rsp_tag_o,
  output logic [Beats-1:0][DataW-1:0] rsp_data_o
);
  localparam int unsigned Entries = 1 << IdW;
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1;
  typedef logic [Entries-1:0] set_t;
  typedef logic [IdW-1:0] id_t;

  set_t busy_q, under_way_q, ended_q, write_q, error_q;
  logic [LineW-1:0] line_q[Entries];
  logic [BeatW-1:0] beat_q[Entries];  // the next one
  logic [TagW-1:0] tag_mem[Entries];

  logic r_end, may_choose, choose, rsp_valid_q, taken;
  id_t chosen, shown_q;

  // ---- start ----
  always_comb begin
    in_way_o = 1'b0;
    for (int unsigned e = 0; e < Entries; e++)
      in_way_o |= under_way_q[e] && line_q[e] == line_i && (write_i || write_q[e]);
  end
  assign asked_line_o = line_q[asked_id_i];

  // ---- what ends, what is answered ----
  assign r_end = r_valid_i && beat_q[r_id_i] == BeatW'(Beats - 1);
  assign taken = rsp_valid_q && rsp_ready_i;
  assign may_choose = !rsp_valid_q || rsp_ready_i;

  if (InOrder) begin : g_in_order
    id_t first_q, next_q;  // oldest access, entry of the next one
    assign entry_o = next_q;
    assign room_o = !busy_q[next_q];
    assign choose = may_choose && ended_q[first_q];
    assign chosen = first_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        first_q <= '0;
        next_q <= '0;
      end else begin
        first_q <= first_q + id_t'(choose);
        next_q <= next_q + id_t'(start_i);
      end
    end
  end else begin : g_as_they_end
    set_t candidates, unused_grant;
    always_comb begin
      entry_o = '0;
      for (int e = int'(Entries) - 1; e >= 0; e--) if (!busy_q[e]) entry_o = id_t'(e);
    end
    assign room_o = !(&busy_q);
    assign candidates = may_choose ? ended_q : '0;
    qsm_rr_arb #(.N(Entries)) u_choice (
      .clk_i, .rst_ni, .req_i(candidates), .valid_o(choose), .grant_o(unused_grant), .idx_o(chosen)
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= '0;
      under_way_q <= '0;
      ended_q <= '0;
      rsp_valid_q <= 1'b0;
    end else begin
      if (start_i) begin
        busy_q[entry_o] <= 1'b1;
        under_way_q[entry_o] <= 1'b1;
      end
      if (r_end) begin
        under_way_q[r_id_i] <= 1'b0;
        ended_q[r_id_i] <= 1'b1;
      end
      if (b_valid_i) begin
        under_way_q[b_id_i] <= 1'b0;
        ended_q[b_id_i] <= 1'b1;
      end
      if (choose) ended_q[chosen] <= 1'b0;
      if (taken) busy_q[shown_q] <= 1'b0;
      rsp_valid_q <= may_choose ? choose : rsp_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      write_q[entry_o] <= write_i;
      error_q[entry_o] <= 1'b0;
      line_q[entry_o] <= line_i;
      beat_q[entry_o] <= '0;
      tag_mem[entry_o] <= tag_i;
    end
    if (r_valid_i) begin
      beat_q[r_id_i] <= beat_q[r_id_i] + BeatW'(1);
      if (r_error_i) error_q[r_id_i] <= 1'b1;
    end
    if (choose) shown_q <= chosen;
  end

  // ---- data: a memory for each beat of the line ----
  for (genvar b = 0; b < Beats; b++) begin : g_beat
    logic [DataW-1:0] mem[Entries];
    always_ff @(posedge clk_i)
      if (r_valid_i && beat_q[r_id_i] == BeatW'(b)) mem[r_id_i] <= r_data_i;
    assign rsp_data_o[b] = (write_q[shown_q] || error_q[shown_q]) ? '0 : mem[shown_q];
  end
  assign rsp_valid_o = rsp_valid_q;
  assign rsp_tag_o = tag_mem[shown_q];

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      start_i |-> room_o && !in_way_o && !busy_q[entry_o])
    else $error("R-AX-4: a start without an entry, or before what is in its way has ended");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      (under_way_q & ended_q) == '0 && ((under_way_q | ended_q) & ~busy_q) == '0)
    else $error("R-AX-3: an entry is in two states");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      r_valid_i |-> under_way_q[r_id_i] && !write_q[r_id_i])
    else $error("R-AX-3: R for ID %0d, which has no read under way", r_id_i);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      b_valid_i |-> under_way_q[b_id_i] && write_q[b_id_i])
    else $error("R-AX-3: B for ID %0d, which has no write under way", b_id_i);
  assert property (@(posedge clk_i) disable iff (!rst_ni) r_valid_i |-> r_last_i == r_end)
    else $error("R-AX-6: RLAST is not with the last beat of a line");
`else
  logic unused_last;
  assign unused_last = r_last_i;
`endif
endmodule
