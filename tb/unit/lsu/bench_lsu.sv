// SPDX-License-Identifier: Apache-2.0
// qsm_lsu without an L1 (tb/unit/l1 has one), with plain ports for the unit bench: structs become
// arrays of words, one element per sub-core and lane.
// The bench drives a new input set while clk_i is 0, reads the outputs of that cycle, then gives
// the edge.
module bench_lsu
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic [31:0] params_o [5],  // NumSched, WarpSize, MemTxns, SharedBytes, NumKernels
  // Kernels and thread blocks
  input  logic [31:0] win_base_i [NumKernels][2],
  input  logic [31:0] win_limit_i [NumKernels][2],
  input  logic [2:0]  win_right_i [NumKernels][2],  // {x, w, r}
  input  logic [18:0] shared_i [NumKernels],
  input  logic [4:0]  stack_log2_i [NumKernels],
  input  logic [31:0] stack_base_i [NumKernels],
  input  logic [6:0]  warps_i [NumKernels],
  input  logic [31:0] tb_kernel_i [MaxTbs],
  input  logic [31:0] tb_ticket_i [MaxTbs],
  input  logic [4:0]  tb_base_i [MaxTbs],
  input  logic [31:0] tb_linear_i [MaxTbs],
  // Memory queues
  input  logic        mq_valid_i [NumSched],
  input  logic [31:0] mq_warp_i [NumSched],
  input  logic [31:0] mq_kernel_i [NumSched],
  input  logic [31:0] mq_tb_i [NumSched],
  input  logic [31:0] mq_widx_i [NumSched],
  input  logic [31:0] mq_pc_i [NumSched],
  input  logic [31:0] mq_instr_i [NumSched],
  input  logic [31:0] mq_mask_i [NumSched],
  input  logic [31:0] mq_entry_i [NumSched],
  input  logic [31:0] mq_injected_i [NumSched],
  input  logic [31:0] mq_away_i [NumSched],
  input  logic [31:0] mq_addr_i [NumSched][WarpSize],
  input  logic [31:0] mq_data_i [NumSched][WarpSize],
  output logic        mq_pop_o [NumSched],
  // Results
  output logic        result_valid_o [NumSched],
  output logic [31:0] result_warp_o,
  output logic [31:0] result_rd_o,
  output logic [31:0] result_mask_o,
  output logic [31:0] result_entry_o,
  output logic [31:0] result_data_o [WarpSize],
  input  logic        result_pop_i [NumSched],
  // Scoreboard: {part, last, sub, warp, entry} and {valid, sub, warp, entry}, one word each
  output logic [31:0] pass_o [5],
  output logic [31:0] ack_o [4],
  // Fault: valid, kernel, cause, pc, tid, block, value
  output logic [31:0] fault_o [7],
  input  logic        fault_wait_i,
  // Memory port: valid, kind, amo, addr, bytes, tag, slot
  input  logic        port_free_i,
  output logic [31:0] req_o [7],
  output logic [31:0] req_data_o [WarpSize],
  input  logic        rsp_valid_i,
  input  logic [31:0] rsp_txn_i,
  input  logic [31:0] rsp_data_i [WarpSize],
  // Events: pass {valid, kind, mask}, return {valid, shared, txn}
  output logic [31:0] event_o [6],
  // To the energy counters: valid, shared, kernel, lanes
  output logic [31:0] energy_o [4],
  // To qsm_share: finish, take, serve
  output logic [31:0] away_o [3],
  // Second port of shared memory
  input  logic        wipe_i,
  input  logic [31:0] wipe_row_i,
  // Shared memory, one word
  input  logic [31:0] peek_row_i,
  output logic [31:0] peek_o [WarpSize]
);
  desc_t        [NumKernels-1:0] desc;
  tb_info_t     [MaxTbs-1:0]     tb_info;
  logic         [NumSched-1:0]   mq_valid, mq_pop, result_pop;
  mem_op_t      [NumSched-1:0]   mq, popped;
  who_t         [NumSched-1:0]   mq_who;
  mem_result_t  [NumSched-1:0]   result;
  sb_pass_t                      pass;
  pass_event_t                   energy;
  away_event_t                   away;
  sb_ack_t                       ack;
  fault_event_t                  fault;
  mem_req_t                      req;
  lanes_t                        rsp_data;

  assign params_o = '{NumSched, WarpSize, MemTxns, SharedBytes, NumKernels};

  always_comb begin
    desc    = '0;
    tb_info = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned w = 0; w < 2; w++) begin
        desc[k].win[w].base  = win_base_i[k][w];
        desc[k].win[w].limit = win_limit_i[k][w];
        {desc[k].win[w].x, desc[k].win[w].w, desc[k].win[w].r} = win_right_i[k][w];
      end
      desc[k].shared = shared_i[k];
      desc[k].stack_log2 = stack_log2_i[k];
      desc[k].stack_base = stack_base_i[k][31:12];
      desc[k].warps = warps_i[k];
    end
    for (int unsigned t = 0; t < MaxTbs; t++) begin
      tb_info[t].base = tb_base_i[t];
      tb_info[t].kernel = KernelW'(tb_kernel_i[t]);
    end
  end

  // Blocks arrive one after the other, again and again: a block's linear index is there after
  // MaxTbs cycles, its stacks four cycles later.
  tb_index_t      index;
  logic [TbW-1:0] arrival_q;
  assign index = '{valid: 1'b1, tb: arrival_q, linear: tb_linear_i[arrival_q],
      ticket: TicketW'(tb_ticket_i[arrival_q]), default: '0};
  always_ff @(posedge clk_i) arrival_q <= (arrival_q == TbW'(MaxTbs - 1)) ? '0 : arrival_q + 1'b1;

  for (genvar s = 0; s < NumSched; s++) begin : g_sub
    assign mq_valid[s]       = mq_valid_i[s];
    always_ff @(posedge clk_i) if (mq_pop[s]) popped[s] <= mq[s];
    assign result_pop[s]     = result_pop_i[s];
    assign mq_pop_o[s]       = mq_pop[s];
    assign result_valid_o[s] = result[s].valid;
    assign mq[s].warp   = WarpW'(mq_warp_i[s]);
    assign mq_who[s] = '{kernel: KernelW'(mq_kernel_i[s]), tb: TbW'(mq_tb_i[s]),
        widx: WidxW'(mq_widx_i[s])};
    assign mq[s].pc     = mq_pc_i[s];
    assign mq[s].instr  = mq_instr_i[s];
    assign mq[s].mask   = mask_t'(mq_mask_i[s]);
    assign mq[s].entry  = SbW'(mq_entry_i[s]);
    assign mq[s].injected = mq_injected_i[s][0];
    assign mq[s].away     = mq_away_i[s][0];
    for (genvar l = 0; l < WarpSize; l++) begin : g_lane
      assign mq[s].addr[l] = mq_addr_i[s][l];
      assign mq[s].data[l] = mq_data_i[s][l];
    end
  end

  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    assign result_data_o[l] = result[0].data[l];
    assign req_data_o[l]    = req.data[l];
    assign rsp_data[l]      = rsp_data_i[l];
    assign peek_o[l]        = u_lsu.u_shared.g_bank[l].u_bank.mem[RowW'(peek_row_i)];
  end
  assign result_warp_o  = 32'(result[0].warp);
  assign result_rd_o    = 32'(result[0].rd);
  assign result_mask_o  = 32'(result[0].mask);
  assign result_entry_o = 32'(result[0].entry);

  assign pass_o  = '{32'(pass.part), 32'(pass.last), 32'(pass.sub), 32'(pass.warp),
      32'(pass.entry)};
  assign ack_o   = '{32'(ack.valid), 32'(ack.sub), 32'(ack.warp), 32'(ack.entry)};
  assign fault_o = '{32'(fault.valid), 32'(fault.kernel), 32'(fault.record.cause), fault.record.pc,
                     32'(fault.record.tid), fault.record.block, fault.record.value};
  assign req_o   = '{32'(req.valid), 32'(req.kind), 32'(req.amo), req.addr, 32'(req.bytes),
      32'(req.tag), 32'(req.slot)};
  assign energy_o = '{32'(energy.valid), 32'(energy.shared), 32'(energy.kernel), 32'(energy.lanes)};
  assign away_o = '{32'(away.finish), 32'(away.take), 32'(away.serve)};
  assign event_o = '{32'(u_lsu.pass_valid), 32'(u_lsu.pass_kind), 32'(u_lsu.pass_mask),
                     32'(u_lsu.u_return.return_valid), 32'(u_lsu.u_return.return_shared),
                     32'(u_lsu.serve_txn)};

  qsm_lsu #(.CacheKib(0)) u_lsu (
    .clk_i,
    .rst_ni,
    .clk_kept_i (clk_i),
    .rst_kept_ni (rst_ni),
    .desc_i       (desc),
    .tb_info_i    (tb_info),
    .tb_index_i   (index),
    .mq_valid_i   (mq_valid),
    .mq_i         (popped),
    .mq_who_i     (mq_who),
    .mq_pop_o     (mq_pop),
    .result_o     (result),
    .result_pop_i (result_pop),
    .sb_pass_o    (pass),
    .sb_ack_o     (ack),
    .fault_o      (fault),
    .fault_wait_i,
    .wipe_i,
    .wipe_row_i   (RowW'(wipe_row_i)),
    .port_free_i,
    .req_o        (req),
    .rsp_valid_i,
    .rsp_txn_i    (TxnW'(rsp_txn_i)),
    .rsp_data_i   (rsp_data),
    .skip_l1_i    ('0),
    .start_i      ('0),
    .clear_i      ('0),
    .restore_i    (1'b0),
    .restore_kernel_i ('0),
    .fence_i      ('0),
    .fence_kernel_i ('0),
    .l1_slot_i    ('0),
    .l1_counter_i ('0),
    .l1_value_o   (),
    .pass_o       (energy),
    .away_o       (away)
  );
endmodule
