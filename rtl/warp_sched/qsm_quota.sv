// SPDX-License-Identifier: Apache-2.0
// Quota gate and counters of one SM (enhanced warp scheduler of FGQ, 3.3 to 3.5).
//
// Contract: docs/quota_gate.md. Subtracts each kernel's issued thread instructions from its counter
//   and closes the gate of a kernel whose counter is spent. When no kernel can issue, it refills
//   counters or starts the SM's next epoch, depending on the scheme. Under pace it judges with each
//   sample which kernels are behind, and well behind, and leaves the others their gaps, with or
//   without memory, or closes them, and keeps memory instructions of kernels without a goal back
//   while they have their share of memory (docs/guarantee.md). A closed kernel does not issue
//   (R-IS-1).
// Latency: open_o, gaps_o, no_mem_o and throttled_o come from registers; all inputs but full_i act
// at the end of their cycle. An instruction is counted in the cycle after its issue.
// One kernel gets a grant at a time: a grant for a first block and a refill take one cycle, a load
// takes two.
// Cost: per kernel a subtractor and a multiplexer of 32 bits, a counter, about 150 flip-flops and a
//   row of memory for the next quota and for what is due; one adder and one comparator for grants.
//   Pace, which has none in most cycles, reads the counters by their multiplexers and compares by
//   their comparator; of its own it has a subtractor for the kernels in turn.
//
// Observed by the lockstep monitor: c, c_next (QUOTA, in cycles in which they differ); load_done
//   with quota_next, granted_d, scheme_d, u_elastic (QLOAD, R-QC-4).
module qsm_quota
  import qsm_enums_pkg::*;
