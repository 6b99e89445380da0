// SPDX-License-Identifier: Apache-2.0
// Tree pseudo-LRU of a set (docs/l2.md R-L2-9): the way that the tree selects as victim, and the
// updated tree when a way has been used. Purely combinational.
module qsm_plru_tree #(
  parameter int unsigned Ways = 2,  // a power of two
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  logic [Ways-1:0] tree_i,   // node n in bit n, 1 the root; bit 0 is not used
  output logic [WayW-1:0] way_o,    // the victim: the way that the tree points at
  input  logic [WayW-1:0] used_i,
  output logic [Ways-1:0] tree_o    // every node above used_i points away from it
);
  localparam int unsigned Levels = $clog2(Ways);

  // Bit 0 points to the lower half.
  always_comb begin
    int unsigned node;
    node = 1;
    way_o = '0;
    for (int unsigned level = 0; level < Levels; level++) begin
      way_o = WayW'({way_o, tree_i[node]});
      node = 2 * node + 32'(tree_i[node]);
    end
  end

  always_comb begin
    int unsigned node;
    logic upper;
    node = 1;
    upper = 1'b0;
    tree_o = tree_i;
    for (int unsigned level = 0; level < Levels; level++) begin
      upper = used_i[Levels-1-level];
      tree_o[node] = !upper;
      node = 2 * node + 32'(upper);
    end
  end
endmodule
