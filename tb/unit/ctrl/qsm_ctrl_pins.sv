// SPDX-License-Identifier: Apache-2.0
// qsm_ctrl behind qsm_ctrl_choice, with a pin for each register and figure that the bench drives
// or looks at: written from docs/control_port.md, so that the generated structs are checked by name
// and width.
module qsm_ctrl_pins
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
(
  input  logic     clk_i,
  input  logic     rst_ni,
  input  ctl_req_t req_i,
  output ctl_rsp_t rsp_o,
  output logic     irq_o,

  // Front end: its answers to the host, its own writes.
  input  ctl_rsp_t   front_rsp_i,
  output logic [2:0] front_irq_o,
  output logic       front_snap_o,
  input  ctl_req_t   front_req_i,
  output logic       front_err_o,
  output logic       front_again_o,

  output logic [63:0]                       cycle_o,
  output desc_t [NumKernels-1:0]            desc_o,
  output logic [2:0]                        policy_o,
  output policy_param_t                     policy_param_o,
  output logic [3:0]                        scheme_o,
  output logic [NumKernels-1:0]             valid_o,
  output logic [NumKernels-1:0]             qos_o,
  output logic [NumKernels-1:0][30:0]       first_quota_o,
  output logic [NumKernels-1:0][31:0]       goal_o,
  output logic [NumKernels-1:0][NumSms-1:0] sm_mask_o,
  output logic [19:0]                       epoch_len_o,
  output logic [21:0]                       alpha_cap_o,
  output logic [7:0]                        rollover_cap_o,
  output logic [8:0]                        quota_rules_o,
  output logic [3:0]                        nonqos_quota_o,
  output logic [NumKernels-1:0][31:0]       iso_ipc_o,
  output logic [NumKernels-1:0][31:12]      save_base_o,
  output logic [NumKernels-1:0][31:12]      save_limit_o,
  output logic [NumKernels-1:0]             idempotent_o,
  output logic [NumKernels-1:0]             preempt_hold_o,
  output logic [NumKernels-1:0][1:0]        cache_policy_o,
  output logic [NumKernels-1:0][6:0]        warp_cap_o,
  output logic [NumKernels-1:0][2:0]        mem_split_o,
  output logic                              adjust_o,
  output logic [1:0]                        adjust_technique_o,
  output logic                              latecomers_o,
  output logic [NumKernels-1:0]             launch_o,
  output logic [NumKernels-1:0]             kill_o,
  output logic [NumKernels-1:0]             yield_o,
  output logic [NumKernels-1:0][2:0]        walk_write_o,
  output logic [31:0]                       walk_o,
  output logic [NumKernels-1:0]             arrival_o,
  output logic                              alloc_change_o,
  output logic [NumKernels-1:0]             hist_clear_o,
  output logic [4*NumKernels+31:0]          due_write_o,
  output logic                              icache_inv_o,
  output preempt_req_t                      preempt_o,
  output l2_flush_t                         l2_flush_o,
  output sm_request_t                       sm_request_o,
  output logic [1:0]                        move_technique_o,
  output logic                              sm_gating_o,
  output logic [15:0]                       wake_lat_o,

  input  logic [NumKernels-1:0]                  busy_i,
  input  logic [NumKernels-1:0]                  killed_i,
  input  logic [NumKernels-1:0]                  yielded_i,
  input  logic [NumKernels-1:0][2:0][31:0]       walk_i,  // WALK_XY, WALK_Z, WALK_LINEAR
  input  logic [NumKernels-1:0]                  ended_i,
  input  logic [NumKernels-1:0][31:0]            launches_i,
  input  logic [NumKernels-1:0]                  faulted_i,
  input  logic [NumKernels-1:0][SmW-1:0]         fault_sm_i,
  input  logic                                   alloc_busy_i,
  input  logic [NumSms-1:0][NumKernels-1:0][5:0] cnt_i,
  input  logic [NumSms-1:0][NumKernels-1:0][5:0] target_i,
  input  preempt_status_t                        preempt_status_i,
  input  job_t [NumSms-1:0]                      job_i,
  input  saved_t [NumKernels-1:0]                saved_i,
  input  logic                                   adjust_busy_i,
  output mem_select_t                            mem_select_o,
  input  logic [31:0]                            mem_value_i,
  input  logic [31:0]                            sa_value_i,
  input  logic                                   l2_flushing_i,
  input  logic                                   snapshot_i,
  input  logic                                   sm_mgr_i,
  input  sm_owner_t [NumSms-1:0]                 owner_i,
  input  logic [31:0]                            moves_i,
  input  logic [47:0]                            move_cycles_i,
  input  logic [47:0]                            gated_cycles_i,
  input  logic [47:0]                            shared_cycles_i,
  input  logic [31:0]                            wakes_i,
  input  logic [NumKernels-1:0][47:0]            owned_cycles_i,
  // of the front end: IRQ and busy bits of channels, {busy, channel}, {runs, bound, owner}
  input  logic [2:0][31:0]                       front_irq_i,
  input  logic [2:0][31:0]                       snap_busy_i,
  input  logic [63:0]                            snap_cycle_i,
  input  logic [24:0]                            snap_engine_i,
  input  logic [NumKernels-1:0][9:0]             channel_i,
  output logic [1:0]                             front_mode_o,
  output logic [23:0]                            link_interval_o,
  output logic [NumKernels-1:0]                  front_slots_o,
  // {eval, lower, upper, opt, count}
  input  logic [NumKernels-1:0][17:0]            sm_record_i,
  input  logic                                   mgr_busy_i,
  input  logic [31:0]                            epoch_count_i,
  input  logic [31:0]                            epoch_e_lo_i,
  input  logic [NumKernels-1:0][47:0]            hist_insn_i,
  input  logic [NumKernels-1:0][47:0]            hist_cycles_i,
  input  logic [NumKernels-1:0][30:0]            epoch_insn_i,
  input  logic [NumKernels-1:0][30:0]            epoch_quota_i,
  input  logic [NumKernels-1:0][21:0]            alpha_i,
  input  logic [NumKernels-1:0][21:0]            ratio_i,
  output logic [KernelW-1:0]                      fault_kernel_o,
  output logic [SubW-1:0]                         stall_sub_o,
  output logic [KernelW-1:0]                      stall_kernel_o,
  output logic [2:0]                              stall_reason_o,
  output logic [KernelW-1:0]                      energy_slot_o,
  output logic [3:0]                              energy_event_o,
  input  sm_figures_t [NumSms-1:0]                figures_i
);
  gpu_regs_t gpu_regs;
  slot_regs_t [NumKernels-1:0] slot_regs;
  gpu_figures_t gpu_figures;
  slot_figures_t [NumKernels-1:0] slot_figures;
  tb_status_t tb;
  always_comb begin
    // verilator lint_off WIDTHCONCAT
    tb = 'x;  // over 8,192 bits where there are many SMs
    // verilator lint_on WIDTHCONCAT
    tb.ended = ended_i;
    tb.faulted = faulted_i;
    tb.fault_sm = fault_sm_i;
    tb.cnt = cnt_i;
    tb.target = target_i;
    tb.job = job_i;
    tb.owner = owner_i;
  end

  ctl_req_t req;
  logic host;
  slot_rules_t rules;
  qsm_ctrl_choice u_choice (
    .clk_i, .rst_ni, .host_i(req_i), .front_i(front_req_i), .req_o(req), .host_o(host),
    .rules_o(rules)
  );
  // The counter that was asked for; nonsense where none was.
  logic count_ask;
  logic [SmCounterW-1:0] count_which;
  logic [47:0] count, count_q;
  always_comb begin
    count = 48'hBAD0BAD0BAD0;
    if (count_ask) begin
      case (count_which)
        SmCounterW'(0): count = 48'(moves_i);
        SmCounterW'(1): count = 48'(wakes_i);
        SmCounterW'(2): count = move_cycles_i;
        SmCounterW'(3): count = gated_cycles_i;
        SmCounterW'(4): count = shared_cycles_i;
        default: count = owned_cycles_i[KernelW'(count_which - SmCounterW'(5))];
      endcase
    end
  end
  always_ff @(posedge clk_i) count_q <= count;
  qsm_ctrl u_ctrl (
    .clk_i, .rst_ni, .req_i(req), .host_i(host), .rules_i(rules), .rsp_o, .irq_o,
    .front_rsp_i, .front_irq_o, .front_snap_o, .front_err_o, .front_again_o,
    .gpu_regs_o(gpu_regs), .slot_regs_o(slot_regs),
    .gpu_figures_i(gpu_figures), .slot_figures_i(slot_figures),
    .cycle_o, .desc_o, .policy_param_o, .qos_o,
    .launch_o, .kill_o, .yield_o, .walk_write_o, .walk_o, .arrival_o, .alloc_change_o,
    .hist_clear_o, .due_write_o, .icache_inv_o, .preempt_o,
    .l2_flush_o, .sm_request_o, .sm_count_ask_o(count_ask), .sm_count_which_o(count_which),
    .sm_count_i(count_q), .sm_mgr_i,
    .tb_i(tb), .mem_value_i, .sa_value_i, .snapshot_i, .fault_kernel_o, .figures_i
  );

  assign policy_o = gpu_regs.policy;
  assign scheme_o = gpu_regs.scheme;
  assign epoch_len_o = gpu_regs.epoch_len;
  assign alpha_cap_o = gpu_regs.alpha_cap;
  assign rollover_cap_o = gpu_regs.rollover_cap;
  assign quota_rules_o = gpu_regs.quota_rules;
  assign nonqos_quota_o = gpu_regs.nonqos_quota;
  assign adjust_o = gpu_regs.adjust;
  assign adjust_technique_o = gpu_regs.adjust_technique;
  assign latecomers_o = gpu_regs.latecomers.on;
  assign move_technique_o = gpu_regs.move_technique;
  assign sm_gating_o = gpu_regs.sm_gating[0];
  assign wake_lat_o = gpu_regs.wake_lat;
  assign stall_sub_o = gpu_regs.stall_select.subcore;
  assign stall_kernel_o = gpu_regs.stall_select.slot;
  assign stall_reason_o = gpu_regs.stall_select.reason;
  assign energy_slot_o = gpu_regs.energy_select.slot;
  assign energy_event_o = gpu_regs.energy_select.what;
  assign mem_select_o.channel = gpu_regs.mem_select.channel;
  assign mem_select_o.slot = gpu_regs.mem_select.slot;
  assign mem_select_o.counter = gpu_regs.mem_select.counter;
  assign gpu_figures.epoch_count = epoch_count_i;
  assign gpu_figures.epoch_e_lo = epoch_e_lo_i;
  assign gpu_figures.alloc_busy = alloc_busy_i;
  assign gpu_figures.mgr_busy = mgr_busy_i;
  assign gpu_figures.preempt_status.sm = preempt_status_i.sm;
  assign gpu_figures.preempt_status.image = preempt_status_i.image;
  assign gpu_figures.preempt_status.tb = preempt_status_i.tb;
  assign gpu_figures.preempt_status.code = preempt_status_i.code;
  assign gpu_figures.adjust_busy = adjust_busy_i;
  assign gpu_figures.l2_flush = l2_flushing_i;
  assign gpu_figures.moves = '0;
  assign gpu_figures.move_cycles = '0;
  assign gpu_figures.gated_cycles = '0;
  assign gpu_figures.shared_cycles = '0;
  assign gpu_figures.wakes = '0;
  assign {gpu_figures.front_irq2, gpu_figures.front_irq1, gpu_figures.front_irq0} = front_irq_i;
  assign {gpu_figures.snap_busy2, gpu_figures.snap_busy1, gpu_figures.snap_busy0} = snap_busy_i;
  assign gpu_figures.snap_cycle = snap_cycle_i;
  assign gpu_figures.snap_engine.copying = snap_engine_i[24];
  assign gpu_figures.snap_engine.copy_channel = snap_engine_i[23:16];
  assign gpu_figures.snap_engine.busy = snap_engine_i[8];
  assign gpu_figures.snap_engine.channel = snap_engine_i[7:0];
  assign front_mode_o = gpu_regs.front_mode;
  assign front_slots_o = gpu_regs.front_slots;
  assign link_interval_o = gpu_regs.link_interval;
  for (genvar k = 0; k < NumKernels; k++) begin : g_slot
    assign valid_o[k] = slot_regs[k].ctx.valid;
    assign first_quota_o[k] = slot_regs[k].first_quota;
    assign goal_o[k] = slot_regs[k].goal;
    assign sm_mask_o[k] = slot_regs[k].sm_mask;
    assign iso_ipc_o[k] = slot_regs[k].iso_ipc;
    assign save_base_o[k] = slot_regs[k].save_base;
    assign save_limit_o[k] = slot_regs[k].save_limit;
    assign idempotent_o[k] = slot_regs[k].idempotent;
    assign preempt_hold_o[k] = slot_regs[k].preempt_hold;
    assign cache_policy_o[k] = slot_regs[k].cache_policy;
    assign warp_cap_o[k] = 7'(slot_regs[k].warp_cap);
    assign mem_split_o[k] = 3'(slot_regs[k].mem_split);
    assign slot_figures[k].status.busy = busy_i[k];
    assign slot_figures[k].status.killed = killed_i[k];
    assign slot_figures[k].status.yielded = yielded_i[k];
    assign slot_figures[k].walk_xy = walk_i[k][0];
    assign slot_figures[k].walk_z = walk_i[k][1][15:0];
    assign slot_figures[k].walk_linear = walk_i[k][2];
    assign slot_figures[k].launches = launches_i[k];
    assign slot_figures[k].hist_insn = hist_insn_i[k];
    assign slot_figures[k].hist_cycles = hist_cycles_i[k];
    assign slot_figures[k].epoch_insn = epoch_insn_i[k];
    assign slot_figures[k].epoch_quota = epoch_quota_i[k];
    assign slot_figures[k].alpha = alpha_i[k];
    assign slot_figures[k].saved.images = saved_i[k].images;
    assign slot_figures[k].saved.queued = saved_i[k].queued;
    assign slot_figures[k].ratio = ratio_i[k];
    assign slot_figures[k].owned_cycles = '0;
    assign slot_figures[k].channel.owner = channel_i[k][7:0];
    assign slot_figures[k].channel.bound = channel_i[k][8];
    assign slot_figures[k].channel.runs = channel_i[k][9];
    assign slot_figures[k].sm_record.eval = qsm_enums_pkg::eval_e'(sm_record_i[k][17:16]);
    assign slot_figures[k].sm_record.lower = sm_record_i[k][15];
    assign slot_figures[k].sm_record.upper = sm_record_i[k][14];
    assign slot_figures[k].sm_record.opt = sm_record_i[k][13:7];
    assign slot_figures[k].sm_record.count = sm_record_i[k][6:0];
  end
endmodule
