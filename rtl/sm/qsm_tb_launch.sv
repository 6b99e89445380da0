// SPDX-License-Identifier: Apache-2.0
// Thread-block slots of an SM: arrival, launch of the warps, retirement. docs/sm.md (R-SM-1, 2, 4,
// 5), docs/preemption.md (R-PE-13, R-PE-21, R-PE-22).
// Contract: the TB scheduler names a free slot and guarantees room in the sub-cores; a slot is
// queued at most once, so
//   the queue (one place per slot) cannot overflow.
// Latency: dispatch seen in a: first warp starts in a + 1; then one warp per cycle. Retire: the
// cycle after left = 0 and clean.
// Cost: MaxTbs x (tb_info_t + first) flip-flops, the queue in distributed RAM.
// Observed by the lockstep monitor: arrive_i (ARRIVE); launch_valid, start_o (START);
//   retire_o (RETIRE); tb_valid_q, tb_info_o, tb_first_q (state).
module qsm_tb_launch
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  desc_t       [NumKernels-1:0] desc_i,
  // warps of a killed kernel start with no live lane
  input  logic        [NumKernels-1:0] killed_i,
  // a new or restored block, in the cycle in which it is seen
  input  dispatch_t                    arrive_i,
  // The frozen slot, what happens to it, and whether its state lies in an image
  input  freeze_t                      freeze_i,
  // in the next cycle, unless it retires in this one
  input  freeze_t                      freeze_next_i,
  input  logic                         restoring_i,
  input  logic                         fresh_i,      // its warps start from the beginning
  input  logic                         saved_i,
  input  logic        [MaxTbs-1:0]     left_zero_i,  // no warp left, from qsm_barrier
  input  logic        [MaxTbs-1:0]     clean_i,      // its shared memory is zeros, from qsm_wipe
  // all its warps have finished; only its shared memory is left
  output logic        [MaxTbs-1:0]     over_o,
  output logic        [MaxTbs-1:0]     tb_valid_o,
  output tb_info_t    [MaxTbs-1:0]     tb_info_o,
  output logic        [MaxTbs-1:0][SubW-1:0] tb_first_o,
  output logic        [MaxTbs-1:0]     queued_o,     // not all its warps have started
  output logic        [NumKernels-1:0] present_o,    // without a block that is being saved
  output logic        [NumKernels-1:0] runnable_o,   // without the frozen block
  output warp_start_t [NumSched-1:0]   start_o,      // at most one is valid
  output retire_t                      retire_o
);
  localparam logic [SubW-1:0] LastSub = SubW'(NumSched - 1);

  logic     [MaxTbs-1:0]           tb_valid_q, tb_valid_d;
  tb_info_t [MaxTbs-1:0]           tb_info_q, tb_info_d;
  logic     [NumKernels-1:0]       runnable_q, runnable_d;
  logic     [MaxTbs-1:0][SubW-1:0] tb_first_q;

  // Slots waiting for their launch, in arrival order: places from out_q to in_q - 1, in a circle.
  logic     [TbW-1:0]              queue[1 << TbW];
  logic     [TbW-1:0]              in_q, out_q;
  logic     [MaxTbs-1:0]           queued_q;    // slots in the queue
  logic     [WidxW-1:0]            widx_q;      // next warp of the head
  logic     [SubW-1:0]             sub_q;       // its sub-core, from the second warp on

  logic arrive_valid, launch_valid, launch_last;
  assign arrive_valid = arrive_i.valid;
  assign launch_valid = queued_q != '0;

  logic [MaxTbs-1:0] frozen, frozen_tb;
  assign frozen_tb = MaxTbs'(1) << freeze_i.tb;
  assign frozen = freeze_i.valid ? frozen_tb : '0;

  // Head of the queue
  logic [TbW-1:0]     head;
  logic [KernelW-1:0] kernel;
  logic [SubW-1:0]    sub;
  assign head        = queue[out_q];
  assign kernel      = tb_info_q[head].kernel;
  assign sub         = (widx_q == '0) ? tb_first_q[head] : sub_q;
  assign launch_last = 8'(widx_q) + 8'd1 >= 8'(desc_i[kernel].warps);

  // Lane l of warp i is live if i * WarpSize + l < threads. WarpSize is a power of two: whole warps
  // by their number.
  logic [10:0] threads;
  mask_t       live;
  assign threads = desc_i[kernel].threads;
  always_comb begin
    for (int unsigned l = 0; l < WarpSize; l++) begin
      live[l] = (11'(widx_q) < (threads >> LaneW)) ||
                ((11'(widx_q) == (threads >> LaneW)) && (LaneW'(l) < threads[LaneW-1:0]));
    end
    if (killed_i[kernel]) live = '0;
  end

  always_comb begin
    for (int unsigned s = 0; s < NumSched; s++) begin
      start_o[s] = '{valid: launch_valid && sub == SubW'(s), kernel: kernel, tb: head, widx: widx_q,
          live: live,
                     restored: frozen[head] && restoring_i && !fresh_i};
    end
  end

  // Retirement: one slot per cycle, the lowest
  logic [MaxTbs-1:0] retirable, retires;
  assign over_o = tb_valid_q & left_zero_i & ~(restoring_i ? frozen : '0);
  assign retirable = over_o & clean_i;
  assign retires = retirable & (~retirable + MaxTbs'(1));
  always_comb begin
    retire_o = '{valid: retires != '0, tb: '0, saved: saved_i && (retires & frozen_tb) != '0};
    for (int unsigned s = 0; s < MaxTbs; s++) if (retires[s]) retire_o.tb |= TbW'(s);
  end

  always_comb begin
    tb_valid_d = tb_valid_q & ~retires;
    tb_info_d = tb_info_q;
    if (arrive_valid) begin
      tb_valid_d[arrive_i.tb] = 1'b1;
      tb_info_d[arrive_i.tb] = '{kernel: arrive_i.kernel, base: arrive_i.base};
    end
  end

  // Runnable kernels, computed one cycle ahead, because the quota gate, and so issue, depends on
  // them.
  always_comb begin
    runnable_d = '0;
    for (int unsigned s = 0; s < MaxTbs; s++) begin
      if (tb_valid_q[s] && !retires[s] && !(freeze_next_i.valid && freeze_next_i.tb == TbW'(s)))
        runnable_d[tb_info_q[s].kernel] = 1'b1;
    end
    if (arrive_valid && !(freeze_next_i.valid && freeze_next_i.tb == arrive_i.tb))
      runnable_d[arrive_i.kernel] = 1'b1;
    present_o = runnable_q;
    if (freeze_i.valid && restoring_i) present_o[freeze_i.kernel] = 1'b1;
  end
  assign runnable_o = runnable_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tb_valid_q <= '0;
      tb_info_q  <= '0;
      tb_first_q <= '0;
      runnable_q <= '0;
    end else begin
      tb_valid_q <= tb_valid_d;
      tb_info_q  <= tb_info_d;
      runnable_q <= runnable_d;
      if (arrive_valid) tb_first_q[arrive_i.tb] <= arrive_i.first;
    end
  end

  logic queue_pop;
  assign queue_pop = launch_valid && launch_last;

  always_ff @(posedge clk_i) if (arrive_valid) queue[in_q] <= arrive_i.tb;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_q        <= '0;
      out_q       <= '0;
      queued_q    <= '0;
      widx_q      <= '0;
      sub_q       <= '0;
    end else begin
      if (queue_pop) queued_q[head] <= 1'b0;
      if (arrive_valid) queued_q[arrive_i.tb] <= 1'b1;
      if (arrive_valid) in_q <= in_q + 1'b1;
      if (queue_pop) out_q <= out_q + 1'b1;
      if (launch_valid) begin
        widx_q <= launch_last ? '0 : widx_q + 1'b1;
        sub_q  <= (sub == LastSub) ? '0 : sub + 1'b1;
      end
    end
  end

  logic unused;  // the index of the block is stored elsewhere (qsm_tb_ram)
  assign unused = ^{arrive_i, freeze_next_i.kernel};

  assign tb_valid_o = tb_valid_q;
  assign tb_info_o  = tb_info_q;
  assign tb_first_o = tb_first_q;
  assign queued_o   = queued_q;

`ifndef SYNTHESIS
  a_arrive_free: assert property (@(posedge clk_i) disable iff (!rst_ni)
      arrive_valid |-> !tb_valid_q[arrive_i.tb])
    else $error("R-SM-1: dispatch to a slot in use");
  a_queue_room: assert property (@(posedge clk_i) disable iff (!rst_ni)
      arrive_valid |-> !queued_q[arrive_i.tb])
    else $error("R-SM-1: launch queue overflow");
  a_retire_launched: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (retire_o.valid && launch_valid) |-> retire_o.tb != head)
    else $error("R-SM-4: a thread block retires before all its warps were launched");
`endif
endmodule
