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
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Host.
  input  axil_req_t axil_req_i,
  output axil_rsp_t axil_rsp_o,
  output logic      irq_o,

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
  scheme_e load_scheme;
  logic [31:0] epoch_count, epoch_e_lo;
  logic [NumKernels-1:0][47:0] hist_insn, hist_cycles;
  logic [NumKernels-1:0][30:0] epoch_insn, epoch_quota;
  logic [NumKernels-1:0][18:0] alpha, ratio;

  // ---- SMs: messages as the SMs see and send them, direct signals ----
  logic [NumKernels-1:0] sm_start, sm_kill;
  logic sm_icache_inv, sm_tick, sm_sample;
  quota_load_t sm_load;
  dispatch_t [NumSms-1:0] sm_dispatch;
  quota_word_t [NumSms-1:0] sm_word;
  retire_t [NumSms-1:0] sm_retire;
  logic [NumSms-1:0][NumKernels-1:0] sm_fault;
  fault_t [NumSms-1:0] sm_record;
  logic [NumSms-1:0][NumKernels-1:0][31:0] snap_c, snap_insn;
  logic [NumSms-1:0][NumKernels-1:0][30:0] quota;
  logic [NumSms-1:0][NumKernels-1:0][12:0] snap_idle;
  logic [NumSms-1:0][31:0] stall_value, l1_value;
  logic [NumSms-1:0] sm_restored;
  logic [NumSms-1:0][3:0] sm_phase;  // direct
  qaws_front_t [NumSms-1:0][NumSched-1:0] qaws_front;
  mem_req_t [NumSms-1:0] sm_req;
  mem_rsp_t [NumSms-1:0] sm_rsp;

  // ---- messages of the SMs as the scheduler sees them ----
  logic [NumSms-1:0] retire_valid;
  logic [NumSms-1:0][TbW-1:0] retire_tb;
  logic [NumSms-1:0][NumKernels-1:0] fault;
  logic [NumSms-1:0] retire_saved, restored;

  ctl_req_t ctl_req;
  ctl_rsp_t ctl_rsp;
  qsm_axil #(.AddrW(16)) u_axil (
    .clk_i, .rst_ni,
    .awaddr_i(axil_req_i.awaddr), .awvalid_i(axil_req_i.awvalid), .awready_o(axil_rsp_o.awready),
    .wdata_i(axil_req_i.wdata), .wstrb_i(axil_req_i.wstrb), .wvalid_i(axil_req_i.wvalid),
    .wready_o(axil_rsp_o.wready),
    .bresp_o(axil_rsp_o.bresp), .bvalid_o(axil_rsp_o.bvalid), .bready_i(axil_req_i.bready),
    .araddr_i(axil_req_i.araddr), .arvalid_i(axil_req_i.arvalid), .arready_o(axil_rsp_o.arready),
    .rdata_o(axil_rsp_o.rdata), .rresp_o(axil_rsp_o.rresp), .rvalid_o(axil_rsp_o.rvalid),
    .rready_i(axil_req_i.rready),
    .req_valid_o(ctl_req.valid), .req_we_o(ctl_req.we), .req_addr_o(ctl_req.addr),
    .req_wdata_o(ctl_req.wdata), .rsp_err_i(ctl_rsp.err), .rsp_rdata_i(ctl_rsp.rdata)
  );

  gpu_regs_t gpu_regs;
  slot_regs_t [NumKernels-1:0] slot_regs;
  gpu_figures_t gpu_figures;
  slot_figures_t [NumKernels-1:0] slot_figures;
  qsm_ctrl u_ctrl (
    .clk_i, .rst_ni,
    .req_i(ctl_req), .rsp_o(ctl_rsp), .irq_o,
    .gpu_regs_o(gpu_regs), .slot_regs_o(slot_regs), .gpu_figures_i(gpu_figures),
    .slot_figures_i(slot_figures),
    .cycle_o(cycle), .desc_o(desc), .policy_param_o(policy_param), .valid_o(ctx_valid),
    .qos_o(ctx_qos),
    .launch_o(launch), .kill_o(kill_write), .arrival_o(ctx_arrival), .alloc_change_o(alloc_change),
    .hist_clear_o(hist_clear), .icache_inv_o(icache_inv), .preempt_o(preempt),
    .l2_flush_o(l2_flush),
    .ended_i(ended), .faulted_i(faulted), .fault_sm_i(fault_sm), .cnt_i(cnt), .target_i(target),
    .job_i(job), .mem_value_i(mem_value), .l1_value_i(l1_value), .snapshot_i(snapshot),
    .fault_kernel_o(fault_kernel), .record_i(sm_record), .snap_c_i(snap_c), .snap_insn_i(snap_insn),
    .quota_i(quota), .stall_value_i(stall_value), .idle_i(snap_idle), .qaws_front_i(qaws_front)
  );

  // ---- registers by name; one that has a single user may be taken from gpu_regs there ----
  assign policy = policy_e'(gpu_regs.policy);
  assign scheme = scheme_e'(gpu_regs.scheme);
  assign epoch_len = gpu_regs.epoch_len;
  assign alpha_cap = gpu_regs.alpha_cap;
  assign rollover_cap = gpu_regs.rollover_cap;
  assign alpha_en = gpu_regs.alpha_en;
  assign nonqos_quota = gpu_regs.nonqos_quota;
  assign adjust = gpu_regs.adjust;
  assign adjust_technique = gpu_regs.adjust_technique;
  assign latecomers = gpu_regs.latecomers.on;
  assign stall_sub = gpu_regs.stall_select.subcore;
  assign stall_kernel = gpu_regs.stall_select.slot;
  assign stall_reason = gpu_regs.stall_select.reason;
  assign mem_select = '{
    channel: gpu_regs.mem_select.channel, slot: gpu_regs.mem_select.slot,
    counter: gpu_regs.mem_select.counter
  };
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      first_quota[k] = slot_regs[k].first_quota;
      goal[k] = slot_regs[k].goal;
      iso_ipc[k] = slot_regs[k].iso_ipc;
      sm_mask[k] = slot_regs[k].sm_mask;
      save_base[k] = slot_regs[k].save_base;
      save_limit[k] = slot_regs[k].save_limit;
      idempotent[k] = slot_regs[k].idempotent;
      preempt_hold[k] = slot_regs[k].preempt_hold;
      cache_policy[k] = slot_regs[k].cache_policy;
    end
  end

  // ---- what read-only registers show ----
  assign gpu_figures = '{
    epoch_count: epoch_count, epoch_e_lo: epoch_e_lo, alloc_busy: alloc_busy, mgr_busy: mgr_busy,
    preempt_status: {preempt_status.sm, preempt_status.image, preempt_status.tb,
                     preempt_status.code},
    adjust_busy: adjust_busy, l2_flush: l2_flushing
  };
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      slot_figures[k] = '{
        status: {killed[k], busy[k]}, launches: launches[k],
        hist_insn: hist_insn[k], hist_cycles: hist_cycles[k],
        epoch_insn: epoch_insn[k], epoch_quota: epoch_quota[k], alpha: alpha[k],
        saved: saved[k], ratio: ratio[k]
      };
    end
  end

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
          phase: sm_phase[i], result: job_result[i]};
      for (int unsigned k = 0; k < NumKernels; k++) counted[i][k] = cnt[i][k] - 6'(saving[i][k]);
    end
    for (int unsigned k = 0; k < NumKernels; k++)
      saved[k] = '{images: 5'($countones(images[k])), queued: 5'(queued[k])};
  end

  // An epoch has less than 2^20 cycles (R-QM-1): what an SM can count in it is narrower than its
  // register.
  localparam int unsigned SnapW = 20 + $clog2(NumSched * WarpSize + 1);
  logic [NumSms-1:0][NumKernels-1:0][SnapW-1:0] snap_counts;
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      for (int unsigned k = 0; k < NumKernels; k++) snap_counts[i][k] = snap_insn[i][k][SnapW-1:0];
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
  quota_load_t load;
  assign load = '{valid: load_valid, scheme: load_scheme};
  qsm_delay #(.Width(2 * NumKernels + 3 + $bits(quota_load_t)), .Lat(NocLat)) u_delay_pulses (
    .clk_i, .rst_ni, .data_i({start, kill, icache_inv, tick, sample, load}),
    .data_o({sm_start, sm_kill, sm_icache_inv, sm_tick, sm_sample, sm_load})
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

  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      sm_dispatch[i] = dispatch_seen;
      sm_dispatch[i].valid = sm_dispatch_valid[i];
      sm_word[i] = word_seen;
      sm_word[i].valid = sm_word_valid[i];
    end
  end

  for (genvar i = 0; i < NumSms; i++) begin : g_sm
    qsm_sm u_sm (
      .clk_i, .rst_ni, .sm_id_i(SmW'(i)), .cycle_i(cycle),
      .desc_i(desc), .policy_i(policy), .policy_param_i(policy_param), .qos_i(ctx_qos),
      .first_quota_i(first_quota[dispatch_seen.kernel]),
      .save_base_i(save_base[dispatch_seen.kernel]), .epoch_len_i(epoch_len), .skip_l1_i(skip_l1),
      .start_i(sm_start), .kill_i(sm_kill), .dispatch_i(sm_dispatch[i]),
      .icache_inv_i(sm_icache_inv),
      .tick_i(sm_tick), .sample_i(sm_sample), .quota_word_i(sm_word[i]), .quota_load_i(sm_load),
      .retire_o(sm_retire[i]), .restored_o(sm_restored[i]), .fault_o(sm_fault[i]),
      .fault_kernel_i(fault_kernel), .fault_record_o(sm_record[i]),
      .snap_c_o(snap_c[i]), .snap_insn_o(snap_insn[i]), .quota_o(quota[i]),
      .snap_idle_o(snap_idle[i]),
      .stall_sub_i(stall_sub), .stall_kernel_i(stall_kernel), .stall_reason_i(stall_reason),
      .stall_value_o(stall_value[i]),
      .l1_slot_i(mem_select.slot), .l1_counter_i(mem_select.counter[2:0]), .l1_value_o(l1_value[i]),
      .save_phase_o(sm_phase[i]),
      .qaws_front_o(qaws_front[i]),
      .req_o(sm_req[i]), .rsp_i(sm_rsp[i])
    );

    // Messages up.
    retire_t retire_seen;
    qsm_delay #(.Width($bits(retire_t) + 1 + NumKernels), .Lat(NocLat)) u_delay_up (
      .clk_i, .rst_ni, .data_i({sm_retire[i], sm_restored[i], sm_fault[i]}),
      .data_o({retire_seen, restored[i], fault[i]})
    );
    assign retire_valid[i] = retire_seen.valid;
    assign retire_tb[i] = retire_seen.tb;
    assign retire_saved[i] = retire_seen.saved;
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
