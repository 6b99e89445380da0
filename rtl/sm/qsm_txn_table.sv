// SPDX-License-Identifier: Apache-2.0
// Table of the memory transactions of the load/store unit: free entries, what each needs when its
// response arrives, and, with an L1, lists of transactions that wait for the response of another
// one. docs/lsu.md (R-LS-5, R-LS-11), docs/l1.md (R-L1-4, R-L1-8).
// Contract: take_i only while free_o; a transaction freed in t can be taken in t + 1; none joins a
// list whose head's response has come.
// Latency: free_o and txn_o from registers; what is served is combinational from head_txn_i.
// Cost: MemTxns x lsu_part_t of distributed RAM, MemTxns flip-flops; two transaction numbers more
// of each for the lists.
module qsm_txn_table
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
#(
  parameter bit Lists = 1'b0
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  output logic            free_o,      // some transaction is free at the start of the cycle
  output logic            open_o,      // some is not
  output logic [TxnW-1:0] txn_o,       // the lowest free one
  input  logic            take_i,
  input  lsu_part_t       take_part_i,
  input  logic            join_i,      // the taken one joins the list of this one
  input  logic [TxnW-1:0] join_txn_i,
  input  logic [TxnW-1:0] head_txn_i,  // whose response is served
  output logic [TxnW-1:0] serve_txn_o, // for which one
  output lsu_part_t       part_o,      // of that one
  output logic            last_o,      // the response has been served after that
  input  logic            serve_i      // in this cycle
);
  logic [MemTxns-1:0] busy_q;
  lsu_part_t          part_mem [MemTxns];
  logic               listed;          // serve_txn_o is one of the list

  initial begin
    for (int unsigned t = 0; t < MemTxns; t++) part_mem[t] = '0;
  end

  assign free_o = busy_q != '1;
  assign part_o = part_mem[serve_txn_o];

  assign open_o = busy_q != '0;
  always_comb begin
    txn_o = '0;
    for (int t = int'(MemTxns) - 1; t >= 0; t--) begin
      if (!busy_q[t]) txn_o = TxnW'(t);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= '0;
    end else begin
      if (serve_i && listed) busy_q[serve_txn_o] <= 1'b0;
      if (serve_i && last_o) busy_q[head_txn_i] <= 1'b0;
      if (take_i) busy_q[txn_o] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i) part_mem[txn_o] <= take_part_i;
  end

  if (Lists) begin : g_lists
    logic [TxnW-1:0] tail_mem [MemTxns];  // last of its list, or itself
    logic [TxnW-1:0] next_mem [MemTxns];
    logic            listed_q;
    logic [TxnW-1:0] member_q, next, serve_txn;

    initial begin
      for (int unsigned t = 0; t < MemTxns; t++) begin
        tail_mem[t] = '0;
        next_mem[t] = '0;
      end
    end

    assign listed = listed_q;
    assign serve_txn = listed_q ? member_q : head_txn_i;
    assign serve_txn_o = serve_txn;
    assign last_o = serve_txn == tail_mem[head_txn_i];
    assign next = next_mem[serve_txn];
    always_ff @(posedge clk_i) begin
      if (take_i) tail_mem[join_i ? join_txn_i : txn_o] <= txn_o;
      if (join_i) next_mem[tail_mem[join_txn_i]] <= txn_o;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        listed_q <= 1'b0;
        member_q <= '0;
      end else if (serve_i) begin
        listed_q <= !last_o;
        member_q <= next;
      end
    end
  end else begin : g_alone
    assign listed = 1'b0;
    assign serve_txn_o = head_txn_i;
    assign last_o = 1'b1;
    logic unused;
    assign unused = ^{join_i, join_txn_i};
  end

`ifndef SYNTHESIS
  a_take_free: assert property (@(posedge clk_i) disable iff (!rst_ni) take_i |-> free_o)
    else $error("R-LS-5: a transaction is taken while none is free");
  a_join_busy: assert property (@(posedge clk_i) disable iff (!rst_ni)
      join_i |-> take_i && busy_q[join_txn_i])
    else $error("R-L1-4: a load joins the list of a transaction that is not in flight");
  a_release_busy: assert property (@(posedge clk_i) disable iff (!rst_ni)
      serve_i |-> busy_q[head_txn_i] && busy_q[serve_txn_o])
    else $error("R-LS-11, R-L1-8: response of a transaction that is not in flight");
`endif
endmodule
