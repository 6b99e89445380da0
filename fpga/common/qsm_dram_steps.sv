// SPDX-License-Identifier: Apache-2.0
// Starts a memory behind LiteDRAM by accesses of its control registers (Wishbone): does the steps
// of a table one after the other, among them tries with each setting of how reads are caught, of
// which the best is kept for each lane (a byte of the data pins). Contract: docs/board.md R-BD-12,
// R-BD-18 to R-BD-20.
module qsm_dram_steps
  import qsm_dram_steps_pkg::*;
#(
  parameter int unsigned Steps = 1,
  parameter int unsigned Lanes = 2,
  parameter int unsigned Slips = 4,   // bit slips and
  parameter int unsigned Delays = 8,  // delays that there are: powers of two
  parameter step_t [Steps-1:0] Table = '0  // the first one at the top, as it is written
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        ready_o,   // all steps have been done
  output logic        failed_o,  // none of the settings is right
  output logic        wb_cyc_o,
  output logic        wb_stb_o,
  output logic        wb_we_o,
  output logic [29:0] wb_adr_o,  // of words
  output logic [31:0] wb_dat_o,
  output logic [3:0]  wb_sel_o,
  input  logic [31:0] wb_dat_i,
  input  logic        wb_ack_i
);
  localparam int unsigned StepW = $clog2(Steps + 1);
  localparam int unsigned DelayW = $clog2(Delays);
  localparam int unsigned TryW = DelayW + $clog2(Slips);
  localparam int unsigned RunW = $clog2(Delays + 1);
  localparam int unsigned LaneW = (Lanes > 1) ? $clog2(Lanes) : 1;
  if (1 << TryW != Slips * Delays || 32 % (8 * Lanes) != 0) begin : g_illegal
    $fatal(1, "qsm_dram_steps: Slips %0d, Delays %0d, Lanes %0d", Slips, Delays, Lanes);
  end

  logic [StepW-1:0] step_q, step_d, try_step_q, try_step_d;
  logic [15:0] wait_q, wait_d;
  logic cyc_q, cyc_d;
  logic [TryW-1:0] count_q, count_d;  // of a repeated step: done
  logic [TryW-1:0] try_q, try_d;      // number of a try: its bit slip, its delay
  logic tried_q, tried_d;             // all
  logic [Lanes-1:0] good_q, good_d;
  // Of each lane: delays good in a row, the longest row, and its last try.
  logic [Lanes-1:0][RunW-1:0] run_q, run_d, best_q, best_d;
  logic [Lanes-1:0][TryW-1:0] best_try_q, best_try_d;

  step_t now;
  always_comb begin
    now = '0;
    for (int unsigned s = 0; s < Steps; s++) if (step_q == StepW'(s)) now = Table[Steps-1-s];
  end

  // The middle of the longest row: its delay, and the bit slip that the row is of.
  logic [LaneW-1:0] lane;
  logic [TryW-1:0] middle, times;
  assign lane = now.data[LaneW-1:0];
  always_comb begin
    middle = best_try_q[lane] - (TryW'(best_q[lane]) >> 1);
    unique case (now.op)
      OpSlips: times = TryW'(middle[TryW-1:DelayW]);
      OpDelays: times = TryW'(middle[DelayW-1:0]);
      OpSlip: times = TryW'(try_q[DelayW-1:0] == '0);
      default: times = TryW'(1);
    endcase
  end

  logic [Lanes-1:0] equal;
  always_comb begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      equal[l] = 1'b1;
      for (int unsigned b = l; b < 4; b += Lanes)
        if (wb_dat_i[8*b +: 8] != now.data[8*b +: 8]) equal[l] = 1'b0;
    end
  end

  logic accesses, done, fails;
  assign done = step_q == StepW'(Steps);
  always_comb begin
    accesses = 1'b1;
    unique case (now.op)
      OpTry, OpJudge, OpAgain, OpRequire: accesses = 1'b0;
      OpSlip, OpSlips, OpDelays: accesses = count_q != times;
      default: accesses = 1'b1;
    endcase
  end
  assign fails = !done && now.op == OpRequire && good_q != '1;

  always_comb begin
    step_d = step_q;
    try_step_d = try_step_q;
    wait_d = wait_q;
    cyc_d = cyc_q;
    count_d = count_q;
    try_d = try_q;
    tried_d = tried_q;
    good_d = good_q;
    run_d = run_q;
    best_d = best_q;
    best_try_d = best_try_q;
    if (cyc_q) begin
      if (wb_ack_i) begin
        cyc_d = 1'b0;
        wait_d = now.pause;
        if (now.op == OpMatch) good_d = good_q & equal;
        if (now.op == OpSeen) good_d = good_q & wb_dat_i[Lanes-1:0];
        if (now.op == OpSlip || now.op == OpSlips || now.op == OpDelays)
          count_d = count_q + TryW'(1);
        else
          step_d = step_q + StepW'(1);
      end
    end else if (wait_q != '0) begin
      wait_d = wait_q - 16'd1;
    end else if (!done && accesses) begin
      cyc_d = 1'b1;
    end else if (!done && !fails) begin
      step_d = step_q + StepW'(1);
      count_d = '0;
      if (now.op == OpTry) begin
        try_step_d = step_q;
        good_d = '1;
      end
      if (now.op == OpAgain && !tried_q) step_d = try_step_q;
      if (now.op == OpJudge) begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          run_d[l] = good_q[l] ? run_q[l] + RunW'(1) : '0;
          if (run_d[l] > best_q[l]) begin
            best_d[l] = run_d[l];
            best_try_d[l] = try_q;
          end
          if (&try_q[DelayW-1:0]) run_d[l] = '0;
        end
        try_d = try_q + TryW'(1);
        tried_d = tried_q || (&try_q);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= '0;
      try_step_q <= '0;
      wait_q <= '0;
      cyc_q <= 1'b0;
      count_q <= '0;
      try_q <= '0;
      tried_q <= 1'b0;
      good_q <= '1;
      run_q <= '0;
      best_q <= '0;
      best_try_q <= '0;
    end else begin
      step_q <= step_d;
      try_step_q <= try_step_d;
      wait_q <= wait_d;
      cyc_q <= cyc_d;
      count_q <= count_d;
      try_q <= try_d;
      tried_q <= tried_d;
      good_q <= good_d;
      run_q <= run_d;
      best_q <= best_d;
      best_try_q <= best_try_d;
    end
  end
  assign ready_o = done;
  assign failed_o = fails;
  assign wb_cyc_o = cyc_q;
  assign wb_stb_o = cyc_q;
  assign wb_we_o = now.op != OpMatch && now.op != OpSeen;
  assign wb_sel_o = '1;
  assign wb_adr_o = 30'(now.addr[AddrW-1:2]);
  assign wb_dat_o = now.data;
  logic unused;
  assign unused = ^now.addr[1:0];
endmodule
