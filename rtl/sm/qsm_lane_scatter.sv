// SPDX-License-Identifier: Apache-2.0
// Store data of a pass, from lanes to words: the words of a line for a device pass, the banks for a
// shared one.
// docs/lsu.md (R-LS-6, R-LS-7, I-MEM-4). Purely combinational.
// Cost: a multiplexer of WarpSize bytes per byte.
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
  output lanes_t     data_o    // undefined where bytes_o is 0
);
  logic [WarpSize-1:0][3:0] strobe;
  lanes_t                   placed;
  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    assign strobe[l] = lanes_i[l] ? lane_strobe(offs_i[l][1:0], size_i) : 4'd0;
    assign placed[l] = lane_word(data_i[l], size_i);
  end

  // Of each byte the lane that gives it: a multiplexer by its number is smaller than an AND-OR.
  for (genvar w = 0; w < WarpSize; w++) begin : g_word
    for (genvar b = 0; b < 4; b++) begin : g_byte
      logic [LaneW-1:0] winner;  // the highest lane
      always_comb begin
        {bytes_o[4*w + b], winner} = 'x;
        if (valid_i) begin
          bytes_o[4*w + b] = 1'b0;
          winner = '0;
          for (int unsigned l = 0; l < WarpSize; l++) begin
            if (strobe[l][b] && offs_i[l][LineOffW-1:2] == LaneW'(w)) begin
              bytes_o[4*w + b] = 1'b1;
              winner = LaneW'(l);
            end
          end
        end
      end
      assign data_o[w][8*b +: 8] = placed[winner][8*b +: 8];
    end
  end
endmodule
