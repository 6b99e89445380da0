// SPDX-License-Identifier: Apache-2.0
// Split selection: chooses the next warp split of a diverged warp, stages SEL1 to SEL3, a warp in
// two cycles. Doc: docs/warp_state.md (R-WS-5 to -7).
//   SEL1 (s) latch the candidates   SEL2 (s+1) choose the group: deepest call, lowest pc, or the
//   fairness pick   SEL3 (s+2) reconvergence point
// Contract: no SEL1 and no step's read in the cycle after one of them.
// Cost: one register of the lanes and one tree of comparators for SEL2 and SEL3: what waits at the
// depth of the split waits ahead of it, as the split has the lowest pc, so its least key is sought.
// State for fairness per warp: selcnt (selections since the last fairness pick) and rot (lane at
// which the next fairness pick starts its search), in distributed RAM; a flip-flop stands for
// zeros, so that a start needs no write port.
//
// Observed by the lockstep monitor: sel2_set, sel2_warp, sel2_split (SPLIT); selcnt, rot (state).
module qsm_split_select
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic [WarpsPerSched-1:0] alive_i,        // live != 0 and kernel not killed
  input  logic                     start_valid_i,  // R-WS-1
  input  logic [WarpW-1:0]         start_slot_i,
  input  logic                     sel1_valid_i,
  input  logic [WarpsPerSched-1:0] sel1_set_i,     // one bit, of sel1_warp_i
  input  logic [WarpW-1:0]         sel1_warp_i,
  input  mask_t                    sel1_cand_i,
  input  lanes_t                   sel1_pc_i,
  input  logic [WarpSize-1:0][DepthW-1:0] sel1_depth_i,
  // A read of the save sequencer in the place of a SEL1: what this lane has is path_o's pc and
  // depth in the next cycle.
  input  logic                     step_reads_i,
  input  mask_t                    step_lane_i,
  output logic                     split_set_o,    // SEL2: split at the end of this cycle
  output logic [WarpW-1:0]         split_warp_o,
  output split_t                    path_o,
  // SEL3: reconvergence point at the end of this cycle
  output logic                     reconv_set_o,
  output logic [WarpW-1:0]         reconv_warp_o,
  output logic                     reconv_valid_o,
  output logic [31:0]              reconv_pc_o
);
  localparam int unsigned WordW = 30;  // bits 31:2 of a pc; the others are 0
  localparam int unsigned KeyW = DepthW + WordW;
  localparam int unsigned CountW = 8;

  typedef struct packed {
    logic fair;                // selcnt is ProgressLimit - 1
    logic [LaneW-1:0] rot;
    logic [CountW-1:0] selcnt;
  } fairness_t;

  logic [WarpSize-1:0][WordW-1:0] sel1_word;
  logic [WarpSize-1:0][1:0] unused_pc;
  for (genvar l = 0; l < WarpSize; l++) begin : g_word
    assign {sel1_word[l], unused_pc[l]} = sel1_pc_i[l];
  end

  // The selection in SEL2 or SEL3.
  logic sel2_valid, sel3_valid;
  logic [WarpW-1:0] warp_q;
  mask_t cand_q;
  logic [WarpSize-1:0][WordW-1:0] word_q;
  logic [WarpSize-1:0][DepthW-1:0] depth_q;
  // lanes whose keys are compared: in SEL2 all candidates, or the lane of the fairness pick; in
  // SEL3 those that wait ahead of the split
  mask_t from_q;
  fairness_t fairness_q;  // in SEL2
  split_t sel2_split;

  // ---- SEL1: the fairness pick, if it is due. A warp has at most one selection in flight, so SEL2
  // would see the same selcnt and rot. ----
  fairness_t fairness[1 << WarpW];
  logic [WarpsPerSched-1:0] fresh_q;  // selcnt and rot are 0
  fairness_t sel1_fairness;
  mask_t ahead, fair_cand, fair_lane;

  assign sel1_fairness = (fresh_q & sel1_set_i) != '0 ? '0 : fairness[sel1_warp_i];
  assign ahead = sel1_cand_i & (~mask_t'(0) << sel1_fairness.rot);
  assign fair_cand = (ahead != '0) ? ahead : sel1_cand_i;
  assign fair_lane = fair_cand & (~fair_cand + mask_t'(1));

  // ---- SEL2 ----
  // top bit: the lane is not compared. A greater call depth gives a smaller key.
  logic [WarpSize-1:0][KeyW:0] key;
  logic [KeyW:0] least;
  logic [CountW-1:0] selcnt_next;
  logic [LaneW-1:0] rot_next;
  mask_t level, group;  // candidates of the least key's depth, and with all of its key
  logic sel2_set;
  logic [WarpW-1:0] sel2_warp;

  qsm_min_tree #(.N(WarpSize), .Width(KeyW + 1)) u_least (.key_i(key), .min_o(least));

  for (genvar l = 0; l < WarpSize; l++) begin : g_key
    assign key[l] = {!from_q[l], ~depth_q[l], word_q[l]};
    assign level[l] = cand_q[l] && ~depth_q[l] == least[KeyW-1:WordW];
    assign group[l] = level[l] && word_q[l] == least[WordW-1:0];
  end

  always_comb begin
    rot_next = fairness_q.rot;  // the lane after the fairness pick, modulo WarpSize
    if (fairness_q.fair) begin
      rot_next = '0;
      for (int unsigned l = 0; l < WarpSize - 1; l++) if (from_q[l]) rot_next = LaneW'(l + 1);
    end
  end
  assign selcnt_next = fairness_q.fair ? '0 : fairness_q.selcnt + CountW'(1);

  assign sel2_set = sel2_valid && alive_i[warp_q];
  assign sel2_warp = warp_q;
  assign sel2_split = '{pc: {least[WordW-1:0], 2'b00}, depth: ~least[KeyW-1:WordW], mask: group};
  assign split_set_o = sel2_set;
  assign split_warp_o = sel2_warp;
  assign path_o = sel2_split;

  // All lanes of a warp that is not diverged have the same key, so the fairness pick and the normal
  // choice give the same group. The group is equal to the candidates either in both cases or in
  // neither.
  logic counts;
  assign counts = sel2_set && group != cand_q;
  always_ff @(posedge clk_i) begin
    if (counts) begin
      fairness[warp_q] <= '{fair: selcnt_next == CountW'(ProgressLimit - 1), rot: rot_next,
          selcnt: selcnt_next};
    end
  end
  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_warp
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) fresh_q[w] <= 1'b1;
      else if (start_valid_i && start_slot_i == WarpW'(w)) fresh_q[w] <= 1'b1;
      else if (counts && warp_q == WarpW'(w)) fresh_q[w] <= 1'b0;
    end
  end

  // ---- SEL3 ----
  assign reconv_set_o = sel3_valid && alive_i[warp_q];
  assign reconv_warp_o = warp_q;
  assign reconv_valid_o = !least[KeyW];
  assign reconv_pc_o = {least[WordW-1:0], 2'b00};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sel2_valid <= 1'b0;
      sel3_valid <= 1'b0;
    end else begin
      sel2_valid <= sel1_valid_i;
      sel3_valid <= sel2_set;
    end
  end
  always_ff @(posedge clk_i) begin
    if (sel1_valid_i) begin
      warp_q <= sel1_warp_i;
      cand_q <= sel1_cand_i;
      fairness_q <= sel1_fairness;
    end
    if (sel1_valid_i || step_reads_i) begin
      word_q <= sel1_word;
      depth_q <= sel1_depth_i;
    end
    if (step_reads_i) from_q <= step_lane_i;
    else if (sel1_valid_i) from_q <= sel1_fairness.fair ? fair_lane : sel1_cand_i;
    else if (sel2_valid) from_q <= fairness_q.fair ? '0 : level & ~group;  // R-WS-7
  end

`ifndef SYNTHESIS
  // For the lockstep monitor.
  // verilator lint_off UNUSEDSIGNAL
  logic [WarpsPerSched-1:0][CountW-1:0] selcnt;
  logic [WarpsPerSched-1:0][LaneW-1:0] rot;
  // verilator lint_on UNUSEDSIGNAL
  logic [WarpsPerSched-1:0] fair;
  always_comb begin
    for (int unsigned w = 0; w < WarpsPerSched; w++) begin
      fair[w] = !fresh_q[w] && fairness[w].fair;
      selcnt[w] = fresh_q[w] ? '0 : fairness[w].selcnt;
      rot[w] = fresh_q[w] ? '0 : fairness[w].rot;
    end
  end

  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_assert
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        fair[w] == (selcnt[w] == CountW'(ProgressLimit - 1)))
      else $error("R-WS-6: the bit of a fairness pick is not that of the counter");
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !((sel1_valid_i || step_reads_i) && sel2_valid) && !(sel1_valid_i && step_reads_i))
    else $error("R-WS-8: a read of the lane store beside another, or in the cycle after it");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(sel1_valid_i && alive_i[sel1_warp_i] && sel1_cand_i == '0));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(sel2_set && group == '0));
`endif
endmodule
