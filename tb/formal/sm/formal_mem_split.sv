// SPDX-License-Identifier: Apache-2.0
// qsm_mem_split: one place for each address, whatever the split; a part in its own channels, its
// lines in turn (R-XB-6).
module formal_mem_split #(
  parameter int unsigned MemBits = 28,
  parameter int unsigned LineBits = 7,
  parameter int unsigned ChanBits = 3,
  localparam int unsigned SplitW = $clog2(ChanBits + 1)
) (
  input logic              clk_i,
  input logic [SplitW-1:0] split_i,
  input logic [31:0]       addr_i,
  input logic [31:0]       other_i
);
  logic [31:0] place, other_place;
  qsm_mem_split #(.MemBits(MemBits), .LineBits(LineBits), .ChanBits(ChanBits)) u_dut (
    .split_i, .addr_i, .addr_o(place)
  );
  qsm_mem_split #(.MemBits(MemBits), .LineBits(LineBits), .ChanBits(ChanBits)) u_other (
    .split_i, .addr_i(other_i), .addr_o(other_place)
  );

  // Number of the part and of the line in it; of the channel, and how many a part has.
  localparam logic [31:0] Memory = (32'd1 << MemBits) - 32'd1;
  logic [31:0] part, line, channel, channels;
  always_comb begin
    part = (addr_i & Memory) >> (MemBits - 32'(split_i));
    line = (addr_i & (Memory >> split_i)) >> LineBits;
    channels = 32'd1 << (ChanBits - 32'(split_i));
    channel = (place >> LineBits) & ((32'd1 << ChanBits) - 32'd1);
  end

  always_ff @(posedge clk_i) begin
    assume (32'(split_i) <= ChanBits);
    if (addr_i != other_i) one_to_one: assert (place != other_place);
    own_channels: assert (channel >> (ChanBits - 32'(split_i)) == part);
    in_turn: assert ((channel & (channels - 32'd1)) == (line & (channels - 32'd1)));
    rows: assert ((place & Memory) >> (LineBits + ChanBits) == line >> (ChanBits - 32'(split_i)));
    rest: assert ((place & ~Memory) == (addr_i & ~Memory) &&
        (place & ((32'd1 << LineBits) - 32'd1)) == (addr_i & ((32'd1 << LineBits) - 32'd1)));
    if (split_i == '0) whole: assert (place == addr_i);
    last_part: cover (split_i == SplitW'(ChanBits) && channel == (32'd1 << ChanBits) - 32'd1 &&
        line == 32'd5);
  end
endmodule
