// SPDX-License-Identifier: Apache-2.0
// qsm_tb_dispatch: candidates in turn, at most one per cycle, each for its kernel's next SM with
// room, unless that is under way; two cycles later, if it fits and is still allowed, one block,
// with the lowest run of free granules of the cycle between; a kernel that is held up keeps its
// turn, and none of its SMs is passed over more than NumSms - 1 times in its turns (R-TB-9,
// R-TB-10, R-TB-17).
module formal_tb_dispatch #(
  parameter int unsigned NumSms = 3,
  parameter int unsigned NumKernels = 3,
  parameter int unsigned Granules = 4,
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned GranW = $clog2(Granules)
) (
  input logic                                clk_i,
  input logic                                closed_i,
  input logic                                decision_i,
  input logic [NumKernels-1:0]               ready_i,
  input logic [NumKernels-1:0][NumSms-1:0]   open_i,
  input logic [NumKernels-1:0][NumSms-1:0]   short_i,
  input logic [NumKernels-1:0][GranW:0]      granules_i,
  input logic [NumSms-1:0]                   fits_i,
  input logic [NumSms-1:0]                   tb_i,     // two TB slots, two sub-cores
  input logic [NumSms-1:0]                   first_i,
  input logic [NumSms-1:0][Granules-1:0]     free_granules_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [KernelW-1:0]    look_kernel, kernel;
  logic [SmW-1:0]        sm, look_sm;
  logic                  tb, first;
  logic [NumKernels-1:0] dispatched;
  logic [NumSms-1:0]     started;
  logic [GranW-1:0]      base;
  logic [Granules-1:0]   run;
  logic                  found;
  qsm_tb_dispatch #(
    .NumSms(NumSms), .NumKernels(NumKernels), .NumSched(2), .MaxTbs(2), .Granules(Granules)
  ) u_dut (
    .clk_i, .rst_ni, .closed_i, .decision_i, .ready_i, .open_i, .short_i, .granules_i,
    .look_kernel_o(look_kernel), .look_sm_o(look_sm), .fits_i, .tb_i, .first_i,
    .free_granules_i(free_granules_i[look_sm]), .kernel_o(kernel),
    .sm_o(sm), .tb_o(tb), .first_o(first), .base_o(base), .run_o(run),
    .dispatched_o(dispatched), .started_o(started), .placed_o(), .lent_i(1'b0),
    .lent_granules_i('0), .lent_len_i('0), .found_o(found)
  );

  function automatic logic [4:0] circle(logic [4:0] place, int unsigned n);
    return (32'(place) >= n) ? place - 5'(n) : place;
  endfunction

  // ---- The candidates of the two cycles before, as the rules have them ----
  typedef struct packed {
    logic valid;
    logic [KernelW-1:0] kernel;
    logic [SmW-1:0] sm;
  } candidate_t;
  candidate_t now, look_q, go_q;
  logic       goes;
  logic       tb_q, first_q;
  logic [Granules-1:0] run_q;

  // Who asks, and where kp and the sp stand.
  logic [NumSms-1:0]     under_way;
  logic [NumKernels-1:0] asks, held_up, shapes;
  logic [NumKernels-1:0][NumSms-1:0] room;
  logic [NumKernels-1:0][SmW-1:0] sm_of;
  logic passed;
  logic [KernelW-1:0]    kp_q;
  logic [NumKernels-1:0][SmW-1:0] sp_q;
  always_comb begin
    under_way = '0;
    for (int unsigned i = 0; i < NumSms; i++)
      under_way[i] = (look_q.valid && 32'(look_q.sm) == i) || (go_q.valid && 32'(go_q.sm) == i);
    for (int unsigned k = 0; k < NumKernels; k++) begin
      room[k] = open_i[k] & short_i[k];
      asks[k] = ready_i[k] && room[k] != '0 && !closed_i;
      shapes[k] = 32'(granules_i[k]) <= Granules;
      sm_of[k] = '0;
      for (int unsigned d = NumSms; d > 0; d--) begin
        if (room[k][SmW'(circle(5'(sp_q[k]) + 5'(d - 1), NumSms))])
          sm_of[k] = SmW'(circle(5'(sp_q[k]) + 5'(d - 1), NumSms));
      end
      held_up[k] = asks[k] && under_way[sm_of[k]];
    end
    now = '0;
    passed = 1'b0;
    for (int unsigned d = 0; d < NumKernels; d++) begin
      logic [KernelW-1:0] k;
      k = KernelW'(circle(5'(kp_q) + 5'(d), NumKernels));
      if (!now.valid && held_up[k]) passed = 1'b1;
      if (!now.valid && asks[k] && !held_up[k]) now = '{valid: 1'b1, kernel: k, sm: sm_of[k]};
    end
  end

  // Lowest run of granules for the one that looks for a place.
  logic                fit;
  logic [Granules-1:0] lowest;
  always_comb begin
    logic [Granules-1:0] here;
    fit = 1'b0;
    lowest = '0;
    for (int unsigned p = 0; p < Granules; p++) begin
      for (int unsigned g = 0; g < Granules; g++)
        here[g] = g >= p && g < p + 32'(granules_i[look_q.kernel]);
      if (!fit && p + 32'(granules_i[look_q.kernel]) <= Granules &&
          (here & ~free_granules_i[look_q.sm]) == '0) begin
        fit = 1'b1;
        lowest = here;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {kp_q, sp_q, look_q, go_q} <= '0;
    end else begin
      if (now.valid) begin  // whatever becomes of it
        if (!passed) kp_q <= (32'(now.kernel) == NumKernels - 1) ? '0 : now.kernel + 1'b1;
        sp_q[now.kernel] <= (32'(now.sm) == NumSms - 1) ? '0 : now.sm + 1'b1;
      end
      look_q <= now;
      go_q <= look_q;
      go_q.valid <= look_q.valid && !closed_i && fits_i[look_q.sm] && fit;
      {tb_q, first_q, run_q} <= {tb_i[look_q.sm], first_i[look_q.sm], lowest};
    end
  end
  assign goes = go_q.valid && !closed_i && !decision_i && ready_i[go_q.kernel] &&
      open_i[go_q.kernel][go_q.sm];

  // Surroundings: what a kernel is short of, its shape and what is free only change as R-TB-17
  // says.
  logic [NumKernels-1:0][NumSms-1:0]  short_q;
  logic [NumKernels-1:0][GranW:0]     granules_q;
  logic [NumSms-1:0][Granules-1:0]    free_q;
  logic [NumSms-1:0]                  started_q, stands, taken;
  logic [NumKernels-1:0]              dispatched_q, targets_stand;
  logic [Granules-1:0]                gone_q;
  logic                               closed_q;
  always_ff @(posedge clk_i) begin
    {short_q, granules_q, free_q, started_q, gone_q} <=
        {short_i, granules_i, free_granules_i, started, run};
    {closed_q, dispatched_q} <= {closed_i, dispatched};
  end
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      taken[i] = started_q[i];
      stands[i] = ((free_q[i] & ~(taken[i] ? gone_q : '0)) & ~free_granules_i[i]) == '0;
    end
    for (int unsigned k = 0; k < NumKernels; k++)
      targets_stand[k] = closed_q || (short_q[k] & ~started_q & ~short_i[k]) == '0;
  end

  // Turns of a kernel that went to another SM since this one has room for it.
  logic [NumKernels-1:0][NumSms-1:0][SmW:0] elsewhere_q;
  logic [NumKernels-1:0][NumSms-1:0]        reached;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned i = 0; i < NumSms; i++) reached[k][i] = 32'(elsewhere_q[k][i]) < NumSms;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned i = 0; i < NumSms; i++) begin
        if (!rst_ni || !room[k][i]) elsewhere_q[k][i] <= '0;
        else if (u_dut.candidate && u_dut.kernel == KernelW'(k))
          elsewhere_q[k][i] <= (u_dut.sm_of[k] == SmW'(i)) ? '0 : elsewhere_q[k][i] + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (&shapes && granules_i == granules_q);
      assume (&stands && &targets_stand);
      one: assert ($onehot0(started) && $onehot0(dispatched) &&
          (started != '0) == (dispatched != '0));
      message: assert ((started != '0) == goes);
      if (now.valid) who: assert (u_dut.kernel == now.kernel && u_dut.sm_of[now.kernel] == now.sm);
      if (look_q.valid) whose_place: assert (look_kernel == look_q.kernel);
      if (started != '0)
        there: assert (started[go_q.sm] && dispatched[go_q.kernel] && kernel == go_q.kernel &&
            sm == go_q.sm && run == run_q && tb == tb_q && first == first_q);
      if (started != '0) still_free: assert ((run & ~free_granules_i[sm]) == '0);
      if (started != '0) below_target: assert (short_i[kernel][sm]);
      if (closed_i) nothing: assert (started == '0 && !u_dut.candidate);
      if (look_q.valid && go_q.valid) one_per_sm: assert (look_q.sm != go_q.sm);
      if (now.valid && passed) keeps: assert (u_dut.first != '0 && !u_dut.first[now.kernel]);
      round: assert (&reached);
      second: cover (started[NumSms-1] && dispatched[1] && base == 2 && run != '0);
      passed_over: cover (32'(elsewhere_q[0][1]) == NumSms - 1);
      misfit: cover (look_q.valid && fits_i[look_q.sm] && !fit);
      keeps_turn: cover (now.valid && passed && started != '0);
      every_cycle: cover (started != '0 && go_q.valid && look_q.valid && now.valid &&
          started_q != '0);
      too_late: cover (go_q.valid && !closed_i && !decision_i && ready_i[go_q.kernel] &&
          !open_i[go_q.kernel][go_q.sm]);
    end
  end
endmodule
