// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/qsm_regs.rdl by `make registers`; do not edit. Meaning: docs/registers.md.
// Registers of one slot: storage and read value.
// Contract: docs/control_port.md (R-CP-1, R-CP-5). Registers change at the end of the cycle
// of the write.
module qsm_slot_regs
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        we_i,       // accepted write
  input  logic [7:2]  off_i,      // word of the address
  input  logic [31:0] wdata_i,
  input  logic        arrival_i,  // resets what a tenant does not inherit (R-CP-5)
  output logic [31:0] rdata_o,    // value of the register at off_i, 0 for others
  input  slot_figures_t figures_i,
  output slot_regs_t    regs_o,
  output slot_writes_t  writes_o
);
  slot_regs_t regs_q;
  logic write;
  assign write = we_i;
  logic [95:0] sm_mask_words;
  assign sm_mask_words = 96'(regs_q.sm_mask);
  logic [NumSms-1:0] sm_mask_written;
  always_comb begin
    sm_mask_written = regs_q.sm_mask;
    for (int unsigned b = 0; b < NumSms; b++) begin
      if (off_i == SlotSmMaskLo[7:2] && b / 32 == 0) sm_mask_written[b] = wdata_i[5'(b)];
      if (off_i == SlotSmMaskHi[7:2] && b / 32 == 1) sm_mask_written[b] = wdata_i[5'(b)];
      if (off_i == SlotSmMask2[7:2] && b / 32 == 2) sm_mask_written[b] = wdata_i[5'(b)];
    end
  end
  logic [63:0] hist_insn_words;
  assign hist_insn_words = 64'(figures_i.hist_insn);
  logic [63:0] hist_cycles_words;
  assign hist_cycles_words = 64'(figures_i.hist_cycles);
  logic [63:0] owned_cycles_words;
  assign owned_cycles_words = 64'(figures_i.owned_cycles);
  assign writes_o.ctx = write && off_i == SlotCtx[7:2];
  assign writes_o.sm_mask_lo = write && off_i == SlotSmMaskLo[7:2];
  assign writes_o.sm_mask_hi = write && off_i == SlotSmMaskHi[7:2];
  assign writes_o.launch = write && off_i == SlotLaunch[7:2];
  assign writes_o.hist_clear = write && off_i == SlotHistClear[7:2];
  assign writes_o.kill = write && off_i == SlotKill[7:2];
  assign writes_o.budget = write && off_i == SlotBudget[7:2];
  assign writes_o.sm_mask_2 = write && off_i == SlotSmMask2[7:2];
  assign writes_o.warp_cap = write && off_i == SlotWarpCap[7:2];
  assign writes_o.yield = write && off_i == SlotYield[7:2];
  assign writes_o.walk_xy = write && off_i == SlotWalkXy[7:2];
  assign writes_o.walk_z = write && off_i == SlotWalkZ[7:2];
  assign writes_o.walk_linear = write && off_i == SlotWalkLinear[7:2];

  // ---- storage ----
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      regs_q.ctx.valid <= 1'd0;
      regs_q.ctx.qos <= 1'd0;
      regs_q.goal <= 32'd0;
      regs_q.first_quota <= 31'd1;
      regs_q.sm_mask <= '1;
      regs_q.win0_base <= 20'd0;
      regs_q.win0_limit <= 20'd0;
      regs_q.win0_rights.read <= 1'd0;
      regs_q.win0_rights.write <= 1'd0;
      regs_q.win0_rights.execute <= 1'd0;
      regs_q.win1_base <= 20'd0;
      regs_q.win1_limit <= 20'd0;
      regs_q.win1_rights.read <= 1'd0;
      regs_q.win1_rights.write <= 1'd0;
      regs_q.win1_rights.execute <= 1'd0;
      regs_q.entry <= 30'd0;
      regs_q.arg <= 32'd0;
      regs_q.grid_x <= 16'd1;
      regs_q.grid_y <= 16'd1;
      regs_q.grid_z <= 16'd1;
      regs_q.block_x <= 11'd1;
      regs_q.block_y <= 11'd1;
      regs_q.block_z <= 11'd1;
      regs_q.block_threads <= SlotBlockThreadsW'(32'd1);
      regs_q.shared <= '0;
      regs_q.block_warps <= SlotBlockWarpsW'(32'd1);
      regs_q.shared_gran <= 6'd0;
      regs_q.budget <= 8'd1;
      regs_q.iso_ipc <= 32'd0;
      regs_q.save_base <= 20'd0;
      regs_q.save_limit <= 20'd0;
      regs_q.idempotent <= 1'd0;
      regs_q.preempt_hold <= 1'd0;
      regs_q.cache_policy <= 2'd0;
      regs_q.stack_reg.log2 <= 5'd0;
      regs_q.stack_reg.base <= 20'd0;
      regs_q.sm_count <= '0;
      regs_q.warp_cap <= '0;
      regs_q.mem_split <= '0;
    end else begin
      if (arrival_i) begin
        regs_q.budget <= 8'd1;
        regs_q.iso_ipc <= 32'd0;
        regs_q.save_base <= 20'd0;
        regs_q.save_limit <= 20'd0;
        regs_q.idempotent <= 1'd0;
        regs_q.preempt_hold <= 1'd0;
        regs_q.cache_policy <= 2'd0;
        regs_q.stack_reg.log2 <= 5'd0;
        regs_q.stack_reg.base <= 20'd0;
        regs_q.sm_count <= '0;
        regs_q.warp_cap <= '0;
      end
      if (write) begin
        case (off_i)
          SlotCtx[7:2]: begin
            regs_q.ctx.valid <= wdata_i[0];
            regs_q.ctx.qos <= wdata_i[1];
          end
          SlotGoal[7:2]: regs_q.goal <= wdata_i;
          SlotFirstQuota[7:2]: regs_q.first_quota <= wdata_i[30:0];
          SlotSmMaskLo[7:2]: regs_q.sm_mask <= sm_mask_written;
          SlotSmMaskHi[7:2]: regs_q.sm_mask <= sm_mask_written;
          SlotWin0Base[7:2]: regs_q.win0_base <= wdata_i[31:12];
          SlotWin0Limit[7:2]: regs_q.win0_limit <= wdata_i[31:12];
          SlotWin0Rights[7:2]: begin
            regs_q.win0_rights.read <= wdata_i[0];
            regs_q.win0_rights.write <= wdata_i[1];
            regs_q.win0_rights.execute <= wdata_i[2];
          end
          SlotWin1Base[7:2]: regs_q.win1_base <= wdata_i[31:12];
          SlotWin1Limit[7:2]: regs_q.win1_limit <= wdata_i[31:12];
          SlotWin1Rights[7:2]: begin
            regs_q.win1_rights.read <= wdata_i[0];
            regs_q.win1_rights.write <= wdata_i[1];
            regs_q.win1_rights.execute <= wdata_i[2];
          end
          SlotEntry[7:2]: regs_q.entry <= wdata_i[31:2];
          SlotArg[7:2]: regs_q.arg <= wdata_i;
          SlotGridX[7:2]: regs_q.grid_x <= wdata_i[15:0];
          SlotGridY[7:2]: regs_q.grid_y <= wdata_i[15:0];
          SlotGridZ[7:2]: regs_q.grid_z <= wdata_i[15:0];
          SlotBlockX[7:2]: regs_q.block_x <= wdata_i[10:0];
          SlotBlockY[7:2]: regs_q.block_y <= wdata_i[10:0];
          SlotBlockZ[7:2]: regs_q.block_z <= wdata_i[10:0];
          SlotBlockThreads[7:2]: regs_q.block_threads <= wdata_i[0 +: SlotBlockThreadsW];
          SlotShared[7:2]: regs_q.shared <= wdata_i[0 +: SlotSharedW];
          SlotBlockWarps[7:2]: regs_q.block_warps <= wdata_i[0 +: SlotBlockWarpsW];
          SlotSharedGran[7:2]: regs_q.shared_gran <= wdata_i[5:0];
          SlotBudget[7:2]: regs_q.budget <= wdata_i[7:0];
          SlotIsoIpc[7:2]: regs_q.iso_ipc <= wdata_i;
          SlotSaveBase[7:2]: regs_q.save_base <= wdata_i[31:12];
          SlotSaveLimit[7:2]: regs_q.save_limit <= wdata_i[31:12];
          SlotIdempotent[7:2]: regs_q.idempotent <= wdata_i[0];
          SlotPreemptHold[7:2]: regs_q.preempt_hold <= wdata_i[0];
          SlotCachePolicy[7:2]: regs_q.cache_policy <= wdata_i[1:0];
          SlotSmMask2[7:2]: regs_q.sm_mask <= sm_mask_written;
          SlotStack[7:2]: begin
            regs_q.stack_reg.log2 <= wdata_i[4:0];
            regs_q.stack_reg.base <= wdata_i[31:12];
          end
          SlotSmCount[7:2]: regs_q.sm_count <= wdata_i[0 +: SlotSmCountW];
          SlotWarpCap[7:2]: regs_q.warp_cap <= wdata_i[0 +: SlotWarpCapW];
          SlotMemSplit[7:2]: regs_q.mem_split <= wdata_i[0 +: SlotMemSplitW];
          default: ;
        endcase
      end
    end
  end
  assign regs_o = regs_q;

  // ---- read ----
  always_comb begin
    case (off_i)
      SlotCtx[7:2]: rdata_o = 32'(regs_q.ctx.valid) | (32'(regs_q.ctx.qos) << 1);
      SlotGoal[7:2]: rdata_o = regs_q.goal;
      SlotFirstQuota[7:2]: rdata_o = 32'(regs_q.first_quota);
      SlotSmMaskLo[7:2]: rdata_o = sm_mask_words[0 +: 32];
      SlotSmMaskHi[7:2]: rdata_o = sm_mask_words[32 +: 32];
      SlotWin0Base[7:2]: rdata_o = (32'(regs_q.win0_base) << 12);
      SlotWin0Limit[7:2]: rdata_o = (32'(regs_q.win0_limit) << 12);
      SlotWin0Rights[7:2]: rdata_o = 32'(regs_q.win0_rights.read) |
          (32'(regs_q.win0_rights.write) << 1) | (32'(regs_q.win0_rights.execute) << 2);
      SlotWin1Base[7:2]: rdata_o = (32'(regs_q.win1_base) << 12);
      SlotWin1Limit[7:2]: rdata_o = (32'(regs_q.win1_limit) << 12);
      SlotWin1Rights[7:2]: rdata_o = 32'(regs_q.win1_rights.read) |
          (32'(regs_q.win1_rights.write) << 1) | (32'(regs_q.win1_rights.execute) << 2);
      SlotEntry[7:2]: rdata_o = (32'(regs_q.entry) << 2);
      SlotArg[7:2]: rdata_o = regs_q.arg;
      SlotGridX[7:2]: rdata_o = 32'(regs_q.grid_x);
      SlotGridY[7:2]: rdata_o = 32'(regs_q.grid_y);
      SlotGridZ[7:2]: rdata_o = 32'(regs_q.grid_z);
      SlotBlockX[7:2]: rdata_o = 32'(regs_q.block_x);
      SlotBlockY[7:2]: rdata_o = 32'(regs_q.block_y);
      SlotBlockZ[7:2]: rdata_o = 32'(regs_q.block_z);
      SlotBlockThreads[7:2]: rdata_o = 32'(regs_q.block_threads);
      SlotShared[7:2]: rdata_o = 32'(regs_q.shared);
      SlotBlockWarps[7:2]: rdata_o = 32'(regs_q.block_warps);
      SlotSharedGran[7:2]: rdata_o = 32'(regs_q.shared_gran);
      SlotStatus[7:2]: rdata_o = 32'(figures_i.status.busy) | (32'(figures_i.status.killed) << 1) |
          (32'(figures_i.status.yielded) << 2);
      SlotLaunches[7:2]: rdata_o = figures_i.launches;
      SlotInsnLo[7:2]: rdata_o = hist_insn_words[0 +: 32];
      SlotInsnHi[7:2]: rdata_o = hist_insn_words[32 +: 32];
      SlotHcycLo[7:2]: rdata_o = hist_cycles_words[0 +: 32];
      SlotHcycHi[7:2]: rdata_o = hist_cycles_words[32 +: 32];
      SlotEpochInsn[7:2]: rdata_o = 32'(figures_i.epoch_insn);
      SlotEpochQuota[7:2]: rdata_o = 32'(figures_i.epoch_quota);
      SlotAlpha[7:2]: rdata_o = 32'(figures_i.alpha);
      SlotBudget[7:2]: rdata_o = 32'(regs_q.budget);
      SlotIsoIpc[7:2]: rdata_o = regs_q.iso_ipc;
      SlotSaveBase[7:2]: rdata_o = (32'(regs_q.save_base) << 12);
      SlotSaveLimit[7:2]: rdata_o = (32'(regs_q.save_limit) << 12);
      SlotIdempotent[7:2]: rdata_o = 32'(regs_q.idempotent);
      SlotPreemptHold[7:2]: rdata_o = 32'(regs_q.preempt_hold);
      SlotSaved[7:2]: rdata_o = 32'(figures_i.saved.queued) | (32'(figures_i.saved.images) << 8);
      SlotRatio[7:2]: rdata_o = 32'(figures_i.ratio);
      SlotCachePolicy[7:2]: rdata_o = 32'(regs_q.cache_policy);
      SlotSmMask2[7:2]: rdata_o = sm_mask_words[64 +: 32];
      SlotStack[7:2]: rdata_o = 32'(regs_q.stack_reg.log2) | (32'(regs_q.stack_reg.base) << 12);
      SlotSmCount[7:2]: rdata_o = 32'(regs_q.sm_count);
      SlotSmRecord[7:2]: rdata_o = 32'(figures_i.sm_record.count) |
          (32'(figures_i.sm_record.opt) << 8) | (32'(figures_i.sm_record.upper) << 16) |
          (32'(figures_i.sm_record.lower) << 17) | (32'(figures_i.sm_record.eval) << 18);
      SlotOwnedCyclesLo[7:2]: rdata_o = owned_cycles_words[0 +: 32];
      SlotOwnedCyclesHi[7:2]: rdata_o = owned_cycles_words[32 +: 32];
      SlotWarpCap[7:2]: rdata_o = 32'(regs_q.warp_cap);
      SlotMemSplit[7:2]: rdata_o = 32'(regs_q.mem_split);
      SlotChannel[7:2]: rdata_o = 32'(figures_i.channel.owner) |
          (32'(figures_i.channel.bound) << 8) | (32'(figures_i.channel.runs) << 9);
      SlotWalkXy[7:2]: rdata_o = 32'(figures_i.walk_xy.x) | (32'(figures_i.walk_xy.y) << 16);
      SlotWalkZ[7:2]: rdata_o = 32'(figures_i.walk_z);
      SlotWalkLinear[7:2]: rdata_o = figures_i.walk_linear;
      default: rdata_o = '0;
    endcase
  end
endmodule
