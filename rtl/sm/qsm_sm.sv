// SPDX-License-Identifier: Apache-2.0
// Streaming multiprocessor: sub-cores, load/store unit, thread-block slots, barrier, faults, quota
// counters, power controller. docs/sm.md, docs/sm_owner.md. Contract: messages come and go without
// back-pressure (docs/machine.md); inputs are in the cycle in which a message is seen, outputs in
// the cycle in which it is sent. Only wires here: the rules live in the blocks.
// Observed by the lockstep monitor: arrival (ARRIVE), start (START), retire (RETIRE),
// u_fault (FAULT),
//   u_barrier.release_o (RELEASE), req_o (REQ), rsp_i (RSP), u_lsu (LSUPASS, RETURN), u_quota
//   (QUOTA, QLOAD), u_idle_sampler (SAMPLE); g_power.u_power, g_energy.u_energy,
//   g_insn.g_sub[*].u_count (state).
module qsm_sm
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [SmW-1:0]         sm_id_i,
  input  desc_t [NumKernels-1:0] desc_i,
  input  sm_direct_t             direct_i,
  input  to_sm_t                 to_sm_i,
  output from_sm_t               from_sm_o,
  output sm_figures_t            figures_o,
  // Memory: request in the sending cycle, response in the seeing cycle
  output mem_req_t               req_o,
  input  mem_rsp_t               rsp_i
);
  // ---- clock and reset of all but what is kept, and messages, which a gated SM does not see ----
  logic          clk, rst_n, gated, woken;  // woken: since the last tick (R-PG-5)
  dispatch_t     dispatch;
  sm_broadcast_t broadcast;
  quota_word_t   quota_word;
  always_comb begin
    dispatch         = to_sm_i.dispatch;
    dispatch.valid   = to_sm_i.dispatch.valid && !gated;
    broadcast        = gated ? '0 : to_sm_i.broadcast;
    // What the killed flags and the L1's counters see.
    broadcast.kill   = to_sm_i.broadcast.kill;
    broadcast.start  = to_sm_i.broadcast.start;
    quota_word       = to_sm_i.quota_word;
    quota_word.valid = to_sm_i.quota_word.valid && !gated && !woken;
  end

  retire_t               retire;
  logic                  restored;
  logic [NumKernels-1:0] fault;

  // ---- thread-block slots ----
  logic        [NumKernels-1:0] killed, present, runnable, open, gaps, no_mem, throttled, qos_was;
  logic        [MaxTbs-1:0]     tb_valid, left_zero, over, clean, release_tbs, queued;
  logic                         wipe;
  logic        [RowW-1:0]       wipe_row;
  tb_info_t    [MaxTbs-1:0]     tb_info;
  logic        [MaxTbs-1:0][SubW-1:0] tb_first;
  dispatch_t                    arrival;  // the message of a new or restored block
  tb_index_t                    tb_index;
  warp_start_t [NumSched-1:0]   start;
  tb_event_t   [NumSched-1:0]   arrive, finish;
  fault_event_t [NumSched-1:0]  sub_fault;
  fault_event_t                 lsu_fault;
  logic                         lsu_fault_waits;

  freeze_t                      freeze, freeze_next;
  logic                         restoring, fresh, saved, evict;
  always_comb begin
    arrival       = dispatch;
    arrival.valid = dispatch.valid && dispatch.op inside {OpNew, OpRestore};
  end

  qsm_tb_launch u_launch (
    .clk_i (clk),
    .rst_ni (rst_n),
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
    .retire_o    (retire)
  );
  qsm_barrier u_barrier (
    .clk_i (clk),
    .rst_ni (rst_n),
    .killed_i    (killed),
    .new_valid_i (arrival.valid),
    .new_tb_i    (dispatch.tb),
    .new_warps_i (desc_i[dispatch.kernel].warps[$clog2(WarpsPerSm + 1)-1:0]),
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
    .clk_i (clk),
    .rst_ni (rst_n),
    .desc_i,
    .tb_info_i   (tb_info),
    .arrive_i    (arrival),
    .over_i      (over),
    .clean_o     (clean),
    .wipe_o      (wipe),
    .row_o       (wipe_row)
  );
  qsm_fault u_fault (  // kept while the SM is gated
    .clk_i,
    .rst_ni,
    .start_i  (broadcast.start),
    .kill_i   (broadcast.kill),
    .sub_i    (sub_fault),
    .lsu_i    (lsu_fault),
    .wait_o   (lsu_fault_waits),
    .killed_o (killed),
    .fault_o  (fault),
    .kernel_i (direct_i.fault_kernel),
    .record_o (figures_o.fault_record),
    .cause_kernel_i (direct_i.front_kernel),
    .cause_o  (figures_o.fault_cause)
  );

  // ---- saving and restoring ----
  save_phase_e                   save_phase;
  step_find_t                    step_find;
  step_t      [NumSched-1:0]     step;
  step_op_t                      step_op;
  logic       [NumSched-1:0]     step_done, quiet, drained;
  step_warp_t [NumSched-1:0]     step_warp;
  mask_t      [NumSched-1:0]     step_path_mask;
  step_lane_t [NumSched-1:0]     step_lane;
  step_word_t [NumSched-1:0]     step_word;
  qsm_tb_save u_save (
    .clk_i (clk),
    .rst_ni (rst_n),
    .desc_i,
    .killed_i          (killed),
    .save_base_i       (direct_i.save_base),
    .message_i         (dispatch),
    .tb_valid_i        (tb_valid),
    .tb_first_i        (tb_first),
    .queued_i          (queued),
    .left_zero_i       (left_zero),
    .release_i         (release_tbs),
    .retire_valid_i    (retire.valid),
    .retire_tb_i       (retire.tb),
    .freeze_o          (freeze),
    .freeze_next_o     (freeze_next),
    .restoring_o       (restoring),
    .fresh_o           (fresh),
    .saved_o           (saved),
    .evict_o           (evict),
    .restored_o        (restored),
    .tb_index_o        (tb_index),
    .phase_o           (save_phase),
    .step_find_o       (step_find),
    .step_o            (step),
    .step_op_o         (step_op),
    .step_done_i       (step_done),
    .step_warp_i       (step_warp),
    .step_path_mask_i  (step_path_mask),
    .step_lane_i       (step_lane),
    .step_word_i       (step_word),
    .quiet_i           (quiet),
    .drained_i         (drained)
  );
  assign figures_o.save_phase = save_phase;

  // ---- memory port and load/store unit ----
  logic        [NumSched-1:0]              miss_busy, miss_valid, miss_grant, fill_valid;
  logic        [NumSched-1:0][31:0]        miss_addr;
  logic        [NumSched-1:0][KernelW-1:0] miss_slot;
  logic        [NumSched-1:0]              mq_valid, mq_pop, result_pop;
  mem_op_t     [NumSched-1:0]              mq;
  who_t        [NumSched-1:0]              mq_who;
  mem_result_t [NumSched-1:0]              result;
  sb_pass_t                                sb_pass;
  sb_ack_t                                 sb_ack;
  mem_req_t                                lsu_req;
  pass_event_t                             pass;
  away_event_t                             away;
  logic                                    lsu_port_free, lsu_rsp_valid, lsu_open;
  logic        [TxnW-1:0]                  lsu_rsp_txn;
  lanes_t                                  rsp_data;
  logic        [NumSched-1:0]              fence;  // device fences
  logic        [NumSched-1:0][KernelW-1:0] issue_kernel;

  qsm_mem_port u_port (
    .split_i         (direct_i.mem_split),
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
    .clk_i (clk),
    .rst_ni (rst_n),
    .clk_kept_i (clk_i),
    .rst_kept_ni (rst_ni),
    .desc_i,
    .tb_info_i    (tb_info),
    .tb_index_i   (tb_index),
    .mq_valid_i   (mq_valid),
    .mq_i         (mq),
    .mq_who_i     (mq_who),
    .mq_pop_o     (mq_pop),
    .result_o     (result),
    .result_pop_i (result_pop),
    .sb_pass_o    (sb_pass),
    .sb_ack_o     (sb_ack),
    .fault_o      (lsu_fault),
    .fault_wait_i (lsu_fault_waits),
    .wipe_i       (wipe),
    .wipe_row_i   (wipe_row),
    .port_free_i  (lsu_port_free),
    .req_o        (lsu_req),
    .rsp_valid_i  (lsu_rsp_valid),
    .rsp_txn_i    (lsu_rsp_txn),
    .rsp_data_i   (rsp_data),
    .skip_l1_i    (direct_i.skip_l1),
    .start_i      (gated ? '0 : broadcast.start),
    .clear_i      (broadcast.start),
    .restore_i    (dispatch.valid && dispatch.op == OpRestore),
    .restore_kernel_i (dispatch.kernel),
    .fence_i      (fence),
    .fence_kernel_i (issue_kernel),
    .l1_slot_i    (direct_i.l1_slot),
    .l1_counter_i (direct_i.l1_counter),
    .l1_value_o   (figures_o.l1_value),
    .pass_o       (pass),
    .away_o       (away),
    .open_o       (lsu_open)
  );

  // ---- sub-cores ----
  issue_event_t [NumSched-1:0]       issue;
  logic         [NumSched-1:0][31:0] stall_value;
  logic         [NumSched-1:0][WarpsPerSched-1:0] resident;
  logic         [NumSched-1:0][WarpsPerSched-1:0][KernelW-1:0] kernel;
  logic         [NumSched-1:0][WarpsPerSched-1:0]     ready;
  // What the words of a line are: for all sub-cores, as one line arrives per cycle.
  kinds_t rsp_kinds;
  for (genvar i = 0; i < WarpSize; i++) begin : g_predecode
    qsm_predecode u_predecode (.instr_i(rsp_data[i]), .kind_o(rsp_kinds[i]));
  end

  for (genvar s = 0; s < NumSched; s++) begin : g_sub
    qsm_subcore #(.Sub(s)) u_subcore (
      .clk_i (clk),
      .rst_ni (rst_n),
      .rst_kept_ni (rst_ni),
      .sm_id_i,
      .cycle_i        (direct_i.cycle),
      .desc_i,
      .policy_i       (direct_i.policy),
      .policy_param_i (direct_i.policy_param),
      .killed_i       (killed),
      .open_i         (open),
      .gaps_i         (gaps),
      .no_mem_i       (no_mem),
      .throttled_i    (throttled),
      .qos_was_i      (qos_was),
      .tb_index_i     (tb_index),
      .start_i        (start[s]),
      .release_i      (release_tbs),
      .icache_inv_i   (broadcast.icache_inv),
      .fill_valid_i   (fill_valid[s]),
      .fill_data_i    (rsp_data),
      .fill_kinds_i   (rsp_kinds),
      .miss_busy_o    (miss_busy[s]),
      .miss_valid_o   (miss_valid[s]),
      .miss_addr_o    (miss_addr[s]),
      .miss_slot_o    (miss_slot[s]),
      .miss_grant_i   (miss_grant[s]),
      .issue_o        (issue[s]),
      .arrive_o       (arrive[s]),
      .finish_o       (finish[s]),
      .fault_o        (sub_fault[s]),
      .mq_valid_o     (mq_valid[s]),
      .mq_o           (mq[s]),
      .mq_who_o       (mq_who[s]),
      .mq_pop_i       (mq_pop[s]),
      .result_i       (result[s]),
      .result_pop_o   (result_pop[s]),
      .sb_pass_i      (sb_pass),
      .sb_ack_i       (sb_ack),
      .freeze_next_i  (freeze_next),
      .evict_i        (evict),
      .restoring_i    (restoring),
      .step_find_i    (step_find),
      .step_i         (step[s]),
      .step_op_i      (step_op),
      .step_done_o    (step_done[s]),
      .step_warp_o    (step_warp[s]),
      .step_path_mask_o (step_path_mask[s]),
      .step_lane_o    (step_lane[s]),
      .step_word_o    (step_word[s]),
      .quiet_o        (quiet[s]),
      .drained_o      (drained[s]),
      .stall_kernel_i (direct_i.stall_kernel),
      .stall_reason_i (direct_i.stall_reason),
      .stall_value_o  (stall_value[s]),
      .qaws_front_o   (figures_o.qaws_front[s]),
      .resident_o     (resident[s]),
      .kernel_o       (kernel[s]),
      .ready_o        (ready[s])
    );
  end
  assign figures_o.stall_value =
      (32'(direct_i.stall_sub) < NumSched) ? stall_value[direct_i.stall_sub] : '0;

  // ---- quota gate and counters ----
  logic [NumSched-1:0]              issue_valid, issue_away;
  logic [NumSched-1:0][LanesW-1:0]  issue_lanes;
  logic                             full;
  for (genvar s = 0; s < NumSched; s++) begin : g_issue
    assign issue_valid[s]  = issue[s].valid;
    assign issue_away[s]   = issue[s].away;
    assign issue_kernel[s] = issue[s].kernel;
    assign issue_lanes[s]  = issue[s].lanes;
    assign fence[s]        = issue[s].device_fence;
  end

  qsm_quota #(.NumKernels(NumKernels), .NumSched(NumSched), .WarpSize(WarpSize)) u_quota (
    .clk_i (clk),
    .rst_ni (rst_n),
    .issue_valid_i    (issue_valid),
    .issue_kernel_i   (issue_kernel),
    .issue_lanes_i    (issue_lanes),
    .present_i        (present),
    .runnable_i       (runnable),
    .saving_i         (freeze.valid && !restoring),
    .full_i           (full),
    .arrive_valid_i   (arrival.valid),
    .arrive_kernel_i  (arrival.kernel),
    .qos_i            (direct_i.qos),
    .first_quota_i    (direct_i.first_quota),
    .epoch_len_i      (direct_i.epoch_len),
    .tick_i           (broadcast.tick),
    .sample_i         (broadcast.sample),
    .word_valid_i     (quota_word.valid),
    .word_kernel_i    (quota_word.kernel),
    .word_quota_i     (quota_word.quota),
    .word_credit_i    (quota_word.credit),
    .load_valid_i     (broadcast.quota_load.valid),
    .load_scheme_i    (broadcast.quota_load.scheme),
    .load_keep_i      (broadcast.quota_load.keep),
    .open_o           (open),
    .gaps_o           (gaps),
    .no_mem_o         (no_mem),
    .throttled_o      (throttled),
    .quota_o          (figures_o.quota),
    .snap_c_o         (figures_o.snap_c),
    .snap_spent_o     (figures_o.snap_spent),
    .snap_insn_o      (figures_o.snap_insn)
  );

  // ---- what kernels without a goal have under way in memory, R-PA-19 ----
  qsm_share #(.NumKernels(NumKernels), .NumSched(NumSched), .WarpSize(WarpSize),
      .Insns(NumSched * MqDepth + 2), .Txns(MemTxns), .Limit(OthersTxns)) u_share (
    .clk_i (clk),
    .rst_ni (rst_n),
    .qos_i     (direct_i.qos),
    .qos_was_o (qos_was),
    .issued_i  (issue_away),
    .finish_i  (away.finish),
    .take_i    (away.take),
    .serve_i   (away.serve),
    .full_o    (full)
  );

