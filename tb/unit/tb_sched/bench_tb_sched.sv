// SPDX-License-Identifier: Apache-2.0
// qsm_tb_sched with types of ports made from its parameters, and plain ports for the unit benches,
// one vector for each value.
module bench_tb_sched
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumSms = 4,      // 1..96
  parameter int unsigned NumKernels = 4,  // slots, 1..8
  parameter int unsigned NumSched = 1,    // sub-cores per SM, 1..4
  parameter int unsigned WarpsPerSm = 8,  // 1..64, multiple of NumSched
  parameter int unsigned MaxTbs = 8,      // TB slots per SM, 1..32
  parameter int unsigned Granules = 32,   // shared memory granules per SM, power of two
  parameter int unsigned NumImages = 8,   // saved blocks of a slot, 1..16
  parameter int unsigned LineBytes = 16,  // of a memory line, power of two, 8..128
  parameter int unsigned EndDelay = 16,   // R-TB-3, 1..16
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned SubW = (NumSched > 1) ? $clog2(NumSched) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned GranW = $clog2(Granules),
  localparam int unsigned ImageW = (NumImages > 1) ? $clog2(NumImages) : 1,
  localparam int unsigned TicketW = $clog2(NumImages + NumSms * MaxTbs)
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Contexts and launch descriptors (control registers).
  input  logic [NumKernels-1:0]             valid_i,
  input  logic [NumKernels-1:0]             qos_i,
  input  logic [NumKernels-1:0][1:0]        level_i,
  input  logic [NumKernels-1:0][NumSms-1:0] mask_i,
  input  logic [NumKernels-1:0]             apart_i,
  input  logic                              closed_i,
  input  logic [NumKernels-1:0][2:0][15:0]  grid_i,      // [0] = x; 1..65535 each
  input  logic [NumKernels-1:0][6:0]        warps_i,     // per TB, 1..WarpsPerSm
  input  logic [NumKernels-1:0][GranW:0]    granules_i,  // per TB, 0..Granules
  input  logic [NumKernels-1:0][18:0]       shared_i,    // bytes per TB
  // windows: may be read, may be written; bounds in pages of 4096 bytes
  input  logic [NumKernels-1:0][1:0]        win_r_i,
  input  logic [NumKernels-1:0][1:0]        win_w_i,
  input  logic [NumKernels-1:0][1:0][19:0]  win_base_i,
  input  logic [NumKernels-1:0][1:0][19:0]  win_limit_i,
  input  logic [NumKernels-1:0][19:0]       save_base_i, // save area, likewise; limit 0: none
  input  logic [NumKernels-1:0][19:0]       save_limit_i,
  input  logic [NumKernels-1:0]             idempotent_i,
  input  logic [NumKernels-1:0]             hold_i,      // PREEMPT_HOLD
  input  logic [NumKernels-1:0][6:0]        cap_i,       // WARP_CAP
  // Pulses in the cycle of the accepted write.
  input  logic [NumKernels-1:0]             launch_i,
  input  logic [NumKernels-1:0]             kill_write_i,
  input  logic [NumKernels-1:0]             yield_write_i,
  input  logic [NumKernels-1:0][2:0]        walk_write_i,   // WALK_XY, WALK_Z, WALK_LINEAR
  input  logic [31:0]                       walk_i,         // what they write
  input  logic [NumKernels-1:0]             arrival_i,      // CTX valid 0 -> 1
  // CTX, or SM_MASK of a valid slot, changes, or WARP_CAP of one is written
  input  logic                              alloc_change_i,
  // Status.
  output logic [NumKernels-1:0]                   busy_o,
  output logic [NumKernels-1:0]                   killed_o,
  output logic [NumKernels-1:0]                   yielded_o,
  output logic [NumKernels-1:0][2:0][15:0]        walk_block_o,
  output logic [NumKernels-1:0][31:0]             walk_linear_o,
  output logic [NumKernels-1:0]                   ended_o,  // pulse: last busy cycle
  output logic [NumKernels-1:0][31:0]             launches_o,
  output logic [NumKernels-1:0]                   faulted_o,   // killed by a fault, not by the host
  // which SM has its record, while faulted_o
  output logic [NumKernels-1:0][SmW-1:0]          fault_sm_o,
  output logic                                    alloc_busy_o,
  output logic [NumSms-1:0][NumKernels-1:0][5:0]  cnt_o,
  output logic [NumSms-1:0][NumKernels-1:0][5:0]  target_o,
  // Preemption: the host's request, its state; jobs and images (registers PREEMPT, PREEMPT_STATUS,
  // SMSEL_JOB, SAVED).
  input  logic                                  preempt_i,
  input  logic [SmW-1:0]                        preempt_sm_i,
  input  logic [KernelW-1:0]                    preempt_kernel_i,
  input  logic                                  preempt_by_slot_i,
  input  logic [TbW-1:0]                        preempt_tb_i,
  input  technique_e                            preempt_technique_i,
  output logic [3:0]                            preempt_code_o,
  output logic [SmW-1:0]                        preempt_sm_o,
  output logic [TbW-1:0]                        preempt_tb_o,
  output logic [ImageW-1:0]                     preempt_image_o,
  output logic [NumSms-1:0][2:0]                job_kind_o,
  output logic [NumSms-1:0][KernelW-1:0]        job_kernel_o,
  output logic [NumSms-1:0][TbW-1:0]            job_tb_o,
  output logic [NumSms-1:0][ImageW-1:0]         job_image_o,
  output logic [NumSms-1:0][2:0]                job_result_o,
  output logic [NumKernels-1:0][NumImages-1:0]  images_o,   // in use
  output logic [NumKernels-1:0][9:0]            saved_o,    // {images, queued}
  // TB adjuster.
  input  logic                                    adjust_i,
  input  logic                                    paced_i,  // SCHEME is pace
  input  technique_e                              adjust_technique_i,
  input  logic                                    latecomers_i,
  // samples of idle warps, of the last epoch
  input  logic [NumSms-1:0][NumKernels-1:0][12:0] idle_i,
  output logic                                    adjust_busy_o,
  // SM ownership.
  input  logic                           request_i,
  input  logic [SmW-1:0]                 request_sm_i,
  input  logic [1:0]                     request_use_i,
  input  logic [KernelW-1:0]             request_owner_i,
  input  technique_e                     move_technique_i,
  input  logic                           gating_i,
  input  logic [NumSms-1:0]              off_i,
  input  logic [NumSms-1:0]              on_i,
  output logic [NumSms-1:0]              gate_o,
  output logic [NumSms-1:0]              wake_o,
  output logic [NumSms-1:0][1:0]         use_o,
  output logic [NumSms-1:0][KernelW-1:0] owner_o,
  output logic [NumSms-1:0]              moving_o,
  output logic [NumSms-1:0][1:0]         power_o,
  output logic [31:0]                    moves_o,
  output logic [NumKernels-1:0]          part_o,
  // QoS manager.
  input  logic                                    snapshot_i,    // pulse: this cycle is E
  input  logic                                    epoch_done_i,  // pulse: E + QosLat
  input  logic [NumKernels-1:0][21:0]             ratio_i,       // goal / IPC of the history, Q6.16
  output logic [NumKernels-1:0]                   had_tb_o,
  // cnt without those that are being saved (B8)
  output logic [NumSms-1:0][NumKernels-1:0][5:0]  staying_o,
  // Messages to the SMs.
  output logic [NumKernels-1:0]  start_o,
  output logic [NumKernels-1:0]  kill_o,
  output logic [NumSms-1:0]      dispatch_valid_o,  // at most one bit: the receiver
  output logic                   dispatch_any_o,    // valid of the message itself
  output logic [1:0]             dispatch_op_o,     // 0 new, 1 restore, 2 save, 3 flush
  output logic [KernelW-1:0]     dispatch_kernel_o,
  output logic [TbW-1:0]         dispatch_tb_o,
  output logic [SubW-1:0]        dispatch_first_o,
  output logic [GranW-1:0]       dispatch_base_o,
  output logic [2:0][15:0]       dispatch_block_o,
  output logic [31:0]            dispatch_linear_o,
  output logic [ImageW-1:0]      dispatch_image_o,
  output logic                   dispatch_fresh_o,
  output logic [TicketW-1:0]     dispatch_ticket_o,
  // Messages from the SMs.
  input  logic [NumSms-1:0]                              retire_i,
  input  logic [NumSms-1:0][TbW-1:0]                     retire_tb_i,
  input  logic [NumSms-1:0]                              retire_saved_i,
  input  logic [NumSms-1:0]                              restored_i,
  input  logic [NumSms-1:0][NumKernels-1:0]              fault_i
);
  // ---- types of a GPU that has just these blocks ----
  `include "qsm_tb_sched_types.svh"

  gpu_regs_t gpu_regs;
  slot_regs_t [NumKernels-1:0] slot_regs;
  desc_t [NumKernels-1:0] desc;
  preempt_req_t preempt;
  sm_request_t request;
  status_t status;
  dispatch_t dispatch;
  from_sm_t [NumSms-1:0] from_sm;
  figures_t [NumSms-1:0] figures;
  always_comb begin
    gpu_regs = '{scheme: paced_i ? SchemePace : SchemeNone, adjust: adjust_i,
        adjust_technique: adjust_technique_i, latecomers: '{on: latecomers_i},
        move_technique: move_technique_i, sm_gating: gating_i};
    request = '{valid: request_i, sm: request_sm_i, usage: sm_use_e'(request_use_i),
        owner: request_owner_i};
    preempt = '{valid: preempt_i, sm: preempt_sm_i, kernel: preempt_kernel_i,
        by_slot: preempt_by_slot_i, tb: preempt_tb_i, technique: preempt_technique_i};
    for (int unsigned k = 0; k < NumKernels; k++) begin
      slot_regs[k] = '{ctx: '{valid: valid_i[k], qos: qos_i[k], level: level_i[k]},
          sm_mask: mask_i[k], save_base: save_base_i[k], save_limit: save_limit_i[k],
          idempotent: idempotent_i[k], preempt_hold: hold_i[k], warp_cap: cap_i[k]};
      desc[k] = '{grid: grid_i[k], warps: warps_i[k], granules: granules_i[k],
          shared: shared_i[k], win: '0};
      for (int unsigned w = 0; w < 2; w++)
        desc[k].win[w] = '{base: {win_base_i[k][w], 12'd0}, limit: {win_limit_i[k][w], 12'd0},
            w: win_w_i[k][w], r: win_r_i[k][w]};
    end
    for (int unsigned i = 0; i < NumSms; i++) begin
      from_sm[i] = '{
          retire: '{valid: retire_i[i], tb: retire_tb_i[i], saved: retire_saved_i[i]},
          restored: restored_i[i], fault: fault_i[i], power: '{on: on_i[i], off: off_i[i]}};
      use_o[i] = status.owner[i].usage;
      owner_o[i] = status.owner[i].owner;
      moving_o[i] = status.owner[i].moving;
      power_o[i] = status.owner[i].power;
      figures[i].snap_idle = idle_i[i];
      job_kind_o[i] = status.job[i].kind;
      job_kernel_o[i] = status.job[i].kernel;
      job_tb_o[i] = status.job[i].tb;
      job_image_o[i] = ImageW'(status.job[i].image);
      job_result_o[i] = status.job[i].result;
    end
  end
  assign busy_o = status.busy;
  assign killed_o = status.killed;
  assign yielded_o = status.yielded;
  assign walk_block_o = status.walk_block;
  assign walk_linear_o = status.walk_linear;
  assign ended_o = status.ended;
  assign launches_o = status.launches;
  assign faulted_o = status.faulted;
  assign fault_sm_o = status.fault_sm;
  assign alloc_busy_o = status.alloc_busy;
  assign cnt_o = status.cnt;
  assign target_o = status.target;
  assign staying_o = status.staying;
  assign preempt_code_o = status.preempt.code;
  assign preempt_sm_o = status.preempt.sm;
  assign preempt_tb_o = status.preempt.tb;
  assign preempt_image_o = ImageW'(status.preempt.image);
  assign images_o = u_dut.u_preempt.used;
  assign saved_o = status.saved;
  assign adjust_busy_o = status.adjust_busy;
  assign had_tb_o = status.had_tb;
  assign dispatch_op_o = dispatch.op;
  assign dispatch_kernel_o = dispatch.kernel;
  assign dispatch_tb_o = dispatch.tb;
  assign dispatch_first_o = dispatch.first;
  assign dispatch_base_o = dispatch.base;
  assign dispatch_block_o = dispatch.block;
  assign dispatch_linear_o = dispatch.linear;
  assign dispatch_image_o = ImageW'(dispatch.image);
  assign dispatch_fresh_o = dispatch.fresh;
  assign dispatch_ticket_o = dispatch.ticket;
  assign dispatch_any_o = dispatch.valid;
  // As it is; the block shows it where it is asked for.
  assign moves_o = (u_dut.u_owner.u_meter.begun_q[0] ? u_dut.u_owner.u_meter.sum_mem[0][31:0] : '0)
      + 32'(u_dut.u_owner.u_meter.rest_q[0]);
  assign part_o = status.part;

  qsm_tb_sched #(
    .NumSms(NumSms), .NumKernels(NumKernels), .NumSched(NumSched), .WarpsPerSm(WarpsPerSm),
    .MaxTbs(MaxTbs), .Granules(Granules), .NumImages(NumImages), .LineBytes(LineBytes),
    .EndDelay(EndDelay), .slot_regs_t(slot_regs_t), .desc_t(desc_t), .gpu_regs_t(gpu_regs_t),
    .preempt_req_t(preempt_req_t), .preempt_status_t(preempt_status_t), .job_t(job_t),
    .saved_t(saved_t), .status_t(status_t), .figures_t(figures_t), .dispatch_t(dispatch_t),
    .from_sm_t(from_sm_t), .sm_request_t(sm_request_t), .sm_owner_t(sm_owner_t)
  ) u_dut (
    .clk_i, .rst_ni, .gpu_regs_i(gpu_regs), .slot_regs_i(slot_regs), .desc_i(desc),
    .launch_i, .kill_write_i, .yield_write_i, .walk_write_i, .walk_i, .arrival_i, .alloc_change_i,
    .preempt_i(preempt), .sm_request_i(request), .gate_o, .wake_o, .status_o(status),
    .count_ask_i(1'b0), .count_which_i('0), .count_o(), .snapshot_i,
    .epoch_done_i, .apart_i, .closed_i, .ratio_i, .start_o, .kill_o,
    .dispatch_valid_o, .dispatch_o(dispatch), .from_sm_i(from_sm), .figures_i(figures)
  );
endmodule
