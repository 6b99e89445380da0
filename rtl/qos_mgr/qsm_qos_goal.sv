// SPDX-License-Identifier: Apache-2.0
// Quota of one kernel for the whole GPU: alpha, then the QoS, the non-QoS or the fair formula; goal
// over history.
//
// Contract: takes a kernel, hands over its quota and alpha (R-QM-6 to R-QM-8, R-SC-10), reports the
//   ratio of goal and history. QoS kernels come first in each epoch; a non-QoS quota is scaled by
//   every QoS kernel that had blocks and has a quota. What is left of a QoS quota to be split is
//   less by what the kernel issued where it has none, down to a least one (R-QM-12). Switches:
//   R-QM-13.
//   Under pace a QoS kernel's is handed over with what is owed to it besides, and nobody else has
//   one (R-PA-1 to R-PA-3, R-PA-12); the ratio says whether much is owed (R-PA-13). A timed
//   kernel's work and its time left come in place of cycles and instructions of its history; quota
//   and what is owed together are then at most what it needs (R-DL-4, R-DL-5).
// Latency: from the cycle after a kernel is taken to the one in which its quota is handed over: QoS
//   24 with alpha, 29 timed, else 9; non-QoS 1 + 20 per factor; fair 21. A QoS kernel without alpha
//   that is not timed then stays 15 cycles more, for its ratio.
// Cost: qsm_qos_arith and the multiplexers of its operands, two subtractors, an adder, a
//   comparator, a small multiplier for the margin, two memories of 31 bits per slot; for the
//   reserve a subtractor, an adder and three comparators.
// Doc: docs/qos_mgr.md, R-QM-11; docs/guarantee.md; docs/deadlines.md.
module qsm_qos_goal #(
  parameter  int unsigned NumKernels = 4,
  parameter  int unsigned TbSumW     = 6,  // bits of the blocks on all SMs
  localparam int unsigned KernelW    = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        start_i,      // an epoch's computation begins
  input  logic                        alpha_on_i,   // the scheme uses history
  input  logic                        fair_i,       // the scheme is fair; not with alpha_on_i
  input  logic                        paced_i,      // it is pace; with neither
  input  logic [3:0]                  sharers_i,    // kernels that share under it, 1..8
  input  logic [21:0]                 alpha_cap_i,  // Q6.16, 0 = no cap
  // 0: non-QoS quotas by artificial goals, n: T * 2^(n-1)
  input  logic [3:0]                  nonqos_quota_i,
  input  logic [19:0]                 epoch_len_i,  // T of the epoch that began
  input  logic [NumKernels-1:0][30:0] insn_all_i,   // instructions of the last epoch
  // R-QM-13: while a QoS kernel is behind the others do not begin with more than their last quotas
  input  logic                        unfed_i,
  // what QoS kernels have left scales, too; not with fair_i, paced_i
  input  logic                        carried_i,
  input  logic                        no_floor_i,   // non-QoS quotas may be below T
  input  logic [2:0]                  margin_i,     // of a goal above the goal: 2^(margin - 11)
  // the next kernel
  input  logic                        valid_i,
  output logic                        ready_o,
  input  logic [KernelW-1:0]          kernel_i,
  input  logic                        qos_i,
  input  logic                        had_tb_i,     // had a block in the last epoch
  input  logic [31:0]                 goal_i,       // IPC, Q16.16
  input  logic [47:0]                 hist_insn_i,
  input  logic [47:0]                 hist_cycles_i,
  input  logic                        timed_i,      // with paced_i, qos_i
  input  logic                        fresh_i,      // the first E of its launch
  // instructions of the last epoch: of a QoS kernel those without a quota, of others those with one
  input  logic [30:0]                 insn_i,
  input  logic [30:0]                 least_i,      // to be split, at least
  // left of the last quotas; with paced_i the last quota of a known kernel, of others the cycles
  // that their first quota is for
  input  logic [30:0]                 carry_i,
  input  logic                        known_i,      // has had a quota before
  input  logic                        absent_i,     // had no launch in the last epoch
  input  logic [TbSumW-1:0]           tbs_i,        // blocks on all SMs, handed on
  // its result
  output logic                        idle_o,
  output logic                        due_o,        // a quota is still to be handed over
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [KernelW-1:0]          kernel_o,
  output logic [30:0]                 quota_o,
  output logic [30:0]                 split_o,      // of it, to be split over the SMs
  // of a QoS kernel, but under fair, the quota earlier in the cycle, or that it is the largest
  output logic [30:0]                 whole_o,
  output logic                        largest_o,
  output logic [30:0]                 carry_o,      // with paced_i: owed
  output logic [21:0]                 alpha_o,
  output logic [TbSumW-1:0]           tbs_o,
  input  logic [31:0]                 iso_ipc_i,    // of kernel_o: IPC alone, Q16.16
  output logic                        short_o,      // more is owed than an eighth of F (R-PA-13)
  output logic                        far_o,        // more is owed than F (R-PA-17)
  output logic                        ratio_valid_o,
  // of kernel_o: goal / IPC of its history, Q6.16; 0 for others
  output logic [21:0]                 ratio_o
);
  localparam logic [30:0] QuotaMax = '1;
  localparam logic [21:0] AlphaOne = 22'h1_0000;
  localparam logic [21:0] RatioMax = '1;

  // StLoad: first operation; StAlpha: goal * cycles / insn runs; StTime: alpha * T runs; StGoal:
  // times goal runs; StScale: quota * insn_j / quota_j runs; StFair: isolated IPC * T / sharers
  // runs; StHistory: as StAlpha, after the quota; StNeed: work * T / time left runs.
  typedef enum logic [3:0] {StIdle, StLoad, StAlpha, StTime, StGoal, StScale, StFair,
      StHistory, StNeed} state_e;

  state_e                state_q, state_d;
  logic [KernelW-1:0]    kernel_q, factor;
  logic [NumKernels-1:0] factors_q, left_q, candidates;
  logic [21:0]           alpha_q, alpha_new, ratio_new, top;
  logic                  unbounded_q, behind_q, short_q;
  logic                  start, of_history, divide, round_up, done, overflow, rest, leave;
  logic [47:0]           a, d, hi, hist_insn_q, hist_cycles_q, time_now, first_time;
  logic [31:0]           b, lo, goal_q, rounded;
  logic [30:0]           quotient, own_quota, insn_q, least_q, carry_q, spends;
  logic [TbSumW-1:0]     tbs_q;
  logic                  qos_q, had_tb_q, known_q, absent_q, artificial, unknown, too_much, most;
  logic                  timed_q, fresh_q;

  qsm_qos_arith u_arith (
    .clk_i, .rst_ni, .start_i(start), .divide_i(divide), .short_i(of_history),
    .round_up_i(round_up), .a_i(a), .b_i(b), .d_i(d), .done_o(done), .hi_o(hi), .lo_o(lo),
    .rest_o(rest), .overflow_o(overflow)
  );

  // Result of a division, rounded up for QoS kernels.
  assign rounded  = 32'(lo[30:0]) + 32'(qos_q && rest);
  assign too_much = overflow || lo[31] || rounded[31];
  assign quotient = too_much ? QuotaMax : rounded[30:0];

  // Goal over history (R-SC-8). Without instructions the division overflows. Alpha is clamped to
  // its bounds (R-QM-6).
  assign top = (alpha_cap_i == '0) ? RatioMax : alpha_cap_i;
  always_comb begin
    ratio_new = (quotient[30:22] != '0) ? RatioMax : quotient[21:0];
    if (hist_cycles_q == '0) ratio_new = '0;
    if (paced_i && short_q && ratio_new <= AlphaOne) ratio_new = AlphaOne + 22'd1;  // R-PA-13
    if (paced_i && !short_q && ratio_new > AlphaOne) ratio_new = AlphaOne;
    alpha_new = (ratio_new > top) ? top : ratio_new;
    if (ratio_new < AlphaOne) alpha_new = AlphaOne;
  end

  // R-QM-8: QoS kernels that scale a non-QoS quota, in slot order.
  assign artificial = nonqos_quota_i == '0 && !paced_i;
  assign unknown    = no_floor_i && !known_q;  // begins with T
  assign candidates = (state_q == StLoad) ? factors_q & {NumKernels{artificial}} : left_q;
  always_comb begin
    factor = '0;
    for (int unsigned k = NumKernels; k > 0; k--) begin
      if (candidates[k-1]) factor = KernelW'(k - 1);
    end
    if (paced_i) factor = kernel_q;
  end

  // Operands of the next operation.
  assign of_history = qos_q && ((state_q == StLoad) ? alpha_on_i
      : (state_q inside {StGoal, StFair}));
  assign time_now = {12'd0, epoch_len_i, 16'd0};  // T * 2^16
  assign first_time = known_q ? time_now : {11'd0, carry_q[20:0], 16'd0};  // R-PA-1
  always_comb begin
    a        = 48'(epoch_len_i);
    b        = goal_q;
    divide   = 1'b0;
    round_up = 1'b0;
    d        = (of_history || timed_q) ? hist_insn_q : fair_i ? {28'd0, sharers_i, 16'd0} :
      48'(spends);
    case (state_q)
      StLoad: begin
        divide = fair_i || !qos_q || alpha_on_i || timed_q;
        if (fair_i) begin
          b = iso_ipc_i;
        end else if (!qos_q) begin
          if (!unknown) a = 48'(insn_q);
          b = 32'(insn_all_i[factor]);
        end else if (alpha_on_i) begin
          a = hist_cycles_q;
        end else if (timed_q) begin
          a = hist_cycles_q;
          b = 32'(epoch_len_i);
        end else if (paced_i) begin
          a        = first_time;
          round_up = 1'b1;
        end else begin
          b = 32'(AlphaOne);
        end
      end
      StNeed: begin
        a        = first_time;
        round_up = 1'b1;
      end
      StAlpha: b = 32'(alpha_new);
      StTime: begin
        a        = paced_i ? time_now : {hi[15:0], lo};
        round_up = 1'b1;
      end
      StScale: begin
        divide = 1'b1;
        a      = 48'(quotient);
        b      = 32'(insn_all_i[factor]);
      end
      StGoal, StFair: begin
        divide = 1'b1;
        a      = hist_cycles_q;
      end
      default: ;
    endcase
  end

  // Order of the operations; the next kernel is taken in the last cycle of this one.
  always_comb begin
    state_d = state_q;
    start   = 1'b0;
    valid_o = 1'b0;
    ready_o = 1'b0;
    case (state_q)
      StIdle: ready_o = 1'b1;
      StLoad: begin
        start   = fair_i || qos_q || (candidates != '0);
        valid_o = !start;
        ready_o = valid_o && ready_i;
        if (start) state_d = fair_i ? StFair : !qos_q ? StScale : alpha_on_i ? StAlpha
            : timed_q ? StNeed : StTime;
      end
      StNeed: if (done) begin
        start   = 1'b1;
        state_d = StTime;
      end
      StAlpha: if (done) begin
        start   = 1'b1;
        state_d = StTime;
      end
      StTime: if (done) begin
        start   = 1'b1;
        state_d = StGoal;
      end
      StGoal, StFair: begin
        valid_o = done;
        start   = valid_o && ready_i && qos_q && !alpha_on_i && !timed_q;
        ready_o = valid_o && ready_i && !start;
        if (start) state_d = StHistory;
      end
      StScale: if (done) begin
        start   = (candidates != '0);
        valid_o = !start;
        ready_o = valid_o && ready_i;
      end
      default: ready_o = done;  // StHistory
    endcase
    if (ready_o) state_d = valid_i ? StLoad : StIdle;
  end
  assign leave = valid_o && ready_i;

  // Refills went into what the next kernel issued, and it may not begin with them.
  logic fed;
  assign fed = unfed_i && behind_q && known_i && !qos_i && spends < insn_i;

  // R-QM-12
  logic [31:0] left;
  assign left    = {1'b0, quota_o} - (qos_q ? {1'b0, insn_q} : '0);
  assign split_o = (left[31] || left[30:0] < least_q) ? least_q : left[30:0];

  // R-PA-1, R-PA-3, with the first of two products: the quota of a kernel that is not known, for
  // its time in the last epoch, or what one would earn that had no launch.
  logic [37:0] owed;
  logic [36:0] had, spent;
  logic [30:0] owed_new;
  assign had      = known_q ? 37'(carry_q) : hi[36:0];
  assign spent    = (known_q && absent_q) ? hi[36:0] : 37'(insn_all_i[factor]);
  assign owed     = {1'b0, had} - {1'b0, spent};
  assign owed_new = owed[37] ? '0 : (owed[36:31] != '0) ? '1 : owed[30:0];

  // R-DL-4: what a timed kernel needs, beyond F, or less than F.
  logic [30:0] need;
  logic [31:0] beyond;
  logic        less, modest;  // than F; than F and what is owed
  assign need   = hist_insn_q[30:0];
  assign beyond = {1'b0, need} - {1'b0, whole_o};
  assign less   = timed_q && (largest_o || beyond[31]);
  assign modest = timed_q && beyond[30:0] < carry_q;

  // R-PA-12, in the three cycles in which a known kernel's second product, F again, is made: one of
  // the steps in each. Then the debt is complete.
  logic [2:0]  step_q;       // the debt, 2F at most; beyond the reserve; added to the debt
  logic [30:0] grows_q;
  logic [30:0] reserve_mem [NumKernels];
  logic [30:0] reserve, reserve_d, earned;
  logic [31:0] over, grown;
  logic        reserve_we;
  assign short_o    = carry_q > 31'(earned[30:3]);
  assign far_o      = qos_q && !timed_q && carry_q > earned;
  assign earned     = (hi[47:31] != '0) ? '1 : hi[30:0];
  assign reserve    = reserve_mem[kernel_q];
  assign over       = {1'b0, grows_q} - {1'b0, reserve};
  assign grown      = 32'(carry_q) + 32'(grows_q);
  assign reserve_we = step_q[1] || (leave && qos_q && !(paced_i && known_q));
  always_comb begin
    reserve_d = paced_i ? 31'(earned[30:4]) + 31'(earned[30:5]) : '0;
    if (step_q[1]) reserve_d = over[31] ? reserve : grows_q;
  end
  always_ff @(posedge clk_i) begin
    if (reserve_we) reserve_mem[kernel_q] <= reserve_d;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q  <= '0;
      grows_q <= '0;
      short_q <= 1'b0;
    end else begin
      step_q <= {step_q[1:0], paced_i && known_q && !absent_q && state_q == StTime && done};
      if (step_q == '0) grows_q <= {earned[29:0], 1'b0} | {31{earned[30]}};
      if (step_q[0] && carry_q < grows_q) grows_q <= carry_q;
      if (step_q[1]) grows_q <= over[31] ? '0 : over[30:0];
      if (leave) short_q <= short_o;
    end
  end

  // What each QoS kernel has to spend and what the others' quotas are, of this computation and, for
  // who has not had its turn, of the last one.
  logic [30:0]        spends_mem [NumKernels];
  logic [KernelW-1:0] spends_of;
  logic [31:0]        with_carry;
  assign spends_of  = (state_q inside {StLoad, StScale} && candidates != '0) ? factor : kernel_i;
  assign spends     = spends_mem[spends_of];
  assign with_carry = 32'(whole_o) + 32'(carry_q);
  always_ff @(posedge clk_i) begin
    if (leave) begin
      spends_mem[kernel_q] <= !(carried_i && qos_q) ? quota_o
          : (largest_o || with_carry[31]) ? '1 : with_carry[30:0];
    end
  end

  // The goal with its margin. Set at the clock edge: flip-flops have an input for it.
  logic [7:0]   margin;
  logic [43:11] raised;
  logic [10:0]  unused_raised;
  assign margin = 8'd1 << margin_i & 8'hfe;
  assign {raised, unused_raised} = 44'(goal_i) * (44'd2048 | 44'(margin));
  always_ff @(posedge clk_i) begin
    if (ready_o) goal_q <= raised[43] ? '1 : raised[42:11];
  end

  // R-QM-7 rounded up; R-SC-10; R-QM-8: the own instructions scaled, at least T, or a multiple of
  // T. A quotient is compared before it is clipped, which takes time.
  assign own_quota = (state_q == StLoad) ? (artificial ? insn_q
      : 31'(epoch_len_i) << 3'(nonqos_quota_i - 1'b1)) : rounded[30:0];
  assign whole_o   = hi[30:0];
  assign largest_o = unbounded_q || hi[47:31] != '0;
  assign most      = (qos_q && !fair_i) ? largest_o : state_q != StLoad && too_much;
  always_comb begin
    if (qos_q && !fair_i) quota_o = whole_o;
    else if (state_q == StLoad && artificial && unknown) quota_o = 31'(epoch_len_i);
    else if (fair_i || no_floor_i || own_quota > 31'(epoch_len_i)) quota_o = own_quota;
    else quota_o = 31'(epoch_len_i);
    if (most) quota_o = QuotaMax;
    if (less) quota_o = need;
    if (paced_i && !qos_q) quota_o = '0;  // R-PA-2
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= StIdle;
      kernel_q      <= '0;
      qos_q         <= 1'b0;
      had_tb_q      <= 1'b0;
      hist_insn_q   <= '0;
      hist_cycles_q <= '0;
      insn_q        <= '0;
      least_q       <= '0;
      carry_q       <= '0;
      known_q       <= 1'b0;
      absent_q      <= 1'b0;
      timed_q       <= 1'b0;
      fresh_q       <= 1'b0;
      tbs_q         <= '0;
      factors_q     <= '0;
      left_q        <= '0;
      alpha_q       <= AlphaOne;
      unbounded_q   <= 1'b0;
      behind_q      <= 1'b0;
    end else begin
      state_q <= state_d;
      if (ready_o) begin
        kernel_q      <= kernel_i;
        qos_q         <= qos_i;
        had_tb_q      <= had_tb_i;
        hist_insn_q   <= hist_insn_i;
        hist_cycles_q <= hist_cycles_i;
        insn_q        <= fed ? spends : insn_i;
        least_q       <= least_i;
        carry_q       <= carry_i;
        known_q       <= known_i;
        absent_q      <= absent_i;
        timed_q       <= timed_i;
        fresh_q       <= fresh_i;
        tbs_q         <= tbs_i;
      end else if (state_q == StNeed && done) begin
        hist_insn_q   <= 48'(quotient);
      end

      if (paced_i && state_q == StTime && done) carry_q <= owed_new;
      if (step_q[2]) carry_q <= grown[30:0] | {31{grown[31]}};

      if (start_i) factors_q <= '0;
      else if (leave && qos_q && had_tb_q && quota_o != '0) factors_q[kernel_q] <= 1'b1;
      if (start) begin
        left_q         <= candidates;
        left_q[factor] <= 1'b0;
      end

      if (state_q == StLoad) begin
        alpha_q     <= AlphaOne;
        unbounded_q <= 1'b0;
      end else if (state_q == StAlpha && done) begin
        alpha_q     <= alpha_new;
        unbounded_q <= (ratio_new == RatioMax) && (alpha_cap_i == '0);  // B2
      end

      if (start_i) behind_q <= 1'b0;
      else if (state_q == StTime && alpha_q != AlphaOne) behind_q <= 1'b1;
    end
  end

  assign idle_o   = (state_q == StIdle);
  assign due_o    = !(state_q inside {StIdle, StHistory});
  assign kernel_o = kernel_q;
  assign tbs_o    = tbs_q;
  assign carry_o  = less ? '0 : modest ? beyond[30:0] : carry_q;
  assign alpha_o  = (state_q == StLoad) ? AlphaOne : alpha_q;

  assign ratio_valid_o = (state_q == StLoad && !qos_q) ||
      (state_q inside {StAlpha, StHistory} && done) || (state_q == StGoal && timed_q && done);
  assign ratio_o       = !qos_q ? '0 : !timed_q ? ratio_new
      : (carry_q != '0 && !fresh_q) ? RatioMax : AlphaOne;  // R-DL-5
endmodule
