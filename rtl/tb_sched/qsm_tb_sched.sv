// SPDX-License-Identifier: Apache-2.0
// Thread-block scheduler: kernel table, targets and their adjustment, what each SM has left,
// preemption, and one message to an SM per cycle: a new block, a saved one, or the order to save
// one. Contract: docs/tb_sched.md, docs/preemption.md, docs/tb_adjust.md. All decisions look at
// registers as of the start of the cycle; messages leave in the deciding cycle, those of the SMs
// arrive here when they are seen (the message paths are the parent's). Timing: qsm_tb_dispatch.
// Observed by the lockstep monitor: dispatch_valid_o (one bit: the SM) with dispatch_op_o 0 or 1,
// and the fields of the message (DISPATCH); ending, killed_o (END); in u_alloc target_we, sm_q,
// target_q (TARGETS); u_preempt; u_adjust; state: g_sm[i].u_tickets.
module qsm_tb_sched #(
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
  localparam int unsigned ImagesW = $clog2(NumImages + 1),
  localparam int unsigned TicketW = $clog2(NumImages + NumSms * MaxTbs)
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Contexts and launch descriptors (control registers).
  input  logic [NumKernels-1:0]             valid_i,
  input  logic [NumKernels-1:0]             qos_i,
  input  logic [NumKernels-1:0][NumSms-1:0] mask_i,
  input  logic [NumKernels-1:0][2:0][15:0]  grid_i,      // [0] = x; 1..65535 each
  input  logic [NumKernels-1:0][6:0]        warps_i,     // per TB, 1..WarpsPerSm
  input  logic [NumKernels-1:0][GranW:0]    granules_i,  // per TB, 0..Granules
  input  logic [NumKernels-1:0][18:0]       shared_i,    // bytes per TB
  // windows: may be read and written; bounds in pages of 4096 bytes
  input  logic [NumKernels-1:0][1:0]        win_rw_i,
  input  logic [NumKernels-1:0][1:0][19:0]  win_base_i,
  input  logic [NumKernels-1:0][1:0][19:0]  win_limit_i,
  input  logic [NumKernels-1:0][19:0]       save_base_i, // save area, likewise; limit 0: none
  input  logic [NumKernels-1:0][19:0]       save_limit_i,
  input  logic [NumKernels-1:0]             idempotent_i,
  input  logic [NumKernels-1:0]             hold_i,      // PREEMPT_HOLD
  // Pulses in the cycle of the accepted write.
  input  logic [NumKernels-1:0]             launch_i,
  input  logic [NumKernels-1:0]             kill_write_i,
  input  logic [NumKernels-1:0]             arrival_i,      // CTX valid 0 -> 1
  // CTX, or SM_MASK of a valid slot, changes
  input  logic                              alloc_change_i,
  // Status.
  output logic [NumKernels-1:0]                   busy_o,
  output logic [NumKernels-1:0]                   killed_o,
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
  input  logic [1:0]                            preempt_technique_i,
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
  output logic [NumKernels-1:0][ImagesW-1:0]    queued_o,
  // TB adjuster.
  input  logic                                    adjust_i,
  input  logic [1:0]                              adjust_technique_i,
  input  logic                                    latecomers_i,
  // samples of idle warps, of the last epoch
  input  logic [NumSms-1:0][NumKernels-1:0][12:0] idle_i,
  output logic                                    adjust_busy_o,
  // QoS manager.
  input  logic                                    snapshot_i,    // pulse: this cycle is E
  input  logic                                    epoch_done_i,  // pulse: E + QosLat
  input  logic [NumKernels-1:0][18:0]             ratio_i,       // goal / IPC of the history, Q3.16
  output logic [NumKernels-1:0]                   had_tb_o,
  // one TB of this kernel is being saved: it does not count (B8)
  output logic [NumSms-1:0][NumKernels-1:0]       saving_o,
  // Messages to the SMs.
  output logic [NumKernels-1:0]  start_o,
  output logic [NumKernels-1:0]  kill_o,
  output logic [NumSms-1:0]      dispatch_valid_o,  // at most one bit: the receiver
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
  localparam int unsigned SmCountW = $clog2(NumSms + 1);
  localparam int unsigned OutW = $clog2(NumSms * MaxTbs + 1);

  // ---- kernel table ----
  logic [NumKernels-1:0] has_block, ready, ending, dispatched, resume, unfinished;
  logic [NumKernels-1:0][OutW-1:0] out;
  logic [NumKernels-1:0][2:0][15:0] block;
  logic [NumKernels-1:0][31:0] linear;
  logic [NumSms-1:0][NumKernels-1:0] retire_kernel;

  for (genvar k = 0; k < NumKernels; k++) begin : g_kernel
    logic [NumSms-1:0] fault;
    logic [SmCountW-1:0] retires;
    always_comb begin
      retires = '0;
      for (int unsigned i = 0; i < NumSms; i++) begin
        fault[i] = fault_i[i][k];
        retires += SmCountW'(retire_kernel[i][k]);
      end
    end
    qsm_tb_kernel #(
      .NumSms(NumSms), .OutW(OutW), .EndDelay(EndDelay)
    ) u_kernel (
      .clk_i, .rst_ni,
      .launch_i(launch_i[k]), .kill_write_i(kill_write_i[k]), .arrival_i(arrival_i[k]),
      .grid_i(grid_i[k]),
      .busy_o(busy_o[k]), .killed_o(killed_o[k]), .ending_o(ending[k]), .ended_o(ended_o[k]),
      .launches_o(launches_o[k]),
      .faulted_o(faulted_o[k]), .fault_sm_o(fault_sm_o[k]),
      .has_block_o(has_block[k]), .ready_o(ready[k]), .block_o(block[k]), .linear_o(linear[k]),
      .dispatch_i(dispatched[k]),
      .resume_i(resume[k]), .unfinished_i(unfinished[k]),
      .start_o(start_o[k]), .kill_o(kill_o[k]), .fault_i(fault), .retires_i(retires), .out_o(out[k])
    );
  end

  // ---- targets ----
  logic realloc;
  logic [NumSms-1:0] alloc_we;
  logic [SmW-1:0] adjust_sm;
  logic [NumKernels-1:0] raise, lower;
  logic [5:0] raised, lowered;
  qsm_tb_alloc #(
    .NumSms(NumSms), .NumKernels(NumKernels), .WarpsPerSm(WarpsPerSm), .MaxTbs(MaxTbs),
    .Granules(Granules)
  ) u_alloc (
    .clk_i, .rst_ni, .valid_i, .qos_i, .mask_i, .warps_i, .granules_i, .launch_i, .arrival_i,
    .change_i(alloc_change_i || realloc),
    .busy_i(busy_o), .snapshot_i,
    .sm_i(adjust_sm), .raise_i(raise), .lower_i(lower), .raised_i(raised), .lowered_i(lowered),
    .busy_o(alloc_busy_o), .we_o(alloc_we), .target_o
  );

  // ---- what each SM has left ----
  localparam int unsigned WarpsPerSched = WarpsPerSm / NumSched;
  localparam int unsigned FreeW = $clog2(WarpsPerSched + 1);
  logic [NumKernels-1:0][FreeW-1:0] whole;  // warps of a TB = whole * NumSched + rest
  logic [NumKernels-1:0][SubW-1:0] rest;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      whole[k] = FreeW'(warps_i[k] / 7'(NumSched));
      rest[k] = SubW'(warps_i[k] % 7'(NumSched));
    end
  end

  logic [KernelW-1:0] kernel;               // candidate, and its SM
  logic [SmW-1:0] sm;
  logic [NumSms-1:0] fits;
  logic [NumSms-1:0][TbW-1:0] free_tb;
  logic [NumSms-1:0][SubW-1:0] first;
  logic [NumSms-1:0][Granules-1:0] free_granules;
  logic [NumSms-1:0][NumSched-1:0][FreeW-1:0] free_warps;
  logic [TbW-1:0] look_tb;
  logic [NumSms-1:0][SubW-1:0] look_first;
  logic [NumSms-1:0][GranW-1:0] look_base;
  logic [NumSms-1:0][TicketW-1:0] ticket, retire_ticket;
  // a block, new or saved, is dispatched there; a ticket comes back by clean-up
  logic [NumSms-1:0] started, returned;
  logic [KernelW-1:0] returned_kernel;
  logic [TicketW-1:0] returned_ticket;
  logic [NumSms-1:0][MaxTbs-1:0] age_valid;
  logic [NumSms-1:0][MaxTbs-1:0][TbW-1:0] age_tb;
  logic [NumSms-1:0][MaxTbs-1:0][KernelW-1:0] age_kernel;
  logic [Granules-1:0] run;                 // granules of the candidate
  for (genvar i = 0; i < NumSms; i++) begin : g_sm
    logic [KernelW-1:0] retire_idx;
    qsm_tb_resources #(
      .NumKernels(NumKernels), .NumSched(NumSched), .WarpsPerSched(WarpsPerSched), .MaxTbs(MaxTbs),
      .Granules(Granules), .TicketW(TicketW)
    ) u_resources (
      .clk_i, .rst_ni, .whole_i(whole), .rest_i(rest), .granules_i,
      .kernel_i(kernel), .fits_o(fits[i]), .tb_o(free_tb[i]), .first_o(first[i]),
      .free_granules_o(free_granules[i]),
      .take_i(started[i]), .take_base_i(dispatch_base_o), .take_granules_i(run),
      .take_ticket_i(dispatch_ticket_o),
      .retire_i(retire_i[i]), .retire_tb_i(retire_tb_i[i]), .retire_kernel_o(retire_kernel[i]),
      .retire_idx_o(retire_idx), .retire_ticket_o(retire_ticket[i]), .cnt_o(cnt_o[i]),
      .free_warps_o(free_warps[i]),
      .look_tb_i(look_tb), .look_first_o(look_first[i]), .look_base_o(look_base[i])
    );

    qsm_tb_ages #(.NumKernels(NumKernels), .MaxTbs(MaxTbs)) u_ages (
      .clk_i, .rst_ni, .add_i(started[i]), .add_tb_i(free_tb[i]), .add_kernel_i(kernel),
      .remove_i(retire_i[i]), .remove_tb_i(retire_tb_i[i]),
      .valid_o(age_valid[i]), .tb_o(age_tb[i]), .kernel_o(age_kernel[i])
    );

    qsm_tb_tickets #(
      .NumKernels(NumKernels), .MaxTbs(MaxTbs), .FirstTicket(NumImages + i), .Step(NumSms),
      .TicketW(TicketW)
    ) u_tickets (
      .clk_i, .rst_ni, .launch_i, .kernel_i(kernel), .ticket_o(ticket[i]), .take_i(started[i]),
      .push_i((retire_i[i] && !retire_saved_i[i]) || returned[i]),  // never both: R-PE-7
      .push_kernel_i(retire_i[i] ? retire_idx : returned_kernel),
      .push_ticket_i(retire_i[i] ? retire_ticket[i] : returned_ticket)
    );
  end

  // ---- preemption ----
  localparam logic [3:0] Examined = 4'd1;     // PREEMPT_STATUS: the host's request waits
  logic [NumSms-1:0][NumKernels-1:0] evict, evict_refused;
  logic [NumKernels-1:0][NumSms-1:0] closed;  // the SM's job keeps this kernel's blocks out
  logic decision, fresh, save_flush;
  logic [NumSms-1:0] save;
  logic [KernelW-1:0] save_kernel;
  logic [TbW-1:0] save_tb;
  logic [ImageW-1:0] save_image, image;
  logic [TicketW-1:0] spare;
  qsm_preempt #(
    .NumSms(NumSms), .NumKernels(NumKernels), .MaxTbs(MaxTbs), .NumImages(NumImages),
    .LineBytes(LineBytes), .TicketW(TicketW)
  ) u_preempt (
    .clk_i, .rst_ni,
    .host_i(preempt_i), .host_sm_i(preempt_sm_i), .host_kernel_i(preempt_kernel_i),
    .host_by_slot_i(preempt_by_slot_i), .host_tb_i(preempt_tb_i),
    .host_technique_i(preempt_technique_i),
    .code_o(preempt_code_o), .code_sm_o(preempt_sm_o), .code_tb_o(preempt_tb_o),
    .code_image_o(preempt_image_o),
    .job_kind_o, .job_kernel_o, .job_tb_o, .job_image_o, .result_o(job_result_o), .used_o(images_o),
    .queued_o,
    .evict_i(evict), .evict_technique_i(adjust_technique_i), .evict_refused_o(evict_refused),
    .save_base_i, .save_limit_i, .idempotent_i, .hold_i, .win_rw_i, .win_base_i, .win_limit_i,
    .warps_i, .shared_i,
    .killed_i(killed_o), .launch_i, .kill_i(kill_o), .ending_i(ending), .unfinished_o(unfinished),
    .age_valid_i(age_valid), .age_tb_i(age_tb), .age_kernel_i(age_kernel),
    .retire_i, .retire_tb_i, .retire_saved_i, .retire_ticket_i(retire_ticket), .restored_i,
    .saving_o,
    .resume_o(resume), .closed_o(closed), .kernel_i(kernel), .image_o(image), .fresh_o(fresh),
    .spare_o(spare),
    .restore_i(resume[kernel] ? started : '0), .restore_tb_i(free_tb[sm]),
    .restore_ticket_i(ticket[sm]),
    .return_o(returned), .return_kernel_o(returned_kernel), .return_ticket_o(returned_ticket),
    .decision_o(decision), .save_o(save), .save_kernel_o(save_kernel), .save_tb_o(save_tb),
    .save_image_o(save_image), .save_flush_o(save_flush)
  );

  // ---- run-time adjustment ----
  localparam logic [2:0] JobRestore = 3'd3;
  logic [NumSms-1:0] some_job, restoring;
  logic [Granules-1:0] fit_granules;
  logic [GranW:0] fit_len;
  logic granules_fit;
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      some_job[i] = job_kind_o[i] != '0;
      restoring[i] = job_kind_o[i] == JobRestore;
    end
  end
  qsm_tb_adjust #(
    .NumSms(NumSms), .NumKernels(NumKernels), .NumSched(NumSched), .WarpsPerSm(WarpsPerSm),
    .MaxTbs(MaxTbs), .Granules(Granules)
  ) u_adjust (
    .clk_i, .rst_ni, .adjust_i, .latecomers_i, .snapshot_i, .epoch_done_i, .busy_o(adjust_busy_o),
    .qos_i, .busy_i(busy_o), .killed_i(killed_o), .has_block_i(has_block), .out_i(out), .mask_i,
    .ratio_i,
    .warps_i, .whole_i(whole), .rest_i(rest), .granules_i,
    .idle_i, .cnt_i(cnt_o), .free_warps_i(free_warps), .free_granules_i(free_granules),
    .first_i(first),
    .age_valid_i(age_valid), .age_tb_i(age_tb), .age_kernel_i(age_kernel), .look_tb_o(look_tb),
    .look_first_i(look_first), .look_base_i(look_base),
    .fit_granules_o(fit_granules), .fit_len_o(fit_len), .fit_found_i(granules_fit), .fit_run_i(run),
    .alloc_busy_i(alloc_busy_o), .alloc_we_i(alloc_we), .target_i(target_o), .sm_o(adjust_sm),
    .raise_o(raise), .lower_o(lower),
    .raised_o(raised), .lowered_o(lowered), .realloc_o(realloc),
    .preempting_i((|some_job) || preempt_code_o == Examined), .restoring_i(restoring),
    .evict_refused_i(evict_refused), .evict_o(evict)
  );

  // ---- dispatch, R-TB-6, R-TB-9, R-TB-10, R-PE-4, R-PE-8 ----
  logic [NumKernels-1:0][NumSms-1:0] room;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned i = 0; i < NumSms; i++)
        room[k][i] = mask_i[k][i] && cnt_o[i][k] < target_o[i][k] && !closed[k][i];
    end
  end
  qsm_tb_dispatch #(.NumSms(NumSms), .NumKernels(NumKernels), .Granules(Granules)) u_dispatch (
    .clk_i, .rst_ni, .closed_i(alloc_busy_o || adjust_busy_o || decision), .ready_i(ready),
    .room_i(room), .granules_i,
    .kernel_o(kernel), .sm_o(sm), .fits_i(fits), .free_granules_i(free_granules),
    .dispatched_o(dispatched), .started_o(started), .base_o(dispatch_base_o), .run_o(run),
    .lent_i(adjust_busy_o), .lent_granules_i(fit_granules), .lent_len_i(fit_len),
    .found_o(granules_fit)
  );

  // ---- message: a save goes where there is no dispatch, R-PE-4 ----
  logic restores;
  logic [NumKernels-1:0] renews;  // the candidate, if its block is a new one
  assign restores = resume[kernel];
  always_comb begin
    dispatch_block_o = '0;
    dispatch_linear_o = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      renews[k] = kernel == KernelW'(k) && !resume[k];
      if (renews[k]) begin
        dispatch_block_o |= block[k];
        dispatch_linear_o |= linear[k];
      end
    end
  end
  assign dispatch_valid_o = started | save;
  assign dispatch_op_o = decision ? {1'b1, save_flush} : {1'b0, restores};
  assign dispatch_kernel_o = decision ? save_kernel : kernel;
  assign dispatch_tb_o = decision ? save_tb : free_tb[sm];
  assign dispatch_image_o = decision ? save_image : restores ? image : '0;
  assign dispatch_fresh_o = restores && fresh;
  assign dispatch_first_o = first[sm];
  assign dispatch_ticket_o = restores ? spare : ticket[sm];

  // ---- had_tb, R-TB-12 ----
  logic [NumKernels-1:0] has_tb, had_tb_q;
  always_comb begin
    has_tb = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned i = 0; i < NumSms; i++) if (cnt_o[i][k] != '0) has_tb[k] = 1'b1;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) had_tb_q <= '0;
    else had_tb_q <= has_tb | (snapshot_i ? '0 : had_tb_q);
  end
  assign had_tb_o = had_tb_q;
endmodule
