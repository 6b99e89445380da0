// SPDX-License-Identifier: Apache-2.0
// Floating-point division and square root of a sub-core: all lanes at once, one instruction at a
// time (issue keeps it so, with the integer division).
// Doc: docs/fpu.md (R-FP-6, R-FP-8). Operands with start_i in EX1 = t+2; the result is ready from t
// + FpDivLat on and stays until pop_i.
//
//   cycle   t+2   t+3 .. t+7   t+8 .. t+33   t+34
//           load  normalise    26 steps      ready
module qsm_fp_div
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             start_i,
  input  fp_t              fp_i,      // FpDiv or FpSqrt
  input  lanes_t           a_i,
  input  lanes_t           b_i,
  input  logic [WarpW-1:0] warp_i,
  input  logic [4:0]       rd_i,
  input  mask_t            mask_i,
  input  logic [SbW-1:0]   entry_i,
  output logic             ready_o,
  output wb_t              result_o,  // valid = ready_o
  output logic [SbW-1:0]   entry_o,
  input  logic             pop_i
);
  localparam int unsigned Steps = 26;
  localparam int unsigned LoadedCount = FpDivLat - 3;  // count in cycle t+3
  localparam int unsigned CountW = $clog2(LoadedCount + 1);

  logic busy_q, sqrt_q;
  rm_e rm_q;
  logic [CountW-1:0] count_q;
  logic [WarpW-1:0] warp_q;
  logic [4:0] rd_q;
  mask_t mask_q;
  logic [SbW-1:0] entry_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      count_q <= '0;
      sqrt_q <= 1'b0;
      rm_q <= RmNearEven;
      warp_q <= '0;
      rd_q <= '0;
      mask_q <= '0;
      entry_q <= '0;
    end else if (start_i) begin
      busy_q <= 1'b1;
      count_q <= CountW'(LoadedCount);
      sqrt_q <= fp_i.op == FpSqrt;
      rm_q <= fp_i.rm;
      warp_q <= warp_i;
      rd_q <= rd_i;
      mask_q <= mask_i;
      entry_q <= entry_i;
    end else begin
      if (pop_i) busy_q <= 1'b0;
      if (count_q != '0) count_q <= count_q - CountW'(1);
    end
  end
  assign ready_o = busy_q && count_q == '0;

  logic normalise, step;
  logic [3:0] amount;
  logic signed [9:0] lowest;
  assign normalise = count_q > CountW'(Steps);
  assign step = count_q != '0 && !normalise;
  always_comb begin
    unique case (count_q)
      CountW'(LoadedCount), CountW'(LoadedCount - 1): amount = 4'd8;
      CountW'(LoadedCount - 2): amount = 4'd4;
      CountW'(LoadedCount - 4): amount = 4'd1;
      default: amount = 4'd2;
    endcase
  end
  // Step n = Steps - count, from 0 on, makes the digit of exponent e - n; the guard of the least
  // subnormals has exponent -23.
  assign lowest = 10'(Steps - 24) - 10'(count_q);

  lanes_t data;
  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    qsm_fp_div_lane u_lane (
      .clk_i, .load_i(start_i), .normalise_i(normalise), .step_i(step),
      .last_i(count_q == CountW'(1)), .done_i(ready_o), .amount_i(amount), .lowest_i(lowest),
      .sqrt_i(start_i ? fp_i.op == FpSqrt : sqrt_q), .rm_i(rm_q), .a_i(a_i[l]), .b_i(b_i[l]),
      .result_o(data[l])
    );
  end
  assign result_o = '{valid: ready_o, warp: warp_q, rd: rd_q, mask: mask_q, data: data};
  assign entry_o = entry_q;

  logic unused;
  assign unused = ^fp_i;

`ifndef SYNTHESIS
  if (LoadedCount != Steps + 5) begin : g_illegal
    $fatal(1, "qsm_fp_div: FpDivLat = %0d is not the time of its steps", FpDivLat);
  end
  // R-IS-4: one division at a time.
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(start_i && busy_q));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(pop_i && !ready_o));
`endif
endmodule
