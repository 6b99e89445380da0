// SPDX-License-Identifier: Apache-2.0
// Return side of the load/store unit: response queue, return slot, result crossbar. docs/lsu.md
// (R-LS-9 to R-LS-12), docs/l1.md (R-L1-8, R-L1-9).
// Contract: at most MemTxns responses are in flight, so the queue cannot overflow. One return op
// per cycle.
// Latency: response seen in a: return op in a + 1 at the earliest; return op in p: result_o in p +
// 1.
// Cost: MemTxns lines of block RAM, read at the end of the return cycle; a crossbar of WarpSize
// words by WarpSize lanes.
// Observed by the lockstep monitor: return_valid, return_shared, return_hit (RETURN); u_slot
// (state).
module qsm_lsu_return
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
#(
  parameter bit L1 = 1'b0  // there are hits, and responses that several transactions wait for
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // Responses of the memory
  input  logic                       rsp_valid_i,
  input  logic        [TxnW-1:0]     rsp_txn_i,
  input  lanes_t                     rsp_data_i,
  // Transaction table: head of the response queue, and for which transaction it is served next
  output logic        [TxnW-1:0]     head_txn_o,
  input  lsu_part_t                  serve_part_i,
  input  logic                       serve_last_i,    // it leaves the queue then
  output logic                       serve_o,
  // Shared pass
  input  logic                       pass_want_i,     // apart from the credit
  input  lsu_part_t                  pass_part_i,
  output logic                       pass_grant_o,
  input  lanes_t                     shared_rdata_i,  // by bank, in p + 1
  // Hit
  input  logic                       hit_want_i,      // apart from the credit
  input  lsu_part_t                  hit_part_i,
  output logic                       hit_grant_o,
  input  lanes_t                     hit_data_i,      // in p + 1
  // Sub-cores
  input  logic        [NumSched-1:0] result_pop_i,
  output mem_result_t [NumSched-1:0] result_o,        // in p + 1
  output sb_ack_t                    ack_o            // store acknowledged
);
  localparam int unsigned CreditW = $clog2(ResDepth + 1);
  typedef logic [CreditW-1:0] credit_t;

  // Response queue: transaction numbers in arrival order; the lines lie under their transaction's
  // number.
  logic [TxnW-1:0] queue_mem [MemTxns];
  // A line is read before its transaction is free: none that is in flight has the same number, so
  // it is not written then.
  (* ram_style = "block", no_rw_check *) lanes_t line_mem [MemTxns];
  lanes_t          line_rdata_q;
  logic [TxnW-1:0] queue_rd_q, queue_wr_q;
  logic [TxnW:0]   queue_len_q;

  initial begin
    for (int unsigned t = 0; t < MemTxns; t++) begin
      queue_mem[t] = '0;
      line_mem[t]  = '0;
    end
  end

  // Return slot
  credit_t [NumSched-1:0] credit_q, credit_d;
  logic pass_wants, rsp_wants, return_valid, return_shared, return_hit, queue_pop;
  lsu_part_t return_part;

  assign head_txn_o = queue_mem[queue_rd_q];
  assign queue_pop  = serve_o && (!L1 || serve_last_i);
  assign pass_wants = pass_want_i && (pass_part_i.store || credit_q[pass_part_i.sub] != '0);
  assign rsp_wants  = queue_len_q != '0 && (serve_part_i.store || credit_q[serve_part_i.sub] != '0);

  // After reset a response goes first, then a hit, then a pass.
  if (L1) begin : g_three
    logic hit_wants;
    assign hit_wants = hit_want_i && credit_q[hit_part_i.sub] != '0;
    qsm_lru_arb #(.N(3)) u_slot (
      .clk_i, .rst_ni, .req_i({pass_wants, hit_wants, rsp_wants}),
      .grant_o({pass_grant_o, hit_grant_o, serve_o})
    );
  end else begin : g_two
    qsm_lru_arb #(.N(2)) u_slot (.clk_i, .rst_ni, .req_i({pass_wants, rsp_wants}),
        .grant_o({pass_grant_o, serve_o}));
    assign hit_grant_o = 1'b0;
    logic unused;
    assign unused = ^{serve_last_i, hit_want_i, hit_part_i, hit_data_i};
  end
  assign return_valid  = pass_grant_o || hit_grant_o || serve_o;
  assign return_shared = pass_grant_o;
  assign return_hit    = hit_grant_o;
  assign return_part   = return_shared ? pass_part_i : (L1 && return_hit) ? hit_part_i :
    serve_part_i;

  assign ack_o = '{valid: serve_o && serve_part_i.store, sub: serve_part_i.sub,
      warp: serve_part_i.warp, entry: serve_part_i.entry};

  always_comb begin
    for (int unsigned s = 0; s < NumSched; s++) begin
      credit_d[s] = credit_q[s] + credit_t'(result_pop_i[s])
                  - credit_t'(return_valid && !return_part.store && return_part.sub == SubW'(s));
    end
  end

  // Result stage, p + 1
  logic      result_valid_q, result_shared_q, result_hit_q;
  lsu_part_t part_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      queue_rd_q      <= '0;
      queue_wr_q      <= '0;
      queue_len_q     <= '0;
      credit_q        <= {NumSched{credit_t'(ResDepth)}};
      result_valid_q  <= 1'b0;
      result_shared_q <= 1'b0;
      result_hit_q    <= 1'b0;
      part_q          <= '0;
    end else begin
      if (rsp_valid_i) queue_wr_q <= queue_wr_q + 1'b1;
      if (queue_pop) queue_rd_q <= queue_rd_q + 1'b1;
      queue_len_q <= queue_len_q + (TxnW + 1)'(rsp_valid_i) - (TxnW + 1)'(queue_pop);
      credit_q    <= credit_d;
      result_valid_q <= return_valid && !return_part.store;
      if (return_valid) begin
        result_shared_q <= return_shared;
        result_hit_q    <= return_hit;
        part_q          <= return_part;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rsp_valid_i) begin
      queue_mem[queue_wr_q] <= rsp_txn_i;
      line_mem[rsp_txn_i]   <= rsp_data_i;
    end
    if (serve_o) line_rdata_q <= line_mem[head_txn_o];
  end

  // Source, word, bytes: kept apart, because mapped together the multiplexers of words are half
  // as large again.
  (* keep *) lanes_t words, picked;
  lanes_t values;
  assign words = result_shared_q ? shared_rdata_i : (L1 && result_hit_q) ? hit_data_i :
    line_rdata_q;
  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    assign picked[l] = words[part_q.offs[l][LineOffW-1:2]];
    assign values[l] = load_value(picked[l], part_q.offs[l][1:0], part_q.funct3);
  end
  for (genvar s = 0; s < NumSched; s++) begin : g_result
    assign result_o[s] = '{valid: result_valid_q && part_q.sub == SubW'(s), warp: part_q.warp,
        rd: part_q.rd,
                           mask: part_q.mask, entry: part_q.entry, data: values};
  end

  logic unused_probe;
  assign unused_probe = ^{part_q.store, part_q.away};

`ifndef SYNTHESIS
  a_queue_room: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rsp_valid_i |-> queue_len_q < (TxnW + 1)'(MemTxns))
    else $error("R-LS-9: response queue overflow");
  for (genvar s = 0; s < NumSched; s++) begin : g_assert
    a_credit: assert property (@(posedge clk_i) disable iff (!rst_ni)
        credit_q[s] <= credit_t'(ResDepth))
      else $error("R-LS-10: more credits than result queue entries");
  end
`endif
endmodule
