// SPDX-License-Identifier: Apache-2.0
// Sub-core of an SM: ports (the blocks inside follow).
module qsm_subcore
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned Sub = 0  // index of this sub-core in its SM
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic [SmW-1:0]              sm_id_i,
  input  logic [63:0]                 cycle_i,
  input  desc_t [NumKernels-1:0]      desc_i,
  input  policy_e                     policy_i,
  input  logic [NumKernels-1:0]       killed_i,        // registered level
  input  logic [NumKernels-1:0]       open_i,          // quota gate, level
  input  tb_info_t [MaxTbs-1:0]       tb_info_i,

  input  warp_start_t                 start_i,         // R-WS-1
  input  logic [MaxTbs-1:0]           release_i,       // pulse in the cycle r of R-WS-8

  input  logic                        icache_inv_i,    // R-FE-6
  input  logic                        fill_valid_i,    // R-FE-5, cycle a
  input  lanes_t                      fill_data_i,
  output logic                        miss_valid_o,    // miss register PEND
  output logic [31:0]                 miss_addr_o,     // line address
  output logic [KernelW-1:0]          miss_slot_o,
  input  logic                        miss_grant_i,

  output issue_event_t                issue_o,         // in the issue cycle
  output tb_event_t                   arrive_o,        // in the cycle e of R-WS-4
  output tb_event_t                   finish_o,        // in the cycle of R-WS-10
  output fault_event_t                fault_o,         // in EX2

  output logic                        mq_valid_o,      // head of the memory queue, R-EX-4
  output mem_op_t                     mq_o,
  input  logic                        mq_pop_i,
  input  mem_result_t                 result_i,        // in the cycle p+1 of R-LS-12
  output logic                        result_pop_o,    // in the write-back cycle
  input  sb_pass_t                    sb_pass_i,       // for all sub-cores
  input  sb_ack_t                     sb_ack_i,        // for all sub-cores

  input  logic [KernelW-1:0]          stall_kernel_i,
  input  logic [2:0]                  stall_reason_i,
  output logic [31:0]                 stall_value_o
);
  logic unused;
  assign unused = ^{Sub, clk_i, rst_ni, sm_id_i, cycle_i, desc_i, policy_i, killed_i, open_i, tb_info_i, start_i,
                    release_i, icache_inv_i, fill_valid_i, fill_data_i, miss_grant_i, mq_pop_i, result_i, sb_pass_i,
                    sb_ack_i, stall_kernel_i, stall_reason_i};
  assign {miss_valid_o, miss_addr_o, miss_slot_o, issue_o, arrive_o, finish_o, fault_o, mq_valid_o, mq_o,
          result_pop_o, stall_value_o} = '0;
endmodule
