// SPDX-License-Identifier: Apache-2.0
// qsm_front_pick: the first request circular from a place (R-GEN-5), for every set of requests and
// every place, against any one request that it might have passed.
module formal_front_pick #(
  parameter int unsigned N = 19,
  localparam int unsigned IdxW = $clog2(N)
) (
  input logic            clk_i,
  input logic [IdxW-1:0] from_i,
  input logic [N-1:0]    req_i,
  input logic [IdxW-1:0] other_i  // any place
);
  logic valid;
  logic [IdxW-1:0] idx;
  qsm_front_pick #(.N(N)) u_dut (.from_i, .req_i, .valid_o(valid), .idx_o(idx));

  function automatic logic [IdxW:0] places(input logic [IdxW-1:0] from, input logic [IdxW-1:0] to);
    return (to >= from) ? (IdxW + 1)'(to) - (IdxW + 1)'(from)
                        : (IdxW + 1)'(N) + (IdxW + 1)'(to) - (IdxW + 1)'(from);
  endfunction

  always_ff @(posedge clk_i) begin
    assume (32'(from_i) < N && 32'(other_i) < N);
    some: assert (valid == (req_i != '0));
    if (valid) begin
      one_of_them: assert (32'(idx) < N && req_i[idx]);
      if (req_i[other_i]) first: assert (places(from_i, idx) <= places(from_i, other_i));
    end
    wraps: cover (valid && idx < from_i && req_i[N-1:N-3] == '0 && from_i == IdxW'(N - 3));
    same_group: cover (valid && idx < from_i && idx[IdxW-1:3] == from_i[IdxW-1:3]);
    far: cover (valid && places(from_i, idx) == (IdxW + 1)'(N - 1));
  end
endmodule
