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

  logic [31:LineOffW] line;
  always_comb begin
    line = '0;
    for (int unsigned l = 0; l < WarpSize; l++) begin
      if (leader[l]) line |= line_i[l];
    end
    for (int unsigned l = 0; l < WarpSize; l++) begin
      joined_o[l] = alone_i ? leader[l] : rem_i[l] && line_i[l] == line;
    end
  end
  assign line_o = {line, LineOffW'(0)};
endmodule
