// SPDX-License-Identifier: Apache-2.0
// Picks the first request circular from a place that the caller keeps, in the same cycle: like
// qsm_rr_pick, for requests that come late and much behind the turn. The place is kept as a set,
// those after the one that had the last turn; both circles are looked through at the same time.
// Timing: seven levels for eight requests of one level each. Cost: no state.
module qsm_rr_turn #(
  parameter int unsigned N = 2,  // requests, 1..
  localparam int unsigned IdxW = (N > 1) ? $clog2(N) : 1
) (
  input  logic [N-1:0]    after_i,  // a place and all above it, or none: they go first
  input  logic [N-1:0]    req_i,
  output logic [N-1:0]    turn_o,   // at most one bit
  output logic [IdxW-1:0] idx_o,    // its index; 0 without a request
  output logic [N-1:0]    above_o   // the places above it
);
  function automatic logic [N-1:0] above_lowest(input logic [N-1:0] set);
    logic [N-1:0] above_one;
    above_one = set << 1;
    for (int unsigned n = 1; n < N; n *= 2) above_one |= above_one << n;  // log2 steps
    return above_one;
  endfunction

  logic [N-1:0] ahead, above_ahead, above_all;
  logic any_ahead;
  assign ahead = req_i & after_i;
  assign any_ahead = ahead != '0;
  assign above_ahead = above_lowest(ahead);
  assign above_all = above_lowest(req_i);
  assign turn_o = req_i & ~above_ahead & (after_i | ~(above_all | {N{any_ahead}}));
  assign above_o = any_ahead ? above_ahead : above_all;
  always_comb begin
    idx_o = '0;
    for (int unsigned n = 0; n < N; n++) if (turn_o[n]) idx_o |= IdxW'(n);
  end
endmodule
