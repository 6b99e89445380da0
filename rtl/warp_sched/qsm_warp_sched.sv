// SPDX-License-Identifier: Apache-2.0
// Warp scheduling policies of one sub-core: which eligible warp issues in this cycle.
//
// Contract: at most one warp is picked per cycle, and it always issues. A policy ranks warps; it
//   does not see instructions. Each policy answers three questions: which eligible warps are
//   candidates (all, the active set, or one group), which warp has priority (the one that issued
//   last, or the leader of the group), and which candidate is next if that warp cannot issue (round
//   robin, or the oldest warp).
// Who goes before whom within a group does not depend on who may issue: it is a matrix of pairs
//   from registers, ready before the candidates are, and the first warp of every group is found
//   while qsm_qaws finds the group that issues.
// Latency: combinational from able_i and mem_able_i, gate_i and no_mem_i, and issue_inhibit_i,
//   which come later in the cycle in this order, to pick_o; pick_slot_o is encoded from it. Picks,
//   starts and finishes count from the next cycle on.
// Cost: the matrix, about five gates and a flip-flop per pair of warps, and the flip-flops of
//   qsm_two_level and qsm_qaws.
// Doc: docs/warp_sched.md, docs/qaws.md.
//
// Observed by the lockstep monitor: pick_valid_o, pick_slot_o (ISSUE, R-IS-2); u_two_level, u_qaws.
module qsm_warp_sched
  import qsm_enums_pkg::*;
