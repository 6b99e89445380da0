// SPDX-License-Identifier: Apache-2.0
// qsm_qos_mgr: what it keeps of each slot and epoch: snapshot, histories, results, time of the
// messages, whose rests outlive a gap (R-QM-1 to -6, R-QM-13, R-SC-10); under pace of what a kernel
// is owed: its last quota, or the time of its first one (R-PA-1), and that no load of every
// sixteenth epoch keeps anybody behind (R-PA-17). Its timer, sums, quotas and parts
// are left open: they may say anything at any time, but what is assumed of them below; each has a
// proof of its own.
module formal_qos_slots
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumSms = 2,
  parameter int unsigned NumKernels = 3,
  parameter int unsigned MaxTbs = 3,
  parameter int unsigned NocLat = 2,
  parameter int unsigned QosLat = 200,
  parameter int unsigned SnapW = 32,
  localparam int unsigned InsnW = SnapW + $clog2(NumSms),
  localparam int unsigned TbW = $clog2(MaxTbs + 1),
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input logic                                    clk_i,
  input scheme_e                                 scheme_i,
  input logic                                    all_cycles_i,
  input logic [NumKernels-1:0]                   valid_i,
  input logic [NumKernels-1:0]                   qos_i,
  input logic [NumKernels-1:0]                   hist_clear_i,
  input logic [4*NumKernels+31:0]                due_write_i,
  input logic [NumKernels-1:0]                   busy_i,
  input logic [NumSms-1:0][NumKernels-1:0][5:0]  cnt_i,
  input logic [NumKernels-1:0]                   had_tb_i,
  input logic [NumKernels-1:0]                   ample_i,
  input sm_use_e [NumSms-1:0]                    usage_i,
  input logic [NumSms-1:0]                       moving_i,
  input logic [63:0]                             cycle_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // ---- Types of the ports ----
  `include "qsm_qos_mgr_types.svh"

  gpu_regs_t gpu_regs;
  slot_regs_t [NumKernels-1:0] slot_regs;
  tb_status_t tb;
  figures_t [NumSms-1:0] figures;
  quota_word_t word;
  quota_load_t load;
  status_t status;
  always_comb begin
    {gpu_regs, slot_regs, figures} = '0;
    gpu_regs.scheme = scheme_i;
    gpu_regs.quota_rules.alpha_en = 1'b1;
    gpu_regs.quota_rules.all_cycles = all_cycles_i;
    for (int unsigned k = 0; k < NumKernels; k++)
      slot_regs[k].ctx = '{valid: valid_i[k], qos: qos_i[k]};
    tb.busy = busy_i;
    tb.had_tb = had_tb_i;
    tb.staying = cnt_i;
    for (int unsigned i = 0; i < NumSms; i++)
      tb.owner[i] = '{usage: usage_i[i], moving: moving_i[i]};
  end

  logic                        e, busy, done, load_valid;
  scheme_e                     load_scheme;
  logic [NumSms-1:0]           common, common_q;  // R-QM-12
  logic [NumSms-1:0][NumKernels-1:0] quoted, gets;
  logic [31:0]                 epochs, e_lo;
  logic [NumKernels-1:0][47:0] insn, hcyc;
  logic [NumKernels-1:0][30:0] epoch_insn, epoch_quota;
  logic [NumKernels-1:0][21:0] alpha, ratio;
  assign {load_valid, load_scheme} = {load.valid, load.scheme};
  assign {busy, epochs, e_lo} = {status.busy, status.epoch_count, status.epoch_e_lo};
  assign {insn, hcyc} = {status.insn, status.cycles};
  assign {epoch_insn, epoch_quota} = {status.epoch_insn, status.epoch_quota};
  assign {alpha, ratio} = {status.alpha, status.ratio};
  qsm_qos_mgr #(
    .NumSms(NumSms), .NumKernels(NumKernels), .MaxTbs(MaxTbs), .NocLat(NocLat), .QosLat(QosLat),
    .SnapW(SnapW), .gpu_regs_t(gpu_regs_t), .slot_regs_t(slot_regs_t), .tb_status_t(tb_status_t),
    .due_write_t(due_write_t), .figures_t(figures_t),
    .quota_word_t(quota_word_t), .quota_load_t(quota_load_t),
    .status_t(status_t)
  ) u_dut (
    .clk_i, .rst_ni, .gpu_regs_i(gpu_regs), .slot_regs_i(slot_regs), .hist_clear_i,
    .due_write_i(due_write_i), .ample_i,
    .tb_i(tb),
    .figures_i(figures), .cycle_i, .e_o(e), .done_o(done), .epoch_len_o(),
    .tick_o(), .sample_o(), .word_o(word),
    .word_sm_o(), .load_o(load), .common_o(common), .quoted_o(quoted), .row_o(),
    .status_o(status), .show_kernel_i('0), .show_sm_i('0), .shown_insn_o(), .shown_c_o()
  );

  typedef struct packed {
    logic [19:0] running, counted;  // busy cycles: since E, of the epoch before
    logic        had_tb, begun;  // begun: busy in a cycle since it came
    logic        seen, seen_qos, keep;  // at a computation since then; keeps its rest
    logic [47:0] insn, cycles;
    logic [30:0] epoch_insn, quota;
    logic [21:0] alpha, ratio;
  } slot_t;
  slot_t [NumKernels-1:0]                     slot_q, slot_d;
  logic [NumSms-1:0][NumKernels-1:0][TbW-1:0] tbs_q;
  logic [NocLat-1:0]                          ticks_q;  // on their way, the oldest at the top
  logic [7:0]                                 since_q;  // cycles since E; 0: E's quotas are loaded
  logic [3:0]                                 scheme_q;
  logic [31:0]                                e_cycle_q, e_lo_q, epochs_q;
  always_comb begin
    slot_d = slot_q;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      slot_d[k].running = slot_q[k].running + 20'(busy_i[k] || (all_cycles_i && slot_q[k].begun));
      slot_d[k].begun = slot_q[k].begun || busy_i[k];
      if (32'(since_q) == NocLat) slot_d[k].keep = 1'b0;
      if (ticks_q[NocLat-1]) begin
        slot_d[k].counted = slot_d[k].running;
        slot_d[k].running = '0;
        slot_d[k].had_tb = had_tb_i[k];
      end
      if (u_dut.sum_valid && u_dut.sum_ready && 32'(u_dut.sum_kernel) == k) begin
        if (32'(since_q) != NocLat)
          slot_d[k].keep = all_cycles_i && valid_i[k] && qos_i[k] && u_dut.sum_tbs == '0 &&
              scheme_q inside {SchemeRollover, SchemeRolloverTime, SchemeSmRollover} &&
              slot_q[k].seen && slot_q[k].seen_qos;
        {slot_d[k].seen, slot_d[k].seen_qos} = {1'b1, valid_i[k] && qos_i[k]};
        slot_d[k].insn = slot_q[k].insn + 48'(u_dut.sum_insn);
        slot_d[k].cycles = slot_q[k].cycles + 48'(slot_q[k].counted);
        slot_d[k].epoch_insn = (u_dut.sum_insn > InsnW'(32'h7fff_ffff)) ? 31'h7fff_ffff :
          31'(u_dut.sum_insn);
      end
      if (scheme_q == SchemePace && u_dut.goal_valid && u_dut.goal_ready &&
          32'(u_dut.goal_kernel) == k)  // R-PA-17
        slot_d[k].keep = u_dut.goal_far && epochs_q % 16 != 0;
      if (hist_clear_i[k])
        {slot_d[k].insn, slot_d[k].cycles, slot_d[k].running, slot_d[k].begun, slot_d[k].seen} = '0;
      if (u_dut.goal_valid && u_dut.goal_ready && 32'(u_dut.goal_kernel) == k)
        {slot_d[k].quota, slot_d[k].alpha} = {
            (scheme_q == SchemePace && valid_i[k] && qos_i[k]) ? u_dut.split_whole
            : u_dut.goal_quota, u_dut.goal_alpha};
      if (u_dut.ratio_valid && 32'(u_dut.goal_kernel) == k) slot_d[k].ratio = u_dut.goal_ratio;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {tbs_q, common_q, ticks_q, since_q, scheme_q, e_cycle_q, e_lo_q, epochs_q} <= '0;
      for (int unsigned k = 0; k < NumKernels; k++) begin
        slot_q[k] <= '0;
        slot_q[k].alpha <= 22'h1_0000;
      end
    end else begin
      slot_q <= slot_d;
      ticks_q <= NocLat'({ticks_q, u_dut.tick_o});
      if (since_q != '0) since_q <= (32'(since_q) == QosLat) ? '0 : since_q + 1'b1;
      if (32'(since_q) == QosLat) {e_lo_q, epochs_q} <= {e_cycle_q, epochs_q + 32'd1};
      if (ticks_q[NocLat-1]) begin
        {since_q, scheme_q, e_cycle_q} <= {8'd1, scheme_i, cycle_i[31:0]};
        for (int unsigned i = 0; i < NumSms; i++) begin
          common_q[i] <= 1'b1;
          for (int unsigned k = 0; k < NumKernels; k++) tbs_q[i][k] <= TbW'(cnt_i[i][k]);
          if (scheme_i == SchemeSmRollover && (usage_i[i] != UseShared || moving_i[i]))
            {common_q[i], tbs_q[i]} <= '0;
        end
      end
    end
  end

  logic [NumKernels-1:0] same_slot, same_results, same_counts, keeps;
  logic [3:0]            sharers;
  logic                  taken;
  logic [NocLat-1:0]     apart;  // a tick on its way is seen when the epoch's end is over
  always_comb begin
    for (int unsigned c = 0; c < NocLat; c++)
      apart[c] = !ticks_q[c] || since_q == '0 || 32'(since_q) + NocLat - 1 - c > QosLat;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      same_slot[k] = {insn[k], hcyc[k], epoch_insn[k]} ==
          {slot_q[k].insn, slot_q[k].cycles, slot_q[k].epoch_insn};
      same_results[k] = {epoch_quota[k], alpha[k], ratio[k]} ==
          {slot_q[k].quota, slot_q[k].alpha, slot_q[k].ratio};
      same_counts[k] = {u_dut.busy_cnt_q[k], u_dut.snap_busy_q[k], u_dut.snap_had_tb_q[k],
          u_dut.launched_q[k], u_dut.known_q[k], u_dut.had_goal_q[k] && slot_q[k].seen} ==
          {slot_q[k].running, slot_q[k].counted, slot_q[k].had_tb, slot_q[k].begun, slot_q[k].seen,
              slot_q[k].seen_qos && slot_q[k].seen};
      keeps[k] = slot_q[k].keep;
    end
    for (int unsigned i = 0; i < NumSms; i++)
      for (int unsigned k = 0; k < NumKernels; k++) gets[i][k] = tbs_q[i][k] != '0;
    sharers = '0;
    for (int unsigned k = 0; k < NumKernels; k++) sharers += 4'(valid_i[k] && slot_q[k].had_tb);
    if (sharers == '0) sharers = 4'd1;
  end
  assign taken = u_dut.sum_valid && u_dut.sum_ready;

  // R-PA-1: T of the epoch that began is that of the timer.
  logic        known;
  logic [30:0] before_it;
  always_comb begin
    known = 1'b0;
    before_it = '0;
    for (int unsigned k = 0; k < NumKernels; k++) if (32'(u_dut.sum_kernel) == k) begin
      known = slot_q[k].seen && slot_q[k].seen_qos == (valid_i[k] && qos_i[k]);
      before_it = known ? slot_q[k].quota : 31'(slot_q[k].counted) + 31'(u_dut.ep_len / 16) +
          31'(u_dut.ep_len / 32);
    end
  end

  due_write_t due_write;
  logic [NumKernels-1:0] due_written;
  assign due_write = due_write_i;
  assign due_written = due_write.arrival | due_write.launch | due_write.deadline | due_write.work;
  logic [KernelW-1:0] summed_q;  // the slot at hand in the cycle before; it was taken then
  logic               taken_q;
  always_ff @(posedge clk_i) {summed_q, taken_q} <= {u_dut.sum_kernel, taken};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What is left open: kernels are slots, at hand for two cycles or more; sums are made while
      // the manager is busy; all is done when it must be; epochs are longer than that. A host
      // writes one slot's register at a time.
      assume ($onehot0(due_written));
      assume (32'(u_dut.sum_kernel) < NumKernels && 32'(u_dut.goal_kernel) < NumKernels &&
          (!taken || (since_q > 1 && u_dut.sum_kernel == summed_q && !taken_q)));
      assume (!load_valid || (u_dut.sum_idle && !u_dut.goal_due && u_dut.split_idle));
      assume (since_q != '0 || (u_dut.sum_idle && u_dut.goal_idle && u_dut.split_idle));
      assume (!u_dut.tick_o || (ticks_q == '0 &&
          (since_q == '0 || 32'(since_q) + NocLat > QosLat)));
      // (R-QM-3 refuses clears for as long as the manager is busy; more than that is not needed.)
      assume (hist_clear_i == '0 || (!taken && !ticks_q[NocLat-1]));

      seen: assert (e == ticks_q[NocLat-1]);
      is_busy: assert (busy == (since_q != '0));
      starts: assert (u_dut.start == (32'(since_q) == NocLat));
      message: assert (load_valid == (32'(since_q) == QosLat - NocLat) && load_scheme == scheme_q &&
          load.keep == keeps);
      if (scheme_q == SchemePace && epochs_q[3:0] == '0 && 32'(since_q) > NocLat)  // R-PA-17
        none_kept: assert (load.keep == '0);
      ends: assert (done == (32'(since_q) == QosLat));
      told: assert (epochs == epochs_q && e_lo == e_lo_q);
      snapshot: assert (u_dut.snap_tbs_q == tbs_q && &same_counts);
      who_has_quotas: assert (common == common_q && quoted == gets);
      histories: assert (&same_slot);
      decoded: assert ({u_dut.uses_history_q, u_dut.carries_over_q, u_dut.paced_q} ==
          {scheme_uses_history(u_dut.scheme_q), scheme_carries_over(u_dut.scheme_q),
           u_dut.scheme_q == SchemePace});
      results: assert (&same_results);
      if (taken) handed_on: assert ({u_dut.hist_insn, u_dut.hist_cycles, u_dut.epoch_insn}
                                    == {slot_d[u_dut.sum_kernel].insn,
                                        slot_d[u_dut.sum_kernel].cycles,
                                        slot_d[u_dut.sum_kernel].epoch_insn});
      if (taken && scheme_q == SchemePace)
        of_what: assert (u_dut.known == known && u_dut.carry == before_it && u_dut.paced_q);
      who_shares: assert (u_dut.sharers == sharers &&
          u_dut.uses_history_q == (scheme_q inside {SchemeNaiveHistory, SchemeElastic,
              SchemeRollover, SchemeRolloverTime, SchemeSmRollover}));
      // For the induction.
      same_cycle: assert (u_dut.since_q == since_q && u_dut.tick_pipe_q == ticks_q &&
          u_dut.e_cycle_q == e_cycle_q && 32'(since_q) <= QosLat);
      ticks_apart: assert ($onehot0(ticks_q) && &apart);

      keeps_rest: cover (keeps == 3'b010 && scheme_q != SchemePace);
      grows: cover (since_q != '0 && hcyc[1] == 48'd3 && insn[1] == 48'h1_0000_0000);
      first_time: cover (taken && scheme_q == SchemePace && !known && before_it == 31'd12 &&
          u_dut.ep_len == 20'd127 && 32'(u_dut.sum_kernel) == 1);
      cut: cover (epoch_insn[2] == '1);
      cleared: cover (hist_clear_i == NumKernels'(1) && slot_q[0].running == 2 &&
          slot_q[1].running == 2);
    end
  end
endmodule
