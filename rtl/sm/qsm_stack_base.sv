// SPDX-License-Identifier: Apache-2.0
// Base addresses of call stacks in local memory: of the first warp of each TB slot, and of one
// warp. docs/isa.md (I-MEM-6).
// Latency: a block's base is there from the fourth cycle after its arrival on; its first access
// comes later: a warp must start, fetch and issue.
// Cost: two multipliers (the second one shifts), an adder, MaxTbs x (32 - StackW) bits of
// distributed RAM; for the warp, combinational:
//   a shifter of WidxW bits and an adder.
module qsm_stack_base
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
#(
  localparam int unsigned CountW = $clog2(WarpsPerSm + 1),
  localparam int unsigned NumberW = TicketW + CountW  // number of a warp among those of all blocks
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  desc_t [NumKernels-1:0]  desc_i,
  input  tb_info_t [MaxTbs-1:0]   tb_info_i,
  // of a thread block that arrives (R-SM-1) or is restored
  input  tb_index_t               tb_index_i,
  // A warp, in the same cycle
  input  logic [KernelW-1:0]      kernel_i,
  input  logic [TbW-1:0]          tb_i,
  input  logic [WidxW-1:0]        widx_i,
  output logic [31:StackW]        base_o        // a multiple of its stacks' bytes
);
  localparam int unsigned BaseW = 32 - StackW;
  localparam logic [4:0] LeastLog2 = 5'd4;

  function automatic logic [3:0] shift_of(input logic [4:0] stack_log2);
    return 4'(stack_log2 - LeastLog2);  // undefined for a launch without stacks
  endfunction

  // ---- arrival: ticket * warps, then as many stacks, then the base of the block ----
  localparam int unsigned MostShift = 12;
  logic               found_q, numbered_q, placed_q;
  logic [TbW-1:0]     found_tb_q, numbered_tb_q, placed_tb_q;
  logic [TicketW-1:0] ticket_q;
  logic [KernelW-1:0] found_kernel, numbered_kernel_q, placed_kernel_q;
  logic [NumberW-1:0] number_q;
  logic [BaseW-1:0]   offset_q;
  logic [MostShift:0] unit;
  assign found_kernel = tb_info_i[found_tb_q].kernel;
  assign unit = (MostShift + 1)'(1) << shift_of(desc_i[numbered_kernel_q].stack_log2);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      found_q    <= 1'b0;
      numbered_q <= 1'b0;
      placed_q   <= 1'b0;
    end else begin
      found_q    <= tb_index_i.valid;
      numbered_q <= found_q;
      placed_q   <= numbered_q;
    end
  end
  always_ff @(posedge clk_i) begin
    found_tb_q    <= tb_index_i.tb;
    ticket_q      <= tb_index_i.ticket;
    numbered_tb_q <= found_tb_q;
    numbered_kernel_q <= found_kernel;
    number_q      <= NumberW'(ticket_q) * NumberW'(desc_i[found_kernel].warps[CountW-1:0]);
    placed_tb_q   <= numbered_tb_q;
    placed_kernel_q <= numbered_kernel_q;
    offset_q      <= BaseW'(number_q) * BaseW'(unit);
  end

  logic [BaseW-1:0] block_base, mem [MaxTbs];
  assign block_base = BaseW'({desc_i[placed_kernel_q].stack_base, 12'd0} >> StackW) + offset_q;
  always_ff @(posedge clk_i) if (placed_q) mem[placed_tb_q] <= block_base;

  // ---- a warp ----
  assign base_o = mem[tb_i] + (BaseW'(widx_i) << shift_of(desc_i[kernel_i].stack_log2));

  logic unused;
  assign unused = ^{tb_index_i, desc_i, tb_info_i};
endmodule
