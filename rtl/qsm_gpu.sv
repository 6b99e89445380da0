// SPDX-License-Identifier: Apache-2.0
// Top of the GPU: control port, TB scheduler, QoS manager, SMs, crossbar, memory channels, and the
// message paths between them.
// Contract: docs/machine.md. Control port: docs/control_port.md. Memory port: docs/xbar.md.
// Latency: every path between an SM and anything else has NocLat registers (R-GEN-2); direct
// signals have none (R-GEN-3).
// Observed by the lockstep monitor: cycle; mem_req_o with mem_req_ready_i (MEMREQ), mem_rsp_i with
// mem_rsp_ready_o (MEMRSP); u_tb_sched (DISPATCH, END), u_tb_sched.u_alloc (TARGETS), u_qos_mgr
// (EPOCH), u_sm_mgr (RECORD, PLAN), g_sm[i].u_sm (everything else).
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
  policy_param_t policy_param;
  logic [NumKernels-1:0] ctx_qos, ctx_arrival, hist_clear, launch, kill_write, yield_write;
  logic [NumKernels-1:0][2:0] walk_write;
  logic [31:0] walk;
  logic alloc_change, icache_inv;
  preempt_req_t preempt;
  sm_request_t host_request;
  due_write_t due_write;
  gpu_regs_t gpu_regs;
  slot_regs_t [NumKernels-1:0] slot_regs;
  gpu_figures_t gpu_figures;
  slot_figures_t [NumKernels-1:0] slot_figures;

  // ---- memory channels ----
  port_req_t [NumChannels-1:0] channel_req;
  port_rsp_t [NumChannels-1:0] channel_rsp;
  logic [NumChannels-1:0] channel_req_ready, channel_rsp_ready;
  logic [NumKernels-1:0] skip_first, skip_l2;  // bit 0: shader arrays, or L1s where there are none
  logic [NumKernels-1:0][SplitW-1:0] mem_split;
  mem_select_t mem_select;
  logic [31:0] mem_value, sa_value;
  l2_flush_t l2_flush;
  logic l2_flushing;

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
  logic [NumSms-1:0] common;                  // SMs that have quotas
  logic [NumSms-1:0][NumKernels-1:0] quoted;  // who has one there
  localparam int unsigned SnapW = 20 + $clog2(NumSched * WarpSize + 1);
  logic [NumKernels-1:0][SnapW-1:0] insn_row;  // of the SMs, one after the other
  qos_status_t qos;
  // R-QM-14: which slot an access is about, what was read of its snapshot
  logic [KernelW-1:0] show_kernel;
  logic [SnapW-1:0] shown_insn;
  logic [31:0] shown_c;
  logic [19:0] epoch_len;  // of the epoch that runs

  // ---- SM manager ----
  sm_request_t mgr_request;  // to SM ownership
  logic sm_mgr_busy;         // the host moves no SM
  logic [NumKernels-1:0] ample;  // kernels ahead of their goals by more than an epoch's
  logic [NumKernels-1:0] apart;  // kernels that keep to SMs of their own
  logic sms_closed;              // no block goes to a shared SM
  sm_record_t [NumKernels-1:0] sm_records;

  // ---- SMs ----
  sm_direct_t direct;
  sm_broadcast_t sm_broadcast;  // as the SMs see it
  sm_figures_t [NumSms-1:0] figures, ctrl_figures;  // as they are, as the control port sees them
  mem_req_t [NumReqs-1:0] sm_req;  // the last is the front end's, where there is one
  mem_rsp_t [NumReqs-1:0] sm_rsp;

  // ---- front end ----
  ctl_req_t front_req;  // registers that it writes
  ctl_rsp_t front_rsp;  // its answers to the host
  logic front_err, front_again, front_snap;
  logic [2:0] front_irq;
  front_figures_t front_figures;
  logic [KernelW-1:0] front_kernel;

  logic sm_count_ask;
  logic [SmCounterW-1:0] sm_count_which;
  logic [47:0] sm_count;

  ctl_req_t host_req, ctl_req, front_sees;  // chosen; done: any, and the host's
  ctl_rsp_t ctl_rsp;
  logic ctl_host;
  slot_rules_t ctl_rules;
  qsm_axil #(.AddrW(20)) u_axil (
    .clk_i, .rst_ni,
    .awaddr_i(axil_req_i.awaddr), .awvalid_i(axil_req_i.awvalid), .awready_o(axil_rsp_o.awready),
    .wdata_i(axil_req_i.wdata), .wstrb_i(axil_req_i.wstrb), .wvalid_i(axil_req_i.wvalid),
    .wready_o(axil_rsp_o.wready),
    .bresp_o(axil_rsp_o.bresp), .bvalid_o(axil_rsp_o.bvalid), .bready_i(axil_req_i.bready),
    .araddr_i(axil_req_i.araddr), .arvalid_i(axil_req_i.arvalid), .arready_o(axil_rsp_o.arready),
    .rdata_o(axil_rsp_o.rdata), .rresp_o(axil_rsp_o.rresp), .rvalid_o(axil_rsp_o.rvalid),
    .rready_i(axil_req_i.rready),
    .req_valid_o(host_req.valid), .req_we_o(host_req.we), .req_addr_o(host_req.addr),
    .req_wdata_o(host_req.wdata), .rsp_err_i(ctl_rsp.err), .rsp_rdata_i(ctl_rsp.rdata)
  );
  qsm_ctrl_choice u_ctrl_choice (
    .clk_i, .rst_ni, .host_i(host_req), .front_i(front_req), .req_o(ctl_req), .host_o(ctl_host),
    .rules_o(ctl_rules)
  );
  always_comb begin
    front_sees = ctl_req;
    front_sees.valid = ctl_req.valid && ctl_host;
  end

  qsm_ctrl u_ctrl (
    .clk_i, .rst_ni,
    .req_i(ctl_req), .host_i(ctl_host), .rules_i(ctl_rules), .rsp_o(ctl_rsp), .irq_o,
    .front_rsp_i(front_rsp), .front_irq_o(front_irq), .front_snap_o(front_snap),
    .front_err_o(front_err), .front_again_o(front_again),
    .gpu_regs_o(gpu_regs), .slot_regs_o(slot_regs), .gpu_figures_i(gpu_figures),
    .slot_figures_i(slot_figures),
    .cycle_o(cycle), .desc_o(desc), .policy_param_o(policy_param),
    .qos_o(ctx_qos),
    .launch_o(launch), .kill_o(kill_write), .yield_o(yield_write), .walk_write_o(walk_write),
    .walk_o(walk), .arrival_o(ctx_arrival), .alloc_change_o(alloc_change),
    .hist_clear_o(hist_clear), .due_write_o(due_write), .icache_inv_o(icache_inv),
    .preempt_o(preempt),
    .l2_flush_o(l2_flush), .sm_request_o(host_request),
    .sm_count_ask_o(sm_count_ask), .sm_count_which_o(sm_count_which),
    .sm_count_i(sm_count), .sm_mgr_i(sm_mgr_busy),
    .tb_i(tb), .mem_value_i(mem_value), .sa_value_i(sa_value), .snapshot_i(snapshot),
    .fault_kernel_o(fault_kernel), .figures_i(ctrl_figures)
  );

  // ---- what read-only registers show ----
  assign gpu_figures = '{
    epoch_count: qos.epoch_count, epoch_e_lo: qos.epoch_e_lo, alloc_busy: tb.alloc_busy,
    mgr_busy: qos.busy,
    preempt_status: {tb.preempt.sm, tb.preempt.image, tb.preempt.tb, tb.preempt.code},
    adjust_busy: tb.adjust_busy, l2_flush: l2_flushing,
    // the port adds the counters to its answer
    moves: '0, move_cycles: '0, gated_cycles: '0, shared_cycles: '0, wakes: '0,
    front_irq0: front_figures.irq[31:0],
    front_irq1: front_figures.irq[63:32], front_irq2: front_figures.irq[95:64],
    snap_engine: '{
      copying: front_figures.snap_copying, copy_channel: front_figures.snap_copy_channel,
      busy: front_figures.snap_runs, channel: front_figures.snap_channel
    },
    snap_cycle: front_figures.snap_cycle, snap_busy0: front_figures.snap_busy[31:0],
    snap_busy1: front_figures.snap_busy[63:32], snap_busy2: front_figures.snap_busy[95:64]
  };
  // Snapshots are what the QoS manager read (R-QM-14): one word, whatever SM and slot.
  assign show_kernel = ctl_req.addr[4 +: KernelW];
  always_comb begin
    ctrl_figures = figures;
    for (int unsigned i = 0; i < NumSms; i++) begin
      ctrl_figures[i].snap_insn = {NumKernels{32'(shown_insn)}};
      ctrl_figures[i].snap_c = {NumKernels{shown_c}};
    end
  end
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      slot_figures[k] = '{
        status: {tb.yielded[k], tb.killed[k], tb.busy[k]}, launches: tb.launches[k],
        hist_insn: qos.insn[k], hist_cycles: qos.cycles[k],
        epoch_insn: qos.epoch_insn[k], epoch_quota: qos.epoch_quota[k], alpha: qos.alpha[k],
        saved: tb.saved[k], ratio: qos.ratio[k], sm_record: sm_records[k],
        owned_cycles: '0,
        channel: {front_figures.runs[k], front_figures.bound[k], front_figures.owner[k]},
        walk_xy: tb.walk_block[k][1:0], walk_z: tb.walk_block[k][2],
        walk_linear: tb.walk_linear[k]
      };
      {skip_l2[k], skip_first[k]} = slot_regs[k].cache_policy;
      mem_split[k] = SplitW'(slot_regs[k].mem_split);
    end
  end
  assign mem_select = '{
    channel: gpu_regs.mem_select.channel, slot: gpu_regs.mem_select.slot,
    counter: gpu_regs.mem_select.counter
  };

  from_sm_t [NumSms-1:0] from_sm;  // messages of the SMs, as the GPU level sees them
  logic [NumSms-1:0] gate, wake;
  sm_request_t sm_request;
  assign sm_request = host_request.valid ? host_request : mgr_request;
