// SPDX-License-Identifier: Apache-2.0
// qsm_sm_owner, under blocks that come where may lets them in that cycle, and SMs that answer a
// message about power within Answer cycles: every SM has one use, and none is lost; no block is
// where the use forbids it; nothing comes to an SM that moves or is not on; a move ends; who has to
// leave, what is evicted, gated, woken and asked for (R-SO-1 to R-SO-8, R-SO-10, R-SO-11).
module formal_sm_owner
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumSms = 2,
  parameter int unsigned NumKernels = 2,
  parameter bit Gating = 1'b1,
  parameter int unsigned Answer = 3,  // of an SM, to gate or wake, cycles at most
  localparam int unsigned CountW = $clog2(NumSms + 1),
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1
) (
  input logic                               clk_i,
  input logic                               ask_i,      // a request
  input logic [SmW-1:0]                     ask_sm_i,
  input logic [1:0]                         ask_use_i,
  input logic [KernelW-1:0]                 ask_owner_i,
  input logic [NumKernels-1:0]              valid_i,
  input logic [NumKernels-1:0][NumSms-1:0]  mask_i,
  input logic [NumKernels-1:0]              apart_i,
  input logic                               closed_i,
  input logic [1:0]                         technique_i,
  input logic                               gating_i,
  input logic                               snapshot_i,
  input logic                               epoch_done_i,
  input logic [NumSms-1:0][NumKernels-1:0]  come_i,     // a block comes, one ends
  input logic [NumSms-1:0][NumKernels-1:0]  go_i,
  input logic [NumSms-1:0][NumKernels-1:0]  refused_i,
  input logic [NumSms-1:0]                  off_i,
  input logic [NumSms-1:0]                  on_i
);
  // Cycles of a move in which nobody has to leave and nothing is asked for, but the last: the SM
  // stops, is told to wake up, and wakes up; its owner to be goes in the cycle in which it is on.
  localparam int unsigned Longest = Gating ? 2 * Answer + 1 : 1;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  `include "qsm_sm_owner_types.svh"
  typedef struct packed {
    logic [1:0] usage;
    logic [KernelW-1:0] owner;
  } use_t;

  sm_request_t                             request;
  sm_owner_t [NumSms-1:0]                  owner;
  logic [NumSms-1:0][NumKernels-1:0][1:0]  blocks_q;
  logic [NumSms-1:0][NumKernels-1:0][5:0]  cnt;
  logic [NumKernels-1:0][NumSms-1:0]       may;
  logic [NumSms-1:0]                       ask, gate, wake;
  logic [NumSms-1:0][NumKernels-1:0]       evict;
  logic [4+NumKernels:0][NumSms-1:0]       grows;  // what counts one, of each counter
  assign request = '{valid: ask_i, sm: ask_sm_i, usage: sm_use_e'(ask_use_i), owner: ask_owner_i};
  qsm_sm_owner #(.NumSms(NumSms), .NumKernels(NumKernels), .Gating(Gating),
      .sm_request_t(sm_request_t), .sm_owner_t(sm_owner_t)) u_dut (
    .clk_i, .rst_ni, .request_i(request), .valid_i, .mask_i,
    .technique_i(technique_e'(technique_i)), .gating_i, .owner_o(owner),
    .count_ask_i(1'b0), .count_which_i('0), .count_o(),
    .snapshot_i, .epoch_done_i,
    .cnt_i(cnt), .apart_i, .closed_i, .may_o(may), .ask_o(ask), .evict_o(evict), .refused_i,
    .gate_o(gate), .wake_o(wake), .off_i, .on_i
  );
  assign grows = u_dut.u_meter.grows_i;

  // ---- Blocks: one comes only where may lets it, one goes that is there ----
  logic [NumSms-1:0][NumKernels-1:0] let_in, here;
  logic                              blocks_ok;
  always_comb begin
    blocks_ok = 1'b1;
    for (int unsigned i = 0; i < NumSms; i++) begin
      for (int unsigned k = 0; k < NumKernels; k++) begin
        let_in[i][k] = may[k][i];
        here[i][k] = blocks_q[i][k] != '0;
        cnt[i][k] = 6'(blocks_q[i][k]);
        if (come_i[i][k] && (!let_in[i][k] || blocks_q[i][k] == '1)) blocks_ok = 1'b0;
        if (go_i[i][k] && !here[i][k]) blocks_ok = 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumSms; i++)
      for (int unsigned k = 0; k < NumKernels; k++)
        blocks_q[i][k] <= rst_ni ? blocks_q[i][k] + 2'(come_i[i][k]) - 2'(go_i[i][k]) : '0;
  end

  // ---- Power, as the messages tell it: an answer comes after 1 to Answer cycles ----
  typedef logic [$clog2(Answer + 1)-1:0] answer_t;
  logic [NumSms-1:0][1:0] power_q;
  answer_t [NumSms-1:0]   unanswered_q;
  logic                   answers_ok;
  always_comb begin
    answers_ok = 1'b1;
    for (int unsigned i = 0; i < NumSms; i++) begin
      if (off_i[i] && power_q[i] != PowerStopping) answers_ok = 1'b0;
      if (on_i[i] && power_q[i] != PowerWaking) answers_ok = 1'b0;
      if (32'(unanswered_q[i]) == Answer && !off_i[i] && !on_i[i]) answers_ok = 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      if (gate[i] || wake[i]) unanswered_q[i] <= answer_t'(1);
      else if (off_i[i] || on_i[i]) unanswered_q[i] <= '0;
      else if (unanswered_q[i] != '0) unanswered_q[i] <= unanswered_q[i] + 1'b1;
      if (gate[i]) power_q[i] <= PowerStopping;
      if (off_i[i]) power_q[i] <= PowerOff;
      if (wake[i]) power_q[i] <= PowerWaking;
      if (on_i[i]) power_q[i] <= PowerOn;
      if (!rst_ni) {power_q[i], unanswered_q[i]} <= '0;
    end
  end

  // ---- Uses: now, to come, and after this cycle ----
  use_t [NumSms-1:0]                 used, coming, used_q, coming_q;
  logic [NumSms-1:0]                 moving, moving_q, asked, orphan, empty, powered, over, free;
  logic [NumSms-1:0][NumKernels-1:0] leaves, refused_q, evicts, enters;
  logic [NumSms-1:0]                 rested_q, gates, wakes, given;
  logic [NumSms-1:0][1:0]            power;
  logic [CountW-1:0]                 n_shared, n_owned, n_free;
  logic [NumKernels-1:0]             kept;  // from shared SMs
  always_comb begin
    kept = {NumKernels{closed_i}};
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned i = 0; i < NumSms; i++)
        if (apart_i[k] && owner[i].usage == UseOwned && owner[i].owner == KernelW'(k) &&
            !owner[i].moving)
          kept[k] = 1'b1;
    end
    {n_shared, n_owned, n_free} = '0;
    for (int unsigned i = 0; i < NumSms; i++) begin
      used[i] = '{usage: owner[i].usage, owner: owner[i].owner};
      coming[i] = '{usage: owner[i].next_usage, owner: owner[i].next_owner};
      moving[i] = owner[i].moving;
      power[i] = owner[i].power;
      asked[i] = ask_i && 32'(ask_sm_i) == i;
      free[i] = used[i].usage == UseFree && !moving[i];
      n_shared += CountW'(used[i].usage == UseShared);
      n_owned += CountW'(used[i].usage == UseOwned);
      n_free += CountW'(used[i].usage == UseFree);

      // Whose owner, now or to be, is gone.
      orphan[i] = moving[i] ? coming[i].usage == UseOwned && !valid_i[coming[i].owner] :
          used[i].usage == UseOwned && !valid_i[used[i].owner];
      for (int unsigned k = 0; k < NumKernels; k++) begin
        leaves[i][k] = moving[i] && (coming[i].usage == UseFree ||
            (coming[i].usage == UseOwned && coming[i].owner != KernelW'(k)));
        evicts[i][k] = technique_i != TechniqueDrain && leaves[i][k] && here[i][k] &&
            !refused_q[i][k];
        enters[i][k] = !moving[i] && (used[i].usage == UseShared ? mask_i[k][i] && !kept[k] :
            used[i].usage == UseOwned && used[i].owner == KernelW'(k));
      end
      empty[i] = (leaves[i] & here[i]) == '0;  // nobody has to leave
      powered[i] = power_q[i] == PowerOn || coming[i].usage == UseFree;
      over[i] = moving[i] && !asked[i] && !orphan[i] && empty[i] && powered[i];
      given[i] = over[i] || (!moving[i] && !asked[i] && orphan[i]);
      gates[i] = Gating && epoch_done_i && gating_i && rested_q[i] && free[i] && !asked[i] &&
          power_q[i] == PowerOn;
      wakes[i] = Gating && power_q[i] == PowerOff && moving[i] && coming[i].usage != UseFree;
    end
  end

  logic [$clog2(Longest + 3)-1:0] waited_q [NumSms];  // of a move: cycles with nobody to leave
  logic [NumSms-1:0]              late_q;             // with power as well, one such cycle is over
  logic [NumSms-1:0]              orphan_q;           // an owner was gone, nothing was asked for
  logic [1:0]                     moves_q;            // moves that have ended, up to 3
  logic [NumSms-1:0]              off;
  always_comb for (int unsigned i = 0; i < NumSms; i++) off[i] = power_q[i] == PowerOff;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) moves_q <= '0;
    else if (over != '0 && moves_q != '1) moves_q <= ($countones(over) > 1) ? '1 : moves_q + 2'd1;
    for (int unsigned i = 0; i < NumSms; i++) begin
      used_q[i] <= used[i];
      coming_q[i] <= coming[i];
      moving_q[i] <= moving[i];
      if (over[i]) begin
        used_q[i] <= coming[i];
        {moving_q[i], coming_q[i]} <= '0;
      end
      if (orphan[i] && !moving[i]) used_q[i] <= '0;
      if (orphan[i] && moving[i]) coming_q[i] <= '0;
      if (asked[i]) begin
        used_q[i] <= used[i];
        moving_q[i] <= 1'b1;
        coming_q[i] <= '{usage: ask_use_i, owner: ask_use_i == UseOwned ? ask_owner_i : '0};
      end
      refused_q[i] <= asked[i] ? '0 : refused_q[i] | refused_i[i];
      rested_q[i] <= free[i] && !asked[i] && (rested_q[i] || snapshot_i);
      waited_q[i] <= moving[i] && !asked[i] && empty[i] ? waited_q[i] + 1'b1 : '0;
      orphan_q[i] <= rst_ni && orphan[i] && !asked[i];
      late_q[i] <= moving[i] && !asked[i] && empty[i] && powered[i];
      if (!rst_ni) begin
        {used_q[i], coming_q[i], moving_q[i], refused_q[i], rested_q[i], late_q[i]} <= '0;
        waited_q[i] <= '0;
      end
    end
  end

  // ---- What has been, for the cover statements ----
  logic [NumSms-1:0] drained_q, woken_q, turned_q, lost_q;  // in this move
  logic              some_drained, some_woken, some_turned, some_lost, some_longest;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      drained_q[i] <= moving[i] && (drained_q[i] || !empty[i]);
      woken_q[i] <= moving[i] && (woken_q[i] || wake[i]);
      turned_q[i] <= moving[i] && (turned_q[i] || (asked[i] && !empty[i]));
      lost_q[i] <= moving[i] && (lost_q[i] || (orphan[i] && !empty[i]));
      if (!rst_ni) {drained_q[i], woken_q[i], turned_q[i], lost_q[i]} <= '0;
    end
  end
  always_comb begin
    {some_drained, some_woken, some_turned, some_lost, some_longest} = '0;
    for (int unsigned i = 0; i < NumSms; i++) begin
      if (over[i] && drained_q[i] && coming[i].usage == UseOwned) some_drained = 1'b1;
      if (over[i] && woken_q[i] && coming[i].usage == UseOwned) some_woken = 1'b1;
      if (over[i] && turned_q[i] && drained_q[i]) some_turned = 1'b1;
      if (over[i] && lost_q[i] && here[i] == '1) some_lost = 1'b1;
      if (over[i] && 32'(waited_q[i]) == Longest) some_longest = 1'b1;
    end
  end

  for (genvar i = 0; i < NumSms; i++) begin : g_sm
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // No block where the use, also that of an SM which moves, forbids it.
        if (used[i].usage == UseOwned)
          no_stranger: assert ((here[i] & ~(NumKernels'(1) << used[i].owner)) == '0);
        if (used[i].usage == UseFree) nobody: assert (here[i] == '0);
        if (used[i].usage == UseOwned)
          for_one: assert ((let_in[i] & ~(NumKernels'(1) << used[i].owner)) == '0);
        if (used[i].usage == UseFree || moving[i]) for_none: assert (let_in[i] == '0);
        if (power_q[i] != PowerOn)
          dark: assert (used[i].usage == UseFree && here[i] == '0 && let_in[i] == '0);
        who_may: assert (let_in[i] == enters[i]);

        // Uses and moves in every cycle; a move ends.
        uses: assert (used[i] == used_q[i] && moving[i] == moving_q[i] &&
            coming[i] == coming_q[i]);
        owners: assert (32'(used[i].owner) < NumKernels && 32'(coming[i].owner) < NumKernels);
        if (moving[i]) ends: assert (32'(waited_q[i]) <= Longest);
        if (late_q[i] && moving[i]) ends_at_once: assert (coming[i].usage == UseShared);
        if (orphan_q[i])
          given_back: assert ((moving[i] ? coming[i].usage : used[i].usage) == UseShared);
        asks: assert (ask[i] == given[i]);

        // Blocks taken away; power.
        takes: assert (evict[i] == evicts[i]);
        power_told: assert (power[i] == power_q[i]);
        gated: assert (gate[i] == gates[i]);
        woken: assert (wake[i] == wakes[i]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (blocks_ok && answers_ok);
      assume (!ask_i || (ask_use_i != 2'd3 && 32'(ask_sm_i) < NumSms &&
          32'(ask_owner_i) < NumKernels));
      assume (technique_i != 2'd3);

      none_lost: assert (32'(n_shared) + 32'(n_owned) + 32'(n_free) == NumSms);
      never_both: assert ((gate & wake) == '0);
      n_moves: assert (grows[0] == over);
      n_move_cycles: assert (grows[2] == moving);
      n_gated_cycles: assert (grows[3] == off);
      drains: cover (some_drained);
      turns: cover (some_turned);
      loses: cover (some_lost);
      longest: cover (some_longest);
      evicts_again: cover (evict[0][0] && refused_q[0] == '0 && moves_q == 2'd1);
      wakes_up: cover (Gating ? some_woken : moves_q == 2'd2);
      both: cover (&over);
    end
  end
endmodule
