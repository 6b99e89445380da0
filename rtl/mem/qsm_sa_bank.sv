// SPDX-License-Identifier: Apache-2.0
// A bank of the cache that the SMs of a shader array share: write-through, allocates for loads.
// Contract: docs/sa_cache.md R-SA-2 to R-SA-11, R-SA-15, R-SA-16, R-SA-18. Which member's request
// and which channel's response come is chosen outside (R-SA-1, R-SA-9); lines are known by their
// number within the bank, transactions as {member, txn}.
// req_ready_o, rsp_ready_o do not depend on what is offered.
// Latency: one op may begin per cycle (look), acts in the next; a request is in the queue out at
// the end of its act, an answer in the queue back one cycle later.
// Cost: tags and lines in block RAM, table and list in RAM of an entry per transaction, queues in
// distributed RAM, three lines of flip-flops.
// Observed by the lockstep monitor: act_q and what act decides (SAOP, SAFILL).
module qsm_sa_bank
  import qsm_enums_pkg::*;
#(
  parameter int unsigned BytesPerLine = 16,
  parameter int unsigned LineW = 28,    // bits of a line's number
  parameter int unsigned Sets = 16,     // a power of two
  parameter int unsigned Ways = 4,      // a power of two
  parameter int unsigned NumMembers = 2,
  parameter int unsigned NumTxns = 10,  // of a member
  parameter int unsigned FirstFetch = 8,  // transactions from here on fetch instructions
  parameter int unsigned NumSlots = 4,
  localparam int unsigned GenW = 8,
  localparam int unsigned MemberW = (NumMembers > 1) ? $clog2(NumMembers) : 1,
  localparam int unsigned TxnW = (NumTxns > 1) ? $clog2(NumTxns) : 1,
  localparam int unsigned SlotW = (NumSlots > 1) ? $clog2(NumSlots) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Members.
  input  logic                      req_valid_i,
  output logic                      req_ready_o,
  input  mem_type_e                 req_kind_i,
  input  amo_e                      req_amo_i,
  input  logic [LineW-1:0]          req_line_i,
  input  logic [BytesPerLine-1:0]   req_bytes_i,
  input  logic [8*BytesPerLine-1:0] req_data_i,
  input  logic [MemberW-1:0]        req_member_i,
  input  logic [TxnW-1:0]           req_txn_i,
  input  logic [SlotW-1:0]          req_slot_i,
  output logic                      back_valid_o,
  input  logic                      back_ready_i,
  output logic [MemberW-1:0]        back_member_o,
  output logic [TxnW-1:0]           back_txn_o,
  output logic [8*BytesPerLine-1:0] back_data_o,

  // Channels.
  output logic                      out_valid_o,
  input  logic                      out_ready_i,
  output mem_type_e                 out_kind_o,
  output amo_e                      out_amo_o,
  output logic [LineW-1:0]          out_line_o,
  output logic [BytesPerLine-1:0]   out_bytes_o,
  output logic [8*BytesPerLine-1:0] out_data_o,
  output logic [MemberW-1:0]        out_member_o,
  output logic [TxnW-1:0]           out_txn_o,
  output logic [SlotW-1:0]          out_slot_o,
  input  logic                      rsp_valid_i,
  output logic                      rsp_ready_o,
  input  logic [MemberW-1:0]        rsp_member_i,
  input  logic [TxnW-1:0]           rsp_txn_i,
  input  logic [8*BytesPerLine-1:0] rsp_data_i,

  // Of the array.
  input  logic [NumSlots-1:0]           skip_i,  // CACHE_POLICY bit 0
  input  logic [NumSlots-1:0][GenW-1:0] gens_i,
  input  logic                          wrap_i,  // at the end of this cycle one goes back to 0

  // Counters (R-SA-18): 0 loads, 1 hits, 2 joined, 3 misses that allocate, 4 stores, 5 atomics.
  input  logic [NumSlots-1:0] clear_i,
  input  logic [SlotW-1:0]    read_slot_i,
  input  logic [2:0]          read_counter_i,
  output logic [31:0]         value_o
);
  localparam int unsigned SetW = (Sets > 1) ? $clog2(Sets) : 1;
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1;
  localparam int unsigned TagW = LineW - $clog2(Sets);
  localparam int unsigned IdW = MemberW + TxnW;
  localparam int unsigned Ids = 1 << IdW;
  localparam int unsigned DataW = 8 * BytesPerLine;
  localparam int unsigned QueueDepth = 4;
  localparam int unsigned CreditW = $clog2(QueueDepth + 1);

  typedef struct packed {
    mem_type_e kind;
    amo_e amo;
    logic [LineW-1:0] line;
    logic [BytesPerLine-1:0] bytes;
    logic [DataW-1:0] data;
    logic [IdW-1:0] id;
    logic [SlotW-1:0] slot;
  } out_t;
  typedef struct packed {
    logic [IdW-1:0] id;
    logic [DataW-1:0] data;
  } back_t;
  typedef struct packed {
    logic has;
    logic [SetW-1:0] line_set;
    logic [WayW-1:0] way;
  } place_t;

  function automatic logic [SetW-1:0] set_of(input logic [LineW-1:0] line);
    return SetW'(line & LineW'(Sets - 1));
  endfunction

  // ---- arrived: a response with its place (R-SA-9) ----
  (* no_rw_check *) place_t place_mem[Ids];
  place_t arrived_place, place_written;
  logic arrived_q, take_rsp, place_write;
  logic [IdW-1:0] arrived_id_q, place_write_id;
  logic [DataW-1:0] arrived_data_q;
  logic begin_rsp, begin_serve, begin_req;
  assign rsp_ready_o = !arrived_q || begin_rsp;
  assign take_rsp = rsp_valid_i && rsp_ready_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) arrived_q <= 1'b0;
    else arrived_q <= take_rsp || (arrived_q && !begin_rsp);
  end
  always_ff @(posedge clk_i) begin
    if (place_write) place_mem[place_write_id] <= place_written;
    if (take_rsp) begin
      arrived_place <= place_mem[{rsp_member_i, rsp_txn_i}];
      arrived_id_q <= {rsp_member_i, rsp_txn_i};
      arrived_data_q <= rsp_data_i;
    end
  end

  // ---- look: choice of the op (R-SA-2) ----
  logic walking, serving_q, starts_list;
  logic [CreditW-1:0] out_credits_q, back_credits_q;
  logic [IdW-1:0] served_q, serve_last_q, serve_id;  // served_q: whom the list goes on behind
  logic [IdW-1:0] next_mem[Ids];
  assign serve_id = next_mem[served_q];
  assign begin_serve = !walking && serving_q && back_credits_q != '0;
  assign begin_rsp = !walking && arrived_q && !serving_q && !starts_list && back_credits_q != '0;
  assign req_ready_o = !walking && !begin_serve && !begin_rsp && back_credits_q != '0 &&
      out_credits_q != '0;
  assign begin_req = req_valid_i && req_ready_o;

  // ---- act ----
  typedef struct packed {
    mem_type_e kind;
    amo_e amo;
    logic [LineW-1:0] line;
    logic [BytesPerLine-1:0] bytes;
    logic [SlotW-1:0] slot;
    logic [GenW-1:0] gen;
  } op_t;
  logic act_req_q, act_rsp_q, act_serve_q;
  op_t act_q;
  logic [IdW-1:0] act_id_q;
  logic [DataW-1:0] act_data_q;  // of a request, or a response
  place_t act_place_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {act_req_q, act_rsp_q, act_serve_q} <= '0;
    else {act_req_q, act_rsp_q, act_serve_q} <= {begin_req, begin_rsp, begin_serve};
  end
  always_ff @(posedge clk_i) begin
    if (begin_req) begin
      act_q <= '{kind: req_kind_i, amo: req_amo_i, line: req_line_i, bytes: req_bytes_i,
          slot: req_slot_i, gen: gens_i[req_slot_i]};
      act_data_q <= req_data_i;
    end
    if (begin_rsp) begin
      act_data_q <= arrived_data_q;
      act_place_q <= arrived_place;
    end
    if (begin_serve) act_id_q <= serve_id;
    else if (begin_rsp) act_id_q <= arrived_id_q;
    else act_id_q <= {req_member_i, req_txn_i};
  end

  logic is_fetch, is_load, is_store, is_amo, skips;
  logic match_valid, match_pending, poisoned, room, hits, joins, allocates, sends, fills, match;
  logic [IdW-1:0] last;
  logic [WayW-1:0] way;
  assign is_fetch = act_req_q && act_q.kind == MemRead && 32'(act_id_q[TxnW-1:0]) >= FirstFetch;
  assign is_load = act_req_q && act_q.kind == MemRead && !is_fetch;
  assign is_store = act_req_q && act_q.kind == MemWrite;
  assign is_amo = act_req_q && act_q.kind == MemAmo;
  assign skips = skip_i[act_q.slot];
  assign match = match_valid || match_pending;
  assign hits = is_load && match_valid;
  assign joins = is_load && match_pending && !poisoned;
  assign allocates = is_load && !match && !skips && room;
  assign sends = act_req_q && !hits && !joins;
  assign fills = act_rsp_q && act_place_q.has;
  assign starts_list = fills && last != act_id_q;

  qsm_sa_tags #(
    .Sets(Sets), .Ways(Ways), .TagW(TagW), .NumSlots(NumSlots), .GenW(GenW), .IdW(IdW)
  ) u_tags (
    .clk_i, .rst_ni, .wrap_i, .walking_o(walking),
    .look_set_i(begin_rsp ? arrived_place.line_set : set_of(req_line_i)),
    .tag_i(TagW'(act_q.line >> $clog2(Sets))), .slot_i(act_q.slot), .gen_i(act_q.gen), .gens_i,
    .id_i(act_id_q), .fill_i(fills), .fill_way_i(act_place_q.way), .valid_o(match_valid),
    .pending_o(match_pending), .poison_o(poisoned), .last_o(last), .room_o(room), .way_o(way),
    .allocate_i(allocates), .join_i(joins),
    .poison_i((is_store || is_amo) && match_pending), .drop_i(is_amo && match_valid),
    .touch_i(!skips && (hits || (is_store && match_valid) || allocates))
  );

  assign place_write = sends;
  assign place_write_id = act_id_q;
  assign place_written = '{has: allocates, line_set: set_of(act_q.line), way: way};
  always_ff @(posedge clk_i) if (joins) next_mem[last] <= act_id_q;

  // ---- list (R-SA-10, R-SA-11) ----
  logic [DataW-1:0] served_data_q;  // of the response that came last
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) serving_q <= 1'b0;
    else serving_q <= starts_list || (serving_q && !(begin_serve && serve_id == serve_last_q));
  end
  always_ff @(posedge clk_i) begin
    if (act_rsp_q) begin
      served_q <= act_id_q;
      serve_last_q <= last;
      served_data_q <= act_data_q;
    end
    if (begin_serve) served_q <= serve_id;
  end

  // ---- lines ----
  logic [DataW-1:0] hit_data;
  logic [SetW+WayW-1:0] line_addr;
  assign line_addr = fills ? {act_place_q.line_set, act_place_q.way} : {set_of(act_q.line), way};
  qsm_l1_data #(.Lines(1 << (SetW + WayW)), .BytesPerLine(BytesPerLine)) u_data (
    .clk_i, .read_i(hits), .read_addr_i(line_addr), .data_o(hit_data),
    .write_i(fills ? '1 : (is_store && match_valid) ? act_q.bytes : '0),
    .write_addr_i(line_addr), .data_i(act_data_q)
  );

  // ---- answers, one cycle behind act ----
  logic answer_q, answer_hit_q, answers;
  logic [IdW-1:0] answer_id_q;
  back_t back_in, back_head;
  logic back_full_unused, out_full_unused;
  assign answers = hits || act_rsp_q || act_serve_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) answer_q <= 1'b0;
    else answer_q <= answers;
  end
  always_ff @(posedge clk_i) begin
    answer_hit_q <= hits;
    answer_id_q <= act_id_q;
  end
  assign back_in = '{id: answer_id_q, data: answer_hit_q ? hit_data : served_data_q};
  qsm_fifo #(.Width($bits(back_t)), .Depth(QueueDepth)) u_back (
    .clk_i, .rst_ni, .push_i(answer_q), .data_i(back_in), .pop_i(back_valid_o && back_ready_i),
    .valid_o(back_valid_o), .full_o(back_full_unused), .data_o(back_head)
  );
  assign {back_member_o, back_txn_o} = back_head.id;
  assign back_data_o = back_head.data;

  // ---- towards the channels ----
  out_t out_in, out_head;
  assign out_in = '{kind: act_q.kind, amo: act_q.amo, line: act_q.line, bytes: act_q.bytes,
      data: act_data_q, id: act_id_q, slot: act_q.slot};
  qsm_fifo #(.Width($bits(out_t)), .Depth(QueueDepth)) u_out (
    .clk_i, .rst_ni, .push_i(sends), .data_i(out_in), .pop_i(out_valid_o && out_ready_i),
    .valid_o(out_valid_o), .full_o(out_full_unused), .data_o(out_head)
  );
  assign out_kind_o = out_head.kind;
  assign out_amo_o = out_head.amo;
  assign out_line_o = out_head.line;
  assign out_bytes_o = out_head.bytes;
  assign out_data_o = out_head.data;
  assign {out_member_o, out_txn_o} = out_head.id;
  assign out_slot_o = out_head.slot;

  // ---- credits (R-SA-2) ----
  logic [CreditW-1:0] back_taken, out_taken, back_given, out_given;
  assign back_taken = CreditW'(begin_req || begin_rsp || begin_serve);
  assign out_taken = CreditW'(begin_req);
  assign back_given = CreditW'(back_valid_o && back_ready_i) + CreditW'(act_req_q && !hits);
  assign out_given = CreditW'(out_valid_o && out_ready_i) + CreditW'(act_req_q && !sends);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      back_credits_q <= CreditW'(QueueDepth);
      out_credits_q <= CreditW'(QueueDepth);
    end else begin
      back_credits_q <= back_credits_q + back_given - back_taken;
      out_credits_q <= out_credits_q + out_given - out_taken;
    end
  end

  // ---- counters ----
  logic [31:0] kinds, outcomes;
  logic [1:0] kind, outcome, read_kind, read_outcome;
  logic reads_kind;
  assign kind = is_load ? 2'd0 : is_store ? 2'd1 : 2'd2;
  assign outcome = hits ? 2'd0 : joins ? 2'd1 : 2'd2;
  assign reads_kind = read_counter_i == 3'd0 || read_counter_i >= 3'd4;
  assign read_kind = (read_counter_i == 3'd0) ? 2'd0 : (read_counter_i == 3'd4) ? 2'd1 : 2'd2;
  assign read_outcome = 2'(read_counter_i - 3'd1);
  qsm_slot_counters #(.NumSlots(NumSlots), .PerSlot(3)) u_kinds (
    .clk_i, .rst_ni, .clear_i, .add_i(is_load || is_store || is_amo), .slot_i(act_q.slot),
    .which_i(kind), .amount_i(1'b1), .read_slot_i, .read_which_i(read_kind), .value_o(kinds)
  );
  qsm_slot_counters #(.NumSlots(NumSlots), .PerSlot(3)) u_outcomes (
    .clk_i, .rst_ni, .clear_i, .add_i(hits || joins || allocates), .slot_i(act_q.slot),
    .which_i(outcome), .amount_i(1'b1), .read_slot_i, .read_which_i(read_outcome),
    .value_o(outcomes)
  );
  assign value_o = reads_kind ? kinds : outcomes;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      back_credits_q <= CreditW'(QueueDepth) && out_credits_q <= CreditW'(QueueDepth))
    else $error("R-SA-2: more credits than places");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(back_taken != '0 && back_credits_q == '0) && !(out_taken != '0 && out_credits_q == '0))
    else $error("R-SA-2: a credit is taken that is not there");
`endif
endmodule
