// SPDX-License-Identifier: Apache-2.0
// qsm_select with plain ports for the unit bench: an element per lane.
module tb_select
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
  output logic [31:0] path_o [5],    // set, warp, pc, depth, mask
  output logic [31:0] merge_o [4]    // set, warp, valid, pc
);
  assign params_o = '{WarpsPerSched, WarpSize, ProgressLimit, DepthW};

  lanes_t                          pc;
  logic [WarpSize-1:0][DepthW-1:0] depth;
  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    assign pc[l]    = sel1_pc_i[l];
    assign depth[l] = DepthW'(sel1_depth_i[l]);
  end

  logic             path_set, merge_set, merge_valid;
  logic [WarpW-1:0] path_warp, merge_warp;
  logic [31:0]      merge_pc;
  path_t            path;
  assign path_o  = '{32'(path_set), 32'(path_warp), path.pc, 32'(path.depth), 32'(path.mask)};
  assign merge_o = '{32'(merge_set), 32'(merge_warp), 32'(merge_valid), merge_pc};

  qsm_select u_select (
    .clk_i, .rst_ni, .alive_i(WarpsPerSched'(alive_i)), .start_valid_i,
    .start_slot_i(WarpW'(start_slot_i)),
    .sel1_valid_i, .sel1_warp_i(WarpW'(sel1_warp_i)), .sel1_cand_i(mask_t'(sel1_cand_i)),
    .sel1_pc_i(pc), .sel1_depth_i(depth),
    .path_set_o(path_set), .path_warp_o(path_warp), .path_o(path),
    .merge_set_o(merge_set), .merge_warp_o(merge_warp), .merge_valid_o(merge_valid),
    .merge_pc_o(merge_pc)
  );
endmodule
