// SPDX-License-Identifier: Apache-2.0
// Which warp has SEL1, the read of the lane store, in this cycle: the one that has just diverged,
// one that was released or postponed, or none, when a step of the SM's sequencer reads. Doc:
// docs/warp_state.md (R-WS-4, R-WS-8, R-WS-11).
// Contract: who waits for those that have just diverged has his turn after Patience cycles; of
// several the first in the circle.
// Latency: combinational from registers and step_asks_i; all else acts at the end of its cycle.
// Cost: one first-in-the-circle, a flip-flop per warp.
//
// Observed by the lockstep monitor: selpend_q, last_q, waits_q (state).
module qsm_select_turn #(
  parameter  int unsigned NumWarps = 8,  // 1..16
  localparam int unsigned SlotW    = (NumWarps > 1) ? $clog2(NumWarps) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                due_i,         // SEL1 by R-WS-4
  input  logic [SlotW-1:0]    due_warp_i,
  input  logic [NumWarps-1:0] release_i,     // at the end of this cycle it waits for its selection
  input  logic [NumWarps-1:0] clear_i,       // it waits for none: start, kill, evict; wins
  input  logic                step_asks_i,   // a step wants to read
  input  logic                claimed_i,     // no step is done in this cycle (R-FP-3)
  output logic                step_free_o,   // it may, if the cycle is not claimed
  output logic                sel1_valid_o,
  output logic [SlotW-1:0]    sel1_warp_o
);
  localparam int unsigned Patience = 8;
  localparam int unsigned CountW = $clog2(Patience + 1);

  logic [NumWarps-1:0] selpend_q, selpend_d, ahead, turn, postponed, served;
  logic [SlotW-1:0]    last_q, turn_warp;  // last: the slot served last
  logic [CountW-1:0]   waits_q;
  logic                pending, patience_ends, waits, yields, due_now, pending_now;

  assign pending       = selpend_q != '0;
  assign patience_ends = waits_q == CountW'(Patience) && !claimed_i;
  assign waits         = step_asks_i ? due_i || pending : due_i && pending;
  assign yields        = patience_ends && waits;
  assign step_free_o   = patience_ends || !(due_i || pending);

  // Those that wait, in a circle from the slot after the last one served.
  always_comb begin
    turn_warp = '0;
    for (int unsigned w = 0; w < NumWarps; w++) ahead[w] = selpend_q[w] && SlotW'(w) > last_q;
    turn = (ahead != '0) ? ahead : selpend_q;
    turn = turn & (~turn + NumWarps'(1));
    for (int unsigned w = 0; w < NumWarps; w++) if (turn[w]) turn_warp |= SlotW'(w);
  end

  assign due_now      = due_i && !yields;
  assign pending_now  = pending && (due_i ? yields : 1'b1) && !(yields && step_asks_i);
  assign sel1_valid_o = due_now || pending_now;
  assign sel1_warp_o  = due_now ? due_warp_i : turn_warp;

  assign postponed = (due_i && yields) ? NumWarps'(1) << due_warp_i : '0;
  assign served    = pending_now ? turn : '0;
  assign selpend_d = ((selpend_q & ~served) | postponed | release_i) & ~clear_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      selpend_q <= '0;
      last_q    <= SlotW'(NumWarps - 1);
      waits_q   <= '0;
    end else begin
      selpend_q <= selpend_d;
      if (pending_now) last_q <= turn_warp;
      if (!claimed_i) waits_q <= (waits && !yields) ? waits_q + CountW'(1) : '0;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(due_i && selpend_q[due_warp_i]))
    else $error("R-WS-11: two selections of one warp");
  assert property (@(posedge clk_i) disable iff (!rst_ni) waits_q <= CountW'(Patience))
    else $error("R-WS-11: more patience than there is");
`endif
endmodule
