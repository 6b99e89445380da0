// SPDX-License-Identifier: Apache-2.0
// Crossbar between the SMs, with the front end behind them where there is one, and the memory
// channels (qsm_channels): ingress queue per SM, output and response queue of 2 per channel, round
// robin. The response queue of an only channel is a register: what it holds leaves at once. Where
// there are shader arrays, their caches (qsm_sa_cache) lie between the ingress queues and the
// channels, and their banks are the requesters.
// Contract: docs/xbar.md R-XB-1..5, docs/sa_cache.md. req_i is what the SM sends in this cycle;
// rsp_o is what it sees in this cycle.
// Latency, without arrays: a request is at the port NocLat + 1 cycles after it was sent, a response
// at the SM NocLat + RspLat + 1 after it was taken.
// Observed by the lockstep monitor: rsp_o (RSP), at the ports mem_req_o & mem_req_ready_i (MEMREQ),
// mem_rsp_i & mem_rsp_ready_o (MEMRSP).
module qsm_xbar
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // SMs, and the front end.
  input  mem_req_t [NumReqs-1:0] req_i,
  output mem_rsp_t [NumReqs-1:0] rsp_o,

  // Caches of shader arrays: CACHE_POLICY bit 0; what begins a generation of a slot, as the SMs see
  // it and as it is seen of them; the counter of the array of an SM.
  input  logic [NumKernels-1:0]             skip_i,
  input  logic [NumKernels-1:0]             start_i,
  input  logic [NumSms-1:0][NumKernels-1:0] restore_i,
  input  logic [NumSms-1:0][NumKernels-1:0] fence_i,
  input  logic [SmW-1:0]                    select_sm_i,
  input  mem_select_t                       select_i,
  output logic [31:0]                       value_o,

  // Memory port of each channel.
  output port_req_t [NumChannels-1:0] mem_req_o,
  input  logic      [NumChannels-1:0] mem_req_ready_i,
  input  port_rsp_t [NumChannels-1:0] mem_rsp_i,
  output logic      [NumChannels-1:0] mem_rsp_ready_o
);
  localparam int unsigned OutDepth = 2;

  // ---- ingress, one queue per SM; the last of the NocLat registers are its own (R-XB-1) ----
  typedef struct packed {  // what a request says, its line at the bottom
    mem_type_e kind;
    amo_e amo;
    logic [31:LineOffW] addr;
    logic [TagW-1:0] tag;
    logic [KernelW-1:0] slot;
    bytes_t bytes;
    lanes_t data;
  } ingress_t;
  mem_req_t [NumReqs-1:0] head;  // valid: some request waits
  logic [NumReqs-1:0] taken;

  for (genvar i = 0; i < NumReqs; i++) begin : g_ingress
    localparam int unsigned Depth = (i < NumSms) ? MemTxns + NumSched : 2 * DmaEntries + 1;
    logic waiting;
    if (NocLat > 1) begin : g_ahead
      // A request is known in the cycle before it is in the queue.
      ingress_t sent, came, front;
      logic comes, unused_offset;
      assign sent = '{kind: req_i[i].kind, amo: req_i[i].amo, addr: req_i[i].addr[31:LineOffW],
          tag: req_i[i].tag, slot: req_i[i].slot, bytes: req_i[i].bytes, data: req_i[i].data};
      assign unused_offset = ^req_i[i].addr[LineOffW-1:0];
      qsm_delay_msg #(.Receivers(1), .Width($bits(ingress_t)), .Lat(NocLat - 2)) u_delay (
        .clk_i, .rst_ni, .valid_i(req_i[i].valid), .data_i(sent), .valid_o(comes), .data_o(came)
      );
      qsm_fifo_ahead #(
        .Width($bits(ingress_t)), .WideW($bits(bytes_t) + $bits(lanes_t)), .Depth(Depth)
      ) u_queue (
        .clk_i, .rst_ni, .comes_i(comes), .data_i(came), .pop_i(taken[i]), .valid_o(waiting),
        .data_o(front)
      );
      assign head[i] = '{valid: waiting, kind: front.kind, amo: front.amo,
          addr: {front.addr, LineOffW'(0)}, tag: front.tag, slot: front.slot, bytes: front.bytes,
          data: front.data};
    end else begin : g_wires
      mem_req_t oldest;
      logic full_unused;
      qsm_fifo #(.Width($bits(mem_req_t)), .Depth(Depth)) u_queue (
        .clk_i, .rst_ni, .push_i(req_i[i].valid), .data_i(req_i[i]), .pop_i(taken[i]),
        .valid_o(waiting), .full_o(full_unused), .data_o(oldest)
      );
      always_comb begin
        head[i] = oldest;
        head[i].valid = waiting;
      end
    end
  end

  // ---- requesters of the channels: SMs, or the arrays with a bank for each channel; and behind
  // them the front end. What each offers to the channels c with c mod Offers = its index ----
  localparam int unsigned Sources = (NumSas != 0) ? NumSas : NumSms;
  localparam int unsigned NumPorts = Sources + NumReqs - NumSms;
  localparam int unsigned Offers = (NumSas != 0) ? SaBanks : 1;
  port_req_t [NumPorts-1:0][Offers-1:0] offer;
  logic [NumChannels-1:0][NumPorts-1:0] grant;
  port_rsp_t [NumChannels-1:0] rsp_head;
  logic [NumPorts-1:0][NumChannels-1:0] rsp_taken;

  // ---- channels: grant (R-XB-2), port out (R-XB-3), port in (R-XB-4) ----
  for (genvar c = 0; c < NumChannels; c++) begin : g_channel
    logic out_full, out_push, out_valid;
    logic [NumPorts-1:0] wanted;
    logic [idx_w(NumPorts)-1:0] from;
    port_req_t out_data, out_head;
    always_comb begin
      for (int unsigned p = 0; p < NumPorts; p++) begin
        wanted[p] = offer[p][c % Offers].valid && !out_full && (NumChannels == 1 ||
            offer[p][c % Offers].addr[LineOffW +: ChanW] == ChanW'(c));
      end
    end
    qsm_rr_arb #(.N(NumPorts)) u_arb (
      .clk_i, .rst_ni, .req_i(wanted), .valid_o(out_push), .grant_o(grant[c]), .idx_o(from)
    );
    assign out_data = offer[from][c % Offers];
    qsm_fifo #(.Width($bits(port_req_t)), .Depth(OutDepth)) u_out (
      .clk_i, .rst_ni, .push_i(out_push), .data_i(out_data),
      .pop_i(out_valid && mem_req_ready_i[c]),
      .valid_o(out_valid), .full_o(out_full), .data_o(out_head)
    );
    always_comb begin
      mem_req_o[c] = out_head;
      mem_req_o[c].valid = out_valid;
    end

    logic in_full, in_valid;
    port_rsp_t in_head;
    assign mem_rsp_ready_o[c] = !in_full;
    if (NumChannels == 1 && NumSas == 0) begin : g_at_once
      // No other channel's response goes before: each leaves in the cycle after it came.
      assign in_full = 1'b0;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) in_valid <= 1'b0;
        else in_valid <= mem_rsp_i[c].valid;
      end
      always_ff @(posedge clk_i) if (mem_rsp_i[c].valid) in_head <= mem_rsp_i[c];
