// SPDX-License-Identifier: Apache-2.0
// One SM as a Verilated model of its own, of which the shim makes NumSms. Every input of an SM
// comes from registers of the GPU level (R-GEN-2, R-GEN-3), so the value that it has after a clock
// edge is known before any SM has seen that edge. A copy of those registers stands here: the shim
// evaluates the GPU level first and gives its new outputs, and then one evaluation of the SM does
// the edge and all that follows from the new inputs.
module qsm_sm_block
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_sm_pins_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  input  logic dump_i,               // as of qsm_cosim
  input  logic [ToSmW-1:0] to_sm_i,  // with a rising edge: as it is after that edge
  output logic [FromSmW-1:0] from_sm_o
);
  to_sm_t to_sm;
  from_sm_t from_sm;
  assign to_sm = to_sm_i;
  assign from_sm_o = from_sm;
  always_comb qsm_monitor_pkg::dump = dump_i;

  // Apart, as Verilator would copy all of a struct where a field is read.
  logic [SmW-1:0] sm_id_q;
  logic [63:0] cycle_q;
  desc_t [NumKernels-1:0] desc_q;
  policy_e policy_q;
  policy_param_t policy_param_q;
  logic [NumKernels-1:0] qos_q, start_q, kill_q, skip_l1_q;
  logic [30:0] first_quota_q;
  logic [31:12] save_base_q;
  logic [19:0] epoch_len_q;
  dispatch_t dispatch_q;
  logic icache_inv_q, tick_q, sample_q;
  quota_word_t quota_word_q;
  quota_load_t quota_load_q;
  logic [SubW-1:0] stall_sub_q;
  logic [KernelW-1:0] stall_kernel_q, fault_kernel_q, l1_slot_q;
  logic [2:0] stall_reason_q, l1_counter_q;
  mem_rsp_t rsp_q;
  always_ff @(posedge clk_i) begin
    sm_id_q <= to_sm.sm_id;
    cycle_q <= to_sm.cycle;
    desc_q <= to_sm.desc;
    policy_q <= to_sm.policy;
    policy_param_q <= to_sm.policy_param;
    qos_q <= to_sm.qos;
    first_quota_q <= to_sm.first_quota;
    save_base_q <= to_sm.save_base;
    epoch_len_q <= to_sm.epoch_len;
    skip_l1_q <= to_sm.skip_l1;
    start_q <= to_sm.start;
    kill_q <= to_sm.kill;
    dispatch_q <= to_sm.dispatch;
    icache_inv_q <= to_sm.icache_inv;
    tick_q <= to_sm.tick;
    sample_q <= to_sm.sample;
    quota_word_q <= to_sm.quota_word;
    quota_load_q <= to_sm.quota_load;
    fault_kernel_q <= to_sm.fault_kernel;
    stall_sub_q <= to_sm.stall_sub;
    stall_kernel_q <= to_sm.stall_kernel;
    stall_reason_q <= to_sm.stall_reason;
    l1_slot_q <= to_sm.l1_slot;
    l1_counter_q <= to_sm.l1_counter;
    rsp_q <= to_sm.rsp;
  end

  qsm_sm u_sm (
    .clk_i, .rst_ni, .sm_id_i(sm_id_q), .cycle_i(cycle_q),
    .desc_i(desc_q), .policy_i(policy_q), .policy_param_i(policy_param_q), .qos_i(qos_q),
    .first_quota_i(first_quota_q), .epoch_len_i(epoch_len_q), .save_base_i(save_base_q),
    .skip_l1_i(skip_l1_q),
    .start_i(start_q), .kill_i(kill_q), .dispatch_i(dispatch_q), .icache_inv_i(icache_inv_q),
    .tick_i(tick_q), .sample_i(sample_q), .quota_word_i(quota_word_q), .quota_load_i(quota_load_q),
    .retire_o(from_sm.retire), .restored_o(from_sm.restored), .fault_o(from_sm.fault),
    .fault_kernel_i(fault_kernel_q), .fault_record_o(from_sm.fault_record),
    .snap_c_o(from_sm.snap_c), .snap_insn_o(from_sm.snap_insn), .quota_o(from_sm.quota),
    .snap_idle_o(from_sm.snap_idle),
    .stall_sub_i(stall_sub_q), .stall_kernel_i(stall_kernel_q), .stall_reason_i(stall_reason_q),
    .stall_value_o(from_sm.stall_value), .l1_slot_i(l1_slot_q), .l1_counter_i(l1_counter_q),
    .l1_value_o(from_sm.l1_value),
    .save_phase_o(from_sm.save_phase), .qaws_front_o(from_sm.qaws_front), .req_o(from_sm.req),
    .rsp_i(rsp_q)
  );
endmodule
