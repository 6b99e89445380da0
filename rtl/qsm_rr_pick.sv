// SPDX-License-Identifier: Apache-2.0
// Picks the first request circular from a place that the caller keeps, in the same cycle.
// Timing: a mask, two find-first of N, a select. Cost: no state.
module qsm_rr_pick #(
  parameter int unsigned N = 2,  // requests, 1..
  localparam int unsigned IdxW = (N > 1) ? $clog2(N) : 1
) (
  input  logic [IdxW-1:0] from_i,   // below N
  input  logic [N-1:0]    req_i,
  output logic            valid_o,  // some request is granted
  output logic [N-1:0]    grant_o,  // at most one bit
  output logic [IdxW-1:0] idx_o,    // its index; 0 without a request
  output logic [IdxW-1:0] after_o   // the place after it
);
  logic [N-1:0] req_after, chosen_of;

  always_comb begin
    for (int unsigned n = 0; n < N; n++) req_after[n] = req_i[n] & (IdxW'(n) >= from_i);
    chosen_of = (req_after != '0) ? req_after : req_i;
    grant_o = chosen_of & (~chosen_of + N'(1));
    idx_o = '0;
    for (int unsigned n = 0; n < N; n++) if (grant_o[n]) idx_o |= IdxW'(n);
  end
  assign valid_o = |req_i;
  assign after_o = (idx_o == IdxW'(N - 1)) ? '0 : idx_o + IdxW'(1);
endmodule
