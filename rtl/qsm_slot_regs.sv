// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/qsm_regs.rdl by `make registers`; do not edit. Meaning: docs/registers.md.
// Registers of one slot: storage. What they read as says qsm_slot_read.
// Contract: docs/control_port.md (R-CP-1, R-CP-5). Registers change at the end of the cycle
// of the write. An arrival is a write of CTX to this slot.
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
  output logic        kept_o,     // the register at off_i was written: it is read back elsewhere
  output slot_regs_t   regs_o,
  output slot_writes_t writes_o
);
  slot_regs_t regs_q;
  logic write, arriving;
  assign write = we_i;
  assign arriving = off_i == SlotCtx[7:2];  // while no tenant register is written
  logic [NumSms-1:0] sm_mask_written;
  always_comb begin
    sm_mask_written = regs_q.sm_mask;
    for (int unsigned b = 0; b < NumSms; b++) begin
      if (off_i == SlotSmMaskLo[7:2] && b / 32 == 0) sm_mask_written[b] = wdata_i[5'(b)];
      if (off_i == SlotSmMaskHi[7:2] && b / 32 == 1) sm_mask_written[b] = wdata_i[5'(b)];
      if (off_i == SlotSmMask2[7:2] && b / 32 == 2) sm_mask_written[b] = wdata_i[5'(b)];
    end
  end
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
  assign writes_o.deadline = write && off_i == SlotDeadline[7:2];
  assign writes_o.work = write && off_i == SlotWork[7:2];

  // ---- storage ----
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      regs_q.ctx.valid <= 1'd0;
      regs_q.ctx.qos <= 1'd0;
      regs_q.ctx.level <= 2'd0;
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
      regs_q.deadline <= 31'd0;
      regs_q.work <= 32'd0;
    end else begin
      if (write) begin
        case (off_i)
          SlotCtx[7:2]: begin
            regs_q.ctx.valid <= wdata_i[0];
            regs_q.ctx.qos <= wdata_i[1];
            regs_q.ctx.level <= wdata_i[3:2];
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
          SlotSmMask2[7:2]: regs_q.sm_mask <= sm_mask_written;
          SlotMemSplit[7:2]: regs_q.mem_split <= wdata_i[0 +: SlotMemSplitW];
          default: ;
        endcase
      end
      if (arrival_i || (write && off_i == SlotBudget[7:2])) begin
        regs_q.budget <= arriving ? 8'd1 : wdata_i[7:0];
      end
      if (arrival_i || (write && off_i == SlotIsoIpc[7:2])) begin
        regs_q.iso_ipc <= arriving ? 32'd0 : wdata_i;
      end
      if (arrival_i || (write && off_i == SlotSaveBase[7:2])) begin
        regs_q.save_base <= arriving ? 20'd0 : wdata_i[31:12];
      end
      if (arrival_i || (write && off_i == SlotSaveLimit[7:2])) begin
        regs_q.save_limit <= arriving ? 20'd0 : wdata_i[31:12];
      end
      if (arrival_i || (write && off_i == SlotIdempotent[7:2])) begin
        regs_q.idempotent <= arriving ? 1'd0 : wdata_i[0];
      end
      if (arrival_i || (write && off_i == SlotPreemptHold[7:2])) begin
        regs_q.preempt_hold <= arriving ? 1'd0 : wdata_i[0];
      end
      if (arrival_i || (write && off_i == SlotCachePolicy[7:2])) begin
        regs_q.cache_policy <= arriving ? 2'd0 : wdata_i[1:0];
      end
      if (arrival_i || (write && off_i == SlotStack[7:2])) begin
        regs_q.stack_reg.log2 <= arriving ? 5'd0 : wdata_i[4:0];
        regs_q.stack_reg.base <= arriving ? 20'd0 : wdata_i[31:12];
      end
      if (arrival_i || (write && off_i == SlotSmCount[7:2])) begin
        regs_q.sm_count <= arriving ? '0 : wdata_i[0 +: SlotSmCountW];
      end
      if (arrival_i || (write && off_i == SlotWarpCap[7:2])) begin
        regs_q.warp_cap <= arriving ? '0 : wdata_i[0 +: SlotWarpCapW];
      end
      if (arrival_i || (write && off_i == SlotDeadline[7:2])) begin
        regs_q.deadline <= arriving ? 31'd0 : wdata_i[30:0];
      end
      if (arrival_i || (write && off_i == SlotWork[7:2])) begin
        regs_q.work <= arriving ? 32'd0 : wdata_i;
      end
    end
  end
  assign regs_o = regs_q;
  // Registers that keep what was written.
  localparam logic [63:0] KeptWords = 64'd1 << SlotCtx[7:2] | 64'd1 << SlotGoal[7:2] |
      64'd1 << SlotFirstQuota[7:2] | 64'd1 << SlotSmMaskLo[7:2] | 64'd1 << SlotSmMaskHi[7:2] |
      64'd1 << SlotWin0Base[7:2] | 64'd1 << SlotWin0Limit[7:2] | 64'd1 << SlotWin0Rights[7:2] |
      64'd1 << SlotWin1Base[7:2] | 64'd1 << SlotWin1Limit[7:2] | 64'd1 << SlotWin1Rights[7:2] |
      64'd1 << SlotEntry[7:2] | 64'd1 << SlotArg[7:2] | 64'd1 << SlotGridX[7:2] |
      64'd1 << SlotGridY[7:2] | 64'd1 << SlotGridZ[7:2] | 64'd1 << SlotBlockX[7:2] |
      64'd1 << SlotBlockY[7:2] | 64'd1 << SlotBlockZ[7:2] | 64'd1 << SlotBlockThreads[7:2] |
      64'd1 << SlotShared[7:2] | 64'd1 << SlotBlockWarps[7:2] | 64'd1 << SlotSharedGran[7:2] |
      64'd1 << SlotBudget[7:2] | 64'd1 << SlotIsoIpc[7:2] | 64'd1 << SlotSaveBase[7:2] |
      64'd1 << SlotSaveLimit[7:2] | 64'd1 << SlotIdempotent[7:2] | 64'd1 << SlotPreemptHold[7:2] |
      64'd1 << SlotCachePolicy[7:2] | 64'd1 << SlotSmMask2[7:2] | 64'd1 << SlotStack[7:2] |
      64'd1 << SlotSmCount[7:2] | 64'd1 << SlotWarpCap[7:2] | 64'd1 << SlotMemSplit[7:2] |
      64'd1 << SlotDeadline[7:2] | 64'd1 << SlotWork[7:2];
  // Those of them that a tenant does not inherit.
  localparam logic [63:0] TenantWords = 64'd1 << SlotBudget[7:2] | 64'd1 << SlotIsoIpc[7:2] |
      64'd1 << SlotSaveBase[7:2] | 64'd1 << SlotSaveLimit[7:2] | 64'd1 << SlotIdempotent[7:2] |
      64'd1 << SlotPreemptHold[7:2] | 64'd1 << SlotCachePolicy[7:2] | 64'd1 << SlotStack[7:2] |
      64'd1 << SlotSmCount[7:2] | 64'd1 << SlotWarpCap[7:2] | 64'd1 << SlotDeadline[7:2] |
      64'd1 << SlotWork[7:2];
  logic [63:0] kept_q;  // it was written, by the word of its address
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      kept_q <= '0;
    end else begin
      for (int unsigned w = 0; w < 64; w++) begin
        if (TenantWords[w]) begin
          if (arrival_i || (write && off_i == 6'(w))) kept_q[w] <= !arriving;
        end else if (KeptWords[w] && write && off_i == 6'(w)) begin
          kept_q[w] <= 1'b1;
        end
      end
    end
  end
  // Bits of others never change, and synthesis may take them for anything.
  assign kept_o = KeptWords[off_i] && kept_q[off_i];
endmodule
