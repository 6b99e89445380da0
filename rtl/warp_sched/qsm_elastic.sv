// SPDX-License-Identifier: Apache-2.0
// Start of an SM's epochs under the scheme Elastic: after T cycles, or as soon as the quotas of all
// kernels are spent.
//
// Contract: docs/quota_gate.md, R-SC-4 and R-SC-6. start_o: in this cycle an epoch starts, all
// kernels load from the next one on.
// Latency: inputs act at the end of their cycle. Cost: a counter of 20 bits.
//
// Observed by the lockstep monitor: dcnt_next, early_d (QLOAD), dcnt_q, early_q; dcnt under Elastic
// only, else it is 0 there.
module qsm_elastic (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        elastic_i,    // scheme of the SM
  input  logic        change_i,     // a load message changes the scheme from Elastic or to Elastic
  input  logic        to_elastic_i, // it changes to Elastic
  input  logic        spent_i,      // an early start is due unless a timed one is
  input  logic [19:0] epoch_len_i,  // T, cycles, at least 2
  output logic        start_o,
  output logic        early_o       // register: the last start was early
);
  // cycles before the next timed start; undefined under another scheme
  logic [19:0] dcnt_q, dcnt_next;
  logic        early_q, early_d, timed, early;

  assign timed   = change_i ? to_elastic_i : elastic_i && dcnt_q == '0;
  assign early   = elastic_i && !change_i && spent_i && !timed;
  assign start_o = timed || early;
  assign early_o = early_q;

  assign dcnt_next = (start_o ? epoch_len_i : dcnt_q) - 20'd1;
  assign early_d   = start_o ? early : early_q && !change_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      dcnt_q  <= '0;
      early_q <= 1'b0;
    end else begin
      if (elastic_i || start_o) dcnt_q <= dcnt_next;
      early_q <= early_d;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) elastic_i || !early_q)
    else $error("R-SC-4: an epoch of Elastic runs under another scheme");
`endif
endmodule