#(
  parameter  int unsigned NumWarps   = 8,  // warp slots, 1..64
  parameter  int unsigned NumKernels = 4,  // kernel slots, 1..8
  localparam int unsigned SlotW      = (NumWarps > 1) ? $clog2(NumWarps) : 1,
  localparam int unsigned KernelW    = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  policy_e                          policy_i,
  input  logic [NumWarps-1:0]              resident_i,
  input  logic [NumWarps-1:0][KernelW-1:0] kernel_i,
  // A warp is eligible (R-IS-1) if it is able and the gate of its kernel is open. One that is able
  // with a memory instruction is in mem_able_i instead of able_i, and no kernel in no_mem_i issues
  // these (R-PA-15, R-PA-19).
  input  logic [NumWarps-1:0]              able_i,
  input  logic [NumWarps-1:0]              mem_able_i,
  input  logic [NumKernels-1:0]            gate_i,
  input  logic [NumKernels-1:0]            no_mem_i,
  // the issue slot is taken by an injected instruction: no warp issues, whatever is eligible; may
  // arrive late in the cycle
  input  logic                             issue_inhibit_i,
  // waits for a long-latency event: barrier, load or quota (R-PO-7)
  input  logic [NumWarps-1:0]              long_latency_i,
  // a warp becomes resident at the end of this cycle
  input  logic                             start_valid_i,
  input  logic [SlotW-1:0]                 start_slot_i,
  input  logic [KernelW-1:0]               start_kernel_i,
  input  logic                             finish_valid_i,  // a warp leaves its slot (R-WS-10)
  input  logic [SlotW-1:0]                 finish_slot_i,
  input  logic [4:0]                       active_warps_i,  // of two_level, 1..16
  input  logic [NumKernels-1:0][7:0]       budget_i,        // of qaws, 1..255
  input  logic [NumKernels-1:0][NumKernels-1:0] above_i,    // its order, by qsm_budget_order
  input  logic [NumKernels-1:0]            restart_i,
  input  logic [NumKernels-1:0]            throttled_i,
  output logic                             pick_valid_o,
  output logic [NumWarps-1:0]              pick_o,          // one-hot; no pick: 0
  output logic [SlotW-1:0]                 pick_slot_o,     // meaningful while pick_valid_o
  // {valid, budget, ncs} of qsm_qaws, registers
  output logic [16:0]                      qaws_front_o
);
  if (NumWarps < 1 || NumWarps > 64) $error("qsm_warp_sched: NumWarps must be 1..64");

  function automatic logic [NumWarps-1:0] one(logic valid, logic [SlotW-1:0] slot);
    return valid ? NumWarps'(1) << slot : '0;
  endfunction

  // Slot issued last, one-hot: the pick is late in the cycle, and as it is then no level behind it.
  logic [NumWarps-1:0] issued_q, issued_d;
  logic                gone_q, gone_d;  // its warp has finished since, or none has issued yet
  logic [NumWarps-1:0] greedy, start, finish;
  logic                two_level, qaws, prose;

  assign greedy    = gone_q ? '0 : issued_q;
  assign start     = one(start_valid_i, start_slot_i);
  assign finish    = one(finish_valid_i, finish_slot_i);
  assign two_level = policy_i == PolicyTwoLevel;
  assign prose     = policy_i == PolicyQawsProse;
  assign qaws      = policy_has_groups(policy_i);

  // Kernel of a resident warp, one-hot: a register, since what may issue begins with it.
  logic [NumKernels-1:0][NumWarps-1:0] of_kernel_q;
  for (genvar k = 0; k < NumKernels; k++) begin : g_of_kernel
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) of_kernel_q[k] <= '0;
      else of_kernel_q[k] <= start_kernel_i == KernelW'(k) ? of_kernel_q[k] | start
          : of_kernel_q[k] & ~start;
    end
  end

  // ---- Policies with their own state ----
  logic [NumWarps-1:0] choice, active, waiting, oldest_waiting, here, group_leader, heads;
  logic [NumKernels-1:0] ready, others;  // ready: it has a candidate
  logic front_issues;
  logic [NumKernels-1:0][KernelW-1:0] name;

  qsm_two_level #(.NumWarps(NumWarps)) u_two_level (
    .clk_i, .rst_ni, .enable_i(two_level), .resident_i, .long_latency_i, .active_warps_i,
    .finish_i(finish),
    .candidates_o(waiting), .oldest_i(oldest_waiting), .active_o(active)
  );

  qsm_qaws #(.NumWarps(NumWarps), .NumKernels(NumKernels)) u_qaws (
    .clk_i, .rst_ni, .enable_i(qaws), .prose_i(prose), .resident_i,
    .of_kernel_i(of_kernel_q),
    .eligible_i(choice), .ready_i(ready), .issue_inhibit_i,
    .budget_i, .above_i, .restart_i, .throttled_i, .greedy_i(greedy),
    .pick_valid_i(pick_valid_o), .pick_i(pick_o), .start_i(start), .start_kernel_i,
    .finish_i(finish),
    .heads_i(heads), .name_o(name), .here_o(here), .front_issues_o(front_issues),
    .others_o(others), .leader_o(group_leader), .state_o(qaws_front_o)
  );

  logic [NumWarps-1:0][NumWarps-1:0] older;
  qsm_warp_age #(.NumWarps(NumWarps)) u_age (
    .clk_i, .rst_ni, .start_valid_i, .start_slot_i, .older_o(older),
    .set_i(waiting), .oldest_o(oldest_waiting)
  );

  // ---- Who goes before whom, from registers ----
  // ahead: by age, the leader of its group; in the round, the warps from its begin to the last
  // slot. Of two warps the one that is ahead goes first; of others the older one, or the lower.
  logic round, from_last;
  logic [NumWarps-1:0] ahead, from_issued;  // from_issued: this slot or a higher one issued last
  logic [NumWarps-1:0][KernelW-1:0] names;
  logic [NumWarps-1:0][NumWarps-1:0] beaten_by;  // [w][v]: v is of w's group and goes before it
  assign round     = !policy_takes_oldest(policy_i);
  assign from_last = !gone_q && policy_i != PolicyLrrRotate;
  always_comb begin
    for (int unsigned w = 0; w < NumWarps; w++) from_issued[w] = (issued_q >> w) != '0;
  end
  always_comb begin
    for (int unsigned w = 0; w < NumWarps; w++) begin
      ahead[w] = round ? !from_issued[w] || (issued_q[w] && from_last)
                       : qaws ? group_leader[w] : greedy[w];
      names[w] = name[kernel_i[w]];
    end
    for (int unsigned w = 0; w < NumWarps; w++) begin
      beaten_by[w][w] = 1'b0;
      for (int unsigned v = 0; v < w; v++) begin
        logic same, lower_first;
        same = names[v] == names[w];
        lower_first = ahead[v] || ((older[w][v] || round) && !ahead[w]);
        beaten_by[w][v] = same && lower_first;
        beaten_by[v][w] = same && !lower_first;
      end
    end
  end

  always_comb begin
    for (int unsigned w = 0; w < NumWarps; w++)
      heads[w] = resident_i[w] && (resident_i & beaten_by[w]) == '0;
  end

  // ---- Candidates: eligible warps, of two_level the active ones ----
  // Of each kernel two bits meet what is known of each warp before; and to know whether it has a
  // candidate, they meet two bits of the kernel.
  logic [NumKernels-1:0][NumWarps-1:0] of_kernel;
  always_comb begin
    choice = '0;
    for (int unsigned n = 0; n < NumKernels; n++) begin
      of_kernel[n] = of_kernel_q[n] & (active | {NumWarps{!two_level}});
      ready[n] = gate_i[n] && ((of_kernel[n] & able_i) != '0 ||
          ((of_kernel[n] & mem_able_i) != '0 && !no_mem_i[n]));
      if (gate_i[n])
        choice |= of_kernel[n] & (able_i | (mem_able_i & {NumWarps{!no_mem_i[n]}}));
    end
  end

  // ---- The pick: the first candidate of the group that issues ----
  logic [NumWarps-1:0] firsts;  // of each group
  always_comb begin
    pick_slot_o = '0;
    for (int unsigned w = 0; w < NumWarps; w++) begin
      firsts[w] = choice[w] && (choice & beaten_by[w]) == '0;
      pick_o[w] = !issue_inhibit_i && (front_issues ? firsts[w] && here[w]
          : firsts[w] && !here[w] && others[kernel_i[w]]);
      if (pick_o[w]) pick_slot_o |= SlotW'(w);
    end
  end
  assign pick_valid_o = choice != '0 && !issue_inhibit_i;

  // R-PO-1.
  assign issued_d = pick_o | (pick_valid_o ? '0 : issued_q);
  assign gone_d = (finish & issued_d) != '0 || (gone_q && !pick_valid_o);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      issued_q <= NumWarps'(1) << (NumWarps - 1);
      gone_q <= 1'b1;
    end else begin
      issued_q <= issued_d;
      gone_q <= gone_d;
    end
  end

`ifndef SYNTHESIS
  logic [SlotW-1:0] last_q;  // slot issued last, as proofs and assertions name it
  always_comb begin
    last_q = '0;
    for (int unsigned w = 0; w < NumWarps; w++) if (issued_q[w]) last_q |= SlotW'(w);
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) issued_q == one(1'b1, last_q))
    else $error("R-PO-1: not one slot that issued last");

  for (genvar w = 0; w < NumWarps; w++) begin : g_kernel
    for (genvar k = 0; k < NumKernels; k++) begin : g_of
      assert property (@(posedge clk_i) disable iff (!rst_ni)
          !resident_i[w] || of_kernel_q[k][w] == (kernel_i[w] == KernelW'(k)))
        else $error("R-PO-2..6, R-QW-8: the kernel of a warp is not the one it started with");
    end
  end

  logic [NumWarps-1:0] eligible;
  always_comb
    for (int unsigned w = 0; w < NumWarps; w++) eligible[w] = gate_i[kernel_i[w]] &&
        (able_i[w] || (mem_able_i[w] && !no_mem_i[kernel_i[w]]));

  assert property (@(posedge clk_i) disable iff (!rst_ni) policy_valid(32'(policy_i)))
    else $error("R-PO-2..6, R-QW-8: no such policy");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !pick_valid_o || eligible[pick_slot_o])
    else $error("R-PO-2..6, R-QW-8: picked warp is not eligible");
  assert property (@(posedge clk_i) disable iff (!rst_ni) pick_o == one(pick_valid_o, pick_slot_o))
    else $error("R-PO-2..6, R-QW-8: two picks, or none though a candidate is there");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      two_level || pick_valid_o == ((|eligible) && !issue_inhibit_i))
    else $error("R-PO-2..4, R-QW-8: no pick though a warp is eligible");

  // With only one group, qaws picks the same warp as gto.
  logic             alone;
  logic [SlotW-1:0] shadow;
  always_comb begin
    alone = 1'b1;
    for (int unsigned a = 0; a < NumWarps; a++) begin
      for (int unsigned b = 0; b < a; b++) begin
        if (resident_i[a] && resident_i[b] && budget_i[kernel_i[a]] != budget_i[kernel_i[b]])
          alone = 1'b0;
      end
    end
    shadow = last_q;
    if (gone_q || !eligible[last_q]) begin
      for (int unsigned w = 0; w < NumWarps; w++) begin
        if (eligible[w] && (eligible & older[w]) == '0) shadow = SlotW'(w);
      end
    end
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(policy_i == PolicyQaws && alone && pick_valid_o) || pick_slot_o == shadow)
    else $error("R-QW-5 e: qaws with one group differs from gto");
`endif
endmodule
