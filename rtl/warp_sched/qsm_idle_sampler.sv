// SPDX-License-Identifier: Apache-2.0
// Idle-warp sampler of one SM: how many warps of a kernel were ready but did not issue, because a
// unit was busy or another warp was picked (FGQ 3.6).
//
// Contract: docs/sampler.md, R-SP-2 and R-SP-3. In cycles with sample_i it counts, over all
// sub-cores; tick_i closes an epoch.
// Latency: inputs act at the end of their cycle. The picks may arrive late in it.
// Cost: per kernel a count of ones over all warps, an adder and 26 flip-flops.
//
// Observed by the lockstep monitor: sum_q, sum_d (SAMPLE, in cycles with sample_i).
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
  // the kernel of the warp that issues, which is ready, per sub-core
  input  logic [NumSched-1:0]                            pick_valid_i,
  input  logic [NumSched-1:0][KernelW-1:0]               pick_kernel_i,
  // samples of the last epoch, summed
  output logic [NumKernels-1:0][SumW-1:0]                snap_idle_o
);
  if (NumSched * NumWarps > 64) $error("qsm_idle_sampler: at most 64 warps");

  localparam int unsigned AllWarps = NumSched * NumWarps;
  localparam int unsigned CountW = $clog2(AllWarps + 1);

  logic [NumKernels-1:0][SumW-1:0] sum_q, sum_d, sampled, snap_q;

  for (genvar k = 0; k < NumKernels; k++) begin : g_kernel
    // Ready warps less those that issue. All ready warps are counted as if each sub-core picked one
    // of them, and one is added for each that does not. The first sub-core's is the adder's carry
    // input: one more bit below the sum.
    logic [NumSched-1:0][NumWarps-1:0] ready;
    logic [NumSched-1:0]               picks_none;
    logic [CountW-1:0]                 count;
    logic [SumW-1:0]                   rest;
    logic                              below;
    always_comb begin
      for (int unsigned s = 0; s < NumSched; s++) begin
        picks_none[s] = !(pick_valid_i[s] && pick_kernel_i[s] == KernelW'(k));
        for (int unsigned w = 0; w < NumWarps; w++)
          ready[s][w] = ready_i[s][w] && kernel_i[s][w] == KernelW'(k);
      end
      count = '0;
      for (int unsigned n = 0; n < AllWarps; n++)
        count = count + CountW'(ready[n / NumWarps][n % NumWarps]);
      rest = SumW'(count) - SumW'(NumSched);
      for (int unsigned s = 1; s < NumSched; s++) rest = rest + SumW'(picks_none[s]);
    end
    assign {sampled[k], below} = {sum_q[k], 1'b1} + {rest, picks_none[0]};

    logic unused_below;
    assign unused_below = below;

`ifndef SYNTHESIS
    assert property (@(posedge clk_i) disable iff (!rst_ni) !sample_i || sampled[k] >= sum_q[k])
      else $error("R-SP-2: a sum of samples overflows");
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        32'(count) + 32'($countones(picks_none)) >= NumSched)
      else $error("R-SP-2: a warp issues that is not ready");
`endif
  end
  assign sum_d = tick_i ? '0 : sampled;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sum_q  <= '0;
      snap_q <= '0;
    end else begin
      if (sample_i) sum_q <= sum_d;
      if (tick_i) snap_q <= sampled;
    end
  end
  assign snap_idle_o = snap_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !tick_i || sample_i)
    else $error("R-SP-3: an epoch ends without a sample");
`endif
endmodule
