// SPDX-License-Identifier: Apache-2.0
// Device pass of the load/store unit: the lanes that share the leader's line, and their request.
// docs/lsu.md (R-LS-5, R-LS-6). Purely combinational.
// Cost: one line comparator per lane; a store crossbar of WarpSize words by WarpSize lanes, all of it AND-OR.
module qsm_coalesce
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  mask_t     rem_i,     // device lanes that remain, not 0
  input  mem_type_e kind_i,
  input  lanes_t    addr_i,
  input  lanes_t    data_i,
  input  logic [1:0] size_i,   // log2 of the access size in bytes
  output mask_t     joined_o,
  output logic [31:0] line_o,  // line address
  output bytes_t    bytes_o,   // 0 for loads
  output lanes_t    data_o     // 0 where bytes_o is 0
);
  mask_t leader;
  assign leader = rem_i & (~rem_i + 1'b1);

  always_comb begin
    line_o = '0;
    for (int unsigned l = 0; l < WarpSize; l++) begin
      if (leader[l]) line_o |= {addr_i[l][31:LineOffW], LineOffW'(0)};
    end
  end

  always_comb begin
    for (int unsigned l = 0; l < WarpSize; l++) begin
      joined_o[l] = rem_i[l] && addr_i[l][31:LineOffW] == line_o[31:LineOffW];
    end
    if (kind_i == MemAmo) joined_o = leader;
  end

  // Store lanes of a word, highest first: the first that has the byte wins it.
  for (genvar w = 0; w < WarpSize; w++) begin : g_word
    mask_t       hit;
    logic [3:0]  strobe;
    logic [31:0] word;
    always_comb begin
      strobe = '0;
      word   = '0;
      for (int unsigned l = 0; l < WarpSize; l++) begin
        hit[l] = kind_i != MemRead && joined_o[l] && addr_i[l][LineOffW-1:2] == LaneW'(w);
      end
      for (int unsigned l = WarpSize; l-- > 0;) begin
        logic [3:0] win;
        win    = hit[l] ? lane_strobe(addr_i[l][1:0], size_i) & ~strobe : 4'd0;
        strobe = strobe | win;
        word   = word | (lane_word(data_i[l], size_i) & {{8{win[3]}}, {8{win[2]}}, {8{win[1]}}, {8{win[0]}}});
      end
    end
    assign bytes_o[4*w +: 4] = strobe;
    assign data_o[w]         = word;
  end
endmodule
