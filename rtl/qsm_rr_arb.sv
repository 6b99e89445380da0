// SPDX-License-Identifier: Apache-2.0
// Round-robin arbiter: grants the first request circular from the one after the last grant (after
// reset: from 0), in the same cycle.
// Fair: a request that stays is granted after at most N - 1 others. The pointer moves at the end of
// every cycle with a request.
// Timing: qsm_rr_pick. Cost: one index register.
module qsm_rr_arb #(
  parameter int unsigned N = 2,  // requests, 1..
  localparam int unsigned IdxW = (N > 1) ? $clog2(N) : 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [N-1:0]    req_i,
  output logic            valid_o,  // some request is granted
  output logic [N-1:0]    grant_o,  // at most one bit
  output logic [IdxW-1:0] idx_o     // its index; 0 without a request
);
  logic [IdxW-1:0] from_q, after;
  qsm_rr_pick #(.N(N)) u_pick (
    .from_i(from_q), .req_i, .valid_o, .grant_o, .idx_o, .after_o(after)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) from_q <= '0;
    else if (valid_o) from_q <= after;
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0(grant_o) && (grant_o & ~req_i) == '0 && (|grant_o) == valid_o);
`endif
endmodule
