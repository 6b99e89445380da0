// SPDX-License-Identifier: Apache-2.0
// Shared pass of the load/store unit: which banks are used, and the row of each. docs/lsu.md
// (R-LS-7). Which lanes take part, qsm_coalesce says.
// Purely combinational. Rows are physical; bank = word address mod WarpSize.
// Cost: per bank a leader pick and a multiplexer of its row.
module qsm_shared_pass
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  mask_t rem_i,     // shared lanes that remain
  input  logic [WarpSize-1:0][RowW-1:0]  row_i,
  input  logic [WarpSize-1:0][LaneW-1:0] bank_i,
  output mask_t bank_used_o,
  output logic [WarpSize-1:0][RowW-1:0] row_o
);
  for (genvar b = 0; b < WarpSize; b++) begin : g_bank
    mask_t on_bank;
    always_comb begin
      for (int unsigned l = 0; l < WarpSize; l++) on_bank[l] = rem_i[l] && bank_i[l] == LaneW'(b);
    end
    assign bank_used_o[b] = on_bank != '0;
    logic [LaneW-1:0] leader_lane;
    always_comb begin
      leader_lane = '0;
      for (int l = int'(WarpSize) - 1; l >= 0; l--) begin
        if (on_bank[l]) leader_lane = LaneW'(l);
      end
    end
    assign row_o[b] = row_i[leader_lane];
  end
endmodule
