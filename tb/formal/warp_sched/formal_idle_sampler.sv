// SPDX-License-Identifier: Apache-2.0
// qsm_idle_sampler: what a tick leaves for any one kernel is the sum, over the samples of the
// epoch, of its resident warps with reason 6 or 7 (R-SP-2, R-SP-3); with 100 samples per epoch no
// sum overflows.
module formal_idle_sampler
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumKernels = 2,
  parameter int unsigned NumSched = 2,
  parameter int unsigned NumWarps = 3,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input logic                                           clk_i,
  input logic                                           sample_i,
  input logic                                           tick_i,
  input logic [NumSched-1:0][NumWarps-1:0]              resident_i,
  input logic [NumSched-1:0][NumWarps-1:0][KernelW-1:0] kernel_i,
  input logic [NumSched-1:0][NumWarps-1:0][2:0]         reason_i,    // R-IS-6
  input logic [KernelW-1:0]                             any_i  // any kernel
);
  localparam int unsigned Samples = 100;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // Ready warps, and the one of a sub-core that issues, which is the only one with reason 0.
  logic [NumSched-1:0][NumWarps-1:0] ready, issues;
  logic [NumSched-1:0]               picks, alone, issued_q;
  logic [NumSched-1:0][KernelW-1:0]  pick_kernel, issued_kernel_q;
  always_ff @(posedge clk_i) {issued_q, issued_kernel_q} <= {picks, pick_kernel};
  always_comb begin
    pick_kernel = '0;
    for (int unsigned s = 0; s < NumSched; s++) begin
      for (int unsigned w = 0; w < NumWarps; w++) begin
        issues[s][w] = resident_i[s][w] && reason_i[s][w] == StallSelected;
        ready[s][w] = resident_i[s][w] &&
            reason_i[s][w] inside {StallSelected, StallPipeThrottle, StallNotSelected};
        if (issues[s][w]) pick_kernel[s] = kernel_i[s][w];
      end
      picks[s] = issues[s] != '0;
      alone[s] = (issues[s] & (issues[s] - 1'b1)) == '0;
    end
  end

  logic [NumKernels-1:0][12:0] snap;
  qsm_idle_sampler #(.NumKernels(NumKernels), .NumSched(NumSched), .NumWarps(NumWarps)) u_dut (
    .clk_i, .rst_ni, .sample_i, .tick_i, .kernel_i, .ready_i(ready), .issued_valid_i(issued_q),
    .issued_kernel_i(issued_kernel_q), .snap_idle_o(snap)
  );

  logic [KernelW-1:0] any_q;
  logic [6:0]         n_q;            // samples of this epoch
  logic [15:0]        sum_q, last_q;  // of them, and of the last epoch
  logic [15:0]        sum;
  // The block adds a sample in the cycle after it.
  logic [15:0]        sum_before_q, last_before_q;
  logic [6:0]         n_before_q;
  always_comb begin
    sum = sum_q;
    for (int unsigned s = 0; s < NumSched; s++) begin
      for (int unsigned w = 0; w < NumWarps; w++)
        sum += 16'(sample_i && resident_i[s][w] && kernel_i[s][w] == any_q &&
            reason_i[s][w] inside {StallPipeThrottle, StallNotSelected});
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      any_q <= any_i;
      {n_q, sum_q, last_q, n_before_q, sum_before_q, last_before_q} <= '0;
    end else begin
      {n_before_q, sum_before_q, last_before_q} <= {n_q, sum_q, last_q};
      n_q <= tick_i ? '0 : n_q + 7'(sample_i);
      sum_q <= tick_i ? '0 : sum;
      if (tick_i) last_q <= sum;
    end
  end

  logic [NumKernels-1:0] bounded;
  always_comb for (int unsigned k = 0; k < NumKernels;
  k++) bounded[k] = 32'(u_dut.sum_q[k]) <= 32'(n_before_q) * NumSched * NumWarps;

  always_ff @(posedge clk_i) begin
    assume (32'(any_i) < NumKernels);
    if (rst_ni) begin
      assume (!tick_i || sample_i);
      assume (alone == '1);
      assume (32'(n_q) + 32'(sample_i) <= Samples);
      of_last_epoch: assert (16'(snap[any_q]) == last_before_q);
      so_far: assert (16'(u_dut.sum_q[any_q]) == sum_before_q && 32'(any_q) < NumKernels);
      no_overflow: assert (&bounded && 32'(n_q) <= Samples);
      counts: cover (tick_i && n_q == 2 && last_q == 5 && sum == 7);
    end
  end
endmodule
