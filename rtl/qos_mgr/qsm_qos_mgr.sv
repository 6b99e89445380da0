// SPDX-License-Identifier: Apache-2.0
// QoS manager: epochs, histories and quotas of all kernel slots.
//
// Contract: docs/qos_mgr.md. Every T cycles (tick_o, by qsm_epoch_timer) it takes the SMs'
// instruction counts, works
//   out each kernel's quota, sends every SM its share as quota words, and QosLat cycles after the
//   snapshot makes all SMs load them. Kernels pass a pipeline of four stages: sum over the SMs
//   (qsm_qos_sum), quota (qsm_qos_goal), division by the blocks and words (qsm_qos_split). What a
//   launch with a deadline has left says qsm_qos_due.
//   It also says when the SMs take their samples of idle warps, 100 per epoch (docs/sampler.md,
//   R-SP-1).
//   With sm_rollover quotas are for the SMs that all share (R-QM-12).
// Latency: R-QM-11; illegal parameters stop elaboration.
// Cost: registers of about 250 bits per slot, one arithmetic unit, one division unit, qsm_qos_due.
//
// Observed by the lockstep monitor: epoch_done (EPOCH, in cycle E + QosLat) with status_o.
module qsm_qos_mgr
  import qsm_enums_pkg::*;
#(
  parameter  int unsigned NumSms     = 4,      // 1..96
  parameter  int unsigned NumKernels = 4,      // kernel slots, 1..8
  parameter  int unsigned MaxTbs     = 8,      // thread-block slots per SM, 1..32
  parameter  int unsigned NocLat     = 2,      // cycles of a message, 1..16
  parameter  int unsigned QosLat     = 200,    // cycles from the snapshot to the load
  parameter  int unsigned EpochReset = 10000,  // T of the first epoch: reset value of EPOCH_LEN
  parameter  int unsigned SnapW      = 32,     // bits of an SM's instructions of an epoch, 20..32
  // Types of the ports, with the members that are named; a GPU's may have more.
  parameter  type gpu_regs_t   = logic,  // scheme, epoch_len (T), alpha_cap (Q6.16, 0: none),
                                         // rollover_cap (epochs, 0: none), quota_rules (R-QM-13),
                                         // nonqos_quota (0: artificial goals, n: T * 2^(n-1))
  parameter  type slot_regs_t  = logic,  // ctx.valid, .qos; goal, iso_ipc (IPC, Q16.16)
  parameter  type due_write_t  = logic,  // arrival, launch, deadline, work of a slot; data
  parameter  type tb_status_t  = logic,  // busy, had_tb[kernel]; staying[sm][kernel]: blocks;
                                         // owner[sm].usage, .moving
  parameter  type figures_t    = logic,  // snap_insn[kernel] of the epoch, snap_c[kernel]
  parameter  type quota_word_t = logic,  // valid, kernel, quota, credit
  parameter  type quota_load_t = logic,  // valid, scheme, keep[kernel]
  parameter  type status_t     = logic,  // see status_o
  localparam int unsigned KernelW    = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned SmW        = (NumSms > 1) ? $clog2(NumSms) : 1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // registers, steady while busy and in E; pulse: forget the history
  input  gpu_regs_t                   gpu_regs_i,
  input  slot_regs_t [NumKernels-1:0] slot_regs_i,
  input  logic [NumKernels-1:0]       hist_clear_i,
  input  due_write_t                  due_write_i,
  input  logic [NumKernels-1:0]       ample_i,    // ahead of its goal by more than an epoch's
  // TB scheduler, SMs
  input  tb_status_t                  tb_i,
  input  figures_t [NumSms-1:0]       figures_i,
  // cycle counter, of which EPOCH_E_LO shows the lower half
  // verilator lint_off UNUSEDSIGNAL
  input  logic [63:0]                 cycle_i,
  // verilator lint_on UNUSEDSIGNAL
  output logic                        e_o,        // this is cycle E
  output logic                        done_o,     // this is cycle E + QosLat
  output logic [19:0]                 epoch_len_o,  // T of this epoch
  // messages
  output logic                        tick_o,     // sent; seen in cycle E
  output logic                        sample_o,   // sent: count the idle warps
  output quota_word_t                 word_o,
  output logic [SmW-1:0]              word_sm_o,  // its receiver
  output quota_load_t                 load_o,     // sent; seen in E + QosLat
  // of the snapshot: SMs that have quotas, the load message opens the others; who gets words where
  output logic [NumSms-1:0]           common_o,
  output logic [NumSms-1:0][NumKernels-1:0] quoted_o,
  // what one SM issued in the epoch: SM i in E + NocLat + 1 + i, if any slot is valid
  output logic [NumKernels-1:0][SnapW-1:0] row_o,
  // to the registers
  output status_t                     status_o,
  // R-QM-14: what was read of a slot's snapshot on an SM
  input  logic [KernelW-1:0]          show_kernel_i,
  input  logic [SmW-1:0]              show_sm_i,
  output logic [SnapW-1:0]            shown_insn_o,
  output logic [31:0]                 shown_c_o
);
  localparam logic [21:0] AlphaOne = 22'h1_0000;
  localparam int unsigned Samples = 100;  // per epoch
  localparam int unsigned TbW = $clog2(MaxTbs + 1);
  localparam int unsigned TbSumW = $clog2(NumSms * MaxTbs + 1);
  localparam int unsigned InsnW = SnapW + $clog2(NumSms);
  localparam int unsigned CarryW = 31 + $clog2(NumSms);
  localparam int unsigned SinceW = $clog2(QosLat + 1);

  // R-QM-11: least QosLat.
  function automatic int unsigned max2(int unsigned a, int unsigned b);
    return (a > b) ? a : b;
  endfunction

  function automatic int unsigned least_qos_lat();
    int unsigned n_div, slot, total;
    n_div = (31 + 2 * TbSumW + 3) / 4;
    slot  = max2(n_div, NumSms) + 2;
    total = (NumKernels - 1) * max2(36, slot) + max2(22, slot);  // fair
    total = max2(total, NumKernels * max2(29, slot));  // deadlines
    for (int unsigned q = 0; q <= NumKernels; q++) begin
      total = max2(total, q * max2(24, slot) + (NumKernels - q) * max2(1 + q * 20, slot));
    end
    total += 2 * NocLat + 2 * NumSms + n_div + 4;
    // EpochMin has room for the samples
    return (total + 2 * NocLat + 16 < Samples) ? Samples - 16 - 2 * NocLat : total;
  endfunction

  if (NumSms < 1 || NumSms > 96) $error("qsm_qos_mgr: NumSms must be 1..96");
  if (NumKernels < 1 || NumKernels > 8) $error("qsm_qos_mgr: NumKernels must be 1..8");
  if (MaxTbs < 1 || MaxTbs > 32) $error("qsm_qos_mgr: MaxTbs must be 1..32");
  if (NocLat < 1 || NocLat > 16) $error("qsm_qos_mgr: NocLat must be 1..16");
  if (QosLat < least_qos_lat()) $error("qsm_qos_mgr: QosLat is less than R-QM-11 asks for");

  // ---- Registers and figures, as the parts want them ----
  logic [NumKernels-1:0]                        valid, qos;
  logic [NumSms-1:0][NumKernels-1:0][SnapW-1:0] snap_insn;
  logic [NumSms-1:0][NumKernels-1:0][31:0]      snap_c;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      valid[k] = slot_regs_i[k].ctx.valid;
      qos[k]   = slot_regs_i[k].ctx.valid && slot_regs_i[k].ctx.qos;
    end
    for (int unsigned i = 0; i < NumSms; i++) begin
      for (int unsigned k = 0; k < NumKernels; k++)
        snap_insn[i][k] = figures_i[i].snap_insn[k][SnapW-1:0];
      snap_c[i] = figures_i[i].snap_c;
    end
  end

  // ---- Registers shown ----
  logic [31:0]                 epoch_count_q, epoch_e_lo_q;
  logic [NumKernels-1:0][47:0] insn_q, hcyc_q;  // history: thread instructions, cycles
  logic [NumKernels-1:0][30:0] epoch_insn_q, epoch_quota_q;
  logic [NumKernels-1:0][21:0] alpha_q, ratio_q;  // Q6.16; of ratio: goal / IPC of the history
  logic                        busy;
  assign status_o = '{
    busy: busy, epoch_count: epoch_count_q, epoch_e_lo: epoch_e_lo_q, insn: insn_q, cycles: hcyc_q,
    epoch_insn: epoch_insn_q, epoch_quota: epoch_quota_q, alpha: alpha_q, ratio: ratio_q
  };

  // ---- Epoch timer (R-QM-1, R-SP-1) ----
  logic [19:0]       ep_len;
  logic [NocLat-1:0] tick_pipe_q;
  logic              e;

  qsm_epoch_timer #(.EpochReset(EpochReset), .Samples(Samples)) u_timer (
    .clk_i, .rst_ni, .epoch_len_i(gpu_regs_i.epoch_len), .epoch_len_o(ep_len), .tick_o, .sample_o
  );
  assign epoch_len_o = ep_len;

  assign e   = tick_pipe_q[NocLat-1];
  assign e_o = e;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) tick_pipe_q <= '0;
    else tick_pipe_q <= NocLat'({tick_pipe_q, tick_o});
  end

  // ---- Sequence of an epoch's computation (R-QM-3, R-QM-4) ----
  logic [SinceW-1:0] since_q;  // cycles since E, 0 = nothing under way
  logic              epoch_done, start, load_valid;
  scheme_e           scheme_q;
  logic              uses_history_q, carries_over_q, paced_q;  // it does: R-SC-8, R-SC-9, R-PA-1
  logic [31:0]       e_cycle_q;
  // slots whose rests stay on SMs that get no word (R-QM-13), or that are far behind (R-PA-17)
  logic [NumKernels-1:0] keep_q;

  assign epoch_done    = (since_q == SinceW'(QosLat));
  assign done_o        = epoch_done;
  assign start         = (since_q == SinceW'(NocLat));
  assign load_valid    = (since_q == SinceW'(QosLat - NocLat));
  always_comb begin
    load_o.valid = load_valid;
    {load_o.scheme} = scheme_q;  // an enumeration or not
    load_o.keep = keep_q;
  end
  assign busy          = (since_q != '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      since_q       <= '0;
      scheme_q      <= SchemeNone;
      {uses_history_q, carries_over_q, paced_q} <= '0;
      e_cycle_q     <= '0;
      epoch_count_q <= '0;
      epoch_e_lo_q  <= '0;
    end else begin
      if (e) since_q <= SinceW'(1);
      else if (busy) since_q <= epoch_done ? '0 : since_q + SinceW'(1);
      if (e) begin
        scheme_q  <= gpu_regs_i.scheme;
        uses_history_q <= scheme_uses_history(gpu_regs_i.scheme);
        carries_over_q <= scheme_carries_over(gpu_regs_i.scheme);
        paced_q     <= gpu_regs_i.scheme == SchemePace;
        e_cycle_q <= cycle_i[31:0];
      end
      if (epoch_done) begin
        epoch_count_q <= epoch_count_q + 32'd1;
        epoch_e_lo_q  <= e_cycle_q;
      end
    end
  end

  // ---- Snapshot (R-QM-2) ----
  logic [NumKernels-1:0][19:0]                 busy_cnt_q, busy_cnt_d, snap_busy_q;
  logic [NumKernels-1:0]                       snap_had_tb_q, snap_ample_q, launched_q;
  logic [NumSms-1:0][NumKernels-1:0][TbW-1:0]  snap_tbs_q;
  logic [NumSms-1:0]                           common_q, common_d;

  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      busy_cnt_d[k] = busy_cnt_q[k] +
          20'(tb_i.busy[k] || (launched_q[k] && gpu_regs_i.quota_rules.all_cycles));
    end
    // R-QM-12
    for (int unsigned i = 0; i < NumSms; i++) begin
      common_d[i] = gpu_regs_i.scheme != SchemeSmRollover ||
          (tb_i.owner[i].usage == UseShared && !tb_i.owner[i].moving);
      for (int unsigned k = 0; k < NumKernels; k++) quoted_o[i][k] = snap_tbs_q[i][k] != '0;
    end
  end
  assign common_o = common_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_cnt_q    <= '0;
      launched_q    <= '0;
      snap_busy_q   <= '0;
      snap_had_tb_q <= '0;
      snap_ample_q  <= '0;
      snap_tbs_q    <= '0;
      common_q      <= '0;
    end else begin
      for (int unsigned k = 0; k < NumKernels; k++) begin
        busy_cnt_q[k] <= (e || hist_clear_i[k]) ? '0 : busy_cnt_d[k];
      end
      launched_q <= (launched_q | tb_i.busy) & ~hist_clear_i;
      if (e) begin
        snap_busy_q   <= busy_cnt_d;
        snap_had_tb_q <= tb_i.had_tb;
        snap_ample_q  <= ample_i;
        common_q      <= common_d;
        for (int unsigned i = 0; i < NumSms; i++) begin
          for (int unsigned k = 0; k < NumKernels; k++)
            snap_tbs_q[i][k] <= common_d[i] ? TbW'(tb_i.staying[i][k]) : '0;
        end
      end
    end
  end

  // ---- Pipeline over the kernels ----
  logic               sum_valid, sum_ready, sum_idle;
  logic [KernelW-1:0] sum_kernel;
  logic [InsnW-1:0]   sum_insn, sum_bears;
  logic [CarryW-1:0]  sum_carry;
  logic [TbSumW-1:0]  sum_tbs, goal_tbs;
  logic               goal_valid, goal_ready, goal_idle, goal_due, split_idle;
  logic [KernelW-1:0] goal_kernel;
  logic [30:0]        goal_quota, goal_split, goal_whole, goal_carry, split_whole;
  logic               goal_largest, goal_short, goal_far;
  logic [21:0]        goal_alpha, goal_ratio;
  logic               ratio_valid;
  logic               take;
  logic               clear, known;  // the kernel summed has had a quota
  logic [NumKernels-1:0] known_q, had_goal_q;
  logic [47:0]        hist_insn, hist_cycles;  // of the kernel summed, with this epoch
  logic               due, timed, fresh;  // R-DL-3, R-DL-4
  logic [31:0]        work_left;
  logic [30:0]        cycles_left;
  logic [47:0]        sum;
  logic [30:0]        epoch_insn, bears, least, carry;
  logic [SnapW-1:0]   sum_top;

  qsm_qos_sum #(.NumSms(NumSms), .NumKernels(NumKernels), .TbW(TbW), .TbSumW(TbSumW),
      .SnapW(SnapW)) u_sum (
    .clk_i, .rst_ni, .valid_i(valid), .qos_i(qos),
    .common_i(common_q),
    .start_i (start),
    .insn_i  (snap_insn),
    .c_i     (snap_c),
    .tbs_i   (snap_tbs_q),
    .row_o,
    .show_sm_i, .show_kernel_i, .shown_insn_o, .shown_c_o,
    .idle_o  (sum_idle),
    .valid_o (sum_valid),
    .ready_i (sum_ready),
    .kernel_o(sum_kernel),
    .insn_o  (sum_insn),
    .bears_o (sum_bears),
    .top_o   (sum_top),
    .carry_o (sum_carry),
    .tbs_o   (sum_tbs)
  );

  // R-SC-10: the kernels that had blocks share.
  logic [3:0] sharers;
  always_comb begin
    sharers = '0;
    for (int unsigned k = 0; k < NumKernels; k++)
      sharers = sharers + 4'(valid[k] && snap_had_tb_q[k]);
    if (sharers == '0) sharers = 4'd1;
  end

  qsm_qos_goal #(.NumKernels(NumKernels), .TbSumW(TbSumW)) u_goal (
    .clk_i, .rst_ni, .alpha_cap_i(gpu_regs_i.alpha_cap),
    .nonqos_quota_i(gpu_regs_i.nonqos_quota),
    .start_i      (start),
    .alpha_on_i   (gpu_regs_i.quota_rules.alpha_en && uses_history_q),
    .fair_i       (scheme_q == SchemeFair),
    .paced_i      (paced_q),
    .sharers_i    (sharers),
    .epoch_len_i  (ep_len),
    .insn_all_i   (epoch_insn_q),
    .unfed_i      (gpu_regs_i.quota_rules.unfed),
    .carried_i    (gpu_regs_i.quota_rules.carried && carries_over_q),
    .no_floor_i   (gpu_regs_i.quota_rules.no_floor),
    .margin_i     (gpu_regs_i.quota_rules.margin),
    .valid_i      (sum_valid),
    .ready_o      (sum_ready),
    .kernel_i     (sum_kernel),
    .qos_i        (qos[sum_kernel]),
    .had_tb_i     (snap_had_tb_q[sum_kernel]),
    .goal_i       (slot_regs_i[sum_kernel].goal),
    .hist_insn_i  (timed ? 48'(cycles_left) : hist_insn),
    .hist_cycles_i(timed ? 48'(work_left) : hist_cycles),
    .timed_i      (timed),
    .fresh_i      (fresh),
    .insn_i       (bears),
    .least_i      (least),
    .carry_i      (carry),
    .known_i      (known),
    .absent_i     (snap_busy_q[sum_kernel] == '0),
    .tbs_i        (sum_tbs & {TbSumW{!paced_q || qos[sum_kernel]}}),  // R-PA-2
    .idle_o       (goal_idle),
    .due_o        (goal_due),
    .valid_o      (goal_valid),
    .ready_i      (goal_ready),
    .kernel_o     (goal_kernel),
    .quota_o      (goal_quota),
    .split_o      (goal_split),
    .whole_o      (goal_whole),
    .largest_o    (goal_largest),
    .carry_o      (goal_carry),
    .alpha_o      (goal_alpha),
    .tbs_o        (goal_tbs),
    .iso_ipc_i    (slot_regs_i[goal_kernel].iso_ipc),
    .short_o      (goal_short),
    .far_o        (goal_far),
    .ratio_valid_o(ratio_valid),
    .ratio_o      (goal_ratio)
  );

  qsm_qos_split #(.NumSms(NumSms), .NumKernels(NumKernels), .TbW(TbW), .TbSumW(TbSumW)) u_split (
    .clk_i, .rst_ni, .rollover_cap_i(gpu_regs_i.rollover_cap),
    .carries_i((carries_over_q || paced_q) ? qos : '0),
    .pooled_i (gpu_regs_i.quota_rules.pooled || paced_q),
    .everywhere_i(paced_q),
    .tbs_i    (snap_tbs_q),
    .valid_i  (goal_valid),
    .ready_o  (goal_ready),
    .kernel_i (goal_kernel),
    .short_i  (goal_short),
    .quota_i  (goal_split),
    .whole_i  (goal_whole),
    .largest_i(goal_largest),
    .carry_i  (goal_carry),
    .tbs_sum_i(goal_tbs),
    .whole_o  (split_whole),
    .idle_o   (split_idle),
    .word_valid_o(word_o.valid), .word_sm_o, .word_kernel_o(word_o.kernel),
    .word_whole_i(epoch_quota_q[word_o.kernel]),
    .word_quota_o(word_o.quota), .word_credit_o(word_o.credit)
  );

  // ---- Deadlines ----
  qsm_qos_due #(.NumKernels(NumKernels), .due_write_t(due_write_t)) u_due (
    .clk_i, .rst_ni, .write_i(due_write_i), .busy_i(tb_i.busy), .cycle_i(cycle_i[31:0]), .e_i(e),
    .e_cycle_i(e_cycle_q), .kernel_i(sum_kernel), .insn_i(epoch_insn), .take_i(take),
    .due_o(due), .fresh_o(fresh), .work_o(work_left), .left_o(cycles_left)
  );
  assign timed = due && paced_q && qos[sum_kernel];

  // ---- Registers of the slots (R-QM-5) ----
  function automatic logic [30:0] clip(input logic [47:0] value);
    return (value[47:31] != '0) ? '1 : value[30:0];
  endfunction

  // One bus for sums and clears: clears are refused while sums are made (R-QM-3).
  assign take        = sum_valid && sum_ready;
  assign clear       = |hist_clear_i;
  assign hist_insn   = clear ? '0 : insn_q[sum_kernel] + sum;
  assign hist_cycles = clear ? '0 : hcyc_q[sum_kernel] + 48'(snap_busy_q[sum_kernel]);
  assign sum         = 48'(sum_insn);
  assign epoch_insn  = clip(sum);
  assign bears       = clip(48'(sum_bears));
  // R-PA-1: EPOCH_QUOTA, or for a kernel that is not known the cycles of its first quota
  assign carry       = !paced_q ? clip(48'(sum_carry)) : known ? epoch_quota_q[sum_kernel] :
      31'(snap_busy_q[sum_kernel]) + 31'(ep_len[19:4]) + 31'(ep_len[19:5]);
  assign least       = (qos[sum_kernel] && !snap_ample_q[sum_kernel]) ? clip(48'(sum_top)) : '0;

  // R-QM-13
  assign known = known_q[sum_kernel] && had_goal_q[sum_kernel] == qos[sum_kernel];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_q    <= '0;
      had_goal_q <= '0;
      keep_q     <= '0;
    end else begin
      if (take) begin
        known_q[sum_kernel]    <= 1'b1;
        had_goal_q[sum_kernel] <= qos[sum_kernel];
      end
      if (clear) known_q <= known_q & ~hist_clear_i;
      if (start) keep_q <= '0;
      else if (take) keep_q[sum_kernel] <= gpu_regs_i.quota_rules.all_cycles && carries_over_q &&
          qos[sum_kernel] && known && sum_tbs == '0;
      if (paced_q && goal_valid && goal_ready)  // R-PA-17: in 15 of 16 epochs
        keep_q[goal_kernel] <= goal_far && epoch_count_q[3:0] != '0;
    end
  end

  for (genvar k = 0; k < NumKernels; k++) begin : g_slot
    logic summed;
    assign summed = take && sum_kernel == KernelW'(k);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        insn_q[k] <= '0;
        hcyc_q[k] <= '0;
      end else if (summed || hist_clear_i[k]) begin
        insn_q[k] <= hist_insn;
        hcyc_q[k] <= hist_cycles;
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) epoch_insn_q[k] <= '0;
      else if (summed) epoch_insn_q[k] <= epoch_insn;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        epoch_quota_q[k] <= '0;
        alpha_q[k]       <= AlphaOne;
      end else if (goal_valid && goal_ready && goal_kernel == KernelW'(k)) begin
        epoch_quota_q[k] <= (paced_q && qos[k]) ? split_whole : goal_quota;
        alpha_q[k]       <= goal_alpha;
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) ratio_q[k] <= '0;
      else if (ratio_valid && goal_kernel == KernelW'(k)) ratio_q[k] <= goal_ratio;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   {uses_history_q, carries_over_q, paced_q} == {scheme_uses_history(scheme_q),
                   scheme_carries_over(scheme_q), scheme_q == SchemePace})
    else $error("R-SC-13: a scheme is not what is said of it");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !e || !busy)
    else $error("R-QM-1: an epoch ends while the last one's quotas are computed");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   !clear || !take)
    else $error("R-QM-3: a history is cleared while it is summed");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   !load_valid || (sum_idle && !goal_due && split_idle))
    else $error("R-QM-11: the quota words are not out in time");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   busy || (sum_idle && goal_idle && split_idle))
    else $error("R-QM-11: a ratio is not there when MGR_BUSY falls");
`endif
endmodule
