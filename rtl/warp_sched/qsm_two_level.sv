// SPDX-License-Identifier: Apache-2.0
// Two-level scheduling: a sub-core issues only from a small set of active warps; the others are
// pending.
//
// Contract: docs/warp_sched.md (R-PO-6 to -8). A warp that waits for a long-latency event leaves
// the active set. In each cycle at most one warp leaves the set, and at most one warp enters a
// place that was free before.
// Latency: active_o is a register. oldest_i is the oldest slot of candidates_o, in the same cycle.
// Cost: NumWarps flip-flops, a population count, a lowest bit; the caller finds the oldest.
//
// Observed by the lockstep monitor: active_q, active_d (TWOLEVEL, in cycles in which they differ).
module qsm_two_level #(
  parameter int unsigned NumWarps = 8  // warp slots, 1..64
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                enable_i,        // this policy is the one that is set
  input  logic [NumWarps-1:0] resident_i,
  // resident, and waits for a long-latency event: barrier, load or quota (R-PO-7)
  input  logic [NumWarps-1:0] long_latency_i,
  input  logic [4:0]          active_warps_i,  // places, 1..16
  input  logic [NumWarps-1:0] finish_i,        // a warp leaves the slot in this cycle
  output logic [NumWarps-1:0] candidates_o,    // may be promoted
  input  logic [NumWarps-1:0] oldest_i,        // the oldest of them, one-hot; none: 0
  output logic [NumWarps-1:0] active_o
);
  localparam int unsigned CountW = ($clog2(NumWarps + 1) > 5) ? $clog2(NumWarps + 1) : 5;

  logic [NumWarps-1:0] active_q, active_d, leaving, demoted, promoted;
  logic                has_place;

  assign leaving      = active_q & long_latency_i;
  assign demoted      = leaving & (~leaving + NumWarps'(1));  // the lowest
  assign candidates_o = resident_i & ~active_q & ~long_latency_i;
  assign has_place    = CountW'($countones(active_q)) < CountW'(active_warps_i);
  assign promoted     = has_place ? oldest_i : '0;
  assign active_d     = enable_i ? ((active_q & ~demoted) | promoted) & ~finish_i : '0;
  assign active_o     = active_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) active_q <= '0;
    else active_q <= active_d;
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) (active_q & ~resident_i) == '0)
    else $error("R-PO-8: a slot without a warp is active");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !enable_i || (promoted & ~candidates_o) == '0)
    else $error("R-PO-8: a warp is promoted that may not be");
`endif
endmodule
