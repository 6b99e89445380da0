// SPDX-License-Identifier: Apache-2.0
// Crossbar between the SMs, with the front end behind them where there is one, and the memory
// channels (qsm_channels): ingress queue per SM, output and response queue of 2 per channel, round
// robin.
// Contract: docs/xbar.md R-XB-1..5. req_i is what the SM sends in this cycle; rsp_o is what it sees
// in this cycle.
// Latency: a request is at the port NocLat + 1 cycles after it was sent, a response at the SM
// NocLat + 1 after it was taken.
// Observed by the lockstep monitor: rsp_o (RSP), at the ports mem_req_o & mem_req_ready_i (MEMREQ),
// mem_rsp_i & mem_rsp_ready_o (MEMRSP).
module qsm_xbar
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // SMs, and the front end.
  input  mem_req_t [NumReqs-1:0] req_i,
  output mem_rsp_t [NumReqs-1:0] rsp_o,

  // Memory port of each channel.
  output port_req_t [NumChannels-1:0] mem_req_o,
  input  logic      [NumChannels-1:0] mem_req_ready_i,
  input  port_rsp_t [NumChannels-1:0] mem_rsp_i,
  output logic      [NumChannels-1:0] mem_rsp_ready_o
);
  localparam int unsigned OutDepth = 2;

  // ---- ingress, one queue per SM; its write is the last of the NocLat registers (R-XB-1) ----
  mem_req_t [NumReqs-1:0] head;  // valid: some request waits
  logic [NumReqs-1:0][NumChannels-1:0] head_for;
  logic [NumReqs-1:0] granted;

  for (genvar i = 0; i < NumReqs; i++) begin : g_ingress
    logic arrived, waiting, full_unused;
    mem_req_t arrival, oldest;
    qsm_delay_msg #(.Receivers(1), .Width($bits(mem_req_t)), .Lat(NocLat - 1)) u_delay (
      .clk_i, .rst_ni, .valid_i(req_i[i].valid), .data_i(req_i[i]), .valid_o(arrived),
      .data_o(arrival)
    );
    localparam int unsigned Depth = (i < NumSms) ? MemTxns + NumSched : 2 * DmaEntries + 1;
    qsm_fifo #(.Width($bits(mem_req_t)), .Depth(Depth)) u_queue (
      .clk_i, .rst_ni, .push_i(arrived), .data_i(arrival), .pop_i(granted[i]),
      .valid_o(waiting), .full_o(full_unused), .data_o(oldest)
    );
    always_comb begin
      head[i] = oldest;
      head[i].valid = waiting;
      head_for[i] = '0;
      for (int unsigned c = 0; c < NumChannels; c++) begin
        head_for[i][c] = waiting && (NumChannels == 1 ||
            oldest.addr[LineOffW +: ChanW] == ChanW'(c));
      end
    end
  end

  // ---- channels: grant (R-XB-2), port out (R-XB-3), port in (R-XB-4) ----
  logic [NumChannels-1:0][NumReqs-1:0] grant;
  port_rsp_t [NumChannels-1:0] rsp_head;
  logic [NumReqs-1:0][NumChannels-1:0] rsp_grant;

  for (genvar c = 0; c < NumChannels; c++) begin : g_channel
    logic out_full, out_push, out_valid;
    logic [NumReqs-1:0] wanted;
    logic [RequesterW-1:0] from_sm;
    port_req_t out_data, out_head;
    always_comb begin
      for (int unsigned i = 0; i < NumReqs; i++) wanted[i] = head_for[i][c] && !out_full;
    end
    qsm_rr_arb #(.N(NumReqs)) u_arb (
      .clk_i, .rst_ni, .req_i(wanted), .valid_o(out_push), .grant_o(grant[c]), .idx_o(from_sm)
    );
    assign out_data = with_sm(head[from_sm], from_sm);
    qsm_fifo #(.Width($bits(port_req_t)), .Depth(OutDepth)) u_out (
      .clk_i, .rst_ni, .push_i(out_push), .data_i(out_data),
      .pop_i(out_valid && mem_req_ready_i[c]),
      .valid_o(out_valid), .full_o(out_full), .data_o(out_head)
    );
    always_comb begin
      mem_req_o[c] = out_head;
      mem_req_o[c].valid = out_valid;
    end

    logic in_full, in_valid, in_pop;
    port_rsp_t in_head;
    assign mem_rsp_ready_o[c] = !in_full;
    always_comb begin
      in_pop = 1'b0;
      for (int unsigned i = 0; i < NumReqs; i++) in_pop |= rsp_grant[i][c];
    end
    qsm_fifo #(.Width($bits(port_rsp_t)), .Depth(OutDepth)) u_in (
      .clk_i, .rst_ni, .push_i(mem_rsp_i[c].valid && !in_full), .data_i(mem_rsp_i[c]),
      .pop_i(in_pop),
      .valid_o(in_valid), .full_o(in_full), .data_o(in_head)
    );
    always_comb begin
      rsp_head[c] = in_head;
      rsp_head[c].valid = in_valid;
    end
  end

  always_comb begin
    granted = '0;
    for (int unsigned c = 0; c < NumChannels; c++) granted |= grant[c];
  end

  // ---- return, one response per SM and cycle (R-XB-5) ----
  for (genvar i = 0; i < NumReqs; i++) begin : g_return
    logic [NumChannels-1:0] wanted;
    logic [ChanW-1:0] from_channel;
    logic sent, seen;
    mem_rsp_t rsp, rsp_seen;
    always_comb begin
      for (int unsigned c = 0; c < NumChannels; c++)
        wanted[c] = rsp_head[c].valid && rsp_head[c].sm == PortSmW'(i);
    end
    qsm_rr_arb #(.N(NumChannels)) u_arb (
      .clk_i, .rst_ni, .req_i(wanted), .valid_o(sent), .grant_o(rsp_grant[i]), .idx_o(from_channel)
    );
    assign rsp = '{valid: sent, tag: rsp_head[from_channel].tag[TagW-1:0],
        data: rsp_head[from_channel].data};
    qsm_delay_msg #(.Receivers(1), .Width($bits(mem_rsp_t)), .Lat(NocLat)) u_delay (
      .clk_i, .rst_ni, .valid_i(sent), .data_i(rsp), .valid_o(seen), .data_o(rsp_seen)
    );
    always_comb begin
      rsp_o[i] = rsp_seen;
      rsp_o[i].valid = seen;
    end
  end

  function automatic port_req_t with_sm(input mem_req_t req, input logic [RequesterW-1:0] sm);
    return '{valid: req.valid, kind: req.kind, amo: req.amo, addr: req.addr, bytes: req.bytes,
        data: req.data,
             sm: PortSmW'(sm), tag: PortTagW'(req.tag), slot: req.slot};
  endfunction
endmodule
