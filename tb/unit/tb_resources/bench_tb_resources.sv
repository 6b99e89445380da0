// SPDX-License-Identifier: Apache-2.0
// qsm_tb_resources of an SM with what its blocks have, in qsm_tb_held.
module bench_tb_resources #(
  parameter int unsigned NumKernels = 4,
  parameter int unsigned NumSched = 1,
  parameter int unsigned WarpsPerSched = 8,
  parameter int unsigned MaxTbs = 8,
  parameter int unsigned Granules = 32,
  parameter int unsigned TicketW = 6,
  localparam int unsigned GranW = $clog2(Granules),
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned SubW = (NumSched > 1) ? $clog2(NumSched) : 1,
  localparam int unsigned FreeW = $clog2(WarpsPerSched + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [NumKernels-1:0][FreeW-1:0] whole_i,
  input  logic [NumKernels-1:0][SubW-1:0]  rest_i,
  input  logic [KernelW-1:0]  look_kernel_i,
  output logic                fits_o,
  output logic [TbW-1:0]      tb_o,
  output logic [SubW-1:0]     place_o,
  output logic [SubW-1:0]     first_o,
  output logic [Granules-1:0] free_granules_o,
  input  logic                take_i,
  input  logic                take_sm_i,   // anywhere in qsm_tb_held, of which one SM is used
  input  logic [KernelW-1:0]  take_kernel_i,
  input  logic [TbW-1:0]      take_tb_i,
  input  logic [SubW-1:0]     take_first_i,
  input  logic [SubW-1:0]     take_after_i,
  input  logic [NumSched-1:0][FreeW-1:0] take_warps_i,
  input  logic [GranW-1:0]    take_base_i,
  input  logic [Granules-1:0] take_granules_i,
  input  logic [TicketW-1:0]  take_ticket_i,
  input  logic                retire_i,
  input  logic [TbW-1:0]      retire_tb_i,
  output logic [KernelW-1:0]  retire_kernel_o,
  output logic [TicketW-1:0]  retire_ticket_o,
  output logic [NumKernels-1:0][5:0]      cnt_o,
  output logic [NumSched-1:0][FreeW-1:0]  free_warps_o,
  input  logic [TbW-1:0]      look_tb_i,
  output logic [SubW-1:0]     look_first_o,
  output logic [GranW-1:0]    look_base_o
);
  logic [NumSched-1:0][FreeW-1:0] retire_warps;
  logic [Granules-1:0] retire_granules;
  qsm_tb_held #(
    .NumSms(2), .NumKernels(NumKernels), .NumSched(NumSched), .WarpsPerSched(WarpsPerSched),
    .MaxTbs(MaxTbs), .Granules(Granules), .TicketW(TicketW)
  ) u_held (
    .clk_i, .whole_i, .rest_i, .take_i, .take_sm_i, .take_tb_i, .take_kernel_i, .take_first_i,
    .take_base_i, .take_granules_i, .take_ticket_i, .retire_sm_i(take_sm_i), .retire_tb_i,
    .kernel_o(retire_kernel_o), .warps_o(retire_warps), .granules_o(retire_granules),
    .ticket_o(retire_ticket_o), .look_sm_i(take_sm_i), .look_tb_i, .look_first_o, .look_base_o
  );
  qsm_tb_resources #(
    .NumKernels(NumKernels), .NumSched(NumSched), .WarpsPerSched(WarpsPerSched), .MaxTbs(MaxTbs),
    .Granules(Granules)
  ) u_dut (
    .clk_i, .rst_ni, .whole_i, .rest_i, .look_kernel_i, .fits_o, .tb_o, .place_o, .first_o,
    .free_granules_o, .take_i, .take_kernel_i, .take_tb_i, .take_after_i, .take_warps_i,
    .take_granules_i, .retire_i, .retire_kernel_i(retire_kernel_o), .retire_tb_i,
    .retire_warps_i(retire_warps), .retire_granules_i(retire_granules), .cnt_o, .free_warps_o
  );
endmodule
