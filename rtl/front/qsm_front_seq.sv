// SPDX-License-Identifier: Apache-2.0
// Sequencer of the front end: one command after the other, or what else the channels need. It does
// what choice_i says when it is idle; states are the phases of the rules.
// Contract: docs/front.md R-FR-5 to R-FR-16, R-FR-19, R-FR-22 to R-FR-24, R-FR-26, R-FR-28.
// Latency: a state begins in the cycle after the one before it.
// Observed by the lockstep monitor: state_q, state_d, channel_d, slot_d (CHANNEL); get_q and the
// words of the command as they come (COMMAND).
module qsm_front_seq
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
#(
  localparam int unsigned ChW = idx_w(NumCmd)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic [63:0]        cycle_i,

  // What to do when idle: nothing (FrontIdle), or this to this channel and slot.
  input  front_state_e       choice_i,
  input  logic [ChW-1:0]     choice_channel_i,
  input  logic [KernelW-1:0] choice_slot_i,
  output front_state_e       state_o,
  output logic               first_o,  // its first cycle
  output logic [ChW-1:0]     channel_o,
  output logic [KernelW-1:0] slot_o,

  // For a launch: not now; there is a slot; which; it is bound, and to the channel.
  input  logic               slot_wait_i,
  input  logic               slot_found_i,
  input  logic [KernelW-1:0] slot_pick_i,
  input  logic               slot_bound_i,
  input  logic               slot_own_i,
  // A launch gives its slot back for it: there is one; whose; it was asked to.
  input  logic               yield_found_i,
  input  logic [KernelW-1:0] yield_pick_i,
  input  logic               yield_sent_i,
  // Own settings that the slot's registers have, and those of the launch (R-FR-28).
  input  logic [1:0]         own_i,
  output logic [1:0]         own_o,
  // For set: the lowest slot that is bound to the channel.
  input  logic               own_found_i,
  input  logic [KernelW-1:0] own_pick_i,
  // For a copy: not now; the engine is taken; the job, and its split.
  input  logic               engine_wait_i,
  input  logic               engine_taken_i,
  output front_job_t         job_o,
  output logic [SplitW-1:0]  split_o,
  // Of the launch in the slot, or of the copy.
  input  logic [47:0]        time_i,
  input  logic [47:0]        sm_time_i,
  input  logic [15:0]        index_i,
  input  logic               killed_i,
  input  logic               yielded_i,
  input  logic [2:0][31:0]   walk_i,     // WALK_LINEAR, _Z, _XY
  input  logic               yields_i,   // it was asked to yield, and its end is no end
  input  logic               resumes_i,  // of the channel, from CHECK on
  input  logic [4:0]         cause_i,
  input  logic               overdue_i,
  output logic [31:0]        limit_o,  // of the launch that begins
  // Thread instructions of the slot on an SM.
  output logic [SmW-1:0]     count_sm_o,
  input  logic [39:0]        insn_i,
  // A write of CH_CTRL in this cycle, and whose.
  input  logic               ctrl_write_i,
  input  logic [ChW-1:0]     ctrl_channel_i,

  output front_done_t        done_o,  // what is done at the end of this cycle
  output logic [15:0]        get_o,   // of the command, and its flag
  output logic               irq_o,

  // Table.
  output logic               table_valid_o,
  output logic               table_we_o,
  output logic [4:0]         table_word_o,
  output logic [31:0]        table_wdata_o,
  input  logic               table_done_i,
  input  logic [31:0]        table_rdata_i,
  // Registers: taken in the cycle of ready, written in the next, answered in the one after that;
  // again: it was not written, and has to be asked for anew.
  output logic               reg_valid_o,
  output logic [19:0]        reg_addr_o,
  output logic [31:0]        reg_wdata_o,
  input  logic               reg_ready_i,
  input  logic               reg_err_i,
  input  logic               reg_again_i,
  // The watchdog writes KILL of this slot in place of them.
  input  logic               kill_i,
  input  logic [KernelW-1:0] kill_slot_i,
  // Crossbar, before R-XB-6.
  output mem_req_t           req_o,
  input  mem_rsp_t           rsp_i
);
  // Steps of END: word 6 is read; ERROR is written; from EndWalk on where a launch goes on.
  localparam logic [4:0] EndDone = 5'd12, EndKilled = 5'd14, EndWalk = 5'd16;

  front_state_e state_q, state_d, after_context;
  logic [ChW-1:0] channel_q, channel_d;
  logic [KernelW-1:0] slot_q, slot_d;
  logic first_q;                 // first cycle of the state
  logic [4:0] step_q, step_d;    // of what a state does several times
  logic writes_q, answer_q;      // a register is written; its answer is here
  logic has_turn_q, binding_q;   // the channel was chosen for its row; a slot began to be bound
  front_stop_e stop_q, stop_d;   // ERROR
  logic [7:0] stop_word_q, stop_word_d;
  assign state_o = state_q;
  assign first_o = first_q;
  assign channel_o = channel_q;
  assign slot_o = slot_q;

  // ---- row of the channel: what was read is here in the next cycle ----
  logic got_q;
  logic [4:0] got_word_q;
  logic [3:0] log2_q;
  logic [SplitW-1:0] split_q;
  logic [31:12] base_q;
  logic [31:7] context_q;
  logic [15:0] get_q, get_next;
  logic [31:0] read_q, got, limit_q;  // got: what was read last, but for what has a register
  logic [15:0] outside;          // GET, PUT beyond the ring
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) got_q <= 1'b0;
    else got_q <= table_done_i && !table_we_o;
  end
  always_ff @(posedge clk_i) begin
    got_word_q <= table_word_o;
    if (got_q) begin
      case (got_word_q)
        5'd0: begin
          log2_q <= table_rdata_i[3:0];
          split_q <= table_rdata_i[4 +: SplitW];
          base_q <= table_rdata_i[31:12];
        end
        5'd1: context_q <= table_rdata_i[31:7];
        5'd2: get_q <= table_rdata_i[15:0];
        5'd14: limit_q <= table_rdata_i;
        default: read_q <= table_rdata_i;
      endcase
    end
  end
  assign got = got_q ? table_rdata_i : read_q;
  assign split_o = split_q;
  assign limit_o = limit_q;
  assign outside = (get_q | got[15:0]) >> log2_q;
  assign get_o = get_q;
  assign get_next = (get_q + 16'd1) & ~(16'hFFFF << log2_q);

  // ---- words in memory ----
  logic mem_done, wrong, has_context, launch_ok, semaphore_ok, setting_ok, reached, range_ok;
  logic [3:0] wrong_word;
  logic [4:0] setting_word;
  logic look;  // for a register's word
  logic [5:0] word_next;
  logic [7:0] setting, range_word;
  logic [31:0] value, word, shared;
  logic [2:0][10:0] block;
  logic [1:0] denied;
  front_opcode_e opcode;
  qsm_front_words u_words (
    .clk_i, .rst_ni, .cycle_i, .state_i(state_q), .first_i(first_q),
    .load_context_i(state_q == FrontDecode && state_d == FrontContext), .channel_i(channel_q),
    .base_i(base_q), .context_i(context_q), .get_i(get_q), .ctrl_write_i,
    .ctrl_channel_i, .mem_done_o(mem_done), .opcode_o(opcode), .irq_o, .wrong_o(wrong),
    .wrong_word_o(wrong_word), .has_context_o(has_context), .launch_ok_o(launch_ok),
    .own_o, .denied_o(denied), .semaphore_ok_o(semaphore_ok), .setting_ok_o(setting_ok),
    .setting_o(setting),
    .setting_word_o(setting_word), .value_o(value), .reached_o(reached), .range_ok_o(range_ok),
    .range_word_o(range_word), .job_o,
    .look_i(look), .word_next_i(word_next), .word_o(word), .step_i(step_q[2:0]), .block_o(block),
    .shared_o(shared), .req_o, .rsp_i
  );

  logic shape_done;
  logic [31:0] threads, warps;
  logic [5:0] granules;
  qsm_front_shape #(.Lanes(WarpSize), .Granule(GranuleBytes)) u_shape (
    .clk_i, .rst_ni, .clear_i(state_q == FrontLook), .run_i(state_q == FrontProduct),
    .block_i(block), .shared_i(shared), .done_o(shape_done), .threads_o(threads), .warps_o(warps),
    .granules_o(granules)
  );

  // ---- registers ----
  // Where a launch goes on that has yielded: words of the row, each read before it is written.
  logic [4:0] step_after, ahead_q;  // of BIND and START, where the state stays
  logic wrote, answer, resuming_q, walk_step, walk_read, walk_here_q;
  logic [7:0] offset;
  assign walk_step = state_q == FrontStart && step_q inside {5'd8, 5'd9, 5'd10} && resuming_q;
  assign walk_read = walk_step && !walk_here_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) walk_here_q <= 1'b0;
    else walk_here_q <= walk_step && !answer && (walk_here_q || table_done_i);
  end
  always_ff @(posedge clk_i) if (state_q == FrontLimit) resuming_q <= resumes_i;
  qsm_front_steps u_steps (
    .clk_i, .look_i(look), .step_after_i(ahead_q), .word_next_o(word_next), .word_i(word),
    .own_i(own_o), .state_i(state_q), .step_i(step_q), .slot_i(slot_q), .kill_i, .kill_slot_i,
    .setting_word_i(setting_word), .setting_i(value), .walk_i(resuming_q ? got : '0),
    .threads_i(threads), .warps_i(warps),
    .granules_i(granules), .offset_o(offset), .addr_o(reg_addr_o), .wdata_o(reg_wdata_o)
  );
  assign reg_valid_o = !writes_q && !answer_q && !walk_read &&
      state_q inside {FrontUnbind, FrontBind, FrontSetReg, FrontStart, FrontYield};
  assign wrote = reg_valid_o && reg_ready_i;
  assign answer = answer_q && !reg_again_i;
  // A step takes three cycles, so the one behind it is known before the answer.
  always_comb begin
    step_after = step_q + 5'd1;
    if (state_q == FrontStart) begin
      if (step_q == FrontStepMask - 5'd1 && !own_i[0]) step_after = FrontStepPolicy;
      if (step_after == FrontStepPolicy && !own_i[1]) step_after = FrontStepIrq;
    end
  end
  always_ff @(posedge clk_i) ahead_q <= step_after;
  assign look = answer || state_q inside {FrontSlot, FrontLimit, FrontSet};

  // ---- thread instructions ----
  logic count_last;
  logic [39:0] insn;
  qsm_front_count #(.NumSlots(NumKernels), .NumSms(NumSms)) u_count (
    .clk_i, .rst_ni, .run_i(state_q == FrontCount), .first_i(first_q), .slot_i(slot_q),
    .sm_o(count_sm_o), .insn_i, .last_o(count_last), .insn_o(insn)
  );

  // ---- table ----
  // Sums: a word is read and then written with what comes to it. A counter of 48 bits has a low
  // word, at an even place, and a high one, to which the carry of the low one comes.
  logic sums, carry, carry_q, sum_top, yields;
  logic [3:0] sum_word;
  logic [31:0] amount, sum;
  always_comb begin
    sums = state_q inside {FrontEnd, FrontCopyEnd} || (state_q == FrontFinish && step_q != '0);
    sum_word = 4'd6;
    if (state_q == FrontEnd) begin
      case (step_q[4:1])
        4'd0, 4'd1: sum_word = {3'b010, step_q[1]};
        4'd6:       sum_word = 4'd6;
        4'd7:       sum_word = 4'd7;
        default:    sum_word = step_q[4:1] + 4'd6;
      endcase
    end else if (state_q == FrontCopyEnd && !step_q[2]) begin
      sum_word = {3'b110, step_q[1]};
    end
    case (sum_word)
      4'd4, 4'd12: amount = time_i[31:0];
      4'd5, 4'd13: amount = 32'(time_i[47:32]);
      4'd8:        amount = sm_time_i[31:0];
      4'd9:        amount = 32'(sm_time_i[47:32]);
      4'd10:       amount = insn[31:0];
      4'd11:       amount = 32'(insn[39:32]);
      default:     amount = '0;  // DONE
    endcase
    carry = (sum_word == 4'd6) || (sum_word[0] && carry_q);
    {sum_top, sum} = {1'b0, got} + {1'b0, amount} + 33'(carry);
    if (sum_word[0]) sum[16] = 1'b0;  // wraps; above it there is nothing
  end
  always_ff @(posedge clk_i) if (sums && table_we_o && table_done_i) carry_q <= sum_top;

  assign yields = yielded_i && !killed_i && yields_i;
  always_comb begin
    table_valid_o = 1'b1;
    table_we_o = 1'b1;
    table_word_o = 5'd7;
    table_wdata_o = sum;
    case (state_q)
      FrontRow: begin
        table_we_o = 1'b0;
        table_word_o = step_q;
      end
      FrontCheck: table_we_o = 1'b0;  // for the flags: what it reads is not looked at
      FrontLimit: begin
        table_we_o = 1'b0;
        table_word_o = 5'd14;
      end
      FrontStart: begin
        table_valid_o = walk_read;
        table_we_o = 1'b0;
        table_word_o = step_q + 5'd7;
      end
      FrontClear: begin
        table_word_o = step_q + 5'd2;
        table_wdata_o = '0;
      end
      FrontEnd: begin
        table_we_o = step_q[0] || step_q >= EndKilled || (step_q == EndDone && yields);
        table_word_o = {1'b0, sum_word};
        if (step_q == EndDone && yields) begin
          table_word_o = 5'd2;
          table_wdata_o = 32'(index_i);
        end
        if (step_q == EndKilled)
          table_wdata_o = overdue_i ? {index_i, 8'd24, 4'd0, StopTimeout}
                                    : {index_i, 3'd0, cause_i, 4'd0, StopFault};
        if (step_q >= EndWalk) begin
          table_word_o = step_q - 5'd1;
          table_wdata_o = step_q[1] ? walk_i[2] : walk_i[step_q[0]];
        end
      end
      FrontCopyEnd: begin
        table_we_o = step_q[0];
        table_word_o = {1'b0, sum_word};
      end
      FrontStop: table_wdata_o = {get_q, stop_word_q, 4'd0, stop_q};
      FrontFinish: begin
        table_we_o = step_q != 5'd1;
        table_word_o = (step_q == '0) ? 5'd2 : 5'd6;
        if (step_q == '0) table_wdata_o = 32'(get_next);
      end
      default: table_valid_o = 1'b0;
    endcase
  end

  // ---- states ----
  logic later;     // the command is done when its launch or copy is
  logic moves_on;  // it goes idle, and a turn ends: said beside the next state, which comes late
  assign later = opcode inside {CmdLaunch, CmdCopy, CmdFill};
  always_comb begin
    case (opcode)
      CmdLaunch:        after_context = FrontSlot;
      CmdSet:           after_context = FrontSet;
      CmdCopy, CmdFill: after_context = FrontRange;
      default:          after_context = FrontAddress;
    endcase
    state_d = state_q;
    channel_d = channel_q;
    slot_d = slot_q;
    step_d = step_q + 5'((table_done_i && state_q != FrontStart) || answer ||
                         state_q == FrontRange);
    stop_d = stop_q;
    stop_word_d = stop_word_q;
    done_o = '0;
    moves_on = 1'b0;
    case (state_q)
      FrontIdle: begin
        state_d = choice_i;
        if (choice_i != FrontIdle) channel_d = choice_channel_i;
        if (choice_i inside {FrontCount, FrontUnbind}) slot_d = choice_slot_i;
      end
      FrontCount: if (count_last) state_d = binding_q ? FrontLoad : FrontEnd;
      FrontEnd: if (table_done_i) begin
        if (step_q == EndDone && yields) step_d = EndWalk;
        if (step_q inside {EndKilled, EndWalk + 5'd2} ||
            (step_q == EndKilled - 5'd1 && !killed_i)) begin
          state_d = FrontIdle;
          done_o.ended = 1'b1;
          done_o.wake = 1'b1;
          done_o.stopped = step_q == EndKilled;
          done_o.yielded = step_q == EndWalk + 5'd2;
          moves_on = 1'b1;
        end
      end
      FrontCopyEnd: if (table_done_i && step_q == 5'd5) begin
        state_d = FrontIdle;
        done_o.copied = 1'b1;
        done_o.wake = 1'b1;
        moves_on = 1'b1;
      end
      FrontClear: if (table_done_i && step_q == 5'd11) begin
        state_d = FrontIdle;
        done_o.cleared = 1'b1;
        done_o.wake = 1'b1;
        moves_on = 1'b1;
      end
      FrontUnbind: if (answer) begin
        state_d = FrontIdle;
        done_o.unbound = 1'b1;
        moves_on = 1'b1;
      end
      FrontRow: if (table_done_i && step_q == 5'd3) state_d = FrontCheck;
      FrontCheck: if (table_done_i) begin
        stop_d = StopBadPut;
        stop_word_d = '0;
        if (outside != '0) state_d = FrontStop;
        else if (get_q == got[15:0] && !resumes_i) begin
          state_d = FrontIdle;
          done_o.empty = 1'b1;
          moves_on = 1'b1;
        end else state_d = FrontFetch;
      end
      FrontFetch: if (mem_done) state_d = FrontDecode;
      FrontDecode: begin
        stop_d = StopBadCommand;
        stop_word_d = 8'(wrong_word);
        if (wrong) state_d = FrontStop;
        else if (opcode == CmdNop) state_d = FrontFinish;
        else state_d = has_context ? after_context : FrontContext;
      end
      FrontContext: if (mem_done) state_d = after_context;
      FrontSlot: begin
        stop_d = StopBadAddress;
        stop_word_d = 8'd1;
        if (first_q && !launch_ok) begin
          state_d = FrontStop;
        end else if ((slot_wait_i || !slot_found_i) && yield_found_i) begin
          state_d = yield_sent_i ? FrontIdle : FrontYield;
          done_o.waits = yield_sent_i;
          if (!yield_sent_i) slot_d = yield_pick_i;
        end else if (!slot_wait_i) begin
          state_d = !slot_found_i ? FrontIdle : slot_own_i ? FrontLoad : FrontBind;
          done_o.waits = !slot_found_i;
          if (slot_found_i) slot_d = slot_pick_i;
        end
      end
      FrontBind: if (answer) begin
        stop_d = StopRefused;
        stop_word_d = offset;
        done_o.unbound = step_q == '0;
        done_o.bound = step_q == 5'd13 && !reg_err_i;
        if (reg_err_i) state_d = FrontStop;
        else if (step_q == 5'd22) begin
          state_d = FrontCount;
          done_o.settled = 1'b1;
        end
      end
      FrontYield: if (answer) begin
        state_d = FrontIdle;
        done_o.waits = 1'b1;
        done_o.asked = 1'b1;
      end
      FrontLoad: if (mem_done) state_d = FrontLook;
      FrontLook: begin
        stop_d = wrong ? StopBadLaunch : StopNoRight;
        stop_word_d = wrong ? 8'(wrong_word) : denied[0] ? 8'(SettingSmMaskLo)
                                                         : 8'(SettingCachePolicy);
        state_d = (wrong || denied != '0) ? FrontStop : FrontProduct;
      end
      FrontProduct: if (shape_done) state_d = FrontLimit;
      FrontLimit: if (table_done_i) state_d = FrontStart;
      FrontStart: if (answer) begin
        stop_d = StopRefused;
        stop_word_d = offset;
        step_d = ahead_q;
        if (reg_err_i) state_d = FrontStop;
        else if (step_q == FrontStepLaunch) begin
          state_d = FrontFinish;
          done_o.launched = 1'b1;
        end
      end
      FrontRange: if (step_q == 5'd5) begin
        stop_d = StopBadAddress;
        stop_word_d = range_word;
        state_d = range_ok ? FrontEngine : FrontStop;
      end
      FrontEngine: if (!engine_wait_i) begin
        state_d = engine_taken_i ? FrontIdle : FrontFinish;
        done_o.waits = engine_taken_i;
        done_o.given = !engine_taken_i;
      end
      FrontAddress: begin
        stop_d = StopBadAddress;
        stop_word_d = 8'd1;
        state_d = semaphore_ok ? FrontAccess : FrontStop;
      end
      FrontAccess: if (mem_done) state_d = (opcode == CmdRelease) ? FrontFinish : FrontCompare;
      FrontCompare: begin
        state_d = reached ? FrontFinish : FrontIdle;
        done_o.waits = !reached;
        moves_on = !reached;
      end
      FrontSet: begin
        stop_d = StopNoRight;
        stop_word_d = setting;
        state_d = !setting_ok ? FrontStop : own_found_i ? FrontSetReg : FrontSetStore;
        if (setting_ok && own_found_i) slot_d = own_pick_i;
      end
      FrontSetReg: if (answer) begin
        stop_d = StopRefused;
        stop_word_d = offset;
        state_d = reg_err_i ? FrontStop : FrontSetStore;
      end
      FrontSetStore: if (mem_done) state_d = FrontFinish;
      FrontStop: if (table_done_i) begin
        state_d = binding_q ? FrontUnbind : FrontIdle;
        done_o.stopped = 1'b1;
        done_o.wake = 1'b1;
        moves_on = !binding_q;
      end
      default: begin  // FrontFinish
        done_o.advanced = table_done_i && step_q == '0;
        done_o.later = done_o.advanced && later;
        if (table_done_i && step_q == (later ? 5'd0 : 5'd2)) begin
          state_d = FrontIdle;
          done_o.finished = !later && irq_o;
          done_o.wake = opcode == CmdRelease;
          moves_on = 1'b1;
        end
      end
    endcase
    done_o.turn = has_turn_q && moves_on;
    if (state_d != state_q) step_d = (state_d == FrontBind && !slot_bound_i) ? 5'd1 : '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= FrontIdle;
      channel_q <= '0;
      slot_q <= '0;
      first_q <= 1'b0;
      step_q <= '0;
      writes_q <= 1'b0;
      answer_q <= 1'b0;
      has_turn_q <= 1'b0;
      binding_q <= 1'b0;
    end else begin
      state_q <= state_d;
      channel_q <= channel_d;
      slot_q <= slot_d;
      first_q <= state_d != state_q;
      step_q <= step_d;
      writes_q <= wrote;
      answer_q <= writes_q;
      has_turn_q <= state_d != FrontIdle && (has_turn_q || state_d == FrontRow);
      binding_q <= state_d != FrontIdle && (binding_q || state_d == FrontBind);
    end
  end
  always_ff @(posedge clk_i) begin
    stop_q <= stop_d;
    stop_word_q <= stop_word_d;
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      done_o.turn == (has_turn_q && state_q != FrontIdle && state_d == FrontIdle &&
                      !(state_q inside {FrontSlot, FrontEngine, FrontYield})))
    else $error("R-FR-20: a turn ends where it does not, or does not where it ends");
`endif
endmodule
