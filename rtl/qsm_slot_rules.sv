// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/qsm_regs.rdl by `make registers`; do not edit. Meaning: docs/registers.md.
// Which register of a slot an offset names, and whether a write of this value may be accepted.
// Combinational, one for all slots.
// Contract: docs/control_port.md R-CP-2 to R-CP-4.
module qsm_slot_rules
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
(
  input  logic [7:2]  off_i,       // word of the address
  input  logic [31:0] wdata_i,
  output logic        known_o,     // there is such a register
  output logic        writable_o,
  output logic        value_ok_o,  // the value is in the register's range
  output logic        idle_o,      // may be written only while the slot has no launch (R-CP-3)
  output logic        quiet_o      // not while the manager computes (qos_mgr.md R-QM-3)
);
  localparam logic [95:0] SmMaskBits = {96{1'b1}} >> (96 - NumSms);
  always_comb begin
    known_o = 1'b1;
    writable_o = 1'b1;
    value_ok_o = 1'b1;
    idle_o = 1'b0;
    quiet_o = 1'b0;
    case (off_i)
      SlotCtx[7:2]: begin
        value_ok_o = (wdata_i & 32'hFFFFFFF0) == '0;
        idle_o = 1'b1;
        quiet_o = 1'b1;
      end
      SlotGoal[7:2], SlotIsoIpc[7:2]: begin
        quiet_o = 1'b1;
      end
      SlotFirstQuota[7:2]: value_ok_o = !at_most(wdata_i, 32'd0) && at_most(wdata_i, 32'h7FFFFFFF);
      SlotSmMaskLo[7:2]: value_ok_o = (wdata_i & ~SmMaskBits[0 +: 32]) == '0;
      SlotSmMaskHi[7:2]: value_ok_o = (wdata_i & ~SmMaskBits[32 +: 32]) == '0;
      SlotWin0Base[7:2], SlotWin0Limit[7:2], SlotWin1Base[7:2], SlotWin1Limit[7:2],
          SlotSaveBase[7:2], SlotSaveLimit[7:2]: begin
        value_ok_o = (wdata_i & 32'h00000FFF) == '0;
        idle_o = 1'b1;
      end
      SlotWin0Rights[7:2], SlotWin1Rights[7:2]: begin
        value_ok_o = (wdata_i & 32'hFFFFFFF8) == '0;
        idle_o = 1'b1;
      end
      SlotEntry[7:2]: begin
        value_ok_o = (wdata_i & 32'h00000003) == '0;
        idle_o = 1'b1;
      end
      SlotArg[7:2], SlotWalkXy[7:2], SlotWalkLinear[7:2]: begin
        idle_o = 1'b1;
      end
      SlotGridX[7:2], SlotGridY[7:2], SlotGridZ[7:2]: begin
        value_ok_o = !at_most(wdata_i, 32'd0) && at_most(wdata_i, 32'd65535);
        idle_o = 1'b1;
      end
      SlotBlockX[7:2], SlotBlockY[7:2], SlotBlockZ[7:2]: begin
        value_ok_o = !at_most(wdata_i, 32'd0) && at_most(wdata_i, 32'd1024);
        idle_o = 1'b1;
      end
      SlotBlockThreads[7:2]: begin
        value_ok_o = !at_most(wdata_i, 32'd0) &&
          at_most(wdata_i, 32'(least_of(1024, WarpsPerSm * WarpSize)));
        idle_o = 1'b1;
      end
      SlotShared[7:2]: begin
        value_ok_o = at_most(wdata_i, 32'(SharedBytes));
        idle_o = 1'b1;
      end
      SlotBlockWarps[7:2]: begin
        value_ok_o = !at_most(wdata_i, 32'd0) && at_most(wdata_i, 32'(WarpsPerSm));
        idle_o = 1'b1;
      end
      SlotSharedGran[7:2]: begin
        value_ok_o = at_most(wdata_i, 32'd32);
        idle_o = 1'b1;
      end
      SlotLaunch[7:2], SlotKill[7:2], SlotYield[7:2]: begin
        value_ok_o = wdata_i == 32'd1;
      end
      SlotStatus[7:2], SlotFaultCause[7:2], SlotFaultPc[7:2], SlotFaultTid[7:2],
          SlotFaultBlock[7:2], SlotFaultValue[7:2], SlotLaunches[7:2], SlotInsnLo[7:2],
          SlotInsnHi[7:2], SlotHcycLo[7:2], SlotHcycHi[7:2], SlotEpochInsn[7:2],
          SlotEpochQuota[7:2], SlotAlpha[7:2], SlotSaved[7:2], SlotRatio[7:2], SlotSmRecord[7:2],
          SlotOwnedCyclesLo[7:2], SlotOwnedCyclesHi[7:2]: begin
        writable_o = 1'b0;
      end
      SlotHistClear[7:2]: begin
        value_ok_o = wdata_i == 32'd1;
        quiet_o = 1'b1;
      end
      SlotBudget[7:2]: value_ok_o = !at_most(wdata_i, 32'd0) && at_most(wdata_i, 32'd255);
      SlotIdempotent[7:2]: begin
        value_ok_o = at_most(wdata_i, 32'd1);
        idle_o = 1'b1;
      end
      SlotPreemptHold[7:2]: value_ok_o = at_most(wdata_i, 32'd1);
      SlotCachePolicy[7:2]: begin
        value_ok_o = at_most(wdata_i, 32'd3);
        idle_o = 1'b1;
      end
      SlotSmMask2[7:2]: value_ok_o = (wdata_i & ~SmMaskBits[64 +: 32]) == '0;
      SlotStack[7:2]: begin
        value_ok_o = (wdata_i & 32'h00000FE0) == '0 &&
          (wdata_i[4:0] == 5'd0 || (wdata_i[4:0] >= 5'd4 && at_most(32'(wdata_i[4:0]), 32'd16)));
        idle_o = 1'b1;
      end
      SlotSmCount[7:2]: begin
        value_ok_o = at_most(wdata_i, 32'(NumSms));
        quiet_o = 1'b1;
      end
      SlotWarpCap[7:2]: value_ok_o = at_most(wdata_i, 32'(WarpsPerSm));
      SlotMemSplit[7:2]: begin
        value_ok_o = at_most(wdata_i, 32'(least_of($clog2(NumChannels), PartitionBits)));
      end
      SlotChannel[7:2]: begin
        known_o = NumCmd != 0;
        writable_o = 1'b0;
      end
      SlotWalkZ[7:2]: begin
        value_ok_o = (wdata_i & 32'hFFFF0000) == '0;
        idle_o = 1'b1;
      end
      SlotDeadline[7:2]: value_ok_o = at_most(wdata_i, 32'h7FFFFFFF);
      SlotWork[7:2]: ;
      default: known_o = 1'b0;
    endcase
  end
endmodule
