// SPDX-License-Identifier: Apache-2.0
// MSHRs of an L2 slice: lines that are being fetched, each with a list of merged requests (waiters)
// in order of arrival. docs/l2.md R-L2-4, R-L2-7.
// Contract: one op per cycle is in act. alloc_i and join_i only with credits (R-L2-3); a waiter
// that is looked for in t is there in t + 1.
// After fill_i the MSHR is freed, or filled_o holds until the act of its last replay; left_o: a
// waiter is left whose replay has not begun.
// Cost: a comparator per MSHR; the waiters in RAM, and once more the lines, for the one that is
// read. Observed by the lockstep monitor: valid_q, filled_q, line_q, line_mem, used_q (L2).
module qsm_l2_mshrs #(
  parameter int unsigned Mshrs = 4,
  parameter int unsigned Waiters = 8,
  parameter int unsigned LineW = 28,
  parameter int unsigned SlotW = 2,
  parameter int unsigned WaiterW = 64,
  localparam int unsigned MshrW = (Mshrs > 1) ? $clog2(Mshrs) : 1,
  localparam int unsigned WaitW = (Waiters > 1) ? $clog2(Waiters) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Look: whose turn it is.
  output logic               filled_o,
  output logic               left_o,
  // the next waiter of the filled MSHR; else of MSHR look_mshr_i
  input  logic               look_replay_i,
  input  logic [MshrW-1:0]   look_mshr_i,
  // while left_o of the filled MSHR, else of look_mshr_i; its slot
  output logic [LineW-1:0]   look_line_o,
  output logic [SlotW-1:0]   look_slot_o,
  output logic [WaiterW-1:0] waiter_o,       // in the next cycle

  // Act of a request.
  input  logic [LineW-1:0]   line_i,
  output logic               match_o,     // its line is on its way in
  output logic [MshrW-1:0]   match_mshr_o,
  output logic [MshrW-1:0]   free_mshr_o, // the lowest
  input  logic               join_i,      // comes last in the list of match_mshr_o
  input  logic               alloc_i,     // takes free_mshr_o, comes first in its list
  input  logic [SlotW-1:0]   slot_i,
  input  logic [WaiterW-1:0] waiter_i,

  // Act of a fill of fill_mshr_i, or of the replay that was looked for.
  input  logic               fill_i,
  input  logic [MshrW-1:0]   fill_mshr_i,
  input  logic               answered_i,  // the fill has answered its first waiter, which leaves
  input  logic               replay_i,
  output logic [MshrW-1:0]   filled_mshr_o,
  output logic               freed_o      // at the end of the cycle an MSHR is free
);
  logic [Mshrs-1:0] valid_q, equal;
  logic [LineW-1:0] line_q[Mshrs];
  logic [LineW+SlotW-1:0] line_mem[Mshrs];  // with the slot
  logic [MshrW-1:0] read_mshr;
  logic [WaitW-1:0] head_q[Mshrs], tail_q[Mshrs];
  logic [Waiters-1:0] used_q;
  (* no_rw_check *) logic [WaiterW-1:0] waiter_mem[Waiters];
  logic [WaitW-1:0] next_mem[Waiters];  // the waiter behind this one

  // The filled MSHR: its list is served from replay_q to replay_tail_q.
  logic filled_q, left_q;
  logic [MshrW-1:0] filled_mshr_q;
  logic [WaitW-1:0] replay_q, replay_tail_q;

  logic [WaitW-1:0] free_waiter, looked, looked_q, after;
  logic look_last, last_q, only_one;

  always_comb begin
    match_mshr_o = '0;
    free_mshr_o = '0;
    free_waiter = '0;
    for (int j = int'(Mshrs) - 1; j >= 0; j--) begin
      equal[j] = valid_q[j] && line_q[j] == line_i;
      if (equal[j]) match_mshr_o |= MshrW'(j);
      if (!valid_q[j]) free_mshr_o = MshrW'(j);
    end
    for (int w = int'(Waiters) - 1; w >= 0; w--) if (!used_q[w]) free_waiter = WaitW'(w);
  end
  assign match_o = equal != '0;

  assign filled_o = filled_q;
  assign left_o = left_q;
  assign filled_mshr_o = filled_mshr_q;
  assign read_mshr = left_q ? filled_mshr_q : look_mshr_i;
  assign {look_slot_o, look_line_o} = line_mem[read_mshr];

  assign looked = look_replay_i ? replay_q : head_q[look_mshr_i];
  assign look_last = replay_q == replay_tail_q;
  assign only_one = looked_q == tail_q[fill_mshr_i];
  assign after = next_mem[fill_i ? looked_q : replay_q];
  assign freed_o = (fill_i && answered_i && only_one) || (replay_i && last_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      used_q <= '0;
      filled_q <= 1'b0;
      left_q <= 1'b0;
    end else begin
      if (join_i || alloc_i) used_q[free_waiter] <= 1'b1;
      if ((fill_i && answered_i) || replay_i) used_q[looked_q] <= 1'b0;
      if (alloc_i) valid_q[free_mshr_o] <= 1'b1;
      if (freed_o) valid_q[fill_i ? fill_mshr_i : filled_mshr_q] <= 1'b0;
      if (look_replay_i && look_last) left_q <= 1'b0;
      if (fill_i && !freed_o) begin
        filled_q <= 1'b1;
        left_q <= 1'b1;
      end else if (freed_o) begin
        filled_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    waiter_o <= waiter_mem[looked];
    looked_q <= looked;
    last_q <= look_last;
    if (join_i || alloc_i) waiter_mem[free_waiter] <= waiter_i;
    if (join_i) begin
      next_mem[tail_q[match_mshr_o]] <= free_waiter;
      tail_q[match_mshr_o] <= free_waiter;
    end
    if (alloc_i) begin
      line_q[free_mshr_o] <= line_i;
      line_mem[free_mshr_o] <= {slot_i, line_i};
      head_q[free_mshr_o] <= free_waiter;
      tail_q[free_mshr_o] <= free_waiter;
    end
    if (fill_i) begin
      filled_mshr_q <= fill_mshr_i;
      replay_q <= answered_i ? after : looked_q;
      replay_tail_q <= tail_q[fill_mshr_i];
    end else if (look_replay_i) begin
      replay_q <= after;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) (join_i || alloc_i) |-> used_q != '1)
    else $error("R-L2-3: a waiter comes and there is no place");
  assert property (@(posedge clk_i) disable iff (!rst_ni) alloc_i |-> valid_q != '1 && !match_o)
    else $error("R-L2-6: an MSHR is taken and there is none, or the line has one");
  assert property (@(posedge clk_i) disable iff (!rst_ni) (fill_i || replay_i) |-> used_q[looked_q])
    else $error("R-L2-7: a list is empty");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      fill_i |-> !filled_q && valid_q[fill_mshr_i])
    else $error("R-L2-2: a fill of an MSHR without a line to wait for, or beside another fill");
  assert property (@(posedge clk_i) disable iff (!rst_ni) left_q |-> filled_q)
    else $error("R-L2-7: a replay without a filled MSHR");
  assert property (@(posedge clk_i) disable iff (!rst_ni) (join_i || alloc_i) |-> !filled_q)
    else $error("R-L2-2: a request acts while an MSHR is filled");
`endif
endmodule
