// SPDX-License-Identifier: Apache-2.0
// Top of any board with an ECP5: an oscillator, a serial line and, if it has them, a button and
// LEDs. Memory is block RAM, so there is nothing to connect and nothing to start. Constraints, for
// an example: blockram_ulx3s.lpf. Contract: docs/board.md.
module qsm_blockram_top
  import qsm_cfg_pkg::*;
#(
  parameter int unsigned ClkHz = 25_000_000,  // the oscillator's: there is no PLL
  parameter int unsigned Baud = 1_000_000,
  parameter logic [31:0] BuildId = '0,
  parameter int unsigned MemBytes = 262_144,
  parameter int unsigned MemLatency = 8
) (
  input  logic       clk_pin,
  input  logic       reset_n_pin,  // a button; open: not pressed
  input  logic       rx_pin,       // from the host
  output logic       tx_pin,
  output logic [2:0] led_pin       // busy, GPU runs, interrupt
);
  logic rst_n, gpu_clk, gpu_en, gpu_rst_n;
  qsm_board_reset u_reset (.clk_i(clk_pin), .async_ni(reset_n_pin), .rst_no(rst_n));
  DCCA u_gate (.CLKI(clk_pin), .CE(gpu_en), .CLKO(gpu_clk));
  SGSR u_gpu_reset (.CLK(clk_pin), .GSR(gpu_rst_n));  // R-BD-3

  qsm_board_bram #(
    .ClkHz(ClkHz), .Baud(Baud), .BuildId(BuildId), .MemBytes(MemBytes), .MemLatency(MemLatency)
  ) u_board (
    .clk_i(clk_pin), .rst_ni(rst_n), .gpu_clk_i(gpu_clk), .gpu_en_o(gpu_en),
    .gpu_rst_no(gpu_rst_n), .rx_i(rx_pin), .tx_o(tx_pin), .busy_o(led_pin[0]), .irq_o(led_pin[2])
  );
  assign led_pin[1] = gpu_en;
endmodule
