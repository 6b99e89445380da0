// SPDX-License-Identifier: Apache-2.0
// Run-time adjustment of thread blocks: once per epoch a pass over the SMs gives each QoS kernel
// that is behind its goal one TB more where its TBs are not idle, in free room or in that of TBs of
// another kernel, which the preemption engine then takes away (evict flags). Where it has fewer TBs
// than its target, what others have beyond theirs is taken away. Once per epoch too a
// claim makes room on one SM for a kernel that has waited long for its first TB (qsm_tb_late,
// qsm_tb_claim), by the same trial, targets and flags.
// Contract: docs/tb_adjust.md (the time is part of it). While busy_o nothing is dispatched: the
// places of the age orders stand still and the parent's qsm_first_fit is lent to fit_*_o, which
// answers in the next cycle. Cost:
// sequential; one multiplication of 17 by log2(NumSms * MaxTbs + 1) bits.
// Observed by the lockstep monitor: asked, sm_o, ask, idle_q (ASK); gives, takes, asker_idx,
// victim, best_q, raised_o (ADJUST); claim_tried, fits, u_claim.left_q (CLAIM); evict_q, evict_d
// (EVICT); u_late (state).
module qsm_tb_adjust #(
  parameter int unsigned NumSms = 4,      // 1..96
  parameter int unsigned NumKernels = 4,  // 1..8
  parameter int unsigned NumSched = 1,    // sub-cores per SM, 1..4
  parameter int unsigned WarpsPerSm = 8,  // 1..64, multiple of NumSched
  parameter int unsigned MaxTbs = 8,      // TB slots per SM, 1..32
  parameter int unsigned Granules = 32,   // power of two
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned SubW = (NumSched > 1) ? $clog2(NumSched) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned GranW = $clog2(Granules),
  localparam int unsigned FreeW = $clog2(WarpsPerSm / NumSched + 1),
  localparam int unsigned OutW = $clog2(NumSms * MaxTbs + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,

  // When.
  input  logic adjust_i,      // register
  input  logic latecomers_i,  // register
  input  logic snapshot_i,    // pulse: this cycle is E
  input  logic epoch_done_i,  // pulse: E + QosLat
  output logic busy_o,        // ADJUST_BUSY
  // Kernels: registers.
  input  logic [NumKernels-1:0]             qos_i,        // valid, with a goal
  input  logic [NumKernels-1:0][1:0]        level_i,      // priority, 3 before 0
  input  logic [NumKernels-1:0]             busy_i,
  input  logic [NumKernels-1:0]             killed_i,
  // busy, neither killed nor ending, and a block, new or saved, waits
  input  logic [NumKernels-1:0]             has_block_i,
  input  logic [NumKernels-1:0][OutW-1:0]   out_i,        // TBs resident on all SMs
  input  logic [NumKernels-1:0][NumSms-1:0] mask_i,       // may go to this SM now (R-SO-2)
  input  logic [NumKernels-1:0]             capped_i,     // never asks (R-TB-15)
  // goal / IPC of the history, Q6.16; stands still during a pass
  input  logic [NumKernels-1:0][21:0]       ratio_i,
  input  logic                              paced_i,          // SCHEME is pace (R-PA-14)
  input  logic [NumKernels-1:0][6:0]        warps_i,      // per TB: whole * NumSched + rest
  input  logic [NumKernels-1:0][FreeW-1:0]  whole_i,
  input  logic [NumKernels-1:0][SubW-1:0]   rest_i,
  input  logic [NumKernels-1:0][GranW:0]    granules_i,
  // SMs: registers.
  // samples of idle warps; stand still during a pass
  input  logic [NumSms-1:0][NumKernels-1:0][12:0]        idle_i,
  input  logic [NumSms-1:0][NumKernels-1:0][5:0]         cnt_i,
  input  logic [NumSms-1:0][NumSched-1:0][FreeW-1:0]     free_warps_i,
  input  logic [Granules-1:0]                            free_granules_i,  // of sm_o
  input  logic [NumSms-1:0][SubW-1:0]                    first_i,
  // resident TBs, the youngest first
  input  logic [NumSms-1:0][MaxTbs-1:0]                  age_valid_i,
  input  logic [NumSms-1:0][MaxTbs-1:0][TbW-1:0]         age_tb_i,
  input  logic [NumSms-1:0][MaxTbs-1:0][KernelW-1:0]     age_kernel_i,
  // location of this TB on sm_o, in the same cycle:
  output logic [TbW-1:0]                                 look_tb_o,
  input  logic [SubW-1:0]                                look_first_i, // sub-core of its warp 0
  // its first granule, if it has any
  input  logic [GranW-1:0]                               look_base_i,
  // First run of free granules, in the next cycle.
  output logic [Granules-1:0] fit_granules_o,
  output logic [GranW:0]      fit_len_o,
  input  logic                fit_found_i,
  input  logic [Granules-1:0] fit_run_i,
  // Targets: one of the asking kernel more, some of its victim less.
  input  logic                                    alloc_busy_i,
  // pulse: a run of the allocator over all SMs starts
  input  logic                                    alloc_all_i,
  // the allocator writes this SM's targets
  input  logic [NumSms-1:0]                       alloc_we_i,
  input  logic [NumSms-1:0][NumKernels-1:0][5:0]  target_i,
  output logic [SmW-1:0]                          sm_o,
  output logic [NumKernels-1:0]                   raise_o,
  output logic [NumKernels-1:0]                   lower_o,
  output logic [5:0]                              raised_o,
  output logic [5:0]                              lowered_o,
  // pulse: a kernel starves, back to the symmetric targets
  output logic                                    realloc_o,
  // Preemption engine.
  // some SM has a job, or the host's request waits
  input  logic                                    preempting_i,
  input  logic [NumSms-1:0]                       restoring_i,
  input  logic [NumSms-1:0][NumKernels-1:0]       evict_refused_i,  // pulse
  output logic [NumSms-1:0][NumKernels-1:0]       evict_o
);
  localparam int unsigned CountW = $clog2(MaxTbs + 1);
  localparam int unsigned IdleW = 7;        // at most 6400 / 100, of which so many are used:
  localparam int unsigned UsedW = $clog2(WarpsPerSm + 1);
  localparam int unsigned SamplesW = $clog2(2 * 100 * WarpsPerSm + 1);
  localparam int unsigned MarginW = 17;     // 2^16 - ratio
  localparam logic [21:0] One = 22'h10000;  // ratio 1: the goal is reached exactly

  typedef enum logic [3:0] {
    StIdle, StSetup, StDivide, StAsk, StFit, StTrial, StFree, StApply,  // a pass
    StPick, StShadow, StYield, StLower                                  // a claim
  } state_e;
  typedef struct packed {
    logic [2:0] preference;     // 4 - class; 0: no victim
    logic [MarginW-1:0] merit;  // of equal class: idle TBs, or how far above its goal
  } rank_t;
  typedef struct packed {
    rank_t rank;
    logic [NumKernels-1:0] victim;  // one bit
    logic [CountW-1:0] n;
  } choice_t;

  state_e state_q, state_d;
  // an earlier adjustment or a host request is under way: no block is evicted
  logic pending_q;
  logic [SmW-1:0] sm_q;
  logic [NumKernels-1:0] want_q, here_q;    // slots behind their goal; with a TB here
  // asking slots left; slots left to divide for, or to try. Claim: whose it is; who yields next, or
  // the turn
  logic [NumKernels-1:0] asks_q, left_q;
  logic [NumKernels-1:0] lacks_q;           // fewer TBs here than its target, R-TA-13
  logic [NumKernels-1:0][IdleW-1:0] idle_q;
  logic [SamplesW-3:0] samples_q;           // of the idle TBs counted so far, in fours
  choice_t best_q;
  // the cycle before has looked whether the TB fits, so this one decides
  logic looked_q;
  logic fitted_q;                           // the slot that asks has got a TB by a fit
  logic [NumSms-1:0][NumKernels-1:0] evict_q, evict_d;

  // ---- start and end, R-TA-1, R-TA-6 ----
  logic [NumKernels-1:0] wants;
  logic claiming;
  logic act;                                // this cycle of the pass or claim counts
  always_comb for (int unsigned k = 0; k < NumKernels; k++) wants[k] = qos_i[k] && has_block_i[k] &&
      ratio_i[k] > One;
  assign busy_o = state_q != StIdle;
  assign claiming = state_q == StPick || state_q == StShadow || state_q == StYield ||
      state_q == StLower;

  // ---- this SM, the slot that asks, the slot that is looked at ----
  logic [NumKernels-1:0] yields;            // claim: yields next
  logic [NumKernels-1:0] late, here, asker, slot, asks_after, left_after;
  logic [KernelW-1:0] asker_idx, slot_idx;
  logic [NumKernels-1:0][5:0] cnt, target;
  logic [NumKernels-1:0][12:0] samples;
  assign cnt = cnt_i[sm_q];
  assign target = target_i[sm_q];
  assign samples = idle_i[sm_q];
  assign asker = asks_q & (~asks_q + NumKernels'(1));
  assign slot = left_q & (~left_q + NumKernels'(1));
  assign asks_after = asks_q & ~asker;
  assign left_after = left_q & ~slot;
  always_comb begin
    asker_idx = '0;
    slot_idx = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      here[k] = cnt[k] != '0;
      if (asker[k]) asker_idx = KernelW'(k);
      if (slot[k]) slot_idx = KernelW'(k);
    end
  end
  assign act = busy_o && !alloc_busy_i && !snapshot_i &&
      !(claiming && (epoch_done_i || (late & asker) == '0));
  // Steps of two cycles, R-TA-3, R-TA-4, R-TA-11: the second of each.
  logic at_fit, at_free, at_yield;
  assign at_fit = looked_q && state_q == StFit;
  assign at_free = looked_q && state_q == StFree;
  assign at_yield = looked_q && state_q == StYield;

  // ---- idle TBs of a slot, R-TA-2: how often its 100 samples per warp fit into what was counted
  // ----
  // Their 25 fours as sums: a multiplier would lie far away, and takes as long as many LUTs.
  logic [SamplesW-3:0] samples_next, warps_of_slot;
  logic one_more;
  assign warps_of_slot = (SamplesW-2)'(warps_i[slot_idx]);
  assign samples_next = samples_q + (warps_of_slot << 4) + (warps_of_slot << 3) + warps_of_slot;
  assign one_more = samples_next <= (SamplesW-2)'(samples[slot_idx] >> 2);

  // ---- kernels that ask, R-TA-3, R-TA-13, R-TB-15 ----
  logic [NumKernels-1:0] ask, lacks, surplus;
  logic asked;                              // ASK event
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      lacks[k]   = latecomers_i && cnt[k] < target[k];
      surplus[k] = cnt[k] > target[k];
      ask[k] = want_q[k] && !capped_i[k] && mask_i[k][sm_q] && idle_q[k] <= IdleW'(1) &&
          (lacks[k] || (cnt[k] >= target[k] && target[k] < 6'(MaxTbs)));
    end
  end
  assign asked = act && state_q == StAsk;

  // ---- trial, R-TA-4 ----
  logic fits, gives, some_left, trial_ends, goes;
  logic [CountW-1:0] n;                     // TBs of the slot that are freed
  assign trial_ends = at_free && (fits || !some_left);
  // What the second cycle of a step wants of the slot stands still since the first.
  logic [KernelW-1:0] tried, tried_q;             // slot_idx
  logic [MaxTbs-1:0][KernelW-1:0] age_kernel_q;   // of sm_q
  always_comb begin
    tried = slot_idx;
    if (state_q == StYield) begin
      tried = '0;
      for (int unsigned k = 0; k < NumKernels; k++) if (yields[k]) tried = KernelW'(k);
    end
  end
  always_ff @(posedge clk_i) begin
    tried_q <= tried;
    age_kernel_q <= age_kernel_i[sm_q];
  end
  qsm_tb_trial #(
    .NumKernels(NumKernels), .NumSched(NumSched), .WarpsPerSched(WarpsPerSm / NumSched),
    .MaxTbs(MaxTbs), .Granules(Granules)
  ) u_trial (
    .clk_i, .rst_ni,
    .age_valid_i(age_valid_i[sm_q]), .age_tb_i(age_tb_i[sm_q]), .age_kernel_i(age_kernel_q),
    .warps_i(free_warps_i[sm_q]), .granules_i(free_granules_i), .first_i(first_i[sm_q]),
    .load_i(act && (state_q == StSetup || state_q == StShadow)),
    .restart_i(act && (state_q == StTrial || state_q == StApply)),
    .whole_i(whole_i[asker_idx]), .rest_i(rest_i[asker_idx]), .granules_o(fit_granules_o),
    .found_i(fit_found_i), .run_i(fit_run_i),
    .fits_o(fits), .take_i(gives),
    .kernel_i(tried_q), .some_o(some_left), .tb_o(look_tb_o), .freed_o(n),
    .free_i((act && at_free && !trial_ends) || (goes && some_left)),
    .freed_whole_i(whole_i[slot_idx]), .freed_rest_i(rest_i[slot_idx]),
    .freed_first_i(look_first_i), .freed_base_i(look_base_i),
    .freed_granules_i(granules_i[slot_idx])
  );
  assign fit_len_o = granules_i[asker_idx];

  // ---- ranking of victims, R-TA-5 ----
  logic [MarginW-1:0] margin, margin_q;     // 2^16 - ratio, or 0; in the cycle before
  // TBs that it can lose and still reach its goal, times 2^16
  logic [MarginW+OutW-1:0] spare;
  rank_t rank;
  logic better;
  assign margin = (ratio_i[slot_idx] < One) ? MarginW'(One - ratio_i[slot_idx]) : '0;
  always_ff @(posedge clk_i) margin_q <= margin;
  assign spare = (MarginW+OutW)'(margin_q) * (MarginW+OutW)'(out_i[slot_idx]);
  always_comb begin
    rank = '0;
    if (!qos_i[slot_idx]) rank = '{preference: 3'd4, merit: MarginW'(idle_q[slot_idx])};
    else if (idle_q[slot_idx] > IdleW'(n))
      rank = '{preference: 3'd3, merit: MarginW'(idle_q[slot_idx])};
    else if (spare > {(MarginW+OutW-16)'(n), 16'd0}) rank = '{preference: 3'd2, merit: margin_q};
    else if (level_i[slot_idx] < level_i[asker_idx])
      rank = '{preference: 3'd1, merit: MarginW'(idle_q[slot_idx])};
  end
  assign better = fits && rank > best_q.rank;  // of equals the lower slot, which came first, stays

  // ---- latecomers, R-TA-10, R-TA-11: the claiming kernel, the SM, the victims ----
  logic [NumKernels-1:0] claim;             // starts for this one
  logic [SmW-1:0] claim_sm_q, n_picks_q;    // the next; how many a claim has looked at
  logic [NumSms-1:0] settled;
  logic [CountW-1:0] n_gone;
  logic picked, claim_tried;                // CLAIM event
  logic [NumKernels-1:0] waits, latecomer;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      waits[k] = has_block_i[k] && out_i[k] == '0;
      latecomer[k] = waits[k] && mask_i[k] != '0;
    end
  end
  qsm_tb_late #(.NumSms(NumSms), .NumKernels(NumKernels)) u_late (
    .clk_i, .rst_ni, .latecomers_i, .snapshot_i, .epoch_done_i, .waits_i(latecomer),
    .rests_i(!busy_o && !alloc_busy_i && evict_q == '0),
    .restoring_i, .settled_o(settled), .late_o(late), .claim_o(claim)
  );
  qsm_tb_claim #(.NumKernels(NumKernels), .MaxTbs(MaxTbs)) u_claim (
    .clk_i, .rst_ni, .qos_i, .load_i(act && state_q == StShadow), .cnt_i(cnt), .go_i(goes),
    .slot_i(slot),
    .next_o(yields), .gone_o(n_gone)
  );
  assign picked = act && state_q == StPick;
  assign claim_tried = act && at_yield && (fits || slot == '0);
  assign goes = act && at_yield && !fits && slot != '0;

  // ---- effects on targets and flags, R-TA-3, R-TA-11 ----
  // claims: for the claimer itself; lowers: for another slot
  logic gone, lacking, clears, takes, claims, lowers;  // clears: of all that is too much
  logic [KernelW-1:0] victim;
  logic [CountW-1:0] n_goes;
  logic [5:0] victim_left;
  logic [NumKernels-1:0] evicts;
  assign gone = !busy_i[asker_idx] || killed_i[asker_idx];
  assign lacking = (lacks_q & asker) != '0;
  assign gives = act && at_fit && !gone && fits && !lacking && !(latecomers_i && late != '0);
  assign clears = act && at_fit && !gone && !fits && lacking && !pending_q;
  assign takes = act && state_q == StApply && best_q.rank.preference != '0;
  assign claims = act && state_q == StLower && slot == asker;
  assign lowers = act && state_q == StLower && slot != asker;
  always_comb begin
    victim = '0;
    for (int unsigned k = 0; k < NumKernels; k++) if (best_q.victim[k]) victim = KernelW'(k);
    n_goes = best_q.n;
    if (claiming) begin
      victim = slot_idx;
      n_goes = n_gone;
    end
  end
  assign victim_left = (cnt[victim] > 6'(n_goes)) ? cnt[victim] - 6'(n_goes) : '0;
  assign sm_o = sm_q;
  assign raise_o = (gives || takes || claims) ? asker : '0;
  assign lower_o = takes ? best_q.victim : lowers ? slot : '0;
  assign evicts = (n_goes != '0) ? lower_o : '0;
  assign raised_o = (claiming && target[asker_idx] != '0) ? target[asker_idx] : target[asker_idx] +
      6'd1;
  assign lowered_o = (target[victim] < victim_left) ? target[victim] : victim_left;

  // ---- starved: a lower target removed a kernel's last TB from some SM, R-TA-9 ----
  logic [NumKernels-1:0] starved_q;
  logic starts;
  assign starts = epoch_done_i && adjust_i && !alloc_busy_i && wants != '0;
  assign realloc_o = epoch_done_i && !starts && !alloc_busy_i && (starved_q & waits) != '0;

  // ---- evict flags, R-TA-7 ----
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      for (int unsigned k = 0; k < NumKernels; k++) begin
        evict_d[i][k] = evict_q[i][k] && cnt_i[i][k] > target_i[i][k] && !evict_refused_i[i][k] &&
            !alloc_we_i[i];
      end
      if (sm_q == SmW'(i)) evict_d[i] |= clears ? surplus : evicts;
    end
  end
  assign evict_o = evict_q;

  // ---- pass, claim ----
  logic asker_done, sm_done, again;
  assign again = gives && paced_i && raised_o < 6'(MaxTbs);
  assign asker_done = (at_fit && (gone || fits || lacking || pending_q || fitted_q) && !again) ||
      state_q == StApply;
  assign sm_done = (asked && ask == '0) || (asker_done && asks_after == '0) || takes;
  always_comb begin
    state_d = state_q;
    case (state_q)
      StIdle:   if (claim != '0) state_d = StPick;
      StSetup:  state_d = (here != '0) ? StDivide : StAsk;
      StDivide: if (!one_more && left_after == '0) state_d = StAsk;
      StAsk:    state_d = StFit;
      StFit:    if (at_fit && !asker_done && !again) state_d =
          ((here_q & ~asker) != '0) ? StTrial : StApply;
      StTrial:  state_d = StFree;
      StFree:   if (trial_ends) state_d = (left_after != '0) ? StTrial : StApply;
      StApply:  state_d = StFit;
      StPick: begin
        if (mask_i[asker_idx][claim_sm_q] && settled[claim_sm_q]) state_d = StShadow;
        else if (n_picks_q == SmW'(NumSms - 1)) state_d = StIdle;
      end
      StShadow: state_d = StYield;
      StYield:  if (claim_tried) state_d = fits ? StLower : StIdle;
      StLower:  if (slot[NumKernels-1]) state_d = StIdle;
      default:  state_d = StIdle;
    endcase
    if (sm_done) state_d = (sm_q == SmW'(NumSms - 1)) ? StIdle : StSetup;
    if (busy_o && !act) state_d = StIdle;
    if (starts) state_d = StSetup;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      sm_q <= '0;
      claim_sm_q <= '0;
      n_picks_q <= '0;
      starved_q <= '0;
      evict_q <= '0;
    end else begin
      state_q <= state_d;
      if (state_q == StIdle || epoch_done_i) sm_q <= '0;
      else if (sm_done) sm_q <= sm_q + SmW'(1);
      if (picked) begin
        sm_q <= claim_sm_q;
        claim_sm_q <= (claim_sm_q == SmW'(NumSms - 1)) ? '0 : claim_sm_q + SmW'(1);
      end
      n_picks_q <= picked ? n_picks_q + SmW'(1) : '0;
      starved_q <= alloc_all_i ? '0 : starved_q | ((lowered_o == '0) ? evicts : '0);
      evict_q <= evict_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      want_q <= '0;
      pending_q <= 1'b0;
      here_q <= '0;
      asks_q <= '0;
      lacks_q <= '0;
      left_q <= '0;
      idle_q <= '0;
      samples_q <= '0;
      best_q <= '0;
      looked_q <= 1'b0;
      fitted_q <= 1'b0;
    end else begin
      looked_q <= act && !looked_q && state_q inside {StFit, StFree, StYield};
      if (epoch_done_i) begin
        want_q <= wants;
        pending_q <= evict_q != '0 || preempting_i;
      end
      case (state_q)
        StIdle: asks_q <= claim;
        StSetup: begin
          fitted_q <= 1'b0;
          here_q <= here;
          left_q <= here;
          idle_q <= '0;
          samples_q <= '0;
        end
        StDivide: begin
          samples_q <= one_more ? samples_next : '0;
          if (one_more) idle_q[slot_idx] <= IdleW'(UsedW'(idle_q[slot_idx] + IdleW'(1)));
          else left_q <= left_after;
        end
        StAsk: begin
          asks_q <= ask;
          lacks_q <= lacks;
        end
        StFit: begin
          best_q <= '0;
          left_q <= here_q & ~asker;
          if (asker_done) asks_q <= asks_after;
          if (at_fit) fitted_q <= again;
        end
        StFree: begin
          if (at_free && better) best_q <= '{rank: rank, victim: slot, n: n};
          if (trial_ends) left_q <= left_after;
        end
        StApply: asks_q <= asks_after;
        StYield: begin
          if (!looked_q) left_q <= yields;
          else if (fits) left_q <= NumKernels'(1);
        end
        StLower: left_q <= left_q << 1;
        default: ;
      endcase
    end
  end

`ifndef SYNTHESIS
  logic [MaxTbs-1:0] moved;  // places whose slot is another one than in the cycle before
  always_comb for (int unsigned p = 0; p < MaxTbs; p++)
    moved[p] = age_valid_i[sm_q][p] && age_kernel_q[p] != age_kernel_i[sm_q][p];
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(at_free || (at_yield && slot != '0)) ||
      (tried_q == slot_idx && (margin_q == margin || at_yield) && moved == '0))
    else $error("R-TA-4: a trial's slot is another one in the second cycle");
  // Between two passes lies the rest of an epoch.
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(epoch_done_i && busy_o && !claiming));
  // A TB that goes frees room (R-TA-4), and a victim is no asker (R-TA-3).
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(takes && (best_q.n == '0 || (best_q.victim & asker) != '0)));
  // Who claims has no TB anywhere (R-TA-10): a TB that came in the cycle before the claim ends it
  // before it looks at an SM.
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(claiming && state_q != StPick && act && cnt[asker_idx] != '0));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(raise_o != '0 && raised_o > 6'(MaxTbs)));
`endif
endmodule
