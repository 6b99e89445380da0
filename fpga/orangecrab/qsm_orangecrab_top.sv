// SPDX-License-Identifier: Apache-2.0
// Top for the OrangeCrab r0.2.1 with an ECP5-85F: 48 MHz oscillator, PLL, a serial line on two pins
// of the header, 128 MB of DDR3 memory behind LiteDRAM, one LED of three colours. Contract:
// docs/board.md.
module qsm_orangecrab_top
  import qsm_cfg_pkg::*;
#(
  // The memory's clock is 48 MHz * ClkfbDiv / ClkiDiv, ClkHz half of it; the memory's clock times
  // ClkopDiv is the PLL's own frequency, 400 to 800 MHz. ClkHz is 36 to 48 MHz for the memory's
  // sake (R-BD-13).
  parameter int unsigned ClkiDiv = 1,
  parameter int unsigned ClkfbDiv = 2,
  parameter int unsigned ClkopDiv = 6,
  parameter int unsigned Baud = 1_000_000,
  parameter logic [31:0] BuildId = '0
) (
  input  logic        clk_pin,      // 48 MHz
  input  logic        reset_n_pin,  // the user's button, 0 while pressed
  input  logic        rx_pin,       // to the board
  output logic        tx_pin,
  output logic [2:0]  led_n_pin,    // busy; GPU runs; interrupt, or memory not started

  output logic        ddr_clk_pin,
  output logic        ddr_reset_n_pin,
  output logic        ddr_cke_pin,
  output logic        ddr_cs_n_pin,
  output logic        ddr_ras_n_pin,
  output logic        ddr_cas_n_pin,
  output logic        ddr_we_n_pin,
  output logic        ddr_odt_pin,
  output logic [14:0] ddr_a_pin,
  output logic [2:0]  ddr_ba_pin,
  output logic [1:0]  ddr_dm_pin,   // crossed on the board: 0 goes to the upper byte's
  inout  wire  [15:0] ddr_dq_pin,
  inout  wire  [1:0]  ddr_dqs_pin,
  output logic [5:0]  ddr_vccio_pin,  // pins beside the memory's that are tied to its supply
  output logic [1:0]  ddr_gnd_pin     // and to ground on the board
);
  localparam int unsigned ClkHz = 48_000_000 / ClkiDiv * ClkfbDiv / 2;
  if (ClkHz < 36_000_000 || ClkHz > 48_000_000 || 48_000_000 % ClkiDiv != 0 ||
      ClkHz / 500 * ClkopDiv < 400_000 || ClkHz / 500 * ClkopDiv > 800_000) begin : g_illegal
    $fatal(1, "qsm_orangecrab_top: ClkiDiv %0d, ClkfbDiv %0d, ClkopDiv %0d: %0d Hz (R-BD-2)",
        ClkiDiv, ClkfbDiv, ClkopDiv, ClkHz);
  end

  // The memory's clock, which the PHY can stop; half of it is the clock of all else (R-BD-2).
  logic pll_clk, clk_init, locked, bridge_clk, mem_clk, clk, phy_stop, phy_reset;
  logic rst_n, rst_init_n, gpu_clk, gpu_en, gpu_rst_n;
  EHXPLLL #(
    .CLKI_DIV(ClkiDiv), .CLKFB_DIV(ClkfbDiv), .FEEDBK_PATH("CLKOP"),
    .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(ClkopDiv), .CLKOP_CPHASE(ClkopDiv - 1), .CLKOP_FPHASE(0),
    .CLKOS_ENABLE("ENABLED"), .CLKOS_DIV(4 * ClkopDiv), .CLKOS_CPHASE(4 * ClkopDiv - 1),
    .CLKOS_FPHASE(0)
  ) u_pll (
    .CLKI(clk_pin), .CLKFB(pll_clk), .CLKOP(pll_clk), .CLKOS(clk_init), .CLKOS2(), .CLKOS3(),
    .LOCK(locked), .INTLOCK(), .REFCLK(), .CLKINTFB(),
    .RST(1'b0), .STDBY(1'b0), .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b0),
    .PHASESTEP(1'b0), .PHASELOADREG(1'b0), .PLLWAKESYNC(1'b0),
    .ENCLKOP(1'b0), .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0)
  );
  ECLKBRIDGECS u_bridge (.CLK0(pll_clk), .CLK1(1'b0), .SEL(1'b0), .ECSOUT(bridge_clk));
  ECLKSYNCB u_stop (.ECLKI(bridge_clk), .STOP(phy_stop), .ECLKO(mem_clk));
  CLKDIVF #(.DIV("2.0")) u_half (
    .CLKI(mem_clk), .RST(phy_reset), .ALIGNWD(1'b0), .CDIVX(clk)
  );
  qsm_board_reset u_reset (
    .clk_i(clk), .async_ni(locked & reset_n_pin & !phy_reset), .rst_no(rst_n)
  );
  qsm_board_reset #(.Cycles(16)) u_reset_init (
    .clk_i(clk_init), .async_ni(locked & reset_n_pin), .rst_no(rst_init_n)
  );
  DCCA u_gate (.CLKI(clk), .CE(gpu_en), .CLKO(gpu_clk));
  SGSR u_gpu_reset (.CLK(clk), .GSR(gpu_rst_n));  // R-BD-3

  logic mem_ready, cmd_valid, cmd_ready, cmd_we, wdata_valid, wdata_ready, rdata_valid,
      rdata_ready, busy, irq;
  logic [24:0] cmd_addr;
  logic [15:0] wdata_we;
  logic [127:0] wdata, rdata;
  qsm_board_sdram #(
    .ClkHz(ClkHz), .Baud(Baud), .BuildId(BuildId), .MemBytes(32'd134_217_728), .NativeW(128),
    .NativeAddrW(25)
  ) u_board (
    .clk_i(clk), .rst_ni(rst_n), .gpu_clk_i(gpu_clk), .gpu_en_o(gpu_en),
    .gpu_rst_no(gpu_rst_n), .rx_i(rx_pin), .tx_o(tx_pin), .busy_o(busy), .irq_o(irq),
    .mem_ready_i(mem_ready),
    .cmd_valid_o(cmd_valid), .cmd_ready_i(cmd_ready), .cmd_we_o(cmd_we), .cmd_addr_o(cmd_addr),
    .wdata_valid_o(wdata_valid), .wdata_ready_i(wdata_ready), .wdata_we_o(wdata_we),
    .wdata_o(wdata), .rdata_valid_i(rdata_valid), .rdata_ready_o(rdata_ready), .rdata_i(rdata)
  );
  assign led_n_pin = ~{irq || !mem_ready, gpu_en, busy};

  logic wb_cyc, wb_stb, wb_we, wb_ack;
  logic [29:0] wb_adr;
  logic [31:0] wb_dat, wb_read;
  logic [3:0] wb_sel;
  logic failed;  // seen by the LED: memory is not started
  qsm_ddr3_start #(.ClkHz(ClkHz)) u_start (
    .clk_i(clk), .rst_ni(rst_n), .ready_o(mem_ready), .failed_o(failed), .wb_cyc_o(wb_cyc),
    .wb_stb_o(wb_stb), .wb_we_o(wb_we), .wb_adr_o(wb_adr), .wb_dat_o(wb_dat), .wb_sel_o(wb_sel),
    .wb_dat_i(wb_read), .wb_ack_i(wb_ack)
  );

  logic [15:0] dq_in, dq_out, dq_oe_n;
  logic [1:0] dqs_in, dqs_out, dqs_oe_n;
  litedram_core u_dram (
    .clk(clk), .rst(!rst_n), .clk_sys2x(mem_clk), .clk_init(clk_init), .rst_init(!rst_init_n),
    .phy_stop(phy_stop), .phy_reset(phy_reset), .user_clk(), .user_rst(), .init_done(),
    .init_error(),
    .ddram_a(ddr_a_pin), .ddram_ba(ddr_ba_pin), .ddram_cas_n(ddr_cas_n_pin),
    .ddram_cke(ddr_cke_pin), .ddram_clk_p(ddr_clk_pin), .ddram_cs_n(ddr_cs_n_pin),
    .ddram_dm(ddr_dm_pin), .ddram_odt(ddr_odt_pin), .ddram_ras_n(ddr_ras_n_pin),
    .ddram_reset_n(ddr_reset_n_pin), .ddram_we_n(ddr_we_n_pin),
    .ddram_dq(dq_in), .ddram_dq_o(dq_out), .ddram_dq_oe_n(dq_oe_n),
    .ddram_dqs_p(dqs_in), .ddram_dqs_p_o(dqs_out), .ddram_dqs_p_oe_n(dqs_oe_n),
    .user_port_native_0_cmd_addr(cmd_addr), .user_port_native_0_cmd_ready(cmd_ready),
    .user_port_native_0_cmd_valid(cmd_valid), .user_port_native_0_cmd_we(cmd_we),
    .user_port_native_0_rdata_data(rdata), .user_port_native_0_rdata_ready(rdata_ready),
    .user_port_native_0_rdata_valid(rdata_valid), .user_port_native_0_wdata_data(wdata),
    .user_port_native_0_wdata_ready(wdata_ready), .user_port_native_0_wdata_valid(wdata_valid),
    .user_port_native_0_wdata_we(wdata_we),
    .wb_ctrl_ack(wb_ack), .wb_ctrl_adr(wb_adr), .wb_ctrl_bte('0), .wb_ctrl_cti('0),
    .wb_ctrl_cyc(wb_cyc), .wb_ctrl_dat_r(wb_read), .wb_ctrl_dat_w(wb_dat), .wb_ctrl_err(),
    .wb_ctrl_sel(wb_sel), .wb_ctrl_stb(wb_stb), .wb_ctrl_we(wb_we)
  );
  qsm_dq_pads #(.Width(16)) u_dq_pads (
    .out_i(dq_out), .oe_ni(dq_oe_n), .in_o(dq_in), .pin(ddr_dq_pin)
  );
  qsm_dq_pads #(.Width(2)) u_dqs_pads (
    .out_i(dqs_out), .oe_ni(dqs_oe_n), .in_o(dqs_in), .pin(ddr_dqs_pin)
  );
  assign ddr_vccio_pin = '1;
  assign ddr_gnd_pin = '0;
  logic unused;
  assign unused = failed;
endmodule
