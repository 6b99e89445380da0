// SPDX-License-Identifier: Apache-2.0
// qsm_tb_ages: every resident block stands in the list once, under its kernel, and of any two the
// one that came later stands before the other (R-TB-13).
module formal_tb_ages #(
  parameter int unsigned NumKernels = 2,
  parameter int unsigned MaxTbs = 4,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1
) (
  input logic               clk_i,
  input logic               add_i,
  input logic [TbW-1:0]     add_tb_i,
  input logic [KernelW-1:0] add_kernel_i,
  input logic               remove_i,
  input logic [TbW-1:0]     remove_tb_i,
  input logic [TbW-1:0]     a_i,  // any two slots
  input logic [TbW-1:0]     b_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [MaxTbs-1:0]              valid;
  logic [MaxTbs-1:0][TbW-1:0]     tb;
  logic [MaxTbs-1:0][KernelW-1:0] kernel;
  qsm_tb_ages #(.NumKernels(NumKernels), .MaxTbs(MaxTbs)) u_dut (
    .clk_i, .rst_ni, .add_i, .add_tb_i, .add_kernel_i, .remove_i, .remove_tb_i, .valid_o(valid),
    .tb_o(tb), .kernel_o(kernel)
  );

  logic [TbW-1:0]     a_q, b_q;
  logic [MaxTbs-1:0]  resident_q;
  logic               a_younger_q;
  logic [KernelW-1:0] a_kernel_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {a_q, b_q} <= {a_i, b_i};
      resident_q <= '0;
    end else begin
      if (remove_i) resident_q[remove_tb_i] <= 1'b0;
      if (add_i) resident_q[add_tb_i] <= 1'b1;
      if (add_i && add_tb_i == a_q) {a_younger_q, a_kernel_q} <= {1'b1, add_kernel_i};
      if (add_i && add_tb_i == b_q) a_younger_q <= 1'b0;
    end
  end

  // Places of the two, and how often they are listed.
  logic [TbW-1:0]            a_place, b_place;
  logic [$clog2(MaxTbs+1)-1:0] a_times, listed;
  always_comb begin
    {a_place, b_place, a_times, listed} = '0;
    for (int unsigned r = 0; r < MaxTbs; r++) begin
      listed += valid[r];
      if (valid[r] && tb[r] == a_q) begin
        a_place = TbW'(r);
        a_times += 1'b1;
      end
      if (valid[r] && tb[r] == b_q) b_place = TbW'(r);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      assume (a_i != b_i && 32'(a_i) < MaxTbs && 32'(b_i) < MaxTbs);
    end else begin
      assume (!add_i || (32'(add_tb_i) < MaxTbs && !resident_q[add_tb_i]));
      assume (!remove_i || (32'(remove_tb_i) < MaxTbs && resident_q[remove_tb_i]));
      once: assert (32'(a_times) == 32'(resident_q[a_q]));
      nobody_else: assert (32'(listed) == $countones(resident_q));
      if (resident_q[a_q]) whose: assert (kernel[a_place] == a_kernel_q);
      if (resident_q[a_q] && resident_q[b_q]) by_age: assert ((a_place < b_place) == a_younger_q);
      full: cover (&valid && a_place == MaxTbs - 1);
      hole: cover (resident_q[a_q] && !valid[0] && !valid[2] && valid[3] && a_place == 1);
    end
  end
endmodule
