// SPDX-License-Identifier: Apache-2.0
// Sequencer of an SM: saves, flushes or restores one thread block by steps that its sub-cores take
// as instructions of the block's warps.
// Doc: docs/preemption.md (R-PE-12 to R-PE-21).
// Contract: a message for a slot comes only while no job of this SM is under way (R-PE-3, R-PE-8).
// Latency: message seen in a: the slot is frozen from a + 1 on. A step per two cycles at best
// (qsm_save_steps).
// Cost: about 200 flip-flops for the job and the words of a header, the index of the block in each
// slot in block RAM.
//
// Observed by the lockstep monitor: op_q, op_d, phase_q, phase_d, tb_q, tb_d (TBOP); restored_o
// (RESUMED); base_q, image_q, fresh_q, saved_q, u_index (state).
module qsm_tb_save
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  localparam int unsigned CountW = $clog2(WarpsPerSm + 1)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  desc_t [NumKernels-1:0]   desc_i,
  input  logic [NumKernels-1:0]    killed_i,
  input  logic [31:12]             save_base_i,    // of the kernel whose message is seen
  input  dispatch_t                message_i,      // any, in the cycle in which it is seen
  // Thread-block slots
  input  logic [MaxTbs-1:0]        tb_valid_i,
  input  logic [MaxTbs-1:0][SubW-1:0] tb_first_i,
  input  logic [MaxTbs-1:0]        queued_i,
  input  logic [MaxTbs-1:0]        left_zero_i,
  input  logic [MaxTbs-1:0]        release_i,
  input  logic                     retire_valid_i,
  input  logic [TbW-1:0]           retire_tb_i,
  output freeze_t                  freeze_o,
  // as it is in the next cycle; or it names a block that retires in this one, and so has no warps
  output freeze_t                  freeze_next_o,
  output logic                     restoring_o,
  output logic                     fresh_o,
  // the state of freeze_o.tb lies in its image; stays until it retires
  output logic                     saved_o,
  output logic                     evict_o,
  output logic                     restored_o,     // message, in the sending cycle
  // of the block that arrives, or of the restored one
  output tb_index_t                tb_index_o,
  output save_phase_e              phase_o,
  // Sub-cores
  output step_find_t               step_find_o,
  output step_t [NumSched-1:0]     step_o,
  output step_op_t                 step_op_o,
  input  logic       [NumSched-1:0] step_done_i,
  input  step_warp_t [NumSched-1:0] step_warp_i,
  input  mask_t      [NumSched-1:0] step_path_mask_i,
  input  step_lane_t [NumSched-1:0] step_lane_i,
  input  step_word_t [NumSched-1:0] step_word_i,
  input  logic       [NumSched-1:0] quiet_i,
  input  logic       [NumSched-1:0] drained_i
);
  // ---- The job ----
  tb_op_e op_q, op_d;  // OpNew: none
  save_phase_e phase_q, phase_d;
  logic [TbW-1:0] tb_q, tb_d;
  logic [KernelW-1:0] kernel_q;
  logic [3:0] image_q, added_q;  // added: image sizes in base
  logic [TicketW-1:0] ticket_q;
  logic [CountW-1:0] warps_q;    // shape of the block
  logic [18:0] shared_q;
  logic [31:LineOffW] base_q, base_next;  // of the image: a line
  logic fresh_q, saved_q, idle, save, killed, retires;

  assign idle = op_q == OpNew;
  assign save = op_q inside {OpSave, OpFlush};
  assign killed = killed_i[kernel_q];
  assign retires = retire_valid_i && retire_tb_i == tb_q;

  // R-PE-12
  logic arrives, names, takes;  // names: takes, unless that block retires
  assign arrives = message_i.valid && message_i.op inside {OpNew, OpRestore};
  always_comb begin
    names = message_i.valid && message_i.op == OpRestore;
    takes = names;
    if (message_i.op inside {OpSave, OpFlush}) begin
      names = message_i.valid && tb_valid_i[message_i.tb];
      takes = names && !(retire_valid_i && retire_tb_i == message_i.tb);
    end
  end
  assign tb_d = takes ? message_i.tb : tb_q;

  // ---- Phases ----
  logic steps_done, steps_busy, has_shared, quiet, drained;
  // R-PE-15
  assign quiet = !queued_i[tb_q] && (!save ||
      (!left_zero_i[tb_q] && !release_i[tb_q] && (&quiet_i)));
  assign drained = phase_q == PhWait && !steps_busy && (&drained_i);
  assign evict_o = save && drained && !saved_q && !killed;
  assign restored_o = op_q == OpRestore && (drained || killed);

  always_comb begin
    op_d = op_q;
    phase_d = phase_q;
    unique case (phase_q)
      PhIdle: if (takes) begin
        op_d = message_i.op;
        phase_d = (message_i.image != '0) ? PhAddress : PhQuiet;
      end
      PhAddress: if (added_q + 4'd1 == image_q) phase_d = PhQuiet;
      PhQuiet: if (quiet) phase_d = save ? PhFind : PhHeader;
      PhFind: if (steps_done) phase_d = (op_q == OpFlush) ? PhHeader : PhRegisters;
      PhRegisters: if (steps_done) phase_d = PhState;
      PhState: if (steps_done) phase_d = save ? PhFinished : PhWait;
      PhFinished: if (steps_done) phase_d = has_shared ? PhShared : PhHeader;
      PhShared: if (steps_done) phase_d = save ? PhHeader : PhRegisters;
      PhHeader: if (steps_done) phase_d = (save || fresh_q) ? PhWait : has_shared ? PhShared :
        PhRegisters;
      default: ;  // PhWait: until the end
    endcase
    // R-PE-17, R-PE-18, R-PE-20, R-PE-21
    if (!idle && (killed || restored_o || (save && retires))) begin
      op_d = OpNew;
      phase_d = PhIdle;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      op_q <= OpNew;
      phase_q <= PhIdle;
      tb_q <= '0;
      kernel_q <= '0;
      image_q <= '0;
      added_q <= '0;
      ticket_q <= '0;
      warps_q <= '0;
      shared_q <= '0;
      base_q <= '0;
      fresh_q <= 1'b0;
      saved_q <= 1'b0;
    end else begin
      op_q <= op_d;
      phase_q <= phase_d;
      tb_q <= tb_d;
      saved_q <= evict_o || (saved_q && !retires);
      if (takes) begin
        kernel_q <= message_i.kernel;
        image_q <= message_i.image;
        added_q <= '0;
        ticket_q <= message_i.ticket;
        warps_q <= desc_i[message_i.kernel].warps[CountW-1:0];
        shared_q <= desc_i[message_i.kernel].shared;
        base_q <= {save_base_i, (12-LineOffW)'(0)};
        fresh_q <= message_i.op == OpRestore && message_i.fresh;
      end
      if (phase_q == PhAddress) begin  // R-PE-14
        added_q <= added_q + 4'd1;
        base_q <= base_next;
      end
    end
  end

  assign freeze_o = '{valid: !idle, tb: tb_q, kernel: kernel_q};
  assign freeze_next_o = '{valid: names || (!idle && !killed && !restored_o),
      tb: names ? message_i.tb : tb_q, kernel: names ? message_i.kernel : kernel_q};
  assign restoring_o = op_q == OpRestore;
  assign fresh_o = fresh_q;
  assign saved_o = saved_q;
  assign phase_o = phase_q;

  // ---- Index of a block: the dispatch message delivers it to the blocks that store it. A save
  // reads it back, a restore delivers it again ----
  tb_index_t arrival_index, header_index;
  logic [2:0][15:0] save_block;
  logic [31:0] save_linear;
  logic header_done;
  logic [31:0] word_q[3];
  step_word_t word;
  logic [SubW-1:0] step_sub;
  assign word = step_word_i[step_sub];

  // The words that lane 0 of warp 0 loads, into x31, x30, x29
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 3; i++) begin
      if (phase_q == PhHeader && word.valid && word.xreg == 5'(31 - i)) word_q[i] <= word.word;
    end
  end
  assign header_done = op_q == OpRestore && phase_q == PhHeader && steps_done;
  assign header_index = '{valid: header_done, tb: tb_q, ticket: ticket_q,
      block: {word_q[1][15:0], word_q[0]}, linear: word_q[2]};
  assign arrival_index = '{valid: arrives, tb: message_i.tb, ticket: message_i.ticket,
      block: message_i.block, linear: message_i.linear};
  assign tb_index_o = header_done ? header_index : arrival_index;

  qsm_tb_ram #(.Width(80)) u_index (
    .clk_i, .write_i(tb_index_o.valid), .write_tb_i(tb_index_o.tb),
    .data_i({tb_index_o.linear, tb_index_o.block}),
    .read_i(takes), .read_tb_i(message_i.tb), .data_o({save_linear, save_block})
  );

  // ---- Steps ----
  qsm_save_steps u_steps (
    .clk_i, .rst_ni, .phase_i(phase_q), .save_i(save), .go_i(!killed), .warps_i(warps_q),
    .first_i(tb_first_i[tb_q]), .shared_i(shared_q),
    .base_i(base_q), .block_i(save_block), .linear_i(save_linear), .arrival_i(arrives),
    .phase_done_o(steps_done), .busy_o(steps_busy), .has_shared_o(has_shared),
    .address_o(base_next), .find_o(step_find_o), .step_o, .step_op_o, .step_sub_o(step_sub),
    .warp_i(step_warp_i), .path_mask_i(step_path_mask_i), .lane_i(step_lane_i), .done_i(step_done_i)
  );

  logic unused;
  assign unused = ^{message_i, desc_i, word_q[1]};

`ifndef SYNTHESIS
  a_one_job: assert property (@(posedge clk_i) disable iff (!rst_ni) !takes || (idle && !saved_q))
    else $error("R-PE-3: a message for a block while another is under way");
  a_quiet: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(save && step_done_i != '0) || (!left_zero_i[tb_q] && !release_i[tb_q]))
    else $error("R-PE-15: a step while the block is not quiet");
  a_one_step: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(step_done_i))
    else $error("R-PE-16: two steps in a cycle");
`endif
endmodule
