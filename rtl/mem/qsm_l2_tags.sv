// SPDX-License-Identifier: Apache-2.0
// Tags of an L2 slice: valid, dirty and tag of every way, pseudo-LRU tree of every set (docs/l2.md
// R-L2-5 to R-L2-10).
// Contract: the set given in look_set_i is there in the next cycle, as all writes have left it;
// write_i then writes it back as the op changes it. After reset clearing_o holds for Sets cycles,
// in which nothing may look.
// Cost: one block RAM, read and written once per cycle; a comparator per way. Observed by the
// lockstep monitor: set_mem (L2SET).
module qsm_l2_tags #(
  parameter int unsigned Sets = 128,  // a power of two
  parameter int unsigned Ways = 2,    // a power of two
  parameter int unsigned TagW = 20,
  localparam int unsigned SetW = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  output logic clearing_o,

  input  logic [SetW-1:0] look_set_i,

  // In act: the set looked at in the previous cycle.
  input  logic [TagW-1:0] tag_i,
  input  logic            walk_i,       // the way is walk_way_i, not the one of the tag
  input  logic [WayW-1:0] walk_way_i,
  output logic            hit_o,        // a valid way has the tag
  output logic [WayW-1:0] way_o,        // that way; without a hit the way to be replaced
  output logic            way_valid_o,
  output logic            way_dirty_o,  // and valid
  output logic [TagW-1:0] way_tag_o,
  // the set changes: the way gets the next three, the tag of an op but a walk's
  input  logic            write_i,
  input  logic            valid_i,
  input  logic            dirty_i,
  input  logic            touch_i       // the tree points away from the way
);
  typedef struct packed {
    logic valid;
    logic dirty;
    logic [TagW-1:0] tag;
  } way_t;
  typedef struct packed {
    logic [Ways-1:0] tree;
    way_t [Ways-1:0] way;
  } set_t;

  (* no_rw_check *) set_t set_mem[Sets];
  logic [SetW:0] cleared_q;  // sets cleared since reset
  logic forward_q;           // what was looked at was written in that cycle
  set_t read_q, written_q, set, next_set;
  logic [SetW-1:0] set_q;
  logic [Ways-1:0] equal, invalid;
  logic [WayW-1:0] matching_way, invalid_way, pointed_way;
  logic [Ways-1:0] next_tree;

  assign clearing_o = cleared_q != (SetW + 1)'(Sets);

  // ---- act ----
  assign set = forward_q ? written_q : read_q;
  always_comb begin
    matching_way = '0;
    invalid_way = '0;
    for (int w = int'(Ways) - 1; w >= 0; w--) begin
      equal[w] = set.way[w].valid && set.way[w].tag == tag_i;
      invalid[w] = !set.way[w].valid;
      if (equal[w]) matching_way |= WayW'(w);
      if (invalid[w]) invalid_way = WayW'(w);
    end
  end
  assign hit_o = equal != '0;
  always_comb begin
    if (walk_i) way_o = walk_way_i;
    else if (equal != '0) way_o = matching_way;
    else way_o = (invalid != '0) ? invalid_way : pointed_way;
  end
  qsm_plru_tree #(.Ways(Ways)) u_plru (.tree_i(set.tree), .way_o(pointed_way), .used_i(way_o),
      .tree_o(next_tree));
  assign way_valid_o = set.way[way_o].valid;
  assign way_dirty_o = set.way[way_o].valid && set.way[way_o].dirty;
  assign way_tag_o = set.way[way_o].tag;
  always_comb begin
    next_set = set;
    if (touch_i) next_set.tree = next_tree;
    next_set.way[way_o].valid = valid_i;
    next_set.way[way_o].dirty = dirty_i;
    if (!walk_i) next_set.way[way_o].tag = tag_i;
  end

  // ---- memory ----
  logic mem_write;
  logic [SetW-1:0] mem_set;
  set_t mem_data;
  assign mem_write = clearing_o || write_i;
  assign mem_set = clearing_o ? cleared_q[SetW-1:0] : set_q;
  assign mem_data = clearing_o ? '0 : next_set;
  always_ff @(posedge clk_i) begin
    if (mem_write) set_mem[mem_set] <= mem_data;
    read_q <= set_mem[look_set_i];
    set_q <= look_set_i;
    written_q <= mem_data;
    forward_q <= mem_write && mem_set == look_set_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cleared_q <= '0;
    else if (clearing_o) cleared_q <= cleared_q + (SetW + 1)'(1);
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) write_i |-> $onehot0(equal))
    else $error("L2: two valid ways of a set with one tag");
`endif
endmodule
