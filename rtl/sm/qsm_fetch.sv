// SPDX-License-Identifier: Apache-2.0
// Fetch, stages F1 and F2: one warp per cycle, up to two words per fetch, one miss in flight. Doc:
// docs/subcore.md (Fetch, R-FE-1 to -7).
//   F1 (t): choose a wanting warp, read the cache at its fpc     F2 (t+1): window check, hit or
//   miss, cut after a ctl word, push
// The buffer's position of a word is its address bits 3:2, so a warp's buffer is filled at fpc[3:2]
// and drained at split.pc[3:2].
//
// Observed by the lockstep monitor: f2_valid, f2_warp, f2_pc, f2_outcome (FETCH).
module qsm_fetch
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  desc_t [NumKernels-1:0]            desc_i,
  // From the warp state, registers.
  input  logic [WarpsPerSched-1:0]          resident_i,
  input  logic [WarpsPerSched-1:0]          split_valid_i,
  input  logic [WarpsPerSched-1:0]          reconv_valid_i,
  // a split is set at the end of this cycle (R-FE-7)
  input  logic [WarpsPerSched-1:0]          split_set_i,
  // Next word to fetch (fpc) of each warp, and its reconvergence point: read in F1 and F2, advanced
  // in F2.
  output logic [WarpW-1:0]                  f1_warp_o,
  output logic [WarpsPerSched-1:0]          f1_turn_o,       // the same, one bit or none
  input  logic [31:2]                       f1_pc_i,
  input  logic [KernelW-1:0]                f1_kernel_i,
  output logic [WarpW-1:0]                  f2_warp_o,
  input  logic [31:2]                       f2_reconv_pc_i,
  output logic                              advance_o,
  output logic [31:2]                       advance_pc_o,
  // Instruction buffers.
  input  logic [WarpsPerSched-1:0]          room_i,          // at most 2 entries
  output logic                              fetch_o,         // F2: of push_warp_o, early
  output logic [1:0]                        push_o,          // F2: word with address bit 2 = index
  output logic [WarpW-1:0]                  push_warp_o,
  output logic [31:2]                       push_pc_o,       // address of the first word
  output word_t [1:0]                       push_word_o,
  output pre_t [1:0]                        push_pre_o,
  // Memory side.
  input  logic                              icache_inv_i,
  input  logic                              fill_valid_i,
  input  lanes_t                            fill_data_i,
  input  kinds_t                            fill_kinds_i,    // of its words, R-FE-4
  output logic                              miss_busy_o,
  output logic                              miss_valid_o,
  output logic [31:0]                       miss_addr_o,
  output logic [KernelW-1:0]                miss_slot_o,
  input  logic                              miss_grant_i
);
  typedef enum logic [1:0] { MissIdle = 2'd0, MissPend = 2'd1, MissWait = 2'd2 } miss_e;

  logic [WarpsPerSched-1:0] fstop_q, fwait_q, finfl_q;

  // ---- F1: choose ----
  logic [WarpsPerSched-1:0] want, f1_grant;
  logic f1_valid;
  logic [WarpW-1:0] f1_warp;
  logic [WarpsPerSched-1:0] after_q, above;  // warps above the one picked last

  assign want = resident_i & split_valid_i & ~fstop_q & ~fwait_q & ~finfl_q & room_i;  // R-FE-1

  qsm_rr_turn #(.N(WarpsPerSched)) u_choose (
    .after_i(after_q), .req_i(want), .turn_o(f1_grant), .idx_o(f1_warp), .above_o(above)
  );
  // R-FE-2: none in the cycle of a fill, which is known late. What is read then is not used.
  assign f1_valid = want != '0 && !fill_valid_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) after_q <= '0;
    else if (f1_valid) after_q <= above;
  end

  assign f1_warp_o = f1_warp;
  assign f1_turn_o = f1_grant;

  // ---- F2: resolve the fetch ----
  logic f2_valid;
  logic [WarpW-1:0] f2_warp;
  logic [31:0] f2_pc;
  fetch_outcome_e f2_outcome;
  logic [KernelW-1:0] f2_kernel;
  logic f2_in_window, f2_hit;
  logic [1:0][31:0] f2_words;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f2_valid <= 1'b0;
      f2_warp <= '0;
      f2_pc <= '0;
      finfl_q <= '0;
    end else begin
      f2_valid <= f1_valid;
      f2_warp <= f1_warp;
      f2_pc <= {f1_pc_i, 2'b00};  // still fpc in F2: no split is set while a warp has one
      finfl_q <= f1_valid ? f1_grant : '0;  // set by F1, cleared by F2 one cycle later
    end
  end

  // A warp that leaves between F1 and F2 has no split in F2. The windows of its kernel are those of
  // its launch as long as it has warps.
  window_t [1:0] f2_win;
  always_ff @(posedge clk_i) begin
    f2_kernel <= f1_kernel_i;
    f2_win <= desc_i[f1_kernel_i].win;
  end

  always_comb begin  // bounds are multiples of 4096; without the right x the limit is below any pc
    f2_in_window = 1'b0;
    for (int unsigned i = 0; i < 2; i++) begin
      f2_in_window |= f2_pc[31:12] >= f2_win[i].base[31:12] &&
                      {!f2_win[i].x, f2_pc[31:12]} < {1'b0, f2_win[i].limit[31:12]};
    end
  end

  always_comb begin  // R-FE-3, first match
    if (!split_valid_i[f2_warp]) f2_outcome = FetchDropped;
    else if (!f2_in_window) f2_outcome = FetchFault;
    else if (f2_hit) f2_outcome = FetchHit;
    else f2_outcome = FetchMiss;
  end

  // ---- Words and their flags, R-FE-4 ----
  kind_t [1:0] kinds;
  logic [1:0] word_ctl, push_hit;
  logic f2_ends;  // this fetch ends the split
  logic f2_reconv_valid;

  assign f2_reconv_valid = reconv_valid_i[f2_warp];

  for (genvar b = 0; b < 2; b++) begin : g_word
    // A fetch fault is of class CTL and without registers, whatever was read.
    kind_t kind;
    logic [NumSources-1:0][4:0] rs;
    assign kind = f2_in_window ? kinds[b] : '{ctl: 1'b1, default: '0};
    for (genvar n = 0; n < NumSources; n++) begin : g_source
      localparam int unsigned Low = (n == 0) ? 15 : (n == 1) ? 20 : 27;
      assign rs[n] = kind.reads[n] ? f2_words[b][Low +: 5] : '0;
    end

    logic [31:2] next_pc;
    assign next_pc = {f2_pc[31:3] + 29'(b), b == 0};
    assign word_ctl[b] = kind.ctl || (f2_reconv_valid && next_pc == f2_reconv_pc_i);

    assign push_word_o[b] = '{ctl: word_ctl[b], ifault: f2_outcome == FetchFault,
        instr: f2_in_window ? f2_words[b] : '0};  // R-FE-3 b
    assign push_pre_o[b] = '{ctl: word_ctl[b], mem: kind.mem, div: kind.div,
        writes: kind.writes, late_or_fence: kind.late_or_fence, rs: rs,
        rd: kind.writes ? f2_words[b][11:7] : '0};
  end

  assign push_hit[0] = !f2_pc[2];
  assign push_hit[1] = f2_pc[2] || !word_ctl[0];

  always_comb begin
    push_o = '0;
    f2_ends = 1'b0;
    if (f2_valid && f2_outcome == FetchHit) begin
      push_o = push_hit;
      f2_ends = |(push_hit & word_ctl);
    end else if (f2_valid && f2_outcome == FetchFault) begin
      push_o = {f2_pc[2], !f2_pc[2]};
      f2_ends = 1'b1;
    end
  end
  assign fetch_o = f2_valid;
  assign push_warp_o = f2_warp;
  assign push_pc_o = f2_pc[31:2];
  assign f2_warp_o = f2_warp;
  assign advance_o = f2_valid && f2_outcome == FetchHit;
  assign advance_pc_o = push_hit[1] ? {f2_pc[31:3] + 29'd1, 1'b0} : {f2_pc[31:3], 1'b1};

  // ---- Miss register, R-FE-5, R-FE-6 ----
  miss_e miss_q;
  logic miss_drop_q, miss_start;
  logic [31:0] miss_addr_q;
  logic [KernelW-1:0] miss_slot_q;

  assign miss_start = f2_valid && f2_outcome == FetchMiss && miss_q == MissIdle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      miss_q <= MissIdle;
      miss_drop_q <= 1'b0;
      miss_addr_q <= '0;
      miss_slot_q <= '0;
    end else begin
      case (miss_q)
        MissIdle: if (miss_start) begin
          miss_q <= MissPend;
          miss_drop_q <= 1'b0;
          miss_addr_q <= {f2_pc[31:LineOffW], LineOffW'(0)};
          miss_slot_q <= f2_kernel;
        end
        MissPend: if (miss_grant_i) miss_q <= MissWait;
        MissWait: if (fill_valid_i) miss_q <= MissIdle;
        default: miss_q <= MissIdle;
      endcase
      if (icache_inv_i && miss_q != MissIdle) miss_drop_q <= 1'b1;
    end
  end
  assign miss_busy_o = miss_q != MissIdle;
  assign miss_valid_o = miss_q == MissPend;
  assign miss_addr_o = miss_addr_q;
  assign miss_slot_o = miss_slot_q;

  qsm_icache u_icache (
    .clk_i, .rst_ni,
    .read_pc_i({f1_pc_i, 2'b00}), .hit_o(f2_hit), .packet_o(f2_words), .kinds_o(kinds),
    .miss_i(miss_start), .inv_i(icache_inv_i),
    .fill_i(fill_valid_i && !miss_drop_q), .fill_addr_i(miss_addr_q), .fill_data_i,
    .fill_kinds_i
  );

  // ---- Per-warp fetch state ----
  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_warp
    logic fetches;
    assign fetches = f2_valid && f2_warp == WarpW'(w);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        fstop_q[w] <= 1'b0;
        fwait_q[w] <= 1'b0;
      end else begin
        if (split_set_i[w]) fstop_q[w] <= 1'b0;
        else if (fetches && f2_ends) fstop_q[w] <= 1'b1;
        // a fill: also of a warp that misses in this cycle
        if (split_set_i[w] || fill_valid_i) fwait_q[w] <= 1'b0;
        else if (fetches && f2_outcome == FetchMiss) fwait_q[w] <= 1'b1;
      end
    end
  end

  logic unused;
  assign unused = ^{desc_i, f2_win, f2_pc[1:0]};

`ifndef SYNTHESIS
  for (genvar b = 0; b < 2; b++) begin : g_kept
    kind_t decoded;
    qsm_predecode u_predecode (.instr_i(advance_o ? f2_words[b] : '0), .kind_o(decoded));
    assert property (@(posedge clk_i) disable iff (!rst_ni) !advance_o || kinds[b] == decoded)
      else $error("R-FE-4: what is kept of a word is not what its decoder says");
  end
  always_ff @(posedge clk_i) begin  // not a concurrent one, which would sample all of desc_i
    if (rst_ni && f2_valid && f2_outcome != FetchDropped) begin
      assert (f2_win == desc_i[f2_kernel].win)
        else $error("R-FE-3: a window changes while its kernel has a warp");
    end
  end
  // A fill ends a granted miss (R-FE-5).
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(fill_valid_i && miss_q != MissWait));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(miss_grant_i && miss_q != MissPend));
`endif
endmodule
