// SPDX-License-Identifier: Apache-2.0
// Device pass of the load/store unit: the lanes that share the leader's line. docs/lsu.md (R-LS-5).
// Purely combinational.
// Cost: one line comparator per lane.
module qsm_coalesce
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  mask_t       rem_i,     // device lanes that remain, not 0
  input  logic        alone_i,   // atomics: the leader alone
  input  logic [WarpSize-1:0][31:LineOffW] line_i,  // line number of each lane
  output mask_t       joined_o,
  output logic [31:0] line_o     // line address
);
  mask_t leader;
  assign leader = rem_i & (~rem_i + 1'b1);

  // Selected by the number of the leader: a multiplexer is smaller than an AND-OR here.
  logic [LaneW-1:0]   leader_lane;
  logic [31:LineOffW] line;
  assign line = line_i[leader_lane];
  always_comb begin
    leader_lane = '0;
    for (int l = int'(WarpSize) - 1; l >= 0; l--) begin
      if (rem_i[l]) leader_lane = LaneW'(l);
    end
  end
  always_comb begin  // separate from the signal above, which does not depend on the line
    for (int unsigned l = 0; l < WarpSize; l++) begin
      joined_o[l] = alone_i ? leader[l] : rem_i[l] && line_i[l] == line;
    end
  end
  assign line_o = {line, LineOffW'(0)};
endmodule
