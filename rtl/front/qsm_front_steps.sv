// SPDX-License-Identifier: Apache-2.0
// Which register is written, and with what: by the watchdog, else by the sequencer in a step of
// BIND, START, SET_REG, UNBIND and YIELD.
// Contract: docs/front.md R-FR-11 to R-FR-13, R-FR-25, R-FR-26, R-FR-28. A step's word and register
// are looked up in the cycle before, also in that before a state's first step, in the states that
// come before it.
module qsm_front_steps
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
(
  input  logic               clk_i,
  input  logic               look_i,          // the next step's word and register are looked up
  input  logic [4:0]         step_after_i,    // of BIND or START, if the state stays
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
  logic [4:0] step_next, context_next;
  logic [7:0] offset_next, offset_q;
  logic starts, with_own, is_ctx_q;
  always_comb begin
    starts = state_i inside {FrontLimit, FrontStart};
    step_next = step_after_i;
    if (state_i == FrontLimit) step_next = '0;
    if (state_i == FrontSlot) step_next = 5'd1;  // BIND without CTX = 0, which needs neither
    with_own = starts && step_next inside {[FrontStepMask:FrontStepPolicy]};
    // BIND: CTX = 0, then the context's words 3 to 11, 2, 1, 22, 0, 13 to 21.
    case (step_next) inside
      5'd10:         context_next = 5'd2;
      5'd11:         context_next = 5'd1;
      5'd12:         context_next = 5'd22;
      5'd13:         context_next = 5'd0;
      [5'd14:5'd31]: context_next = step_next - 5'd1;
      default:       context_next = step_next + 5'd2;
    endcase
    // START: words 0 to 7 of the descriptor, word 8 in its place among others, then own settings:
    // words 10 to 13, or 3 to 5 and 18 of the context.
    if (starts) context_next = (step_next == FrontStepPolicy) ? 5'd18 : step_next - 5'd12;
    if (state_i == FrontSet) context_next = setting_word_i;
    word_next_o = {1'b0, context_next};
    if (starts) begin
      if (step_next < FrontStepMask)
        word_next_o = {1'b1, step_next[3] ? 5'd8 : {2'd0, step_next[2:0]}};
      else if (own_i[step_next == FrontStepPolicy])
        word_next_o = {1'b1, step_next - 5'd5};
    end

    case (context_next)
      5'd5:          offset_next = SlotSmMask2[7:0];
      5'd13:         offset_next = SlotBudget[7:0];
      5'd14:         offset_next = SlotIsoIpc[7:0];
      5'd15:         offset_next = SlotSaveBase[7:0];
      5'd16:         offset_next = SlotSaveLimit[7:0];
      5'd17:         offset_next = SlotIdempotent[7:0];
      5'd18:         offset_next = SlotCachePolicy[7:0];
      5'd19:         offset_next = SlotStack[7:0];
      5'd20:         offset_next = SlotSmCount[7:0];
      5'd21:         offset_next = SlotWarpCap[7:0];
      5'd22:         offset_next = SlotMemSplit[7:0];
      // CTX, GOAL, FIRST_QUOTA, the masks; the windows
      default:
        offset_next = {1'b0, context_next, 2'd0} - ((context_next > 5'd5) ? 8'd4 : 8'd0);
    endcase
    if (starts && !with_own) begin
      offset_next = SlotEntry[7:0] + {1'b0, step_next, 2'd0} -
          ((step_next > 5'd10) ? 8'd12 : 8'd0);
      if (step_next inside {5'd8, 5'd9, 5'd10})
        offset_next = SlotWalkXy[7:0] + {4'd0, step_next[1:0], 2'd0};
      if (step_next == FrontStepLaunch) offset_next = SlotLaunch[7:0];
    end
  end
  always_ff @(posedge clk_i) begin
    if (look_i) begin
      offset_q <= offset_next;
      is_ctx_q <= context_next == '0;
    end
  end

  always_comb begin
    offset_o = offset_q;
    wdata_o = word_i | ((state_i == FrontBind && is_ctx_q) ? 32'd1 : '0);
    if (state_i == FrontSetReg) wdata_o = setting_i;
    if (state_i == FrontUnbind || (state_i == FrontBind && step_i == '0)) begin
      offset_o = SlotCtx[7:0];
      wdata_o = '0;
    end
    if (state_i == FrontStart) begin
      case (step_i)
        5'd8, 5'd9, 5'd10: wdata_o = walk_i;
        5'd11:             wdata_o = threads_i;
        5'd13:             wdata_o = warps_i;
        5'd14:             wdata_o = 32'(granules_i);
        FrontStepIrq:      wdata_o = 32'd1 << slot_i;
        FrontStepLaunch:   wdata_o = 32'd1;
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
