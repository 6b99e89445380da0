// SPDX-License-Identifier: Apache-2.0
// Idle-warp sampler of one SM: how many warps of a kernel were ready but did not issue, because a
// unit was busy or another warp was picked (FGQ 3.6).
//
// Contract: docs/sampler.md, R-SP-2 and R-SP-3. In cycles with sample_i it counts, over all
// sub-cores; tick_i closes an epoch.
// Latency: what issued is told one cycle after the others, so that a sample is added in the cycle
// after its message.
// Cost: per kernel a count of ones over all warps, an adder and 26 flip-flops.
//
// Observed by the lockstep monitor: sum_q, sampled, sum_clear (SAMPLE, in cycles with sample_q).
module qsm_idle_sampler #(
  parameter  int unsigned NumKernels = 4,  // kernel slots
  parameter  int unsigned NumSched   = 1,  // sub-cores
  parameter  int unsigned NumWarps   = 8,  // of a sub-core
  localparam int unsigned KernelW    = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned SumW       = 13  // 100 samples of 64 warps
) (
  input  logic                                           clk_i,
  input  logic                                           rst_ni,
  input  logic                                           sample_i,
  // the last sample of the epoch is in this cycle
  input  logic                                           tick_i,
  input  logic [NumSched-1:0][NumWarps-1:0][KernelW-1:0] kernel_i,
  // a resident warp that issues, or does not for reason 6 or 7 (R-IS-6)
  input  logic [NumSched-1:0][NumWarps-1:0]              ready_i,
  // in the next cycle: the kernel of the warp that issued, which was ready, per sub-core
  input  logic [NumSched-1:0]                            issued_valid_i,
  input  logic [NumSched-1:0][KernelW-1:0]               issued_kernel_i,
  // samples of the last epoch, summed
  output logic [NumKernels-1:0][SumW-1:0]                snap_idle_o
);
  if (NumSched * NumWarps > 64) $error("qsm_idle_sampler: at most 64 warps");

  localparam int unsigned AllWarps = NumSched * NumWarps;
  localparam int unsigned CountW = $clog2(AllWarps + 1);

  logic [NumKernels-1:0][SumW-1:0] sum_q, sampled, snap_q;
  logic sample_q, tick_q;  // of the cycle before
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {sample_q, tick_q} <= '0;
    else {sample_q, tick_q} <= {sample_i, tick_i};
  end

  for (genvar k = 0; k < NumKernels; k++) begin : g_kernel
    // Ready warps less those that issue. All ready warps are counted as if each sub-core picked one
    // of them, and one is added for each that does not. The first sub-core's is the adder's carry
    // input: one more bit below the sum.
    logic [NumSched-1:0][NumWarps-1:0] ready;
    logic [NumSched-1:0]               picks_none;
    logic [CountW-1:0]                 count, count_q;
    logic [SumW-1:0]                   rest;
    logic                              below;
    always_comb begin
      for (int unsigned s = 0; s < NumSched; s++) begin
        picks_none[s] = !(issued_valid_i[s] && issued_kernel_i[s] == KernelW'(k));
        for (int unsigned w = 0; w < NumWarps; w++)
          ready[s][w] = ready_i[s][w] && kernel_i[s][w] == KernelW'(k);
      end
      count = '0;
      for (int unsigned n = 0; n < AllWarps; n++)
        count = count + CountW'(ready[n / NumWarps][n % NumWarps]);
      rest = SumW'(count_q) - SumW'(NumSched);
      for (int unsigned s = 1; s < NumSched; s++) rest = rest + SumW'(picks_none[s]);
    end
    always_ff @(posedge clk_i) count_q <= count;
    assign {sampled[k], below} = {sum_q[k], 1'b1} + {rest, picks_none[0]};

    logic unused_below;
    assign unused_below = below;

`ifndef SYNTHESIS
    assert property (@(posedge clk_i) disable iff (!rst_ni) !sample_q || sampled[k] >= sum_q[k])
      else $error("R-SP-2: a sum of samples overflows");
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        !sample_q || 32'(count_q) + 32'($countones(picks_none)) >= NumSched)
      else $error("R-SP-2: a warp issues that is not ready");
`endif
  end

  // Synchronous clear: flip-flops have an input for it, unless they use the asynchronous reset.
  logic sum_clear;
  assign sum_clear = !rst_ni || tick_q;
  always_ff @(posedge clk_i) begin
    if (sum_clear) sum_q <= '0;
    else if (sample_q) sum_q <= sampled;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) snap_q <= '0;
    else if (tick_q) snap_q <= sampled;
  end
  assign snap_idle_o = snap_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !tick_i || sample_i)
    else $error("R-SP-3: an epoch ends without a sample");
`endif
endmodule
