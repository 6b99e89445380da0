// SPDX-License-Identifier: Apache-2.0
// Issue, stage IS: which head instructions are eligible, which one issues (policy), and why the
// others stall. Doc: docs/subcore.md (R-SB, R-IS).
// One decision per cycle, combinational from registers: eligible -> policy -> the pick, which is
// registered. Word, path and what else belongs to the instruction are read in the next cycle, RR,
// with the registered pick (op_o), and what counts issues counts then. A step of the SM's save
// sequencer (docs/preemption.md) takes the issue slot instead of the pick of the policy.
// Contains the scoreboard, the policy block, the credits of the units, the claims of the write port
// and the stall counters.
//
// Observed by the lockstep monitor: pop_o (ISSUE), inject, step_i (INJECT), with qsm_subcore's
// issue_op; reason, g_claims.claim_q (full state).
module qsm_issue
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned Sub = 0
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  input  logic                                    rst_kept_ni,  // of the stall counters
  input  policy_e                                 policy_i,
  input  policy_param_t                           policy_param_i,
  input  logic [NumKernels-1:0]                   killed_i,
  input  logic [NumKernels-1:0]                   open_i,
  input  logic [NumKernels-1:0]                   gaps_i,
  // no memory instruction of the kernel (R-PA-15, R-PA-19)
  input  logic [NumKernels-1:0]                   no_mem_i,
  input  logic [NumKernels-1:0]                   throttled_i,
  // Warp state, registers.
  input  logic [WarpsPerSched-1:0]                resident_i,
  input  logic [WarpsPerSched-1:0][KernelW-1:0]   kernel_i,
  input  logic [WarpsPerSched-1:0][WidxW-1:0]     widx_i,
  input  logic [WarpsPerSched-1:0]                at_barrier_i,
  input  logic [WarpsPerSched-1:0]                split_valid_i,
  input  logic [WarpsPerSched-1:0]                frozen_i,      // R-PE-12
  input  logic                                    start_valid_i,
  input  logic [WarpW-1:0]                        start_slot_i,
  input  logic [KernelW-1:0]                      start_kernel_i,
  input  logic                                    finish_valid_i,
  input  logic [WarpW-1:0]                        finish_slot_i,
  output logic [WarpsPerSched-1:0]                sb_empty_o,
  // Instruction buffers.
  input  logic [WarpsPerSched-1:0]                empty_i,
  input  head_t [WarpsPerSched-1:0]               head_i,
  input  new_words_t                              new_words_i,
  output logic [WarpsPerSched-1:0]                pop_o,         // the pick, one-hot
  output logic [WarpsPerSched-1:0]                read_o,        // the pick, or the step's warp
  output logic [WarpW-1:0]                        read_warp_o,   // the same, encoded
  // In RR: of the warp op_o.warp, with the word's pc.
  input  word_t                                   word_i,
  input  split_t                                  path_i,
  input  who_t                                    who_i,
  // The step of the save sequencer: its warp and its operands.
  input  step_find_t                              step_find_i,
  input  step_t                                   step_i,
  input  step_op_t                                step_op_i,
  output logic [WarpW-1:0]                        step_warp_o,
  output logic                                    step_found_o,
  output logic                                    step_done_o,
  output logic                                    quiet_o,       // R-PE-15
  // no frozen warp has an instruction in flight
  output logic                                    drained_o,
  // RR: the instruction that issued in the cycle before. Its warp as a separate output, because it
  // selects word_i, path_i and who_i.
  output logic                                    valid_o,
  output logic                                    mem_o,         // of class MEM
  output logic [WarpW-1:0]                        warp_o,
  output op_t                                     op_o,
  // Back end.
  input  logic                                    port_claim_i,  // wb_wait = 8, R-WB-3
  input  logic                                    mq_pop_i,
  input  logic                                    div_written_i,
  input  sb_done_t                                fixed_done_i,
  input  sb_done_t                                div_done_i,
  input  sb_done_t                                part_back_i,
  input  sb_pass_t                                sb_pass_i,
  input  sb_ack_t                                 sb_ack_i,
  input  logic [KernelW-1:0]                      stall_kernel_i,
  input  logic [2:0]                              stall_reason_i,
  output logic [31:0]                             stall_value_o,
  output qaws_front_t                             qaws_front_o,
  output logic [WarpsPerSched-1:0]                ready_o        // R-SP-2
);
  localparam int unsigned CreditW = $clog2(MqDepth + 1);

  // pick_*: of the policy; issue_*: of the instruction that issues, picked or injected
  logic pick_valid, issue_valid, issue_has_entry, issue_is_mem;
  logic [WarpW-1:0] pick_warp, issue_warp;
  logic [WarpsPerSched-1:0] picked;
  logic [WarpsPerSched-1:0] takes_entry;
  logic [SbW-1:0] issue_entry;
  logic [4:0] issue_rd;

  logic inject, inject_mem, inject_jmp;
  logic [4:0] inject_rd;
  // of the step that was done in the cycle before
  logic inject_was_jmp;
  logic [31:0] inject_instr;
  split_t inject_path;

  // ---- Units, R-IS-4 ----
  // What issued in the cycle before is taken off one cycle late, and looked at beside.
  logic [CreditW-1:0] late_credit_q;
  logic [WarpsPerSched-1:0] picked_mem, picked_div, takes_mem;
  logic late_div_q, issued_mem_q, issued_div_q, mem_free, div_busy;

  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_picked
    assign picked_mem[w] = picked[w] && head_i[w].pre.mem;
    assign picked_div[w] = picked[w] && head_i[w].pre.div;
    assign takes_mem[w] = inject ? inject_mem : head_i[w].pre.mem;  // its entry, if it takes one
  end
  assign mem_free = late_credit_q > CreditW'(issued_mem_q);
  assign div_busy = late_div_q || issued_div_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      late_credit_q <= CreditW'(MqDepth);
      {late_div_q, issued_mem_q, issued_div_q} <= '0;
    end else begin
      late_credit_q <= late_credit_q - CreditW'(issued_mem_q) + CreditW'(mq_pop_i);
      late_div_q <= div_busy && !div_written_i;
      issued_mem_q <= issue_is_mem;
      issued_div_q <= picked_div != '0;
    end
  end

  // ---- The write port in FpLat + 4 cycles, R-FP-3 ----
  logic claimed;  // by an FMA instruction that issued before, or by a starved result
  if (Fpu != 0) begin : g_claims
    logic [FpLat-1:0] claim_q;  // bit n: the cycle n later is claimed
    logic [WarpsPerSched-1:0] picked_late;
    for (genvar w = 0; w < WarpsPerSched; w++) begin : g_late
      assign picked_late[w] = picked[w] && head_i[w].writes_late;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) claim_q <= '0;
      else claim_q <= {port_claim_i || picked_late != '0, claim_q[FpLat-1:1]};
    end
    assign claimed = claim_q[0];
  end else begin : g_no_claims
    assign claimed = port_claim_i;
  end

  // ---- Scoreboard ----
  logic [WarpsPerSched-1:0] sb_hazard, sb_hazard_mem, sb_full, sb_mem;
  logic sb_step_hazard;
  logic pass_mine, ack_mine;

  assign pass_mine = sb_pass_i.sub == SubW'(Sub);
  assign ack_mine = sb_ack_i.sub == SubW'(Sub);

  qsm_scoreboard #(.NumWarps(WarpsPerSched), .Entries(SbEntries), .PartsW(PartsW),
      .Sources(NumSources)) u_scoreboard (
    .clk_i, .rst_ni,
    .pop_i(picked),
    .first_i(new_words_i.first), .second_i(new_words_i.second), .two_i(new_words_i.two),
    .push_warp_i(new_words_i.warp), .pushed_i(new_words_i.pushed),
    .push_head_rd_i(new_words_i.head_rd),
    .behind_i(new_words_i.behind), .behind_warp_i(new_words_i.behind_warp),
    .behind_regs_i(new_words_i.behind_regs), .behind_head_rd_i(new_words_i.behind_head_rd),
    .hazard_o(sb_hazard), .hazard_mem_o(sb_hazard_mem), .full_o(sb_full), .empty_o(sb_empty_o),
    .mem_o(sb_mem),
    .probe_warp_i(step_warp_o), .probe_i(step_i.xreg), .probe_either_i(inject_jmp),
    .probe_hazard_o(sb_step_hazard),
    .alloc_i(takes_entry), .alloc_warp_i(issue_warp), .alloc_rd_i(issue_rd),
    .alloc_mem_i(takes_mem), .entry_o(issue_entry),
    .done_i({div_done_i.valid, fixed_done_i.valid}),
    .done_warp_i({div_done_i.warp, fixed_done_i.warp}),
    .done_entry_i({div_done_i.entry, fixed_done_i.entry}),
    .part_i(pass_mine && sb_pass_i.part), .last_i(pass_mine && sb_pass_i.last),
    .pass_warp_i(sb_pass_i.warp), .pass_entry_i(sb_pass_i.entry),
    .back_i({ack_mine && sb_ack_i.valid, part_back_i.valid}),
    .back_warp_i({sb_ack_i.warp, part_back_i.warp}),
    .back_entry_i({sb_ack_i.entry, part_back_i.entry})
  );

  // ---- Warps that may issue (R-IS-1) ----
  // R-PA-15: beside a late kernel the others leave the issue slot alone where one of its warps was
  // ready in the cycle before. A register, so that no warp's pick waits for others.
  logic late_ready_q;
  logic [WarpsPerSched-1:0] late_ready;

  // Of what makes a warp eligible, all that depends on the warp comes from registers by few levels:
  // bits of its head and of the scoreboard; two bits, of which the head's class sets one. The gate
  // of its kernel, whether that may use memory, and an injected step, which come later, are left to
  // the policy.
  logic [WarpsPerSched-1:0] able, mem_able, ready_head, waits_not, lets, unit_free, held_back,
      eligible;
  logic [NumKernels-1:0] gate, turn;  // turn: it is not in gaps, or this is one
  assign gate = open_i & ~killed_i;
  assign turn = gate & ~(late_ready_q ? gaps_i : '0);

  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_able
    assign ready_head[w] = resident_i[w] && !empty_i[w] && !frozen_i[w] && !sb_hazard[w];
    assign waits_not[w] = ready_head[w] &&
        !(head_i[w].fence && sb_mem[w]) && !(head_i[w].needs_entry && sb_full[w]);
    // but for the memory queue, which the policy's two bits keep apart
    assign lets[w] = !(head_i[w].pre.div && div_busy) && !(head_i[w].writes_fixed && claimed) &&
        !(head_i[w].writes_late && port_claim_i);
    assign unit_free[w] = lets[w] && !(head_i[w].pre.mem && !mem_free);
    // A memory instruction is no fence, needs an entry and the queue alone.
    assign able[w] = waits_not[w] && lets[w] && !head_i[w].pre.mem;
    assign mem_able[w] = ready_head[w] && head_i[w].pre.mem && !sb_full[w] && mem_free;
    assign held_back[w] = (late_ready_q && gaps_i[kernel_i[w]]) ||
        (head_i[w].pre.mem && no_mem_i[kernel_i[w]]);
    assign late_ready[w] = ready_o[w] && !gaps_i[kernel_i[w]];
    assign eligible[w] = turn[kernel_i[w]] &&
        (able[w] || (mem_able[w] && !no_mem_i[kernel_i[w]]));
    assign ready_o[w] = waits_not[w] && gate[kernel_i[w]];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) late_ready_q <= 1'b0;
    else late_ready_q <= gaps_i != '0 && late_ready != '0;
  end

  // ---- Stall reasons (R-IS-6: the first reason that holds) ----
  // blocked: the reason without regard to injected steps; StallSelected means eligible. An injected
  // step takes the issue slot from all warps, and its signal is late in the cycle.
  stall_e [WarpsPerSched-1:0] blocked, reason;
  logic [WarpsPerSched-1:0] long_latency;

  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_warp
    always_comb begin
      if (at_barrier_i[w]) blocked[w] = StallBarrier;
      else if (empty_i[w] || killed_i[kernel_i[w]] || frozen_i[w]) blocked[w] = StallNoInstruction;
      else if (sb_hazard_mem[w] || (head_i[w].fence && sb_mem[w]))
        blocked[w] = StallLongScoreboard;
      else if (sb_hazard[w] || (head_i[w].needs_entry && sb_full[w]))
        blocked[w] = StallShortScoreboard;
      else if (!open_i[kernel_i[w]]) blocked[w] = StallQuota;
      else if (!unit_free[w] || held_back[w]) blocked[w] = StallPipeThrottle;
      else blocked[w] = StallSelected;
    end
    // R-PO-7
    assign long_latency[w] = resident_i[w] && stall_is_long_latency(blocked[w]);
    assign reason[w] = (blocked[w] != StallSelected || picked[w]) ? blocked[w]
        : inject ? StallPipeThrottle : StallNotSelected;
  end

  qsm_warp_sched #(.NumWarps(WarpsPerSched), .NumKernels(NumKernels)) u_policy (
    .clk_i, .rst_ni, .policy_i(policy_i), .resident_i, .kernel_i, .able_i(able),
    .mem_able_i(mem_able), .gate_i(turn), .no_mem_i,
    .issue_inhibit_i(inject), .long_latency_i(long_latency),
    .start_valid_i, .start_slot_i, .start_kernel_i, .finish_valid_i, .finish_slot_i,
    .active_warps_i(policy_param_i.active_warps), .budget_i(policy_param_i.budget),
    .above_i(policy_param_i.above),
    .restart_i(policy_param_i.restart), .throttled_i,
    .pick_valid_o(pick_valid), .pick_o(picked), .pick_slot_o(pick_warp), .qaws_front_o
  );

  // ---- Injected step of the save sequencer ----
  qsm_inject u_inject (
    .clk_i, .rst_ni, .frozen_i, .widx_i, .split_valid_i, .at_barrier_i, .ibuf_empty_i(empty_i),
    .sb_empty_i(sb_empty_o), .sb_full_i(sb_full),
    .sb_hazard_i(sb_step_hazard), .mem_free_i(mem_free), .port_claim_i(claimed),
    .path_i, .find_i(step_find_i), .step_i, .step_op_i,
    .found_o(step_found_o), .warp_o(step_warp_o), .done_o(inject), .mem_o(inject_mem),
    .jmp_o(inject_jmp), .rd_o(inject_rd), .was_jmp_o(inject_was_jmp), .instr_o(inject_instr),
    .path_o(inject_path),
    .quiet_o, .drained_o
  );
  assign step_done_o = inject;

  // ---- The instruction that issues, R-IS-3, R-IS-5 ----
  logic [WarpsPerSched-1:0] step_warp;
  assign step_warp = inject ? WarpsPerSched'(1) << step_warp_o : '0;
  always_comb begin
    issue_rd = inject ? inject_rd : '0;
    for (int unsigned w = 0; w < WarpsPerSched; w++) begin
      takes_entry[w] = (picked[w] && head_i[w].needs_entry) || (step_warp[w] && !inject_jmp);
      if (picked[w]) issue_rd |= head_i[w].pre.rd;
    end
  end
  assign issue_valid = pick_valid || inject;
  assign issue_warp = inject ? step_warp_o : pick_warp;
  assign issue_has_entry = takes_entry != '0;
  assign issue_is_mem = picked_mem != '0 || (inject && inject_mem);
  assign pop_o = picked;
  assign read_o = picked | step_warp;
  assign read_warp_o = issue_warp;

  // ---- RR ----
  logic rr_valid, rr_injected, rr_has_entry;
  logic [WarpW-1:0] rr_warp;
  logic [SbW-1:0] rr_entry;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rr_valid <= 1'b0;
      rr_injected <= 1'b0;
    end else begin
      rr_valid <= issue_valid;
      rr_injected <= inject;
    end
  end
  always_ff @(posedge clk_i) begin
    rr_warp <= issue_warp;
    rr_has_entry <= issue_has_entry;
    rr_entry <= issue_entry;
  end

  assign valid_o = rr_valid;
  assign mem_o = issued_mem_q;
  assign warp_o = rr_warp;
  assign op_o = '{
    warp: rr_warp, kernel: who_i.kernel, tb: who_i.tb, widx: who_i.widx,
    split: rr_injected ? inject_path : path_i,
    word: rr_injected ? {inject_was_jmp, 1'b0, inject_instr} : word_i,
    injected: rr_injected, has_entry: rr_has_entry, entry: rr_entry
  };

  if (StallCounters != 0) begin : g_stall
    qsm_stall #(.NumWarps(WarpsPerSched), .NumKernels(NumKernels)) u_stall (
      .clk_i, .rst_ni(rst_kept_ni), .resident_i, .kernel_i, .reason_i(reason),
      .read_kernel_i(stall_kernel_i), .read_reason_i(stall_reason_i), .value_o(stall_value_o)
    );
  end else begin : g_no_stall
    logic unused_stall;
    assign unused_stall = ^{rst_kept_ni, stall_kernel_i, stall_reason_i, reason};
    assign stall_value_o = '0;
  end

