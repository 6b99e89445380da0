// SPDX-License-Identifier: Apache-2.0
// Data of an L1: one line is read and one written per cycle, never the same (docs/l1.md R-L1-3,
// R-L1-6, R-L1-7).
// Latency: data_o is what was read in the previous cycle. Cost: Lines x BytesPerLine of block RAM.
module qsm_l1_data #(
  parameter int unsigned Lines = 64,
  parameter int unsigned BytesPerLine = 16,
  localparam int unsigned AddrW = (Lines > 1) ? $clog2(Lines) : 1
) (
  input  logic                   clk_i,
  input  logic                   read_i,
  input  logic [AddrW-1:0]       read_addr_i,
  output logic [8*BytesPerLine-1:0] data_o,
  input  logic [BytesPerLine-1:0]   write_i,  // by byte
  input  logic [AddrW-1:0]       write_addr_i,
  input  logic [8*BytesPerLine-1:0] data_i
);
  for (genvar w = 0; w < BytesPerLine / 4; w++) begin : g_word
    (* no_rw_check *) logic [3:0][7:0] word_mem[Lines];
    always_ff @(posedge clk_i) begin
      for (int unsigned b = 0; b < 4; b++)
        if (write_i[4*w+b]) word_mem[write_addr_i][b] <= data_i[32*w+8*b +: 8];
      if (read_i) data_o[32*w +: 32] <= word_mem[read_addr_i];
    end
  end
endmodule
