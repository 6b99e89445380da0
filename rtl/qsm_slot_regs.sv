// SPDX-License-Identifier: Apache-2.0
// Registers of one slot: storage, read value, and the pulses that a write causes. qsm_ctrl decides
// which writes are accepted.
// Contract: docs/control_port.md (R-CP-1). Pulses are in the cycle of the write, registers change
// at its end.
module qsm_slot_regs
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        we_i,     // accepted write
  input  logic [15:0] off_i,    // register, 0x00..0xFF
  input  logic [31:0] wdata_i,
  output logic [31:0] rdata_o,  // value of the register at off_i, 0 for others

  output logic              valid_o,        // CTX
  output logic              qos_o,          // CTX.valid and CTX.qos
  output logic [31:0]       goal_o,
  output logic [30:0]       first_quota_o,
  output logic [NumSms-1:0] sm_mask_o,
  output desc_t             desc_o,
  output logic [7:0]        budget_o,
  output logic [31:0]       iso_ipc_o,
  output logic [31:12]      save_base_o,
  output logic [31:12]      save_limit_o,
  output logic              idempotent_o,
  output logic              preempt_hold_o,
  output logic [1:0]        cache_policy_o,
  output logic              budget_write_o, // pulse
  output logic              arrival_o,      // pulse: CTX valid 0 -> 1
  output logic              alloc_change_o, // pulse: CTX changes, or SM_MASK of a valid slot
  output logic              launch_o,       // pulse
  output logic              kill_o,         // pulse
  output logic              hist_clear_o,   // pulse: HIST_CLEAR or arrival

  input  logic        busy_i,
  input  logic        killed_i,
  input  logic [31:0] launches_i,
  input  logic        faulted_i,    // killed by a fault: the FAULT registers are the SM's
  input  logic [47:0] hist_insn_i,
  input  logic [47:0] hist_cycles_i,
  input  logic [30:0] epoch_insn_i,
  input  logic [30:0] epoch_quota_i,
  input  logic [18:0] alpha_i,
  input  saved_t      saved_i,
  input  logic [18:0] ratio_i
);
  typedef struct packed {
    logic qos;
    logic valid;
  } ctx_t;

  ctx_t ctx_q;
  logic [31:0] goal_q;
  logic [30:0] first_quota_q;
  logic [NumSms-1:0] sm_mask_q;
  // What a tenant does not inherit: an arrival resets it.
  typedef struct packed {
    logic [7:0] budget;
    logic [31:0] iso_ipc;
    logic [31:12] save_base;
    logic [31:12] save_limit;
    logic idempotent;
    logic preempt_hold;
    logic [1:0] cache_policy;
    logic [4:0] stack_log2;
    logic [31:12] stack_base;
  } tenant_t;
  localparam tenant_t NewTenant = '{budget: 8'd1, default: '0};

  tenant_t tenant_q;
  desc_t desc_q;  // but for the stack

  // ---- pulses ----
  logic [95:0] sm_mask_read, sm_mask_written;
  assign sm_mask_read = 96'(sm_mask_q);
  always_comb begin
    sm_mask_written = sm_mask_read;
    if (off_i == SlotSmMaskLo) sm_mask_written[31:0] = wdata_i;
    if (off_i == SlotSmMaskHi) sm_mask_written[63:32] = wdata_i;
    if (off_i == SlotSmMask2) sm_mask_written[95:64] = wdata_i;
  end

  assign arrival_o = we_i && off_i == SlotCtx && wdata_i[0] && !ctx_q.valid;
  assign alloc_change_o = we_i && ((off_i == SlotCtx && wdata_i[1:0] != ctx_q) ||
                                   (ctx_q.valid && sm_mask_written != sm_mask_read));
  assign launch_o = we_i && off_i == SlotLaunch;
  assign kill_o = we_i && off_i == SlotKill;
  assign budget_write_o = we_i && off_i == SlotBudget;
  assign hist_clear_o = arrival_o || (we_i && off_i == SlotHistClear);

  // ---- storage ----
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ctx_q <= '0;
      goal_q <= '0;
      first_quota_q <= 31'd1;
      sm_mask_q <= '1;
      tenant_q <= NewTenant;
      desc_q <= '{grid: {3{16'd1}}, block: {3{11'd1}}, threads: 11'd1, warps: 7'd1, default: '0};
    end else if (we_i) begin
      sm_mask_q <= sm_mask_written[NumSms-1:0];
      if (arrival_o) tenant_q <= NewTenant;
      case (off_i)
        SlotCtx:           ctx_q <= wdata_i[1:0];
        SlotGoal:          goal_q <= wdata_i;
        SlotFirstQuota:   first_quota_q <= wdata_i[30:0];
        SlotWin0Base:     desc_q.win[0].base <= wdata_i;
        SlotWin0Limit:    desc_q.win[0].limit <= wdata_i;
        SlotWin0Rights:   {desc_q.win[0].x, desc_q.win[0].w, desc_q.win[0].r} <= wdata_i[2:0];
        SlotWin1Base:     desc_q.win[1].base <= wdata_i;
        SlotWin1Limit:    desc_q.win[1].limit <= wdata_i;
        SlotWin1Rights:   {desc_q.win[1].x, desc_q.win[1].w, desc_q.win[1].r} <= wdata_i[2:0];
        SlotEntry:         desc_q.entry <= wdata_i;
        SlotArg:           desc_q.arg <= wdata_i;
        SlotGridX:        desc_q.grid[0] <= wdata_i[15:0];
        SlotGridY:        desc_q.grid[1] <= wdata_i[15:0];
        SlotGridZ:        desc_q.grid[2] <= wdata_i[15:0];
        SlotBlockX:       desc_q.block[0] <= wdata_i[10:0];
        SlotBlockY:       desc_q.block[1] <= wdata_i[10:0];
        SlotBlockZ:       desc_q.block[2] <= wdata_i[10:0];
        SlotBlockThreads: desc_q.threads <= wdata_i[10:0];
        SlotShared:        desc_q.shared <= wdata_i[18:0];
        SlotBlockWarps:   desc_q.warps <= wdata_i[6:0];
        SlotSharedGran:   desc_q.granules <= wdata_i[5:0];
        SlotBudget:        tenant_q.budget <= wdata_i[7:0];
        SlotIsoIpc:       tenant_q.iso_ipc <= wdata_i;
        SlotSaveBase:     tenant_q.save_base <= wdata_i[31:12];
        SlotSaveLimit:    tenant_q.save_limit <= wdata_i[31:12];
        SlotIdempotent:    tenant_q.idempotent <= wdata_i[0];
        SlotPreemptHold:  tenant_q.preempt_hold <= wdata_i[0];
        SlotCachePolicy:  tenant_q.cache_policy <= wdata_i[1:0];
        SlotStack:         {tenant_q.stack_base, tenant_q.stack_log2} <= {wdata_i[31:12],
            wdata_i[4:0]};
        default: ;
      endcase
    end
  end

  // ---- read ----
  always_comb begin
    case (off_i)
      SlotCtx:           rdata_o = 32'(ctx_q);
      SlotGoal:          rdata_o = goal_q;
      SlotFirstQuota:   rdata_o = 32'(first_quota_q);
      SlotSmMaskLo:    rdata_o = sm_mask_read[31:0];
      SlotSmMaskHi:    rdata_o = sm_mask_read[63:32];
      SlotSmMask2:     rdata_o = sm_mask_read[95:64];
      SlotWin0Base:     rdata_o = desc_q.win[0].base;
      SlotWin0Limit:    rdata_o = desc_q.win[0].limit;
      SlotWin0Rights:   rdata_o = 32'({desc_q.win[0].x, desc_q.win[0].w, desc_q.win[0].r});
      SlotWin1Base:     rdata_o = desc_q.win[1].base;
      SlotWin1Limit:    rdata_o = desc_q.win[1].limit;
      SlotWin1Rights:   rdata_o = 32'({desc_q.win[1].x, desc_q.win[1].w, desc_q.win[1].r});
      SlotEntry:         rdata_o = desc_q.entry;
      SlotArg:           rdata_o = desc_q.arg;
      SlotGridX:        rdata_o = 32'(desc_q.grid[0]);
      SlotGridY:        rdata_o = 32'(desc_q.grid[1]);
      SlotGridZ:        rdata_o = 32'(desc_q.grid[2]);
      SlotBlockX:       rdata_o = 32'(desc_q.block[0]);
      SlotBlockY:       rdata_o = 32'(desc_q.block[1]);
      SlotBlockZ:       rdata_o = 32'(desc_q.block[2]);
      SlotBlockThreads: rdata_o = 32'(desc_q.threads);
      SlotShared:        rdata_o = 32'(desc_q.shared);
      SlotBlockWarps:   rdata_o = 32'(desc_q.warps);
      SlotSharedGran:   rdata_o = 32'(desc_q.granules);
      SlotStatus:        rdata_o = 32'({killed_i, busy_i});
      SlotFaultCause:   rdata_o = (killed_i && !faulted_i) ? 32'(CauseHost) : '0;
      SlotLaunches:      rdata_o = launches_i;
      SlotInsnLo:       rdata_o = hist_insn_i[31:0];
      SlotInsnHi:       rdata_o = 32'(hist_insn_i[47:32]);
      SlotHcycLo:       rdata_o = hist_cycles_i[31:0];
      SlotHcycHi:       rdata_o = 32'(hist_cycles_i[47:32]);
      SlotEpochInsn:    rdata_o = 32'(epoch_insn_i);
      SlotEpochQuota:   rdata_o = 32'(epoch_quota_i);
      SlotAlpha:         rdata_o = 32'(alpha_i);
      SlotBudget:        rdata_o = 32'(tenant_q.budget);
      SlotIsoIpc:       rdata_o = tenant_q.iso_ipc;
      SlotSaveBase:     rdata_o = {tenant_q.save_base, 12'd0};
      SlotSaveLimit:    rdata_o = {tenant_q.save_limit, 12'd0};
      SlotIdempotent:    rdata_o = 32'(tenant_q.idempotent);
      SlotPreemptHold:  rdata_o = 32'(tenant_q.preempt_hold);
      SlotCachePolicy:  rdata_o = 32'(tenant_q.cache_policy);
      SlotStack:         rdata_o = {tenant_q.stack_base, 7'd0, tenant_q.stack_log2};
      SlotSaved:         rdata_o = {16'd0, 8'(saved_i.images), 8'(saved_i.queued)};
      SlotRatio:         rdata_o = 32'(ratio_i);
      default:            rdata_o = '0;
    endcase
  end

  assign valid_o = ctx_q.valid;
  assign qos_o = ctx_q.valid && ctx_q.qos;
  assign goal_o = goal_q;
  assign first_quota_o = first_quota_q;
  assign sm_mask_o = sm_mask_q;
  always_comb begin
    desc_o = desc_q;
    desc_o.stack_log2 = tenant_q.stack_log2;
    desc_o.stack_base = tenant_q.stack_base;
  end
  assign budget_o = tenant_q.budget;
  assign iso_ipc_o = tenant_q.iso_ipc;
  assign save_base_o = tenant_q.save_base;
  assign save_limit_o = tenant_q.save_limit;
  assign idempotent_o = tenant_q.idempotent;
  assign preempt_hold_o = tenant_q.preempt_hold;
  assign cache_policy_o = tenant_q.cache_policy;

`ifndef SYNTHESIS
  // LAUNCH's condition
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(launch_o && (busy_i || !ctx_q.valid)));
  // KILL's condition
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(kill_o && !busy_i));
`endif
endmodule
