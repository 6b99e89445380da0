// SPDX-License-Identifier: Apache-2.0
// Starts an SDR SDRAM behind LiteDRAM, as its own software does: clock enable, a wait, precharge,
// two refreshes, mode register, then the controller takes over. Contract: docs/board.md R-BD-12.
module qsm_sdram_start
  import qsm_dram_steps_pkg::*;
#(
  parameter int unsigned ClkHz = 50_000_000,
  parameter logic [12:0] Mode = 13'h020  // of the chip: burst of 1, CAS latency 2
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        ready_o,
  output logic        wb_cyc_o,
  output logic        wb_stb_o,
  output logic        wb_we_o,
  output logic [29:0] wb_adr_o,    // of words
  output logic [31:0] wb_dat_o,
  output logic [3:0]  wb_sel_o,
  input  logic        wb_ack_i
);
  // Registers of the controller (csr.csv of the generator), in bytes.
  localparam logic [AddrW-1:0] InitDone = 13'h000;
  localparam logic [AddrW-1:0] Control = 13'h800;
  localparam logic [AddrW-1:0] Command = 13'h804;
  localparam logic [AddrW-1:0] Issue = 13'h808;
  localparam logic [AddrW-1:0] Address = 13'h80C;
  localparam logic [AddrW-1:0] Bank = 13'h810;
  localparam logic [15:0] LongWait = 16'(ClkHz / 5000);  // 200 us
  localparam logic [15:0] ShortWait = 16'd16;
  localparam int unsigned Steps = 18;
  localparam step_t [Steps-1:0] Table = {
    // The controller is in charge after a reset; it is taken from it before its first refresh.
    put(Control, 0, LongWait), put(Address, 0, 1), put(Bank, 0, 1),
    put(Control, ControlCke, LongWait),
    put(Address, AllBanks, 1), put(Command, CommandPrecharge, 1), put(Issue, 1, ShortWait),
    put(Command, CommandRefresh, 1), put(Issue, 1, ShortWait),
    put(Command, CommandRefresh, 1), put(Issue, 1, ShortWait),
    put(Address, 32'(Mode), 1), put(Command, CommandMode, 1), put(Issue, 1, ShortWait),
    put(Address, 0, 1), put(Command, CommandNone, 1),
    put(Control, ControlHardware | ControlCke, ShortWait), put(InitDone, 1, 1)};
  logic unused;
  qsm_dram_steps #(.Steps(Steps), .Table(Table)) u_steps (
    .clk_i, .rst_ni, .ready_o, .failed_o(unused), .wb_cyc_o, .wb_stb_o, .wb_we_o, .wb_adr_o,
    .wb_dat_o, .wb_sel_o, .wb_dat_i('0), .wb_ack_i
  );
endmodule
