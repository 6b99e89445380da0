// SPDX-License-Identifier: Apache-2.0
// Thread-block targets per SM and kernel: the symmetric static allocation, computed in one step per
// cycle with additions and comparisons only, at once for all SMs with the same assigned slots. A
// slot with a cap has what its cap gives instead. On an SM that is owned, its owner alone gets
// targets.
// Contract: docs/tb_sched.md R-TB-5..R-TB-8, R-TB-14, R-TB-15, docs/sm_owner.md R-SO-2, R-SO-8 (the
// time is part of the contract).
// Observed by the lockstep monitor: we_o, target_q (TARGETS); target_o, active_q, used_q (state).
module qsm_tb_alloc
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumSms = 4,      // 1..96
  parameter int unsigned NumKernels = 4,  // 1..8
  parameter int unsigned WarpsPerSm = 8,  // 1..64
  parameter int unsigned MaxTbs = 8,      // 1..32
  parameter int unsigned Granules = 32,   // power of two
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Contexts and launches.
  input  logic [NumKernels-1:0]                    valid_i,
  input  logic [NumKernels-1:0]                    qos_i,       // of valid contexts only
  input  logic [NumKernels-1:0][NumSms-1:0]        mask_i,
  input  logic [NumKernels-1:0][6:0]               warps_i,     // per TB, 1..WarpsPerSm
  input  logic [NumKernels-1:0][$clog2(Granules):0] granules_i, // per TB, 0..Granules
  input  logic [NumKernels-1:0][6:0]               cap_i,       // warps per SM; 0: not capped
  input  logic [NumKernels-1:0]                    launch_i,    // pulse
  input  logic [NumKernels-1:0]                    arrival_i,   // pulse: CTX valid 0 -> 1
  // pulse: a write changes CTX, or SM_MASK of a valid slot, or sets WARP_CAP of one
  input  logic                                     change_i,
  input  logic [NumKernels-1:0]                    busy_i,
  input  logic                                     snapshot_i,  // pulse: this cycle is E
  output logic [NumKernels-1:0]                    part_o,      // takes part, R-TB-14

  // Use of the SMs, and those whose targets are asked for anew.
  input  sm_use_e [NumSms-1:0]                     use_i,
  input  logic [NumSms-1:0][KernelW-1:0]           owner_i,
  input  logic [NumSms-1:0]                        moving_i,
  input  logic [NumSms-1:0]                        ask_i,

  // TB adjuster, only while busy_o is 0: one of an SM's targets goes up, one down.
  input  logic [SmW-1:0]                           sm_i,
  input  logic [NumKernels-1:0]                    raise_i,
  input  logic [NumKernels-1:0]                    lower_i,
  input  logic [5:0]                               raised_i,    // the new values
  input  logic [5:0]                               lowered_i,

  output logic                                     busy_o,      // ALLOC_BUSY
  output logic                                     all_o,       // pulse: a run over all SMs starts
  output logic [NumSms-1:0]                        we_o,        // this SM's targets are written
  output logic [NumSms-1:0][NumKernels-1:0][5:0]   target_o
);
  localparam int unsigned GranW = $clog2(Granules) + 1;
  localparam int unsigned CountW = $clog2(NumKernels + 1);
  localparam int unsigned TargetW = $clog2(MaxTbs + 1);  // of the 6 bits those that are used
  localparam logic [5:0] TargetBits = 6'((1 << TargetW) - 1);
  // Each slot fills until its share of the warps is used up, or has one TB, and one step more is
  // looked at: a TB of each.
  localparam int unsigned WarpSumW = $clog2((NumKernels + 1) * WarpsPerSm + 1);
  localparam int unsigned TbSumW = $clog2(NumKernels * MaxTbs + 1);
  localparam int unsigned GranSumW = $clog2(NumKernels * MaxTbs * Granules + 1);

  typedef struct packed {
    logic [6:0] warps;
    logic [GranW-1:0] granules;
  } shape_t;
  typedef enum logic [2:0] { StIdle, StSetup, StFill, StReduce, StDrop } state_e;

  state_e state_q;
  logic [NumSms-1:0] ask_q;                        // a run is asked for, of these SMs
  logic [NumSms-1:0] left_q, rest;                 // of the run: from this round on; behind it
  logic [NumSms-1:0] alike_q;                      // of the round
  logic [SmW-1:0] sm_q;                            // the lowest of the round
  shape_t [NumKernels-1:0] shape_q;                // of the last launch
  // the same and the caps, as of the set-up cycle of the round
  shape_t [NumKernels-1:0] job_q;
  logic [NumKernels-1:0][6:0] cap_q;
  logic [NumKernels-1:0] todo_q;                   // assigned slots without a first target yet
  logic [NumKernels-1:0][5:0] target_q;            // of its SMs, so far
  logic [CountW-1:0] n_q;                          // assigned slots
  logic [WarpSumW-1:0] share_q;                    // n * warps * target of the slot being filled
  logic [WarpSumW-1:0] sum_warps_q;
  logic [TbSumW-1:0] sum_tbs_q;
  logic [GranSumW-1:0] sum_granules_q;
  logic [NumSms-1:0][NumKernels-1:0][5:0] all_targets_q;
  // takes part; busy, launched or arrived since the last epoch's end
  logic [NumKernels-1:0] active_q, used_q;

  // ---- slots that take part, R-TB-14 ----
  logic [NumKernels-1:0] active_d, part, part_qos;
  assign active_d = (snapshot_i ? used_q : active_q) | launch_i | arrival_i;
  assign part = valid_i & active_q;
  assign part_qos = qos_i & active_q;
  assign part_o = part;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= '0;
      used_q <= '0;
    end else begin
      active_q <= active_d;
      used_q <= (snapshot_i ? '0 : used_q) | busy_i | launch_i | arrival_i;
    end
  end

  // ---- request, R-TB-5, R-SO-8 ----
  shape_t [NumKernels-1:0] launched;
  logic [NumKernels-1:0] reshaped;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      launched[k] = '{warps: warps_i[k], granules: granules_i[k]};
      reshaped[k] = launch_i[k] && shape_q[k] != launched[k];
    end
  end
  assign busy_o = ask_q != '0 || state_q != StIdle;
  assign all_o = state_q == StIdle && (&ask_q);
  assign rest = left_q & ~alike_q;

  function automatic logic [SmW-1:0] lowest(input logic [NumSms-1:0] sms);
    lowest = '0;
    for (int i = NumSms - 1; i >= 0; i--) if (sms[i]) lowest = SmW'(i);
  endfunction

  function automatic logic [NumKernels-1:0] first_of(input logic [NumKernels-1:0] slots);
    return slots & (~slots + NumKernels'(1));
  endfunction

  // ---- set-up: slots assigned to each SM, R-TB-7, R-SO-2; who is alike, R-TB-6 ----
  logic [NumKernels-1:0] others;                   // non-QoS slots that take part
  logic [CountW-1:0] n_others;
  logic any_qos;
  logic [NumSms-1:0][NumKernels-1:0] of_sm;        // assigned slots
  logic [NumKernels-1:0] assigned;                 // of the SM at hand
  logic [CountW-1:0] n_assigned;
  logic [NumSms-1:0] alike;
  always_comb begin
    others = part & ~part_qos;
    any_qos = |part_qos;
    n_others = '0;
    for (int unsigned k = 0; k < NumKernels; k++) n_others += CountW'(others[k]);
  end
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      // turn: number of the non-QoS slot that this SM serves, floor(i * n_others / NumSms), which
      // is below n_others
      logic [CountW-1:0] turn, rank;
      turn = '0;
      for (int unsigned j = 1; j < NumKernels; j++) begin
        if (i * 32'(n_others) >= j * NumSms) turn = CountW'(j);
      end
      rank = '0;
      for (int unsigned k = 0; k < NumKernels; k++) begin
        of_sm[i][k] = part[k] && mask_i[k][i] && (!any_qos || part_qos[k] || rank == turn);
        if (use_i[i] == UseOwned) of_sm[i][k] = part[k] && owner_i[i] == KernelW'(k);
        if (moving_i[i] || use_i[i] == UseFree) of_sm[i][k] = 1'b0;
        rank += CountW'(others[k]);
      end
    end
  end
  always_comb begin
    assigned = of_sm[sm_q];
    n_assigned = '0;
    for (int unsigned k = 0; k < NumKernels; k++) n_assigned += CountW'(assigned[k]);
    for (int unsigned i = 0; i < NumSms; i++) alike[i] = left_q[i] && of_sm[i] == assigned;
  end

  // ---- fill: the lowest remaining slot gets one TB more, as long as its share of the warps, or
  // its cap, is not used up; what a capped slot gets is in no sum, so nobody yields to it, R-TB-15
  // ----
  // one bit: the lowest of todo_q, and of those behind it
  logic [NumKernels-1:0] fill, fill_q, behind;
  logic [5:0] fill_target;
  logic [6:0] fill_cap;
  logic fill_capped;
  logic [CountW-1:0] n_parts;                      // that share the warps
  logic [WarpSumW-1:0] most_warps;
  shape_t fill_shape;
  logic [WarpSumW-1:0] share_next;
  logic grow, fill_done;
  assign fill = fill_q;
  always_comb begin
    fill_target = '0;
    fill_cap = '0;
    fill_shape = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (fill[k]) begin
        fill_target = target_q[k];
        fill_cap = cap_q[k];
        fill_shape = job_q[k];
      end
    end
  end
  assign fill_capped = fill_cap != '0;
  assign n_parts = fill_capped ? CountW'(1) : n_q;
  assign most_warps = fill_capped ? WarpSumW'(fill_cap) : WarpSumW'(WarpsPerSm);
  assign share_next = share_q + WarpSumW'(n_parts) * WarpSumW'(fill_shape.warps);
  assign grow = fill_target != 6'(MaxTbs) && share_next <= most_warps;
  assign fill_done = !grow;
  assign behind = todo_q & ~fill_q;

  // ---- reduce: the slot with the most TBs (of equal ones the highest) is found, and loses one TB
  // in the next cycle; if only granules are short, only slots that use granules lose TBs ----
  logic over, over_granules;
  logic [NumKernels-1:0] victim, victim_q;
  localparam int unsigned Leaves = 1 << KernelW;
  logic [2*Leaves-1:0][5:0] most;                  // of a pair, of pairs of these, ...: [1] of all
  logic [2*Leaves-1:0][KernelW-1:0] most_of;       // whose
  assign over_granules = sum_warps_q <= WarpSumW'(WarpsPerSm) && sum_tbs_q <= TbSumW'(MaxTbs);
  assign over = !over_granules || sum_granules_q > GranSumW'(Granules);
  always_comb begin
    most = '0;
    most_of = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (cap_q[k] == '0 && (!over_granules || job_q[k].granules != '0))
        most[Leaves+k] = target_q[k];
      most_of[Leaves+k] = KernelW'(k);
    end
    for (int unsigned n = Leaves - 1; n > 0; n--) begin
      // of those without a slot none is the higher one with a TB
      if (most[2*n+1] >= most[2*n] && most[2*n+1] != '0) begin
        most[n] = most[2*n+1];
        most_of[n] = most_of[2*n+1];
      end else begin
        most[n] = most[2*n];
        most_of[n] = most_of[2*n];
      end
    end
    victim = (most[1] != '0) ? NumKernels'(1) << most_of[1] : '0;
  end

  // ---- one TB more or less of one slot ----
  logic add, drop;
  shape_t moved;
  // at least 1 each without a cap
  assign add = state_q == StFill && (grow || (fill_target == '0 && !fill_capped));
  assign drop = state_q == StDrop;
  always_comb begin
    moved = fill_shape;
    for (int unsigned k = 0; k < NumKernels; k++) if (drop && victim_q[k]) moved = job_q[k];
  end

  logic target_we;                                 // last cycle of the round
  assign target_we = state_q == StReduce && !over;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      ask_q <= '0;
      left_q <= '0;
      alike_q <= '0;
      sm_q <= '0;
    end else begin
      ask_q <= ((state_q == StIdle) ? '0 : ask_q) | ask_i;
      if (change_i || reshaped != '0 || (valid_i & (active_d ^ active_q)) != '0) ask_q <= '1;
      case (state_q)
        StIdle: begin
          left_q <= ask_q;
          sm_q <= lowest(ask_q);
          if (ask_q != '0) state_q <= StSetup;
        end
        StSetup: begin
          alike_q <= alike;
          state_q <= (assigned != '0) ? StFill : StReduce;
        end
        StFill: if (fill_done && behind == '0) state_q <= StReduce;
        StReduce: if (over) begin
          state_q <= StDrop;
        end else begin
          left_q <= rest;
          sm_q <= lowest(rest);
          state_q <= (rest == '0) ? StIdle : StSetup;
        end
        StDrop: state_q <= StReduce;
        default: state_q <= StIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shape_q <= {NumKernels{shape_t'{warps: 7'd1, granules: '0}}};
    end else begin
      for (int unsigned k = 0; k < NumKernels; k++) begin
        if (launch_i[k]) shape_q[k] <= launched[k];
        if (arrival_i[k]) shape_q[k] <= '{warps: 7'd1, granules: '0};
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      job_q <= '0;
      cap_q <= '0;
      todo_q <= '0;
      fill_q <= '0;
      n_q <= '0;
      target_q <= '0;
      share_q <= '0;
      sum_warps_q <= '0;
      sum_tbs_q <= '0;
      sum_granules_q <= '0;
      victim_q <= '0;
    end else if (state_q == StSetup) begin
      job_q <= shape_q;
      cap_q <= cap_i;
      todo_q <= assigned;
      fill_q <= first_of(assigned);
      n_q <= n_assigned;
      target_q <= '0;
      share_q <= '0;
      sum_warps_q <= '0;
      sum_tbs_q <= '0;
      sum_granules_q <= '0;
    end else begin
      victim_q <= victim;
      if (state_q == StFill) begin
        share_q <= fill_done ? '0 : share_next;
        if (fill_done) begin
          todo_q <= behind;
          fill_q <= first_of(behind);
        end
      end
      if (add) begin
        for (int unsigned k = 0; k < NumKernels; k++)
          if (fill[k]) target_q[k] <= 6'(TargetW'(target_q[k] + 6'd1));
      end
      if (add && !fill_capped) begin
        sum_warps_q <= sum_warps_q + WarpSumW'(moved.warps);
        sum_tbs_q <= sum_tbs_q + TbSumW'(1);
        sum_granules_q <= sum_granules_q + GranSumW'(moved.granules);
      end
      if (drop) begin
        for (int unsigned k = 0; k < NumKernels; k++)
          if (victim_q[k]) target_q[k] <= 6'(TargetW'(target_q[k] - 6'd1));
        sum_warps_q <= sum_warps_q - WarpSumW'(moved.warps);
        sum_tbs_q <= sum_tbs_q - TbSumW'(1);
        sum_granules_q <= sum_granules_q - GranSumW'(moved.granules);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) all_targets_q <= '0;
    else if (target_we) begin
      for (int unsigned i = 0; i < NumSms; i++) if (alike_q[i]) all_targets_q[i] <= target_q;
    end else begin
      for (int unsigned k = 0; k < NumKernels; k++) begin
        if (raise_i[k]) all_targets_q[sm_i][k] <= raised_i & TargetBits;
        if (lower_i[k]) all_targets_q[sm_i][k] <= lowered_i & TargetBits;
      end
    end
  end
  assign we_o = target_we ? alike_q : '0;
  assign target_o = all_targets_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) (qos_i & ~valid_i) == '0);  // CTX
  // R-TB-14
  assert property (@(posedge clk_i) disable iff (!rst_ni) (busy_i & ~(active_q & used_q)) == '0);
  // R-TB-6
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(target_we && !alike_q[sm_q]));
  // R-TB-7: reducing ends at 0 TBs
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(drop && victim_q == '0));
  // R-TA-1
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(busy_o && (raise_i | lower_i) != '0));
`endif
endmodule
