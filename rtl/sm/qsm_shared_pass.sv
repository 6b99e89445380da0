// SPDX-License-Identifier: Apache-2.0
// Shared pass of the load/store unit: which lanes take part, and the row of each bank. docs/lsu.md
// (R-LS-7).
// Purely combinational. Rows are physical; bank = word address mod WarpSize.
// Cost: per bank a leader pick and a multiplexer of its row; per lane one of the banks' rows and a
// comparator.
module qsm_shared_pass
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  mask_t rem_i,     // shared lanes that remain
  input  logic  load_i,    // loads share a row; stores and atomics are the leaders'
  input  logic [WarpSize-1:0][RowW-1:0]  row_i,
  input  logic [WarpSize-1:0][LaneW-1:0] bank_i,
  output mask_t joined_o,
  output mask_t bank_used_o,
  output logic [WarpSize-1:0][RowW-1:0] row_o
);
  mask_t leader;  // by lane: it is the leader of its bank
  mask_t [WarpSize-1:0] leader_of;  // by bank, one-hot
  for (genvar b = 0; b < WarpSize; b++) begin : g_bank
    mask_t on_bank;
    always_comb begin
      for (int unsigned l = 0; l < WarpSize; l++) on_bank[l] = rem_i[l] && bank_i[l] == LaneW'(b);
    end
    assign leader_of[b]   = on_bank & (~on_bank + 1'b1);
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

  always_comb begin
    leader = '0;
    for (int unsigned b = 0; b < WarpSize; b++) leader |= leader_of[b];
  end
  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    assign joined_o[l] = rem_i[l] && (load_i ? row_o[bank_i[l]] == row_i[l] : leader[l]);
  end
endmodule
