// SPDX-License-Identifier: Apache-2.0
// Sub-core of an SM: WarpsPerSched warps, their registers, one instruction per cycle. Doc:
// docs/subcore.md, docs/warp_state.md.
//
//   qsm_fetch (F1 F2) -> qsm_ibuf -> qsm_issue (IS) -> qsm_exec (RR EX1 EX2) -> qsm_wb (WB)
//        ^                              ^    qsm_regfile --^  |                   |
//        +------- qsm_warp_state <------+---------------------+ resolve           +-> registers,
//        scoreboard
//
// All outputs but issue_o, arrive_o, finish_o, fault_o, result_pop_o, stall_value_o, ready_o and
// those of steps (decided in the cycle) are registers.
module qsm_subcore
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned Sub = 0  // index of this sub-core in its SM
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        rst_kept_ni,     // of the stall counters
  input  logic [SmW-1:0]              sm_id_i,
  input  logic [63:0]                 cycle_i,
  input  desc_t [NumKernels-1:0]      desc_i,
  input  policy_e                     policy_i,
  input  policy_param_t               policy_param_i,
  input  logic [NumKernels-1:0]       killed_i,        // registered level
  input  logic [NumKernels-1:0]       open_i,          // quota gate, level
  input  logic [NumKernels-1:0]       gaps_i,          // in gaps only (R-PA-15), level
  input  logic [NumKernels-1:0]       no_mem_i,        // no memory instruction (R-PA-19), level
  input  logic [NumKernels-1:0]       throttled_i,     // its quota is spent, level
  input  logic [NumKernels-1:0]       qos_was_i,       // had a goal in the cycle before
  // of a thread block that arrives (R-SM-1) or is restored
  input  tb_index_t                   tb_index_i,

  input  warp_start_t                 start_i,         // R-WS-1
  input  logic [MaxTbs-1:0]           release_i,       // pulse in the cycle r of R-WS-8

  input  logic                        icache_inv_i,    // R-FE-6
  input  logic                        fill_valid_i,    // R-FE-5, cycle a
  input  lanes_t                      fill_data_i,
  input  kinds_t                      fill_kinds_i,    // of its words, from qsm_predecode
  output logic                        miss_busy_o,     // miss register not IDLE
  output logic                        miss_valid_o,    // PEND
  output logic [31:0]                 miss_addr_o,     // line address
  output logic [KernelW-1:0]          miss_slot_o,
  input  logic                        miss_grant_i,

  output issue_event_t                issue_o,         // in the cycle after the issue, RR
  output tb_event_t                   arrive_o,        // in the cycle e of R-WS-4
  output tb_event_t                   finish_o,        // in the cycle of R-WS-10
  output fault_event_t                fault_o,         // in EX2

  output logic                        mq_valid_o,      // memory queue not empty, R-EX-4
  output mem_op_t                     mq_o,            // its entry that was popped last
  output who_t                        mq_who_o,        // of its oldest one
  input  logic                        mq_pop_i,
  input  mem_result_t                 result_i,        // in the cycle p+1 of R-LS-12
  output logic                        result_pop_o,    // in the write-back cycle
  input  sb_pass_t                    sb_pass_i,       // for all sub-cores
  input  sb_ack_t                     sb_ack_i,        // for all sub-cores

  // Saving and restoring a thread block, R-PE-12 to R-PE-19.
  input  freeze_t                     freeze_next_i,   // in the next cycle
  input  logic                        evict_i,
  input  logic                        restoring_i,     // the frozen block
  input  step_find_t                  step_find_i,
  input  step_t                       step_i,          // waits for its turn here
  input  step_op_t                    step_op_i,
  output logic                        step_done_o,
  output step_warp_t                  step_warp_o,
  output mask_t                       step_path_mask_o,  // in the cycle after the step
  output step_lane_t                  step_lane_o,
  output step_word_t                  step_word_o,
  output logic                        quiet_o,
  output logic                        drained_o,

  input  logic [KernelW-1:0]          stall_kernel_i,
  input  logic [2:0]                  stall_reason_i,
  output logic [31:0]                 stall_value_o,
  output qaws_front_t                 qaws_front_o,
  output logic [WarpsPerSched-1:0]    resident_o,
  output logic [WarpsPerSched-1:0][KernelW-1:0] kernel_o,
  // it issues in the cycle, or does not for want of its unit or because another warp does (R-SP-2)
  output logic [WarpsPerSched-1:0]    ready_o
);
  // ---- Warp state ----
  logic [WarpsPerSched-1:0] resident, split_valid, reconv_valid, frozen, at_barrier,
      flush,
      split_set, sb_empty;
  logic [WarpsPerSched-1:0][KernelW-1:0] kernel;
  logic [WarpsPerSched-1:0][TbW-1:0] tb;
  logic [WarpsPerSched-1:0][WidxW-1:0] widx;
  split_t rr_path;
  who_t rr_who;
  logic [KernelW-1:0] f1_kernel;
  logic [WarpW-1:0] f1_warp, f2_warp;
  logic [WarpsPerSched-1:0] f1_turn;
  logic [31:2] f1_pc, f2_reconv_pc, advance_pc;
  logic advance;
  logic start_valid, finish_valid;
  mask_t ex1_live;
  logic ex2_alive;
  logic [WarpW-1:0] start_slot, finish_slot, ex1_warp;
  logic [KernelW-1:0] ex2_kernel;
  resolve_t resolve;
  logic rr_valid, rr_mem;
  logic [WarpsPerSched-1:0] head_ctl;
  // of the head that is popped, of the one that is read
  logic [WarpsPerSched-1:0] issue_pop, issue_read;
  logic [WarpW-1:0] issue_read_warp;
  logic [WarpW-1:0] rr_warp;
  op_t rr_op;
  logic [WarpW-1:0] step_warp;

  qsm_warp_state u_warp_state (
    .clk_i, .rst_ni, .desc_i, .killed_i, .start_i, .release_i, .freeze_next_i, .evict_i,
    .restoring_i, .sb_empty_i(sb_empty),
    .issue_i(issue_pop), .head_ctl_i(head_ctl),
    .ex1_warp_i(ex1_warp), .ex1_live_o(ex1_live), .ex2_kernel_i(ex2_kernel),
    .ex2_alive_o(ex2_alive), .resolve_i(resolve),
    .arrive_o, .finish_o,
    .resident_o(resident), .kernel_o(kernel), .tb_o(tb), .widx_o(widx), .split_valid_o(split_valid),
    .reconv_valid_o(reconv_valid), .frozen_o(frozen),
    .at_barrier_o(at_barrier), .flush_o(flush), .split_set_o(split_set),
    .issued_warp_i(rr_warp), .issued_depth_o(rr_path.depth), .issued_mask_o(rr_path.mask),
    .issued_who_o(rr_who),
    .f1_warp_i(f1_warp), .f1_turn_i(f1_turn),
    .f1_pc_o(f1_pc), .f1_kernel_o(f1_kernel),
    .f2_warp_i(f2_warp), .f2_reconv_pc_o(f2_reconv_pc), .advance_i(advance),
    .advance_pc_i(advance_pc),
    .step_warp_i(step_warp), .step_asks_i(step_i.asks), .step_asked_i(step_op_i.mask),
    .step_live_o(step_warp_o.live), .step_bar_o(step_warp_o.bar), .step_lane_o,
    .start_valid_o(start_valid), .start_slot_o(start_slot), .finish_valid_o(finish_valid),
    .finish_slot_o(finish_slot)
  );

  // ---- Fetch and instruction buffers ----
  logic [WarpsPerSched-1:0] room, empty;
  head_t [WarpsPerSched-1:0] head;
  new_words_t new_words;
  logic f2_fetch;
  logic [1:0] push;
  logic [WarpW-1:0] push_warp;
  logic [31:2] push_pc;
  word_t [1:0] push_word;
  pre_t [1:0] push_pre;
  word_t rr_word;

  qsm_fetch u_fetch (
    .clk_i, .rst_ni, .desc_i,
    .resident_i(resident), .split_valid_i(split_valid),
    .reconv_valid_i(reconv_valid),
    .split_set_i(split_set), .f1_warp_o(f1_warp), .f1_turn_o(f1_turn), .f1_pc_i(f1_pc),
    .f1_kernel_i(f1_kernel), .f2_warp_o(f2_warp),
    .f2_reconv_pc_i(f2_reconv_pc),
    .advance_o(advance), .advance_pc_o(advance_pc), .room_i(room),
    .fetch_o(f2_fetch),
    .push_o(push), .push_warp_o(push_warp), .push_pc_o(push_pc), .push_word_o(push_word),
    .push_pre_o(push_pre),
    .icache_inv_i, .fill_valid_i, .fill_data_i, .fill_kinds_i, .miss_busy_o, .miss_valid_o,
    .miss_addr_o, .miss_slot_o, .miss_grant_i
  );

  qsm_ibuf u_ibuf (
    .clk_i, .rst_ni,
    .fetch_i(f2_fetch),
    .push_i(push), .push_warp_i(push_warp), .push_pc_i(push_pc), .push_word_i(push_word),
    .push_pre_i(push_pre),
    .flush_i(flush), .room_o(room), .empty_o(empty), .head_o(head),
    .new_words_o(new_words), .pop_i(issue_pop), .read_i(issue_read),
    .read_warp_i(issue_read_warp),
    .popped_warp_i(rr_warp), .popped_word_o(rr_word), .popped_pc_o(rr_path.pc)
  );
  for (genvar w = 0; w < WarpsPerSched; w++) begin : g_head
    assign head_ctl[w] = head[w].pre.ctl;
  end

  // ---- Issue ----
  wb_t write;
  logic port_claim, div_pop;
  sb_done_t fixed_done, div_done, part_back;

  qsm_issue #(.Sub(Sub)) u_issue (
    .clk_i, .rst_ni, .rst_kept_ni, .policy_i, .policy_param_i, .killed_i, .open_i, .gaps_i,
    .no_mem_i, .throttled_i,
    .resident_i(resident), .kernel_i(kernel), .widx_i(widx), .at_barrier_i(at_barrier),
    .split_valid_i(split_valid), .frozen_i(frozen),
    .start_valid_i(start_valid), .start_slot_i(start_slot), .start_kernel_i(start_i.kernel),
    .finish_valid_i(finish_valid), .finish_slot_i(finish_slot),
    .sb_empty_o(sb_empty), .empty_i(empty), .head_i(head), .new_words_i(new_words),
    .pop_o(issue_pop), .read_o(issue_read), .read_warp_o(issue_read_warp),
    .word_i(rr_word), .path_i(rr_path), .who_i(rr_who),
    .step_find_i, .step_i, .step_op_i,
    .step_warp_o(step_warp), .step_found_o(step_warp_o.found), .step_done_o,
    .quiet_o, .drained_o, .valid_o(rr_valid), .mem_o(rr_mem), .warp_o(rr_warp), .op_o(rr_op),
    .port_claim_i(port_claim), .mq_pop_i, .div_written_i(div_pop),
    .fixed_done_i(fixed_done), .div_done_i(div_done), .part_back_i(part_back), .sb_pass_i,
    .sb_ack_i,
    .stall_kernel_i, .stall_reason_i, .stall_value_o, .qaws_front_o, .ready_o
  );
  assign resident_o = resident;
  assign kernel_o = kernel;

  // State of the step's warp for the save sequencer; its split is read like that of an instruction.
  assign step_path_mask_o = rr_path.mask;
  assign step_warp_o.empty = sb_empty[step_warp];
  assign step_warp_o.split_valid = split_valid[step_warp];
  assign step_word_o = '{valid: write.valid && write.warp == step_warp, xreg: write.rd,
      word: write.data[0]};

  // ---- Execute and write back ----
  logic [WarpW-1:0] read_warp;
  logic [4:0] rs1, rs2, rs3;
  lanes_t rs1_data, rs2_data, rs3_data;
  wb_t fixed, div;
  logic div_ready;
  logic [SbW-1:0] div_entry;

  qsm_regfile u_regfile (
    .clk_i, .rst_ni, .start_i(start_valid), .start_warp_i(start_slot),
    .read_warp_i(read_warp), .rs1_i(rs1), .rs2_i(rs2), .rs3_i(rs3), .rs1_o(rs1_data),
    .rs2_o(rs2_data), .rs3_o(rs3_data),
    .write_i(write)
  );

  qsm_exec #(.Sub(Sub)) u_exec (
    .clk_i, .rst_ni, .sm_id_i, .cycle_i, .desc_i, .tb_index_i, .valid_i(rr_valid),
    .mem_i(rr_mem), .op_i(rr_op), .qos_was_i, .event_o(issue_o),
    .read_warp_o(read_warp), .rs1_o(rs1), .rs2_o(rs2), .rs3_o(rs3), .rs1_data_i(rs1_data),
    .rs2_data_i(rs2_data), .rs3_data_i(rs3_data),
    .ex1_warp_o(ex1_warp), .ex1_live_i(ex1_live), .ex2_kernel_o(ex2_kernel),
    .ex2_alive_i(ex2_alive), .resolve_o(resolve), .fault_o,
    .fixed_done_o(fixed_done), .mq_valid_o, .mq_o, .mq_who_o, .mq_pop_i,
    .fixed_o(fixed), .div_ready_o(div_ready), .div_o(div), .div_entry_o(div_entry),
    .div_pop_i(div_pop)
  );

  qsm_wb u_wb (
    .clk_i, .rst_ni, .fixed_i(fixed), .div_ready_i(div_ready), .div_i(div), .div_entry_i(div_entry),
    .div_pop_o(div_pop),
    .result_i, .result_pop_o, .write_o(write), .div_done_o(div_done), .part_back_o(part_back),
    .port_claim_o(port_claim)
  );

