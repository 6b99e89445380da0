// SPDX-License-Identifier: Apache-2.0
// qsm_sm_mgr with types of ports made from its parameters, and plain ports for the unit bench, one
// vector for each value; the records as the page has them.
module bench_sm_mgr
  import qsm_enums_pkg::*;
#(
  parameter  int unsigned NumSms     = 4,      // 1..96
  parameter  int unsigned NumKernels = 4,      // kernel slots, 1..8
  parameter  int unsigned NocLat     = 2,      // cycles of a message, 1..16
  parameter  int unsigned EpochReset = 10000,  // T of the first epoch
  parameter  int unsigned SnapW      = 31,     // bits of an SM's instructions of an epoch, 20..31
  localparam int unsigned KernelW    = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned SmW        = (NumSms > 1) ? $clog2(NumSms) : 1
) (
  input  logic                                         clk_i,
  input  logic                                         rst_ni,
  input  scheme_e                                      scheme_i,
  input  logic [15:0]                                  sm_threshold_i,
  input  logic [2:0]                                   sm_step_i,
  input  logic [NumKernels-1:0]                        valid_i,
  input  logic [NumKernels-1:0]                        qos_i,
  input  logic [NumKernels-1:0][31:0]                  goal_i,
  input  logic [NumKernels-1:0][6:0]                   sm_count_i,
  input  logic [NumKernels-1:0]                        arrival_i,
  input  logic [NumKernels-1:0]                        hist_clear_i,
  input  logic [NumKernels-1:0]                        part_i,
  input  logic [NumKernels-1:0]                        had_tb_i,
  input  sm_use_e [NumSms-1:0]                         usage_i,
  input  logic [NumSms-1:0][KernelW-1:0]               owner_i,
  input  logic [NumSms-1:0]                            moving_i,
  input  sm_use_e [NumSms-1:0]                         next_usage_i,
  input  logic [NumSms-1:0][KernelW-1:0]               next_owner_i,
  input  sm_power_e [NumSms-1:0]                       power_i,
  input  logic [NumSms-1:0][NumKernels-1:0][SnapW-1:0] snap_insn_i,
  input  logic [NumSms-1:0][NumKernels-1:0]            snap_spent_i,
  input  logic [NumSms-1:0]                            common_i,
  input  logic [NumSms-1:0][NumKernels-1:0]            quoted_i,
  input  logic                                         e_i,
  input  logic [19:0]                                  epoch_len_i,
  output logic                                         request_valid_o,
  output logic [SmW-1:0]                               request_sm_o,
  output logic [1:0]                                   request_usage_o,
  output logic [KernelW-1:0]                           request_owner_o,
  output logic                                         busy_o,
  output logic                                         stale_o,
  output logic                                         moved_o,
  output logic [NumKernels-1:0][6:0]                   n_o,
  output logic [NumKernels-1:0][6:0]                   opt_o,
  output logic [NumKernels-1:0]                        upper_o,
  output logic [NumKernels-1:0]                        lower_o,
  output logic [NumKernels-1:0][1:0]                   eval_o,
  // records: of the end of the last epoch, 0 while they do not count
  output logic [NumKernels-1:0]                        run_o,
  output logic [NumKernels-1:0]                        seen_o,
  output logic [NumKernels-1:0]                        ample_o,
  output logic [NumKernels-1:0]                        apart_o,
  output logic                                         closed_o,
  output logic [NumKernels-1:0][63:0]                  lead_o,
  output logic [NumKernels-1:0][30:0]                  insn_o,
  output logic [NumKernels-1:0][30:0]                  insn_last_o,
  output logic [NumKernels-1:0][6:0]                   sm_last_o,
  output logic [NumKernels-1:0]                        out_o
);
  typedef struct packed {
    scheme_e scheme;
    logic [15:0] sm_threshold;
    logic [2:0] sm_step;
  } gpu_regs_t;
  typedef struct packed {
    struct packed {
      logic qos;
      logic valid;
    } ctx;
    logic [31:0] goal;
    logic [6:0] sm_count;
  } slot_regs_t;
  `include "qsm_sm_owner_types.svh"
  typedef struct packed {
    logic [NumKernels-1:0] part, had_tb;
    sm_owner_t [NumSms-1:0] owner;
  } tb_status_t;
  typedef struct packed {
    logic [NumKernels-1:0] snap_spent;
  } figures_t;
  typedef struct packed {
    eval_e eval;
    logic lower;
    logic upper;
    logic [6:0] opt;
    logic [6:0] count;
  } record_t;

  gpu_regs_t gpu_regs;
  slot_regs_t [NumKernels-1:0] slot_regs;
  tb_status_t tb;
  figures_t [NumSms-1:0] figures;
  sm_request_t request;
  record_t [NumKernels-1:0] records;
  always_comb begin
    gpu_regs = '{scheme: scheme_i, sm_threshold: sm_threshold_i, sm_step: sm_step_i};
    tb.part = part_i;
    tb.had_tb = had_tb_i;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      slot_regs[k] = '{ctx: '{valid: valid_i[k], qos: qos_i[k]}, goal: goal_i[k],
          sm_count: sm_count_i[k]};
      n_o[k] = records[k].count;
      opt_o[k] = records[k].opt;
      upper_o[k] = records[k].upper;
      lower_o[k] = records[k].lower;
      eval_o[k] = records[k].eval;
    end
    for (int unsigned i = 0; i < NumSms; i++) begin
      figures[i] = '{snap_spent: snap_spent_i[i]};
      tb.owner[i] = '{power: power_i[i], next_owner: next_owner_i[i], next_usage: next_usage_i[i],
          moving: moving_i[i], owner: owner_i[i], usage: usage_i[i]};
    end
  end
  assign request_valid_o = request.valid;
  assign request_sm_o = request.sm;
  assign request_usage_o = request.usage;
  assign request_owner_o = request.owner;

  qsm_sm_mgr #(
    .NumSms(NumSms), .NumKernels(NumKernels), .NocLat(NocLat), .EpochReset(EpochReset),
    .SnapW(SnapW), .gpu_regs_t(gpu_regs_t), .slot_regs_t(slot_regs_t), .tb_status_t(tb_status_t),
    .owner_t(sm_owner_t), .figures_t(figures_t), .request_t(sm_request_t), .record_t(record_t)
  ) u_dut (
    .clk_i, .rst_ni, .gpu_regs_i(gpu_regs), .slot_regs_i(slot_regs), .arrival_i, .hist_clear_i,
    .tb_i(tb), .figures_i(figures), .common_i, .quoted_i,
    .row_i(snap_insn_i[u_dut.u_collect.sm_q]), .e_i, .epoch_len_i, .request_o(request),
    .busy_o, .records_o(records), .ample_o, .apart_o, .closed_o
  );

  assign stale_o = u_dut.stale_q;
  assign moved_o = u_dut.moved_q;

  // Memories and sums hold the records of the epoch that is being computed before it ends.
  for (genvar k = 0; k < NumKernels; k++) begin : g_record
    logic [63:0] lead_q;
    logic [30:0] insn_q;
    logic        run, moved;
    always_ff @(posedge clk_i) begin
      if (u_dut.computed || !u_dut.computing) begin
        lead_q <= u_dut.u_profile.lead_q[k];
        insn_q <= u_dut.insn[k];
      end
    end
    assign run = u_dut.u_profile.run_q[k];
    assign moved = eval_o[k] != EvalNone;
    assign run_o[k] = run;
    assign seen_o[k] = u_dut.u_profile.seen_q[k];
    assign lead_o[k] = run ? lead_q : '0;
    assign insn_o[k] = run ? insn_q : '0;
    assign insn_last_o[k] = moved ? u_dut.u_profile.last_q[k] : '0;
    assign sm_last_o[k] = !moved ? '0 : u_dut.moving[k] ?
        7'(u_dut.u_adjust.moving_q.old) : 7'(u_dut.u_adjust.settling_q.old);
    assign out_o[k] = moved && (u_dut.moving[k] ? u_dut.u_adjust.moving_q.out :
        u_dut.u_adjust.settling_q.out);
  end
endmodule
