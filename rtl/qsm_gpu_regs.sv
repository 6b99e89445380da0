// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/qsm_regs.rdl by `make registers`; do not edit. Meaning: docs/registers.md.
// GPU-wide registers of the control port: rules, storage, read value.
// Contract: docs/control_port.md (R-CP-1, R-CP-2). Registers change at the end of the cycle
// of the write.
module qsm_gpu_regs
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        sel_i,    // an access is here
  input  logic        we_i,     // it is a write
  input  logic [7:2]  off_i,    // word of the address
  input  logic [31:0] wdata_i,
  input  logic        guard_i,  // what else a write at off_i needs is there
  input  logic        quiet_i,  // the manager is not computing (qos_mgr.md R-QM-3)
  output logic        ok_o,     // access accepted; only with sel_i
  output logic        kept_o,   // the register at off_i was written: it is read back elsewhere
  output logic [31:0] rdata_o,  // its value, 0 for those and for others
  input  logic [NumKernels-1:0] set_irq_i,  // win over bits that a write clears
  input  gpu_figures_t figures_i,
  input  gpu_own_t     own_i,
  input  sm_figures_t  sm_figures_i,  // of the selected SM
  output gpu_regs_t    regs_o,
  output gpu_writes_t  writes_o
);
  gpu_regs_t regs_q;
  localparam logic [31:0] FrontSlotsBits = {32{1'b1}} >> (32 - NumKernels);
  logic [63:0] cycle_words;
  assign cycle_words = 64'(own_i.cycle);
  logic [63:0] move_cycles_words;
  assign move_cycles_words = 64'(figures_i.move_cycles);
  logic [63:0] gated_cycles_words;
  assign gated_cycles_words = 64'(figures_i.gated_cycles);
  logic [63:0] shared_cycles_words;
  assign shared_cycles_words = 64'(figures_i.shared_cycles);
  logic [NumKernels-1:0] front_slots_written;
  always_comb begin
    front_slots_written = regs_q.front_slots;
    for (int unsigned b = 0; b < NumKernels; b++) begin
      if (off_i == RegFrontSlots[7:2] && b / 32 == 0) front_slots_written[b] = wdata_i[5'(b)];
    end
  end
  logic [63:0] snap_cycle_words;
  assign snap_cycle_words = 64'(figures_i.snap_cycle);

  // ---- rules ----
  logic known, writable, value_ok, quiet, write;
  always_comb begin
    known = 1'b1;
    writable = 1'b1;
    value_ok = 1'b1;
    quiet = 1'b0;
    case (off_i)
      RegId[7:2], RegConfig0[7:2], RegConfig1[7:2], RegConfig2[7:2], RegCycleLo[7:2],
          RegCycleHi[7:2], RegEpochCount[7:2], RegEpochELo[7:2], RegAllocBusy[7:2],
          RegStallValue[7:2], RegMgrBusy[7:2], RegPreemptStatus[7:2], RegAdjustBusy[7:2],
          RegSmselJob[7:2], RegConfig3[7:2], RegMemValue[7:2], RegMoves[7:2], RegMoveCyclesLo[7:2],
          RegMoveCyclesHi[7:2], RegGatedCyclesLo[7:2], RegGatedCyclesHi[7:2], RegSmselOwner[7:2],
          RegEnergyValue[7:2], RegSharedCyclesLo[7:2], RegSharedCyclesHi[7:2], RegWakes[7:2]: begin
        writable = 1'b0;
      end
      RegIrq[7:2]: ;
      RegIcacheInv[7:2]: value_ok = wdata_i == 32'd1;
      RegPolicy[7:2]: value_ok = policy_valid(wdata_i);
      RegScheme[7:2]: begin
        value_ok = scheme_valid(wdata_i);
        quiet = 1'b1;
      end
      RegEpochLen[7:2]: begin
        value_ok = !at_most(wdata_i, 32'(QosLat + 2 * NocLat + 16 - 1)) &&
          at_most(wdata_i, 32'hFFFFF);
        quiet = 1'b1;
      end
      RegAlphaCap[7:2]: begin
        value_ok =
          (wdata_i == 32'd0 || (!at_most(wdata_i, 32'd65535) && at_most(wdata_i, 32'h3FFFFF)));
        quiet = 1'b1;
      end
      RegRolloverCap[7:2]: begin
        value_ok = at_most(wdata_i, 32'd255);
        quiet = 1'b1;
      end
      RegQuotaRules[7:2]: begin
        value_ok = (wdata_i & 32'hFFFFF8C0) == '0;
        quiet = 1'b1;
      end
      RegSmSelect[7:2]: value_ok = at_most(wdata_i, 32'(NumSms - 1));
      RegStallSelect[7:2]: begin
        value_ok = (wdata_i & 32'hFFFFFC00) == '0 && stall_valid(32'(wdata_i[3:0])) &&
          at_most(32'(wdata_i[7:4]), 32'(NumKernels - 1)) &&
          at_most(32'(wdata_i[9:8]), 32'(NumSched - 1));
      end
      RegActiveWarps[7:2]: value_ok = !at_most(wdata_i, 32'd0) && at_most(wdata_i, 32'd16);
      RegAdjust[7:2]: value_ok = at_most(wdata_i, 32'd1);
      RegAdjustTechnique[7:2], RegMoveTechnique[7:2]: begin
        value_ok = technique_valid(wdata_i);
      end
      RegPreempt[7:2]: begin
        value_ok = (wdata_i & 32'hFFF80000) == '0 && at_most(32'(wdata_i[7:0]), 32'(NumSms - 1)) &&
          at_most(32'(wdata_i[10:8]), 32'(NumKernels - 1)) &&
          at_most(32'(wdata_i[15:11]), 32'(MaxTbs - 1)) && technique_valid(32'(wdata_i[18:17]));
      end
      RegNonqosQuota[7:2]: begin
        value_ok = at_most(wdata_i, 32'd8);
        quiet = 1'b1;
      end
      RegMemSelect[7:2]: begin
        value_ok = (wdata_i & 32'hFFFFE080) == '0 &&
          at_most(32'(wdata_i[3:0]), 32'(NumChannels - 1)) &&
          at_most(32'(wdata_i[6:4]), 32'(NumKernels - 1)) && at_most(32'(wdata_i[12:8]), 32'd29);
      end
      RegL2Flush[7:2]: value_ok = (wdata_i == 32'd1 || !at_most(wdata_i, 32'h7FFFFFFF));
      RegLatecomers[7:2]: value_ok = (wdata_i & 32'hFFFFFFFE) == '0;
      RegSmMove[7:2]: begin
        value_ok = (wdata_i & 32'hFFFCF800) == '0 && at_most(32'(wdata_i[7:0]), 32'(NumSms - 1)) &&
          at_most(32'(wdata_i[10:8]), 32'(NumKernels - 1)) && sm_use_valid(32'(wdata_i[17:16]));
      end
      RegSmGating[7:2]: value_ok = at_most(wdata_i, 32'(PowerGating));
      RegWakeLat[7:2]: value_ok = !at_most(wdata_i, 32'd0) && at_most(wdata_i, 32'd65535);
      RegSmThreshold[7:2]: begin
        value_ok = at_most(wdata_i, 32'd65535);
        quiet = 1'b1;
      end
      RegSmStep[7:2]: begin
        value_ok = !at_most(wdata_i, 32'd0) && at_most(wdata_i, 32'd4);
        quiet = 1'b1;
      end
      RegEnergySelect[7:2]: begin
        value_ok = (wdata_i & 32'hFFFFFF00) == '0 && energy_event_valid(32'(wdata_i[3:0])) &&
          at_most(32'(wdata_i[7:4]), 32'(NumKernels - 1));
      end
      RegFrontMode[7:2]: begin
        known = NumCmd != 0;
        value_ok = (wdata_i & 32'hFFFFFFFC) == '0;
      end
      RegFrontSlots[7:2]: begin
        known = NumCmd != 0;
        value_ok = (wdata_i & ~FrontSlotsBits[0 +: 32]) == '0;
      end
      RegFrontIrq0[7:2], RegFrontIrq1[7:2], RegFrontIrq2[7:2]: begin
        known = NumCmd != 0;
      end
      RegFrontSnap[7:2]: begin
        known = NumCmd != 0;
        value_ok = wdata_i == 32'd1;
      end
      RegSnapEngine[7:2], RegSnapCycleLo[7:2], RegSnapCycleHi[7:2], RegSnapBusy0[7:2],
          RegSnapBusy1[7:2], RegSnapBusy2[7:2]: begin
        known = NumCmd != 0;
        writable = 1'b0;
      end
      RegLinkInterval[7:2]: begin
        known = NumCmd != 0;
        value_ok = !at_most(wdata_i, 32'd0) && at_most(wdata_i, 32'hFFFFFF);
      end
      default: known = 1'b0;
    endcase
  end
  assign ok_o = known && (!we_i || (writable && value_ok && guard_i && (!quiet || quiet_i)));
  assign write = sel_i && we_i && ok_o;
  assign writes_o.icache_inv = write && off_i == RegIcacheInv[7:2];
  assign writes_o.policy = write && off_i == RegPolicy[7:2];
  assign writes_o.preempt = write && off_i == RegPreempt[7:2];
  assign writes_o.l2_flush = write && off_i == RegL2Flush[7:2];
  assign writes_o.sm_move = write && off_i == RegSmMove[7:2];
  assign writes_o.front_irq0 = write && off_i == RegFrontIrq0[7:2];
  assign writes_o.front_irq1 = write && off_i == RegFrontIrq1[7:2];
  assign writes_o.front_irq2 = write && off_i == RegFrontIrq2[7:2];
  assign writes_o.front_snap = write && off_i == RegFrontSnap[7:2];

  // ---- storage ----
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      regs_q.irq.ended <= '0;
      regs_q.policy <= PolicyGto;
      regs_q.scheme <= SchemeNone;
      regs_q.epoch_len <= 20'd10000;
      regs_q.alpha_cap <= 22'h40000;
      regs_q.rollover_cap <= 8'd8;
      regs_q.quota_rules.alpha_en <= 1'd1;
      regs_q.quota_rules.unfed <= 1'd0;
      regs_q.quota_rules.carried <= 1'd0;
      regs_q.quota_rules.all_cycles <= 1'd0;
      regs_q.quota_rules.pooled <= 1'd0;
      regs_q.quota_rules.no_floor <= 1'd0;
      regs_q.quota_rules.margin <= 3'd0;
      regs_q.sm_select <= '0;
      regs_q.stall_select.reason <= StallSelected;
      regs_q.stall_select.slot <= '0;
      regs_q.stall_select.subcore <= '0;
      regs_q.active_warps <= 5'd8;
      regs_q.adjust <= 1'd0;
      regs_q.adjust_technique <= TechniqueSwitch;
      regs_q.nonqos_quota <= 4'd0;
      regs_q.mem_select.channel <= '0;
      regs_q.mem_select.slot <= '0;
      regs_q.mem_select.counter <= 5'd0;
      regs_q.latecomers.on <= 1'd1;
      regs_q.move_technique <= TechniqueDrain;
      regs_q.sm_gating <= '0;
      regs_q.wake_lat <= 16'd500;
      regs_q.sm_threshold <= 16'd655;
      regs_q.sm_step <= 3'd2;
      regs_q.energy_select.what <= EnergyIssues;
      regs_q.energy_select.slot <= '0;
      regs_q.front_mode.concurrent <= 1'd0;
      regs_q.front_mode.take_back <= 1'd0;
      regs_q.front_slots <= '0;
      regs_q.link_interval <= 24'd256;
    end else begin
      regs_q.irq.ended <= (regs_q.irq.ended & ~((write && off_i == RegIrq[7:2]) ?
          wdata_i[NumKernels-1:0] : '0)) | set_irq_i;
      if (write) begin
        case (off_i)
          RegPolicy[7:2]: regs_q.policy <= policy_e'(wdata_i[2:0]);
          RegScheme[7:2]: regs_q.scheme <= scheme_e'(wdata_i[3:0]);
          RegEpochLen[7:2]: regs_q.epoch_len <= wdata_i[19:0];
          RegAlphaCap[7:2]: regs_q.alpha_cap <= wdata_i[21:0];
          RegRolloverCap[7:2]: regs_q.rollover_cap <= wdata_i[7:0];
          RegQuotaRules[7:2]: begin
            regs_q.quota_rules.alpha_en <= wdata_i[0];
            regs_q.quota_rules.unfed <= wdata_i[1];
            regs_q.quota_rules.carried <= wdata_i[2];
            regs_q.quota_rules.all_cycles <= wdata_i[3];
            regs_q.quota_rules.pooled <= wdata_i[4];
            regs_q.quota_rules.no_floor <= wdata_i[5];
            regs_q.quota_rules.margin <= wdata_i[10:8];
          end
          RegSmSelect[7:2]: regs_q.sm_select <= wdata_i[0 +: RegSmSelectW];
          RegStallSelect[7:2]: begin
            regs_q.stall_select.reason <= stall_e'(wdata_i[2:0]);
            regs_q.stall_select.slot <= wdata_i[4 +: RegStallSelectSlotW];
            regs_q.stall_select.subcore <= wdata_i[8 +: RegStallSelectSubcoreW];
          end
          RegActiveWarps[7:2]: regs_q.active_warps <= wdata_i[4:0];
          RegAdjust[7:2]: regs_q.adjust <= wdata_i[0];
          RegAdjustTechnique[7:2]: regs_q.adjust_technique <= technique_e'(wdata_i[1:0]);
          RegNonqosQuota[7:2]: regs_q.nonqos_quota <= wdata_i[3:0];
          RegMemSelect[7:2]: begin
            regs_q.mem_select.channel <= wdata_i[0 +: RegMemSelectChannelW];
            regs_q.mem_select.slot <= wdata_i[4 +: RegMemSelectSlotW];
            regs_q.mem_select.counter <= wdata_i[12:8];
          end
          RegLatecomers[7:2]: regs_q.latecomers.on <= wdata_i[0];
          RegMoveTechnique[7:2]: regs_q.move_technique <= technique_e'(wdata_i[1:0]);
          RegSmGating[7:2]: regs_q.sm_gating <= wdata_i[0 +: RegSmGatingW];
          RegWakeLat[7:2]: regs_q.wake_lat <= wdata_i[15:0];
          RegSmThreshold[7:2]: regs_q.sm_threshold <= wdata_i[15:0];
          RegSmStep[7:2]: regs_q.sm_step <= wdata_i[2:0];
          RegEnergySelect[7:2]: begin
            regs_q.energy_select.what <= energy_event_e'(wdata_i[3:0]);
            regs_q.energy_select.slot <= wdata_i[4 +: RegEnergySelectSlotW];
          end
          RegFrontMode[7:2]: begin
            regs_q.front_mode.concurrent <= wdata_i[0];
            regs_q.front_mode.take_back <= wdata_i[1];
          end
          RegFrontSlots[7:2]: regs_q.front_slots <= front_slots_written;
          RegLinkInterval[7:2]: regs_q.link_interval <= wdata_i[23:0];
          default: ;
        endcase
      end
    end
  end
  assign regs_o = regs_q;
  // Registers that keep what was written.
  localparam logic [63:0] KeptWords = 64'd1 << RegPolicy[7:2] | 64'd1 << RegScheme[7:2] |
      64'd1 << RegEpochLen[7:2] | 64'd1 << RegAlphaCap[7:2] | 64'd1 << RegRolloverCap[7:2] |
      64'd1 << RegQuotaRules[7:2] | 64'd1 << RegSmSelect[7:2] | 64'd1 << RegStallSelect[7:2] |
      64'd1 << RegActiveWarps[7:2] | 64'd1 << RegAdjust[7:2] | 64'd1 << RegAdjustTechnique[7:2] |
      64'd1 << RegNonqosQuota[7:2] | 64'd1 << RegMemSelect[7:2] | 64'd1 << RegLatecomers[7:2] |
      64'd1 << RegMoveTechnique[7:2] | 64'd1 << RegSmGating[7:2] | 64'd1 << RegWakeLat[7:2] |
      64'd1 << RegSmThreshold[7:2] | 64'd1 << RegSmStep[7:2] | 64'd1 << RegEnergySelect[7:2] |
      64'd1 << RegFrontMode[7:2] | 64'd1 << RegFrontSlots[7:2] | 64'd1 << RegLinkInterval[7:2];
  logic [63:0] kept_q;  // it was written, by the word of its address
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      kept_q <= '0;
    end else begin
      for (int unsigned w = 0; w < 64; w++) begin
        if (KeptWords[w] && write && off_i == 6'(w)) kept_q[w] <= 1'b1;
      end
    end
  end
  // Bits of others never change, and synthesis may take them for anything.
  assign kept_o = KeptWords[off_i] && kept_q[off_i];

  // ---- read ----
  logic [31:0] figure, reset_value;
  always_comb begin
    case (off_i)
      RegId[7:2]: figure = 32'h51534D31;
      RegConfig0[7:2]: figure = 32'(8'(32'(NumSms))) | (32'(8'(32'(NumSched))) << 8) |
          (32'(8'(32'(WarpsPerSm))) << 16) | (32'(8'(32'(WarpSize))) << 24);
      RegConfig1[7:2]: figure = 32'(8'(32'(NumKernels))) | (32'(8'(32'(MaxTbs))) << 8) |
          (32'(8'(32'(NumChannels))) << 16) | (32'(8'(32'(NocLat))) << 24);
      RegConfig2[7:2]: figure = 32'(SharedBytes);
      RegCycleLo[7:2]: figure = cycle_words[0 +: 32];
      RegCycleHi[7:2]: figure = cycle_words[32 +: 32];
      RegIrq[7:2]: figure = 32'(regs_q.irq.ended);
      RegEpochCount[7:2]: figure = figures_i.epoch_count;
      RegEpochELo[7:2]: figure = figures_i.epoch_e_lo;
      RegAllocBusy[7:2]: figure = 32'(figures_i.alloc_busy);
      RegStallValue[7:2]: figure = 32'(sm_figures_i.stall_value);
      RegMgrBusy[7:2]: figure = 32'(figures_i.mgr_busy);
      RegPreemptStatus[7:2]: figure = 32'(figures_i.preempt_status.code) |
          (32'(figures_i.preempt_status.tb) << 8) | (32'(figures_i.preempt_status.image) << 16) |
          (32'(figures_i.preempt_status.sm) << 24);
      RegAdjustBusy[7:2]: figure = 32'(figures_i.adjust_busy);
      RegSmselJob[7:2]: figure = 32'(own_i.smsel_job.kind) | (32'(own_i.smsel_job.slot) << 4) |
          (32'(own_i.smsel_job.tb) << 8) | (32'(own_i.smsel_job.image) << 13) |
          (32'(sm_figures_i.save_phase) << 17) | (32'(own_i.smsel_job.result) << 24);
      RegConfig3[7:2]: figure = 32'(4'(32'(NumGroups))) | (32'(5'(32'(NumImages))) << 4);
      RegMemValue[7:2]: figure = own_i.mem_value;
      RegL2Flush[7:2]: figure = 32'(figures_i.l2_flush);
      RegMoves[7:2]: figure = figures_i.moves;
      RegMoveCyclesLo[7:2]: figure = move_cycles_words[0 +: 32];
      RegMoveCyclesHi[7:2]: figure = move_cycles_words[32 +: 32];
      RegGatedCyclesLo[7:2]: figure = gated_cycles_words[0 +: 32];
      RegGatedCyclesHi[7:2]: figure = gated_cycles_words[32 +: 32];
      RegSmselOwner[7:2]: figure = 32'(own_i.smsel_owner.usage) |
          (32'(own_i.smsel_owner.slot) << 2) | (32'(own_i.smsel_owner.moving) << 6) |
          (32'(own_i.smsel_owner.next_usage) << 7) | (32'(own_i.smsel_owner.next_slot) << 9) |
          (32'(own_i.smsel_owner.power) << 12);
      RegEnergyValue[7:2]: figure = 32'(sm_figures_i.energy_value);
      RegSharedCyclesLo[7:2]: figure = shared_cycles_words[0 +: 32];
      RegSharedCyclesHi[7:2]: figure = shared_cycles_words[32 +: 32];
      RegWakes[7:2]: figure = figures_i.wakes;
      RegFrontIrq0[7:2]: figure = figures_i.front_irq0;
      RegFrontIrq1[7:2]: figure = figures_i.front_irq1;
      RegFrontIrq2[7:2]: figure = figures_i.front_irq2;
      RegSnapEngine[7:2]: figure = 32'(figures_i.snap_engine.channel) |
          (32'(figures_i.snap_engine.busy) << 8) | (32'(figures_i.snap_engine.copy_channel) << 16) |
          (32'(figures_i.snap_engine.copying) << 24);
      RegSnapCycleLo[7:2]: figure = snap_cycle_words[0 +: 32];
      RegSnapCycleHi[7:2]: figure = snap_cycle_words[32 +: 32];
      RegSnapBusy0[7:2]: figure = figures_i.snap_busy0;
      RegSnapBusy1[7:2]: figure = figures_i.snap_busy1;
      RegSnapBusy2[7:2]: figure = figures_i.snap_busy2;
      default: figure = '0;
    endcase
    case (off_i)
      RegPolicy[7:2], RegQuotaRules[7:2], RegLatecomers[7:2],
          RegMoveTechnique[7:2]: reset_value = 32'd1;
      RegEpochLen[7:2]: reset_value = 32'd10000;
      RegAlphaCap[7:2]: reset_value = 32'h40000;
      RegRolloverCap[7:2], RegActiveWarps[7:2]: reset_value = 32'd8;
      RegWakeLat[7:2]: reset_value = 32'd500;
      RegSmThreshold[7:2]: reset_value = 32'd655;
      RegSmStep[7:2]: reset_value = 32'd2;
      RegLinkInterval[7:2]: reset_value = 32'd256;
      default: reset_value = '0;
    endcase
  end
  assign rdata_o = figure | (kept_o ? '0 : reset_value);
endmodule
