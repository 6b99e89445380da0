// SPDX-License-Identifier: Apache-2.0
// qsm_prio_enc: the name of the first place in the set.
module formal_prio_enc #(
  parameter int unsigned N = 6,
  parameter int unsigned Width = 3
) (
  input logic                    clk_i,
  input logic [N-1:0]            set_i,
  input logic [N-1:0][Width-1:0] id_i
);
  logic [Width-1:0] first, expected;
  qsm_prio_enc #(.N(N), .Width(Width)) u_dut (.set_i, .id_i, .id_o(first));

  always_comb begin
    expected = first;  // an empty set has no first
    for (int unsigned p = N; p > 0; p--) if (set_i[p-1]) expected = id_i[p-1];
  end

  always_ff @(posedge clk_i) begin
    first_of_set: assert (first == expected);
    last_place: cover (set_i == N'(1) << (N - 1) && first == 1);
  end
endmodule
