// SPDX-License-Identifier: Apache-2.0
// Streaming multiprocessor: sub-cores, load/store unit, thread-block slots, barrier, faults, quota counters. docs/sm.md
module qsm_sm
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic        [SmW-1:0]            sm_id_i,
  input  logic        [63:0]               cycle_i,
  // Direct from the control registers
  input  desc_t       [NumKernels-1:0]     desc_i,
  input  policy_e                          policy_i,
  input  logic        [NumKernels-1:0]     qos_i,
  input  logic        [NumKernels-1:0][30:0] first_quota_i,
  // Messages, in the cycle in which they are seen
  input  logic        [NumKernels-1:0]     start_i,
  input  logic        [NumKernels-1:0]     kill_i,
  input  dispatch_t                        dispatch_i,
  input  logic                             icache_inv_i,
  input  logic                             tick_i,
  input  quota_word_t                      quota_word_i,
  input  quota_load_t                      quota_load_i,
  // Messages, in the cycle in which they are sent
  output retire_t                          retire_o,
  output logic        [NumKernels-1:0]     fault_o,
  // Direct to the GPU level
  output fault_t      [NumKernels-1:0]     fault_record_o,
  output logic        [NumKernels-1:0][31:0] snap_c_o,
  output logic        [NumKernels-1:0][31:0] snap_insn_o,
  output logic        [NumKernels-1:0][30:0] quota_o,
  input  logic        [SubW-1:0]           stall_sub_i,
  input  logic        [KernelW-1:0]        stall_kernel_i,
  input  logic        [2:0]                stall_reason_i,
  output logic        [31:0]               stall_value_o,
  // Memory: request in the sending cycle, response in the seeing cycle
  output mem_req_t                         req_o,
  input  mem_rsp_t                         rsp_i
);
  assign {retire_o, fault_o, fault_record_o, snap_c_o, snap_insn_o, quota_o, stall_value_o, req_o} = '0;
endmodule
