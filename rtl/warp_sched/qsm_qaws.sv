// SPDX-License-Identifier: Apache-2.0
// QAWS: warps in groups by the budget of their kernel. Which group issues now, and who leads it.
//
// Contract: docs/qaws.md (R-QW-1 to -9). One group is at the front until the number of its warp
//   switches reaches its budget. The other groups issue in cycles in which the front has no
//   eligible warp. Groups are sets of kernels: the only state per group is the budget of the front.
// Latency: front_issues_o and others_o are combinational from ready_i and eligible_i; here_o,
//   leader_o and name_o come from registers; the rest counts from the next cycle on.
// Cost: 20 + NumWarps + 3 * NumKernels flip-flops; per kernel three compares of 8 bits, which end
// at registers; two round-robin searches.
//
// Observed by the lockstep monitor: valid, budget, ncs of front_q and front_d (QAWS, in cycles in
// which
//   they differ); head_ok_q, prev_q, mark_q (full state).
module qsm_qaws #(
  parameter  int unsigned NumWarps   = 8,  // warp slots, 1..64
  parameter  int unsigned NumKernels = 4,  // kernel slots, 1..8
  localparam int unsigned KernelW    = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             enable_i,    // policy 4 or 5
  input  logic                             prose_i,     // policy 5
  input  logic [NumWarps-1:0]              resident_i,
  input  logic [NumKernels-1:0][NumWarps-1:0] of_kernel_i,  // resident warps of each kernel
  input  logic [NumWarps-1:0]              eligible_i,
  input  logic [NumKernels-1:0]            ready_i,     // has an eligible warp
  // the issue slot is taken by an injected instruction: no warp issues, and the state advances as
  // if no warp were eligible
  input  logic                             issue_inhibit_i,
  input  logic [NumKernels-1:0][7:0]       budget_i,    // 1..255
  // of each kernel: those with a greater budget (qsm_budget_order)
  input  logic [NumKernels-1:0][NumKernels-1:0] above_i,
  input  logic [NumKernels-1:0]            restart_i,   // its budget or the policy was written
  // the quota of the kernel is spent: its warps are not eligible
  input  logic [NumKernels-1:0]            throttled_i,
  // warp issued last, unless it has finished (R-PO-1)
  input  logic [NumWarps-1:0]              greedy_i,
  input  logic                             pick_valid_i,  // a warp issues in this cycle
  input  logic [NumWarps-1:0]              pick_i,        // which one, one-hot; none: 0
  input  logic [NumWarps-1:0]              start_i,     // a warp starts in this slot
  input  logic [KernelW-1:0]               start_kernel_i,
  input  logic [NumWarps-1:0]              finish_i,    // the warp in this slot finishes
  // of each group its first warp, eligible or not: its leader, else the oldest
  input  logic [NumWarps-1:0]              heads_i,
  // of each kernel: the lowest one of its group. With another policy all are one group.
  output logic [NumKernels-1:0][KernelW-1:0] name_o,
  // members of the front before the cycle, and whether they issue; with another policy there is
  // none
  output logic [NumWarps-1:0]              here_o,
  output logic                             front_issues_o,
  // the group that issues, if not the front: its kernels with an eligible warp; with another policy
  // all of those
  output logic [NumKernels-1:0]            others_o,
  // a warp that has priority if it is in that group
  output logic [NumWarps-1:0]              leader_o,
  // {valid, budget, ncs} of the front, at the start of the cycle
  output logic [16:0]                      state_o
);
  typedef logic [NumKernels-1:0] kernels_t;
  typedef logic [NumWarps-1:0]   warps_t;
  typedef struct packed {
    logic       valid;
    logic [7:0] budget;  // the group's name
    logic [7:0] ncs;     // switches counted
  } front_t;

  if (NumKernels < 1 || NumKernels > 8) $error("qsm_qaws: NumKernels must be 1..8");

  front_t front_q, front_d;
  logic   head_ok_q, head_ok_d, prev_q;
  warps_t mark_q, mark_d;

  kernels_t [NumKernels-1:0] equal;  // of each kernel: those with the same budget
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned j = 0; j < NumKernels; j++) equal[k][j] = !above_i[k][j] && !above_i[j][k];
    end
  end

  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      name_o[k] = KernelW'(k);
      for (int unsigned j = k; j > 0; j--)
        if (!enable_i || equal[k][j-1]) name_o[k] = KernelW'(j - 1);
    end
  end

  // Of each kernel: those whose groups come before its own in round-robin order, in which those in
  // `near` are the first, and those with greater budgets (R-QW-3).
  function automatic kernels_t [NumKernels-1:0] preceding(kernels_t near);
    for (int unsigned k = 0; k < NumKernels; k++)
      preceding[k] = near[k] ? near & above_i[k] : near | above_i[k];
  endfunction

  // The kernels of the first group.
  function automatic kernels_t first(kernels_t set, kernels_t [NumKernels-1:0] before_it);
    for (int unsigned k = 0; k < NumKernels; k++) first[k] = set[k] && (set & before_it[k]) == '0;
  endfunction

  // All kernels of the groups that these belong to (R-QW-1).
  function automatic kernels_t whole_group(kernels_t set);
    whole_group = '0;
    for (int unsigned k = 0; k < NumKernels; k++) if (set[k]) whole_group |= equal[k];
  endfunction

  function automatic warps_t members(kernels_t set);
    members = '0;
    for (int unsigned k = 0; k < NumKernels; k++)
      if (set[k]) members |= resident_i & of_kernel_i[k];
  endfunction

  function automatic kernels_t kernels_of(warps_t set);
    for (int unsigned k = 0; k < NumKernels; k++) kernels_of[k] = (set & of_kernel_i[k]) != '0;
  endfunction

  // ---- Position of the front, from registers (R-QW-2, R-QW-4) ----
  kernels_t   hosted_q, hosted_d, counts, next, next_group, next_below;
  kernels_t   same_q, below_q, same, below;  // kernels whose budget is the front's, is below it
  kernels_t [NumKernels-1:0] order;  // of the circle that begins behind the front
  logic [7:0] next_budget;
  logic       next_spent;  // if the front's switches were those of the next group
  logic       runs, fresh, counts_here, counts_elsewhere, leaves;

  // Kernels with a resident warp: a register, since the position of the front begins with it.
  always_comb begin
    hosted_d = kernels_of(resident_i & ~finish_i);
    if (start_i != '0) hosted_d[start_kernel_i] = 1'b1;
  end
  assign counts = hosted_q & ~throttled_i;
  assign runs   = enable_i && hosted_q != '0;                         // else R-QW-5 a
  // R-QW-5 b; with another policy there is no front either
  assign fresh  = !enable_i || (hosted_q & restart_i) != '0 || !front_q.valid;

  // Without a front the order starts with the greatest budget. Of a kernel without warps the budget
  // may have been written since, so that its bit says nothing.
  assign same       = fresh ? '0 : same_q & hosted_q;
  assign below      = fresh ? '0 : below_q;
  assign order      = preceding(below);
  assign next       = first(counts, order);
  assign next_group = whole_group(next);

  always_comb begin
    next_budget = '0;
    next_spent  = 1'b0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      next_below[k] = (above_i[k] & next) != '0;
      if (next[k]) next_budget |= budget_i[k];
      if (next[k] && front_q.ncs >= budget_i[k]) next_spent = 1'b1;
    end
  end

  assign counts_here      = (counts & same) != '0;
  assign counts_elsewhere = (counts & ~same) != '0;
  assign leaves           = !fresh && !counts_here && counts_elsewhere;  // R-QW-5 d

  // ---- Step (R-QW-5 f, R-QW-6, R-QW-7) ----
  warps_t here, mark, marked;
  logic   here_ready, stands, switched, may_step, steps, turns, moves, keeps;
  logic   spent_q;  // the front has made all its switches
  // these include issue_inhibit_i, which only the policy qaws_prose uses here
  logic   steps_true, moves_true;

  assign here       = members(same);
  assign here_ready = (same & ready_i) != '0;
  assign mark       = fresh ? greedy_i & resident_i : mark_q;
  // One warp of a group is marked at most.
  assign marked     = here & mark;
  // Who may issue is late: it meets one bit of what is known before it.
  assign stands     = (marked & {NumWarps{prose_i}} & eligible_i) == '0 &&
      (prose_i ? marked != '0 : !head_ok_q && prev_q && (here & greedy_i) != '0);
  assign switched   = stands && (here_ready || !prose_i);
  assign may_step   = !fresh && counts_here && counts_elsewhere;
  assign steps      = may_step && switched;
  assign turns      = steps && spent_q;
  assign moves      = fresh || leaves || turns;
  assign steps_true = steps && !(prose_i && issue_inhibit_i);
  assign moves_true = fresh || leaves || (steps_true && spent_q);
  // its quota is spent, but it has warps
  assign keeps = leaves && (hosted_q & same) != '0;

  // ---- Order of the groups from the front on, and the leader (R-QW-8) ----
  // An eligible warp of the front goes first, unless the front moves on by its turn: then it goes
  // last. In the other cases in which the front moves on it has no eligible warp. The groups
  // between it and the next do not count, so they have none either.
  kernels_t others, issuing;
  logic     front_issues;
  always_comb begin
    others = ready_i & ~same;
    if (enable_i) others = first(others, order);
  end
  // turns, without here_ready
  assign front_issues   = here_ready && !(may_step && spent_q && stands && (ready_i & ~same) != '0);
  assign issuing        = front_issues ? same : whole_group(others);
  assign here_o         = here;
  assign front_issues_o = front_issues;
  assign others_o       = others;
  assign leader_o       = prose_i ? mark : greedy_i;

  // ---- State after the cycle (R-QW-9) ----
  kernels_t front;  // after the cycle, unless issue_inhibit_i
  front_t no_front;
  assign no_front  = '{valid: 1'b0, budget: front_q.budget, ncs: '0};
  assign front     = moves ? next_group : same;
  assign head_ok_d = (pick_i & heads_i) != '0 && (issuing & front) != '0;

  always_comb begin
    front_d = front_q;
    if (moves_true)
      front_d = (counts != '0) ? '{valid: 1'b1, budget: next_budget, ncs: '0} : no_front;
    if (keeps) front_d.ncs = front_q.ncs;
    if (steps_true && !spent_q) front_d.ncs = front_q.ncs + 8'd1;
    if (!runs) front_d = no_front;

    mark_d = mark;
    if (pick_valid_i) mark_d = (mark & ~members(issuing)) | pick_i;
    mark_d &= ~start_i & ~finish_i;
  end

  // What the front's budget and count are beside the budgets: registers, since the position of the
  // front begins with them. A budget that is written between two cycles makes no difference: if its
  // kernel has warps, the front is fresh then.
  kernels_t same_d, below_d;
  logic     spent_d;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      same_d[k]  = moves_true ? next_group[k] : budget_i[k] == front_q.budget;
      below_d[k] = moves_true ? next_below[k] : budget_i[k] < front_q.budget;
    end
    spent_d = spent_q;
    if (moves_true) spent_d = keeps && next_spent;
    else if (steps_true) spent_d = front_q.ncs + 8'd1 >= front_q.budget;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      front_q   <= '0;
      same_q    <= '0;
      below_q   <= '0;
      spent_q   <= 1'b0;
      head_ok_q <= 1'b0;
      prev_q    <= 1'b0;
      mark_q    <= '0;
      hosted_q  <= '0;
    end else begin
      hosted_q  <= hosted_d;
      front_q   <= front_d;
      same_q    <= same_d;
      below_q   <= below_d;
      spent_q   <= spent_d;
      head_ok_q <= runs && head_ok_d;
      prev_q    <= runs && pick_valid_i;
      mark_q    <= runs ? mark_d : '0;
    end
  end
  assign state_o = front_q;

`ifndef SYNTHESIS
  // When the quota of a group is spent, the next group keeps the count, and its budget may be
  // smaller.
  logic carried_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) carried_q <= 1'b0;
    else carried_q <= front_d.ncs != '0 && (carried_q || leaves);
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      carried_q || front_q.ncs <= front_q.budget)
    else $error("R-QW-6, R-QW-7: more switches than the budget");
  for (genvar k = 0; k < NumKernels; k++) begin : g_beside
    assert property (@(posedge clk_i) disable iff (!rst_ni) fresh || !hosted_q[k] ||
        (same_q[k] == (budget_i[k] == front_q.budget) &&
         below_q[k] == (budget_i[k] < front_q.budget)))
      else $error("R-QW-3: a kernel is not where its budget is beside the front's");
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      fresh || spent_q == (front_q.ncs >= front_q.budget))
    else $error("R-QW-6: the front's switches are not those that spent says");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      here_ready == ((here & eligible_i) != '0))
    else $error("R-QW-8: the front's ready kernels are not those of its eligible warps");
  assert property (@(posedge clk_i) disable iff (!rst_ni) hosted_q == kernels_of(resident_i))
    else $error("R-QW-2: the hosted kernels are not those of the resident warps");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      ready_i == kernels_of(eligible_i))
    else $error("R-QW-8: the ready kernels are not those of the eligible warps");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !runs || (ready_i & throttled_i) == '0)
    else $error("R-QW-8: a warp of a throttled kernel is eligible");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      (marked & (marked - warps_t'(1))) == '0)
    else $error("R-QW-9: a front with two marks");
  warps_t front_members, front_leader;
  assign front_members = members(front);
  assign front_leader  = front_members & leader_o;
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !runs || (front_leader & (front_leader - warps_t'(1))) == '0)
    else $error("R-QW-9: a group with two leaders");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(runs && counts != '0) || front_members != '0)
    else $error("R-QW-5: a front without members");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !runs || head_ok_d == ((pick_i & heads_i & front_members) != '0))
    else $error("R-QW-9: head_ok does not say whether the head issues");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !runs || ((first(ready_i, moves ? preceding(next_below | next_group) :
          preceding(below | same)) & issuing) != '0) == (ready_i != '0))
    else $error("R-QW-8: the group that issues is not the first from the front on");
  assert property (@(posedge clk_i) disable iff (!rst_ni) (mark_q & ~resident_i) == '0)
    else $error("R-QW-9: a slot without a warp is marked");
`endif
endmodule
