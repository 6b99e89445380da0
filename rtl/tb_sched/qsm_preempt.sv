// SPDX-License-Identifier: Apache-2.0
// Preemption engine, GPU level: requests (qsm_preempt_check), one job per SM, images of saved
// blocks (qsm_tb_images), their resumption.
// Contract: docs/preemption.md R-PE-1 to R-PE-11. Registers at the start of the cycle decide;
// everything shows from the next cycle on.
// Observed by the lockstep monitor: u_check (PREEMPT); state:
// kind_q, job_q, result_q; u_images.used_q, .queued_q, .head_q, .queue_mem, .spare_mem where
// .changed_q (else the image's number).
module qsm_preempt
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumSms = 4,      // 1..96
  parameter int unsigned NumKernels = 4,  // 1..8
  parameter int unsigned MaxTbs = 8,      // 1..32
  parameter int unsigned NumImages = 8,   // 1..16
  parameter int unsigned LineBytes = 16,  // power of two, 8..128
  parameter int unsigned TicketW = 6,
  // Types of the ports, as in qsm_tb_sched.
  parameter type slot_regs_t = logic,
  parameter type desc_t = logic,
  parameter type preempt_req_t = logic,
  parameter type preempt_status_t = logic,
  parameter type job_t = logic,
  parameter type saved_t = logic,
  parameter type from_sm_t = logic,
  // Types between the two, from qsm_preempt_types.svh.
  parameter type evict_t = logic,
  parameter type launches_t = logic,
  parameter type ages_t = logic,
  parameter type next_t = logic,
  parameter type restore_t = logic,
  parameter type return_t = logic,
  parameter type save_t = logic,
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned ImageW = (NumImages > 1) ? $clog2(NumImages) : 1,
  localparam int unsigned ImagesW = $clog2(NumImages + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Host: a request in the cycle of its write, the last decision of one (PREEMPT_STATUS), the job
  // of each SM (SMSEL_JOB), the images of each kernel (SAVED).
  input  preempt_req_t            host_i,
  output preempt_status_t         status_o,
  output job_t [NumSms-1:0]       job_o,
  output saved_t [NumKernels-1:0] saved_o,
  // TB adjuster.
  input  evict_t                            evict_i,
  output logic [NumSms-1:0][NumKernels-1:0] evict_refused_o,  // pulse
  // Moves of SMs.
  input  evict_t                            move_i,
  output logic [NumSms-1:0][NumKernels-1:0] move_refused_o,   // pulse

  // Launches, and whether one must not end yet.
  input  slot_regs_t [NumKernels-1:0] slot_regs_i,
  input  desc_t [NumKernels-1:0]      desc_i,
  input  launches_t                   launches_i,
  input  logic [NumKernels-1:0]       ending_i,
  output logic [NumKernels-1:0]       unfinished_o,
  // SMs: resident TBs; messages, with the ticket of a TB that retires
  input  ages_t                             ages_i,
  input  from_sm_t [NumSms-1:0]             from_sm_i,
  input  logic [TicketW-1:0]                retire_ticket_i,
  // a TB of this kernel is being saved here
  output logic [NumSms-1:0][NumKernels-1:0] saving_o,

  // Dispatch, R-PE-8.
  output logic [NumKernels-1:0]             resume_o,  // rs: a saved block is next
  // the job there keeps this kernel's blocks out
  output logic [NumKernels-1:0][NumSms-1:0] closed_o,
  input  logic [KernelW-1:0]                kernel_i,  // whose block has a place
  output next_t                             next_o,    // its next saved block,
  input  restore_t                          restore_i, // which is dispatched

  // Tickets that come back by clean-up, R-PE-7; from no SM whose TB retires in this cycle.
  output return_t return_o,
  // Save or flush message; in a cycle with a decision nothing is dispatched.
  output save_t   save_o
);
  typedef struct packed {
    logic [KernelW-1:0] kernel;
    logic [TbW-1:0] tb;
    logic [ImageW-1:0] image;
    logic fresh;
    logic host;
    logic [TicketW-1:0] ticket;
  } own_job_t;

  job_kind_e [NumSms-1:0] kind_q;
  own_job_t [NumSms-1:0] job_q;
  job_result_e [NumSms-1:0] result_q;

  // ---- registers and messages, as the parts want them ----
  logic [NumKernels-1:0]            hold, idempotent;
  logic [NumKernels-1:0][1:0]       win_rw;      // both rights
  logic [NumKernels-1:0][1:0][19:0] win_base, win_limit;
  logic [NumKernels-1:0][19:0]      save_base, save_limit;
  logic [NumKernels-1:0][6:0]       warps;
  logic [NumKernels-1:0][18:0]      shared;
  logic [NumSms-1:0]                retire, retire_saved, restored;
  logic [NumSms-1:0][TbW-1:0]       retire_tb;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      hold[k] = slot_regs_i[k].preempt_hold;
      idempotent[k] = slot_regs_i[k].idempotent;
      save_base[k] = slot_regs_i[k].save_base;
      save_limit[k] = slot_regs_i[k].save_limit;
      warps[k] = desc_i[k].warps;
      shared[k] = desc_i[k].shared;
      for (int unsigned w = 0; w < 2; w++) begin
        win_rw[k][w] = desc_i[k].win[w].r && desc_i[k].win[w].w;
        win_base[k][w] = desc_i[k].win[w].base[31:12];
        win_limit[k][w] = desc_i[k].win[w].limit[31:12];
      end
    end
    for (int unsigned i = 0; i < NumSms; i++) begin
      retire[i] = from_sm_i[i].retire.valid;
      retire_tb[i] = from_sm_i[i].retire.tb;
      retire_saved[i] = from_sm_i[i].retire.saved;
      restored[i] = from_sm_i[i].restored;
    end
  end

  // ---- requests ----
  logic [NumSms-1:0] some_job;
  logic accept, for_host, claim;
  logic [SmW-1:0] check_sm;
  technique_e technique;
  logic [ImageW-1:0] code_image;
  logic [NumKernels-1:0][NumImages-1:0] used;
  logic [NumKernels-1:0][ImagesW-1:0] queued;
  always_comb for (int unsigned i = 0; i < NumSms; i++) some_job[i] = kind_q[i] != JobNone;

  qsm_preempt_check #(
    .NumSms(NumSms), .NumKernels(NumKernels), .MaxTbs(MaxTbs), .NumImages(NumImages),
    .LineBytes(LineBytes)
  ) u_check (
    .clk_i, .rst_ni,
    .host_i(host_i.valid), .host_sm_i(host_i.sm), .host_kernel_i(host_i.kernel),
    .host_by_slot_i(host_i.by_slot), .host_tb_i(host_i.tb), .host_technique_i(host_i.technique),
    .code_o(status_o.code), .code_sm_o(status_o.sm), .code_tb_o(status_o.tb),
    .code_image_o(code_image),
    .evict_i(evict_i.blocks), .evict_technique_i(evict_i.technique), .evict_refused_o,
    .move_i(move_i.blocks), .move_technique_i(move_i.technique), .move_refused_o,
    .killed_i(launches_i.killed),
    .save_base_i(save_base), .save_limit_i(save_limit), .idempotent_i(idempotent),
    .win_rw_i(win_rw), .win_base_i(win_base), .win_limit_i(win_limit),
    .warps_i(warps), .shared_i(shared),
    .age_valid_i(ages_i.valid), .age_tb_i(ages_i.tb), .age_kernel_i(ages_i.kernel),
    .retire_i(retire), .retire_tb_i(retire_tb),
    .job_i(some_job), .used_i(used),
    .decision_o(save_o.decision), .accept_o(accept), .for_host_o(for_host),
    .sm_o(check_sm), .kernel_o(save_o.kernel), .tb_o(save_o.tb), .technique_o(technique),
    .image_o(save_o.image)
  );
  assign status_o.image = 4'(code_image);
  assign claim = accept && technique != TechniqueDrain;
  assign save_o.sms = claim ? NumSms'(1) << check_sm : '0;
  assign save_o.flush = technique == TechniqueFlush;

  // ---- clean-up, R-PE-7 ----
  logic [NumSms-1:0] over, cleaned;
  logic [SmW-1:0] clean_sm;
  logic [KernelW-1:0] done_kernel;
  logic keeps;  // the block of this job waits in its image from now on
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++)
      over[i] = kind_q[i] inside {JobSaved, JobFreed} && !retire[i];
    clean_sm = '0;
    for (int i = NumSms - 1; i >= 0; i--) if (over[i]) clean_sm = SmW'(i);
    cleaned = (restore_i.sms == '0) ? over & (~over + NumSms'(1)) : '0;
  end
  assign done_kernel = job_q[clean_sm].kernel;
  assign keeps = kind_q[clean_sm] == JobSaved && !launches_i.killed[done_kernel];
  assign return_o.sms = keeps ? cleaned : '0;
  assign return_o.kernel = done_kernel;

  qsm_tb_images #(
    .NumKernels(NumKernels), .NumImages(NumImages), .TicketW(TicketW)
  ) u_images (
    .clk_i, .rst_ni, .launch_i(launches_i.launch), .kill_i(launches_i.kill), .ending_i,
    .used_o(used), .queued_o(queued),
    .claim_i(claim), .claim_kernel_i(save_o.kernel), .claim_image_i(save_o.image),
    .free_i((|cleaned) && !keeps), .saved_i((|cleaned) && keeps), .done_kernel_i(done_kernel),
    .done_image_i(job_q[clean_sm].image),
    .done_fresh_i(job_q[clean_sm].fresh), .done_ticket_i(job_q[clean_sm].ticket),
    .done_spare_o(return_o.ticket),
    .kernel_i, .image_o(next_o.image), .fresh_o(next_o.fresh), .spare_o(next_o.spare),
    .resume_i(|restore_i.sms), .resume_ticket_i(restore_i.ticket)
  );

  // ---- jobs ----
  for (genvar i = 0; i < NumSms; i++) begin : g_job
    logic accepted, ends;  // ends: the job's TB retires
    assign accepted = accept && check_sm == SmW'(i);
    assign ends = retire[i] && retire_tb[i] == job_q[i].tb;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        kind_q[i] <= JobNone;
        job_q[i] <= '0;
        result_q[i] <= ResultNone;
      end else begin
        case (kind_q[i])
          JobSave: if (ends) begin
            kind_q[i] <= retire_saved[i] ? JobSaved : JobFreed;
            if (retire_saved[i]) job_q[i].ticket <= retire_ticket_i;
            else if (job_q[i].host)
              result_q[i] <= launches_i.killed[job_q[i].kernel] ? ResultKilled : ResultEndedBefore;
          end
          JobDrain: if (ends) begin
            kind_q[i] <= JobNone;
            if (job_q[i].host)
              result_q[i] <= launches_i.killed[job_q[i].kernel] ? ResultKilled : ResultDone;
          end
          JobRestore: if (restored[i]) kind_q[i] <= JobFreed;
          JobSaved, JobFreed: if (cleaned[i]) begin
            kind_q[i] <= JobNone;
            if (kind_q[i] == JobSaved && job_q[i].host)
              result_q[i] <= keeps ? ResultDone : ResultKilled;
          end
          default: begin
            if (accepted) begin
              kind_q[i] <= (technique == TechniqueDrain) ? JobDrain : JobSave;
              job_q[i].kernel <= save_o.kernel;
              job_q[i].tb <= save_o.tb;
              job_q[i].image <= save_o.image;
              job_q[i].fresh <= technique == TechniqueFlush;
              job_q[i].host <= for_host;
              if (for_host) result_q[i] <= ResultRunning;
            end
            if (restore_i.sms[i]) begin
              kind_q[i] <= JobRestore;
              job_q[i].kernel <= kernel_i;
              job_q[i].tb <= restore_i.tb;
              job_q[i].image <= next_o.image;
              job_q[i].fresh <= next_o.fresh;
              job_q[i].host <= 1'b0;
            end
          end
        endcase
      end
    end

    assign job_o[i] = '{kind: kind_q[i], kernel: job_q[i].kernel, tb: job_q[i].tb,
        image: 4'(job_q[i].image), result: result_q[i]};

