// SPDX-License-Identifier: Apache-2.0
// qsm_front_watchdog: any slot is overdue when its launch has taken its limit and was looked at,
// and not before, whatever the others do; its KILL is written once, the lowest slot's first
// (R-FR-25).
module formal_front_watchdog #(
  parameter int unsigned NumSlots = 3,
  localparam int unsigned SlotW = $clog2(NumSlots)
) (
  input logic                clk_i,
  input logic [SlotW-1:0]    any_i,     // any slot
  input logic [32:0]         begin_i,   // number of the first cycle
  input logic [NumSlots-1:0] ends_i,    // launches end
  input logic                launch_i,
  input logic [SlotW-1:0]    slot_i,
  input logic [31:0]         limit_i,
  input logic                taken_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [32:0] cycle_q;
  logic [SlotW-1:0] k_q;
  logic [NumSlots-1:0] runs_q, overdue;
  logic kill;
  logic [SlotW-1:0] kill_slot;
  qsm_front_watchdog #(.NumSlots(NumSlots)) u_dut (
    .clk_i, .rst_ni, .cycle_i(cycle_q), .runs_i(runs_q), .launch_i, .slot_i, .limit_i,
    .overdue_o(overdue), .kill_o(kill), .kill_slot_o(kill_slot), .kill_taken_i(taken_i)
  );

  // Of the slot's launch: cycles that it has run, its limit, and whether it is overdue by the rule.
  logic begins;
  logic [32:0] time_q;
  logic [31:0] limit_q;
  logic overdue_q, sent_q;
  assign begins = launch_i && slot_i == k_q;
  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1'b1;
    if (!rst_ni) begin
      cycle_q <= begin_i;
      k_q <= any_i;
      runs_q <= '0;
      {overdue_q, sent_q} <= '0;
      limit_q <= '0;
    end else begin
      runs_q <= runs_q & ~ends_i;
      if (launch_i) runs_q[slot_i] <= 1'b1;
      if (runs_q[k_q]) time_q <= time_q + 1'b1;
      if (runs_q[k_q] && limit_q != '0 && time_q >= 33'(limit_q) && cycle_q[2:0] == 3'(k_q))
        overdue_q <= 1'b1;
      if (kill && taken_i && kill_slot == k_q) sent_q <= 1'b1;
      if (begins) begin
        time_q <= '0;
        limit_q <= limit_i;
        {overdue_q, sent_q} <= '0;
      end
    end
  end

  logic begun_q;
  logic [32:0] deadline;
  always_ff @(posedge clk_i) begun_q <= begins || !rst_ni;
  always_comb begin
    deadline = '0;
    for (int unsigned k = 0; k < NumSlots; k++)
      if (k_q == SlotW'(k)) deadline = u_dut.deadline_mem[k];
  end

  logic due;  // it shall be killed
  assign due = overdue_q && runs_q[k_q] && !sent_q;
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!launch_i || (32'(slot_i) < NumSlots && !runs_q[slot_i]));

      when_late: assert (overdue[k_q] == overdue_q);
      kills: assert (!due || (kill && kill_slot <= k_q));
      if (kill && kill_slot == k_q) only_late: assert (due);

      // For the induction.
      slot_is: assert (32'(k_q) < NumSlots);
      sent: assert (u_dut.sent_q[k_q] == sent_q && (!sent_q || overdue_q));
      limited: assert (u_dut.limited_q[k_q] == (limit_q != '0));
      if (begun_q && runs_q[k_q]) just_begun: assert (u_dut.launched_q[k_q] && time_q == '0);
      if (!begun_q) not_just: assert (!u_dut.launched_q[k_q]);
      if (runs_q[k_q]) deadline_is: assert (deadline == cycle_q + 33'(limit_q) - time_q);
      if (!begun_q && cycle_q[SlotW-1:0] == k_q) read: assert (u_dut.deadline_q == deadline);
      if (runs_q[k_q] && limit_q != '0) in_time: assert (overdue_q ||
          time_q < 33'(limit_q) + 33'd8);
      if (runs_q[k_q] && limit_q != '0 && !overdue_q && time_q >= 33'(limit_q))
        looked: assert (33'(3'(cycle_q[2:0] - 3'(k_q) - 3'd1)) >= time_q - 33'(limit_q));

      killed: cover (kill && taken_i && kill_slot == k_q && k_q == SlotW'(2));
      waits: cover (due && kill_slot != k_q);
    end else begin
      assume (32'(any_i) < NumSlots);
    end
  end
endmodule
