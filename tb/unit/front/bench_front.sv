// SPDX-License-Identifier: Apache-2.0
// qsm_front with plain ports for the unit bench, and what it keeps of channels and slots beside
// them.
module bench_front
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  localparam int unsigned ChW = idx_w(NumCmd)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic [63:0]                cycle_i,
  input  logic                       host_valid_i,
  input  logic                       host_we_i,
  input  logic [19:0]                host_addr_i,
  input  logic [31:0]                host_wdata_i,
  output logic                       host_err_o,
  output logic [31:0]                host_rdata_o,
  input  logic                       concurrent_i,
  input  logic                       take_back_i,
  input  logic [NumKernels-1:0]      slots_i,
  input  logic [2:0]                 irq_write_i,
  input  logic                       snap_write_i,
  output logic [95:0]                irq_o,
  output logic [95:0]                snap_busy_o,
  output logic [63:0]                snap_cycle_o,
  input  logic [23:0]                link_interval_i,
  output logic                       snap_runs_o,
  output logic [7:0]                 snap_channel_o,
  output logic                       snap_copying_o,
  output logic [7:0]                 snap_copy_channel_o,
  output logic [NumKernels-1:0]      runs_o,
  output logic [NumKernels-1:0]      bound_o,
  output logic [NumKernels-1:0]      ended_o,
  output logic [NumKernels-1:0][7:0] owner_o,
  output logic [NumKernels-1:0]      overdue_o,
  output logic [NumKernels-1:0]      kill_sent_o,
  output logic [NumKernels-1:0]      yield_sent_o,
  output logic [NumKernels-1:0]      old_o,
  output logic [NumKernels-1:0][1:0] own_o,
  input  logic [NumKernels-1:0]      busy_i,
  input  logic [NumKernels-1:0]      killed_i,
  input  logic [NumKernels-1:0]      yielded_i,
  input  logic [2:0][31:0]           walk_i,
  input  logic [NumKernels-1:0][NumSms-1:0] resident_i,
  output logic [7:0]                 slot_o,
  input  logic [4:0]                 cause_i,
  output logic [7:0]                 count_sm_o,
  input  logic [39:0]                insn_i,
  output logic                       reg_valid_o,
  output logic                       reg_we_o,
  output logic [19:0]                reg_addr_o,
  output logic [31:0]                reg_wdata_o,
  input  logic                       reg_ready_i,
  input  logic                       reg_err_i,
  input  logic                       reg_again_i,
  output logic                       req_valid_o,
  output logic [1:0]                 req_kind_o,
  output logic [31:0]                req_addr_o,
  output logic [LineBytes-1:0]       req_bytes_o,
  output lanes_t                     req_data_o,
  output logic [15:0]                req_tag_o,
  output logic [7:0]                 req_slot_o,
  input  logic                       rsp_valid_i,
  input  logic [15:0]                rsp_tag_i,
  input  lanes_t                     rsp_data_i,
  // Registers inside.
  output logic [4:0]                 state_o,
  output logic [7:0]                 channel_o,
  output logic [3:0][7:0]            next_o,
  output logic [95:0]                enabled_o,
  output logic [95:0]                suspended_o,
  output logic [95:0]                held_o,
  output logic [95:0]                fresh_o,
  output logic [95:0]                stopped_o,
  output logic [95:0]                pending_o,
  output logic [95:0]                waits_o,
  output logic [95:0]                busy_o,
  output logic [191:0]               priority_o,  // 2 bit each
  output logic [95:0]                resumes_o,
  output logic                       copying_o,
  output logic                       copied_o,
  output logic [7:0]                 copy_owner_o
);
  ctl_req_t host, reg_req;
  ctl_rsp_t host_rsp;
  front_figures_t figures;
  mem_req_t mem_req;
  mem_rsp_t mem_rsp;
  logic [KernelW-1:0] slot;
  logic [SmW-1:0] count_sm;
  assign host = '{valid: host_valid_i, we: host_we_i, addr: host_addr_i, wdata: host_wdata_i};
  assign {host_err_o, host_rdata_o} = {host_rsp.err, host_rsp.rdata};
  assign irq_o = figures.irq;
  assign snap_busy_o = figures.snap_busy;
  assign snap_cycle_o = figures.snap_cycle;
  assign snap_runs_o = figures.snap_runs;
  assign snap_channel_o = figures.snap_channel;
  assign runs_o = figures.runs;
  assign bound_o = figures.bound;
  assign owner_o = figures.owner;
  assign snap_copying_o = figures.snap_copying;
  assign snap_copy_channel_o = figures.snap_copy_channel;
  assign slot_o = 8'(slot);
  assign count_sm_o = 8'(count_sm);
  assign reg_valid_o = reg_req.valid;
  assign reg_we_o = reg_req.we;
  assign reg_addr_o = reg_req.addr;
  assign reg_wdata_o = reg_req.wdata;
  assign req_valid_o = mem_req.valid;
  assign req_kind_o = mem_req.kind;
  assign req_addr_o = mem_req.addr;
  assign req_bytes_o = mem_req.bytes;
  assign req_data_o = mem_req.data;
  assign req_tag_o = 16'(mem_req.tag);
  assign req_slot_o = 8'(mem_req.slot);
  assign mem_rsp = '{valid: rsp_valid_i, tag: TagW'(rsp_tag_i), data: rsp_data_i};

  qsm_front u_front (
    .clk_i, .rst_ni, .cycle_i, .req_i(host), .rsp_o(host_rsp), .concurrent_i, .take_back_i,
    .slots_i, .irq_write_i, .snap_write_i, .link_interval_i, .figures_o(figures), .busy_i,
    .killed_i, .yielded_i, .resident_i, .slot_o(slot), .cause_i, .walk_i, .count_sm_o(count_sm),
    .insn_i, .reg_o(reg_req), .reg_ready_i, .reg_err_i, .reg_again_i, .mem_req_o(mem_req),
    .mem_rsp_i(mem_rsp)
  );
  assign state_o = 5'(u_front.u_seq.state_q);
  assign channel_o = 8'(u_front.u_seq.channel_q);
  always_comb for (int unsigned p = 0; p < 4; p++) next_o[p] = 8'(u_front.next_q[p]);
  always_comb begin
    {enabled_o, suspended_o, held_o, stopped_o, pending_o, busy_o, resumes_o} = '0;
    priority_o = '0;
    for (int unsigned c = 0; c < NumCmd; c++) begin
      enabled_o[c] = u_front.u_flags.all[c].enabled;
      suspended_o[c] = u_front.u_flags.all[c].suspended;
      held_o[c] = u_front.u_flags.all[c].held;
      stopped_o[c] = u_front.u_flags.all[c].stopped;
      pending_o[c] = u_front.u_flags.all[c].pending;
      busy_o[c] = u_front.u_flags.all[c].busy;
      resumes_o[c] = u_front.u_flags.all[c].resumes;
      priority_o[2*c +: 2] = u_front.u_flags.all[c].level;
    end
  end
  assign fresh_o = 96'(u_front.fresh);
  assign waits_o = 96'(u_front.u_flags.waits_q);
  assign ended_o = u_front.ended_q;
  assign overdue_o = u_front.overdue;
  assign kill_sent_o = u_front.u_watchdog.sent_q;
  assign yield_sent_o = u_front.yield_sent_q;
  assign old_o = u_front.old_q;
  assign own_o = u_front.own_q;
  assign copying_o = u_front.copying;
  assign copied_o = u_front.copied_q;
  assign copy_owner_o = 8'(u_front.copy_owner_q);
endmodule
