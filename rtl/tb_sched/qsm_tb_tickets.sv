// SPDX-License-Identifier: Apache-2.0
// Tickets of one SM: numbers of thread blocks, unique among the live ones of a launch. Per kernel a
// stack of returned tickets and a count of those made here; the tickets that SM i makes are
// FirstTicket + n * Step, so that no two SMs make the same.
// Contract: docs/preemption.md R-PE-9. ticket_o is combinational from kernel_i; a take and a push
// of one kernel may coincide (the take sees the stack at the start of the cycle). As many tickets
// are on the stack and out as were ever made, at most MaxTbs per kernel.
// Cost: one distributed RAM of NumKernels * MaxTbs tickets, two counters per kernel.
module qsm_tb_tickets #(
  parameter int unsigned NumKernels = 4,   // 1..8
  parameter int unsigned MaxTbs = 8,       // TB slots of the SM, 1..32
  parameter int unsigned FirstTicket = 8,
  parameter int unsigned Step = 4,
  parameter int unsigned TicketW = 6,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [NumKernels-1:0] launch_i,  // pulse: no ticket of this kernel is out; start again

  input  logic [KernelW-1:0] kernel_i,
  output logic [TicketW-1:0] ticket_o,     // what this kernel's next TB gets
  input  logic               take_i,

  input  logic               push_i,
  input  logic [KernelW-1:0] push_kernel_i,
  input  logic [TicketW-1:0] push_ticket_i
);
  localparam int unsigned PlaceW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1;
  localparam int unsigned CountW = $clog2(MaxTbs + 1);

  logic [NumKernels-1:0][CountW-1:0] height_q;  // tickets on the stack
  logic [NumKernels-1:0][CountW-1:0] made_q;    // fresh_cnt
  logic [TicketW-1:0] stack_mem[1 << (KernelW + PlaceW)];

  logic make;
  assign make = height_q[kernel_i] == '0;
  assign ticket_o = make ? TicketW'(FirstTicket) + TicketW'(made_q[kernel_i]) * TicketW'(Step)
                         : stack_mem[{kernel_i, PlaceW'(height_q[kernel_i] - CountW'(1))}];

  logic [NumKernels-1:0] take, pop, push;
  always_comb begin
    take = take_i ? NumKernels'(1) << kernel_i : '0;
    pop = make ? '0 : take;
    push = push_i ? NumKernels'(1) << push_kernel_i : '0;
  end

  always_ff @(posedge clk_i) begin
    if (push_i)
      stack_mem[{push_kernel_i, PlaceW'(height_q[push_kernel_i] - CountW'(pop[push_kernel_i]))}] <=
          push_ticket_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      height_q <= '0;
      made_q <= '0;
    end else begin
      for (int unsigned k = 0; k < NumKernels; k++) begin
        height_q[k] <= launch_i[k] ? '0 : height_q[k] + CountW'(push[k]) - CountW'(pop[k]);
        if (launch_i[k]) made_q[k] <= '0;
        else if (take[k] && make) made_q[k] <= made_q[k] + CountW'(1);
      end
    end
  end

`ifndef SYNTHESIS
  for (genvar k = 0; k < NumKernels; k++) begin : g_assert
    // none is pushed twice
    assert property (@(posedge clk_i) disable iff (!rst_ni) height_q[k] <= made_q[k]);
    // R-PE-9: the bound
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        !(take[k] && make && made_q[k] == CountW'(MaxTbs)));
    assert property (@(posedge clk_i) disable iff (!rst_ni) !(launch_i[k] && (take[k] || push[k])));
  end
`endif
endmodule
