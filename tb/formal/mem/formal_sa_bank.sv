// SPDX-License-Identifier: Apache-2.0
// qsm_sa_bank with one set: each request goes to the channels at most once and is answered exactly
// once; when nothing is under way, nobody waits; a load that asks behind the last store to its line
// has what that wrote, whatever was on its way. Members ask, channels answer, queues are emptied in
// any order and at any time; generations begin at any time.
module formal_sa_bank
  import qsm_enums_pkg::*;
#(
  parameter int unsigned Ways = 2,
  parameter int unsigned NumTxns = 4,
  parameter int unsigned FirstFetch = 3,
  localparam int unsigned LineW = 2,
  localparam int unsigned TxnW = $clog2(NumTxns),
  localparam int unsigned GenW = 8
) (
  input logic             clk_i,
  input logic             req_valid_i,
  input mem_type_e        req_kind_i,
  input logic [LineW-1:0] req_line_i,
  input logic [7:0]       req_data_i,
  input logic [TxnW-1:0]  req_txn_i,
  input logic             back_ready_i,
  input logic             out_ready_i,
  input logic             rsp_valid_i,
  input logic [TxnW-1:0]  rsp_txn_i,
  input logic             skip_i,
  input logic             renew_i,       // a generation begins
  input logic [LineW-1:0] line_i,        // any line
  input logic             last_store_i,  // the store that is asked now is its last
  input logic [7:0]       amo_i          // what an atomic leaves in it
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [GenW-1:0] gen_q;
  always_ff @(posedge clk_i) gen_q <= !rst_ni ? '0 : gen_q + GenW'(renew_i);

  logic req_ready, back_valid, out_valid, rsp_ready, back_member_unused, out_member_unused;
  logic out_slot_unused;
  logic [3:0] out_bytes_unused;
  logic [TxnW-1:0] back_txn, out_txn;
  logic [3:0][7:0] back_data, out_data;  // of a line the first byte is looked at
  mem_type_e out_kind;
  amo_e out_amo_unused;
  logic [LineW-1:0] out_line;
  logic [31:0] value_unused;
  logic [NumTxns-1:0][7:0] read_q;  // what the memory has answered, by transaction
  qsm_sa_bank #(
    .BytesPerLine(4), .LineW(LineW), .Sets(1), .Ways(Ways), .NumMembers(1), .NumTxns(NumTxns),
    .FirstFetch(FirstFetch), .NumSlots(1)
  ) u_dut (
    .clk_i, .rst_ni, .req_valid_i, .req_ready_o(req_ready), .req_kind_i, .req_amo_i(amo_e'('0)),
    .req_line_i, .req_bytes_i('1), .req_data_i(32'(req_data_i)), .req_member_i(1'b0), .req_txn_i,
    .req_slot_i(1'b0), .back_valid_o(back_valid), .back_ready_i, .back_member_o(back_member_unused),
    .back_txn_o(back_txn), .back_data_o(back_data), .out_valid_o(out_valid), .out_ready_i,
    .out_kind_o(out_kind), .out_amo_o(out_amo_unused), .out_line_o(out_line),
    .out_bytes_o(out_bytes_unused), .out_data_o(out_data), .out_member_o(out_member_unused),
    .out_txn_o(out_txn), .out_slot_o(out_slot_unused), .rsp_valid_i, .rsp_ready_o(rsp_ready),
    .rsp_member_i(1'b0), .rsp_txn_i, .rsp_data_i(32'(read_q[rsp_txn_i])), .skip_i, .gens_i(gen_q),
    .wrap_i(renew_i && gen_q == '1), .clear_i(1'b0), .read_slot_i(1'b0), .read_counter_i(3'd0),
    .value_o(value_unused)
  );

  logic takes, sends, hears, answers;
  assign takes = req_valid_i && req_ready;
  assign sends = out_valid && out_ready_i;
  assign hears = rsp_valid_i && rsp_ready;
  assign answers = back_valid && back_ready_i;

  // ---- who waits for what ----
  logic [NumTxns-1:0] asked_q, sent_q, heard_q;  // asked; and gone to a channel; and come back
  logic [LineW-1:0] chosen_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {asked_q, sent_q, heard_q} <= '0;
      chosen_q <= line_i;
    end else begin
      if (takes) asked_q[req_txn_i] <= 1'b1;
      if (sends) sent_q[out_txn] <= 1'b1;
      if (hears) heard_q[rsp_txn_i] <= 1'b1;
      if (answers) {asked_q[back_txn], sent_q[back_txn], heard_q[back_txn]} <= '0;
    end
  end

  // ---- the memory: a byte of the chosen line, anything of the others ----
  logic [7:0] memory_q;
  always_ff @(posedge clk_i) begin
    if (sends && out_line == chosen_q) begin
      if (out_kind == MemWrite) memory_q <= out_data[0];
      if (out_kind == MemAmo) memory_q <= amo_i;
    end
    if (sends) read_q[out_txn] <= memory_q;
  end

  // ---- the last store, and the loads behind it ----
  logic over_q;  // it has been taken
  logic [7:0] stored_q;
  logic [NumTxns-1:0] behind_q;
  logic stores;
  assign stores = takes && req_kind_i == MemWrite && req_line_i == chosen_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      over_q <= 1'b0;
      behind_q <= '0;
    end else begin
      if (stores && last_store_i) begin
        over_q <= 1'b1;
        stored_q <= req_data_i;
      end
      if (takes) behind_q[req_txn_i] <= over_q && req_kind_i == MemRead && req_line_i == chosen_q;
    end
  end

  logic rests;
  assign rests = !u_dut.walking && !u_dut.act_req_q && !u_dut.act_rsp_q && !u_dut.act_serve_q &&
      !u_dut.serving_q && !u_dut.arrived_q && !u_dut.answer_q && !out_valid && !back_valid &&
      (sent_q & ~heard_q) == '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (req_valid_i) begin
        asks_once: assume (!asked_q[req_txn_i] && 32'(req_txn_i) < NumTxns);
        a_kind: assume (req_kind_i == MemRead || req_kind_i == MemWrite || req_kind_i == MemAmo);
        loads_and_stores: assume (req_kind_i == MemRead || 32'(req_txn_i) < FirstFetch);
        was_the_last: assume (!over_q || req_kind_i == MemRead || req_line_i != chosen_q);
      end
      if (rsp_valid_i)
        answers_what_was_sent: assume (sent_q[rsp_txn_i] && !heard_q[rsp_txn_i]);

      if (out_valid) sent_once: assert (asked_q[out_txn] && !sent_q[out_txn]);
      if (back_valid) answered_once: assert (asked_q[back_txn]);
      if (rests) nobody_is_forgotten: assert (asked_q == '0);
      if (back_valid && behind_q[back_txn]) sees_the_store: assert (back_data[0] == stored_q);

      a_hit: cover (answers && behind_q[back_txn] && !sent_q[back_txn]);
      a_list: cover (u_dut.act_serve_q && u_dut.serving_q);
      poisoned: cover (u_dut.fills && u_dut.poisoned);
      all_at_rest: cover (rests && over_q && asked_q == '0);
    end
  end
endmodule
