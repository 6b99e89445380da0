// SPDX-License-Identifier: Apache-2.0
// Shared multiply and divide unit of the QoS manager.
//
// Contract: start_i takes the operands; {hi_o, lo_o} := a * b (+ 2^32 - 1 if round_up_i, so that
//   hi_o is the product divided by 2^32, rounded up). With divide_i the product is then divided
//   by d: lo_o = quotient, hi_o = remainder, unless it is 2^32 or more (then overflow_o; so too
//   if d = 0). With short_i the limit is 2^22. done_o is 1 while the unit rests; results stay
//   until the next start, which may come at once.
// Latency: done_o rises 4 cycles after start_i, with divide_i 20, with short_i too 15.
// Cost: a 48 x 16 multiplier (DSP blocks on FPGA), two 49-bit subtractors, 250 flip-flops.
// Doc: docs/qos_mgr.md, R-QM-11.
module qsm_qos_arith (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,     // only while done_o
  input  logic        divide_i,
  input  logic        short_i,     // the quotient has 22 bits
  input  logic        round_up_i,
  input  logic [47:0] a_i,
  input  logic [31:0] b_i,
  input  logic [47:0] d_i,
  output logic        done_o,
  output logic [47:0] hi_o,
  output logic [31:0] lo_o,
  output logic        rest_o,      // hi_o is not 0
  output logic        overflow_o
);
  // steps: first digit, second digit while the first is added
  localparam int unsigned LastMul = 2;
  localparam int unsigned LastDiv = 15, LastShort = 10;  // two quotient bits each

  typedef enum logic [1:0] {StIdle, StMultiply, StDivide} state_e;

  state_e      state_q, state_d;
  logic [3:0]  step_q, step_d;
  logic        divide_q, short_q, excess_q, overflow_q, rest_q;
  logic [47:0] a_q, d_q, hi_q, hi_d;
  logic [31:0] lo_q, lo_d;

  // Multiplication: the digits of b leave lo at the bottom, those of the product enter at the top.
  logic [15:0] digit;
  logic [63:0] partial_q, sum;
  assign digit = (step_q == '0) ? lo_q[15:0] : lo_q[31:16];
  assign sum   = 64'(hi_q) + partial_q;
  always_ff @(posedge clk_i) partial_q <= 64'(a_q) * 64'(digit);

  // Restoring division, two bits: the remainder is in hi, the quotient enters lo at the bottom.
  logic [48:0] shifted1, minus1, shifted2, minus2;
  logic [47:0] rest1, rest2;
  assign shifted1 = {hi_q, lo_q[31]};
  assign minus1   = shifted1 - {1'b0, d_q};
  assign rest1    = minus1[48] ? shifted1[47:0] : minus1[47:0];
  assign shifted2 = {rest1, lo_q[30]};
  assign minus2   = shifted2 - {1'b0, d_q};
  assign rest2    = minus2[48] ? shifted2[47:0] : minus2[47:0];

  always_comb begin
    state_d = state_q;
    step_d  = step_q + 4'd1;
    hi_d    = hi_q;
    lo_d    = lo_q;
    case (state_q)
      StMultiply: begin
        if (step_q != '0) {hi_d, lo_d} = {sum, lo_q[31:16]};
        if (step_q == 4'(LastMul)) begin
          step_d  = '0;
          state_d = divide_q ? StDivide : StIdle;
          if (short_q) {hi_d, lo_d} = {sum[53:0], lo_q[31:16], 10'd0};
        end
      end
      StDivide: begin
        hi_d = rest2;
        lo_d = {lo_q[29:0], !minus1[48], !minus2[48]};
        if (step_q == (short_q ? 4'(LastShort) : 4'(LastDiv))) state_d = StIdle;
      end
      default: begin
        step_d = '0;
        if (start_i) begin
          state_d = StMultiply;
          hi_d    = round_up_i ? 48'hffff_ffff : '0;
          lo_d    = b_i;
        end
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= StIdle;
      step_q     <= '0;
      divide_q   <= 1'b0;
      short_q    <= 1'b0;
      excess_q   <= 1'b0;
      overflow_q <= 1'b0;
      rest_q     <= 1'b0;
      a_q        <= '0;
      d_q        <= '0;
      hi_q       <= '0;
      lo_q       <= '0;
    end else begin
      state_q <= state_d;
      step_q  <= step_d;
      hi_q    <= hi_d;
      lo_q    <= lo_d;
      rest_q  <= hi_d != '0;
      if (start_i) begin
        divide_q <= divide_i;
        short_q  <= short_i;
        a_q      <= a_i;
        d_q      <= d_i;
      end
      if (state_q == StMultiply) excess_q <= short_q && (sum[63:54] != '0);
      if (state_q == StDivide && step_q == '0) overflow_q <= excess_q || (hi_q >= d_q);
    end
  end

  assign done_o     = (state_q == StIdle);
  assign hi_o       = hi_q;
  assign lo_o       = lo_q;
  assign rest_o     = rest_q;
  assign overflow_o = overflow_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !start_i || done_o)
    else $error("R-QM-11: arithmetic started while busy");
`endif
endmodule
