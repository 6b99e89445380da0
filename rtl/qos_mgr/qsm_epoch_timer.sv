// SPDX-License-Identifier: Apache-2.0
// Epoch timer: epochs of T cycles, and in each epoch one hundred evenly spaced samples of idle
// warps.
//
// Contract: docs/qos_mgr.md R-QM-1, docs/sampler.md R-SP-1. A new T is taken when an epoch ends.
// Latency: tick_o and sample_o come from registers. Cost: three adders of about 20 bits, 60
// flip-flops.
module qsm_epoch_timer #(
  parameter int unsigned EpochReset = 10000,  // T of the first epoch
  parameter int unsigned Samples    = 100     // per epoch, at most T
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [19:0] epoch_len_i,  // T of the next epoch
  output logic [19:0] epoch_len_o,  // T of this one
  output logic        tick_o,       // its last cycle
  output logic        sample_o      // take a sample
);
  logic [19:0] len_q, cnt_q, cnt_next, acc_q;
  logic [20:0] acc_next, acc_left;  // acc: Samples are added per cycle, T is taken off per sample
  logic        borrow;

  assign cnt_next = cnt_q + 20'd1;
  assign tick_o   = (cnt_next == len_q);
  assign acc_next = 21'(acc_q) + 21'(Samples);
  assign sample_o = !borrow;
  assign {borrow, acc_left} = {1'b0, acc_next} - 22'(len_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      len_q <= 20'(EpochReset);
      cnt_q <= '0;
      acc_q <= '0;
    end else begin
      cnt_q <= tick_o ? '0 : cnt_next;
      acc_q <= sample_o ? acc_left[19:0] : acc_next[19:0];
      if (tick_o) len_q <= epoch_len_i;
    end
  end

  assign epoch_len_o = len_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !tick_o || (sample_o && acc_left == '0))
    else $error("R-SP-1: an epoch ends without its last sample");
`endif
endmodule
