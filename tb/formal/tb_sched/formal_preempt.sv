// SPDX-License-Identifier: Apache-2.0
// qsm_preempt: every request that is accepted ends once, with the result of the page, a bounded
// time after its SM has answered; images are those of the saved blocks and of the jobs, none twice;
// no launch ends with anything saved or under way (R-PE-1 to -10). SMs are what the page lets them
// be: blocks of any kernel come and go, a job is answered by the block's retirement, saved or not,
// or by the restored message.
module formal_preempt
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumSms = 2,
  parameter int unsigned NumKernels = 2,
  parameter int unsigned MaxTbs = 2,
  parameter int unsigned NumImages = 2,
  parameter int unsigned Answer = 4,  // cycles from the message to what it brings
  parameter int unsigned Late = 16,   // cycles from the answer to the clean-up
  localparam int unsigned TicketW = 3,
  localparam int unsigned SubW = 1,
  localparam int unsigned GranW = 5,
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned ImageW = (NumImages > 1) ? $clog2(NumImages) : 1,
  localparam int unsigned ImagesW = $clog2(NumImages + 1)
) (
  input logic                                       clk_i,
  input logic                                       host_i,
  input logic [SmW-1:0]                             host_sm_i,
  input logic [KernelW-1:0]                         host_kernel_i,
  input logic                                       host_by_slot_i,
  input logic [TbW-1:0]                             host_tb_i,
  input technique_e                                 host_technique_i,
  input logic [NumSms-1:0][NumKernels-1:0]          evict_i,
  input technique_e                                 evict_technique_i,
  input logic [NumSms-1:0][NumKernels-1:0]          move_i,
  input technique_e                                 move_technique_i,
  input logic [NumKernels-1:0][19:0]                save_base_i,
  input logic [NumKernels-1:0][19:0]                save_limit_i,
  input logic [NumKernels-1:0]                      idempotent_i,
  input logic [NumKernels-1:0]                      hold_i,
  input logic [NumKernels-1:0][1:0]                 win_r_i,
  input logic [NumKernels-1:0][1:0]                 win_w_i,
  input logic [NumKernels-1:0][1:0][19:0]           win_base_i,
  input logic [NumKernels-1:0][1:0][19:0]           win_limit_i,
  input logic [NumKernels-1:0][6:0]                 warps_i,
  input logic [NumKernels-1:0][18:0]                shared_i,
  input logic [NumKernels-1:0]                      launch_i,
  input logic [NumKernels-1:0]                      kill_i,
  input logic [NumKernels-1:0]                      ending_i,
  input logic [NumKernels-1:0]                      ended_i,
  input logic [NumSms-1:0][MaxTbs-1:0][TbW-1:0]     age_tb_i,    // any order
  input logic [NumSms-1:0][MaxTbs-1:0]              age_valid_i,
  input logic [NumSms-1:0]                          retire_i,
  input logic [NumSms-1:0][TbW-1:0]                 retire_tb_i,
  input logic [NumSms-1:0]                          retire_saved_i,
  input logic [TicketW-1:0]                         retire_ticket_i,
  input logic [NumSms-1:0]                          restored_i,
  // a block is dispatched there, new or restored
  input logic [NumSms-1:0]                          started_i,
  input logic [KernelW-1:0]                         kernel_i,
  input logic [TbW-1:0]                             start_tb_i,
  input logic [TicketW-1:0]                         start_ticket_i
);
  localparam logic [1:0] Restore = 2'd3;  // beside the techniques

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // ---- Launches and resident blocks ----
  // running or ending; ending
  logic [NumKernels-1:0]                         busy_q, ends_q, killed_q;
  logic [NumSms-1:0][MaxTbs-1:0]                 valid_q;
  logic [NumSms-1:0][MaxTbs-1:0][KernelW-1:0]    kernel_q;
  logic [NumSms-1:0][MaxTbs-1:0][KernelW-1:0]    age_kernel;
  // in the three cycles before
  logic [NumSms-1:0][2:0]                        retired_q;
  always_comb for (int unsigned i = 0; i < NumSms; i++) for (int unsigned r = 0; r < MaxTbs;
  r++) age_kernel[i][r] = kernel_q[i][age_tb_i[i][r]];

  // ---- Types of the ports ----
  `include "qsm_tb_sched_types.svh"
  `include "qsm_preempt_types.svh"

  slot_regs_t [NumKernels-1:0] slot_regs;
  desc_t [NumKernels-1:0]      desc;
  preempt_req_t                host;
  preempt_status_t             status;
  job_t [NumSms-1:0]           shown;
  saved_t [NumKernels-1:0]     saved;
  from_sm_t [NumSms-1:0]       from_sm;
  always_comb begin
    host = '{valid: host_i, sm: host_sm_i, kernel: host_kernel_i, tb: host_tb_i,
        by_slot: host_by_slot_i, technique: host_technique_i};
    {slot_regs, desc, from_sm} = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      slot_regs[k].save_base = save_base_i[k];
      slot_regs[k].save_limit = save_limit_i[k];
      slot_regs[k].idempotent = idempotent_i[k];
      slot_regs[k].preempt_hold = hold_i[k];
      desc[k].warps = warps_i[k];
      desc[k].shared = shared_i[k];
      for (int unsigned w = 0; w < 2; w++) begin
        desc[k].win[w] = '{base: {win_base_i[k][w], 12'd0}, limit: {win_limit_i[k][w], 12'd0},
            w: win_w_i[k][w], r: win_r_i[k][w]};
      end
    end
    for (int unsigned i = 0; i < NumSms; i++) begin
      from_sm[i].retire = '{valid: retire_i[i], tb: retire_tb_i[i], saved: retire_saved_i[i]};
      from_sm[i].restored = restored_i[i];
    end
  end

  preempt_code_e                        code;
  logic [TbW-1:0]                       save_tb;
  logic [ImageW-1:0]                    image, save_image;
  logic [NumSms-1:0][2:0]               job_kind, result;
  logic [NumSms-1:0][KernelW-1:0]       job_kernel;
  logic [NumSms-1:0][TbW-1:0]           job_tb;
  logic [NumSms-1:0][ImageW-1:0]        job_image;
  logic [NumKernels-1:0][NumImages-1:0] used;
  logic [NumKernels-1:0][ImagesW-1:0]   queued;
  logic [NumSms-1:0][NumKernels-1:0]    refused, saving;
  logic [NumKernels-1:0]                unfinished, resume;
  logic [NumKernels-1:0][NumSms-1:0]    closed;
  logic                                 fresh, decision, save_flush;
  logic [NumSms-1:0]                    returns, save, restores;
  logic [KernelW-1:0]                   return_kernel, save_kernel;
  ages_t                                ages;
  launches_t                            launches;
  evict_t                               evict, move;
  next_t                                next;
  restore_t                             restore;
  return_t                              returned;
  save_t                                save_msg;
  assign restores = resume[kernel_i] ? started_i : '0;
  assign ages = '{valid: age_valid_i, tb: age_tb_i, kernel: age_kernel};
  assign launches = '{killed: killed_q, launch: launch_i, kill: kill_i};
  assign evict = '{blocks: evict_i, technique: evict_technique_i};
  assign move = '{blocks: move_i, technique: move_technique_i};
  assign restore = '{sms: restores, tb: start_tb_i, ticket: start_ticket_i};
  assign {image, fresh} = {next.image, next.fresh};
  assign {returns, return_kernel} = {returned.sms, returned.kernel};
  assign {decision, save, save_flush} = {save_msg.decision, save_msg.sms, save_msg.flush};
  assign {save_kernel, save_tb, save_image} = {save_msg.kernel, save_msg.tb, save_msg.image};
  assign code = status.code;
  assign used = u_dut.used;
  assign queued = u_dut.queued;
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      job_kind[i] = shown[i].kind;
      job_kernel[i] = shown[i].kernel;
      job_tb[i] = shown[i].tb;
      job_image[i] = ImageW'(shown[i].image);
      result[i] = shown[i].result;
    end
  end
  logic [NumKernels-1:0] counted;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++)
      counted[k] = 32'(saved[k].images) == $countones(used[k]) && saved[k].queued == 5'(queued[k]);
  end
  qsm_preempt #(.NumSms(NumSms), .NumKernels(NumKernels), .MaxTbs(MaxTbs), .NumImages(NumImages),
      .LineBytes(16), .TicketW(TicketW), .slot_regs_t(slot_regs_t), .desc_t(desc_t),
      .preempt_req_t(preempt_req_t), .preempt_status_t(preempt_status_t), .job_t(job_t),
      .saved_t(saved_t), .from_sm_t(from_sm_t), .evict_t(evict_t), .launches_t(launches_t),
      .ages_t(ages_t), .next_t(next_t), .restore_t(restore_t), .return_t(return_t),
      .save_t(save_t)) u_dut (
    .clk_i, .rst_ni, .host_i(host), .status_o(status), .job_o(shown), .saved_o(saved),
    .evict_i(evict), .evict_refused_o(refused), .move_i(move), .move_refused_o(),
    .slot_regs_i(slot_regs), .desc_i(desc),
    .launches_i(launches), .ending_i, .unfinished_o(unfinished), .ages_i(ages),
    .from_sm_i(from_sm), .retire_ticket_i, .saving_o(saving),
    .resume_o(resume), .closed_o(closed), .kernel_i, .next_o(next), .restore_i(restore),
    .return_o(returned), .save_o(save_msg)
  );

  // ---- Jobs by the page: what is asked of the SM, what it has answered ----
  typedef enum logic [1:0] { Waits, IsSaved, IsOver } answer_e;
  typedef struct packed {
    logic [1:0] what;  // technique, or Restore
    logic [KernelW-1:0] kernel;
    logic [TbW-1:0] tb;
    logic [ImageW-1:0] image;
    logic host;
    answer_e answer;
  } asked_t;
  typedef enum logic [2:0] { Free, Written, Saved, Restored, Dropped } place_e;
  logic   [NumSms-1:0]                    job_q;
  asked_t   [NumSms-1:0]                    jobs_q, jobs_d;
  logic   [NumSms-1:0][2:0]               result_q;
  logic   [NumSms-1:0][2:0]               waited_q;
  logic   [NumSms-1:0][4:0]               late_q;
  logic   [NumSms-1:0][TicketW-1:0]       ticket_q;  // of a block that was saved
  place_e [NumKernels-1:0][NumImages-1:0] place_q, place_d;

  logic [NumSms-1:0] accepts, answered, over, cleaned;  // over: only clean-up is left
  always_comb begin
    accepts = '0;
    if (u_dut.accept) accepts[u_dut.check_sm] = 1'b1;
    cleaned = '0;
    for (int unsigned i = NumSms; i > 0; i--) begin
      answered[i-1] = job_q[i-1] && jobs_q[i-1].answer == Waits
                      && (jobs_q[i-1].what == Restore ? restored_i[i-1] : retire_i[i-1] &&
                          retire_tb_i[i-1] == jobs_q[i-1].tb);
      over[i-1] = job_q[i-1] && jobs_q[i-1].answer != Waits;
      if (over[i-1] && !retire_i[i-1]) cleaned = NumSms'(1) << (i - 1);
    end
    if (restores != '0) cleaned = '0;

    place_d = place_q;
    jobs_d = jobs_q;
    for (int unsigned i = 0; i < NumSms; i++) begin
      if (accepts[i]) begin
        jobs_d[i] = '{what: u_dut.technique, kernel: save_kernel, tb: save_tb, image: save_image,
            host: u_dut.for_host, answer: Waits};
        if (u_dut.technique != TechniqueDrain) place_d[save_kernel][save_image] = Written;
      end
      if (restores[i]) begin
        jobs_d[i] = '{what: Restore, kernel: kernel_i, tb: start_tb_i, image: image, host: 1'b0,
            answer: Waits};
        place_d[kernel_i][image] = Restored;
      end
      if (answered[i])
        jobs_d[i].answer = (jobs_q[i].what != Restore && retire_saved_i[i]) ? IsSaved : IsOver;
      if (cleaned[i])
        place_d[jobs_q[i].kernel][jobs_q[i].image] = (jobs_q[i].answer == IsSaved &&
            !killed_q[jobs_q[i].kernel]) ? Saved : Free;
    end
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned v = 0; v < NumImages; v++) begin
        if (kill_i[k] && place_d[k][v] == Saved) place_d[k][v] = Dropped;
        if (ending_i[k]) place_d[k][v] = Free;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {busy_q, ends_q, killed_q, valid_q, retired_q, job_q, result_q, waited_q, late_q,
          place_q} <= '0;
    end else begin
      place_q <= place_d;
      jobs_q <= jobs_d;
      busy_q <= (busy_q | launch_i) & ~ended_i;
      ends_q <= (ends_q | ending_i) & ~ended_i;
      killed_q <= (killed_q | kill_i) & ~launch_i;
      for (int unsigned i = 0; i < NumSms; i++) begin
        retired_q[i] <= {retired_q[i][1:0], retire_i[i]};
        if (retire_i[i]) valid_q[i][retire_tb_i[i]] <= 1'b0;
        if (started_i[i]) begin
          valid_q[i][start_tb_i] <= 1'b1;
          kernel_q[i][start_tb_i] <= kernel_i;
        end
        job_q[i] <= (job_q[i] || accepts[i] || restores[i]) && !cleaned[i] &&
            !(answered[i] && jobs_q[i].what == TechniqueDrain);
        waited_q[i] <= (accepts[i] || restores[i]) ? '0 : waited_q[i] + 1'b1;
        if (answered[i]) ticket_q[i] <= retire_ticket_i;
        late_q[i] <= over[i] ? late_q[i] + 1'b1 : '0;
        if (accepts[i] && jobs_d[i].host) result_q[i] <= ResultRunning;
        if (job_q[i] && jobs_q[i].host) begin
          logic dead;
          dead = killed_q[jobs_q[i].kernel];
          if (answered[i] && jobs_q[i].what == TechniqueDrain)
            result_q[i] <= dead ? ResultKilled : ResultDone;
          else if (answered[i] && !retire_saved_i[i])
            result_q[i] <= dead ? ResultKilled : ResultEndedBefore;
          else if (cleaned[i] && jobs_q[i].answer == IsSaved)
            result_q[i] <= dead ? ResultKilled : ResultDone;
        end
      end
    end
  end

  // ---- What must hold of it ----
  logic [NumSms-1:0]                    sm_ok, ages_ok, told, in_use, timely, host_runs;
  logic [NumKernels-1:0]                queue_ok, free_ok, kernel_ok, some_job, some_used, out;
  logic [NumSms-1:0][NumKernels-1:0]    saves_here;
  logic [NumKernels-1:0][NumSms-1:0]    keeps_out;
  logic [NumKernels-1:0][NumImages-1:0] taken;
  logic                                 apart;
  always_comb begin
    {some_job, out, taken, saves_here} = '0;
    apart = 1'b1;
    for (int unsigned i = 0; i < NumSms; i++) begin
      logic [MaxTbs-1:0] listed;
      logic              saves, restoring;
      listed = '0;
      ages_ok[i] = 1'b1;
      for (int unsigned r = 0; r < MaxTbs; r++) begin
        if (age_valid_i[i][r] && listed[age_tb_i[i][r]]) ages_ok[i] = 1'b0;
        if (age_valid_i[i][r]) listed[age_tb_i[i][r]] = 1'b1;
        if (valid_q[i][r]) out[kernel_q[i][r]] = 1'b1;
      end
      if (listed != valid_q[i]) ages_ok[i] = 1'b0;
      saves = job_q[i] && jobs_q[i].answer == Waits && jobs_q[i].what inside {2'd0, TechniqueFlush};
      restoring = job_q[i] && jobs_q[i].answer == Waits && jobs_q[i].what == Restore;
      sm_ok[i] = (!retire_i[i] || valid_q[i][retire_tb_i[i]]) &&
          (!retire_saved_i[i] || (retire_i[i] && saves && retire_tb_i[i] == jobs_q[i].tb))
                 && !(retire_i[i] && restoring && retire_tb_i[i] == jobs_q[i].tb) &&
                     (!restored_i[i] || restoring)
                 && !(retire_i[i] && $countones(retired_q[i]) >= 2) &&
                     (!started_i[i] || (!valid_q[i][start_tb_i] && !closed[kernel_i][i]));
      told[i] = 32'(waited_q[i]) < Answer || !job_q[i] || jobs_q[i].answer != Waits || answered[i];
      timely[i] = !over[i] || 32'(late_q[i]) <= Late;
      host_runs[i] = (result_q[i] == ResultRunning) ==
          (job_q[i] && jobs_q[i].host && !(jobs_q[i].answer == IsOver));
      in_use[i] = !job_q[i] || (busy_q[jobs_q[i].kernel] && !ends_q[jobs_q[i].kernel]
                  && (jobs_q[i].answer != Waits ||
                      (valid_q[i][jobs_q[i].tb] && kernel_q[i][jobs_q[i].tb] == jobs_q[i].kernel)));
      if (job_q[i]) begin
        some_job[jobs_q[i].kernel] = 1'b1;
        if (saves) saves_here[i][jobs_q[i].kernel] = 1'b1;
        if (jobs_q[i].what != TechniqueDrain) begin
          if (taken[jobs_q[i].kernel][jobs_q[i].image]) apart = 1'b0;
          taken[jobs_q[i].kernel][jobs_q[i].image] = 1'b1;
          if (place_q[jobs_q[i].kernel][jobs_q[i].image] != (jobs_q[i].what == Restore ? Restored
              : Written)) apart = 1'b0;
        end else if (jobs_q[i].answer != Waits) apart = 1'b0;
        if (jobs_q[i].answer == IsSaved &&
            !(jobs_q[i].what inside {TechniqueSwitch, TechniqueFlush})) apart = 1'b0;
      end
    end
    for (int unsigned k = 0; k < NumKernels; k++) begin
      logic [ImagesW-1:0] n_saved;
      n_saved = '0;
      queue_ok[k] = 32'(queued[k]) <= NumImages && 32'(u_dut.u_images.head_q[k]) < NumImages;
      free_ok[k] = 1'b1;
      some_used[k] = 1'b0;
      for (int unsigned v = 0; v < NumImages; v++) begin
        logic in_line;
        in_line = 1'b0;
        for (int unsigned n = 0; n < NumImages; n++) begin
          if (n < 32'(queued[k]) && 32'(u_dut.u_images.queue_mem[k << ImageW |
              (32'(u_dut.u_images.head_q[k]) + n) % NumImages].image) == v) begin
            if (in_line) queue_ok[k] = 1'b0;
            in_line = 1'b1;
          end
        end
        n_saved += ImagesW'(place_q[k][v] == Saved);
        some_used[k] |= place_q[k][v] != Free;
        if (in_line != (place_q[k][v] == Saved)) queue_ok[k] = 1'b0;
        if (used[k][v] != (place_q[k][v] != Free) ||
            taken[k][v] != (place_q[k][v] inside {Written, Restored})) free_ok[k] = 1'b0;
        if (place_q[k][v] == Dropped && !killed_q[k]) free_ok[k] = 1'b0;
      end
      if (queued[k] != n_saved) queue_ok[k] = 1'b0;
      if ((killed_q[k] && queued[k] != '0) ||
          ((!busy_q[k] || ends_q[k]) && (some_used[k] || some_job[k] || out[k]))
          || (ends_q[k] && !busy_q[k])) free_ok[k] = 1'b0;
      kernel_ok[k] = !(launch_i[k] && busy_q[k]) &&
          !(kill_i[k] && !(busy_q[k] && !killed_q[k] && !ends_q[k])) && !(ended_i[k] && !ends_q[k])
                     && !(ending_i[k] && !(busy_q[k] && !ends_q[k] && !out[k] && !unfinished[k] &&
                         !kill_i[k]));
      for (int unsigned i = 0; i < NumSms; i++) begin
        keeps_out[k][i] = (queued[k] != '0 && !hold_i[k]) ? job_q[i]
                          : job_q[i] && 32'(jobs_q[i].kernel) == k &&
                              (jobs_q[i].what == TechniqueDrain || jobs_q[i].answer == IsSaved);
      end
    end
  end

  // The kind the page gives such a job.
  function automatic logic [2:0] kind_of(logic valid, asked_t job);
    if (!valid) return JobNone;
    if (job.answer == IsSaved) return JobSaved;
    if (job.answer == IsOver) return JobFreed;
    return (job.what == Restore) ? JobRestore :
        (job.what == TechniqueDrain) ? JobDrain : JobSave;
  endfunction
  logic [NumSms-1:0] kinds;
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      kinds[i] = job_kind[i] == kind_of(job_q[i], jobs_q[i])
                 && (!job_q[i] || (job_kernel[i] == jobs_q[i].kernel && job_tb[i] == jobs_q[i].tb &&
                     u_dut.job_q[i].host == jobs_q[i].host
                     && (jobs_q[i].what == TechniqueDrain || job_image[i] == jobs_q[i].image)
                     && (jobs_q[i].answer != IsSaved || u_dut.job_q[i].ticket == ticket_q[i])));
    end
  end

  logic [NumSms-1:0]     joins;    // clean-up puts its block into the queue
  logic                  whose;    // its kernel, its ticket
  logic [NumKernels-1:0] resumes;
  always_comb for (int unsigned k = 0; k < NumKernels; k++) resumes[k] = queued[k] != '0 &&
      !hold_i[k];
  always_comb begin
    whose = 1'b1;
    for (int unsigned i = 0; i < NumSms; i++) begin
      joins[i] = cleaned[i] && jobs_q[i].answer == IsSaved && !killed_q[jobs_q[i].kernel];
      if (joins[i] && (return_kernel != jobs_q[i].kernel ||
          u_dut.u_images.done_ticket_i != ticket_q[i])) whose = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (32'(kernel_i) < NumKernels && $onehot0(started_i) && !(decision && started_i != '0));
      assume (started_i == '0 || (busy_q[kernel_i] && !killed_q[kernel_i] && !ends_q[kernel_i] &&
          !ending_i[kernel_i]));
      assume (&sm_ok && &ages_ok && &kernel_ok && &told);
      assume (!host_i || code != 4'd1);
      assume (host_technique_i <= TechniqueFlush && evict_technique_i <= TechniqueFlush &&
          move_technique_i <= TechniqueFlush);
      as_the_page: assert (&kinds && result == result_q);
      runs_while_asked: assert (&host_runs);
      slot_in_use: assert (&in_use);
      in_time: assert (&timely);
      images_apart: assert (apart);
      used_is_taken: assert (&free_ok);
      queue_is_saved: assert (&queue_ok && &counted);
      kept_from_end: assert (unfinished == (some_job | (some_used & ~killed_q)));
      if (ending_i != '0)
        nothing_left: assert ((ending_i & (some_job | (some_used & ~killed_q))) == '0);
      kept_out: assert (closed == keeps_out && resume == resumes && saving == saves_here);
      if (joins != '0) ticket_kept: assert (whose);
      message: assert (save == (u_dut.technique != TechniqueDrain ? accepts : '0)
                       && $onehot0(accepts)
                       && !(accepts != '0 && started_i != '0) && (accepts & job_q) == '0);
      if (accepts != '0)
        of_a_block: assert (busy_q[save_kernel] && !killed_q[save_kernel] &&
            valid_q[u_dut.check_sm][save_tb]
                                             && kernel_q[u_dut.check_sm][save_tb] == save_kernel);
      if (save != '0)
        into_a_free_image: assert (place_q[save_kernel][save_image] == Free &&
            save_flush == (u_dut.technique == TechniqueFlush));
      if (restores != '0) out_of_a_saved_one: assert (place_q[kernel_i][image] == Saved);
      ticket_returns: assert (returns == joins);
      // For the induction: what the check keeps.
      looked: assert (u_dut.u_check.state_q != 2'd3 &&
          u_dut.u_check.req_q.technique <= TechniqueFlush &&
          u_dut.u_check.host_q.technique <= TechniqueFlush
                      && (u_dut.u_check.state_q != 2'd2 ||
                          !used[u_dut.u_check.req_q.kernel][u_dut.u_check.image_q]));
      both_saved: cover (32'(queued[0]) == NumImages && result_q[0] == ResultDone &&
          result_q[1] == ResultDone);
      flushed_back: cover (restores[0] && fresh && job_q[1] && jobs_q[1].what == Restore);
      by_itself: cover (result_q[0] == ResultEndedBefore && result_q[1] == ResultKilled &&
          used == '0);
      dropped: cover (ending_i[1] && place_q[1][0] == Dropped);
      drained: cover (result_q[1] == ResultDone && used == '0 && u_dut.technique == TechniqueDrain);
      waits_for_it: cover (|late_q[1] && restores[0]);
    end
  end
endmodule
