// SPDX-License-Identifier: Apache-2.0
// Warp scheduling policies of one sub-core: which eligible warp issues in this cycle.
//
// Contract: one pick per cycle while a warp is eligible, and the pick always issues. A policy ranks
//   warps and never sees instructions. lrr and gto both stay with the last issued warp while they
//   can (R-PO-2, R-PO-3); they differ in where they go next: the next slot, or the oldest warp.
//   lrr_rotate always goes on to the next slot (R-PO-4).
// Latency: combinational from eligible_i; picks, starts and finishes count from the next cycle on.
// Cost: NumWarps * log2(NumWarps) flip-flops; nothing grows with the square of the warps in them.
// Doc: docs/warp_sched.md.
//
// Observed by the lockstep monitor: pick_valid_o, pick_slot_o (ISSUE, R-IS-2).
module qsm_warp_sched #(
  parameter  int unsigned NumWarps = 8,  // warp slots, 1..64
  localparam int unsigned SlotW    = (NumWarps > 1) ? $clog2(NumWarps) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [1:0]          policy_i,        // 0 lrr, 1 gto, 2 lrr_rotate
  input  logic [NumWarps-1:0] eligible_i,      // may issue in this cycle (R-IS-1)
  input  logic                start_valid_i,   // a warp becomes resident at the end of this cycle
  input  logic [SlotW-1:0]    start_slot_i,
  input  logic                finish_valid_i,  // a warp leaves its slot (R-WS-10)
  input  logic [SlotW-1:0]    finish_slot_i,
  output logic                pick_valid_o,
  output logic [SlotW-1:0]    pick_slot_o      // meaningful while pick_valid_o
);
  localparam logic [1:0] POLICY_GTO = 2'd1;
  localparam logic [1:0] POLICY_LRR_ROTATE = 2'd2;

  if (NumWarps < 1 || NumWarps > 64) $error("qsm_warp_sched: NumWarps must be 1..64");

  logic [SlotW-1:0] last_q;  // last issued slot
  logic             gone_q;  // its warp has finished since, or none has issued yet
  logic             stay;
  logic [SlotW-1:0] next_slot, oldest_slot;

  qsm_warp_age #(.NumWarps(NumWarps)) u_age (
    .clk_i, .rst_ni, .start_valid_i, .start_slot_i, .set_i(eligible_i), .oldest_o(oldest_slot)
  );

  // First eligible slot after the last issued one, in a circle that ends with it.
  always_comb begin
    next_slot = '0;
    for (int unsigned w = NumWarps; w > 0; w--) begin
      if (eligible_i[w-1]) next_slot = SlotW'(w - 1);
    end
    for (int unsigned w = NumWarps; w > 0; w--) begin
      if (eligible_i[w-1] && (SlotW'(w - 1) > last_q)) next_slot = SlotW'(w - 1);
    end
  end

  assign stay = (policy_i != POLICY_LRR_ROTATE) && !gone_q && eligible_i[last_q];

  always_comb begin
    pick_valid_o = |eligible_i;
    pick_slot_o  = next_slot;
    if (stay) pick_slot_o = last_q;
    else if (policy_i == POLICY_GTO) pick_slot_o = oldest_slot;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_q <= SlotW'(NumWarps - 1);
      gone_q <= 1'b1;
    end else if (pick_valid_o) begin
      last_q <= pick_slot_o;
      gone_q <= 1'b0;
    end else if (finish_valid_i && finish_slot_i == last_q) begin
      gone_q <= 1'b1;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !pick_valid_o || eligible_i[pick_slot_o])
    else $error("R-PO-2..4: picked warp is not eligible");
`endif
endmodule
