// SPDX-License-Identifier: Apache-2.0
// qsm_front: who comes next (R-FR-2 to -6, R-FR-14, R-FR-16, R-FR-20), and that the host keeps it
// off for one cycle at most (R-FR-27). A command of any channel is chosen only while it may be; a
// channel with commands is not forgotten, whatever the host does; while it is eligible each other
// channel of its priority has at most one turn before it; and between two turns, or ends of
// launches and copies, none is chosen twice.
`include "front_holds.svh"
module formal_front_turn
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
#(
  parameter bit AnyState = 1'b0,  // begins in any state in which all that is proved holds
  localparam int unsigned ChW = idx_w(NumCmd)
) (
  input logic                  clk_i,
  input logic [ChW-1:0]        chan_i,
  input logic [63:0]           cycle_i,
  input ctl_req_t              host_i,
  input logic                  concurrent_i,
  input logic                  take_back_i,
  input logic [NumKernels-1:0] slots_i,
  input logic [2:0]            irq_write_i,
  input logic [NumKernels-1:0] busy_i,
  input logic [NumKernels-1:0] killed_i,
  input logic [NumKernels-1:0] yielded_i,
  input logic [4:0]            cause_i,
  input logic [2:0][31:0]      walk_i,
  input logic                  reg_ready_i,
  input logic                  reg_err_i,
  input logic                  reg_again_i,
  input mem_rsp_t              mem_rsp_i
);
  logic rst_ni = AnyState, starts = AnyState;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;
  always_ff @(posedge clk_i) starts <= 1'b0;

  ctl_rsp_t host_rsp;
  front_figures_t figures;
  ctl_req_t reg_req;
  mem_req_t mem_req;
  logic [ChW-1:0] c;
  logic ctrl, put, enabled, suspended, held, fresh, rise, put_ok, mine, command, asked;
  logic [1:0] level;
  front_state_e state;
  logic [31:0][31:0] row;
  logic [31:0] row_we, row_wdata;
  front_flags_t flags;
  front_env u_env (
    .clk_i, .rst_ni, .starts_i(starts), .chan_i, .cycle_i, .host_i, .concurrent_i, .take_back_i,
    .slots_i, .irq_write_i, .busy_i, .killed_i, .yielded_i, .cause_i, .walk_i, .reg_ready_i,
    .reg_err_i, .reg_again_i, .mem_rsp_i, .host_o(host_rsp), .figures_o(figures), .reg_o(reg_req),
    .mem_req_o(mem_req), .c_o(c), .ctrl_o(ctrl), .put_o(put), .enabled_o(enabled),
    .suspended_o(suspended), .held_o(held), .priority_o(level), .fresh_o(fresh), .rise_o(rise),
    .put_ok_o(put_ok), .flags_o(flags), .state_o(state), .mine_o(mine), .command_o(command),
    .row_o(row), .row_we_o(row_we), .row_wdata_o(row_wdata), .asked_o(asked)
  );
  front_done_t done;
  logic [4:0] step;
  logic first;
  assign done = u_env.u_dut.done;
  assign step = u_env.u_dut.u_seq.step_q;
  assign first = u_env.u_dut.u_seq.first_q;

  // ---- The channel's flags, by the rules ----
  logic cleared;  // the last word of some row, in CLEAR
  assign cleared = step == 5'd11 && u_env.u_dut.table_done;
  logic pending_q, stopped_q, waits_q, busy, eligible;
  logic since_q;  // PUT was written since it was read (R-FR-6)
  logic is_open, multiple_q;  // R-FR-20; a multiple of 1024 since the last open cycle
  assign busy = flags.busy;
  assign is_open = done.turn || (state == FrontIdle && u_env.u_dut.choice == FrontIdle);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {pending_q, stopped_q, waits_q, since_q, multiple_q} <= '0;
    end else begin
      if (put && put_ok) pending_q <= 1'b1;                                       // R-FR-3
      else if (mine && state == FrontEnd && step == 5'd18 && row_we[17]) pending_q <= 1'b1;
      else if (rise || (mine && done.empty && !since_q)) pending_q <= 1'b0;
      since_q <= mine && state == FrontCheck && (since_q || (put && put_ok));
      if (mine && row_we[7] && state inside {FrontStop, FrontEnd}) stopped_q <= 1'b1;
      else if (rise) stopped_q <= 1'b0;
      if (mine && done.waits) waits_q <= 1'b1;
      else if (done.wake || (state == FrontClear && cleared) ||
          (is_open && (multiple_q || cycle_i[9:0] == '0)))
        waits_q <= 1'b0;                                                          // R-FR-20
      multiple_q <= !is_open && (multiple_q || cycle_i[9:0] == '0);
    end
  end
  assign eligible = enabled && pending_q && !(fresh || stopped_q || held || busy || waits_q);

  // ---- Whose turn it is ----
  // Counted are turns of others of its priority that were chosen while it was eligible; from a
  // write of some CH_CTRL on anew, as that may change priorities.
  logic chooses, may_q, counts_q, ctrl_any;
  logic [ChW-1:0] next, chosen;
  logic [1:0] chosen_level;
  logic [ChW:0] ahead, chosen_ahead;  // places from that whose turn it is
  logic [ChW:0] passed_q;
  function automatic logic [ChW:0] from_to(input logic [ChW-1:0] from, input logic [ChW-1:0] to);
    return (to >= from) ? {1'b0, to} - {1'b0, from}
                        : (ChW + 1)'(NumCmd) + {1'b0, to} - {1'b0, from};
  endfunction
  assign chooses = state == FrontIdle && u_env.u_dut.choice == FrontRow;
  assign chosen = u_env.u_dut.choice_channel;
  assign chosen_level = u_env.u_dut.u_flags.all[chosen].level;
  assign next = u_env.u_dut.next_q[level];
  assign ahead = from_to(next, c);
  assign chosen_ahead = from_to(next, chosen);
  assign ctrl_any = host_i.valid && host_i.we && host_i.addr[19:15] == ChBase[19:15] &&
      host_i.addr[5:2] == ChCtrl[5:2];
  always_ff @(posedge clk_i) begin
    may_q <= eligible;
    if (!rst_ni) begin
      passed_q <= '0;
      counts_q <= 1'b0;
    end else begin
      if (state == FrontIdle) counts_q <= chooses && eligible && chosen_level == level &&
          chosen != c;
      if (counts_q && done.turn) passed_q <= passed_q + 1'b1;
      if (!eligible || ctrl_any || (chooses && chosen == c)) begin
        passed_q <= '0;
        counts_q <= 1'b0;
      end
    end
  end

  // ---- How often others are chosen before it, turn or no turn ----
  // tried_q: channels that were chosen since the last open cycle and the last fall of waits at
  // once. The counts begin anew where it is not eligible or is chosen, where the host writes a
  // CH_CTRL and where what it has enabled is cleared, and with each choice of another priority.
  localparam int unsigned CountW = 6;
  logic [NumCmd-1:0] tried_q;
  logic [CountW-1:0] chosen_q, turns_q, ends_q, begun_q;  // choices, turns, ends, what may end
  logic anew;
  assign anew = !eligible || ctrl_any || done.cleared ||
      (chooses && (chosen == c || chosen_level != level));
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      tried_q <= '0;
    end else begin
      if (chooses) tried_q[chosen] <= 1'b1;
      if (done.wake || is_open) tried_q <= '0;
    end
    if (!rst_ni || anew) begin
      {chosen_q, turns_q, ends_q, begun_q} <= '0;
    end else begin
      chosen_q <= chosen_q + CountW'(chooses);
      turns_q <= turns_q + CountW'(done.turn);
      ends_q <= ends_q + CountW'(done.ended || done.copied);
      begun_q <= begun_q + CountW'(done.launched || done.given);
    end
  end
  logic [CountW-1:0] active;  // launches and copies that end, or have and were not seen to
  always_comb begin
    active = CountW'(u_env.u_dut.copying || u_env.u_dut.copied_q);
    for (int unsigned k = 0; k < NumKernels; k++)
      active += CountW'(u_env.u_dut.runs_q[k] || u_env.u_dut.ended_q[k]);
  end

  // Of the channel that was chosen; in ROW it is read.
  logic [1:0] level_now;
  assign level_now = (state == FrontRow)
      ? u_env.u_dut.u_flags.all[u_env.u_dut.u_seq.channel_q].level : u_env.u_dut.level_q;

  // ---- What waits for the host (R-FR-27) ----
  // In the last cycle: of the table, a register, KILL.
  logic table_off_q, reg_off_q, kill_off_q;
  logic seq_write, kill;
  assign seq_write = u_env.u_dut.seq_write;
  assign kill = u_env.u_dut.kill;
  always_ff @(posedge clk_i) begin
    table_off_q <= rst_ni && u_env.u_dut.table_valid && !u_env.u_dut.table_done;
    reg_off_q <= rst_ni && !reg_ready_i && seq_write && !kill;
    kill_off_q <= rst_ni && !reg_ready_i && kill;
  end

  // ---- What the host sees ----
  logic sees_q;
  logic [5:0] seen_q;
  always_ff @(posedge clk_i) begin
    sees_q <= rst_ni && host_i.valid && !host_i.we &&
        host_i.addr == PageBase + 20'(c) * PageStride + PageState;
    seen_q <= {fresh, pending_q || busy, held, suspended, stopped_q, enabled};
  end

  // ---- For the induction: GET and PUT as they were read ----
  logic [15:0] get_read, put_read;
  logic got;
  logic [4:0] got_word;
  assign got = u_env.u_dut.u_seq.got_q;
  assign got_word = u_env.u_dut.u_seq.got_word_q;
  assign get_read = (got && got_word == 5'd2) ? u_env.u_dut.u_table.rdata_o[15:0]
                                              : u_env.u_dut.u_seq.get_q;
  assign put_read = u_env.u_dut.u_seq.got[15:0];
  logic known_q;  // GET and PUT were cleared
  always_ff @(posedge clk_i) begin
    if (!rst_ni) known_q <= 1'b0;
    else if (state == FrontClear && row_we[3] && !put) known_q <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!(mine && state == FrontEnd) || busy);  // proved in formal_front: busy_is, ends_of

      // Only while it may, and seen to.
      if (state == FrontRow && first && mine) `FRONT_HOLDS(chosen_may, may_q)
      if (state == FrontFetch && mine) `FRONT_HOLDS(command_of_it, command)
      if (sees_q) `FRONT_HOLDS(state_seen, !host_rsp.err && host_rsp.rdata == 32'(seen_q))
      // A channel with commands is pending: it is eligible again when nothing holds it.
      if (enabled && !fresh && row[2] != row[3])
        `FRONT_HOLDS(not_forgotten, pending_q || (busy && mine && state == FrontEnd &&
            step >= 5'd16))
      // In turn.
      if (chooses && eligible) begin
        `FRONT_HOLDS(highest, chosen_level >= level)
        if (chosen_level == level) `FRONT_HOLDS(in_turn, chosen_ahead <= ahead)
      end
      `FRONT_HOLDS(at_most_once_each, 32'(passed_q) < NumCmd)
      if (chooses && eligible && 32'(passed_q) == NumCmd - 1 && chosen_level == level)
        `FRONT_HOLDS(then_it, chosen == c)
      if (state == FrontIdle && eligible && u_env.u_dut.choice == FrontIdle)
        `FRONT_HOLDS(no_rest, 1'b0)
      // None twice between two turns; and how many there are.
      if (chooses) begin
        `FRONT_HOLDS(not_twice, !tried_q[chosen])
        `FRONT_HOLDS(turns_before, 32'(turns_q) <= NumCmd)
        `FRONT_HOLDS(ends_before, 32'(ends_q) <= NumKernels + 1 + 32'(turns_q))
        `FRONT_HOLDS(chosen_before, 32'(chosen_q) <=
            (NumCmd - 1) * (32'(turns_q) + 32'(ends_q) + 1))
        if (eligible && (tried_q | NumCmd'(1) << c) == '1)
          `FRONT_HOLDS(then_it_or_higher, chosen == c)
      end

      // The host keeps it off for one cycle.
      if (table_off_q) `FRONT_HOLDS(then_the_table, u_env.u_dut.table_done)
      if (reg_off_q) `FRONT_HOLDS(then_the_register, seq_write &&
          (u_env.u_dut.u_seq.wrote || kill))
      if (kill_off_q && kill) `FRONT_HOLDS(then_kill, reg_ready_i)

      // For the induction: registers.
      `FRONT_HOLDS(as_rules_say, flags.pending == pending_q && flags.stopped == stopped_q &&
          u_env.u_dut.u_flags.waits_q[c] == waits_q)
      if (mine && state == FrontCheck)
        `FRONT_HOLDS(since, u_env.u_dut.renewed_q ? since_q || (!pending_q && (fresh || !enabled))
                                                  : !since_q)
      if (mine && command && enabled && !fresh) `FRONT_HOLDS(is_pending, pending_q)
      `FRONT_HOLDS(known, !flags.clean || known_q)
      if (known_q) `FRONT_HOLDS(width, row[2][31:16] == '0 && row[3][31:16] == '0)
      if (mine && state == FrontClear) begin
        `FRONT_HOLDS(no_life, !flags.clean)
        if (step != '0) `FRONT_HOLDS(get_cleared, row[2] == '0)
        if (step > 5'd1) `FRONT_HOLDS(put_cleared, known_q && row[3] == '0)
      end
      if (mine && state inside {FrontRow, FrontCheck}) begin
        `FRONT_HOLDS(known_row, known_q)
        if (state == FrontCheck || step > 5'd2) `FRONT_HOLDS(get_word, row[2][15:0] == get_read)
        if (state == FrontRow && got) `FRONT_HOLDS(on_its_way, got_word == step - 5'd1)
        if (state == FrontCheck) `FRONT_HOLDS(put_word, (since_q || row[3][15:0] == put_read) &&
            (!got || got_word == 5'd3))
      end
      if (state == FrontRow) `FRONT_HOLDS(steps_row, step <= 5'd3)
      if (state == FrontEnd) `FRONT_HOLDS(steps_end, step <= 5'd18 && step != 5'd15)
      if (state == FrontClear) `FRONT_HOLDS(steps_clear, step <= 5'd11)
      if (counts_q && !(state == FrontIdle)) begin
        `FRONT_HOLDS(counted, level_now == level && !mine &&
            from_to(next, u_env.u_dut.u_seq.channel_q) < ahead)
      end
      if (!counts_q && command) `FRONT_HOLDS(uncounted, passed_q == '0 || level_now != level)
      `FRONT_HOLDS(progress, passed_q + ahead < (ChW + 1)'(NumCmd) || !eligible)
      `FRONT_HOLDS(since_open, u_env.u_dut.multiple_q == multiple_q)
      `FRONT_HOLDS(turns_of, 32'(turns_q) + 32'(command && !counts_q) <= 32'(passed_q) + 1)
      `FRONT_HOLDS(begun_of, 32'(begun_q) <= 32'(turns_q) + 32'(state == FrontFinish))
      `FRONT_HOLDS(ends_of, 32'(ends_q) + 32'(active) <= NumKernels + 1 + 32'(begun_q))
      `FRONT_HOLDS(chosen_of, 32'(chosen_q) <= (NumCmd - 1) * (32'(turns_q) + 32'(ends_q) +
          32'(state == FrontUnbind && command)) + 32'($countones(tried_q)))
      `FRONT_HOLDS(one_copy, !(u_env.u_dut.copying && u_env.u_dut.copied_q))
      if (state == FrontCopyEnd) `FRONT_HOLDS(copy_ends, u_env.u_dut.copied_q)
      if (state == FrontUnbind && command) `FRONT_HOLDS(none_tried, tried_q == '0)
      if (u_env.u_dut.u_seq.walk_step &&
          (u_env.u_dut.u_seq.writes_q || u_env.u_dut.u_seq.answer_q))
        `FRONT_HOLDS(walk_here, u_env.u_dut.u_seq.walk_here_q)
      if (mine && command) `FRONT_HOLDS(none_meanwhile, chosen_q == '0)
    end
  end
  for (genvar k = 0; k < NumCmd; k++) begin : g_tried
    always_ff @(posedge clk_i) begin
      if (rst_ni && tried_q[k])
        `FRONT_HOLDS(tried, u_env.u_dut.u_flags.waits_q[k] ||
            (command && u_env.u_dut.u_seq.channel_q == ChW'(k)))
    end
  end
  for (genvar k = 0; k < NumKernels; k++) begin : g_slot
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin  // proved in formal_front: one_of, ends_of
        assume (!(u_env.u_dut.runs_q[k] && u_env.u_dut.ended_q[k]));
        assume (!(state inside {FrontEnd, FrontCount}) || u_env.u_dut.u_seq.binding_q ||
            u_env.u_dut.u_seq.slot_q != KernelW'(k) || u_env.u_dut.ended_q[k]);
      end
    end
  end
  if (AnyState) begin : g_far
    always_ff @(posedge clk_i) begin
      last_of_all: cover (chooses && chosen == c && 32'(passed_q) == NumCmd - 1);
      goes_back: cover (mine && done.yielded && !fresh);
      put_meanwhile: cover (mine && done.empty && since_q && row[2] != row[3]);
      all_tried: cover (chooses && chosen == c && chosen_q == CountW'(NumCmd - 1) &&
          turns_q == '0 && ends_q == '0);
      off_table: cover (table_off_q && done.advanced);
      off_register: cover (reg_off_q && u_env.u_dut.u_seq.wrote);
      off_kill: cover (kill_off_q && kill);
      falls_late: cover (is_open && multiple_q && waits_q && done.turn);
      woken: cover (chooses && chosen == c && may_q && !waits_q && row[2] != row[3]);
    end
  end else begin : g_near
    always_ff @(posedge clk_i) begin
      chosen_with_one: cover (chooses && chosen == c && row[2] != row[3]);
    end
  end
endmodule