`ifndef SYNTHESIS
  // R-IS-1, R-IS-4, R-EX-4: no credit is lost or duplicated; no instruction of a closed or killed
  // kernel issues.
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      late_credit_q <= CreditW'(MqDepth) && late_credit_q >= CreditW'(issued_mem_q));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(mq_pop_i && late_credit_q == CreditW'(MqDepth)));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(pick_valid && !eligible[pick_warp]));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(pick_valid && !open_i[kernel_i[pick_warp]]));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(pick_valid && gaps_i[kernel_i[pick_warp]] && late_ready_q))
    else $error("R-PA-15: a kernel issues beside a late one, and not in its gaps");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(pick_valid && no_mem_i[kernel_i[pick_warp]] && picked_mem != '0))
    else $error("R-PA-19: a memory instruction issues of a kernel that may have none");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(issue_valid && killed_i[kernel_i[issue_warp]]));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(inject && pick_valid));  // R-PE-16
  assert property (@(posedge clk_i) disable iff (!rst_ni) !inject ||
      (frozen_i[step_warp_o] && !(finish_valid_i && finish_slot_i == step_warp_o)))
    else $error("R-PE-16: a step of a warp that is not there, or goes");
  // The bits of the scoreboard and of the heads say what the rules say of registers and classes.
  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_bits
    logic [SbEntries-1:0] clash;
    logic hazard, hazard_mem;
    for (genvar e = 0; e < SbEntries; e++) begin : g_entry
      logic [4:0] rd;
      logic [NumSources-1:0] reads;
      assign rd = u_scoreboard.g_rd[e].mem[w];
      for (genvar n = 0; n < NumSources; n++) begin : g_source
        assign reads[n] = head_i[w].pre.rs[n] == rd;
      end
      assign clash[e] = u_scoreboard.g_warp[w].valid_q[e] && rd != '0 &&
          (reads != '0 || head_i[w].pre.rd == rd);
    end
    assign hazard = clash != '0;
    assign hazard_mem = (clash & u_scoreboard.g_warp[w].mem_q) != '0;
    assert property (@(posedge clk_i) disable iff (!rst_ni) empty_i[w] || frozen_i[w] ||
        (hazard == sb_hazard[w] && hazard_mem == sb_hazard_mem[w]))
      else $error("R-SB-2: the bits of dependence are not those of the registers");
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        eligible[w] == (resident_i[w] && blocked[w] == StallSelected) &&
        ready_o[w] == (resident_i[w] && blocked[w] inside {StallSelected, StallPipeThrottle}))
      else $error("R-IS-1, R-IS-6: eligible is not a warp that nothing blocks");
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        !(resident_i[w] && at_barrier_i[w]) || empty_i[w])
      else $error("R-IS-1: a warp at a barrier has an instruction");
  end
  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_reason
    assert property (@(posedge clk_i) disable iff (!rst_ni)
                     (resident_i[w] && reason[w] == StallSelected) ==
                         (pick_valid && pick_warp == WarpW'(w)))
      else $error("R-SP-6: issued is not the reason of the warp that issues, alone");
  end
`endif
endmodule
