// SPDX-License-Identifier: Apache-2.0
// The ULX3S for simulation: the top, and the SDRAM chip at its pins. The PLL's clocks come from
// outside, as Verilator knows no time; the model of the PLL checks them.
module qsm_ulx3s_sim #(
  parameter int unsigned ClkfbDiv = 2,
  parameter int unsigned ClkopDiv = 12,
  parameter int unsigned Baud = 2_000_000,
  parameter logic [31:0] BuildId = '0
) (
  input  logic       clk_pin,
  input  logic       pll_clk_pin,
  input  logic       pll_second_pin,
  input  logic       reset_n_pin,
  input  logic       rx_pin,
  output logic       tx_pin,
  output logic [7:0] led_pin
);
  localparam int unsigned ClkPs = 40_000 / ClkfbDiv;
  logic sdram_clk, cke, cs_n, ras_n, cas_n, we_n, chip_oe;
  logic [12:0] a;
  logic [1:0] ba, dm;
  logic [15:0] chip_dq;
  wire [15:0] dq;
  qsm_ulx3s_top #(
    .ClkfbDiv(ClkfbDiv), .ClkopDiv(ClkopDiv), .Baud(Baud), .BuildId(BuildId)
  ) u_top (
    .clk_pin, .reset_n_pin, .rx_pin, .tx_pin, .led_pin,
    .sdram_clk_pin(sdram_clk), .sdram_cke_pin(cke), .sdram_cs_n_pin(cs_n),
    .sdram_ras_n_pin(ras_n), .sdram_cas_n_pin(cas_n), .sdram_we_n_pin(we_n), .sdram_a_pin(a),
    .sdram_ba_pin(ba), .sdram_dm_pin(dm), .sdram_d_pin(dq)
  );
  assign dq = chip_oe ? chip_dq : 'z;
  qsm_sdram_chip #(.ClkPs(ClkPs)) u_chip (
    .clk_i(sdram_clk), .cke_i(cke), .cs_ni(cs_n), .ras_ni(ras_n), .cas_ni(cas_n), .we_ni(we_n),
    .a_i(a), .ba_i(ba), .dm_i(dm), .dq_i(dq), .dq_driven_i(!u_top.dq_oe_n[0]), .dq_o(chip_dq),
    .dq_oe_o(chip_oe)
  );
endmodule
