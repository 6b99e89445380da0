// SPDX-License-Identifier: Apache-2.0
// Tags of a bank of a shader array's cache, and the walk that ends generations
// (docs/sa_cache.md R-SA-4, R-SA-5, R-SA-15, R-SA-16).
// Contract: the set given in look_set_i is there in the next cycle (act), as all writes have left
// it; write_i then writes it back as the op changes it. While walking_o a step of the walk looks in
// every cycle, and nothing else may; the step acts by itself.
// Cost: one block RAM, read and written once per cycle; two comparators per way.
// Observed by the lockstep monitor: set_mem.
module qsm_sa_tags #(
  parameter int unsigned Sets = 16,  // a power of two
  parameter int unsigned Ways = 4,   // a power of two
  parameter int unsigned TagW = 20,
  parameter int unsigned NumSlots = 4,
  parameter int unsigned GenW = 8,
  parameter int unsigned IdW = 8,    // of a transaction
  localparam int unsigned SlotW = (NumSlots > 1) ? $clog2(NumSlots) : 1,
  localparam int unsigned SetW = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  // A generation of the number that comes may have lines.
  input  logic            wrap_i,
  output logic            walking_o,

  input  logic [SetW-1:0] look_set_i,

  // In act: the set looked at in the previous cycle.
  input  logic [TagW-1:0]               tag_i,
  input  logic [SlotW-1:0]              slot_i,
  input  logic [GenW-1:0]               gen_i,       // of the op, as it looked
  input  logic [NumSlots-1:0][GenW-1:0] gens_i,      // now
  input  logic [IdW-1:0]                id_i,
  input  logic                          fill_i,      // the way is fill_way_i, not the tag's
  input  logic [WayW-1:0]               fill_way_i,
  output logic                          valid_o,     // a valid line matches
  output logic                          pending_o,   // a pending one does
  output logic                          poison_o,    // and is poisoned; with fill_i: the way is
  output logic [IdW-1:0]                last_o,      // who joined the way last
  output logic                          room_o,      // some way is not pending
  output logic [WayW-1:0]               way_o,       // that matches; else the one to be replaced
  // How the way changes.
  input  logic            allocate_i,
  input  logic            join_i,
  input  logic            poison_i,
  input  logic            drop_i,       // it is no longer valid
  input  logic            touch_i       // the tree points away from it
);
  typedef struct packed {
    logic valid;
    logic pending;
    logic poison;
    logic [SlotW-1:0] slot;
    logic [GenW-1:0] gen;
    logic [TagW-1:0] tag;
    logic [IdW-1:0] last;
  } way_t;
  typedef struct packed {
    logic [Ways-1:0] tree;
    way_t [Ways-1:0] way;
  } set_t;

  (* no_rw_check *) set_t set_mem[Sets];
  set_t read_q, written_q, set, next_set;
  logic forward_q;  // what was looked at was written in that cycle
  logic [SetW-1:0] set_q;
  logic [Ways-1:0] equal, free, movable;
  logic [WayW-1:0] matching_way, free_way, movable_way, pointed_way;
  logic [Ways-1:0] next_tree;

  // ---- walk ----
  logic walk_q, first_q, step_q, step_first_q;  // step_q: a step is in act
  logic [SetW-1:0] walk_set_q;
  logic last_step;
  assign walking_o = walk_q;
  assign last_step = walk_set_q == SetW'(Sets - 1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      walk_q <= 1'b1;
      first_q <= 1'b1;
      walk_set_q <= '0;
      step_q <= 1'b0;
      step_first_q <= 1'b0;
    end else begin
      step_q <= walk_q;
      step_first_q <= walk_q && first_q;
      if (walk_q) walk_set_q <= last_step ? '0 : walk_set_q + SetW'(1);
      if (walk_q && last_step) begin
        walk_q <= 1'b0;
        first_q <= 1'b0;
      end
      if (wrap_i) begin
        walk_q <= 1'b1;
        walk_set_q <= '0;
        first_q <= first_q;
      end
    end
  end

  // ---- act ----
  assign set = forward_q ? written_q : read_q;
  always_comb begin
    matching_way = '0;
    free_way = '0;
    movable_way = '0;
    for (int w = int'(Ways) - 1; w >= 0; w--) begin
      equal[w] = (set.way[w].valid || set.way[w].pending) && set.way[w].tag == tag_i &&
          set.way[w].slot == slot_i && set.way[w].gen == gen_i;
      movable[w] = !set.way[w].pending;
      free[w] = movable[w] &&
          !(set.way[w].valid && set.way[w].gen == gens_i[set.way[w].slot]);
      if (equal[w]) matching_way |= WayW'(w);
      if (free[w]) free_way = WayW'(w);
      if (movable[w]) movable_way = WayW'(w);
    end
  end
  assign room_o = movable != '0;
  always_comb begin
    if (fill_i) way_o = fill_way_i;
    else if (equal != '0) way_o = matching_way;
    else if (free != '0) way_o = free_way;
    else way_o = movable[pointed_way] ? pointed_way : movable_way;
  end
  assign valid_o = equal != '0 && set.way[way_o].valid;
  assign pending_o = equal != '0 && set.way[way_o].pending;
  assign poison_o = set.way[way_o].poison;
  assign last_o = set.way[way_o].last;
  qsm_plru_tree #(.Ways(Ways)) u_plru (
    .tree_i(set.tree), .way_o(pointed_way), .used_i(way_o), .tree_o(next_tree)
  );
  always_comb begin
    next_set = set;
    if (touch_i) next_set.tree = next_tree;
    if (allocate_i)
      next_set.way[way_o] = '{valid: 1'b0, pending: 1'b1, poison: 1'b0, slot: slot_i, gen: gen_i,
          tag: tag_i, last: id_i};
    if (join_i) next_set.way[way_o].last = id_i;
    if (poison_i) next_set.way[way_o].poison = 1'b1;
    if (drop_i) next_set.way[way_o].valid = 1'b0;
    if (fill_i) begin
      next_set.way[way_o].valid = !set.way[way_o].poison;
      next_set.way[way_o].pending = 1'b0;
      next_set.way[way_o].poison = 1'b0;
    end
    if (step_q) begin
      for (int unsigned w = 0; w < Ways; w++) begin
        next_set.way[w].valid = 1'b0;
        next_set.way[w].poison = set.way[w].pending;
      end
      if (step_first_q) next_set = '0;
    end
  end

  // ---- memory ----
  logic mem_write;
  logic [SetW-1:0] look_set;
  assign mem_write = step_q || allocate_i || join_i || poison_i || drop_i || touch_i || fill_i;
  assign look_set = walk_q ? walk_set_q : look_set_i;
  always_ff @(posedge clk_i) begin
    if (mem_write) set_mem[set_q] <= next_set;
    read_q <= set_mem[look_set];
    set_q <= look_set;
    written_q <= next_set;
    forward_q <= mem_write && set_q == look_set;
  end

`ifndef SYNTHESIS
  logic in_act;
  assign in_act = allocate_i || join_i || poison_i || drop_i || touch_i || fill_i;
  assert property (@(posedge clk_i) disable iff (!rst_ni) !in_act || fill_i || $onehot0(equal))
    else $error("R-SA-4: two lines of a set match");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(in_act && step_q))
    else $error("R-SA-2: an op acts with a step of the walk");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !fill_i || set.way[way_o].pending)
    else $error("R-SA-10: a response fills a line that is not pending");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !allocate_i || movable[way_o])
    else $error("R-SA-5: a pending line is replaced");
`endif
endmodule
