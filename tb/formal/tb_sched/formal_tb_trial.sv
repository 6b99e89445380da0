// SPDX-License-Identifier: Apache-2.0
// qsm_tb_trial: what an SM would have left is what it had at the load, less the TBs given room
// since, and with those that are freed in the trial, counted anew in every cycle; a TB fits by
// R-TB-10's test of that; the one to go next is the youngest of its kernel not freed (R-TA-2 to -4,
// -11).
module formal_tb_trial #(
  parameter int unsigned NumKernels = 2,
  parameter int unsigned NumSched = 2,
  parameter int unsigned WarpsPerSched = 3,
  parameter int unsigned MaxTbs = 3,
  parameter int unsigned Granules = 4,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned CountW = $clog2(MaxTbs + 1),
  localparam int unsigned SubW = (NumSched > 1) ? $clog2(NumSched) : 1,
  localparam int unsigned FreeW = $clog2(WarpsPerSched + 1),
  localparam int unsigned GranW = $clog2(Granules)
) (
  input logic                            clk_i,
  input logic [MaxTbs-1:0]               age_valid_i,
  input logic [MaxTbs-1:0][TbW-1:0]      age_tb_i,
  input logic [MaxTbs-1:0][KernelW-1:0]  age_kernel_i,
  // Shape and place of the TB at each place of the age order.
  input logic [MaxTbs-1:0][FreeW-1:0]    at_whole_i,
  input logic [MaxTbs-1:0][SubW-1:0]     at_rest_i,
  input logic [MaxTbs-1:0][SubW-1:0]     at_first_i,
  input logic [MaxTbs-1:0][GranW-1:0]    at_base_i,
  input logic [MaxTbs-1:0][GranW:0]      at_granules_i,
  input logic [NumSched-1:0][FreeW-1:0]  warps_i,
  input logic [Granules-1:0]             granules_i,
  input logic [SubW-1:0]                 first_i,
  input logic                            load_i,
  input logic                            restart_i,
  input logic [FreeW-1:0]                whole_i,
  input logic [SubW-1:0]                 rest_i,
  input logic                            found_i,
  input logic [Granules-1:0]             run_i,
  input logic                            take_i,
  input logic [KernelW-1:0]              kernel_i,
  input logic                            free_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  typedef struct packed {
    logic [FreeW-1:0] whole;
    logic [SubW-1:0] rest;
    logic [SubW-1:0] first;
    logic [GranW-1:0] base;
    logic [GranW:0] granules;
  } where_t;

  // ---- The SM at the load; since then blocks only go ----
  logic [MaxTbs-1:0]              there_q, valid_q;
  logic [MaxTbs-1:0][TbW-1:0]     tb_q;
  logic [MaxTbs-1:0][KernelW-1:0] kernel_q;
  where_t [MaxTbs-1:0]            at, at_q;
  always_comb for (int unsigned p = 0; p < MaxTbs;
  p++) at[p] = '{at_whole_i[p], at_rest_i[p], at_first_i[p], at_base_i[p], at_granules_i[p]};

  // ---- W without what was freed: slots, warps, granules; which places are freed in the trial ----
  logic                               trial_q;  // loaded
  logic [CountW-1:0]                  slots_q;
  logic [NumSched-1:0][FreeW-1:0]     warps_q;
  logic [Granules-1:0]                granules_q;
  logic [SubW-1:0]                    first_q;
  logic [MaxTbs-1:0]                  freed_q;

  // Warps w of a TB with (first + w) mod NumSched = j.
  function automatic logic [FreeW:0] needs(logic [FreeW-1:0] whole, logic [SubW-1:0] rest,
      logic [SubW-1:0] first, int unsigned j);
    logic [SubW-1:0] sub;
    sub = first;
    needs = '0;
    for (int unsigned w = 0; w < NumSched * WarpsPerSched; w++) begin
      if (w < 32'(whole) * NumSched + 32'(rest) && 32'(sub) == j) needs += 1'b1;
      sub = (32'(sub) == NumSched - 1) ? '0 : sub + 1'b1;
    end
  endfunction
  function automatic logic [Granules-1:0] run_of(where_t place);
    for (int unsigned g = 0; g < Granules; g++)
      run_of[g] = g >= 32'(place.base) && g < 32'(place.base) + 32'(place.granules);
  endfunction

  logic [MaxTbs-1:0] not_freed, next;  // of kernel_i; the youngest
  logic              some, fits, found_some;
  logic [TbW-1:0]    tb, next_tb;
  logic [CountW-1:0] n;
  where_t            next_at;
  logic [Granules-1:0] granules;
  always_comb begin
    for (int unsigned p = 0; p < MaxTbs; p++)
      not_freed[p] = age_valid_i[p] && age_kernel_i[p] == kernel_i && !freed_q[p];
    found_some = 1'b0;
    next = '0;
    next_tb = '0;
    next_at = at_q[0];
    for (int unsigned p = MaxTbs; p > 0; p--) begin
      if (not_freed[p-1]) begin
        found_some = 1'b1;
        next = MaxTbs'(1) << (p - 1);
        next_tb = age_tb_i[p-1];
        next_at = at_q[p-1];
      end
    end
  end

  qsm_tb_trial #(.NumKernels(NumKernels), .NumSched(NumSched), .WarpsPerSched(WarpsPerSched),
      .MaxTbs(MaxTbs), .Granules(Granules)) u_dut (
    .clk_i, .rst_ni, .age_valid_i, .age_tb_i, .age_kernel_i, .warps_i, .granules_i, .first_i,
    .load_i, .restart_i, .whole_i, .rest_i,
    .granules_o(granules), .found_i, .run_i, .fits_o(fits), .take_i, .kernel_i, .some_o(some),
    .tb_o(tb), .freed_o(n), .free_i,
    .freed_whole_i(next_at.whole), .freed_rest_i(next_at.rest), .freed_first_i(next_at.first),
    .freed_base_i(next_at.base), .freed_granules_i(next_at.granules)
  );

  // ---- V, counted anew ----
  // left in V; if every TB of the load were gone; and of the load itself
  logic [NumSched-1:0][FreeW+2:0] left, all, loaded;
  logic [CountW:0]                slots_left;
  logic [Granules-1:0]            granules_left, held, loaded_held;
  logic                           apart, loaded_apart;
  logic [NumSched-1:0]            room;     // for all warps, with warp 0 on this sub-core
  logic [SubW-1:0]                nearest;  // of these the first circular from first_q on
  always_comb begin
    slots_left = (CountW+1)'(slots_q);
    granules_left = granules_q;
    held = granules_q;
    loaded_held = granules_i;
    {apart, loaded_apart} = '1;
    for (int unsigned p = 0; p < MaxTbs; p++) begin
      if (freed_q[p]) begin
        slots_left += 1'b1;
        granules_left |= run_of(at_q[p]);
      end
      if (there_q[p]) begin
        if ((held & run_of(at_q[p])) != '0) apart = 1'b0;
        held |= run_of(at_q[p]);
      end
      if (age_valid_i[p]) begin
        if ((loaded_held & run_of(at[p])) != '0) loaded_apart = 1'b0;
        loaded_held |= run_of(at[p]);
      end
    end
    room = '1;
    for (int unsigned j = 0; j < NumSched; j++) begin
      left[j] = (FreeW+3)'(warps_q[j]);
      all[j] = (FreeW+3)'(warps_q[j]);
      loaded[j] = (FreeW+3)'(warps_i[j]);
      for (int unsigned p = 0; p < MaxTbs; p++) begin
        if (freed_q[p]) left[j] += (FreeW+3)'(needs(at_q[p].whole, at_q[p].rest, at_q[p].first, j));
        if (there_q[p]) all[j] += (FreeW+3)'(needs(at_q[p].whole, at_q[p].rest, at_q[p].first, j));
        if (age_valid_i[p]) loaded[j] += (FreeW+3)'(needs(at[p].whole, at[p].rest, at[p].first, j));
      end
      for (int unsigned f = 0; f < NumSched; f++)
        if (left[j] < (FreeW+3)'(needs(whole_i, rest_i, SubW'(f), j))) room[f] = 1'b0;
    end
    nearest = '0;
    for (int unsigned n = NumSched; n > 0; n--) begin
      logic [SubW-1:0] f;
      f = SubW'((32'(first_q) + n - 1 >= NumSched) ? 32'(first_q) + n - 1 - NumSched
          : 32'(first_q) + n - 1);
      if (room[f]) nearest = f;
    end
  end

  // What fits_o tells of: V and the TB of the cycle before, if they are still the same.
  logic [NumSched-1:0] room_q;
  logic [SubW-1:0]     nearest_q, rest_q;
  logic [FreeW-1:0]    whole_q;
  logic                changed_q, told;
  always_ff @(posedge clk_i) begin
    {room_q, nearest_q, rest_q, whole_q} <= {room, nearest, rest_i, whole_i};
    changed_q <= !rst_ni || load_i || restart_i || take_i || free_i;
  end
  assign told = !changed_q && rest_i == rest_q && whole_i == whole_q;
  // For the induction: what the block has kept of it.
  logic place_kept;
  always_comb begin
    place_kept = u_dut.has_warps_q == (room_q != '0);
    if (room_q != '0) begin
      if (32'(u_dut.first_next_q) != (32'(nearest_q) + 32'(rest_q)) % NumSched) place_kept = 1'b0;
      for (int unsigned j = 0; j < NumSched; j++)
        if (32'(needs(whole_q, rest_q, nearest_q, j)) != 32'(whole_q) +
            32'(u_dut.needs_more_q[j])) place_kept = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    valid_q <= age_valid_i;
    if (!rst_ni) begin
      {trial_q, slots_q, warps_q, granules_q, first_q, freed_q, there_q, valid_q} <= '0;
    end else begin
      if (load_i) begin
        trial_q <= 1'b1;
        {there_q, tb_q, kernel_q, at_q} <= {age_valid_i, age_tb_i, age_kernel_i, at};
        slots_q <= CountW'(MaxTbs - 32'($countones(age_valid_i)));
        {warps_q, granules_q, first_q} <= {warps_i, granules_i, first_i};
        freed_q <= '0;
      end
      if (restart_i) freed_q <= '0;
      if (free_i) freed_q <= freed_q | next;
      if (take_i) begin
        slots_q <= slots_q - 1'b1;
        granules_q <= granules_q & ~run_i;
        for (int unsigned j = 0; j < NumSched; j++)
          warps_q[j] <= FreeW'(32'(warps_q[j]) - 32'(needs(whole_i, rest_i, nearest, j)));
        first_q <= SubW'(32'(nearest) + 32'(rest_i) -
            ((32'(nearest) + 32'(rest_i) >= NumSched) ? NumSched : 0));
      end
    end
  end

  // ---- Surroundings: a load brings TBs that fit beside what is free; after it they only go, as
  // they are ----
  logic [MaxTbs-1:0] stands, shaped, kept_shape;
  function automatic logic possible(where_t place);
    return 32'(place.rest) < NumSched && 32'(place.first) < NumSched && 32'(place.whole) *
        NumSched + 32'(place.rest) <= NumSched * WarpsPerSched
           && 32'(place.base) + 32'(place.granules) <= Granules;
  endfunction
  logic [NumSched-1:0] warps_exact, capacity, loaded_fits;
  always_comb begin
    for (int unsigned p = 0; p < MaxTbs; p++) begin
      stands[p] = !age_valid_i[p] || (valid_q[p] && age_tb_i[p] == tb_q[p] &&
          age_kernel_i[p] == kernel_q[p]);
      shaped[p] = possible(at[p]);
      kept_shape[p] = !there_q[p] || possible(at_q[p]);
    end
    for (int unsigned j = 0; j < NumSched; j++) begin
      warps_exact[j] = 32'(left[j]) == 32'(u_dut.trial_q.warps[j]) &&
          warps_q[j] == u_dut.left_q.warps[j];
      capacity[j] = 32'(all[j]) <= WarpsPerSched;
      loaded_fits[j] = 32'(loaded[j]) <= WarpsPerSched;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume ($onehot0({load_i, restart_i, take_i, free_i}));
      assume (32'(rest_i) < NumSched && 32'(whole_i) * NumSched + 32'(rest_i) <= NumSched *
          WarpsPerSched
              && 32'(first_i) < NumSched && 32'(kernel_i) < NumKernels);
      assume (load_i ? &loaded_fits && loaded_apart && &shaped : &stands);
      assume (!found_i || (run_i & ~granules) == '0);
      assume (!take_i || (told && fits && freed_q == '0));
      assume (!free_i || (trial_q && some));
      if (told) kept_place: assert (place_kept && room_q == room && nearest_q == nearest);
      if (told) fits_if_enough: assert (fits == (slots_left != '0 && found_i && room != '0));
      run_looked_for: assert (granules == granules_left);
      if (trial_q)
        youngest: assert (some == found_some && (!some || tb == next_tb) &&
            32'(n) == $countones(freed_q));
      never_over: assert (&capacity && apart);
      // For the induction: how the block keeps it.
      warps_kept: assert (&warps_exact && u_dut.left_q.granules == granules_q &&
          u_dut.first_q == first_q && 32'(first_q) < NumSched);
      slots_kept: assert (32'($countones(u_dut.left_q.slots)) == 32'(slots_q) &&
          32'($countones(u_dut.trial_q.slots)) == 32'(slots_left)
                          && (u_dut.left_q.slots & there_q) == '0 &&
                              u_dut.trial_q.slots == (u_dut.left_q.slots | freed_q));
      freed_kept: assert (trial_q ? u_dut.freed_q == freed_q &&
          u_dut.n_freed_q == CountW'($countones(freed_q)) : freed_q == '0);
      were_there: assert (&kept_shape && (freed_q & ~there_q) == '0 && (valid_q & ~there_q) == '0);
      two_to_go: cover (told && fits && n == 2 && !valid_q[0] && there_q[0] && whole_i == 2);
      given_then_freed: cover (trial_q && n == 1 && slots_q == '0 && first_q == 1 &&
          granules_q != '0);
      elsewhere: cover (take_i && nearest != first_q);
      never: cover (trial_q && told && !fits && !some && n == 2 && found_i && slots_left != '0);
    end
  end
endmodule
