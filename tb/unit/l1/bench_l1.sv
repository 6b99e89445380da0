// SPDX-License-Identifier: Apache-2.0
// What stands behind the passes of the load/store unit when it has an L1 (qsm_l1, qsm_txn_table,
// qsm_lsu_return), with plain ports for the unit bench: structs become arrays of words. The bench
// gives inputs while clk_i is 0, reads the outputs of that cycle, then gives the edge.
module bench_l1
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned Sets = 4,
  parameter int unsigned Ways = 2
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic [31:0] params_o [4],  // NumSched, WarpSize, MemTxns, NumKernels
  // Device pass that waits: kind, amo, line, bytes, slot; parts: sub, warp, entry, funct3, rd,
  // mask, away
  input  logic        device_valid_i,
  input  logic [31:0] device_i [5],
  input  logic [31:0] device_data_i [WarpSize],
  input  logic [31:0] device_part_i [7],
  input  logic [31:0] device_offs_i [WarpSize],
  output logic        pass_o,
  // Shared pass that waits; what it reads, in the cycle after its grant
  input  logic        shared_valid_i,
  input  logic        shared_store_i,
  input  logic [31:0] shared_part_i [7],
  input  logic [31:0] shared_offs_i [WarpSize],
  input  logic [31:0] shared_data_i [WarpSize],
  // Memory port: valid, kind, amo, line, bytes, slot, transaction
  input  logic        port_free_i,
  output logic [31:0] req_o [7],
  output logic [31:0] req_data_o [WarpSize],
  input  logic        rsp_valid_i,
  input  logic [31:0] rsp_txn_i,
  input  logic [31:0] rsp_data_i [WarpSize],
  // Policy, what begins a generation, counter
  input  logic [31:0] skip_i,
  input  logic [31:0] start_i,
  input  logic        restore_i,
  input  logic [31:0] restore_slot_i,
  input  logic [31:0] fence_i,
  input  logic [31:0] fence_slot_i [NumSched],
  input  logic [31:0] read_slot_i,
  input  logic [31:0] read_counter_i,
  output logic [31:0] value_o,
  // Results: warp, rd, mask, entry; acknowledgement: valid, sub, warp, entry
  input  logic        result_pop_i [NumSched],
  output logic        result_valid_o [NumSched],
  output logic [31:0] result_o [4],
  output logic [31:0] result_data_o [WarpSize],
  output logic [31:0] ack_o [4],
  // Of a pass that counts as away (R-PA-19): its transaction is taken, its response served
  output logic [31:0] away_o [2],
  // Act: valid, hit, join, allocates, way; return op: valid, pass, hit, transaction; fill: valid,
  // set, way; generations
  output logic [31:0] act_o [5],
  output logic [31:0] return_o [4],
  output logic [31:0] fill_o [3],
  output logic [31:0] gens_o
);
  lsu_part_t device_part, shared_part, take_part, serve_part;
  lanes_t device_data, shared_data, rsp_data, req_data, hit_data;
  logic [NumSched-1:0][KernelW-1:0] fence_slot;
  logic [NumSched-1:0] result_pop;
  mem_result_t [NumSched-1:0] result;
  sb_ack_t ack;
  logic ready, txn_free, take, join_list, req_valid, hit_want, hit_grant, serve, serve_last,
      shared_grant;
  logic [TxnW-1:0] txn, join_txn, head_txn, serve_txn;
  mem_type_e req_kind;
  amo_e req_amo;
  logic [31:LineOffW] req_line;
  bytes_t req_bytes;
  logic [KernelW-1:0] req_slot;

  function automatic lsu_part_t part_of(input logic [31:0] words [7],
      input logic [31:0] offs [WarpSize], input logic store);
    part_of = '{store: store, away: words[6][0], sub: SubW'(words[0]), warp: WarpW'(words[1]),
        entry: SbW'(words[2]), funct3: 3'(words[3]), rd: 5'(words[4]),
                mask: mask_t'(words[5]), offs: '0};
    for (int unsigned l = 0; l < WarpSize; l++) part_of.offs[l] = LineOffW'(offs[l]);
  endfunction

  assign device_part = part_of(device_part_i, device_offs_i, mem_type_e'(device_i[0][1:0]) ==
      MemWrite);
  assign shared_part = part_of(shared_part_i, shared_offs_i, shared_store_i);
  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < WarpSize; l++) shared_data[l] <= shared_data_i[l];
  end
  always_comb begin
    for (int unsigned l = 0; l < WarpSize; l++) begin
      device_data[l] = device_data_i[l];
      rsp_data[l] = rsp_data_i[l];
      req_data_o[l] = req_data[l];
      result_data_o[l] = result[0].data[l];
    end
    for (int unsigned s = 0; s < NumSched; s++) begin
      fence_slot[s] = KernelW'(fence_slot_i[s]);
      result_pop[s] = result_pop_i[s];
      result_valid_o[s] = result[s].valid;
    end
  end
  assign params_o = '{NumSched, WarpSize, MemTxns, NumKernels};
  assign pass_o = device_valid_i && ready;
  assign req_o = '{32'(req_valid), 32'(req_kind), 32'(req_amo), 32'(req_line), 32'(req_bytes),
      32'(req_slot), 32'(txn)};
  assign result_o = '{32'(result[0].warp), 32'(result[0].rd), 32'(result[0].mask),
      32'(result[0].entry)};
  assign ack_o = '{32'(ack.valid), 32'(ack.sub), 32'(ack.warp), 32'(ack.entry)};
  assign away_o = '{32'(take && take_part.away), 32'(serve && serve_part.away)};
  assign act_o = '{32'(u_l1.acts), 32'(u_l1.hits), 32'(u_l1.join_o), 32'(u_l1.allocates),
      32'(u_l1.way)};
  assign return_o = '{32'(u_return.return_valid), 32'(u_return.return_shared),
      32'(u_return.return_hit), 32'(serve_txn)};
  assign fill_o = '{32'(u_l1.fill), 32'(u_l1.filled.set_no), 32'(u_l1.filled.way)};
  assign gens_o = 32'(u_l1.gens);

  qsm_l1 #(
    .BytesPerLine(LineBytes), .LineW(32 - LineOffW), .Sets(Sets), .Ways(Ways), .Txns(MemTxns),
    .Slots(NumKernels), .Subs(NumSched),
    .PartW($bits(lsu_part_t))
  ) u_l1 (
    .clk_i, .rst_ni, .clk_kept_i(clk_i), .rst_kept_ni(rst_ni),
    .pass_i(pass_o), .pass_ready_o(ready), .pass_kind_i(mem_type_e'(device_i[0][1:0])),
    .pass_amo_i(amo_e'(device_i[1][3:0])),
    .pass_line_i(device_i[2][31-LineOffW:0]), .pass_bytes_i(bytes_t'(device_i[3])),
    .pass_data_i(device_data), .pass_slot_i(KernelW'(device_i[4])),
    .pass_part_i(device_part),
    .txn_free_i(txn_free), .txn_i(txn), .take_o(take), .join_o(join_list), .join_txn_o(join_txn),
    .part_o(take_part),
    .port_free_i, .req_valid_o(req_valid), .req_kind_o(req_kind), .req_amo_o(req_amo),
    .req_line_o(req_line), .req_bytes_o(req_bytes),
    .req_data_o(req_data), .req_slot_o(req_slot), .rsp_valid_i, .rsp_txn_i(TxnW'(rsp_txn_i)),
    .rsp_data_i(rsp_data),
    .hit_o(hit_want), .hit_grant_i(hit_grant), .hit_data_o(hit_data),
    .skip_i(NumKernels'(skip_i)), .start_i(NumKernels'(start_i)), .clear_i(NumKernels'(start_i)),
    .restore_i,
    .restore_slot_i(KernelW'(restore_slot_i)),
    .fence_i(NumSched'(fence_i)), .fence_slot_i(fence_slot), .read_slot_i(KernelW'(read_slot_i)),
    .read_counter_i(3'(read_counter_i)), .value_o
  );
  qsm_txn_table #(.Lists(1'b1)) u_txns (
    .clk_i, .rst_ni, .free_o(txn_free), .txn_o(txn), .take_i(take), .take_part_i(take_part),
    .join_i(join_list), .join_txn_i(join_txn),
    .head_txn_i(head_txn), .serve_txn_o(serve_txn), .part_o(serve_part), .last_o(serve_last),
    .serve_i(serve)
  );
  qsm_lsu_return #(.L1(1'b1)) u_return (
    .clk_i, .rst_ni, .rsp_valid_i, .rsp_txn_i(TxnW'(rsp_txn_i)), .rsp_data_i(rsp_data),
    .head_txn_o(head_txn), .serve_part_i(serve_part), .serve_last_i(serve_last), .serve_o(serve),
    .pass_want_i(shared_valid_i), .pass_part_i(shared_part), .pass_grant_o(shared_grant),
    .shared_rdata_i(shared_data),
    .hit_want_i(hit_want), .hit_part_i(take_part), .hit_grant_o(hit_grant), .hit_data_i(hit_data),
    .result_pop_i(result_pop), .result_o(result), .ack_o(ack)
  );
endmodule
