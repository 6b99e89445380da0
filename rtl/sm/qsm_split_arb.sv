// SPDX-License-Identifier: Apache-2.0
// Arbiter for SEL1, the read of the lane store, between warps that need a split selection: a warp
// that has just diverged, a warp that was released from a barrier or postponed, or no warp when a
// step of the SM's save sequencer reads. Doc: docs/warp_state.md (R-WS-4, R-WS-8, R-WS-11).
// Contract: warps that have just diverged have priority, but a request that waits for them is
// served after StarveLimit cycles; several waiting warps are served round robin.
// Latency: combinational from registers and step_asks_i; all else acts at the end of its cycle.
// Cost: one round-robin search, a flip-flop per warp.
//
// Observed by the lockstep monitor: selpend_q, sel_last, sel_wait_q (state).
module qsm_split_arb #(
  parameter  int unsigned NumWarps = 8,  // 1..16
  localparam int unsigned SlotW    = (NumWarps > 1) ? $clog2(NumWarps) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                due_i,         // SEL1 by R-WS-4
  input  logic [SlotW-1:0]    due_warp_i,
  // from the end of this cycle on it waits for its split selection
  input  logic [NumWarps-1:0] release_i,
  // it waits no longer: start, kill, evict; has priority over release_i
  input  logic [NumWarps-1:0] clear_i,
  input  logic                step_asks_i,   // a step wants to read
  output logic                step_free_o,   // who asks reads in this cycle
  output logic                sel1_valid_o,
  output logic [NumWarps-1:0] sel1_set_o,     // one bit, of sel1_warp_o; undefined without SEL1
  output logic [SlotW-1:0]    sel1_warp_o
);
  localparam int unsigned StarveLimit = 8;
  localparam int unsigned CountW = $clog2(StarveLimit + 1);

  logic [NumWarps-1:0] selpend_q, selpend_d, ahead, above, turn, due_set, postponed, served;
  logic [NumWarps-1:0] after_q;   // slots after the one served last
  logic [SlotW-1:0]    turn_warp;
  logic [CountW-1:0]   sel_wait_q;
  logic                pending, starved, waits, yields, due_now, pending_now;

  assign pending       = selpend_q != '0;
  assign starved       = sel_wait_q == CountW'(StarveLimit);
  assign waits         = step_asks_i ? due_i || pending : due_i && pending;
  assign yields        = starved && waits;
  assign step_free_o   = starved || !(due_i || pending);

  // Round robin over the waiting warps, from the slot after the last one served: the lowest of
  // those ahead, or of all. Both are looked for at the same time: much stands behind the turn.
  function automatic logic [NumWarps-1:0] above_lowest(input logic [NumWarps-1:0] set);
    logic [NumWarps-1:0] above_one;
    above_one = set << 1;
    for (int unsigned n = 1; n < NumWarps; n *= 2) above_one |= above_one << n;  // log2 steps
    return above_one;
  endfunction
  assign ahead = selpend_q & after_q;
  assign above = (ahead != '0) ? above_lowest(ahead) : above_lowest(selpend_q);
  assign turn  = ((ahead != '0) ? ahead : selpend_q) & ~above;
  always_comb begin
    turn_warp = '0;
    for (int unsigned w = 0; w < NumWarps; w++) begin
      if (turn[w]) turn_warp |= SlotW'(w);
    end
  end

  assign due_now      = due_i && !yields;
  assign pending_now  = pending && (due_i ? yields : 1'b1) && !(yields && step_asks_i);
  assign sel1_valid_o = due_now || pending_now;
  assign sel1_set_o   = due_now ? due_set : turn;
  assign sel1_warp_o  = due_now ? due_warp_i : turn_warp;

  assign due_set   = NumWarps'(1) << due_warp_i;
  assign postponed = (due_i && yields) ? due_set : '0;
  assign served    = pending_now ? turn : '0;
  assign selpend_d = ((selpend_q & ~served) | postponed | release_i) & ~clear_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      selpend_q <= '0;
      after_q    <= '0;
      sel_wait_q <= '0;
    end else begin
      selpend_q <= selpend_d;
      if (pending_now) after_q <= above;
      sel_wait_q <= (waits && !yields) ? sel_wait_q + CountW'(1) : '0;
    end
  end

`ifndef SYNTHESIS
  // For the lockstep monitor.
  // verilator lint_off UNUSEDSIGNAL
  logic [SlotW-1:0] sel_last;
  // verilator lint_on UNUSEDSIGNAL
  always_comb begin
    sel_last = '0;
    for (int unsigned w = 0; w < NumWarps; w++) if (!after_q[w]) sel_last = SlotW'(w);
  end

  assert property (@(posedge clk_i) disable iff (!rst_ni) !(due_i && selpend_q[due_warp_i]))
    else $error("R-WS-11: two selections of one warp");
  assert property (@(posedge clk_i) disable iff (!rst_ni) sel_wait_q <= CountW'(StarveLimit))
    else $error("R-WS-11: the wait counter exceeds the starvation limit");
`endif
endmodule
