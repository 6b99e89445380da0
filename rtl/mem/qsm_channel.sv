// SPDX-License-Identifier: Apache-2.0
// Memory channel: between an output of the crossbar and the memory port stand an L2 slice and a
// memory controller, each where the configuration has one; else there are wires. With their
// counters (docs/l2.md R-L2-13, docs/dram.md R-DR-9).
// Observed by the lockstep monitor: g_l2.u_l2 (L2OP, state), g_dram.u_dram (DRAM, state).
module qsm_channel
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned Channel = 0
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Crossbar.
  input  port_req_t req_i,
  output logic      req_ready_o,
  output port_rsp_t rsp_o,
  input  logic      rsp_ready_i,

  // Memory port.
  output port_req_t mem_req_o,
  input  logic      mem_req_ready_i,
  input  port_rsp_t mem_rsp_i,
  output logic      mem_rsp_ready_o,

  // Control.
  input  logic [NumKernels-1:0] no_alloc_i,    // loads and stores of this slot allocate no line
  input  logic [NumKernels-1:0] clear_i,       // the counters of this slot
  input  logic [KernelW-1:0]    read_slot_i,   // counter that is read, in the same cycle
  input  logic [3:0]            read_counter_i,
  output logic [31:0]           value_o,
  input  l2_flush_t             flush_i,       // R-L2-10
  output logic                  flush_done_o   // pulse
);
  localparam int unsigned LineShift = LineOffW + $clog2(NumChannels);
  localparam int unsigned LineW = 32 - LineShift;  // number of a line within the channel

  // Between the slice and the controller.
  port_req_t behind_req;
  port_rsp_t behind_rsp;
  logic behind_req_ready, behind_rsp_ready;
  logic [31:0] l2_value, dram_value;
  assign value_o = read_counter_i[3] ? dram_value : l2_value;

  if (L2Kib != 0) begin : g_l2
    localparam int unsigned IdW = PortSmW + PortTagW;
    logic req_nc, rsp_valid, out_valid, out_write, out_own, request, atomic, victim;
    logic [LineW-1:0] out_line;
    bytes_t out_bytes;
    lanes_t rsp_data, out_data;
    logic [IdW-1:0] rsp_id, out_id;
    logic [KernelW-1:0] out_slot, slot;
    l2_outcome_e outcome;

    // fetches always allocate, the front end never (front.md R-FR-8)
    logic from_front;
    assign from_front = NumCmd != 0 && req_i.sm == PortSmW'(NumSms);
    assign req_nc = from_front || (no_alloc_i[req_i.slot] && req_i.tag < PortTagW'(MemTxns));
    qsm_l2 #(
      .BytesPerLine(LineBytes), .LineW(LineW), .Sets(L2Sets), .Ways(L2Ways),
      .UnitSets(L2UnitSets), .Mshrs(L2Mshrs),
      .Waiters(L2Waiters), .IdW(IdW), .SlotW(KernelW)
    ) u_l2 (
      .clk_i, .rst_ni,
      .req_valid_i(req_i.valid), .req_ready_o, .req_kind_i(req_i.kind), .req_amo_i(req_i.amo),
      .req_nc_i(req_nc),
      .req_line_i(req_i.addr[31:LineShift]), .req_bytes_i(req_i.bytes), .req_data_i(req_i.data),
      .req_id_i({req_i.sm, req_i.tag}),
      .req_slot_i(req_i.slot), .rsp_valid_o(rsp_valid), .rsp_ready_i, .rsp_id_o(rsp_id),
      .rsp_data_o(rsp_data),
      .mem_valid_o(out_valid), .mem_ready_i(behind_req_ready), .mem_write_o(out_write),
      .mem_own_o(out_own), .mem_line_o(out_line),
      .mem_bytes_o(out_bytes), .mem_data_o(out_data), .mem_id_o(out_id), .mem_slot_o(out_slot),
      .mem_rsp_valid_i(behind_rsp.valid), .mem_rsp_ready_o(behind_rsp_ready),
      .mem_rsp_own_i(behind_rsp.sm == PortSmW'(NumReqs)),
      .mem_rsp_id_i((behind_rsp.sm == PortSmW'(NumReqs)) ? IdW'(behind_rsp.tag)
          : {behind_rsp.sm, behind_rsp.tag}),
      .mem_rsp_data_i(behind_rsp.data),
      .flush_i(flush_i.valid), .flush_first_i(flush_i.first), .flush_last_i(flush_i.last),
      .flush_done_o,
      .request_o(request), .outcome_o(outcome), .atomic_o(atomic), .victim_o(victim), .slot_o(slot)
    );
    assign rsp_o = '{valid: rsp_valid, sm: rsp_id[IdW-1 -: PortSmW], tag: rsp_id[PortTagW-1:0],
        data: rsp_data};
    assign behind_req = '{
      valid: out_valid, kind: out_write ? MemWrite : MemRead, amo: AmoSwap, addr:
        (32'(out_line) << LineShift) | (Channel << LineOffW),
      bytes: out_bytes, data: out_data, sm: out_own ? PortSmW'(NumReqs) : out_id[IdW-1 -: PortSmW],
          tag: out_id[PortTagW-1:0], slot: out_slot
    };

    // Counters 1 to 4: hits, merged, misses that allocate, bypassed. A register is in front of all.
    logic [1:0] kept, kept_q, read_kept;
    logic [2:0] add_q;  // victims, atomics, requests
    logic [KernelW-1:0] slot_q;
    logic [3:0][31:0] value;
    always_comb begin
      case (outcome)
        L2Hit:      kept = 2'd0;
        L2Merged:   kept = 2'd1;
        L2Bypassed: kept = 2'd3;
        default:    kept = 2'd2;
      endcase
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) add_q <= '0;
      else add_q <= {victim, request && atomic, request};
    end
    always_ff @(posedge clk_i) begin
      kept_q <= kept;
      slot_q <= slot;
    end
    assign read_kept = read_counter_i[1:0] - 2'd1;
    qsm_slot_counters #(.NumSlots(NumKernels), .PerSlot(4)) u_outcomes (
      .clk_i, .rst_ni, .clear_i, .add_i(add_q[0]), .slot_i(slot_q), .which_i(kept_q),
      .amount_i(1'b1), .read_slot_i, .read_which_i(read_kept), .value_o(value[0])
    );
    for (genvar n = 0; n < 3; n++) begin : g_count
      qsm_slot_counters #(.NumSlots(NumKernels), .PerSlot(1)) u_count (
        .clk_i, .rst_ni, .clear_i, .add_i(add_q[n]), .slot_i(slot_q), .which_i(1'b0),
        .amount_i(1'b1), .read_slot_i, .read_which_i(1'b0), .value_o(value[n+1])
      );
    end
    always_comb begin
      case (read_counter_i[2:0])
        3'd0:                   l2_value = value[1];
        3'd1, 3'd2, 3'd3, 3'd4: l2_value = value[0];
        3'd5:                   l2_value = value[2];
        3'd6:                   l2_value = value[3];
        default:                l2_value = '0;
      endcase
    end
  end else begin : g_no_l2
    assign behind_req = req_i;
    assign req_ready_o = behind_req_ready;
    assign rsp_o = behind_rsp;
    assign behind_rsp_ready = rsp_ready_i;
    assign l2_value = '0;
    assign flush_done_o = 1'b0;
    logic unused_l2;
    assign unused_l2 = ^{no_alloc_i, flush_i, Channel};
  end

  if (DramBanks != 0) begin : g_dram
    localparam int unsigned ReqW = $bits(port_req_t) - 1;  // without valid, which comes first
    localparam int unsigned RspW = $bits(port_rsp_t) - 1;
    logic mem_valid, rsp_valid, column, row, is_write, row_hit;
    logic [ReqW-1:0] mem_req;
    logic [RspW-1:0] rsp;
    logic [KernelW-1:0] slot;

    qsm_dram #(
      .LineW(LineW), .Columns(DramRowBytes / LineBytes), .Banks(DramBanks), .Queue(DramQueue),
      .Rcd(DramRcd), .Rp(DramRp), .Ras(DramRas),
      .Cl(DramCl), .Wr(DramWr), .Burst(DramBurst), .SlotW(KernelW), .ReqW(ReqW), .RspW(RspW)
    ) u_dram (
      .clk_i, .rst_ni,
      .req_valid_i(behind_req.valid), .req_ready_o(behind_req_ready),
      .req_write_i(behind_req.kind == MemWrite), .req_slot_i(behind_req.slot),
      .req_line_i(behind_req.addr[31:LineShift]), .req_i(behind_req[ReqW-1:0]),
      .rsp_valid_o(rsp_valid), .rsp_ready_i(behind_rsp_ready),
      .rsp_o(rsp), .mem_valid_o(mem_valid), .mem_ready_i(mem_req_ready_i), .mem_req_o(mem_req),
      .mem_rsp_valid_i(mem_rsp_i.valid),
      .mem_rsp_i(mem_rsp_i[RspW-1:0]), .column_o(column), .row_o(row), .write_o(is_write),
      .row_hit_o(row_hit), .slot_o(slot)
    );
    assign mem_req_o = {mem_valid, mem_req};
    assign behind_rsp = {rsp_valid, rsp};
    assign mem_rsp_ready_o = 1'b1;

    // Counters 8 and 9, 10 and 11.
    logic [1:0][31:0] value;
    qsm_slot_counters #(.NumSlots(NumKernels), .PerSlot(2)) u_columns (
      .clk_i, .rst_ni, .clear_i, .add_i(column), .slot_i(slot), .which_i(is_write), .amount_i(1'b1),
      .read_slot_i, .read_which_i(read_counter_i[0]), .value_o(value[0])
    );
    qsm_slot_counters #(.NumSlots(NumKernels), .PerSlot(2)) u_rows (
      .clk_i, .rst_ni, .clear_i, .add_i(row || (column && row_hit)), .slot_i(slot), .which_i(row),
      .amount_i(1'b1), .read_slot_i, .read_which_i(read_counter_i[0]), .value_o(value[1])
    );
    assign dram_value = read_counter_i[2] ? '0 : value[read_counter_i[1]];
  end else begin : g_no_dram
    assign mem_req_o = behind_req;
    assign behind_req_ready = mem_req_ready_i;
    assign behind_rsp = mem_rsp_i;
    assign mem_rsp_ready_o = behind_rsp_ready;
    assign dram_value = '0;
  end

  if (L2Kib == 0 && DramBanks == 0) begin : g_wires
    logic unused;
    assign unused = ^{clk_i, rst_ni, clear_i, read_slot_i, read_counter_i};
  end
endmodule
