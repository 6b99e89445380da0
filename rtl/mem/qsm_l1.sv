// SPDX-License-Identifier: Apache-2.0
// L1 data cache of an SM, between the LSU's device passes and the memory port: write-through,
// allocates for loads, merges misses. Contract: docs/l1.md.
// Addresses are line numbers (m of the page). The return state of a pass (part) is stored but not
// used here.
// Latency: a pass is in A from the next cycle on and acts in the first cycle in which it has what
// it needs; the line of a hit is there one later.
// Cost: a line and a part of flip-flops (A), the tags, a block RAM of data, a row of distributed
// RAM per transaction.
// Observed by the lockstep monitor: a_valid_q, a_q, acts, hits, join_o, allocates, fill and its
// line (L1OP, L1FILL), u_gens (L1GEN), u_tags (L1SET).
module qsm_l1
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned BytesPerLine = 16,
  parameter int unsigned LineW = 28,  // bits of a line's number
  parameter int unsigned Sets = 32,   // a power of two
  parameter int unsigned Ways = 2,    // a power of two
  parameter int unsigned Txns = 8,
  parameter int unsigned Slots = 4,
  parameter int unsigned Subs = 1,    // sub-cores, each with its fences
  parameter int unsigned PartW = 16,
  localparam int unsigned SlotW = (Slots > 1) ? $clog2(Slots) : 1,
  localparam int unsigned TxnBits = (Txns > 1) ? $clog2(Txns) : 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       clk_kept_i,   // of the counters, like the next: an SM that
  input  logic                       rst_kept_ni,  // is gated keeps them

  // Device passes: one may be where pass_ready_o holds.
  input  logic                       pass_i,
  output logic                       pass_ready_o,
  input  mem_type_e                  pass_kind_i,
  input  amo_e                       pass_amo_i,
  input  logic [LineW-1:0]           pass_line_i,
  input  logic [BytesPerLine-1:0]    pass_bytes_i,
  input  logic [8*BytesPerLine-1:0]  pass_data_i,
  input  logic [SlotW-1:0]           pass_slot_i,
  input  logic [PartW-1:0]           pass_part_i,

  // Transactions.
  input  logic                       txn_free_i,
  input  logic [TxnBits-1:0]            txn_i,       // the lowest free one
  output logic                       take_o,
  output logic                       join_o,      // into the list of that one
  output logic [TxnBits-1:0]            join_txn_o,
  output logic [PartW-1:0]           part_o,      // of the taken one, and of a hit

  // Memory port.
  input  logic                       port_free_i,
  output logic                       req_valid_o,
  output mem_type_e                  req_kind_o,
  output amo_e                       req_amo_o,
  output logic [LineW-1:0]           req_line_o,
  output logic [BytesPerLine-1:0]    req_bytes_o,
  output logic [8*BytesPerLine-1:0]  req_data_o,
  output logic [SlotW-1:0]           req_slot_o,
  input  logic                       rsp_valid_i,
  input  logic [TxnBits-1:0]            rsp_txn_i,
  input  logic [8*BytesPerLine-1:0]  rsp_data_i,

  // Return slot.
  output logic                       hit_o,       // wants it
  input  logic                       hit_grant_i,
  output logic [8*BytesPerLine-1:0]  hit_data_o,  // in the cycle after the grant

  // Policy, generations, counters.
  input  logic [Slots-1:0]           skip_i,      // R-L1-12
  input  logic [Slots-1:0]           start_i,
  input  logic [Slots-1:0]           clear_i,     // of the counters
  input  logic                       restore_i,
  input  logic [SlotW-1:0]           restore_slot_i,
  input  logic [Subs-1:0]            fence_i,
  input  logic [Subs-1:0][SlotW-1:0] fence_slot_i,
  input  logic [SlotW-1:0]           read_slot_i, // counter that is read, in the same cycle
  input  logic [2:0]                 read_counter_i,
  output logic [31:0]                value_o,
  output logic                       open_o        // a pass is in A
);
  localparam int unsigned SetBits = $clog2(Sets);
  localparam int unsigned SetW = (Sets > 1) ? SetBits : 1;
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1;
  localparam int unsigned TagBits = LineW - SetBits;
  localparam int unsigned AddrW = (Sets * Ways > 1) ? $clog2(Sets * Ways) : 1;

  typedef struct packed {  // stage A
    mem_type_e kind;
    amo_e amo;
    logic [LineW-1:0] line;
    logic [BytesPerLine-1:0] bytes;
    logic [8*BytesPerLine-1:0] data;
    logic [SlotW-1:0] slot;
    logic [PartW-1:0] part;
  } pass_t;

  typedef struct packed {  // line of a transaction
    logic valid;
    logic [SetW-1:0] set_no;
    logic [WayW-1:0] way;
  } place_t;

  function automatic logic [AddrW-1:0] address(input logic [SetW-1:0] set,
      input logic [WayW-1:0] way);
    return AddrW'(32'(set) * Ways + 32'(way));
  endfunction

  // ---- A (R-L1-1) ----
  logic a_valid_q, acts;
  pass_t a_q;
  logic [SetW-1:0] a_set, pass_set;
  assign a_set = (Sets > 1) ? a_q.line[SetW-1:0] : '0;
  assign pass_set = (Sets > 1) ? pass_line_i[SetW-1:0] : '0;
  assign pass_ready_o = !a_valid_q || acts;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) a_valid_q <= 1'b0;
    else a_valid_q <= pass_i || (a_valid_q && !acts);
  end
  always_ff @(posedge clk_i) begin
    if (pass_i) begin
      a_q <= '{kind: pass_kind_i, amo: pass_amo_i, line: pass_line_i, bytes: pass_bytes_i,
          data: pass_data_i, slot: pass_slot_i,
               part: pass_part_i};
    end
  end

  // ---- what it does (R-L1-3 to R-L1-6) ----
  logic match_valid, match_pending, match_poison, full, fill, skip;
  logic load, joins, sends, hits, allocates, merges, stores, performs;
  assign load = a_q.kind == MemRead;
  assign skip = skip_i[a_q.slot];
  assign hit_o = a_valid_q && load && match_valid;
  always_comb begin
    joins = a_valid_q && load && match_pending && !match_poison;
    sends = a_valid_q && !hit_o && !joins && (load || !fill);
    hits = hit_o && hit_grant_i;
    join_o = joins && txn_free_i;
    req_valid_o = sends && txn_free_i && port_free_i;
    acts = hits || join_o || req_valid_o;
    allocates = req_valid_o && load && !skip && !match_pending && !full;
    stores = req_valid_o && a_q.kind == MemWrite;
    performs = req_valid_o && a_q.kind == MemAmo;
    merges = stores && match_valid;  // its bytes go into the line
  end
  assign take_o = join_o || req_valid_o;
  assign open_o = a_valid_q;
  assign part_o = a_q.part;
  assign req_kind_o = a_q.kind;
  assign req_amo_o = a_q.amo;
  assign req_line_o = a_q.line;
  assign req_bytes_o = a_q.bytes;
  assign req_data_o = a_q.data;
  assign req_slot_o = a_q.slot;

  // ---- lines ----
  logic [Slots-1:0][3:0] gens;
  logic wrap;
  logic [WayW-1:0] way;
  place_t place_mem[Txns];  // written whenever one is taken, so before its response
  place_t filled;
  always_ff @(posedge clk_i)
    if (take_o) place_mem[txn_i] <= '{valid: allocates, set_no: a_set, way: way};
  assign filled = place_mem[rsp_txn_i];
  assign fill = rsp_valid_i && filled.valid;

  qsm_l1_gens #(.Slots(Slots), .Subs(Subs)) u_gens (
    .clk_i, .rst_ni, .start_i, .restore_i, .restore_slot_i, .fence_i, .fence_slot_i, .gen_o(gens),
    .wrap_o(wrap)
  );
  qsm_l1_tags #(.Sets(Sets), .Ways(Ways), .TagW(TagBits), .SlotW(SlotW), .TxnW(TxnBits)) u_tags (
    .clk_i, .rst_ni, .look_i(pass_i), .look_set_i(pass_set),
    .valid_i(a_valid_q), .set_i(a_set), .tag_i(a_q.line[LineW-1 -: TagBits]), .slot_i(a_q.slot),
    .gen_i(gens[a_q.slot]),
    .match_valid_o(match_valid), .match_pending_o(match_pending), .match_poison_o(match_poison),
    .match_txn_o(join_txn_o), .full_o(full),
    .way_o(way), .allocate_i(allocates), .txn_i, .poison_i((stores || performs) && match_pending),
    .drop_i(performs && match_valid),
    .touch_i((hits || merges || allocates) && !skip),
    .fill_i(fill), .fill_set_i(filled.set_no), .fill_way_i(filled.way), .wrap_i(wrap)
  );
  qsm_l1_data #(.Lines(Sets * Ways), .BytesPerLine(BytesPerLine)) u_data (
    .clk_i, .read_i(hits), .read_addr_i(address(a_set, way)), .data_o(hit_data_o),
    .write_i(fill ? '1 : merges ? a_q.bytes : '0),
    .write_addr_i(fill ? address(filled.set_no, filled.way) : address(a_set, way)),
    .data_i(fill ? rsp_data_i : a_q.data)
  );

  // ---- counters (R-L1-13) ----
  logic [31:0] kinds, outcomes;
  logic [1:0] kind, outcome, read_kind, read_outcome;
  always_comb begin
    kind = load ? 2'd0 : (a_q.kind == MemWrite) ? 2'd1 : 2'd2;
    outcome = hits ? 2'd0 : join_o ? 2'd1 : 2'd2;
    read_kind = (read_counter_i == '0) ? 2'd0 : 2'(read_counter_i - 3'd3);
    read_outcome = 2'(read_counter_i - 3'd1);
    case (read_counter_i)
      3'd0, 3'd4, 3'd5: value_o = kinds;
      3'd1, 3'd2, 3'd3: value_o = outcomes;
      default:          value_o = '0;
    endcase
  end
  qsm_slot_counters #(.NumSlots(Slots), .PerSlot(3)) u_kinds (
    .clk_i(clk_kept_i), .rst_ni(rst_kept_ni), .clear_i, .add_i(acts), .slot_i(a_q.slot),
    .which_i(kind), .amount_i(1'b1), .read_slot_i, .read_which_i(read_kind), .value_o(kinds)
  );
  qsm_slot_counters #(.NumSlots(Slots), .PerSlot(3)) u_outcomes (
    .clk_i(clk_kept_i), .rst_ni(rst_kept_ni), .clear_i,
    .add_i(hits || join_o || allocates), .slot_i(a_q.slot), .which_i(outcome), .amount_i(1'b1),
    .read_slot_i, .read_which_i(read_outcome), .value_o(outcomes)
  );

`ifndef SYNTHESIS
  // Immediate assertions: concurrent ones sample all of a_q, and for 32 lanes Verilator 5.006
  // generates code that does not compile.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!pass_i || pass_ready_o) else $error("R-L1-1: a pass while another waits in A");
      assert (!hit_grant_i || hit_o) else $error("R-L1-9: a hit is granted that is none");
      assert (!(fill &&
          (merges ||
          performs))) else $error("R-L1-6: a store or an atomic acts in the cycle of a fill");
      assert (!(hits && fill) || {a_set, way} !=
          {filled.set_no, filled.way}) else $error("R-L1-7: a line that is filled is read");
    end
  end
`endif
endmodule
