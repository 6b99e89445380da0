// SPDX-License-Identifier: Apache-2.0
// Shared memory of an SM: WarpSize banks with an atomic unit each. docs/lsu.md (R-LS-8).
// Contract: pass_i opens a pass in cycle p (loads read, stores write at its end, atomics read).
// After an atomic one amo_busy_o is set, no pass begins, and banks, rows and data stay as they
// are. A second port clears a row in any cycle, one that no pass is about.
// Latency: rdata_o in p + 1, the atomic's write at the end of p + 1.
// Cost: SharedBytes of block RAM, one qsm_amo_alu per bank.
module qsm_shared_mem
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic      clk_i,
  input  logic      rst_ni,
  input  logic      pass_i,
  input  mem_type_e kind_i,
  input  amo_e      amo_i,
  input  mask_t     bank_used_i,
  input  logic [WarpSize-1:0][RowW-1:0] row_i,
  input  bytes_t    strobe_i,
  input  lanes_t    data_i,
  output logic      amo_busy_o,  // the second cycle of an atomic pass
  output lanes_t    rdata_o,     // by bank
  input  logic      wipe_i,      // clear a row of all banks, R-SM-10
  input  logic [RowW-1:0] wipe_row_i
);
  logic   amo_busy_q;
  amo_control_t amo_q;  // of a swap but in the second cycle of an atomic pass: a store's data
                        // go through the atomic unit as they are

  logic amo_pass;
  assign amo_pass = pass_i && kind_i == MemAmo;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      amo_busy_q <= 1'b0;
      amo_q      <= amo_control(AmoSwap);
    end else begin
      amo_busy_q <= amo_pass;
      amo_q      <= amo_control(amo_pass ? amo_i : AmoSwap);
    end
  end
  assign amo_busy_o = amo_busy_q;

  for (genvar b = 0; b < WarpSize; b++) begin : g_bank
    logic [31:0] amo_result;
    logic        amo_keeps;
    logic [3:0]  write;
    assign write     = amo_busy_q ? {4{bank_used_i[b] && !amo_keeps}} :
                       (pass_i && kind_i == MemWrite) ? strobe_i[4*b +: 4] : 4'h0;

    qsm_amo_alu u_amo (
      .control_i (amo_q),
      .old_i     (rdata_o[b]),
      .operand_i (data_i[b]),
      .keep_o    (amo_keeps),
      .result_o  (amo_result)
    );
    qsm_shared_bank #(.Rows(SharedRows), .RowW(RowW)) u_bank (
      .clk_i,
      .read_i  (pass_i && kind_i != MemWrite && bank_used_i[b]),
      .write_i (write),
      .row_i   (row_i[b]),
      .wdata_i (amo_result),
      .rdata_o (rdata_o[b]),
      .wipe_i,
      .wipe_row_i
    );
  end

`ifndef SYNTHESIS
  a_amo_alone: assert property (@(posedge clk_i) disable iff (!rst_ni) !(amo_busy_q && pass_i))
    else $error("R-LS-8: a shared pass in the cycle of an atomic's write");
`endif
endmodule
