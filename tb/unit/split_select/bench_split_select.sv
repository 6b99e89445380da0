// SPDX-License-Identifier: Apache-2.0
// qsm_split_select with plain ports for the unit bench: an element per lane.
module bench_split_select
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic [31:0] params_o [4],  // WarpsPerSched, WarpSize, ProgressLimit, DepthW
  input  logic [31:0] alive_i,
  input  logic        start_valid_i,
  input  logic [31:0] start_slot_i,
  input  logic        sel1_valid_i,
  input  logic [31:0] sel1_warp_i,
  input  logic [31:0] sel1_cand_i,
  input  logic [31:0] sel1_pc_i [WarpSize],
  input  logic [31:0] sel1_depth_i [WarpSize],
  input  logic        step_reads_i,
  input  logic [31:0] step_lane_i,
  output logic [31:0] path_o [5],    // set, warp, pc, depth, mask
  output logic [31:0] reconv_o [4]   // set, warp, valid, pc
);
  assign params_o = '{WarpsPerSched, WarpSize, ProgressLimit, DepthW};

  lanes_t                          pc;
  logic [WarpSize-1:0][DepthW-1:0] depth;
  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    assign pc[l]    = sel1_pc_i[l];
    assign depth[l] = DepthW'(sel1_depth_i[l]);
  end

  logic             split_set, reconv_set, reconv_valid;
  logic [WarpW-1:0] split_warp, reconv_warp;
  logic [31:0]      reconv_pc;
  split_t            split;
  assign path_o  = '{32'(split_set), 32'(split_warp), split.pc, 32'(split.depth), 32'(split.mask)};
  assign reconv_o = '{32'(reconv_set), 32'(reconv_warp), 32'(reconv_valid), reconv_pc};

  qsm_split_select u_select (
    .clk_i, .rst_ni, .alive_i(WarpsPerSched'(alive_i)), .start_valid_i,
    .start_slot_i(WarpW'(start_slot_i)),
    .sel1_valid_i, .sel1_set_i(WarpsPerSched'(1) << WarpW'(sel1_warp_i)),
    .sel1_warp_i(WarpW'(sel1_warp_i)), .sel1_cand_i(mask_t'(sel1_cand_i)),
    .sel1_pc_i(pc), .sel1_depth_i(depth),
    .step_reads_i, .step_lane_i(mask_t'(1) << step_lane_i[LaneW-1:0]),
    .split_set_o(split_set), .split_warp_o(split_warp), .path_o(split),
    .reconv_set_o(reconv_set), .reconv_warp_o(reconv_warp), .reconv_valid_o(reconv_valid),
    .reconv_pc_o(reconv_pc)
  );
endmodule