`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(host_request.valid && mgr_request.valid))
    else $error("R-SO-1: two requests in one cycle");
`endif
  qsm_tb_sched #(
    .NumSms(NumSms), .NumKernels(NumKernels), .NumSched(NumSched), .WarpsPerSm(WarpsPerSm),
    .MaxTbs(MaxTbs),
    .Granules(SharedGranules), .NumImages(NumImages), .LineBytes(LineBytes), .EndDelay(EndDelay),
    .slot_regs_t(slot_regs_t), .desc_t(desc_t), .gpu_regs_t(gpu_regs_t),
    .preempt_req_t(preempt_req_t), .preempt_status_t(preempt_status_t), .job_t(job_t),
    .saved_t(saved_t), .status_t(tb_status_t), .figures_t(sm_figures_t), .dispatch_t(dispatch_t),
    .from_sm_t(from_sm_t), .sm_request_t(sm_request_t), .sm_owner_t(sm_owner_t),
    .Gating(PowerGating != 0)
  ) u_tb_sched (
    .clk_i, .rst_ni, .gpu_regs_i(gpu_regs), .slot_regs_i(slot_regs), .desc_i(desc),
    .launch_i(launch), .kill_write_i(kill_write), .yield_write_i(yield_write),
    .walk_write_i(walk_write), .walk_i(walk), .arrival_i(ctx_arrival),
    .alloc_change_i(alloc_change), .preempt_i(preempt), .sm_request_i(sm_request), .status_o(tb),
    .count_ask_i(sm_count_ask), .count_which_i(sm_count_which), .count_o(sm_count),
    .snapshot_i(snapshot), .epoch_done_i(epoch_done), .apart_i(apart),
    .closed_i(sms_closed), .ratio_i(qos.ratio),
    .start_o(start), .kill_o(kill), .dispatch_valid_o(dispatch_valid), .dispatch_o(dispatch),
    .gate_o(gate), .wake_o(wake),
    .from_sm_i(from_sm), .figures_i(figures)
  );

  // An epoch has less than 2^20 cycles (R-QM-1): what an SM can count in it is narrower than its
  // register.
  qsm_qos_mgr #(
    .NumSms(NumSms), .NumKernels(NumKernels), .MaxTbs(MaxTbs), .NocLat(NocLat), .QosLat(QosLat),
    .SnapW(SnapW), .gpu_regs_t(gpu_regs_t),
    .slot_regs_t(slot_regs_t), .due_write_t(due_write_t), .tb_status_t(tb_status_t),
    .figures_t(sm_figures_t), .quota_word_t(quota_word_t), .quota_load_t(quota_load_t),
    .status_t(qos_status_t)
  ) u_qos_mgr (
    .clk_i, .rst_ni, .gpu_regs_i(gpu_regs), .slot_regs_i(slot_regs), .hist_clear_i(hist_clear),
    .due_write_i(due_write), .ample_i(ample),
    .tb_i(tb), .figures_i(figures), .cycle_i(cycle), .e_o(snapshot), .done_o(epoch_done),
    .epoch_len_o(epoch_len), .tick_o(tick), .sample_o(sample), .word_o(word),
    .word_sm_o(word_sm), .load_o(load), .common_o(common), .quoted_o(quoted),
    .row_o(insn_row),
    .status_o(qos),
    .show_kernel_i(show_kernel), .show_sm_i(gpu_regs.sm_select), .shown_insn_o(shown_insn),
    .shown_c_o(shown_c)
  );

  qsm_sm_mgr #(
    .NumSms(NumSms), .NumKernels(NumKernels), .NocLat(NocLat),
    .SnapW(SnapW), .gpu_regs_t(gpu_regs_t),
    .slot_regs_t(slot_regs_t), .tb_status_t(tb_status_t), .owner_t(sm_owner_t),
    .figures_t(sm_figures_t), .request_t(sm_request_t), .record_t(sm_record_t)
  ) u_sm_mgr (
    .clk_i, .rst_ni, .gpu_regs_i(gpu_regs), .slot_regs_i(slot_regs), .arrival_i(ctx_arrival),
    .hist_clear_i(hist_clear), .tb_i(tb), .figures_i(figures), .common_i(common),
    .quoted_i(quoted), .row_i(insn_row), .e_i(snapshot), .epoch_len_i(epoch_len),
    .request_o(mgr_request),
    .busy_o(sm_mgr_busy), .records_o(sm_records), .ample_o(ample),
    .apart_o(apart), .closed_o(sms_closed)
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

  // The load message of an SM without quotas says scheme none (R-SC-15).
  logic [NumSms-1:0] common_seen;
  qsm_delay #(.Width(NumSms), .Lat(NocLat)) u_delay_common (
    .clk_i, .rst_ni, .data_i(common), .data_o(common_seen)
  );

  power_order_t [NumSms-1:0] power_order, sm_power_order;
  always_comb for (int unsigned i = 0; i < NumSms; i++) power_order[i] = '{
      wake: wake[i], gate: gate[i]};
  qsm_delay #(.Width(NumSms * $bits(power_order_t)), .Lat(NocLat)) u_delay_power (
    .clk_i, .rst_ni, .data_i(power_order), .data_o(sm_power_order)
  );

  assign direct = '{
    cycle: cycle, policy: gpu_regs.policy, policy_param: policy_param, qos: ctx_qos,
    skip_l1: (NumSas != 0) ? '0 : skip_first, mem_split: mem_split, epoch_len: gpu_regs.epoch_len,
    wake_lat: gpu_regs.wake_lat,
    first_quota: slot_regs[dispatch_seen.kernel].first_quota,
    save_base: slot_regs[dispatch_seen.kernel].save_base, fault_kernel: fault_kernel,
    front_kernel: front_kernel,
    stall_sub: gpu_regs.stall_select.subcore, stall_kernel: gpu_regs.stall_select.slot,
    stall_reason: gpu_regs.stall_select.reason,
    l1_slot: mem_select.slot, l1_counter: mem_select.counter[2:0],
    energy_slot: gpu_regs.energy_select.slot, energy_event: gpu_regs.energy_select.what
  };

  for (genvar i = 0; i < NumSms; i++) begin : g_sm
    to_sm_t to_sm;
    always_comb begin
      to_sm = '{broadcast: sm_broadcast, dispatch: dispatch_seen, quota_word: word_seen,
          power: sm_power_order[i]};
      to_sm.dispatch.valid = sm_dispatch_valid[i];
      to_sm.quota_word.valid = sm_word_valid[i];
      if (!common_seen[i]) to_sm.broadcast.quota_load.scheme = SchemeNone;
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

  // The way to and from the crossbar's port is that of an SM.
  if (NumCmd != 0) begin : g_front
    logic [4:0] cause;
    logic [SmW-1:0] count_sm;
    logic [NumKernels-1:0][NumSms-1:0] resident;
    assign cause = tb.faulted[front_kernel] ? figures[tb.fault_sm[front_kernel]].fault_cause
                                            : CauseHost;
    always_comb begin
      for (int unsigned k = 0; k < NumKernels; k++)
        for (int unsigned i = 0; i < NumSms; i++) resident[k][i] = tb.cnt[i][k] != '0;
    end
    qsm_front u_front (
      .clk_i, .rst_ni, .cycle_i(cycle), .req_i(front_sees), .rsp_o(front_rsp),
      .concurrent_i(gpu_regs.front_mode.concurrent),
      .take_back_i(gpu_regs.front_mode.take_back), .slots_i(gpu_regs.front_slots),
      .irq_write_i(front_irq), .snap_write_i(front_snap),
      .link_interval_i(gpu_regs.link_interval), .figures_o(front_figures),
      .busy_i(tb.busy), .killed_i(tb.killed), .yielded_i(tb.yielded), .resident_i(resident),
      .slot_o(front_kernel), .cause_i(cause),
      .walk_i({tb.walk_linear[front_kernel], 16'd0, tb.walk_block[front_kernel]}),
      .count_sm_o(count_sm), .insn_i(figures[count_sm].insn),
      .reg_o(front_req), .reg_ready_i(!host_req.valid), .reg_err_i(front_err),
      .reg_again_i(front_again),
      .mem_req_o(sm_req[NumSms]), .mem_rsp_i(sm_rsp[NumSms])
    );
  end else begin : g_no_front
    assign front_req = '0;
    assign front_rsp = '0;
    assign front_figures = '0;
    assign front_kernel = '0;
    logic unused_front;
    assign unused_front = ^{front_err, front_again, front_snap, front_irq, front_sees};
  end

  logic [NumSms-1:0][NumKernels-1:0] restores, fences;
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      restores[i] = (sm_dispatch_valid[i] && dispatch_seen.op == OpRestore)
          ? NumKernels'(1) << dispatch_seen.kernel : '0;
      fences[i] = from_sm[i].fence;
    end
  end
  qsm_xbar u_xbar (
    .clk_i, .rst_ni, .req_i(sm_req), .rsp_o(sm_rsp),
    .skip_i(skip_first), .start_i(sm_broadcast.start), .restore_i(restores), .fence_i(fences),
    .select_sm_i(gpu_regs.sm_select), .select_i(mem_select), .value_o(sa_value),
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
