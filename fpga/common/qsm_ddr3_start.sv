// SPDX-License-Identifier: Apache-2.0
// Starts a DDR3 memory of 16 data pins behind LiteDRAM's PHY for an ECP5: the chip's start, two
// patterns written, then reads of them with each bit slip and each delay of the PHY, of which each
// lane gets the middle of the longest row of delays that are right; then the controller takes over.
// Contract: docs/board.md R-BD-18 to R-BD-20.
module qsm_ddr3_start
  import qsm_dram_steps_pkg::*;
#(
  parameter int unsigned ClkHz = 48_000_000,
  // Of the chip: CL 6, write recovery 5, its DLL reset; 34 ohm, no termination; CWL 5, 60 ohm when
  // written.
  parameter logic [14:0] Mode0 = 15'h320,
  parameter logic [14:0] Mode1 = 15'h002,
  parameter logic [14:0] Mode2 = 15'h200
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        ready_o,
  output logic        failed_o,    // no setting is right
  output logic        wb_cyc_o,
  output logic        wb_stb_o,
  output logic        wb_we_o,
  output logic [29:0] wb_adr_o,    // of words
  output logic [31:0] wb_dat_o,
  output logic [3:0]  wb_sel_o,
  input  logic [31:0] wb_dat_i,
  input  logic        wb_ack_i
);
  // Registers of the controller (csr.csv of the generator), in bytes.
  localparam logic [AddrW-1:0] Lane = 13'h0800;  // those that the next ones are for; pauses them
  localparam logic [AddrW-1:0] DelayMore = 13'h0808;
  localparam logic [AddrW-1:0] SlipMore = 13'h0810;
  localparam logic [AddrW-1:0] BurstClear = 13'h0814;
  localparam logic [AddrW-1:0] BurstSeen = 13'h0818;
  localparam logic [AddrW-1:0] Control = 13'h1000;
  // Phase 0, which commands and reads go by; phase 1, which writes go by.
  localparam logic [AddrW-1:0] Command = 13'h1004;
  localparam logic [AddrW-1:0] Issue = 13'h1008;
  localparam logic [AddrW-1:0] Address = 13'h100C;
  localparam logic [AddrW-1:0] Bank = 13'h1010;
  localparam logic [AddrW-1:0] Data0 = 13'h1014;
  localparam logic [AddrW-1:0] Got0 = 13'h101C;
  localparam logic [AddrW-1:0] Command1 = 13'h1024;
  localparam logic [AddrW-1:0] Issue1 = 13'h1028;
  localparam logic [AddrW-1:0] Address1 = 13'h102C;
  localparam logic [AddrW-1:0] Data1 = 13'h1034;
  localparam logic [AddrW-1:0] Got1 = 13'h103C;

  localparam logic [15:0] ResetWait = 16'(ClkHz / 5000);  // 200 us
  localparam logic [15:0] CkeWait = 16'(ClkHz / 2000);    // 500 us
  localparam logic [15:0] ShortWait = 16'd32;  // longer than a refresh, and than a read takes
  localparam logic [15:0] LockWait = 16'd300;  // 512 clocks of the chip: its DLL, calibration
  localparam logic [31:0] Software = ControlResetN | ControlCke | ControlOdt;

  // Of both lanes all bytes differ, and from those of the other pattern: nothing that is stale,
  // late or early is taken for right. A phase's registers begin with its upper half.
  typedef logic [3:0][31:0] pattern_t;
  localparam pattern_t [1:0] Pattern = {128'h1F8A_D371_06C4_9B5E_E820_47BD_7239_F1A5,
                                        128'hC395_2D68_B0FE_513A_8E17_64DB_3AF2_0C49};
  localparam int unsigned Column = 8;  // from pattern to pattern

  localparam step_t [2:0] Refresh = {
    put(Address, AllBanks, 1), put(Command, CommandRefresh, 1), put(Issue, 1, ShortWait)};
  localparam step_t [5:0] Chip = {
    put(Control, 0, ResetWait),  // as after a reset: RESET# and CKE are 0
    put(Control, ControlResetN | ControlOdt, CkeWait), put(Control, Software, ShortWait),
    put(Command, CommandMode, 1), put(Address, 32'(Mode2), 1), put(Bank, 2, 1)};
  localparam step_t [9:0] Modes = {
    put(Issue, 1, ShortWait),
    put(Address, 0, 1), put(Bank, 3, 1), put(Issue, 1, ShortWait),
    put(Address, 32'(Mode1), 1), put(Bank, 1, 1), put(Issue, 1, ShortWait),
    put(Address, 32'(Mode0), 1), put(Bank, 0, 1), put(Issue, 1, LockWait)};
  localparam step_t [2:0] Calibrate = {
    put(Address, AllBanks, 1), put(Command, CommandCalibrate, 1), put(Issue, 1, LockWait)};
  localparam step_t [2:0] Open = {
    put(Address, 0, 1), put(Command, CommandActive, 1), put(Issue, 1, ShortWait)};
  localparam step_t [2:0] Close = {
    put(Address, AllBanks, 1), put(Command, CommandPrecharge, 1), put(Issue, 1, ShortWait)};
  function automatic step_t [5:0] write_pattern(input int unsigned n);
    return {put(Data0, Pattern[n[0]][1], 1), put(Data0 + 13'd4, Pattern[n[0]][0], 1),
        put(Data1, Pattern[n[0]][3], 1), put(Data1 + 13'd4, Pattern[n[0]][2], 1),
        put(Address1, Column * n, 1), put(Issue1, 1, ShortWait)};
  endfunction
  function automatic step_t [7:0] read_pattern(input int unsigned n);
    return {put(BurstClear, 1, 1), put(Address, Column * n, 1), put(Issue, 1, ShortWait),
        step(OpMatch, Got0, Pattern[n[0]][1]), step(OpMatch, Got0 + 13'd4, Pattern[n[0]][0]),
        step(OpMatch, Got1, Pattern[n[0]][3]), step(OpMatch, Got1 + 13'd4, Pattern[n[0]][2]),
        step(OpSeen, BurstSeen, '0)};
  endfunction
  localparam int unsigned CheckSteps = 3 + 3 + 3 + 1 + 8 + 8;
  localparam step_t [CheckSteps-1:0] Check = {
    Close, Refresh, Open, put(Command, CommandRead, 1), read_pattern(0), read_pattern(1)};
  localparam step_t [3:0] Next = {
    put(Lane, 3, 1), put(DelayMore, 1, 1), step(OpSlip, SlipMore, 1), put(Lane, 0, ShortWait)};
  function automatic step_t [3:0] settle(input int unsigned lane);
    return {put(Lane, 1 << lane, 1), step(OpSlips, SlipMore, lane), step(OpDelays, DelayMore, lane),
        put(Lane, 0, ShortWait)};
  endfunction

  localparam int unsigned Steps = 6 + 10 + 3 + 3 + 1 + 2 * 6 + (1 + CheckSteps + 1 + 4 + 1) +
      2 * 4 + (1 + CheckSteps + 1) + 3 + 1;
  localparam step_t [Steps-1:0] Table = {
    Chip, Modes, Calibrate, Open, put(Command1, CommandWrite, 1), write_pattern(0),
    write_pattern(1),
    step(OpTry, '0, '0), Check, step(OpJudge, '0, '0), Next, step(OpAgain, '0, '0),
    settle(0), settle(1),
    step(OpTry, '0, '0), Check, step(OpRequire, '0, '0),
    Close, put(Control, Software | ControlHardware, ShortWait)};
  qsm_dram_steps #(
    .Steps(Steps), .Lanes(2), .Slips(4), .Delays(8), .Table(Table)
  ) u_steps (
    .clk_i, .rst_ni, .ready_o, .failed_o, .wb_cyc_o, .wb_stb_o, .wb_we_o, .wb_adr_o, .wb_dat_o,
    .wb_sel_o, .wb_dat_i, .wb_ack_i
  );
endmodule
