// SPDX-License-Identifier: Apache-2.0
// Memory channels of the GPU, each a qsm_channel, the flush of their L2 slices (docs/l2.md R-L2-10)
// and the choice of a counter.
// Latency: a flush and its end are messages (NocLat); flushing_o is a register; value_o is
// combinational from select_i.
module qsm_channels
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Crossbar.
  input  port_req_t [NumChannels-1:0] req_i,
  output logic      [NumChannels-1:0] req_ready_o,
  output port_rsp_t [NumChannels-1:0] rsp_o,
  input  logic      [NumChannels-1:0] rsp_ready_i,

  // Memory port of each channel.
  output port_req_t [NumChannels-1:0] mem_req_o,
  input  logic      [NumChannels-1:0] mem_req_ready_i,
  input  port_rsp_t [NumChannels-1:0] mem_rsp_i,
  output logic      [NumChannels-1:0] mem_rsp_ready_o,

  // Control port.
  input  logic [NumKernels-1:0]      no_alloc_i,  // CACHE_POLICY bit 1
  input  logic [NumKernels-1:0]      start_i,     // a launch begins: its counters are cleared
  input  mem_select_t                select_i,
  output logic [31:0]                value_o,
  input  l2_flush_t                  flush_i,     // in the cycle of the write
  output logic                       flushing_o
);
  l2_flush_t flush_seen;
  logic [NumChannels-1:0] done;
  logic [NumChannels-1:0][31:0] value;
  for (genvar c = 0; c < NumChannels; c++) begin : g_channel
    qsm_channel #(.Channel(c)) u_channel (
      .clk_i, .rst_ni, .req_i(req_i[c]), .req_ready_o(req_ready_o[c]), .rsp_o(rsp_o[c]),
      .rsp_ready_i(rsp_ready_i[c]),
      .mem_req_o(mem_req_o[c]), .mem_req_ready_i(mem_req_ready_i[c]), .mem_rsp_i(mem_rsp_i[c]),
      .mem_rsp_ready_o(mem_rsp_ready_o[c]),
      .no_alloc_i, .clear_i(start_i), .read_slot_i(select_i.slot),
      .read_counter_i(select_i.counter[3:0]), .value_o(value[c]),
      .flush_i(flush_seen), .flush_done_o(done[c])
    );
  end
  assign value_o = value[select_i.channel];

  if (L2Kib != 0) begin : g_flush
    logic [NumChannels-1:0] done_seen, pending_q;
    qsm_delay_msg #(.Receivers(1), .Width(2 * L2UnitW), .Lat(NocLat)) u_down (
      .clk_i, .rst_ni, .valid_i(flush_i.valid), .data_i({flush_i.first, flush_i.last}),
      .valid_o(flush_seen.valid), .data_o({flush_seen.first, flush_seen.last})
    );
    qsm_delay #(.Width(NumChannels), .Lat(NocLat)) u_up (.clk_i, .rst_ni, .data_i(done),
        .data_o(done_seen));
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) pending_q <= '0;
      else pending_q <= flush_i.valid ? '1 : pending_q & ~done_seen;
    end
    assign flushing_o = pending_q != '0;
  end else begin : g_no_flush
    assign flush_seen = '0;
    assign flushing_o = 1'b0;
    logic unused;
    assign unused = ^{flush_i, done};
  end

  logic unused_counter;  // those of the L1s
  assign unused_counter = select_i.counter[4];
endmodule