`ifndef SYNTHESIS
  logic no_mem_was_q;             // R-PA-19's condition in the cycle before
  logic [1:0][NumSched-1:0] ex_away_q;  // of instructions in EX1, in EX2
  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      {no_mem_was_q, ex_away_q} <= '0;
    end else begin
      no_mem_was_q <= u_quota.paced_q && u_quota.held && full;
      ex_away_q <= {ex_away_q[0], issue_away};
    end
  end
  a_share: assert property (@(posedge clk) disable iff (!rst_n)
      !(no_mem_was_q && issue_away != '0))
    else $error("R-PA-19: a memory instruction issues of a kernel without a goal while full");
  a_away: assert property (@(posedge clk) disable iff (!rst_n)
      u_share.away_q == '0 || ex_away_q != '0 || mq_valid != '0 || lsu_open)
    else $error("R-PA-19: something is away though nothing is under way in the LSU");
`endif

  qsm_idle_sampler #(.NumKernels(NumKernels), .NumSched(NumSched),
      .NumWarps(WarpsPerSched)) u_idle_sampler (
    .clk_i (clk),
    .rst_ni (rst_n),
    .sample_i    (broadcast.sample),
    .tick_i      (broadcast.tick),
    .kernel_i    (kernel),
    .ready_i     (ready),
    .issued_valid_i  (issue_valid),
    .issued_kernel_i (issue_kernel),
    .snap_idle_o (figures_o.snap_idle)
  );

  // ---- energy counters: kept while the SM is gated ----
  if (EnergyCounters != 0) begin : g_energy
    qsm_energy u_energy (
      .clk_i (clk),
      .rst_ni,
      .issue_i      (issue),
      .pass_i       (pass),
      .read_slot_i  (direct_i.energy_slot),
      .read_event_i (direct_i.energy_event),
      .value_o      (figures_o.energy_value)
    );

