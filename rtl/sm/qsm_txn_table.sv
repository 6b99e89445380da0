// SPDX-License-Identifier: Apache-2.0
// Memory transactions of the load/store unit: the free ones, and what each will need when its response comes.
// docs/lsu.md (R-LS-5, R-LS-11).
// Contract: take_i only while free_o; a transaction freed in t can be taken in t + 1.
// Latency: free_o and txn_o from registers; part_o combinational from read_txn_i.
// Cost: MemTxns x lsu_part_t of distributed RAM, MemTxns flip-flops.
module qsm_txn_table
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic            clk_i,
  input  logic            rst_ni,
  output logic            free_o,      // some transaction is free at the start of the cycle
  output logic [TxnW-1:0] txn_o,       // the lowest free one
  input  logic            take_i,
  input  lsu_part_t       take_part_i,
  input  logic [TxnW-1:0] read_txn_i,
  output lsu_part_t       part_o,
  input  logic            release_i    // read_txn_i becomes free at the end of the cycle
);
  logic [MemTxns-1:0] busy_q;
  lsu_part_t          part_mem [MemTxns];

  initial begin
    for (int unsigned t = 0; t < MemTxns; t++) part_mem[t] = '0;
  end

  assign free_o = busy_q != '1;
  assign part_o = part_mem[read_txn_i];

  always_comb begin
    txn_o = '0;
    for (int unsigned t = MemTxns; t-- > 0;) begin
      if (!busy_q[t]) txn_o = TxnW'(t);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= '0;
    end else begin
      if (release_i) busy_q[read_txn_i] <= 1'b0;
      if (take_i) busy_q[txn_o] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i) part_mem[txn_o] <= take_part_i;
  end

`ifndef SYNTHESIS
  a_take_free: assert property (@(posedge clk_i) disable iff (!rst_ni) take_i |-> free_o)
    else $error("R-LS-5: a transaction is taken while none is free");
  a_release_busy: assert property (@(posedge clk_i) disable iff (!rst_ni) release_i |-> busy_q[read_txn_i])
    else $error("R-LS-11: response of a transaction that is not in flight");
`endif
endmodule
