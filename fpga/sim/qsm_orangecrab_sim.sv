// SPDX-License-Identifier: Apache-2.0
// The OrangeCrab for simulation: the top, and the DDR3 chip at its pins, some quarters of the
// memory's clock away. The PLL's clocks come from outside, as Verilator knows no time; the model of
// the PLL checks them. quarter_pin changes in the midst of each quarter. Contract: docs/board.md
// R-BD-21.
module qsm_orangecrab_sim #(
  parameter int unsigned ClkiDiv = 1,
  parameter int unsigned ClkfbDiv = 2,
  parameter int unsigned ClkopDiv = 6,
  parameter int unsigned Baud = 1_000_000,
  parameter logic [31:0] BuildId = '0,
  parameter int unsigned RowW = 13,
  // Quarters that a read takes more than its command and the cells do: with 0 what the PHY has
  // after a reset happens to be right.
  parameter int unsigned WayQuarters = 3
) (
  input  logic       clk_pin,
  input  logic       pll_clk_pin,
  input  logic       pll_second_pin,
  input  logic       quarter_pin,
  input  logic       reset_n_pin,
  input  logic       rx_pin,
  output logic       tx_pin,
  output logic [2:0] led_n_pin
);
  localparam int unsigned ClkPs = 1_000_000 * ClkiDiv / (48 * ClkfbDiv);
  if (ClkPs / 4 != ecp5_ddr_pkg::QuarterPs) begin : g_illegal
    $fatal(1, "qsm_orangecrab_sim: a clock of %0d ps, the models of cells have another", ClkPs);
  end
  logic ddr_clk, reset_n, cke, cs_n, ras_n, cas_n, we_n, odt, chip_dq_oe, chip_dqs_oe;
  logic [14:0] a;
  logic [2:0] ba;
  logic [1:0] dm, chip_dqs;
  logic [15:0] chip_dq;
  logic [5:0] vccio;
  logic [1:0] gnd;
  wire [15:0] dq;
  wire [1:0] dqs;
  qsm_orangecrab_top #(
    .ClkiDiv(ClkiDiv), .ClkfbDiv(ClkfbDiv), .ClkopDiv(ClkopDiv), .Baud(Baud), .BuildId(BuildId)
  ) u_top (
    .clk_pin, .reset_n_pin, .rx_pin, .tx_pin, .led_n_pin,
    .ddr_clk_pin(ddr_clk), .ddr_reset_n_pin(reset_n), .ddr_cke_pin(cke), .ddr_cs_n_pin(cs_n),
    .ddr_ras_n_pin(ras_n), .ddr_cas_n_pin(cas_n), .ddr_we_n_pin(we_n), .ddr_odt_pin(odt),
    .ddr_a_pin(a), .ddr_ba_pin(ba), .ddr_dm_pin(dm), .ddr_dq_pin(dq), .ddr_dqs_pin(dqs),
    .ddr_vccio_pin(vccio), .ddr_gnd_pin(gnd)
  );

  logic dqs_driven;  // the models of the cells ask
  logic [15:0] dq_here;
  logic [1:0] dqs_here;
  qsm_ddr3_way u_way (
    .quarter_i(quarter_pin), .quarters_i(4'(WayQuarters)), .dq_to_chip_i(!u_top.dq_oe_n[0]),
    .dq_to_chip_data_i(u_top.dq_out), .dqs_to_chip_i(!u_top.dqs_oe_n[0]),
    .dqs_to_chip_data_i(u_top.dqs_out), .chip_dq_oe_i(chip_dq_oe), .chip_dq_i(chip_dq),
    .chip_dqs_oe_i(chip_dqs_oe), .chip_dqs_i(chip_dqs), .dq_o(dq_here), .dqs_o(dqs_here),
    .dqs_driven_o(dqs_driven)
  );
  assign dq = u_top.dq_oe_n[0] ? dq_here : 'z;
  assign dqs = u_top.dqs_oe_n[0] ? dqs_here : 'z;
  qsm_ddr3_chip #(.RowW(RowW), .ClkPs(ClkPs)) u_chip (
    .quarter_i(quarter_pin), .reset_ni(reset_n), .clk_i(ddr_clk), .cke_i(cke), .cs_ni(cs_n),
    .ras_ni(ras_n), .cas_ni(cas_n), .we_ni(we_n), .a_i(a), .ba_i(ba), .dm_i({dm[0], dm[1]}),
    .dq_i(dq), .dq_driven_i(!u_top.dq_oe_n[0]), .dqs_i(dqs), .dqs_driven_i(!u_top.dqs_oe_n[0]),
    .dq_o(chip_dq), .dq_oe_o(chip_dq_oe), .dqs_o(chip_dqs), .dqs_oe_o(chip_dqs_oe)
  );
  logic unused;
  assign unused = ^{odt, vccio, gnd};
endmodule