`ifndef SYNTHESIS
      logic taken_now;
      always_comb begin
        taken_now = 1'b0;
        for (int unsigned p = 0; p < NumPorts; p++) taken_now |= rsp_taken[p][c];
      end
      assert property (@(posedge clk_i) disable iff (!rst_ni) in_valid == taken_now)
        else $error("R-XB-5: a response waits for no other");
`endif
    end else begin : g_queue
      logic in_pop;
      always_comb begin
        in_pop = 1'b0;
        for (int unsigned p = 0; p < NumPorts; p++) in_pop |= rsp_taken[p][c];
      end
      qsm_fifo #(.Width($bits(port_rsp_t)), .Depth(OutDepth)) u_in (
        .clk_i, .rst_ni, .push_i(mem_rsp_i[c].valid && !in_full), .data_i(mem_rsp_i[c]),
        .pop_i(in_pop),
        .valid_o(in_valid), .full_o(in_full), .data_o(in_head)
      );
    end
    always_comb begin
      rsp_head[c] = in_head;
      rsp_head[c].valid = in_valid;
    end
  end

  // ---- requesters without a cache: SMs where there are no arrays, and the front end. Return, one
  // response each and cycle (R-XB-5) ----
  for (genvar i = (NumSas != 0) ? NumSms : 0; i < NumReqs; i++) begin : g_return
    localparam int unsigned Port = Sources + i - NumSms;
    logic [NumChannels-1:0] wanted;
    logic [ChanW-1:0] from_channel;
    logic sent, seen;
    mem_rsp_t rsp, rsp_seen;
    for (genvar b = 0; b < Offers; b++) begin : g_offer
      assign offer[Port][b] = with_sm(head[i], PortSmW'(i));
    end
    always_comb begin
      taken[i] = 1'b0;
      for (int unsigned c = 0; c < NumChannels; c++) begin
        taken[i] |= grant[c][Port];
        wanted[c] = rsp_head[c].valid && rsp_head[c].sm == PortSmW'(i);
      end
    end
    qsm_rr_arb #(.N(NumChannels)) u_arb (
      .clk_i, .rst_ni, .req_i(wanted), .valid_o(sent), .grant_o(rsp_taken[Port]),
      .idx_o(from_channel)
    );
    assign rsp = '{valid: sent, tag: rsp_head[from_channel].tag[TagW-1:0],
        data: rsp_head[from_channel].data};
    qsm_delay_msg #(.Receivers(1), .Width($bits(mem_rsp_t)), .Lat(NocLat + RspLat)) u_delay (
      .clk_i, .rst_ni, .valid_i(sent), .data_i(rsp), .valid_o(seen), .data_o(rsp_seen)
    );
    always_comb begin
      rsp_o[i] = rsp_seen;
      rsp_o[i].valid = seen;
    end
  end

  // ---- shader arrays ----
  if (NumSas != 0) begin : g_arrays
    logic [NumSas-1:0][31:0] value;
    logic [NumSms-1:0][31:0] value_of;
    for (genvar a = 0; a < NumSas; a++) begin : g_array
      localparam int unsigned Members = (NumSms - a + NumSas - 1) / NumSas;
      mem_req_t [Members-1:0] member_head;
      mem_rsp_t [Members-1:0] member_rsp;
      logic [Members-1:0] member_taken;
      logic [Members-1:0][NumKernels-1:0] restore, fence;
      logic [SaBanks-1:0] granted;
      for (genvar m = 0; m < Members; m++) begin : g_member
        localparam int unsigned Sm = a + m * NumSas;
        assign member_head[m] = head[Sm];
        assign taken[Sm] = member_taken[m];
        assign rsp_o[Sm] = member_rsp[m];
        assign restore[m] = restore_i[Sm];
        assign fence[m] = fence_i[Sm];
        assign value_of[Sm] = value[a];
      end
      always_comb begin
        granted = '0;
        for (int unsigned c = 0; c < NumChannels; c++) granted[c % SaBanks] |= grant[c][a];
      end
      qsm_sa_cache #(.Index(a), .Members(Members)) u_cache (
        .clk_i, .rst_ni, .head_i(member_head), .taken_o(member_taken), .rsp_o(member_rsp),
        .req_o(offer[a]), .granted_i(granted), .rsp_i(rsp_head), .rsp_taken_o(rsp_taken[a]),
        .skip_i, .start_i, .restore_i(restore), .fence_i(fence), .select_i, .value_o(value[a])
      );
    end
    assign value_o = value_of[select_sm_i];
  end else begin : g_no_arrays
    assign value_o = '0;
    logic unused;
    assign unused = ^{skip_i, start_i, restore_i, fence_i, select_sm_i, select_i};
  end

  function automatic port_req_t with_sm(input mem_req_t req, input logic [PortSmW-1:0] sm);
    return '{valid: req.valid, kind: req.kind, amo: req.amo, addr: req.addr, bytes: req.bytes,
        data: req.data, sm: sm, tag: PortTagW'(req.tag), slot: req.slot};
  endfunction
endmodule
