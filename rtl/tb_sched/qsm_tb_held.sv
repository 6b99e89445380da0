// SPDX-License-Identifier: Apache-2.0
// What each resident thread block has of its SM, in one distributed RAM for all SMs: a block is
// dispatched at a time, and one retires (R-TB-17, R-TB-18). Contract: docs/tb_sched.md R-TB-10,
// R-TB-11. Reads are combinational.
module qsm_tb_held #(
  parameter int unsigned NumSms = 4,        // 1..96
  parameter int unsigned NumKernels = 4,    // 1..8
  parameter int unsigned NumSched = 1,      // sub-cores, 1..4
  parameter int unsigned WarpsPerSched = 8, // 1..16
  parameter int unsigned MaxTbs = 8,        // 1..32
  parameter int unsigned Granules = 32,     // power of two
  parameter int unsigned TicketW = 6,
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned GranW = $clog2(Granules),
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned SubW = (NumSched > 1) ? $clog2(NumSched) : 1,
  localparam int unsigned FreeW = $clog2(WarpsPerSched + 1)
) (
  input  logic clk_i,

  // Shape of each kernel's TBs, stable while one of them is resident: warps = whole_i * NumSched +
  // rest_i.
  input  logic [NumKernels-1:0][FreeW-1:0] whole_i,
  input  logic [NumKernels-1:0][SubW-1:0]  rest_i,

  // A TB takes its place: SM, TB slot, sub-core of its warp 0, granules.
  input  logic                take_i,
  input  logic [SmW-1:0]      take_sm_i,
  input  logic [TbW-1:0]      take_tb_i,
  input  logic [KernelW-1:0]  take_kernel_i,
  input  logic [SubW-1:0]     take_first_i,
  input  logic [GranW-1:0]    take_base_i,
  input  logic [Granules-1:0] take_granules_i,
  input  logic [TicketW-1:0]  take_ticket_i,
  // What a TB has; its warps of each sub-core.
  input  logic [SmW-1:0]      retire_sm_i,
  input  logic [TbW-1:0]      retire_tb_i,
  output logic [KernelW-1:0]  kernel_o,
  output logic [NumSched-1:0][FreeW-1:0] warps_o,
  output logic [Granules-1:0] granules_o,
  output logic [TicketW-1:0]  ticket_o,
  // Where a TB is: sub-core of its warp 0, first granule.
  input  logic [SmW-1:0]      look_sm_i,
  input  logic [TbW-1:0]      look_tb_i,
  output logic [SubW-1:0]     look_first_o,
  output logic [GranW-1:0]    look_base_o
);
  typedef struct packed {
    logic [KernelW-1:0] kernel;
    logic [SubW-1:0] first;
    logic [GranW-1:0] base;
    logic [Granules-1:0] granules;
    logic [TicketW-1:0] ticket;
  } held_t;
  held_t held_mem[1 << (SmW + TbW)];
  held_t freed, look;
  always_ff @(posedge clk_i)
    if (take_i)
      held_mem[{take_sm_i, take_tb_i}] <= '{kernel: take_kernel_i, first: take_first_i,
          base: take_base_i, granules: take_granules_i, ticket: take_ticket_i};
  assign freed = held_mem[{retire_sm_i, retire_tb_i}];
  assign look = held_mem[{look_sm_i, look_tb_i}];

  qsm_tb_need #(.NumSched(NumSched), .WarpsPerSched(WarpsPerSched)) u_freed (
    .whole_i(whole_i[freed.kernel]), .rest_i(rest_i[freed.kernel]), .first_i(freed.first),
    .need_o(warps_o)
  );
  assign kernel_o = freed.kernel;
  assign granules_o = freed.granules;
  assign ticket_o = freed.ticket;
  assign look_first_o = look.first;
  assign look_base_o = look.base;
  logic unused;
  assign unused = ^{freed.base, look.kernel, look.granules, look.ticket};
endmodule
