// SPDX-License-Identifier: Apache-2.0
// Least of N keys (unsigned). Combinational, a balanced tree: log2(N) compares deep. N is a power
// of two.
module qsm_min_tree #(
  parameter int unsigned N = 4,
  parameter int unsigned Width = 8
) (
  input  logic [N-1:0][Width-1:0] key_i,
  output logic [Width-1:0]        min_o
);
  if (N < 2 || (N & (N - 1)) != 0) begin : g_illegal
    $fatal(1, "qsm_min_tree: N = %0d, must be a power of two and at least 2", N);
  end

  // A heap: node[1] is the root, node[n] the lesser of node[2n] and node[2n+1], the keys are the
  // leaves node[N..2N-1].
  logic [Width-1:0] node[1:2*N-1];
  always_comb begin
    for (int unsigned n = 0; n < N; n++) node[N+n] = key_i[n];
    for (int unsigned n = N - 1; n > 0; n--)
      node[n] = (node[2*n+1] < node[2*n]) ? node[2*n+1] : node[2*n];
  end
  assign min_o = node[1];
endmodule
