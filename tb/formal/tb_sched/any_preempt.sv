// SPDX-License-Identifier: Apache-2.0
// In place of qsm_preempt, which has a proof of its own: its outputs may say anything at any time.
// proofs.txt cannot open it, as yosys makes no black box of a module with types as parameters.
module qsm_preempt #(
  parameter int unsigned NumSms = 4,      // 1..96
  parameter int unsigned NumKernels = 4,  // 1..8
  parameter int unsigned MaxTbs = 8,      // 1..32
  parameter int unsigned NumImages = 8,   // 1..16
  parameter int unsigned LineBytes = 16,  // power of two, 8..128
  parameter int unsigned TicketW = 6,
  // Types of the ports, as in qsm_tb_sched.
  parameter type slot_regs_t = logic,
  parameter type desc_t = logic,
  parameter type preempt_req_t = logic,
  parameter type preempt_status_t = logic,
  parameter type job_t = logic,
  parameter type saved_t = logic,
  parameter type from_sm_t = logic,
  // Types between the two, from qsm_preempt_types.svh.
  parameter type evict_t = logic,
  parameter type launches_t = logic,
  parameter type ages_t = logic,
  parameter type next_t = logic,
  parameter type restore_t = logic,
  parameter type return_t = logic,
  parameter type save_t = logic,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Host: a request in the cycle of its write, the last decision of one (PREEMPT_STATUS), the job
  // of each SM (SMSEL_JOB), the images of each kernel (SAVED).
  input  preempt_req_t            host_i,
  output preempt_status_t         status_o,
  output job_t [NumSms-1:0]       job_o,
  output saved_t [NumKernels-1:0] saved_o,
  // TB adjuster.
  input  evict_t                            evict_i,
  output logic [NumSms-1:0][NumKernels-1:0] evict_refused_o,  // pulse
  // Moves of SMs.
  input  evict_t                            move_i,
  output logic [NumSms-1:0][NumKernels-1:0] move_refused_o,   // pulse

  // Launches, and whether one must not end yet.
  input  slot_regs_t [NumKernels-1:0] slot_regs_i,
  input  desc_t [NumKernels-1:0]      desc_i,
  input  launches_t                   launches_i,
  input  logic [NumKernels-1:0]       ending_i,
  output logic [NumKernels-1:0]       unfinished_o,
  // SMs: resident TBs; messages, with the ticket of a TB that retires
  input  ages_t                             ages_i,
  input  from_sm_t [NumSms-1:0]             from_sm_i,
  input  logic [TicketW-1:0]                retire_ticket_i,
  // a TB of this kernel is being saved here
  output logic [NumSms-1:0][NumKernels-1:0] saving_o,

  // Dispatch, R-PE-8.
  output logic [NumKernels-1:0]             resume_o,  // rs: a saved block is next
  // the job there keeps this kernel's blocks out
  output logic [NumKernels-1:0][NumSms-1:0] closed_o,
  input  logic [KernelW-1:0]                kernel_i,  // candidate
  output next_t                             next_o,    // its next saved block,
  input  restore_t                          restore_i, // which is dispatched

  // Tickets that come back by clean-up, R-PE-7; from no SM whose TB retires in this cycle.
  output return_t return_o,
  // Save or flush message; in a cycle with a decision nothing is dispatched.
  output save_t   save_o
);
  any_value #(.Width($bits(status_o))) u_status (.clk_i, .value_o(status_o));
  any_value #(.Width($bits(job_o))) u_job (.clk_i, .value_o(job_o));
  any_value #(.Width($bits(saved_o))) u_saved (.clk_i, .value_o(saved_o));
  any_value #(.Width($bits(evict_refused_o))) u_evict_refused (.clk_i, .value_o(evict_refused_o));
  any_value #(.Width($bits(move_refused_o))) u_move_refused (.clk_i, .value_o(move_refused_o));
  any_value #(.Width($bits(unfinished_o))) u_unfinished (.clk_i, .value_o(unfinished_o));
  any_value #(.Width($bits(saving_o))) u_saving (.clk_i, .value_o(saving_o));
  any_value #(.Width($bits(resume_o))) u_resume (.clk_i, .value_o(resume_o));
  any_value #(.Width($bits(closed_o))) u_closed (.clk_i, .value_o(closed_o));
  any_value #(.Width($bits(next_o))) u_next (.clk_i, .value_o(next_o));
  any_value #(.Width($bits(return_o))) u_return (.clk_i, .value_o(return_o));
  any_value #(.Width($bits(save_o))) u_save (.clk_i, .value_o(save_o));
endmodule
