// SPDX-License-Identifier: Apache-2.0
// Control port: decides which access is accepted, answers one cycle later, holds the registers (in
// qsm_gpu_regs and qsm_slot_regs).
// Contract: docs/control_port.md. Latency: 1 cycle; a write shows in the *_o registers from the
// next cycle on, pulses are in its own.
// Map: 0x0000 GPU registers, 0x0100 to 0x024F figures of the selected SM, 0x1000 + 0x100*k slot
// registers.
module qsm_ctrl
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
(
  input  logic     clk_i,
  input  logic     rst_ni,
  input  ctl_req_t req_i,
  output ctl_rsp_t rsp_o,
  output logic     irq_o,

  // Registers.
  output logic [63:0]                       cycle_o,
  output desc_t [NumKernels-1:0]            desc_o,
  output policy_e                           policy_o,
  output policy_param_t                     policy_param_o,
  output scheme_e                           scheme_o,
  output logic [NumKernels-1:0]             valid_o,
  output logic [NumKernels-1:0]             qos_o,          // valid and QoS
  output logic [NumKernels-1:0][30:0]       first_quota_o,
  output logic [NumKernels-1:0][31:0]       goal_o,
  output logic [NumKernels-1:0][NumSms-1:0] sm_mask_o,
  output logic [19:0]                       epoch_len_o,
  output logic [18:0]                       alpha_cap_o,
  output logic [7:0]                        rollover_cap_o,
  output logic                              alpha_en_o,
  output logic [3:0]                        nonqos_quota_o,
  output logic [NumKernels-1:0][31:0]       iso_ipc_o,
  output logic [NumKernels-1:0][31:12]      save_base_o,
  output logic [NumKernels-1:0][31:12]      save_limit_o,
  output logic [NumKernels-1:0]             idempotent_o,
  output logic [NumKernels-1:0]             preempt_hold_o,
  output logic [NumKernels-1:0][1:0]        cache_policy_o,
  output logic                              adjust_o,
  output logic [1:0]                        adjust_technique_o,
  output logic                              latecomers_o,
  // Pulses.
  output logic [NumKernels-1:0]             launch_o,
  output logic [NumKernels-1:0]             kill_o,
  output logic [NumKernels-1:0]             arrival_o,
  output logic                              alloc_change_o,
  output logic [NumKernels-1:0]             hist_clear_o,
  output logic                              icache_inv_o,
  output preempt_req_t                      preempt_o,
  output logic                              l2_flush_o,

  // TB scheduler.
  input  logic [NumKernels-1:0]                  busy_i,
  input  logic [NumKernels-1:0]                  killed_i,
  input  logic [NumKernels-1:0]                  ended_i,  // pulse
  input  logic [NumKernels-1:0][31:0]            launches_i,
  input  logic [NumKernels-1:0]                  faulted_i,   // killed by a fault
  input  logic [NumKernels-1:0][SmW-1:0]         fault_sm_i,  // SM that has its record
  input  logic                                   alloc_busy_i,
  input  logic [NumSms-1:0][NumKernels-1:0][5:0] cnt_i,
  input  logic [NumSms-1:0][NumKernels-1:0][5:0] target_i,

  // Preemption engine, TB adjuster.
  input  preempt_status_t          preempt_status_i,
  input  job_t [NumSms-1:0]        job_i,
  input  saved_t [NumKernels-1:0]  saved_i,
  input  logic                     adjust_busy_i,

  // L2 slices, memory controllers, L1s.
  output mem_select_t mem_select_o,   // a register
  // that counter, in the same cycle, if it is of a channel
  input  logic [31:0] mem_value_i,
  input  logic        l2_flushing_i,

  // QoS manager.
  input  logic                        snapshot_i,  // this cycle is E
  input  logic                        mgr_busy_i,
  input  logic [31:0]                 epoch_count_i,
  input  logic [31:0]                 epoch_e_lo_i,
  input  logic [NumKernels-1:0][47:0] hist_insn_i,
  input  logic [NumKernels-1:0][47:0] hist_cycles_i,
  input  logic [NumKernels-1:0][30:0] epoch_insn_i,
  input  logic [NumKernels-1:0][30:0] epoch_quota_i,
  input  logic [NumKernels-1:0][18:0] alpha_i,
  input  logic [NumKernels-1:0][18:0] ratio_i,

  // SMs.
  output logic [KernelW-1:0]       fault_kernel_o,  // whose record is asked for, a register
  output logic [SubW-1:0]          stall_sub_o,
  output logic [KernelW-1:0]       stall_kernel_o,
  output logic [2:0]               stall_reason_o,
  input  sm_figures_t [NumSms-1:0] figures_i        // what these ask for: in the same cycle
);
  // ---- decode ----
  logic aligned, in_gpu, in_smsel, in_idle, in_front, in_slots;
  logic [15:0] off;  // register of a slot
  logic [3:0] slot_field;
  logic [KernelW-1:0] slot;
  logic slot_exists, mgr_quiet;
  assign aligned = req_i.addr[1:0] == '0;
  assign in_gpu = req_i.addr[15:8] == '0;
  assign in_smsel = req_i.addr[15:8] == SmselBase[15:8];
  assign in_idle = req_i.addr[15:6] == RegSmselIdle[15:6];
  assign in_front = req_i.addr[15:6] == RegSmselFront[15:6] && 32'(req_i.addr[5:2]) < NumSched;
  assign in_slots = req_i.addr[15:12] == SlotBase[15:12];
  assign off = {8'd0, req_i.addr[7:0]};
  assign slot_field = in_slots ? req_i.addr[11:8] : in_smsel ? req_i.addr[7:4] : req_i.addr[5:2];
  assign slot = slot_field[KernelW-1:0];
  assign slot_exists = 32'(slot_field) < NumKernels;
  assign mgr_quiet = !mgr_busy_i && !snapshot_i;

  // ---- GPU registers ----
  logic gpu_ok;
  logic [31:0] gpu_rdata;
  logic [NumKernels-1:0] irq_bits;
  logic policy_write;
  logic [4:0] active_warps;
  logic [SmW-1:0] sm_select;
  qsm_gpu_regs u_gpu_regs (
    .clk_i, .rst_ni,
    .sel_i(req_i.valid && in_gpu), .we_i(req_i.we), .addr_i(req_i.addr), .wdata_i(req_i.wdata),
    .ok_o(gpu_ok), .rdata_o(gpu_rdata),
    .irq_o, .irq_bits_o(irq_bits), .ended_i, .cycle_o, .icache_inv_o, .policy_o,
    .policy_write_o(policy_write),
    .active_warps_o(active_warps), .scheme_o, .epoch_len_o, .alpha_cap_o,
    .rollover_cap_o, .alpha_en_o, .nonqos_quota_o, .sm_select_o(sm_select), .stall_sub_o,
    .stall_kernel_o, .stall_reason_o,
    .adjust_o, .adjust_technique_o, .latecomers_o, .preempt_o,
    .alloc_busy_i, .mgr_quiet_i(mgr_quiet), .mgr_busy_i, .epoch_count_i, .epoch_e_lo_i,
    .stall_value_i(figures_i[sm_select].stall_value),
    .adjust_busy_i, .preempt_status_i, .job_i(job_i[sm_select]),
    .phase_i(figures_i[sm_select].save_phase),
    .mem_select_o, .l2_flush_o, .mem_value_i(mem_select_o.counter[4] ? figures_i[sm_select].l1_value
        : mem_value_i), .l2_flushing_i
  );

  // ---- figures of the selected SM ----
  logic smsel_ok;
  logic [31:0] smsel_rdata;
  qaws_front_t front;
  assign smsel_ok = ((in_smsel || in_idle) ? slot_exists : in_front) && !req_i.we;
  assign front = figures_i[sm_select].qaws_front[req_i.addr[2 +: SubW]];
  always_comb begin
    if (in_idle) smsel_rdata = 32'(figures_i[sm_select].snap_idle[slot]);
    else if (in_front) smsel_rdata = {8'd0, front.ncs, 7'd0, front.valid, front.budget};
    else case (req_i.addr[3:2])
      2'd0: smsel_rdata = figures_i[sm_select].snap_c[slot];
      2'd1: smsel_rdata = figures_i[sm_select].snap_insn[slot];
      2'd2: smsel_rdata = 32'(figures_i[sm_select].quota[slot]);
      default: smsel_rdata = {16'd0, 8'(target_i[sm_select][slot]), 8'(cnt_i[sm_select][slot])};
    endcase
  end

  // ---- slot registers ----
  logic known, writable, value_ok, idle_only, quiet_only, slot_ok, state_ok;
  logic [NumKernels-1:0] slot_we, alloc_change;
  logic [NumKernels-1:0][31:0] slot_rdata;
  qsm_slot_rules u_slot_rules (
    .off_i(off), .wdata_i(req_i.wdata), .known_o(known), .writable_o(writable),
    .value_ok_o(value_ok),
    .idle_o(idle_only), .quiet_o(quiet_only)
  );
  // ---- budgets, qaws.md R-QW-4 and R-QW-10 ----
  logic [NumKernels-1:0][7:0] budget;
  logic [NumKernels-1:0] budget_write, restart_q;
  logic groups_ok;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) restart_q <= '0;
    else restart_q <= policy_write ? '1 : budget_write;
  end
  assign policy_param_o = '{budget: budget, restart: restart_q, active_warps: active_warps};

  if (NumGroups < NumKernels) begin : g_groups
    // Running kernels and the one that this write is about, with the budget that it would have.
    logic [NumKernels-1:0] counts, is_new;
    logic [NumKernels-1:0][7:0] value;
    always_comb begin
      counts = busy_i | (NumKernels'(1) << slot);
      value = budget;
      if (off == SlotBudget) value[slot] = req_i.wdata[7:0];
      is_new = counts;
      for (int unsigned k = 1; k < NumKernels; k++) begin
        for (int unsigned j = 0; j < k; j++)
          if (counts[j] && value[j] == value[k]) is_new[k] = 1'b0;
      end
    end
    assign groups_ok = $countones(is_new) <= NumGroups;
  end else begin : g_all_groups
    assign groups_ok = 1'b1;
  end

  always_comb begin
    case (off)
      SlotLaunch: state_ok = valid_o[slot] && !busy_i[slot] && !irq_bits[slot] && groups_ok;
      SlotKill:   state_ok = busy_i[slot];
      SlotBudget: state_ok = !busy_i[slot] || groups_ok;
      default:     state_ok = (!idle_only || !busy_i[slot]) && (!quiet_only || mgr_quiet);
    endcase
    slot_ok = slot_exists && known && (!req_i.we || (writable && value_ok && state_ok));
    slot_we = (req_i.valid && req_i.we && in_slots && slot_ok) ? NumKernels'(1) << slot : '0;
  end

  for (genvar k = 0; k < NumKernels; k++) begin : g_slot
    qsm_slot_regs u_slot_regs (
      .clk_i, .rst_ni, .we_i(slot_we[k]), .off_i(off), .wdata_i(req_i.wdata),
      .rdata_o(slot_rdata[k]),
      .valid_o(valid_o[k]), .qos_o(qos_o[k]), .goal_o(goal_o[k]), .first_quota_o(first_quota_o[k]),
      .sm_mask_o(sm_mask_o[k]),
      .desc_o(desc_o[k]), .budget_o(budget[k]), .budget_write_o(budget_write[k]),
      .iso_ipc_o(iso_ipc_o[k]), .save_base_o(save_base_o[k]), .save_limit_o(save_limit_o[k]),
      .idempotent_o(idempotent_o[k]),
      .preempt_hold_o(preempt_hold_o[k]), .cache_policy_o(cache_policy_o[k]),
      .arrival_o(arrival_o[k]), .alloc_change_o(alloc_change[k]), .launch_o(launch_o[k]),
      .kill_o(kill_o[k]),
      .hist_clear_o(hist_clear_o[k]),
      .busy_i(busy_i[k]), .killed_i(killed_i[k]), .launches_i(launches_i[k]),
      .faulted_i(faulted_i[k]),
      .hist_insn_i(hist_insn_i[k]), .hist_cycles_i(hist_cycles_i[k]),
      .epoch_insn_i(epoch_insn_i[k]),
      .epoch_quota_i(epoch_quota_i[k]), .alpha_i(alpha_i[k]), .saved_i(saved_i[k]),
      .ratio_i(ratio_i[k])
    );
  end
  assign alloc_change_o = |alloc_change;

  // ---- response ----
  ctl_rsp_t rsp_d, rsp_q;
  logic ok;
  always_comb begin
    ok = aligned && ((in_gpu && gpu_ok) || smsel_ok || (in_slots && slot_ok));
    rsp_d = '0;
    if (req_i.valid && !ok) rsp_d.err = 1'b1;
    if (req_i.valid && ok && !req_i.we) begin
      rsp_d.rdata = in_gpu ? gpu_rdata : in_slots ? slot_rdata[slot] : smsel_rdata;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rsp_q <= '0;
    else rsp_q <= rsp_d;
  end

  // ---- fault records: the SM that has it shows it in the cycle of the response ----
  logic record_read_q;
  logic [15:0] record_off_q;
  logic [SmW-1:0] record_sm_q;
  logic [31:0] record_word;
  fault_t record;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) record_read_q <= 1'b0;
    else record_read_q <= req_i.valid && ok && !req_i.we && in_slots && faulted_i[slot];
  end
  always_ff @(posedge clk_i) begin
    fault_kernel_o <= slot;
    record_off_q <= off;
    record_sm_q <= fault_sm_i[slot];
  end
  assign record = figures_i[record_sm_q].fault_record;
  always_comb begin
    case (record_off_q)
      SlotFaultCause: record_word = 32'(record.cause);
      SlotFaultPc:    record_word = record.pc;
      SlotFaultTid:   record_word = 32'(record.tid);
      SlotFaultBlock: record_word = record.block;
      SlotFaultValue: record_word = record.value;
      default:        record_word = '0;
    endcase
    rsp_o = rsp_q;
    // of the registers none but the SM's has a value
    if (record_read_q) rsp_o.rdata |= record_word;
  end

`ifndef SYNTHESIS
  // R-CP-2: refused writes change nothing
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(rsp_d.err && (slot_we != '0)));
`endif
endmodule