`ifndef SYNTHESIS
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        !((accepted || restore_i.sms[i]) && kind_q[i] != JobNone));
    // R-PE-4
    assert property (@(posedge clk_i) disable iff (!rst_ni) !(accepted && restore_i.sms != '0));
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        !(retire[i] && retire_saved[i]) || (ends && kind_q[i] == JobSave));
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        !(restored[i] && kind_q[i] != JobRestore));
`endif
  end

  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++)
      saved_o[k] = '{images: 5'($countones(used[k])), queued: 5'(queued[k])};
  end

  // ---- effects of jobs on dispatch and end, R-PE-8, R-PE-10 ----
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      resume_o[k] = queued[k] != '0 && !hold[k];
      unfinished_o[k] = !launches_i.killed[k] && used[k] != '0;
      for (int unsigned i = 0; i < NumSms; i++) begin
        if (some_job[i] && job_q[i].kernel == KernelW'(k)) unfinished_o[k] = 1'b1;
        closed_o[k][i] = resume_o[k] ? some_job[i] : kind_q[i] inside {JobSaved, JobDrain} &&
            job_q[i].kernel == KernelW'(k);
        saving_o[i][k] = kind_q[i] == JobSave && job_q[i].kernel == KernelW'(k);
      end
    end
  end
endmodule
