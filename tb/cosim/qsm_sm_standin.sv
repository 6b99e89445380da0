// SPDX-License-Identifier: Apache-2.0
// Stands where qsm_gpu has its SMs: the same ports, led to qsm_cosim, behind whose ports the shim
// has the SMs (qsm_sm_block).
module qsm_sm
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_sm_pins_pkg::*;
(
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic        [SmW-1:0]              sm_id_i,
  input  logic        [63:0]                 cycle_i,
  input  desc_t       [NumKernels-1:0]       desc_i,
  input  policy_e                            policy_i,
  input  policy_param_t                      policy_param_i,
  input  logic        [NumKernels-1:0]       qos_i,
  input  logic        [30:0]                 first_quota_i,
  input  logic        [31:12]                save_base_i,
  input  logic        [19:0]                 epoch_len_i,
  input  logic        [NumKernels-1:0]       skip_l1_i,
  input  logic        [NumKernels-1:0]       start_i,
  input  logic        [NumKernels-1:0]       kill_i,
  input  dispatch_t                          dispatch_i,
  input  logic                               icache_inv_i,
  input  logic                               tick_i,
  input  logic                               sample_i,
  input  quota_word_t                        quota_word_i,
  input  quota_load_t                        quota_load_i,
  output retire_t                            retire_o,
  output logic                               restored_o,
  output logic        [NumKernels-1:0]       fault_o,
  input  logic        [KernelW-1:0]          fault_kernel_i,
  output fault_t                             fault_record_o,
  output logic        [NumKernels-1:0][31:0] snap_c_o,
  output logic        [NumKernels-1:0][31:0] snap_insn_o,
  output logic        [NumKernels-1:0][30:0] quota_o,
  output logic        [NumKernels-1:0][12:0] snap_idle_o,
  input  logic        [SubW-1:0]             stall_sub_i,
  input  logic        [KernelW-1:0]          stall_kernel_i,
  input  logic        [2:0]                  stall_reason_i,
  output logic        [31:0]                 stall_value_o,
  input  logic        [KernelW-1:0]          l1_slot_i,
  input  logic        [2:0]                  l1_counter_i,
  output logic        [31:0]                 l1_value_o,
  output logic        [3:0]                  save_phase_o,
  output qaws_front_t [NumSched-1:0]         qaws_front_o,
  output mem_req_t                           req_o,
  input  mem_rsp_t                           rsp_i
);
  to_sm_t to_sm;
  from_sm_t from_sm;  // driven by qsm_cosim

  assign to_sm = '{
    sm_id: sm_id_i, cycle: cycle_i, desc: desc_i, policy: policy_i, policy_param: policy_param_i,
        qos: qos_i, first_quota: first_quota_i,
    save_base: save_base_i,
    epoch_len: epoch_len_i, skip_l1: skip_l1_i,
    start: start_i, kill: kill_i, dispatch: dispatch_i, icache_inv: icache_inv_i, tick: tick_i,
        sample: sample_i,
    quota_word: quota_word_i, quota_load: quota_load_i,
    fault_kernel: fault_kernel_i, stall_sub: stall_sub_i, stall_kernel: stall_kernel_i,
        stall_reason: stall_reason_i,
    l1_slot: l1_slot_i, l1_counter: l1_counter_i, rsp: rsp_i
  };
  // The shim brings what the SMs send after a clock edge once all of them have seen it: from the
  // middle of the cycle on it is there.
  always_ff @(negedge clk_i) begin
    retire_o <= from_sm.retire;
    restored_o <= from_sm.restored;
    fault_o <= from_sm.fault;
    fault_record_o <= from_sm.fault_record;
    snap_c_o <= from_sm.snap_c;
    snap_insn_o <= from_sm.snap_insn;
    quota_o <= from_sm.quota;
    snap_idle_o <= from_sm.snap_idle;
    stall_value_o <= from_sm.stall_value;
    l1_value_o <= from_sm.l1_value;
    save_phase_o <= from_sm.save_phase;
    qaws_front_o <= from_sm.qaws_front;
    req_o <= from_sm.req;
  end
endmodule
