// SPDX-License-Identifier: Apache-2.0
// Generates the steps that save or restore a thread block, one after the other: the next step, its
// warp and its operands.
// Doc: docs/preemption.md (save area and image, R-PE-16 to R-PE-19).
// Contract: goes through the phases find to header, as given by phase_i; phase_done_o is 1 in the
// last cycle of each phase. Its last step may still wait then: busy_o.
// Latency: each place of the list is chosen in a cycle, in which its warp is searched, and left in
// the next, at whose end the operands are registers. The place behind is chosen in the cycle in
// which the step is done, so there is a step in every second cycle at most.
// Cost: one adder for all addresses; about 100 flip-flops, two per lane.
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
  output logic                   busy_o,         // a step waits
  output logic                   has_shared_o,
  output logic [31:LineOffW]     address_o,      // PhAddress: of the next image
  // Sub-cores
  output step_find_t             find_o,
  output step_t [NumSched-1:0]   step_o,
  output step_op_t               step_op_o,
  output logic  [SubW-1:0]       step_sub_o,
  input  step_warp_t [NumSched-1:0] warp_i,
  input  mask_t      [NumSched-1:0] path_mask_i,  // of the step's warp, in the cycle after it
  input  step_lane_t [NumSched-1:0] lane_i,
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
  logic [4:0] xreg_q;                     // PhRegisters
  logic [2:0] part_q;                     // of the phase
  rows_t row_q, round_q;                  // row of shared memory; the round's first
  // PhState of a save: what is left to be put into x31 and x30 of the warp, once that is known: its
  // split, lanes one by one, lanes that have exited
  logic known_q, split_q, dead_q;
  logic path_read_q;                      // the split's mask is there
  mask_t rest_q;
  logic second_q;                         // x30's turn
  // The place was chosen in the cycle before, and its warp is resident.
  logic new_q, found_q;
  logic stays, last_warp, last_row, warp_done, round_done, phase_done;  // below
  rows_t row_next;

  // ---- The step that waits ----
  logic valid_q, whole_q;
  step_e kind_q;
  logic [4:0] step_xreg_q;
  logic [SubW-1:0] step_sub_q;
  step_op_t op_q;
  step_warp_t warp;
  step_lane_t lane;
  logic done, asks, gets;
  assign warp = warp_i[step_sub_q];
  logic unused;
  assign unused = warp.found;  // is of the warp that is sought
  assign done = done_i != '0;
  assign lane = lane_i[step_sub_q];
  // a SET of a lane's value
  assign asks = valid_q && go_i && !new_q && !whole_q;
  assign gets = asks && lane.given;
  assign busy_o = valid_q;

  for (genvar s = 0; s < NumSched; s++) begin : g_sub
    logic here;
    assign here = step_sub_q == SubW'(s);
    assign step_o[s] = '{valid: valid_q && go_i && here, whole: whole_q, asks: asks && here,
        kind: kind_q, xreg: step_xreg_q};
  end
  assign step_op_o = op_q;
  assign step_sub_o = step_sub_q;

  // ---- The choice ----
  logic choose, at_first, in_place, wanted, found;
  logic at_lane, at_dead, at_store;
  logic [WidxW-1:0] widx;
  logic [SubW-1:0] sub;
  assign choose = !new_q && (!valid_q || done) && phase_i
      inside {PhFind, PhRegisters, PhState, PhFinished, PhShared, PhHeader};
  assign at_first = save_i && (phase_i == PhHeader || (phase_i == PhFinished && !part_q[0]));
  assign widx = at_first ? f_q : i_q;
  assign sub = at_first ? f_sub_q : sub_q;
  assign found = warp_i[sub].found;
  // The stores for finished warps i are steps of f, whose slot is kept from the step before.
  assign in_place = phase_i == PhFinished && part_q[0];
  assign find_o = '{keep: choose && !in_place, widx: widx};

  assign at_lane = !split_q && rest_q != '0;
  assign at_dead = !split_q && rest_q == '0 && dead_q;
  assign at_store = !split_q && rest_q == '0 && !dead_q;

  step_e kind;
  logic [4:0] xreg;
  always_comb begin
    wanted = found;
    kind = save_i ? StepSt : StepLd;
    xreg = 5'd31;
    unique case (phase_i)
      PhRegisters: xreg = xreg_q;
      PhState: if (save_i) begin
        wanted = found && known_q;
        xreg = second_q ? 5'd30 : 5'd31;
        if (!at_store) kind = StepSet;
      end else begin
        if (part_q inside {3'd1, 3'd3}) xreg = 5'd30;
        if (part_q == 3'd2) kind = StepJmp;
      end
      PhFinished: begin
        xreg = 5'd30;
        if (in_place) wanted = !found;
        else kind = StepSet;
      end
      PhShared: if (save_i ? part_q == 3'd0 : part_q == 3'd1) kind = save_i ? StepLds : StepSts;
      PhHeader: if (save_i) begin
        if (!part_q[0]) kind = StepSet;
      end else begin
        xreg = 5'd31 - 5'(part_q);
        wanted = found && part_q != 3'd3;
      end
      default: wanted = 1'b0;  // PhFind
    endcase
  end

  // ---- The operands, in the cycle after the choice ----
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

  // AND-OR with one bit per source: half the logic of a multiplexer selected by phase and part.
  logic is_set, is_state, is_header, is_row, is_line, of_lane;
  mask_t lowest;
  step_op_t op;
  assign is_set = kind_q == StepSet;
  assign is_state = is_set && phase_i == PhState;
  assign is_header = is_set && phase_i == PhHeader;
  assign is_row = kind_q inside {StepSts, StepLds};
  assign is_line = kind_q inside {StepSt, StepLd};
  assign of_lane = is_state && at_lane;
  assign lowest = rest_q & (~rest_q + mask_t'(1));
  always_comb begin
    op = '{kind: kind_q, xreg: step_xreg_q, path_pc: is_state && split_q && !second_q,
        path_depth: is_state && split_q && second_q, pc: '0, mask: '1};
    if (is_line) op.pc |= {address, LineOffW'(0)};
    if (is_row) op.pc |= {row_address, LineOffW'(0)};
    if (op.path_depth) op.pc |= 32'd32;
    if (is_header && part_q[2:1] == 2'd0) op.pc |= block_i[1:0];
    if (is_header && part_q[2:1] == 2'd1) op.pc |= 32'(block_i[2]);
    if (is_header && part_q[2:1] == 2'd2) op.pc |= linear_i;

    if (is_row) op.mask = row_mask;
    if (is_state) op.mask = at_dead ? ~warp.live : lowest;
  end

  // The value of a lane comes in the cycle after its read of the lane store.
  logic bar;
  assign bar = (op_q.mask & warp.bar) != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      new_q <= 1'b0;
      valid_q <= 1'b0;
      whole_q <= 1'b0;
      found_q <= 1'b0;
      kind_q <= StepSt;
      step_xreg_q <= '0;
      step_sub_q <= '0;
    end else begin
      if (choose) begin
        found_q <= found;
        kind_q <= kind;
        step_xreg_q <= xreg;
        if (!in_place) step_sub_q <= sub;
      end
      if (choose || done || !go_i) valid_q <= choose && go_i && wanted;
      if (choose) whole_q <= 1'b0;
      else if (new_q) whole_q <= !of_lane;
      else if (gets) whole_q <= 1'b1;
      new_q <= go_i && (choose || (new_q && stays));
    end
  end
  always_ff @(posedge clk_i) begin
    if (new_q) op_q <= op;
    else if (gets) op_q.pc <= step_xreg_q[0] ? {lane.pc, 2'b00} : 32'({bar, 1'b1, lane.depth});
  end

  // ---- The way on, in the cycle after the choice ----
  assign last_warp = CountW'(i_q) + CountW'(1) == warps_i;
  assign row_next = row_q + rows_t'(found_q);
  assign last_row = row_next == rows;

  // warp_done: continue with the next warp, or after the last warp with the next round over the
  // warps; then the phase may be done.
  always_comb begin
    warp_done = 1'b1;
    round_done = last_warp;
    phase_done = 1'b0;
    stays = 1'b0;
    unique case (phase_i)
      PhFind: phase_done = found_q;
      PhRegisters: phase_done = last_warp && xreg_q == (save_i ? 5'd31 : 5'd29);
      PhState: begin
        if (save_i) warp_done = !found_q || (known_q && at_store && second_q);
        phase_done = warp_done && last_warp && (save_i || part_q == 3'd4);
      end
      PhFinished: begin
        if (!in_place) round_done = 1'b1;
        phase_done = in_place && last_warp;
      end
      PhShared: begin
        round_done = (part_q == 3'd0) ? last_warp || last_row : i_q == end_q;
        phase_done = part_q == 3'd1 && round_done && last_row;
      end
      PhHeader: begin
        round_done = 1'b1;
        stays = !save_i && part_q == 3'd3 && !(warp.empty && !arrival_i);
        warp_done = !stays;
        phase_done = !stays && part_q == (save_i ? 3'd5 : 3'd3);
      end
      default: ;
    endcase
  end
  assign phase_done_o = new_q && phase_done;

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
      known_q <= 1'b0;
      split_q <= 1'b0;
      dead_q <= 1'b0;
      rest_q <= '0;
      second_q <= 1'b0;
      path_read_q <= 1'b0;
    end else begin
      if (phase_done_o || phase_i inside {PhIdle, PhAddress, PhQuiet, PhWait}) begin
        i_q <= '0;
        sub_q <= first_i;
        xreg_q <= 5'd1;
        part_q <= '0;
        row_q <= '0;
        round_q <= '0;
        known_q <= 1'b0;
        second_q <= 1'b0;
        if (phase_i == PhFind) begin
          f_q <= i_q;
          f_sub_q <= sub_q;
        end
      end else if (new_q && warp_done) begin
        i_q <= round_done ? '0 : i_q + WidxW'(1);
        sub_q <= (round_done) ? first_i : (sub_q == LastSub) ? '0 : sub_q + SubW'(1);
        known_q <= 1'b0;
        second_q <= 1'b0;
        if (round_done) begin
          part_q <= (phase_i == PhShared) ? {2'd0, !part_q[0]} : part_q + 3'd1;
          xreg_q <= xreg_q + 5'd1;
        end
        if (phase_i == PhShared) begin
          row_q <= row_next;
          if (part_q == 3'd0 && round_done) begin
            row_q <= round_q;
            end_q <= i_q;
          end
          if (part_q == 3'd1 && round_done) round_q <= row_next;
        end
      end else if (new_q && phase_i == PhState) begin  // the state of a warp takes several steps
        known_q <= 1'b1;
        second_q <= known_q && !second_q;
        if (!known_q) begin
          split_q <= warp.split_valid;
          rest_q <= warp.live;
          dead_q <= warp.live != '1;
        end else if (second_q) begin
          split_q <= 1'b0;
          if (!split_q) rest_q <= rest_q & ~lowest;
          if (at_dead) dead_q <= 1'b0;
        end
      end
      // Which lanes are on the split is read behind its first SET; no step but the second asks
      // before.
      path_read_q <= done && op_q.path_pc;
      if (path_read_q) rest_q <= rest_q & ~path_mask_i[step_sub_q];
    end
  end
endmodule
