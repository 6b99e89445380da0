// SPDX-License-Identifier: Apache-2.0
// Sequencer of the front end: one command after the other, or what else the channels need. It does
// what choice_i says when it is idle; states are the phases of the rules.
// Contract: docs/front.md R-FR-5 to R-FR-16, R-FR-19. Latency: a state begins in the cycle after
// the one before it.
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
  output logic [ChW-1:0]     channel_o,
  output logic [KernelW-1:0] slot_o,

  // For a launch: not now; there is a slot; which; it is bound, and to the channel.
  input  logic               slot_wait_i,
  input  logic               slot_found_i,
  input  logic [KernelW-1:0] slot_pick_i,
  input  logic               slot_bound_i,
  input  logic               slot_own_i,
  // For set: the lowest slot that is bound to the channel.
  input  logic               own_found_i,
  input  logic [KernelW-1:0] own_pick_i,
  // Of the launch in the slot.
  input  logic [47:0]        time_i,
  input  logic [15:0]        index_i,
  input  logic               killed_i,
  input  logic [4:0]         cause_i,
  // A write of CH_CTRL in this cycle, and whose.
  input  logic               ctrl_write_i,
  input  logic [ChW-1:0]     ctrl_channel_i,

  output front_done_t        done_o,  // what is done at the end of this cycle
  output logic [15:0]        get_o,   // of the command, and its flag
  output logic               irq_o,

  // Table.
  output logic               table_valid_o,
  output logic               table_we_o,
  output logic [2:0]         table_word_o,
  output logic [31:0]        table_wdata_o,
  input  logic               table_done_i,
  input  logic [31:0]        table_rdata_i,
  // Registers: taken in the cycle of ready, answered in the next.
  output logic               reg_valid_o,
  output logic [19:0]        reg_addr_o,
  output logic [31:0]        reg_wdata_o,
  input  logic               reg_ready_i,
  input  logic               reg_err_i,
  // Crossbar.
  output mem_req_t           req_o,
  input  mem_rsp_t           rsp_i
);
  front_state_e state_q, state_d, after_context;
  logic [ChW-1:0] channel_q, channel_d;
  logic [KernelW-1:0] slot_q, slot_d;
  logic first_q;                 // first cycle of the state
  logic [4:0] step_q, step_d;    // of what a state does several times
  logic answer_q;                // the answer of a register is here
  logic has_turn_q, binding_q;   // the channel was chosen for its row; a slot began to be bound
  front_stop_e stop_q, stop_d;   // ERROR
  logic [7:0] stop_word_q, stop_word_d;
  assign state_o = state_q;
  assign channel_o = channel_q;
  assign slot_o = slot_q;

  // ---- row of the channel: what was read is here in the next cycle ----
  logic got_q;
  logic [2:0] got_word_q;
  logic [3:0] log2_q;
  logic [SplitW-1:0] split_q;
  logic [31:12] base_q;
  logic [31:7] context_q;
  logic [15:0] get_q, get_next, busy_hi_q;
  logic [31:0] busy_lo_q, count_q, count;  // count: DONE
  logic [15:0] outside;                    // GET, PUT beyond the ring
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) got_q <= 1'b0;
    else got_q <= table_done_i && !table_we_o;
  end
  always_ff @(posedge clk_i) begin
    got_word_q <= table_word_o;
    if (got_q) begin
      case (got_word_q)
        3'd0: begin
          log2_q <= table_rdata_i[3:0];
          split_q <= table_rdata_i[4 +: SplitW];
          base_q <= table_rdata_i[31:12];
        end
        3'd1: context_q <= table_rdata_i[31:7];
        3'd2: get_q <= table_rdata_i[15:0];
        3'd4: busy_lo_q <= table_rdata_i;
        3'd5: busy_hi_q <= table_rdata_i[15:0];
        3'd6: count_q <= table_rdata_i;
        default: ;
      endcase
    end
  end
  assign count = got_q ? table_rdata_i : count_q;
  assign outside = (get_q | table_rdata_i[15:0]) >> log2_q;
  assign get_o = get_q;
  assign get_next = (get_q + 16'd1) & ~(16'hFFFF << log2_q);

  // ---- words in memory ----
  logic mem_done, wrong, has_context, launch_ok, semaphore_ok, setting_ok, reached;
  logic [3:0] wrong_word;
  logic [4:0] setting_word, context_word;
  logic [7:0] setting;
  logic [31:0] value, context_value, command_value, shared;
  logic [2:0][10:0] block;
  front_opcode_e opcode;
  qsm_front_words u_words (
    .clk_i, .rst_ni, .cycle_i, .state_i(state_q), .first_i(first_q),
    .load_context_i(state_q == FrontDecode && state_d == FrontContext), .channel_i(channel_q),
    .base_i(base_q), .split_i(split_q), .context_i(context_q), .get_i(get_q), .ctrl_write_i,
    .ctrl_channel_i, .mem_done_o(mem_done), .opcode_o(opcode), .irq_o, .wrong_o(wrong),
    .wrong_word_o(wrong_word), .has_context_o(has_context), .launch_ok_o(launch_ok),
    .semaphore_ok_o(semaphore_ok), .setting_ok_o(setting_ok), .setting_o(setting),
    .setting_word_o(setting_word), .value_o(value), .reached_o(reached),
    .context_word_i(context_word), .context_o(context_value), .command_word_i(step_q[3:0]),
    .command_o(command_value), .block_o(block), .shared_o(shared), .req_o, .rsp_i
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
  logic wrote, answer;
  logic [7:0] offset;
  qsm_front_steps u_steps (
    .state_i(state_q), .step_i(step_q), .slot_i(slot_q), .setting_word_i(setting_word),
    .setting_i(value), .context_word_o(context_word), .context_i(context_value),
    .command_i(command_value), .threads_i(threads), .shared_i(shared), .warps_i(warps),
    .granules_i(granules), .offset_o(offset), .addr_o(reg_addr_o), .wdata_o(reg_wdata_o)
  );
  assign reg_valid_o = !answer_q &&
      state_q inside {FrontUnbind, FrontBind, FrontSetReg, FrontStart};
  assign wrote = reg_valid_o && reg_ready_i;
  assign answer = answer_q;

  // ---- table ----
  logic [47:0] busy_sum;
  assign busy_sum = {busy_hi_q, busy_lo_q} + time_i;
  always_comb begin
    table_valid_o = 1'b1;
    table_we_o = 1'b1;
    table_word_o = 3'd7;
    table_wdata_o = '0;
    case (state_q)
      FrontRow: begin
        table_we_o = 1'b0;
        table_word_o = step_q[2:0];
      end
      FrontClear: table_word_o = step_q[2:0] + 3'd2;
      FrontEnd: begin
        table_we_o = step_q >= 5'd3;
        table_word_o = (step_q >= 5'd3) ? step_q[2:0] + 3'd1 : step_q[2:0] + 3'd4;
        case (step_q)
          5'd3:    table_wdata_o = busy_sum[31:0];
          5'd4:    table_wdata_o = 32'(busy_sum[47:32]);
          5'd5:    table_wdata_o = count + 32'd1;
          default: table_wdata_o = {index_i, 3'd0, cause_i, 4'd0, StopFault};
        endcase
      end
      FrontStop: table_wdata_o = {get_q, stop_word_q, 4'd0, stop_q};
      FrontFinish: begin
        table_we_o = step_q != 5'd1;
        table_word_o = (step_q == '0) ? 3'd2 : 3'd6;
        table_wdata_o = (step_q == '0) ? 32'(get_next) : count + 32'd1;
      end
      default: table_valid_o = 1'b0;
    endcase
  end

  // ---- states ----
  always_comb begin
    case (opcode)
      CmdLaunch: after_context = FrontSlot;
      CmdSet:    after_context = FrontSet;
      default:   after_context = FrontAddress;
    endcase
    state_d = state_q;
    channel_d = channel_q;
    slot_d = slot_q;
    step_d = step_q + 5'((table_valid_o && table_done_i) || answer);
    stop_d = stop_q;
    stop_word_d = stop_word_q;
    done_o = '0;
    case (state_q)
      FrontIdle: begin
        state_d = choice_i;
        if (choice_i != FrontIdle) channel_d = choice_channel_i;
        if (choice_i inside {FrontEnd, FrontUnbind}) slot_d = choice_slot_i;
      end
      FrontEnd: if (table_done_i && step_q == (killed_i ? 5'd6 : 5'd5)) begin
        state_d = FrontIdle;
        done_o.ended = 1'b1;
        done_o.wake = 1'b1;
        done_o.stopped = killed_i;
      end
      FrontClear: if (table_done_i && step_q == 5'd5) begin
        state_d = FrontIdle;
        done_o.cleared = 1'b1;
      end
      FrontUnbind: if (answer) begin
        state_d = FrontIdle;
        done_o.unbound = 1'b1;
      end
      FrontRow: if (table_done_i && step_q == 5'd3) state_d = FrontCheck;
      FrontCheck: begin
        stop_d = StopBadPut;
        stop_word_d = '0;
        if (outside != '0) state_d = FrontStop;
        else if (get_q == table_rdata_i[15:0]) begin
          state_d = FrontIdle;
          done_o.empty = 1'b1;
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
        if (first_q && !launch_ok) state_d = FrontStop;
        else if (!slot_wait_i) begin
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
        else if (step_q == 5'd22) state_d = FrontLoad;
      end
      FrontLoad: if (mem_done) state_d = FrontLook;
      FrontLook: begin
        stop_d = StopBadLaunch;
        stop_word_d = 8'(wrong_word);
        state_d = wrong ? FrontStop : FrontProduct;
      end
      FrontProduct: if (shape_done) state_d = FrontStart;
      FrontStart: if (answer) begin
        stop_d = StopRefused;
        stop_word_d = offset;
        if (reg_err_i) state_d = FrontStop;
        else if (step_q == 5'd13) begin
          state_d = FrontFinish;
          done_o.launched = 1'b1;
        end
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
      end
      default: begin  // FrontFinish
        if (table_done_i && step_q == ((opcode == CmdLaunch) ? 5'd0 : 5'd2)) begin
          state_d = FrontIdle;
          done_o.finished = opcode != CmdLaunch && irq_o;
          done_o.wake = opcode == CmdRelease;
        end
      end
    endcase
    if (state_d != state_q) step_d = (state_d == FrontBind && !slot_bound_i) ? 5'd1 : '0;
    done_o.turn = has_turn_q && state_q != FrontIdle && state_d == FrontIdle &&
        state_q != FrontSlot;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= FrontIdle;
      channel_q <= '0;
      slot_q <= '0;
      first_q <= 1'b0;
      step_q <= '0;
      answer_q <= 1'b0;
      has_turn_q <= 1'b0;
      binding_q <= 1'b0;
    end else begin
      state_q <= state_d;
      channel_q <= channel_d;
      slot_q <= slot_d;
      first_q <= state_d != state_q;
      step_q <= step_d;
      answer_q <= wrote;
      has_turn_q <= state_d != FrontIdle && (has_turn_q || state_d == FrontRow);
      binding_q <= state_d != FrontIdle && (binding_q || state_d == FrontBind);
    end
  end
  always_ff @(posedge clk_i) begin
    stop_q <= stop_d;
    stop_word_q <= stop_word_d;
  end
endmodule
