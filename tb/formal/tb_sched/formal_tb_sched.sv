// SPDX-License-Identifier: Apache-2.0
// qsm_tb_sched: how its parts are joined (R-TB-1, R-TB-4, R-TB-6, R-TB-9, R-TB-11, R-TB-12,
// R-TB-16, R-PE-4, R-PE-8). Targets, preemption and adjuster are left open: they may say anything
// at any time, but what is assumed of them below; targets only while nothing is dispatched.
module formal_tb_sched
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumSms = 2,
  parameter int unsigned NumKernels = 2,
  parameter int unsigned MaxTbs = 2,
  parameter int unsigned Warps = 2,     // of an SM
  parameter int unsigned Granules = 2,
  parameter int unsigned EndDelay = 2,
  localparam int unsigned SmW = $clog2(NumSms),
  localparam int unsigned KernelW = $clog2(NumKernels),
  localparam int unsigned TbW = $clog2(MaxTbs),
  localparam int unsigned SubW = 1,
  localparam int unsigned TicketW = $clog2(1 + NumSms * MaxTbs),
  localparam int unsigned GranW = $clog2(Granules)
) (
  input logic                                clk_i,
  input logic [NumKernels-1:0][NumSms-1:0]   mask_i,
  input logic [NumKernels-1:0]               apart_i,
  input logic                                closed_i,
  input logic [NumKernels-1:0][2:0][15:0]    grid_i,
  input logic [NumKernels-1:0][6:0]          warps_i,
  input logic [NumKernels-1:0][GranW:0]      granules_i,
  input logic [NumKernels-1:0]               launch_i,
  input logic [NumKernels-1:0]               kill_write_i,
  input logic [NumKernels-1:0]               yield_write_i,
  input logic [NumKernels-1:0][1:0]          walk_write_i,  // WALK_XY, WALK_Z
  input logic [31:0]                         walk_i,
  input logic                                snapshot_i,
  input logic                                move_i,     // SM_MOVE, from the SM manager or the host
  input logic [SmW-1:0]                      move_sm_i,
  input logic [1:0]                          move_use_i,
  input logic [KernelW-1:0]                  move_owner_i,
  input logic [NumSms-1:0]                   retire_i,
  input logic [NumSms-1:0][TbW-1:0]          retire_tb_i,
  input logic [NumSms-1:0][NumKernels-1:0]   fault_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // ---- Types of the ports ----
  `include "qsm_tb_sched_types.svh"

  slot_regs_t [NumKernels-1:0]            slot_regs;
  desc_t [NumKernels-1:0]                 desc;
  from_sm_t [NumSms-1:0]                  from_sm;
  status_t                                status;
  dispatch_t                              dispatch;
  always_comb begin
    {slot_regs, desc, from_sm} = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      slot_regs[k].ctx.valid = 1'b1;
      slot_regs[k].sm_mask = mask_i[k];
      desc[k].grid = grid_i[k];
      desc[k].warps = warps_i[k];
      desc[k].granules = granules_i[k];
    end
    for (int unsigned i = 0; i < NumSms; i++) begin
      from_sm[i].retire.valid = retire_i[i];
      from_sm[i].retire.tb = retire_tb_i[i];
      from_sm[i].fault = fault_i[i];
    end
  end

  // WALK_LINEAR is not written, for speed: tb_kernel proves what its writes do.
  logic [NumKernels-1:0][2:0] walk_write;
  always_comb
    for (int unsigned k = 0; k < NumKernels; k++) walk_write[k] = {1'b0, walk_write_i[k]};

  sm_request_t request;
  assign request = '{valid: move_i, sm: move_sm_i, usage: sm_use_e'(move_use_i),
      owner: move_owner_i};
  // R-SO-2.
  logic [NumKernels-1:0][NumSms-1:0] may, own;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned i = 0; i < NumSms; i++)
        own[k][i] = !status.owner[i].moving && status.owner[i].usage == UseOwned &&
            status.owner[i].owner == KernelW'(k);
      for (int unsigned i = 0; i < NumSms; i++)
        may[k][i] = own[k][i] || (!status.owner[i].moving && mask_i[k][i] &&
            status.owner[i].usage == UseShared && !closed_i &&
            (!apart_i[k] || own[k] == '0));
    end
  end

  logic [NumKernels-1:0]                  busy, killed, ended, had_tb, start, kill;
  logic                                   alloc_busy, adjust_busy;
  logic [NumSms-1:0][NumKernels-1:0][5:0] cnt, target;
  logic [NumSms-1:0]                      valid;
  logic [1:0]                             op;
  logic [KernelW-1:0]                     kernel;
  logic [TbW-1:0]                         tb;
  logic                                   image;
  logic [2:0][15:0]                       block;
  logic [31:0]                            linear;
  assign {busy, killed, ended, had_tb} = {status.busy, status.killed, status.ended, status.had_tb};
  assign {alloc_busy, adjust_busy} = {status.alloc_busy, status.adjust_busy};
  assign {cnt, target} = {status.cnt, status.target};
  assign {op, kernel, tb} = {dispatch.op, dispatch.kernel, dispatch.tb};
  assign {image, block, linear} = {dispatch.image[0], dispatch.block, dispatch.linear};
  qsm_tb_sched #(
    .NumSms(NumSms), .NumKernels(NumKernels), .NumSched(1), .WarpsPerSm(Warps), .MaxTbs(MaxTbs),
    .Granules(Granules), .NumImages(1), .EndDelay(EndDelay), .slot_regs_t(slot_regs_t),
    .desc_t(desc_t), .gpu_regs_t(gpu_regs_t), .preempt_req_t(preempt_req_t),
    .preempt_status_t(preempt_status_t), .job_t(job_t), .saved_t(saved_t), .status_t(status_t),
    .figures_t(figures_t), .dispatch_t(dispatch_t), .from_sm_t(from_sm_t),
    .sm_request_t(sm_request_t), .sm_owner_t(sm_owner_t)
  ) u_dut (
    .clk_i, .rst_ni, .gpu_regs_i('0), .slot_regs_i(slot_regs), .desc_i(desc), .launch_i,
    .kill_write_i, .yield_write_i, .walk_write_i(walk_write), .walk_i, .arrival_i('0),
    .alloc_change_i(1'b0), .preempt_i('0),
    .sm_request_i(request), .gate_o(), .wake_o(), .status_o(status),
    .count_ask_i(1'b0), .count_which_i('0), .count_o(),
    .snapshot_i, .epoch_done_i(1'b0), .apart_i, .closed_i, .ratio_i('0), .start_o(start),
    .kill_o(kill),
    .dispatch_valid_o(valid), .dispatch_o(dispatch), .from_sm_i(from_sm), .figures_i('0)
  );

  // ---- Launches and blocks as the messages tell them ----
  logic                                           comes;  // a block, new or saved
  logic [SmW-1:0]                                 sm;
  logic [NumKernels-1:0]                          busy_q, killed_q, start_q, had_tb_q, has_tb,
      kill_now, some_fault;
  logic [NumKernels-1:0]                          yield_q;
  logic [NumKernels-1:0][3:0]                     sent_q, walk;  // places in the grid, x fastest
  logic [NumKernels-1:0][31:0]                    number_q;
  logic [NumKernels-1:0][2:0][15:0]               grid_q;
  logic [NumKernels-1:0][6:0]                     warps_q;
  logic [NumKernels-1:0][GranW:0]                 granules_q;
  logic [NumSms-1:0][MaxTbs-1:0]                  used_q, told_q;  // told: it retires (R-TB-18)
  logic [NumSms-1:0][MaxTbs-1:0][KernelW-1:0]     kernel_q;
  logic [NumSms-1:0][NumKernels-1:0][5:0]         held;   // blocks
  assign comes = valid != '0 && !op[1];
  always_comb begin
    sm = '0;
    for (int unsigned i = 0; i < NumSms; i++) if (valid[i]) sm = SmW'(i);
    held = '0;
    for (int unsigned i = 0; i < NumSms; i++)
      for (int unsigned s = 0; s < MaxTbs; s++) if (used_q[i][s]) held[i][kernel_q[i][s]] += 6'd1;
    {has_tb, some_fault} = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned i = 0; i < NumSms; i++) begin
        if (held[i][k] != '0) has_tb[k] = 1'b1;
        if (fault_i[i][k]) some_fault[k] = 1'b1;
      end
    end
  end
  always_comb
    for (int unsigned k = 0; k < NumKernels; k++)
      walk[k] = 4'(status.walk_block[k][0]) + 4'(grid_i[k][0]) * 4'(status.walk_block[k][1]);
  assign kill_now = (kill_write_i | some_fault) & busy & ~killed_q;
  always_ff @(posedge clk_i) begin
    {grid_q, warps_q, granules_q} <= {grid_i, warps_i, granules_i};
    if (!rst_ni) begin
      {busy_q, killed_q, yield_q, start_q, had_tb_q, used_q, told_q} <= '0;
    end else begin
      start_q <= launch_i;
      had_tb_q <= has_tb | (snapshot_i ? '0 : had_tb_q);
      busy_q <= (busy_q & ~ended) | launch_i;
      killed_q <= (killed_q | kill) & ~launch_i;
      yield_q <= (yield_q | yield_write_i) & ~ended;
      for (int unsigned k = 0; k < NumKernels; k++) begin
        if (launch_i[k]) {sent_q[k], number_q[k]} <= {walk[k], status.walk_linear[k]};
      end
      for (int unsigned i = 0; i < NumSms; i++) begin
        if (retire_i[i]) told_q[i][retire_tb_i[i]] <= 1'b1;
        if (u_dut.retire[i]) {used_q[i][u_dut.retire_tb], told_q[i][u_dut.retire_tb]} <= '0;
      end
      if (comes) begin
        used_q[sm][tb] <= 1'b1;
        kernel_q[sm][tb] <= kernel;
        if (!op[0]) sent_q[kernel] <= sent_q[kernel] + 1'b1;
        if (!op[0]) number_q[kernel] <= number_q[kernel] + 1'b1;
      end
    end
  end

  // ---- Surroundings ----
  logic [NumKernels-1:0] shaped, in_grid;
  logic [NumSms-1:0]     retires_ok;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      shaped[k] = warps_i[k] >= 1 && 32'(warps_i[k]) <= Warps && 32'(granules_i[k]) <= Granules &&
          grid_i[k][2] == 1;
      for (int unsigned d = 0; d < 2; d++)
        if (grid_i[k][d] == '0 || grid_i[k][d] > 2) shaped[k] = 1'b0;
      if (busy_q[k] && {grid_i[k], warps_i[k], granules_i[k]} !=
          {grid_q[k], warps_q[k], granules_q[k]}) shaped[k] = 1'b0;
      in_grid[k] = status.walk_block[k][2] == '0;
      for (int unsigned d = 0; d < 2; d++)
        if (status.walk_block[k][d] >= grid_i[k][d]) in_grid[k] = 1'b0;
      // a walk is written while its slot is idle
      if (walk_write_i[k] != '0 && (busy_q[k] || launch_i[k])) shaped[k] = 1'b0;
    end
    for (int unsigned i = 0; i < NumSms; i++)
      retires_ok[i] = !retire_i[i] ||
          (used_q[i][retire_tb_i[i]] && !told_q[i][retire_tb_i[i]]);
  end

  // Targets change while nothing is dispatched (R-TB-6): no step of a dispatch is done then.
  logic [NumSms-1:0][NumKernels-1:0][5:0] target_q;
  logic shut_q, runs_q;
  always_ff @(posedge clk_i) begin
    target_q <= target;
    shut_q <= alloc_busy || adjust_busy;
    runs_q <= rst_ni;
  end

  logic [3:0] place;  // of the block in its grid, x fastest
  assign place = 4'(block[0]) + 4'(grid_i[kernel][0]) * 4'(block[1]);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (&shaped && &retires_ok && (launch_i & (busy_q | ~in_grid)) == '0);
      assume ((yield_write_i & ~busy_q) == '0);
      // Preemption and adjuster: a saved block keeps its launch; nothing is searched but while
      // nothing is dispatched.
      assume ((u_dut.resume & ~u_dut.unfinished) == '0 && u_dut.returned.sms == '0);
      assume (move_use_i != 2'd3);
      assume (!runs_q || shut_q || target == target_q);
      assume ($onehot0(u_dut.save.sms) && (u_dut.save.sms == '0 || u_dut.save.decision));

      one: assert ($onehot0(valid) && dispatch.valid == (valid != '0));
      if (u_dut.save.decision) is_save: assert (valid == u_dut.save.sms &&
          op == {1'b1, u_dut.save.flush}
                                           && {kernel, tb, image} ==
                                               {u_dut.save.kernel, u_dut.save.tb,
                                               u_dut.save.image});
      if (!u_dut.save.decision) is_block: assert (!op[1]);
      if (comes) when_open: assert (!alloc_busy && !adjust_busy && !u_dut.save.decision);
      if (comes)
        has_room: assert (may[kernel][sm] && held[sm][kernel] < target[sm][kernel] &&
            !u_dut.closed[kernel][sm]);
      if (comes) of_running: assert (busy_q[kernel] && !killed_q[kernel] && !start_q[kernel]);
      if (comes) free_slot: assert (!used_q[sm][tb]);
      if (comes) saved_first: assert (op[0] == u_dut.resume[kernel]);
      if (comes && op[0])
        restores: assert (image == u_dut.next.image && block == '0 && linear == '0);
      if (comes && !op[0])
        next_block: assert (linear == number_q[kernel] && place == sent_q[kernel]);
      if (comes && !op[0]) none_under_yield: assert (!yield_q[kernel]);
      counts: assert (cnt == held);
      launched: assert (busy == busy_q && start == start_q && killed == killed_q);
      if (ended != '0) nothing_left: assert ((ended & has_tb) == '0);
      kills: assert ((kill & ~kill_now) == '0 && (kill_now & ~kill & has_tb) == '0);
      has_had: assert (had_tb == had_tb_q);

      to_owner: cover (comes && status.owner[sm].usage == UseOwned && !mask_i[kernel][sm]);
      full: cover (&used_q[0] && kernel_q[0][0] != kernel_q[0][1] && comes && 32'(sm) == 1);
      all_of_grid: cover (ended[1] && !killed_q[1] && sent_q[1] == 2);
      goes_on: cover (comes && !op[0] && kernel == 1'b1 && sent_q[1] == 3);
      some_left: cover (status.yielded[0] && number_q[0] == 2 && walk[0] == 2);
      restored: cover (comes && op[0] && killed_q[0] && busy_q[0] && had_tb_q == 2'b11);
    end
  end
endmodule
