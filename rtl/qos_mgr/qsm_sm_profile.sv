// SPDX-License-Identifier: Apache-2.0
// Profile of the SM manager: the record of each kernel, and what follows from it alone.
//
// Contract: takes the sums of an epoch's instructions, one slot after the other. Of each it makes
//   the lead over its goal (R-SG-5), says whether it is behind, needs an SM or gives one (R-SG-8);
//   for Spart it tells the adjustment by how many SMs the slot goes up or down (R-SG-9), for the
//   slot that settles whether its last move changed its IPC (R-SG-6). commit_i ends an epoch.
// Latency: a slot takes 16 cycles, 14 more if it settles, 2 * CountW + SM_STEP more with Spart.
// Cost: a multiplier of two bits per cycle, one 64-bit adder, 64 + 62 bits of RAM per slot.
// Doc: docs/sm_mgr.md.
module qsm_sm_profile #(
  parameter  int unsigned NumSms     = 4,
  parameter  int unsigned NumKernels = 4,
  parameter  int unsigned SumW       = 34,  // bits of an epoch's instructions on all SMs
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
  // sums
  input  logic                        sum_valid_i,
  output logic                        sum_ready_o,
  input  logic [KernelW-1:0]          sum_kernel_i,
  input  logic [SumW-1:0]             sum_i,
  // verdicts, of slots whose record is long enough
  output logic                        idle_o,
  output logic [NumKernels-1:0]       behind_o,
  output logic [NumKernels-1:0]       needs_o,
  output logic [NumKernels-1:0]       gives_o,
  // Spart: the count of slot kernel_o, and by which pulses it changes
  input  logic [NumKernels-1:0]       rate_i,        // slots of which the linear model is asked
  output logic [KernelW-1:0]          kernel_o,
  input  logic [CountW-1:0]           count_i,
  input  logic [CountW-1:0]           most_i,        // that a slot may have
  input  logic [2:0]                  step_i,        // that it may change, 1..4
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
  localparam int unsigned AtW = $clog2(2 * NumKernels);

  // StGoal: GOAL * T; StInsn: + instructions; StGain: - goal; StLead: + lead; StAhead: - goal;
  // StVerdict; StRate: count times the gain, the other way round; StStep: one SM up or down;
  // StThreshold: i_last * threshold; StNow, StBefore, StChange, StHit: change of the instructions
  // against it.
  typedef enum logic [3:0] {StIdle, StGoal, StInsn, StGain, StLead, StAhead, StVerdict, StRate,
      StStep, StThreshold, StNow, StBefore, StChange, StHit} state_e;

  state_e             state_q, state_d;
  logic [3:0]         step_q, step_d;
  logic [KernelW-1:0] kernel_q;
  logic               start;
  logic [63:0]        acc_q;  // of the adder

  // ---- Records ----
  // Memories: what they hold counts once run is set.
  logic [NumKernels-1:0] run_q, seen_q, behind_q, needs_q, gives_q;
  logic [63:0]           lead_q [NumKernels];
  logic [30:0]           insn_q [2*NumKernels];  // of the last epoch; before each slot's last move
  logic [AtW-1:0]        insn_at, insn_to;
  logic [30:0]           insn, insn_new;
  logic [63:0]           lead;
  assign lead = run_q[kernel_q] ? lead_q[kernel_q] : '0;
  assign insn = insn_q[insn_at];

  always_comb begin
    insn_at = AtW'(kernel_q);
    if (state_q inside {StThreshold, StBefore})
      insn_at = AtW'(kernel_q) + AtW'(NumKernels);
    if (commit_i) insn_at = AtW'(move_kernel_i);
    insn_to  = AtW'(sum_kernel_i);
    insn_new = (SumW > 31 && (sum_i >> 31) != '0) ? '1 : 31'(sum_i);
    if (commit_i) begin
      insn_to  = AtW'(move_kernel_i) + AtW'(NumKernels);
      insn_new = insn;
    end
  end
  always_ff @(posedge clk_i) begin
    if (start || (commit_i && move_i)) insn_q[insn_to] <= insn_new;
    if (state_q == StAhead) lead_q[kernel_q] <= acc_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q  <= '0;
      seen_q <= '0;
    end else begin
      if (commit_i) begin
        run_q  <= run_q | (seen_q & valid_i);
        seen_q <= seen_q | (had_tb_i & valid_i);
      end
      for (int unsigned k = 0; k < NumKernels; k++) begin
        if (clear_i[k]) begin
          run_q[k]  <= 1'b0;
          seen_q[k] <= 1'b0;
        end
      end
    end
  end

  // ---- Multiplier: the digits of lo leave at the bottom, those of the product enter at the top
  logic [31:0] factor, hi_q;
  logic [33:0] hi_sum;
  logic [19:0] lo_q;
  logic        multiply;
  assign multiply = state_q inside {StGoal, StThreshold};
  assign factor   = (state_q == StGoal) ? goal_i[kernel_q] : 32'(insn);
  assign hi_sum   = 34'(hi_q) + (lo_q[0] ? 34'(factor) : '0) + (lo_q[1] ? {1'b0, factor, 1'b0} :
      '0);

  // ---- The adder: instructions and goals of Q47.16 ----
  logic [63:0] base, term, sum, product;
  logic        subtract, carry, positive;
  logic        rated_q, behind_e_q, ahead_e_q;  // it issued; behind, ahead in this epoch
  logic        bit_now, last_bit;
  logic [CountW-1:0] bits;                      // of the count, the highest not yet done on top
  assign product  = 64'({hi_q, lo_q});
  assign positive = !acc_q[63] && acc_q != '0;
  assign bits     = count_i << step_q[3:1];
  assign bit_now  = bits[CountW-1];
  assign last_bit = 32'(step_q) == 2 * CountW - 1;

  always_comb begin
    base     = acc_q;
    term     = 64'(insn) << 16;
    subtract = 1'b0;
    carry    = 1'b0;
    case (state_q)
      StInsn, StNow: base = '0;
      StGain, StAhead: begin
        term     = product;
        subtract = 1'b1;
        carry    = 1'b1;
      end
      StLead: term = lead;
      StVerdict: begin
        base = '0;
        term = '0;
      end
      StRate: begin
        // count * (goal - instructions) - 1, so that the sign tells above 0 from the rest
        if (!step_q[0]) base = acc_q << 1;
        if (!step_q[0]) term = product;
        if (!bit_now) term = '0;
        subtract = step_q[0];
        carry    = step_q[0] && !last_bit;
      end
      StStep: begin
        subtract = up_o;
        carry    = up_o;
      end
      StBefore: begin
        subtract = 1'b1;
        carry    = 1'b1;
      end
      StChange: begin
        term     = product;
        subtract = !out_i;
        carry    = !out_i;
      end
      default: ;
    endcase
    sum = base + (subtract ? ~term : term) + 64'(carry);
  end

  // Up: the model says more than the slot has. Down: it says at least one less.
  assign up_o   = state_q == StStep && rated_q && !acc_q[63] && count_i < most_i;
  assign down_o = state_q == StStep && rated_q && sum[63] && !up_o && count_i != CountW'(1);

  // ---- Order ----
  assign sum_ready_o = state_q == StIdle;
  assign start       = sum_ready_o && sum_valid_i;
  always_comb begin
    state_d = state_q;
    step_d  = '0;
    case (state_q)
      StIdle: if (start) state_d = StGoal;
      StGoal, StThreshold: begin
        step_d = step_q + 4'd1;
        if (32'(step_q) == MulSteps - 1) begin
          step_d  = '0;
          state_d = (state_q == StGoal) ? StInsn : StNow;
        end
      end
      StInsn: state_d = StGain;
      StGain: state_d = StLead;
      StLead: state_d = StAhead;
      StAhead: state_d = StVerdict;
      StVerdict: begin
        state_d = StIdle;
        if (rate_i[kernel_q]) state_d = StRate;
        if (settling_i && settling_kernel_i == kernel_q) state_d = StThreshold;
      end
      StRate: begin
        step_d = step_q + 4'd1;
        if (last_bit) begin
          step_d  = '0;
          state_d = StStep;
        end
      end
      StStep: begin
        step_d = step_q + 4'd1;
        if (4'(step_i) == step_d) state_d = StIdle;
      end
      StNow: state_d = StBefore;
      StBefore: state_d = StChange;
      StChange: state_d = StHit;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= StIdle;
      step_q     <= '0;
      kernel_q   <= '0;
      hi_q       <= '0;
      lo_q       <= '0;
      acc_q      <= '0;
      rated_q    <= 1'b0;
      behind_e_q <= 1'b0;
      ahead_e_q  <= 1'b0;
      behind_q   <= '0;
      needs_q    <= '0;
      gives_q    <= '0;
      hit_o      <= 1'b0;
    end else begin
      state_q <= state_d;
      step_q  <= step_d;
      if (start) kernel_q <= sum_kernel_i;
      if (multiply) {hi_q, lo_q} <= {hi_sum, lo_q[19:2]};
      if (start) {hi_q, lo_q} <= 52'(epoch_len_i);
      if (state_q == StVerdict && state_d == StThreshold) {hi_q, lo_q} <= 52'(threshold_i);
      if (state_q != StStep || up_o || down_o) acc_q <= sum;
      if (state_q == StGain) rated_q <= positive && seen_q[kernel_q];
      if (state_q == StLead) begin
        behind_e_q <= acc_q[63];
        ahead_e_q  <= positive;
      end
      if (state_q == StAhead) behind_q[kernel_q] <= acc_q[63];
      if (state_q == StVerdict) begin
        needs_q[kernel_q] <= behind_q[kernel_q] || behind_e_q;
        gives_q[kernel_q] <= !behind_q[kernel_q] && ahead_e_q && positive;
      end
      if (state_q == StHit) hit_o <= out_i ? acc_q[63] : positive;
    end
  end

  assign idle_o   = state_q == StIdle;
  assign kernel_o = kernel_q;
  assign behind_o = behind_q & seen_q;
  assign needs_o  = needs_q & seen_q;
  assign gives_o  = gives_q & seen_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !commit_i || idle_o)
    else $error("R-SG-11: the records are not ready in time");
`endif
endmodule
