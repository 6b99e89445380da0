// SPDX-License-Identifier: Apache-2.0
// qsm_quota against its rules, written out here a second time (docs/quota_gate.md R-QC,
// docs/schemes.md R-SC, docs/guarantee.md R-PA): the gate, every counter and all that decides about
// it are equal in every cycle. The bounds follow from the rules: a held kernel issues only while
// C > 0, and what it issues is counted a cycle later, so C is never below
// 1 - 2 * NumSched * WarpSize by that; whoever is not held stops at the bound of R-QC-2. Under pace
// those without a goal issue whatever C is, and a load may leave C below by an epoch's
// instructions.
module formal_quota
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumKernels = 2,
  parameter int unsigned NumSched = 2,
  parameter int unsigned WarpSize = 2,
  parameter bit Steady = 0,  // nobody issues, quotas are 9: for what takes many samples
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned LanesW = $clog2(WarpSize + 1)
) (
  input logic                             clk_i,
  input logic [NumSched-1:0]              issue_valid_i,
  input logic [NumSched-1:0][KernelW-1:0] issue_kernel_i,
  input logic [NumSched-1:0][LanesW-1:0]  issue_lanes_i,
  input logic [NumKernels-1:0]            leave_i,     // its last block leaves
  input logic [NumKernels-1:0]            runnable_i,
  input logic                             arrive_valid_i,
  input logic [KernelW-1:0]               arrive_kernel_i,
  input logic [NumKernels-1:0]            qos_i,
  input logic [30:0]                      first_quota_i,
  input logic [19:0]                      epoch_len_i,
  input logic                             tick_i,
  input logic                             sample_i,
  input logic                             word_valid_i,
  input logic [KernelW-1:0]               word_kernel_i,
  input logic [30:0]                      word_quota_i,
  input logic [30:0]                      word_credit_i,
  input logic                             load_valid_i,
  input scheme_e                          load_scheme_i,
  input logic [NumKernels-1:0]            load_keep_i,
  input logic                             saving_i,
  input logic                             full_i
);
  localparam int Debt = 1 << $clog2(4 * NumKernels * NumSched * WarpSize);  // R-QC-2
  localparam int unsigned InsnW = 20 + $clog2(NumSched * WarpSize + 1);

  typedef logic [NumKernels-1:0] kernels_t;
  typedef logic signed [33:0]    wide_t;  // no sum of this block overflows it

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  kernels_t                    present_q, open, gaps, no_mem, throttled, dut_snap_spent;
  logic [NumKernels-1:0][30:0] dut_quota;
  logic [NumKernels-1:0][31:0] dut_snap_c, dut_snap_insn;
  qsm_quota #(.NumKernels(NumKernels), .NumSched(NumSched), .WarpSize(WarpSize)) u_dut (
    .clk_i, .rst_ni, .issue_valid_i, .issue_kernel_i, .issue_lanes_i, .present_i(present_q),
    .runnable_i, .arrive_valid_i, .arrive_kernel_i, .qos_i,
    .first_quota_i, .epoch_len_i, .tick_i, .sample_i, .word_valid_i, .word_kernel_i, .word_quota_i,
    .word_credit_i, .load_valid_i, .load_scheme_i, .load_keep_i,
    .saving_i, .full_i, .open_o(open), .gaps_o(gaps), .no_mem_o(no_mem), .throttled_o(throttled),
    .quota_o(dut_quota),
    .snap_c_o(dut_snap_c),
    .snap_spent_o(dut_snap_spent), .snap_insn_o(dut_snap_insn)
  );

  // ---- State of the page ----
  typedef struct packed {
    logic signed [31:0] c;
    logic [30:0]        quota, word_quota, word_credit;
    logic               granted, has, fresh, to_load, to_refill, keep;
    logic [31:0]        insn, snap_insn, snap_c;
    logic [30:0]        due;
    logic               spared, behind, well_behind, tight, kept, to_pace, to_judge;
  } kernel_t;
  kernel_t [NumKernels-1:0] s_q, s_d;
  scheme_e                  scheme_q;
  logic                     second_q, early_q;
  logic [19:0]              dcnt_q;

  // ---- Gate, R-SC-2; with none and in schemes of whole SMs (R-SG-1) nobody has a quota ----
  function automatic logic limits(scheme_e scheme);
    return !(scheme inside {SchemeNone, SchemeSmStatic, SchemeSpart, SchemeSmqos});
  endfunction
  kernels_t positive, starting, loads, lowest_load, expected_open, expected_throttled, late, tight;
  kernels_t expected_gaps, expected_no_mem;
  logic     held, qos_runs, pace, off_memory;
  assign pace = scheme_q == SchemePace;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      positive[k] = s_q[k].c > 0;
      starting[k] = s_q[k].to_load;
      loads[k] = s_q[k].to_load || s_q[k].fresh;
    end
    held = limits(scheme_q) && (qos_i != '0 || scheme_q == SchemeFair);
    qos_runs = (qos_i & runnable_i & positive) != '0;
    lowest_load = loads & -loads;
    off_memory = 1'b0;  // R-PA-15
    for (int unsigned k = 0; k < NumKernels; k++) begin
      late[k] = qos_i[k] && runnable_i[k] && s_q[k].behind && positive[k];
      tight[k] = late[k] && s_q[k].tight;
      if (late[k] && s_q[k].well_behind) off_memory = 1'b1;
    end
    for (int unsigned k = 0; k < NumKernels; k++) begin
      expected_open[k] = !held || (positive[k] &&
          !(scheme_q == SchemeRolloverTime && !qos_i[k] && qos_runs));
      if (pace && held) begin  // R-PA-8
        expected_open[k] = (tight != '0) ? late[k] : qos_i[k] ? positive[k] : !saving_i;
      end
      expected_gaps[k] = pace && held && late != '0 && tight == '0 && !late[k];
      // R-PA-15, R-PA-19
      expected_no_mem[k] = (expected_gaps[k] && off_memory) ||
          (pace && held && full_i && !qos_i[k]);
      expected_throttled[k] = held && !positive[k] && (qos_i[k] || !pace);
      if (lowest_load[k]) expected_open[k] = 1'b0;
    end
  end

  // ---- Who is granted what in this cycle, R-QC-9 ----
  kernels_t arrives, first, due, waiting, refilled, counted;
  always_comb begin
    counted = '0;
    for (int unsigned i = 0; i < NumSched; i++)
      if (issue_valid_i[i]) counted |= kernels_t'(1) << issue_kernel_i[i];
  end
  logic     loading, acts, to_elastic, timed, early, some_start, elastic;
  assign arrives = arrive_valid_i ? kernels_t'(1) << arrive_kernel_i : '0;
  assign elastic = scheme_q == SchemeElastic;
  assign loading = loads != '0;
  assign to_elastic = load_valid_i && load_scheme_i == SchemeElastic;
  // R-SC-4, R-SC-6.
  assign timed = elastic ? dcnt_q == '0 && (!load_valid_i || to_elastic) : to_elastic;
  assign early = elastic && held && dcnt_q != '0 && !loading && !load_valid_i && runnable_i != '0 &&
      (runnable_i & positive) == '0 && counted == '0;
  assign some_start = timed || early;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      first[k] = arrives[k] && !present_q[k] && !s_q[k].granted;
      waiting[k] = runnable_i[k] && s_q[k].to_refill;
    end
    acts = second_q && first == '0;
    // R-QC-5, R-SC-3.
    due = '0;
    if (held && !elastic && !pace && !loading && !load_valid_i) begin
      if (waiting != '0) due = waiting;
      else if ((runnable_i & positive) == '0 && counted == '0)
        due = (scheme_q == SchemeFair) ? runnable_i : runnable_i & ~qos_i;
    end
    refilled = (first == '0) ? due & -due : '0;
  end

  // ---- Instalments, R-PA-6, R-PA-10 ----
  kernels_t pacing, lowest_pace;
  logic     ends_pace;
  assign ends_pace = load_valid_i && load_scheme_i != SchemePace;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) pacing[k] = s_q[k].to_pace;
    lowest_pace = pacing & -pacing;
  end

  // ---- What the cycle leaves ----
  kernels_t here;
  wide_t [NumKernels-1:0]       lanes, c1;
  logic [NumKernels-1:0][30:0]  elastic_quota;
  function automatic logic signed [31:0] saturated(wide_t value);
    return (value > 34'sd2147483647) ? 32'sh7fff_ffff : 32'(value);
  endfunction
  function automatic logic signed [31:0] rolled_over(kernel_t k);
    logic [31:0] rest;
    rest = (k.c < 0) ? '0 : unsigned'(k.c);
    if (rest > 32'(k.word_credit)) rest = 32'(k.word_credit);
    return signed'(32'(k.word_quota) + rest);
  endfunction
  function automatic wide_t instalment(kernel_t k);
    return wide_t'(k.quota / 128) + wide_t'(k.quota / 512) + 34'sd2;
  endfunction
  function automatic logic [30:0] paid(kernel_t k);
    wide_t rest;
    rest = wide_t'(k.due) - instalment(k);
    return (rest < 0) ? '0 : 31'(rest);
  endfunction
  kernels_t gets_quota, tightens;  // R-PA-5, R-PA-16
  wide_t [NumKernels-1:0] beyond;  // more left than is due
  always_comb begin
    s_d = s_q;
    beyond = '0;
    gets_quota = '0;
    tightens = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (ends_pace) begin
        {s_d[k].behind, s_d[k].well_behind, s_d[k].tight, s_d[k].to_pace, s_d[k].to_judge} = '0;
      end else begin
        s_d[k].to_judge = lowest_pace[k];
        if (lowest_pace[k]) {s_d[k].to_pace, s_d[k].spared} = '0;
        if (lowest_pace[k] && !s_q[k].spared) s_d[k].due = paid(s_q[k]);
        if (pace && sample_i && pacing == '0) s_d[k].to_pace = qos_i[k];
        if (s_q[k].to_judge) begin
          beyond[k] = wide_t'(s_q[k].c) - wide_t'(s_q[k].due);
          s_d[k].behind = beyond[k] > 0;
          s_d[k].well_behind = beyond[k] > ((s_q[k].kept) ? 34'sd0 : 4 * instalment(s_q[k]));
        end
      end

      lanes[k] = '0;
      for (int unsigned i = 0; i < NumSched; i++)
        if (issue_valid_i[i] && issue_kernel_i[i] == KernelW'(k))
          lanes[k] += wide_t'(issue_lanes_i[i]);
      c1[k] = (s_q[k].c < -Debt) ? wide_t'(s_q[k].c) : wide_t'(s_q[k].c) - lanes[k];
      here[k] = present_q[k] || arrives[k];
      elastic_quota[k] = s_q[k].fresh ? s_q[k].word_quota : s_q[k].quota;

      s_d[k].c = 32'(c1[k]);
      s_d[k].to_refill = due[k] && !refilled[k];
      if (refilled[k]) s_d[k].c = 32'(c1[k] + wide_t'(s_q[k].quota));
      if (first[k]) begin
        s_d[k].c = signed'({1'b0, first_quota_i});
        s_d[k].quota = first_quota_i;
        gets_quota[k] = 1'b1;
        s_d[k].granted = 1'b1;
      end
      if (acts && lowest_load[k]) begin
        if (!here[k] && s_q[k].keep && positive[k]) begin  // R-QM-13: all stays
        end else if (!here[k]) begin
          s_d[k].c = '0;
          s_d[k].quota = '0;
          gets_quota[k] = 1'b1;
          s_d[k].granted = 1'b0;
        end else if (elastic) begin  // R-SC-5
          if (s_q[k].to_load)
            s_d[k].c = early_q ? saturated(c1[k] + wide_t'(elastic_quota[k])) :
              signed'({1'b0, elastic_quota[k]});
          s_d[k].quota = elastic_quota[k];
          gets_quota[k] = 1'b1;
          if (s_q[k].fresh) s_d[k].granted = 1'b1;
        end else if (s_q[k].has) begin  // R-QC-4
          s_d[k].c = pace ? 32'(wide_t'(s_q[k].word_quota) - wide_t'(s_q[k].insn)) :
            rolled_over(s_q[k]);
          s_d[k].quota = s_q[k].word_quota;
          gets_quota[k] = 1'b1;
          tightens[k] = s_q[k].well_behind && positive[k];
          s_d[k].granted = 1'b1;
        end
        s_d[k].to_load = 1'b0;
        s_d[k].fresh = 1'b0;
        if (!elastic || s_q[k].fresh) s_d[k].has = 1'b0;
      end
      if (gets_quota[k]) begin
        {s_d[k].due, s_d[k].spared, s_d[k].behind} = {s_d[k].quota, 2'b10};
        s_d[k].well_behind = tightens[k] && s_q[k].keep;
        s_d[k].tight = tightens[k];
        s_d[k].kept = tightens[k] && s_q[k].keep;  // R-PA-17
        if (s_d[k].kept) {s_d[k].due, s_d[k].spared, s_d[k].behind} = {31'd0, 2'b01};
      end
      if (word_valid_i && word_kernel_i == KernelW'(k)) begin
        s_d[k].has = 1'b1;
        s_d[k].word_quota = word_quota_i;
        s_d[k].word_credit = word_credit_i;
      end
      if (load_valid_i) s_d[k].fresh = to_elastic && s_q[k].has;
      if (load_valid_i) s_d[k].keep = !to_elastic && load_keep_i[k];
      if (load_valid_i && !limits(load_scheme_i)) {s_d[k].has, s_d[k].to_load} = '0;
      if (some_start || (load_valid_i && limits(load_scheme_i) && !to_elastic))
        s_d[k].to_load = 1'b1;
      // R-QC-8.
      s_d[k].insn = s_q[k].insn + 32'(unsigned'(lanes[k]));
      if (tick_i) begin
        s_d[k].snap_c = s_q[k].c;
        s_d[k].snap_insn = s_d[k].insn;
        s_d[k].insn = '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      s_q <= '0;
      scheme_q <= SchemeNone;
      {second_q, early_q} <= '0;
      dcnt_q <= '0;
      present_q <= '0;
    end else begin
      s_q <= s_d;
      if (load_valid_i) scheme_q <= load_scheme_i;
      second_q <= first == '0 && loading && !second_q && !load_valid_i && !some_start &&
          (lowest_load & counted) == '0;
      if (some_start) early_q <= early;
      else if (load_valid_i && !to_elastic) early_q <= 1'b0;
      if (some_start) dcnt_q <= epoch_len_i - 1'b1;
      else if (elastic) dcnt_q <= dcnt_q - 1'b1;
      present_q <= (present_q & ~leave_i) | arrives;
    end
  end

  // What is counted was issued in the cycle before, with these gates.
  kernels_t open_q, held_q;
  always_ff @(posedge clk_i) begin
    open_q <= rst_ni ? open : '0;
    held_q <= !(rst_ni && held) ? '0 : pace ? qos_i : '1;
  end

  // R-PA-11: a kernel has more than what is due, and is neither behind nor judged.
  kernels_t ahead, unjudged, judged;
  kernels_t paced_q;  // it has loaded or come since pace began
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      judged[k] = s_q[k].to_judge;
      ahead[k] = wide_t'(s_q[k].c) > wide_t'(s_q[k].due);
      unjudged[k] = paced_q[k] && ahead[k] && !s_q[k].to_judge && !s_q[k].behind;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) paced_q <= '0;
    else if (ends_pace) paced_q <= '0;
    else if (pace) paced_q <= paced_q | gets_quota;
  end

  // ---- The same in the block ----
  kernels_t same_c, same_quota, same_flags, same_word, same_snap, same_insn, no_debt, overdrawn,
      sane, clean, same_due, fits, in_bounds;
  for (genvar k = 0; k < NumKernels; k++) begin : g_same
    assign same_c[k] = u_dut.g_slot[k].c_q == s_q[k].c;
    assign same_quota[k] = dut_quota[k] == s_q[k].quota;
    assign same_flags[k] = {u_dut.granted_q[k], u_dut.shadow_has_q[k], u_dut.fresh_q[k],
        u_dut.to_load_q[k],
        u_dut.to_refill_q[k], u_dut.keep_q[k]}
                           == {s_q[k].granted, s_q[k].has, s_q[k].fresh, s_q[k].to_load,
                               s_q[k].to_refill, s_q[k].keep};
    assign same_word[k] = !(s_q[k].has || s_q[k].fresh) ||
        u_dut.shadow_mem[k] == {s_q[k].word_credit, s_q[k].word_quota};
    assign same_insn[k] = u_dut.g_slot[k].insn_q == s_q[k].insn[InsnW-1:0];
    assign same_snap[k] = dut_snap_c[k] == s_q[k].snap_c &&
        dut_snap_spent[k] == (s_q[k].snap_c[31] || s_q[k].snap_c == '0) &&
        dut_snap_insn[k] == 32'(s_q[k].snap_insn[InsnW-1:0]);
    // A load under pace takes off what an epoch can issue at most.
    assign no_debt[k] = 34'(s_q[k].c) > -(34'sd1 << InsnW);
    assign fits[k] = tick_i || s_d[k].insn < 32'd1 << InsnW;
    assign same_due[k] = {u_dut.behind_q[k], u_dut.well_q[k], u_dut.spared_q[k],
        u_dut.to_pace_q[k], u_dut.to_judge_q[k], u_dut.tight_q[k], u_dut.kept_q[k]} ==
        {s_q[k].behind, s_q[k].well_behind, s_q[k].spared, s_q[k].to_pace, s_q[k].to_judge,
        s_q[k].tight, s_q[k].kept} && (s_q[k].behind || !s_q[k].well_behind) &&
        u_dut.due[k] == s_q[k].due && (!s_q[k].to_judge || s_q[k].spared || s_q[k].kept ||
        (u_dut.due_q == s_q[k].due && wide_t'(u_dut.instalment_q) == instalment(s_q[k]) - 34'sd1));
    // What is due is the quota at first, none without one, and never more.
    assign in_bounds[k] = s_q[k].due <= s_q[k].quota && (!s_q[k].spared ||
        s_q[k].due == s_q[k].quota) && (s_q[k].granted || s_q[k].quota == '0) &&
        (pace || !(s_q[k].behind || s_q[k].tight || s_q[k].to_pace || s_q[k].to_judge ||
            paced_q[k])) &&
        (!(paced_q[k] && s_q[k].spared) || wide_t'(s_q[k].c) <= wide_t'(s_q[k].due)) &&
        (!(s_q[k].to_judge && s_q[k].spared) || paced_q[k]);
    assign overdrawn[k] = held_q[k] && open_q[k] && (s_q[k].c < 1 - int'(NumSched * WarpSize) ||
        (lanes[k] != 0 && c1[k] < 1 - 2 * int'(NumSched * WarpSize)));
    // Of a kernel without a counter C is 0; words are what the assumptions let in.
    assign clean[k] = s_q[k].granted ? 1'b1 : s_q[k].c == 0 && !present_q[k];
    assign sane[k] = !(s_q[k].has || s_q[k].fresh) ||
        (s_q[k].word_quota != '0 && 32'(s_q[k].word_quota) +
        32'(s_q[k].word_credit) < 32'h8000_0000);
  end

  // ---- What the SM keeps to ----
  logic [NumSched-1:0] issues;
  always_comb begin
    for (int unsigned i = 0; i < NumSched; i++) begin
      issues[i] = !issue_valid_i[i] || (32'(issue_kernel_i[i]) < NumKernels &&
          32'(issue_lanes_i[i]) <= WarpSize && present_q[issue_kernel_i[i]]
                  && open_q[issue_kernel_i[i]]);
    end
  end
  logic [KernelW-1:0] loaded;  // lowest_load by number
  always_comb begin
    loaded = '0;
    for (int unsigned k = 0; k < NumKernels; k++) if (lowest_load[k]) loaded = KernelW'(k);
  end

  always_ff @(posedge clk_i) begin
    assume (32'(arrive_kernel_i) < NumKernels && 32'(word_kernel_i) < NumKernels);
    if (rst_ni) begin
      assume (&issues && (runnable_i & ~present_q) == '0);
      assume (first_quota_i != '0 && epoch_len_i >= 2);
      assume (&fits);  // R-QM-1
      assume (scheme_valid(32'(load_scheme_i)));
      assume (!word_valid_i || (word_quota_i != '0 && 32'(word_quota_i) +
          32'(word_credit_i) < 32'h8000_0000));
      assume (elastic || !loading || !(word_valid_i || load_valid_i));
      assume (elastic || !(word_valid_i && load_valid_i));
      // epochs are long enough for the loads
      assume (!(elastic && dcnt_q == '0 && !load_valid_i && starting != '0));

      gate: assert (open == expected_open && gaps == expected_gaps && no_mem == expected_no_mem);
      is_throttled: assert (throttled == expected_throttled);
      counters: assert (&same_c);
      quotas: assert (&same_quota);
      snapshots: assert (&same_snap);
      overdraft: assert (overdrawn == '0);
      debt: assert (&no_debt);
      no_counter: assert (&clean);
      instalments: assert (&same_due && &in_bounds);
      one_judged: assert ($onehot0(judged));
      in_time: assert (unjudged == '0);
      // Beside a late kernel the others have gaps, beside a tight one they are closed; without one
      // nobody waits that is not spent.
      if (pace && late != '0)
        only_late: assert ((open & ~late & ~gaps) == '0 && (gaps & late) == '0);
      if (pace && tight != '0) only_tight: assert ((open & ~late) == '0 && gaps == '0);
      if (pace && late == '0)
        nobody_waits: assert ((~open & ~lowest_load & ~(qos_i & ~positive) &
            ~(saving_i ? ~qos_i : '0)) == '0);
      // For the induction: the rest of the state.
      flags: assert (&same_flags && u_dut.scheme_q == scheme_q && u_dut.load_second_q == second_q &&
          u_dut.paced_q == pace);
      words: assert (&same_word && &sane);
      insns: assert (&same_insn);
      epochs: assert ((!elastic || u_dut.u_elastic.dcnt_q == dcnt_q) &&
          u_dut.u_elastic.early_q == early_q && (elastic || !early_q));
      only_loading: assert (!second_q || loading);
      only_elastic: assert (elastic || loads == starting);
      if (second_q)
        kept: assert (u_dut.keeps_none_q == (elastic ? !early_q : !pace && s_q[loaded].c < 0));
      if (second_q && (elastic || pace || s_q[loaded].has))
        clipped: assert (u_dut.clips_q == (pace || (!elastic &&
            s_q[loaded].c[30:0] > s_q[loaded].word_credit)));
    end
  end

  // Who is well behind takes six samples, and who is tight a load behind them: where all else is
  // free that is too far.
  if (Steady) begin : g_steady
    always_ff @(posedge clk_i) begin
      assume (issue_valid_i == '0 && load_scheme_i == SchemePace && first_quota_i == 31'd9 &&
          word_quota_i == 31'd9 && word_credit_i == '0 && !tick_i && !full_i && !saving_i);
      // kernel 1 is here, has a goal and all words, and a sample comes whenever one counts
      assume (leave_i == '0 && runnable_i == present_q && qos_i == kernels_t'(2) &&
          arrive_kernel_i == KernelW'(1) && word_kernel_i == KernelW'(1) && epoch_len_i == 20'd2);
      if (rst_ni) assume (sample_i == (pacing == '0));
      if (rst_ni) begin
        without_memory: cover (pace && gaps[0] && no_mem[0] && !full_i);
        tight_closes: cover (pace && tight[1] && !s_q[1].kept && !open[0] && lowest_load == '0);
        kept_closes: cover (pace && tight[1] && s_q[1].kept && !open[0] && lowest_load == '0);
      end
    end
  end else begin : g_any
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        spent_exactly: cover (held && s_q[0].c == 1 - 2 * int'(NumSched * WarpSize) &&
            scheme_q == SchemeRollover);
        rolls_over: cover (acts && loaded == 0 && scheme_q == SchemeRollover && s_q[0].has &&
            s_q[0].c > 0 &&
            s_d[0].c > 32'(s_q[0].word_quota));
        outlives: cover (acts && !here[loaded] && s_q[loaded].keep && s_d[loaded].c == 5);
        refills: cover (refilled[1] && s_q[1].to_refill && s_q[0].c > 0);
        early_start: cover (early && s_q[0].c < 0);
        closed_in_time: cover (pace && late[1] && !open[0] && s_q[0].c > 0 && qos_i == 2'b11);
        beside_a_load: cover (gets_quota[0] && pace && lowest_pace[1] && !s_q[1].spared);
        held_back: cover (pace && full_i && late == '0 && no_mem[0] && open[0] && qos_i[1]);
        others_wait: cover (scheme_q == SchemeRolloverTime && !open[1] && s_q[1].c > 0 && !loading);
      end
    end
  end
endmodule
