// SPDX-License-Identifier: Apache-2.0
// qsm_qos_mgr with types of ports made from its parameters, and plain ports for the unit bench, one
// vector for each value but the GPU's registers, which are one.
module bench_qos_mgr
  import qsm_enums_pkg::*;
#(
  parameter  int unsigned NumSms     = 4,      // 1..96
  parameter  int unsigned NumKernels = 4,      // kernel slots, 1..8
  parameter  int unsigned MaxTbs     = 8,      // thread-block slots per SM, 1..32
  parameter  int unsigned NocLat     = 2,      // cycles of a message, 1..16
  parameter  int unsigned QosLat     = 200,    // cycles from the snapshot to the load
  parameter  int unsigned EpochReset = 10000,  // T of the first epoch: reset value of EPOCH_LEN
  parameter  int unsigned SnapW      = 32,     // bits of an SM's instructions of an epoch, 20..32
  localparam int unsigned KernelW    = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned SmW        = (NumSms > 1) ? $clog2(NumSms) : 1
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  // from the registers; steady while mgr_busy_o and in E
  input  logic [127:0]                            gpu_regs_i,      // gpu_regs_t from bit 0 up
  input  logic [NumKernels-1:0]                   valid_i,
  input  logic [NumKernels-1:0]                   qos_i,
  input  logic [NumKernels-1:0][31:0]             goal_i,          // IPC, Q16.16
  input  logic [NumKernels-1:0][31:0]             iso_ipc_i,       // IPC alone, for the scheme fair
  input  logic [NumKernels-1:0]                   hist_clear_i,    // pulse: forget the history
  // writes of a slot's registers, of one slot at a time (deadlines.md)
  input  logic [NumKernels-1:0]                   arrival_i,
  input  logic [NumKernels-1:0]                   launch_i,
  input  logic [NumKernels-1:0]                   deadline_i,
  input  logic [NumKernels-1:0]                   work_i,
  input  logic [31:0]                             written_i,       // to the last two
  input  logic [NumKernels-1:0]                   ample_i,         // ahead by more than an epoch's
  // from the TB scheduler
  input  logic [NumKernels-1:0]                   busy_i,          // unfinished launch
  input  logic [NumSms-1:0][NumKernels-1:0][5:0]  cnt_i,           // resident blocks, 0..MaxTbs
  input  logic [NumKernels-1:0]                   had_tb_i,        // had a block since the last E
  input  sm_use_e [NumSms-1:0]                    usage_i,
  input  logic [NumSms-1:0]                       moving_i,
  // from the SMs
  input  logic [NumSms-1:0][NumKernels-1:0][SnapW-1:0] snap_insn_i,  // instructions of the epoch
  input  logic [NumSms-1:0][NumKernels-1:0][31:0]      snap_c_i,     // counters at E, signed
  // cycle counter, of which EPOCH_E_LO shows the lower half
  input  logic [63:0]                             cycle_i,
  // messages
  output logic                                    tick_o,          // sent; seen in cycle E
  output logic                                    e_o,             // this is cycle E
  output logic                                    done_o,          // this is cycle E + QosLat
  output logic                                    sample_o,        // sent: count the idle warps
  output logic                                    word_valid_o,
  output logic [SmW-1:0]                          word_sm_o,
  output logic [KernelW-1:0]                      word_kernel_o,
  output logic [30:0]                             word_quota_o,
  output logic [30:0]                             word_credit_o,
  output logic                                    load_valid_o,    // sent; seen in E + QosLat
  output scheme_e                                 load_scheme_o,
  output logic [NumKernels-1:0]                   load_keep_o,
  output logic [NumSms-1:0]                       common_o,        // who gets this scheme, not none
  output logic [NumSms-1:0][NumKernels-1:0]       quoted_o,        // who gets words
  // to the registers
  output logic                                    mgr_busy_o,
  output logic [31:0]                             epoch_count_o,
  output logic [31:0]                             epoch_e_lo_o,
  output logic [NumKernels-1:0][47:0]             insn_o,          // history, thread instructions
  output logic [NumKernels-1:0][47:0]             hcyc_o,          // history, cycles
  output logic [NumKernels-1:0][30:0]             epoch_insn_o,
  output logic [NumKernels-1:0][30:0]             epoch_quota_o,
  output logic [NumKernels-1:0][21:0]             alpha_o,         // Q6.16
  // goal / IPC of the history, Q6.16
  output logic [NumKernels-1:0][21:0]             ratio_o,
  // R-QM-14
  input  logic [KernelW-1:0]                      show_kernel_i,
  input  logic [SmW-1:0]                          show_sm_i,
  output logic [SnapW-1:0]                        shown_insn_o,
  output logic [31:0]                             shown_c_o
);
  // ---- types of a GPU that has just this block ----
  `include "qsm_qos_mgr_types.svh"

  due_write_t due_write;
  assign due_write = '{
    arrival: arrival_i, launch: launch_i, deadline: deadline_i, work: work_i, data: written_i
  };
  gpu_regs_t gpu_regs;
  slot_regs_t [NumKernels-1:0] slot_regs;
  tb_status_t tb;
  figures_t [NumSms-1:0] figures;
  quota_word_t word;
  quota_load_t load;
  status_t status;
  always_comb begin
    gpu_regs = gpu_regs_i[$bits(gpu_regs_t)-1:0];
    for (int unsigned k = 0; k < NumKernels; k++) begin
      slot_regs[k] = '{ctx: '{valid: valid_i[k], qos: qos_i[k]}, goal: goal_i[k],
          iso_ipc: iso_ipc_i[k]};
    end
    tb.busy = busy_i;
    tb.had_tb = had_tb_i;
    tb.staying = cnt_i;
    for (int unsigned i = 0; i < NumSms; i++) begin
      figures[i].snap_insn = snap_insn_i[i];
      figures[i].snap_c = snap_c_i[i];
      tb.owner[i] = '{usage: usage_i[i], moving: moving_i[i]};
    end
  end
  assign word_valid_o = word.valid;
  assign word_kernel_o = word.kernel;
  assign word_quota_o = word.quota;
  assign word_credit_o = word.credit;
  assign load_valid_o = load.valid;
  assign load_scheme_o = load.scheme;
  assign load_keep_o = load.keep;
  assign mgr_busy_o = status.busy;
  assign epoch_count_o = status.epoch_count;
  assign epoch_e_lo_o = status.epoch_e_lo;
  assign insn_o = status.insn;
  assign hcyc_o = status.cycles;
  assign epoch_insn_o = status.epoch_insn;
  assign epoch_quota_o = status.epoch_quota;
  assign alpha_o = status.alpha;
  assign ratio_o = status.ratio;

  qsm_qos_mgr #(
    .NumSms(NumSms), .NumKernels(NumKernels), .MaxTbs(MaxTbs), .NocLat(NocLat), .QosLat(QosLat),
    .EpochReset(EpochReset), .SnapW(SnapW), .gpu_regs_t(gpu_regs_t), .slot_regs_t(slot_regs_t),
    .due_write_t(due_write_t), .tb_status_t(tb_status_t), .figures_t(figures_t),
    .quota_word_t(quota_word_t), .quota_load_t(quota_load_t), .status_t(status_t)
  ) u_dut (
    .clk_i, .rst_ni, .gpu_regs_i(gpu_regs), .slot_regs_i(slot_regs), .hist_clear_i,
    .due_write_i(due_write), .ample_i, .tb_i(tb),
    .figures_i(figures), .cycle_i, .e_o, .done_o, .epoch_len_o(), .tick_o, .sample_o,
    .word_o(word), .word_sm_o, .load_o(load), .common_o, .quoted_o, .row_o(), .status_o(status),
    .show_kernel_i, .show_sm_i, .shown_insn_o, .shown_c_o
  );
endmodule
