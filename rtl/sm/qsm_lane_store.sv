// SPDX-License-Identifier: Apache-2.0
// Lane store: pc and call depth of the lanes that are not on their warp's split, per warp and lane.
// Doc: docs/warp_state.md.
// One write (resolve) and one asynchronous read (SEL1, or a step of the SM's sequencer) per cycle:
// distributed RAM per lane, not reset.
//
// Observed by the lockstep monitor: g_lane[l].mem, index warp (full state).
module qsm_lane_store
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic              clk_i,
  input  mask_t             write_i,        // lanes
  input  logic [WarpW-1:0]  write_warp_i,
  input  lanes_t            write_pc_i,
  input  logic [WarpSize-1:0][DepthW-1:0] write_depth_i,
  input  logic [WarpW-1:0]  read_warp_i,
  output lanes_t            read_pc_o,
  output logic [WarpSize-1:0][DepthW-1:0] read_depth_o
);
  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    logic [DepthW+30:0] mem[1 << WarpW];  // {depth, pc without bit 0, which is 0}
    always_ff @(posedge clk_i)
      if (write_i[l]) mem[write_warp_i] <= {write_depth_i[l], write_pc_i[l][31:1]};
    assign {read_depth_o[l], read_pc_o[l]} = {mem[read_warp_i], 1'b0};
`ifndef SYNTHESIS
    a_even: assert property (@(posedge clk_i) write_i[l] |-> !write_pc_i[l][0])
      else $error("I-DIV-1: an odd pc");
`endif
  end
endmodule
