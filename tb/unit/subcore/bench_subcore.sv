// SPDX-License-Identifier: Apache-2.0
// Bench top: qsm_subcore with its structs taken apart, so that the C++ side needs no bit positions.
// Shows what the test watches inside.
module bench_subcore
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // Sizes, for the test.
  output logic [31:0]              warps_o,
  output logic [31:0]              lanes_o,
  output logic [31:0]              progress_o,
  output logic                     fpu_o,
  // The same launch in every kernel slot.
  input  logic [31:0]              code_base_i,
  input  logic [31:0]              code_limit_i,
  input  logic [31:0]              entry_i,
  input  logic [31:0]              arg_i,
  input  policy_e                  policy_i,
  input  logic [7:0]               killed_i,
  input  logic [7:0]               open_i,
  input  logic [7:0]               gaps_i,
  input  logic [7:0]               no_mem_i,
  input  logic [7:0]               qos_was_i,
  // A warp starts; its block index is {3, 2, tb}, its linear index 100 + tb, its ticket 5 - tb.
  input  logic                     start_i,
  input  logic [2:0]               start_kernel_i,
  input  logic [4:0]               start_tb_i,
  input  logic [5:0]               start_widx_i,
  input  logic [31:0]              start_live_i,
  input  logic [31:0]              release_i,
  // A frozen block, and steps that put 77 into x11 .. x18 of its warp 0 in turn (preemption.md).
  input  logic                     freeze_i,
  input  logic [4:0]               freeze_tb_i,
  input  logic                     set_i,
  // Instruction misses.
  input  logic                     icache_inv_i,
  input  logic                     fill_i,
  input  lanes_t                   fill_data_i,
  output logic                     miss_o,
  output logic [31:0]              miss_addr_o,
  input  logic                     grant_i,
  // Memory operations.
  output logic                     mq_valid_o,
  output logic [7:0]               mq_warp_o,
  output logic [31:0]              mq_pc_o,
  output logic [31:0]              mq_instr_o,
  output logic [31:0]              mq_mask_o,
  output logic [7:0]               mq_entry_o,
  output logic                     mq_injected_o,
  output logic                     mq_away_o,
  output lanes_t                   mq_addr_o,
  output lanes_t                   mq_data_o,
  input  logic                     mq_pop_i,
  input  logic                     pass_part_i,
  input  logic                     pass_last_i,
  input  logic [7:0]               pass_warp_i,
  input  logic [7:0]               pass_entry_i,
  input  logic                     ack_i,
  input  logic [7:0]               ack_warp_i,
  input  logic [7:0]               ack_entry_i,
  input  logic                     result_i,
  input  logic [7:0]               result_warp_i,
  input  logic [7:0]               result_entry_i,
  input  logic [4:0]               result_rd_i,
  input  logic [31:0]              result_mask_i,
  input  lanes_t                   result_data_i,
  output logic                     result_pop_o,
  // What happens in this cycle.
  output logic                     issue_o,
  // In the cycle after an issue, with its lanes, class and registers.
  output logic                     counted_o,
  output logic [7:0]               issue_warp_o,
  output logic [31:0]              issue_pc_o,
  output logic [31:0]              issue_mask_o,
  output logic [7:0]               issue_lanes_o,
  output logic [2:0]               issue_class_o,
  output logic [1:0]               issue_operands_o,
  output logic                     issue_writes_o,
  output logic                     issue_away_o,
  output logic                     step_done_o,
  output logic                     arrive_o,
  output logic [4:0]               arrive_tb_o,
  output logic                     finish_o,
  output logic [4:0]               finish_tb_o,
  output logic [7:0]               start_slot_o,
  output logic                     fault_o,
  output logic [2:0]               fault_kernel_o,
  output logic [4:0]               fault_cause_o,
  output logic [31:0]              fault_pc_o,
  output logic [9:0]               fault_tid_o,
  output logic [31:0]              fault_block_o,
  output logic [31:0]              fault_value_o,
  output logic                     resolve_o,
  output logic [7:0]               resolve_warp_o,
  output logic                     path_o,        // selection
  output logic [7:0]               split_warp_o,
  output logic [31:0]              split_pc_o,
  output logic [7:0]               split_depth_o,
  output logic [31:0]              split_mask_o,
  output logic                     reconv_o,
  output logic [7:0]               reconv_warp_o,
  output logic                     reconv_valid_o,
  output logic [31:0]              reconv_pc_o,
  output logic [31:0]              resident_o,
  output logic                     write_o,
  output logic [7:0]               write_warp_o,
  output logic [4:0]               write_rd_o,
  output logic [31:0]              write_mask_o,
  input  logic [2:0]               stall_kernel_i,
  input  logic [2:0]               stall_reason_i,
  output logic [31:0]              stall_value_o
);
  desc_t [NumKernels-1:0] desc;
  tb_index_t index;
  warp_start_t start;
  issue_event_t issue;
  tb_event_t arrive, finish;
  fault_event_t fault;
  mem_op_t mq;
  mem_result_t result;
  sb_pass_t pass;
  sb_ack_t ack;
  logic [63:0] cycle_q;

  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      desc[k] = '0;
      desc[k].win[0] = '{base: 32'h1000, limit: 32'h2000, x: 1'b0, w: 1'b1, r: 1'b1};
      desc[k].win[1] = '{base: code_base_i, limit: code_limit_i, x: 1'b1, w: 1'b0, r: 1'b1};
      desc[k].entry = entry_i;
      desc[k].arg = arg_i;
      desc[k].grid = {16'd9, 16'd8, 16'd7};
      desc[k].block = {11'd6, 11'd5, 11'd4};
    end
  end
  // Told with every start: a warp's first instruction comes later.
  assign index = '{valid: start_i, tb: TbW'(start_tb_i), ticket: TicketW'(5 - 32'(start_tb_i)),
      block: {16'd3, 16'd2, 16'(start_tb_i)},
                   linear: 100 + 32'(start_tb_i)};
  assign start = '{valid: start_i, kernel: KernelW'(start_kernel_i), tb: TbW'(start_tb_i),
      widx: WidxW'(start_widx_i),
                   live: mask_t'(start_live_i), restored: 1'b0};
  assign pass = '{part: pass_part_i, last: pass_last_i, sub: '0, warp: WarpW'(pass_warp_i),
      entry: SbW'(pass_entry_i)};
  assign ack = '{valid: ack_i, sub: '0, warp: WarpW'(ack_warp_i), entry: SbW'(ack_entry_i)};
  assign result = '{valid: result_i, warp: WarpW'(result_warp_i), rd: result_rd_i,
      mask: mask_t'(result_mask_i), entry: SbW'(result_entry_i), data: result_data_i};

  logic [2:0] n_set_q;
  logic [4:0] set_rd, done_rd;
  // A step's operands stay for the cycle after it.
  logic done_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) done_q <= 1'b0;
    else done_q <= step_done_o;
  end
  assign set_rd = 5'd11 + 5'(n_set_q);
  assign done_rd = 5'd11 + 5'(3'(n_set_q - 3'(done_q)));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycle_q <= '0;
      n_set_q <= '0;
    end else begin
      cycle_q <= cycle_q + 64'd1;
      n_set_q <= n_set_q + 3'(step_done_o);
    end
  end

  kinds_t fill_kinds;
  for (genvar i = 0; i < WarpSize; i++) begin : g_predecode
    qsm_predecode u_predecode (.instr_i(fill_data_i[i]), .kind_o(fill_kinds[i]));
  end

  /* verilator lint_off PINCONNECTEMPTY */
  qsm_subcore #(.Sub(0)) dut (
    .clk_i, .rst_ni, .rst_kept_ni(rst_ni), .sm_id_i('0), .cycle_i(cycle_q), .desc_i(desc),
    .policy_i,
    .policy_param_i('{budget: {NumKernels{8'd1}}, above: '0, restart: '0, active_warps: 5'd8}),
    .throttled_i('0),
    .killed_i(NumKernels'(killed_i)),
    .open_i(NumKernels'(open_i)), .gaps_i(NumKernels'(gaps_i)),
    .no_mem_i(NumKernels'(no_mem_i)), .qos_was_i(NumKernels'(qos_was_i)),
    .tb_index_i(index), .start_i(start), .release_i(MaxTbs'(release_i)), .icache_inv_i,
    .fill_valid_i(fill_i), .fill_data_i, .fill_kinds_i(fill_kinds), .miss_valid_o(miss_o),
    .miss_addr_o, .miss_slot_o(), .miss_grant_i(grant_i),
    .issue_o(issue), .arrive_o(arrive), .finish_o(finish), .fault_o(fault), .mq_valid_o, .mq_o(),
    .mq_who_o(), .mq_pop_i, .result_i(result),
    .result_pop_o, .sb_pass_i(pass), .sb_ack_i(ack),
    .freeze_next_i('{valid: freeze_i, tb: TbW'(freeze_tb_i), kernel: '0}), .evict_i('0),
    .restoring_i('0), .step_find_i('{keep: 1'b1, widx: '0}),
    .step_i('{valid: set_i, whole: 1'b1, asks: 1'b0, kind: StepSet, xreg: set_rd}),
    .step_op_i('{kind: StepSet, xreg: done_rd, pc: 32'd77, mask: '1, default: '0}),
    .step_done_o, .step_warp_o(), .step_path_mask_o(), .step_lane_o(),
    .step_word_o(), .quiet_o(), .drained_o(), .stall_kernel_i(KernelW'(stall_kernel_i)),
    .stall_reason_i, .stall_value_o, .qaws_front_o(),
    .resident_o(), .kernel_o(), .ready_o()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign warps_o = WarpsPerSched;
  assign lanes_o = WarpSize;
  assign fpu_o = Fpu != 0;
  assign progress_o = ProgressLimit;
  // the head, before it is popped
  assign mq = dut.u_exec.u_mq.g_block_ram.mem[dut.u_exec.u_mq.head_q];
  assign {mq_pc_o, mq_instr_o, mq_addr_o, mq_data_o} = {mq.pc, mq.instr, mq.addr, mq.data};
  assign mq_warp_o = 8'(mq.warp);
  assign mq_mask_o = 32'(mq.mask);
  assign mq_entry_o = 8'(mq.entry);
  assign mq_injected_o = mq.injected;
  assign mq_away_o = mq.away;
  assign issue_o = dut.issue_pop != '0;
  assign counted_o = issue.valid;
  assign issue_lanes_o = 8'(issue.lanes);
  assign issue_class_o = issue.cls;
  assign issue_operands_o = issue.operands;
  assign issue_writes_o = issue.writes;
  assign issue_away_o = issue.away;
  assign issue_warp_o = 8'(dut.issue_op.warp);
  assign issue_pc_o = dut.issue_op.split.pc;
  assign issue_mask_o = 32'(dut.issue_op.split.mask);
  assign arrive_o = arrive.valid;
  assign arrive_tb_o = 5'(arrive.tb);
  assign finish_o = finish.valid;
  assign finish_tb_o = 5'(finish.tb);
  assign start_slot_o = 8'(dut.start_slot);
  assign fault_o = fault.valid;
  assign fault_kernel_o = 3'(fault.kernel);
  assign {fault_cause_o, fault_pc_o, fault_tid_o, fault_block_o, fault_value_o} = fault.record;
  assign resolve_o = dut.resolve.valid;
  assign resolve_warp_o = 8'(dut.resolve.warp);
  assign path_o = dut.u_warp_state.u_split_select.sel2_set;
  assign split_warp_o = 8'(dut.u_warp_state.u_split_select.sel2_warp);
  assign split_pc_o = dut.u_warp_state.u_split_select.sel2_split.pc;
  assign split_depth_o = 8'(dut.u_warp_state.u_split_select.sel2_split.depth);
  assign split_mask_o = 32'(dut.u_warp_state.u_split_select.sel2_split.mask);
  assign reconv_o = dut.u_warp_state.u_split_select.reconv_set_o;
  assign reconv_warp_o = 8'(dut.u_warp_state.u_split_select.reconv_warp_o);
  assign reconv_valid_o = dut.u_warp_state.u_split_select.reconv_valid_o;
  assign reconv_pc_o = dut.u_warp_state.u_split_select.reconv_pc_o;
  assign resident_o = 32'(dut.resident);
  assign write_o = dut.u_wb.write_o.valid;
  assign write_warp_o = 8'(dut.u_wb.write_o.warp);
  assign write_rd_o = dut.u_wb.write_o.rd;
  assign write_mask_o = 32'(dut.u_wb.write_o.mask);
endmodule
