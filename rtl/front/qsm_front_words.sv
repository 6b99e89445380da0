// SPDX-License-Identifier: Apache-2.0
// What the front end has read of a channel: its context and its command, then the command's
// descriptor; and what the rules say of them.
// Contract: docs/front.md R-FR-7 to R-FR-10, R-FR-12, R-FR-23, R-FR-28. The state is the
// sequencer's; mem_done_o is high in the last cycle of a load or store.
// Cost: three block RAMs, a line, an adder and two comparators for addresses. What they show was
// asked for in the cycle before: *_next_i.
module qsm_front_words
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  localparam int unsigned ChW = idx_w(NumCmd)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [63:0]       cycle_i,
  input  front_state_e      state_i,
  input  logic              first_i,        // its first cycle
  input  logic              load_context_i, // CONTEXT is next
  input  logic [ChW-1:0]    channel_i,
  // of its row
  input  logic [31:12]      base_i,
  input  logic [31:7]       context_i,
  input  logic [15:0]       get_i,
  // a write of CH_CTRL, and whose
  input  logic              ctrl_write_i,
  input  logic [ChW-1:0]    ctrl_channel_i,

  output logic              mem_done_o,
  output front_opcode_e     opcode_o,
  output logic              irq_o,
  output logic              wrong_o,        // DECODE, LOOK: some word is wrong
  output logic [3:0]        wrong_word_o,   // the lowest
  output logic              has_context_o,  // the buffer is the channel's
  output logic              launch_ok_o,    // SLOT: the descriptor may be read
  output logic [1:0]        own_o,          // from LOOK on: OWN, a mask, a policy of its own
  output logic [1:0]        denied_o,       // of these those without the right
  output logic              semaphore_ok_o, // ADDRESS
  output logic              setting_ok_o,   // SET: there is such a setting, and the right
  output logic [7:0]        setting_o,      // which
  output logic [4:0]        setting_word_o, // where it is in the context
  output logic              range_ok_o,     // last cycle of RANGE
  output logic [7:0]        range_word_o,   // the wrong one
  output front_job_t        job_o,          // ENGINE
  output logic [31:0]       value_o,        // word 2 of the command
  output logic              reached_o,      // COMPARE
  input  logic              look_i,         // a word is read
  input  logic [5:0]        word_next_i,    // of the context, or 32 and that of the descriptor
  output logic [31:0]       word_o,
  input  logic [2:0]        step_i,         // of RANGE, 0 to 5
  output logic [2:0][10:0]  block_o,        // words 5 to 7 and 8 of the descriptor
  output logic [31:0]       shared_o,

  output mem_req_t          req_o,
  input  mem_rsp_t          rsp_i
);
  // ---- memory ----
  logic mem_valid, go, store, releases, stamp_q, stamp;
  logic [4:0] mem_index, mem_last, setting_word;
  logic [31:0] mem_word, mem_addr, address_q, value_q, loaded_q;
  logic [3:0][31:0] mem_wdata;
  front_opcode_e opcode_q;
  assign releases = opcode_q == CmdRelease;
  assign stamp = stamp_q && releases;

  always_comb begin
    mem_last = 5'd7;
    mem_addr = {base_i, 12'd0} + {11'd0, get_i, 5'd0};
    store = 1'b0;
    case (state_i)
      FrontContext: begin
        mem_last = 5'd31;
        mem_addr = {context_i, 7'd0};
      end
      FrontLoad: begin
        mem_last = 5'd15;
        mem_addr = address_q;
      end
      FrontAccess: begin
        mem_last = stamp ? 5'd3 : 5'd0;
        mem_addr = address_q;
        store = releases;
      end
      FrontSetStore: begin
        mem_last = 5'd0;
        mem_addr = {context_i, setting_word, 2'd0};
        store = 1'b1;
      end
      default: ;
    endcase
    mem_wdata = (stamp && state_i == FrontAccess) ? {cycle_i, 32'd0, value_q} : {4{value_q}};
  end
  assign go = first_i &&
      state_i inside {FrontFetch, FrontContext, FrontLoad, FrontAccess, FrontSetStore};
  qsm_front_mem u_mem (
    .clk_i, .rst_ni, .go_i(go), .write_i(store), .addr_i(mem_addr), .last_i(mem_last),
    .wdata_i(mem_wdata), .valid_o(mem_valid), .index_o(mem_index),
    .word_o(mem_word), .done_o(mem_done_o), .req_o, .rsp_i
  );

  // ---- command: words 0 to 3, and which of the others are not 0 ----
  logic [7:0] used_q, named;
  logic irq_q, known_q, is_copy, is_fill;
  logic [31:0] bytes_q, pattern_q;  // from address_q on
  always_ff @(posedge clk_i) begin
    if (state_i == FrontFetch && mem_valid) begin
      used_q[mem_index[2:0]] <= mem_word != '0;
      case (mem_index)
        5'd0: begin
          opcode_q <= front_opcode_e'(mem_word[2:0]);
          {stamp_q, irq_q} <= mem_word[9:8];
          known_q <= mem_word[31:10] == '0 && mem_word[7:3] == '0 && mem_word[2:0] <= CmdFill;
          bytes_q <= (mem_word[2:0] == CmdLaunch) ? 32'd64
                   : (mem_word[2:0] == CmdRelease && mem_word[9]) ? 32'd16 : 32'd4;
        end
        5'd1: address_q <= mem_word;
        5'd2: begin
          value_q <= mem_word;
          if (is_fill) bytes_q <= mem_word;
        end
        5'd3: begin
          pattern_q <= mem_word;
          if (is_copy) bytes_q <= mem_word;
        end
        default: ;
      endcase
    end
    if (state_i == FrontAccess && mem_valid) loaded_q <= mem_word;
  end
  assign is_copy = opcode_q == CmdCopy;
  assign is_fill = opcode_q == CmdFill;
  assign opcode_o = opcode_q;
  assign irq_o = irq_q;
  assign value_o = value_q;
  logic behind;
  logic [30:0] ahead_unused;  // only the sign of the difference counts
  assign {behind, ahead_unused} = loaded_q - value_q;
  assign reached_o = !behind;

  // ---- descriptor ----
  logic late_q, late;  // one of its words from 9 on is wrong
  logic [1:0] own_q;   // word 9
  logic [3:0] late_word_q;
  always_comb begin
    late = mem_word != '0;
    case (mem_index)
      5'd9:                late = mem_word[31:2] != '0;
      5'd10, 5'd11, 5'd12: late = late && !own_q[0];
      5'd13:               late = late && !own_q[1];
      default: ;
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (state_i == FrontLoad && mem_valid) begin
      case (mem_index)
        5'd5: block_o[0] <= mem_word[10:0];
        5'd6: block_o[1] <= mem_word[10:0];
        5'd7: block_o[2] <= mem_word[10:0];
        5'd8: shared_o <= mem_word;
        5'd9: own_q <= mem_word[1:0];
        default: ;
      endcase
      if (mem_index <= 5'd8) begin
        late_q <= 1'b0;
      end else if (late && !late_q) begin
        late_q <= 1'b1;
        late_word_q <= mem_index[3:0];
      end
    end
  end

  assign own_o = own_q;

  always_comb begin
    case (opcode_q)
      CmdNop:    named = 8'b0000_0001;
      CmdLaunch: named = 8'b0000_0011;
      CmdCopy,
      CmdFill:   named = 8'b0000_1111;
      default:   named = 8'b0000_0111;
    endcase
    wrong_o = 1'b0;
    wrong_word_o = '0;
    if (state_i == FrontLook) begin
      wrong_o = late_q;
      wrong_word_o = late_word_q;
    end else begin
      for (int w = 7; w > 0; w--) begin
        // bytes are not 0
        if ((used_q[w] && !named[w]) || (!used_q[w] && ((w == 3 && is_copy) ||
                                                        (w == 2 && is_fill)))) begin
          wrong_o = 1'b1;
          wrong_word_o = 4'(w);
        end
      end
      if (!known_q) begin
        wrong_o = 1'b1;
        wrong_word_o = '0;
      end
    end
  end

  // ---- context: whose; its words, and those of the descriptor behind them ----
  (* ram_style = "block", no_rw_check *) logic [31:0] buffer_mem[64];
  logic valid_q, spoilt_q, spoils, context_we;
  logic [ChW-1:0] owner_q;
  logic load_we;
  logic [5:0] place;
  assign spoils = ctrl_write_i && ctrl_channel_i == owner_q;
  assign has_context_o = valid_q && owner_q == channel_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      spoilt_q <= 1'b0;
    end else if (state_i == FrontContext) begin
      spoilt_q <= spoilt_q || spoils;
      valid_q <= mem_done_o && !spoilt_q && !spoils;
    end else begin
      spoilt_q <= 1'b0;
      if (load_context_i || spoils) valid_q <= 1'b0;
    end
  end
  assign load_we = mem_valid && state_i inside {FrontContext, FrontLoad};
  assign context_we = state_i == FrontSetStore && mem_done_o;
  assign place = context_we ? {1'b0, setting_word} : {state_i == FrontLoad, mem_index};
  always_ff @(posedge clk_i) begin
    if (load_context_i) owner_q <= channel_i;
    if (load_we || context_we) buffer_mem[place] <= context_we ? value_q : mem_word;
    if (look_i) word_o <= buffer_mem[word_next_i];
  end

  // ---- windows: 0, 1, and that of the host, 2 ----
  (* ram_style = "block", no_rw_check *) logic [31:0] base_mem[4];
  (* ram_style = "block", no_rw_check *) logic [31:0] limit_mem[4];
  logic [31:0] base_q, limit_q;
  logic [2:0][1:0] rights_q;     // read, write
  logic [3:0] may_set_q;         // context word 12
  always_ff @(posedge clk_i) begin
    if (state_i == FrontContext && mem_valid) begin
      case (mem_index)
        5'd6, 5'd9, 5'd23:  base_mem[{mem_index[4], mem_index[0] && !mem_index[4]}] <= mem_word;
        5'd7, 5'd10, 5'd24: limit_mem[{mem_index[4], mem_index[3] && !mem_index[4]}] <= mem_word;
        5'd8:    rights_q[0] <= mem_word[1:0];
        5'd11:   rights_q[1] <= mem_word[1:0];
        5'd12:   may_set_q <= mem_word[3:0];
        5'd25:   rights_q[2] <= mem_word[1:0];
        default: ;
      endcase
    end
  end

  assign denied_o = own_q & ~may_set_q[3:2];

  // One window is looked at per cycle: those of RANGE, window 0 in the cycle behind the states that
  // come before it, else 0 and 1 in turn. Between the cycle in which an address is read and that in
  // which it is asked for there are some of these, and likewise for the windows. The end of the
  // range is added up in the cycle before.
  logic in_range, of_second, holds, hit, found, found_q, first_found_q, linked, linked_q;
  logic [1:0] window_q, window_next, holds_q;
  logic [31:0] from_q, from_next;
  logic [32:0] behind_last_q;
  logic [2:0] step_next;
  assign in_range = state_i == FrontRange;
  assign of_second = step_i >= 3'd3;  // the destination
  always_comb begin
    step_next = in_range ? step_i + 3'd1 : '0;
    window_next = {1'b0, !window_q[0]};
    if (state_i == FrontDecode || (state_i == FrontContext && mem_done_o)) window_next = '0;
    if (in_range) window_next = (step_next >= 3'd3) ? 2'(step_next - 3'd3) : step_next[1:0];
    from_next = (step_next >= 3'd3 && is_copy) ? value_q : address_q;
  end
  always_ff @(posedge clk_i) begin
    window_q <= window_next;
    base_q <= base_mem[window_next];
    limit_q <= limit_mem[window_next];
    from_q <= from_next;
    behind_last_q <= 33'(from_next) + 33'(bytes_q);
  end
  assign holds = base_q <= from_q && behind_last_q <= {1'b0, limit_q};
  assign hit = holds && (of_second ? rights_q[window_q][1] : is_copy && rights_q[window_q][0]);
  assign found = hit || (found_q && step_i != 3'd3);
  assign linked = (linked_q && step_i != '0) ||
      (hit && window_q == 2'd2 && !(found_q && step_i != 3'd3));
  always_ff @(posedge clk_i) begin
    if (!in_range) holds_q[window_q[0]] <= holds;
    found_q <= in_range && found;
    linked_q <= (in_range || state_i == FrontEngine) && (in_range ? linked : linked_q);
    if (step_i == 3'd2) first_found_q <= found;
  end
  assign range_ok_o = found && (first_found_q || is_fill);
  assign range_word_o = (first_found_q && !is_fill) ? 8'd2 : 8'd1;
  assign job_o = '{fill: is_fill, src: address_q, dst: is_fill ? address_q : value_q,
      bytes: bytes_q, pattern: pattern_q, link: linked_q};

  // ---- what the channel may do ----
  logic aligned;
  assign aligned = (opcode_q == CmdLaunch) ? address_q[5:0] == '0
                 : stamp ? address_q[3:0] == '0 : address_q[1:0] == '0;
  assign launch_ok_o = aligned &&
      ((holds_q[0] && rights_q[0][0]) || (holds_q[1] && rights_q[1][0]));
  assign semaphore_ok_o = aligned && holds_q[1] && rights_q[1][releases ? 1 : 0];

  always_comb begin
    setting_ok_o = 1'b1;
    case (front_setting_e'(address_q[2:0]))
      SettingGoal: begin
        setting_word = 5'd1;
        setting_ok_o = may_set_q[0];
      end
      SettingBudget: begin
        setting_word = 5'd13;
        setting_ok_o = may_set_q[1];
      end
      SettingCachePolicy: begin
        setting_word = 5'd18;
        setting_ok_o = may_set_q[3];
      end
      default: begin  // the masks, in words 3 to 5
        setting_word = 5'(address_q[2:0]) + 5'd1;
        setting_ok_o = may_set_q[2];
      end
    endcase
    if (address_q[31:3] != '0 || front_setting_e'(address_q[2:0]) > SettingCachePolicy)
      setting_ok_o = 1'b0;
  end
  assign setting_word_o = setting_word;
  assign setting_o = address_q[7:0];
endmodule
