// SPDX-License-Identifier: Apache-2.0
// qsm_warp_sched: which warp each policy picks, by R-PO-1 to -6 and the bounds that follow; the
// policy may be rewritten at any time. What qsm_qaws says is left open, but for what is assumed of
// it below; what qaws and qaws_prose pick is in formal_qaws.
module formal_warp_sched
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumWarps = 4,
  parameter int unsigned NumKernels = 2,
  localparam int unsigned SlotW = (NumWarps > 1) ? $clog2(NumWarps) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input logic                       clk_i,
  input policy_e                    policy_i,
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
  input logic [NumWarps-1:0]        long_latency_i,
  input logic [4:0]                 active_warps_i,
  input logic [NumKernels-1:0][7:0] budget_i,
  // its budget is written, with the value that it had or another one
  input logic [NumKernels-1:0]      written_i,
  input logic [NumKernels-1:0]      throttled_i
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
    .finish_slot_i, .eligible_i(seen), .long_latency_i,
    .resident_o(resident), .kernel_o(kernel), .older_o(older)
  );
  assign able = able_i & resident;
  assign eligible = issue_inhibit_i ? '0 : seen;
  always_comb for (int unsigned w = 0; w < NumWarps; w++) seen[w] = able[w] &&
      gate_i[kernel[w]] && !(mem_i[w] && no_mem_i[kernel[w]]);

  // Registers as the policies see them: a write is told in the first cycle of the new value.
  logic [NumKernels-1:0]      restart;
  policy_e                    policy_q;
  logic [NumKernels-1:0][7:0] budget_q;
  always_ff @(posedge clk_i) begin
    policy_q <= policy_i;
    budget_q <= budget_i;
  end
  always_comb for (int unsigned k = 0; k < NumKernels; k++) restart[k] = written_i[k] ||
      policy_i != policy_q || budget_i[k] != budget_q[k];

  logic             pick_valid;
  logic [SlotW-1:0] pick;
  logic [NumKernels-1:0][NumKernels-1:0] above;
  qsm_budget_order #(.NumKernels(NumKernels)) u_order (.budget_i, .above_o(above));
  qsm_warp_sched #(.NumWarps(NumWarps), .NumKernels(NumKernels)) u_dut (
    .clk_i, .rst_ni, .policy_i, .resident_i(resident), .kernel_i(kernel),
    .able_i(able & ~mem_i), .mem_able_i(able & mem_i), .gate_i, .no_mem_i, .issue_inhibit_i,
    .long_latency_i, .start_valid_i, .start_slot_i, .start_kernel_i, .finish_valid_i,
    .finish_slot_i, .active_warps_i, .budget_i, .above_i(above), .restart_i(restart), .throttled_i,
    .pick_valid_o(pick_valid), .pick_slot_o(pick)
  );

  formal_ages #(.NumWarps(NumWarps)) u_ages (
    .clk_i, .rst_ni, .older_i(older), .kept_i(u_dut.older)
  );

  // R-PO-1.
  logic [SlotW-1:0] last_q, last;
  logic             gone_q;
  assign last = pick_valid ? pick : last_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      last_q <= SlotW'(NumWarps - 1);
      gone_q <= 1'b1;
    end else begin
      last_q <= last;
      gone_q <= (finish_valid_i && finish_slot_i == last) || (gone_q && !pick_valid);
    end
  end

  function automatic logic [SlotW-1:0] after(logic [SlotW-1:0] slot);
    return (32'(slot) == NumWarps - 1) ? '0 : slot + 1'b1;
  endfunction

  // First of the set, circular from a slot on.
  function automatic logic [SlotW-1:0] circular(logic [NumWarps-1:0] set, logic [SlotW-1:0] from);
    logic [SlotW-1:0] slot;
    logic             found;
    slot = from;
    found = 1'b0;
    circular = from;
    for (int unsigned d = 0; d < NumWarps; d++) begin
      if (set[slot] && !found) begin
        circular = slot;
        found = 1'b1;
      end
      slot = after(slot);
    end
  endfunction

  logic [SlotW-1:0]    expected;
  logic [NumWarps-1:0] choice;
  logic                ranked;  // a policy of R-PO-2 to -6
  always_comb begin
    choice = eligible;
    expected = '0;
    ranked = 1'b1;
    case (policy_i)
      PolicyLrr: expected = circular(eligible, gone_q ? after(last_q) : last_q);
      PolicyGto: begin
        for (int unsigned w = 0; w < NumWarps; w++) begin
          if (eligible[w] && (eligible & ~(NumWarps'(1) << w) & ~older[w]) == '0)
            expected = SlotW'(w);
        end
        if (!gone_q && eligible[last_q]) expected = last_q;
      end
      PolicyLrrRotate: expected = circular(eligible, after(last_q));
      PolicyTwoLevel: begin
        choice = eligible & u_dut.u_two_level.active_o;
        expected = circular(choice, gone_q ? after(last_q) : last_q);
      end
      default: ranked = 1'b0;
    endcase
  end

  // lrr_rotate: picks of others since a warp has been eligible.
  logic [NumWarps-1:0][SlotW:0] others_q;
  logic [NumWarps-1:0]          patient, shut_eligible;
  always_comb begin
    for (int unsigned w = 0; w < NumWarps; w++) begin
      patient[w] = 32'(others_q[w]) < NumWarps;
      shut_eligible[w] = seen[w] && throttled_i[kernel[w]];
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned w = 0; w < NumWarps; w++) begin
      others_q[w] <= (!rst_ni || policy_i != PolicyLrrRotate || !eligible[w] ||
          pick == SlotW'(w)) ? '0 : others_q[w] + 1'b1;
    end
  end

  // Of qsm_qaws, proved in formal_qaws and formal_qaws_gto: with another policy all kernels are one
  // group behind no front, of which those with a candidate issue; with its own policies one
  // candidate is picked, with a single group the one of gto.
  logic [NumKernels-1:0] ready;
  always_comb begin
    ready = '0;
    for (int unsigned w = 0; w < NumWarps; w++) if (u_dut.choice[w]) ready[kernel[w]] = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (policy_has_groups(policy_i)) begin
        assume (u_dut.pick_o == (pick_valid ? NumWarps'(1) << pick : '0));
        assume (!pick_valid || eligible[pick]);
        assume (!u_dut.alone || !pick_valid || policy_i != PolicyQaws || pick == u_dut.shadow);
      end else begin
        assume (u_dut.name == '0 && u_dut.here == '0 && !u_dut.front_issues);
        assume (u_dut.others == ready);
      end
      assume (policy_valid(32'(policy_i)) && active_warps_i >= 1 && active_warps_i <= 16 &&
          shut_eligible == '0);
      for (int unsigned k = 0; k < NumKernels; k++) assume (budget_i[k] != 0);
      if (ranked) picks_somebody: assert (pick_valid == (choice != '0));
      if (ranked && pick_valid) picks_by_the_rule: assert (pick == expected);
      rotates: assert (&patient);
      oldest_wins: cover (policy_i == PolicyGto && pick_valid && pick == SlotW'(NumWarps - 1) &&
          !gone_q && last_q != pick && eligible[0]);
      stays: cover (policy_i == PolicyLrr && pick_valid && pick == last_q && !gone_q &&
          $countones(eligible) > 1);
      last_in_turn: cover (32'(others_q[0]) == NumWarps - 1 && pick == '0);
      inactive_waits: cover (policy_i == PolicyTwoLevel && eligible != '0 && !pick_valid);
    end
  end
endmodule
