// SPDX-License-Identifier: Apache-2.0
// Store data of a pass, from lanes to words: the words of a line for a device pass, the banks for a
// shared one.
// docs/lsu.md (R-LS-6, R-LS-7, I-MEM-4). Purely combinational.
// Cost: a crossbar of WarpSize words by WarpSize lanes, AND-OR.
module qsm_lane_scatter
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic       valid_i,  // else the result is undefined
  input  mask_t      lanes_i,  // lanes that take part
  input  logic [WarpSize-1:0][LineOffW-1:0] offs_i,  // of each lane in the line or row
  input  lanes_t     data_i,
  input  logic [1:0] size_i,   // log2 of the access size in bytes
  output bytes_t     bytes_o,
  output lanes_t     data_o    // 0 where bytes_o is 0
);
  logic [WarpSize-1:0][3:0] strobe;
  lanes_t                   placed;
  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    assign strobe[l] = lanes_i[l] ? lane_strobe(offs_i[l][1:0], size_i) : 4'd0;
    assign placed[l] = lane_word(data_i[l], size_i);
  end

  // {bytes, word} from the highest lane down: the first that has the byte wins it.
  function automatic logic [35:0] gathered(input logic [LaneW-1:0] w);
    logic [WarpSize-1:0][3:0] here;
    logic [3:0]  bytes, taken, win;
    logic [31:0] word;
    bytes = '0;  // apart from taken, which comes lane by lane
    for (int l = 0; l < int'(WarpSize); l++) begin
      here[l] = (offs_i[l][LineOffW-1:2] == w) ? strobe[l] : 4'd0;
      bytes   = bytes | here[l];
    end
    taken = '0;
    word  = '0;
    for (int l = int'(WarpSize) - 1; l >= 0; l--) begin
      win   = here[l] & ~taken;
      taken = taken | here[l];
      word  = word | (placed[l] & {{8{win[3]}}, {8{win[2]}}, {8{win[1]}}, {8{win[0]}}});
    end
    return {bytes, word};
  endfunction

  for (genvar w = 0; w < WarpSize; w++) begin : g_word
    always_comb begin
      {bytes_o[4*w +: 4], data_o[w]} = 'x;
      if (valid_i) {bytes_o[4*w +: 4], data_o[w]} = gathered(LaneW'(w));
    end
  end
endmodule
