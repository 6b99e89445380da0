// SPDX-License-Identifier: Apache-2.0
// State of the sub-core's warps: residency, live threads, barrier, active split, reconvergence
// point. Events: start, resolve, release, kill, finish.
// Doc: docs/warp_state.md (R-WS-1 to -11), docs/preemption.md (frozen, evict). Every event takes
// effect at the end of its cycle; a kill has priority.
//
// Observed by the lockstep monitor: start_valid, start_slot, start_i, start_live (START);
// resolve_i, live_next, bar_next, resolve_selects (RESOLVE); u_split_select.sel2_set, sel2_warp,
// sel2_split (SPLIT); finish_valid, finish_slot, finish_o (FINISH); live_q, bar_q, split_valid_q,
// u_split_store, u_split_arb.
module qsm_warp_state
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic                                  clk_i,
  input  logic                                  rst_ni,
  input  desc_t [NumKernels-1:0]                desc_i,
  input  logic [NumKernels-1:0]                 killed_i,
  input  warp_start_t                           start_i,
  input  logic [MaxTbs-1:0]                     release_i,
  input  freeze_t                               freeze_next_i,   // in the next cycle
  input  logic                                  evict_i,         // R-PE-17: the frozen warps leave
  input  logic                                  restoring_i,     // R-WS-10: they stay
  input  logic [WarpsPerSched-1:0]              sb_empty_i,
  input  logic [WarpsPerSched-1:0]              issue_i,         // one-hot, R-IS-3
  input  logic [WarpsPerSched-1:0]              head_ctl_i,      // its instruction is ctl
  // The warp of the instruction in EX1 and its threads; in the next cycle its kernel, and whether
  // it has threads and the kernel is not killed.
  input  logic [WarpW-1:0]                      ex1_warp_i,
  output mask_t                                 ex1_live_o,
  input  logic [KernelW-1:0]                    ex2_kernel_i,
  output logic                                  ex2_alive_o,
  input  resolve_t                              resolve_i,      // in EX2
  output tb_event_t                             arrive_o,
  output tb_event_t                             finish_o,
  // Registers, and events that change the state of policy and fetch.
  output logic [WarpsPerSched-1:0]              resident_o,
  output logic [WarpsPerSched-1:0][KernelW-1:0] kernel_o,
  output logic [WarpsPerSched-1:0][TbW-1:0]     tb_o,
  output logic [WarpsPerSched-1:0][WidxW-1:0]   widx_o,
  output logic [WarpsPerSched-1:0]              split_valid_o,
  output logic [WarpsPerSched-1:0]              reconv_valid_o,
  output logic [WarpsPerSched-1:0]              frozen_o,
  // bar != 0 and every live thread waits
  output logic [WarpsPerSched-1:0]              at_barrier_o,
  // empty the buffer at the end of this cycle
  output logic [WarpsPerSched-1:0]              flush_o,
  output logic [WarpsPerSched-1:0]              split_set_o,
  // Read of the warp that issued in the cycle before, and of the warps in F1 and F2.
  input  logic [WarpW-1:0]                      issued_warp_i,
  output logic [DepthW-1:0]                     issued_depth_o,
  output mask_t                                 issued_mask_o,
  output who_t                                  issued_who_o,
  input  logic [WarpW-1:0]                      f1_warp_i,
  input  logic [WarpsPerSched-1:0]              f1_turn_i,       // the same, one bit or none
  output logic [31:2]                           f1_pc_o,         // next word to fetch
  output logic [KernelW-1:0]                    f1_kernel_o,
  input  logic [WarpW-1:0]                      f2_warp_i,
  output logic [31:2]                           f2_reconv_pc_o,
  input  logic                                  advance_i,       // R-FE-4, of f2_warp_i
  input  logic [31:2]                           advance_pc_i,
  // Reads for the SM's save sequencer: the lane store in its turn, R-WS-8.
  input  logic [WarpW-1:0]                      step_warp_i,
  input  logic                                  step_asks_i,
  input  mask_t                                 step_asked_i,    // lane, one bit
  output mask_t                                 step_live_o,
  output mask_t                                 step_bar_o,      // if step_lane_o.given
  output step_lane_t                            step_lane_o,
  output logic                                  start_valid_o,
  output logic [WarpW-1:0]                      start_slot_o,
  output logic                                  finish_valid_o,
  output logic [WarpW-1:0]                      finish_slot_o
);
  logic [WarpsPerSched-1:0] resident_q, split_valid_q, reconv_valid_q;
  logic [WarpsPerSched-1:0][KernelW-1:0] kernel_q;
  logic [WarpsPerSched-1:0][TbW-1:0] tb_q;
  logic [WarpsPerSched-1:0][WidxW-1:0] widx_q;
  mask_t [WarpsPerSched-1:0] live_q, bar_q;
  // frozen: resident, and part of the frozen block. A register, because issue depends on it early
  // in the cycle.
  logic [WarpsPerSched-1:0] killed, has_live, alive, frozen_q;

  // Lowest set bit's index; 0 for none.
  function automatic logic [WarpW-1:0] lowest(input logic [WarpsPerSched-1:0] set);
    lowest = '0;
    for (int unsigned w = WarpsPerSched; w > 0; w--) if (set[w-1]) lowest = WarpW'(w - 1);
  endfunction

  // ---- Start and finish, R-WS-1, R-WS-10 ----
  logic start_valid, finish_valid;
  logic [WarpW-1:0] start_slot, finish_slot;
  mask_t start_live;
  logic [WarpsPerSched-1:0] finishing;

  assign start_valid = start_i.valid;
  assign start_slot = lowest(~resident_q);
  assign start_live = killed_i[start_i.kernel] ? '0 : start_i.live;
  assign finishing = resident_q & ~has_live & sb_empty_i & ~(restoring_i ? frozen_q : '0);
  assign finish_valid = |finishing;
  assign finish_slot = lowest(finishing);

  // Registers that only a start sets are in distributed RAM, too, for reads of one warp.
  who_t who[1 << WarpW];
  logic [TbW-1:0] finish_tb[1 << WarpW];
  logic [KernelW-1:0] fetch_kernel[1 << WarpW];
  always_ff @(posedge clk_i) begin
    if (start_valid) begin
      who[start_slot] <= '{kernel: start_i.kernel, tb: start_i.tb, widx: start_i.widx};
      finish_tb[start_slot] <= start_i.tb;
      fetch_kernel[start_slot] <= start_i.kernel;
    end
  end
  assign issued_who_o = who[issued_warp_i];
  assign f1_kernel_o = fetch_kernel[f1_warp_i];
  assign finish_o = '{valid: finish_valid, tb: finish_tb[finish_slot]};

  // ---- Resolve, R-WS-2 to -4 ----
  mask_t live_next, bar_next, cand_next;
  logic same_pc, resolve_selects, resolve_stays;

  // Between EX1 and EX2 a warp loses its threads by a kill or an evict only: no other ctl word of
  // it is under way, and its slot is not free.
  mask_t ex2_live_q;
  logic [WarpsPerSched-1:0] stays_live;
  logic ex2_has_live_q;
  assign ex1_live_o = live_q[ex1_warp_i];
  always_ff @(posedge clk_i) begin
    ex2_live_q <= ex1_live_o;
    ex2_has_live_q <= stays_live[ex1_warp_i];
  end
  assign ex2_alive_o = ex2_has_live_q && !killed_i[ex2_kernel_i];
  assign live_next = ex2_live_q & ~resolve_i.exits;
  assign bar_next = (bar_q[resolve_i.warp] | resolve_i.bars) & live_next;
  assign cand_next = live_next & ~bar_next;

  always_comb begin  // lane 0 leads, if it is in the mask
    same_pc = 1'b1;
    for (int unsigned l = 1; l < WarpSize; l++)
      if (resolve_i.mask[l] && resolve_i.next_pc[l] != resolve_i.lead_pc) same_pc = 1'b0;
  end

  assign resolve_stays = cand_next == resolve_i.mask && !resolve_i.selects && same_pc;
  assign resolve_selects = !resolve_stays;
  assign arrive_o = '{valid: resolve_i.valid && cand_next == '0 && live_next != '0,
      tb: resolve_i.tb};

  // ---- Selection, R-WS-5 to -8 ----
  logic sel1_valid;
  logic [WarpW-1:0] sel1_warp;
  logic [WarpsPerSched-1:0] sel1_set;
  mask_t sel1_cand;
  lanes_t sel1_pc;
  logic [WarpSize-1:0][DepthW-1:0] sel1_depth;
  logic step_reads, sel_split_set, sel_reconv_set, sel_reconv_valid;
  logic [WarpW-1:0] sel_split_warp, sel_reconv_warp;
  split_t sel_split;
  logic [31:0] sel_reconv_pc;

  logic [WarpsPerSched-1:0] starts, releases, parts, dies;  // parts: by R-WS-4
  qsm_split_arb #(.NumWarps(WarpsPerSched)) u_split_arb (
    .clk_i, .rst_ni, .wait_i(parts | releases), .clear_i(starts | dies),
    .step_asks_i, .step_reads_o(step_reads), .step_read_o(step_lane_o.given),
    .sel1_valid_o(sel1_valid), .sel1_set_o(sel1_set), .sel1_warp_o(sel1_warp)
  );
  // The lanes of the warp in SEL1, or else of the sequencer's step, also in the cycle after it read
  logic [WarpW-1:0] lanes_warp;
  mask_t lanes_bar;
  assign lanes_warp = sel1_valid ? sel1_warp : step_warp_i;
  assign lanes_bar = bar_q[lanes_warp];
  assign sel1_cand = live_q[lanes_warp] & ~lanes_bar;
  assign step_live_o = live_q[step_warp_i];
  assign step_bar_o = lanes_bar;
  assign {step_lane_o.pc, step_lane_o.depth} = {sel_split.pc[31:2], sel_split.depth};

  qsm_lane_store u_lane_store (
    .clk_i,
    .write_i((resolve_i.valid && resolve_selects) ? resolve_i.mask : '0),
    .write_warp_i(resolve_i.warp),
    .write_pc_i(resolve_i.next_pc), .write_depth_i(resolve_i.next_depth),
    .read_warp_i(lanes_warp), .read_pc_o(sel1_pc),
    .read_depth_o(sel1_depth)
  );

  qsm_split_select u_split_select (
    .clk_i, .rst_ni, .alive_i(alive), .start_valid_i(start_valid), .start_slot_i(start_slot),
    .sel1_valid_i(sel1_valid), .sel1_set_i(sel1_set), .sel1_warp_i(sel1_warp),
    .sel1_cand_i(sel1_cand),
    .sel1_pc_i(sel1_pc), .sel1_depth_i(sel1_depth),
    .step_reads_i(step_reads), .step_lane_i(step_asked_i),
    .split_set_o(sel_split_set), .split_warp_o(sel_split_warp), .path_o(sel_split),
    .reconv_set_o(sel_reconv_set), .reconv_warp_o(sel_reconv_warp),
    .reconv_valid_o(sel_reconv_valid),
    .reconv_pc_o(sel_reconv_pc)
  );

  // ---- Splits and reconvergence points ----
  split_t stay_split;
  logic [WarpsPerSched-1:0] stays, selects;
  // the same for all lanes
  assign stay_split = '{pc: resolve_i.lead_pc, depth: resolve_i.next_depth[0],
      mask: resolve_i.mask};

  qsm_split_store u_split_store (
    .clk_i, .rst_ni, .desc_i, .fetch_kernel_i(f1_kernel_o),
    .start_i(starts), .start_warp_i(start_slot), .start_live_i(start_live),
    .stay_i(stays), .stay_warp_i(resolve_i.warp), .stay_split_i(stay_split),
    .select_i(selects), .select_warp_i(sel_split_warp), .select_split_i(sel_split),
    .advance_i, .advance_warp_i(f2_warp_i), .advance_pc_i,
    .fetch_warp_i(f1_warp_i), .fetch_turn_i(f1_turn_i), .fetch_pc_o(f1_pc_o),
    .issue_warp_i(issued_warp_i), .issue_depth_o(issued_depth_o), .issue_mask_o(issued_mask_o)
  );

  logic [31:2] reconv_pc[1 << WarpW];
  always_ff @(posedge clk_i) if (sel_reconv_set) reconv_pc[sel_reconv_warp] <= sel_reconv_pc[31:2];
  assign f2_reconv_pc_o = reconv_pc[f2_warp_i];

  // ---- Registers ----
  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_warp
    logic resolves, issues, reconverges, leaves, stops;
    assign killed[w] = killed_i[kernel_q[w]];
    assign has_live[w] = live_q[w] != '0;
    assign alive[w] = has_live[w] && !killed[w];
    assign stays_live[w] = has_live[w] && !dies[w];
    assign starts[w] = start_valid && start_slot == WarpW'(w);
    assign resolves = resolve_i.valid && resolve_i.warp == WarpW'(w);
    assign stays[w] = resolves && resolve_stays;
    assign parts[w] = resolves && resolve_selects && cand_next != '0;
    assign issues = issue_i[w];
    assign releases[w] = release_i[tb_q[w]] && resident_q[w] && has_live[w];
    assign selects[w] = sel_split_set && sel_split_warp == WarpW'(w);
    assign reconverges = sel_reconv_set && sel_reconv_warp == WarpW'(w);
    assign leaves = finish_valid && finish_slot == WarpW'(w);
    assign stops = freeze_next_i.valid && (starts[w] ? start_i.tb : tb_q[w]) == freeze_next_i.tb;
    assign dies[w] = (resident_q[w] && killed[w]) || (frozen_q[w] && evict_i);  // R-WS-9

    assign split_set_o[w] = starts[w] || selects[w] || stays[w];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) frozen_q[w] <= 1'b0;
      else frozen_q[w] <= stops && (starts[w] || (resident_q[w] && !leaves));
    end

    // Registers that only a start sets.
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        kernel_q[w] <= '0;
        tb_q[w] <= '0;
        widx_q[w] <= '0;
      end else if (starts[w]) begin
        kernel_q[w] <= start_i.kernel;
        tb_q[w] <= start_i.tb;
        widx_q[w] <= start_i.widx;
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        resident_q[w] <= 1'b0;
        live_q[w] <= '0;
        bar_q[w] <= '0;
        split_valid_q[w] <= 1'b0;
        reconv_valid_q[w] <= 1'b0;
      end else if (starts[w]) begin
        resident_q[w] <= 1'b1;
        live_q[w] <= start_live;
        bar_q[w] <= '0;
        split_valid_q[w] <= start_live != '0 && !start_i.restored;
        reconv_valid_q[w] <= 1'b0;
      end else begin
        if (leaves) resident_q[w] <= 1'b0;

        if (dies[w]) live_q[w] <= '0;
        else if (resolves) live_q[w] <= live_next;

        if (dies[w] || releases[w]) bar_q[w] <= '0;
        else if (resolves) bar_q[w] <= bar_next;

        if (dies[w] || (issues && head_ctl_i[w])) split_valid_q[w] <= 1'b0;
        else if (stays[w] || selects[w]) split_valid_q[w] <= 1'b1;

        if (dies[w]) reconv_valid_q[w] <= 1'b0;
        else if (reconverges) reconv_valid_q[w] <= sel_reconv_valid;
        else if (stays[w] || selects[w]) reconv_valid_q[w] <= 1'b0;
      end
    end

    assign at_barrier_o[w] = bar_q[w] != '0 && (live_q[w] & ~bar_q[w]) == '0;
    // not needed after an evict: no instruction issues then, and the next start flushes the buffer
    assign flush_o[w] = killed[w] || starts[w];
  end

  logic unused;
  assign unused = ^{desc_i, sel_reconv_pc[1:0], freeze_next_i.kernel};

  assign resident_o = resident_q;
  assign kernel_o = kernel_q;
  assign tb_o = tb_q;
  assign widx_o = widx_q;
  assign split_valid_o = split_valid_q;
  assign reconv_valid_o = reconv_valid_q;
  assign frozen_o = frozen_q;
  assign start_valid_o = start_valid;
  assign start_slot_o = start_slot;
  assign finish_valid_o = finish_valid;
  assign finish_slot_o = finish_slot;

`ifndef SYNTHESIS
  // R-SM-2: a free slot is guaranteed. R-WS-5: at most one selection of a warp in flight, and none
  // while it has a split.
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(start_valid && resident_q == '1));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(sel_split_set && split_valid_q[sel_split_warp]));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      (issue_i & ~split_valid_q) == '0);
  // An immediate assertion: a concurrent one samples all of resolve_i, and for 32 lanes Verilator
  // 5.006 generates code that does not compile.
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!(resolve_i.valid && split_valid_q[resolve_i.warp]));
    if (rst_ni) begin
      assert (!resolve_i.valid || ex2_live_q == live_q[resolve_i.warp])
        else $error("R-EX-5: the threads of EX1 are not those of EX2");
    end
  end
`endif
endmodule
