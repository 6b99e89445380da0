// SPDX-License-Identifier: Apache-2.0
// Top for the ULX3S with an ECP5-85F: 25 MHz oscillator, PLL, FTDI's serial line, 32 MB of SDR
// SDRAM behind LiteDRAM, LEDs. Contract: docs/board.md.
module qsm_ulx3s_top
  import qsm_cfg_pkg::*;
#(
  // ClkHz = 25 MHz * ClkfbDiv / ClkiDiv; 25 MHz times that times ClkopDiv is the PLL's own
  // frequency, 400 to 800 MHz. 25 to 50 MHz for the SDRAM's sake (R-BD-13).
  parameter int unsigned ClkiDiv = 1,
  parameter int unsigned ClkfbDiv = 2,
  parameter int unsigned ClkopDiv = 12,
  parameter int unsigned Baud = 2_000_000,
  parameter logic [31:0] BuildId = '0
) (
  input  logic        clk_pin,      // 25 MHz
  input  logic        reset_n_pin,  // PWR button, 0 while pressed
  input  logic        rx_pin,       // from the FTDI chip
  output logic        tx_pin,
  output logic [7:0]  led_pin,      // busy, GPU runs, interrupt, memory started, PLL locked

  output logic        sdram_clk_pin,
  output logic        sdram_cke_pin,
  output logic        sdram_cs_n_pin,
  output logic        sdram_ras_n_pin,
  output logic        sdram_cas_n_pin,
  output logic        sdram_we_n_pin,
  output logic [12:0] sdram_a_pin,
  output logic [1:0]  sdram_ba_pin,
  output logic [1:0]  sdram_dm_pin,
  inout  wire  [15:0] sdram_d_pin
);
  localparam int unsigned ClkHz = 25_000_000 / ClkiDiv * ClkfbDiv;
  if (ClkHz < 25_000_000 || ClkHz > 50_000_000 || 25_000_000 % ClkiDiv != 0 ||
      ClkHz / 1000 * ClkopDiv < 400_000 || ClkHz / 1000 * ClkopDiv > 800_000 ||
      ClkopDiv % 4 != 0) begin : g_illegal
    $fatal(1, "qsm_ulx3s_top: ClkiDiv %0d, ClkfbDiv %0d, ClkopDiv %0d: %0d Hz (R-BD-2), VCO * %0d",
        ClkiDiv, ClkfbDiv, ClkopDiv, ClkHz, ClkopDiv);
  end

  // The SDRAM's clock comes a quarter later, so that it finds commands and data settled.
  logic clk, clk_sdram, locked, rst_n, gpu_clk, gpu_en, gpu_rst_n;
  EHXPLLL #(
    .CLKI_DIV(ClkiDiv), .CLKFB_DIV(ClkfbDiv), .FEEDBK_PATH("CLKOP"),
    .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(ClkopDiv), .CLKOP_CPHASE(ClkopDiv - 1), .CLKOP_FPHASE(0),
    .CLKOS_ENABLE("ENABLED"), .CLKOS_DIV(ClkopDiv), .CLKOS_CPHASE(ClkopDiv - 1 + ClkopDiv / 4),
    .CLKOS_FPHASE(0)
  ) u_pll (
    .CLKI(clk_pin), .CLKFB(clk), .CLKOP(clk), .CLKOS(clk_sdram), .CLKOS2(), .CLKOS3(),
    .LOCK(locked), .INTLOCK(), .REFCLK(), .CLKINTFB(),
    .RST(1'b0), .STDBY(1'b0), .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b0),
    .PHASESTEP(1'b0), .PHASELOADREG(1'b0), .PLLWAKESYNC(1'b0),
    .ENCLKOP(1'b0), .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0)
  );
  qsm_board_reset u_reset (.clk_i(clk), .async_ni(locked & reset_n_pin), .rst_no(rst_n));
  DCCA u_gate (.CLKI(clk), .CE(gpu_en), .CLKO(gpu_clk));
  SGSR u_gpu_reset (.CLK(clk), .GSR(gpu_rst_n));  // R-BD-3
  ODDRX1F u_sdram_clk (.D0(1'b1), .D1(1'b0), .SCLK(clk_sdram), .RST(1'b0), .Q(sdram_clk_pin));

  logic mem_ready, cmd_valid, cmd_ready, cmd_we, wdata_valid, wdata_ready, rdata_valid,
      rdata_ready;
  logic [23:0] cmd_addr;
  logic [1:0] wdata_we;
  logic [15:0] wdata, rdata;
  qsm_board_sdram #(
    .ClkHz(ClkHz), .Baud(Baud), .BuildId(BuildId), .MemBytes(32'd33_554_432), .NativeW(16),
    .NativeAddrW(24)
  ) u_board (
    .clk_i(clk), .rst_ni(rst_n), .gpu_clk_i(gpu_clk), .gpu_en_o(gpu_en),
    .gpu_rst_no(gpu_rst_n), .rx_i(rx_pin), .tx_o(tx_pin), .busy_o(led_pin[0]), .irq_o(led_pin[2]),
    .mem_ready_i(mem_ready),
    .cmd_valid_o(cmd_valid), .cmd_ready_i(cmd_ready), .cmd_we_o(cmd_we), .cmd_addr_o(cmd_addr),
    .wdata_valid_o(wdata_valid), .wdata_ready_i(wdata_ready), .wdata_we_o(wdata_we),
    .wdata_o(wdata), .rdata_valid_i(rdata_valid), .rdata_ready_o(rdata_ready), .rdata_i(rdata)
  );
  assign led_pin[1] = gpu_en;
  assign led_pin[3] = mem_ready;
  assign led_pin[4] = locked;
  assign led_pin[7:5] = '0;

  logic wb_cyc, wb_stb, wb_we, wb_ack;
  logic [29:0] wb_adr;
  logic [31:0] wb_dat;
  logic [3:0] wb_sel;
  qsm_sdram_start #(.ClkHz(ClkHz)) u_start (
    .clk_i(clk), .rst_ni(rst_n), .ready_o(mem_ready), .wb_cyc_o(wb_cyc), .wb_stb_o(wb_stb),
    .wb_we_o(wb_we), .wb_adr_o(wb_adr), .wb_dat_o(wb_dat), .wb_sel_o(wb_sel), .wb_ack_i(wb_ack)
  );

  logic [15:0] dq_in, dq_out, dq_oe_n;
  litedram_core u_sdram (
    .clk(clk), .rst(!rst_n), .user_clk(), .user_rst(), .init_done(), .init_error(),
    .sdram_a(sdram_a_pin), .sdram_ba(sdram_ba_pin), .sdram_cas_n(sdram_cas_n_pin),
    .sdram_cke(sdram_cke_pin), .sdram_cs_n(sdram_cs_n_pin), .sdram_dm(sdram_dm_pin),
    .sdram_dq(dq_in), .sdram_dq_o(dq_out), .sdram_dq_oe_n(dq_oe_n), .sdram_ras_n(sdram_ras_n_pin),
    .sdram_we_n(sdram_we_n_pin),
    .user_port_native_0_cmd_addr(cmd_addr), .user_port_native_0_cmd_ready(cmd_ready),
    .user_port_native_0_cmd_valid(cmd_valid), .user_port_native_0_cmd_we(cmd_we),
    .user_port_native_0_rdata_data(rdata), .user_port_native_0_rdata_ready(rdata_ready),
    .user_port_native_0_rdata_valid(rdata_valid), .user_port_native_0_wdata_data(wdata),
    .user_port_native_0_wdata_ready(wdata_ready), .user_port_native_0_wdata_valid(wdata_valid),
    .user_port_native_0_wdata_we(wdata_we),
    .wb_ctrl_ack(wb_ack), .wb_ctrl_adr(wb_adr), .wb_ctrl_bte('0), .wb_ctrl_cti('0),
    .wb_ctrl_cyc(wb_cyc), .wb_ctrl_dat_r(), .wb_ctrl_dat_w(wb_dat), .wb_ctrl_err(),
    .wb_ctrl_sel(wb_sel), .wb_ctrl_stb(wb_stb), .wb_ctrl_we(wb_we)
  );
  qsm_dq_pads #(.Width(16)) u_pads (
    .out_i(dq_out), .oe_ni(dq_oe_n), .in_o(dq_in), .pin(sdram_d_pin)
  );
endmodule
