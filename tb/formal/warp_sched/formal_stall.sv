// SPDX-License-Identifier: Apache-2.0
// qsm_stall: any one counter grows by the resident warps of its kernel with its reason, and by
// nothing else (R-IS-6, R-SP-6).
module formal_stall #(
  parameter int unsigned NumWarps = 3,
  parameter int unsigned NumKernels = 3,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input logic                             clk_i,
  input logic [NumWarps-1:0]              resident_i,
  input logic [NumWarps-1:0][KernelW-1:0] kernel_i,
  input logic [NumWarps-1:0][2:0]         reason_i,
  input logic [KernelW-1:0]               read_kernel_i,
  input logic [2:0]                       read_reason_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [NumWarps-1:0] known;
  always_comb for (int unsigned w = 0; w < NumWarps; w++) known[w] = 32'(kernel_i[w]) < NumKernels;

  logic [31:0] value;
  qsm_stall #(.NumWarps(NumWarps), .NumKernels(NumKernels)) u_dut (
    .clk_i, .rst_ni, .resident_i, .kernel_i, .reason_i, .read_kernel_i, .read_reason_i,
    .value_o(value)
  );

  // The counter that is read in the reset cycle is the one looked at.
  logic [KernelW-1:0] kernel_q;
  logic [2:0]         reason_q;
  logic [31:0]        count_q, more;
  always_comb begin
    more = '0;
    for (int unsigned w = 0; w < NumWarps; w++)
      more += 32'(resident_i[w] && kernel_i[w] == kernel_q && reason_i[w] == reason_q);
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      kernel_q <= read_kernel_i;
      reason_q <= read_reason_i;
      count_q <= '0;
    end else begin
      count_q <= count_q + more;
    end
  end

  always_ff @(posedge clk_i) begin
    assume (32'(read_kernel_i) < NumKernels && known == '1);
    if (rst_ni) begin
      in_range: assert (32'(kernel_q) < NumKernels);
      counts: assert (u_dut.count_q[kernel_q][reason_q] == count_q);
      if (read_kernel_i == kernel_q && read_reason_i == reason_q) reads: assert (value == count_q);
    end
    all_at_once: cover (rst_ni && more == NumWarps && kernel_q == 1 && reason_q == 5 &&
        count_q == 4);
  end
endmodule
