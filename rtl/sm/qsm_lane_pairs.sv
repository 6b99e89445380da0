// SPDX-License-Identifier: Apache-2.0
// Which lanes of a memory instruction are in the same bank and line, for qsm_coalesce. docs/lsu.md
// (R-LS-5, R-LS-7). Purely combinational: in stage N, so that C begins with one bit per pair.
// Cost: one line comparator per pair of lanes.
module qsm_lane_pairs
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic   valid_i,                       // else the result is undefined
  input  lanes_t addr_i,
  // of each lane, those of the lanes below it
  output mask_t [WarpSize-1:0] same_bank_o,
  output mask_t [WarpSize-1:0] same_line_o
);
  always_comb begin
    {same_bank_o, same_line_o} = 'x;
    if (valid_i) begin
      {same_bank_o, same_line_o} = '0;
      for (int unsigned l = 1; l < WarpSize; l++) begin
        for (int unsigned i = 0; i < l; i++) begin
          same_bank_o[l][i] = addr_i[i][2 +: LaneW] == addr_i[l][2 +: LaneW];
          same_line_o[l][i] = addr_i[i][31:LineOffW] == addr_i[l][31:LineOffW];
        end
      end
    end
  end

  logic unused;
  assign unused = ^addr_i;
endmodule
