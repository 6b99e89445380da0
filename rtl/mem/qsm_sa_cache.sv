// SPDX-License-Identifier: Apache-2.0
// Cache of a shader array: its banks (qsm_sa_bank), which request and which response each takes,
// the way back to the members, generations, counters.
// Contract: docs/sa_cache.md R-SA-1, R-SA-9, R-SA-12 to R-SA-14, R-SA-18. SM i belongs to array i
// mod NumSas and is its member i / NumSas.
// Latency: as qsm_sa_bank; an answer is at the SM NocLat cycles after it left the bank.
// Observed by the lockstep monitor: g_bank[*].u_bank, gens_q, renew (SAGEN).
module qsm_sa_cache
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned Index = 0,   // of the array
  parameter int unsigned Members = 1  // its SMs
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Members: heads of their ingress queues; what they see.
  input  mem_req_t [Members-1:0] head_i,
  output logic     [Members-1:0] taken_o,
  output mem_rsp_t [Members-1:0] rsp_o,

  // Channels: a request of each bank, and heads of the response queues.
  output port_req_t [SaBanks-1:0]     req_o,
  input  logic      [SaBanks-1:0]     granted_i,
  input  port_rsp_t [NumChannels-1:0] rsp_i,
  output logic      [NumChannels-1:0] rsp_taken_o,

  // Per slot: the policy; what begins a generation, as the SMs see it and as it is seen of them.
  input  logic [NumKernels-1:0]              skip_i,
  input  logic [NumKernels-1:0]              start_i,
  input  logic [Members-1:0][NumKernels-1:0] restore_i,
  input  logic [Members-1:0][NumKernels-1:0] fence_i,

  // The counter that is read, in the same cycle.
  input  mem_select_t select_i,
  output logic [31:0] value_o
);
  localparam int unsigned GenW = 8;
  localparam int unsigned BankBits = $clog2(SaBanks);
  localparam int unsigned BankW = (SaBanks > 1) ? BankBits : 1;
  localparam int unsigned LineW = 32 - LineOffW - BankBits;
  localparam int unsigned MemberW = idx_w(Members);
  localparam int unsigned ChansEach = NumChannels / SaBanks;

  // ---- generations (R-SA-14) ----
  logic [NumKernels-1:0] renew;
  logic [NumKernels-1:0][GenW-1:0] gens_q;
  logic wrap;
  always_comb begin
    renew = start_i;
    for (int unsigned m = 0; m < Members; m++) renew |= restore_i[m] | fence_i[m];
    wrap = 1'b0;
    for (int unsigned k = 0; k < NumKernels; k++) wrap |= renew[k] && gens_q[k] == '1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) gens_q <= '0;
    else for (int unsigned k = 0; k < NumKernels; k++) gens_q[k] <= gens_q[k] + GenW'(renew[k]);
  end

  // ---- whose responses these are ----
  logic [NumChannels-1:0] ours;
  logic [NumChannels-1:0][MemberW-1:0] to_member;
  always_comb begin
    for (int unsigned c = 0; c < NumChannels; c++) begin
      ours[c] = 1'b0;
      to_member[c] = '0;
      for (int unsigned m = 0; m < Members; m++) begin
        if (rsp_i[c].valid && rsp_i[c].sm == PortSmW'(Index + m * NumSas)) begin
          ours[c] = 1'b1;
          to_member[c] = MemberW'(m);
        end
      end
    end
  end

  // ---- banks ----
  logic [SaBanks-1:0][Members-1:0] grant, back_to, back_taken;
  logic [SaBanks-1:0][SmTagW-1:0] back_txn;
  lanes_t [SaBanks-1:0] back_data;
  logic [SaBanks-1:0][31:0] value;

  for (genvar b = 0; b < SaBanks; b++) begin : g_bank
    // A request (R-SA-1).
    logic [Members-1:0] wanted;
    logic req_valid, req_ready;
    logic [MemberW-1:0] from;
    mem_req_t req;
    always_comb begin
      for (int unsigned m = 0; m < Members; m++) wanted[m] = req_ready && head_i[m].valid &&
          (SaBanks == 1 || head_i[m].addr[LineOffW +: BankW] == BankW'(b));
    end
    qsm_rr_arb #(.N(Members)) u_member (
      .clk_i, .rst_ni, .req_i(wanted), .valid_o(req_valid), .grant_o(grant[b]), .idx_o(from)
    );
    assign req = head_i[from];
    logic unused_req;  // req_valid
    assign unused_req = req.valid;

    // A response (R-SA-9).
    logic [ChansEach-1:0] rsp_wanted, rsp_grant;
    logic rsp_valid, rsp_ready;
    logic [idx_w(ChansEach)-1:0] rsp_from;
    logic [ChanW-1:0] channel;
    for (genvar i = 0; i < ChansEach; i++) begin : g_channel
      assign rsp_wanted[i] = rsp_ready && ours[i * SaBanks + b];
      assign rsp_taken_o[i * SaBanks + b] = rsp_grant[i];
    end
    qsm_rr_arb #(.N(ChansEach)) u_channel (
      .clk_i, .rst_ni, .req_i(rsp_wanted), .valid_o(rsp_valid), .grant_o(rsp_grant),
      .idx_o(rsp_from)
    );
    assign channel = ChanW'(32'(rsp_from) * SaBanks + b);

    mem_type_e out_kind;
    amo_e out_amo;
    logic out_valid, back_valid;
    logic [LineW-1:0] out_line;
    logic [LineBytes-1:0] out_bytes;
    lanes_t out_data;
    logic [MemberW-1:0] out_member, back_member;
    logic [SmTagW-1:0] out_txn;
    logic [KernelW-1:0] out_slot;
    qsm_sa_bank #(
      .BytesPerLine(LineBytes), .LineW(LineW),
      .Sets(SaKib * 1024 / (SaBanks * SaWays * LineBytes)), .Ways(SaWays), .NumMembers(Members),
      .NumTxns(MemTxns + NumSched), .FirstFetch(MemTxns), .NumSlots(NumKernels)
    ) u_bank (
      .clk_i, .rst_ni,
      .req_valid_i(req_valid), .req_ready_o(req_ready), .req_kind_i(req.kind), .req_amo_i(req.amo),
      .req_line_i(req.addr[31 -: LineW]), .req_bytes_i(req.bytes), .req_data_i(req.data),
      .req_member_i(from), .req_txn_i(req.tag[SmTagW-1:0]), .req_slot_i(req.slot),
      .back_valid_o(back_valid), .back_ready_i(back_taken[b] != '0), .back_member_o(back_member),
      .back_txn_o(back_txn[b]), .back_data_o(back_data[b]),
      .out_valid_o(out_valid), .out_ready_i(granted_i[b]), .out_kind_o(out_kind),
      .out_amo_o(out_amo), .out_line_o(out_line), .out_bytes_o(out_bytes), .out_data_o(out_data),
      .out_member_o(out_member), .out_txn_o(out_txn), .out_slot_o(out_slot),
      .rsp_valid_i(rsp_valid), .rsp_ready_o(rsp_ready), .rsp_member_i(to_member[channel]),
      .rsp_txn_i(rsp_i[channel].tag[SmTagW-1:0]), .rsp_data_i(rsp_i[channel].data),
      .skip_i, .gens_i(gens_q), .wrap_i(wrap), .clear_i(start_i),
      .read_slot_i(select_i.slot), .read_counter_i(select_i.counter[2:0]), .value_o(value[b])
    );
    // Low bits of a line's number are the bank's.
    logic [31:LineOffW] line;
    assign line = (32 - LineOffW)'(out_line) << BankBits | (32 - LineOffW)'(b);
    assign req_o[b] = '{valid: out_valid, kind: out_kind, amo: out_amo,
        addr: {line, LineOffW'(0)}, bytes: out_bytes, data: out_data,
        sm: PortSmW'(Index + 32'(out_member) * NumSas), tag: PortTagW'(out_txn), slot: out_slot};
    always_comb begin
      for (int unsigned m = 0; m < Members; m++)
        back_to[b][m] = back_valid && back_member == MemberW'(m);
    end
  end

  always_comb begin
    taken_o = '0;
    for (int unsigned b = 0; b < SaBanks; b++) taken_o |= grant[b];
  end
  if (SaBanks > 1) begin : g_values
    assign value_o = value[select_i.channel[BankW-1:0]];
  end else begin : g_value
    assign value_o = value[0];
  end
  logic unused_select;
  assign unused_select = ^select_i;

  // ---- return, one response per member and cycle (R-SA-12) ----
  for (genvar m = 0; m < Members; m++) begin : g_return
    logic [SaBanks-1:0] wanted, served;
    logic [BankW-1:0] from_bank;
    logic sent, seen;
    mem_rsp_t rsp, rsp_seen;
    for (genvar b = 0; b < SaBanks; b++) begin : g_bank
      assign wanted[b] = back_to[b][m];
      assign back_taken[b][m] = served[b];
    end
    qsm_rr_arb #(.N(SaBanks)) u_arb (
      .clk_i, .rst_ni, .req_i(wanted), .valid_o(sent), .grant_o(served), .idx_o(from_bank)
    );
    assign rsp = '{valid: sent, tag: TagW'(back_txn[from_bank]), data: back_data[from_bank]};
    qsm_delay_msg #(.Receivers(1), .Width($bits(mem_rsp_t)), .Lat(NocLat)) u_delay (
      .clk_i, .rst_ni, .valid_i(sent), .data_i(rsp), .valid_o(seen), .data_o(rsp_seen)
    );
    always_comb begin
      rsp_o[m] = rsp_seen;
      rsp_o[m].valid = seen;
    end
  end
endmodule
