// SPDX-License-Identifier: Apache-2.0
// Which thread block goes where, in three steps of a cycle each: candidate kernel and SM; its place
// there, with the first run of granules; whether it is still allowed then.
// Contract: docs/tb_sched.md R-TB-9, R-TB-10, R-TB-17.
// Each step looks at registers at the start of its cycle. A kernel whose next SM has a block under
// way waits, and others go before it, so that of an SM's resources only more can be free behind a
// step. While nothing may be dispatched the TB adjuster has the search for granules
// (docs/tb_adjust.md): its answer comes a cycle after the question.
// Timing: round-robin over the kernels beside one over the SMs of each; selection of an SM's tables
// and first fit; a check of one kernel on one SM. Cost: an SM index per kernel, two candidates.
module qsm_tb_dispatch #(
  parameter int unsigned NumSms = 4,      // 1..96
  parameter int unsigned NumKernels = 4,  // 1..8
  parameter int unsigned NumSched = 1,    // sub-cores per SM, 1..4
  parameter int unsigned MaxTbs = 8,      // TB slots per SM, 1..32
  parameter int unsigned Granules = 32,   // power of two
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned SubW = (NumSched > 1) ? $clog2(NumSched) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned GranW = $clog2(Granules)
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic                                   closed_i,    // no step is done in this cycle
  input  logic                                   decision_i,  // no message is sent in this cycle
  input  logic [NumKernels-1:0]                  ready_i,     // a block of this kernel waits,
  input  logic [NumKernels-1:0][NumSms-1:0]      open_i,      // may go there,
  input  logic [NumKernels-1:0][NumSms-1:0]      short_i,     // where it has less than its target
  input  logic [NumKernels-1:0][GranW:0]         granules_i,  // per TB
  // The kernel that looks for a place, on look_sm_o: whether it fits on each SM, granules not
  // considered, and where; granules that are free on look_sm_o.
  output logic [KernelW-1:0]                     look_kernel_o,
  output logic [SmW-1:0]                         look_sm_o,
  input  logic [NumSms-1:0]                      fits_i,
  input  logic [NumSms-1:0][TbW-1:0]             tb_i,
  input  logic [NumSms-1:0][SubW-1:0]            first_i,
  input  logic [Granules-1:0]                    free_granules_i,
  // The block that has a place, and whether it is dispatched.
  output logic [KernelW-1:0]                     kernel_o,
  output logic [SmW-1:0]                         sm_o,
  output logic [TbW-1:0]                         tb_o,
  output logic [SubW-1:0]                        first_o,
  output logic [GranW-1:0]                       base_o,
  output logic [Granules-1:0]                    run_o,
  output logic [NumKernels-1:0]                  dispatched_o,  // at most one bit
  output logic [NumSms-1:0]                      started_o,     // at most one bit
  output logic [NumSms-1:0]                      placed_o,      // where that block has its place
  // The adjuster's search, while closed_i: the answer, with run_o, in the next cycle. The length
  // stays until then.
  input  logic                                   lent_i,
  input  logic [Granules-1:0]                    lent_granules_i,
  input  logic [GranW:0]                         lent_len_i,
  output logic                                   found_o
);
  typedef struct packed {
    logic valid;
    logic [KernelW-1:0] kernel;
    logic [SmW-1:0] sm;
  } candidate_t;
  candidate_t look_q, go_q;  // looks for its place; has it

  // ---- candidate, R-TB-9 ----
  logic [NumSms-1:0] under_way;
  logic [NumKernels-1:0] asks, free, first, grant;  // free: asks and is not held up
  logic candidate, unused_some;
  logic [KernelW-1:0] from_q, kernel, after, unused_idx, unused_after;
  // Each kernel goes round its SMs for itself: none passes by another's.
  logic [NumKernels-1:0][SmW-1:0] next_sm_q, sm_of, after_of;
  always_comb begin
    under_way = '0;
    if (look_q.valid) under_way[look_q.sm] = 1'b1;
    if (go_q.valid) under_way[go_q.sm] = 1'b1;
  end
  for (genvar k = 0; k < NumKernels; k++) begin : g_kernel
    logic [NumSms-1:0] sms;
    logic some;
    qsm_rr_pick #(.N(NumSms)) u_sm_pick (
      .from_i(next_sm_q[k]), .req_i(open_i[k] & short_i[k]), .valid_o(some), .grant_o(sms),
      .idx_o(sm_of[k]), .after_o(after_of[k])
    );
    assign asks[k] = some && ready_i[k] && !closed_i;
    assign free[k] = asks[k] && (sms & under_way) == '0;
  end
  qsm_rr_pick #(.N(NumKernels)) u_first (
    .from_i(from_q), .req_i(asks), .valid_o(unused_some), .grant_o(first), .idx_o(unused_idx),
    .after_o(unused_after)
  );
  qsm_rr_pick #(.N(NumKernels)) u_kernel_pick (
    .from_i(from_q), .req_i(free), .valid_o(candidate), .grant_o(grant), .idx_o(kernel),
    .after_o(after)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_sm_q <= '0;
      from_q <= '0;
    end else if (candidate) begin
      next_sm_q[kernel] <= after_of[kernel];
      // Who is held up keeps its turn.
      if (grant == first) from_q <= after;
    end
  end

  // ---- place, R-TB-10 ----
  logic found, found_q;
  logic [GranW-1:0] base, base_q;
  logic [TbW-1:0] tb_q;
  logic [SubW-1:0] first_q;
  qsm_first_fit #(.N(Granules)) u_first_fit (
    .free_i(lent_i ? lent_granules_i : free_granules_i),
    .len_i(lent_i ? lent_len_i : granules_i[look_q.kernel]),
    .found_o(found), .base_o(base)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      look_q <= '0;
      go_q <= '0;
    end else begin
      look_q <= '{valid: candidate, kernel: kernel, sm: sm_of[kernel]};
      go_q <= look_q;
      go_q.valid <= look_q.valid && !closed_i && fits_i[look_q.sm] && found;
    end
  end
  always_ff @(posedge clk_i) begin
    found_q <= found;
    base_q <= base;
    tb_q <= tb_i[look_q.sm];
    first_q <= first_i[look_q.sm];
  end

  // ---- message, R-TB-17 ----
  logic dispatch;
  assign dispatch = go_q.valid && !closed_i && !decision_i && ready_i[go_q.kernel] &&
      open_i[go_q.kernel][go_q.sm];
  qsm_run_mask #(.N(Granules)) u_run (
    .base_i(base_q), .len_i(lent_i ? lent_len_i : granules_i[go_q.kernel]), .run_o
  );
  always_comb begin
    dispatched_o = '0;
    started_o = '0;
    placed_o = '0;
    dispatched_o[go_q.kernel] = dispatch;
    started_o[go_q.sm] = dispatch;
    placed_o[go_q.sm] = go_q.valid;
  end

  assign look_kernel_o = look_q.kernel;
  assign look_sm_o = look_q.sm;
  assign kernel_o = go_q.kernel;
  assign sm_o = go_q.sm;
  assign tb_o = tb_q;
  assign first_o = first_q;
  assign base_o = base_q;
  assign found_o = found_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(lent_i && !closed_i));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(look_q.valid && go_q.valid && look_q.sm == go_q.sm))
    else $error("R-TB-9: two blocks are under way to one SM");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !dispatch || short_i[go_q.kernel][go_q.sm])
    else $error("R-TB-17: a block above the target");
`endif
endmodule
