// SPDX-License-Identifier: Apache-2.0
// Arbiter for the read of the lane store: SEL1 of the warps that need a split selection, and steps
// of the save sequencer. Doc: docs/warp_state.md (R-WS-4, R-WS-8, R-WS-11).
// Contract: a step first, then the warps that wait, round robin; one in two cycles at most: a
// selection has the comparators of qsm_split_select for two cycles.
// Latency: combinational from registers; all else acts at the end of its cycle.
// Cost: one round-robin search, two flip-flops per warp and two.
//
// Observed by the lockstep monitor: selpend_q, sel_last (state).
module qsm_split_arb #(
  parameter  int unsigned NumWarps = 8,  // 1..16
  localparam int unsigned SlotW    = (NumWarps > 1) ? $clog2(NumWarps) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // from the end of this cycle on it waits for its split selection
  input  logic [NumWarps-1:0] wait_i,
  // it waits no longer: start, kill, evict; has priority over wait_i
  input  logic [NumWarps-1:0] clear_i,
  input  logic                step_asks_i,
  output logic                step_reads_o,
  output logic                step_read_o,    // it read in the cycle before
  output logic                sel1_valid_o,
  output logic [NumWarps-1:0] sel1_set_o,     // one bit, of sel1_warp_o; undefined without SEL1
  output logic [SlotW-1:0]    sel1_warp_o
);
  logic [NumWarps-1:0] selpend_q, above, turn;
  logic [NumWarps-1:0] after_q;   // slots after the one served last
  logic                busy_q;    // the cycle before had a read

  // Round robin over the waiting warps, from the slot after the last one served.
  qsm_rr_turn #(.N(NumWarps)) u_turn (
    .after_i(after_q), .req_i(selpend_q), .turn_o(turn), .idx_o(sel1_warp_o), .above_o(above)
  );

  assign step_reads_o = step_asks_i && !busy_q;
  assign sel1_valid_o = selpend_q != '0 && !busy_q && !step_asks_i;
  assign sel1_set_o   = turn;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      selpend_q <= '0;
      after_q   <= '0;
      busy_q    <= 1'b0;
      step_read_o <= 1'b0;
    end else begin
      selpend_q <= ((sel1_valid_o ? selpend_q & ~turn : selpend_q) | wait_i) & ~clear_i;
      if (sel1_valid_o) after_q <= above;
      busy_q <= sel1_valid_o || step_reads_o;
      step_read_o <= step_reads_o;
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

  assert property (@(posedge clk_i) disable iff (!rst_ni) (wait_i & selpend_q & ~clear_i) == '0)
    else $error("R-WS-5: two selections of one warp");
`endif
endmodule
