// SPDX-License-Identifier: Apache-2.0
// qsm_tb_save with its steps: every save, flush or restore that is begun ends once, as R-PE-17,
// -18, -20 and -21 say, and takes no more than a fixed number of cycles besides those in which it
// waits for the warps, the memory or its block's retirement. The block's warps answer at any time.
// What they say of their lanes stays as it is.
module formal_tb_save
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned MaxRows = 3  // lines of shared memory of a block
) (
  input logic                            clk_i,
  input desc_t [NumKernels-1:0]          desc_i,
  input logic  [NumKernels-1:0]          killed_i,
  input logic  [31:12]                   save_base_i,
  input dispatch_t                       message_i,
  input logic  [MaxTbs-1:0][SubW-1:0]    tb_first_i,
  input logic  [MaxTbs-1:0]              queued_i,
  input logic  [MaxTbs-1:0]              left_zero_i,
  input logic  [MaxTbs-1:0]              release_i,
  input logic                            retire_valid_i,
  input logic  [TbW-1:0]                 retire_tb_i,
  // Warps of the block: those that are resident, and what each says of itself.
  input logic  [WarpsPerSm-1:0]          found_i,
  input logic                            empty_i,
  input logic  [WarpsPerSm-1:0]          split_valid_i,
  input mask_t [WarpsPerSm-1:0]          live_i,
  input mask_t                           bar_i,
  input mask_t [WarpsPerSm-1:0]          path_mask_i,
  input step_lane_t                      lane_i,
  input logic                            done_i,
  input step_word_t                      word_i,
  input logic                            quiet_i,
  input logic                            drained_i
);
  localparam int unsigned CountW = $clog2(WarpsPerSm + 1);

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [MaxTbs-1:0]    valid_q;
  freeze_t              freeze, freeze_next, freeze_next_q;
  logic                 ran_q = 1'b0, gone_q;  // gone: what is frozen next has retired
  always_ff @(posedge clk_i) {ran_q, freeze_next_q} <= {rst_ni, freeze_next};
  always_ff @(posedge clk_i) gone_q <= retire_valid_i && retire_tb_i == freeze_next.tb;
  logic                 restoring, fresh, saved, evict, restored;
  tb_index_t            tb_index;
  save_phase_e          phase;
  step_find_t           find;
  step_t                step;
  step_op_t             step_op;
  step_warp_t           warp;
  logic [WidxW-1:0]     kept_q;  // the warp whose slot the sub-core has
  always_ff @(posedge clk_i) if (find.keep) kept_q <= find.widx;
  assign warp = '{found: found_i[find.widx], empty: empty_i, split_valid: split_valid_i[kept_q],
      live: live_i[kept_q], bar: bar_i};
  qsm_tb_save u_dut (
    .clk_i, .rst_ni, .desc_i, .killed_i, .save_base_i, .message_i, .tb_valid_i(valid_q),
    .tb_first_i, .queued_i, .left_zero_i, .release_i,
    .retire_valid_i, .retire_tb_i, .freeze_o(freeze), .freeze_next_o(freeze_next),
    .restoring_o(restoring), .fresh_o(fresh), .saved_o(saved), .evict_o(evict),
    .restored_o(restored),
    .tb_index_o(tb_index), .phase_o(phase), .step_find_o(find), .step_o(step),
    .step_op_o(step_op), .step_done_i(done_i), .step_warp_i(warp),
    .step_path_mask_i(path_mask_i[kept_q]), .step_lane_i(lane_i),
    .step_word_i(word_i),
    .quiet_i, .drained_i
  );

  // ---- A request as the page tells it ----
  logic               takes, open_q, evicted_q, killed, retires, ends;
  logic [1:0]         op_q;
  logic [TbW-1:0]     tb_q;
  logic [KernelW-1:0] kernel_q;
  logic [3:0]         image_q;
  logic [CountW-1:0]  warps_q;
  logic [18:0]        shared_q;
  logic               fresh_q, quiet_q, saves;  // quiet: R-PE-15 was met
  assign takes = message_i.valid && (message_i.op == OpRestore
                 || (message_i.op != OpNew && valid_q[message_i.tb] &&
                     !(retire_valid_i && retire_tb_i == message_i.tb)));
  assign saves = op_q != OpRestore;
  assign killed = killed_i[kernel_q];
  assign retires = retire_valid_i && retire_tb_i == tb_q;
  assign ends = open_q && (killed || restored || (saves && retires));
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {valid_q, open_q, evicted_q} <= '0;
    end else begin
      if (retire_valid_i) valid_q[retire_tb_i] <= 1'b0;
      if (message_i.valid && message_i.op inside {OpNew, OpRestore}) valid_q[message_i.tb] <= 1'b1;
      if (ends) open_q <= 1'b0;
      if (retires) evicted_q <= 1'b0;
      if (evict) evicted_q <= 1'b1;
      if (phase == PhQuiet && u_dut.quiet) quiet_q <= 1'b1;
      if (takes) begin
        {open_q, quiet_q} <= 2'b10;
        {op_q, tb_q, kernel_q, image_q} <= {message_i.op, message_i.tb, message_i.kernel,
            message_i.image};
        {warps_q, shared_q} <= {desc_i[message_i.kernel].warps[CountW-1:0],
            desc_i[message_i.kernel].shared};
        fresh_q <= message_i.op == OpRestore && message_i.fresh;
      end
    end
  end

  // ---- Time: cycles in which it did not wait, and how many of them there can be yet ----
  // Two for each place of the list; two for the last step and the end.
  localparam int unsigned L = WarpSize, Registers = 31, Loaded = 29;
  typedef logic [10:0] time_t;
  logic  [WarpsPerSm-1:0] found_q, split_valid_q, low;  // since it was quiet
  mask_t [WarpsPerSm-1:0] live_q, path_mask_q;
  time_t                 b, rows, i, part, shared_left, places, of_state, left, most, spent_q,
      seen_here;
  logic                  waits, second;

  // n places for each warp of the block
  function automatic time_t each(logic [CountW-1:0] warps, time_t n);
    each = '0;
    for (int unsigned w = 0; w < WarpsPerSm; w++) if (w < 32'(warps)) each += n;
  endfunction

  always_comb begin
    b = time_t'(warps_q);
    rows = time_t'((32'(shared_q) + LineBytes - 1) / LineBytes);
    i = time_t'(u_dut.u_steps.i_q);
    part = time_t'(u_dut.u_steps.part_q);
    second = u_dut.u_steps.new_q;
    waits = (phase == PhQuiet && !u_dut.quiet) ||
        (u_dut.u_steps.valid_q && !second && !done_i) ||
        (phase == PhWait && (evicted_q || (!u_dut.u_steps.valid_q && !drained_i))) ||
        (second && !saves && phase == PhHeader && part == 3 &&
            !(empty_i && !(message_i.valid && message_i.op == OpNew)));
    // A round over the rows of shared memory takes two places per warp and moves one row at least.
    shared_left = each(warps_q, time_t'(2 * (rows - time_t'(u_dut.u_steps.round_q)))) - i -
        ((part == 0) ? time_t'(0) : b);
    // A warp's state: the lanes of the split, one at least, are among those left until both SETs of
    // it are chosen.
    of_state = !u_dut.u_steps.known_q ? time_t'(2 * L + 3)
        : time_t'(2 * ($countones(u_dut.u_steps.rest_q) + 32'(u_dut.u_steps.dead_q)) + 2) -
            time_t'(u_dut.u_steps.second_q);
    most = time_t'(image_q) + 3;
    if (op_q == OpFlush) most += 2 * (b + 6);
    else if (saves) most += 2 * (each(warps_q, time_t'(1 + Registers + 2 * L + 3 + 1 + 2 * rows)) +
        1 + 6);
    else most += 2 * (fresh_q ? time_t'(4) : each(warps_q, time_t'(2 * rows + Loaded + 5)) + 4);
    places = '0;
    case (phase)
      PhRegisters: places = saves ? each(warps_q,
          time_t'(Registers + 1 - 32'(u_dut.u_steps.xreg_q) + 2 * L + 3 + 1 + 2 * rows)) - i + 1 + 6
                                : each(warps_q,
                                    time_t'(Loaded + 1 - 32'(u_dut.u_steps.xreg_q) + 5)) - i;
      PhState:     places = saves ? of_state
                                  + each(warps_q - CountW'(1) - CountW'(i), time_t'(2 * L + 3))
                                  + each(warps_q, 1 + 2 * rows) + 1 + 6
                                : each(warps_q, 5 - part) - i;
      PhFinished:  places = ((part == 0) ? 1 + b : b - i) + each(warps_q, 2 * rows) + 6;
      PhShared:    places = shared_left + (saves ? time_t'(6) : each(warps_q, time_t'(Loaded + 5)));
      PhHeader:    places = saves ? 6 - part : 4 - part +
          (fresh_q ? time_t'(0) : each(warps_q, time_t'(2 * rows + Loaded + 5)));
      default: ;
    endcase
    case (phase)
      PhAddress:   left = most - time_t'(u_dut.added_q);
      PhQuiet:     left = most - time_t'(image_q);
      PhFind:      left = most - time_t'(image_q) - 1 - 2 * i - time_t'(second);
      PhWait:      left = evicted_q ? '0 : time_t'(1) + time_t'(u_dut.u_steps.valid_q);
      default:     left = 2 * places - time_t'(second) + 2;
    endcase
    for (int unsigned w = 0; w < WarpsPerSm; w++) low[w] = w < 32'(i);
  end
  always_ff @(posedge clk_i) begin
    found_q <= found_i;
    {split_valid_q, live_q, path_mask_q} <= {split_valid_i, live_i, path_mask_i};
    spent_q <= !open_q ? '0 : spent_q + time_t'(!waits);
  end

  // ---- Surroundings ----
  logic stands, shaped, in_block, on_live;
  logic [MaxTbs-1:0] first_ok;
  always_comb begin
    for (int unsigned s = 0; s < MaxTbs; s++) first_ok[s] = 32'(tb_first_i[s]) < NumSched;
    shaped = 1'b1;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      if (desc_i[k].warps < 7'd1 || 32'(desc_i[k].warps) > WarpsPerSm ||
          32'(desc_i[k].shared) > MaxRows * LineBytes) shaped = 1'b0;
    end
    in_block = 1'b1;
    for (int unsigned w = 0; w < WarpsPerSm; w++) if (w >= 32'(b) && found_i[w]) in_block = 1'b0;
    stands = found_i == found_q &&
        (!saves || {split_valid_i, live_i, path_mask_i} == {split_valid_q, live_q, path_mask_q});
    on_live = 1'b1;
    for (int unsigned w = 0; w < WarpsPerSm; w++)
      if (split_valid_i[w] && (path_mask_i[w] == '0 || (path_mask_i[w] & ~live_i[w]) != '0))
        on_live = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // R-PE-3, R-PE-8: no request while one is under way, or before the block of the last one has
      // retired.
      assume (!message_i.valid || message_i.op == OpNew || (!open_q && !evicted_q));
      assume (!message_i.valid || !(message_i.op inside {OpNew, OpRestore}) ||
          !valid_q[message_i.tb]);
      assume (32'(message_i.image) < NumImages && shaped && &first_ok);
      // R-SM-4, R-PE-21
      assume (!retire_valid_i || (valid_q[retire_tb_i] && left_zero_i[retire_tb_i] &&
          !(open_q && !saves && retires)));
      // R-PE-15: nothing changes but by a kill
      assume (!(open_q && saves && quiet_q && !evicted_q && !killed &&
          (left_zero_i[tb_q] || release_i[tb_q])));
      assume (!open_q || !quiet_q || (stands && in_block && (found_i != '0) && on_live));
      // R-PE-13, R-WS-10: a restored block has all its warps
      assume (!open_q || !quiet_q || saves || 32'($countones(found_i)) == 32'(b));
      assume (!done_i || (step.valid && step.whole));
      told_ahead: assert (!ran_q || freeze == freeze_next_q || (gone_q && !freeze.valid));
      frozen_while_open: assert (freeze.valid == open_q &&
          (!open_q || (freeze.tb == tb_q && freeze.kernel == kernel_q)));
      restoring_while: assert (restoring == (open_q && !saves) && (!open_q || fresh == fresh_q));
      saved_once: assert (saved == evicted_q);
      if (evict)
        evicts_when: assert (open_q && saves && !evicted_q && phase == PhWait && drained_i &&
            !step.valid && !killed);
      if (restored)
        restored_when: assert (open_q && !saves && (killed || (phase == PhWait && drained_i &&
            !step.valid)));
      if (open_q && !saves && ends) tells_restored: assert (restored);
      if (step.valid) steps_when_quiet: assert (open_q && quiet_q && !evicted_q && !killed);
      if (!open_q) rests: assert (phase == PhIdle && !u_dut.u_steps.valid_q && !second);
      if (open_q)
        in_time: assert (spent_q <= most && left <= most - spent_q && (left != 0 || evicted_q));
      // For the induction: how it is kept.
      if (evicted_q) same_slot: assert (u_dut.tb_q == tb_q);
      on_sub_core: assert (32'(u_dut.u_steps.sub_q) < NumSched &&
          32'(u_dut.u_steps.f_sub_q) < NumSched && 32'(u_dut.u_steps.step_sub_q) < NumSched);
      if (open_q) begin
        job: assert (u_dut.op_q == op_q && op_q != OpNew && u_dut.image_q == image_q &&
            u_dut.warps_q == warps_q && u_dut.shared_q == shared_q
                     && b >= 1 && 32'(b) <= WarpsPerSm && 32'(rows) <= MaxRows &&
                         32'(image_q) < NumImages && phase != PhIdle && 32'(phase) <= 9);
        quiet_known: assert (quiet_q == !(phase inside {PhIdle, PhAddress, PhQuiet}));
        of_op: assert (saves ? !(op_q == OpFlush && phase
            inside {PhRegisters, PhState, PhFinished, PhShared})
            : !(phase inside {PhFind, PhFinished}));
        fresh_skips: assert (!(fresh_q && (saves || phase
            inside {PhShared, PhRegisters, PhState})));
        only_there: assert (!evicted_q || (saves && phase == PhWait));
        address: assert (phase != PhAddress || u_dut.added_q < image_q);
        warp_of_block: assert (i < b
                              && (time_t'(u_dut.u_steps.f_q) < b || !saves || phase
                                  inside {PhAddress, PhQuiet, PhFind}));
        first_found: assert (phase != PhFind || (found_q & low) == '0 || i == 0);
        parts: assert (phase != PhHeader || 32'(u_dut.u_steps.part_q) <= (saves ? 5 : 3));
        state_parts: assert (phase != PhState || saves || u_dut.u_steps.part_q <= 3'd4);
        two_parts: assert (!(phase inside {PhFinished, PhShared}) || u_dut.u_steps.part_q <= 3'd1);
        registers: assert (phase != PhRegisters ||
            (u_dut.u_steps.xreg_q != '0 && (saves || 32'(u_dut.u_steps.xreg_q) <= Loaded)));
        halves: assert ((!u_dut.u_steps.second_q || u_dut.u_steps.known_q) &&
            (!u_dut.u_steps.known_q || (phase == PhState && saves)));
        none_before: assert (!(second || u_dut.u_steps.valid_q) || (quiet_q && !evicted_q));
        no_place: assert (!second || phase != PhWait);
        whole_later: assert (!(second && u_dut.u_steps.valid_q) || !u_dut.u_steps.whole_q);
        if (second)
          place_found: assert (u_dut.u_steps.found_q ==
              found_q[u_dut.u_steps.at_first ? u_dut.u_steps.f_q : u_dut.u_steps.i_q]);
        if (u_dut.u_steps.known_q || (second && phase == PhState))
          place_kept: assert (kept_q == u_dut.u_steps.i_q);
        if (u_dut.u_steps.known_q) known_found: assert (found_q[u_dut.u_steps.i_q]);
        if (u_dut.u_steps.known_q && u_dut.u_steps.split_q) begin
          on_split: assert (split_valid_q[kept_q] && u_dut.u_steps.rest_q == live_q[kept_q]);
          sets: assert (!second || u_dut.u_steps.kind_q == StepSet);
          first_half: assert (u_dut.u_steps.second_q || second || !u_dut.u_steps.valid_q);
          second_half: assert (!u_dut.u_steps.second_q || second ||
              (u_dut.u_steps.valid_q && u_dut.u_steps.op_q.path_pc));
        end
        if (u_dut.u_steps.valid_q) sets_save: assert (saves || u_dut.u_steps.kind_q != StepSet);
        if (u_dut.u_steps.valid_q && !second && u_dut.u_steps.op_q.path_pc)
          of_split: assert (u_dut.u_steps.known_q && u_dut.u_steps.split_q &&
              u_dut.u_steps.second_q);
        split_read: assert (u_dut.u_steps.path_read_q == (u_dut.u_steps.known_q &&
            u_dut.u_steps.split_q && u_dut.u_steps.second_q && second));
        if (u_dut.u_steps.known_q && second) has_step: assert (u_dut.u_steps.valid_q);
        if (second && ((!saves && phase == PhHeader && part == 3) || phase == PhFind ||
            (saves && phase == PhState && !u_dut.u_steps.known_q)))
          no_step: assert (!u_dut.u_steps.valid_q);
        if (phase inside {PhQuiet, PhFind}) from_zero: assert (phase == PhFind || i == 0);
        if (phase == PhShared) begin
          some_rows: assert (rows != 0 && time_t'(u_dut.u_steps.round_q) < rows);
          row: assert (time_t'(u_dut.u_steps.row_q) == time_t'(u_dut.u_steps.round_q) +
              time_t'($countones(found_q & low))
                      && time_t'(u_dut.u_steps.row_q) <= rows);
          if (part == 0) row_left_over: assert (time_t'(u_dut.u_steps.row_q) < rows);
          else round_end: assert (i <= time_t'(u_dut.u_steps.end_q) &&
              time_t'(u_dut.u_steps.end_q) < b && seen_here != 0
                                  && time_t'(u_dut.u_steps.round_q) + seen_here <= rows
                                  && (time_t'(u_dut.u_steps.end_q) == b - 1 ||
                                      time_t'(u_dut.u_steps.round_q) + seen_here == rows));
        end
      end else no_evict: assert (!evict && !restored);
      evicted: cover (retire_valid_i && saved && op_q == OpFlush && !killed);
      by_itself: cover (ends && saves && retires && !evicted_q && !killed);
      restored_fresh: cover (restored && fresh_q && !killed);
      killed_late: cover (evicted_q && !open_q && retires);
      killed_restore: cover (restored && killed && phase == PhRegisters);
    end
  end
  always_comb begin
    seen_here = '0;
    for (int unsigned w = 0; w < WarpsPerSm; w++)
      if (w <= 32'(u_dut.u_steps.end_q)) seen_here += time_t'(found_q[w]);
  end
endmodule
