// SPDX-License-Identifier: Apache-2.0
// Monitors of the lockstep, of the GPU level; as qsm_sm_monitors.sv.
module qsm_gpu_monitor
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,
  input logic [NumSms-1:0] dispatch_valid,
  input dispatch_t dispatch,
  input logic [NumKernels-1:0] ending,
  input logic [NumKernels-1:0] busy,
  input logic [NumKernels-1:0] killed,
  input logic [NumKernels-1:0] yielded,
  input logic [NumKernels-1:0][2:0][15:0] walk_block,
  input logic [NumKernels-1:0][31:0] walk_linear,
  input logic [NumKernels-1:0][31:0] launches,
  input logic [NumSms-1:0] target_we,
  input logic [NumKernels-1:0][5:0] target,
  input logic [NumSms-1:0][NumKernels-1:0][5:0] targets,
  input logic epoch_done,
  input logic [NumKernels-1:0][30:0] epoch_quota,
  input logic [NumKernels-1:0][21:0] alpha,
  input logic [NumKernels-1:0][30:0] epoch_insn,
  input logic [NumKernels-1:0][47:0] insn,
  input logic [NumKernels-1:0][47:0] hcyc,
  input logic [NumKernels-1:0][21:0] ratio
);
  // Gathered only when there is something to report.
  function automatic bit [2047:0] target_words(input int sm);
    target_words = 2048'(sm);
    for (int k = 0; k < NumKernels; k++) target_words[32*(k+1)+:32] = 32'(target[k]);
  endfunction
  function automatic bit [2047:0] epoch_words();
    epoch_words = '0;
    for (int k = 0; k < NumKernels; k++) begin
      epoch_words[32*8*k+:32*8] = {32'(ratio[k]), 32'(hcyc[k][47:32]), hcyc[k][31:0],
          32'(insn[k][47:32]), insn[k][31:0], 32'(epoch_insn[k]), 32'(alpha[k]),
                                   32'(epoch_quota[k])};
    end
  endfunction

  always @(posedge clk_i) if (rst_ni) begin
    for (int i = 0; i < NumSms; i++) begin
      if (dispatch_valid[i] && dispatch.op inside {OpNew, OpRestore}) begin
        qsm_dpi_event(EvDispatch, 0, 0, 0, 7,
            256'({32'(dispatch.ticket), 32'(dispatch.image), 32'(dispatch.op), dispatch.linear,
                                                    32'(dispatch.kernel), 32'(dispatch.tb),
                                                        32'(i)}));
      end
    end
    for (int i = 0; i < NumSms; i++)
      if (target_we[i])
        qsm_dpi_event_wide(EvTargets, 0, 0, 0, 1 + NumKernels, target_words(i));
    if (ending != '0) qsm_dpi_event(EvEnd, 0, 0, 0, 2, 256'({32'(ending & killed), 32'(ending)}));
    if (epoch_done) qsm_dpi_event_wide(EvEpoch, 0, 0, 0, 8 * NumKernels, epoch_words());
  end

  always @(posedge clk_i) if (rst_ni && dump) begin
    for (int k = 0; k < NumKernels; k++) begin
      qsm_dpi_state(StSlot, 0, 0, k, 0, int'(busy[k]));
      qsm_dpi_state(StSlot, 0, 0, k, 1, int'(killed[k]));
      qsm_dpi_state(StSlot, 0, 0, k, 2, int'(walk_linear[k]));
      qsm_dpi_state(StSlot, 0, 0, k, 4, int'(launches[k]));
      qsm_dpi_state(StSlot, 0, 0, k, 5, int'({u_tb_sched.u_alloc.used_q[k],
          u_tb_sched.u_alloc.active_q[k],
                                              u_tb_sched.u_adjust.u_late.late_q[k],
                                                  u_tb_sched.u_adjust.u_late.wait_q[k]}));
      qsm_dpi_state(StSlot, 0, 0, k, 7, int'(walk_block[k][1:0]));
      qsm_dpi_state(StSlot, 0, 0, k, 8, int'(walk_block[k][2]));
      for (int i = 0; i < NumSms; i++) qsm_dpi_state(StTarget, i, 0, k, 0, int'(targets[i][k]));
    end
  end

  for (genvar k = 0; k < NumKernels; k++) begin : g_slot
    always @(posedge clk_i) if (rst_ni && dump)
      qsm_dpi_state(StSlot, 0, 0, k, 6,
          int'({yielded[k], u_tb_sched.g_kernel[k].u_kernel.yield_q}));
  end
endmodule
bind qsm_gpu qsm_gpu_monitor u_monitor (
  .clk_i, .rst_ni, .dispatch_valid(dispatch_valid), .dispatch(dispatch), .ending(u_tb_sched.ending),
  .busy(tb.busy), .killed(tb.killed), .yielded(tb.yielded), .walk_block(tb.walk_block),
  .walk_linear(tb.walk_linear),
  .launches(tb.launches), .target_we(u_tb_sched.u_alloc.we_o),
  .target(u_tb_sched.u_alloc.target_q),
  .targets(u_tb_sched.u_alloc.target_o),
  .epoch_done(u_qos_mgr.epoch_done), .epoch_quota(qos.epoch_quota), .alpha(qos.alpha),
  .epoch_insn(qos.epoch_insn), .insn(qos.insn), .hcyc(qos.cycles), .ratio(qos.ratio)
);
bind qsm_gpu qsm_port_monitor u_port_monitor (
  .clk_i, .rst_ni, .irq(irq_o), .req(mem_req_o), .req_ready(mem_req_ready_i), .rsp(mem_rsp_i),
  .rsp_ready(mem_rsp_ready_o)
);

// Preemption: decisions, and what is kept of jobs, images and tickets.
module qsm_preempt_monitor
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,
  input logic decided,
  input logic [3:0] code,
  input logic host,
  input logic [SmW-1:0] sm,
  input logic [KernelW-1:0] kernel,
  input logic [TbW-1:0] tb,
  input logic [1:0] technique,
  input logic [idx_w(NumImages)-1:0] image,
  input logic [NumSms-1:0][2:0] kind,
  input logic [NumSms-1:0][2:0] result
);
  localparam int unsigned ImageW = idx_w(NumImages);

  always @(posedge clk_i) if (rst_ni && decided) begin
    qsm_dpi_event(EvPreempt, 0, 0, 0, 7, 256'({31'd0, host, 32'(code), 32'(image), 32'(technique),
        32'(tb), 32'(kernel), 32'(sm)}));
  end

  always @(posedge clk_i) if (rst_ni && dump) begin
    for (int i = 0; i < NumSms; i++) begin
      qsm_dpi_state(StJob, i, 0, 0, 0, int'({result[i], 1'b0, kind[i]}));
      if (kind[i] != 3'd0) begin
        qsm_dpi_state(StJob, i, 0, 0, 1, int'({u_tb_sched.u_preempt.job_q[i].host,
            u_tb_sched.u_preempt.job_q[i].fresh,
                                               8'(u_tb_sched.u_preempt.job_q[i].image),
                                                   8'(u_tb_sched.u_preempt.job_q[i].tb),
                                               8'(u_tb_sched.u_preempt.job_q[i].kernel)}));
      end
      if (kind[i] == 3'd4)
        qsm_dpi_state(StJob, i, 0, 0, 2, int'(u_tb_sched.u_preempt.job_q[i].ticket));
    end
    for (int k = 0; k < NumKernels; k++) begin
      qsm_dpi_state(StSaved, 0, 0, k, 0, int'(u_tb_sched.u_preempt.u_images.used_q[k]));
      qsm_dpi_state(StSaved, 0, 0, k, 1, int'(u_tb_sched.u_preempt.u_images.queued_q[k]));
      for (int n = 0; n < int'(u_tb_sched.u_preempt.u_images.queued_q[k]); n++) begin
        automatic int place = (int'(u_tb_sched.u_preempt.u_images.head_q[k]) + n) % NumImages +
            (k << ImageW);
        qsm_dpi_state(StSaved, 0, 0, k, 2 + n,
            int'({u_tb_sched.u_preempt.u_images.queue_mem[place].fresh,
                  8'(u_tb_sched.u_preempt.u_images.queue_mem[place].image)}));
      end
      for (int v = 0; v < NumImages; v++) begin
        qsm_dpi_state(StSaved, 0, 0, k, 2 + NumImages + v,
                      u_tb_sched.u_preempt.u_images.changed_q[k][v]
                          ? int'(u_tb_sched.u_preempt.u_images.spare_mem[(k << ImageW) + v]) : v);
      end
    end
  end

  for (genvar i = 0; i < NumSms; i++) begin : g_sm
    always @(posedge clk_i) if (rst_ni && dump) begin
      for (int k = 0; k < NumKernels; k++) begin
        qsm_dpi_state(StTickets, i, 0, k, 0, int'(u_tb_sched.g_sm[i].u_tickets.made_q[k]));
        qsm_dpi_state(StTickets, i, 0, k, 1, int'(u_tb_sched.g_sm[i].u_tickets.height_q[k]));
        for (int n = 0; n < int'(u_tb_sched.g_sm[i].u_tickets.height_q[k]); n++) begin
          qsm_dpi_state(StTickets, i, 0, k, 2 + n,
              int'(u_tb_sched.g_sm[i].u_tickets.stack_mem[(k << idx_w(MaxTbs)) + n]));
        end
      end
    end
  end
endmodule
bind qsm_gpu qsm_preempt_monitor u_preempt_monitor (
  .clk_i, .rst_ni, .decided(u_tb_sched.u_preempt.u_check.decided),
  .code(u_tb_sched.u_preempt.u_check.code),
  .host(u_tb_sched.u_preempt.u_check.from_host_q), .sm(u_tb_sched.u_preempt.u_check.sm_o),
  .kernel(u_tb_sched.u_preempt.u_check.kernel_o),
  .tb(u_tb_sched.u_preempt.u_check.tb_o), .technique(u_tb_sched.u_preempt.u_check.technique_o),
  .image(u_tb_sched.u_preempt.u_check.image_o),
  .kind(u_tb_sched.u_preempt.kind_q), .result(u_tb_sched.u_preempt.result_q)
);

// TB adjuster.
module qsm_adjust_monitor
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,
  input logic asked,
  input logic gives,
  input logic takes,
  input logic [SmW-1:0] sm,
  input logic [NumKernels-1:0] ask,
  input logic [NumKernels-1:0][6:0] idle,
  input logic [KernelW-1:0] asker,
  input logic [KernelW-1:0] victim,
  input logic [$clog2(MaxTbs+1)-1:0] n,
  input logic [2:0] preference,
  input logic [5:0] raised,
  input logic claim_tried,
  input logic fits,
  input logic [NumKernels-1:0][$clog2(MaxTbs+1)-1:0] left,
  input logic [NumSms-1:0][NumKernels-1:0] evict,
  input logic [NumSms-1:0][NumKernels-1:0] evict_next
);
  function automatic bit [2047:0] ask_words();
    ask_words = 2048'({32'(ask), 32'(sm)});
    for (int k = 0; k < NumKernels; k++) ask_words[32*(k+2)+:32] = 32'(idle[k]);
  endfunction

  function automatic bit [2047:0] claim_words();
    claim_words = 2048'({32'(fits), 32'(asker), 32'(sm)});
    for (int k = 0; k < NumKernels; k++) claim_words[32*(k+3)+:32] = 32'(left[k]);
  endfunction

  always @(posedge clk_i) if (rst_ni) begin
    if (asked) qsm_dpi_event_wide(EvAsk, 0, 0, 0, 2 + NumKernels, ask_words());
    if (gives)
      qsm_dpi_event(EvAdjust, 0, 0, 0, 6, 256'({32'(raised), 32'd0, 32'd0, 32'hff, 32'(asker),
          32'(sm)}));
    if (takes)
      qsm_dpi_event(EvAdjust, 0, 0, 0, 6, 256'({32'(raised), 32'(3'd4 - preference), 32'(n),
          32'(victim), 32'(asker), 32'(sm)}));
    for (int i = 0; i < NumSms; i++)
      if (evict[i] != evict_next[i]) qsm_dpi_event(EvEvict, i, 0, 0, 1, 256'(evict_next[i]));
    if (claim_tried) qsm_dpi_event_wide(EvClaim, 0, 0, 0, 3 + NumKernels, claim_words());
  end

  always @(posedge clk_i) if (rst_ni && dump) begin
    for (int i = 0; i < NumSms; i++)
      for (int k = 0; k < NumKernels; k++) qsm_dpi_state(StTarget, i, 0, k, 1, int'(evict[i][k]));
  end
endmodule
bind qsm_gpu qsm_adjust_monitor u_adjust_monitor (
  .clk_i, .rst_ni, .asked(u_tb_sched.u_adjust.asked), .gives(u_tb_sched.u_adjust.gives),
  .takes(u_tb_sched.u_adjust.takes),
  .sm(u_tb_sched.u_adjust.sm_q), .ask(u_tb_sched.u_adjust.ask), .idle(u_tb_sched.u_adjust.idle_q),
  .asker(u_tb_sched.u_adjust.asker_idx), .victim(u_tb_sched.u_adjust.victim),
  .n(u_tb_sched.u_adjust.best_q.n),
  .preference(u_tb_sched.u_adjust.best_q.rank.preference), .raised(u_tb_sched.u_adjust.raised_o),
  .claim_tried(u_tb_sched.u_adjust.claim_tried), .fits(u_tb_sched.u_adjust.fits),
  .left(u_tb_sched.u_adjust.u_claim.left_q),
  .evict(u_tb_sched.u_adjust.evict_q), .evict_next(u_tb_sched.u_adjust.evict_d)
);

// SM ownership.
module qsm_owner_monitor
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
(
  input logic clk_i,
  input logic rst_ni
);
  for (genvar i = 0; i < NumSms; i++) begin : g_sm
    bit [4:0][31:0] uses, uses_next;  // {next_owner, next_use, moving, owner, use}
    assign uses = {32'(u_tb_sched.u_owner.next_owner_q[i]), 32'(u_tb_sched.u_owner.next_use_q[i]),
        32'(u_tb_sched.u_owner.moving_q[i]), 32'(u_tb_sched.u_owner.owner_q[i]),
        32'(u_tb_sched.u_owner.use_q[i])};
    assign uses_next = {32'(u_tb_sched.u_owner.next_owner_d[i]),
        32'(u_tb_sched.u_owner.next_use_d[i]), 32'(u_tb_sched.u_owner.moving_d[i]),
        32'(u_tb_sched.u_owner.owner_d[i]), 32'(u_tb_sched.u_owner.use_d[i])};

    always @(posedge clk_i) if (rst_ni) begin
      if (uses_next != uses) qsm_dpi_event(EvMove, i, 0, 0, 5, 256'(uses_next));
      if (u_tb_sched.u_owner.power_d[i] != u_tb_sched.u_owner.power_q[i])
        qsm_dpi_event(EvPower, i, 0, 0, 1, 256'(u_tb_sched.u_owner.power_d[i]));
    end

    always @(posedge clk_i) if (rst_ni && dump) begin
      qsm_dpi_state(StOwner, i, 0, 0, 0, int'(uses[0] | (uses[1] << 2) | (uses[2] << 6) |
          (uses[3] << 7) | (uses[4] << 9)));
      qsm_dpi_state(StOwner, i, 0, 0, 1, int'(u_tb_sched.u_owner.refused_q[i]));
      qsm_dpi_state(StOwner, i, 0, 0, 2,
          int'({u_tb_sched.u_owner.rested_q[i], u_tb_sched.u_owner.power_q[i]}));
    end
  end
endmodule
bind qsm_gpu qsm_owner_monitor u_owner_monitor (.clk_i, .rst_ni);

// SM manager: records and plans, and all its state.
module qsm_sm_mgr_monitor
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,
  input logic computing,
  input logic computed,
  input logic planned,  // n is new after this cycle
  input logic managed,
  input logic planning,
  input logic splitting,
  input logic stale,
  input logic moved,
  input sm_record_t [NumKernels-1:0] records,
  input logic [NumKernels-1:0] run,
  input logic [NumKernels-1:0] seen
);
  // Memories and sums hold the records of the epoch that is being computed before it ends: these
  // are as of its end. What does not count is 0.
  logic [NumKernels-1:0][63:0] lead_q, lead;
  logic [NumKernels-1:0][30:0] insn_q, insn;
  logic computed_q, planned_q;
  always_ff @(posedge clk_i) begin
    computed_q <= rst_ni && computed;
    planned_q <= rst_ni && planned;
    if (computed || !computing) begin
      for (int k = 0; k < NumKernels; k++) begin
        lead_q[k] <= u_profile.lead_q[k];
        insn_q[k] <= u_collect.insn_o[k];
      end
    end
  end
  always_comb begin
    for (int k = 0; k < NumKernels; k++) begin
      lead[k] = run[k] ? lead_q[k] : '0;
      insn[k] = run[k] ? insn_q[k] : '0;
    end
  end

  function automatic bit [2047:0] record_words();
    record_words = '0;
    for (int k = 0; k < NumKernels; k++) begin
      record_words[64*k+:64] = {20'd0, records[k].eval, records[k].lower, records[k].upper, 1'b0,
          records[k].opt, 32'(insn[k])};
    end
  endfunction
  function automatic bit [2047:0] plan_words();
    plan_words = '0;
    for (int k = 0; k < NumKernels; k++) plan_words[32*k+:32] = 32'(records[k].count);
  endfunction

  always @(posedge clk_i) if (rst_ni) begin
    if (computed_q) qsm_dpi_event_wide(EvRecord, 0, 0, 1, 2 * NumKernels, record_words());
    if (planned_q) qsm_dpi_event_wide(EvPlan, 0, 0, 1, NumKernels, plan_words());
  end

  always @(posedge clk_i) if (rst_ni && dump) begin
    for (int k = 0; k < NumKernels; k++) begin
      automatic bit moving, settling, out;
      automatic int old;
      moving = records[k].eval == EvalMoving;
      settling = records[k].eval == EvalSettling;
      out = moving ? u_adjust.moving_q.out : settling && u_adjust.settling_q.out;
      old = moving ? int'(u_adjust.moving_q.old) : settling ? int'(u_adjust.settling_q.old) : 0;
      qsm_dpi_state(StSmRecord, 0, 0, k, 0, int'({u_profile.ample_q[k], out, seen[k], run[k],
          records[k].eval, records[k].lower, records[k].upper, 1'b0, records[k].opt, 1'b0,
          records[k].count}));
      qsm_dpi_state(StSmRecord, 0, 0, k, 1, int'(lead[k][31:0]));
      qsm_dpi_state(StSmRecord, 0, 0, k, 2, int'(lead[k][63:32]));
      qsm_dpi_state(StSmRecord, 0, 0, k, 3, int'(insn[k]));
      qsm_dpi_state(StSmRecord, 0, 0, k, 4,
          (moving || settling) ? int'(u_profile.last_q[k]) : 0);
      qsm_dpi_state(StSmRecord, 0, 0, k, 5, old);
    end
    qsm_dpi_state(StSmRecord, 0, 0, NumKernels, 0,
        int'({moved, stale, splitting, planning, managed}));
  end
endmodule
bind qsm_sm_mgr qsm_sm_mgr_monitor u_monitor (
  .clk_i, .rst_ni, .computing, .computed, .planned(set || decide_commit), .managed(managed_q),
  .planning, .splitting, .stale(stale_q), .moved(moved_q), .records(records_o),
  .run(u_profile.run_q), .seen(u_profile.seen_q)
);

// L2 slice and memory controller of a channel.
module qsm_channel_monitor
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
#(
  parameter int unsigned Channel = 0
) (
  input logic clk_i,
  input logic rst_ni
);
  localparam int unsigned LineShift = LineOffW + $clog2(NumChannels);

  if (L2Kib != 0) begin : g_watch_l2
    localparam int unsigned Sets = L2Kib * 1024 / (L2Ways * LineBytes);

    function automatic int address(input int line);
      return (line << LineShift) | int'(Channel << LineOffW);
    endfunction

    // Waiters from `first` to the end of the list of MSHR j.
    function automatic int list_length(input int j, input int first);
      automatic int last = int'(g_l2.u_l2.u_mshrs.tail_q[j]);
      list_length = 1;
      for (int w = first; w != last && list_length < L2Waiters;
      w = int'(g_l2.u_l2.u_mshrs.next_mem[w])) list_length++;
    endfunction

    bit [31:0] line, outcome, way, mshr;
    always_comb begin
      line = address(int'(g_l2.u_l2.act_q.line));
      outcome = g_l2.u_l2.acts_request ? 32'(g_l2.u_l2.outcome_o) : '0;
      way = 32'(g_l2.u_l2.way);
      mshr = 32'hff;
      if (g_l2.u_l2.acts_fill || g_l2.u_l2.acts_replay) mshr = 32'(g_l2.u_l2.act_q.mshr);
      if (g_l2.u_l2.merged) mshr = 32'(g_l2.u_l2.match_mshr);
      if (g_l2.u_l2.misses) mshr = 32'(g_l2.u_l2.free_mshr);
      if (g_l2.u_l2.merged || g_l2.u_l2.misses || g_l2.u_l2.bypassed || g_l2.u_l2.acts_pass)
        way = 32'hff;
      if (g_l2.u_l2.acts_pass) line = '0;
      if (g_l2.u_l2.acts_walk)
        line = g_l2.u_l2.way_valid ? address(int'(g_l2.u_l2.out_d.victim)) : '0;
    end

    always @(posedge clk_i) if (rst_ni && g_l2.u_l2.act_q.valid) begin
      qsm_dpi_event(EvL2Op, int'(Channel), 0, 0, 6,
          256'({31'd0, g_l2.u_l2.evicts, mshr, way, outcome, line, 32'(g_l2.u_l2.act_q.op)}));
    end

    always @(posedge clk_i) if (rst_ni && dump) begin
      qsm_dpi_state(StL2, int'(Channel), 0, 0, 0, int'(g_l2.u_l2.u_credits.rsp_q));
      qsm_dpi_state(StL2, int'(Channel), 0, 0, 1, int'(g_l2.u_l2.u_credits.out_q));
      qsm_dpi_state(StL2, int'(Channel), 0, 0, 2, int'(g_l2.u_l2.u_credits.mshr_q));
      qsm_dpi_state(StL2, int'(Channel), 0, 0, 3, int'(g_l2.u_l2.u_credits.waiter_q));
      qsm_dpi_state(StL2, int'(Channel), 0, 0, 4, int'(g_l2.u_l2.u_rsp.count_q));
      qsm_dpi_state(StL2, int'(Channel), 0, 0, 5, int'(g_l2.u_l2.u_out.count_q));
      qsm_dpi_state(StL2, int'(Channel), 0, 0, 6,
          int'({16'(g_l2.u_l2.u_flush.unacked_q[1]), 16'(g_l2.u_l2.u_flush.unacked_q[0])}));
      qsm_dpi_state(StL2, int'(Channel), 0, 0, 7,
          int'({g_l2.u_l2.u_flush.colour_q, g_l2.u_l2.u_flush.walking_q,
          g_l2.u_l2.u_flush.flushing_q}));
      if (g_l2.u_l2.u_flush.walking_q) begin
        qsm_dpi_state(StL2, int'(Channel), 0, 0, 8, int'(g_l2.u_l2.u_flush.set_q));
        qsm_dpi_state(StL2, int'(Channel), 0, 0, 9, int'(g_l2.u_l2.u_flush.way_q));
      end
      for (int j = 0; j < L2Mshrs; j++) begin
        automatic bit filled = g_l2.u_l2.u_mshrs.filled_q &&
            int'(g_l2.u_l2.u_mshrs.filled_mshr_q) == j;
        automatic int waiting = list_length(j, int'(g_l2.u_l2.u_mshrs.head_q[j]));
        if (filled) begin
          waiting = g_l2.u_l2.u_mshrs.left_q ? list_length(j, int'(g_l2.u_l2.u_mshrs.replay_q)) : 0;
          waiting += int'(g_l2.u_l2.acts_replay);
        end
        qsm_dpi_state(StL2, int'(Channel), 0, 1 + j, 0,
            int'({filled, g_l2.u_l2.u_mshrs.valid_q[j]}));
        if (g_l2.u_l2.u_mshrs.valid_q[j]) begin
          qsm_dpi_state(StL2, int'(Channel), 0, 1 + j, 1,
              address(int'(g_l2.u_l2.u_mshrs.line_q[j])));
          qsm_dpi_state(StL2, int'(Channel), 0, 1 + j, 2,
              int'(g_l2.u_l2.u_mshrs.line_mem[j] >> g_l2.u_l2.u_mshrs.LineW));
          qsm_dpi_state(StL2, int'(Channel), 0, 1 + j, 3, waiting);
        end
      end
      for (int s = 0; s < Sets; s++) begin
        for (int w = 0; w < L2Ways; w++) begin
          qsm_dpi_state(StL2Set, int'(Channel), 0, s, w,
                        g_l2.u_l2.u_tags.set_mem[s].way[w].valid ?
                          int'({g_l2.u_l2.u_tags.set_mem[s].way[w].tag,
                              g_l2.u_l2.u_tags.set_mem[s].way[w].dirty, 1'b1}) : 0);
        end
        qsm_dpi_state(StL2Set, int'(Channel), 0, s, L2Ways, int'(g_l2.u_l2.u_tags.set_mem[s].tree));
      end
    end
  end

  if (DramBanks != 0) begin : g_watch_dram
    localparam int unsigned Columns = DramRowBytes / LineBytes;

    port_req_t commanded;  // its payload
    assign commanded = {1'b1, g_dram.u_dram.mem_req_o};

    always @(posedge clk_i) if (rst_ni && (g_dram.u_dram.column_o || g_dram.u_dram.row_o)) begin
      automatic int passed = int'(g_dram.u_dram.u_queue.passed_q);
      if (g_dram.u_dram.column_o)
        passed = (g_dram.u_dram.u_queue.chosen & g_dram.u_dram.u_queue.first) != '0 ? 0 : passed +
            1;
      qsm_dpi_event(EvDram, int'(Channel), 0, 0, 5,
                    256'({passed, (commanded.addr >> LineShift) % Columns, 32'(g_dram.u_dram.row),
                        32'(g_dram.u_dram.bank), 31'd0, g_dram.u_dram.row_o}));
    end

    always @(posedge clk_i) if (rst_ni && dump) begin
      for (int b = 0; b < DramBanks; b++) begin
        qsm_dpi_state(StDram, int'(Channel), 0, b, 0, int'(g_dram.u_dram.u_banks.open_q[b]));
        qsm_dpi_state(StDram, int'(Channel), 0, b, 1, g_dram.u_dram.u_banks.open_q[b]
            ? int'(g_dram.u_dram.u_banks.row_mem[b]) : 0);
        qsm_dpi_state(StDram, int'(Channel), 0, b, 2, int'(g_dram.u_dram.u_banks.busy_q[b]));
        qsm_dpi_state(StDram, int'(Channel), 0, b, 3, int'(g_dram.u_dram.u_banks.keep_q[b]));
      end
      qsm_dpi_state(StDram, int'(Channel), 0, DramBanks, 0, int'(g_dram.u_dram.u_banks.bus_q));
      qsm_dpi_state(StDram, int'(Channel), 0, DramBanks, 1, int'(g_dram.u_dram.u_queue.passed_q));
      qsm_dpi_state(StDram, int'(Channel), 0, DramBanks, 2,
          $countones(g_dram.u_dram.u_queue.valid_q));
      qsm_dpi_state(StDram, int'(Channel), 0, DramBanks, 3, int'(g_dram.u_dram.u_return.placed_q));
    end
  end
endmodule
bind qsm_channel qsm_channel_monitor #(.Channel(Channel)) u_channel_monitor (.clk_i, .rst_ni);

// Front end: commands, states of the sequencer, and what it keeps of channels and slots.
module qsm_front_monitor
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,
  input front_flags_t [NumCmd-1:0] flags,
  input logic [NumCmd-1:0] waits,
  input logic [NumCmd-1:0] irq,
  input logic [3:0][idx_w(NumCmd)-1:0] next,
  input logic [NumKernels-1:0] bound,
  input logic [NumKernels-1:0] runs,
  input logic [NumKernels-1:0] ended,
  input logic [NumKernels-1:0] overdue,
  input logic [NumKernels-1:0] kill_sent,
  input logic [NumKernels-1:0] yield_sent,
  input logic [NumKernels-1:0] old,
  input logic [NumKernels-1:0][1:0] own,
  input logic [NumKernels-1:0][idx_w(NumCmd)-1:0] owner,
  input logic copying,
  input logic copied,
  input logic [idx_w(NumCmd)-1:0] copy_owner
);
  bit [2:0][31:0] words;  // 0 to 2 of the command, as they come
  always @(posedge clk_i) if (u_seq.state_q == FrontFetch && u_seq.u_words.mem_valid) begin
    for (int w = 0; w < 3; w++)
      if (int'(u_seq.u_words.mem_index) == w) words[w] <= u_seq.u_words.mem_word;
  end

  always @(posedge clk_i) if (rst_ni) begin
    if (u_seq.state_d != u_seq.state_q) begin
      qsm_dpi_event(EvChannel, 0, 0, 0, 3, 256'({32'(u_seq.slot_d), 32'(u_seq.channel_d),
          32'(u_seq.state_d)}));
    end
    if (u_seq.state_q == FrontDecode) begin
      qsm_dpi_event(EvCommand, 0, 0, 0, 5, 256'({words, 32'(u_seq.get_q),
          32'(u_seq.channel_q)}));
    end
  end

  always @(posedge clk_i) if (rst_ni && dump) begin
    for (int c = 0; c < NumCmd; c++) begin
      qsm_dpi_state(StFront, 0, 0, c, 0, int'({flags[c].resumes, flags[c].level, irq[c],
          flags[c].busy, waits[c], flags[c].pending, flags[c].held, flags[c].suspended,
          flags[c].stopped, flags[c].enabled}));
    end
    qsm_dpi_state(StFront, 0, 0, NumCmd, 0, int'(u_seq.state_q));
    qsm_dpi_state(StFront, 0, 0, NumCmd, 1,
        int'({8'(next[3]), 8'(next[2]), 8'(next[1]), 8'(next[0])}));
    for (int k = 0; k < NumKernels; k++) begin
      qsm_dpi_state(StFront, 0, 0, NumCmd, 2 + k,
          int'({own[k], old[k], yield_sent[k], kill_sent[k], overdue[k], ended[k], runs[k],
          bound[k], 8'(owner[k])}));
    end
    qsm_dpi_state(StFront, 0, 0, NumCmd, 10, int'({copied, copying, 8'(copy_owner)}));
    qsm_dpi_state(StDma, 0, 0, 0, 0, copying ? int'({8'(u_dma.under_way_q), 7'(u_dma.used_q), 1'b1})
                                             : 0);
    qsm_dpi_state(StDma, 0, 0, 0, 1, copying ? int'(u_dma.reads_left_q) : 0);
    qsm_dpi_state(StDma, 0, 0, 0, 2, copying ? int'(u_dma.writes_left_q) : 0);
    qsm_dpi_state(StDma, 0, 0, 0, 3, int'(u_dma.credit_q));
  end
endmodule
bind qsm_front qsm_front_monitor u_monitor (
  .clk_i, .rst_ni, .flags(u_flags.all), .waits(u_flags.waits_q), .irq(irq_q), .next(next_q),
  .bound(bound_q),
  .runs(runs_q), .ended(ended_q), .overdue(overdue), .kill_sent(u_watchdog.sent_q), .owner(owner_q),
  .yield_sent(yield_sent_q), .old(old_q), .own(own_q), .copying,
  .copied(copied_q), .copy_owner(copy_owner_q)
);

// Caches of shader arrays (docs/sa_cache.md): what each bank does and holds.
module qsm_sa_monitor
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
#(
  parameter int unsigned Index = 0
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [NumKernels-1:0] renew,
  input logic [NumKernels-1:0][7:0] gens
);
  localparam int unsigned Sets = SaKib * 1024 / (SaBanks * SaWays * LineBytes);

  // {member, txn} as a number.
  function automatic int number(input int id);
    return (id >> SmTagW) * int'(MemTxns + NumSched) + (id & ((1 << SmTagW) - 1));
  endfunction

  always @(posedge clk_i) if (rst_ni && renew != '0)
    qsm_dpi_event(EvSaGen, int'(Index), 0, 0, 1, 256'(renew));

  for (genvar b = 0; b < SaBanks; b++) begin : g_watch
    bit [31:0] kind, line, outcome, way;
    always_comb begin
      kind = 32'd3;
      outcome = 32'd2;
      if (!g_bank[b].u_bank.is_fetch) begin
        kind = g_bank[b].u_bank.is_load ? 32'd0 : g_bank[b].u_bank.is_store ? 32'd1 : 32'd2;
        outcome = g_bank[b].u_bank.match_valid ? 32'd0 : g_bank[b].u_bank.match_pending ? 32'd1
            : 32'd2;
        if (g_bank[b].u_bank.is_load) begin
          outcome = g_bank[b].u_bank.hits ? 32'd0 : g_bank[b].u_bank.joins ? 32'd1
              : g_bank[b].u_bank.allocates ? 32'd2 : 32'd3;
        end
      end
      way = (outcome == (g_bank[b].u_bank.is_load ? 32'd3 : 32'd2)) ? 32'hff
          : 32'(g_bank[b].u_bank.way);
      line = (32'(g_bank[b].u_bank.act_q.line) * SaBanks + b) * LineBytes;
    end

    always @(posedge clk_i) if (rst_ni) begin
      if (g_bank[b].u_bank.act_req_q) begin
        qsm_dpi_event(EvSaOp, int'(Index), b, 0, 5,
            256'({number(int'(g_bank[b].u_bank.act_id_q)), way, outcome, line, kind}));
      end
      if (g_bank[b].u_bank.fills) begin
        qsm_dpi_event(EvSaFill, int'(Index), b, 0, 5,
            256'({number(int'(g_bank[b].u_bank.last)), 31'd0, !g_bank[b].u_bank.poisoned,
                  number(int'(g_bank[b].u_bank.act_id_q)),
                  32'(g_bank[b].u_bank.act_place_q.way),
                  32'(g_bank[b].u_bank.act_place_q.line_set)}));
      end
    end

    always @(posedge clk_i) if (rst_ni && dump) begin
      qsm_dpi_state(StSa, int'(Index), b, 0, 0,
          int'({g_bank[b].u_bank.u_tags.first_q, g_bank[b].u_bank.u_tags.walk_q,
                g_bank[b].u_bank.arrived_q, g_bank[b].u_bank.serving_q,
                4'(g_bank[b].u_bank.u_out.count_q), 4'(g_bank[b].u_bank.u_back.count_q),
                4'(g_bank[b].u_bank.out_credits_q), 4'(g_bank[b].u_bank.back_credits_q)}));
      qsm_dpi_state(StSa, int'(Index), b, 0, 1,
          g_bank[b].u_bank.u_tags.walk_q ? int'(g_bank[b].u_bank.u_tags.walk_set_q) : 0);
      qsm_dpi_state(StSa, int'(Index), b, 0, 2, g_bank[b].u_bank.serving_q
          ? number(int'(g_bank[b].u_bank.served_q)) |
            number(int'(g_bank[b].u_bank.serve_last_q)) << 16 : 0);
      qsm_dpi_state(StSa, int'(Index), b, 0, 3,
          g_bank[b].u_bank.arrived_q ? number(int'(g_bank[b].u_bank.arrived_id_q)) : 0);
      for (int k = 0; k < NumKernels; k++)
        qsm_dpi_state(StSa, int'(Index), b, 0, 4 + k, int'(gens[k]));
      for (int s = 0; s < Sets; s++) begin
        // The first walk empties what reset leaves as it is.
        automatic bit reset = g_bank[b].u_bank.u_tags.first_q ||
            g_bank[b].u_bank.u_tags.step_first_q;
        for (int w = 0; w < SaWays; w++) begin
          automatic bit valid = !reset && g_bank[b].u_bank.u_tags.set_mem[s].way[w].valid;
          automatic bit pending = !reset && g_bank[b].u_bank.u_tags.set_mem[s].way[w].pending;
          qsm_dpi_state(StSaSet, int'(Index), b, s, w, !(valid || pending) ? 0
              : int'({16'(g_bank[b].u_bank.u_tags.set_mem[s].way[w].slot),
                      g_bank[b].u_bank.u_tags.set_mem[s].way[w].gen, 5'd0,
                      g_bank[b].u_bank.u_tags.set_mem[s].way[w].poison, pending, valid}));
          qsm_dpi_state(StSaSet, int'(Index), b, s, SaWays + w, !(valid || pending) ? 0
              : int'(g_bank[b].u_bank.u_tags.set_mem[s].way[w].tag));
          qsm_dpi_state(StSaSet, int'(Index), b, s, 2 * SaWays + w, !pending ? 0
              : number(int'(g_bank[b].u_bank.u_tags.set_mem[s].way[w].last)));
        end
        qsm_dpi_state(StSaSet, int'(Index), b, s, 3 * SaWays,
            reset ? 0 : int'(g_bank[b].u_bank.u_tags.set_mem[s].tree));
      end
    end
  end
endmodule
bind qsm_sa_cache qsm_sa_monitor #(.Index(Index)) u_monitor (
  .clk_i, .rst_ni, .renew, .gens(gens_q)
);
