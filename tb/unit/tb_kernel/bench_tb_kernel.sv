// SPDX-License-Identifier: Apache-2.0
// qsm_tb_kernel with the grid walk of its parent, for the unit bench.
module bench_tb_kernel #(
  parameter int unsigned NumSms = 4,
  parameter int unsigned OutW = 16,
  parameter int unsigned EndDelay = 16,
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                launch_i,
  input  logic                kill_write_i,
  input  logic                yield_write_i,
  input  logic                arrival_i,
  input  logic [2:0]          walk_write_i,
  input  logic [31:0]         walk_i,
  input  logic [2:0][15:0]    grid_i,
  output logic                busy_o,
  output logic                killed_o,
  output logic                yielded_o,
  output logic                ending_o,
  output logic                ended_o,
  output logic [31:0]         launches_o,
  output logic                faulted_o,
  output logic [SmW-1:0]      fault_sm_o,
  output logic                has_block_o,
  output logic                ready_o,
  output logic [2:0][15:0]    block_o,
  output logic [31:0]         linear_o,
  input  logic                dispatch_i,
  input  logic                resume_i,
  input  logic                unfinished_i,
  output logic                start_o,
  output logic                kill_o,
  input  logic [NumSms-1:0]   fault_i,
  input  logic                retires_i,
  output logic [OutW-1:0]     out_o
);
  logic [2:0][15:0] next_block;
  logic [31:0] next_linear;
  logic last;
  qsm_tb_walk u_walk (
    .grid_i, .block_i(block_o), .linear_i(linear_o), .block_o(next_block),
    .linear_o(next_linear), .last_o(last)
  );
  qsm_tb_kernel #(.NumSms(NumSms), .OutW(OutW), .EndDelay(EndDelay)) u_dut (
    .clk_i, .rst_ni, .launch_i, .kill_write_i, .yield_write_i, .arrival_i, .walk_write_i, .walk_i,
    .busy_o, .killed_o, .yielded_o, .ending_o, .ended_o, .launches_o, .faulted_o, .fault_sm_o,
    .has_block_o, .ready_o, .block_o, .linear_o, .dispatch_i, .next_block_i(next_block),
    .next_linear_i(next_linear), .last_i(last), .resume_i, .unfinished_i, .start_o, .kill_o,
    .fault_i, .retires_i, .out_o
  );
endmodule
