// SPDX-License-Identifier: Apache-2.0
// Which register of a slot an offset names, and whether a write of this value may be accepted.
// Combinational, one for all slots.
// Contract: docs/control_port.md R-CP-2, R-CP-3 and the table of slot registers.
module qsm_slot_rules
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
(
  input  logic [15:0] off_i,    // register, 0x00..0xFF
  input  logic [31:0] wdata_i,
  output logic        known_o,     // there is such a register
  output logic        writable_o,
  output logic        value_ok_o,  // the value is in the register's range
  output logic        idle_o,      // may be written only while the slot has no launch
  // may not be written while the manager computes, qos_mgr.md R-QM-3
  output logic        quiet_o
);
  localparam int unsigned MaxBlock = 1024;
  localparam int unsigned MaxThreads = (WarpsPerSm * WarpSize < MaxBlock) ? WarpsPerSm * WarpSize :
    MaxBlock;
  localparam logic [95:0] AllSms = 96'hFFFF_FFFF_FFFF_FFFF_FFFF_FFFF >> (96 - NumSms);

  // STACK: base a multiple of the stacks of a warp, whose number of bytes is a power of two
  localparam logic [4:0] LeastStack = 5'd4, MostStack = 5'd16;
  logic [4:0] stack_log2;
  logic       stack_ok;
  assign stack_log2 = wdata_i[4:0];
  always_comb begin
    stack_ok = stack_log2 >= LeastStack && stack_log2 <= MostStack && wdata_i[11:5] == '0;
    for (int unsigned b = 12; b < 32'(MostStack) + LaneW; b++) begin
      if (wdata_i[b] && b < 32'(stack_log2) + LaneW) stack_ok = 1'b0;
    end
    if (wdata_i == '0) stack_ok = 1'b1;
  end

  function automatic logic between(input int unsigned low, input int unsigned high);
    return wdata_i >= low && wdata_i <= high;
  endfunction

  always_comb begin
    known_o = 1'b1;
    writable_o = 1'b1;
    value_ok_o = 1'b1;
    idle_o = 1'b0;
    quiet_o = 1'b0;
    case (off_i)
      SlotCtx: begin
        value_ok_o = between(0, 3);
        idle_o = 1'b1;
        quiet_o = 1'b1;
      end
      SlotGoal: quiet_o = 1'b1;
      SlotIsoIpc: quiet_o = 1'b1;
      SlotBudget: value_ok_o = between(1, 255);
      SlotFirstQuota: value_ok_o = between(1, 32'h7FFF_FFFF);
      SlotSmMaskLo: value_ok_o = (wdata_i & ~AllSms[31:0]) == '0;
      SlotSmMaskHi: value_ok_o = (wdata_i & ~AllSms[63:32]) == '0;
      SlotSmMask2: value_ok_o = (wdata_i & ~AllSms[95:64]) == '0;
      SlotWin0Base, SlotWin0Limit, SlotWin1Base, SlotWin1Limit, SlotSaveBase, SlotSaveLimit: begin
        value_ok_o = wdata_i[11:0] == '0;
        idle_o = 1'b1;
      end
      SlotWin0Rights, SlotWin1Rights: begin
        value_ok_o = between(0, 7);
        idle_o = 1'b1;
      end
      SlotEntry: begin
        value_ok_o = wdata_i[1:0] == '0;
        idle_o = 1'b1;
      end
      SlotArg: idle_o = 1'b1;
      SlotGridX, SlotGridY, SlotGridZ: begin
        value_ok_o = between(1, 65535);
        idle_o = 1'b1;
      end
      SlotBlockX, SlotBlockY, SlotBlockZ: begin
        value_ok_o = between(1, MaxBlock);
        idle_o = 1'b1;
      end
      SlotBlockThreads: begin
        value_ok_o = between(1, MaxThreads);
        idle_o = 1'b1;
      end
      SlotShared: begin
        value_ok_o = between(0, SharedBytes);
        idle_o = 1'b1;
      end
      SlotBlockWarps: begin
        value_ok_o = between(1, WarpsPerSm);
        idle_o = 1'b1;
      end
      SlotSharedGran: begin
        value_ok_o = between(0, SharedGranules);
        idle_o = 1'b1;
      end
      SlotIdempotent: begin
        value_ok_o = between(0, 1);
        idle_o = 1'b1;
      end
      SlotPreemptHold: value_ok_o = between(0, 1);
      SlotCachePolicy: begin
        value_ok_o = between(0, 3);
        idle_o = 1'b1;
      end
      SlotStack: begin
        value_ok_o = stack_ok;
        idle_o = 1'b1;
      end
      SlotLaunch, SlotKill: value_ok_o = wdata_i == 32'd1;
      SlotHistClear: begin
        value_ok_o = wdata_i == 32'd1;
        quiet_o = 1'b1;
      end
      SlotStatus, SlotFaultCause, SlotFaultPc, SlotFaultTid, SlotFaultBlock, SlotFaultValue,
          SlotLaunches,
      SlotInsnLo, SlotInsnHi, SlotHcycLo, SlotHcycHi, SlotEpochInsn, SlotEpochQuota, SlotAlpha,
          SlotSaved, SlotRatio: writable_o = 1'b0;
      default: known_o = 1'b0;
    endcase
  end
endmodule
