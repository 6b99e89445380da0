// SPDX-License-Identifier: Apache-2.0
// qsm_tb_adjust: when a pass begins and is broken off; who asks; the victim is the first of the
// page's rules in its order; at most one exchange on an SM and none while an earlier one is under
// way; targets, evict flags, starved kernels; a pass ends in time (R-TA-1 to -9); a slot that lacks
// blocks has the surplus of the others flagged, and nothing else (R-TA-13). A claim: whose it
// may be, its steps, who yields, what it leaves of the targets, its time (R-TA-11, -12). Trials
// come out in any way.
module formal_tb_adjust #(
  parameter int unsigned NumSms = 2,
  parameter int unsigned NumKernels = 3,
  parameter int unsigned WarpsPerSm = 2,
  parameter int unsigned MaxTbs = 2,
  parameter int unsigned Granules = 2,
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned GranW = $clog2(Granules),
  localparam int unsigned FreeW = $clog2(WarpsPerSm + 1),
  localparam int unsigned OutW = $clog2(NumSms * MaxTbs + 1),
  localparam int unsigned CountW = $clog2(MaxTbs + 1)
) (
  input logic                                    clk_i,
  input logic                                    adjust_i,
  input logic                                    latecomers_i,
  input logic                                    snapshot_i,
  input logic                                    epoch_done_i,
  input logic [NumKernels-1:0]                   qos_i,
  input logic [NumKernels-1:0][1:0]              level_i,
  input logic [NumKernels-1:0]                   busy_i,
  input logic [NumKernels-1:0]                   killed_i,
  input logic [NumKernels-1:0]                   has_block_i,
  input logic [NumKernels-1:0][OutW-1:0]         out_i,
  input logic [NumKernels-1:0][NumSms-1:0]       mask_i,
  input logic [NumKernels-1:0]                   capped_i,
  input logic [NumKernels-1:0][21:0]             ratio_i,
  input logic [NumKernels-1:0][6:0]              warps_i,
  input logic [NumSms-1:0][NumKernels-1:0][12:0] idle_i,
  input logic [NumSms-1:0][NumKernels-1:0][5:0]  cnt_i,
  input logic                                    alloc_busy_i,
  input logic                                    alloc_all_i,
  input logic [NumSms-1:0]                       alloc_we_i,
  input logic [NumKernels-1:0][5:0]              alloc_target_i,
  input logic                                    preempting_i,
  input logic [NumSms-1:0]                       restoring_i,
  input logic [NumSms-1:0][NumKernels-1:0]       evict_refused_i,
  // Trials: the TB fits; one is left that could go.
  input logic                                    fits_i,
  input logic                                    some_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic                                   busy, realloc;
  logic [SmW-1:0]                         sm;
  logic [NumKernels-1:0]                  raise, lower;
  logic [5:0]                             raised, lowered;
  logic [NumSms-1:0][NumKernels-1:0]      evict;
  logic [NumSms-1:0][NumKernels-1:0][5:0] target_q;
  logic [TbW-1:0]                         look_tb;
  logic [Granules-1:0]                    fit_granules;
  logic [GranW:0]                         fit_len;
  qsm_tb_adjust #(.NumSms(NumSms), .NumKernels(NumKernels), .WarpsPerSm(WarpsPerSm),
      .MaxTbs(MaxTbs), .Granules(Granules)) u_dut (
    .clk_i, .rst_ni, .adjust_i, .latecomers_i, .snapshot_i, .epoch_done_i, .busy_o(busy), .qos_i,
    .level_i, .busy_i, .killed_i, .has_block_i, .out_i, .mask_i, .capped_i, .ratio_i,
    .paced_i(1'b0),
    .warps_i, .whole_i('0), .rest_i('0), .granules_i('0), .idle_i, .cnt_i, .free_warps_i('0),
    .free_granules_i('0), .first_i('0),
    .age_valid_i({NumSms{MaxTbs'(some_i)}}), .age_tb_i('0), .age_kernel_i('0), .look_tb_o(look_tb),
    .look_first_i('0), .look_base_i('0),
    .fit_granules_o(fit_granules), .fit_len_o(fit_len), .fit_found_i(fits_i), .fit_run_i('0),
    .alloc_busy_i, .alloc_all_i, .alloc_we_i, .target_i(target_q),
    .sm_o(sm), .raise_o(raise), .lower_o(lower), .raised_o(raised), .lowered_o(lowered),
    .realloc_o(realloc),
    .preempting_i, .restoring_i, .evict_refused_i, .evict_o(evict)
  );

  // ---- R-TA-1, R-TA-7, R-TA-9: passes, flags, starved kernels ----
  logic                              pass_q, claim_q, pending_q, begins, broken;
  logic [NumKernels-1:0][CountW-1:0] goes_q;  // blocks of each slot that go in the claim
  logic [NumKernels-1:0]             wants, want_q, starved_q, starving;
  logic [NumSms-1:0][NumKernels-1:0] flag_q, flag_d;
  logic                              clears;  // a slot lacks blocks, and none fits (R-TA-13)
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      wants[k] = qos_i[k] && has_block_i[k] && ratio_i[k] > 22'h10000;
      starving[k] = starved_q[k] && has_block_i[k] && out_i[k] == '0;
      for (int unsigned i = 0; i < NumSms; i++) begin
        flag_d[i][k] = flag_q[i][k] && cnt_i[i][k] > target_q[i][k] && !evict_refused_i[i][k] &&
            !alloc_we_i[i];
        if (lower[k] && 32'(sm) == i && (!claim_q || goes_q[k] != '0)) flag_d[i][k] = 1'b1;
        if (clears && 32'(sm) == i && cnt_i[i][k] > target_q[i][k]) flag_d[i][k] = 1'b1;
      end
    end
    begins = epoch_done_i && adjust_i && !alloc_busy_i && wants != '0;
    broken = snapshot_i || alloc_busy_i;
  end

  // ---- R-TA-3 to -5, of the SM and the asking slot at hand ----
  typedef struct packed {
    logic [2:0] rule;  // class, 4: no victim
    logic [CountW-1:0] n;
    logic [6:0] idle;
    logic [21:0] ratio;
  } trial_t;
  logic   [NumKernels-1:0]      here_q, tried_q;
  trial_t [NumKernels-1:0]      trials_q;
  trial_t                       judged;
  logic   [NumKernels-1:0][6:0] idle;   // idle blocks, as the block has counted them
  logic   [KernelW-1:0]         slot;   // that is tried
  logic                         found;
  logic   [KernelW-1:0]         chosen;
  assign idle = u_dut.idle_q;
  assign slot = u_dut.slot_idx;
  always_comb begin
    judged = '{rule: 3'd4, n: u_dut.n, idle: idle[slot], ratio: ratio_i[slot]};
    if (fits_i) begin
      if (!qos_i[slot]) judged.rule = 3'd0;
      else if (32'(idle[slot]) >= 32'(u_dut.n) + 1) judged.rule = 3'd1;
      else if (32'(out_i[slot]) > 32'(u_dut.n) &&
          (40'(out_i[slot]) - 40'(u_dut.n)) << 16 > 40'(ratio_i[slot]) *
          40'(out_i[slot])) judged.rule = 3'd2;
      else if (level_i[u_dut.asker_idx] > level_i[slot]) judged.rule = 3'd3;
    end
    found = 1'b0;
    chosen = '0;
    for (int unsigned m = 0; m < NumKernels; m++) begin
      if (tried_q[m] && trials_q[m].rule < 3'd4) begin
        logic better;
        better = !found || trials_q[m].rule < trials_q[chosen].rule;
        if (found && trials_q[m].rule == trials_q[chosen].rule) begin
          better = (trials_q[m].rule == 3'd2) ? trials_q[m].ratio < trials_q[chosen].ratio :
            trials_q[m].idle > trials_q[chosen].idle;
        end
        if (better) {found, chosen} = {1'b1, KernelW'(m)};
      end
    end
  end

  // in_...: either of the two cycles of the step; at_...: the second, which decides.
  logic         act, at_setup, at_divide, at_ask, at_fit, at_trial, at_free, at_apply, took_q;
  logic         in_fit, in_free, looked;
  logic [5:0]   left_over;
  logic [NumKernels-1:0] claim, late, whose_q, evicts;
  logic [NumSms-1:0]     settled;
  assign claim = u_dut.u_late.claim_o;
  assign late = u_dut.u_late.late_o;
  assign settled = u_dut.u_late.settled_o;
  always_comb for (int unsigned k = 0; k < NumKernels; k++) evicts[k] = lower[k] &&
      (!claim_q || goes_q[k] != '0);
  logic [SmW-1:0] sm_q;
  assign act = pass_q && !broken;
  assign at_setup = u_dut.state_q == 4'd1;
  assign at_divide = u_dut.state_q == 4'd2;
  assign at_ask = u_dut.state_q == 4'd3;
  assign looked = u_dut.looked_q;
  assign in_fit = u_dut.state_q == 4'd4;
  assign at_fit = in_fit && looked;
  assign at_trial = u_dut.state_q == 4'd5;
  assign in_free = u_dut.state_q == 4'd6;
  assign at_free = in_free && looked;
  assign at_apply = u_dut.state_q == 4'd7;
  assign left_over = (cnt_i[sm][chosen] > 6'(trials_q[chosen].n)) ? cnt_i[sm][chosen] -
      6'(trials_q[chosen].n) : '0;
  always_ff @(posedge clk_i) begin
    sm_q <= sm;
    if (!rst_ni) begin
      {pass_q, claim_q, starved_q, flag_q, took_q, target_q} <= '0;
    end else begin
      flag_q <= flag_d;
      took_q <= pass_q && lower != '0;
      starved_q <= alloc_all_i ? '0 : starved_q | (evicts & {NumKernels{lowered == '0}});
      if (begins) {pass_q, want_q, pending_q} <= {1'b1, wants, flag_q != '0 || preempting_i};
      else pass_q <= pass_q && busy && u_dut.state_d != 4'd0;
      if (claim != '0) {claim_q, whose_q} <= {1'b1, claim};
      else claim_q <= claim_q && u_dut.state_d != 4'd0 && !begins;
      for (int unsigned k = 0; k < NumKernels; k++) begin
        for (int unsigned i = 0; i < NumSms; i++)
          if (alloc_we_i[i]) target_q[i][k] <= alloc_target_i[k];
        if (raise[k]) target_q[sm][k] <= raised;
        if (lower[k]) target_q[sm][k] <= lowered;
        if (act && at_setup) here_q[k] <= cnt_i[sm][k] != '0;
      end
      if (at_fit) tried_q <= '0;
      if (at_free && u_dut.trial_ends) begin
        tried_q[slot] <= 1'b1;
        trials_q[slot] <= judged;
      end
    end
  end

  logic [NumKernels-1:0] asker, may_ask, asks_ok, divided, counting, lack, lack_q;
  logic                  in_range, better_known;
  assign asker = u_dut.asker;
  always_comb begin
    in_range = 1'b1;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      lack[k] = latecomers_i && target_q[sm][k] > cnt_i[sm][k];
      may_ask[k] = want_q[k] && !capped_i[k] && mask_i[k][sm] && idle[k] <= 7'd1 && (lack[k] ||
          (target_q[sm][k] <= cnt_i[sm][k] && 32'(target_q[sm][k]) < MaxTbs));
      asks_ok[k] = !u_dut.asks_q[k] || lack_q[k] || 32'(target_q[sm][k]) < MaxTbs;
      divided[k] = here_q[k] ? 32'(idle[k]) * 100 * 32'(warps_i[k]) <= 32'(idle_i[sm][k]) &&
          32'(idle_i[sm][k]) < (32'(idle[k]) + 1) * 100 * 32'(warps_i[k])
                             : idle[k] == '0;
      counting[k] = (here_q[k] && !u_dut.left_q[k]) ? divided[k]
                    : u_dut.slot[k] ? 32'(u_dut.samples_q) * 4 == 32'(idle[k]) * 100 *
                        32'(warps_i[k]) && 32'(u_dut.samples_q) * 4 <= 32'(idle_i[sm][k])
                    : idle[k] == '0;
      if (32'(warps_i[k]) < 1 || 32'(warps_i[k]) > WarpsPerSm || 32'(alloc_target_i[k]) > MaxTbs ||
          32'(out_i[k]) > NumSms * MaxTbs)
        in_range = 1'b0;
      for (int unsigned i = 0; i < NumSms; i++)
        if (32'(cnt_i[i][k]) > MaxTbs || 32'(idle_i[i][k]) > 100 * WarpsPerSm ||
            cnt_i[i][k] > 6'(out_i[k]))
          in_range = 1'b0;
    end
    better_known = u_dut.best_q.rank.preference == '0 ? !found
                   : found && u_dut.best_q.victim == NumKernels'(1) << chosen &&
                       u_dut.best_q.n == trials_q[chosen].n
                     && u_dut.best_q.rank.preference == 3'd4 - trials_q[chosen].rule
                     && 32'(u_dut.best_q.rank.merit)
                        == ((trials_q[chosen].rule == 3'd2) ? 32'h10000 -
                            32'(trials_q[chosen].ratio) : 32'(trials_q[chosen].idle));
  end

  always_ff @(posedge clk_i) if (at_ask) lack_q <= lack;
  assign clears = act && at_fit && (asker & lack_q & busy_i & ~killed_i) != '0 && !fits_i &&
      !pending_q;

  // ---- R-TA-11: the steps of a claim; blocks that are left and that go, as they are picked ----
  logic act_claim, at_pick, at_picture, in_yield, at_yield, at_lower, ended_q, none_left, next_ok,
      gives,
      takes_sm, met_q;
  logic [NumKernels-1:0][CountW-1:0] left_q, there_q;
  logic [NumKernels-1:0] may_go, next, turn, kept_count, lowered_ok;
  logic [$clog2(NumKernels)-1:0] turn_idx;
  logic [SmW-1:0] claim_sm_q;
  logic [6:0] all_left;
  assign act_claim = claim_q && !broken && !epoch_done_i && (late & whose_q) != '0;
  assign gives = (busy_i & ~killed_i & ~lack_q & asker) != '0 && fits_i &&
      !(latecomers_i && late != '0);
  assign takes_sm = mask_i[u_dut.asker_idx][claim_sm_q] && settled[claim_sm_q];
  assign at_pick = u_dut.state_q == 4'd8;
  assign at_picture = u_dut.state_q == 4'd9;
  assign in_yield = u_dut.state_q == 4'd10;
  assign at_yield = in_yield && looked;
  assign at_lower = u_dut.state_q == 4'd11;
  assign next = u_dut.left_q;
  assign turn = u_dut.left_q;
  always_comb begin
    next_ok = $onehot(next);
    turn_idx = '0;
    all_left = '0;
    for (int unsigned m = 0; m < NumKernels; m++) begin
      may_go[m] = !whose_q[m] && left_q[m] != '0;
      if (turn[m]) turn_idx = $bits(turn_idx)'(m);
      if (!whose_q[m]) all_left += 7'(left_q[m]);
      kept_count[m] = u_dut.u_claim.left_q[m] == left_q[m] &&
          u_dut.u_claim.gone_q[m] == goes_q[m] && 32'(goes_q[m]) + 32'(left_q[m]) == 32'(there_q[m])
                      && 32'(there_q[m]) <= MaxTbs && cnt_i[sm][m] <= 6'(there_q[m]) &&
                          (!whose_q[m] || there_q[m] == '0);
      // What it leaves, of the slots that have had their turn.
      lowered_ok[m] = whose_q[m] ? target_q[sm][m] != '0 : 32'(target_q[sm][m]) <= 32'(left_q[m]);
    end
    none_left = may_go == '0;
    for (int unsigned m = 0; m < NumKernels; m++) begin
      for (int unsigned o = 0; o < NumKernels; o++) begin
        if (next[m] && !may_go[m]) next_ok = 1'b0;
        if (next[m] && may_go[o] && o != m
            && !(qos_i[m] == qos_i[o] ? (left_q[m] > left_q[o] || (left_q[m] == left_q[o] && m > o))
                : qos_i[o])) next_ok = 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {claim_sm_q, ended_q, met_q} <= '0;
    else begin
      ended_q <= act_claim && at_lower && turn[NumKernels-1];
      if (act_claim && at_pick)
        claim_sm_q <= (32'(claim_sm_q) == NumSms - 1) ? '0 : claim_sm_q + 1'b1;
      met_q <= act_claim && at_pick && takes_sm;
      for (int unsigned m = 0; m < NumKernels; m++) begin
        if (act_claim && at_picture)
          {left_q[m], there_q[m], goes_q[m]} <= {{2{CountW'(cnt_i[sm][m])}}, CountW'(0)};
        if (act_claim && at_yield && !fits_i && next[m])
          {left_q[m], goes_q[m]} <= {left_q[m] - 1'b1, goes_q[m] + 1'b1};
      end
    end
  end
  logic [NumKernels-1:0] no_block, some_sm;
  logic [5:0]            claim_over;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      no_block[k] = out_i[k] == '0;
      some_sm[k] = mask_i[k] != '0;
    end
    claim_over = (32'(cnt_i[sm][turn_idx]) > 32'(goes_q[turn_idx])) ? cnt_i[sm][turn_idx] -
        6'(goes_q[turn_idx]) : '0;
  end
  localparam int unsigned ClaimTime = NumSms + 1 + 2 * (MaxTbs + 1) + NumKernels;
  typedef logic [$clog2(ClaimTime + 1)-1:0] claim_time_t;
  claim_time_t claim_left, claim_spent_q;
  logic        claim_was_q;
  always_comb begin
    claim_left = '0;
    if (at_pick) claim_left = claim_time_t'(ClaimTime - 32'(claim_spent_q));
    if (at_picture) claim_left = claim_time_t'(1 + 2 * (MaxTbs + 1) + NumKernels);
    if (in_yield)
      claim_left = claim_time_t'(2 * (32'(all_left) + 1) - 32'(looked) + NumKernels);
    if (at_lower) claim_left = claim_time_t'(NumKernels - 32'(turn_idx));
  end
  always_ff @(posedge clk_i)
    {claim_was_q, claim_spent_q} <= {claim_q, claim_q ? claim_spent_q + 1'b1 : claim_time_t'(0)};

  // What stands still during a pass.
  logic [NumKernels-1:0][21:0]             ratio_q;
  logic [NumKernels-1:0][6:0]              warps_q;
  logic [NumSms-1:0][NumKernels-1:0][12:0] idle_in_q;
  logic [NumSms-1:0][NumKernels-1:0][5:0]  cnt_q;
  logic                                    only_fall, bounded;
  logic [NumKernels-1:0]                   qos_q;
  logic                                    fit_sms;  // no SM holds more blocks than it has slots
  always_ff @(posedge clk_i)
    {ratio_q, warps_q, idle_in_q, cnt_q, qos_q} <= {ratio_i, warps_i, idle_i, cnt_i, qos_i};
  always_comb begin
    {fit_sms, bounded} = '1;
    for (int unsigned i = 0; i < NumSms; i++) begin
      logic [7:0] n;
      n = '0;
      for (int unsigned k = 0; k < NumKernels; k++) begin
        n += 8'(cnt_i[i][k]);
        if (32'(target_q[i][k]) > MaxTbs) bounded = 1'b0;
      end
      if (32'(n) > MaxTbs) fit_sms = 1'b0;
    end
    only_fall = 1'b1;
    for (int unsigned i = 0; i < NumSms; i++)
      for (int unsigned k = 0; k < NumKernels; k++) if (cnt_i[i][k] > cnt_q[i][k]) only_fall = 1'b0;
  end

  // ---- Time: how many cycles of the pass there can be yet; idle blocks are 64 at most ----
  localparam int unsigned PerTrial = 2 * MaxTbs + 3, PerAsker = 3 + (NumKernels - 1) * PerTrial,
      PerSm = 1 + NumKernels * 65 + 1 + NumKernels * PerAsker;
  typedef logic [$clog2(NumSms * PerSm + 1)-1:0] time_t;
  time_t left, spent_q, trials_left;
  always_comb begin
    trials_left = time_t'($countones(u_dut.left_q) * PerTrial + 1 + ($countones(u_dut.asks_q) - 1) *
        PerAsker);
    left = time_t'((NumSms - 1 - 32'(sm)) * PerSm);
    if (at_setup) left += time_t'(PerSm);
    if (at_ask || at_divide) left += time_t'(1 + NumKernels * PerAsker);
    for (int unsigned k = 0; k < NumKernels; k++)
      if (at_divide && u_dut.left_q[k]) left += time_t'(65 - 32'(idle[k]));
    if (in_fit) left += time_t'($countones(u_dut.asks_q) * PerAsker - 32'(looked));
    if (at_trial) left += trials_left;
    if (in_free) left += trials_left - 1'b1 - time_t'(2 * 32'(u_dut.n) + 32'(looked));
    if (at_apply) left += time_t'(1 + ($countones(u_dut.asks_q) - 1) * PerAsker);
    if (!pass_q) left = '0;
  end
  always_ff @(posedge clk_i) spent_q <= pass_q ? spent_q + 1'b1 : '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (in_range && !(epoch_done_i && (pass_q || snapshot_i)));
      assume (!pass_q || (ratio_i == ratio_q && warps_i == warps_q && idle_i == idle_in_q &&
          only_fall));
      assume (fit_sms && (!(claim_q && claim_was_q) || only_fall));
      assume (!claim_q || alloc_busy_i || qos_i == qos_q);
      assume ((alloc_we_i == '0 && !alloc_all_i) || alloc_busy_i);
      // it has just been seen not to fit
      assume (!(at_free && u_dut.n == '0 && fits_i));
      assume (!(at_free && 32'(u_dut.n) == MaxTbs && some_i));
      in_a_pass: assert (busy == (pass_q || claim_q) && !(pass_q && claim_q) &&
          u_dut.claiming == claim_q);
      if (pass_q)
        in_time: assert (32'(spent_q) <= NumSms * PerSm && left != '0 && 32'(left) <= NumSms *
            PerSm - 32'(spent_q));
      restores_targets: assert (realloc == (epoch_done_i && !begins && !alloc_busy_i &&
          starving != '0));
      flags: assert (evict == flag_q);
      one_raised: assert ($onehot0(raise) && $onehot0(lower) && (raise & lower) == '0 &&
          (claim_q ? lower == '0 || raise == '0 : lower == '0 || raise != '0));
      if (raise != '0 && pass_q)
        in_bounds: assert (act && raise == asker && raised == target_q[sm][u_dut.asker_idx] +
            6'd1 && 32'(raised) <= MaxTbs
                                       && (raise & want_q) != '0);
      if (lower != '0 && pass_q) no_second_exchange: assert (!pending_q && at_apply);
      if (took_q && pass_q) sm_done: assert (sm == sm_q + 1'b1 && at_setup);
      if (act && at_ask) who_asks: assert (u_dut.ask == may_ask);
      if (act && at_fit) free_room: assert (raise == (gives ? asker : '0) && lower == '0);
      if (act && at_apply) begin
        all_tried: assert (tried_q == (here_q & ~asker));
        victim: assert (raise == (found ? asker : '0) &&
            lower == (found ? NumKernels'(1) << chosen : '0));
        if (found)
          victims_target: assert (lowered == (target_q[sm][chosen] < left_over
              ? target_q[sm][chosen] : left_over));
      end
      if (!(act && (at_fit || at_apply)) && !(act_claim && at_lower))
        nothing_else: assert (raise == '0 && lower == '0);
      // Claims.
      late_from: assert (u_dut.u_late.waits_i == (has_block_i & no_block & some_sm)
                         && u_dut.u_late.rests_i == (!busy && !alloc_busy_i && flag_q == '0) &&
                             u_dut.u_late.restoring_i == restoring_i);
      if (claim_q) begin
        claim_in_time: assert (act_claim ? claim_left != '0 && 32'(claim_spent_q) +
            32'(claim_left) <= ClaimTime : 32'(claim_spent_q) < ClaimTime);
        whose: assert ($onehot(whose_q) && u_dut.asks_q == whose_q);
        claim_steps: assert (at_pick || at_picture || in_yield || at_lower);
        if (at_pick)
          picks_counted: assert (32'(u_dut.n_picks_q) == 32'(claim_spent_q) &&
              32'(claim_spent_q) < NumSms);
        if (act_claim && at_pick) picks: assert ((u_dut.state_d == 4'd9) == takes_sm
                                                 && (u_dut.state_d == 4'd0) ==
                                                     (!takes_sm && 32'(claim_spent_q) == NumSms -
                                                     1));
        if (at_picture) on_its_sms: assert (met_q);
        if (in_yield || at_lower) counted: assert (&kept_count);
        if (act_claim && at_yield) yields: assert (none_left ? next == '0 : next_ok);
        if (act_claim && at_yield)
          told: assert (u_dut.claim_tried == (fits_i || none_left) && sm == u_dut.sm_q);
        if (at_lower) in_turn: assert ($onehot(turn) && ((turn - 1'b1) & ~lowered_ok) == '0);
        if (act_claim && at_lower)
          lowers: assert (raise == (turn & whose_q) && lower == (turn & ~whose_q));
        if (raise != '0)
          claimers_target: assert (raised == (target_q[sm][turn_idx] == '0 ? 6'd1
              : target_q[sm][turn_idx]));
        if (lower != '0)
          others_target: assert (lowered == (target_q[sm][turn_idx] < claim_over
              ? target_q[sm][turn_idx] : claim_over));
      end
      if (ended_q) makes_room: assert (&lowered_ok);
      targets_bounded: assert (bounded);
      sm_kept: assert (u_dut.claim_sm_q == claim_sm_q && 32'(claim_sm_q) < NumSms);
      // For the induction: how it is kept.
      if (looked) two_cycles: assert (in_fit || in_free || in_yield);
      starved_kept: assert (u_dut.starved_q == starved_q && 32'(sm) < NumSms);
      if (pass_q) begin
        want_kept: assert (u_dut.want_q == want_q && u_dut.pending_q == pending_q);
        if (!at_setup) here_kept: assert (u_dut.here_q == here_q);
        if (at_divide)
          dividing: assert (&counting && (u_dut.left_q & ~here_q) == '0 && u_dut.left_q != '0);
        if (!at_setup && u_dut.state_q != 3'd2) divided_all: assert (&divided);
        if (in_fit || at_trial || in_free || at_apply)
          asking: assert (asker != '0 && &asks_ok && (u_dut.asks_q & ~want_q) == '0 &&
              u_dut.lacks_q == lack_q);
        if (at_trial || in_free || at_apply)
          undisturbed: assert (!pending_q && (asker & lack_q) == '0 && better_known &&
              (!found || trials_q[chosen].n != '0) && (tried_q & asker) == '0 &&
              (tried_q & u_dut.left_q) == '0);
        if (in_free) freed: assert (32'(u_dut.n) <= MaxTbs);
        if (at_trial || in_free)
          trying: assert ((tried_q | u_dut.left_q) == (here_q & ~asker) && u_dut.left_q != '0
                                                     && tried_q < (
                                                         u_dut.left_q & (~u_dut.left_q + 1'b1)));
      end
      clears_two: cover (clears && (flag_d[sm] & ~flag_q[sm]) == 3'b101);
      class_two: cover (lower != '0 && trials_q[chosen].rule == 3'd2 && sm == 1);
      class_lower: cover (lower != '0 && trials_q[chosen].rule == 3'd3 && sm == 1);
      most_idle: cover (lower == 3'b100 && tried_q == 3'b101 &&
          trials_q[0].rule == trials_q[2].rule);
      starves: cover (realloc);
      broken_off: cover (pass_q && snapshot_i && at_free);
      claim_ends: cover (ended_q && whose_q == 3'b010 && goes_q[0] == 2 && sm == 1);
      goal_goes_last: cover (act_claim && at_yield && next == 3'b001 && qos_i[0] &&
          goes_q[2] != '0);
      nobody_left: cover (act_claim && at_yield && !fits_i && next == '0);
      pass_instead: cover (claim_q && begins);
      no_sm: cover (act_claim && at_pick && !takes_sm && mask_i[u_dut.asker_idx] == '1 &&
          u_dut.state_d == 4'd0);
      two_given: cover (raise == 3'b010 && at_fit && target_q[sm][0] > cnt_i[sm][0]);
    end
  end
endmodule
