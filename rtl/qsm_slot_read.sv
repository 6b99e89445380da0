// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/qsm_regs.rdl by `make registers`; do not edit. Meaning: docs/registers.md.
// Read value of the registers of a slot that are not kept as they were written: one for all slots,
// since to choose a slot first takes less than to choose a word of each. Combinational.
// Contract: docs/control_port.md R-CP-1.
module qsm_slot_read
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
(
  input  logic [7:2]    off_i,      // word of the address
  input  logic          kept_i,     // the register was written: it is read back elsewhere
  input  slot_figures_t figures_i,  // of the slot
  output logic [31:0]   rdata_o     // 0 for what is kept, and for other addresses
);
  localparam logic [95:0] SmMaskBits = {96{1'b1}} >> (96 - NumSms);
  logic [63:0] hist_insn_words;
  assign hist_insn_words = 64'(figures_i.hist_insn);
  logic [63:0] hist_cycles_words;
  assign hist_cycles_words = 64'(figures_i.hist_cycles);
  logic [63:0] owned_cycles_words;
  assign owned_cycles_words = 64'(figures_i.owned_cycles);
  logic [31:0] figure, reset_value;
  always_comb begin
    case (off_i)
      SlotStatus[7:2]: figure = 32'(figures_i.status.busy) | (32'(figures_i.status.killed) << 1) |
          (32'(figures_i.status.yielded) << 2);
      SlotLaunches[7:2]: figure = figures_i.launches;
      SlotInsnLo[7:2]: figure = hist_insn_words[0 +: 32];
      SlotInsnHi[7:2]: figure = hist_insn_words[32 +: 32];
      SlotHcycLo[7:2]: figure = hist_cycles_words[0 +: 32];
      SlotHcycHi[7:2]: figure = hist_cycles_words[32 +: 32];
      SlotEpochInsn[7:2]: figure = 32'(figures_i.epoch_insn);
      SlotEpochQuota[7:2]: figure = 32'(figures_i.epoch_quota);
      SlotAlpha[7:2]: figure = 32'(figures_i.alpha);
      SlotSaved[7:2]: figure = 32'(figures_i.saved.queued) | (32'(figures_i.saved.images) << 8);
      SlotRatio[7:2]: figure = 32'(figures_i.ratio);
      SlotSmRecord[7:2]: figure = 32'(figures_i.sm_record.count) |
          (32'(figures_i.sm_record.opt) << 8) | (32'(figures_i.sm_record.upper) << 16) |
          (32'(figures_i.sm_record.lower) << 17) | (32'(figures_i.sm_record.eval) << 18);
      SlotOwnedCyclesLo[7:2]: figure = owned_cycles_words[0 +: 32];
      SlotOwnedCyclesHi[7:2]: figure = owned_cycles_words[32 +: 32];
      SlotChannel[7:2]: figure = 32'(figures_i.channel.owner) |
          (32'(figures_i.channel.bound) << 8) | (32'(figures_i.channel.runs) << 9);
      SlotWalkXy[7:2]: figure = 32'(figures_i.walk_xy.x) | (32'(figures_i.walk_xy.y) << 16);
      SlotWalkZ[7:2]: figure = 32'(figures_i.walk_z);
      SlotWalkLinear[7:2]: figure = figures_i.walk_linear;
      default: figure = '0;
    endcase
    case (off_i)
      SlotFirstQuota[7:2], SlotGridX[7:2], SlotGridY[7:2], SlotGridZ[7:2], SlotBlockX[7:2],
          SlotBlockY[7:2], SlotBlockZ[7:2], SlotBlockThreads[7:2], SlotBlockWarps[7:2],
          SlotBudget[7:2]: reset_value = 32'd1;
      SlotSmMaskLo[7:2]: reset_value = SmMaskBits[0 +: 32];
      SlotSmMaskHi[7:2]: reset_value = SmMaskBits[32 +: 32];
      SlotSmMask2[7:2]: reset_value = SmMaskBits[64 +: 32];
      default: reset_value = '0;
    endcase
  end
  assign rdata_o = figure | (kept_i ? '0 : reset_value);
endmodule
