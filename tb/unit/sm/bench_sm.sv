// SPDX-License-Identifier: Apache-2.0
// qsm_sm around stand-ins of the sub-cores, with plain ports for the unit bench: one array element
// per sub-core, kernel or slot. The bench drives inputs while clk_i is 0, reads the outputs of that
// cycle, then gives the edge.
module bench_sm
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic [31:0] params_o [5],  // NumSched, WarpSize, NumKernels, MaxTbs, MemTxns
  // Kernels
  input  logic [31:0] warps_i [NumKernels],
  input  logic [31:0] threads_i [NumKernels],
  input  logic [31:0] shared_i [NumKernels],
  input  logic [31:0] split_i [NumKernels],  // MEM_SPLIT
  // Messages: dispatch {valid, kernel, tb, first, base, linear, op, fresh}, block index
  input  logic [31:0] start_i,
  input  logic [31:0] kill_i,
  input  logic [31:0] dispatch_i [8],
  input  logic [15:0] block_i [3],
  output logic [31:0] retire_o [3],  // {valid, tb, saved}
  output logic        restored_o,
  output logic [31:0] fault_o,
  input  logic [31:0] record_kernel_i,  // whose record is asked for
  output logic [31:0] record_o [5],     // cause, pc, tid, block, value
  // Memory: request {valid, kind, addr, bytes, tag, slot}, response {valid, tag}, first word
  output logic [31:0] req_o [6],
  input  logic [31:0] rsp_i [2],
  input  logic [31:0] rsp_data_i,
  // Sub-cores: what they say
  input  logic [31:0] miss_i [NumSched][3],   // valid, addr, slot
  input  logic [31:0] issue_i [NumSched][4],  // valid, kernel, lanes, away
  input  logic [31:0] arrive_i [NumSched][2], // valid, tb
  input  logic [31:0] finish_i [NumSched][2],
  input  logic [31:0] source_i [NumSched][7], // fault: valid, kernel, cause, pc, tid, block, value
  input  logic        quiet_i,                // frozen warps have nothing in flight
  // valid, kernel, tb, address, away; a load of a word by lane 1 of warp 2
  input  logic [31:0] mq_i [NumSched][5],
  // Sub-cores: what they hear
  output logic [31:0] warp_o [NumSched][6],   // start: valid, kernel, tb, widx, live, restored
  output logic [31:0] grant_o [NumSched],
  output logic [31:0] fill_o [NumSched][2],   // valid, first word
  output logic [31:0] pop_o [NumSched],
  output logic [31:0] killed_o,
  output logic [31:0] release_o,
  output logic [31:0] present_o,
  output logic [31:0] runnable_o,
  output logic [31:0] phase_o,
  output logic [31:0] info_o [MaxTbs][4],     // valid, kernel, base, linear
  // Shared memory: the row that is cleared {valid, row}; a row, to be filled with ones; its banks
  // {all zeros, all ones}
  output logic [31:0] wipe_o [2],
  input  logic        fill_i,
  input  logic [31:0] peek_row_i,
  output logic [31:0] peek_o [2],
  // Counters
  input  logic        tick_i,
  output logic [31:0] snap_insn_o [NumKernels],
  output logic [31:0] snap_idle_o [NumKernels],
  input  logic [31:0] stall_i [2],            // sub-core, reason
  output logic [31:0] stall_value_o,
  input  logic [31:0] energy_i [2],           // slot, event
  output logic [31:0] energy_value_o,
  output logic [31:0] front_o [NumSched],     // {valid, budget, ncs}
  // What kernels without a goal have under way: goals, the message that begins pace; {away, no
  // memory instructions, goals of the cycle before}
  input  logic [31:0] qos_i,
  input  logic        pace_i,
  output logic [31:0] share_o [3]
);
  assign params_o = '{NumSched, WarpSize, NumKernels, MaxTbs, MemTxns};

  desc_t  [NumKernels-1:0]       desc;
  sm_direct_t  direct;
  to_sm_t      to_sm;
  from_sm_t    from_sm;
  sm_figures_t figures;
  assign phase_o = 32'(figures.save_phase);
  mem_req_t  req;
  mem_rsp_t  rsp;

  always_comb begin
    desc = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      desc[k].warps   = 7'(warps_i[k]);
      desc[k].threads = 11'(threads_i[k]);
      desc[k].shared  = 19'(shared_i[k]);
      desc[k].win[0]  = '{base: 32'h8000_0000, limit: 32'h8000_1000, x: 1'b0, w: 1'b0, r: 1'b1};
    end
    direct              = '0;
    direct.policy       = PolicyLrr;
    direct.policy_param = '{budget: {NumKernels{8'd1}}, above: '0, restart: '0, active_warps: 5'd8};
    direct.save_base    = 20'h8_0000;
    direct.qos          = NumKernels'(qos_i);
    for (int unsigned k = 0; k < NumKernels; k++) direct.mem_split[k] = SplitW'(split_i[k]);
    direct.fault_kernel = KernelW'(record_kernel_i);
    direct.stall_sub    = SubW'(stall_i[0]);
    direct.stall_reason = 3'(stall_i[1]);
    direct.energy_slot  = KernelW'(energy_i[0]);
    direct.energy_event = energy_event_e'(energy_i[1][3:0]);
    to_sm = '0;
    to_sm.broadcast.start  = NumKernels'(start_i);
    to_sm.broadcast.kill   = NumKernels'(kill_i);
    to_sm.broadcast.tick   = tick_i;
    to_sm.broadcast.sample = tick_i;
    to_sm.broadcast.quota_load = '{valid: pace_i, scheme: SchemePace, keep: '0};
    to_sm.dispatch = '{
        valid: dispatch_i[0][0], kernel: KernelW'(dispatch_i[1]), tb: TbW'(dispatch_i[2]),
        first: SubW'(dispatch_i[3]), base: 5'(dispatch_i[4]),
        block: {block_i[2], block_i[1], block_i[0]}, linear: dispatch_i[5],
        op: tb_op_e'(dispatch_i[6][1:0]), image: '0, fresh: dispatch_i[7][0], ticket: '0};
    rsp         = '0;
    rsp.valid   = rsp_i[0][0];
    rsp.tag     = TagW'(rsp_i[1]);
    rsp.data[0] = rsp_data_i;
  end
  assign retire_o = '{32'(from_sm.retire.valid), 32'(from_sm.retire.tb), 32'(from_sm.retire.saved)};
  assign fault_o  = 32'(from_sm.fault);
  assign restored_o = from_sm.restored;
  assign req_o    = '{32'(req.valid), 32'(req.kind), req.addr, 32'(req.bytes), 32'(req.tag),
      32'(req.slot)};
  assign record_o = '{32'(figures.fault_record.cause), figures.fault_record.pc,
      32'(figures.fault_record.tid), figures.fault_record.block, figures.fault_record.value};
  for (genvar k = 0; k < NumKernels; k++) begin : g_kernel
    assign snap_insn_o[k] = figures.snap_insn[k];
    assign snap_idle_o[k] = 32'(figures.snap_idle[k]);
  end
  for (genvar t = 0; t < MaxTbs; t++) begin : g_tb
    assign info_o[t] = '{32'(u_sm.tb_valid[t]), 32'(u_sm.tb_info[t].kernel),
        32'(u_sm.tb_info[t].base),
                         u_sm.u_lsu.u_tb_linear.mem[t]};
  end
  assign wipe_o = '{32'(u_sm.wipe), 32'(u_sm.wipe_row)};
  lanes_t peeked;
  for (genvar b = 0; b < WarpSize; b++) begin : g_bank
    assign peeked[b] = u_sm.u_lsu.u_shared.g_bank[b].u_bank.mem[RowW'(peek_row_i)];
    always @(posedge u_sm.clk)  // of the memory
      if (fill_i) u_sm.u_lsu.u_shared.g_bank[b].u_bank.mem[RowW'(peek_row_i)] <= '1;
  end
  assign peek_o = '{32'(peeked == '0), 32'(peeked == '1)};
  assign killed_o  = 32'(u_sm.killed);
  assign release_o = 32'(u_sm.release_tbs);
  assign present_o = 32'(u_sm.present);
  assign runnable_o = 32'(u_sm.runnable);

  for (genvar s = 0; s < NumSched; s++) begin : g_sub
    assign u_sm.g_sub[s].u_subcore.miss_valid = miss_i[s][0][0];
    assign u_sm.g_sub[s].u_subcore.miss_addr  = miss_i[s][1];
    assign u_sm.g_sub[s].u_subcore.miss_slot  = KernelW'(miss_i[s][2]);
    assign u_sm.g_sub[s].u_subcore.issue =
        '{valid: issue_i[s][0][0], kernel: KernelW'(issue_i[s][1]), lanes: LanesW'(issue_i[s][2]),
            device_fence: 1'b0, cls: ClsDiv, operands: 2'd2, writes: 1'b1,
            away: issue_i[s][3][0]};
    assign u_sm.g_sub[s].u_subcore.arrive = '{valid: arrive_i[s][0][0], tb: TbW'(arrive_i[s][1])};
    assign u_sm.g_sub[s].u_subcore.finish = '{valid: finish_i[s][0][0], tb: TbW'(finish_i[s][1])};
    assign u_sm.g_sub[s].u_subcore.fault =
        '{valid: source_i[s][0][0], kernel: KernelW'(source_i[s][1]),
          record: '{cause: 5'(source_i[s][2]), pc: source_i[s][3], tid: 10'(source_i[s][4]),
              block: source_i[s][5],
                    value: source_i[s][6]}};
    assign u_sm.g_sub[s].u_subcore.mq_valid = mq_i[s][0][0];
    assign u_sm.g_sub[s].u_subcore.quiet = quiet_i;
    assign u_sm.g_sub[s].u_subcore.mq =
        '{warp: '0, injected: 1'b0, away: mq_i[s][4][0], pc: 32'h80000040,
          instr: 32'h00002083, mask: mask_t'(2), entry: '0, addr: {WarpSize{mq_i[s][3]}}, data: '0};
    assign u_sm.g_sub[s].u_subcore.mq_who =
        '{kernel: KernelW'(mq_i[s][1]), tb: TbW'(mq_i[s][2]), widx: WidxW'(2)};
    assign warp_o[s] = '{32'(u_sm.start[s].valid), 32'(u_sm.start[s].kernel), 32'(u_sm.start[s].tb),
                         32'(u_sm.start[s].widx), 32'(u_sm.start[s].live),
                             32'(u_sm.start[s].restored)};
    assign grant_o[s] = 32'(u_sm.miss_grant[s]);
    assign fill_o[s]  = '{32'(u_sm.fill_valid[s]), u_sm.rsp_data[0]};
    assign pop_o[s]   = 32'(u_sm.mq_pop[s]);
    assign front_o[s] = 32'(figures.qaws_front[s]);
  end

  assign share_o = '{32'(u_sm.u_share.away_q), 32'(u_sm.no_mem), 32'(u_sm.qos_was)};
  assign stall_value_o = figures.stall_value;
  assign energy_value_o = figures.energy_value;

  qsm_sm u_sm (
    .clk_i, .rst_ni, .sm_id_i('0), .desc_i(desc), .direct_i(direct), .to_sm_i(to_sm),
    .from_sm_o(from_sm), .figures_o(figures), .req_o(req), .rsp_i(rsp)
  );
endmodule
