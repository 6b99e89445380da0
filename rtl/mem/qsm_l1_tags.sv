// SPDX-License-Identifier: Apache-2.0
// Tags of an L1: what each line holds, which way a load takes, pseudo-LRU tree of every set
// (docs/l1.md R-L1-2, R-L1-5 to R-L1-7, R-L1-10, R-L1-11).
// Contract: look_i with a pass; from the next cycle on, up to the next look, the outputs are those
// of its set, for the pass that waits in A.
// A's action changes way_o at the end of the cycle.
// Cost: a block RAM per way, read and written once per cycle; three flip-flops per line (one of
// them the tree's); a comparator per way.
// Observed by the lockstep monitor: g_way[w].line_mem, pending_q, mark_q, tree_q (L1SET).
module qsm_l1_tags #(
  parameter int unsigned Sets = 32,  // a power of two
  parameter int unsigned Ways = 2,   // a power of two
  parameter int unsigned TagW = 20,
  parameter int unsigned SlotW = 2,
  parameter int unsigned TxnW = 3,
  localparam int unsigned SetW = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             look_i,
  input  logic [SetW-1:0]  look_set_i,

  // The pass in A.
  input  logic             valid_i,         // there is one
  input  logic [SetW-1:0]  set_i,
  input  logic [TagW-1:0]  tag_i,
  input  logic [SlotW-1:0] slot_i,
  input  logic [3:0]       gen_i,           // of the slot
  output logic             match_valid_o,   // R-L1-2
  output logic             match_pending_o,
  output logic             match_poison_o,
  output logic [TxnW-1:0]  match_txn_o,     // that fetches the line, if it is pending
  output logic             full_o,          // all ways are pending
  // of the match; without one the way that a line would take
  output logic [WayW-1:0]  way_o,
  input  logic             allocate_i,
  input  logic [TxnW-1:0]  txn_i,
  input  logic             poison_i,
  input  logic             drop_i,          // it is valid no more
  input  logic             touch_i,         // the tree points away from it

  // Fill (R-L1-7), and the end of all generations (R-L1-11).
  input  logic             fill_i,
  input  logic [SetW-1:0]  fill_set_i,
  input  logic [WayW-1:0]  fill_way_i,
  input  logic             wrap_i
);
  typedef struct packed {
    logic [TagW-1:0] tag;
    logic [SlotW-1:0] slot;
    logic [3:0] gen;
    logic [TxnW-1:0] txn;
  } line_t;

  // A line is valid (mark), pending, pending and poisoned (both), or nothing.
  logic [Sets-1:0][Ways-1:0] pending_q, mark_q;
  logic [Sets-1:0][Ways-1:0] tree_q;  // of each set, as in qsm_plru_tree
  logic [Ways-1:0] valid, pending, match;  // of the set
  line_t [Ways-1:0] line;
  line_t allocated;

  // ---- the lines' numbers ----
  assign allocated = '{tag: tag_i, slot: slot_i, gen: gen_i, txn: txn_i};
  for (genvar w = 0; w < Ways; w++) begin : g_way
    (* no_rw_check *) line_t line_mem[Sets];
    logic write, forward_q;  // what was looked at was written in that cycle
    line_t read_q, written_q;
    assign write = allocate_i && way_o == WayW'(w);
    always_ff @(posedge clk_i) begin
      if (write) line_mem[set_i] <= allocated;
      if (look_i) begin
        read_q <= line_mem[look_set_i];
        written_q <= allocated;
        forward_q <= write && set_i == look_set_i;
      end
    end
    assign line[w] = forward_q ? written_q : read_q;
    assign match[w] = (valid[w] || pending[w]) && line[w].tag == tag_i && line[w].slot == slot_i &&
        line[w].gen == gen_i;
  end

  // ---- A's set ----
  assign valid = mark_q[set_i] & ~pending_q[set_i];
  assign pending = pending_q[set_i];
  assign match_valid_o = (match & valid) != '0;
  assign match_pending_o = (match & pending) != '0;
  assign match_poison_o = (match & pending & mark_q[set_i]) != '0;
  assign full_o = pending == '1;

  logic [WayW-1:0] match_way, free_way, settled_way, pointed_way;
  logic [Ways-1:0] tree;
  always_comb begin
    match_way = '0;
    match_txn_o = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (match[w]) begin
        match_way |= WayW'(w);
        match_txn_o |= line[w].txn;
      end
    end
  end
  always_comb begin
    free_way = '0;
    settled_way = '0;
    for (int w = int'(Ways) - 1; w >= 0; w--) begin
      if (!valid[w] && !pending[w]) free_way = WayW'(w);
      if (!pending[w]) settled_way = WayW'(w);
    end
  end
  always_comb begin
    if (match != '0) way_o = match_way;
    else if ((valid | pending) != '1) way_o = free_way;
    else way_o = pending[pointed_way] ? settled_way : pointed_way;
  end
  qsm_plru_tree #(.Ways(Ways)) u_plru (.tree_i(tree_q[set_i]), .way_o(pointed_way), .used_i(way_o),
      .tree_o(tree));

  // ---- what changes ----
  logic [Sets*Ways-1:0] filled, used, pending_d, mark_d;  // by set, in it by way
  assign filled = fill_i ? (Sets * Ways)'(1) << (32'(fill_set_i) * Ways + 32'(fill_way_i)) : '0;
  assign used = (allocate_i || poison_i || drop_i)
      ? (Sets * Ways)'(1) << (32'(set_i) * Ways + 32'(way_o)) : '0;
  assign pending_d = (pending_q & ~filled) | (allocate_i ? used : '0);
  assign mark_d = wrap_i ? pending_d : (((mark_q ^ filled) & ~used) | (poison_i ? used : '0));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q <= '0;
      mark_q <= '0;
      tree_q <= '0;
    end else begin
      pending_q <= pending_d;
      mark_q <= mark_d;
      if (touch_i) tree_q[set_i] <= tree;
    end
  end

`ifndef SYNTHESIS
  a_one_match: assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> $onehot0(match))
    else $error("R-L1-2: two lines match");
  a_one_change: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({allocate_i, poison_i, drop_i}))
    else $error("R-L1-6: a pass changes a line in two ways");
  a_victim: assert property (@(posedge clk_i) disable iff (!rst_ni)
      allocate_i |-> valid_i && match == '0 && !pending[way_o])
    else $error("R-L1-5: a load takes the way of a match, or of a line that is pending");
  a_fill: assert property (@(posedge clk_i) disable iff (!rst_ni)
      fill_i |-> pending_q[fill_set_i][fill_way_i])
    else $error("R-L1-7: a line is filled that is not pending");
`endif
endmodule
