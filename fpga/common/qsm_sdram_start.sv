// SPDX-License-Identifier: Apache-2.0
// Starts an SDR SDRAM behind LiteDRAM by writes to its control registers (Wishbone), as its own
// software does: clock enable, a wait, precharge, two refreshes, mode register, then the controller
// takes over. Contract: docs/board.md R-BD-12.
module qsm_sdram_start #(
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
  localparam logic [11:0] InitDone = 12'h000;
  localparam logic [11:0] Control = 12'h800;
  localparam logic [11:0] Command = 12'h804;
  localparam logic [11:0] Issue = 12'h808;
  localparam logic [11:0] Address = 12'h80C;
  localparam logic [11:0] Bank = 12'h810;
  localparam logic [31:0] Cke = 32'h2;
  localparam logic [31:0] Hardware = 32'h3;
  localparam logic [31:0] Precharge = 32'hB;  // CS, WE, RAS
  localparam logic [31:0] Refresh = 32'hD;    // CS, CAS, RAS
  localparam logic [31:0] LoadMode = 32'hF;   // CS, WE, CAS, RAS
  localparam int unsigned Steps = 18;
  localparam int unsigned LongWait = ClkHz / 5000;  // 200 us
  localparam int unsigned ShortWait = 16;
  localparam int unsigned WaitW = $clog2(LongWait + 1);

  logic [4:0] step_q;
  logic [WaitW-1:0] wait_q;
  logic cyc_q;
  logic [11:0] addr;
  logic [31:0] data;
  logic [WaitW-1:0] pause;  // after this step
  always_comb begin
    addr = Issue;
    data = 32'd1;
    pause = WaitW'(1);
    unique case (step_q)
      // The controller is in charge after a reset; it is taken from it before its first refresh.
      5'd0: begin
        {addr, data} = {Control, 32'd0};
        pause = WaitW'(LongWait);
      end
      5'd1: {addr, data} = {Address, 32'd0};
      5'd2: {addr, data} = {Bank, 32'd0};
      5'd3: begin
        {addr, data} = {Control, Cke};
        pause = WaitW'(LongWait);
      end
      5'd4: {addr, data} = {Address, 32'h400};  // A10: all banks
      5'd5: {addr, data} = {Command, Precharge};
      5'd6: pause = WaitW'(ShortWait);
      5'd7: {addr, data} = {Command, Refresh};
      5'd8: pause = WaitW'(ShortWait);
      5'd9: {addr, data} = {Command, Refresh};
      5'd10: pause = WaitW'(ShortWait);
      5'd11: {addr, data} = {Address, 32'(Mode)};
      5'd12: {addr, data} = {Command, LoadMode};
      5'd13: pause = WaitW'(ShortWait);
      5'd14: {addr, data} = {Address, 32'd0};
      5'd15: {addr, data} = {Command, 32'd0};
      5'd16: begin
        {addr, data} = {Control, Hardware};
        pause = WaitW'(ShortWait);
      end
      default: {addr, data} = {InitDone, 32'd1};
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= '0;
      wait_q <= '0;
      cyc_q <= 1'b0;
    end else if (cyc_q) begin
      if (wb_ack_i) begin
        cyc_q <= 1'b0;
        wait_q <= pause;
        step_q <= step_q + 5'd1;
      end
    end else if (wait_q != '0) begin
      wait_q <= wait_q - WaitW'(1);
    end else begin
      cyc_q <= !ready_o;
    end
  end
  assign ready_o = step_q == 5'(Steps);
  assign wb_cyc_o = cyc_q;
  assign wb_stb_o = cyc_q;
  assign wb_we_o = 1'b1;
  assign wb_sel_o = '1;
  assign wb_adr_o = 30'(addr[11:2]);
  assign wb_dat_o = data;
  logic unused;
  assign unused = ^addr[1:0];
endmodule
