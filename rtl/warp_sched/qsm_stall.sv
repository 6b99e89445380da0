// SPDX-License-Identifier: Apache-2.0
// Stall reasons: one reason per resident warp and cycle why it did not issue, counted per kernel.
// Doc: docs/subcore.md (R-IS-6), docs/decisions.md W8.
// Counter [kernel][reason] grows by the number of the kernel's resident warps with that reason; 32
// bit, wraps. Read in the same cycle.
// Cost: NumKernels * 8 counters; build them only where they are wanted (the instance stands under
// StallCounters).
module qsm_stall
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumWarps = 8,
  parameter int unsigned NumKernels = 4,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic [NumWarps-1:0]              resident_i,
  input  logic [NumWarps-1:0][KernelW-1:0] kernel_i,
  input  logic [NumWarps-1:0][2:0]         reason_i,
  input  logic [KernelW-1:0]               read_kernel_i,  // < NumKernels
  input  logic [2:0]                       read_reason_i,
  output logic [31:0]                      value_o
);
  localparam int unsigned Reasons = StallCount;
  localparam int unsigned SumW = $clog2(NumWarps + 1);

  logic [NumKernels-1:0][Reasons-1:0][SumW-1:0] added;

  logic [NumKernels-1:0][Reasons-1:0][31:0] count_q;

  // Sets of warps, by kernel and by reason: as many compares as there are kernels and reasons, not
  // as there are counters.
  logic [NumKernels-1:0][NumWarps-1:0] of_kernel;
  logic [Reasons-1:0][NumWarps-1:0] with_reason;
  logic [2:0][NumWarps-1:0] reason_bit;
  always_comb begin
    for (int unsigned w = 0; w < NumWarps; w++) begin
      {reason_bit[2][w], reason_bit[1][w], reason_bit[0][w]} = reason_i[w];
      for (int unsigned k = 0; k < NumKernels; k++)
        of_kernel[k][w] = resident_i[w] && kernel_i[w] == KernelW'(k);
    end
    for (int unsigned r = 0; r < Reasons; r++) begin
      with_reason[r] = '1;
      for (int unsigned b = 0; b < 3; b++)
        with_reason[r] &= (r & (1 << b)) != 0 ? reason_bit[b] : ~reason_bit[b];
    end
  end

  for (genvar k = 0; k < NumKernels; k++) begin : g_kernel
    for (genvar r = 0; r < Reasons; r++) begin : g_reason
      assign added[k][r] = SumW'($countones(of_kernel[k] & with_reason[r]));

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) count_q[k][r] <= '0;
        else count_q[k][r] <= count_q[k][r] + 32'(added[k][r]);
      end
    end
  end

  assign value_o = count_q[read_kernel_i][read_reason_i];

`ifndef SYNTHESIS
  logic [31:0] n_added;
  always_comb begin
    n_added = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned r = 0; r < Reasons; r++) n_added += 32'(added[k][r]);
    end
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) n_added == 32'($countones(resident_i)))
    else $error("R-SP-6: the counters do not add up to the resident warps");
`endif
endmodule
