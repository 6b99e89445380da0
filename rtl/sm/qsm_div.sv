// SPDX-License-Identifier: Apache-2.0
// Division unit of a sub-core: all lanes at once, one division at a time (issue keeps it so). Doc:
// docs/subcore.md (R-EX-3, R-IS-4).
// Operands with start_i in EX1 = t+2; the result is ready from t + DivLat on and stays until pop_i.
//
//   cycle   t+2   t+3      t+4 .. t+35   t+36   t+38
//           load  prepare  32 steps      fix    ready
module qsm_div
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic     clk_i,
  input  logic     rst_ni,
  input  logic     start_i,
  input  logic [1:0] funct_i,   // funct3[1:0]: bit 0 unsigned, bit 1 remainder
  input  lanes_t   a_i,
  input  lanes_t   b_i,
  input  logic [WarpW-1:0] warp_i,
  input  logic [4:0] rd_i,
  input  mask_t    mask_i,
  input  logic [SbW-1:0] entry_i,
  output logic     ready_o,
  output wb_t      result_o,    // valid = ready_o
  output logic [SbW-1:0] entry_o,
  input  logic     pop_i
);
  localparam int unsigned LoadedCount = DivLat - 3;  // count in cycle t+3
  localparam int unsigned Steps = 32;
  localparam int unsigned CountW = $clog2(LoadedCount + 1);

  logic busy_q, signed_q, rem_q;
  logic [CountW-1:0] count_q;
  logic [WarpW-1:0] warp_q;
  logic [4:0] rd_q;
  mask_t mask_q;
  logic [SbW-1:0] entry_q;
  logic prepare, step, fix;

  assign prepare = busy_q && count_q == CountW'(LoadedCount);
  assign step = busy_q && count_q < CountW'(LoadedCount) && count_q >= CountW'(LoadedCount - Steps);
  assign fix = busy_q && count_q == CountW'(LoadedCount - Steps - 1);
  assign ready_o = busy_q && count_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      count_q <= '0;
      signed_q <= 1'b0;
      rem_q <= 1'b0;
      warp_q <= '0;
      rd_q <= '0;
      mask_q <= '0;
      entry_q <= '0;
    end else if (start_i) begin
      busy_q <= 1'b1;
      count_q <= CountW'(LoadedCount);
      signed_q <= !funct_i[0];
      rem_q <= funct_i[1];
      warp_q <= warp_i;
      rd_q <= rd_i;
      mask_q <= mask_i;
      entry_q <= entry_i;
    end else begin
      if (pop_i) busy_q <= 1'b0;
      if (count_q != '0) count_q <= count_q - CountW'(1);
    end
  end

  lanes_t data;
  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    qsm_div_lane u_lane (
      .clk_i, .load_i(start_i), .prepare_i(prepare), .step_i(step), .fix_i(fix),
      .signed_i(signed_q), .rem_i(rem_q),
      .a_i(a_i[l]), .b_i(b_i[l]), .result_o(data[l])
    );
  end
  assign result_o = '{valid: ready_o, warp: warp_q, rd: rd_q, mask: mask_q, data: data};
  assign entry_o = entry_q;

`ifndef SYNTHESIS
  if (DivLat < Steps + 5) begin : g_illegal
    $fatal(1, "qsm_div: DivLat = %0d leaves no time for 32 steps", DivLat);
  end
  // R-IS-4: one division at a time.
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(start_i && busy_q));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(pop_i && !ready_o));
`endif
endmodule
