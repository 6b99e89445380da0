// SPDX-License-Identifier: Apache-2.0
// Priority encoder: the ID of the lowest place whose bit is set. A tree of two-input selections.
// Combinational. Cost: Width + 1 LUTs per place, log2(N) of them deep.
module qsm_prio_enc #(
  parameter int unsigned N = 8,  // places, 1..
  parameter int unsigned Width = 3
) (
  input  logic [N-1:0]            set_i,
  input  logic [N-1:0][Width-1:0] id_i,
  output logic [Width-1:0]        id_o     // undefined if no bit is set
);
  localparam int unsigned Leaves = 1 << $clog2(N);

  // A heap: node 1 is the root, nodes 2n and 2n+1 stand below node n, the leaves are
  // Leaves..2*Leaves-1.
  logic [2*Leaves-1:1] found;
  logic [2*Leaves-1:1][Width-1:0] id;
  always_comb begin
    for (int unsigned p = 0; p < Leaves; p++) begin
      found[Leaves+p] = p < N && set_i[p % N];
      id[Leaves+p] = id_i[p % N];
    end
    for (int unsigned n = Leaves - 1; n > 0; n--) begin
      found[n] = found[2*n] || found[2*n+1];
      id[n] = found[2*n] ? id[2*n] : id[2*n+1];
    end
  end
  assign id_o = id[1];

  logic unused_root;
  assign unused_root = found[1];
endmodule
