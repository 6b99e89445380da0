// SPDX-License-Identifier: Apache-2.0
// Where a line lies in a memory that is cut into 2^split parts, each in channels of its own: the
// part's number moves down to where the channel is chosen. Combinational, one to one for each
// split. Contract: docs/xbar.md R-XB-6.
module qsm_mem_split #(
  parameter int unsigned MemBits = 20,   // log2 of the bytes that are divided, 0: nothing is
  parameter int unsigned LineBits = 4,   // log2 of a line's bytes
  parameter int unsigned ChanBits = 1,   // log2 of the channels; MemBits above LineBits + ChanBits
  localparam int unsigned SplitW = (ChanBits != 0) ? $clog2(ChanBits + 1) : 1
) (
  input  logic [SplitW-1:0] split_i,  // 0..ChanBits
  input  logic [31:0]       addr_i,
  output logic [31:0]       addr_o
);
  localparam int unsigned Low = LineBits + ChanBits;  // bits that choose byte and channel
  if (MemBits != 0) begin : g_split
    // The bits from Low - split up to MemBits, turned left by split.
    always_comb begin
      addr_o = addr_i;
      for (int unsigned v = 1; v <= ChanBits; v++) begin
        if (split_i == SplitW'(v)) begin
          for (int unsigned i = LineBits; i < MemBits; i++) begin
            if (i >= Low) addr_o[i] = addr_i[i - v];
            else if (i >= Low - v) addr_o[i] = addr_i[MemBits - Low + i];
          end
        end
      end
    end
  end else begin : g_whole
    assign addr_o = addr_i;
    logic unused_split;
    assign unused_split = ^split_i;
  end
endmodule
