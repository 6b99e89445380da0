// SPDX-License-Identifier: Apache-2.0
// Bench top: qsm_tb_save with its structs taken apart. The bench plays the thread-block slots and
// the sub-cores' warps; per sub-core only what it says of the warp that is sought and of the
// step's.
module bench_tb_save
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic [31:0] params_o [4],      // NumSched, WarpsPerSm, WarpSize, MaxTbs
  // Launch, the same in every kernel slot
  input  logic [31:0] warps_i,
  input  logic [31:0] shared_i,
  input  logic [31:0] killed_i,
  input  logic [31:0] save_base_i,
  // Message: valid, op, kernel, tb, image, fresh, ticket, linear, block x, y, z
  input  logic [31:0] message_i [11],
  // Slots
  input  logic [31:0] tb_valid_i,
  input  logic [31:0] first_i,           // of every slot
  input  logic [31:0] queued_i,
  input  logic [31:0] left_zero_i,
  input  logic [31:0] release_i,
  input  logic [31:0] retire_i [2],      // valid, tb
  output logic [31:0] freeze_o [2],      // valid, tb
  output logic [31:0] job_o [6],         // phase, restoring, fresh, saved, evict, restored
  output logic [31:0] index_o [7],       // valid, tb, ticket, block x, y, z, linear
  // Steps
  output logic [31:0] find_o [2],        // keep, warp in the block
  output logic [31:0] step_o [NumSched][5],  // valid, whole, kind, register, asks
  output logic [31:0] operand_o [6],     // kind, register, path's pc, path's depth, pc, mask
  input  logic [31:0] done_i,            // bit per sub-core, as the others
  input  logic [31:0] quiet_i,
  input  logic [31:0] drained_i,
  // found, scoreboard empty, split valid, live, bar, split mask
  input  logic [31:0] warp_i [NumSched][6],
  input  logic [31:0] lane_i [NumSched][3],  // given, pc, depth
  input  logic [31:0] word_i [NumSched][3]   // valid, register, word
);
  assign params_o = '{NumSched, WarpsPerSm, WarpSize, MaxTbs};

  desc_t [NumKernels-1:0] desc;
  dispatch_t message;
  tb_index_t index;
  freeze_t freeze;
  logic restoring, fresh, saved, evict, restored;
  save_phase_e phase;
  step_t [NumSched-1:0] step;
  step_find_t find;
  step_op_t op;
  step_warp_t [NumSched-1:0] warp;
  mask_t [NumSched-1:0] path_mask;
  step_lane_t [NumSched-1:0] lane;
  step_word_t [NumSched-1:0] word;

  always_comb begin
    desc = '0;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      desc[k].warps = 7'(warps_i);
      desc[k].shared = 19'(shared_i);
    end
    message = '{valid: message_i[0][0], op: tb_op_e'(message_i[1][1:0]),
        kernel: KernelW'(message_i[2]), tb: TbW'(message_i[3]),
                image: 4'(message_i[4]), fresh: message_i[5][0], ticket: TicketW'(message_i[6]),
                    linear: message_i[7],
                block: {message_i[10][15:0], message_i[9][15:0], message_i[8][15:0]}, first: '0,
                    base: '0};
  end
  for (genvar s = 0; s < NumSched; s++) begin : g_sub
    assign warp[s] = '{found: warp_i[s][0][0], empty: warp_i[s][1][0], split_valid: warp_i[s][2][0],
        live: mask_t'(warp_i[s][3]),
                       bar: mask_t'(warp_i[s][4])};
    always_ff @(posedge clk_i) path_mask[s] <= mask_t'(warp_i[s][5]);  // read a cycle later
    assign lane[s] = '{given: lane_i[s][0][0], pc: lane_i[s][1][31:2],
        depth: DepthW'(lane_i[s][2])};
    assign word[s] = '{valid: word_i[s][0][0], xreg: 5'(word_i[s][1]), word: word_i[s][2]};
    assign step_o[s] = '{32'(step[s].valid), 32'(step[s].whole),
        32'(step[s].kind), 32'(step[s].xreg), 32'(step[s].asks)};
  end
  assign freeze_o = '{32'(freeze.valid), 32'(freeze.tb)};
  assign job_o = '{32'(phase), 32'(restoring), 32'(fresh), 32'(saved), 32'(evict), 32'(restored)};
  assign index_o = '{32'(index.valid), 32'(index.tb), 32'(index.ticket), 32'(index.block[0]),
      32'(index.block[1]), 32'(index.block[2]),
                     index.linear};
  assign find_o = '{32'(find.keep), 32'(find.widx)};
  assign operand_o = '{32'(op.kind), 32'(op.xreg), 32'(op.path_pc), 32'(op.path_depth), op.pc,
      32'(op.mask)};

  qsm_tb_save dut (
    .clk_i, .rst_ni, .desc_i(desc), .killed_i(NumKernels'(killed_i)),
    .save_base_i(save_base_i[31:12]), .message_i(message), .tb_valid_i(MaxTbs'(tb_valid_i)),
    .tb_first_i({MaxTbs{SubW'(first_i)}}), .queued_i(MaxTbs'(queued_i)),
    .left_zero_i(MaxTbs'(left_zero_i)), .release_i(MaxTbs'(release_i)),
    .retire_valid_i(retire_i[0][0]), .retire_tb_i(TbW'(retire_i[1])), .freeze_o(freeze),
    .freeze_next_o(), .restoring_o(restoring), .fresh_o(fresh),
    .saved_o(saved), .evict_o(evict), .restored_o(restored), .tb_index_o(index), .phase_o(phase),
    .step_find_o(find), .step_o(step), .step_op_o(op), .step_done_i(NumSched'(done_i)),
    .step_warp_i(warp), .step_path_mask_i(path_mask), .step_lane_i(lane),
    .step_word_i(word), .quiet_i(NumSched'(quiet_i)), .drained_i(NumSched'(drained_i))
  );
endmodule
