// SPDX-License-Identifier: Apache-2.0
// Which thread block goes where: candidate kernel and SM, and the first run of granules there.
// Contract: docs/tb_sched.md R-TB-9, R-TB-10.
// All from registers at the start of the cycle. While nothing may be dispatched the TB adjuster has
// the search for granules (docs/tb_adjust.md).
// Timing: kernel arbiter, choice of the SM, selection of that SM's tables, first fit of granules,
// in one cycle. Cost: an SM index per kernel.
module qsm_tb_dispatch #(
  parameter int unsigned NumSms = 4,      // 1..96
  parameter int unsigned NumKernels = 4,  // 1..8
  parameter int unsigned Granules = 32,   // power of two
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned GranW = $clog2(Granules)
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic                                   closed_i,    // nothing is dispatched in this cycle
  input  logic [NumKernels-1:0]                  ready_i,     // a block of this kernel waits
  input  logic [NumKernels-1:0][NumSms-1:0]      room_i,      // and may go there
  input  logic [NumKernels-1:0][GranW:0]         granules_i,  // per TB
  // Candidate. Whether it fits, granules not considered.
  output logic [KernelW-1:0]                     kernel_o,
  output logic [SmW-1:0]                         sm_o,
  input  logic [NumSms-1:0]                      fits_i,
  input  logic [NumSms-1:0][Granules-1:0]        free_granules_i,
  // The dispatch.
  output logic [NumKernels-1:0]                  dispatched_o,  // at most one bit
  output logic [NumSms-1:0]                      started_o,     // at most one bit
  output logic [GranW-1:0]                       base_o,
  output logic [Granules-1:0]                    run_o,
  // The adjuster's search, while closed_i.
  input  logic                                   lent_i,
  input  logic [Granules-1:0]                    lent_granules_i,
  input  logic [GranW:0]                         lent_len_i,
  output logic                                   found_o
);
  logic [NumKernels-1:0] kernel_req, kernel_grant;
  logic [NumSms-1:0] sm_req, sm_grant;
  logic candidate, sm_valid, dispatch;
  always_comb for (int unsigned k = 0; k < NumKernels; k++) kernel_req[k] = ready_i[k] &&
      (|room_i[k]) && !closed_i;
  qsm_rr_arb #(.N(NumKernels)) u_kernel_arb (
    .clk_i, .rst_ni, .req_i(kernel_req), .valid_o(candidate), .grant_o(kernel_grant),
    .idx_o(kernel_o)
  );
  assign sm_req = candidate ? room_i[kernel_o] : '0;
  // Each kernel goes round its SMs for itself: none passes by another's.
  logic [NumKernels-1:0][SmW-1:0] next_sm_q;
  logic [SmW-1:0] after_sm;
  qsm_rr_pick #(.N(NumSms)) u_sm_pick (
    .from_i(next_sm_q[kernel_o]), .req_i(sm_req), .valid_o(sm_valid), .grant_o(sm_grant),
    .idx_o(sm_o), .after_o(after_sm)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) next_sm_q <= '0;
    else if (candidate) next_sm_q[kernel_o] <= after_sm;
  end

  qsm_first_fit #(.N(Granules)) u_first_fit (
    .free_i(lent_i ? lent_granules_i : free_granules_i[sm_o]),
    .len_i(lent_i ? lent_len_i : granules_i[kernel_o]),
    .found_o, .base_o, .run_o
  );
  assign dispatch = sm_valid && fits_i[sm_o] && found_o;
  assign dispatched_o = dispatch ? kernel_grant : '0;
  assign started_o = dispatch ? sm_grant : '0;

`ifndef SYNTHESIS
  // R-TB-9: a candidate has room somewhere
  assert property (@(posedge clk_i) disable iff (!rst_ni) candidate == sm_valid);
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(lent_i && !closed_i));
`endif
endmodule