#(
  parameter  int unsigned NumKernels = 4,  // kernel slots, 1..8
  parameter  int unsigned NumSched   = 1,  // sub-cores, 1..4
  parameter  int unsigned WarpSize   = 4,  // lanes of a warp, 2..32
  localparam int unsigned KernelW    = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned LanesW     = $clog2(WarpSize + 1)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  // per sub-core: an instruction issued in the cycle before
  input  logic [NumSched-1:0]                issue_valid_i,
  input  logic [NumSched-1:0][KernelW-1:0]   issue_kernel_i,
  input  logic [NumSched-1:0][LanesW-1:0]    issue_lanes_i,   // its active lanes, 0..WarpSize
  input  logic [NumKernels-1:0]              present_i,       // kernel has a thread block here
  // and one of them is not frozen (R-SM-5, R-SC-1)
  input  logic [NumKernels-1:0]              runnable_i,
  input  logic                               saving_i,        // one is taken off the SM (R-PA-18)
  input  logic                               full_i,          // from a register (R-PA-19)
  input  logic                               arrive_valid_i,  // a thread block arrives
  input  logic [KernelW-1:0]                 arrive_kernel_i,
  input  logic [NumKernels-1:0]              qos_i,           // valid context with a goal
  // of that kernel: grant of a first block, at least 1
  input  logic [30:0]                        first_quota_i,
  input  logic [19:0]                        epoch_len_i,     // T, for Elastic
  input  logic                               tick_i,          // epoch snapshot
  input  logic                               sample_i,        // pace: an instalment is due
  input  logic                               word_valid_i,    // quota word for the next load
  input  logic [KernelW-1:0]                 word_kernel_i,
  input  logic [30:0]                        word_quota_i,    // at least 1
  // the maximum that the load carries over; quota + credit < 2^31
  input  logic [30:0]                        word_credit_i,
  input  logic                               load_valid_i,    // load the quotas now
  input  scheme_e                            load_scheme_i,
  // absent: keeps what it has left; under pace: is far behind (R-PA-17)
  input  logic [NumKernels-1:0]              load_keep_i,
  output logic [NumKernels-1:0]              open_o,          // gate: the kernel may issue
  output logic [NumKernels-1:0]              gaps_o,          // in gaps only (R-PA-8, R-PA-15)
  // no memory instructions: beside one that is well behind, or full (R-PA-15, R-PA-19)
  output logic [NumKernels-1:0]              no_mem_o,
  // its quota is spent, so it may not issue (R-SC-2)
  output logic [NumKernels-1:0]              throttled_o,
  output logic [NumKernels-1:0][30:0]        quota_o,         // quota loaded last
  output logic [NumKernels-1:0][31:0]        snap_c_o,        // C at the last snapshot, signed
  output logic [NumKernels-1:0]              snap_spent_o,    // it is not above 0
  output logic [NumKernels-1:0][31:0]        snap_insn_o      // instructions of the epoch before it
);
  localparam int unsigned SumW = $clog2(NumSched * WarpSize + 1);
  localparam int unsigned DebtW = $clog2(4 * NumKernels * NumSched * WarpSize);  // R-QC-2: 2^DebtW
  localparam int unsigned InsnW = 20 + SumW;  // an epoch has less than 2^20 cycles (R-QM-1)

  if (NumKernels < 1 || NumKernels > 8) $error("qsm_quota: NumKernels must be 1..8");
  if (NumSched < 1 || NumSched > 4) $error("qsm_quota: NumSched must be 1..4");
  if (WarpSize < 2 || WarpSize > 32) $error("qsm_quota: WarpSize must be 2..32");

  scheme_e                         scheme_q, scheme_d;
  logic signed [31:0]              c [NumKernels];
  logic [NumKernels-1:0][30:0]     quota;
  logic [NumKernels-1:0]           spent, load_next;
  logic [NumKernels-1:0][SumW-1:0] lanes;
  logic [NumKernels-1:0]           counted;  // kernels with an instruction among them
  logic                            held, elastic, paced_q, others_wait, has_gaps;
  // The gate begins with what it asks of the scheme, in one bit each: may a spent counter close it,
  // and if nobody has a goal; is a kernel waited for while its counter is not spent.
  logic                            holds_q, holds_all_q;
  logic [NumKernels-1:0]           first_q, first_d;
  logic [NumKernels-1:0]           behind_q, behind_next, late;  // R-PA-7, R-PA-8
  logic [NumKernels-1:0]           well_q, tight_q;              // R-PA-7, R-PA-16

  // For the lockstep monitor only.
  // verilator lint_off UNUSEDSIGNAL
  logic signed [31:0]              c_next [NumKernels];
  logic [NumKernels-1:0][30:0]     quota_next;
  // the last kernel loads, or a load message switches quotas off
  logic                            load_done;
  // verilator lint_on UNUSEDSIGNAL

  // Lanes per kernel that are counted in this cycle (R-QC-2, R-IS-5).
  always_comb begin
    lanes = '0;
    counted = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned s = 0; s < NumSched; s++) begin
        if (issue_valid_i[s] && issue_kernel_i[s] == KernelW'(k)) begin
          lanes[k] = lanes[k] + SumW'(issue_lanes_i[s]);
          counted[k] = 1'b1;
        end
      end
    end
  end

  // R-SC-2, R-SG-1: kernels with SMs of their own are not held. Without a QoS tenant on the GPU,
  // only Fair limits kernels (B4). Under Rollover-Time the other kernels wait for the QoS kernels
  // that run on this SM (B16).
  // Under pace all wait for those that are behind (R-PA-8), or take their gaps, and kernels without
  // a goal wait for nobody else. Only under pace is somebody behind (R-PA-10).
  assign elastic     = (scheme_q == SchemeElastic);
  assign held        = holds_q && ((|qos_i) || holds_all_q);
  assign late        = qos_i & runnable_i & ~spent & first_q;
  assign others_wait = late != '0;
  assign has_gaps    = paced_q && (late & tight_q) == '0;
  assign gaps_o      = (has_gaps && others_wait) ? ~late : '0;
  assign no_mem_o    = (((late & well_q) != '0) ? gaps_o : '0) |
      ((paced_q && held && full_i) ? ~qos_i : '0);
  assign throttled_o = (held ? spent : '0) & (paced_q ? qos_i : '1);
  assign open_o      = ~throttled_o & ~load_next &
      ((!others_wait || has_gaps) ? '1
          : paced_q ? qos_i & runnable_i & behind_q : qos_i) &  // R-QC-1
      ((paced_q && held && saving_i) ? qos_i : '1);

  // ---- The kernel that gets a grant (R-QC-9) ----
  logic [NumKernels-1:0] shadow_has_q, granted_q, granted_d, to_load_q, to_load_d, fresh_q, fresh_d,
      loads_q,
      loads_left, to_refill_q;
  logic [NumKernels-1:0] keep_q, waiting, candidates, refills, arrives, chosen, grants, gets;
  logic                  words_count, starts, ends, elastic_start, early, load, loading,
      load_second_q,
      may_give, all_spent, refill_due;
  logic                  first, take, here, drop, quota_only, has_word;
  logic [KernelW-1:0]    load_kernel;

  function automatic logic [NumKernels-1:0] lowest(logic [NumKernels-1:0] set);
    return set & (~set + NumKernels'(1));
  endfunction

  assign arrives     = arrive_valid_i ? NumKernels'(1) << arrive_kernel_i : '0;
  assign first       = (arrives & ~present_i & ~granted_q) != '0;
  // A load message makes all kernels load. Under Elastic the kernels load at the SM's next epoch
  // start instead, and the message says which quota words are used (R-SC-4).
  assign words_count = load_valid_i && load_scheme_i == SchemeElastic;
  assign ends        = load_valid_i && scheme_open(load_scheme_i);
  assign starts      = (load_valid_i && !words_count && !ends) || elastic_start;
  assign loads_q     = to_load_q | fresh_q;
  assign loading     = (loads_q != '0);
  assign load_next   = lowest(loads_q);
  assign scheme_d    = load_valid_i ? load_scheme_i : scheme_q;
  assign first_d     = behind_next | {NumKernels{scheme_d == SchemeRolloverTime}};

  // R-QC-5, R-SC-3, R-SC-6: the quotas of all runnable kernels on this SM are spent, and a kernel
  // may get more.
  assign may_give   = held && !loading && !load_valid_i;
  assign all_spent  = (runnable_i & ~spent) == '0 && counted == '0;
  assign waiting    = to_refill_q & runnable_i;
  assign candidates = (waiting != '0) ? waiting : scheme_holds_all(scheme_q) ? runnable_i :
    runnable_i & ~qos_i;
  assign refill_due = may_give && !(scheme_q inside {SchemeElastic, SchemePace}) &&
      (waiting != '0 || all_spent);  // R-PA-9
  assign refills    = refill_due ? candidates : '0;

  qsm_elastic u_elastic (
    .clk_i, .rst_ni, .elastic_i(elastic), .epoch_len_i,
    .change_i    (load_valid_i && elastic != words_count),
    .to_elastic_i(words_count),
    .spent_i     (may_give && all_spent && runnable_i != '0),
    .start_o     (elastic_start),
    .early_o     (early)
  );

  // refill_due is not used here, because it is late in the cycle.
  assign chosen = first ? arrives : loading ? load_next : lowest(candidates);

  always_comb begin
    load_kernel = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (load_next[k]) load_kernel = KernelW'(k);
    end
  end

  assign load       = !first && load_second_q;
  assign here       = ((present_i | arrives) & load_next) != '0;
  assign has_word   = elastic ? fresh_q[load_kernel] : shadow_has_q[load_kernel];
  assign take       = load && here && (has_word || elastic);
  assign drop       = load && !here && (load_next & keep_q & ~spent) == '0;
  assign quota_only = take && !to_load_q[load_kernel];  // R-SC-5: C waits for the SM's start
  assign grants     = (first || take || drop || refills != '0) ? chosen : '0;

  assign loads_left = load ? loads_q & ~load_next : loads_q;
  assign to_load_d  = starts ? '1 : ends ? '0 : loads_left & to_load_q;
  assign fresh_d    = words_count ? shadow_has_q : load_valid_i ? '0 : loads_left & fresh_q;

  always_comb begin
    granted_d = granted_q;
    if (first || (take && has_word)) granted_d |= chosen;
    if (drop) granted_d &= ~chosen;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scheme_q  <= SchemeNone;
      paced_q   <= 1'b0;
      holds_q   <= 1'b0;
      holds_all_q <= 1'b0;
      first_q   <= '0;
      load_second_q  <= 1'b0;
      granted_q <= '0;
      shadow_has_q     <= '0;
      to_load_q    <= '0;
      fresh_q   <= '0;
      to_refill_q  <= '0;
      keep_q    <= '0;
    end else begin
      scheme_q  <= scheme_d;
      paced_q   <= scheme_d == SchemePace;  // a register, since it is on the way to C and the gate
      holds_q   <= !scheme_open(scheme_d);
      holds_all_q <= scheme_holds_all(scheme_d);
      first_q   <= first_d;
      load_second_q  <= !first && loading && !load_second_q && !load_valid_i && !elastic_start &&
          (load_next & counted) == '0;
      granted_q <= granted_d;
      to_refill_q  <= refills & ~grants;
      to_load_q    <= to_load_d;
      fresh_q   <= fresh_d;
      if (load_valid_i) keep_q <= words_count ? '0 : load_keep_i;  // Elastic drops
      if (load && has_word) shadow_has_q[load_kernel] <= 1'b0;
      if (word_valid_i) shadow_has_q[word_kernel_i] <= 1'b1;
      if (ends) shadow_has_q <= '0;
    end
  end

  // ---- New counter value: the quota is added to the rest of the counter. A load keeps the rest up
  // to the credit; after an early start it keeps all of it ----
  logic [61:0]        shadow_mem [NumKernels];  // R-QC-3: credit, quota
  logic [30:0]        shadow_quota, shadow_credit, current, added;
  logic signed [31:0] own, kept, rest, sum, value;
  logic [InsnW-1:0]   insn [NumKernels];
  logic [InsnW-1:0]   load_insn;    // of the kernel that loads
  logic               value_spent;  // it is not above 0
  logic               unused_carry;
  logic               keeps_none_q, clips_q;  // for the kernel that loads, in the second cycle
  logic [NumKernels-1:0] reads_c, reads_quota;
  logic [30:0]        limit;
  logic               over;         // C of the kernel that is read is more than that
  logic [30:2]        beyond;       // by how much, in fours
  logic [1:0]         unused_beyond;

  // Under pace a grant needs neither the rest of the counter nor the quota before, so that both are
  // read for the instalments (R-PA-6, R-PA-7).
  logic [NumKernels-1:0] to_pace_q, to_judge_q, pace_next;
  logic [30:0]        due_q;        // of the kernel that is judged
  assign reads_c     = paced_q ? to_judge_q : chosen;
  assign reads_quota = paced_q ? pace_next : chosen;

  always_ff @(posedge clk_i) begin
    if (word_valid_i) shadow_mem[word_kernel_i] <= {word_credit_i, word_quota_i};
  end
  assign {shadow_credit, shadow_quota} = shadow_mem[load_kernel];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      keeps_none_q <= 1'b0;
      clips_q      <= 1'b0;
    end else begin
      keeps_none_q <= elastic ? !early : !paced_q && own[31];
      clips_q      <= paced_q || (!elastic && over);
    end
  end
  assign limit = paced_q ? due_q : shadow_credit;
  assign {over, beyond, unused_beyond} = {1'b0, own[30:0]} + {1'b0, ~limit};  // 1 less

  always_comb begin
    own       = '0;
    current   = '0;
    load_insn = insn[load_kernel];
    // AND-OR of one-hot bits, which are late
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (reads_c[k]) own |= c[k];
      if (reads_quota[k]) current |= quota[k];
    end
    // R-PA-4: less load_insn, of which the sum adds the last 1 by its carry
    rest = paced_q ? ~signed'(32'(load_insn)) : signed'({1'b0, shadow_credit});
    kept = own;
    if (load && clips_q) kept = rest;
    if (load ? keeps_none_q || drop : paced_q) kept = '0;
    added = current;
    if (loading && has_word) added = shadow_quota;
    if (first) added = first_quota_i;
    if (drop) added = '0;
    // R-SC-5: saturates, which happens after an early start only.
    {sum, unused_carry} = {kept, 1'b1} + {1'b0, added, paced_q && take};
    value = {sum[31] && kept[31], sum[30:0] | {31{sum[31] && !kept[31]}}};
    value_spent = sum[31] ? kept[31] : sum[30:0] == '0;
  end

  // ---- The counters ----
  for (genvar k = 0; k < NumKernels; k++) begin : g_slot
    logic signed [31:0] c_q, c_d, snap_c_q;
    logic               stops, insn_clear, snap_spent_q, spent_q, spent_d, runs_out;
    logic [30:0]        quota_q;
    logic [InsnW-1:0]   insn_q, insn_next, snap_insn_q;

    // R-QC-2. C stops by a clock enable; saturation would need two more multiplexers. All bits are
    // tested, because a load under pace may leave C far below -DebtMax (R-PA-4).
    assign stops    = c_q[31] && c_q[30:DebtW] != '1;
    assign gets[k]  = grants[k] && !quota_only;
    // Nothing is counted where it is set (R-QC-9). In front of the adder the multiplexer takes no
    // LUT of its own.
    assign c_d      = (gets[k] ? value : c_q) - signed'(32'(lanes[k]));
    assign c[k]     = c_q;
    assign spent[k] = spent_q;
    assign quota[k] = quota_q;

    // Whether C is spent is a register, since all that may issue begins with it.
    assign runs_out = c_q[31] || (c_q[30:SumW] == '0 && c_q[SumW-1:0] <= lanes[k]);
    assign spent_d  = gets[k] ? value_spent : runs_out;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) c_q <= '0;
      else if (gets[k] || !stops) c_q <= c_d;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) spent_q <= 1'b1;
      else spent_q <= spent_d;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) quota_q <= '0;
      else if (grants[k]) quota_q <= added;
    end

    // R-QC-8. Synchronous clear: flip-flops have an input for it, unless they use the asynchronous
    // reset.
    assign insn_clear = !rst_ni || tick_i;
    assign insn_next  = insn_q + InsnW'(lanes[k]);
    assign insn[k]    = insn_q;
    always_ff @(posedge clk_i) begin
      if (insn_clear) insn_q <= '0;
      else insn_q <= insn_next;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        snap_c_q     <= '0;
        snap_spent_q <= 1'b1;
        snap_insn_q  <= '0;
      end else if (tick_i) begin
        snap_c_q     <= c_q;
        snap_spent_q <= spent[k];
        snap_insn_q  <= insn_next;
      end
    end
    assign snap_c_o[k]     = unsigned'(snap_c_q);
    assign snap_spent_o[k] = snap_spent_q;
    assign snap_insn_o[k]  = 32'(snap_insn_q);

    assign c_next[k] = (gets[k] || !stops) ? c_d : c_q;  // for the lockstep monitor

`ifndef SYNTHESIS
    assert property (@(posedge clk_i) disable iff (!rst_ni) spent_q == (c_q <= 0))
      else $error("R-QC-1: the bit of a spent counter is not that of the counter");
    logic open_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) open_q <= 1'b1;
      else open_q <= open_o[k];
    end
    assert property (@(posedge clk_i) disable iff (!rst_ni) open_q || lanes[k] == '0)
      else $error("R-QC-1: a closed kernel issues");
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        !(first && arrives[k]) || c_q == '0)
      else $error("R-QC-6: a first block of a kernel that has a counter");
    assert property (@(posedge clk_i) disable iff (!rst_ni) !gets[k] || lanes[k] == '0)
      else $error("R-QC-9: a kernel issues while C is set");
`endif
  end
  assign quota_o = quota;

  // ---- What is due, and who is behind (pace) ----
  // due_k is the quota until the first instalment and in due_mem after it; R-PA-5 so writes no row,
  // and may come beside an instalment of another kernel. Without a grant it is 0, as the quota is.
  logic [30:0]           due_mem [NumKernels];
  logic [30:0]           due_row, due_d;
  logic [31:0]           due_left;
  logic [24:0]           instalment, instalment_q;  // 1 less; that of the kernel that is judged
  logic                  unused_one;
  logic [KernelW-1:0]    pace_kernel;
  logic [NumKernels-1:0] spared_q, sets_due, tightens, keeps, kept_q, stays, well_next;
  logic                  pace_step, pace_ends;  // an instalment; R-PA-10
  logic                  spares, behind_d, well_d;

  assign pace_ends = load_valid_i && load_scheme_i != SchemePace;
  assign pace_next = lowest(to_pace_q);
  assign pace_step = to_pace_q != '0 && !pace_ends;
  always_comb begin
    pace_kernel = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (pace_next[k]) pace_kernel = KernelW'(k);
    end
  end

  // R-PA-6. The two ones come in as carries: three operands would take an adder more.
  assign {instalment, unused_one} = {1'b0, current[30:7], 1'b1} + {3'b0, current[30:9], 1'b1};
  assign due_row    = due_mem[pace_kernel];
  assign due_left   = 32'(due_row) + ~32'(instalment);
  assign spares     = (spared_q & pace_next) != '0;
  always_comb begin
    due_d = due_left[30:0];
    if (due_left[31] || (granted_q & pace_next) == '0) due_d = '0;
    if (spares) due_d = current;
  end
  always_ff @(posedge clk_i) begin
    if (pace_step) due_mem[pace_kernel] <= due_d;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {due_q, instalment_q} <= '0;
    else if (pace_step) {due_q, instalment_q} <= {due_d, instalment};
  end

  // R-PA-7. One that loads between its instalment and this has no more than what is due.
  assign behind_d = !own[31] && over && (spared_q & to_judge_q) == '0;
  assign well_d   = behind_d && beyond > 29'(instalment_q);  // by more than four instalments
  assign sets_due = (first || take || drop) ? chosen : '0;  // R-PA-5
  assign tightens = take ? chosen : '0;                     // R-PA-16
  assign keeps    = tightens & keep_q & well_q & ~spent;    // R-PA-17
  // Nothing is due later of a kernel that is kept, whatever its row says.
  assign stays    = to_judge_q & kept_q & ~spent;
  assign behind_next = pace_ends ? '0
      : (((behind_q & ~to_judge_q) | (behind_d ? to_judge_q : '0) | stays) & ~sets_due) | keeps;
  assign well_next   = pace_ends ? '0
      : (((well_q & ~to_judge_q) | (well_d ? to_judge_q : '0) | stays) & ~sets_due) | keeps;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      to_pace_q  <= '0;
      to_judge_q <= '0;
      spared_q   <= '0;
      behind_q   <= '0;
      well_q     <= '0;
      tight_q    <= '0;
      kept_q     <= '0;
    end else begin
      if (pace_ends) to_pace_q <= '0;
      else if (to_pace_q != '0) to_pace_q <= to_pace_q & ~pace_next;
      else if (paced_q && sample_i) to_pace_q <= qos_i;
      to_judge_q <= pace_ends ? '0 : pace_next;
      spared_q   <= ((pace_step ? spared_q & ~pace_next : spared_q) | sets_due) & ~keeps;
      behind_q   <= behind_next;
      well_q     <= well_next;
      tight_q    <= pace_ends ? '0 : (tight_q & ~sets_due) | (tightens & well_q & ~spent);
      kept_q     <= (kept_q & ~sets_due) | keeps;
    end
  end

  // ---- For the lockstep monitor ----
  // verilator lint_off UNUSEDSIGNAL
  logic [NumKernels-1:0][30:0] due;
  // verilator lint_on UNUSEDSIGNAL
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++)
      due[k] = kept_q[k] ? '0 : (spared_q[k] || !granted_q[k]) ? quota[k] : due_mem[k];
  end
  assign load_done = (loading && (to_load_d | fresh_d) == '0) || ends;
  always_comb begin
    quota_next = quota;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (grants[k]) quota_next[k] = added;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !word_valid_i || elastic || !(load_valid_i || loading))
    else $error("R-QM-4: a quota word arrives during a load");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !load_valid_i || elastic || !loading)
    else $error("R-QC-4: a load during a load");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(to_load_q != '0 && elastic_start) || load_valid_i)
    else $error("R-SC-4: an epoch of Elastic starts during the loads of the one before");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !take || elastic || paced_q || !sum[31])
    else $error("R-QC-4: a load overflows");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      paced_q || (to_pace_q | to_judge_q | behind_q) == '0)
    else $error("R-PA-10: a kernel is behind under another scheme");
  assert property (@(posedge clk_i) disable iff (!rst_ni) (well_q & ~behind_q) == '0)
    else $error("R-PA-7: a kernel is well behind and not behind");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      holds_q == !scheme_open(scheme_q) && holds_all_q == scheme_holds_all(scheme_q) &&
      first_q == (behind_q | {NumKernels{scheme_q == SchemeRolloverTime}}))
    else $error("R-SC-2: the gate's bits are not those of the scheme");
  for (genvar k = 0; k < NumKernels; k++) begin : g_due
    assert property (@(posedge clk_i) disable iff (!rst_ni) granted_q[k] || quota[k] == '0)
      else $error("R-PA-5: a kernel without a grant has a quota");
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        !to_judge_q[k] || spared_q[k] || kept_q[k] || due[k] == due_q)
      else $error("R-PA-7: a kernel is judged by what was due of another");
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        !(to_judge_q[k] && spared_q[k]) || g_slot[k].c_q[31] ||
        unsigned'(g_slot[k].c_q) <= 32'(due[k]))
      else $error("R-PA-7: a kernel has more than its quota");
  end
`endif
endmodule
