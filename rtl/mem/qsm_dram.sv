// SPDX-License-Identifier: Apache-2.0
// Memory controller of a channel: schedules accesses to banks with rows in FR-FCFS order (first
// ready, first come first served) and keeps the DRAM timing.
// Contract: docs/dram.md. line_i is the line's number within the channel (m of R-DR-1); what else a
// request carries passes as req_i.
// Latency: a column access is the cycle of the request at the port, at the earliest one after it
// came; responses as in qsm_dram_return.
// Cost: Queue requests and responses in distributed RAM; see the parts. Observed by the lockstep
// monitor: the command (DRAM), the parts' state.
module qsm_dram #(
  parameter int unsigned LineW = 28,   // bits of a line's number
  parameter int unsigned Columns = 64, // lines of a row, a power of two
  parameter int unsigned Banks = 8,    // a power of two
  parameter int unsigned Queue = 8,
  parameter int unsigned Rcd = 5,      // times in cycles, 1..255
  parameter int unsigned Rp = 5,
  parameter int unsigned Ras = 12,
  parameter int unsigned Cl = 5,
  parameter int unsigned Wr = 5,
  parameter int unsigned Burst = 2,
  parameter int unsigned SlotW = 2,
  parameter int unsigned ReqW = 64,
  parameter int unsigned RspW = 64
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic             req_valid_i,
  output logic             req_ready_o,
  input  logic             req_write_i,
  input  logic [SlotW-1:0] req_slot_i,
  input  logic [LineW-1:0] req_line_i,
  input  logic [ReqW-1:0]  req_i,
  output logic             rsp_valid_o,
  input  logic             rsp_ready_i,
  output logic [RspW-1:0]  rsp_o,

  // Memory port; responses are always taken.
  output logic            mem_valid_o,  // only while mem_ready_i
  input  logic            mem_ready_i,
  output logic [ReqW-1:0] mem_req_o,
  input  logic            mem_rsp_valid_i,
  input  logic [RspW-1:0] mem_rsp_i,

  // What this cycle counts, for which slot (R-DR-9).
  output logic             column_o,
  output logic             row_o,
  output logic             write_o,
  output logic             row_hit_o,  // of a column access: no row was opened for it
  output logic [SlotW-1:0] slot_o
);
  localparam int unsigned ColumnBits = $clog2(Columns);
  localparam int unsigned BankBits = $clog2(Banks);
  localparam int unsigned RowW = LineW - ColumnBits - BankBits;
  localparam int unsigned BankW = (Banks > 1) ? BankBits : 1;
  localparam int unsigned EntryW = (Queue > 1) ? $clog2(Queue) : 1;

  // ---- arrival (R-DR-1, R-DR-2) ----
  logic full, push, arrival_hit;
  logic [EntryW-1:0] free;
  logic [BankW-1:0] arrival_bank;
  logic [RowW-1:0] arrival_row;
  assign req_ready_o = !full;
  assign push = req_valid_i && !full;
  assign arrival_bank = (Banks > 1) ? req_line_i[ColumnBits +: BankW] : '0;
  assign arrival_row = req_line_i[LineW-1 -: RowW];
  if (ColumnBits > 0) begin : g_column
    logic unused_column;
    assign unused_column = ^req_line_i[ColumnBits-1:0];
  end

  // ---- command of the cycle ----
  logic [Banks-1:0] open, idle, closable;
  logic bus_free, room, opened;
  logic [EntryW-1:0] entry;
  logic [BankW-1:0] bank;
  logic [RowW-1:0] row;

  qsm_dram_banks #(.Banks(Banks), .RowW(RowW), .Rcd(Rcd), .Rp(Rp), .Ras(Ras), .Wr(Wr),
      .Burst(Burst)) u_banks (
    .clk_i, .rst_ni, .column_i(column_o), .write_i(write_o), .row_i(row_o), .bank_i(bank),
    .row_number_i(row),
    .open_o(open), .idle_o(idle), .closable_o(closable), .bus_free_o(bus_free),
    .arrival_bank_i(arrival_bank), .arrival_row_i(arrival_row), .arrival_hit_o(arrival_hit)
  );
  qsm_dram_queue #(.Queue(Queue), .Banks(Banks), .RowW(RowW), .SlotW(SlotW)) u_queue (
    .clk_i, .rst_ni, .full_o(full), .free_o(free), .push_i(push), .write_i(req_write_i),
    .slot_i(req_slot_i),
    .bank_i(arrival_bank), .row_i(arrival_row), .hit_i(arrival_hit),
    .open_i(open), .idle_i(idle), .closable_i(closable),
    .column_ok_i(bus_free && mem_ready_i && room),
    .column_o, .open_row_o(row_o), .entry_o(entry), .write_o, .slot_o, .bank_o(bank), .row_o(row),
    .opened_o(opened)
  );
  assign row_hit_o = !opened;

  logic [ReqW-1:0] req_mem[Queue];
  always_ff @(posedge clk_i) if (push) req_mem[free] <= req_i;
  assign mem_valid_o = column_o;
  assign mem_req_o = req_mem[entry];

  // ---- way back ----
  qsm_dram_return #(.Queue(Queue), .ReadLat(Cl + Burst), .RspW(RspW)) u_return (
    .clk_i, .rst_ni, .room_o(room), .begin_i(column_o), .write_i(write_o),
    .port_valid_i(mem_rsp_valid_i), .port_rsp_i(mem_rsp_i), .rsp_valid_o, .rsp_ready_i, .rsp_o
  );
endmodule
