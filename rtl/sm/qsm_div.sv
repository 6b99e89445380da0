// SPDX-License-Identifier: Apache-2.0
// Division unit of a sub-core: one division at a time (issue keeps it so), of it DivGroup lanes at
// a time. Doc: docs/subcore.md (R-EX-3, R-IS-4).
// Operands with start_i in EX1 = t+2; the result is ready from the cycle of R-EX-3 on and stays
// until pop_i. All lanes at once:
//
//   cycle   t+2   t+3      t+4 .. t+35   t+36   t+38
//           load  prepare  32 steps      fix    ready
//
// Else operands and results of all lanes have registers, and each group of lanes with one of the
// mask takes a turn: it loads from there (the first in t+3), and its result is kept in the cycle
// after its fix, in which the next group loads. A turn has a step for two bits in each cycle, and
// half of them if the dividends of its lanes are short:
//
//   cycle   1     2        3 .. 18 (3 .. 10)   19 (11)
//           load  prepare  16 (8) steps        fix
//
// The data that leave are a register which is 0 but in the cycle of the pop, so WB needs no
// multiplexer for them.
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
  input  logic     next_i,      // what is ready in the next cycle is popped in it
  output wb_t      result_o,    // valid = ready_o; data are 0 but in its lanes when it is popped
  output logic [SbW-1:0] entry_o,
  input  logic     pop_i
);
  localparam int unsigned Groups = WarpSize / DivGroup;
  localparam int unsigned GroupW = (Groups == 1) ? 1 : $clog2(Groups);
  localparam int unsigned Keeps = (Groups == 1) ? 0 : 1;  // cycles for keeping a result
  localparam int unsigned Bits = (Groups == 1) ? 1 : 2;  // of the quotient in a step
  localparam int unsigned Steps = 32 / Bits;
  // count in prepare
  localparam int unsigned LoadedCount = (Groups == 1) ? DivLat - 3 : Steps + 3 + Keeps;
  localparam int unsigned FirstCount = (Groups == 1) ? LoadedCount : LoadedCount + 1;
  localparam int unsigned CountW = $clog2(FirstCount + 1);

  logic busy_q, ready_q, signed_q, rem_q;
  logic [CountW-1:0] count_q;
  logic [WarpW-1:0] warp_q;
  logic [4:0] rd_q;
  mask_t mask_q;
  logic [SbW-1:0] entry_q;
  logic prepare, step, last, fix, more;  // more: another group follows
  logic [DivGroup-1:0] shorts;           // the lane's dividend is short
  logic skip;                            // that of each lane of the turn that is in the mask is

  assign prepare = busy_q && count_q == CountW'(LoadedCount);
  assign step = busy_q && count_q < CountW'(LoadedCount) && count_q >= CountW'(LoadedCount - Steps);
  assign last = busy_q && count_q == CountW'(LoadedCount - Steps);
  assign fix = busy_q && count_q == CountW'(LoadedCount - Steps - 1);
  assign ready_o = ready_q;  // busy, and count_q is 0

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      ready_q <= 1'b0;
      count_q <= '0;
      signed_q <= 1'b0;
      rem_q <= 1'b0;
      warp_q <= '0;
      rd_q <= '0;
      mask_q <= '0;
      entry_q <= '0;
    end else if (start_i) begin
      busy_q <= 1'b1;
      ready_q <= 1'b0;
      count_q <= CountW'(FirstCount);
      signed_q <= !funct_i[0];
      rem_q <= funct_i[1];
      warp_q <= warp_i;
      rd_q <= rd_i;
      mask_q <= mask_i;
      entry_q <= entry_i;
    end else begin
      if (pop_i) busy_q <= 1'b0;
      ready_q <= (ready_q && !pop_i) ||
          (busy_q && count_q == CountW'(1) && !(fix && more));
      if (fix && more) count_q <= CountW'(FirstCount);
      else if (prepare && skip) count_q <= CountW'(LoadedCount - 1 - DivShort);
      else if (count_q != '0) count_q <= count_q - CountW'(1);
    end
  end

  logic load;
  logic [DivGroup-1:0][31:0] load_a, load_b, lane_data;
  for (genvar j = 0; j < DivGroup; j++) begin : g_lane
    qsm_div_lane #(.Bits(Bits)) u_lane (
      .clk_i, .load_i(load), .prepare_i(prepare), .short_o(shorts[j]), .skip_i(skip),
      .step_i(step), .last_i(last),
      .fix_i(fix),
      .signed_i(signed_q), .rem_i(rem_q),
      .a_i(load_a[j]), .b_i(load_b[j]), .result_o(lane_data[j])
    );
  end

  lanes_t data;  // from the cycle before it is ready on
  if (Groups == 1) begin : g_at_once
    assign load = start_i;
    assign load_a = a_i;
    assign load_b = b_i;
    assign data = lane_data;
    assign more = 1'b0;
    assign skip = 1'b0;
    logic unused_shorts;
    assign unused_shorts = ^shorts;
  end else begin : g_turns
    logic [Groups-1:0][DivGroup-1:0][31:0] a_q, b_q, kept_data_q;
    logic [Groups-1:0] left_q, left, next;  // groups that follow; of the next one
    logic [Groups-1:0] kept_q;              // its result is kept now
    logic [GroupW-1:0] group_q, next_group;

    always_comb begin
      for (int unsigned g = 0; g < Groups; g++)
        left[g] = start_i ? mask_i[g*DivGroup +: DivGroup] != '0 : left_q[g];
      next_group = '0;
      for (int unsigned g = Groups; g > 0; g--) if (left[g-1]) next_group = GroupW'(g - 1);
      next = '0;
      next[next_group] = 1'b1;
    end
    assign more = left_q != '0;
    assign skip = (mask_q[32'(group_q)*DivGroup +: DivGroup] & ~shorts) == '0;
    assign load = busy_q && count_q == CountW'(FirstCount);
    assign load_a = a_q[group_q];
    assign load_b = b_q[group_q];
    assign data = kept_data_q;

    always_ff @(posedge clk_i) begin
      if (start_i) begin
        a_q <= a_i;
        b_q <= b_i;
      end
      if (start_i || fix) begin
        left_q <= left & ~next;
        group_q <= next_group;
      end
      kept_q <= '0;
      kept_q[group_q] <= fix;
      for (int unsigned g = 0; g < Groups; g++) begin
        if (kept_q[g]) kept_data_q[g] <= lane_data;
      end
    end
  end
  lanes_t data_q;
  mask_t pops;
  assign pops = mask_q & {WarpSize{busy_q && next_i &&
      (count_q == CountW'(1) || (ready_o && !pop_i))}};
  always_ff @(posedge clk_i)
    for (int unsigned l = 0; l < WarpSize; l++) data_q[l] <= pops[l] ? data[l] : '0;
  assign result_o = '{valid: ready_o, warp: warp_q, rd: rd_q, mask: mask_q, data: data_q};
  assign entry_o = entry_q;

`ifndef SYNTHESIS
  if (Groups == 1 && DivLat < Steps + 5) begin : g_illegal
    $fatal(1, "qsm_div: DivLat = %0d leaves no time for 32 steps", DivLat);
  end
  if (Groups != 1 && (DivTurn != Steps + 3 || DivShort != Steps / 2 || DivRest != 5)) begin
    : g_illegal_turn
    $fatal(1, "qsm_div: a turn is load, prepare, steps and fix, with as many cycles around it");
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) ready_q == (busy_q && count_q == '0))
    else $error("R-EX-3: a division is ready when its count has come to 0");
  // R-IS-4: one division at a time.
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(start_i && busy_q));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(start_i && mask_i == '0));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(pop_i && !ready_o));
`endif
endmodule
