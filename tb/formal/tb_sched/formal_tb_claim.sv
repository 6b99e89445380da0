// SPDX-License-Identifier: Apache-2.0
// A claim with all its parts, on any SM full of blocks that never end: it makes room. When those
// that it sends away have gone, the youngest of each kernel first, a block of the claimer fits what
// is left: TB slot, warps of each sub-core, granules in one run; and nobody else may take it
// (R-TA-11).
module formal_tb_claim #(
  parameter int unsigned NumKernels = 3,
  parameter int unsigned NumSched = 2,
  parameter int unsigned WarpsPerSched = 2,
  parameter int unsigned MaxTbs = 3,
  parameter int unsigned Granules = 4,
  localparam int unsigned KernelW = $clog2(NumKernels),
  localparam int unsigned TbW = $clog2(MaxTbs),
  localparam int unsigned SubW = (NumSched > 1) ? $clog2(NumSched) : 1,
  localparam int unsigned FreeW = $clog2(WarpsPerSched + 1),
  localparam int unsigned GranW = $clog2(Granules),
  localparam int unsigned OutW = $clog2(MaxTbs + 1)
) (
  input logic                            clk_i,
  // All stand still: kernels, and the blocks at the places of the age order, the youngest first.
  // The TB slot of a block is its place.
  input logic [NumKernels-1:0]             qos_i,
  input logic [NumKernels-1:0]             has_block_i,
  input logic [NumKernels-1:0][FreeW-1:0]  whole_i,
  input logic [NumKernels-1:0][SubW-1:0]   rest_i,
  input logic [NumKernels-1:0][GranW:0]    granules_i,
  input logic [NumKernels-1:0][5:0]        before_i,  // targets
  input logic [MaxTbs-1:0]                 valid_i,
  input logic [MaxTbs-1:0][KernelW-1:0]    kernel_i,
  input logic [MaxTbs-1:0][SubW-1:0]       at_first_i,
  input logic [MaxTbs-1:0][GranW-1:0]      at_base_i,
  input logic [SubW-1:0]                   first_i
);
  logic       rst_ni = 1'b0;
  logic [1:0] cycle_q = '0;  // the first two after reset are E + QosLat
  always_ff @(posedge clk_i) begin
    rst_ni <= 1'b1;
    if (cycle_q != '1) cycle_q <= cycle_q + 1'b1;
  end

  function automatic logic [FreeW+1:0] needs(logic [FreeW-1:0] whole, logic [SubW-1:0] rest,
      logic [SubW-1:0] first, int unsigned j);
    logic [SubW-1:0] sub;
    sub = first;
    needs = '0;
    for (int unsigned w = 0; w < NumSched * WarpsPerSched; w++) begin
      if (w < 32'(whole) * NumSched + 32'(rest) && 32'(sub) == j) needs += 1'b1;
      sub = (32'(sub) == NumSched - 1) ? '0 : sub + 1'b1;
    end
  endfunction
  function automatic logic [Granules-1:0] run_of(logic [GranW-1:0] base, logic [GranW:0] n);
    for (int unsigned g = 0; g < Granules; g++)
      run_of[g] = g >= 32'(base) && g < 32'(base) + 32'(n);
  endfunction

  logic [NumKernels-1:0] evict;

  // ---- The SM; and without the blocks of flagged kernels above their targets ----
  logic [NumKernels-1:0][5:0]           cnt, target_q, older;
  logic [NumSched-1:0][FreeW+1:0]       held, stays;    // warps
  logic [Granules-1:0]                  used, used_then;
  logic [MaxTbs-1:0]                    remains;
  logic                                 possible, fits_then;
  logic [NumSched-1:0]                  room;           // with warp 0 on this sub-core
  logic [NumSched-1:0][FreeW-1:0]       free_warps;
  logic [KernelW-1:0]                   whose;
  always_comb begin
    {cnt, older, held, stays, used, used_then} = '0;
    possible = 1'b1;
    for (int unsigned p = MaxTbs; p > 0; p--) begin
      logic [KernelW-1:0] k;
      k = kernel_i[p-1];
      remains[p-1] = 1'b0;
      if (valid_i[p-1]) begin
        if (32'(k) >= NumKernels || 32'(at_first_i[p-1]) >= NumSched || 32'(at_base_i[p-1]) +
            32'(granules_i[k]) > Granules) possible = 1'b0;
        if ((used & run_of(at_base_i[p-1], granules_i[k])) != '0) possible = 1'b0;
        used |= run_of(at_base_i[p-1], granules_i[k]);
        cnt[k] += 6'd1;
        older[k] += 6'd1;
        remains[p-1] = !evict[k] || older[k] <= target_q[k];
        if (remains[p-1]) used_then |= run_of(at_base_i[p-1], granules_i[k]);
        for (int unsigned j = 0; j < NumSched; j++) begin
          held[j] += needs(whole_i[k], rest_i[k], at_first_i[p-1], j);
          if (remains[p-1]) stays[j] += needs(whole_i[k], rest_i[k], at_first_i[p-1], j);
        end
      end
    end
    for (int unsigned j = 0; j < NumSched; j++) begin
      if (32'(held[j]) > WarpsPerSched) possible = 1'b0;
      free_warps[j] = FreeW'(WarpsPerSched - 32'(held[j]));
    end
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (32'(rest_i[k]) >= NumSched || 32'(whole_i[k]) * NumSched + 32'(rest_i[k]) > NumSched *
          WarpsPerSched || {whole_i[k], rest_i[k]} == '0
          || 32'(granules_i[k]) > Granules || 32'(before_i[k]) > MaxTbs) possible = 1'b0;
    end
    if (32'(first_i) >= NumSched) possible = 1'b0;
    // R-TB-10's test for the claimer.
    fits_then = 1'b0;
    for (int unsigned b = 0; b < Granules; b++) begin
      if (b + 32'(granules_i[whose]) <= Granules &&
          (used_then & run_of(GranW'(b), granules_i[whose])) == '0) fits_then = 1'b1;
    end
    room = '1;
    for (int unsigned f = 0; f < NumSched; f++)
      for (int unsigned j = 0; j < NumSched; j++)
        if (32'(stays[j]) + 32'(needs(whole_i[whose], rest_i[whose], SubW'(f), j)) > WarpsPerSched)
          room[f] = 1'b0;
    if (room == '0 || &remains) fits_then = 1'b0;
  end

  // ---- The claim ----
  logic                                busy, found;
  logic [NumKernels-1:0]               raise, lower;
  logic [5:0]                          raised, lowered;
  logic [TbW-1:0]                      look_tb;
  logic [MaxTbs-1:0][TbW-1:0]          places;
  logic [Granules-1:0]                 fit_granules, run;
  logic [GranW:0]                      fit_len;
  logic [GranW-1:0]                    base;
  logic [NumKernels-1:0][OutW-1:0]     out;
  logic [NumKernels-1:0][6:0]          warps;
  always_comb begin
    for (int unsigned p = 0; p < MaxTbs; p++) places[p] = TbW'(p);
    for (int unsigned k = 0; k < NumKernels; k++) begin
      out[k] = OutW'(cnt[k]);
      warps[k] = 7'(32'(whole_i[k]) * NumSched + 32'(rest_i[k]));
    end
  end
  qsm_tb_adjust #(
    .NumSms(1), .NumKernels(NumKernels), .NumSched(NumSched), .WarpsPerSm(NumSched * WarpsPerSched),
    .MaxTbs(MaxTbs), .Granules(Granules)
  ) u_dut (
    .clk_i, .rst_ni, .adjust_i(1'b0), .latecomers_i(1'b1), .snapshot_i(1'b0),
    .epoch_done_i(cycle_q == 2'd1 || cycle_q == 2'd2), .busy_o(busy), .qos_i, .level_i('0),
    .busy_i('1), .killed_i('0), .has_block_i, .out_i(out), .mask_i('1), .capped_i('0), .ratio_i('0),
    .paced_i(1'b0),
    .warps_i(warps), .whole_i, .rest_i, .granules_i, .idle_i('0),
    .cnt_i(cnt), .free_warps_i(free_warps), .free_granules_i(~used), .first_i,
    .age_valid_i(valid_i), .age_tb_i(places), .age_kernel_i(kernel_i),
    .look_tb_o(look_tb), .look_first_i(at_first_i[look_tb]), .look_base_i(at_base_i[look_tb]),
    .fit_granules_o(fit_granules), .fit_len_o(fit_len),
    .fit_found_i(found), .fit_run_i(run), .alloc_busy_i(1'b0),
    .alloc_all_i(1'b0), .alloc_we_i('0), .target_i(target_q),
    .sm_o(), .raise_o(raise), .lower_o(lower),
    .raised_o(raised), .lowered_o(lowered), .realloc_o(), .preempting_i(1'b0), .restoring_i('0),
    .evict_refused_i('0), .evict_o(evict)
  );
  logic             found_now;
  logic [GranW-1:0] base_now;
  qsm_first_fit #(.N(Granules)) u_fit (.free_i(fit_granules), .len_i(fit_len),
      .found_o(found_now), .base_o(base_now));
  always_ff @(posedge clk_i) {found, base} <= {found_now, base_now};
  qsm_run_mask #(.N(Granules)) u_run (.base_i(base), .len_i(fit_len), .run_o(run));

  logic busy_q, over, kept;
  assign over = busy_q && !busy;
  assign whose = u_dut.asker_idx;
  always_comb begin
    kept = 1'b1;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (32'(whose) != k && target_q[k] > (evict[k] ? cnt[k] - 6'd1 : cnt[k])) kept = 1'b0;
    end
  end
  typedef logic [$bits({qos_i, has_block_i, whole_i, rest_i, granules_i, before_i, valid_i,
      kernel_i, at_first_i, at_base_i, first_i})-1:0] all_t;
  all_t all, all_q;
  assign all = {qos_i, has_block_i, whole_i, rest_i, granules_i, before_i, valid_i, kernel_i,
      at_first_i, at_base_i, first_i};
  always_ff @(posedge clk_i) begin
    all_q <= all;
    busy_q <= rst_ni && busy;
    if (!rst_ni) target_q <= before_i;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (rst_ni && raise[k]) target_q[k] <= raised;
      if (rst_ni && lower[k]) target_q[k] <= lowered;
    end
  end

  always_ff @(posedge clk_i) begin
    assume (possible && (!rst_ni || all == all_q));
    if (rst_ni) begin
      // With all others gone any block fits, so somebody's going is always enough.
      if (u_dut.claim_tried) makes_room: assert (u_dut.fits);
      if (over) fits_when_gone: assert (fits_then);
      if (over) nobody_else: assert (kept && target_q[whose] != '0);
      two_go: cover (over && remains == 3'b100 && valid_i == '1);
      granules: cover (over && u_dut.u_claim.gone_q[0] == 1 && !remains[1] && remains[0] &&
          stays[0] == 1 && free_warps[0] == '0);
      goal_stays: cover (over && qos_i == 3'b011 && remains == 3'b001 && valid_i == '1 &&
          kernel_i[0] == 2'd1);
    end
  end
endmodule
