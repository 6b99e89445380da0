// SPDX-License-Identifier: Apache-2.0
// qsm_tb_alloc: the targets of a round fit its SMs: warps, TB slots, granules, by the shapes of its
// set-up cycle, but for those of capped slots, which have the blocks of their caps (R-TB-15); who
// is not assigned gets none; a round is for the lowest SM left and exactly those left that are like
// it, and ends in time (R-TB-6 to -8); who takes part, and that a change of it is worked out
// (R-TB-14). Contexts, masks, caps and launches change at any time.
module formal_tb_alloc
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumSms = 2,
  parameter int unsigned NumKernels = 2,
  parameter int unsigned WarpsPerSm = 4,
  parameter int unsigned MaxTbs = 3,
  parameter int unsigned Granules = 4,
  localparam int unsigned GranW = $clog2(Granules) + 1,
  localparam int unsigned SmW = $clog2(NumSms),
  localparam int unsigned KernelW = $clog2(NumKernels)
) (
  input logic                               clk_i,
  input logic [NumKernels-1:0]              valid_i,
  input logic [NumKernels-1:0]              qos_i,
  input logic [NumKernels-1:0][NumSms-1:0]  mask_i,
  input logic [NumKernels-1:0][6:0]         warps_i,
  input logic [NumKernels-1:0][GranW-1:0]   granules_i,
  input logic [NumKernels-1:0][6:0]         cap_i,
  input logic [NumKernels-1:0]              launch_i,
  input logic [NumKernels-1:0]              arrival_i,
  input logic                               change_i,
  input logic [NumKernels-1:0]              busy_i,
  input logic                               snapshot_i,
  input sm_use_e [NumSms-1:0]               use_i,
  input logic [NumSms-1:0][KernelW-1:0]     owner_i,
  input logic [NumSms-1:0]                  moving_i,
  input logic [NumSms-1:0]                  ask_i
);
  localparam logic [2:0] StIdle = 3'd0, StSetup = 3'd1, StFill = 3'd2, StReduce = 3'd3,
      StDrop = 3'd4;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic                                   busy;
  logic [NumSms-1:0]                      we, asked_q, left_q;
  logic [NumKernels-1:0]                  part_out;
  logic                                   all;
  logic [NumSms-1:0][NumKernels-1:0][5:0] target;
  qsm_tb_alloc #(.NumSms(NumSms), .NumKernels(NumKernels), .WarpsPerSm(WarpsPerSm), .MaxTbs(MaxTbs),
      .Granules(Granules)) u_dut (
    .clk_i, .rst_ni, .valid_i, .qos_i, .mask_i, .warps_i, .granules_i, .cap_i, .launch_i,
    .arrival_i,
    .change_i, .busy_i, .snapshot_i, .part_o(part_out), .all_o(all),
    .use_i, .owner_i, .moving_i, .ask_i,
    .sm_i('0), .raise_i('0), .lower_i('0), .raised_i('0), .lowered_i('0), .busy_o(busy), .we_o(we),
    .target_o(target)
  );

  // Who takes part: all but those with no arrival or launch and never busy from one E to the next,
  // both included.
  logic [NumKernels-1:0] comes, out_q, out_d, quiet_q, busy_q, launched_q, part, part_qos;
  logic                  changed_q;
  assign comes = launch_i | arrival_i;
  assign out_d = (snapshot_i ? quiet_q & ~busy_i : out_q) & ~comes;
  assign part = valid_i & ~out_q;
  assign part_qos = qos_i & ~out_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {out_q, quiet_q} <= '1;
      {busy_q, launched_q, changed_q} <= '0;
    end else begin
      {busy_q, launched_q} <= {busy_i, launch_i};
      quiet_q <= (quiet_q | {NumKernels{snapshot_i}}) & ~busy_i & ~comes;
      out_q <= out_d;
      changed_q <= (valid_i & (out_d ^ out_q)) != '0;
    end
  end

  // Shapes of the last launches.
  logic [NumKernels-1:0][2:0]       warps_q, warps;
  logic [NumKernels-1:0][GranW-1:0] granules_q, granules;
  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (launch_i[k]) {warps_q[k], granules_q[k]} <= {3'(warps_i[k]), granules_i[k]};
      if (!rst_ni || arrival_i[k]) {warps_q[k], granules_q[k]} <= {3'd1, GranW'(0)};
    end
  end

  // SMs whose targets are asked for: for the next run, and in this one.
  logic all_ask;
  always_comb begin
    all_ask = change_i || (valid_i & (out_d ^ out_q)) != '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (launch_i[k] && {warps_q[k], granules_q[k]} != {3'(warps_i[k]), granules_i[k]})
        all_ask = 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      asked_q <= '0;
      left_q <= '0;
    end else begin
      asked_q <= (left_q == '0 ? '0 : asked_q) | ask_i | {NumSms{all_ask}};
      left_q <= (left_q == '0) ? asked_q : left_q & ~we;
    end
  end

  // Who is assigned to each SM (R-TB-7).
  logic [NumSms-1:0][NumKernels-1:0] of_sm;
  always_comb begin
    logic [2:0] n_others, rank;
    n_others = '0;
    for (int unsigned k = 0; k < NumKernels; k++) n_others += 3'(part[k] && !part_qos[k]);
    for (int unsigned i = 0; i < NumSms; i++) begin
      rank = '0;
      for (int unsigned k = 0; k < NumKernels; k++) begin
        of_sm[i][k] = part[k] && mask_i[k][i];
        if (!part_qos[k] && part_qos != '0 && 32'(rank) != i * 32'(n_others) / NumSms)
          of_sm[i][k] = 1'b0;
        if (use_i[i] == UseOwned) of_sm[i][k] = part[k] && owner_i[i] == KernelW'(k);
        if (use_i[i] == UseFree || moving_i[i]) of_sm[i][k] = 1'b0;
        rank += 3'(part[k] && !part_qos[k]);
      end
    end
  end

  // As of the set-up cycle of the round: shapes and caps, who is assigned to the lowest SM left,
  // and which SMs left are like it (R-TB-6).
  logic [NumKernels-1:0] assigned, assigned_q, capped;
  logic [NumKernels-1:0][2:0] cap;
  logic [NumSms-1:0] round, round_q;
  logic [SmW-1:0] lowest;
  always_comb begin
    lowest = '0;
    for (int unsigned i = NumSms; i > 0; i--) if (left_q[i-1]) lowest = SmW'(i - 1);
    assigned = of_sm[lowest];
    for (int unsigned i = 0; i < NumSms; i++) round[i] = left_q[i] && of_sm[i] == assigned;
  end
  always_ff @(posedge clk_i)
    if (u_dut.state_q == StSetup) begin
      {warps, granules, assigned_q, round_q} <= {warps_q, granules_q, assigned, round};
      for (int unsigned k = 0; k < NumKernels; k++) cap[k] <= 3'(cap_i[k]);
    end

  // What was in the targets of each SM before, and who has new ones now: all of a round at once.
  logic [NumSms-1:0][NumKernels-1:0][5:0] target_q;
  logic [NumKernels-1:0][5:0]             result_q;
  logic [NumSms-1:0]                      we_q, has_targets;
  logic                                   seen_q;  // a cycle before this one
  always_ff @(posedge clk_i) begin
    {target_q, result_q} <= {target, u_dut.target_q};
    we_q <= we;
    seen_q <= rst_ni;
  end
  always_comb
    for (int unsigned i = 0; i < NumSms; i++)
      has_targets[i] = target[i] == (we_q[i] ? result_q : target_q[i]);

  // What the targets that are written take of an SM, without those of capped slots; and these: the
  // warps of each, none too many, and none too few when it has been seen to.
  logic [6:0] all_warps, all_tbs, all_granules;
  logic [NumKernels-1:0][4:0] own_warps;
  logic [NumKernels-1:0] below_cap, has_cap, counts, got_one;
  logic       only_assigned;
  always_comb begin
    {all_warps, all_tbs, all_granules} = '0;
    own_warps = '0;
    only_assigned = 1'b1;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      capped[k] = cap[k] != '0;
      for (int unsigned t = 0; t < MaxTbs; t++)
        if (32'(u_dut.target_q[k]) > t) own_warps[k] += 5'(warps[k]);
      below_cap[k] = !capped[k] || own_warps[k] <= 5'(cap[k]);
      has_cap[k] = !(capped[k] && assigned_q[k]) || u_dut.todo_q[k] ||
          32'(u_dut.target_q[k]) == MaxTbs || own_warps[k] + 5'(warps[k]) > 5'(cap[k]);
      got_one[k] = !assigned_q[k] || capped[k] || u_dut.todo_q[k] || u_dut.target_q[k] != '0;
      counts[k] = !(u_dut.state_q == StFill && capped[k] && u_dut.fill[k]) ||
          32'(u_dut.share_q) == 32'(own_warps[k]);
      for (int unsigned t = 0; t < MaxTbs; t++) begin
        if (!capped[k] && 32'(u_dut.target_q[k]) > t) begin
          all_warps += 7'(warps[k]);
          all_tbs += 7'd1;
          all_granules += 7'(granules[k]);
        end
      end
      if (u_dut.target_q[k] != '0 && !assigned_q[k]) only_assigned = 1'b0;
    end
  end

  // R-TB-8: 1 cycle of set-up, 1 + MaxTbs per slot at most, two for a reduction per TB and 1; what
  // may be left of them.
  localparam int unsigned MostCycles = 1 + NumKernels * (1 + MaxTbs) + 2 * NumKernels * MaxTbs + 1;
  logic [6:0] cycles_q, left;
  always_ff @(posedge clk_i)
    cycles_q <= (!rst_ni || u_dut.state_q == StIdle || u_dut.target_we) ? '0 : cycles_q + 1'b1;
  always_comb begin
    left = 7'(MostCycles);
    if (u_dut.state_q == StFill || u_dut.state_q == StReduce) left = 7'd2 * all_tbs + 7'd1;
    if (u_dut.state_q == StDrop) left = 7'd2 * all_tbs;
    if (u_dut.state_q == StFill) begin
      for (int unsigned k = 0; k < NumKernels; k++)
        if (u_dut.todo_q[k]) left += 7'(3 * (MaxTbs - 32'(u_dut.target_q[k])) + 1);
    end
  end

  logic [NumKernels-1:0] shaped, kept, in_range, in_share;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      shaped[k] = warps_i[k] >= 1 && 32'(warps_i[k]) <= WarpsPerSm &&
          32'(granules_i[k]) <= Granules && 32'(cap_i[k]) <= WarpsPerSm;
      kept[k] = warps_q[k] >= 1 && 32'(warps_q[k]) <= WarpsPerSm &&
          32'(granules_q[k]) <= Granules && u_dut.shape_q[k] == {7'(warps_q[k]), granules_q[k]};
      // The sums are as wide as shares need: one block, or no more warps than the share.
      in_share[k] = (u_dut.target_q[k] <= 6'd1 || capped[k] || 32'($countones(assigned_q)) *
          32'(warps[k]) * 32'(u_dut.target_q[k]) <= WarpsPerSm) &&
          !(u_dut.state_q == StFill && u_dut.fill_q[k] && 32'(u_dut.share_q) !=
          (capped[k] ? 32'd1 : 32'($countones(assigned_q))) * 32'(warps[k]) *
          32'(u_dut.target_q[k]));
      in_range[k] = 32'(u_dut.target_q[k]) <= MaxTbs && warps[k] >= 1 &&
          32'(warps[k]) <= WarpsPerSm && 32'(granules[k]) <= Granules
                    && u_dut.job_q[k] == {7'(warps[k]), granules[k]} &&
                        u_dut.cap_q[k] == 7'(cap[k]) && 32'(cap[k]) <= WarpsPerSm &&
                        !(u_dut.todo_q[k] && !u_dut.fill[k] && u_dut.target_q[k] != '0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (&shaped);
      assume ((qos_i & ~valid_i) == '0);
      assume ((busy_i & ~busy_q & ~launched_q) == '0);  // R-TB-1
      takes_part: assert (u_dut.active_q == ~out_q && (busy_i & out_q) == '0);
      if (changed_q) worked_out: assert (&u_dut.ask_q);
      says_all: assert (all == (left_q == '0 && (&asked_q)));
      says_part: assert (part_out == part);
      // R-SO-8, R-TB-6: whose targets are asked for has them written, nobody else, the lowest first
      // and with it who is alike.
      if (we != '0) only_asked: assert ((we & ~left_q) == '0 && we[lowest]);
      asks: assert (u_dut.ask_q == asked_q);
      if (u_dut.state_q != StIdle) rest: assert (u_dut.left_q == left_q &&
          u_dut.sm_q == lowest && left_q[lowest]);
      else nothing_left: assert (left_q == '0);
      written: assert (we == (u_dut.target_we ? round_q : '0));
      if (seen_q) all_of_round: assert (&has_targets);
      if (u_dut.target_we) fit_warps: assert (32'(all_warps) <= WarpsPerSm);
      if (u_dut.target_we) fit_slots: assert (32'(all_tbs) <= MaxTbs);
      if (u_dut.target_we) fit_granules: assert (32'(all_granules) <= Granules);
      if (u_dut.target_we) nobody_else: assert (only_assigned);
      if (u_dut.target_we && $onehot(assigned_q & ~capped)) alone_gets_some: assert (all_tbs != '0);
      if (u_dut.target_we) caps: assert ((&below_cap) && (&has_cap));
      in_time: assert (32'(cycles_q) + 32'(left) <= MostCycles);
      if (u_dut.state_q != StIdle || u_dut.ask_q != '0) says_busy: assert (busy);
      // For the induction: what the block keeps.
      shapes: assert (&kept);
      fills: assert (u_dut.fill_q == (u_dut.todo_q & -u_dut.todo_q));
      uses: assert (u_dut.used_q == ~quiet_q && (busy_q & out_q) == '0 &&
          (launched_q & (out_q | quiet_q)) == '0);
      if (u_dut.state_q == StDrop)
        found: assert (u_dut.over && u_dut.victim != '0 && u_dut.victim_q == u_dut.victim);
      if (u_dut.state_q inside {StFill, StReduce, StDrop}) begin
        of_round: assert (u_dut.alike_q == round_q && (round_q & ~left_q) == '0 &&
            round_q[lowest]);
        ranges: assert (&in_range);
        shares: assert (32'(u_dut.n_q) == 32'($countones(assigned_q)) && &in_share);
        sums: assert (32'(u_dut.sum_warps_q) == 32'(all_warps) &&
            32'(u_dut.sum_tbs_q) == 32'(all_tbs) && 32'(u_dut.sum_granules_q) == 32'(all_granules));
        of_assigned: assert (only_assigned && (u_dut.todo_q & ~assigned_q) == '0);
        one_is_enough: assert (!$onehot(assigned_q & ~capped) || u_dut.state_q == StFill ||
            all_tbs != '0);
        if (u_dut.state_q == StFill) one_each: assert (&got_one);
        so_far: assert ((&below_cap) && (&has_cap) && (&counts));
      end
      if (u_dut.state_q == StFill) somebody_left: assert (u_dut.todo_q != '0);
      drops_out: cover (u_dut.target_we && !snapshot_i && valid_i[0] && out_q == NumKernels'(1) &&
          all_tbs == 3 && u_dut.target_q[1] == 3);
      both: cover (u_dut.target_we && all_tbs == 3 && 32'(all_granules) == Granules &&
          u_dut.target_q[0] == 1);
      reduced: cover (u_dut.drop && u_dut.victim_q[0]);
      more_than_all: cover (u_dut.target_we && u_dut.target_q[0] == 2 && u_dut.target_q[1] == 2 &&
          warps[0] == 2 && warps[1] == 1 && cap[0] == 4 && cap[1] == 0);
      second_sm: cover (u_dut.target_we && we == NumSms'(2) && assigned_q == NumKernels'(2));
      alike: cover (&we && assigned_q == NumKernels'(3));
    end
  end
  if (NumSms > 2) begin : g_three
    always_ff @(posedge clk_i)
      if (rst_ni) apart: cover (we == NumSms'(5) && left_q == NumSms'(7) &&
          assigned_q == NumKernels'(1));
  end
endmodule
