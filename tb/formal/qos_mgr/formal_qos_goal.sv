// SPDX-License-Identifier: Apache-2.0
// qsm_qos_goal: which operations it asks of the arithmetic unit, in which order, and what it makes
// of their results: R-QM-6 to -8, R-QM-13, R-SC-8, R-SC-10; under pace also what is owed (R-PA-1 to
// R-PA-3, R-PA-12, but for top, with which formal_qos_split adds it) and who is short (R-PA-13).
// Without deadlines.
// In the unit's place stands one that takes any time and gives any result (formal_qos_arith says
// which), but that a product is not at hand before the fourth cycle behind its start, and one over
// 2^32 not above the factor of 48 bits.
module formal_qos_goal #(
  parameter int unsigned NumKernels = 3,
  parameter int unsigned TbSumW = 2,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input logic                        clk_i,
  input logic                        start_i,
  input logic                        alpha_on_i,
  input logic                        fair_i,
  input logic                        paced_i,
  input logic [3:0]                  sharers_i,
  input logic [21:0]                 alpha_cap_i,
  input logic [3:0]                  nonqos_quota_i,
  input logic [19:0]                 epoch_len_i,
  input logic [NumKernels-1:0][30:0] insn_all_i,
  input logic                        unfed_i,
  input logic                        carried_i,
  input logic                        no_floor_i,
  input logic [2:0]                  margin_i,
  input logic                        valid_i,
  input logic [KernelW-1:0]          kernel_i,
  input logic                        qos_i,
  input logic                        had_tb_i,
  input logic [31:0]                 goal_i,
  input logic [47:0]                 hist_insn_i,
  input logic [47:0]                 hist_cycles_i,
  input logic [30:0]                 insn_i,
  input logic [30:0]                 least_i,
  input logic [30:0]                 carry_i,
  input logic                        known_i,
  input logic                        absent_i,
  input logic [TbSumW-1:0]           tbs_i,
  input logic                        ready_i,
  input logic [31:0]                 iso_ipc_i
);
  localparam logic [30:0] Most = '1;
  localparam logic [21:0] One = 22'h1_0000, Top = '1;
  // the block's
  typedef enum logic [3:0] {StIdle, StLoad, StAlpha, StTime, StGoal, StScale, StFair,
      StHistory, StNeed} state_e;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic               ready, idle, due, valid, ratio_valid;
  logic [KernelW-1:0] kernel;
  logic [30:0]        quota, to_split, carry, whole;
  logic               largest;
  logic [21:0]        alpha, ratio;
  logic [TbSumW-1:0]  tbs;
  qsm_qos_goal #(.NumKernels(NumKernels), .TbSumW(TbSumW)) u_dut (
    .clk_i, .rst_ni, .start_i, .alpha_on_i, .fair_i, .paced_i, .absent_i,
    .timed_i(1'b0), .fresh_i(1'b0),
    .sharers_i, .alpha_cap_i, .nonqos_quota_i,
    .epoch_len_i, .insn_all_i, .unfed_i, .carried_i, .no_floor_i, .margin_i,
    .valid_i, .ready_o(ready), .kernel_i, .qos_i, .had_tb_i, .goal_i, .hist_insn_i, .hist_cycles_i,
    .insn_i, .least_i, .carry_i, .known_i, .tbs_i,
    .idle_o(idle), .due_o(due), .valid_o(valid), .ready_i, .kernel_o(kernel), .quota_o(quota),
    .split_o(to_split), .whole_o(whole), .largest_o(largest), .carry_o(carry),
    .alpha_o(alpha), .tbs_o(tbs), .iso_ipc_i,
    .ratio_valid_o(ratio_valid), .ratio_o(ratio)
  );

  // ---- The kernel at hand ----
  logic               busy_q, handed_q;  // there is one; its quota has been handed over
  logic [1:0]         asked_q;           // operations begun for it
  logic [KernelW-1:0] kernel_q;
  logic               qos_q, had_tb_q, known_q, absent_q;
  logic [31:0]        goal_q;
  logic [32:0]        raised;            // goal of the next, with its margin
  logic [47:0]        hist_insn_q, hist_cycles_q;
  logic [30:0]        insn_q, least_q, carry_q, left;
  logic [TbSumW-1:0]  tbs_q;
  // QoS kernels with blocks and a quota: all, those not yet divided by
  logic [NumKernels-1:0] factors_q, left_q;
  logic [KernelW-1:0]    factor;             // lowest of them
  // what QoS kernels have to spend, and quotas of the others; a QoS kernel is behind, so far
  logic [NumKernels-1:0][30:0] spends_q;
  logic                  behind_q, is_behind;
  always_comb begin
    factor = '0;
    for (int unsigned k = NumKernels; k > 0; k--) if (left_q[k-1]) factor = KernelW'(k - 1);
  end

  // R-PA-12: the reserves; cycles until what one grows by is owed, too; twice F; the growth
  logic [NumKernels-1:0][30:0] reserve_q;
  logic [1:0]  grows_in_q;
  logic [30:0] twice_q, wanted, growth, growth_q;
  logic [31:0] grown;
  logic        short_q;  // R-PA-13, of the last kernel that was handed over
  assign wanted = (carry_q < twice_q) ? carry_q : twice_q;
  assign growth = (wanted > reserve_q[kernel_q]) ? wanted - reserve_q[kernel_q] : '0;
  assign grown  = 32'(carry_q) + 32'(growth_q);

  // ---- Results of the operation before: quotient, rounded up for QoS kernels; ratio and alpha of
  // R-QM-6 ----
  logic [32:0] sum;
  logic [30:0] quotient;
  logic [21:0] ratio_now, alpha_now, alpha_q, top;
  logic        far_q;  // the ratio is at its top
  always_comb begin
    sum = 33'(u_dut.lo) + 33'(qos_q && u_dut.hi != '0);
    quotient = (u_dut.overflow || sum > 33'(Most)) ? Most : sum[30:0];
    ratio_now = (quotient > 31'(Top)) ? Top : quotient[21:0];
    if (hist_insn_q == '0) ratio_now = Top;
    if (hist_cycles_q == '0) ratio_now = '0;
    if (paced_i && qos_q && short_q && ratio_now <= One) ratio_now = One + 1'b1;  // R-PA-13
    if (paced_i && qos_q && !short_q && ratio_now > One) ratio_now = One;
    top = (alpha_cap_i == '0) ? Top : alpha_cap_i;
    alpha_now = (ratio_now < One) ? One : ratio_now;
    if (alpha_now > top) alpha_now = top;
  end

  // ---- What comes next for it ----
  // share: a kernel without a goal
  logic        share, asks, hands, leaves, round_up, divide, brief;
  // operations before the hand-over, but for the factors of R-QM-8
  logic [1:0]  n_first;
  // one more before it; the ratio comes behind it
  logic        more, history, unknown;
  logic        scales;  // by factors
  logic [47:0] a, d;
  logic [31:0] b;
  logic [30:0] own, expected;
  assign share = !qos_q && !fair_i;
  assign n_first = fair_i ? 2'd1 : alpha_on_i ? 2'd3 : 2'd2;
  assign history = qos_q && !alpha_on_i;
  assign scales = nonqos_quota_i == '0 && !paced_i;
  assign more = share ? left_q != '0 && scales : asked_q != n_first;
  assign asks = busy_q && !handed_q && ((asked_q == '0) ? more : u_dut.done &&
      (more || (history && ready_i)));
  assign hands = busy_q && !handed_q && !more && (asked_q == '0 || u_dut.done);
  assign leaves = busy_q && (handed_q ? u_dut.done : hands && ready_i && !history);
  assign unknown = no_floor_i && !known_q;
  assign own = (asked_q != '0) ? quotient : unknown ? 31'(epoch_len_i) : insn_q;
  always_comb begin
    {a, b, d} = {48'(epoch_len_i), goal_q, hist_insn_q};
    {divide, round_up, brief} = '0;
    if (!more || (asked_q == '0 && qos_q && alpha_on_i)) begin  // goal * cycles / instructions
      {divide, brief} = '1;
      a = hist_cycles_q;
    end else if (share) begin
      divide = 1'b1;
      {a, b, d} = {48'(own), 32'(insn_all_i[factor]), 48'(spends_q[factor])};
    end else if (fair_i) begin
      divide = 1'b1;
      {b, d} = {iso_ipc_i, 28'd0, sharers_i, 16'd0};
    end else if (paced_i) begin  // R-PA-1: goal * time, of this epoch or of the first one; F
      round_up = 1'b1;
      a = 48'(epoch_len_i) << 16;
      if (asked_q == '0 && !known_q) a = 48'(carry_q) << 16;
    end else if (asked_q == n_first - 2'd2) begin  // T * alpha
      b = alpha_on_i ? 32'(alpha_now) : 32'(One);
    end else begin  // * goal
      round_up = 1'b1;
      a = {u_dut.hi[15:0], u_dut.lo};
    end
  end
  always_comb begin
    if (fair_i) expected = quotient;
    else if (share && paced_i) expected = '0;  // R-PA-2
    else if (share && nonqos_quota_i != '0)
      expected = 31'(epoch_len_i) * (31'd1 << (nonqos_quota_i - 1'b1));
    else if (share)
      expected = (own < 31'(epoch_len_i) && !no_floor_i) ? 31'(epoch_len_i) : own;
    else if (alpha_on_i && far_q && alpha_cap_i == '0) expected = Most;
    else expected = (u_dut.hi > 48'(Most)) ? Most : u_dut.hi[30:0];
  end

  // R-PA-1, R-PA-3: owed, with the first product at hand
  logic [48:0] earned, spent;
  logic [30:0] owed;
  assign earned = known_q ? 49'(carry_q) : 49'(u_dut.hi);
  assign spent  = (known_q && absent_q) ? 49'(u_dut.hi) : 49'(insn_all_i[kernel_q]);
  always_comb begin
    owed = '0;
    if (earned > spent) owed = (earned - spent > 49'(Most)) ? Most : 31'(earned - spent);
  end

  // R-QM-13
  logic [31:0] with_carry;
  logic        fed;
  assign with_carry = 32'(expected) + 32'(carry_q);
  assign raised = 33'(goal_i) + ((margin_i == '0) ? '0 : 33'(goal_i >> (4'd11 - margin_i)));
  assign is_behind = behind_q || (busy_q && qos_q && alpha_on_i && asked_q > 2'd1 && alpha_q > One);
  assign fed = unfed_i && is_behind && known_i && !qos_i && insn_i > spends_q[kernel_i];

  assign left = !qos_q ? expected : (expected > insn_q) ? expected - insn_q : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {busy_q, handed_q, asked_q, factors_q, behind_q, grows_in_q, short_q} <= '0;
      for (int unsigned k = 0; k < NumKernels; k++) begin  // any
        spends_q[k]  <= u_dut.spends_mem[k];
        reserve_q[k] <= u_dut.reserve_mem[k];
      end
    end else begin
      if (asks) asked_q <= (asked_q == 2'd3) ? asked_q : asked_q + 1'b1;
      if (asks && share) left_q[factor] <= 1'b0;
      if (asks && paced_i && asked_q == 2'd1) begin
        carry_q    <= owed;
        twice_q    <= (u_dut.hi > 48'(Most >> 1)) ? Most : {u_dut.hi[29:0], 1'b0};
        grows_in_q <= (known_q && !absent_q) ? 2'd3 : 2'd0;
      end else if (grows_in_q != '0) begin
        grows_in_q <= grows_in_q - 1'b1;
        if (grows_in_q == 2'd2) begin
          growth_q            <= growth;
          reserve_q[kernel_q] <= reserve_q[kernel_q] + growth;
        end
        if (grows_in_q == 2'd1) carry_q <= (grown > 32'(Most)) ? Most : grown[30:0];
      end
      if (asks && alpha_on_i && asked_q == 2'd1) {alpha_q, far_q} <= {alpha_now, ratio_now == Top};
      if (hands && ready_i) begin
        handed_q <= 1'b1;
        behind_q <= is_behind;
        short_q  <= carry_q > expected >> 3;
        if (qos_q && !paced_i) reserve_q[kernel_q] <= '0;
        else if (qos_q && !known_q) reserve_q[kernel_q] <= (expected >> 4) + (expected >> 5);
        spends_q[kernel_q] <= !(qos_q && carried_i) ? expected
            : (with_carry > 32'(Most)) ? Most : with_carry[30:0];
        if (qos_q && had_tb_q && expected != '0) factors_q[kernel_q] <= 1'b1;
      end
      if (start_i) {factors_q, behind_q} <= '0;
      if (!busy_q || leaves) begin
        {busy_q, handed_q, asked_q} <= {valid_i, 3'd0};
        {kernel_q, qos_q, had_tb_q, hist_insn_q, hist_cycles_q, least_q, carry_q, known_q, absent_q,
            tbs_q} <= {kernel_i, qos_i, had_tb_i, hist_insn_i, hist_cycles_i, least_i, carry_i,
                known_i, absent_i, tbs_i};
        goal_q <= raised[32] ? '1 : raised[31:0];
        insn_q <= fed ? spends_q[kernel_i] : insn_i;
        left_q <= factors_q;
        if (hands && qos_q && had_tb_q && expected != '0) left_q[kernel_q] <= 1'b1;
      end
    end
  end

  // The registers stay while an epoch is worked out (R-QM-3).
  logic        steady;
  logic [58:0] registers, registers_q;
  assign registers = {alpha_on_i, fair_i, paced_i, sharers_i, alpha_cap_i, epoch_len_i,
      nonqos_quota_i, unfed_i, carried_i, no_floor_i, margin_i};
  assign steady = registers == registers_q;
  always_ff @(posedge clk_i) registers_q <= registers;

  logic [NumKernels-1:0] same_spends, same_reserve;
  always_comb for (int unsigned k = 0; k < NumKernels; k++) begin
    same_spends[k]  = u_dut.spends_mem[k] == spends_q[k];
    same_reserve[k] = u_dut.reserve_mem[k] == reserve_q[k];
  end

  state_e stands;
  always_comb begin
    if (!busy_q) stands = StIdle;
    else if (handed_q) stands = StHistory;
    else if (asked_q == '0) stands = StLoad;
    else if (fair_i) stands = StFair;
    else if (share) stands = StScale;
    else stands = (asked_q == n_first) ? StGoal : (asked_q == n_first - 2'd1) ? StTime : StAlpha;
  end

  always_ff @(posedge clk_i) begin
    assume (32'(kernel_i) < NumKernels);
    if (rst_ni) begin
      assume (!start_i || (!busy_q && !valid_i));
      assume ((start_i || steady) && !((alpha_on_i || carried_i) && (fair_i || paced_i)) &&
          !(fair_i && paced_i) &&
          (!(paced_i && valid_i && !known_i) || 32'(carry_i) < 2 * 32'h10_0000) &&
          (alpha_cap_i == '0 || alpha_cap_i >= One) && nonqos_quota_i <= 4'd8);

      rests: assert (idle == !busy_q && due == (busy_q && !handed_q));
      takes: assert (ready == (!busy_q || leaves));
      in_order: assert (u_dut.start == asks && (!asks || u_dut.done));
      if (asks)
        operands: assert (u_dut.a == a && u_dut.b == b && u_dut.divide == divide &&
            (!divide || u_dut.d == d));
      if (asks) way: assert (u_dut.round_up == round_up && u_dut.of_history == brief);
      hands_over: assert (valid == hands);
      if (hands) whose: assert (kernel == kernel_q && tbs == tbs_q && carry == carry_q);
      if (hands) quota_by_the_rule: assert (quota == expected);
      if (hands && qos_q && !fair_i) same_early: assert (largest ? quota == Most : quota == whole);
      if (hands)  // R-QM-12
        left_to_split: assert (to_split == ((left > least_q) ? left : least_q));
      if (hands) alpha_by_the_rule: assert (alpha == ((qos_q && alpha_on_i) ? alpha_q : One));
      if (ratio_valid)
        ratio_by_the_rule: assert (kernel == kernel_q && ratio == (qos_q ? ratio_now : '0));
      ratio_once: assert (ratio_valid == (busy_q &&
          (qos_q ? u_dut.done && (handed_q || (alpha_on_i && asked_q == 2'd1)) : asked_q == '0)));
      // For the induction: the rest of the state.
      state: assert (4'(u_dut.state_q) == 4'(stands));
      if (busy_q)
        same: assert ({u_dut.kernel_q, u_dut.qos_q, u_dut.had_tb_q, u_dut.goal_q, u_dut.hist_insn_q,
            u_dut.hist_cycles_q, u_dut.insn_q, u_dut.least_q, u_dut.carry_q, u_dut.known_q,
            u_dut.absent_q, u_dut.tbs_q}
                                == {kernel_q, qos_q, had_tb_q, goal_q, hist_insn_q, hist_cycles_q,
                                    insn_q, least_q, carry_q, known_q, absent_q, tbs_q} &&
            32'(kernel_q) < NumKernels);
      same_factors: assert (u_dut.factors_q == factors_q &&
          (!busy_q || !share || !scales || u_dut.candidates == left_q));
      if (!busy_q || asked_q == '0) unit_rests: assert (u_dut.done);
      if (busy_q && (handed_q || (qos_q && alpha_on_i && asked_q == 2'd1)))
        by_zero: assert (u_dut.u_arith.by_zero_q == (hist_insn_q == '0));
      if (u_dut.done && u_dut.u_arith.by_zero_q) overflows: assert (u_dut.overflow);
      if (busy_q && share && asked_q != '0) scaled: assert (scales);
      if (busy_q && !handed_q && !share) asked: assert (asked_q <= n_first);
      if (busy_q && handed_q) behind: assert (history);
      if (busy_q && paced_i && qos_q && asked_q == '0 && !known_q)
        first_time: assert (32'(carry_q) < 2 * 32'h10_0000);
      if (busy_q && paced_i && qos_q && asked_q == 2'd1)
        product: assert (u_dut.u_arith.most_q <= 48'h1f_ffff_0000);
      if (busy_q && asked_q != '0)
        kept: assert (u_dut.unbounded_q == (qos_q && alpha_on_i && asked_q > 2'd1 && far_q &&
            alpha_cap_i == '0));
      if (busy_q && asked_q != '0)
        kept_alpha: assert (u_dut.alpha_q == ((qos_q && alpha_on_i && asked_q > 2'd1) ? alpha_q
            : One));

      untimed: assert (!u_dut.timed_q);
      same_memory: assert (&same_spends);
      same_reserves: assert (&same_reserve);
      grows_then: assert (u_dut.step_q ==
          ((grows_in_q == '0) ? 3'd0 : 3'd1 << (2'd3 - grows_in_q)));
      if (grows_in_q != '0) grows_before: assert (busy_q && !handed_q && qos_q && paced_i &&
          known_q && !absent_q && asked_q == 2'd2 && !u_dut.done &&
          u_dut.u_arith.least_q == grows_in_q - 1'b1);
      if (grows_in_q == 2'd3) grows_twice: assert (u_dut.grows_q == twice_q);
      if (grows_in_q == 2'd2) grows_wanted: assert (u_dut.grows_q == wanted);
      if (grows_in_q == 2'd1) grows_by: assert (u_dut.grows_q == growth_q);
      if (handed_q && paced_i && qos_q) shorts: assert (u_dut.short_q == short_q);
      who_is_behind: assert (!behind_q || u_dut.behind_q);
      if (u_dut.behind_q) somebody: assert (is_behind);
      if (is_behind && busy_q && asked_q > 2'd2) in_time: assert (u_dut.behind_q);

      behind_goal: cover (hands && qos_q && alpha_on_i && alpha == 22'h1_8000 && quota == 31'd1000);
      two_factors: cover (hands && share && factors_q == 3'b011 && kernel_q == 2 &&
          quota == 31'd7 && epoch_len_i == 20'd5);
      fixed: cover (hands && share && factors_q == 3'b001 && quota == 31'd640 &&
          epoch_len_i == 20'd5);
      with_margin: cover (hands && qos_q && margin_i == 3'd7 && goal_q == 32'd17);
      not_fed: cover (hands && share && unfed_i && asked_q == '0 && quota == 31'd9 && behind_q &&
          no_floor_i && known_q);
      share_of_all: cover (hands && fair_i && !qos_q && quota == 31'd3 && ready_i);
      owed_some: cover (hands && paced_i && qos_q && known_q && !absent_q && carry == 31'd350 &&
          quota == 31'd20000 && margin_i == '0);
      owed_first: cover (hands && paced_i && qos_q && !known_q && carry == 31'd1250);
      owed_idle: cover (hands && paced_i && qos_q && known_q && absent_q && carry == 31'd10000 &&
          quota == 31'd20000);
      owed_most: cover (hands && paced_i && qos_q && carry == Most && quota == '0);
      others_none: cover (hands && paced_i && !qos_q && ready_i && factors_q != '0);
      reserve_grows: cover (hands && paced_i && qos_q && growth_q == 31'd250 &&
          carry == 31'd600 && quota == 31'd20000);
      is_short: cover (handed_q && ratio_valid && paced_i && ratio == 22'h1_0001);
      ratio_behind: cover (handed_q && ratio_valid && ratio == 22'h1_0001 && fair_i);
    end
  end
endmodule

// A stand-in: busy in the cycle after the start and for as long as it likes, three cycles at least
// where it multiplies, then its results stay;
// a division by 0 overflows, a product over 2^32 is at most the first factor.
module qsm_qos_arith (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  input  logic        divide_i,
  input  logic        short_i,
  input  logic        round_up_i,
  input  logic [47:0] a_i,
  input  logic [31:0] b_i,
  input  logic [47:0] d_i,
  output logic        done_o,
  output logic [47:0] hi_o,
  output logic [31:0] lo_o,
  output logic        rest_o,
  output logic        overflow_o
);
  (* anyseq *) logic [80:0] any;
  (* anyseq *) logic        ends;
  logic [80:0] results_q;
  logic [47:0] most_q;
  logic [1:0]  least_q;  // cycles more at least
  logic        busy_q, by_zero_q, unused;
  assign unused = ^{b_i, short_i, round_up_i};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else busy_q <= start_i || (busy_q && !(ends && least_q == '0));
  end
  always_ff @(posedge clk_i) begin
    if (start_i || !rst_ni) by_zero_q <= rst_ni && divide_i && d_i == '0;
    if (start_i || !rst_ni) least_q <= (rst_ni && !divide_i) ? 2'd2 : 2'd0;
    else if (least_q != '0) least_q <= least_q - 1'b1;
    if (start_i || !rst_ni) most_q <= (divide_i || !rst_ni) ? '1 : a_i;
    if (busy_q) results_q <= {any[80:1], any[0] || by_zero_q};
  end
  assign done_o = !busy_q;
  assign hi_o = (results_q[80:33] > most_q) ? most_q : results_q[80:33];
  assign {lo_o, overflow_o} = results_q[32:0];
  assign rest_o = hi_o != '0;
endmodule
