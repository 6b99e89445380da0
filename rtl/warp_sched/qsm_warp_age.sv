// SPDX-License-Identifier: Apache-2.0
// Age order of the warp slots of one sub-core, and the oldest of a set of them.
//
// Contract: of two slots the one is older that got its warp earlier (R-PO-5); before they have got
//   any, the lower. The place of a slot without a resident warp has no effect.
// Latency: older_o is registers; oldest_o is combinational from set_i, by two levels of logic with
//   few warps; a start counts from the next cycle on.
// Cost: a flip-flop and a gate per pair of slots, and half a gate per slot and other slot for the
//   oldest. With 64 slots too that is less than slots in a row, which are as many shifters and, for
//   each set, multiplexers.
// Doc: docs/warp_sched.md. Observed by the lockstep monitor: nothing.
module qsm_warp_age #(
  parameter  int unsigned NumWarps = 8,  // warp slots, 1..64
  localparam int unsigned SlotW    = (NumWarps > 1) ? $clog2(NumWarps) : 1
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  // a warp becomes resident at the end of this cycle
  input  logic                              start_valid_i,
  input  logic [SlotW-1:0]                  start_slot_i,
  output logic [NumWarps-1:0][NumWarps-1:0] older_o,    // [w][v]: slot v is older than slot w
  input  logic [NumWarps-1:0]               set_i,      // candidates
  output logic [NumWarps-1:0]               oldest_o    // the oldest of them, one-hot
);
  typedef logic [NumWarps-1:0] warps_t;

  // [w]: which slots of lower numbers are older than slot w. The other half of the matrix is what
  // these are not.
  warps_t [NumWarps-1:0] lower_q;
  warps_t start;
  assign start = start_valid_i ? warps_t'(1) << start_slot_i : '0;

  for (genvar w = 0; w < NumWarps; w++) begin : g_slot
    localparam warps_t Lower = (warps_t'(1) << w) - warps_t'(1);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) lower_q[w] <= Lower;
      else lower_q[w] <= (start[w] ? Lower : lower_q[w] & ~start) & Lower;
    end
  end

  always_comb begin
    older_o = lower_q;
    for (int unsigned w = 0; w < NumWarps; w++) begin
      for (int unsigned v = w + 1; v < NumWarps; v++) older_o[w][v] = !lower_q[v][w];
      oldest_o[w] = set_i[w] && (set_i & older_o[w]) == '0;
    end
  end

`ifndef SYNTHESIS
  // R-PO-5: the order has no circle, so every set has one oldest.
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      (set_i == '0) == (oldest_o == '0) && (oldest_o & (oldest_o - warps_t'(1))) == '0)
    else $error("R-PO-5: a set with two oldest slots, or without");
`endif
endmodule
