// SPDX-License-Identifier: Apache-2.0
// Shared multiply and divide unit of the QoS manager.
//
// Contract: start_i takes the operands; {hi_o, lo_o} := a * b (+ 2^32 - 1 if round_up_i, so that
//   hi_o is the product divided by 2^32, rounded up). With divide_i the product is then divided
//   by d: lo_o = quotient, hi_o = remainder, unless it is 2^32 or more (then overflow_o; so too
//   if d = 0). done_o is 1 while the unit rests; results stay until the next start, which may
//   come at once.
// Latency: done_o rises 1 + 32/MulDigit cycles after start_i, 16 more with divide_i.
// Cost: a 48 x MulDigit multiplier (DSP blocks on FPGA), two 49-bit subtractors, 180 flip-flops.
// Doc: docs/qos_mgr.md, R-QM-11.
module qsm_qos_arith #(
  parameter int unsigned MulDigit = 16  // bits of b multiplied per cycle: 16 or 32
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,     // only while done_o
  input  logic        divide_i,
  input  logic        round_up_i,
  input  logic [47:0] a_i,
  input  logic [31:0] b_i,
  input  logic [47:0] d_i,
  output logic        done_o,
  output logic [47:0] hi_o,
  output logic [31:0] lo_o,
  output logic        overflow_o
);
  localparam int unsigned MUL_CYCLES = 32 / MulDigit;
  localparam int unsigned DIV_CYCLES = 16;  // two quotient bits each

  if (MulDigit != 16 && MulDigit != 32) $error("qsm_qos_arith: MulDigit must be 16 or 32");

  typedef enum logic [1:0] {Idle, Multiply, Divide} state_e;

  state_e      state_q, state_d;
  logic [3:0]  step_q, step_d;
  logic        divide_q, overflow_q;
  logic [47:0] a_q, d_q, hi_q, hi_d;
  logic [31:0] lo_q, lo_d;

  // Multiplication: the digits of b leave lo at the bottom, those of the product enter at the top.
  logic [47+MulDigit:0] partial;
  logic [79:0]          product;
  assign partial = (48+MulDigit)'(hi_q) + (48+MulDigit)'(a_q) * (48+MulDigit)'(lo_q[MulDigit-1:0]);
  assign product = 80'({partial, lo_q} >> MulDigit);

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
      Multiply: begin
        {hi_d, lo_d} = product;
        if (step_q == 4'(MUL_CYCLES - 1)) begin
          step_d  = '0;
          state_d = divide_q ? Divide : Idle;
        end
      end
      Divide: begin
        hi_d = rest2;
        lo_d = {lo_q[29:0], !minus1[48], !minus2[48]};
        if (step_q == 4'(DIV_CYCLES - 1)) state_d = Idle;
      end
      default: begin
        step_d = '0;
        if (start_i) begin
          state_d = Multiply;
          hi_d    = round_up_i ? 48'hffff_ffff : '0;
          lo_d    = b_i;
        end
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= Idle;
      step_q     <= '0;
      divide_q   <= 1'b0;
      overflow_q <= 1'b0;
      a_q        <= '0;
      d_q        <= '0;
      hi_q       <= '0;
      lo_q       <= '0;
    end else begin
      state_q <= state_d;
      step_q  <= step_d;
      hi_q    <= hi_d;
      lo_q    <= lo_d;
      if (start_i) begin
        divide_q <= divide_i;
        a_q      <= a_i;
        d_q      <= d_i;
      end
      if (state_q == Divide && step_q == '0) overflow_q <= (hi_q >= d_q);
    end
  end

  assign done_o     = (state_q == Idle);
  assign hi_o       = hi_q;
  assign lo_o       = lo_q;
  assign overflow_o = overflow_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !start_i || done_o)
    else $error("R-QM-11: arithmetic started while busy");
`endif
endmodule
