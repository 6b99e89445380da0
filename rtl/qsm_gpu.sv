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
  logic adjust, latecomers;
  logic [1:0] adjust_technique;
  preempt_req_t preempt;

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
  logic [NumKernels-1:0] start, kill;
  logic [KernelW-1:0] fault_kernel;
  tb_status_t tb;
  logic [NumSms-1:0] dispatch_valid;
  dispatch_t dispatch;

  // ---- QoS manager ----
  logic tick, sample, snapshot, epoch_done;
  quota_word_t word;
  logic [SmW-1:0] word_sm;
  quota_load_t load;
  qos_status_t qos;

  // ---- SMs ----
  sm_direct_t direct;
  sm_broadcast_t sm_broadcast;  // as the SMs see it
  sm_figures_t [NumSms-1:0] figures;
  mem_req_t [NumSms-1:0] sm_req;
  mem_rsp_t [NumSms-1:0] sm_rsp;

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
    .busy_i(tb.busy), .killed_i(tb.killed), .ended_i(tb.ended), .launches_i(tb.launches),
    .faulted_i(tb.faulted), .fault_sm_i(tb.fault_sm), .alloc_busy_i(tb.alloc_busy),
    .cnt_i(tb.cnt), .target_i(tb.target), .preempt_status_i(tb.preempt), .job_i(tb.job),
    .saved_i(tb.saved), .adjust_busy_i(tb.adjust_busy),
    .snapshot_i(snapshot), .mgr_busy_i(qos.busy), .epoch_count_i(qos.epoch_count),
    .epoch_e_lo_i(qos.epoch_e_lo), .hist_insn_i(qos.insn), .hist_cycles_i(qos.cycles),
    .epoch_insn_i(qos.epoch_insn), .epoch_quota_i(qos.epoch_quota), .alpha_i(qos.alpha),
    .ratio_i(qos.ratio),
    .fault_kernel_o(fault_kernel), .stall_sub_o(stall_sub), .stall_kernel_o(stall_kernel),
    .stall_reason_o(stall_reason), .figures_i(figures)
  );

  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) {skip_l2[k], skip_l1[k]} = cache_policy[k];
  end

  // ---- registers that blocks of the GPU level read, by the names that they give them ----
  typedef struct packed {
    struct packed {
      logic qos;
      logic valid;
    } ctx;
    logic [31:0] goal;
    logic [31:0] iso_ipc;
    logic [NumSms-1:0] sm_mask;
    logic [19:0] save_base;
    logic [19:0] save_limit;
    logic idempotent;
    logic preempt_hold;
  } slot_regs_t;
  typedef struct packed {
    logic [2:0] scheme;
    logic [19:0] epoch_len;
    logic [18:0] alpha_cap;
    logic [7:0] rollover_cap;
    logic alpha_en;
    logic [3:0] nonqos_quota;
    logic adjust;
    logic [1:0] adjust_technique;
    struct packed {logic on;} latecomers;
  } gpu_regs_t;
  slot_regs_t [NumKernels-1:0] slot_regs;
  gpu_regs_t gpu_regs;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      slot_regs[k] = '{
        ctx: '{valid: ctx_valid[k], qos: ctx_qos[k]}, goal: goal[k],
        iso_ipc: iso_ipc[k], sm_mask: sm_mask[k],
        save_base: save_base[k], save_limit: save_limit[k], idempotent: idempotent[k],
        preempt_hold: preempt_hold[k]
      };
    end
    gpu_regs = '{
      scheme: scheme, epoch_len: epoch_len, alpha_cap: alpha_cap, rollover_cap: rollover_cap,
      alpha_en: alpha_en, nonqos_quota: nonqos_quota, adjust: adjust,
      adjust_technique: adjust_technique, latecomers: '{on: latecomers}
    };
  end

  from_sm_t [NumSms-1:0] from_sm;  // messages of the SMs, as the GPU level sees them
  qsm_tb_sched #(
    .NumSms(NumSms), .NumKernels(NumKernels), .NumSched(NumSched), .WarpsPerSm(WarpsPerSm),
    .MaxTbs(MaxTbs),
    .Granules(SharedGranules), .NumImages(NumImages), .LineBytes(LineBytes), .EndDelay(EndDelay),
    .slot_regs_t(slot_regs_t), .desc_t(desc_t), .gpu_regs_t(gpu_regs_t),
    .preempt_req_t(preempt_req_t), .preempt_status_t(preempt_status_t), .job_t(job_t),
    .saved_t(saved_t), .status_t(tb_status_t), .figures_t(sm_figures_t), .dispatch_t(dispatch_t),
    .from_sm_t(from_sm_t)
  ) u_tb_sched (
    .clk_i, .rst_ni, .gpu_regs_i(gpu_regs), .slot_regs_i(slot_regs), .desc_i(desc),
    .launch_i(launch), .kill_write_i(kill_write), .arrival_i(ctx_arrival),
    .alloc_change_i(alloc_change), .preempt_i(preempt), .status_o(tb),
    .snapshot_i(snapshot), .epoch_done_i(epoch_done), .ratio_i(qos.ratio),
    .start_o(start), .kill_o(kill), .dispatch_valid_o(dispatch_valid), .dispatch_o(dispatch),
    .from_sm_i(from_sm), .figures_i(figures)
  );

  // An epoch has less than 2^20 cycles (R-QM-1): what an SM can count in it is narrower than its
  // register.
  qsm_qos_mgr #(
    .NumSms(NumSms), .NumKernels(NumKernels), .MaxTbs(MaxTbs), .NocLat(NocLat), .QosLat(QosLat),
    .SnapW(20 + $clog2(NumSched * WarpSize + 1)), .gpu_regs_t(gpu_regs_t),
    .slot_regs_t(slot_regs_t), .tb_status_t(tb_status_t), .figures_t(sm_figures_t),
    .quota_word_t(quota_word_t), .quota_load_t(quota_load_t), .status_t(qos_status_t)
  ) u_qos_mgr (
    .clk_i, .rst_ni, .gpu_regs_i(gpu_regs), .slot_regs_i(slot_regs), .hist_clear_i(hist_clear),
    .tb_i(tb), .figures_i(figures), .cycle_i(cycle), .e_o(snapshot), .done_o(epoch_done),
    .tick_o(tick), .sample_o(sample), .word_o(word), .word_sm_o(word_sm), .load_o(load),
    .status_o(qos)
  );

  // ---- messages down: one delay line for all SMs, a valid bit per SM where a message has one
  // receiver ----
  sm_broadcast_t broadcast;
  assign broadcast = '{start: start, kill: kill, icache_inv: icache_inv, tick: tick, sample: sample,
      quota_load: load};
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
  quota_word_t word_seen;
  assign word_to = word.valid ? NumSms'(1) << word_sm : '0;
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
    from_sm_t sent;
    qsm_sm u_sm (
      .clk_i, .rst_ni, .sm_id_i(SmW'(i)), .desc_i(desc), .direct_i(direct), .to_sm_i(to_sm),
      .from_sm_o(sent), .figures_o(figures[i]), .req_o(sm_req[i]), .rsp_i(sm_rsp[i])
    );
    qsm_delay #(.Width($bits(from_sm_t)), .Lat(NocLat)) u_delay_up (
      .clk_i, .rst_ni, .data_i(sent), .data_o(from_sm[i])
    );
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
