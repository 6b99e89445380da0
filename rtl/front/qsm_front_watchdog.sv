// SPDX-License-Identifier: Apache-2.0
// Watchdog of the front end: which slot's launch has taken its limit, and whose KILL is next.
// Contract: docs/front.md R-FR-25. launch_i in the cycle before a launch's first; kill_o stays
// until a cycle of kill_taken_i, in which KILL is written.
// Observed by the lockstep monitor: sent_q (FRONT).
// Latency: slot k is looked at in cycles t = k mod 8. Limits have 32 bits and every slot is looked
// at, so 33 bits of a cycle number do.
// Cost: an adder, a subtractor, a deadline per slot.
module qsm_front_watchdog #(
  parameter int unsigned NumSlots = 4,
  localparam int unsigned SlotW = (NumSlots > 1) ? $clog2(NumSlots) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [32:0]         cycle_i,
  input  logic [NumSlots-1:0] runs_i,
  input  logic                launch_i,
  input  logic [SlotW-1:0]    slot_i,
  input  logic [31:0]         limit_i,      // of that launch, 0: none
  output logic [NumSlots-1:0] overdue_o,
  output logic                kill_o,
  output logic [SlotW-1:0]    kill_slot_o,
  input  logic                kill_taken_i
);
  // A launch that begins after cycle t has taken `limit` cycles at the start of t + 1 + limit: its
  // deadline. In that cycle or one of the seven after it its slot is looked at.
  // launched_q: of a slot whose deadline was written in the last cycle the one before is read; the
  // new one is not due yet.
  logic [NumSlots-1:0] limited_q, overdue_q, sent_q, launched_q, late;
  (* ram_style = "block", no_rw_check *) logic [32:0] deadline_mem[NumSlots];
  logic [32:0] deadline_q;
  logic [29:0] since;  // the deadline, in eights of cycles
  logic [2:0] since_unused;
  logic [SlotW-1:0] looked, looked_next;
  logic look;
  assign look = 32'(cycle_i[2:0]) < NumSlots && !launched_q[looked];
  assign looked = cycle_i[SlotW-1:0];
  assign looked_next = looked + SlotW'(1);
  assign {since, since_unused} = cycle_i - deadline_q;
  always_ff @(posedge clk_i) begin
    if (launch_i) deadline_mem[slot_i] <= cycle_i + 33'(limit_i) + 33'd1;
    deadline_q <= deadline_mem[looked_next];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      launched_q <= '0;
      limited_q <= '0;
      overdue_q <= '0;
      sent_q <= '0;
    end else begin
      launched_q <= '0;
      if (look && runs_i[looked] && limited_q[looked]) begin
        if (since == '0) overdue_q[looked] <= 1'b1;
      end
      if (kill_o && kill_taken_i) sent_q[kill_slot_o] <= 1'b1;
      if (launch_i) begin
        launched_q[slot_i] <= 1'b1;
        limited_q[slot_i] <= limit_i != '0;
        overdue_q[slot_i] <= 1'b0;
        sent_q[slot_i] <= 1'b0;
      end
    end
  end
  assign overdue_o = overdue_q;

  assign late = overdue_q & runs_i & ~sent_q;
  assign kill_o = late != '0;
  always_comb begin
    kill_slot_o = '0;
    for (int k = NumSlots - 1; k >= 0; k--) if (late[k]) kill_slot_o = SlotW'(k);
  end
endmodule
