// SPDX-License-Identifier: Apache-2.0
// Name of the first place of a set, by a tree: of two neighbours the first goes on if it is in the
// set.
// Combinational. Cost: Width + 1 LUTs per place, log2(N) of them deep.
module qsm_first #(
  parameter int unsigned N = 8,  // places, 1..
  parameter int unsigned Width = 3
) (
  input  logic [N-1:0]            set_i,
  input  logic [N-1:0][Width-1:0] name_i,
  output logic [Width-1:0]        first_o  // any name if the set is empty
);
  localparam int unsigned Leaves = 1 << $clog2(N);

  // A heap: node 1 is the root, nodes 2n and 2n+1 stand below node n, the leaves are
  // Leaves..2*Leaves-1.
  logic [2*Leaves-1:1] found;
  logic [2*Leaves-1:1][Width-1:0] name;
  always_comb begin
    for (int unsigned p = 0; p < Leaves; p++) begin
      found[Leaves+p] = p < N && set_i[p % N];
      name[Leaves+p] = name_i[p % N];
    end
    for (int unsigned n = Leaves - 1; n > 0; n--) begin
      found[n] = found[2*n] || found[2*n+1];
      name[n] = found[2*n] ? name[2*n] : name[2*n+1];
    end
  end
  assign first_o = name[1];

  logic unused_root;
  assign unused_root = found[1];
endmodule
