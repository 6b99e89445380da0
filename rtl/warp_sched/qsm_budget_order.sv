// SPDX-License-Identifier: Apache-2.0
// Which kernels have a greater budget than each kernel: all that QAWS needs of the budgets' order.
//
// Contract: docs/qaws.md (R-QW-1, R-QW-3). Of two kernels with equal budgets neither is above.
// Latency: combinational; once in the GPU, for all sub-cores.
// Cost: two compares of 8 bits per pair of kernels.
module qsm_budget_order #(
  parameter int unsigned NumKernels = 4  // kernel slots, 1..8
) (
  input  logic [NumKernels-1:0][7:0]            budget_i,
  output logic [NumKernels-1:0][NumKernels-1:0] above_o   // [k][j]: j's budget is above k's
);
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned j = 0; j < NumKernels; j++) above_o[k][j] = budget_i[j] > budget_i[k];
    end
  end
endmodule
