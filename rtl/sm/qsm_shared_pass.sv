// SPDX-License-Identifier: Apache-2.0
// Shared pass of the load/store unit: which lanes take part, and what each bank does. docs/lsu.md (R-LS-7).
// Purely combinational. Rows are physical; bank = word address mod WarpSize.
// Cost: per bank a leader pick and an AND-OR of its row and data; per lane one row comparator.
module qsm_shared_pass
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  mask_t      rem_i,     // shared lanes that remain
  input  mem_type_e  kind_i,
  input  logic [WarpSize-1:0][RowW-1:0]  row_i,
  input  logic [WarpSize-1:0][LaneW+1:0] byte_i,  // byte of the row: bank, byte in the word
  input  lanes_t     data_i,
  input  logic [1:0] size_i,    // log2 of the access size in bytes
  output mask_t      joined_o,
  output mask_t      bank_used_o,
  output logic [WarpSize-1:0][RowW-1:0] row_o,
  output bytes_t     strobe_o,  // bytes of each bank that its leader covers
  output lanes_t     data_o     // leader's data, at its place in the word
);
  logic [WarpSize-1:0][LaneW-1:0] bank;
  mask_t leader;  // by lane: it is the leader of its bank
  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    assign bank[l] = byte_i[l][2 +: LaneW];
    assign joined_o[l] = rem_i[l] && ((kind_i == MemRead) ? row_o[bank[l]] == row_i[l] : leader[l]);
  end

  mask_t [WarpSize-1:0] leader_of;  // by bank, one-hot
  for (genvar b = 0; b < WarpSize; b++) begin : g_bank
    mask_t on_bank;
    always_comb begin
      for (int unsigned l = 0; l < WarpSize; l++) on_bank[l] = rem_i[l] && bank[l] == LaneW'(b);
    end
    assign leader_of[b]   = on_bank & (~on_bank + 1'b1);
    assign bank_used_o[b] = on_bank != '0;
    always_comb begin
      row_o[b]           = '0;
      strobe_o[4*b +: 4] = '0;
      data_o[b]          = '0;
      for (int unsigned l = 0; l < WarpSize; l++) begin
        if (leader_of[b][l]) begin
          row_o[b]           |= row_i[l];
          strobe_o[4*b +: 4] |= lane_strobe(byte_i[l][1:0], size_i);
          data_o[b]          |= lane_word(data_i[l], size_i);
        end
      end
    end
  end

  always_comb begin
    leader = '0;
    for (int unsigned b = 0; b < WarpSize; b++) leader |= leader_of[b];
  end
endmodule
