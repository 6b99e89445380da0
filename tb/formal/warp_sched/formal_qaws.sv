// SPDX-License-Identifier: Apache-2.0
// qsm_qaws inside qsm_warp_sched, policies qaws and qaws_prose: which group is at the front, how
// its switches are counted, whose warp is picked (R-QW-1 to -9). Budgets are rewritten, warps come
// and go, kernels lose and get quota at any time.
module formal_qaws
  import qsm_enums_pkg::*;
#(
  parameter bit          Prose = 1'b0,
  parameter int unsigned NumWarps = 4,
  parameter int unsigned NumKernels = 2,
  parameter int unsigned MaxBudget = 255,
  // with the bound on steps; it needs small budgets to be found
  parameter bit          Bound = 1'b1,
  localparam int unsigned SlotW = (NumWarps > 1) ? $clog2(NumWarps) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input logic                       clk_i,
  input logic                       start_valid_i,
  input logic [SlotW-1:0]           start_slot_i,
  input logic [KernelW-1:0]         start_kernel_i,
  input logic                       finish_valid_i,
  input logic [SlotW-1:0]           finish_slot_i,
  input logic [NumWarps-1:0]        able_i,
  input logic [NumWarps-1:0]        mem_i,
  input logic [NumKernels-1:0]      gate_i,
  input logic [NumKernels-1:0]      no_mem_i,
  input logic                       issue_inhibit_i,
  input logic [NumKernels-1:0][7:0] budget_i,
  // its budget is written, with the value that it had or another one
  input logic [NumKernels-1:0]      written_i,
  input logic [NumKernels-1:0]      throttled_i,
  input logic [KernelW-1:0]         any_i       // any kernel
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [NumWarps-1:0] able, seen;  // seen: eligible, unless issue_inhibit_i
  logic [NumWarps-1:0] eligible;    // in truth

  logic [NumWarps-1:0]               resident;
  logic [NumWarps-1:0][KernelW-1:0]  kernel;
  logic [NumWarps-1:0][NumWarps-1:0] older;
  formal_warps #(.NumWarps(NumWarps), .NumKernels(NumKernels)) u_warps (
    .clk_i, .rst_ni, .start_valid_i, .start_slot_i, .start_kernel_i, .finish_valid_i,
    .finish_slot_i, .eligible_i(seen), .long_latency_i('0),
    .resident_o(resident), .kernel_o(kernel), .older_o(older)
  );
  assign able = able_i & resident;
  assign eligible = issue_inhibit_i ? '0 : seen;
  always_comb for (int unsigned w = 0; w < NumWarps; w++) seen[w] = able[w] &&
      gate_i[kernel[w]] && !(mem_i[w] && no_mem_i[kernel[w]]);

  logic [NumKernels-1:0]      restart;
  logic [NumKernels-1:0][7:0] budget_q;
  always_ff @(posedge clk_i) budget_q <= budget_i;
  always_comb for (int unsigned k = 0; k < NumKernels; k++) restart[k] = written_i[k] ||
      budget_i[k] != budget_q[k];

  logic             pick_valid;
  logic [SlotW-1:0] pick;
  logic [NumKernels-1:0][NumKernels-1:0] above;
  qsm_budget_order #(.NumKernels(NumKernels)) u_order (.budget_i, .above_o(above));
  qsm_warp_sched #(.NumWarps(NumWarps), .NumKernels(NumKernels)) u_dut (
    .clk_i, .rst_ni, .policy_i(Prose ? PolicyQawsProse : PolicyQaws), .resident_i(resident),
    .kernel_i(kernel),
    .able_i(able & ~mem_i), .mem_able_i(able & mem_i), .gate_i, .no_mem_i, .issue_inhibit_i,
    .long_latency_i('0),
    .start_valid_i, .start_slot_i, .start_kernel_i, .finish_valid_i, .finish_slot_i,
    .active_warps_i(5'd8), .budget_i, .above_i(above), .restart_i(restart), .throttled_i,
    .pick_valid_o(pick_valid), .pick_slot_o(pick)
  );

  formal_ages #(.NumWarps(NumWarps)) u_ages (
    .clk_i, .rst_ni, .older_i(older), .kept_i(u_dut.older)
  );

  // ---- Groups, R-QW-1 to -4 ----
  logic [NumWarps-1:0][7:0] group;  // a warp's
  logic [NumKernels-1:0]    hosted, counts;
  logic                     restarted;
  always_comb begin
    hosted = '0;
    for (int unsigned w = 0; w < NumWarps; w++) begin
      group[w] = budget_i[kernel[w]];
      if (resident[w]) hosted[kernel[w]] = 1'b1;
    end
    // Kernels that make their group count: one that is not throttled is enough.
    counts = hosted & ~throttled_i;
    restarted = (hosted & restart) != '0;
  end

  // In the circle that goes down from f to 0 and on from 255, f itself first: a stands ahead of b.
  function automatic logic ahead(logic [7:0] f, logic [7:0] a, logic [7:0] b);
    return ((a <= f) == (b <= f)) ? a > b : a <= f;
  endfunction

  // ---- The front, before and after the cycle ----
  logic       valid, valid_after, front_counts, others_count, has_members;
  logic [7:0] front, front_after, ncs, ncs_after;
  assign {valid, front, ncs} = u_dut.u_qaws.front_q;
  assign {valid_after, front_after, ncs_after} = u_dut.u_qaws.front_d;
  always_comb begin
    front_counts = 1'b0;
    others_count = 1'b0;
    has_members = 1'b0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (hosted[k] && budget_i[k] == front) has_members = 1'b1;
      if (counts[k] && budget_i[k] == front) front_counts = 1'b1;
      if (counts[k] && budget_i[k] != front) others_count = 1'b1;
    end
  end

  // After the cycle: does the front count, is it the next of the circle or the top of it, are there
  // marks twice in it?
  logic after_counts, is_next, is_top, in_order, ranks;
  always_comb begin
    after_counts = 1'b0;
    is_next = 1'b1;
    is_top = 1'b1;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (counts[k] && budget_i[k] == front_after) after_counts = 1'b1;
      if (counts[k] && budget_i[k] > front_after) is_top = 1'b0;
      if (counts[k] && budget_i[k] != front && ahead(front, budget_i[k], front_after))
        is_next = 1'b0;
    end
    // R-QW-8: no eligible warp stands in a group before the pick's; inside the group age decides,
    // unless the pick leads.
    in_order = 1'b1;
    ranks = 1'b1;
    for (int unsigned w = 0; w < NumWarps; w++) begin
      if (eligible[w] && ahead(front_after, group[w], group[pick])) in_order = 1'b0;
      if (32'(pick) != w && eligible[w] && group[w] == group[pick] && older[w][pick] &&
          !u_dut.group_leader[pick]) ranks = 1'b0;
    end
  end

  // ---- A step, R-QW-6 and R-QW-7 ----
  logic last_here, head_failed, marked_waits, mark_others;
  always_comb begin
    last_here = !u_dut.gone_q && resident[u_dut.last_q] && group[u_dut.last_q] == front;
    head_failed = !u_dut.u_qaws.head_ok_q && u_dut.u_qaws.prev_q && last_here;
    marked_waits = 1'b0;
    mark_others = 1'b0;
    for (int unsigned w = 0; w < NumWarps; w++) begin
      if (resident[w] && group[w] == front && u_dut.u_qaws.mark_q[w] && !eligible[w])
        marked_waits = 1'b1;
      if (eligible[w] && group[w] == front) mark_others = 1'b1;
    end
  end
  logic step;
  assign step = valid && !restarted && front_counts && others_count &&
      (Prose ? marked_waits && mark_others : head_failed);

  // ---- How long any group that counts stays away from the front ----
  // Steps since it was there, while no group comes, leaves or is throttled; most that they can be:
  // each other group's budget + 1.
  logic [15:0]                away_q, most;
  logic [KernelW-1:0]         any_q;
  logic [NumKernels-1:0]      counts_q, first_of_group;
  logic                       steady, at_front;
  always_comb begin
    most = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      first_of_group[k] = counts[k];
      for (int unsigned j = 0; j < k; j++)
        if (counts[j] && budget_i[j] == budget_i[k]) first_of_group[k] = 1'b0;
      if (first_of_group[k] && budget_i[k] != budget_i[any_q]) most += 16'(budget_i[k]) + 1;
    end
    steady = !restarted && counts == counts_q && counts[any_q];
    at_front = valid && front == budget_i[any_q];
  end
  always_ff @(posedge clk_i) begin
    counts_q <= counts;
    if (!rst_ni) any_q <= any_i;
    if (!rst_ni || !steady || at_front || !valid) away_q <= '0;
    else if (step) away_q <= away_q + 1;
  end

  // The count of a group that is throttled goes on to the next one, whose budget may be smaller.
  logic carried_q, shut_moves;
  assign shut_moves = valid && !restarted && !front_counts && others_count && has_members;
  always_ff @(posedge clk_i) carried_q <= rst_ni && ncs_after != 0 && (carried_q || shut_moves);

  // For the induction: of a group one warp is marked at most.
  logic one_mark;
  always_comb begin
    one_mark = 1'b1;
    for (int unsigned w = 0; w < NumWarps; w++) begin
      for (int unsigned v = 0; v < w; v++)
        if (u_dut.u_qaws.mark_q[w] && u_dut.u_qaws.mark_q[v] && group[w] == group[v])
          one_mark = 1'b0;
    end
  end

  logic [NumWarps-1:0] shut_eligible;
  logic [NumKernels-1:0] legal_budget;
  always_comb begin
    for (int unsigned w = 0; w < NumWarps; w++)
      shut_eligible[w] = seen[w] && throttled_i[kernel[w]];
    for (int unsigned k = 0; k < NumKernels; k++)
      legal_budget[k] = budget_i[k] != 0 && 32'(budget_i[k]) <= MaxBudget;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      assume (32'(any_i) < NumKernels);
    end else begin
      assume (shut_eligible == '0 && legal_budget == '1);
      // R-QW-5.
      if (resident == '0) nobody: assert (!valid_after && ncs_after == 0);
      if (counts != '0) somebody: assert (valid_after && after_counts);
      if (counts != '0 && (restarted || !valid)) from_the_top: assert (is_top && ncs_after == 0);
      if (valid_after && valid && !restarted && !front_counts && others_count)
        leaves_to_next: assert (is_next && ncs_after == (has_members ? ncs : 0));
      if (valid && !restarted && front_counts && !others_count)
        alone: assert (front_after == front && ncs_after == ncs);
      // R-QW-6, -7.
      if (step && ncs < front) counts_one: assert (front_after == front && ncs_after == ncs + 1);
      if (step && ncs >= front)
        moves_on: assert (front_after != front && is_next && ncs_after == 0);
      if (valid && !restarted && front_counts && !step)
        stays: assert (front_after == front && ncs_after == ncs);
      if (!carried_q) count_bound: assert (ncs <= front);
      // R-QW-8.
      picks_somebody: assert (pick_valid == (eligible != '0));
      if (pick_valid) group_in_turn: assert (in_order);
      if (pick_valid) oldest_or_leader: assert (ranks);
      if (valid && !restarted) marks: assert (one_mark);
      // Bound.
      if (Bound && steady) comes_to_front: assert (away_q <= most);
      rotates: cover (step && ncs == 2 && front == 2);
      carries: cover (shut_moves && ncs == 2 && others_count);
      long_latency: cover (at_front && away_q == 3);
      other_group: cover (pick_valid && group[pick] != front_after);
    end
  end
endmodule
