// SPDX-License-Identifier: Apache-2.0
// Generates the steps that save or restore a thread block, one after the other: the next step, its
// warp and its operands.
// Doc: docs/preemption.md (save area and image, R-PE-16 to R-PE-19).
// Contract: goes through the phases find to header, as given by phase_i; phase_done_o is 1 in the
// last cycle of each phase.
// Latency: the step comes from registers and the warp's state; its operands also from the warp's
// split, lane store and the block's index.
// Cost: one adder for all addresses, one multiplexer over the lanes of all sub-cores; about 40
// flip-flops, one per lane and one per warp.
module qsm_save_steps
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  localparam int unsigned CountW = $clog2(WarpsPerSm + 1),
  localparam int unsigned RowsW = $clog2(SharedRows + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  save_phase_e            phase_i,
  input  logic                   save_i,         // else restore
  input  logic                   go_i,           // the kernel is not killed
  input  logic [CountW-1:0]      warps_i,        // of the block
  input  logic [SubW-1:0]        first_i,        // sub-core of its warp 0
  input  logic [18:0]            shared_i,       // bytes
  input  logic [31:LineOffW]     base_i,         // of the image: a line
  input  logic [2:0][15:0]       block_i,        // index of the block that is saved
  input  logic [31:0]            linear_i,
  input  logic                   arrival_i,      // another block arrives
  output logic                   phase_done_o,
  output logic                   has_shared_o,
  output logic [31:LineOffW]     address_o,      // PhAddress: of the next image
  // Sub-cores
  output step_t [NumSched-1:0]   step_o,
  output logic  [WidxW-1:0]      step_widx_o,
  output logic  [31:0]           step_pc_o,
  output mask_t                  step_mask_o,
  output logic  [SubW-1:0]       step_sub_o,
  input  step_warp_t [NumSched-1:0] warp_i,
  input  split_t      [NumSched-1:0] path_i,
  input  lanes_t     [NumSched-1:0] lane_pc_i,
  input  logic       [NumSched-1:0][WarpSize-1:0][DepthW-1:0] lane_depth_i,
  input  logic       [NumSched-1:0] done_i
);
  localparam int unsigned LineW = $clog2(33 * WarpsPerSm + SharedRows + 4);
  localparam logic [SubW-1:0] LastSub = SubW'(NumSched - 1);
  typedef logic [LineW-1:0] line_t;
  typedef logic [RowsW-1:0] rows_t;

  // ---- Where it is ----
  // warp; first resident warp; last warp of a round over shared rows
  logic [WidxW-1:0] i_q, f_q, end_q;
  logic [SubW-1:0] sub_q, f_sub_q;        // their sub-cores
  logic [4:0] xreg_q;                 // PhRegisters
  logic [2:0] part_q;                     // of the phase
  rows_t row_q, round_q;                  // row of shared memory; the round's first
  mask_t lanes_q;                         // PhState: lanes whose state is in x31 and x30
  logic second_q;                         // x30's turn
  logic [WarpsPerSm-1:0] finished_q;      // warps found to have finished

  // ---- The warp ----
  logic at_first;
  logic [WidxW-1:0] widx;
  logic [SubW-1:0] sub, sub_next;
  step_warp_t warp;
  split_t split;
  logic done;
  assign at_first = save_i && phase_i inside {PhFinished, PhHeader};
  assign widx = at_first ? f_q : i_q;
  assign sub = at_first ? f_sub_q : sub_q;
  assign sub_next = (sub_q == LastSub) ? '0 : sub_q + SubW'(1);
  assign warp = warp_i[sub];
  assign split = path_i[sub];
  assign done = done_i[sub];

  // ---- Lanes whose state goes to x31 and x30 next: first the lanes of the active split, then the
  // other live lanes one by one, then the lanes that have exited ----
  mask_t alone, lanes;
  logic at_split, at_lane, at_store, bar;
  logic [31:0] lane_pc;
  logic [DepthW-1:0] lane_depth;
  assign alone = warp.live & ~lanes_q & (~(warp.live & ~lanes_q) + mask_t'(1));  // the lowest
  assign at_store = lanes_q == '1;
  assign at_split = warp.split_valid && lanes_q == '0;
  assign at_lane = !at_split && alone != '0;
  assign lanes = at_split ? split.mask : at_lane ? alone : ~warp.live;
  assign bar = (alone & warp.bar) != '0;

  always_comb begin
    lane_pc = '0;
    lane_depth = '0;
    for (int unsigned l = 0; l < WarpSize; l++) begin
      if (alone[l]) lane_pc |= lane_pc_i[sub][l];
      if (alone[l]) lane_depth |= lane_depth_i[sub][l];
    end
  end

  // ---- Lines and rows ----
  rows_t rows;
  logic has_rest;
  line_t line;
  logic [31:LineOffW] address, row_address;
  mask_t row_mask;
  assign has_rest = shared_i[LineOffW-1:0] != '0;
  assign rows = rows_t'(shared_i >> LineOffW) + rows_t'(has_rest);
  assign has_shared_o = rows != '0;

  always_comb begin
    line_t warp_lines, offset;
    warp_lines = (phase_i inside {PhAddress, PhShared}) ? line_t'(warps_i) : line_t'(i_q);
    unique case (phase_i)
      PhAddress:   offset = line_t'(rows);
      PhShared:    offset = line_t'(row_q);
      PhRegisters: offset = line_t'(xreg_q);
      PhFinished:  offset = line_t'(32);
      default: begin  // PhState
        offset = '0;
        if (save_i ? second_q : part_q == 3'd1) offset = line_t'(32);
        if (!save_i && part_q == 3'd3) offset = line_t'(30);
        if (!save_i && part_q == 3'd4) offset = line_t'(31);
      end
    endcase
    line = (warp_lines << 5) + warp_lines + offset + line_t'(3);
    if (phase_i == PhHeader) line = save_i ? line_t'(part_q[2:1]) : line_t'(part_q);
  end
  assign address = base_i + (32-LineOffW)'(line);
  assign address_o = address;

  assign row_address = {4'h1, (28-LineOffW)'(row_q)};
  for (genvar l = 0; l < WarpSize; l++) begin : g_row
    assign row_mask[l] = row_q < rows_t'(shared_i >> LineOffW) ||
        LineOffW'(4 * l) < shared_i[LineOffW-1:0];
  end

  // ---- The step ----
  logic step_valid, lane_step;
  step_e kind;
  logic [4:0] xreg;
  always_comb begin
    step_valid = phase_i inside {PhRegisters, PhState, PhFinished, PhShared, PhHeader};
    kind = save_i ? StepSt : StepLd;
    xreg = 5'd31;
    lane_step = 1'b0;
    unique case (phase_i)
      PhRegisters: xreg = xreg_q;
      PhState: if (save_i) begin
        xreg = second_q ? 5'd30 : 5'd31;
        if (!at_store) kind = StepSet;
        lane_step = at_lane;
      end else begin
        if (part_q inside {3'd1, 3'd3}) xreg = 5'd30;
        if (part_q == 3'd2) kind = StepJmp;
      end
      PhFinished: begin
        xreg = 5'd30;
        if (part_q == 3'd0) kind = StepSet;
        else step_valid = finished_q[i_q];
      end
      PhShared: if (save_i ? part_q == 3'd0 : part_q == 3'd1) kind = save_i ? StepLds : StepSts;
      PhHeader: if (save_i) begin
        if (!part_q[0]) kind = StepSet;
      end else begin
        xreg = 5'd31 - 5'(part_q);
        step_valid = part_q != 3'd3;
      end
      default: ;
    endcase
  end

  // AND-OR with one bit per source: half the logic of a multiplexer selected by phase and part.
  logic is_set, is_state, is_header, is_row, is_line;
  assign is_set = kind == StepSet;
  assign is_state = is_set && phase_i == PhState;
  assign is_header = is_set && phase_i == PhHeader;
  assign is_row = kind inside {StepSts, StepLds};
  assign is_line = kind inside {StepSt, StepLd};
  always_comb begin
    step_pc_o = '0;
    if (is_line) step_pc_o |= {address, LineOffW'(0)};
    if (is_row) step_pc_o |= {row_address, LineOffW'(0)};
    if (is_state && at_split && !second_q) step_pc_o |= split.pc;
    if (is_state && at_split && second_q) step_pc_o |= 32'({1'b1, split.depth});
    if (is_state && at_lane && !second_q) step_pc_o |= lane_pc;
    if (is_state && at_lane && second_q) step_pc_o |= 32'({bar, 1'b1, lane_depth});
    if (is_header && part_q[2:1] == 2'd0) step_pc_o |= block_i[1:0];
    if (is_header && part_q[2:1] == 2'd1) step_pc_o |= 32'(block_i[2]);
    if (is_header && part_q[2:1] == 2'd2) step_pc_o |= linear_i;

    step_mask_o = '1;
    if (is_row) step_mask_o = row_mask;
    if (is_state) step_mask_o = lanes;
  end

  always_comb begin
    for (int unsigned s = 0; s < NumSched; s++) begin
      step_o[s] = '{valid: step_valid && go_i && sub == SubW'(s), kind: kind, xreg: xreg,
          lane: lane_step};
    end
  end
  assign step_widx_o = widx;
  assign step_sub_o = sub;

  // ---- The way on ----
  logic goes_on, found, last_warp, last_row, warp_done, round_done;
  assign found = warp.found;
  // a step for a warp that is not resident takes one cycle
  assign goes_on = step_valid ? done || !found : 1'b1;
  assign last_warp = CountW'(i_q) + CountW'(1) == warps_i;
  assign last_row = row_q + rows_t'(found) == rows;

  // warp_done: continue with the next warp, or after the last warp with the next round over the
  // warps; then the phase may be done.
  always_comb begin
    warp_done = goes_on;
    round_done = last_warp;
    phase_done_o = 1'b0;
    unique case (phase_i)
      PhFind: begin
        warp_done = !found;
        phase_done_o = found;
      end
      PhRegisters: phase_done_o = goes_on && last_warp && xreg_q == (save_i ? 5'd31 : 5'd29);
      PhState: begin
        if (save_i) warp_done = !found || (done && at_store && second_q);
        phase_done_o = warp_done && last_warp && (save_i || part_q == 3'd4);
      end
      PhFinished: begin
        if (part_q == 3'd0) round_done = 1'b1;
        phase_done_o = goes_on && part_q == 3'd1 && last_warp;
      end
      PhShared: begin
        round_done = (part_q == 3'd0) ? last_warp || last_row : i_q == end_q;
        phase_done_o = goes_on && part_q == 3'd1 && round_done && last_row;
      end
      PhHeader: begin
        warp_done = goes_on;
        round_done = 1'b1;
        if (!save_i && part_q == 3'd3) warp_done = warp.empty && !arrival_i;
        phase_done_o = warp_done && part_q == (save_i ? 3'd5 : 3'd3);
      end
      default: warp_done = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      i_q <= '0;
      sub_q <= '0;
      f_q <= '0;
      f_sub_q <= '0;
      end_q <= '0;
      xreg_q <= '0;
      part_q <= '0;
      row_q <= '0;
      round_q <= '0;
      lanes_q <= '0;
      second_q <= 1'b0;
      finished_q <= '0;
    end else if (phase_done_o || phase_i inside {PhIdle, PhAddress, PhQuiet, PhWait}) begin
      i_q <= '0;
      sub_q <= first_i;
      xreg_q <= 5'd1;
      part_q <= '0;
      row_q <= '0;
      round_q <= '0;
      lanes_q <= '0;
      second_q <= 1'b0;
      if (phase_i == PhFind) begin
        f_q <= i_q;
        f_sub_q <= sub_q;
        finished_q <= '0;
      end
      if (phase_i == PhState && !found) finished_q[i_q] <= 1'b1;
    end else begin
      if (warp_done) begin
        i_q <= round_done ? '0 : i_q + WidxW'(1);
        sub_q <= round_done ? first_i : sub_next;
        lanes_q <= '0;
        second_q <= 1'b0;
        if (round_done) begin
          part_q <= (phase_i == PhShared) ? {2'd0, !part_q[0]} : part_q + 3'd1;
          xreg_q <= xreg_q + 5'd1;
        end
        if (phase_i == PhState && !found) finished_q[i_q] <= 1'b1;
        if (phase_i == PhShared) begin
          row_q <= row_q + rows_t'(found);
          if (part_q == 3'd0 && round_done) begin
            row_q <= round_q;
            end_q <= i_q;
          end
          if (part_q == 3'd1 && round_done) round_q <= row_q + rows_t'(found);
        end
      end else if (phase_i == PhState && done) begin  // the state of a warp takes several steps
        second_q <= !second_q;
        if (second_q) lanes_q <= lanes_q | lanes;
      end
    end
  end
endmodule
