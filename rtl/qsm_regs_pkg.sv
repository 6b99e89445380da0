// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/qsm_regs.rdl by `make registers`; do not edit. Meaning: docs/registers.md.
package qsm_regs_pkg;
  // GPU registers.
  localparam logic [15:0] RegId = 16'h0000;
  localparam logic [15:0] RegConfig0 = 16'h0004;
  localparam logic [15:0] RegConfig1 = 16'h0008;
  localparam logic [15:0] RegConfig2 = 16'h000C;
  localparam logic [15:0] RegCycleLo = 16'h0010;
  localparam logic [15:0] RegCycleHi = 16'h0014;
  localparam logic [15:0] RegIrq = 16'h0018;
  localparam logic [15:0] RegIcacheInv = 16'h001C;
  localparam logic [15:0] RegPolicy = 16'h0020;
  localparam logic [15:0] RegScheme = 16'h0024;
  localparam logic [15:0] RegEpochLen = 16'h0028;
  localparam logic [15:0] RegAlphaCap = 16'h002C;
  localparam logic [15:0] RegRolloverCap = 16'h0030;
  localparam logic [15:0] RegAlphaEn = 16'h0034;
  localparam logic [15:0] RegEpochCount = 16'h0038;
  localparam logic [15:0] RegEpochELo = 16'h003C;
  localparam logic [15:0] RegSmSelect = 16'h0040;
  localparam logic [15:0] RegAllocBusy = 16'h0044;
  localparam logic [15:0] RegStallSelect = 16'h0048;
  localparam logic [15:0] RegStallValue = 16'h004C;
  localparam logic [15:0] RegMgrBusy = 16'h0050;
  localparam logic [15:0] RegActiveWarps = 16'h0054;
  localparam logic [15:0] RegAdjust = 16'h0058;
  localparam logic [15:0] RegAdjustTechnique = 16'h005C;
  localparam logic [15:0] RegPreempt = 16'h0060;
  localparam logic [15:0] RegPreemptStatus = 16'h0064;
  localparam logic [15:0] RegAdjustBusy = 16'h0068;
  localparam logic [15:0] RegSmselJob = 16'h006C;
  localparam logic [15:0] RegConfig3 = 16'h0070;
  localparam logic [15:0] RegNonqosQuota = 16'h0074;
  localparam logic [15:0] RegSmselIdle = 16'h0200;  // + 4 * k
  localparam logic [15:0] RegSmselFront = 16'h0240;  // + 4 * k

  // State of the selected SM for one slot: SmselBase + k * SmselStride + register.
  localparam logic [15:0] SmselBase = 16'h0100;
  localparam logic [15:0] SmselStride = 16'h0010;
  localparam logic [15:0] SmselC = 16'h0000;
  localparam logic [15:0] SmselInsn = 16'h0004;
  localparam logic [15:0] SmselQuota = 16'h0008;
  localparam logic [15:0] SmselTbs = 16'h000C;

  // Kernel slot: SlotBase + k * SlotStride + register.
  localparam logic [15:0] SlotBase = 16'h1000;
  localparam logic [15:0] SlotStride = 16'h0100;
  localparam logic [15:0] SlotCtx = 16'h0000;
  localparam logic [15:0] SlotGoal = 16'h0004;
  localparam logic [15:0] SlotFirstQuota = 16'h0008;
  localparam logic [15:0] SlotSmMaskLo = 16'h000C;
  localparam logic [15:0] SlotSmMaskHi = 16'h0010;
  localparam logic [15:0] SlotWin0Base = 16'h0014;
  localparam logic [15:0] SlotWin0Limit = 16'h0018;
  localparam logic [15:0] SlotWin0Rights = 16'h001C;
  localparam logic [15:0] SlotWin1Base = 16'h0020;
  localparam logic [15:0] SlotWin1Limit = 16'h0024;
  localparam logic [15:0] SlotWin1Rights = 16'h0028;
  localparam logic [15:0] SlotEntry = 16'h002C;
  localparam logic [15:0] SlotArg = 16'h0030;
  localparam logic [15:0] SlotGridX = 16'h0034;
  localparam logic [15:0] SlotGridY = 16'h0038;
  localparam logic [15:0] SlotGridZ = 16'h003C;
  localparam logic [15:0] SlotBlockX = 16'h0040;
  localparam logic [15:0] SlotBlockY = 16'h0044;
  localparam logic [15:0] SlotBlockZ = 16'h0048;
  localparam logic [15:0] SlotBlockThreads = 16'h004C;
  localparam logic [15:0] SlotShared = 16'h0050;
  localparam logic [15:0] SlotBlockWarps = 16'h0054;
  localparam logic [15:0] SlotSharedGran = 16'h0058;
  localparam logic [15:0] SlotLaunch = 16'h005C;
  localparam logic [15:0] SlotStatus = 16'h0060;
  localparam logic [15:0] SlotFaultCause = 16'h0064;
  localparam logic [15:0] SlotFaultPc = 16'h0068;
  localparam logic [15:0] SlotFaultTid = 16'h006C;
  localparam logic [15:0] SlotFaultBlock = 16'h0070;
  localparam logic [15:0] SlotFaultValue = 16'h0074;
  localparam logic [15:0] SlotLaunches = 16'h0078;
  localparam logic [15:0] SlotInsnLo = 16'h007C;
  localparam logic [15:0] SlotInsnHi = 16'h0080;
  localparam logic [15:0] SlotHcycLo = 16'h0084;
  localparam logic [15:0] SlotHcycHi = 16'h0088;
  localparam logic [15:0] SlotHistClear = 16'h008C;
  localparam logic [15:0] SlotEpochInsn = 16'h0090;
  localparam logic [15:0] SlotEpochQuota = 16'h0094;
  localparam logic [15:0] SlotAlpha = 16'h0098;
  localparam logic [15:0] SlotKill = 16'h009C;
  localparam logic [15:0] SlotBudget = 16'h00A0;
  localparam logic [15:0] SlotIsoIpc = 16'h00A4;
  localparam logic [15:0] SlotSaveBase = 16'h00A8;
  localparam logic [15:0] SlotSaveLimit = 16'h00AC;
  localparam logic [15:0] SlotIdempotent = 16'h00B0;
  localparam logic [15:0] SlotPreemptHold = 16'h00B4;
  localparam logic [15:0] SlotSaved = 16'h00B8;
  localparam logic [15:0] SlotRatio = 16'h00BC;
endpackage
