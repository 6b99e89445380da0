// SPDX-License-Identifier: Apache-2.0
// Bench top: qsm_div with its struct taken apart.
module bench_div
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         start_i,
  input  logic [1:0]   funct_i,
  input  lanes_t       a_i,
  input  lanes_t       b_i,
  input  mask_t        mask_i,
  input  logic [4:0]   tag_i,    // stands for warp, rd and entry
  input  logic         next_i,
  input  logic         pop_i,
  output logic         ready_o,
  output logic [4:0]   tag_o,
  output mask_t        mask_o,
  output lanes_t       data_o
);
  wb_t result;
  logic [SbW-1:0] entry;
  qsm_div dut (
    .clk_i, .rst_ni, .start_i, .funct_i, .a_i, .b_i, .warp_i(tag_i[WarpW-1:0]), .rd_i(tag_i),
    .mask_i, .entry_i(tag_i[SbW-1:0]), .ready_o, .next_i, .result_o(result), .entry_o(entry), .pop_i
  );
  assign data_o = result.data;
  assign mask_o = result.mask;
  // What went in, unless the parts do not agree.
  assign tag_o = (result.valid == ready_o && result.warp == result.rd[WarpW-1:0] &&
      entry == result.rd[SbW-1:0]) ? result.rd : ~result.rd;
endmodule
