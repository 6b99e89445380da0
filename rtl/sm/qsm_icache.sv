// SPDX-License-Identifier: Apache-2.0
// Instruction cache of a sub-core: direct mapped, ICacheLines lines of LineBytes. Doc: docs/subcore.md (Fetch, R-FE-2, R-FE-6).
// A read in cycle t (F1) gives, in t+1, tag match and line as they were at the start of t: a fill or invalidation in t is not seen.
// A line is held for a cycle before it is written, and a read in that cycle is given the held one: so a read in the cycle of the fill finds
// the old line still there, and the block RAM is never read where it is written.
// Cost: block RAM for the lines, a register of one line, distributed RAM for the tags, a valid bit per line in flip-flops.
module qsm_icache
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [31:0] read_pc_i,     // F1
  output logic        hit_o,         // F2
  output logic [63:0] packet_o,      // F2: the aligned 8 bytes around the pc
  input  logic        inv_i,         // no line is valid at the end of this cycle; wins over a fill
  input  logic        fill_i,
  input  logic [31:0] fill_addr_i,   // line address, stays for a cycle after the fill
  input  lanes_t      fill_data_i
);
  localparam int unsigned IdxW = $clog2(ICacheLines);
  localparam int unsigned TagBits = 32 - LineOffW - IdxW;
  localparam int unsigned Packets = LineBytes / 8;

  (* no_rw_check *) lanes_t line_mem[ICacheLines];
  logic [TagBits-1:0] tag_mem[ICacheLines];
  logic [ICacheLines-1:0] valid_q;

  logic [IdxW-1:0] read_idx, fill_idx;
  logic read_valid_q;
  logic [TagBits-1:0] read_tag_q;
  logic [31:0] read_pc_q;
  lanes_t line_q, held_q;
  logic write_q, read_held_q;  // held_q is written in this cycle; it was read in the cycle before

  assign read_idx = read_pc_i[LineOffW +: IdxW];
  assign fill_idx = fill_addr_i[LineOffW +: IdxW];

  always_ff @(posedge clk_i) begin
    if (fill_i) held_q <= fill_data_i;
    if (write_q) line_mem[fill_idx] <= held_q;
    line_q <= line_mem[read_idx];
  end

  always_ff @(posedge clk_i) begin
    if (fill_i) tag_mem[fill_idx] <= fill_addr_i[31 -: TagBits];
    read_tag_q <= tag_mem[read_idx];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      write_q <= 1'b0;
      read_held_q <= 1'b0;
      read_valid_q <= 1'b0;
      read_pc_q <= '0;
    end else begin
      if (fill_i) valid_q[fill_idx] <= 1'b1;
      if (inv_i) valid_q <= '0;
      write_q <= fill_i;
      read_held_q <= write_q && read_idx == fill_idx;
      read_valid_q <= valid_q[read_idx];
      read_pc_q <= read_pc_i;
    end
  end

  logic [Packets-1:0][63:0] packets;
  assign packets = read_held_q ? held_q : line_q;
  assign hit_o = read_valid_q && read_tag_q == read_pc_q[31 -: TagBits];
  if (Packets == 1) begin : g_one
    assign packet_o = packets;
  end else begin : g_many
    assign packet_o = packets[read_pc_q[LineOffW-1:3]];
  end

`ifndef SYNTHESIS
  // R-FE-5: a fill has time to be written before the next one, which another miss must come before.
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(fill_i && write_q));
`endif

  logic unused_pc;
  assign unused_pc = ^{read_pc_q[LineOffW+IdxW-1:0], fill_addr_i[LineOffW-1:0]};
endmodule
