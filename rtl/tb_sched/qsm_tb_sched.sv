// SPDX-License-Identifier: Apache-2.0
// Thread-block scheduler: kernel table, targets and their adjustment, what each SM has left,
// preemption, who owns which SM, and one message to an SM per cycle: a new block, a saved one, or
// the order to save one. Contract: docs/tb_sched.md, docs/preemption.md, docs/tb_adjust.md,
// docs/sm_owner.md. All decisions look at registers as of the start of the cycle; messages leave in
// the deciding cycle, those of the SMs arrive here when they are seen (the message paths are the
// parent's). Timing: qsm_tb_dispatch.
// Observed by the lockstep monitor: dispatch_valid_o (one bit: the SM) with dispatch_o, op 0 or 1
// (DISPATCH); ending, killed (END); in u_alloc we_o, target_q (TARGETS); u_preempt; u_adjust;
// u_owner; state: g_sm[i].u_tickets.
module qsm_tb_sched
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
  parameter bit Gating = 1'b1,            // SMs can be gated
  // Types of the ports, with the members that are named; a GPU's may have more.
  parameter type slot_regs_t = logic,    // ctx.valid, .qos, .level; sm_mask, idempotent,
                                         // preempt_hold, warp_cap; save area in pages of 4096
                                         // bytes: save_base, save_limit (0: none)
  parameter type desc_t = logic,         // grid ([0] = x), warps, granules, shared (bytes), win[2]:
                                         // base, limit (bytes), r, w
  parameter type gpu_regs_t = logic,     // scheme, adjust, adjust_technique, latecomers.on,
                                         // move_technique, sm_gating
  parameter type preempt_req_t = logic,  // valid, sm, kernel, tb, by_slot, technique
  parameter type preempt_status_t = logic,  // code, sm, tb, image
  parameter type job_t = logic,          // kind, kernel, tb, image, result
  parameter type saved_t = logic,        // images, queued
  parameter type sm_request_t = logic,   // valid, sm, usage, owner
  parameter type sm_owner_t = logic,     // power, next_owner, next_usage, moving, owner, usage
  parameter type status_t = logic,       // see status_o
  parameter type figures_t = logic,      // snap_idle[kernel]: samples of idle warps, last epoch
  parameter type dispatch_t = logic,     // see dispatch_o
  parameter type from_sm_t = logic,      // retire.valid, .tb, .saved; restored, fault[kernel];
                                         // power.off, .on
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned SubW = (NumSched > 1) ? $clog2(NumSched) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned GranW = $clog2(Granules),
  localparam int unsigned ImageW = (NumImages > 1) ? $clog2(NumImages) : 1,
  localparam int unsigned TicketW = $clog2(NumImages + NumSms * MaxTbs),
  localparam int unsigned CounterW = $clog2(5 + NumKernels)
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Registers.
  input  gpu_regs_t                   gpu_regs_i,
  input  slot_regs_t [NumKernels-1:0] slot_regs_i,
  input  desc_t [NumKernels-1:0]      desc_i,
  // Pulses in the cycle of the accepted write.
  input  logic [NumKernels-1:0]       launch_i,
  input  logic [NumKernels-1:0]       kill_write_i,
  input  logic [NumKernels-1:0]       yield_write_i,
  input  logic [NumKernels-1:0][2:0]  walk_write_i,    // WALK_XY, WALK_Z, WALK_LINEAR
  input  logic [31:0]                 walk_i,          // what they write
  input  logic [NumKernels-1:0]       arrival_i,       // CTX valid 0 -> 1
  // CTX, or SM_MASK of a valid slot, changes, or WARP_CAP of one is written
  input  logic                        alloc_change_i,
  input  preempt_req_t                preempt_i,
  input  sm_request_t                 sm_request_i,    // of the host or the SM manager
  output status_t                     status_o,
  // A counter of qsm_sm_owner.
  input  logic                        count_ask_i,
  input  logic [CounterW-1:0]         count_which_i,
  output logic [47:0]                 count_o,
  // QoS manager.
  input  logic                        snapshot_i,      // pulse: this cycle is E
  input  logic [NumKernels-1:0]       apart_i,         // not on a shared SM beside its own
  input  logic                        closed_i,        // nothing goes to a shared SM
  input  logic                        epoch_done_i,    // pulse: E + QosLat
  input  logic [NumKernels-1:0][21:0] ratio_i,         // goal / IPC of the history, Q6.16
  // SMs: messages to them, the receiver (at most one bit) in dispatch_valid_o; from them.
  output logic [NumKernels-1:0]       start_o,
  output logic [NumKernels-1:0]       kill_o,
  output logic [NumSms-1:0]           dispatch_valid_o,
  output dispatch_t                   dispatch_o,
  output logic [NumSms-1:0]           gate_o,
  output logic [NumSms-1:0]           wake_o,
  input  from_sm_t [NumSms-1:0]       from_sm_i,
  input  figures_t [NumSms-1:0]       figures_i
);
  localparam int unsigned OutW = $clog2(NumSms * MaxTbs + 1);
  localparam int unsigned TbCountW = $clog2(MaxTbs + 1);
  `include "qsm_preempt_types.svh"

  // ---- registers and messages, as the parts want them ----
  logic [NumKernels-1:0] valid, qos, capped;
  logic [NumKernels-1:0][1:0] level;
  logic [NumKernels-1:0][NumSms-1:0] mask;
  logic [NumKernels-1:0][6:0] warps, cap;
  logic [NumKernels-1:0][GranW:0] granules;
  logic [NumSms-1:0] come, come_saved, power_off, power_on;  // come: a retirement
  logic [NumSms-1:0][TbW-1:0] come_tb;
  logic [NumSms-1:0][NumKernels-1:0][12:0] idle;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      valid[k] = slot_regs_i[k].ctx.valid;
      qos[k] = slot_regs_i[k].ctx.valid && slot_regs_i[k].ctx.qos;
      level[k] = slot_regs_i[k].ctx.level;
      mask[k] = slot_regs_i[k].sm_mask;
      cap[k] = 7'(slot_regs_i[k].warp_cap);
      capped[k] = cap[k] != '0;
      warps[k] = desc_i[k].warps;
      granules[k] = desc_i[k].granules;
    end
    for (int unsigned i = 0; i < NumSms; i++) begin
      come[i] = from_sm_i[i].retire.valid;
      come_tb[i] = from_sm_i[i].retire.tb;
      come_saved[i] = from_sm_i[i].retire.saved;
      power_off[i] = from_sm_i[i].power.off;
      power_on[i] = from_sm_i[i].power.on;
      idle[i] = figures_i[i].snap_idle;
    end
  end

  // ---- the retirement that is seen, R-TB-18; `seen`: messages with it alone ----
  logic [NumSms-1:0] retire, placed;
  logic [SmW-1:0] retire_sm;
  logic [TbW-1:0] retire_tb;
  logic retire_saved;
  logic [KernelW-1:0] retire_kernel;
  from_sm_t [NumSms-1:0] seen;
  qsm_tb_retire #(.NumSms(NumSms), .MaxTbs(MaxTbs)) u_retire (
    .clk_i, .rst_ni, .valid_i(come), .tb_i(come_tb), .saved_i(come_saved), .held_i(placed),
    .seen_o(retire), .sm_o(retire_sm), .tb_o(retire_tb), .saved_o(retire_saved)
  );
  always_comb begin
    seen = from_sm_i;
    for (int unsigned i = 0; i < NumSms; i++) begin
      seen[i].retire.valid = retire[i];
      seen[i].retire.tb = retire_tb;
      seen[i].retire.saved = retire_saved;
    end
  end

  // ---- kernel table ----
  logic [NumKernels-1:0] busy, killed, yielded, ended, faulted;
  logic [NumKernels-1:0][31:0] launches;
  logic [NumKernels-1:0][SmW-1:0] fault_sm;
  logic [NumKernels-1:0] has_block, ready, ending, dispatched, resume, unfinished;
  logic [NumKernels-1:0][OutW-1:0] out;
  logic [NumKernels-1:0][2:0][15:0] block;
  logic [NumKernels-1:0][31:0] linear;
  logic [2:0][15:0] next_block;  // behind the new block that is dispatched
  logic [31:0] next_linear;
  logic last_block;

  for (genvar k = 0; k < NumKernels; k++) begin : g_kernel
    logic [NumSms-1:0] fault;
    logic retires;
    assign retires = retire != '0 && retire_kernel == KernelW'(k);
    always_comb for (int unsigned i = 0; i < NumSms; i++) fault[i] = from_sm_i[i].fault[k];
    qsm_tb_kernel #(
      .NumSms(NumSms), .OutW(OutW), .EndDelay(EndDelay)
    ) u_kernel (
      .clk_i, .rst_ni,
      .launch_i(launch_i[k]), .kill_write_i(kill_write_i[k]), .yield_write_i(yield_write_i[k]),
      .arrival_i(arrival_i[k]), .walk_write_i(walk_write_i[k]), .walk_i,
      .busy_o(busy[k]), .killed_o(killed[k]), .yielded_o(yielded[k]), .ending_o(ending[k]),
      .ended_o(ended[k]),
      .launches_o(launches[k]),
      .faulted_o(faulted[k]), .fault_sm_o(fault_sm[k]),
      .has_block_o(has_block[k]), .ready_o(ready[k]), .block_o(block[k]), .linear_o(linear[k]),
      .dispatch_i(dispatched[k]), .next_block_i(next_block), .next_linear_i(next_linear),
      .last_i(last_block), .resume_i(resume[k]), .unfinished_i(unfinished[k]),
      .start_o(start_o[k]), .kill_o(kill_o[k]), .fault_i(fault), .retires_i(retires), .out_o(out[k])
    );
  end

  // ---- who uses which SM ----
  logic [NumSms-1:0][NumKernels-1:0][5:0] cnt;
  logic [NumKernels-1:0][NumSms-1:0] may;
  sm_owner_t [NumSms-1:0] owner;
  sm_use_e [NumSms-1:0] usage;
  logic [NumSms-1:0][KernelW-1:0] owner_slot;
  logic [NumSms-1:0] moving, ask;
  logic [NumSms-1:0][NumKernels-1:0] move_evict, move_refused;
  qsm_sm_owner #(
    .NumSms(NumSms), .NumKernels(NumKernels), .Gating(Gating), .sm_request_t(sm_request_t),
    .sm_owner_t(sm_owner_t)
  ) u_owner (
    .clk_i, .rst_ni, .request_i(sm_request_i), .valid_i(valid), .mask_i(mask),
    .technique_i(gpu_regs_i.move_technique), .gating_i(gpu_regs_i.sm_gating[0]), .owner_o(owner),
    .count_ask_i, .count_which_i, .count_o,
    .snapshot_i, .epoch_done_i, .cnt_i(cnt), .apart_i, .closed_i, .may_o(may), .ask_o(ask),
    .evict_o(move_evict), .refused_i(move_refused),
    .gate_o, .wake_o, .off_i(power_off), .on_i(power_on)
  );
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      usage[i] = owner[i].usage;
      owner_slot[i] = owner[i].owner;
      moving[i] = owner[i].moving;
    end
  end

  // ---- targets ----
  logic alloc_busy, alloc_all, adjust_busy, realloc;
  logic [NumSms-1:0][NumKernels-1:0][5:0] target;
  logic [NumKernels-1:0] part;
  logic [NumSms-1:0] alloc_we;
  logic [SmW-1:0] adjust_sm;
  logic [NumKernels-1:0] raise, lower;
  logic [5:0] raised, lowered;
  qsm_tb_alloc #(
    .NumSms(NumSms), .NumKernels(NumKernels), .WarpsPerSm(WarpsPerSm), .MaxTbs(MaxTbs),
    .Granules(Granules)
  ) u_alloc (
    .clk_i, .rst_ni, .valid_i(valid), .qos_i(qos), .mask_i(mask), .warps_i(warps),
    .granules_i(granules), .cap_i(cap), .launch_i, .arrival_i,
    .change_i(alloc_change_i || realloc),
    .busy_i(busy), .snapshot_i, .part_o(part),
    .use_i(usage), .owner_i(owner_slot), .moving_i(moving), .ask_i(ask),
    .sm_i(adjust_sm), .raise_i(raise), .lower_i(lower), .raised_i(raised), .lowered_i(lowered),
    .busy_o(alloc_busy), .all_o(alloc_all), .we_o(alloc_we), .target_o(target)
  );

  // ---- what each SM has left ----
  localparam int unsigned WarpsPerSched = WarpsPerSm / NumSched;
  localparam int unsigned FreeW = $clog2(WarpsPerSched + 1);
  logic [NumKernels-1:0][FreeW-1:0] whole;  // warps of a TB = whole * NumSched + rest
  logic [NumKernels-1:0][SubW-1:0] rest;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      whole[k] = FreeW'(warps[k] / 7'(NumSched));
      rest[k] = SubW'(warps[k] % 7'(NumSched));
    end
  end

  // the kernel that looks for a place, whether it fits on each SM, and where
  logic [KernelW-1:0] look_kernel;
  logic [NumSms-1:0] fits;
  logic [NumSms-1:0][TbW-1:0] free_tb;
  logic [NumSms-1:0][SubW-1:0] free_first, first;
  logic [NumSms-1:0][Granules-1:0] free_granules;
  // of the SM on which a place is looked for, or of the adjuster's: dispatch rests while it works
  logic [SmW-1:0] look_sm, granules_sm;
  logic [Granules-1:0] look_granules;
  assign granules_sm   = adjust_busy ? adjust_sm : look_sm;
  assign look_granules = free_granules[granules_sm];
  logic [NumSms-1:0][NumSched-1:0][FreeW-1:0] free_warps;
  logic [TbW-1:0] look_tb;
  logic [SubW-1:0] look_first;
  logic [GranW-1:0] look_base;
  logic [NumSms-1:0][TicketW-1:0] ticket;
  logic [TicketW-1:0] retire_ticket;
  logic [NumSched-1:0][FreeW-1:0] retire_warps;
  logic [Granules-1:0] retire_granules;
  logic [NumSms-1:0] started;               // a block, new or saved, is dispatched there
  return_t returned;
  ages_t ages;
  // The block that has a place: warps of each sub-core, the sub-core after that of its last one
  logic [KernelW-1:0] kernel;
  logic [SmW-1:0] sm;
  logic [TbW-1:0] place_tb;
  logic [SubW-1:0] place_first, place_after;
  logic [NumSched-1:0][FreeW-1:0] place_warps;
  logic [GranW-1:0] base;
  logic [Granules-1:0] run;
  logic [TicketW-1:0] message_ticket;
  logic [SubW:0] behind;
  qsm_tb_need #(.NumSched(NumSched), .WarpsPerSched(WarpsPerSched)) u_place_warps (
    .whole_i(whole[kernel]), .rest_i(rest[kernel]), .first_i(place_first), .need_o(place_warps)
  );
  assign behind = (SubW+1)'(place_first) + (SubW+1)'(rest[kernel]);
  assign place_after = SubW'((behind >= (SubW+1)'(NumSched)) ? behind - (SubW+1)'(NumSched)
      : behind);
  qsm_tb_held #(
    .NumSms(NumSms), .NumKernels(NumKernels), .NumSched(NumSched), .WarpsPerSched(WarpsPerSched),
    .MaxTbs(MaxTbs), .Granules(Granules), .TicketW(TicketW)
  ) u_held (
    .clk_i, .whole_i(whole), .rest_i(rest), .take_i(started != '0), .take_sm_i(sm),
    .take_tb_i(place_tb), .take_kernel_i(kernel), .take_first_i(place_first), .take_base_i(base),
    .take_granules_i(run), .take_ticket_i(message_ticket),
    .retire_sm_i(retire_sm), .retire_tb_i(retire_tb), .kernel_o(retire_kernel),
    .warps_o(retire_warps), .granules_o(retire_granules), .ticket_o(retire_ticket),
    .look_sm_i(adjust_sm), .look_tb_i(look_tb), .look_first_o(look_first), .look_base_o(look_base)
  );
  for (genvar i = 0; i < NumSms; i++) begin : g_sm
    qsm_tb_resources #(
      .NumKernels(NumKernels), .NumSched(NumSched), .WarpsPerSched(WarpsPerSched), .MaxTbs(MaxTbs),
      .Granules(Granules)
    ) u_resources (
      .clk_i, .rst_ni, .whole_i(whole), .rest_i(rest), .look_kernel_i(look_kernel),
      .fits_o(fits[i]), .tb_o(free_tb[i]), .place_o(free_first[i]),
      .first_o(first[i]), .free_granules_o(free_granules[i]),
      .take_i(started[i]), .take_kernel_i(kernel), .take_tb_i(place_tb),
      .take_after_i(place_after), .take_warps_i(place_warps), .take_granules_i(run),
      .retire_i(retire[i]), .retire_kernel_i(retire_kernel), .retire_tb_i(retire_tb),
      .retire_warps_i(retire_warps), .retire_granules_i(retire_granules), .cnt_o(cnt[i]),
      .free_warps_o(free_warps[i])
    );

    qsm_tb_ages #(.NumKernels(NumKernels), .MaxTbs(MaxTbs)) u_ages (
      .clk_i, .rst_ni, .add_i(started[i]), .add_tb_i(place_tb), .add_kernel_i(kernel),
      .remove_i(retire[i]), .remove_tb_i(retire_tb),
      .valid_o(ages.valid[i]), .tb_o(ages.tb[i]), .kernel_o(ages.kernel[i])
    );

    qsm_tb_tickets #(
      .NumKernels(NumKernels), .MaxTbs(MaxTbs), .FirstTicket(NumImages + i), .Step(NumSms),
      .TicketW(TicketW)
    ) u_tickets (
      .clk_i, .rst_ni, .launch_i, .kernel_i(kernel), .ticket_o(ticket[i]), .take_i(started[i]),
      .push_i((retire[i] && !retire_saved) || returned.sms[i]),  // never both: R-PE-7
      .push_kernel_i(retire[i] ? retire_kernel : returned.kernel),
      .push_ticket_i(retire[i] ? retire_ticket : returned.ticket)
    );
  end

  // ---- preemption ----
  logic [NumSms-1:0][NumKernels-1:0] evict, evict_refused, saving;
  logic [NumKernels-1:0][NumSms-1:0] closed;  // the SM's job keeps this kernel's blocks out
  preempt_status_t preempt_status;
  job_t [NumSms-1:0] job;
  saved_t [NumKernels-1:0] saved;
  evict_t evicts, moves_away;
  launches_t all_launches;
  next_t next;
  restore_t restore;
  save_t save;
  assign evicts = '{blocks: evict, technique: gpu_regs_i.adjust_technique};
  assign moves_away = '{blocks: move_evict, technique: gpu_regs_i.move_technique};
  assign all_launches = '{killed: killed, launch: launch_i, kill: kill_o};
  assign restore = '{sms: resume[kernel] ? started : '0, tb: place_tb, ticket: ticket[sm]};
  qsm_preempt #(
    .NumSms(NumSms), .NumKernels(NumKernels), .MaxTbs(MaxTbs), .NumImages(NumImages),
    .LineBytes(LineBytes), .TicketW(TicketW), .slot_regs_t(slot_regs_t), .desc_t(desc_t),
    .preempt_req_t(preempt_req_t), .preempt_status_t(preempt_status_t), .job_t(job_t),
    .saved_t(saved_t), .from_sm_t(from_sm_t), .evict_t(evict_t), .launches_t(launches_t),
    .ages_t(ages_t), .next_t(next_t), .restore_t(restore_t), .return_t(return_t), .save_t(save_t)
  ) u_preempt (
    .clk_i, .rst_ni,
    .host_i(preempt_i), .status_o(preempt_status), .job_o(job), .saved_o(saved),
    .evict_i(evicts), .evict_refused_o(evict_refused), .move_i(moves_away),
    .move_refused_o(move_refused), .slot_regs_i, .desc_i,
    .launches_i(all_launches), .ending_i(ending), .unfinished_o(unfinished),
    .ages_i(ages), .from_sm_i(seen), .retire_ticket_i(retire_ticket), .saving_o(saving),
    .resume_o(resume), .closed_o(closed), .kernel_i(kernel), .next_o(next), .restore_i(restore),
    .return_o(returned), .save_o(save)
  );

  // ---- run-time adjustment ----
  logic [NumSms-1:0] some_job, restoring;
  logic [Granules-1:0] fit_granules;
  logic [GranW:0] fit_len;
  logic granules_fit;
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      some_job[i] = job[i].kind != '0;
      restoring[i] = job[i].kind == JobRestore;
    end
  end
  qsm_tb_adjust #(
    .NumSms(NumSms), .NumKernels(NumKernels), .NumSched(NumSched), .WarpsPerSm(WarpsPerSm),
    .MaxTbs(MaxTbs), .Granules(Granules)
  ) u_adjust (
    .clk_i, .rst_ni, .adjust_i(gpu_regs_i.adjust), .latecomers_i(gpu_regs_i.latecomers.on),
    .snapshot_i, .epoch_done_i, .busy_o(adjust_busy),
    .qos_i(qos), .level_i(level), .busy_i(busy), .killed_i(killed), .has_block_i(has_block),
    .out_i(out), .mask_i(may), .capped_i(capped),
    .ratio_i, .paced_i(gpu_regs_i.scheme == SchemePace),
    .warps_i(warps), .whole_i(whole), .rest_i(rest), .granules_i(granules),
    .idle_i(idle), .cnt_i(cnt), .free_warps_i(free_warps), .free_granules_i(look_granules),
    .first_i(first),
    .age_valid_i(ages.valid), .age_tb_i(ages.tb), .age_kernel_i(ages.kernel), .look_tb_o(look_tb),
    .look_first_i(look_first), .look_base_i(look_base),
    .fit_granules_o(fit_granules), .fit_len_o(fit_len), .fit_found_i(granules_fit), .fit_run_i(run),
    .alloc_busy_i(alloc_busy), .alloc_all_i(alloc_all), .alloc_we_i(alloc_we), .target_i(target),
    .sm_o(adjust_sm), .raise_o(raise), .lower_o(lower),
    .raised_o(raised), .lowered_o(lowered), .realloc_o(realloc),
    .preempting_i((|some_job) || preempt_status.code == CodeExamined), .restoring_i(restoring),
    .evict_refused_i(evict_refused), .evict_o(evict)
  );

  // ---- dispatch, R-TB-6, R-TB-9, R-TB-10, R-TB-17, R-PE-4, R-PE-8 ----
  logic [NumKernels-1:0][NumSms-1:0] below;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned i = 0; i < NumSms; i++) below[k][i] = cnt[i][k] < target[i][k];
    end
  end
  qsm_tb_dispatch #(
    .NumSms(NumSms), .NumKernels(NumKernels), .NumSched(NumSched), .MaxTbs(MaxTbs),
    .Granules(Granules)
  ) u_dispatch (
    .clk_i, .rst_ni, .closed_i(alloc_busy || adjust_busy), .decision_i(save.decision),
    .ready_i(ready), .open_i(may & ~closed), .short_i(below), .granules_i(granules),
    .look_kernel_o(look_kernel), .look_sm_o(look_sm), .fits_i(fits), .tb_i(free_tb),
    .first_i(free_first), .free_granules_i(look_granules),
    .kernel_o(kernel), .sm_o(sm), .tb_o(place_tb), .first_o(place_first), .base_o(base),
    .run_o(run), .dispatched_o(dispatched), .started_o(started),
    .placed_o(placed),
    .lent_i(adjust_busy), .lent_granules_i(fit_granules), .lent_len_i(fit_len),
    .found_o(granules_fit)
  );

  // ---- message: a save goes where there is no dispatch, R-PE-4 ----
  logic restores;
  logic [NumKernels-1:0] renews;  // the kernel, if its block is a new one
  logic [ImageW-1:0] message_image;
  logic [2:0][15:0] new_block;
  logic [31:0] new_linear;
  assign restores = resume[kernel];
  always_comb begin
    new_block = '0;
    new_linear = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      renews[k] = kernel == KernelW'(k) && !resume[k];
      if (renews[k]) begin
        new_block |= block[k];
        new_linear |= linear[k];
      end
    end
  end
  qsm_tb_walk u_walk (
    .grid_i(desc_i[kernel].grid), .block_i(new_block), .linear_i(new_linear), .block_o(next_block),
    .linear_o(next_linear), .last_o(last_block)
  );
  assign message_image = save.decision ? save.image : restores ? next.image : '0;
  assign message_ticket = restores ? next.spare : ticket[sm];
  assign dispatch_valid_o = started | save.sms;
  always_comb begin
    dispatch_o.valid = |dispatch_valid_o;
    // an enumeration or not
    {dispatch_o.op} = save.decision ? {1'b1, save.flush} : {1'b0, restores};
    dispatch_o.kernel = save.decision ? save.kernel : kernel;
    dispatch_o.tb = save.decision ? save.tb : place_tb;
    dispatch_o.image = 4'(message_image);
    dispatch_o.fresh = restores && next.fresh;
    dispatch_o.first = place_first;
    dispatch_o.base = base;
    dispatch_o.block = new_block;
    dispatch_o.linear = new_linear;
    dispatch_o.ticket = message_ticket;
  end

  // ---- had_tb, R-TB-12 ----
  logic [NumKernels-1:0] has_tb, had_tb_q;
  always_comb begin
    has_tb = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned i = 0; i < NumSms; i++) if (cnt[i][k] != '0) has_tb[k] = 1'b1;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) had_tb_q <= '0;
    else had_tb_q <= has_tb | (snapshot_i ? '0 : had_tb_q);
  end

  // ---- what the control port and the QoS manager see ----
  logic [NumSms-1:0][NumKernels-1:0][5:0] staying;  // T_i: without those being saved (B8)
  logic [TbCountW-1:0] n_staying;
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      for (int unsigned k = 0; k < NumKernels; k++) begin
        n_staying = TbCountW'(cnt[i][k]) - TbCountW'(saving[i][k]);
        staying[i][k] = 6'(n_staying);
      end
    end
  end
  assign status_o = '{
    busy: busy, killed: killed, yielded: yielded, walk_block: block, walk_linear: linear,
    ended: ended, launches: launches, faulted: faulted,
    fault_sm: fault_sm, had_tb: had_tb_q, cnt: cnt, target: target, staying: staying,
    alloc_busy: alloc_busy, adjust_busy: adjust_busy, preempt: preempt_status, job: job,
    saved: saved, owner: owner, part: part
  };

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      started == '0 || (run & ~free_granules[sm]) == '0)
    else $error("R-TB-17: the place is taken");
  // An immediate one: a concurrent one samples all of the descriptors, for which Verilator 5.006
  // generates code that does not compile.
  for (genvar k = 0; k < NumKernels; k++) begin : g_in_grid
    logic in_grid;
    always_comb begin
      in_grid = 1'b1;
      for (int unsigned d = 0; d < 3; d++) if (block[k][d] >= desc_i[k].grid[d]) in_grid = 1'b0;
    end
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        assert (!busy[k] || g_kernel[k].u_kernel.all_q || in_grid)
          else $error("R-TB-16: the walk is outside of the grid");
      end
    end
  end
  logic [NumSms-1:0] not_on;
  always_comb for (int unsigned i = 0; i < NumSms; i++) not_on[i] = owner[i].power != PowerOn;
  assert property (@(posedge clk_i) disable iff (!rst_ni) (dispatch_valid_o & not_on) == '0)
    else $error("R-PG-2: a dispatch to an SM that is not on");
`endif
endmodule
