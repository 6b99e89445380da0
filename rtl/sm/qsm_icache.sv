// SPDX-License-Identifier: Apache-2.0
// Instruction cache of a sub-core: direct mapped, ICacheLines lines of LineBytes. Doc:
// docs/subcore.md (Fetch, R-FE-2, R-FE-6).
// A read in cycle t (F1) gives, in t+1, tag match and line as they were at the start of t, if the
// line is valid at the start of t+1. Lines, what their words are, and tags lie in block RAM, and
// what is read in the cycle of a fill is not used: F1 pauses then. Valid bits lie in distributed
// RAM, in rows; a flip-flop per row says that it counts, so that all lines can be dropped at once.
// The row of a fill is that of its miss, with its own bit.
// Contract: between a miss and its fill there is no other fill, and no fill of a miss before an
// inv_i.
module qsm_icache
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [31:0] read_pc_i,     // F1
  output logic        hit_o,         // F2
  output logic [63:0] packet_o,      // F2: the aligned 8 bytes around the pc
  output kind_t [1:0] kinds_o,       // F2: what these two words are
  input  logic        miss_i,        // F2: the line of the pc is filled next
  input  logic        inv_i,         // no line is valid at the end of this cycle; wins over a fill
  input  logic        fill_i,        // no read in this cycle counts
  input  logic [31:0] fill_addr_i,   // line address
  input  lanes_t      fill_data_i,
  input  kinds_t      fill_kinds_i   // what its words are
);
  localparam int unsigned IdxW = $clog2(ICacheLines);
  localparam int unsigned TagBits = 32 - LineOffW - IdxW;
  localparam int unsigned Packets = LineBytes / 8;

  typedef struct packed {
    logic [TagBits-1:0] tag;
    kinds_t kinds;
    lanes_t data;
  } line_t;

  (* no_rw_check, ram_style = "block" *) line_t line_mem[ICacheLines];

  localparam int unsigned LineRowW = (IdxW < 4) ? IdxW : 4;
  localparam int unsigned RowLines = ICacheLines >> LineRowW;
  typedef logic [RowLines-1:0] row_t;
  row_t valid_mem[1 << LineRowW];
  logic [(1 << LineRowW)-1:0] used_q;  // the row counts
  row_t valid_row, own, fill_row_q;

  logic [IdxW-1:0] read_idx, fill_idx, read_idx_q;
  logic [31:0] read_pc_q;
  line_t line_q;

  assign read_idx = read_pc_i[LineOffW +: IdxW];
  assign read_idx_q = read_pc_q[LineOffW +: IdxW];
  assign fill_idx = fill_addr_i[LineOffW +: IdxW];

  always_ff @(posedge clk_i) begin
    if (fill_i) begin
      line_mem[fill_idx] <= '{tag: fill_addr_i[31 -: TagBits], kinds: fill_kinds_i,
          data: fill_data_i};
    end
    line_q <= line_mem[read_idx];
  end

  // A line's row is the low bits of its index.
  assign valid_row = used_q[read_idx_q[LineRowW-1:0]] ? valid_mem[read_idx_q[LineRowW-1:0]] : '0;
  assign own = row_t'(1) << (32'(read_idx_q) >> LineRowW);

  always_ff @(posedge clk_i) begin
    if (miss_i) fill_row_q <= (inv_i ? '0 : valid_row) | own;
    if (fill_i) valid_mem[fill_idx[LineRowW-1:0]] <= fill_row_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
      read_pc_q <= '0;
    end else begin
      if (fill_i) used_q[fill_idx[LineRowW-1:0]] <= 1'b1;
      if (inv_i) used_q <= '0;
      read_pc_q <= read_pc_i;
    end
  end

  logic [Packets-1:0][63:0] packets;
  kind_t [Packets-1:0][1:0] kinds;
  assign packets = line_q.data;
  assign kinds = line_q.kinds;
  assign hit_o = (valid_row & own) != '0 && line_q.tag == read_pc_q[31 -: TagBits];
  if (Packets == 1) begin : g_one
    assign packet_o = packets;
    assign kinds_o = kinds;
  end else begin : g_many
    assign packet_o = packets[read_pc_q[LineOffW-1:3]];
    assign kinds_o = kinds[read_pc_q[LineOffW-1:3]];
  end

  logic unused_pc;
  assign unused_pc = ^{read_pc_q[LineOffW-1:0], fill_addr_i[LineOffW-1:0]};
endmodule
