// SPDX-License-Identifier: Apache-2.0
// Return side of the load/store unit: response queue, return slot, result crossbar. docs/lsu.md (R-LS-9 to R-LS-12).
// Contract: at most MemTxns responses are in flight, so the queue cannot overflow. One return op per cycle.
// Latency: response seen in a: return op in a + 1 at the earliest; return op in p: result_o in p + 1.
// Cost: MemTxns lines of block RAM, read at the end of the return cycle; a crossbar of WarpSize words by WarpSize lanes.
// Observed by the lockstep monitor: return_valid, return_shared, return_txn (RETURN); credit_q, queue_len_q (state).
module qsm_lsu_return
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // Responses of the memory
  input  logic                       rsp_valid_i,
  input  logic        [TxnW-1:0]     rsp_txn_i,
  input  lanes_t                     rsp_data_i,
  // Transaction table: head of the response queue
  output logic        [TxnW-1:0]     head_txn_o,
  input  lsu_part_t                  head_part_i,
  output logic                       head_release_o,
  // Shared pass
  input  logic                       pass_want_i,     // apart from the credit
  input  lsu_part_t                  pass_part_i,
  output logic                       pass_grant_o,
  input  lanes_t                     shared_rdata_i,  // by bank, in p + 1
  // Sub-cores
  input  logic        [NumSched-1:0] result_pop_i,
  output mem_result_t [NumSched-1:0] result_o,        // in p + 1
  output sb_ack_t                    ack_o            // store acknowledged
);
  localparam int unsigned CreditW = $clog2(ResDepth + 1);
  typedef logic [CreditW-1:0] credit_t;

  // Response queue: transaction numbers in arrival order; the lines lie under their transaction's number.
  logic [TxnW-1:0] queue_mem [MemTxns];
  // A line is read when its transaction is released: none that is in flight has the same number, so it is not written then.
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
  logic last_pass_q;  // the last return op was a pass
  logic pass_wants, rsp_wants, return_valid, return_shared;
  logic [TxnW-1:0] return_txn;
  lsu_part_t return_part;

  assign head_txn_o    = queue_mem[queue_rd_q];
  assign pass_wants    = pass_want_i && (pass_part_i.store || credit_q[pass_part_i.sub] != '0);
  assign rsp_wants     = queue_len_q != '0 && (head_part_i.store || credit_q[head_part_i.sub] != '0);
  assign pass_grant_o  = pass_wants && !(rsp_wants && last_pass_q);
  assign head_release_o = rsp_wants && !pass_grant_o;
  assign return_valid  = pass_grant_o || head_release_o;
  assign return_shared = pass_grant_o;
  assign return_txn    = head_txn_o;
  assign return_part   = return_shared ? pass_part_i : head_part_i;

  assign ack_o = '{valid: head_release_o && head_part_i.store, sub: head_part_i.sub, warp: head_part_i.warp,
                   entry: head_part_i.entry};

  always_comb begin
    for (int unsigned s = 0; s < NumSched; s++) begin
      credit_d[s] = credit_q[s] + credit_t'(result_pop_i[s])
                  - credit_t'(return_valid && !return_part.store && return_part.sub == SubW'(s));
    end
  end

  // Result stage, p + 1
  logic      result_valid_q, result_shared_q;
  lsu_part_t part_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      queue_rd_q      <= '0;
      queue_wr_q      <= '0;
      queue_len_q     <= '0;
      credit_q        <= {NumSched{credit_t'(ResDepth)}};
      last_pass_q     <= 1'b1;
      result_valid_q  <= 1'b0;
      result_shared_q <= 1'b0;
      part_q          <= '0;
    end else begin
      if (rsp_valid_i) queue_wr_q <= queue_wr_q + 1'b1;
      if (head_release_o) queue_rd_q <= queue_rd_q + 1'b1;
      queue_len_q <= queue_len_q + (TxnW + 1)'(rsp_valid_i) - (TxnW + 1)'(head_release_o);
      credit_q    <= credit_d;
      if (return_valid) last_pass_q <= return_shared;
      result_valid_q <= return_valid && !return_part.store;
      if (return_valid) begin
        result_shared_q <= return_shared;
        part_q          <= return_part;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rsp_valid_i) begin
      queue_mem[queue_wr_q] <= rsp_txn_i;
      line_mem[rsp_txn_i]   <= rsp_data_i;
    end
    if (head_release_o) line_rdata_q <= line_mem[head_txn_o];
  end

  lanes_t words, values;
  assign words = result_shared_q ? shared_rdata_i : line_rdata_q;
  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    assign values[l] = load_value(words[part_q.offs[l][LineOffW-1:2]], part_q.offs[l][1:0], part_q.funct3);
  end
  for (genvar s = 0; s < NumSched; s++) begin : g_result
    assign result_o[s] = '{valid: result_valid_q && part_q.sub == SubW'(s), warp: part_q.warp, rd: part_q.rd,
                           mask: part_q.mask, entry: part_q.entry, data: values};
  end

  logic unused_probe;  // the monitor's
  assign unused_probe = ^{return_txn, part_q.store};

`ifndef SYNTHESIS
  a_queue_room: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rsp_valid_i |-> queue_len_q < (TxnW + 1)'(MemTxns))
    else $error("R-LS-9: response queue overflow");
  for (genvar s = 0; s < NumSched; s++) begin : g_assert
    a_credit: assert property (@(posedge clk_i) disable iff (!rst_ni) credit_q[s] <= credit_t'(ResDepth))
      else $error("R-LS-10: more credits than result queue entries");
  end
`endif
endmodule
