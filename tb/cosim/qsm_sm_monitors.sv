// SPDX-License-Identifier: Apache-2.0
// Monitors of the lockstep, of the SM: bound to the blocks, they report every decision as an event
// (docs/lockstep.md) and, at the edges of qsm_monitor_pkg::dump_clock, all state. They read signals
// that the blocks name in their headers ("Observed by the lockstep monitor") and drive nothing.

// ---- Sub-core ----
module qsm_subcore_monitor
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
#(
  parameter int unsigned Sub = 0
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [SmW-1:0] sm_id_i,
  // Fetch.
  input logic f2_valid,
  input logic [WarpW-1:0] f2_warp,
  input logic [31:0] f2_pc,
  input logic [1:0] f2_outcome,
  // Issue.
  input logic issue_valid,   // of the buffer
  input op_t issue_op,
  input logic inject,
  input step_t step,
  // Warp state.
  input resolve_t resolve,
  input mask_t live_next,
  input mask_t bar_next,
  input logic resolve_selects,
  input logic sel2_set,
  input logic [WarpW-1:0] sel2_warp,
  input split_t sel2_split,
  input warp_start_t start,
  input logic [WarpW-1:0] start_slot,
  input mask_t start_live,
  input tb_event_t finish,
  input logic [WarpW-1:0] finish_slot,
  input logic [WarpsPerSched-1:0] resident,
  input mask_t [WarpsPerSched-1:0] live,
  input mask_t [WarpsPerSched-1:0] bar,
  input logic [WarpsPerSched-1:0] split_valid,
  input logic [WarpsPerSched-1:0][7:0] selcnt,
  input logic [WarpsPerSched-1:0][LaneW-1:0] rot,
  input logic [WarpsPerSched-1:0] selpend,
  input logic [WarpW-1:0] sel_last,
  // Write-back.
  input wb_t write
);
  int sm;
  assign sm = int'(sm_id_i);

  always @(posedge clk_i) if (rst_ni) begin
    if (f2_valid)
      qsm_dpi_event(EvFetch, sm, Sub, 0, 3, 256'({32'(f2_outcome), f2_pc, 32'(f2_warp)}));
    if (issue_valid) begin
      qsm_dpi_event(EvIssue, sm, Sub, 0, 6, 256'({issue_op.has_entry ? 32'(issue_op.entry) : 32'hff,
          issue_op.word.instr, 32'(issue_op.split.mask),
                                                  issue_op.split.pc, 32'(issue_op.kernel),
                                                      32'(issue_op.warp)}));
    end
    if (inject) begin
      qsm_dpi_event(EvInject, sm, Sub, 0, 6,
          256'({issue_op.has_entry ? 32'(issue_op.entry) : 32'hff, 32'(issue_op.split.mask),
          issue_op.split.pc,
                                                   32'(step.xreg), 32'(step.kind),
                                                       32'(issue_op.warp)}));
    end
    if (resolve.valid) begin
      qsm_dpi_event(EvResolve, sm, Sub, 0, 4,
          256'({31'd0, resolve_selects, 32'(bar_next), 32'(live_next), 32'(resolve.warp)}));
    end
    if (sel2_set) begin
      qsm_dpi_event(EvSplit, sm, Sub, 0, 4, 256'({32'(sel2_split.mask), 32'(sel2_split.depth),
          sel2_split.pc, 32'(sel2_warp)}));
    end
    if (write.valid) begin
      qsm_dpi_event_wide(EvWb, sm, Sub, 0, 3 + WarpSize,
          2048'({masked(write.data, write.mask), 32'(write.mask), 32'(write.rd), 32'(write.warp)}));
    end
    if (start.valid) begin
      qsm_dpi_event(EvStart, sm, Sub, 0, 5, 256'({32'(start_live), 32'(start.widx), 32'(start.tb),
          32'(start.kernel), 32'(start_slot)}));
    end
    if (finish.valid)
      qsm_dpi_event(EvFinish, sm, Sub, 0, 2, 256'({32'(finish.tb), 32'(finish_slot)}));
  end

  always @(posedge dump_clock) begin
    for (int w = 0; w < WarpsPerSched; w++) begin
      qsm_dpi_state(StWarp, sm, Sub, w, 0, int'(resident[w]));
      if (resident[w]) begin
        qsm_dpi_state(StWarp, sm, Sub, w, 1, int'(live[w]));
        qsm_dpi_state(StWarp, sm, Sub, w, 2, int'(bar[w]));
        qsm_dpi_state(StWarp, sm, Sub, w, 3, int'(split_valid[w]));
        qsm_dpi_state(StWarp, sm, Sub, w, 6, int'(selcnt[w]));
        qsm_dpi_state(StWarp, sm, Sub, w, 7, int'(rot[w]));
        qsm_dpi_state(StWarp, sm, Sub, w, 9, int'(selpend[w]));
      end
    end
    qsm_dpi_state(StSplitSelect, sm, Sub, 0, 0, int'(sel_last));
  end
endmodule

bind qsm_subcore qsm_subcore_monitor #(.Sub(Sub)) u_monitor (
  .clk_i, .rst_ni, .sm_id_i,
  .f2_valid(u_fetch.f2_valid), .f2_warp(u_fetch.f2_warp), .f2_pc(u_fetch.f2_pc),
  .f2_outcome(u_fetch.f2_outcome),
  .issue_valid(issue_pop != '0), .issue_op(issue_op), .inject(step_done_o), .step(step_i),
  .resolve(resolve), .live_next(u_warp_state.live_next), .bar_next(u_warp_state.bar_next),
  .resolve_selects(u_warp_state.resolve_selects),
  .sel2_set(u_warp_state.u_split_select.sel2_set),
  .sel2_warp(u_warp_state.u_split_select.sel2_warp),
  .sel2_split(u_warp_state.u_split_select.sel2_split),
  .start(start_i), .start_slot(u_warp_state.start_slot), .start_live(u_warp_state.start_live),
  .finish(finish_o), .finish_slot(u_warp_state.finish_slot),
  .resident(u_warp_state.resident_q), .live(u_warp_state.live_q), .bar(u_warp_state.bar_q),
  .split_valid(u_warp_state.split_valid_q),
  .selcnt(u_warp_state.u_split_select.selcnt), .rot(u_warp_state.u_split_select.rot),
  .selpend(u_warp_state.u_split_arb.selpend_q),
  .sel_last(u_warp_state.u_split_arb.sel_last),
  .write(u_wb.write_o)
);

// Active splits (with the pc to fetch next), and memories of the lanes: registers, and PCs of the
// waiting threads (live, outside the active split of their warp). Memories are reached by name: an
// array at a port would be copied in every cycle.
module qsm_lanes_monitor
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
#(
  parameter int unsigned Sub = 0
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [SmW-1:0] sm_id_i
);
  mask_t [WarpsPerSched-1:0] live;
  logic [WarpsPerSched-1:0] resident, split_valid;
  logic [WarpsPerSched-1:0][31:0] written;
  split_t [WarpsPerSched-1:0] split;
  assign live = u_warp_state.live_q;
  assign resident = u_warp_state.resident_q;
  assign split_valid = u_warp_state.split_valid_q;
  always_comb begin
    split = '0;
    written = '0;
    if (dump) begin
      for (int w = 0; w < WarpsPerSched; w++) begin
        for (int h = 0; h < 2; h++) begin
          if (!u_regfile.u_written.fresh_q[w][h])
            written[w][16*h +: 16] = u_regfile.u_written.mem[2*w+h];
        end
        case (u_warp_state.u_split_store.source_q[w])
          2'd1: split[w] = {u_warp_state.u_split_store.stay_pc[w], 2'b00,
              u_warp_state.u_split_store.stay_lanes[w]};
          2'd2: split[w] = {u_warp_state.u_split_store.select_pc[w], 2'b00,
              u_warp_state.u_split_store.select_lanes[w]};
          default:
            split[w] =
                {u_warp_state.u_split_store.desc_i[u_warp_state.kernel_q[w]].entry,
              DepthW'(0), live[w]};
        endcase
        if (u_warp_state.u_split_store.moved_q[w])
          split[w].pc = {u_warp_state.u_split_store.advance_pc[w], 2'b00};
      end
    end
  end

  always @(posedge dump_clock) begin
    for (int w = 0; w < WarpsPerSched; w++) begin
      if (resident[w] && split_valid[w]) begin
        qsm_dpi_state(StWarp, int'(sm_id_i), Sub, w, 4, int'(split[w].pc));
        qsm_dpi_state(StWarp, int'(sm_id_i), Sub, w, 5, int'(split[w].mask));
        qsm_dpi_state(StWarp, int'(sm_id_i), Sub, w, 8, int'(split[w].depth));
      end
    end
  end

  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    // The bound is a variable so that the loop stays a loop: unrolled for every lane it would be
    // most of the generated code.
    int n_registers;
    always @(posedge dump_clock) begin
      n_registers = dump ? 32 : 0;
      for (int w = 0; w < WarpsPerSched; w++) begin
        for (int r = 1; r < n_registers; r++) begin  // one that is not written counts as 0
          qsm_dpi_state(StReg, int'(sm_id_i), Sub, 32 * w + r, l, written[w][r]
              ? int'(u_regfile.g_lane[l].mem_a[32*w+r]) : 0);
        end
        if (live[w][l] && split_valid[w] && !split[w].mask[l]) begin
          qsm_dpi_state(StLanePc, int'(sm_id_i), Sub, w, l,
              int'({u_warp_state.u_lane_store.g_lane[l].mem[w][30:0], 1'b0}));
          qsm_dpi_state(StLaneDepth, int'(sm_id_i), Sub, w, l,
              int'(u_warp_state.u_lane_store.g_lane[l].mem[w][DepthW+30:31]));
        end
      end
    end
  end
endmodule
bind qsm_subcore qsm_lanes_monitor #(.Sub(Sub)) u_lanes_monitor (.clk_i, .rst_ni, .sm_id_i);

// The write port: what waits for it, who has claimed it.
module qsm_port_monitor
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
#(
  parameter int unsigned Sub = 0
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [SmW-1:0] sm_id_i
);
  int claims;
  if (Fpu != 0) begin : g_claims
    assign claims = int'(u_issue.g_claims.claim_q);
  end else begin : g_no_claims
    assign claims = 0;
  end
  always @(posedge dump_clock) begin
    qsm_dpi_state(StWriteBack, int'(sm_id_i), Sub, 0, 0, int'(u_wb.wb_wait_q) + 16 * claims);
  end
endmodule
bind qsm_subcore qsm_port_monitor #(.Sub(Sub)) u_port_monitor (.clk_i, .rst_ni, .sm_id_i);

// ---- SM ----
module qsm_sm_monitor
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,
  input logic [SmW-1:0] sm_id_i,
  input dispatch_t arrival,
  input retire_t retire,
  // Saving and restoring.
  input tb_op_e op,
  input tb_op_e op_next,
  input save_phase_e phase,
  input save_phase_e phase_next,
  input logic [TbW-1:0] save_tb,
  input logic [TbW-1:0] save_tb_next,
  input logic [3:0] image,
  input logic fresh,
  input logic saved,
  input logic [31:LineOffW] base,
  input logic restored,
  input logic [MaxTbs-1:0] release_tbs,
  input logic [NumKernels-1:0] fault_new,
  input fault_t [NumSched-1:0] fault_written,
  input logic [NumKernels-1:0][idx_w(NumSched)-1:0] fault_from,
  input mem_req_t req,
  input mem_rsp_t rsp,
  // LSU.
  input logic pass_valid,
  input logic [1:0] pass_kind,
  input mask_t pass_mask,
  input lsu_op_t pass_op,
  input logic return_valid,
  input logic return_shared,
  input logic return_hit,
  input logic [TxnW-1:0] return_txn,
  // State.
  input logic [MaxTbs-1:0] tb_valid,
  input tb_info_t [MaxTbs-1:0] tb_info,
  input logic [MaxTbs-1:0] clean,
  input logic wiping,
  input logic [TbW-1:0] wipe_tb,
  input logic [RowW-1:0] wipe_row,
  input logic [$clog2(SharedRows+1)-1:0] wipe_left,
  input logic [MaxTbs-1:0][$clog2(WarpsPerSm+1)-1:0] left,
  input logic [MaxTbs-1:0][$clog2(WarpsPerSm+1)-1:0] arrived,
  input logic [NumKernels-1:0] killed
);
  int sm;
  assign sm = int'(sm_id_i);

  // What a request does not mean counts as 0: bytes of a read, data that are not written.
  function automatic bit [2047:0] request_words(input mem_req_t r);
    automatic bytes_t bytes = (r.kind == MemRead) ? '0 : r.bytes;
    automatic logic [LineBytes-1:0][7:0] data = r.data;
    for (int b = 0; b < LineBytes; b++) if (!bytes[b]) data[b] = '0;
    return 2048'({data, (32 * MaskWords)'(bytes), 32'(r.slot), 32'(r.tag), r.addr,
        32'({r.kind, r.kind == MemAmo ? r.amo : 4'd0})});
  endfunction
  fault_t [NumKernels-1:0] fault_record;
  for (genvar k = 0; k < NumKernels; k++) begin : g_record
    assign fault_record[k] = fault_written[fault_from[k]];
  end

  always @(posedge clk_i) if (rst_ni) begin
    if (arrival.valid) begin
      qsm_dpi_event(EvArrive, sm, 0, 0, 8,
                    256'({32'(arrival.ticket), 32'(arrival.image), 32'(arrival.op),
                        32'(arrival.base), 32'(arrival.first), arrival.linear,
                          32'(arrival.kernel), 32'(arrival.tb)}));
    end
    if (retire.valid)
      qsm_dpi_event(EvRetire, sm, 0, 0, 2, 256'({31'd0, retire.saved, 32'(retire.tb)}));
    if (op_next != op || phase_next != phase) begin
      qsm_dpi_event(EvTbop, sm, 0, 0, 3, 256'({32'(phase_next), 32'(save_tb_next), 32'(op_next)}));
    end
    if (restored) qsm_dpi_event(EvResumed, sm, 0, 0, 1, 256'(save_tb));
    if (release_tbs != '0) qsm_dpi_event(EvRelease, sm, 0, 0, 1, 256'(release_tbs));
    for (int k = 0; k < NumKernels; k++) begin
      // lowest only
      if (fault_new[k] && (fault_new & ((NumKernels'(1) << k) - NumKernels'(1))) == '0) begin
        qsm_dpi_event(EvFault, sm, 0, 0, 6, 256'({fault_record[k].value, fault_record[k].block,
            32'(fault_record[k].tid), fault_record[k].pc,
                                                  32'(fault_record[k].cause), 32'(k)}));
      end
    end
    if (req.valid)
      qsm_dpi_event_wide(EvReq, sm, 0, 0, 4 + MaskWords + WarpSize, request_words(req));
    if (rsp.valid) qsm_dpi_event(EvRsp, sm, 0, 0, 1, 256'(rsp.tag));
    if (pass_valid) begin
      qsm_dpi_event(EvLsuPass, sm, 0, 0, 4, 256'({32'(pass_mask), 32'(pass_kind), 32'(pass_op.warp),
          32'(pass_op.sub)}));
    end
    if (return_valid)
      qsm_dpi_event(EvReturn, sm, 0, 0, 1, 256'(return_shared ? 32'hffff_ffff : return_hit
          ? 32'hffff_fffe : 32'(return_txn)));
  end

  always @(posedge dump_clock) begin
    for (int s = 0; s < MaxTbs; s++) begin
      qsm_dpi_state(StTbs, sm, 0, s, 0, int'(tb_valid[s]));
      if (tb_valid[s]) begin
        qsm_dpi_state(StTbs, sm, 0, s, 1, int'(tb_info[s].kernel));
        qsm_dpi_state(StTbs, sm, 0, s, 2, int'(left[s]));
        qsm_dpi_state(StTbs, sm, 0, s, 3, int'(arrived[s]));
        qsm_dpi_state(StTbs, sm, 0, s, 5, int'(saved && int'(save_tb) == s));
        qsm_dpi_state(StTbs, sm, 0, s, 9, int'(clean[s]));
      end
    end
    qsm_dpi_state(StWipe, sm, 0, 0, 0, wiping ? int'({8'(wipe_tb), 8'd1}) : 0);
    qsm_dpi_state(StWipe, sm, 0, 0, 1, wiping ? int'(wipe_row) : 0);
    qsm_dpi_state(StWipe, sm, 0, 0, 2, wiping ? int'(wipe_left) : 0);
    qsm_dpi_state(StTbSave, sm, 0, 0, 0, int'({phase, 2'd0, op}));
    if (op != OpNew) begin
      qsm_dpi_state(StTbSave, sm, 0, 0, 1, int'({fresh, 4'd0, image, 8'(save_tb)}));
      qsm_dpi_state(StTbSave, sm, 0, 0, 2, int'({base, LineOffW'(0)}));
    end
    for (int k = 0; k < NumKernels; k++) qsm_dpi_state(StFault, sm, 0, k, 0, int'(killed[k]));
  end
endmodule
bind qsm_sm qsm_sm_monitor u_monitor (
  .clk_i, .rst_ni, .sm_id_i, .arrival(arrival), .retire(retire), .release_tbs(release_tbs),
  .op(u_save.op_q), .op_next(u_save.op_d), .phase(u_save.phase_q), .phase_next(u_save.phase_d),
  .save_tb(u_save.tb_q), .save_tb_next(u_save.tb_d),
  .image(u_save.image_q), .fresh(u_save.fresh_q), .saved(u_save.saved_q), .base(u_save.base_q),
  .restored(restored),
  .fault_new(u_fault.fault_new), .fault_written(u_fault.record), .fault_from(u_fault.from_d),
  .req(req_o), .rsp(rsp_i),
  .pass_valid(u_lsu.pass_valid), .pass_kind(u_lsu.pass_kind), .pass_mask(u_lsu.pass_mask),
  .pass_op(u_lsu.c_q),
  .return_valid(u_lsu.u_return.return_valid), .return_shared(u_lsu.u_return.return_shared),
  .return_hit(u_lsu.u_return.return_hit), .return_txn(u_lsu.serve_txn),
  .tb_valid(tb_valid), .tb_info(tb_info), .clean(u_wipe.clean_q), .wiping(u_wipe.valid_q),
  .wipe_tb(u_wipe.tb_q), .wipe_row(u_wipe.row_q),
  .wipe_left(u_wipe.left_q), .left(u_barrier.left_q), .arrived(u_barrier.arrived_q),
  .killed(u_fault.killed_o)
);

// What is kept of the blocks' indices: in the memories of the sequencer and of the first sub-core.
module qsm_index_monitor
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,
  input logic [SmW-1:0] sm_id_i
);
  always @(posedge dump_clock) begin
    for (int s = 0; s < MaxTbs; s++) begin
      if (u_launch.tb_valid_q[s]) begin
        qsm_dpi_state(StTbs, int'(sm_id_i), 0, s, 4,
            int'(g_sub[0].u_subcore.u_exec.u_tb_block.mem[s][TicketW+47:48]));
        qsm_dpi_state(StTbs, int'(sm_id_i), 0, s, 6, int'(u_save.u_index.mem[s][31:0]));
        qsm_dpi_state(StTbs, int'(sm_id_i), 0, s, 7, int'(u_save.u_index.mem[s][47:32]));
        qsm_dpi_state(StTbs, int'(sm_id_i), 0, s, 8, int'(u_save.u_index.mem[s][79:48]));
      end
    end
  end
endmodule
bind qsm_sm qsm_index_monitor u_index_monitor (.clk_i, .rst_ni, .sm_id_i);

// Fault records that are kept: of each kernel that in the RAM of the source which was first.
module qsm_records_monitor
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,
  input logic [SmW-1:0] sm_id_i
);
  for (genvar s = 0; s < NumSched; s++) begin : g_ram
    always @(posedge dump_clock) begin
      for (int k = 0; k < NumKernels; k++) begin
        if (int'(u_fault.from_q[k]) == s) begin
          qsm_dpi_state(StFault, int'(sm_id_i), 0, k, 1, int'(u_fault.g_ram[s].mem[k].cause));
          qsm_dpi_state(StFault, int'(sm_id_i), 0, k, 2, int'(u_fault.g_ram[s].mem[k].pc));
          qsm_dpi_state(StFault, int'(sm_id_i), 0, k, 3, int'(u_fault.g_ram[s].mem[k].tid));
          qsm_dpi_state(StFault, int'(sm_id_i), 0, k, 4, int'(u_fault.g_ram[s].mem[k].block));
          qsm_dpi_state(StFault, int'(sm_id_i), 0, k, 5, int'(u_fault.g_ram[s].mem[k].value));
        end
      end
    end
  end
endmodule
bind qsm_sm qsm_records_monitor u_records_monitor (.clk_i, .rst_ni, .sm_id_i);

module qsm_quota_monitor
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
#(
  parameter int unsigned NumKernels = 4
) (
  input logic clk_i,
  input logic rst_ni,
  input int sm,
  input logic signed [31:0] c[NumKernels],
  input logic signed [31:0] c_next[NumKernels],
  input logic [NumKernels-1:0][30:0] quota,
  input logic [NumKernels-1:0][30:0] quota_next,
  input logic [NumKernels-1:0] granted_q,
  input logic [NumKernels-1:0] granted_next,
  input logic [3:0] scheme,
  input logic [NumKernels-1:0] fresh_q,
  input logic [NumKernels-1:0][30:0] due,
  input logic [NumKernels-1:0] behind_q,
  input logic [NumKernels-1:0] spared_q,
  input logic [NumKernels-1:0] to_pace_q,
  input logic [NumKernels-1:0] to_judge_q,
  input logic [NumKernels-1:0] tight_q,
  input logic [NumKernels-1:0] kept_q,
  input logic [NumKernels-1:0] well_q,
  input logic [8:0] away,
  input logic elastic,        // before the cycle
  input logic elastic_next,
  input logic [19:0] dcnt,
  input logic [19:0] dcnt_next,
  input logic early,
  input logic early_next,
  input logic load
);
  bit [255:0] c_words, quota_words;
  bit changes;
  always_comb begin
    c_words = '0;
    quota_words = '0;
    changes = 1'b0;
    for (int k = 0; k < NumKernels; k++) begin
      c_words[32*k+:32] = c_next[k];
      quota_words[32*k+:32] = {1'b0, quota_next[k]};
      if (c_next[k] != c[k]) changes = 1'b1;
    end
  end
  always @(posedge clk_i) if (rst_ni) begin
    if (changes) qsm_dpi_event(EvQuota, sm, 0, 0, NumKernels, c_words);
    if (load) qsm_dpi_event_wide(EvQload, sm, 0, 0, 4 + NumKernels,
                                 2048'({quota_words, 32'(early_next), elastic_next ? 32'(dcnt_next)
                                     : 32'd0, 32'(granted_next), 32'(scheme)}));
  end

  always @(posedge dump_clock) begin
    for (int k = 0; k < NumKernels; k++) begin
      qsm_dpi_state(StQuota, sm, 0, k, 0, int'(c[k]));
      qsm_dpi_state(StQuota, sm, 0, k, 1, int'(quota[k]));
      qsm_dpi_state(StQuota, sm, 0, k, 2, int'(granted_q[k]));
      qsm_dpi_state(StQuota, sm, 0, k, 4, int'(fresh_q[k]));
      qsm_dpi_state(StQuota, sm, 0, k, 5, int'(due[k]));
      qsm_dpi_state(StQuota, sm, 0, k, 6,
                    int'({well_q[k], kept_q[k], tight_q[k], to_judge_q[k], to_pace_q[k],
                          spared_q[k], behind_q[k]}));
    end
    qsm_dpi_state(StQuota, sm, 0, NumKernels, 0, elastic ? int'(dcnt) : 0);
    qsm_dpi_state(StQuota, sm, 0, NumKernels, 1, int'(early));
    qsm_dpi_state(StQuota, sm, 0, NumKernels, 2, int'(away));
  end
endmodule
bind qsm_sm qsm_quota_monitor #(.NumKernels(qsm_cfg_pkg::NumKernels)) u_quota_monitor (
  .clk_i, .rst_ni, .sm(32'(sm_id_i)), .c(u_quota.c), .c_next(u_quota.c_next),
  .quota(figures_o.quota),
  .quota_next(u_quota.quota_next),
  .granted_q(u_quota.granted_q), .granted_next(u_quota.granted_d), .scheme(u_quota.scheme_d),
  .fresh_q(u_quota.fresh_q),
  .due(u_quota.due), .behind_q(u_quota.behind_q), .spared_q(u_quota.spared_q),
  .to_pace_q(u_quota.to_pace_q), .to_judge_q(u_quota.to_judge_q),
  .tight_q(u_quota.tight_q), .kept_q(u_quota.kept_q), .well_q(u_quota.well_q),
  .away(9'(u_share.away_q)),
  .elastic(u_quota.elastic),
  .elastic_next(qsm_enums_pkg::scheme_e'(u_quota.scheme_d) == qsm_enums_pkg::SchemeElastic),
  .dcnt(u_quota.u_elastic.dcnt_q),
  .dcnt_next(u_quota.u_elastic.dcnt_next), .early(u_quota.u_elastic.early_q),
  .early_next(u_quota.u_elastic.early_d), .load(u_quota.load_done)
);

// Idle-warp sampler.
module qsm_sampler_monitor
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,
  input logic [SmW-1:0] sm_id_i,
  input logic sample,
  input logic [NumKernels-1:0][12:0] sum,
  input logic [NumKernels-1:0][12:0] sum_next,
  input logic [NumKernels-1:0][12:0] snap
);
  int sm;
  bit [255:0] words;
  assign sm = int'(sm_id_i);
  always_comb begin
    words = '0;
    for (int k = 0; k < NumKernels; k++) words[32*k+:32] = 32'(sum_next[k]);
  end

  always @(posedge clk_i) if (rst_ni) begin
    if (sample) qsm_dpi_event(EvSample, sm, 0, 0, NumKernels, words);
  end

  always @(posedge dump_clock) begin
    for (int k = 0; k < NumKernels; k++) begin
      qsm_dpi_state(StIdle, sm, 0, k, 0, int'(sum[k]));
      qsm_dpi_state(StIdle, sm, 0, k, 1, int'(snap[k]));
    end
  end
endmodule
bind qsm_sm qsm_sampler_monitor u_sampler_monitor (
  .clk_i, .rst_ni, .sm_id_i, .sample(u_idle_sampler.sample_q), .sum(u_idle_sampler.sum_q),
  .sum_next(u_idle_sampler.sum_clear ? '0 : u_idle_sampler.sampled), .snap(figures_o.snap_idle)
);

// Shared memory.
module qsm_banks_monitor
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,
  input logic [SmW-1:0] sm_id_i
);
  for (genvar b = 0; b < WarpSize; b++) begin : g_bank
    always @(posedge dump_clock) begin
      for (int r = 0; r < SharedRows; r++)
        qsm_dpi_state(StShared, int'(sm_id_i), 0, r, b,
            int'(u_lsu.u_shared.g_bank[b].u_bank.mem[r]));
    end
  end
endmodule
bind qsm_sm qsm_banks_monitor u_banks_monitor (.clk_i, .rst_ni, .sm_id_i);

// Policies with state of their own.
module qsm_policy_monitor
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
#(
  parameter int unsigned Sub = 0
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [SmW-1:0] sm_id_i,
  input logic [WarpsPerSched-1:0] active,
  input logic [WarpsPerSched-1:0] active_next,
  input logic [16:0] front,  // {valid, budget, ncs}
  input logic [16:0] front_next,
  input logic prev,
  input logic head_ok,
  input logic [WarpsPerSched-1:0] mark
);
  int sm;
  assign sm = int'(sm_id_i);

  always @(posedge clk_i) if (rst_ni) begin
    if (active_next != active) qsm_dpi_event(EvTwoLevel, sm, Sub, 0, 1, 256'(active_next));
    if (front_next != front) begin
      qsm_dpi_event(EvQaws, sm, Sub, 0, 3, 256'({32'(front_next[7:0]), 32'(front_next[15:8]),
          32'(front_next[16])}));
    end
  end

  always @(posedge dump_clock) begin
    qsm_dpi_state(StPolicy, sm, Sub, 0, 0, int'(active));
    qsm_dpi_state(StPolicy, sm, Sub, 0, 1, int'(front));
    qsm_dpi_state(StPolicy, sm, Sub, 0, 2, int'({prev, head_ok}));
    qsm_dpi_state(StPolicy, sm, Sub, 0, 3, int'(mark));
  end
endmodule
bind qsm_subcore qsm_policy_monitor #(.Sub(Sub)) u_policy_monitor (
  .clk_i, .rst_ni, .sm_id_i, .active(u_issue.u_policy.u_two_level.active_q),
  .active_next(u_issue.u_policy.u_two_level.active_d),
  .front(u_issue.u_policy.u_qaws.front_q), .front_next(u_issue.u_policy.u_qaws.front_d),
  .prev(u_issue.u_policy.u_qaws.prev_q),
  .head_ok(u_issue.u_policy.u_qaws.head_ok_q), .mark(u_issue.u_policy.u_qaws.mark_q)
);

// Scoreboard and stall counters of a sub-core.
module qsm_issue_monitor
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
#(
  parameter int unsigned Sub = 0
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [SmW-1:0] sm_id_i
);
  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_warp
    for (genvar e = 0; e < SbEntries; e++) begin : g_entry
      always @(posedge dump_clock) begin
        qsm_dpi_state(StScoreboard, int'(sm_id_i), Sub, w, e,
                      !u_issue.u_scoreboard.g_warp[w].valid_q[e] ? 0 :
                      int'({10'd0, 6'(u_issue.u_scoreboard.g_warp[w].parts_q[e]), 3'd0,
                          u_issue.u_scoreboard.g_rd[e].mem[w], 5'd0,
                            u_issue.u_scoreboard.g_warp[w].all_sent_q[e],
                                u_issue.u_scoreboard.g_warp[w].mem_q[e], 1'b1}));
      end
    end
  end
  if (StallCounters != 0) begin : g_stall
    always @(posedge dump_clock) begin
      for (int k = 0; k < NumKernels; k++) begin
        for (int r = 0; r < 8; r++)
          qsm_dpi_state(StStall, int'(sm_id_i), Sub, k, r,
              int'(u_issue.g_stall.u_stall.count_q[k][r]));
      end
    end
  end
endmodule
bind qsm_subcore qsm_issue_monitor #(.Sub(Sub)) u_issue_monitor (.clk_i, .rst_ni, .sm_id_i);

// L1.
module qsm_l1_monitor
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,
  input logic [SmW-1:0] sm_id_i
);
  if (L1Kib != 0) begin : g_watch
    localparam int unsigned Sets = L1Kib * 1024 / (L1Ways * LineBytes);

    lsu_part_t part;
    bit [31:0] line, outcome, way, filled_set, filled_way;
    assign part = u_lsu.g_l1.u_l1.a_q.part;
    assign filled_set = 32'(u_lsu.g_l1.u_l1.filled.set_no);
    assign filled_way = 32'(u_lsu.g_l1.u_l1.filled.way);
    assign line = {u_lsu.g_l1.u_l1.a_q.line, LineOffW'(0)};
    always_comb begin
      if (u_lsu.g_l1.u_l1.hits) outcome = 0;
      else if (u_lsu.g_l1.u_l1.join_o) outcome = 1;
      else if (u_lsu.g_l1.u_l1.load) outcome = u_lsu.g_l1.u_l1.allocates ? 2 : 3;
      else outcome = u_lsu.g_l1.u_l1.match_valid ? 0 : u_lsu.g_l1.u_l1.match_pending ? 1 : 2;
      way = (outcome == (u_lsu.g_l1.u_l1.load ? 3 : 2)) ? 32'hff : 32'(u_lsu.g_l1.u_l1.way);
    end

    always @(posedge clk_i) if (rst_ni) begin
      if (u_lsu.g_l1.u_l1.acts) begin
        qsm_dpi_event(EvL1Op, int'(sm_id_i), 0, 0, 5,
                      256'({u_lsu.g_l1.u_l1.hits ? 32'hff : 32'(u_lsu.g_l1.u_l1.txn_i), way,
                          outcome, line, 32'(u_lsu.g_l1.u_l1.a_q.kind)}));
      end
      if (u_lsu.g_l1.u_l1.fill) begin
        qsm_dpi_event(EvL1Fill, int'(sm_id_i), 0, 0, 4,
                      256'({31'd0, !u_lsu.g_l1.u_l1.wrap &&
                                   !u_lsu.g_l1.u_l1.u_tags.mark_q[filled_set][filled_way],
                            32'(u_lsu.g_l1.u_l1.rsp_txn_i), filled_way, filled_set}));
      end
      if (u_lsu.g_l1.u_l1.u_gens.gen_d != u_lsu.g_l1.u_l1.u_gens.gen_q) begin
        qsm_dpi_event(EvL1Gen, int'(sm_id_i), 0, 0, 1, 256'(u_lsu.g_l1.u_l1.u_gens.gen_d));
      end
    end

    // Kinds of return op by how many were served longer ago. The arbiter's pairs: response before
    // hit, response before pass, hit before pass.
    bit [31:0] order;
    bit [2:0] older;
    assign older = u_lsu.u_return.g_three.u_slot.older_q;
    always_comb begin
      order = 32'd1 << (2 * (int'(!older[0]) + int'(!older[1])));
      order |= 32'd2 << (2 * (int'(older[0]) + int'(!older[2])));
    end

    always @(posedge dump_clock) begin
      qsm_dpi_state(StL1, int'(sm_id_i), 0, 0, 0, int'(u_lsu.g_l1.u_l1.a_valid_q));
      if (u_lsu.g_l1.u_l1.a_valid_q) begin
        qsm_dpi_state(StL1, int'(sm_id_i), 0, 0, 1, int'(line));
        qsm_dpi_state(StL1, int'(sm_id_i), 0, 0, 2, int'(part.mask));
        qsm_dpi_state(StL1, int'(sm_id_i), 0, 0, 3,
            int'({8'(u_lsu.g_l1.u_l1.a_q.kind), 8'(part.entry), 8'(part.warp), 8'(part.sub)}));
      end
      qsm_dpi_state(StL1, int'(sm_id_i), 0, 0, 4, int'(order));
      qsm_dpi_state(StL1, int'(sm_id_i), 0, 0, 5, int'(u_lsu.g_l1.u_l1.u_gens.gen_q));
      for (int s = 0; s < Sets; s++) begin
        qsm_dpi_state(StL1Set, int'(sm_id_i), 0, s, 2 * L1Ways,
            int'(u_lsu.g_l1.u_l1.u_tags.tree_q[s]));
      end
    end
    for (genvar w = 0; w < L1Ways; w++) begin : g_way
      always @(posedge dump_clock) begin
        for (int s = 0; s < Sets; s++) begin
          automatic bit pending = u_lsu.g_l1.u_l1.u_tags.pending_q[s][w];
          automatic bit mark = u_lsu.g_l1.u_l1.u_tags.mark_q[s][w];
          automatic int slot = int'(u_lsu.g_l1.u_l1.u_tags.g_way[w].line_mem[s].slot);
          automatic int generation = int'(u_lsu.g_l1.u_l1.u_tags.g_way[w].line_mem[s].gen);
          automatic int txn = pending ? int'(u_lsu.g_l1.u_l1.u_tags.g_way[w].line_mem[s].txn) : 0;
          automatic bit there = pending || mark;
          qsm_dpi_state(StL1Set, int'(sm_id_i), 0, s, w, there ? (txn << 16) | (slot << 8) |
              (generation << 4) | int'({pending && mark, pending, mark && !pending}) : 0);
          qsm_dpi_state(StL1Set, int'(sm_id_i), 0, s, L1Ways + w, there
              ? int'(u_lsu.g_l1.u_l1.u_tags.g_way[w].line_mem[s].tag) : 0);
        end
      end
    end
  end
endmodule
bind qsm_sm qsm_l1_monitor u_l1_monitor (.clk_i, .rst_ni, .sm_id_i);

// Power controller.
module qsm_power_monitor
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
(
  input logic [SmW-1:0] sm_id_i
);
  if (PowerGating != 0) begin : g_watch
    always @(posedge dump_clock) begin
      qsm_dpi_state(StPower, int'(sm_id_i), 0, 0, 0, int'(g_power.u_power.power_q));
      qsm_dpi_state(StPower, int'(sm_id_i), 0, 0, 1, int'(g_power.u_power.wait_q));
    end
  end
endmodule
bind qsm_sm qsm_power_monitor u_power_monitor (.sm_id_i);

// Energy counters: those of the sub-cores and the LSU, a slot's events from 0 up.
module qsm_energy_monitor
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
(
  input logic [SmW-1:0] sm_id_i
);
  if (EnergyCounters != 0) begin : g_watch
    bit [NumSched:0][NumKernels-1:0][EnergyEventCount-1:0][31:0] part;
    for (genvar s = 0; s < NumSched; s++) begin : g_sub
      always_comb begin
        part[s] = '0;
        for (int unsigned k = 0; dump && k < NumKernels; k++) begin
          if (!g_energy.u_energy.g_sub[s].u_issues.zero_q[k][0])
            part[s][k][EnergyIssues] = g_energy.u_energy.g_sub[s].u_issues.count_mem[2*k];
          for (int unsigned c = 0; c < 5; c++) begin
            if (!g_energy.u_energy.g_sub[s].u_lanes.zero_q[k][c])
              part[s][k][1+c] = g_energy.u_energy.g_sub[s].u_lanes.count_mem[8*k+c];
          end
          if (!g_energy.u_energy.g_sub[s].u_reads.zero_q[k][0])
            part[s][k][EnergyRegReads] = g_energy.u_energy.g_sub[s].u_reads.count_mem[2*k];
          if (!g_energy.u_energy.g_sub[s].u_writes.zero_q[k][0])
            part[s][k][EnergyRegWrites] = g_energy.u_energy.g_sub[s].u_writes.count_mem[2*k];
        end
      end
    end
    always_comb begin
      part[NumSched] = '0;
      for (int unsigned k = 0; dump && k < NumKernels; k++) begin
        for (int unsigned w = 0; w < 2; w++) begin
          if (!g_energy.u_energy.u_passes.zero_q[k][w])
            part[NumSched][k][EnergyShared+w] = g_energy.u_energy.u_passes.count_mem[2*k+w];
        end
      end
    end

    always @(posedge dump_clock) begin
      for (int k = 0; k < NumKernels; k++) begin
        for (int e = 0; e < EnergyEventCount; e++) begin
          automatic bit [31:0] sum = '0;
          for (int s = 0; s <= NumSched; s++) sum += part[s][k][e];
          qsm_dpi_state(StEnergy, int'(sm_id_i), 0, k, e, int'(sum));
        end
      end
    end
  end
endmodule
bind qsm_sm qsm_energy_monitor u_energy_monitor (.sm_id_i);

// Thread instructions of each slot, which the front end counts: those of the sub-cores.
module qsm_insn_monitor
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
(
  input logic [SmW-1:0] sm_id_i
);
  if (NumCmd != 0) begin : g_watch
    bit [NumSched-1:0][NumKernels-1:0][39:0] part;
    for (genvar s = 0; s < NumSched; s++) begin : g_sub
      always_comb begin
        part[s] = '0;
        for (int unsigned k = 0; dump && k < NumKernels; k++) begin
          if (!g_insn.g_sub[s].u_count.zero_q[k][0])
            part[s][k] = g_insn.g_sub[s].u_count.count_mem[2*k];
        end
      end
    end

    always @(posedge dump_clock) begin
      for (int k = 0; k < NumKernels; k++) begin
        automatic bit [39:0] sum = '0;
        for (int s = 0; s < NumSched; s++) sum += part[s][k];
        qsm_dpi_state(StInsn, 0, 0, int'(sm_id_i), 2 * k, int'(sum[31:0]));
        qsm_dpi_state(StInsn, 0, 0, int'(sm_id_i), 2 * k + 1, int'(sum[39:32]));
      end
    end
  end
endmodule
bind qsm_sm qsm_insn_monitor u_insn_monitor (.sm_id_i);
