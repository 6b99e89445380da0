// SPDX-License-Identifier: Apache-2.0
// Stands in for the sub-core in the SM's unit bench: its outputs are what the bench drives into the
// signals below.
module qsm_subcore
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned Sub = 0
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        rst_kept_ni,
  input  logic [SmW-1:0]              sm_id_i,
  input  logic [63:0]                 cycle_i,
  input  desc_t [NumKernels-1:0]      desc_i,
  input  policy_e                     policy_i,
  input  policy_param_t               policy_param_i,
  input  logic [NumKernels-1:0]       killed_i,
  input  logic [NumKernels-1:0]       open_i,
  input  logic [NumKernels-1:0]       gaps_i,
  input  logic [NumKernels-1:0]       no_mem_i,
  input  logic [NumKernels-1:0]       throttled_i,
  input  logic [NumKernels-1:0]       qos_was_i,
  input  tb_index_t                   tb_index_i,
  input  warp_start_t                 start_i,
  input  logic [MaxTbs-1:0]           release_i,
  input  logic                        icache_inv_i,
  input  logic                        fill_valid_i,
  input  lanes_t                      fill_data_i,
  input  kinds_t                      fill_kinds_i,
  output logic                        miss_busy_o,
  output logic                        miss_valid_o,
  output logic [31:0]                 miss_addr_o,
  output logic [KernelW-1:0]          miss_slot_o,
  input  logic                        miss_grant_i,
  output issue_event_t                issue_o,
  output tb_event_t                   arrive_o,
  output tb_event_t                   finish_o,
  output fault_event_t                fault_o,
  output logic                        mq_valid_o,
  output mem_op_t                     mq_o,
  output who_t                        mq_who_o,
  input  logic                        mq_pop_i,
  input  mem_result_t                 result_i,
  output logic                        result_pop_o,
  input  sb_pass_t                    sb_pass_i,
  input  sb_ack_t                     sb_ack_i,
  input  freeze_t                     freeze_next_i,
  input  logic                        evict_i,
  input  logic                        restoring_i,
  input  step_find_t                  step_find_i,
  input  step_t                       step_i,
  input  step_op_t                    step_op_i,
  output logic                        step_done_o,
  output step_warp_t                  step_warp_o,
  output mask_t                       step_path_mask_o,
  output step_lane_t                  step_lane_o,
  output step_word_t                  step_word_o,
  output logic                        quiet_o,
  output logic                        drained_o,
  input  logic [KernelW-1:0]          stall_kernel_i,
  input  logic [2:0]                  stall_reason_i,
  output logic [31:0]                 stall_value_o,
  output qaws_front_t                 qaws_front_o,
  output logic [WarpsPerSched-1:0]    resident_o,
  output logic [WarpsPerSched-1:0][KernelW-1:0] kernel_o,
  output logic [WarpsPerSched-1:0]    ready_o
);
  logic               miss_valid;
  logic [31:0]        miss_addr;
  logic [KernelW-1:0] miss_slot;
  issue_event_t       issue;
  tb_event_t          arrive, finish;
  fault_event_t       fault;
  logic               mq_valid;
  mem_op_t            mq;
  who_t               mq_who;
  logic               quiet;

  assign miss_busy_o   = miss_valid;
  assign miss_valid_o  = miss_valid;
  assign miss_addr_o   = miss_addr;
  assign miss_slot_o   = miss_slot;
  assign issue_o       = issue;
  assign arrive_o      = arrive;
  assign finish_o      = finish;
  assign fault_o       = fault;
  assign mq_valid_o    = mq_valid;
  always_ff @(posedge clk_i) if (mq_pop_i) mq_o <= mq;
  assign mq_who_o      = mq_who;
  assign result_pop_o  = 1'b0;
  assign {step_path_mask_o, step_lane_o, step_word_o} = '0;
  assign step_warp_o   = '{found: quiet, default: '0};
  assign step_done_o   = quiet && step_i.valid && step_i.whole;  // at once, or never
  assign {quiet_o, drained_o} = {quiet, quiet};
  assign stall_value_o = 32'h100 * Sub + 32'(stall_reason_i);
  assign resident_o    = '1;
  // Sub + 1 idle warps, and the last one, which issues.
  always_comb begin
    for (int unsigned w = 0; w < WarpsPerSched; w++) begin
      kernel_o[w] = KernelW'(Sub + 1);
      ready_o[w] = w <= Sub;
    end
    kernel_o[WarpsPerSched-1] = issue.kernel;
    ready_o[WarpsPerSched-1] = issue.valid;
  end
  assign qaws_front_o  = '{valid: 1'b1, budget: 8'(Sub + 1), ncs: 8'(stall_reason_i)};
endmodule
