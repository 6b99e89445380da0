// SPDX-License-Identifier: Apache-2.0
// GPU-wide registers of the control port (0x0000..0x00FF): rules, storage, read value.
// Contract: docs/control_port.md (R-CP-1, R-CP-2). Pulses are in the cycle of the write, registers
// change at its end.
module qsm_gpu_regs
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        sel_i,    // an access is here
  input  logic        we_i,     // it is a write
  input  logic [15:0] addr_i,
  input  logic [31:0] wdata_i,
  output logic        ok_o,     // access accepted; only with sel_i
  output logic [31:0] rdata_o,  // value of the register, 0 for others

  output logic                  irq_o,
  output logic [NumKernels-1:0] irq_bits_o,
  input  logic [NumKernels-1:0] ended_i,       // pulse: last busy cycle of a launch
  output logic [63:0]           cycle_o,
  output logic                  icache_inv_o,  // pulse
  output policy_e               policy_o,
  output logic                  policy_write_o,  // pulse
  output logic [4:0]            active_warps_o,
  output scheme_e               scheme_o,
  output logic [19:0]           epoch_len_o,
  output logic [18:0]           alpha_cap_o,
  output logic [7:0]            rollover_cap_o,
  output logic                  alpha_en_o,
  output logic [3:0]            nonqos_quota_o,
  output logic [SmW-1:0]        sm_select_o,
  output logic [SubW-1:0]       stall_sub_o,
  output logic [KernelW-1:0]    stall_kernel_o,
  output logic [2:0]            stall_reason_o,
  output logic                  adjust_o,
  output logic [1:0]            adjust_technique_o,
  output logic                  latecomers_o,
  output preempt_req_t          preempt_o,       // valid is a pulse
  output mem_select_t           mem_select_o,
  output logic                  l2_flush_o,      // pulse

  input  logic        alloc_busy_i,
  input  logic        mgr_quiet_i,   // the manager is not computing: its parameters may be written
  input  logic        mgr_busy_i,
  input  logic [31:0] epoch_count_i,
  input  logic [31:0] epoch_e_lo_i,
  input  logic [31:0] stall_value_i,
  input  logic        adjust_busy_i,
  input  preempt_status_t preempt_status_i,
  input  job_t        job_i,
  input  logic [3:0]  phase_i,
  input  logic [31:0] mem_value_i,  // of the selected counter
  input  logic        l2_flushing_i
);
  localparam int unsigned EpochMin = QosLat + 2 * NocLat + 16;

  logic [63:0] cycle_q;
  logic [NumKernels-1:0] irq_q;
  policy_e policy_q;
  logic [4:0] active_warps_q;
  scheme_e scheme_q;
  logic [19:0] epoch_len_q;
  logic [18:0] alpha_cap_q;
  logic [7:0] rollover_cap_q;
  logic alpha_en_q;
  logic [3:0] nonqos_quota_q;
  logic [SmW-1:0] sm_select_q;
  logic [SubW-1:0] stall_sub_q;
  logic [KernelW-1:0] stall_kernel_q;
  logic [2:0] stall_reason_q;
  logic adjust_q, latecomers_q;
  logic [1:0] adjust_technique_q;
  mem_select_t mem_select_q;

  function automatic logic between(input int unsigned low, input int unsigned high);
    return wdata_i >= low && wdata_i <= high;
  endfunction

  // ---- rules ----
  logic known, writable, value_ok, quiet;
  always_comb begin
    known = 1'b1;
    writable = 1'b1;
    value_ok = 1'b1;
    quiet = 1'b0;  // may not be written while the manager computes, qos_mgr.md R-QM-3
    case (addr_i)
      RegIrq: ;
      RegIcacheInv: value_ok = wdata_i == 32'd1;
      RegPolicy: value_ok = between(0, 32'(PolicyQawsProse));
      RegActiveWarps: value_ok = between(1, 16);
      RegScheme: begin
        value_ok = between(0, 32'(SchemeFair));
        quiet = 1'b1;
      end
      RegEpochLen: begin
        value_ok = between(EpochMin, (1 << 20) - 1);
        quiet = 1'b1;
      end
      RegAlphaCap: begin
        value_ok = wdata_i == '0 || between(32'h1_0000, 32'h7_FFFF);
        quiet = 1'b1;
      end
      RegRolloverCap: begin
        value_ok = between(0, 255);
        quiet = 1'b1;
      end
      RegAlphaEn: begin
        value_ok = between(0, 1);
        quiet = 1'b1;
      end
      RegNonqosQuota: begin
        value_ok = between(0, 8);
        quiet = 1'b1;
      end
      RegSmSelect: value_ok = between(0, NumSms - 1);
      RegStallSelect: value_ok = wdata_i[31:10] == '0 && 32'(wdata_i[9:8]) < NumSched &&
          32'(wdata_i[7:4]) < NumKernels &&
                                   !wdata_i[3];
      RegMemSelect: value_ok = wdata_i[31:13] == '0 && !wdata_i[7] &&
          32'(wdata_i[6:4]) < NumKernels && 32'(wdata_i[3:0]) < NumChannels &&
                                 // of an L1: 16..21, no channel
                                 (!wdata_i[12] || (wdata_i[11:8] < 4'd6 && wdata_i[3:0] == '0));
      RegL2Flush: value_ok = wdata_i == 32'd1 && !l2_flushing_i;
      RegAdjust, RegLatecomers: value_ok = between(0, 1);
      RegAdjustTechnique: value_ok = between(0, 2);
      RegPreempt: value_ok = preempt_status_i.code != PreemptExamined && wdata_i[31:19] == '0 &&
          wdata_i[18:17] != 2'd3 &&
                               32'(wdata_i[15:11]) < MaxTbs && 32'(wdata_i[10:8]) < NumKernels &&
                                   32'(wdata_i[7:0]) < NumSms;
      RegId, RegConfig0, RegConfig1, RegConfig2, RegConfig3, RegCycleLo, RegCycleHi, RegEpochCount,
          RegEpochELo, RegAllocBusy,
      RegStallValue, RegMgrBusy, RegPreemptStatus, RegAdjustBusy, RegSmselJob, RegMemValue:
        writable = 1'b0;
      default: known = 1'b0;
    endcase
  end
  assign ok_o = known && (!we_i || (writable && value_ok && (!quiet || mgr_quiet_i)));

  // ---- storage ----
  logic write;
  logic [NumKernels-1:0] irq_clear;
  assign write = sel_i && we_i && ok_o;
  assign irq_clear = (write && addr_i == RegIrq) ? wdata_i[NumKernels-1:0] : '0;
  assign icache_inv_o = write && addr_i == RegIcacheInv;
  assign policy_write_o = write && addr_i == RegPolicy;
  assign l2_flush_o = write && addr_i == RegL2Flush;
  assign preempt_o = '{
    valid: write && addr_i == RegPreempt, sm: wdata_i[SmW-1:0], kernel: wdata_i[8 +: KernelW], tb:
      wdata_i[11 +: TbW],
    by_slot: wdata_i[16], technique: wdata_i[18:17]
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycle_q <= '0;
      irq_q <= '0;
      policy_q <= PolicyGto;
      active_warps_q <= 5'd8;
      scheme_q <= SchemeNone;
      epoch_len_q <= 20'd10000;
      alpha_cap_q <= 19'h4_0000;
      rollover_cap_q <= 8'd8;
      alpha_en_q <= 1'b1;
      nonqos_quota_q <= '0;
      sm_select_q <= '0;
      stall_sub_q <= '0;
      stall_kernel_q <= '0;
      stall_reason_q <= '0;
      adjust_q <= 1'b0;
      adjust_technique_q <= '0;
      latecomers_q <= 1'b1;
      mem_select_q <= '0;
    end else begin
      cycle_q <= cycle_q + 64'd1;
      irq_q <= (irq_q & ~irq_clear) | ended_i;
      if (write) begin
        case (addr_i)
          RegPolicy:       policy_q <= policy_e'(wdata_i[2:0]);
          RegActiveWarps: active_warps_q <= wdata_i[4:0];
          RegScheme:       scheme_q <= scheme_e'(wdata_i[2:0]);
          RegEpochLen:    epoch_len_q <= wdata_i[19:0];
          RegAlphaCap:    alpha_cap_q <= wdata_i[18:0];
          RegRolloverCap: rollover_cap_q <= wdata_i[7:0];
          RegAlphaEn:     alpha_en_q <= wdata_i[0];
          RegNonqosQuota: nonqos_quota_q <= wdata_i[3:0];
          RegSmSelect:    sm_select_q <= wdata_i[SmW-1:0];
          RegAdjust:       adjust_q <= wdata_i[0];
          RegAdjustTechnique: adjust_technique_q <= wdata_i[1:0];
          RegLatecomers: latecomers_q <= wdata_i[0];
          RegMemSelect: mem_select_q <= '{channel: wdata_i[ChanW-1:0], slot: wdata_i[4 +: KernelW],
              counter: wdata_i[12:8]};
          RegStallSelect: begin
            stall_sub_q <= wdata_i[8 +: SubW];
            stall_kernel_q <= wdata_i[4 +: KernelW];
            stall_reason_q <= wdata_i[2:0];
          end
          default: ;
        endcase
      end
    end
  end

  // ---- read ----
  always_comb begin
    case (addr_i)
      RegId:           rdata_o = 32'h5153_4D31;
      RegConfig0:      rdata_o = {8'(WarpSize), 8'(WarpsPerSm), 8'(NumSched), 8'(NumSms)};
      RegConfig1:      rdata_o = {8'(NocLat), 8'(NumChannels), 8'(MaxTbs), 8'(NumKernels)};
      RegConfig2:      rdata_o = SharedBytes;
      RegConfig3:      rdata_o = {23'd0, 5'(NumImages), 4'(NumGroups)};
      RegCycleLo:     rdata_o = cycle_q[31:0];
      RegCycleHi:     rdata_o = cycle_q[63:32];
      RegIrq:          rdata_o = 32'(irq_q);
      RegPolicy:       rdata_o = 32'(policy_q);
      RegActiveWarps: rdata_o = 32'(active_warps_q);
      RegScheme:       rdata_o = 32'(scheme_q);
      RegEpochLen:    rdata_o = 32'(epoch_len_q);
      RegAlphaCap:    rdata_o = 32'(alpha_cap_q);
      RegRolloverCap: rdata_o = 32'(rollover_cap_q);
      RegAlphaEn:     rdata_o = 32'(alpha_en_q);
      RegNonqosQuota: rdata_o = 32'(nonqos_quota_q);
      RegEpochCount:  rdata_o = epoch_count_i;
      RegEpochELo:   rdata_o = epoch_e_lo_i;
      RegSmSelect:    rdata_o = 32'(sm_select_q);
      RegAllocBusy:   rdata_o = 32'(alloc_busy_i);
      RegStallSelect: rdata_o = {22'd0, 2'(stall_sub_q), 4'(stall_kernel_q), 1'b0, stall_reason_q};
      RegStallValue:  rdata_o = stall_value_i;
      RegMgrBusy:     rdata_o = 32'(mgr_busy_i);
      RegAdjust:       rdata_o = 32'(adjust_q);
      RegAdjustTechnique: rdata_o = 32'(adjust_technique_q);
      RegLatecomers: rdata_o = 32'(latecomers_q);
      RegAdjustBusy:  rdata_o = 32'(adjust_busy_i);
      RegPreemptStatus: rdata_o = {8'(preempt_status_i.sm), 4'd0, preempt_status_i.image, 3'd0,
          5'(preempt_status_i.tb), 4'd0, preempt_status_i.code};
      RegSmselJob:    rdata_o = {5'd0, job_i.result, 3'd0, phase_i, job_i.image, 5'(job_i.tb),
          1'b0, 3'(job_i.kernel), 1'b0, job_i.kind};
      RegMemSelect:   rdata_o = {19'd0, mem_select_q.counter, 1'b0, 3'(mem_select_q.slot),
          4'(mem_select_q.channel)};
      RegMemValue:    rdata_o = mem_value_i;
      RegL2Flush:     rdata_o = 32'(l2_flushing_i);
      default:          rdata_o = '0;
    endcase
  end

  assign irq_o = |irq_q;
  assign irq_bits_o = irq_q;
  assign cycle_o = cycle_q;
  assign policy_o = policy_q;
  assign active_warps_o = active_warps_q;
  assign scheme_o = scheme_q;
  assign epoch_len_o = epoch_len_q;
  assign alpha_cap_o = alpha_cap_q;
  assign rollover_cap_o = rollover_cap_q;
  assign alpha_en_o = alpha_en_q;
  assign nonqos_quota_o = nonqos_quota_q;
  assign sm_select_o = sm_select_q;
  assign stall_sub_o = stall_sub_q;
  assign stall_kernel_o = stall_kernel_q;
  assign stall_reason_o = stall_reason_q;
  assign adjust_o = adjust_q;
  assign adjust_technique_o = adjust_technique_q;
  assign latecomers_o = latecomers_q;
  assign mem_select_o = mem_select_q;
endmodule
