// SPDX-License-Identifier: Apache-2.0
// Latecomers: kernels that have had no block for more than an epoch. One of them per epoch, in
// round-robin order, may claim room. SMs that restored a block recently are excluded.
// Contract: docs/tb_adjust.md R-TA-10, R-TA-11. Timing: claim_o follows rests_i through an arbiter
// of NumKernels. Cost: two bits per kernel and per SM.
// Observed by the lockstep monitor: wait_q, late_q (state).
module qsm_tb_late #(
  parameter int unsigned NumSms = 4,     // 1..96
  parameter int unsigned NumKernels = 4  // 1..8
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic                  latecomers_i,  // register
  input  logic                  snapshot_i,    // pulse: this cycle is E
  input  logic                  epoch_done_i,  // pulse: E + QosLat
  // none of its blocks is resident, but one could be dispatched
  input  logic [NumKernels-1:0] waits_i,
  // no pass, no claim and no eviction is under way, and the targets are computed
  input  logic                  rests_i,
  input  logic [NumSms-1:0]     restoring_i,   // its job is a restore
  output logic [NumSms-1:0]     settled_o,
  output logic [NumKernels-1:0] late_o,
  output logic [NumKernels-1:0] claim_o        // pulse, one bit: its claim starts
);
  logic [NumKernels-1:0] wait_q, late_q;
  logic [(NumKernels > 1 ? $clog2(NumKernels) : 1)-1:0] unused_idx;
  logic claimed_q, may_claim, starts;

  assign may_claim = latecomers_i && !claimed_q && rests_i && !snapshot_i && !epoch_done_i;
  qsm_rr_arb #(.N(NumKernels)) u_turn (.clk_i, .rst_ni, .req_i(may_claim ? late_q : '0),
      .valid_o(starts), .grant_o(claim_o), .idx_o(unused_idx));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wait_q <= '0;
      late_q <= '0;
      claimed_q <= 1'b0;
    end else begin
      wait_q <= waits_i & (epoch_done_i ? '1 : wait_q);
      late_q <= waits_i & (epoch_done_i ? wait_q : late_q);
      claimed_q <= !epoch_done_i && (claimed_q || starts);
    end
  end
  assign late_o = late_q;

  // restored a block since the last E + QosLat, and since the one before
  logic [NumSms-1:0] young_q, fresh_q;
  assign settled_o = ~(restoring_i | young_q | fresh_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      young_q <= '0;
      fresh_q <= '0;
    end else begin
      young_q <= restoring_i | (epoch_done_i ? '0 : young_q);
      if (epoch_done_i) fresh_q <= young_q;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) (late_q & ~wait_q) == '0);
`endif
endmodule
