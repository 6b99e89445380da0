// SPDX-License-Identifier: Apache-2.0
// Bench top: qsm_fp_div with the decoder before it and its structs taken apart.
module bench_fp_div
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         start_i,
  input  logic [31:0]  instr_i,
  input  lanes_t       a_i,
  input  lanes_t       b_i,
  input  logic [7:0]   tag_i,    // stands for warp, rd, mask and entry
  input  logic         pop_i,
  output logic         ready_o,
  output logic [7:0]   tag_o,
  output lanes_t       data_o
);
  dec_t dec;
  wb_t result;
  logic [SbW-1:0] entry;
  qsm_decode #(.Fpu(1)) u_decode (.instr_i, .dec_o(dec));
  qsm_fp_div dut (
    .clk_i, .rst_ni, .start_i, .fp_i(dec.fp), .a_i, .b_i, .warp_i(tag_i[WarpW-1:0]),
    .rd_i(tag_i[4:0]), .mask_i(mask_t'(tag_i)),
    .entry_i(tag_i[SbW-1:0]), .ready_o, .result_o(result), .entry_o(entry), .pop_i
  );
  assign data_o = result.data;
  // What went in, unless the parts do not agree.
  logic [7:0] tag;
  assign tag = {3'd0, result.rd};
  assign tag_o = (result.valid == ready_o && result.warp == tag[WarpW-1:0] &&
      entry == tag[SbW-1:0] && result.mask == mask_t'(tag)) ? tag : '1;
endmodule
