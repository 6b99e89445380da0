// SPDX-License-Identifier: Apache-2.0
// Streaming multiprocessor: sub-cores, load/store unit, thread-block slots, barrier, faults, quota
// counters. docs/sm.md Contract: messages come and go without back-pressure (docs/machine.md);
// inputs are in the cycle in which a message is
//   seen, outputs in the cycle in which it is sent. Only wires here: the rules live in the blocks.
// Observed by the lockstep monitor: arrival (ARRIVE), start (START), retire_o (RETIRE), u_fault
// (FAULT),
//   u_barrier.release_o (RELEASE), req_o (REQ), rsp_i (RSP), u_lsu (LSUPASS, RETURN), u_quota
//   (QUOTA, QLOAD), u_idle_sampler (SAMPLE).
module qsm_sm
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic        [SmW-1:0]              sm_id_i,
  input  logic        [63:0]                 cycle_i,
  // Direct from the control registers
  input  desc_t       [NumKernels-1:0]       desc_i,
  input  policy_e                            policy_i,
  input  policy_param_t                      policy_param_i,
  input  logic        [NumKernels-1:0]       qos_i,
  // of the kernel whose block is dispatched
  input  logic        [30:0]                 first_quota_i,
  input  logic        [31:12]                save_base_i,     // of that kernel
  input  logic        [19:0]                 epoch_len_i,
  input  logic        [NumKernels-1:0]       skip_l1_i,       // CACHE_POLICY bit 0
  // Messages, in the cycle in which they are seen
  input  logic        [NumKernels-1:0]       start_i,
  input  logic        [NumKernels-1:0]       kill_i,
  input  dispatch_t                          dispatch_i,
  input  logic                               icache_inv_i,
  input  logic                               tick_i,
  input  logic                               sample_i,
  input  quota_word_t                        quota_word_i,
  input  quota_load_t                        quota_load_i,
  // Messages, in the cycle in which they are sent
  output retire_t                            retire_o,
  output logic                               restored_o,
  output logic        [NumKernels-1:0]       fault_o,
  // Direct to the GPU level
  input  logic        [KernelW-1:0]          fault_kernel_i,  // whose record is asked for
  output fault_t                             fault_record_o,
  output logic        [NumKernels-1:0][31:0] snap_c_o,
  output logic        [NumKernels-1:0][31:0] snap_insn_o,
  output logic        [NumKernels-1:0][30:0] quota_o,
  output logic        [NumKernels-1:0][12:0] snap_idle_o,
  input  logic        [SubW-1:0]             stall_sub_i,
  input  logic        [KernelW-1:0]          stall_kernel_i,
  input  logic        [2:0]                  stall_reason_i,
  output logic        [31:0]                 stall_value_o,
  input  logic        [KernelW-1:0]          l1_slot_i,       // counter of the L1 that is read
  input  logic        [2:0]                  l1_counter_i,
  output logic        [31:0]                 l1_value_o,
  output qaws_front_t [NumSched-1:0]         qaws_front_o,
  output logic        [3:0]                  save_phase_o,
  // Memory: request in the sending cycle, response in the seeing cycle
  output mem_req_t                           req_o,
  input  mem_rsp_t                           rsp_i
);
  // ---- thread-block slots ----
  logic        [NumKernels-1:0] killed, present, runnable, open, shut;
  logic        [MaxTbs-1:0]     tb_valid, left_zero, over, clean, release_tbs, queued;
  logic                         wipe;
  logic        [RowW-1:0]       wipe_row;
  tb_info_t    [MaxTbs-1:0]     tb_info;
  logic        [MaxTbs-1:0][SubW-1:0] tb_first;
  dispatch_t                    arrival;  // the message of a new or restored block
  tb_index_t                    tb_index;
  warp_start_t [NumSched-1:0]   start;
  tb_event_t   [NumSched-1:0]   arrive, finish;
  fault_event_t [NumSched:0]    fault_source;  // [0] the LSU

  freeze_t                      freeze, freeze_next;
  logic                         restoring, fresh, saved, evict;
  always_comb begin
    arrival       = dispatch_i;
    arrival.valid = dispatch_i.valid && dispatch_i.op inside {OpNew, OpRestore};
  end

  qsm_tb_launch u_launch (
    .clk_i,
    .rst_ni,
    .desc_i,
    .killed_i    (killed),
    .arrive_i    (arrival),
    .freeze_i    (freeze),
    .freeze_next_i (freeze_next),
    .restoring_i (restoring),
    .fresh_i     (fresh),
    .saved_i     (saved),
    .left_zero_i (left_zero),
    .clean_i     (clean),
    .over_o      (over),
    .tb_valid_o  (tb_valid),
    .tb_info_o   (tb_info),
    .tb_first_o  (tb_first),
    .queued_o    (queued),
    .present_o   (present),
    .runnable_o  (runnable),
    .start_o     (start),
    .retire_o
  );
  qsm_barrier u_barrier (
    .clk_i,
    .rst_ni,
    .killed_i    (killed),
    .new_valid_i (arrival.valid),
    .new_tb_i    (dispatch_i.tb),
    .new_warps_i (desc_i[dispatch_i.kernel].warps[$clog2(WarpsPerSm + 1)-1:0]),
    .tb_valid_i  (tb_valid),
    .tb_info_i   (tb_info),
    .arrive_i    (arrive),
    .finish_i    (finish),
    .evict_i     (evict),
    .evict_tb_i  (freeze.tb),
    .release_o   (release_tbs),
    .left_zero_o (left_zero)
  );
  qsm_wipe u_wipe (
    .clk_i,
    .rst_ni,
    .desc_i,
    .tb_info_i   (tb_info),
    .arrive_i    (arrival),
    .over_i      (over),
    .clean_o     (clean),
    .wipe_o      (wipe),
    .row_o       (wipe_row)
  );
  qsm_fault u_fault (
    .clk_i,
    .rst_ni,
    .start_i,
    .kill_i,
    .source_i (fault_source),
    .killed_o (killed),
    .fault_o,
    .kernel_i (fault_kernel_i),
    .record_o (fault_record_o)
  );

  // ---- saving and restoring ----
  save_phase_e                   save_phase;
  step_t      [NumSched-1:0]     step;
  logic       [WidxW-1:0]        step_widx;
  logic       [31:0]             step_pc;
  mask_t                         step_mask;
  logic       [NumSched-1:0]     step_done, quiet, drained;
  step_warp_t [NumSched-1:0]     step_warp;
  path_t      [NumSched-1:0]     step_path;
  lanes_t     [NumSched-1:0]     step_lane_pc;
  logic       [NumSched-1:0][WarpSize-1:0][DepthW-1:0] step_lane_depth;
  step_word_t [NumSched-1:0]     step_word;
  qsm_tb_save u_save (
    .clk_i,
    .rst_ni,
    .desc_i,
    .killed_i          (killed),
    .save_base_i,
    .message_i         (dispatch_i),
    .tb_valid_i        (tb_valid),
    .tb_first_i        (tb_first),
    .queued_i          (queued),
    .left_zero_i       (left_zero),
    .release_i         (release_tbs),
    .retire_valid_i    (retire_o.valid),
    .retire_tb_i       (retire_o.tb),
    .freeze_o          (freeze),
    .freeze_next_o     (freeze_next),
    .restoring_o       (restoring),
    .fresh_o           (fresh),
    .saved_o           (saved),
    .evict_o           (evict),
    .restored_o,
    .tb_index_o        (tb_index),
    .phase_o           (save_phase),
    .step_o            (step),
    .step_widx_o       (step_widx),
    .step_pc_o         (step_pc),
    .step_mask_o       (step_mask),
    .step_done_i       (step_done),
    .step_warp_i       (step_warp),
    .step_path_i       (step_path),
    .step_lane_pc_i    (step_lane_pc),
    .step_lane_depth_i (step_lane_depth),
    .step_word_i       (step_word),
    .quiet_i           (quiet),
    .drained_i         (drained)
  );
  assign save_phase_o = save_phase;

  // ---- memory port and load/store unit ----
  logic        [NumSched-1:0]              miss_valid, miss_grant, fill_valid;
  logic        [NumSched-1:0][31:0]        miss_addr;
  logic        [NumSched-1:0][KernelW-1:0] miss_slot;
  logic        [NumSched-1:0]              mq_valid, mq_pop, result_pop;
  mem_op_t     [NumSched-1:0]              mq;
  mem_result_t [NumSched-1:0]              result;
  sb_pass_t                                sb_pass;
  sb_ack_t                                 sb_ack;
  mem_req_t                                lsu_req;
  logic                                    lsu_port_free, lsu_rsp_valid;
  logic        [TxnW-1:0]                  lsu_rsp_txn;
  lanes_t                                  rsp_data;
  logic        [NumSched-1:0]              fence;  // device fences
  logic        [NumSched-1:0][KernelW-1:0] issue_kernel;

  qsm_mem_port u_port (
    .miss_valid_i    (miss_valid),
    .miss_addr_i     (miss_addr),
    .miss_slot_i     (miss_slot),
    .miss_grant_o    (miss_grant),
    .lsu_free_o      (lsu_port_free),
    .lsu_req_i       (lsu_req),
    .req_o,
    .rsp_i,
    .fill_valid_o    (fill_valid),
    .lsu_rsp_valid_o (lsu_rsp_valid),
    .lsu_rsp_txn_o   (lsu_rsp_txn),
    .rsp_data_o      (rsp_data)
  );
  qsm_lsu u_lsu (
    .clk_i,
    .rst_ni,
    .desc_i,
    .tb_info_i    (tb_info),
    .tb_index_i   (tb_index),
    .mq_valid_i   (mq_valid),
    .mq_i         (mq),
    .mq_pop_o     (mq_pop),
    .result_o     (result),
    .result_pop_i (result_pop),
    .sb_pass_o    (sb_pass),
    .sb_ack_o     (sb_ack),
    .fault_o      (fault_source[0]),
    .wipe_i       (wipe),
    .wipe_row_i   (wipe_row),
    .port_free_i  (lsu_port_free),
    .req_o        (lsu_req),
    .rsp_valid_i  (lsu_rsp_valid),
    .rsp_txn_i    (lsu_rsp_txn),
    .rsp_data_i   (rsp_data),
    .skip_l1_i,
    .start_i,
    .restore_i    (dispatch_i.valid && dispatch_i.op == OpRestore),
    .restore_kernel_i (dispatch_i.kernel),
    .fence_i      (fence),
    .fence_kernel_i (issue_kernel),
    .l1_slot_i,
    .l1_counter_i,
    .l1_value_o
  );

  // ---- sub-cores ----
  issue_event_t [NumSched-1:0]       issue;
  logic         [NumSched-1:0][31:0] stall_value;
  logic         [NumSched-1:0][WarpsPerSched-1:0] resident;
  logic         [NumSched-1:0][WarpsPerSched-1:0][KernelW-1:0] kernel;
  logic         [NumSched-1:0][WarpsPerSched-1:0][2:0] reason;
  for (genvar s = 0; s < NumSched; s++) begin : g_sub
    qsm_subcore #(.Sub(s)) u_subcore (
      .clk_i,
      .rst_ni,
      .sm_id_i,
      .cycle_i,
      .desc_i,
      .policy_i,
      .policy_param_i,
      .killed_i       (killed),
      .open_i         (open),
      .shut_i         (shut),
      .tb_index_i     (tb_index),
      .start_i        (start[s]),
      .release_i      (release_tbs),
      .icache_inv_i,
      .fill_valid_i   (fill_valid[s]),
      .fill_data_i    (rsp_data),
      .miss_valid_o   (miss_valid[s]),
      .miss_addr_o    (miss_addr[s]),
      .miss_slot_o    (miss_slot[s]),
      .miss_grant_i   (miss_grant[s]),
      .issue_o        (issue[s]),
      .arrive_o       (arrive[s]),
      .finish_o       (finish[s]),
      .fault_o        (fault_source[1 + s]),
      .mq_valid_o     (mq_valid[s]),
      .mq_o           (mq[s]),
      .mq_pop_i       (mq_pop[s]),
      .result_i       (result[s]),
      .result_pop_o   (result_pop[s]),
      .sb_pass_i      (sb_pass),
      .sb_ack_i       (sb_ack),
      .freeze_next_i  (freeze_next),
      .evict_i        (evict),
      .step_i         (step[s]),
      .step_widx_i    (step_widx),
      .step_pc_i      (step_pc),
      .step_mask_i    (step_mask),
      .step_done_o    (step_done[s]),
      .step_warp_o    (step_warp[s]),
      .step_path_o    (step_path[s]),
      .step_lane_pc_o (step_lane_pc[s]),
      .step_lane_depth_o (step_lane_depth[s]),
      .step_word_o    (step_word[s]),
      .quiet_o        (quiet[s]),
      .drained_o      (drained[s]),
      .stall_kernel_i,
      .stall_reason_i,
      .stall_value_o  (stall_value[s]),
      .qaws_front_o   (qaws_front_o[s]),
      .resident_o     (resident[s]),
      .kernel_o       (kernel[s]),
      .reason_o       (reason[s])
    );
  end
  assign stall_value_o = (32'(stall_sub_i) < NumSched) ? stall_value[stall_sub_i] : '0;

  // ---- quota gate and counters ----
  logic [NumSched-1:0]              issue_valid;
  logic [NumSched-1:0][LanesW-1:0]  issue_lanes;
  for (genvar s = 0; s < NumSched; s++) begin : g_issue
    assign {issue_valid[s], issue_kernel[s], issue_lanes[s], fence[s]} = issue[s];
  end

  qsm_quota #(.NumKernels(NumKernels), .NumSched(NumSched), .WarpSize(WarpSize)) u_quota (
    .clk_i,
    .rst_ni,
    .issue_valid_i    (issue_valid),
    .issue_kernel_i   (issue_kernel),
    .issue_lanes_i    (issue_lanes),
    .present_i        (present),
    .runnable_i       (runnable),
    .arrive_valid_i   (arrival.valid),
    .arrive_kernel_i  (arrival.kernel),
    .qos_i,
    .first_quota_i,
    .epoch_len_i,
    .tick_i,
    .word_valid_i     (quota_word_i.valid),
    .word_kernel_i    (quota_word_i.kernel),
    .word_quota_i     (quota_word_i.quota),
    .word_credit_i    (quota_word_i.credit),
    .load_valid_i     (quota_load_i.valid),
    .load_scheme_i    (quota_load_i.scheme),
    .open_o           (open),
    .shut_o           (shut),
    .quota_o,
    .snap_c_o,
    .snap_insn_o
  );

  qsm_idle_sampler #(.NumKernels(NumKernels), .NumSched(NumSched),
      .NumWarps(WarpsPerSched)) u_idle_sampler (
    .clk_i,
    .rst_ni,
    .sample_i,
    .tick_i,
    .resident_i  (resident),
    .kernel_i    (kernel),
    .reason_i    (reason),
    .snap_idle_o
  );
endmodule
