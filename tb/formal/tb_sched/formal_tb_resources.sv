// SPDX-License-Identifier: Apache-2.0
// qsm_tb_resources: what is free is what the resident TBs leave, never negative, never over
// capacity, and all of it when none is left. A ledger beside the block holds what each TB slot has
// taken; the sums are counted from it anew in every cycle (R-TB-10, R-TB-11). A TB fits when, and
// only when, all of its warps have room from some sub-core on; the first one circular is taken.
module formal_tb_resources #(
  parameter int unsigned NumKernels = 2,
  parameter int unsigned NumSched = 2,
  parameter int unsigned WarpsPerSched = 3,
  parameter int unsigned MaxTbs = 3,
  parameter int unsigned Granules = 4,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned SubW = (NumSched > 1) ? $clog2(NumSched) : 1,
  localparam int unsigned FreeW = $clog2(WarpsPerSched + 1),
  localparam int unsigned GranW = $clog2(Granules),
  localparam int unsigned TicketW = 2
) (
  input logic                             clk_i,
  input logic [NumKernels-1:0][FreeW-1:0] whole_i,
  input logic [NumKernels-1:0][SubW-1:0]  rest_i,
  input logic [NumKernels-1:0][GranW:0]   granules_i,
  input logic [KernelW-1:0]               kernel_i,  // that looks for a place
  input logic                             take_i,
  input logic [KernelW-1:0]               take_kernel_i,
  input logic [TbW-1:0]                   take_tb_i,
  input logic [SubW-1:0]                  take_first_i,
  input logic [GranW-1:0]                 take_base_i,
  input logic [TicketW-1:0]               take_ticket_i,
  input logic                             retire_i,
  input logic [TbW-1:0]                   retire_tb_i,
  input logic [TbW-1:0]                   look_tb_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // The kernels' shapes are any, and stay.
  logic [NumKernels-1:0][FreeW-1:0] whole_q;
  logic [NumKernels-1:0][SubW-1:0]  rest_q;
  logic [NumKernels-1:0][GranW:0]   shared_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      whole_q <= whole_i;
      rest_q <= rest_i;
      shared_q <= granules_i;
    end
  end

  logic                           fits;
  logic [TbW-1:0]                 tb;
  logic [SubW-1:0]                place, first, look_first;
  logic [Granules-1:0]            free_granules, take_granules;
  logic [NumSched-1:0][FreeW-1:0] take_warps;
  logic [SubW-1:0]                take_after;
  logic [KernelW-1:0]             retire_kernel;
  logic [NumSched-1:0][FreeW-1:0] retire_warps;
  logic [Granules-1:0]            retire_granules;
  logic [TicketW-1:0]             retire_ticket;
  logic [NumKernels-1:0][5:0]     cnt;
  logic [NumSched-1:0][FreeW-1:0] free_warps;
  logic [GranW-1:0]               look_base;
  qsm_tb_resources #(
    .NumKernels(NumKernels), .NumSched(NumSched), .WarpsPerSched(WarpsPerSched), .MaxTbs(MaxTbs),
    .Granules(Granules)
  ) u_dut (
    .clk_i, .rst_ni, .whole_i(whole_q), .rest_i(rest_q), .look_kernel_i(kernel_i),
    .fits_o(fits), .tb_o(tb), .place_o(place), .first_o(first),
    .free_granules_o(free_granules), .take_i, .take_kernel_i, .take_tb_i,
    .take_after_i(take_after), .take_warps_i(take_warps), .take_granules_i(take_granules),
    .retire_i, .retire_kernel_i(retire_kernel), .retire_tb_i, .retire_warps_i(retire_warps),
    .retire_granules_i(retire_granules), .cnt_o(cnt), .free_warps_o(free_warps)
  );
  qsm_tb_held #(
    .NumSms(1), .NumKernels(NumKernels), .NumSched(NumSched), .WarpsPerSched(WarpsPerSched),
    .MaxTbs(MaxTbs), .Granules(Granules), .TicketW(TicketW)
  ) u_held (
    .clk_i, .whole_i(whole_q), .rest_i(rest_q), .take_i, .take_sm_i('0), .take_tb_i,
    .take_kernel_i, .take_first_i, .take_base_i, .take_granules_i(take_granules), .take_ticket_i,
    .retire_sm_i('0), .retire_tb_i, .kernel_o(retire_kernel), .warps_o(retire_warps),
    .granules_o(retire_granules), .ticket_o(retire_ticket), .look_sm_i('0), .look_tb_i,
    .look_first_o(look_first), .look_base_o(look_base)
  );
  function automatic logic [Granules-1:0] run(logic [GranW-1:0] base, logic [KernelW-1:0] k);
    for (int unsigned g = 0; g < Granules; g++)
      run[g] = g >= 32'(base) && g < 32'(base) + 32'(shared_q[k]);
  endfunction
  assign take_granules = run(take_base_i, take_kernel_i);

  function automatic int unsigned warps_of(logic [KernelW-1:0] k);
    return 32'(whole_q[k]) * NumSched + 32'(rest_q[k]);
  endfunction

  // Warps w of the TB with (first + w) mod NumSched = j.
  function automatic logic [FreeW:0] needs(logic [KernelW-1:0] k, logic [SubW-1:0] from,
      int unsigned j);
    logic [SubW-1:0] sub;
    sub = from;
    needs = '0;
    for (int unsigned w = 0; w < NumSched * WarpsPerSched; w++) begin
      if (w < warps_of(k) && 32'(sub) == j) needs += 1'b1;
      sub = (32'(sub) == NumSched - 1) ? '0 : sub + 1'b1;
    end
  endfunction

  // Any place that is free, not only where the block would put it: what a place found before.
  always_comb begin
    for (int unsigned j = 0; j < NumSched; j++)
      take_warps[j] = FreeW'(needs(take_kernel_i, take_first_i, j));
    take_after = SubW'((32'(take_first_i) + 32'(rest_q[take_kernel_i]) >= NumSched)
        ? 32'(take_first_i) + 32'(rest_q[take_kernel_i]) - NumSched
        : 32'(take_first_i) + 32'(rest_q[take_kernel_i]));
  end

  // ---- The ledger ----
  logic [MaxTbs-1:0]               used_q;
  logic [MaxTbs-1:0][KernelW-1:0]  kernel_q;
  logic [MaxTbs-1:0][SubW-1:0]     first_held_q;
  logic [MaxTbs-1:0][Granules-1:0] granules_q;
  logic [MaxTbs-1:0][GranW-1:0]    base_q;
  logic [MaxTbs-1:0][TicketW-1:0]  ticket_q;
  logic [SubW-1:0]                 first_q;
  // Counted anew, below: sub-cores from which on all warps have room; the first circular from
  // first_q on.
  logic [NumSched-1:0]             room;
  logic [SubW-1:0]                 nearest;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      used_q <= '0;
      first_q <= '0;
    end else begin
      if (retire_i) used_q[retire_tb_i] <= 1'b0;
      if (take_i) begin
        used_q[take_tb_i] <= 1'b1;
        kernel_q[take_tb_i] <= take_kernel_i;
        first_held_q[take_tb_i] <= take_first_i;
        granules_q[take_tb_i] <= take_granules;
        base_q[take_tb_i] <= take_base_i;
        ticket_q[take_tb_i] <= take_ticket_i;
        first_q <= take_after;
      end
    end
  end

  // ---- Counted anew ----
  logic [NumSched-1:0][FreeW+1:0] held, left;
  logic [NumKernels-1:0][5:0]     tbs;
  logic [Granules-1:0]            taken;
  logic                           disjoint, has_place;
  logic [TbW-1:0]                 lowest;
  always_comb begin
    held = '0;
    tbs = '0;
    taken = '0;
    disjoint = 1'b1;
    lowest = '0;
    for (int unsigned s = MaxTbs; s > 0; s--) if (!used_q[s-1]) lowest = TbW'(s - 1);
    for (int unsigned s = 0; s < MaxTbs; s++) begin
      if (used_q[s]) begin
        for (int unsigned j = 0; j < NumSched; j++)
          held[j] += (FreeW+2)'(needs(kernel_q[s], first_held_q[s], j));
        tbs[kernel_q[s]] += 6'd1;
        if ((taken & granules_q[s]) != '0) disjoint = 1'b0;
        taken |= granules_q[s];
      end
    end
    room = '1;
    for (int unsigned j = 0; j < NumSched; j++) begin
      left[j] = (FreeW+2)'(WarpsPerSched) - held[j];
      for (int unsigned f = 0; f < NumSched; f++)
        if (held[j] + (FreeW+2)'(needs(kernel_i, SubW'(f), j)) > (FreeW+2)'(WarpsPerSched))
          room[f] = 1'b0;
    end
    has_place = 32'(take_kernel_i) < NumKernels && 32'(take_first_i) < NumSched &&
        32'(take_tb_i) < MaxTbs && !used_q[take_tb_i];
    for (int unsigned j = 0; j < NumSched; j++)
      if (left[j] < (FreeW+2)'(take_warps[j])) has_place = 1'b0;
    nearest = '0;
    for (int unsigned n = NumSched; n > 0; n--) begin
      logic [SubW-1:0] f;
      f = SubW'((32'(first_q) + n - 1 >= NumSched) ? 32'(first_q) + n - 1 - NumSched
          : 32'(first_q) + n - 1);
      if (room[f]) nearest = f;
    end
  end

  // For the induction: the block's own notes.
  logic [MaxTbs-1:0] noted;
  for (genvar s = 0; s < MaxTbs; s++) begin : g_tb
    assign noted[s] = u_dut.used_q[s] == used_q[s]
                      && (!used_q[s] || (u_held.held_mem[s] ==
                          {kernel_q[s], first_held_q[s], base_q[s], granules_q[s], ticket_q[s]} &&
                          32'(kernel_q[s]) < NumKernels
                          && 32'(first_held_q[s]) < NumSched &&
                              granules_q[s] == run(base_q[s], kernel_q[s])));
  end

  logic [NumSched-1:0]   capacity, exact;
  logic [NumKernels-1:0] shaped;
  always_comb begin
    for (int unsigned j = 0; j < NumSched; j++) begin
      capacity[j] = held[j] <= (FreeW+2)'(WarpsPerSched);
      exact[j] = left[j] == (FreeW+2)'(free_warps[j]);
    end
    for (int unsigned k = 0; k < NumKernels; k++) begin
      shaped[k] = 32'(rest_q[k]) < NumSched && warps_of(KernelW'(k)) >= 1 &&
          warps_of(KernelW'(k)) <= NumSched * WarpsPerSched
                  && 32'(shared_q[k]) <= Granules;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (shaped == '1 && 32'(kernel_i) < NumKernels);
      assume (!take_i || (has_place && (take_granules & taken) == '0 && 32'(take_base_i) +
          32'(shared_q[take_kernel_i]) <= Granules));
      assume (!retire_i || (!take_i && 32'(retire_tb_i) < MaxTbs && used_q[retire_tb_i]));
      fits_if_enough: assert (fits == (used_q != '1 && room != '0));
      if (fits) lowest_slot: assert (tb == lowest);
      if (fits) nearest_place: assert (place == nearest);
      next_first: assert (first == first_q);
      within_capacity: assert (&capacity && disjoint);
      warps_left: assert (&exact);
      granules_left: assert (free_granules == ~taken);
      counted: assert (cnt == tbs);
      if (used_q == '0)
        all_back: assert (free_warps == {NumSched{FreeW'(WarpsPerSched)}} && free_granules == '1 &&
            cnt == '0);
      if (retire_i)
        whose: assert (retire_kernel == kernel_q[retire_tb_i]);
      if (retire_i) ticket_back: assert (retire_ticket == ticket_q[retire_tb_i]);
      if (32'(look_tb_i) < MaxTbs && used_q[look_tb_i])
        where: assert (look_first == first_held_q[look_tb_i] && look_base == base_q[look_tb_i]);
      notes: assert (&noted && 32'(first_q) < NumSched);
      full: cover (&used_q && taken == '1);
      uneven: cover (retire_i && first_q != 0 && left[0] != left[1]);
      elsewhere: cover (fits && nearest != first_q && warps_of(kernel_i) > NumSched);
      emptied: cover (used_q == '0 && first_q != 0);
    end
  end
endmodule
