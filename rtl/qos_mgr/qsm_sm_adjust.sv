// SPDX-License-Identifier: Apache-2.0
// Adjustment of the SM manager: how many SMs each slot shall have, and what batch slots have
// learned of their best number.
//
// Contract: split_i begins a split (R-SG-3, R-SG-14), set_i ends it. decide_i begins a decision
//   (R-SG-6, R-SG-8, R-SG-9, R-SG-16) after the records of the epoch; judge_commit_i and
//   decide_commit_i, in the epoch's last cycle here, D, make what was worked out the state.
// Latency: a split 3 * NumKernels + 7 cycles, a decision at most 5 * NumKernels + 5, with Spart and
//   sm_rollover 2 * NumKernels + 8.
// Cost: one slot after the other: one comparator, one adder, a division of one bit per cycle.
// Doc: docs/sm_mgr.md.
module qsm_sm_adjust #(
  parameter  int unsigned NumSms     = 4,
  parameter  int unsigned NumKernels = 4,
  localparam int unsigned CountW     = $clog2(NumSms + 1),
  localparam int unsigned KernelW    = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned PartW      = $clog2(NumKernels + 1)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  // who takes part; steady but for a change
  input  logic [NumKernels-1:0]             part_i,
  input  logic [NumKernels-1:0]             qos_i,
  input  logic [PartW-1:0]                  parts_i,         // how many; with split_i: from it on
  input  logic                              static_i,        // a split is by sm_count_i
  input  logic                              steps_i,         // decisions are made by steps
  // sm_rollover: one SM stays shared; with split_i: from it on
  input  logic                              both_i,
  input  logic [NumKernels-1:0][CountW-1:0] sm_count_i,      // wanted, 0: a share
  // a change: forget what was learned; the split begins in the next cycle
  input  logic                              split_i,
  input  logic                              set_i,
  // an epoch
  input  logic                              begin_i,         // it ends: E; not in a split
  input  logic                              still_i,         // no SM was moving then
  input  logic                              decide_i,        // its records are ready
  input  logic                              counts_i,        // counts are to be decided, too
  input  logic [NumKernels-1:0]             behind_i,
  input  logic [NumKernels-1:0]             needs_i,
  input  logic [NumKernels-1:0]             gives_i,
  input  logic                              hit_i,           // the last move changed the IPC
  input  logic                              judge_commit_i,
  input  logic                              decide_commit_i,
  // steps, before decide_i: slot kernel_i
  input  logic [KernelW-1:0]                kernel_i,
  input  logic                              up_i,
  input  logic                              down_i,
  output logic [CountW-1:0]                 count_o,         // of that slot
  output logic [CountW-1:0]                 most_o,          // that a slot may have
  // the slot that settles; the one that begins to move with decide_commit_i
  output logic                              settling_o,
  output logic [KernelW-1:0]                settling_kernel_o,
  output logic                              out_o,           // the SM went
  output logic                              move_o,
  output logic [KernelW-1:0]                move_kernel_o,
  output logic                              idle_o,
  // state
  output logic [NumKernels-1:0][CountW-1:0] n_o,
  output logic [NumKernels-1:0][CountW-1:0] opt_o,
  output logic [NumKernels-1:0]             upper_o,
  output logic [NumKernels-1:0]             lower_o,
  output logic [NumKernels-1:0]             moving_o,
  output logic [NumKernels-1:0]             settles_o
);
  localparam logic [KernelW-1:0] LastSlot = KernelW'(NumKernels - 1);

  typedef struct packed {  // a batch slot's move
    logic valid;
    logic [KernelW-1:0] kernel;
    logic [CountW-1:0] old;     // n before it
    logic out;
  } move_t;

  // StWait: for a count that is written behind an arrival (R-SG-3); StClaim: slots that say how
  // many; StDivide: what is left by the slots that share it; StShare: their parts. StJudge: the
  // slot that settles; StFree: SMs that nobody has; StSlot: the next slot with a goal; StSearch:
  // the best batch slot for it; StApply, StBatch: counts of the two.
  typedef enum logic [3:0] {StIdle, StWait, StClaim, StDivide, StShare, StJudge, StFree, StSlot,
      StSearch, StApply, StBatch} state_e;

  state_e                             state_q, state_d;
  logic [NumKernels-1:0][CountW-1:0]  n_q, opt_q, work_q;
  logic [NumKernels-1:0]              upper_q, lower_q, share_q;
  move_t                              moving_q, settling_q, move_q;  // move_q: of this epoch
  logic                               raise_q, bound_q, renew_q;  // judged: lower, upper; opt
  logic                               decision_q, again_q;
  logic [KernelW-1:0]                 slot_q, slot_d, kernel_q;  // kernel_q: with a goal
  logic [CountW-1:0]                  left_q, left_d;
  logic [PartW-1:0]                   rest_q, rest_d;  // slots to serve
  logic [PartW-1:0]                   more_q, more_d;  // remainder: parts with one more
  logic [PartW-1:0]                   goals_q, goals_d;  // of the slots to serve, with a goal
  logic [2:0]                         digit_q;
  logic                               last_slot;
  assign last_slot = slot_q == LastSlot;

  // ---- The slot that is looked at ----
  logic [CountW-1:0] count, opt, wanted, count_d;
  logic              part, qos, upper, lower, write, judged;
  assign count  = work_q[slot_q];
  assign part   = part_i[slot_q];
  assign qos    = qos_i[slot_q];
  assign wanted = sm_count_i[slot_q];
  assign judged = settling_q.valid && settling_q.kernel == slot_q;  // in this epoch
  assign opt    = (judged && renew_q) ? count : opt_q[slot_q];
  assign upper  = upper_q[slot_q] || (judged && bound_q);
  assign lower  = lower_q[slot_q] || (judged && raise_q);

  // ---- Claim: at most what is left when each slot not yet served gets one (R-SG-3, R-SG-9); with
  // sm_rollover a slot may get none (R-SG-14, R-SG-16) ----
  logic              claims;
  logic [CountW-1:0] claim, bound;
  assign claims = part && (decision_q ? qos : (static_i && wanted != '0));
  assign claim  = decision_q ? count : wanted;
  assign bound  = both_i ? left_q : left_q - CountW'(rest_q) + CountW'(1);

  // In a split beside the shared SM those with a goal share alone, if there are some (R-SG-14).
  logic goals_first;
  assign goals_first = both_i && !decision_q;

  // ---- Division of what is left, the quotient enters at the bottom ----
  logic [PartW:0] shifted, minus;
  assign shifted = {more_q, left_q[CountW-1]};
  assign minus   = shifted - (PartW + 1)'(rest_q);

  // ---- Search: the batch slot with the greatest key; of equals the lowest (R-SG-8) ----
  typedef struct packed {
    logic [1:0] rank;           // 0: none
    logic [CountW:0] distance;  // signed, its sign turned
  } key_t;
  key_t               key, best_q;
  logic [3:0]         vain_q;  // searches for {needs, behind} found nobody: nor will the next
  logic [KernelW-1:0] best_kernel_q;
  logic               needs, free_to_move;
  logic [CountW:0]    distance;
  assign needs        = needs_i[kernel_q];
  assign free_to_move = !(moving_q.valid && moving_q.kernel == slot_q) || behind_i[kernel_q];
  assign distance     = (CountW + 1)'(count) - (CountW + 1)'(opt);
  always_comb begin
    key = '0;
    if (part && !qos && free_to_move) begin
      key.distance = {!distance[CountW], distance[CountW-1:0]};
      if (needs) begin
        key.rank = (count != CountW'(1)) ? 2'd1 : 2'd0;
      end else if (distance[CountW]) begin
        key.rank     = 2'd3;
        key.distance = ~key.distance;
      end else if (!upper) begin
        key.rank     = 2'd2;
        key.distance = ~(CountW + 1)'(count);
      end else if (!lower && count != CountW'(1)) begin
        key.rank = 2'd1;
      end
      if (key.rank == '0) key = '0;
    end
  end

  // ---- A slot with a goal: SMs that it asks for or gives ----
  logic asks, offers, vain, loses;  // loses: the batch slot
  assign most_o = CountW'(NumSms + 1) - CountW'(parts_i);
  assign asks   = part && qos && needs_i[slot_q] && count < most_o;
  assign offers = part && qos && gives_i[slot_q] && count != CountW'(1);
  assign vain   = move_q.valid || vain_q[{needs_i[slot_q], behind_i[slot_q]}];
  assign loses  = needs || best_q.rank == 2'd1;

  always_comb begin
    state_d = state_q;
    slot_d  = slot_q;
    left_d  = left_q;
    rest_d  = rest_q;
    more_d  = more_q;
    goals_d = goals_q;
    write   = 1'b0;
    count_d = count;
    case (state_q)
      StWait: begin
        state_d = StClaim;
        slot_d  = '0;
      end
      StClaim: begin
        write   = 1'b1;
        count_d = '0;
        if (claims) begin
          count_d = (claim < bound) ? claim : bound;
          left_d  = left_q - count_d;
          rest_d  = rest_q - PartW'(1);
        end else if (part && qos && goals_first) begin
          goals_d = goals_q + PartW'(1);
        end
        slot_d = last_slot ? '0 : slot_q + KernelW'(1);
        if (last_slot) state_d = StDivide;
        if (last_slot && goals_d != '0) rest_d = goals_d;
      end
      StDivide: begin
        left_d = CountW'({left_q, !minus[PartW]});
        more_d = minus[PartW] ? shifted[PartW-1:0] : minus[PartW-1:0];
        if (32'(digit_q) == CountW - 1) state_d = StShare;
      end
      StShare: begin
        // where the order matters, first those with a goal
        write   = share_q[slot_q] && ((goals_q != '0) ? qos :
            (qos || (static_i && !decision_q)) != again_q);
        count_d = left_q + CountW'(more_q != '0);
        if (write && more_q != '0) more_d = more_q - PartW'(1);
        slot_d = last_slot ? '0 : slot_q + KernelW'(1);
        if (last_slot && (again_q || goals_q != '0)) state_d = StIdle;
      end
      StJudge: begin
        slot_d  = '0;
        state_d = !counts_i ? StIdle : steps_i ? StClaim : StFree;
      end
      StFree: begin
        left_d = left_q - count;
        slot_d = last_slot ? '0 : slot_q + KernelW'(1);
        if (last_slot) state_d = StSlot;
      end
      StSlot: begin
        slot_d = last_slot ? '0 : slot_q + KernelW'(1);
        if (last_slot) state_d = StIdle;
        if (asks && left_q != '0) begin
          write   = 1'b1;
          count_d = count + CountW'(1);
          left_d  = left_q - CountW'(1);
        end else if (offers && vain) begin
          write   = 1'b1;
          count_d = count - CountW'(1);
          left_d  = left_q + CountW'(1);
        end else if ((asks || offers) && !vain) begin
          slot_d  = '0;
          state_d = StSearch;
        end
      end
      StSearch: begin
        slot_d = last_slot ? kernel_q : slot_q + KernelW'(1);
        if (last_slot) state_d = StApply;
      end
      StApply: begin
        write   = !needs || best_q.rank != '0;
        count_d = needs ? count + CountW'(1) : count - CountW'(1);
        if (!needs && !best_q.rank[1]) left_d = left_q + CountW'(1);
        slot_d  = last_slot ? '0 : slot_q + KernelW'(1);
        state_d = last_slot ? StIdle : StSlot;
        if (best_q.rank != '0) begin
          slot_d  = best_kernel_q;
          state_d = StBatch;
        end
      end
      StBatch: begin
        write   = 1'b1;
        count_d = loses ? count - CountW'(1) : count + CountW'(1);
        if (!needs && loses) left_d = left_q + CountW'(1);
        slot_d  = (kernel_q == LastSlot) ? '0 : kernel_q + KernelW'(1);
        state_d = (kernel_q == LastSlot) ? StIdle : StSlot;
      end
      default: begin
        if (split_i) begin
          state_d = StWait;
        end else if (decide_i) begin
          state_d = StJudge;
          slot_d  = settling_q.kernel;
        end else begin
          slot_d  = kernel_i;
          write   = up_i || down_i;
          count_d = up_i ? count + CountW'(1) : count - CountW'(1);
        end
      end
    endcase
    if (state_d == StClaim && state_q != StClaim) begin
      rest_d = parts_i;
      more_d = '0;
      goals_d = '0;
    end
    if (state_q inside {StIdle, StJudge}) left_d = CountW'(NumSms) - CountW'(both_i);
  end
  assign idle_o  = state_q == StIdle;
  assign count_o = count;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= StIdle;
      slot_q        <= '0;
      kernel_q      <= '0;
      left_q        <= '0;
      rest_q        <= '0;
      more_q        <= '0;
      goals_q       <= '0;
      digit_q       <= '0;
      again_q       <= 1'b0;
      decision_q    <= 1'b0;
      share_q       <= '0;
      best_q        <= '0;
      best_kernel_q <= '0;
      vain_q        <= '0;
    end else begin
      state_q <= state_d;
      slot_q  <= slot_d;
      left_q  <= left_d;
      rest_q  <= rest_d;
      more_q  <= more_d;
      goals_q <= goals_d;
      digit_q <= (state_q == StDivide) ? digit_q + 3'd1 : '0;
      // in a decision only those without a goal share
      again_q <= decision_q || (state_q == StShare && (again_q || last_slot));
      if (split_i) decision_q <= 1'b0;
      if (decide_i) decision_q <= 1'b1;
      if (state_q == StClaim) share_q[slot_q] <= part && !claims;
      if (state_q == StSlot) begin
        kernel_q <= slot_q;
        best_q   <= '0;
      end
      if (state_q == StSearch && key > best_q) begin
        best_q        <= key;
        best_kernel_q <= slot_q;
      end
      if (decide_i) vain_q <= '0;
      else if (state_q == StApply && best_q.rank == '0) vain_q[{needs, behind_i[kernel_q]}] <= 1'b1;
    end
  end

  // ---- Counts ----
  for (genvar k = 0; k < NumKernels; k++) begin : g_slot
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        work_q[k] <= '0;
        n_q[k]    <= '0;
      end else begin
        if (begin_i && idle_o) work_q[k] <= n_q[k];
        else if (write && slot_q == KernelW'(k)) work_q[k] <= count_d;
        if (set_i || decide_commit_i) n_q[k] <= work_q[k];
      end
    end

    // What a batch slot has learned (R-SG-6).
    logic judged_slot;
    assign judged_slot = judge_commit_i && settling_q.kernel == KernelW'(k);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        opt_q[k]   <= '0;
        upper_q[k] <= 1'b0;
        lower_q[k] <= 1'b0;
      end else begin
        if (set_i) opt_q[k] <= work_q[k];
        else if (judged_slot && renew_q) opt_q[k] <= n_q[k];
        if (split_i) begin
          upper_q[k] <= 1'b0;
          lower_q[k] <= 1'b0;
        end else if (judged_slot) begin
          upper_q[k] <= upper_q[k] || bound_q;
          lower_q[k] <= lower_q[k] || raise_q;
        end
      end
    end
    assign moving_o[k]  = moving_q.valid && moving_q.kernel == KernelW'(k);
    assign settles_o[k] = settling_q.valid && settling_q.kernel == KernelW'(k);
  end

  // ---- Moves of batch slots: at most one is moving and one settles ----
  logic known;  // the move is judged: it began at the best number, which is not settled yet
  assign known = settling_q.valid && settling_q.old == opt && !(upper && lower);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      moving_q   <= '0;
      settling_q <= '0;
      move_q   <= '0;
      raise_q  <= 1'b0;
      bound_q  <= 1'b0;
      renew_q  <= 1'b0;
    end else begin
      if (begin_i) begin
        move_q.valid <= 1'b0;
        raise_q      <= 1'b0;
        bound_q      <= 1'b0;
        renew_q      <= 1'b0;
      end
      if (state_q == StJudge) begin
        raise_q <= known && hit_i;
        bound_q <= known && !hit_i;
        renew_q <= known && (hit_i != settling_q.out);
      end
      if (state_q == StBatch) move_q <= '{valid: 1'b1, kernel: slot_q, old: count, out: loses};
      if (judge_commit_i) begin
        settling_q.valid <= 1'b0;
        if (still_i) begin
          settling_q     <= moving_q;
          moving_q.valid <= 1'b0;
          if (decide_commit_i && move_q.valid) begin
            moving_q <= move_q;
            if (move_q.kernel == moving_q.kernel) settling_q.valid <= 1'b0;
          end
        end
      end
      if (split_i) begin
        moving_q.valid   <= 1'b0;
        settling_q.valid <= 1'b0;
      end
    end
  end

  assign settling_o        = settling_q.valid;
  assign settling_kernel_o = settling_q.kernel;
  assign out_o             = settling_q.out;
  assign move_o            = move_q.valid;
  assign move_kernel_o     = move_q.kernel;
  assign n_o               = n_q;
  assign opt_o             = opt_q;
  assign upper_o           = upper_q;
  assign lower_o           = lower_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   !(set_i || judge_commit_i) || idle_o)
    else $error("R-SG-11: the counts are not ready in time");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(split_i || decide_i) || idle_o)
    else $error("R-SG-2, R-SG-7: a split or a decision begins before the last one's end");
  int unsigned busy_q;  // cycles of this split or decision so far
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= '0;
    else busy_q <= idle_o ? '0 : busy_q + 32'd1;
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) idle_o || busy_q < 5 * NumKernels + 5)
    else $error("a split or a decision takes longer than it says");
`endif
endmodule
