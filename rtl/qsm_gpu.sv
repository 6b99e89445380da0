// SPDX-License-Identifier: Apache-2.0
// Top of the GPU: control port, TB scheduler, QoS manager, SMs, crossbar, memory channels, and the
// message paths between them.
// Contract: docs/machine.md. Control port: docs/control_port.md. Memory port: docs/xbar.md.
// Latency: every path between an SM and anything else has NocLat registers (R-GEN-2); direct
// signals have none (R-GEN-3).
// Observed by the lockstep monitor: cycle; mem_req_o with mem_req_ready_i (MEMREQ), mem_rsp_i with
// mem_rsp_ready_o (MEMRSP); u_tb_sched (DISPATCH, END), u_tb_sched.u_alloc (TARGETS), u_qos_mgr
// (EPOCH), g_sm[i].u_sm (everything else).
module qsm_gpu
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Host.
  input  ctl_req_t ctl_req_i,
  output ctl_rsp_t ctl_rsp_o,
  output logic     irq_o,

  // Memory channels.
  output port_req_t [NumChannels-1:0] mem_req_o,
  input  logic      [NumChannels-1:0] mem_req_ready_i,
  input  port_rsp_t [NumChannels-1:0] mem_rsp_i,
  output logic      [NumChannels-1:0] mem_rsp_ready_o
);
  // ---- control registers (direct) ----
  logic [63:0] cycle;
  desc_t [NumKernels-1:0] desc;
  policy_e policy;
  policy_param_t policy_param;
  scheme_e scheme;
  logic [NumKernels-1:0] ctx_valid, ctx_qos, ctx_arrival, hist_clear, launch, kill_write;
  logic [NumKernels-1:0][30:0] first_quota;
  logic [NumKernels-1:0][31:0] goal, iso_ipc;
  logic [NumKernels-1:0][NumSms-1:0] sm_mask;
  logic alloc_change, icache_inv, alpha_en;
  logic [19:0] epoch_len;
  logic [18:0] alpha_cap;
  logic [7:0] rollover_cap;
  logic [3:0] nonqos_quota;
  logic [SubW-1:0] stall_sub;
  logic [KernelW-1:0] stall_kernel;
  logic [2:0] stall_reason;

  // ---- preemption, TB adjuster ----
  logic [NumKernels-1:0][31:12] save_base, save_limit;
  logic [NumKernels-1:0] idempotent, preempt_hold;
  logic adjust, adjust_busy, latecomers;
  logic [1:0] adjust_technique;
  preempt_req_t preempt;
  preempt_status_t preempt_status;
  job_t [NumSms-1:0] job;
  saved_t [NumKernels-1:0] saved;

  // ---- memory channels ----
  port_req_t [NumChannels-1:0] channel_req;
  port_rsp_t [NumChannels-1:0] channel_rsp;
  logic [NumChannels-1:0] channel_req_ready, channel_rsp_ready;
  logic [NumKernels-1:0][1:0] cache_policy;
  logic [NumKernels-1:0] skip_l1, skip_l2;
  mem_select_t mem_select;
  logic [31:0] mem_value;
  logic l2_flush, l2_flushing;

  // ---- TB scheduler ----
  logic [NumKernels-1:0] busy, killed, ended, had_tb, start, kill;
  logic [NumKernels-1:0][31:0] launches;
  logic [NumKernels-1:0] faulted;
  logic [NumKernels-1:0][SmW-1:0] fault_sm;
  logic [KernelW-1:0] fault_kernel;
  logic alloc_busy;
  logic [NumSms-1:0][NumKernels-1:0][5:0] cnt, target;
  logic [NumSms-1:0] dispatch_valid;
  dispatch_t dispatch;

  // ---- QoS manager ----
  logic tick, sample, snapshot, epoch_done, mgr_busy, word_valid, load_valid;
  logic [SmW-1:0] word_sm;
  logic [KernelW-1:0] word_kernel;
  logic [30:0] word_quota, word_credit;
  logic [2:0] load_scheme;
  logic [31:0] epoch_count, epoch_e_lo;
  logic [NumKernels-1:0][47:0] hist_insn, hist_cycles;
  logic [NumKernels-1:0][30:0] epoch_insn, epoch_quota;
  logic [NumKernels-1:0][18:0] alpha, ratio;

  // ---- SMs ----
  sm_direct_t direct;
  sm_broadcast_t sm_broadcast;  // as the SMs see it
  sm_figures_t [NumSms-1:0] figures;
  mem_req_t [NumSms-1:0] sm_req;
  mem_rsp_t [NumSms-1:0] sm_rsp;

  // ---- messages of the SMs as the scheduler sees them ----
  logic [NumSms-1:0] retire_valid;
  logic [NumSms-1:0][TbW-1:0] retire_tb;
  logic [NumSms-1:0][NumKernels-1:0] fault;
  logic [NumSms-1:0] retire_saved, restored;

  qsm_ctrl u_ctrl (
    .clk_i, .rst_ni,
    .req_i(ctl_req_i), .rsp_o(ctl_rsp_o), .irq_o,
    .cycle_o(cycle), .desc_o(desc), .policy_o(policy), .policy_param_o(policy_param),
    .scheme_o(scheme), .valid_o(ctx_valid), .qos_o(ctx_qos),
    .first_quota_o(first_quota), .goal_o(goal), .sm_mask_o(sm_mask), .epoch_len_o(epoch_len),
    .alpha_cap_o(alpha_cap),
    .rollover_cap_o(rollover_cap), .alpha_en_o(alpha_en), .nonqos_quota_o(nonqos_quota),
    .iso_ipc_o(iso_ipc), .save_base_o(save_base), .save_limit_o(save_limit),
    .idempotent_o(idempotent), .preempt_hold_o(preempt_hold), .adjust_o(adjust),
    .adjust_technique_o(adjust_technique),
    .latecomers_o(latecomers),
    .launch_o(launch), .kill_o(kill_write), .arrival_o(ctx_arrival), .alloc_change_o(alloc_change),
    .hist_clear_o(hist_clear),
    .icache_inv_o(icache_inv), .preempt_o(preempt),
    .cache_policy_o(cache_policy), .mem_select_o(mem_select), .mem_value_i(mem_value),
    .l2_flush_o(l2_flush), .l2_flushing_i(l2_flushing),
    .busy_i(busy), .killed_i(killed), .ended_i(ended), .launches_i(launches), .faulted_i(faulted),
    .fault_sm_i(fault_sm), .alloc_busy_i(alloc_busy),
    .cnt_i(cnt), .target_i(target), .preempt_status_i(preempt_status), .job_i(job), .saved_i(saved),
    .adjust_busy_i(adjust_busy),
    .snapshot_i(snapshot), .mgr_busy_i(mgr_busy), .epoch_count_i(epoch_count),
    .epoch_e_lo_i(epoch_e_lo),
    .hist_insn_i(hist_insn), .hist_cycles_i(hist_cycles), .epoch_insn_i(epoch_insn),
    .epoch_quota_i(epoch_quota), .alpha_i(alpha), .ratio_i(ratio),
    .fault_kernel_o(fault_kernel), .stall_sub_o(stall_sub), .stall_kernel_o(stall_kernel),
    .stall_reason_o(stall_reason), .figures_i(figures)
  );

  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) {skip_l2[k], skip_l1[k]} = cache_policy[k];
  end

  // ---- TB scheduler: the fields that it needs of each launch ----
  logic [NumKernels-1:0][2:0][15:0] grid;
  logic [NumKernels-1:0][6:0] warps;
  logic [NumKernels-1:0][5:0] granules;
  logic [NumKernels-1:0][18:0] shared;
  logic [NumKernels-1:0][1:0] win_rw;
  logic [NumKernels-1:0][1:0][31:12] win_base, win_limit;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      grid[k] = desc[k].grid;
      warps[k] = desc[k].warps;
      granules[k] = desc[k].granules;
      shared[k] = desc[k].shared;
      for (int unsigned w = 0; w < 2; w++) begin
        win_rw[k][w] = desc[k].win[w].r && desc[k].win[w].w;
        win_base[k][w] = desc[k].win[w].base[31:12];
        win_limit[k][w] = desc[k].win[w].limit[31:12];
      end
    end
  end

  localparam int unsigned ImageW = idx_w(NumImages);
  logic [NumSms-1:0][2:0] job_kind, job_result;
  logic [NumSms-1:0][KernelW-1:0] job_kernel;
  logic [NumSms-1:0][TbW-1:0] job_tb;
  logic [NumSms-1:0][ImageW-1:0] job_image;
  logic [ImageW-1:0] status_image, dispatch_image;
  logic [NumKernels-1:0][NumImages-1:0] images;
  logic [NumKernels-1:0][$clog2(NumImages+1)-1:0] queued;
  logic [NumSms-1:0][NumKernels-1:0] saving;
  logic [1:0] dispatch_op;
  qsm_tb_sched #(
    .NumSms(NumSms), .NumKernels(NumKernels), .NumSched(NumSched), .WarpsPerSm(WarpsPerSm),
    .MaxTbs(MaxTbs),
    .Granules(SharedGranules), .NumImages(NumImages), .LineBytes(LineBytes), .EndDelay(EndDelay)
  ) u_tb_sched (
    .clk_i, .rst_ni,
    .valid_i(ctx_valid), .qos_i(ctx_qos), .mask_i(sm_mask), .grid_i(grid), .warps_i(warps),
    .granules_i(granules),
    .shared_i(shared), .win_rw_i(win_rw), .win_base_i(win_base), .win_limit_i(win_limit),
    .save_base_i(save_base), .save_limit_i(save_limit),
    .idempotent_i(idempotent), .hold_i(preempt_hold),
    .launch_i(launch), .kill_write_i(kill_write), .arrival_i(ctx_arrival),
    .alloc_change_i(alloc_change),
    .busy_o(busy), .killed_o(killed), .ended_o(ended), .launches_o(launches), .faulted_o(faulted),
    .fault_sm_o(fault_sm), .alloc_busy_o(alloc_busy),
    .cnt_o(cnt), .target_o(target), .snapshot_i(snapshot), .epoch_done_i(epoch_done),
    .ratio_i(ratio), .had_tb_o(had_tb), .saving_o(saving),
    .preempt_i(preempt.valid), .preempt_sm_i(preempt.sm), .preempt_kernel_i(preempt.kernel),
    .preempt_by_slot_i(preempt.by_slot),
    .preempt_tb_i(preempt.tb), .preempt_technique_i(preempt.technique),
    .preempt_code_o(preempt_status.code), .preempt_sm_o(preempt_status.sm),
    .preempt_tb_o(preempt_status.tb), .preempt_image_o(status_image),
    .job_kind_o(job_kind), .job_kernel_o(job_kernel), .job_tb_o(job_tb), .job_image_o(job_image),
    .job_result_o(job_result),
    .images_o(images), .queued_o(queued), .adjust_i(adjust), .adjust_technique_i(adjust_technique),
    .latecomers_i(latecomers),
    .idle_i(snap_idle), .adjust_busy_o(adjust_busy),
    .start_o(start), .kill_o(kill), .dispatch_valid_o(dispatch_valid),
    .dispatch_kernel_o(dispatch.kernel),
    .dispatch_tb_o(dispatch.tb), .dispatch_first_o(dispatch.first), .dispatch_base_o(dispatch.base),
    .dispatch_block_o(dispatch.block), .dispatch_linear_o(dispatch.linear),
    .dispatch_op_o(dispatch_op), .dispatch_image_o(dispatch_image),
    .dispatch_fresh_o(dispatch.fresh), .dispatch_ticket_o(dispatch.ticket),
    .retire_i(retire_valid), .retire_tb_i(retire_tb), .retire_saved_i(retire_saved),
    .restored_i(restored), .fault_i(fault)
  );
  assign dispatch.valid = |dispatch_valid;
  assign dispatch.op = tb_op_e'(dispatch_op);
  assign dispatch.image = 4'(dispatch_image);
  assign preempt_status.image = 4'(status_image);

  logic [NumSms-1:0][NumKernels-1:0][5:0] counted;  // T_i: without those being saved (B8)
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      job[i] = '{kind: job_kind[i], kernel: job_kernel[i], tb: job_tb[i], image: 4'(job_image[i]),
          phase: figures[i].save_phase, result: job_result[i]};
      for (int unsigned k = 0; k < NumKernels; k++) counted[i][k] = cnt[i][k] - 6'(saving[i][k]);
    end
    for (int unsigned k = 0; k < NumKernels; k++)
      saved[k] = '{images: 5'($countones(images[k])), queued: 5'(queued[k])};
  end

  // An epoch has less than 2^20 cycles (R-QM-1): what an SM can count in it is narrower than its
  // register.
  localparam int unsigned SnapW = 20 + $clog2(NumSched * WarpSize + 1);
  logic [NumSms-1:0][NumKernels-1:0][SnapW-1:0] snap_counts;
  logic [NumSms-1:0][NumKernels-1:0][12:0] snap_idle;
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      for (int unsigned k = 0; k < NumKernels; k++) begin
        snap_counts[i][k] = figures[i].snap_insn[k][SnapW-1:0];
        snap_idle[i][k] = figures[i].snap_idle[k];
      end
    end
  end

  qsm_qos_mgr #(
    .NumSms(NumSms), .NumKernels(NumKernels), .MaxTbs(MaxTbs), .NocLat(NocLat), .QosLat(QosLat),
    .SnapW(SnapW)
  ) u_qos_mgr (
    .clk_i, .rst_ni,
    .scheme_i(scheme), .epoch_len_i(epoch_len), .alpha_cap_i(alpha_cap),
    .rollover_cap_i(rollover_cap), .alpha_en_i(alpha_en), .nonqos_quota_i(nonqos_quota),
    .valid_i(ctx_valid), .qos_i(ctx_qos), .goal_i(goal), .iso_ipc_i(iso_ipc),
    .hist_clear_i(hist_clear), .busy_i(busy), .cnt_i(counted), .had_tb_i(had_tb),
    .snap_insn_i(snap_counts), .cycle_i(cycle),
    .tick_o(tick), .sample_o(sample), .e_o(snapshot), .done_o(epoch_done),
    .word_valid_o(word_valid), .word_sm_o(word_sm), .word_kernel_o(word_kernel),
    .word_quota_o(word_quota), .word_credit_o(word_credit), .load_valid_o(load_valid),
    .load_scheme_o(load_scheme),
    .mgr_busy_o(mgr_busy), .epoch_count_o(epoch_count), .epoch_e_lo_o(epoch_e_lo),
    .insn_o(hist_insn), .hcyc_o(hist_cycles),
    .epoch_insn_o(epoch_insn), .epoch_quota_o(epoch_quota), .alpha_o(alpha), .ratio_o(ratio)
  );

  // ---- messages down: one delay line for all SMs, a valid bit per SM where a message has one
  // receiver ----
  sm_broadcast_t broadcast;
  assign broadcast = '{start: start, kill: kill, icache_inv: icache_inv, tick: tick, sample: sample,
      quota_load: '{valid: load_valid, scheme: scheme_e'(load_scheme)}};
  qsm_delay #(.Width($bits(sm_broadcast_t)), .Lat(NocLat)) u_delay_broadcast (
    .clk_i, .rst_ni, .data_i(broadcast), .data_o(sm_broadcast)
  );

  logic [NumSms-1:0] sm_dispatch_valid;
  dispatch_t dispatch_seen;
  qsm_delay_msg #(.Receivers(NumSms), .Width($bits(dispatch_t)), .Lat(NocLat)) u_delay_dispatch (
    .clk_i, .rst_ni, .valid_i(dispatch_valid), .data_i(dispatch), .valid_o(sm_dispatch_valid),
    .data_o(dispatch_seen)
  );

  logic [NumSms-1:0] word_to, sm_word_valid;
  quota_word_t word, word_seen;
  assign word_to = word_valid ? NumSms'(1) << word_sm : '0;
  assign word = '{valid: word_valid, kernel: word_kernel, quota: word_quota, credit: word_credit};
  qsm_delay_msg #(.Receivers(NumSms), .Width($bits(quota_word_t)), .Lat(NocLat)) u_delay_word (
    .clk_i, .rst_ni, .valid_i(word_to), .data_i(word), .valid_o(sm_word_valid), .data_o(word_seen)
  );

  assign direct = '{cycle: cycle, policy: policy, policy_param: policy_param, qos: ctx_qos,
      skip_l1: skip_l1, epoch_len: epoch_len, first_quota: first_quota[dispatch_seen.kernel],
      save_base: save_base[dispatch_seen.kernel], fault_kernel: fault_kernel,
      stall_sub: stall_sub, stall_kernel: stall_kernel, stall_reason: stall_reason,
      l1_slot: mem_select.slot, l1_counter: mem_select.counter[2:0]};

  for (genvar i = 0; i < NumSms; i++) begin : g_sm
    to_sm_t to_sm;
    always_comb begin
      to_sm = '{broadcast: sm_broadcast, dispatch: dispatch_seen, quota_word: word_seen};
      to_sm.dispatch.valid = sm_dispatch_valid[i];
      to_sm.quota_word.valid = sm_word_valid[i];
    end
    from_sm_t from_sm, seen;  // messages up: as sent, as the GPU level sees them
    qsm_sm u_sm (
      .clk_i, .rst_ni, .sm_id_i(SmW'(i)), .desc_i(desc), .direct_i(direct), .to_sm_i(to_sm),
      .from_sm_o(from_sm), .figures_o(figures[i]), .req_o(sm_req[i]), .rsp_i(sm_rsp[i])
    );
    qsm_delay #(.Width($bits(from_sm_t)), .Lat(NocLat)) u_delay_up (
      .clk_i, .rst_ni, .data_i(from_sm), .data_o(seen)
    );
    assign retire_valid[i] = seen.retire.valid;
    assign retire_tb[i] = seen.retire.tb;
    assign retire_saved[i] = seen.retire.saved;
    assign restored[i] = seen.restored;
    assign fault[i] = seen.fault;
  end

  qsm_xbar u_xbar (
    .clk_i, .rst_ni, .req_i(sm_req), .rsp_o(sm_rsp),
    .mem_req_o(channel_req), .mem_req_ready_i(channel_req_ready), .mem_rsp_i(channel_rsp),
    .mem_rsp_ready_o(channel_rsp_ready)
  );
  qsm_channels u_channels (
    .clk_i, .rst_ni, .req_i(channel_req), .req_ready_o(channel_req_ready), .rsp_o(channel_rsp),
    .rsp_ready_i(channel_rsp_ready),
    .mem_req_o, .mem_req_ready_i, .mem_rsp_i, .mem_rsp_ready_o,
    .no_alloc_i(skip_l2), .start_i(start), .select_i(mem_select), .value_o(mem_value),
    .flush_i(l2_flush), .flushing_o(l2_flushing)
  );
endmodule
