// SPDX-License-Identifier: Apache-2.0
// Split selection: chooses the next warp split of a diverged warp, stages SEL1 to SEL3, one warp
// per cycle. Doc: docs/warp_state.md (R-WS-5 to -7).
//   SEL1 (s) latch the candidates   SEL2 (s+1) choose the group: deepest call, lowest pc, or the
//   fairness pick   SEL3 (s+2) reconvergence point
// State for fairness per warp: selcnt (selections since the last fairness pick) and rot (lane at
// which the next fairness pick starts its search).
//
// Observed by the lockstep monitor: sel2_set, sel2_warp, sel2_split (SPLIT).
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

  // Pipeline register of a selection.
  typedef struct packed {
    logic [WarpW-1:0] warp;
    mask_t cand;
    logic [WarpSize-1:0][WordW-1:0] word;
    logic [WarpSize-1:0][DepthW-1:0] depth;
  } sel_t;

  logic [WarpSize-1:0][WordW-1:0] sel1_word;
  logic [WarpSize-1:0][1:0] unused_pc;
  for (genvar l = 0; l < WarpSize; l++) begin : g_word
    assign {sel1_word[l], unused_pc[l]} = sel1_pc_i[l];
  end

  logic sel2_valid, sel3_valid;
  sel_t sel2, sel3;
  // lanes whose keys are compared: all candidates, or the lane of the fairness pick
  mask_t sel2_from;
  logic sel2_fair;   // the fairness pick is due
  split_t sel3_split;

  // ---- SEL1: the fairness pick, if it is due. A warp has at most one selection in flight, so SEL2
  // would see the same selcnt and rot. ----
  logic [WarpsPerSched-1:0][CountW-1:0] selcnt_q;
  logic [WarpsPerSched-1:0][LaneW-1:0] rot_q;
  logic [WarpsPerSched-1:0] fair_q;  // selcnt is ProgressLimit - 1
  logic [LaneW-1:0] sel1_rot;
  logic sel1_fair;
  mask_t ahead, fair_cand, fair_lane;

  // Selected by the bits of the warp, which are there before its number is.
  assign sel1_fair = (fair_q & sel1_set_i) != '0;
  always_comb begin
    sel1_rot = '0;
    for (int unsigned w = 0; w < WarpsPerSched; w++) if (sel1_set_i[w]) sel1_rot |= rot_q[w];
  end
  assign ahead = sel1_cand_i & (~mask_t'(0) << sel1_rot);
  assign fair_cand = (ahead != '0) ? ahead : sel1_cand_i;
  assign fair_lane = fair_cand & (~fair_cand + mask_t'(1));

  // ---- SEL2 ----
  // top bit: the lane is not a candidate. A greater call depth gives a smaller key.
  logic [WarpSize-1:0][KeyW:0] key;
  logic [KeyW:0] chosen;
  logic [CountW-1:0] selcnt_next;
  logic [LaneW-1:0] rot_next;
  mask_t group;
  logic sel2_set, diverged;
  logic [WarpW-1:0] sel2_warp;
  split_t sel2_split;

  assign sel2_warp = sel2.warp;

  qsm_min_tree #(.N(WarpSize), .Width(KeyW + 1)) u_least (.key_i(key), .min_o(chosen));

  for (genvar l = 0; l < WarpSize; l++) begin : g_key
    assign key[l] = {!sel2_from[l], ~sel2.depth[l], sel2.word[l]};
    assign group[l] = sel2.cand[l] && key[l][KeyW-1:0] == chosen[KeyW-1:0];
  end

  always_comb begin
    rot_next = '0;  // the lane after the fairness pick, modulo WarpSize
    for (int unsigned l = 0; l < WarpSize - 1; l++) if (sel2_from[l]) rot_next = LaneW'(l + 1);
  end
  // All lanes of a warp that is not diverged have the same key, so the fairness pick and the normal
  // choice give the same group. The group is equal to the candidates either in both cases or in
  // neither.
  assign diverged = group != sel2.cand;
  assign selcnt_next = sel2_fair ? '0 : selcnt_q[sel2_warp] + CountW'(1);

  assign sel2_set = sel2_valid && alive_i[sel2_warp];
  assign sel2_split = '{pc: {chosen[WordW-1:0], 2'b00}, depth: ~chosen[KeyW-1:WordW], mask: group};
  assign split_set_o = sel2_set;
  assign split_warp_o = sel2_warp;
  assign path_o = sel2_split;

  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_warp
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        selcnt_q[w] <= '0;
        fair_q[w] <= 1'b0;
        rot_q[w] <= '0;
      end else if (start_valid_i && start_slot_i == WarpW'(w)) begin
        selcnt_q[w] <= '0;
        fair_q[w] <= 1'b0;
        rot_q[w] <= '0;
      end else if (sel2_set && sel2_warp == WarpW'(w) && diverged) begin
        selcnt_q[w] <= selcnt_next;
        fair_q[w] <= selcnt_next == CountW'(ProgressLimit - 1);
        if (sel2_fair) rot_q[w] <= rot_next;
      end
    end
  end

  // ---- SEL3 ----
  logic [WarpSize-1:0][WordW:0] reconv_key;  // top bit: the lane does not wait ahead of the split
  logic [WordW:0] reconv_least;
  qsm_min_tree #(.N(WarpSize), .Width(WordW + 1)) u_reconv (.key_i(reconv_key),
      .min_o(reconv_least));

  for (genvar l = 0; l < WarpSize; l++) begin : g_reconv
    logic waits;
    assign waits = sel3.cand[l] && !sel3_split.mask[l] && sel3.depth[l] == sel3_split.depth &&
        sel3.word[l] > sel3_split.pc[31:2];
    assign reconv_key[l] = {!waits, sel3.word[l]};
  end
  assign reconv_set_o = sel3_valid && alive_i[sel3.warp];
  assign reconv_warp_o = sel3.warp;
  assign reconv_valid_o = !reconv_least[WordW];
  assign reconv_pc_o = {reconv_least[WordW-1:0], 2'b00};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sel2_valid <= 1'b0;
      sel3_valid <= 1'b0;
      sel2 <= '0;
      sel2_from <= '0;
      sel2_fair <= 1'b0;
      sel3 <= '0;
      sel3_split <= '0;
    end else begin
      sel2_valid <= sel1_valid_i;
      sel3_valid <= sel2_set;
      if (sel1_valid_i) begin
        sel2 <= '{warp: sel1_warp_i, cand: sel1_cand_i, word: sel1_word, depth: sel1_depth_i};
        sel2_from <= sel1_fair ? fair_lane : sel1_cand_i;
        sel2_fair <= sel1_fair;
      end
      if (sel2_set) begin
        sel3 <= sel2;
        sel3_split <= sel2_split;
      end
    end
  end

  logic unused_top;  // 0: SEL2 has candidates
  assign unused_top = chosen[KeyW];

`ifndef SYNTHESIS
  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_assert
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        fair_q[w] == (selcnt_q[w] == CountW'(ProgressLimit - 1)))
      else $error("R-WS-6: the bit of a fairness pick is not that of the counter");
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(sel1_valid_i && alive_i[sel1_warp_i] && sel1_cand_i == '0));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(sel2_set && group == '0));
`endif
endmodule
