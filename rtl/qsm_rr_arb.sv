// SPDX-License-Identifier: Apache-2.0
// Round-robin arbiter: grants the first request circular from the one after the last grant (after
// reset: from 0), in the same cycle.
// Fair: a request that stays is granted after at most N - 1 others. The pointer moves at the end of
// every cycle with a request.
// Timing: a mask, two find-first of N, a select. Cost: one index register.
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
  logic [IdxW-1:0] from_q;
  logic [N-1:0] req_after, chosen_of;

  always_comb begin
    for (int unsigned n = 0; n < N; n++) req_after[n] = req_i[n] & (IdxW'(n) >= from_q);
    chosen_of = (req_after != '0) ? req_after : req_i;
    grant_o = chosen_of & (~chosen_of + N'(1));
    idx_o = '0;
    for (int unsigned n = 0; n < N; n++) if (grant_o[n]) idx_o |= IdxW'(n);
  end
  assign valid_o = |req_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) from_q <= '0;
    else if (valid_o) from_q <= (idx_o == IdxW'(N - 1)) ? '0 : idx_o + IdxW'(1);
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0(grant_o) && (grant_o & ~req_i) == '0 && (|grant_o) == valid_o);
`endif
endmodule
