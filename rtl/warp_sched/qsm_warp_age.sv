// SPDX-License-Identifier: Apache-2.0
// Age order of the warp slots of one sub-core, and the oldest of each of two sets of them.
//
// Contract: order_q is a permutation of the slots, oldest first. A slot that gets a warp moves to
//   the end and the others keep their order, so age is the order of dispatch (R-PO-5). The position
//   of a slot without a resident warp has no effect.
// Latency: oldest_o is combinational from set_i; a start counts from the next cycle on.
// Cost: NumWarps * log2(NumWarps) flip-flops that shift by one place; no age matrix. A set: a
// multiplexer of
//   NumWarps bits per place, and a tree.
// Doc: docs/warp_sched.md. Observed by the lockstep monitor: nothing.
module qsm_warp_age #(
  parameter  int unsigned NumWarps = 8,  // warp slots, 1..64
  localparam int unsigned SlotW    = (NumWarps > 1) ? $clog2(NumWarps) : 1
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // a warp becomes resident at the end of this cycle
  input  logic                     start_valid_i,
  input  logic [SlotW-1:0]         start_slot_i,
  input  logic [1:0][NumWarps-1:0] set_i,          // candidates
  // a set's oldest slot; any slot if the set is empty
  output logic [1:0][SlotW-1:0]    oldest_o
);
  logic [NumWarps-1:0][SlotW-1:0] order_q, order_d;

  // All slots behind the started slot move one position forward.
  always_comb begin
    logic passed;
    passed  = 1'b0;
    order_d = order_q;
    for (int unsigned r = 0; r < NumWarps; r++) begin
      passed = passed || (order_q[r] == start_slot_i);
      if (passed) order_d[r] = (r + 1 < NumWarps) ? order_q[(r + 1) % NumWarps] : start_slot_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned r = 0; r < NumWarps; r++) order_q[r] <= SlotW'(r);
    end else if (start_valid_i) begin
      order_q <= order_d;
    end
  end

  for (genvar i = 0; i < 2; i++) begin : g_set
    logic [NumWarps-1:0] by_age;
    always_comb begin
      for (int unsigned r = 0; r < NumWarps; r++) by_age[r] = set_i[i][order_q[r]];
    end
    qsm_prio_enc #(.N(NumWarps), .Width(SlotW)) u_prio_enc (.set_i(by_age), .id_i(order_q),
        .id_o(oldest_o[i]));
  end

`ifndef SYNTHESIS
  // R-PO-5: the order is a permutation, so every slot stands in it.
  logic [NumWarps-1:0] listed;
  always_comb begin
    listed = '0;
    for (int unsigned r = 0; r < NumWarps; r++) listed[order_q[r]] = 1'b1;
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) &listed)
    else $error("R-PO-5: the age order is no permutation");
`endif
endmodule