`ifndef SYNTHESIS
  // For the lockstep monitor: the instruction that issues, in the cycle in which it does. What is
  // read in RR is the same.
  op_t issue_op, issue_op_q;
  split_t read_path;
  always_comb begin
    read_path = '{pc: u_ibuf.read_pc, depth: '0,
        mask: u_warp_state.u_split_store.start_lanes[u_issue.issue_warp]};
    case (u_warp_state.u_split_store.source_q[u_issue.issue_warp])
      2'd1: {read_path.depth, read_path.mask} =
          u_warp_state.u_split_store.stay_lanes[u_issue.issue_warp];
      2'd2: {read_path.depth, read_path.mask} =
          u_warp_state.u_split_store.select_lanes[u_issue.issue_warp];
      default: ;
    endcase
    issue_op = '{
      warp: u_issue.issue_warp, kernel: kernel[u_issue.issue_warp], tb: tb[u_issue.issue_warp],
      widx: widx[u_issue.issue_warp],
      split: u_issue.inject ? step_path(step_op_i, read_path) : read_path,
      word: u_issue.inject ? {u_issue.inject_jmp, 1'b0, u_issue.inject_instr} : u_ibuf.read_word,
      injected: u_issue.inject, has_entry: u_issue.issue_has_entry, entry: u_issue.issue_entry
    };
  end
  always_ff @(posedge clk_i) begin
    issue_op_q <= issue_op;
    if (rst_ni && rr_valid) begin
      assert (rr_op == issue_op_q) else $error("R-IS-3: an instruction changes between IS and RR");
    end
    if (rst_ni && u_exec.ex2_valid && u_exec.ex2_op.word.ctl) begin
      assert (ex2_alive == (!killed_i[u_exec.ex2_op.kernel] &&
          u_warp_state.live_q[u_exec.ex2_op.warp] != '0))
        else $error("R-EX-5: what EX1 foretold of the warp's threads is wrong");
    end
  end
`endif
endmodule
