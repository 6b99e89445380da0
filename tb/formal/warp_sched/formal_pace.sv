// SPDX-License-Identifier: Apache-2.0
// The gates and gaps of pace (qsm_quota) with the pick of a sub-core (qsm_warp_sched): who is
// behind issues in time, and the rest is not kept out for ever (docs/guarantee.md, R-PA). Sub-core
// 0 is the one that picks; what the others issue may be anything that the gates let through. What
// qsm_qaws says is left open, as in formal_warp_sched. The policy is any but two_level. Which warps
// are able is here as in qsm_issue: by free bits, by the gaps (R-PA-15), and by what is full
// (R-PA-19), in any cycles.
//
// Beside a late kernel others have its gaps; who may use memory in them depends on whether a late
// one is well behind, which is by the judgement here, too (R-PA-7, R-PA-15).
//
// Loads may keep who is far behind (R-PA-17): who is kept closes the others from its load on, until
// it has spent all or loads again, and a load without keep leaves nothing of that, so that what is
// said of an epoch's first cycles is said of one whose load keeps nobody. While a block is taken
// off the SM the others are closed, and nobody else for that (R-PA-18).
//
// Samples are any S = spacing_i cycles apart or more; epochs, words and blocks come at any time.
module formal_pace
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumKernels = 3,
  parameter int unsigned NumWarps = 4,
  parameter int unsigned NumSched = 2,
  parameter int unsigned WarpSize = 2,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned SlotW = (NumWarps > 1) ? $clog2(NumWarps) : 1,
  localparam int unsigned LanesW = $clog2(WarpSize + 1)
) (
  input logic                             clk_i,
  // pick
  input policy_e                          policy_i,
  input logic                             start_valid_i,
  input logic [SlotW-1:0]                 start_slot_i,
  input logic [KernelW-1:0]               start_kernel_i,
  input logic                             finish_valid_i,
  input logic [SlotW-1:0]                 finish_slot_i,
  input logic [NumWarps-1:0]              waits_not_i,     // R-IS-1 but for unit and gate
  input logic [NumWarps-1:0]              unit_free_i,     // without R-PA-15
  input logic [NumWarps-1:0]              mem_i,           // its instruction is of class MEM
  input logic                             issue_inhibit_i,
  input logic [NumKernels-1:0]            killed_i,
  // of the instruction that was picked in the cycle before, 0..WarpSize, and of other sub-cores
  input logic [NumSched-1:0][LanesW-1:0]  issue_lanes_i,
  input logic [NumSched-1:0]              other_valid_i,   // in this cycle
  input logic [NumSched-1:0][KernelW-1:0] other_kernel_i,
  // quotas
  input logic [NumKernels-1:0]            leave_i,
  input logic [NumKernels-1:0]            runnable_i,
  input logic                             arrive_valid_i,
  input logic [KernelW-1:0]               arrive_kernel_i,
  input logic [NumKernels-1:0]            qos_i,
  input logic [30:0]                      first_quota_i,
  input logic                             tick_i,
  input logic                             sample_i,
  input logic [7:0]                       spacing_i,       // any S, kept at reset
  input logic                             word_valid_i,
  input logic [KernelW-1:0]               word_kernel_i,
  input logic [30:0]                      word_quota_i,
  input logic                             load_valid_i,
  input scheme_e                          load_scheme_i,
  input logic [NumKernels-1:0]            load_keep_i,
  input logic                             saving_i,
  input logic                             full_i           // R-PA-19
);
  typedef logic [NumKernels-1:0] kernels_t;
  typedef logic signed [33:0]    wide_t;  // no sum of this block overflows it

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // ---- The gates ----
  logic [NumSched-1:0]              issued_q;
  logic [NumSched-1:0][KernelW-1:0] issued_kernel_q;
  kernels_t present_q, open, gaps, no_mem, throttled, unused_snap_spent;
  logic [NumKernels-1:0][30:0] quota;
  logic [NumKernels-1:0][31:0] unused_snap_c, unused_snap_insn;
  qsm_quota #(.NumKernels(NumKernels), .NumSched(NumSched), .WarpSize(WarpSize)) u_quota (
    .clk_i, .rst_ni, .issue_valid_i(issued_q), .issue_kernel_i(issued_kernel_q), .issue_lanes_i,
    .present_i(present_q), .runnable_i, .arrive_valid_i, .arrive_kernel_i, .qos_i,
    .first_quota_i, .epoch_len_i(20'd2), .tick_i, .sample_i, .word_valid_i, .word_kernel_i,
    .word_quota_i, .word_credit_i('0), .load_valid_i, .load_scheme_i, .load_keep_i,
    .saving_i, .full_i, .open_o(open), .gaps_o(gaps), .no_mem_o(no_mem), .throttled_o(throttled),
    .quota_o(quota),
    .snap_c_o(unused_snap_c), .snap_spent_o(unused_snap_spent), .snap_insn_o(unused_snap_insn)
  );

  // ---- The pick; a warp may issue where it is able and its gate is open, as in qsm_issue ----
  kernels_t gate;
  logic                              full_holds;    // R-PA-19
  logic                              late_ready_q;  // R-PA-15
  logic                              off_memory;    // R-PA-15: a late kernel is well behind
  logic [NumWarps-1:0]               free, in_gap, able, eligible, resident, in_gaps, ready;
  logic [NumWarps-1:0]               is_full;       // it would be able but for R-PA-19
  logic [NumWarps-1:0][KernelW-1:0]  kernel;
  logic [NumWarps-1:0][NumWarps-1:0] older;
  assign gate = open & ~killed_i;
  assign full_holds = u_quota.scheme_q == SchemePace && qos_i != '0 && full_i;
  always_comb begin
    for (int unsigned w = 0; w < NumWarps; w++) begin
      in_gaps[w] = gaps[kernel[w]];
      ready[w] = waits_not_i[w] && resident[w] && gate[kernel[w]];
      free[w] = waits_not_i[w] && resident[w] && unit_free_i[w];
      in_gap[w] = !(mem_i[w] && off_memory) && !late_ready_q;
      is_full[w] = full_holds && !qos_i[kernel[w]] && mem_i[w];
      able[w] = free[w] && (in_gap[w] || !in_gaps[w]) && !is_full[w];
      eligible[w] = able[w] && gate[kernel[w]];
    end
  end
  always_ff @(posedge clk_i)
    late_ready_q <= rst_ni && gaps != '0 && (ready & ~in_gaps) != '0;
  formal_warps #(.NumWarps(NumWarps), .NumKernels(NumKernels)) u_warps (
    .clk_i, .rst_ni, .start_valid_i, .start_slot_i, .start_kernel_i, .finish_valid_i,
    .finish_slot_i, .eligible_i(eligible), .long_latency_i('0),
    .resident_o(resident), .kernel_o(kernel), .older_o(older)
  );
  logic             pick_valid;
  logic [SlotW-1:0] pick;
  qsm_warp_sched #(.NumWarps(NumWarps), .NumKernels(NumKernels)) u_pick (
    .clk_i, .rst_ni, .policy_i, .resident_i(resident), .kernel_i(kernel),
    .able_i(free & ~mem_i), .mem_able_i(free & mem_i),
    .gate_i(gate & ~(late_ready_q ? gaps : '0)), .no_mem_i(no_mem), .issue_inhibit_i,
    .long_latency_i('0), .start_valid_i, .start_slot_i, .start_kernel_i,
    .finish_valid_i, .finish_slot_i, .active_warps_i(5'd1),
    .budget_i({NumKernels{8'd1}}), .above_i('0), .restart_i('0), .throttled_i(throttled),
    .pick_valid_o(pick_valid), .pick_slot_o(pick)
  );
  formal_ages #(.NumWarps(NumWarps)) u_ages (
    .clk_i, .rst_ni, .older_i(older), .kept_i(u_pick.older)
  );

  // ---- Who is late, by the page (R-PA-8) ----
  kernels_t late, positive, loads, lowest_load, due_over, has_able;
  kernels_t tight_q;  // R-PA-16
  logic     pace, loading, ends_pace;
  logic     closes;   // a late kernel is tight
  kernels_t well_q, well_over;  // R-PA-7: more than four instalments
  assign pace = u_quota.scheme_q == SchemePace;
  assign ends_pace = load_valid_i && load_scheme_i != SchemePace;
  assign loads = u_quota.to_load_q;
  assign loading = loads != '0;
  assign lowest_load = loads & -loads;
  assign closes = (late & tight_q) != '0;
  assign off_memory = (late & well_q) != '0;
  wide_t [NumKernels-1:0] c, due;
  always_comb begin
    has_able = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      c[k] = wide_t'(u_quota.c[k]);
      due[k] = wide_t'(u_quota.due[k]);
      positive[k] = c[k] > 0;
      due_over[k] = c[k] > due[k];
      well_over[k] = due_over[k] && c[k] - due[k] >
          4 * (wide_t'(quota[k] >> 7) + wide_t'(quota[k] >> 9) + 2);
      late[k] = pace && qos_i[k] && runnable_i[k] && u_quota.behind_q[k] && positive[k];
      for (int unsigned w = 0; w < NumWarps; w++)
        if (able[w] && kernel[w] == KernelW'(k)) has_able[k] = 1'b1;
    end
  end

  // ---- Grants: a first block, or a load of a kernel with a word, or without a block, but that one
  // that is kept and away stays as it is ----
  kernels_t arrives, first, here, has_q, grant, tightens, word_at_load_q;
  kernels_t keep_q, kept_q, keeps;  // R-PA-17: of the load message; and who is
  kernels_t stayed_q, loaded_q;     // since the message: away, with what it had; had a grant
  assign arrives = arrive_valid_i ? kernels_t'(1) << arrive_kernel_i : '0;
  assign here = present_q | arrives;
  assign first = arrives & ~present_q & ~u_quota.granted_q;
  always_comb begin
    grant = first;
    tightens = '0;
    if (u_quota.load_second_q && first == '0) begin
      grant |= lowest_load & ((has_q & here) | (~here & ~(keep_q & positive)));
      tightens = lowest_load & has_q & here & well_q & positive;
    end
    keeps = tightens & keep_q;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {has_q, word_at_load_q, present_q, tight_q, keep_q, kept_q, stayed_q, loaded_q} <= '0;
      well_q <= '0;
    end else begin
      if (load_valid_i) {keep_q, stayed_q} <= {load_keep_i, kernels_t'(0)};
      else if (u_quota.load_second_q && first == '0)
        stayed_q <= stayed_q | (lowest_load & ~here & keep_q & positive);
      loaded_q <= (load_valid_i ? '0 : loaded_q) | grant;
      kept_q <= (kept_q & ~grant) | keeps;
      if (u_quota.load_second_q && first == '0) has_q <= has_q & ~lowest_load;
      if (word_valid_i) has_q[word_kernel_i] <= 1'b1;
      if (load_valid_i && load_scheme_i != SchemePace) has_q <= '0;
      if (load_valid_i) word_at_load_q <= has_q;
      present_q <= (present_q & ~leave_i) | arrives;
      tight_q <= ends_pace ? '0 : (pace ? tightens : '0) | (tight_q & ~grant);
      well_q <= ends_pace ? '0 : (pace ? keeps : '0) | (~grant & (u_quota.to_judge_q ?
          (well_q & ~u_quota.to_judge_q) | (u_quota.to_judge_q & (well_over | (kept_q & due_over)))
          : well_q));
    end
  end

  always_ff @(posedge clk_i) begin
    issued_q[0] <= rst_ni && pick_valid;
    issued_kernel_q[0] <= kernel[pick];
    for (int unsigned i = 1; i < NumSched; i++) begin
      issued_q[i] <= rst_ni && other_valid_i[i];
      issued_kernel_q[i] <= other_kernel_i[i];
    end
  end

  // ---- Time: cycles since the last sample, each kernel's grant, the load message; 255 at most --
  function automatic logic [7:0] later(logic [7:0] cycles);
    return (cycles == 8'hFF) ? cycles : cycles + 8'd1;
  endfunction
  logic [7:0]                  spacing_q, sample_age_q, load_age_q;
  logic [NumKernels-1:0][7:0]  grant_age_q;
  kernels_t                    paced_q;   // it has had a grant since pace began
  kernels_t                    whole_q;   // no instalment since its last grant
  logic [4:0]                  firsts_q;  // first blocks since the load message
  logic                        waited_q;  // the kernel that loads did not begin in this cycle
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      spacing_q <= spacing_i;
      {sample_age_q, load_age_q, grant_age_q} <= '1;
      {paced_q, whole_q, firsts_q, waited_q} <= '0;
    end else begin
      sample_age_q <= sample_i ? '0 : later(sample_age_q);
      load_age_q <= load_valid_i ? '0 : later(load_age_q);
      firsts_q <= load_valid_i ? '0 : (first != '0 && firsts_q != '1) ? firsts_q + 5'd1 : firsts_q;
      waited_q <= loading && !load_valid_i && !(u_quota.load_second_q && first == '0);
      for (int unsigned k = 0; k < NumKernels; k++) begin
        grant_age_q[k] <= grant[k] ? '0 : later(grant_age_q[k]);
        if (u_quota.pace_step && u_quota.pace_next[k] && !u_quota.spared_q[k]) whole_q[k] <= 1'b0;
        if (grant[k]) whole_q[k] <= !keeps[k];
      end
      paced_q <= (ends_pace || !pace) ? '0 : paced_q | grant;
    end
  end

  // ---- What a kernel issues while it is late, since its last grant ----
  wide_t [NumKernels-1:0] lanes, late_lanes_q, granted_c_q;
  kernels_t               late_q;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      lanes[k] = '0;
      for (int unsigned i = 0; i < NumSched; i++)
        if (issued_q[i] && issued_kernel_q[i] == KernelW'(k)) lanes[k] += wide_t'(issue_lanes_i[i]);
    end
  end
  always_ff @(posedge clk_i) begin
    late_q <= rst_ni ? late : '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (!rst_ni || grant[k] || !paced_q[k]) begin
        late_lanes_q[k] <= '0;
        if (grant[k]) granted_c_q[k] <= wide_t'(u_quota.value);
      end else if (late_q[k]) begin
        late_lanes_q[k] <= late_lanes_q[k] + lanes[k];
      end
    end
  end

  // ---- Turns: lrr_rotate's picks of others while a warp is eligible ----
  logic [NumWarps-1:0][SlotW:0] others_q, distance;
  logic [NumWarps-1:0]          patient, in_turn;
  always_comb begin
    for (int unsigned w = 0; w < NumWarps; w++) begin
      // places from the last pick to this warp, 1..NumWarps
      distance[w] = (SlotW'(w) > u_pick.last_q) ? (SlotW + 1)'(w) - (SlotW + 1)'(u_pick.last_q) :
          (SlotW + 1)'(NumWarps + w) - (SlotW + 1)'(u_pick.last_q);
      patient[w] = 32'(others_q[w]) < NumWarps;
      in_turn[w] = 32'(others_q[w]) + 32'(distance[w]) <= NumWarps;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned w = 0; w < NumWarps; w++) begin
      if (!rst_ni || policy_i != PolicyLrrRotate || !eligible[w] ||
          (pick_valid && pick == SlotW'(w))) others_q[w] <= '0;
      else if (pick_valid) others_q[w] <= others_q[w] + 1'b1;
    end
  end

  // ---- Cycles in which a kernel that has more left than is due, nobody else late, with a warp
  // that is able and its gate not shut for its own load, does not issue ----
  logic [NumKernels-1:0][2:0] waits_q;
  kernels_t                   alone, prompt;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      alone[k] = paced_q[k] && qos_i[k] && runnable_i[k] && due_over[k] && has_able[k] &&
          !killed_i[k] && !lowest_load[k] && !issue_inhibit_i &&
          (late & ~(kernels_t'(1) << k)) == '0;
      prompt[k] = waits_q[k] <= (tight_q[k] ? 3'd1 : 3'd2);
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (!rst_ni || !alone[k] || (pick_valid && kernel[pick] == KernelW'(k))) waits_q[k] <= '0;
      else waits_q[k] <= (waits_q[k] == '1) ? '1 : waits_q[k] + 3'd1;
    end
  end

  // ---- What holds of each kernel ----
  // judged in the cycle before, with no more left than what was due, and not kept then
  kernels_t in_time_q;
  always_ff @(posedge clk_i) in_time_q <= rst_ni ? u_quota.to_judge_q & ~due_over & ~keeps : '0;

  kernels_t soon_behind, unjudged, late_judged, got, clean, starts_whole, stays_whole, spaced,
      spared_whole, in_step, quota_bound, overdraft, spends, no_wrap, waits_late, kept_late,
      outlives, had_since;
  localparam int unsigned K = NumKernels;
  for (genvar k = 0; k < NumKernels; k++) begin : g_kernel
    // Nobody but who is kept is behind in the first S - K cycles after a grant.
    assign soon_behind[k] = paced_q[k] && u_quota.behind_q[k] && !kept_q[k] &&
        32'(grant_age_q[k]) + K <= 32'(spacing_q);
    // R-PA-11.
    assign unjudged[k] = paced_q[k] && due_over[k] && !u_quota.to_judge_q[k] &&
        !u_quota.behind_q[k];
    // K + 2 cycles after a sample is seen all are judged.
    assign late_judged[k] = paced_q[k] && qos_i[k] && runnable_i[k] && due_over[k] && !late[k] &&
        32'(sample_age_q) > K;
    // A kernel with a word, or without a block, has had its grant when its load is over, but one
    // that was kept and away.
    assign got[k] = !pace || !word_at_load_q[k] || loads[k] || stayed_q[k] ||
        (paced_q[k] && grant_age_q[k] <= load_age_q);
    // R-PA-17: who is kept is late and tight as long as it has something left.
    assign kept_late[k] = paced_q[k] && kept_q[k] && positive[k] &&
        !(u_quota.behind_q[k] && tight_q[k]);
    // A load that does not keep k leaves nothing of what one before it kept.
    assign outlives[k] = !keep_q[k] && (stayed_q[k] || (kept_q[k] && loaded_q[k]));
    assign quota_bound[k] = !paced_q[k] || late_lanes_q[k] <= wide_t'(quota[k]) +
        wide_t'(2 * NumSched * WarpSize - 1);
    // For the induction.
    assign had_since[k] = loaded_q[k] || &load_age_q || grant_age_q[k] > load_age_q;
    assign clean[k] = u_quota.granted_q[k] || (c[k] == 0 && quota[k] == '0 && !present_q[k]);
    assign starts_whole[k] = !(paced_q[k] && u_quota.spared_q[k]) || whole_q[k];
    assign stays_whole[k] = !(paced_q[k] && whole_q[k]) || (!u_quota.behind_q[k] &&
        due[k] == wide_t'(quota[k]) && c[k] <= due[k]);
    assign spaced[k] = !paced_q[k] || u_quota.spared_q[k] || kept_q[k] ||
        32'(grant_age_q[k]) + K >=
        ((whole_q[k] && !u_quota.to_pace_q[k]) ? 32'(sample_age_q) : 32'(spacing_q));
    assign spared_whole[k] = due[k] >= 0 && due[k] <= wide_t'(quota[k]) &&
        (!(u_quota.to_judge_q[k] && u_quota.spared_q[k]) || paced_q[k]);
    assign in_step[k] = !u_quota.to_judge_q[k] || u_quota.spared_q[k] || kept_q[k] ||
        (wide_t'(u_quota.due_q) == due[k] && wide_t'(u_quota.instalment_q) + 1 ==
            wide_t'(quota[k] >> 7) + wide_t'(quota[k] >> 9) + 2);
    assign overdraft[k] = late_q[k] && c[k] < wide_t'(1) - wide_t'(NumSched * WarpSize) &&
        lanes[k] != 0;
    assign spends[k] = !paced_q[k] || (late_lanes_q[k] + c[k] <= granted_c_q[k] &&
        granted_c_q[k] <= wide_t'(quota[k]));
    assign no_wrap[k] = late_lanes_q[k] >= 0;
    assign waits_late[k] = waits_q[k] == 0 || !paced_q[k] ||
        (u_quota.behind_q[k] && (waits_q[k] == 3'd1 || late_ready_q));
  end

  // Cycles that the loads still take, without first blocks.
  logic [31:0] load_rest;
  assign load_rest = 32'(3 * $countones(loads)) - (u_quota.load_second_q ? 32'd2 : 32'(waited_q));

  kernels_t needs_word;  // kernels with a goal that have had no grant since the load message
  always_comb for (int unsigned k = 0; k < NumKernels; k++)
    needs_word[k] = qos_i[k] && runnable_i[k] && !(paced_q[k] && grant_age_q[k] <= load_age_q);

  kernels_t may_issue;  // late kernels with a warp that is able, whose gate a load does not shut
  assign may_issue = late & has_able & ~killed_i & ~lowest_load;

  // One of them may issue, and the cycle is not theirs.
  logic late_picked, loses, loses_q;
  assign late_picked = pick_valid && late[kernel[pick]];
  assign loses = may_issue != '0 && !issue_inhibit_i && !late_picked;
  always_ff @(posedge clk_i) loses_q <= rst_ni && loses;

  logic [NumKernels-1:0] chosen;
  logic [NumSched-1:0]   counted_present, others_open;
  always_comb begin
    chosen = '0;
    for (int unsigned w = 0; w < NumWarps; w++) if (u_pick.choice[w]) chosen[kernel[w]] = 1'b1;
    for (int unsigned i = 0; i < NumSched; i++) begin
      counted_present[i] = !issued_q[i] || present_q[issued_kernel_q[i]];
      others_open[i] = !other_valid_i[i] || (32'(other_kernel_i[i]) < NumKernels &&
          gate[other_kernel_i[i]] && present_q[other_kernel_i[i]]);
    end
  end
  logic [NumWarps-1:0] warps_present;
  always_comb for (int unsigned w = 0; w < NumWarps; w++)
    warps_present[w] = !resident[w] || (32'(kernel[w]) < NumKernels && present_q[kernel[w]]);

  always_ff @(posedge clk_i) begin
    assume (32'(arrive_kernel_i) < NumKernels && 32'(word_kernel_i) < NumKernels);
    if (rst_ni) begin
      // Of the SM and the manager.
      assume (&counted_present && &others_open && &warps_present &&
          (runnable_i & ~present_q) == '0);
      for (int unsigned i = 0; i < NumSched; i++) assume (32'(issue_lanes_i[i]) <= WarpSize);
      assume (first_quota_i != '0 && (!word_valid_i || word_quota_i != '0));
      assume (load_scheme_i inside {SchemeNone, SchemePace});
      assume (!loading || !(word_valid_i || load_valid_i));
      assume (!(word_valid_i && load_valid_i));
      assume (!sample_i || 32'(sample_age_q) + 1 >= 32'(spacing_q));
      // Of qsm_qaws, proved in formal_qaws: it picks one of those that may issue, if any may.
      assume (policy_valid(32'(policy_i)) && policy_i != PolicyTwoLevel);
      if (policy_has_groups(policy_i)) begin
        assume (u_pick.pick_o == (pick_valid ? NumWarps'(1) << pick : '0));
        assume (!pick_valid || eligible[pick]);
        assume (!u_pick.alone || !pick_valid || policy_i != PolicyQaws || pick == u_pick.shadow);
      end else begin
        assume (u_pick.name == '0 && u_pick.here == '0 && !u_pick.front_issues);
        assume (u_pick.others == chosen);
      end

      // (a) Who is behind issues.
      if (closes) begin
        only_late: assert ((open & ~late) == '0 && (!pick_valid || late_picked));
        beside_tight: assert (!loses);
      end
      if (late_ready_q) behind_ready: assert (!loses && (late == '0 || !pick_valid || late_picked));
      loses_once: assert (!(loses_q && loses));
      if (off_memory && pick_valid && !late_picked) no_memory: assert (!mem_i[pick]);
      judged_at_once: assert (unjudged == '0);
      judged_by_sample: assert (late_judged == '0);
      issues_in_time: assert (&prompt);
      waits_in_turn: assert (&patient);

      // (b) The rest comes to its turn.
      if (pace && !closes && !saving_i) rest_open: assert ((~qos_i & ~lowest_load & ~open) == '0);
      rest_in_gaps: assert (gaps == ((late != '0 && !closes) ? ~late : '0));
      in_time_again: assert ((u_quota.behind_q & in_time_q) == '0);
      none_behind: assert (soon_behind == '0);
      if (pace && loading)
        loads_end: assert (32'(load_age_q) < 3 * K + 2 * 32'(firsts_q) || &load_age_q);
      few_firsts: assert (32'(firsts_q) <= 2 * K);
      loads_reach: assert (&got);
      if (pace && !loading && needs_word == '0 && 32'(load_age_q) + K <= 32'(spacing_q)) begin
        late_are_kept: assert ((late & ~(kept_q & keep_q)) == '0);
        if (keep_q == '0)
          epoch_begins_open: assert (late == '0 && (saving_i || (~qos_i & ~open) == '0));
      end
      debt_is_bounded: assert (&quota_bound);

      // (c) Who is kept, and room (R-PA-17, R-PA-18).
      kept_behind: assert (kept_late == '0);
      if ((paced_q & kept_q & qos_i & runnable_i & positive) != '0) kept_closes: assert (closes);
      keep_ends: assert (outlives == '0);
      if (pace && saving_i && qos_i != '0) room: assert ((open & ~qos_i) == '0);
      if (pace && !closes) room_of_others: assert ((qos_i & positive & ~lowest_load & ~open) == '0);

      // (d) What is full keeps memory instructions of kernels without a goal back, and nothing else
      // (R-PA-19): eligible, which is of the page's words, is what the pick takes.
      if (full_holds && pick_valid) full_no_memory: assert (qos_i[kernel[pick]] || !mem_i[pick]);
      full_alone: assert ((no_mem & ~gaps & (full_holds ? qos_i : '1)) == '0);
      nothing_else: assert (u_pick.eligible == eligible);

      // For the induction: what of the state belongs together.
      state: assert (&clean && &starts_whole && &stays_whole && &spaced && &spared_whole &&
          &in_step && &spends && &no_wrap && &waits_late && &had_since && overdraft == '0);
      schemes: assert (u_quota.scheme_q inside {SchemeNone, SchemePace} &&
          u_quota.paced_q == pace &&
          u_quota.fresh_q == '0 && u_quota.keep_q == keep_q && u_quota.kept_q == kept_q &&
          (kept_q & u_quota.spared_q) == '0 &&
          (pace || (!loading && paced_q == '0)) &&
          has_q == u_quota.shadow_has_q && (loads & word_at_load_q & ~has_q) == '0 &&
          !u_quota.u_elastic.early_q && u_quota.tight_q == tight_q && u_quota.well_q == well_q &&
          (well_q & ~u_quota.behind_q) == '0);
      pacing: assert ($onehot0(u_quota.to_judge_q) && (u_quota.to_pace_q == '0 ||
          32'(sample_age_q) + $countones(u_quota.to_pace_q) <= K) &&
          (u_quota.to_judge_q == '0 || 32'(sample_age_q) <= K));
      load_time: assert (!(pace && loading) || &load_age_q || 32'(load_age_q) + load_rest <=
          3 * K + 2 * 32'(firsts_q));
      firsts: assert (32'(firsts_q) + $countones(~u_quota.granted_q) + $countones(loads) <= 2 * K);
      second: assert (!u_quota.load_second_q || (loading && pace && u_quota.clips_q &&
          !u_quota.keeps_none_q));
      closed: assert (!(u_quota.load_second_q || waited_q) ||
          (lowest_load & u_quota.counted) == '0);
      if (policy_i == PolicyLrrRotate) turns: assert (&in_turn);

      // Who is tight, or well behind, takes six samples and a load: formal_quota reaches both.
      full_beside: cover (full_holds && late == '0 && !pick_valid && free[0] && gate[0] &&
          kernel[0] == 0 && mem_i[0] && !issue_inhibit_i);
      full_passes: cover (full_holds && pick_valid && kernel[pick] == 0 && !qos_i[0] &&
          waits_not_i == '1 && resident == '1 && mem_i[0] && kernel[0] == 0);
      full_with_goal: cover (full_holds && late == '0 && pick_valid && mem_i[pick]);
      late_beside_rest: cover (late[1] && !open[0] && !qos_i[0] && has_able[0] && pick_valid &&
          !issue_inhibit_i);
      open_again: cover (pace && late == '0 && late_q[1] && open[0] && !qos_i[0] && has_able[0] &&
          c[1] > 0);
      in_a_gap: cover (late[1] && pick_valid && kernel[pick] == 0 && loses && qos_i[0]);
      rest_in_gap: cover (late[1] && pick_valid && kernel[pick] == 0 && !loses && !qos_i[0]);
      memory_in_gap: cover (late[1] && pick_valid && kernel[pick] == 0 && !qos_i[0] && mem_i[pick]);
      gap_closed: cover (late[1] && late_ready_q && may_issue == '0 && gate[0] && !pick_valid &&
          waits_not_i == '1 && resident == '1 && unit_free_i[0] && kernel[0] == 0);
      spent_late: cover (pace && late == '0 && late_q[1] && c[1] <= 0 && has_able[1]);
      soonest: cover (late[1] && 32'(grant_age_q[1]) == 32'(spacing_q) + 1 && spacing_q == 8'd5);
      two_in_turn: cover (late[1] && late[2] && others_q[0] == 3 && kernel[0] == 1 && pick == '0 &&
          pick_valid);
      long_load: cover (pace && loading && 32'(load_age_q) == 3 * K && qos_i == '1);
      open_begin: cover (pace && !loading && needs_word == '0 && load_age_q == 8'd9 && spacing_q ==
          8'd12 && qos_i == kernels_t'(6) && runnable_i == '1 && pick_valid && kernel[pick] == 0);
      waits_two: cover (waits_q[1] == 2 && pick_valid && kernel[pick] == 1);
    end
  end
endmodule
