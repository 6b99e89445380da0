// SPDX-License-Identifier: Apache-2.0
// Warps of a sub-core as the policies see them: a warp comes into a slot that is free, and leaves
// one that it holds. Assumed: legal starts, finishes, and that eligible and long are said of
// resident warps only.
module formal_warps #(
  parameter  int unsigned NumWarps   = 4,
  parameter  int unsigned NumKernels = 2,
  localparam int unsigned SlotW      = (NumWarps > 1) ? $clog2(NumWarps) : 1,
  localparam int unsigned KernelW    = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             start_valid_i,
  input  logic [SlotW-1:0]                 start_slot_i,
  input  logic [KernelW-1:0]               start_kernel_i,
  input  logic                             finish_valid_i,
  input  logic [SlotW-1:0]                 finish_slot_i,
  input  logic [NumWarps-1:0]              eligible_i,
  input  logic [NumWarps-1:0]              long_latency_i,
  output logic [NumWarps-1:0]              resident_o,
  output logic [NumWarps-1:0][KernelW-1:0] kernel_o,
  // [a][b]: slot a was started before slot b; by number after reset
  output logic [NumWarps-1:0][NumWarps-1:0] older_o
);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      resident_o <= '0;
      for (int unsigned a = 0; a < NumWarps; a++) begin
        for (int unsigned b = 0; b < NumWarps; b++) older_o[a][b] <= a < b;
      end
    end else begin
      for (int unsigned w = 0; w < NumWarps; w++) begin
        if (finish_valid_i && finish_slot_i == SlotW'(w)) resident_o[w] <= 1'b0;
        if (start_valid_i && start_slot_i == SlotW'(w)) begin
          resident_o[w] <= 1'b1;
          kernel_o[w] <= start_kernel_i;
          for (int unsigned a = 0; a < NumWarps; a++) begin
            older_o[a][w] <= a != w;
            older_o[w][a] <= 1'b0;
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (32'(start_slot_i) < NumWarps && 32'(finish_slot_i) < NumWarps &&
          32'(start_kernel_i) < NumKernels);
      assume (!start_valid_i || !resident_o[start_slot_i]);
      assume (!finish_valid_i || resident_o[finish_slot_i]);
      assume ((eligible_i & ~resident_o) == '0);
      assume ((long_latency_i & ~resident_o) == '0);
      assume ((eligible_i & long_latency_i) == '0);
      // The order has no circle. With this an engine need not find it by itself.
      for (int unsigned a = 0; a < NumWarps; a++) begin
        for (int unsigned b = 0; b < NumWarps; b++) begin
          assert (a == b || older_o[a][b] != older_o[b][a]);
          for (int unsigned c = 0; c < NumWarps; c++)
            assert (a == b || b == c || a == c || !older_o[a][b] || !older_o[b][c] ||
                    older_o[a][c]);
        end
      end
    end
  end
endmodule

// The ages that a scheduler keeps, [w][v]: v is older than w, are those of formal_warps. With this
// an engine need not find out how the two belong together.
module formal_ages #(
  parameter int unsigned NumWarps = 4
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic [NumWarps-1:0][NumWarps-1:0] older_i,
  input logic [NumWarps-1:0][NumWarps-1:0] kept_i
);
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      for (int unsigned a = 0; a < NumWarps; a++) begin
        for (int unsigned b = 0; b < NumWarps; b++)
          assert (a == b || older_i[a][b] == kept_i[b][a]);
      end
    end
  end
endmodule
