// SPDX-License-Identifier: Apache-2.0
// qsm_qos_mgr: one epoch's computation, from any state in which the manager rests in cycle E, with
// the least QosLat that R-QM-11 allows: every SM has, before the load message, exactly one word for
// each valid kernel with blocks there, under sm_rollover only on common SMs, and the pipeline
// rests; the message and the end are on time. Quotas may be any: they are cut off from what
// computes them, which may only say more than is true.
module formal_qos_mgr
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumSms = 2,
  parameter int unsigned NumKernels = 3,
  parameter int unsigned MaxTbs = 3,
  parameter int unsigned NocLat = 1,
  parameter int unsigned QosLat = 114,
  localparam int unsigned SnapW = 20,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1
) (
  input logic                                   clk_i,
  input scheme_e                                scheme_i,
  input logic [19:0]                            epoch_len_i,
  input logic [21:0]                            alpha_cap_i,
  input logic [7:0]                             rollover_cap_i,
  input logic [8:0]                             rules_i,
  input logic [3:0]                             nonqos_quota_i,
  input logic [NumKernels-1:0]                  valid_i,
  input logic [NumKernels-1:0]                  qos_i,
  input logic [NumKernels-1:0][31:0]            goal_i,
  input logic [NumKernels-1:0][31:0]            iso_ipc_i,
  input logic [NumKernels-1:0]                  busy_i,
  input logic [NumSms-1:0][NumKernels-1:0][5:0] cnt_i,
  input logic [NumKernels-1:0]                  had_tb_i,
  input logic [NumKernels-1:0]                  ample_i,
  input logic [4*NumKernels+31:0]               due_write_i,
  input sm_use_e [NumSms-1:0]                   usage_i,
  input logic [NumSms-1:0]                      moving_i,
  input logic [NumSms-1:0][NumKernels-1:0][19:0] snap_insn_i,
  input logic [NumSms-1:0][NumKernels-1:0][31:0] snap_c_i,
  input logic [63:0]                            cycle_i
);
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
    gpu_regs = '0;
    gpu_regs.scheme = scheme_i;
    gpu_regs.epoch_len = epoch_len_i;
    gpu_regs.alpha_cap = alpha_cap_i;
    gpu_regs.rollover_cap = rollover_cap_i;
    gpu_regs.quota_rules = rules_i;
    gpu_regs.nonqos_quota = nonqos_quota_i;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      slot_regs[k] = '{ctx: '{valid: valid_i[k], qos: qos_i[k]}, goal: goal_i[k],
          iso_ipc: iso_ipc_i[k]};
    end
    for (int unsigned i = 0; i < NumSms; i++)
      figures[i] = '{snap_insn: snap_insn_i[i], snap_c: snap_c_i[i]};
    tb.busy = busy_i;
    tb.had_tb = had_tb_i;
    tb.staying = cnt_i;
    for (int unsigned i = 0; i < NumSms; i++)
      tb.owner[i] = '{usage: usage_i[i], moving: moving_i[i]};
  end

  logic               tick, e, word_valid, load_valid, busy, done;
  logic [SmW-1:0]     word_sm;
  logic [KernelW-1:0] word_kernel;
  scheme_e            load_scheme;
  logic [31:0]        epochs;
  logic [NumSms-1:0]  common, common_now, common_q;  // R-QM-12: in this cycle, at E
  assign {word_valid, word_kernel} = {word.valid, word.kernel};
  assign {load_valid, load_scheme} = {load.valid, load.scheme};
  assign {busy, epochs} = {status.busy, status.epoch_count};
  qsm_qos_mgr #(
    .NumSms(NumSms), .NumKernels(NumKernels), .MaxTbs(MaxTbs), .NocLat(NocLat), .QosLat(QosLat),
    .SnapW(SnapW), .gpu_regs_t(gpu_regs_t), .slot_regs_t(slot_regs_t), .tb_status_t(tb_status_t),
    .due_write_t(due_write_t), .figures_t(figures_t),
    .quota_word_t(quota_word_t), .quota_load_t(quota_load_t),
    .status_t(status_t)
  ) u_dut (
    .clk_i, .rst_ni(1'b1), .gpu_regs_i(gpu_regs), .slot_regs_i(slot_regs), .hist_clear_i('0),
    .due_write_i(due_write_i),
    .ample_i, .tb_i(tb), .figures_i(figures), .cycle_i, .e_o(e), .done_o(done), .epoch_len_o(),
    .tick_o(tick), .sample_o(),
    .word_o(word), .word_sm_o(word_sm), .load_o(load), .common_o(common), .quoted_o(), .row_o(),
    .status_o(status),
    .show_kernel_i('0), .show_sm_i('0), .shown_insn_o(), .shown_c_o()
  );

  due_write_t due_write;
  logic [NumKernels-1:0] due_written;
  assign due_write = due_write_i;
  assign due_written = due_write.arrival | due_write.launch | due_write.deadline | due_write.work;
  logic [8:0] cycle_q = '0;  // E is 0
  always_ff @(posedge clk_i) cycle_q <= cycle_q + 1'b1;

  always_comb for (int unsigned i = 0; i < NumSms; i++)
    common_now[i] = scheme_i != SchemeSmRollover || (usage_i[i] == UseShared && !moving_i[i]);
  always_ff @(posedge clk_i) if (cycle_q == 0) common_q <= common_now;

  // Registers stay as they are at E (R-QM-3).
  logic [NumKernels-1:0] valid_q, qos_q;
  logic [8:0]            rules_q;
  logic [3:0]            nonqos_quota_q;
  scheme_e               scheme_q;
  logic [31:0]           epochs_q;
  always_ff @(posedge clk_i) begin
    if (cycle_q == 0)
      {valid_q, qos_q, rules_q, nonqos_quota_q, scheme_q, epochs_q} <= {valid_i, qos_i,
          rules_i, nonqos_quota_i, scheme_i, epochs};
  end

  logic [NumSms-1:0][NumKernels-1:0] due_q, sent_q, in_range;  // words
  always_ff @(posedge clk_i) begin
    if (cycle_q == 0) begin
      sent_q <= '0;
      for (int unsigned i = 0; i < NumSms; i++)
        for (int unsigned k = 0; k < NumKernels; k++)
          due_q[i][k] <= valid_i[k] && common_now[i] &&
              ((scheme_i == SchemePace) ? qos_i[k] : cnt_i[i][k] != '0);  // R-PA-2, R-PA-4
    end else if (word_valid) begin
      sent_q[word_sm][word_kernel] <= 1'b1;
    end
  end
  always_comb for (int unsigned i = 0; i < NumSms; i++) for (int unsigned k = 0; k < NumKernels;
  k++) in_range[i][k] = 32'(cnt_i[i][k]) <= MaxTbs;

  logic rests;
  assign rests = u_dut.sum_idle && u_dut.goal_idle && u_dut.split_idle;

  always_ff @(posedge clk_i) begin
    if (cycle_q == 0) begin
      assume (u_dut.tick_pipe_q == NocLat'(1) << (NocLat - 1) && !busy && rests && &in_range);
      assume (u_dut.u_sum.sm_q == '0 && !u_dut.u_sum.full_q && u_dut.u_sum.tbs_q == '0 &&
          u_dut.u_goal.done);
      assume (u_dut.u_split.sm_q == '0 && !u_dut.u_split.complete_q);
    end else begin
      assume (valid_i == valid_q && qos_i == qos_q && rules_i == rules_q &&
          nonqos_quota_i == nonqos_quota_q);
    end
    assume ($onehot0(due_written));  // a host writes one slot's register at a time
    assume (!tick && scheme_valid(32'(scheme_i)));  // epochs are longer than this

    if (cycle_q > 0 && 32'(cycle_q) <= QosLat + 1)
      busy_till_load: assert (busy == (32'(cycle_q) <= QosLat));
    if (cycle_q > 0 && 32'(cycle_q) <= QosLat + 1)
      message: assert (load_valid == (32'(cycle_q) == QosLat - NocLat));
    if (cycle_q > 0 && 32'(cycle_q) <= QosLat + 1) ends: assert (done == (32'(cycle_q) == QosLat));
    if (load_valid) scheme: assert (load_scheme == scheme_q && common == common_q);
    if (load_valid) all_sent: assert (sent_q == due_q && !word_valid && rests);
    if (cycle_q > 0 && word_valid)
      one_word: assert (due_q[word_sm][word_kernel] && !sent_q[word_sm][word_kernel]);
    if (32'(cycle_q) == QosLat + 1) counted: assert (epochs == epochs_q + 1);
    fair: cover (load_valid && scheme_q == SchemeFair && sent_q == '1 && qos_q == '1 && rules_q[0]);
  end
endmodule
