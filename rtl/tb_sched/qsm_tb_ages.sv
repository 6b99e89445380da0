// SPDX-License-Identifier: Apache-2.0
// Resident thread blocks of one SM by age, the youngest first. Contract: docs/tb_sched.md R-TB-13.
// A new block comes in at place 0 and pushes the others on as far as the first hole; a block that
// leaves makes a hole. So no place needs a multiplexer, only an enable. Both may coincide. Outputs
// are registers.
module qsm_tb_ages #(
  parameter int unsigned NumKernels = 4,  // 1..8
  parameter int unsigned MaxTbs = 8,      // TB slots, 1..32
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic               add_i,
  input  logic [TbW-1:0]     add_tb_i,
  input  logic [KernelW-1:0] add_kernel_i,
  input  logic               remove_i,
  input  logic [TbW-1:0]     remove_tb_i,

  output logic [MaxTbs-1:0]              valid_o,  // this place holds a TB
  output logic [MaxTbs-1:0][TbW-1:0]     tb_o,
  output logic [MaxTbs-1:0][KernelW-1:0] kernel_o
);
  logic [MaxTbs-1:0] valid_q, stays, moves;  // moves: gets what stood one place before it
  logic [MaxTbs-1:0][TbW-1:0] tb_q;
  logic [MaxTbs-1:0][KernelW-1:0] kernel_q;

  always_comb begin
    logic pushed;
    pushed = add_i;
    for (int unsigned r = 0; r < MaxTbs; r++) begin
      stays[r] = valid_q[r] && !(remove_i && tb_q[r] == remove_tb_i);
      moves[r] = pushed;
      pushed = pushed && valid_q[r];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= (moves & MaxTbs'({stays, 1'b1})) | (~moves & stays);
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned r = 0; r < MaxTbs; r++) begin
      if (moves[r]) begin
        tb_q[r] <= (r == 0) ? add_tb_i : tb_q[(r + MaxTbs - 1) % MaxTbs];
        kernel_q[r] <= (r == 0) ? add_kernel_i : kernel_q[(r + MaxTbs - 1) % MaxTbs];
      end
    end
  end

  assign valid_o = valid_q;
  assign tb_o = tb_q;
  assign kernel_o = kernel_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(add_i && (&valid_q)));
`endif
endmodule