`ifndef SYNTHESIS
    // R-EN-3, of this SM: what the quota counters count, added up here; the slots in turn.
    logic [NumKernels-1:0][31:0] thread_insn_q;
    logic [KernelW-1:0] sum_slot;
    logic [31:0] sum_lanes;
    assign sum_slot = u_energy.sum_slot_q;
    assign sum_lanes = u_energy.sum_lanes;
    always_ff @(posedge clk or negedge rst_ni) begin
      if (!rst_ni) begin
        thread_insn_q <= '0;
      end else begin
        for (int unsigned k = 0; k < NumKernels; k++)
          thread_insn_q[k] <= thread_insn_q[k] + 32'(u_quota.lanes[k]);
      end
    end
    a_sum: assert property (@(posedge clk) disable iff (!rst_ni)
        sum_lanes == thread_insn_q[sum_slot])
      else $error("R-EN-3: lanes of the classes are not the thread instructions");
`endif
  end else begin : g_no_energy
    assign figures_o.energy_value = '0;
    logic unused_energy;
    assign unused_energy = ^{issue, pass, direct_i.energy_slot, direct_i.energy_event};
  end

  // ---- thread instructions of each slot, for the front end: kept while the SM is gated ----
  if (NumCmd != 0) begin : g_insn
    logic [NumSched-1:0][39:0] counts;
    for (genvar s = 0; s < NumSched; s++) begin : g_sub
      qsm_slot_counters #(
        .NumSlots(NumKernels), .PerSlot(1), .AmountW(LanesW), .Width(40)
      ) u_count (
        .clk_i (clk),
        .rst_ni,
        .clear_i      ('0),
        .add_i        (issue_valid[s]),
        .slot_i       (issue_kernel[s]),
        .which_i      (1'b0),
        .amount_i     (issue_lanes[s]),
        .read_slot_i  (direct_i.front_kernel),
        .read_which_i (1'b0),
        .value_o      (counts[s])
      );
    end
    always_comb begin
      figures_o.insn = '0;
      for (int unsigned s = 0; s < NumSched; s++) figures_o.insn += counts[s];
    end
  end else begin : g_no_insn
    assign figures_o.insn = '0;
  end

  // ---- power, R-PG-1 to R-PG-4 ----
  logic off, on, sm_quiet;
  assign sm_quiet = tb_valid == '0 && !wipe && !freeze.valid && miss_busy == '0;
  logic [NumKernels-1:0] fenced;  // to the shader array's cache, where there is one
  always_comb begin
    fenced = '0;
    for (int unsigned s = 0; s < NumSched; s++)
      if (NumSas != 0 && fence[s]) fenced[issue_kernel[s]] = 1'b1;
  end
  assign from_sm_o = '{retire: retire, restored: restored, fault: fault, fence: fenced,
      power: '{on: on, off: off}};
  if (PowerGating != 0) begin : g_power
    logic clk_en;
    qsm_sm_power u_power (
      .clk_i,
      .rst_ni,
      .gate_i     (to_sm_i.power.gate),
      .wake_i     (to_sm_i.power.wake),
      .off_o      (off),
      .on_o       (on),
      .quiet_i    (sm_quiet),
      .wake_lat_i (direct_i.wake_lat),
      .gated_o    (gated),
      .clk_en_o   (clk_en)
    );
    qsm_clock_gate u_gate (.clk_i, .en_i(clk_en), .clk_o(clk));
    assign rst_n = rst_ni && !gated;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) woken <= 1'b0;
      else woken <= gated || (woken && !broadcast.tick);
    end

`ifndef SYNTHESIS
    logic open_warp;  // a warp, or the end of one, is on its way
    always_comb begin
      open_warp = 1'b0;
      for (int unsigned s = 0; s < NumSched; s++)
        open_warp |= start[s].valid || arrive[s].valid || finish[s].valid || issue[s].valid;
    end
    // Immediate assertions where a member of a wide struct is looked at (docs/style.md).
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        assert (!off || !(lsu_open || mq_valid != '0 || (|resident) || open_warp))
          else $error("R-PG-1: a quiet SM has something under way");
        assert (!((off || u_power.power_q != PowerOn) && to_sm_i.dispatch.valid))
          else $error("R-PG-2: a block comes to an SM that is not on");
        assert (!((off || gated) && rsp_i.valid))
          else $error("R-PG-3: a response comes to an SM that is gated");
        assert (!gated || !(retire.valid || restored || req_o.valid || fault != '0 || off))
          else $error("R-PG-3: a gated SM says something");
      end
    end
    a_clock: assert property (@(posedge clk) !(gated && u_power.gated_q))
      else $error("R-PG-3: the clock of a gated SM goes on");
    logic [MaxTbs+2*NumKernels+NumSched*(WarpsPerSched*(KernelW+1)+2)-1:0] still;
    assign still = {tb_valid, present, open, resident, kernel, mq_valid, miss_valid};
    a_still: assert property (@(posedge clk_i) disable iff (!rst_ni)
        (gated && u_power.gated_q) |-> $stable(still))
      else $error("R-PG-3: state of a gated SM changes");
`endif
  end else begin : g_no_power
    assign clk = clk_i;
    assign rst_n = rst_ni;
    assign {gated, woken} = '0;
    assign off = 1'b0;
    assign on = 1'b0;
    logic unused;
    assign unused = ^{to_sm_i.power, direct_i.wake_lat, sm_quiet, lsu_open, resident};
  end
endmodule
