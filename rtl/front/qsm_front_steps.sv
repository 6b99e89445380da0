// SPDX-License-Identifier: Apache-2.0
// Which register is written, and with what: by the watchdog, else by the sequencer in a step of
// BIND, START, SET_REG, UNBIND and YIELD.
// Contract: docs/front.md R-FR-11 to R-FR-13, R-FR-25, R-FR-26, R-FR-28. A step's word is asked
// for in the cycle before.
module qsm_front_steps
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
(
  input  logic               clk_i,
  input  front_state_e       state_next_i,
  input  logic [4:0]         step_next_i,
  output logic [5:0]         word_next_o,
  input  logic [31:0]        word_i,          // that word, in the cycle after
  input  logic [1:0]         own_i,           // the launch has a mask, a policy of its own
  input  front_state_e       state_i,
  input  logic [4:0]         step_i,
  input  logic [KernelW-1:0] slot_i,
  input  logic               kill_i,
  input  logic [KernelW-1:0] kill_slot_i,
  input  logic [4:0]         setting_word_i,  // of the context, and the new value
  input  logic [31:0]        setting_i,
  input  logic [31:0]        walk_i,          // where the launch goes on
  input  logic [31:0]        threads_i,
  input  logic [31:0]        warps_i,
  input  logic [5:0]         granules_i,
  output logic [7:0]         offset_o,        // in the slot, but for IRQ; the sequencer's
  output logic [19:0]        addr_o,
  output logic [31:0]        wdata_o
);
  logic [4:0] bind_next, bind_q, context_word;
  logic own_setting;  // a step of START writes it
  always_comb begin
    // BIND: CTX = 0, then the context's words 3 to 11, 2, 1, 22, 0, 13 to 21.
    case (step_next_i) inside
      5'd10:         bind_next = 5'd2;
      5'd11:         bind_next = 5'd1;
      5'd12:         bind_next = 5'd22;
      5'd13:         bind_next = 5'd0;
      [5'd14:5'd31]: bind_next = step_next_i - 5'd1;
      default:       bind_next = step_next_i + 5'd2;
    endcase
    // START: words 0 to 7 of the descriptor, word 8 in its place among others, then own settings:
    // words 10 to 13, or 3 to 5 and 18 of the context.
    if (state_next_i == FrontStart)
      bind_next = (step_next_i == FrontStepPolicy) ? 5'd18 : step_next_i - 5'd12;
    word_next_o = {1'b0, bind_next};
    if (state_next_i == FrontStart) begin
      if (step_next_i < FrontStepMask)
        word_next_o = {1'b1, step_next_i[3] ? 5'd8 : {2'd0, step_next_i[2:0]}};
      else if (own_i[step_next_i == FrontStepPolicy])
        word_next_o = {1'b1, step_next_i - 5'd5};
    end
  end
  always_ff @(posedge clk_i) bind_q <= bind_next;
  assign context_word = (state_i == FrontSetReg) ? setting_word_i : bind_q;
  assign own_setting = state_i == FrontStart && step_i inside {[FrontStepMask:FrontStepPolicy]};

  always_comb begin
    case (context_word)
      5'd5:          offset_o = SlotSmMask2[7:0];
      5'd13:         offset_o = SlotBudget[7:0];
      5'd14:         offset_o = SlotIsoIpc[7:0];
      5'd15:         offset_o = SlotSaveBase[7:0];
      5'd16:         offset_o = SlotSaveLimit[7:0];
      5'd17:         offset_o = SlotIdempotent[7:0];
      5'd18:         offset_o = SlotCachePolicy[7:0];
      5'd19:         offset_o = SlotStack[7:0];
      5'd20:         offset_o = SlotSmCount[7:0];
      5'd21:         offset_o = SlotWarpCap[7:0];
      5'd22:         offset_o = SlotMemSplit[7:0];
      // CTX, GOAL, FIRST_QUOTA, the masks; the windows
      default:
        offset_o = {1'b0, context_word, 2'd0} - ((context_word > 5'd5) ? 8'd4 : 8'd0);
    endcase
    wdata_o = word_i | ((state_i == FrontBind && context_word == '0) ? 32'd1 : '0);
    if (state_i == FrontSetReg) wdata_o = setting_i;
    if (state_i == FrontUnbind || (state_i == FrontBind && step_i == '0)) begin
      offset_o = SlotCtx[7:0];
      wdata_o = '0;
    end
    if (state_i == FrontStart && !own_setting) begin
      offset_o = SlotEntry[7:0] + {1'b0, step_i, 2'd0} - ((step_i > 5'd10) ? 8'd12 : 8'd0);
      case (step_i)
        5'd8, 5'd9, 5'd10: begin
          offset_o = SlotWalkXy[7:0] + {4'd0, step_i[1:0], 2'd0};
          wdata_o = walk_i;
        end
        5'd11:   wdata_o = threads_i;
        5'd13:   wdata_o = warps_i;
        5'd14:   wdata_o = 32'(granules_i);
        FrontStepIrq: wdata_o = 32'd1 << slot_i;
        FrontStepLaunch: begin
          offset_o = SlotLaunch[7:0];
          wdata_o = 32'd1;
        end
        default: ;
      endcase
    end
    if (state_i == FrontYield) begin
      offset_o = SlotYield[7:0];
      wdata_o = 32'd1;
    end
    addr_o = SlotBase | {9'd0, 3'(slot_i), offset_o};
    if (state_i == FrontStart && step_i == FrontStepIrq) addr_o = RegIrq;
    if (kill_i) begin
      addr_o = SlotBase | {9'd0, 3'(kill_slot_i), SlotKill[7:0]};
      wdata_o = 32'd1;
    end
  end
endmodule
