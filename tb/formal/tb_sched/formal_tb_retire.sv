// SPDX-License-Identifier: Apache-2.0
// qsm_tb_retire: every retirement that comes is seen once, those of an SM in their order, one per
// cycle, of the first SM in turn that has one and is not held; and any of them, chosen when it
// comes as the n-th that waits on its SM, less than 2 * n * NumSms cycles later (R-TB-18).
module formal_tb_retire #(
  parameter int unsigned NumSms = 3,
  parameter int unsigned MaxTbs = 2,
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned WaitW = $clog2(2 * MaxTbs * NumSms + 2)
) (
  input logic                        clk_i,
  input logic [NumSms-1:0]           valid_i,
  input logic [NumSms-1:0][TbW-1:0]  tb_i,
  input logic [NumSms-1:0]           saved_i,
  input logic [NumSms-1:0]           held_i,
  input logic                        choose_i
);
  typedef logic [NumSms-1:0]  sms_t;
  typedef logic [WaitW-1:0]   wait_t;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  sms_t           seen;
  logic [SmW-1:0] sm;
  logic [TbW-1:0] tb;
  logic           saved;
  qsm_tb_retire #(.NumSms(NumSms), .MaxTbs(MaxTbs)) u_dut (
    .clk_i, .rst_ni, .valid_i, .tb_i, .saved_i, .held_i,
    .seen_o(seen), .sm_o(sm), .tb_o(tb), .saved_o(saved)
  );

  // ---- Whose turn it is, by the page ----
  logic [NumSms-1:0][MaxTbs-1:0] due_q, due;  // blocks whose retirement came and was not seen
  logic [SmW-1:0] rp_q, rp_d;
  sms_t           has, sees;
  function automatic logic [SmW-1:0] circle(int unsigned place);
    return SmW'((place >= NumSms) ? place - NumSms : place);
  endfunction
  always_comb begin
    logic some;
    due = due_q;
    for (int unsigned i = 0; i < NumSms; i++) if (valid_i[i]) due[i][tb_i[i]] = 1'b1;
    for (int unsigned i = 0; i < NumSms; i++) has[i] = due[i] != '0;
    sees = '0;
    rp_d = rp_q;
    some = 1'b0;
    for (int unsigned d = 0; d < NumSms; d++) begin
      logic [SmW-1:0] i;
      i = circle(32'(rp_q) + d);
      if (has[i] && !some) rp_d = held_i[i] ? i : circle(32'(i) + 1);
      if (has[i] && !held_i[i] && sees == '0) sees[i] = 1'b1;
      some = some || has[i];
    end
  end

  // ---- The chosen message: its SM, what it says, how many of its SM are seen before it ----
  logic [SmW-1:0] chosen_sm_q;
  logic [TbW-1:0] chosen_tb_q, ahead_q;
  logic           chosen_q, chosen_saved_q, found;
  wait_t          waited_q, bound_q;
  sms_t           held_q, held_before_q;
  function automatic logic [TbW:0] n_of(logic [MaxTbs-1:0] blocks);
    n_of = '0;
    for (int unsigned b = 0; b < MaxTbs; b++) n_of += (TbW + 1)'(blocks[b]);
  endfunction
  assign found = chosen_q && seen[chosen_sm_q] && ahead_q == '0;
  always_ff @(posedge clk_i) begin
    {held_q, held_before_q} <= {held_i, held_q};
    if (!rst_ni) begin
      {due_q, rp_q, chosen_q, held_q, held_before_q} <= '0;
    end else begin
      due_q <= due;
      if (seen != '0) due_q[sm][tb] <= 1'b0;
      rp_q <= rp_d;
      if (chosen_q) waited_q <= waited_q + 1'b1;
      if (chosen_q && seen[chosen_sm_q]) ahead_q <= ahead_q - 1'b1;
      if (found) chosen_q <= 1'b0;
    end
    for (int unsigned i = 0; i < NumSms; i++) begin
      // Where it is seen in the cycle in which it comes there is nothing to follow.
      if (rst_ni && !chosen_q && choose_i && valid_i[i] && !(seen[i] && due_q[i] == '0)) begin
        chosen_q <= 1'b1;
        chosen_sm_q <= SmW'(i);
        {chosen_tb_q, chosen_saved_q} <= {tb_i[i], saved_i[i]};
        ahead_q <= TbW'(n_of(due_q[i])) - TbW'(seen[i]);
        waited_q <= wait_t'(1);
        bound_q <= wait_t'(2 * NumSms) * wait_t'(n_of(due[i]));
      end
    end
  end

  // Cycles until it is seen, at most: two for each turn that comes before, one if who has the turn
  // was held in the cycle before.
  wait_t          turns, left;
  logic [SmW-1:0] distance;
  always_comb begin
    distance = SmW'((chosen_sm_q >= rp_q) ? 32'(chosen_sm_q) - 32'(rp_q) :
        NumSms + 32'(chosen_sm_q) - 32'(rp_q));
    turns = wait_t'(NumSms) * wait_t'(ahead_q) + wait_t'(distance);
    left = wait_t'(2) * turns + wait_t'((held_q[rp_q] && due_q[rp_q] != '0) ? 1 : 2);
  end

  logic legal;
  always_comb begin
    legal = $onehot0(held_i) && (held_i & (held_q | held_before_q)) == '0;
    for (int unsigned i = 0; i < NumSms; i++) begin
      if (valid_i[i] && (32'(tb_i[i]) >= MaxTbs || due_q[i][tb_i[i]])) legal = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (legal);
      one: assert ($onehot0(seen));
      not_held: assert ((seen & held_i) == '0);
      in_turn: assert (seen == sees);
      if (seen != '0) whose: assert (seen[sm]);
      if (seen != '0) was_due: assert (due[sm][tb]);
      if (seen != '0 && due_q[sm] == '0)
        at_once: assert (tb == tb_i[sm] && saved == saved_i[sm]);
      if (found) in_order: assert (tb == chosen_tb_q && saved == chosen_saved_q);
      if (chosen_q) not_lost: assert (due_q[chosen_sm_q][chosen_tb_q]);
      if (chosen_q) in_time: assert (waited_q < bound_q);
      if (chosen_q) turn_by_turn: assert (waited_q + left <= bound_q);
      if (held_q[rp_q] && due_q[rp_q] != '0) held_is_next: assert (seen[rp_q]);
      turn_kept: cover (held_q[rp_q] && seen[rp_q] && chosen_q && waited_q == 3);
      most_wait: cover ($countones(due_q) + 1 == NumSms * MaxTbs);
      late: cover (found && waited_q + wait_t'(2) == bound_q);
    end
  end
endmodule
