// SPDX-License-Identifier: Apache-2.0
// Profile of the SM manager: the record of each kernel, and what follows from it alone.
//
// Contract: begin_i says that the epoch's instructions are summed. Of each slot, one after the
//   other, it makes the lead over its goal (R-SG-5), says whether it is behind, needs an SM or
//   gives one (R-SG-8); for Spart it tells the adjustment by how many SMs the slot goes up or down
//   (R-SG-9), with sm_rollover whether by one (R-SG-16), for the slot that settles whether its last
//   move changed its IPC (R-SG-6). commit_i ends an epoch.
// Latency: a slot takes 15 cycles, 13 more if it settles, CountW - 1 more if it is rated; there the
//   last one's steps are as many more as it has.
// Cost: a multiplier of two bits per cycle, one 64-bit adder, 64 + 31 bits of RAM per slot.
// Doc: docs/sm_mgr.md.
module qsm_sm_profile #(
  parameter  int unsigned NumSms     = 4,
  parameter  int unsigned NumKernels = 4,
  localparam int unsigned CountW     = $clog2(NumSms + 1),
  localparam int unsigned KernelW    = (NumKernels > 1) ? $clog2(NumKernels) : 1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic [NumKernels-1:0]       valid_i,
  input  logic [NumKernels-1:0]       clear_i,       // pulse: forget the record
  input  logic                        commit_i,      // the epoch's last cycle here, D
  input  logic [NumKernels-1:0]       had_tb_i,      // had a block in it
  input  logic [19:0]                 epoch_len_i,   // its T
  input  logic [NumKernels-1:0][31:0] goal_i,        // IPC, Q16.16
  // sums of instructions, steady from begin_i to commit_i
  input  logic                        begin_i,
  input  logic [NumKernels-1:0][30:0] insn_i,
  // verdicts, of slots whose record is long enough
  output logic                        idle_o,
  output logic [NumKernels-1:0]       behind_o,
  output logic [NumKernels-1:0]       needs_o,
  output logic [NumKernels-1:0]       gives_o,
  output logic [NumKernels-1:0]       ample_o,       // ahead by more than an epoch's
  // Spart, sm_rollover: the count of slot kernel_o, and by which pulses it changes
  input  logic [NumKernels-1:0]       rate_i,        // slots of which the linear model is asked
  input  logic                        both_i,        // sm_rollover
  input  logic [NumKernels-1:0][30:0] common_insn_i, // of insn_i, those on the common SM
  input  logic [NumKernels-1:0]       limited_i,     // its quota held it back
  output logic [KernelW-1:0]          kernel_o,
  input  logic [CountW-1:0]           count_i,
  input  logic [CountW-1:0]           most_i,        // that a slot may have
  input  logic [2:0]                  step_i,        // that it may change, 1..4; sm_rollover: 2
  output logic                        up_o,
  output logic                        down_o,
  // the slot that settles; its last move took an SM away
  input  logic                        settling_i,
  input  logic [KernelW-1:0]          settling_kernel_i,
  input  logic                        out_i,
  input  logic [15:0]                 threshold_i,   // Q0.16
  output logic                        hit_o,         // its IPC changed by more
  // with commit_i: this slot begins a move
  input  logic                        move_i,
  input  logic [KernelW-1:0]          move_kernel_i
);
  localparam int unsigned MulSteps = 10;  // two bits of 20 each
  localparam logic [KernelW-1:0] LastSlot = KernelW'(NumKernels - 1);

  // StGoal: GOAL * T, beside it lead + instructions; StLead: - goal, the new lead; StAhead: - goal;
  // StGain: instructions - goal; StOwn: with sm_rollover - those on the common SM; StVerdict;
  // StRate: count times that, from StVerdict on; StStep: one SM up or down, while the next slot's
  // GOAL * T begins (sm_rollover: twice the product + instructions, - those on the common SM);
  // StThreshold: i_last * threshold; StBefore, StChange, StHit: change of the instructions against
  // it.
  typedef enum logic [3:0] {StIdle, StGoal, StLead, StAhead, StGain, StOwn, StVerdict, StRate,
      StStep, StThreshold, StBefore, StChange, StHit} state_e;

  state_e             state_q, state_d;
  logic [3:0]         step_q, step_d;
  logic [KernelW-1:0] kernel_q, next_kernel, goal_kernel, insn_kernel;
  logic               last_slot, done;  // done: with the slot
  logic [63:0]        acc_q;            // of the adder
  assign last_slot   = kernel_q == LastSlot;
  assign next_kernel = last_slot ? '0 : kernel_q + KernelW'(1);

  // ---- Records ----
  // Memories: what they hold counts once run is set.
  // ahead: of the goal by more than an epoch's
  logic [NumKernels-1:0] run_q, seen_q, ample_q, behind_q, ahead_q, needs_q, gives_q;
  logic [63:0]           lead_q [NumKernels];
  logic [30:0]           last_q [NumKernels];  // instructions of the epoch before the last move
  logic [30:0]           insn, last, issued;  // issued: on all SMs, or on the common one
  logic [63:0]           lead;
  assign lead        = run_q[kernel_q] ? lead_q[kernel_q] : '0;
  assign insn_kernel = commit_i ? move_kernel_i : kernel_q;
  assign insn        = insn_i[insn_kernel];
  assign last        = last_q[kernel_q];
  always_ff @(posedge clk_i) begin
    if (commit_i && move_i) last_q[move_kernel_i] <= insn;
    if (state_q == StAhead && valid_i[kernel_q]) lead_q[kernel_q] <= acc_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q   <= '0;
      seen_q  <= '0;
      ample_q <= '0;
    end else begin
      if (commit_i) begin
        run_q   <= run_q | (seen_q & valid_i);
        seen_q  <= seen_q | (had_tb_i & valid_i);
        ample_q <= (seen_q & valid_i & ahead_q) | (ample_q & ~(seen_q & valid_i));
      end
      for (int unsigned k = 0; k < NumKernels; k++) begin
        if (clear_i[k]) begin
          run_q[k]   <= 1'b0;
          seen_q[k]  <= 1'b0;
          ample_q[k] <= 1'b0;
        end
      end
    end
  end

  // ---- Multiplier: the digits of lo leave at the bottom, those of the product enter at the top.
  // Between products it keeps the gain for StRate.
  logic [31:0] factor, hi_q;
  logic [33:0] hi_sum;
  logic [19:0] lo_q;
  logic        sign_q;  // of the gain
  logic        multiply;
  assign multiply = state_q inside {StGoal, StStep, StThreshold};
  always_comb begin
    goal_kernel = (state_q == StStep) ? next_kernel : kernel_q;
    factor      = (state_q == StThreshold) ? 32'(last) : goal_i[goal_kernel];
    hi_sum      = 34'(hi_q) + (lo_q[0] ? 34'(factor) : '0) + (lo_q[1] ? {1'b0, factor, 1'b0} : '0);
  end

  // ---- The adder: instructions and goals of Q47.16 ----
  logic [63:0]       base, term, sum, product, now;
  logic              subtract, carry, positive;
  logic              rated_q;           // what StStep says counts
  logic              rating, bit_now, last_bit, of_common, first_half;
  logic [CountW-1:0] bits;              // of the count, the highest not yet done on top
  assign product  = {{12{sign_q}}, hi_q, lo_q};
  assign of_common = both_i && (state_q == StOwn || (state_q == StStep && !first_half));
  assign issued   = of_common ? common_insn_i[kernel_q] : insn;
  assign now      = 64'(issued) << 16;
  assign positive = !acc_q[63] && acc_q != '0;
  assign first_half = both_i && step_q == '0;
  assign rating   = state_q inside {StVerdict, StRate};
  assign bits     = count_i << step_q;
  assign bit_now  = bits[CountW-1];
  assign last_bit = 32'(step_q) == CountW - 1;

  always_comb begin
    base     = acc_q;
    term     = product;
    subtract = 1'b1;
    case (state_q)
      StGoal: begin
        base     = lead;
        term     = now;
        subtract = 1'b0;
      end
      StGain: base = now;
      StOwn: term = both_i ? now : '0;
      StVerdict, StRate: begin
        base = (state_q == StRate) ? acc_q << 1 : '0;
        if (!bit_now) term = '0;
      end
      StStep: begin
        if (first_half) base = acc_q << 1;
        term     = now;
        subtract = both_i ? !first_half : up_o;
      end
      StBefore: begin
        base = now;
        term = 64'(last) << 16;
      end
      StChange: subtract = !out_i;
      default: ;
    endcase
    // count * -gain - 1, so that the sign tells above 0 from the rest
    carry = subtract && !(rating && last_bit);
    sum   = base + (subtract ? ~term : term) + 64'(carry);
  end

  // Up: the model says more than the slot has. Down: it says at least one less. With sm_rollover:
  // behind and short of its goal, but not of quota; ahead, and 2 * count * (goal - own) + own <= 0.
  logic steps, rises;
  assign steps  = state_q == StStep && rated_q && !first_half;
  assign rises  = both_i ? needs_q[kernel_q] : !acc_q[63];
  assign up_o   = steps && rises && (both_i ? !limited_i[kernel_q] : count_i < most_i);
  assign down_o = steps && (both_i ? ahead_q[kernel_q] : !up_o) && sum[63] &&
      count_i != CountW'(!both_i);

  // ---- Order ----
  always_comb begin
    state_d = state_q;
    step_d  = '0;
    done    = 1'b0;
    case (state_q)
      StIdle: if (begin_i) state_d = StGoal;
      StGoal, StThreshold: begin
        step_d = step_q + 4'd1;
        if (32'(step_q) == MulSteps - 1) begin
          step_d  = '0;
          state_d = (state_q == StGoal) ? StLead : StBefore;
        end
      end
      StLead: state_d = StAhead;
      StAhead: state_d = StGain;
      StGain: state_d = StOwn;
      StOwn: state_d = StVerdict;
      StVerdict, StRate: begin
        if (settling_i && settling_kernel_i == kernel_q) begin
          state_d = StThreshold;
        end else if (!rate_i[kernel_q]) begin
          done = 1'b1;
        end else if (last_bit) begin
          state_d = StStep;
        end else begin
          state_d = StRate;
          step_d  = step_q + 4'd1;
        end
      end
      StStep: begin
        step_d = step_q + 4'd1;  // digits of the next product, too
        done   = 4'(step_i) == step_d;
      end
      StBefore: state_d = StChange;
      StChange: state_d = StHit;
      default: done = 1'b1;
    endcase
    if (done) state_d = last_slot ? StIdle : StGoal;
    if (state_d == StIdle) step_d = '0;
  end

  logic goal_begins;
  assign goal_begins = state_d inside {StGoal, StStep} && !(state_q inside {StGoal, StStep});
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= StIdle;
      step_q   <= '0;
      kernel_q <= '0;
      sign_q   <= 1'b0;
      hi_q     <= '0;
      lo_q     <= '0;
      acc_q    <= '0;
      rated_q  <= 1'b0;
      ahead_q  <= '0;
      behind_q <= '0;
      needs_q  <= '0;
      gives_q  <= '0;
      hit_o    <= 1'b0;
    end else begin
      state_q <= state_d;
      step_q  <= step_d;
      if (done) kernel_q <= next_kernel;
      if (multiply) {hi_q, lo_q} <= {hi_sum, lo_q[19:2]};
      if (goal_begins) {sign_q, hi_q, lo_q} <= 53'(epoch_len_i);
      if (state_d == StThreshold && state_q == StVerdict)
        {sign_q, hi_q, lo_q} <= 53'(threshold_i);
      if (state_q == StOwn) {sign_q, hi_q, lo_q} <= sum[52:0];
      if (state_q != StStep || up_o || down_o || first_half) acc_q <= sum;
      if (state_q == StAhead) behind_q[kernel_q] <= acc_q[63];
      if (state_q == StGain) ahead_q[kernel_q] <= positive;
      if (state_q == StOwn) begin
        rated_q           <= (insn != '0 || both_i) && seen_q[kernel_q];
        needs_q[kernel_q] <= both_i ? behind_q[kernel_q] && acc_q[63]
            : behind_q[kernel_q] || acc_q[63];
        gives_q[kernel_q] <= !behind_q[kernel_q] && ahead_q[kernel_q] && positive;
      end
      if (state_q == StHit) hit_o <= out_i ? acc_q[63] : positive;
    end
  end

  assign idle_o   = state_q == StIdle;
  assign kernel_o = kernel_q;
  assign behind_o = behind_q & seen_q;
  assign needs_o  = needs_q & seen_q;
  assign gives_o  = gives_q & seen_q;
  assign ample_o  = ample_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !commit_i || idle_o)
    else $error("R-SG-11: the records are not ready in time");
`endif
endmodule
