// SPDX-License-Identifier: Apache-2.0
// L2 slice of a memory channel: write-back, allocates for reads and writes, performs the atomics,
// merges misses. Contract: docs/l2.md.
// Lines are known by their number within the channel (m of the page). An access of the slice itself
// (own) has the ID of its MSHR; a write-back has the ID Mshrs + colour (R-L2-12).
// Latency: one op may begin per cycle (look), changes the state in the next (act), its response is
// queued one later (out).
// Cost: tags and lines in block RAM, waiters and queues in distributed RAM, a line of flip-flops
// per stage.
// Observed by the lockstep monitor: act_q and what act decides (L2OP), the state of the parts (L2,
// L2SET).
module qsm_l2
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned BytesPerLine = 16,
  parameter int unsigned LineW = 28,   // bits of a line's number
  parameter int unsigned Sets = 128,   // a power of two
  parameter int unsigned Ways = 2,     // a power of two
  parameter int unsigned Mshrs = 4,
  parameter int unsigned Waiters = 8,
  parameter int unsigned IdW = 8,      // what a response is known by; holds 0..Mshrs + 1
  parameter int unsigned SlotW = 2,
  parameter int unsigned UnitSets = 1,  // a flush is of units of so many sets; a power of two
  localparam int unsigned UnitW = (Sets > UnitSets) ? $clog2(Sets / UnitSets) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Requesters.
  input  logic                   req_valid_i,
  output logic                   req_ready_o,
  input  mem_type_e              req_kind_i,
  input  amo_e                   req_amo_i,
  input  logic                   req_nc_i,     // does not allocate
  input  logic [LineW-1:0]       req_line_i,
  input  logic [BytesPerLine-1:0]   req_bytes_i,
  input  logic [8*BytesPerLine-1:0] req_data_i,
  input  logic [IdW-1:0]         req_id_i,
  input  logic [SlotW-1:0]       req_slot_i,
  output logic                   rsp_valid_o,
  input  logic                   rsp_ready_i,
  output logic [IdW-1:0]         rsp_id_o,
  output logic [8*BytesPerLine-1:0] rsp_data_o,

  // Memory. Ready for a response depends on own and id, not on valid.
  output logic                   mem_valid_o,
  input  logic                   mem_ready_i,
  output logic                   mem_write_o,
  output logic                   mem_own_o,
  output logic [LineW-1:0]       mem_line_o,
  output logic [BytesPerLine-1:0]   mem_bytes_o,
  output logic [8*BytesPerLine-1:0] mem_data_o,
  output logic [IdW-1:0]         mem_id_o,
  output logic [SlotW-1:0]       mem_slot_o,
  input  logic                   mem_rsp_valid_i,
  output logic                   mem_rsp_ready_o,
  input  logic                   mem_rsp_own_i,
  input  logic [IdW-1:0]         mem_rsp_id_i,
  input  logic [8*BytesPerLine-1:0] mem_rsp_data_i,

  // Flush (R-L2-10): pulses, and with the first one from which to which unit.
  input  logic                   flush_i,
  input  logic [UnitW-1:0]       flush_first_i,
  input  logic [UnitW-1:0]       flush_last_i,
  output logic                   flush_done_o,

  // What act counts, for which slot (R-L2-13).
  output logic                   request_o,
  output l2_outcome_e            outcome_o,  // of a request
  output logic                   atomic_o,   // it is one
  output logic                   victim_o,   // a victim is written
  output logic [SlotW-1:0]       slot_o
);
  localparam int unsigned SetBits = $clog2(Sets);
  localparam int unsigned SetW = (Sets > 1) ? SetBits : 1;
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1;
  localparam int unsigned TagBits = LineW - SetBits;
  localparam int unsigned MshrW = (Mshrs > 1) ? $clog2(Mshrs) : 1;
  localparam int unsigned RspDepth = 4;
  localparam int unsigned OutDepth = Mshrs + 4;
  localparam int unsigned AddrW = (Sets * Ways > 1) ? $clog2(Sets * Ways) : 1;
  typedef logic [8*BytesPerLine-1:0] line_t;
  typedef logic [BytesPerLine-1:0] bytes_mask_t;

  typedef struct packed {  // of a request: what it wants to be done with its line
    mem_type_e kind;
    amo_e amo;
    logic slow;            // R-L2-1: an AMO, or a write of the whole line
    bytes_mask_t bytes;
    logic [IdW-1:0] id;
    line_t data;
  } work_t;

  typedef struct packed {
    logic valid;
    l2_op_e op;
    logic [LineW-1:0] line;
    logic [SlotW-1:0] slot;
    logic nc;
    logic [MshrW-1:0] mshr;
    logic [WayW-1:0] way;  // of a walk
    work_t work;           // of a request; pass: id, data; fill: data
  } act_t;

  typedef struct packed {
    logic respond;
    logic zero;            // the response is 0; else, with from_line, `data`, else what was read
    logic from_line;
    logic write;           // `data`, or the atomic operation's result, into the cache
    logic atomic;
    logic evict;           // what was read goes to memory
    logic colour;
    logic [LineW-1:0] victim;
    logic [SlotW-1:0] slot;
    logic [AddrW-1:0] addr;
    amo_e amo;
    bytes_mask_t bytes;
    logic [IdW-1:0] id;
    line_t data;
  } out_t;

  typedef struct packed {  // towards memory
    logic write;
    logic own;
    logic [LineW-1:0] line;
    logic [SlotW-1:0] slot;
    logic [IdW-1:0] id;
    bytes_mask_t bytes;
    line_t data;
  } access_t;

  function automatic logic [LineW-1:0] line_of(input logic [TagBits-1:0] tag,
      input logic [SetW-1:0] set);
    return (LineW'(tag) << SetBits) | LineW'(set);
  endfunction

  function automatic logic [AddrW-1:0] place(input logic [SetW-1:0] set,
      input logic [WayW-1:0] way);
    return AddrW'(32'(set) * Ways + 32'(way));
  endfunction

  act_t act_q, act_d;
  out_t out_q, out_d;
  work_t req_work, waiter, work;
  logic [SetW-1:0] look_set, act_set;
  assign look_set = (Sets > 1) ? act_d.line[SetW-1:0] : '0;
  assign act_set = (Sets > 1) ? act_q.line[SetW-1:0] : '0;

  // ---- look: which op begins (R-L2-1 to R-L2-3) ----
  logic clearing, blocked, filled, left, walking, colour;
  logic rsp_credit, out_credit, mshr_credit, waiter_credit;
  logic acknowledge, response, replay, pass, fill, walk, request, may_respond, may_fill,
      may_request;
  logic [LineW-1:0] mshr_line;
  logic [SlotW-1:0] mshr_slot;
  logic [MshrW-1:0] filled_mshr;
  logic [SetW-1:0] walk_set;
  logic [WayW-1:0] walk_way;

  assign req_work = '{kind: req_kind_i, amo: req_amo_i, slow: req_kind_i == MemAmo ||
      (req_kind_i == MemWrite && req_bytes_i == '1),
                      bytes: req_bytes_i, id: req_id_i, data: req_data_i};
  always_comb begin
    blocked = clearing || (act_q.valid && (act_q.op == L2Fill || act_q.op == L2Walk ||
        (act_q.op inside {L2Request, L2Replay} && work.slow)));
    // of an own write: taken at any time
    acknowledge = mem_rsp_own_i && mem_rsp_id_i >= IdW'(Mshrs);
    replay = !blocked && left && rsp_credit;
    may_respond = !blocked && !replay && rsp_credit;
    may_fill = may_respond && !filled;
    response = mem_rsp_valid_i && !acknowledge;
    pass = response && !mem_rsp_own_i && may_respond;
    fill = response && mem_rsp_own_i && may_fill;
    walk = !blocked && !replay && !pass && !fill && !filled && walking && out_credit;
    may_request = may_fill && !pass && !fill && !walk && out_credit && mshr_credit && waiter_credit;
    request = req_valid_i && may_request;
  end
  assign req_ready_o = may_request;
  assign mem_rsp_ready_o = acknowledge || (mem_rsp_own_i ? may_fill : may_respond);

  always_comb begin
    act_d = '0;
    act_d.valid = replay || pass || fill || walk || request;
    act_d.line = req_line_i;
    act_d.slot = req_slot_i;
    act_d.nc = req_nc_i;
    act_d.mshr = mem_rsp_id_i[MshrW-1:0];
    act_d.way = walk_way;
    act_d.work = req_work;
    act_d.op = L2Request;
    if (pass || fill) begin
      act_d.op = fill ? L2Fill : L2Pass;
      act_d.line = mshr_line;
      act_d.slot = mshr_slot;
      act_d.work.id = mem_rsp_id_i;
      act_d.work.data = mem_rsp_data_i;
    end
    if (replay) begin
      act_d.op = L2Replay;
      act_d.line = mshr_line;
      act_d.mshr = filled_mshr;
    end
    if (walk) begin
      act_d.op = L2Walk;
      act_d.line = LineW'(walk_set);
      act_d.slot = '0;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) act_q <= '0;
    else act_q <= act_d;
  end

  // ---- act: what becomes of it (R-L2-4 to R-L2-7) ----
  logic acts_request, acts_fill, acts_replay, acts_walk, acts_pass;
  logic match, hit, way_valid, way_dirty;
  logic merged, hits, bypassed, whole, misses, performs, answered, evicts, allocates, freed;
  logic [MshrW-1:0] match_mshr, free_mshr;
  logic [WayW-1:0] way;
  logic [TagBits-1:0] way_tag;

  assign work = (act_q.op inside {L2Replay, L2Fill}) ? waiter : act_q.work;
  assign acts_request = act_q.valid && act_q.op == L2Request;
  assign acts_fill = act_q.valid && act_q.op == L2Fill;
  assign acts_replay = act_q.valid && act_q.op == L2Replay;
  assign acts_walk = act_q.valid && act_q.op == L2Walk;
  assign acts_pass = act_q.valid && act_q.op == L2Pass;
  always_comb begin
    merged = acts_request && match;
    hits = acts_request && !match && hit;
    bypassed = acts_request && !match && !hit && act_q.nc && work.kind != MemAmo;
    whole = acts_request && !match && !hit && !act_q.nc && work.kind == MemWrite && work.slow;
    misses = acts_request && !match && !hit && !bypassed && !whole;
    performs = hits || acts_replay;
    answered = acts_fill && work.kind == MemRead;
    allocates = whole || acts_fill;
    if (merged) outcome_o = L2Merged;
    else if (hits) outcome_o = L2Hit;
    else if (bypassed) outcome_o = L2Bypassed;
    else outcome_o = whole ? L2Whole : L2Miss;
  end
  assign evicts = (allocates || acts_walk) && way_dirty;
  assign request_o = acts_request;
  assign atomic_o = work.kind == MemAmo;
  assign victim_o = allocates && evicts;
  assign slot_o = act_q.slot;

  qsm_l2_tags #(.Sets(Sets), .Ways(Ways), .TagW(TagBits)) u_tags (
    .clk_i, .rst_ni, .clearing_o(clearing), .look_set_i(look_set),
    .tag_i(act_q.line[LineW-1 -: TagBits]), .walk_i(acts_walk), .walk_way_i(act_q.way),
    .hit_o(hit), .way_o(way), .way_valid_o(way_valid), .way_dirty_o(way_dirty), .way_tag_o(way_tag),
    .write_i(performs || allocates || acts_walk), .valid_i(!acts_walk),
    .dirty_i((performs && (way_dirty || work.kind != MemRead)) || whole),
    .touch_i(allocates || acts_replay || (hits && !act_q.nc))
  );
  qsm_l2_mshrs #(.Mshrs(Mshrs), .Waiters(Waiters), .LineW(LineW), .SlotW(SlotW),
      .WaiterW($bits(work_t))) u_mshrs (
    .clk_i, .rst_ni, .filled_o(filled), .left_o(left),
    .look_replay_i(replay), .look_mshr_i(mem_rsp_id_i[MshrW-1:0]), .look_line_o(mshr_line),
    .look_slot_o(mshr_slot), .waiter_o(waiter),
    .line_i(act_q.line), .match_o(match), .match_mshr_o(match_mshr), .free_mshr_o(free_mshr),
    .join_i(merged), .alloc_i(misses), .slot_i(act_q.slot), .waiter_i(act_q.work),
    .fill_i(acts_fill), .fill_mshr_i(act_q.mshr), .answered_i(answered), .replay_i(acts_replay),
    .filled_mshr_o(filled_mshr), .freed_o(freed)
  );

  // ---- out: responses, lines, victims ----
  line_t read_line, rsp_line;
  always_comb begin
    out_d = '0;
    out_d.respond = performs || whole || answered || acts_pass;
    out_d.zero = work.kind == MemWrite && !acts_pass;
    out_d.from_line = acts_fill || acts_pass;
    out_d.write = allocates || (performs && work.kind == MemAmo);
    out_d.atomic = performs;
    out_d.evict = evicts;
    out_d.colour = colour;
    out_d.victim = line_of(way_tag, act_set);
    out_d.slot = act_q.slot;
    out_d.addr = place(act_set, way);
    out_d.amo = work.amo;
    out_d.bytes = work.bytes;
    out_d.id = work.id;
    out_d.data = acts_replay ? waiter.data : act_q.work.data;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_q <= '0;
    else out_q <= out_d;
  end

  qsm_l2_data #(.Lines(Sets * Ways), .BytesPerLine(BytesPerLine)) u_data (
    .clk_i, .write_i(performs && work.kind == MemWrite), .addr_i(out_d.addr), .bytes_i(work.bytes),
    .data_i(out_d.data),
    .out_write_i(out_q.write), .out_amo_i(out_q.atomic), .amo_i(out_q.amo), .out_addr_i(out_q.addr),
    .out_bytes_i(out_q.bytes),
    .out_data_i(out_q.data), .data_o(read_line)
  );
  always_comb begin
    if (out_q.zero) rsp_line = '0;
    else rsp_line = out_q.from_line ? out_q.data : read_line;
  end

  logic rsp_full;
  qsm_fifo #(.Width(IdW + 8 * BytesPerLine), .Depth(RspDepth)) u_rsp (
    .clk_i, .rst_ni, .push_i(out_q.respond), .data_i({out_q.id, rsp_line}),
    .pop_i(rsp_valid_o && rsp_ready_i),
    .valid_o(rsp_valid_o), .full_o(rsp_full), .data_o({rsp_id_o, rsp_data_o})
  );

  // ---- towards memory; a victim comes one cycle later than the rest, and no op acts then ----
  access_t asked, access;
  logic mem_full, mem_leaves;
  always_comb begin
    asked = '{write: work.kind == MemWrite, own: misses, line: act_q.line, slot: act_q.slot,
        id: misses ? IdW'(free_mshr) : work.id,
              bytes: work.bytes, data: work.data};
    if (misses) asked.write = 1'b0;
    if (out_q.evict)
      asked = '{write: 1'b1, own: 1'b1, line: out_q.victim, slot: out_q.slot, id: IdW'(Mshrs) +
          IdW'(out_q.colour), bytes: '1, data: read_line};
  end
  qsm_fifo #(.Width($bits(access_t)), .Depth(OutDepth)) u_out (
    .clk_i, .rst_ni, .push_i(bypassed || misses || out_q.evict), .data_i(asked),
    .pop_i(mem_leaves),
    .valid_o(mem_valid_o), .full_o(mem_full), .data_o(access)
  );
  assign mem_leaves = mem_valid_o && mem_ready_i;
  assign mem_write_o = access.write;
  assign mem_own_o = access.own;
  assign mem_line_o = access.line;
  assign mem_slot_o = access.slot;
  assign mem_id_o = access.id;
  assign mem_bytes_o = access.bytes;
  assign mem_data_o = access.data;

  // ---- credits (R-L2-3) ----
  logic acknowledged;
  assign acknowledged = mem_rsp_valid_i && acknowledge;
  qsm_l2_credits #(.Mshrs(Mshrs), .Waiters(Waiters), .RspDepth(RspDepth),
      .OutDepth(OutDepth)) u_credits (
    .clk_i, .rst_ni, .rsp_o(rsp_credit), .out_o(out_credit), .mshr_o(mshr_credit),
    .waiter_o(waiter_credit),
    .take_rsp_i(replay || pass || fill || request), .take_out_i(walk || request),
    .take_mshr_i(request), .take_waiter_i(request),
    .give_rsp_i({rsp_valid_o && rsp_ready_i, merged || bypassed || misses ||
        (acts_fill && !answered)}),
    .give_out_i({acknowledged, mem_leaves && !access.own,
                 merged || hits || ((allocates || acts_walk) && !evicts)}),
    .give_mshr_i({freed, acts_request && !misses}),
    .give_waiter_i((acts_request && !merged && !misses) || answered || acts_replay)
  );

  // ---- flush ----
  qsm_l2_flush #(.Sets(Sets), .Ways(Ways), .UnitSets(UnitSets), .OwnWrites(OutDepth)) u_flush (
    .clk_i, .rst_ni, .start_i(flush_i), .first_i(flush_first_i), .last_i(flush_last_i),
    .step_i(walk), .write_i(evicts),
    .acknowledged_i(acknowledged),
    .acknowledged_colour_i(mem_rsp_id_i != IdW'(Mshrs)), .walking_o(walking), .set_o(walk_set),
    .way_o(walk_way), .colour_o(colour),
    .done_o(flush_done_o)
  );

  logic unused;
  assign unused = ^{rsp_full, mem_full, way_valid, match_mshr};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) acts_request |-> !(match && hit))
    else $error("L2: a line is in an MSHR and in the cache");
  assert property (@(posedge clk_i) disable iff (!rst_ni) acts_replay |-> hit)
    else $error("R-L2-7: the line of a replay is not in the cache");
  assert property (@(posedge clk_i) disable iff (!rst_ni) acts_fill |-> !hit)
    else $error("R-L2-7: a line is filled that is in the cache");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      (out_q.write || out_q.evict) |-> !act_q.valid)
    else $error("R-L2-1: an op acts while the line of the one before it is written");
`endif
endmodule
