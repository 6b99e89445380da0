// SPDX-License-Identifier: Apache-2.0
// In place of qsm_tb_trial, which has a proof of its own: counts what is freed; whether the TB fits
// and whether one is left that could go are inputs, so that they may be anything.
module qsm_tb_trial #(
  parameter int unsigned NumKernels = 4,
  parameter int unsigned NumSched = 1,
  parameter int unsigned WarpsPerSched = 8,
  parameter int unsigned MaxTbs = 8,
  parameter int unsigned Granules = 32,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned CountW = $clog2(MaxTbs + 1),
  localparam int unsigned SubW = (NumSched > 1) ? $clog2(NumSched) : 1,
  localparam int unsigned FreeW = $clog2(WarpsPerSched + 1),
  localparam int unsigned GranW = $clog2(Granules)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic [MaxTbs-1:0]              age_valid_i,
  input  logic [MaxTbs-1:0][TbW-1:0]     age_tb_i,
  input  logic [MaxTbs-1:0][KernelW-1:0] age_kernel_i,
  input  logic [NumSched-1:0][FreeW-1:0] warps_i,
  input  logic [Granules-1:0]            granules_i,
  input  logic [SubW-1:0]                first_i,
  input  logic                           load_i,
  input  logic                           restart_i,
  input  logic [FreeW-1:0]               whole_i,
  input  logic [SubW-1:0]                rest_i,
  output logic [Granules-1:0]            granules_o,
  input  logic                           found_i,
  input  logic [Granules-1:0]            run_i,
  output logic                           fits_o,
  input  logic                           take_i,
  input  logic [KernelW-1:0]             kernel_i,
  output logic                           some_o,
  output logic [TbW-1:0]                 tb_o,
  output logic [CountW-1:0]              freed_o,
  input  logic                           free_i,
  input  logic [FreeW-1:0]               freed_whole_i,
  input  logic [SubW-1:0]                freed_rest_i,
  input  logic [SubW-1:0]                freed_first_i,
  input  logic [GranW-1:0]               freed_base_i,
  input  logic [GranW:0]                 freed_granules_i
);
  logic [CountW-1:0] n_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) n_q <= '0;
    else n_q <= (restart_i || load_i) ? '0 : n_q + CountW'(free_i);
  end
  assign freed_o = n_q;
  assign fits_o = found_i;
  assign some_o = age_valid_i[0];
  assign tb_o = age_tb_i[0];
  assign granules_o = granules_i;
endmodule
